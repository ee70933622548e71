#!/usr/bin/env bash
# Writes benches/results/fuzz-coverage.md: how many lines of the code that a fuzz target is for its seeds reach.
#
#   scripts/fuzz-coverage.sh [CORPUS]
#
# The targets run without libFuzzer (crates/pzcomp-lib/tests/seeds), each in a process of its own, compiled with
# counters. CORPUS, such as fuzz/corpus after `make fuzz-targets`, is taken in place of the seeds. `arguments` and
# `sevenz` are targets of the command, and are not counted.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ $# = 0 ]] || PZCOMP_FUZZ_CORPUS=$(realpath "$1") && export PZCOMP_FUZZ_CORPUS
folder=$PWD/target/fuzz-coverage
tools=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin
table=benches/results/fuzz-coverage.md
[[ -x $tools/llvm-cov ]] || rustup component add llvm-tools

# Each target, and the files that it is for.
library=crates/pzcomp-lib/src
format=$library/format
targets="bzip2_blocks crates/bzip2/src/decode $format/bzip2
deflate_encoder crates/deflate/src/encode
formats_parallel_vs_serial $format/blocks $format/lzop.rs $format/snappy.rs $format/lzf.rs $format/xz $format/lzip \
  $format/lzma.rs $format/lz4 $format/zlib.rs $format/zip.rs $format/lzw.rs $format/pack.rs $format/lzh.rs $format/qpress
gzip_parallel_vs_serial $format/gzip
index_files $library/seekable
inflate crates/deflate/src/inflate
lzma_encoder crates/lzma/src
lzo_blocks crates/lzo/src
mydumper $library/stream/mydumper.rs $library/stream/members.rs
quicklz_packets crates/quicklz/src
recovery_records crates/recovery/src $library/recovery
salvage $library/salvage
tar_members crates/tar/src
xbstream $library/stream/xbstream
zstd_frame crates/zstd/src
zstd_parallel_vs_serial $format/zstd"

binary=$(RUSTFLAGS=-Cinstrument-coverage LLVM_PROFILE_FILE=/dev/null cargo test --quiet --locked --no-run \
  --message-format json --target-dir "$folder" -p pzcomp-lib --features recovery,tar --test seeds |
  sed -n 's/.*"executable":"\([^"]*\/seeds-[^"]*\)".*/\1/p')
{
  echo "# Lines that the seeds of the fuzz targets reach"
  echo
  echo "\`make fuzz-coverage\` wrote this, from ${1-fuzz/seeds}."
  echo
  echo "| target | code | lines | reached |"
  echo "|---|---|---|---|"
} >"$folder/table"
while read -r target code; do
  export LLVM_PROFILE_FILE=$folder/$target.profraw
  "$binary" --quiet "targets::$target::" >"$folder/log" 2>&1 || { tail "$folder/log" >&2; exit 1; }
  "$tools/llvm-profdata" merge --sparse "$folder/$target.profraw" -o "$folder/$target.profdata"
  # shellcheck disable=SC2016,SC2086 # The code is a list of paths.
  "$tools/llvm-cov" export --summary-only --instr-profile "$folder/$target.profdata" "$binary" --sources $code |
    python3 -c 'import json, sys
lines = json.load(sys.stdin)["data"][0]["totals"]["lines"]
code = ", ".join(f"`{path}`" for path in sys.argv[2:])
print("| `%s` | %s | %d | %.0f %% |" % (sys.argv[1], code, lines["count"], lines["percent"]))
' "$target" $code >>"$folder/table"
done <<<"$targets"
cp "$folder/table" "$table"
cat "$table"
