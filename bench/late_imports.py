"""What each import inside a function below the doors would cost at the top of its file.

Prints the table of docs/decisions/late-imports.md: the time an import takes after its file was loaded, as a multiple
of `python -c pass`.
"""

import ast
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOORS = ("cli", "mcp", "hooks", "app")
_TIMED = "import time\n{before}\nbegan = time.perf_counter()\n{late}\nprint(time.perf_counter() - began)"


def late_imports(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield each file below the doors with an import that stands inside a function, as it is written."""
    for path in sorted((root / "mi").glob("*/**/*.py")):
        if path.relative_to(root / "mi").parts[0] in DOORS:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        tried = {n for block in ast.walk(tree) if isinstance(block, ast.Try) for n in ast.walk(block)}
        functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
        inside = {n for f in functions for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)}
        found = {ast.unparse(n) for n in inside - tried}  # what is tried has another way on other versions of Python
        yield from ((str(path.relative_to(root)), line) for line in sorted(found))


def measure(path: str, late: str) -> float:
    """Return the median seconds an import takes once its file is loaded."""
    before = "import " + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    code = _TIMED.format(before=before, late=late)
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


def main() -> None:
    """Print the table."""
    starts = []
    for _ in range(15):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        starts.append(time.perf_counter() - began)
    bare = statistics.median(starts)
    print("| file | import | × of `python -c pass` |\n| --- | --- | ---: |")
    for path, line in late_imports():
        print(f"| `{path}` | `{line}` | {measure(path, line) / bare:.2f} |")


if __name__ == "__main__":
    main()
