"""How often the person is asked the same thing: 60 tasks in which 12 questions come back in other words.

    python bench/asked_once.py

prints, for the rules and for a capable Mind (scripted: it knows which questions mean the same, and nothing else), how
often each question reached the person and how many were answered wrongly from another question's answer. The aim is at
most two asks each by rules, one with a Mind, and no wrong answer. Asserts nothing; tests/learning/test_asked_stream.py
does.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mi.autopilot.questions import find_options  # noqa: E402
from mi.evidence.log import EvidenceWriter  # noqa: E402
from mi.evidence.records.mind import AutoAnswerOutput  # noqa: E402
from mi.evidence.records.questions import Question, UserInput  # noqa: E402
from mi.kernel.config.types import HttpMind  # noqa: E402
from mi.kernel.home import Home  # noqa: E402
from mi.kernel.notices import Notices  # noqa: E402
from mi.knowledge.thoughts.store import ThoughtStore  # noqa: E402
from mi.learning.answers import keep_answer, read_answers  # noqa: E402
from mi.mind.asked_before import rank  # noqa: E402
from mi.mind.asked_questions import read_questions  # noqa: E402
from mi.mind.mind import Mind  # noqa: E402
from mi.mind.prompts.auto_answer_to_hands import auto_answer_to_hands  # noqa: E402
from mi.mind.providers.openai_compatible import OpenAiCompatible  # noqa: E402
from mi.mind.views import BatchView, Case, Person  # noqa: E402
from mi.testing import Request, answer_json, chat_server  # noqa: E402
from mi.testing.replies import Reply  # noqa: E402


class Recurring(NamedTuple):
    """A question that comes back, and what the person says to it."""

    says: str
    wordings: tuple[str, ...]


STREAM = (
    Recurring(
        "pytest",
        (
            "Should I write the new tests with pytest or unittest?",
            "Which test framework do you want here: unittest or pytest?",
            "I need a test for this. pytest or unittest?",
            "For the regression test, shall I go with unittest or with pytest?",
            "The project has no tests so far. Do you prefer pytest or unittest for testing?",
        ),
    ),
    Recurring(
        "yes",
        (
            "Should I add type hints to the new functions?",
            "Do you want annotations on the functions I add?",
            "Would you like the new code to have type annotations?",
            "Shall I annotate the new helpers with types?",
            "Are type hints wanted for the new functions?",
        ),
    ),
    Recurring(
        "no",
        (
            "Should I update the changelog?",
            "Shall the CHANGELOG get an entry for this?",
            "Do you want me to mention the fix in the release notes?",
            "Is a changelog entry needed for this change?",
            "Should this be recorded in CHANGELOG.md?",
        ),
    ),
    Recurring(
        "raise",
        (
            "Should invalid input raise ValueError or return None?",
            "On bad input, do you want None returned or an exception raised?",
            "What should happen with malformed data: return None or raise an error?",
            "For invalid values, shall I throw an exception or give back None?",
            "Should the function raise an exception or return None when the input is wrong?",
        ),
    ),
    Recurring(
        "UTC",
        (
            "Should dates be stored in UTC or in local time?",
            "UTC or local time for the timestamps?",
            "Do you want the timestamps kept in local time or in UTC?",
            "Which time zone should the dates be saved in, UTC or local time?",
            "Shall I store the times as UTC or as local time?",
        ),
    ),
    Recurring(
        "tests/",
        (
            "Where should the new test files go: beside the module or in tests/?",
            "Should I put the tests in tests/ or beside the module?",
            "Do you want the test next to the code, beside the module, or in tests/?",
            "Shall the tests live in tests/ or beside the module they test?",
            "Which place for the tests: tests/ or beside the module?",
        ),
    ),
    Recurring(
        "yes",
        (
            "Should I keep the old name as a deprecated alias?",
            "Do you want an alias kept for the old name?",
            "Shall I leave a deprecated alias so that old callers keep working?",
            "Should the old name be kept as an alias?",
            "Do you want me to keep a backwards-compatible alias for the old name?",
        ),
    ),
    Recurring(
        "stderr",
        (
            "Should log messages go to stdout or stderr?",
            "stderr or stdout for logging?",
            "Do you want the log output on stderr or on stdout?",
            "Where should I send the logs, stdout or stderr?",
            "Shall the logger write to stdout or to stderr?",
        ),
    ),
    Recurring(
        "no",
        (
            "Should I commit the generated files?",
            "Do you want build artefacts checked in?",
            "Shall the generated code be committed as well?",
            "Should the build output be tracked in git?",
            "Do you want me to check in the generated files?",
        ),
    ),
    Recurring(
        "YAML",
        (
            "Should the config file be JSON or YAML?",
            "YAML or JSON for the settings?",
            "Which format do you want for the configuration, JSON or YAML?",
            "Shall I write the config as YAML or as JSON?",
            "Do you prefer JSON or YAML for the settings file?",
        ),
    ),
    Recurring(
        "yes",
        (
            "Should I add docstrings to the public functions?",
            "Do you want docstrings on public functions?",
            "Shall I write doc comments for the public methods?",
            "Are docstrings expected for public functions?",
            "Would you like a docstring on each public function?",
        ),
    ),
    Recurring(
        "要",
        (
            "要不要给新函数写单元测试？",
            "新函数需要写测试吗？",
            "是否需要为新函数补充单测？",
            "需不需要给新函数加上测试用例？",
            "要给新函数编写测试吗？",
        ),
    ),
)
# Written after the words that mean the same were collected; few were added for it.
MORE = (
    Recurring(
        "single",
        (
            "Single or double quotes for strings?",
            "Should strings use double quotes or single quotes?",
            "Do you prefer single quotes or double quotes?",
            "I noticed mixed quoting. Which should I use, single or double quotes?",
            "Shall I quote strings with double or single quotes?",
        ),
    ),
    Recurring(
        "yes",
        (
            "Should I also fix the failing lint warnings?",
            "Do you want me to fix the lint warnings too?",
            "Shall the lint warnings be fixed as well?",
            "There are some lint warnings. Should I fix them?",
            "Would you like the linter warnings cleaned up?",
        ),
    ),
    Recurring(
        "no",
        (
            "Should I rename the variable to something clearer?",
            "Do you want me to rename the variable?",
            "Shall I give the variable a better name?",
            "Should the variable be renamed?",
            "Is it worth renaming the variable?",
        ),
    ),
    Recurring(
        "feature branch",
        (
            "Should I work on main or on a feature branch?",
            "Do you want this on a feature branch or directly on main?",
            "main or a feature branch?",
            "Shall I create a feature branch or stay on main?",
            "Which branch should this go to: main or a feature branch?",
        ),
    ),
    Recurring(
        "dataclass",
        (
            "Should the record be a dataclass or a dict?",
            "Do you want a dict or a dataclass for the record?",
            "dataclass or dict for the result?",
            "Shall I model the record as a dataclass or as a plain dict?",
            "Which would you like for the record: a dict or a dataclass?",
        ),
    ),
    Recurring(
        "yes",
        (
            "Should I write a test for the bug?",
            "Do you want a regression test for this bug?",
            "Shall I add a unit test that covers the bug?",
            "Is a test wanted for the bug fix?",
            "Should the bug get its own test?",
        ),
    ),
    Recurring(
        "3.9",
        (
            "What is the minimum Python version I should support?",
            "Which Python version should the code support at least?",
            "What's the oldest Python version that has to work?",
            "Which minimum Python version do you target?",
            "How old a Python version must be supported?",
        ),
    ),
    Recurring(
        "argparse",
        (
            "Should I use argparse or click for the command line?",
            "click or argparse for parsing the arguments?",
            "Which do you prefer for the CLI, argparse or click?",
            "Shall I build the command-line interface with click or argparse?",
            "For the flags: argparse or click?",
        ),
    ),
    Recurring(
        "no",
        (
            "Should I split the module into several files?",
            "Do you want the module split into smaller files?",
            "Shall I break the module up into several files?",
            "Would you like me to split up the module?",
            "Is splitting the module into files wanted?",
        ),
    ),
    Recurring(
        "async",
        (
            "Should the client be async or sync?",
            "Do you want a synchronous or an asynchronous client?",
            "sync or async for the client?",
            "Shall I write the client synchronously or asynchronously?",
            "Async or blocking client?",
        ),
    ),
    Recurring(
        "80",
        (
            "How long may lines be, 80 or 120 characters?",
            "Line length 80 or 120?",
            "Should lines wrap at 80 or 120 columns?",
            "Do you want a maximum line width of 120 or 80?",
            "80 or 120 characters per line?",
        ),
    ),
    Recurring(
        "英文",
        (
            "注释用中文还是英文？",
            "代码注释写英文还是中文？",
            "注释应该用英文还是用中文写？",
            "请问注释使用中文还是英文？",
            "写注释时用中文还是英文？",
        ),
    ),
)
_CLAIM = re.compile(r"\[(cl_\w+)\] (.*?) → ", re.DOTALL)


class Asked(NamedTuple):
    """What came of the stream: by question how often the person was asked, and what was answered wrongly."""

    times: list[int]
    wrong: list[str]


def play(mind: Mind, folder: str, stream: tuple[Recurring, ...] = STREAM) -> Asked:
    """Let an agent ask all questions, task by task, and the person answer what reaches them."""
    notices = Notices()
    own = ThoughtStore(f"{folder}/thoughts", "project", "p", notices)
    log = EvidenceWriter.for_command(f"{folder}/evidence.jsonl", notices)
    times, wrong, belongs = [0] * len(stream), [], {}
    for round_ in range(5):
        for number, recurring in enumerate(stream):
            words = recurring.wordings[round_]
            answer = _judge(mind, own, words)
            if answer.should_answer and {belongs.get(one) for one in answer.cited_ids} == {number}:
                continue
            wrong += [words] if answer.should_answer else []
            times[number] += 1
            kept = _ask(own, log, answer.ask_user_question or words, words, recurring.says)
            belongs[kept] = number
    return Asked(times, wrong)


def _judge(mind: Mind, own: ThoughtStore, words: str) -> AutoAnswerOutput:
    person = Person(answers=rank(read_questions([words], words), read_answers(own)))
    case = Case(batch=BatchView(task="work", last_message=words), person=person)
    return mind.ask(auto_answer_to_hands, case).value or AutoAnswerOutput(needs_user_input=True)


def _ask(own: ThoughtStore, log: EvidenceWriter, text: str, said: str, says: str) -> str:
    question = Question(id=f"qu_{text}", text=text, said=said, options=find_options(text, "agent", said), keep=True)
    stored = log.append(question)
    given = log.append(UserInput(question=text, answer=says, question_id=stored.id, by="terminal"))
    kept = keep_answer(own, stored, given, log.append)
    return kept.claim_id if kept else ""


@contextmanager
def capable_mind(folder: str, stream: tuple[Recurring, ...] = STREAM) -> Iterator[Mind]:
    """Open a Mind that knows which wordings mean the same, and answers only with what it is shown."""
    same = {words: number for number, one in enumerate(stream) for words in one.wordings}

    def answer(request: Request) -> Reply:
        shown = request.user_texts[-1]
        question = shown.rpartition("<<<QUESTIONS\n- ")[2].partition("\n>>>")[0]
        asked = next(words for words in same if words.endswith(question))
        found = [claim for claim, words in _CLAIM.findall(shown) if same.get(words.strip()) == same[asked]]
        says = stream[same[asked]].says
        return answer_json(
            {
                "should_answer": bool(found),
                "confidence": 0.9,
                "hands_answer_input": says if found else "",
                "needs_user_input": not found,
                "ask_user_question": "" if found else asked,
                "unanswered_questions": [],
                "cited_ids": found[:1],
                "notes": "",
            }
        )

    with ExitStack() as stack:
        server = stack.enter_context(chat_server(answer))
        settings = HttpMind(base_url=server.base_url, model="scripted", api_key_env="")
        yield Mind(Home(folder), f"{folder}/minds", OpenAiCompatible(settings))


def main() -> None:
    for stream in (STREAM, MORE):
        with ExitStack() as stack:
            rules, judged = (stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2))
            mind = stack.enter_context(capable_mind(judged, stream))
            for name, one, folder in (("rules", Mind(Home(rules), rules, None), rules), ("Mind", mind, judged)):
                times, wrong = play(one, folder, stream)
                print(f"{name:6} asked {sum(times)} of 60, most {max(times)}, wrong {len(wrong)}: {times}")


if __name__ == "__main__":
    main()
