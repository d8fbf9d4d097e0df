"""The commands that state facts, correct them and tell what became of them: add, update, supersede, history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius import amend
from aurelius.amend import Desk, Wish
from aurelius.cli.opened import opened
from aurelius.cli.written import place_of, tell
from aurelius.replace import CHANGED
from indexer.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import SimpleNamespace

    from aurelius.command import Context
    from aurelius.draft import Plan
    from aurelius.vault import Vault

TRIES = 9
"""How often a plan is made anew because somebody else wrote to the same note in the meantime."""


def add(args: SimpleNamespace, context: Context) -> int:
    """State a fact in a note, or in today's."""
    from aurelius.near import near

    name, text = _name_and_text(args, context)
    wish = _wish(args)
    with opened(args, context) as vault:
        amend.add(desk(args, context, vault), name, text, wish)  # what cannot be is said before what is like it
        alike = near(vault, text, private=args.private)
        if not args.json:
            context.tell(*(f"like it: {hit.path}:{hit.lines[0]}  {hit.text}  [id:{hit.id}]" for hit in alike))
        found = [{"id": hit.id, "path": hit.path, "lines": hit.lines, "text": hit.text} for hit in alike]

        def plan() -> Plan:
            made = amend.add(desk(args, context, vault), name, text, wish)
            return made._replace(about={**made.about, "near": found})

        return carry_through(args, context, vault, plan)


def update(args: SimpleNamespace, context: Context) -> int:
    """Say a fact in other words."""
    text = _text(args.text, context)
    with opened(args, context) as vault:
        return carry_through(args, context, vault, lambda: amend.update(desk(args, context, vault), args.fact, text))


def supersede(args: SimpleNamespace, context: Context) -> int:
    """Replace a fact that is no longer so."""
    text, wish = _text(args.text, context), _wish(args)
    with opened(args, context) as vault:
        return carry_through(
            args, context, vault, lambda: amend.supersede(desk(args, context, vault), args.fact, text, wish)
        )


def history(args: SimpleNamespace, context: Context) -> int:
    """Show what a fact, or each fact of a note, was before and is now."""
    from aurelius import jsonout_facts, past, render_facts

    with opened(args, context) as vault:
        found = past.history(vault, args.reference, private=args.private)
        if args.json:
            context.put(jsonout_facts.history(found))
        else:
            context.put(render_facts.history(found))
            if not found:
                context.tell(f"nothing of {args.reference} was replaced yet")
    return 0


def carry_through(args: SimpleNamespace, context: Context, vault: Vault, plan: Callable[[], Plan]) -> int:
    """Make the edits of a plan; where somebody else wrote to a note meanwhile, it is made anew from what stands there
    now.  The exit code, or ConflictError where that happens again and again.
    """
    for _ in range(TRIES):
        try:
            return carry_out(args, context, vault, plan())
        except ConflictError as error:
            if error.hint != CHANGED:
                raise
            vault.refresh()
    return carry_out(args, context, vault, plan())


def carry_out(args: SimpleNamespace, context: Context, vault: Vault, plan: Plan) -> int:
    """Make the edits of a plan, or with `--dry-run` show them, and tell.  The exit code."""
    from aurelius import edit, rejoin, sound
    from aurelius.edit import Applied
    from aurelius.visible import one_line

    place = place_of(args, context, vault)
    done = None
    if args.dry_run:
        (sound.check if plan.append else edit.rehearse)(place, plan.edits)
    elif plan.append:
        path, line = plan.append
        made = rejoin.append(place, path, line.data, opening=line.opening, why=plan.why)
        done = Applied(made.number, made.uncommitted)
    else:
        done = edit.apply(place, plan.edits, plan.why)
    if done:
        _log(vault, plan, context)
    context.tell(*plan.notices)
    if done and not args.json:
        context.put("".join(f"{one_line(row)}\n" for row in plan.rows))
    return tell(args, context, plan.edits, done, **plan.about)


def _log(vault: Vault, plan: Plan, context: Context) -> None:
    """Tell the usage log what became of names; the notes are written all the same."""
    from aurelius import usagelog
    from indexer.errors import AureliusError

    events = [{"op": op, "ref": ref, **({"to": to} if to else {})} for op, ref, to in plan.events]
    try:
        usagelog.append(vault, events)
    except AureliusError as error:
        context.tell(error.message)


def desk(args: SimpleNamespace, context: Context, vault: Vault) -> Desk:
    """What the plan of a command is made with."""
    return Desk(vault, place_of(args, context, vault), context.clock(), args.private)


def _name_and_text(args: SimpleNamespace, context: Context) -> tuple[str, str]:
    """What `add` was given: a note and a text, or a text alone, which is for today's note."""
    name, *words = args.words
    if not words:
        return "", _text((name,), context)
    return name, _text(tuple(words), context)


def _text(words: tuple[str, ...], context: Context) -> str:
    return context.stdin.read() if words == ("-",) else " ".join(words)


def _wish(args: SimpleNamespace) -> Wish:
    given = vars(args)
    return Wish(
        date=args.date or "", type=args.type or "", tags=given.get("tag", ()), meta=given.get("meta", ()),
        importance=_importance(args.importance), pinned=args.pin, updates=given.get("updates") or "",
        because=args.because or "", source=args.source or "",
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
