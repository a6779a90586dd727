"""`mi demo`: the whole loop, offline: a real repository, a replayed agent that really edits and really tests."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

import mi
from mi.app.home_context import HomeContext
from mi.app.inbox import build_inbox
from mi.cli import demo_script
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, flush
from mi.evidence.inbox import LocatedItem
from mi.evidence.reader import read_back
from mi.evidence.records.questions import UserInput
from mi.kernel import files
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.notices import Notices

_WAIT_S = 0.3


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
    stage = DemoStage(out, Home(os.path.join(folder, "home")), os.path.join(folder, "project"))
    if args.json:
        return stage.run("run", "--json", out.text("demo.task"))
    out.say("demo.intro", project=stage.project)
    code = stage.run("run", out.text("demo.task")) or stage.bring_back() or stage.ask(context)
    out.say("demo.outro", mi=_typed(), home=stage.home.root, project=stage.project, root=context.home.root)
    stage.show_page()
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


class DemoStage:
    """A home, a small repository with a failing test, and an agent that follows a script."""

    def __init__(self, out: Output, home: Home, project: str) -> None:
        self._out = out
        self.home = home
        self.project = project
        self._page: subprocess.Popen[str] | None = None
        self._follow(demo_script.write_lie)  # first: by its configuration a half-made demo is known as one
        for name, content in demo_script.FILES.items():
            files.write_atomic(os.path.join(project, name), content.encode(), 0o644)
        git = ["git", "-C", project, "-c", "user.name=demo", "-c", "user.email=demo@localhost"]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a failing test"]):
            subprocess.run([*git, *words], check=True)
        files.write_atomic(os.path.join(project, demo_script.NOTES), f"{self._say('notes')}\n".encode(), 0o644)
        _say_values(self._open(), out.text("demo.values"))

    def _say(self, name: str) -> str:
        return self._out.text("demo." + name)

    def _open(self) -> HomeContext:
        return HomeContext(self.home, self.project)

    def _follow(self, write: Callable[[demo_script.Say], dict[str, object]]) -> None:
        """Have the agent follow a script from the next batch on."""
        script = os.path.join(os.path.dirname(self.home.root), "replay.json")
        config = {"hands": {"provider": "replay", "replay": {"file": script}}, "mind": {"provider": "rules"}}
        files.write_atomic(self.home.config, msgspec.json.encode(config))
        files.write_atomic(script, msgspec.json.encode(write(self._say)))

    def run(self, *words: str, **settings: Any) -> int:
        """Run the same command that a person would type, in a process of its own; return its exit code."""
        flush()
        return subprocess.run(
            self._spell("-C", self.project, *words), env=self._env, check=False, **settings
        ).returncode

    def _spell(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "mi", "--home", self.home.root, *words]  # -P: not a mi of this folder

    @property
    def _env(self) -> dict[str, str]:
        own = os.path.dirname(os.path.dirname(mi.__file__))
        paths = os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))
        return os.environ | {"MI_LANG": self._out.language, "PYTHONPATH": paths}

    def bring_back(self) -> int:
        """Put back the file that the agent deleted; the demo's own person says so."""
        from mi.app.restore import find_difference, restore
        from mi.app.snapshots import choose_snapshots, find_scope

        self._out.say("demo.lost", file=demo_script.NOTES)
        context = self._open()
        chosen = choose_snapshots(context, "last")
        within = find_scope(context, chosen.top, [os.path.join(self.project, demo_script.NOTES)])
        restore(context, chosen, within, find_difference(context, chosen, within), lambda kept: None)
        context.close()
        self._out.say("demo.found", file=demo_script.NOTES, text=self._say("notes"))
        return 0

    def ask(self, context: HomeContext) -> int:
        """Let the agent ask what no value answers, have it answered, on the page if somebody is there; go on."""
        from mi.cli.prompts import at_terminal

        self._out.say("demo.second")
        self._follow(demo_script.write_question)
        self.run("run", self._say("second-task"), stdin=subprocess.DEVNULL)
        if at_terminal(context):
            self._wait_for_answer()
        self._answer()
        if self._read_answer().startswith("B"):
            self._follow(partial(demo_script.write_question, digits=0))
        return self.run("run", "--resume")

    def _wait_for_answer(self) -> None:
        """Serve the page until somebody answers there, or has the demo do it."""
        self._page = subprocess.Popen(
            self._spell("web", "--port", "0", "--open", "--json"), env=self._env, stdout=subprocess.PIPE, text=True
        )
        assert self._page.stdout is not None
        served = self._page.stdout.readline()
        if not served:
            return
        self._out.say("demo.page", link=msgspec.json.decode(served)["link"])
        flush()
        while self._find_question() and not select.select([sys.stdin], [], [], _WAIT_S)[0]:
            pass
        if self._find_question():
            sys.stdin.readline()

    def _find_question(self) -> LocatedItem | None:
        context = self._open()
        try:
            return next((one for one in build_inbox(context, lambda *_: None) if one.item.kind == "question"), None)
        finally:
            context.close()

    def _answer(self) -> None:
        """Answer what still waits, as the demo's own person."""
        from mi.app.item_answers import answer_item

        found = self._find_question()
        if found is not None:
            self._out.say("demo.answers", answer="A")
            context = self._open()
            answer_item(context, found, "A", "terminal", True, lambda *_: None)
            context.close()

    def _read_answer(self) -> str:
        log = self._open().project_home.evidence
        given = (event.record() for event in read_back(log, Notices()) if event.head.kind == "user_input")
        return next((one.answer for one in given if isinstance(one, UserInput)), "")

    def show_page(self) -> None:
        """Leave the page open until Ctrl-C, where it is."""
        if self._page is None or self._page.poll() is not None:
            return
        self._out.say("demo.page-stays")
        flush()
        try:
            self._page.wait()
        except KeyboardInterrupt:
            self._page.wait()


def _say_values(context: HomeContext, values: str) -> None:
    """Keep the values of the demo's own person, who trusts its repository: whoever runs the demo says nothing by it."""
    from mi.app.learning import build_mind
    from mi.app.proof import store_decision
    from mi.app.thoughts import build_thoughts
    from mi.app.trust import find_check_commands, store_trust
    from mi.learning.values import set_values

    context.use_project()
    mind = build_mind(context, context.home.mind_transcripts)
    set_values(build_thoughts(context).shared, context.open_global_log(), values, mind)
    store_decision(context, True)
    store_trust(context, find_check_commands(context))
    context.close()
