"""Checks run on copies: at the project's own path, with nothing written anywhere else and nothing left running."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.project.proof import sandbox
from mi.project.proof.copies import (
    Copy,
    CopyRules,
    Scratch,
    clean_scratch,
    close_scratch,
    compose,
    make_copy,
    open_scratch,
    remove_copy,
)
from mi.project.proof.dependencies import compare_dependencies, find_beside, list_dependencies
from mi.project.proof.sandbox import CheckOutput, Way, run_in_copy
from mi.project.trees import GitTree
from mi.project.worktree import WorktreeWatch
from tests.conftest import git
from tests.real.installed import program

WAYS: list[Way] = ["namespaces", "bubblewrap", "plain"]
AT_ITS_PATH: list[Way] = ["namespaces", "bubblewrap"]


@pytest.fixture(autouse=True)
def tools() -> None:
    program("bwrap", "bubblewrap", "run checks in")


@pytest.fixture
def project(repository) -> Path:
    """A project with sources in git and, beside them, what was installed and built."""
    repo: Path = repository("project")
    write(repo, {".gitignore": "node_modules/\ntarget/\n", "src/product.py": "VALUE = 'committed'\n", "Cargo.toml": ""})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "sources")
    write(repo, {"node_modules/left-pad/index.js": "pad\n", "target/agents": "the agent's own\n"})
    return repo


def write(folder: Path, contents: dict[str, str]) -> None:
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")


def copy_of(project: Path, scratch: Scratch, rules: CopyRules = CopyRules()) -> Copy:  # noqa: B008
    with WorktreeWatch(str(project)) as watch:
        assert watch.first_tree is not None
        made = make_copy(watch.first_tree, scratch, rules, watch.left_out)
    assert made.problem == ""
    return made


def state(*folders: Path) -> dict[str, object]:
    """Everything below some folders: contents, kinds and times."""
    found: dict[str, object] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (content, status.st_mode, status.st_mtime_ns)
    return found


def said(ended: CheckOutput) -> list[str]:
    assert ended.problem == "", ended
    return ended.output.split()


@pytest.mark.req("judge.copy.own-path")
@pytest.mark.parametrize("way", AT_ITS_PATH)
def test_the_copy_appears_at_the_projects_own_path(project: Path, scratch: Scratch, way: Way):
    made = copy_of(project, scratch)
    (project / "src/product.py").write_text("VALUE = 'changed since'\n", "utf-8")
    (project / "src/new.py").write_text("", "utf-8")
    command = f"pwd; cat {project}/src/product.py; ls {project}/src; cat node_modules/left-pad/index.js"
    shown = run_in_copy(made, command, way=way)
    assert said(shown) == [str(project), "VALUE", "=", "'committed'", "product.py", "pad"]


@pytest.mark.req("judge.copy.own-path")
@pytest.mark.parametrize("way", AT_ITS_PATH)
def test_in_a_linked_work_tree_the_copy_appears_at_the_main_one_too(project: Path, scratch: Scratch, way, tmp_path):
    linked = tmp_path / "linked"
    git(project, "worktree", "add", "-q", "-b", "other", str(linked))
    (linked / "src/product.py").write_text("VALUE = 'of the work tree'\n", "utf-8")
    made = copy_of(linked, scratch)
    shown = run_in_copy(made, f"pwd; cat {project}/src/product.py; git rev-parse --abbrev-ref HEAD", way=way)
    assert said(shown) == [str(linked), "VALUE", "=", "'of", "the", "work", "tree'", "other"]


@pytest.mark.req("judge.copy.own-path")
@pytest.mark.parametrize("ignored", [".venv/", ""])
def test_an_editable_install_leads_to_the_copy(project: Path, scratch: Scratch, ignored: str):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=project, check=True)
    [packages] = (project / ".venv/lib").glob("python*/site-packages")
    (packages / "editable.pth").write_text(f"{project}/src\n", "utf-8")
    (project / ".gitignore").write_text(f"{ignored}\nnode_modules/\ntarget/\n", "utf-8")
    (project / ".venv/.gitignore").unlink(missing_ok=True)
    made = copy_of(project, scratch)
    (project / "src/product.py").write_text("VALUE = 'changed since'\n", "utf-8")
    command = f"{project}/.venv/bin/python -c 'import product; print(product.VALUE)'"
    assert [said(run_in_copy(made, command, way=way)) for way in WAYS] == [["committed"]] * 3


@pytest.mark.req("judge.copy.plain-checked")
def test_a_plain_copy_whose_tests_take_code_from_the_work_tree_proves_nothing(project: Path, scratch: Scratch):
    write(project, {"test_it.py": f"import sys\nsys.path.insert(0, {str(project / 'src')!r})\nimport product\n"})
    made = copy_of(project, scratch)
    command = f"{sys.executable} test_it.py"
    assert run_in_copy(made, command, way="plain").problem == f"outside: {project}/src/product.py"
    assert run_in_copy(made, command, way="namespaces").problem == ""
    assert run_in_copy(made, "true", way="plain", network=False).problem == "no-network-switch"


SUITE = """
import os, pathlib, sqlite3
here = pathlib.Path.cwd()
for path in ("written.txt", "src/product.py", "node_modules/left-pad/index.js", "node_modules/new.js"):
    try:
        (here / path).write_text("written by the suite")
    except OSError:
        pass
with sqlite3.connect(here / "data.sqlite") as db:
    db.execute("insert into entries values (2)")
    print(db.execute("select count(*) from entries").fetchone()[0])
(pathlib.Path.home() / ".cache").mkdir(exist_ok=True)
(pathlib.Path.home() / ".cache" / "tool").write_text("cached")
"""


@pytest.mark.req("judge.copy.nothing-written")
@pytest.mark.parametrize("way", WAYS)
def test_a_suite_that_writes_everywhere_leaves_the_work_tree_and_the_home_as_they_were(
    project: Path, scratch: Scratch, home: Home, way: Way
):
    with sqlite3.connect(project / "data.sqlite") as db:
        db.execute("create table entries (number)")
        db.execute("insert into entries values (1)")
    write(project, {"suite.py": SUITE})
    user = Path(os.environ["HOME"])
    write(user, {".cache/kept": "1"})
    made = copy_of(project, scratch)
    watched = [project, *([user] if way != "plain" else [])]
    before, kept = state(*watched), os.listdir(home.root)
    shown = run_in_copy(made, f"{sys.executable} suite.py; touch {home.root}/inside {user}/beside", way=way)
    assert said(shown)[0] == "2"
    remove_copy(made)
    assert state(*watched) == before
    if way != "plain":
        assert os.listdir(home.root) == kept
        assert not (user / "beside").exists()


@pytest.mark.req("judge.copy.nothing-written")
@pytest.mark.parametrize("way", WAYS)
def test_each_run_has_a_temporary_folder_without_what_others_left_there(
    project: Path, scratch: Scratch, way: Way, tmp_path: Path
):
    temporary = tmp_path / "temporary"
    write(temporary, {"answers.json": "{}", "counter": "7", "tools/tool": "here"})
    environment = {"TMPDIR": str(temporary), "TOOLS": str(temporary / "tools")}
    made = copy_of(project, scratch)
    command = 'cat "$TMPDIR"/answers.json "$TMPDIR"/counter; mktemp >/dev/null && echo > "$TMPDIR/counter" && echo made'
    shown = [said(run_in_copy(made, f"({command}) 2>/dev/null", env=environment, way=way)) for _ in range(2)]
    assert shown[0] == ["made"]
    assert way == "plain" or shown[1] == ["made"]
    assert (temporary / "counter").read_text("utf-8") == "7"
    if way == "namespaces":
        assert said(run_in_copy(made, 'cat "$TOOLS/tool"', env=environment, way=way)) == ["here"]


@pytest.mark.req("judge.copy.builds")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_built_is_mis_own_and_kept_for_the_next_copy(project: Path, scratch: Scratch, way: Way):
    seen = [
        said(run_in_copy(copy_of(project, scratch), "ls target; echo built > target/mine", way=way)) for _ in range(2)
    ]
    assert seen == [[], ["mine"]]
    assert os.listdir(project / "target") == ["agents"]


@pytest.mark.req("judge.copy.builds")
def test_files_that_are_the_bases_keep_their_time_and_changed_ones_are_newer(project: Path, scratch: Scratch):
    write(project, {"same.c": "", "changed.c": "1"})
    with WorktreeWatch(str(project)) as watch:
        base = watch.first_tree
        assert base is not None
        first = make_copy(base, scratch)
        write(project, {"changed.c": "2"})
        watch.step()
        second = make_copy(watch.last_tree, scratch, base=base)
    times = [
        [os.stat(os.path.join(made.folder, name)).st_mtime_ns for name in ("same.c", "changed.c")]
        for made in (first, second)
    ]
    assert times[0][0] == times[0][1] == times[1][0] < times[1][1]


@pytest.mark.parametrize("way", WAYS)
def test_replaced_files_and_left_out_ones_are_in_the_copy(project: Path, scratch: Scratch, way: Way):
    write(project, {"run.sh": "echo mine", "conftest.py": "x", "big.bin": "b" * 11_000_000})
    (project / "run.sh").chmod(0o755)
    with WorktreeWatch(str(project)) as watch:
        assert watch.first_tree is not None
        tree = compose(watch.first_tree, {"run.sh": b"echo base", "conftest.py": None, "tests/new": b"new "})
        made = make_copy(tree, scratch, left_out=watch.left_out)
    assert (made.problem, made.left_out) == ("", ("big.bin",))
    shown = run_in_copy(made, "./run.sh; ls conftest* | wc -l; cat tests/new; wc -c < big.bin; echo > big.bin", way=way)
    words = [word for word in said(shown) if word in ("base", "mine", "0", "1", "new", "11000000")]
    assert words == ["base", "0", "new", "11000000"]
    assert (project / "big.bin").stat().st_size == 11_000_000


@pytest.mark.parametrize("way", WAYS)
def test_more_paths_of_the_work_tree_can_be_copied_and_shared(project: Path, scratch: Scratch, way: Way):
    write(project, {".gitignore": "generated/\nlibs/\ntarget/\n", "generated/a": "made", "libs/x": "shared"})
    made = copy_of(project, scratch, CopyRules(link=("libs",), copy=("generated",)))
    shown = run_in_copy(made, "cat generated/a libs/x; echo > libs/x; echo > generated/a", way=way)
    assert shown.output.startswith("madeshared")
    assert ((project / "generated/a").read_text("utf-8"), (project / "libs/x").read_text("utf-8")) == ("made", "shared")


@pytest.mark.parametrize("way", WAYS)
def test_a_submodule_is_there(project: Path, scratch: Scratch, repository, way: Way):
    inner: Path = repository("inner")
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    shown = run_in_copy(copy_of(project, scratch), "cat sub/file.txt", way=way)
    assert said(shown) == ["inner", "0"]


LISTENS = "import socket; s = socket.create_server(('127.0.0.1', {port})); print('listens')"


@pytest.mark.req("judge.copy.network")
@pytest.mark.parametrize("way", AT_ITS_PATH)
def test_without_the_network_a_port_that_another_holds_is_free(project: Path, scratch: Scratch, way: Way):
    made = copy_of(project, scratch)
    with socket.create_server(("127.0.0.1", 0)) as held:
        command = f'{sys.executable} -c "{LISTENS.format(port=held.getsockname()[1])}"'
        shared = run_in_copy(made, command, way=way)
        alone = run_in_copy(made, command, way=way, network=False)
    assert (shared.exit_code, "in use" in shared.output) == (1, True)
    assert (alone.exit_code, said(alone)) == (0, ["listens"])


# A process that left its group, its session and its parent; while it lives, it holds a named pipe open.
DAEMON = """
import os, signal
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pipe = os.open('alive', os.O_WRONLY)
os.write(pipe, b'alive')
signal.pause()
"""


def make_pipe(made: Copy) -> int:
    path = os.path.join(made.reports, "alive")
    os.mkfifo(path)
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


def read_until_all_are_gone(pipe: int) -> bytes:
    os.set_blocking(pipe, True)
    with os.fdopen(pipe, "rb") as file:
        return file.read()  # ends when no process holds the pipe any more


@pytest.mark.req("judge.copy.nothing-left-running")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("then", ["ends", "hangs"])
def test_whatever_a_suite_starts_ends_with_it(project: Path, scratch: Scratch, way: Way, then: str):
    made = copy_of(project, scratch)
    pipe = make_pipe(made)
    write(Path(made.reports), {"daemon.py": DAEMON})
    waits = f"cd {made.reports}; {sys.executable} daemon.py; head -c 0 /dev/null"
    seconds = 900.0 if then == "ends" else 3.0
    ended = run_in_copy(made, waits + ("; exit 4" if then == "ends" else "; sleep 1000"), seconds=seconds, way=way)
    assert (ended.exit_code, ended.problem) == ((4, "") if then == "ends" else (None, "timeout"))
    assert read_until_all_are_gone(pipe) in (b"alive", b"")


@pytest.mark.req("judge.copy.nothing-left-running")
@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_is_to_stop_stops(project: Path, scratch: Scratch, way: Way):
    class Stopped:
        reason = "ctrl-c"

    ended = run_in_copy(copy_of(project, scratch), "sleep 1000", stop=Stopped(), way=way)
    assert (ended.exit_code, ended.problem) == (None, "stopped")


KILLED = """
import sys
from mi.project.proof.copies import make_copy, open_scratch
from mi.project.proof.sandbox import run_in_copy
from mi.project.trees import GitTree
from mi.project.worktree import WorktreeWatch
root, folder, way, daemon = sys.argv[1:]
with WorktreeWatch(root) as watch:
    made = make_copy(watch.first_tree, open_scratch(folder))
print(made.reports, flush=True)
sys.stdin.readline()
run_in_copy(made, f"cd {made.reports}; {sys.executable} -c '{daemon}'; sleep 1000", way=way)
"""


@pytest.mark.req("judge.copy.killed")
@pytest.mark.parametrize("way", WAYS)
def test_when_mi_is_killed_nothing_stays_running_and_the_next_start_cleans_up(project: Path, home: Home, way: Way):
    before = state(project)
    folder, daemon = home.path("scratch"), DAEMON.replace("'", '"')
    arguments = [sys.executable, "-c", KILLED, str(project), folder, way, daemon]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        reports = process.stdout.readline().decode().strip()
        os.mkfifo(os.path.join(reports, "alive"))
        process.stdin.write(b"go\n")
        process.stdin.flush()
        with open(os.path.join(reports, "alive"), "rb") as pipe:  # opened once the suite's process is there
            assert pipe.read(5) == b"alive"
            clean_scratch(folder)
            assert os.path.isdir(reports)  # of a living process: left alone
            os.kill(process.pid, signal.SIGKILL)
            assert pipe.read() == b""  # nobody holds it any more
    assert state(project) == before
    close_scratch(open_scratch(folder))
    assert os.listdir(folder) == []


FULL = """
import os, subprocess, sys
from mi.project.proof.copies import make_copy, open_scratch
from mi.project.trees import GitTree
from mi.project.worktree import WorktreeWatch
root, folder = sys.argv[1:]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder], check=True)
with WorktreeWatch(root) as watch:
    print(make_copy(watch.first_tree, open_scratch(folder)).problem)
"""


@pytest.mark.req("judge.copy.full-disk")
def test_a_full_disk_is_a_value(project: Path, tmp_path: Path):
    write(project, {"large.txt": "0123456789" * 50_000})
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["unshare", "--map-root-user", "--mount", sys.executable, "-c", FULL, str(project), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.startswith("no-copy: ")


def test_a_scratch_folder_that_another_made_is_not_used(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(PermissionError):
        open_scratch(str(tmp_path / "link"))


def test_a_disk_that_is_full_after_the_run_makes_it_say_nothing(project: Path, scratch: Scratch, monkeypatch):
    monkeypatch.setattr(sandbox, "_ROOM_BYTES", 1 << 60)
    assert run_in_copy(copy_of(project, scratch), "true").problem == "no-space"


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_started_says_so(project: Path, scratch: Scratch, way: Way):
    ended = run_in_copy(copy_of(project, scratch), "true", folder="missing", way=way)
    assert ended.exit_code is None
    assert ended.problem.startswith("cannot-start: ")
    assert "missing" in ended.problem


@pytest.mark.req("judge.copy.environment")
@pytest.mark.parametrize("way", WAYS)
def test_the_environment_is_the_persons(project: Path, scratch: Scratch, monkeypatch, way: Way):
    for name in ("MI_BATCH_MARK", "CLAUDECODE", "CODEX_SANDBOX", "GIT_DIR", "EDITOR"):
        monkeypatch.setenv(name, "x")
    shown = run_in_copy(copy_of(project, scratch), "env", env={"REPORT": "here"}, way=way)
    names = {line.partition("=")[0] for line in shown.output.splitlines()}
    assert {"EDITOR", "REPORT", "PATH", "HOME"} <= names
    assert not names & {"MI_BATCH_MARK", "CLAUDECODE", "CODEX_SANDBOX", "GIT_DIR"}


def test_output_and_exit_code_come_back(project: Path, scratch: Scratch):
    made = copy_of(project, scratch)
    ended = run_in_copy(made, "pwd; echo error >&2; kill -9 $$", folder="src")
    assert (ended.exit_code, said(ended)) == (137, [str(project / "src"), "error"])
    assert run_in_copy(made, "no-such-tool").exit_code == 127
    many = run_in_copy(made, "yes 0123456789 | head -c 40000000; echo; echo the end")
    assert many.output.endswith("the end\n")
    assert len(many.output) < 20_000_000


def test_a_program_cannot_take_the_place_apart(project: Path, scratch: Scratch):
    made = copy_of(project, scratch)
    shown = run_in_copy(made, f"umount {project} || umount -l {project} || mount -o remount,rw / || echo refused")
    assert said(shown)[-1] == "refused"


ANY_USER = """
from pathlib import Path
from mi.project.proof.copies import make_copy, open_scratch
from mi.project.proof.sandbox import find_way, run_in_copy
from mi.project.trees import GitTree
from mi.project.worktree import WorktreeWatch
root = Path("project")
root.mkdir()
(root / "a").write_text("1\\n")
with WorktreeWatch(str(root)) as watch:
    made = make_copy(watch.first_tree, open_scratch(str(Path("scratch").absolute())))
print(find_way(), run_in_copy(made, "cat a; echo 2 > a; cat a").output, (root / "a").read_text())
"""


@pytest.fixture
def any_users_folder() -> Iterator[Path]:
    """A folder of a user without rights, where root runs the tests."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.req("judge.copy.as-any-user")
def test_a_user_without_rights_can_do_it_too(any_users_folder: Path):
    can_read = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]  # Python may lie in root's folder
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *can_read] if os.geteuid() == 0 else []
    theirs = "/etc" if os.geteuid() else "/root"  # a cache of somebody else's is in nobody's way
    env = os.environ | {"HOME": str(any_users_folder), "CARGO_HOME": theirs}
    command = [*other, sys.executable, "-c", ANY_USER]
    done = subprocess.run(command, cwd=any_users_folder, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.split() == ["namespaces", "1", "2", "1"], done.stderr


@pytest.mark.req("judge.copy.dependencies")
def test_a_change_of_what_is_installed_is_noticed(project: Path, repository):
    write(project, {"node_modules/@scope/a/index.js": "a", "venv/lib/python3.12/site-packages/pkg/x.py": "x"})
    write(project, {"venv/pyvenv.cfg": "", "venv/bin/python": ""})
    write(project, {".pytest_cache/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n"})  # installs nothing
    with WorktreeWatch(str(project)) as watch:
        assert watch.first_tree is not None
        beside = find_beside(str(project), watch.first_tree)
    assert beside.dependencies == ("node_modules", "venv/bin", "venv/lib")
    assert beside.builds == ("target",)
    before = list_dependencies(str(project), beside.dependencies)
    assert compare_dependencies(before, list_dependencies(str(project), beside.dependencies)) == []
    write(project, {"node_modules/@scope/a/index.js": "longer", "node_modules/.cache/x": "x", "node_modules/new/x": ""})
    write(project, {"venv/lib/python3.12/site-packages/pkg/__pycache__/x.pyc": "x"})
    (project / "venv/lib/python3.12/site-packages/pkg/x.py").unlink()
    now = list_dependencies(str(project), beside.dependencies)
    assert compare_dependencies(before, now) == [
        "node_modules/@scope/a",
        "node_modules/new",
        "venv/lib/python3.12/site-packages/pkg",
    ]


@pytest.mark.req("judge.copy.dependencies")
def test_a_file_of_the_base_looks_new_after_a_copy_that_had_another(project: Path, scratch: Scratch):
    """Else a compiler that goes by times would take what it built of the other one."""

    def times(tree: GitTree) -> list[int]:
        made = make_copy(tree, scratch, base=base)
        return [os.stat(os.path.join(made.folder, path)).st_mtime_ns for path in ("src/product.py", "Cargo.toml")]

    with WorktreeWatch(str(project)) as watch:
        base = watch.first_tree
        assert isinstance(base, GitTree)
        (project / "src/product.py").write_text("VALUE = 'changed'\n", "utf-8")
        watch.step()
        assert isinstance(watch.last_tree, GitTree)
        first, changed, again = times(base), times(watch.last_tree), times(base)
    assert first[0] < changed[0] < again[0]
    assert first[1] == changed[1] == again[1]


def test_a_dependency_folder_that_git_keeps_is_part_of_the_sources(project: Path):
    write(project, {"vendor/x.go": "package x", "vendor/deps/y": ""})
    with WorktreeWatch(str(project)) as watch:
        assert watch.first_tree is not None
        assert find_beside(str(project), watch.first_tree).dependencies == ("node_modules",)


def test_a_pointer_to_a_large_file_is_filled(project: Path, scratch: Scratch):
    content = b"large" * 1000
    digest = subprocess.run(["sha256sum"], input=content, capture_output=True, check=True).stdout.split()[0].decode()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    write(
        project,
        {
            ".gitattributes": "*.bin filter=lfs\n",
            "a.bin": pointer,
            "b.bin": pointer.replace(digest[:4], "0000"),
            "c.bin": pointer.replace(digest[:6], f"{digest[:4]}00"),
        },
    )
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "pointers")
    store = project / ".git/lfs/objects" / digest[:2] / digest[2:4]
    store.mkdir(parents=True)
    (store / digest).write_bytes(content)
    (store / f"{digest[:4]}00{digest[6:]}").write_bytes(b"not what the pointer names")
    made = copy_of(project, scratch)
    assert said(run_in_copy(made, "wc -c < a.bin; head -c 7 b.bin; head -c 7 c.bin")) == ["5000", "versionversion"]
