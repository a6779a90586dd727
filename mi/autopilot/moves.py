"""What can come after a batch: another input for the agent, or the run's end."""

import re
from typing import Literal, NamedTuple

from mi.kernel.messages import text

Status = Literal["done", "blocked", "failed", "interrupted"]
EXIT: dict[Status, int] = {"done": 0, "failed": 1, "blocked": 3, "interrupted": 130}

_NO = re.compile(
    r"(?:please |absolutely |certainly |definitely |of course |better |rather )?"
    r"(?:(?:n|no|nope|nah|not|never|don't|dont|stop|abort|cancel|halt|hold|wait|later|skip)\b"
    r"|do not\b|den(?:y|ied)\b|reject|refuse)"
    r"|(?:请|先|暂时?|还是|那就?|最好|千万|我)*(?:不|别|停|否|取消|拒绝|驳回|算了|等|禁止|没必要)"
)
_NO_OBJECTION = re.compile(
    r"(?:no|not an?) (?:problem|objection|worries|issue|concern|doubt|need to (?:ask|wait|stop))"
    r"|(?:don't|dont|do not) (?:wait|ask|stop|worry|hesitate)"
    r"|不(?:用|必|要)(?:再?问|等|停|担心)|不(?:错|反对|介意)|别(?:再?问|等|停|担心)"
)


class Interrupted(Exception):
    """Somebody wants the run to stop while it waits for a judgement or for the person."""


class End(NamedTuple):
    """Why the loop stops."""

    status: Status
    reason: str


class Go(NamedTuple):
    """What the agent gets next."""

    text: str
    is_check: bool = False


Next = Go | End


def blocked(key: str, language: str, /, **details: object) -> End:
    """The end of a run that needs the person, with the reason in their language."""
    return End("blocked", text(key, language, **details))


def refuses(answer: str) -> bool:
    """Whether an answer to "go on?" means no, in English or Chinese: by how it begins."""
    said = " ".join(answer.lower().replace("’", "'").split())
    return _NO.match(said) is not None and _NO_OBJECTION.match(said) is None
