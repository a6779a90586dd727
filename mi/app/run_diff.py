"""What a run or a batch did: two trees to compare."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mi.app.home_context import HomeContext
from mi.app.snapshots import ChosenSnapshots, open_now, open_tree, read_kept, require_known
from mi.project.tree_diff import TreePair, open_plain


@contextmanager
def open_diff(
    context: HomeContext, chosen: ChosenSnapshots, within: Sequence[str], until_now: bool
) -> Iterator[TreePair]:
    """Yield what to compare: a batch's or a run's beginning and end, or its beginning and the work tree now."""
    if chosen.last is not None and not until_now:
        before, after = open_tree(chosen, chosen.first), open_tree(chosen, chosen.last)
        require_known(chosen, within, before, after)
        with open_plain(chosen.store, after.tree_id) as env:
            yield TreePair(chosen.top, before.tree_id, after.tree_id, env)
        return
    from mi.project.tree_writer import quote_path

    kept = read_kept(context, chosen)
    require_known(chosen, within, kept.tree)
    with open_now(context, kept, None) as (_, now):
        env = dict(now.tree.env)
        env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] += os.pathsep + quote_path(chosen.store.objects)
        yield TreePair(chosen.top, kept.tree.tree_id, now.tree.tree_id, env)
