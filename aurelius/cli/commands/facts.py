"""The commands that write notes and facts, correct them, and tell what became of them: new, note, undo, add, update,
supersede, history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.answers import references
from aurelius.cli.apply_plan import carry_out, carry_out_edits, carry_through, desk, place_of, tell
from aurelius.cli.open_vault import answered, move_uses, opened
from aurelius.plans import facts
from aurelius.plans.facts import Wish
from aurelius.show import changes
from aurelius.show.page import clip
from indexer.catalog.edges import relations
from indexer.catalog.lists import get_path
from indexer.errors import AureliusError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.plans.plan import Desk, Plan
    from aurelius.vault import Vault
    from aurelius.writing.edits import Place
    from indexer.note import Fact

DEEPEST = 2
"""Steps that `graph` goes: behind the second almost everything is met."""
MOST, EVERY = 1_000, 1_000_000
"""Edges that `graph` gathers before it shows what fits, and with `--all`."""


def add(args: SimpleNamespace, context: Context) -> int:
    """Add a fact to a note, or to today's daily note."""
    wish = _wish(args)
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        name, text = _name_and_text(args, context, at)
        about: dict[str, object] | None = None

        def plan() -> Plan:
            nonlocal about
            made = facts.add(at, name, text, wish)  # what cannot be is said before what is like it
            if about is None:
                older = _older(at, made, wish, private=args.private)
                if _is_instead(args, context, older, made):
                    return facts.supersede(at, older[0].key, text, wish)
                alike = [
                    hit
                    for hit in references.near(vault, text, private=args.private)
                    if hit.id not in {each.key for each in older}
                ]
                context.tell(*([] if args.json or not made.edits else changes.like_it(alike)))
                about = {
                    "older": changes.older_json(made.about["path"], older), "near": changes.like_it_json(alike),
                }  # fmt: skip
            return made._replace(about={**made.about, **about})

        return carry_through(args, context, at, plan)


def _older(at: Desk, made: Plan, wish: Wish, *, private: bool) -> list[Fact]:
    """The facts that a new one contradicts, unless it says itself what becomes of them."""
    if not made.edits or wish.updates or wish.contradicts:
        return []
    path, text, day = (made.about[key] for key in ("path", "text", "date"))
    return references.older(at.vault, path, text, day or "", private=private)


def _is_instead(args: SimpleNamespace, context: Context, older: Sequence[Fact], made: Plan) -> bool:
    """Tell of what a new fact contradicts, before it is written; whether a person at the terminal says that it takes
    the place of the first of these."""
    if args.json or not older:
        return False
    path, text = made.about["path"], made.about["text"]
    context.tell(*changes.contradicted(path, older, text, dry_run=args.dry_run))
    asked = context.stdin.isatty() and context.err.isatty() and not args.dry_run
    return asked and context.says_yes(f'is it no longer true that "{older[0].text}"? Then it is replaced')


def update(args: SimpleNamespace, context: Context) -> int:
    """Reword a fact."""
    text = _text(args.text, context)
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        return carry_through(args, context, at, lambda: facts.update(at, args.fact, text))


def supersede(args: SimpleNamespace, context: Context) -> int:
    """Replace a fact that is no longer true."""
    text, wish = _text(args.text, context), _wish(args)
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        return carry_through(args, context, at, lambda: facts.supersede(at, args.fact, text, wish))


def history(args: SimpleNamespace, context: Context) -> int:
    """Show what a fact, or each fact of a note, was before and is now."""
    from aurelius.show import facts as show_facts

    def answer(vault: Vault, context: Context) -> int:
        found = references.history(vault, args.reference, private=args.private)
        every = [step.fact for chain in found for step in chain]
        known = relations(vault.index().db, every, private=args.private)
        if args.json:
            context.put(show_facts.history_json(found, known, every=args.all))
        else:
            context.put(clip(show_facts.history(found, known), every=args.all))
            if not found:
                context.tell(f"nothing of {args.reference} was replaced yet")
        return 0

    return answered(args, context, answer)


def graph(args: SimpleNamespace, context: Context) -> int:
    """Show what a fact or note has to do with others."""
    from aurelius.show import facts as show_facts

    def answer(vault: Vault, context: Context) -> int:
        depth = min(args.depth, DEEPEST)
        most = EVERY if args.all else MOST
        found = references.neighbourhood(vault, args.reference, depth, args.edge, private=args.private, most=most)
        if args.json:
            context.put(show_facts.neighbourhood_json(found, every=args.all))
        else:
            text = show_facts.neighbourhood(found, context.paint(vault.root))
            context.put(clip(text, every=args.all), indent=4)
            if not found.branches:
                context.tell(f"{args.reference} has no edges" + f" of type {' or '.join(args.edge)}" * bool(args.edge))
        if args.depth > depth:
            context.tell(f"--depth {args.depth} is more than {DEEPEST}, so {DEEPEST} steps are shown")
        return 0

    return answered(args, context, answer)


def _name_and_text(args: SimpleNamespace, context: Context, at: Desk) -> tuple[str, str]:
    """What `add` was given: a note and a text, or a text alone, which is for today's note."""
    from aurelius.plans import addressee

    name, *words = args.words
    if not words:
        addressee.refuse_bare_name(at, name)
        return "", _text((name,), context)
    if len(words[0].split()) > 1 and get_path(at.vault.index().db, name, private=args.private):  # plainly this one
        return name, _text(tuple(words), context)
    meant = addressee.meant(at, name, words)
    if meant.refusal is None:
        return meant.path, _text(tuple(words), context)
    if meant.text in {"", "-"} or not (context.stdin.isatty() and context.err.isatty()):
        raise meant.refusal
    if not context.says_yes(f'add "{meant.text}" to {meant.path}?'):
        raise AureliusError("nothing was written", meant.refusal.hint)
    return meant.path, meant.text


def _text(words: tuple[str, ...], context: Context) -> str:
    return context.stdin.read() if words == ("-",) else " ".join(words)


def _wish(args: SimpleNamespace) -> Wish:
    given = vars(args)
    return Wish(
        date=args.date or "", type=args.type or "", tags=given.get("tag", ()), meta=given.get("meta", ()),
        importance=_importance(args.importance), pinned=args.pin, updates=given.get("updates") or "",
        because=args.because or "", source=args.source or "", contradicts=given.get("contradicts") or "",
        part_of=given.get("part_of") or "",
    )  # fmt: skip


def _importance(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"--importance is a number from 0 to 1, not {text!r}", "for example --importance 0.9")
    return round(value, 6)


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
