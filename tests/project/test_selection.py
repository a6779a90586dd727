"""Which project root a command means: what was said, else $MI_CD, else what the current folder implies."""

import json
import os
from pathlib import Path

import pytest

from mi.kernel.errors import NotFound, StorageError, UsageError
from mi.project.known import KnownProjects
from mi.project.selection import Choice, SelectionFile, Wish, choose, resolve


class Desk:
    """A place to choose from."""

    def __init__(self, home, notices) -> None:
        self.home = home
        self.notices = notices
        self.selections = SelectionFile(home, notices)
        self.known = KnownProjects(home, notices)

    def choose(self, cwd: Path, cd: str | None = None, here: bool = False) -> Choice:
        return choose(Wish(cd, here), str(cwd), self.selections, KnownProjects(self.home, self.notices), self.notices)

    def use(self, root: Path) -> None:
        self.known.remember(self.known.open(str(root)))


@pytest.fixture
def desk(home, notices) -> Desk:
    return Desk(home, notices)


@pytest.fixture
def folder(tmp_path: Path):
    def make(name: str) -> Path:
        path = tmp_path / name
        path.mkdir(parents=True)
        return path

    return make


@pytest.mark.req("v1.cli.infer-git-top")
def test_inside_a_repository_its_top(desk, repository):
    repo = repository()
    (repo / "deep/er").mkdir(parents=True)
    assert desk.choose(repo) == Choice(str(repo), "git")
    assert desk.choose(repo / "deep/er") == Choice(str(repo), "git")


@pytest.mark.req("v1.cli.infer-git-top", "v1.cli.infer-nongit")
def test_inside_a_repository_pinned_and_last_do_not_count(desk, repository, folder):
    repo = repository()
    desk.selections.pin(str(folder("pinned")))
    desk.selections.set_last(str(folder("last")))
    assert desk.choose(repo) == Choice(str(repo), "git")


@pytest.mark.req("v1.cli.infer-subproject")
def test_folder_used_as_a_project_of_its_own_stays_one(desk, repository):
    repo = repository()
    (repo / "packages/ui/src").mkdir(parents=True)
    (repo / "packages/api").mkdir()
    desk.use(repo / "packages/ui")
    assert desk.choose(repo / "packages/ui") == Choice(str(repo / "packages/ui"), "subproject")
    assert desk.choose(repo / "packages/ui/src") == Choice(str(repo / "packages/ui"), "subproject")
    assert desk.choose(repo / "packages/api") == Choice(str(repo), "git")


@pytest.mark.req("v1.cli.infer-nongit")
def test_outside_git_pinned_then_last_then_the_folder_itself(desk, folder):
    here, last, pinned = folder("here"), folder("last"), folder("pinned")
    assert desk.choose(here) == Choice(str(here), "cwd")
    desk.selections.set_last(str(last))
    assert desk.choose(here) == Choice(str(last), "last")
    desk.selections.pin(str(pinned))
    assert desk.choose(here) == Choice(str(pinned), "pinned")
    desk.selections.pin(None)
    assert desk.choose(here) == Choice(str(last), "last")
    assert list(desk.notices) == []


@pytest.mark.req("v1.cli.infer-nongit")
def test_selected_folder_that_is_gone_is_passed_over(desk, folder):
    here, last, pinned = folder("here"), folder("last"), folder("pinned")
    desk.selections.set_last(str(last))
    desk.selections.pin(str(pinned))
    pinned.rmdir()
    assert desk.choose(here) == Choice(str(last), "last")
    last.rmdir()
    assert desk.choose(here) == Choice(str(here), "cwd")
    assert [(notice.key, notice.path) for notice in desk.notices] == [
        ("selection-gone", str(pinned)),
        ("selection-gone", str(last)),
    ]


@pytest.mark.req("v1.cli.here", "v1.cli.here-ignored", "v1.cli.env-mi-cd")
def test_what_is_said_outranks_what_is_set_outranks_what_is_inferred(desk, repository, folder, monkeypatch):
    repo, named, environment = repository(), folder("named"), folder("environment")
    (repo / "sub").mkdir()
    monkeypatch.setenv("MI_CD", str(environment))
    assert desk.choose(repo / "sub", cd=str(named), here=True) == Choice(str(named), "cd")
    assert desk.choose(repo / "sub", here=True) == Choice(str(repo / "sub"), "here")
    assert desk.choose(repo / "sub") == Choice(str(environment), "MI_CD")
    monkeypatch.setenv("MI_CD", "")
    assert desk.choose(repo / "sub") == Choice(str(repo), "git")


@pytest.mark.req("v1.cli.cd-last", "v1.cli.cd-pinned", "v1.cli.cd-alias", "v1.cli.env-mi-cd")
def test_tokens_name_folders(desk, folder, monkeypatch):
    here = folder("here")
    desk.selections.set_last(str(folder("last")))
    desk.selections.pin(str(folder("pinned")))
    desk.selections.add_alias("app", str(folder("named")))
    desk.selections.add_alias("应用", str(folder("应用")))
    for token, name in {"@last": "last", "@pinned": "pinned", "@app": "named", "@应用": "应用"}.items():
        wanted = str(here.parent / name)
        assert desk.choose(here, cd=token) == Choice(wanted, "cd")
        monkeypatch.setenv("MI_CD", token)
        assert desk.choose(here) == Choice(wanted, "MI_CD")
        monkeypatch.delenv("MI_CD")


def test_path_may_be_relative_or_in_the_users_home(desk, folder, tmp_path):
    here, sub = folder("here"), folder("here/sub")
    mine = folder("user/mine")
    assert desk.choose(here, cd="sub").root == str(sub)
    assert desk.choose(sub, cd="..").root == str(here)
    assert desk.choose(here, cd="~/mine").root == str(mine)
    (tmp_path / "link").symlink_to(sub)
    assert desk.choose(here, cd=str(tmp_path / "link")).root == str(sub)


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("@nobody", "unknown-alias"),
        ("@last", "nothing-selected"),
        ("@pinned", "nothing-selected"),
        ("@", "unknown-alias"),
    ],
)
def test_token_that_means_nothing(desk, folder, named, code):
    desk.selections.add_alias("app", str(folder("app")))
    with pytest.raises(NotFound) as caught:
        resolve(named, "/", desk.selections)
    assert caught.value.code == code
    assert named in caught.value.line()
    if code == "unknown-alias":
        assert "@app" in caught.value.line()


def test_folder_that_is_gone_or_a_file_is_an_error_that_names_it(desk, folder, tmp_path):
    gone = folder("gone")
    desk.selections.add_alias("gone", str(gone))
    gone.rmdir()
    (tmp_path / "file").write_text("", "utf-8")
    for named, path in (("@gone", gone), (str(gone), gone), (str(tmp_path / "file"), tmp_path / "file")):
        with pytest.raises(NotFound) as caught:
            resolve(named, "/", desk.selections)
        assert named in caught.value.line()
        assert str(path) in caught.value.line()


@pytest.mark.parametrize("name", ["last", "pinned", "", "a b", "../x", "-x", "@x", "a/b", "a\n", "x" * 65, "\udcff"])
def test_alias_that_could_not_be_used_is_refused(desk, folder, name):
    with pytest.raises(UsageError) as caught:
        desk.selections.add_alias(name, str(folder("app")))
    assert caught.value.exit_code == 2
    assert not os.path.exists(desk.home.selection)


def test_alias_can_be_given_anew_and_forgotten(desk, folder):
    desk.selections.add_alias("app", str(folder("one")))
    desk.selections.add_alias("app", str(folder("two")))
    assert desk.selections.read().aliases["app"].root_path.endswith("two")
    desk.selections.remove_alias("app")
    assert desk.selections.read().aliases == {}
    with pytest.raises(NotFound):
        desk.selections.remove_alias("app")


@pytest.mark.req("v1.storage.project-selection")
def test_selections_are_kept_in_their_file_with_what_another_version_added(desk, folder):
    desk.selections.pin(str(folder("pinned")))
    path = Path(desk.home.selection)
    assert path == Path(desk.home.root, "global", "project_selection.json")
    stored = json.loads(path.read_text("utf-8"))
    stored["recent"] = ["/x"]
    path.write_text(json.dumps(stored), "utf-8")
    desk.selections.set_last(str(folder("last")))
    desk.selections.add_alias("app", str(folder("app")))
    stored = json.loads(path.read_text("utf-8"))
    assert stored["version"] == "v1"
    assert stored["recent"] == ["/x"]
    assert stored["pinned"]["root_path"].endswith("pinned")
    assert stored["last"]["root_path"].endswith("last")
    assert stored["aliases"]["app"]["root_path"].endswith("app")
    assert path.stat().st_mode & 0o777 == 0o600


def test_last_is_written_only_when_it_changes(desk, folder):
    root = str(folder("app"))
    desk.selections.set_last(root)
    before = os.stat(desk.home.selection)
    desk.selections.set_last(root)
    assert os.stat(desk.home.selection).st_mtime_ns == before.st_mtime_ns
    assert os.stat(desk.home.selection).st_ino == before.st_ino


def test_name_that_is_not_utf8_is_refused_where_it_would_be_remembered(desk, tmp_path):
    root = os.fsdecode(os.fsencode(tmp_path) + b"/b\xffd")
    os.mkdir(root)
    assert desk.choose(Path(root)) == Choice(root, "cwd")
    with pytest.raises(StorageError) as caught:
        desk.selections.pin(root)
    assert caught.value.code == "folder-not-utf8"
    assert not os.path.exists(desk.home.selection)
