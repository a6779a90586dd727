"""Clones that a worker keeps of others' remotes: one per project, beside the work trees."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from mi.fleet.tree_lock import hold_tree_list
from mi.kernel import git
from mi.kernel.errors import MiError

_NETWORK_S = 1800.0
_NAMED = r"^(https?://)[^/@]*@"  # who asks, and often by which token
_PASSWORD = r"^([a-z][a-z0-9+.-]*://[^/@:]*):[^/@]*@"


def find_remote(top: str) -> str:
    """Return where a repository's `origin` is, as another machine would clone it; '' where it has none.

    Names and passwords of an address stay here; a folder is named by its whole path.
    """
    asked = git.run(top, "remote", "get-url", "origin")
    url = asked.output.strip() if asked.code == 0 else ""
    if not url or re.match(r"[^/]+:", url):
        return re.sub(_PASSWORD, r"\1@", re.sub(_NAMED, r"\1", url))
    return os.path.normpath(os.path.join(top, url))


def is_on_remote(top: str, commit: str) -> bool:
    """Return whether a branch of the remote has a commit, as far as this repository was told."""
    asked = git.run(top, "for-each-ref", f"--contains={commit}", "--count=1", "--format=1", "refs/remotes/origin")
    return asked.code == 0 and bool(asked.output.strip())


@contextmanager
def hold_clone(folder: str, remote: str, base: str, run_id: str = "", aside: str = "") -> Iterator[str]:
    """Yield the top of a clone that stands at a commit until this ends; with `run_id` what the remote keeps of a run.

    What the clone itself kept of the run is kept under the name `aside` from then on.

    MiError where it cannot be cloned (`clone-failed`), or lacks the commit (`clone-lacks-base`).
    """
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(remote.rstrip("/")).removesuffix(".git")) or "project"
    top = os.path.join(folder, name)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with hold_tree_list(folder):
        if git.find_toplevel(top) != os.path.realpath(top):
            _clone(remote, top)
        if run_id:
            _rename_refs(top, f"refs/mi/{run_id}/", f"refs/mi/{aside}/")
        _stand_at(top, remote, base, run_id)
        yield os.path.realpath(top)


def _clone(remote: str, top: str) -> None:
    new = f"{top}.new"
    shutil.rmtree(new, ignore_errors=True)  # of one that was killed
    made = git.run_bytes(
        os.path.dirname(top), "clone", "--quiet", "--no-checkout", "--", remote, new, timeout_s=_NETWORK_S, umask=-1
    )
    if made.code != 0:
        shutil.rmtree(new, ignore_errors=True)
        raise MiError("clone-failed", remote=remote, reason=made.error.removeprefix("fatal: "))
    os.rename(new, top)


def _rename_refs(top: str, old: str, new: str) -> None:
    """Keep what is kept below one name below another."""
    listed = git.run(top, "for-each-ref", "--format=%(refname) %(objectname)", old)
    pairs = [line.split(" ") for line in listed.output.splitlines()] if listed.code == 0 else []
    lines = [f"update {new}{ref.removeprefix(old)} {commit}\ndelete {ref}\n" for ref, commit in pairs]
    if lines:
        git.run_bytes(top, "update-ref", "--stdin", stdin="".join(lines).encode(), umask=-1)


def _stand_at(top: str, remote: str, base: str, run_id: str) -> None:
    refs = ["+refs/heads/*:refs/remotes/origin/*"]
    refs += [f"+refs/mi/{run_id}/*:refs/mi/{run_id}/*"] if run_id else []
    fetched = _ask(top, "fetch", "--quiet", "--no-tags", "origin", *refs)
    if fetched.code != 0 and run_id:  # what was kept of the run may be there
        raise MiError("clone-failed", remote=remote, reason=fetched.error.removeprefix("fatal: "))
    if git.run(top, "cat-file", "-e", f"{base}^{{commit}}").code != 0:
        raise MiError("clone-lacks-base", remote=remote, base=base[:12])
    settings = git.disable_filters(top) | {"advice.detachedHead": "false"}
    done = git.run_bytes(
        top, "checkout", "--quiet", "--force", "--detach", base, timeout_s=_NETWORK_S, settings=settings, umask=-1
    )
    if done.code != 0:
        raise MiError("clone-failed", remote=remote, reason=done.error)


def push_refs(top: str, *refs: str) -> str:
    """Push references to the remote, whatever it holds under them; return why not, '' when it has them."""
    done = _ask(top, "push", "--quiet", "--no-verify", "origin", *refs)
    return "" if done.code == 0 else done.error or "git push"


def _ask(top: str, *args: str) -> git.GitBytes:
    return git.run_bytes(top, *args, timeout_s=_NETWORK_S, env={"GIT_NO_LAZY_FETCH": None}, umask=-1)
