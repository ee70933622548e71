#!/usr/bin/env bash
# Over ssh and back, with an sshd of its own on the loopback interface. sshd runs without privileges, so it lets in the user
# who runs this. root becomes the user postgres, who has a shell.
if ((EUID == 0)) && id postgres >/dev/null 2>&1; then exec runuser -u postgres -- bash "$0" "$@"; fi
. "$(dirname "$0")/common.sh"
need ssh ssh-keygen sshd tar
((EUID != 0)) || not_tried 'sshd would need privileges'
port=$(free_port)
folder=$work/backup
mkdir "$folder" restored
make_files files
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f user_key
cp user_key.pub authorized
cat >sshd_config <<EOF
ListenAddress 127.0.0.1
Port $port
HostKey $work/host_key
AuthorizedKeysFile $work/authorized
PidFile none
StrictModes no
UsePAM no
SetEnv PATH=$PATH
EOF
cat >ssh_config <<EOF
Host backup-host
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $work/user_key
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking no
  UserKnownHostsFile $work/known_hosts
EOF
# ssh takes its settings from the home of the account, and not from HOME.
printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$work/ssh_config" >bin/ssh
chmod 755 bin/ssh
hash -r
"$(command -v sshd)" -D -f "$work/sshd_config" -E "$work/sshd.log" &
server=$!
stop() { kill "$server" && wait "$server"; }
wait_for listening "$port"

# recipe
set -o pipefail
tar -cf - files | pzcomp | ssh backup-host "cat >'$folder/files.tar.zst'"
ssh backup-host "pzcomp -t --expect-end '$folder/files.tar.zst'"
# end
# recipe
set -o pipefail
ssh backup-host "cat '$folder/files.tar.zst'" | pzcomp -d | tar -xf - -C restored
# end
same_files files restored/files
ok OpenSSH "$(version ssh -V)"
