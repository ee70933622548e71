"""`pzcomp.splits`: the records of all splits together are the file, for every format and every length of records."""

import bz2
import gzip
import lzma
import pickle
import random
import re

import pytest

import pzcomp
from conftest import lines

fsspec = pytest.importorskip("fsspec")
from pzcomp._splits import RangeFile, parse_size  # noqa: E402

SIZE = 40_000


def frames(format, **options):
    return lambda plain: pzcomp.compress(plain, format=format, block_size=10_000, **options)


def bgzf(plain):
    return pzcomp.compress(plain, format="gzip", layout="bgzf", index=False)


# How a file is made, and the index that it gets. The number says whether there must be several splits.
FILES = {
    "zstd": (frames("zstd"), None, True),
    "zstd without a table": (frames("zstd", index=False), None, True),
    "zstd of one frame": (lambda plain: pzcomp.compress(plain, layout="single"), None, False),
    "gzip": (frames("gzip"), None, True),
    "gzip of one member": (gzip.compress, None, False),
    "gzip of one member with an index": (gzip.compress, "pzi", True),
    "gzip of two members with an index": (lambda p: gzip.compress(p[: len(p) // 2]) + gzip.compress(p[len(p) // 2 :]), "pzi", True),
    "BGZF": (bgzf, None, True),
    "BGZF with a .gzi": (bgzf, "gzi", True),
    "xz": (frames("xz"), None, True),
    "xz of two Streams": (lambda p: frames("xz")(p[: len(p) // 3]) + frames("xz")(p[len(p) // 3 :]), None, True),
    "xz of one Block": (lzma.compress, None, False),
    "bzip2": (lambda plain: bz2.compress(plain, 1), None, False),
    "bzip2 with an index": (lambda plain: bz2.compress(plain, 1), "pzi", True),
    "our bzip2 with an index": (lambda plain: pzcomp.compress(plain, 1, format="bzip2"), "pzi", True),
    "lz4": (lambda plain: pzcomp.compress(plain, format="lz4", block_size=1 << 16), None, True),
    "lzip": (frames("lzip"), None, True),
    "lzma": (lambda plain: pzcomp.compress(plain, format="lzma"), None, False),
    "zlib": (lambda plain: pzcomp.compress(plain, format="zlib"), None, False),
    "a zstd file and a gzip file": (lambda p: frames("zstd")(p[: len(p) // 2]) + gzip.compress(p[len(p) // 2 :]), None, False),
}


def records_of(kind, length=420_000):
    """Plain data with a delimiter, by the lengths of its records."""
    numbers = random.Random(kind)
    text = lines(length // 16)
    if kind == "lines":
        return text, b"\n"
    if kind == "no last newline":
        return text + b"the last", b"\n"
    if kind == "one byte":
        return b"\n" * 1000 + b"a\nb\n" * (length // 4), b"\n"
    if kind == "longer than splits":
        return b"".join(numbers.randbytes(numbers.randrange(1, 200_000)).replace(b"\n", b"x") + b"\n" for _ in range(6)), b"\n"
    if kind == "one record":
        return text.replace(b"\n", b" "), b"\n"
    if kind == "long delimiters":
        return text.replace(b"\t", b"<end>"), b"<end>"
    if kind == "empty":
        return b"", b"\n"
    assert kind == "one newline"
    return b"\n", b"\n"


KINDS = ["lines", "no last newline", "one byte", "longer than splits", "one record", "long delimiters", "empty", "one newline"]


def written(folder, name, plain):
    make, index, has_several = FILES[name]
    path = folder / "file"
    path.write_bytes(make(plain))
    if index:
        pzcomp.write_index(path, format=index, interval=32 << 10)
    return str(path), has_several


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FILES)
def test_each_record_belongs_to_exactly_one_split(tmp_path, name, kind):
    plain, delimiter = records_of(kind)
    path, has_several = written(tmp_path, name, plain)
    format = "zlib" if name == "zlib" else None
    found = pzcomp.splits(path, SIZE, delimiter, format=format)
    if has_several and kind in ("lines", "no last newline", "longer than splits"):
        assert len(found) > 1
    read = [pickle.loads(pickle.dumps(split)).read() for split in found]
    assert b"".join(read) == plain
    # Each split begins where a record begins, and all but the last data ends with a delimiter.
    for part in [part for part in read if part][:-1]:
        assert part.endswith(delimiter)
    uncut = pzcomp.splits(path, SIZE, None, format=format)
    assert b"".join(split.read() for split in uncut) == plain
    assert [split.plain_range[0] for split in uncut[1:]] == [split.plain_range[1] for split in uncut[:-1]]


def test_a_split_begins_where_its_neighbour_ends_at_every_edge(tmp_path):
    # Delimiters of two bytes, at each place relative to the edges at 10, 20, 30, …
    for shift in range(12):
        plain = b"x" * shift + b"".join(b"%d\r\n" % n for n in range(40))
        path = tmp_path / f"{shift}"
        path.write_bytes(b"".join(pzcomp.compress(plain[at : at + 10]) for at in range(0, len(plain), 10)))
        read = [split.read() for split in pzcomp.splits(path, 10, b"\r\n")]
        assert len(read) > 5
        assert b"".join(read) == plain
        assert all(part.endswith(b"\r\n") for part in read if part)


def test_a_split_reads_only_its_own_bytes(tmp_path):
    plain = lines(40_000)
    path, _ = written(tmp_path, "zstd", plain)
    found = pzcomp.splits(path, SIZE, None)
    third = found[2]
    data = bytearray(open(path, "rb").read())
    start, end = third.coded_range
    open(path, "wb").write(b"\0" * start + data[start:end] + b"\0" * (len(data) - end))
    assert third.read() == plain[slice(*third.plain_range)]


@pytest.mark.parametrize("name", ["zstd", "gzip", "lz4", "xz"])
def test_an_index_at_the_end_takes_two_range_reads(tmp_path, name, monkeypatch):
    path, _ = written(tmp_path, name, lines(100_000))
    reads = []
    fetch = RangeFile._fetch
    monkeypatch.setattr(RangeFile, "_fetch", lambda self, *args: reads.append(args) or fetch(self, *args))
    assert len(pzcomp.splits(path, SIZE)) > 1
    assert len(reads) <= 2


def test_a_gzi_leads_to_splits_and_no_header_is_read(tmp_path, monkeypatch):
    path, _ = written(tmp_path, "BGZF with a .gzi", lines(100_000))
    reads = []
    fetch = RangeFile._fetch
    monkeypatch.setattr(RangeFile, "_fetch", lambda self, *args: reads.append(self._path) or fetch(self, *args))
    assert len(pzcomp.splits(path, SIZE)) > 5
    assert set(reads) == {f"{path}.gzi"} and len(reads) <= 2


def test_a_seek_table_that_lies_is_an_error_and_not_other_data(tmp_path):
    plain = lines(40_000)
    path, _ = written(tmp_path, "zstd", plain)
    data = bytearray(open(path, "rb").read())
    # The plain length of the first frame, in the first entry of the table.
    table = data.index(pzcomp.frames(path)[0].coded_length.to_bytes(4, "little") + (10_000).to_bytes(4, "little"))
    data[table + 4 : table + 8] = (10_001).to_bytes(4, "little")
    open(path, "wb").write(data)
    with pytest.raises(pzcomp.DamagedError, match="state"):
        [split.read() for split in pzcomp.splits(path, SIZE)]


def test_damage_is_found_and_the_error_names_the_part(tmp_path):
    path, _ = written(tmp_path, "gzip of one member with an index", lines(40_000))
    found = pzcomp.splits(path, SIZE)
    data = bytearray(open(path, "rb").read())
    data[sum(found[1].coded_range) // 2] ^= 1
    open(path, "wb").write(data)
    assert found[3].read()
    with pytest.raises(pzcomp.PzcompError) as raised:
        found[1].read()
    assert path in raised.value.__notes__[0]


OFFSET = re.compile(r"at offset (\d+)|begins at offset (\d+)")


@pytest.mark.parametrize("kind", [kind for kind, (_, _, is_split) in FILES.items() if is_split])
def test_errors_of_a_split_have_the_offsets_of_the_file(tmp_path, kind):
    path, _ = written(tmp_path, kind, lines(40_000))
    found = pzcomp.splits(path, SIZE, None)
    split = found[len(found) // 2]
    start, end = split.coded_range
    data = bytearray(open(path, "rb").read())
    # More bytes than those of a header that no reader looks at.
    for at in range((start + end) // 2, (start + end) // 2 + 20):
        data[at] ^= 1
    open(path, "wb").write(data)
    for read in (split.read, lambda: split.stream().read()):
        with pytest.raises(pzcomp.DamagedError) as raised:
            read()
        offset = int(next(filter(None, OFFSET.search(str(raised.value)).groups())))
        assert start <= offset < end, raised.value
        if read == split.read:
            assert raised.value.__notes__ == [f"in {path}"]


def test_a_file_that_was_cut_off_is_an_error(tmp_path):
    path, _ = written(tmp_path, "zstd", lines(40_000))
    found = pzcomp.splits(path, SIZE)
    data = open(path, "rb").read()
    open(path, "wb").write(data[: found[-1].coded_range[0] + 5])
    with pytest.raises(pzcomp.TruncatedError, match="has changed"):
        found[-1].read()
    open(path, "wb").write(b"")
    with pytest.raises(pzcomp.TruncatedError):
        pzcomp.splits(path)


def test_splits_of_a_store_are_those_of_a_local_file():
    plain = lines(40_000)
    store = fsspec.filesystem("memory")
    store.pipe("/splits.gz", gzip.compress(plain))
    assert len(pzcomp.splits("memory://splits.gz", SIZE)) == 1
    store.pipe("/splits.zst", pzcomp.compress(plain, block_size=10_000))
    found = pzcomp.splits("memory://splits.zst", SIZE)
    assert len(found) > 5
    assert b"".join(split.read() for split in found) == plain


def test_sizes_are_numbers_with_units():
    assert [parse_size(size) for size in (5, "5", "64 MiB", "1.5k", "2GB")] == [5, 5, 64 << 20, 1536, 2 * 10**9]
    for wrong in ("", "MiB", "-1", 0, "1 XB"):
        with pytest.raises(ValueError):
            parse_size(wrong)
    with pytest.raises(ValueError, match="delimiter"):
        pzcomp.splits("file", delimiter=b"")
