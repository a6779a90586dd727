"""R2: more than one actionable step, in English and Chinese, and never by single words."""

import pytest

from mi.contract.plan_detection import count_steps, list_steps

MANY = [
    # plans, approaches, checklists, ordered bullets
    "Plan:\n1. Add the flag\n2. Document it",
    "1) write the parser\n2) write its tests\n3) wire it up",
    "## Plan\n\n- Add a cache in front of the API\n- Measure the hit rate",
    "My approach:\n\n- rename the module\n- fix the imports",
    "Here is what I'll do:\n* read the config\n* change the default",
    "Next steps:\n- deploy\n- watch the logs",
    "- [ ] parser\n- [ ] writer",
    "* [x] read the spec\n* [ ] change the code",
    "Tasks\n\n1. a thing\n\nsome words about it\n\n2. another thing",
    # first / then / next
    "First I'll read the config, then change the default.",
    "First, update the schema. Next, migrate the data. Finally, drop the column.",
    "To start, I will add a failing test; after that, fix the parser.",
    "I will start by moving the file and then fix the imports.",
    "first run the linter, then push the branch",
    "Firstly, we need to back up the table. Secondly, delete the rows.",
    # without a first
    "I will read the config, then update the schema, and finally run the migration.",
    "I'm going to update the parser. After that I'll add tests.",
    "We need to refactor the parser and then update the docs.",
    "Let me mend the import, then run the tests.",
    "To fix this, I need to: (1) update the parser, (2) add a test.",
    "a) read the file\nb) fix it",
    # step by step
    "Step 1: parse the file. Step 2: write it back.",
    "Step one - find the bug\nStep two - fix it",
    # Chinese
    "计划：\n1. 加上开关\n2. 写文档",
    "1、改配置\n2、跑测试",
    "步骤如下：\n- 先改解析器\n- 再改测试",
    "首先修改配置，然后重启服务。",
    "先备份数据库，再删除旧表，最后验证。",
    "第一步：读配置\n第二步：改默认值",
    "一、整理需求\n二、实现接口",
    "接下来我会：\n- 重命名模块\n- 修复导入",
    "（1）写解析器\n（2）写测试",
    "- [ ] 写代码\n- [ ] 写测试",
    "① 修改解析器\n② 运行测试",
]
FEW = [
    "",
    "Fix the typo in the README.",
    "I'll add the flag.",
    "1. Add the flag",
    "- [ ] one thing",
    "Step 1: parse the file.",
    # single words are no sequence
    "The first argument is the path.",
    "Then the function returns None.",
    "The next release is in May.",
    "Use the first match; the last one wins.",
    "This is the plan file of the project.",
    "It finally works.",
    "First of all, thank you.",
    # what was done, or is
    "First I read the config and then I already changed the default, which I had tested.",
    "We first had a cache, then it was removed.",
    "The first test failed, then passed.",
    "You asked first about x and then about y.",
    "I'll fix the parser, and then we are done.",
    "I will fix the parser; after that the tests pass again.",
    "I need to know whether you want (1) the parser or (2) the writer.",
    # bullets that are no steps
    "Summary of the tasks done:\n- read it\n- wrote it",
    "The module has:\n- a parser\n- a writer",
    "Supported formats:\n- JSON\n- YAML",
    # numbers that are no steps
    "3. is the answer",
    "Version 1.2 came out, 2.0 follows.",
    "2024. was a good year\n2025. was better",
    # code is not a plan of the agent's
    "```\n1. one\n2. two\n```",
    "```sh\n- [ ] a\n- [ ] b\n```",
    # Chinese
    "修复 README 里的错字。",
    "第一个参数是路径。",
    "然后函数返回空值。",
    "这是项目的计划文件。",
    "首先感谢你的反馈。",
    "先前的版本没有这个问题。",
    "首先我改了配置，然后跑过测试了。",
    "我先读了代码，然后修好了它。",
    "已完成的任务：\n- 读代码\n- 改代码",
    "支持的格式：\n- JSON\n- YAML",
    "1. 加上开关",
]


@pytest.mark.req(
    *("ac.r2.pure-function", "ac.r2.english-table", "ac.r2.chinese-table", "tm.def.task-identification"),
    *("tm.def.ident-plan", "tm.def.ident-approach", "tm.def.ident-checklist", "tm.def.ident-ordered-bullets"),
    *("tm.def.ident-first-then-next", "tm.def.ident-step-by-step"),
)
@pytest.mark.parametrize("text", MANY)
def test_more_than_one_step(text):
    assert count_steps(text) > 1


@pytest.mark.req("ac.r2.no-single-words", "ac.r2.english-table", "ac.r2.chinese-table")
@pytest.mark.parametrize("text", FEW)
def test_no_more_than_one_step(text):
    assert count_steps(text) <= 1


@pytest.mark.parametrize(
    ("text", "count"),
    [(MANY[0], 2), (MANY[1], 3), ("1. a\n2. b\n3. c\n\n1. d\n2. e", 3), ("先备份数据库，再删除旧表，最后验证。", 3)],
)
def test_how_many(text, count):
    assert count_steps(text) == count


@pytest.mark.req("ac.r2.reads-declared-plan")
@pytest.mark.parametrize(
    ("title", "subtasks", "count"),
    [("Ship it", [], 1), ("Ship it", ["build", "test"], 2), ("First build it, then ship it", [], 2), ("x", [" "], 1)],
)
def test_a_declared_task(title, subtasks, count):
    assert list_steps(title, subtasks) == count


def test_long_and_hostile_text_takes_no_time():
    for text in (
        "first a " * 20_000,
        "1. a\n" * 50_000,
        "then " * 50_000,
        "- " * 100_000,
        "先" * 100_000,
        "`" * 100_000,
    ):
        count_steps(text)
