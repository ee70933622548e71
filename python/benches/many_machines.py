"""`pzcomp.distributed` on a started Dask cluster of two processes, beside one process with two threads.

usage: many_machines.py PLAIN [ROUNDS] [--s3]

With --s3 the input and the output are on S3. moto plays it on the loopback interface, in a process that uses the same
cores, so these times say less about pzcomp.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time

import fsspec

from distributed import Client, LocalCluster

import pzcomp
from pzcomp.distributed import compress, decompress, recompress, verify

LEVEL = 9


def timed(function):
    start = time.perf_counter()
    function()
    seconds = time.perf_counter() - start
    print(f"{seconds:.2f} s", end=" ", file=sys.stderr, flush=True)
    return seconds


def one_process(src, dst, storage):
    """What a program does that knows nothing of clusters: it reads in order, and two threads compress."""
    options = {"level": LEVEL, "threads": 2, "format": "zstd"}
    if not storage:
        with open(src, "rb", buffering=0) as file, pzcomp.open(dst, "wb", **options) as coded:
            buffer = bytearray(4 << 20)
            while count := file.readinto(buffer):
                coded.write(memoryview(buffer)[:count])
        return
    with (
        fsspec.open(src, "rb", **storage) as file,
        fsspec.open(dst, "wb", **storage) as out,
        pzcomp.open(out, "wb", **options) as coded,
    ):
        while piece := file.read(4 << 20):
            coded.write(piece)


@contextlib.contextmanager
def s3(plain):
    """S3 in a process of its own, with the plain data. Gives a folder in it, and the options of fsspec."""
    server = subprocess.Popen(
        [sys.executable, "-c", "import sys; from moto.server import main; main(sys.argv[1:])", "-H", "127.0.0.1", "-p", "5555"],
        stderr=subprocess.DEVNULL,
    )
    storage = {"key": "a", "secret": "b", "client_kwargs": {"endpoint_url": "http://127.0.0.1:5555"}}
    try:
        store = fsspec.filesystem("s3", **storage)
        for _ in range(100):
            with contextlib.suppress(OSError):
                store.mkdir("bench")
                break
            time.sleep(0.2)
        store.put(plain, "bench/plain")
        yield "s3://bench", storage
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def local(plain):
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(plain))) as folder:
        os.symlink(os.path.abspath(plain), os.path.join(folder, "plain"))
        yield folder, {}


def same(one, other, storage):
    with fsspec.open(one, **storage) as one, fsspec.open(other, **storage) as other:
        return one.read() == other.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plain")
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("--s3", action="store_true")
    args = parser.parse_args()
    place = "S3" if args.s3 else "local"
    with (
        (s3 if args.s3 else local)(args.plain) as (folder, storage),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        src, alone, joined, again, back = (f"{folder}/{name}" for name in ("plain", "alone.zst", "joined.zst", "again.zst", "back"))
        shared = {"engine": client, "storage_options": storage}
        # The processes of the cluster have loaded pzcomp, as they have in a cluster that works.
        client.run(lambda: __import__("pzcomp.distributed"))
        rows = {"one process, compress": [], "two processes of Dask, compress": []}
        for _ in range(args.rounds):
            rows["one process, compress"].append(timed(lambda: one_process(src, alone, storage)))
            rows["two processes of Dask, compress"].append(timed(lambda: compress(src, joined, LEVEL, overwrite=True, **shared)))
        assert same(alone, joined, storage)
        rows["two processes of Dask, verify"] = [timed(lambda: verify(joined, against=src, **shared))]
        rows["two processes of Dask, recompress at 1"] = [timed(lambda: recompress(joined, again, 1, **shared))]
        rows["two processes of Dask, decompress"] = [timed(lambda: decompress(again, back, **shared))]
        assert same(src, back, storage)
        print(file=sys.stderr)
        size = os.path.getsize(args.plain)
        for name, times in rows.items():
            best = min(times)
            shown = " ".join(f"{seconds:.2f}" for seconds in times)
            print(f"{place + ': ' + name:46} {best:7.2f} s {size / best / 1e6:7.0f} MB/s   all: {shown}")
        one, many = (min(times) for times in list(rows.values())[:2])
        print(f"{place}: wall time of Dask / one process: {many / one:.3f}")


if __name__ == "__main__":
    main()
