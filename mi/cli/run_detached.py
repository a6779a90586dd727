"""`mi run --detach`: the task goes into the queue, with a worker of its own in the background."""

import sys
from typing import TYPE_CHECKING

from mi.agents.choose import choose_agent, open_hands
from mi.app.home_context import HomeContext
from mi.app.queue import QueuedOptions, QueueWishes, WantedTask, add_tasks
from mi.app.worker import detach_worker
from mi.cli.output import Output
from mi.kernel.errors import MiError

if TYPE_CHECKING:
    from mi.app.run import RunOptions
    from mi.cli.arguments import Args


def detach(context: HomeContext, args: "Args", options: "RunOptions") -> int:
    """Queue the task, begin a worker for it, and say how to look at it."""
    out = Output(context.language_for(options.task))
    asked = QueuedOptions(
        detached=True,
        batches=options.batches,
        minutes=options.minutes,
        tokens=options.tokens,
        cost_usd=options.cost_usd,
        prove=options.prove,
        override=options.override,
        why=options.why,
    )
    open_hands(choose_agent(context.config, options.agent), context.home, context.notices)  # says if it is not there
    wanted = WantedTask(options.task, options.list_task)
    added = add_tasks(context, [wanted], QueueWishes(agent=options.agent, options=asked))
    if added.hidden:
        sys.stderr.write(f"mi: {out.text('run.secret-in-task', kinds=', '.join(added.hidden))}\n")
    for same in added.same:
        raise MiError("same-task-open", run_id=same.run_id)
    run_id = added.tasks[0].run_id
    if args.json:
        out.json({"run_id": run_id})
    elif not args.quiet:
        out.say("run.detached", run_id=run_id)
    detach_worker(context, run_id)
    return 0
