"""A signal such as Ctrl-C ends long work with the exception of its handler, and leaves no thread behind."""

import contextlib
import io
import os
import signal
import threading
import time

import pytest
from conftest import lines

import pzcomp


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A file that takes much longer to decode than the signal takes to come. It has no index."""
    path = tmp_path_factory.mktemp("slow") / "data.bz2"
    one = pzcomp.compress(lines(100_000), format="bzip2")
    with open(path, "wb") as file:
        for _ in range(400):
            file.write(one)
    return path


def count_threads():
    return len(os.listdir("/proc/self/task"))


@contextlib.contextmanager
def interrupted():
    """The work in this context gets a signal, and is ended by it."""
    others = count_threads()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for _ in range(600):
        if count_threads() <= others:
            return
        time.sleep(0.05)
    raise AssertionError("a thread was left")


READS = {
    "read": lambda file: file.read(),
    "read behind a part": lambda file: file.read(1) + file.read(),
    "read in pieces": lambda file: [piece for piece in iter(lambda: file.read(1 << 20), b"") if not piece],
    "readinto": lambda file: file.readinto(bytearray(1 << 29)),
    "seek to the end": lambda file: file.seek(0, io.SEEK_END),
    "seek forward": lambda file: file.seek(1 << 29),
    "read_at": lambda file: file.read_at(1 << 29, 10),
}


@pytest.mark.parametrize("work", READS)
def test_a_signal_ends_long_reads(slow, work):
    with pzcomp.open(slow) as file:
        with interrupted():
            with pzcomp.open(slow) as other:
                READS[work](other)
        # A file of its own is not disturbed.
        assert file.read(10) == lines(10)[:10]


def test_a_file_can_be_read_again_after_a_signal(slow):
    with pzcomp.open(slow) as file:
        for work in ("read", "seek to the end", "read_at"):
            with interrupted():
                READS[work](file)
            assert file.read_at(5, 10) == lines(10)[5:15]
            assert file.tell() == 0
        assert file.read(10) == lines(10)[:10]


def test_a_signal_ends_functions_that_take_a_whole_file(slow, tmp_path):
    with interrupted():
        pzcomp.write_index(slow, tmp_path / "index")
    assert os.listdir(tmp_path) == []
    coded = slow.read_bytes()
    with interrupted():
        pzcomp.decompress(coded)
    with interrupted():
        pzcomp.read_at(slow, 1 << 29, 10)


def test_a_signal_ends_long_writes_and_the_output_is_refused(tmp_path):
    plain = lines(200_000) * 60
    with interrupted():
        pzcomp.compress(plain, 19)
    for write in (lambda file: file.write(plain), lambda file: file.writelines([plain[:100_000_000], plain])):
        path = tmp_path / "data.zst"
        with interrupted():
            with pzcomp.open(path, "wb", 19, block_size=1 << 20) as file:
                write(file)
        with pytest.raises(pzcomp.PzcompError):
            pzcomp.open(path).read()


@pytest.mark.parametrize("work", ["read", "read in pieces", "readinto"])
def test_a_signal_ends_waiting_for_a_pipe(tmp_path, work):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    # Somebody could still write to it.
    with open(path, "r+b", buffering=0) as writer:
        with interrupted():
            with pzcomp.open(path) as file:
                READS[work](file)
        with pzcomp.open(path) as file:
            writer.write(pzcomp.compress(b"three"))
            assert file.read(5) == b"three"


def test_a_signal_ends_waiting_for_a_pipe_that_is_full():
    end, start = os.pipe()
    found = []

    def take():
        with open(end, "rb") as file:
            found.append(file.read())

    reader = threading.Thread(target=take)
    with interrupted():
        file = pzcomp.open(f"/dev/fd/{start}", "wb")
        os.close(start)
        try:
            file.write(os.urandom(30_000_000))
        finally:
            # The mark that the output is incomplete is written when there is room.
            reader.start()
            file.abort()
            reader.join()
    with pytest.raises(pzcomp.PzcompError):
        pzcomp.decompress(found[0])
