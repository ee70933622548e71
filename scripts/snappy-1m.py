"""A filter: `-c` compresses and `-d` decompresses with python-snappy, 1 MiB at a time. For benches/compare.py."""

import fcntl
import sys

import snappy

PIECE = 1 << 20

if len(sys.argv) != 2 or sys.argv[1] not in ("-c", "-d"):
    sys.exit("usage: python-snappy-1m -c | -d")
if sys.argv[1] == "-c":
    step = snappy.StreamCompressor().compress
else:
    step = snappy.StreamDecompressor().decompress
source, sink = open(0, "rb", buffering=0), open(1, "wb", buffering=0)
for end in (source, sink):
    try:
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIECE)
    except OSError:
        pass  # It is no pipe.
while piece := source.read(PIECE):
    rest = memoryview(step(piece))
    while rest:
        rest = rest[sink.write(rest):]
