#!/usr/bin/env bash
# Runs in a root of Debian, with the .rpm in /root: installs, verifies, upgrades and removes it. packaging/test.sh calls it.
set -euo pipefail
cd /root
. ./functions.sh # has of test.sh
package=$1

# Nothing of the system belongs to rpm here, so not even its shell is known to it.
install_rpm() {
  rpm --install --nodeps --nosignature "$@"
}
install_rpm "$package"
rpm --verify --nodeps pzcomp
echo hello | pzcomp | pzcomp -d | has -x hello
echo hello | /usr/lib/pzcomp/bin/gzip | /usr/lib/pzcomp/bin/zcat | has -x hello
[[ -e /usr/lib/pzcomp/share/man/man1/zstd.1 ]]
# An upgrade keeps the links.
rpm --upgrade --force --nodeps --nosignature "$package"
rpm --verify --nodeps pzcomp
echo hello | /usr/lib/pzcomp/bin/xz | pzcomp -d | has -x hello
rpm --erase pzcomp
[[ ! -e /usr/bin/pzcomp && ! -e /usr/lib/pzcomp ]]
