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


FILES = {"zstd": ("zst", {}), "gzip": ("gz", {}), "xz": ("xz", {}), "gzip of one member": ("gz", {"layout": "single", "index": False})}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("has_index", [False, True])
def test_a_file_system_shows_the_plain_file(tmp_path, name, has_index):
    suffix, options = FILES[name]
    path = tmp_path / f"data.csv.{suffix}"
    with pzcomp.open(path, "wb", block_size=100_000, **options) as file:
        file.write(TABLE)
    if has_index:
        pzcomp.write_index(path)
    store, at = fsspec.url_to_fs(f"pzcomp::file://{path}")
    assert isinstance(store, pzcomp.fsspec.PlainFileSystem)
    length = None if name == "gzip of one member" and not has_index else len(TABLE)
    assert store.info(at)["size"] == store.size(at) == length
    assert store.cat_file(at) == TABLE
    assert store.cat_ranges([at] * 3, [0, 70_000, len(TABLE) - 5], [10, 70_003, len(TABLE) + 9]) == [
        TABLE[:10],
        TABLE[70_000:70_003],
        TABLE[-5:],
    ]
    assert store.cat_file(at, -20, -3) == TABLE[-20:-3] and store.cat_file(at, 5) == TABLE[5:]
    with store.open(at) as file:
        file.seek(100)
        assert file.read(10) == TABLE[100:110]
    with fsspec.open(f"pzcomp::file://{path}", "rt") as file:
        assert next(file) == "id,value,name\n"
    assert store.exists(at) and store.isfile(at) and not store.exists(at + "x")
    [url] = fsspec.open_files(f"pzcomp::file://{tmp_path}/*.{suffix}")
    assert url.full_name.startswith("pzcomp::file:///") and url.open().read(5) == TABLE[:5]
    with pytest.raises(OSError):
        store.open(at, "wb")
    assert path.read_bytes()[:2] != TABLE[:2]


def test_the_file_system_of_a_store(tmp_path):
    pandas = pytest.importorskip("pandas")
    fsspec.filesystem("memory").pipe("/plain/data.csv.zst", pzcomp.compress(TABLE, block_size=100_000))
    url = "pzcomp::memory://plain/data.csv.zst"
    store, at = fsspec.url_to_fs(url)
    assert store.size(at) == len(TABLE) and store.ls("/plain", detail=False) == ["/plain/data.csv.zst"]
    assert store.unstrip_protocol(at) == "pzcomp::memory:///plain/data.csv.zst"
    assert pandas.read_csv(url, compression=None).equals(pandas.read_csv(io.BytesIO(TABLE)))


def test_the_package_names_the_file_system_as_its_entry_point():
    import importlib
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    module, name = project["entry-points"]["fsspec.specs"]["pzcomp"].split(":")
    assert getattr(importlib.import_module(module), name) is pzcomp.fsspec.PlainFileSystem
