"""Changes that a person says yes to in a conversation: a new line, or another in the place of the
line that was cited. Nothing is written before the yes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aurelius import api
from indexer.errors import UsageError
from indexer.search.asked import days_asked

from .talk import OfferedChange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurelius.plans.plan import Written
    from aurelius.vault import Vault

OFFER_ADD = "add"
OFFER_NOTE = "note"
OFFER_SUPERSEDE = "supersede"
"""What a yes does: each is a function of the API."""


def keep_line(text: str, page: str = "") -> OfferedChange:
    """A new line: a fact of the note `page`, or where that is "" a line of today's note."""
    if page:
        return OfferedChange(OFFER_ADD, {"note": page, "text": text})
    return OfferedChange(OFFER_NOTE, {"text": text})


def correct_line(path: str, key: str, text: str, day: str = "") -> OfferedChange:
    """Another line in the place of the fact `key` of a note, true since an ISO day, else today."""
    return OfferedChange(OFFER_SUPERSEDE, {"fact": f"{path}#^{key}", "text": text, "date": day})


_SUBJECT = re.compile(
    r"(?i)^\W*(?:(?:s?he|it|they|er|sie|es|il|elle|él|ella)(?:'s|’s)?|(?:her|his|its|their|the)"
    r" \w+ (?=is\b|was\b))\s+"
)
"""What stands for the subject of a line that is corrected."""
_SHORT_WORDS = 4
"""Words up to which what is said is a value and no sentence."""
_VERB = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|\w{3,}(?:ed|s)|went|left|got|sold|met|quit|hat|ist|est"
    r"|a)\b"
)
_IS = re.compile(r"(?i)^(?:(?:it|that|this)(?:'?s| is)|is|now|its)\s+|\s+(?:now|today|jetzt)$")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DATE_WORDS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_DATE = re.compile(
    rf"(?i)\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_DATE_WORDS}|{_DATE_WORDS} \d{{1,2}}"
    r"(?:st|nd|rd|th)?)\b"
)


def corrected_text(old: str, said: str) -> str:
    """The line that takes the place of one, from what a person said instead: what is only a value
    stands where the old one does, a sentence stands by itself without the word for its subject."""
    said = said.strip(" .!")
    value = _IS.sub("", _IS.sub("", said)).strip()
    for form in (_DATE, _NUMBER):
        olds = form.findall(old)
        news = form.findall(said)
        if len(olds) == 1 == len(news) and len(value.split()) <= 2 * _SHORT_WORDS:
            return old.replace(olds[0], news[0])
    if len(value.split()) <= _SHORT_WORDS and not _VERB.search(value):
        head = re.match(r"(?i)^.*\b(?:in|at|on|is|are|was|for|to|with|from|called|:)\s+", old)
        if head:
            return head[0] + value
    rest = _SUBJECT.sub("", said)
    return rest[:1].upper() + rest[1:]


def day_of_change(said: str, today: str) -> str:
    """The ISO day since when what a person said is true, as they say it; "" where they do not, or
    name a day that is not over."""
    days = days_asked(said, today).days
    if days is None or days[0] > today:
        return ""
    return days[0]


def carry_out_proposal(vault: Vault, proposal: OfferedChange, **manner: Any) -> Written:
    """Make the change of a proposal, or with `dry_run` only see it. Raises what the API does;
    UsageError for an action that no proposal has."""
    call = _CALLS.get(proposal.action)
    if call is None:
        raise UsageError(f"there is no proposal to {proposal.action}", "ask again")
    return call(vault, proposal.fields, manner)


def _add(vault: Vault, fields: Mapping[str, str], manner: dict[str, Any]) -> Written:
    return api.add(vault, fields["note"], fields["text"], **manner)


def _note(vault: Vault, fields: Mapping[str, str], manner: dict[str, Any]) -> Written:
    return api.note(vault, fields["text"], **manner)


def _supersede(vault: Vault, fields: Mapping[str, str], manner: dict[str, Any]) -> Written:
    day = fields.get("date", "")
    return api.supersede(vault, fields["fact"], fields["text"], date=day, **manner)


_CALLS: Mapping[str, Callable[[Vault, Mapping[str, str], dict[str, Any]], Written]] = {
    OFFER_ADD: _add,
    OFFER_NOTE: _note,
    OFFER_SUPERSEDE: _supersede,
}
