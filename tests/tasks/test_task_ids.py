"""Names of tasks that stay, however long the list and however much of it changed at once."""

import pytest

from mi.tasks.task_ids import KnownTask, TaskSighting, match
from mi.tasks.tinytasks import parse
from tests.growth.work import count_work

MANY = 5000


def seen(text: str) -> list[TaskSighting]:
    document = parse(text)
    return [TaskSighting(one.title, one.parent, document.is_done(at)) for at, one in enumerate(document.items)]


def ids(known: list[KnownTask]) -> list[str]:
    return [one.id for one in known]


@pytest.mark.req("ac.tasks.ids-kept")
def test_one_reworded_task_between_its_neighbours_keeps_its_id():
    first = match([], seen("- [ ] read it\n- [ ] write the parser\n- [ ] release\n"))
    then = match(first, seen("- [ ] read it\n- [ ] something else altogether\n- [ ] release\n"))
    assert ids(then) == ids(first)
    more = match(first, seen("- [ ] new\n- [ ] read it\n- [ ] write a parser\n- [ ] release\n"))
    assert ids(more)[1:] == ids(first)


def test_a_long_list_that_was_replaced_is_matched_at_once(monkeypatch):
    """A gate that took minutes over a long list would be a way to switch it off."""

    def replace(many: int) -> list[KnownTask]:
        former = "".join(f"- [ ] task number {n}\n  - [ ] part of {n}\n" for n in range(many // 2))
        other = "".join(f"- [ ] {n * 7919 % 10_007} is another thing\n  - [ ] {n}\n" for n in range(many // 2))
        replaced = match(match([], seen(former)), seen(other))
        assert len({*ids(replaced)}) == many
        assert match(replaced, seen(other)) == replaced
        return replaced

    short, long = (count_work(lambda many=many: replace(many), monkeypatch) for many in (MANY // 4, MANY))
    assert long <= 6 * short + 1000


def test_many_tasks_of_the_same_words_have_names_of_their_own():
    known = match([], seen("- [ ] again\n" * MANY))
    assert len({*ids(known)}) == MANY
    assert match(known, seen("- [ ] again\n" * MANY)) == known


def test_a_title_of_a_megabyte_is_compared_by_its_beginning():
    first = match([], seen("- [ ] a\n- [ ] " + "b" * 1_000_000 + "\n"))
    then = match(first, seen("- [ ] a\n- [ ] " + "b" * 1_000_000 + "c\n"))
    assert ids(then) == ids(first)
