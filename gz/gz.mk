# Targets for the gz library. The Makefile includes this file.

GZ_SO = target/gz/libpzcomp-gz.so.0

gz:              ## the gz functions of zlib on all cores, target/gz/libpzcomp-gz.so.0
	$(CARGO) build --release --locked -p pzcomp-gz
	mkdir -p target/gz
	gz/link.sh target/release/libpzcomp_gz.a $(GZ_SO)

install-gz: gz   ## the gz library under PREFIX
	install -Dm755 $(GZ_SO) $(DESTDIR)$(PREFIX)/lib/libpzcomp-gz.so.0
	ln -sf libpzcomp-gz.so.0 $(DESTDIR)$(PREFIX)/lib/libpzcomp-gz.so

.PHONY: gz install-gz
