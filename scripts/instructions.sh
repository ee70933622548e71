#!/usr/bin/env bash
# Compares the instructions of two binaries on the usual rows with one worker: scripts/instructions.sh BEFORE AFTER [SIZE]
#
# valgrind counts the instructions, so the machine may be busy. Build both binaries with RUSTFLAGS=--cfg=rustix_use_libc,
# because rustix otherwise looks for the vDSO, which valgrind hides. Fails if a row needs over 0.5 % more than before.
set -euo pipefail
before=$1 after=$2 size=${3:-8388608}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo run --quiet --locked -p corpus -- nodes "$size" 1 >"$folder/plain"

# The instructions of a command that reads the file $2 and writes nothing that is kept.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "${@:2}" <"$1" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}

status=0
row() { # name, input, arguments
    local name=$1 input=$2 old new
    shift 2
    old=$(count "$input" "$before" "$@") new=$(count "$input" "$after" "$@")
    printf '%-22s %14d %14d  %s\n' "$name" "$old" "$new" \
        "$(awk "BEGIN { printf \"%+.3f %%\", 100 * ($new / $old - 1) }")"
    [ $((new * 1000)) -le $((old * 1005)) ] || status=1
}

printf '%-22s %14s %14s\n' row before after
for format in zstd:3 zstd:9 gzip:1 gzip:6 lz4:1 xz:1 bzip2:9 lzip:1; do
    name=${format%:*} level=${format#*:}
    row "$name -$level" "$folder/plain" -F "$name" "-$level" -p 1 -c
    "$before" -F "$name" "-$level" -p 1 -c <"$folder/plain" >"$folder/coded"
    row "$name -$level, -d" "$folder/coded" -d -p 1 -c
done
# Streams that other tools have made: one frame, one member.
for tool in zstd gzip lz4; do
    "$tool" -c <"$folder/plain" >"$folder/coded"
    row "of $tool, -d" "$folder/coded" -d -p 1 -c
done
exit $status
