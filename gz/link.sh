#!/bin/sh
# Makes the shared library of the static one: link.sh libpzcomp_gz.a libpzcomp-gz.so.0
# Only the functions of zlib leave it, under the versions of zlib, and it brings zlib into the program. It stays in memory
# until the process ends, because its threads do.
set -eu
archive=$1 library=$2
here=$(dirname "$0")
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
CC=${CC:-cc}
$CC -O2 -fPIC -Wall -Wextra -Werror -c -o "$parts/printf.o" "$here/src/printf.c"
# The functions are in several objects of the archive.
wanted=$(nm --defined-only "$archive" 2>/dev/null | awk '$2 == "T" && $3 ~ /^gz/ { print "-u", $3 }')
# shellcheck disable=SC2086 # words of options
ld -r --strip-debug $wanted -o "$parts/all.o" "$parts/printf.o" "$archive"
objcopy --remove-section=.llvmbc --remove-section=.llvmcmd --wildcard --keep-global-symbol='gz*' \
	"$parts/all.o" "$parts/gz.o"
$CC -shared -o "$library" "$parts/gz.o" -Wl,-soname,libpzcomp-gz.so.0 -Wl,--version-script="$here/gz.map" \
	-Wl,--gc-sections -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,defs \
	-Wl,--no-as-needed -l:libz.so.1 -Wl,--as-needed -lgcc_s -lm -lpthread -ldl -lc
