"""Commands that read one note: `get`, `show`, `today`, `links`, `open`; and what an agent reads:
`context`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aurelius import api
from aurelius.ageing import tiers
from aurelius.agents.llm import questions_of, trace_of_model
from aurelius.answers.lookup import why_no_lines
from aurelius.cli.open_vault import (
    answer_reading,
    any_agent,
    log_uses,
    open_vault,
    page_of,
    reading,
    this_day,
)
from aurelius.cli.programs import edit, open_in_obsidian
from aurelius.memory.context import PROMPT_BUDGET, for_opening, for_prompt
from aurelius.model.chosen_lines import choose_lines
from aurelius.show import json_text
from aurelius.show import text as show_text
from aurelius.show.context import memory
from aurelius.show.page import clip
from aurelius.show.terminal import one_line
from indexer.catalog.tiers import facts_within
from indexer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.memory.context import Choose
    from aurelius.model.questions import Questions
    from aurelius.vault import Vault


@reading
def run_get(
    args: SimpleNamespace,
    context: Context,
    vault: Vault,
) -> None:
    """Print exact lines of a note."""
    excerpt = vault.read(args.reference, private=args.private)
    if args.json:
        context.put(json_text.excerpt_json(excerpt))
    else:
        context.put(show_text.excerpt_text(excerpt))
    if not excerpt.last:
        context.tell(f"{excerpt.path} is {why_no_lines(vault.root, excerpt)}")
    if excerpt.exists:
        keys = facts_within(vault.db, excerpt.path, excerpt.first, excerpt.last)
        log_uses(args, context, vault, keys or [excerpt.path], "get")


@reading
def run_show(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Show a note: its summary, and what it is linked to."""
    view = vault.note(args.note, private=args.private)
    of_facts = tiers.ages(vault, view.facts)
    of_note = tiers.note_ages(vault, [view.path], private=args.private)[view.path]
    if args.json:
        context.put(json_text.note_json(view, of_note, of_facts, every=args.all))
    else:
        with_facts = args.facts or view.place is not None
        paint = context.paint(vault.root)
        text = show_text.note_text(view, of_note, of_facts, with_facts=with_facts, paint=paint)
        context.put(clip(text, every=args.all), indent=4)
    log_uses(args, context, vault, [view.path] if view.place is None else of_facts, "show")


@reading
def run_today(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """Print today's daily note, or where it is."""
    day = this_day(context)
    path = vault.today(day)
    if args.path and not args.json:
        context.put(one_line(path))
        return
    excerpt = vault.read(path, private=args.private)
    if args.json:
        context.put(json_text.today_json(day, excerpt, every=args.all))
        return
    context.put(clip(show_text.excerpt_text(excerpt), every=args.all))
    if not excerpt.last:
        context.tell(f"{path} is {why_no_lines(vault.root, excerpt)}")


@reading
def run_links(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """List what a note links to and what links to it, or the lines that name it."""
    if args.mentions:
        _put_mentions(args, context, vault)
        return
    if args.limit is not None or args.offset:
        raise UsageError(
            "-n and --offset go only with --mentions", "`aurelius links NOTE --all` shows all links"
        )
    view = vault.links(args.note, private=args.private)
    if args.json:
        context.put(json_text.links_json(view, every=args.all))
    else:
        context.put(
            clip(show_text.links_text(view, paint=context.paint(vault.root)), every=args.all),
            indent=4,
        )
    if not view.exists:
        context.tell(f"no note is called {args.note!r} yet; these link to that name")
    elif not (args.json or view.outgoing or view.backlinks):
        context.tell(f"{view.path} has no links, and nothing links to it")


def _put_mentions(
    args: SimpleNamespace,
    context: Context,
    vault: Vault,
) -> None:
    """Print the lines that name a note."""
    page = page_of(args)
    found = vault.mentions(args.note, private=args.private)
    if args.json:
        context.put(json_text.mentions_json(found, page))
    elif found.lines:
        text = show_text.mentions_text(found, page, paint=context.paint(vault.root))
        context.put(text, indent=4)
    else:
        context.tell(f"no line of another note names {found.path}")


def run_open(args: SimpleNamespace, context: Context) -> int:
    """Open a note in the person's editor, or in Obsidian."""
    with open_vault(args, context) as vault:
        place = vault.read(args.note, private=args.private)
    if args.obsidian:
        return open_in_obsidian(vault.root, place.path, context)
    return edit(vault.root, place.path, place.first if place.first > 1 else 0, context)


# -- for an agent ----------------------------------------------------------------------


def run_context(args: SimpleNamespace, context: Context) -> int:
    """Print what an agent should know, alone or about a prompt."""
    if args.json and args.format not in {"md", "json"}:
        raise UsageError(f"--json and --format {args.format} cannot go together", "choose one")
    form = "json" if args.json else args.format
    if args.hook and form in {"json", "layer"}:
        raise UsageError(
            f"--hook prints what a hook adds, which is never {form}",
            "leave out --hook, or the form",
        )

    def answer(vault: Vault, context: Context) -> int:
        prompt = " ".join(args.prompt)
        asks = _asks_for_lines(args, vault)
        choose = partial(choose_lines, asks.ask, vault, prompt, ()) if asks else None
        if args.hook:
            made = _injected(vault, prompt, args.budget, choose)
        elif choose:
            most = args.budget or 0
            made = api.chosen_context(vault, prompt, choose, budget=most, form=form)
        else:
            made = api.context(vault, prompt, budget=args.budget or 0, form=form)
        if asks:
            context.tell(*_told_of_model(asks))
        if args.dry_run:
            context.put("\n".join(asks.would) if asks else "")
            return 0
        trace_of_model(vault, "context", asks, made.text.splitlines())
        context.put(made.text)
        context.tell(*([made.cached] if args.stats else []), *made.notices)
        return 0

    return answer_reading(args, context, answer, any_agent)


def _told_of_model(asks: Questions) -> Iterator[str]:
    """What a person is told of the questions to their model."""
    if asks.would:
        yield "nothing was sent: --dry-run"
    if asks.why:
        yield f"the model did not answer, so the rules chose: {asks.why}"


def _asks_for_lines(args: SimpleNamespace, vault: Vault) -> Questions | None:
    """What asks the person's model which lines a prompt needs; None where that is off."""
    if args.no_llm or not args.prompt:
        return None
    return questions_of(vault, "context", dry=args.dry_run)


def _injected(
    vault: Vault, prompt: str, budget: int | None, choose: Choose | None
) -> api.ContextText:
    """What a hook adds to a new session: at its start, or before a prompt."""
    if prompt.strip():
        most = budget or PROMPT_BUDGET
        found = for_prompt(vault, prompt, seen=(), budget=most, choose=choose)
    else:
        found = for_opening(vault, budget or vault.config.hook_opening)
    return api.ContextText(memory(vault, found), (), "", found)
