"""Registers pzcomp with fsspec, so that all programs that use fsspec decompress on all cores.

    import pzcomp.fsspec

    with fsspec.open("s3://bucket/data.zst", compression="zstd") as file: ...
    pandas.read_csv("memory://data.csv.gz", compression="infer")

After the import, `compression="infer"` and the names below use pzcomp, also in place of what fsspec itself has for them.

Without it, `pzcomp::` before a URL shows the plain file: `PlainFileSystem`, which fsspec finds by itself.
"""

from fsspec import register_implementation
from fsspec.compression import compr, register_compression

from . import open as _open
from ._plain_files import PlainFileSystem as PlainFileSystem

#: The name of a compression for fsspec, the format, and the suffixes without dots.
COMPRESSIONS = (
    ("zstd", "zstd", ["zst"]),
    ("gzip", "gzip", ["gz"]),
    ("xz", "xz", ["xz"]),
    ("lzma", "lzma", ["lzma"]),
    ("bz2", "bzip2", ["bz2"]),
    ("lz4", "lz4", ["lz4"]),
    ("lzip", "lzip", ["lz"]),
)


def _callback(format):
    def opened(file, mode="rb", **options):
        mode = mode.replace("t", "")
        if "r" in mode:
            return _open(file, "rb", **options)
        return _open(file, "wb", format=format, **options)

    opened.__name__ = f"open_{format}"
    return opened


def register(force: bool = True) -> None:
    """Registers all compressions, and `pzcomp::`. Without `force`, names that fsspec has already stay as they are."""
    register_implementation("pzcomp", PlainFileSystem, clobber=True)
    for name, format, suffixes in COMPRESSIONS:
        if force or name not in compr:
            register_compression(name, _callback(format), suffixes, force=True)


register()
