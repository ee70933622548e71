#!/usr/bin/env bash
# Gets the peers: the programs with which tests and measurements compare pzcomp.
#
#   scripts/peers.sh install PACKAGE...
#
# Installs the missing Debian packages, as root or with a sudo without password. If neither is
# possible, it names the missing packages in one sentence and exits 1. If no package is missing, it
# prints nothing.
#
#   scripts/peers.sh build FOLDER
#
# Builds the peers that have no Debian package, and the newest zstd, into FOLDER/bin. A peer that cannot be built is named
# and left out. The bench then says in its rows that it is not installed.
set -euo pipefail

fail() {
  echo "peers.sh: $*" >&2
  exit 1
}

# Prints the packages that are not installed.
missing() {
  local package state
  for package in "$@"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $state == installed ]] || echo "$package"
  done
}

# Whether every package can be installed from the present lists. Fresh images have no lists.
listed() {
  local package
  for package in "$@"; do
    apt-cache show --quiet=1 "$package" >/dev/null 2>&1 || return 1
  done
}

# Runs apt-get as root. It asks nothing, and waits for another apt-get. Its output is shown only if it
# fails.
apt_get() {
  local log status=0
  log=$(mktemp)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get --quiet --yes -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 || status=$?
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

install() {
  local packages=()
  mapfile -t packages < <(missing "$@")
  ((${#packages[@]})) || return 0
  if ((EUID == 0)); then
    as_root=()
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    fail "please install these Debian packages, which needs root: ${packages[*]}."
  fi
  echo "peers.sh: installing ${packages[*]}" >&2
  listed "${packages[@]}" || apt_get update ||
    fail "the lists of packages cannot be updated; these packages are missing: ${packages[*]}."
  # The lists may also be stale.
  apt_get install --no-install-recommends "${packages[@]}" ||
    { apt_get update && apt_get install --no-install-recommends "${packages[@]}"; } ||
    fail "these packages could not be installed: ${packages[*]}."
}

# Whether the program is in the folder and starts. A program whose library or Python has gone since it
# was built does not start, and is built again.
starts() {
  "$1" --version >/dev/null 2>&1
}

build() {
  local folder=$1 crate program log
  log=$(mktemp)
  # shellcheck disable=SC2064 # the name of now
  trap "rm -f '$log'" EXIT
  mkdir -p "$folder/bin"
  folder=$(cd "$folder" && pwd)
  for crate in crabz gzippy rapidgzip-rust-cli; do
    program=$folder/bin/${crate%-cli}
    starts "$program" && continue
    echo "peers.sh: building $crate" >&2
    cargo install --quiet --locked --force --root "$folder" "$crate" >"$log" 2>&1 || lacking "$crate" "$log"
  done
  if ! starts "$folder/bin/zstd" || ! starts "$folder/bin/pzstd"; then
    echo "peers.sh: building zstd and pzstd" >&2
    (build_zstd "$folder") >"$log" 2>&1 || lacking zstd "$log"
  fi
  if [[ ! -x $folder/bin/lzf ]]; then
    echo "peers.sh: building lzf" >&2
    (build_lzf "$folder") >"$log" 2>&1 || lacking lzf "$log"
  fi
  if ! "$folder/bin/python-snappy" --help >/dev/null 2>&1; then
    echo "peers.sh: installing python-snappy" >&2
    install_snappy "$folder" >"$log" 2>&1 || lacking python-snappy "$log"
  fi
  program=$folder/bin/rapidgzip
  starts "$program" && return
  echo "peers.sh: installing rapidgzip" >&2
  { python3 -m venv --clear "$folder/python" &&
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check rapidgzip &&
    ln -sf ../python/bin/rapidgzip "$program"; } >"$log" 2>&1 || lacking rapidgzip "$log"
}

# The newest zstd, whose decoder is faster than that of Debian's package.
build_zstd() {
  local work=$1 tree
  say() { echo "$*"; }
  # shellcheck source=scripts/sources.sh
  source "$(dirname "$0")/sources.sh"
  fetch libzstd
  tree=$work/source/libzstd/tree
  make -C "$tree/programs" zstd
  make -C "$tree/contrib/pzstd" pzstd
  cp "$tree/programs/zstd" "$tree/contrib/pzstd/pzstd" "$work/bin/"
}

# The program of liblzf, which Debian's packages leave out.
build_lzf() {
  local work=$1 tree
  say() { echo "$*"; }
  # shellcheck source=scripts/sources.sh
  source "$(dirname "$0")/sources.sh"
  fetch liblzf
  tree=$work/source/liblzf/tree
  (cd "$tree" && ./configure && make lzf)
  cp "$tree/lzf" "$work/bin/"
}

# python-snappy: its own command, which can only compress, and python-snappy-1m, which gives the same library 1 MiB at
# once.
install_snappy() {
  local folder=$1 name
  python3 -m venv --clear "$folder/snappy" || return
  "$folder/snappy/bin/pip" install --quiet --disable-pip-version-check python-snappy || return
  { echo "#!$folder/snappy/bin/python" && echo "from snappy.__main__ import cmdline_main" &&
    echo "cmdline_main()"; } >"$folder/bin/python-snappy" || return
  { echo "#!$folder/snappy/bin/python" && cat <<'EOF'; } >"$folder/bin/python-snappy-1m" || return
"""A filter: `-c` compresses and `-d` decompresses with python-snappy, 1 MiB at a time."""

import fcntl
import sys

import snappy

PIECE = 1 << 20

if len(sys.argv) != 2 or sys.argv[1] not in ("-c", "-d"):
    sys.exit("usage: python-snappy-1m -c | -d")
if sys.argv[1] == "-c":
    step = snappy.StreamCompressor().compress
else:
    step = snappy.StreamDecompressor().decompress
source, sink = open(0, "rb", buffering=0), open(1, "wb", buffering=0)
for end in (source, sink):
    try:
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIECE)
    except OSError:
        pass  # It is no pipe.
while piece := source.read(PIECE):
    rest = memoryview(step(piece))
    while rest:
        rest = rest[sink.write(rest):]
EOF
  for name in python-snappy python-snappy-1m; do chmod +x "$folder/bin/$name" || return; done
}

# Says that a peer cannot be built, with the last line of the messages.
lacking() {
  echo "peers.sh: $1 cannot be had here and is left out: $(tail -n 1 "$2")" >&2
}

case "${1-} $#" in
"build 2")
  build "$2"
  exit
  ;;
"install "[01] | "build "*) fail "usage: scripts/peers.sh install PACKAGE... | build FOLDER" ;;
"install "*) shift ;;
*) fail "usage: scripts/peers.sh install PACKAGE... | build FOLDER" ;;
esac
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this is not a Debian-like system; please install what these Debian packages hold: $*."
fi
install "$@"
