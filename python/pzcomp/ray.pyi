from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import pyarrow
from ray.data import Dataset
from ray.data.datasource import Datasource, ReadTask

from . import _Read

__all__ = ["SplitDatasource", "read_binary", "read_text"]

_Urls = str | PathLike[str] | Sequence[str | PathLike[str]]

class SplitDatasource(Datasource):
    def __init__(
        self,
        urls: _Urls,
        rows: Callable[[bytes], Iterable[pyarrow.Table]],
        *,
        size: int | str,
        delimiter: bytes | None,
        storage_options: Mapping[str, Any] | None = None,
        format: _Read | None = None,
        index: bool | str | PathLike[str] = True,
        threads: int | None = 1,
    ) -> None: ...
    def get_name(self) -> str: ...
    def estimate_inmemory_data_size(self) -> int | None: ...
    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]: ...

def read_text(
    urls: _Urls,
    *,
    encoding: str = "utf-8",
    drop_empty_lines: bool = True,
    size: int | str = "128 MiB",
    storage_options: Mapping[str, Any] | None = None,
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    override_num_blocks: int | None = None,
    **ray_options: Any,
) -> Dataset: ...
def read_binary(
    urls: _Urls,
    *,
    delimiter: bytes | None = None,
    size: int | str = "128 MiB",
    storage_options: Mapping[str, Any] | None = None,
    format: _Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    override_num_blocks: int | None = None,
    **ray_options: Any,
) -> Dataset: ...
