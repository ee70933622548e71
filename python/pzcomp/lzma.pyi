import io
from collections.abc import Mapping, Sequence
from lzma import (
    CHECK_CRC32,
    CHECK_CRC64,
    CHECK_ID_MAX,
    CHECK_NONE,
    CHECK_SHA256,
    CHECK_UNKNOWN,
    FILTER_ARM,
    FILTER_ARMTHUMB,
    FILTER_DELTA,
    FILTER_IA64,
    FILTER_LZMA1,
    FILTER_LZMA2,
    FILTER_POWERPC,
    FILTER_SPARC,
    FILTER_X86,
    FORMAT_ALONE,
    FORMAT_AUTO,
    FORMAT_RAW,
    FORMAT_XZ,
    LZMACompressor,
    LZMADecompressor,
    LZMAError,
    MF_BT2,
    MF_BT3,
    MF_BT4,
    MF_HC3,
    MF_HC4,
    MODE_FAST,
    MODE_NORMAL,
    PRESET_DEFAULT,
    PRESET_EXTREME,
    is_check_supported,
)
from typing import Any, overload

from typing_extensions import Buffer

from ._standard import StandardFile, _Binary, _File, _Text

__all__ = [
    "CHECK_CRC32",
    "CHECK_CRC64",
    "CHECK_ID_MAX",
    "CHECK_NONE",
    "CHECK_SHA256",
    "CHECK_UNKNOWN",
    "FILTER_ARM",
    "FILTER_ARMTHUMB",
    "FILTER_DELTA",
    "FILTER_IA64",
    "FILTER_LZMA1",
    "FILTER_LZMA2",
    "FILTER_POWERPC",
    "FILTER_SPARC",
    "FILTER_X86",
    "FORMAT_ALONE",
    "FORMAT_AUTO",
    "FORMAT_RAW",
    "FORMAT_XZ",
    "LZMACompressor",
    "LZMADecompressor",
    "LZMAError",
    "LZMAFile",
    "MF_BT2",
    "MF_BT3",
    "MF_BT4",
    "MF_HC3",
    "MF_HC4",
    "MODE_FAST",
    "MODE_NORMAL",
    "PRESET_DEFAULT",
    "PRESET_EXTREME",
    "compress",
    "decompress",
    "is_check_supported",
    "open",
]

_Filters = Sequence[Mapping[str, Any]] | None

class LZMAFile(StandardFile):
    def __new__(
        cls,
        filename: _File | None = None,
        mode: str = "r",
        *,
        format: int | None = None,
        check: int = -1,
        preset: int | None = None,
        filters: _Filters = None,
    ) -> LZMAFile: ...
    def __init__(
        self,
        filename: _File | None = None,
        mode: str = "r",
        *,
        format: int | None = None,
        check: int = -1,
        preset: int | None = None,
        filters: _Filters = None,
    ) -> None: ...

@overload
def open(
    filename: _File,
    mode: _Binary = "rb",
    *,
    format: int | None = None,
    check: int = -1,
    preset: int | None = None,
    filters: _Filters = None,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
) -> LZMAFile: ...
@overload
def open(
    filename: _File,
    mode: _Text,
    *,
    format: int | None = None,
    check: int = -1,
    preset: int | None = None,
    filters: _Filters = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> io.TextIOWrapper: ...
@overload
def open(
    filename: _File,
    mode: str,
    *,
    format: int | None = None,
    check: int = -1,
    preset: int | None = None,
    filters: _Filters = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> LZMAFile | io.TextIOWrapper: ...
def compress(
    data: Buffer, format: int = 1, check: int = -1, preset: int | None = None, filters: _Filters = None
) -> bytes: ...
def decompress(
    data: Buffer, format: int = 0, memlimit: int | None = None, filters: _Filters = None
) -> bytes: ...
