"""What exists is documented: commands, settings, errors, tools, records, prompts, data files."""

import json
import re
from pathlib import Path

import pytest

from mi.cli.completion import build_tree
from mi.evidence.records.table import MODULES
from tests.kernel.test_messages import ENGLISH

ROOT = Path(__file__).resolve().parent.parent.parent
REFERENCE = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs/reference").glob("*.md")}


def test_every_command_and_flag_is_in_the_reference():
    page = REFERENCE["commands"]
    nodes = [node for node in build_tree() if node.flags and node.words]  # others are the values of a setting
    groups = {node.words[:-1] for node in nodes}
    missing = [
        " ".join(node.words)
        for node in nodes
        if node.words not in groups and f"`mi {' '.join(node.words)}`" not in page
    ]
    assert missing == []
    flags = {flag for node in nodes for flag in node.flags} - {"--help", "--home"}
    assert [flag for flag in sorted(flags) if f"`{flag}" not in page and f", {flag}" not in page] == []


def test_every_error_code_is_in_the_reference():
    codes = [key.removeprefix("error.") for key in ENGLISH if key.startswith("error.")]
    assert [code for code in codes if f"| `{code}` |" not in REFERENCE["errors"]] == []


def test_every_tool_is_in_the_reference():
    files = (ROOT / "mi/mcp/definitions").glob("*.json")
    named = [name for path in files for name in json.loads(path.read_text("utf-8"))["tools"]]
    assert len(named) > 20
    assert [name for name in named if f"| `{name}` |" not in REFERENCE["tools"]] == []


@pytest.mark.req("v1.docs.aligned-sections")
def test_loop_prompts_data_models_and_commands_are_covered():
    """The four parts of the contract each have their pages, which are generated or compared with the code."""
    assert [kind for kind in MODULES if f"| `{kind}` |" not in REFERENCE["kinds"]] == []
    prompts = [path.stem for path in (ROOT / "mi/mind/prompts").glob("[a-z]*.py")]
    assert {"decide_next", "plan_min_checks", "risk_judge"} <= set(re.findall(r"\| `(\w+)` \|", REFERENCE["prompts"]))
    assert len(prompts) > 8
    for page, words in {
        "autopilot": ("ran", "claimed", "verified", "resume"),
        "mind": ("rules", "circuit"),
        "knowledge": ("claim", "node", "edge"),
        "cli": ("exit", "--json"),
    }.items():
        text = (ROOT / f"docs/spec/{page}.md").read_text("utf-8").lower()
        assert [word for word in words if word not in text] == [], page


@pytest.mark.req("v1.docs.doc-map", "v1.docs.other-docs-aligned")
def test_the_doc_map_names_every_page_of_the_contract():
    page = (ROOT / "references/doc-map.md").read_text("utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", page)
    assert [target for target in targets if not (ROOT / "references" / target).exists()] == []
    assert {"README.md", "README.zh-CN.md", "CHANGELOG.md"} <= {Path(target).name for target in targets}
