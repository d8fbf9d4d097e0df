"""What a typed question asks: the pages it names, its days, and what it takes from earlier ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.search.asked import days_asked
from indexer.spelling import single_spaced
from indexer.tokens.english import FRAMES, STOP

from .said import SAID_FOLLOW_UP, SAID_QUESTION
from .talk import TalkQuestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.memory.resolve import Mention, Pages
    from aurelius.vault import Vault

    from .said import Said

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_GOES_ON = re.compile(
    r"(?i)^\W*(?:and|also|or|but|then|what about|how about|und|oder|y|et)\b|^\W*(?:since when"
    r"|when|where|why|who|how(?: long| much| many)?|until when|with whom|says who)\W*$"
)
"""How a question begins that goes on with the one before, or is no more than a question word."""
_MEANT = re.compile(
    r"(?i)\b(?:she|he|they|it|her|his|him|hers|them|their|its|there|then|that|those|this|these)\b"
)
"""Words that stand for what was spoken of."""
_PERSON_MEANT = re.compile(r"(?i)\b(?:she|he|her|his|him|hers)\b")
"""Words that stand for a person."""
_LEAD = re.compile(r"(?i)^\W*(?:(?:and|also|or|but|then|what about|how about|und|y|et)\b\W*)+")
_ASKS = re.compile(
    r"(?i)\b(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have"
    r"|had|can|could|will|would|should)\b"
)
"""Words by which a question asks; one without them names what the last one is asked of again."""
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = re.compile(
    r"(?i)\b(?:(?:in|during|on|for|since|of) )?(?:(?:last|this|early|late) )?"
    rf"(?:{_MONTHS})(?: \d{{4}})?\b"
    r"|\b(?:in |during |since )?(?:19|20)\d\d\b|\b(?:last|this) (?:week|month|year)\b|\byesterday\b"
    r"|\btoday\b"
)
"""Days in a question that is asked again of others."""
_MOST_CARRIED_NAMES = 2
_ENOUGH_WORDS = 2
"""Names that are carried, and telling words with which a question stands by itself."""


class _Read(NamedTuple):
    """A question by itself: the names in it, the paths of the pages that they surely mean, and its
    days."""

    mentions: Sequence[Mention]
    names: tuple[str, ...]
    days: tuple[str, str] | None


class QuestionReader:
    """Reads the questions of one conversation; `pages` are the notes by their names."""

    def __init__(self, vault: Vault) -> None:
        from aurelius.memory.resolve import ENTITIES, Pages
        from indexer.catalog.graph import get_names

        self._today = vault.clock.today
        self._pages: Pages = Pages(get_names(vault.db, private=False, kinds=ENTITIES))

    def read(self, text: str, earlier: Sequence[TalkQuestion]) -> TalkQuestion:
        """A question as it is to be asked; of `earlier` ones, the latest first, it takes what it
        leaves out."""
        own = self._alone(text)
        if not earlier or not self._goes_on(text, own):
            return TalkQuestion(text, own.names, own.days)
        if _ASKS.search(_LEAD.sub("", text)):
            asked = self._with_carried(text, own, earlier)
        else:
            asked = self._asked_again(text, own, earlier)
        return asked._replace(said=text)

    def _alone(self, text: str) -> _Read:
        mentions = self._pages.mentions(_capitalised(text), "", self._today)
        names = dict.fromkeys(each.page for each in mentions if each.page)
        days = days_asked(text, self._today.isoformat()).days
        return _Read(mentions, tuple(names), days)

    def _goes_on(self, text: str, own: _Read) -> bool:
        """Whether a question leaves out what it is about."""
        if _GOES_ON.search(text):
            return True
        if _PERSON_MEANT.search(text):
            return all(self._pages.kinds.get(path) != "person" for path in own.names)
        if own.mentions:
            return False
        timeless = _DAYS.sub(" ", text)
        return bool(_MEANT.search(timeless))

    def _asked_again(self, text: str, own: _Read, earlier: Sequence[TalkQuestion]) -> TalkQuestion:
        """The last question, of another name or other days: `and Tom?`, `what about March?`."""
        last = earlier[0]
        rest = _LEAD.sub("", text).strip(" ?!.")
        named = [each for each in self._alone(last.text).mentions if each.page]
        if own.names and named:
            again = last.text[: named[0].first] + rest + last.text[named[0].end :]
            return TalkQuestion(
                again, own.names, own.days or last.days, self._told(again, (), last.days)
            )
        days = own.days or days_asked(f"in {rest}", self._today.isoformat()).days
        if days and not own.names and not _telling(_DAYS.sub(" ", rest)):
            asked = _DAYS.sub(" ", days_asked(last.text, self._today.isoformat()).rest)
            bare = single_spaced(asked).strip(" ?.")
            return TalkQuestion(f"{bare} in {rest}", last.names, days, (f"“{bare}”",))
        return self._with_carried(rest, own, earlier)

    def _with_carried(self, text: str, own: _Read, earlier: Sequence[TalkQuestion]) -> TalkQuestion:
        """A question with the names, and where it has none the days, of the latest question that
        has some."""
        names = next((each.names for each in earlier if each.names), ())[:_MOST_CARRIED_NAMES]
        titles = [self._title(path) for path in names if path not in own.names]
        days = None
        if not own.days and not own.names:
            days = next((each.days for each in earlier if each.days), None)
        said = self._completed(text, titles, earlier[0])
        every = tuple(dict.fromkeys((*own.names, *names)))
        return TalkQuestion(said, every, own.days or days, self._told(said, titles, days))

    def _completed(self, text: str, titles: Sequence[str], last: TalkQuestion) -> str:
        """A question with what it leaves out: all of the last one where it says nothing by itself,
        the names, or without these the words of the last one."""
        own = _telling(text).split()
        if not own:
            return f"{last.text} {_LEAD.sub('', text)}"
        if any(titles):
            return " ".join([text, *filter(None, titles)])
        if len(own) < _ENOUGH_WORDS:
            return f"{text} {_telling(last.text)}"
        return text

    def _told(
        self,
        said: str,
        titles: Sequence[str],
        days: tuple[str, str] | None,
    ) -> tuple[str, ...]:
        """What is carried, in words."""
        told = [title for title in titles if title] or [f"“{said}”"]
        if days:
            told.append(span_in_words(days))
        return tuple(told)

    def _title(self, path: str) -> str:
        called = self._pages.called.get(path)
        return called.title if called else ""


def asks_something(said: Said) -> bool:
    """Whether a line asks by a word or a mark, and is no mere name or value."""
    if said.what not in {SAID_QUESTION, SAID_FOLLOW_UP}:
        return False
    return said.text.endswith("?") or bool(_ASKS.search(said.text))


def span_in_words(days: tuple[str, str]) -> str:
    """A span of days as people read it: one day once."""
    first, last = days
    if first == last:
        return first
    return f"{first} to {last}"


def _capitalised(text: str) -> str:
    """A question with its words as names are spelt: it is typed in small letters."""

    def spell(found: re.Match[str]) -> str:
        word = found[0]
        if word.lower() in STOP | FRAMES:
            return word
        return word[:1].upper() + word[1:]

    return _WORD.sub(spell, text)


def _telling(text: str) -> str:
    """The words of a question that say what it is about."""
    words = [word for word in _WORD.findall(text) if word.lower() not in STOP | FRAMES]
    return " ".join(words)
