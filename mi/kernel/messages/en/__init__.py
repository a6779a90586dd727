"""English texts: base.py for what every command may say, one module for each area that only some commands touch."""

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
TABLES = {"TEXT": ("base", *_AREAS)}
