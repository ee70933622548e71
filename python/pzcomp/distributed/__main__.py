"""`python -m pzcomp.distributed`: compresses, recompresses, decompresses and verifies files on a cluster."""

import argparse
import json
import logging
import os
import sys
import time

from .._splits import parse_size
from . import compress, decompress, recompress, verify


_DESCRIPTION = """\
Compresses, recompresses, decompresses and verifies large files on all machines of a cluster of Dask, Ray or Spark, or with
several processes of this machine. The result is one file, which appears when it is complete."""

_EXAMPLES = """\
examples:
  python -m pzcomp.distributed compress nodes.tsv nodes.tsv.zst -l 9 --local
  python -m pzcomp.distributed verify nodes.tsv.zst --against nodes.tsv --local
  python -m pzcomp.distributed compress s3://bucket/dump.sql s3://bucket/dump.sql.zst --dask tcp://scheduler:8786

`python -m pzcomp.distributed ACTION --help` lists the options of an action."""


def _json(text):
    """The options of fsspec that a user has given."""
    try:
        options = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not JSON: {error}") from None
    if not isinstance(options, dict):
        raise argparse.ArgumentTypeError(f"expected an object such as {{\"profile\": \"backup\"}}, not {text!r}")
    return options


def _size(text):
    """A size, as the functions take it."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _sentence(text):
    return f"{text[0].upper()}{text[1:]}."


def _parser():
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m pzcomp.distributed", description=_DESCRIPTION, epilog=_EXAMPLES, formatter_class=shape
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", title="actions")
    for name, text in (
        ("compress", "compress a plain file"),
        ("recompress", "compress the data of a compressed file anew, also in another format"),
        ("decompress", "decompress a file"),
        ("verify", "decompress a file without keeping the data, and report damage"),
    ):
        action = actions.add_parser(name, help=text, description=_sentence(text))
        action.add_argument("src", metavar="SRC", help="the input: a path, or a URL that fsspec knows")
        if name != "verify":
            action.add_argument("dst", metavar="DST", help="the output: a path, or a URL that fsspec knows")
            action.add_argument("-f", "--force", action="store_true", help="overwrite the output if it exists")
        if name in ("compress", "recompress"):
            action.add_argument("-l", "--level", type=int, metavar="N", help="the level (default: that of the format)")
            action.add_argument(
                "-F", "--format", help="zstd, gzip, xz, bzip2, lz4 or lzip (default: by the suffix of DST; zstd if it has none)"
            )
            action.add_argument(
                "--block-size", type=_size, metavar="SIZE", help="plain bytes of a frame (default: that of the format)"
            )
            action.add_argument(
                "--check", action="store_true", help="decompress and compare each part before it is written"
            )
        if name != "compress":
            action.add_argument(
                "--index", default=True, metavar="URL", help="the index of SRC (default: SRC.pzi or SRC.gzi if it is there)"
            )
        if name == "verify":
            action.add_argument("--against", metavar="FILE", help="compare the data with this plain file")
        action.add_argument("--size", type=_size, default="64 MiB", help="plain bytes for a task (default: %(default)s)")
        action.add_argument("--threads", type=int, default=1, metavar="N", help="threads of a task (default: %(default)s)")
        action.add_argument("--storage", type=_json, default={}, metavar="JSON", help="options of fsspec for the stores")
        if name != "verify":
            action.add_argument(
                "--dst-storage", type=_json, metavar="JSON", help="options of fsspec for the store of DST, if they differ"
            )
        action.add_argument("-q", "--quiet", action="store_true", help="show no progress and no summary")
        group = action.add_argument_group(
            "where the tasks run",
            "One of these. Without any, the cluster in the variable DASK_SCHEDULER_ADDRESS, or else --local.",
        )
        where = group.add_mutually_exclusive_group()
        where.add_argument("--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster, as tcp://host:8786")
        where.add_argument(
            "--ray", nargs="?", const="auto", metavar="ADDRESS", help="a Ray cluster (default: the one of this machine)"
        )
        where.add_argument(
            "--spark", nargs="?", const="", metavar="MASTER", help="a Spark cluster, as spark://host:7077 (default: Spark's own)"
        )
        where.add_argument(
            "--local", type=int, nargs="?", const=0, metavar="N", help="N processes of this machine (default: one per core)"
        )
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
        text = f"{_shown(done)} of {_shown(total)}, {100 * done // total} %" if total else f"{_shown(done)} done"
        if done:
            text += f", {_shown(rate)}/s"
        if done and total:
            text += f", {(total - done) / rate:.0f} s left"
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


def _spark(master):
    """A session of Spark on a master, or on that of Spark's configuration."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # The meter has the terminal.
    builder = SparkSession.builder.appName("pzcomp").config("spark.ui.showConsoleProgress", "false")
    try:
        session = (builder.master(master) if master else builder).getOrCreate()
    except (PySparkException, Py4JError) as error:
        reason = " ".join(str(error).split())[:500]
        raise ValueError(f"Spark does not start: {reason}") from error
    context = session.sparkContext
    # The error of a task is shown once, at the end.
    context.setLogLevel("OFF")
    if context.master.startswith("local"):
        # Otherwise the tasks run the Python that is found first, which may lack pzcomp.
        context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
    return session


def _engine(args):
    """The engine, and what to close behind it."""
    if args.spark is not None:
        session = _spark(args.spark)
        return session, session.stop
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
    # The error of a task is shown once, at the end, and not by each process that tries. Any free port serves the status
    # of the cluster: without an address, Dask warns if another cluster of the machine has its usual port.
    cluster = LocalCluster(
        n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
    )
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
    if args.action != "compress":
        shared["index"] = args.index
    if args.action == "verify":
        return verify(args.src, against=args.against, **shared)
    shared |= {"overwrite": args.force, "dst_storage_options": args.dst_storage}
    if args.action == "decompress":
        return decompress(args.src, args.dst, **shared)
    function = compress if args.action == "compress" else recompress
    writing = {"format": args.format, "check": args.check, "block_size": args.block_size}
    return function(args.src, args.dst, args.level, **writing, **shared)


def main(arguments=None):
    args = _parser().parse_args(arguments)
    meter = None if args.quiet else _Meter()
    close = lambda: None  # noqa: E731
    try:
        engine, close = _engine(args)
        result = _run(args, engine, meter)
    except (OSError, ValueError, ImportError) as error:
        notes = "; ".join([str(error), *getattr(error, "__notes__", [])])
        if isinstance(error, ImportError):
            notes += "; install what is missing with pip: the extras dask, ray, spark and s3 of pzcomp name it"
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
        # A verification says what it has shown; the other actions have made a file.
        shown = "" if args.action != "verify" else f"equal to {args.against}, " if args.against else "verified, "
        lengths = f"{result.plain_length} plain bytes, {result.coded_length} coded"
        print(f"{args.src}: {shown}{lengths}, {result.tasks} tasks", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
