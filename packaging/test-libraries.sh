#!/usr/bin/env bash
# Runs in a fresh root of Debian, with the packages of the libraries in /root: compiles the program of the man page, preloads
# the gz library, and removes all. packaging/test.sh makes the root and calls it.
set -euo pipefail
version=$1
cd /root
. ./functions.sh # say, fail and apt of test.sh

seq 1000000 >plain

say "a program of the man page"
apt install gcc libc6-dev pkg-config binutils zlib1g-dev
apt install ./libpzcomp0_*.deb ./libpzcomp-gz0_*.deb ./libpzcomp-dev_*.deb
for package in libpzcomp0 libpzcomp-gz0 libpzcomp-dev; do
  [[ $(dpkg-query -W -f '${Version}' $package) == "$version-1" ]] || fail "$package is not version $version-1."
  [[ -z $(dpkg --verify $package) ]] || fail "dpkg --verify $package: $(dpkg --verify $package)"
done
[[ $(pkg-config --modversion pzcomp) == "$version" ]] || fail "pzcomp.pc is of version $(pkg-config --modversion pzcomp)."
# The page is what a programmer has. Its words for a backslash are those of roff.
zcat /usr/share/man/man3/libpzcomp.3.gz | sed -n '/^\.Bd -literal$/,/^\.Ed$/p' | sed '1d;$d;s/\\e/\\/g' >copy.c
# shellcheck disable=SC2046 # words of options
cc -Wall -Werror -o copy copy.c $(pkg-config --cflags --libs pzcomp)
./copy <plain >coded
./copy -d <coded | cmp - plain
objdump -p copy | grep -q 'NEEDED.*libpzcomp.so.0' || fail "the program does not need libpzcomp.so.0."
library=$(pkg-config --variable=libdir pzcomp)/libpzcomp.a
cc -o static copy.c "$library" -lpthread -lm -ldl
./static <plain | ./copy -d | cmp - plain
man -w libpzcomp >/dev/null
man -w libpzcomp-gz >/dev/null

say "the gz library, preloaded and linked"
cat >cat.c <<'SOURCE'
#include <stdio.h>
#include <zlib.h>
int main(int count, char **words) {
    static char bytes[100000];
    gzFile file = gzopen(words[count - 1], "rb");
    int length;
    while ((length = gzread(file, bytes, sizeof bytes)) > 0) fwrite(bytes, 1, (size_t)length, stdout);
    return gzclose(file);
}
SOURCE
cc -o cat cat.c -lz
cc -o linked cat.c -lpzcomp-gz -lz
gzip -k plain
LD_PRELOAD=libpzcomp-gz.so.0 ./cat plain.gz | cmp - plain
./linked plain.gz | cmp - plain
# Only the library reads other formats, so it was there.
LD_PRELOAD=libpzcomp-gz.so.0 PZCOMP_GZ_FORMATS=all ./cat coded | cmp - plain
PZCOMP_GZ_FORMATS=all ./linked coded | cmp - plain

say "remove"
apt purge libpzcomp-dev libpzcomp-gz0 libpzcomp0
./cat plain.gz | cmp - plain
if ./copy <plain >/dev/null 2>&1; then fail "a library was left."; fi
if find /etc /usr /var/lib/dpkg/info -name '*pzcomp*' | grep .; then fail "the files above were left."; fi
say "all is well"
