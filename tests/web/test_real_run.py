"""A run of the real Codex, watched in the browser while it works; only the model behind it is a script."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from mi.testing import edit, run, say
from tests.conftest import MI
from tests.real.conftest import codex as codex
from tests.real.loops import codex_bench
from tests.terminals import Terminal
from tests.waiting import wait_until
from tests.web.browser import open_page

Make = Callable[..., Any]
CHECK = "python3 -m unittest -q"


@pytest.mark.req("page.run.live")
def test_a_real_run_is_watched_from_its_first_command_to_its_end(
    codex: str, tmp_path: Path, serve: Make, open_window: Make
) -> None:
    go = tmp_path / "go"
    mend = edit("calc.py", "    return a", "    return a + b")
    waits = run(f"while [ ! -e {go} ]; do sleep 0.05; done; echo let go")
    with ExitStack() as opened:
        bench, server = codex_bench(codex, tmp_path, opened)([waits, mend, run(CHECK), say("Fixed; it passes. Done.")])
        bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
        page = open_page(open_window(), serve(env=bench.env).link)
        with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as terminal:
            assert wait_until(lambda: any(one["kind"] == "hands_input" for one in bench.records()), 30)
            page.goto(f"{page.url}run/{bench.records()[-1]['run_id']}")
            page.wait_for_selector("#b0 .exit:has-text('running')")
            page.evaluate("window.stillTheSamePage = true")
            go.touch()
            terminal.finish(0)
        page.wait_for_selector("#facts .state.done")
        assert page.evaluate("window.stillTheSamePage")
        shown = page.inner_text("#b0")
        for part in ("let go", CHECK, "exit 0", "Fixed; it passes. Done."):
            assert part in shown
        page.locator("#mark-verified summary").click()
        assert "OK" in page.inner_text("#mark-verified")
        assert server.left == 0
