"""A search as it is understood: its words, its days, how it is ranked."""

from __future__ import annotations

import re
from functools import cached_property
from posixpath import basename
from typing import TYPE_CHECKING

from indexer.reading.path_meaning import is_background

from .query import (
    AskedFor,
    Terms,
    WordMatch,
    clean_query,
    may_ask_about,
    may_ask_for_tasks,
    may_name_a_day,
    word_match,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from .query import SearchQuery

_PAST = r"(?i)\b(?:did|was|were|had|happened)\b"
"""What asks for something that happened, which no later line changes."""


def is_default(
    query: SearchQuery,
    mode: str,
) -> bool:
    """Whether a query is ranked in the default way, in which names, days and speakers count."""
    return mode == "hybrid" and query.fusion == "default"


def read_question(
    query: SearchQuery,
    mode: str,
    today: date,
) -> AskedFor:
    """What a query asks for besides its words: days and tasks; nothing where it is not ranked in
    the default way."""
    text = query.text
    is_worth_reading = query.days or may_name_a_day(text) or may_ask_for_tasks(text)
    if is_default(query, mode) and is_worth_reading:
        from .asked import days_asked

        return days_asked(text, today.isoformat(), query.days)
    return AskedFor(None, text)


class Question:
    """A search as it is understood: from it each leg finds candidates.

    `mode` is the one really used, `asked` what it asks for besides its words, and `listed` says how
    much each line of its days counts where it asks for nothing but what was then: then these lines
    are the candidates.

    Words and meaning are looked for in `text`, without the words of its days. Who or what it names
    (`by_names`, `speaker`, `subject`, `newer_about`), and how it asks, is read from `query.text`,
    as it was typed.
    """

    def __init__(
        self,
        query: SearchQuery,
        mode: str,
        asked: AskedFor,
        listed: Mapping[int, float],
    ) -> None:
        self.query = query
        self.mode = mode
        self.asked = asked
        self.listed = listed

    @cached_property
    def is_default(self) -> bool:
        """Whether it is ranked in the default way."""
        return is_default(self.query, self.mode)

    @property
    def may_have_changed(self) -> bool:
        """Whether a later line may have changed what it asks: not what happened once, nor where a
        single word is looked for."""
        return len(self.words) > 1 and not re.search(_PAST, self.query.text)

    @property
    def moves(self) -> bool:
        """Whether hits may be put in another order than by their scores alone."""
        return self.is_default and not self.listed

    def puts_behind(self, path: str) -> bool:
        """Whether a note stands behind all others: it is for programs, and the question does not
        name it."""
        return is_background(path) and basename(path).lower() not in self.query.text.lower()

    @property
    def days(self) -> tuple[str, str] | None:
        """The first and the last day that it is about."""
        return self.asked.days

    @property
    def may_name_notes(self) -> bool:
        """Whether notes that it names count."""
        return self.is_default and not (self.listed and self.words)

    @property
    def may_be_about(self) -> bool:
        """Whether it may be about a page as a whole."""
        plain = self.is_default and not self.days and not self.terms.excluded
        return plain and may_ask_about(self.query.text)

    @cached_property
    def typed(self) -> Terms:
        """All of its words, those of its days too."""
        return clean_query(self.query.text, stop=self.mode != "keyword")

    @cached_property
    def text(self) -> str:
        """What is searched for: the question without its days, its verb alone where these are
        listed."""
        if self.listed:
            return self.asked.verb
        if self.asked.all_of_it:
            return self.query.text
        return self.asked.rest

    @cached_property
    def terms(self) -> Terms:
        """The words and phrases that are searched for."""
        if self.text == self.query.text:
            return self.typed
        return clean_query(self.text)

    @property
    def words(self) -> tuple[str, ...]:
        """The words alone."""
        return self.terms.words

    @cached_property
    def match(self) -> WordMatch:
        """Words and phrases for FTS5, with what else may be written of a day."""
        terms = self.terms
        if terms.words:
            terms = terms._replace(phrases=(*terms.phrases, *self.asked.written))
        return word_match(terms)

    @property
    def missed(self) -> tuple[str, str] | None:
        """The days of which no line was found, where nothing else is asked for."""
        if self.asked.all_of_it and not self.listed:
            return self.asked.days
        return None

    @property
    def day_range(self) -> str:
        """The days as `aurelius days` takes them, where it shows more of what is asked; else ""."""
        if self.asked.days and (self.listed or self.asked.one):
            return "..".join(dict.fromkeys(self.asked.days))
        return ""
