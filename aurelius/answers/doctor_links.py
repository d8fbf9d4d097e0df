"""Findings of `doctor` about what notes refer to: links, names that several notes share, ids of
facts.

Where a link that leads nowhere once led is known from the notes that another program renamed, which
are kept in the vault's state folder. What is kept may be lost or damaged at any time; then nothing
is proposed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from itertools import starmap
from typing import TYPE_CHECKING

from aurelius.settings.places import RENAMED, shell_word
from aurelius.writing.own_files import keep_in_state
from indexer.catalog.edges import named_in
from indexer.catalog.graph import Broken, get_links
from indexer.catalog.link_targets import find_target
from indexer.catalog.names import Called, NoteNames, is_conflict_copy, name_key, without_ending
from indexer.catalog.supersession import Chains
from indexer.errors import first_names
from indexer.reading.fact_line import MINTED
from indexer.reading.path_meaning import file_stem, is_archived, title_of_path
from indexer.spelling import group_pairs

from .findings import Finding
from .note_view import open_graph

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Sequence

    import apsw

    from indexer.catalog.graph import Graph
    from indexer.note import Fact, Found, Link, Settings

DUPLICATE_ID = "run `aurelius doctor --tidy`, or change the id of one of the two lines"
_ENTITIES = frozenset(("person", "company", "project", "area"))


def of_links(
    db: apsw.Connection,
    settings: Settings,
    *,
    private: bool,
) -> Iterator[Finding]:
    """Links whose note, heading, block or file is not there, and bare names that several notes
    answer to."""
    graph = open_graph(db, settings.root, settings.daily_folder)
    later = _later(graph, settings, private=private)
    past = NoteNames(Called(old, title_of_path(old, None), (), "note", None) for old in later)
    every = tuple(graph.broken(private=private))
    unwritten = {_subject(each) for each in every if each.code == "unwritten"}
    renamed: list[tuple[str, Broken]] = []
    together: list[tuple[str, Broken]] = []
    for broken in every:
        subject = _subject(broken)
        if (old := _old_path(past, broken)) in later:
            renamed.append((str(old), broken))
        elif broken.code == "site-link" or (broken.code in _LINKS and subject in unwritten):
            together.append((subject, broken))
        else:
            what = f"broken link to {broken.written!r}: {broken.problem}"
            yield Finding(broken.path, broken.line, broken.code, what, _LINK_FIXES[broken.code])
    yield from starmap(_of_many, group_pairs(together).items())
    for path, link in get_links(db, private=private):
        yield from _of_rivals(path, link, graph.rivals(path, link))
    for old, links in group_pairs(renamed).items():
        yield _of_renamed(old, later[old], links)


def _old_path(past: NoteNames, broken: Broken) -> str | None:
    """The old path of the note that a broken link once led to, None for none; `past` are names that
    notes had before they were renamed."""
    style = _LINKS.get(broken.code)
    target = broken.written.partition("#")[0]
    if style and target:
        return find_target(past, broken.path, target, style)
    return None


def _of_rivals(path: str, link: Link, rivals: Sequence[str]) -> Iterator[Finding]:
    """A link whose bare name fits several notes."""
    if not rivals:
        return
    first, others, *more = rivals
    if more:
        others += f" or {len(more)} more"
    what = f"the link {link.target!r} fits {len(rivals)} notes; {first} is used, not {others}"
    yield Finding(path, link.line, "ambiguous-link", what, "write the path of the note you mean")


def _later(graph: Graph, settings: Settings, *, private: bool) -> dict[str, str]:
    """Old path → present one, of the notes that may be spoken of."""
    if not settings.uses:
        return {}
    found = later_paths(os.path.dirname(settings.uses), graph.names.paths)
    return {old: new for old, new in found.items() if private or new in graph.shown}


def _of_renamed(
    old: str,
    new: str,
    links: list[Broken],
) -> Finding:
    first = links[0]
    what = f"broken link to {first.written!r}: {old} was renamed to {new}" + _also(links)
    fix = f"`aurelius move {shell_word(old)} {shell_word(new)}` repairs the links"
    return Finding(first.path, first.line, "renamed", what, fix)


def _subject(broken: Broken) -> str:
    """The key of links that are listed together: the missing note, or the folder they begin
    with."""
    if broken.code == "site-link":
        return "/" + broken.written.split("/")[1].partition("#")[0]
    return name_key(without_ending(broken.written.partition("#")[0]))


def _of_many(subject: str, links: list[Broken]) -> Finding:
    first, *others = sorted(links, key=lambda each: each.code == "broken-link")
    if first.code == "unwritten":
        what = f"there is no note {first.written.partition('#')[0]!r}"
    else:
        what = f"broken link to {first.written!r}: the vault has no {subject}"
    return Finding(
        first.path, first.line, first.code, what + _also((first, *others)), _LINK_FIXES[first.code]
    )


def _also(links: Sequence[Broken]) -> str:
    """Where else the same is written, after the first of these places."""
    places = list(dict.fromkeys(f"{each.path}:{each.line}" for each in links))[1:]
    if places:
        return f"; also at {first_names(places, 3)}"
    return ""


_LINK_FIXES = {
    "unwritten": "create that note, or correct the name",
    "site-link": "write the whole web address, if it is one",
    "broken-link": "correct the name, or create that note",
    "broken-heading": "correct the heading, or add it to that note",
    "broken-block": "correct the id, or add it to the line you mean",
    "broken-attachment": "correct the path, or put the file there",
}


def name_findings(called: list[Called]) -> Iterator[Finding]:
    """Names that two notes answer to, copies that a sync tool made, and paths that differ in case
    alone."""
    yield from _shared_names(called)
    paths: dict[str, str] = {}
    for each in called:
        if is_conflict_copy(each.path):
            what = "a sync tool made this copy because two devices changed the note"
            yield Finding(
                each.path,
                0,
                "conflict-copy",
                what,
                "copy what is missing into the note, then delete this copy",
            )
        other = paths.setdefault(name_key(each.path), each.path)
        if other != each.path:
            what = (
                f"{other} differs from this path only in case or accents; many systems show only"
                " one of the two"
            )
            yield Finding(each.path, 0, "case-clash", what, "rename one of the two")


def _shared_names(called: Iterable[Called]) -> Iterator[Finding]:
    """An alias that is another note's name, and titles that two people, companies, projects or
    areas share."""
    current = [each for each in called if each.kind != "daily" and not is_archived(each.path)]
    live = [each for each in current if not is_conflict_copy(each.path)]
    spelt: list[tuple[str, Called]] = []
    for each in live:
        names = (file_stem(each.path), each.title, *each.aliases)
        spelt += [(name, each) for name in dict.fromkeys(map(name_key, names))]
    for name, found in group_pairs(spelt).items():
        yield from _of_shared_name(name, found)


def _of_shared_name(
    name: str,
    found: Sequence[Called],
) -> Iterator[Finding]:
    rivals = [each for each in found if each.kind in _ENTITIES]
    if any(name in map(name_key, each.aliases) for each in found):
        rivals = [*found]
    if len(rivals) < 2:
        return
    each = next(each for each in rivals if each is not found[0])
    shared = [other.path for other in found if other is not each]
    what = f"{name!r} is also a name of {first_names(shared, 3)}"
    fix = "give one of them another title or alias"
    yield Finding(each.path, 0, "ambiguous-name", what, fix)


def fact_id_findings(facts: list[Found], seen: set[str]) -> Iterator[Finding]:
    """Ids that two notes use, ids that nothing has, and facts that supersede each other in a
    circle.

    `facts` are all there are, `seen` the notes that may be spoken of.
    """
    named: list[tuple[str, Found]] = []
    pointed: set[str] = set()
    for each in facts:
        fact = each[1]
        named += [(name, each) for name in dict.fromkeys((fact.key, fact.id)) if name]
        pointed.update(target for _, target in named_in(fact))
    places = group_pairs(named)
    for fact_id, found in places.items():
        if MINTED.fullmatch(fact_id) or fact_id in pointed:
            yield from _duplicate_ids(fact_id, [each for each in found if each[0] in seen])
    for path, fact in facts:
        if path in seen:
            yield from _dangling_ids(path, fact, places)
    yield from _circles(facts, seen)


def _dangling_ids(path: str, fact: Fact, places: Container[str]) -> Iterator[Finding]:
    for verb, target in named_in(fact):
        if target not in places:
            what = f"`{verb} ^{target}`: no fact has this id"
            yield Finding(path, fact.first, "dangling-id", what, "correct the id, or remove it")


def _circles(facts: list[Found], seen: set[str]) -> Iterator[Finding]:
    for circle in Chains(facts, seen).circles():
        ids = " → ".join(f"^{fact.key}" for _, fact in (*circle, circle[0]))
        what = f"facts supersede each other: {ids}"
        path, fact = circle[0]
        yield Finding(
            path,
            fact.first,
            "cycle",
            what,
            "decide which one holds now, and remove `superseded by` from its line",
        )


def _duplicate_ids(fact_id: str, found: list[Found]) -> Iterator[Finding]:
    for path, fact in found[1:]:
        if path != found[0][0]:  # in one note, parsing tells
            where = f"{found[0][0]}:{found[0][1].first}"
            yield Finding(
                path, fact.first, "duplicate-id", f"^{fact_id} is also at {where}", DUPLICATE_ID
            )


MOST_RENAMES = 1000
_MOST_RENAME_BYTES = 1024 * 1024
"""Renames that are kept, and the size of the file above which it is not read."""

_LINKS = {"unwritten": "wiki", "broken-link": "markdown"}


def remember_renames(state: str, renamed: Iterable[tuple[str, str]]) -> None:
    """Keep old and new paths; where that cannot be written, nothing is kept."""
    known = _read(state)
    told = list(dict.fromkeys(renamed))
    if any(each not in known for each in told):
        _write(state, [*(each for each in known if each not in told), *told][-MOST_RENAMES:])


def forget_renames(state: str, path: str) -> None:
    """Forget what is kept of a note."""
    known = _read(state)
    left = [each for each in known if path not in each]
    if left != known:
        _write(state, left)


def later_paths(state: str, there: Collection[str]) -> dict[str, str]:
    """Old path → present one, of the notes that are not there under the old one and are under the
    new one."""
    step = dict(_read(state))  # the last rename of each path
    found: dict[str, str] = {}
    for old, at_once in step.items():
        new = at_once
        seen = {old}
        while new not in there and new in step and new not in seen:
            seen.add(new)
            new = step[new]
        if old not in there and new in there:
            found[old] = new
    return found


def _read(state: str) -> list[tuple[str, str]]:
    """The recorded renames, oldest first; lines that cannot be read are skipped."""
    try:
        with open(os.path.join(state, RENAMED), "rb") as file:
            lines = file.read(_MOST_RENAME_BYTES).split(b"\n")
    except OSError:
        return []
    found = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            match json.loads(line):
                case [str(old), str(new), *_]:
                    found.append((old, new))
    return found


def _write(state: str, renamed: Iterable[tuple[str, str]]) -> None:
    lines = "".join(json.dumps(each) + "\n" for each in renamed)
    with suppress(OSError):
        keep_in_state(state, RENAMED, lines.encode())
