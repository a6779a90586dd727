"""Loads MI's own modules from what Python compiled of them, in fewer steps than Python's general search takes.

A hook loads a hundred modules and more: to find and check each cost as much as all that it does then. What is not as
a plain installation has it (nothing compiled yet, an older source, a file of another kind) is left to Python.
"""

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from io import FileIO
from marshal import loads
from types import CodeType

_ROOT = os.path.dirname(__file__) + os.sep
_SUFFIX = f".{sys.implementation.cache_tag}.pyc"
_PLAIN = MAGIC_NUMBER + bytes(4)  # how a compiled file begins that holds as long as its source's time and size


class _Loader(SourceFileLoader):
    """Python's own loader, but for a module whose code was read already."""

    code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module."""
        return self.code or super().get_code(fullname)


class CompiledFinder:
    """Finds the modules below `mi` whose compiled file holds."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return where a module is and its code; None where Python is to look for it."""
        if not name.startswith("mi."):
            return None
        folder, _, stem = (_ROOT + name[3:].replace(".", os.sep)).rpartition(os.sep)
        return _find(name, folder, stem) or _find(name, os.path.join(folder, stem), "__init__")


def _find(name: str, folder: str, stem: str) -> ModuleSpec | None:
    source, cached = f"{folder}{os.sep}{stem}.py", f"{folder}{os.sep}__pycache__{os.sep}{stem}{_SUFFIX}"
    try:
        found = os.stat(source)
        with FileIO(cached) as file:
            data = file.readall()
    except OSError:
        return None
    times = (int(found.st_mtime) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF)
    if data[:16] != _PLAIN + b"".join(one.to_bytes(4, "little") for one in times):
        return None
    loader = _Loader(name, source)
    loader.code = loads(memoryview(data)[16:])
    if loader.code.co_filename != source:  # it was moved here
        return None
    spec = ModuleSpec(name, loader, origin=source, is_package=stem == "__init__")
    spec.has_location, spec.cached = True, cached
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(folder)
    return spec


def load_compiled() -> None:
    """Load MI's modules this way from now on, where Python keeps compiled files as it does by default."""
    if not sys.flags.optimize and sys.pycache_prefix is None:
        sys.meta_path.insert(0, CompiledFinder())
