"""The names of the standard library's `lzma`, on all cores.

Raw streams, chains of filters, and the objects that take data bit by bit are those of the standard library.
"""

from __future__ import annotations

import io
import lzma as _standard
from lzma import _encode_filter_properties, _decode_filter_properties  # noqa: F401
from typing import TYPE_CHECKING, overload

from . import _file, _whole
from ._standard import RawReader, StandardFile, check_mode, make_text

if TYPE_CHECKING:
    # Type checkers do not take a name that an import with a star has defined first.
    from collections.abc import Mapping, Sequence
    from lzma import (
        CHECK_CRC32, CHECK_CRC64, CHECK_ID_MAX, CHECK_NONE, CHECK_SHA256, CHECK_UNKNOWN, FILTER_ARM,
        FILTER_ARMTHUMB, FILTER_DELTA, FILTER_IA64, FILTER_LZMA1, FILTER_LZMA2, FILTER_POWERPC,
        FILTER_SPARC, FILTER_X86, FORMAT_ALONE, FORMAT_AUTO, FORMAT_RAW, FORMAT_XZ, LZMACompressor,
        LZMADecompressor, LZMAError, MF_BT2, MF_BT3, MF_BT4, MF_HC3, MF_HC4, MODE_FAST, MODE_NORMAL,
        PRESET_DEFAULT, PRESET_EXTREME, is_check_supported,
    )
    from typing import Any, TypedDict

    from . import _types
    from ._types import Buffer, Unpack

    _Filters = Sequence[Mapping[str, Any]] | None

    class _Options(TypedDict, total=False):
        format: int | None
        check: int
        preset: int | None
        filters: _Filters

    class _Binary(_Options, total=False):
        encoding: None
        errors: None
        newline: None

    class _Text(_Options, total=False):
        encoding: str | None
        errors: str | None
        newline: str | None

    __all__ = [
        "CHECK_CRC32", "CHECK_CRC64", "CHECK_ID_MAX", "CHECK_NONE", "CHECK_SHA256", "CHECK_UNKNOWN",
        "FILTER_ARM", "FILTER_ARMTHUMB", "FILTER_DELTA", "FILTER_IA64", "FILTER_LZMA1", "FILTER_LZMA2",
        "FILTER_POWERPC", "FILTER_SPARC", "FILTER_X86", "FORMAT_ALONE", "FORMAT_AUTO", "FORMAT_RAW",
        "FORMAT_XZ", "LZMACompressor", "LZMADecompressor", "LZMAError", "MF_BT2", "MF_BT3", "MF_BT4",
        "MF_HC3", "MF_HC4", "MODE_FAST", "MODE_NORMAL", "PRESET_DEFAULT", "PRESET_EXTREME",
        "is_check_supported", "LZMAFile", "compress", "decompress", "open",
    ]
else:
    from lzma import *  # noqa: F403  (the constants)

    __all__ = list(_standard.__all__)

LZMAError = _standard.LZMAError
_CHECKS = {-1: None, _standard.CHECK_NONE: "none", _standard.CHECK_CRC32: "crc32"}
_CHECKS |= {_standard.CHECK_CRC64: "crc64", _standard.CHECK_SHA256: "sha256"}
_READ = {_standard.FORMAT_AUTO: "xz,lzma", _standard.FORMAT_XZ: "xz", _standard.FORMAT_ALONE: "lzma,lzma"}
_MODES = ("r", "rb", "w", "wb", "x", "xb", "a", "ab")


class _Raw(RawReader):
    damaged = LZMAError
    magics = (b"\xfd7zXZ\x00", b"]\x00\x00")


def _writing(format, check, preset):
    if format == _standard.FORMAT_ALONE and check not in (-1, _standard.CHECK_NONE):
        raise ValueError("Integrity checks are only supported by FORMAT_XZ")
    preset = 6 if preset is None else preset
    for name, value in (("format", format), ("check", check), ("preset", preset)):
        if not isinstance(value, int):
            raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    if preset < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if check not in _CHECKS:
        raise LZMAError("Unsupported integrity check")
    level = preset & 31
    if preset & ~(31 | _standard.PRESET_EXTREME) or level > 9:
        raise LZMAError(f"Invalid or unsupported preset: {preset}")
    name = "lzma" if format == _standard.FORMAT_ALONE else "xz"
    extreme = bool(preset & _standard.PRESET_EXTREME)
    return _file.writing(name, level, check=_CHECKS[check] if name == "xz" else None, extreme=extreme)


def _is_ours(format, filters):
    return filters is None and format in (_standard.FORMAT_AUTO, _standard.FORMAT_XZ, _standard.FORMAT_ALONE)


class LZMAFile(StandardFile):
    """An xz or .lzma file, as the standard library's `LZMAFile`."""

    def __new__(cls, filename=None, mode="r", *, format=None, check=-1, preset=None, filters=None):
        if not _is_ours(_standard.FORMAT_AUTO if format is None else format, filters):
            # Raw streams and chains of filters.
            return _standard.LZMAFile(filename, mode, format=format, check=check, preset=preset, filters=filters)
        return super().__new__(cls)

    def __init__(
        self,
        filename: _types.File | None = None,
        mode: str = "r",
        *,
        format: int | None = None,
        check: int = -1,
        preset: int | None = None,
        filters: _Filters = None,
    ) -> None:
        if mode not in _MODES:
            raise ValueError(f"Invalid mode: {mode!r}")
        if not _file.is_path(filename) and not hasattr(filename, "read") and not hasattr(filename, "write"):
            raise TypeError("filename must be a str, bytes, file or PathLike object")
        if mode in ("r", "rb"):
            if check != -1:
                raise ValueError("Cannot specify an integrity check when opening a file for reading")
            if preset is not None:
                raise ValueError("Cannot specify a preset compression level when opening a file for reading")
            options = _file.reading(_READ[_standard.FORMAT_AUTO if format is None else format], ignores_rest=True)
            self._reader = _file.buffered_reader(_Raw(filename, options, False))
        else:
            options = _writing(_standard.FORMAT_XZ if format is None else format, check, preset)
            raw = _file._RawWriter(filename, mode[0] + "b", options)
            self._writer = _file.buffered_writer(raw)


@overload
def open(filename: _types.File, mode: _types.StandardBinary = "rb", **options: Unpack[_Binary]) -> LZMAFile: ...
@overload
def open(filename: _types.File, mode: _types.StandardText, **options: Unpack[_Text]) -> io.TextIOWrapper: ...
@overload
def open(filename: _types.File, mode: str, **options: Unpack[_Text]) -> LZMAFile | io.TextIOWrapper: ...
def open(
    filename, mode="rb", *, format=None, check=-1, preset=None, filters=None, encoding=None, errors=None, newline=None
):
    """Opens an xz or .lzma file, as the standard library's `lzma.open`."""
    check_mode(mode, encoding, errors, newline)
    binary = LZMAFile(filename, mode.replace("t", ""), format=format, check=check, preset=preset, filters=filters)
    return make_text(binary, encoding, errors, newline) if "t" in mode else binary


def compress(
    data: Buffer,
    format: int = _standard.FORMAT_XZ,
    check: int = -1,
    preset: int | None = None,
    filters: _Filters = None,
) -> bytes:
    """The data as one xz Stream or .lzma file."""
    if not _is_ours(format, filters) or format == _standard.FORMAT_AUTO:
        return _standard.compress(data, format, check, preset, filters)
    options = _writing(format, check, preset)
    return _whole._pzcomp.compress(data, options)


def decompress(
    data: Buffer, format: int = _standard.FORMAT_AUTO, memlimit: int | None = None, filters: _Filters = None
) -> bytes:
    """The plain data of all Streams in `data`."""
    if memlimit is not None or not _is_ours(format, filters):
        return _standard.decompress(data, format, memlimit, filters)
    try:
        with LZMAFile(io.BytesIO(data), format=format) as file:
            return file.read()
    except EOFError:
        raise LZMAError("Compressed data ended before the end-of-stream marker was reached") from None
