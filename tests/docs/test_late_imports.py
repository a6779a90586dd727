"""An import inside a function below the doors is listed with what it would cost at the top of its file."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_late_import_has_its_figure() -> None:
    found = set(runpy.run_path(str(ROOT / "bench/late_imports.py"))["late_imports"](ROOT))
    page = (ROOT / "docs/decisions/late-imports.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(mi/[^`]+)` \| `([^`]+)` \| \d", page, re.MULTILINE))
    assert found == listed, "run bench/late_imports.py and put its table into docs/decisions/late-imports.md"
