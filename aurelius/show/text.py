"""Answers as text for people: values in, text out.  JSON is json_text.py.

Everything that comes from a note or a file name passes through visible.py.  Nothing here knows a
stream; `colour` says whether the reader is a terminal that wants it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.answers.excerpt import Excerpt
    from aurelius.answers.finding import Finding
    from aurelius.answers.note_view import LinkView, NoteView
    from aurelius.answers.status import Status
    from aurelius.settings.config import Asked, Setting
    from aurelius.writing.forget import ForgetReport
    from aurelius.writing.init import InitReport
    from indexer.catalog.graph import LinkRow
    from indexer.catalog.lists import NoteList, TagRow, TaskRow
    from indexer.note import Fact
    from indexer.refresh.refresh import RefreshReport
    from indexer.refresh.verify import Mismatch, Verification
    from indexer.search.search import Hit, SearchResult
    from indexer.usage.tier import Age

    from .json_text import IndexState

SHOWN_LINES = 3
SHOWN_CHARACTERS = 240
"""How much of a hit's text stands in a list; `get` and `--json` have all of it."""


SHOWN_DIFFERENCES = 20


class Paint(NamedTuple):
    """Wraps text in colour, or leaves it alone."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """The text in an SGR code, such as "1" for bold."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text


BOLD, DIM, PLACE, MARK = "1", "2", "36", "33"


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


def place(path: str, first: int, last: int) -> str:
    """`path:line` or `path:first-last`, which editors and terminals know how to open."""
    return f"{one_line(path)}:{first}" + (f"-{last}" if last > first else "")


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


def paths(found: Iterable[str]) -> str:
    """Paths, each once, one a line."""
    return "".join(one_line(path) + "\n" for path in dict.fromkeys(found))


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


def excerpt(found: Excerpt) -> str:
    """The lines of a note as they stand, but for characters that steer a terminal."""
    return "".join(visible(line) + "\n" for line in found.lines)


def note(view: NoteView, of_note: Age, of_facts: Mapping[str, Age], *, with_facts: bool, colour: bool) -> str:
    """A note at a glance: what it is, its summary, its links; its facts on demand."""
    paint = Paint(colour)
    lines = [f"{paint(one_line(view.title), BOLD)}  {paint(one_line(view.path), PLACE)}", _about(view, of_note.tier)]
    if view.summary.strip():
        lines += ["", visible(view.summary).strip("\n")]
    if with_facts and view.facts:
        lines += ["", *(fact_line(f":{fact.first}", fact, paint, of_facts[fact.key].tier) for fact in view.facts)]
    elif view.facts:
        lines += ["", f"facts: {_counted(view.facts)} (--facts shows them)"]
    elif not view.summary.strip() and view.headings:
        lines += ["", *(f":{at.line}  {'#' * at.level} {one_line(at.text)}" for at in view.headings)]
    if view.outgoing or view.backlinks:
        lines += ["", *_link_lines(view.outgoing, view.backlinks, paint)]
    lines += [f"problem at line {each.line}: {one_line(each.message)}" for each in view.problems]
    return "\n".join(lines) + "\n"


def notes(found: NoteList, ages: Mapping[str, Age], *, colour: bool) -> str:
    """A line a note: date, kind, tier, path, title."""
    paint = Paint(colour)
    return "".join(
        f"{row.date or row.updated or '':10}  {row.kind:8}  {ages[row.path].tier:4}  "
        f"{paint(one_line(row.path), PLACE)}  {one_line(row.title)}\n"
        for row in found.notes
    )


def facts(rows: Iterable[tuple[str, Fact]], ages: Mapping[str, Age], *, colour: bool) -> str:
    """A line a fact: place, id, text, date, tier."""
    paint = Paint(colour)
    return "".join(
        fact_line(f"{one_line(path)}:{fact.first}", fact, paint, ages[fact.key].tier) + "\n" for path, fact in rows
    )


def tasks(rows: Iterable[TaskRow], *, colour: bool) -> str:
    """A line a task: place, box, text, when due."""
    paint = Paint(colour)
    return "".join(
        f"{paint(f'{one_line(row.path)}:{row.line}', PLACE)}  [{'x' if row.done else ' '}] {one_line(row.text)}"
        + (f"  (due {row.due})" if row.due and row.due not in row.text else "")
        + "\n"
        for row in rows
    )


def tags(rows: Sequence[TagRow]) -> str:
    """A line a tag: how many notes have it, and its name."""
    width = max((len(str(row.notes)) for row in rows), default=0)
    return "".join(f"{row.notes:{width}}  #{one_line(row.name)}\n" for row in rows)


def links(view: LinkView, *, colour: bool) -> str:
    """A line a link: → what the note links to, ← what links to it."""
    return "".join(line + "\n" for line in _link_lines(view.outgoing, view.backlinks, Paint(colour)))


def findings(found: Iterable[Finding], *, colour: bool) -> str:
    """What is wrong, in the form compilers use, and the remedy below it."""
    paint = Paint(colour)
    lines = []
    for each in found:
        at = one_line(each.path) + (f":{each.line}" if each.line else "")
        lines.append(f"{paint(at, PLACE)}: " * bool(at) + f"{one_line(each.message)}  {paint(f'[{each.code}]', DIM)}")
        if each.fix:
            lines.append(f"  {one_line(each.fix)}")
    return "".join(line + "\n" for line in lines)


def verification(found: Verification) -> str:
    """What `doctor --verify` found: the first differences, what is listed apart, what was compared."""
    lines = _differences(found.differences, "") + _differences(found.repaired, "healed: ")
    lines += [f"failed: {one_line(path)}: {one_line(reason)}" for path, reason in found.failed]
    lines += [f"held: {one_line(path)}: its deletion waits to be confirmed" for path in found.held]
    lines += [f"unsettled: {one_line(path)}: it changed at every look" for path in found.unsettled]
    lines += [f"unproved: {one_line(each)}" for each in found.unproved]
    counts = dict(found.compared)
    sample = counts.pop("sample", 0)
    told = [f"{count} {name.removesuffix('s') if count == 1 else name}" for name, count in counts.items()]
    told += [f"{sample} of the vectors by model2vec"] if sample else []
    return "".join(f"{line}\n" for line in [*lines, f"compared: {', '.join(told)}  ({found.seconds:.1f} s)"])


def verdict(found: Verification, *, fixed: bool) -> str:
    """What `doctor --verify` comes to, in one line."""
    count = len(found.differences)
    told = f"{count} {'difference' if count == 1 else 'differences'} between index and files"
    if count and fixed:
        return f"{told} even in an index built anew: this is a bug in Aurelius, or the disk or memory fails"
    if count:
        return f"{told}; `aurelius doctor --verify --fix` builds the index anew"
    told = "; the index was built anew" if found.repaired else ""
    return f"index and files are equal{', but for what is unsettled' if found.unsettled else ''}{told}"


def settings(rows: Sequence[Setting]) -> str:
    """A line a setting: key, value, where it comes from."""
    values = [(row.key, _toml(row.value), row.source) for row in rows]
    keys, width = (max((len(row[at]) for row in values), default=0) for at in (0, 1))
    return "".join(f"{key:{keys}} = {value:{width}}  # {one_line(source)}\n" for key, value, source in values)


def in_vain(asked: Iterable[Asked], key: str = "") -> list[str]:
    """What a vault asks for and may not decide, a line each with what would grant it; of one key where it is named."""
    return [
        f"{each.source}: {each.key} = {_toml(each.value)} "
        + (f"is not used: {each.why}; to remove" if each.why else "does not count from a vault; to grant")
        + f" it: {each.command}"
        for each in asked
        if key in {"", each.key}
    ]


def report(done: RefreshReport) -> str:
    """What a refresh did, on one line, and what it could not read."""
    counts = {
        "added": done.added, "changed": done.changed, "moved": done.moved,
        "removed": done.removed, "unchanged": done.unchanged, "failed": len(done.failed),
    }  # fmt: skip
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "no notes"
    lines = [f"{told}  ({done.seconds:.1f} s)"]
    lines += [f"failed: {one_line(path)}: {one_line(reason)}" for path, reason in done.failed]
    return "".join(line + "\n" for line in lines)


def status(state: Status, daemon: str, unlogged: str) -> str:
    """The state of vault and index, a line each; `daemon` says in short whether one runs, `unlogged` why uses are
    not written down."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in state.kinds)
    rows = [
        ("vault", one_line(state.vault)),
        ("notes", f"{state.notes}, {size(state.vault_bytes)}" + (f": {kinds}" if kinds else "")),
        ("index", one_line(state.index)),
        ("size", size(state.index_bytes)),
        ("holds", f"{state.chunks} chunks, {state.facts} facts, {state.vectors} vectors"),
        ("model", one_line(state.model) or "none: search is by words alone"),
        ("fresh", "yes" if state.fresh else "no"),
        ("generation", f"{state.generation}, schema {state.schema}"),
        ("daemon", one_line(daemon)),
    ]
    rows += [("uses", one_line(unlogged))] if unlogged else []
    counts = {"private": state.private, "ignored": state.ignored, "problems": state.problems}
    rows += [(name, str(count)) for name, count in counts.items() if count]
    rows += [("setting", f"{key} from {one_line(source)}") for key, source in state.sources]
    rows += [("in vain", one_line(line)) for line in in_vain(state.in_vain)]
    rows += [("differs", one_line(each)) for each in state.differences]
    rows += [("in part", f"{one_line(path)}: {one_line(reason)}") for path, reason in state.in_part]
    rows += [("failed", f"{one_line(path)}: {one_line(reason)}") for path, reason in state.failed]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}  {value}\n" for name, value in rows)


def size(count: int) -> str:
    """Bytes as people say them: 512 B, 3.4 MB."""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def forgotten(done: ForgetReport) -> str:
    """What `forget` did."""
    chunks = f"{done.chunks} {'chunk' if done.chunks == 1 else 'chunks'}"
    lines = [f"forgot {one_line(done.path)}: {chunks} taken out of the index"]
    if done.ignored_added:
        lines.append("added to .aureliusignore, so that it stays out; the file itself is untouched")
    return "".join(line + "\n" for line in lines)


def made(done: InitReport) -> str:
    """What `init` did: every file it made."""
    return "".join(f"made {one_line(path)}\n" for path in done.created)


def _headline(hit: Hit, paint: Paint) -> str:
    parts = [paint(place(hit.path, *hit.lines), PLACE)]
    if hit.id:
        parts.append(paint(f"[id:{one_line(hit.id)}]", MARK))
    if hit.heading:
        parts.append(paint(" › ".join(one_line(part) for part in hit.heading), BOLD))
    parts += [part for part in (hit.date, hit.status if hit.status != "active" else "", hit.age.tier) if part]
    return "  ".join(parts)


def _differences(rows: Sequence[Mismatch], before: str) -> list[str]:
    lines = [f"{before}{one_line(each.path) or 'the index'}: {one_line(each.part)}: {one_line(each.what)}"
             for each in rows[:SHOWN_DIFFERENCES]]  # fmt: skip
    more = len(rows) - len(lines)
    return [*lines, f"{before}and {more} more, which --json lists"] if more else lines


def _about(view: NoteView, tier: str) -> str:
    parts = [view.kind]
    if view.private:
        parts.append("private")
    if view.aliases:
        parts.append("also " + ", ".join(map(one_line, view.aliases)))
    parts += ["#" + one_line(tag) for tag in view.tags]
    if view.date:
        parts.append(view.date)
    if view.updated and view.updated != view.date:
        parts.append(f"updated {view.updated}")
    return " · ".join([*parts, tier])


def _counted(facts: Sequence[Fact]) -> str:
    counts: dict[str, int] = {}
    for fact in facts:
        counts[fact.status] = counts.get(fact.status, 0) + 1
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def fact_line(at: str, fact: Fact, paint: Paint, tier: str) -> str:
    """A fact on one line: place, id, text, and in parentheses date, type, status and tier."""
    parts = [paint(at, PLACE), paint(f"[id:{one_line(fact.key)}]", MARK), " ".join(one_line(fact.text).split())]
    about = [fact.date, fact.type if fact.type != "fact" else "", fact.status if fact.status != "active" else "", tier]
    told = ", ".join(part for part in about if part)
    return "  ".join(parts) + (f" ({told})" if told else "")


def _link_lines(outgoing: Iterable[LinkRow], backlinks: Iterable[LinkRow], paint: Paint) -> list[str]:
    lines = []
    for row in outgoing:
        label = f"  {one_line(row.label)}" if row.label else ""
        anchor = f"#{one_line(row.anchor)}" if row.anchor else ""
        missing = "" if row.exists else paint(f"  ({one_line(row.problem) or 'missing'})", MARK)
        lines.append(f"→ {paint(one_line(row.path), PLACE)}{anchor}  :{row.line}{label}{missing}")
    for row in backlinks:
        label = f"  {one_line(row.label)}" if row.label else ""
        anchor = f"  #{one_line(row.anchor)}" if row.anchor else ""
        missing = "" if row.exists else paint(f"  ({one_line(row.problem) or 'missing'})", MARK)
        lines.append(f"← {paint(place(row.path, row.line, row.line), PLACE)}{anchor}{label}{missing}")
    return lines


def _toml(value: object) -> str:
    if isinstance(value, str):
        return '"' + one_line(value).replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
