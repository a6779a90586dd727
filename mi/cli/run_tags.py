"""Tags in the task of `mi run`: what MI does at once by itself, and the closing of a cycle that is done."""

from functools import partial

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus, record_nexus_event
from mi.cli.arguments import Args
from mi.cli.output import Output
from mi.nexus import tag_actions, tags


def act_on(context: HomeContext, args: Args, out: Output, task: str) -> int | None:
    """Do what the inline tags of a task ask for; None when an agent has to work on it."""
    found = tag_actions.find_inline_tags(task)
    for tag in found:
        _act(context, args, out, tag, task)
    return 0 if found else None


def _act(context: HomeContext, args: Args, out: Output, tag: tags.TagMatch, task: str) -> None:
    match tag.id:
        case "d":
            decided = tag_actions.decide(build_nexus(context), task)
            _done(context, out, tag, args, "plan.decided", {"issue": decided["issue"]})
        case "m":
            added = tag_actions.remember(build_nexus(context), task, context.config.nexus)
            key = "memory.added" if not added.merged else "memory.extended" if added.changed else "memory.known"
            _done(context, out, tag, args, key, {"name": added.name})
        case "rule":
            _done(context, out, tag, args, "memory.rule", {"path": tag_actions.add_rule(build_nexus(context), task)})
        case "m-gc":
            from mi.cli.nexus_memory import show_candidates

            show_candidates(context, args, out)


def _done(context: HomeContext, out: Output, tag: tags.TagMatch, args: Args, key: str, fields: dict[str, str]) -> None:
    record_nexus_event(context, "user_message", {"tag": tag.id} | fields)
    if args.json:
        out.json({"tag": tag.id} | fields)
    elif not args.quiet:
        out.say(key, **fields)


def offer_close(context: HomeContext, args: Args, out: Output) -> None:
    """Offer to archive plan and tasks once every task is completed; never without a person's word."""
    from mi.kernel.errors import MiError

    try:
        found = build_nexus(context).tasks()
    except MiError:
        return
    if found is None or not found.tasks or any(task.status != "completed" for task in found.tasks):
        return
    if args.json or args.quiet:
        return
    from mi.cli.prompts import ask_person, is_yes

    word = ask_person(context, out.text("run.close-offer", count=len(found.tasks), goal=found.goal) + " [y/N]")
    if word is None:
        out.say("run.close-later", count=len(found.tasks))
    elif is_yes(word):
        from mi.nexus.toolset import call

        done = call(build_nexus(context), "task_close", {}, partial(record_nexus, context))
        out.say("run.closed", total=done["total_cycles"])
