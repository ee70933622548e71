"""Contexts: objects that compress or decompress one short payload after another, without threads.

They keep the memory and the tables of their codec from call to call, so a payload of 1 KiB takes some microseconds.
`Dictionary` is prepared once and shared by all that use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _file, _pzcomp

if TYPE_CHECKING:
    from . import _types
    from ._types import Unpack

Dictionary = _pzcomp.Dictionary


class Compressor(_pzcomp.Compressor):
    """Compresses payloads one after another: `Compressor(3).compress(data)`. The options are those of `compress`.

    Several threads can use one object, one at a time; an object for each thread is faster.
    """

    __slots__ = ()

    def __new__(
        cls,
        level: int | None = None,
        *,
        format: _types.Written = "zstd",
        **options: Unpack[_types.CompressOptions],
    ) -> Compressor:
        return super().__new__(cls, _file.writing(format, level, **options))


class Decompressor(_pzcomp.Decompressor):
    """Decompresses payloads one after another: `Decompressor().decompress(data)`. The options are those of `decompress`."""

    __slots__ = ()

    def __new__(
        cls,
        *,
        format: _types.Read | None = None,
        memory: int | None = None,
        max_output: int | None = None,
        dictionary: Dictionary | None = None,
    ) -> Decompressor:
        return super().__new__(cls, _file.reading(format, None, memory, max_output=max_output, dictionary=dictionary))
