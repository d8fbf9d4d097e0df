"""What a person does on the pages: each action shows its diff first where it changes a line, is
refused where the notes changed since, and can be taken back with one click.

An action is a function from the vault and the fields of its form to a `Written`; here it is shown,
confirmed and answered, the same for all.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from aurelius import api
from aurelius.ageing.summary_text import INDEX, part_of
from aurelius.plans.plan import SeenAnotherError, Written, edits_digest
from aurelius.writing.undo import choose_change
from indexer.errors import AureliusError, NoteNotFoundError, UsageError

from . import deeds
from .addresses import HOME, note_url, own_path
from .call import PageAnswer
from .diffs import changed_lines, diff_lines, diff_parts, lines_digest
from .host import Shown, answer_error, error_status, fill
from .links import PageLinks
from .page_words import notice_on_page, words_on_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurelius.vault import Vault
    from aurelius.writing.check_edit import Edit

    from .host import PageHost

_MOST_SECONDS_TO_CONFIRM = 3600.0
"""Seconds for which a shown change keeps its own time; later it is made anew, and shown again."""
_OWN_FIELDS = frozenset({"token", "back", "seen", "at", "lines", "shown", "wish"})
"""The fields of a form that are not the action's."""
_MOST_LETTERS = 2000
"""Letters of a field."""
_MOST_KEPT = 100
"""Forms of which is known that they were sent already, and answers of forms that are kept."""
TYPED = frozenset({"add", "supersede", "correct", "reword", "rename", "note"})
"""The actions whose forms have fields to type in, so that they can be sent otherwise."""
_SAME_CHANGE = (
    "Not written yet: the note changed elsewhere meanwhile; the change itself is the same"
)


class Action(NamedTuple):
    """Something to do: its name in the address, its title and what its button says, what does it
    with which fields of the form, by their names, and whether the diff is shown first."""

    name: str
    title: str
    button: str
    run: Callable[..., Written | PageAnswer]
    fields: tuple[str, ...]
    asks: bool = True


class SentForm(NamedTuple):
    """A form as it was sent: what it asks for, the fields of that, where the answer leads back to,
    and all of its fields."""

    action: Action
    fields: Mapping[str, str]
    back: str
    every: Mapping[str, str]

    @property
    def digest(self) -> str:
        """A name for exactly this form of this session, which its token stands for."""
        return sha256(repr(sorted(self.every.items())).encode()).hexdigest()

    def run(self, vault: Vault, **manner: Any) -> Written | PageAnswer:
        """Do it, or with `dry_run` only see what it would change."""
        named = {name: self.fields[name] for name in self.action.fields}
        return self.action.run(vault, **named, **manner)

    @property
    def wish(self) -> str:
        """A name for what is asked for, by which a form that shows its change and can be edited
        tells whether it was."""
        asked = [self.fields[name] for name in self.action.fields]
        data = repr(asked).encode()
        return sha256(data).hexdigest()

    @property
    def is_agreed(self) -> bool:
        """Whether it may be carried out: the person saw what it would change, or that is not
        asked."""
        wish = self.every.get("wish", self.wish)
        if wish != self.wish:
            return False
        return not self.action.asks or bool(self.every.get("seen"))


class KeptPage(NamedTuple):
    """What a form was answered, for the session of this `key`: what it would change, why it was
    refused, or the page that is its answer; and where it led when it was agreed to, with the number
    of that change."""

    key: bytes
    sent: SentForm
    error: AureliusError | None = None
    answer: PageAnswer | None = None
    number: int = 0
    where: str = ""


def answer_action(
    host: PageHost,
    name: str,
    form: Mapping[str, str],
    shown: Shown,
) -> str | tuple[int, str]:
    """Where to go on after a form: to the page that shows what it would change, or the one it came
    from; or the status and HTML of an error.

    No page is the answer of a form itself, so that a browser can go back to it.
    """
    try:
        action = action_of(name)
    except AureliusError as error:
        return answer_error(host, error, shown)
    sent = sent_form(action, form)
    if not sent.is_agreed:
        at = host.clock().isoformat(timespec="seconds")
        return _keep(host, KeptPage(shown.key, sent._replace(every={"at": at})))
    with host.open_vault() as vault:
        try:
            _check_fields(sent.fields)
            with host.sessions.turns:
                return _carried_out(host, vault, sent, shown)
        except AureliusError as error:
            return _keep(host, KeptPage(shown.key, sent, error))


def sent_form(action: Action, form: Mapping[str, str]) -> SentForm:
    """A form of an action, of which nothing is checked yet."""
    fields: dict[str, str] = defaultdict(str)
    for key, value in form.items():
        if key not in _OWN_FIELDS:
            fields[key] = value.strip()
    back = own_path(form.get("back", HOME))
    return SentForm(action, fields, back, form)


def _keep(host: PageHost, page: KeptPage) -> str:
    """Keep what a form was answered; the address of the page that shows it."""
    name = token_urlsafe(16)
    _put(host.sessions.kept, name, page)
    return f"/shown/{name}"


def _put(kept: dict[str, Any], name: str, value: object) -> None:
    """Keep one more, and let the oldest go."""
    kept[name] = value
    for old in [*kept][:-_MOST_KEPT]:
        kept.pop(old, None)


def answer_kept(
    host: PageHost,
    name: str,
    part: str,
    shown: Shown,
) -> str | tuple[int, str]:
    """The status and HTML of what a form was answered, a part of a long change; or where it led,
    where it was agreed to. Nothing is changed by looking."""
    kept: KeptPage | None = host.sessions.kept.get(name)
    if kept is None or kept.key != shown.key:
        error = NoteNotFoundError(
            "This change is shown no longer",
            "go to the page that it began on, and begin again",
        )
        return answer_error(host, error, shown)
    with host.open_vault() as vault:
        if kept.number and _is_there(vault, kept.number):
            return str(kept.where)
        answer = kept.answer or _answer_now(host, vault, name, kept, part)
        return answer.status, fill(host, vault, answer, shown)


def _answer_now(
    host: PageHost,
    vault: Vault,
    name: str,
    kept: KeptPage,
    part: str,
) -> PageAnswer:
    """What a form would change now, or why it is refused."""
    sent = kept.sent
    try:
        if kept.error and not sent.action.asks:
            raise kept.error
        _check_fields(sent.fields)
        return _preview(host, vault, name, kept, part)
    except AureliusError as error:
        return _refused(sent, error)


def action_of(name: str) -> Action:
    """The action of a name.  NoteNotFoundError."""
    for each in ACTIONS:
        if each.name == name:
            return each
    raise NoteNotFoundError(f"there is no action {name}")


def _check_fields(fields: Mapping[str, str]) -> None:
    """UsageError for a field that no form of the pages sends."""
    for name, value in fields.items():
        if len(value) > _MOST_LETTERS:
            raise UsageError(
                f"{name} is too long: {len(value):,} letters", f"{_MOST_LETTERS:,} at most"
            )
        if "\n" in value or "\r" in value:
            raise UsageError(f"{name} has a line break in it", "write one line")


def _manner(host: PageHost, form: Mapping[str, str]) -> dict[str, Any]:
    """How a change is made: at the time at which it was shown, where that is not long ago."""
    now = host.clock()
    manner = {"now": now, "me": True}
    try:
        at = datetime.datetime.fromisoformat(form.get("at", ""))
    except ValueError:
        return manner
    past = (now - at.replace(tzinfo=None)).total_seconds()
    if 0 <= past <= _MOST_SECONDS_TO_CONFIRM:
        manner["now"] = at
    return manner


# -- what is answered ------------------------------------------------------------------


def _preview(
    host: PageHost,
    vault: Vault,
    name: str,
    kept: KeptPage,
    part: str,
) -> PageAnswer:
    """A page with what would change, and a form that agrees to exactly that; where it was refused
    before, it says why, once."""
    sent = kept.sent
    error = kept.error
    host.sessions.kept[name] = kept._replace(error=None)
    manner = _manner(host, sent.every)
    planned = sent.run(vault, **manner, dry_run=True)
    assert isinstance(planned, Written)  # what is asked about changes notes
    lines = list(diff_lines(planned.edits))
    digest = lines_digest(lines)
    wrong = words_on_page(error)[0] if error else ""
    if isinstance(error, SeenAnotherError) and digest == sent.every.get("lines"):
        wrong = _SAME_CHANGE
    parts = diff_parts(lines)
    number = min(int(part), len(parts)) if part.isdecimal() and len(part) < 6 else 1
    values = {
        "action": sent.action,
        "fields": sent.fields,
        "back": sent.back,
        "at": manner["now"].isoformat(timespec="seconds"),
        "seen": edits_digest(planned.edits),
        "lines": digest,
        "name": name,
        "changed": [each.path for each in planned.edits if each.after is not None],
        "part": max(number, 1),
        "parts": parts,
        "rows": changed_lines(PageLinks(vault), lines),
        "told": [*map(notice_on_page, planned.notices)],
        "about": planned.about,
        "again": sent.action.name in TYPED,
        "follows": [*map(_text_that_follows, planned.follows)],
        "wrong": wrong,
        "live": "no",
    }
    status = HTTPStatus.CONFLICT if error else HTTPStatus.OK
    return PageAnswer("preview.html", sent.action.title, values, status)


def _text_that_follows(path: str) -> str:
    """A generated text that quotes what changes, in words."""
    part = part_of(path)
    if part == INDEX:
        return f"the list {path}"
    return f"the {part.lower()} of {path}"


def _carried_out(host: PageHost, vault: Vault, sent: SentForm, shown: Shown) -> str:
    """Carry out what the person agreed to; a form that comes twice changes nothing again, and leads
    where it did the first time."""
    number, where = host.sessions.sent.get(sent.digest, (0, ""))
    if number and _is_there(vault, number):
        return where
    done = sent.run(vault, **_manner(host, sent.every), seen=sent.every.get("seen", ""))
    if isinstance(done, PageAnswer):
        done = done._replace(values={**done.values, "back": sent.back, "live": "no"})
        return _keep(host, KeptPage(shown.key, sent, answer=done))
    where = _after(_moved(sent.back, done.edits), done)
    _put(host.sessions.sent, sent.digest, (done.number, where))
    name = sent.every.get("shown", "")
    if kept := host.sessions.kept.get(name):
        host.sessions.kept[name] = kept._replace(number=done.number, where=where)
    return where


def _is_there(vault: Vault, number: int) -> bool:
    """Whether a change was not undone since."""
    try:
        choose_change(api.write_place(vault), number)
    except AureliusError:
        return False
    return True


def _refused(
    sent: SentForm,
    error: AureliusError,
) -> PageAnswer:
    """A page that says why nothing was changed, with the form as it was filled in."""
    wrong, hint = words_on_page(error)
    is_there = not isinstance(error, NoteNotFoundError)
    values = {
        "action": sent.action,
        "fields": sent.fields,
        "back": sent.back,
        "wrong": wrong,
        "hint": hint,
        "again": is_there and sent.action.name in TYPED,
        "live": "no",
    }
    title = f"Not done: {sent.action.title}"
    return PageAnswer("refused.html", title, values, error_status(error))


def _after(back: str, done: Written) -> str:
    """Where to go on, with a word of what was done."""
    told = done.about.get("done") or done.number
    if not told:
        return back
    parts = urlsplit(back)
    mark = "&" if parts.query else "?"
    place = f"#{parts.fragment}" if parts.fragment else ""
    return f"{back.partition('#')[0]}{mark}{urlencode({'done': told})}{place}"


def _moved(back: str, edits: Sequence[Edit]) -> str:
    """The page to go back to, where it is that of a note which has another path now."""
    page = back.partition("#")[0].partition("?")[0]
    moved = (note_url(each.path) for each in edits if each.source and note_url(each.source) == page)
    return next(moved, back)


_DISMISS = partial(deeds.settle, word="dismiss", back="restore")
_RESTORE = partial(deeds.settle, word="restore", back="dismiss")
ACTIONS = (
    Action(
        "supersede",
        "Replace a fact that changed",
        "Replace it",
        api.supersede,
        ("fact", "text", "date", "because"),
    ),
    Action("add", "Add a fact", "Add it", api.add, ("note", "text")),
    Action(
        "correct", "Correct a fact that was wrong", "Correct it", deeds.do_correct, ("fact", "text")
    ),
    Action("reword", "Reword a fact", "Reword it", api.update, ("fact", "text")),
    Action("pin", "Pin a fact", "Pin it", api.pin, ("fact",)),
    Action("unpin", "Unpin a fact", "Unpin it", partial(api.pin, pinned=False), ("fact",)),
    Action("archive", "Move to the archive", "Archive it", api.archive, ("reference",)),
    Action("note", "A line for today", "Add it", api.note, ("text",), asks=False),
    Action("tick", "Tick a task", "Tick it", deeds.do_tick, ("task", "line"), asks=False),
    Action("rename", "Rename a note", "Rename it", api.move, ("note", "destination")),
    Action("accept", "Accept a proposal", "Accept it", deeds.do_accept, ("key", "page")),
    Action("accept-plain", "Accept what is plain", "Accept", deeds.do_accept_plain, ("note",)),
    Action("dismiss", "Dismiss a proposal", "Dismiss it", _DISMISS, ("key",), asks=False),
    Action("restore", "Restore a proposal", "Restore it", _RESTORE, ("key",), asks=False),
    Action("open", "Open in your editor", "Open it", deeds.do_open, ("place",), asks=False),
    Action("undo", "Undo a change", "Undo", deeds.do_undo, ("number",), asks=False),
)
