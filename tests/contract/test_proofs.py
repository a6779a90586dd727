"""Evidence for facts: what verifies, what is kept of it, what is refused."""

import os
import sys
from pathlib import Path

import pytest

from mi.contract import fact_evidence as proofs_module
from mi.contract.fact_evidence import Checker, FactEvidence
from mi.contract.programs import run_allowed
from mi.kernel.config.types import Contract, ContractEvidence
from mi.kernel.errors import MiError, UsageError
from tests.conftest import git
from tests.contract.conftest import add, code_of, mode, ready, recall, write

OFF = ContractEvidence()


def check(root: Path, kind, value: str, allowed: ContractEvidence = OFF):
    (proof,) = Checker(str(root), allowed).check_all([FactEvidence(kind=kind, value=value)])
    return proof


HOLDS = [
    ("file_exists", "a.py", True, None),
    ("file_exists", "./src/../a.py", True, None),
    ("file_exists", "src", True, None),
    ("file_exists", "b.py", False, None),
    ("grep_hit", "def main::a.py", True, 1),
    ("grep_hit", "std::vector::a.py", True, 2),
    ("grep_hit", r"def \w+\(\)::a.py", True, 1),
    ("grep_hit", r"^    return::a.py", True, 2),
    ("grep_hit", "main(::a.py", True, 1),  # no expression: sought as it stands
    ("grep_hit", "def main():::a.py", True, 1),  # these signs, though they are an expression as well
    ("grep_hit", "nowhere::a.py", False, None),
    ("grep_hit", r"def \d+::a.py", False, None),
    ("grep_hit", "main::b.py", False, None),
    ("grep_hit", "main::src", False, None),
    ("grep_hit", "返回::zh.py", True, 1),
]


@pytest.fixture
def root(project) -> Path:
    (project.root / "src").mkdir()
    (project.root / "zh.py").write_text("# 返回值\r\nx = 1\r\n", "utf-8")
    return project.root


@pytest.mark.req(
    *("ac.evidence.file-exists", "ac.evidence.grep-hit", "ac.evidence.grep-last-split", "ac.evidence.store-line"),
    *("ac.evidence.store-time", "ac.evidence.store-sha256"),
)
@pytest.mark.parametrize(("kind", "value", "holds", "line"), HOLDS)
def test_files(root, kind, value, holds, line):
    proof = check(root, kind, value)
    assert (proof.holds, proof.line, proof.certain) == (holds, line, True)
    assert proof.ts.endswith("Z")
    if holds and value != "src":
        from hashlib import sha256

        name = value.rpartition("::")[2]
        assert proof.sha256 == sha256((root / name).read_bytes()).hexdigest()
    if holds and kind == "grep_hit":
        assert proof.line_text


@pytest.mark.req("ac.evidence.store-commit")
def test_the_commit_is_kept(repository):
    root = repository(commits=2)
    assert check(root, "file_exists", "file.txt").commit == git(root, "rev-parse", "HEAD")


@pytest.mark.parametrize("value", ["", "::", "pattern", "::file", "pattern::"])
def test_no_pattern_and_file(root, value):
    with pytest.raises(UsageError, match="pattern::file"):
        check(root, "grep_hit", value)


@pytest.mark.req("ac.evidence.root-only", "ac.evidence.symlinks")
@pytest.mark.parametrize(
    "path",
    ["..", "../x", "a/../../x", "/etc/passwd", "~/x", "out/passwd", "link", "", "a\0b", "src/../../project2/x"],
)
def test_paths_stay_inside(root, tmp_path, path):
    (tmp_path / "project2").mkdir()
    (root / "out").symlink_to("/etc")
    (root / "link").symlink_to(tmp_path / "project2")
    for kind, value in (("file_exists", path), ("grep_hit", f"x::{path}")):
        with pytest.raises(UsageError) as raised:
            check(root, kind, value)
        assert raised.value.code in ("path-outside", "bad-grep-hit")


def test_links_inside_are_followed(root):
    (root / "inner.py").symlink_to(root / "a.py")
    assert check(root, "grep_hit", "main::inner.py").holds


def test_a_hostile_expression_is_ended(root, monkeypatch):
    monkeypatch.setattr("mi.contract.programs._SEARCH_S", 0.3)
    (root / "long.txt").write_text("a" * 5000 + "!\n", "utf-8")
    assert not check(root, "grep_hit", "(a+)+$::long.txt").holds


@pytest.mark.req("ac.mode.strict-evidence")
def test_what_is_not_read_whole_is_uncertain(session, root, monkeypatch):
    monkeypatch.setattr(proofs_module, "_MAX_BYTES", 10)
    proof = check(root, "grep_hit", "def::a.py")
    assert (proof.holds, proof.certain, proof.sha256) == (True, False, "")
    ready(session)
    evidence = ["grep_hit::def::a.py"]
    assert write(session, "fact", "main is in a.py", evidence=evidence).id
    mode(session, "STRICT")
    recall(session)
    task_id = add(session).pointer
    code = code_of(lambda: write(session, "fact", "main is in a.py", evidence=evidence, task_id=task_id))
    assert code == "EVIDENCE_UNCERTAIN"


ALLOWED = ContractEvidence(allow_command=True, commands=(sys.executable, "true", "./tool"))


@pytest.mark.req(
    "ac.evidence.command-off", "mi.config.contract-allow-command", "ac.evidence.cmd-exit0", "ac.evidence.test-pass"
)
@pytest.mark.parametrize("kind", ["cmd_exit0", "test_pass"])
def test_commands_are_off_by_default(session, root, kind):
    ready(session)
    with pytest.raises(MiError, match="allow_command"):
        write(session, "fact", "it works", evidence=[f"{kind}::true"])
    assert Contract().evidence == OFF


@pytest.mark.req(
    *("ac.evidence.cmd-exit0", "ac.evidence.test-pass", "ac.evidence.allow-command", "ac.evidence.shlex"),
    *("ac.evidence.no-shell", "ac.evidence.cwd", "ac.evidence.store-exit-code", "mi.config.contract-commands"),
)
@pytest.mark.parametrize("kind", ["cmd_exit0", "test_pass"])
@pytest.mark.parametrize(
    ("command", "holds", "code"),
    [
        ("true", True, 0),
        (f"{sys.executable} -c 'raise SystemExit(3)'", False, 3),
        (f"{sys.executable} -c 'import os; os.stat(\"a.py\")'", True, 0),
        ("true ; false", True, 0),  # no shell: `;` is an argument
        ("true $(touch made)", True, 0),
        ("./tool 'two words'", True, 0),
    ],
)
def test_commands(root, kind, command, holds, code):
    (root / "tool").write_text('#!/bin/sh\ntest "$#" = 1\n', "utf-8")
    (root / "tool").chmod(0o755)
    proof = check(root, kind, command, ALLOWED)
    assert (proof.holds, proof.exit_code) == (holds, code)
    assert not (root / "made").exists()


@pytest.mark.req("ac.evidence.allow-list")
@pytest.mark.parametrize("command", ["false", "sh -c true", "true2", "'", "", "../tool", "a.py", "/bin/sh"])
def test_commands_not_allowed(root, command):
    with pytest.raises(MiError) as raised:
        check(root, "cmd_exit0", command, ALLOWED)
    assert raised.value.code in ("command-not-allowed", "bad-command")


@pytest.mark.req("ac.evidence.allow-list")
def test_the_allow_list_goes_by_resolved_path(root):
    os.symlink("/bin/sh", root / "true")
    with pytest.raises(MiError, match=r"not in contract\.evidence\.commands"):
        check(root, "cmd_exit0", "./true -c true", ALLOWED)
    os.symlink(sys.executable, root / "py")
    assert check(root, "cmd_exit0", "./py -c pass", ALLOWED).holds


@pytest.mark.req("ac.evidence.timeout")
def test_a_command_that_takes_too_long_is_ended(root):
    from mi.contract import programs

    assert programs.TIMEOUT_S == 20.0
    ran = run_allowed(f"{sys.executable} -c 'import time; time.sleep(600)'", str(root), ALLOWED, timeout_s=0.3)
    assert (ran.exit_code, ran.why) == (None, "timeout")


@pytest.mark.req("ac.evidence.all-or-nothing", "ac.tool.memory-write-evidence")
def test_all_or_nothing(session, project):
    ready(session)
    for given in (["file_exists::a.py", "file_exists::b.py"], ["grep_hit::nowhere::a.py", "file_exists::a.py"]):
        assert code_of(lambda given=given: write(session, "fact", "It is so.", evidence=given)) == "EVIDENCE_FAILED"
        assert code_of(lambda given=given: write(session, "note", "It is so.", evidence=given)) == "EVIDENCE_FAILED"
    assert project.events("memory_write") == []
    assert project.events("violation") == []
    both = [FactEvidence(kind="file_exists", value="a.py"), "grep_hit::main::a.py"]
    assert write(session, "fact", "It is so.", evidence=both).evidence_verified == 2
    (event,) = project.events("memory_write")
    assert [(one["kind"], one["holds"], bool(one["sha256"])) for one in event.evidence] == [
        *(("file_exists", True, True), ("grep_hit", True, True))
    ]


def test_evidence_that_may_no_longer_be_checked_is_stale(opened, project):
    from mi.contract.memory_tools import VerifyInput, memory_verify

    session = ready(opened(settings=lambda: Contract(evidence=ALLOWED)))
    fact = write(session, "fact", "it works", evidence=["cmd_exit0::true"])
    (checked,) = memory_verify(session, VerifyInput(id=fact.id)).checked
    assert checked.truth == "verified"
    (checked,) = memory_verify(opened("other"), VerifyInput(id=fact.id)).checked
    assert (checked.truth, "command-evidence-off" in checked.why) == ("stale", True)


def test_an_expression_that_never_ends_is_named(root, monkeypatch):
    monkeypatch.setattr("mi.contract.programs._SEARCH_S", 0.5)
    (root / "slow.txt").write_text("a" * 60 + "!", "utf-8")
    proof = check(root, "grep_hit", "^(a+)+$::slow.txt")
    assert (proof.holds, proof.why) == (False, "timeout")


def test_a_hit_in_a_line_of_megabytes_is_shown_at_once(root):
    (root / "line.txt").write_text("x=1;" * 2_000_000, "utf-8")
    proof = check(root, "grep_hit", "x=1::line.txt")
    assert (proof.holds, len(proof.line_text) < 400) == (True, True)


@pytest.mark.req("ac.evidence.root-only")
def test_a_whole_path_inside_the_project_is_kept_from_its_root(session, project, tmp_path):
    (tmp_path / "other.py").write_text("main", "utf-8")
    (tmp_path / "link").symlink_to(project.root)
    ready(session)
    given = [f"file_exists::{project.root}/a.py", f"grep_hit::main::{tmp_path}/link/a.py"]
    write(session, "fact", "It is there", evidence=given)
    (record,) = project.events("memory_write")
    assert [one["value"] for one in record.evidence] == ["a.py", "main::a.py"]
    with pytest.raises(UsageError, match=r"other\.py"):
        write(session, "fact", "It is there", evidence=[f"file_exists::{tmp_path}/other.py"])


@pytest.mark.req("ac.block.bad-arguments-state")
def test_a_path_outside_is_found_before_the_gate_is_asked(session, project):
    before = session.state
    with pytest.raises(UsageError):
        write(session, "plan", "Two steps", detail="1. a\n2. b", evidence=["file_exists::../x"])
    assert session.state == before
    assert project.events("gate") == []


@pytest.mark.req("ac.evidence.allow-list")
def test_one_program_for_many_commands_is_allowed_by_name(root, tmp_path):
    many = tmp_path / "busybox"
    many.write_text("#!/bin/sh\nexit 0\n", "utf-8")
    many.chmod(0o755)
    for name in ("true", "sh"):
        (tmp_path / name).symlink_to(many)
    allowed = ContractEvidence(allow_command=True, commands=(str(tmp_path / "true"),))
    assert run_allowed(str(tmp_path / "true"), str(root), allowed).exit_code == 0
    with pytest.raises(MiError, match="sh"):
        run_allowed(f"{tmp_path}/sh -c x", str(root), allowed)
