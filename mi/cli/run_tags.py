"""Tags in the task of `mi run`: what MI does at once by itself, and the closing of a cycle that is done."""

from mi.app import App
from mi.cli.arguments import Args
from mi.cli.output import Output
from mi.nexus import tag_actions, tags


def act_on(app: App, args: Args, out: Output, task: str) -> int | None:
    """Do what the inline tags of a task ask for; None when an agent has to work on it."""
    found = tag_actions.inline_only(task)
    for tag in found:
        _act(app, args, out, tag, task)
    return 0 if found else None


def _act(app: App, args: Args, out: Output, tag: tags.TagMatch, task: str) -> None:
    match tag.id:
        case "d":
            decided = tag_actions.decide(app.nexus, task)
            _done(app, out, tag, args, "plan.decided", {"issue": decided["issue"]})
        case "m":
            added = tag_actions.remember(app.nexus, task, app.config.nexus)
            key = "memory.added" if not added.merged else "memory.extended" if added.changed else "memory.known"
            _done(app, out, tag, args, key, {"name": added.name})
        case "rule":
            _done(app, out, tag, args, "memory.rule", {"path": tag_actions.rule(app.nexus, task)})
        case "m-gc":
            from mi.cli.nexus_memory import show_candidates

            show_candidates(app, args, out)


def _done(app: App, out: Output, tag: tags.TagMatch, args: Args, key: str, fields: dict[str, str]) -> None:
    app.record_nexus_event("user_message", {"tag": tag.id} | fields)
    if args.json:
        out.json({"tag": tag.id} | fields)
    elif not args.quiet:
        out.say(key, **fields)


def offer_close(app: App, args: Args, out: Output) -> None:
    """Offer to archive plan and tasks once every task is completed; never without a person's word."""
    from mi.kernel.errors import MiError

    try:
        found = app.nexus.tasks()
    except MiError:
        return
    if found is None or not found.tasks or any(task.status != "completed" for task in found.tasks):
        return
    if args.json or args.quiet:
        return
    from mi.cli.prompts import means_yes, word_of_person

    word = word_of_person(out.text("run.close-offer", count=len(found.tasks), goal=found.goal) + " [y/N]")
    if word is None:
        out.say("run.close-later", count=len(found.tasks))
    elif means_yes(word):
        from mi.nexus.toolset import call

        done = call(app.nexus, "task_close", {}, app.record_nexus)
        out.say("run.closed", total=done["total_cycles"])
