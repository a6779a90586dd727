"""The list of what the specification asks for comes from the tests' own markers."""

import json

import pytest

from tests.requirements.plugin import Requirement, conformance_list


@pytest.mark.req("gov.conf.generated", "gov.conf.not-supported", "gov.conf.never-hidden")
def test_an_item_is_supported_when_a_test_carries_it():
    wanted = {
        "mx.conf.cu": Requirement("mx.conf.cu", "", "governance", "MUST support counting."),
        "mx.conf.sync": Requirement("mx.conf.sync", "", "governance", "SHOULD support sync.", "git does it"),
        "mx.other": Requirement("mx.other", "", "governance", "MUST."),
    }
    assert json.loads(conformance_list(wanted, {"mx.conf.cu": {"tests/a.py::b"}, "mx.other": {"x"}})) == [
        {
            "id": "mx.conf.cu",
            "level": "MUST",
            "text": "MUST support counting.",
            "supported": True,
            "reason": "",
            "tests": ["tests/a.py::b"],
        },
        {
            "id": "mx.conf.sync",
            "level": "SHOULD",
            "text": "SHOULD support sync.",
            "supported": False,
            "reason": "git does it",
            "tests": [],
        },
    ]
