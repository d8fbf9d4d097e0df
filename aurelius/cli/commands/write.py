"""The commands that begin a note, add a line to today's, and take a change back: new, note, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.apply_plan import carry_out, carry_out_edits, desk, place_of, tell
from aurelius.cli.open_vault import move_uses, opened

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.writing.edits import Place


def new(args: SimpleNamespace, context: Context) -> int:
    """Create a note about a person, a project or another subject."""
    from aurelius.plans import new_note
    from aurelius.writing.edits import Edit

    with opened(args, context) as vault:
        made = new_note.begin(vault, args.kind, args.name, context.clock(), force=args.force)
        context.tell(*made.notices)
        place = place_of(args, context, vault)
        why = f"new {args.kind} {made.name}"
        code = carry_out_edits(args, context, place, [Edit(made.path, None, made.text.encode())], why, path=made.path)
        move_uses(args, vault)
        return code


def note(args: SimpleNamespace, context: Context) -> int:
    """Add a line to today's daily note."""
    from aurelius.plans import facts
    from indexer.reading.decode import TEXT_LIMIT  # more than that is refused, and need not be read to its end

    text = context.stdin.read(TEXT_LIMIT + 1) if args.text == ("-",) else " ".join(args.text)
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        return carry_out(args, context, at, facts.note(at, text))


def undo(args: SimpleNamespace, context: Context) -> int:
    """Bring back what was there before Aurelius's last change, or list the changes."""
    with opened(args, context, refresh=False) as vault:
        place = place_of(args, context, vault)
        if args.list:
            return _list(args, context, place)
        from aurelius.show import changes as show_changes
        from aurelius.writing import undo as back

        entry = back.choose(place, args.number, private=args.private)
        edits = back.back(place, entry)
        done = None if args.dry_run else back.undo(place, entry)
        move_uses(args, vault)
        if not args.json:
            line = show_changes.undone(entry, context.zone, dry_run=done is None)
            context.tell(line) if done is None else context.put(line)
        told = {"number": entry.number, "why": entry.why}
        return tell(args, context, edits, done, hidden=entry.hidden, undone=told)


def _list(args: SimpleNamespace, context: Context, place: Place) -> int:
    from aurelius.show import changes as show_changes
    from aurelius.show.page import clip
    from aurelius.writing.undo import changes
    from aurelius.writing.undo_log import barred

    found = changes(place, private=args.private)
    if args.json:
        context.put(show_changes.undoable_json(found, context.zone, every=args.all))
    else:
        context.put(clip(show_changes.undoable(found, context.zone), every=args.all))
        if last := barred(place.state):
            context.tell("; ".join(filter(None, (f"the last command ({last.why}) cannot be undone", last.remedy))))
        elif not found:
            context.tell("nothing to undo")
    return 0
