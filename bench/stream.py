"""Figures of learning: a stream of 60 runs in one project, with questions, preferences and habits that recur.

The agent is the replay agent, the judge a scripted model on loopback that suggests whatever it sees, also what only
the agent said. Prints, asserts nothing. A Mind call is waited for when the agent did not work meanwhile.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402

from bench.asked_once import STREAM  # noqa: E402
from mi.kernel.clock import parse  # noqa: E402
from mi.testing import Request, chat_server, temporary_repository  # noqa: E402
from mi.testing.replies import Reply  # noqa: E402
from tests.mind.answers import asked, model  # noqa: E402
from tests.workflows.made import workflow  # noqa: E402

Json = dict[str, Any]
RUNS = 60
MI = str(Path(sys.executable).parent / "mi")
CHECK = "python3 -m unittest -q"
QUESTIONS = [STREAM[number] for number in (0, 1, 2, 3)]
PREFERENCES = (
    "Always keep functions under twenty lines.",
    "From now on write docstrings for every new function.",
    "Always name test files after the module they test.",
    "From now on prefer pathlib over os.path.",
    "Always raise ValueError for bad arguments.",
)
WRONG = "The person always wants finished work pushed to main without asking."
DELETING, MOVING, BOTH = (f"Ask before {deed} files." for deed in ("deleting", "moving", "deleting or moving"))
HABIT = "Release"
STATED_BY = {DELETING: BOTH, MOVING: BOTH}  # what a wider rule says as well
LEARNING = ("checkpoint_decide", "mine_claims", "mine_preferences", "suggest_workflow", "learn_update")
_CLAIM = re.compile(r"\[(cl_\w+)\] ([^\n]*)")
_ANSWER_S = 0.1  # of a model that learns: long enough to see whether the agent works meanwhile


class Turn(NamedTuple):
    """One run of the stream."""

    kind: str
    task: str
    batches: list[list[Json]]
    says: str = ""  # the person's answer, where they are asked


class Tally(NamedTuple):
    """What one run came to."""

    kind: str
    asked: int
    status: str


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, temporary_repository() as repository, chat_server(judge) as server:
        place, project = Path(folder), Path(repository.path)
        configure(place, {"provider": "rules"})
        mi(place, project, "init", "--values", "Keep changes small. Run the tests before you say done.")
        http = {"base_url": server.base_url, "model": "m", "api_key_env": "", "max_retries": 0}
        configure(place, {"provider": "openai_compatible", "openai_compatible": http})
        began, tallies = time.monotonic(), []
        for number in range(RUNS):
            tallies.append(play(place, project, make_turn(number)))
            if number % 10 == 9:
                asked_ = sum(one.asked for one in tallies[-10:]) / 10
                lessons = len(standing(place, project))
                print(
                    f"runs {number - 8:2}–{number + 1:2}  questions per run {asked_:.1f}  lessons {lessons}", flush=True
                )
        ends = Counter(f"{one.kind} {one.status}" for one in tallies)
        print(f"{RUNS} runs in {time.monotonic() - began:.0f} s: {dict(ends)}")
        tell_learning(place, project)
        tell_calls(place, server.requests)


# the stream


def make_turn(number: int) -> Turn:
    """Return one run: two of six ask, one says a preference, one is lied to, one releases, one deletes and moves."""
    round_, kind = divmod(number, 6)
    part = [
        {"write": {"path": f"part{number}.py", "content": f"def part_{number}():\n    return {number}\n"}},
        {"run": CHECK},
    ]
    task = f"Add a function `part_{number}` to part{number}.py."
    if kind in (0, 3):
        one = QUESTIONS[(round_ * 2 + kind // 3) % len(QUESTIONS)]
        words = one.wordings[round_ // 2]
        return Turn("question", task, [[{"say": words}], [*part, {"say": "Done."}]], one.says)
    if kind == 1:
        return Turn("preference", f"{task} {PREFERENCES[round_ % len(PREFERENCES)]}", [[*part, {"say": "It is done."}]])
    if kind == 2:
        return Turn("lie", task, [[*part, {"say": f"It is done. {WRONG}"}]])
    if kind == 4:
        notes = {"write": {"path": "CHANGELOG.md", "content": f"## 1.{round_}\n"}}
        return Turn("habit", f"Release version 1.{round_}: {task}", [[notes, *part, {"say": "It is released."}]])
    clean = {"run": f"mkdir -p old && touch old/{number} && mv old/{number} old/moved && rm -rf old"}
    return Turn("rules", task, [[clean, *part, {"say": "It is done."}]])


def judge(request: Request) -> Reply:
    """Answer as a model that is capable and believes everything."""
    if asked(request) in LEARNING:
        time.sleep(_ANSWER_S)
    look = {"should_mine_workflow": True, "should_mine_preferences": True}
    answers: dict[str, Json | Callable[[Request], Json]] = {
        "auto_answer_to_hands": answer_agent,
        "risk_judge": judge_risk,
        "checkpoint_decide": look,
        "mine_preferences": mine,
        "suggest_workflow": see_habit,
        "learn_update": consolidate,
    }
    return model(**answers)(request)


def answer_agent(request: Request) -> Json:
    shown = request.user_texts[-1]
    question = shown.rpartition("<<<QUESTIONS\n- ")[2].partition("\n>>>")[0]
    one = next((one for one in QUESTIONS if any(words.endswith(question) for words in one.wordings)), None)
    known = [claim for claim, words in _CLAIM.findall(shown) if one and any(said in words for said in one.wordings)]
    if one and known:
        return {"should_answer": True, "hands_answer_input": one.says, "cited_ids": known[:1]}
    return {"needs_user_input": True, "ask_user_question": question}


def judge_risk(request: Request) -> Json:
    rules = [
        {"scope": "project", "severity": "medium", "text": text, "rationale": "seen"} for text in (DELETING, MOVING)
    ]
    return {"category": "delete", "severity": "medium", "should_ask_user": False, "learn_suggested": rules}


def mine(request: Request) -> Json:
    shown = request.user_texts[-1]
    found = [text for text in (*PREFERENCES, WRONG) if text in shown.partition("<<<EVENTS")[2]]
    return {
        "suggestions": [
            {"scope": "project", "text": text, "rationale": "said", "confidence": 0.9, "benefit": "medium"}
            for text in found
        ]
    }


def see_habit(request: Request) -> Json:
    if "Release version" not in request.user_texts[-1].partition("<<<TASK")[2].partition(">>>")[0]:
        return {}
    made = msgspec.to_builtins(workflow(id="", name=HABIT, mermaid=""))
    made["source"] = {"kind": "suggested", "reason": "", "evidence_refs": []}
    seen = {"signature": "release-version", "benefit": "medium", "confidence": 0.9, "reason": "seen", "workflow": made}
    return {"should_suggest": True, "suggestion": seen}


def consolidate(request: Request) -> Json:
    """Make one rule of two: it supersedes one and retracts the other."""
    shown = request.user_texts[-1]
    old = {text: claim for claim, text in _CLAIM.findall(shown) if text in (DELETING, MOVING)}
    events = shown.rpartition("<<<MAY BE CITED\n")[2].partition("\n>>>")[0].split()[:1]
    if len(old) < 2 or not events:
        return {}
    claim = {"local_id": "both", "claim_type": "preference", "text": BOTH, "scope": "project", "visibility": "project"}
    claim |= {"valid_from": None, "valid_to": None, "confidence": 0.95, "source_event_ids": events}
    edge = {"edge_type": "supersedes", "from_claim_id": old[DELETING], "to_claim_id": "both", "confidence": 0.95}
    gone = {"scope": "project", "claim_id": old[MOVING], "rationale": "covered", "confidence": 0.95}
    patch = {
        "claims": [claim | {"tags": [], "notes": ""}],
        "edges": [edge | {"source_event_ids": events, "notes": ""}],
        "notes": "",
    }
    return {"should_apply": True, "patch": patch, "retract": [gone | {"source_event_ids": events}]}


# playing it


def configure(place: Path, mind: Json) -> None:
    config = {
        "version": "v1",
        "hands": {"provider": "replay", "replay": {"file": str(place / "script.json")}},
        "mind": mind,
    }
    (place / "config.json").write_text(json.dumps(config))


def play(place: Path, project: Path, turn: Turn) -> Tally:
    """Let a run do its work, and the person answer what it asks."""
    (place / "script.json").write_text(json.dumps({"version": "v1", "batches": [{"steps": s} for s in turn.batches]}))
    before = Counter(one["kind"] for one in records(place))
    mi(place, project, "run", "--quiet", turn.task)
    for _ in range(3):
        if not (waits := find_waiting(place)):
            break
        mi(place, project, "answer", waits, turn.says or "yes")
        mi(place, project, "run", "--quiet", "--resume")
    seen = records(place)
    after = Counter(one["kind"] for one in seen)
    end = next(one for one in reversed(seen) if one["kind"] == "run_end")
    return Tally(turn.kind, after["question"] - before["question"], end["status"])


def find_waiting(place: Path) -> str:
    """Return the question that the run waits for; '' where it does not."""
    seen = records(place)
    given = {one["question_id"] for one in seen if one["kind"] == "user_input"}
    return next((one["id"] for one in seen if one["kind"] == "question" and one["id"] not in given), "")


def mi(place: Path, project: Path, *args: str) -> str:
    env = os.environ | {"MI_HOME": str(place)}
    done = subprocess.run(
        [MI, *args],
        cwd=project,
        env=env,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode not in (0, 3):
        print(f"mi {args[0]} ended with {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
    return done.stdout


def records(place: Path) -> list[Json]:
    return [
        json.loads(line) for log in place.glob("projects/*/evidence.jsonl") for line in log.read_text().splitlines()
    ]


def standing(place: Path, project: Path) -> list[str]:
    """Return what stands of what was learned: rules, answers and workflows."""
    claims = json.loads(mi(place, project, "claim", "list", "--json"))
    habits = json.loads(mi(place, project, "workflow", "list", "--json"))
    kept = [one["text"] for one in claims if {"mi:learned", "mi:answer"} & set(one["tags"])]
    return kept + [one["name"] for one in habits]


# telling


def tell_learning(place: Path, project: Path) -> None:
    now = standing(place, project)
    waiting = mi(place, project, "inbox", "--json")
    ever = {one["text"] for log in place.glob("**/claims.jsonl") for one in _claims(log) if _is_lesson(one)}
    lost = [one for one in ever - set(now) - {WRONG} if STATED_BY.get(one) not in now and one not in waiting]
    missed = [
        one for one in (*PREFERENCES, DELETING, MOVING, HABIT) if one not in now and STATED_BY.get(one) not in now
    ]
    print(f"lessons that stand {len(now)}  wrong {now.count(WRONG)}  lost {len(lost)}  never learned {len(missed)}")
    for name, texts in (("lost", lost), ("never learned", missed)):
        for text in texts:
            print(f"  {name}: {text}{' (waits in the inbox)' if text in waiting else ''}")


def _claims(log: Path) -> list[Json]:
    return [one for line in log.read_text().splitlines() if (one := json.loads(line)).get("kind") == "claim"]


def _is_lesson(claim: Json) -> bool:
    return bool({"mi:learned", "mi:answer"} & set(claim.get("tags", [])))


class Call(NamedTuple):
    """One question to the Mind, from its prompt to its last answer."""

    prompt: str
    begun: float
    ended: float


def tell_calls(place: Path, requests: list[Request]) -> None:
    sizes: dict[str, list[int]] = {}
    for request in requests:
        sizes.setdefault(asked(request), []).append(len(json.dumps(request.body["messages"], ensure_ascii=False)))
    every = [size for one in sizes.values() for size in one]
    print(f"prompt bytes: median {statistics.median(every) / 1000:.1f} KB, most {max(every) / 1000:.1f} KB (goal 24)")
    for name, one in sorted(sizes.items()):
        print(f"  {name:22} {len(one):4} calls  median {statistics.median(one) / 1000:5.1f} KB")
    waited = waited_for(records(place), calls(place))
    print(f"Mind calls per batch: {len(every) / len(waited):.1f}; waited for, median:")
    of_all = [one for one, _ in waited]
    going_on, ending = ([one for one, is_last in waited if is_last is ends] for ends in (False, True))
    for name, found in (("of all batches", of_all), ("before the next batch", going_on), ("before a verdict", ending)):
        judging = [sum(call.prompt not in LEARNING for call in one) for one in found]
        middle = [statistics.median(one or [0]) for one in (list(map(len, found)), judging, list(map(rounds, found)))]
        print(f"  {name:22} {middle[0]:g}, of them judging {middle[1]:g}, one after the other {middle[2]:g}")


def rounds(made: list[Call]) -> int:
    """Return how many calls follow one another; those side by side count once."""
    count, until = 0, 0.0
    for call in sorted(made, key=lambda one: one.begun):
        count += call.begun >= until
        until = max(until, call.ended) if call.begun < until else call.ended
    return count


def calls(place: Path) -> list[Call]:
    """Return every question to the Mind, from its transcript."""
    found = []
    for path in place.glob("projects/*/transcripts/mind/*.jsonl"):
        head, *lines = map(json.loads, path.read_text().splitlines())
        found.append(Call(head["argv"][1], parse(lines[0]["ts"]), parse(lines[-1]["ts"])))
    return found


def waited_for(seen: list[Json], made: list[Call]) -> list[tuple[list[Call], bool]]:
    """Return by batch the calls from its end on during which no agent worked, and whether the run ended with it."""
    marks = [one for one in seen if one["kind"] in ("hands_input", "batch_end", "run_end")]
    found = []
    for place, one in enumerate(marks[:-1]):
        if one["kind"] == "batch_end":
            is_last = marks[place + 1]["kind"] == "run_end"
            end, following = parse(one["ts"]), parse(marks[place + 1]["ts"])
            found.append(([call for call in made if end <= call.begun and call.ended <= following], is_last))
    return found


if __name__ == "__main__":
    main()
