"""Languages as data: the registry, and what MI must know of each. docs/architecture.md says how to add one.

`language/<code>.py` holds the patterns of a language, with `<code>_*.py` parted by what they are for, and
`messages/<code>` the texts a person reads. MI reads text in all its languages at once, so patterns are mostly used
joined; nothing is loaded or compiled before it is needed.
"""

import re
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args

Code = Literal["en", "zh"]
LANGUAGES: tuple[str, ...] = get_args(Code)
DEFAULT = "en"

Words = tuple[str, ...]
# Kana, unified ideographs with extensions, hangul, compatibility ideographs: scripts without blanks between words.
CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"


def listed(text: str) -> Words:
    """Return the words of a list that is parted by commas."""
    return tuple(" ".join(word.split()) for word in text.split(","))


class Patterns:
    """The natural-language patterns of one language; what it leaves out, it does not have.

    A `str` is a regular expression for text in any case of letters, `Words` are words or marks as they are written.
    """

    # the language itself
    script: str = ""  # found in a text, it tells that the text is in this language
    sentence_break: str = ""  # an empty match between two sentences
    abbreviation: str = ""  # ends with a full stop and ends no sentence
    quotation: str = ""
    full_stops: Words = ()
    question_marks: Words = ()
    commas: Words = ()
    semicolons: Words = ()
    colons: Words = ()
    list_marks: Words = ()  # between the number of an item and its text, without a blank
    opening_brackets: Words = ()
    closing_brackets: Words = ()
    closing_quotes: Words = ()
    numerals: str = ""  # the characters for one to ten, where numbers are written so
    months: Words = ()
    irregular_forms: Words = ()  # the forms of a word that no rule joins; the first stands for all
    suffix: str = ""  # an ending that does not change what a word is about
    stop_words: Words = ()  # said in every question, telling nothing of what is asked
    empty_words: Words = ()  # beside those: telling nothing of what a question or a value is about

    next_task: str = ""  # the whole request: go on with the task list

    # consent
    yes: Words = ()
    no: Words = ()
    no_yes: Words = ()  # begin like a yes and are none
    refusal: str = ""
    no_refusal: str = ""  # begins like a refusal and is none
    yes_to_tasks: Words = ()
    yes_to_lesson: Words = ()
    no_to_lesson: Words = ()
    go_on: Words = ()
    weak_yes: Words = ()  # of `yes`: also said by somebody who has only read
    go_ahead: Words = ()  # begin a yes to what was refused
    adds_tasks: Words = ()  # begin a yes to tasks that were proposed
    for_session: Words = ()  # a yes reaches so far
    for_good: Words = ()
    but: str = ""  # after it, a yes is none, or one to something else

    # how much
    numbers: dict[str, str] = {}  # by number: the words for it
    scales: dict[str, str] = {}  # by factor: what multiplies the number before it
    and_a_half: str = ""
    before_unit: str = ""  # between a number and its unit
    units: dict[str, str] = {}  # by unit: how it is written
    beside_number: str = ""  # around a number that stands alone, changing nothing
    in_total: str = ""  # the number is the whole, not what is added
    as_much_again: str = ""
    unlimited: str = ""

    # what an agent says
    courtesy: str = ""  # sounds like a question or an order and wants nothing
    promise: str = ""  # what the agent has yet to do
    unable: str = ""  # what the agent could not do or does not know
    unfinished: str = ""  # what is missing, skipped, failing, for later, or left to the person
    told_as_cause: str = ""  # of what is missing: that it was so is what was mended
    none_of: str = ""  # before one of these: there is none of it
    not_now: str = ""  # in the same sentence: it is over, or it is told of a case that need not be
    lasts: str = ""  # it is not over, whatever else the sentence says
    failed_before: str = ""  # failing that may be over, by what is said after it
    mended: str = ""
    opens_list: str = ""  # a heading or label over what is left to do
    optional: str = ""
    empty_item: str = ""  # an entry of such a list that says there is none
    question: str = ""
    asks_person: str = ""  # a question that only the person can answer, whatever is said after it
    went_on: str = ""  # the agent settled its question itself
    refers_back: str = ""  # a question that says nothing without the sentence before it
    grave_words: Words = ()  # deeds that leave the machine or cannot be taken back

    # questions and the values that answer them
    alternative: str = ""  # between two options
    places: dict[str, str] = {}  # by place among the options, from the end where negative: how it is said
    or_word: str = ""  # between two options that have marks
    option_word: str = ""  # before the mark of an option
    or_not: str = ""  # the second option of a question that is yes or no
    open_question: str = ""  # asks for neither yes nor one of two
    asks_leave: str = ""  # before what the agent would do
    option_start: str = ""  # before an option, said of both
    option_end: str = ""  # after an option, said of both
    sides: dict[str, str] = {}  # how an option tells on which side of a matter it is
    wants: dict[str, str] = {}  # how a value tells which side it wants
    directive: str = ""  # a value tells what to do
    directive_words: Words = ()  # say that it does, and nothing of what it is about
    denies: str = ""  # before what a value speaks against
    limits_to: str = ""  # a value says where it holds
    conditional: str = ""  # a value holds sometimes
    runs_on: str = ""  # a value says on which version code has to run

    # questions that were asked before
    same_words: dict[str, str] = {}  # by meaning: how it is said; the same key in every language
    deeds: dict[str, str] = {}  # by deed: how a question says that it is about doing it
    asking_words: Words = ()  # ask, and tell nothing of what is asked
    is_wanted: str = ""  # a question whether something should be, without asking for leave
    permission: str = ""  # asks for leave: what is answered holds for nothing else
    budget: str = ""
    risky: str = ""
    only_once: str = ""  # an answer that is meant for this one time
    topics: dict[str, str] = {}  # by topic: the words of it

    # what a person asks for
    politeness: str = ""  # before the verb of a request
    clause_break: str = ""
    inquiry: str = ""
    asks_inside: str = ""  # a sentence asks, wherever its word for that stands
    asks_only: str = ""  # a task says that nothing is to change
    looks: str = ""  # begins what changes nothing and tells nothing by itself
    question_particle: str = ""
    change: str = ""
    ask_me: str = ""
    lasting: str = ""
    without_tests: str = ""  # the case that there are none
    counts: str = ""  # something is enough
    leaves_open: str = ""  # it is refused, or hangs on the person or on something else
    vague_words: Words = ()
    unclear_words: Words = ()  # name neither an object nor an outcome
    unclear_parts: str = ""  # the same, where no blank parts words
    mending: str = ""
    failing_tests: str = ""  # a task speaks of all tests that are red
    adds_tests: str = ""
    wants_tests: str = ""  # a task asks for tests that are not there yet
    keeps_behaviour: str = ""  # new tests of such a change pass before it, too
    renames: str = ""  # or gives things another place
    take_away: str = ""
    negation: str = ""
    before_name: str = ""  # what may stand between a verb and the name of a test
    adjust: str = ""  # a verb whose object is to become another
    move_away: str = ""
    test_words: str = ""  # tests and what belongs to them, as a task speaks of them in general
    no_object: str = ""  # after it, a name is no longer what the verb is about
    tests_stay: str = ""  # the tests are to be left as they are
    about_warnings: str = ""  # a warning or the report of a linter is to go
    wants_silence: str = ""  # … by silence, or a new one is to come
    loosens_tests: str = ""  # a test may ask for less than one value
    tests_wrong: str = ""  # the tests themselves are what is wrong
    with_tests: str = ""  # what is taken away takes its tests along
    brings: str = ""  # a verb whose object is new
    leaves_value: str = ""  # before a value that something had until now
    states: str = ""  # before a value that something has from now on
    new_names: str = ""  # with the old name and the new one as groups `old` and `new`
    weakens_tests: str = ""
    reshapes_tests: str = ""  # tests are to say the same in another form
    grows: str = ""  # a recipe is to do more; its name stands for `NAME`
    tests_of: str = ""  # whose tests a task speaks of, as group `of`
    joins_parts: str = ""  # between two things that a task asks for
    adds: str = ""  # verbs before the name of something that is to be there …
    takes_out: str = ""  # … to be gone …
    returns: str = ""  # … to be given back or shown …
    edits: str = ""  # … or, where it is a file, to be changed
    writes_down: str = ""  # between the start of a sentence and the document that something is to be written into
    gives_name: str = ""  # before the old name
    before_new_name: str = ""  # between the old name and the new one of a renaming
    keeps_old: str = ""  # the old name stays beside the new one
    callable_things: str = ""  # what is called by its name in code
    made_public: str = ""  # others are to import it
    may_be_idle: str = ""  # it may only print something, or do nothing
    raises: str = ""  # an error is to leave the function
    has_number: str = ""  # between a constant and the number that it is to be
    gives_error: str = ""  # a function is to give back an error
    place_after: str = ""  # what follows a name that only says where something is
    package_gone: str = ""  # a package is to be removed: its name is a group
    rejects_with: str = ""  # an error is what a promise ends with
    puts_into: str = ""  # right before the name of what something is to be put into
    last_of_list: str = ""  # between the last two of several names
    orders_each: str = ""  # before several names: something is to be done with each …
    obliges_each: str = ""  # … or behind them
    means_together: str = ""  # … unless it is said of them as a whole
    commits: str = ""  # the work is to be committed
    on_branch: str = ""  # … on a branch, in group `branch`
    leaves_branch: str = ""  # … and not on that one
    merges: str = ""  # a branch is to be merged, in group `branch`
    takes_more: str = ""  # … and more that the task does not name is to be removed
    commit_number: str = ""  # so many commits are to be made, in group `n2`, `n3` …
    from_to: str = ""  # a thing is to have another value, with groups `noun` and `old`
    everywhere: str = ""  # … in all places …
    leaves_some: str = ""  # … but for some
    about_version: str = ""
    makes_anew: str = ""  # a program is to write its files again
    wants_stop: str = ""  # a program is to end …
    at_failure: str = ""  # … when something fails …
    goes_on: str = ""  # … or not to
    names_switch: str = ""  # what is asked for may be off
    gives: str = ""  # between a call and the result that it has
    must_give: str = ""  # between a call and the result that it is to have
    in_place_of: str = ""  # between a result and the one that is wanted
    called_wrong: str = ""  # what is told of a result is a complaint
    stays_so: str = ""  # what is told of a result is no complaint
    follows_value: str = ""  # a word after a number that is no thing counted by it
    no_statement: str = ""  # before a call: what follows is asked or supposed, not stated
    between_wish_and_name: str = ""  # what follows such a word is only the place
    takes_back: str = ""  # what was done before is to be as if it had not been
    unused_on_purpose: str = ""  # what a function is given need not be used
    about_time: str = ""  # a result is to depend on the clock …
    about_chance: str = ""  # … on chance …
    about_counts: str = ""  # … or on how often something happened
    about_tests: str = ""  # tests themselves are the task
    about_prose: str = ""  # documents are the task
    about_dependencies: str = ""  # what the project depends on is the task
    about_history: str = ""  # a commit, a branch or a tag is the task
    if_needed: str = ""  # nothing has to change where the check shows nothing to mend
    if_any: str = ""  # a clause of its own that puts the one before it under a condition
    confirms: str = ""  # begins what tells to look whether something holds
    if_found: str = ""  # the same, after words that tell to look
    opens_condition: str = ""  # all that follows in the sentence hangs on it
    needs_person: str = ""  # what an agent cannot go on without, and only the person can give

    # plans
    announces_steps: str = ""
    numbered_line: str = ""  # with the numerals in a group
    step: str = ""  # with its number in a group
    first: str = ""
    then: str = ""
    intent: str = ""
    then_do: str = ""  # after an intent
    choice: str = ""
    past: str = ""
    report: str = ""

    # rules and lessons
    turns: str = ""  # a word that turns a sentence round
    joins: str = ""  # where a second clause begins
    fillers: str = ""  # what a rule says the same without
    forbids: str = ""  # the words for: do not do this
    fronted: str = ""  # a clause, its first word and the rest, that may as well follow the one after it
    conjunctions: Words = ()  # what a rule also holds for follows
    conditions: str = ""  # a word that lets a rule hold only sometimes
    negations: str = ""
    loosens: str = ""
    holds_back: str = ""
    checks_first: str = ""
    about_a_check: str = ""
    silent_marks: Words = ()  # do not part words

    # who is spoken for
    persons_will: str = ""  # says what a person wants, decided or allowed
    gives_leave: str = ""  # says that something may be done, or done without a person or a check
    lays_rule: str = ""  # tells an agent what to do
    supposes: str = ""  # before such words, up to them: they are told of a case, not stated

    # governance
    urgency: Words = ()
    urgency_stops: Words = ()  # words that hold one of urgency and mean none
    just_change: Words = ()
    full_challenge: Words = ()
    triggers: dict[str, Words] = {}
    trigger_stops: dict[str, Words] = {}
    trigger_orders: dict[str, str] = {}  # a verb and what it is done to, where neither says it alone
    technologies: Words = ()
    chooses: str = ""  # between technologies
    flags: dict[str, Words] = {}
    against: Words = ()
    order_to_run: str = ""
    order_breaks: str = ""  # where another sentence of a task begins
    order_parts: str = ""  # where another order of a sentence may begin
    order_tells: str = ""  # what follows in the sentence is told of, not ordered
    order_filler: str = ""  # may stand before the verb of an order
    final_orders: str = ""  # a verb and its object: what nobody can take back
    override: str = ""
    speed_level: str = ""  # with its number in a group
    speed_filler: str = ""
    storage: str = ""  # after S3 where that is a place for files
    courtesy_before: str = ""
    courtesy_after: str = ""

    # sessions
    end_words: Words = ()
    closing: Words = ()
    goodbye: Words = ()
    summary_wish: str = ""
    task_ended: Words = ()
    save_replies: Words = ()
    captures: dict[str, Words] = {}
    log_headings: dict[str, Words] = {}
    work_log: str = ""  # the name of a file

    # knowledge and tasks
    architecture: str = ""  # as the title of a text
    on_architecture: str = ""  # what a line says that tells how the whole is built
    rule: str = ""
    not_lasting: dict[str, str] = {}
    trick: str = ""
    generated: str = ""
    runtime_criterion: str = ""
    text_criterion: str = ""
    refactoring: str = ""
    types_only: str = ""

    # secrets
    secret_names: Words = ()
    secret_is: str = ""  # between the name of a secret and its value
    secret_is_words: Words = ()  # its last words, looked for also as JSON escapes them
    secret_given: str = ""  # what asks for the password that follows to be used, at the end of a text
    prose_words: str = ""

    @property
    def clause_marks(self) -> Words:
        """Return the marks between clauses."""
        return (*self.full_stops, *self.question_marks, *self.commas, *self.semicolons, *self.colons)


@cache
def patterns(*codes: str) -> Patterns:
    """Return the patterns of the languages, joined; of all languages when none is named."""
    given = [import_module(f"{__name__}.{code}").PATTERNS for code in codes or LANGUAGES]
    joined = Patterns()
    for name in {name for one in given for kind in type(one).__mro__[:-2] for name in vars(kind)}:
        empty = vars(Patterns).get(name)
        if isinstance(empty, str | tuple | dict) and not name.startswith("_"):
            setattr(joined, name, _join([getattr(one, name) for one in given], empty))
    return joined


@cache
def secret_patterns() -> Patterns:
    """Return the words of all languages for secrets, without the rest of a language that keeps them apart."""
    return patterns(*map(_find_secrets, LANGUAGES))


def _find_secrets(code: str) -> str:
    try:
        import_module(f"{__name__}.{code}_secrets")
    except ModuleNotFoundError:
        return code
    return f"{code}_secrets"


def each_language() -> list[Patterns]:
    """Return the patterns of each language by itself, for what is told by several of them together."""
    return [patterns(code) for code in LANGUAGES]


def _join(values: list[Any], empty: object) -> Any:
    if isinstance(empty, str):
        return "|".join(filter(None, values))
    if isinstance(empty, tuple):
        return sum(values, ())
    keys = dict.fromkeys(key for value in values for key in value)
    return {key: _join(found := [value[key] for value in values if key in value], found[0]) for key in keys}


@cache
def compiled(expression: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return the compiled expression, compiled at its first use; one that is empty matches nothing."""
    return re.compile(expression or r"(?!)", flags)


def one_of(*marks: str) -> str:
    """Return the expression for any one of some marks."""
    return f"[{re.escape(''.join(marks))}]"


def detect(text: str) -> str:
    """Return the language of a text: the first one whose script is found in it."""
    for code in () if text.isascii() else LANGUAGES:
        script = patterns(code).script
        if script and compiled(script).search(text):
            return code
    return DEFAULT
