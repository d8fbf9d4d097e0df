"""Last step of every writing command: show the edits, or make them and report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aurelius.plans.plan import Desk, kept_up
from aurelius.settings.places import MARK, shell_word
from aurelius.show import changes
from aurelius.show.page import MOST, clip
from aurelius.show.terminal import one_line
from aurelius.writing import check_edit, edit
from aurelius.writing.edits import Applied, Place
from aurelius.writing.replace_file import CHANGED
from indexer.errors import AureliusError, ConflictError, VaultNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from aurelius.plans.plan import Plan
    from aurelius.vault import Vault
    from aurelius.writing.edits import Edit

    from .run import Context

TRIES = 9
"""How often a plan is made again because somebody else wrote to the same note at the same time."""


def place_of(args: SimpleNamespace, context: Context, vault: Vault) -> Place:
    """Where a command writes; `--force` lets it take away much, change who you are and write a secret.

    VaultNotFoundError for a folder that was named and has no `.aurelius/`: a mistyped one is not written to.
    """
    if not os.path.isdir(os.path.join(vault.root, MARK)):
        hint = f"to make it one: aurelius init --adopt {shell_word(vault.root)}"
        raise VaultNotFoundError(f"{vault.root} is not a vault; nothing was written", hint)
    force = getattr(args, "force", False)
    now = context.clock().timestamp() if context.now is not None else 0.0
    place = edit.place_of(vault.config, context.env, now=now, shrink=force, me=force)
    return place._replace(secrets=force)


def bar_undo(args: SimpleNamespace, context: Context, vault: Vault, why: str, remedy: str = "") -> None:
    """Let `undo` know that the last command was one that it cannot take back, so that it takes no other one back."""
    from aurelius.writing import undo_log

    place = place_of(args, context, vault)
    undo_log.bar(place.state, place.time(), why, remedy)


def desk(args: SimpleNamespace, context: Context, vault: Vault) -> Desk:
    """What the plan of a command is made with."""
    return Desk(vault, place_of(args, context, vault), context.clock(), getattr(args, "private", False))


def carry_through(args: SimpleNamespace, context: Context, at: Desk, plan: Callable[[], Plan]) -> int:
    """Make the edits of a plan; if somebody else wrote to a note at the same time, it is made again from the new text.
    The exit code, or ConflictError where that happens again and again.
    """
    for _ in range(TRIES):
        try:
            return carry_out(args, context, at, plan())
        except ConflictError as error:
            if error.hint != CHANGED:
                raise
            at.vault.refresh()
    return carry_out(args, context, at, plan())


def carry_out(args: SimpleNamespace, context: Context, at: Desk, plan: Plan) -> int:
    """Make the edits of a plan, or with `--dry-run` show them, and tell.  The exit code."""
    done, wanted, place = None, plan, at.place
    plan = kept_up(at, wanted)
    if plan.marks:  # what a command may do to a note is asked of its own edits
        check_edit.check(place, wanted.edits)
        place = place._replace(shrink=True, secrets=True)
    if args.dry_run:
        (check_edit.check if plan.append else edit.rehearse)(place, plan.edits)
    else:
        _mark(at.vault, plan)
        done = _apply(place, plan)
        _log(at.vault, plan, context)
        _remember(at.vault, plan)
    context.tell(*plan.notices, *_of_inner_vaults(at.place.root, plan.edits))
    if done and not args.json:
        rows = "".join(f"{one_line(row)}\n" for row in plan.rows)
        context.put(clip(rows, every=_every(args), room=MOST // 2))
        if plan.rows and not plan.edits:
            return 0
    return tell(args, context, plan.edits, done, **plan.about)


def _of_inner_vaults(root: str, edits: Sequence[Edit]) -> list[str]:
    """A line for each folder in the vault that is a vault of its own and has a note that is written."""
    folders = {edit.path[:at] for edit in edits for at, sign in enumerate(edit.path) if sign == "/"}
    inner = sorted(folder for folder in folders if os.path.isdir(os.path.join(root, *folder.split("/"), MARK)))
    how = "its own `aurelius undo` does not know of this change; to write there: aurelius --vault"
    return [f"{one_line(folder)} is a vault of its own: {how} {shell_word(folder)}" for folder in inner]


def carry_out_edits(
    args: SimpleNamespace, context: Context, place: Place, edits: Sequence[Edit], why: str, **about: Any
) -> int:
    """Make edits, or with `--dry-run` show them; `about` goes into the JSON.  The exit code."""
    if args.dry_run:
        edit.rehearse(place, edits)
    return tell(args, context, edits, None if args.dry_run else edit.apply(place, edits, why), **about)


def tell(
    args: SimpleNamespace, context: Context, edits: Sequence[Edit], done: Applied | None, *, hidden: bool = False,
    **about: Any,
) -> int:  # fmt: skip
    """Tell what was done, or would be where nothing is `done`; `hidden` edits are not told.  The exit code."""
    if args.json:
        context.put(changes.written_json(() if hidden else edits, done, every=_every(args), **about))
    elif not hidden:
        text = changes.changes(edits) if done else changes.preview(edits)
        context.put(clip(text, every=_every(args), room=MOST // 2 if done else MOST))
        if all(each.before == each.after for each in edits):
            context.tell("no changes needed")
    if done and done.uncommitted:
        context.tell(f"written, but not committed: {done.uncommitted}")
    return 0


def _every(args: SimpleNamespace) -> bool:
    """True if the whole answer is wanted, however long; a command without `--all` is about one fact or line."""
    return bool(getattr(args, "all", True))


def _apply(place: Place, plan: Plan) -> Applied:
    """Write what a plan says: one line at the end of a note, where that is all, else the edits."""
    if not plan.append:
        return edit.apply(place, plan.edits, plan.why)
    from aurelius.writing import append

    path, line = plan.append
    made = append.append(place, path, line.data, opening=line.opening, why=plan.why)
    return Applied(made.number, made.uncommitted)


def _mark(vault: Vault, plan: Plan) -> None:
    """Tell the usage log which texts will be ours.  ConflictError: else they would be taken for a person's."""
    if plan.marks:
        from aurelius.ageing import usage_log

        usage_log.append_summaries(vault, plan.marks)


def _remember(vault: Vault, plan: Plan) -> None:
    """Keep which notes moved, for links that lead to the old path and for renames that follow."""
    moved = [(edit.source, edit.path) for edit in plan.edits if edit.source]
    if moved:
        from aurelius.answers.renames import remember
        from aurelius.settings.places import vault_state

        remember(vault_state(vault.root, vault.env), moved, own=True)


def _log(vault: Vault, plan: Plan, context: Context) -> None:
    """Tell the usage log what became of names, and move the uses that wait; the notes are written all the same.

    ConflictError where it is all that there was to write, and cannot be.
    """
    from aurelius.ageing import usage_log

    events = [
        {"op": op, "ref": ref, **({"to": to} if to else {"via": "update"} if op == "use" else {})}
        for op, ref, to in plan.events
    ]
    try:
        usage_log.append(vault, events)
    except AureliusError as error:
        if not plan.edits:
            raise
        context.tell(error.message)
