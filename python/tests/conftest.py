"""Data that several tests use."""

import random

import pytest

# All formats that are written. zlib is read only if it is named.
FORMATS = ["zstd", "gzip", "xz", "bzip2", "lz4", "lzip", "lzma", "zlib", "zip"]


def lines(count, seed=1):
    """Lines of different lengths, as tables have them."""
    numbers = random.Random(seed)
    return b"".join(b"%d\t%d\t%s\n" % (n, numbers.randrange(10**9), b"x" * numbers.randrange(9)) for n in range(count))


@pytest.fixture(scope="session")
def plain():
    """Some MiB: several frames of most formats."""
    return lines(200_000)


@pytest.fixture(params=FORMATS)
def format(request):
    return request.param


def named(format):
    """The arguments that reading needs."""
    return {"format": "zlib"} if format == "zlib" else {}
