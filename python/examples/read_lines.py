"""Counts the lines and bytes of a compressed file, in any format.

    python read_lines.py FILE
"""

import sys

import pzcomp

lines = length = 0
with pzcomp.open(sys.argv[1]) as file:
    for line in file:
        lines += 1
        length += len(line)
print(f"{lines} lines, {length} bytes")
