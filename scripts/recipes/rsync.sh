#!/usr/bin/env bash
# rsync of a compressed file that changes a little: with --rsyncable, the bytes before and behind the change stay.
. "$(dirname "$0")/common.sh"
need rsync
rows 400000 >dump.sql
mkdir mirror

# recipe
pzcomp --rsyncable dump.sql
pzcomp -F gzip --rsyncable dump.sql
# end
cp dump.sql.gz dump.sql.zst mirror/
sed -i '200000i a row that is new' dump.sql
pzcomp -f --rsyncable dump.sql
pzcomp -f -F gzip --rsyncable dump.sql
for file in dump.sql.gz dump.sql.zst; do
  rsync --no-whole-file --stats "$file" mirror/ >stats
  cmp "$file" "mirror/$file"
  pzcomp -dc "mirror/$file" | cmp - dump.sql
  sent=$(sed -n 's/^Literal data: \([0-9,]*\).*/\1/p' stats | tr -d ,)
  echo "$file: $sent of $(stat -c %s "$file") bytes sent"
  # The file is long, and one row of it is new.
  ((sent * 5 < $(stat -c %s "$file")))
done
ok rsync "$(version rsync --version)"
