"""What a person does on the pages: each action shows its diff first where it changes a line, is
refused where the notes changed since, and can be undone with one click.

An action is a function from the vault and the fields of its form to a `Written`; here it is shown,
confirmed and answered, the same for all.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from aurelius import api
from aurelius.plans.plan import Written, edits_digest
from aurelius.show.changes import diff_text
from indexer.errors import AureliusError, NoteNotFoundError

from .addresses import HOME, own_path
from .call import PageAnswer
from .host import Shown, answer_error, fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurelius.vault import Vault

    from .host import PageHost

_MOST_SECONDS_TO_CONFIRM = 3600.0
"""Seconds for which a shown change keeps its own time; later it is made anew, and shown again."""
_OWN_FIELDS = frozenset({"token", "back", "seen", "at"})
"""The fields of a form that are not the action's."""


class Action(NamedTuple):
    """Something to do: its name in the address, its title and what its button says, what does it,
    and whether the diff is shown first."""

    name: str
    title: str
    button: str
    run: Callable[..., Written]
    asks: bool = True


class DiffLine(NamedTuple):
    """A line of a diff: `kind` is head, gone, new or same."""

    kind: str
    text: str


def answer_action(
    host: PageHost, name: str, form: Mapping[str, str], shown: Shown
) -> str | tuple[int, str]:
    """Where to go on after a change, or the status and HTML of a page that shows it first."""
    back = own_path(form.get("back", HOME))
    fields = {key: value.strip() for key, value in form.items() if key not in _OWN_FIELDS}
    try:
        with host.open_vault() as vault:
            if name == "undo":
                return _undone(vault, fields, back)
            action = _action(name)
            manner = _manner(host, form)
            if action.asks and not form.get("seen"):
                return _preview(host, vault, action, fields, shown, back, manner)
            done = action.run(vault, fields, manner | {"seen": form.get("seen", "")})
            return _after(back, done.number)
    except AureliusError as error:
        return answer_error(host, error, shown)


def _action(name: str) -> Action:
    for each in ACTIONS:
        if each.name == name:
            return each
    raise NoteNotFoundError(f"there is no action {name}")


def _manner(host: PageHost, form: Mapping[str, str]) -> dict[str, Any]:
    """How a change is made: at the time at which it was shown, where that is not long ago."""
    now = host.clock()
    try:
        at = datetime.datetime.fromisoformat(form.get("at", ""))
    except ValueError:
        return {"now": now}
    past = (now - at.replace(tzinfo=None)).total_seconds()
    if 0 <= past <= _MOST_SECONDS_TO_CONFIRM:
        return {"now": at}
    return {"now": now}


def _preview(
    host: PageHost,
    vault: Vault,
    action: Action,
    fields: Mapping[str, str],
    shown: Shown,
    back: str,
    manner: dict[str, Any],
) -> tuple[int, str]:
    """A page with what would change, and a form that agrees to exactly that."""
    planned = action.run(vault, fields, manner | {"dry_run": True})
    values = {
        "action": action,
        "fields": fields,
        "back": back,
        "at": manner["now"].isoformat(timespec="seconds"),
        "seen": edits_digest(planned.edits),
        "diff": tuple(diff_lines(diff_text(planned.edits))),
        "told": planned.notices,
    }
    answer = PageAnswer("preview.html", action.title, values)
    return answer.status, fill(host, vault, answer, shown)


def diff_lines(text: str) -> Iterator[DiffLine]:
    """The lines of a diff, each with what it is."""
    kinds = {"+": "new", "-": "gone", " ": "same"}
    for line in text.splitlines():
        head = line.startswith(("+++ ", "--- ", "@@"))
        kind = "head" if head else kinds.get(line[:1], "head")
        yield DiffLine(kind, line)


def _after(back: str, number: int) -> str:
    """Where to go on, with the number of the change that was made."""
    if not number:
        return back
    parts = urlsplit(back)
    mark = "&" if parts.query else "?"
    place = f"#{parts.fragment}" if parts.fragment else ""
    return f"{back.partition('#')[0]}{mark}{urlencode({'done': number})}{place}"


def _undone(vault: Vault, fields: Mapping[str, str], back: str) -> str:
    """Take a change back; a note that changed since is a ConflictError."""
    number = fields.get("number", "")
    done = api.undo(vault, int(number) if number.isdecimal() else None)
    return _after(back, done.applied.number if done.applied else 0)


def _supersede(vault: Vault, fields: Mapping[str, str], manner: Any) -> Written:
    return api.supersede(vault, fields["fact"], fields["text"], **manner)


def _reword(vault: Vault, fields: Mapping[str, str], manner: Any) -> Written:
    return api.update(vault, fields["fact"], fields["text"], **manner)


def _archive(vault: Vault, fields: Mapping[str, str], manner: Any) -> Written:
    return api.archive(vault, fields["of"], **manner)


def _note(vault: Vault, fields: Mapping[str, str], manner: Any) -> Written:
    return api.note(vault, fields["text"], **manner)


def _tick(vault: Vault, fields: Mapping[str, str], manner: Any) -> Written:
    return api.check_boxes(vault, [fields["task"]], **manner)


def _rename(vault: Vault, fields: Mapping[str, str], manner: Any) -> Written:
    return api.move(vault, fields["note"], fields["to"], **manner)


ACTIONS = (
    Action("supersede", "Replace a fact", "Replace it", _supersede),
    Action("reword", "Reword a fact", "Reword it", _reword),
    Action("archive", "Move to the archive", "Archive it", _archive),
    Action("note", "A line for today", "Add it", _note, asks=False),
    Action("tick", "Tick a task", "Tick it", _tick),
    Action("rename", "Rename a note", "Rename it", _rename),
)
