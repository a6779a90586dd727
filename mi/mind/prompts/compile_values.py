"""compile_values: the person's own words as a short list and a way of deciding."""

from typing import Literal

from msgspec import Struct

from mi.kernel.language import detect
from mi.kernel.messages import text
from mi.kernel.text import split_statements
from mi.mind.prompt import Prompt, Section

_INSTRUCTION = """\
The person wrote down how they want things done. values_summary: their values as short, separate sentences, close to
their words, in their language, nothing added. decision_procedure: in a few sentences, and as a Mermaid flowchart,
how they would decide when something is unclear, risky or irreversible."""


class DecisionProcedure(Struct, frozen=True, kw_only=True):
    summary: str
    mermaid: str


class CompiledValues(Struct, frozen=True, kw_only=True):
    version: Literal["v1"]
    values_summary: list[str]
    decision_procedure: DecisionProcedure


def _sections(values_text: str) -> list[Section]:
    return [Section("VALUES TEXT", values_text)]


def _rules(values_text: str) -> CompiledValues:
    """Return each sentence as a value, with the way of deciding of whoever wrote no other."""
    language = detect(values_text)
    procedure = DecisionProcedure(
        summary=text("values.usual-procedure", language), mermaid=text("values.usual-chart", language)
    )
    return CompiledValues(version="v1", values_summary=split_statements(values_text), decision_procedure=procedure)


compile_values = Prompt("compile_values", CompiledValues, _INSTRUCTION, _sections, _rules)
