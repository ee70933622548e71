import gzip as _standard
import io
from typing import IO, Any, overload

from typing_extensions import Buffer

from ._standard import StandardFile, _Binary, _File, _Path, _Text

__all__ = ["BadGzipFile", "GzipFile", "compress", "decompress", "open"]

FTEXT: int
FHCRC: int
FEXTRA: int
FNAME: int
FCOMMENT: int
READ: int
WRITE: int
BadGzipFile = _standard.BadGzipFile

class GzipFile(StandardFile):
    myfileobj: IO[bytes] | None
    name: str | bytes
    mode: int  # type: ignore[assignment]
    fileobj: Any
    def __init__(
        self,
        filename: _Path | None = None,
        mode: str | None = None,
        compresslevel: int = 9,
        fileobj: Any = None,
        mtime: float | None = None,
    ) -> None: ...
    @property
    def mtime(self) -> int | None: ...
    def flush(self, mode: int | None = None) -> None: ...
    def rewind(self) -> None: ...

@overload
def open(
    filename: _File,
    mode: _Binary = "rb",
    compresslevel: int = 9,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
) -> GzipFile: ...
@overload
def open(
    filename: _File,
    mode: _Text,
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> io.TextIOWrapper: ...
@overload
def open(
    filename: _File,
    mode: str,
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> GzipFile | io.TextIOWrapper: ...
def compress(data: Buffer, compresslevel: int = 9, *, mtime: float | None = None) -> bytes: ...
def decompress(data: Buffer) -> bytes: ...
