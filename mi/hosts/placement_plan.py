"""What placing would change, worked out whole before anything is written: a refusal leaves everything as it is."""

import os
import tomllib
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from mi.hosts import jsonfile, marked_block
from mi.hosts.artefacts import Artefact, File, JsonEntry, JsonItem, Link, MarkedBlock
from mi.hosts.manifest import Former, PlacedEntry, WorkspaceManifest
from mi.hosts.own_shape import OWN, is_own
from mi.hosts.workspaces import Workspace, digest
from mi.kernel import files
from mi.kernel.errors import StorageError

COPY_MARK = ".mi-copy"
_EDITS = ("block", "entry", "item")


class Draft:
    """The manifest and the files of a workspace as they shall be."""

    def __init__(self, workspace: Workspace, copying: bool = False) -> None:
        self.workspace = workspace
        self._copying = copying  # links are impossible there
        self.before = workspace.read()
        self.entries = list(self.before.entries)
        self.formers = dict(self.before.files)
        self.writes: dict[str, bytes | None] = {}  # None: the file goes
        self.links: dict[str, str] = {}  # path → what the link says; empty: it goes
        self.kept: list[str] = []  # changed by someone else, therefore left alone
        self._intact: dict[str, bool] = {}
        self._copies: set[str] = set()

    def place(self, owner: str, artefacts: Sequence[Artefact]) -> None:
        """Put an owner's artefacts in, take out those of its former ones that are no longer listed."""
        wanted = [(_entry(owner, one, self.workspace), one) for one in artefacts]
        old = {entry.identity: entry for entry in self.entries if entry.owner == owner}
        new = {entry.identity for entry, _ in wanted}
        if len(new) < len(wanted):
            raise ValueError(f"{owner} places the same thing twice")
        for identity, entry in old.items():
            if identity not in new:
                self._take_out(entry)
        for entry, artefact in wanted:
            self._put(entry, artefact, old.get(entry.identity))
        for entry in [entry for entry in self.entries if entry.owner == owner and entry.path in self._copies]:
            self.entries[self.entries.index(entry)] = self._copied(entry)
        self._settle()

    @property
    def after(self) -> WorkspaceManifest:
        """The manifest as it shall be."""
        return msgspec.structs.replace(self.before, entries=self.entries, files=self.formers, folders=self._folders())

    def _folders(self) -> list[str]:
        """Return the folders that are MI's: those of before, and those that the new files need."""
        found = dict.fromkeys(self.before.folders)
        new = [path for path, data in self.writes.items() if data is not None]
        for path in [*new, *(path for path, text in self.links.items() if text)]:
            missing: list[str] = []
            folder = os.path.dirname(path)
            while folder not in ("", OWN) and not os.path.isdir(os.path.join(self.workspace.root, folder)):
                missing.append(folder)
                folder = os.path.dirname(folder)
            found |= dict.fromkeys(reversed(missing))
        return list(found)

    # putting in

    def _put(self, entry: PlacedEntry, artefact: Artefact, old: PlacedEntry | None) -> None:
        match artefact:
            case File():
                placed = self._put_file(entry, artefact.content.encode("utf-8", "surrogatepass"), old)
            case Link():
                placed = self._put_link(entry, old)
            case MarkedBlock():
                placed = self._put_block(entry, artefact, old)
            case JsonEntry():
                placed = self._put_entry(entry, old)
            case JsonItem():
                placed = self._put_item(entry, old)
        if old is not None:
            self.entries[self.entries.index(old)] = placed
        else:
            self.entries.append(placed)

    def _put_file(self, entry: PlacedEntry, content: bytes, old: PlacedEntry | None) -> PlacedEntry:
        path, other = entry.path, self._shared(entry)
        akin = other is not None and is_own(path) and _family(other) == _family(entry)
        if other is not None and other.sha256 != entry.sha256 and not akin:
            raise _taken(path)
        if not is_own(path):
            there = os.path.join(self.workspace.root, path)
            if old is None and other is None and os.path.lexists(there):
                raise _taken(path)
            if old is not None and os.path.isfile(there) and digest(self._now(path)) not in (old.sha256, entry.sha256):
                self.kept.append(path)
                return old
        if self._now(path) != content:
            self.writes[path] = content
        return entry

    def _put_link(self, entry: PlacedEntry, old: PlacedEntry | None) -> PlacedEntry:
        whole = self.workspace.real(entry.path, follow=False)
        if not os.path.lexists(whole):
            if self._copying:
                self._copies.add(entry.path)
            else:
                self.links[entry.path] = link_text(self.workspace, entry)
            return entry
        if os.path.islink(whole) and os.readlink(whole) == link_text(self.workspace, entry):
            return entry
        if old is not None and old.copied and os.path.isdir(whole):
            self._copies.add(entry.path)
            return msgspec.structs.replace(entry, copied=old.copied)
        if old is None:
            raise _taken(entry.path)
        self.kept.append(entry.path)
        return old

    def _copied(self, entry: PlacedEntry) -> PlacedEntry:
        """Return a link as a copy of what it leads to, marked; files of it that someone changed stay."""
        contents = {COPY_MARK: f"A copy of {entry.target}, made by MI: the next sync replaces it.\n".encode()}
        below = f"{entry.target}/"
        for path in [*self._files_below(entry.target), *(one for one in self.writes if one.startswith(below))]:
            if (data := self._now(path)) is not None:
                contents[path.removeprefix(below)] = data
        copied = {}
        for inside in {**contents, **entry.copied}:
            path, data = os.path.join(entry.path, inside), contents.get(inside)
            now = self._now(path)
            if now is not None and digest(now) not in (entry.copied.get(inside), digest(data)):
                self.kept.append(path)
                continue
            if now != data:
                self.writes[path] = data
            if data is not None:
                copied[inside] = digest(data)
        return msgspec.structs.replace(entry, copied=copied)

    def _files_below(self, path: str) -> list[str]:
        """Return the files in a folder of the workspace, by their path in it."""
        found = os.walk(self.workspace.real(path))
        inside = [
            os.path.relpath(os.path.join(folder, name), self.workspace.real(path))
            for folder, _, names in found
            for name in names
        ]
        return [os.path.join(path, one) for one in inside]

    def _put_block(self, entry: PlacedEntry, artefact: MarkedBlock, old: PlacedEntry | None) -> PlacedEntry:
        if self._shared(entry) is not None:
            raise StorageError("host-entry-taken", path=entry.path, entry=entry.name)
        text = _text(self._now(entry.path))
        where = marked_block.find(text, entry.name, entry.comment)
        around = text[: where[0]] + text[where[1] :] if where else text
        if artefact.taken and any(line.strip() == artefact.taken for line in around.splitlines()):
            raise StorageError("host-entry-taken", path=entry.path, entry=artefact.taken)
        new, lead = marked_block.put(text, entry.name, entry.comment, artefact.text)
        if entry.path.endswith(".toml"):
            _check_toml(entry.path, around, new, artefact.taken or entry.name)
        self._edit(entry.path, _bytes(new))
        return msgspec.structs.replace(entry, lead=old.lead if old and where else lead)

    def _put_entry(self, entry: PlacedEntry, old: PlacedEntry | None) -> PlacedEntry:
        document = self._document(entry.path)
        value = jsonfile.get(document, entry.keys)
        if value is not jsonfile.ABSENT and value == entry.value:
            known = old or self._shared(entry)
            return msgspec.structs.replace(entry, found=known.found if known else True)
        if value is not jsonfile.ABSENT and (old is None or old.found or value != old.value):
            if old is None:
                raise StorageError("host-entry-taken", path=entry.path, entry=".".join(entry.keys))
            self.kept.append(entry.path)
            return old
        self._edit(entry.path, jsonfile.put(self._json(entry.path), entry.keys, entry.value, entry.path))
        return entry

    def _put_item(self, entry: PlacedEntry, old: PlacedEntry | None) -> PlacedEntry:
        document = self._document(entry.path)
        items = jsonfile.get(document, entry.keys)
        if isinstance(items, list) and entry.value in items:
            known = old or self._shared(entry)
            return msgspec.structs.replace(entry, found=known.found if known else True)
        self._edit(entry.path, jsonfile.add(self._json(entry.path), entry.keys, entry.value, entry.path))
        return entry

    def _shared(self, entry: PlacedEntry) -> PlacedEntry | None:
        """Return the same thing, placed by another owner: it goes with the last of them."""
        same = (one for one in self.entries if one.owner != entry.owner and one.identity == entry.identity)
        return next(same, None)

    # taking out

    def _take_out(self, entry: PlacedEntry) -> None:
        self.entries.remove(entry)
        if self._shared(entry) is not None:
            return
        match entry.kind:
            case "file":
                now = self._now(entry.path)
                if now is not None and (is_own(entry.path) or digest(now) == entry.sha256):
                    self.writes[entry.path] = None
                elif now is not None:
                    self.kept.append(entry.path)
            case "link":
                self._take_link(entry)
            case "block":
                text = _text(self._now(entry.path))
                if marked_block.find(text, entry.name, entry.comment):
                    self._edit(entry.path, _bytes(marked_block.drop(text, entry.name, entry.comment, entry.lead)))
            case "entry" | "item":
                if not entry.found:
                    self._take_value(entry, entry.kind)

    def _take_link(self, entry: PlacedEntry) -> None:
        whole = self.workspace.real(entry.path, follow=False)
        if os.path.islink(whole) and os.readlink(whole) == link_text(self.workspace, entry):
            self.links[entry.path] = ""
        elif entry.copied and os.path.isdir(whole) and not os.path.islink(whole):
            for path in self._files_below(entry.path):
                if digest(self._now(path)) == entry.copied.get(os.path.relpath(path, entry.path)):
                    self.writes[path] = None
                else:
                    self.kept.append(path)
        elif os.path.lexists(whole):
            self.kept.append(entry.path)

    def _take_value(self, entry: PlacedEntry, kind: Literal["entry", "item"]) -> None:
        now = self._json(entry.path)
        if now is None:
            return
        before = self.formers.get(entry.path)
        former = jsonfile.parse(before.content, entry.path) if before and before.existed else {}
        value, new = jsonfile.get(self._document(entry.path), entry.keys), now
        if kind == "item":
            new = jsonfile.take_item(now, entry.keys, entry.value, former, entry.path)
        elif value == entry.value:
            new = jsonfile.take(now, entry.keys, former, entry.path)
        elif value is not jsonfile.ABSENT:
            self.kept.append(entry.path)
        if new != now:
            self._edit(entry.path, new)

    # files that are the user's

    def _now(self, path: str) -> bytes | None:
        if path in self.writes:
            return self.writes[path]
        real = self.workspace.real(path)
        if os.path.isdir(real):
            raise _taken(path)
        return files.read_bytes(real)

    def _json(self, path: str) -> bytes | None:
        """Return a JSON file's bytes; one of MI's own that is damaged is made anew."""
        data = self._now(path)
        if is_own(path):
            try:
                jsonfile.parse(data, path)
            except StorageError:
                return None
        return data

    def _document(self, path: str) -> dict[str, Any]:
        return jsonfile.parse(self._json(path), path)

    def _edit(self, path: str, new: bytes) -> None:
        now = self._now(path)
        if path not in self._intact:
            former = self.formers.get(path)
            if former is None:
                former = Former(existed=now is not None, sha256=digest(now), content=now or b"")
                self.formers[path] = former
                self._intact[path] = True
            else:
                self._intact[path] = not former.edited and digest(now) in (former.written, former.sha256)
        if new != now:
            self.writes[path] = new

    def _settle(self) -> None:
        """Restore a file with nothing of MI's left to what it was, if nobody else changed it."""
        used = {entry.path for entry in self.entries if entry.kind in _EDITS}
        for path, former in list(self.formers.items()):
            intact = self._intact.get(path)
            if path in used:
                if intact is not None:
                    written = digest(self._now(path))
                    self.formers[path] = msgspec.structs.replace(former, written=written, edited=not intact)
                continue
            del self.formers[path]
            if is_own(path) and self._now(path) is not None:
                self.writes[path] = None
            elif intact:
                self.writes[path] = former.content if former.existed else None
            elif intact is False and not former.existed and _is_blank(self._now(path)):
                self.writes[path] = None


def _check_toml(path: str, around: str, new: str, table: str) -> None:
    """Raise if the file would no longer be TOML: the host would not start."""
    try:
        tomllib.loads(around)
    except tomllib.TOMLDecodeError as error:
        raise StorageError("host-not-toml", path=path, reason=str(error)) from None
    try:
        tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        raise StorageError("host-entry-taken", path=path, entry=table) from None


def link_text(workspace: Workspace, entry: PlacedEntry) -> str:
    """Return what the symlink says: the way from its folder, so that the workspace can be moved."""
    parent = os.path.dirname(workspace.real(entry.path, follow=False))
    return os.path.relpath(os.path.join(os.path.realpath(workspace.root), entry.target), parent)


def _entry(owner: str, artefact: Artefact, workspace: Workspace) -> PlacedEntry:
    path = workspace.relative(artefact.path)
    match artefact:
        case File():
            content = artefact.content.encode("utf-8", "surrogatepass")
            return PlacedEntry(owner=owner, kind="file", path=path, sha256=digest(content))
        case Link():
            return PlacedEntry(owner=owner, kind="link", path=path, target=workspace.relative(artefact.target))
        case MarkedBlock():
            return PlacedEntry(owner=owner, kind="block", path=path, name=artefact.name, comment=artefact.comment)
        case JsonEntry():
            return PlacedEntry(owner=owner, kind="entry", path=path, keys=artefact.keys, value=artefact.value)
        case JsonItem():
            return PlacedEntry(owner=owner, kind="item", path=path, keys=artefact.keys, value=artefact.value)


def _family(entry: PlacedEntry) -> str:
    """Owners that differ by project alone: what they generate under one name is one thing, the last has it right."""
    return entry.owner.rpartition(":")[0] or entry.owner


def _is_blank(data: bytes | None) -> bool:
    return data is not None and data.strip() in (b"", b"{}")


def _taken(path: str) -> StorageError:
    return StorageError("host-taken", path=path)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
