"""Lists of notes, facts, days, tasks and tags: `list`, `days`, `tasks`, `tags`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius import api
from aurelius.answers import days as of_days
from aurelius.cli.apply_plan import as_asked, tell_written
from aurelius.cli.declarations import COMMANDS, GLOBAL_DEFAULTS
from aurelius.cli.open_vault import (
    answer_reading,
    days_of_option,
    filters_in_vault,
    filters_of,
    form_of,
    open_vault,
    page_of,
    reading,
    span_of_args,
    template_of,
    this_day,
)
from aurelius.show import days as show_days
from aurelius.show import json_text
from aurelius.show import template as templates
from aurelius.show import text as show_text
from aurelius.show.page import fitting, more
from aurelius.show.terminal import paths
from indexer.catalog.filters import Filters
from indexer.errors import UsageError
from indexer.reading.path_meaning import APART, KIND_WORDS, kind_of_word
from indexer.reading.type_words import nearest_type_word, type_meaning
from indexer.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from aurelius.answers.note_view import Listed
    from aurelius.cli.run import Context
    from aurelius.show.page import Page
    from aurelius.vault import Vault


class Listing(NamedTuple):
    """How one kind of thing is listed: what finds it, and each form of output."""

    fields: tuple[str, ...]
    find: Callable[..., Listed]
    by_template: Callable[..., list[str]]
    paths: Callable[[Any], list[str]]
    json: Callable[..., str]
    text: Callable[..., str]
    none: str


LISTED_NOTES = Listing(
    fields=templates.NOTE_FIELDS,
    find=api.find_notes,
    by_template=templates.notes_by,
    paths=lambda found: paths(row.path for row in found.notes),
    json=json_text.notes_json,
    text=show_text.notes_text,
    none="0 of {} match",
)
LISTED_FACTS = Listing(
    fields=templates.FACT_FIELDS,
    find=api.find_facts,
    by_template=templates.facts_by,
    paths=lambda found: paths(path for path, _ in found.facts),
    json=json_text.facts_json,
    text=show_text.facts_text,
    none="no matching facts in {}",
)


def run_list(args: SimpleNamespace, context: Context) -> int:
    """List notes, or the facts of a type."""
    args = _of_what(args)
    form = form_of(args, "json", "paths", "format")
    kind = LISTED_FACTS if args.type else LISTED_NOTES
    template = template_of(args, kind.fields)
    filters = filters_of(args, context)
    page = page_of(args)
    order = args.sort or "path"

    def answer(vault: Vault, context: Context) -> int:
        wanted = filters_in_vault(filters, vault)
        listed = kind.find(vault, wanted, sort=order, limit=page.limit, offset=page.offset)
        found = listed.found
        _tell_left_out(context, listed)
        if form == "json":
            context.put(kind.json(listed, page))
            return 0
        if form == "format":
            _put_lines(kind.by_template(template, listed), found.total, page, context)
        elif form:
            _put_lines(kind.paths(found), found.total, page, context)
        else:
            text = kind.text(listed, page, order, paint=context.paint(vault.root))
            context.put(text, indent=4 if kind is LISTED_FACTS else None)
        if not found.total:
            context.tell(_none(kind.none, vault, args, listed.hint))
        return 0

    return answer_reading(args, context, answer)


def _of_what(args: SimpleNamespace) -> SimpleNamespace:
    """The options, with the kind of notes or the type of facts that the word after `list` means.

    UsageError for any other word.
    """
    word = getattr(args, "what", "").strip().lower()
    if not word:
        return args
    kind = kind_of_word(word)
    if kind:
        return SimpleNamespace(**vars(args) | {"kind": (*args.kind, kind)})
    if type_meaning(word):
        return SimpleNamespace(**vars(args) | {"type": (*args.type, word)})
    wish = nearest_type_word(word, KIND_WORDS)
    raise UsageError(
        f"{args.what!r} is no kind of notes and no type of facts",
        f"{f'did you mean {wish}?  ' if wish else ''}for example: aurelius list people, aurelius"
        " list decisions; to look for words: aurelius search",
    )


def _none(
    told: str,
    vault: Vault,
    args: SimpleNamespace,
    why: str,
) -> str:
    """That nothing was found, in how many notes, and why."""
    return f"{told.format(_many_notes(vault, args))}{why and f': {why}'}"


def _put_lines(
    lines: list[str],
    total: int,
    page: Page,
    context: Context,
) -> None:
    """Print lines, as many as fit, and on `err` how many more there are."""
    count = len(lines) if page.every else fitting(lines, page.room)
    context.put("".join(lines[:count]))
    context.tell(*more(total, page.offset + count, page))


def _tell_left_out(context: Context, listed: Listed) -> None:
    """Tell how many more there are in the folders that nobody asked for."""
    for folder, left in listed.filtered.items():
        context.tell(f"left out: {left:,} in {folder}/; `--in {folder}` lists them")


def run_tasks(args: SimpleNamespace, context: Context) -> int:
    """List the tasks in all notes, or check the boxes of some."""
    if args.action == "done":
        return _check_off(args, context)
    _refuse(args, {"dry_run", "force"}, "goes only with `tasks done`")
    if args.tasks:
        raise UsageError(
            f"missing argument: what to do with {args.tasks[0]}",
            f"aurelius tasks done {args.tasks[0]}",
        )
    due = ("0001-01-01", days_of_option("--due", args.due, context)[1]) if args.due else None
    filters = filters_of(args, context)
    page = page_of(args)
    return answer_reading(
        args, context, lambda vault, context: _list_tasks(args, context, vault, filters, page, due)
    )


def _list_tasks(
    args: SimpleNamespace,
    context: Context,
    vault: Vault,
    filters: Filters,
    page: Page,
    due: tuple[str, str] | None,
) -> int:
    today = this_day(context)
    wanted = filters_in_vault(filters, vault)
    listed = api.find_tasks(vault, wanted, open_only=args.open, due=due)
    rows = listed.found
    _tell_left_out(context, listed)
    if args.json:
        context.put(json_text.tasks_json(listed, page, today))
    else:
        context.put(
            show_text.tasks_text(rows, page, today, paint=context.paint(vault.root)), indent=4
        )
        if not rows:
            context.tell(_none("no matching tasks in {}", vault, args, listed.hint))
    return 0


def _check_off(args: SimpleNamespace, context: Context) -> int:
    """Check the boxes of tasks."""
    kept = {"dry_run", "force", "json", "private", "all"}
    others = COMMANDS["tasks"].defaults.keys() - GLOBAL_DEFAULTS - kept
    _refuse(args, others, "cannot go with done")
    if not args.tasks:
        raise UsageError(
            "missing argument: PATH:LINE",
            "`aurelius tasks --open` shows the place of every open task",
        )
    with open_vault(args, context) as vault:
        done = api.check_boxes(vault, args.tasks, **as_asked(args, context))
        return tell_written(args, context, done)


def _refuse(
    args: SimpleNamespace,
    names: Collection[str],
    why: str,
) -> None:
    """UsageError for an option that was given and has no meaning here."""
    for name, default in COMMANDS["tasks"].defaults.items():
        if name in names and getattr(args, name) != default:
            flag = {"folder": "in"}.get(name, name.replace("_", "-"))
            raise UsageError(f"--{flag} {why}", "`aurelius help tasks` shows both")


def run_days(args: SimpleNamespace, context: Context) -> int:
    """Show what happened, day by day, the newest first."""
    page = page_of(args)
    today = this_day(context)
    since_until = span_of_args(args, context)
    span = of_days.span_of_words(args.range, *since_until, today, yearly=args.on_this_day)
    most = None if args.all else show_days.MOST_DAY_LINES

    def answer(vault: Vault, context: Context) -> int:
        found = of_days.read_days(
            vault,
            span,
            page.rows,
            yearly=args.on_this_day,
            private=args.private,
            most=most,
        )
        if args.json:
            context.put(show_days.days_json(found, today, page, whole=args.all))
        elif found.total:
            paint = context.paint(vault.root)
            text = show_days.days_text(found, today, page, whole=args.all, paint=paint)
            context.put(text, indent=4)
        else:
            _tell_of_no_day(args, context, vault, found)
        return 0

    return answer_reading(args, context, answer)


def _tell_of_no_day(
    args: SimpleNamespace,
    context: Context,
    vault: Vault,
    found: of_days.Days,
) -> None:
    """Tell that nothing is known of some days, and which day before them is."""
    first = found.first
    last = found.last
    what = f"on {first}"
    if args.on_this_day:
        what = f"on {first[5:]} of any year up to {first[:4]}"
    if first != last:
        what = f"from {first} to {last}"
    before = ""
    if found.before:
        before = f"; the last day before: `aurelius days {found.before}`"
    context.tell(f"nothing {what} in {_many_notes(vault, args)}{before}")


@reading
def run_tags(args: SimpleNamespace, context: Context, vault: Vault) -> None:
    """List every tag and how many notes have it."""
    page = page_of(args)
    rows = vault.tags(private=args.private)
    context.put(json_text.tags_json(rows, page) if args.json else show_text.tags_text(rows, page))
    if not (rows or args.json):
        context.tell(f"no tags in {_many_notes(vault, args)}")


def _many_notes(
    vault: Vault,
    args: SimpleNamespace,
) -> str:
    """How many notes were looked at, so that an empty answer says what was searched."""
    total = vault.notes(Filters(private=args.private, apart=APART), limit=0).total
    return f"{total:,} {plural('note', total)}"
