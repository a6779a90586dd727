"""Where things live below the MI home. Paths are plain strings: pathlib alone would cost a third of Python's start."""

import os
from typing import TYPE_CHECKING

from mi.kernel.errors import NotFound, StorageError

if TYPE_CHECKING:
    from mi.kernel.marker import Marker
    from mi.kernel.notices import Notices

DIR_MODE = 0o700
SEAL = ".seal"  # after the name of a log: what tells that it is as MI wrote it
FILE_MODE = 0o600
# By root, for whoever writes below a home without knowing it: who hears of it, and its marker once it was read.
_homes: "dict[str, Notices | None]" = {}
_markers: "dict[str, Marker]" = {}


def find_default_root() -> str:
    """Return the home to use when none is named: `$MI_HOME`, else `~/.mind-incarnation`."""
    return os.environ.get("MI_HOME") or os.path.join(os.path.expanduser("~"), ".mind-incarnation")


class Home:
    """The storage layout: names of files and folders, nothing is created by asking for one."""

    def __init__(self, root: str) -> None:
        try:
            self.root = os.path.abspath(os.path.expanduser(root))
        except FileNotFoundError:
            raise NotFound("no-current-folder") from None
        _homes.setdefault(self.root, None)

    def tell(self, notices: "Notices") -> None:
        """Name who hears what a first write finds."""
        _homes[self.root] = notices

    def path(self, *parts: str) -> str:
        """Return a path below the home."""
        return os.path.join(self.root, *parts)

    def exists(self) -> bool:
        """Return whether anything was ever stored here."""
        return os.path.isdir(self.root)

    def check(self) -> None:
        """Raise StorageError once for a home that cannot be one, instead of for every file in it."""
        place = self.root
        while not os.path.lexists(place):
            place = os.path.dirname(place)
        if not os.path.isdir(place):
            raise StorageError("home-is-file", path=place)
        if place == self.root and not os.access(place, os.R_OK | os.X_OK):
            raise StorageError("no-permission", path=place)

    def relative(self, path: str) -> str:
        """Return a reference that stays true when the home is moved; a path outside is returned as it is."""
        relative = os.path.relpath(path, self.root)
        return path if relative.split(os.sep, 1)[0] == os.pardir else relative

    def log_beside(self, path: str) -> str:
        """Return the log of the project that a file of the home belongs to; else the global one."""
        parts = os.path.relpath(path, self.projects).split(os.sep)
        return self.evidence if parts[0] == os.pardir else self.project(parts[0]).evidence

    @property
    def config(self) -> str:
        return self.path("config.json")

    @property
    def backups(self) -> str:
        return self.path("backups")

    @property
    def last_backup(self) -> str:
        return self.path("backups", "config.last_backup")

    @property
    def evidence(self) -> str:
        return self.path("global", "evidence.jsonl")

    @property
    def run_times(self) -> str:
        """When runs were active."""
        return self.path("global", "run_times.jsonl")

    @property
    def written(self) -> str:
        """What MI wrote into its state files."""
        return self.path("global", "written.jsonl")

    @property
    def permissions(self) -> str:
        return self.path("global", "permissions.json")

    @property
    def selection(self) -> str:
        return self.path("global", "project_selection.json")

    @property
    def mind_transcripts(self) -> str:
        return self.path("global", "transcripts", "mind")

    @property
    def thoughts(self) -> str:
        return self.path("thoughtdb", "global")

    @property
    def workflows(self) -> str:
        return self.path("workflows", "global")

    @property
    def indexes(self) -> str:
        return self.path("indexes")

    @property
    def memory_index(self) -> str:
        return self.path("indexes", "memory.sqlite")

    @property
    def evidence_index(self) -> str:
        return self.path("indexes", "evidence.sqlite")

    @property
    def known_projects(self) -> str:
        return self.path("indexes", "projects.json")

    @property
    def work_trees(self) -> str:
        """The work trees that were made for runs."""
        return self.path("work_trees.json")

    @property
    def inbox_numbers(self) -> str:
        return self.path("inbox.json")

    @property
    def queue(self) -> str:
        """Which runs come next."""
        return self.path("queue.sqlite")

    @property
    def hub(self) -> str:
        """Which hub the home takes part in, and as whom."""
        return self.path("hub.json")

    @property
    def hub_password(self) -> str:
        return self.path("hub", "password")

    @property
    def hub_aside(self) -> str:
        """What could not be sent to the hub, and why."""
        return self.path("hub", "aside.jsonl")

    @property
    def hub_devices(self) -> str:
        """How far the person's other devices were taken in."""
        return self.path("hub", "devices.json")

    @property
    def hub_questions(self) -> str:
        """What waits for the person at homes elsewhere."""
        return self.path("hub", "questions.json")

    @property
    def teammates(self) -> str:
        """What was pulled from the hub, a folder for each home of somebody else."""
        return self.path("hub", "homes")

    @property
    def workers(self) -> str:
        return self.path("workers")

    @property
    def projects(self) -> str:
        return self.path("projects")

    def project_ids(self) -> list[str]:
        """Return every project that the home has a folder for."""
        try:
            return sorted(os.listdir(self.projects))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def logs(self) -> list[str]:
        """Return the logs that hold what MI believes: those that are there, or were by their seal."""
        return [log for log in self.list_log_places() if os.path.isfile(log) or os.path.lexists(log + SEAL)]

    def list_log_places(self) -> list[str]:
        """Return where those logs lie, whether they are there or not."""
        projects = [self.project(one) for one in self.project_ids()]
        logs = [self.evidence, self.run_times, self.written, *(one.evidence for one in projects)]
        for place in (self.thoughts, *(one.thoughts for one in projects)):
            files = ThoughtFiles(place)
            logs += [files.claims, files.nodes, files.edges]
        return [*logs, *self._list_pulled()]

    def _list_pulled(self) -> list[str]:
        """Return the logs of other homes that a hub brought."""
        if not os.path.isdir(self.teammates):
            return []
        folders = [folder for folder, _, _ in os.walk(self.teammates)]
        return [path for one in map(ThoughtFiles, folders) for path in (one.claims, one.nodes, one.edges)]

    def list_run_locks(self) -> list[str]:
        """Return the locks of all trees of all projects in which a run may go on."""
        return [lock for project_id in self.project_ids() for lock in self.project(project_id).list_run_locks()]

    def project(self, project_id: str) -> "ProjectHome":
        """Return the part of the home that belongs to one project."""
        return ProjectHome(self.path("projects", project_id))


class ProjectHome:
    """The storage layout of one project."""

    def __init__(self, root: str) -> None:
        self.root = root

    def path(self, *parts: str) -> str:
        """Return a path below the project's folder."""
        return os.path.join(self.root, *parts)

    @property
    def overlay(self) -> str:
        return self.path("overlay.json")

    @property
    def checks(self) -> str:
        return self.path("checks.toml")

    @property
    def evidence(self) -> str:
        return self.path("evidence.jsonl")

    @property
    def snapshots(self) -> str:
        """Snapshots of a project that no git keeps."""
        return self.path("snapshots")

    @property
    def segment_state(self) -> str:
        return self.path("segment_state.json")

    def run_state(self, run_id: str, name: str) -> str:
        """Return the file with a state that each run has of its own; the paths of 0.1 hold the latest run's."""
        return self.path("runs", run_id, name)

    @property
    def thoughts(self) -> str:
        return self.path("thoughtdb")

    @property
    def workflows(self) -> str:
        return self.path("workflows")

    @property
    def workflow_candidates(self) -> str:
        return self.path("workflow_candidates.json")

    @property
    def preference_candidates(self) -> str:
        return self.path("preference_candidates.json")

    @property
    def captures(self) -> str:
        return self.path("captures.json")

    @property
    def hands_transcripts(self) -> str:
        return self.path("transcripts", "hands")

    @property
    def mind_transcripts(self) -> str:
        return self.path("transcripts", "mind")

    @property
    def contract(self) -> str:
        return self.path("contract")

    @property
    def run_lock(self) -> str:
        """The lock of a run in the project's own tree."""
        return self.path("run.lock")

    def find_run_lock(self, root: str) -> str:
        """Return the lock of the run in a tree: a linked work tree has its own."""
        from mi.kernel.git import is_linked_tree

        if not is_linked_tree(root):
            return self.run_lock
        from mi.kernel.digest import hash_sha256

        name = hash_sha256(os.fsencode(os.path.realpath(root)))[:16]
        return self.path("locks", f"{name}.lock")

    def list_run_locks(self) -> list[str]:
        """Return the locks of all trees in which a run may go on."""
        try:
            names = sorted(os.listdir(self.path("locks")))
        except (FileNotFoundError, NotADirectoryError):
            names = []
        return [self.run_lock, *(self.path("locks", name) for name in names)]

    @property
    def trust(self) -> str:
        return self.path("trust.json")

    @property
    def proofs(self) -> str:
        return self.path("proofs")


class ThoughtFiles:
    """The files of one Thought DB store, global or of a project."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.claims = os.path.join(root, "claims.jsonl")
        self.nodes = os.path.join(root, "nodes.jsonl")
        self.edges = os.path.join(root, "edges.jsonl")
        self.view = os.path.join(root, "view.sqlite")
        self.archive = os.path.join(root, "archive")


def make_dirs(path: str) -> None:
    """Create a folder and its parents, readable by the owner alone; the home's marker names each new one first."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent and parent != path:
        make_dirs(parent)
    note_new(path, anew=True)
    try:
        os.mkdir(path, DIR_MODE)
    except FileExistsError:
        if not os.path.isdir(path):  # another process may have made it meanwhile; a file in the way is an error
            raise


def make_place(path: str) -> None:
    """Make the folder of a file that is about to be made; the home's marker names the file first.

    Nothing is done for a file that is there: reading commands open their indexes by this.
    """
    if not os.path.lexists(path):
        make_dirs(os.path.dirname(path))
        note_new(path)


def note_new(path: str, anew: bool = False) -> None:
    """Have the marker of the home that a path lies in name it, if it is new; `anew`: the marker may have changed."""
    for root, notices in list(_homes.items()):
        below = os.path.join(root, "")
        if path.startswith(below) and path != below:
            read_marker(root).note(path[len(below) :], notices, anew)


def find_root(path: str) -> str:
    """Return the home that a path lies in; '' when it lies in none that this process uses."""
    return next((root for root in _homes if path.startswith(os.path.join(root, ""))), "")


def hears_of(root: str) -> "Notices | None":
    """Return who hears what a first write to a home finds."""
    return _homes.get(root)


def read_marker(root: str) -> "Marker":
    """Return the marker of a home."""
    if root not in _markers:
        from mi.kernel.marker import Marker

        _markers[root] = Marker(root)
    return _markers[root]
