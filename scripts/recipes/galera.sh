#!/usr/bin/env bash
# The commands of a state transfer of Galera, taken from [sst] and put into pipes as wsrep_sst_mariabackup does.
. "$(dirname "$0")/common.sh"
. "$here/mariadb.sh"
need mariadb-backup mbstream my_print_defaults
start_mariadb
cat >my.cnf <<'END'
# recipe
[sst]
compressor="pzcomp -M 256M"
decompressor="pzcomp -d --expect-end"
# end
END
setting() { my_print_defaults --defaults-file=my.cnf sst | sed -n "s/^--$1=//p"; }
compressor=$(setting compressor) decompressor=$(setting decompressor)
mkdir joiner
eval "mariadb-backup --backup --stream=xbstream 2>backup.log | $compressor" >transfer
eval "$decompressor <transfer | mbstream -x -C joiner"
stop >/dev/null 2>&1 || true
rm -r data
mariadb-backup --prepare --target-dir=joiner >prepare.log 2>&1
serve joiner
restored
ok mariadb-backup "$(version mariadb-backup --version)"
