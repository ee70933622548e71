"""The examples run."""

import subprocess
import sys
from pathlib import Path

import pzcomp

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *arguments):
    command = [sys.executable, EXAMPLES / name, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True).stdout


def test_examples(tmp_path, plain):
    source, target = tmp_path / "data.bz2", tmp_path / "data.zst"
    with pzcomp.open(source, "wb") as file:
        file.write(plain)
    lines = plain.count(b"\n")
    assert run("read_lines.py", source).decode() == f"{lines} lines, {len(plain)} bytes\n"
    assert b"format='zstd'" in run("recompress.py", source, target)
    with pzcomp.open(target) as file:
        assert file.read() == plain
    for path in (source, target):
        assert run("read_range.py", path, 3_000_000, 100) == plain[3_000_000:3_000_100]
    assert {path.name for path in EXAMPLES.glob("*.py")} == {"read_lines.py", "recompress.py", "read_range.py"}
