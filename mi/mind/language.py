"""How the rules read what an agent wrote: questions, what it leaves open, words that matter; in any language."""

import re
from functools import cache
from itertools import zip_longest

from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import split_sentences
from mi.knowledge.search.words import tokens

_FENCE = r"```.*?(?:```|\Z)"
_TODO = r"TODO|FIXME"


def _prose(message: str) -> str:
    """Return the message without its code blocks: code neither claims nor asks."""
    return re.sub(_FENCE, " ", message, flags=re.DOTALL)


def left_open(message: str, asks: bool = False) -> list[str]:
    """Return the sentences of an agent's last message that leave something open; [] when it leaves nothing.

    A question, a promise, what could not be done, and what is named as missing, skipped, failing or for later.
    `asks`: the task only asks something, so that what fails or is missing may be the answer itself.
    """
    sentences = _said(message)
    found = dict.fromkeys(questions_in(message))
    for at, one in enumerate(sentences):
        if not _is_courteous(one.bare) and _is_open(one, sentences[at + 1 :], asks):
            found[one.text] = None
    return list(found)


def claims_done(task: str, message: str) -> bool:
    """Return whether an agent's last message, which no special words make, leaves nothing open."""
    return bool(message.strip()) and not left_open(message, is_inquiry(task))


def questions_in(message: str) -> list[str]:
    """Return the questions an agent asks at the end of its message; a question it answers itself further on is none."""
    asked: list[str] = []
    known = patterns()
    for sentence in split_sentences(_prose(message)):
        bare = sentence.strip("*_ ")
        if _is_courteous(bare):
            continue
        if bare.endswith(known.question_marks) or compiled(known.question).search(bare):
            asked.append(bare)
        elif asked and len(bare) > 60:  # a longer statement after it: the agent went on by itself
            settled = compiled(known.went_on).search(bare)
            asked = [one for one in asked if not settled and compiled(known.asks_person).search(one)]
    return asked


def in_context(question: str, message: str) -> str:
    """Return a question as somebody understands who did not read the message: with what it refers to, where it does."""
    said = [sentence.strip("*_ ") for sentence in split_sentences(_prose(message))]
    at = said.index(question) if question in said else 0
    return f"{said[at - 1]} {question}" if at and compiled(patterns().refers_back).match(question) else question


class _Said(NamedTuple):
    """A sentence of a message: as it stands, without what it quotes, and whether it is listed as something to do."""

    text: str
    bare: str
    listed: bool


def _said(message: str) -> list[_Said]:
    """Return the sentences of a message with the heading they stand under; headings themselves say nothing."""
    found: list[_Said] = []
    listed = False
    for line in _prose(message).splitlines():
        if not line.strip() or line.lstrip().startswith(">"):
            continue
        title = _title_of(line)
        if title:
            known = patterns()
            opens = compiled(rf"^(?:{known.opens_list})").match(title)
            listed = bool(opens) and not compiled(known.optional).search(title)
            continue
        found += [_Said(one.strip("*_ "), _bare(one), listed) for one in split_sentences(line)]
    return found


def _title_of(line: str) -> str:
    """Return the words of a heading; '' for a line that is none."""
    line = line.strip()
    marked = line.startswith("#") or (line.startswith("**") and line.endswith(("**", "**:")))
    return line.strip("#*: ") if marked or line.endswith(patterns().colons) else ""


def _bare(sentence: str) -> str:
    """Return a sentence without what it quotes: names and messages are not the agent's own words."""
    sentence = re.sub(r"`[^`]*`", _keep_mark, sentence)
    return compiled(rf"\"[^\"]*\"|“[^”]*”|{patterns().quotation}").sub("…", sentence).replace("’", "'").strip("*_ ")


def _keep_mark(found: re.Match[str]) -> str:
    """Return a quoted name as `it`, but the mark of what is to be done as it is."""
    return found[0].strip("`") if compiled(_TODO).fullmatch(found[0].strip("`")) else "it"


def _is_courteous(sentence: str) -> bool:
    return bool(compiled(patterns().courtesy).search(sentence))


def _is_open(said: _Said, later: list[_Said], asks: bool) -> bool:
    known, sentence = patterns(), said.bare
    label = compiled(rf"^(?:{known.opens_list})[ *_]*{one_of(*known.colons)}[ *_]*(?P<rest>.+)").match(sentence)
    if (label or said.listed) and not asks:
        entry = label["rest"] if label else sentence
        return not (compiled(rf"^{known.empty_item}").match(entry) or compiled(known.optional).search(sentence))
    if compiled(known.unable).search(sentence) and not compiled(known.not_now).search(sentence):
        return True
    if compiled(known.promise).search(sentence):
        return not any(len(one.bare) > 60 and compiled(known.mended).search(one.bare) for one in later)
    return not asks and (_is_unfinished(sentence) or _has_failed(sentence, later))


def _is_unfinished(sentence: str) -> bool:
    """Return whether a sentence names something that is missing, skipped, failing, for later, or the person's to do."""
    causes = [one.span() for one in compiled(patterns().told_as_cause).finditer(sentence)]
    found = [
        one
        for one in compiled(patterns().unfinished).finditer(sentence)
        if _is_there(one, sentence) and not any(start <= one.start() < end for start, end in causes)
    ]
    lasting = compiled(patterns().lasts)
    return bool(found) and (any(lasting.search(one[0]) for one in found) or not _is_over(sentence))


def _has_failed(sentence: str, later: list[_Said]) -> bool:
    """Return whether a sentence tells of a failure that nothing after it takes back."""
    failed = compiled(patterns().failed_before).search(sentence)
    if failed is None or not _is_there(failed, sentence):
        return False
    since = " ".join([sentence[failed.end() :], *(one.bare for one in later)])
    return not compiled(patterns().mended).search(since) and not _is_over(sentence)


def _is_there(found: re.Match[str], sentence: str) -> bool:
    """Return whether there is what was found: nothing before it says that there is none of it."""
    known = patterns()
    same_clause = f"[^{re.escape(''.join(known.clause_marks))}]"
    return not compiled(rf"(?:{known.none_of}){same_clause}{{0,30}}$").search(sentence[: found.start()])


def _is_over(sentence: str) -> bool:
    return bool(compiled(patterns().not_now).search(sentence))


def wants_to_be_asked(value: str) -> bool:
    """Return whether a value says that the person wants to decide this themselves."""
    return bool(compiled(patterns().ask_me).search(value))


def says_lasting(text: str) -> bool:
    """Return whether a text says how things should be from now on, not only this once."""
    return bool(compiled(patterns().lasting).search(_prose(text)))


def says_what_counts(text: str) -> bool:
    """Return whether a value says what counts as verified where there are no tests.

    One that refuses something, asks or leaves it to the person says nothing that MI could go by.
    """
    words = patterns()
    for clause in (part for sentence in split_sentences(text) for part in re.split("[;\uff1b]", sentence)):
        rest, found = compiled(words.without_tests).subn("", clause)
        if found and compiled(words.counts).search(rest):
            return not compiled(f"{words.ask_me}|{words.leaves_open}").search(rest)
    return False


def lasting_sentences(text: str) -> list[str]:
    """Return the sentences of a text, outside its code, that say how things should be from now on."""
    return [one for one in split_sentences(_prose(text)) if compiled(patterns().lasting).search(one)]


def is_inquiry(task: str) -> bool:
    """Return whether a task asks for an answer rather than for a change; when unsure, it asks for a change.

    A polite request is one: `can you sort out the failing test?`
    """
    known = patterns()
    parts = _clauses(re.sub(r"(?<=\w)\.(?=\w)", "_", _prose(task)))  # the dot of a file name ends nothing
    polite = _polite()
    clauses = [polite.sub("", part.strip()).strip() for part in parts]
    if any(compiled(known.change).match(clause) for clause in clauses):
        return False
    inquires = [bool(compiled(known.inquiry).match(clause)) for clause in clauses]
    only_looks = bool(compiled(known.looks).match(clauses[0])) and any(inquires)
    asked_for = not polite.match(parts[0].strip()) and compiled(known.question_particle).search(task)
    whether = (
        all(compiled(known.asks_inside).search(part) for part in split_sentences(task)) if known.asks_inside else False
    )
    return bool(inquires[0] or only_looks or asked_for or whether or compiled(known.asks_only).search(task))


def hangs_on_check(task: str) -> bool:
    """Return whether all that a task wants changed hangs on what a check shows, as in `fix whatever fails`."""
    known, hangs, looked = patterns(), False, False
    for sentence in split_sentences(_prose(task)):
        depends = False  # from here to the end of the sentence
        parts = [part.strip() for part in _clauses(sentence)]
        for part, following in zip_longest(parts, parts[1:], fillvalue=""):
            clause = _polite().sub("", part).strip()
            found = _is_conditional(part, following) or (looked and _is_for_found(part, clause))
            hangs |= found
            if not (depends or found) and compiled(known.change).match(clause):
                return False
            depends |= found and compiled(known.opens_condition).search(part) is not None
            looked |= compiled(rf"{known.looks}|{known.inquiry}|{known.confirms}").match(clause) is not None
    return hangs


def _is_conditional(part: str, following: str) -> bool:
    known = patterns()
    return bool(compiled(known.if_needed).search(part) or compiled(known.if_any).match(following))


def _is_for_found(part: str, clause: str) -> bool:
    return any(compiled(patterns().if_found).search(text) for text in (part, clause))


def _clauses(text: str) -> list[str]:
    known = patterns()
    marks = [mark for mark in known.clause_marks if mark not in known.colons]
    return compiled(rf"{one_of(*marks)}|\n|{known.clause_break}").split(text)


def _polite() -> re.Pattern[str]:
    return compiled(rf"^(?:{patterns().politeness})+")


def content_words(text: str) -> set[str]:
    """Return the words that carry meaning: English ones without endings, Chinese ones as pairs of characters."""
    found = [word for word in tokens(text, asked=True) if word not in _empty_words()]
    suffix = compiled(patterns().suffix)
    return {suffix.sub("", word) if len(word) > 4 and word.isascii() else word for word in found}


@cache
def _empty_words() -> frozenset[str]:
    return frozenset((*patterns().stop_words, *patterns().empty_words))
