"""The tables of a memory index, and reading documents out of them."""

import sqlite3

from mi.knowledge.search.documents import Document

VERSION = 3
# Two shelves: evidence is much and rarely asked for, so the words of thoughts stay fast to look up.
SHELVES = ("thought_words", "evidence_words")
COLUMNS = ("own", "before", "after", "title", "day")
# What a match counts by where it stands: in the text itself, in what was said before and after, in the title, the date.
WEIGHTS = (1.0, 0.5, 0.35, 1.0, 1.0)
# A scope is one project, or the global part. It owns a range of row ids, so that a search in one project
# reads the matches of that project and no others. Row ids are never used twice: words are only ever
# added, and those of a removed document match a row that is not there.
SCOPE_BITS = 40
_WORDS = f"""fts5({", ".join(COLUMNS)}, content='',
    tokenize="porter unicode61 remove_diacritics 2 tokenchars '+#' categories 'L* N* Co So'")"""
# Marks lead anywhere, so each touches other pages of its indexes: the latest ones are kept in a table of their own,
# whose indexes have few pages, until it is worth it.
MARKS = ("mark", "new_mark")
_MARK = (
    """CREATE TABLE {0} (at INTEGER PRIMARY KEY, id TEXT NOT NULL, source INTEGER NOT NULL, project_id TEXT NOT NULL,
        target TEXT NOT NULL, by TEXT NOT NULL, UNIQUE (id, source))""",
    "CREATE INDEX {0}_target ON {0} (target)",
    "CREATE INDEX {0}_by ON {0} (by)",
)
_SCHEMA = (
    "CREATE TABLE scope (no INTEGER PRIMARY KEY, project_id TEXT UNIQUE NOT NULL, used INTEGER NOT NULL DEFAULT 0)",
    # Counted as it happens: counting what is there would read all of it.
    "CREATE TABLE removed (documents INTEGER NOT NULL)",
    "INSERT INTO removed VALUES (0)",
    "CREATE TABLE source (no INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, cursor TEXT NOT NULL DEFAULT '')",
    # What a search filters by comes first and the text last: a long text is then not read to pass a row over.
    """CREATE TABLE document (row INTEGER PRIMARY KEY, source INTEGER NOT NULL, kind TEXT NOT NULL,
        corrected_by TEXT NOT NULL DEFAULT '', valid_from REAL, valid_to REAL, weight REAL NOT NULL, grp TEXT,
        position INTEGER NOT NULL, project_id TEXT NOT NULL, id TEXT NOT NULL, ts TEXT NOT NULL, title TEXT NOT NULL,
        tags TEXT NOT NULL, event_ids TEXT NOT NULL, text TEXT NOT NULL)""",
    """CREATE TRIGGER document_removed AFTER DELETE ON document
        BEGIN UPDATE removed SET documents = documents + 1; END""",
    "CREATE UNIQUE INDEX document_id ON document (id, source)",
    "CREATE INDEX document_group ON document (grp, position) WHERE grp IS NOT NULL",
    *(statement.format(table) for table in MARKS for statement in _MARK),
    f"CREATE VIEW every_mark AS {' UNION ALL '.join(f'SELECT * FROM {table}' for table in MARKS)}",
    "CREATE TABLE ring (id TEXT PRIMARY KEY) WITHOUT ROWID",  # thoughts that replace each other in a circle
    *(f"CREATE VIRTUAL TABLE {shelf} USING {_WORDS}" for shelf in SHELVES),
    f"PRAGMA user_version = {VERSION}",
)
_TABLES = ("scope", "removed", "source", "document", *MARKS, "ring", *SHELVES)
FIELDS = "id, kind, text, project_id, title, ts, tags, event_ids, valid_from, valid_to, weight, grp, position"


def prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    """A connection with the tables in place; one of another version is emptied first."""
    db.isolation_level = None  # transactions are begun by hand, so that cursor and documents change together
    db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
    db.execute("PRAGMA cache_size = -32768")  # new marks lead anywhere: what they touch should be read once
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        db.execute("BEGIN IMMEDIATE")
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:  # nobody else made them meanwhile
            create(db)
        db.execute("COMMIT")
    return db


def create(db: sqlite3.Connection) -> None:
    """Make every table anew, inside the caller's transaction."""
    db.execute("DROP VIEW IF EXISTS every_mark")
    for table in _TABLES:
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _SCHEMA:
        db.execute(statement)


def shelf_of(kind: str) -> str:
    """The table that holds the words of a kind."""
    return SHELVES[kind == "evidence"]


def row_of(one: Document) -> tuple[object, ...]:
    """A document as the values of FIELDS."""
    return (*one[:6], "\n".join(one.tags), "\n".join(one.event_ids), *one[8:11], one.group or None, one.position)


def document_of(row: tuple) -> Document:  # type: ignore[type-arg]
    """A document from a row of FIELDS."""
    one = Document._make(row)
    return one._replace(
        tags=tuple(row[6].split("\n")) if row[6] else (),
        event_ids=tuple(row[7].split("\n")) if row[7] else (),
        group=row[11] or "",
    )
