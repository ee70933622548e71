"""Cuts the plain data of a file into pieces that hold whole records: lines, and rows of CSV with quotes.

`pzcomp.arrow`, `pzcomp.spark` and `pzcomp.dask` read tables by these pieces. A record ends with a line feed. With quotes, a
line feed inside of them does not end a record. Whether a place is inside quotes is known from the start of the file on
only. So a reader that takes the pieces in order passes this on from piece to piece. A reader of single splits cannot know
it; it refuses such line feeds, and no record is cut.

What is inside quotes is known by counting them, if quotes stand only where RFC 4180 has them. `Records.check` verifies it.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Optional

import numpy

from . import _file
from ._errors import DamagedError, LimitError, PzcompError
from ._splits import RangeFile, open_store

#: A record may have as many bytes as this, or as four pieces.
_RECORD_MAX = 64 << 20

_CR, _LF = 13, 10


class RecordError(ValueError):
    """A record that does not have the form or the types that it should have. `offset` is its place in the plain data."""

    offset: Optional[int] = None


def record_error(offset, reason, what="record"):
    error = RecordError(f"the {what} at offset {offset} of the plain data: {reason}")
    error.offset = offset
    return error


@contextmanager
def naming(url):
    """Errors inside name the file: those of records in their message, which other programs show without notes."""
    try:
        yield
    except RecordError as error:
        place = f" (in {url})"
        if not str(error).endswith(place):
            error.args = (f"{error}{place}",)
        raise
    except PzcompError as error:
        if (note := f"in {url}") not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise


def _count(data, byte):
    """How often a byte is in the data. `bytes.count` takes several times as long."""
    return numpy.count_nonzero(numpy.frombuffer(data, numpy.uint8) == byte[0]) if byte in data else 0


@dataclass(frozen=True)
class Records:
    """Where records end. Without `quote` each line feed ends one."""

    quote: Optional[bytes] = None
    delimiter: bytes = b","
    #: Whether values in quotes may have line breaks.
    multiline: bool = False
    #: Whether a carriage return that no line feed follows may stand outside quotes. Readers of CSV would end a row there.
    has_lone_returns: bool = True

    def error(self, offset, reason):
        """The error of a record. A reader of single splits does not know whether a line begins a record."""
        return record_error(offset, reason, "record" if self.multiline else "line")

    def end_of_first(self, data, at=0):
        """The offset behind the record that begins at `at`, or 0 if it does not end in the data."""
        while True:
            line = data.find(b"\n", at)
            opening = data.find(self.quote, at, line if line >= 0 else len(data)) if self.quote else -1
            if opening < 0:
                return line + 1
            closing = data.find(self.quote, opening + 1)
            if closing < 0:
                return 0
            at = closing + 1

    def ends_inside(self, data, is_inside=False):
        """Whether the data ends inside quotes. `is_inside` says whether it begins there."""
        return is_inside ^ (bool(self.quote) and _count(data, self.quote) % 2 == 1)

    def end_of_last(self, data, is_inside=False):
        """The offset behind the last record that ends in the data, or 0 if none ends. `is_inside` says whether the data
        begins inside quotes."""
        is_inside = self.ends_inside(data, is_inside)
        at = len(data)
        while True:
            edge = data.rfind(self.quote, 0, at) if self.quote else -1
            if not is_inside and (line := data.rfind(b"\n", edge + 1, at)) >= 0:
                return line + 1
            if edge < 0:
                return 0
            at, is_inside = edge, not is_inside

    def check(self, data, offset):
        """Raises a `RecordError` if quotes stand at other places than those of RFC 4180, or if a line break is inside of them
        and must not be, or if a line ends with a lone carriage return. Returns whether line breaks are inside quotes."""
        if not self.quote or self.quote not in data:
            self.check_returns(data, offset)
            return False
        plain = numpy.frombuffer(data, numpy.uint8)
        quotes = numpy.flatnonzero(plain == self.quote[0])
        opening, closing = quotes[0::2], quotes[1::2]
        before = plain[numpy.maximum(opening - 1, 0)]
        before[opening == 0] = _LF
        after = plain[numpy.minimum(closing + 1, len(plain) - 1)]
        after[closing == len(plain) - 1] = _LF
        lines = numpy.flatnonzero(plain == _LF)
        first = numpy.searchsorted(lines, opening)
        breaks = first[: len(closing)] != numpy.searchsorted(lines, closing)
        # The first fault counts: what is behind it is read with wrong pairs of quotes.
        faults = [
            (self._first(opening, ~self._is_edge(before)), "a quote is in a value that does not begin with one"),
            (self._first(closing, ~self._is_edge(after)), "text follows the quote that ends a value"),
        ]
        if not self.multiline:
            faults.append((self._first(opening[: len(closing)], breaks), "a line break is inside quotes"))
        if len(opening) > len(closing):
            reason = "the quotes of a value do not end" if self.multiline else "a line break is inside quotes"
            faults.append((int(opening[-1]), reason))
        faults = [(at, f"{reason}, at offset {offset + at}; {self._advice()}") for at, reason in faults if at is not None]
        are_inside = numpy.searchsorted(quotes, returns := self._lone_returns(data, plain)) & 1 == 1
        if not self.has_lone_returns and (at := self._first(returns, ~are_inside)) is not None:
            faults.append((at, self._return_reason(offset + at)))
        if faults:
            at, reason = min(faults)
            begin = self.end_of_last(data[:at]) if self.multiline else data.rfind(b"\n", 0, at) + 1
            raise self.error(offset + begin, reason)
        return bool(breaks.any() or are_inside.any())

    def check_returns(self, data, offset):
        """Raises a `RecordError` if a lone carriage return is outside quotes and must not be."""
        if self.has_lone_returns:
            return
        plain = numpy.frombuffer(data, numpy.uint8)
        returns = self._lone_returns(data, plain)
        quotes = numpy.flatnonzero(plain == self.quote[0]) if self.quote and len(returns) else returns[:0]
        at = self._first(returns, numpy.searchsorted(quotes, returns) & 1 == 0)
        if at is not None:
            begin = self.end_of_last(data[:at]) if self.multiline else data.rfind(b"\n", 0, at) + 1
            raise self.error(offset + begin, self._return_reason(offset + at))

    def _is_edge(self, values):
        return (values == self.quote[0]) | (values == self.delimiter[0]) | (values == _LF) | (values == _CR)

    @staticmethod
    def _first(places, are_wrong):
        found = numpy.flatnonzero(are_wrong)
        return int(places[found[0]]) if len(found) else None

    @staticmethod
    def _lone_returns(data, plain):
        """The places of carriage returns that no line feed follows."""
        if b"\r" not in data or _count(data, b"\r") == data.count(b"\r\n"):
            return numpy.zeros(0, numpy.int64)
        returns = numpy.flatnonzero(plain == _CR)
        after = plain[numpy.minimum(returns + 1, len(plain) - 1)]
        return returns[after != _LF]

    @staticmethod
    def _return_reason(at):
        return (
            f"a carriage return that no line feed follows is outside quotes, at offset {at}; lines end with LF or CR LF, so "
            r"convert the file, for example with tr '\r' '\n'"
        )

    def _advice(self):
        advice = "if quotes have no meaning in this file, say so (quote=None)"
        if self.multiline:
            return advice
        return f"if values have line breaks, read the file in order (pzcomp.arrow, multiline=True); {advice}"

    def ends(self, data):
        """The offsets behind all records, as an array."""
        plain = numpy.frombuffer(data, numpy.uint8)
        ends = numpy.flatnonzero(plain == _LF) + 1
        if self.quote:
            quotes = numpy.flatnonzero(plain == self.quote[0])
            ends = ends[numpy.searchsorted(quotes, ends) & 1 == 0]
        return ends if len(ends) and ends[-1] == len(data) else numpy.append(ends, len(data))


class Cutter:
    """Makes pieces of whole records of data that comes in order, in blocks of any length."""

    def __init__(self, records, offset=0):
        self._records, self._carried = records, b""
        #: The plain offset of what is not in a piece yet.
        self.offset = offset

    def add(self, block):
        """The offset and the data of the next piece. The data is empty if no record ends in the block."""
        # No record ends in what was carried.
        end = self._records.end_of_last(block, self._records.ends_inside(self._carried))
        # Each byte is copied once at most.
        data = b"".join((self._carried, memoryview(block)[:end])) if end else b""
        self._carried = block[end:] if end else self._carried + block
        if len(self._carried) > max(_RECORD_MAX, 4 * len(block)):
            offset = self.offset + len(data)
            self._records.check(self._carried, offset)
            raise LimitError(
                f"the record at offset {offset} of the plain data does not end within {len(self._carried)} bytes; "
                "is the file a table of text, with quotes that end?"
            )
        return self._taken(data)

    def finish(self):
        """The last piece, whose record ends with the file."""
        data, self._carried = self._carried, b""
        return self._taken(data)

    def _taken(self, data):
        offset = self.offset
        self.offset += len(data)
        return offset, data


def is_long(split):
    """Whether the data of a split is not kept in memory as a whole: nothing tells how long it is, or it is all of a file."""
    is_file = split.context is None and split.plain_range[0] == 0 and split.coded_range[1] >= split.coded_length
    return split.length is None or is_file


def blocks(split, size, threads):
    """The data of a long split, in blocks of `size` bytes."""
    length = 0
    with split.stream(threads) as stream:
        while block := stream.read(size):
            length += len(block)
            yield block
    if split.length not in (None, length):
        raise DamagedError(f"{split.url}: the data holds {length} bytes, but the index or the headers state {split.length}")


def pieces(split, records, size, threads=1):
    """The records of a split as pieces: the offset and the data of each. Those of a long split have about `size` bytes."""
    if not is_long(split):
        yield split.read_records(threads)
        return
    cutter = Cutter(records, split.plain_range[0])
    is_first = split.plain_range[0] == 0
    for block in blocks(split, size, threads):
        if not is_first:
            # The split before this one has the record that ends here.
            at = block.find(split.delimiter) + 1
            cutter.offset += at or len(block)
            block, is_first = block[at:] if at else b"", at > 0
        yield cutter.add(block)
    yield cutter.finish()


def head(url, records, size, storage_options=None, format=None, threads=None):
    """The whole records in the first `size` bytes of a file, and at least one if there is any."""
    store, path = open_store(url, storage_options)
    with _file.open(RangeFile(store, path), "rb", format=format, threads=threads) as reader:
        data, wanted = b"", max(size, 1 << 20)
        while len(data) < max(_RECORD_MAX, size):
            block = reader.read(wanted - len(data))
            if not block:
                return data
            data += block
            if len(data) < wanted:
                continue
            if end := records.end_of_last(data):
                # The last record of a file may have no line feed.
                return data[:end] if end == len(data) or reader.read(1) else data
            wanted += 1 << 20
    records.check(data, 0)
    raise LimitError(f"{url}: the first record does not end within {len(data)} bytes; is the file a table of text?")
