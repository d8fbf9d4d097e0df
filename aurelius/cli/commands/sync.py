"""The command that brings the notes of all devices together: sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius import api
from aurelius.cli.open_vault import no_agent, open_vault
from aurelius.show import changes, sync_text

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context


def run_sync(args: SimpleNamespace, context: Context) -> int:
    """Commit, fetch, merge and send; say in one line what came and went."""

    def agrees(question: str) -> bool:
        return args.yes or (context.tty and not args.json and context.says_yes(question))

    with open_vault(args, context, agent=no_agent, refresh=False) as vault:
        change = api.offered_merge_rules(vault) if args.setup and not args.json else None
        if change:
            context.put(changes.preview([change]))
            if not args.dry_run and agrees("write this, so that git merges notes fact by fact?"):
                api.write_merge_rules(vault, change)
            elif not args.dry_run:
                context.tell(f"{change.path} stays as it is; to write this: --yes")
        done = api.sync(vault, agrees, setup=args.setup, dry_run=args.dry_run, now=context.now)
    context.put(
        sync_text.sync_json(done, dry_run=args.dry_run)
        if args.json
        else sync_text.sync_told(done, dry_run=args.dry_run)
    )
    return 0
