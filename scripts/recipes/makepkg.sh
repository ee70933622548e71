#!/usr/bin/env bash
# makepkg of Arch Linux: the variables COMPRESSZST and COMPRESSGZ of makepkg.conf. makepkg does not run as root, so root
# becomes the user nobody.
if ((EUID == 0)) && id nobody >/dev/null 2>&1; then exec runuser -u nobody -- bash "$0" "$@"; fi
. "$(dirname "$0")/common.sh"
need makepkg bsdtar fakeroot
cp /etc/makepkg.conf makepkg.conf
cat >>makepkg.conf <<'EOF'
# recipe
COMPRESSZST=(pzcomp -19 -c -)
COMPRESSGZ=(pzcomp -F gzip -c -)
# end
EOF
rows 50000 >rows.tsv
cat >PKGBUILD <<'EOF'
pkgname=rows
pkgver=1
pkgrel=1
arch=(any)
options=(!strip)
package() { install -Dm644 "$startdir/rows.tsv" "$pkgdir/usr/share/rows/rows.tsv"; }
EOF
# Without an installed package, makepkg has nothing to ask pacman about.
PACMAN=true PKGEXT=.pkg.tar.zst makepkg --config "$work/makepkg.conf" --nodeps
mkdir restored
pzcomp -dc rows-1-1-any.pkg.tar.zst | tar -xf - -C restored
cmp rows.tsv restored/usr/share/rows/rows.tsv
# An index at the end says that pzcomp wrote the file.
pzcomp -l rows-1-1-any.pkg.tar.zst
ok makepkg "$(version makepkg --version)"
