#!/usr/bin/env bash
# Installs the packages of the recipes: install.sh PACKAGE... `make recipes` and `make demo-mariadb` call this.
#
# Debian starts a server as soon as it is installed, unless policy-rc.d forbids it. So this script makes one for the time
# of the installation, if the machine has none, and disables the servers that are new. Servers that were there before
# stay as they are. Without a package, or without root, its recipes say that they were not tried.
set -euo pipefail
as_root=()
((EUID == 0)) || as_root=(sudo -n)
policy=/usr/sbin/policy-rc.d
new=()
for server in mariadb-server/mariadb postgresql/postgresql; do
  [[ $(dpkg-query -W -f='${db:Status-Status}' "${server%/*}" 2>/dev/null) == installed ]] || new+=("${server#*/}")
done
if ((${#new[@]})) && "${as_root[@]}" true 2>/dev/null && [[ ! -e $policy && ! -L $policy ]]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  # If this script is killed, the policy has no effect any more.
  printf '#!/bin/sh\n[ -d /proc/%s ] || exit 0\nexit 101\n' $$ | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
"$(dirname "$0")/../peers.sh" install "$@" || echo 'recipes: some packages are missing; their recipes are not tried' >&2
if [[ -d /run/systemd/system ]]; then
  for server in "${new[@]}"; do "${as_root[@]}" systemctl disable --now "$server.service" >/dev/null 2>&1 || true; done
fi
