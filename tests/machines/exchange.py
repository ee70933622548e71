"""Two builds of pzcomp, for this machine and for another one, write the same bytes and read each other's.

Both write each output that `make test-readers` knows, an index and recovery records. The script compares the bytes.
Each build decodes what the other has written, reads a range by the other's index, and mends a file by the other's
records. The exit status is 1 if the bytes differ where OTHER_BYTES does not say so, or if something is not read.

Usage: exchange.py FOLDER MACHINE PZCOMP OTHER. OTHER is the build for MACHINE; the system starts it through an emulator
if it must. `make test-machines` calls this.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "../readers"))
from readers import OUTPUTS, coded_files, plain_files  # noqa: E402

# The outputs that may have other bytes on a machine, where they find matches, and why. The plain bytes are the same.
FAST_LZ4 = ("`-F lz4`", "`-F lz4 --recovery`", "`lz4`", "`lz4 -BD -B4`")
OTHER_BYTES = {
    "s390x": ((*FAST_LZ4, "`-F lz4 -9`"), "liblz4 hashes numbers in the byte order of the machine"),
    "i686": (FAST_LZ4, "the fast levels of liblz4 hash four bytes on machines of 32 bits, and five on others"),
}
# Words of the text: little data, because emulators are slow.
WORDS = 60_000


def digest(data):
    return hashlib.sha256(data).hexdigest()


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def attached(pzcomp, folder, source):
    """Writes a copy of `source` into `folder`, an index and records beside it, and a file with records inside."""
    file = folder / "attached.gz"
    shutil.copy(source, file)
    run(pzcomp, "--index", "--index-interval", "100K", "-q", file)
    run(pzcomp, "--protect", "-q", file)
    inside = folder / "inside.zst"
    run(pzcomp, "-F", "zstd", "-b", "64K", "--recovery", "-kqo", inside, folder / "text")
    return [file, folder / "attached.gz.pzi", folder / "attached.gz.pzr", inside]


def repaired(pzcomp, folder, file, beside):
    """The bytes of `file` after it was damaged and mended by `pzcomp`, in a folder of its own."""
    work = folder / "damaged"
    work.mkdir()
    for each in [file, *beside]:
        shutil.copy(each, work)
    damaged = bytearray(file.read_bytes())
    middle = len(damaged) // 2
    damaged[middle:middle + 700] = bytes(byte ^ 0x55 for byte in damaged[middle:middle + 700])
    (work / file.name).write_bytes(damaged)
    run(pzcomp, "--repair", "-q", work / file.name)
    mended = (work / file.name).read_bytes()
    shutil.rmtree(work)
    return mended


class Exchange:
    """The builds by name, what was compared, and what was wrong."""

    def __init__(self, machine, work, builds):
        self.work, self.builds = work, builds
        self.others, self.reason = OTHER_BYTES.get(machine, ((), ""))
        self.same, self.other, self.read, self.wrong = 0, 0, 0, []

    def compare(self, what, mine, other, may_differ=False):
        if mine == other:
            self.same += 1
        elif may_differ:
            self.other += 1
        else:
            self.wrong.append(f"{what}: the bytes differ")

    def expect(self, what, found, expected):
        if found == expected:
            self.read += 1
        else:
            self.wrong.append(f"{what} has other bytes than it should")

    def run(self):
        files, expected = {}, {}
        for name, pzcomp in self.builds.items():
            folder = self.work / name
            folder.mkdir(parents=True)
            expected = plain_files(folder, WORDS)
            for data in expected:  # gzip and pigz store the time of a file.
                os.utime(folder / data, (1, 1))
            files[name] = coded_files(folder, pzcomp, expected)
        mine, other = files.values()
        for (row, kind, data, one), (*_, two) in zip(mine, other):
            title = f"{OUTPUTS[row][0]} of {data}"
            self.compare(title, one.read_bytes(), two.read_bytes(), OUTPUTS[row][0] in self.others)
            # Only pigz takes zlib streams: nothing tells their first bytes from other data.
            program = "pigz" if kind == "zlib" else "pzcomp"
            for reader, file in zip(reversed(self.builds), (one, two)):
                plain = run(self.work / reader / "bin" / program, "-dcq", file)
                self.expect(f"{title}, decoded", digest(plain), expected[data])
        self.beside(next(file for row, _, data, file in mine if OUTPUTS[row][0] == "`gzip`" and data == "text"))

    def beside(self, source):
        (one, mine), (two, other) = self.builds.items()
        written = [attached(pzcomp, self.work / name, source) for name, pzcomp in self.builds.items()]
        for first, second in zip(*written):
            self.compare(first.name, first.read_bytes(), second.read_bytes())
        text = (self.work / one / "text").read_bytes()
        for pzcomp, name, (file, _, records, inside) in zip((other, mine), (one, two), written):
            ranged = run(pzcomp, "-dcq", "--range", "300K+50K", file)
            self.expect(f"a range of {file}", ranged, text[300 << 10:350 << 10])
            self.expect(f"{file}, mended", repaired(pzcomp, self.work / name, file, [records]), file.read_bytes())
            self.expect(f"{inside}, mended", repaired(pzcomp, self.work / name, inside, []), inside.read_bytes())


def main():
    folder, machine, *programs = sys.argv[1:]
    work = Path(folder).resolve()
    shutil.rmtree(work, ignore_errors=True)
    names = ("here", "there")
    exchange = Exchange(machine, work, dict(zip(names, (Path(program).resolve() for program in programs))))
    exchange.run()
    shutil.rmtree(work)
    for words in exchange.wrong:
        print(f"{machine}: {words}", file=sys.stderr)
    others = f", {exchange.other} have others, because {exchange.reason}" if exchange.other else ""
    print(f"{machine}: {exchange.same} files have the same bytes as here{others}; "
          f"{exchange.read} were read by the other build; {len(exchange.wrong)} wrong")
    sys.exit(bool(exchange.wrong))


if __name__ == "__main__":
    main()
