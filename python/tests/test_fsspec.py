"""fsspec, pandas and pyarrow read through pzcomp."""

import io
import subprocess
import sys

import pytest

import pzcomp

fsspec = pytest.importorskip("fsspec")

import pzcomp.fsspec  # noqa: E402

ROWS = "".join(f"{number},{number * 7 % 1000},name {number}\n" for number in range(50_000))
TABLE = ("id,value,name\n" + ROWS).encode()
NAMES = [name for name, _, _ in pzcomp.fsspec.COMPRESSIONS]


@pytest.mark.parametrize("name", NAMES)
def test_fsspec_writes_and_reads_through_pzcomp(tmp_path, name):
    path = f"{tmp_path}/data.{dict((n, s[0]) for n, _, s in pzcomp.fsspec.COMPRESSIONS)[name]}"
    with fsspec.open(path, "wb", compression=name) as file:
        assert isinstance(file, pzcomp.Writer)
        file.write(TABLE)
    with open(path, "rb") as file:
        assert pzcomp.decompress(file.read()) == TABLE
    for compression in (name, "infer"):
        with fsspec.open(path, "rb", compression=compression) as file:
            assert isinstance(file, pzcomp.Reader)
            assert file.read() == TABLE
            file.seek(1000)
            assert file.read(10) == TABLE[1000:1010]
    with fsspec.open(path, "rt", compression="infer") as file:
        assert next(file) == "id,value,name\n"


def test_a_store_is_asked_for_the_range_only():
    memory = fsspec.filesystem("memory")
    coded = pzcomp.compress(TABLE * 20, block_size=1 << 20)
    memory.pipe("/data.zst", coded)
    with memory.open("/data.zst", "rb") as file, pzcomp.open(file) as opened:
        opened.seek(20 * len(TABLE) - 10)
        assert opened.read() == TABLE[-10:]


def test_pandas_reads_through_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = f"{tmp_path}/table.csv.zst"
    with pzcomp.open(path, "wb") as file:
        file.write(TABLE)
    expected = pandas.read_csv(io.BytesIO(TABLE))
    with pzcomp.open(path) as file:
        assert pandas.read_csv(file).equals(expected)
    with fsspec.open(path, "rb", compression="infer") as file:
        assert isinstance(file, pzcomp.Reader)
        assert pandas.read_csv(file).equals(expected)
    with pzcomp.open(tmp_path / "out.csv.gz", "wt", newline="") as file:
        expected.to_csv(file, index=False)
    assert pandas.read_csv(tmp_path / "out.csv.gz").equals(expected)


def test_pyarrow_reads_through_it(tmp_path):
    csv = pytest.importorskip("pyarrow.csv")
    pyarrow = pytest.importorskip("pyarrow")
    path = f"{tmp_path}/table.csv.gz"
    with pzcomp.open(path, "wb") as file:
        file.write(TABLE)
    expected = csv.read_csv(io.BytesIO(TABLE))
    with pzcomp.open(path) as file:
        assert csv.read_csv(file).equals(expected)
    with pzcomp.open(path) as file:
        assert pyarrow.PythonFile(file, mode="r").read() == TABLE
    with fsspec.open(path, "rb", compression="infer") as file:
        assert csv.read_csv(file).equals(expected)


def test_importing_pzcomp_alone_does_not_change_fsspec():
    script = "import fsspec.compression as u; before = dict(u.compr); import pzcomp; assert u.compr == before"
    subprocess.run([sys.executable, "-c", script], check=True)
