from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

import pyarrow
from dask.bag import Bag
from dask.dataframe import DataFrame
from dask.delayed import Delayed
from typing_extensions import Unpack

from . import _Dialect, _Read

__all__ = ["read_bytes", "read_csv", "read_text"]

_Urls = str | PathLike[str] | list[str]

@overload
def read_bytes(
    urlpath: _Urls,
    delimiter: bytes | None = None,
    blocksize: int | str = "128 MiB",
    sample: int | str | Literal[False] = "10 kiB",
    include_path: Literal[False] = False,
    *,
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    **storage_options: Any,
) -> tuple[bytes | Literal[False], list[list[Delayed]]]: ...
@overload
def read_bytes(
    urlpath: _Urls,
    delimiter: bytes | None = None,
    blocksize: int | str = "128 MiB",
    sample: int | str | Literal[False] = "10 kiB",
    *,
    include_path: Literal[True],
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    **storage_options: Any,
) -> tuple[bytes | Literal[False], list[list[Delayed]], list[str]]: ...
@overload
def read_text(
    urlpath: _Urls,
    blocksize: int | str = "128 MiB",
    encoding: str = "utf-8",
    errors: str = "strict",
    linedelimiter: str | None = None,
    collection: Literal[True] = True,
    storage_options: dict[str, Any] | None = None,
    include_path: bool = False,
    *,
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
) -> Bag: ...
@overload
def read_text(
    urlpath: _Urls,
    blocksize: int | str = "128 MiB",
    encoding: str = "utf-8",
    errors: str = "strict",
    linedelimiter: str | None = None,
    *,
    collection: Literal[False],
    storage_options: dict[str, Any] | None = None,
    include_path: bool = False,
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
) -> list[Delayed]: ...
def read_csv(
    urlpath: _Urls,
    blocksize: int | str = "128 MiB",
    schema: pyarrow.Schema | Mapping[str, pyarrow.DataType | str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    storage_options: dict[str, Any] | None = None,
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    **dialect: Unpack[_Dialect],
) -> DataFrame: ...
