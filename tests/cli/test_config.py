"""`mi config`: every subcommand, and mistakes that are named."""

import json
import os
import re
from pathlib import Path

import pytest

from mi.kernel.config.load import check
from mi.kernel.config.templates import TEMPLATES


@pytest.mark.req("v1.cli.config-init", "v1.cli.config-location", "v1.cli.config-path", "v1.storage.config-json")
def test_init_and_path(mi, home):
    assert mi("config", "path").stdout == f"{home.config}\n"
    assert json.loads(mi("config", "path", "--json").stdout) == {"path": home.config}
    done = mi("config", "init")
    assert (done.returncode, done.stdout) == (0, f"{home.config} written with every default.\n")
    assert os.stat(home.config).st_mode & 0o777 == 0o600
    before = Path(home.config).read_bytes()
    done = mi("config", "init")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"mi: {home.config} exists already")
    assert Path(home.config).read_bytes() == before
    shown = json.loads(mi("config", "init", "--force", "--json").stdout)
    assert Path(shown["backup"]).read_bytes() == before
    assert mi("config", "validate").stdout == f"{home.config}: all right.\n"


@pytest.mark.req("v1.cli.config-location", "v1.storage.home-default")
def test_default_home(mi, tmp_path: Path):
    where = tmp_path / "user/.mind-incarnation/config.json"
    assert mi("config", "path", env={"MI_HOME": ""}).stdout == f"{where}\n"


@pytest.mark.req("v1.cli.config-show", "mi.config.api-key-never-shown", "v1.prov.two-roles")
def test_show_is_effective_and_hides_keys(mi, home):
    mine = {
        "mind": {"provider": "anthropic", "anthropic": {"api_key": "short", "api_key_env": "ANTHROPIC_API_KEY"}},
        "hands": {"provider": "cli", "cli": {"env": {"SERVICE_TOKEN": "tk-0123456789abcdef"}, "exec": ["agent"]}},
    }
    os.makedirs(home.root)
    Path(home.config).write_text(json.dumps(mine), "utf-8")
    done = mi("config", "show")
    shown = json.loads(done.stdout)
    assert shown["mind"]["provider"] == "anthropic"
    assert shown["mind"]["anthropic"]["api_key_env"] == "ANTHROPIC_API_KEY"
    assert shown["hands"]["provider"] == "cli"
    assert shown["hands"]["cli"]["exec"] == ["agent"]
    assert shown["runtime"]["limits"]["batches"] == 8
    for name in ("show", "validate"):
        for flag in ([], ["--json"]):
            done = mi("config", name, *flag)
            assert "short" not in done.stdout + done.stderr
            assert "tk-0123456789abcdef" not in done.stdout + done.stderr
            assert done.returncode == 0


@pytest.mark.req("v1.prov.mind-openai-config")
def test_service_compatible_with_openai(mi, home):
    mi("config", "apply-template", "deepseek")
    mind = json.loads(mi("config", "show").stdout)["mind"]
    assert mind["provider"] == "openai_compatible"
    assert mind["openai_compatible"]["base_url"] == "https://api.deepseek.com/v1"
    assert mind["openai_compatible"]["model"] == "deepseek-chat"
    assert mind["openai_compatible"]["api_key_env"] == "DEEPSEEK_API_KEY"


MISTAKES = [
    ({"mind": {"provder": "rules"}}, "mind.provder", '"rules"', "mind.provider"),
    ({"runtme": {"limits": {}}}, "runtme", '{"limits":{}}', "runtime"),
    ({"hands": {"provider": "codec"}}, "hands.provider", '"codec"', "auto|claude|cli|codex|replay"),
    ({"runtime": {"limits": {"batches": "8"}}}, "runtime.limits.batches", '"8"', "integer"),
    ({"runtime": {"limits": 8}}, "runtime.limits", "8", "object"),
    ({"language": "fr"}, "language", '"fr"', "auto|en|zh"),
    ({"runtime": {"thought_db": {"enabled": "yes"}}}, "runtime.thought_db.enabled", '"yes"', "true|false"),
    ({"hands": {"codex": {"args": "x"}}}, "hands.codex.args", '"x"', "list of text"),
]


@pytest.mark.req(
    "mi.config.validate-unknown-key",
    "mi.config.validate-wrong-type",
    "mi.config.warn-once-default",
    "v1.cli.config-validate",
)
@pytest.mark.parametrize(("config", "path", "value", "hint"), MISTAKES, ids=[one[1] for one in MISTAKES])
def test_mistake_is_named_and_the_default_used(mi, home, config, path, value, hint):
    os.makedirs(home.root)
    Path(home.config).write_text(json.dumps(config), "utf-8")
    done = mi("config", "validate")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("\n") == 1
    for part in (path, value, hint):
        assert part in done.stdout
    other = mi("config", "show")  # what is shown is not what the file says, and that is said
    assert other.returncode == 0
    assert other.stderr.count("\n") == 1
    assert path in other.stderr
    assert json.loads(other.stdout)["runtime"]["limits"]["batches"] == 8


@pytest.mark.req("v1.cli.config-validate", "mi.config.validate-unknown-key", "mi.config.validate-wrong-type")
def test_mistakes_as_json(mi, home):
    os.makedirs(home.root)
    Path(home.config).write_text('{"mind": {"provder": 1}, "language": 2}', "utf-8")
    done = mi("config", "validate", "--json")
    assert done.returncode == 1
    shown = json.loads(done.stdout)
    assert shown["ok"] is False
    assert [(one["code"], one["path"], one["value"], one["hint"]) for one in shown["problems"]] == [
        ("unknown-key", "mind.provder", "1", "mind.provider"),
        ("wrong-type", "language", "2", "auto|en|zh"),
    ]


@pytest.mark.req("mi.config.store-transcript-refused", "mi.config.store-evidence-refused")
@pytest.mark.parametrize("name", ["store_raw_transcript", "store_evidence_log"])
def test_storing_cannot_be_switched_off(mi, home, name):
    os.makedirs(home.root)
    Path(home.config).write_text(json.dumps({"runtime": {"transparency": {name: False}}}), "utf-8")
    done = mi("config", "validate")
    assert done.returncode == 1
    assert f"runtime.transparency.{name} = false" in done.stdout
    assert "undo and resume" in done.stdout
    assert json.loads(mi("config", "show").stdout)["runtime"]["transparency"][name] is True


@pytest.mark.req("v1.cli.config-examples")
def test_examples(mi):
    shown = mi("config", "examples").stdout
    for name in TEMPLATES:
        assert re.search(rf"^{name} +\S", shown, re.MULTILINE)
    assert list(json.loads(mi("config", "examples", "--json").stdout)) == list(TEMPLATES)


@pytest.mark.req("v1.cli.config-template", "v1.cli.config-apply-template", "v1.cli.config-apply-backup")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.req(f"mi.config.template-{name}"))
        for name in ("codex", "claude", "claude-cli", "openai", "deepseek", "anthropic", "rules", "strict")
    ],
)
def test_template(mi, home, name):
    printed = json.loads(mi("config", "template", name).stdout)
    assert printed == TEMPLATES[name]
    os.makedirs(home.root)
    mine = {"notify": "say", "hands": {"codex": {"args": ["-q"]}}, "mine": 1}
    Path(home.config).write_text(json.dumps(mine), "utf-8")
    assert mi("config", "apply-template", name).returncode == 0
    merged = json.loads(Path(home.config).read_text("utf-8"))
    assert merged["notify"] == "say"
    assert merged["mine"] == 1
    assert merged["hands"]["codex"] == {"args": ["-q"]}
    assert contains(merged, printed)
    assert [problem.path for problem in check(merged).problems] == ["mine"]


def contains(whole, part) -> bool:
    if isinstance(part, dict):
        return all(contains(whole[name], value) for name, value in part.items())
    return whole == part


@pytest.mark.req(
    "v1.cli.config-rollback",
    "v1.cli.config-apply-backup",
    "v1.storage.config-backup",
    "v1.storage.config-last-backup",
    "v1.storage.ts-placeholder",
)
def test_rollback_restores_what_the_last_template_replaced(mi, home):
    os.makedirs(home.root)
    mine = b'{ "notify": "my own spelling" }'
    Path(home.config).write_bytes(mine)
    shown = json.loads(mi("config", "apply-template", "claude", "--json").stdout)
    backup = Path(shown["backup"])
    assert re.fullmatch(r"config\.json\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.bak", backup.name)
    assert backup.parent == Path(home.root, "backups")
    assert backup.read_bytes() == mine
    assert Path(home.root, "backups", "config.last_backup").read_text("utf-8").strip() == backup.name
    done = mi("config", "rollback")
    assert done.returncode == 0
    assert Path(home.config).read_bytes() == mine
    done = mi("config", "rollback")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing to roll back" in done.stderr


def test_rollback_without_its_backup_changes_nothing(mi, home):
    shown = json.loads(mi("config", "apply-template", "rules", "--json").stdout)
    os.unlink(shown["backup"])
    before = Path(home.config).read_bytes()
    done = mi("config", "rollback")
    assert (done.returncode, done.stdout) == (1, "")
    assert shown["backup"] in done.stderr
    assert Path(home.config).read_bytes() == before


@pytest.mark.parametrize("name", ["template", "apply-template"])
def test_unknown_template(mi, home, name):
    done = mi("config", name, "gpt")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mi: no template 'gpt'; there are: {', '.join(TEMPLATES)}\n"
    assert not os.path.exists(home.config)


BROKEN = [
    (b'{\n  "mind": {\n    "provider": rules\n  }\n}', 3, 17),
    (b'{"a": 1', 1, 8),
    (b"", 1, 1),
    (b'{"a": "\xff"}', 1, 8),
    (b"{'a': 1}", 1, 2),
]


@pytest.mark.req("mi.fail.config-line-column", "mi.fail.config-validate")
@pytest.mark.parametrize(("broken", "line", "column"), BROKEN)
def test_malformed_file_is_named_with_line_and_column(mi, home, broken, line, column):
    os.makedirs(home.root)
    Path(home.config).write_bytes(broken)
    done = mi("config", "validate")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"mi: {home.config}, line {line}, column {column}: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.req(
    "mi.fail.config-not-needed",
    "mi.fail.config-line-column",
    "mi.fail.config-validate",
    "mi.fail.config-init-force",
    "mi.fail.config-self-repair",
)
def test_malformed_file_stops_only_what_needs_it(mi, home):
    os.makedirs(home.root)
    broken = b'{"a": 1'
    Path(home.config).write_bytes(broken)
    for args in (["version", "--json"], ["--version"], ["config", "path"], ["config", "examples"], ["--help"]):
        done = mi(*args)
        assert (done.returncode, done.stderr) == (0, "")
    where = f"{home.config}, line 1, column 8: "
    for args in (["config", "show"], ["config", "apply-template", "rules"]):
        done = mi(*args)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"mi: {where}")
    as_json = mi("config", "validate", "--json")
    assert (as_json.returncode, as_json.stderr) == (1, "")
    (problem,) = json.loads(as_json.stdout)["problems"]
    assert (problem["line"], problem["column"]) == (1, 8)
    for args in (["status"], ["tail"], ["init", "--values", "Be kind."], ["settings", "show"], ["project", "pin"]):
        done = mi(*args)
        assert done.returncode == 0
        assert done.stderr.count("\n") == 1
        assert where in done.stderr
    done = mi("config", "init", "--force")
    assert (done.returncode, done.stderr) == (0, "")
    (kept,) = Path(home.backups).glob("config.json.*.bak")
    assert kept.read_bytes() == broken
    assert mi("config", "validate").returncode == 0


@pytest.mark.req("mi.config.warn-once-default")
@pytest.mark.parametrize("command", ["status", "tail", "values show", "doctor"])
def test_every_other_command_warns_once_and_goes_on(mi, home, command):
    os.makedirs(home.root)
    Path(home.config).write_text('{"runtime": {"limts": {}}}', "utf-8")
    done = mi(*command.split())
    assert done.returncode == (1 if command == "doctor" else 0)
    assert done.stderr.count("runtime.limts") == 1
    assert done.stderr.count("\n") == 1


@pytest.mark.req("mi.fail.config-line-column")
@pytest.mark.parametrize("broken", [b"[]", b"3", b'"x"', b"null"])
def test_file_that_is_no_object(mi, home, broken):
    os.makedirs(home.root)
    Path(home.config).write_bytes(broken)
    done = mi("config", "validate")
    assert done.returncode == 1
    assert done.stderr.startswith(f"mi: {home.config}: ")
    assert "init --force" in done.stderr
    assert json.loads(mi("config", "validate", "--json").stdout)["ok"] is False


@pytest.mark.req("mi.config.one-setting")
def test_one_setting_is_set_read_and_taken_out(mi, home):
    def ask(*words: str) -> str:
        done = mi("config", *words)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert ask("get", "mind.provider") == "auto\n"
    assert ask("set", "mind.provider", "rules") == (
        f"mind.provider = rules in {home.config}. Undo with mi config rollback.\n"
    )
    assert ask("get", "mind.provider") == "rules\n"
    assert json.loads(ask("get", "mind.provider", "--json")) == {
        "key": "mind.provider",
        "value": "rules",
        "in_file": True,
    }
    assert json.loads(mi("status", "--json").stdout)["providers"]["mind"] == "rules"
    ask("set", "runtime.limits.batches", "3")
    ask("set", "runtime.limits.minutes", "null")
    ask("set", "hands.cli.exec", "agent", "{prompt}")
    ask("set", "hands.codex.args", '["--search"]')
    ask("set", "hooks.enforce", "permissions")
    ask("set", "mind.models.judge", "small")
    own = json.loads(Path(home.config).read_text("utf-8"))
    assert own == {
        "mind": {"provider": "rules", "models": {"judge": "small"}},
        "runtime": {"limits": {"batches": 3, "minutes": None}},
        "hands": {"cli": {"exec": ["agent", "{prompt}"]}, "codex": {"args": ["--search"]}},
        "hooks": {"enforce": ["permissions"]},
    }
    assert json.loads(ask("get", "runtime.limits"))["batches"] == 3
    assert mi("config", "validate").returncode == 0
    ask("unset", "mind.models.judge")
    ask("unset", "runtime.limits.minutes")
    ask("unset", "runtime.limits.batches")
    own = json.loads(Path(home.config).read_text("utf-8"))
    assert "runtime" not in own
    assert own["mind"] == {"provider": "rules"}
    assert ask("unset", "language") == f"language is not in {home.config}: its default holds.\n"
    ask("set", "language", "en")
    ask("rollback")
    assert "language" not in json.loads(Path(home.config).read_text("utf-8"))


@pytest.mark.req("mi.config.one-setting")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("set", "mind.provder", "rules"), "no setting 'mind.provder'; did you mean mind.provider?"),
        (("set", "provider", "rules"), "no setting 'provider'; did you mean mind.provider?"),
        (("get", "zzz"), "no setting 'zzz'; did you mean mi config show?"),
        (("unset", "mind"), "no setting 'mind'"),
        (("set", "runtime.limits.batches", "many"), 'runtime.limits.batches = "many": must be integer'),
        (("set", "notify", '[{"kind": "nope"}]'), "notify = "),
        (("set", "hands.codex.sandbox", "off"), 'hands.codex.sandbox = "off": must be danger-full-access|'),
        (("set", "mind.anthropic.api_key", "abc"), "mi config set mind.anthropic.api_key_env NAME"),
        (("set", "runtime.transparency.store_evidence_log", "false"), "must be true"),
        (("set", "language"), "VALUE"),
    ],
)
def test_a_wrong_setting_is_named_and_changes_nothing(mi, home, words, said):
    done = mi("config", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not os.path.exists(home.config)


def test_a_secret_among_the_settings_is_not_shown(mi, home):
    os.makedirs(home.root)
    mine = {"hands": {"cli": {"env": {"SERVICE_TOKEN": "tk-0123456789abcdef"}}}}
    Path(home.config).write_text(json.dumps(mine), "utf-8")
    for words in (("hands.cli.env",), ("hands.cli.env.SERVICE_TOKEN",), ("hands.cli.env.SERVICE_TOKEN", "--json")):
        assert "tk-0123" not in mi("config", "get", *words).stdout


def test_a_section_that_is_no_object_is_said(mi, home):
    os.makedirs(home.root)
    Path(home.config).write_text('{"mind": 3}', "utf-8")
    done = mi("config", "set", "mind.provider", "rules")
    assert (done.returncode, done.stderr) == (2, "mi: mind = 3: must be object\n")
    assert Path(home.config).read_text("utf-8") == '{"mind": 3}'
