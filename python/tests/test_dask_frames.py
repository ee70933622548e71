"""`pzcomp.dask.read_csv`: the rows of all partitions are those of the whole file. `make test-arrow` runs it: frames of Dask
take long to import."""

import io
import shutil

import pytest

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("dask.dataframe")
import pyarrow.csv  # noqa: E402

import pzcomp.arrow  # noqa: E402
import pzcomp.dask  # noqa: E402
from test_arrow import table  # noqa: E402
from test_splits import written  # noqa: E402

SIZE = 40_000


@pytest.mark.parametrize("name", ["zstd", "zstd of one frame", "gzip of one member with an index", "gzip of one member"])
def test_tables_are_those_of_the_whole_file(tmp_path, name):
    plain = table(20_000)
    path, has_several = written(tmp_path, name, plain)
    found = pzcomp.dask.read_csv(path, SIZE)
    assert (found.npartitions > 1) == has_several
    expected = pyarrow.csv.read_csv(io.BytesIO(plain)).to_pandas(types_mapper=pandas.ArrowDtype)
    whole = found.compute(scheduler="threads")
    assert whole.reset_index(drop=True).equals(expected)
    assert (whole.dtypes == found.dtypes).all()
    path = shutil.copy(path, tmp_path / "file2")
    schema = {"name": "string", "id": "int32"}
    few = pzcomp.dask.read_csv(f"{tmp_path}/file{'2' if 'index' in name else '*'}", SIZE, schema, columns=["id"])
    assert few.columns.tolist() == ["id"]
    assert few["id"].sum().compute() == sum(range(20_000)) * (1 if "index" in name else 2)


@pytest.mark.parametrize(
    "row, reason",
    [('1,2,"a\nb"', "line break is inside quotes"), ("x,2,a", "'x'"), ("1,2", "Expected 3 columns"), ("1,2,a\r1,2,b", "carriage return")],
)
def test_rows_that_could_be_wrong_are_an_error(tmp_path, row, reason):
    plain = table(20_000)
    path, _ = written(tmp_path, "zstd", plain + row.encode() + b"\n" + plain[14:])
    schema = {"id": "int64", "value": "float64", "name": "string"}
    with pytest.raises(pzcomp.arrow.RecordError, match=reason) as found:
        pzcomp.dask.read_csv(path, SIZE, schema).compute(scheduler="threads")
    assert found.value.offset == len(plain)
    assert str(found.value).endswith(f"{path})")
