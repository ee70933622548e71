"""Contexts for short payloads, dictionaries, and limits for data of others."""

import gzip
import io
import os
import signal
import threading

import pytest
from conftest import lines, named

import pzcomp


def test_each_format_comes_back_from_a_context(format):
    compressor, decompressor = pzcomp.Compressor(1, format=format), pzcomp.Decompressor(**named(format))
    payloads = [b"", b"three", lines(20), os.urandom(5000), lines(30_000), b"three"]
    for payload in payloads + [bytearray(b"three"), memoryview(b"three")]:
        coded = compressor.compress(payload)
        assert pzcomp.decompress(coded, **named(format)) == payload
        assert decompressor.decompress(coded) == payload


def test_a_context_goes_on_after_an_error():
    decompressor = pzcomp.Decompressor(format="gzip", max_output=10)
    coded = pzcomp.compress(b"three", format="gzip")
    damaged = bytearray(coded)
    damaged[-5] ^= 1
    for wrong, error in ((damaged, pzcomp.DamagedError), (coded[:-1], pzcomp.TruncatedError), (b"plain", pzcomp.FormatError)):
        with pytest.raises(error):
            decompressor.decompress(wrong)
        assert decompressor.decompress(coded) == b"three"
    for wrong in ({"level": 99}, {"format": "lzw"}, {"layout": "nonsense"}):
        with pytest.raises(ValueError):
            pzcomp.Compressor(**wrong)
    with pytest.raises(TypeError):
        pzcomp.Compressor(levle=3)


def test_threads_share_a_context():
    compressor, wrong = pzcomp.Compressor(format="gzip"), []

    def work(seed):
        for n in range(50):
            payload = lines(10 + n * seed, seed)
            if pzcomp.decompress(compressor.compress(payload)) != payload:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_context_works_in_a_forked_child():
    compressor = pzcomp.Compressor()
    compressor.compress(b"three")
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if pzcomp.decompress(compressor.compress(b"four")) == b"four" else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_dictionary_is_needed_again(tmp_path):
    dictionary = pzcomp.Dictionary(lines(2000))
    assert dictionary.id == 0
    payload = lines(30)
    short = pzcomp.Compressor(dictionary=dictionary).compress(payload)
    assert len(short) < len(pzcomp.compress(payload)) // 2
    assert pzcomp.compress(payload, dictionary=dictionary) == short
    assert pzcomp.Decompressor(dictionary=dictionary).decompress(short) == payload
    assert pzcomp.decompress(short, dictionary=dictionary) == payload
    for wrong in (None, pzcomp.Dictionary(b"other" * 1000)):
        with pytest.raises(pzcomp.PzcompError):
            pzcomp.decompress(short, dictionary=wrong)
    with pzcomp.open(tmp_path / "data.zst", "wb", dictionary=dictionary) as file:
        file.write(payload)
    with pzcomp.open(tmp_path / "data.zst", dictionary=dictionary) as file:
        assert file.read() == payload


def test_contexts_of_several_threads_share_a_dictionary():
    dictionary, payload, results = pzcomp.Dictionary(lines(2000)), lines(30), []

    def work(level):
        coded = [pzcomp.Compressor(level, dictionary=dictionary).compress(payload) for _ in range(20)]
        context = pzcomp.Decompressor(dictionary=dictionary)
        results.append(all(context.decompress(one) == payload for one in coded) and len(coded[0]) < len(payload) // 4)

    threads = [threading.Thread(target=work, args=(level,)) for level in (1, 3, 3, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_the_limit_of_the_output_is_exact(format):
    payload = bytes(3_000_000)
    coded = pzcomp.compress(payload, format=format)
    options = named(format)
    calls = [
        lambda most: pzcomp.decompress(coded, max_output=most, **options),
        lambda most: pzcomp.Decompressor(max_output=most, **options).decompress(coded),
        lambda most: pzcomp.open(io.BytesIO(coded), max_output=most, **options).read(),
    ]
    for call in calls:
        assert call(3_000_000) == payload
        with pytest.raises(pzcomp.LimitError, match="2999999 bytes that are allowed.*max_output"):
            call(2_999_999)
    file = pzcomp.open(io.BytesIO(coded), max_output=1_000_000, **options)
    with pytest.raises(pzcomp.LimitError):
        while file.read(9999):
            pass
    with pytest.raises(TypeError):
        pzcomp.open(io.BytesIO(), "wb", max_output=5)


def test_random_reads_of_gzip_note_an_index(tmp_path):
    plain = lines(400_000)
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(plain, 1))
    with pzcomp.open(path) as file:
        assert file.noted_index() is None
        for offset in (len(plain) - 10, 5_000_000, 2_000_000, len(plain) + 5, 9, 7_000_000):
            assert file.read_at(offset, 1000) == plain[offset : offset + 1000]
        # Seeks that go back use the same points, and reading on goes to the end.
        for offset in (6_000_000, 3_000_000, 100, 5_500_000):
            assert file.seek(offset) == offset
            assert file.read(1000) == plain[offset : offset + 1000]
        assert file.seek(3_000_000) and file.read() == plain[3_000_000:]
        assert file.seek(len(plain) + 100) == len(plain)
        index = file.noted_index()
    with pzcomp.open(path, index=index) as file:
        assert len(file.frames()) > 2
        assert file.read_at(6_000_000, 1000) == plain[6_000_000:6_001_000]
    # Seeks alone, which have not seen the end.
    for opened in (path, open(path, "rb")):
        with pzcomp.open(opened) as file:
            file.seek(6_000_000)
            assert file.seek(len(plain) // 2) == len(plain) // 2
            assert file.readline() == plain[len(plain) // 2 :].split(b"\n")[0] + b"\n"
            assert file.seek(len(plain) + 100) == len(plain)
            assert file.read() == b""
            assert file.seek(0) == 0 and file.read() == plain
