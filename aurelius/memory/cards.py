"""The cards of what a prompt names: a few lines of its page, and the newest lines elsewhere that
name it.

A name counts where it can mean one page alone, as in mentions. Where a prompt is about a program,
a person's name in it is one of a variable or a user; only projects are meant by theirs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.graph import get_called
from indexer.catalog.lists import get_kind
from indexer.catalog.mentions import Subjects, has_subject
from indexer.reading.path_meaning import name_words
from indexer.search.evidence import answers, wanted_in_answer
from indexer.spelling import count_twelfths

from .lines import Line, cite_line, every_line, may_be_given, telling_stems
from .relevance import with_later_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from aurelius.vault import Vault

    from .relevance import Prompt

_MOST_CARDS = 2
_CARD_TOKENS = 80
_MOST_CARD_LINES = 10
"""Cards of a prompt, tokens of each, and the lines of a page that are looked at for one."""
_AGAINST = ("general", "greets", "signs", "reworks")
_SAYS = 0.25
"""What says, and from how much on, that a prompt names nothing of the vault."""


class Card(NamedTuple):
    """A page that a prompt names, and the lines that the prompt is given about it."""

    path: str
    lines: tuple[Line, ...]


def cards(
    vault: Vault,
    asked: Prompt,
    before: Sequence[str],
    seen: Collection[str],
) -> Iterator[Card]:
    """The cards of what a prompt names and none before it in its session did."""
    if any(asked.evidence[name] > _SAYS for name in _AGAINST):
        return
    subjects = Subjects(vault.db, private=False)
    past = {path for each in before for path in subjects.asked(each)}
    every = subjects.asked(asked.text)
    sure = [path for path in _sure(vault, every, asked.text) if path not in past]
    named = [path for path in sure if may_be_given(path) and _is_of_one(vault, path)]
    if asked.evidence["craft"] > _SAYS:
        named = [path for path in named if get_kind(vault.db, path) == "project"]
    for path in named[:_MOST_CARDS]:
        own = _by_worth(vault, path, asked.text)
        lines = with_later_lines(vault, asked.text, own[:_MOST_CARD_LINES], (), seen)
        yield Card(path, _fitting(_with_what_is_newer(lines)))


def _is_of_one(vault: Vault, path: str) -> bool:
    """Whether a note is about one thing."""
    return has_subject(path, get_kind(vault.db, path))


def _sure(vault: Vault, paths: Sequence[str], prompt: str) -> list[str]:
    """Those of some pages but for persons of whom another one has the same first name, by which
    alone the prompt names them."""
    words = set(name_words(prompt))
    spelt: dict[str, list[tuple[str, ...]]] = {}
    if paths:
        for each in get_called(vault.db, private=False, kinds=("person",)):
            spelt[each.path] = list(filter(None, map(name_words, each.names)))
    heads = Counter[str]()
    for names in spelt.values():
        heads.update({name[0] for name in names})

    def is_sure(path: str) -> bool:
        own = spelt.get(path, [])
        whole = any(len(name) > 1 and words.issuperset(name) for name in own)
        return whole or all(heads[name[0]] < 2 for name in own if name[0] in words)

    return list(filter(is_sure, paths))


def _by_worth(vault: Vault, path: str, prompt: str) -> list[Line]:
    """The lines of a page, those first that have most to do with a prompt."""
    stems = telling_stems(prompt)
    wants = wanted_in_answer(prompt)

    def worth(line: Line) -> float:
        return len(stems & telling_stems(line.text)) + max(0.0, answers(wants, line.text))

    own = [line for line, told in every_line(vault, path) if not told.aside]
    return sorted(own, key=lambda line: -worth(line))


def _with_what_is_newer(lines: Iterable[Line]) -> Iterator[tuple[Line, ...]]:
    """Each line with the later ones below it that may have changed it: all are told or none."""
    group: list[Line] = []
    for line in lines:
        if group and not line.newer_of:
            yield tuple(group)
            group = []
        group.append(line)
    if group:
        yield tuple(group)


def _fitting(groups: Iterable[tuple[Line, ...]]) -> tuple[Line, ...]:
    """The groups of lines, in their order, that fit into a card, each line once."""
    room = 12 * _CARD_TOKENS
    found: dict[str, Line] = {}
    for lines in groups:
        new = [line for line in lines if line.key not in found]
        cost = sum(count_twelfths(f"- {cite_line(line)}\n") for line in new)
        if cost <= room:
            room -= cost
            found |= {line.key: line for line in new}
    return tuple(found.values())
