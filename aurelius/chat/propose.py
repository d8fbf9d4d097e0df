"""Changes that a person says yes to in a conversation: a new line, or another in the place of the
line that was cited. Nothing is written before the yes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aurelius import api
from aurelius.memory.lines import telling_stems
from indexer.errors import ConflictError, NoteNotFoundError, UsageError
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


_SUBJECT = re.compile(r"(?i)^\W*(?:s?he|it|they|er|sie|es|il|elle|él|ella)(?:'s|’s)?\s+")
"""What stands for the subject of a line that is corrected."""
_MOVED = re.compile(
    r"(?i)\bmoved (?:back )?to (.+?)(?=$|[,.;!]| (?:in|on|last|since|this|from|a|two|yesterday)\b)"
)
"""What says where somebody lives from then on."""
_SHORT_WORDS = 4
"""Words up to which what is said is a value and no sentence."""
_VERB = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|\w{3,}(?:ed|s)|went|left|got|sold|met|quit|hat|ist|est"
    r"|a)\b"
)
_IS = re.compile(r"(?i)^(?:(?:it|that|this)(?:'?s| is)|is|now|its)\s+|\s+(?:now|today|jetzt)$")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+| \d{3}\b)*")
_FIGURES = re.compile(r"\d\S*")
_DATE_WORDS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_DATE = re.compile(
    rf"(?i)\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_DATE_WORDS}|{_DATE_WORDS} \d{{1,2}}"
    r"(?:st|nd|rd|th)?)\b"
)


def corrected_text(
    old: str,
    said: str,
    *,
    of_subject: bool = True,
) -> str:
    """The line that takes the place of one, from what a person said instead: what is only a value
    stands where the old one does, a sentence stands by itself; without the word for its subject
    where the note is `of_subject`."""
    said = said.strip(" .!")
    value = _IS.sub("", _IS.sub("", said)).strip()
    beside = _DATE.sub(" ", value)
    beside = _FIGURES.sub(" ", beside)
    is_value = telling_stems(beside) <= telling_stems(old)
    for form in (_DATE, _NUMBER):
        olds = form.findall(old)
        news = form.findall(said)
        if is_value and len(olds) == 1 == len(news):
            return old.replace(olds[0], news[0])
    if len(value.split()) <= _SHORT_WORDS and not _VERB.search(value):
        head = re.match(r"(?i)^.*\b(?:in|at|on|is|are|was|for|to|with|from|called|:)\s+", old)
        if head:
            return head[0] + value
    moved = _MOVED.search(said)
    if moved and old.lower().startswith("lives in "):
        return f"Lives in {moved[1]}"
    if of_subject:
        said = _SUBJECT.sub("", said)
    return said[:1].upper() + said[1:]


_BOTH = re.compile(r"(?i)\W*(?:keep |they )?both(?: hold| are true| stay)?\W*")


def says_both(text: str) -> bool:
    """Whether a line says that the old line and the new one both hold."""
    return bool(_BOTH.fullmatch(text))


def in_other_words(proposal: OfferedChange, text: str, today: str) -> OfferedChange:
    """A proposal in other words, with the day that they name."""
    fields = {**proposal.fields, "text": text}
    if "date" in fields:
        fields["date"] = day_of_change(text, today) or fields["date"]
    return proposal._replace(fields=fields)


def day_of_change(said: str, today: str) -> str:
    """The ISO day since when what a person said is true, as they say it, of a month its first; ""
    where they do not, name a day that is to come, or a week, of which no day is named."""
    days = days_asked(said, today).days
    if days is None or days[0] > today:
        return ""
    is_one_day = days[0] == days[1]
    if is_one_day or days[0].endswith("-01"):
        return days[0]
    return ""


def carry_out_proposal(vault: Vault, proposal: OfferedChange, **manner: Any) -> Written:
    """Make the change of a proposal, or with `dry_run` only see it. Raises what the API does;
    UsageError for an action that no proposal has."""
    call = _CALLS.get(proposal.action)
    if call is None:
        raise UsageError(f"there is no proposal to {proposal.action}", "ask again")
    try:
        return call(vault, proposal.fields, manner)
    except NoteNotFoundError:
        what = "the line that this is about was changed or moved meanwhile"
        raise ConflictError(what, "ask again, and correct what is shown then") from None


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
