#!/usr/bin/env bash
# The folder of a dump of MySQL Shell. zstd makes the files, as threads of MySQL Shell do.
. "$(dirname "$0")/common.sh"
need zstd
mkdir dump
for number in 0 1 2; do rows 60000 | zstd -q -1 >"dump/shop@nodes@$number.tsv.zst"; done
echo '{"version": "2.0.1"}' >dump/@.json
# recipe
pzcomp -t dump/*.zst
pzcomp -l dump/*.zst
# end
pzcomp -lv dump/*.zst | tail -n 1 | grep -q "$(($(rows 60000 | wc -c) * 3))"
ok zstd "$(version zstd --version)"
