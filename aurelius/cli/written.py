"""What every writing command does in the end: show the edits, or make them and tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius import edit, jsonout_write, render_write
from aurelius.edit import Place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from aurelius.command import Context
    from aurelius.edit import Applied, Edit
    from aurelius.vault import Vault


def place_of(args: SimpleNamespace, context: Context, vault: Vault) -> Place:
    """Where a command writes; `--force` lets it take away much, and change who you are."""
    force = getattr(args, "force", False)
    now = context.clock().timestamp() if context.now is not None else 0.0
    return edit.place_of(vault.config, context.env, now=now, shrink=force, me=force)


def carry_out(
    args: SimpleNamespace, context: Context, place: Place, edits: Sequence[Edit], why: str, **about: Any
) -> int:
    """Make edits, or with `--dry-run` show them; `about` goes into the JSON.  The exit code."""
    if args.dry_run:
        edit.rehearse(place, edits)
    return tell(args, context, edits, None if args.dry_run else edit.apply(place, edits, why), **about)


def tell(args: SimpleNamespace, context: Context, edits: Sequence[Edit], done: Applied | None, **about: Any) -> int:
    """Tell what was done, or would be where nothing is `done`.  The exit code."""
    if args.json:
        context.put(jsonout_write.written(edits, done, **about))
    else:
        context.put(render_write.changes(edits) if done else render_write.preview(edits))
        if all(each.before == each.after for each in edits):
            context.tell("nothing has to change")
    if done and done.uncommitted:
        context.tell(f"not in git: {done.uncommitted}")
    return 0
