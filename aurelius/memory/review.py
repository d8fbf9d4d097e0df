"""Proposals of `review`: what a newer line may replace, questions, captured facts, duplicates,
facts worth little.

Everything is derived from the notes at the moment of asking; only what was accepted or dismissed is
remembered, in the usage log. `open_matters` reads, `accept` says what would be written, and nothing
here writes.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing import tiers
from aurelius.compose.fact_text import TailParts
from aurelius.plans import facts as fact_plans
from aurelius.plans import move_archive, tidy
from aurelius.plans.addressee import FORGETS, says_plainly
from aurelius.plans.addressee import whole_named_note as note_of
from aurelius.plans.plan import Draft, Plan
from aurelius.settings.places import shell_word
from aurelius.writing.append import lost_lines, put_lines_back
from indexer.catalog.lists import get_facts
from indexer.catalog.names import NoteNames, without_ending
from indexer.errors import AureliusError, UsageError, first_names
from indexer.matter.disagreement import hold_together
from indexer.matter.proposals import BLANK_FACT, proposals
from indexer.reading.path_meaning import is_imported
from indexer.spelling import plural, shorten
from indexer.usage.log_reader import get_usage
from indexer.usage.tally import present

from .imported_facts import find_imported, take_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from aurelius.ageing.tiers import Rivals
    from aurelius.plans.plan import Desk
    from aurelius.writing.append_journal import Pending
    from indexer.note import Fact, Found

    from .extract import Carried


MATTERS = (
    "vanished",
    "forget",
    "supersede",
    "ask",
    "carry",
    "captured",
    "merge",
    "archive",
    "observation",
    "imported",
)
"""What can be proposed: that a line which is gone from its note is put back; that a fact which
somebody asked to forget is past; that one fact takes another's place; that one of two that disagree
does; that what a daily note tells is written to the page it is about; that a captured line is a
fact; that a fact which says nothing new is struck; that one worth little is put away; that what
came up on several days is noted; that an imported fact is one of the vault's."""
UPKEEP = ("merge", "observation", "archive")
"""What nobody said and time brings, of which few are offered at a time, in this order."""
MOST_A_WEEK = 10
"""Proposals of upkeep that are offered in a week: what waits takes the place of others, and what
was decided makes room on the next Monday."""
_COMES = frozenset({"carry", "captured", "imported", "observation"})  # what would come to a page
_FIRST_KINDS = 6  # kinds of proposals that come first, page by page: the others can wait
_PLAIN_KINDS = frozenset({"forget", "supersede", "carry", "captured"})
"""What a yes to everything is a yes to, where it is sure; the others are looked at by
themselves."""
_NAME_LETTERS = "abcdefghjkmnpqrstuvwxyz"
DIGITS = "23456789"
"""What the name of a proposal is made of."""
_OF_PERSON = re.compile(r"(?i)(?:i|my)(?:['’](?:m|ve))?\b|from now on\b")
LEAST_NAME_LETTERS = 4
"""Letters and digits of a name that a person is shown and types, or more where two begin alike."""
LISTED = "`aurelius review` lists the proposals with their keys and numbers"


class Matter(NamedTuple):
    """One proposal: `path` and `fact` are what would change, `by` the note and the fact that give
    the reason. `key` is what the log knows it by; `why` the phrase or number that speaks for it;
    `short`, which a person types, is the beginning of `name`, made from what the proposal is about,
    so that it stays. `more` are other facts of the same matter; `worded` are other words for a
    captured line, which is `plain` if it says where it goes; `gone` is a line that is no longer in
    its note."""

    what: str
    key: str
    path: str
    fact: Fact
    by: Found | None
    why: str
    name: str = ""
    short: str = ""
    more: tuple[Found, ...] = ()
    carried: Carried | None = None
    worded: str = ""
    plain: bool = True
    gone: Pending | None = None

    @property
    def page(self) -> str:
        """The note that a person thinks of: the one that would change, or where a line would go."""
        return (self.why if self.what in _COMES else "") or self.path

    @property
    def day(self) -> str:
        """The day of the line that is new: of the one that would take the other's place, else of
        the one that is proposed; "" where it has none."""
        if self.by and self.what in {"supersede", "ask"}:
            return self.by[1].date or ""
        return self.fact.date or ""

    @property
    def is_open(self) -> bool:
        """Whether a person has to say which page a line is about, which no yes says."""
        return bool(self.carried and not self.why)

    @property
    def is_sure(self) -> bool:
        """Whether what is to be done is plain from the lines themselves; else it is looked at by
        itself."""
        if self.carried:
            return self.carried.sure
        return self.plain


def open_matters(desk: Desk, *, since: str = "", dismissed: bool = False) -> list[Matter]:
    """All that is proposed and was not dismissed, or was, page by page in an order that only the
    notes decide; `since` leaves out what no line of that day or a later one says.

    What was accepted is no longer there to be proposed, until somebody undoes it.  The names are
    the same with `since` and without.
    """
    found = kept_or_dismissed(desk, all_matters(desk), dismissed=dismissed)
    return [each for each in found if each.day >= since]


def kept_or_dismissed(
    desk: Desk,
    found: Iterable[Matter],
    *,
    dismissed: bool,
) -> list[Matter]:
    """Those of these matters that were dismissed; or those that were not, of upkeep only as many as
    a week has: the oldest lines first, so that what waits stays."""
    usage = get_usage(desk.db)
    gone = usage.dismissed
    names = usage.aliases
    kept = [each for each in found if (present(each.key, names) in gone) == dismissed]
    if dismissed:
        return kept
    waiting = sorted(
        (each for each in kept if each.what in UPKEEP),
        key=lambda each: (UPKEEP.index(each.what), each.day, each.key),
    )
    room = max(0, MOST_A_WEEK - sum(decided_lately(desk).values()))
    late = {each.name for each in waiting[room:]}
    return [each for each in kept if each.name not in late]


def decided_lately(desk: Desk) -> Counter[str]:
    """How many proposals of upkeep were accepted, and dismissed, since Monday."""
    usage = get_usage(desk.db)
    today = desk.vault.clock.today
    monday = today - datetime.timedelta(today.weekday())
    said = [("accept", key, at) for key, at in usage.accepted.items()]
    said += [("dismiss", key, at) for key, (at, _) in usage.decided.items()]
    counts = Counter[str]()
    for op, key, at in said:
        day = desk.vault.clock.day_of(at)
        if key.partition(":")[0] in UPKEEP and day and day >= monday:
            counts[op] += 1
    return counts


def all_matters(desk: Desk) -> list[Matter]:
    """All that is proposed, also what was dismissed, in the order in which it is listed."""
    facts = list(get_facts(desk.db, private=desk.private))
    entities = tiers.entities(desk.vault, private=desk.private, facts=facts)
    waiting = [*_carried(desk, facts), *_captured(desk, facts)]
    told = {(each.path, each.fact.first) for each in waiting}
    past = {(each.by[0], each.by[1].key) for each in waiting if each.by}
    newer = list(
        _once(each for each in _replaced(desk, facts, entities) if not _is_told(each, told, past))
    )
    asked = set[frozenset[str]]()
    for each in newer:
        asked.update(_pair(old, each.by) for old in ((each.path, each.fact), *each.more))
    others = (
        each
        for each in _worthless(desk, facts)
        if _pair((each.path, each.fact), each.by) not in asked
    )
    found = [
        *newer,
        *waiting,
        *others,
        *_observed(desk, facts),
        *_imported(desk, facts),
        *_vanished(desk),
    ]
    ranks = {
        (each.page, _rank(each)[0] == _FIRST_KINDS): _rank(each)
        for each in sorted(found, key=_rank, reverse=True)
    }
    found.sort(key=lambda each: _place(each, ranks))
    return _named(found)


def _pair(old: Found, by: Found | None) -> frozenset[str]:
    """The keys of the two lines that a matter is about, in no order."""
    return frozenset((old[1].key, by[1].key if by else ""))


def _is_told(
    each: Matter, told: Collection[tuple[str, int]], past: Collection[tuple[str, str]]
) -> bool:
    """Whether another proposal is about the newer line of a matter, or lets the older one be
    past."""
    return (
        bool(each.by and (each.by[0], each.by[1].first) in told)
        or (each.path, each.fact.key) in past
    )


def _rank(matter: Matter) -> tuple[int, int, int]:
    """Questions first, then what is sure: what takes the place of something, what is added, what
    has no page yet; the newest first. Then what nobody can be sure about, duplicates and the
    archive.
    """
    kind = MATTERS.index(matter.what)
    newest = -int(f"0{matter.day}".replace("-", ""))
    if not matter.is_sure or kind >= _FIRST_KINDS:
        return _FIRST_KINDS, kind, newest
    if matter.what == "ask":
        return 0, 0, newest
    if matter.by:
        return 0, 1, newest
    has_page = matter.carried.page if matter.carried else matter.why
    return 0, 2 if has_page else 3, newest


def _place(
    matter: Matter, ranks: Mapping[tuple[str, bool], tuple[int, int, int]]
) -> tuple[object, ...]:
    """Where a matter stands in the list: with the others of its page, and what can wait behind all
    pages."""
    rank = _rank(matter)
    waits = rank[0] == _FIRST_KINDS
    kind = (rank[1],) if matter.what in {*UPKEEP, "imported"} else ()
    return (
        waits,
        kind,
        ranks[matter.page, waits],
        matter.page,
        rank,
        matter.path,
        matter.fact.first,
        matter.key,
    )


def all_of(desk: Desk, found: Sequence[Matter], name: str) -> list[Matter]:
    """The matters of a note: what would change there, or stands there."""
    path = note_of(desk, name)
    chosen = [
        each for each in found if path in {each.page, each.path, each.by[0] if each.by else ""}
    ]
    if not chosen:
        raise UsageError(f"there is nothing to review about {path}", LISTED)
    return chosen


def still(desk: Desk, matter: Matter) -> Matter | None:
    """A matter as it stands now, after something else was written; None where it is no longer
    proposed."""
    aliases = get_usage(desk.db).aliases
    key = present(matter.key, aliases)
    found = [each for each in open_matters(desk) if present(each.key, aliases) == key]
    return next((each for each in found if each.name == matter.name), found[0] if found else None)


def lines(matter: Matter) -> str:
    """What a proposal is about, in the words of its lines, the one that would hold first."""
    texts = [shorten(matter.fact.text)]
    if matter.by:
        texts.append(shorten(matter.by[1].text))
    if matter.what not in _COMES:
        texts.reverse()
    return " / ".join(texts)


def accept(desk: Desk, matter: Matter) -> Plan:
    """What is written when a person says yes."""
    work = _Work(desk)
    if matter.what == "archive":
        work.put_away([matter])
    elif matter.what == "imported":
        work.take_in([matter])
    elif matter.carried:
        work.write([matter])
        if not work.events:
            pages = [
                (shell_word(page), shell_word(matter.carried.text))
                for page in matter.carried.ask or ("NOTE",)
            ]
            hint = ", or ".join(f"aurelius add {page} {text}" for page, text in pages)
            raise UsageError(
                f"nobody can tell which note this is about: {lines(matter)}",
                f"write it there: {hint}",
            )
    else:
        work.carry_out(matter)
    why = f'accepted "{lines(matter)}" in {matter.page}'
    about = {"what": matter.what, "key": matter.key}
    return work.draft.plan(
        why,
        about,
    )


def accept_all(desk: Desk, chosen: Sequence[Matter]) -> Plan:
    """What is written when a person says yes to all of these: one change, of which `undo` is one
    step.

    What cannot be carried out any more, as where one of them changed what another is about, is told
    and left.
    """
    work = _Work(desk)
    work.write(chosen)
    for each in chosen:
        if not (each.carried or each.gone or each.what in {"archive", "imported"}):
            work.tried(each)  # a line that is gone is put back by its key alone
    work.put_away([each for each in chosen if each.what == "archive"], skip=True)
    work.take_in([each for each in chosen if each.what == "imported"])
    done = sum(op == "accept" for op, _, _ in work.events)
    paths = sorted(each.path for each in work.draft.edits())
    pages = first_names(
        paths,
        3,
    )
    why = f"accepted {done:,} {plural('proposal', done)} in {pages}"
    return work.draft.plan(why, {"accepted": done, "left": len(chosen) - done})


def plain_proposals(found: Iterable[Matter], *, of_note: bool) -> tuple[list[Matter], list[Matter]]:
    """What `accept --all`, or `--all-of` a note, carries out, and what it leaves.

    Both leave what is not certain; `--all` also questions, duplicates, the archive and whatever
    would change ME.md.
    """
    taken = list[Matter]()
    left = list[Matter]()
    for each in found:
        is_plain = each.what in _PLAIN_KINDS and "ME.md" not in {each.path, each.page}
        is_taken = each.is_sure and (is_plain or of_note)
        (taken if is_taken else left).append(each)
    return taken, left


def dismiss(desk: Desk, matter: Matter) -> Plan:
    """No note changes; the log is told, so that it is not proposed again until it is restored."""
    usage = get_usage(desk.db)
    _, restored = usage.decided.get(present(matter.key, usage.aliases), (0, 0))
    if restored >= int(desk.moment.timestamp()):
        raise UsageError("it was restored a moment ago", "run the same command again in a second")
    return _decided("dismiss", f"dismissed: {lines(matter)}", matter)


def restore(matter: Matter) -> Plan:
    """No note changes; the log is told, so that what was dismissed is proposed again."""
    return _decided("restore", f"proposed again: {lines(matter)}", matter)


def _decided(op: str, told: str, matter: Matter) -> Plan:
    return Plan(
        (),
        "",
        rows=(told,),
        about={"what": matter.what, "key": matter.key},
        events=((op, matter.key, ""),),
    )


# -- how a proposal is called ----------------------------------------------------------


def _named(found: Sequence[Matter]) -> list[Matter]:
    """The matters with their names: letters and digits that follow from what is proposed about
    which lines."""
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for each in found:
        about = (
            each.what,
            each.path,
            each.fact.text,
            *((each.by[0], each.by[1].text) if each.by else ()),
        )
        seen[about] += 1
        names.append(_name("\0".join((*about, str(seen[about])))))
    beginnings = Counter[str]()
    for name in names:
        beginnings.update(name[:size] for size in range(LEAST_NAME_LETTERS, len(name) + 1))
    return [
        each._replace(
            name=name,
            short=next(
                (
                    name[:size]
                    for size in range(LEAST_NAME_LETTERS, len(name))
                    if beginnings[name[:size]] == 1
                ),
                name,
            ),
        )
        for each, name in zip(found, names, strict=True)
    ]


def _name(about: str) -> str:
    """Letters and digits that no one takes for one another, a letter first: a number is a place in
    the list."""
    number = int.from_bytes(sha256(about.encode("utf-8", "surrogatepass")).digest()[:10], "big")
    number, at = divmod(number, len(_NAME_LETTERS))
    name = _NAME_LETTERS[at]
    for _ in range(11):
        number, at = divmod(number, len(_NAME_LETTERS + DIGITS))
        name += (_NAME_LETTERS + DIGITS)[at]
    return name


# -- what waits ------------------------------------------------------------------------


def _replaced(
    desk: Desk, facts: Sequence[Found], entities: Mapping[str, Sequence[Found]]
) -> Iterator[Matter]:
    """What a newer line of the same entity may replace, and what disagrees with one: the surest
    first."""
    yield from map(_question, tiers.parted(facts))
    asked = []
    for own in entities.values():
        where = {id(fact): path for path, fact in own}
        for made in proposals([fact for _, fact in own]):
            by = (where[id(made.new)], made.new)
            matter = Matter(
                what=made.action,
                key=made.key,
                path=where[id(made.old)],
                fact=made.old,
                by=by,
                why=made.cue,
            )
            if made.action == "ask":
                asked.append(matter)
            else:
                yield matter
    for each in map(_question, tiers.rivals(desk.vault, private=desk.private, facts=facts)):
        if each.by and not hold_together(each.fact.text, each.by[1].text):
            yield each
    yield from asked


def _question(rivals: Rivals) -> Matter:
    path, old = rivals.olds[-1]
    return Matter(
        what="ask",
        key=rivals.key,
        path=path,
        fact=old,
        by=rivals.new,
        why="",
        more=rivals.olds[:-1],
    )


def _once(found: Iterable[Matter]) -> Iterator[Matter]:
    """Each fact in one of the matters that are about it alone, the first."""
    asked: set[tuple[str, str]] = set()
    for each in found:
        olds = [
            (path, one)
            for path, one in (*each.more, (each.path, each.fact))
            if (path, one.key) not in asked
        ]
        if olds:
            asked.update((path, one.key) for path, one in olds)
            path, fact = olds[-1]
            yield each._replace(path=path, fact=fact, more=tuple(olds[:-1]))


def _carried(desk: Desk, facts: Sequence[Found]) -> Iterator[Matter]:
    """What daily notes tell that the page it is about does not say yet."""
    from . import extract

    for each in extract.find_carried(desk, facts=facts):
        fact = BLANK_FACT._replace(
            key=each.key, text=each.text, type=each.type, date=each.day, first=each.line_no
        )
        yield Matter(
            what="carry",
            key=each.key,
            path=each.path,
            fact=fact,
            by=each.replaces,
            why=each.page or each.new_page,
            carried=each,
        )


def _captured(desk: Desk, every: Sequence[Found]) -> Iterator[Matter]:
    """The facts that wait under `## Captured`, each with the one that may not hold beside it, or
    that is to be past."""
    from .conversation import Hearing

    waiting = [each for each in every if each[1].status == "proposed" and not is_imported(each[0])]
    if not waiting:
        return
    names = desk.names()
    hearing = Hearing(desk)
    found = []
    before: dict[str, list[Found]] = {}
    for path, fact in waiting:
        old = tidy.replaced_since(desk, fact.updates) if fact.updates else None
        said = fact._replace(text=tidy.unlabelled(fact.text))
        if said.text.startswith(FORGETS):
            yield from _to_forget(said, old, every, (path, fact))
            continue
        home = tiers.fact_subject(names, path, fact)
        same_page = before.setdefault(home, [])
        if not said.inferred:  # a guess takes no fact's place
            old = old or hearing.rival(said, home, same_page)
        same_page.append((path, fact))
        found.append(_of_page(names, home, said, (path, fact), old))
    yield from _plain_alone(found)


def _plain_alone(found: Sequence[Matter]) -> Iterator[Matter]:
    """Captured lines, plain only where no other is about the same fact and that still holds."""
    claims = Counter(each.by[1].key for each in found if each.by)
    for each in found:
        is_alone = not each.by or (claims[each.by[1].key] == 1 and each.by[1].status == "active")
        yield each._replace(plain=each.plain and is_alone)


def _to_forget(
    said: Fact, old: Found | None, every: Sequence[Found], waiting: Found
) -> Iterator[Matter]:
    """A captured line that asks to forget a fact: the one it names by its id, else by its words."""
    lead = next(each for each in FORGETS if said.text.startswith(each))
    same = (
        each for each in every if each[1].status == "active" and lead + each[1].text == said.text
    )
    if asked := old or next(same, None):
        key = f"keep:{waiting[1].key}"
        yield Matter("forget", key, *asked, waiting, "", plain=lead == FORGETS[0])


def _of_page(names: NoteNames, home: str, said: Fact, waiting: Found, old: Found | None) -> Matter:
    """A captured line with the page it goes to: the one it names, else that of what it may
    replace, else ME.md."""
    path, fact = waiting
    if not home and old and old[1].status == "active":
        home = old[0]
    if not home and "ME.md" in names.paths and _OF_PERSON.match(said.text):
        home = "ME.md"
    is_sure = home != "ME.md" and says_plainly(names, home, fact, old and old[1])
    return Matter(
        what="captured",
        key=f"keep:{fact.key}",
        path=path,
        fact=fact,
        by=old,
        why=home,
        plain=is_sure,
    )


def _imported(desk: Desk, facts: Sequence[Found]) -> Iterator[Matter]:
    """The facts that were imported, each with the page that it would go to."""
    for (path, fact), home in find_imported(desk, facts):
        yield Matter(
            what="imported", key=f"keep:{fact.key}", path=path, fact=fact, by=None, why=home
        )


def _worthless(desk: Desk, facts: Sequence[Found]) -> Iterator[Matter]:
    """What says nothing new, and what is worth too little to stay (`maintain`)."""
    for twins in tiers.twins(desk.vault, facts, private=desk.private):
        yield Matter(
            what="merge",
            key=twins.key,
            path=twins.path,
            fact=twins.other,
            by=(twins.path, twins.kept),
            why="",
        )
    if not tiers.is_settled(desk.vault):
        return
    for each in tiers.find_upkeep(desk.vault, (), private=desk.private).decays:
        if each.below:
            yield Matter(
                what="archive",
                key=f"archive:{each.fact.key}",
                path=each.path,
                fact=each.fact,
                by=None,
                why=f"{each.now:.2f}",
            )


def _observed(desk: Desk, facts: Sequence[Found]) -> Iterator[Matter]:
    """What came up on several days, where upkeep is switched on, with the lines that it rests on:
    the last one is where it is from."""
    if desk.vault.config.jobs_maintain == "off":
        return
    from .recurring import find_recurring, line_of_mention

    for each in find_recurring(desk, facts):
        last = each.lines[-1]
        yield Matter(
            what="observation",
            key=each.key,
            path=last.path,
            fact=BLANK_FACT._replace(
                key=each.key,
                text=each.text,
                type="observation",
                date=last.date,
                inferred=True,
                first=last.line,
            ),
            by=None,
            why=each.page,
            more=tuple(map(line_of_mention, each.lines[:-1])),
            plain=False,
        )


def _vanished(desk: Desk) -> Iterator[Matter]:
    """The lines that Aurelius wrote lately and that are gone from their notes."""
    for each in lost_lines(desk.place, private=desk.private):
        key = f"vanished:{_name(repr(each))}"
        yield Matter(
            what="vanished",
            key=key,
            path=each.path,
            fact=BLANK_FACT._replace(key=key, text=each.text),
            by=None,
            why="",
            gone=each,
        )


# -- what is written -------------------------------------------------------------------


class _Work:
    """What accepted proposals write, one after the other in one draft."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.draft = Draft(desk)
        self.events = self.draft.events
        self.rows = self.draft.rows
        self.notices = self.draft.notices

    def tried(self, matter: Matter) -> None:
        """Carry a proposal out, or tell why it is left."""
        paths = {
            matter.path,
            matter.page,
            *(path for path, _ in matter.more),
            *([matter.by[0]] if matter.by else []),
        }
        before: dict[str, bytes | None] = {}
        events = len(self.events)
        rows = len(self.rows)
        try:
            before = {path: self.draft.data(path) for path in paths if path}
            self.carry_out(matter)
            self.draft.check(paths)
        except AureliusError as error:
            for path, data in before.items():
                self.draft.put(path, data)
            del self.events[events:], self.rows[rows:]
            self.notices.append(f"not accepted: {lines(matter)}: {error.message}")

    def carry_out(self, matter: Matter) -> None:
        """Write what a proposal says."""
        if matter.what == "captured":
            self.rows += tidy.promote(
                self.draft,
                (matter.path, matter.fact),
                matter.why,
                matter.by,
                matter.worded,
            )
        elif matter.what == "observation":
            self.note_down(matter)
        elif matter.gone:
            self.draft.put(
                matter.path, put_lines_back(matter.path, self.draft.there(matter.path), matter.gone)
            )
            self.rows.append(f'put "{shorten(matter.fact.text)}" back into {matter.path}')
        else:
            assert matter.by is not None  # a fact is replaced by one
            tidy.give_ids(self.draft, (matter.by, (matter.path, matter.fact), *matter.more))
            for old in ((matter.path, matter.fact), *matter.more):
                tidy.strike_replaced(
                    self.draft,
                    old,
                    matter.by,
                    done=matter.what == "forget",
                )
                self.rows.append(fact_plans.replaced_notice(old[1].text, matter.by[1].text, old[0]))
        self.events.append(("accept", matter.key, ""))

    def note_down(self, matter: Matter) -> None:
        """Write what came up on several days to its page, as inferred from the last of them."""
        desk = self.desk
        own = desk.new_id(matter.page, matter.fact.text, desk.today)
        tail = TailParts(inferred=True, source=f"[[{without_ending(matter.path)}]]")
        new = fact_plans.NewFact(matter.fact.text, matter.day, "observation", own, tail)
        fact_plans.state(self.draft, matter.page, new)
        self.rows.append(f"{matter.page}  {matter.fact.text}  [id:{own}]")

    def write(self, matters: Sequence[Matter]) -> None:
        """Write lines of daily notes to their pages; the engine says how, and does it first, on
        notes as they are."""
        from . import extract

        made = extract.plan_extract(self.desk, [each.carried for each in matters if each.carried])
        for edit in made.edits:
            self.draft.put(edit.path, edit.after)
        self.events += made.events
        self.rows += made.rows
        self.notices += made.notices

    def take_in(self, matters: Sequence[Matter]) -> None:
        """Move imported facts to their pages."""
        self.rows += take_in(self.draft, [((each.path, each.fact), each.why) for each in matters])
        self.events += [("accept", each.key, "") for each in matters]

    def put_away(self, matters: Sequence[Matter], *, skip: bool = False) -> None:
        """Move facts to the archive; `skip` leaves those that cannot be moved, where else nothing
        is."""
        if not matters:
            return
        chosen = [(each.path, tidy.current_key(each.fact.key, self.events)) for each in matters]
        made = move_archive.archive_facts(
            self.desk,
            chosen,
            "",
            most=len(chosen) * skip,
            draft=self.draft,
        )
        gone = {each["id"] for each in made.about["archived"]}
        self.events += [
            ("accept", each.key, "")
            for each in matters
            if tidy.current_key(each.fact.key, self.events) in gone
        ]
        left = len(matters) - len(gone)
        if left:
            self.notices.append(
                f"{left:,} facts cannot be archived by themselves: their lines have nested lines"
            )
