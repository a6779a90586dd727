"""Rules against rules: what says the same, what only sounds like it, and what says all that another says."""

import pytest

from mi.learning.same_rule import are_alike, states

SAME = [
    ("Run the tests before you say done.", "run the tests, before you say done"),
    ("Always ask before pushing to main", "Always ask before pushing to the main"),
    ("Prefer pytest over unittest.", "prefer `pytest` over unittest"),
    ("Ask before deleting a file.", "Please ask before deleting files."),
    ("Never push to main.", "Do not push to main."),
    ("Don't push to main", "Never push to the main."),
    ("Before each commit, run the linter.", "Run the linter before each commit."),
    ("If a test is slow, mark it.", "Mark it if a test is slow."),
    ("Keep lines under 100 characters.", "keep lines under 100 characters!"),
    ("Use C++ for the core.", "use c++ for core"),
    ("Write the changelog by hand.", "Write  the CHANGELOG by hand"),
    ("提交之前先跑测试", "提交之前，先跑测试。"),
    ("请先问我", "先问我。"),
    ("不要推送到主分支", "别推送到主分支"),
    ("禁止删除文件", "不得删除文件。"),
    ("以后的提交都用英文", "以后提交都用英文"),
]
DIFFERENT = {
    "an object": [
        ("Ask before deleting files.", "Ask before deleting or moving files."),
        ("Ask before deleting files.", "Ask before deleting files and folders."),
        ("Use pytest for unit tests.", "Use pytest for unit tests and coverage."),
        ("Update the changelog.", "Update the changelog and the readme."),
        ("Never commit secrets.", "Never commit secrets or tokens."),
        ("Format the Python code with ruff.", "Format the Python and shell code with ruff."),
        ("删除文件之前先问我", "删除或移动文件之前先问我"),
        ("修改接口要写文档", "修改接口和配置要写文档"),
        ("不要提交密钥", "不要提交密钥和日志"),
    ],
    "another object": [
        ("Use tabs.", "Use spaces."),
        ("Push to main.", "Push to staging."),
        ("Ask me before pushing.", "Ask the team before pushing."),
        ("Prefer pytest over unittest.", "Prefer unittest over pytest."),
        ("Copy the docs from site to wiki.", "Copy the docs from wiki to site."),
        ("Write tests for the parser.", "Write tests for the printer."),
        ("用制表符缩进", "用空格缩进"),
        ("推送到主分支", "推送到测试分支"),
        ("先问我", "先问他"),
    ],
    "a condition": [
        ("Ask before pushing.", "Ask before pushing if the tests fail."),
        ("Run the linter.", "Run the linter when Python files changed."),
        ("Squash the commits.", "Squash the commits unless I say otherwise."),
        ("Update the lock file.", "Update the lock file only after asking."),
        ("Ask before pushing.", "Ask before pushing at night."),
        ("Write a test first.", "Write a test first for bugs."),
        ("推送之前先问我", "如果测试失败，推送之前先问我"),
        ("更新锁文件", "问过我才更新锁文件"),
        ("合并提交", "除非我另说，合并提交"),
    ],
    "a negation": [
        ("Always push to main.", "Never push to main."),
        ("Push to main.", "Do not push to main."),
        ("Ask before pushing.", "Never ask before pushing."),
        ("Push after asking.", "Push without asking."),
        ("Use mocks in tests.", "Avoid mocks in tests."),
        ("Keep the old API.", "Don't keep the old API."),
        ("There are tests.", "There are no tests."),
        ("提交之前要问我", "提交之前不要问我"),
        ("需要写注释", "不需要写注释"),
        ("可以推送", "不可以推送"),
    ],
    "a scope": [
        ("Ask before deleting files.", "Ask before deleting files in src."),
        ("Ask before deleting files.", "Ask before deleting any files."),
        ("Use type hints.", "Use type hints in public functions."),
        ("Run the tests.", "Run the tests of the changed module."),
        ("Never push to main.", "Never push to main or release branches."),
        ("Ask before pushing.", "Ask before every pushing."),
        ("Keep functions short.", "Keep functions short in this project."),
        ("删除文件之前先问我", "删除源码文件之前先问我"),
        ("运行测试", "运行全部测试"),
        ("写类型注解", "公共函数写类型注解"),
    ],
    "a number, a time, an order": [
        ("Keep lines under 100 characters.", "Keep lines under 120 characters."),
        ("Retry 3 times.", "Retry 5 times."),
        ("Run the tests before each commit.", "Run the tests after each commit."),
        ("Run the tests, then commit.", "Commit, then run the tests."),
        ("Use Python 3.11.", "Use Python 3.12."),
        ("每行不超过 100 个字符", "每行不超过 120 个字符"),
        ("提交之前跑测试", "提交之后跑测试"),
    ],
    "nothing": [("", "Use tabs."), ("", ""), ("…", "!")],
}
PAIRS = [(what, one, other) for what, pairs in DIFFERENT.items() for one, other in pairs]


@pytest.mark.req("alive.learn.near-is-not-same")
@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_words_but_for_what_tells_nothing_say_the_same(one: str, other: str) -> None:
    assert are_alike(one, other)
    assert are_alike(other, one)


@pytest.mark.req("alive.learn.near-is-not-same")
@pytest.mark.parametrize(("what", "one", "other"), PAIRS)
def test_near_is_not_the_same(what: str, one: str, other: str) -> None:
    assert not are_alike(one, other), what
    assert not are_alike(other, one), what


@pytest.mark.parametrize(
    ("text", "rule", "stated"),
    [
        ("Ask before deleting or moving files.", "Ask before deleting files.", True),
        ("Ask before deleting or moving files.", "Ask before moving files.", True),
        ("Ask before deleting, moving or renaming files.", "Ask before moving files.", True),
        ("Ask before pushing and never delete files.", "Ask before pushing.", True),
        ("Ask before pushing and never delete files.", "Never delete files.", True),
        ("Ask before pushing. Use tabs.", "Use tabs.", True),
        ("Before pushing, run all checks and ask me.", "Ask me before pushing.", True),
        ("Before pushing, run all checks and ask me.", "Run all checks before pushing.", True),
        ("删除或移动文件之前先问我", "删除文件之前先问我", True),
        ("删除、移动文件之前先问我", "移动文件之前先问我", True),
        ("Ask before pushing to main.", "Ask before pushing.", False),
        ("Ask before pushing to main and staging.", "Ask before pushing.", False),
        ("Ask before pushing, if the tests fail.", "Ask before pushing.", False),
        ("If the tests fail, ask before pushing and tell me.", "Ask before pushing.", False),
        ("Ask before pushing only at night.", "Ask before pushing.", False),
        ("Never ask before pushing.", "Ask before pushing.", False),
        ("Push to main.", "Never push to main.", False),
        ("Use tabs.", "Ask before pushing.", False),
        ("如果测试失败，推送之前先问我", "推送之前先问我", False),
        ("推送之前不用先问我", "推送之前先问我", False),
        ("Use tabs.", "", False),
    ],
)
def test_a_rule_is_stated_by_what_adds_to_it_and_not_by_what_narrows_it(text: str, rule: str, stated: bool) -> None:
    assert states(text, rule) is stated
