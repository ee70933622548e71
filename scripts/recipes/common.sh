# shellcheck shell=bash
# What the recipes have in common. Each recipe of this folder sources this file first, and so do the demonstrations.
#
# It makes a temporary folder, goes there, and removes it at the end. PZCOMP is the binary to try; it comes first in PATH
# as pzcomp. HOME is in the folder, so that no settings of the user are read. A recipe defines `stop` if it has servers
# to end. It ends with `ok`, or with `not_tried`, which print its line. A failure ends it with another status than 0.
#
# The text between the lines "# recipe" and "# end" stands in docs/recipes.md too. run.sh compares both.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin # where Debian keeps mariadbd, and not every user looks
recipe=$(basename "$0" .sh)
here=$(dirname "$(realpath "$0")")
binary=$(realpath "$(command -v "${PZCOMP:-$here/../../target/release/pzcomp}")")

unset PZCOMP # pzcomp itself takes options from this variable

# The name of a Unix socket has at most 107 bytes, so the folder is not in TMPDIR.
work=$(mktemp -d /tmp/pzcomp-recipe.XXXXXX)
cd "$work"
mkdir bin home
ln -s "$binary" bin/pzcomp
export PATH=$work/bin:$PATH HOME=$work/home TMPDIR=$work

stop() { :; }
clean_up() {
  trap '' INT TERM
  stop >/dev/null 2>&1 || true
  cd /
  rm -rf -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints the line of the recipe: ok PROGRAM VERSION.
ok() { printf '%-18s %-34s ok\n' "$recipe" "$*"; }

# Prints the line of a recipe whose program is not there, and ends it.
not_tried() {
  printf '%-18s not tried: %s\n' "$recipe" "$*"
  exit 0
}

need() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || not_tried "there is no $program"
  done
}

# Puts pzcomp in front of the other tools, under their names.
link_names() {
  pzcomp --install-links "$work/links/bin" >"$work/links.log"
  PATH=$work/links/bin:$PATH
}

# The first number with a dot in the output of a command.
version() { { "$@" 2>&1 || true; } | grep -oE '[0-9]+(\.[0-9]+)+[^ ,)]*' | sed -n 1p; }

# Rows of text, about 70 bytes each, that compress about as well as tables do.
rows() {
  awk -v count="$1" 'BEGIN { srand(1); for (i = 1; i <= count; i++)
    printf "%d\tnode-%d\t%.7f\t%.7f\tchangeset %d\n", i, int(rand() * 1e6), rand() * 180 - 90, rand() * 360, int(i / 50) }'
}

# Makes a folder with files, a link, an empty file and a folder in it.
make_files() {
  mkdir -p "$1/deep/er"
  rows 60000 >"$1/rows.tsv"
  head -c 700000 /dev/urandom >"$1/deep/random"
  seq 200000 >"$1/deep/er/numbers with blanks"
  : >"$1/empty"
  ln -s deep/random "$1/link"
}

# Fails unless two folders hold the same files.
same_files() { diff -rq --no-dereference "$1" "$2"; }

# A port on which nothing listens. Below 32768, from which on Linux assigns ports itself.
free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); do
    listening "$port" || break
  done
  echo "$port"
}

# Whether a program listens on a port. It asks the kernel, because the listener would take a trial connection for the
# real connection.
listening() {
  local hex
  printf -v hex '%04X' "$1"
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep ":$hex [0-9A-F]*:0000 0A" >/dev/null
}

# Sets `netcat` to the netcat of OpenBSD. Others have different options to end a connection.
find_netcat() {
  for netcat in nc.openbsd nc; do
    [[ $("$netcat" -h 2>&1 </dev/null || true) != *OpenBSD* ]] || return 0
  done
  return 1
}

# The seconds since a moment that EPOCHREALTIME has named.
seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }'; }

# wait_for COMMAND...: until the command succeeds, at most a minute.
wait_for() {
  local _
  for _ in {1..600}; do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  echo "waited in vain for: $*" >&2
  return 1
}
