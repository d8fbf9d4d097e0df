"""Visibility of notes: the one condition that every query carries, and what an agent sees through a
connection; folders and tags as typed, and what begins like something typed: paths of notes, keys of
facts, tags. `AskedIndex` is an open index as one question sees it.

An ignored note has no rows; a private one is visible only where it is asked for. Search, graph and
every list build on `visible_sql`. To an agent, every note of another agent is private (`look_as`).
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import apsw

from indexer.errors import UsageError
from indexer.reading.path_meaning import AGENTS, CONVERSATIONS, DREAMS, agent_of, keeper_of
from indexer.record import NamedTuple
from indexer.rows.schema import EVERYTHING_VISIBLE
from indexer.spelling import caseless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.rows.rows import Index

_LAST_CHARACTER = "\U0010ffff"
"""Comes after every character of a key or a path."""


def visible_sql(*, private: bool) -> str:
    """The condition on `visible_note AS note` that every query of every door carries."""
    if private:
        return "1"
    return "note.private = 0"


PRIVATE_CONDITION = "note.private = 1"
"""The condition that a note says itself that it is private."""
HIDDEN_FROM_AGENT = 2
"""What column `private` of `visible_note` holds for a note of another agent."""

Who = str | frozenset[str] | None
"""Who looks: None is the person, who sees all; a name is an agent, for whom every other agent's
folder is hidden.

An agent without a name is given as the agents that keep a memory (`keepers_among`): only their
folders are hidden from it, and what else lies below `agents/` is shared. "" is the same where
nobody knows them: every folder is hidden.
"""
BELOW_AGENTS = (
    f"path > '{AGENTS.upper()}/' AND path < '{AGENTS}0' AND lower(substr(path, 1,"
    f" {len(AGENTS) + 1})) = '{AGENTS}/'"
)
"""The condition on a path that it lies below the folder of agents, in any case; 0 comes after /, A
before a."""
OF_APART = {
    CONVERSATIONS: f"note.path LIKE '{CONVERSATIONS}/%'",
    DREAMS: f"'/' || note.path LIKE '%/{DREAMS}/%'",
}
"""`apart_of` as conditions, by the folder that it names; LIKE does not look at case."""
SET_APART = f"({' OR '.join(OF_APART.values())})"
"""The condition that it names any."""
LISTING = "('/' || note.path) GLOB '*/_index.md'"
"""The condition that a note is the listing of its folder, which names all that lies there."""
_REST = f"substr(path, {len(AGENTS) + 2})"
_THEIRS = (
    f"({BELOW_AGENTS} AND instr({_REST}, '/') AND lower(substr({_REST}, 1, instr({_REST}, '/') -"
    " 1)) {})"
)
"""`is_hidden_from` as a condition on a path, with what the agent's name in lower case has to be."""
_DROP = "DROP VIEW temp.visible_note; DROP VIEW temp.visible_failed"


AGENT_RULE = "an agent is named by letters, digits, - and _, 64 at most"


def check_agent(shown: str, name: str | None) -> None:
    """UsageError for what cannot name an agent; `shown` is where it was given."""
    from indexer.usage.log_line import is_session

    if name is not None and not is_session(name):
        raise UsageError(f"{shown} cannot be {name!r}", AGENT_RULE)


def is_hidden_from(path: str, who: Who) -> bool:
    """Whether a note lies in a folder of an agent that is hidden from whoever looks."""
    owner = _lower(agent_of(path))
    if who is None or not owner:
        return False
    if isinstance(who, frozenset):
        return owner in who
    return owner != _lower(who)


def keepers_among(paths: Iterable[str]) -> frozenset[str]:
    """The agents that keep a memory: those with a daily note below `agents/NAME/memory/`, in lower
    case."""
    return frozenset(_lower(agent) for path in paths if (agent := keeper_of(path)))


def get_keepers(db: apsw.Connection) -> frozenset[str]:
    """The same of an index; a note that could not be read counts too."""
    every = (f"SELECT path FROM main.{table} WHERE {BELOW_AGENTS}" for table in ("note", "failed"))
    return keepers_among(path for (path,) in db.execute(" UNION ALL ".join(every)))


def _lower(name: str) -> str:
    """A name without case as SQLite compares it: in letters of ASCII."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def look_as(db: apsw.Connection, agent: str | None) -> Who:
    """Let the views of a connection show the vault as an agent sees it ("" has no name), or as the
    person does where that is None; who looks then.

    In `visible_note` the notes of other agents are private then, and what of them could not be read
    is not in `visible_failed`. Every query for an answer reads these views, never the tables
    themselves.
    """
    if viewer(db) is not None:
        _change(db, f"{_DROP}; DROP VIEW temp.viewer; {EVERYTHING_VISIBLE}")
    who = get_keepers(db) if agent == "" else agent
    if who is None:
        return None
    if isinstance(who, frozenset):
        name = "/".join(sorted(who))
        is_theirs = _THEIRS.format(f"IN ({','.join(map(_quoted, who))})")
    else:
        name = who
        is_theirs = _THEIRS.format(f"!= {_quoted(_lower(who))}")
    sql = (
        f"SELECT 1 FROM main.note WHERE {is_theirs} UNION ALL"
        f" SELECT 1 FROM main.failed WHERE {is_theirs} LIMIT 1"
    )
    if db.execute(sql).get is None:
        return who
    columns = [column for _, column, *_ in db.execute("PRAGMA main.table_info(note)")]
    columns[columns.index("private")] = f"iif({is_theirs}, {HIDDEN_FROM_AGENT}, private) AS private"
    _change(
        db,
        f"{_DROP}; CREATE TEMP VIEW visible_note AS SELECT {', '.join(columns)} FROM main.note;"
        f" CREATE TEMP VIEW visible_failed AS SELECT * FROM main.failed WHERE NOT {is_theirs};"
        f" CREATE TEMP VIEW viewer AS SELECT {_quoted(name)}, {isinstance(who, frozenset)}",
    )
    return who


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _change(db: apsw.Connection, sql: str) -> None:
    """Change the views of a connection, which may be one that writes nothing."""
    before = db.execute("PRAGMA query_only").get
    db.execute("PRAGMA query_only=0").fetchall()
    try:
        db.execute(sql).fetchall()
    finally:
        db.execute(f"PRAGMA query_only={before}").fetchall()


def viewer(db: apsw.Connection) -> Who:
    """Who looks through a connection that hides notes of agents, None for one that hides none; what
    is kept of answers goes by it."""
    if db.execute("SELECT 1 FROM temp.sqlite_schema WHERE name = 'viewer'").get is None:
        return None
    names, nameless = db.execute("SELECT * FROM temp.viewer").get
    if nameless:
        return frozenset(names.split("/"))
    return str(names)


class AskedIndex:
    """The `index` that is asked, None where there is none: a question sees its rows in one state,
    whoever changes them meanwhile. One that another takes the place of stays open for whoever still
    holds it, until `close`."""

    def __init__(self) -> None:
        self.index: Index | None = None
        self._before: list[Index] = []
        self._is_question = False

    @contextmanager
    def question(self) -> Iterator[None]:
        """Context of one question, or of a part of it."""
        inner = self._is_question
        self._is_question = True
        self.ask(self.index)
        try:
            yield
        finally:
            self._is_question = inner
            if not inner:
                self._move_on()

    def ask(self, index: Index | None) -> None:
        """Ask this one from now on."""
        self.index = index
        if index is not None and self._is_question and not index.db.in_transaction:
            index.db.execute("BEGIN").fetchall()

    def leave(self) -> None:
        """Ask it no more; what is still asked of it is answered from its rows as they are by
        now."""
        self._move_on()
        if self.index is not None:
            self._before.append(self.index)
        self.index = None

    def close(self) -> None:
        """Close all; a second close does nothing."""
        self.leave()
        while self._before:
            self._before.pop().close()

    def _move_on(self) -> None:
        for end in ("COMMIT", "ROLLBACK"):  # of a damaged file only the other may do
            if self.index is not None and self.index.db.in_transaction:
                with suppress(apsw.Error):
                    self.index.db.execute(end).fetchall()


def unseen(db: apsw.Connection) -> str:
    """A SELECT of the notes that an agent may not see, the private ones too; "" where no agent's
    are hidden."""
    if viewer(db) is None:
        return ""
    return "SELECT id FROM visible_note WHERE private"


def clean_folder(folder: str) -> str:
    """A folder as a person writes it (`./people/`) as the index has it (`people`); "" is the whole
    vault."""
    return "/".join(part for part in folder.replace("\\", "/").split("/") if part not in {"", "."})


def within_tag(name: str, wanted: str) -> bool:
    """Whether a tag is the one wanted or nested in it (`work/urgent` in `work`), case and
    composition apart."""
    name = caseless(name)
    wanted = caseless(wanted).lstrip("#").rstrip("/")
    return name == wanted or name.startswith(wanted + "/")


class Beginning(NamedTuple):
    """Something that begins so: `text` as it would be typed, `about` what it is, `path` the note it
    is of."""

    text: str
    about: str
    path: str


def get_paths_like(db: apsw.Connection, beginning: str) -> list[Beginning]:
    """The paths of notes that begin so, with their titles, in order; none of a private note."""
    rows = db.execute(
        "SELECT path, title FROM visible_note AS note WHERE path >= ? AND path < ? AND"
        f" {visible_sql(private=False)} ORDER BY path",
        (beginning, beginning + _LAST_CHARACTER),
    )
    return [Beginning(path, title, path) for path, title in rows]


def get_keys_like(db: apsw.Connection, beginning: str, *, most: int) -> list[Beginning]:
    """The keys of facts that begin so, with what each states, in order; none of a private note."""
    import json

    from indexer.note import Fact

    rows = db.execute(
        "SELECT fact.key, fact.detail, note.path FROM fact JOIN visible_note AS note ON note.id ="
        f" fact.note WHERE fact.key >= ? AND fact.key < ? AND {visible_sql(private=False)} ORDER BY"
        " fact.key LIMIT ?",
        (beginning, beginning + _LAST_CHARACTER, most),
    )
    text = Fact._fields.index("text")
    return [Beginning(key, json.loads(detail)[text], path) for key, detail, path in rows]


def get_tags_like(db: apsw.Connection, beginning: str) -> list[Beginning]:
    """The tags that begin so, in order; none that only private notes have."""
    rows = db.execute(
        "SELECT DISTINCT tag.name FROM tag JOIN visible_note AS note ON note.id = tag.note WHERE"
        f" tag.name >= ? AND tag.name < ? AND {visible_sql(private=False)} ORDER BY tag.name",
        (beginning, beginning + _LAST_CHARACTER),
    )
    return [Beginning(name, "", "") for (name,) in rows]
