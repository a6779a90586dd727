"""Deleting everything of a person's that MI keeps: the home, and nothing that somebody else put into it."""

import os
import shutil

from mi.kernel.errors import Blocked
from mi.kernel.home import Home
from mi.kernel.locks import is_held

# What MI makes at the top of a home; a folder that was named as the home by mistake holds more than this.
OWN = (
    *("config.json", "backups", "demo", "global", "hosts", "indexes", "mcp", "persona", "projects", "thoughtdb"),
    "workflows",
)


def delete_data(home: Home, apply: bool) -> tuple[list[str], list[str]]:
    """The names that are deleted, and those that stay because they are not MI's; Blocked while a run goes on."""
    names = sorted(os.listdir(home.root)) if home.exists() else []
    mine = [name for name in names if name in OWN or name.startswith("config.json.")]
    running = [one for one in _locks(home) if is_held(one)]
    if running:
        raise Blocked("data-in-use", path=running[0])
    for name in mine if apply else []:
        path = home.path(name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    left = [name for name in names if name not in mine]
    if apply and names and not left:
        os.rmdir(home.root)
    return mine, left


def _locks(home: Home) -> list[str]:
    projects = os.listdir(home.projects) if os.path.isdir(home.projects) else []
    return [home.project(one).run_lock for one in projects]
