"""`pzcomp.arrow`: the rows of all splits are those of the whole file, and what does not fit is an error with its place."""

import gzip
import io
import json

import pytest

import pzcomp

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")
import pyarrow.csv  # noqa: E402

import pzcomp.arrow  # noqa: E402
from pzcomp._records import Cutter, Records  # noqa: E402
from test_splits import written  # noqa: E402

SIZE = 40_000
QUOTED = Records(b'"', b",", True)


def table(count=30_000, text=lambda n: f"name {n}"):
    rows = "".join(f"{n},{n * 7 % 1000 / 8},{text(n)}\n" for n in range(count))
    return f"id,value,name\n{rows}".encode()


def stored(tmp_path, plain, name="zstd"):
    return written(tmp_path, name, plain)[0]


FILES = ["zstd", "zstd of one frame", "gzip", "gzip of one member", "gzip of one member with an index", "xz", "bzip2 with an index"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("end", ["\n", ""])
def test_rows_are_those_of_the_whole_file(tmp_path, name, end):
    plain = table().rstrip(b"\n") + end.encode()
    path = stored(tmp_path, plain, name)
    found = pzcomp.arrow.csv(path, size=SIZE, threads=3)
    assert isinstance(found, pyarrow.RecordBatchReader) and hasattr(found, "__arrow_c_stream__")
    expected = pyarrow.csv.read_csv(io.BytesIO(plain))
    assert found.schema == expected.schema
    assert found.read_all().equals(expected)
    assert found.read_all().num_rows == 0


@pytest.mark.parametrize(
    "text",
    [
        lambda n: f'"a, {n}\nb ""{n}"""' if n % 3 else f"plain {n}",
        lambda n: '"' + "line,\n" * (n % 5) + '"',
        lambda n: '"' + "x\n" * 30_000 + '"' if n == 700 else '""',
        lambda n: f'"{n}\r\r\n"',
    ],
)
def test_line_breaks_inside_quotes_stay_in_their_row(tmp_path, text):
    plain = table(8_000, text)
    path = stored(tmp_path, plain, "gzip of one member with an index")
    found = pzcomp.arrow.csv(path, size=SIZE, threads=2).read_all()
    options = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""])
    expected = pyarrow.csv.read_csv(
        io.BytesIO(plain), pyarrow.csv.ReadOptions(block_size=1 << 30), pyarrow.csv.ParseOptions(newlines_in_values=True), options
    )
    assert found.equals(expected)
    with pytest.raises(pzcomp.arrow.RecordError, match="a line break is inside quotes, at offset"):
        pzcomp.arrow.csv(path, size=SIZE, multiline=False).read_all()


@pytest.mark.parametrize("row", ['5" pipe,3,x', '"a"b,3,x', '3,"a""b"" c" d,x', '3, "x",y', '"'])
def test_quotes_at_other_places_are_an_error(tmp_path, row):
    plain = table(5_000)
    path = stored(tmp_path, plain + row.encode() + b"\n" + table(5_000))
    with pytest.raises(pzcomp.arrow.RecordError) as found:
        pzcomp.arrow.csv(path, {"id": "string", "value": "string", "name": "string"}, size=SIZE).read_all()
    assert found.value.offset == len(plain)


RETURNS = [(b"a,b\r1,2\r3,4\r", 0, 3), (b"a,b\n1,2\r3,4\n", 4, 7), (b'a,b\n1,"\n\n\r"\n2,"\n"\r\n3,x\r', 19, 22)]


@pytest.mark.parametrize("plain, offset, at", RETURNS)
@pytest.mark.parametrize("schema", [None, {"a": "string"}])
def test_a_lone_carriage_return_outside_quotes_is_an_error(tmp_path, plain, offset, at, schema):
    with pytest.raises(pzcomp.arrow.RecordError, match=f"carriage return .* at offset {at};") as found:
        pzcomp.arrow.csv(stored(tmp_path, plain), schema).read_all()
    assert found.value.offset == offset
    found = pzcomp.arrow.csv(stored(tmp_path, b'a\r\n"1\r2"\r\n\r\n"\r\n"\r\n'), schema).read_all()
    assert found["a"].to_pylist() == ["1\r2", "\r\n"]


def test_the_last_record_counts_for_the_types_without_a_line_feed(tmp_path):
    for rows, kind in ((b"1", "int64"), (b"1\n2.5", "double"), (b"1\n2\nx", "string")):
        found = pzcomp.arrow.csv(stored(tmp_path, b"a\n" + rows)).read_all()
        assert str(found["a"].type) == kind and found.num_rows == rows.count(b"\n") + 1
    assert pzcomp.arrow.json(stored(tmp_path, b'{"a":1}\n{"a":1.5}')).read_all()["a"].to_pylist() == [1, 1.5]


def test_offsets_count_the_header_and_lines_inside_quotes(tmp_path):
    for schema in (None, {"a": "int64"}):
        with pytest.raises(pzcomp.arrow.RecordError, match="record at offset 8 .* at offset 15;") as found:
            pzcomp.arrow.csv(stored(tmp_path, b'a,b\n1,2\n"\n3","x"y\n'), schema).read_all()
        assert found.value.offset == 8
        assert str(found.value).endswith("file)") and str(found.value).count(str(tmp_path)) == 1


def test_a_value_that_does_not_fit_is_an_error_with_its_offset(tmp_path):
    plain = table()
    for row in ("1,2.5,", "x,2.5,name", "1,?,name", "1,2.5", "1,2.5,name,more", "99999999999999999999,1,name"):
        path = stored(tmp_path, plain + row.encode() + b"\n" + plain[14:])
        reader = pzcomp.arrow.csv(path, {"id": "int64", "value": "float64", "name": "string"}, size=SIZE)
        if row == "1,2.5,":
            assert reader.read_all()["name"].null_count == 1
            continue
        with pytest.raises(pzcomp.arrow.RecordError, match=f"^the record at offset {len(plain)} of the plain data: ") as found:
            reader.read_all()
        assert found.value.offset == len(plain)
        assert "Row #" not in str(found.value)


def test_types_are_those_of_the_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("pzcomp._tables.SAMPLE_LEN", 1 << 20)
    plain = b"id,empty\n" + b"1,\n" * 800_000
    path = stored(tmp_path, plain + b"1.5,x\n")
    reader = pzcomp.arrow.csv(path)
    assert reader.schema == pyarrow.schema([("id", pyarrow.int64()), ("empty", pyarrow.string())])
    with pytest.raises(ValueError, match=f"offset {len(plain)} "):
        reader.read_all()


def test_integers_that_do_not_fit_int64_keep_their_digits(tmp_path):
    cases = [
        (["9223372036854775807", "1"], "int64"),
        (["9223372036854775808", "1"], "uint64"),
        (["9223372036854775808", "-1"], "string"),
        (["18446744073709551616", "1"], "string"),
        (["18446744073709551616", "0.5"], "double"),
        (["18446744073709551617", "0.5"], "string"),
        (["9223372036854775809", "NaN"], "string"),
        (["+9223372036854775809", "+1"], "string"),
        (["9" * 5000, "1"], "string"),
    ]
    for rows, kind in cases:
        plain = "a,b\n" + "".join(f"{row},2.5\n" for row in rows)
        found = pzcomp.arrow.csv(stored(tmp_path, plain.encode())).read_all()
        assert [str(column.type) for column in found] == [kind, "double"]
        if kind != "double":
            assert list(map(str, found["a"].to_pylist())) == rows
    plain = b'{"a":1,"b":"99999999999999999999"}\n'
    found = pzcomp.arrow.json(stored(tmp_path, plain + b'{"a":9223372036854775807}'))
    assert found.read_all()["a"].to_pylist() == [1, (1 << 63) - 1]
    path = stored(tmp_path, plain + b'{"c":[{"a":9223372036854775808}]}\n')
    with pytest.raises(pzcomp.arrow.RecordError, match="integer 9223372036854775808 does not fit int64; give a schema") as found:
        pzcomp.arrow.json(path)
    assert found.value.offset == len(plain)
    path = stored(tmp_path, b'{"a":9223372036854775808}\n')
    assert pzcomp.arrow.json(path, {"a": "uint64"}).read_all()["a"].to_pylist() == [1 << 63]


def test_rows_without_columns_are_counted(tmp_path):
    path = stored(tmp_path, table(20_000))
    assert pzcomp.arrow.csv(path, columns=[], size=SIZE).read_all().num_rows == 20_000
    assert pzcomp.arrow.json(stored(tmp_path, b'{"a":1}\n{}\n\n'), columns=[]).read_all().num_rows == 2
    assert pzcomp.arrow.json(stored(tmp_path, b"{}\n{}\n")).read_all().num_rows == 2


def test_text_that_is_not_utf_8_is_an_error(tmp_path):
    with pytest.raises(pzcomp.arrow.RecordError, match="invalid UTF8") as found:
        pzcomp.arrow.csv(stored(tmp_path, b"a,b\n1,x\n2,\xff\n")).read_all()
    assert found.value.offset == 8
    with pytest.raises(pzcomp.arrow.RecordError, match="header is not UTF-8"):
        pzcomp.arrow.csv(stored(tmp_path, b"a,\xff\n1,x\n"))
    good, bad = ('{"a":"x"}\n{"a":"\u00e9"}\n'.encode(), b'{"a":"x"}\n{"a":"\xe9"}\n')
    assert pzcomp.arrow.json(stored(tmp_path, good)).read_all()["a"].to_pylist() == ["x", "\u00e9"]
    with pytest.raises(pzcomp.arrow.RecordError, match="invalid UTF-8") as found:
        pzcomp.arrow.json(stored(tmp_path, bad), {"a": "string"}).read_all()
    assert found.value.offset == 10


def test_the_schema_says_which_columns_are_read(tmp_path):
    plain = table(2_000)
    path = stored(tmp_path, plain)
    found = pzcomp.arrow.csv(path, {"name": "string", "id": "int16"}, size=SIZE).read_all()
    assert found.schema == pyarrow.schema([("name", pyarrow.string()), ("id", pyarrow.int16())])
    assert found["id"].to_pylist() == list(range(2_000))
    assert pzcomp.arrow.csv(path, columns=["value"]).schema.names == ["value"]
    without = stored(tmp_path, plain[14:])
    assert pzcomp.arrow.csv(without, found.schema.empty_table().schema, header=False, columns=["id"]).schema.names == ["id"]
    with pytest.raises(ValueError, match="Expected 2 columns, got 3"):
        pzcomp.arrow.csv(without, found.schema, header=False).read_all()
    for options in ({"schema": {"other": "string"}}, {"columns": ["other"]}):
        with pytest.raises(ValueError, match="no .*'other'"):
            pzcomp.arrow.csv(path, **options)
    with pytest.raises(ValueError, match="'id' twice"):
        pzcomp.arrow.csv(stored(tmp_path, b"id,id\n1,2\n"))
    needed = pyarrow.schema([pyarrow.field("name", pyarrow.string(), nullable=False)])
    with pytest.raises(ValueError, match="offset 14 .*'name' has no value"):
        pzcomp.arrow.csv(stored(tmp_path, b"id,value,name\n1,2,\n"), needed).read_all()


def test_files_with_few_rows(tmp_path):
    for plain, rows in ((b"a,b\n", 0), (b"a,b", 0), (b"\xef\xbb\xbfa,b\n1,2", 1), (b"a,b\n\n1,2\n\n\n3,4\n", 2)):
        reader = pzcomp.arrow.csv(stored(tmp_path, plain))
        assert reader.schema.names == ["a", "b"]
        assert reader.read_all().num_rows == rows
    with pytest.raises(ValueError, match="header is empty"):
        pzcomp.arrow.csv(stored(tmp_path, b""))
    assert pzcomp.arrow.json(stored(tmp_path, b"")).read_all().num_rows == 0


def test_values_that_are_missing(tmp_path):
    path = stored(tmp_path, b'n,x,s\n,NaN,\n2,,""\n3,-inf,NA\n')
    found = pzcomp.arrow.csv(path).read_all().to_pydict()
    assert found["n"] == [None, 2, 3] and found["s"] == [None, "", "NA"]
    assert found["x"][0] != found["x"][0] and found["x"][1:] == [None, float("-inf")]
    assert pzcomp.arrow.csv(path, nulls=("", "NA")).read_all()["s"].to_pylist() == [None, "", None]


def test_the_mark_of_a_start_of_file_is_text_inside_of_it(tmp_path):
    plain = b"a\n" + "\ufeff1\n".encode() * 40_000
    found = pzcomp.arrow.csv(stored(tmp_path, plain), size=SIZE).read_all()
    assert set(found["a"].to_pylist()) == {"\ufeff1"} and found.num_rows == 40_000


@pytest.mark.parametrize("name", FILES)
def test_json_lines(tmp_path, name):
    rows = [{"id": n, "of": {"x": n / 8, "tags": ["a\n"] * (n % 3)}, "text": f'"{n}"' if n % 2 else None} for n in range(20_000)]
    plain = "\n".join(map(json.dumps, rows)).encode()
    found = pzcomp.arrow.json(stored(tmp_path, plain, name), size=SIZE, threads=3)
    assert found.read_all().to_pylist() == rows


WRONG_LINES = ['{"id": 1.5}', '{"id": "x"}', '{"id": 1, "new": 2}', '{"id":\n1}', '{"id": 1} {"id": 2}', "[1]", '{"id": 1']


@pytest.mark.parametrize("row", [*WRONG_LINES, '{"id": {"x":\n{"id":1}\n}}'])
def test_a_line_that_does_not_fit_is_an_error_with_its_offset(tmp_path, row, monkeypatch):
    monkeypatch.setattr("pzcomp._tables.SAMPLE_LEN", 1 << 20)
    plain = b'{"id": 1}\n' * 200_000
    path = stored(tmp_path, plain + row.encode() + b"\n" + plain[:100_000])
    with pytest.raises(pzcomp.arrow.RecordError) as found:
        pzcomp.arrow.json(path).read_all()
    assert found.value.offset == len(plain)
    if "new" in row:
        assert pzcomp.arrow.json(path, {"new": "int64"}).read_all()["new"].null_count == 210_000


def test_damage_is_an_error_and_not_the_end(tmp_path):
    data = bytearray(pzcomp.compress(table(), block_size=10_000))
    data[len(data) // 2] ^= 1
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(pzcomp.DamagedError):
        pzcomp.arrow.csv(tmp_path / "file", {"id": "int64"}, size=SIZE).read_all()


def test_a_file_whose_record_does_not_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("pzcomp._records._RECORD_MAX", 100_000)
    for name in ("zstd", "gzip of one member"):
        path = stored(tmp_path, b"a\n" + b"1" * 3_000_000, name)
        with pytest.raises(pzcomp.LimitError, match="record at offset 2 "):
            pzcomp.arrow.csv(path, {"a": "string"}, size=SIZE).read_all()


def test_few_pieces_are_in_memory_and_a_reader_that_is_dropped_ends_its_threads(tmp_path, monkeypatch):
    import threading

    read = []
    plainly = pzcomp.Split.read_plain
    monkeypatch.setattr(pzcomp.Split, "read_plain", lambda split, threads: read.append(split) or plainly(split, threads))
    path = stored(tmp_path, table(60_000))
    reader = pzcomp.arrow.csv(path, size=SIZE, threads=2)
    reader.read_next_batch()
    assert len(read) < 12 < len(pzcomp.splits(path, SIZE))
    del reader
    for thread in threading.enumerate():
        if thread.name.startswith("pzcomp"):
            thread.join(10)
            assert not thread.is_alive()


def records_one_by_one(data):
    records, start, inside = [], 0, False
    for at, byte in enumerate(data):
        inside ^= byte == ord('"')
        if byte == ord("\n") and not inside:
            records.append(at + 1)
    return records


def test_cuts_are_those_that_counting_quotes_finds():
    import random

    numbers = random.Random(1)
    for _ in range(2_000):
        data = bytes(numbers.choices(b'a",\n', (4, 2, 1, numbers.random() * 3), k=numbers.randrange(60)))
        ends = records_one_by_one(data)
        assert QUOTED.end_of_last(data) == (ends[-1] if ends else 0)
        assert QUOTED.end_of_first(data) == (ends[0] if ends else 0)
        cutter, pieces = Cutter(QUOTED), []
        for at in range(0, len(data), 7):
            pieces.append(cutter.add(data[at : at + 7]))
        pieces.append(cutter.finish())
        assert b"".join(piece for _, piece in pieces) == data
        assert {offset + len(piece) for offset, piece in pieces if piece} <= {*ends, len(data)}


def test_pandas_reads_it(tmp_path):
    found = pzcomp.arrow.csv(stored(tmp_path, table()), size=SIZE).read_pandas()
    assert found["id"].sum() == sum(range(30_000))


def test_pzcomp_on_gzip_of_the_standard_library(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(table(1_000)))
    pzcomp.write_index(str(tmp_path / "a.csv.gz"))
    assert pzcomp.arrow.csv(tmp_path / "a.csv.gz").read_all().num_rows == 1_000
