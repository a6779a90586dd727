"""Scratch copies of a project: the files of a tree, with what is installed and built beside them."""

import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence

from mi.kernel import files, git
from mi.kernel.home import make_dirs
from mi.kernel.locks import acquire, try_lock
from mi.kernel.named_tuple import NamedTuple
from mi.project.large_files import fill_pointers
from mi.project.left_out import LeftOut
from mi.project.proof.dependencies import find_beside
from mi.project.tree_store import make_repository
from mi.project.trees import ComposedTree, GitTree, Tree

_WRITE_S = 600.0


class CopyRules(NamedTuple):
    """What `.mi/checks.toml` says of a project's copies: further paths to share, and to copy, from its root."""

    link: tuple[str, ...] = ()
    copy: tuple[str, ...] = ()


class Scratch(NamedTuple):
    """A folder for the copies of one run; a lock says that a living process uses it."""

    folder: str
    lock: int

    @property
    def builds(self) -> str:
        """Where build folders are kept from the base run to the final ones."""
        return os.path.join(self.folder, "builds")


class Copy(NamedTuple):
    """A copy of a project; with a `problem`, why there is none. Paths are relative to `top`."""

    top: str = ""  # the work tree that it is a copy of, and where it appears
    root: str = ""  # the project's folder in it
    folder: str = ""  # where its files are
    scratch: str = ""
    reports: str = ""  # a folder that the checks may write to, for reporters
    dependencies: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    build_store: str = ""
    left_out: tuple[str, ...] = ()  # taken from the work tree, only to be read
    also_at: str = ""  # the main work tree, where that is another: editable installs may point there
    problem: str = ""


def open_scratch(folder: str) -> Scratch:
    """Return a new scratch folder inside of one, after what killed processes left there has gone.

    PermissionError when the folder is another user's: in a shared temporary folder anybody can make one.
    """
    make_dirs(folder)
    status = os.lstat(folder)
    if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
    clean_scratch(folder)
    place = tempfile.mkdtemp(prefix="proof-", dir=folder)
    path = os.path.join(place, "lock")
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    acquire(lock, path)
    return Scratch(place, lock)


def close_scratch(scratch: Scratch) -> None:
    """Remove a scratch folder with every copy in it."""
    remove_tree(scratch.folder)
    os.close(scratch.lock)


def clean_scratch(folder: str) -> None:
    """Remove the scratch folders that no living process uses."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        place = os.path.join(folder, name)
        if name.startswith("proof-") and not _is_used(place):
            remove_tree(place)


def _is_used(place: str) -> bool:
    try:
        fd = os.open(os.path.join(place, "lock"), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # being made this very moment, or by one that was killed then
        return os.path.isdir(place) and time.time() - os.lstat(place).st_mtime < 60
    try:
        return not try_lock(fd, place)
    finally:
        os.close(fd)


def remove_tree(place: str) -> None:
    """Remove a folder, also one in which checks have left folders that may not be written."""

    def open_up(function: object, path: str, error: object) -> None:
        for name in (os.path.dirname(path), path):
            if os.path.isdir(name) and not os.path.islink(name):
                os.chmod(name, 0o700)

    for _ in range(20):  # each time a little further
        if not os.path.lexists(place):
            return
        shutil.rmtree(place, onerror=open_up)


def compose(tree: Tree, replaced: Mapping[str, bytes | None]) -> Tree:
    """Return a tree with some files replaced; one that is replaced by None is left out."""
    return ComposedTree(tree, replaced) if replaced else tree


def make_copy(
    tree: Tree,
    scratch: Scratch,
    rules: CopyRules = CopyRules(),  # noqa: B008 - immutable
    left_out: Iterable[LeftOut] = (),
    base: GitTree | None = None,
) -> Copy:
    """Return a copy of a project's files as a tree holds them; a failure, such as a full disk, is a value.

    Files that are the same in `base` have the time of its copy, so that what was built from them is not built again.
    """
    source = _source(tree)
    if source is None:
        return Copy(problem="no-tree")
    place = tempfile.mkdtemp(prefix="copy-", dir=scratch.folder)
    try:
        return _make(tree, source, place, scratch, rules, left_out, base)
    except OSError as error:
        remove_tree(place)
        return Copy(problem=f"no-copy: {error.strerror or error}")


def remove_copy(copy: Copy) -> None:
    """Remove a copy; the build folders stay for the next."""
    if copy.scratch:
        remove_tree(copy.scratch)


def _source(tree: Tree) -> GitTree | None:
    while isinstance(tree, ComposedTree):
        tree = tree.tree
    return tree if isinstance(tree, GitTree) else None


def _make(
    tree: Tree,
    source: GitTree,
    place: str,
    scratch: Scratch,
    rules: CopyRules,
    left_out: Iterable[LeftOut],
    base: GitTree | None,
) -> Copy:
    root = os.path.realpath(source.root)
    top = git.find_toplevel(root) or root
    whole = GitTree(top, source.tree_id, source.env)
    folder = os.path.join(place, "files")
    _check_out(whole, place, folder)
    fill_pointers(whole, top, folder)
    inside = os.path.relpath(root, top)
    replaced = [os.path.normpath(os.path.join(inside, path)) for path in _replace(tree, os.path.join(folder, inside))]
    _set_times(whole, GitTree(top, base.tree_id, base.env) if base else whole, scratch, folder, replaced)
    link, copied = ([os.path.normpath(os.path.join(inside, path)) for path in said] for said in rules)
    beside = find_beside(top, whole, link)
    elsewhere = dict.fromkeys([*(left.path for left in left_out), *whole.repositories])
    taken = [path for path in elsewhere if os.path.exists(os.path.join(top, path))]
    for path in copied:
        _copy_from(top, folder, path)
    for path in (*beside.dependencies, *beside.builds):
        os.makedirs(os.path.join(folder, path), exist_ok=True)
    for path in beside.builds:
        make_dirs(os.path.join(scratch.builds, path))
    for path in [*taken, ".git"]:
        _make_place(os.path.join(top, path), os.path.join(folder, path))
    reports = os.path.join(place, "reports")
    make_dirs(reports)
    return Copy(
        top=top,
        root=root,
        folder=folder,
        scratch=place,
        reports=reports,
        dependencies=beside.dependencies,
        builds=beside.builds,
        build_store=scratch.builds,
        left_out=tuple(taken),
        also_at=_main_tree(top),
    )


def _check_out(tree: GitTree, place: str, folder: str) -> None:
    """Write a tree's files to a folder, by git, with the attribute rules of the start and without any program."""
    private = os.path.join(place, "git")
    make_dirs(folder)
    rules = os.path.join(tree.env.get("GIT_DIR", ""), "info", "attributes")
    frozen = files.read_bytes(rules) if os.path.isabs(rules) and "GIT_WORK_TREE" in tree.env else None
    env = _objects_of(tree) | {"GIT_DIR": private, "GIT_WORK_TREE": folder}
    make_repository(private, {"extensions.objectformat": "sha256"} if len(tree.tree_id) == 64 else {})
    files.write_atomic(os.path.join(private, "info", "attributes"), frozen or b"* !filter\n", sync=False)
    settings = {"core.fsync": "none", "core.autocrlf": "false"}
    for args in (("read-tree", tree.tree_id), ("checkout-index", "-a", "-f", "-q")):
        answer = git.run_bytes(folder, *args, timeout_s=_WRITE_S, settings=settings, env=env, umask=-1)
        if answer.code != 0:
            raise OSError(0, answer.error or f"git {args[0]}")
    shutil.rmtree(private)


def _objects_of(tree: GitTree) -> dict[str, str]:
    """Return the variables that name where a tree's contents are."""
    if "GIT_OBJECT_DIRECTORY" in tree.env:
        names = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
        return {name: tree.env[name] for name in names if name in tree.env}
    asked = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
    answer = git.run(tree.root, *asked, env=tree.env)
    if answer.code != 0:
        raise OSError(0, f"{tree.root}: git rev-parse")
    return {"GIT_OBJECT_DIRECTORY": answer.output.rstrip("\n")}


def _replace(tree: Tree, folder: str) -> list[str]:
    """Put the files in place that a tree replaces; return their paths."""
    layers = []
    while isinstance(tree, ComposedTree):
        layers.append(tree)
        tree = tree.tree
    for layer in reversed(layers):
        for path, content in layer.replaced.items():
            place = os.path.join(folder, path)
            entry = layer.entry(path)
            files.remove_if_there(place)
            if content is not None:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(content)
                os.chmod(place, 0o755 if entry and entry.mode == "100755" else 0o644)
    return [path for layer in layers for path in layer.replaced]


def _set_times(tree: GitTree, base: GitTree, scratch: Scratch, folder: str, replaced: Sequence[str]) -> None:
    """Give the files that were the base's in every copy the time of the first, and the others the present one.

    What a build was made of in one copy would else look older than it in the next, which has the base's file again.
    """
    mark = os.path.join(scratch.folder, "base-time")
    if not os.path.exists(mark):
        files.write_atomic(mark, str(time.time_ns()).encode(), sync=False)
    moment = int(files.read_bytes(mark) or b"0")
    same, record = base.entries, os.path.join(scratch.folder, "not-the-base's")
    others = {os.fsencode(path) for path in (*tree.changed_since(base), *replaced)}
    others |= {*(files.read_bytes(record) or b"").split(b"\0")}
    files.write_atomic(record, b"\0".join(sorted(others)), sync=False)
    for path, entry in tree.entries.items():
        if same.get(path) == entry and entry.mode != "120000" and os.fsencode(path) not in others:
            os.utime(os.path.join(folder, path), ns=(moment, moment))


def _copy_from(top: str, folder: str, path: str) -> None:
    """Copy a file or folder of the work tree that no tree holds but the checks need."""
    source, place = os.path.join(top, path), os.path.join(folder, path)
    if not f"{os.path.realpath(os.path.dirname(place))}/".startswith(f"{os.path.realpath(folder)}/"):
        return  # a link of the tree leads out of the copy
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
    elif os.path.exists(source):
        shutil.copy2(source, place)


def _make_place(source: str, place: str) -> None:
    """Make an empty file or folder where something of the work tree shall appear."""
    if not os.path.exists(source) or (os.path.lexists(place) and not os.path.isdir(place)):
        return
    if os.path.isdir(source):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "ab"):
            pass


def _main_tree(top: str) -> str:
    """Return the main work tree of a linked one; '' when this is the main one, or the main one has no work tree."""
    if not os.path.isfile(os.path.join(top, ".git")):
        return ""
    answer = git.run(top, "rev-parse", "--path-format=absolute", "--git-common-dir")
    common = answer.output.rstrip("\n")
    main = os.path.dirname(common)
    is_main = answer.code == 0 and os.path.basename(common) == ".git" and main != top
    return main if is_main and not top.startswith(main + os.sep + ".git" + os.sep) else ""
