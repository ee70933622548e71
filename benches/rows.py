"""The rows of `compare.py`: the promises of `promises.txt`, and a comparison with every peer, in every shape, at every
level, on one thread and two.

A command line is written as a user would type it. The word `pzcomp` at its start stands for the binary under test.
`{in}` and `{out}` stand for files, if the shape of the row has files. If a command line names no such file, it is its
stdin or stdout. Commands with ` | ` between them are a pipeline."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

# The ranks of rows, which decide which sets have them: promises; the first peer of each format at its main level; all
# peers at the main level, which data of the second rank has too; and all other levels, foreign files and threads.
PROMISE, FIRST, MAIN, FULL = range(4)
# The ends of a process. A "32K pipe" has the size that the system gives, and its other side moves 32 KiB at once:
# container engines have such pipes. With "files" there are many inputs, and outputs beside them.
ENDS = ("pipe", "32K pipe", "file", "null", "files")


class Party(NamedTuple):
    """One side of a row: the command that makes the input from the plain data, if the plain data is not the input; the
    measured command; and the command that turns the output back into the plain data, if the output is not plain."""

    source: str | None
    run: str
    check: str | None

    def __str__(self):
        return f"{self.run} (file: {self.source})" if self.source else self.run

    def programs(self, with_check=False):
        lines = [self.source, self.run] + [self.check] * with_check
        return [program_of(command) for line in lines if line for command in line.split(" | ")]


def party(text):
    """Reads `SOURCE > RUN < CHECK`."""
    source, _, rest = text.rpartition(" > ")
    run, _, check = rest.partition(" < ")
    return Party(source or None, run, check or None)


class Goal(NamedTuple):
    """What a row promises: at least this many times the peer's speed, with an output of at most this many times its
    size; the peak memory in MiB; or the cores that the workers could use. Without any, the row shows who is ahead."""

    speed: float | None
    size: float | None
    peak: float | None
    cores: float | None


GOAL = re.compile(r"ahead|speed ≥ ([\d.]+)(?:, size ≤ ([\d.]+))?|peak ≤ (\d+) MiB|cores ≥ ([\d.]+)")
PACE = re.compile(r"(slow)?|(\d+)/(\d+) MiB|(one each: )?(\d+) files of (\d+)")


@dataclass(frozen=True)
class Row:
    """A row of the table. Any thread can read and write a file at any place, but not a pipe, so the same work has
    different speeds in different shapes, such as `pipe→file`.

    The pace decides how much of the data a row gets: all, 64 MiB (`slow`, 32 with --quick), so many MiB that both
    threads get the same number of whole blocks (`128/64 MiB`, with few rounds), or so many files of so many bytes."""

    work: str
    shape: str
    needed: str
    pace: str
    ours: Party
    peer: Party | None
    tier: int = PROMISE

    @property
    def ends(self):
        return self.shape.split("→")

    @property
    def goal(self):
        return Goal(*(number and float(number) for number in GOAL.fullmatch(self.needed).groups()))

    @property
    def parties(self):
        return [party for party in (self.ours, self.peer) if party]

    @property
    def is_coding(self):
        """Whether pzcomp compresses the plain data."""
        return not self.ours.source

    @property
    def is_very_slow(self):
        return "/" in self.pace

    @property
    def files(self):
        """The number and the length of the files, or None."""
        *_, count, length = PACE.fullmatch(self.pace).groups()
        return count and (int(count), int(length))

    def most_bytes(self, quick):
        slow, mib, quick_mib, *_ = PACE.fullmatch(self.pace).groups()
        if self.files:
            return self.files[0] * self.files[1]
        if slow or mib:
            return int((quick_mib if quick else mib) or (32 if quick else 64)) << 20
        return 1 << 62

    @property
    def processes(self):
        """Rows with the same value measure the same."""
        return self.shape, self.pace, self.ours, self.peer, self.peer is None and self.needed

    def against_before(self):
        """The row with an older pzcomp in the place of the peer."""
        run = re.sub(r"(^| \| )pzcomp(?= |$)", r"\1pzcomp-before", self.ours.run)
        return replace(self, peer=self.ours._replace(run=run), needed="ahead")

    def __str__(self):
        return f"{self.work}, {self.shape}: {' against '.join(map(str, self.parties))}; {self.needed}"


def promise(line):
    work, shape, needed, pace, ours, peer = line.rstrip("\n").split("; ")
    if not (GOAL.fullmatch(needed) and PACE.fullmatch(pace) and set(shape.split("→")) <= set(ENDS)):
        raise ValueError(f"not a promise: {line}")
    return Row(work, shape, needed, pace, party(ours), party(peer) if peer else None)


def program_of(line):
    """The program that a command line starts first."""
    return line.split()[0]


SUFFIXES = {"7z": ".7z", "lzf": ".lzf", "qpress": ".qp", "snappy": ".sz", "zst": ".zst", "bzip2": ".bz2", "gzip": ".gz",
            "pigz": ".gz", "crabz": ".gz", "lz4": ".lz4", "lzop": ".lzo", "lzip": ".lz", "xz": ".xz"}


def suffix_of(line):
    """The suffix of the format that a command line writes. Some tools refuse a file without it."""
    return next((suffix for part, suffix in SUFFIXES.items() if part in line), "")


# A format: its name; the command that shows that compression lost nothing; the paces of the levels that are not fast;
# the pace of decompression; and commands that make files which all peers can read, the most common kind first.
# A tool: the command that compresses; pairs of a level of pzcomp and a comparable level of the tool, the main pair
# first; and the command that decompresses. `{p}` stands for the number of threads and `{l}` for the level. A tool
# without `{p}` works on one thread. The name of an input file is appended, or has its form in brackets:
# `[for a file|for a pipe]`. Two jobs of zstd -19 have 64 MiB, two Blocks of xz -6 48 and four members of lzip -6 64.
USUAL = [(6, 6), (1, 1), (9, 9)]
FORMATS = [
    ("gzip", "gzip -dc", {6: "slow", 9: "slow"}, "", ["gzip -6 -c", "pigz -p2 -6 -c", "bgzip -@2 -c", "igzip -1 -c"], [
        ("pigz -p{p} -{l} -c", USUAL, "pigz -p{p} -d -c"),
        ("gzip -{l} -c", USUAL, "gzip -d -c"),
        # Its highest level is 3, which is nearer to level 1 of pzcomp than to level 6.
        ("igzip -T{p} -{l} -c", [(1, 1), (1, 3)], "igzip -T{p} -d -c"),
        ("bgzip -@{p} -l {l} -c", USUAL, "bgzip -@{p} -d -c"),
        ("crabz -Q -p{p} -l{l}", USUAL, "crabz -Q -p{p} -d"),
        ("gzippy -p{p} -{l} -c", USUAL, "gzippy -p{p} -d -c"),
        ("", [], "rapidgzip -P{p} -d -c"),
        ("", [], "rapidgzip-rust -P{p} -d -c [{in}|-]"),
        ("", [], "libdeflate-gzip -d -c"),
    ]),
    ("zstd", "zstd -dc", {9: "slow", 19: "64/64 MiB"}, "", ["zstd -3 -c", "pzstd -p2 -3 -c"], [
        ("zstd -T{p} -{l} -c", [(3, 3), (1, 1), (9, 9), (19, 19)], "zstd -d -c"),
        ("pzstd -p{p} -{l} -c", [(3, 3), (1, 1), (9, 9), (19, 19)], "pzstd -p{p} -d -c"),
    ]),
    ("lz4", "lz4 -dc", {9: "slow"}, "", ["lz4 -1 -c", "lz4 -1 -BD -c"], [
        ("lz4 -{l} -c", [(1, 1), (9, 9)], "lz4 -d -c"),
        ("lzop -{l} -c", [(1, 1), (9, 9)], "lzop -d -c"),
    ]),
    ("xz", "xz -dc", {1: "slow", 6: "48/48 MiB"}, "slow", ["xz -T2 -1 -c", "xz -T1 -1 -c", "pixz -t -p2 -1"], [
        ("xz -T{p} -{l} -c", [(1, 1), (6, 6)], "xz -T{p} -d -c"),
        ("pixz -t -p{p} -{l} [-i {in}|]", [(1, 1), (6, 6)], "pixz -t -p{p} -d [-i {in}|]"),
    ]),
    ("bzip2", "bzip2 -dc", {9: "slow"}, "slow", ["bzip2 -9 -c", "pbzip2 -p2 -9 -c", "lbzip2 -n2 -9 -c"], [
        ("pbzip2 -p{p} -9 -c", [(9, 9)], "pbzip2 -p{p} -d -c"),
        ("lbzip2 -n{p} -9 -c", [(9, 9)], "lbzip2 -n{p} -d -c"),
        ("bzip2 -9 -c", [(9, 9)], "bzip2 -d -c"),
    ]),
    ("lzip", "lzip -dc", {6: "64/64 MiB", 0: "slow", 1: "slow"}, "slow", ["plzip -n2 -6 -c", "lzip -1 -c"], [
        ("plzip -n{p} -{l} -c", [(6, 6), (0, 0), (1, 1)], "plzip -n{p} -d -c"),
        ("lzip -{l} -c", [(6, 6)], "lzip -d -c"),
    ]),
]
# This peer has a format of its own. It reads only its own files, and no other tool can check them.
OWN_FORMAT = "lzop"
# The shapes and the numbers of threads: all, for the work that users do most, and few, if a shape shows nothing new.
EVERY = [(shape, threads) for threads in (2, 1) for shape in ("pipe→pipe", "file→pipe", "pipe→file")]
PIPES, FILES = [EVERY[0], EVERY[3]], [EVERY[1], EVERY[4]]
OUR_DECODER = "pzcomp -d -p {p}[ -c {in}|]"


def line(template, setting, level=0):
    """The command line for a template."""
    shape, threads = setting
    is_file = shape.startswith("file")
    text = re.sub(r"\[(.*?)\|(.*?)\]", r"\1" if is_file else r"\2", template)
    if is_file and text == template:
        text += " {in}"
    return text.replace("{p}", str(threads)).replace("{l}", str(level)).strip()


def tier(is_main, rank, setting):
    """The quick run has rows of one thread only for the main peer between pipes."""
    if is_main and rank == 0 and (setting[1] == 2 or setting[0] == "pipe→pipe"):
        return FIRST
    return MAIN if is_main and setting[1] == 2 else FULL


def comparisons(name, format_check, paces, decoding, kinds, tools):
    """Compression, decompression of the tool's own files, and decompression of files that all of them read."""
    ours = f"pzcomp -F {name} -{{l}} -p {{p}}[ -c {{in}}|]"
    coded, own, foreign = [], [], []
    for rank, (coder, levels, decoder) in enumerate(tools):
        for place, (level, theirs) in enumerate(levels):
            check = decoder if program_of(decoder) == OWN_FORMAT else format_check
            for setting in PIPES if place else EVERY:
                parties = (Party(None, line(ours, setting, level), format_check),
                           Party(None, line(coder, setting, theirs), line(check, ("pipe", setting[1]), theirs)))
                coded.append(Row(f"{name} -{level}", setting[0], "ahead", paces.get(level, ""), *parties,
                                 tier(place == 0, rank, setting)))
        # Every tool decompresses its own file, because its layout is part of the work.
        for setting in EVERY if levels else []:
            sources = line(ours, EVERY[0], levels[0][0]), line(coder, EVERY[0], levels[0][1])
            parties = [Party(source, line(run, setting), None) for source, run in zip(sources, (OUR_DECODER, decoder))]
            own.append(Row(f"{name} -d, own files", setting[0], "ahead", decoding, *parties, tier(True, rank, setting)))
    for place, source in enumerate(kinds):
        for rank, (_, _, decoder) in enumerate(tool for tool in tools if program_of(tool[2]) != OWN_FORMAT):
            for setting in FILES if place else EVERY:
                parties = [Party(source, line(run, setting), None) for run in (OUR_DECODER, decoder)]
                foreign.append(Row(f"{name} -d, foreign files", setting[0], "ahead", decoding, *parties,
                                   tier(place == 0, rank, setting)))
    return coded + own + foreign


def long():
    """Windows of 128 MiB. pzcomp writes a frame for each 128 MiB, so the data should be several times as long."""
    ours, theirs = "pzcomp -F zstd -3 --long -p {p}[ -c {in}|]", "zstd -T{p} -3 --long=27 -c"
    for setting in EVERY[:2]:
        coders = [Party(None, line(run, setting), "zstd -dc") for run in (ours, theirs)]
        yield Row("zstd -3, long", setting[0], "ahead", "", *coders, MAIN)
        decoders = [Party(line(source, EVERY[0]), line(run, setting), None)
                    for source, run in ((ours, OUR_DECODER), (theirs, "zstd -d -c"))]
        yield Row("zstd -d, long", setting[0], "ahead", "", *decoders, MAIN)


def unique(rows):
    """The rows without those that measure the same as an earlier one."""
    kept = {}
    for row in rows:
        kept.setdefault(row.processes, row)
    return list(kept.values())


def every_row():
    """All rows. If a promise and a comparison measure the same, only the promise is a row."""
    lines = (Path(__file__).parent / "promises.txt").read_text().splitlines()
    rows = [promise(line) for line in lines if not line.startswith("#")]
    for known in FORMATS:
        rows += comparisons(*known)
    return unique([*rows, *long()])
