"""`aurelius review`: proposals that wait for a decision."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.cli.apply_plan import (
    carry_out_and_tell,
    desk_of_args,
    tell_worded,
    worder,
    would_send,
)
from aurelius.cli.open_vault import answer_reading, no_agent, open_vault
from aurelius.memory import review as waiting
from aurelius.memory.review import LEAST_NAME_LETTERS, LISTED
from aurelius.settings.places import LAST_REVIEW
from aurelius.show import facts
from aurelius.show.page import clip
from aurelius.show.terminal import one_line
from aurelius.writing.own_files import keep_in_state
from indexer.errors import AureliusError, UsageError
from indexer.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace

    from aurelius.agents.llm import Worder
    from aurelius.cli.run import Context
    from aurelius.memory.review import Matter
    from aurelius.plans.plan import Desk
    from aurelius.vault import Vault


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
    several = _is_of_several(args)
    with open_vault(args, context, agent=no_agent) as vault:
        at = desk_of_args(args, context, vault)
        chosen = _chosen(args, at)
        if args.action == "accept":
            return _accept(args, context, at, chosen, several=several)
        code = _decide(args, context, at, chosen, {})
        if chosen and not args.dry_run:
            _tell_way_back(args, context, vault, chosen)
        return code


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


def _chosen(args: SimpleNamespace, at: Desk) -> list[Matter]:
    """The proposals that the command line names: by key or number, of a note, or all."""
    found = waiting.open_matters(at, dismissed=args.action == "restore")
    if args.all_of:
        return waiting.all_of(at, found, args.all_of)
    if args.all:
        return found
    return _choose(found, args.keys, _last_shown(at.vault))


def _choose(found: Sequence[Matter], given: Sequence[str], shown: Sequence[str]) -> list[Matter]:
    """The matters of these keys, or of these numbers in the list that was `shown` last: their names
    in its order.

    UsageError where one of them means none of those that are there now, or several.
    """
    if not given:
        raise UsageError("missing argument: the key of a proposal", LISTED)
    chosen = [_one(found, each.strip().lower(), shown) for each in given]
    return list({each.name: each for each in chosen}.values())


def _one(found: Sequence[Matter], given: str, shown: Sequence[str]) -> Matter:
    if given.isdecimal():
        return _numbered(found, int(given), shown)
    fitting = [each for each in found if each.key.lower() == given][
        :1
    ]  # a copy of a note has the same ones
    fitting = fitting or [
        each for each in found if len(given) >= LEAST_NAME_LETTERS and each.name.startswith(given)
    ]
    if len(fitting) > 1:
        raise UsageError(
            f"several proposals have keys that begin with {given}:"
            f" {', '.join(each.short for each in fitting)}",
            LISTED,
        )
    if not fitting:
        raise UsageError(f"there is no proposal {given}", LISTED)
    return fitting[0]


def _numbered(found: Sequence[Matter], number: int, shown: Sequence[str]) -> Matter:
    """The proposal that has a number in the list as it was shown last.  UsageError."""
    if not shown:
        what = f"no list was shown yet in which a proposal could have the number {number}"
        raise UsageError(
            what,
            f"{LISTED}; --json does not number them for you, but its keys (`short`) work as well",
        )
    if not 1 <= number <= len(shown):
        raise UsageError(f"the list as it was last shown has no proposal {number}", LISTED)
    for each in found:
        if each.name == shown[number - 1]:
            return each
    raise UsageError(
        f"proposal {number} of the list as it was last shown is no longer there",
        "run `aurelius review` again",
    )


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
    taken, left = waiting.plain_proposals(chosen, of_note=bool(args.all_of))
    plan = waiting.accept_all(at, taken)
    plan = plan._replace(about={**plan.about, "left": plan.about["left"] + len(left), **about})
    code = carry_out_and_tell(args, context, at, plan)
    if not args.json:
        done = plan.about["accepted"]
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
    """Carry out what was decided about each proposal; each as it stands after what was written for
    those before it."""
    code = 0
    for number, each in enumerate(chosen):
        if args.action == "accept":
            if number and not args.dry_run:
                at.vault.refresh()
            now = waiting.still(at, each)
            if now is None:
                context.tell(
                    "not accepted, because it is no longer proposed:"
                    f" {one_line(waiting.lines(each))}"
                )
                continue
            plan = waiting.accept(at, _worded(now, each))
            plan = plan._replace(about={**plan.about, **about})
        elif args.action == "dismiss":
            plan = waiting.dismiss(at, each)
        else:
            plan = waiting.restore(each)
        code = max(code, carry_out_and_tell(args, context, at, plan))
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


def _worded(now: Matter, before: Matter) -> Matter:
    """A proposal as it stands now, with the words that it had, where it still says the same."""
    if now.fact.text != before.fact.text:
        return now
    line = None
    if now.carried:
        line = now.carried._replace(worded=before.worded)
    return now._replace(carried=line, worded=before.worded)


def _as_worded(matter: Matter) -> Matter:
    """A proposal as it is shown: with the words that would be written."""
    if matter.worded:
        return matter._replace(fact=matter.fact._replace(text=matter.worded))
    return matter


def _list(args: SimpleNamespace, context: Context, vault: Vault) -> int:
    at = desk_of_args(args, context, vault)
    found = waiting.open_matters(at, dismissed=args.action == "dismissed")
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
    _keep_shown(vault, found[:limit])
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


def _keep_shown(vault: Vault, found: Sequence[Matter]) -> None:
    """Keep which proposal has which number, from an empty list none; where that cannot be kept,
    numbers are refused and keys still work."""
    if not found:
        return

    with suppress(OSError, AureliusError):
        keep_in_state(
            vault.config.state, LAST_REVIEW, "".join(f"{each.name}\n" for each in found).encode()
        )


def _last_shown(vault: Vault) -> list[str]:
    """The names of the proposals in the list as it was last shown, in its order."""
    try:
        with open(
            os.path.join(vault.config.state, LAST_REVIEW), encoding="ascii", errors="replace"
        ) as file:
            return file.read().split()
    except OSError:
        return []
