"""The commands that keep a vault in order as it ages: move, archive, rm, tidy, extract, maintain,
export; tiers, reinforce, demote, summarize."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.ageing import summarize as summaries
from aurelius.ageing import tiers
from aurelius.ageing import tiers as found
from aurelius.ageing.summary_text import INDEX, NOW_HEADING, SUMMARY_HEADING, part_of
from aurelius.answers import note_view as taken
from aurelius.cli.apply_plan import (
    as_asked,
    carry_out_and_tell,
    carry_through_and_tell,
    desk_of_args,
    tell,
    tell_worded,
    tell_written,
    worder,
    would_send,
)
from aurelius.cli.open_vault import answer_reading, no_agent, open_vault, reading
from aurelius.plans import move_archive
from aurelius.plans import tidy as order
from aurelius.settings.places import shell_word
from aurelius.show import facts
from aurelius.show.json_text import dump
from aurelius.show.page import clip
from aurelius.show.terminal import escape_controls
from indexer.errors import ConflictError, UsageError
from indexer.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import SimpleNamespace

    from aurelius.ageing.summarize import SummaryPlan, SummaryRow, Word
    from aurelius.agents.llm import Worder
    from aurelius.cli.run import Context
    from aurelius.plans.plan import Plan
    from aurelius.vault import Vault


def run_move(args: SimpleNamespace, context: Context) -> int:
    """Move or rename a note and repair every link to it."""
    with open_vault(args, context) as vault:
        how = as_asked(args, context)
        return tell_written(args, context, api.move(vault, args.note, args.destination, **how))


def run_archive(args: SimpleNamespace, context: Context) -> int:
    """Move a fact or a note to the archive, where it is still found."""
    if args.reference and args.when_over:
        raise UsageError(f"{args.reference} and --when-over cannot go together", "choose one")
    if not (args.reference or args.when_over):
        raise UsageError(
            "missing argument: ID or NOTE",
            "aurelius archive NOTE, or aurelius archive --when-over 100MB",
        )
    with open_vault(args, context) as vault:
        how = as_asked(args, context)
        if args.when_over:
            done = api.archive_when_over(vault, args.when_over, **how)
        else:
            done = api.archive(vault, args.reference, **how)
        return tell_written(args, context, done)


def run_rm(args: SimpleNamespace, context: Context) -> int:
    """Put a note or a fact away once the person agrees; nothing is deleted."""
    with open_vault(args, context) as vault:
        at = desk_of_args(args, context, vault)
        plans = [move_archive.plan_archive(at, args.reference)]
        moved = plans[0].about["archived"][0]
        if not (
            args.dry_run
            or args.yes
            or context.says_yes(_question(args.reference, plans[0], context))
        ):
            context.tell("nothing was moved")
            return 1
        code = carry_through_and_tell(
            args,
            context,
            at,
            lambda: plans.pop() if plans else move_archive.plan_archive(at, args.reference),
        )
        if not args.dry_run:
            context.tell(_way_back(moved))
        return code


def _question(reference: str, plan: Plan, context: Context) -> str:
    """The question before something is moved to the archive. UsageError if there is nobody to
    ask."""
    moved = plan.about["archived"][0]
    what = f"the fact {reference} of {moved['from']}" if moved["id"] else moved["from"]
    if not (context.stdin.isatty() and context.err.isatty()):
        raise UsageError(
            f"rm asks before it moves {what} to {moved['to']}, and there is no terminal to ask in",
            "--yes moves it without asking; --dry-run shows what would change",
        )
    repaired = len({edit.path for edit in plan.edits} - {moved["from"], moved["to"]})
    links = ""
    if repaired:
        links = f", and repair the links in {repaired} other {plural('note', repaired)}"
    return f"move {what} to {moved['to']}{links}?"


def _way_back(moved: Mapping[str, Any]) -> str:
    """How to get back what was put away."""
    later = f", and later `aurelius move {shell_word(moved['to'])} {shell_word(moved['from'])}`"
    return (
        "moved to the archive, not deleted; to bring it back: `aurelius"
        f" undo`{'' if moved['id'] else later}"
    )


def tidy_notes(args: SimpleNamespace, context: Context) -> int:
    """Repair copied ids, strike facts that others update, and add missing ids."""
    with open_vault(args, context) as vault:
        at = desk_of_args(args, context, vault)
        done = order.plan_tidy(at, args.notes, stamp=args.stamp)
        if not args.check:
            about = {"found": [each._asdict() for each in done.found]}
            rows = tuple(f"{each.path}:{each.line}  {each.message}" for each in done.found)
            return carry_out_and_tell(args, context, at, done.plan._replace(about=about, rows=rows))
        if args.json:
            context.put(dump(every=args.all, found=done.found))
        else:
            context.put(clip(facts.untidy(done.found), every=args.all))
            context.tell(*done.plan.notices, *([] if done.found else ["nothing to tidy"]))
    if done.found:
        return 1
    return 0


@reading
def show_ageing(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Show how facts have aged, which could be archived, and duplicates.  Never writes."""
    found = tiers.find_upkeep(vault, args.notes, private=args.private)
    every = bool(args.notes) or args.all
    if args.json:
        context.put(facts.upkeep_json(found, facts=every, every=args.all))
    else:
        context.put(clip(facts.upkeep_text(found, facts=every, every=every), every=args.all))


def run_export(args: SimpleNamespace, context: Context) -> int:
    """Print every fact as JSON or Markdown, or write an SQLite file."""
    asked = [f"--{form}" for form in ("json", "md", "sqlite") if getattr(args, form)]
    if len(asked) != 1:
        what = "no format is given"
        if asked:
            what = f"{' and '.join(asked)} cannot go together"
        raise UsageError(what, "choose one: --json, --md, or --sqlite FILE")

    def answer(vault: Vault, context: Context) -> int:
        if args.sqlite:
            file = os.path.join(context.cwd, args.sqlite)
            count = taken.export_sqlite(vault, file, private=args.private)
            context.put(f"wrote {count} {plural('fact', count)} to {args.sqlite}")
        elif args.json:
            context.put(dump(facts=list(taken.export_rows(vault, private=args.private))))
        else:
            text = taken.export_markdown(vault, private=args.private)
            context.put(escape_controls(text))
            if not text:
                context.tell("no facts to export")
        return 0

    return answer_reading(args, context, answer)


WHY_SUMMARY_KEPT = {
    summaries.SUMMARY_KEPT: (
        "you wrote or changed it; to replace it: aurelius summarize --take-over"
    ),
    summaries.COLD: "all its facts are cold, so the old text stays",
    summaries.SUMMARY_EMPTY: "it has no facts to summarize",
    summaries.SUMMARY_PROPOSED: (
        "more than half of its words would go; to write it all the same: aurelius summarize"
    ),
}
"""Why a summary stays as it is."""
WHY_NO_SUMMARY = "no fact is hot"
DECLINED = 1
"""Exit code where a person was asked and did not say yes."""
_MOST_REFUSALS = 3
"""How many refusals are told one by one; --all tells each."""


@reading
def show_tiers(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Show the tiers of the facts of a note, or count those of the vault."""
    if args.notes:
        of_note = found.tiers_of_note(vault, " ".join(args.notes), private=args.private)
        text = clip(facts.note_tiers(of_note, paint=context.paint(vault.root)), every=args.all)
        shown = facts.note_tiers_json(of_note, every=args.all) if args.json else text
    else:
        of_vault = found.tiers_of_vault(vault, private=args.private)
        if args.json:
            shown = dump(tiers=dict(of_vault.facts), notes=dict(of_vault.notes))
        else:
            shown = facts.vault_tiers(of_vault)
    context.put(shown, indent=None if args.json else 4)


def run_reinforce(args: SimpleNamespace, context: Context) -> int:
    """Rank a fact higher because it helped."""
    return _judge(args, context, helped=True)


def run_demote(args: SimpleNamespace, context: Context) -> int:
    """Rank a fact lower because it did not help."""
    return _judge(args, context, helped=False)


def _judge(args: SimpleNamespace, context: Context, *, helped: bool) -> int:
    with open_vault(args, context) as vault:
        done = api.feedback(
            vault,
            args.fact,
            helped=helped,
            private=args.private,
            person=context.person,
            dry_run=args.dry_run,
            now=context.now,
        )
        context.put(
            (facts.judged_json if args.json else facts.judged_text)(done, dry_run=args.dry_run)
        )
        if args.dry_run and not args.json:
            context.tell("nothing was written: --dry-run")
    return 0


def run_summarize(args: SimpleNamespace, context: Context) -> int:
    """Rewrite the summaries of notes from the facts that are used."""
    single = _is_of_some(args)
    wish = summaries.SummaryWish(args.all, args.take_over, args.private, args.new, args.yes)
    with open_vault(args, context, agent=no_agent) as vault:
        model = worder(args, context, vault, "summaries", "summary")
        plan, done, declined = api.summarize(
            vault,
            args.notes,
            wish,
            word=_wording(args, model),
            agrees=lambda plan: _agreed_to_new(args, context, plan),
            **as_asked(args, context),
        )
        if declined:
            return DECLINED
        if args.json or plan.edits or not (plan.failed or summaries.refusals(plan.rows)):
            rows = list(map(summaries.SummaryRow._asdict, plan.rows))
            tell(args, context, plan.edits, done, summaries=rows, **would_send(model))
        tell_worded(args, context, model)
    if not args.json:
        context.tell(*_kept(plan.rows, single=single))
    return ConflictError.exit_code if plan.failed else 0


def _is_of_some(args: SimpleNamespace) -> bool:
    """Whether the line names notes, or all of them.  UsageError where it is not plain which."""
    if args.take_over and not (args.notes or args.all):
        raise UsageError(
            "--take-over needs a NOTE, or --all",
            "to see the change first: aurelius summarize --take-over NOTE --dry-run",
        )
    if args.notes and args.all:
        raise UsageError("--all and a NOTE cannot go together", "choose one")
    return bool(args.notes or args.all)


def _wording(args: SimpleNamespace, model: Worder | None) -> Word | None:
    """How facts become the sentences of a summary: by the model, in their own words, or as it was
    done before."""
    if model is not None:
        return model.summary
    if args.no_llm:
        return lambda _path, _title, facts: [fact.text for fact in facts]
    return None


def _agreed_to_new(
    args: SimpleNamespace,
    context: Context,
    plan: SummaryPlan,
) -> bool:
    """Say how many new files and sections a plan makes, and ask; True if the person agrees, or none
    is new."""
    if args.yes or not (args.new and plan.new):
        return True
    if args.json:
        raise UsageError(
            "with --json, --new does not ask", "add --yes, or --dry-run to see the changes"
        )
    context.tell(f"this makes {_new_ones(part_of(path) for path in plan.new)}")
    if context.tty and context.says_yes("make them?"):
        return True
    context.tell(
        "nothing was written; to see the changes: --dry-run; to make them without being asked:"
        " --yes"
    )
    return False


def _new_ones(parts: Iterable[str]) -> str:
    """How many of each there are, in words."""
    count = Counter(parts)
    names = (
        (INDEX, "_index.md file"),
        (SUMMARY_HEADING, "`## Summary`"),
        (NOW_HEADING, "`## Now`"),
    )
    return " and ".join(
        f"{count[part]} new {name}{'s' * (count[part] > 1 and part == INDEX)}"
        for part, name in names
        if count[part]
    )


def _kept(rows: tuple[SummaryRow, ...], *, single: bool) -> Iterator[str]:
    """What was not written, and why: one by one, or counted."""
    if single:
        yield from summaries.refusals(rows, 0)
        yield from _each_unchanged(rows)
    else:
        yield from summaries.refusals(rows, _MOST_REFUSALS)
        yield from _counted_unchanged(rows)
    if absent := [row.part for row in rows if row.done == summaries.ABSENT]:
        yield (
            f"not made: {_new_ones(absent)}; to make {'it' if len(absent) == 1 else 'them'}:"
            " aurelius summarize --new"
        )


def _each_unchanged(rows: Iterable[SummaryRow]) -> Iterator[str]:
    """Why each summary stays that is left as it is."""
    for row in rows:
        if row.done not in WHY_SUMMARY_KEPT:
            continue
        why = WHY_SUMMARY_KEPT[row.done]
        if row.part == NOW_HEADING and row.done != summaries.SUMMARY_KEPT:
            why = WHY_NO_SUMMARY
        note = ""
        if row.done in {summaries.SUMMARY_KEPT, summaries.SUMMARY_PROPOSED}:
            note = f" {shell_word(row.path)}"
        yield f"{row.path} left unchanged: {why}{note}"


def _counted_unchanged(rows: Iterable[SummaryRow]) -> Iterator[str]:
    """How many summaries stay for each of the reasons that a person may do something about."""
    counts = Counter(row.done for row in rows)
    for done, reason in (
        (summaries.SUMMARY_KEPT, "you wrote or changed {its} {summary}"),
        (summaries.COLD, "all {its} facts are cold"),
        (
            summaries.SUMMARY_PROPOSED,
            "more than half of {its} {summary} would go; --yes writes {it}",
        ),
    ):
        notes = f"{counts[done]} notes"
        words = {"its": "their", "it": "them", "summary": "summaries"}
        if counts[done] == 1:
            notes = "1 note"
            words = {"its": "its", "it": "it", "summary": "summary"}
        if counts[done]:
            why = reason.format(**words)
            yield f"{notes} left unchanged: {why} (--all lists {words['it']})"
