"""Reads a table of taxi trips as CSV and JSON lines through pzcomp, beside the readers of DuckDB, Polars and Spark.

    python tables.py make FOLDER BYTES      # trips.csv.gz with its .pzi, trips.csv.zst, and the same as JSON lines
    python tables.py arrow FOLDER [ROUNDS]  # DuckDB and Polars
    python tables.py spark FOLDER [ROUNDS]  # Spark, as local[2]; needs Java

Each row has the results of both readers, which must be equal, the seconds of all rounds in turns, and how many times faster
pzcomp is by the medians.
"""

import os
import statistics
import subprocess
import sys
import time

SCHEMA = {
    "id": "int64",
    "time": "timestamp[s]",
    "zone": "string",
    "distance": "double",
    "fare": "double",
    "tip": "double",
    "note": "string",
}
SPARK_SCHEMA = "id LONG, time TIMESTAMP_NTZ, zone STRING, distance DOUBLE, fare DOUBLE, tip DOUBLE, note STRING"


def make(folder, length):
    """Writes the files, until the CSV has `length` bytes."""
    import numpy
    import pyarrow
    import pyarrow.csv

    import pzcomp

    os.makedirs(folder, exist_ok=True)
    numbers = numpy.random.default_rng(1)
    zones = numpy.array([f"zone {number}" for number in range(265)])
    plain, first, count = f"{folder}/trips.csv", 0, 100_000
    with open(plain, "wb") as csv, open(f"{folder}/trips.json", "wb") as json:
        csv.write((",".join(SCHEMA) + "\n").encode())
        while csv.tell() < length:
            seconds = 1_700_000_000 + first + numpy.cumsum(numbers.integers(0, 3, count))
            columns = [
                numpy.arange(first, first + count),
                pyarrow.array(seconds.astype("datetime64[s]")),
                zones[numbers.integers(0, 265, count)],
                *(numpy.round(numbers.gamma(shape, scale, count), 2) for shape, scale in ((2, 2), (3, 6), (1, 2))),
                numpy.char.add("driver ", numbers.integers(0, 50_000, count).astype(str)),
            ]
            table = pyarrow.table(dict(zip(SCHEMA, columns)))
            pyarrow.csv.write_csv(table, csv, pyarrow.csv.WriteOptions(include_header=False, quoting_style="none"))
            lines = table.to_pandas().to_json(orient="records", lines=True, date_format="iso", date_unit="s")
            json.write(lines.replace('Z","zone"', '","zone"').encode())
            first += count
    for path in (plain, f"{folder}/trips.json"):
        with open(f"{path}.gz", "wb") as file:
            subprocess.run(["gzip", "-6", "-c", path], stdout=file, check=True)
        pzcomp.write_index(f"{path}.gz")
        with open(path, "rb") as file, pzcomp.open(f"{path}.zst", "wb", 3) as coded:
            while piece := file.read(16 << 20):
                coded.write(piece)


def compare(name, rounds, theirs, ours):
    """Runs both in turns."""
    seconds = ([], [])
    for _ in range(rounds):
        results = []
        for run, into in zip((theirs, ours), seconds):
            start = time.perf_counter()
            results.append(run())
            into.append(time.perf_counter() - start)
        if results[0] != results[1]:
            raise SystemExit(f"{name}: the results differ: {results}")
    times = ["  ".join(f"{each:.2f}" for each in of) for of in seconds]
    ratio = statistics.median(seconds[0]) / statistics.median(seconds[1])
    print(f"{name}: {times[0]}; pzcomp {times[1]}; {ratio:.2f} x", flush=True)


def arrow(folder, rounds):
    import duckdb
    import polars

    import pzcomp.arrow

    every = "count(*), sum(id), max(time), max(zone), max(distance), max(fare), max(tip), max(note)"
    one = "sum(id)"
    kinds = {"int64": "BIGINT", "timestamp[s]": "TIMESTAMP", "string": "VARCHAR", "double": "DOUBLE"}
    columns = {name: kinds[kind] for name, kind in SCHEMA.items()}

    def of_duckdb(path, query):
        return duckdb.sql(f"SELECT {query} FROM read_csv('{path}', header = true, columns = {columns})").fetchall()

    def ours_in_duckdb(path, query, names):
        trips = pzcomp.arrow.csv(path, SCHEMA, columns=names)  # noqa: F841 (DuckDB finds it by its name)
        return duckdb.sql(f"SELECT {query} FROM trips").fetchall()

    kinds = {"int64": polars.Int64, "timestamp[s]": polars.Datetime("ms"), "string": polars.String, "double": polars.Float64}
    schema = {name: kinds[kind] for name, kind in SCHEMA.items()}

    def of_polars(path):
        return polars.read_csv(path, schema=schema)["id"].sum()

    def ours_in_polars(path):
        return polars.from_arrow(pzcomp.arrow.csv(path, SCHEMA))["id"].sum()

    for suffix in ("gz", "zst"):
        path = f"{folder}/trips.csv.{suffix}"
        compare(f"DuckDB, all columns, .{suffix}", rounds, lambda: of_duckdb(path, every), lambda: ours_in_duckdb(path, every, None))
        compare(f"DuckDB, one sum, .{suffix}", rounds, lambda: of_duckdb(path, one), lambda: ours_in_duckdb(path, one, ["id"]))
        compare(f"Polars, a frame, .{suffix}", rounds, lambda: of_polars(path), lambda: ours_in_polars(path))


def spark(folder, rounds):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession, functions

    import pzcomp.spark

    session = SparkSession.builder.master("local[2]").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(pzcomp.spark.PzcompDataSource)
    one, characters = functions.sum("id"), functions.sum(functions.length("value"))

    def ours(path, layout, schema, what):
        return session.read.format("pzcomp").option("layout", layout).schema(schema).load(path).agg(what).collect()

    readers = {
        "csv": (lambda path: session.read.schema(SPARK_SCHEMA).csv(path, header=True), "csv", SPARK_SCHEMA, one),
        "text": (lambda path: session.read.text(path), "csv", "value STRING", characters),
        "json": (lambda path: session.read.schema(SPARK_SCHEMA).json(path), "json", SPARK_SCHEMA, one),
    }
    for layout, (read, suffix, schema, what) in readers.items():
        theirs = f"{folder}/trips.{suffix}.gz"
        for mine in ("gz", "zst"):
            path = f"{folder}/trips.{suffix}.{mine}"
            name = f"Spark of .gz, {layout}; pzcomp of .{mine}"
            compare(name, rounds, lambda: read(theirs).agg(what).collect(), lambda: ours(path, layout, schema, what))


if __name__ == "__main__":
    action, folder, *number = sys.argv[1:]
    {"make": make, "arrow": arrow, "spark": spark}[action](folder, int(number[0]) if number else 3)
