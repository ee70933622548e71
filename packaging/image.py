#!/usr/bin/env python3
"""Writes a container image with one layer and no base, as the archive that `docker load` takes.

    packaging/image.py --root FOLDER --name NAME:TAG --architecture ARCH --time SECONDS OUTPUT

The layer has the program, a link in /usr/bin for each of its names, so that `docker run --entrypoint zstd IMAGE` works,
and the licences. The same input gives the same bytes: entries are sorted, and all times are SECONDS.
"""

import argparse
import hashlib
import io
import json
import os
import tarfile
from datetime import datetime, timezone

# The names of architectures in images.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
KEPT = ("usr/bin", "usr/lib/pzcomp/bin", "usr/share/doc/pzcomp/copyright")


def entry(name, time, mode, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.mtime, info.linkname = kind, mode, time, target
    return info


def layer(root, time):
    """The archive with the files of the image."""
    paths = set()
    for folder, folders, files in os.walk(root):
        for name in files + [name for name in folders if os.path.islink(os.path.join(folder, name))]:
            path = os.path.relpath(os.path.join(folder, name), root)
            if any(path == kept or path.startswith(kept + "/") for kept in KEPT):
                paths.add(path)
    entries = {}
    for path in paths:
        full = os.path.join(root, path)
        if os.path.islink(full):
            name = os.path.basename(path)
            entries["usr/bin/" + name] = (entry("usr/bin/" + name, time, 0o777, tarfile.SYMTYPE, "pzcomp"), None)
            continue
        with open(full, "rb") as file:
            data = file.read()
        info = entry(path, time, 0o755 if os.access(full, os.X_OK) else 0o644)
        info.size = len(data)
        entries[path] = (info, data)
    for path in list(entries):
        while path := os.path.dirname(path):
            entries.setdefault(path, (entry(path, time, 0o755, tarfile.DIRTYPE), None))
    return archive([entries[path] for path in sorted(entries)])


def archive(entries):
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for info, data in entries:
            tar.addfile(info, None if data is None else io.BytesIO(data))
    return output.getvalue()


def main():
    parser = argparse.ArgumentParser()
    for option in ["--root", "--name", "--architecture", "--time", "output"]:
        parser.add_argument(option, **({"required": True} if option.startswith("--") else {}))
    args = parser.parse_args()
    time = int(args.time)
    files = layer(args.root, time)
    identity = hashlib.sha256(files).hexdigest()
    created = datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    config = json.dumps(
        {
            "architecture": ARCHITECTURES.get(args.architecture, args.architecture),
            "os": "linux",
            "created": created,
            "config": {
                "Entrypoint": ["/usr/bin/pzcomp"],
                "Env": ["PATH=/usr/bin"],
                "WorkingDir": "/",
                "Labels": {
                    "org.opencontainers.image.title": "pzcomp",
                    "org.opencontainers.image.version": args.name.rpartition(":")[2],
                    "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
                },
            },
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + identity]},
            "history": [{"created": created, "created_by": "packaging/image.py"}],
        },
        sort_keys=True,
    ).encode()
    config_name = hashlib.sha256(config).hexdigest() + ".json"
    layer_name = identity + "/layer.tar"
    manifest = json.dumps([{"Config": config_name, "RepoTags": [args.name], "Layers": [layer_name]}]).encode()
    entries = [(entry(identity, time, 0o755, tarfile.DIRTYPE), None)]
    for name, data in [(layer_name, files), (config_name, config), ("manifest.json", manifest)]:
        info = entry(name, time, 0o644)
        info.size = len(data)
        entries.append((info, data))
    with open(args.output, "wb") as output:
        output.write(archive(entries))


if __name__ == "__main__":
    main()
