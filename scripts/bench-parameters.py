#!/usr/bin/env python3
"""zstd's parameters for the data beside those of the level: speed and size for each file.

    scripts/bench-parameters.py PZCOMP LEVEL FILE...

Both ways compress each file in turns with one thread. The speed is the ratio of the medians of the CPU seconds of the
process, above 1 where the parameters for the data are faster. Files whose bytes are the same in both ways are counted
only. The last line has the medians of the others, and the files that are more than 1 % longer or 3 % slower.
"""

import os
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 7


def compress(program, level, options, path, place):
    """The CPU seconds of one process, and the bytes that it wrote."""
    command = [program, "-F", "zstd", f"-{level}", "-p", "1", "-c", *options, path]
    with open(place, "wb") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} ended with status {process.returncode}")
    with open(place, "rb") as output:
        return usage.ru_utime + usage.ru_stime, output.read()


def main():
    program, level, *paths = sys.argv[1:]
    rows, same = [], 0
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "coded")
        for path in paths:
            ways = {"data": [], "level": ["--fixed-parameters"]}
            coded = {way: compress(program, level, options, path, place)[1] for way, options in ways.items()}
            if coded["data"] == coded["level"]:
                same += 1
                continue
            times = {way: [] for way in ways}
            for _ in range(ROUNDS):
                for way, options in ways.items():
                    times[way].append(compress(program, level, options, path, place)[0])
            speed = statistics.median(times["level"]) / statistics.median(times["data"])
            size = len(coded["data"]) / len(coded["level"])
            rows.append((os.path.basename(path), speed, size))
            print(f"{rows[-1][0]:24} {speed:6.2f} x {100 * (size - 1):+7.2f} %", flush=True)
    print(f"{same} files have the same bytes in both ways.")
    if rows:
        speed, size = (statistics.median(row[at] for row in rows) for at in (1, 2))
        outside = [name for name, speed_here, size_here in rows if speed_here < 0.97 or size_here > 1.01]
        print(f"{len(rows)} files: median {speed:.2f} x, {100 * (size - 1):+.2f} %; outside: {', '.join(outside) or 'none'}")


if __name__ == "__main__":
    main()
