#!/usr/bin/env bash
# Gets the programs that tests and measurements compare with.
#
#   scripts/peers.sh install PACKAGE...
#
# Installs the Debian packages that are missing if root or a sudo without password allows it;
# otherwise names what is missing in one sentence and exits 1. Says nothing when everything is there.
#
#   scripts/peers.sh build FOLDER
#
# Builds those that no Debian package holds into FOLDER/bin. One that cannot be had is named and left
# out: the bench says of its rows that it is not installed.
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

# Whether that program is in the folder and starts: one that was built for a library or a Python that
# has since gone is built again.
starts() {
  "$1" --version >/dev/null 2>&1
}

build() {
  local folder=$1 crate program log
  log=$(mktemp)
  # shellcheck disable=SC2064 # the name of now
  trap "rm -f '$log'" EXIT
  mkdir -p "$folder/bin"
  folder=$(cd "$folder" && pwd)
  for crate in crabz gzippy rapidgzip-rust-cli; do
    program=$folder/bin/${crate%-cli}
    starts "$program" && continue
    echo "peers.sh: building $crate" >&2
    cargo install --quiet --locked --force --root "$folder" "$crate" >"$log" 2>&1 || lacking "$crate" "$log"
  done
  program=$folder/bin/rapidgzip
  starts "$program" && return
  echo "peers.sh: installing rapidgzip" >&2
  { python3 -m venv --clear "$folder/python" &&
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check rapidgzip &&
    ln -sf ../python/bin/rapidgzip "$program"; } >"$log" 2>&1 || lacking rapidgzip "$log"
}

# Says that a peer cannot be had, and the last thing that was said about it.
lacking() {
  echo "peers.sh: $1 cannot be had here and is left out: $(tail -n 1 "$2")" >&2
}

case "${1-} $#" in
"build 2")
  build "$2"
  exit
  ;;
"install "[01] | "build "*) fail "usage: scripts/peers.sh install PACKAGE... | build FOLDER" ;;
"install "*) shift ;;
*) fail "usage: scripts/peers.sh install PACKAGE... | build FOLDER" ;;
esac
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this is not a Debian-like system; please install what these Debian packages hold: $*."
fi
install "$@"
