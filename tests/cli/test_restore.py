"""`mi restore` and `mi diff`: the files as a run found them, and nothing lost on the way."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.snapshots import choose_snapshots
from mi.kernel.errors import Blocked, MiError, NotFound
from mi.kernel.home import Home
from mi.project.restore_plan import Difference
from mi.project.snapshots import END
from tests.cli.restoring import RUN, SECRET, Back, Keep, read, write
from tests.conftest import MI, Mi, git
from tests.disks import small_disk
from tests.terminals import Terminal


@pytest.mark.req("person.net.restore", "person.net.restore-keeps")
def test_everything_an_agent_did_is_put_back_and_can_be_had_again(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(
        repo,
        {"file.txt": "an hour of work\n", "new.txt": "untracked\n", "sub/deep.txt": "x\n", ".gitignore": "*.log\n"},
    )
    (repo / "run.sh").write_text("#!/bin/sh\n", "utf-8")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("file.txt")
    write(repo, {"out.log": "ignored\n"})
    before = read(repo)
    keep(repo)
    git(repo, "reset", "-q", "--hard")
    git(repo, "clean", "-qfdx")
    write(repo, {"made/by/agent.txt": "junk\n", "file.txt": "overwritten\n", "out.log": "ignored again\n"})
    after = read(repo)
    done = mi("restore", "last", "--yes", "--json", cwd=repo)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["applied"], told["removed"]) == (True, ["made/by/agent.txt"])
    assert [(one["path"], one["why"]) for one in told["left"]] == [("out.log", "ignored")]
    assert read(repo) == before | {"out.log": "ignored again\n"}
    assert os.access(repo / "run.sh", os.X_OK)
    assert not (repo / "made").exists()
    again = mi("restore", told["kept"], "--yes", cwd=repo)
    assert again.returncode == 0, again.stderr
    assert read(repo) == after


@pytest.mark.req("person.net.restore-asks")
def test_the_difference_is_shown_first_and_without_a_yes_nothing_changes(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n", "more.txt": "new\n"})
    before = read(repo)
    done = mi("restore", RUN, cwd=repo)
    assert done.returncode == 3
    assert "put back  file.txt" in done.stdout
    assert "more.txt" in done.stdout
    assert f"mi restore {RUN} --yes" in done.stderr
    assert read(repo) == before
    assert git(repo, "for-each-ref", "--format=%(refname)", "refs/mi/").split() == [f"refs/mi/{RUN}/b1"]


@pytest.mark.req("person.net.restore")
def test_only_the_paths_that_are_named_are_put_back(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"a/x": "1", "a/y": "1", "b/x": "1"})
    keep(repo)
    write(repo, {"a/x": "2", "a/y": "2", "b/x": "2", "a/new": "2"})
    told = json.loads(mi("restore", "b1", "x", "../b", "--yes", "--json", cwd=repo / "a").stdout)
    assert (told["put_back"], told["elsewhere"]) == (["a/x", "b/x"], 2)
    assert read(repo) == {"a/x": "1", "a/y": "2", "b/x": "1", "a/new": "2", "file.txt": "repo 0\n"}


@pytest.mark.req("person.net.restore-outside-git", "person.net.restore-keeps")
def test_outside_of_git_it_works_from_the_copy(mi: Mi, tmp_path: Path, keep: Keep) -> None:
    root = tmp_path / "plain"
    write(root, {"notes.txt": "mine\n", "deep/er.txt": "mine\n"})
    keep(root)
    shutil.rmtree(root / "deep")
    write(root, {"notes.txt": "lost\n", "junk.txt": "junk\n"})
    told = json.loads(mi("restore", RUN, "--yes", "--json", cwd=root).stdout)
    assert read(root) == {"notes.txt": "mine\n", "deep/er.txt": "mine\n"}
    assert mi("restore", told["kept"], "--yes", cwd=root).returncode == 0
    assert read(root) == {"notes.txt": "lost\n", "junk.txt": "junk\n"}


@pytest.mark.req("person.net.diff")
def test_what_a_run_and_what_a_batch_did(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo, "b1")
    write(repo, {"file.txt": "first\n"})
    keep(repo, "b2")
    write(repo, {"new.txt": "second\n"})
    keep(repo, END)
    write(repo, {"later.txt": "the person's own\n"})
    of_run = json.loads(mi("diff", RUN, "--json", cwd=repo).stdout)
    assert of_run["changes"] == [
        {"path": "file.txt", "kind": "changed", "added": 1, "removed": 1, "was": ""},
        {"path": "new.txt", "kind": "added", "added": 1, "removed": 0, "was": ""},
    ]
    patches = {ref: mi("diff", ref, cwd=repo).stdout for ref in ("b1", f"{RUN}/b2", "last")}
    assert ["+first" in patch for patch in patches.values()] == [True, False, True]
    assert ["+second" in patch for patch in patches.values()] == [False, True, True]
    assert "later.txt" in mi("diff", "last", "--now", "--stat", cwd=repo).stdout
    assert "file.txt" not in mi("diff", "last", "new.txt", cwd=repo).stdout


@pytest.mark.req("person.net.restore-safe")
def test_nothing_is_written_through_a_link(home: Home, repository, keep: Keep, tmp_path: Path) -> None:
    repo: Path = repository()
    write(repo, {"src/a": "mine", "src/deep/b": "mine", "notes": "mine"})
    keep(repo)
    outside = tmp_path / "outside"
    write(outside, {"a": "precious", "deep/b": "precious", "notes": "precious"})
    shutil.rmtree(repo / "src")
    (repo / "notes").unlink()
    (repo / "src").symlink_to(outside)
    (repo / "notes").symlink_to(outside / "notes")
    back = Back(home, repo).put()
    assert (read(repo)["src/a"], read(repo)["src/deep/b"], read(repo)["notes"]) == ("mine", "mine", "mine")
    assert read(outside) == {"a": "precious", "deep/b": "precious", "notes": "precious"}
    assert not (repo / "src").is_symlink()
    Back(home, repo, back.kept).put()
    assert read(repo)["src"] == f"-> {outside}"


@pytest.mark.req("person.net.restore-safe", "person.net.restore-keeps")
def test_a_link_that_appears_in_the_last_moment_is_not_followed(home, repository, keep: Keep, tmp_path: Path) -> None:
    repo: Path = repository()
    write(repo, {"src/a": "mine"})
    keep(repo)
    write(repo, {"src/a": "theirs"})
    outside = tmp_path / "outside"
    write(outside, {"a": "precious"})

    def swap() -> None:
        shutil.rmtree(repo / "src")
        (repo / "src").symlink_to(outside)

    back = Back(home, repo).put(swap)
    assert back.left == {"src/a": "in-the-way"}
    assert read(outside) == {"a": "precious"}


@pytest.mark.req("person.net.restore-keeps")
def test_rules_that_hide_a_file_now_do_not_cost_its_present_content(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"notes.txt": "first\n"})
    keep(repo)
    write(repo, {".gitignore": "notes.txt\n", "notes.txt": "what the person wrote since\n"})
    back = Back(home, repo).put()
    assert read(repo) == {"file.txt": "repo 0\n", "notes.txt": "first\n"}
    Back(home, repo, back.kept).put()
    assert read(repo)["notes.txt"] == "what the person wrote since\n"


@pytest.mark.req("person.net.restore", "person.net.restore-keeps")
@pytest.mark.parametrize("rules", [".gitignore", ".git/info/exclude"])
def test_what_was_ignored_or_left_out_then_is_never_removed(home: Home, repository, keep: Keep, rules: str) -> None:
    repo: Path = repository()
    write(repo, {rules: "local.cfg\nbuild/\n", "local.cfg": "port = 1\n", "build/out": "1", "key.pem": SECRET})
    git(repo, "config", "core.excludesFile", "none")
    keep(repo)
    (repo / rules).unlink()
    write(repo, {"local.cfg": "port = 2\n", "build/out": "2", "key.pem": "no secret any more\n", "made": "x"})
    back = Back(home, repo)
    assert back.shown.removed == ("made",)
    assert back.left == {"local.cfg": "ignored", "build/out": "ignored", "key.pem": "older"}
    back.put()
    assert (read(repo)["local.cfg"], read(repo)["build/out"]) == ("port = 2\n", "2")


@pytest.mark.req("person.net.restore-keeps")
def test_what_cannot_be_kept_is_not_overwritten(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"a.cfg": "plain\n", "big": "small\n", "b": "1"})
    keep(repo)
    write(repo, {"a.cfg": SECRET, "big": "x" * 10_000_001, "b": "2"})
    back = Back(home, repo).put()
    assert back.left == {"a.cfg": "secret", "big": "large"}
    assert (read(repo)["a.cfg"], read(repo)["b"]) == (SECRET, "1")
    assert SECRET.strip() not in git(repo, "grep", "-h", "", f"refs/mi/{back.kept}/restore")


@pytest.mark.req("person.net.restore")
def test_files_that_became_folders_and_folders_that_became_files(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {".gitignore": "*.log\n", "one": "file", "two/x": "in a folder", "three": "file"})
    keep(repo)
    shutil.rmtree(repo / "two")
    for name in ("one", "three"):
        (repo / name).unlink()
    write(repo, {"one/x": "now in a folder", "two": "now a file", "three/x": "1", "three/kept.log": "ignored"})
    back = Back(home, repo).put()
    found = read(repo)
    assert (found["one"], found["two/x"]) == ("file", "in a folder")
    assert back.left == {"three": "in-the-way"}
    assert found["three/kept.log"] == "ignored"


@pytest.mark.req("person.net.restore-safe")
def test_index_branches_hooks_and_filters_are_left_alone(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
        (repo / ".git/hooks" / name).write_text(f"#!/bin/sh\ntouch {repo}/hooked\n", "utf-8")
        (repo / ".git/hooks" / name).chmod(0o755)
    git(repo, "config", "core.fsmonitor", f"touch {repo}/monitored")
    git(repo, "config", "filter.evil.smudge", f"touch {repo}/filtered; echo instead")
    write(repo, {".gitattributes": "*.txt filter=evil\n", "staged": "staged\n"})
    git(repo, "-c", "core.hooksPath=none", "-c", "core.fsmonitor=false", "add", "staged")
    keep(repo)
    write(repo, {"file.txt": "changed\n", "staged": "changed\n"})
    untouched = {name: (repo / ".git" / name).read_bytes() for name in ("index", "HEAD", "refs/heads/main")}
    Back(home, repo).put()
    assert {name: (repo / ".git" / name).read_bytes() for name in untouched} == untouched
    assert read(repo) == {
        ".gitattributes": "*.txt filter=evil\n",
        "file.txt": "repo 0\n",
        "staged": "staged\n",
    }


@pytest.mark.req("person.net.restore")
def test_line_ends_encodings_and_rights_come_back(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    git(repo, "config", "core.autocrlf", "true")
    rules = "*.bat text eol=crlf\n*.u16 text working-tree-encoding=UTF-16LE eol=lf\n*.bin -text\n*.sh text eol=lf\n"
    before = {
        ".gitattributes": rules.encode(),
        "a.bat": b"echo 1\r\n",
        "a.u16": "text\n".encode("utf-16-le"),
        "a.bin": b"\r\n\0\n",
        "a.sh": b"#!/bin/sh\n",
        "plain.c": b"int x;\r\n",
    }
    for name, content in before.items():
        (repo / name).write_bytes(content)
    (repo / "a.sh").chmod(0o750)
    (repo / "a.bin").chmod(0o600)
    keep(repo)
    for name in before:
        (repo / name).write_bytes(b"gone\n")
    (repo / ".gitattributes").write_text("* -text\n", "utf-8")
    (repo / "a.sh").chmod(0o640)
    back = Back(home, repo).put()
    assert {name: (repo / name).read_bytes() for name in before} == before
    assert [(repo / name).stat().st_mode & 0o777 for name in ("a.sh", "a.bin")] == [0o750, 0o600]
    Back(home, repo, back.kept).put()
    assert (repo / "a.u16").read_bytes() == b"gone\n"  # no UTF-16, and still kept


@pytest.mark.req("person.net.restore")
@pytest.mark.parametrize(
    ("rules", "setting"),
    [
        ("* text=auto\n", "false"),
        ("* text=auto\n", "true"),
        ("* text\n", "input"),
        ("* text=auto eol=crlf\n", "false"),
        ("*.txt ident text\n", "false"),
    ],
)
def test_every_byte_comes_back_whatever_git_would_store(
    home: Home, repository, keep: Keep, rules: str, setting: str
) -> None:
    repo: Path = repository()
    git(repo, "config", "core.autocrlf", setting)
    ends = {"crlf": b"a\r\nb\r\n", "lf": b"a\nb\n", "mixed": b"a\r\nb\n", "id": b"$Id: old $\r\n"}
    write(repo, {".gitattributes": rules})
    for end, content in ends.items():
        (repo / f"tracked {end}.txt").write_bytes(content)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "all ends")
    for end, content in ends.items():
        (repo / f"new [{end}]\n*.txt").write_bytes(content)
    status = git(repo, "status", "--porcelain")
    before = {place.name: place.read_bytes() for place in repo.iterdir() if place.is_file()}
    keep(repo)
    assert git(repo, "status", "--porcelain") == status
    for place in repo.glob("*.txt"):  # as an agent's formatter does: the other line ends, the same words
        content = place.read_bytes()
        place.write_bytes(content.replace(b"\r\n", b"\n") if b"\r" in content else content.replace(b"\n", b"\r\n"))
    (repo / "made.txt").write_bytes(b"made\r\n")
    after = {place.name: place.read_bytes() for place in repo.iterdir() if place.is_file()}
    back = Back(home, repo).put()
    assert {place.name: place.read_bytes() for place in repo.iterdir() if place.is_file()} == before
    assert Back(home, repo).shown == Difference()
    Back(home, repo, back.kept).put()
    assert {place.name: place.read_bytes() for place in repo.iterdir() if place.is_file()} == after


@pytest.mark.req("person.net.restore")
def test_names_of_every_kind(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    names = ["with space", "-dash", "新文件", "line\nbreak", "*.glob", "q'uote\"", "tab\t", os.fsdecode(b"latin\xe9")]
    for name in names:
        (repo / name).write_text("mine", "utf-8")
    keep(repo)
    for name in names:
        (repo / name).unlink()
    (repo / os.fsdecode(b"made\xff")).write_text("junk", "utf-8")
    back = Back(home, repo).put()
    assert sorted(back.done.put_back) == sorted(names)
    assert all((repo / name).read_text("utf-8") == "mine" for name in names)
    assert not (repo / os.fsdecode(b"made\xff")).exists()


def test_names_that_are_no_text_are_told_as_text(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    (repo / os.fsdecode(b"latin\xe9")).write_text("mine", "utf-8")
    keep(repo)
    (repo / os.fsdecode(b"latin\xe9")).unlink()
    assert "latin" in mi("restore", "last", cwd=repo).stdout
    assert "latin" in mi("diff", "last", "--now", "--json", cwd=repo).stdout
    assert json.loads(mi("restore", "last", "--yes", "--json", cwd=repo).stdout)["applied"] is True


@pytest.mark.req("person.net.restore")
def test_a_repository_without_a_commit(home: Home, tmp_path: Path, keep: Keep) -> None:
    repo = tmp_path / "unborn"
    repo.mkdir()
    git(repo, "init", "-q")
    write(repo, {"a": "mine"})
    keep(repo)
    write(repo, {"a": "lost", "b": "new"})
    Back(home, repo).put()
    assert read(repo) == {"a": "mine"}


@pytest.mark.req("person.net.restore")
def test_submodules_and_repositories_inside_are_named_and_left_alone(home: Home, repository, keep: Keep) -> None:
    repo, other = repository(), repository("other")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    git(repo, "commit", "-qm", "sub")
    write(repo, {"lib/x": "mine"})
    keep(repo)
    write(repo / "sub", {"file.txt": "moved\n"})
    git(repo / "sub", "commit", "-qam", "moved")
    git(repo / "lib", "init", "-q")
    write(repo, {"lib/x": "theirs"})
    git(repo / "lib", "add", "-A")
    git(repo / "lib", "commit", "-qm", "x")
    back = Back(home, repo).put() if Back(home, repo).shown else Back(home, repo)
    assert back.left == {"sub": "submodule", "lib/x": "in-the-way"}
    assert (read(repo)["sub/file.txt"], read(repo)["lib/x"]) == ("moved\n", "theirs")


@pytest.mark.req("person.net.restore-safe")
def test_files_that_change_meanwhile(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"a": "1", "b": "1"})
    keep(repo)
    write(repo, {"a": "2", "b": "2", "new": "2"})
    back = Back(home, repo)
    write(repo, {"c": "the person goes on working"})
    with pytest.raises(Blocked, match="changed since"):
        back.put()
    assert (read(repo)["a"], read(repo)["c"]) == ("2", "the person goes on working")
    back = Back(home, repo, paths=["a", "b", "new"])
    back.put(lambda: write(repo, {"a": "saved in an editor", "new": "this, too"}))
    assert back.left == {"a": "changed", "new": "changed"}
    assert (read(repo)["a"], read(repo)["b"], read(repo)["new"]) == ("saved in an editor", "1", "this, too")


KILLED = """
import os, random, signal, subprocess, sys
sys.path.insert(0, sys.argv[1])
from mi.app import speaker
from mi.cli.main import run
from tests.speaking import make_reader
speaker.read_ancestry = make_reader(os.getppid())
left = int(sys.argv[2])
def watch(place, name):
    real = getattr(place, name)
    def call(*args, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    setattr(place, name, call)
for name in ("replace", "unlink", "mkdir", "rmdir", "fsync", "chmod"):
    watch(os, name)
watch(subprocess, "Popen")
code = run(["restore", "last", "--yes"])
sys.stderr.write(f"{int(sys.argv[2]) - left} steps")
sys.exit(code)
"""


def kill_at(step: int, repo: Path) -> "subprocess.CompletedProcess[str]":
    """Restore, and end it by force at one of its steps; 0 is none."""
    words = [sys.executable, "-c", KILLED, str(Path(__file__).parents[2]), str(step)]
    return subprocess.run(words, cwd=repo, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.req("person.net.restore-safe", "person.net.restore-keeps")
def test_killed_anywhere_it_is_called_again(mi: Mi, home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    before = dict.fromkeys(("a", "b", "deep/c", "deep/d"), "mine") | {"file.txt": "repo 0\n"}
    after = dict.fromkeys(("a", "b", "deep/c", "made", "new/er"), "theirs") | {"file.txt": "repo 0\n"}
    write(repo, before)
    keep(repo)
    write(repo, after)
    (repo / "deep/d").unlink()
    whole = kill_at(0, repo)
    assert (whole.returncode, read(repo)) == (0, before), whole.stderr
    steps = int(whole.stderr.split()[-2])
    seed = random.randrange(1 << 30)
    for step in sorted(random.Random(seed).sample(range(1, steps * 9 // 10), 3)):
        where = f"seed {seed}, step {step} of {steps}"
        write(repo, after)
        (repo / "deep/d").unlink(missing_ok=True)
        status = git(repo, "status", "--porcelain", "-uall")
        killed = kill_at(step, repo)
        assert killed.returncode == -signal.SIGKILL, where
        found = read(repo)
        assert all(found[path] in (before.get(path), after.get(path)) for path in found), where
        if found != after:  # nothing is replaced before it is kept
            Back(home, repo, killed.stdout.split("mi restore ")[1].split()[0]).put()
            assert read(repo) == after, where
        assert git(repo, "status", "--porcelain", "-uall") == status, where  # nothing else was left in the work tree
        done = mi("restore", "last", "--yes", cwd=repo)
        assert (done.returncode, read(repo)) == (0, before), f"{where}: {done.stderr}"
        assert [one.name for one in (repo / ".git").iterdir() if one.name.startswith(".mi")] == [], where


@pytest.mark.req("person.net.restore-safe")
def test_two_at_once(mi: Mi, home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n", "made": "x"})
    others: list[subprocess.CompletedProcess[str]] = []
    Back(home, repo).put(lambda: others.append(mi("restore", "last", "--yes", cwd=repo)))
    assert [(one.returncode, len(one.stderr.splitlines())) for one in others] == [(3, 1)]
    assert read(repo) == {"file.txt": "repo 0\n"}


@pytest.mark.req("person.net.restore-safe", "person.net.restore-asks")
def test_files_that_change_while_the_person_reads_the_question(repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    with closing(Terminal([str(MI), "restore", "last"], repo)) as terminal:
        terminal.read_until("[y/N]")
        write(repo, {"file.txt": "what the person saved meanwhile\n"})
        terminal.type("y\n")
        shown = terminal.finish(3)
    assert "changed since the difference was shown" in shown
    assert read(repo) == {"file.txt": "what the person saved meanwhile\n"}


@pytest.mark.req("person.net.restore-asks")
def test_both_words_for_a_yes_work(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    assert mi("restore", "last", "--apply", cwd=repo).returncode == 0
    assert read(repo) == {"file.txt": "repo 0\n"}


@pytest.mark.req("person.net.restore-safe")
def test_a_full_disk_changes_nothing(mi: Mi, home: Home, tmp_path: Path, keep: Keep) -> None:
    with small_disk(tmp_path / "disk", "3m") as disk:
        git(disk, "init", "-q")
        lines = "".join(f"{number * 7919 % 100003}\n" for number in range(60_000))
        write(disk, {"data": lines, "small": "mine"})
        keep(disk)
        write(disk, {"data": "lost\n", "small": "theirs"})
        room = os.statvfs(disk)
        write(disk, {"filler": "x" * (room.f_bavail * room.f_frsize - 100_000)})
        done = mi("restore", "last", "data", "small", "--yes", cwd=disk)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "nothing was put back" in done.stderr
        assert (read(disk)["data"], read(disk)["small"]) == ("lost\n", "theirs")
        (disk / "filler").unlink()
        assert mi("restore", "last", "--yes", cwd=disk).returncode == 0
        assert (read(disk)["data"], read(disk)["small"]) == (lines, "mine")


@pytest.mark.req("person.net.restore-safe")
def test_not_while_a_run_goes_on(mi: Mi, home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    lock = HomeContext(home, str(repo)).project_home.run_lock
    with open(lock, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = mi("restore", "last", "--yes", cwd=repo)
    assert (done.returncode, read(repo)["file.txt"]) == (3, "changed\n")
    assert "a run is in progress" in done.stderr


@pytest.mark.req("person.net.restore")
def test_a_project_in_a_folder_is_put_back_alone(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"one/x": "1", "two/x": "1"})
    HomeContext(home, str(repo / "one")).use_project()
    keep(repo / "one")
    write(repo, {"one/x": "2", "two/x": "2"})
    back = Back(home, repo / "one").put()
    assert (back.done.put_back, back.shown.elsewhere) == (["one/x"], 1)
    assert (read(repo)["one/x"], read(repo)["two/x"]) == ("1", "2")


@pytest.mark.req("person.net.restore")
def test_a_run_of_another_work_tree_is_not_put_back_here(home: Home, repository, keep: Keep, tmp_path: Path) -> None:
    repo: Path = repository()
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    keep(repo)
    keep(tmp_path / "side", run="run_20261117T110000_bbbbbbbb")
    write(tmp_path / "side", {"file.txt": "changed\n"})
    with pytest.raises(NotFound, match=f"--cd {repo}"):
        Back(home, tmp_path / "side")
    Back(home, tmp_path / "side", "last").put()
    assert read(tmp_path / "side") == {"file.txt": "repo 0\n"}


@pytest.mark.req("person.net.diff", "person.net.restore")
def test_batches_stand_in_the_order_in_which_they_were(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    for number in (1, 2, 9, 10):
        write(repo, {"file.txt": f"before {number}\n"})
        keep(repo, f"b{number}")
    write(repo, {"file.txt": "before 1\n"})  # the end is as the beginning was
    keep(repo, END)
    context = HomeContext(home, str(repo))
    after = {ref: choose_snapshots(context, ref).last for ref in ("last", "b2", "b9", "b10")}
    assert {ref: one.batch_id for ref, one in after.items() if one} == {
        "last": END,
        "b2": "b9",
        "b9": "b10",
        "b10": END,
    }


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["b7"], 1, f"these are: {RUN}/b1"),
        (["run_20200101T000000_cccccccc"], 1, "nothing is kept of run_20200101T000000_cccccccc"),
        (["nonsense/b1"], 2, "nonsense/b1 is no run"),
        (["last", "/etc/passwd"], 2, "/etc/passwd is not in"),
        (["last", "no/such"], 1, "no/such is neither in"),
    ],
)
@pytest.mark.parametrize("command", ["restore", "diff"])
def test_bad_words_get_one_line(mi: Mi, repository, keep: Keep, command: str, args: list[str], code: int, said: str):
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    done = mi(command, *args, cwd=repo)
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1)
    assert said in done.stderr


@pytest.mark.parametrize("broken", ["objects", "HEAD", "bare", "gone"])
def test_a_repository_that_is_broken_gets_one_line(mi: Mi, repository, keep: Keep, broken: str) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    match broken:
        case "objects":
            shutil.rmtree(repo / ".git/objects")
        case "HEAD":
            (repo / ".git/HEAD").write_text("nonsense", "utf-8")
        case "bare":
            git(repo, "config", "core.bare", "true")
        case "gone":
            shutil.rmtree(repo)
    done = mi("restore", RUN, "--yes", "--cd", str(repo))
    assert done.returncode in (1, 2) or broken == "bare"
    assert len(done.stderr.splitlines()) <= 1
    if broken != "gone":
        assert read(repo)["file.txt"] == ("repo 0\n" if done.returncode == 0 else "changed\n")


@pytest.mark.req("person.net.restore-asks")
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 3), ("", 3)])
def test_a_person_at_the_terminal_is_asked(repository, keep: Keep, answer: str, code: int) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    with closing(Terminal([str(MI), "restore", "last"], repo)) as terminal:
        terminal.type(f"{answer}\n")
        shown = terminal.finish(code)
    assert read(repo)["file.txt"] == ("changed\n" if code else "repo 0\n")
    assert shown.index("put back  file.txt") < shown.index("The present state is kept first")


def test_it_is_said_in_chinese(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n", "new": "x"})
    shown = mi("restore", "last", "--yes", cwd=repo, env={"MI_LANG": "zh"}).stdout
    assert shown.isascii() is False
    assert "mi restore cli_" in shown


@pytest.mark.req("person.net.restore-asks")
def test_without_arguments_it_lists_what_is_kept(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    assert "Nothing is kept" in mi("restore", cwd=repo).stdout
    keep(repo)
    keep(repo, END)
    assert [one["ref"] for one in json.loads(mi("restore", "--json", cwd=repo).stdout)] == [
        f"refs/mi/{RUN}/{END}",
        f"refs/mi/{RUN}/b1",
    ]
    assert f"{RUN}/b1" in mi("restore", cwd=repo).stdout


@pytest.mark.req("mi.kind.tree-restore")
def test_it_is_recorded_before_and_after(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    log = Path(HomeContext(home, str(repo)).project_home.evidence)
    during: list[str] = []
    Back(home, repo).put(lambda: during.append(log.read_text("utf-8")))
    states = [json.loads(line)["state"] for line in log.read_text("utf-8").splitlines() if "tree_restore" in line]
    assert ('"begun"' in during[0], states) == (True, ["begun", "done"])


@pytest.mark.req("person.net.restore-keeps")
def test_what_cannot_be_written_down_is_not_replaced(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n"})
    back = Back(home, repo)
    (repo / ".git/index").write_bytes(b"nonsense")
    with pytest.raises(MiError, match="nothing was put back"):
        back.put()
    assert read(repo)["file.txt"] == "changed\n"


@pytest.mark.req("person.net.restore")
@pytest.mark.parametrize("how", ["removed", "changed"])
def test_references_that_an_agent_removes_or_changes_cost_nothing(home: Home, repository, keep: Keep, how: str) -> None:
    repo: Path = repository()
    write(repo, {"file.txt": "an hour of work\n"})
    keep(repo)
    write(repo, {"file.txt": "lost\n"})
    keep(repo, "b2")
    words = ["-d", f"refs/mi/{RUN}/b1"] if how == "removed" else [f"refs/mi/{RUN}/b1", f"refs/mi/{RUN}/b2"]
    git(repo, "update-ref", *words)
    back = Back(home, repo).put()
    assert read(repo) == {"file.txt": "an hour of work\n"}
    assert [notice.key for notice in back.context.notices] == ["snapshot-recorded"]


@pytest.mark.req("person.net.restore-outside-git")
def test_what_was_kept_before_it_was_a_repository(home: Home, tmp_path: Path, keep: Keep) -> None:
    root = tmp_path / "plain"
    write(root, {"a": "mine", "sub/b": "mine"})
    keep(root)
    git(root, "init", "-q")
    write(root, {"a": "theirs", "c": "theirs"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    shutil.rmtree(root / "sub")
    back = Back(home, root).put()
    assert read(root) == {"a": "mine", "sub/b": "mine"}
    Back(home, root, back.kept).put()
    assert read(root) == {"a": "theirs", "c": "theirs"}


@pytest.mark.req("person.net.restore-safe")
def test_not_while_a_run_goes_on_in_a_project_inside(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"one/x": "1", "two/x": "1"})
    inner = HomeContext(home, str(repo / "one"))
    inner.use_project()
    keep(repo)
    write(repo, {"one/x": "2", "two/x": "2"})
    with open(inner.project_home.run_lock, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Blocked, match="a run is in progress"):
            Back(home, repo).put()
        Back(home, repo, paths=["two"]).put()
    assert (read(repo)["one/x"], read(repo)["two/x"]) == ("2", "1")


@pytest.mark.req("person.net.restore-keeps")
def test_rules_that_an_agent_writes_bend_no_content(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    (repo / "image").write_bytes(b"\x89PNG\r\n\x00\n")
    keep(repo)
    write(repo, {".gitattributes": "* text eol=crlf\n*.txt working-tree-encoding=nonsense\n", "file.txt": "theirs\n"})
    git(repo, "config", "core.safecrlf", "true")
    drawn = b"\x89PNG\r\n\x00\nwhat the person drew since\r\n"
    (repo / "image").write_bytes(drawn)
    back = Back(home, repo).put()
    assert (repo / "image").read_bytes() == b"\x89PNG\r\n\x00\n"
    assert sorted(read(repo)) == ["file.txt", "image"]
    Back(home, repo, back.kept).put()
    assert (repo / "image").read_bytes() == drawn
    assert read(repo)["file.txt"] == "theirs\n"


@pytest.mark.req("person.net.restore-keeps")
@pytest.mark.parametrize("mark", ["--skip-worktree", "--assume-unchanged"])
def test_a_file_that_git_is_told_to_pass_over_is_seen(home: Home, repository, keep: Keep, mark: str) -> None:
    repo: Path = repository()
    keep(repo)
    git(repo, "update-index", mark, "file.txt")
    write(repo, {"file.txt": "changed behind git's back\n"})
    back = Back(home, repo).put()
    assert read(repo) == {"file.txt": "repo 0\n"}
    Back(home, repo, back.kept).put()
    assert read(repo) == {"file.txt": "changed behind git's back\n"}


@pytest.mark.req("person.net.diff")
@pytest.mark.parametrize("rules", [".gitattributes", ".git/info/attributes"])
@pytest.mark.parametrize("now", [(), ("--now",)])
def test_attributes_hide_no_change(mi: Mi, repository, keep: Keep, rules: str, now: tuple[str, ...]) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {rules: "* -diff\n", "file.txt": "a change to hide\n"})
    git(repo, "add", "-A")
    keep(repo, END)
    assert "+a change to hide" in mi("diff", "last", *now, cwd=repo).stdout


@pytest.mark.req("person.net.restore-safe")
def test_a_repository_that_lies_in_its_own_work_tree_is_not_put_back(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    git(repo, "init", "-q", f"--separate-git-dir={repo / '.repo'}")
    keep(repo)
    write(repo, {"file.txt": "work\n"})
    git(repo, "commit", "-qam", "work after the run")
    commit = git(repo, "rev-parse", "HEAD").strip()
    back = Back(home, repo).put()
    assert git(repo, "rev-parse", "HEAD").strip() == commit
    assert git(repo, "fsck", "--no-dangling") == ""
    Back(home, repo, back.kept).put()
    assert (repo / "file.txt").read_text("utf-8") == "work\n"


@pytest.mark.req("person.net.restore-safe")
def test_a_repository_that_an_agent_moved_survives(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    before = read(repo)
    keep(repo)
    (repo / ".git").rename(repo / ".g2")
    (repo / ".git").write_text("gitdir: .g2\n", "utf-8")
    write(repo, {"file.txt": "spoilt\n"})
    Back(home, repo).put()
    assert git(repo, "fsck", "--no-dangling") == ""
    assert {path: said for path, said in read(repo).items() if not path.startswith(".g2/")} == before


@pytest.mark.req("person.net.restore-safe")
@pytest.mark.parametrize("way", ["link on the way", "pipe"])
def test_what_git_would_refuse_switches_nothing_off(
    home: Home, repository, keep: Keep, tmp_path: Path, way: str
) -> None:
    repo: Path = repository()
    write(repo, {"src/f.py": "work\n", "other.txt": "as it was\n"})
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "more")
    keep(repo)
    if way == "pipe":
        (repo / "src/f.py").unlink()
        os.mkfifo(repo / "src/f.py")
    else:
        (repo / "src").rename(tmp_path / "moved")
        (repo / "src").symlink_to(tmp_path / "moved")
    write(repo, {"other.txt": "spoilt\n"})
    keep(repo, "b2")
    back = Back(home, repo).put()
    assert (repo / "other.txt").read_text("utf-8") == "as it was\n"
    assert way == "pipe" or (tmp_path / "moved/f.py").read_text("utf-8") == "work\n"
    assert (repo / "src/f.py").is_file() or "src/f.py" in back.left


@pytest.mark.req("person.net.restore")
def test_work_that_lies_in_a_virtual_environment_is_kept(home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"work/pyvenv.cfg": "", "work/bin/python": "", "work/lib/x.py": "installed", "work/mine.py": "mine\n"})
    keep(repo)
    shutil.rmtree(repo / "work")
    Back(home, repo).put()
    assert (repo / "work/mine.py").read_text("utf-8") == "mine\n"
    assert not (repo / "work/lib").exists()


@pytest.mark.req("person.net.diff")
def test_what_a_difference_cannot_show_is_named(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"token.txt": SECRET, "plain.txt": "x\n"})
    keep(repo, "b2")
    done = mi("diff", RUN, "--cd", str(repo))
    assert "plain.txt" in done.stdout
    assert "token.txt" not in done.stdout
    assert "not compared: token.txt (holds a secret" in done.stderr
    shown = json.loads(mi("diff", RUN, "--cd", str(repo), "--json").stdout)
    assert shown["unseen"] == [{"path": "token.txt", "why": "secret"}]


@pytest.mark.req("person.net.diff")
@pytest.mark.parametrize("now", [(), ("--now",)])
def test_what_is_left_out_since_is_not_shown_as_removed(mi: Mi, repository, keep: Keep, now: tuple[str, ...]) -> None:
    repo: Path = repository()
    write(repo, {"grows": "small\n", "token.cfg": "none yet\n", "lib/x": "mine\n", "gone": "x\n"})
    keep(repo)
    write(repo, {"grows": "x" * 10_000_001, "token.cfg": SECRET})
    git(repo / "lib", "init", "-q")
    git(repo / "lib", "add", "-A")
    git(repo / "lib", "commit", "-qm", "x")
    (repo / "gone").unlink()
    keep(repo, END)
    told = json.loads(mi("diff", "last", *now, "--json", cwd=repo).stdout)
    assert [(one["path"], one["kind"]) for one in told["changes"]] == [("gone", "removed")]
    inner = {"lib": "repository"} if now else {}  # a run goes on with the files that it began with
    assert {one["path"]: one["why"] for one in told["unseen"]} == {"grows": "large", "token.cfg": "secret"} | inner
    assert "deleted file" not in mi("diff", "last", *now, "grows", "token.cfg", "lib", cwd=repo).stdout


@pytest.mark.req("person.net.diff", "person.net.restore-keeps")
@pytest.mark.parametrize("rules", [".gitignore", ".git/info/exclude"])
def test_what_an_agent_hides_by_rules_is_named(mi: Mi, repository, keep: Keep, rules: str) -> None:
    repo: Path = repository()
    write(repo, {rules: "old.log\n", "old.log": "ignored all along\n"})
    keep(repo)
    write(repo, {rules: "old.log\nhidden.py\nbuild/\n", "hidden.py": "import os\n", "build/x": "1", "file.txt": "2\n"})
    told = json.loads(mi("diff", "last", "--now", "--json", cwd=repo).stdout)
    hidden = {"hidden.py": "hidden", "build/x": "hidden"}
    assert {one["path"]: one["why"] for one in told["unseen"]} == hidden
    done = mi("restore", "last", "--yes", cwd=repo)
    assert done.returncode == 0
    assert "left as it is: hidden.py (made since and ignored" in done.stdout
    assert {"hidden.py", "build/x", "old.log"} <= read(repo).keys()


@pytest.mark.req("person.net.diff", "person.net.restore-asks")
def test_a_great_many_hidden_files_are_counted(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {".gitignore": "target/\n", "file.txt": "2\n"} | {f"target/{number}": "x" for number in range(100)})
    shown = mi("restore", "last", cwd=repo).stdout
    assert shown.count("left as it is") == 60
    assert "and 40 more are left as they are" in shown
    told = mi("diff", "last", "--now", cwd=repo)
    assert told.stderr.count("not compared: target/") == 60
    assert "not compared: 40 more (--json" in told.stderr
    assert len(json.loads(mi("diff", "last", "--now", "--json", cwd=repo).stdout)["unseen"]) == 100


@pytest.mark.req("person.net.settings")
@pytest.mark.parametrize("place", [".", "sub"])
def test_a_pipe_in_place_of_the_rules_of_git_keeps_nobody_waiting(mi: Mi, repository, keep: Keep, place: str) -> None:
    repo: Path = repository()
    write(repo, {"file.txt": "1\n"})
    keep(repo)
    write(repo, {"file.txt": "2\n", "sub/new.txt": "3\n"})
    os.mkfifo(repo / place / ".gitignore")
    refused = mi("restore", RUN, "--yes", cwd=repo)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert (repo / "file.txt").read_text("utf-8") == "2\n"
    os.unlink(repo / place / ".gitignore")
    assert mi("restore", RUN, "--yes", cwd=repo).returncode == 0
    assert (repo / "file.txt").read_text("utf-8") == "1\n"
