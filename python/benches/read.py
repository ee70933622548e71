"""The time of `read()` of a whole file, by pzcomp and by the packages that people use today.

    python read.py PLAIN [--rounds N] [--out FILE]

PLAIN is compressed in four ways first: by `gzip -6`, as one zstd frame (level 3, by the package zstandard), and by pzcomp
as gzip and zstd. All readers take turns in one process, and the medians are compared. Each result is compared with PLAIN
once. A package that is not installed is left out.
"""

import argparse
import gzip
import importlib.util
import os
import statistics
import subprocess
import tempfile
import time

import pzcomp


def has(name):
    return importlib.util.find_spec(name) is not None


def gzip_readers(path):
    yield "gzip", lambda: gzip.open(path).read()
    if has("isal"):
        from isal import igzip, igzip_threaded

        yield "isal", lambda: igzip.open(path).read()
        yield "isal, threaded", lambda: igzip_threaded.open(path, "rb", threads=-1).read()
    if has("rapidgzip"):
        import rapidgzip

        yield "rapidgzip", lambda: rapidgzip.open(path, parallelization=os.cpu_count()).read()
    if has("indexed_gzip"):
        import indexed_gzip

        yield "indexed_gzip", lambda: indexed_gzip.open(path).read()


def zstd_readers(path):
    if has("zstandard"):
        import zstandard

        def at_once():
            with open(path, "rb") as file:
                return zstandard.ZstdDecompressor().decompress(file.read(), read_across_frames=True)

        yield "zstandard.open", lambda: zstandard.open(path, "rb").read()
        try:
            at_once()
            yield "zstandard, decompress()", at_once
        except zstandard.ZstdError:
            # A version that takes one frame only.
            pass
    if has("compression"):
        from compression import zstd

        yield "compression.zstd", lambda: zstd.open(path).read()


def timed(read):
    start = time.perf_counter()
    found = read()
    took = time.perf_counter() - start
    return took, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plain")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    with open(arguments.plain, "rb") as file:
        plain = file.read()
    lines = ["| file | reader | seconds | MB/s | pzcomp is |", "|---|---|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        path = f"{folder}/6.gz"
        with open(path, "wb") as file:
            subprocess.run(["gzip", "-6", "-c", arguments.plain], stdout=file, check=True)
        cases.append(("gzip -6", path, gzip_readers(path)))
        path = f"{folder}/one.zst"
        with open(path, "wb") as file:
            if has("zstandard"):
                import zstandard

                file.write(zstandard.ZstdCompressor(level=3).compress(plain))
            else:
                file.write(pzcomp.compress(plain, 3, layout="single"))
        cases.append(("one zstd frame", path, zstd_readers(path)))
        for format, name, readers in (("gzip", "own.gz", gzip_readers), ("zstd", "own.zst", zstd_readers)):
            path = f"{folder}/{name}"
            with pzcomp.open(path, "wb", format=format) as file:
                file.write(plain)
            cases.append((f"{format} of pzcomp", path, readers(path)))
        for name, path, others in cases:
            readers = {"pzcomp": lambda path=path: pzcomp.open(path).read(), **dict(others)}
            times = {reader: [] for reader in readers}
            for round in range(arguments.rounds + 1):
                for reader, read in readers.items():
                    took, found = timed(read)
                    if round == 0:
                        # The first round warms up, and compares.
                        assert found == plain, reader
                    else:
                        times[reader].append(took)
                    del found
            medians = {reader: statistics.median(found) for reader, found in times.items()}
            best = min((reader for reader in medians if reader != "pzcomp"), key=medians.get)
            for reader, median in sorted(medians.items(), key=lambda item: item[1]):
                speed = len(plain) / 1e6 / median
                faster = "" if reader == "pzcomp" else f"{median / medians['pzcomp']:.2f} ×"
                note = " (best of the others)" if reader == best else ""
                lines.append(line := f"| {name} | {reader}{note} | {median:.3f} | {speed:.0f} | {faster} |")
                print(line, flush=True)
    text = "\n".join(lines)
    if arguments.out:
        with open(arguments.out, "w") as file:
            file.write(text + "\n")


main()
