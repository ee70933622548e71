"""`pzcomp.spark`, and `pzcomp.distributed` on Spark: `local[2]`, and a master with two workers. `make test-spark` runs it: it
needs Java, and downloads PySpark."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pzcomp
from conftest import lines

pyspark = pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

import pzcomp.spark  # noqa: E402
from pzcomp.distributed import compress, decompress, recompress, verify  # noqa: E402
from pyspark.sql import SparkSession, functions  # noqa: E402
from test_arrow import table  # noqa: E402
from test_splits import FILES, written  # noqa: E402

SIZE = 40_000
SCHEMA = "id LONG, value DOUBLE, name STRING"
NAMES = ["zstd", "gzip of one member", "gzip of one member with an index"]


@pytest.fixture(scope="module")
def spark():
    # The processes of Spark run this Python.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,2]").config("spark.ui.enabled", "false")
    made = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    made.dataSource.register(pzcomp.spark.PzcompDataSource)
    yield made
    made.stop()


def load(spark, path, layout, schema=None, **options):
    reader = spark.read.format("pzcomp").options(layout=layout, size=SIZE, **options)
    return (reader.schema(schema) if schema else reader).load(str(path))


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_that_spark_reads_of_the_plain_file(spark, tmp_path, name):
    plain = table(6_000)
    path, has_several = written(tmp_path, name, plain)
    (tmp_path / "plain.csv").write_bytes(plain)
    expected = spark.read.schema(SCHEMA).csv(str(tmp_path / "plain.csv"), header=True)
    for schema in (SCHEMA, None):
        found = load(spark, path, "csv", schema)
        assert found.schema == expected.schema
        assert rows(found) == rows(expected)
    assert (found.rdd.getNumPartitions() > 1) == has_several
    text = load(spark, path, "text")
    assert rows(text) == rows(spark.read.text(str(tmp_path / "plain.csv")))
    values = [{"id": n, "tags": [str(n)] * (n % 3), "text": None if n % 2 else f"{n}\n"} for n in range(3_000)]
    path, _ = written(tmp_path, name, "\n".join(map(json.dumps, values)).encode())
    found = load(spark, path, "json", "id LONG, tags ARRAY<STRING>, text STRING").sort("id").collect()
    assert [row.asDict() for row in found] == values


def test_many_files_have_one_header_each(spark, tmp_path):
    for n in range(3):
        (tmp_path / f"{n}.csv.zst").write_bytes(pzcomp.compress(table(1_000), block_size=10_000))
    found = load(spark, f"{tmp_path}/*.zst", "csv", "name STRING, id LONG")
    assert found.agg(functions.count("*"), functions.sum("id")).collect() == [(3_000, 3 * sum(range(1_000)))]
    assert found.columns == ["name", "id"]


@pytest.mark.parametrize(
    "row, reason",
    [('1,2,"a\nb"', "a line break is inside quotes"), ("x,2,a", "line at offset {at} .*'x'"), ("1,2\r3", "line at offset {at} .*carriage return"), ("1,2", "line at offset {at} .*Expected 3")],
)
def test_rows_that_could_be_wrong_are_an_error(spark, tmp_path, row, reason):
    plain = table(6_000)
    path, _ = written(tmp_path, "zstd", plain + row.encode() + b"\n" + plain[14:])
    with pytest.raises(Exception, match=reason.format(at=len(plain))):
        load(spark, path, "csv", SCHEMA).count()


def test_types_without_a_schema_keep_all_digits_and_rows(spark, tmp_path):
    path, _ = written(tmp_path, "zstd", b"id,half\n9223372036854775808,1\n1,0.5")
    found = load(spark, path, "csv")
    assert found.dtypes == [("id", "string"), ("half", "double")]
    assert rows(found) == [("1", 0.5), ("9223372036854775808", 1)]
    path, _ = written(tmp_path, "zstd", b"a,b\r1,2\r3,4\r")
    with pytest.raises(Exception, match="carriage return"):
        load(spark, path, "csv").count()


def test_options_are_checked(spark, tmp_path):
    path, _ = written(tmp_path, "zstd", table(10))
    for options, reason in (({"hedaer": "true"}, "no option 'hedaer'"), ({"header": "1"}, "true or false")):
        with pytest.raises(Exception, match=reason):
            load(spark, path, "csv", **options).count()
    with pytest.raises(Exception, match="no file matches"):
        load(spark, tmp_path / "*.none", "csv").count()
    path, _ = written(tmp_path, "zstd", b"1;'a;b'\n;n\n")
    found = load(spark, path, "csv", "n INT, s STRING", header="false", sep=";", quote="'", nullValue="n")
    with pytest.raises(Exception, match="offset 8 "):
        found.collect()


def test_there_and_back(spark, tmp_path):
    plain = lines(100_000)
    src, dst, again, back = (tmp_path / name for name in ("plain", "coded.zst", "again.gz", "back"))
    src.write_bytes(plain)
    compress(src, dst, 3, engine=spark, size="1 MiB", block_size=1 << 18)
    assert dst.read_bytes() == pzcomp.compress(plain, 3, block_size=1 << 18)
    verify(dst, against=src, engine="spark", size="1 MiB")
    recompress(dst, again, 1, engine=spark, size="1 MiB")
    decompress(again, back, engine=spark, size="1 MiB")
    assert back.read_bytes() == plain
    data = bytearray(dst.read_bytes())
    data[len(data) // 2] ^= 1
    dst.write_bytes(data)
    with pytest.raises(pzcomp.DamagedError):
        verify(dst, engine=spark, size="1 MiB")


def _dies(*_):
    raise OSError("no machine")


def test_a_task_that_always_fails_is_an_error_in_words(spark, tmp_path, monkeypatch):
    from pzcomp.distributed import _tasks

    (tmp_path / "plain").write_bytes(lines(1_000))
    monkeypatch.setattr(_tasks, "compress_part", _dies)
    with pytest.raises(pzcomp.PzcompError, match="^Spark has given up a task; .*no machine"):
        compress(tmp_path / "plain", tmp_path / "coded.zst", engine=spark)
    assert os.listdir(tmp_path) == ["plain"]


def test_the_command_takes_a_master(tmp_path):
    src, dst = tmp_path / "plain", tmp_path / "coded.zst"
    src.write_bytes(lines(100_000))

    def command(*arguments, environment=os.environ):
        line = [sys.executable, "-m", "pzcomp.distributed", *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, env=environment)

    # The tasks run the Python of the command.
    bare = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
    done = command("compress", src, dst, "--size", "1 MiB", "--spark", "local[2,2]", environment=bare)
    assert done.returncode == 0 and "100 %" in done.stderr, done.stderr
    assert pzcomp.decompress(dst.read_bytes()) == src.read_bytes()
    refused = command("verify", src, "--spark", "-q")
    assert refused.returncode == 1 and refused.stderr.count("not in a compressed format") == 1, refused.stderr
    refused = command("verify", dst, "--spark", "elsewhere")
    assert refused.returncode == 1 and "pzcomp: Spark does not start: " in refused.stderr
    assert "Traceback" not in refused.stderr


# Runs as a program of its own, because a process has one Spark context.
COUNTS = """
import sys, pzcomp.spark
from pyspark.sql import SparkSession
from pzcomp.distributed import compress, verify
master, path, folder = sys.argv[1:]
builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
spark = builder.config("spark.executor.memory", "512m").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.dataSource.register(pzcomp.spark.PzcompDataSource)
trips = spark.read.format("pzcomp").options(layout="csv", size="200000").schema("id LONG").load(path)
print("begins", trips.rdd.getNumPartitions(), flush=True)
for _ in range(5):
    print(trips.count(), flush=True)
compress(path, folder + "/again", 1, format="zstd", engine=spark, size="1 MB", block_size=200_000)
print(verify(folder + "/again", against=path, engine=spark, size="1 MB").plain_length, flush=True)
"""


def start(kind, *arguments):
    program = Path(pyspark.__file__).parent / "bin/spark-class"
    command = [program, f"org.apache.spark.deploy.{kind.lower()}.{kind}", *arguments]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True}
    return subprocess.Popen(command, env=environment, start_new_session=True, **pipes)


def wait_for(process, words):
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"the process of Spark ended without {words!r}")


def test_a_master_with_two_workers_of_which_one_is_killed(tmp_path):
    plain = table(300_000)
    path, _ = written(tmp_path, "zstd", plain)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    started = []
    try:
        master = start("Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        started.append(master)
        url = wait_for(master, "Starting Spark master at").split()[-1]
        for n in range(2):
            of = ["--cores", "1", "--memory", "600m", "-d", f"{tmp_path}/{n}", url]
            worker = start("Worker", "--host", "127.0.0.1", "--webui-port", "0", *of)
            started.append(worker)
            wait_for(worker, "Successfully registered")
        program = [sys.executable, "-c", COUNTS, url, path, str(tmp_path)]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
            assert int(run.stdout.readline().split()[1]) > 20
            counts = [run.stdout.readline()]
            time.sleep(0.2)
            # The worker and its executor.
            os.killpg(started[-1].pid, signal.SIGKILL)
            counts += run.stdout.read().split()
        assert run.returncode == 0
        assert [int(count) for count in counts] == [300_000] * 5 + [os.path.getsize(path)]
    finally:
        for process in started:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stderr.close()
