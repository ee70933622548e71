#!/bin/sh
# Runs a target of make that takes long, and writes its row in benches/results/long-tests.md.
# Usage: scripts/long-test.sh TARGET [VARIABLE=VALUE …]
set -u
cd "$(dirname "$0")/.." || exit 1
table=benches/results/long-tests.md
log=$(mktemp)
trap 'rm -f "$log" "$log.table"' EXIT
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- . ":!$table" || commit="$commit, changed"
begin=$(date +%s)
{ make "$@" 2>&1; echo "status $?"; } | tee "$log"
status=$(sed -n '$s/status //p' "$log")
# What cargo, nextest and libFuzzer count.
passed=$(sed -En 's/.*Summary.*[^0-9]([0-9]+) passed.*/\1/p; s/^test result:.* ([0-9]+) passed.*/\1/p; s/^Done ([0-9]+) runs.*/\1/p' "$log" |
    awk '{ sum += $1 } END { print sum + 0 }')
[ "$status" = 0 ] && result=passed || result="failed with status $status"
row="| \`make $*\` | $(date -u +%F) | $commit | $(uname -m), $(nproc) cores | $result | $passed | $((($(date +%s) - begin) / 60)) |"
grep -vF "| \`make $*\` |" "$table" >"$log.table"
echo "$row" >>"$log.table"
cat "$log.table" >"$table"
exit "$status"
