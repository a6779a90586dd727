"""`mi report`: what a run did, for whoever was not there."""

import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, commit, open_bench, run, say, write
from tests.cli.test_home_of_0_1 import unpack
from tests.conftest import Mi, git
from tests.seals import unseal

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
COLOUR = "Which colour should the report have, red or green?"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
NO_RUN = "run_20260102T030405Z_aaaaaaaa"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def report(bench: Workbench, *args: str) -> str:
    """What the command prints."""
    shown = bench.mi("report", *args)
    assert shown.code == 0, shown.stderr
    return shown.stdout


class Page(HTMLParser):
    """The tags of a page with what they refer to, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.references: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.req("fleet.report.content")
def test_a_report_tells_task_parts_checks_changes_and_cost(bench: Workbench) -> None:
    bench.agent([MEND, write("notes.md", "# how\n"), TEST, say("Done: all tests pass.")], tokens=120)
    end = bench.run("fix `add` in calc.py and describe it in notes.md").end
    told = report(bench)
    assert told.startswith(
        "# fix \\`add\\` in calc.py and describe it in notes.md\n\ndone · ran ✓  claimed ✓  verified ✓"
    )
    assert "> fix `add` in calc.py and describe it in notes.md" in told
    assert "- [x] " in told
    assert "Verified by `python3 -m unittest -q`" in told
    assert "| `python3 -m unittest -q` | 0 | `b0` | yes |" in told
    assert "| `notes.md` | added | 1 | 0 |" in told
    assert "+    return a + b" in told
    assert "| Tokens in | 120 |" in told
    assert "| Money | unknown |" in told
    assert end["run_id"] in told
    assert str(bench.project.parent) not in told  # where it lies is nobody else's matter
    known = json.loads(report(bench, end["run_id"], "--json"))
    assert (known["status"], known["marks"]["verified"], known["spent"]["input_tokens"]) == ("done", True, 120)
    assert [file["path"] for file in known["diff"]["files"]] == ["calc.py", "notes.md"]


@pytest.mark.req("fleet.report.content")
def test_a_check_before_a_later_change_does_not_count_as_after_it(bench: Workbench) -> None:
    bench.agent([TEST, say("It fails.")], [MEND, say("Done.")], [TEST, say("It passes. Done.")])
    bench.run("fix it").ended("done")
    rows = json.loads(report(bench, "--json"))["checks"]
    assert [(row["exit_code"], row["after_last_change"]) for row in rows] == [(1, False), (0, True)]


@pytest.mark.req("fleet.report.content")
def test_a_proof_names_the_tests_that_came_to_pass(bench: Workbench) -> None:
    bench.mi("trust")
    bench.agent(DONE)
    bench.run("--prove", "fix it").ended("done")
    told = report(bench)
    assert "Proved by MI's own run of the checks, before and after" in told
    assert "failed before and pass now" in told
    assert "test_add" in told


@pytest.mark.req("fleet.report.content")
def test_questions_stand_with_their_answers_and_what_was_learned(bench: Workbench) -> None:
    bench.mi("values", "add", "Use pytest for tests.")
    bench.agent([say("Should I write the new test with pytest or unittest?")], [say(COLOUR)], DONE)
    bench.run("fix it").ended("blocked")
    told = report(bench)
    assert told.startswith("# fix it\n\nblocked")
    assert f"- `{COLOUR}`\n  - not answered yet (`qu_" in told
    assert "MI answered by itself: `pytest" in told
    bench.mi("answer", "1", "green")
    bench.mi("run", "--resume").ended("done")
    told = report(bench)
    assert f"- `{COLOUR}`\n  - answered: `green`" in told
    assert "## Learned" in told
    assert "green" in told.partition("## Learned")[2]


@pytest.mark.req("fleet.report.pr")
def test_a_pull_requests_text_has_a_title_and_no_difference(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run("fix the failing test\n\nIt has failed since yesterday, @somebody; fixes #12.").ended("done")
    title, blank, *body = report(bench, "--format", "pr").splitlines()
    assert (title, blank) == ("fix the failing test", "")
    assert "> It has failed since yesterday, @somebody; fixes #12." in body  # the person's own words are theirs
    assert "| `calc.py` | changed | 1 | 1 |" in body
    assert "Verified by `python3 -m unittest -q`, which covers `python -m unittest`" in "\n".join(body)
    assert not [line for line in body if line.startswith("```")]


@pytest.mark.req("fleet.report.safe")
def test_what_agents_say_forms_no_markup_and_calls_nobody(bench: Workbench) -> None:
    bench.agent([say("Should I ping @team, close #7 or run ``rm``\x1b[31m <img src=x onerror=alert(1)> or not?")])
    bench.run("fix it").ended("blocked")
    for form in ("md", "pr"):
        (line,) = [
            one for one in report(bench, "--format", form).splitlines() if one.startswith("- ") and "@team" in one
        ]
        assert (line[:5], line[-3:]) == ("- ```", "```")  # more ticks than it holds
        assert "\x1b" not in line


@pytest.mark.req("fleet.report.html")
def test_a_page_runs_nothing_loads_nothing_and_shows_text_as_text(bench: Workbench) -> None:
    hostile = "</pre><script>alert(1)</script><a href='https://example.com/x'>x</a>\n"
    ask = "Should I take\x1b]0;title\x07 <script>alert(2)</script> or <b onclick=steal()>this</b>?"
    bench.agent([write("page.txt", hostile + "\x1b[31mred\x1b[0m\n"), say(ask)])
    bench.run("fix <i>it</i> & go").ended("blocked")
    page = report(bench, "--format", "html")
    read = Page(page)
    assert not read.tags & {"script", "a", "b", "i", "img", "iframe", "link", "form"}
    assert (read.references, read.handlers) == ([], [])
    assert "default-src 'none'" in page
    assert "fix <i>it</i> & go" in read.text
    assert "<script>alert(2)</script>" in read.text
    assert "+</pre><script>alert(1)</script>" in read.text
    assert "\x1b" not in page
    assert '<html lang="en">' in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert "://" not in page.replace("https://example.com/x", "")


@pytest.mark.req("fleet.report.safe")
def test_secrets_are_hidden_in_every_form(bench: Workbench) -> None:
    (bench.project / "settings.py").write_text(f"TOKEN = '{TOKEN}'\n", "utf-8")
    commit(bench.project)
    bench.agent([write("settings.py", f"TOKEN = '{TOKEN}'\nMORE = 1\n"), run(f"echo {TOKEN}"), say(f"Use {TOKEN}?")])
    bench.run("fix it")
    for form in (["--format", "md"], ["--format", "html"], ["--format", "pr"], ["--json"]):
        told = report(bench, *form)
        assert TOKEN not in told
        assert "settings.py" in told
    bench.mi("report", "-o", "out.md")
    assert TOKEN not in bench.read("out.md")


@pytest.mark.req("fleet.report.file")
def test_a_file_is_written_in_the_form_of_its_name(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run()
    shown = bench.mi("report", "-o", "out/report.html")
    assert shown.stdout == f"Written: {bench.project}/out/report.html\n"
    assert bench.read("out/report.html").startswith("<!DOCTYPE html>")
    assert os.stat(bench.project / "out/report.html").st_mode & 0o777 == 0o644
    bench.mi("report", "--format", "pr", "-o", "out/report.html")
    assert bench.read("out/report.html").startswith("fix the failing test\n")


@pytest.mark.req("fleet.report.file")
def test_bad_words_are_told_in_one_line(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run()
    before = {path: path.read_bytes() for path in bench.home.rglob("*.json*")}
    cases = {
        ("report", NO_RUN): (1, NO_RUN),
        ("report", "b3"): (2, "b3 is no run"),
        ("report", "--format", "pdf"): (2, "pdf"),
        ("report", "-o", "."): (2, "./report.html"),
        ("report", "-o", str(bench.home / "config.json")): (2, "inside MI's home"),
        ("report", "-o", "/proc/none/x.md"): (1, "/proc/none"),
    }
    for words, (code, said) in cases.items():
        done = bench.mi(*words)
        assert (done.code, done.stdout) == (code, ""), (words, done.stderr)
        assert said in done.stderr.splitlines()[0], done.stderr
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.req("fleet.report.any-run")
def test_no_run_yet_is_said(mi: Mi, repository) -> None:  # type: ignore[no-untyped-def]
    done = mi("report", cwd=repository())
    assert (done.returncode, done.stdout) == (1, "")
    assert "run" in done.stderr


@pytest.mark.req("fleet.report.any-run")
def test_an_older_run_and_one_of_another_project_are_reported_by_their_id(bench: Workbench, tmp_path: Path) -> None:
    bench.agent([MEND, write("one.txt", "1\n"), TEST, say("Done.")])
    first = bench.run("first task").end["run_id"]
    commit(bench.project)
    bench.agent([write("two.txt", "2\n"), TEST, say("Done.")])
    bench.run("second task")
    told = json.loads(report(bench, first, "--json"))
    assert (told["task"], told["batches"]) == ("first task", 1)
    assert [file["path"] for file in told["diff"]["files"]] == ["calc.py", "one.txt"]
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    home, bench.project = bench.project, other
    assert "one.txt" in report(bench, first)
    bench.project = home


@pytest.mark.req("fleet.report.any-run")
def test_a_killed_run_and_a_damaged_log_are_told_as_far_as_they_go(bench: Workbench, mi: Mi) -> None:
    bench.agent(DONE)
    run_id = bench.run("fix it").end["run_id"]
    log = bench._logs()[0]
    lines = [line for line in log.read_text("utf-8").splitlines() if '"kind":"run_end"' not in line]
    lines[2] = lines[2][: len(lines[2]) // 2]
    log.write_text("\n".join(lines) + "\n", "utf-8")
    unseal(bench.home)
    told = mi("report", run_id, cwd=bench.project).stdout
    assert "has not ended" in told
    assert "1 line of the log cannot be read any more" in told
    assert "+    return a + b" in told
    log.write_text("\n".join(lines[3:]) + "\n", "utf-8")  # its beginning is lost, too
    unseal(bench.home)
    done = mi("report", run_id, cwd=bench.project)
    assert (done.returncode, run_id in done.stdout) == (0, True), done.stderr


@pytest.mark.req("fleet.report.any-run")
def test_a_run_of_0_1_is_reported(tmp_path: Path, mi: Mi) -> None:
    home, project = unpack(tmp_path)
    logs = [
        json.loads(line)
        for log in home.glob("projects/*/evidence.jsonl")
        for line in log.read_text("utf-8").splitlines()
    ]
    run_id = next(one["run_id"] for one in logs if one["kind"] == "hands_input")
    before = {path: path.read_bytes() for path in home.rglob("*.json*") if path.is_file()}
    for form in ("md", "html", "pr"):
        done = mi("--home", str(home), "report", run_id, "--format", form, cwd=project)
        assert done.returncode == 0, done.stderr
        assert run_id in done.stdout
        assert "nothing is kept of" in done.stdout
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.req("fleet.report.language")
def test_a_chinese_person_reads_it_in_chinese(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run()
    bench.env = {"MI_LANG": "zh"}
    told = report(bench)
    assert "完成 · 已运行 ✓" in told
    assert "## 检查与证明" in told
    assert '<html lang="zh">' in report(bench, "--format", "html")


@pytest.mark.req("fleet.report.content")
def test_a_long_difference_is_cut_and_says_where_the_rest_is(bench: Workbench) -> None:
    bench.agent([MEND, TEST, write("long.txt", "line of text\n" * 40_000), say("Done.")], [TEST, say("Done.")])
    end = bench.run().end
    told = report(bench)
    assert len(told) < 250_000
    assert f"The difference goes on; `mi diff {end['run_id']}` shows all of it." in told
    assert "| `long.txt` | added | 40000 | 0 |" in told


@pytest.mark.req("fleet.report.any-run")
def test_a_run_in_a_work_tree_is_reported_from_the_main_tree_and_after_its_tree_is_gone(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run("--worktree", "fix it").ended("done")
    told = json.loads(report(bench, "--json"))
    assert [file["path"] for file in told["diff"]["files"]] == ["calc.py"]
    assert told["branch"].startswith("mi/fix-it-")
    page = report(bench)
    assert f"| Folder | `project` |\n| Branch | `{told['branch']}` |" in page
    git(bench.project, "worktree", "remove", "--force", told["project_root"])
    assert report(bench) == page


@pytest.mark.req("fleet.report.file")
def test_a_link_that_a_repository_brought_is_replaced_not_followed(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run()
    victim = bench.folder / "victim.txt"
    victim.write_text("mine\n", "utf-8")
    (bench.project / "report.html").symlink_to(victim)
    (bench.project / "state.html").symlink_to(bench.home / "config.json")
    report(bench, "-o", "report.html")
    report(bench, "-o", "state.html")
    assert victim.read_text("utf-8") == "mine\n"
    assert json.loads((bench.home / "config.json").read_text("utf-8"))["version"] == "v1"
    assert bench.read("report.html").startswith("<!DOCTYPE html>")
    (bench.project / "inside").symlink_to(bench.home)
    refused = bench.mi("report", "-o", "inside/config.json")
    assert (refused.code, "inside MI's home" in refused.stderr) == (2, True)


@pytest.mark.req("fleet.report.any-run")
def test_a_run_that_has_not_begun_is_said_to_be_queued(bench: Workbench) -> None:
    bench.agent(DONE)
    run_id = json.loads(bench.mi("queue", "add", "fix it", "--json").stdout)["queued"][0]["run_id"]
    done = bench.mi("report", run_id)
    assert (done.code, "is queued and has not begun" in done.stderr) == (1, True)


@pytest.mark.req("fleet.report.content")
def test_a_part_stands_with_the_evidence_that_a_judge_cited(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run("fix `add`").ended("done")
    log = bench._logs()[0]
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    seen = next(record for record in records if record["kind"] == "evidence")
    for record in records:
        if record["kind"] == "closing":
            record["parts"] = [{"text": "fix add", "state": "done", "cited_ids": [seen["event_id"]]}]
    log.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    unseal(bench.home)
    told = report(bench)
    assert "- [x] `fix add`\n  - seen: `python3 -m unittest -q (exit 0, a check after the last change)" in told
    assert f"(`{seen['event_id']}`)" in told
