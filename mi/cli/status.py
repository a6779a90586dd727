"""`mi status`, and `mi` alone: where things stand and what to do next. Reads only."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.inbox import look_at_inbox
from mi.app.queue import describe_queue
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Parser, add_cd, add_json, add_redact, command
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.app.inbox import Waiting
    from mi.autopilot.run_lock import Owner
    from mi.evidence.latest import LatestRun

Json = dict[str, Any]
_OF_BATCH = ("hands_input", "batch_end", "decide_next")
_NEEDS = 3  # that are named; the inbox has all
_GIST = 200  # columns of a long text


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command("mi status", "Where things stand and what to do next; changes nothing.", "mi status --json", _run)
    add_cd(built)
    add_json(built)
    add_redact(built)  # nothing raw is printed here: said or not, secrets are hidden
    built.set_defaults(names_project=True)
    return built


def _run(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    status = gather(context)
    if args.json:
        out.json(status)
    else:
        _print(out, status)
    return 0


def gather(context: HomeContext) -> Json:
    """Return the status as scripts get it."""
    from mi.app.tree_run import find_tree_run
    from mi.autopilot.run_lock import find_running
    from mi.evidence.latest import find_latest_run

    log = context.project_home.evidence
    everywhere = list(find_running(context.home))
    living = [run.owner for run in everywhere if run.project_id == context.project.project_id]
    index, notices = context.evidence_index, context.notices
    latest = find_latest_run(log, index, notices, find_tree_run(context))
    inbox = look_at_inbox(context)
    own = [one for one in reversed(inbox.items) if one.project_id == context.project.project_id]
    waiting = [{"id": one.id, "kind": one.kind, "question": one.question} for one in own if one.kind != "suggestion"]
    suggestions = sum(one.kind == "suggestion" for one in own)
    status: Json = {
        "home": context.home.root,
        "project": {"id": context.project.project_id, "root": context.project.root, "chosen_by": context.choice.how},
        "run": _run_status(latest, living),
        "runs": [_describe_living(find_latest_run(log, index, notices, one.run_id), one) for one in living],
        "elsewhere": [_name_living(run.owner) for run in everywhere if run.owner not in living],
        "needs": _list_needs(inbox, latest, living),
        "last_batch": _last_batch(context, log, latest.run_id if latest else ""),
        "waiting": waiting,
        "tasks": _tasks(context),
        "handoffs": _handoffs(context),
        "values": _values(context),
        "providers": find_providers(context),
        "config": _config_health(context),
        "pending": {"suggestions": suggestions, "reviews": sum(one["kind"] == "review" for one in waiting)},
        "inbox": {"count": len(inbox.items), "line": inbox.describe(context.language)},
        "queue": describe_queue(context),
        "complete": inbox.complete,
    }
    status["next"] = _next_commands(status)
    return status


def _list_needs(inbox: "Waiting", latest: "LatestRun | None", living: "list[Owner]") -> list[Json]:
    """Return what the person is needed for first, each with the command that settles it."""
    from mi.cli.inbox import name_answer

    asked = [one for one in inbox.items if one.kind != "suggestion"]
    needs = [{"text": one.question, "command": name_answer(one, one.number), "run_id": one.run_id} for one in asked]
    is_over = latest is not None and latest.run_id not in [one.run_id for one in living]
    if latest is None or not is_over or any(one["run_id"] == latest.run_id for one in needs):
        return needs[:_NEEDS]
    resume = {"command": f"mi run --resume {latest.run_id}", "run_id": latest.run_id}
    if latest.ended is None or latest.ended.status in ("blocked", "interrupted"):
        needs.append({"text": latest.ended.reason if latest.ended else "", **resume})
    return needs[:_NEEDS]


def _name_living(owner: "Owner") -> Json:
    """Return a run of another project that goes on."""
    return {"id": owner.run_id or None, "root": owner.root, "since": owner.ts}


def _run_status(run: "LatestRun | None", living: "list[Owner]") -> Json:
    if run is None:
        return {"id": None, "status": "none", "marks": None, "batches": 0, "spent": None, "evidence_ids": []}
    import msgspec

    # A lock that was just taken does not name its run yet.
    goes_on = any(owner.run_id in (run.run_id, "") for owner in living)
    state = run.ended.status if run.ended else "running" if goes_on else "interrupted"
    return {
        "id": run.run_id,
        "status": state,
        "marks": msgspec.to_builtins(run.marks),
        "batches": run.batches,
        "spent": msgspec.to_builtins(run.spent),
        "evidence_ids": run.evidence_ids,
    }


def _describe_living(run: "LatestRun | None", owner: "Owner") -> Json:
    """Return a run that goes on now, and where."""
    from mi.kernel.git import find_branch

    at = _name_living(owner) | {"branch": find_branch(owner.root) if owner.root else ""}
    return _run_status(run, [owner]) | at


def _last_batch(context: HomeContext, log: str, run_id: str) -> Json | None:
    """Return what the latest batch of a run was told, how it ended and what was decided then.

    None when it is too far back to see.
    """
    from mi.evidence.latest import read_window

    seen: dict[str, Any] = {}
    for event in read_window(log, context.notices):
        if run_id and event.head.run_id != run_id:
            continue
        if event.head.kind in _OF_BATCH:
            seen.setdefault(event.head.kind, event)
        if event.head.kind == "hands_input":
            break
    else:
        return None
    sent, ended, decided = (seen[kind].record() if kind in seen else None for kind in _OF_BATCH)
    return {
        "id": seen["hands_input"].head.batch_id,
        "ts": seen["hands_input"].head.ts,
        "input": shorten_gist(sent.input, _GIST) if sent else "",
        "outcome": ended.outcome if ended else None,
        "last_message": shorten_gist(ended.last_message, _GIST) if ended else "",
        "decision": f"{decided.status}, {decided.next_action}" if decided else None,
    }


def _tasks(context: HomeContext) -> Json | None:
    """Return how far the project's list is; None without one."""
    from mi.app.tasks import read_tasks
    from mi.tasks import has_list

    if not has_list(context.project.root):
        return None
    tasks = read_tasks(context)
    leaves = [task for task in tasks.tasks if task.leaf]
    current = tasks.find(tasks.pointer)
    return {
        "authority": tasks.authority,
        "done": sum(task.checked for task in leaves),
        "total": len(leaves),
        "next": {"id": current.id, "title": current.title} if current else None,
        "unsure": tasks.unsure,
    }


def _handoffs(context: HomeContext) -> list[Json]:
    """Return what was handed to the person or to their AI, and is not done."""
    from mi.app.handoffs import list_handed_over

    return [
        {"id": one.id, "status": one.status, "from": one.sender, "to": one.receiver, "task": one.task}
        for one in list_handed_over(context)
    ]


def _values(context: HomeContext) -> Json:
    thoughts = build_thoughts(context).shared
    claims = thoughts.read(save=False).count("claim", "values:base") if thoughts.exists() else 0
    return {"ready": claims > 0, "claims": claims}


def find_providers(context: HomeContext) -> Json:
    """Return who would work and who would judge, with `auto` resolved by what is installed."""
    from mi.mind.choose import name_agent_and_mind

    hands, mind = name_agent_and_mind(context.config)
    return {"hands": hands or "none", "mind": mind}


def _config_health(context: HomeContext) -> Json:
    from mi.kernel.errors import BadConfig, from_os_error

    try:
        problems = [problem.path for problem in context.config_errors]
    except BadConfig as error:
        problems = [error.line(context.quiet_language)]
    except OSError as error:
        problems = [from_os_error(error).line(context.quiet_language)]
    return {"path": context.home.config, "ok": not problems, "problems": problems}


def _next_commands(status: Json) -> list[str]:
    commands = []
    if not status["config"]["ok"]:
        commands.append("mi config validate")
    begin = [] if status["values"]["ready"] else ["mi init"]
    commands += [] if status["run"]["id"] else begin
    if status["inbox"]["count"]:
        commands.append("mi inbox")
    if status["handoffs"]:
        commands.append(f"mi run --handoff {status['handoffs'][0]['id']}")
    named = f" {status['run']['id']}" if len(status["runs"]) > 1 else ""
    if status["run"]["status"] == "running":
        commands += [*begin, f"mi attach{named}", f"mi stop{named}"]
    elif status["run"]["status"] in ("blocked", "interrupted"):
        commands += ["mi run --resume", *begin]
    elif status["run"]["id"]:
        commands += begin
    if status["run"]["id"]:
        commands.append("mi show last")
    return commands or ["mi run <task>", "mi doctor"]


def _print(out: Output, status: Json) -> None:
    project, run, values = status["project"], status["run"], status["values"]
    for number, need in enumerate(status["needs"]):
        said = shorten_gist(need["text"], _GIST) or out.text("status.cut")
        out.say("status.needs-more" if number else "status.needs", text=said, command=need["command"])
    if not status["needs"]:
        out.say("status.needs-nothing")
    for one in status["elsewhere"]:
        out.say("status.elsewhere", **one)
    out.say("status.home", home=status["home"])
    out.say("status.project", root=project["root"], how=out.text("how." + project["chosen_by"]), id=project["id"])
    out.say("status.values" if values["ready"] else "status.no-values", count=values["claims"])
    if run["id"]:
        missing = "·" if run["status"] == "running" else "✗"  # not yet, or not at all
        marks = " ".join(
            f"{out.text('mark.' + name)} {'✓' if held else missing}"
            for name, held in run["marks"].items()
            if held is not None
        )
        out.say(
            "status.run", id=run["id"], status=out.text("run." + run["status"]), marks=marks, batches=run["batches"]
        )
    else:
        out.say("status.no-run")
    for one in status["runs"]:
        out.say("status.beside", **one)
    if status["tasks"]:
        _print_tasks(out, status["tasks"])
    for one in status["handoffs"]:
        out.say("status.handoff", **one | {"sender": one["from"], "task": shorten_gist(one["task"], 60)})
    if status["last_batch"]:
        _print_batch(out, status["last_batch"])
    if status["inbox"]["count"]:
        out.say("status.inbox", line=status["inbox"]["line"])
    if any(status["queue"].values()):
        print_queue(out, status["queue"])
    if status["pending"]["suggestions"]:
        out.say("status.suggestions", count=status["pending"]["suggestions"])
    out.say("status.providers", **status["providers"])
    if not status["complete"]:
        out.say("status.incomplete")
    out.say("status.next", commands="  ·  ".join(status["next"]))


def _print_tasks(out: Output, tasks: Json) -> None:
    if tasks["unsure"]:
        out.say("tasks.unsure", reason=tasks["unsure"])
        return
    upcoming = shorten_gist(f"{tasks['next']['id']} {tasks['next']['title']}", 60) if tasks["next"] else "-"
    out.say("status.tasks", done=tasks["done"], total=tasks["total"], next=upcoming)


def _print_batch(out: Output, batch: Json) -> None:
    said = shorten_gist(batch["last_message"] or batch["input"], 80)
    decision = ", ".join(out.word(word) for word in (batch["decision"] or "-").split(", "))
    out.say("status.batch", id=batch["id"], outcome=batch["outcome"] or "-", decision=decision, said=said)


def print_queue(out: Output, queue: Json) -> None:
    """Print how many tasks are queued, run and wait for the person, and whose agent is paused."""
    if "unusable" in queue:
        out.line(queue["unusable"])
        return
    out.say("status.queue", **{name: count for name, count in queue.items() if name != "paused"})
    for one in queue["paused"]:
        out.say("status.paused", **one)
