#!/usr/bin/env bash
# Installs tools for packages from the registry of cargo, at fixed versions, into target/dist/tools.
#
#   packaging/tools.sh TOOL...
#
# A tool that is there in this version is not built again.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A versions=(
  [cargo-auditable]=0.7.7
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
  # Flags for the program that is packaged are not meant for the tools. The tools run for seconds, so they are compiled
  # with few optimisations, which takes a third of the time.
  env -u RUSTFLAGS -u CFLAGS CARGO_TARGET_DIR="$folder/build" CARGO_INCREMENTAL=0 \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install --quiet --locked --force --root "$folder" "$tool@$version"
done
# The tools have dependencies in common, so this is kept until the last one is built.
rm -rf "$folder/build"
