"""The commands about how alive facts are: tiers, reinforce, demote; and what a reading command leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.opened import opened

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import SimpleNamespace

    from aurelius.command import Context
    from aurelius.vault import Vault


def tiers(args: SimpleNamespace, context: Context) -> int:
    """Show how alive the facts of a note are, or count those of the vault."""
    from aurelius import jsonout_tiers, render_tiers
    from aurelius import tiers as found

    with opened(args, context) as vault:
        if args.note:
            of_note = found.of_note(vault, args.note, private=args.private)
            shown = jsonout_tiers.note(of_note) if args.json else render_tiers.note(of_note, colour=context.colour)
        else:
            of_vault = found.of_vault(vault, private=args.private)
            shown = jsonout_tiers.vault(of_vault) if args.json else render_tiers.vault(of_vault)
        context.put(shown)
    return 0


def reinforce(args: SimpleNamespace, context: Context) -> int:
    """Say that a fact helped."""
    return _judge(args, context, "reinforce")


def demote(args: SimpleNamespace, context: Context) -> int:
    """Say that a fact was of no use."""
    return _judge(args, context, "demote")


def _judge(args: SimpleNamespace, context: Context, op: str) -> int:
    from aurelius import jsonout_tiers, judge, pick, render_tiers

    with opened(args, context) as vault:
        path, key = pick.fact(vault, args.fact, private=args.private)
        done = judge.judge(vault, path, key, op, dry_run=args.dry_run)
        context.put(jsonout_tiers.judged(done, dry_run=args.dry_run) if args.json else render_tiers.judged(done))
        if args.dry_run and not args.json:
            context.tell("nothing was written: --dry-run")
    return 0


def leave(args: SimpleNamespace, context: Context, vault: Vault, refs: Iterable[str], via: str) -> None:
    """Write down what was used, once the answer is out; nothing where `--no-use` says so."""
    if not args.no_use:
        from aurelius import usagelog

        context.out.flush()
        usagelog.use(vault, refs, via)
