"""Tell, when a Python ends, which of its modules came from the work tree instead of the copy.

Put as `sitecustomize.py` before the checks of a plain copy; it imports nothing of MI.
"""

import atexit
import os
import sys


def _tell() -> None:
    root, told = os.environ.get("MI_PROOF_ROOT", ""), os.environ.get("MI_PROOF_IMPORTS", "")
    found = [str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())]
    outside = sorted(name for name in found if root and name.startswith(root + os.sep) and not _is_installed(name))
    if outside and told:
        with open(
            os.path.join(told, f"outside-{os.getpid()}"), "w", encoding="utf-8", errors="surrogateescape"
        ) as file:
            file.write("\n".join(outside))


def _is_installed(name: str) -> bool:
    return any(part in name.split(os.sep) for part in ("site-packages", "dist-packages"))


def _run_hidden() -> None:
    """Run the person's own `sitecustomize`, which this one stands before."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.abspath(folder or ".") != here and os.path.isfile(path):
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


atexit.register(_tell)
_run_hidden()
