import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mi.evidence.log import EvidenceWriter
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.settings import SETTINGS, effective, set_settings
from mi.knowledge.thoughts.store import ThoughtStore


class Place:
    """A home's global store and the store of one project, each with its log."""

    def __init__(self, home: Home) -> None:
        notices = Notices()
        project = home.project("p1")
        self.logs = {"global": home.evidence, "project": project.evidence}
        self.stores = {
            "global": ThoughtStore(home.thoughts, "global", "", notices),
            "project": ThoughtStore(project.thoughts, "project", "p1", notices),
        }

    def say(self, scope: str, **wanted: str) -> str:
        writer = EvidenceWriter.for_command(self.logs[scope], Notices())
        return set_settings(self.stores[scope], writer, wanted).event_id

    def value(self, name: str) -> tuple[str, str]:
        one = effective([self.stores["project"], self.stores["global"]])[name]
        return one.value, one.source


@pytest.fixture
def place(home) -> Place:
    return Place(home)


def test_without_a_word_the_defaults_hold(place, home):
    assert place.value("ask_when_uncertain") == ("ask", "default")
    assert place.value("refactor_intent") == ("behavior_preserving", "default")
    assert not home.exists()


@pytest.mark.req("mi.fail.settings-toggle")
def test_a_setting_toggled_back_and_forth_is_what_was_said_last(place):
    for value in ["proceed", "ask", "proceed", "proceed", "ask", "proceed", "ask"]:
        place.say("global", ask_when_uncertain=value)
        assert place.value("ask_when_uncertain") == (value, "global")
    assert len(place.stores["global"].active("mi:setting:ask_when_uncertain")) == 1


def test_the_projects_word_goes_before_the_global_one(place):
    place.say("global", ask_when_uncertain="proceed", refactor_intent="behavior_changing")
    place.say("project", ask_when_uncertain="ask")
    assert place.value("ask_when_uncertain") == ("ask", "project")
    assert place.value("refactor_intent") == ("behavior_changing", "global")
    place.say("global", ask_when_uncertain="ask")
    place.say("project", ask_when_uncertain="proceed")
    assert place.value("ask_when_uncertain") == ("proceed", "project")


@pytest.mark.req("v1.emit.settings-set", "v1.storage.project-claims", "v1.storage.project-evidence")
def test_the_event_comes_first_and_the_claims_cite_it(place, home):
    event_id = place.say("project", ask_when_uncertain="proceed", refactor_intent="behavior_changing")
    folder = Path(home.root, "projects/p1")
    (event,) = [json.loads(line) for line in (folder / "evidence.jsonl").read_bytes().splitlines()]
    assert (event["kind"], event["event_id"], event["scope"]) == ("settings_set", event_id, "project")
    assert event["settings"] == {"ask_when_uncertain": "proceed", "refactor_intent": "behavior_changing"}
    claims = [json.loads(line) for line in (folder / "thoughtdb/claims.jsonl").read_bytes().splitlines()]
    assert [claim["source_refs"][0]["event_id"] for claim in claims] == [event_id] * 2
    assert [(claim["scope"], claim["project_id"], claim["origin"]) for claim in claims] == [
        ("project", "p1", "user")
    ] * 2
    assert [claim["tags"] for claim in claims] == [
        ["mi:setting:ask_when_uncertain", "mi:value:proceed"],
        ["mi:setting:refactor_intent", "mi:value:behavior_changing"],
    ]
    assert {claim["claim_type"] for claim in claims} == {"preference"}


@pytest.mark.req("mi.trust.hands-never-setting")
@pytest.mark.parametrize(("origin", "heard"), [("user", True), ("import", True), ("mind", False), ("hands", False)])
def test_a_setting_is_nobodys_to_say_but_the_persons(place, origin, heard):
    store = place.stores["global"]
    claim = store.new_claim("Go on.", ["mi:setting:ask_when_uncertain", "mi:value:proceed"], "ev_1", origin)
    store.add_claims([claim])
    assert place.value("ask_when_uncertain")[0] == ("proceed" if heard else "ask")


def test_a_retracted_setting_falls_back_and_can_be_set_again(place):
    place.say("global", ask_when_uncertain="proceed")
    (claim,) = place.stores["global"].active("mi:setting:*")
    place.stores["global"].retract([claim.claim_id], "undo", "ev_1")
    assert place.value("ask_when_uncertain") == ("ask", "default")
    place.say("global", ask_when_uncertain="proceed")
    assert place.value("ask_when_uncertain") == ("proceed", "global")


def test_a_kill_between_the_claim_and_its_edge_keeps_the_last_word(place):
    place.say("global", ask_when_uncertain="proceed")
    place.say("global", ask_when_uncertain="ask")
    Path(place.stores["global"].files.edges).unlink()  # the edge never reached the disk
    assert place.value("ask_when_uncertain") == ("ask", "global")
    place.say("global", ask_when_uncertain="proceed")
    assert place.value("ask_when_uncertain") == ("proceed", "global")


def test_a_value_of_a_newer_version_is_not_taken(place):
    store = place.stores["global"]
    store.add_claims([store.new_claim("x", ["mi:setting:ask_when_uncertain", "mi:value:telepathy"], "ev_1", "user")])
    store.add_claims([store.new_claim("x", ["mi:setting:unheard_of", "mi:value:ask"], "ev_1", "user")])
    assert place.value("ask_when_uncertain") == ("ask", "default")


def test_every_value_stands_for_a_sentence_of_its_own():
    sentences = [text for setting in SETTINGS.values() for text in setting.sentences.values()]
    assert len(set(sentences)) == len(sentences)
    assert {name: setting.default for name, setting in SETTINGS.items()} == {
        "ask_when_uncertain": "ask",
        "refactor_intent": "behavior_preserving",
        "prove": "no",
    }


WORDS = list(itertools.product(["global", "project"], [(name, v) for name, s in SETTINGS.items() for v in s.sentences]))


@pytest.mark.req("mi.fail.settings-toggle")
@settings(deadline=None, max_examples=15)
@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_whatever_is_said_in_whatever_order_the_last_word_of_the_nearest_scope_holds(tmp_path_factory, said):
    place = Place(Home(str(tmp_path_factory.mktemp("home"))))
    last: dict[tuple[str, str], str] = {}
    for scope, (name, value) in said:
        place.say(scope, **{name: value})
        last[scope, name] = value
    for name, setting in SETTINGS.items():
        wanted = last.get(("project", name), last.get(("global", name), setting.default))
        assert place.value(name)[0] == wanted
