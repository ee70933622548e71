#!/usr/bin/env bash
# Tests the library with the C libraries of the system, as distributions build it. A library that is missing or too old
# is replaced by the bundled one, and the script says so. At the end it shows what a test binary is linked to.
set -euo pipefail
cd "$(dirname "$0")/.."

features=()
config=()
tested=()

# Whether the system has this library in this version or a newer one.
has() {
  if pkg-config --atleast-version="$2" "$1"; then
    tested+=("$1 $(pkg-config --modversion "$1")")
  else
    echo "test-system.sh: the system has no $1 $2 or newer; the bundled one is tested" >&2
    return 1
  fi
}

has libzstd 1.5.4 && features+=(system-zstd)
has libdeflate 1.23 && features+=(system-libdeflate)
if has liblzma 5.8.0; then features+=(system-lzma); else features+=(bundled-lzma); fi
# lz4-sys has no feature for this. These lines replace its build script.
if has liblz4 1.9.4; then
  target=$(rustc -vV | sed -n 's/^host: //p')
  config=(--config "target.$target.lz4.rustc-link-lib=['lz4']"
    --config "target.$target.lz4.rustc-link-search=['$(pkg-config --variable=libdir liblz4)']")
fi
echo "test-system.sh: of the system: ${tested[*]-nothing}" >&2
build=(cargo test -p pzcomp-lib --locked --target-dir target/system "${config[@]}" --no-default-features
  --features "all-formats,$(IFS=, && echo "${features[*]}")" --lib --test library --test damage)
"${build[@]}" --quiet
"${build[@]}" --no-run 2>&1 | sed -n 's/.*(\(target.*library-.*\))$/\1/p' | xargs ldd
