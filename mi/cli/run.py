"""`mi run`: an agent works on a task, MI judges, until it is verified or you are needed."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus
from mi.cli.arguments import Args, Parser, add_cd, add_json, add_redact, command
from mi.cli.output import Output
from mi.cli.run_limits import add_limits
from mi.evidence.records.run import RunEnd
from mi.kernel.errors import UsageError

if TYPE_CHECKING:
    from mi.agents.signals import StopFlag
    from mi.app.run import RunOptions
    from mi.autopilot.run_parts import Asker, Waiter
    from mi.cli.run_display import Quiet
    from mi.tasks.task_list import TaskList


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Let an agent work on a task and judge it until it is verified."
    built = command("mi run", summary, "mi run fix the failing test", _run, person_only=_is_persons)
    built.add_argument("task", nargs="*", help="the task in your own words")
    built.add_argument("--file", metavar="FILE", help="read the task from a file; - reads standard input")
    built.add_argument(
        "--task", dest="list_task", nargs="?", const="", metavar="ID", help="work on the list's next task, or on this"
    )
    built.add_argument(
        "--tasks", dest="all_tasks", action="store_true", help="work through the list, each task a run of its own"
    )
    built.add_argument("--handoff", metavar="HO-…", help="take up a task that was handed over; done tells its sender")
    built.add_argument(
        "--resume", nargs="?", const="", metavar="RUN", help="go on with a run that stopped (default: the latest)"
    )
    add_limits(built)
    wait = built.add_mutually_exclusive_group()
    wait.add_argument(
        "--wait-for-limit", action="store_true", default=None, help="wait when the agent's vendor limits its use"
    )
    wait.add_argument(
        "--no-wait-for-limit",
        action="store_false",
        dest="wait_for_limit",
        default=None,
        help="do not wait when the agent's vendor limits its use",
    )
    built.add_argument("--continue-hands", action="store_true", help="go on in the agent's last thread of this project")
    built.add_argument("--reset-hands", action="store_true", help="forget the agent's last thread first")
    built.add_argument(
        "--override", metavar="REASON", help="your reason to let the rules ask nothing in this run; it is logged"
    )
    built.add_argument(
        "--allow-secret-in-task", action="store_true", help="give the agent the task as it is, with the secret in it"
    )
    proof = built.add_mutually_exclusive_group()
    proof.add_argument(
        "--prove", action="store_true", default=None, help="done only after MI's own run of the checks in a copy"
    )
    proof.add_argument(
        "--no-prove", action="store_false", dest="prove", default=None, help="go by the agent's own run of the checks"
    )
    built.add_argument("--agent", default="", metavar="NAME", help="this agent for this run, in place of yours")
    built.add_argument("--worktree", action="store_true", help="in a work tree and on a branch of its own")
    built.add_argument("--with-changes", action="store_true", help="with --worktree: with what you have not committed")
    built.add_argument("--detach", action="store_true", help="in the background, in a work tree of its own")
    built.add_argument("--queued", metavar="RUN", help="one stretch of a queued run; mi worker calls it")
    built.add_argument("--quiet", action="store_true", help="print nothing but errors")
    built.add_argument("--hands-raw", action="store_true", help="print the agent's lines as they are")
    built.add_argument("--why", action="store_true", help="at the end, say why the last decision was taken")
    built.add_argument("--no-mi-prompt", action="store_true", help="do not print what the agent is told")
    add_cd(built)
    add_json(built)
    add_redact(built)
    return built


def _is_persons(context: HomeContext, args: Args) -> bool:
    """Return whether rules are told to ask nothing, a proof is decided about, a limit is raised, or a run begun beside.

    The lock of its own tree keeps an agent from beginning runs; a tree for each would let it begin any number.
    """
    limits = (args.max_batches, args.max_minutes, args.max_tokens, args.max_cost)
    raised = args.resume is not None and any(limits)
    return args.detach or args.worktree or raised or bool(args.override) or args.prove is not None


def _run(context: HomeContext, args: Args) -> int:
    from mi.cli.prompts import agree_on_place

    if args.queued is not None:
        from mi.cli.run_queued import run_queued

        return run_queued(context, args, _run_one)
    options = _read_options(args)
    agree_on_place(context)
    if args.all_tasks:
        return _run_list(context, args, options)
    options = _from_list(context, args, options)
    if args.detach:
        from mi.cli.run_detached import detach

        return detach(context, args, options)
    return _run_one(context, args, options)


def _run_list(context: HomeContext, args: Args, options: "RunOptions") -> int:
    """Work through the tasks that are open now, one verified run after another; the first that is not done ends it."""
    from mi.app.tasks import choose_task, read_tasks

    chosen = choose_task(context)
    wanted = {task.id for task in read_tasks(context).tasks if not task.checked}
    done: set[str] = set()  # in work trees: ticked once they are merged
    while True:
        code = _run_one(context, args, options._replace(task=chosen.text, list_task=chosen.id))
        if code:
            return code
        context.close()
        context = HomeContext(context.home, cd=context.project.root)
        tasks = read_tasks(context)
        done |= {chosen.id} if args.worktree else set()
        following = tasks.choose_next(wanted - done)
        if not following or following == chosen.id or tasks.unsure:
            return _end_list(context, tasks, wanted, done)
        chosen = choose_task(context, following)


def _end_list(context: HomeContext, tasks: "TaskList", wanted: set[str], done: set[str]) -> int:
    """Say which tasks are still to do, if any; 3 where one is that was to be done, 0 where none of those is."""
    left = [task for task in tasks.tasks if task.leaf and not task.checked and task.id not in done]
    ids = {tasks.adopted.get(one, one) for one in wanted}
    code = 3 if tasks.unsure or any(task.id in ids for task in left) else 0
    if left or tasks.unsure:
        named = tasks.unsure or ", ".join(task.id for task in left)
        said = Output(context.quiet_language).text("run.list-left", tasks=named)
        sys.stderr.write(f"mi: {said}\n")
    return code


def _from_list(context: HomeContext, args: Args, options: "RunOptions") -> "RunOptions":
    """Return the options with the task of the list that is meant, by --task or in the same words."""
    if options.resume is not None:
        return options
    if args.handoff is not None:
        from mi.app.handoffs import take_up

        taken = take_up(context, args.handoff)
        return options._replace(task=taken.text, list_task=taken.id)
    from mi.app.tasks import choose_task, find_listed, wants_next_task

    task_id = args.list_task
    if task_id is None and wants_next_task(options.task):
        task_id = ""
    if task_id is None and (found := find_listed(context, options.task)) is not None:
        task_id = found.id
    if task_id is None:
        return options
    chosen = choose_task(context, task_id, even_waiting=bool(args.override))
    if args.list_task is None and not args.quiet and not args.json:
        Output(context.language_for(chosen.text)).say("run.takes-up", id=chosen.id)
    return options._replace(task=chosen.text, list_task=chosen.id)


def _run_one(context: HomeContext, args: Args, options: "RunOptions") -> int:
    from mi.app.queue import note_run_end
    from mi.app.run import build_run
    from mi.autopilot.start import drive_run
    from mi.cli.output import flush, work_unread
    from mi.cli.run_summary import print_summary
    from mi.cli.run_tree import find_place
    from mi.learning.checkpoint import is_enabled

    work_unread()
    if not args.allow_secret_in_task:
        options = _without_secrets(context, options)
    if "[" in options.task and not options.list_task:  # a listed task may be anybody's words; tags are a person's
        from mi.cli.run_tags import act_on

        code = act_on(context, args, Output(context.language_for(options.task)), options.task)
        if code is not None:
            return code
    if options.prove is None and options.resume is None and not args.quiet and not args.json:
        _ask_about_proof(context, Output(context.language_for(options.task)))
    context, options = find_place(context, args, options)
    built = build_run(context, options, partial(_Door, context, args))
    out = Output(built.parts.language)
    learns = built.parts.mind.name != "rules" and is_enabled(built.parts.runtime)
    began = time.monotonic()

    def tell(end: RunEnd) -> None:
        if not args.quiet and not args.json:
            print_summary(context, out, end, time.monotonic() - began)
            if learns and end.status != "interrupted":
                out.say("run.learns")
        flush()

    with closing(built.parts.reporter):
        end = drive_run(*built, tell)
    context.evidence_index.catch_up(context.project_home.evidence, lambda done, total: None)
    if args.queued is None:  # a worker notes itself how its runs end
        note_run_end(context, end)
    if end.status == "done":
        _offer_close(context, args, out)
    built.parts.notifier.finish()
    return end.exit


def _ask_about_proof(context: HomeContext, out: Output) -> None:
    """Ask a person at a terminal once whether MI may run checks itself, and once per repository which ones."""
    from mi.app.proof import read_decision, store_decision
    from mi.app.trust import list_unasked, store_trust
    from mi.cli.prompts import ask_person, at_terminal, is_yes

    decided = read_decision(context) if at_terminal(context) else False
    if decided is False:
        return
    context.use_project()
    commands = list_unasked(context)
    if not commands:
        return
    key = "proof.ask-first" if decided is None else "proof.ask-trust"
    said = ask_person(context, out.text(key, commands=", ".join(commands), root=context.project.root))
    if said is None:
        return
    if decided is None:
        store_decision(context, is_yes(said))
    store_trust(context, commands, is_yes(said))


def _offer_close(context: HomeContext, args: Args, out: Output) -> None:
    """Offer to close the cycle where the run completed the last task of the plan."""
    if os.path.exists(build_nexus(context).place.tasks):
        from mi.cli.run_tags import offer_close

        offer_close(context, args, out)


def _read_options(args: Args) -> "RunOptions":
    from mi.app.run import RunOptions

    if args.override is not None and not args.override.strip():
        raise UsageError("flag-needs-value", flag="--override")
    if args.with_changes and not args.worktree:
        raise UsageError("changes-without-tree")
    if args.detach and (args.resume is not None or args.all_tasks):
        raise UsageError("detach-what", way="mi queue retry" if args.resume is not None else "mi queue add --tasks")
    if args.worktree and args.resume is not None:
        raise UsageError("tree-of-resumed")
    if args.override:
        from mi.knowledge.thoughts.store import refuse_secret

        refuse_secret("--override", args.override)
    return RunOptions(
        task=_read_task(args),
        resume=args.resume,
        batches=args.max_batches,
        minutes=args.max_minutes,
        tokens=args.max_tokens,
        cost_usd=args.max_cost,
        wait_for_limit=args.wait_for_limit,
        continue_hands=args.continue_hands,
        reset_hands=args.reset_hands,
        override=args.override or "",
        why=args.why,
        prove=args.prove,
        agent=args.agent,
    )


def _without_secrets(context: HomeContext, options: "RunOptions") -> "RunOptions":
    """Return the options with a task that may be stored and sent; the person is told what was taken out."""
    from mi.kernel.secrets import hide_credentials

    task, kinds = hide_credentials(options.task)
    if kinds:
        said = Output(context.language_for(task)).text("run.secret-in-task", kinds=", ".join(kinds))
        sys.stderr.write(f"mi: {said}\n")
    return options._replace(task=task)


def _read_task(args: Args) -> str:
    from_list = args.list_task is not None or args.all_tasks or args.handoff is not None
    named = [args.file, args.resume, args.list_task, args.handoff]
    if sum([bool(args.task), args.all_tasks, *(one is not None for one in named)]) != 1:
        raise UsageError("task-source")
    if args.resume is not None or from_list:
        return ""
    task = " ".join(args.task)
    if args.file is not None:
        from mi.cli.input_files import read_given_text

        task = read_given_text(args.file)
    if not task.strip():
        raise UsageError("task-source")
    return task.strip()


class _Door:
    """A run at the command line: shown, asked and waited for at the terminal, if there is one."""

    def __init__(self, context: HomeContext, args: Args, language: str) -> None:
        self._context = context
        self._args = args
        self._out = Output(language)
        self._pause: Callable[[], AbstractContextManager[None]] = nullcontext

    def open_reporter(self, hands: str) -> "Quiet":
        """Return who shows the run; a live line only on a terminal that can draw one, and over rendered events."""
        from mi.cli.run_display import JsonLines, Live, PlainAgent, Quiet, RawLines

        args, out = self._args, self._out
        show_prompt, limits = not args.no_mi_prompt, self._context.config.runtime.limits
        if args.json:
            return JsonLines()
        if args.quiet:
            return Quiet()
        if args.hands_raw:
            return RawLines(out, show_prompt, limits)
        if hands == "cli":
            return PlainAgent(out, show_prompt, limits)
        if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            from mi.cli.run_screen import Screen

            screen = Screen(out, show_prompt, limits)
            self._pause = screen.paused
            return screen
        return Live(out, show_prompt, limits)

    def open_asker(self, stop: "StopFlag") -> "Asker":
        from mi.autopilot.asking import AtTerminal, NobodyThere
        from mi.cli.prompts import at_terminal

        if sys.stderr.isatty() and at_terminal(self._context):
            return AtTerminal(self._out.text, lambda: bool(stop.reason), self._pause)
        return NobodyThere()

    def open_waiter(self, stop: "StopFlag") -> "Waiter":
        from mi.cli.run_display import VisibleWait

        return VisibleWait(self._out, stop, self._pause)
