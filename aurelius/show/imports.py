"""What an import brings, as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.spelling import plural

from .json_text import dump
from .terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.importing.write_import import ImportCount, SourceReport

_MOST_PEOPLE = 10
_PARTS = (
    ("chats", "conversation", "conversations/{}/"),
    ("notes", "note", "resources/import/{}/"),
    ("facts", "fact to review", "resources/import/{}/"),
    ("files", "attachment", "resources/import/{}/attachments/"),
)
"""What an import counts: its name, in words, and where it goes."""


def import_told(reports: Sequence[SourceReport], *, done: bool) -> str:
    """What is brought, or was, from each program."""
    lines: list[str] = []
    for each in reports:
        lines += _lines(each, done=done)
    return "".join(f"{line}\n" for line in lines)


def _lines(report: SourceReport, *, done: bool) -> Iterator[str]:
    yield one_line(report.title)
    for name, word, where in _PARTS:
        tally: ImportCount = getattr(report, name)
        if tally.total:
            yield f"  {_counted(tally, word)}  {where.format(report.source)}"
        if tally.names and name != "files" and not done:
            yield f"    {one_line('; '.join(tally.names))}{' …' * (tally.total > len(tally.names))}"
    if report.people:
        people = report.people.most_common(_MOST_PEOPLE)
        yield f"  names {', '.join(f'{one_line(name)} ({count:,})' for name, count in people)}"
    if report.secrets:
        lines = plural("line", report.secrets)
        yield f"  {report.secrets:,} {lines} left out that look like secrets; --force keeps them"
    for why, count in report.left_counts.most_common():
        names = "; ".join(report.left_out[why])
        more = " …" * (count > len(report.left_out[why]))
        yield f"  left out: {count:,}: {one_line(why)} ({one_line(names)}{more})"


def _counted(tally: ImportCount, word: str) -> str:
    """How many there are, from when to when, and how many of them are not new."""
    days = ""
    if tally.first:
        days = f", {tally.first}"
        if tally.last != tally.first:
            days += f" to {tally.last}"
    parts = [
        f"{count:,} {'there already' if what == 'same' else what}"
        for what, count in sorted(tally.counts.items())
    ]
    head, _, rest = word.partition(" ")
    named = f"{plural(head, tally.total)} {rest}".rstrip()
    return f"{tally.total:,} {named}{days} ({', '.join(parts)})"


def import_json(reports: Sequence[SourceReport], number: int, *, dry_run: bool) -> str:
    """The same for programs; `undo` is the number that takes it back, 0 for none."""
    return dump(sources=[*map(_as_json, reports)], undo=number, dry_run=dry_run)


def _as_json(report: SourceReport) -> dict[str, Any]:
    counted = {}
    for name, _, _ in _PARTS:
        tally: ImportCount = getattr(report, name)
        counted[name] = {**tally.counts, "total": tally.total, "from": tally.first}
        counted[name]["to"] = tally.last
    left = [
        {"why": why, "count": count, "names": report.left_out[why]}
        for why, count in report.left_counts.most_common()
    ]
    return {
        "source": report.source,
        "title": report.title,
        **counted,
        "people": dict(report.people.most_common()),
        "secrets": report.secrets,
        "left_out": left,
    }
