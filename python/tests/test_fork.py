"""A process that forks: files of the parent refuse in the child and are collected there, and new files work.

Each child works on files of its own, and ends by itself: a child that waits for a thread of its parent is killed, and
that is what these tests guard against.
"""

import gc
import io
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import pzcomp
from pzcomp import bz2, gzip, lzma

# A child that waits longer than this waits for ever.
PATIENCE = 60


def in_child(work):
    """Forks, and does the work in the child, which then ends as a program does. It is an error if the work fails."""
    end, start = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        failure = ""
        try:
            work()
            gc.collect()
        except BaseException as error:
            failure = repr(error)
        finally:
            os.write(start, (failure or "done").encode())
            os._exit(0)
    os.close(start)
    with open(end) as file:
        said = file.read()
    assert os.waitpid(child, 0)[1] == 0, "the child was killed while it waited"
    assert said == "done"


def refused(*calls):
    for call in calls:
        with pytest.raises(RuntimeError, match="before it forked .*open the file again"):
            call()


@pytest.fixture
def path(tmp_path, plain):
    path = tmp_path / "data.zst"
    with pzcomp.open(path, "wb", 1) as file:
        file.write(plain)
    return path


def test_a_file_that_is_read_refuses_in_the_child_and_goes_on_in_the_parent(path, plain):
    # A fresh one, one with threads ahead of it, one with a map, one that was read to its end, and one of a file object.
    files = [pzcomp.open(path) for _ in range(4)] + [pzcomp.open(io.BytesIO(path.read_bytes()))]
    files[2].read_at(1_000_000, 10)
    files[3].read()
    for file in files[1:3] + files[4:]:
        file.readline()

    def work():
        for file in files:
            refused(file.read, file.readline, lambda: next(file), lambda: file.peek(1), lambda: file.readinto(bytearray(9)))
            refused(file.tell, lambda: file.seek(5), lambda: file.read_at(0, 5), file.frames)
            file.close()
        with pzcomp.open(path) as mine:
            assert mine.readline() + mine.read() == plain
            assert mine.read_at(1_000_000, 10) == plain[1_000_000:1_000_010]

    in_child(work)
    assert b"".join(files[1]) == plain[plain.index(b"\n") + 1 :]


def test_a_busy_writer_refuses_in_the_child_and_writes_nothing_there(tmp_path):
    plain, paths = os.urandom(20_000_000), [tmp_path / f"data{n}.zst" for n in range(3)]
    files = [pzcomp.open(path, "wb", 9) for path in paths[:2]] + [pzcomp.open(paths[2], "wt")]
    for file in files[:2]:
        file.write(plain)
        # What the buffer holds must not be written twice.
        file.write(b"three")
    files[2].write("three")

    def work():
        refused(lambda: files[0].write(b"more"), files[0].flush, files[0].close)
        assert files[0].closed
        refused(lambda: files[2].write("more"))
        with pytest.raises(KeyError), files[1]:
            raise KeyError
        files.clear()

    in_child(work)
    for file in files:
        file.close()
    for path in paths[:2]:
        with pzcomp.open(path) as file:
            assert file.read() == plain + b"three"
    with pzcomp.open(paths[2]) as file:
        assert file.read() == b"three"


def test_text_and_the_modules_of_the_standard_library_refuse_too(path, tmp_path, plain):
    text = pzcomp.open(path, "rt")
    text.readline()
    others = []
    for module, suffix in ((gzip, "gz"), (bz2, "bz2"), (lzma, "xz")):
        with module.open(tmp_path / f"data.{suffix}", "wb") as file:
            file.write(plain[:1_000_000])
        others.append(module.open(tmp_path / f"data.{suffix}"))
        others.append(module.open(tmp_path / f"data.{suffix}", "rt"))
        for file in others[-2:]:
            file.readline()

    def work():
        refused(text.read, text.readline)
        for file in others:
            refused(file.read, file.readline)

    in_child(work)
    assert text.read().encode() == plain[plain.index(b"\n") + 1 :]


def test_a_thread_of_the_parent_may_be_inside_a_call(tmp_path):
    """The buffer of the standard library and the raw end are locked at the moment of the fork."""
    end, start = os.pipe()
    file = pzcomp.open(f"/dev/fd/{end}")
    writer = pzcomp.open(f"/dev/fd/{os.pipe()[1]}", "wb", format="zstd")
    threads = [threading.Thread(target=file.read), threading.Thread(target=writer.write, args=(os.urandom(9_000_000),))]
    for thread in threads:
        thread.daemon = True
        thread.start()
    time.sleep(0.3)

    def work():
        refused(file.read, file.readline, lambda: writer.write(b"more"))
        file.close()

    in_child(work)
    os.write(start, pzcomp.compress(b"three"))
    os.close(start)
    threads[0].join()


def test_a_child_that_ends_as_a_program_leaves_the_files_of_its_parent_alone(tmp_path, plain):
    """The interpreter of the child ends with files of the parent in its modules."""
    program = f"""
import os, sys, pzcomp
reader = pzcomp.open({str(tmp_path / "read.zst")!r})
reader.readline()
writer = pzcomp.open({str(tmp_path / "written.zst")!r}, "wb", 9)
writer.write(os.urandom(20_000_000))
if os.fork() == 0:
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
writer.close()
"""
    with pzcomp.open(tmp_path / "read.zst", "wb") as file:
        file.write(plain)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    with pzcomp.open(tmp_path / "written.zst") as file:
        assert len(file.read()) == 20_000_000


def _count(path):
    with pzcomp.open(path) as file:
        return sum(1 for _ in file)


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_multiprocessing(path, plain, method):
    file = pzcomp.open(path)
    file.readline()
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(_count, [path] * 4).get(PATIENCE)
    assert found == [plain.count(b"\n")] * 4
    assert file.readline()


def test_a_server_that_forks_its_workers_first(path, plain):
    """As gunicorn: the program is loaded once, with a file open and threads at work, and then the workers are forked."""
    shared = pzcomp.open(path)
    shared.readline()
    listener = socket.create_server(("127.0.0.1", 0))
    workers = []
    for _ in range(2):
        worker = os.fork()
        if worker == 0:
            signal.alarm(PATIENCE)
            for _ in range(2):
                with listener.accept()[0] as connection:
                    try:
                        answer = shared.readline()
                    except RuntimeError:
                        with pzcomp.open(path) as mine:
                            answer = pzcomp.compress(mine.read_at(500_000, 1000), format="gzip")
                    connection.sendall(answer)
            os._exit(0)
        workers.append(worker)
    for _ in range(4):
        with socket.create_connection(listener.getsockname(), PATIENCE) as connection:
            assert pzcomp.decompress(connection.makefile("rb").read()) == plain[500_000:501_000]
    assert [os.waitpid(worker, 0)[1] for worker in workers] == [0, 0]
    assert b"".join(shared) == plain[plain.index(b"\n") + 1 :]
