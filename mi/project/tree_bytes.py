"""Keeping files byte for byte where git's rules for line ends, encodings and `$Id$` would write them otherwise."""

import filecmp
import os
import re
import shutil
from collections.abc import Callable, Iterable

from mi.kernel import files
from mi.kernel.text import decode
from mi.project.tree_store import make_repository

_CONVERTS = re.compile(r"\s(text\b|crlf\b|eol=|ident\b|working-tree-encoding=)")
_CONFIG_CONVERTS = re.compile(r"(?i)\bautocrlf = (?!false)")
_CONFIG_CRLF = re.compile(r"(?i)\bautocrlf = (true|1|yes|on)\b|\beol = crlf\b")
_NOT_ONLY_CR = re.compile(r"\s(eol=crlf|ident|working-tree-encoding=)|\[attr\]")  # files without CR may change, too
_LINE = re.compile(rb"i/(\S*)\s+w/(\S*)\s+attr/(.*?)\s*\t(.*)", re.DOTALL)
_AS_IT_IS = "-text -ident !eol !crlf !working-tree-encoding"
_TEXT = (b"lf", b"crlf", b"mixed", b"none")

Ask = Callable[..., bytes]


class ByteKeeper:
    """Finds the files that git would write otherwise, and writes the tree that holds their bytes."""

    def __init__(self, top: str, folder: str, ask: Ask, is_pointer: Callable[[str], bool]) -> None:
        """`folder` is a repository with the rules to go by and an index of the work tree; `ask` runs git.

        `is_pointer` says of a path whether git holds only a pointer to its content.
        """
        self._top = top
        self._folder = folder
        self._ask = ask
        self._is_pointer = is_pointer
        self._list = os.path.join(folder, "altered")  # what was found before

    def forget(self) -> None:
        """Look at every file again."""
        files.remove_if_there(self._list)

    def write(self, tree: str, changed: Iterable[str], env: dict[str, str]) -> tuple[str, str]:
        """Return the tree of the index with the bytes of every file, and the rules to write it out by.

        The rules are '' where they are those of the folder.
        """
        rules, config = self._read("info/attributes"), self._read("config")
        if not _CONVERTS.search(rules) and not _CONFIG_CONVERTS.search(config):
            return tree, ""
        before = files.read_bytes(self._list)
        known = {os.fsdecode(name) for name in (before or b"").split(b"\0") if name}
        suspects = self._find_suspects(env, bool(_CONFIG_CRLF.search(config))) if before is None else known
        if not _CONFIG_CRLF.search(config) and not _NOT_ONLY_CR.search(rules):
            changed = [path for path in changed if _holds_cr(os.path.join(self._top, path))]
        altered = self._find_altered({*suspects, *changed}, env)
        if before is None or set(altered) != known:
            files.write_atomic(self._list, _join(altered))
        if not altered:
            return tree, ""
        return self._write_tree(altered, env), rules + "".join(f"{write_rule(path)}\n" for path in altered)

    def _read(self, name: str) -> str:
        return decode(files.read_bytes(os.path.join(self._folder, name)) or b"")

    def _find_suspects(self, env: dict[str, str], config_crlf: bool) -> list[str]:
        """Return which files of the index are not plainly as git would write them."""
        found = []
        for line in self._ask("ls-files", "--eol", "-z", env=env).split(b"\0"):
            if parts := _LINE.fullmatch(line):
                stored, here, rule, name = parts.groups()
                crlf = b"eol=crlf" in rule or (config_crlf and b"eol=lf" not in rule and rule != b"-text")
                same = stored == here and not (crlf and here in (b"lf", b"mixed"))
                is_text = stored in _TEXT and here in _TEXT  # else a program's filter may be what differs
                if is_text and not same and not (crlf and (stored, here) == (b"lf", b"crlf")):
                    found.append(os.fsdecode(name))
        return [path for path in found if not self._is_pointer(path)]

    def _find_altered(self, paths: set[str], env: dict[str, str]) -> list[str]:
        """Return which files have other bytes than git would write."""
        there = [path for path in paths if _is_plain_file(os.path.join(self._top, path))]
        if not there:
            return []
        written = os.path.join(self._folder, "written")
        shutil.rmtree(written, ignore_errors=True)
        try:
            words = ("checkout-index", "-f", "-q", "-z", "--stdin", f"--prefix={written}/")
            self._ask(*words, stdin=_join(there), env=env, accept=(0, 1))  # 1: one is not in the index
            return sorted(path for path in there if _differ(os.path.join(written, path), os.path.join(self._top, path)))
        finally:
            shutil.rmtree(written, ignore_errors=True)

    def _write_tree(self, altered: list[str], env: dict[str, str]) -> str:
        """Return the tree of the index with the bytes of some files."""
        plain = os.path.join(self._folder, "plain")
        format_line = re.search(r"(?i)\bobjectformat = (\w+)", self._read("config"))
        make_repository(plain, {"extensions.objectformat": format_line[1]} if format_line else {})
        files.write_atomic(os.path.join(plain, "info", "attributes"), f"* {_AS_IT_IS} !filter\n".encode(), sync=False)
        shutil.copy2(os.path.join(self._folder, "index"), os.path.join(plain, "index"))
        env = env | {"GIT_DIR": plain}
        for how in ("--force-remove", "--add"):  # removed first: git takes nothing in that looks unchanged
            self._ask("update-index", how, "-z", "--stdin", stdin=_join(altered), env=env)
        return self._ask("write-tree", env=env).decode().strip()


def _holds_cr(place: str) -> bool:
    """Return whether a file holds a carriage return, as far as it can be read."""
    try:
        with open(place, "rb") as file:
            return any(b"\r" in chunk for chunk in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return True  # git finds out


def _is_plain_file(place: str) -> bool:
    return os.path.isfile(place) and not os.path.islink(place)


def _differ(written: str, here: str) -> bool:
    try:
        return not filecmp.cmp(written, here, shallow=False)
    except OSError:
        return False  # gone meanwhile, or not in the index


def _join(paths: Iterable[str]) -> bytes:
    return b"\0".join(map(os.fsencode, paths))


def write_rule(path: str) -> str:
    """Return the attribute line by which one file is written as it is stored."""
    pattern = re.sub(r"([\\*?\[])", r"\\\1", path)
    quoted = (chr(one) if 32 <= one < 127 and one not in b'"\\' else f"\\{one:03o}" for one in os.fsencode(pattern))
    return f'"/{"".join(quoted)}" {_AS_IT_IS}'
