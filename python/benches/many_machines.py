"""`pzcomp.distributed` on a started Dask cluster of two processes, beside one process with two threads.

usage: many_machines.py PLAIN [ROUNDS]
"""

import os
import sys
import tempfile
import time

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


def one_process(src, dst):
    with open(src, "rb", buffering=0) as file, pzcomp.open(dst, "wb", level=LEVEL, threads=2) as coded:
        buffer = bytearray(4 << 20)
        while count := file.readinto(buffer):
            coded.write(memoryview(buffer)[:count])


def main():
    src, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with (
        tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(src))) as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        alone, joined, again, back = (os.path.join(folder, name) for name in ("alone.zst", "joined.zst", "again.zst", "back"))
        # The processes of the cluster have loaded pzcomp, as they have in a cluster that works.
        client.run(lambda: __import__("pzcomp.distributed"))
        rows = {"one process, compress": [], "two processes of Dask, compress": []}
        for _ in range(rounds):
            rows["one process, compress"].append(timed(lambda: one_process(src, alone)))
            shared = {"engine": client, "overwrite": True}
            rows["two processes of Dask, compress"].append(timed(lambda: compress(src, joined, LEVEL, **shared)))
        with open(alone, "rb") as one, open(joined, "rb") as other:
            assert one.read() == other.read()
        rows["two processes of Dask, verify"] = [timed(lambda: verify(joined, against=src, engine=client))]
        rows["two processes of Dask, recompress at 1"] = [timed(lambda: recompress(joined, again, 1, engine=client))]
        rows["two processes of Dask, decompress"] = [timed(lambda: decompress(again, back, engine=client))]
        size = os.path.getsize(src)
        for name, times in rows.items():
            best = min(times)
            print(f"{name:42} {best:7.2f} s {size / best / 1e6:7.0f} MB/s   all: {' '.join(f'{t:.2f}' for t in times)}")
        one, many = (min(times) for times in list(rows.values())[:2])
        print(f"wall time of Dask / one process: {many / one:.3f}")


if __name__ == "__main__":
    main()
