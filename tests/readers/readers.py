"""Other people's readers read what pzcomp writes.

Makes files of each format and layout, has each reader read them, and compares the plain bytes. Prints a table with a row
for each output; `--write` puts it into benches/results/readers.md. The exit status is 1 if a reader refuses or changes data and KNOWN
does not say so, or if KNOWN says so and the reader reads all.

Usage: readers.py FOLDER PZCOMP [--write]. FOLDER has node_modules and the Go program; `make test-readers` makes them.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "../../benches/results/readers.md"
BEGIN, END = "<!-- readers -->\n", "<!-- end of readers -->\n"

# Each output: a name for the table, the kind of file, and the command. A command that begins with another name than
# pzcomp runs the binary under that name.
OUTPUTS = [
    ("`-F gzip`", "gzip", "pzcomp -F gzip"),
    ("`-F gzip -1`", "gzip", "pzcomp -F gzip -1 -b 64K"),
    ("`-F gzip -2`", "gzip", "pzcomp -F gzip -2 -b 64K"),
    ("`-F gzip -3`", "gzip", "pzcomp -F gzip -3 -b 64K"),
    ("`-F gzip -12`", "gzip", "pzcomp -F gzip --level 12 -b 64K --no-index"),
    ("`-F gzip --recovery`", "gzip", "pzcomp -F gzip -b 64K --recovery --recovery-span 128K"),
    ("`-F gzip --one-member`", "gzip", "pzcomp -F gzip --one-member -b 64K"),
    ("`gzip`", "gzip", "gzip -9"),
    ("`pigz`", "gzip", "pigz -b 128"),
    ("`pigz --rsyncable`", "gzip", "pigz --rsyncable"),
    ("`bgzip`", "gzip", "bgzip -c"),
    ("`pigz -z`", "zlib", "pigz -z"),
    ("`pigz -K`", "zip", "pigz -K"),
    ("`-F zstd`", "zstd", "pzcomp -F zstd -b 64K"),
    ("`-F zstd --no-index`", "zstd", "pzcomp -F zstd -b 1M -19 --no-index"),
    ("`-F zstd --recovery`", "zstd", "pzcomp -F zstd -b 64K --recovery --recovery-span 128K"),
    ("`--long`", "zstd", "pzcomp -F zstd --long=24"),
    ("`zstd`", "zstd", "zstd -c"),
    ("`pzstd`", "zstd", "pzstd -c"),
    ("`-F lz4`", "lz4", "pzcomp -F lz4 -b 64K"),
    ("`-F lz4 -9`", "lz4", "pzcomp -F lz4 -9"),
    ("`-F lz4 --recovery`", "lz4", "pzcomp -F lz4 -b 64K --recovery --recovery-span 128K"),
    ("`lz4`", "lz4", "lz4 -c"),
    ("`lz4 -BD -B4`", "lz4", "lz4 -c -BD -B4"),
    ("`-F xz`", "xz", "pzcomp -F xz -1 -b 256K"),
    ("`-F xz -4`", "xz", "pzcomp -F xz -4 -b 64M"),
    ("`-F xz -9`", "xz", "pzcomp -F xz -9"),
    ("`xz`", "xz", "xz -c"),
    ("`xz --check=sha256`", "xz", "xz -c -T1 --check=sha256"),
    ("`lzma`", "lzma", "lzma -c"),
    ("`-F bzip2`", "bzip2", "pzcomp -F bzip2 -b 300K"),
    ("`bzip2`", "bzip2", "bzip2 -c"),
    ("`lbzip2 -1`", "bzip2", "lbzip2 -c -1"),
    ("`-F lzip`", "lzip", "pzcomp -F lzip -b 512K"),
    ("`-F lzip -9`", "lzip", "pzcomp -F lzip -9"),
    ("`-F snappy`", "snappy", "pzcomp -F snappy"),
]

# For each kind: the readers of one program that take many files (by name), and commands that take one file.
PROGRAMS = {
    "java": {"java gzip": "gzip", "java zlib": "zlib", "java zip": "zip"},
    "commons-compress": {f"commons-compress {kind}": kind for kind in
                         ("gzip", "bzip2", "xz", "lzma", "lz4", "snappy", "zstd", "zip")},
    "hadoop": {"hadoop gzip": "gzip", "hadoop bzip2": "bzip2", "hadoop zlib": "zlib"},
    "go": {"go gzip": "gzip", "go zlib": "zlib", "go bzip2": "bzip2", "go zip": "zip"},
    "klauspost": {"klauspost gzip": "gzip", "klauspost zstd": "zstd", "klauspost snappy": "snappy"},
    "pierrec": {"pierrec lz4": "lz4"},
    "ulikunitz": {"ulikunitz xz": "xz", "ulikunitz lzma": "lzma"},
    "node": {"node gzip": "gzip", "node zlib": "zlib"},
    "pako": {"pako gzip": "gzip", "pako zlib": "zlib"},
    "fzstd": {"fzstd zstd": "zstd"},
}
RUNNERS = {
    "java": "java", "commons-compress": "java", "hadoop": "java", "go": "go", "klauspost": "go", "pierrec": "go",
    "ulikunitz": "go", "node": "node", "pako": "node", "fzstd": "node",
}
COMMANDS = {
    "busybox": {"gzip": "busybox gunzip -c", "bzip2": "busybox bunzip2 -c", "xz": "busybox unxz -c",
                "lzma": "busybox unlzma -c", "zip": "busybox unzip -p {}"},
    "bsdtar": {kind: "bsdcat" for kind in ("gzip", "bzip2", "xz", "lzma", "lz4", "zstd", "lzip")}
              | {"zip": "bsdtar -xOf {}"},
    "7zz": {kind: f"7zz x -so -si -t{name}" for kind, name in
            {"gzip": "gzip", "bzip2": "bzip2", "xz": "xz", "lzma": "lzma"}.items()} | {"zip": "7zz x -so {}"},
    "perl": {"gzip": "perl -MIO::Uncompress::Gunzip=:all -e gunzip('-'=>'-',MultiStream=>1)||die$GunzipError",
             "bzip2": "perl -MIO::Uncompress::Bunzip2=:all -e bunzip2('-'=>'-',MultiStream=>1)||die$Bunzip2Error"},
}
PYTHON = {
    "gzip": lambda file: gzip.open(file).read(),
    "bzip2": lambda file: bz2.open(file).read(),
    "xz": lambda file: lzma.open(file).read(),
    "lzma": lambda file: lzma.open(file).read(),
    "zlib": lambda file: zlib.decompress(file.read_bytes()),
    "zip": lambda file: first_entry(file),
}
FAMILIES = ["python", *COMMANDS, *PROGRAMS]

# What readers refuse or cut, by family and output, and the reason for the table.
KNOWN = {("pierrec", "`lz4 -BD -B4`"): "version 2 reads no linked blocks"}


def first_entry(file):
    with zipfile.ZipFile(file) as archive:
        return archive.read(archive.namelist()[0])


def archive(content, count=200):
    """A tar archive of `count` files with the content."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.GNU_FORMAT) as file:
        for at in range(count):
            member = tarfile.TarInfo(f"folder/{at}")
            member.size, member.mtime = len(content) // count, 1
            file.addfile(member, io.BytesIO(content[at * member.size:]))
    return written.getvalue()


def plain_files(folder, count=850_000):
    """Data that is empty, one byte, shorter than a chunk, of many chunks, random, very repetitive, and a tar archive.

    The text has `count` words: by default enough for three slices of a Block of `xz -4`. Of the archive, pzcomp writes
    a list."""
    words = random.Random(7)
    vocabulary = [f"{words.getrandbits(40):x}" for _ in range(4000)]
    text = " ".join(words.choice(vocabulary) for _ in range(count)).encode()
    data = {
        "empty": b"", "one": b"x", "short": text[:5000], "text": text, "random": words.randbytes(700_000),
        "zeros": bytes(3 << 20), "mixed": text[:900_000] + words.randbytes(300_000) + bytes(400_000) + text[:900_000],
        "archive": archive(text[:400_000]),
    }
    for name, content in data.items():
        (folder / name).write_bytes(content)
    return {name: hashlib.sha256(content).hexdigest() for name, content in data.items()}


def coded_files(folder, pzcomp, names):
    """Writes each output of each data. Returns (row, kind, data, file) for each."""
    files = []
    for row, (_, kind, command) in enumerate(OUTPUTS):
        program, *arguments = command.split()
        link = folder / "bin" / program
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(pzcomp)
        for name in names:
            file = folder / f"{row}-{name}.{kind}"
            with open(folder / name, "rb") as source, open(file, "wb") as target:
                subprocess.run([link, *arguments], stdin=source, stdout=target, check=True)
            files.append((row, kind, name, file))
    return files


def run_command(command, file):
    """The plain bytes of a command, which has the file as its standard input or as an argument."""
    arguments = [str(file) if word == "{}" else word for word in command.split()]
    with open(file, "rb") as source:
        ran = subprocess.run(arguments, stdin=source, capture_output=True, check=False)
    if ran.returncode:
        return None, " ".join(ran.stderr.decode(errors="replace").split())[-200:]
    return ran.stdout, ""


def run_program(runner, folder, lines):
    """Gives the lines to a program of many readers, and returns its results by line."""
    jars = next(folder.glob("venv/lib/*/site-packages/pyspark/jars"))
    command = {
        "java": ["java", "-cp", f"{jars}/*", str(HERE / "Readers.java")],
        "go": [str(folder / "readers-go")],
        "node": ["node", str(HERE / "readers.mjs")],
    }[runner]
    ran = subprocess.run(command, input="".join(f"{line}\n" for line in lines), text=True, cwd=folder,
                         stdout=subprocess.PIPE, check=True)
    return dict(line.rsplit("\t", 1) if "\terror\t" not in line else line.split("\terror\t", 1)
                for line in ran.stdout.splitlines())


def read_all(folder, files):
    """The result of each reader for each file: (family, row, data) to a hash, or to words."""
    results, lines = {}, {}
    for row, kind, name, file in files:
        if kind in PYTHON:
            try:
                results["python", row, name] = hashlib.sha256(PYTHON[kind](file)).hexdigest()
            except Exception as error:  # Whatever a reader says is a result.
                results["python", row, name] = str(error)
        for family, commands in COMMANDS.items():
            if kind in commands:
                plain, words = run_command(commands[kind], file)
                results[family, row, name] = words if plain is None else hashlib.sha256(plain).hexdigest()
        for family, readers in PROGRAMS.items():
            for reader, its_kind in readers.items():
                if its_kind == kind:
                    lines.setdefault(RUNNERS[family], {})[f"{reader}\t{file}"] = (family, row, name)
    for runner, keys in lines.items():
        answers = run_program(runner, folder, keys)
        for line, key in keys.items():
            results[key] = answers.get(line, "no answer")
    return results


def main():
    folder, pzcomp = (Path(argument).resolve() for argument in sys.argv[1:3])
    work = folder / "files"
    subprocess.run(["rm", "-rf", work], check=True)
    work.mkdir(parents=True)
    expected = plain_files(work)
    files = coded_files(work, pzcomp, expected)
    results = read_all(folder, files)
    table, surprises = "| output | read by | refused or cut by |\n|---|---|---|\n", 0
    for row, (title, kind, _) in enumerate(OUTPUTS):
        reading, refusing = [], []
        for family in FAMILIES:
            mine = {name: results[family, row, name] for name in expected if (family, row, name) in results}
            bad = {name: words for name, words in mine.items() if words != expected[name]}
            known = KNOWN.get((family, title))
            if bool(bad) != bool(known):
                surprises += 1
                print(f"{family} of {title}: {bad or 'reads all, although KNOWN says otherwise'}", file=sys.stderr)
            if mine:
                (refusing if bad else reading).append(f"{family} ({known})" if bad else family)
        table += f"| {title} | {', '.join(reading)} | {', '.join(refusing)} |\n"
    print(table, end="")
    print(f"{len(results)} files read by {len(FAMILIES)} programs and packages, {surprises} surprises")
    if "--write" in sys.argv:
        before, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(before + BEGIN + table + END + rest.split(END)[1])
    sys.exit(surprises > 0)


if __name__ == "__main__":
    main()
