"""The lines of notes as agents are given them: verbatim, each cited by its own place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.spelling import single_spaced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from aurelius.answers.days import LineOfDay
    from aurelius.vault import Vault
    from indexer.note import Fact
    from indexer.search.hit import NewerOf
    from indexer.usage.tier import Clock

TEXT_TYPE = "text"
"""The type of a line that is no fact."""
_PROPOSED_REMARK = "not confirmed yet"
"""What is said beside a line that waits for a person's decision."""

LONG_PARAGRAPH = 400
"""Characters of a paragraph beyond which only its first sentences are a line."""


class Line(NamedTuple):
    """A line of a note for an agent: `text` is verbatim, without bullet, tail and id.

    `key` is the fact's `^id` or hash key, `path:first` for other text: what a session remembers as
    shown; `date` an ISO day or ""; `type` that of a fact, "text" for other lines; `id` the `^id`
    without the caret, "" for none; `said` what to say beside it; `newer_of` the line that this is a
    later one of, about the same thing, and `newer` where the later one of it stands that was shown
    before, as `path:line`."""

    key: str
    path: str
    lines: tuple[int, int]
    text: str
    date: str
    type: str
    id: str
    said: str = ""
    newer_of: NewerOf | None = None
    newer: str = ""

    @property
    def place(self) -> tuple[str, int]:
        """Where it begins."""
        return self.path, self.lines[0]

    @property
    def remarks(self) -> str:
        """All that is said beside it: whether it is newer than another one, or another newer."""
        label = self.newer_of.label if self.newer_of else ""
        older = self.newer and f"newer: {self.newer}"
        return "; ".join(filter(None, (label, older, self.said)))


def cite_line(line: Line) -> str:
    """A line with its date, what is said beside it, its id and its place."""
    when = "; ".join(filter(None, (line.date, line.remarks)))
    if line.id:
        name = f" ^{line.id}"
    else:
        name = ""
    return f"{line.text}{f' ({when})' if when else ''}{name} [{line.path}:{line.lines[0]}]"


class NoteFacts(dict[str, dict[str, "Fact"]]):
    """The facts of notes by their keys, as they are by all lines, each note read once; none of a
    private one."""

    def __init__(self, vault: Vault) -> None:
        super().__init__()
        self._db = vault.db

    def __missing__(self, path: str) -> dict[str, Fact]:
        from indexer.catalog.lists import get_facts

        self[path] = {fact.key: fact for _, fact in get_facts(self._db, path, private=False)}
        return self[path]


def is_guess(fact: Fact) -> bool:
    """Whether a fact was inferred and nobody has accepted it: it is a reason for nothing."""
    return fact.status == "proposed" and fact.inferred


def line_of_fact(path: str, fact: Fact, clock: Clock) -> Line | None:
    """A fact as a line, an event where it is a plan whose day has passed; None for what is past,
    for guesses, and for instructions that are only proposed."""
    is_order = fact.status == "proposed" and fact.type == "instruction"
    if fact.status == "superseded" or is_order or is_guess(fact):
        return None
    if fact.status == "proposed":
        said = [_PROPOSED_REMARK]
    else:
        said = []
    if fact.because:
        said += [f"because {fact.because}"]
    else:
        said += []
    type_ = fact.type
    text = single_spaced(fact.text)
    if type_ == "plan":
        from aurelius.ageing.summary_text import (
            planned_for,
        )  # slow to import, and few lines are plans

        if "" < (day := planned_for(fact)) < clock.today.isoformat():
            type_ = "event"
            said = [f"was planned for {day}, now past", *said]
    return Line(
        key=fact.key,
        path=path,
        lines=(fact.first, fact.last),
        text=text,
        date=fact.date or "",
        type=type_,
        id=fact.id,
        said=", ".join(said),
    )


def beginning(text: str, most: int) -> str:
    """A text, of a longer one the first sentences that have `most` letters together."""
    from aurelius.answers.days import leading_sentences

    first = leading_sentences(text, most)
    return first + " …" * (first != text)


def telling_stems(text: str) -> set[str]:
    """The stems of the words of a text that say what it is about."""
    from indexer.reading.path_meaning import name_words
    from indexer.tokens.english import FRAMES, GRAMMAR
    from indexer.tokens.terms import english_stem

    words = {english_stem(word) for word in name_words(text) if word not in GRAMMAR}
    return words.difference(map(english_stem, FRAMES))


def odds(weights: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    """What some evidence comes to, as a logarithm of odds."""
    return weights.get("start", 0.0) + sum(
        weights.get(name, 0.0) * value for name, value in evidence.items()
    )


def may_be_given(path: str) -> bool:
    """Whether lines of a note may come unasked: none that is for programs, a template, imported or
    from a conversation."""
    from indexer.reading.path_meaning import (  # `asks` has no use for it
        apart_of,
        is_background,
        is_imported,
        is_template,
    )

    not_said = apart_of(path) or is_imported(path)
    return not (not_said or is_background(path) or is_template(path))


def every_line(
    vault: Vault, path: str, last: int | None = None
) -> Iterator[tuple[Line, LineOfDay]]:
    """Each line of a note that may be told, with where it stands, down to a last one."""
    facts = by_line(NoteFacts(vault)[path].values())
    for told in statements_at(vault, path, last=last):
        if line := line_at(vault, path, facts, told):
            yield line, told


def statements_at(
    vault: Vault, path: str, first: int = 1, last: int | None = None
) -> Iterator[LineOfDay]:
    """What these lines of a note say; nothing where it is not there any more, or is no longer what
    the index read: it may be private by now, and a hook has no time to read it again."""
    from aurelius.answers.days import note_statements
    from aurelius.writing.safe_folder import read_inside
    from indexer.catalog.lists import get_key
    from indexer.disk.walk import change_key
    from indexer.reading import blocks, comments, front_matter

    try:
        content = read_inside(vault.root, path)
    except OSError:
        return
    if get_key(vault.db, path, private=False) != change_key(content.stat):
        return
    lines = blocks.decode(content.data).lines
    skipped = first - 1
    while 0 < skipped < len(lines) and lines[skipped][:1].isspace():  # from the outermost item on
        skipped -= 1
    if lines and lines[0].startswith("---"):  # its properties, which are slow to read, say nothing
        skipped = max(skipped, (front_matter.closing(lines) or -1) + 1)
    for told in note_statements(comments.without_comments(lines[skipped:last])):
        if told.line + skipped >= first:
            yield told._replace(line=told.line + skipped)


def by_line(facts: Collection[Fact]) -> dict[int, Fact]:
    """The facts by each line that they stand in, the first where several do."""
    found: dict[int, Fact] = {}
    for fact in reversed([*facts]):
        found |= dict.fromkeys(range(fact.first, fact.last + 1), fact)
    return found


def line_at(vault: Vault, path: str, facts: Mapping[int, Fact], told: LineOfDay) -> Line | None:
    """The line there: the fact that begins in it, or text that is none; of a long paragraph its
    first sentences, and nothing that is struck or says nothing."""
    from aurelius.answers.days import leading_sentences
    from indexer.reading.path_meaning import day_of_path
    from indexer.search.text_content import says_something

    fact = facts.get(told.line)
    if fact is not None:
        if fact.first == told.line:
            return line_of_fact(path, fact, vault.clock)
        return None
    text = leading_sentences(told.text, LONG_PARAGRAPH)
    day = day_of_path(path, vault.config.daily) or ""
    if not says_something(text) or (text.startswith("~~") and text.endswith("~~")):
        return None
    return Line(
        key=f"{path}:{told.line}",
        path=path,
        lines=(told.line, told.line),
        text=text,
        date=day,
        type=TEXT_TYPE,
        id="",
    )
