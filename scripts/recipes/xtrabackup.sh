#!/usr/bin/env bash
# xtrabackup with FIFO sinks. A stand-in is called in the same way: mbstream writes files of a MariaDB server to the pipes.
. "$(dirname "$0")/common.sh"
. "$here/mariadb.sh"
need mariadb-backup mbstream
start_mariadb
mariadb-backup --backup --target-dir=copied >copy.log 2>&1
stop >/dev/null 2>&1 || true
cat >bin/xtrabackup <<'END'
#!/usr/bin/env bash
# --backup --stream=xbstream --fifo-streams=N --fifo-dir=DIR: makes the pipes, opens all, and writes to all at once.
set -euo pipefail
for word; do
  case $word in
    --fifo-streams=*) count=${word#*=} ;;
    --fifo-dir=*) folder=${word#*=} ;;
  esac
done
mkdir -p "$folder"
for ((i = 0; i < count; i++)); do mkfifo -m 600 "$folder/thread_$i"; done
for ((i = 0; i < count; i++)); do exec {pipe}>"$folder/thread_$i" && pipes[i]=$pipe; done
cd copied
mapfile -t files < <(find . -type f -printf '%P\n' | sort)
jobs=()
for ((i = 0; i < count; i++)); do
  mine=()
  for ((at = i; at < ${#files[@]}; at += count)); do mine+=("${files[at]}"); done
  mbstream -c "${mine[@]}" >&"${pipes[i]}" &
  jobs+=("$!")
done
for pipe in "${pipes[@]}"; do exec {pipe}>&-; done
for job in "${jobs[@]}"; do wait "$job"; done
END
chmod +x bin/xtrabackup
mkdir backup
# recipe
xtrabackup --backup --stream=xbstream --fifo-streams=4 --fifo-dir=pipes & writer=$!
until [ -p pipes/thread_3 ] || ! kill -0 $writer; do sleep 0.1; done
pzcomp --fifos --expect-end=xbstream --output-dir backup pipes/thread_* || kill $writer
wait $writer && rm -r pipes
# end
rm -r data
mkdir restored
# recipe
set -o pipefail
(for part in backup/thread_*.zst; do pzcomp -dc "$part" | mbstream -x -C restored || exit 1; done)
# end
same_files copied restored
mariadb-backup --prepare --target-dir=restored >prepare.log 2>&1
serve restored
restored
ok stand-in, mbstream "$(version mariadb-backup --version)"
