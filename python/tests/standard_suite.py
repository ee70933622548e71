"""Runs a test file of CPython with a module of pzcomp in place of the one of the standard library.

    python standard_suite.py gzip [arguments of unittest]
"""

import importlib
import sys
import unittest

name = sys.argv[1]
sys.modules[name] = importlib.import_module(f"pzcomp.{name}")
unittest.main(module=f"test.test_{name}", argv=[sys.argv[0], *sys.argv[2:]])
