#!/usr/bin/env bash
# mariadb-dump, which is also called mysqldump, to a file and over nc.
. "$(dirname "$0")/common.sh"
. "$here/mariadb.sh"
need mariadb-dump nc
start_mariadb
host=127.0.0.1
port=$(free_port)

# recipe
pzcomp --exec --verify --recovery --expect-end=mysqldump -o dump.sql.zst -- \
  mariadb-dump --single-transaction --routines --events --databases shop
# end
forget
# recipe
set -o pipefail
pzcomp -dc dump.sql.zst | mariadb
# end
restored

receive() {
  # recipe
  nc -l "$host" "$port" >received.sql.zst && pzcomp -t --expect-end received.sql.zst
  # end
}
receive &
receiver=$!
wait_for listening "$port"
# recipe
set -o pipefail
mariadb-dump --single-transaction --databases shop | pzcomp --expect-end=mysqldump | nc -N "$host" "$port"
# end
wait "$receiver"
forget
pzcomp -dc received.sql.zst | mariadb
restored

# A dump that fails leaves no file.
! pzcomp --exec -o bad.sql.zst -- mariadb-dump --databases no_such_database 2>failed.log
[[ ! -e bad.sql.zst ]]
ok mariadb-dump "$(version mariadb-dump --version | sed 's/-for.*//')"
