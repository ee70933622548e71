# The targets install what they need. `make help` lists them. In the repository there are more.

CARGO ?= cargo
# nextest runs the tests of all binaries in parallel, one more than there are CPUs, because some wait. cargo runs the
# examples of the documentation.
RUN_TESTS := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && \
	echo nextest run --no-fail-fast --test-threads $$(($$(nproc) + 1)) || echo test --no-fail-fast)
PEERS = zopfli isal pigz pbzip2 lbzip2 zstd pixz plzip lzop lz4 tabix libdeflate-tools xz-utils bzip2 gzip ncompress unzip zip less python3 lzip python3-indexed-gzip util-linux-extra 7zip p7zip-full
PZCOMP = $(RELEASE)/pzcomp
# Where cargo puts the libraries.
RELEASE = $(or $(CARGO_TARGET_DIR),target)$(if $(CARGO_BUILD_TARGET),/$(CARGO_BUILD_TARGET))/release

help:            ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

build:           ## the release binary, target/release/pzcomp
	$(CARGO) build --release --locked

# The lints of tests, benches and examples take most of the time of all lints, and make test has them. The format is checked
# meanwhile, because the lints of one package use one core.
check:           ## the quick loop after an edit: format, lints of the code, unit tests; without root, network and pip
	$(CARGO) fmt --all --check & format=$$!; \
		$(CARGO) clippy --workspace $(CHECKED) --lib --bins --locked -- -D warnings && wait $$format
	$(CARGO) $(RUN_TESTS) --workspace $(CHECKED) --lib --bins $(CHECKED_TESTS) --locked

test:            ## all tests; installs the peers that they need
	scripts/peers.sh install $(PEERS)
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) $(RUN_TESTS) --workspace --locked
	$(CARGO) test --workspace --locked --doc

# The tests that try damage at some places try it at all places.
test-exhaustive:
	PZCOMP_EXHAUSTIVE=1 $(CARGO) $(RUN_TESTS) --locked --test library --test formats --test damage

test-suites: test-exhaustive ## the test suites of the original tools, with the originals and with pzcomp: an hour, and downloads
	$(CARGO) build --release --locked
	scripts/test-suites.sh

# The man pages: pzcomp, and the tools whose names it takes. The page of a tool also has its other names.
PAGES = pzcomp gzip pigz igzip xz bzip2 pbzip2 lbzip2 lzip plzip zstd lz4 bgzip qpress snzip
man:             ## the man pages and the completions, from the definitions of the options
	$(CARGO) build --locked
	mkdir -p man completions
	for tool in $(PAGES); do target/debug/pzcomp --generate $$tool.1 > man/$$tool.1; done
	for shell in bash zsh fish; do target/debug/pzcomp --generate $$shell > completions/pzcomp.$$shell; done

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
LINKS ?= $(PREFIX)/bin
install: build   ## binary, man page and completions under PREFIX (default /usr/local)
	install -Dm755 $(PZCOMP) $(DESTDIR)$(PREFIX)/bin/pzcomp
	install -Dm644 man/pzcomp.1 $(DESTDIR)$(PREFIX)/share/man/man1/pzcomp.1
	install -Dm644 completions/pzcomp.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pzcomp
	install -Dm644 completions/pzcomp.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_pzcomp
	install -Dm644 completions/pzcomp.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/pzcomp.fish

install-links: install ## the other names (gzip, pigz, zstd, xz …) as links to it with their man pages, in LINKS (default PREFIX/bin)
	install -d $(DESTDIR)$(LINKS)
	$(DESTDIR)$(PREFIX)/bin/pzcomp --install-links $(DESTDIR)$(LINKS)

.PHONY: help build check test test-exhaustive test-suites man install install-links

# Targets for what is not in the published package.
include $(wildcard */*.mk)
