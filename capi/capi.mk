# Targets for the C library. The Makefile includes this file.

CAPI_A = target/capi/libpzcomp.a

TEST_CAPI = $(CARGO) test --locked --workspace --test c --
test-capi:
	scripts/peers.sh install gcc g++ binutils valgrind golang-go libffi-platypus-perl
	$(TEST_CAPI) --include-ignored
	PZCOMP_VALGRIND=1 $(TEST_CAPI) every_call_works
	PZCOMP_ASAN=1 $(TEST_CAPI)
	perl capi/tests/perl.pl $${CARGO_TARGET_DIR:-target}/debug/deps/libpzcomp_capi.so

# The static library is one object. Only the calls of the header are global in it, so it meets no other zstd in a program.
# Bitcode of LLVM is removed, because the plugins of other versions stop at it. With the type "lib" of Cargo.toml, cargo
# would not optimise a library as a whole, so the types are named here.
capi:
	$(CARGO) rustc --release --locked -p pzcomp-capi --crate-type cdylib,staticlib
	mkdir -p target/capi
	ld -r --whole-archive -o target/capi/all.o $(RELEASE)/libpzcomp_capi.a
	objcopy --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd --wildcard --keep-global-symbol='pz_*' \
		target/capi/all.o target/capi/pzcomp.o
	rm -f $(CAPI_A) && ar rcs $(CAPI_A) target/capi/pzcomp.o && rm target/capi/all.o target/capi/pzcomp.o

install-capi: capi
	install -Dm755 $(RELEASE)/libpzcomp_capi.so $(DESTDIR)$(LIBDIR)/libpzcomp.so.0
	ln -sf libpzcomp.so.0 $(DESTDIR)$(LIBDIR)/libpzcomp.so
	install -Dm644 $(CAPI_A) $(DESTDIR)$(LIBDIR)/libpzcomp.a
	install -Dm644 capi/include/pzcomp.h $(DESTDIR)$(PREFIX)/include/pzcomp.h
	install -Dm644 capi/libpzcomp.3 $(DESTDIR)$(PREFIX)/share/man/man3/libpzcomp.3
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' capi/pzcomp.pc.in \
		> $(DESTDIR)$(LIBDIR)/pkgconfig/pzcomp.pc

.PHONY: test-capi capi install-capi
