"""A person's yes or no, in English and Chinese, for whatever MI asks; `also` are words that fit one question alone."""

import re
from collections.abc import Collection

_YES = frozenset("y yes yep ok okay sure fine good agree agreed approve approved accept accepted".split())
_YES_ZH = ("是", "好", "好的", "可以", "同意", "行", "对", "确认", "批准", "没问题", "通过")
_NO = ("n", "no", "nope", "nah", "never")
_NO_ZH = ("不", "不要", "否", "不用", "不行", "别", "取消", "不同意", "不好")
_OPEN_ZH = ("好像", "是否", "行不", "对不", "可以吗")  # they begin like a yes and are none
_REFUSAL = re.compile(
    r"(?:please |absolutely |certainly |definitely |of course |better |rather )?"
    rf"(?:(?:{'|'.join(_NO)}|not|don't|dont|stop|abort|cancel|halt|hold|wait|later|skip)\b"
    r"|do not\b|den(?:y|ied)\b|reject|refuse)"
    r"|(?:请|先|暂时?|还是|那就?|最好|千万|我)*(?:不|别|停|否|取消|拒绝|驳回|算了|等|禁止|没必要)"
)
_NO_OBJECTION = re.compile(
    r"(?:no|not an?) (?:problem|objection|worries|issue|concern|doubt|need to (?:ask|wait|stop))"
    r"|(?:don't|dont|do not) (?:wait|ask|stop|worry|hesitate)"
    r"|不(?:用|必|要)(?:再?问|等|停|担心)|不(?:错|反对|介意)|别(?:再?问|等|停|担心)"
)


def agrees(answer: str, also: Collection[str] = ()) -> bool:
    """Whether the answer is a word of consent and nothing else."""
    said = _bare(answer)
    return said in _YES or said in _YES_ZH or said in also


def declines(answer: str, also: Collection[str] = ()) -> bool:
    """Whether the answer is a no and nothing else."""
    said = _bare(answer)
    return said in _NO or said in _NO_ZH or said in also


def begins_with_yes(answer: str, also: Collection[str] = ()) -> bool:
    """Whether the answer begins with a word of consent, whatever follows."""
    said = answer.strip().lower()
    word = said.split(maxsplit=1)[0].strip(".,!;:。，！；：") if said else ""
    if word in _YES or word in also:
        return True
    chinese = (*_YES_ZH, *(one for one in also if not one.isascii()))
    return said.startswith(chinese) and not said.startswith(_OPEN_ZH)


def refuses(answer: str) -> bool:
    """Whether an answer to "go on?" means no: by how it begins."""
    said = " ".join(answer.lower().replace("’", "'").split())
    return _REFUSAL.match(said) is not None and _NO_OBJECTION.match(said) is None


def _bare(answer: str) -> str:
    return answer.strip().strip(".!。！").lower()
