#!/usr/bin/env bash
# A stream of mydumper. A stand-in writes and reads it as mydumper_stream.c and myloader_stream.c do.
. "$(dirname "$0")/common.sh"
need python3
cat >bin/mydumper <<'END'
#!/usr/bin/env python3
import gzip, os, sys
def put(name, data):
    sys.stdout.buffer.write(b"\n-- %s %d\n" % (name.encode(), len(data)) + data)
rows = open("rows", "rb").read()
put("metadata.partial.0", b"[`shop`.`nodes`]\n")
put("shop.nodes-schema.sql.gz", gzip.compress(b"CREATE TABLE nodes;\n"))
for number in range(4):
    put("shop.nodes.%05d.dat.gz" % number, gzip.compress(rows[number::4]))
put("metadata", b"# Finished dump at: 2026-11-29\n")
END
cat >bin/myloader <<'END'
#!/usr/bin/env python3
import sys
stream, found = sys.stdin.buffer.read(), {}
while stream:
    assert stream.startswith(b"\n-- ")
    line, stream = stream[1:].split(b"\n", 1)
    _, name, size = line.split(b" ")
    found[name], stream = stream[:int(size)], stream[int(size):]
rows = bytearray(sum(len(found[b"shop.nodes.%05d.dat" % number]) for number in range(4)))
for number in range(4):
    rows[number::4] = found[b"shop.nodes.%05d.dat" % number]
open("restored", "wb").write(rows)
END
chmod +x bin/mydumper bin/myloader
rows 100000 >rows
# recipe
set -o pipefail
mydumper --database shop --stream --compress=gzip | pzcomp --to zstd --mydumper --expect-end=mydumper -o dump.stream
pzcomp -t --mydumper --expect-end=mydumper dump.stream
pzcomp -d --mydumper <dump.stream | myloader --stream --database shop
# end
cmp rows restored
ok stand-in
