"""DuckDB and Polars read what `pzcomp.arrow` gives, and fsspec finds `pzcomp::`. `make test-arrow` runs it with a wheel."""

import subprocess
import sys

import duckdb
import polars
import pytest

import pzcomp.arrow
from test_arrow import SIZE, stored, table


def test_duckdb_and_polars_read_it(tmp_path):
    path = stored(tmp_path, table())
    total = sum(range(30_000))
    trips = pzcomp.arrow.csv(path, size=SIZE)  # noqa: F841 (DuckDB finds it by its name)
    assert duckdb.sql("SELECT sum(id) FROM trips").fetchall() == [(total,)]
    assert polars.from_arrow(pzcomp.arrow.csv(path, size=SIZE))["id"].sum() == total
    bad = pzcomp.arrow.csv(stored(tmp_path, table() + b"x,1,a\n"), {"id": "int64"}, size=SIZE)  # noqa: F841
    with pytest.raises(Exception, match="record at offset"):
        duckdb.sql("SELECT sum(id) FROM bad").fetchall()


def test_fsspec_finds_the_file_system_of_an_installed_package(tmp_path):
    (tmp_path / "file.zst").write_bytes(pzcomp.compress(b"plain"))
    script = "import fsspec, sys; print(fsspec.open(sys.argv[1]).open().read().decode())"
    command = [sys.executable, "-c", script, f"pzcomp::file://{tmp_path}/file.zst"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "plain\n"
