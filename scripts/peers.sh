#!/usr/bin/env bash
# Gets the Debian packages that tests and measurements need.
#
#   scripts/peers.sh install PACKAGE...
#
# Installs what is missing if root or a sudo without password allows it; otherwise names what is
# missing in one sentence and exits 1. Says nothing when everything is there.
set -euo pipefail

fail() {
  echo "peers.sh: $*" >&2
  exit 1
}

# Prints those of the packages that are not installed.
missing() {
  local package state
  for package in "$@"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $state == installed ]] || echo "$package"
  done
}

# Whether every package can be installed from the lists that are there; fresh images have none.
listed() {
  local package
  for package in "$@"; do
    apt-cache show --quiet=1 "$package" >/dev/null 2>&1 || return 1
  done
}

# apt-get, as root, asking nothing, waiting for another one to finish; its output only if it fails.
apt_get() {
  local log status=0
  log=$(mktemp)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get --quiet --yes -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 || status=$?
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

install() {
  local packages=()
  mapfile -t packages < <(missing "$@")
  ((${#packages[@]})) || return 0
  if ((EUID == 0)); then
    as_root=()
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    fail "please install these Debian packages, which needs root: ${packages[*]}."
  fi
  echo "peers.sh: installing ${packages[*]}" >&2
  listed "${packages[@]}" || apt_get update ||
    fail "the lists of packages cannot be updated; these packages are missing: ${packages[*]}."
  # Lists may also be there and be stale.
  apt_get install --no-install-recommends "${packages[@]}" ||
    { apt_get update && apt_get install --no-install-recommends "${packages[@]}"; } ||
    fail "these packages could not be installed: ${packages[*]}."
}

if [[ ${1-} != install ]] || (($# < 2)); then
  fail "usage: scripts/peers.sh install PACKAGE..."
fi
shift
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this is not a Debian-like system; please install what these Debian packages hold: $*."
fi
install "$@"
