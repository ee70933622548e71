"""`pzcomp.distributed` on Dask: one valid file, whatever fails on the way, and nothing left behind."""

import os
import shutil
import subprocess
import sys
import time

import pytest

import pzcomp
from conftest import lines

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
fsspec = pytest.importorskip("fsspec")

from pzcomp.distributed import __main__, _engines, _stores, compress, decompress, recompress, verify  # noqa: E402

SIZE = 300_000
CHUNK = 100_000


@pytest.fixture(scope="module")
def client():
    """A cluster in this process, so that a test can break what its tasks call."""
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        yield client


@pytest.fixture(scope="module")
def data():
    return lines(100_000)


@pytest.fixture
def src(tmp_path, data):
    path = tmp_path / "plain"
    path.write_bytes(data)
    return path


def left_behind(folder, *expected):
    return sorted(set(os.listdir(folder)) - {os.path.basename(path) for path in expected})


@pytest.mark.parametrize("format", ["zstd", "gzip", "lz4", "bzip2", "lzip"])
def test_the_file_is_that_of_one_process(client, src, tmp_path, data, format):
    dst = tmp_path / "coded"
    size, chunk = (SIZE, CHUNK) if format != "lz4" else (4 << 16, 1 << 16)
    result = compress(src, dst, format=format, engine=client, size=size, block_size=chunk)
    assert dst.read_bytes() == pzcomp.compress(data, format=format, block_size=chunk)
    assert (result.plain_length, result.coded_length) == (len(data), dst.stat().st_size)
    assert result.tasks > 5
    assert left_behind(tmp_path, src, dst) == []


@pytest.mark.parametrize("format", ["zstd", "gzip", "xz", "bzip2", "lz4"])
def test_other_tools_read_the_file(client, src, tmp_path, data, format):
    if not shutil.which(format):
        pytest.skip(f"{format} is not installed")
    dst = tmp_path / "coded"
    compress(src, dst, 1, format=format, engine=client, size=SIZE, check=True)
    with open(dst, "rb") as file:
        assert subprocess.run([format, "-dc"], stdin=file, capture_output=True, check=True).stdout == data


@pytest.mark.parametrize("format", ["zstd", "gzip", "xz", "bzip2", "lz4", "lzip"])
def test_a_file_without_data_is_a_file_of_its_format(client, tmp_path, format):
    src, dst, back = tmp_path / "empty", tmp_path / "coded", tmp_path / "back"
    src.write_bytes(b"")
    compress(src, dst, format=format, engine=client)
    assert dst.read_bytes() == pzcomp.compress(b"", format=format)
    recompress(dst, tmp_path / "again.zst", engine=client)
    decompress(tmp_path / "again.zst", back, engine=client)
    assert back.read_bytes() == b""


@pytest.mark.parametrize("format", ["zstd", "gzip", "xz"])
def test_recompress_verify_and_decompress(client, src, tmp_path, data, format):
    coded, again, back = tmp_path / "coded", tmp_path / f"again.{format}", tmp_path / "back"
    coded.write_bytes(pzcomp.compress(data, format=format, block_size=CHUNK))
    result = recompress(coded, again, 9, format="zstd", engine=client, size=SIZE)
    assert result.tasks > 3
    assert pzcomp.decompress(again.read_bytes()) == data
    assert len(pzcomp.frames(again)) > 3
    seen = []
    verify(again, engine=client, against=src, size=SIZE, progress=lambda *done: seen.append(done))
    assert seen[0] == (0, len(data)) and seen[-1] == (len(data), len(data))
    assert decompress(again, back, engine=client, size=SIZE).plain_length == len(data)
    assert back.read_bytes() == data
    assert left_behind(tmp_path, src, coded, again, back) == []


def test_bgzf_with_a_gzi_is_read_by_many_tasks(client, src, tmp_path, data):
    coded, again, back = tmp_path / "coded.gz", tmp_path / "again.zst", tmp_path / "back"
    coded.write_bytes(pzcomp.compress(data, format="gzip", layout="bgzf", index=False))
    gzi = pzcomp.write_index(coded, format="gzi")
    assert verify(coded, engine=client, against=src, size=SIZE).tasks > 3
    assert recompress(coded, again, engine=client, size=SIZE).tasks > 3
    assert pzcomp.decompress(again.read_bytes()) == data
    assert decompress(coded, back, engine=client, size=SIZE).tasks > 3
    assert back.read_bytes() == data
    # In a store, with the index in another place.
    store = fsspec.filesystem("memory")
    store.pipe({"/bgzf/coded.gz": coded.read_bytes(), "/indexes/coded.gzi": open(gzi, "rb").read()})
    with pytest.raises(FileNotFoundError):
        verify("memory://bgzf/coded.gz", engine=client, index="memory://indexes/absent.gzi")
    assert verify("memory://bgzf/coded.gz", engine=client, size=SIZE, index="memory://indexes/coded.gzi").tasks > 3
    store.mv("/indexes/coded.gzi", "/bgzf/coded.gz.gzi")
    assert verify("memory://bgzf/coded.gz", engine=client, size=SIZE).tasks > 3


def test_a_file_of_one_frame_is_streamed_by_one_task(client, src, tmp_path, data, monkeypatch):
    coded, again, back = tmp_path / "coded.gz", tmp_path / "again.zst", tmp_path / "back"
    coded.write_bytes(pzcomp.compress(data, format="gzip", layout="single"))
    monkeypatch.setattr("pzcomp.distributed._tasks.PIECE_LEN", 100_000)
    monkeypatch.setattr("pzcomp.distributed._tasks._PART_LEN", 10_000)
    assert recompress(coded, again, engine=client).tasks == 1
    assert pzcomp.decompress(again.read_bytes()) == data
    assert len(pzcomp.splits(again, SIZE)) > 3
    verify(coded, engine=client, against=src)
    decompress(coded, back, engine=client)
    assert back.read_bytes() == data


def test_damage_is_an_error_and_no_output_appears(client, src, tmp_path, data):
    coded, back = tmp_path / "coded", tmp_path / "back"
    bytes_ = bytearray(pzcomp.compress(data, block_size=CHUNK))
    bytes_[len(bytes_) // 2] ^= 1
    coded.write_bytes(bytes_)
    for call in (verify, lambda *a, **k: decompress(*a, back, **k), lambda *a, **k: recompress(*a, back, **k)):
        with pytest.raises(pzcomp.DamagedError):
            call(coded, engine=client, size=SIZE)
    assert left_behind(tmp_path, src, coded) == []
    other = bytearray(data)
    other[123_456] ^= 1
    src.write_bytes(other)
    coded.write_bytes(pzcomp.compress(data, block_size=CHUNK))
    with pytest.raises(pzcomp.DamagedError, match="123456"):
        verify(coded, engine=client, against=src, size=SIZE)
    src.write_bytes(data + b"more")
    with pytest.raises(pzcomp.DamagedError, match="holds"):
        verify(coded, engine=client, against=src, size=SIZE)


def test_an_output_that_exists_is_kept_unless_told_otherwise(client, src, tmp_path, data):
    dst = tmp_path / "coded.zst"
    dst.write_bytes(b"precious")
    for call in (compress, recompress, decompress):
        with pytest.raises(FileExistsError):
            call(src, dst, engine=client)
    assert dst.read_bytes() == b"precious"
    compress(src, dst, engine=client, overwrite=True)
    assert pzcomp.decompress(dst.read_bytes()) == data


def test_a_task_that_fails_is_done_again(client, src, tmp_path, data, monkeypatch):
    put, failed = _stores.Parts.put, set()

    def flaky(self, number, bytes_):
        found = put(self, number, bytes_)
        if number not in failed:
            failed.add(number)
            raise OSError("the network was away, although the part has arrived")
        return found

    monkeypatch.setattr(_stores.Parts, "put", flaky)
    dst = tmp_path / "coded.zst"
    compress(src, dst, engine=client, size=SIZE, block_size=CHUNK)
    assert len(failed) > 5
    assert dst.read_bytes() == pzcomp.compress(data, block_size=CHUNK)
    assert left_behind(tmp_path, src, dst) == []


def test_a_job_that_is_given_up_leaves_nothing(client, src, tmp_path, monkeypatch):
    put = _stores.Parts.put

    def broken(self, number, bytes_):
        if number > 1_000_000 // 20:
            raise OSError("no space left")
        return put(self, number, bytes_)

    monkeypatch.setattr(_stores.Parts, "put", broken)
    with pytest.raises(OSError, match="no space"):
        compress(src, tmp_path / "coded.zst", engine=client, size=SIZE)
    assert left_behind(tmp_path, src) == []


def test_a_source_that_changes_is_an_error(client, src, tmp_path, data):
    def change(done, total):
        if done:
            os.utime(src, (1, 1))

    with pytest.raises(pzcomp.PzcompError, match="changed"):
        compress(src, tmp_path / "coded.zst", engine=client, size=SIZE, progress=change)
    assert left_behind(tmp_path, src) == []


@pytest.mark.parametrize("minimum", [10_000, 60_000, 200_000, 10**8])
def test_parts_that_are_too_short_for_the_store_are_joined(client, tmp_path, monkeypatch, minimum):
    # Data that compresses well in some places and badly in others.
    chunks = [os.urandom(CHUNK) if n % 7 in (1, 2, 5) else bytes(CHUNK) for n in range(40)]
    plain = b"".join(chunks)
    src, dst = tmp_path / "plain", tmp_path / "coded.zst"
    src.write_bytes(plain)
    finish, lengths = _stores.Parts.finish, []

    def measured(self, parts, tail):
        lengths.extend(os.path.getsize(path) for _, path in sorted(parts))
        finish(self, parts, tail)

    monkeypatch.setattr(_stores.Parts, "minimum", minimum)
    monkeypatch.setattr(_stores.Parts, "finish", measured)
    compress(src, dst, engine=client, size=CHUNK, block_size=CHUNK)
    assert dst.read_bytes() == pzcomp.compress(plain, block_size=CHUNK)
    assert all(length >= minimum for length in lengths)
    assert bool(lengths) == (minimum < 10**8)


def test_a_store_without_files_takes_parts_too(client, data):
    store = fsspec.filesystem("memory")
    store.pipe("/jobs/plain", data)
    compress("memory://jobs/plain", "memory://jobs/coded.zst", engine=client, size=SIZE, block_size=CHUNK)
    assert store.cat("/jobs/coded.zst") == pzcomp.compress(data, block_size=CHUNK)
    decompress("memory://jobs/coded.zst", "memory://jobs/back", engine=client, size=SIZE)
    assert store.cat("/jobs/back") == data
    assert sorted(path.rsplit("/", 1)[1] for path in store.find("/jobs")) == ["back", "coded.zst", "plain"]


def test_options_that_cannot_be_are_errors_before_any_work(client, src, tmp_path):
    with pytest.raises(ValueError):
        compress(src, tmp_path / "coded", 99, engine=client)
    for format in ("zlib", "zip"):
        with pytest.raises(ValueError, match=f"{format} cannot be written in parts"):
            compress(src, tmp_path / "coded", format=format, engine=client)
    with pytest.raises(ValueError, match="xz cannot be written in this layout in parts"):
        compress(src, tmp_path / "coded", format="lzma", engine=client)
    with pytest.raises(ValueError, match="gzip cannot be written in this layout in parts.* write it in one process"):
        compress(src, tmp_path / "coded.gz", layout="bgzf", engine=client)
    with pytest.raises(FileNotFoundError):
        compress(tmp_path / "absent", tmp_path / "coded", engine=client)
    assert left_behind(tmp_path, src) == []


def test_the_suffix_of_the_output_and_its_folder_must_be_right(client, src, tmp_path, data):
    for call in (compress, recompress):
        with pytest.raises(ValueError, match="format='zstd'"):
            call(src, tmp_path / "coded.csv", engine=client)
        with pytest.raises(ValueError, match="gzip cannot be written in this layout in parts"):
            call(src, tmp_path / "coded.bgz", engine=client)
    coded = tmp_path / "coded.zst"
    coded.write_bytes(pzcomp.compress(data))
    for call, source in ((compress, src), (recompress, coded), (decompress, coded)):
        with pytest.raises(FileNotFoundError):
            call(source, tmp_path / "absent" / "coded.zst", engine=client)
    assert left_behind(tmp_path, src, coded) == []


def test_the_window_of_an_engine_is_bounded_and_a_failure_cancels_the_rest():
    class Engine:
        most = running = 0
        cancelled = None

        def slots(self):
            return 2

        def submit(self, function, *arguments):
            self.running += 1
            self.most = max(self.most, self.running)
            return function, arguments

        def wait(self, futures):
            self.running -= 1
            return futures[:1]

        def result(self, future):
            return future[0](*future[1])

        def cancel(self, futures):
            self.cancelled = len(futures)

    engine = Engine()
    assert dict(_engines.run(engine, lambda n: n * n, ((n,) for n in range(9)))) == {n: n * n for n in range(9)}
    assert (engine.most, engine.cancelled) == (4, 0)
    engine = Engine()
    with pytest.raises(ZeroDivisionError):
        list(_engines.run(engine, lambda n: 1 // (n - 1), ((n,) for n in range(9))))
    assert engine.cancelled > 0


def test_a_worker_that_is_killed_costs_time_and_no_data(tmp_path):
    plain = lines(100_000) * 20
    src, dst = tmp_path / "plain", tmp_path / "coded.zst"
    src.write_bytes(plain)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            killed = []

            def kill(done, total):
                if done and not killed:
                    killed.append(True)
                    pids = client.run(os.getpid)
                    os.kill(next(iter(pids.values())), 9)

            compress(src, dst, 9, engine=client, size=SIZE, block_size=CHUNK, progress=kill)
            assert killed
            verify(dst, engine=client, against=src, size=SIZE)
    assert dst.read_bytes() == pzcomp.compress(plain, 9, block_size=CHUNK)
    assert left_behind(tmp_path, src, dst) == []


def test_a_task_that_ends_its_workers_is_an_error_that_says_so():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        with pytest.raises(pzcomp.PzcompError, match="1 of its workers have ended in it.*tcp://.*smaller size"):
            list(_engines.run(_engines.DaskEngine(client), os._exit, [(1,)]))


def test_tasks_that_the_cluster_drops_are_an_error_that_says_so(client):
    engine = _engines.DaskEngine(client)
    future = engine.submit(time.sleep, 0.1)
    engine.cancel([future])
    for function in (engine.result, lambda future: engine.wait([future])):
        with pytest.raises(pzcomp.PzcompError, match="Dask has cancelled the tasks; see whether the scheduler runs"):
            function(future)


def test_the_command_takes_an_index_a_block_size_and_two_stores(client, src, tmp_path, data, monkeypatch):
    monkeypatch.setattr(__main__, "_engine", lambda args: (client, lambda: None))
    dst, back = tmp_path / "coded.gz", tmp_path / "back"
    assert __main__.main(["compress", str(src), str(dst), "--block-size", "100 kB", "--size", "300 kB", "-q"]) == 0
    assert dst.read_bytes() == pzcomp.compress(data, format="gzip", block_size=CHUNK)
    dst.write_bytes(pzcomp.compress(data, format="gzip", layout="bgzf", index=False))
    os.replace(pzcomp.write_index(dst, format="gzi"), tmp_path / "elsewhere")
    line = ["decompress", str(dst), "memory://command/back", "--dst-storage", "{}", "--size", "300 kB"]
    assert __main__.main([*line, "--index", str(tmp_path / "elsewhere"), "-q"]) == 0
    assert fsspec.filesystem("memory").cat("/command/back") == data
    assert __main__.main(["decompress", str(dst), str(back), "--index", str(tmp_path / "absent"), "-q"]) == 1
    for wrong in (["--storage", "profile=backup"], ["--storage", "3"], ["--size", "many"]):
        with pytest.raises(SystemExit):
            __main__.main(["verify", str(dst), *wrong])
    assert not back.exists()


def test_the_command_compresses_verifies_and_tells_what_is_wrong(src, tmp_path, data):
    def command(*arguments):
        line = [sys.executable, "-m", "pzcomp.distributed", *map(str, arguments), "--local", "1"]
        return subprocess.run(line, capture_output=True, text=True)

    dst = tmp_path / "coded.zst"
    done = command("compress", src, dst, "--size", "300 kB", "-l", "3")
    assert done.returncode == 0, done.stderr
    assert f"{len(data)} plain bytes" in done.stderr and "100 %" in done.stderr
    assert pzcomp.decompress(dst.read_bytes()) == data
    refused = command("compress", src, dst)
    assert refused.returncode == 1
    assert "exists" in refused.stderr and "Traceback" not in refused.stderr
    done = command("verify", dst, "--against", src)
    assert done.returncode == 0 and f"{dst}: equal to {src}, {len(data)} plain bytes" in done.stderr
    # Each of the four attempts fails, and one line says why.
    refused = command("verify", src, "-q")
    assert refused.returncode == 1
    assert refused.stderr.count("not in a compressed format") == refused.stderr.count(f"in {src}") == 1, refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_command_says_what_spark_lacks(src, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert __main__.main(["verify", str(src), "--spark", "local[2]", "-q"]) == 1
    assert "install what is missing with pip: the extras dask, ray, spark" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        __main__.main(["verify", str(src), "--spark", "--local"])
