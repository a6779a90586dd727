"""What runs of a bench left behind in its home."""

import json

from tests.autopilot.workbench import Json, Ran, Workbench

RECALL_OFF: Json = {"cross_project_recall": {"enabled": False}}


def lines(bench: Workbench, name: str, scope: str = "project") -> list[Json]:
    """The lines of a store's file."""
    pattern = "thoughtdb/global" if scope == "global" else "projects/*/thoughtdb"
    files = sorted(bench.home.glob(f"{pattern}/{name}.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def claims(bench: Workbench, *args: str) -> list[Json]:
    """The claims that stand, as `mi claim list` shows them."""
    found: list[Json] = json.loads(bench.mi("claim", "list", "--json", "--limit", "0", *args).stdout)
    return found


def texts(bench: Workbench, *args: str) -> list[str]:
    return [one["text"] for one in claims(bench, *args)]


def state_file(bench: Workbench, name: str) -> Json:
    """A state file of the only project."""
    (file,) = bench.home.glob(f"projects/*/{name}")
    found: Json = json.loads(file.read_text("utf-8"))
    return found


def by_id(ran: Ran) -> dict[str, Json]:
    return {record["event_id"]: record for record in ran.records}
