"""`mi run` at the prompt: where the task comes from, what is shown, and what scripts read."""

import json
import re
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from mi.autopilot.injection import EXTERNAL, REFACTOR
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.conftest import MI, git
from tests.terminals import Terminal

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
SECRET = "ghp_" + "aB3dE5gH7" * 4


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req(
    "v1.cli.run",
    "v1.cli.run-multiword",
    "v1.transp.live-default",
    "v1.transp.prefix-mi",
    "v1.transp.prefix-mi-hands",
    "v1.transp.prefix-hands",
    "mi.done.summary-marks",
    "mi.done.summary-evidence-ids",
    "v1.goal.light-injection",
    "v1.loop.build-input",
    "v1.emit.hands-input",
    "v1.rec.prompt-sha256",
    "v1.soft.injection-guidance",
    "v1.root.refactor-preserving",
    "v1.hard.no-step-protocol",
    "v1.hard.no-step-slicing",
    "v1.root.no-protocol-tyranny",
    "v1.tdb.values-base-injected",
    "mi.inject.values-base",
    "mi.inject.task-unaltered",
    "mi.inject.stop-and-ask",
    "mi.inject.refactor-intent",
    "mi.inject.recorded-sha256",
)
def test_a_run_is_shown_as_it_happens_and_summed_up(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.agent(DONE)
    ran = bench.mi("run", "--cd", str(bench.project), "fix", "the", "failing", "test")
    ran.ended("done")
    lines = ran.stdout.splitlines()
    sent = "\n".join(line.removeprefix("[mi->hands] ") for line in lines if line.startswith("[mi->hands]"))
    (given,) = ran.of("hands_input")
    assert given["prompt_sha256"] == sha256(sent.encode()).hexdigest()
    assert sent == f"{given['light_injection']}\n\nfix the failing test"
    assert "- Keep changes small." in given["light_injection"]
    assert given["light_injection"].endswith(f"{EXTERNAL}\n{REFACTOR}")
    assert any(line.startswith("[mi] batch b0") for line in lines)
    assert [line for line in lines if "a check after the last change passed" in line] == [
        "done: a check after the last change passed"  # said once, at the end
    ]
    assert "[hands] $ python3 -m unittest -q" in lines
    assert "[hands] Fixed and tested. Done." in lines
    summary = ran.stdout[ran.stdout.index("\ndone:") :]
    assert "ran ✓  claimed ✓  verified ✓" in summary
    assert ran.end["evidence_ids"][-1] in summary
    assert ran.end["run_id"] in summary


def test_a_question_is_read_in_the_agents_words_and_where_it_is_answered(bench: Workbench) -> None:
    bench.agent([say("Which colour should the report have, red or green?")])
    shown = bench.mi("run", "fix it")
    assert shown.code == 3
    told = [line for line in shown.stdout.splitlines() if "Which colour" in line]
    assert [line.partition("Which")[0] for line in told] == ["[hands] ", "  waits    "]


def test_the_end_of_a_run_tells_what_it_changed_and_how_long_it_took(bench: Workbench) -> None:
    bench.agent(DONE)
    shown = bench.mi("run", "fix it").stdout
    assert re.search(r"^  changed  1 file, \+\d+ -\d+ · mi diff last$", shown, re.MULTILINE), shown
    spent = re.search(r"^  spent    ([\d.]+) s \(([\d.]+) s by the agent\)", shown, re.MULTILINE)
    assert spent, shown
    assert float(spent[1]) >= float(spent[2])


def test_a_stopped_run_says_how_to_go_on(bench: Workbench) -> None:
    bench.agent([say("Done.")], [say("Done.")])
    ran = bench.run("fix it")
    ran.ended("blocked")
    assert "mi inbox" not in ran.stdout
    assert f"go on    mi run --resume {ran.end['run_id']}" in ran.stdout
    bench.agent([say("Which colour should the button have, red or blue?")])
    asked = bench.run("paint the button")
    told = ["  waits    Which colour should the button have, red or blue?", "           A  red", "           B  blue"]
    told += ["  answer   mi answer 1 A | B", f"  go on    mi run --resume {asked.end['run_id']}"]
    assert asked.stdout.splitlines()[-5:] == told


@pytest.mark.req("mi.config.language-auto")
def test_a_chinese_task_is_reported_in_chinese_from_the_first_line_to_the_last(bench: Workbench) -> None:
    bench.agent([say("改好了。")], [say("改好了。")])
    for args in (("修好失败的测试",), ("--resume",)):
        lines = bench.run(*args).stdout.splitlines()
        assert lines[0].endswith("replay 干活，rules 评判")
        assert lines[lines.index("") + 2].startswith("  标记")


def test_a_mark_that_a_run_missed_looks_the_same_afterwards(bench: Workbench) -> None:
    bench.agent([MEND, say("Done.")], [say("Done.")])
    ran = bench.run()
    ran.ended("blocked")
    assert "verified ✗" in ran.stdout
    assert "verified ✗" in bench.mi("status").stdout


@pytest.mark.req("v1.hard.refactor-default")
def test_only_the_persons_own_word_changes_what_a_refactoring_means(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.mi("settings", "set", "--refactor-intent", "behavior_changing")
    bench.agent(DONE)
    ran = bench.run("refactor calc")
    ran.ended("done")
    assert REFACTOR not in ran.of("hands_input")[0]["light_injection"]


def at_terminal(bench: Workbench, answer: str, code: int = 0, prompt: str = "\n> ", **env: str) -> str:
    """What a person sees who runs a task on a terminal and answers the question that comes."""
    if prompt == "\n> ":
        bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **(bench.env | env))) as terminal:
        if answer:
            terminal.read_until(prompt)
        terminal.type(answer)
        terminal.finish(code)
        return terminal.coloured


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
@pytest.mark.req("mi.inbox.terminal-at-once")
def test_a_person_at_the_terminal_is_asked_at_once(bench: Workbench, term: str) -> None:
    bench.agent([say("Which colour should the report have?")], DONE)
    shown = at_terminal(bench, "Green, please.\n", TERM=term)
    assert "Which colour should the report have?" in shown
    records = bench.records()
    assert [one["answer"] for one in records if one["kind"] == "user_input"] == ["Green, please."]
    assert [one["input"] for one in records if one["kind"] == "hands_input"] == ["fix it", "Green, please."]


@pytest.mark.req("mi.fail.signal-marked", "mi.fail.signal-resumable")
def test_ctrl_c_at_a_question_ends_the_run_and_the_question_waits(bench: Workbench) -> None:
    bench.agent([say("Which colour should the report have?")], DONE)
    at_terminal(bench, "\x03", code=130, TERM="xterm-256color")
    assert bench.records()[-1]["status"] == "interrupted"
    (question,) = bench.inbox()
    bench.mi("answer", question["id"], "Green.")
    bench.run("--resume").ended("done")


def test_only_who_speaks_is_coloured(bench: Workbench) -> None:
    bench.agent(DONE)
    assert "[mi]\x1b[0m batch b0" in at_terminal(bench, "", TERM="xterm-256color")


def test_a_terminal_shows_elapsed_time_batch_and_tokens_below_what_scrolls_by(bench: Workbench) -> None:
    bench.agent(DONE, tokens=1234)
    shown = at_terminal(bench, "", TERM="xterm-256color")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert re.search(r"b0 · 0:0\d · [\d,]+ tokens", plain)
    lines = [line.strip() for line in plain.replace("\r", "\n").splitlines()]
    assert any(line.endswith("[hands] $ python3 -m unittest -q") for line in lines)
    assert any(line.endswith("[mi->hands] fix it") for line in lines)
    assert any(line.startswith("marks") for line in lines)


def test_a_dumb_terminal_gets_plain_lines(bench: Workbench) -> None:
    bench.agent(DONE)
    assert "\x1b" not in at_terminal(bench, "", TERM="dumb")


@pytest.mark.req("v1.prov.cli-live")
def test_lines_of_a_plain_agent_are_shown_with_their_stream(bench: Workbench) -> None:
    script = "echo working on it; echo careful >&2; echo done"
    bench.configure(hands={"provider": "cli", "cli": {"exec": ["sh", "-c", script]}})
    ran = bench.run("--max-batches", "1", "fix it")
    assert "[hands:stdout] working on it" in ran.stdout
    assert "[hands:stderr] careful" in ran.stdout
    assert "[hands] " not in ran.stdout


@pytest.mark.req("mi.cli.run-file", "mi.cli.run-file-stdin")
def test_the_task_comes_from_a_file_or_standard_input(bench: Workbench, tmp_path: Path) -> None:
    issue = tmp_path / "issue.md"
    issue.write_text("# Fix add\n\n它应该返回 `a + b`。\n", "utf-8")
    bench.agent(DONE)
    ran = bench.run("--file", str(issue))
    ran.ended("done")
    assert ran.of("run_start")[-1]["task"] == "# Fix add\n\n它应该返回 `a + b`。"
    bench.agent([TEST, say("Done.")])
    ran = bench.run("--file", "-", stdin="check it again\n")
    assert ran.of("run_start")[-1]["task"] == "check it again"


@pytest.mark.parametrize(
    "args", [[], ["--file", "x", "and words"], ["--resume", "run_1", "--file", "-"], ["--file", "-"], ["   "]]
)
def test_no_task_or_two_is_a_usage_error(bench: Workbench, args: list[str]) -> None:
    bench.agent(DONE)
    ran = bench.mi("run", *args)
    assert ran.code == 2
    assert "mi run" in ran.stderr
    assert ran.records == []


def test_a_task_file_that_is_missing_is_named(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--file", "nowhere.md")
    assert ran.code == 1
    assert "nowhere.md" in ran.stderr


@pytest.mark.req("v1.transp.quiet", "v1.cli.run-quiet")
def test_quiet_prints_nothing(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--quiet", "fix it")
    ran.ended("done")
    assert ran.stdout == ran.stderr == ""


@pytest.mark.req("v1.prov.hands-raw", "v1.cli.run-hands-raw")
def test_hands_raw_prints_the_agents_own_lines(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--hands-raw", "fix it")
    ran.ended("done")
    raw = [line.removeprefix("[hands] ") for line in ran.stdout.splitlines() if line.startswith("[hands] ")]
    assert [json.loads(line)["type"] for line in raw][:2] == ["thread.started", "turn.started"]
    assert "[hands] $" not in ran.stdout


@pytest.mark.req("v1.cli.run-no-mi-prompt", "v1.cli.run-no-mi-prompt-stored")
def test_no_mi_prompt_hides_the_prompt_but_stores_it(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--no-mi-prompt", "fix it")
    ran.ended("done")
    assert "[mi->hands]" not in ran.stdout
    assert "[hands]" in ran.stdout
    assert ran.of("hands_input")[0]["input"] == "fix it"
    assert EXTERNAL in ran.of("hands_input")[0]["light_injection"]


@pytest.mark.parametrize("options", [["--redact"], ["--redact", "--hands-raw"], ["--redact", "--json"]])
@pytest.mark.req("v1.transp.redact-display-only", "v1.cli.run-redact", "v1.cli.run-redact-logs")
def test_redact_hides_secrets_on_the_screen_and_leaves_the_transcript(bench: Workbench, options: list[str]) -> None:
    bench.agent([run(f"echo token {SECRET}"), *DONE[:2], say(f"Done. The key is {SECRET}.")])
    ran = bench.run(*options, "fix it")
    ran.ended("done")
    assert "aB3dE5gH7aB3dE5gH7" not in ran.stdout
    (transcript,) = bench.home.glob("projects/*/transcripts/hands/*.jsonl")
    assert SECRET in transcript.read_text("utf-8")
    assert ran.of("batch_end")[0]["last_message"] == f"Done. The key is {SECRET}."


@pytest.mark.req("mi.cli.run-json", "mi.json.run-lines", "mi.json.run-hands-line")
def test_json_prints_every_record_as_stored_and_every_line_of_the_agent(bench: Workbench) -> None:
    bench.agent([MEND, say("Done.")], [TEST, say("已完成。")])
    ran = bench.run("--json", "fix it")
    ran.ended("done")
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [line for line in lines if line["kind"] != "hands_line"] == ran.records
    spoken = [line for line in lines if line["kind"] == "hands_line"]
    assert {tuple(sorted(line)) for line in spoken} == {("kind", "line", "stream")}
    assert any("已完成" in line["line"] for line in spoken)
    kinds = [line["kind"] for line in lines]
    assert kinds.index("hands_input") < kinds.index("hands_line") < kinds.index("batch_end")


def test_control_characters_of_the_agent_do_not_reach_the_terminal(bench: Workbench) -> None:
    bench.agent([*DONE[:2], say("Done.\x1b]0;owned\x07\x1b[2J")])
    ran = bench.run()
    ran.ended("done")
    assert "\x1b" not in ran.stdout


def test_the_texts_are_chinese_where_the_person_is(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("已修复，测试通过了。")])
    bench.config["language"] = "zh"
    bench.configure()
    ran = bench.run("修复失败的测试")
    ran.ended("done")
    assert "完成" in ran.stdout
    assert "[hands] 已修复，测试通过了。" in ran.stdout


@pytest.mark.req("mi.mind.auto", "mi.mind.rules-embedded-default", "mi.mind.auto-said")
def test_without_a_vendors_agent_the_rules_judge(bench: Workbench) -> None:
    bench.config["mind"] = {"provider": "auto"}
    bench.agent(DONE)
    ran = bench.run()
    ran.ended("done")
    assert ran.of("run_start")[0]["mind"] == "rules"
    assert "replay works, rules judges" in ran.stdout.splitlines()[0]


def test_a_run_uses_the_home_it_is_given_and_keeps_it_private(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run().ended("done")
    for path in bench.home.rglob("*"):
        if path.name != "config.json" and not path.is_symlink():
            assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.req("mi.cli.run-dirty-tree")
def test_a_dirty_tree_is_said_and_not_refused(bench: Workbench) -> None:
    (bench.project / "draft.txt").write_text("mine\n", "utf-8")
    (bench.project / "calc.py").write_text(bench.read("calc.py") + "# mine, too\n", "utf-8")
    bench.agent(DONE)
    ran = bench.run()
    ran.ended("done")
    assert "[mi] 2 files were changed before this run" in ran.stdout
    assert ran.of("run_start")[0]["uncommitted"] == 2


@pytest.mark.req("mi.inject.pinned", "mi.inject.max-chars", "mi.config.injection-max-chars", "mi.inject.deterministic")
def test_pinned_settings_follow_the_values_within_the_limit(bench: Workbench) -> None:
    bench.values(" ".join(f"Rule number {number} of the house is kept by everyone." for number in range(80)))
    bench.mi("settings", "set", "--ask-when-uncertain", "proceed")
    bench.agent([say("It adds two numbers.")])
    texts = [bench.run("explain it").of("hands_input")[-1]["light_injection"] for _ in range(2)]
    assert texts[0] == texts[1]
    assert 1500 < len(texts[0]) <= 2000
    bench.config["runtime"] = {"injection": {"max_chars": 700}}
    bench.configure()
    assert len(bench.run("explain it").of("hands_input")[-1]["light_injection"]) <= 700
    bench.config["runtime"] = {"injection": {"max_chars": 9000}}
    bench.configure()
    whole = bench.run("explain it").of("hands_input")[-1]["light_injection"]
    assert whole.index("- Rule number 79 ") < whole.index("Also:") < whole.index(EXTERNAL)
    assert "take the safest reasonable choice instead of asking me" in whole[whole.index("Also:") :]


@pytest.mark.req("judge.proof.asked-once")
def test_a_person_at_the_terminal_is_asked_once_whether_mi_may_prove(bench: Workbench) -> None:
    bench.agent(DONE)
    assert "run the project's checks itself" in at_terminal(bench, "yes\n", prompt="(yes/no)", TERM="dumb")
    assert bench.mi("settings", "show", "--json").stdout.count('"yes"') == 1
    assert bench.records()[-1]["marks"]["proved"] is True
    git(bench.project, "checkout", "-q", ".")
    assert "(yes/no)" not in at_terminal(bench, "", prompt="", TERM="dumb")
