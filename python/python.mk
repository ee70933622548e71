# Targets for the Python package. The Makefile includes this file.

# A Python that can make virtual environments, 3.11 or newer.
PYTHON ?= python3
PYTHON_VENV = target/python
PYTHON_RUN = $(PYTHON_VENV)/bin/python
# What the tests read through, and what builds the wheel.
PYTHON_TESTS_NEED = maturin pytest fsspec pandas pyarrow mypy dask distributed
# What only the long tests need: Ray, and S3 on the loopback interface.
PYTHON_RAY_NEEDS = ray[data]
PYTHON_S3_NEEDS = s3fs moto[server]
PYTHON_ARROW_NEEDS = dask[dataframe] duckdb polars
PYTHON_SPARK_NEEDS = pyspark==4.0.1
PYTHON_BENCH_NEEDS = isal rapidgzip zstandard indexed_gzip

PYTEST = cd python/tests && ../../$(PYTHON_RUN) -m pytest -c ../pyproject.toml -q

test: test-python
test-python: python-module ## the Python package with Dask: puts it into target/python, runs pytest
	$(PYTEST) $(foreach long,ray s3 spark arrow_peers dask_frames,--ignore=test_$(long).py) .

# The extension module comes from the build that the other tests use, so that nothing is compiled twice. A wheel would need
# a build with features of its own; the packages of make dist and the targets below make one.
python-module: $(PYTHON_VENV)/installed
	$(CARGO) build --quiet --locked --workspace --lib --tests
	site=$$($(PYTHON_RUN) -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
		rm -rf "$$site/pzcomp" && cp -r python/pzcomp "$$site/pzcomp" && \
		cp "$${CARGO_TARGET_DIR:-target}/debug/lib_pzcomp.so" "$$site/pzcomp/_pzcomp.abi3.so"

test-ray: python-wheel
	$(PYTHON_RUN) -m pip install --quiet '$(PYTHON_RAY_NEEDS)'
	$(PYTEST) test_ray.py

test-s3: python-wheel
	$(PYTHON_RUN) -m pip install --quiet $(foreach need,$(PYTHON_S3_NEEDS),'$(need)')
	$(PYTEST) test_s3.py

test-arrow: python-wheel
	$(PYTHON_RUN) -m pip install --quiet $(foreach need,$(PYTHON_ARROW_NEEDS),'$(need)')
	$(PYTEST) test_arrow.py test_arrow_peers.py test_dask_frames.py test_fsspec.py

test-spark: python-wheel
	command -v java >/dev/null || scripts/peers.sh install openjdk-17-jre-headless
	$(PYTHON_RUN) -m pip install --quiet '$(PYTHON_SPARK_NEEDS)'
	$(PYTEST) test_spark.py

python-wheel: WHEEL_PROFILE = --profile dev
python-release-wheel: WHEEL_PROFILE = --release
python-wheel python-release-wheel: $(PYTHON_VENV)/installed
	rm -rf target/wheels
	$(PYTHON_VENV)/bin/maturin build --quiet --locked $(WHEEL_PROFILE) -m python/Cargo.toml -o target/wheels
	$(PYTHON_RUN) -m pip install --quiet --no-deps --force-reinstall target/wheels/*.whl

bench-python: python-release-wheel
	$(PYTHON_RUN) -m pip install --quiet $(PYTHON_BENCH_NEEDS)
	$(CARGO) run --quiet --release --locked -p corpus -- nodes 268435456 1 >target/nodes
	$(PYTHON_RUN) python/benches/read.py target/nodes

# The tests need no network after the first time.
$(PYTHON_VENV)/installed: python/python.mk
	$(PYTHON) -m venv $(PYTHON_VENV) || { scripts/peers.sh install python3-venv && $(PYTHON) -m venv $(PYTHON_VENV); }
	$(PYTHON_RUN) -m pip install --quiet $(PYTHON_TESTS_NEED)
	touch $@

.PHONY: test-python python-module test-ray test-s3 test-arrow test-spark python-wheel python-release-wheel bench-python
