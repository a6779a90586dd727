"""When a session ends, when it is saved by itself, and which sayings are worth keeping."""

import re
from collections.abc import Collection
from typing import Literal, NamedTuple

from mi.governance.words import clauses, is_whole, own_words, said
from mi.kernel.messages import text

END_WORDS = ("结束", "save", "收工", "/save")
CLOSING = (
    "今天到这",
    "下次继续",
    "今天先到这",
    "今天就到这",
    "今天就先到这",
    "明天继续",
    "that's all for today",
    "continue next time",
)
GOODBYE = ("goodbye", "good bye", "bye", "bye bye", "see you", "see you tomorrow", "再见", "拜拜", "回头见", "明天见")
_SUMMARY = re.compile(
    r"(?:summari[sz]e|summary of|recap|wrap up)\s+(?:(?:the|this|our|today's)\s+)?(?:session|conversation|day|work)"
    r"|session summary|总结一下(?:今天|这次|本次|会话|对话)?|(?:今天|这次|本次|会话)的?(?:总结|小结)",
    re.I,
)
DONE_WORDS = ("做完了", "下一个", "换个任务", "先这样", "that's it for now", "next task", "next one", "done for now")
TEN_MINUTES = 600.0
_SAVE_REPLIES = ("存", "save")
_CAPTURE: dict[str, tuple[str, ...]] = {
    "principle": (
        *("our principle", "as a principle", "rule of thumb", "is more important than", "never again", "at all costs"),
        *("原则", "底线", "宁可", "更重要", "永远不要"),
    ),
    "lesson": (
        *("lesson learned", "lesson learnt", "we learned that", "i learned that", "should have", "my mistake was"),
        *("next time we", "next time i", "教训", "下次要", "下次不", "吸取", "踩坑", "踩了坑", "早知道", "不该"),
    ),
    "pattern": (
        *("from now on", "i always", "i usually", "i prefer", "we always", "every time we", "my habit"),
        *("以后都", "今后都", "我习惯", "我喜欢", "我偏好", "每次都", "我一般", "我们一般"),
    ),
    "decision": (
        *(
            "we decided",
            "i decided",
            "i've decided",
            "decision:",
            "let's go with",
            "we will use",
            "we'll use",
            "we go with",
        ),
        *("决定", "就用", "选用", "采用", "敲定", "定下来"),
    ),
}
CARD_TYPE = {
    "principle": "principle",
    "lesson": "heuristic",
    "pattern": "pattern",
    "decision": "principle",
    "contradiction": "heuristic",
}
Signal = Literal["decision", "pattern", "lesson", "principle", "contradiction"]


def ends_session(message: str) -> bool:
    """Whether the person ends the session: says so, says goodbye, or asks for its summary."""
    own = own_words(message)
    return (
        is_whole(own, (*END_WORDS, *CLOSING))
        or bool(said(own, CLOSING))
        or any(is_whole(clause, GOODBYE) for clause in clauses(own))
        or bool(_SUMMARY.search(own))
    )


class Situation(NamedTuple):
    """What is known when a session could be saved."""

    message: str = ""
    tests_reported: bool = False
    review_reported: bool = False
    work_log_updated: bool = False
    done_and_waiting: bool = False
    in_progress: bool = False
    unprocessed: bool = False
    since_last_save: float | None = None  # seconds; None: never saved
    has_output: bool = True  # code or a decision came of it


def autosave(now: Situation) -> int:
    """The number of the trigger that saves the session now; 0 for not now."""
    recent = now.since_last_save is not None and now.since_last_save < TEN_MINUTES
    if now.in_progress or now.unprocessed or recent or not now.has_output:
        return 0
    closing = any(is_whole(clause, DONE_WORDS) for clause in clauses(own_words(now.message)))
    triggers = (closing, now.tests_reported, now.review_reported, now.work_log_updated, now.done_and_waiting)
    return next((number for number, holds in enumerate(triggers, 1) if holds), 0)


def autosaved(slot: str, trigger: int) -> str:
    """The one line that reports it."""
    return f"Auto-saved to slot-{slot} | trigger: {trigger}"


class Capture(NamedTuple):
    """Something the person said that may be worth a card."""

    signal: Signal
    description: str

    @property
    def key(self) -> str:
        """The same for the same saying, so that it is suggested once."""
        return f"{self.signal}: {' '.join(self.description.lower().split())}"

    def suggestion(self, language: str = "en") -> str:
        return text("capture.suggest", language, description=self.description)


def capture(message: str, contradicts: Collection[str] = (), suggested: Collection[str] = ()) -> Capture | None:
    """The suggestion that a message gives rise to; None without a signal, or when it was made before."""
    from mi.kernel.text import one_line, sentences

    own = own_words(message)
    found: Capture | None = None
    for sentence in sentences(own) or [own]:
        signal = next((name for name, words in _CAPTURE.items() if said(sentence, words)), "")
        if signal:
            found = Capture(signal, one_line(sentence, 120))  # type: ignore[arg-type]
            break
    if found is None and contradicts:
        found = Capture("contradiction", f"{one_line(own, 80)} ↔ {', '.join(contradicts)}")
    return None if found is None or found.key in suggested else found


def is_capture_reply(message: str, waiting: bool) -> bool:
    """Whether the person takes up the suggestion just made; "save" without one ends the session."""
    return waiting and is_whole(message, _SAVE_REPLIES)
