#!/usr/bin/env bash
# Builds everything that is published of a version, into dist/.
#
#   packaging/dist.sh
#
# The same commit gives the same bytes in every folder: packaging/twice.sh shows it. For that, paths of this machine are
# replaced in what the compilers write, all times are that of the commit, and all lists are sorted.
#
#   DIST_TARGET         the platform, as x86_64-unknown-linux-musl; the default is that of this machine
#   SOURCE_DATE_EPOCH   the time in all packages, in seconds since 1970; the default is the time of the commit
#   DIST_MAINTAINER     name and address of whoever publishes the packages, as NAME <NAME@HOST>
#   PZCOMP_COMMIT       the commit that `pzcomp --version -v` states; the default is asked of git
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C TZ=UTC
umask 022

fail() {
  echo "dist.sh: $*" >&2
  exit 1
}

# A text as a paragraph of a control file of Debian.
indented() {
  sed -e 's/[[:space:]]*$//' -e 's/^$/./' -e 's/^/ /'
}

say() {
  echo "dist.sh: $*" >&2
}

# copyright FILES: a file of Debian about licences. Those of what is linked into the files come from standard input.
copyright() {
  echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
  echo "Upstream-Name: pzcomp"
  echo
  echo "Files: *"
  echo "Copyright: 2026 the pzcomp authors"
  echo "License: Apache-2.0 or MIT"
  cat LICENSE LICENSE-APACHE | indented
  echo
  echo "Files: $1"
  echo "Copyright: the authors that the texts name"
  echo "License: of-what-is-linked-into-it"
  indented
}

# shellcheck source=packaging/libraries.sh
source packaging/libraries.sh

host=$(rustc -vV | sed -n 's/^host: //p')
platform=${DIST_TARGET-$host}
case $platform in
*-linux-gnu | *-linux-musl) ;;
*) fail "packages are made for Linux with glibc or musl, and not for $platform; set DIST_TARGET." ;;
esac
architecture=${platform%%-*}
maintainer=${DIST_MAINTAINER-$(sed -n 's/^maintainer = "\(.*\)"/\1/p' Cargo.toml)}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-$(git log -1 --pretty=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
# The binary with musl has a name of its own.
name=pzcomp-$version-$architecture-linux
[[ $platform == *-gnu ]] || name+=-musl
work=$PWD/target/dist
stage=$work/stage
tools=$work/tools/bin
packaging/tools.sh cargo-auditable cargo-cyclonedx cargo-deb cargo-generate-rpm
rm -rf dist "$stage"
mkdir -p dist "$work"

# --- the static binary ---

say "building $name"
cargo_home=${CARGO_HOME-$HOME/.cargo}
# The parts with the longest paths last: the compiler takes the last part that fits.
remapped=("$cargo_home=/cargo" "$PWD=/pzcomp" "$work/build=/build")
rust=()
c=()
for pair in "${remapped[@]}"; do
  rust+=("--remap-path-prefix=$pair")
  c+=("-ffile-prefix-map=$pair")
done
# The C compiler takes these flags beside those of .cargo/config.toml. Nothing that is compiled contains the time, so
# the compilers get a time that is the same for each commit: with another one they would build all libraries again.
# packaging/rustflags makes the program static. The program moves to another address at each start, which reads 3 KB of
# packed relocations, or 230 KB of others. The packed ones need glibc 2.36 or musl 1.2.4.
read -ra static <packaging/rustflags
# cargo-auditable adds the list of crates and versions to the binary, so that scanners find the advisories about them.
# cargo makes the path of this wrapper a part of each crate, so cargo gets its name only. Other folders would otherwise
# give other bytes.
# shellcheck disable=SC2016 # The arguments are those of the script that is written.
printf '#!/bin/sh\nRUSTC_WORKSPACE_WRAPPER=cargo-auditable exec cargo "$@"\n' >"$work/cargo"
chmod +x "$work/cargo"
CARGO=$work/cargo PATH=$tools:$PATH SOURCE_DATE_EPOCH=0 CFLAGS="${c[*]}" \
  CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${static[@]}" "${rust[@]}" | head -c -1) \
  CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$work/build \
  cargo-auditable auditable build --release --locked --target "$platform" --bin pzcomp
binary=$work/build/$platform/release/pzcomp
if readelf --dynamic --program-headers "$binary" | grep -E 'NEEDED|INTERP'; then
  fail "$binary needs a shared library or a dynamic linker."
fi
if ! readelf --sections --wide "$binary" | grep -qF .dep-v0; then
  fail "$binary lacks the list of its crates, which cargo-auditable adds."
fi
if grep -aqF "$PWD" "$binary"; then
  fail "$binary has the path of this folder in it, so other folders give other bytes."
fi

# --- the files, as packages install them ---

links=$stage/usr/lib/pzcomp
doc=$stage/usr/share/doc/pzcomp
install -D "$binary" "$stage/usr/bin/pzcomp"
# The same links and pages as `pzcomp --install-links /usr/lib/pzcomp/bin` makes.
"$stage/usr/bin/pzcomp" --install-links "$links/bin" >/dev/null
install -Dm644 man/pzcomp.1 "$stage/usr/share/man/man1/pzcomp.1"
install -Dm644 completions/pzcomp.bash "$stage/usr/share/bash-completion/completions/pzcomp"
install -Dm644 completions/pzcomp.zsh "$stage/usr/share/zsh/vendor-completions/_pzcomp"
install -Dm644 completions/pzcomp.fish "$stage/usr/share/fish/vendor_completions.d/pzcomp.fish"
mkdir -p "$doc"
packaging/licences.sh "$platform" >dist/LICENCES.md
# The .rpm has the same file.
copyright usr/bin/pzcomp <dist/LICENCES.md >"$work/copyright"
install -m644 "$work/copyright" "$doc/copyright"
install -m644 CHANGELOG.md "$doc/changelog"
install -m644 README.md docs/installing.md "$doc"

# The archive also has a page for each name, to be put anywhere.
archive=$work/archive/$name
rm -rf "$work/archive"
mkdir -p "$archive/man/man1" "$archive/docs"
install "$binary" "$archive/pzcomp"
cp "$links"/share/man/man1/*.1 man/pzcomp.1 "$archive/man/man1/"
cp -R completions "$archive/"
cp README.md CHANGELOG.md LICENSE LICENSE-APACHE dist/LICENCES.md "$archive/"
cp docs/*.md "$archive/docs/"
gzip() {
  "$stage/usr/bin/pzcomp" --as gzip -9n "$@"
}
gzip "$links"/share/man/man1/*.1 "$doc/README.md" "$doc/changelog" "$doc/installing.md"
# Debian wants a change log of its packages too. Its one entry points to that of pzcomp.
cat >"$work/changelog" <<CHANGES
pzcomp ($version-1) stable; urgency=medium

  * Release $version; see /usr/share/doc/pzcomp/changelog.gz.

 -- $maintainer  $(date --utc --date="@$SOURCE_DATE_EPOCH" --rfc-email)
CHANGES
# The .rpm has these files as they are. Its tool keeps older times than that of the commit, so they are copied too.
plain=$work/plain
rm -rf "$plain"
mkdir -p "$plain"
cp man/pzcomp.1 completions/pzcomp.* README.md CHANGELOG.md docs/installing.md "$plain/"
find "$stage" "$plain" "$work/archive" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

# --- the packages ---

say "packing"
# The folder in the archive has the name without -static, so both can be unpacked into one folder.
cp "$binary" "dist/$name-static"
tar --create --directory "$work/archive" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --format=ustar "$name" | gzip >"dist/$name.tar.gz"
# The sources, as the commit has them: everybody gets these bytes from the tag.
if [[ -e .git ]]; then
  git archive --prefix="pzcomp-$version/" HEAD | gzip >"dist/pzcomp-$version.tar.gz"
else
  say "the archive of the sources is left out: this folder is no clone."
fi
for variant in "" replace-gzip; do
  "$tools/cargo-deb" --quiet --no-build --no-strip --maintainer "$maintainer" --target "$platform" \
    ${variant:+--variant "$variant"} --output dist/ >/dev/null
done
"$tools/cargo-generate-rpm" --target "$platform" --auto-req no --payload-compress zstd --output dist/
packaging/image.py --root "$stage" --name "pzcomp:$version" --architecture "$architecture" \
  --time "$SOURCE_DATE_EPOCH" "dist/$name-image.tar"

# Shared libraries belong to a C library, so they are packages of Debian only. The wheel works with the glibc of this
# machine and newer ones: its name says with which, as PyPI demands.
if [[ $platform == "$host" && $platform == *-gnu ]] && command -v dpkg-shlibdeps >/dev/null; then
  say "building the libraries"
  libraries
  say "building the wheel"
  python=$work/tools/python
  if [[ ! -x $python/bin/maturin ]]; then
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check maturin==1.16.0
  fi
  CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${rust[@]}" | head -c -1) CFLAGS="${c[*]}" CARGO_PROFILE_RELEASE_STRIP=symbols \
    CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$work/build-libraries "$python/bin/maturin" build --quiet --release --locked \
    --compatibility pypi --target "$platform" --manifest-path python/Cargo.toml --out dist
  rm -rf "$work/wheel"
  python3 -m zipfile --extract dist/*.whl "$work/wheel"
  if grep -rqF "$PWD" "$work/wheel"; then
    fail "the wheel has the path of this folder in it, so other folders give other bytes."
  fi
else
  say "the libraries and the wheel are left out: they are made on Debian with dpkg-dev, for the platform of this machine."
fi

# --- what is in it ---

# cargo-cyclonedx writes beside each Cargo.toml, so it gets a copy. Paths of this machine are left out.
sources=$work/sbom
rm -rf "$sources"
mkdir -p "$sources"
tar --create --exclude=./target --exclude=./dist --exclude=./.git --exclude=./fuzz . | tar --extract --directory "$sources"
"$tools/cargo-cyclonedx" cyclonedx --quiet --format json --spec-version 1.5 --target "$platform" --no-build-deps \
  --manifest-path "$sources/Cargo.toml" --override-filename sbom
sed "s|path+file://$sources|path+file:///pzcomp|g; s|file://$sources|file:///pzcomp|g" "$sources/sbom.json" \
  >"dist/$name.cdx.json"
if grep -qF "$PWD" "dist/$name.cdx.json"; then
  fail "the SBOM has the path of this folder in it."
fi
(cd dist && sha256sum -- *) >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" dist/
find dist -type f -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
say "dist/ has:"
cat dist/SHA256SUMS
