#!/usr/bin/env bash
# make demo: sends a stream like that of a database through pzcomp, over the network and back, and
# compares it byte for byte. Then it measures pzcomp beside the installed gzip and pigz on the same data.
#
# It needs Rust and a C compiler, and installs nothing. Environment:
#   DEMO_MIB     the length of the data in MiB (256)
#   PZCOMP_BIN   a pzcomp that is already built
set -euo pipefail
export LC_ALL=C

# gzip is slow, so it gets at most this much.
readonly slice_mib=64
readonly seed=7
mib=${DEMO_MIB:-256}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=

say() { echo "demo: $*"; }

fail() {
  echo "demo: $*" >&2
  exit 1
}

# Called after `a | b ||`: fails with the name of the pipeline and the status of each of its parts.
broken() {
  local pipeline=$1
  shift
  fail "the pipeline '$pipeline' is broken; its parts ended with $*."
}

# --- Processes, which all end with this script --------------------------------------------------

# Starts a function in the background, in a process group of its own. Its id is then in $!.
start() {
  set -m
  "$@" </dev/null &
  set +m
}

# Whether a group that was started still runs. Bash knows its own jobs. A number alone may belong to
# another process by now.
running() { jobs -rp | grep -qx "$1"; }

# Ends a group as a whole, if it has not ended.
stop() {
  ! running "$1" || kill -TERM -- "-$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# Runs a function to its end. The function runs in the background, because bash answers signals while
# it waits, but not while it runs a command.
run() {
  start "$@"
  wait "$!"
}

clean_up() {
  local status=$? group
  trap - EXIT INT TERM HUP
  for group in $(jobs -rp); do
    stop "$group"
  done
  [[ -z $work ]] || rm -rf "$work"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# --- Requirements --------------------------------------------------------------------------------

check_needs() {
  [[ $mib =~ ^[1-9][0-9]{0,6}$ ]] || fail "DEMO_MIB=$mib is no number of MiB."
  command -v cargo >/dev/null || fail "Rust is needed: there is no cargo (see https://rustup.rs)."
  command -v cc >/dev/null ||
    fail "a C compiler is needed: there is no cc (on Debian: apt-get install gcc libc6-dev)."
  if [[ -n ${PZCOMP_BIN:-} ]]; then
    [[ -f $PZCOMP_BIN && -x $PZCOMP_BIN ]] || fail "PZCOMP_BIN=$PZCOMP_BIN is no program."
    pzcomp=$(realpath "$PZCOMP_BIN")
  fi
}

build() {
  cd "$root"
  if [[ -z ${PZCOMP_BIN:-} ]]; then
    cargo build --release
  fi
  cargo build --release -p corpus
}

# Prints the target folder of cargo, which the environment and its configuration may change.
target_folder() {
  (cd "$root" && cargo metadata --no-deps --format-version 1) |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# Makes a folder with room for a few times the data, in memory if there is enough.
make_work_folder() {
  local parent=${TMPDIR:-/tmp} free
  free=$(df -Pk /dev/shm 2>/dev/null | sed -n '2s/^[^ ]* *[0-9]* *[0-9]* *\([0-9]*\) .*/\1/p')
  if [[ -w /dev/shm ]] && ((${free:-0} > 4 * 1024 * mib)); then
    parent=/dev/shm
  fi
  work=$(mktemp -d "$parent/pzcomp-demo.XXXXXX")
}

# --- The network -----------------------------------------------------------------------------------

# Sets `netcat` to the netcat of OpenBSD, or to nothing. Others have different options to end a connection.
find_netcat() {
  for netcat in nc.openbsd nc; do
    [[ $("$netcat" -h 2>&1 </dev/null || true) != *OpenBSD* ]] || return 0
  done
  netcat=
}

# Whether a program listens on a port. It asks the kernel, because the listener would take a trial
# connection for the real connection.
listening() {
  local hex
  printf -v hex '%04X' "$1"
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$hex [0-9A-F]*:0000 0A"
}

# Starts a function with a free port as its last argument, and returns when it listens there. Its
# process group is then in `listener`, and the port in `port`.
start_listener() {
  local _
  for _ in {1..8}; do
    # Below 32768, from which on Linux assigns ports itself.
    port=$((20000 + RANDOM % 12000))
    ! listening "$port" || continue
    start "$@" "$port"
    listener=$!
    for _ in {1..100}; do
      ! listening "$port" || return 0
      # Another program may have taken the port.
      running "$listener" || break
      sleep 0.05
    done
    stop "$listener"
  done
  return 1
}

# --- There and back ----------------------------------------------------------------------------------

pz() { "$pzcomp" "$@"; }

generate() { "$corpus" pages "$((mib << 20))" "$seed"; }

away() {
  generate | tee "$work/plain" | pz | "$netcat" -N 127.0.0.1 "$1" ||
    broken "corpus | tee | pzcomp | $netcat" "${PIPESTATUS[@]}"
}

back() {
  "$netcat" -l 127.0.0.1 "$1" | pz -d | sha256sum >"$work/arrived" ||
    broken "$netcat -l | pzcomp -d | sha256sum" "${PIPESTATUS[@]}"
}

there_and_back() {
  generate | tee "$work/plain" | pz | pz -d | sha256sum >"$work/arrived" ||
    broken "corpus | tee | pzcomp | pzcomp -d | sha256sum" "${PIPESTATUS[@]}"
}

transfer() {
  local begin=${EPOCHREALTIME/./} way microseconds
  if [[ -n $netcat ]]; then
    way="over loopback by $netcat"
    start_listener back || fail "$netcat cannot listen on any port."
    local receiver=$listener
    run away "$port"
    wait "$receiver"
  else
    way='through a plain pipe, as the netcat of OpenBSD is not installed,'
    run there_and_back
  fi
  microseconds=$((${EPOCHREALTIME/./} - begin))
  sha256sum <"$work/plain" >"$work/sent"
  cmp -s "$work/sent" "$work/arrived" ||
    fail "what arrived is not what was sent: $(<"$work/arrived") instead of $(<"$work/sent")."
  say "$mib MiB went $way in $(seconds "$microseconds") s and arrived whole:"
  say "checksum $(<"$work/arrived") at both ends"
}

# --- The table -----------------------------------------------------------------------------------------

# Prints microseconds as seconds, and a fraction of 10000 as a percentage, with bash only.
seconds() { printf '%d.%02d' "$(($1 / 1000000))" "$(($1 / 10000 % 100))"; }
percent() { printf '%d.%02d' "$(($1 / 100))" "$(($1 % 100))"; }

# Runs a function and stores its microseconds, never zero, in a variable.
timed() {
  local variable=$1 begin=${EPOCHREALTIME/./}
  shift
  run "$@"
  printf -v "$variable" '%d' "$((${EPOCHREALTIME/./} - begin + 1))"
}

code() {
  local plain=$1
  shift
  "$@" <"$plain" >"$work/coded" || fail "'$*' ended with $?."
}

decode() { "$@" <"$work/coded" | cat >/dev/null || broken "$* | cat" "${PIPESTATUS[@]}"; }

sum_of_decoded() {
  "$@" <"$work/coded" | sha256sum >"$work/decoded" || broken "$* | sha256sum" "${PIPESTATUS[@]}"
}

readonly format='%-18s %5s  %10s %6s  %7s  %12s %6s\n'

# row NAME PLAIN CODER DECODER: measures one tool and prints its line.
row() {
  local name=$1 plain=$2 coder decoder coding=0 decoding=0 plain_len coded_len
  read -ra coder <<<"$3"
  read -ra decoder <<<"$4"
  timed coding code "$plain" "${coder[@]}"
  timed decoding decode "${decoder[@]}"
  run sum_of_decoded "${decoder[@]}"
  sha256sum <"$plain" | cmp -s - "$work/decoded" || fail "$name did not give back what it was given."
  plain_len=$(stat -c %s "$plain")
  coded_len=$(stat -c %s "$work/coded")
  # Bytes in a microsecond are megabytes in a second.
  # shellcheck disable=SC2059 # the format is ours
  printf "$format" "$name" "$((plain_len >> 20))" \
    "$(seconds "$coding")" "$((plain_len / coding))" \
    "$(percent "$((10000 * coded_len / plain_len))")" \
    "$(seconds "$decoding")" "$((plain_len / decoding))"
}

table() {
  local slice=$work/plain
  if ((mib > slice_mib)); then
    slice=$work/slice
    head -c "$((slice_mib << 20))" "$work/plain" >"$slice"
  fi
  # shellcheck disable=SC2059 # the format is ours
  printf "$format" tool MiB 'compress s' MB/s 'size %' 'decompress s' MB/s
  row 'pzcomp (zstd -3)' "$work/plain" 'pz' 'pz -d'
  row 'pzcomp -F gzip' "$work/plain" 'pz -F gzip' 'pz -d'
  if command -v pigz >/dev/null; then
    row 'pigz' "$work/plain" 'pigz -c' 'pigz -dc'
  else
    say 'there is no pigz to compare with'
  fi
  row 'gzip' "$slice" 'gzip -c' 'gzip -dc'
}

main() {
  check_needs
  say 'building (the first time takes a minute or two)'
  run build
  local target
  target=$(target_folder)
  corpus=$target/release/corpus
  pzcomp=${pzcomp:-$target/release/pzcomp}
  make_work_folder
  find_netcat
  transfer
  say "on $(nproc) cores, each tool by its defaults:"
  echo
  table
}

main
