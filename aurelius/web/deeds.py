"""What the actions of the pages do that is not one function of the API, each with the fields of its
form by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.memory import decisions
from aurelius.plans.plan import Written
from aurelius.writing.undo import choose_change
from indexer.errors import NoteNotFoundError, UsageError

if TYPE_CHECKING:
    from aurelius.memory.review import Matter
    from aurelius.plans.plan import Desk
    from aurelius.vault import Vault


def do_tick(
    vault: Vault,
    task: str,
    line: str,
    **manner: Any,
) -> Written:
    """Tick a task; another one that stands on its line by now is not ticked."""
    return api.check_boxes(vault, [task], said=[line], **manner)


def do_undo(
    vault: Vault,
    number: str,
    **manner: Any,
) -> Written:
    """Bring back what was there before a change; of one in a private note nothing is known here.

    ConflictError where a note changed since, UsageError where it is undone already.
    """
    found = None
    if number.isascii() and number.isdecimal() and len(number) < 10:
        found = choose_change(api.write_place(vault), int(number))
    if found is None or found.hidden:
        raise NoteNotFoundError(f"there is no change {number}")
    done = api.undo(vault, found.number, now=manner["now"])
    return Written(done.edits, done.applied)


def do_accept(
    vault: Vault,
    key: str,
    page: str,
    **manner: Any,
) -> Written:
    """Write what a proposal says; of one that asks for the page, in the one that was chosen."""
    desk = api.plan_desk(vault, **manner)
    chosen = _chosen(desk, key)
    if page:
        chosen = decisions.meant_for(chosen, page)
    is_tried = manner.get("dry_run", False)
    return _decided(
        desk,
        chosen,
        "accept",
        dry_run=is_tried,
    )


def do_accept_plain(
    vault: Vault,
    note: str,
    **manner: Any,
) -> Written:
    """Write everything that a yes to all of it, or to all of a note, is a yes to, as one change."""
    manner["me"] = bool(note)
    desk = api.plan_desk(vault, **manner)
    chosen = decisions.choose_matters(desk, (), of=note, every=not note)
    done, _ = decisions.accept_plain(
        desk,
        chosen,
        of_note=bool(note),
        dry_run=manner.get("dry_run", False),
    )
    return done


def settle(
    vault: Vault,
    key: str,
    word: str,
    back: str,
    **manner: Any,
) -> Written:
    """Dismiss a proposal, or restore it: what no note tells and `undo` cannot take back, but the
    other of the two words."""
    desk = api.plan_desk(vault, **manner)
    matter = _chosen(desk, key, dismissed=word == "restore")
    made = _decided(desk, matter, word)
    remedy = f"to take it back: `aurelius review {back} {matter.short}`"
    api.forbid_undo(vault, f"review {word}", remedy, now=manner["now"])
    about = {**made.about, "done": f"{word}-{matter.name}"}
    return made._replace(about=about)


def _chosen(
    desk: Desk,
    key: str,
    *,
    dismissed: bool = False,
) -> Matter:
    """The proposal of a key, never of a number."""
    if not key or key.isdecimal():
        raise UsageError("there is no such proposal", "load the page again")
    return decisions.choose_matters(desk, (key,), dismissed=dismissed)[0]


def _decided(
    desk: Desk,
    matter: Matter,
    word: str,
    *,
    dry_run: bool = False,
) -> Written:
    for _, made in decisions.decide(desk, (matter,), word, dry_run=dry_run):
        if made is not None:
            return made
    raise UsageError("this is no longer proposed", "load the page again")
