"""`pzcomp.ray`, and `pzcomp.distributed` on Ray with two CPUs. `make test-ray` runs it: Ray takes long to start."""

import os

import pytest

import pzcomp
from conftest import lines

ray = pytest.importorskip("ray")
pytest.importorskip("pyarrow")

import pzcomp.ray  # noqa: E402
from pzcomp.distributed import _tasks, compress, decompress, recompress, verify  # noqa: E402
from test_splits import FILES, records_of, written  # noqa: E402

SIZE = 40_000


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    yield
    ray.shutdown()


@pytest.mark.parametrize("name", ["zstd", "gzip of one member with an index", "xz", "bzip2"])
@pytest.mark.parametrize("kind", ["no last newline", "longer than splits", "empty"])
def test_rows_are_those_of_the_whole_file(tmp_path, name, kind):
    plain, delimiter = records_of(kind)
    path, _ = written(tmp_path, name, plain)
    records = plain.split(delimiter)
    records = records if records[-1] else records[:-1]
    rows = pzcomp.ray.read_binary(path, delimiter=delimiter, size=SIZE).take_all()
    assert [row["bytes"] for row in rows] == records
    whole = pzcomp.ray.read_binary(path, size=SIZE).take_all()
    assert b"".join(row["bytes"] for row in whole) == plain
    if kind != "longer than splits":
        text = pzcomp.ray.read_text(path, size=SIZE, drop_empty_lines=False).take_all()
        assert [row["text"] for row in text] == plain.decode().splitlines()


def test_lines_are_those_that_ray_reads_of_the_plain_file(tmp_path):
    plain = lines(20_000).replace(b"3\t", b"\n\n")
    (tmp_path / "plain.txt").write_bytes(plain)
    path, _ = written(tmp_path, "zstd", plain)
    found = pzcomp.ray.read_text(path, size=SIZE)
    assert found.take_all() == ray.data.read_text(str(tmp_path / "plain.txt")).take_all()
    source = pzcomp.ray.SplitDatasource(path, None, size=SIZE, delimiter=b"\n")
    assert len(source.get_read_tasks(2)) == len(pzcomp.splits(path, SIZE)) > 5
    assert source.estimate_inmemory_data_size() == len(plain)


def _dies_once(source, target, numbers, *rest):
    """A task whose process is killed the first time."""
    mark = f"{source.url}.killed"
    if source.start and not os.path.exists(mark):
        open(mark, "x").close()
        os._exit(9)
    return _compress_part(source, target, numbers, *rest)


_compress_part = _tasks.compress_part


def test_there_and_back_with_a_worker_that_is_killed(tmp_path, monkeypatch):
    plain = lines(400_000)
    src, dst, again, back = (tmp_path / name for name in ("plain", "coded.zst", "again.gz", "back"))
    src.write_bytes(plain)
    monkeypatch.setattr(_tasks, "compress_part", _dies_once)
    compress(src, dst, 9, engine="ray", size="1 MiB", block_size=1 << 18)
    assert os.path.exists(f"{src}.killed")
    assert dst.read_bytes() == pzcomp.compress(plain, 9, block_size=1 << 18)
    monkeypatch.undo()
    verify(dst, against=src, engine="ray", size="1 MiB")
    recompress(dst, again, 1, engine="ray", size="1 MiB")
    decompress(again, back, engine="ray", size="1 MiB")
    assert back.read_bytes() == plain


def _dies(*_):
    os._exit(9)


def test_a_task_whose_workers_all_die_is_an_error_in_words(tmp_path, monkeypatch):
    src, dst = tmp_path / "plain", tmp_path / "coded.zst"
    src.write_bytes(lines(40_000))
    monkeypatch.setattr(_tasks, "compress_part", _dies)
    with pytest.raises(pzcomp.PzcompError, match="^Ray has given up a task; .* Ray says: "):
        compress(src, dst, engine="ray", size=SIZE)
    assert os.listdir(tmp_path) == ["plain"]


def test_damage_is_an_error_of_pzcomp(tmp_path):
    data = bytearray(pzcomp.compress(lines(40_000), block_size=10_000))
    data[len(data) // 2] ^= 1
    (tmp_path / "coded").write_bytes(data)
    with pytest.raises(pzcomp.DamagedError):
        verify(tmp_path / "coded", engine="ray", size=SIZE)
