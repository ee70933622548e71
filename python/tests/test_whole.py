"""The functions that take a file or data as a whole."""

import array
import io
import os
import zlib

import pytest
from conftest import lines, named

import pzcomp


def test_data_comes_back(plain, format):
    for data in (b"", b"a", b"three in the morning", plain, bytes(20_000_000)):
        coded = pzcomp.compress(data, 1, format=format)
        assert pzcomp.decompress(coded, **named(format)) == data


def test_everything_with_a_buffer_is_taken(plain):
    numbers = array.array("I", range(1000))
    assert pzcomp.decompress(pzcomp.compress(numbers)) == numbers.tobytes()
    coded = pzcomp.compress(plain)
    for form in (bytearray, memoryview, bytes):
        assert pzcomp.decompress(form(coded)) == plain
        assert pzcomp.compress(form(plain)) == coded
    with pytest.raises(BufferError):
        pzcomp.compress(memoryview(plain)[::2])
    with pytest.raises(TypeError):
        pzcomp.compress("text")


def test_results_without_a_stated_length_grow():
    # Zeros have a ratio that no guess expects, and these formats state no length.
    for format in ("bzip2", "gzip", "xz"):
        data = bytes(30_000_000)
        coded = pzcomp.compress(data, 1, format=format, **({"layout": "single"} if format == "gzip" else {}))
        assert pzcomp.decompress(coded * 2) == data + data


def test_a_wrong_length_in_a_trailer_takes_no_memory():
    # A gzip member whose last four bytes claim 4 GiB.
    coded = bytearray(pzcomp.compress(b"three" * 100, format="gzip", layout="single"))
    coded[-4:] = b"\xff\xff\xff\xff"
    with pytest.raises(pzcomp.DamagedError):
        pzcomp.decompress(coded)


def test_damage_is_an_exception_of_the_right_class(plain, format):
    plain = plain[:1_000_000]
    coded = pzcomp.compress(plain, 1, format=format)
    # Behind its entry, a zip archive repeats what is known.
    for length in (0, 1, 10, len(coded) // 2, len(coded) - (100 if format == "zip" else 1)):
        with pytest.raises(pzcomp.PzcompError) as raised:
            pzcomp.decompress(coded[:length], **named(format))
        assert isinstance(raised.value, (EOFError, pzcomp.FormatError)) or format == "lzma"
        with pytest.raises(OSError):
            pzcomp.open(io.BytesIO(coded[:length]), **named(format)).read()
    if format != "lzma":
        damaged = bytearray(coded)
        for at in range(len(coded) // 2, len(coded) // 2 + 40):
            damaged[at] ^= 0xFF
        with pytest.raises(pzcomp.PzcompError):
            pzcomp.decompress(damaged, **named(format))
    with pytest.raises(pzcomp.FormatError):
        pzcomp.decompress(b"no compressed data")


def test_frames_tell_where_the_data_is(tmp_path, plain):
    for format in ("zstd", "gzip", "lz4", "lzip", "xz"):
        path = tmp_path / format
        path.write_bytes(pzcomp.compress(plain, 1, format=format, block_size=1 << 20))
        frames = pzcomp.frames(path)
        assert len(frames) > 3
        assert sum(frame.plain_length for frame in frames) == len(plain)
        with pzcomp.open(path) as file:
            assert file.frames() == frames
        coded = path.read_bytes()
        for frame in frames:
            assert frame.format == format
            assert frame.is_file == (format != "xz")
            if frame.is_file:
                part = coded[frame.coded_offset : frame.coded_offset + frame.coded_length]
                expected = plain[frame.plain_offset : frame.plain_offset + frame.plain_length]
                assert pzcomp.decompress(part) == expected


def test_a_file_without_an_index_is_one_frame(tmp_path, plain):
    path = tmp_path / "data.bz2"
    path.write_bytes(pzcomp.compress(plain, format="bzip2"))
    [frame] = pzcomp.frames(path)
    assert frame == pzcomp.Frame(0, path.stat().st_size, 0, None, None, True)


def test_ranges(tmp_path, plain, format):
    path = tmp_path / "data"
    path.write_bytes(pzcomp.compress(plain, 1, format=format))
    size = len(plain)
    for offset, length in ((0, 0), (0, 10), (size - 5, 100), (size, 10), (size + 10, 10), (1_000_000, 1_500_000)):
        expected = plain[offset : offset + length]
        assert pzcomp.read_at(path, offset, length, **named(format)) == expected
        with open(path, "rb") as raw:
            assert pzcomp.read_at(raw, offset, length, **named(format)) == expected
    assert pzcomp.read_at(path, 10, 1 << 60, **named(format)) == plain[10:]


class Counted(io.FileIO):
    """Counts the bytes that are read of a file, and from where."""

    def __init__(self, path):
        super().__init__(path)
        self.ranges = []

    def read(self, size=-1):
        start = self.tell()
        found = super().read(size)
        self.ranges.append((start, len(found)))
        return found


def index_cases():
    one_member = zlib.compressobj(6, zlib.DEFLATED, 31)
    plain = lines(500_000)
    gz = one_member.compress(plain) + one_member.flush()
    return plain, {
        "zstd": (pzcomp.compress(plain, format="zstd"), False),
        "gzip": (pzcomp.compress(plain, format="gzip"), False),
        "xz": (pzcomp.compress(plain, 1, format="xz", block_size=2 << 20), False),
        "plain gzip with .pzi": (gz, True),
        "bzip2 with .pzi": (pzcomp.compress(plain, format="bzip2"), True),
    }


def test_a_range_in_the_middle_decodes_at_most_two_intervals(tmp_path):
    plain, cases = index_cases()
    for name, (coded, needs_index) in cases.items():
        path = tmp_path / "data"
        path.write_bytes(coded)
        index = None
        if needs_index:
            with open(pzcomp.write_index(path, interval=1 << 19), "rb") as file:
                index = file.read()
        frames = pzcomp.frames(path)
        assert len(frames) > 5, name
        middle = frames[len(frames) // 2]
        for offset in (middle.plain_offset + 10, middle.plain_offset - 50):
            file = Counted(path)
            with pzcomp.open(file, index=index) as opened:
                opened.seek(offset)
                assert opened.read(100) == plain[offset : offset + 100], name
            held = [f for f in frames if f.plain_offset < offset + 100 and offset < f.plain_offset + f.plain_length]
            assert len(held) <= 2
            # Besides these frames, only headers, the index in the file and samples of its bytes are read.
            read = [0] * len(frames)
            for start, length in file.ranges:
                for number, frame in enumerate(frames):
                    end = min(start + length, frame.coded_offset + frame.coded_length)
                    read[number] += max(0, end - max(start, frame.coded_offset))
            # A frame of which a third was read may have been decoded.
            decoded = [n for n, frame in enumerate(frames) if 3 * read[n] > frame.coded_length]
            ours = [n for n, frame in enumerate(frames) if frame in held]
            assert set(decoded) - {0, len(frames) - 1} <= set(ours), (name, decoded, ours)


def test_an_index_beside_the_file_is_found(tmp_path, plain):
    path = tmp_path / "data.bz2"
    path.write_bytes(pzcomp.compress(plain, format="bzip2"))
    assert len(pzcomp.frames(path)) == 1
    made = pzcomp.write_index(path)
    assert made == f"{path}.pzi"
    assert os.listdir(tmp_path) == ["data.bz2", "data.bz2.pzi"] or sorted(os.listdir(tmp_path))[1] == "data.bz2.pzi"
    assert len(pzcomp.frames(path)) > 3
    assert len(pzcomp.frames(path, index=False)) == 1
    assert len(pzcomp.frames(path, index=made)) == len(pzcomp.frames(path))
    with pzcomp.open(path) as file:
        file.seek(3_000_000)
        assert file.read(10) == plain[3_000_000:3_000_010]
    # An index of another file is refused.
    path.write_bytes(pzcomp.compress(plain[1:], format="bzip2"))
    with pytest.raises(pzcomp.PzcompError, match="index"):
        pzcomp.frames(path)
    # Reading in order needs no index.
    with pzcomp.open(path) as file:
        assert file.read() == plain[1:]


def test_a_damaged_file_gets_no_index(tmp_path, plain):
    path = tmp_path / "data.bz2"
    path.write_bytes(pzcomp.compress(plain, format="bzip2")[:-10])
    with pytest.raises(pzcomp.PzcompError):
        pzcomp.write_index(path)
    assert os.listdir(tmp_path) == ["data.bz2"]
