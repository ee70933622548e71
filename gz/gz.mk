# Targets for the gz library. The Makefile includes this file.

GZ_SO = target/gz/libpzcomp-gz.so.0

# With the type "lib" of Cargo.toml, cargo would not optimise the library as a whole, so the type is named here.
gz:
	$(CARGO) rustc --release --locked -p pzcomp-gz --crate-type staticlib
	mkdir -p target/gz
	gz/link.sh $(RELEASE)/libpzcomp_gz.a $(GZ_SO)

install-gz: gz
	install -Dm755 $(GZ_SO) $(DESTDIR)$(LIBDIR)/libpzcomp-gz.so.0
	ln -sf libpzcomp-gz.so.0 $(DESTDIR)$(LIBDIR)/libpzcomp-gz.so
	install -Dm644 gz/libpzcomp-gz.3 $(DESTDIR)$(PREFIX)/share/man/man3/libpzcomp-gz.3

# 10,000 sequences of calls for each way of coding, valgrind, unmodified programs of Debian, and programs that are linked.
test-gz: gz
	scripts/peers.sh install gcc binutils valgrind man-db zlib1g-dev seqtk minimap2 bwa bedtools vcftools
	PZCOMP_GZ_SO=$(CURDIR)/$(GZ_SO) PZCOMP_GZ_SEQUENCES=10000 \
		$(CARGO) test --locked --workspace --test gz -- --include-ignored
	gz/tests/programs.sh $(CURDIR)/$(GZ_SO)
	rm -rf target/gz/root
	$(MAKE) install-gz DESTDIR=$(CURDIR)/target/gz/root PREFIX=/usr
	gz/tests/installed.sh $(CURDIR)/target/gz/root/usr

.PHONY: gz install-gz test-gz
