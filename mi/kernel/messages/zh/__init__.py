"""中文文本：base.py 为各命令共用，其余每个领域一个模块；help.py 为命令帮助，words.py 为记录中的用词。"""

_AREAS = (
    "run",
    "learning",
    "workflows",
    "contract",
    "nexus",
    "governance",
    "persona",
    "everyday",
    "checks",
    "proof",
    "bench",
    "restore",
    "notify",
    "queue",
    "hub",
    "report",
    "race",
    "trees",
    "web",
    "web_run",
    "web_knowledge",
    "web_why",
    "stories",
    "plain",
)
TABLES = {"TEXT": ("base", *_AREAS), "HELP": ("help", *_AREAS), "WORDS": ("words",)}
