"""Writing a work tree down as a tree of git, without touching the person's index, branches or rules.

MI has a repository folder of its own for it: an index, and the exclude and attribute rules of the start. The contents
go into the person's repository (a snapshot) or into MI's own folder (a look).
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from functools import cached_property

from mi.kernel import files, git
from mi.kernel.home import FILE_MODE
from mi.kernel.named_tuple import NamedTuple
from mi.project.git_rules import freeze_attributes, freeze_excludes, read_rules
from mi.project.large_files import is_pointed_at
from mi.project.left_out import FileSieve, KeepRules, LeftOut, is_tool_folder
from mi.project.tree_bytes import ByteKeeper
from mi.project.tree_paths import find_obstacle
from mi.project.tree_store import TreeStore, find_places, find_store, make_repository

_LIST_S = 120.0
_WRITE_S = 900.0
_COPIED = "filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|sharedrepository"


class WrittenTree(NamedTuple):
    """A work tree, written down; with a `reason`, why it could not be.

    `tree` holds what may be kept; `whole` also the small files with secrets, whose contents stay in MI's own folder;
    `exact` the bytes of files that git would store otherwise, to be written out by `attributes` where there are any.
    """

    tree: str = ""
    whole: str = ""
    left_out: tuple[LeftOut, ...] = ()
    reason: str = ""
    exact: str = ""
    attributes: str = ""


class TreeWriter:
    """Writes one work tree down, again and again; reopened with the same folder, it goes on by the same rules."""

    def __init__(
        self,
        root: str,
        folder: str,
        store: TreeStore | None = None,
        keep: KeepRules = KeepRules(),  # noqa: B008 - immutable
        attributes: str = "",
        config: str = "",
    ) -> None:
        """`store` is where contents go; without one they stay in `folder`.

        `attributes` are rules, `config` is a file with settings of an earlier moment, to go by instead of the present
        ones.
        """
        self.root = os.path.realpath(root)
        top = git.find_toplevel(self.root)
        self.repository = top if top and not git.find_stranger(top) else None
        self.top = top or self.root
        self.folder = folder
        self.store = store
        self._sieve = FileSieve(self.top, keep)
        self._attributes = attributes
        self._config = config
        self._tree = ""  # of the index as it is
        self._bytes = ByteKeeper(self.top, folder, self._git, self._is_same_pointer)
        self.kept: dict[str, tuple[str, str]] | None = None  # references of the store: commit and tree; None: not read

    @cached_property
    def read_env(self) -> dict[str, str]:
        """The variables by which git reads what was written."""
        others = [self.store.objects] if self.store else self._own_objects
        return self._env(os.path.join(self.folder, "objects"), [*others, *self._former_objects])

    def write(self) -> WrittenTree:
        """Write the work tree down as it is now."""
        try:
            self._open()
            changed, others, nested = self._list(self._excludes)
            kept, left_out = self._sort_out(changed, others)
            gone = [path for path in kept if path in changed and self._is_out_of_reach(path)]
            dropped = [*gone, *(left.path for left in left_out if left.path in changed)]
            tree = self._update([path for path in kept if path not in gone], dropped)
            left_out += [LeftOut(path, "repository") for path in nested] + self._dirty_submodules()
            whole = self._with_secrets([left.path for left in left_out if left.why == "secret"]) or tree
            return WrittenTree(tree, whole, tuple(left_out), "", *self.keep_bytes(tree, kept))
        except (OSError, GitFailed) as error:
            return WrittenTree(reason=str(error))

    def keep_bytes(self, tree: str, changed: Iterable[str]) -> tuple[str, str]:
        """Return the index's tree with the bytes of every file, and the rules to write it out by; '' for the usual."""
        return self._bytes.write(tree, changed, self._write_env)

    def renew(self) -> bool:
        """Begin anew with the person's index, by the same rules; return whether that could be done."""
        self._tree, self.kept = "", None
        self._bytes.forget()
        files.remove_if_there(os.path.join(self.folder, "index"))
        try:
            self._take_index()
        except (OSError, GitFailed):
            return False
        return True

    # the folder

    def _env(self, objects: str, others: Iterable[str]) -> dict[str, str]:
        """Return the variables that lead git to MI's folder; contents go to `objects` and are found in the others."""
        return {
            "GIT_DIR": self.folder,
            "GIT_WORK_TREE": self.top,
            "GIT_OBJECT_DIRECTORY": objects,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(quote_path(path) for path in others),
        }

    @cached_property
    def _own_objects(self) -> list[str]:
        """Where the person's repository keeps its contents; nowhere outside of git."""
        store = find_store(self.top) if self.repository else None
        return [store.objects] if store else []

    @cached_property
    def _former_objects(self) -> list[str]:
        """The folder itself, where the watch of an earlier version kept contents in it."""
        return [self.folder] if os.path.exists(os.path.join(self.folder, "first.json")) else []

    @property
    def _write_env(self) -> dict[str, str]:
        if self.store is None:
            return self.read_env
        # Not MI's own contents: a tree in the store may name none that the store does not have.
        return self._env(self.store.objects, ())

    @property
    def _umask(self) -> int:
        return (
            -1 if self.store and not self.store.is_own else 0o077
        )  # as the person's own git would, in their repository

    def _open(self) -> None:
        ready = os.path.join(self.folder, "ready")
        files.remove_if_there(os.path.join(self.folder, "index.lock"))  # of a git that was killed
        if os.path.exists(ready):
            return
        make_repository(self.folder, self._settings())
        if self._config:
            shutil.copyfile(self._config, os.path.join(self.folder, "config"))
        files.remove_if_there(os.path.join(self.folder, "index"))
        self._take_index()
        self._freeze_rules()
        self._git("update-index", "-q", "--refresh", env=self._write_env, accept=(0, 1))
        files.write_atomic(ready, b"")  # last: a writer that was killed before begins anew

    def _settings(self) -> dict[str, str]:
        """Return what of the repository's configuration says how files are compared."""
        if not self.repository:
            return {}
        wanted = rf"^(core\.({_COPIED})|extensions\.objectformat)$"
        answer = git.run(self.top, "config", "--includes", "--get-regexp", wanted)
        pairs = (line.partition(" ") for line in answer.output.splitlines())
        return {key: value or "true" for key, _, value in pairs}

    def _take_index(self) -> None:
        """Begin with the person's index: with its stat data, unchanged files need not be read."""
        if not self.repository:
            return
        places, own = find_places(self.top), os.path.join(self.folder, "index")
        if places is None:
            raise GitFailed(f"{self.top}: git rev-parse")
        theirs = places.index_file
        if not os.path.exists(theirs):
            return
        shutil.copy2(theirs, own)  # with its time: what changed in the same moment is read again
        os.chmod(own, FILE_MODE)
        seen = git.run_bytes(self.top, "ls-files", "-v", "-z", timeout_s=_LIST_S, env=self._write_env)
        if seen.code != 0:  # parts of it are elsewhere (a split index)
            os.unlink(own)
            listed = self._their_git("ls-files", "-s", "-z")
            self._git("update-index", "-z", "--index-info", stdin=listed, env=self._write_env)
            return
        marked = [(line[:1], line[2:]) for line in seen.output.split(b"\0") if line]
        # "assume unchanged" and "skip" are no promises that MI may rely on; skipped files that are not here stay so
        self._unmark("--no-assume-unchanged", [name for mark, name in marked if mark.islower()])
        skipped = [name for mark, name in marked if mark in b"Ss"]
        self._unmark("--no-skip-worktree", [name for name in skipped if os.path.lexists(self._place(name))])

    def _place(self, name: bytes) -> str:
        return os.path.join(self.top, os.fsdecode(name))

    def _unmark(self, option: str, names: list[bytes]) -> None:
        if names:
            self._git("update-index", option, "-z", "--stdin", stdin=b"\0".join(names), env=self._write_env)

    def _freeze_rules(self) -> None:
        info = os.path.join(self.folder, "info")
        own = self._person_info()
        if own:
            for name in ("exclude", "attributes"):
                files.write_atomic(os.path.join(info, name), read_rules(os.path.join(own, name)))
        standard = ("ls-files", "-z", "-o", "--exclude-standard")
        named = [f":(glob)**/{name}" for name in (".gitignore", ".gitattributes")]
        found = [os.fsdecode(name) for name in self._names(*standard, "-c", "--", *named)]
        ignored = (os.fsdecode(name) for name in self._names(*standard, "-i", "--directory"))
        hidden = [name for name in ignored if os.path.isfile(os.path.join(self.top, name, ".gitignore"))]
        excludes = [name for name in found if os.path.basename(name) == ".gitignore"]
        attributes = [name for name in found if os.path.basename(name) == ".gitattributes"]
        mine = [os.path.join(own, name) if own else "" for name in ("exclude", "attributes")]
        general = [self._general_file("excludesFile", "ignore"), self._general_file("attributesFile", "attributes")]
        files.write_atomic(self._excludes, freeze_excludes(self.top, excludes, [general[0], mine[0]], hidden).encode())
        rules = self._attributes or freeze_attributes(self.top, attributes, [general[1]], mine[1])
        files.write_atomic(name_attributes(self.folder), rules.encode())

    @property
    def _excludes(self) -> str:
        return name_excludes(self.folder)

    def _person_info(self) -> str:
        if not self.repository:
            return ""
        places = find_places(self.top)
        return places.info if places else ""

    def _general_file(self, key: str, default: str) -> str:
        """Return the person's rules for all repositories."""
        named = self._named_files.get(f"core.{key.lower()}", "")
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        return os.path.realpath(os.path.join(self.top, named or os.path.join(base, "git", default)))

    @cached_property
    def _named_files(self) -> dict[str, str]:
        """The files of rules that the configuration names, by its keys."""
        asked = ("config", "--type=path", "--get-regexp", r"^core\.(excludesfile|attributesfile)$")
        pairs = (line.partition(" ") for line in git.run(self.top, *asked).output.splitlines())
        return {key: value for key, _, value in pairs}

    # one look

    def list_new(self, excludes: str) -> list[str]:
        """Return the files that were not taken in and that a file of exclude rules does not hide."""
        return self._list(excludes)[1]

    def _list(self, excludes: str) -> tuple[set[str], list[str], list[str]]:
        """Return the paths that differ from the index, the new ones, and the new repositories inside."""
        listed = self._names("ls-files", "-z", "-t", "-m", "-d", "-o", f"--exclude-from={excludes}")
        changed, others, nested = set(), [], []
        for line in listed:
            path = os.fsdecode(line[2:])
            if line[:1] != b"?":
                changed.add(path)
            elif path.endswith("/"):
                nested.append(path.rstrip("/"))
            else:
                others.append(path)
        known: dict[str, bool] = {}
        inside = self._find_git_inside()
        if inside:  # it is what keeps the work, and no work itself
            others = [path for path in others if not path.startswith(inside)]
            nested = [path for path in nested if not f"{path}/".startswith(inside)]
        return changed, [path for path in others if not self._is_tools_own(path, known)], nested

    def _find_git_inside(self) -> str:
        """Return where in the work tree, but for `.git`, the person's repository lies, with a `/` at its end."""
        folder = os.path.realpath(git.find_git_folder(self.top)) if self.repository else ""
        path = os.path.relpath(folder, os.path.realpath(self.top)) if folder else ""
        return "" if not path or path == ".git" or path.startswith("..") else f"{path}/"

    def _is_out_of_reach(self, path: str) -> bool:
        """Return whether git would refuse a path that it knows: a link is on the way, or a pipe in its place."""
        if find_obstacle(self.top, path):
            return True
        try:
            mode = os.lstat(os.path.join(self.top, path)).st_mode
        except OSError:
            return False  # gone: git takes that in
        return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode))

    def _is_tools_own(self, path: str, known: dict[str, bool]) -> bool:
        """Return whether a path lies in a folder that only a tool writes: a marked cache, a virtual environment."""
        folder = os.path.dirname(path)
        if not folder:
            return False
        if folder not in known:
            known[folder] = self._is_tools_own(folder, known) or self._is_marked(folder)
        return known[folder]

    def _is_marked(self, folder: str) -> bool:
        """Return whether a folder says that it is a tool's; one with files of the project's in it says so in vain."""
        is_tools = is_tool_folder(os.path.join(self.top, folder))
        return is_tools and not any(self._names("ls-files", "-z", "--", f":(literal){folder}"))

    def _sort_out(self, changed: set[str], others: list[str]) -> tuple[list[str], list[LeftOut]]:
        """Return the paths to take in, and those to leave out: of what the person's git tracks, only the unreadable."""
        judged = [(path, self.judge(path)) for path in (*changed, *others)]
        left_out = [left for _, left in judged if left]
        if self.repository and any(left.why != "unreadable" for left in left_out):
            tracked = set(map(os.fsdecode, self._their_git("ls-files", "-z").split(b"\0")))
            left_out = [left for left in left_out if left.why == "unreadable" or left.path not in tracked]
        left_paths = {left.path for left in left_out}
        kept = [path for path, _ in judged if path not in left_paths]
        return [path for path in kept if path not in changed or not self._is_same_pointer(path)], left_out

    def judge(self, path: str) -> LeftOut | None:
        """Return why an untracked file would be left out."""
        return self._sieve.judge(path)

    @cached_property
    def _has_pointers(self) -> bool:
        return b"filter=lfs" in (files.read_bytes(os.path.join(self.folder, "info", "attributes")) or b"")

    def _is_same_pointer(self, path: str) -> bool:
        """Return whether a file is the one that git's pointer to large files names: only its time changed."""
        if not self._has_pointers:
            return False
        place = os.path.join(self.top, path)
        if not os.path.isfile(place):
            return False
        pointer = git.run_bytes(self.top, "cat-file", "blob", f":{path}", env=self._write_env).output
        return is_pointed_at(pointer, place)

    def _update(self, kept: list[str], dropped: list[str]) -> str:
        """Take paths into the index and out of it; return its tree."""
        if kept or dropped:
            self._tree = ""
        if kept:
            self._add(b"\0".join(map(os.fsencode, kept)), self._write_env)
        if dropped:
            names = b"\0".join(map(os.fsencode, dropped))
            self._git("update-index", "--force-remove", "-z", "--stdin", stdin=names, env=self._write_env)
        if not self._tree:
            self._tree = self._git("write-tree", env=self._write_env, umask=self._umask).decode().strip()
        return self._tree

    def _add(self, paths: bytes, env: dict[str, str]) -> None:
        taken = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        self._git(*taken, stdin=paths, env=env, umask=self._umask)

    def _with_secrets(self, paths: list[str]) -> str:
        """Return the tree with these files, too; their contents stay in MI's own folder."""
        if not paths:
            return ""
        index = os.path.join(self.folder, "index.whole")
        shutil.copy2(os.path.join(self.folder, "index"), index)
        env = self.read_env | {"GIT_INDEX_FILE": index}
        self._add(b"\0".join(map(os.fsencode, paths)), env)
        return self._git("write-tree", env=env).decode().strip()

    def _dirty_submodules(self) -> list[LeftOut]:
        if not os.path.isfile(os.path.join(self.top, ".gitmodules")):
            return []
        links = _list_submodules(self._git("ls-files", "-s", "-z", env=self._write_env))
        return [LeftOut(path, "submodule") for path in links if _is_dirty(os.path.join(self.top, path))]

    # git

    def _names(self, *args: str) -> Iterator[bytes]:
        answer = self._git(*args, env=self._write_env)
        return (name for name in answer.split(b"\0") if name)

    def _their_git(self, *args: str) -> bytes:
        return _answer(git.run_bytes(self.top, *args, timeout_s=_LIST_S), args)

    def _git(
        self, *args: str, env: dict[str, str], stdin: bytes = b"", umask: int = 0o077, accept: tuple[int, ...] = (0,)
    ) -> bytes:
        given = git.run_bytes(self.top, *args, stdin=stdin, timeout_s=_WRITE_S, settings=_QUICK, env=env, umask=umask)
        return _answer(given, args, accept)


_QUICK = {"core.compression": "1", "core.looseCompression": "1", "core.logAllRefUpdates": "false"}


def _list_submodules(staged: bytes) -> list[str]:
    lines = (line for line in staged.split(b"\0") if line.startswith(b"160000"))
    return [os.fsdecode(line.partition(b"\t")[2]) for line in lines]


def _is_dirty(folder: str) -> bool:
    """Return whether a submodule, or one inside of it, holds what is not committed."""
    if git.find_toplevel(folder) != os.path.realpath(folder):
        return False  # not checked out
    # Not what git itself would look at inside: it would run the filters there.
    asked = ("status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty")
    if git.run(folder, *asked, settings=git.disable_filters(folder)).output.strip():
        return True
    staged = git.run_bytes(folder, "ls-files", "-s", "-z").output
    return any(_is_dirty(os.path.join(folder, path)) for path in _list_submodules(staged))


class GitFailed(Exception):
    """git did not do what was asked; the text is its own last line."""


def _answer(given: git.GitBytes, args: tuple[str, ...], accept: tuple[int, ...] = (0,)) -> bytes:
    if given.code not in accept:
        raise GitFailed(given.error or f"git {args[0]}: exit code {given.code}")
    return given.output


def quote_path(path: str) -> str:
    """Return a folder as it stands in git's list of object folders."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"' if os.pathsep in path else path


def name_attributes(folder: str) -> str:
    """Return where a writer with this folder keeps the attribute rules that it goes by."""
    return os.path.join(folder, "info", "attributes")


def name_excludes(folder: str) -> str:
    """Return where a writer with this folder keeps the exclude rules of its start."""
    return os.path.join(folder, "info", "excludes-at-start")
