"""Edges: what facts and notes have to do with each other, typed, weighted, told from both ends.

A fact's line says what it updates, contradicts, is part of, mentions, and because of what it holds;
a line under Relationships names its own type (`- [[companies/techcorp]] - Employer`, `- works_for
[[Techcorp]]`); any other link of a note is a link. Each is read where it stands, and from the other
end by its inverse. What was used together is related, with less weight than what somebody wrote,
and in the index alone.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.usage.log_reader import get_related
from indexer.usage.tally import is_note

from .graph import LINK_LABEL, get_called, get_links
from .link_targets import folds_of, target_of
from .lists import fact_of
from .names import NoteNames
from .supersession import outcomes, settle_fact
from .visibility import SET_APART, visible_sql

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import apsw

    from indexer.note import Fact, Link

    from .supersession import Outcome

INVERSE = {
    "updates": "superseded by",
    "superseded by": "updates",
    "because": "led to",
    "led to": "because",
    "contradicts": "contradicts",
    "part of": "has part",
    "has part": "part of",
    "mentions": "mentioned by",
    "mentioned by": "mentions",
    "links to": "linked from",
    "linked from": "links to",
}
"""The word for each type seen from the other end; a label of a person's own is the same both
ways."""

_WRITTEN_WEIGHT = 1.0
CONTAINED = 0.2
"""Weights: of what somebody wrote down, and of the note that a fact stands in."""

MOST_RELATED = 10
"""Edges at most to what was only used together with something."""

_MOST_LABEL_LETTERS = 40
"""Characters of a label; what is longer is a sentence and names no type."""

_REFERENCE = re.compile(r"\^([A-Za-z0-9-]{1,64})")
_NAMES_TYPE = re.compile(r"[^\W\d_][\w '/-]{0,39}")
_BATCH = 200


class Edge(NamedTuple):
    """One edge, seen from `source`: a fact's key or a note's path, as `target` is; "" where that is
    words alone.

    `forward` is false where `target` says it of `source`. `path` and `line` are where the target
    stands, or where the link stands that leads here, 0 for a whole note; `text` is what it says: a
    fact's text, a note's title, the line of a link, the words of a reason. `kind` is the type of a
    fact or the kind of a note; `status`, `date` and `until` are a fact's, all lines considered.
    """

    source: str
    type: str
    target: str
    weight: float
    forward: bool
    path: str
    line: int
    text: str
    kind: str = ""
    status: str = ""
    date: str | None = None
    until: str | None = None


class Branch(NamedTuple):
    """An edge of a walk, and how many steps from the start it leads to."""

    depth: int
    edge: Edge


def walk_edges(
    db: apsw.Connection,
    ref: str,
    depth: int,
    *,
    private: bool,
    path: str = "",
    types: Collection[str] = (),
    most: int = 1000,
) -> list[Branch]:
    """The edges within so many steps of a fact or note, each followed by those of its target,
    `most` at most.

    What was met before is told, but not followed again, and no edge is told straight back. Where no
    `types` are given, the note that a fact stands in is left out.
    """
    edges = Edges(db, private=private)
    wanted = {each.casefold() for each in types}
    seen = {ref}
    found: list[Branch] = []

    def follow(at: str, place: str, step: int, came: str) -> None:
        told = [
            each
            for each in edges.of(at, place)
            if _is_wanted(each, wanted) and (not came or each.target != came)
        ]
        fresh = {each.target for each in told} - seen
        seen.update(fresh)
        for each in told:
            if len(found) >= most:
                return
            found.append(Branch(step, each))
            if each.target in fresh and step < depth:
                fresh.discard(each.target)
                follow(each.target, each.path, step + 1, at)

    follow(ref, path, 1, "")
    return found


def _is_wanted(edge: Edge, types: Collection[str]) -> bool:
    if types:
        return edge.type.casefold() in types
    return edge.weight != CONTAINED


def named_in(fact: Fact) -> Iterator[tuple[str, str]]:
    """What a fact says of other facts, by their ids."""
    for verb, target in (
        ("superseded by", fact.superseded_by),
        ("updates", fact.updates),
        ("contradicts", fact.contradicts),
    ):
        if target:
            yield verb, target
    for target in _REFERENCE.findall(fact.because):
        yield "because", target


def is_reference(because: str) -> bool:
    """Whether a reason is the id of a fact and no words."""
    return because.startswith("^") and len(because.split()) == 1


def get_referring(
    db: apsw.Connection, keys: Iterable[str], *, private: bool
) -> Iterator[tuple[str, str, Fact, str]]:
    """Who names these facts, notes set apart aside: what it says of which, the fact that says it,
    and its note."""
    wanted = sorted(set(keys))
    for at in range(0, len(wanted), _BATCH):
        part = set(wanted[at : at + _BATCH])
        rows = db.execute(
            "SELECT note.path, fact.detail FROM chunk JOIN visible_note AS note ON note.id ="
            " chunk.note JOIN fact ON fact.note = chunk.note AND fact.key = chunk.fact WHERE"
            " chunk.grain = 'fact' AND chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts"
            f" MATCH ?) AND {visible_sql(private=private)} AND NOT {SET_APART} ORDER BY"
            " note.path, fact.ordinal",
            ("text : (" + " OR ".join(f'"{key}"' for key in part) + ")",),
        )
        for path, detail in rows:
            fact = fact_of(detail)
            for verb, key in dict.fromkeys(named_in(fact)):
                if key in part and key != fact.key:
                    yield verb, key, fact, path


class Edges:
    """The edges of an index, ready to be asked of one fact or note after the other."""

    def __init__(self, db: apsw.Connection, *, private: bool) -> None:
        self.db = db
        self.private = private
        self._past: dict[str, dict[tuple[int, str], Outcome]] = {}

    @cached_property
    def _names(self) -> NoteNames:
        return NoteNames(get_called(self.db, private=True))

    @cached_property
    def _shown(self) -> dict[str, tuple[str, str]]:
        """The title and kind of each note that may be seen."""
        return {
            each.path: (each.title, each.kind) for each in get_called(self.db, private=self.private)
        }

    def of(self, ref: str, path: str = "") -> tuple[Edge, ...]:
        """The edges of a fact or a note, each once; none where it is not there, or may not be
        seen."""
        found = None
        if not is_note(ref):
            if meant := self._meant(ref, path):
                found = self._of_fact(*meant)
        elif ref in self._shown:
            found = self._of_note(ref)
        if found is None:
            return ()
        once: dict[tuple[str, ...], Edge] = {}
        for each in found:
            once.setdefault(
                (each.type, each.target or each.text, each.path * (not is_note(each.target))), each
            )
        told = {ref, path, *(each.target for each in once.values())}
        return (*once.values(), *islice(self._related(ref, told), MOST_RELATED))

    def _related(self, ref: str, told: Collection[str]) -> Iterator[Edge]:
        """What was used together with it, the nearest first, but for what an edge leads to
        already."""
        for other, weight in get_related(self.db, ref):
            if other in told:
                continue
            if is_note(other):
                if other in self._shown:
                    yield self._to_note(ref, "related", other, weight=weight)
            elif meant := self._meant(other):
                yield self._to_fact(ref, "related", *meant)._replace(weight=weight)

    def end(self, ref: str, path: str = "") -> Edge | None:
        """A fact or a note as the end of an edge."""
        if is_note(ref):
            if ref in self._shown:
                return self._to_note("", "", ref)
            return None
        meant = self._meant(ref, path)
        if meant:
            return self._to_fact("", "", *meant)
        return None

    # -- of a fact ---------------------------------------------------------------------

    def _of_fact(self, path: str, fact: Fact) -> Iterator[Edge]:
        for verb, key in named_in(fact):
            if other := self._meant(key, path):
                yield self._to_fact(fact.key, verb, *other)
        if fact.because and not is_reference(fact.because):
            yield Edge(
                source=fact.key,
                type="because",
                target="",
                weight=_WRITTEN_WEIGHT,
                forward=True,
                path="",
                line=0,
                text=fact.because,
            )
        for verb, key, by, at in get_referring(self.db, [fact.key], private=self.private):
            if self._meant(key, at) == (path, fact):
                yield self._to_fact(fact.key, INVERSE[verb], at, by, forward=False)
        if fact.part_of:
            yield self._part(path, fact)
        yield self._to_note(fact.key, "part of", path, weight=CONTAINED)
        yield from self._mentions(path, fact)
        yield from self._mentioned(path, fact)

    def _part(self, path: str, fact: Fact) -> Edge:
        from .link_targets import find_target

        whole = find_target(self._names, path, fact.part_of, "wiki")
        if whole in self._shown:
            return self._to_note(fact.key, "part of", whole)
        return Edge(
            source=fact.key,
            type="part of",
            target="",
            weight=_WRITTEN_WEIGHT,
            forward=True,
            path="",
            line=0,
            text=fact.part_of,
        )

    def _mentions(self, path: str, fact: Fact) -> Iterator[Edge]:
        """What the links in a fact's own lines lead to; those of its tail have types of their
        own."""
        for _, link in get_links(self.db, path, private=self.private):
            if not fact.first <= link.line <= fact.last or link.target in {
                fact.source,
                fact.part_of,
            }:
                continue
            found = target_of(self._names, path, link)
            if found is None or found not in self._shown:
                continue
            other = link.block and self._meant(link.block, found)
            if other and other[0] == found:
                yield self._to_fact(fact.key, "mentions", *other)
            elif found != path:
                yield self._to_note(fact.key, label_of(fact, link) or "mentions", found)

    def _mentioned(self, path: str, fact: Fact) -> Iterator[Edge]:
        """The links that lead to a fact by its id."""
        for at, link in self._links_to(path, fact.id) if fact.id else ():
            other = self._fact_at(at, link.line)
            if other is None:
                yield self._from_line(fact.key, at, link)
            elif (at, other.key) != (path, fact.key):
                yield self._to_fact(fact.key, "mentioned by", at, other, forward=False)

    def _links_to(self, path: str, block: str) -> Iterator[tuple[str, Link]]:
        rows = self.db.execute(
            "SELECT DISTINCT note.path FROM chunk JOIN visible_note AS note ON note.id ="
            " chunk.note WHERE chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?)"
            f" AND {visible_sql(private=self.private)} ORDER BY note.path",
            (f'text : "{block}"',),
        )
        for at in [str(row[0]) for row in rows]:
            for _, link in get_links(self.db, at, private=self.private):
                is_named = block.lower() == link.block.lower()
                if is_named and target_of(self._names, at, link) == path:
                    yield at, link

    # -- of a note ---------------------------------------------------------------------

    def _of_note(self, path: str) -> Iterator[Edge]:
        for _, link in get_links(self.db, path, private=self.private):
            found = target_of(self._names, path, link)
            if found and found in self._shown and found != path:
                fact = self._fact_at(path, link.line)
                label = label_of(fact, link) if fact else ""
                yield self._to_note(path, label or "links to", found)
        for at, link in get_links(self.db, folded=folds_of(self.db, path), private=self.private):
            if at != path == target_of(self._names, at, link):
                yield self._from(path, at, link)

    def _from(self, path: str, at: str, link: Link) -> Edge:
        """The edge of a link that leads to a note, by what the link stands in."""
        fact = self._fact_at(at, link.line)
        if fact is None:
            return self._from_line(path, at, link)
        if label := label_of(fact, link):
            return self._to_note(path, label, at, forward=False)
        if fact.part_of == link.target:
            type_ = "has part"
        else:
            type_ = "mentioned by"
        return self._to_fact(path, type_, at, fact, forward=False)

    # -- the ends ----------------------------------------------------------------------

    def _meant(self, key: str, path: str = "") -> tuple[str, Fact] | None:
        """The visible fact that an id means: the one in the note that names it, else the only one
        there is."""
        rows: list[Any] = self.db.execute(
            "SELECT note.path, note.id, note.private, fact.detail FROM fact JOIN visible_note AS"
            " note ON note.id = fact.note WHERE fact.key = ? ORDER BY note.path",
            (key,),
        ).fetchall()
        found = [row for row in rows if row[0] == path] or rows
        if len(found) != 1 or (found[0][2] and not self.private):
            return None
        at, number, _, detail = found[0]
        return at, self._settled(at, number, fact_of(detail))

    def _fact_at(self, path: str, line: int) -> Fact | None:
        """The fact that a line belongs to."""
        row = self.db.execute(
            "SELECT note.id, fact.detail FROM fact JOIN visible_note AS note ON note.id ="
            " fact.note WHERE note.path = ? AND fact.first <= ? AND fact.last >= ? ORDER BY"
            " fact.first DESC LIMIT 1",
            (path, line, line),
        ).get
        if row:
            return self._settled(path, row[0], fact_of(row[1]))
        return None

    def _settled(self, path: str, number: int, fact: Fact) -> Fact:
        if path not in self._past:
            self._past[path] = outcomes(self.db, path, private=self.private)
        return settle_fact(fact, number, self._past[path])

    def _to_fact(
        self, source: str, type_: str, path: str, fact: Fact, *, forward: bool = True
    ) -> Edge:
        return Edge(
            source=source,
            type=type_,
            target=fact.key,
            weight=_WRITTEN_WEIGHT,
            forward=forward,
            path=path,
            line=fact.first,
            text=fact.text,
            kind=fact.type,
            status=fact.status,
            date=fact.date,
            until=fact.until,
        )

    def _to_note(
        self,
        source: str,
        type_: str,
        path: str,
        *,
        forward: bool = True,
        weight: float = _WRITTEN_WEIGHT,
    ) -> Edge:
        title, kind = self._shown[path]
        return Edge(
            source=source,
            type=type_,
            target=path,
            weight=weight,
            forward=forward,
            path=path,
            line=0,
            text=title,
            kind=kind,
        )

    def _from_line(self, source: str, path: str, link: Link) -> Edge:
        title, kind = self._shown[path]
        return Edge(
            source=source,
            type="linked from",
            target=path,
            weight=_WRITTEN_WEIGHT,
            forward=False,
            path=path,
            line=link.line,
            text=self._line(path, link) or title,
            kind=kind,
        )

    def _line(self, path: str, link: Link) -> str:
        """What stands on the line of a link, or the property it is in, as the index holds it; ""
        for nothing."""
        row = self.db.execute(
            "SELECT chunk.text, chunk.first, chunk.grain FROM chunk JOIN visible_note AS note ON"
            " note.id = chunk.note WHERE note.path = ? AND chunk.first <= ? AND chunk.last >= ?"
            " ORDER BY chunk.ordinal LIMIT 1",
            (path, link.line, link.line),
        ).get
        if row is None:
            return ""
        text, first, grain = row
        lines = text.split("\n")[link.line - first :]
        if grain == "property":  # a line each, wherever in the file it stands
            wanted = link.label or link.target.rpartition("/")[2]
            lines = [each for each in text.split("\n") if wanted in each]
        return str(next(iter(lines), "")).strip()


def label_of(fact: Fact, link: Link) -> str:
    """The type that a line under Relationships gives its links, as it is written; "" where it gives
    none.

    It stands behind the link (`- [[techcorp]] - Employer`) or before it (`- works_for
    [[techcorp]]`).
    """
    if fact.type != "relationship":
        return ""
    behind = LINK_LABEL.search(fact.text)
    before = fact.text.partition("[")[0].strip().rstrip(":").strip()
    if behind:
        label = behind[1].strip()
    elif _NAMES_TYPE.fullmatch(before):
        label = before
    else:
        label = link.label
    if len(label) <= _MOST_LABEL_LETTERS:
        return label
    return ""


class Relation(NamedTuple):
    """What a fact has to do with another: the verb, the id of that one ("" where a reason is in
    words), those words."""

    verb: str
    id: str = ""
    text: str = ""


def relations(
    db: apsw.Connection, facts: Iterable[Fact], *, private: bool
) -> dict[str, list[Relation]]:
    """By the key of each fact what it says of others, then what others say of it; facts without any
    are left out.

    What took a fact's place is told by its status.
    """
    found = {fact.key: _said(fact) for fact in facts}
    keys = {fact.id for fact in facts if fact.id} & found.keys()
    for verb, key, other, _ in get_referring(db, keys, private=private):
        if verb in {"because", "contradicts"}:
            found[key].append(Relation(INVERSE[verb], other.key))
    return {key: list(dict.fromkeys(each)) for key, each in found.items() if each}


def _said(fact: Fact) -> list[Relation]:
    """What a fact's own line says."""
    named = [
        Relation(verb, key) for verb, key in named_in(fact) if verb in {"contradicts", "updates"}
    ]
    if is_reference(fact.because):
        return [Relation("because", fact.because.removeprefix("^")), *sorted(named)]
    return ([Relation("because", text=fact.because)] if fact.because else []) + sorted(named)
