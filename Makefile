# The targets install what they need. `make help` lists them.

CARGO ?= cargo
# nextest runs the tests of all binaries in parallel. cargo runs the examples of the documentation.
RUN_TESTS := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo nextest run --no-fail-fast || echo test --no-fail-fast)
PEERS = zopfli isal pigz pbzip2 lbzip2 zstd pixz plzip lzop lz4 tabix libdeflate-tools xz-utils bzip2 gzip ncompress unzip zip less python3 lzip python3-indexed-gzip
# make bench-peers needs these too. The last three build the peers that Debian does not have.
BENCH_PEERS = $(PEERS) hyperfine python3-venv cmake nasm
PZCOMP = target/release/pzcomp
CARGO_FUZZ = 0.13.2
FUZZ_TARGETS = inflate gzip_parallel_vs_serial bzip2_blocks

help:            ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

build:           ## the release binary, target/release/pzcomp
	$(CARGO) build --release --locked

demo:            ## a stream through pzcomp, nc and back, against gzip and pigz; installs nothing
	scripts/demo.sh

demo-mariadb:    ## a real backup of a real server, restored and compared
	scripts/demo-mariadb.sh

check:           ## the quick loop after an edit: format, lints and unit tests
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) $(RUN_TESTS) --workspace --lib --bins --locked

test:            ## all tests; installs the peers that they need
	scripts/peers.sh install $(PEERS)
	$(CARGO) fmt --all --check
	for workspace in fuzz benches/dependencies benches/dependencies/xz2; do \
		$(CARGO) fmt --manifest-path $$workspace/Cargo.toml --check || exit 1; done
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) $(RUN_TESTS) --workspace --locked
	$(CARGO) test --workspace --locked --doc

test-suites:     ## the test suites of the original tools, with the originals and with pzcomp: an hour, and downloads
	$(CARGO) build --release --locked
	scripts/test-suites.sh

bench:           ## promises and the first peer of each comparison, in under ten minutes
	$(CARGO) build --release --locked --workspace
	target/release/compare --pzcomp $(PZCOMP) --quick --out benches/results

readme:          ## the table of figures in README.md, from the results of the last make bench
	$(CARGO) run --quiet --locked -p compare --bin readme

bench-full:      ## every installed peer, in every direction and shape, on all data: hours
	$(CARGO) build --release --locked --workspace
	target/release/compare --pzcomp $(PZCOMP) --out benches/results

bench-peers:     ## install the peers of bench, and build those that Debian does not have
	scripts/peers.sh install $(BENCH_PEERS)
	scripts/peers.sh build target/peers

bench-codecs:    ## criterion: codecs and pipeline, without processes and pipes; then bench-dependencies
	$(CARGO) bench --locked -p pzcomp -p pzcomp-deflate -p pzcomp-bzip2 -p model
	$(MAKE) bench-dependencies

bench-dependencies: ## the libraries that pzcomp uses against others: the table in benches/results/dependencies.md
	$(CARGO) build --release --locked --manifest-path benches/dependencies/Cargo.toml --target-dir target/dependencies
	$(CARGO) build --release --locked --manifest-path benches/dependencies/xz2/Cargo.toml --target-dir target/dependencies
	$(CARGO) run --quiet --release --locked -p compare --bin corpus -- nodes 33554432 1 >target/dependencies/nodes
	cd target/dependencies && release/dependencies nodes release/xz2-alone ../../benches/results/dependencies.md

scaling:         ## the speed on 1 to 128 cores, by a model that is checked on one core and two
	$(CARGO) build --release --locked -p model
	target/release/scaling --out benches/results

fuzz:            ## mutated streams through the decoders for FUZZ_SECONDS (default 60) each
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked --test damage -- mutate:: bzip2_verdicts::damaged
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked --test formats -- legacy::damage mixtures
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked -p pzcomp-deflate -- streams_of_all_makers mixtures
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked -p pzcomp-bzip2 --test blocks -- damaged

# libFuzzer needs unstable flags of the compiler, which RUSTC_BOOTSTRAP allows. New inputs stay in fuzz/corpus/, and inputs
# that fail in fuzz/artifacts/.
fuzz-targets:    ## libFuzzer with AddressSanitizer on the targets of fuzz/ for FUZZ_SECONDS (default 60) each
	$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz --locked --version $(CARGO_FUZZ)
	for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target && RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run $$target \
			fuzz/corpus/$$target fuzz/seeds/$$target -- -max_total_time=$${FUZZ_SECONDS:-60} || exit 1; \
	done

# The man pages: pzcomp, and the tools whose names it takes. The page of a tool also has its other names.
PAGES = pzcomp gzip pigz xz bzip2 pbzip2 lbzip2 lzip plzip zstd lz4 bgzip
man:             ## the man pages and the completions, from the definitions of the options
	$(CARGO) build --locked
	mkdir -p man completions
	for tool in $(PAGES); do target/debug/pzcomp --generate $$tool.1 > man/$$tool.1; done
	for shell in bash zsh fish; do target/debug/pzcomp --generate $$shell > completions/pzcomp.$$shell; done

PREFIX ?= /usr/local
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

.PHONY: help build demo demo-mariadb check test test-suites bench readme bench-full bench-peers bench-codecs bench-dependencies scaling fuzz fuzz-targets man install install-links
