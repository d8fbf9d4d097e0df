"""What the actions of the pages do that is not one function of the API, each with the fields of its
form by their names."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.memory import decisions, review
from aurelius.memory.known import known_matters
from aurelius.plans import facts
from aurelius.plans.plan import Written, carry_out, carry_through
from aurelius.settings.editors import editor_command, has_window, obsidian_link
from aurelius.writing.safe_folder import disk_path
from aurelius.writing.undo import choose_change
from indexer.errors import NoteNotFoundError, UsageError

from .call import PageAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def do_correct(
    vault: Vault,
    fact: str,
    text: str,
    **manner: Any,
) -> Written:
    """Say what is true instead of a fact that was wrong from the start."""
    desk = api.plan_desk(vault, **manner)
    wish = facts.Wish(was_wrong=True)
    return carry_through(
        desk,
        lambda: facts.plan_supersede(desk, fact, text, wish),
        dry_run=manner.get("dry_run", False),
    )


def do_open(
    vault: Vault,
    place: str,
    **_: Any,
) -> Written | PageAnswer:
    """Open a line of a note in the person's editor, or where that needs a terminal, show the
    command that does.

    Never through a shell, and nothing of a form is in the command but a note that is there and its
    line.
    """
    found = vault.read(place)
    if not found.exists:
        raise NoteNotFoundError(f"{found.path} is not written yet")
    root = vault.root
    file = disk_path(root, found.path)
    line = found.first if found.first > 1 else 0
    why = "Your editor needs a terminal, which a page has not."
    try:
        command = editor_command(vault.env, file, line)
        if has_window(command, vault.env) and _started(command, root, vault.env):
            return Written((), None, about={"done": f"open:{place}"})
    except UsageError as error:
        command = []
        why = f"{error.message[:1].upper()}{error.message[1:]}: {error.hint}."
    values = {
        "path": found.path,
        "line": line,
        "why": why,
        "command": shlex.join(command),
        "obsidian": obsidian_link(file) if os.path.isdir(f"{root}/.obsidian") else "",
    }
    return PageAnswer("open.html", "Open in your editor", values)


def _started(command: Sequence[str], folder: str, env: Mapping[str, str]) -> bool:
    """Whether a program could be started, which goes on by itself."""
    try:
        started = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    threading.Thread(target=started.wait, daemon=True).start()  # so that no zombie stays
    return True


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
    done, left = decisions.accept_plain(
        desk,
        chosen,
        of_note=bool(note),
        dry_run=manner.get("dry_run", False),
    )
    return done._replace(about={**done.about, "plain": len(chosen) - len(left)})


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
