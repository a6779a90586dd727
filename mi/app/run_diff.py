"""What a run or a batch did: two trees to compare."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mi.app.home_context import HomeContext
from mi.app.snapshots import ChosenSnapshots, open_now, open_trees, read_kept, require_known
from mi.evidence.records.trees import TreeSnapshot
from mi.project.tree_diff import TreePair, open_plain


@contextmanager
def open_diff(
    context: HomeContext, chosen: ChosenSnapshots, within: Sequence[str], until_now: bool
) -> Iterator[TreePair]:
    """Yield what to compare: a batch's or a run's beginning and end, or its beginning and the work tree now."""
    if chosen.last is not None and not until_now:
        before, after = open_trees(chosen, chosen.first, chosen.last)
        require_known(chosen, within, before, after)
        unseen = _name_unseen(chosen.begun, chosen.ended)
        with open_plain(chosen.store, after.tree_id) as env:
            yield TreePair(chosen.top, before.tree_id, after.tree_id, env, unseen)
        return
    from mi.project.tree_writer import quote_path

    kept = read_kept(context, chosen)
    require_known(chosen, within, kept.tree)
    with open_now(context, kept, None) as (_, now):
        env = dict(now.tree.env)
        env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] += os.pathsep + quote_path(chosen.store.objects)
        unseen = _name_unseen(chosen.begun) | {left.path: left.why for left in now.left_out}
        yield TreePair(chosen.top, kept.tree.tree_id, now.tree.tree_id, env, unseen)


def _name_unseen(*ends: TreeSnapshot | None) -> dict[str, str]:
    """Return what one of two states left out, and why: whether it differs nobody can say."""
    return {left.path: left.why for end in ends if end for left in end.left_out}
