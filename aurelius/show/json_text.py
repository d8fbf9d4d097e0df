"""The JSON of every command: values in, one line of JSON out. Its grammar is aurelius/help/json.md.

Every object carries `"schema": 1`.  A later version may add keys; it renames or drops none without
a new number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from indexer.reading.path_meaning import agent_of, is_archived, title_of_path
from indexer.spelling import compact_json, count_tokens

from .hits import backlink_line, hit_extract, mention_words, name
from .page import LEFT_OUT_TOKENS, MOST_ANSWER_TOKENS, bounded, fitting
from .terminal import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.answers.excerpts import Excerpt
    from aurelius.answers.leftovers import Leftover
    from aurelius.answers.note_view import LinkView, Listed, MentionView, NoteView, Status
    from aurelius.daemon.control import DaemonProcess
    from aurelius.settings.config import Asked, Setting
    from indexer.catalog.graph import LinkRow
    from indexer.catalog.lists import TagRow, TaskRow
    from indexer.catalog.mentions import MentionLine
    from indexer.note import Fact
    from indexer.refresh.refresh import RefreshReport
    from indexer.refresh.verify import Verification
    from indexer.search.hit import Hit, NewerOf, SearchResult
    from indexer.search.recalled import Pulled, Recall
    from indexer.usage.tier import Age

    from .health import Around
    from .hits import IndexState
    from .page import Page

SCHEMA = 1
MOST_FAILED = 10
"""Notes that could not be read, as many as an answer of `search` names; `status` names all."""

HIT_KEYS = (
    "id",
    "path",
    "lines",
    "heading",
    "title",
    "kind",
    "type",
    "subtype",
    "date",
    "status",
    "newer",
    "newer_of",
    "also_in",
    "tier",
    "lastAccessed",
    "accessCount",
    "score",
    "text",
    "cut",
    "agent",
    "explain",
)
"""What is told of a hit, in this order; what says nothing is left out but for EVERY_HIT."""

EVERY_HIT = {"path", "lines", "kind", "score", "text"}

NOTE_KEYS = (
    "path",
    "kind",
    "title",
    "aliases",
    "tags",
    "date",
    "updated",
    "private",
    "tier",
    "lastAccessed",
    "accessCount",
    "front_matter",
    "properties",
    "summary",
    "opening",
    "facts",
    "relations",
    "newer",
    "headings",
    "mentions",
    "outgoing",
    "backlinks",
    "problems",
)
"""What `show` tells of a note, in this order."""


def dump(*, every: bool = True, **values: Any) -> str:
    """One JSON object on one line, with the schema number first.

    Unless `every` entry is asked for, long lists and texts are cut; `truncated` tells how much of
    each was left out.
    """
    told = _plain(values)
    if not every:
        told, left_out = bounded(told)
        told |= lean(truncated=left_out)
    return _line({"schema": SCHEMA, **told})


def list_part(
    name: str,
    rows: Sequence[Any],
    total: int,
    page: Page,
    **counts: Any,
) -> str:
    """A part of a list: as many rows as fit, how many there are, and where there are more, how
    many."""
    rows = _plain(rows)

    def told(kept: Sequence[Any]) -> str:
        left = total - page.offset - len(kept)
        values = {
            name: kept,
            **counts,
            "total": total,
            **lean(offset=page.offset, truncated=max(0, left)),
        }
        return _line({"schema": SCHEMA, **values})

    if page.every:
        return told(rows)
    if not page.bounded:
        return told(bounded({name: rows}, MOST_ANSWER_TOKENS - LEFT_OUT_TOKENS)[0][name])
    whole = told(rows)
    room = page.room - count_tokens(told(())) - 1
    if count_tokens(whole) < page.room:
        return whole
    return told(rows[: fitting((_line(row) + "," for row in rows), room)])


def lean(**values: Any) -> dict[str, Any]:
    """Values without those that say nothing: null, false, 0, and what is empty."""
    return {key: value for key, value in values.items() if value}


def picked(record: object, *fields: str) -> dict[str, Any]:
    """Fields of a record under their own names."""
    return {field: getattr(record, field) for field in fields}


def fact_at(path: str, fact: Fact, *fields: str) -> dict[str, Any]:
    """A fact by its name and place, and these of its fields."""
    return {
        "id": fact.key,
        "path": path,
        "lines": [fact.first, fact.last],
        **picked(fact, *fields),
    }


def unless_active(status: str) -> str:
    """The status of a fact that does not hold any more; "" for one that does, which nobody has to
    be told."""
    return "" if status == "active" else status


def search_json(
    result: SearchResult, hits: Sequence[str], truncated: int, state: IndexState, took_ms: float
) -> str:
    """The answer of `search`; `hits` are those that fitted, as JSON, `truncated` counts the ones
    that did not."""
    head = {
        "schema": SCHEMA,
        "query": result.query.text,
        **picked(result, "mode", "fusion"),
        **_searched(state, took_ms),
    }
    tail = {
        "filtered": dict(result.filtered),
        "truncated": truncated,
        **lean(corrected=result.corrected),
        **picked(result, "weak", "hint"),
    }
    return f'{_line(head)[:-1]},"hits":[{",".join(hits)}],{_line(tail)[1:]}'


def _searched(state: IndexState, took_ms: float) -> dict[str, Any]:
    """How long a search took, and what was searched."""
    index = {**state._asdict(), "failed": _failed(state.failed[:MOST_FAILED])}
    return {"took_ms": round(took_ms, 1), "index": index}


def hits_json(found: Iterable[Hit], words: Sequence[str], **first: Any) -> list[str]:
    """Hits as JSON objects, a text each; `first` stands before their own keys.

    What is not so is left out, and what the other keys say: the grammar tells what a missing key
    means.
    """
    return [_line(first | hit_json(hit, words)) for hit in found]


def recall_json(
    found: Recall, words: Sequence[str], truncated: int, state: IndexState, took_ms: float
) -> str:
    """The answer of `recall`; `truncated` counts the lines that did not fit."""
    answers = []
    for answer in found.answers:
        chain = [pulled_json(each, words) for each in answer.chain]
        answers.append(hit_json(answer.hit, words) | {"why": answer.holds, "chain": chain})
    return dump(
        question=found.found.query.text,
        mode=found.found.mode,
        **_searched(state, took_ms),
        answers=answers,
        lacks=found.lacks,
        truncated=truncated,
        **lean(corrected=found.found.corrected),
        **picked(found.found, "weak", "hint"),
    )


def pulled_json(each: Pulled, words: Sequence[str]) -> dict[str, Any]:
    """A line that comes with an answer, as every answer has it."""
    line = each.line
    return {
        "reason": each.reason,
        **lean(id=line.id),
        **picked(line, "path", "lines"),
        **lean(status=unless_active(line.status)),
        "text": hit_extract(line.text, words),
    }


def excerpt_json(excerpt: Excerpt) -> str:
    """The answer of `get`: the lines exactly as they are; `exists` is false for a daily note still
    to be written."""
    lines = [excerpt.first, excerpt.last]
    text = "\n".join(excerpt.lines)
    return dump(path=excerpt.path, lines=lines, text=text, **_missing(excerpt))


def _missing(found: Excerpt | LinkRow) -> dict[str, bool]:
    """That something is not there; nothing of what is."""
    return {} if found.exists else {"exists": False}


def note_json(
    view: NoteView,
    of_note: Age,
    of_facts: Mapping[str, Age],
    *,
    every: bool,
) -> str:
    """The answer of `show`; each fact has the same nine keys, which programs rely on."""
    relations = []
    for key, found in view.relations.items():
        relations += [{"fact": key, **each._asdict()} for each in found]
    values = {
        **view._asdict(),
        **age_json(of_note),
        **_links(view),
        "properties": [{"key": key, "value": value} for key, value in view.properties],
        "facts": [_seed_fact(fact, of_facts[fact.key]) for fact in view.facts],
        "relations": relations,
        "newer": {key: line.told() for key, line in view.newer.items()},
        "mentions": {
            "total": view.mentions,
            "newest": [mention_json(line, (view.title, *view.aliases)) for line in view.mentioned],
        },
    }
    return dump(every=every, **{key: values[key] for key in NOTE_KEYS})


def notes_json(listed: Listed, page: Page) -> str:
    """The answer of `list`."""
    found = listed.found
    rows = []
    for row in found.notes:
        title = "" if row.title == title_of_path(row.path, None) else row.title
        rows.append(
            {"path": row.path, **lean(title=title), "kind": row.kind}
            | lean(**picked(row, "date", "updated", "tags", "facts"))
            | {"lines": row.lines}
            | lean(
                private=row.private,
                archived=is_archived(row.path),
                **age_json(listed.ages[row.path]),
            )
        )
    counts = {"kinds": dict(found.kinds), **_of_list(listed)}
    return list_part("notes", rows, found.total, page, **counts)


def _of_list(listed: Listed) -> dict[str, Any]:
    """What was left out of a list, and why it is empty."""
    return lean(filtered=listed.filtered, hint=listed.hint)


def facts_json(listed: Listed, page: Page) -> str:
    """The answer of `list --type`."""
    found = listed.found
    rows = [fact_json(path, fact, listed.ages[fact.key]) for path, fact in found.facts]
    counts = {"types": dict(found.types), **_of_list(listed)}
    return list_part("facts", rows, found.total, page, **counts)


def age_json(found: Age) -> dict[str, Any]:
    """The age of a fact or note, as every answer has it."""
    return {"tier": found.tier or None, "lastAccessed": found.last, "accessCount": found.uses}


def today_json(day: str, found: Excerpt, *, every: bool) -> str:
    """The answer of `today`; `exists` is false for a daily note that is still to be written."""
    return dump(
        every=every, date=day, path=found.path, exists=found.exists, text="\n".join(found.lines)
    )


def tasks_json(listed: Listed, page: Page, today: str) -> str:
    """The answer of `tasks`."""
    rows = listed.found
    done = sum(row.done for row in rows)
    cancelled = sum(row.is_cancelled for row in rows)
    shown = [task_json(row, today) for row in rows[page.rows]]
    return list_part(
        "tasks",
        shown,
        len(rows),
        page,
        open=len(rows) - done,
        done=done,
        **lean(cancelled=cancelled),
        **_of_list(listed),
    )


def task_json(row: TaskRow, today: str) -> dict[str, Any]:
    """A task, as every answer has it."""
    told = picked(row, "path", "line", "text", "done")
    return told | lean(due=row.due, overdue=row.is_overdue(today), cancelled=row.is_cancelled)


def tags_json(rows: Sequence[TagRow], page: Page) -> str:
    """The answer of `tags`."""
    return list_part("tags", rows[page.rows], len(rows), page)


def links_json(view: LinkView, *, every: bool) -> str:
    """The answer of `links`."""
    return dump(every=every, path=view.path, **_links(view))


def status_json(state: Status, around: Around) -> str:
    """The answer of `status`."""
    values = state._asdict()
    values.update(
        index_schema=values.pop("schema"),
        failed=_failed(state.failed),
        in_part=_failed(state.in_part),
        kinds=dict(state.kinds),
        agents=dict(state.agents),
        sources=dict(state.sources),
        report=_report(state.report),
        **picked(around, "daemon", "jobs", "llm", "unlogged"),
    )
    return dump(**values)


def daemon_json(found: DaemonProcess, wrong: Sequence[str]) -> str:
    """The answer of `daemon status`, `start` and `stop`: where none runs or answers, what only it
    knows is null."""
    from aurelius.daemon.loop import DaemonState

    state: dict[str, Any]
    if found.state is None:
        state = dict.fromkeys(DaemonState._fields) | {"pid": found.holder, "vault": found.root}
    else:
        state = found.state._asdict()
    return dump(running=found.holder is not None, **state, problems=wrong)


def record_json(record: Any, **more: Any) -> str:
    """An answer whose fields are the keys of its JSON, with some `more` of them."""
    return dump(**record._asdict(), **more)


def removed_json(found: Sequence[Leftover], kept: int) -> str:
    """The answer of `doctor --fix`."""
    rows = [{"path": each.path, "what": each.kind, "bytes": each.size} for each in found]
    return dump(removed=rows, bytes=sum(each.size for each in found), kept=kept)


def verification_json(found: Verification) -> str:
    """The answer of `doctor --verify`."""
    return dump(
        compared=dict(found.compared),
        failed=_failed(found.failed),
        **picked(found, "differences", "repaired", "held", "unsettled", "unproved"),
        seconds=round(found.seconds, 3),
    )


def report_json(done: RefreshReport) -> str:
    """The answer of `index`; what failed is listed by `status`."""
    return dump(every=False, **_report(done))


def settings_json(rows: Iterable[Setting], in_vain: Iterable[Asked]) -> str:
    """The answer of `config`; `in_vain` is what the vault asks for and may not decide."""
    return dump(settings=by_key(rows), in_vain=[*in_vain])


def by_key(rows: Iterable[Setting]) -> dict[str, dict[str, Any]]:
    """Settings by their keys."""
    return {row.key: picked(row, "value", "source") for row in rows}


def _line(value: Any) -> str:
    return json_safe(compact_json(value, allow_nan=False))


def _plain(value: Any) -> Any:
    """A value as JSON has it: a record as a map of its fields, in their order; `.inf` and `.nan` of
    front matter, which JSON has no number for, as text."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def newer_of_json(label: NewerOf) -> dict[str, Any]:
    """What a later line is newer than, and the others that are too, if there are any."""
    return lean(**_plain(label))


def hit_json(hit: Hit, words: Sequence[str]) -> dict[str, Any]:
    """A hit, as every answer has it."""
    heading = [name(part) for part in hit.heading]
    title = name(hit.title)
    if title == (heading[0] if heading else title_of_path(hit.path, None)):
        title = ""
    score = hit.score
    if not hit.explain:
        score = float(f"{hit.score:.3g}")
    text = hit_extract(hit.text, words)
    values = {
        **hit._asdict(),
        **age_json(hit.age),
        "heading": heading,
        "title": title,
        "status": unless_active(hit.status),
        "newer": hit.newer and hit.newer.told(),
        "newer_of": hit.newer_of and newer_of_json(hit.newer_of),
        "also_in": [{"path": path, "line": line} for path, line in hit.also],
        "score": score,
        "text": text,
        "cut": text != hit.text,
        "agent": agent_of(hit.path),
    }
    return {key: values[key] for key in HIT_KEYS if values[key] or key in EVERY_HIT}


def _seed_fact(fact: Fact, found: Age) -> dict[str, Any]:
    return {
        "id": fact.key,
        "fact": fact.text,
        "category": fact.type,
        "timestamp": fact.date,
        "status": fact.status,
        "supersededBy": fact.superseded_by or None,
        "relatedEntities": fact.related,
        "lastAccessed": found.last,
        "accessCount": found.uses,
    }


def fact_json(path: str, fact: Fact, found: Age) -> dict[str, Any]:
    """A fact with its place and age, as lists have it."""
    from indexer.reading.type_words import narrower  # a search has no use for it

    return {
        **fact_at(path, fact, "type"),
        **lean(subtype=narrower(fact), status=unless_active(fact.status), date=fact.date),
        "text": fact.text,
        **lean(**age_json(found)),
    }


def _links(view: NoteView | LinkView) -> dict[str, Any]:
    return {"outgoing": [*map(_link, view.outgoing)], "backlinks": [*map(_link, view.backlinks)]}


def mention_json(line: MentionLine, names: Iterable[str]) -> dict[str, Any]:
    """A line that names a note, as every answer has it."""
    return {
        **picked(line, "path", "line"),
        **lean(date=line.date, id=line.key),
        "text": mention_words(line, names),
    }


def mentions_json(found: MentionView, page: Page) -> str:
    """The answer of `links --mentions`."""
    rows = [mention_json(line, found.names) for line in found.lines[page.rows]]
    return list_part("mentions", rows, len(found.lines), page, path=found.path)


def _link(row: LinkRow) -> dict[str, Any]:
    return {
        **picked(row, "path", "line"),
        **lean(**picked(row, "label", "anchor", "problem"), text=backlink_line(row)),
        **_missing(row),
    }


def _report(done: RefreshReport) -> dict[str, Any]:
    return done._asdict() | {"failed": _failed(done.failed), "seconds": round(done.seconds, 3)}


def _failed(failed: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in failed]
