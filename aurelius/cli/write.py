"""The commands that begin a note, add a line to today's, and take a change back: new, note, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.opened import opened
from aurelius.cli.written import carry_out, place_of, tell

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.command import Context
    from aurelius.edit import Place


def new(args: SimpleNamespace, context: Context) -> int:
    """Begin a note about a person, a project or another thing."""
    from aurelius import begin
    from aurelius.edit import Edit

    with opened(args, context) as vault:
        name, path = begin.choose(vault, args.kind, args.name)
        text = begin.start(args.kind, name, context.clock().date().isoformat())
        place = place_of(args, context, vault)
        return carry_out(args, context, place, [Edit(path, None, text.encode())], f"new {args.kind} {name}", path=path)


def note(args: SimpleNamespace, context: Context) -> int:
    """Add a line to today's daily note."""
    from aurelius import daily, rejoin
    from aurelius.edit import Applied, Edit, read

    moment = context.clock()
    text = context.stdin.read() if args.text == ("-",) else " ".join(args.text)
    with opened(args, context) as vault:
        place = place_of(args, context, vault)
        path = vault.today(moment.date().isoformat())
        before = read(place, path)
        line = daily.line(text, path, before, moment, vault.config.daily)
        parts = rejoin.joined(path, before, line.data, line.opening)
        edits = [Edit(path, before, (before or b"") + b"".join(parts))]
        done = None
        if not args.dry_run:
            appended = rejoin.append(place, path, line.data, opening=line.opening, why=f"note in {path}")
            done = Applied(appended.number, appended.uncommitted)
        context.tell(*filter(None, (line.notice,)))
        return tell(args, context, edits, done, path=path)


def undo(args: SimpleNamespace, context: Context) -> int:
    """Bring back what was there before Aurelius's last change, or list the changes."""
    with opened(args, context, refresh=False) as vault:
        place = place_of(args, context, vault)
        if args.list:
            return _list(args, context, place)
        from aurelius import undo as back

        entry = back.choose(place, args.number)
        edits = back.back(place, entry)
        done = None if args.dry_run else back.undo(place, entry)
        return tell(args, context, edits, done, undone={"number": entry.number, "why": entry.why})


def _list(args: SimpleNamespace, context: Context, place: Place) -> int:
    from aurelius import jsonout_write, render_write
    from aurelius.undo import changes

    found = changes(place)
    if args.json:
        context.put(jsonout_write.undoable(found, context.zone))
    else:
        context.put(render_write.undoable(found, context.zone))
        if not found:
            context.tell("no change is kept yet")
    return 0
