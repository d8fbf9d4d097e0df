"""The text of a fact line, in the form that a person would have typed.

Values in, text out; the grammar that reads it is indexer/reading/fact_line.py, and a line made here
is read again before it is given, so that it says what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

from indexer.errors import Hint, UsageError
from indexer.note import Fact
from indexer.reading.fact_line import (
    FactLine,
    Tail,
    page_of_link,
    parse_fact,
    split_item,
    tail_items,
)
from indexer.reading.type_words import Meaning, type_meaning, word_of
from indexer.spelling import single_spaced

_BULLET = re.compile(r"[-*+•](?: |$)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_MARK = re.compile(
    r"#{1,6}(?=\s|$)|>|[-*+](?=\s|$)|\d{1,9}(?=[.)](?:\s|$))|\[(?=[^\]\n]\](?:\s|$))|~~~"
    r"|<(?=!--|\?|![A-Za-z]|/?[A-Za-z][\w-]*(?:[\s/>]|$))"
)
_STRUCK_LIMIT = 4000


_ID_LETTERS = 6
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def hashed_letters(*words: str) -> str:
    """Six letters and digits that follow from these words, the same on every device."""
    text = "\0".join(words).encode("utf-8", "surrogatepass")
    number = int.from_bytes(sha256(text).digest()[:8])
    found = ""
    for _ in range(_ID_LETTERS):
        number, letter = divmod(number, len(_LETTERS))
        found += _LETTERS[letter]
    return found


def id_of_words(*words: str) -> str:
    """An id that follows from these words: it holds a letter and a digit."""
    found = hashed_letters(*words)
    if found.isalpha():
        return found[:-1] + "7"
    if found.isdigit():
        return "k" + found[1:]
    return found


class TailParts(NamedTuple):
    """What a tail says besides its date; ids come without carets, `source` as `[[path]]` or in
    words.

    `type` is any type word, `part_of` the target of a link, `unknown` what no tail knows and stays
    all the same.
    """

    type: str = ""
    pinned: bool = False
    importance: float | None = None
    scope: float | None = None
    inferred: bool = False
    source: str = ""
    updates: str = ""
    contradicts: str = ""
    because: str = ""
    superseded_by: str = ""
    part_of: str = ""
    unknown: tuple[str, ...] = ()


class Wording(NamedTuple):
    """The text of a list item in its parts, as written: `span` is the date or dates of its tail,
    `items` its rest."""

    text: str
    span: str = ""
    items: tuple[str, ...] = ()
    id: str = ""
    struck: bool = False


def item_parts(text: str) -> Wording:
    """The parts of a list item's text. A tail that belongs to the text, for words that mean
    nothing, is in both."""
    raw = split_item(text)
    if raw.inner:
        span, *items = tail_items(raw.inner)
        return Wording(raw.text, span, tuple(items), raw.id, raw.struck)
    told = TailParts(**{name: getattr(raw.tail, name) for name in TailParts._fields})
    return Wording(
        raw.text,
        span_of(raw.tail.date, raw.tail.until),
        items_of_tail(told._replace(type=word_of(_saying(raw.tail)), source=source_of(raw.tail))),
        raw.id,
        raw.struck,
    )


def item_text(parts: Wording) -> str:
    """The text of a list item from its parts; struck where `~~` can stand around it."""
    text = parts.text
    if parts.struck and "~" not in text and len(text) <= _STRUCK_LIMIT:
        text = f"~~{text}~~"
    tail = _prefixed("(", parts.span and ", ".join((parts.span, *parts.items)), ")")
    return " ".join(filter(None, (text, tail, _prefixed("^", parts.id))))


def compose_fact_line(
    text: str,
    *,
    date: str | None = None,
    id: str = "",
    told: TailParts = TailParts(),  # noqa: B008  it cannot be changed
) -> str:
    """The line that states a fact, bullet and all: `- Likes tea (2026-02-01, preference) ^k3v9qa`.

    A tail or an id that `text` brings along stays and is added to; without any date it has no tail.
    UsageError where text and wishes disagree, or where the line would say something else.
    """
    words = plain_fact_words(text)
    said = parse_fact(words)
    _agree("date", said.tail.date, date)
    _agree("id", said.id, id)
    parts = item_parts(words)
    inside = (
        said.tail.date is not None and not split_item(words).inner
    )  # the date stands amid the words
    items = items_of_tail(told)
    if inside and not items:
        parts = parts._replace(span="", items=())
    elif not inside:
        parts = parts._replace(span=parts.span or date or "")
    if items and not parts.span:
        raise UsageError(
            "what follows the date, such as a type or a source, needs a date",
            "add one, like 2026-02-01",
        )
    items = tuple(each for each in items if each not in parts.items)
    made = parts._replace(
        text=escaped(parts.text),
        items=(*parts.items, *items),
        id=id or said.id,
    )
    line = item_text(made)
    _check(parse_fact(line), said, told, made.id)
    return "- " + line


def _agree(what: str, one: str | None, other: str | None) -> None:
    if one and other and one != other:
        raise UsageError(
            f"the {what} is given twice: {one} in the text, and {other}", f"give the {what} once"
        )


def _check(
    now: FactLine,
    said: FactLine,
    told: TailParts,
    id: str,
) -> None:
    """UsageError where a line does not say what it was made of."""
    if now.text != said.text or now.id != id or (now.tail.rest and not said.tail.rest):
        raise UsageError("the text would be read back differently as a line of a list", "reword it")
    if told.type and type_meaning(told.type) is None:
        examples = "fact, preference, decision, instruction, event, plan, relationship"
        raise UsageError(f"there is no type of facts {told.type!r}", f"for example {examples}")
    for name in TailParts._fields:
        wish = getattr(told, name)
        if wish and not _is_said(now.tail, name, wish):
            shown = name.replace("_", " ")
            raise UsageError(
                f"{shown} {str(wish)!r} would be read back as {getattr(now.tail, name)!r}",
                "remove commas and brackets from it",
            )
    if now.tail.unknown != (*said.tail.unknown, *told.unknown):
        raise UsageError("the text would be read back differently as a line of a list", "reword it")


def _is_said(tail: Tail, name: str, wish: object) -> bool:
    """Whether a tail says what was wished for one of its parts."""
    if name == "type":
        return _saying(tail) == type_meaning(str(wish))
    if name == "source":
        wish = page_of_link(str(wish))
    return bool(getattr(tail, name) == wish)


def plain_fact_words(text: str) -> str:
    """The words of a fact on one line, without a bullet. UsageError for none, or for what no line
    can hold."""
    if _CONTROL.search(text):
        raise UsageError("the text has control characters in it", "remove them")
    words = single_spaced(text)
    bullet = _BULLET.match(words)
    if bullet:
        words = words[bullet.end() :]
    if not parse_fact(words).text:
        raise UsageError(
            "the text of the fact is missing", 'give it in quotes, like "Plays the cello"'
        )
    return words


def escaped(text: str) -> str:
    """The text with a backslash before what would make its beginning a heading, quote, list, box,
    fence or HTML."""
    found = _MARK.match(text)
    if not found or "`" in text:
        return text
    at = found.end() if found[0].isdigit() else 0
    return f"{text[:at]}\\{text[at:]}"


def reworded(old: str, text: str) -> str:
    """The text of a list item in other words: `[type]`, strike, dates and whatever its tail says,
    and id stay.

    UsageError where the new words bring a tail or an id of their own.
    """
    new = split_item(plain_fact_words(text))
    if new.inner or new.id or new.struck:
        what = _prefixed("^", new.id) or _prefixed("(", new.inner, ")") or "~~"
        raise UsageError(
            f"an update changes only the words, so {what} cannot be in the new text",
            Hint("leave it out, or use `aurelius supersede`", "leave it out, or use `supersede`"),
        )
    parts = item_parts(old)
    made = escaped(new.text)
    if parse_fact(old).category:
        made = f"{parts.text[: parts.text.index(']') + 1]} {new.text}"
    return item_text(parts._replace(text=made))


def pinned_words(old: str, date: str, *, pinned: bool) -> str:
    """The text of a list item as that of a fact that is pinned, or no longer; one without a date
    gets `date`, behind which alone that can stand."""
    if pinned:
        day = None if parse_fact(old).tail.date else date
        return compose_fact_line(old, date=day, told=TailParts(pinned=True)).removeprefix("- ")
    parts = item_parts(old)
    return item_text(
        parts._replace(items=tuple(each for each in parts.items if each.casefold() != "pinned"))
    )


def struck(
    old: str,
    *,
    date: str | None,
    today: str,
    by: str,
    type: str = "",
    id: str = "",
) -> str:
    """The text of a list item as what was so until `today`: struck, with its days and the id of
    what replaced it.

    `date` is since when it was so; `type` is named where the tail does not; `id` is given where it
    has none; `by` may be "".
    """
    parts = item_parts(old)
    said = split_item(old)
    items: list[str] = []
    if said.inner:
        # what replaced the fact is said anew
        refers = re.compile(r"(?i)(superseded|replaced) by\b")
        items += [each for each in parts.items if not refers.match(each)]
    if not said.tail.type:
        items.append(type)
    items.append(_prefixed("superseded by ^", by))
    return item_text(
        parts._replace(
            span=span_of(date, today),
            items=tuple(filter(None, items)),
            id=parts.id or id,
            struck=True,
        )
    )


def span_of(date: str | None, until: str | None) -> str:
    """The days of a tail: `2026-02-01`, `2025-03-01 → 2026-02-01`, `→ 2026-02-01`, "" for none."""
    return " → ".join((date or "", until)).lstrip() if until else date or ""


def type_typed(text: str) -> str:
    """The type word of a list item, of its tail or its `[category]`, as it is written; "" for
    none."""
    said = [item for item in item_parts(text).items if type_meaning(item)]
    if not said and parse_fact(text).category:
        said = [split_item(text).text[1:].partition("]")[0]]
    return "".join(said[-1:])


def _saying(said: Tail) -> Meaning:
    return Meaning(said.type, said.subtype, said.milestone)


def source_of(said: Tail | Fact) -> str:
    """Where a fact is from, as it is written: `[[path]]`, `[[path|label]]`, or in words."""
    return said.linked or said.source


def items_of_tail(told: TailParts) -> tuple[str, ...]:
    """The items of a tail, in the order in which they are written."""
    found = (
        told.type,
        "pinned" * told.pinned,
        _number("importance", told.importance),
        _number("scope", told.scope),
        "inferred" * told.inferred,
        _prefixed("from ", told.source),
        _prefixed("updates ^", told.updates),
        _prefixed("contradicts ^", told.contradicts),
        _prefixed("part of [[", told.part_of, "]]"),
        *told.unknown,
        _prefixed("because ", told.because),
        _prefixed("superseded by ^", told.superseded_by),
    )
    return tuple(filter(None, found))


def _prefixed(word: str, value: str, end: str = "") -> str:
    """A value behind the word that says what it is, "" for none."""
    if value:
        return word + value + end
    return ""


def _number(word: str, value: float | None) -> str:
    return "" if value is None else f"{word} {value:g}"


def without_leading_name(sentence: str, end: int) -> str:
    """A sentence without the name that it begins with, up to `end`, where what remains reads
    well."""
    rest = sentence[end:]
    bare = re.match(r"(?:'s|’s|'|’)?\s*[:,–-]?\s+(?=\S)", rest)
    if bare is None:
        return sentence
    return begun(rest[bare.end() :])


def with_name(text: str, name: str) -> str:
    """A text that begins with `he`, `she`, `his` or `her`, with the name of whom that means in its
    place."""
    found = re.match(r"(?i)(?:(?P<of>his|her)|(?:he|she)(?P<is>s|['’]\w+)?)\b(?=\s)", text)
    if not name or not found:
        return text
    end = found["is"] or ""
    if found["of"] or end == "s":
        end = "’s"
    return name + end + text[found.end() :]


def begun(text: str) -> str:
    """A text with a capital letter at its beginning."""
    text = text.strip()
    first = text.split(" ", 1)[0]
    if first.islower():
        return text[:1].upper() + text[1:]
    return text


def past(
    before: Iterable[Fact], after: Iterable[Fact], aliases: Mapping[str, str]
) -> dict[str, str]:
    """What active facts of a note said before a change and none says after it, each with what took
    its place, "" for nothing; `aliases` are the names that the change gives to facts.
    """
    now = {fact.key: fact for fact in after}
    holding = {fact.text for fact in now.values() if fact.status == "active"}
    found = {}
    for fact in before:
        if fact.status == "active" and fact.text not in holding:
            new = now.get(aliases.get(fact.key, fact.key))
            if new and new.status == "superseded":
                new = now.get(new.superseded_by)
            found[fact.text] = ""
            if new and new.status == "active":
                found[fact.text] = new.text
    return found
