#!/usr/bin/env bash
# logrotate with pzcomp as its compresscmd.
. "$(dirname "$0")/common.sh"
need logrotate
mkdir log
rows 50000 >log/shop.log
cp log/shop.log before
sed "s:/var/log/shop:$work/log:; s:/usr/bin/pzcomp:$work/bin/pzcomp:" >logrotate.conf <<'EOF'
# recipe
/var/log/shop/*.log {
    weekly
    rotate 8
    compress
    compresscmd /usr/bin/pzcomp
    compressoptions --idle
    compressext .zst
    uncompresscmd /usr/lib/pzcomp/bin/unzstd
}
# end
EOF
chmod 644 logrotate.conf
logrotate --force --state "$work/state" logrotate.conf
pzcomp -dc log/shop.log.1.zst | cmp - before
ok logrotate "$(version logrotate --version)"
