"""File objects: `open`, reading, writing, seeking and text."""

import bz2
import gc
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import threading
import warnings

import pytest
from conftest import lines, named

import pzcomp


class Forward(io.RawIOBase):
    """A file object that cannot seek, as a socket."""

    def __init__(self, data, step=1000):
        self.data, self.step = io.BytesIO(data), step

    def readable(self):
        return True

    def readinto(self, buffer):
        found = self.data.read(min(len(buffer), self.step))
        buffer[: len(found)] = found
        return len(found)


@pytest.fixture
def path(tmp_path, plain, format):
    path = tmp_path / f"data.{format}"
    with pzcomp.open(path, "wb", 1, format=format) as file:
        file.write(plain)
    return path


def test_every_format_comes_back(path, plain, format):
    with pzcomp.open(path, **named(format)) as file:
        assert isinstance(file, io.BufferedIOBase)
        assert file.read() == plain
        assert file.read() == b""
    with open(path, "rb") as raw, pzcomp.open(raw, **named(format)) as file:
        assert file.read() == plain
    with pzcomp.open(Forward(path.read_bytes()), **named(format)) as file:
        assert not file.seekable()
        assert file.read() == plain


def test_every_way_to_read_gives_the_same_bytes(path, plain, format):
    def by_readinto(file):
        found, buffer = b"", bytearray(70_001)
        while length := file.readinto(buffer):
            found += buffer[:length]
        return found

    def by_read1(file):
        return b"".join(iter(lambda: file.read1(), b""))

    def by_peek(file):
        found = b""
        while at_hand := file.peek(1):
            assert file.read(len(at_hand)) == at_hand
            found += at_hand
        return found

    ways = [by_readinto, by_read1, by_peek, lambda file: b"".join(file), lambda file: file.read(10) + file.read()]
    for way in ways:
        with pzcomp.open(path, **named(format)) as file:
            assert way(file) == plain


def test_seek_and_tell_agree_with_a_plain_file(path, plain, format):
    expected = io.BytesIO(plain)
    for opened in (path, open(path, "rb")):
        with pzcomp.open(opened, **named(format)) as file:
            assert file.seekable()
            size = len(plain)
            for target in (5, size - 10, 0, 3_000_000, 2_999_000, 100, size, size // 2, size // 2 + 10, 1):
                assert file.seek(target) == expected.seek(target)
                assert file.read(50) == expected.read(50)
                assert file.tell() == expected.tell()
            assert file.seek(-7, os.SEEK_END) == size - 7
            assert file.read() == plain[-7:]
            assert file.seek(-7, os.SEEK_CUR) == size - 7
            file.seek(size - 100_000)
            assert file.read() == plain[-100_000:]


def test_a_file_object_is_read_from_where_it_stands(plain):
    file = io.BytesIO(b"head" + pzcomp.compress(plain))
    file.seek(4)
    with pzcomp.open(file) as opened:
        assert opened.read(10) == plain[:10]
        opened.seek(3_000_000)
        assert opened.read(10) == plain[3_000_000:3_000_010]
        opened.seek(0)
        assert opened.read() == plain
    assert not file.closed


def test_the_standard_library_reads_what_is_written(tmp_path, plain):
    plain = plain[:1_000_000]
    for suffix, reader in ((".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open), (".lzma", lzma.open)):
        path = tmp_path / f"data{suffix}"
        with pzcomp.open(path, "wb", 1) as file:
            for start in range(0, len(plain), 300_000):
                file.write(plain[start : start + 300_000])
            assert file.tell() == len(plain)
        with reader(path) as file:
            assert file.read() == plain


def test_what_the_standard_library_writes_is_read(tmp_path, plain):
    plain = plain[:1_000_000]
    for writer, options in ((gzip.open, {}), (bz2.open, {}), (lzma.open, {"preset": 1})):
        path = tmp_path / "data"
        with writer(path, "wb", **options) as file:
            file.write(plain)
        with pzcomp.open(path) as file:
            assert file.read(100) + file.read() == plain


def test_text_modes(tmp_path):
    path = tmp_path / "text.gz"
    text = "häh\r\n三\nend"
    with pzcomp.open(path, "wt", encoding="utf-8", newline="") as file:
        assert isinstance(file, io.TextIOWrapper)
        file.write(text)
    with pzcomp.open(path, "rt", encoding="utf-8") as file:
        assert list(file) == ["häh\n", "三\n", "end"]
    with pzcomp.open(path, "rt", encoding="latin-1", newline="") as file:
        assert file.read() == text.encode().decode("latin-1")
    with pzcomp.open(path, "rt", encoding="ascii", errors="replace") as file:
        assert file.read(2) == "h\ufffd"


def test_modes(tmp_path):
    path = tmp_path / "data.zst"
    with pzcomp.open(path, "xb") as file:
        file.write(b"three ")
        assert file.writable() and not file.readable() and not file.seekable()
        with pytest.raises(io.UnsupportedOperation):
            file.read()
    with pytest.raises(FileExistsError):
        pzcomp.open(path, "x")
    with pzcomp.open(path, "ab") as file:
        file.write(b"in the morning")
    with pzcomp.open(path) as file:
        assert file.read() == b"three in the morning"
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"")
    for mode in ("", "rw", "rbt", "q", "r+"):
        with pytest.raises(ValueError):
            pzcomp.open(path, mode)
    with pytest.raises(ValueError):
        pzcomp.open(path, "rb", encoding="utf-8")
    with pytest.raises(TypeError):
        pzcomp.open(3.5)
    with pytest.raises(FileNotFoundError):
        pzcomp.open(tmp_path / "missing.zst")


def test_the_suffix_chooses_the_format_or_is_an_error(tmp_path):
    found = {"gz": "gzip", "tgz": "gzip", "GZ": "gzip", "bgz": "gzip", "xz": "xz", "bz2": "bzip2", "lz4": "lz4", "lz": "lzip"}
    found |= {"zst": "zstd", "zstd": "zstd", "tzst": "zstd", "lzma": "lzma", "zz": "zlib", "zip": "zip"}
    for suffix, format in found.items():
        for named in (tmp_path / f"data.{suffix}", open(tmp_path / f"object.{suffix}", "wb")):
            with pzcomp.open(named, "wb") as file:
                file.write(b"three")
            getattr(named, "close", lambda: None)()
        for name in (f"data.{suffix}", f"object.{suffix}"):
            assert pzcomp.decompress((tmp_path / name).read_bytes(), format=format) == b"three"
    # BGZF states the length of each block in a field of its header, and ends with a certain empty block.
    coded = (tmp_path / "data.bgz").read_bytes()
    assert coded == pzcomp.compress(b"three", format="gzip", layout="bgzf")
    assert coded[12:14] == b"BC"
    for suffix in ("sz", "gzip", "csv", "Z", "z", "zst.part", "7z", "sqlite"):
        path = tmp_path / f"other.{suffix}"
        with pytest.raises(ValueError, match="format='zstd'"):
            pzcomp.open(path, "wb")
        assert not path.exists()
        with open(tmp_path / f"object.{suffix}", "wb") as file, pytest.raises(ValueError, match="name the format"):
            pzcomp.open(file, "wb")
        with pzcomp.open(path, "wb", format="gzip") as file:
            file.write(b"three")
        assert pzcomp.decompress(path.read_bytes(), format="gzip") == b"three"
    for unnamed in (tmp_path / "data", io.BytesIO()):
        with pzcomp.open(unnamed, "wb") as file:
            file.write(b"three")
    assert pzcomp.decompress((tmp_path / "data").read_bytes(), format="zstd") == b"three"


@pytest.mark.parametrize("mode", ["wb", "wt"])
@pytest.mark.parametrize("is_in_cycle", [False, True])
def test_a_file_that_is_collected_without_close_is_left_incomplete(tmp_path, mode, is_in_cycle):
    path = tmp_path / "data.gz"

    def work():
        file = pzcomp.open(path, mode)
        if is_in_cycle:
            file.me = file
        file.write("three" if mode == "wt" else b"three")
        raise KeyError

    def fail():
        with pytest.raises(KeyError):
            work()

    with pytest.warns(ResourceWarning, match="data.gz' was not closed, so it is left incomplete"):
        fail()
        gc.collect()
    with pytest.raises(pzcomp.TruncatedError):
        pzcomp.open(path).read()


def test_a_program_that_ends_without_close_leaves_an_incomplete_file(tmp_path):
    path = tmp_path / "data.zst"
    program = f"import pzcomp; file = pzcomp.open({str(path)!r}, 'wb'); file.write(b'three'); 1 / 0"
    done = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr and "ResourceWarning" in done.stderr and "Exception ignored" not in done.stderr
    with pytest.raises(pzcomp.TruncatedError):
        pzcomp.open(path).read()


def test_files_that_were_closed_or_never_opened_are_collected_in_silence(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pzcomp.open(tmp_path / "data.zst", "wt") as file:
            file.write("three")
        del file
        pzcomp.open(tmp_path / "data.zst", "wb").abort()
        for wrong in ({"level": 99}, {"format": "nonsense"}):
            with pytest.raises(ValueError):
                pzcomp.open(tmp_path / "data.zst", "wb", **wrong)
        gc.collect()


def test_wrong_options_do_not_empty_a_file(tmp_path):
    path = tmp_path / "data.gz"
    path.write_bytes(b"precious")
    for options in ({"level": 100}, {"format": "nonsense"}, {"format": "lzw"}, {"layout": "nonsense"}, {"check": "sha256"}):
        with pytest.raises(ValueError):
            pzcomp.open(path, "wb", **options)
        assert path.read_bytes() == b"precious"


def test_closed_files_refuse(tmp_path):
    path = tmp_path / "data.zst"
    file = pzcomp.open(path, "wb")
    file.write(b"three")
    file.close()
    file.close()
    with pytest.raises(ValueError):
        file.write(b"more")
    file = pzcomp.open(path)
    file.close()
    file.close()
    for call in (file.read, file.peek, file.tell, file.seekable, lambda: file.seek(0), lambda: file.read_at(0, 1), file.frames):
        with pytest.raises(ValueError):
            call()


def test_a_flush_can_be_read_before_the_end(format):
    if format in ("xz", "lzma", "zip", "lzip"):
        pytest.skip("not every reader gives out the data before the end")
    target = io.BytesIO()
    file = pzcomp.open(target, "wb", format=format)
    file.write(b"three")
    file.flush()
    at_hand = Forward(target.getvalue())
    assert pzcomp.open(at_hand, **named(format)).read(5) == b"three"
    file.close()
    assert pzcomp.decompress(target.getvalue(), **named(format)) == b"three"


def test_an_exception_leaves_an_output_that_is_refused(tmp_path, format):
    for mode in ("wb", "wt"):
        path = tmp_path / "data"
        with pytest.raises(KeyError):
            with pzcomp.open(path, mode, format=format) as file:
                file.write(b"three" if mode == "wb" else "three")
                raise KeyError
        with pytest.raises(pzcomp.PzcompError):
            pzcomp.open(path, **named(format)).read()


def test_exceptions_of_file_objects_come_out_as_they_were(plain):
    class Failing(io.BytesIO):
        def read(self, size=-1):
            if self.tell() > 100_000:
                raise KeyError("the store is gone")
            return super().read(size)

        def write(self, data):
            raise KeyError("the store is full")

    coded = pzcomp.compress(os.urandom(3_000_000))
    for use in (lambda file: file.read(), lambda file: list(file), lambda file: file.seek(2_000_000) and file.read(1)):
        with pytest.raises(KeyError, match="the store is gone"):
            use(pzcomp.open(Failing(coded)))
    file = pzcomp.open(Failing(), "wb")
    with pytest.raises(KeyError, match="the store is full"):
        file.write(os.urandom(30_000_000))
        file.close()
    file.abort()


def test_a_file_object_that_says_that_it_wrote_too_much_is_an_error():
    class Boasting(io.BytesIO):
        def write(self, data):
            return super().write(data) + 1

    file = pzcomp.open(Boasting(), "wb")
    with pytest.raises(OSError, match="returned"):
        file.write(os.urandom(30_000_000))
        file.close()
    file.abort()


def test_other_threads_run_and_several_can_read(tmp_path):
    plain = lines(300_000)
    path = tmp_path / "data.zst"
    with pzcomp.open(path, "wb") as file:
        file.write(plain)
    file = pzcomp.open(path)
    wrong = []

    def read(start):
        for offset in range(start, len(plain), len(plain) // 20):
            if file.read_at(offset, 1000) != plain[offset : offset + 1000]:
                wrong.append(offset)

    threads = [threading.Thread(target=read, args=(start,)) for start in (0, 1000, 77_777, 123_456)]
    for thread in threads:
        thread.start()
    assert file.read() == plain
    for thread in threads:
        thread.join()
    assert not wrong
    file.close()


def test_a_process_that_forks_can_read_in_the_child(tmp_path, plain):
    path = tmp_path / "data.zst"
    with pzcomp.open(path, "wb") as file:
        file.write(plain)
    with pzcomp.open(path) as file:
        file.read(10)
        child = os.fork()
        if child == 0:
            with pzcomp.open(path) as mine:
                os._exit(0 if mine.read() == plain else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_options_reach_the_encoder(tmp_path, plain):
    fast, best = pzcomp.compress(plain, 1, format="gzip"), pzcomp.compress(plain, 9, format="gzip")
    assert len(best) < len(fast)
    assert len(pzcomp.frames(io.BytesIO(pzcomp.compress(plain, block_size=100_000)))) == -(-len(plain) // 100_000)
    one = io.BytesIO(pzcomp.compress(plain, format="zstd", layout="single"))
    assert len(pzcomp.frames(one)) == 1
    assert pzcomp.compress(plain, threads=1) == pzcomp.compress(plain, threads=3)
    with pytest.raises(MemoryError):
        pzcomp.decompress(fast, memory=1000)
    with pzcomp.open(tmp_path / "a.gz", "wb", compresslevel=9) as file:
        file.write(plain)
    assert (tmp_path / "a.gz").read_bytes() == best


def test_a_named_format_is_the_only_one_that_is_read():
    coded = pzcomp.compress(b"three", format="zstd")
    assert pzcomp.decompress(coded, format="zstd") == b"three"
    with pytest.raises(pzcomp.FormatError):
        pzcomp.decompress(coded, format="gzip")
    with pytest.raises(pzcomp.FormatError):
        pzcomp.open(io.BytesIO(coded), format="gzip").read()


def test_members_of_a_tar_archive(tmp_path):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, data in (("a", b"one" * 10_000), ("d/b", b"two")):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), 1_000_000_000
            tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "d/b"
        tar.addfile(link)
    path = tmp_path / "a.tar.zst"
    path.write_bytes(pzcomp.compress(archive.getvalue()))
    with pzcomp.open(path) as file:
        members = file.members()
        assert [member.name for member in members] == ["a", "d/b", "link"]
        assert [member.kind for member in members] == ["file", "file", "symbolic link"]
        assert (members[1].mtime, members[2].link) == (1e9, "d/b")
        assert file.read_at(members[1].offset, members[1].size) == b"two"
    # The list is written, left out, or demanded.
    marks = b"\x9bPZR\x03"
    for tar, has_list in ((None, True), (True, True), (False, False)):
        for format in ("zstd", "gzip", "lz4"):
            assert (marks in pzcomp.compress(archive.getvalue(), format=format, tar=tar)) == has_list
            with pzcomp.open(path, "wb", format=format, tar=tar) as file:
                file.write(archive.getvalue()[:15_000])
                file.write(archive.getvalue()[15_000:])
            assert (marks in path.read_bytes()) == has_list
            with pzcomp.open(path) as file:
                assert [member.name for member in file.members()] == ["a", "d/b", "link"]
    with pytest.raises(pzcomp.PzcompError, match="not a whole tar archive"):
        pzcomp.compress(b"no archive" * 10_000, tar=True)
    with pytest.raises(ValueError, match="list of the members"):
        pzcomp.open(path, "wb", format="xz", tar=True)
    with pytest.raises(pzcomp.PzcompError, match="not a whole tar archive"):
        with pzcomp.open(path, "wb", format="zstd", tar=True) as file:
            file.write(b"no archive" * 10_000)
    path.write_bytes(pzcomp.compress(b"no archive" * 100))
    with pzcomp.open(path) as file, pytest.raises(pzcomp.PzcompError):
        file.members()
