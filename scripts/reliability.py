#!/usr/bin/env python3
"""make reliability: breaks files, system calls and runs, and counts what pzcomp makes of it.

  scripts/reliability.py [--pzcomp PATH] [--seed N] damage|faults|kill|soak [COUNT]

  damage  COUNT random damages of files of many compressors (10000)
  faults  each system call of small runs fails in turn; COUNT is the most for one call and error (40)
  kill    COUNT runs on files that are killed at random moments (200)
  soak    COUNT GiB through compression and decompression, with the peak memory of both (100)

Each part prints one line with its figures, and one for each failure. The exit status is 1 if there is a failure. The
figures are in docs/reliability.md. Compressors that are not installed are named and left out.
"""

import argparse
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

# All of them write a check of the plain data.
COMPRESSORS = {
    "zstd -1": "zst", "zstd -19 --long=24": "zst", "zstd -T2 -3": "zst", "pzstd -p2 -3": "zst",
    "gzip -6": "gz", "pigz -p2": "gz", "bgzip": "gz", "igzip -1": "gz", "libdeflate-gzip": "gz",
    "lz4 -1": "lz4", "lz4 -9 -BD": "lz4", "xz -1": "xz", "xz -T2 --block-size=300KiB": "xz",
    "bzip2": "bz2", "pbzip2 -p2": "bz2", "lbzip2 -n2": "bz2", "lzip -1": "lz", "plzip -n2 -1": "lz",
    "pzcomp -F zstd": "zst", "pzcomp -F gzip": "gz", "pzcomp -F lz4": "lz4", "pzcomp -F xz -1": "xz",
    "pzcomp -F bzip2": "bz2", "pzcomp -F lzip -1": "lz",
}
# By suffix. A damage may leave a valid file of other data, for example with a whole frame twice. Then these agree.
ORIGINALS = {"zst": "zstd", "gz": "gzip", "lz4": "lz4", "xz": "xz", "bz2": "bzip2", "lz": "lzip"}
TIME_LIMIT = 120


class Trial:
    """What all parts share: the program, the random numbers, a folder, and the failures."""

    def __init__(self, pzcomp, seed, folder):
        self.pzcomp, self.random, self.folder, self.failures = str(pzcomp), random.Random(seed), folder, []

    def fail(self, what):
        self.failures.append(what)
        print(f"FAILURE: {what}", flush=True)

    def command(self, line):
        words = line.split()
        return [self.pzcomp if words[0] == "pzcomp" else words[0], *words[1:]]

    def run(self, words, data=None, **options):
        """Runs pzcomp. A panic or a hang is a failure."""
        try:
            done = subprocess.run(words, input=data, capture_output=True, timeout=TIME_LIMIT, **options)
        except subprocess.TimeoutExpired:
            self.fail(f"hang: {' '.join(map(str, words))}")
            return None
        if b"panicked" in done.stderr or done.returncode in (-signal.SIGSEGV, -signal.SIGABRT, 101):
            self.fail(f"panic: {' '.join(map(str, words))}: {done.stderr[-200:]!r}")
        return done

    def plain(self, length):
        """Lines like those of a table, with stretches of noise and of zeros."""
        parts, at = [], 0
        while at < length:
            kind = self.random.random()
            if kind < 0.1:
                part = self.random.randbytes(self.random.randrange(1, 100_000))
            elif kind < 0.15:
                part = bytes(self.random.randrange(1, 100_000))
            else:
                start = self.random.randrange(1 << 30)
                rows = (f"{start + row}\t{(start * row) % 9973}\tnode {row % 17}\n" for row in range(3000))
                part = "".join(rows).encode()
            parts.append(part)
            at += len(part)
        return b"".join(parts)[:length]


def damaged(coded, numbers):
    """The file with one to three damages."""
    coded = bytearray(coded)
    for _ in range(numbers.choice([1, 1, 1, 2, 3])):
        at, kind = numbers.randrange(max(len(coded), 1)), numbers.randrange(7)
        length = min(numbers.choice([1, 4, 512, 4096, 65536]), len(coded) - at)
        if not coded:
            break
        if kind == 0:
            coded[at] ^= 1 << numbers.randrange(8)
        elif kind == 1:
            coded[at] = numbers.randrange(256)
        elif kind == 2:
            coded[at:at + length] = numbers.randbytes(length)
        elif kind == 3:
            coded[at:at + length] = bytes(length)
        elif kind == 4:
            del coded[at:at + length]
        elif kind == 5:
            coded[at:at] = coded[at:at + length]
        else:
            del coded[at:]
    return bytes(coded)


def is_valid(bad, suffix, plain):
    """Whether the original tool decodes the file to the same data without a complaint."""
    done = subprocess.run([ORIGINALS[suffix], "-dc"], input=bad, capture_output=True)
    return done.returncode == 0 and done.stdout == plain


def damage(trial, count):
    there = [line for line in COMPRESSORS if line.startswith("pzcomp") or shutil.which(line.split()[0])]
    lacking = sorted(set(COMPRESSORS) - set(there))
    lengths = [0, 1, 100, 5_000, 70_000, 300_000, 1_500_000, 5_000_000, 16 << 20]
    tried = refused = unchanged = valid = 0
    while tried < count:
        line = trial.random.choice(there)
        slow = line.startswith(("xz", "zstd -19", "lzip", "plzip", "pzcomp -F xz", "pzcomp -F lzip"))
        plain = trial.plain(trial.random.choice(lengths[:7] if slow else lengths))
        coded = subprocess.run([*trial.command(line), "-c"], input=plain, capture_output=True, check=True).stdout
        for _ in range(min(20, count - tried)):
            bad = damaged(coded, trial.random)
            threads = trial.random.choice(["-p1", "-p2", "-p7"])
            if trial.random.random() < 0.5:
                done = trial.run([trial.pzcomp, "-dc", threads], bad)
            else:
                file = trial.folder / f"bad.{COMPRESSORS[line]}"
                file.write_bytes(bad)
                done = trial.run([trial.pzcomp, "-dc", threads, file])
            tried += 1
            if done is None:
                continue
            if done.returncode != 0:
                refused += 1
                if not done.stderr:
                    trial.fail(f"an error without a message: {line}")
            elif done.stdout == plain:
                unchanged += 1
            elif is_valid(bad, COMPRESSORS[line], done.stdout):
                valid += 1
            else:
                kept = Path(tempfile.mkdtemp()) / f"wrong.{COMPRESSORS[line]}"
                kept.write_bytes(bad)
                trial.fail(f"wrong bytes with status 0: {line}, kept as {kept}")
    print(f"damage: {tried} damages of files of {len(there)} compressors: {refused} refused, {unchanged} harmless "
          f"with right bytes, {valid} valid files of other data as the original tool has it, {len(trial.failures)} failures" + (f"; not installed: {', '.join(lacking)}" if lacking else ""))


# A call that frees or wakes something has no place here: the kernel does that also if it reports an error.
FAULTS = {
    "read": ["EINTR", "EIO", "EAGAIN"], "pread64": ["EINTR", "EIO"], "write": ["EINTR", "EIO", "ENOSPC", "EAGAIN"],
    "pwrite64": ["EINTR", "EIO", "ENOSPC", "EDQUOT", "EAGAIN"], "openat": ["EINTR", "EMFILE", "EIO", "ENOMEM", "EACCES"],
    "statx": ["EIO", "ENOSYS", "EPERM"], "fstat": ["EIO"], "newfstatat": ["EIO", "ENOMEM"], "lseek": ["EIO"],
    "ftruncate": ["EIO", "ENOSPC"], "fsync": ["EIO", "EINTR", "EINVAL"], "fdatasync": ["EIO"],
    "linkat": ["EIO", "ENOSPC"], "renameat": ["EIO"], "renameat2": ["EIO", "EINVAL", "ENOSYS", "EEXIST"],
    "rename": ["EIO"], "unlink": ["EIO"], "unlinkat": ["EIO", "EPERM", "EBUSY"], "fchmod": ["EIO", "EPERM"],
    "fchown": ["EIO", "EPERM"], "utimensat": ["EIO", "EPERM"], "fadvise64": ["EINVAL"], "fstatfs": ["EIO", "ENOSYS"],
    "fcntl": ["EINVAL", "EMFILE", "EINTR"], "ioctl": ["EIO", "ENOTTY"], "pipe2": ["EMFILE"], "poll": ["EINTR", "ENOMEM"],
    "clone": ["EAGAIN"], "clone3": ["EAGAIN", "ENOMEM"], "mmap": ["ENOMEM"], "mprotect": ["ENOMEM"],
    "madvise": ["EINVAL"], "sigaltstack": ["ENOMEM"], "prctl": ["EINVAL", "EPERM"], "seccomp": ["EINVAL", "ENOSYS"],
    "prlimit64": ["EPERM"], "sched_getaffinity": ["ENOSYS", "EPERM"], "getrandom": ["ENOSYS", "EINTR"],
}


def faults(trial, most):
    folder, plain = trial.folder, trial.plain(3_000_000)
    source, coded = folder / "a.sql", folder / "b.sql.zst"
    runs = [
        (["--rm", "--synchronous", "-b", "300K", "-p2", str(source)], source, folder / "a.sql.zst"),
        (["-d", "--rm", "-p2", str(coded)], coded, folder / "b.sql"),
        (["--rm", "--verify", "-F", "gzip", "-p2", str(source)], source, folder / "a.sql.gz"),
    ]
    calls = failed = survived = 0
    for words, origin, target in runs:
        def prepare():
            source.write_bytes(plain)
            coded.write_bytes(subprocess.run([trial.pzcomp, "-c", "-b", "300K"], input=plain, capture_output=True, check=True).stdout)
            for leftover in (folder / "a.sql.zst", folder / "b.sql", folder / "a.sql.gz"):
                leftover.unlink(missing_ok=True)
        prepare()
        counted = subprocess.run(["strace", "-f", "-c", "-o", folder / "counts", trial.pzcomp, *words], capture_output=True)
        assert counted.returncode == 0, counted.stderr
        table = (folder / "counts").read_text()
        for call, errors in FAULTS.items():
            found = re.search(rf"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?{call}$", table, re.M)
            # The first calls belong to the loader, and come before pzcomp can report anything.
            first = {"openat": 6, "read": 4, "mmap": 40, "mprotect": 12, "pread64": 5, "fstat": 6}.get(call, 1)
            for number in range(first, min(int(found[1]) if found else 0, first + most) + 1):
                for error in errors:
                    prepare()
                    calls += 1
                    what = f"{call} number {number} with {error} in pzcomp {' '.join(words)}"
                    done = trial.run(["strace", "-f", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={number}",
                                      trial.pzcomp, *words])
                    if done is None:
                        continue
                    if target.exists():
                        back = subprocess.run([trial.pzcomp, "-dc", target], capture_output=True)
                        text = target.read_bytes() if target.suffix == ".sql" else back.stdout
                        if text != plain:
                            trial.fail(f"half a file: {what}")
                            continue
                    if done.returncode == 0:
                        survived += 1
                        if not target.exists():
                            trial.fail(f"status 0 and no file: {what}")
                    else:
                        failed += 1
                        if not done.stderr:
                            trial.fail(f"an error without a message: {what}")
                        if not origin.exists() and not target.exists():
                            trial.fail(f"the source is gone: {what}")
    print(f"faults: {calls} failing system calls: {failed} errors with a message, {survived} runs that went on and were "
          f"right, {len(trial.failures)} failures")


def kill(trial, count):
    folder, plain = trial.folder, trial.plain(40_000_000)
    source, target = folder / "a.sql", folder / "a.sql.zst"
    before = complete = 0
    began = time.monotonic()
    source.write_bytes(plain)
    subprocess.run([trial.pzcomp, "--rm", "--verify", source], check=True)
    whole = time.monotonic() - began
    for _ in range(count):
        for old in folder.iterdir():
            old.unlink()
        source.write_bytes(plain)
        running = subprocess.Popen([trial.pzcomp, "--rm", "--verify", source], stderr=subprocess.DEVNULL)
        time.sleep(trial.random.random() * whole)
        running.kill()
        running.wait()
        if target.exists():
            complete += 1
            if subprocess.run([trial.pzcomp, "-dc", target], capture_output=True).stdout != plain:
                trial.fail("a killed run left a wrong file under the final name")
        else:
            before += 1
            if not source.exists() or source.read_bytes() != plain:
                trial.fail("a killed run lost the source")
    print(f"kill: {count} runs killed: {before} before the output had its name, with the source whole; {complete} after, "
          f"with a right output; {len(trial.failures)} failures")


def soak(trial, gib):
    block = trial.plain(64 << 20)
    blocks = gib * 16
    coder = subprocess.Popen([trial.pzcomp, "-F", "zstd", "-1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    decoder = subprocess.Popen([trial.pzcomp, "-d"], stdin=coder.stdout, stdout=subprocess.PIPE)
    coder.stdout.close()

    def part(number):
        at = number * 7919 % len(block)
        return block[at:] + block[:at]

    def feed():
        for number in range(blocks):
            coder.stdin.write(part(number))
        coder.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    peaks = {}

    def resident(process):
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
        return int(found[1]) // 1024 if found else 0

    for number in range(blocks):
        expected, got = part(number), decoder.stdout.read(len(block))
        if got != expected:
            trial.fail(f"wrong bytes in GiB {number / 16:.2f}")
            break
        if number in (blocks // 10, blocks - 2):
            peaks[number] = (resident(coder), resident(decoder))
    feeder.join()
    if decoder.stdout.read() or decoder.wait() or coder.wait():
        trial.fail("the end of the stream is wrong")
    print(f"soak: {gib} GiB through pzcomp | pzcomp -d; peak memory of both in MiB after a tenth and at the end: "
          f"{list(peaks.values())}; {len(trial.failures)} failures")


def main():
    parts = {"damage": (damage, 10_000), "faults": (faults, 40), "kill": (kill, 200), "soak": (soak, 100)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pzcomp", type=Path, default=Path("target/release/pzcomp"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("part", choices=parts)
    parser.add_argument("count", type=int, nargs="?")
    given = parser.parse_args()
    part, count = parts[given.part]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(given.pzcomp.resolve(), given.seed, Path(folder))
        part(trial, count if given.count is None else given.count)
    sys.exit(bool(trial.failures))


if __name__ == "__main__":
    main()
