# shellcheck shell=bash
# A MariaDB server in the temporary folder, for the recipes that need one. It listens on a socket there, which ~/.my.cnf
# names, and ends with the recipe. `checksum` prints the rows of the table shop.nodes as one number.
need mariadbd mariadb-install-db mariadb mariadb-admin

user=()
((EUID != 0)) || user=(--user=root)

# Starts a server with the data in a folder, and waits until it answers.
serve() {
  mariadbd --no-defaults "${user[@]}" --datadir="$work/$1" --socket="$work/sock" --pid-file="$work/pid" \
    --tmpdir="$work" --skip-networking --innodb-buffer-pool-size=128M --innodb-log-file-size=48M \
    --innodb-flush-log-at-trx-commit=0 >>mariadb.log 2>&1 &
  server=$!
  wait_for mariadb-admin ping
}
stop() { kill -KILL "$server" && wait "$server"; }

# Starts a server without tables, with the data in the folder data. Clients find it by the settings in HOME.
start_empty() {
  printf '[client]\nsocket=%s\nuser=root\n[mariadb-backup]\ndatadir=%s\n' "$work/sock" "$work/data" >"$HOME/.my.cnf"
  mariadb-install-db --no-defaults "${user[@]}" --datadir="$work/data" --auth-root-authentication-method=normal \
    --skip-test-db >mariadb.log 2>&1
  serve data
}

start_mariadb() {
  start_empty
  rows 100000 >rows.tsv
  mariadb --local-infile=1 -e "CREATE DATABASE shop; USE shop;
    CREATE TABLE nodes (id INT PRIMARY KEY, name TEXT, lat DOUBLE, lon DOUBLE, note TEXT);
    LOAD DATA LOCAL INFILE '$work/rows.tsv' INTO TABLE nodes"
  stored=$(checksum)
  [[ $stored != NULL ]]
}

checksum() { mariadb -N -e 'CHECKSUM TABLE shop.nodes EXTENDED' | cut -f 2; }

# Empties the server, so that a restored table cannot be the old table.
forget() { mariadb -e 'DROP DATABASE shop'; }
restored() { [[ $(checksum) == "$stored" ]]; }
