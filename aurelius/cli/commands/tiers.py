"""The commands about the tiers of facts: tiers, reinforce, demote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.apply_plan import bar_undo
from aurelius.cli.open_vault import answered, opened

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.vault import Vault


def tiers(args: SimpleNamespace, context: Context) -> int:
    """Show the tiers of the facts of a note, or count those of the vault."""
    from aurelius.ageing import tiers as found
    from aurelius.show import facts, page

    def answer(vault: Vault, context: Context) -> int:
        if args.note:
            of_note = found.of_note(vault, args.note, private=args.private)
            text = page.clip(facts.note_tiers(of_note, paint=context.paint(vault.root)), every=args.all)
            shown = facts.note_tiers_json(of_note, every=args.all) if args.json else text
        else:
            of_vault = found.of_vault(vault, private=args.private)
            shown = facts.vault_tiers_json(of_vault) if args.json else facts.vault_tiers(of_vault)
        context.put(shown, indent=None if args.json else 4)
        return 0

    return answered(args, context, answer)


def reinforce(args: SimpleNamespace, context: Context) -> int:
    """Rank a fact higher because it helped."""
    return _judge(args, context, "reinforce")


def demote(args: SimpleNamespace, context: Context) -> int:
    """Rank a fact lower because it did not help."""
    return _judge(args, context, "demote")


def _judge(args: SimpleNamespace, context: Context, op: str) -> int:
    from aurelius.ageing.reinforce import judge
    from aurelius.answers import references
    from aurelius.show import facts

    with opened(args, context) as vault:
        path, key = references.fact(vault, args.fact, private=args.private)
        done = judge(vault, path, key, op, dry_run=args.dry_run)
        if not args.dry_run:
            other = "demote" if op == "reinforce" else "reinforce"
            bar_undo(
                args,
                context,
                vault,
                op,
                f"to rank it {'lower' if op == 'reinforce' else 'higher'} again: aurelius {other} {done.shown}",
            )
        context.put(
            facts.judged_json(done, dry_run=args.dry_run) if args.json else facts.judged(done, dry_run=args.dry_run)
        )
        if args.dry_run and not args.json:
            context.tell("nothing was written: --dry-run")
    return 0
