#!/usr/bin/env bash
# mariadb-backup to a file and back. scripts/demo-mariadb.sh shows it over nc.
. "$(dirname "$0")/common.sh"
. "$here/mariadb.sh"
need mariadb-backup mbstream
start_mariadb

# recipe
pzcomp --exec --verify --recovery --drop-cache -o backup.zst -- mariadb-backup --backup --stream=xbstream
# end
stop >/dev/null 2>&1 || true
rm -r data
mkdir restored
# recipe
set -o pipefail
pzcomp -dc backup.zst | mbstream -x -C restored
mariadb-backup --prepare --target-dir=restored
# end
serve restored
restored
ok mariadb-backup "$(version mariadb-backup --version)"
