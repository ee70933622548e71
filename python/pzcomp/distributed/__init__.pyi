from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from distributed import Client
from pyspark.sql import SparkSession
from typing_extensions import Unpack

from .. import _PartsOptions, _Written

__all__ = ["Result", "compress", "decompress", "recompress", "verify"]

_Url = str | PathLike[str]
# A client of Dask, the address of its scheduler, "ray", a Spark session, or "spark". None is the client of Dask that this
# process has.
_Engine = Client | SparkSession | str | None
_Storage = Mapping[str, Any] | None
_Told = Callable[[int, int | None], object] | None

class _JobOptions(_PartsOptions, total=False):
    memory: int | None

class _CompressOptions(_JobOptions, total=False):
    index: bool

@dataclass(frozen=True)
class Result:
    plain_length: int
    coded_length: int
    tasks: int

def compress(
    src: _Url,
    dst: _Url,
    level: int | None = None,
    *,
    format: _Written | None = None,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    check: bool = False,
    overwrite: bool = False,
    storage_options: _Storage = None,
    dst_storage_options: _Storage = None,
    progress: _Told = None,
    **options: Unpack[_CompressOptions],
) -> Result: ...
def recompress(
    src: _Url,
    dst: _Url,
    level: int | None = None,
    *,
    format: _Written | None = None,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    check: bool = False,
    overwrite: bool = False,
    storage_options: _Storage = None,
    dst_storage_options: _Storage = None,
    index: bool | _Url = True,
    progress: _Told = None,
    **options: Unpack[_JobOptions],
) -> Result: ...
def decompress(
    src: _Url,
    dst: _Url,
    *,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    overwrite: bool = False,
    storage_options: _Storage = None,
    dst_storage_options: _Storage = None,
    index: bool | _Url = True,
    progress: _Told = None,
) -> Result: ...
def verify(
    src: _Url,
    *,
    against: _Url | None = None,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    storage_options: _Storage = None,
    index: bool | _Url = True,
    progress: _Told = None,
) -> Result: ...
