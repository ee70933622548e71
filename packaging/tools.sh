#!/usr/bin/env bash
# Installs tools for packages from the registry of cargo, at fixed versions, into target/dist/tools.
#
#   packaging/tools.sh TOOL...
#
# A tool that is there in this version is not built again.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A versions=(
  [cargo-cyclonedx]=0.5.9
  [cargo-deb]=3.8.0
  [cargo-deny]=0.20.2
  [cargo-generate-rpm]=0.21.1
)

folder=$PWD/target/dist/tools
for tool in "$@"; do
  version=${versions[$tool]-}
  if [[ -z $version ]]; then
    echo "tools.sh: $tool is not a tool of this script; expected one of ${!versions[*]}." >&2
    exit 1
  fi
  grep -qsF "\"$tool $version " "$folder/.crates.toml" && continue
  echo "tools.sh: building $tool $version" >&2
  # Flags for the program that is packaged are not meant for the tools.
  env -u RUSTFLAGS -u CFLAGS CARGO_TARGET_DIR="$folder/build" \
    cargo install --quiet --locked --force --root "$folder" "$tool@$version"
  rm -rf "$folder/build"
done
