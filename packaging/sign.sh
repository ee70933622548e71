#!/usr/bin/env bash
# Signs the checksums of a version, or verifies such a signature.
#
#   packaging/sign.sh sign KEY [FOLDER]        writes SHA256SUMS.sig with the private key of ssh in the file KEY
#   packaging/sign.sh verify SIGNERS [FOLDER]  verifies SHA256SUMS.sig by the file SIGNERS, and then the checksums
#
# FOLDER is dist/ by default. A line of SIGNERS is a name, `namespaces="pzcomp"`, and a public key (ssh-keygen(1), ALLOWED
# SIGNERS). The key stays on the machine of its owner: nothing signs in the release workflow.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "sign.sh: $*" >&2
  exit 1
}

[[ $# -ge 2 ]] || fail "expected 'sign KEY' or 'verify SIGNERS', and a folder; got '$*'."
what=$1 file=$(realpath "$2") folder=${3-dist}
cd "$folder" || fail "there is no folder $folder; make dist builds dist."
[[ -e SHA256SUMS ]] || fail "$folder/SHA256SUMS is missing; make dist writes it."
case $what in
sign)
  sha256sum --quiet --strict --check SHA256SUMS || fail "files of $folder are not those of SHA256SUMS; build them again."
  rm -f SHA256SUMS.sig
  ssh-keygen -q -Y sign -n pzcomp -f "$file" SHA256SUMS
  ;;
verify)
  signer=$(ssh-keygen -Y find-principals -s SHA256SUMS.sig -f "$file" <SHA256SUMS) ||
    fail "no key in $file has made $folder/SHA256SUMS.sig; do not use these files."
  ssh-keygen -Y verify -n pzcomp -I "${signer%%$'\n'*}" -s SHA256SUMS.sig -f "$file" <SHA256SUMS ||
    fail "$folder/SHA256SUMS is not what was signed; do not use these files."
  sha256sum --quiet --strict --ignore-missing --check SHA256SUMS ||
    fail "a file of $folder is not the one that was signed; do not use it."
  ;;
*) fail "expected sign or verify; got '$what'." ;;
esac
