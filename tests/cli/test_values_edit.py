"""`mi values edit` and `mi values show --injection`: written in an editor, seen as agents see it."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.seals import unseal

TEXT = "Keep changes small. Never push."


@pytest.fixture
def editor(tmp_path: Path):
    """An editor that keeps what it was given and writes what it is told."""

    def make(script: str) -> dict[str, str]:
        program = tmp_path / "my editor.py"
        seen = tmp_path / "seen.txt"
        program.write_text(
            "import os, pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text('utf-8')\n"
            f"seen = pathlib.Path({str(seen)!r})\n"
            f"seen.write_text(f'{{os.stat(path).st_mode}}\\n{{path}}\\n{{text}}', 'utf-8')\n{script}"
        )
        return {"EDITOR": f"python3 '{program}'"}

    return make


@pytest.mark.req("mi.cli.values-edit")
def test_values_are_written_in_the_persons_editor(mi, home, editor, tmp_path):
    mi("init", "--values", TEXT)
    change = "path.write_text(text.replace('Never push.', 'Never push. 先写测试。'), 'utf-8')"
    done = mi("values", "edit", "--json", env=editor(change))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["values"] == ["Keep changes small.", "Never push.", "先写测试。"]
    mode, path, given = (tmp_path / "seen.txt").read_text("utf-8").split("\n", 2)
    assert given.startswith(TEXT)
    assert "in your own words" in given
    assert stat.S_IMODE(int(mode)) == 0o600
    assert not os.path.exists(os.path.dirname(path))
    assert json.loads(mi("values", "show", "--json").stdout)["raw"] == f"{TEXT} 先写测试。"


def test_the_first_values_begin_with_the_template_alone(mi, home, editor):
    done = mi("values", "edit", env=editor("path.write_text('Be kind.\\n' + text, 'utf-8')"))
    assert done.returncode == 0
    assert json.loads(mi("values", "show", "--json").stdout)["raw"] == "Be kind."


def test_an_unchanged_text_stores_nothing(mi, home, editor):
    mi("init", "--values", TEXT)
    before = Path(home.evidence).read_bytes()
    done = mi("values", "edit", env=editor(""))
    assert done.returncode == 0
    assert "nothing was stored" in done.stdout
    assert json.loads(mi("values", "edit", "--json", env=editor("")).stdout)["stored"] is False
    assert Path(home.evidence).read_bytes() == before


@pytest.mark.parametrize(
    ("env", "code"),
    [({"EDITOR": ""}, 2), ({"EDITOR": "'"}, 2), ({"EDITOR": "false"}, 1), ({"EDITOR": "no-such-program-here"}, 1)],
)
def test_an_editor_that_fails_stores_nothing(mi, home, env, code, tmp_path):
    done = mi("values", "edit", env=env | {"TMPDIR": str(tmp_path)})
    assert done.returncode == code
    assert list(tmp_path.glob("mi-*")) == []  # a draft that nobody changed is no draft to keep
    assert not os.path.exists(home.evidence)


def test_a_draft_that_cannot_be_stored_is_kept(mi, home, editor, tmp_path):
    secret = "ghp_" + "aB3dE5gH7jK9" * 3
    done = mi("values", "edit", env=editor(f"path.write_text('Use {secret}.', 'utf-8')"))
    assert done.returncode == 1
    path = (tmp_path / "seen.txt").read_text("utf-8").split("\n")[1]
    assert path in done.stderr
    assert secret not in done.stderr
    assert Path(path).read_text() == f"Use {secret}."
    assert not os.path.exists(home.evidence)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req("mi.cli.values-show-injection", "mi.inject.project-facts")
@pytest.mark.parametrize("external", [{}, {"network_policy": "ask", "install_policy": "allow"}], ids=["default", "set"])
def test_the_injection_is_shown_exactly_as_agents_get_it(bench: Workbench, external: dict[str, str]):
    bench.configure(runtime=bench.config["runtime"] | {"external_actions": external})
    bench.values(TEXT)
    bench.agent([MEND, TEST, say("Done.")])
    facts = [f"The failing test number {number} is about addition" for number in range(9)]
    store = bench.home / "thoughtdb/global"
    claims = [json.loads(line) for line in (store / "claims.jsonl").read_text().splitlines()]
    unseal(store / "claims.jsonl")
    with (store / "claims.jsonl").open("a") as file:
        for number, text in enumerate([*facts, "Bananas are yellow"]):
            fact = claims[0] | {"claim_id": f"cl_fact{number}", "text": text, "tags": [], "claim_type": "fact"}
            file.write(json.dumps(fact) + "\n")
    shown = bench.mi("values", "show", "--injection", "--task", "fix the failing test").stdout
    ran = bench.run()
    assert shown == ran.of("hands_input")[0]["light_injection"] + "\n"
    assert 1 <= shown.count("The failing test number") <= 6
    assert "Bananas" not in shown
    plain = json.loads(bench.mi("values", "show", "--injection", "--json").stdout)
    assert "Keep changes small." in plain["injection"]
    assert "addition" not in plain["injection"]
    assert len(plain["claim_ids"]) == 2
    assert plain["characters"] == len(plain["injection"]) <= 2000
