"""Search answers as text: hits, why a score is what it is, what did not fit, why nothing was found.

Values in, text out; everything that comes from a note passes through terminal.py.
"""

from __future__ import annotations

import re
from bisect import bisect
from itertools import chain, islice, product
from typing import TYPE_CHECKING

from indexer.errors import Hint
from indexer.reading.path_meaning import APART, is_imported
from indexer.record import NamedTuple
from indexer.search.query import clean_query
from indexer.spelling import LETTERS_AND_DIGITS, clipped, plural, single_spaced
from indexer.tokens.terms import BEGINNING, differ_in_ending

from .terminal import (
    BOLD,
    DIM_CODE,
    MARK_CODE,
    Paint,
    escape_controls,
    lined,
    linked_place,
    one_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    FindWords = Callable[[str], list[tuple[int, int]]]

    from aurelius.vault import Vault
    from indexer.catalog.graph import LinkRow
    from indexer.catalog.mentions import MentionLine
    from indexer.search.hit import Hit, LaterLine, SearchResult
    from indexer.search.recalled import Pulled, Recall, Recalled

SHOWN_LINES = 3
SHOWN_CHARACTERS = 240
"""Characters of a hit's text that a list shows; `get` prints all of it."""
JSON_CHARACTERS = 400
"""Characters of a hit's text in JSON."""
QUOTED_CHARACTERS = 8_000
"""Characters of a hit's text in Markdown."""
LINE_CHARACTERS = 160
"""Characters of the line of a link that are shown beside it."""
_ALSO_SHOWN = 2
"""Places where the same is said that a hit names."""
_MOST_PLACES = 200
"""Places of words in one line that are looked at."""
NAME_CHARACTERS = 120
"""Characters of a heading that are shown in any form."""


class IndexState(NamedTuple):
    """What was searched and how fresh it is."""

    notes: int
    chunks: int
    generation: int
    fresh: bool
    failed: tuple[tuple[str, str], ...]


def hits_text(
    found: Iterable[Hit],
    words: Sequence[str],
    *,
    paint: Paint,
    explain: bool,
    asked: Sequence[str] = (),
    held: bool = False,
) -> list[str]:
    """Search hits, a text each: place, id, heading and date on one line, the telling lines of the
    text below it.

    `words` are the beginnings that tell which lines; `asked` are those of the query, which are
    marked in them; `held` says that they are what was so on a day that was asked for.
    """
    mark = word_marker(asked, paint) if paint.on and asked else str
    texts = []
    for hit in found:
        lines = [_headline(hit, paint, held=held)]
        lines += [f"  {mark(paint.line(line))}" for line in telling_lines(hit.text, words)]
        if hit.newer_of:
            lines += [f"  {_later(line, words, paint)}" for line in hit.newer_of.others]
        if explain:
            lines.append(f"  {paint(explained(hit), DIM_CODE)}")
        texts.append(lined(lines))
    return _apart(texts)


def _later(
    line: LaterLine,
    words: Sequence[str],
    paint: Paint,
) -> str:
    """One more line that is newer than the best hit: its day, what it says and where."""
    says = shorten_around(single_spaced(escape_controls(line.text)), words)
    where = paint.at(line.path, line.line)
    return f"also newer: {says}  {line.date}  {where}"


def _apart(texts: Sequence[str]) -> list[str]:
    """Texts with an empty line before each but the first."""
    return [*texts[:1], *(f"\n{text}" for text in texts[1:])]


def word_marker(
    asked: Sequence[str],
    paint: Paint,
) -> Callable[[str], str]:
    """What marks the words that were asked for in a line, as `word_finder` finds them."""
    find = word_finder(asked)

    def mark(line: str) -> str:
        told = []
        at = 0
        for start, end in find(line):
            told += [line[at:start], paint(line[start:end], BOLD)]
            at = end
        return "".join([*told, line[at:]])

    return mark


def word_finder(asked: Sequence[str]) -> FindWords:
    """What finds the words that were asked for in a line, whatever their endings, accents and case:
    their spans in order."""
    from indexer.reading.path_meaning import unaccented
    from indexer.tokens.terms import bigrams, runs

    words: set[str] = set()
    pieces: set[str] = set()
    for word in asked:
        spaced = runs(word)
        words.update(map(unaccented, LETTERS_AND_DIGITS.findall(" ".join(spaced[::2]))))
        for run in spaced[1::2]:  # of a script without spaces
            pieces.update(each for each in (run, *bigrams(run)) if len(each) > 1)
    any_piece = "|".join(map(re.escape, sorted(pieces, key=len, reverse=True)))
    wanted = re.compile(any_piece or "(?!)")

    def is_asked(word: str) -> bool:
        return word in words or any(differ_in_ending(word, each) for each in words)

    def find(line: str) -> list[tuple[int, int]]:
        spans = [found.span() for found in wanted.finditer(line)]
        every = LETTERS_AND_DIGITS.finditer(line)
        spans += [word.span() for word in every if is_asked(unaccented(word[0]))]
        return _joined(spans)

    return find


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap or touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def telling_lines(text: str, words: Sequence[str]) -> list[str]:
    """At most SHOWN_LINES lines of a hit, those that hold the most different words of the query,
    long ones shortened."""
    lines = [line.strip() for line in escape_controls(text).replace("\t", " ").split("\n")]
    lines = [line for line in lines if line]
    start = 0
    if len(lines) > SHOWN_LINES:
        spans = [(at, at + SHOWN_LINES) for at in range(len(lines) - SHOWN_LINES + 1)]
        start, _ = _most_telling(lines, spans, words)
    shown = [shorten_around(line, words) for line in lines[start : start + SHOWN_LINES]]
    if shown and start + SHOWN_LINES < len(lines):
        shown[-1] += " …"
    return shown


def _most_telling(
    lines: Sequence[str], spans: Sequence[tuple[int, int]], words: Sequence[str]
) -> tuple[int, int]:
    """The first of some spans of lines that holds the most different words, each worth the less the
    more of the lines hold it; of equal ones the one that holds them the most often."""
    from collections import Counter

    held = [_held(line, words) for line in lines]
    counts = Counter(chain.from_iterable(held))

    def worth(span: tuple[int, int]) -> tuple[float, int]:
        there = held[span[0] : span[1]]
        different = set().union(*there)
        rare = sum(1 + 1 / counts[word] for word in different)
        return round(rare, 6), sum(map(len, there))

    return max(spans, key=worth)


def _held(line: str, words: Sequence[str]) -> set[str]:
    """The words that a line holds; a short one has to be a word by itself or a part of a name such
    as `logoUrl`, as it is in many others by chance."""
    folded = line.casefold()
    found = {word for word in words if word in folded}
    short = {word for word in found if len(word) < BEGINNING and word.isascii()}
    if short:
        apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line)
        parts = LETTERS_AND_DIGITS.findall(apart.casefold())
        found -= short
        found.update(word for word, part in product(short, parts) if differ_in_ending(part, word))
    return found


def shorten_around(
    line: str,
    words: Sequence[str],
    most: int = SHOWN_CHARACTERS,
) -> str:
    """The line, where it is longer cut to the `most` characters that hold the most different words
    of the query."""
    if len(line) <= most:
        return line
    at = _best_place(line.casefold(), words, most)
    start = max(0, min(at - most // 4, len(line) - most))
    if start:
        # scripts without spaces are cut anywhere
        start = line.find(" ", start, at) + 1 or start
    shown = line[start : start + most].strip()
    if start:
        shown = f"… {shown}"
    if start + most < len(line):
        shown = f"{shown} …"
    return shown


def _best_place(folded: str, words: Sequence[str], most: int) -> int:
    """Where in a text the words stand of which the most are near to each other, 0 for none."""
    if not words:
        return 0
    each = re.finditer("|".join(map(re.escape, words)), folded)
    places = [found.start() for found in islice(each, _MOST_PLACES)]
    room = most - most // 4

    def held(at: int) -> int:
        return sum(map(folded[at : at + room].__contains__, words))

    return max(places, key=held, default=0)


def backlink_line(row: LinkRow) -> str:
    """A backlink's line, cut around the link where it is long."""
    text = single_spaced(row.text)
    return shorten_around(
        text, [row.label.casefold()] if row.label else ["[[", "]("], LINE_CHARACTERS
    )


def mention_words(line: MentionLine, names: Iterable[str]) -> str:
    """What a line that names a note says, cut around its name where it is long."""
    words = [name.casefold() for name in names]
    return shorten_around(line.text, words, LINE_CHARACTERS)


def hit_extract(text: str, words: Sequence[str]) -> str:
    """A hit's text as JSON has it: whole, or where it is long the lines with the most different
    words of the query, with `…` where it was cut.
    """
    if len(text) <= JSON_CHARACTERS:
        return text
    lines = text.split("\n")
    spans = [_span(lines, at) for at in range(len(lines))]
    first, end = _most_telling(lines, spans, words)
    kept = "\n".join(shorten_around(line, words, JSON_CHARACTERS) for line in lines[first:end])
    return "… " * bool(first) + kept + (" …" if end < len(lines) else "")


def _span(lines: Sequence[str], first: int) -> tuple[int, int]:
    """The lines from `first` on that JSON_CHARACTERS have room for, at least one: the first and the
    one behind."""
    end = first + 1
    size = len(lines[first])
    while end < len(lines) and size + 1 + len(lines[end]) <= JSON_CHARACTERS:
        size += 1 + len(lines[end])
        end += 1
    return first, end


def explained(hit: Hit) -> str:
    """How the score came about: score = (sum of the weighted legs) × product of the priors, then
    the raw values."""
    terms = hit.explain or {}
    legs = " + ".join(f"{name} {value:.6f}" for name, value in terms.get("legs", {}).items())
    priors = "".join(f" × {name} {value:.6f}" for name, value in terms.get("priors", {}).items())
    raw = ", ".join(f"{name} {value:.6f}" for name, value in terms.get("raw", {}).items())
    return f"score {hit.score:.6f} = ({legs}){priors}  raw: {raw}"


def headed(hit: Hit) -> str:
    """The headings a hit stands below, with the title of a note whose own heading is not it; "" for
    a hit below none."""
    parts = hit.heading
    if parts and hit.title.casefold() != parts[0].casefold():
        parts = (hit.title, *parts)
    return " › ".join(map(name, filter(None, parts)))


def name(text: str) -> str:
    """A heading or title, cut where it is as long as a paragraph."""
    return clipped(text, NAME_CHARACTERS)


def recalled(
    answers: Iterable[Recalled],
    words: Sequence[str],
    *,
    paint: Paint,
    explain: bool,
    asked: Sequence[str] = (),
) -> str:
    """The answers of `recall`: each as a hit, below it what comes with it, and why."""
    parts = []
    for answer in answers:
        told = hits_text([answer.hit], words, paint=paint, explain=explain, asked=asked)
        if explain:
            words_held = one_line(", ".join(answer.holds)) or "no word, but is near"
            told.append(f"  {paint(f'holds: {words_held}', DIM_CODE)}\n")
        told += [f"  {pulled(each, words, paint)}\n" for each in answer.chain]
        parts.append("".join(told))
    return "\n".join(parts)


def pulled(
    each: Pulled,
    words: Sequence[str],
    paint: Paint,
) -> str:
    """A line that comes with an answer: why, what it says, its id, whether it still holds, and
    where it stands."""
    line = each.line
    text = shorten_around(" ".join(escape_controls(line.says).split()), words)
    named = ""
    if line.id and f"^{line.id}" in line.text and not paint.brief:
        named = f" (^{one_line(line.id)})"
    past = f"  {line.status}" * (line.status != "active")
    where = paint.at(line.path, *line.lines)
    return f"{paint(one_line(each.reason) + ':', MARK_CODE)} {text}{named}{past}  {where}"


def hits_markdown(found: Iterable[Hit]) -> list[str]:
    """Search hits as Markdown, a text each: a wikilink and the whole text as a quotation."""
    texts = []
    for hit in found:
        # a hash key is no block
        anchor = f"#^{hit.id}" * bool(hit.id and f"^{hit.id}" in hit.text)
        link = f"[[{one_line(hit.path.removesuffix('.md'))}{anchor}]] {one_line(headed(hit))}"
        head = "  ".join([link.rstrip(), *_newest(hit)])
        text = hit.text
        if len(text) > QUOTED_CHARACTERS:
            text = text[:QUOTED_CHARACTERS] + " …"
        quoted = "\n".join(f"> {line}".rstrip() for line in escape_controls(text).split("\n"))
        texts.append(f"### {head}\n\n{quoted}\n")
    return _apart(texts)


def truncated(count: int) -> str:
    """What did not fit, in the exact words that agents are told to look for."""
    if count:
        return f"...\n[truncated - {count} more memories available]\n"
    return ""


def nothing_found(
    result: SearchResult,
    state: IndexState,
) -> list[str]:
    """Why an answer is empty: what was searched, how fresh it is, what was left out, what to
    try."""
    fresh = "up to date" if state.fresh else "may lack the latest edits"
    searched = "the files themselves (there is no index)"
    if state.generation:
        searched = f"{state.notes:,} {plural('note', state.notes)}; index {fresh}"
    mode = f" (mode {result.mode})" * (result.mode != "hybrid")
    lines = [f"nothing found in {searched}{mode}"]
    if state.failed:
        unread = f"{len(state.failed)} could not be read"
        lines.append(Hint(f"{unread}; `aurelius status` lists them", unread))
    told = [
        f"{count} {why}" for why, count in result.filtered.items() if why not in APART
    ]  # a notice has these
    if told:
        lines.append(f"left out: {', '.join(told)}")
    if state.generation and not state.notes:
        return [
            *lines,
            Hint(
                "the vault has no notes yet: write one, or see in `aurelius doctor` what is left"
                " out",
                "the vault has no notes yet",
            ),
        ]
    if result.hint:
        return [*lines, result.hint]
    return lines


def _headline(
    hit: Hit,
    paint: Paint,
    *,
    held: bool,
) -> str:
    parts = [paint.at(hit.path, *hit.lines)]
    if hit.id and not paint.brief:
        parts.append(paint.id(hit.id))
    if hit.heading:
        parts.append(paint(one_line(headed(hit)), BOLD))
    parts += hit_labels(hit, held=held, brief=paint.brief)
    parts += _newest(hit)
    if hit.also:
        parts.append(_also_in(hit))
    return "  ".join(parts)


def hit_labels(hit: Hit, *, held: bool, brief: bool = False) -> list[str]:
    """What stands beside a hit's place: its date, its status unless it holds, whether it was
    imported, and unless it is `brief` its tier; `held` as for `hits_text`."""
    parts = []
    if hit.date:
        parts.append(hit.date)
    if held and hit.status == "superseded":
        parts.append("held then, superseded since")
    elif hit.status != "active":
        parts.append(hit.status)
    if is_imported(hit.path):
        parts.append("imported")
    if hit.age.tier and not brief:
        parts.append(hit.age.tier)
    return parts


def _newest(hit: Hit) -> list[str]:
    """Where the newer line of its matter stands, and what it is newer about itself."""
    told = []
    if hit.newer:
        told.append(f"newer: {linked_place(hit.newer.path, hit.newer.line)}")
    if hit.newer_of:
        told.append(one_line(hit.newer_of.label))
    return told


def _also_in(hit: Hit) -> str:
    """Where else the same is said."""
    places = [linked_place(path, line) for path, line in hit.also[:_ALSO_SHOWN]]
    more = len(hit.also) - len(places)
    return f"also in: {', '.join(places)}" + f" (+{more} more)" * bool(more)


# -- what fits -------------------------------------------------------------------------


def fit_recall(whole: Recall, words: Sequence[str], fits: Callable[[Recall], bool]) -> Recall:
    """As many lines of the answers as fit, or the first answer with as much of its text; no answer
    where not even its place does."""
    for size in range(whole.size, 0, -1):
        if fits(whole.first(size)):
            return whole.first(size)
    first = whole.first(1)
    if not first.answers:
        return first
    answer = first.answers[0]

    def with_hit(hit: Hit) -> Recall:
        return first._replace(answers=(answer._replace(hit=hit),))

    hit = cut_hit(answer.hit, words, lambda each: fits(with_hit(each)))
    return with_hit(hit) if hit else whole.first(0)


def cut_hit(hit: Hit, words: Sequence[str], fits: Callable[[Hit], bool]) -> Hit | None:
    """A hit with as much of its text as fits; None where not even its place does."""
    text = single_spaced(hit.text)

    def cut(most: int) -> Hit:
        return hit._replace(text=shorten_around(text, words, most) if most else "…")

    if fits(cut(0)):
        sizes = range(1, len(text) + 1)
        return cut(bisect(sizes, False, key=lambda most: not fits(cut(most))))
    return None


def weak_line(result: SearchResult) -> str:
    """What stands above hits that are only near to the question."""
    if result.weak and result.hits and result.hint:
        return f"{one_line(result.hint)}\n\n"
    return ""


def beginnings(result: SearchResult) -> list[str]:
    """The words that were asked for, without endings, which may differ in a text."""
    return [
        word[: max(4, len(word) - 3)]
        for word in clean_query(result.corrected or result.query.text).words
    ]


def index_state(vault: Vault, *, private: bool) -> IndexState:
    """What was searched, as whoever asks may know it."""
    from indexer.catalog.lists import count_found, get_failed

    fresh = vault.report is not None and vault.report.fresh
    index = vault.index()
    failed = get_failed(index.db, private=private)
    return IndexState(*count_found(index.db, private=private), index.generation, fresh, failed)
