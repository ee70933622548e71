#!/usr/bin/env bash
# mydumper with pzcomp for each file of a table.
. "$(dirname "$0")/common.sh"
need mydumper
mydumper --help >help 2>&1 || true
grep -q -e --exec-per-thread help ||
  not_tried "mydumper $(version mydumper --version) has no --exec-per-thread"
. "$here/mariadb.sh"
need myloader
start_mariadb
# recipe
mydumper --database shop --outputdir dump --exec-per-thread '/usr/bin/pzcomp -p1 -c' --exec-per-thread-extension .zst
# end
forget
# recipe
myloader --directory dump --exec-per-thread '/usr/bin/pzcomp -dc' --exec-per-thread-extension .zst
# end
restored
ok mydumper "$(version mydumper --version)"
