"""A proof as one file: the task, the patch, the checks and the verdict, with hashes; replayed in a fresh clone."""

import os
import subprocess
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from mi.kernel import files, git
from mi.kernel.errors import MiError, NotFound
from mi.kernel.jsontext import BadJson, decode, encode
from mi.kernel.secrets import redact_end
from mi.project.trees import GitTree

VERSION = "mi-proof-1"
NAMESPACE = "mi-proof"  # of the signature, so that one made for something else does not count
_PATCH_BYTES = 256 << 20
_GIT_S = 300.0


class BundledCheck(Struct, frozen=True, kw_only=True):
    """One check and what it showed."""

    command: str
    proved: bool | None = None
    failed_to_passed: list[str] = []
    passed_to_failed: list[str] = []
    vanished: list[str] = []
    new: list[str] = []


class ProofBundle(Struct, frozen=True, kw_only=True):
    """Everything that somebody else needs to run the proof again."""

    version: str = VERSION
    run_id: str = ""
    task: str = ""
    base_commit: str = ""  # of the repository's own history
    before_patch: str = ""  # from that commit to the tree that the run began with
    patch: str = ""  # what the run changed
    base_tree: str = ""
    final_tree: str = ""
    checks: list[BundledCheck] = []
    proved: bool | None = None
    made_at: str = ""
    sha256: str = ""  # of all of this without itself

    def digest(self) -> str:
        """Return the hash of everything but the hash."""
        return sha256(encode(replace(self, sha256=""))).hexdigest()

    def seal(self) -> "ProofBundle":
        """Return the bundle with its hash."""
        return replace(self, sha256=self.digest())


def make_patch(root: str, before: str, after: str, env: dict[str, str]) -> str:
    """Return what leads from one tree to another, contents of binary files included."""
    words = ("diff", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
    found = git.run(root, *words, before, after, timeout_s=_GIT_S, max_bytes=_PATCH_BYTES, env=env)
    if found.code != 0 or found.cut:
        raise MiError("proof-no-patch", path=root)
    return found.output


def write_bundle(path: str, bundle: ProofBundle, key: str = "") -> list[str]:
    """Write a bundle, and its signature beside it where a key is named; return the files."""
    files.write_atomic(path, encode(bundle.seal()))
    if not key:
        return [path]
    made = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", key, "-n", NAMESPACE, path], check=False, capture_output=True, text=True
    )
    if made.returncode != 0:
        raise MiError("proof-not-signed", key=key, reason=made.stderr.strip().splitlines()[-1:] or ["ssh-keygen"])
    return [path, f"{path}.sig"]


def read_bundle(path: str) -> ProofBundle:
    """Return the bundle in a file; MiError when it is none, or not what was written."""
    data = files.read_bytes(path)
    if data is None:
        raise NotFound("proof-no-file", path=path)
    try:
        bundle = decode(data, ProofBundle)
    except BadJson as error:
        raise MiError("proof-unreadable", path=path, reason=str(error)) from None
    if bundle.version != VERSION or bundle.digest() != bundle.sha256:
        raise MiError("proof-changed", path=path)
    return bundle


def check_out(bundle: ProofBundle, repository: str, place: str) -> tuple[GitTree, GitTree]:
    """Return the trees before and after in a fresh clone at `place`; MiError where they are not those of the bundle."""
    _git(os.path.dirname(place), "clone", "--quiet", "--no-checkout", "--", repository, place)
    _git(place, "checkout", "--quiet", "--detach", bundle.base_commit)
    base = _apply(place, bundle.before_patch)
    final = _apply(place, bundle.patch)
    if (base, final) != (bundle.base_tree, bundle.final_tree):
        raise MiError("proof-other-tree", path=repository)
    return GitTree(place, base), GitTree(place, final)


def _apply(place: str, patch: str) -> str:
    """Apply a patch to work tree and index; return the tree it leads to."""
    if patch:
        _git(place, "apply", "--index", "--whitespace=nowarn", "-", stdin=patch)
    return _git(place, "write-tree").strip()


def _git(place: str, *words: str, stdin: str = "") -> str:
    answer = git.run_bytes(place, *words, stdin=stdin.encode("utf-8", "surrogateescape"), timeout_s=_GIT_S)
    if answer.code != 0:
        raise MiError("proof-no-clone", step=words[0], reason=redact_end(answer.error.strip(), 300))
    return answer.output.decode("utf-8", "replace")
