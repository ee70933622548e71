"""A large file on Dask or Ray, from end to end: compressed while a worker is killed, verified, read by splits, recompressed.

usage: demonstration.py PLAIN dask|ray

Two processes of this machine are the cluster. Each step is checked: the compressed file is the one that a single process
writes, and the lines of all splits are those of PLAIN.
"""

import os
import sys
import tempfile
import time

import pzcomp
from pzcomp.distributed import compress, recompress, verify

SIZE = "64 MiB"


def timed(name, length, function):
    start = time.perf_counter()
    result = function()
    seconds = time.perf_counter() - start
    print(f"{name:44} {seconds:7.2f} s {length / seconds / 1e6:7.0f} MB/s", flush=True)
    return result


class Killer:
    """Kills a worker when a third of the work is done."""

    def __init__(self, find):
        self.find, self.killed = find, None

    def __call__(self, done, total):
        if self.killed is None and done > total / 3:
            self.killed = self.find()
            os.kill(self.killed, 9)


def dask_cluster():
    from distributed import Client, LocalCluster

    import pzcomp.dask

    client = Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))

    def count(path):
        return pzcomp.dask.read_text(path, blocksize=SIZE).count().compute()

    return client, lambda: next(iter(client.run(os.getpid).values())), count


def ray_cluster():
    import ray

    import pzcomp.ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def find():
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    if file.read().startswith(b"ray::compress_part"):
                        return int(number)
            except OSError:
                pass
        raise RuntimeError("no worker compresses")

    def count(path):
        return pzcomp.ray.read_text(path, size=SIZE, drop_empty_lines=False).count()

    return "ray", find, count


def lines_of(path):
    """The lines of a file. The last one may have no newline."""
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def write_alone(src, dst):
    with open(src, "rb") as file, pzcomp.open(dst, "wb", 3) as coded:
        for piece in iter(lambda: file.read(1 << 24), b""):
            coded.write(piece)


def same(one, other):
    with open(one, "rb") as one, open(other, "rb") as other:
        while True:
            left, right = one.read(1 << 24), other.read(1 << 24)
            if left != right:
                return False
            if not left:
                return True


def main():
    src, name = sys.argv[1:]
    engine, find, count = {"dask": dask_cluster, "ray": ray_cluster}[name]()
    length, lines = os.path.getsize(src), lines_of(src)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(src))) as folder:
        coded, again, alone = (os.path.join(folder, name) for name in ("coded.zst", "again.gz", "alone.zst"))
        killer = Killer(find)
        timed(
            f"{name}: compress, zstd level 3, one worker killed",
            length,
            lambda: compress(src, coded, 3, engine=engine, size=SIZE, progress=killer),
        )
        assert killer.killed
        write_alone(src, alone)
        assert same(coded, alone), "the file is not the one of a single process"
        timed(f"{name}: verify, compared with the plain file", length, lambda: verify(coded, against=src, engine=engine))
        found = timed(f"{name}: read the lines by splits, and count", length, lambda: count(coded))
        assert found == lines, f"{found} lines, expected {lines}"
        timed(f"{name}: recompress as gzip level 1", length, lambda: recompress(coded, again, 1, engine=engine, size=SIZE))
        timed(f"{name}: verify, compared with the plain file", length, lambda: verify(again, against=src, engine=engine))
    print(f"{name}: {length} bytes, {lines} lines: all is right")


if __name__ == "__main__":
    main()
