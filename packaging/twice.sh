#!/usr/bin/env bash
# Builds dist/ again, from nothing and in a folder with a longer path, and compares all bytes.
#
#   packaging/twice.sh [FOLDER]
#
# The first build is the one in dist/, if it is of the commit that is checked out here; otherwise it is made. The second
# build is made from a clone in FOLDER, by default target/dist/twice. What differs is named, and the folder stays then.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1-target/dist/twice}

if [[ -n $(git status --porcelain --untracked-files=no) ]]; then
  echo "twice.sh: there are changes that are not committed, and a clone does not have them; commit them first." >&2
  exit 1
fi
commit=$(git rev-parse HEAD)
# The commit that the static binary in dist/ states.
built() {
  local binary
  for binary in dist/pzcomp-*-static; do
    [[ -x $binary ]] && "$binary" --version -v | sed -n 's/^commit: //p'
  done
}
[[ $(built) == "$commit" ]] || packaging/dist.sh >/dev/null

rm -rf "$root"
copy=$root/a/longer/way/to/two
mkdir -p "$root"
git clone --quiet --no-hardlinks . "$copy"
# The tools are not what is compared.
mkdir -p "$copy/target/dist"
if [[ -d target/dist/tools ]]; then cp -R target/dist/tools "$copy/target/dist/"; fi
echo "twice.sh: building in $copy" >&2
(cd "$copy" && env -u PZCOMP_COMMIT packaging/dist.sh >/dev/null)
if ! diff -r dist "$copy/dist"; then
  echo "twice.sh: the files above differ; they are in dist/ and in $copy/dist." >&2
  exit 1
fi
echo "twice.sh: all bytes are the same:"
cat dist/SHA256SUMS
rm -rf "$root"
