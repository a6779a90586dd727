"""A prompt is declared once: its file in `mi/mind/prompts/` is its entry, and no list beside it repeats it."""

from importlib import import_module
from pathlib import Path

from mi.mind import prompts
from mi.mind.prompt import Prompt
from tests.literals import lists_of, sources

NAMES = [path.stem for path in Path(prompts.__path__[0]).glob("[a-z]*.py")]
# Literals with three names or more that are no list of prompts.
ALLOWED = {
    "mi/kernel/messages/zh/words.py": "kinds of records that are named like the prompt they keep the answer of",
    "mi/learning/suggestion_policy.py": "who may suggest something to learn: a field of a record",
}


def test_a_file_holds_the_one_prompt_of_its_name():
    for name in NAMES:
        held = vars(import_module(f"mi.mind.prompts.{name}"))
        assert [one.name for one in held.values() if isinstance(one, Prompt)] == [name]
        assert prompts.all_prompts()[name] is held[name]
    assert sorted(prompts.all_prompts()) == sorted(NAMES)


def test_a_list_of_prompts_stands_nowhere():
    found = {
        path: lists
        for path, tree in sources("mi/mind/prompts/", "mi/evidence/records/")
        if (lists := list(lists_of(set(NAMES), tree, at_least=3)))
    }
    assert found.keys() <= ALLOWED.keys(), found
