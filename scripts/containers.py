#!/usr/bin/env python3
"""Unpacks a layer of a container image with containerd: its own decoder, Debian's unpigz, and pzcomp in both ways.

    scripts/containers.py PZCOMP [MIB [ROUNDS]]

The layer is a tar of files of this machine, of about MIB (default 1024) MiB. It is coded as gzip and as zstd, by the
standard tools. A containerd with its own folders imports an image of that layer, and unpacks it ROUNDS (default 5) times
with each decoder, in turns. The script prints a table of medians. It fails if an unpacked file differs from the first
way, if a decoder was not called, or if a damaged layer is unpacked.

It needs root, and the packages containerd, pigz, gzip and zstd.
"""

import hashlib
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

# Folders of the machine whose files fill the layer, until it is long enough.
SOURCES = ["/usr/lib", "/usr/bin", "/usr/share", "/usr/include"]
MEDIA = "application/vnd.oci.image.layer.v1.tar"

CONFIG = """version = 2
root = "{folder}/root"
state = "{folder}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "{folder}/containerd.sock"
"""

PAGE = Path(__file__).parent.parent / "docs/containers.md"


def processors(program):
    """The configuration of stream processors in docs/containers.md, with this program."""
    block = PAGE.read_text().split("<!-- scripts/containers.py -->\n```toml\n")[1].split("```")[0]
    assert "/usr/bin/pzcomp" in block
    return block.replace("/usr/bin/pzcomp", str(program))


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def digest(path):
    with open(path, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def make_layer(path, length):
    """Writes a tar of files of this machine, of at least that length if there are so many."""
    total = 0
    with tarfile.open(path, "w") as tar:
        for folder in SOURCES:
            for root, _, names in os.walk(folder):
                for name in names:
                    file = Path(root, name)
                    if file.is_symlink() or not file.is_file():
                        continue
                    tar.add(file)
                    total += file.stat().st_size
                    if total >= length:
                        return


def make_image(layer, media, plain, name, out):
    """Writes an image of one layer as an archive that `ctr image import` takes. Returns the digest of its manifest."""
    def described(kind, data):
        return {"mediaType": kind, "digest": "sha256:" + hashlib.sha256(data).hexdigest(), "size": len(data)}

    history = {"rootfs": {"type": "layers", "diff_ids": [plain]}, "architecture": "amd64", "os": "linux", "config": {}}
    config = json.dumps(history).encode()
    of_config = described("application/vnd.oci.image.config.v1+json", config)
    of_layer = {"mediaType": media, "digest": digest(layer), "size": os.path.getsize(layer)}
    kind = "application/vnd.oci.image.manifest.v1+json"
    manifest = json.dumps(
        {"schemaVersion": 2, "mediaType": kind, "config": of_config, "layers": [of_layer]}
    ).encode()
    of_manifest = described(kind, manifest)
    annotations = {"io.containerd.image.name": name}
    platform = {"architecture": "amd64", "os": "linux"}
    index = {"schemaVersion": 2, "manifests": [of_manifest | {"annotations": annotations, "platform": platform}]}
    with tarfile.open(out, "w") as tar:
        def add(path, data):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))

        def blob(of):
            return "blobs/sha256/" + of["digest"].removeprefix("sha256:")

        add("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        add("index.json", json.dumps(index).encode())
        add(blob(of_config), config)
        add(blob(of_manifest), manifest)
        tar.add(layer, blob(of_layer))
    return of_manifest["digest"]


class Containerd:
    """A containerd with folders of its own, and with this PATH and part of the configuration."""

    def __init__(self, folder, path, configuration=""):
        self.socket = folder / "containerd.sock"
        config = folder / "config.toml"
        config.write_text(CONFIG.format(folder=folder) + configuration)
        self.log = open(folder / "log", "w")
        environment = os.environ | {"PATH": path}
        program = shutil.which("containerd")
        self.process = subprocess.Popen([program, "-c", config], env=environment, stderr=self.log, stdout=self.log)
        while subprocess.run(self.command("version"), capture_output=True).returncode:
            if self.process.poll() is not None:
                raise SystemExit(f"containerd ended; its messages are in {folder}/log")
            time.sleep(0.1)

    def command(self, *words):
        return [shutil.which("ctr"), "--address", self.socket, *words]

    def call(self, *words):
        return run(*self.command(*words))

    def unpack(self, manifest, layer):
        """Unpacks an image of one layer, and returns the seconds."""
        begin = time.monotonic()
        self.call("snapshots", "unpack", "--snapshotter", "overlayfs", manifest)
        seconds = time.monotonic() - begin
        assert layer in self.call("snapshots", "list"), "the layer is not among the snapshots"
        return seconds

    def remove(self, layer):
        self.call("snapshots", "rm", layer)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def sums(folder):
    """The names and hashes of all unpacked files."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            found[str(path.relative_to(folder))] = digest(path)
    return found


def main():
    pzcomp = os.path.realpath(sys.argv[1])
    mib, rounds = (list(map(int, sys.argv[2:])) + [1024, 5][len(sys.argv) - 2:])[:2]
    folder = Path(tempfile.mkdtemp(prefix="pzcomp-containers-"))
    names, unpigz, nothing = folder / "names", folder / "unpigz", folder / "nothing"
    for place in (names, unpigz, nothing):
        place.mkdir()
    # Scripts that call the decoders, and leave a mark that shows the call.
    mark = folder / "called"

    def script(path, program, *words):
        path.write_text(f'#!/bin/sh\n: >"{mark}"\nexec {program} {" ".join(words)} "$@"\n')
        path.chmod(0o755)

    script(unpigz / "unpigz", shutil.which("unpigz"))
    script(names / "unpigz", pzcomp, "--as", "unpigz")
    script(folder / "processor", pzcomp)
    configured = processors(folder / "processor")

    layer = folder / "layer.tar"
    make_layer(layer, mib << 20)
    plain = digest(layer)
    run("gzip", "-k", layer)
    run("zstd", "-q", "-k", layer)
    images = {
        kind: make_image(f"{layer}.{suffix}", f"{MEDIA}+{kind}", plain, f"test/{kind}:1", folder / f"{kind}.tar")
        for kind, suffix in (("gzip", "gz"), ("zstd", "zst"))
    }
    # The same layer with a flipped bit in its middle. The digest in the manifest is that of the damaged bytes, so only
    # the decoder can find the damage.
    damaged = bytearray(Path(f"{layer}.gz").read_bytes())
    damaged[len(damaged) // 2] ^= 4
    Path(folder / "damaged.gz").write_bytes(damaged)
    bad = make_image(folder / "damaged.gz", f"{MEDIA}+gzip", plain, "test/damaged:1", folder / "damaged.tar")
    # Two members, with zeros behind them as on a tape. A decoder may warn of the zeros, but its status must be 0.
    half = layer.stat().st_size // 2
    tar = layer.read_bytes()
    members = [subprocess.run(["gzip"], input=part, stdout=subprocess.PIPE).stdout for part in (tar[:half], tar[half:])]
    Path(folder / "padded.gz").write_bytes(b"".join(members) + bytes(1000))
    padded = make_image(folder / "padded.gz", f"{MEDIA}+gzip", plain, "test/padded:1", folder / "padded.tar")

    # A folder without programs, so that containerd finds no decoder.
    hidden = str(nothing)
    ways = {
        ("gzip", "containerd's own decoder"): (hidden, "", False),
        ("gzip", "Debian's unpigz"): (f"{unpigz}:{hidden}", "", True),
        ("gzip", "pzcomp as unpigz"): (f"{names}:{hidden}", "", True),
        ("gzip", "pzcomp as a stream processor"): (hidden, configured, True),
        ("zstd", "containerd's own decoder"): (hidden, "", False),
        ("zstd", "pzcomp as a stream processor"): (hidden, configured, True),
    }
    daemon = Containerd(folder, hidden)
    for image in ("gzip", "zstd", "damaged", "padded"):
        daemon.call("image", "import", "--no-unpack", folder / f"{image}.tar")
    daemon.stop()

    snapshots = folder / "root/io.containerd.snapshotter.v1.overlayfs/snapshots"
    seconds, expected = {way: [] for way in ways}, None
    for turn in range(rounds):
        for way, (path, configuration, is_called) in ways.items():
            daemon = Containerd(folder, path, configuration)
            mark.unlink(missing_ok=True)
            before = set(snapshots.glob("*"))
            seconds[way].append(daemon.unpack(images[way[0]], plain))
            if mark.exists() != is_called:
                raise SystemExit(f"{way}: the decoder was {'not ' if is_called else ''}called")
            if turn == 0:
                [unpacked] = set(snapshots.glob("*")) - before
                found = sums(unpacked / "fs")
                expected = expected or found
                assert found == expected and found, f"{way}: unpacked files differ"
            daemon.remove(plain)
            if turn == 0 and way[0] == "gzip":
                refused = subprocess.run(daemon.command("snapshots", "unpack", bad), capture_output=True, text=True)
                assert refused.returncode, f"{way}: a damaged layer was unpacked"
                print(f"{way[1]}, damaged layer: {' '.join(refused.stderr.split())[-160:]}")
                if "pzcomp" in way[1]:
                    daemon.unpack(padded, plain)
                    daemon.remove(plain)
            daemon.stop()

    print(f"\n| layer of {layer.stat().st_size >> 20} MiB | decoder | seconds, median of {rounds} | × own decoder |")
    print("|---|---|---|---|")
    for (kind, name), times in seconds.items():
        own = statistics.median(seconds[kind, "containerd's own decoder"])
        median = statistics.median(times)
        print(f"| {kind} | {name} | {median:.2f} | {own / median:.2f} |")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
