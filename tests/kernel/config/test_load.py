import pytest

from mi.kernel.config.load import check, load, read_raw
from mi.kernel.config.types import Config
from mi.kernel.errors import BadConfig
from mi.kernel.messages import text

ALL_TOOLS = ("memory", "tasks", "nexus", "governance")


def lines(raw) -> list[str]:
    """What `config validate` would say."""
    return [text(f"config.{p.code}", path=p.path, value=p.value, hint=p.hint) for p in check(raw).problems]


def test_no_file_is_the_default(home):
    assert load(home.config) == (Config(), [])


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ({"langage": "zh"}, 'langage = "zh": unknown key; did you mean language?'),
        (
            {"mind": {"openai_compatible": {"modle": "x"}}},
            'mind.openai_compatible.modle = "x": unknown key; did you mean mind.openai_compatible.model?',
        ),
        (
            {"runtime": {"interupt": {"mode": "off"}}},
            'runtime.interupt = {"mode":"off"}: unknown key; did you mean runtime.interrupt?',
        ),
        ({"mcp": {"zzz": 1}}, "mcp.zzz = 1: unknown key; did you mean mcp.tools?"),
    ],
)
def test_an_unknown_key_is_named_with_its_value_and_the_nearest_known_one(raw, line):
    assert lines(raw) == [line]


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ({"hands": {"provider": "codx"}}, 'hands.provider = "codx": must be auto|claude|cli|codex|replay'),
        ({"runtime": {"limits": {"batches": "8"}}}, 'runtime.limits.batches = "8": must be integer or null'),
        ({"runtime": {"limits": {"minutes": "soon"}}}, 'runtime.limits.minutes = "soon": must be number or null'),
        ({"runtime": {"workflows": {"auto_mine": 1}}}, "runtime.workflows.auto_mine = 1: must be true|false"),
        ({"hands": {"codex": {"args": "--x"}}}, 'hands.codex.args = "--x": must be list of text'),
        ({"hands": {"cli": {"env": []}}}, "hands.cli.env = []: must be object"),
        ({"hands": "codex"}, 'hands = "codex": must be object'),
        ({"hands": {"codex": {"path": None}}}, "hands.codex.path = null: must be text"),
        (
            {"notify": 7},
            "notify = 7: must be text or list of objects (kind: command|desktop|ntfy|webhook, command: text, "
            "url: text, token_env: text, events: list of blocked|done|drained|failed|limit|question)",
        ),
        ({"version": "v9"}, 'version = "v9": must be v1'),
        (
            {"runtime": {"interrupt": {"signal_sequence": ["SIGFOO"]}}},
            'runtime.interrupt.signal_sequence = ["SIGFOO"]: must be list of SIGINT|SIGKILL|SIGTERM',
        ),
    ],
)
def test_a_wrong_type_is_named_with_its_value_and_what_it_must_be(raw, line):
    assert lines(raw) == [line]


def test_what_is_wrong_costs_only_itself():
    loaded = check({"language": "zh", "hands": {"provider": 5, "codex": {"path": "/bin/codex"}, "new": 1}, "mind": 7})
    assert [problem.path for problem in loaded.problems] == ["hands.provider", "hands.new", "mind"]
    assert loaded.config.language == "zh"
    assert loaded.config.hands.provider == "auto"
    assert loaded.config.hands.codex.path == "/bin/codex"
    assert loaded.config.mind == Config().mind


@pytest.mark.req("mi.config.store-transcript-refused")
def test_the_transcript_is_always_stored():
    _refused("store_raw_transcript")


@pytest.mark.req("mi.config.store-evidence-refused")
def test_the_evidence_is_always_stored():
    _refused("store_evidence_log")


def _refused(name: str) -> None:
    raw = {"runtime": {"transparency": {name: False}}}
    assert lines(raw) == [
        f"runtime.transparency.{name} = false: refused, must be true; the log is what undo and resume work from"
    ]
    assert getattr(check(raw).config.runtime.transparency, name) is True
    assert check({"runtime": {"transparency": {name: True}}}).problems == []


@pytest.mark.req("mi.config.api-key-warned", "mi.config.api-key-env-documented")
def test_a_key_in_the_file_works_is_warned_about_and_not_repeated():
    loaded = check({"mind": {"anthropic": {"api_key": "plain-words-0815"}}})
    assert loaded.config.mind.anthropic.api_key == "plain-words-0815"
    (problem,) = loaded.problems
    assert (problem.code, problem.hint) == ("api-key-in-file", "mind.anthropic.api_key_env")
    assert "0815" not in problem.value


@pytest.mark.parametrize(
    "raw",
    [
        {"mind": {"anthropic": {"api_key": ["hunter2-0815-secret"]}}},
        {"mind": {"anthropic": {"apikey": "hunter2-0815-secret"}}},
        {"mind": {"anthropic": {"api_token": "hunter2-0815-secret"}}},
        {"mind": {"anthropic": {"password": "hunter2-0815-secret"}}},
        {"mindd": {"anthropic": {"api_key": "hunter2-0815-secret"}}},
        {"note": "sk-ant-api03-hunter2-0815-secret-0123456789"},
    ],
)
def test_a_secret_in_the_wrong_place_is_not_repeated(raw):
    (line,) = lines(raw)
    assert "0815" not in line


def test_a_long_value_is_shortened():
    (line,) = lines({"note": "words " * 1000})
    assert len(line) < 400


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        ('{"language": "zh",\n "notify": }', 2, 12),
        ('{\n  "mind": {\n    "provider": "规则"\n    "models": {}\n  }\n}', 4, 5),
        ('{"language": "zh"', 1, 18),
        ("", 1, 1),
    ],
)
def test_malformed_json_is_named_by_line_and_column(home, tmp_path, content, line, column):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.json").write_text(content, "utf-8")
    for read in (read_raw, load):
        with pytest.raises(BadConfig) as caught:
            read(home.config)
        assert caught.value.code == "config-syntax"
        assert caught.value.line().startswith(f"{home.config}, line {line}, column {column}: ")


@pytest.mark.parametrize("content", ["[]", "null", '"text"', "5"])
def test_json_that_is_no_object_is_refused(home, tmp_path, content):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.json").write_text(content, "utf-8")
    with pytest.raises(BadConfig) as caught:
        load(home.config)
    assert caught.value.code == "config-not-object"
    assert home.config in caught.value.line()


@pytest.mark.req("one.setup.profile")
@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ({}, ("light", "irreversible", "light", "GUARDED", ("memory", "tasks"), ("permissions",))),
        ({"profile": "light"}, ("light", "irreversible", "light", "GUARDED", ("memory", "tasks"), ("permissions",))),
        (
            {"profile": "team", "mcp": {"tools": []}, "hooks": {}},
            ("team", "advise", "standard", "GUARDED", ALL_TOOLS, ("permissions", "contract", "nexus")),
        ),
        (
            {"profile": "strict", "governance": {"preflight": "off"}, "mcp": {"tools": ["memory"]}},
            ("strict", "off", "strict", "STRICT", ("memory",), ("permissions", "contract", "nexus")),
        ),
    ],
)
def test_one_word_sets_what_belongs_together_and_single_settings_win(raw, seen):
    config, problems = check(raw)
    governed = (config.governance.preflight, config.governance.profile, config.contract.least_mode)
    assert (config.profile, *governed, config.mcp.tools, config.hooks.enforce) == seen
    assert problems == []


@pytest.mark.req("one.setup.profile")
def test_a_profile_there_is_not_is_named_and_light_holds():
    assert lines({"profile": "loose"}) == ['profile = "loose": must be light|strict|team']
    assert check({"profile": "loose"}).config == Config()
    assert lines({"profile": "team", "mcp": 7}) == ["mcp = 7: must be object"]
