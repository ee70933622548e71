"""Scenes of files through the build for Windows under wine, and through the build for this machine.

Each scene is a run of pzcomp in a folder with the same files. Its exit status, its standard output and the files that it
leaves must be the same byte for byte. What Windows lacks must be refused in a sentence. The exit status is 1 if a scene
differs.

Usage: windows.py FOLDER PZCOMP PZCOMP_EXE. `make test-windows` calls this.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FORMATS = {"zstd": "zst", "gzip": "gz", "lz4": "lz4", "xz": "xz", "bzip2": "bz2", "lzip": "lz", "snappy": "sz"}
SEEKABLE = ("zstd", "gzip", "lz4", "xz", "lzip")
# What Windows does not do, and a word of the sentence that says so.
REFUSED = {
    "extraction to a folder": (["--extract-to", "into", "a.tar.gz"], "Windows"),
    "a descriptor": (["--progress-fd", "3", "-k", "plain"], "Windows"),
}


def text(lines):
    """Lines that compress, the same each time."""
    number, out = 1, []
    for line in range(lines):
        number = number * 48271 % 0x7FFFFFFF
        out.append(f"{line:07} {number % 977:04} INSERT INTO t VALUES ({number % 31}, 'größe {number % 13}');\n")
    return "".join(out).encode()


class Scenes:
    """Both builds, and what was wrong."""

    def __init__(self, work, here, windows):
        self.work, self.builds = work, {"here": [here], "windows": ["wine", windows]}
        self.files, self.count, self.wrong = {}, 0, []

    def run(self, build, args, stdin, redirected):
        """The exit status, the standard output, standard error, and the files."""
        folder = self.work / build
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        given = {"input": stdin or b""}
        if redirected:
            (folder / "redirected").write_bytes(stdin)
            given = {"stdin": (folder / "redirected").open("rb")}
        done = subprocess.run(self.builds[build] + args, cwd=folder, capture_output=True, check=False, **given)
        left = {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.name != "redirected"}
        return done.returncode, done.stdout, done.stderr, left

    def scene(self, *args, stdin=None, redirected=False, output=True):
        """One scene. Returns the files that it leaves here, and the standard output."""
        self.count += 1
        here, windows = (self.run(build, list(args), stdin, redirected) for build in self.builds)
        differing = [
            what
            for what, one, other in zip(("status", "output", "messages", "files"), here, windows, strict=True)
            if one != other and what != "messages" and (output or what != "output")
        ]
        if differing:
            way = "" if stdin is None else " < FILE" if redirected else " from a pipe"
            said = windows[2].decode(errors="replace").strip()
            self.wrong.append(f"pzcomp {' '.join(args)}{way}: differs in {', '.join(differing)} ({windows[0]}: {said})")
        return here[3], here[1]

    def of_format(self, name, suffix, plain):
        """What pzcomp does with a file of one format, by a file, a pipe and a redirection."""
        self.files = {"plain": plain}
        made, _ = self.scene("-F", name, "-kq", "plain")
        coded = made[f"plain.{suffix}"]
        self.scene("-F", name, "-qc", "-b", "100K", stdin=plain)
        self.scene("-F", name, "-qc", stdin=plain, redirected=True)
        self.scene("-F", name, "-q", "--rm", "plain")
        self.scene("-F", name, "-q", "-p1", "-o", "other", "plain")
        self.files = {f"plain.{suffix}": coded}
        self.scene("-dkq", f"plain.{suffix}")
        self.scene("-dqc", stdin=coded)
        self.scene("-dqc", stdin=coded, redirected=True)
        self.scene("-tq", f"plain.{suffix}")
        self.scene("-l", f"plain.{suffix}")
        damaged = bytearray(coded)
        damaged[len(coded) // 2] ^= 0x55
        self.files = {f"plain.{suffix}": bytes(damaged)}
        self.scene("-dkq", f"plain.{suffix}")
        self.scene("-d", "--salvage", "-q", "-o", "kept", f"plain.{suffix}")

    def of_places(self, name, suffix, plain):
        """What reads a file from any place, or mends it."""
        self.files = {"plain": plain}
        made, _ = self.scene("-F", name, "-kq", "-b", "64K", "plain")
        coded = f"plain.{suffix}"
        self.files = {coded: made[coded]}
        self.scene("--range", "100K-200K", "-qc", coded)
        self.scene("--index", "-q", coded)
        protected, _ = self.scene("--protect", "-q", coded)
        damaged = bytearray(made[coded])
        damaged[len(damaged) // 2:len(damaged) // 2 + 300] = bytes(300)
        self.files = {coded: bytes(damaged), f"{coded}.pzr": protected[f"{coded}.pzr"]}
        self.scene("--repair", "-q", coded)
        self.scene("--repair", "-q", "-o", "mended", coded)

    def of_names(self, plain):
        """Names of files, what is there already, and devices."""
        self.files = {"größe 漢字": plain, "there.zst": b"old"}
        self.scene("-kq", "größe 漢字")
        self.scene("-kq", "-o", "there.zst", "größe 漢字")
        self.scene("-kqf", "-o", "there.zst", "größe 漢字")
        self.scene("-q", "missing")
        self.scene("-kq", "--json", "-", "größe 漢字")
        self.scene("-kq", "--hash", "sha256", "--hash-file", "sums", "größe 漢字")
        self.scene("-c", "-q", "größe 漢字", output=True)

    def of_refusals(self, archive):
        self.files = {"plain": b"plain", "a.tar.gz": archive}
        for what, (args, word) in REFUSED.items():
            self.count += 1
            code, _, said, left = self.run("windows", args, None, False)
            if code == 0 or word.encode() not in said or len(left) != len(self.files):
                self.wrong.append(f"{what} is not refused: {code}, {said}, {sorted(left)}")

    def of_programs(self, plain):
        """What has another word on Windows: the null device, and the program that writes the data."""
        self.files = {"plain": plain}
        for args, word in (
            (["-kq", "-o", "NUL", "plain"], None),
            (["-q", "-o", "run.zst", "--exec", "cmd", "/c", "echo data"], "run.zst"),
        ):
            self.count += 1
            code, _, said, left = self.run("windows", args, None, False)
            if code != 0 or (word is not None) != (word in left) or "NUL" in left:
                self.wrong.append(f"pzcomp {' '.join(args)}: {code}, {said}, {sorted(left)}")
        self.count += 1
        code, _, said, left = self.run("windows", ["-qo", "run.zst", "--exec", "cmd", "/c", "exit 3"], None, False)
        if code == 0 or list(left) != ["plain"] or b"exit status 3" not in said:
            self.wrong.append(f"a program that fails leaves an output: {code}, {said}, {sorted(left)}")


def main():
    work, here, windows = Path(sys.argv[1]), *(os.path.abspath(path) for path in sys.argv[2:4])
    work.mkdir(parents=True, exist_ok=True)
    scenes, plain = Scenes(work, here, windows), text(20_000)
    for name, suffix in FORMATS.items():
        scenes.of_format(name, suffix, plain)
    for name in SEEKABLE:
        scenes.of_places(name, FORMATS[name], plain)
    scenes.of_names(plain)
    scenes.of_programs(plain)
    archive = work / "archive"
    archive.mkdir(exist_ok=True)
    (archive / "member").write_bytes(b"member")
    tar = subprocess.run(["tar", "-C", archive, "-cz", "member"], stdout=subprocess.PIPE, check=True).stdout
    scenes.of_refusals(tar)
    print("\n".join(scenes.wrong) + "\n" * bool(scenes.wrong), end="")
    print(f"{scenes.count} scenes, {len(scenes.wrong)} differ")
    sys.exit(bool(scenes.wrong))


main()
