#!/usr/bin/env bash
# A part of a backup of WAL-G: a tar archive in one zstd frame without a length.
. "$(dirname "$0")/common.sh"
need zstd tar
make_files files
tar -cf - files | zstd -q >part_001.tar.zst
mkdir restored
# recipe
set -o pipefail
pzcomp -dc part_001.tar.zst | tar -xf - -C restored
# end
same_files files restored/files
ok zstd "$(version zstd --version)"
