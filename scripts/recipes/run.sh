#!/usr/bin/env bash
# Runs the recipes of docs/recipes.md with the real programs: run.sh [NAME...]. Without names, it runs all.
#
# It prints one line for each recipe: its name, the version of its program and "ok", or "not tried" and the reason. If a
# recipe fails, its messages are printed, and the exit status is 1. The page is compared with the recipes first.
# `make recipes` calls this. PZCOMP names the binary to try.
set -euo pipefail
[[ -z ${PZCOMP:-} ]] || PZCOMP=$(realpath -m -- "$PZCOMP")
export PZCOMP=${PZCOMP:-}
cd "$(dirname "$0")"
python3 ./page.py
command -v "${PZCOMP:-../../target/release/pzcomp}" >/dev/null || {
  echo 'recipes: there is no pzcomp to try; run make, or name it by PZCOMP' >&2
  exit 1
}

names=("$@")
if ((${#names[@]} == 0)); then
  for script in *.sh; do
    ! grep -q '^\. .*/common.sh' "$script" || names+=("${script%.sh}")
  done
fi

status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for name in "${names[@]}"; do
  if "./$name.sh" >"$log" 2>&1 </dev/null; then
    tail -n 1 "$log"
  else
    printf '%-18s FAILED\n' "$name"
    tail -n 25 "$log"
    status=1
  fi
done
exit "$status"
