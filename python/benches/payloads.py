"""The time of one call for short payloads, of lines from one zstd frame, and of random reads of gzip without an index.

    python payloads.py PLAIN [--rounds N] [--random COUNT]

PLAIN is text, for example the corpus of `make bench-python`. Payloads are its first 1 KiB and 64 KiB. pzcomp and the
packages zstandard and isal take turns, and the table has the medians. The lines are those of PLAIN, compressed as one zstd
frame. The random reads are 64 KiB each, at the same places for each reader, after a pass to the end.
"""

import argparse
import io
import os
import random
import statistics
import tempfile
import time

import isal.igzip as igzip
import zstandard

import pzcomp


def once(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def compare(what, calls, count, rounds):
    """A row for each call, which take turns."""
    times = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            times[name].append(once(call, count))
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    ours = medians["pzcomp"]
    for name, median in medians.items():
        print(f"| {what} | {name} | {1e6 * median:.1f} µs | {ours / median:.2f} |", flush=True)


def payloads(plain, rounds):
    for length, count in ((1 << 10, 2000), (64 << 10, 50)):
        data = plain[:length]
        ours, theirs = pzcomp.Compressor(3, index=False), zstandard.ZstdCompressor(level=3)
        coded = theirs.compress(data)
        calls = {"pzcomp": lambda: ours.compress(data), "zstandard": lambda: theirs.compress(data)}
        compare(f"zstd -3, {length} bytes", calls, count, rounds)
        back, their_back = pzcomp.Decompressor(), zstandard.ZstdDecompressor()
        calls = {"pzcomp": lambda: back.decompress(coded), "zstandard": lambda: their_back.decompress(coded)}
        compare(f"zstd, back, {length} bytes", calls, count, rounds)
        gzip = pzcomp.Compressor(1, format="gzip", index=False)
        coded_gzip = igzip.compress(data, 1)
        calls = {"pzcomp": lambda: gzip.compress(data), "isal": lambda: igzip.compress(data, 1)}
        compare(f"gzip -1, {length} bytes", calls, count, rounds)
        calls = {"pzcomp": lambda: back.decompress(coded_gzip), "isal": lambda: igzip.decompress(coded_gzip)}
        compare(f"gzip, back, {length} bytes", calls, count, rounds)


def lines(plain, folder, rounds):
    path = os.path.join(folder, "one.zst")
    with open(path, "wb") as file:
        file.write(zstandard.ZstdCompressor(level=3).compress(plain))

    def ours():
        with pzcomp.open(path) as file:
            return sum(1 for _ in file)

    def theirs():
        with open(path, "rb") as raw, io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(raw), 128 << 10) as file:
            return sum(1 for _ in file)

    assert ours() == theirs()
    compare("lines of one zstd frame", {"pzcomp": ours, "zstandard in a BufferedReader": theirs}, 1, rounds)


def random_reads(plain, folder, count):
    path = os.path.join(folder, "6.gz")
    with igzip.open(path, "wb", 2) as file:
        file.write(plain)
    places = random.Random(1)
    with pzcomp.open(path) as file:
        start = time.perf_counter()
        file.read_at(len(plain) - 1, 10)
        print(f"| random reads of gzip | the first pass | {time.perf_counter() - start:.2f} s | |")
        times = []
        for _ in range(count):
            offset = places.randrange(len(plain) - 65536)
            start = time.perf_counter()
            found = file.read_at(offset, 65536)
            times.append(time.perf_counter() - start)
            assert found == plain[offset : offset + 65536]
    print(f"| random reads of gzip | the median of {count} | {1e3 * statistics.median(times):.2f} ms | |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plain")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--random", type=int, default=1000)
    arguments = parser.parse_args()
    with open(arguments.plain, "rb") as file:
        plain = file.read()
    print("| what | who | median | pzcomp takes |\n|---|---|--:|--:|", flush=True)
    payloads(plain, arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        lines(plain, folder, arguments.rounds)
        random_reads(plain, folder, arguments.random)


if __name__ == "__main__":
    main()
