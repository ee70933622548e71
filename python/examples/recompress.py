"""Turns a compressed file in any format into a zstd file with an index.

    python recompress.py FROM TO.zst
"""

import shutil
import sys

import pzcomp

with pzcomp.open(sys.argv[1]) as source, pzcomp.open(sys.argv[2], "wb", level=9) as target:
    shutil.copyfileobj(source, target, 1 << 20)
for frame in pzcomp.frames(sys.argv[2])[:3]:
    print(frame)
