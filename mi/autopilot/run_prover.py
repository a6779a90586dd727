"""Proving a run: the base beside the agent, the end after it, and what follows as the rows of `done` see it."""

import os
import threading
from collections.abc import Callable, Iterable

import msgspec

from mi.agents.signals import StopFlag
from mi.autopilot.recorder import LogRecorder
from mi.evidence.records.proof import Proof, ProvedCheck
from mi.kernel.messages import text
from mi.kernel.secrets import redact_start
from mi.mind.task_parts import find_called_names
from mi.mind.views import Case, ProofView
from mi.project.proof.proving import CheckProof, ProofResult
from mi.project.proof.witness import Testimony, Witness, WitnessPlace
from mi.project.proof.words import tell_agent, tell_person
from mi.project.trees import GitTree
from mi.project.worktree import WorktreeWatch

_SHOWN = 2000  # characters of changed judges in a question


class RunProver:
    """Proves one run; the base is run in the background from the agent's first change on."""

    def __init__(
        self,
        place: WitnessPlace,
        stop: StopFlag,
        say: Callable[[str], None],
        ask_trust: Callable[[list[str]], None],
        language: str = "en",
    ) -> None:
        """`ask_trust` leaves the person a question about commands that may not be run yet."""
        self._place = place
        self._say = say
        self._ask_trust = ask_trust
        self._language = language
        self._watch: WorktreeWatch | None = None
        self._witness: Witness | None = None
        self._background: threading.Thread | None = None
        self._ending = _Ending(stop)
        self._proofs: dict[str, ProofView] = {}

    def begin(self, watch: WorktreeWatch) -> None:
        """Take note of the tree as it is, and of what is installed beside it."""
        base = watch.first_tree
        self._watch = watch
        if base is not None:
            self._witness = Witness(base, self._place, watch.left_out, self._tell, self._ending)
            self._witness.note_installed(os.path.join(watch.kept, "installed.json") if watch.kept else "")

    def notice_change(self, changed: Iterable[str]) -> None:
        """Begin to run the checks that cover a change on the tree as it was, beside the agent."""
        if self._witness is not None and self._background is None:
            self._background = threading.Thread(target=self._witness.run_base, args=(list(changed),), daemon=True)
            self._background.start()

    def prove(self, recorder: LogRecorder, case: Case) -> ProofView:
        """Return what the checks show about the tree as it is; once for each tree."""
        final = self._watch.last_tree if self._watch else None
        if self._witness is None or not isinstance(final, GitTree):
            return self._keep(recorder, Testimony(problem="proof.no-git"), "")
        if self._background is not None:
            self._background.join()
        if final.tree_id not in self._proofs:
            seen = self._witness.testify(case.batch.task, final, find_called_names(case.batch.task))
            self._proofs[final.tree_id] = self._keep(recorder, seen, final.tree_id)
        return self._proofs[final.tree_id]

    def close(self) -> None:
        """End what still runs, and remove the copies."""
        self._ending.is_closed = True
        if self._background is not None:
            self._background.join()
        if self._witness is not None:
            self._witness.close()

    def _tell(self, name: str, command: str) -> None:
        self._say(text(f"proof.runs-{name.removesuffix('_again')}", self._language, command=command))

    def _keep(self, recorder: LogRecorder, seen: Testimony, tree_id: str) -> ProofView:
        view = msgspec.structs.replace(view_testimony(seen, self._language), id=f"proof:{tree_id}")
        record = describe_testimony(seen, view, tree_id)
        if seen.problem == "proof.untrusted-now":
            self._ask_trust(seen.commands)
        recorder.append(record, note=record.headline(), sync=True)
        return view


class _Ending:
    """Says why a base run should stop: the person wants it, or the run is over."""

    def __init__(self, stop: StopFlag) -> None:
        self._stop = stop
        self.is_closed = False

    @property
    def reason(self) -> str:
        return "closed" if self.is_closed else self._stop.reason


def view_testimony(seen: Testimony, language: str) -> ProofView:
    """Return what was seen as the rows of `done` see it."""
    if seen.proof is None:
        return ProofView(why=text(seen.problem, language, commands=", ".join(seen.commands)))
    proof, against = seen.proof, [reason for reason in seen.proof.reasons if reason.blocks]
    agent = [tell_agent(reason) for reason in against]
    person = [tell_person(reason, language) for reason in proof.reasons]
    asks = [_ask_about(proof, language)] if against else []
    if seen.notices_tests:
        places = "; ".join(seen.notices_tests)
        agent.append(f"This code behaves differently when it is tested: {places}. Take that out.")
        person.append(text("proof.noticing", language, places=places))
        asks.append(text("proof.notices", language, places="\n".join(seen.notices_tests)))
    if seen.too_new:
        places = "; ".join(seen.too_new[:5])
        agent.append(f"The oldest Python that the manifest supports cannot run this: {places}. Write it for that one.")
        person.append(text("proof.too-new", language, places=places))
    if seen.installed:
        person.append(text("proof.installed", language, names=", ".join(seen.installed[:5])))
        asks.append(text("proof.ask-installed", language, names=", ".join(seen.installed[:10])))
    is_red = bool(seen.too_new) or any(
        reason.kind != "changed_judge" for reason in against
    )  # then there is nothing to decide
    return ProofView(
        proved=False if proof.proved and (seen.notices_tests or seen.installed or seen.too_new) else proof.proved,
        why="; ".join(person),
        for_agent="\n".join(agent),
        open_count=proof.open_count + len(seen.notices_tests) + len(seen.installed) + len(seen.too_new),
        question="" if is_red else "\n".join(asks),
        only_judges=not is_red and not seen.installed,
        command=", ".join(check.command for check in proof.checks),
    )


def _ask_about(proof: ProofResult, language: str) -> str:
    """Return the question about judges that were changed, with the lines before and after."""
    unasked = [change for change in proof.changed_judges if not change.asked_for]
    shown = [f"{change}\n- {change.before}\n+ {change.after}" for change in unasked]
    return text("proof.ask-judges", language, changes=redact_start("\n".join(shown), _SHOWN))


def describe_testimony(seen: Testimony, view: ProofView, tree_id: str) -> Proof:
    """Return the record of what was seen."""
    proof = seen.proof
    return Proof(
        proved=view.proved,
        why=view.why,
        final_tree=tree_id,
        checks=[_describe(check) for check in proof.checks] if proof else [],
        changed_judges=[str(change) for change in proof.changed_judges] if proof else [],
        notices_tests=seen.notices_tests,
        dependencies=seen.installed,
        seconds=seen.seconds,
    )


def _describe(check: CheckProof) -> ProvedCheck:
    verdict = check.verdict
    return ProvedCheck(
        command=check.command,
        proved=verdict.proved,
        source=verdict.source,
        failed_to_passed=verdict.f2p,
        passed_still=len(verdict.p2p),
        passed_to_failed=verdict.p2f,
        vanished=verdict.vanished,
        new=verdict.new,
        flaky=verdict.flaky,
        red_before=verdict.red_before,
        reasons=[msgspec.to_builtins(reason) for reason in verdict.reasons],
    )
