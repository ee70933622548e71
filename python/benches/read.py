"""The time of `read()` of a whole file, by pzcomp and by the packages that people use today.

    python read.py PLAIN [--rounds N] [--only CASE] [--folder FOLDER] [--out FILE]

PLAIN is compressed in four ways first: by `gzip -6`, as one zstd frame (level 3, by the package zstandard, with the
content size in its header), and by pzcomp as gzip and zstd. Each reader begins with a path and ends with one `bytes`
object. The readers take turns in one process, and each round begins with another one. The first round warms up, and
compares each result with PLAIN. A run during which other processes took much time of the CPUs is repeated, whatever its
reader is; the last column counts the runs that stayed disturbed. The table has the call of each reader, and the medians
and the best times are compared with those of the best other reader. A package that is not installed is left out. With
--folder the compressed files are kept, and used the next time.
"""

import argparse
import gzip
import importlib.util
import os
import resource
import statistics
import subprocess
import tempfile
import time

import pzcomp


def has(name):
    return importlib.util.find_spec(name) is not None


def content(path):
    with open(path, "rb") as file:
        return file.read()


def gzip_readers(path, length):
    yield "gzip.open().read()", lambda: gzip.open(path).read()
    if has("isal"):
        from isal import igzip, igzip_threaded

        yield "igzip.open().read()", lambda: igzip.open(path).read()
        yield "igzip_threaded.open(threads=-1).read()", lambda: igzip_threaded.open(path, "rb", threads=-1).read()
    if has("rapidgzip"):
        import rapidgzip

        def with_all_cores():
            return rapidgzip.open(path, parallelization=os.cpu_count()).read()

        yield "rapidgzip.open(parallelization=CPUs).read()", with_all_cores
    if has("indexed_gzip"):
        import indexed_gzip

        yield "indexed_gzip.open().read()", lambda: indexed_gzip.open(path).read()


def zstd_readers(path, length):
    if has("zstandard"):
        from zstandard import ZstdDecompressor, get_frame_parameters
        from zstandard import open as zstandard_open

        yield "zstandard.open().read()", lambda: zstandard_open(path, "rb").read()
        if get_frame_parameters(content(path)).content_size == length:
            # One allocation of the right size, and one call of libzstd, which reads the content size in the header.
            yield "ZstdDecompressor().decompress(data)", lambda: ZstdDecompressor().decompress(content(path))

            def with_size():
                return ZstdDecompressor().decompress(content(path), max_output_size=length)

            yield "ZstdDecompressor().decompress(data, max_output_size=…)", with_size
        else:
            # `decompress` stops behind the first frame.
            def all_frames():
                return ZstdDecompressor().decompressobj(read_across_frames=True).decompress(content(path))

            yield "ZstdDecompressor().decompressobj(read_across_frames=True).decompress(data)", all_frames
    if has("compression"):
        from compression import zstd

        yield "compression.zstd.open().read()", lambda: zstd.open(path).read()


def make_gzip(plain, source, path):
    with open(path, "wb") as file:
        subprocess.run(["gzip", "-6", "-c", source], stdout=file, check=True)


def make_frame(plain, source, path):
    with open(path, "wb") as file:
        if has("zstandard"):
            import zstandard

            file.write(zstandard.ZstdCompressor(level=3).compress(plain))
        else:
            file.write(pzcomp.compress(plain, 3, layout="single"))


def make_own(plain, source, path):
    with pzcomp.open(path, "wb") as file:
        file.write(plain)


# The name of a case, its file, what makes the file, the other readers, and how many times as fast pzcomp shall be.
CASES = [
    ("gzip -6", "6.gz", make_gzip, gzip_readers, 1.3),
    ("one zstd frame", "one.zst", make_frame, zstd_readers, 1.3),
    ("gzip of pzcomp", "own.gz", make_own, gzip_readers, 2.0),
    ("zstd of pzcomp", "own.zst", make_own, zstd_readers, 1.5),
]
OURS = "pzcomp.open().read()"


# A run is disturbed if other processes took more of the CPUs than this part of its time.
DISTURBED = 0.1
REPEATS = 5


def busy():
    """The seconds that the CPUs of this machine were busy, and those of this process alone."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal, *_ = map(int, file.readline().split()[1:])
    ticks = user + nice + system + irq + softirq + steal
    return ticks / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime


def timed(read):
    """The result of a run, its seconds, and whether it was disturbed."""
    before, start = busy(), time.perf_counter()
    found = read()
    took = time.perf_counter() - start
    (all_before, own_before), (all_after, own_after) = before, busy()
    others = all_after - all_before - (own_after - own_before)
    # The system counts hundredths of seconds.
    return found, took, others > max(DISTURBED * took, 0.03)


def measure(readers, plain, rounds):
    """The times of each reader, and how many of them were disturbed."""
    times, disturbed = {name: [] for name in readers}, dict.fromkeys(readers, 0)
    names = list(readers)
    for round in range(rounds + 1):
        turn = round % len(names)
        for name in names[turn:] + names[:turn]:
            for repeat in range(REPEATS):
                found, took, is_disturbed = timed(readers[name])
                if round == 0:
                    assert found == plain, name
                # The memory of a result is free again before the next one is made.
                del found
                if round == 0 or not is_disturbed:
                    break
                time.sleep(0.1)
            if round > 0:
                times[name].append(took)
                disturbed[name] += is_disturbed
    return times, disturbed


def rows(case, wanted, times, disturbed, length):
    medians = {name: statistics.median(found) for name, found in times.items()}
    best = {name: min(found) for name, found in times.items()}
    others = [name for name in times if name != OURS]
    for name in sorted(times, key=medians.get):
        ours = f"{medians[name] / medians[OURS]:.2f} × | {best[name] / best[OURS]:.2f} ×" if name != OURS else " | "
        speed = length / 1e6 / medians[name]
        yield f"| {case} | `{name}` | {medians[name]:.3f} | {best[name]:.3f} | {speed:.0f} | {ours} | {disturbed[name]} |"
    if others:
        by_median = min(medians[name] for name in others) / medians[OURS]
        by_best = min(best[name] for name in others) / best[OURS]
        what = "**pzcomp beside the best other reader**"
        yield f"| {case} | {what} | | | wanted {wanted} × | **{by_median:.2f} ×** | **{by_best:.2f} ×** | |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plain")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help=f"one of {', '.join(case[0] for case in CASES)}")
    parser.add_argument("--folder", help="where the compressed files are kept")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    plain = content(arguments.plain)
    columns = ["file", "reader", "median s", "best s", "MB/s", "pzcomp is, by median", "by best", "disturbed"]
    lines = [f"| {' | '.join(columns)} |", "|---|---|--:|--:|--:|--:|--:|--:|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for case, name, make, others, wanted in CASES:
            if arguments.only not in (None, case):
                continue
            path = os.path.join(arguments.folder or temporary, name)
            if not os.path.exists(path):
                make(plain, arguments.plain, path)
            readers = {OURS: lambda path=path: pzcomp.open(path).read(), **dict(others(path, len(plain)))}
            for line in rows(case, wanted, *measure(readers, plain, arguments.rounds), len(plain)):
                lines.append(line)
                print(line, flush=True)
    if arguments.out:
        with open(arguments.out, "w") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
