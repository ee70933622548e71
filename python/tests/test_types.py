"""The stubs agree with the package."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pzcomp

USE = """
import io
import pzcomp
import pzcomp.fsspec
from pzcomp import bz2, gzip, lzma

reader: pzcomp.Reader = pzcomp.open("a.zst")
data: bytes = reader.read_at(0, 10)
writer: pzcomp.Writer = pzcomp.open("a.zst", "wb", level=3, threads=2)
text: io.TextIOWrapper = pzcomp.open("a.gz", "rt", encoding="utf-8")
inner: gzip.GzipFile = gzip.open("a.gz", "wb", 6)
other: io.TextIOWrapper = lzma.open("a.xz", "rt")
block: bytes = bz2.BZ2File("a.bz2").read(100)
coded: bytes = pzcomp.compress(memoryview(b"three"), format="gzip")
length: int | None = pzcomp.frames("a.zst")[0].plain_length
records: bytes = pzcomp.splits("a.zst", "64 MiB", delimiter=b"\\n")[0].read()
"""


def test_the_package_says_that_it_is_typed():
    folder = Path(inspect.getfile(pzcomp)).parent
    assert (folder / "py.typed").exists() and (folder / "__init__.pyi").exists()


def test_programs_are_checked(tmp_path):
    pytest.importorskip("mypy")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(USE)
    bad.write_text("import pzcomp\nwrong: str = pzcomp.compress(b'')\n")
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}/cache"]
    found = subprocess.run([*command, good], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert subprocess.run([*command, bad], capture_output=True).returncode == 1


# Modules without stubs, which need packages that may be absent; and names that are there for a moment only.
NOT_COMPARED = r"""
pzcomp\.(dask|ray|distributed)(\..*)?
pzcomp\._errors\._error
"""


def test_the_stubs_agree_with_the_modules(tmp_path):
    pytest.importorskip("mypy.stubtest")
    (tmp_path / "not_compared").write_text(NOT_COMPARED)
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy.stubtest", "pzcomp", "--concise", "--ignore-unused-allowlist"]
    command += ["--allowlist", "not_compared", "--mypy-config-file", "mypy.ini"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
