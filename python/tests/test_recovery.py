"""Recovery records: written with the data and beside it, and what `repair` makes of damage."""

import random

import pytest

import pzcomp


def damage(path, at, length):
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + bytes(length) + whole[at + length :])
    return whole


@pytest.mark.parametrize("form", ["zstd", "gzip", "lz4"])
def test_a_file_with_records_is_mended(tmp_path, form):
    plain = random.Random(1).randbytes(3_000_000)
    path, new = tmp_path / "data", tmp_path / "new"
    path.write_bytes(pzcomp.compress(plain, format=form, recovery=10))
    assert pzcomp.repair(path).is_intact
    whole = damage(path, 1_000_000, 100_000)
    report = pzcomp.repair(path, new)
    assert report.is_mendable and not report.is_intact and report.damaged_shards > 5
    assert new.read_bytes() == whole and pzcomp.decompress(whole) == plain


def test_any_file_is_protected_beside_it(tmp_path):
    path, new = tmp_path / "any", tmp_path / "new"
    path.write_bytes(random.Random(2).randbytes(500_000))
    assert pzcomp.protect(path, percent=5, threads=2) == f"{path}.pzr"
    whole = damage(path, 1000, 9000)
    assert pzcomp.repair(path, new).is_mendable and new.read_bytes() == whole
    new.unlink()
    damage(path, 1000, 400_000)
    report = pzcomp.repair(path, new)
    assert not report.is_mendable and report.lost_groups == 1
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["any", "any.pzr"]


def test_what_cannot_be_is_an_error(tmp_path):
    with pytest.raises(ValueError):
        pzcomp.protect(tmp_path / "none", percent=0.1)
    with pytest.raises(ValueError):
        pzcomp.compress(b"", recovery=101)
    with pytest.raises(ValueError):
        pzcomp.compress(b"", format="xz", recovery=5)
    with pytest.raises(OSError):
        pzcomp.protect(tmp_path / "none")
    with pytest.raises(ValueError):
        pzcomp.open(tmp_path / "new.zst", "wb", recovery=5).close()
