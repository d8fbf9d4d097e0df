"""`aurelius review`: proposals that wait for a decision."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.agents.llm import questions_of, trace_of_model
from aurelius.cli.apply_plan import (
    carry_through_and_tell,
    desk_of_args,
    tell_worded,
    tell_written,
    worder,
    would_send,
)
from aurelius.cli.open_vault import (
    answer_reading,
    days_of_option,
    no_agent,
    open_vault,
    reading,
)
from aurelius.memory import decisions
from aurelius.memory import review as waiting
from aurelius.memory.conversation import plan_observations
from aurelius.memory.review import LISTED
from aurelius.model.observed import observations
from aurelius.show import facts
from aurelius.show.page import clip
from aurelius.show.terminal import one_line
from indexer.errors import UsageError
from indexer.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace

    from aurelius.agents.llm import Worder
    from aurelius.cli.run import Context
    from aurelius.memory.review import Matter
    from aurelius.plans.plan import Desk
    from aurelius.vault import Vault


_DAYS_OBSERVED = 30
"""Days whose notes are looked at for observations, where none are named."""


def run_review(args: SimpleNamespace, context: Context) -> int:
    """Show what waits for a person's word, or do what is accepted."""
    if args.action in {"list", "dismissed"}:
        if args.keys:
            raise UsageError(
                f"missing argument: what to do with proposal {args.keys[0]}",
                f"aurelius review accept {args.keys[0]}, or aurelius review dismiss {args.keys[0]}",
            )
        return answer_reading(
            args, context, lambda vault, context: _list(args, context, vault), no_agent
        )
    if args.action == "observe":
        return _observe(args, context)
    several = _is_of_several(args)
    with open_vault(args, context, agent=no_agent) as vault:
        at = desk_of_args(args, context, vault)
        chosen = decisions.choose_matters(
            at,
            args.keys,
            of=args.all_of or "",
            every=args.all,
            since=_since(args, context),
            dismissed=args.action == "restore",
        )
        if args.action == "accept":
            return _accept(args, context, at, chosen, several=several)
        code = _decide(args, context, at, chosen, {})
        if chosen and not args.dry_run:
            _tell_way_back(args, context, vault, chosen)
        return code


@reading
def run_maintain(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Show what upkeep proposes, and what was decided since Monday."""
    done = api.maintain(vault, private=args.private)
    limit = len(done.matters) if args.all else facts.PROPOSALS_A_MINUTE
    shown = done.matters[:limit]
    if args.json:
        week = {"accepted": done.accepted, "dismissed": done.dismissed}
        context.put(facts.matters_json(done.matters, limit, every=args.all, **week))
        return
    context.put(clip(facts.proposals_text(done.matters, limit, context.paint()), every=args.all))
    decisions.keep_shown(vault, shown)
    context.tell(done.told)


def _observe(args: SimpleNamespace, context: Context) -> int:
    """Propose what the person's model observes over days: today's note gets a line for each."""
    since = _since(args, context) or f"{context.clock().date() - timedelta(_DAYS_OBSERVED)}"
    with open_vault(args, context, agent=no_agent) as vault:
        asks = questions_of(vault, "observe", dry=args.dry_run)
        if asks is None or args.no_llm:
            raise UsageError(
                "no language model observes anything", "aurelius help model says how one does"
            )
        at = desk_of_args(args, context, vault)
        found = observations(asks.ask, at, since)
        if args.dry_run:
            context.put("\n".join(asks.would))
            context.tell("nothing was sent: --dry-run")
            return 0
        trace_of_model(vault, "observe", asks, [each.text for each in found])
        context.tell(*([f"the model did not answer: {asks.why}"] if asks.why else []))
        return carry_through_and_tell(args, context, at, lambda: plan_observations(at, found))


def _since(args: SimpleNamespace, context: Context) -> str:
    """The first day whose lines are meant, "" for all.  UsageError."""
    return days_of_option("--since", args.since, context)[0] if args.since else ""


def _is_of_several(args: SimpleNamespace) -> bool:
    """Whether all proposals are meant, or all of a note.  UsageError for what cannot go with it."""
    several = args.all or bool(args.all_of)
    if args.keys and several:
        raise UsageError("give keys, or --all, or --all-of NOTE", LISTED)
    if args.json and (len(args.keys) > 1 or (several and args.action != "accept")):
        raise UsageError("with --json there is one proposal at a time", "give one key")
    return several


def _accept(
    args: SimpleNamespace,
    context: Context,
    at: Desk,
    chosen: list[Matter],
    *,
    several: bool,
) -> int:
    """Carry out the proposals, in the words of the person's model where that words them."""
    if (
        context.person and not args.all
    ):  # who names a line of ME.md, or that note, asks for it to be written
        at = at._replace(place=at.place._replace(me=True))
    model = worder(args, context, at.vault, "extract", "capture")
    if model is not None:
        chosen = _wordings(model, chosen)
    code = (_accept_all if several else _decide)(args, context, at, chosen, would_send(model))
    tell_worded(args, context, model)
    return code


def _tell_way_back(
    args: SimpleNamespace,
    context: Context,
    vault: Vault,
    chosen: Sequence[Matter],
) -> None:
    back = "dismiss"
    if args.action == "dismiss":
        back = "restore"
    command = f"aurelius review {back} {' '.join(each.short for each in chosen)}"
    context.tell(f"to take it back: {command}")
    remedy = f"to take it back: `{command}`"
    api.forbid_undo(vault, f"review {args.action}", remedy, now=context.now)


def _accept_all(
    args: SimpleNamespace,
    context: Context,
    at: Desk,
    chosen: Sequence[Matter],
    about: Mapping[str, Any],
) -> int:
    """Carry out all of these as one change, and tell how many they are."""
    if not chosen and not args.json:
        context.tell("nothing to review")
        return 0
    made, left = decisions.accept_plain(at, chosen, of_note=bool(args.all_of), dry_run=args.dry_run)
    code = tell_written(args, context, made, **about)
    if not args.json:
        done = made.about["accepted"]
        how = "accepted"
        if args.dry_run:
            how = "would be accepted"
        back = "; `aurelius undo` takes all of it back"
        if args.dry_run or not done:
            back = ""
        context.tell(f"{done:,} of {len(chosen):,} {plural('proposal', len(chosen))} {how}{back}")
        if left:
            told = "`aurelius review` lists them, `aurelius review accept KEY` accepts one"
            context.tell(f"left: {facts.left_counts(left)}; {told}")
    return code


def _decide(
    args: SimpleNamespace,
    context: Context,
    at: Desk,
    chosen: Sequence[Matter],
    about: Mapping[str, Any],
) -> int:
    """Carry out what was decided about each proposal, and tell."""
    code = 0
    for each, done in decisions.decide(at, chosen, args.action, dry_run=args.dry_run):
        if done:
            code = max(code, tell_written(args, context, done, **about))
            continue
        what = one_line(waiting.lines(each))
        context.tell(f"not accepted, because it is no longer proposed: {what}")
    return code


def _wordings(model: Worder, found: Sequence[Matter]) -> list[Matter]:
    """The proposals, those that would write a line with the model's words for it."""
    made = list(found)
    use = model.use
    carry = [at for at, each in enumerate(found) if each.carried and "extract" in use]
    lines = model.carried([line for at in carry if (line := found[at].carried)])
    for at, line in zip(carry, lines, strict=True):
        made[at] = found[at]._replace(carried=line, worded=line.worded)
    own = [at for at, each in enumerate(found) if each.what == "captured" and "capture" in use]
    told = model.captured([(found[at].path, found[at].fact, found[at].why) for at in own])
    for at, text in zip(own, told, strict=True):
        made[at] = found[at]._replace(worded=text)
    return made


def _as_worded(matter: Matter) -> Matter:
    """A proposal as it is shown: with the words that would be written."""
    if matter.worded:
        return matter._replace(fact=matter.fact._replace(text=matter.worded))
    return matter


def _list(args: SimpleNamespace, context: Context, vault: Vault) -> int:
    at = desk_of_args(args, context, vault)
    found = waiting.open_matters(
        at, since=_since(args, context), dismissed=args.action == "dismissed"
    )
    if args.all_of:
        found = waiting.all_of(at, found, args.all_of)
    if args.all:
        limit = len(found)
    else:
        limit = args.limit or facts.PROPOSALS_A_MINUTE
    every = args.all or bool(args.limit)
    model = None
    if args.action == "list":
        model = worder(args, context, vault, "extract", "capture")
    if model is not None:
        found = [*map(_as_worded, _wordings(model, found[:limit])), *found[limit:]]
    if args.json:
        context.put(facts.matters_json(found, limit, every=every))
        tell_worded(args, context, model)
        return 0
    context.put(clip(facts.proposals_text(found, limit, context.paint()), every=every))
    tell_worded(args, context, model)
    decisions.keep_shown(vault, found[:limit])
    if args.action == "list" and not args.all_of:
        _tell_of_summaries(context, at)
    if not found:
        nothing = {"list": "nothing to review", "dismissed": "nothing was dismissed"}
        context.tell(nothing[args.action])
    elif limit < len(found):
        context.tell(
            f"{len(found) - limit:,} more: `aurelius review -n {10 * facts.PROPOSALS_A_MINUTE}`,"
            " or --all"
        )
    return 0


def _tell_of_summaries(context: Context, at: Desk) -> None:
    """Tell of the summaries that Aurelius wrote and does not rewrite by itself, because more than
    half would go."""
    from aurelius.ageing import summarize

    wish = summarize.SummaryWish(private=at.private)
    rows = summarize.plan_summaries(at.vault, at.place, wish=wish).rows
    count = sum(row.done == summarize.SUMMARY_PROPOSED and not row.why for row in rows)
    if count:
        them = "1 summary waits" if count == 1 else f"{count} summaries wait"
        context.tell(
            f"{them} for your yes, because more than half would go: `aurelius summarize"
            " --yes --dry-run` shows the changes, without --dry-run it writes them"
        )
