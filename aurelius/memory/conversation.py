"""What a person said in a conversation: kept in today's note, and put in the place of what it makes old.

    messages → statements (language/spoken) → about which page, instead of which fact → lines under `## Captured`

At a session's end what was not captured yet becomes one section of the day.  The same words read twice add nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.compose import change, daily_line
from aurelius.compose.fact_text import TailParts, fact_line
from aurelius.language import spoken
from aurelius.language.replacements import BLANK, Matters, judge, older, plainly
from aurelius.plans import addressee, tidy
from aurelius.plans.new_note import first_text_of_day
from aurelius.plans.plan import Draft, Plan, carry_out
from aurelius.writing.replace_file import CHANGED
from indexer.catalog.graph import LinkedNotes, get_called, get_secret
from indexer.catalog.lists import get_facts
from indexer.catalog.names import Names, without_ending
from indexer.catalog.newer import alike, called
from indexer.errors import ConfigError, ConflictError, UsageError
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import is_archived, words
from indexer.tokens import embed

from . import capture
from .resolve import NO_NAMES, Pages

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from aurelius.plans.plan import Desk
    from indexer.note import Fact

    from .resolve import Mention

    Found = tuple[str, Fact]

TRIES = 9  # times that the lines are made again because somebody else wrote to the same note
NEAR, HERE = 1.0, 0.7  # how much the words shared with a fact have to tell: of any page, of the page it is about


class KeptLine(NamedTuple):
    """A statement that is worth keeping, as it was said, and its type; `forget` where it asks to forget `found`.

    `page` is the path of the note it is about, "" for none; `found` the fact that it takes the place of; `against` one
    that disagrees with it; `ask` are pages between which a person has to choose; `turn` is the place of the message;
    `plain`: it says itself which fact that is."""

    text: str
    type: str
    page: str
    found: Found | None
    turn: int
    against: Found | None = None
    ask: tuple[str, ...] = ()
    plain: bool = True

    @property
    def old(self) -> str:
        """Where the fact stands that it takes the place of, "" for none."""
        return f"{self.found[0]}:{self.found[1].first}" if self.found else ""


class Done(NamedTuple):
    """What became of some turns: lines written, what a person has to decide or know, and why there was no commit."""

    lines: tuple[str, ...] = ()
    action: str = ""
    uncommitted: str = ""


def kept(desk: Desk, messages: Sequence[str]) -> list[KeptLine]:
    """What of the messages of a person is worth keeping, in their order.  Nothing is written."""
    return list(_Hearing(desk).heard(messages))


_SUBJECT = re.compile(r"(?i)(?:he|she|his|her|hes|shes)\b")
_RULES = {"instruction", "preference", "decision"}
_PRONOUN = re.compile(r"(?i)(?:he|she|his|her|hes|shes)\b|\w+ (?:with|to|for|from) (?:her|him)\b")
_MINE, _WE = re.compile(r"(?i)\b(?:i|i'm|im|my|me|i've)\b"), re.compile(r"(?i)(?:i|we|my|our)(?:'?(?:m|ve|re))?\b")
_NOBODY = re.compile(r"(?i)(?:he|she|they|it)\b[^,.]*? (?:it|them|him|her|this|that)\b(?! \w+ (?:to|at|on)\b)")
_CORRECTS = re.compile(r"(?i)\b(?:no|sorry|actually|correction|not|instead|rather|wrong|meant|mistaken)\b|n't\b")
_ONLY = re.compile(r"(?i)(?:no|never|always|only|please) .*\b(?:before|without|unless|until)\b")
_SAYS_MORE = re.compile(r"[,;:] (?:\S+ ){2}|\band (?:\S+ ){3}")
_NEEDS = re.compile(r"(?i)\b(?:needs?|must|should|ha(?:s|ve) to|minimum|maximum)\b")
_STILL, _NOW = re.compile(r"(?i)\bstill\b"), re.compile(r"(?i)\s*\b(?:still|now|currently)\b")
_WORD, _DAY = re.compile(r"[^\W\d_]+"), re.compile(r"\b\d{4}-\d\d-\d\d\b")
_WILL = re.compile(
    r"(?i)\b(?:will|shall|going (?:to|live)|flying|fly to|comes|coming|takes? over|leaves|leaving|moving"
    r"|(?:is|are) to be|starts?|back the|move in|workshop|meeting)\b|'ll\b|^it'?s the "
)
_EVENT = re.compile(
    r"(?i)(?:\b(?:is|are)|'s) (?:on )?(?:the |\d)|\b(?:last day|turning|deadline|takes place|first time)\b"
)
_WHO_I_AM = re.compile(r"(?i)\bi(?:'m| am) (?:an? |the |from)|\b(?:passport|nationality|my name)\b")
_CHOSE = re.compile(r"(?i)\b(?:decid|agreed|settled|i take|shall not|instead|going with|let'?s)")
_BACKUP = re.compile(r"(?i)(?:^|[/ ._-])(?:backups?|bak|trash)(?:[/ ._-]|$)")


def _type(text: str) -> str:
    """The type of a statement."""
    plain, is_day = re.sub(r"(?i)\bany ?more\b", "", text), spoken.DATED.search(text) and not _CHOSE.search(text)
    told = {
        "instruction": spoken.is_rule(plain), "preference": spoken.LIKES.search(text),
        "plan": is_day and _WILL.search(text), "event": is_day and _EVENT.search(text),
        "decision": spoken.is_decided(plain), "identity": _WHO_I_AM.search(text),
    }  # fmt: skip
    return next((name for name, so in told.items() if so), "fact")


class _Hearing:
    """What a vault knows, to tell what a statement is about, whether it is new, and what it takes the place of."""

    def __init__(self, desk: Desk) -> None:
        db = desk.vault.index().db
        every = list(get_called(db, private=desk.private))
        past = {one.path for one in every if one.kind == "archive" or is_archived(one.path) or _BACKUP.search(one.path)}
        notes = [one for one in every if one.path not in past]  # nothing that is said now is about the others
        links = LinkedNotes(db, private=desk.private)
        self.desk = desk
        self.pages = Pages(
            Names(notes, get_secret(db, private=desk.private)), lambda path: links.to(path) | links.from_(path)
        )
        self.daily = daily = {each.path for each in notes if each.kind == "daily"}
        self.told: dict[str, list[Fact]] = {}
        for path, fact in get_facts(db, private=desk.private):
            self.told.setdefault(path, []).append(fact)
        facts = {path: self.told[path] for path in self.told if path in self.pages.called and path not in daily}
        self.matters = Matters(facts, {each.path: each.title for each in notes})
        self.waiting = [(path, each) for path in daily for each in self.told.get(path, ()) if each.status == "proposed"]
        named = [
            {*words(" ".join((each.title, *each.aliases)))} for each in notes if each.kind in {"person", "company"}
        ]
        self.parts = Counter(word for each in named for word in each - NO_NAMES)
        self.met, self.person, self.thing = set[str](), "", ""  # who was named, and what was spoken of last

    def heard(self, messages: Sequence[str]) -> Iterator[KeptLine]:
        """What is worth keeping of messages that follow one another."""
        seen = set[str]()
        for turn, message in enumerate(messages):
            self.thing = ""
            yield from self._let_go(message, turn)
            for text, before in spoken.told(message, self.meaning, self.more):
                if text in seen or self._is_known(text) or capture.may_open(capture.DayLine("", "", 1, text, ())):
                    continue
                seen.add(text)
                self._spoken(spoken.blanked(before))
                made = self._judged(text, turn, before.rpartition("\n")[2][-25:])
                if made.page or not _NOBODY.match(text):
                    yield made
            self._spoken(spoken.blanked(spoken.own(message)))

    def _let_go(self, message: str, turn: int) -> Iterator[KeptLine]:
        """What a message asks to forget: a line for the fact that is meant, or for each of the few that may be."""
        for thing in addressee.forgotten(spoken.blanked(spoken.own(message))):
            named = {self.person} if _SUBJECT.match(thing) else {each.page for each in self._names(thing)}
            pages = set[str]() if _WE.match(thing) else named
            others = {path for path, kind in self.pages.kinds.items() if kind in {"person", "company"}} - pages
            facts = []
            for path, each in self.pages.called.items():
                own = words(" ".join((each.title, *each.aliases))) if path in pages else ()
                rows = [] if path in self.daily | others else [(path, fact) for fact in self.told.get(path, ())]
                facts += addressee.asked_past(thing, rows, own)
            for path, fact in facts if len(facts) <= addressee.FEW else ():
                text = f"{addressee.FORGETS[len(facts) > 1]}{fact.text}"
                yield KeptLine(text, "forget", path, (path, fact), turn, plain=len(facts) == 1)

    def meaning(self, text: str) -> Sequence[int]:
        """The embedding of a statement; empty without a model."""
        with suppress(ConfigError):
            return memoryview(embed.load().vector(embed.load().ids(text))).cast("b")
        return ()

    def more(self, text: str) -> float:
        """How much more a statement is worth as it is of a matter, or of somebody or something, that is known."""
        near = [fact.text for score, _, fact in self.matters.near(text)[:3] if score >= NEAR]
        is_known = 1.0 * any(not alike(each, text) for each in near) + 1.0 * any(plainly(each, text) for each in near)
        return is_known + 0.5 * any(each.page in self.pages.entities for each in self._names(text))

    def _is_known(self, text: str) -> bool:
        names, text = self._names(text), _NOW.sub("", text)
        forms = [text, *(text[each.end :] for each in names[:1] if each.first == 0)]
        texts = (_NOW.sub("", tidy.LABEL.sub("", fact.text, count=1)) for rows in self.told.values() for fact in rows)
        return any(alike(one, form) for one in texts for form in forms)

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
        spelt = _WORD.sub(lambda each: each[0].title() if self.parts.get(each[0], 0) == 1 else each[0], text)
        return self.pages.mentions(spelt, "", self.desk.moment.date())

    def _judged(self, text: str, turn: int, lead: str) -> KeptLine:
        """A statement, with what it is about and what it replaces; `lead` is what leads to it: `Correction:`."""
        self.met.update(each.page for each in self._names(text))
        is_strange = addressee.stranger(self.pages.names, text)  # somebody without a page is filed on no other one
        near = [] if is_strange else [each for each in self.matters.near(text) if self._may_be_about(each[1], text)]
        page, is_plain, ask = ("", True, ()) if is_strange else self._about(text, near)
        corrects = bool(_CORRECTS.search(lead) or _CORRECTS.search(text))
        is_new = not _STILL.search(text) and (corrects or spoken.is_different(text))
        old = self._replaced(text, page, near, is_plain=is_plain, corrects=corrects) if is_new else None
        old = old or (self._taken_back(text) if corrects else None)
        against = None if old else self._against(text, page, near)
        other = old if old and old[1].status == "active" else against
        page = other[0] if other and not is_plain else page
        self.thing = page if page in self.pages.entities else self.thing
        kind = _type(text)
        kind = old[1].type if old and kind == "fact" else kind
        line = BLANK._replace(text=f"[[{page}|]]: {text}", type=kind)
        plain = not old or addressee.is_plain(self.pages.names, page, line, old[1])
        return KeptLine(text, kind, page, old, turn, against, ask, plain)

    def _may_be_about(self, page: str, text: str) -> bool:
        """False for the page of somebody who was not named; what `I` and `we` say is about nobody else."""
        if page == "ME.md":
            return bool(_MINE.search(text))
        return self.pages.kinds.get(page) != "person" or (page in self.met and not _WE.match(text))

    def _about(self, text: str, near: Sequence[tuple[float, str, Fact]]) -> tuple[str, bool, tuple[str, ...]]:
        """The page that a statement is about, whether its own subject says so, and the pages it may be about."""
        person, thing = self.person, self.thing
        names = self._spoken(text)
        lead = next((each for each in names if each.first < 5), None)
        if lead and lead.page in self.pages.entities:
            return lead.page, self.pages.kinds.get(lead.page) == "person", ()
        if lead and lead.asked:
            return "", True, lead.asked
        if person and _PRONOUN.match(text):
            return person, bool(_SUBJECT.match(text)), ()
        if near and near[0][0] >= NEAR and (len(near) < 2 or near[1][1] == near[0][1] or near[0][0] > near[1][0] + 0.2):
            return near[0][1], False, ()
        pages = {each.page for each in names} & self.pages.entities
        named = {page for page in pages if self._may_be_about(page, text)}
        if len(named) == 1:
            return named.pop(), False, ()
        is_own = _MINE.search(text) and (not thing or _WHO_I_AM.search(text) or text[:3].casefold() == "my ")
        return "ME.md" if is_own and "ME.md" in self.pages.called else thing, False, ()

    def _replaced(
        self, text: str, page: str, near: Sequence[tuple[float, str, Fact]], *, is_plain: bool, corrects: bool
    ) -> Found | None:
        """The fact that a statement takes the place of: of one matter, with another value."""
        for score, path, fact in () if _WHO_I_AM.search(text) else near:
            is_near = score >= HERE if path == page else score >= NEAR and not is_plain
            if is_near and plainly(fact.text, text) and self._may_replace(fact, text, corrects=corrects):
                return path, fact
        line, each = BLANK._replace(text=text, date=self.desk.today), self.pages.called.get(page)
        old = older(self.told.get(page, ()), line, called(each.title, page, each.aliases)) if each else None
        return (page, old) if old and self._may_replace(old, text, corrects=corrects) else None

    def _may_replace(self, fact: Fact, text: str, *, corrects: bool) -> bool:
        """True if a statement is of a fact's sort: a day for a day, a rule for a rule; of today's, a correction."""
        is_rule = spoken.is_rule(text) or spoken.is_decided(text) or bool(_NEEDS.search(text))
        return (
            not (alike(fact.text, text) or fact.text.startswith("[["))
            and (fact.type != "preference" or plainly(fact.text, text))
            and bool(spoken.DATED.search(text) or not _DAY.search(fact.text))
            and (is_rule or fact.type != "instruction")
            and (fact.type in _RULES or spoken.is_rule(fact.text) or not spoken.is_rule(text))
            and (fact.type == "instruction" or not _ONLY.match(text))
            and (corrects or fact.date != self.desk.today)
        )

    def _taken_back(self, text: str) -> Found | None:
        """The line under review that a statement corrects."""
        texts = enumerate(tidy.LABEL.sub("", fact.text, count=1) for _, fact in self.waiting)
        rows = {str(at): [BLANK._replace(text=each)] for at, each in texts}
        found = next(iter(Matters(rows, {}).near(text)), None)
        return self.waiting[int(found[1])] if found and found[0] >= NEAR and not alike(found[2].text, text) else None

    def _against(self, text: str, page: str, near: Sequence[tuple[float, str, Fact]]) -> Found | None:
        """The fact that says the opposite, where nothing tells which of the two holds."""
        close = [(path, fact) for score, path, fact in near if score >= NEAR or path == page]
        return next((each for each in close if (judge(each[1].text, text) or " ")[0] == "ask"), None)


# -- writing -----------------------------------------------------------------------------------------------


def after_turns(desk: Desk, turns: Sequence[Any], session: str, event: str, *, touched: Sequence[str] = ()) -> Done:
    """Keep what the person said in these turns: after an answer (`stop`), or as the session's own section of the day
    where it ends or is shortened, with the files it touched.  ConflictError, UsageError: the note cannot be written.
    """
    for _ in range(TRIES):
        found = kept(desk, [turn.text for turn in turns if turn.role == "user"])
        plan = written(desk, found, session, "" if event == "stop" else event, touched)
        try:
            done = carry_out(desk, plan).applied if plan.edits else None
            return Done(plan.rows, action(found, plan.about.get("replaced", ())), done.uncommitted if done else "")
        except ConflictError as error:
            if error.hint != CHANGED:
                raise
            desk.vault.refresh()
    raise ConflictError("today's note changes again and again", "nothing was written; it is tried with the next answer")


def written(desk: Desk, found: Sequence[KeptLine], session: str, part: str, touched: Sequence[str]) -> Plan:
    """The plan that writes statements into today's note; with `"apply"` those that replace a fact do it."""
    draft, path, events = Draft(desk.place), desk.vault.today(desk.today), list[tuple[str, str, str]]()
    data = draft.data(path)
    if not data:
        first = first_text_of_day(desk.vault, path, desk.moment).text
        data = (f"# {desk.today}\n\n" if first is None else first).encode()
    there = {tidy.LABEL.sub("", fact.text, count=1) for fact in draft.read(path, data).facts}
    last = {each.old: each.text for each in found if each.old}  # what was taken back in the next breath is not kept
    found = [each for each in found if each.text not in there and last.get(each.old, each.text) == each.text]
    heading = "Captured"
    if part:
        short = re.sub(r"\W", "", session)[-8:]
        called_days = get_called(desk.vault.index().db, private=desk.private)
        days = sorted((each.path for each in called_days if each.kind == "daily" and each.path < path), reverse=True)
        known = {file for day in (path, *days[:1]) for file in daily_line.files_touched(draft.note(day), short)}
        touched = [each for each in touched if each not in known]
        if not found and not touched:
            return Plan((), "")
        heading = daily_line.free_heading(draft.read(path, data), desk.moment)
        data = daily_line.with_session(data, heading, short, touched)
    applies = desk.vault.config.capture_replace == "apply"
    rows, made = list[str](), list[KeptLine]()
    for each in found:
        with suppress(UsageError):  # what no list item can hold keeps nothing else from its place
            text = _line(desk, path, each, applies=applies)
            data = change.add(data, text, heading, path=path, read=draft.read, day=desk.today, status="proposed")
            rows.append(text)
            made.append(each)
            own = desk.new_id(path, each.text, desk.today)
            if each.found and each.type != "forget":
                data = daily_line.settled(data, path, each.found[1], own, draft.read)
    if not rows and not part:
        return Plan((), "")
    draft.put(path, data)
    pages = []
    for each in filter(_is_applied, made) if applies else ():
        line = draft.fact(path, desk.new_id(path, each.text, desk.today))
        if each.found and tidy.promoted(desk, draft, (path, line), each.found, events):
            pages.append(each.found[0])
    if pages:
        draft.put(path, re.sub(rb"\n## Captured\s*\Z", b"", draft.there(path)))
    why = f"captured in {path}" + (f", replaced in {', '.join(dict.fromkeys(pages))}" if pages else "")
    return Plan(draft.edits(), why, tuple(rows), {"replaced": pages}, (), tuple(events))


def _line(desk: Desk, path: str, each: KeptLine, *, applies: bool) -> str:
    """The line of a statement, as today's note has it; `applies` where it goes on to the page of what it replaces."""
    goes_on = applies and _is_applied(each)
    waits = each.found and each.found[1].status != "active"
    source = f"[[{without_ending(path)}]]" if goes_on else ""
    text, called = each.text, get_called(desk.vault.index().db, private=desk.private)
    if (kind := next((one for one in called if one.path == each.page), None)) and kind.kind in ENTITY_KINDS:
        text = f"[[{without_ending(each.page)}|{kind.title}]]: {text}"
    told = TailParts(
        type="" if each.type in {"fact", "forget"} else each.type, source=source,
        updates="" if goes_on or not each.found else each.found[1].updates if waits else each.found[1].id,
        contradicts=each.against[1].id if each.against else "",
    )  # fmt: skip
    return fact_line(text, date=desk.today, id=desk.new_id(path, each.text, desk.today), told=told)


def _is_applied(each: KeptLine) -> bool:
    """True if a statement may replace a fact at once: who somebody is, in ME.md, is only proposed."""
    if not each.found or each.type == "forget" or each.found[0] == "ME.md" or each.found[1].status != "active":
        return False
    return each.plain and not _SAYS_MORE.search(each.found[1].text)


def action(found: Sequence[KeptLine], replaced: Collection[str]) -> str:
    """What a person has to decide, or was done to these pages in their name, a line each; "" for nothing."""
    rows = []
    for each in found:
        other = each.found or each.against
        if other and other[1].status == "active":
            path, fact = other
            where = f"{path}:{fact.first}{f' ^{fact.id}' if fact.id else ''}"
            if each.type == "forget":
                sure = "" if each.plain else " is this what you mean?"
                rows.append(f'You asked to forget "{fact.text}" ({where});{sure} `aurelius review` lets it be past.')
            elif path in replaced and _is_applied(each):
                rows.append(f'I replaced "{fact.text}" ({where}) with "{each.text}"; `aurelius undo` takes it back.')
            else:
                where += "" if each.against else "; `aurelius review` can replace it"
                rows.append(f'You said "{each.text}"; the note says "{fact.text}" ({where}). Which is correct?')
        elif each.ask:
            pages = " or ".join(f"[[{without_ending(page)}]]" for page in each.ask)
            rows.append(f'You said "{each.text}"; to say which note this is about, name one of them: {pages}.')
    return "\n".join(rows)
