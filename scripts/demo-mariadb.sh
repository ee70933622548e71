#!/usr/bin/env bash
#
# A real backup through pzcomp and back. The script starts a MariaDB server, fills it with
# nodes as in OpenStreetMap, and backs it up over loopback:
#
#   mariadb-backup --backup --stream=xbstream | pzcomp | nc HOST PORT
#   nc -l PORT | pzcomp -d | mbstream -x -C restored
#
# With --compressed, mariadb-backup compresses each file itself, as old backups are, with qpress:
#
#   mariadb-backup --backup --compress --parallel=3 --stream=xbstream | nc HOST PORT
#   nc -l PORT | pzcomp -d --xbstream | mbstream -x -C restored
#
# Then it restores the backup, starts a server on it, and compares CHECKSUM TABLE. It ends with
# status 0 only if every program of both pipelines ended with 0, the stream came back byte for
# byte (without --compressed), no compressed file is left, and the restored table is equal to the
# original table.
#
# It does the same with a backup that pzcomp runs itself and verifies:
#
#   pzcomp --exec --verify -o backup.zst -- mariadb-backup --backup --stream=xbstream
#
# Two more such backups are killed in the middle, one into a file and one into a pipe. No file may
# be left, and the reader of the pipe must fail. A stand-in for BACKUP SERVER (backup-server.py) makes
# four tar archives at once, and takes a table from them.
#
# All files are in one temporary folder. The script removes the folder and ends every process
# that it started, also after a failure or ctrl-C. It touches no other server of the machine.

set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C # the reports that are read below, and decimal points in our own

usage() {
  cat <<'EOF'
Usage: scripts/demo-mariadb.sh [--compressed] [SIZE]

--compressed lets mariadb-backup compress, and pzcomp -d --xbstream decompress. SIZE is how much text to
load into the table: bytes, or 64K, 64M, 1G (default 64M).

Environment:
  PZCOMP_DEMO_SIZE   the same as SIZE
  PZCOMP_BIN         the pzcomp to use (default: build the release binary)
  PZCOMP_NODES       a file of nodes to load the first SIZE of (default: generate them)
  TMPDIR             where the temporary folder is made (default: /tmp)
EOF
}

# ------------------------------------------------------------------ messages and clean-up

step='starting'   # what is being done, for the message when it fails
explained=        # set once a failure has been told, so that it is told once
compressed=       # set if mariadb-backup compresses
work=             # the temporary folder
policy=           # the policy-rc.d that we made, while it exists
server_is_new=    # set while mariadb-server is being installed for the first time
as_root=()        # what to put before a command that needs root
declare -A groups # process groups started here that may still run; the key is the leader

# The destination of messages. A trap runs with the redirections of the interrupted command.
exec {messages}>&2

say() { printf '%s\n' "$*"; }

begin() {
  step=$1
  printf '  %-58s' "$step ..."
  step_began=$(now)
}

end() { printf '%6.1f s\n' "$(seconds "$step_began" "$(now)")"; }

# die SENTENCE [LOG...]: prints the reason and the ends of these logs, and ends the script.
die() {
  explained=yes
  printf '\n\ndemo-mariadb: %s\n' "$1" >&"$messages"
  shift
  tails "$@"
  exit 1
}

tails() {
  local log
  for log in "$@"; do
    [[ -s $log ]] || continue
    printf -- '--- %s\n' "${log##*/}" >&"$messages"
    tail -n 25 -- "$log" >&"$messages"
  done
}

now() { printf '%s' "${EPOCHREALTIME/./}"; } # microseconds

seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.3f", (to - from) / 1e6 }'; }

# Starts a command in the background, in a process group of its own. So a pipeline can be ended
# as a whole, and ctrl-C reaches this script only, which ends the rest in order. $spawned is the
# process.
spawn() {
  set -m
  "$@" </dev/null &
  set +m
  spawned=$!
  groups[$spawned]=1
}

# spawn_into FIFO COMMAND...: the same, with the output in a pipe.
spawn_into() {
  local fifo=$1
  shift
  set -m
  "$@" </dev/null >"$fifo" &
  set +m
  spawned=$!
  groups[$spawned]=1
}

# finish PID SECONDS: waits for a spawned command, and returns its status, or 124 if it takes
# too long. It polls, because `wait` has no time limit.
finish() {
  local deadline=$((SECONDS + $2)) status=0
  while kill -0 "$1" 2>/dev/null; do
    if ((SECONDS > deadline)); then return 124; fi
    sleep 0.05
  done
  wait "$1" || status=$?
  unset "groups[$1]"
  return "$status"
}

# Runs a long command in such a way that a signal does not have to wait for its end.
run() {
  spawn "$@"
  finish "$spawned" 900
}

clean_up() {
  local status=$? leader
  trap - EXIT
  trap '' INT TERM HUP # a second ctrl-C must not leave half of it standing
  set +e
  # The data is removed, so no server needs an orderly shutdown.
  for leader in "${!groups[@]}"; do
    kill -KILL -- "-$leader" 2>/dev/null
  done
  wait 2>/dev/null
  settle_services
  if ((status != 0)) && [[ -z $explained && -n $work ]]; then
    printf '\n\ndemo-mariadb: failed while %s (status %s)\n' "$step" "$status" >&"$messages"
    tails "$work"/*.log
  fi
  # Grandchildren were killed too, but this shell cannot wait for them. One may still be writing.
  remove_work 2>/dev/null || { sleep 1 && remove_work; }
  exit "$status"
}

# Removes the temporary folder, and only a folder with a name that mktemp made here.
remove_work() {
  [[ $work == /*/pzcomp-demo.?????? ]] || return 0
  rm -rf --one-file-system -- "$work"
}

interrupted() {
  explained=yes
  printf '\n\ndemo-mariadb: interrupted while %s\n' "$step" >&"$messages"
  exit "$1"
}

# ------------------------------------------------------------------------------ packages

# Prints the Debian packages whose programs are missing, one on each line.
missing_packages() {
  local name
  for name in mariadbd mariadb-install-db mariadb mariadb-admin; do
    command -v "$name" >/dev/null || { say mariadb-server && break; }
  done
  for name in mariadb-backup mbstream; do
    command -v "$name" >/dev/null || { say mariadb-backup && break; }
  done
  find_nc >/dev/null || say netcat-openbsd
}

# The demo needs OpenBSD's netcat, because others have different options to end a connection.
find_nc() {
  local name
  for name in nc.openbsd nc; do
    command -v "$name" >/dev/null || continue
    # Without a pipe, because grep -q may end before nc has printed all of its help.
    [[ $("$name" -h 2>&1 || true) != *OpenBSD* ]] || { say "$name" && return 0; }
  done
  return 1
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

install_packages() {
  local packages
  mapfile -t packages < <(missing_packages)
  ((${#packages[@]})) || return 0

  local advice="needs ${packages[*]}; install with: apt-get install ${packages[*]}"
  command -v apt-get >/dev/null || die "needs the programs of Debian's ${packages[*]}."
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || die "$advice (neither root nor sudo without a password here)"
    as_root=(sudo -n)
  fi

  begin "installing ${packages[*]}"
  if [[ " ${packages[*]} " == *' mariadb-server '* ]] && ! is_installed mariadb-server; then
    server_is_new=yes
    forbid_services
  fi
  # A fresh machine has no lists of packages yet, and an old machine has outdated lists.
  apt_install "${packages[@]}" || {
    apt_get update && apt_install "${packages[@]}"
  } || die "could not install ${packages[*]}." "$work/apt.log"
  settle_services
  hash -r
  mapfile -t packages < <(missing_packages)
  ((${#packages[@]} == 0)) || die "installed, and still not found: ${packages[*]}." "$work/apt.log"
  end
}

apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
    apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" </dev/null >>"$work/apt.log" 2>&1
}

# A demo must remove no package: if another SQL server is installed, apt must refuse.
apt_install() { apt_get install --no-install-recommends --no-remove "$@"; }

# Debian starts a server as soon as it is installed, unless policy-rc.d forbids that. If the
# machine already has such a policy, it stays, and settle_services does the rest.
forbid_services() {
  local path=/usr/sbin/policy-rc.d
  [[ ! -e $path && ! -L $path ]] || return 0
  policy=$path
  # If this script is killed before it removes the policy, the policy has no effect any more.
  "${as_root[@]}" tee "$path" >/dev/null <<EOF
#!/bin/sh
# pzcomp's demo-mariadb.sh makes this file while it installs MariaDB, and removes it right after.
[ -d /proc/$$ ] || exit 0
for word; do case \$word in mariadb* | mysql*) exit 101 ;; esac; done
exit 0
EOF
  "${as_root[@]}" chmod 755 "$path"
}

# The demo needs the programs, but not the package's own server, neither now nor at the next boot.
# Afterwards the machine has its old policy. A server that was there before is untouched.
settle_services() {
  if [[ -n $policy ]]; then
    "${as_root[@]}" rm -f -- "$policy"
    policy=
  fi
  [[ -n $server_is_new ]] || return 0
  server_is_new=
  {
    if [[ -d /run/systemd/system ]]; then
      "${as_root[@]}" systemctl disable --now mariadb.service
    else
      "${as_root[@]}" service mariadb stop
      "${as_root[@]}" update-rc.d mariadb disable
    fi
  } >>"$work/apt.log" 2>&1 || true # it may never have been started or enabled
}

# --------------------------------------------------------------------------- the programs

find_pzcomp() {
  if [[ -n ${PZCOMP_BIN:-} ]]; then
    pzcomp=$PZCOMP_BIN
    return
  fi
  begin 'building the release binary'
  # Cargo says where the binary is, because CARGO_TARGET_DIR and its configuration can move it.
  run cargo build --release --quiet --bin pzcomp --message-format=json-render-diagnostics \
    >"$work/build.json" 2>"$work/build.log" || die 'the build failed.' "$work/build.log"
  pzcomp=$(sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' "$work/build.json" | tail -n 1)
  end
  [[ -x $pzcomp ]] || die 'the build left no binary.' "$work/build.log"
}

# Prints exactly $size bytes of rows. The last row is usually cut.
nodes() {
  if [[ -n ${PZCOMP_NODES:-} ]]; then
    head -c "$size" -- "$PZCOMP_NODES"
  else
    cargo run --release --quiet -p corpus -- nodes "$size" 1
  fi
}

whole_nodes() { nodes | sed '$d'; }

make_nodes() {
  if [[ -n ${PZCOMP_NODES:-} ]]; then begin 'taking nodes from a file'; else begin 'building the generator, generating nodes'; fi
  run whole_nodes >"$work/nodes.tsv" 2>"$work/nodes.log" || die 'could not get the nodes.' "$work/nodes.log"
  rows=$(wc -l <"$work/nodes.tsv")
  text_bytes=$(wc -c <"$work/nodes.tsv")
  end
  ((rows > 0)) || die "no rows in $text_bytes bytes of nodes."
}

# ------------------------------------------------------------------------------- servers

# MariaDB runs as root only if an option says so.
server_user=()
((EUID != 0)) || server_user=(--user=root)

# Options of both servers. They save memory, and do not protect against power failures.
server_options=(
  --skip-networking --skip-log-bin --skip-slave-start
  --innodb-buffer-pool-size=128M --innodb-log-file-size=48M
  --innodb-flush-log-at-trx-commit=0
)

# make_server NAME: makes an empty data folder, whose root may connect without a password. Only
# users who can enter the temporary folder reach its socket.
make_server() {
  run mariadb-install-db --no-defaults "${server_user[@]}" --datadir="$work/$1" \
    --auth-root-authentication-method=normal --skip-test-db \
    >"$work/$1-install.log" 2>&1 || die 'mariadb-install-db failed.' "$work/$1-install.log"
}

# start_server NAME: serves the data folder $work/NAME and waits until it answers.
start_server() {
  local log=$work/$1.log deadline=$((SECONDS + 60))
  spawn mariadbd --no-defaults "${server_user[@]}" "${server_options[@]}" \
    --datadir="$work/$1" --socket="$work/$1.sock" --pid-file="$work/$1.pid" \
    --tmpdir="$work" >"$log" 2>&1
  server=$spawned
  until mariadb-admin --no-defaults --user=root --socket="$work/$1.sock" --silent ping \
    >/dev/null 2>&1; do
    kill -0 "$server" 2>/dev/null || die "the server '$1' ended while starting." "$log"
    ((SECONDS < deadline)) || die "the server '$1' does not answer after 60 s." "$log"
    sleep 0.1
  done
}

stop_server() {
  kill -TERM "$server"
  finish "$server" 60 || die "the server '$1' did not shut down well." "$work/$1.log"
}

# sql NAME STATEMENTS [FILE]: writes the answer, without column names, to FILE, or drops it.
sql() {
  run mariadb --no-defaults --user=root --socket="$work/$1.sock" \
    --batch --skip-column-names --execute="$2" >"${3:-/dev/null}" 2>"$work/sql.log" ||
    die "the server '$1' refused: ${2%%$'\n'*}" "$work/sql.log" "$work/$1.log"
}

load_table() {
  begin 'loading the table'
  # The server's working folder is its data folder, so no path has to be quoted.
  sql source "CREATE DATABASE demo;
    CREATE TABLE demo.nodes (
      id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
      lat DECIMAL(10, 7) NOT NULL,
      lon DECIMAL(10, 7) NOT NULL,
      version INT UNSIGNED NOT NULL,
      timestamp DATETIME NOT NULL,
      changeset BIGINT UNSIGNED NOT NULL,
      uid INT UNSIGNED NOT NULL,
      user VARCHAR(255) NOT NULL
    ) ENGINE=InnoDB;
    SET unique_checks = 0, foreign_key_checks = 0; -- one bulk insert, without undo log
    LOAD DATA INFILE '../nodes.tsv' INTO TABLE demo.nodes;"
  rm -- "$work/nodes.tsv"
  sql source 'SELECT COUNT(*) FROM demo.nodes' "$work/count"
  [[ $(<"$work/count") == "$rows" ]] || die "loaded $(<"$work/count") of $rows rows."
  # Rows that are only in the redo log would be backed up as pages of zeros, which compress too well.
  stop_server source
  start_server source
  end
}

# table_checksum NAME: sets $checksum. A missing table has the checksum NULL, without an error.
table_checksum() {
  sql "$1" 'CHECKSUM TABLE demo.nodes' "$work/checksum"
  checksum=$(cut -f 2 "$work/checksum")
  [[ $checksum =~ ^[0-9]+$ ]] || die "the server '$1' has no demo.nodes: $checksum" "$work/$1.log"
}

# ------------------------------------------------------------------------------ the backup

# meter NAME: passes its input on, and writes its hash to NAME.sha256 and its size to NAME.bytes.
meter() {
  local status=0 hash count
  mkfifo "$work/$1.hash" "$work/$1.count"
  sha256sum <"$work/$1.hash" >"$work/$1.sha256" &
  hash=$!
  wc -c <"$work/$1.count" >"$work/$1.bytes" &
  count=$!
  tee "$work/$1.hash" "$work/$1.count" || status=$?
  wait "$hash" || status=1
  wait "$count" || status=1
  return "$status"
}

# fingerprint NAME: prints the results of the meter with that name.
fingerprint() { printf '%s bytes of sha256 %.64s' "$(<"$work/$1.bytes")" "$(<"$work/$1.sha256")"; }

# Accepts one connection and passes its bytes on. It takes a free port, which is in $work/port when
# nc says that it listens.
listen() {
  local port attempt
  for attempt in {1..20}; do
    port=$((20000 + RANDOM % 12000)) # below the ports that the system hands out itself
    # nc sets SO_REUSEPORT, so the system would not refuse a second demo on the same port.
    ! grep -qi ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp || continue
    say "$port" >"$work/port"
    "$nc" -l -d -n -v 127.0.0.1 "$port" 2>"$work/nc -l.log" && return
    grep -qi 'in use' "$work/nc -l.log" || return
  done
  say "no free port in $attempt attempts" >>"$work/nc -l.log"
  return 1
}

# Sends its input to the listener. A refused connection has read nothing yet, so it can be tried
# again. After any other failure it cannot.
connect() {
  local attempt port
  port=$(<"$work/port")
  for attempt in {1..50}; do
    "$nc" -N -n 127.0.0.1 "$port" </dev/stdin 2>"$work/nc -N.log" && return
    grep -qi 'refused' "$work/nc -N.log" || return
    sleep 0.1
  done
  say "refused $attempt times" >>"$work/nc -N.log"
  return 1
}

# Sets the command that backs the server up, to its stdout.
set_backup_command() {
  backup_command=(mariadb-backup --no-defaults --backup --stream=xbstream --user=root
    --socket="$work/source.sock" --datadir="$work/source" --target-dir="$work/backup")
}

# Both ends write the status of each of their programs to NAME.status, as "STATUS PROGRAM". The
# messages of a program are in PROGRAM.log. Both ends run in shells of their own (see spawn), which
# do not stop at a failure.

receive() {
  set +e
  listen |
    "$pzcomp" -d ${compressed:+--xbstream} 2>"$work/pzcomp -d.log" |
    meter received |
    mbstream -x -C "$work/restored" 2>"$work/mbstream -x.log"
  statuses receive "${PIPESTATUS[@]}" -- 'nc -l' 'pzcomp -d' tee 'mbstream -x'
}

transmit() {
  set +e
  if [[ -n $compressed ]]; then
    "${backup_command[@]}" --compress --compress-threads=2 --parallel=3 2>"$work/mariadb-backup.log" |
      meter coded |
      connect
    statuses transmit "${PIPESTATUS[@]}" -- mariadb-backup tee 'nc -N'
    return
  fi
  "${backup_command[@]}" 2>"$work/mariadb-backup.log" |
    meter sent |
    "$pzcomp" 2>"$work/pzcomp.log" |
    meter coded |
    connect
  statuses transmit "${PIPESTATUS[@]}" -- mariadb-backup tee pzcomp tee 'nc -N'
}

# statuses NAME STATUS... -- PROGRAM...
statuses() {
  local file=$work/$1.status codes=() code
  shift
  while [[ $1 != -- ]]; do
    codes+=("$1")
    shift
  done
  shift
  for code in "${codes[@]}"; do
    say "$code $1"
    shift
  done >"$file"
}

# Sets $failed and $failed_logs to the programs of the two pipelines that failed so far. $failed is
# text for a sentence, and empty if no program failed. A program that died of SIGPIPE (141) only
# lost its reader, so it is named only if no other program failed.
find_culprits() {
  local code program found=() victims=()
  failed_logs=()
  while read -r code program; do
    case $code in
      0) continue ;;
      141) victims+=("$program (SIGPIPE)") ;;
      *) found+=("$program (status $code)") ;;
    esac
    failed_logs+=("$work/$program.log")
  done < <(cat -- "$work"/{transmit,receive}.status)
  ((${#found[@]})) || found=("${victims[@]}")
  failed=
  ((${#found[@]} == 0)) || printf -v failed ', %s' "${found[@]}"
  failed=${failed#, }
}

back_up() {
  local receiver transmitter sent received left began patience=300
  local deadline=$((SECONDS + 10))
  local logs=("$work"/{mariadb-backup,pzcomp,'nc -N','nc -l','pzcomp -d','mbstream -x'}.log)
  if [[ -n $compressed ]]; then
    begin 'backing up: mariadb-backup | nc | pzcomp -d --xbstream'
  else
    begin 'backing up: mariadb-backup | pzcomp | nc | pzcomp -d'
  fi
  mkdir "$work/backup" "$work/restored"
  : >"$work/transmit.status"
  : >"$work/receive.status"
  spawn receive
  receiver=$spawned
  until grep -qs '^Listening' "$work/nc -l.log"; do
    if ((SECONDS >= deadline)) || ! kill -0 "$receiver" 2>/dev/null; then
      die 'nc does not listen on loopback.' "${logs[@]}"
    fi
    sleep 0.05
  done

  began=$(now)
  spawn transmit
  transmitter=$spawned
  finish "$transmitter" 900 || die 'the backup does not end.' "${logs[@]}"
  find_culprits
  [[ -z $failed ]] || patience=5 # the listener may still wait for somebody to connect
  finish "$receiver" "$patience" ||
    die "the receiving side does not end${failed:+; failed: $failed}." "${logs[@]}"
  backup_seconds=$(seconds "$began" "$(now)")
  end

  find_culprits
  [[ -z $failed ]] || die "failed: $failed." "${failed_logs[@]}"
  grep -q 'completed OK!' "$work/mariadb-backup.log" ||
    die 'mariadb-backup did not complete.' "$work/mariadb-backup.log"
  if [[ -n $compressed ]]; then
    left=$(find "$work/restored" -name '*.qp' -print -quit)
    [[ -z $left ]] || die "a compressed file was restored: $left."
    return
  fi
  sent=$(fingerprint sent)
  received=$(fingerprint received)
  [[ $sent == "$received" ]] || die "the stream changed on its way: sent $sent, received $received."
}

# pzcomp runs the backup, writes it into a file and verifies the file.
back_up_by_exec() {
  begin 'backing up: pzcomp --exec --verify -- mariadb-backup'
  rm -rf -- "$work/backup"
  mkdir "$work/files" "$work/backup"
  run "$pzcomp" --exec --verify -o "$work/files/backup.zst" -- "${backup_command[@]}" 2>"$work/exec.log" ||
    die 'pzcomp --exec failed.' "$work/exec.log"
  end
}

# kill_backup PID: kills the producer of this pzcomp when pzcomp has read something. It fails if the
# producer was faster.
kill_backup() {
  local producer read=0 deadline=$((SECONDS + 60))
  until ((read > 2 << 20)); do
    ((SECONDS < deadline)) || die 'the backup that is to be killed writes nothing.' "$work/killed.log"
    read=$(awk '$1 == "rchar:" { print $2 }' "/proc/$1/io" 2>/dev/null) || return 1
    sleep 0.01
  done
  # While pzcomp stands still, its producer waits.
  kill -STOP "$1" && producer=$(pgrep -P "$1") && kill -KILL "$producer" && kill -CONT "$1"
}

# A reader that begins only when the producer was killed, so that the producer cannot end before.
late_reader() {
  exec <"$work/slow"
  until [[ -e $work/killed ]]; do sleep 0.02; done
  "$pzcomp" -d >"$work/received" 2>"$work/late-reader.log"
}

kill_backups() {
  local status reader attempt
  begin 'killing a backup: no file is left, and a reader fails'
  for attempt in {1..5}; do
    rm -rf -- "$work/backup" "$work/files/killed.zst"
    mkdir "$work/backup"
    spawn "$pzcomp" --exec -o "$work/files/killed.zst" -- "${backup_command[@]}" 2>"$work/killed.log"
    ! kill_backup "$spawned" || break
    kill -CONT "$spawned" 2>/dev/null || true
    finish "$spawned" 60 || die "pzcomp --exec failed in attempt $attempt." "$work/killed.log"
  done
  status=0
  finish "$spawned" 60 || status=$?
  ((status == 1)) || die "pzcomp ended with status $status after its producer was killed." "$work/killed.log"
  grep -q 'signal 9' "$work/killed.log" || die 'pzcomp does not say that its producer was killed.' "$work/killed.log"
  [[ $(ls -A "$work/files") == backup.zst ]] || die "the killed backup left a file: $(ls -A "$work/files")."

  rm -rf -- "$work/backup"
  mkdir "$work/backup"
  mkfifo "$work/slow"
  spawn late_reader
  reader=$spawned
  spawn_into "$work/slow" "$pzcomp" --exec -- "${backup_command[@]}" 2>"$work/killed.log"
  kill_backup "$spawned" || die 'the backup that is to be killed ended too early.' "$work/killed.log"
  : >"$work/killed"
  status=0
  finish "$spawned" 60 || status=$?
  ((status == 1)) || die "pzcomp ended with status $status after its producer was killed." "$work/killed.log"
  status=0
  finish "$reader" 60 || status=$?
  ((status == 1)) || die "the reader of a killed backup ended with status $status." "$work/late-reader.log"
  end
}

# A stand-in for BACKUP SERVER: the server starts pzcomp for each of its threads.
back_up_by_server() {
  begin 'playing BACKUP SERVER: whole, killed, ended, on a full disk, and one table back'
  mkdir "$work/server"
  run "$PWD/scripts/backup-server.py" "$pzcomp" "$work/source" "$work/server" >"$work/server.log" 2>&1 ||
    die 'the stand-in for BACKUP SERVER failed.' "$work/server.log"
  rm -rf -- "$work/server"
  end
}

# restore NAME: prepares the backup in $work/NAME, starts a server on it and compares the table.
restore() {
  local began
  begin "restoring from $1, CHECKSUM TABLE"
  began=$(now)
  run mariadb-backup --no-defaults --prepare --target-dir="$work/$1" \
    >"$work/prepare.log" 2>&1 || die 'mariadb-backup --prepare failed.' "$work/prepare.log"
  grep -q 'completed OK!' "$work/prepare.log" ||
    die 'mariadb-backup --prepare did not complete.' "$work/prepare.log"
  start_server "$1"
  restore_seconds=$(seconds "$began" "$(now)")
  table_checksum "$1"
  [[ $checksum == "$stored" ]] ||
    die "CHECKSUM TABLE differs: $stored before, $checksum restored." "$work/$1.log"
  stop_server "$1"
  end
}

unpack_file() { "$pzcomp" -dc "$work/files/backup.zst" | mbstream -x -C "$work/from-file"; }

restore_file() {
  mkdir "$work/from-file"
  step='unpacking the file'
  run unpack_file 2>"$work/unpack.log" || die 'the file was not unpacked.' "$work/unpack.log"
  restore from-file
}

# -------------------------------------------------------------------------------- report

report() {
  local plain coded
  plain=$(<"$work/received.bytes")
  coded=$(<"$work/coded.bytes")
  awk -v rows="$rows" -v text="$text_bytes" -v plain="$plain" -v coded="$coded" \
    -v hash="$(cut -c 1-16 "$work/received.sha256")" -v compressed="$compressed" -v checksum="$checksum" \
    -v backup="$backup_seconds" -v restore="$restore_seconds" '
    function line(what, figure, note) { printf "  %-16s %14s   %s\n", what, figure, note }
    BEGIN {
      print ""
      line("table", rows " rows", sprintf("%.1f MiB as text", text / 2 ^ 20))
      line("backup stream", plain " B", sprintf("%.1f MiB%s", plain / 2 ^ 20, compressed ? ", decompressed" : ", sha256 " hash "... on both sides"))
      line("coded", coded " B", sprintf("%.1f MiB, %.1f %%, ratio %.2f", coded / 2 ^ 20, 100 * coded / plain, plain / coded))
      line("backup", sprintf("%.2f s", backup), "coded, sent, decoded and unpacked")
      line("restore", sprintf("%.2f s", restore), "prepared, server started")
      line("CHECKSUM TABLE", checksum, "equal")
    }'
}

parse_size() {
  local text=${1%B}
  size=$(numfmt --from=iec "${text%i}" 2>/dev/null) || size=
  [[ $size =~ ^[1-9][0-9]*$ ]] || die "'$1' is no size: write bytes, or 64K, 64M, 1G."
}

check_space() {
  local free need=$(((size * 8 >> 20) + 512))
  free=$(($(df -Pk -- "$work" | awk 'NR == 2 { print $4 }') >> 10))
  ((free >= need)) || die "needs $need MiB in ${work%/*}, which has $free; set TMPDIR to another place."
}

# A path from the environment is relative to the folder in which the script was called.
resolve() { [[ -z ${!1:-} ]] || printf -v "$1" '%s' "$(realpath -m -- "${!1}")"; }

main() {
  local base=${TMPDIR:-/tmp}
  case ${1:-} in
    -h | --help) usage && exit ;;
    --compressed) compressed=yes && shift ;;
  esac
  trap clean_up EXIT
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM
  trap 'interrupted 129' HUP

  (($# <= 1)) || die "takes one argument, SIZE."
  parse_size "${1:-${PZCOMP_DEMO_SIZE:-64M}}"
  resolve PZCOMP_BIN
  resolve PZCOMP_NODES
  [[ -z ${PZCOMP_BIN:-} || -x $PZCOMP_BIN ]] || die "PZCOMP_BIN is no program: $PZCOMP_BIN"
  [[ -z ${PZCOMP_NODES:-} || -r $PZCOMP_NODES ]] || die "cannot read PZCOMP_NODES: $PZCOMP_NODES"
  [[ -n ${PZCOMP_BIN:-} && -n ${PZCOMP_NODES:-} ]] || command -v cargo >/dev/null ||
    die 'needs Rust: there is no cargo in PATH.'

  # The name of a Unix socket has at most 107 bytes.
  ((${#base} <= 70)) || base=/tmp
  [[ -d $base ]] || die "there is no folder '$base' for the temporary files."
  base=$(realpath -e -- "$base")
  # mariadb-install-db does not quote.
  [[ $base =~ ^[A-Za-z0-9_./+-]+$ ]] || die "the name '$base' has characters that mariadb-install-db cannot bear; set TMPDIR."
  work=$(mktemp -d "${base%/}/pzcomp-demo.XXXXXX") || die "cannot make a folder in '$base'."
  cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
  PATH=$PATH:/usr/sbin:/sbin # where Debian keeps mariadbd, and not every user looks
  check_space

  say "A${compressed:+ compressed} MariaDB backup through pzcomp over loopback, and back:"
  say
  install_packages
  nc=$(find_nc)
  find_pzcomp
  make_nodes

  begin 'starting a server'
  make_server source
  start_server source
  end
  load_table
  table_checksum source
  stored=$checksum
  set_backup_command
  back_up
  if [[ -z $compressed ]]; then
    back_up_by_exec
    kill_backups
  fi
  stop_server source
  [[ -n $compressed ]] || back_up_by_server
  # The next servers have the backups only.
  rm -rf -- "$work/source" "$work/backup"
  if [[ -z $compressed ]]; then
    restore_file
    rm -rf -- "$work/from-file"
  fi
  restore restored
  report
}

main "$@"
