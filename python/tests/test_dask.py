"""`pzcomp.dask`: blocks and lines of compressed files are those of the plain files, and only the blocks asked for are read."""

import gzip
import io

import pytest

import pzcomp
from conftest import lines

dask = pytest.importorskip("dask")
pytest.importorskip("fsspec")
import dask.bag  # noqa: E402
import dask.bytes  # noqa: E402

import pzcomp.dask  # noqa: E402
from test_splits import FILES, KINDS, records_of, written  # noqa: E402

SIZE = 40_000


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="sync"):
        yield


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in FILES if name != "zlib"])
def test_blocks_and_lines_are_those_of_the_whole_file(tmp_path, name, kind):
    plain, delimiter = records_of(kind)
    path, _ = written(tmp_path, name, plain)
    sample, [blocks] = pzcomp.dask.read_bytes(path, delimiter=delimiter, blocksize=SIZE, sample=100)
    assert b"".join(dask.compute(*blocks)) == plain
    assert plain.startswith(sample) and (sample.endswith(delimiter) or sample == plain)
    if kind != "longer than splits":
        bag = pzcomp.dask.read_text(path, blocksize=SIZE)
        assert bag.compute() == list(io.StringIO(plain.decode(), newline=None))


@pytest.mark.parametrize("delimiter", [None, "\n", "\r\n", "\t", "<end>"])
def test_lines_are_those_that_dask_reads_of_the_plain_file(tmp_path, delimiter):
    text = lines(20_000).decode().replace("7\n", "7\r\n").replace("5\t", "5<end>")
    (tmp_path / "plain").write_text(text, newline="")
    with pzcomp.open(tmp_path / "coded.zst", "wb", block_size=10_000) as file:
        file.write(text.encode())
    expected = dask.bag.read_text(str(tmp_path / "plain"), blocksize=SIZE, linedelimiter=delimiter).compute()
    found = pzcomp.dask.read_text(str(tmp_path / "coded.zst"), blocksize=SIZE, linedelimiter=delimiter)
    assert found.npartitions > 5
    assert found.compute() == expected


def test_many_files_keep_their_order_and_their_paths(tmp_path):
    for n in range(3):
        (tmp_path / f"{n}.gz").write_bytes(gzip.compress(b"%d\n" % n * 3))
    sample, blocks, paths = pzcomp.dask.read_bytes(str(tmp_path / "*.gz"), include_path=True, sample=False)
    assert [path[-4:] for path in paths] == ["0.gz", "1.gz", "2.gz"]
    assert sample is False
    assert [dask.compute(*of) for of in blocks] == [(b"%d\n" % n * 3,) for n in range(3)]
    bag = pzcomp.dask.read_text(str(tmp_path / "*.gz"), include_path=True).compute()
    assert bag[4] == ("1\n", paths[1])
    with pytest.raises(FileNotFoundError):
        pzcomp.dask.read_text(str(tmp_path / "*.xz"))


def test_a_block_is_read_by_one_task_and_only_when_it_is_asked_for(tmp_path):
    plain = lines(40_000)
    (tmp_path / "file").write_bytes(pzcomp.compress(plain, block_size=10_000))
    _, [blocks] = pzcomp.dask.read_bytes(str(tmp_path / "file"), delimiter=b"\n", blocksize=SIZE, sample=False)
    assert len(blocks) > 5
    assert all(len(block.dask) <= 2 for block in blocks)
    (tmp_path / "file").unlink()
    with pytest.raises(FileNotFoundError):
        blocks[0].compute()


def test_an_encoding_whose_line_ends_are_not_one_byte_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(pzcomp.compress("a\nb".encode("utf-16-le")))
    with pytest.raises(ValueError, match="utf-16"):
        pzcomp.dask.read_text(str(tmp_path / "file"), encoding="utf-16-le")
