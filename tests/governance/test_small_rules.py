"""Rules that people met in small: pace, ranges, lists in one line, orders of a verb and an object, one small file."""

import pytest

from mi.contract.plan_detection import count_steps
from mi.governance.change_units import count
from mi.governance.signals import find_signals
from tests.conftest import git
from tests.persona.conftest import put_card


@pytest.mark.req("one.smaller.pace")
@pytest.mark.parametrize(
    ("message", "levels"),
    [
        ("urgent! but S2 only", (2,)),
        ("ASAP at S2", (2,)),
        ("urgent: fix the login at S2", (2,)),
        ("ASAP, pace S3", (3,)),
        ("急！但只要S2", (2,)),
        ("urgent, upload it to S3", (1, 3)),
        ("ASAP: look at S3", (1, 3)),
        ("put it on S3 ASAP", (1, 3)),
    ],
)
def test_an_explicit_pace_replaces_that_of_urgency(message, levels):
    assert find_signals(message).speed == levels


@pytest.mark.req("one.smaller.orders")
@pytest.mark.parametrize(
    ("message", "triggers"),
    [
        ("fire Bob", ("T4",)),
        ("let Bob go", ("T4",)),
        ("sack Alice today", ("T4",)),
        ("dismiss the contractor", ("T4",)),
        ("delete old user data", ("T3",)),
        ("purge all customer records", ("T3",)),
        ("删除旧的订单数据", ("T3",)),
        ("choose between react and vue", ("T5",)),
        ("switch from Flask to Django", ("T5",)),
        ("React 还是 Vue？", ("T5",)),
        ("fire the event handler", ()),
        ("Fire OnClick when it loads", ()),
        ("dismiss the modal", ()),
        ("delete the user data form", ()),
        ("delete unused imports", ()),
        ("add a test for the React component", ()),
        ("choose between tabs and spaces", ()),
    ],
)
def test_a_verb_and_what_it_is_done_to_triggers(message, triggers):
    assert find_signals(message).triggers == triggers


@pytest.mark.req("one.smaller.inline-steps")
@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. a 2. b 3. c", 3),
        ("Plan: 1) read it 2) write it", 2),
        ("1、读 2、写 3、测", 3),
        ("either 1. a or 2. b", 0),
        ("Done: 1. a 2. b", 0),
        ("see 1. and then 3.", 0),
    ],
)
def test_steps_in_one_line_are_seen(text, steps):
    assert (count_steps(text) if steps else count_steps(text) < 2) == (steps or True)


@pytest.mark.req("one.smaller.batch")
def test_an_assessment_warns_from_four_units_and_gives_a_first_batch_above_five(gate):
    assert "warnings" not in gate("assess", "--change-units", "3", "--json").json
    four = gate("assess", "--change-units", "4", "--json").json
    assert "at most 5" in four["warnings"][0]
    assert "first_batch" not in four
    assert gate("assess", "--change-units", "9", "--json").json["first_batch"] == [{"units": 5}]


@pytest.mark.req("one.smaller.batch")
def test_a_tasks_own_list_is_its_first_batch(gate):
    found = gate("assess", "1. add a 2. add b 3. add c 4. add d 5. add e 6. add f", "--json")
    assert (found.code, found.json["review"]["split"]) == (3, "suggest")
    assert [one["item"] for one in found.json["first_batch"]] == [f"add {letter}" for letter in "abcde"]
    assert "first batch: add a, add b" in gate("assess", "1. add a 2. add b 3. c 4. d 5. e 6. f").out


@pytest.mark.req("one.smaller.ranges")
def test_a_range_of_git_is_counted_without_what_lies_in_the_work_tree(gate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-qb", "main")
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"{name}\n", "utf-8")
        git(tmp_path, "add", name)
        git(tmp_path, "commit", "-qm", name)
        git(tmp_path, "tag", f"with-{name}")
    git(tmp_path, "checkout", "-qb", "side", "with-a")
    (tmp_path / "c").write_text("c\n", "utf-8")
    git(tmp_path, "add", "c")
    git(tmp_path, "commit", "-qm", "c")
    (tmp_path / "d").write_text("not committed\n", "utf-8")

    def changed(revision: str) -> list[str]:
        return [one["path"] for one in gate("diff", revision, "--json").json["files"]]

    assert changed("with-a..with-b") == ["b"]
    assert changed("main..side") == ["b", "c"]  # the two ends
    assert changed("main...side") == ["c"]  # since they parted
    assert changed("with-a..") == ["c"]
    assert changed("with-a") == ["c", "d"]
    for unknown in ("with-a..nothing", "nothing..main", "^main"):
        found = gate("diff", "--", unknown)
        assert (found.code, unknown in found.err) == (1, True)


@pytest.mark.req("one.smaller.one-file")
def test_many_small_hunks_of_one_file_are_not_to_be_split(gate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-qb", "main")
    lines = [f"{number}\n" for number in range(300)]
    (tmp_path / "a.txt").write_text("".join(lines), "utf-8")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "-qm", "a")

    def change(*numbers: int) -> dict:
        new = [line if number not in numbers else f"{number}!\n" for number, line in enumerate(lines)]
        (tmp_path / "a.txt").write_text("".join(new), "utf-8")
        return gate("diff", "--json").json

    small = change(*range(0, 110, 10))
    assert (small["change_units"], small["review"]["level"], small["review"]["split"]) == (11, "offer", "none")
    assert "split it" not in gate("diff").out
    large = change(*range(0, 300, 10))  # 60 lines
    assert (large["change_units"], large["review"]["split"]) == (30, "suggest")
    (tmp_path / "b.txt").write_text("x\n", "utf-8")
    change(*range(0, 110, 10))
    assert "split it" in gate("diff").out  # two files


@pytest.mark.req("one.smaller.one-file")
def test_a_high_risk_wants_review_and_confirmation_of_one_small_file_too():
    from mi.governance.review_gate import review_gate

    found = review_gate(11, 4, together=True)
    assert (found.level, found.confirm, found.split) == ("required", True, "none")
    assert count("").together is False


@pytest.mark.req("one.smaller.permission")
def test_a_tool_says_its_operation_itself(gate):
    push = gate("permission", "Bash", "git push", "--json")
    assert (push.code, push.json["decision"], push.json["operation"]) == (3, "PROMPT", "push")
    assert push.json == gate("permission", "Bash", "run", "git push", "--json").json
    assert gate("permission", "Edit", ".env", "--json").json["operation"] == "edit-secrets"
    assert gate("permission", "frobnicate", "git push").code == 2


@pytest.mark.req("one.smaller.empty")
@pytest.mark.parametrize(
    "args", [("assess", ""), ("signals", " "), ("permission", "", ""), ("diff", ""), ("assess", "--task", "")]
)
def test_an_empty_argument_is_a_usage_error(gate, args):
    found = gate(*args)
    assert (found.code, "needs a value" in found.err) == (2, True)


@pytest.mark.req("one.smaller.cites")
@pytest.mark.parametrize(
    ("message", "cited"),
    [
        ("use sqlite for the storage, not PostgreSQL", ["P-001"]),
        ("switch the database to MongoDB", ["P-001"]),
        ("let us rewrite it in PHP", ["P-002"]),
        ("add an index to the PostgreSQL database", []),
        ("cache the sessions in Redis", []),
    ],
)
def test_a_message_against_an_active_card_cites_it(gate, tmp_path, monkeypatch, message, cited):
    from mi.persona.make import make
    from mi.persona.place import PersonaView

    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    persona = PersonaView(str(tmp_path / "persona"), "mi")
    make(persona)
    put_card(persona, "P-001", title="We use PostgreSQL for every database", merge_key="postgres", body="One store.")
    put_card(persona, "P-002", title="Never use PHP", merge_key="no-php", body="Nobody here knows it.")
    found = gate("signals", message, "--json").json
    assert found.get("contradicts", []) == cited
    assert ("T2" in found["triggers"]) == bool(cited)
    assert all(card in gate("signals", message).out for card in cited)
