"""The person's answer to what waits: read by the options of its question, and stored once: the first one wins."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from mi.evidence.reader import parse, read_back
from mi.evidence.records.questions import Question, QuestionOption, UserInput
from mi.kernel import jsonl
from mi.kernel.consent import agrees, declines
from mi.kernel.language import compiled, patterns
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.seal import is_foreign
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line

Door = Literal["terminal", "chat", "page", "file", "hub"]


class ReadAnswer(NamedTuple):
    """What an answer says in full, and which option it takes; '' where it is in words of its own."""

    text: str
    key: str = ""


def read_answer(options: Iterable[QuestionOption], said: str, text: str) -> ReadAnswer:
    """Return an answer with the option that it names by key or text; `said` is what the asker itself wrote."""
    bare, known = _bare(text), list(options)
    for option in known if bare else ():
        if bare == _bare(option.key):
            return ReadAnswer(_in_full(option, said), option.key)
    named = next((option.key for option in known if bare and bare == _bare(option.text)), "")
    placed = None if named else _find_by_place([option for option in known if option.text], bare)
    return ReadAnswer(_in_full(placed, said), placed.key) if placed else ReadAnswer(text.strip(), named)


def _find_by_place(options: Sequence[QuestionOption], bare: str) -> QuestionOption | None:
    """Return the option that an answer names by its place: `the first one`."""
    for place, words in patterns().places.items():
        number = int(place)
        if compiled(words).fullmatch(bare) and number <= len(options) > 1:
            return options[number - 1 if number > 0 else number]
    return None


def lacks_option(options: Sequence[QuestionOption], text: str) -> bool:
    """Return whether an answer is a lone letter or number where there are options, and names none of them.

    What has one option wants only that: it tells something, and words of one's own would answer nothing.
    """
    bare = _bare(text)
    if len(options) == 1:
        return not read_answer(options, "", text).key
    if not options or not re.fullmatch("[a-z]|[0-9]{1,2}", bare) or read_answer(options, "", text).key:
        return False
    if bare.isdecimal():  # where numbers can be chosen, it may be another one
        return not any(re.search("[0-9]", option.text) for option in options)
    yes_or_no = all(len(option.key) > 1 for option in options)
    return not (yes_or_no and (agrees(bare) or declines(bare)))


def name_options(options: Iterable[QuestionOption]) -> str:
    """Return the options in one line."""
    return " | ".join(f"{one.key} ({fit_one_line(redact(one.text), 60)})" if one.text else one.key for one in options)


def _bare(text: str) -> str:
    """Return an answer as it is compared; letters of full width are what they stand for."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(".:)( ")


def _in_full(option: QuestionOption, said: str) -> str:
    """Return an option in words that stand without the question: with its mark where the asker itself gave it one."""
    if not option.text or (len(option.key) > 1 and not option.key.isdecimal()):
        return option.key
    own_mark = re.search(rf"^[^\w\n]*{re.escape(option.key)}[.):]", said, re.MULTILINE)
    return f"{option.key}: {option.text}" if own_mark else option.text


class AnswerWatch:
    """Looks whether a question has been answered, wherever that was; each look reads only what is new in the log."""

    def __init__(
        self, log: str, question_ids: Sequence[str], start: int, lets_in: Callable[[str, int], bool] | None = None
    ) -> None:
        """`start` is how much of the log is known to hold no answer; a run's `lets_in` says whose word counts there."""
        self._log = log
        self._ids = question_ids
        self._tail = jsonl.Tail(log, start)
        self._lets_in = lets_in
        self._found: UserInput | None = None

    @classmethod
    def over(
        cls, log: str, question_id: str, notices: Notices, lets_in: Callable[[str, int], bool] | None = None
    ) -> "AnswerWatch":
        """Return a watch that knows what was said since the question was asked."""
        start = jsonl.measure_size(log)
        for event in read_back(log, notices):
            record = event.record() if event.head.kind == "question" else None
            if isinstance(record, Question) and record.id == question_id:
                start = event.offset
                break
        return cls(log, [question_id], start, lets_in)

    def look(self) -> UserInput | None:
        """Return the first answer there is."""
        for line in self._tail.read() if self._found is None else ():
            self._found = self._found or self._read(line)
        return self._found

    @contextmanager
    def settle(self) -> Iterator[UserInput | None]:
        """Hold off every other answer, and yield the one that was first; None: it is now or never."""
        with lock_folder(os.path.dirname(self._log)):
            yield self.look()

    def _read(self, line: jsonl.Line) -> UserInput | None:
        if b"user_input" not in line.data or is_foreign(self._log, line.offset):
            return None
        event = parse(line)
        record = event.record() if event and event.head.kind == "user_input" else None
        if not isinstance(record, UserInput) or record.question_id not in self._ids:
            return None
        if self._lets_in and (record.by == "chat" or not self._lets_in(self._log, line.offset)):
            return None
        return record
