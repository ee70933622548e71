#!/usr/bin/env bash
# Tests pzcomp for other machines than this one, which is x86-64 with Debian.
#
#   scripts/test-machines.sh [MACHINE...]
#
# The machines are s390x (big-endian), aarch64 and i686 (32 bits); without an argument, all of them. For each machine
# the script builds the program and the tests. It compares the output of the program with that of a build for x86-64
# (tests/machines/exchange.py). Then it runs the tests of the crates, the unit tests, and the tests of the library, of
# formats and of damage. This takes hours on two cores. Programs that the tests call are those of x86-64.
#
# i686 runs natively, the others under qemu. The kernel must start their programs by qemu (binfmt_misc), because tests
# start pzcomp. The script needs root to install packages, or a sudo without password.
#
#   STEPS   what is done: build, exchange, crates and suites. Without it, all four.
#   RUN_TESTS   what runs the tests: `nextest run` or `test`, with options. The Makefile sets it.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra machines <<<"${*:-s390x aarch64 i686}"
read -ra run_tests <<<"${RUN_TESTS:-test --no-fail-fast}"
steps=" ${STEPS:-build exchange crates suites} "
folder=target/machines

# Tests that cannot run on a machine, and why. A test is skipped if its name contains the word.
skipped() {
  case $1 in
  s390x | aarch64) ;;
  esac
}

fail() {
  echo "test-machines.sh: $*" >&2
  exit 1
}

# The compiler and the libraries of C for a machine, and how its programs are started. Cargo and the crate cc read
# these variables. Debian's gcc-multilib excludes the compilers for other machines, so i686 has one of those.
prepare() {
  local machine=$1 compiler=$1-linux-gnu-gcc target=$1-unknown-linux-gnu packages
  case $machine in
  s390x) packages=(gcc-s390x-linux-gnu libc6-dev-s390x-cross) ;;
  aarch64) packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross) ;;
  i686) packages=(gcc-i686-linux-gnu libc6-dev-i386-cross libc6-i386 lib32gcc-s1) ;;
  *) fail "$machine is not one of s390x, aarch64 and i686" ;;
  esac
  [[ $machine == i686 ]] || packages+=(qemu-user-static binfmt-support)
  scripts/peers.sh install "${packages[@]}"
  rustup target add "$target" 2>/dev/null || fail "rustup could not install the target $target."
  local cargo=${target//-/_}
  export "CC_$cargo=$compiler" "CARGO_TARGET_${cargo^^}_LINKER=$compiler"
  if [[ $machine != i686 ]]; then
    export QEMU_LD_PREFIX=/usr/$machine-linux-gnu
    start_by_qemu "$machine"
  fi
}

# Has the kernel start programs of a machine by qemu.
start_by_qemu() {
  local list=/proc/sys/fs/binfmt_misc
  [[ -e $list/status ]] || mount -t binfmt_misc binfmt_misc "$list" 2>/dev/null ||
    fail "binfmt_misc cannot be mounted; the kernel needs it to start programs of $1, and mount needs root."
  [[ -e $list/qemu-$1 ]] || update-binfmts --enable "qemu-$1" ||
    fail "the kernel does not start programs of $1: update-binfmts --enable qemu-$1 failed."
}

# Runs cargo's tests for a machine.
tests() {
  local machine=$1 word skip=()
  shift
  for word in $(skipped "$machine"); do skip+=(--skip "$word"); done
  cargo "${run_tests[@]}" --locked --target-dir $folder --target "$machine-unknown-linux-gnu" "$@" -- "${skip[@]}"
}

does() { [[ $steps == *" $1 "* ]]; }

# Shows the step, and notes it if it fails. The next steps run all the same.
failed=()
step() {
  local title=$1
  shift
  echo "== $title" >&2
  "$@" || failed+=("$title")
}

crates=()
for crate in crates/*; do
  [[ $crate == */pzcomp-lib ]] || crates+=(-p "pzcomp-${crate#crates/}")
done
! does exchange || cargo build --quiet --locked
for machine in "${machines[@]}"; do
  prepare "$machine"
  program=$folder/$machine-unknown-linux-gnu/debug/pzcomp
  ! does build || step "$machine: the program" \
    cargo build --quiet --locked --target-dir $folder --target "$machine-unknown-linux-gnu"
  ! does exchange || step "$machine: exchange with x86-64" python3 tests/machines/exchange.py \
    $folder/exchange "$machine" "${CARGO_TARGET_DIR:-target}/debug/pzcomp" "$program"
  ! does crates || step "$machine: crates" tests "$machine" "${crates[@]}"
  ! does suites || step "$machine: unit tests, library, formats and damage" tests "$machine" -p pzcomp -p pzcomp-lib \
    --lib --bins --test library --test formats --test damage
done
((${#failed[@]} == 0)) || fail "these steps failed: $(printf '%s; ' "${failed[@]}")"
