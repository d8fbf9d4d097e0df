"""The conversation as a page: each turn with the lines that it cites as they are now, and what it
offers to change."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from aurelius.answers.note_view import line_reader
from aurelius.chat.cited import is_as_cited
from aurelius.chat.talk import ROLE_BEFORE, ROLE_HOLDS, ROLE_NEAR, ROLE_NEWER
from aurelius.memory.lines import TEXT_TYPE
from aurelius.plans.plan import Written, edits_digest
from indexer.catalog.lists import get_keyed, get_titles
from indexer.errors import AureliusError
from indexer.reading.type_words import is_fact_heading
from indexer.search.asked import days_asked
from indexer.spelling import clipped, single_spaced

from .actions import SentForm, action_of
from .addresses import HOME, kind_url, span_url
from .call import PageAnswer
from .diffs import changed_lines, diff_lines
from .done import what_was_done
from .line_html import message_html
from .links import PageLinks
from .page_words import called, notice_on_page, words_on_page
from .review_page import shown_matter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurelius.answers.note_view import LineReader
    from aurelius.chat.talk import Cited, OfferedChange, ShownSentence, TalkReply, TalkTurn
    from aurelius.vault import Vault
    from indexer.note import Fact

    from .call import PageCall
    from .diffs import ChangedLine, DiffLine
    from .done import DoneNotice
    from .review_page import ShownMatter
    from .talks import OpenTalk, TurnMark

_TURNS_A_PART = 8
_LETTERS_A_LINE = 500
"""Letters of a cited line that are shown."""
_LETTERS_A_DIFF = 4_000
"""Letters of a diff that is shown within the conversation; a longer one has a page of its own."""
_ROLES = {
    ROLE_HOLDS: "Holds",
    ROLE_BEFORE: "Was true before",
    ROLE_NEWER: "Newer",
    ROLE_NEAR: "Nearest",
}


class ShownCite(NamedTuple):
    """A cited line: its words as HTML and plain, what it is to the answer, where it stands by now,
    under which heading where that says more than its note, how it changed since it was cited, and
    the fact that can be corrected, "" for none."""

    cited: Cited
    html: Markup
    role: str
    line: int
    title: str
    section: str = ""
    changed: str = ""
    fact: str = ""

    @property
    def told(self) -> str:
        """It in one plain text."""
        return f"{self.role}: {self.cited.line.text} ({self.title})"


class ShownOffer(NamedTuple):
    """A change to say yes to: its action and the fields of that, its diff and the lines
    that change, and what a form that agrees to exactly that carries; or why it cannot be made."""

    sent: SentForm
    diff: Sequence[DiffLine] = ()
    rows: Sequence[ChangedLine] = ()
    paths: Sequence[str] = ()
    told: Sequence[str] = ()
    at: str = ""
    seen: str = ""
    wrong: str = ""


class _NotesNow(NamedTuple):
    """The notes that lines were cited from, as they are now: their facts by path and key, their
    titles, and what reads a line of them."""

    facts: Mapping[tuple[str, str], Fact]
    titles: Mapping[str, str]
    read: LineReader


class PageLink(NamedTuple):
    """A page with all of a list of which an answer has the first: its address and its name."""

    address: str
    name: str


class ShownTurn(NamedTuple):
    """A turn: what was said, the sentences and the lines that answer it, what they carry from
    before, the page with every line of a list, what there is to decide, what came of that, and its
    mark; `told` is what to say beside it."""

    name: str
    said: str
    text: str
    opening: Markup
    carried: str
    sentences: Sequence[ShownSentence]
    lines: Sequence[ShownCite]
    told: Sequence[str]
    every: PageLink | None
    offer: ShownOffer | None
    matter: ShownMatter | None
    done: DoneNotice | None
    mark: TurnMark


def show_talk(call: PageCall, here: OpenTalk) -> PageAnswer:
    """The latest part of a conversation, or an earlier one."""
    turns = here.talk.turns
    if "part" not in call.query:
        parts = -(-len(turns) // _TURNS_A_PART)
        call = call._replace(query={**call.query, "part": str(parts)})
    window = call.window(len(turns), _TURNS_A_PART)
    if not window.after:
        first = max(0, window.last - _TURNS_A_PART)
        window = window._replace(first=first)
    links = PageLinks(call.vault)
    rows = zip(
        turns[window.rows],
        here.marks[window.rows],
        strict=True,
    )
    values = {
        "rows": [show_turn(links, *each) for each in rows],
        "window": window,
        "is_cut": here.is_cut,
    }
    return PageAnswer("chat.html", "Chat", values)


def show_turn(links: PageLinks, turn: TalkTurn, mark: TurnMark) -> ShownTurn:
    """A turn as it is to be shown now."""
    vault = links.vault
    reply = turn.reply
    offer = None
    matter = None
    done = None
    if mark.done:
        done = what_was_done(vault, mark.done)
    elif reply.proposal:
        offer = offer_now(vault, reply.proposal, turn_url(mark.name))
    elif reply.matter:
        matter = shown_matter(links, reply.matter)
    return ShownTurn(
        name=mark.name,
        said=turn.said,
        text=reply.text,
        opening=message_html(reply.text),
        carried=", ".join(reply.asked.carried) if reply.asked else "",
        sentences=reply.sentences,
        lines=_lines_now(links, reply.lines),
        told=reply.told,
        every=_every(vault, reply),
        offer=offer,
        matter=matter,
        done=done,
        mark=mark,
    )


def turn_place(name: str) -> str:
    """Where a turn stands on the page."""
    return f"{HOME}#turn-{name}"


def turn_url(name: str) -> str:
    """Where a change that a turn offers leads back to."""
    return f"/?turn={name}"


def told_turn(row: ShownTurn) -> str:
    """A turn in one plain text, for those who hear it."""
    told = [row.text]
    if row.done:
        told.append(row.done.why)
    if row.sentences:
        told += (each.text for each in row.sentences)
    else:
        told += (each.told for each in row.lines)
    told += row.told
    return " ".join(filter(None, told))


def error_on_page(error: AureliusError) -> str:
    """An error in sentences."""
    told = filter(None, words_on_page(error))
    return "".join(f"{each}. " for each in told).strip()


def offer_now(vault: Vault, proposal: OfferedChange, back: str) -> ShownOffer:
    """What a proposal would change now."""
    fields = defaultdict(str, proposal.fields)
    sent = SentForm(action_of(proposal.action), fields, back, {})
    now = vault.now
    try:
        planned = sent.run(vault, now=now, me=True, dry_run=True)
    except AureliusError as error:
        return ShownOffer(sent, wrong=error_on_page(error))
    assert isinstance(planned, Written)  # a proposal changes notes
    edits = planned.edits
    diff = list(diff_lines(edits))
    letters = sum(len(each.text) for each in diff)
    told = [*map(notice_on_page, planned.notices)]
    offer = ShownOffer(sent, told=told)
    if letters > _LETTERS_A_DIFF:
        return offer  # it is shown on its own page before it is agreed to
    return offer._replace(
        diff=diff,
        rows=changed_lines(PageLinks(vault), diff),
        paths=[each.path for each in edits if each.after is not None],
        at=now.isoformat(timespec="seconds"),
        seen=edits_digest(edits),
    )


def _every(vault: Vault, reply: TalkReply) -> PageLink | None:
    """The page that has all of a list of which a reply has some."""
    page = reply.page
    is_cut = reply.rest or (reply.asked and reply.asked.shown)
    if page is None or not is_cut:
        return None
    if page.name == "kind":
        return PageLink(kind_url(page.of), "All of them")
    if page.name != "timeline":
        show = "?show=done" if page.name == "done" else ""
        return PageLink(f"/tasks{show}", "All tasks")
    assert reply.asked
    days = days_asked(reply.asked.text, vault.clock.today.isoformat()).days
    if days is None:
        return None
    return PageLink(span_url(*days), "All of these days")


# -- the lines -------------------------------------------------------------------------


def _lines_now(links: PageLinks, cited: Sequence[Cited]) -> list[ShownCite]:
    """Cited lines with what became of them."""
    db = links.vault.db
    keys = {each.line.key for each in cited}
    paths = {each.line.path for each in cited}
    facts = get_keyed(db, keys, private=False)
    titles = get_titles(db, paths, private=False)
    now = _NotesNow(
        facts={(path, fact.key): fact for path, fact in facts},
        titles=_told_apart(titles),
        read=line_reader(links.vault.root),
    )
    return [_line_now(links, each, now) for each in cited]


def _told_apart(titles: Mapping[str, str]) -> dict[str, str]:
    """What notes are called beside each other, by their paths: with that where two have a title."""
    many = Counter(titles.values())
    told = {}
    for path, title in titles.items():
        told[path] = called(path, title)
        if many[title] > 1:
            told[path] = f"{title} ({path})"
    return told


def _line_now(links: PageLinks, cited: Cited, now: _NotesNow) -> ShownCite:
    line = cited.line
    words = clipped(line.text, _LETTERS_A_LINE)
    html = links.line(line.path, words)
    shown = ShownCite(
        cited,
        html=Markup(html),  # noqa: S704 it passed the wall
        role=_role(cited),
        line=line.lines[0],
        title=now.titles.get(line.path, ""),
    )
    if line.path not in now.titles:
        gone = "The note is not there any more"
        return shown._replace(html=Markup(), changed=gone)
    if line.type == TEXT_TYPE:
        if is_as_cited([now.read(*line.place)], cited):
            return shown
        return shown._replace(changed="This line has changed since")
    fact = now.facts.get((line.path, line.key))
    if fact is None:
        return shown._replace(changed="This line is not there any more")
    shown = shown._replace(
        line=fact.first,
        section=_section(fact),
        changed=_fact_changed(cited, fact),
    )
    if fact.status == "active" and len(fact.text) <= _LETTERS_A_LINE:
        return shown._replace(fact=f"{line.path}#^{fact.key}")
    return shown


def _role(cited: Cited) -> str:
    if cited.role == ROLE_BEFORE and cited.until:
        return f"Was true until {cited.until}"
    if cited.role == ROLE_HOLDS and cited.line.type == TEXT_TYPE:
        return "Noted"
    return _ROLES[cited.role]


def _section(fact: Fact) -> str:
    """The heading of a fact below that of its note, where it names more than a type of facts."""
    under = fact.heading[1:]
    if not under or fact.status == "superseded" or is_fact_heading(under[-1]):
        return ""
    return under[-1]


def _fact_changed(cited: Cited, fact: Fact) -> str:
    if single_spaced(fact.text) != single_spaced(cited.line.text):
        return f"This line has changed since, to “{clipped(fact.text, 200)}”"
    if fact.status == "superseded" and cited.role != ROLE_BEFORE:
        return "This was replaced since"
    return ""
