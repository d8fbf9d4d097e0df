"""What a person said in a conversation: whole sentences, kept in today's note, and questions about
what they disagree with.

    messages → statements (language/spoken) → about which page, beside which fact → lines under `##
    Captured`

At a session's end what was not captured yet becomes one section of the day. What stands there
already is not added again. No line that stands in a note is changed: where a statement and a fact
may not both hold, the person is asked. Only where they chose `[capture] replace = "apply"` a
sentence takes the place of the same one with another value.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from functools import cached_property
from math import hypot
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.compose import change, daily_line
from aurelius.compose.fact_text import TailParts, compose_fact_line
from aurelius.language import spoken
from aurelius.language.sentences import blank_quotes
from aurelius.plans import addressee, tidy
from aurelius.plans.new_note import first_text_of_day
from aurelius.plans.plan import Draft, Plan, carry_out
from aurelius.writing.replace_file import RUN_AGAIN
from indexer.catalog.graph import get_secret
from indexer.catalog.lists import get_facts
from indexer.catalog.names import NoteNames, without_ending
from indexer.errors import ConfigError, ConflictError, UsageError
from indexer.matter.disagreement import may_correct
from indexer.matter.near import Matters, plainly
from indexer.matter.proposals import BLANK_FACT
from indexer.matter.statement import line_covers, line_meaning, say_alike
from indexer.matter.timeline import Stated, is_one_frame, keeps_frame
from indexer.matter.verdict import compare_facts
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import is_archived, is_imported, name_words
from indexer.spelling import group_pairs, single_spaced
from indexer.tokens import embed

from . import capture
from .lines import is_guess
from .resolve import NO_NAMES, Pages
from .sentence_type import (
    WHO_I_AM,
    day_of_event,
    is_order,
    sentence_type,
    with_days,
    without_days,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from aurelius.plans.plan import Desk
    from indexer.catalog.names import Called
    from indexer.note import Fact, Found, Note

    from .resolve import Mention

    Judge = Callable[["Hearing", Sequence[str]], Mapping[str, "NamedSentence"] | None]

_MOST_TRIES = 9  # times that the lines are made again because somebody else wrote to the same note
_NEAR_WEIGHT = 1.0
"""How much the words that are shared with a fact of any page have to tell."""
HERE = 0.7
"""How much they have to tell where the fact is of the page that a statement is about."""
_ALIKE = 0.28
"""How near the meaning of a statement is to that of a fact which it may correct."""
_NEARER = 0.345
"""The same of a sentence that is kept for no other reason."""
_FEW = 5
"""Facts, the nearest ones, of which one may be corrected."""


class KeptLine(NamedTuple):
    """A sentence that is worth keeping, as it was said, and its type; `forget` where it asks to
    forget `found`.

    `page` is the path of the note it is about, "" for none; `found` a fact that may not hold beside
    it, and `same` says that it is that one's sentence with another value; `ask` are pages between
    which a person has to choose; `turn` is the place of the message; `plain`: it says itself which
    fact is to be forgotten; `source`: what it was inferred from, "" for what was said."""

    text: str
    type: str
    page: str
    found: Found | None
    turn: int
    ask: tuple[str, ...] = ()
    plain: bool = True
    same: bool = False
    source: str = ""

    def written(self, today: str) -> str:
        """The sentence with the days that it names as seen from today behind it; "forget" names
        none."""
        if self.type == "forget":
            return self.text
        return with_days(self.text, today)

    def day(self, today: str) -> str:
        """The day on which it became true: of something that happened, the day it names."""
        return (day_of_event(self.text, today) if self.type == "event" else "") or today

    @property
    def old(self) -> str:
        """Where the fact stands that may not hold beside it, "" for none."""
        if self.found:
            return f"{self.found[0]}:{self.found[1].first}"
        return ""


class NamedSentence(NamedTuple):
    """What the person's model says of a sentence: its type, "" for none, and the fact that it may
    not hold beside, whose place it takes or not."""

    type: str = ""
    found: Found | None = None
    replaces: bool = False


class Done(NamedTuple):
    """What became of some turns: lines written, what a person has to decide or know, and why there
    was no commit."""

    lines: tuple[str, ...] = ()
    action: str = ""
    uncommitted: str = ""


def worth_keeping(
    desk: Desk, messages: Sequence[str], judge: Judge | None = None
) -> list[KeptLine]:
    """What of the messages of a person is worth keeping, in their order.  Nothing is written.

    Where `judge` names sentences, it is these, and what the person asked to remember or orders; of
    private notes it hears nothing.
    """
    hearing = Hearing(desk)
    named = None
    if judge and not desk.private:
        named = judge(hearing, messages)
    return list(hearing.heard(messages, named))


def same_words(text: str) -> str:
    """A line with case, spaces and the full stop at its end apart: two of these are the same word
    for word."""
    said = without_days(single_spaced(tidy.unlabelled(text)))
    return said.removesuffix(".").casefold()


_RULES = {"instruction", "preference", "decision"}
_PRONOUN = re.compile(r"(?i)(?:he|she|his|her|hes|shes)\b|\w+ (?:with|to|for|from) (?:her|him)\b")
_MINE = re.compile(r"(?i)\b(?:i|i'm|im|my|me|i've)\b")
_WE = re.compile(r"(?i)(?:i|we|my|our)(?:'?(?:m|ve|re))?\b")
_NOBODY = re.compile(
    r"(?i)(?:he|she|they|it)\b[^,.]*? (?:it|them|him|her|this|that)\b(?! \w+ (?:to|at|on)\b)"
)
_NEEDS = re.compile(r"(?i)\b(?:needs?|must|should|ha(?:s|ve) to|minimum|maximum)\b")
_NOW = re.compile(r"(?i)\s*\b(?:still|now|currently)\b")
_WORD = re.compile(r"[^\W\d_]+")
_BACKUP = re.compile(r"(?i)(?:^|[/ ._-])(?:backups?|bak|trash)(?:[/ ._-]|$)")


def _is_past(note: Called) -> bool:
    """Whether a note is put away or a copy: nothing that is said now is about it."""
    return note.kind == "archive" or is_archived(note.path) or bool(_BACKUP.search(note.path))


def _own_words(note: Called) -> set[str]:
    """The words of the names of a note."""
    return {*name_words(" ".join((note.title, *note.aliases)))}


def _is_clear(near: Sequence[tuple[float, str, Fact]]) -> bool:
    """Whether the nearest fact is near enough, and nearer than those of other pages."""
    if not near or near[0][0] < _NEAR_WEIGHT:
        return False
    return len(near) < 2 or near[1][1] == near[0][1] or near[0][0] > near[1][0] + 0.2


class Hearing:
    """What a vault knows, to tell what a statement is about, whether it is new, and what it takes
    the place of."""

    def __init__(self, desk: Desk) -> None:
        db = desk.db
        notes = [each for each in desk.called() if not _is_past(each)]
        self.desk = desk
        self.pages = Pages(NoteNames(notes, get_secret(db, private=desk.private)))
        self.daily = daily = {each.path for each in notes if each.kind == "daily"}
        facts = [
            each
            for each in get_facts(db, private=desk.private)
            # what is past may be so again, and what waits as a guess is no reason to ask
            if each[1].status != "superseded" and not is_guess(each[1]) and not is_imported(each[0])
        ]
        self.told = group_pairs(facts)
        self.texts = [without_days(fact.text) for _, fact in facts]
        self.words = set(map(same_words, self.texts))
        own = {
            path: self.told[path]
            for path in self.told
            if path in self.pages.called and path not in daily
        }
        titles = {each.path: each.title for each in notes}
        self.matters = Matters(own, titles)
        self.titles = titles
        self.waiting = self._matters_of(
            each for each in facts if each[0] in daily and each[1].status == "proposed"
        )
        self.parts = Counter[str]()
        for each in notes:
            if each.kind in {"person", "company"}:
                self.parts.update(_own_words(each) - NO_NAMES)
        self.met = set[str]()
        self.person = ""
        self.thing = ""  # who was named, and what was spoken of last

    def _matters_of(self, captured: Iterable[Found]) -> Matters:
        """Captured lines, to find those of a matter."""
        plain = [
            (path, fact._replace(text=tidy.unlabelled(fact.text), status="active"))
            for path, fact in captured
        ]
        return Matters(group_pairs(plain), self.titles)

    def heard(
        self, messages: Sequence[str], named: Mapping[str, NamedSentence] | None = None
    ) -> Iterator[KeptLine]:
        """What is worth keeping of messages that follow one another; of their sentences those that
        are `named`, unless that is None, and what is to be remembered or ordered."""
        seen = set[str]()
        for turn, message in enumerate(messages):
            self.thing = ""
            yield from self._let_go(message, turn)
            for each in self._stated(message, named):
                words = same_words(each.text)
                may_open = capture.may_open(capture.DayLine("", "", 1, each.text, ()))
                if words in seen or may_open or self._is_known(words, each.text):
                    continue
                seen.add(words)
                self._spoken(blank_quotes(each.before))
                made = self._judged(each.text, each.core, turn)
                made = self._as_named(made, (named or {}).get(each.text))
                if made.page or not _NOBODY.match(each.core):
                    yield made
            self._spoken(blank_quotes(spoken.own_lines(message)))

    def _stated(
        self, message: str, named: Mapping[str, NamedSentence] | None
    ) -> list[spoken.Statement]:
        """The sentences of a message that are worth keeping by themselves or as they are named."""
        found = [*spoken.spoken_statements(message, self.meaning, self.more, self.claims)]
        if named is None:
            return found
        told = {each.text: each for each in spoken.whole_sentences(message) if each.text in named}
        for each in found:
            asked = spoken.is_ordered_kept(each.text) or sentence_type(each.core) == "instruction"
            if asked or each.text in named:
                told[each.text] = each
        return [*told.values()]

    def _as_named(self, made: KeptLine, named: NamedSentence | None) -> KeptLine:
        """A sentence with the type and the fact that were named for it."""
        if named is None:
            return made
        made = made._replace(type=named.type or made.type)
        if named.found is None:
            return made
        line = BLANK_FACT._replace(text=spoken.without_lead(made.text), date=self.desk.today)
        return made._replace(
            found=named.found,
            page=made.page or named.found[0],
            same=named.replaces and self._is_same(named.found, line),
        )

    def _let_go(
        self,
        message: str,
        turn: int,
    ) -> Iterator[KeptLine]:
        """What a message asks to forget: a line for the fact that is meant, or for each of the few
        that may be."""
        for thing in addressee.asked_to_forget(blank_quotes(spoken.own_lines(message))):
            facts = self._asked_past(thing)
            if len(facts) > addressee.FEW_FACTS:
                continue
            for path, fact in facts:
                text = f"{addressee.FORGETS[len(facts) > 1]}{fact.text}"
                yield KeptLine(text, "forget", path, (path, fact), turn, plain=len(facts) == 1)

    def _asked_past(self, thing: str) -> list[Found]:
        """The facts that may be what somebody asked to forget; none of people who are not named."""
        pages = self._named_by(thing)
        facts: list[Found] = []
        for path, each in self.pages.called.items():
            is_other = path not in pages and self.pages.kinds.get(path) in {"person", "company"}
            if path in self.daily or is_other:
                continue
            own = _own_words(each) if path in pages else ()
            rows = [(path, fact) for fact in self.told.get(path, ())]
            facts += addressee.asked_past(thing, rows, own)
        return facts

    def _named_by(self, thing: str) -> set[str]:
        """The pages that are meant by what somebody asked to forget."""
        if _WE.match(thing):
            return set()
        if addressee.PRONOUN.match(thing):
            return {self.person}
        return {each.page for each in self._names(thing)}

    @cached_property
    def _encoder(self) -> Any:
        with suppress(ConfigError):
            return embed.load_model()
        return None

    def meaning(self, text: str) -> Sequence[int]:
        """The embedding of a statement; empty without a model."""
        if self._encoder is None:
            return ()
        return memoryview(self._encoder.vector(self._encoder.ids(text))).cast("b")

    def more(self, text: str) -> float:
        """How much more a statement is worth as it is of a matter, or of somebody or something,
        that is known."""
        known = (*self.matters.near(text)[:3], *self.waiting.near(text)[:3])
        near = [fact.text for score, _, fact in known if score >= _NEAR_WEIGHT]
        is_named = any(each.page in self.pages.entities for each in self._names(text))
        is_changed = any(plainly(each, text) for each in near)
        return bool(near) + is_changed + 0.5 * is_named

    def claims(self, text: str) -> Collection[str]:
        """The kinds of clauses of a sentence that are kept as it may not hold beside a line that is
        known."""
        said = spoken.without_lead(text)
        met = {each.page for each in self._names(said)}
        near = *self.matters.near(said)[:_FEW], *self.waiting.near(said)[:_FEW]
        for score, page, fact in near:
            is_stranger = self.pages.kinds.get(page) == "person" and page not in met
            if is_stranger or score < HERE:
                continue
            if is_one_frame(fact.text, said):
                return "told", "wanted"
            if self.corrects(fact.text, said, _NEARER):
                return ("told",)
        return ()

    def corrects(self, known: str, said: str, least: float = _ALIKE) -> bool:
        """Whether a sentence is about the same thing as a line, and may say that it no longer
        holds; a rule corrects only a rule."""
        if not may_correct(known, said) or is_order(said) > is_order(known):
            return False
        one = self.meaning(known)
        other = self.meaning(blank_quotes(said).replace("¤", " "))
        product: int = sum(map(mul, one, other))
        return product > 0 and product >= least * hypot(*one) * hypot(*other)

    def _is_known(
        self,
        words: str,
        text: str,
    ) -> bool:
        """Whether a line of the vault says the same word for word, or all that a sentence says and
        little beside it."""
        if words in self.words:
            return True
        text = _NOW.sub("", spoken.without_lead(text))
        names = self._names(text)
        forms = [line_meaning(text)]
        if names and names[0].first == 0:
            forms.append(line_meaning(text[names[0].end :]))
        for told in self.texts:
            one = line_meaning(_NOW.sub("", tidy.unlabelled(told)))
            if any(line_covers(one, form) for form in forms):
                return True
        return False

    def _spoken(self, text: str) -> list[Mention]:
        """The names in a text; whom it speaks of last is meant by the next pronoun."""
        names = self._names(text)
        for each in names:
            if self.pages.kinds.get(each.page) == "person":
                self.person = each.page
                self.met.add(each.page)
            elif each.page in self.pages.entities:
                self.thing = each.page
        return names

    def _names(self, text: str) -> list[Mention]:
        """The names in a text, in which parts of names in small letters are taken for names."""
        spelt = _WORD.sub(
            lambda each: each[0].title() if self.parts.get(each[0], 0) == 1 else each[0], text
        )
        return self.pages.mentions(spelt, "", self.desk.moment.date())

    def _judged(
        self,
        text: str,
        core: str,
        turn: int,
    ) -> KeptLine:
        """A sentence whose `core` states something, with what that is about and what may not hold
        beside it."""
        self.met.update(each.page for each in self._names(core))
        near: list[tuple[float, str, Fact]] = []
        page = ""
        is_plain = True
        ask: tuple[str, ...] = ()
        # somebody without a page is filed on no other one
        if not addressee.stranger(self.pages.names, core):
            near = [each for each in self.matters.near(core) if self._may_be_about(each[1], core)]
            page, is_plain, ask = self._about(core, near)
        old = self._rival(core, page, near, is_plain=is_plain)
        if old and not is_plain:
            page = old[0]
        if page in self.pages.entities:
            self.thing = page
        kind = sentence_type(core)
        if kind == "fact":
            kind = sentence_type(spoken.without_lead(text))
        if old and kind in {"fact", "event"}:
            kind = old[1].type
        line = BLANK_FACT._replace(text=spoken.without_lead(text), date=self.desk.today)
        same = False
        if old:
            same = self._is_same(old, line)
        else:
            old = self._waiting_rival(line, self.waiting) or self._other_rival(core)
        return KeptLine(text=text, type=kind, page=page, found=old, turn=turn, ask=ask, same=same)

    def _is_same(self, old: Found, line: Fact) -> bool:
        """Whether a line is the sentence of a fact with another value."""
        names = self.pages.known_as(old[0])
        was = Stated(old[1].text, old[1].date or "", names)
        made = Stated(line.text, line.date or "", names)
        is_exchanged = compare_facts(old[1], line, names).is_other_value and keeps_frame(was, made)
        return is_exchanged or is_one_frame(old[1].text, line.text)

    def _waiting_rival(
        self,
        line: Fact,
        waiting: Matters,
    ) -> Found | None:
        """The captured line of the same matter that may not hold beside a sentence."""
        for score, path, fact in waiting.near(line.text)[:_FEW]:
            if score >= _NEAR_WEIGHT and self._is_rival(fact, line, frozenset()):
                return path, fact
        return None

    def _other_rival(self, core: str) -> Found | None:
        """The line of a page, of whomever the sentence is, that it may correct."""
        for score, path, fact in self.matters.near(core)[:_FEW]:
            is_near = score >= _NEAR_WEIGHT and self._may_be_about(path, core)
            if is_near and self.corrects(fact.text, core, _NEARER):
                return path, fact
        return None

    def rival(
        self,
        line: Fact,
        page: str,
        before: Sequence[Found],
    ) -> Found | None:
        """The fact that may not hold beside a captured line, or the line captured `before` it;
        `page` is what it is about, "" where it does not say."""
        text = line.text
        near = [each for each in self.matters.near(text) if not page or each[1] == page]
        if not page:
            self.met = {each.page for each in self._names(text)}
            near = [each for each in near if self._may_be_about(each[1], text)]
            page, *_ = self._about(text, near)
        old = self._rival(text, page, near, is_plain=False)
        return old or self._waiting_rival(line, self._matters_of(before))

    def _may_be_about(
        self,
        page: str,
        text: str,
    ) -> bool:
        """False for the page of somebody who was not named; what `I` and `we` say is about nobody
        else."""
        if page == "ME.md":
            return bool(_MINE.search(text))
        return self.pages.kinds.get(page) != "person" or (page in self.met and not _WE.match(text))

    def _about(
        self,
        text: str,
        near: Sequence[tuple[float, str, Fact]],
    ) -> tuple[str, bool, tuple[str, ...]]:
        """The page that a statement is about, whether its own subject says so, and the pages it may
        be about."""
        person = self.person
        thing = self.thing
        names = self._spoken(text)
        lead = next((each for each in names if each.first < 5), None)
        if lead and lead.page in self.pages.entities:
            return lead.page, self.pages.kinds.get(lead.page) == "person", ()
        if lead and lead.asked:
            return "", True, lead.asked
        if person and _PRONOUN.match(text):
            return person, bool(addressee.PRONOUN.match(text)), ()
        if _is_clear(near):
            return near[0][1], False, ()
        return self._page_by_names(text, names, thing), False, ()

    def _page_by_names(
        self,
        text: str,
        names: Sequence[Mention],
        thing: str,
    ) -> str:
        """The one page that a statement names, else ME.md, or the thing spoken of before."""
        pages = {each.page for each in names} & self.pages.entities
        named = {page for page in pages if self._may_be_about(page, text)}
        if len(named) == 1:
            return named.pop()
        if "ME.md" not in self.pages.called or not _MINE.search(text):
            return thing
        if WHO_I_AM.search(text) or text[:3].casefold() == "my ":
            return "ME.md"
        return thing or "ME.md"

    def _rival(
        self,
        text: str,
        page: str,
        near: Sequence[tuple[float, str, Fact]],
        *,
        is_plain: bool,
    ) -> Found | None:
        """The fact that may not hold beside a statement: of one matter, with another value."""
        line = BLANK_FACT._replace(text=text, date=self.desk.today)
        names = self.pages.known_as(page)
        for path, fact in self._near_enough(text, page, near, is_plain=is_plain):
            is_of_entity = path == page and page in self.pages.entities
            is_past = is_of_entity and plainly(fact.text, text)
            if (is_past and self._is_of_sort(fact, text)) or self._is_rival(fact, line, names):
                return path, fact
        for fact in self.told.get(page, ()):
            is_of_sort = fact.status == "active" and self._is_of_sort(fact, text)
            if is_of_sort and compare_facts(fact, line, names).is_changed:
                return page, fact
        return None

    def _is_rival(self, fact: Fact, line: Fact, names: frozenset[str]) -> bool:
        """Whether a line may not hold beside a fact of its matter."""
        said = spoken.without_lead(line.text)
        if say_alike(fact.text, said) or fact.text.startswith("[["):
            return False
        is_of_sort = self._is_of_sort(fact, said)
        if is_of_sort and compare_facts(fact, line, names).is_changed:
            return True
        return is_one_frame(fact.text, said) or self.corrects(fact.text, said)

    def _near_enough(
        self,
        text: str,
        page: str,
        near: Sequence[tuple[float, str, Fact]],
        *,
        is_plain: bool,
    ) -> Iterator[Found]:
        """The facts that share enough with a statement to be of its matter; who somebody is has
        none."""
        if WHO_I_AM.search(text):
            return
        for score, path, fact in near:
            if path == page:
                is_near = score >= HERE
            else:
                is_near = score >= _NEAR_WEIGHT and not is_plain
            if is_near:
                yield path, fact

    def _is_of_sort(
        self,
        fact: Fact,
        text: str,
    ) -> bool:
        """True if a statement is of a fact's sort: a day for a day, a rule for a rule."""
        if say_alike(fact.text, text) or fact.text.startswith("[["):
            return False
        if fact.type == "preference" and not plainly(fact.text, text):
            return False
        is_rule = spoken.is_rule(text)
        if fact.type == "instruction":
            return is_rule or spoken.clause_decides(text) or bool(_NEEDS.search(text))
        return not is_rule or fact.type in _RULES or spoken.is_rule(fact.text)


# -- writing ---------------------------------------------------------------------------


def after_turns(
    desk: Desk,
    turns: Sequence[Any],
    session: str,
    event: str,
    *,
    touched: Sequence[str] = (),
    judge: Judge | None = None,
    summary: str = "",
) -> Done:
    """Keep what the person said in these turns: after an answer (`stop`), or as the session's own
    section of the day where it ends or is shortened, with its summary and the files it touched.
    ConflictError, UsageError: the note cannot be written.
    """
    for _ in range(_MOST_TRIES):
        messages = [turn.text for turn in turns if turn.role == "user"]
        found = worth_keeping(desk, messages, judge)
        plan = _plan_sentences(
            desk, found, session, "" if event == "stop" else event, touched, summary
        )
        try:
            uncommitted = ""
            if plan.edits:
                done = carry_out(desk, plan).applied
                uncommitted = done.uncommitted if done else ""
            replaced = plan.about.get("replaced", ())
            told = action(found, replaced)
            return Done(plan.rows, told, uncommitted)
        except ConflictError as error:
            if error.hint != RUN_AGAIN:
                raise
            desk.vault.refresh()
    raise ConflictError(
        "today's note changes again and again",
        "nothing was written; it is tried with the next answer",
    )


def plan_observations(desk: Desk, found: Sequence[KeptLine]) -> Plan:
    """The plan that adds what was inferred to today's note, where it waits for the person."""
    return _plan_sentences(desk, found, "", "", (), "")


def _plan_sentences(
    desk: Desk,
    found: Sequence[KeptLine],
    session: str,
    part: str,
    touched: Sequence[str],
    summary: str,
) -> Plan:
    """The plan that adds sentences to today's note; with `"apply"` some take the place of a
    fact."""
    draft = Draft(desk)
    path = desk.vault.today(desk.today)
    data = draft.data(path) or _first_data(desk, path)
    today = draft.read(path, data)
    found = _new_lines(found, today)
    heading = "Captured"
    if part:
        short = re.sub(r"\W", "", session)[-8:]
        touched = _not_written_down(draft, path, short, touched)
        if not (found or touched or summary):
            return Plan((), "")
        heading = daily_line.free_heading(today, desk.moment)
        data = daily_line.with_session(data, heading, short, touched, summary)
    applies = desk.vault.config.capture_replace == "apply"
    rows = list[str]()
    made = list[KeptLine]()
    for each in found:
        with suppress(UsageError):  # what no list item can hold keeps nothing else from its place
            text = _line(desk, path, each, applies=applies)
            data = change.add_fact(data, text, heading, path=path, read=draft.read, day=desk.today)
            rows.append(text)
            made.append(each)
    if not rows and not part:
        return Plan((), "")
    draft.put(path, data)
    pages = _replace_facts(draft, path, made)
    why = f"captured in {path}"
    if pages:
        why += f", replaced in {', '.join(dict.fromkeys(pages))}"
    return Plan(
        edits=draft.edits(),
        why=why,
        rows=tuple(rows),
        about={"replaced": pages},
        events=tuple(draft.events),
    )


def _first_data(desk: Desk, path: str) -> bytes:
    """Today's note before anything stands in it."""
    first = first_text_of_day(desk.vault, path, desk.moment).text
    return (f"# {desk.today}\n\n" if first is None else first).encode()


def _new_lines(found: Sequence[KeptLine], today: Note) -> list[KeptLine]:
    """The sentences that today's note has not yet; of two values in one breath nobody knows which
    one holds, so that neither takes the other's place."""
    there = set(map(same_words, [*(fact.text for fact in today.facts), *today.lines]))
    found = [each for each in found if same_words(each.text) not in there]
    asked = Counter(each.old for each in found)
    return [each._replace(same=each.same and asked[each.old] == 1) for each in found]


def _not_written_down(
    draft: Draft,
    path: str,
    session: str,
    touched: Sequence[str],
) -> list[str]:
    """The files that neither today's note nor that of the day before has for a session."""
    days = [each.path for each in draft.desk.called() if each.kind == "daily" and each.path < path]
    known = set[str]()
    for day in (path, *sorted(days)[-1:]):
        known.update(daily_line.files_touched(draft.note(day), session))
    return [each for each in touched if each not in known]


def _replace_facts(
    draft: Draft,
    path: str,
    made: Iterable[KeptLine],
) -> list[str]:
    """Let sentences of today's note take the place of facts, where the person chose that; the
    pages of these."""
    pages: list[str] = []
    if draft.desk.vault.config.capture_replace != "apply":
        return pages
    for each in filter(_is_applied, made):
        today = draft.desk.today
        line = draft.fact(path, draft.desk.new_id(path, each.written(today), today))
        if each.found and tidy.promoted(draft, (path, line), each.found):
            pages.append(each.found[0])
    if pages:
        draft.put(path, re.sub(rb"\n## Captured\s*\Z", b"", draft.there(path)))
    return pages


def _line(
    desk: Desk,
    path: str,
    each: KeptLine,
    *,
    applies: bool,
) -> str:
    """The line of a sentence, as today's note has it; `applies` where it goes on to the page of
    what it replaces."""
    words = text = each.written(desk.today)
    page = next((one for one in desk.called() if one.path == each.page), None)
    if page and page.kind in ENTITY_KINDS:
        text = f"[[{without_ending(each.page)}|{page.title}]]: {text}"
    told = TailParts(type="" if each.type in {"fact", "forget"} else each.type)
    if applies and _is_applied(each):
        told = told._replace(source=f"[[{without_ending(path)}]]")
    if each.source:
        told = told._replace(inferred=True, source=each.source)
    if each.type == "forget" and each.found:
        told = told._replace(updates=each.found[1].id)
    own = desk.new_id(path, words, desk.today)
    return compose_fact_line(text, date=each.day(desk.today), id=own, told=told)


def _is_applied(each: KeptLine) -> bool:
    """True if a sentence may replace a fact at once; who somebody is, in ME.md, is only
    proposed."""
    return bool(each.same and each.found and each.found[0] != "ME.md")


def action(found: Sequence[KeptLine], replaced: Collection[str]) -> str:
    """What a person has to decide, or was done to these pages in their name, a line each; "" for
    nothing."""
    rows = []
    for each in found:
        if each.found:
            path, fact = each.found
            where = f"{path}:{fact.first}{f' ^{fact.id}' if fact.id else ''}"
            if each.type == "forget":
                if each.plain:
                    sure = ""
                else:
                    sure = " is this what you mean?"
                rows.append(
                    f'You asked to forget "{fact.text}" ({where});{sure} `aurelius review` lets it'
                    " be past."
                )
            elif path in replaced and _is_applied(each):
                rows.append(
                    f'I replaced "{fact.text}" ({where}) with "{each.text}"; `aurelius undo` takes'
                    " it back."
                )
            else:
                rows.append(
                    f'You said "{each.text}"; the note says "{fact.text}" ({where}). Which is'
                    " correct? `aurelius review` shows both and can replace the old one."
                )
        elif each.ask:
            pages = " or ".join(f"[[{without_ending(page)}]]" for page in each.ask)
            rows.append(
                f'You said "{each.text}"; to say which note this is about, name one of them:'
                f" {pages}."
            )
    return "\n".join(rows)
