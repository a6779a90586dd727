"""The recall bench runs on any file of the public format, and prints the product beside its baselines."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[3] / "bench/recall.py"


@pytest.mark.req("mi.recall.bench")
def test_the_bench_measures_evidence_recall(tmp_path: Path) -> None:
    talk = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "Which instrument did you learn?"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "The cello, for ten years."},
        ],
        "session_2_date_time": "9:00 am on 1 June, 2023",
        "session_2": [
            {"speaker": "Ada", "dia_id": "D2:1", "text": "Lunch was fine.", "blip_caption": "a bowl of soup"}
        ],
    }
    questions = [
        {"question": "Which instrument did Ben learn?", "answer": "cello", "evidence": ["D1:2"], "category": 4},
        {"question": "Who had soup?", "answer": "Ada", "evidence": ["D2:1; D9:9", "?"], "category": 1},
        {"question": "Unanswerable", "answer": "", "evidence": [], "category": 5},
    ]
    data = tmp_path / "talk.json"
    data.write_text(json.dumps([{"sample_id": "one", "conversation": talk, "qa": questions}]), "utf-8")
    command = [sys.executable, str(BENCH), str(data)]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    assert "1 conversations, 3 turns, 2 questions" in done.stdout
    rows = {line[:34].strip(): line[34:].split() for line in done.stdout.splitlines()[2:]}
    assert {"plain FTS5", "FTS5, ±1 neighbours and date", "mi.memory", "mi.memory among 6,000 documents"} <= rows.keys()
    assert rows["mi.memory"][:6] == ["100.0"] * 6
    assert all(len(figures) == 9 for figures in rows.values())


@pytest.mark.req("mi.recall.chinese")
def test_recall_in_chinese_is_measured() -> None:
    command = [sys.executable, str(BENCH), "--chinese"]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.partition(" questions")[0].rpartition(" ")[2]) >= 200
    rows = {line[:34].strip(): line[34:].split() for line in done.stdout.splitlines()[2:]}
    words, near = (float(rows[name][1]) for name in ("mi.memory", "mi.memory, semantic on"))
    assert words > 80
    assert near > words  # a quarter of the questions shares no word with what answers them
