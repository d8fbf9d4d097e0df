"""The commands that write notes and facts, correct them, and tell what became of them: new, note,
undo, add, update, supersede, history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.answers import references
from aurelius.cli.apply_plan import as_asked, desk_of_args, place_of_args, tell, tell_written
from aurelius.cli.open_vault import open_vault, reading
from aurelius.plans import addressee
from aurelius.show import changes
from aurelius.show import facts as show_facts
from aurelius.show.page import clip
from aurelius.writing.undo import list_changes as all_changes
from aurelius.writing.undo_log import undo_bar
from indexer.catalog.lists import get_path
from indexer.errors import AureliusError, UsageError
from indexer.reading.blocks import (
    TEXT_LIMIT,
)

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.plans.plan import Desk, Written
    from aurelius.vault import Vault
    from aurelius.writing.check_edit import Place

DEEPEST = 2
"""Steps that `graph` goes: behind the second almost everything is met."""
_MOST_EDGES = 1_000
_ALL_EDGES = 1_000_000
"""Edges that `graph` gathers before it shows what fits, and with `--all`."""


def run_add(args: SimpleNamespace, context: Context) -> int:
    """Add a fact to a note, or to today's daily note."""
    said = _said(args)
    with open_vault(args, context) as vault:
        name, text = _name_and_text(args, context, desk_of_args(args, context, vault))
        done = api.add(
            vault,
            name,
            text,
            tags=args.tag,
            meta=args.meta,
            updates=args.updates or "",
            contradicts=args.contradicts or "",
            part_of=args.part_of or "",
            instead=lambda seen: _is_instead(args, context, seen),
            **said,
            **as_asked(args, context),
        )
        context.tell(*([] if args.json or not done.edits else changes.like_it(done.near)))
        older = changes.older_json(done.path, done.older)
        near = changes.like_it_json(done.near)
        return tell_written(args, context, done, older=older, near=near)


def _is_instead(args: SimpleNamespace, context: Context, seen: Written) -> bool:
    """Tell of what a new fact contradicts, before it is written; whether a person at the terminal
    says that it takes the place of the first of these."""
    if args.json:
        return False
    path = seen.about["path"]
    text = seen.about["text"]
    context.tell(*changes.contradicted(path, seen.older, text, dry_run=args.dry_run))
    asked = context.stdin.isatty() and context.err.isatty() and not args.dry_run
    return asked and context.says_yes(
        f'is it no longer true that "{seen.older[0].text}"? Then it is replaced'
    )


def run_update(args: SimpleNamespace, context: Context) -> int:
    """Reword a fact."""
    text = _text(args.text, context)
    with open_vault(args, context) as vault:
        return tell_written(
            args, context, api.update(vault, args.fact, text, **as_asked(args, context))
        )


def run_supersede(args: SimpleNamespace, context: Context) -> int:
    """Replace a fact that is no longer true."""
    text = _text(args.text, context)
    said = _said(args)
    with open_vault(args, context) as vault:
        return tell_written(
            args, context, api.supersede(vault, args.fact, text, **said, **as_asked(args, context))
        )


@reading
def run_history(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Show what a fact, or each fact of a note, was before and is now."""
    found = references.fact_history(vault, args.reference, private=args.private)
    if args.json:
        context.put(show_facts.history_json(found, every=args.all))
    else:
        context.put(clip(show_facts.history_text(found, context.paint()), every=args.all))
        if not found.chains:
            context.tell(f"nothing of {args.reference} was replaced yet")


@reading
def run_graph(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Show what a fact or note has to do with others."""
    depth = min(args.depth, DEEPEST)
    if args.all:
        most = _ALL_EDGES
    else:
        most = _MOST_EDGES
    found = references.fact_neighbourhood(
        vault, args.reference, depth, args.edge, private=args.private, most=most
    )
    if args.json:
        context.put(show_facts.neighbourhood_json(found, every=args.all))
    else:
        text = show_facts.neighbourhood_text(found, context.paint(vault.root))
        context.put(clip(text, every=args.all), indent=4)
        if not found.branches:
            context.tell(
                f"{args.reference} has no edges"
                + f" of type {' or '.join(args.edge)}" * bool(args.edge)
            )
    if args.depth > depth:
        context.tell(f"--depth {args.depth} is more than {DEEPEST}, so {DEEPEST} steps are shown")


def _name_and_text(args: SimpleNamespace, context: Context, at: Desk) -> tuple[str, str]:
    """What `add` was given: a note and a text, or a text alone, which is for today's note."""
    name, *words = args.words
    if not words:
        addressee.refuse_bare_name(at, name)
        return "", _text((name,), context)
    if len(words[0].split()) > 1 and get_path(
        at.vault.db, name, private=args.private
    ):  # plainly this one
        return name, _text(tuple(words), context)
    meant = addressee.split_addressee(at, name, words)
    if meant.refusal is None:
        return meant.path, _text(tuple(words), context)
    if meant.text in {"", "-"} or not (context.stdin.isatty() and context.err.isatty()):
        raise meant.refusal
    if not context.says_yes(f'add "{meant.text}" to {meant.path}?'):
        raise AureliusError("nothing was written", meant.refusal.hint)
    return meant.path, meant.text


def _text(words: tuple[str, ...], context: Context) -> str:
    if words == ("-",):
        return context.stdin.read()
    return " ".join(words)


def _said(args: SimpleNamespace) -> dict[str, Any]:
    """What a new fact is to say besides its words, as both commands that make one take it."""
    given = {name: getattr(args, name) or "" for name in ("type", "date", "because", "source")}
    return {**given, "importance": _importance(args.importance), "pinned": args.pin}


def _importance(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(
            f"--importance is a number from 0 to 1, not {text!r}", "for example --importance 0.9"
        )
    return value


def run_new(args: SimpleNamespace, context: Context) -> int:
    """Create a note about a person, a project or another subject."""
    name = " ".join(args.name)
    with open_vault(args, context) as vault:
        return tell_written(
            args, context, api.new(vault, args.kind, name, **as_asked(args, context))
        )


def run_note(args: SimpleNamespace, context: Context) -> int:
    """Add a line to today's daily note."""
    if args.text == ("-",):
        text = context.stdin.read(TEXT_LIMIT + 1)
    else:
        text = " ".join(args.text)
    with open_vault(args, context) as vault:
        return tell_written(args, context, api.note(vault, text, **as_asked(args, context)))


def run_undo(args: SimpleNamespace, context: Context) -> int:
    """Bring back what was there before Aurelius's last change, or list the changes."""
    with open_vault(args, context, refresh=False) as vault:
        if args.list:
            return _list(args, context, place_of_args(args, context, vault))
        entry, edits, done = api.undo(
            vault, args.number, private=args.private, dry_run=args.dry_run, now=context.now
        )
        if not args.json:
            line = changes.undone_text(entry, context.zone, dry_run=done is None)
            context.tell(line) if done is None else context.put(line)
        undone = {"number": entry.number, "why": entry.why}
        return tell(args, context, edits, done, hidden=entry.hidden, undone=undone)


def _list(args: SimpleNamespace, context: Context, place: Place) -> int:

    found = all_changes(place, private=args.private)
    if args.json:
        context.put(changes.undoable_json(found, context.zone, every=args.all))
    else:
        context.put(clip(changes.undoable(found, context.zone), every=args.all))
        if last := undo_bar(place.state):
            context.tell(
                "; ".join(
                    filter(None, (f"the last command ({last.why}) cannot be undone", last.remedy))
                )
            )
        elif not found:
            context.tell("nothing to undo")
    return 0
