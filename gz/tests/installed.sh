#!/bin/sh
# The library as it is installed, linked in front of zlib: installed.sh PREFIX
# zlib's own programs example and minigzip run with it, and a program of ours finds the functions under their versions.
set -eu
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
examples=/usr/share/doc/zlib1g-dev/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LD_LIBRARY_PATH="$prefix/lib"

for program in example minigzip; do
	cc -w -O1 -o $program $examples/$program.c -L"$prefix/lib" -lpzcomp-gz -lz
	cc -w -O1 -o $program-zlib $examples/$program.c -lz
done
cc -O1 -o read "$here/read.c" -L"$prefix/lib" -lpzcomp-gz -lz
ldd ./read | grep -q "libpzcomp-gz.so.0 => $prefix/lib/libpzcomp-gz.so.0"
objdump -T read | grep -q 'ZLIB_1.2.0.2.*gzungetc\|ZLIB_1.2.2.3.*gzdirect'

export PZCOMP_GZ_INLINE
seq 400000 >plain
for PZCOMP_GZ_INLINE in 0 100000 1000000000; do
	./example-zlib foo.gz >zlib
	./example foo.gz >ours
	# Their last lines are those of inflate and deflate.
	cmp zlib ours
	for level in -1 -6 -9; do
		cp plain some
		./minigzip $level some
		./minigzip-zlib -d <some.gz | cmp - plain
		cp plain some
		./minigzip-zlib $level some
		./minigzip -d some.gz
		cmp some plain
		./minigzip $level <plain | ./minigzip -d | cmp - plain
	done
	./minigzip <plain >some.gz
	./read some.gz 2>words | cmp - plain
	grep -q 'direct 0' words
done
pages=$(MANROFFSEQ='' man --warnings --local-file "$prefix/share/man/man3/libpzcomp-gz.3" 2>&1 >/dev/null)
test -z "$pages" || { echo "$pages"; exit 1; }
echo "linked in front of zlib: example, minigzip and read"
