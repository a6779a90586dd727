"""Figures of recall: evidence recall@5/10/20 on LoCoMo conversations, by turn and by session, with latencies.

    python bench/recall.py path/to/locomo.json      (or $MI_LOCOMO)

    python bench/recall.py --chinese                (the same for conversations of our own, in Chinese)

    python bench/recall.py --large                  (searches of a large store, beside `python -c pass`)

The first rows are baselines on bare FTS5; the last is the product: mi.memory, each conversation a project
of one index. Recall@k is the share of a question's evidence among the first k, averaged over questions; all@5 the
share of questions all of whose evidence is among the first five. Then the same by category of the questions.
The data is read by path and is no part of the repository. Prints figures, asserts nothing.
"""

import itertools
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chinese_talk import make_talk
from floor import load_average, medians, worked

from mi.knowledge.search.backend import Query
from mi.knowledge.search.documents import Document, DocumentChanges
from mi.knowledge.search.fts import FtsBackend
from mi.knowledge.search.model import load_model
from mi.knowledge.search.nearness import Nearness
from mi.knowledge.search.words import compact

CUTS = (5, 10, 20)
MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS = MONTH_NAMES.split()
FILL = 6000  # documents at which the latency is also taken


class Turn(NamedTuple):
    id: str
    session: str
    speaker: str
    text: str
    date: str


class Conversation(NamedTuple):
    name: str
    turns: list[Turn]
    questions: list[tuple[str, set[str]]]
    categories: list[int]


Ranker = Callable[[str], list[str]]  # a question → ids of turns, best first


def main() -> None:
    if sys.argv[1:] == ["--large"]:
        large()
        return
    if sys.argv[1:] == ["--chinese"]:
        conversations = [conversation(one) for one in make_talk()]
    else:
        path = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MI_LOCOMO", "")
        if not path:
            sys.exit("usage: python bench/recall.py <locomo.json>  (or set MI_LOCOMO)")
        conversations = load(path)
    turns = sum(len(one.turns) for one in conversations)
    print(
        f"{len(conversations)} conversations, {turns} turns, {sum(len(c.questions) for c in conversations)} questions"
    )
    print(f"{'':<34}  turn @5   @10   @20   session @5   @10   @20    p50 ms  p95 ms   all@5")
    report("plain FTS5", conversations, plain)
    report("plain FTS5, sessions as documents", conversations, by_session)
    report("FTS5, ±1 neighbours and date", conversations, neighbours)
    report("the same with porter stems", conversations, lambda one: neighbours(one, "porter unicode61"))
    report("mi.memory", conversations, product(conversations))
    report("mi.memory, semantic on", conversations, product(conversations, near=True))
    filled = product(conversations, FILL - turns)
    report(f"mi.memory among {max(FILL, turns):,} documents", conversations, filled)
    for category in sorted({number for one in conversations for number in one.categories}):
        for name, near in (("words", False), ("semantic on", True)):
            some = [pick(one, category) for one in conversations]
            report(
                f"category {category}, {name}",
                [one for one in some if one.questions],
                product(conversations, near=near),
            )
    one_project = product(conversations, FILL - turns, apart=False)
    report("the same, all in one project", conversations, one_project)


def large(claims: int = 100_000) -> None:
    """`mi memory search` on a store of many claims and edges: built, warm, and after a thousand new ones."""
    words = [f"{first}{last}" for first in ("balu", "dene", "firo", "goku", "kesi", "lavu") for last in range(500)]
    chance = random.Random(7)
    weights = list(itertools.accumulate(1 / (place + 5) for place in range(len(words))))
    queries = {
        "common words": f"{words[0]} {words[3]}",
        "a rare word": words[-1],
        "mixed": f"{words[1]} {words[900]} note",
    }
    with tempfile.TemporaryDirectory() as home:
        project = os.path.join(home, "project")
        os.makedirs(project)
        env = os.environ | {"MI_HOME": os.path.join(home, "home"), "MI_CD": project}
        mi = os.path.join(os.path.dirname(sys.executable), "mi")
        subprocess.run([mi, "project", "use", "--cd", project], env=env, check=True, stdout=subprocess.DEVNULL)
        folder = os.path.join(home, "home", "thoughtdb", "global")
        os.makedirs(folder)

        def write(start: int, count: int) -> None:
            with (
                open(os.path.join(folder, "claims.jsonl"), "a") as file,
                open(os.path.join(folder, "edges.jsonl"), "a") as edges,
            ):
                for number in range(start, start + count):
                    text = f"note {number} " + " ".join(chance.choices(words, cum_weights=weights, k=12))
                    claim = {"kind": "claim", "claim_id": f"cl_{number}", "claim_type": "fact", "text": text}
                    kind = "supports" if number % 10 else "supersedes"
                    edge = {"kind": "edge", "edge_id": f"ed_{number}", "edge_type": kind, "from_id": f"cl_{number}"}
                    file.write(json.dumps(claim | {"asserted_ts": "2026-01-01T00:00:00.000Z"}) + "\n")
                    edges.write(json.dumps(edge | {"to_id": f"cl_{number + 1}"}) + "\n")

        write(0, claims)
        build = timed([mi, "memory", "search", "note"], env, rounds=1)
        print(f"{claims:,} claims and as many edges: first search, index built: {build:.1f} s; {load_average()}")
        commands = {"python -c pass": [sys.executable, "-c", "pass"]}
        commands |= {name: [mi, "memory", "search", query] for name, query in queries.items()}
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(15):  # interleaved, so that a busy moment touches all alike
            for name, command in commands.items():
                times[name].append(worked(command, Path(project), env))
        base, base_work = medians(times["python -c pass"])
        for name, taken in times.items():
            seconds, work = medians(taken)
            print(f"  {name:<16} {seconds * 1000:6.1f} ms  {seconds / base:4.2f}x (goal 6x)", end="")
            print(f"  work {work / base_work:4.2f}x")
        _, usual = medians(times["mixed"])
        write(claims, 1000)
        seconds, work = worked([mi, "memory", "search", queries["mixed"]], Path(project), env)
        print(
            f"  {'1,000 new':<16} {seconds * 1000:6.1f} ms  {seconds / base:4.2f}x  work {work / usual:4.2f}x of warm"
        )


def timed(command: list[str], env: dict[str, str], rounds: int = 15) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def load(path: str) -> list[Conversation]:
    with open(path, encoding="utf-8") as file:
        return [conversation(one) for one in json.load(file)]


def conversation(raw: dict) -> Conversation:
    talk = raw["conversation"]
    turns = []
    for number in range(1, 1000):
        for turn in talk.get(f"session_{number}", []):
            said = f"{turn.get('text', '')} {turn.get('blip_caption', '')}".strip()
            turns.append(
                Turn(turn["dia_id"], str(number), turn["speaker"], said, talk.get(f"session_{number}_date_time", ""))
            )
    known = {turn.id for turn in turns}
    questions, categories = [], []
    for asked in raw["qa"]:
        evidence = {ref for text in asked["evidence"] for ref in re.findall(r"D\d+:\d+", text)} & known
        if evidence:
            questions.append((asked["question"], evidence))
            categories.append(asked.get("category", 0))
    return Conversation(raw["sample_id"], turns, questions, categories)


def pick(one: Conversation, category: int) -> Conversation:
    """The conversation with the questions of one category."""
    return one._replace(questions=[q for q, c in zip(one.questions, one.categories, strict=True) if c == category])


def report(name: str, conversations: list[Conversation], ranker_of: Callable[[Conversation], Ranker]) -> None:
    by_turn: dict[int, list[float]] = {cut: [] for cut in CUTS}
    by_session: dict[int, list[float]] = {cut: [] for cut in CUTS}
    times: list[float] = []
    whole: list[bool] = []
    for one in conversations:
        ranker = ranker_of(one)
        session_of = {turn.id: turn.session for turn in one.turns} | {turn.session: turn.session for turn in one.turns}
        for question, evidence in one.questions:
            start = time.perf_counter()
            found = ranker(question)
            times.append(time.perf_counter() - start)
            sessions = list(dict.fromkeys(session_of[turn] for turn in found if turn in session_of))
            wanted = {session_of[turn] for turn in evidence}
            whole.append(evidence <= set(found[:5]))
            for cut in CUTS:
                by_turn[cut].append(len(evidence & set(found[:cut])) / len(evidence))
                by_session[cut].append(len(wanted & set(sessions[:cut])) / len(wanted))
    times.sort()
    turn = "  ".join(f"{100 * sum(by_turn[cut]) / len(times):5.1f}" for cut in CUTS)
    session = "  ".join(f"{100 * sum(by_session[cut]) / len(times):5.1f}" for cut in CUTS)
    p50, p95 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.95))
    print(f"{name:<34}  {turn}      {session}   {p50:7.2f} {p95:7.2f}   {100 * sum(whole) / len(whole):5.1f}")


def bare(documents: dict[str, str], tokenizer: str) -> Ranker:
    """FTS5 as it comes: any of the words, best first."""
    names = list(documents)
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, tokenize = '{tokenizer}')")
    db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(documents.values()))

    def rank(question: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question.lower())))
        found = db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 100", (match,))
        return [names[row] for (row,) in found]

    return rank


def plain(one: Conversation) -> Ranker:
    return bare({turn.id: f"{turn.speaker}: {turn.text}" for turn in one.turns}, "unicode61")


def by_session(one: Conversation) -> Ranker:
    documents: dict[str, str] = {}
    for turn in one.turns:
        documents[turn.session] = f"{documents.get(turn.session, '')}\n{turn.speaker}: {turn.text}"
    return bare(documents, "unicode61")


def neighbours(one: Conversation, tokenizer: str = "unicode61") -> Ranker:
    documents = {}
    for at, turn in enumerate(one.turns):
        near = [other for other in one.turns[max(0, at - 1) : at + 2] if other.session == turn.session]
        documents[turn.id] = "\n".join([turn.date, *(f"{other.speaker}: {other.text}" for other in near)])
    return bare(documents, tokenizer)


def product(
    conversations: list[Conversation], more: int = 0, apart: bool = True, near: bool = False
) -> Callable[[Conversation], Ranker]:
    """Recall as the product does it; `more` documents of the same talk fill the index up."""
    backend = FtsBackend(find_nearness=load_nearness if near else lambda: None)
    project_of = {one.name: one.name if apart else "all" for one in conversations}
    for one in conversations:
        documents = [document(one, at, project_of[one.name]) for at in range(len(one.turns))]
        backend.apply(one.name, project_of[one.name], "", DocumentChanges(documents, "end"))
    project = "filler" if apart else "all"
    talk = [document(one, at, project) for one in conversations for at in range(len(one.turns))]
    for number in range(-(-max(0, more) // len(talk))):
        again = [doc._replace(group=f"{number}/{doc.group}") for doc in talk[: more - number * len(talk)]]
        backend.apply(f"filler {number}", project, "", DocumentChanges(list(again), "end"))

    def ranker_of(one: Conversation) -> Ranker:
        def rank(question: str) -> list[str]:
            tokens = compact(question).tokens
            query = Query(tokens, ("turn",), project_of[one.name], limit=100, text=question)
            found = dict.fromkeys(hit.document.id for hit in backend.search(query))
            return [name.partition("/")[2] for name in found if name.partition("/")[0] == one.name]

        return rank

    return ranker_of


def load_nearness() -> Nearness:
    return Nearness(load_model())


def document(one: Conversation, at: int, project_id: str) -> Document:
    turn = one.turns[at]
    return Document(
        f"{one.name}/{turn.id}",
        "turn",
        turn.text,
        project_id,
        title=turn.speaker,
        ts=timestamp(turn.date),
        group=f"{one.name}/{turn.session}",
        position=at,
    )


def timestamp(date: str) -> str:
    """`1:56 pm on 8 May, 2023` as the producers of the product write it."""
    found = re.search(r"(\d+) (\w+),? (\d{4})", date)
    if not found or found[2].lower() not in MONTHS:
        return ""
    return f"{found[3]}-{MONTHS.index(found[2].lower()) + 1:02d}-{int(found[1]):02d}T00:00:00.000Z"


if __name__ == "__main__":
    main()
