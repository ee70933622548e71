#!/usr/bin/env bash
# Runs in a fresh root of Debian, with the packages in /root: installs, upgrades, removes and purges them, and works under
# the diversion. packaging/test.sh makes the root and calls it.
set -euo pipefail
version=$1
cd /root
. ./functions.sh # has, say, fail and apt of test.sh

# expect WHAT EXPECTED FOUND
expect() {
  [[ $3 == "$2" ]] || fail "$1: expected $2 and found $3."
}

# All that could belong to the packages: names, targets of links, and sums of the files.
state() {
  {
    find /etc /usr /var/lib/dpkg/alternatives /var/lib/dpkg/diversions \
      \( -path /usr/share/man -o -path /usr/share/info/dir -o -path /etc/ld.so.cache \) -prune -o \
      \( -type f -exec sha256sum {} + \) -o \( -type l -printf '%p -> %l\n' \)
    find /usr/share/man
  } | sort
}

is_ours() {
  local name
  for name in gzip gunzip zcat; do
    "$name" --version | has pzcomp || fail "$name is not pzcomp."
    "$name".distrib --help >/dev/null || fail "$name.distrib does not run."
  done
  gzip.distrib --version | has 'Free Software Foundation' || fail "gzip.distrib is not GNU gzip."
}

is_gnu() {
  local name
  for name in gzip gunzip zcat; do
    if "$name" --version | has pzcomp; then fail "$name is still pzcomp."; fi
  done
  if find /bin/ /usr/ -name '*.distrib*' -o -name '*.pzcomp-replace-gzip' | grep .; then fail "the files above were left."; fi
  if dpkg-divert --list | grep pzcomp; then fail "the diversions above were left."; fi
  echo hello | gzip | gunzip | has -x hello
  dpkg --verify gzip
}

# verify PACKAGE...: the files of the packages are as they came.
verify() {
  dpkg --verify "$@"
  [[ -z $(dpkg --verify "$@") ]] || fail "dpkg --verify $*: $(dpkg --verify "$@")"
}

mandb --quiet
state >before

say "install"
dpkg --install "old-pzcomp.deb" >/dev/null
expect version 0.0.1-1 "$(dpkg-query -W -f '${Version}' pzcomp)"
dpkg --install pzcomp_*.deb >/dev/null
expect version "$version-1" "$(dpkg-query -W -f '${Version}' pzcomp)"
verify pzcomp
pzcomp --version -v
seq 200000 >plain
pzcomp <plain | pzcomp -d | cmp - plain
# A page for each name, found by way of PATH.
man -w pzcomp >/dev/null
for link in /usr/lib/pzcomp/bin/*; do
  name=$(basename "$link")
  page=$(PATH=/usr/lib/pzcomp/bin:$PATH man -w "$name")
  case $page in
  /usr/lib/pzcomp/*) ;;
  *) fail "man $name shows $page." ;;
  esac
  PATH=/usr/lib/pzcomp/bin:$PATH man "$name" | has pzcomp || fail "the page of $name does not name pzcomp."
done
is_gnu

say "the names of gzip"
apt install ./old-pzcomp-replace-gzip.deb
is_ours
apt install ./pzcomp-replace-gzip_*.deb
is_ours
verify pzcomp pzcomp-replace-gzip gzip
man gzip | has pzcomp || fail "man gzip is not that of pzcomp."
lzip --version | has pzcomp || fail "lzip is not pzcomp."
gzip -k plain
gzip.distrib -dc plain.gz | cmp - plain
zcat plain.gz | cmp - plain
zgrep -q 199999 plain.gz
tar -czf tree.tar.gz /usr/share/doc 2>/dev/null
tar -tzf tree.tar.gz >/dev/null
tar --lzip -cf tree.tar.lz /usr/share/doc 2>/dev/null
/usr/bin/lzip.plzip -t tree.tar.lz
# An upgrade of gzip goes to the diverted files, and one of pzcomp does not matter.
apt install --reinstall gzip
is_ours
dpkg --install old-pzcomp.deb >/dev/null 2>&1
is_ours
apt install ./pzcomp_*.deb
is_ours
verify pzcomp pzcomp-replace-gzip gzip

say "a package is built"
# Not every mirror has every source.
mkdir build official
cd build
for package in hello bc time sl hostname; do
  apt-get -qq source --download-only "$package" >/dev/null 2>&1 && break
  rm -rf ./*
done
[[ -n $(ls) ]] || fail "the mirror has no source of a small package."
say "$package"
(cd ../official && apt-get -qq download "$package" 2>/dev/null && dpkg-deb --extract ./*.deb tree)
apt build-dep "$package"
dpkg-source --extract ./*.dsc tree >/dev/null
(cd tree && dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary) >build.log 2>&1 ||
  { tail -n 30 build.log >&2; fail "$package was not built."; }
rm -f ./*-dbgsym_*
dpkg-deb --raw-extract "$package"_*.deb built
# The official package may have been built again for an architecture, with a change log of that.
files() {
  (cd "$1" && find usr | grep -v '/changelog\.Debian\.[a-z0-9]*\.gz$' | sort)
}
expect "the files of $package" "$(files ../official/tree)" "$(files built)"
# All that pzcomp has compressed is read by GNU gzip. Files that do not depend on the date and the tools of the build are
# as in the official package; change logs, for example, are cut off at an age.
same=0
while read -r page; do
  gzip.distrib -dc "built/$page" >plain
  if zcat "../official/tree/$page" | cmp --quiet - plain; then same=$((same + 1)); fi
done < <(cd built && find usr -name '*.gz' -type f)
((same)) || fail "no compressed file of $package is as in the official package."
dpkg-deb -Zgzip --build built again.deb >/dev/null
dpkg-deb --contents again.deb | has "/$package\$"
cd ..

say "remove"
apt remove pzcomp-replace-gzip
is_gnu
[[ $(readlink -f /usr/bin/lzip) == *plzip ]] || fail "lzip is $(readlink -f /usr/bin/lzip)."
apt install ./pzcomp-replace-gzip_*.deb
is_ours
# Without pzcomp there is no replacement, so both go.
apt remove pzcomp
is_gnu
apt install ./pzcomp_*.deb ./pzcomp-replace-gzip_*.deb
is_ours
apt purge pzcomp
is_gnu
rm -rf build official
state >after
comm -13 before after >new
comm -23 before after >gone
if grep -i pzcomp new; then fail "the files above were left."; fi
# The packages for the build stay, so what they brought and changed is no matter.
if grep -i -e gzip -e gunzip -e zcat -e lzip gone; then fail "the files above have changed."; fi
say "all is well"
