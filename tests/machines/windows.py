"""Scenes of files through the build for Windows under wine, and through the build for this machine.

A scene is a run of pzcomp in a folder with the same files. Its exit status, its standard output, its messages, and the
files that it leaves with their times must be the same. What differs on Windows has a line of its own, with what Windows
says. The script prints each scene that differs as it goes. The exit status is 1 if one does.

Usage: windows.py FOLDER PZCOMP PZCOMP_EXE. `make test-windows` calls this.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

FORMATS = {"zstd": "zst", "gzip": "gz", "lz4": "lz4", "xz": "xz", "bzip2": "bz2", "lzip": "lz", "snappy": "sz"}
SEEKABLE = ("zstd", "gzip", "lz4", "xz", "lzip")
# No scene takes nearly as many seconds.
TIMEOUT = 60
# When the inputs were written, in seconds.
WRITTEN = 1_600_000_000
# No message advises these on Windows.
OF_UNIX = (b"ulimit", b"chmod", b"chrt", b"nice", b"SIG", b"interpreter")
# A program that ends by no writing of its own.
ENDLESS = ["cmd", "/c", "for /l %i in (0,0,1) do @echo data"]


def text(lines):
    """Lines that compress, the same each time. They have all line ends, and the end of a file in DOS."""
    number, out = 1, []
    for line in range(lines):
        number = number * 48271 % 0x7FFFFFFF
        out.append(f"{line:07} {number % 977:04} INSERT INTO t VALUES ({number % 31}, 'größe {number % 13}');")
    return "\r\n\x1a\n".join(out).encode()


def member(name, data):
    """A gzip member that states a name and a time."""
    deflated = zlib.compressobj(6, zlib.DEFLATED, -15)
    raw = deflated.compress(data) + deflated.flush()
    head = b"\x1f\x8b\x08\x08" + (1_500_000_000).to_bytes(4, "little") + b"\0\x03" + name.encode() + b"\0"
    return head + raw + zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")


class Scenes:
    """Both builds, and what was wrong."""

    def __init__(self, work, here, windows):
        self.work, self.builds = work, {"here": [here], "windows": ["wine", windows]}
        self.files, self.count, self.wrong = {}, 0, 0

    def folder(self, build):
        """A folder with the files."""
        folder = self.work / build
        shutil.rmtree(folder, ignore_errors=True)
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (WRITTEN, WRITTEN))
        return folder

    def left(self, folder):
        """The files that are there, with their bytes, and whether they have the time of the inputs."""
        found = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime == WRITTEN) for path in found}

    def run(self, build, args, stdin, redirected):
        """The exit status, the standard output, the messages, and the files."""
        folder = self.folder(build)
        folder.mkdir(exist_ok=True)
        given = {"input": stdin or b""}
        if redirected:
            (self.work / "redirected").write_bytes(stdin)
            given = {"stdin": (self.work / "redirected").open("rb")}
        try:
            done = subprocess.run(self.builds[build] + args, cwd=folder, capture_output=True, check=False,
                                  timeout=TIMEOUT, **given)
        except subprocess.TimeoutExpired as late:
            return None, late.stdout or b"", late.stderr or b"no end", self.left(folder)
        return done.returncode, done.stdout, done.stderr, self.left(folder)

    def shown(self, found):
        """What a message has of it."""
        if isinstance(found, dict):
            return {name: (len(data), kept) for name, (data, kept) in found.items()}
        return found[-300:] if isinstance(found, bytes) else found

    def fail(self, what, said):
        self.wrong += 1
        print(f"{what}: {said}", flush=True)

    def scene(self, *args, stdin=None, redirected=False, differs=()):
        """One scene. Returns the files that it leaves here."""
        self.count += 1
        here, windows = (self.run(build, list(args), stdin, redirected) for build in self.builds)
        for what, one, other in zip(("status", "output", "messages", "files"), here, windows, strict=True):
            if one != other and what not in differs:
                way = "" if stdin is None else " < FILE" if redirected else " from a pipe"
                one, other = (self.shown(each) for each in (one, other))
                self.fail(f"pzcomp {' '.join(args)}{way}", f"the {what} differ: {one} here, {other} on Windows")
        return {name: data for name, (data, _) in here[3].items()}

    def alone(self, *args, status, word="", left=None):
        """A scene that this machine has not, or answers in another way."""
        self.count += 1
        code, _, said, files = self.run("windows", list(args), None, False)
        if any(unix in said for unix in OF_UNIX):
            self.fail(f"pzcomp {' '.join(args)}", f"advises what Windows lacks: {said.decode()}")
        if code != status or word not in said.decode() or set(files) != set(self.files if left is None else left):
            self.fail(f"pzcomp {' '.join(args)}", f"{code}, {said.decode()}, {sorted(files)}")
        return {name: data for name, (data, _) in files.items()}

    def of_format(self, name, suffix, plain):
        """What pzcomp does with a file of one format, by a file, a pipe and a redirection."""
        self.files = {"plain": plain}
        coded = self.scene("-F", name, "plain")[f"plain.{suffix}"]
        self.scene("-F", name, "-c", "-b", "100K", stdin=plain)
        self.scene("-F", name, stdin=plain, redirected=True)
        self.scene("-F", name, "--rm", "--verify", "plain")
        self.scene("-F", name, "-p1", "-o", "other", "plain")
        self.files = {f"plain.{suffix}": coded}
        self.scene("-d", f"plain.{suffix}")
        self.scene("-dc", "--hash", "xxh3", stdin=coded)
        self.scene("-d", stdin=coded, redirected=True)
        self.scene("-t", f"plain.{suffix}")
        self.scene("-l", f"plain.{suffix}")
        self.scene("--to", "lz4" if name == "zstd" else "zstd", f"plain.{suffix}")
        damaged = bytearray(coded)
        damaged[len(coded) // 2] ^= 0x55
        self.files = {f"plain.{suffix}": bytes(damaged)}
        self.scene("-d", f"plain.{suffix}")
        self.scene("-d", "--salvage", "-o", "kept", f"plain.{suffix}")

    def of_places(self, name, suffix, plain):
        """What reads a file from any place, or mends it."""
        self.files = {"plain": plain}
        coded = f"plain.{suffix}"
        data = self.scene("-F", name, "-b", "64K", "plain")[coded]
        self.files = {coded: data}
        self.scene("--range", "100K-200K,5+7", "-dc", coded)
        self.scene("-l", "--frames", coded)
        self.scene("--index", coded)
        protected = self.scene("--protect", coded)
        damaged = bytearray(data)
        damaged[len(damaged) // 2:len(damaged) // 2 + 300] = bytes(300)
        self.files = {coded: bytes(damaged), f"{coded}.pzr": protected[f"{coded}.pzr"]}
        self.scene("--protect", "--check", coded)
        self.scene("--repair", coded)
        self.scene("--repair", "--rm", coded)
        self.scene("--repair", "-o", "mended", coded)

    def of_names(self, plain):
        """Names of files, and what is there already."""
        deep = "/".join(["longest" * 12] * 4) + "/größe 漢字 😀"
        self.files = {"größe 漢字": plain, "there.zst": b"old", "Other": b"other"}
        self.scene("größe 漢字")
        self.scene("-o", "there.zst", "größe 漢字")
        self.scene("-f", "-o", "there.zst", "größe 漢字")
        self.scene("missing", "größe 漢字", differs=["messages"])
        self.scene("--hash", "sha256", "--hash-file", "sums", "größe 漢字")
        self.scene("-S", ".packed", "größe 漢字", "Other")
        self.scene("-c", "größe 漢字", "Other")
        self.scene("--files", "-", stdin="Other\ngröße 漢字\n".encode())
        self.scene("-", stdin=plain)
        self.scene(".", differs=["messages"])
        self.alone("-f", "-o", "OTHER", "Other", status=1, word="both input and output")
        self.files = {deep: plain, "folder/a.txt": plain, "folder/b.gz": b"\x1f\x8b", "to/kept": b""}
        self.scene(deep)
        self.scene("-r", ".")
        self.scene("-r", "--exclude-compressed", "--output-dir", "to", "folder")
        self.scene("-r", "-o", "all.zst", "folder")
        self.scene("-r", "--rm", "folder")
        self.files = {"a.gz": member("name", plain)}
        self.scene("-dN", "a.gz")
        for stored, left in (("folder\\name", "name"), ("C:name", "name"), ("NUL", "a"), ("con", "a"), ("ab:c", "a")):
            self.files = {"a.gz": member(stored, plain)}
            self.alone("-dNf", "a.gz", status=0, left=["a.gz", left])

    def of_options(self, plain, archive):
        """Options that ask the system for something, and the names of other programs."""
        self.files = {"plain": plain, "zeros": bytes(3_000_000), "empty": b"", "a.tar": archive}
        zeros = self.scene("zeros")["zeros.zst"]
        packed = self.scene("-b", "64K", "a.tar")["a.tar.zst"]
        self.scene("empty")
        for args in (["--synchronous"], ["--sparse"], ["-M", "64M"], ["-M", "1K"], ["--rsyncable", "-F", "gzip"],
                     ["--one-member", "-F", "gzip", "-N"], ["--long"], ["--align", "newline"], ["-19", "-p2"],
                     ["--recovery"], ["--level", "99"], ["--no-such"], ["--expect-tail", "größe"],
                     ["--expect-end=tar"], ["--buffer", "1M"], ["--train", "-o", "dictionary"]):
            self.scene(*args, "plain")
        for args in (["--help"], ["-h"], ["--help=damage"], ["--version"], ["--generate", "gzip.1"], ["-l", "plain"]):
            self.scene(*args)
        self.scene("-q", "--idle", "plain")
        self.scene("--drop-cache", "plain", differs=["messages"])
        self.scene("--json", "record", "plain", differs=["files"])
        self.scene("--bench", "--bench-seconds", "0", "-F", "lz4", "plain", differs=["output", "messages"])
        self.files = {"zeros.zst": zeros, "a.tar.zst": packed, "cut.zst": zeros[:-20]}
        self.scene("-d", "--sparse", "zeros.zst")
        self.scene("-d", "cut.zst")
        self.scene("-d", "--expect-end", "zeros.zst")
        self.scene("-l", "--tar", "a.tar.zst")
        self.scene("-dc", "--extract", "member", "a.tar.zst")
        self.scene("-d", "--extract-tar", "--extract", "folder", "-o", "part.tar", "a.tar.zst")
        for tool in ("gzip", "pigz", "zstd", "xz", "bzip2", "lzip"):
            self.files = {"plain": plain}
            suffix = FORMATS["gzip" if tool == "pigz" else tool]
            coded = self.scene("--as", tool, "-9", "plain")[f"plain.{suffix}"]
            self.files = {f"plain.{suffix}": coded}
            self.scene("--as", tool, "-d", f"plain.{suffix}")
            self.scene("--as", tool, "-dc", stdin=coded)

    def of_windows(self, plain, archive):
        """What Windows lacks, or has in its own way."""
        self.files = {"plain": plain, "a.tar": archive}
        self.alone("-d", "--extract-to", "into", "a.tar", status=1, word="Windows")
        self.alone("--progress-fd", "3", "plain", status=1, word="Windows")
        self.alone("-o", "NUL", "plain", status=0)
        self.alone("-o", "plain:stream", "plain", status=1, word="that of a device")
        self.alone("-o", "CON", "plain", status=1, word="that of a device")
        self.alone("-o", "new\\", "plain", status=1, word="new")
        left = [*self.files, "run.zst"]
        self.alone("-o", "run.zst", "--exec", "cmd", "/c", "echo data", status=0, left=left)
        self.alone("-o", "run.zst", "--exec", "cmd", "/c", "exit 3", status=1, word="exit status 3")
        self.alone("-o", "run.zst", "--exec", "no-such-program", status=1, word="no-such-program")
        self.alone("-o", "run.zst", "--exec", "./plain", status=1, word="cannot run")
        self.alone("--idle", "--salvage", "-d", "plain", status=1, word="start /low")
        self.alone("--install-links", "links", status=1, word="has made no link")
        self.ended("-o", "run.zst", "-", stdin=subprocess.PIPE)
        self.ended("-o", "run.zst", "--exec", *ENDLESS)

    def ended(self, *args, stdin=None):
        """Ctrl-C removes the file that was begun, and ends the program of --exec."""
        self.count += 1
        folder = self.folder("windows")
        with subprocess.Popen(self.builds["windows"] + list(args), cwd=folder, stdin=stdin or subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as running:
            if stdin:
                running.stdin.write(bytes(5_000_000))
            begun = self.until(lambda: len(self.left(folder)) > len(self.files))
            running.send_signal(signal.SIGINT)
            is_over = self.until(lambda: running.poll() is not None)
            running.kill()
            left = sorted(self.left(folder))
        children = self.until(lambda: not self.runs(b"for /l"))
        if not begun or not is_over or left != sorted(self.files) or not children:
            self.fail(f"pzcomp {' '.join(args)}, ended", f"begun {begun}, over {is_over}, children {children}, {left}")

    def runs(self, words):
        """Whether a program with these words in its command line runs."""
        for of in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if words in of.read_bytes():
                    return True
            except OSError:
                pass
        return False

    def until(self, holds):
        """Whether this holds within ten seconds."""
        end = time.monotonic() + 10
        while not holds():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True


def main():
    work, here, windows = Path(sys.argv[1]), *(os.path.abspath(path) for path in sys.argv[2:4])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # What wine starts once keeps the streams of the first program open, so they are no pipes.
    subprocess.run(["wine", windows, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    scenes, plain = Scenes(work, here, windows), text(12_000)
    for name in ("member", "folder/one", "folder/two"):
        (work / "archive" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "archive" / name).write_bytes(plain)
    tar = ["tar", "-C", work / "archive", "--mtime=@0", "--owner=a:1", "--group=a:1", "-c", "member", "folder"]
    archive = subprocess.run(tar, stdout=subprocess.PIPE, check=True).stdout
    for name, suffix in FORMATS.items():
        scenes.of_format(name, suffix, plain)
    for name in SEEKABLE:
        scenes.of_places(name, FORMATS[name], plain)
    scenes.of_names(plain)
    scenes.of_options(plain, archive)
    scenes.of_windows(plain, archive)
    print(f"{scenes.count} scenes, {scenes.wrong} wrong")
    sys.exit(bool(scenes.wrong))


if __name__ == "__main__":
    main()
