# shellcheck shell=bash
# The packages of the libraries libpzcomp and libpzcomp-gz for Debian. dist.sh sources this file, and defines what it uses.

# deb NAME SECTION DEPENDS DESCRIPTION: makes a package of the tree $packages/NAME. The first line of the description is
# short.
deb() {
  local name=$1 section=$2 depends=$3 description=$4 tree=$packages/$1 doc=$packages/$1/usr/share/doc/$1
  mkdir -p "$tree/DEBIAN" "$doc"
  install -Dm644 packaging/libraries-overrides "$tree/usr/share/lintian/overrides/$name"
  install -m644 "$packages/copyright" "$doc/copyright"
  gzip <"$work/changelog" >"$doc/changelog.Debian.gz"
  gzip <CHANGELOG.md >"$doc/changelog.gz"
  (cd "$tree" && find usr -type f | sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
  cat >"$tree/DEBIAN/control" <<CONTROL
Package: $name
Source: pzcomp
Version: $version-1
Architecture: $debian
Multi-Arch: same
Maintainer: $maintainer
Installed-Size: $(du -s -k --apparent-size "$tree/usr" | cut -f 1)
Depends: $depends
Section: $section
Priority: optional
Description: $description
CONTROL
  find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$tree" "dist/${name}_$version-1_$debian.deb" >/dev/null
}

# shared NAME LIBRARY: the tree of the package of a shared library, and what the linker and other packages ask for.
shared() {
  local name=$1 library=$2 tree=$packages/$1
  mkdir -p "$tree/DEBIAN" "$tree/$place"
  install -m644 "$root/$place/$library.so.0" "$tree/$place/"
  strip --strip-unneeded --remove-section=.comment "$tree/$place/$library.so.0"
  echo "$library 0 $name (>= $version)" >"$tree/DEBIAN/shlibs"
  echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers"
}

# needs LIBRARY: the packages whose libraries a shared library needs, as dpkg-shlibdeps finds them.
needs() {
  local folder=$packages/needs
  mkdir -p "$folder/debian"
  printf 'Source: pzcomp\n\nPackage: pzcomp\nArchitecture: any\n' >"$folder/debian/control"
  (cd "$folder" && dpkg-shlibdeps -O "$1" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# Builds both libraries, and packs them.
libraries() {
  local place=usr/lib/$architecture-linux-gnu root=$work/libraries packages=$work/packages dev library debian
  debian=$(dpkg --print-architecture)
  rm -rf "$root" "$packages"
  mkdir -p "$packages"
  CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${rust[@]}" | head -c -1) CFLAGS="${c[*]}" \
    SOURCE_DATE_EPOCH=0 CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$work/build-libraries \
    CARGO_BUILD_TARGET=$platform make --silent install-capi install-gz DESTDIR="$root" PREFIX=/usr LIBDIR="/$place" >/dev/null
  for library in "$root/$place"/*.so.0 "$root/$place/libpzcomp.a"; do
    if grep -aqF "$PWD" "$library"; then
      fail "$library has the path of this folder in it, so other folders give other bytes."
    fi
  done
  packaging/licences.sh shared | copyright 'usr/lib/*' >"$packages/copyright"

  shared libpzcomp0 libpzcomp
  deb libpzcomp0 libs "$(needs "$packages/libpzcomp0/$place/libpzcomp.so.0")" \
    "compress and decompress on all cores, the library
 Programs in C and other languages write and read zstd, gzip, lz4, xz, bzip2,
 lzip and Snappy with this library, on all cores, and read a compressed file
 from any place. libpzcomp(3) in the package libpzcomp-dev explains it."

  shared libpzcomp-gz0 libpzcomp-gz
  install -Dm644 gz/README.Debian "$packages/libpzcomp-gz0/usr/share/doc/libpzcomp-gz0/README.Debian"
  deb libpzcomp-gz0 libs "$(needs "$packages/libpzcomp-gz0/$place/libpzcomp-gz.so.0")" \
    "gz functions of zlib on all cores
 Programs that read and write .gz files through gzopen, gzread and gzwrite of
 zlib use all cores with this library, as they are. It is preloaded:
 /usr/share/doc/libpzcomp-gz0/README.Debian says how."

  dev=$packages/libpzcomp-dev
  mkdir -p "$dev/$place" "$dev/usr/share"
  cp -R "$root/usr/include" "$dev/usr/"
  cp -R "$root/usr/share/man" "$dev/usr/share/"
  gzip "$dev"/usr/share/man/man3/*.3
  cp -R "$root/$place/pkgconfig" "$root/$place/libpzcomp.a" "$dev/$place/"
  cp -P "$root/$place"/*.so "$dev/$place/"
  install -d "$dev/usr/share/doc/libpzcomp-dev/examples"
  install -m644 capi/examples/* "$dev/usr/share/doc/libpzcomp-dev/examples/"
  deb libpzcomp-dev libdevel "libpzcomp0 (= $version-1), libpzcomp-gz0 (= $version-1), libc6-dev | libc-dev" \
    "compress and decompress on all cores, for programs in C
 The header, the static library, pzcomp.pc and the man pages of libpzcomp, and
 the link with which programs are linked with libpzcomp-gz."
}
