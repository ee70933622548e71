#!/usr/bin/env python3
"""What the list of a tar archive costs and saves: tar-trial.py PZCOMP [MEMBERS [ROUNDS]]

The archive has MEMBERS (default 100000) files of 10 KB of generated lines. In each of ROUNDS (default 7) rounds, the
archive is compressed with and without a list, and listed by pzcomp and by tar, in turns. The script prints a table of
medians. It fails if the lists differ, or if a member comes back wrong. It needs tar, zstd and strace.
"""

import io
import os
import random
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

LENGTH = 10_240


def content(number):
    """10 KB of lines of numbers, which no other member has."""
    state = random.Random(number)
    lines = "".join(f"{state.getrandbits(24)}\t{number}\t{state.getrandbits(16)}\n" for _ in range(LENGTH // 12))
    return lines.encode()[:LENGTH]


def seconds(command, **options):
    begin = time.monotonic()
    subprocess.run(command, check=True, **options)
    return time.monotonic() - begin


def main():
    pzcomp = os.path.abspath(sys.argv[1])
    members, rounds = (list(map(int, sys.argv[2:])) + [100_000, 7][len(sys.argv) - 2:])[:2]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with tarfile.open("a.tar", "w") as tar:
            for number in range(members):
                info = tarfile.TarInfo(f"folder/{number:06}")
                info.size = LENGTH
                info.uname = info.gname = "backup"
                tar.addfile(info, io.BytesIO(content(number)))
        ways = {
            "with": [pzcomp, "-f", "-o", "with.tar.zst", "a.tar"],
            "without": [pzcomp, "-f", "--no-tar", "-o", "without.tar.zst", "a.tar"],
            "list": [pzcomp, "-l", "--tar", "with.tar.zst"],
            "tar": ["tar", "-I", "zstd", "-tvf", "with.tar.zst"],
        }
        times = {way: [] for way in ways}
        for _ in range(rounds):
            for way, command in ways.items():
                times[way].append(seconds(command, stdout=subprocess.DEVNULL))
        lists = [subprocess.run(ways[way], check=True, stdout=subprocess.PIPE).stdout for way in ("list", "tar")]
        assert lists[0] == lists[1], "the lists differ"
        number = members // 2 + 1
        extract = [pzcomp, "-d", "--extract", f"folder/{number:06}", "with.tar.zst"]
        trace = ["strace", "-f", "-o", "trace", "-e", "trace=read,pread64"]
        assert subprocess.run(trace + extract, check=True, stdout=subprocess.PIPE).stdout == content(number)
        with open("trace") as calls:
            read = sum(int(len_) for len_ in re.findall(r"= (\d+)$", calls.read(), re.MULTILINE))
        median = {way: statistics.median(found) for way, found in times.items()}
        size = os.path.getsize("with.tar.zst") / os.path.getsize("without.tar.zst")
        print("| what | figure |\n|---|---|")
        print(f"| listing, against tar with zstd | {median['tar'] / median['list']:.1f} × |")
        print(f"| speed, against --no-tar | {median['without'] / median['with']:.3f} × |")
        print(f"| size, against --no-tar | {size:.4f} × |")
        print(f"| bytes read for one member | {read} |")


if __name__ == "__main__":
    main()
