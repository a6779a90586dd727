"""Proof, put together: whether the person wants it, and who runs the checks."""

import os
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.app.thoughts import build_thoughts
from mi.app.tree_run import find_latest_here
from mi.app.trust import leave_question, list_untrusted
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.proof import Proof
from mi.evidence.records.run import RunStart
from mi.kernel import clock, git
from mi.kernel.errors import NotFound
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.settings import effective, set_settings
from mi.project.trust import read_trust

if TYPE_CHECKING:
    from mi.autopilot.run_parts import Prover
    from mi.mind.views import ProofView
    from mi.project.proof.witness import Witness, WitnessPlace
    from mi.project.trees import GitTree


def build_witness_place(context: HomeContext) -> "WitnessPlace":
    """Return where a proof of this project keeps what it makes, and what it may run."""
    from mi.project.proof.check_runs import RunSettings
    from mi.project.proof.sandbox import own_environment
    from mi.project.proof.witness import WitnessPlace

    trusted = read_trust(context.project_home.trust)
    verification = context.config.runtime.verification
    return WitnessPlace(
        kept=context.project_home.proofs,
        lock=context.home.path("proof.lock"),
        trusted=frozenset(trusted.commands if trusted else ()),
        settings=RunSettings(own_environment(), verification.prove_seconds, verification.prove_network),
        own_file=context.project_home.checks,
    )


def read_decision(context: HomeContext) -> bool | None:
    """Return whether the person wants proofs; None while they have not decided."""
    decided = effective([build_thoughts(context).own, build_thoughts(context).shared])["prove"]
    return None if decided.source == "default" else decided.value == "yes"


def store_decision(context: HomeContext, wanted: bool) -> None:
    """Keep whether the person wants proofs, for all projects."""
    writer = context.evidence_writer(context.home.evidence)
    set_settings(build_thoughts(context).shared, writer, {"prove": "yes" if wanted else "no"})


class ProofChoice(NamedTuple):
    """Whether a run is proved; where not, the key of the message that says why."""

    prover: "Prover | None" = None
    why_not: str = ""


def choose_proof(context: HomeContext, wanted: bool | None, open_prover: "Callable[[], Prover]") -> ProofChoice:
    """Return who proves a run; `wanted` is the person's word for this run, over what they decided before."""
    decided = read_decision(context) if wanted is None else wanted
    if decided is None:
        return ProofChoice(why_not="proof.undecided")
    if not decided:
        return ProofChoice(why_not="proof.not-wanted")
    trusted = read_trust(context.project_home.trust)
    untrusted = [] if trusted and trusted.commands else list_untrusted(context)
    if untrusted:
        leave_question(context, untrusted)
        return ProofChoice(why_not="proof.untrusted")
    return ProofChoice(open_prover())  # of a trusted repository only what is new in the base is not run


def prove_run(context: HomeContext, run: str, say: "Callable[[str], None]") -> Proof:
    """Prove a run by its snapshots, record what was seen, and return the record."""
    from mi.autopilot.run_prover import describe_testimony, view_testimony
    from mi.mind.task_parts import find_called_names

    kept = find_kept_run(context, run)
    witness = _open_witness(context, kept.base, say)
    try:
        seen = witness.testify(kept.task, kept.final, find_called_names(kept.task))
    finally:
        witness.close()
    record = describe_testimony(seen, view_testimony(seen, context.language), kept.final.tree_id)
    writer = EvidenceWriter.resume(context.project_home.evidence, kept.run_id, context.notices, context.by)
    return writer.append(record, sync=True)


def describe_proof(proved: bool | None, why: str, commands: list[str], language: str) -> str:
    """Return what a proof showed, in one line."""
    key = "proof.is-proved" if proved else "proof.is-none" if proved is None else "proof.is-not"
    return text(key, language, commands=", ".join(commands), why=why)


class KeptRun(NamedTuple):
    """A run whose trees are still there."""

    run_id: str
    task: str
    base: "GitTree"
    final: "GitTree"
    base_commit: str  # the snapshot before the run; its parent is the repository's own commit


def find_kept_run(context: HomeContext, run: str) -> KeptRun:
    """Return a run with the trees before and after it; NotFound where its snapshots are gone."""
    from mi.autopilot.resume import latest_run_id, records_of
    from mi.project.snapshots import CLEANED, list_snapshots, open_store
    from mi.project.trees import GitTree

    log, root = context.project_home.evidence, context.project.root
    run_id = (
        (find_latest_here(context) or latest_run_id(log, context.notices))
        if run == "last"
        else find_run_id(context, run)
    )
    records = records_of(log, run_id, context.notices)
    if not records or not isinstance(records[0], RunStart):
        raise NotFound("not-a-run", run_id=run_id, path=log)
    store = open_store(root, context.project_home.snapshots)
    snapshots = [one for one in list_snapshots(store, run_id) if one.batch_id != CLEANED] if store else []
    if len(snapshots) < 2:
        raise NotFound("no-snapshots", run_id=run_id)
    env = {"GIT_DIR": store.git_dir} if store else {}
    trees = [GitTree(root, f"{kept.commit}^{{tree}}", env) for kept in (snapshots[0], snapshots[-1])]
    return KeptRun(run_id, records[0].task, _named(trees[0]), _named(trees[1]), snapshots[0].commit)


def _named(tree: "GitTree") -> "GitTree":
    """Return a tree by its own id."""
    from mi.project.trees import GitTree

    found = git.run(tree.root, "rev-parse", "--verify", "-q", tree.tree_id, env=dict(tree.env))
    return GitTree(tree.root, found.output.strip(), tree.env)


def _open_witness(context: HomeContext, base: "GitTree", say: "Callable[[str], None]") -> "Witness":
    from mi.project.proof.witness import Witness

    def tell(name: str, command: str) -> None:
        say(text(f"proof.runs-{name.removesuffix('_again')}", context.language, command=command))

    return Witness(base, build_witness_place(context), say=tell)


def export_proof(context: HomeContext, run: str, out: str, key: str) -> list[str]:
    """Write the proof of a run as one file, signed where a key is named; return the files."""
    from mi.project.proof.bundle import BundledCheck, ProofBundle, make_patch, write_bundle

    kept = find_kept_run(context, run)
    record = _find_proof(context, kept.run_id)
    head = git.run(context.project.root, "rev-parse", "--verify", "-q", f"{kept.base_commit}^1").output.strip()
    if not head:
        raise NotFound("no-base-commit", run_id=kept.run_id)
    env = dict(kept.base.env)
    bundle = ProofBundle(
        run_id=kept.run_id,
        task=kept.task,
        base_commit=head,
        before_patch=make_patch(context.project.root, f"{head}^{{tree}}", kept.base.tree_id, env),
        patch=make_patch(context.project.root, kept.base.tree_id, kept.final.tree_id, env),
        base_tree=kept.base.tree_id,
        final_tree=kept.final.tree_id,
        checks=[
            BundledCheck(
                command=check.command,
                proved=check.proved,
                failed_to_passed=check.failed_to_passed,
                passed_to_failed=check.passed_to_failed,
                vanished=check.vanished,
                new=check.new,
            )
            for check in record.checks
        ],
        proved=record.proved,
        made_at=clock.now(),
    )
    return write_bundle(os.path.abspath(out or f"{kept.run_id}.proof.json"), bundle, key)


def verify_proof(context: HomeContext, path: str, say: "Callable[[str], None]") -> "ProofView":
    """Run the proof in a file again, in a fresh clone of this repository; only what the person trusted is run."""
    from mi.autopilot.run_prover import view_testimony
    from mi.mind.task_parts import find_called_names
    from mi.project.proof.bundle import check_out, read_bundle

    bundle = read_bundle(path)
    with tempfile.TemporaryDirectory(prefix="mi-verify-") as folder:
        base, final = check_out(bundle, context.project.root, os.path.join(folder, "clone"))
        witness = _open_witness(context, base, say)
        try:
            seen = witness.testify(bundle.task, final, find_called_names(bundle.task))
        finally:
            witness.close()
    return view_testimony(seen, context.language)


def _find_proof(context: HomeContext, run_id: str) -> Proof:
    """Return the latest proof of a run; NotFound where it was never proved."""
    from mi.autopilot.resume import records_of

    records = records_of(context.project_home.evidence, run_id, context.notices)
    found = next((record for record in reversed(records) if isinstance(record, Proof) and record.checks), None)
    if found is None:
        raise NotFound("not-proved", run_id=run_id)
    return found
