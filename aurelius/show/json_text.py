"""The JSON of every command: values in, one line of JSON out. Its grammar is aurelius/help/json.md.

Every object carries `"schema": 1`.  A later version may add keys; it renames or drops none without
a new number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aurelius.settings.keys import tokens
from indexer.reading.path_meaning import agent_of, is_archived, title_of_path
from indexer.spelling import compact_json

from .hits import extract, line_of, name
from .page import ASIDE, MOST, bounded, fitting, part
from .terminal import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.answers.excerpts import Excerpt
    from aurelius.answers.leftovers import Checked, Checkup, Leftover
    from aurelius.answers.note_view import LinkView, NoteView, Status
    from aurelius.daemon.control import DaemonProcess
    from aurelius.settings.config import Asked, Setting
    from aurelius.writing.forget import ForgetReport
    from indexer.catalog.graph import LinkRow
    from indexer.catalog.lists import FactList, NoteList, TagRow, TaskRow
    from indexer.note import Fact
    from indexer.refresh.refresh import RefreshReport
    from indexer.refresh.verify import Verification
    from indexer.search.hit import Hit, SearchResult
    from indexer.search.recalled import Pulled, Recall
    from indexer.usage.tier import Age

    from .hits import IndexState
    from .page import Page

SCHEMA = 1
MOST_FAILED = 10
"""Notes that could not be read, as many as an answer of `search` names; `status` names all."""


def dump(*, every: bool = True, **values: Any) -> str:
    """One JSON object on one line, with the schema number first.

    Unless `every` entry is asked for, long lists and texts are cut; `truncated` tells how much of
    each was left out.
    """
    if not every:
        values, left_out = bounded(values)
        if left_out:
            values |= {"truncated": left_out}
        else:
            values |= {}
    return _line({"schema": SCHEMA, **values})


def listed(
    name: str, rows: Sequence[Mapping[str, Any]], total: int, page: Page, **counts: Any
) -> str:
    """A part of a list: as many rows as fit, how many there are, and where there are more, how
    many."""

    def told(kept: Sequence[Mapping[str, Any]]) -> str:
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
        return told(bounded({name: rows}, MOST - ASIDE)[0][name])
    whole = told(rows)
    room = page.room - tokens(told(())) - 1
    if tokens(whole) < page.room:
        return whole
    return told(rows[: fitting((_line(row) + "," for row in rows), room)])


def lean(**values: Any) -> dict[str, Any]:
    """Values without those that say nothing: null, false, 0, and what is empty."""
    return {key: value for key, value in values.items() if value}


def search(
    result: SearchResult, hits: Sequence[str], truncated: int, state: IndexState, took_ms: float
) -> str:
    """The answer of `search`; `hits` are those that fitted, as JSON, `truncated` counts the ones
    that did not."""
    head = {
        "schema": SCHEMA,
        "query": result.query.text,
        "mode": result.mode,
        "fusion": result.fusion,
        "took_ms": round(took_ms, 1),
        "index": {**state._asdict(), "failed": _failed(state.failed[:MOST_FAILED])},
    }
    tail = {
        "filtered": dict(result.filtered),
        "truncated": truncated,
        "weak": result.weak,
        "hint": result.hint,
    }
    return f'{_line(head)[:-1]},"hits":[{",".join(hits)}],{_line(tail)[1:]}'


def hits(found: Iterable[Hit], words: Sequence[str], **first: Any) -> list[str]:
    """Hits as JSON objects, a text each; `first` stands before their own keys.

    What is not so is left out, and what the other keys say: the grammar tells what a missing key
    means.
    """
    return [_line(first | _hit(hit, words)) for hit in found]


def recall(
    found: Recall, words: Sequence[str], truncated: int, state: IndexState, took_ms: float
) -> str:
    """The answer of `recall`; `truncated` counts the lines that did not fit."""
    return dump(
        question=found.found.query.text,
        mode=found.found.mode,
        took_ms=round(took_ms, 1),
        index={**state._asdict(), "failed": _failed(state.failed[:MOST_FAILED])},
        answers=[
            _hit(answer.hit, words)
            | {
                "why": answer.holds,
                "chain": [_pulled(each, words) for each in answer.chain],
            }
            for answer in found.answers
        ],
        lacks=found.lacks,
        truncated=truncated,
        weak=found.found.weak,
        hint=found.found.hint,
    )


def _pulled(each: Pulled, words: Sequence[str]) -> dict[str, Any]:
    line = each.line
    if line.status == "active":
        status = ""
    else:
        status = line.status
    told = {
        "reason": each.reason,
        **lean(id=line.id),
        "path": line.path,
        "lines": line.lines,
        **lean(status=status),
    }
    return told | {"text": extract(line.text, words)}


def excerpt(excerpt: Excerpt) -> str:
    """The answer of `get`: the lines exactly as they are; `exists` is false for a daily note still
    to be written."""
    if excerpt.exists:
        missing = {}
    else:
        missing = {"exists": False}
    lines = [excerpt.first, excerpt.last]
    return dump(path=excerpt.path, lines=lines, text="\n".join(excerpt.lines), **missing)


def note(view: NoteView, of_note: Age, of_facts: Mapping[str, Age], *, every: bool) -> str:
    """The answer of `show`; each fact has the same nine keys, which programs rely on."""
    return dump(
        every=every,
        path=view.path,
        kind=view.kind,
        title=view.title,
        aliases=view.aliases,
        tags=view.tags,
        date=view.date,
        updated=view.updated,
        private=view.private,
        **age(of_note),
        front_matter=view.front_matter,
        properties=[{"key": key, "value": value} for key, value in view.properties],
        summary=view.summary,
        opening=view.opening,
        facts=[_seed_fact(fact, of_facts[fact.key]) for fact in view.facts],
        relations=[
            {"fact": key, **each._asdict()}
            for key, found in view.relations.items()
            for each in found
        ],
        newer={key: line.told() for key, line in view.newer.items()},
        headings=[heading._asdict() for heading in view.headings],
        **_links(view),
        problems=[problem._asdict() for problem in view.problems],
    )


def notes(
    found: NoteList,
    page: Page,
    ages: Mapping[str, Age],
    filtered: Mapping[str, int],
    hint: str = "",
) -> str:
    """The answer of `list`; `filtered` counts what was left out, `hint` says why it is empty."""
    rows = []
    for row in found.notes:
        of_note = ages[row.path]
        if row.title == title_of_path(row.path, None):
            title = ""
        else:
            title = row.title
        rows.append(
            {"path": row.path, **lean(title=title), "kind": row.kind}
            | lean(date=row.date, updated=row.updated, tags=row.tags, facts=row.facts)
            | {"lines": row.lines}
            | lean(
                private=row.private,
                archived=is_archived(row.path),
                tier=of_note.tier,
                lastAccessed=of_note.last,
                accessCount=of_note.uses,
            )
        )
    return listed(
        "notes",
        rows,
        found.total,
        page,
        kinds=dict(found.kinds),
        **lean(filtered=filtered, hint=hint),
    )


def facts(
    found: FactList,
    page: Page,
    ages: Mapping[str, Age],
    filtered: Mapping[str, int],
    hint: str = "",
) -> str:
    """The answer of `list --type`."""
    rows = [_fact(path, fact, ages[fact.key]) for path, fact in found.facts]
    return listed(
        "facts",
        rows,
        found.total,
        page,
        types=dict(found.types),
        **lean(filtered=filtered, hint=hint),
    )


def age(found: Age) -> dict[str, Any]:
    """The age of a fact or note, as every answer has it."""
    return {"tier": found.tier or None, "lastAccessed": found.last, "accessCount": found.uses}


def today(day: str, found: Excerpt, *, every: bool) -> str:
    """The answer of `today`; `exists` is false for a daily note that is still to be written."""
    return dump(
        every=every, date=day, path=found.path, exists=found.exists, text="\n".join(found.lines)
    )


def tasks(
    rows: Sequence[TaskRow], page: Page, today: str, filtered: Mapping[str, int], hint: str = ""
) -> str:
    """The answer of `tasks`."""
    done = sum(row.done for row in rows)
    cancelled = sum(row.is_cancelled for row in rows)
    shown = [task(row, today) for row in part(rows, page)]
    return listed(
        "tasks",
        shown,
        len(rows),
        page,
        open=len(rows) - done,
        done=done,
        **lean(cancelled=cancelled, filtered=filtered, hint=hint),
    )


def task(row: TaskRow, today: str) -> dict[str, Any]:
    """A task, as every answer has it."""
    told = {"path": row.path, "line": row.line, "text": row.text, "done": row.done}
    return told | lean(due=row.due, overdue=row.is_overdue(today), cancelled=row.is_cancelled)


def tags(rows: Sequence[TagRow], page: Page) -> str:
    """The answer of `tags`."""
    return listed("tags", [row._asdict() for row in part(rows, page)], len(rows), page)


def links(view: LinkView, *, every: bool) -> str:
    """The answer of `links`."""
    return dump(every=every, path=view.path, **_links(view))


def status(
    state: Status,
    daemon: str,
    unlogged: str,
    last: tuple[float, str] | None,
    jobs: Sequence[str] = (),
    llm: str = "",
) -> str:
    """The answer of `status`; `daemon` says in short whether one runs, `unlogged` why uses are not
    written down, `last` how long the last search took and when it was, `jobs` what a daemon does
    here, `llm` the person's model."""
    values = state._asdict()
    values.update(
        index_schema=values.pop("schema"),
        failed=_failed(state.failed),
        in_part=_failed(state.in_part),
        kinds=dict(state.kinds),
        agents=dict(state.agents),
        sources=dict(state.sources),
        in_vain=[each._asdict() for each in state.in_vain],
        report=_report(state.report),
        daemon=daemon,
        jobs=jobs,
        llm=llm,
        unlogged=unlogged,
        last_search_ms=None if last is None else last[0],
        last_search_at=None if last is None else last[1],
    )
    return dump(**values)


def daemon(found: DaemonProcess, wrong: Sequence[str]) -> str:
    """The answer of `daemon status`, `start` and `stop`: where none runs or answers, what only it
    knows is null."""
    from aurelius.daemon.loop import DaemonState

    state: dict[str, Any]
    if found.state is None:
        state = dict.fromkeys(DaemonState._fields)
    else:
        state = found.state._asdict()
    if found.state is None:
        known = {"pid": found.holder, "vault": found.root}
    else:
        known = {}
    return dump(running=found.holder is not None, **state | known, problems=wrong)


def findings(found: Checkup, checked: Sequence[Checked]) -> str:
    """The answer of `doctor`."""
    return dump(
        counts=found.counts,
        findings=[each._asdict() for each in found.shown],
        truncated=found.truncated,
        checked=[each._asdict() for each in checked],
    )


def removed(found: Sequence[Leftover], kept: int) -> str:
    """The answer of `doctor --fix`."""
    rows = [{"path": each.path, "what": each.kind, "bytes": each.size} for each in found]
    return dump(removed=rows, bytes=sum(each.size for each in found), kept=kept)


def verification(found: Verification) -> str:
    """The answer of `doctor --verify`."""
    return dump(
        differences=[each._asdict() for each in found.differences],
        repaired=[each._asdict() for each in found.repaired],
        compared=dict(found.compared),
        failed=_failed(found.failed),
        held=found.held,
        unsettled=found.unsettled,
        unproved=found.unproved,
        seconds=round(found.seconds, 3),
    )


def report(done: RefreshReport) -> str:
    """The answer of `index`; what failed is listed by `status`."""
    return dump(every=False, **_report(done))


def forgotten(done: ForgetReport) -> str:
    """The answer of `forget`."""
    return dump(**done._asdict())


def settings(rows: Iterable[Setting], in_vain: Iterable[Asked]) -> str:
    """The answer of `config`; `in_vain` is what the vault asks for and may not decide."""
    values = {row.key: {"value": row.value, "source": row.source} for row in rows}
    return dump(settings=values, in_vain=[each._asdict() for each in in_vain])


def setting(row: Setting, file: str) -> str:
    """The answer of `config set` and `config unset`: what is in force now, and the file that was
    written."""
    return dump(key=row.key, value=row.value, source=row.source, file=file)


def _line(value: Any) -> str:
    try:
        text = compact_json(value, allow_nan=False)
    except ValueError:  # front matter may say .inf or .nan, which JSON has no number for
        text = compact_json(_numbers_as_text(value))
    return json_safe(text)


def _numbers_as_text(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _numbers_as_text(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers_as_text(each) for each in value]
    return value


def _hit(hit: Hit, words: Sequence[str]) -> dict[str, Any]:
    heading = [name(part) for part in hit.heading]
    title = name(hit.title)
    called = title_of_path(hit.path, None)
    text = extract(hit.text, words)
    values = {
        "id": hit.id,
        "path": hit.path,
        "lines": hit.lines,
        "heading": heading,
        "title": "" if title == (heading[0] if heading else called) else title,
        "kind": hit.kind,
        "type": hit.type,
        "subtype": hit.subtype,
        "date": hit.date,
        "status": "" if hit.status == "active" else hit.status,
        "newer": hit.newer and hit.newer.told(),
        "tier": hit.age.tier,
        "lastAccessed": hit.age.last,
        "accessCount": hit.age.uses,
        "score": hit.score if hit.explain else float(f"{hit.score:.3g}"),
        "text": text,
        "cut": text != hit.text,
        "agent": agent_of(hit.path),
        "explain": hit.explain,
    }
    always = {"path", "lines", "kind", "score", "text"}
    return {key: value for key, value in values.items() if value or key in always}


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


def _fact(path: str, fact: Fact, found: Age) -> dict[str, Any]:
    from indexer.reading.type_words import narrower  # a search has no use for it

    return {
        "id": fact.key,
        "path": path,
        "lines": [fact.first, fact.last],
        "type": fact.type,
        **lean(
            subtype=narrower(fact),
            status=fact.status if fact.status != "active" else "",
            date=fact.date,
        ),
        "text": fact.text,
        **lean(tier=found.tier, lastAccessed=found.last, accessCount=found.uses),
    }


def _links(view: NoteView | LinkView) -> dict[str, Any]:
    return {"outgoing": [*map(_link, view.outgoing)], "backlinks": [*map(_link, view.backlinks)]}


def _link(row: LinkRow) -> dict[str, Any]:
    if row.exists:
        missing = {}
    else:
        missing = {"exists": False}
    return {
        "path": row.path,
        "line": row.line,
        **lean(label=row.label, anchor=row.anchor, problem=row.problem, text=line_of(row)),
    } | missing


def _report(done: RefreshReport) -> dict[str, Any]:
    return done._asdict() | {"failed": _failed(done.failed), "seconds": round(done.seconds, 3)}


def _failed(failed: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in failed]
