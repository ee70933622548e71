"""`python -m pzcomp.distributed`: compresses, recompresses, decompresses and verifies files on a cluster."""

import argparse
import json
import os
import sys
import time

from . import compress, decompress, recompress, verify


def _parser():
    parser = argparse.ArgumentParser(prog="python -m pzcomp.distributed", description=__doc__.split(": ", 1)[1])
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in (
        ("compress", "compress a plain file"),
        ("recompress", "compress the data of a compressed file anew"),
        ("decompress", "decompress a file"),
        ("verify", "decompress a file without keeping the data"),
    ):
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument("src", help="the input: a path, or a URL that fsspec knows")
        if name != "verify":
            action.add_argument("dst", help="the output")
            action.add_argument("-f", "--force", action="store_true", help="overwrite the output")
        if name in ("compress", "recompress"):
            action.add_argument("-l", "--level", type=int, help="the level of the format")
            action.add_argument("-F", "--format", help="zstd, gzip, xz, bzip2, lz4 or lzip; by default the suffix of dst")
            action.add_argument("--check", action="store_true", help="decompress each part before it is written")
        if name == "verify":
            action.add_argument("--against", metavar="FILE", help="compare the data with this plain file")
        action.add_argument("--size", default="64 MiB", help="plain bytes for a task (default %(default)s)")
        action.add_argument("--threads", type=int, default=1, help="threads of a task (default %(default)s)")
        action.add_argument("--storage", type=json.loads, default={}, metavar="JSON", help="options of fsspec for the store")
        action.add_argument("-q", "--quiet", action="store_true", help="show no progress")
        where = action.add_mutually_exclusive_group()
        where.add_argument("--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster, as tcp://host:8786")
        where.add_argument("--ray", nargs="?", const="auto", metavar="ADDRESS", help="a Ray cluster")
        where.add_argument("--local", type=int, nargs="?", const=0, metavar="N", help="N processes here (default: one per core)")
    return parser


class _Meter:
    """Shows the progress on the terminal, or a line now and then elsewhere."""

    def __init__(self):
        self._start = time.monotonic()
        self._next = 0.0
        self._is_terminal = sys.stderr.isatty()

    def __call__(self, done, total):
        now = time.monotonic()
        if now < self._next and done != total:
            return
        self._next = now + (0.2 if self._is_terminal else 30)
        rate = done / max(now - self._start, 1e-3)
        text = f"{_shown(done)} done, {_shown(rate)}/s"
        if total:
            left = (total - done) / rate if rate else 0
            text = f"{_shown(done)} of {_shown(total)}, {100 * done // total} %, {_shown(rate)}/s, {left:.0f} s left"
        start, end = ("\r", "\x1b[K") if self._is_terminal else ("", "\n")
        print(start + text, end=end, file=sys.stderr, flush=True)

    def close(self):
        if self._is_terminal:
            print(file=sys.stderr)


def _shown(length):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if length < 1024:
            break
        length /= 1024
    else:
        unit = "TiB"
    return f"{length:.0f} {unit}" if unit == "B" else f"{length:.1f} {unit}"


def _engine(args):
    """The engine, and what to close behind it."""
    if args.ray is not None:
        import ray

        ray.init(address=None if args.ray == "local" else args.ray, log_to_driver=False)
        return "ray", ray.shutdown
    from distributed import Client, LocalCluster

    address = args.dask or os.environ.get("DASK_SCHEDULER_ADDRESS")
    if args.local is None and address:
        client = Client(address)
        return client, client.close
    count = args.local or len(os.sched_getaffinity(0))
    cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
    client = Client(cluster)

    def close():
        client.close()
        cluster.close()

    return client, close


def _run(args, engine, meter):
    shared = {
        "engine": engine,
        "size": args.size,
        "threads": args.threads,
        "storage_options": args.storage,
        "progress": meter,
    }
    if args.action == "verify":
        return verify(args.src, against=args.against, **shared)
    shared["overwrite"] = args.force
    if args.action == "decompress":
        return decompress(args.src, args.dst, **shared)
    function = compress if args.action == "compress" else recompress
    return function(args.src, args.dst, args.level, format=args.format, check=args.check, **shared)


def main(arguments=None):
    args = _parser().parse_args(arguments)
    meter = None if args.quiet else _Meter()
    close = lambda: None  # noqa: E731
    try:
        engine, close = _engine(args)
        result = _run(args, engine, meter)
    except (OSError, ValueError, ImportError) as error:
        notes = "; ".join([str(error), *getattr(error, "__notes__", [])])
        print(f"pzcomp: {notes}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("pzcomp: interrupted; nothing was written", file=sys.stderr)
        return 130
    finally:
        if meter:
            meter.close()
        close()
    if not args.quiet:
        print(f"{args.src}: {result.plain_length} plain bytes, {result.coded_length} coded, {result.tasks} tasks", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
