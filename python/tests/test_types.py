"""The types of the package: programs are checked by them, and the stub of the extension module agrees with it."""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pzcomp

USE = """
import io
from typing import IO, Any
import pzcomp
import pzcomp.arrow
import pzcomp.dask
import pzcomp.distributed
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
mode: str = "wb"
either: IO[Any] = pzcomp.open("a.gz", mode, 6, format="gzip", layout="bgzf", threads=2)
best: pzcomp.Writer = pzcomp.open("a.xz", "wb", compresslevel=9, check="sha256", extreme=True, block_size=1 << 20)
written: io.TextIOWrapper = pzcomp.open("a.xz", "wt", 9, encoding="utf-8", index=False)
done: pzcomp.distributed.Result = pzcomp.distributed.compress("a", "a.zst", 9, size="1 GiB", block_size=1 << 20)
length = pzcomp.distributed.verify("a.zst", against="a", progress=lambda done, total: None).plain_length
sample, blocks = pzcomp.dask.read_bytes("a.zst", b"\\n", "64 MiB")
rows = pzcomp.arrow.csv("a.csv.zst", {"id": "int64"}, columns=["id"], threads=2)
records: bytes = pzcomp.splits("a.zst", "64 MiB", delimiter=b"\\n")[0].read()
"""


def test_the_package_says_that_it_is_typed():
    folder = Path(inspect.getfile(pzcomp)).parent
    assert (folder / "py.typed").exists()


# Each line is an error, and it is this argument that is wrong.
WRONG = """
pzcomp.open("a.zst", "wb", blok_size=1 << 20)
pzcomp.open("a.zst", "wt", layout="frame")
pzcomp.open("a.zst", format="gzp")
pzcomp.open("a.zst", mode, levle=3)
pzcomp.compress(b"", chekc="crc32")
pzcomp.compress(b"", 3, check="crc")
pzcomp.decompress(b"", treads=3)
pzcomp.Writer("a.zst", "wb", blok_size=1)
pzcomp.splits("a.zst", sise=3)
pzcomp.distributed.compress("a", "a.zst", blok_size=3)
pzcomp.distributed.recompress("a", "a.zst", levle=3)
pzcomp.distributed.verify("a.zst", engin="ray")
pzcomp.dask.read_text("a.zst", block_size=3)
pzcomp.dask.read_csv("a.zst", block_size=3)
pzcomp.arrow.csv("a.zst", shema={})
pzcomp.arrow.json("a.zst", delimiter=";")
"""


def mypy(path):
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={path.parent}/cache", path]
    return subprocess.run(command, capture_output=True, text=True)


def test_programs_are_checked(tmp_path):
    pytest.importorskip("mypy")
    pytest.importorskip("distributed")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(USE)
    found = mypy(good)
    assert found.returncode == 0, found.stdout + found.stderr
    first = "import pzcomp, pzcomp.arrow, pzcomp.dask, pzcomp.distributed\nmode = str()"
    bad.write_text(first + WRONG)
    found = mypy(bad).stdout
    for number, line in enumerate(WRONG.split("\n")[1:-1], 3):
        assert f"bad.py:{number}: error" in found, f"{line}\n{found}"


def test_a_typing_error_in_an_option_raises(tmp_path):
    pytest.importorskip("distributed")
    for name in ("arrow", "dask", "distributed"):
        importlib.import_module(f"pzcomp.{name}")
    lines = WRONG + 'pzcomp.open("a.zst", "rb", block_size=1 << 20)\n'
    path = tmp_path / "a.zst"
    path.write_bytes(pzcomp.compress(b"precious"))
    for line in lines.split("\n")[1:-1]:
        with pytest.raises((TypeError, ValueError)):
            exec(line.replace("a.zst", str(path)), {"pzcomp": pzcomp, "mode": "wb"})
    assert pzcomp.open(path).read() == b"precious"


def test_the_stub_agrees_with_the_extension_module(tmp_path):
    pytest.importorskip("mypy.stubtest")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy.stubtest", "pzcomp._pzcomp", "--concise", "--mypy-config-file", "mypy.ini"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
