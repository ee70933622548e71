#!/usr/bin/env python3
"""Plays the server of BACKUP SERVER WITH 4 CONCURRENT 'command': backup-server.py PZCOMP DATADIR FOLDER.

The server is to start the command once for each of its threads, with the number of the thread as the last argument, and
to write a tar archive (oldgnu) to it. No server does that yet. This script does it with the files of a data directory
whose server is stopped. Then it kills one command, ends the server in the middle, and fills the disk: a file of a
backup is whole or not there, and the status of the command says so. At last it takes a table from the backup.
`make demo-mariadb` calls it with an empty FOLDER.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tarfile

PZCOMP, DATADIR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
THREADS = 4

# An archive that is given up complains when it is collected.
sys.unraisablehook = lambda _: None


class Cut(Exception):
    """The server ends."""


class Pipe:
    """The pipe to a command. The server ends when it has written so many bytes."""

    def __init__(self, pipe, most):
        self.pipe, self.left = pipe, most

    def write(self, data):
        if self.left is not None:
            self.left -= len(data)
            if self.left < 0:
                raise Cut
        return self.pipe.write(data)


def write_archive(command, files, most=None):
    """Writes an archive of the files to the command. What comes of it is its status."""
    try:
        with command.stdin as pipe:
            archive = tarfile.open(fileobj=Pipe(pipe, most), mode="w|", format=tarfile.GNU_FORMAT)
            for path in files:
                archive.add(path, path.relative_to(DATADIR))
            archive.close()
    except (BrokenPipeError, Cut):
        pass


def backup(folder, kill=None, most=None):
    """A backup into the folder. Returns the statuses of the commands."""
    files = sorted(path for path in DATADIR.rglob("*") if path.is_file())
    words = [PZCOMP, "--expect-end=tar", "--output-template", f"{folder}/base.{{}}.tar.zst"]
    commands = [
        subprocess.Popen([*words, str(number + 1)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for number in range(THREADS)
    ]
    # Children have the other pipes open too, so one thread of the server after the other ends.
    for number, command in enumerate(commands):
        if number == kill:
            command.stdin.write(b"\0" * 512)
            command.send_signal(signal.SIGKILL)
        write_archive(command, files[number::THREADS], most)
    for command in commands:
        command.stderr.read()
        command.wait()
    return [command.returncode for command in commands]


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("base."))


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")


def make(name):
    folder = FOLDER / name
    folder.mkdir()
    return folder


def counted(words):
    """Runs pzcomp. Returns its output, and how many bytes it has read."""
    with subprocess.Popen([PZCOMP, *map(str, words)], stdout=subprocess.PIPE) as run:
        output = run.stdout.read()
        os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)
        read = pathlib.Path(f"/proc/{run.pid}/io").read_text().split("rchar: ")[1].split()[0]
    check(f"status of {words[0]}", run.returncode, 0)
    return output, int(read)


def main():
    wanted = [f"base.{number + 1}.tar.zst" for number in range(THREADS)]
    whole = make("whole")
    check("a backup", backup(whole), [0] * THREADS)
    check("its files", names(whole), wanted)

    killed = make("killed")
    check("a killed command", backup(killed, kill=1), [0, -signal.SIGKILL, 0, 0])
    check("the files without it", names(killed), wanted[:1] + wanted[2:])

    check("a server that ends", backup(make("ended"), most=5000), [1] * THREADS)
    check("its files", names(FOLDER / "ended"), [])

    if os.geteuid() == 0:
        full = make("full")
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full], check=False).returncode == 0:
            try:
                statuses = backup(full)
                check("a full disk", (max(statuses), min(statuses) >= 0), (1, True))
                made = [name for name, status in zip(wanted, statuses) if status == 0]
                check("its files", names(full), made)
            finally:
                subprocess.run(["umount", full], check=True)

    # All files are one archive, and only what a table needs is read.
    parts = [whole / name for name in wanted]
    counted(["-t", *parts])
    table = max((path for path in DATADIR.rglob("*.ibd")), key=lambda path: path.stat().st_size)
    least = min((path for path in DATADIR.rglob("*.ibd")), key=lambda path: path.stat().st_size)
    listed, _ = counted(["-l", "--tar", *parts])
    for path in (table, least):
        name = str(path.relative_to(DATADIR))
        check(f"{name} in the list", name.encode() in listed, True)
        data, read = counted(["-dc", "--extract", name, *parts])
        check(f"{name} from the backup", data == path.read_bytes(), True)
        total = sum(part.stat().st_size for part in parts)
        print(f"{name}: {path.stat().st_size} bytes, for which {read} of {total} bytes were read")


main()
