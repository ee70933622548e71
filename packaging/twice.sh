#!/usr/bin/env bash
# Builds dist/ in two folders with paths of different lengths, from nothing, and compares all bytes.
#
#   packaging/twice.sh [FOLDER]
#
# The folders are made in FOLDER, by default target/dist/twice, and hold the commit that is checked out here. What
# differs is named, and the folders stay then.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1-target/dist/twice}
rm -rf "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)
for copy in one a/longer/way/to/two; do
  mkdir -p "$root/$copy"
  git clone --quiet --no-hardlinks . "$root/$copy"
  # The tools are not what is compared.
  mkdir -p "$root/$copy/target/dist"
  if [[ -d target/dist/tools ]]; then cp -R target/dist/tools "$root/$copy/target/dist/"; fi
  echo "twice.sh: building in $root/$copy" >&2
  (cd "$root/$copy" && env -u PZCOMP_COMMIT packaging/dist.sh >/dev/null)
  rm -rf "$root/$copy/target"
done
if ! diff -r "$root/one/dist" "$root/a/longer/way/to/two/dist"; then
  echo "twice.sh: the files above differ; they are in $root." >&2
  exit 1
fi
echo "twice.sh: all bytes are the same:"
cat "$root/one/dist/SHA256SUMS"
rm -rf "$root"
