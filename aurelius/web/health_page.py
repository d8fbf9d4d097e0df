"""The health of a vault: what `aurelius doctor` finds, with remedies; the daemon, its jobs, the
index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius import api
from aurelius.agents.llm import described
from aurelius.agents.session import hook_troubles
from aurelius.answers.findings import FINDING_HEADINGS, HABITS, Checkup
from aurelius.show.health import duration_text, size
from aurelius.show.hits import index_state
from indexer.catalog.lists import get_key
from indexer.errors import NoteNotFoundError
from indexer.spelling import group_pairs

from .addresses import note_url
from .call import PageAnswer
from .kept_check import checks_of
from .line_html import message_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from aurelius.answers.findings import Finding
    from aurelius.vault import Vault

    from .call import PageCall

_FIRST = 4
"""Findings of a kind that are shown where all kinds are."""
_A_PART = 50
"""And where only these are."""


class ShownFinding(NamedTuple):
    """A finding: where it is, the address of that where it is a note, what is wrong, what to do
    where that is not the same for all of its kind, and in how many more places of the same folder
    the same is wrong."""

    place: str
    url: str
    message: Markup
    fix: Markup
    more: int = 0


class FindingKind(NamedTuple):
    """The findings of a kind that are shown, how many there are, what to do where it is the same
    for all, and whether they are a habit and no fault."""

    code: str
    heading: str
    total: int
    fix: Markup
    shown: Sequence[ShownFinding]
    habit: bool


def show_health(call: PageCall) -> PageAnswer:
    """What is wrong, and how the daemon and the index do; of one kind of findings all, in parts."""
    chosen = call.query.get("kind", "")
    if chosen and chosen not in FINDING_HEADINGS:
        raise NoteNotFoundError(
            f"There is no kind of findings {chosen}",
            "/health has those that were found",
        )
    vault = call.vault
    again = bool(call.query.get("again"))
    last, running = checks_of(vault).look(vault, again=again)
    found = last.found if last else Checkup({}, (), 0)
    groups = group_pairs((each.code, each) for each in found.findings)
    window = call.window(len(groups.get(chosen, ())), _A_PART)
    kinds = []
    for code in [chosen] if chosen else FINDING_HEADINGS:
        if code in groups:
            rows = None
            if chosen:
                rows = window.rows
            kinds.append(_kind(vault, code, groups[code], rows))
    values: dict[str, Any] = {
        "last": last,
        "running": running,
        "took": duration_text(last.seconds) if last else "",
        "faults": found.faults,
        "kinds": kinds,
        "chosen": FINDING_HEADINGS.get(chosen, ""),
        "window": window,
        "hooks": [message_html(each) for each in hook_troubles(vault.config.state)],
        "checked": [(each.what, message_html(each.found)) for each in found.checked],
        "around": _around_rows(vault),
        "index": _index_rows(vault),
    }
    return PageAnswer("health.html", "Health", values)


def _kind(
    vault: Vault,
    code: str,
    found: Sequence[Finding],
    rows: slice | None,
) -> FindingKind:
    """The findings of a part of the list, or for None the first of those that differ."""
    alike = [[each] for each in found]
    if rows is None:
        pairs = (((os.path.dirname(each.path), each.message), each) for each in found)
        alike = [*group_pairs(pairs).values()]
        rows = slice(_FIRST)
    fixes = {each.fix for each in found}
    common = fixes.pop() if len(fixes) == 1 else ""
    heading = FINDING_HEADINGS[code]
    return FindingKind(
        code=code,
        heading=heading[0].upper() + heading[1:],
        total=len(found),
        fix=message_html(common),
        shown=[
            _shown(
                vault,
                same[0],
                common,
            )._replace(more=len(same) - 1)
            for same in alike[rows]
        ],
        habit=code in HABITS,
    )


def _shown(
    vault: Vault,
    each: Finding,
    common: str,
) -> ShownFinding:
    url = ""
    if each.path and get_key(vault.db, each.path, private=False) is not None:
        url = note_url(each.path, each.line)
    place = each.path
    if each.line:
        place += f":{each.line}"
    return ShownFinding(
        place,
        url,
        message_html(each.message),
        message_html("" if common else each.fix),
    )


def _around_rows(vault: Vault) -> list[tuple[str, Markup]]:
    """The daemon and its jobs, the language model, and whether uses are written down."""
    around = api.surroundings(vault, llm=described(vault.config))
    rows = [
        ("daemon", around.daemon),
        *(("job", each) for each in around.jobs),
        ("model", around.llm),
        ("uses", around.unlogged),
    ]
    return [(name, message_html(told)) for name, told in rows if told]


def _index_rows(vault: Vault) -> list[tuple[str, str]]:
    """The state of the index, without a walk over the disk."""
    index = vault.index()
    state = index_state(vault, private=False)
    place = "in memory"
    if index.path:
        place = f"{index.path}, {size(os.path.getsize(index.path))}"
    return [
        ("notes", f"{state.notes:,}"),
        ("chunks", f"{state.chunks:,}"),
        ("state", "up to date" if state.fresh else "may lack the latest edits"),
        ("file", place),
        ("model", str(index.get_meta("model") or "none: search is by words only")),
        ("generation", f"{index.generation:,}, schema {index.get_meta('schema')}"),
    ]
