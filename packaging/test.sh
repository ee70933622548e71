#!/usr/bin/env bash
# Tests the packages in dist/ as their users meet them. `make dist` makes them before.
#
#   packaging/test.sh [PART...]
#
# Parts: files (names, checksums, man pages), static (an empty root), image (skopeo), wheel (twine and pip), lintian, rpm,
# libraries (with a compiler), and a release of Debian such as bookworm or trixie (a root made by debootstrap, in which
# packages are installed, upgraded, removed and purged). Without parts: all, with both releases. It must run as root. Roots
# are made in target/dist/test, and the mirror is that of this machine's apt. With DIST_TARGET=…-musl the parts files and
# static test the binary with musl.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8 TZ=UTC

# As grep -q, but reads all of its input: the program that writes it must not fail.
has() {
  grep "$@" >/dev/null
}

say() {
  echo "${0##*/}: $*" >&2
}

fail() {
  say "$*"
  exit 1
}

# Only the scripts in the roots call it.
apt() {
  apt-get -qq --no-install-recommends "$@" >/root/apt.log 2>&1 || { cat /root/apt.log >&2; fail "apt-get $* has failed."; }
}

work=$PWD/target/dist/test
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
architecture=$(uname -m)
name=pzcomp-$version-$architecture-linux
[[ ${DIST_TARGET-} != *-musl ]] || name+=-musl
mkdir -p "$work"
((EUID == 0)) || fail "roots can be entered by root only; run it as root."
[[ -e dist/SHA256SUMS ]] || fail "there are no packages in dist/; run make dist first."

# shellcheck source=scripts/sources.sh
source scripts/sources.sh

# within ROOT COMMAND...: runs a command in a root that has its own processes.
within() {
  local root=$1
  shift
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

part_files() {
  local page folder=$work/archive
  (cd dist && sha256sum --quiet --check SHA256SUMS)
  rm -rf "$folder"
  mkdir -p "$folder"
  tar -xzf "dist/$name.tar.gz" -C "$folder"
  cmp "$folder/$name/pzcomp" "dist/$name-static"
  for page in "$folder/$name"/man/man1/*.1; do
    # A page that is a reference is found from the folder above.
    (cd "$folder/$name/man" && MANROFFSEQ='' man --warnings --encoding=UTF-8 --local-file "$page") \
      >"$work/page" 2>"$work/warnings"
    [[ ! -s $work/warnings ]] || fail "$page: $(cat "$work/warnings")"
    grep -q pzcomp "$work/page" || fail "$page does not name pzcomp."
  done
  # A page for each name.
  while read -r link; do
    [[ -e $folder/$name/man/man1/$link.1 ]] || fail "the archive has no page of $link."
  done < <("$folder/$name/pzcomp" --install-links "$folder/links" | sed -n 's,.*/\([^/]*\) -> .*,\1,p')
  jq --exit-status '.bomFormat == "CycloneDX" and (.components | length > 40)' "dist/$name.cdx.json" >/dev/null
  jq --exit-status '[.components[] | select(.name == "zstd-sys")] | length > 0' "dist/$name.cdx.json" >/dev/null
  [[ $name == *-musl ]] || grep -q 'GNU Lesser General Public License' dist/LICENCES.md
  tar -tzf "dist/pzcomp-$version.tar.gz" | has -x "pzcomp-$version/Cargo.lock"
  [[ $("$folder/$name/pzcomp" --version -v | sed -n 's/^commit: //p') =~ ^[0-9a-f]{40} ]] || fail "no commit is stated."
}

part_static() {
  local root=$work/empty format
  rm -rf "$root"
  mkdir -p "$root"
  install "dist/$name-static" "$root/pzcomp"
  chroot "$root" /pzcomp --version -v
  seq 300000 >"$work/plain"
  for format in zstd gzip lz4 xz bzip2 lzip; do
    chroot "$root" /pzcomp -F "$format" <"$work/plain" | chroot "$root" /pzcomp -d | cmp - "$work/plain"
  done
  cp "$work/plain" "$root/plain"
  chroot "$root" /pzcomp --as gzip -v plain
  chroot "$root" /pzcomp --as igzip -d --rm plain.gz
  cmp "$work/plain" "$root/plain"
  [[ $(find "$root" -mindepth 1 | sort | tr '\n' ' ') == "$root/plain $root/pzcomp " ]] || fail "there is more in $root."
}

part_image() {
  local archive=docker-archive:dist/$name-image.tar layer root=$work/image
  skopeo --insecure-policy inspect --config "$archive" >"$work/config.json"
  jq --exit-status '.os == "linux" and .config.Entrypoint == ["/usr/bin/pzcomp"]' "$work/config.json" >/dev/null
  skopeo inspect "$archive" | jq --exit-status '.Layers | length == 1' >/dev/null
  rm -rf "$work/oci" "$root"
  skopeo --insecure-policy copy --quiet "$archive" "oci:$work/oci:pzcomp"
  # The layer as an engine unpacks it: skopeo has compressed it for the other format.
  layer=$(skopeo inspect --raw "oci:$work/oci:pzcomp" | jq --raw-output '.layers[0].digest' | cut -d : -f 2)
  mkdir -p "$root"
  # An archive of CI may have lost the mode.
  install "dist/$name-static" "$work/pzcomp"
  "$work/pzcomp" --as igzip -dc <"$work/oci/blobs/sha256/$layer" | tar -x -C "$root"
  echo hello | chroot "$root" /usr/bin/pzcomp | chroot "$root" /usr/bin/zstd -dc | has -x hello
  chroot "$root" /usr/bin/unpigz --version | has pzcomp
}

part_wheel() {
  local wheels=(dist/*.whl)
  rm -rf "$work/venv"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check twine==7.0.0
  "$work/venv/bin/twine" check --strict "${wheels[@]}"
  [[ ${wheels[*]} == *-abi3-manylinux_*_"$architecture".whl ]] || fail "PyPI does not take the name ${wheels[*]}."
  "$work/venv/bin/pip" install --quiet --no-index "${wheels[@]}"
  "$work/venv/bin/python" -c 'import pzcomp; assert pzcomp.decompress(pzcomp.compress(b"wheel")) == b"wheel"'
}

part_lintian() {
  lintian --allow-root --fail-on error --tag-display-limit 0 dist/*.deb
}

# root SUITE: a fresh root of a release of Debian, in $work/SUITE. The first time it is made by debootstrap, whose mounts
# end with it.
root() {
  local suite=$1 uri
  uri=$(mirror)
  [[ -n $uri ]] || fail "no mirror is configured in /etc/apt."
  if [[ ! -e $work/$suite.tar ]]; then
    say "making a root of $suite"
    rm -rf "${work:?}/$suite"
    quietly unshare --mount debootstrap --variant=minbase "$suite" "$work/$suite" "$uri" || fail "debootstrap $suite has failed."
    echo "deb $uri $suite main" >"$work/$suite/etc/apt/sources.list"
    echo "deb-src $uri $suite main" >>"$work/$suite/etc/apt/sources.list"
    # How this machine reaches the mirror.
    apt-config dump Acquire | grep -v '""' >"$work/$suite/etc/apt/apt.conf.d/90machine" || true
    cp /etc/resolv.conf /etc/hosts "$work/$suite/etc/"
    within "$work/$suite" apt-get -qq update
    # What the scripts for the roots need, so that it is installed once only.
    quietly within "$work/$suite" apt-get -qq --no-install-recommends install man-db dpkg-dev plzip lzip xz-utils rpm ||
      fail "the tools for the tests cannot be installed in a root of $suite."
    tar -C "$work" -cf "$work/$suite.new" "$suite"
    mv "$work/$suite.new" "$work/$suite.tar"
  fi
  rm -rf "${work:?}/$suite"
  tar -C "$work" -xpf "$work/$suite.tar"
  declare -f has say fail apt >"$work/$suite/root/functions.sh"
}

part_rpm() {
  local package=dist/pzcomp-$version-1.$architecture.rpm
  rpm --checksig --nosignature "$package"
  rpm --query --package --info "$package" >/dev/null
  rpm --query --package --list "$package" | has -x /usr/bin/pzcomp
  if rpm --query --package --requires "$package" | grep '\.so'; then fail "$package needs a shared library."; fi
  root bookworm
  cp "$package" packaging/test-rpm.sh "$work/bookworm/root/"
  within "$work/bookworm" bash /root/test-rpm.sh "$(basename "$package")"
}

part_debian() {
  local suite=$1 old=$work/old
  root "$suite"
  cp dist/*.deb packaging/test-debian.sh "$work/$suite/root/"
  # Earlier versions, for upgrades.
  rm -rf "$old"
  mkdir -p "$old"
  for package in pzcomp pzcomp-replace-gzip; do
    dpkg-deb --raw-extract dist/"${package}_"*.deb "$old/$package"
    sed -i 's/^Version: .*/Version: 0.0.1-1/' "$old/$package/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$old/$package" "$work/$suite/root/old-$package.deb" >/dev/null
  done
  within "$work/$suite" bash /root/test-debian.sh "$version"
}

part_libraries() {
  root bookworm
  cp dist/libpzcomp*.deb packaging/test-libraries.sh "$work/bookworm/root/"
  within "$work/bookworm" bash /root/test-libraries.sh "$version"
}

parts=("$@")
((${#parts[@]})) || parts=(files static image wheel lintian rpm libraries bookworm trixie)
for part in "${parts[@]}"; do
  say "$part"
  case $part in
  files | static | image | wheel | lintian | rpm | libraries) "part_$part" ;;
  *) part_debian "$part" ;;
  esac
done
say "all is well"
