"""Prints a range of the plain data. A file without an index gets one beside it first.

    python read_range.py FILE OFFSET LENGTH
"""

import sys

import pzcomp

path, offset, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if len(pzcomp.frames(path)) == 1:
    try:
        print("index:", pzcomp.write_index(path), file=sys.stderr)
    except pzcomp.PzcompError as error:
        print(error, file=sys.stderr)
sys.stdout.buffer.write(pzcomp.read_at(path, offset, length))
