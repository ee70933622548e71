#!/usr/bin/env bash
# Runs tests under ThreadSanitizer and AddressSanitizer, which stop a test at a data race or at a wrong access to
# memory.
#
#   scripts/test-sanitizers.sh [PART...]
#
# The parts are below, each with what it runs; without an argument, all of them. C libraries are built with the
# sanitizer too: the crate cc hands it on. The builds are in target/sanitizers, some GB for each sanitizer.
#
# The flags of the compiler are unstable, which RUSTC_BOOTSTRAP allows. ThreadSanitizer needs the standard library
# built with it, from the component rust-src. Models of loom are left out (`orderings`): they change stacks by
# themselves, which both sanitizers take for errors.
#
#   RUN_TESTS   what runs the tests: `nextest run` or `test`, with options. The Makefile sets it.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra parts <<<"${*:-thread address address-library python capi gz}"
read -ra run_tests <<<"${RUN_TESTS:-test --no-fail-fast}"
target=x86_64-unknown-linux-gnu
folder=target/sanitizers

# The part of the C compiler's flags that .cargo/config.toml sets, which the environment replaces.
flags=$(sed -n 's/^CFLAGS_x86_64_unknown_linux_gnu = "\(.*\)"$/\1/p' .cargo/config.toml)

# Runs cargo with a sanitizer. The first word of the rest is cargo's command.
with() {
  local sanitizer=$1 standard=() here=$flags
  shift
  [[ $sanitizer != thread ]] || standard=(-Zbuild-std)
  # GCC makes constants of local tables, as in zstd_opt.c, and marks them as out of scope all the same.
  [[ $sanitizer != address ]] || here+=" -fno-sanitize-address-use-after-scope"
  # libdeflate compiles one file several times, each with the same tables. They are private, and GCC announces them
  # all the same.
  ASAN_OPTIONS=detect_odr_violation=0 \
    RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$sanitizer" CFLAGS_x86_64_unknown_linux_gnu=$here \
      cargo "$@" --locked --target-dir "$folder/$sanitizer" --target $target "${standard[@]}"
}

tests() {
  local sanitizer=$1
  shift
  with "$sanitizer" "${run_tests[@]}" "$@"
}

# The engine, and the ring of the zstd decoder, whose memory is written while other threads read parts of it.
thread() {
  rustup component add rust-src 2>/dev/null
  tests thread -p pzcomp-engine -p pzcomp-zstd --lib --test damage --test generated --test libzstd --test repeated --test stages
}

# The crates that have unsafe code.
address() {
  tests address -p pzcomp-bzip2 -p pzcomp-deflate -p pzcomp-lzma -p pzcomp-zstd --lib --test blocks \
    --test encode --test inflate --test liblzma --test damage --test generated --test libzstd --test repeated --test stages
}

# The calls of C libraries, by the tests of the library, and the program, by the tests of formats.
address-library() {
  tests address -p pzcomp-lib --lib --test library --test damage --test formats
}

# Libraries of other languages. They are built together, so that the C libraries in them are compiled once.
libraries() {
  with address build --quiet -p pzcomp-python -p pzcomp-capi -p pzcomp-gz
}

# The extension module of Python, whose workers write to the memory of objects. Python is not built with the
# sanitizer, so the library of GCC is loaded before it, and every object gets memory of its own. What Python leaves
# behind at its end is no leak of ours.
python() {
  local place=$folder/python
  libraries
  [[ -d $place/venv ]] || "${PYTHON:-python3}" -m venv "$place/venv"
  "$place/venv/bin/python" -m pip install --quiet pytest
  rm -rf "$place/pzcomp"
  cp -r python/pzcomp "$place/pzcomp"
  cp "$folder/address/$target/debug/lib_pzcomp.so" "$place/pzcomp/_pzcomp.abi3.so"
  (
    place=$PWD/$place
    cd python/tests
    LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$place \
      "$place/venv/bin/python" -m pytest -q -p no:cacheprovider -c ../pyproject.toml \
      test_whole.py test_contexts.py test_file.py test_splits.py
  )
}

# Compiles a program of C with the sanitizer: program NAME SOURCE FLAGS...
program() {
  mkdir -p "$place/bin"
  gcc -std=c11 -fsanitize=address -g -O1 -o "$place/bin/$1" "${@:2}"
}

# Runs a program of C in a folder that is removed afterwards. The program brings the sanitizer's library with it.
in_folder() (
  cd "$(mktemp -d)"
  trap 'rm -rf "$PWD"' EXIT
  "$@"
)

# The C library, by its tests in C.
capi() {
  local place=$PWD/$folder/capi library=$PWD/$folder/address/$target/debug/libpzcomp_capi.so name
  libraries
  mkdir -p "$place"
  ln -sf "$library" "$place/libpzcomp.so.0"
  for name in calls fork; do
    program $name capi/tests/$name.c -Icapi/include "$place/libpzcomp.so.0" "-Wl,-rpath,$place"
  done
  in_folder "$place/bin/calls" .
  in_folder "$place/bin/fork" .
}

# The gz library: random sequences of calls beside zlib, coded inline, in parallel, and one after the other. Then the
# calls of a program that is linked with zlib.
gz() {
  local place=$PWD/$folder/gz inline
  scripts/peers.sh install gcc binutils zlib1g-dev
  libraries
  mkdir -p "$place"
  CC="gcc -fsanitize=address" gz/link.sh "$folder/address/$target/debug/libpzcomp_gz.a" "$place/libpzcomp-gz.so.0"
  program differ gz/tests/differ.c -ldl
  program calls gz/tests/calls.c -lz
  for inline in 1000000000 0 20000; do
    PZCOMP_GZ_INLINE=$inline in_folder "$place/bin/differ" "$place/libpzcomp-gz.so.0" . 1 500
  done
  for inline in 0 1000000; do
    in_folder env LD_PRELOAD="$(gcc -print-file-name=libasan.so) $place/libpzcomp-gz.so.0" PZCOMP_GZ_INLINE=$inline \
      "$place/bin/calls"
  done
}

for part in "${parts[@]}"; do
  case $part in
  thread | address | address-library | python | capi | gz) "$part" ;;
  *)
    echo "test-sanitizers.sh: $part is not one of thread, address, address-library, python, capi and gz" >&2
    exit 1
    ;;
  esac
done
