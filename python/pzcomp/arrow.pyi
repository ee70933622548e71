from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import pyarrow
from typing_extensions import Unpack

from . import _Dialect, _Read

__all__ = ["RecordError", "csv", "json"]

_Url = str | PathLike[str]
# A schema, or the types of columns or the names of types.
_Schema = pyarrow.Schema | Mapping[str, pyarrow.DataType | str] | None

class RecordError(ValueError):
    offset: int | None

def csv(
    url: _Url,
    schema: _Schema = None,
    *,
    columns: Sequence[str] | None = None,
    multiline: bool = True,
    size: int | str = "8 MiB",
    threads: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
    format: _Read | None = None,
    index: bool | _Url = True,
    **dialect: Unpack[_Dialect],
) -> pyarrow.RecordBatchReader: ...
def json(
    url: _Url,
    schema: _Schema = None,
    *,
    columns: Sequence[str] | None = None,
    size: int | str = "8 MiB",
    threads: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
    format: _Read | None = None,
    index: bool | _Url = True,
) -> pyarrow.RecordBatchReader: ...
