"""Lines of daily notes that no page has yet → what of them belongs on which page, and the plan that
writes it there.

Everything is derived from the notes at the moment of asking, so a second run or a second device
finds the same, and nothing once it is written: a line is done where its page says the same, or a
fact that came `from` that day does. `found` reads, `plan_extract` says what would be written, and
nothing here writes. Daily notes never change.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers.lookup import content_of
from aurelius.compose.fact_text import TailParts
from aurelius.plans import facts as fact_plans
from aurelius.plans import tidy
from aurelius.plans.new_note import begin_note, choose_name, signs_of
from aurelius.plans.plan import Draft, Events, Plan
from aurelius.writing.replace_file import RUN_AGAIN
from indexer.catalog.graph import LinkedNotes, get_secret
from indexer.catalog.lists import get_facts
from indexer.catalog.names import Called, NoteNames, name_fit, without_ending
from indexer.errors import AureliusError
from indexer.matter.cues import is_change
from indexer.matter.disagreement import within
from indexer.matter.proposals import BLANK_FACT
from indexer.matter.statement import say_alike
from indexer.matter.verdict import compare_facts, outdates, replaced_fact
from indexer.reading.path_meaning import name_words
from indexer.spelling import group_pairs, plural
from indexer.usage.log_reader import get_usage

from . import capture
from .resolve import (
    ENTITIES,
    NAME_TITLES,
    NO_NAMES,
    Pages,
    Topic,
    Topics,
    first_word,
    settle_mention,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurelius.plans.plan import Desk
    from indexer.note import Fact, Found, Note

    from .resolve import Mention

    Facts = dict[str, list[Found]]

SAME_LINE_SHARE = 0.6
"""The share of words that a fact from the same day has in common with a line that it was made
of."""


class Carried(NamedTuple):
    """A sentence of a daily note that belongs on a page.

    `path` and `line_no` are where it stands, `day` its date, `text` the words for the page; `page`
    is the page's path, or "" where `new_page` is the title of one to begin (of `kind`) or `ask` are
    the pages between which a person has to choose. `replaces` is the older fact that it takes the
    place of, and `key` what the log knows it by. `sure`: the person's own words say it plainly, so
    that `"apply"` writes it. `worded` are other words for `text`, which alone decides where it goes
    and what it replaces; `same`: it is the sentence of `replaces` with another value.
    """

    day: str
    line_no: int
    text: str
    page: str
    new_page: str
    type: str
    replaces: Found | None
    ask: tuple[str, ...] = ()
    kind: str = ""
    path: str = ""
    key: str = ""
    sure: bool = True
    worded: str = ""
    same: bool = False


def find_carried(
    desk: Desk,
    facts: Iterable[Found] | None = None,
) -> list[Carried]:
    """All that daily notes tell of pages that these do not say yet: the oldest day first; `facts`
    are all that may be seen, where somebody has read them already."""
    called = tuple(desk.called())
    notes = list(daily_notes(desk, called))
    if not notes:
        return []
    days = {each.path for each in called if each.kind == "daily"}
    every = get_facts(desk.db, private=desk.private) if facts is None else facts
    own = group_pairs((each[0], each) for each in every if each[0] not in days)
    reader = _Reader(desk, called, own, _new_pages(desk, called, own, notes))
    for note in notes:
        reader.read(note, note.date or "")
    return list(reader.open.values())


def daily_notes(desk: Desk, called: Sequence[Called]) -> Iterator[Note]:
    """The daily notes, the oldest first; of private ones nothing is carried, as pages are read by
    others."""
    read = desk.place.note_reader()
    for _, path in sorted((each.date or "", each.path) for each in called if each.kind == "daily"):
        try:
            note = read(path, content_of(desk.vault.root, path).data)
        except AureliusError:
            continue
        if note.date and not note.private:
            yield note


def _texts(facts: Facts) -> dict[str, list[str]]:
    return {
        path: [fact.text for _, fact in rows if fact.status == "active"]
        for path, rows in facts.items()
    }


def _new_pages(
    desk: Desk,
    called: Sequence[Called],
    facts: Facts,
    notes: Sequence[Note],
) -> dict[str, Called]:
    """The pages to begin, by their paths, as they would be called."""
    secret = get_secret(desk.db, private=desk.private)
    strangers = Strangers(Topics(Pages(NoteNames(called, secret)), _texts(facts)))
    kept = {each.kind for each in called}
    made = {}
    for note in notes if kept & ENTITIES else ():
        for line in capture.daily_lines(note, note.date or ""):
            if not capture.is_out(line.text):
                strangers.meet(line)
    for name, kind in strangers.known():
        if kind not in kept:  # a page of a kind that nobody keeps is not begun
            continue
        with suppress(AureliusError):
            title, path = choose_name(desk.vault, kind, [name])
            made[path] = Called(path, title, (), kind, desk.today)
    return made


def undismissed(desk: Desk, carried: Sequence[Carried]) -> list[Carried]:
    """What was not dismissed."""
    gone = get_usage(desk.db).dismissed
    return [each for each in carried if each.key not in gone]


def plainly_said(desk: Desk, carried: Sequence[Carried]) -> list[Carried]:
    """What is written without asking: what is plainly said, and was not written before and taken
    away again.

    It takes the place of a line only as the same sentence with another value; of other lines the
    person is asked.
    """
    done = get_usage(desk.db).accepted
    open_ = (each for each in undismissed(desk, carried) if each.sure and each.key not in done)
    return [each for each in open_ if each.same or not each.replaces]


class _Reader:
    """One reading of the daily notes: names, what the pages say, and what the lines before have
    added to that."""

    def __init__(
        self,
        desk: Desk,
        called: Sequence[Called],
        facts: Facts,
        new: Mapping[str, Called],
    ) -> None:
        db = desk.db
        private = desk.private
        self.new = new
        self.links = LinkedNotes(db, private=private)
        self.pages = Pages(NoteNames((*called, *new.values()), get_secret(db, private=private)))
        self.facts = facts
        self.topics = Topics(self.pages, _texts(facts))
        self.seen = Counter[str]()
        self.open: dict[str, Carried] = {}

    def read(
        self,
        note: Note,
        day: str,
    ) -> None:
        """What a day tells, in the order of its lines; what the days before told is known."""
        last = tuple[str, ...]()
        number = 0
        for line in capture.daily_lines(note, day):
            if line.number > number + 1:
                last = ()
            number = line.number
            if capture.is_out(line.text):
                last = ()
                continue
            around = self.topics.around(line)
            for sentence in map(capture.without_lead_in, capture.plain_sentences(line.text)):
                names = self.pages.mentions(sentence, line.path, line.moment)
                around.update(each.page for each in names if each.page)
                names = [settle_mention(each, around, self.links.beside) for each in names]
                topic = self.topics.of(sentence, names, last, line)
                last = self._spoken_of(names, topic, last)
                if topic:
                    self._judge(line, sentence, topic)

    def _spoken_of(
        self,
        names: Sequence[Mention],
        topic: Topic | None,
        before: tuple[str, ...],
    ) -> tuple[str, ...]:
        """The pages that the next pronoun may mean: those a sentence is about, or may be, else the
        one it names, else those before."""
        meant = topic and (topic.pages or topic.ask)
        if meant:
            return meant
        for each in names:
            if each.asked:
                return each.asked
        persons = {each.page for each in names} & self.pages.entities
        if not persons:
            return before
        if len(persons) == 1:
            return tuple(persons)
        return ()

    def _judge(
        self,
        line: capture.DayLine,
        sentence: str,
        topic: Topic,
    ) -> None:
        acts = {self.pages.kinds.get(page) for page in topic.pages} <= {"person", "company", None}
        kept = capture.capture(topic.told, topic.rest, acts=acts)
        if kept is None or capture.may_open(line):
            return
        key = self._key(line.path, sentence)
        made = Carried(
            day=line.day,
            line_no=line.number,
            text=topic.text,
            page="",
            new_page="",
            type=kept.type,
            replaces=None,
            ask=topic.ask,
            kind="",
            path=line.path,
            key=key,
            sure=topic.sure,
        )
        if topic.ask:
            self._ask_page(made)
            return
        for page in topic.pages:
            if self._is_there(page, made, made.text) or self._is_there(page, made, sentence):
                continue
            if page != topic.pages[0]:
                key = f"{made.key}.{page}"
            says_change = is_change(line.text)
            self.open[key] = self._carried_to(page, made, key, says_change=says_change)

    def _ask_page(self, made: Carried) -> None:
        """Let the person choose the page of a line, unless one of them says it."""
        if not any(self._is_there(page, made, made.text) for page in made.ask):
            self.open[made.key] = made._replace(sure=False)

    def _carried_to(
        self,
        page: str,
        made: Carried,
        key: str,
        *,
        says_change: bool,
    ) -> Carried:
        """A line as it is carried to a page, which knows it then, unless the person is asked."""
        old = self._replaced(page, made)
        if old or says_change or not self._is_open(page, made):
            self.facts.setdefault(page, []).append((page, _as_fact(made._replace(key=key))))
        else:
            made = made._replace(ask=(page,), sure=False)
        if old:
            names = self.pages.known_as(page)
            same = compare_facts(old[1], _as_fact(made), names).is_other_value
            made = made._replace(replaces=old, same=same)
        new = self.new.get(page)
        if new:
            return made._replace(key=key, new_page=new.title, kind=new.kind)
        return made._replace(key=key, page=page)

    def _key(
        self,
        path: str,
        sentence: str,
    ) -> str:
        about = f"{path}\0{' '.join(sentence.casefold().split())}"
        self.seen[about] += 1
        told = f"{about}\0{self.seen[about]}"
        digest = sha256(told.encode("utf-8", "surrogatepass"))
        return f"carry:{digest.hexdigest()[:12]}"

    def _is_there(
        self,
        page: str,
        made: Carried,
        text: str,
    ) -> bool:
        """True if a page says it, or said it after that day, or has a fact that was made of this
        line."""
        names = self.pages.known_as(page)
        line = _as_fact(made._replace(text=text))
        for _, fact in self.facts.get(page, ()):
            is_past = fact.status == "superseded"
            day = fact.date or ""
            says = say_alike(fact.text, text) or (is_past and within(fact.text, text))
            if says and not (is_past and (fact.until or day) < made.day):
                return True
            if not is_past and day > made.day and outdates(fact, line, names):
                return True
            is_of_line = fact.source == without_ending(made.path)
            if is_of_line and capture.overlap(fact.text, text) >= SAME_LINE_SHARE:
                return True
        return False

    def _replaced(
        self,
        page: str,
        made: Carried,
    ) -> Found | None:
        """The fact of a page that a new one takes the place of; lines of earlier days that it does
        this to are left."""
        rows = self.facts.get(page, [])
        names = self.pages.known_as(page)
        line = _as_fact(made)
        for row in [row for row in rows if row[1].key in self.open]:
            _, fact = row
            if made.day > (fact.date or "") and outdates(line, fact, names):
                rows.remove(row)
                del self.open[fact.key]
        written = [fact for _, fact in rows if fact.key not in self.open]
        old = replaced_fact(written, line, names)
        return next((row for row in rows if row[1] is old), None)

    def _is_open(
        self,
        page: str,
        made: Carried,
    ) -> bool:
        """True if the page of a thing says something else of the same matter, and the new line not
        that it changed."""
        if self.pages.kinds.get(page) in {"person", None} or is_change(made.text):
            return False
        matter = first_word(made.text)
        return any(
            fact.status == "active" and first_word(fact.text) == matter
            for _, fact in self.facts.get(page, ())
        )


def _as_fact(made: Carried) -> Fact:
    return BLANK_FACT._replace(key=made.key, text=made.text, type=made.type, date=made.day)


_NAME = r"[A-Z][^\W\d_A-Z][^\W_]*"
_RUN = re.compile(
    rf"(?<!\w)(?:(?:Dr|Mr|Mrs|Ms|Frau|Herr|Prof)\.? )?(?:[A-Z]\. )?{_NAME}(?: {_NAME}){{0,2}}"
)
_LEAST_FIT = 0.7
DAYS = 3
"""How well part of a name has to stand for the whole (`name_fit`), and on how many days it has to
come up to get a page."""


class Strangers:
    """Names in daily notes that no page has: on which days they came up, and what they seem to
    be."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._no_names = NO_NAMES | topics.spoken.keys()
        self._days: dict[tuple[str, ...], set[str]] = {}
        self._shown: dict[tuple[str, ...], str] = {}
        self._signs: dict[tuple[str, ...], Counter[str]] = {}
        self._small = Counter[str]()
        self._tall = Counter[str]()

    def meet(self, line: capture.DayLine) -> None:
        """Note the names in a line."""
        spelt = re.findall(r"[^\W\d_]{2,}", line.text)
        self._small.update(word for word in spelt if word.islower())
        self._tall.update(word.lower() for word in spelt if not word.islower())
        known = None
        for found in _RUN.finditer(line.text):
            run = _without_verb(found)
            name = tuple(word for word in name_words(run[0]) if word not in NAME_TITLES)
            if not name or len(name[-1]) < 3 or not self._no_names.isdisjoint(name):
                continue
            if known is None:
                known = self._topics.pages.mentions(line.text, line.path, line.moment)
            if not any(each.first < run.end() and run.start() < each.end for each in known):
                self._note(name, run, line)

    def _note(
        self,
        name: tuple[str, ...],
        run: re.Match[str],
        line: capture.DayLine,
    ) -> None:
        self._days.setdefault(name, set()).add(line.day)
        untitled = [word for word in run[0].split() if name_words(word)[0] not in NAME_TITLES]
        self._shown.setdefault(name, " ".join(untitled))
        signs = self._signs.setdefault(name, Counter())
        signs["person"] += 2 * (run[0] != self._shown[name])
        signs.update(signs_of(line.text[: run.start()], line.text[run.end() :]))

    def known(self) -> Iterator[tuple[str, str]]:
        """The names that get a page, with its kind: those of family and projects at once, others
        after some days."""
        whole = self._whole()
        for name in sorted({*whole.values()}):
            signs = Counter[str]()
            days = set[str]()
            for form, longest in whole.items():
                if longest == name:
                    signs += self._signs[form]
                    days |= self._days[form]
            is_name = bool(signs["amid"]) or len(name) > 1
            kind = _kind_of_name(signs, is_name=is_name, days=len(days))
            if kind:
                yield self._shown[name], kind

    def _whole(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Each name with the longest one that it is part of: itself where there is none or more
        than one.

        What is mostly written in small letters is no name.
        """
        names = [each for each in self._days if self._is_tall(each)]
        longer: dict[str, set[tuple[str, ...]]] = {}
        for name in names:
            for word in name if len(name) > 1 else ():
                longer.setdefault(word, set()).add(name)
        made = {}
        for name in names:
            letters = len("".join(name))
            fits = []
            for each in longer.get(name[-1], ()):
                is_longer = len("".join(each)) > letters
                if is_longer and name_fit(name, each) >= _LEAST_FIT:
                    fits.append(each)
            fits = [each for each in fits if _holds_all(each, fits)]
            made[name] = name
            if len(fits) == 1:
                made[name] = fits[0]
        return made

    def _is_tall(self, name: tuple[str, ...]) -> bool:
        """Whether each word of a name is mostly written with a capital."""
        return all(2 * self._small[word] <= self._tall[word] for word in name)


def _holds_all(name: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> bool:
    """Whether the others are all parts of a name."""
    return all(other == name or name_fit(other, name) >= _LEAST_FIT for other in others)


def _kind_of_name(
    signs: Mapping[str, int],
    *,
    is_name: bool,
    days: int,
) -> str:
    """The kind of the page that a name with these signs gets, "" for none."""
    if signs["close"]:
        return "person"
    if signs["project"] or (signs["work"] and is_name):
        return "project"
    if days < DAYS or not is_name or not (signs["person"] or signs["company"]):
        return ""
    return "person" if signs["person"] >= signs["company"] else "company"


def _without_verb(run: re.Match[str]) -> re.Match[str]:
    """A name without the verb that begins its sentence: `Gave Mia a pen`."""
    first, _, rest = run[0].partition(" ")
    begins = not re.search(r"[\w,]\s*$", run.string[: run.start()])
    if not (rest and begins and capture.is_verb(first)):
        return run
    return _RUN.match(run.string, run.start() + len(first) + 1) or run


def plan_extract(desk: Desk, carried: Sequence[Carried]) -> Plan:
    """What is written where these are carried to their pages, the oldest first: one change.

    A page that may not be written keeps no other from it, and is named once.
    """
    draft = Draft(desk)
    begun = dict[str, str]()
    refused = dict[str, list[str]]()
    made = list[tuple[str, str, str]]()
    events = draft.events
    done = Events()
    chosen = [each for each in carried if each.page or each.new_page]
    for each in sorted(chosen, key=lambda one: (one.day, one.path, one.line_no, one.key)):
        path = each.page or begun.get(each.new_page, "")
        told = len(events)
        before = None
        try:
            if path:
                before = draft.data(path)
            else:
                new_page = begin_note(desk.vault, each.kind, [each.new_page], desk.moment)
                path = new_page.path
                draft.put(path, new_page.text.encode())
            put = _put(draft, each._replace(page=path))
            draft.check({path})
        except AureliusError as error:
            if error.hint == RUN_AGAIN:  # it is read again
                raise
            with suppress(AureliusError):  # what cannot be read is not in the draft
                draft.put(path, before)
            del events[told:]
            refused.setdefault(error.message, []).append(f"{each.path}:{each.line_no}")
            continue
        begun[each.new_page] = path
        made.append(put)
        done.append(("accept", each.key, ""))
    edits = draft.edits()
    rows = list[str]()
    for page, own, old in made:
        rows += _told(draft, page, own, old)
    facts = f"{len(done)} {plural('fact', len(done))}"
    pages = f"{len(edits)} {plural('page', len(edits))}"
    subject = f"extract: {facts} written to {pages}"
    notices = []
    for why, (first, *rest) in refused.items():
        more = f" and {len(rest)} more" if rest else ""
        notices.append(f"not carried: {first}{more}: {why}")
    return Plan(
        edits=edits,
        why=subject,
        rows=tuple(rows),
        about={"carried": len(done)},
        notices=tuple(notices),
        events=(*events, *done),
    )


def _put(draft: Draft, each: Carried) -> tuple[str, str, str]:
    """Put one fact on its page, in place of the one that it replaces; the page, its id and what
    that one said."""
    own = draft.desk.new_id(each.page, each.text, each.day)
    told = TailParts(source=f"[[{without_ending(each.path)}]]")
    if each.replaces:
        told = told._replace(updates=tidy.let_past(draft, each.replaces, own, _as_fact(each)))
    new = fact_plans.NewFact(
        words=each.worded or each.text,
        date=each.day,
        type=each.type.replace("fact", ""),
        id=own,
        tail=told,
    )
    fact_plans.state(draft, each.page, new)
    old = ""
    if each.replaces:
        old = each.replaces[1].text
    return each.page, own, old


def _told(
    draft: Draft,
    page: str,
    own: str,
    old: str,
) -> list[str]:
    """The rows that tell a fact, where it stands in the end."""
    made = draft.fact(page, own)
    rows = [f"{page}:{made.first}  {made.text}  [id:{own}]"]
    if old:
        rows.append(fact_plans.replaced_notice(old, made.text, page))
    return rows
