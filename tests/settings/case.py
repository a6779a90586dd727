"""A setting and what it changes: for each of its values, what a user sees with it, from the command line."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from mi.testing import chat_server
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import Json, Workbench, open_bench
from tests.kernel.config.test_types import nested

Look = Callable[["Bench"], Any]


class Case(NamedTuple):
    """What is looked at, and what is seen with each value."""

    look: Look
    seen: tuple[tuple[Any, Any], ...]


CASES: dict[str, Case] = {}


def setting(path: str, *seen: tuple[Any, Any]) -> Callable[[Look], Look]:
    """The decorated function looks, with one value of the setting in `config.json`; `seen` is (value, what is seen)."""

    def add(look: Look) -> Look:
        assert path not in CASES, path
        CASES[path] = Case(look, seen)
        return look

    return add


class Bench(Workbench):
    """A workbench in whose configuration one setting has a given value, whatever else is configured."""

    def __init__(self, tmp_path: Path, path: str, value: Any, stack: ExitStack) -> None:
        super().__init__(open_bench(tmp_path).project, tmp_path)
        self._laid = nested(path, value)
        self._stack = stack
        self._names = {"{folder}": str(tmp_path)}

    def configure(self, **sections: Json) -> None:
        """Write the configuration with these sections merged in, and the setting over all."""
        self.config = merged(self.config, sections)
        text = json.dumps(merged(self.config, self._laid))
        for name, real in self._names.items():
            text = text.replace(name, real)
        self.home.mkdir(exist_ok=True)
        (self.home / "config.json").write_text(text, "utf-8")

    def serve(self, script: Any, server: Callable[..., ScriptedServer] = chat_server) -> ScriptedServer:
        """A scripted model; `{server}` in a value is its address."""
        opened = self._stack.enter_context(server(script))
        self._names["{server}"] = opened.base_url
        return opened

    def judged(self, script: Any, **more: Any) -> ScriptedServer:
        """A scripted model that judges the runs."""
        server = self.serve(script)
        http = {"base_url": server.base_url, "model": "m", "max_retries": 0, **more}
        self.configure(mind={"provider": "openai_compatible", "openai_compatible": http})
        return server

    def json(self, *words: str, stdin: str = "") -> Any:
        """What a command prints as JSON."""
        return json.loads(self.mi(*words, "--json", stdin=stdin).stdout)

    def file(self, name: str) -> Path:
        return self.folder / name


def merged(below: Json, above: Json) -> Json:
    """One configuration laid over another."""
    both = {**below, **above}
    for name in below.keys() & above.keys():
        if isinstance(below[name], dict) and isinstance(above[name], dict):
            both[name] = merged(below[name], above[name])
    return both
