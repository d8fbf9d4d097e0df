"""Last step of every writing command: its edits made, or only checked, and what came of them
told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.plans import plan as plans
from aurelius.show import changes
from aurelius.show.page import MOST_ANSWER_TOKENS, clip
from aurelius.show.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from aurelius.agents.llm import Worder
    from aurelius.plans.plan import Desk, Plan, Written
    from aurelius.vault import Vault
    from aurelius.writing.check_edit import Applied, Edit, Place

    from .run import Context


def place_of_args(args: SimpleNamespace, context: Context, vault: Vault) -> Place:
    """Where a command writes; `--force` lets it take away much, change who you are and write a
    secret."""
    return api.write_place(
        vault, force=getattr(args, "force", False), person=context.person, now=context.now
    )


def desk_of_args(args: SimpleNamespace, context: Context, vault: Vault) -> Desk:
    """What the plan of a command is made with."""
    given = as_asked(args, context)
    given.pop("dry_run", None)
    return api.plan_desk(vault, **given)


def as_asked(args: SimpleNamespace, context: Context) -> dict[str, Any]:
    """What a function of `api` that writes notes is given by the options that its command has."""
    given = vars(args)
    always = {"now": context.now, "person": context.person}
    return always | {name: given[name] for name in ("private", "force", "dry_run") if name in given}


def worder(args: SimpleNamespace, context: Context, vault: Vault, *kinds: str) -> Worder | None:
    """What asks the person's model in this run; None where the settings let it word none of these,
    or `--no-llm`."""
    if args.no_llm or not {*kinds} & {*vault.config.llm_use}:
        return None
    from aurelius.agents.llm import Worder
    from indexer.catalog.filters import Filters
    from indexer.reading.path_meaning import APART

    rows = vault.notes(Filters(private=True, apart=APART)).notes
    hidden = {row.path for row in rows if row.private}
    titles = {row.path: row.title for row in rows}
    moment = f"{context.clock():%Y-%m-%d %H:%M}"
    return Worder(vault.config, context.env, hidden, titles, moment, dry=args.dry_run)


def would_send(model: Worder | None) -> dict[str, Any]:
    """For the JSON of a dry run: each question, exactly as it would be sent; without one no key."""
    if model is not None and model.would:
        return {"would_send": model.would}
    return {}


def tell_worded(args: SimpleNamespace, context: Context, model: Worder | None) -> None:
    """Keep what the model said, and tell what came of it; of a dry run what would be sent."""
    if model is None:
        return
    for each in model.would if not args.json else ():
        context.put(each)
    if model.would:
        context.tell(f"nothing was sent: --dry-run; it would go to {model.where}")
    context.tell(*model.told())


def carry_through_and_tell(
    args: SimpleNamespace,
    context: Context,
    at: Desk,
    plan: Callable[[], Plan],
) -> int:
    """Carry out a plan, made again where somebody else wrote to a note at the same time, and tell.
    The exit code."""
    return tell_written(args, context, plans.carry_through(at, plan, dry_run=args.dry_run))


def carry_out_and_tell(args: SimpleNamespace, context: Context, at: Desk, plan: Plan) -> int:
    """Make the edits of a plan, or with `--dry-run` show them, and tell.  The exit code."""
    return tell_written(args, context, plans.carry_out(at, plan, dry_run=args.dry_run))


def tell_written(args: SimpleNamespace, context: Context, done: Written, **about: Any) -> int:
    """Tell what was written, or would be; `about` goes into the JSON beside its own. The exit
    code."""
    context.tell(*done.notices)
    if done.applied and not args.json:
        rows = "".join(f"{one_line(row)}\n" for row in done.rows)
        context.put(clip(rows, every=_every(args), room=MOST_ANSWER_TOKENS // 2))
        if done.rows and not done.edits:
            return 0
    return tell(args, context, done.edits, done.applied, **{**done.about, **about})


def tell(
    args: SimpleNamespace,
    context: Context,
    edits: Sequence[Edit],
    done: Applied | None,
    *,
    hidden: bool = False,
    **about: Any,
) -> int:
    """Tell what was done, or would be where nothing is `done`; `hidden` edits are not told. The
    exit code."""
    if args.json:
        context.put(
            changes.written_json(() if hidden else edits, done, every=_every(args), **about)
        )
    elif not hidden:
        if done:
            text = changes.changes_text(edits)
        else:
            text = changes.preview(edits)
        context.put(
            clip(
                text,
                every=_every(args),
                room=MOST_ANSWER_TOKENS // 2 if done else MOST_ANSWER_TOKENS,
            )
        )
        if all(each.before == each.after for each in edits):
            context.tell("no changes needed")
    if done and done.uncommitted:
        context.tell(f"written, but not committed: {done.uncommitted}")
    return 0


def _every(args: SimpleNamespace) -> bool:
    """True if the whole answer is wanted, however long; a command without `--all` is about one fact
    or line."""
    return bool(getattr(args, "all", True))
