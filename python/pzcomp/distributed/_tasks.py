"""What the tasks do: each reads one part of the input and puts one part of the output, or several.

The functions run in the processes of an engine. They return short values only, but for parts that are too short for
the store, which the driver joins with those beside them.
"""

import dataclasses
import io
from typing import Optional

from .. import _file, _pzcomp
from .._errors import DamagedError, PzcompError
from .._splits import Split, open_store, read_range

#: Plain bytes that are compressed at a time. It is a multiple of the usual lengths of chunks.
PIECE_LEN = 64 << 20
#: A task that does not know how much it will write puts parts of this length first, and of twice as many behind each
#: `GROWING` parts.
_PART_LEN = 64 << 20
_GROWING = 1000


@dataclasses.dataclass(frozen=True)
class Plain:
    """A range of a plain file."""

    url: str
    start: int
    end: int
    storage_options: dict

    def pieces(self, threads):
        store, path = open_store(self.url, self.storage_options)
        for start in range(self.start, self.end, PIECE_LEN):
            yield read_range(store, path, start, min(start + PIECE_LEN, self.end))


@dataclasses.dataclass(frozen=True)
class Coded:
    """The data of a split."""

    split: Split

    def pieces(self, threads):
        return plain_pieces(self.split, threads)


def plain_pieces(split, threads):
    """The data of a split. If its length is not known it is not kept in memory."""
    if split.length is not None:
        plain = memoryview(split.read_plain(threads))
        for start in range(0, len(plain), PIECE_LEN):
            yield plain[start : start + PIECE_LEN]
        return
    with split.stream(threads) as stream:
        while piece := _read_next(split, stream):
            yield piece


def _read_next(split, stream):
    try:
        return _read_full(stream, PIECE_LEN)
    except PzcompError as error:
        error.add_note(f"in {split.url}")
        raise


def _read_full(stream, length):
    """As many bytes as asked for, or all that are left."""
    data = io.BytesIO()
    while data.tell() < length and (piece := stream.read(length - data.tell())):
        data.write(piece)
    return data.getvalue()


@dataclasses.dataclass
class Written:
    """What a task has written: the numbers and names of its parts, the frames in them, and what is too short for one."""

    parts: list
    frames: bytes
    plain: int
    coded: int
    short: Optional[bytes] = None


def compress_part(source, target, numbers, writing, threads, check, before=b""):
    """Compresses a part of the input. The parts of the output get `numbers`, and begin with the bytes `before`."""
    writing = {**writing, "threads": threads}
    coded, frames = bytearray(before), bytearray()
    written = Written([], b"", 0, 0)
    numbers = iter(numbers)
    number, following = next(numbers), next(numbers, None)
    for piece in source.pieces(threads):
        made, lengths = _pzcomp.compress_part(piece, writing)
        if check and _pzcomp.decompress(made, _file.reading(writing["format"], threads)) != piece:
            raise DamagedError("data that was just compressed does not decompress to the same; check the memory of this machine")
        coded += made
        frames += lengths
        written.plain += len(piece)
        written.coded += len(made)
        if following is not None and len(coded) >= max(target.minimum, _part_len(len(written.parts), target)):
            written.parts.append((number, target.put(number, coded)))
            coded = bytearray()
            number, following = following, next(numbers, None)
    if len(coded) > target.maximum:
        raise PzcompError(f"a part has {len(coded)} bytes, but the store takes {target.maximum}; choose a smaller size")
    if len(coded) < target.minimum:
        written.short = bytes(coded)
    elif coded:
        written.parts.append((number, target.put(number, coded)))
    written.frames = bytes(frames)
    return written


def _part_len(count, target):
    return min(_PART_LEN << (count // _GROWING), target.maximum // 2)


def decompress_part(split, target, threads):
    """Decompresses a split to its place. Returns the length of its data."""
    offset = start = split.plain_range[0]
    for piece in plain_pieces(split, threads):
        target.put(offset, piece)
        offset += len(piece)
    return offset - start


def decompress_to_parts(source, target, numbers, threads, before=b""):
    """Decompresses a split into numbered parts, which begin with the bytes `before`."""
    plain = bytearray(before)
    written = Written([], b"", 0, 0)
    numbers = iter(numbers)
    number, following = next(numbers), next(numbers, None)
    for piece in source.pieces(threads):
        plain += piece
        written.plain += len(piece)
        if following is not None and len(plain) >= max(target.minimum, _part_len(len(written.parts), target)):
            written.parts.append((number, target.put(number, plain)))
            plain = bytearray()
            number, following = following, next(numbers, None)
    if len(plain) < target.minimum:
        written.short = bytes(plain)
    elif plain:
        written.parts.append((number, target.put(number, plain)))
    return written


def verify_part(split, against, storage_options, threads):
    """Decompresses a split, and compares it with the plain file if there is one. Returns the length of its data."""
    offset = start = split.plain_range[0]
    store, path = open_store(against, storage_options) if against is not None else (None, None)
    for piece in plain_pieces(split, threads):
        if store is not None:
            expected = read_range(store, path, offset, offset + len(piece))
            if expected != piece:
                at = next((at for at, (a, b) in enumerate(zip(expected, piece)) if a != b), 0)
                raise DamagedError(f"{split.url} differs from {against} in the plain byte {offset + at}")
        offset += len(piece)
    return offset - start
