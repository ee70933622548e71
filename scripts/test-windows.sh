#!/usr/bin/env bash
# Builds pzcomp for Windows with Debian's MinGW, and runs its tests under Debian's wine.
#
#   scripts/test-windows.sh [STEP...]
#
# The steps are: link (the C library), command (scenes of files through the command and through the build for this
# machine, tests/machines/windows.py), exchange (the same bytes from both builds, tests/machines/exchange.py), crates
# (the tests of the crates and the unit tests of the engine) and library (its unit tests). Without an argument, all of
# them. Left out are the suites of the library, which start programs of Unix and read /proc, the test that starts gzip,
# and the models of loom, which changes stacks in a way that wine does not know. Each test binary is one process, because
# wine takes a second to start.
#
# It needs the packages gcc-mingw-w64-x86-64, wine and wine64, and installs what is missing; that needs root, or a sudo
# without password. wine has a folder of its own below target/, and changes nothing of the user.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra steps <<<"${*:-link command exchange crates library}"
target=x86_64-pc-windows-gnu
folder=$PWD/target/wine
built=${CARGO_TARGET_DIR:-target}
program=$(realpath -m "$built/$target/debug/pzcomp.exe")
export WINEPREFIX=$folder/prefix WINEDEBUG=-all CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine

fail() {
  echo "test-windows.sh: $*" >&2
  exit 1
}

if ! command -v wine >/dev/null || ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
  scripts/peers.sh install gcc-mingw-w64-x86-64 wine wine64
fi
rustup --quiet target add "$target" || fail "rustup could not install the target $target."
mkdir -p "$folder"
if [[ ! -d $WINEPREFIX ]]; then
  wineboot --init >/dev/null 2>&1
  # No other server starts before the one of wineboot has ended.
  wineserver -w
fi
# Without a server that stays, each process starts the services of Windows first, and has their messages on its stderr.
wineserver -p 2>/dev/null || true
trap 'wineserver -k || true' EXIT
# wine 8 lacks the library from which Rust takes random bytes.
library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
if [[ ! -e $library ]]; then
  x86_64-w64-mingw32-gcc -shared -x c - -o "$library" -ladvapi32 <<'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, length); }
END
fi

run() {
  echo "$*"
  cargo test --locked --quiet --target "$target" "$@"
}

for step in "${steps[@]}"; do
  case $step in
  link) cargo build --locked --target "$target" -p pzcomp-capi ;;
  command)
    cargo build --locked
    cargo build --locked --target "$target"
    python3 tests/machines/windows.py "$folder/scenes" "$built/debug/pzcomp" "$program"
    ;;
  exchange)
    # Its name says as which program it behaves.
    cat >"$folder/pzcomp" <<END
#!/bin/sh
name=\${0##*/}
[ "\$name" = pzcomp ] || set -- --as "\$name" "\$@"
exec wine '$program' "\$@"
END
    chmod +x "$folder/pzcomp"
    python3 tests/machines/exchange.py "$folder/exchange" windows "$built/debug/pzcomp" "$folder/pzcomp"
    ;;
  crates)
    packages=()
    for crate in bzip2 deflate lzma lzo quicklz records recovery system tar; do
      packages+=(-p "pzcomp-$crate")
    done
    run "${packages[@]}" --lib --tests -- --skip gzip_reads_it
    run -p pzcomp-engine -p pzcomp-zstd --lib
    run -p pzcomp-zstd --test damage --test generated --test libzstd --test repeated --test stages
    ;;
  library) run -p pzcomp-lib --features recovery,tar --lib ;;
  *) fail "$step is not one of link, command, exchange, crates and library" ;;
  esac
done
