#!/usr/bin/env bash
# A real backup through pzcomp and back: demo-mariadb.sh [--compressed]. `make demo-mariadb` and `make demo-xbstream`
# call it. It starts a MariaDB server, fills it with nodes as in OpenStreetMap, and backs it up over loopback:
#
#   mariadb-backup --backup --stream=xbstream | pzcomp | nc HOST PORT
#   nc -l PORT | pzcomp -d | mbstream -x -C restored
#
# With --compressed, mariadb-backup compresses each file itself, as old backups are, with qpress:
#
#   mariadb-backup --backup --compress --parallel=3 --stream=xbstream | nc HOST PORT
#   nc -l PORT | pzcomp -d --xbstream | mbstream -x -C restored
#
# Then it restores the backup, starts a server on it, and compares CHECKSUM TABLE. Without --compressed the stream must
# come back byte for byte. It does the same with a backup that pzcomp runs itself and verifies (--exec --verify). Two
# more such backups are killed in the middle, one into a file and one into a pipe: no file may be left, and the reader
# of the pipe must fail. A stand-in for BACKUP SERVER (backup-server.py) makes four tar archives at once, and takes a
# table from them.
#
# It installs missing packages. All files are in one temporary folder. Environment:
#   PZCOMP, CORPUS   the binaries
#   PZCOMP_NODES     a file of nodes to load the first DEMO_MIB MiB of (default: generate them)
#   DEMO_MIB         how much text to load into the table (64)
compressed=${1:-}
[[ -z $compressed || "$*" == --compressed ]] || { echo "usage: demo-mariadb.sh [--compressed]" >&2 && exit 2; }
nodes=${PZCOMP_NODES:+$(realpath "$PZCOMP_NODES")}
. "$(dirname "$0")/recipes/common.sh"

step=starting
begin() {
  step=$1
  begun=$EPOCHREALTIME
  printf '  %-79s' "$step ..."
}
end() { printf '%7.1f s\n' "$(seconds_since "$begun")"; }

fail() {
  echo "$*" >>failure.log
  exit 1
}
not_tried() { fail "$*"; }

# A trap runs with the redirections of the interrupted command.
exec {messages}>&2
tell() {
  local status=$?
  ((status == 0)) || {
    printf '\n\ndemo-mariadb: failed while %s (status %s)\n' "$step" "$status"
    tail -n 25 ./*.log
  } >&"$messages"
  clean_up
}
trap tell EXIT

if ! type mariadbd mariadb-backup mbstream >/dev/null || ! find_netcat; then
  begin 'installing MariaDB and netcat'
  "$here/recipes/install.sh" mariadb-server mariadb-backup netcat-openbsd >install.log 2>&1
  hash -r
  find_netcat || fail 'there is no netcat of OpenBSD'
  end
fi
. "$here/recipes/mariadb.sh"
need mariadb-backup mbstream
# shellcheck disable=SC2046 # numbers
stop() { kill -KILL $(jobs -p) && wait; }

# Ends the server in an orderly way. Rows that are only in its redo log would be backed up as pages of zeros.
shut_down() { mariadb-admin shutdown && wait "$server"; }

load_table() {
  local size=$((${DEMO_MIB:-64} << 20))
  begin 'loading the table'
  start_empty
  # The last row is usually cut.
  if [[ -n $nodes ]]; then head -c "$size" "$nodes"; else "$CORPUS" nodes "$size" 1; fi | sed '$d' >nodes.tsv
  mariadb --local-infile=1 -e "CREATE DATABASE shop; USE shop;
    CREATE TABLE nodes (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, lat DECIMAL(10, 7) NOT NULL,
      lon DECIMAL(10, 7) NOT NULL, version INT UNSIGNED NOT NULL, timestamp DATETIME NOT NULL,
      changeset BIGINT UNSIGNED NOT NULL, uid INT UNSIGNED NOT NULL, user VARCHAR(255) NOT NULL) ENGINE=InnoDB;
    SET unique_checks = 0, foreign_key_checks = 0; -- one bulk insert, without undo log
    LOAD DATA LOCAL INFILE '$work/nodes.tsv' INTO TABLE nodes"
  rows=$(wc -l <nodes.tsv)
  [[ $(mariadb -N -e 'SELECT COUNT(*) FROM shop.nodes') == "$rows" ]] || fail "not all of $rows rows were loaded"
  rm nodes.tsv
  stored=$(checksum)
  shut_down
  serve data
  end
}

# Sends a backup over loopback. What passes is also in the files sent, coded and received.
back_up() {
  local port receiver began=$EPOCHREALTIME sender='mariadb-backup | pzcomp'
  [[ -z $compressed ]] || sender='mariadb-backup --compress'
  begin "backing up: $sender | nc | pzcomp -d ${compressed:+--xbstream}"
  port=$(free_port)
  mkdir restored
  "$netcat" -l 127.0.0.1 "$port" | pzcomp -d ${compressed:+--xbstream} 2>decoding.log | tee received |
    mbstream -x -C restored 2>mbstream.log &
  receiver=$!
  wait_for listening "$port"
  if [[ -n $compressed ]]; then
    "${backup[@]}" --compress --compress-threads=2 --parallel=3 2>backup.log | tee coded |
      "$netcat" -N 127.0.0.1 "$port"
  else
    "${backup[@]}" 2>backup.log | tee sent | pzcomp | tee coded | "$netcat" -N 127.0.0.1 "$port"
  fi
  wait "$receiver"
  backup_seconds=$(seconds_since "$began")
  grep -q 'completed OK!' backup.log
  end
  if [[ -n $compressed ]]; then
    [[ -z $(find restored -name '*.qp') ]] || fail 'a compressed file was restored'
  else
    cmp sent received
    rm sent
  fi
}

# pzcomp runs the backup, writes it into a file and verifies the file.
back_up_by_exec() {
  begin 'backing up: pzcomp --exec --verify -- mariadb-backup'
  mkdir files
  pzcomp --exec --verify -o files/backup.zst -- "${backup[@]}" 2>exec.log
  end
}

# kill_backup PID: kills the producer of this pzcomp when pzcomp has read something. It fails if the producer was
# faster.
kill_backup() {
  local producer read=0
  until ((read > 2 << 20)); do
    read=$(awk '$1 == "rchar:" { print $2 }' "/proc/$1/io" 2>/dev/null) || return 1
    sleep 0.01
  done
  # While pzcomp stands still, its producer waits.
  kill -STOP "$1" && producer=$(pgrep -P "$1") && kill -KILL "$producer" && kill -CONT "$1"
}

# ends_with_1 PID WHAT
ends_with_1() {
  local status=0
  wait "$1" || status=$?
  ((status == 1)) || fail "$2 ended with status $status after its producer was killed"
}

kill_backups() {
  local writer reader attempt
  begin 'killing a backup: no file is left, and a reader fails'
  for attempt in {1..5}; do
    rm -f files/killed.zst
    pzcomp --exec -o files/killed.zst -- "${backup[@]}" 2>killed.log &
    writer=$!
    ! kill_backup "$writer" || break
    kill -CONT "$writer" 2>/dev/null || true
    wait "$writer" || fail "pzcomp --exec failed in attempt $attempt"
  done
  ends_with_1 "$writer" 'pzcomp -o'
  grep -q 'signal 9' killed.log || fail 'pzcomp does not say that its producer was killed'
  [[ $(ls -A files) == backup.zst ]] || fail "the killed backup left a file: $(ls -A files)"

  # A reader that begins only when the producer was killed, so that the producer cannot end before.
  mkfifo slow
  { until [[ -e killed ]]; do sleep 0.02; done && exec pzcomp -d >part 2>reader.log; } <slow &
  reader=$!
  pzcomp --exec -- "${backup[@]}" >slow 2>killed.log &
  writer=$!
  kill_backup "$writer" || fail 'the backup that is to be killed ended too early'
  : >killed
  ends_with_1 "$writer" 'pzcomp into a pipe'
  ends_with_1 "$reader" 'the reader'
  end
}

# A stand-in for BACKUP SERVER: the server starts pzcomp for each of its threads.
back_up_by_server() {
  begin 'playing BACKUP SERVER: whole, killed, ended, on a full disk, and one table back'
  mkdir server
  "$here/backup-server.py" "$binary" "$work/data" "$work/server" >server.log 2>&1
  rm -r server
  end
}

# restore FOLDER: prepares the backup, starts a server on it and compares the table.
restore() {
  local began=$EPOCHREALTIME
  begin "restoring from $1, CHECKSUM TABLE"
  mariadb-backup --prepare --target-dir="$1" >prepare.log 2>&1
  grep -q 'completed OK!' prepare.log
  serve "$1"
  restore_seconds=$(seconds_since "$began")
  restored || fail "CHECKSUM TABLE differs: $stored before, $(checksum) restored"
  shut_down
  rm -r "$1"
  end
}

report() {
  awk -v rows="$rows" -v plain="$(wc -c <received)" -v coded="$(wc -c <coded)" -v checksum="$stored" \
    -v backup="$backup_seconds" -v restore="$restore_seconds" '
    function line(what, figure, note) { printf "  %-16s %14s   %s\n", what, figure, note }
    BEGIN {
      print ""
      line("table", rows " rows", "")
      line("backup stream", plain " B", sprintf("%.1f MiB", plain / 2 ^ 20))
      line("coded", coded " B", sprintf("%.1f MiB, %.1f %%", coded / 2 ^ 20, 100 * coded / plain))
      line("backup", backup " s", "coded, sent, decoded and unpacked")
      line("restore", restore " s", "prepared, server started")
      line("CHECKSUM TABLE", checksum, "equal")
    }'
}

printf 'A%s MariaDB backup through pzcomp over loopback, and back:\n\n' "${compressed:+ compressed}"
load_table
backup=(mariadb-backup --backup --stream=xbstream)
back_up
if [[ -z $compressed ]]; then
  back_up_by_exec
  kill_backups
fi
shut_down
[[ -n $compressed ]] || back_up_by_server
# The next servers have the backups only.
rm -r data
if [[ -z $compressed ]]; then
  mkdir from-file
  pzcomp -dc files/backup.zst | mbstream -x -C from-file
  restore from-file
fi
restore restored
report
