#!/usr/bin/env bash
# A release, up to what a person does.
#
#   scripts/release.sh --dry-run [STEP...]   rehearses it, and says what is left to do; all steps without an argument
#   scripts/release.sh FOLDER                writes the checksums and the manifests of the published files in FOLDER
#                                            into packaging/released/VERSION, to be committed
#
# The rehearsal publishes nothing, and writes only into dist/ and target/. Its steps are tree, test, dist, twice,
# crates, wheel and files. The output of a step is in target/release-logs/.
set -euo pipefail
cd "$(dirname "$0")/.."

field() {
  sed -n "s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml | head -n 1
}
version=$(field version) repository=$(field repository) maintainer=${DIST_MAINTAINER-$(field maintainer)}
missing=()

fail() {
  echo "release.sh: $*" >&2
  exit 1
}

# Everything is committed, and CHANGELOG.md is about this version. What only a person can decide is collected.
step_tree() {
  [[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed."
  grep -qF "## [$version]" CHANGELOG.md || fail "CHANGELOG.md has no section [$version]."
}

# What git does not have yet, and a release needs.
open_points() {
  grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
    missing+=("the date in CHANGELOG.md: ## [$version] - YEAR-MONTH-DAY, and what pages say of no release")
  [[ -n $repository ]] || missing+=("the field repository in Cargo.toml")
  [[ $maintainer != *localhost* ]] || missing+=("an address in the field maintainer in Cargo.toml")
  [[ -e SIGNERS ]] || missing+=("the file SIGNERS with the public keys (packaging/sign.sh)")
}

step_test() { make test; }
step_dist() { make dist; }
step_twice() { make dist-twice; }
step_crates() { cargo publish --workspace --locked --dry-run; }

step_wheel() {
  make python-release-wheel
  target/python/bin/python -m pip install --quiet twine
  target/python/bin/python -m twine check --strict target/wheels/*
}

# written FOLDER OUT: what the repository keeps of a release.
written() {
  local source=$1/pzcomp-$version.tar.gz template
  (cd "$1" && sha256sum --quiet --check SHA256SUMS)
  mkdir -p "$2"
  cp "$1/SHA256SUMS" "$2/"
  for template in packaging/manifests/*.in; do
    sed -e "s|@VERSION@|$version|g; s|@REPOSITORY@|${repository:-https://example.org/pzcomp}|g" \
      -e "s|@MAINTAINER@|$maintainer|g; s|@SHA256@|$(sha256sum <"$source" | cut -d ' ' -f 1)|g" \
      -e "s|@SHA512@|$(sha512sum <"$source" | cut -d ' ' -f 1)|g" "$template" >"$2/$(basename "$template" .in)"
  done
}

step_files() { written dist target/released; }

[[ $# -ge 1 ]] || fail "expected --dry-run, or the folder of the published files."
if [[ $1 != --dry-run ]]; then
  written "$1" "packaging/released/$version"
  echo "release.sh: packaging/released/$version has the checksums and the manifests; commit it."
  exit
fi
shift
steps=("$@")
((${#steps[@]})) || steps=(tree test dist twice crates wheel files)
mkdir -p target/release-logs
for step in "${steps[@]}"; do
  case $step in
  tree | test | dist | twice | crates | wheel | files) ;;
  *) fail "$step is not one of tree, test, dist, twice, crates, wheel and files." ;;
  esac
  log=target/release-logs/$step
  begin=$SECONDS
  # A shell of its own, because bash ignores failures inside of a function whose status is looked at.
  (set -e; "step_$step") >"$log" 2>&1 &
  wait $! || { tail -n 20 "$log" >&2; fail "$step has failed; $log has all of its output."; }
  echo "$step: passed in $((SECONDS - begin)) s"
done

open_points
((${#missing[@]} == 0)) || printf 'missing: %s\n' "${missing[@]}"
cat <<TODO

What a person does, in this order:
 1. git tag --sign v$version && git push origin v$version. The workflow release.yml tests, attests, and makes a draft.
 2. gh release download v$version --dir files, on another machine that has the commit; make dist there; and
    (cd files && sha256sum --check --ignore-missing ../dist/SHA256SUMS) compares the files of its architecture.
 3. packaging/sign.sh sign KEY files; gh release upload v$version files/SHA256SUMS.sig;
    gh release edit v$version --draft=false
 4. cargo publish --workspace --locked
 5. twine upload of wheels from a manylinux container: PyPI takes none that is built for one distribution.
 6. scripts/release.sh files, and a commit of packaging/released/$version. Its manifests go to their projects.
TODO
