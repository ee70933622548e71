#!/bin/bash -eu
# Builds the fuzz targets in the image of OSS-Fuzz, and puts them into $OUT with their seeds and dictionaries. OSS-Fuzz
# sets CFLAGS and RUSTFLAGS for its sanitizer, so the flags of the Makefile are added to these. Debug assertions are on:
# they check the promises of the fast loops.
export CFLAGS="$CFLAGS -fno-sanitize-address-use-after-scope"
cargo fuzz build -O --debug-assertions
for seeds in fuzz/seeds/*.tar; do
  target=$(basename "$seeds" .tar) folder=$(mktemp -d)
  tar -xf "$seeds" -C "$folder"
  cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  zip --quiet --junk-paths "$OUT/${target}_seed_corpus.zip" "$folder"/*
  dictionary=fuzz/dict/${target%%_*}.dict
  if [ -e "$dictionary" ]; then cp "$dictionary" "$OUT/$target.dict"; fi
done
# As in benches/repository.mk: threads of a pool end behind the stream, and what belongs to them counts as leaked.
for target in xbstream mydumper formats_parallel_vs_serial; do
  printf '[asan]\ndetect_leaks=0\n' >"$OUT/$target.options"
done
