"""What the actions of the pages do that is not one function of the API, each with the fields of its
form by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.memory import decisions, review
from aurelius.memory.known import known_matters
from aurelius.plans.plan import Written, carry_out, carry_through
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
    return carry_through(
        desk,
        lambda: review.accept(desk, chosen),
        dry_run=manner.get("dry_run", False),
    )


def do_accept_plain(vault: Vault, note: str, **manner: Any) -> Written:
    """Write everything that a yes to all of it, or to all of a note, is a yes to, as one change."""
    manner["me"] = bool(note)
    desk = api.plan_desk(vault, **manner)
    chosen = known_matters(desk).matters
    if note:
        chosen = review.all_of(desk, chosen, note)
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
    is_back = word == "restore"
    matter = _chosen(desk, key, dismissed=is_back)
    plan = review.restore(matter) if is_back else review.dismiss(desk, matter)
    made = carry_out(desk, plan)
    remedy = f"to take it back: `aurelius review {back} {matter.short}`"
    api.forbid_undo(vault, f"review {word}", remedy, now=manner["now"])
    about = {**made.about, "done": f"{word}-{matter.name}"}
    return made._replace(about=about)


def _chosen(desk: Desk, key: str, *, dismissed: bool = False) -> Matter:
    """The proposal of a name.  UsageError."""
    for each in known_matters(desk, dismissed=dismissed).matters:
        if each.name == key:
            return each
    raise UsageError("this is not proposed, or no longer", "load the page again")
