#!/usr/bin/env bash
# dpkg-deb compresses with libraries: names that fail in front of PATH change nothing. pzcomp reads the parts.
. "$(dirname "$0")/common.sh"
need dpkg-deb ar
mkdir -p rows/DEBIAN failing
printf 'Package: rows\nVersion: 1\nArchitecture: all\nMaintainer: NAME <NAME@example.org>\nDescription: rows\n' \
  >rows/DEBIAN/control
rows 50000 >rows/rows.tsv
chmod 755 rows rows/DEBIAN
for program in gzip pigz xz zstd; do
  printf '#!/bin/sh\nexit 1\n' >"failing/$program"
  chmod 755 "failing/$program"
done
PATH=$work/failing:$PATH dpkg-deb --root-owner-group -Zxz --build rows rows.deb

# recipe
set -o pipefail
ar p rows.deb data.tar.xz | pzcomp -d | tar -xOf - ./rows.tsv >rows.tsv
# end
cmp rows.tsv rows/rows.tsv
ok dpkg-deb "$(version dpkg-deb --version)"
