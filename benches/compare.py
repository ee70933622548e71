#!/usr/bin/env python3
"""Runs pzcomp and its peers as whole processes, as users run them, and prints a table of the results.

The two parties of a row run in turns, because the load of a shared machine changes from minute to minute. A first
round, which does not count, compares the output of each party with the plain data. A missed promise is only printed.
The exit status is 1 if pzcomp fails or loses data. `make bench` and `make bench-full` run the program.

`rows.py` has the rows, and `corpus/` the generators of data."""

import argparse
import csv
import fcntl
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from rows import FIRST, FULL, MAIN, PROMISE, every_row, program_of, suffix_of, unique

# The data on which a full run measures everything, and the data on which it only compares.
FIRST_RANK = ["nodes", "pages"]
SECOND_RANK = ["sql", "toolchain", "random", "zeros"]
SETS = {"promises": PROMISE, "quick": FIRST, "all": FULL}
# How the other side of a pipe uses it: the size that is asked for, and the bytes that are moved at once. The first is
# the largest pipe without privileges, which is also the size that the tools choose.
WIDTHS = {"pipe": (1 << 20, 256 << 10), "32K pipe": (None, 32 << 10)}
F_SETPIPE_SZ = 1031


class Failed(Exception):
    """A party failed or lost data, or the machine lacks something."""


class Programs(dict):
    """The programs that were found, by the name in command lines, with their versions. A missing program is no error:
    its rows have no result. A program that was built for the measurement, in `folder`, is newer than that in PATH."""

    def __init__(self, rows, ours, before, folder):
        super().__init__()
        for name, path in (("pzcomp", ours), ("pzcomp-before", before)):
            if path and not shutil.which(os.path.abspath(path)):
                raise Failed(f"There is no program {path}; build it or name another.")
        path = f"{folder}:{os.environ.get('PATH', '')}"
        known = {"pzcomp": ours, "pzcomp-before": before}
        for name in {name for row in rows for party in row.parties for name in party.programs(with_check=True)}:
            found = os.path.realpath(known[name]) if known.get(name) else shutil.which(name, path=path)
            if found:
                self[name] = found, version_of(found)

    def missing(self, row):
        return next((name for party in row.parties for name in party.programs() if name not in self), None)

    def command(self, line, source, target):
        """The words of a command line with its files, and a folder as all files in it. A shell runs a pipeline, whose
        status is that of its last command; the comparison with the plain data finds what an earlier one lost."""
        inputs = files_in(source) if source.is_dir() else [str(source)]
        commands = []
        for command in line.split(" | "):
            name, *words = command.split()
            if name not in self:
                raise Failed(f"{name} is not installed")
            values = {"{in}": inputs, "{out}": [str(target)]}
            commands.append([self[name][0], *(value for word in words for value in values.get(word, [word]))])
        if len(commands) == 1:
            return commands[0]
        return ["/bin/sh", "-c", " | ".join(map(shlex.join, commands))]


def version_of(path):
    """Some programs know only the short option. pixz knows neither, and prints its version with its usage."""
    for option in ("--version", "-V"):
        try:
            run = subprocess.run([path, option], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        except OSError:
            continue
        for line in (run.stdout + run.stderr).decode(errors="replace").splitlines():
            if re.search(r"\d\.\d", line):
                return line.strip("* \t")
    return "of unknown version"


def files_in(folder):
    return sorted(str(path) for path in folder.iterdir())


class Usage:
    """The cost of a process. CPU time includes the children for which it waited. The peak is that of the tree if it was
    watched, and otherwise of the largest process, or 0 if the peak of this program, with which it starts, hides it."""

    def __init__(self):
        self.wall = self.cpu = self.peak = 0
        self.stderr = ""


def run(command, source, target, stderr, watched=False):
    """Runs a command to its end. `source` is (path, end), and `target` (path or sink, end). A sink is a function that
    takes bytes. Messages go to the file `stderr`. A process whose memory is watched is slower."""
    (path, end), (taker, taker_end) = source, target
    opened, actions = [], []

    def connect(number, descriptor):
        opened.append(descriptor)
        actions.append((os.POSIX_SPAWN_DUP2, descriptor, number))

    def pipe(width):
        ends = os.pipe()
        if width[0]:
            try:
                fcntl.fcntl(ends[0], F_SETPIPE_SZ, width[0])
            except OSError:
                pass  # A user with many pipes: then both parties get the same small pipe.
        return ends

    plain, errors = os.open(path, os.O_RDONLY | os.O_CLOEXEC), []
    feed = drain = None
    if end in WIDTHS:
        reader, feed = pipe(WIDTHS[end])
        connect(0, reader)
    else:
        connect(0, os.dup(plain))
    if callable(taker):
        drain, writer = pipe(WIDTHS[taker_end])
        connect(1, writer)
    else:
        connect(1, os.open(taker or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666))
    connect(2, os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666))

    def fill():
        try:
            pump(plain, lambda piece: write_all(feed, piece), WIDTHS[end][1])
        except BrokenPipeError:
            pass  # The process stopped reading. Its status and its output tell whether that was right.
        except OSError as error:
            errors.append(f"its input could not be read: {error}")
        os.close(feed)

    usage = Usage()
    name = os.path.basename(command[0])
    start = time.perf_counter()
    try:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsigdef=[signal.SIGPIPE])
    except OSError as error:
        raise Failed(f"{name}: cannot be started: {error}") from None
    finally:
        for descriptor in opened:
            os.close(descriptor)
    threads = [threading.Thread(target=fill)] if feed else []
    ended = threading.Event()
    if watched:
        threads.append(threading.Thread(target=watch, args=(child, ended, usage)))
    for thread in threads:
        thread.start()
    if drain:
        try:
            pump(drain, taker, WIDTHS[taker_end][1])
        finally:
            os.close(drain)
    _, status, resources = os.wait4(child, 0)
    usage.wall = time.perf_counter() - start
    ended.set()
    for thread in threads:
        thread.join()
    os.close(plain)
    usage.cpu = resources.ru_utime + resources.ru_stime
    floor = peak_of("self")
    if resources.ru_maxrss << 10 > floor:
        usage.peak = max(usage.peak, resources.ru_maxrss << 10)
    usage.stderr = Path(stderr).read_text(errors="replace").rstrip()
    code = os.waitstatus_to_exitcode(status)
    if code:
        said = usage.stderr.splitlines()[-1] if usage.stderr else "nothing"
        raise Failed(f"{name}: {f'exit status {code}' if code > 0 else f'signal {-code}'}; it said: {said}")
    if errors:
        raise Failed(f"{name}: {errors[0]}")
    return usage


def pump(descriptor, take, length):
    """Passes on everything. One buffer serves all of it, because a new one costs page faults."""
    buffer = memoryview(bytearray(length))
    while count := os.readv(descriptor, [buffer]):
        take(buffer[:count])


def write_all(descriptor, piece):
    while piece:
        piece = piece[os.write(descriptor, piece):]


def watch(process, ended, usage):
    """Keeps the largest sum of the peaks of a tree of processes. The kernel reports the peak of one ended child, and of
    several the largest and not the sum. The sum misses a process that is too short to be seen."""
    while not ended.wait(0.002):
        usage.peak = max(usage.peak, peak_of_tree(process))


def peak_of_tree(process):
    children = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children += thread.read_text().split()
        except OSError:
            pass
    return peak_of(process) + sum(map(peak_of_tree, children))


def peak_of(process):
    return int((field(f"/proc/{process}/status", "VmHWM") or "0").split()[0]) << 10


def field(path, name):
    """The value of the first line `name : value` of a file in `/proc`."""
    try:
        found = re.search(rf"^{name}\s*:\s*(.*)$", Path(path).read_text(), re.MULTILINE)
    except OSError:
        return None
    return found and found[1]


class Comparison:
    """Compares the bytes that it takes with a file. A hash could not say where the first difference is."""

    def __init__(self, path):
        self.expected, self.offset, self.found = open(path, "rb"), 0, None

    def __call__(self, piece):
        expected = self.expected.read(len(piece)) if not self.found else piece
        if expected != piece:
            equal = next((at for at, (a, b) in enumerate(zip(piece, expected)) if a != b), len(expected))
            place, ended = self.offset + equal, equal == len(expected)
            self.found = f"its data {'goes on after' if ended else 'is wrong from'} byte {place}{', the end' if ended else ' on'}"
        self.offset += len(piece)

    def finish(self):
        with self.expected:
            if not self.found and self.expected.read(1):
                self.found = f"its data ends too early, after {self.offset} bytes"
        if self.found:
            raise Failed(self.found)


class Side:
    """A party that is ready to run, and its rounds."""

    def __init__(self, party):
        self.party, self.rounds, self.coded_len, self.watched_peak, self.files = party, [], 0, 0, []

    @property
    def wall(self):
        return statistics.median(usage.wall for usage in self.rounds)

    @property
    def cpu(self):
        return statistics.median(usage.cpu for usage in self.rounds)

    @property
    def peak(self):
        """The highest peak of all rounds, because a limit must hold in every round."""
        return max(self.watched_peak, *(usage.peak for usage in self.rounds))


class Bench:
    """The settings of all rows. Everything is in one folder, in memory if there is room."""

    def __init__(self, programs, folder, rounds, quick):
        self.programs, self.folder, self.most_rounds, self.quick = programs, folder, rounds, quick
        self.stderr = folder / "stderr"

    def rounds(self, row):
        # Memory hardly varies, and the slowest rows take minutes.
        if row.is_very_slow or row.goal.peak:
            return 1 if self.quick else min(self.most_rounds, 3)
        return self.most_rounds

    def measure(self, row, plain, finding):
        """Verifies the parties of a row, and then runs them in turns: a pair of rounds meets the same load."""
        finding.missing = self.programs.missing(row)
        if finding.missing:
            return
        plain = self.head(plain, row.most_bytes(self.quick))
        sides = []
        for party in row.parties:
            finding.failed = len(sides)
            sides.append(self.prepare(row, party, plain))
        rounds = self.rounds(row)
        while min(len(side.rounds) for side in sides) < rounds:
            for finding.failed, side in enumerate(sides):
                announce(f"{finding.data} {row.work}: {len(side.rounds) + 1}/{rounds} {side.party.run}")
                side.rounds.append(self.run_once(row, side, None))
        finding.sides = sides

    def head(self, plain, most):
        if plain.stat().st_size <= most:
            return plain
        path = self.folder / f"plain.{most}"
        if not path.exists():
            copy_head(plain, most, path)
        return path

    def prepare(self, row, party, plain):
        """Prepares the input of a party, runs it once while its memory is watched, and keeps its output. Then compares
        the decompressed output with the plain data."""
        side = Side(party)
        side.input, side.output = plain, self.folder / "output"
        if row.files:
            side.input = self.cut(party.source, plain, row.files[1])
            side.files = files_in(side.input)
        elif party.source:
            side.input = self.coded(party.source, plain)
        announce(f"{row.work}: verifying {party.run}")
        try:
            with open(side.output, "wb") as kept:
                usage = self.run_once(row, side, kept.write)
                side.watched_peak = usage.peak
                # The coded form of many files is that of all data, and so are the files that are made of it.
                for path in made_of(side):
                    kept.write(Path(path).read_bytes())
            comparison = Comparison(plain)
            if party.check:
                # If the standard tool is not installed, pzcomp checks the output.
                is_there = all(program_of(command) in self.programs for command in party.check.split(" | "))
                check = self.programs.command(party.check if is_there else "pzcomp -d", side.output, side.output)
                run(check, (side.output, "file"), (comparison, "pipe"), self.stderr)
            else:
                with open(side.output, "rb") as output:
                    pump(output.fileno(), comparison, 256 << 10)
            comparison.finish()
        except Failed as failed:
            raise Failed(f"`{party.run}`: {failed}") from None
        coded = [side.output] if party.check else side.files or [side.input]
        side.coded_len = sum(os.stat(path).st_size for path in coded)
        if row.is_very_slow:
            # This run counts too: beside minutes, keeping the output and watching the memory cost nothing.
            side.rounds.append(usage)
        return side

    def coded(self, line, plain):
        """The output of a command for the data, in a file that later rows use again."""
        path = self.folder / f"coded.{plain.stat().st_size}.{re.sub('[^A-Za-z0-9-]', '_', line)}{suffix_of(line)}"
        if not path.exists():
            announce(f"preparing {line}")
            # A program that is told the name of its output makes the file itself.
            target = None if "{out}" in line else path
            try:
                run(self.programs.command(line, plain, path), (plain, "file"), (target, "file"), self.stderr)
            except Failed:
                path.unlink(missing_ok=True)  # The next row would take half a file for a whole file.
                raise
        return path

    def cut(self, source, plain, length):
        """A folder with the data in files of so many bytes, or with what `source` makes of each of them."""
        folder = self.folder / f"files.{program_of(source) if source else 'plain'}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with open(plain, "rb") as data:
            for number in range(plain.stat().st_size // length):
                path = folder / f"f{number:06}"
                path.write_bytes(data.read(length))
                if source:
                    coded = path.with_suffix(suffix_of(source))
                    run(self.programs.command(source, path, coded), (path, "file"), (coded, "file"), self.stderr)
                    path.unlink()
        return folder

    def run_once(self, row, side, keep):
        """Runs a party once. Output to a file goes to the file of the party. If there is a function `keep`, all other
        output goes to it, and the memory is watched."""
        if side.files:
            return self.run_with_files(row, side, keep)
        source_end, end = row.ends
        target = (keep or (lambda _: None), end if end in WIDTHS else "pipe") if keep or end in WIDTHS else (None, end)
        if end == "file":
            # The file of the last round is removed first: its removal must not be measured, and tools do not
            # overwrite files.
            side.output.unlink(missing_ok=True)
            target = (None if "{out}" in side.party.run else side.output, end)
        command = self.programs.command(side.party.run, side.input, side.output)
        return run(command, (side.input, source_end), target, self.stderr, watched=bool(keep))

    def run_with_files(self, row, side, keep):
        """Runs a party once with all files, or once with each of them."""
        for path in made_of(side):
            os.unlink(path)
        is_each = row.pace.startswith("one each")
        usage = Usage()
        for path in map(Path, side.files) if is_each else [side.input]:
            command = self.programs.command(side.party.run, path, Path(os.devnull))
            one = run(command, (os.devnull, "file"), (None, "null"), self.stderr, watched=bool(keep) and not is_each)
            usage.wall, usage.cpu, usage.peak = usage.wall + one.wall, usage.cpu + one.cpu, max(usage.peak, one.peak)
        return usage


def made_of(side):
    """The files that a party has made beside its inputs."""
    return [path for path in files_in(side.input) if path not in side.files] if side.files else []


def copy_head(path, most, target):
    with open(path, "rb") as data, open(target, "wb") as head:
        while most and (piece := data.read(min(most, 1 << 20))):
            head.write(piece)
            most -= len(piece)


def announce(what):
    """Shows the progress on a terminal, in a line that the next message replaces."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


class Finding:
    """A row, its data, and its result: two sides with rounds, or the program that is missing, or an error."""

    def __init__(self, row, data, plain_len):
        self.row, self.data, self.plain_len = row, data, plain_len
        self.sides, self.missing, self.error, self.failed = [], None, None, 0

    @property
    def peer(self):
        return self.sides[1] if len(self.sides) > 1 else None

    @property
    def speed(self):
        """Our speed divided by the peer's, pair by pair: the least, the median and the greatest. A disturbance of the
        machine usually affects both rounds of a pair."""
        if not self.peer:
            return None
        ratios = [peer.wall / ours.wall for ours, peer in zip(self.sides[0].rounds, self.peer.rounds)]
        return min(ratios), statistics.median(ratios), max(ratios)

    @property
    def size(self):
        """Our compressed size in terms of the peer's."""
        return self.sides[0].coded_len / self.peer.coded_len if self.peer else None

    @property
    def cores(self):
        """The number of cores that the workers could use: their CPU seconds in terms of those of the slower serial
        thread. `-v` prints them as `…; cpu s: reader 0.012, workers 1.234, writer 0.045`."""
        figures = []
        for usage in self.sides[0].rounds if self.sides else []:
            times = dict(re.findall(r"(reader|workers|writer) ([\d.]+)", usage.stderr.rpartition("cpu s:")[2]))
            if len(times) < 3:
                return None
            figures.append(float(times["workers"]) / max(float(times["reader"]), float(times["writer"]), 0.001))
        return statistics.median(figures) if figures else None

    @property
    def ratios(self):
        """The median of the speed, and the size of our output beside the peer's, if the row writes it and the
        difference is more than 1 %, and more than a thousandth of the plain data."""
        if not self.peer:
            return None
        peer = self.peer.coded_len
        difference = abs(self.sides[0].coded_len - peer)
        matters = difference * 100 > peer and difference * 1000 > self.plain_len and self.row.is_coding
        return self.speed[1], self.size if matters else None

    @property
    def lag(self):
        """How far the peer is ahead, as a ratio below 1: in speed, or in the size of the output if that is worse."""
        speed, size = self.ratios or (1, None)
        return min([ratio for ratio in (speed, 1 / size if size else 1) if ratio < 1], default=None)

    @property
    def verdict(self):
        """The last column of the table. Its first word is the verdict, by which rows are counted."""
        if self.missing:
            return f"{self.missing} not installed"
        if self.error:
            return f"{'the peer ' if self.failed else ''}failed: {self.error}"
        goal = self.row.goal
        if goal.peak:
            return "holds" if self.sides[0].peak <= goal.peak * (1 << 20) else "misses (memory)"
        if goal.cores:
            if self.cores is None:
                return "failed: pzcomp -v names no CPU seconds"
            return f"{'holds' if self.cores >= goal.cores else 'misses'} ({self.cores:.1f} cores)"
        speed, size = self.ratios
        if goal.speed:
            missed = ["speed"] * (speed < goal.speed) + ["size"] * bool(goal.size and self.size > goal.size)
            return f"misses ({' and '.join(missed)})" if missed else "holds"
        # A faster program with a larger output is not ahead.
        word = "behind" if speed < 1 else "larger" if size and size > 1 else "ahead" if speed >= 1.02 else "even"
        return f"{word} ({speed:.2f}{f', size {size:.3f}' if size else ''})"


def score(findings):
    """The number of rows with each verdict, in a sentence."""
    words = [finding.verdict.split(" (")[0] for finding in findings]
    counts = {word: words.count(word) for word in ("holds", "misses", "ahead", "even", "larger", "behind")}
    none = len(findings) - sum(counts.values())
    return ("Promises: {holds} hold, {misses} miss. Comparisons: pzcomp is ahead in {ahead}, even in {even}, faster but "
            "larger in {larger}, behind in {behind}. Without a result: {none}.").format(none=none, **counts)


HEADINGS = ["data", "MiB", "work", "shape", "ours", "peer", "speed ×", "size ×", "needed", "MB/s", "CPU s", "peak MiB",
            "verdict"]
# The usual widths of the figures.
FIGURES = ["", "", "", "", "", "", "1.23 (1.11–1.45)", "1.000", "", "1234 / 1234", "12.34 / 12.34", "123 / 123",
           "misses (speed and size)"]


class Report:
    """Prints the table, and writes compare.md and compare.csv again after each row, so that both are complete."""

    def __init__(self, rows, names, facts, folder):
        """The columns are as wide as `rows` and the names of the data need. So the lines align, although each line is
        printed before the next is known."""
        columns = [[heading, figure] for heading, figure in zip(HEADINGS, FIGURES)]
        columns[0] += names
        for row in rows:
            texts = {2: row.work, 3: row.shape, 4: cell(row.ours), 5: cell(row.peer), 8: row.needed}
            for column, text in texts.items():
                columns[column].append(text)
        self.widths = [max(map(len, column)) for column in columns]
        self.folder, self.lines, self.records = folder and Path(folder), [], []
        self.print("# pzcomp and its peers\n")
        for fact in facts:
            self.print(f"- {fact}")
        self.print("")
        self.head()

    def print(self, text):
        print(text, flush=True)
        self.lines.append(text)

    def head(self):
        self.cells(HEADINGS)
        self.cells(["-" * width for width in self.widths])

    def cells(self, cells):
        self.print(f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, self.widths))} |")

    def add(self, finding):
        self.cells(cells(finding))
        self.records.append(fields(finding))
        self.save()

    def end(self, findings):
        self.print(f"\n{REMARK}\n\n{score(findings)}\n\n## Where a peer is ahead\n")
        behind = sorted((finding for finding in findings if finding.lag), key=lambda finding: finding.lag)
        self.print("In speed, or in the size of the output, the worst first.\n" if behind else "Nowhere.")
        if behind:
            self.head()
        for finding in behind:
            self.cells(cells(finding))
        self.save()

    def save(self):
        if not self.folder:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "compare.md").write_text("\n".join(self.lines) + "\n")
        with open(self.folder / "compare.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, self.records[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.records)


def cell(text):
    """A pipeline must not end its cell."""
    return str(text or "").replace("|", "\\|")


def cells(finding):
    row, sides, mib = finding.row, finding.sides, lambda length: str(-(-length // (1 << 20)))
    both = lambda show: " / ".join(map(show, sides))
    return [
        finding.data, mib(finding.plain_len), row.work, row.shape, cell(row.ours), cell(row.peer),
        "{1:.2f} ({0:.2f}–{2:.2f})".format(*finding.speed) if finding.peer else "",
        f"{finding.size:.3f}" if finding.peer else "", row.needed,
        both(lambda side: f"{finding.plain_len / 1e6 / side.wall:.0f}"), both(lambda side: f"{side.cpu:.2f}"),
        both(lambda side: mib(side.peak)),
        # A message may have characters that would end the cell or the line.
        finding.verdict.replace("|", "¦").replace("\n", " "),
    ]


def fields(finding):
    """The record in compare.csv. A field without a measurement is empty."""
    row, (least, median, most) = finding.row, finding.speed or (None, None, None)
    number = lambda value: "" if value is None else f"{value:.4f}"
    sides = dict(zip(("ours", "peer"), finding.sides))
    of = lambda name, show: show(sides[name]) if name in sides else ""
    both = lambda key, show: {f"{name}_{key}": of(name, show) for name in ("ours", "peer")}
    return {
        "data": finding.data, "plain_bytes": finding.plain_len, "work": row.work,
        "direction": "compress" if row.is_coding else "decompress", "shape": row.shape, "ours": row.ours,
        "peer": row.peer or "", "needed": row.needed, "speed_median": number(median), "speed_min": number(least),
        "speed_max": number(most), "size_ratio": number(finding.size),
        **both("coded_bytes", lambda side: side.coded_len), **both("wall_s", lambda side: number(side.wall)),
        **both("cpu_s", lambda side: number(side.cpu)), **both("peak_bytes", lambda side: side.peak),
        "cores_at_saturation": number(finding.cores), "verdict": finding.verdict,
        **both("walls_s", lambda side: " ".join(number(usage.wall) for usage in side.rounds)),
    }


REMARK = """\
Speed is the median of the pairs of rounds (lowest–highest). Of two figures with a slash the first is pzcomp's. MB/s are \
millions of plain bytes a second of wall time. CPU s is user and system time of the process and its children. Both are \
medians. The peak is the highest of all rounds; in the first round the memory of all processes of a side is added. Memory \
and the slowest rows are measured in three rounds at most (one with --quick); for the slowest rows the first of them also \
verifies. A comparison is even from 1.00 to 1.02 × the speed. Two sizes count as equal if they differ by at most 1 %, or \
by less than a thousandth of the plain data."""


def machine():
    """The machine and the time. Figures mean little without them. They name neither the host nor its kernel."""
    cores, kib = len(os.sched_getaffinity(0)), int((field("/proc/meminfo", "MemTotal") or "0").split()[0])
    model = field("/proc/cpuinfo", "model name") or "unknown CPU"
    yield f"{model}, {cores} cores usable, {kib / (1 << 20):.1f} GiB of memory"
    yield f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())} UTC, load before: {os.getloadavg()[0]:.2f}"


class Data:
    """A set of plain data: a kind of the generator with a seed, or a file of the user."""

    def __init__(self, args, kind=None, file=None):
        self.kind, self.file, self.args = kind, file, args
        self.name = kind or os.path.basename(file)

    def write(self, most, target):
        """Puts at most so many bytes of the data into a file."""
        if self.file:
            return copy_head(self.file, most, target)
        with open(target, "wb") as plain:
            command = [self.args.corpus, self.kind, str(most), str(self.args.seed)]
            run = subprocess.run(command, stdout=plain, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            raise Failed(run.stderr.strip())

    def recipe(self):
        """A description from which the data can be made again."""
        if self.file:
            return f"{self.file}, at most {self.args.bytes} bytes"
        of = f" of {version_of('rustc')}" if self.kind == "toolchain" else ""
        return f"`corpus {self.kind} {self.args.bytes} {self.args.seed}`{of}"


def parse(words):
    parser = argparse.ArgumentParser(description="Measures pzcomp against its peers, and prints a table of the results.")
    add = parser.add_argument
    add("--pzcomp", default="target/release/pzcomp", help="the binary to measure")
    add("--before", help="measure against this older binary of pzcomp, and not against the peers")
    add("--corpus", default="target/release/corpus", help="the generator of data")
    add("--file", action="append", default=[], help="measure this file (repeatable) instead of generated data")
    add("--kind", action="append", default=[], choices=FIRST_RANK + SECOND_RANK,
        help="generate this kind of data (repeatable); default: nodes and pages, and comparisons on the others with --set all")
    add("--seed", type=int, default=7, help="the seed of generated data")
    add("--mib", type=int, help="how much of each data to use; default: 256, or 64 with --quick")
    add("--rounds", type=int, help="measured rounds; default: 5, or 3 with --quick")
    add("--quick", action="store_true", help="less data, fewer rounds and the set quick: under ten minutes on two cores")
    add("--set", choices=SETS, help="promises; quick, which has also the first peer of each comparison; or all")
    add("--peers", default="", help="only rows against these programs: NAME,NAME…")
    add("--peers-dir", default="target/peers/bin", help="programs that were built for the measurement; searched before PATH")
    add("--rows", default="", help="only rows whose data, work, shape and commands contain this")
    add("--list", action="store_true", help="list the rows and measure nothing")
    add("--out", help="also write compare.md and compare.csv into this folder")
    add("--temp", help="the folder for temporary files; default: /dev/shm if it has room, else $TMPDIR")
    args = parser.parse_args(words)
    args.bytes = (args.mib or (64 if args.quick else 256)) << 20
    args.rounds = max(args.rounds or (3 if args.quick else 5), 1)
    args.set = args.set or ("quick" if args.quick else "all")
    args.peers = args.peers.split(",") if args.peers else []
    return args


def chapters(args):
    """Data, and the rows that are measured on it. With --quick, only the first data has the slowest rows and the
    comparisons."""
    is_default = not (args.kind or args.file)
    origins = [Data(args, kind=kind) for kind in (FIRST_RANK if is_default else args.kind)]
    origins += [Data(args, file=file) for file in args.file]
    all_rows = every_row()
    if args.before:
        all_rows = unique(row.against_before() for row in all_rows)

    def rows(data, is_first, tiers):
        return [row for row in all_rows
                if row.tier in tiers and (not args.peers or row.peer and program_of(row.peer.run) in args.peers)
                and (is_first or not args.quick or row.tier == PROMISE and not row.is_very_slow)
                and args.rows in f"{data.name} {row}"]

    found = [(data, rows(data, data is origins[0], range(SETS[args.set] + 1))) for data in origins]
    if is_default and args.set == "all":
        found += [(data, rows(data, True, (FIRST, MAIN))) for data in (Data(args, kind=kind) for kind in SECOND_RANK)]
    return [(data, rows) for data, rows in found if rows]


def measure(args):
    """Measures all rows. Returns whether pzcomp succeeded in every row."""
    parts = chapters(args)
    rows = [row for _, rows in parts for row in rows]
    if args.list or not rows:
        for data, rows in parts:
            for row in rows:
                print(data.name, row)
        if not rows:
            raise Failed("No row matches; --list shows them all.")
        return True
    for data, _ in parts:
        data.write(1, os.devnull)  # A run would notice after half an hour that there is no such data.
    programs = Programs(rows, args.pzcomp, args.before, args.peers_dir)
    # The plain data, its first parts and all coded forms stay until the next data comes.
    memory = os.statvfs("/dev/shm")
    is_room = memory.f_bavail * memory.f_frsize >= 10 * args.bytes
    facts = [f"`{' '.join(sys.argv)}`", *machine()]
    facts += [f"data {data.name}: {data.recipe()}" for data, _ in parts]
    facts.append(f"{args.rounds} rounds of both in turns, after a round that verifies; pipes of 1 MiB")
    facts += [f"{name}: {version}" for name, (_, version) in sorted(programs.items())]
    report, findings = Report(rows, [data.name for data, _ in parts], facts, args.out), []
    for data, rows in parts:
        parent = args.temp or ("/dev/shm" if is_room else None)
        with tempfile.TemporaryDirectory(prefix="pzcomp-compare.", dir=parent) as folder:
            bench = Bench(programs, Path(folder), args.rounds, args.quick)
            plain = bench.folder / "plain"
            data.write(args.bytes, plain)
            for row in rows:
                finding = Finding(row, data.name, min(plain.stat().st_size, row.most_bytes(args.quick)))
                try:
                    bench.measure(row, plain, finding)
                except (Failed, OSError) as error:
                    finding.error = str(error)
                announce("")
                report.add(finding)
                findings.append(finding)
    report.end(findings)
    return not any(finding.error and not finding.failed for finding in findings)


def main():
    # The temporary folder, which may hold a gigabyte of memory, is removed also when a signal ends the program.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return 0 if measure(parse(sys.argv[1:])) else 1
    except (Failed, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
