# Targets for the Python package. The Makefile includes this file.

# A Python that can make virtual environments, 3.11 or newer.
PYTHON ?= python3
PYTHON_VENV = target/python
PYTHON_RUN = $(PYTHON_VENV)/bin/python
# What the tests read through, and what builds the wheel.
PYTHON_TESTS_NEED = maturin pytest fsspec pandas pyarrow mypy
PYTHON_BENCH_NEEDS = isal rapidgzip zstandard indexed_gzip

test: test-python
test-python: $(PYTHON_VENV)/installed ## the Python package: builds its wheel, installs it in target/python, runs pytest
	rm -rf target/wheels
	$(PYTHON_VENV)/bin/maturin build --quiet --locked --profile dev -m python/Cargo.toml -o target/wheels
	$(PYTHON_RUN) -m pip install --quiet --no-deps --force-reinstall target/wheels/*.whl
	cd python/tests && ../../$(PYTHON_RUN) -m pytest -c ../pyproject.toml -q .

bench-python: $(PYTHON_VENV)/installed ## read() of 256 MiB by the Python package, and by the packages it competes with
	$(PYTHON_RUN) -m pip install --quiet $(PYTHON_BENCH_NEEDS)
	rm -rf target/wheels
	$(PYTHON_VENV)/bin/maturin build --quiet --locked --release -m python/Cargo.toml -o target/wheels
	$(PYTHON_RUN) -m pip install --quiet --no-deps --force-reinstall target/wheels/*.whl
	$(CARGO) run --quiet --release --locked -p compare --bin corpus -- nodes 268435456 1 >target/nodes
	$(PYTHON_RUN) python/benches/read.py target/nodes

# The tests need no network after the first time.
$(PYTHON_VENV)/installed: python/python.mk
	$(PYTHON) -m venv $(PYTHON_VENV) || { scripts/peers.sh install python3-venv && $(PYTHON) -m venv $(PYTHON_VENV); }
	$(PYTHON_RUN) -m pip install --quiet $(PYTHON_TESTS_NEED)
	touch $@

.PHONY: test-python bench-python
