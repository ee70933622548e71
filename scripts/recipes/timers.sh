#!/usr/bin/env bash
# A line for cron, and a unit and a timer for systemd. The line runs here as cron runs it, and systemd-analyze reads the
# units.
. "$(dirname "$0")/common.sh"
need systemd-analyze
make_files files
cat >crontab <<'EOF'
# recipe
30 2 * * * root pzcomp --exec --verify --idle -o /var/backups/etc-$(date +\%F).tar.zst -- tar -C / -cf - etc
# end
EOF
line=$(sed -n "s:\\\\%:%:g; s:/var/backups:$work:; s:-C / -cf - etc:-cf - files:; s/^30 2 \* \* \* root //p" crontab)
sh -c "$line"
mkdir restored
pzcomp -dc etc-*.tar.zst | tar -xf - -C restored
same_files files restored/files

cat >units <<'EOF'
# recipe
# /etc/systemd/system/backup.service
[Unit]
Description=Backup of /etc

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'exec /usr/bin/pzcomp --exec --verify --recovery --idle --drop-cache -M 256M \
    -o /var/backups/etc-$$(date +%%F).tar.zst -- tar -C / -cf - etc'
PrivateTmp=yes

# /etc/systemd/system/backup.timer
[Timer]
OnCalendar=daily
Persistent=true

[Install]
WantedBy=timers.target
# end
EOF
sed "s:/usr/bin/pzcomp:$work/bin/pzcomp:" units >units.here
sed -n '/backup.service$/,/backup.timer$/p' units.here >backup.service
sed -n '/backup.timer$/,$p' units.here >backup.timer
systemd-analyze verify ./backup.service ./backup.timer
ok systemd "$(systemd-analyze --version | sed -n '1s/systemd \([0-9]*\).*/\1/p')"
