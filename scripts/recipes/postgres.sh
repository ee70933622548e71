#!/usr/bin/env bash
# pg_dump, pg_basebackup, and an archive of the write-ahead log, with a cluster in the temporary folder. The server does
# not run as root, so root becomes the user postgres.
if ((EUID == 0)) && id postgres >/dev/null 2>&1; then exec runuser -u postgres -- bash "$0" "$@"; fi
. "$(dirname "$0")/common.sh"
for folder in /usr/lib/postgresql/*/bin; do PATH=$folder:$PATH; done
need initdb pg_ctl psql pg_dump pg_restore pg_basebackup
((EUID != 0)) || not_tried 'there is no user postgres, and the server does not run as root'
export PGHOST=$work PGDATABASE=shop PGUSER=postgres PGPORT=5432
archive=$work/archive
mkdir "$archive"

# start FOLDER: a server on these data.
start() { pg_ctl -D "$1" -w -l "$work/server.log" -o "-k $work -c listen_addresses=''" start >/dev/null; }
halt() { pg_ctl -D "$1" -w -m fast stop >/dev/null; }
stop() { for folder in data restored; do pg_ctl -D "$work/$folder" -m immediate stop; done; }
table() { psql -qAtc 'SELECT * FROM nodes ORDER BY id'; }

initdb -D data -U postgres -A trust --no-sync >initdb.log
cat >>data/postgresql.conf <<EOF
fsync = off
archive_mode = on
EOF
sed "s:/var/archive:$archive:" >>data/postgresql.conf <<'EOF'
# recipe
archive_command = 'pzcomp --synchronous -q -o /var/archive/%f.zst %p'
# end
EOF
start data
createdb shop
rows 100000 >rows.tsv
psql -qc 'CREATE TABLE nodes (id INT PRIMARY KEY, name TEXT, lat FLOAT8, lon FLOAT8, note TEXT)'
psql -qc "\\copy nodes FROM rows.tsv"
table >before

# recipe
pzcomp --exec --verify --recovery -o shop.sql.zst -- pg_dump shop
# end
# recipe
set -o pipefail
pg_dump -Fc -Z0 shop | pzcomp --verify -o shop.dump.zst
# end
psql -qc 'DROP TABLE nodes'
# recipe
set -o pipefail
pzcomp -dc shop.dump.zst | pg_restore -d shop
# end
table | cmp - before
psql -qc 'DROP TABLE nodes'
# recipe
set -o pipefail
pzcomp -dc shop.sql.zst | psql -q -v ON_ERROR_STOP=1 -d shop
# end
table | cmp - before

# recipe
set -o pipefail
pg_basebackup -D - -Ft -X fetch --checkpoint=fast | pzcomp --verify --recovery --drop-cache -o base.tar.zst
# end
# What comes after the backup is in the archive only.
psql -qc "INSERT INTO nodes SELECT id + 100000, name, lat, lon, note FROM nodes WHERE id <= 5000"
table >after
psql -qAtc 'SELECT pg_switch_wal()' >/dev/null
halt data
mkdir -m 700 restored
# recipe
set -o pipefail
pzcomp -dc base.tar.zst | tar -xf - -C restored
# end
sed "s:/var/archive:$archive:" >>restored/postgresql.conf <<'EOF'
# recipe
restore_command = 'pzcomp -d -q -o %p /var/archive/%f.zst'
# end
EOF
: >restored/recovery.signal
start restored
in_recovery() { [[ $(psql -qAtc 'SELECT pg_is_in_recovery()') == t ]]; }
wait_for eval '! in_recovery'
table | cmp - after
halt restored
ok PostgreSQL "$(version pg_dump --version)"
