"""The tables of a memory index, and reading documents out of them."""

from mi.kernel.log_view import Tables
from mi.knowledge import status
from mi.knowledge.search.documents import Document

# Two shelves: evidence is much and rarely asked for, so the words of thoughts stay fast to look up.
SHELVES = ("thought_words", "evidence_words")
VECTORS = {SHELVES[0]: "thought_vectors", SHELVES[1]: "evidence_vectors"}  # filled where search by nearness is on
COLUMNS = ("own", "before", "after", "title", "day")
# What a match counts by where it stands: in the text itself, in what was said before and after, in the title, the date.
WEIGHTS = (1.0, 0.5, 0.35, 1.0, 1.0)
# A scope is one project, or the global part. It owns a range of row ids, so that a search in one project
# reads the matches of that project and no others. Row ids are never used twice: words are only ever
# added, and those of a removed document match a row that is not there.
SCOPE_BITS = 40
_WORDS = f"""fts5({", ".join(COLUMNS)}, content='',
    tokenize="porter unicode61 remove_diacritics 2 tokenchars '+#' categories 'L* N* Co So'")"""
_STATEMENTS = (
    "CREATE TABLE scope (no INTEGER PRIMARY KEY, project_id TEXT UNIQUE NOT NULL, used INTEGER NOT NULL DEFAULT 0)",
    # Counted as it happens: counting what is there would read all of it.
    "CREATE TABLE removed (documents INTEGER NOT NULL)",
    "INSERT INTO removed VALUES (0)",
    # What a search filters by comes first and the text last: a long text is then not read to pass a row over.
    """CREATE TABLE document (row INTEGER PRIMARY KEY, source INTEGER NOT NULL, kind TEXT NOT NULL,
        corrected_by TEXT NOT NULL DEFAULT '', valid_from REAL, valid_to REAL, weight REAL NOT NULL, grp TEXT,
        position INTEGER NOT NULL, project_id TEXT NOT NULL, id TEXT NOT NULL, ts TEXT NOT NULL, title TEXT NOT NULL,
        tags TEXT NOT NULL, event_ids TEXT NOT NULL, text TEXT NOT NULL)""",
    """CREATE TRIGGER document_removed AFTER DELETE ON document
        BEGIN UPDATE removed SET documents = documents + 1;
        DELETE FROM thought_vectors WHERE row = old.row; DELETE FROM evidence_vectors WHERE row = old.row; END""",
    "CREATE UNIQUE INDEX document_id ON document (id, source)",
    "CREATE INDEX document_kind ON document (kind, ts)",
    "CREATE INDEX document_group ON document (grp, position) WHERE grp IS NOT NULL",
    *status.STATEMENTS,
    *(f"CREATE VIRTUAL TABLE {shelf} USING {_WORDS}" for shelf in SHELVES),
    *(f"CREATE TABLE {vectors} (row INTEGER PRIMARY KEY, vector BLOB NOT NULL)" for vectors in VECTORS.values()),
    """CREATE TABLE vector_state (scope INTEGER, shelf TEXT, model TEXT NOT NULL, counted INTEGER NOT NULL,
        upto INTEGER NOT NULL, weights BLOB NOT NULL, PRIMARY KEY (scope, shelf))""",
)
TABLES = Tables(6, _STATEMENTS)
FIELDS = "id, kind, text, project_id, title, ts, tags, event_ids, valid_from, valid_to, weight, grp, position"


def shelf_of(kind: str) -> str:
    """Return the table that holds the words of a kind."""
    return SHELVES[kind == "evidence"]


def row_of(one: Document) -> tuple[object, ...]:
    """Return a document as the values of FIELDS."""
    return (*one[:6], "\n".join(one.tags), "\n".join(one.event_ids), *one[8:11], one.group or None, one.position)


def document_of(row: tuple) -> Document:  # type: ignore[type-arg]
    """Return a document from a row of FIELDS."""
    one = Document._make(row)
    return one._replace(
        tags=tuple(row[6].split("\n")) if row[6] else (),
        event_ids=tuple(row[7].split("\n")) if row[7] else (),
        group=row[11] or "",
    )
