"""Recovery records: `protect` makes them beside a file, and `repair` mends a damaged file by them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from . import _file, _pzcomp

if TYPE_CHECKING:
    from . import _types

_RECORDS = ".pzr"


class RepairReport(NamedTuple):
    """What `repair` found."""

    groups: int
    shards: int
    parity: int
    damaged_shards: int
    #: Shards that were intact, but not at their place.
    moved_shards: int
    damaged_records: int
    #: Groups with more damage than parity.
    lost_groups: int
    #: Whether all of the file can be restored. Otherwise no file was written.
    is_mendable: bool
    #: Whether nothing is damaged.
    is_intact: bool
    #: Sentences about what no record covers.
    gaps: list[str]


def protect(
    file: _types.Path,
    to: _types.Path | None = None,
    *,
    percent: float = 5,
    span: int | None = None,
    threads: int | None = None,
) -> str:
    """Writes recovery records for the file at the path `file`, whatever is in it, to the path `to`.

    By default `to` is `file` with `.pzr` behind it. Damage up to `percent` of each `span` bytes (64 MiB) can be repaired.
    Returns the path of the records.
    """
    file = os.fsdecode(file)
    to = os.fsdecode(to) if to is not None else file + _RECORDS
    share = _file.per_mille(percent)
    _complete(to, lambda part: (_pzcomp.protect(file, part, share, span, threads or 0), True)[1])
    return to


def repair(
    file: _types.Path,
    to: _types.Path | None = None,
    *,
    records: _types.Path | None = None,
    threads: int | None = None,
) -> RepairReport:
    """Examines the file at the path `file`, and writes it as it was to the path `to`, if that is given.

    `records` is the path of the file that `protect` wrote. By default it is `file` with `.pzr` behind it if that exists, and
    otherwise the records are in the file. Nothing is written if the report denies `is_mendable`.
    """
    file = os.fsdecode(file)
    if records is not None:
        records = os.fsdecode(records)
    elif os.path.exists(file + _RECORDS):
        records = file + _RECORDS
    reading = _file.reading(threads=threads)
    if to is None:
        return RepairReport(*_pzcomp.repair(file, None, records, reading))
    report = None

    def mend(part):
        nonlocal report
        report = RepairReport(*_pzcomp.repair(file, part, records, reading))
        return report.is_mendable

    _complete(os.fsdecode(to), mend)
    return report


def _complete(to, write):
    """Renames the file that `write` makes, if it returns True. Otherwise the file is removed."""
    part = to + ".part"
    try:
        if write(part):
            os.replace(part, to)
    finally:
        if os.path.exists(part):
            os.unlink(part)
