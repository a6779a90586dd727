"""`mi gate` as scripts use it: JSON, exit codes, real repositories, what is stored and what is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.governed import Verification
from mi.kernel.notices import Notices
from tests.conftest import git

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def evidence(home) -> list[dict]:
    logs = [*Path(home.projects).glob("*/evidence.jsonl"), Path(home.evidence)]
    return [json.loads(line) for log in logs if log.exists() for line in log.read_text("utf-8").splitlines()]


# assess

ASSESSED = {
    *("spec_gate", "questions", "raw", "score", "high_risk", "needs_ack", "orchestration", "review", "tier", "triggers")
}


@pytest.mark.req(
    "gov.assess.command", "gov.assess.json", "gov.assess.out-spec-gate", "gov.assess.out-questions",
    "gov.assess.out-raw", "gov.assess.out-score", "gov.assess.out-high-risk", "gov.assess.out-needs-ack",
    "gov.assess.out-orchestration", "gov.assess.out-review-level", "gov.assess.out-review-confirm",
    "gov.assess.out-review-approval", "gov.assess.out-review-split", "gov.assess.out-tier", "gov.assess.out-triggers",
    "gov.assess.exit-0",
)  # fmt: skip
def test_the_assessment_as_json(gate):
    found = gate("assess", "--json")
    assert (found.code, {*found.json}) == (0, ASSESSED)
    assert found.json == {
        "spec_gate": "clear",
        "questions": [],
        "raw": 0,
        "score": 0,
        "high_risk": False,
        "needs_ack": False,
        "orchestration": "self",
        "review": {"level": "none", "confirm": False, "approval": False, "split": "none"},
        "tier": "low",
        "triggers": [],
    }


@pytest.mark.req("gov.assess.command", "gov.assess.unknown-field", "gov.assess.exit-2", "gov.assess.exit-3")
def test_fields_and_task_as_words(gate):
    found = gate("assess", '{"sensitive": true, "lines": 151}', "--json")
    assert (found.code, found.json["raw"]) == (3, 4)
    assert gate("assess", "encrypt", "the", "backups", "--json").json["raw"] == 3
    assert gate("assess", '{"lines": 151}', "--task", "encrypt the backups", "--json").json["raw"] == 4
    for bad, said in [
        (['{"colour": 1}'], "colour"),
        (['{"lines": "many"}'], "lines"),
        (['{"lines": '], "JSON"),
        (["encrypt it", "--task", "and this"], "once"),
        (['{"lines": 1}', "--file", "-"], "once"),
    ]:
        found = gate("assess", *bad)
        assert (found.code, said in found.err) == (2, True)


def needs(confirm: bool = False, approval: bool = False, split: str = "none") -> dict[str, object]:
    return {"level": "required", "confirm": confirm, "approval": approval, "split": split}


FIELDS = [
    (["--clarity", "vague", "--sensitive"], {"spec_gate": "vague", "raw": 3, "score": 1}, 3),
    (["--sensitive"], {"raw": 3, "high_risk": True, "needs_ack": True}, 3),
    (["--integration"], {"raw": 2, "orchestration": "offer_review", "needs_ack": False}, 0),
    (["--fresh"], {"raw": 2}, 0),
    (["--lines", "151"], {"raw": 1}, 0),
    (["--lines", "150", "--dirs", "2"], {"raw": 0}, 0),
    (["--dirs", "3"], {"raw": 1}, 0),
    (["--public-api"], {"raw": 1}, 0),
    (["--irreversible"], {"raw": 0, "needs_ack": True, "tier": "high", "triggers": ["T3"]}, 3),
    (["--production"], {"raw": 0, "high_risk": True}, 3),
    (["--change-units", "6"], {"triggers": ["T1"], "review": needs(approval=True, split="suggest")}, 3),
    (["--change-units", "3", "--integration"], {"review": needs()}, 3),
    (["--sensitive", "--lines", "151", "--change-units", "7"], {"raw": 4, "orchestration": "review_and_confirm"}, 3),
    (["--sensitive", "--dirs", "3", "--change-units", "7"], {"review": needs(confirm=True, split="required")}, 3),
    (["--clarity", "unclear"], {"spec_gate": "blocked", "raw": None, "score": None, "review": None}, 3),
    (["--no-criteria"], {"spec_gate": "blocked"}, 3),
    (["--task", "fix it"], {"spec_gate": "blocked"}, 3),
    (["--task", "fix the failing test"], {"raw": 0, "needs_ack": False}, 0),
    (["--task", "encrypt the backups"], {"raw": 3, "needs_ack": True}, 3),
    (["--task", "部署新版本"], {"triggers": ["T9"], "tier": "high"}, 0),
]  # fmt: skip


@pytest.mark.req(
    "gov.assess.in-clarity", "gov.assess.in-sensitive", "gov.assess.in-integration", "gov.assess.in-fresh",
    "gov.assess.in-lines", "gov.assess.in-dirs", "gov.assess.in-public-api", "gov.assess.in-change-units",
    "gov.assess.in-irreversible", "gov.assess.in-production", "gov.assess.exit-3", "gov.flags.stated",
)  # fmt: skip
@pytest.mark.parametrize(("args", "expected", "code"), FIELDS)
def test_each_field_counts(gate, args, expected, code):
    found = gate("assess", *args, "--json")
    assert found.code == code
    assert {name: found.json[name] for name in expected} == expected
    assert gate("assess", *args).code == code


@pytest.mark.req("mx.spec.say", "gov.lang.message")
def test_a_blocked_task_asks_in_the_language_of_the_task(gate):
    assert gate("assess", "--task", "弄一下").out.startswith("需求或验收标准不明确,请先澄清以下问题:")
    assert "unclear" in gate("assess", "--task", "fix it").out


@pytest.mark.req("gov.assess.exit-2", "gov.assess.unknown-field")
@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ('{"sensitiv": true}', "sensitiv"),
        ('{"lines": "many"}', "lines"),
        ('{"lines": -1}', "lines"),
        ('{"lines": true}', "lines"),
        ('{"sensitive": 1}', "sensitive"),
        ('{"clarity": "so so"}', "clarity"),
        ("[1]", "fields.json"),
        ("{", "fields.json"),
    ],
)
def test_a_wrong_field_is_named(gate, tmp_path, fields, named):
    file = tmp_path / "fields.json"
    file.write_text(fields, "utf-8")
    found = gate("assess", "--file", str(file))
    assert (found.code, found.out) == (2, "")
    assert named in found.err


@pytest.mark.req("gov.assess.exit-2")
@pytest.mark.parametrize("args", [["--bogus"], ["--lines", "x"], ["--clarity", "so"], ["--lines", "-3"]])
def test_a_wrong_flag_is_a_usage_error(gate, args):
    found = gate("assess", *args)
    assert found.code == 2
    assert args[0] in found.err or args[1] in found.err


def test_fields_from_a_file_and_flags_over_them(gate, tmp_path):
    file = tmp_path / "fields.json"
    file.write_text('{"sensitive": true, "lines": 9, "clarity": "clear"}', "utf-8")
    assert gate("assess", "--file", str(file), "--lines", "151", "--json").json["raw"] == 4


# signals


@pytest.mark.req(
    "gov.signals.command", "gov.signals.json", "gov.signals.mode", "gov.signals.triggers", "gov.signals.speed",
    "gov.signals.secrets", "mx.sec.no-store", "mx.conf.detect-modes",
)  # fmt: skip
def test_the_signals_as_json_never_with_the_secret(gate, home):
    found = gate("signals", "ASAP: use", TOKEN, "--json")
    assert found.code == 0
    assert found.json == {
        "mode": "challenge",
        "triggers": ["T6", "T8"],
        "speed": ["S1", "S3"],
        "secrets": [{"kind": "github-token", "at": 10}],
    }
    plain = gate("signals", "ASAP: use", TOKEN)
    assert TOKEN not in found.out + plain.out + plain.err
    assert not home.exists()


@pytest.mark.req("gov.signals.flag-change-units", "gov.signals.flag-files", "gov.signals.flag-lines")
def test_the_flags_of_signals(gate):
    def triggers(*flags: str) -> list[str]:
        found: list[str] = gate("signals", "just change the title", *flags, "--json").json["triggers"]
        return found

    assert triggers() == []
    assert triggers("--change-units", "6") == ["T1", "T7"]
    assert triggers("--files", "2") == ["T7"]
    assert triggers("--lines", "11") == ["T7"]


@pytest.mark.req("mi.config.gov-urgency-words")
def test_urgency_words_of_the_configuration(gate, home):
    os.makedirs(home.root)
    Path(home.config).write_text(json.dumps({"governance": {"urgency_words": ["pronto"]}}), "utf-8")
    assert gate("signals", "pronto", "--json").json["triggers"] == ["T6"]
    assert gate("signals", "urgent", "--json").json["triggers"] == []


@pytest.mark.parametrize("args", [[], ["hello", "--file", "x"]])
def test_the_message_is_given_once(gate, args):
    assert gate("signals", *args).code == 2


# diff


@pytest.fixture
def repo(repository, monkeypatch) -> Path:
    """A repository with a file of twenty lines, where the command runs."""
    path: Path = repository()
    (path / "code.py").write_text("".join(f"line {n}\n" for n in range(1, 21)), "utf-8")
    (path / "old.txt").write_text("a\nb\nc\nd\ne\nf\ng\nh\n", "utf-8")
    (path / "run.sh").write_text("echo\n", "utf-8")
    (path / "data.bin").write_bytes(bytes(range(256)))
    (path / "package-lock.json").write_text("{}\n", "utf-8")
    (path / ".gitignore").write_text("ignored/\n", "utf-8")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "begin")
    monkeypatch.chdir(path)
    return path


def edit(path: Path, *lines: int) -> None:
    content = path.read_text("utf-8").splitlines()
    path.write_text(
        "".join(f"changed {n}\n" if n in lines else f"{text}\n" for n, text in enumerate(content, 1)), "utf-8"
    )


@pytest.mark.req(
    "gov.diff.command", "gov.diff.json", "gov.diff.change-units", "gov.diff.files", "gov.diff.review",
    "gov.diff.no-revision", "gov.diff.new-files", "gov.diff.ignored", "gov.diff.mode-beside", "gov.cu.git-diff",
    "gov.cu.rename", "gov.cu.binary", "gov.cu.deleted", "gov.cu.mode-change", "gov.cu.lock-files", "mx.cu.count-first",
)  # fmt: skip
def test_the_change_units_of_a_real_repository(gate, repo):
    edit(repo / "code.py", 2, 3, 9)
    git(repo, "mv", "old.txt", "new name.txt")
    edit(repo / "new name.txt", 1)
    os.chmod(repo / "run.sh", 0o755)
    edit(repo / "run.sh", 1)
    (repo / "data.bin").write_bytes(b"\0\1\2")
    (repo / "package-lock.json").write_text('{"a": 1}\n', "utf-8")
    (repo / "file.txt").unlink()
    (repo / "文件.py").write_text("x\n", "utf-8")
    (repo / "ignored").mkdir()
    (repo / "ignored/x.py").write_text("x\n", "utf-8")
    before = git(repo, "status", "--porcelain")
    found = gate("diff", "--json")
    assert {(file["path"], file["units"], file["kind"]) for file in found.json["files"]} == {
        ("code.py", 2, "modified"),
        ("new name.txt", 2, "renamed"),
        ("run.sh", 2, "modified"),
        ("data.bin", 1, "binary"),
        ("package-lock.json", 0, "lock"),
        ("file.txt", 1, "deleted"),
        ("文件.py", 1, "new"),
    }
    assert found.json["change_units"] == 9
    assert found.json["raw"] == 2  # the lock file speaks of a dependency
    assert found.json["review"] == {"level": "required", "confirm": True, "approval": False, "split": "suggest"}
    assert found.code == 3
    assert git(repo, "status", "--porcelain") == before  # looking changed nothing


@pytest.mark.req("gov.diff.warnings", "gov.cu.warn-at-four", "gov.diff.first-batch", "mx.batch.explain-risk")
@pytest.mark.parametrize(
    ("files", "code", "warns", "batch"),
    [(0, 0, False, 0), (3, 0, False, 0), (4, 0, True, 0), (5, 0, True, 0), (6, 3, True, 5)],
)
def test_warnings_from_four_and_a_first_batch_above_five(gate, repo, files, code, warns, batch):
    for number in range(files):
        (repo / f"new{number}.txt").write_text("x\n", "utf-8")
    found = gate("diff", "--json")
    assert (found.code, found.json["change_units"], bool(found.json["warnings"])) == (code, files, warns)
    assert sum(one["units"] for one in found.json.get("first_batch", [])) == batch
    if batch:
        assert "hide in large batches" in found.json["warnings"][0]


@pytest.mark.req("gov.diff.revision")
def test_since_a_revision_and_with_the_words_of_the_task(gate, repo):
    edit(repo / "code.py", 2)
    git(repo, "commit", "-qam", "more")
    edit(repo / "code.py", 15)
    assert gate("diff", "--json").json["change_units"] == 1
    assert gate("diff", "HEAD~1", "--json").json["change_units"] == 2
    assert gate("diff", "--task", "encrypt the backups", "--json").json["raw"] == 3


def test_a_detached_head_an_unborn_branch_and_a_subfolder(gate, repo, tmp_path, monkeypatch):
    git(repo, "checkout", "-q", "--detach")
    edit(repo / "code.py", 2)
    assert gate("diff", "--json").json["change_units"] == 1
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")
    (fresh / "a.py").write_text("x\n", "utf-8")
    monkeypatch.chdir(fresh)
    assert gate("diff", "--json").json["files"] == [{"path": "a.py", "units": 1, "kind": "new"}]


@pytest.mark.parametrize("revision", ["nothing", "--output=x", "HEAD~99"])
def test_an_unknown_revision_is_named(gate, repo, revision):
    found = gate("diff", "--", revision)
    assert found.code == 1
    assert revision in found.err
    assert not (repo / "x").exists()


def test_outside_of_git_there_is_nothing_to_compare(gate, tmp_path):
    found = gate("diff")
    assert found.code == 1
    assert "git" in found.err


# permission


@pytest.mark.req(
    "gov.permcmd.command", "gov.permcmd.json", "gov.permcmd.decision", "gov.permcmd.class", "gov.permcmd.reason",
    "gov.permcmd.alternative", "gov.permcmd.exits", "gov.permcmd.force-with-lease", "gov.permcmd.force-side-branch",
    "mx.life.permissions", "mx.conf.permissions",
)  # fmt: skip
@pytest.mark.parametrize(
    ("command", "decision", "klass", "code"),
    [
        ("git status", "ALLOW", None, 0),
        ("git push origin feature", "PROMPT", None, 3),
        ("git push --force-with-lease origin main", "DENY", "hard", 1),
        ("git push -f origin side", "PROMPT", None, 3),
        ("echo A=1 >> .env", "DENY", "soft", 1),
    ],
)
def test_the_decision_as_json_and_as_exit_code(gate, as_team, command, decision, klass, code):
    found = gate("permission", "bash", "run", command, "--json")
    assert (found.json["decision"], found.json["class"], found.code) == (decision, klass, code)
    assert found.json["reason"]
    assert bool(found.json["alternative"]) >= (decision == "DENY")
    plain = gate("permission", "bash", "run", command)
    assert plain.code == code
    assert plain.out.startswith(decision)


@pytest.mark.req("gov.permcmd.member", "gov.permcmd.profile", "mi.config.gov-profile", "one.setup.permissions")
def test_member_and_profile(gate, home):
    private = "persona/.anna/private/notes.md"
    assert gate("permission", "read", "read", private, "--member", "anna").code == 0
    assert gate("permission", "read", "read", private, "--member", "bob").code == 1
    assert gate("permission", "edit", "edit", "a.py").code == 0
    assert gate("permission", "edit", "edit", "a.py", "--profile", "strict").code == 3
    past = ["permission", "bash", "run", "git commit --no-verify -m x"]
    assert (gate(*past).code, gate(*past, "--profile", "standard").code) == (0, 3)
    os.makedirs(home.root)
    Path(home.config).write_text('{"governance": {"profile": "strict"}, "persona": {"member": "anna"}}', "utf-8")
    assert gate("permission", "edit", "edit", "a.py").code == 3
    assert gate("permission", "read", "read", private).code == 0


@pytest.mark.req(
    "gov.permcmd.override",
    "gov.perm.soft-incident",
    "mx.perm.override-logged",
    "gov.perm.hard-never",
    "mi.kind.override-written",
)
def test_an_override_is_an_incident_that_is_logged(gate, home, as_team):
    asked = ["permission", "edit", "edit", ".env"]
    assert gate(*asked).code == 1
    assert evidence(home) == []
    found = gate(*asked, "--override", "rotating the key", "--json")
    assert (found.code, found.json["decision"], found.json["class"]) == (3, "PROMPT", None)
    logged = [one for one in evidence(home) if one["kind"] == "override"]
    assert [(one["reason"], "incident" in one["scope"]) for one in logged] == [("rotating the key", True)]
    assert gate(*asked).code == 1  # for one action only
    assert gate("permission", "bash", "run", "git push -f origin main", "--override", "x").code == 1
    assert len(evidence(home)) == 1


def test_the_branch_that_is_checked_out_decides(gate, repo):
    forced = ["permission", "bash", "run", "git push --force"]
    assert gate(*forced).code == 1
    git(repo, "checkout", "-q", "-b", "side")
    assert gate(*forced).code == 3
    assert gate("permission", "bash", "run", "git push --force origin HEAD").code == 3
    git(repo, "checkout", "-q", "--detach")
    assert gate(*forced).code == 1


@pytest.mark.req("gov.perm.list", "gov.perm.set", "gov.perm.set-reason", "mx.perm.tighten", "mx.perm.deny-to-prompt")
def test_permissions_are_listed_and_set(gate, home, as_team):
    def states() -> dict[str, str]:
        return {one["operation"]: one["state"] for one in gate("permission", "list", "--json").json["permissions"]}

    assert (states()["push"], states()["edit-secrets"], states()["edit"]) == ("PROMPT", "DENY", "ALLOW")
    assert os.listdir(home.root) == ["config.json"]
    assert gate("permission", "set", "edit", "prompt").code == 0
    assert gate("permission", "set", "edit-secrets", "PROMPT").code == 3
    assert gate("permission", "set", "edit-secrets", "PROMPT", "--reason", "keys are rotated weekly").code == 0
    assert (states()["edit"], states()["edit-secrets"]) == ("PROMPT", "PROMPT")
    assert gate("permission", "edit", "edit", "a.py").code == 3
    assert gate("permission", "edit", "edit", ".env").code == 3
    reasons = [one["reason"] for one in evidence(home) if one["kind"] == "override"]
    assert reasons == ["keys are rotated weekly"]
    assert "push" in gate("permission", "list").out


@pytest.mark.req(
    "gov.perm.prompt-to-allow-off",
    "gov.perm.prompt-to-allow-recorded",
    "mx.perm.prompt-to-allow",
    "mx.perm.no-deny-to-allow",
)
def test_loosening_needs_the_switch_a_reason_and_safe_use(gate, home):
    loosen = ["permission", "set", "push", "ALLOW", "--reason", "it always went well"]
    refused = gate(*loosen)
    assert (refused.code, "prompt_to_allow" in refused.err) == (3, True)
    Path(home.config).write_text('{"governance": {"prompt_to_allow": true}}', "utf-8")
    assert gate(*loosen).code == 3
    writer = EvidenceWriter.for_command(home.evidence, Notices())
    for _ in range(5):
        writer.append(Verification(gate="permission push", user_action="confirmed", post_result="success"))
    assert gate(*loosen).code == 0
    assert gate("permission", "bash", "run", "git push origin x").code == 0
    assert gate("permission", "set", "production-data", "ALLOW", "--reason", "x").code == 3
    assert gate("permission", "set", "force-push-main", "PROMPT", "--reason", "x").code == 3


@pytest.mark.parametrize(
    "args",
    [["bash"], ["set", "edit"], ["set", "edit", "MAYBE"], ["set", "nothing", "DENY"], ["bash", "fly", "x"]],
)
def test_wrong_words_are_a_usage_error(gate, args):
    found = gate("permission", *args)
    assert (found.code, found.out) == (2, "")


def test_broken_permissions_are_said_and_not_taken_for_freedom(gate, home):
    os.makedirs(os.path.dirname(home.permissions))
    Path(home.permissions).write_text("{", "utf-8")
    found = gate("permission", "bash", "run", "git push origin x")
    assert found.code == 3
    assert "permissions.json" in found.err


# deploy

SAID = ["--diff", "seen by Ana", "--environment", "checked", "--rollback", "git revert HEAD", "--window", "today 15:00"]


@pytest.fixture
def tested(repo) -> Path:
    """The repository with a test that passes."""
    (repo / "test_it.py").write_text(
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        pass\n", "utf-8"
    )
    (repo / ".gitignore").write_text("__pycache__/\nignored/\n", "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "tests")
    return repo


@pytest.mark.req(
    "gov.deploy.cmd-check", "gov.deploy.machine-tests", "gov.deploy.machine-git", "gov.deploy.human-items",
    "gov.deploy.open-stops", "mx.deploy.not-dirty", "mx.deploy.not-failing", "mi.kind.deploy-written",
    "mx.life.before-deploy", "mx.conf.deploy",
)  # fmt: skip
def test_the_checklist_is_checked_and_what_the_human_said_is_kept(gate, tested, home):
    tests = ["--tests", f"{sys.executable} -m unittest -q"]
    found = gate("deploy", "check", *tests, "--json")
    assert (found.code, found.json["open"]) == (3, ["diff", "environment", "rollback", "window"])
    assert gate("deploy", "check", *tests, *SAID, "--json").json["open"] == []
    assert gate("deploy", "check", *tests).code == 0  # said for this commit already
    (tested / "stray.txt").write_text("x", "utf-8")
    assert gate("deploy", "check", *tests, "--json").json["open"] == ["clean"]
    git(tested, "add", "-A")
    git(tested, "commit", "-q", "-m", "another")
    found = gate("deploy", "check", *tests, "--json")
    assert found.json["open"] == ["diff", "environment", "rollback", "window"]  # another commit must be seen anew
    assert [one["step"] for one in evidence(home) if one["kind"] == "deploy"] == ["check"] * 5


@pytest.mark.req("mx.deploy.not-failing")
@pytest.mark.parametrize(
    ("body", "detail"),
    [("self.fail()", "failed"), ("self.skipTest('later')", "skipped"), ("pass", "passed")],
)
def test_failing_or_skipped_tests_stop_a_deployment(gate, tested, body, detail):
    (tested / "test_it.py").write_text(
        f"import unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        {body}\n", "utf-8"
    )
    git(tested, "commit", "-qam", "x", "--allow-empty")
    found = gate("deploy", "check", "--tests", f"{sys.executable} -m unittest -q", *SAID, "--json")
    assert found.json["items"][0] == {"name": "tests", "done": detail == "passed", "detail": detail}
    assert found.code == (0 if detail == "passed" else 3)


@pytest.fixture
def service(tmp_path):
    """A service that answers with a code of its own for each path."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(int(self.path.strip("/")))
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nothing to print."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.req(
    "gov.deploy.cmd-after", "mx.deploy.health-endpoint", "mx.deploy.smoke", "mx.deploy.logs",
    "gov.deploy.documented-code", "mx.rollback.notify", "mx.rollback.symptom", "mx.rollback.cause",
    "mx.rollback.proposal", "mx.rollback.no-auto", "mx.deploy.report-60s",
)  # fmt: skip
def test_the_look_after_a_deployment(gate, tested, service):
    (tested / "app.log").write_text("started\nlistening\n", "utf-8")
    rest = ["--smoke", "true", "--log", "app.log"]
    found = gate("deploy", "after", "--health", f"{service}/200", *rest, "--json")
    assert (found.code, found.json["open"], found.json["failure"], found.json["in_time"]) == (0, [], None, True)
    assert gate("deploy", "after", "--health", f"{service}/204", *rest).code == 3
    assert gate("deploy", "after", "--health", f"{service}/204", "--expect", "204", *rest).code == 0
    gate("deploy", "check", "--tests", "true", "--rollback", "touch rolled-back")
    (tested / "app.log").write_text("started\nERROR no database\n", "utf-8")
    found = gate("deploy", "after", "--health", f"{service}/500", "--smoke", "false", "--log", "app.log", "--json")
    assert (found.code, found.json["open"]) == (3, ["health", "smoke", "logs"])
    assert "health: 500" in found.json["failure"]["symptom"]
    assert found.json["failure"]["proposed_rollback"] == "touch rolled-back"
    assert found.json["failure"]["suspected_cause"]
    assert not (tested / "rolled-back").exists()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "file:///etc/passwd", "nonsense"])
def test_a_service_that_does_not_answer_is_not_healthy(gate, tested, url):
    found = gate("deploy", "after", "--health", url, "--json")
    assert found.json["items"][0] == {"name": "health", "done": False, "detail": "unknown"}


@pytest.mark.req("gov.deploy.cmd-rollback", "mx.rollback.wait", "mx.rollback.no-auto")
def test_a_rollback_is_proposed_and_waits(gate, tested, home):
    assert gate("deploy", "rollback").code == 2
    asked = ["deploy", "rollback", "--symptom", "500", "--cause", "migration", "--proposal", "touch rolled-back"]
    found = gate(*asked, "--json")
    assert (found.code, found.json["confirmed"]) == (3, False)
    assert [one["outcome"] for one in evidence(home) if one["kind"] == "deploy"] == ["proposed"]
    assert not (tested / "rolled-back").exists()


@pytest.mark.req("gov.deploy.cmd-rollback", "mx.rollback.wait", "gov.verif.evidence-log")
@pytest.mark.parametrize(
    ("answer", "code", "action"), [("yes", 0, "confirmed"), ("好的。", 0, "confirmed"), ("no", 3, "rejected")]
)
def test_a_rollback_at_a_terminal_takes_the_persons_word(tested, home, answer, code, action):
    assert _rolled_back(tested, answer) == code
    assert [one["user_action"] for one in evidence(home) if one["kind"] == "verification"] == [action]
    assert not (tested / "gone").exists()


@pytest.mark.req("mx.rollback.wait")
def test_an_agent_at_a_terminal_confirms_no_rollback(tested, home, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    assert _rolled_back(tested, "yes") == 3
    assert [one for one in evidence(home) if one["kind"] == "verification"] == []


def _rolled_back(folder, answer: str) -> int:
    """The exit code of a rollback that is answered at a terminal."""
    import pty

    from tests.conftest import MI

    outer, inner = pty.openpty()
    argv = [str(MI), "gate", "deploy", "rollback", "--symptom", "500", "--cause", "m", "--proposal", "touch gone"]
    process = subprocess.Popen(argv, stdin=inner, stderr=inner, stdout=subprocess.PIPE, cwd=folder)
    os.close(inner)
    os.write(outer, f"{answer}\n".encode())
    process.communicate(timeout=60)
    os.close(outer)
    return process.returncode


def test_the_installed_command_answers_with_its_exit_code(mi):
    assert mi("gate", "permission", "bash", "run", "git push -f origin main").returncode == 1
    assert mi("gate", "assess", "--sensitive").returncode == 3
    assert mi("gate", "assess").returncode == 0


@pytest.mark.req("mx.sec.no-store")
@pytest.mark.parametrize(
    "args",
    [
        ["permission", "edit", "edit", ".env", "--override", f"use {TOKEN}"],
        ["permission", "set", "edit-secrets", "PROMPT", "--reason", f"use {TOKEN}"],
        ["deploy", "check", "--tests", "true", "--rollback", f"curl -H 'Authorization: Bearer {TOKEN}' x"],
        ["deploy", "rollback", "--symptom", f"token {TOKEN}", "--cause", "c", "--proposal", "p"],
    ],
)
def test_a_secret_in_what_would_be_kept_is_refused_and_never_echoed(gate, repo, home, args):
    found = gate(*args)
    assert found.code == 1
    assert TOKEN not in found.out + found.err
    assert "--" in found.err
    assert evidence(home) == []


@pytest.mark.req("gov.diff.change-units", "gov.diff.first-batch")
def test_a_diff_too_large_to_read_hides_no_file(gate, tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    (tmp_path / "a.txt").write_text("x" * 99 + "\n", "utf-8")
    (tmp_path / "big.txt").write_text(("y" * 99 + "\n") * 20_000, "utf-8")
    (tmp_path / "src").mkdir()
    for number in range(6):
        (tmp_path / "src" / f"auth{number}.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "yarn.lock").write_text("x\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    found = gate("diff", "--json")
    assert (found.code, found.json["change_units"]) == (3, 8)
    assert {"auth", "new_dependency"} <= {*found.json["flags"]}
    assert {one["path"]: one["units"] for one in found.json["files"]}["yarn.lock"] == 0
    assert len(found.json["first_batch"]) == 5
