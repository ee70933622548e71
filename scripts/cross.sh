#!/usr/bin/env bash
# Builds pzcomp for other systems than this one, with zig as the C compiler and the linker.
#
#   scripts/cross.sh [TARGET...]
#
# For each target, by its name in rustup: the lints of the command, the library, the C library and the Python package
# without a warning, and the command linked. The C library is linked too, where the system has shared libraries of Rust.
# Nothing is run. zig has what programs for macOS and FreeBSD are linked with, so no SDK is needed. The script prints one
# line for each target and exits 1 if one fails.
#
# It installs zig and cargo-zigbuild from PyPI in target/cross, and Rust's standard library for each target.
set -euo pipefail
cd "$(dirname "$0")/.."
(($#)) || set -- x86_64-unknown-linux-musl aarch64-unknown-linux-gnu aarch64-unknown-linux-musl aarch64-apple-darwin \
  x86_64-apple-darwin x86_64-unknown-freebsd
folder=${CARGO_TARGET_DIR:-target}/cross
export CARGO_TARGET_DIR=$folder
mkdir -p "$folder"
if [[ ! -x $folder/tools/bin/cargo-zigbuild ]]; then
  "${PYTHON:-python3}" -m venv "$folder/tools"
  "$folder/tools/bin/pip" install --quiet --disable-pip-version-check ziglang==0.17.1 cargo-zigbuild==0.24.1
fi
PATH=$(cd "$folder/tools/bin" && pwd):$PATH

status=0
# Runs a step for a target. Its output is shown if it fails.
step() {
  local log=$folder/$1.log
  shift
  "$@" >"$log" 2>&1 && return
  cat "$log" >&2
  return 1
}

for target in "$@"; do
  rustup --quiet target add "$target"
  linked=(-p pzcomp -p pzcomp-capi)
  # Programs of musl are static as a rule.
  [[ $target != *-musl ]] || linked=(-p pzcomp)
  if step "$target" cargo-zigbuild clippy --locked --target "$target" -p pzcomp -p pzcomp-lib -p pzcomp-capi \
    -p pzcomp-python -- -D warnings &&
    step "$target" cargo-zigbuild zigbuild --locked --target "$target" "${linked[@]}"; then
    echo "$target: lints, linked: ${linked[*]}" | sed 's/-p //g'
  else
    echo "$target: FAILED"
    status=1
  fi
done
exit $status
