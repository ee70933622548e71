"""`pzcomp.distributed` on S3, which moto plays on the loopback interface: parts of a multipart upload. `make test-s3`."""

import os

import pytest

import pzcomp
from conftest import lines

distributed = pytest.importorskip("distributed")
pytest.importorskip("s3fs")
server = pytest.importorskip("moto.server")

import fsspec  # noqa: E402

import pzcomp.dask  # noqa: E402
from pzcomp.distributed import _stores, compress, decompress, recompress, verify  # noqa: E402

MIB = 1 << 20


@pytest.fixture(scope="module")
def storage():
    """The options of fsspec for the server."""
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield {"key": "a", "secret": "b", "client_kwargs": {"endpoint_url": f"http://{host}:{port}"}}
    running.stop()


@pytest.fixture
def bucket(storage):
    store = fsspec.filesystem("s3", **storage)
    name = f"b{os.urandom(6).hex()}"
    store.mkdir(name)
    yield f"s3://{name}"
    uploads = store.call_s3("list_multipart_uploads", Bucket=name).get("Uploads", [])
    assert uploads == [], "an upload was left"


@pytest.fixture(scope="module")
def client():
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        yield client


def test_there_and_back(client, storage, bucket):
    plain = lines(1_200_000)
    store = fsspec.filesystem("s3", **storage)
    store.pipe(f"{bucket}/plain", plain)
    shared = {"engine": client, "storage_options": storage}
    result = compress(f"{bucket}/plain", f"{bucket}/coded.zst", 3, size="16 MiB", **shared)
    assert result.plain_length == len(plain)
    assert store.cat(f"{bucket}/coded.zst") == pzcomp.compress(plain, 3)
    verify(f"{bucket}/coded.zst", against=f"{bucket}/plain", size="8 MiB", **shared)
    recompress(f"{bucket}/coded.zst", f"{bucket}/again.gz", 1, size="16 MiB", **shared)
    assert pzcomp.decompress(store.cat(f"{bucket}/again.gz")) == plain
    decompress(f"{bucket}/again.gz", f"{bucket}/back", size="8 MiB", **shared)
    assert store.cat(f"{bucket}/back") == plain
    bag = pzcomp.dask.read_text(f"{bucket}/again.gz", blocksize="8 MiB", storage_options=storage)
    assert bag.npartitions > 2
    assert bag.count().compute() == plain.count(b"\n")


def test_parts_that_are_too_short_for_s3_are_joined(client, storage, bucket):
    # Random data makes parts that are long enough. The zeros between them do not.
    plain = b"".join(os.urandom(6 * MIB) if n % 3 == 1 else bytes(6 * MIB) for n in range(8))
    store = fsspec.filesystem("s3", **storage)
    store.pipe(f"{bucket}/plain", plain)
    options = {"engine": client, "storage_options": storage, "size": 6 * MIB, "block_size": MIB}
    compress(f"{bucket}/plain", f"{bucket}/coded.zst", 1, **options)
    assert store.cat(f"{bucket}/coded.zst") == pzcomp.compress(plain, 1, block_size=MIB)


def test_files_that_are_shorter_than_a_part(client, storage, bucket):
    store = fsspec.filesystem("s3", **storage)
    for plain in (b"", b"three in the morning"):
        store.pipe(f"{bucket}/plain", plain)
        options = {"engine": client, "storage_options": storage, "overwrite": True}
        compress(f"{bucket}/plain", f"{bucket}/coded.zst", **options)
        assert store.cat(f"{bucket}/coded.zst") == pzcomp.compress(plain)
        decompress(f"{bucket}/coded.zst", f"{bucket}/back", **options)
        assert store.cat(f"{bucket}/back") == plain


def test_a_task_that_fails_is_done_again_without_harm(client, storage, bucket, monkeypatch):
    plain = os.urandom(24 * MIB)
    store = fsspec.filesystem("s3", **storage)
    store.pipe(f"{bucket}/plain", plain)
    put, failed = _stores.S3Parts.put, set()

    def flaky(self, number, data):
        tag = put(self, number, data)
        if number not in failed and number < 9000:
            failed.add(number)
            raise OSError("the answer of S3 was lost")
        return tag

    monkeypatch.setattr(_stores.S3Parts, "put", flaky)
    compress(f"{bucket}/plain", f"{bucket}/coded.zst", 1, engine=client, size=6 * MIB, storage_options=storage)
    assert len(failed) >= 4
    assert pzcomp.decompress(store.cat(f"{bucket}/coded.zst")) == plain


def test_a_job_that_is_given_up_leaves_no_parts(client, storage, bucket, monkeypatch):
    store = fsspec.filesystem("s3", **storage)
    store.pipe(f"{bucket}/plain", os.urandom(24 * MIB))
    put, arrived = _stores.S3Parts.put, []

    def broken(self, number, data):
        if arrived:
            raise OSError("S3 says no")
        arrived.append(put(self, number, data))
        return arrived[0]

    monkeypatch.setattr(_stores.S3Parts, "put", broken)
    with pytest.raises(OSError, match="says no"):
        compress(f"{bucket}/plain", f"{bucket}/coded.zst", 1, engine=client, size=6 * MIB, storage_options=storage)
    assert arrived
    assert not store.exists(f"{bucket}/coded.zst")
