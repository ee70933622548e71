"""Tables in Arrow's form of pieces of CSV, JSON lines and text, with types that are the same for all pieces.

`csv`, `json` and `text` make the layout of a file: how its records become rows. `Layout.batches` makes the rows of a piece
(`_records.py`), in any process. `pzcomp.arrow`, `pzcomp.spark` and `pzcomp.dask` call them. A record that does not fit is a
`RecordError` with its offset.
"""

import csv as _csv
import io
import json as _json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Optional

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.json

from ._records import RecordError, Records, head, naming, pieces, record_error
from ._splits import splits

#: Names and types that nobody has given are those of this many bytes at the start of a file.
SAMPLE_LEN = 8 << 20
#: pyarrow reads this much at a time. It fits into the caches of a core.
_BLOCK_LEN = 1 << 20
#: The rows of a batch of text.
_BATCH_LEN = 64 << 10

_BOM = b"\xef\xbb\xbf"
#: Digits that may be an integer that int64 does not hold, and that pyarrow would make a double of.
_MANY_DIGITS = re.compile(rb"(?<![.\d])\d{19,}(?![.\deE])")


def as_schema(schema):
    """A schema of Arrow, of what a caller gives: a schema, or a mapping of names to types or to the names of types."""
    if schema is None or isinstance(schema, pyarrow.Schema):
        return schema
    kinds = {name: pyarrow.type_for_alias(kind) if isinstance(kind, str) else kind for name, kind in schema.items()}
    return pyarrow.schema(list(kinds.items()))


def _fixed_type(kind):
    """A column that has no values in the sample can have text later. Text that is not UTF-8 is an error where it is read."""
    if pyarrow.types.is_null(kind) or pyarrow.types.is_binary(kind):
        return pyarrow.string()
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([of.with_type(_fixed_type(of.type)) for of in kind])
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_fixed_type(kind.value_type))
    return kind


def _fixed(schema):
    return pyarrow.schema([of.with_type(_fixed_type(of.type)) for of in schema])


def _rows(table, schema):
    """The batches of a table, with exactly this schema."""
    if not schema.names:
        # Rows without columns can still be counted.
        yield pyarrow.record_batch([pyarrow.nulls(table.num_rows)], names=["none"]).select([])
        return
    for batch in table.select(schema.names).to_batches():
        for of, column in zip(schema, batch.columns):
            if not of.nullable and column.null_count:
                raise pyarrow.ArrowInvalid(f"{of.name!r} has no value, but the schema says that it must")
        yield pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema)


def _buffer(data):
    """The data as pyarrow takes it. It would remove the mark of a file's start from any piece; behind an empty line, which
    is no row, it does not."""
    return pyarrow.BufferReader(pyarrow.py_buffer(b"\n" + data if data.startswith(_BOM) else data))


def _is_blank(data):
    # `strip` copies the data, so it is called for little only.
    return data[:1] in (b"", b"\r", b"\n") and not data.strip(b"\r\n")


@dataclass(frozen=True)
class Layout:
    """How records become rows. `_parse` makes a table of records, and raises `pyarrow.ArrowInvalid`."""

    schema: Optional[pyarrow.Schema] = None
    records: Records = field(default_factory=Records)

    def batches(self, offset, data):
        """The rows of a piece that begins at a plain offset."""
        start = self._start(data) if offset == 0 else 0
        offset, data = offset + start, data[start:] if start else data
        if _is_blank(data):
            return []
        try:
            return self._checked(data, offset)
        except pyarrow.ArrowException as error:
            raise self._wrong_record(data, offset, error) from None

    def _start(self, data):
        """Where the rows of a file begin."""
        return len(_BOM) if data.startswith(_BOM) else 0

    def _checked(self, data, offset):
        breaks = self.records.check(data, offset)
        try:
            return list(_rows(self._parse(data, _BLOCK_LEN, breaks), self.schema))
        except pyarrow.ArrowException:
            if len(data) <= _BLOCK_LEN:
                raise
            # A record may be longer than a block.
            return list(_rows(self._parse(data, len(data) + 1, breaks), self.schema))

    def _wrong_record(self, data, offset, error):
        """The error of the first record that is wrong, which is found by halves."""
        ends = [0, *self.records.ends(data).tolist()]
        good, bad = 0, len(ends) - 1
        while bad - good > 1:
            middle = (good + bad) // 2
            part = data[ends[good] : ends[middle]]
            try:
                if not _is_blank(part):
                    self._checked(part, offset)
                good = middle
            except pyarrow.ArrowException as found:
                bad, error = middle, found
        return self.records.error(offset + ends[good], re.sub(r"Row #\d+: ", "", str(error)).strip())

    def sampled(self, data):
        """The schema of the first records of a file."""
        start = self._start(data)
        data = data[start:]
        if _is_blank(data):
            return self._schema_of_nothing()
        try:
            return _fixed(self._parse(data, len(data) + 1, self.records.check(data, start)).schema)
        except pyarrow.ArrowException as error:
            raise RecordError(f"the types of the columns do not come out of the first {len(data)} bytes: {error}") from None

    def _schema_of_nothing(self):
        return pyarrow.schema([])


def _kind_of_integers(values):
    """The type of a column of numbers as text that keeps the digits of long integers, and None if a double does so."""
    values = pyarrow.compute.utf8_trim_whitespace(values)
    long = values.filter(pyarrow.compute.match_substring_regex(values, "^[-+]?[0-9]{19,}$"))
    if not len(long):
        return None
    if not pyarrow.compute.all(pyarrow.compute.match_substring_regex(values, "^[-+]?[0-9]+$")).as_py():
        return None if all(map(_fits_double, long.to_pylist())) else pyarrow.string()
    try:
        values.cast(pyarrow.uint64())
    except pyarrow.ArrowInvalid:
        return pyarrow.string()
    return pyarrow.uint64()


@dataclass(frozen=True)
class _Csv(Layout):
    #: The names of all columns in the file. The schema has those that are read.
    names: tuple = ()
    has_header: bool = True
    nulls: Sequence[str] = ("",)

    def _start(self, data):
        start = super()._start(data)
        return self.records.end_of_first(data, start) or len(data) if self.has_header else start

    def _schema_of_nothing(self):
        return pyarrow.schema([(name, pyarrow.string()) for name in self.names])

    def sampled(self, data):
        """A double does not hold all digits of an integer that is too long for int64: such columns are uint64, or text."""
        schema = super().sampled(data)
        doubles = [of.name for of in schema if pyarrow.types.is_float64(of.type)]
        if not doubles or not _MANY_DIGITS.search(data):
            return schema
        start = self._start(data)
        data = data[start:]
        as_text = pyarrow.schema([(name, pyarrow.string()) for name in doubles])
        layout = replace(self, schema=as_text, names=self.names or tuple(schema.names))
        table = layout._parse(data, len(data) + 1, self.records.check(data, start))
        for name in doubles:
            if kind := _kind_of_integers(table[name].drop_null()):
                schema = schema.set(schema.get_field_index(name), pyarrow.field(name, kind))
        return schema

    def _parse(self, data, block_len, breaks):
        quote = self.records.quote
        kinds = self.schema
        if kinds is not None and not kinds.names:
            # pyarrow would read all columns.
            kinds = pyarrow.schema([(name, pyarrow.binary()) for name in self.names[:1]])
        return pyarrow.csv.read_csv(
            _buffer(data),
            pyarrow.csv.ReadOptions(
                use_threads=False,
                block_size=block_len,
                column_names=self.names,
                autogenerate_column_names=not self.names,
            ),
            pyarrow.csv.ParseOptions(
                delimiter=self.records.delimiter.decode(),
                quote_char=quote.decode() if quote else False,
                newlines_in_values=breaks,
            ),
            pyarrow.csv.ConvertOptions(
                column_types=kinds,
                include_columns=kinds.names if kinds else None,
                null_values=self.nulls,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )

    def header_of(self, data):
        """The names in the first record of a file."""
        start = super()._start(data)
        data = data[start : self._start(data)]
        self.records.check_returns(data, start)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise record_error(start, f"the header is not UTF-8: {error}") from None
        quote = self.records.quote
        how = {"quotechar": quote.decode()} if quote else {"quoting": _csv.QUOTE_NONE, "quotechar": None}
        names = next(_csv.reader(io.StringIO(text, newline=""), delimiter=self.records.delimiter.decode(), **how), [])
        twice = {name for name in names if names.count(name) > 1}
        if not names or twice:
            what = f"has {min(twice)!r} twice" if twice else "is empty"
            raise record_error(0, f"the header {what}; give a schema with the names of all columns, with header=False")
        return tuple(names)


def _fits_double(digits):
    return len(digits) <= 300 and int(float(digits)) == int(digits)


def _fits_int64(digits):
    return len(digits) <= 20 and -(1 << 63) <= int(digits) < 1 << 63


@dataclass(frozen=True)
class _Json(Layout):
    #: Whether members that the schema does not have are left out. Otherwise they are an error.
    leaves_out: bool = False

    def sampled(self, data):
        """pyarrow would make a double of an integer that int64 does not hold. So that is an error."""
        start = self._start(data)
        at = start
        while found := _MANY_DIGITS.search(data, at):
            begin, end = data.rfind(b"\n", 0, found.start()) + 1, data.find(b"\n", found.end())
            at = end if end >= 0 else len(data)
            self._check_integers(data[max(begin, start) : at], begin)
        return super().sampled(data)

    def _check_integers(self, line, offset):
        wide = []
        try:
            _json.loads(line, parse_int=lambda digits: wide.append(digits) if not _fits_int64(digits) else 0)
        except (ValueError, RecursionError):
            # pyarrow says what is wrong.
            return
        if wide:
            reason = f"the integer {wide[0][:40]} does not fit int64; give a schema, for example with uint64 or float64"
            raise self.records.error(offset, reason)

    def _parse(self, data, block_len, breaks):
        if not data.isascii():
            # pyarrow does not check it.
            try:
                data.decode()
            except UnicodeDecodeError as error:
                raise pyarrow.ArrowInvalid(f"invalid UTF-8: {error}") from None
        unexpected = "ignore" if self.leaves_out else "infer" if self.schema is None else "error"
        table = pyarrow.json.read_json(
            _buffer(data),
            pyarrow.json.ReadOptions(use_threads=False, block_size=block_len),
            pyarrow.json.ParseOptions(explicit_schema=self.schema, unexpected_field_behavior=unexpected),
        )
        lines = data.count(b"\n") + (not data.endswith(b"\n"))
        if table.num_rows != lines and table.num_rows != sum(1 for line in data.split(b"\n") if line.strip()):
            raise pyarrow.ArrowInvalid("a line is not one object of JSON")
        return table


@dataclass(frozen=True)
class _Text(Layout):
    """A row for each line, without its end."""

    def batches(self, offset, data):
        if not data:
            return []
        try:
            column = self._column(data.replace(b"\r\n", b"\n"))
        except pyarrow.ArrowInvalid:
            raise self._not_text(data, offset) from None
        batch = pyarrow.RecordBatch.from_arrays([column], schema=self.schema)
        return [batch.slice(at, _BATCH_LEN) for at in range(0, len(batch), _BATCH_LEN)]

    def _column(self, data):
        """A column whose values are the data without the ends of lines."""
        plain = numpy.frombuffer(data if data.endswith(b"\n") else data + b"\n", numpy.uint8)
        are_text = plain != ord("\n")
        ends = numpy.flatnonzero(~are_text)
        edges = numpy.zeros(len(ends) + 1, numpy.int64)
        edges[1:] = ends - numpy.arange(len(ends))
        values = pyarrow.py_buffer(plain[are_text])
        column = pyarrow.LargeStringArray.from_buffers(len(ends), pyarrow.py_buffer(edges), values)
        column.validate(full=True)
        return column.cast(self.schema.field(0).type)

    @staticmethod
    def _not_text(data, offset):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.rfind(b"\n", 0, error.start) + 1
            return record_error(offset + line, f"a byte is not UTF-8, at offset {offset + error.start}")
        return record_error(offset, "the lines do not fit into one column; choose a smaller size")


def _one_byte(name, value):
    if value is None:
        return None
    coded = value.encode()
    if len(coded) != 1 or coded in b"\r\n":
        raise ValueError(f"{name} must be one character of ASCII, not {value!r}")
    return coded


@dataclass(frozen=True)
class Dialect:
    """How CSV files are written: the arguments that all functions for CSV have in common."""

    header: bool = True
    delimiter: str = ","
    quote: Optional[str] = '"'
    nulls: Sequence[str] = ("",)


def _with_columns(layout, columns):
    """The layout that reads some of its columns."""
    if columns is None:
        return layout
    missing = [name for name in columns if name not in layout.schema.names]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r}; there are {', '.join(layout.schema.names)}")
    return replace(layout, schema=pyarrow.schema([layout.schema.field(name) for name in columns]))


def csv(url, schema, dialect, *, multiline=False, columns=None, **opening):
    """The layout of a CSV file. `opening` is how its start is read. The schema names some or all of the columns in the
    header; without a header it has all columns of the file."""
    delimiter, quote = _one_byte("delimiter", dialect.delimiter), _one_byte("quote", dialect.quote)
    header, nulls = dialect.header, tuple(dialect.nulls)
    if delimiter is None or delimiter == quote:
        raise ValueError("the delimiter and the quote must be different characters")
    layout = _Csv(as_schema(schema), Records(quote, delimiter, multiline, False), has_header=header, nulls=nulls)
    with naming(url):
        sample = head(url, layout.records, SAMPLE_LEN if layout.schema is None else 1, **opening)
        names = layout.header_of(sample) if header else tuple(layout.schema.names if layout.schema else ())
        layout = replace(layout, names=names)
        if layout.schema is None:
            schema = layout.sampled(sample)
            layout = replace(layout, schema=schema, names=names or tuple(schema.names))
        missing = [name for name in layout.schema.names if name not in layout.names]
        if missing:
            raise record_error(0, f"the header has no {missing[0]!r}, which is in the schema; it has {', '.join(names)}")
    return _with_columns(layout, columns)


def json(url, schema=None, *, columns=None, **opening):
    """The layout of a file of JSON lines. Members that a given schema does not name are left out."""
    layout = _Json(as_schema(schema), leaves_out=schema is not None or columns is not None)
    if layout.schema is None:
        with naming(url):
            sample = head(url, layout.records, SAMPLE_LEN, **opening)
            layout = replace(layout, schema=replace(layout, leaves_out=False).sampled(sample))
    return _with_columns(layout, columns)


def text(schema=None):
    """The layout of a file of lines. A schema names the only column."""
    schema = pyarrow.schema([("value", pyarrow.string())]) if schema is None else schema
    if len(schema) != 1 or not pyarrow.types.is_string(schema.field(0).type):
        raise ValueError(f"lines of text are one column of strings, not {', '.join(schema.names)}")
    return _Text(schema)


def parts(urls, layout_of, schema, size, *, columns=None, index=True, **opening):
    """The layout and the split of each part of some files, for tasks that call `rows`. `layout_of` gets the URL of a file
    and its schema. If none is given, that of the first file holds for all."""
    for url in urls:
        layout = layout_of(url, schema)
        schema = layout.schema
        layout = _with_columns(layout, columns)
        for split in splits(url, size, b"\n", index=index, **opening):
            yield layout, split


def rows(layout, split, threads=1):
    """The batches of a split. It needs no other split, so line breaks inside quotes are refused."""
    with naming(split.url):
        for offset, data in pieces(split, layout.records, SAMPLE_LEN, threads):
            yield from layout.batches(offset, data)
