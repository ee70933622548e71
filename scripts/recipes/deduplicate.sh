#!/usr/bin/env bash
# borg and restic over files that were made with --rsyncable: a second backup stores only what is new.
. "$(dirname "$0")/common.sh"
need borg restic
export BORG_REPO=$work/borg RESTIC_REPOSITORY=$work/restic RESTIC_PASSWORD=secret
borg init -e none >/dev/null
restic init >/dev/null
rows 600000 >dump.sql
mkdir backup

both() {
  # recipe
  pzcomp --rsyncable -f dump.sql -o backup/dump.sql.zst
  borg create --compression none --chunker-params 10,23,16,4095 ::'{now:%Y-%m-%dT%H:%M:%S.%f}' backup
  restic backup backup
  # end
}
size() { du -s --apparent-size --block-size=1 "$1" | cut -f 1; }
both >both.log 2>&1
borg_first=$(size borg)
restic_first=$(size restic)
sed -i '300000i a row that is new' dump.sql
both >both.log 2>&1
# One row is new. The programs cut at places of their own, so a little more than one frame is stored again.
length=$(stat -c %s backup/dump.sql.zst)
echo "stored again: borg $(($(size borg) - borg_first)), restic $(($(size restic) - restic_first)) of $length"
(($(size borg) - borg_first < length * 6 / 10))
(($(size restic) - restic_first < length * 6 / 10))

mkdir restored
(cd restored && borg extract "::$(borg list --last 1 --format '{archive}')")
cmp backup/dump.sql.zst restored/backup/dump.sql.zst
restic restore latest --target restored2 >/dev/null
pzcomp -dc "$(find restored2 -name dump.sql.zst)" | cmp - dump.sql
ok "borg $(version borg --version), restic" "$(version restic version)"
