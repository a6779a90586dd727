"""compile_values: the person's own words as a short list and a way of deciding."""

from mi.kernel.text import sentences
from mi.mind.answers import CompiledValues, DecisionProcedure
from mi.mind.prompt import Prompt, Section

_INSTRUCTION = """\
The person wrote down how they want things done. values_summary: their values as short, separate sentences, close to
their words, in their language, nothing added. decision_procedure: in a few sentences, and as a Mermaid flowchart,
how they would decide when something is unclear, risky or irreversible."""


def _sections(values_text: str) -> list[Section]:
    return [Section("VALUES TEXT", values_text)]


def _rules(values_text: str) -> CompiledValues:
    procedure = DecisionProcedure(
        summary="Go by the values above; where they are silent and a step is external or irreversible, ask.",
        mermaid="flowchart TD\n  Q[a choice] --> V{covered by the values?}\n  V -->|yes| G[go by them]\n"
        "  V -->|no| X{external or irreversible?}\n  X -->|yes| A[ask]\n  X -->|no| S[safest reasonable choice]",
    )
    return CompiledValues(version="v1", values_summary=sentences(values_text), decision_procedure=procedure)


compile_values = Prompt("compile_values", CompiledValues, _INSTRUCTION, _sections, _rules)
