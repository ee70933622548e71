#!/usr/bin/env bash
# Tests of sign.sh: a signature is accepted, and a changed file, changed checksums and the key of a stranger are refused.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused() {
  if packaging/sign.sh verify "$folder/signers" "$folder/dist" >/dev/null 2>&1; then
    echo "test-sign.sh: $1 was accepted" >&2
    exit 1
  fi
}

mkdir "$folder/dist"
echo package >"$folder/dist/package"
(cd "$folder/dist" && sha256sum package >SHA256SUMS)
for owner in us stranger; do ssh-keygen -q -t ed25519 -N '' -f "$folder/$owner"; done
echo "us namespaces=\"pzcomp\" $(cat "$folder/us.pub")" >"$folder/signers"

packaging/sign.sh sign "$folder/us" "$folder/dist" 2>/dev/null
packaging/sign.sh verify "$folder/signers" "$folder/dist" >/dev/null
echo other >"$folder/dist/package"
refused "a changed file"
(cd "$folder/dist" && sha256sum package >SHA256SUMS)
refused "a changed list of checksums"
packaging/sign.sh sign "$folder/stranger" "$folder/dist" 2>/dev/null
refused "a signature of a stranger"
echo "test-sign.sh: one signature was accepted, three were refused"
