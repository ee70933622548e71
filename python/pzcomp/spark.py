"""Spark reads compressed text, CSV and JSON lines in splits, as a data source of PySpark 4.

    spark.dataSource.register(pzcomp.spark.PzcompDataSource)
    trips = spark.read.format("pzcomp").option("layout", "csv").schema("id LONG, fare DOUBLE").load("s3://bucket/trips.csv.gz")

Each split of a file (`pzcomp.splits`) is a partition, which one task reads. Making the partitions reads only indexes, and
the header. All machines need the package. `pzcomp.distributed` takes a Spark session as its engine.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _tables
from ._splits import Split, urls_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql.types import StructType

__all__ = ["PzcompDataSource", "PzcompReader"]

_LAYOUTS = ("text", "csv", "json")
_OPTIONS = ("path", "layout", "header", "delimiter", "sep", "quote", "nullvalue", "size", "storage", "format", "index")


def _truth(name, value):
    if value.lower() not in ("true", "false"):
        raise ValueError(f"the option {name} must be true or false, not {value!r}")
    return value.lower() == "true"


class _Settings:
    """The options of a source, checked."""

    def __init__(self, options):
        options = {name.lower(): value for name, value in options.items()}
        unknown = sorted(set(options) - set(_OPTIONS))
        if unknown:
            raise ValueError(f"pzcomp has no option {unknown[0]!r}; it has {', '.join(_OPTIONS)}")
        self.layout = options.get("layout", "text").lower()
        if self.layout not in _LAYOUTS:
            raise ValueError(f"the layout must be text, csv or json, not {self.layout!r}")
        if "path" not in options:
            raise ValueError("there is no path; give one to load()")
        self.size, self.index = options.get("size", "64 MiB"), options.get("index", True)
        self.opening = {"storage_options": json.loads(options.get("storage", "{}")), "format": options.get("format")}
        self.dialect = _tables.Dialect(
            _truth("header", options.get("header", "true")),
            options.get("delimiter", options.get("sep", ",")),
            options.get("quote", '"') or None,
            (options.get("nullvalue", ""),),
        )
        self.urls = urls_of(options["path"], self.opening["storage_options"])[2]

    def layout_of(self, url, schema):
        if self.layout == "csv":
            return _tables.csv(url, schema, self.dialect, **self.opening)
        if self.layout == "json":
            return _tables.json(url, schema, **self.opening)
        return _tables.text(schema)

    def parts(self, schema):
        return _tables.parts(self.urls, self.layout_of, schema, self.size, index=self.index, **self.opening)


@dataclass
class _Part(InputPartition):
    """A split, and how its records become rows."""

    layout: _tables.Layout
    split: Split


class PzcompReader(DataSourceReader):
    """Makes the partitions, and reads one of them where its task runs."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._options, self._schema = dict(options), schema

    def partitions(self) -> Sequence[InputPartition]:
        return [_Part(layout, split) for layout, split in _Settings(self._options).parts(to_arrow_schema(self._schema))]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        yield from _tables.rows(partition.layout, partition.split)


class PzcompDataSource(DataSource):
    """The format `pzcomp`. The option `layout` is `text`, `csv` or `json`."""

    @classmethod
    def name(cls) -> str:
        return "pzcomp"

    def schema(self) -> StructType:
        settings = _Settings(self.options)
        schema = settings.layout_of(settings.urls[0], None).schema
        # Spark has no uint64.
        kinds = [(of.name, pyarrow.string() if of.type == pyarrow.uint64() else of.type) for of in schema]
        return from_arrow_schema(pyarrow.schema(kinds), prefer_timestamp_ntz=True)

    def reader(self, schema: StructType) -> PzcompReader:
        return PzcompReader(self.options, schema)
