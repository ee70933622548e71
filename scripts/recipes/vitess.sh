#!/usr/bin/env bash
# The external compressor of vitess. A stand-in splits the flags at spaces, as vitess does, and starts the programs.
. "$(dirname "$0")/common.sh"
need python3
cat >flags <<'END'
# recipe
--external-compressor='pzcomp -p2 -c' --external-compressor-extension=.zst
--external-decompressor='pzcomp -dc'
# end
END
cat >vttablet.py <<'END'
import shlex, subprocess, sys
flags = dict(word.split("=", 1) for line in open("flags") if line[0] == "-" for word in shlex.split(line))
name = "backup" + flags["--external-compressor-extension"]
def run(flag, source, target):
    command = shlex.split(flags[flag])
    return subprocess.run(command, stdin=open(source, "rb"), stdout=open(target, "wb"), check=True)
run("--external-compressor", "rows", name)
run("--external-decompressor", name, "restored")
END
rows 200000 >rows
python3 vttablet.py
cmp rows restored
zstd -qt backup.zst 2>/dev/null || ! command -v zstd >/dev/null
ok stand-in
