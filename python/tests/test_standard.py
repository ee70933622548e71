"""The tests of CPython for gzip, bz2 and lzma, with pzcomp in the place of these modules.

The tests that do not pass are listed in docs/python.md with the reason.
"""

import importlib.util
import re
import subprocess
import sys

import pytest

NOT_PASSED = {
    "gzip": {
        "test_decompress_limited",
        "test_prepend_error",
        "test_read_truncated",
        "test_metadata",
        "test_metadata_ascii_name",
    },
    "bz2": {"testDecompressLimited"},
    "lzma": {"test_decompress_limited"},
}


# Runs a test file of CPython with a module of pzcomp in place of the one of the standard library.
SUITE = """
import importlib, sys, unittest
name = sys.argv[1]
sys.modules[name] = importlib.import_module(f"pzcomp.{name}")
unittest.main(module=f"test.test_{name}", argv=sys.argv[:1])
"""


@pytest.mark.parametrize("module", NOT_PASSED)
def test_the_tests_of_cpython_pass(module, tmp_path):
    if importlib.util.find_spec("test") is None or importlib.util.find_spec(f"test.test_{module}") is None:
        pytest.skip("this Python has no test suite; Debian has it in libpython3-testsuite")
    command = [sys.executable, "-c", SUITE, module]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    ran = re.search(r"^Ran (\d+) tests", run.stderr, re.M)
    assert ran and int(ran[1]) > 50, run.stderr
    failed = set(re.findall(r"^(?:FAIL|ERROR): (\w+)", run.stderr, re.M))
    assert failed <= NOT_PASSED[module], run.stderr
