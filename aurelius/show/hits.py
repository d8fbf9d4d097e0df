"""Search answers as text: hits, why a score is what it is, what did not fit, why nothing was found.

Values in, text out; everything that comes from a note passes through visible.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .paint import BOLD, DIM, MARK, PLACE, Paint, place
from .visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.search.search import Hit, SearchResult

    from .json_text import IndexState

SHOWN_LINES = 3
SHOWN_CHARACTERS = 240
"""How much of a hit's text stands in a list; `get` and `--json` have all of it."""


def hits(found: Iterable[Hit], words: Sequence[str], *, colour: bool, explain: bool) -> str:
    """Search hits: place, id, heading and date on one line, the telling lines of the text below it."""
    paint = Paint(colour)
    parts = []
    for hit in found:
        told = telling_lines(hit.text, words) or [paint("(no text but its name)", DIM)]
        lines = [_headline(hit, paint), *("  " + line for line in told)]
        if explain:
            lines.append("  " + paint(explained(hit), DIM))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def telling_lines(text: str, words: Sequence[str]) -> list[str]:
    """At most SHOWN_LINES lines of a hit, those around the most words of the query, long ones shortened."""
    lines = [line.strip() for line in visible(text).replace("\t", " ").split("\n")]
    lines = [line for line in lines if line]
    start = 0
    if len(lines) > SHOWN_LINES:
        counts = [sum(map(line.casefold().__contains__, words)) for line in lines]
        starts = range(len(lines) - SHOWN_LINES + 1)
        start = max(starts, key=lambda at: (sum(counts[at : at + SHOWN_LINES]), -at))
    shown = [shortened(line, words) for line in lines[start : start + SHOWN_LINES]]
    if shown and start + SHOWN_LINES < len(lines):
        shown[-1] += " …"
    return shown


def shortened(line: str, words: Sequence[str]) -> str:
    """The line, cut to SHOWN_CHARACTERS around the first word of the query where it is longer."""
    if len(line) <= SHOWN_CHARACTERS:
        return line
    folded = line.casefold()
    at = min((place for place in map(folded.find, words) if place >= 0), default=0)
    start = max(0, min(at - SHOWN_CHARACTERS // 4, len(line) - SHOWN_CHARACTERS))
    space = line.find(" ", start, at) if start else -1
    start = space + 1 if space >= 0 else start  # scripts without spaces are cut anywhere
    cut = line[start : start + SHOWN_CHARACTERS]
    return ("… " if start else "") + cut.strip() + (" …" if start + SHOWN_CHARACTERS < len(line) else "")


def explained(hit: Hit) -> str:
    """How the score came about: score = (sum of the weighted legs) × product of the priors, then the raw values."""
    terms = hit.explain or {}
    legs = " + ".join(f"{name} {value:.6f}" for name, value in terms.get("legs", {}).items())
    priors = "".join(f" × {name} {value:.6f}" for name, value in terms.get("priors", {}).items())
    raw = ", ".join(f"{name} {value:.6f}" for name, value in terms.get("raw", {}).items())
    return f"score {hit.score:.6f} = ({legs}){priors}  raw: {raw}"


def hits_markdown(found: Iterable[Hit]) -> str:
    """Search hits as Markdown: a wikilink to each and its whole text as a quotation."""
    parts = []
    for hit in found:
        anchor = f"#^{hit.id}" if hit.id and f"^{hit.id}" in hit.text else ""  # a hash key is no block
        heading = " › ".join(one_line(part) for part in hit.heading)
        head = f"[[{one_line(stem(hit.path))}{anchor}]] {heading}".rstrip()
        quoted = "\n".join(f"> {line}".rstrip() for line in visible(hit.text).split("\n"))
        parts.append(f"### {head}\n\n{quoted}\n")
    return "\n".join(parts)


def stem(path: str) -> str:
    """A note's path as a wikilink has it."""
    return path.removesuffix(".md")


def truncated(count: int) -> str:
    """What did not fit, in the exact words that agents are told to look for."""
    return f"...\n[truncated - {count} more memories available]\n" if count else ""


def nothing_found(result: SearchResult, state: IndexState) -> list[str]:
    """Why an answer is empty: what was searched, how fresh it is, what was left out, what to try."""
    fresh = "as they are now" if state.fresh else "which may lack the latest edits"
    notes = f"{state.notes} {'note' if state.notes == 1 else 'notes'} ({state.chunks} chunks)"
    searched = notes if state.generation else "the files themselves, word by word"
    lines = [f"nothing found in {searched}, {fresh}, mode {result.mode}"]
    if state.failed:
        lines.append(f"{len(state.failed)} could not be read; `aurelius status` names them")
    if result.filtered:
        left_out = ", ".join(f"{count} {why}" for why, count in result.filtered.items())
        lines.append(f"left out: {left_out}")
    if state.generation and not state.notes:
        return [*lines, "the vault holds no note yet: write one, or see with `aurelius status` what is left out"]
    return [*lines, result.hint] if result.hint else lines


def _headline(hit: Hit, paint: Paint) -> str:
    parts = [paint(place(hit.path, *hit.lines), PLACE)]
    if hit.id:
        parts.append(paint(f"[id:{one_line(hit.id)}]", MARK))
    if hit.heading:
        parts.append(paint(" › ".join(one_line(part) for part in hit.heading), BOLD))
    parts += [part for part in (hit.date, hit.status if hit.status != "active" else "", hit.age.tier) if part]
    return "  ".join(parts)
