"""Stand in front of the real unittest for one import: load that one in our place, and watch it.

Needs no sitecustomize, which a project may have of its own; without a wish to report it changes nothing.
"""

import importlib
import os
import sys

_mine = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_path = list(sys.path)
sys.path[:] = [part for part in _path if os.path.abspath(part or os.curdir) != _mine]
sys.modules.pop("unittest", None)
try:
    _real = importlib.import_module("unittest")
finally:
    sys.path[:] = _path
importlib.import_module("REPORTER_unittest").watch_unittest(_real)
