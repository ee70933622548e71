# Targets for the gz library. The Makefile includes this file.

GZ_SO = target/gz/libpzcomp-gz.so.0

gz:              ## the gz functions of zlib on all cores, target/gz/libpzcomp-gz.so.0
	$(CARGO) build --release --locked -p pzcomp-gz
	mkdir -p target/gz
	gz/link.sh target/release/libpzcomp_gz.a $(GZ_SO)

install-gz: gz   ## the gz library under PREFIX
	install -Dm755 $(GZ_SO) $(DESTDIR)$(PREFIX)/lib/libpzcomp-gz.so.0
	ln -sf libpzcomp-gz.so.0 $(DESTDIR)$(PREFIX)/lib/libpzcomp-gz.so

# 10,000 sequences of calls for each way of coding, and unmodified programs of Debian.
test-gz: gz      ## the gz library beside zlib: 10,000 random sequences of calls, and programs of Debian
	scripts/peers.sh install gcc binutils zlib1g-dev seqtk minimap2 bwa bedtools vcftools
	PZCOMP_GZ_SO=$(CURDIR)/$(GZ_SO) PZCOMP_GZ_SEQUENCES=10000 $(CARGO) test --locked -p pzcomp-gz
	gz/tests/programs.sh $(CURDIR)/$(GZ_SO)

bench-gz: gz     ## seqtk with the gz library and without, on 1 GiB of FASTQ
	scripts/peers.sh install seqtk
	gz/tests/speed.sh $(CURDIR)/$(GZ_SO)

.PHONY: gz install-gz test-gz bench-gz
