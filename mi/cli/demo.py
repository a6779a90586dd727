"""`mi demo`: the whole loop, offline: a real repository, a replayed agent that really edits and really tests."""

import os
import shutil
import sys

import msgspec

import mi
from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output
from mi.kernel import files
from mi.kernel.errors import MiError
from mi.kernel.home import Home

_PROGRAM = "def total(prices):\n    return sum(prices[1:])\n"
_TEST = """import unittest

from basket import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)


if __name__ == "__main__":
    unittest.main()
"""
_CHECK = "python3 -m unittest"


def _script(out: Output) -> dict[str, object]:
    """Return what the agent does: it asks, it says done without a check, and it runs the check when it is told to."""
    mend = {"path": "basket.py", "old": "sum(prices[1:])", "new": "sum(prices)"}
    batches: list[list[dict[str, object]]] = [
        [{"say": out.text("demo.looks")}, {"run": _CHECK}, {"say": out.text("demo.asks")}],
        [{"edit": mend}, {"say": out.text("demo.claims")}],
        [{"run": _CHECK}, {"say": out.text("demo.passed")}],
    ]
    return {"version": "v1", "batches": [{"steps": steps} for steps in batches]}


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command("mi demo", "See MI judge a (replayed) agent, offline, in a minute.", "mi demo", _run)
    built.add_argument("--clean", action="store_true", help="remove what the demo made")
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    folder = context.home.path("demo")
    if os.path.lexists(folder):
        _remove_former(context.home, folder)
    if args.clean:
        return _cleaned(out, args, folder)
    home, project = Home(os.path.join(folder, "home")), os.path.join(folder, "project")
    _prepare(out, home, project, os.path.join(folder, "replay.json"))
    if args.json:
        return _mi(out, home, "-C", project, "run", "--json", out.text("demo.task"))
    out.say("demo.intro", project=project)
    code = _mi(out, home, "-C", project, "run", out.text("demo.task"))
    out.say("demo.outro", mi=_typed(), home=home.root, project=project, root=context.home.root)
    return code


def _remove_former(home: Home, folder: str) -> None:
    """Delete the former demo; a folder of that name that no demo made is the person's."""
    from mi.kernel.marker import Marker
    from mi.kernel.purge import made_in

    if os.path.islink(folder) or "demo" not in (made_in(home.root) or ()):
        raise MiError("demo-not-ours", path=folder)
    shutil.rmtree(folder)
    Marker(home.root).drop("demo")


def _typed() -> str:
    """Return how this very program is called from a shell.

    `make demo` leaves it beside its interpreter, not on the path.
    """
    from mi.kernel.programs import find_on_path

    beside = os.path.join(os.path.dirname(sys.executable), "mi")
    return "mi" if find_on_path("mi") or not os.access(beside, os.X_OK) else beside


def _cleaned(out: Output, args: Args, folder: str) -> int:
    if args.json:
        out.json({"removed": folder})
    else:
        out.say("demo.cleaned", path=folder)
    return 0


def _prepare(out: Output, home: Home, project: str, script: str) -> None:
    """Make a small repository with a failing test, a home with values, and the agent's script."""
    import subprocess

    config = {"hands": {"provider": "replay", "replay": {"file": script}}, "mind": {"provider": "rules"}}
    files.write_atomic(home.config, msgspec.json.encode(config))  # first: by it a half-made demo is known as one
    made = {"basket.py": _PROGRAM, "test_basket.py": _TEST, ".gitignore": "__pycache__/\n"}
    for name, content in made.items():
        files.write_atomic(os.path.join(project, name), content.encode(), 0o644)
    git = ["git", "-C", project, "-c", "user.name=demo", "-c", "user.email=demo@localhost"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a failing test"]):
        subprocess.run([*git, *words], check=True)
    files.write_atomic(script, msgspec.json.encode(_script(out)))
    _say_values(HomeContext(home), out.text("demo.values"))


def _say_values(context: HomeContext, values: str) -> None:
    """Keep the values of the demo's own person, who wants no proofs: whoever runs the demo says nothing by it."""
    from mi.app.learning import build_mind
    from mi.app.proof import store_decision
    from mi.app.thoughts import build_thoughts
    from mi.learning.values import set_values

    mind = build_mind(context, context.home.mind_transcripts)
    set_values(build_thoughts(context).shared, context.open_global_log(), values, mind)
    store_decision(context, False)
    context.close()


def _mi(out: Output, home: Home, *words: str) -> int:
    """Return the same command a person would type, in a process of its own."""
    import subprocess

    sys.stdout.flush()
    command = [sys.executable, "-P", "-m", "mi", "--home", home.root, *words]  # -P: not a mi of this folder
    own = os.path.dirname(os.path.dirname(mi.__file__))
    paths = os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))
    env = os.environ | {"MI_LANG": out.language, "PYTHONPATH": paths}
    return subprocess.run(command, check=False, env=env).returncode
