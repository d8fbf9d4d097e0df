"""What a person typed → SearchQuery: words, phrases, exclusions, filters.

Six rules: web addresses dropped, hyphens to spaces, other specials dropped, one-character
words dropped, every word quoted, joined by OR.  Around them, so that no literal text is lost:
scripts without spaces go through the gram column, symbol words (C++), e-mail addresses,
versions, ids and paths stay whole as phrases, and a query that would clean away to nothing keeps
what it has.

Nothing a person types is an FTS5 syntax error, and the time taken is linear in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from indexer.catalog.filters import Filters, Linked
from indexer.errors import UsageError
from indexer.record import NamedTuple
from indexer.spelling import nfc, single_spaced
from indexer.tokens.english import STOP
from indexer.tokens.terms import (
    arabic_root,
    bigrams,
    composed,
    emoji,
    is_toned,
    plain_spelling,
    runs,
    spaced,
    symbol_forms,
    symbol_spans,
    toned,
    unicode_words,
)

SEARCH_POOL = 100
"""Candidates of each list."""

MOST_QUERY_WORDS = 32
"""Words of a query that are searched."""

GRAMS = 96
"""Bigrams of a query that are searched."""

STEM = 5
"""Letters of a word that are searched as its beginning, in languages the Porter stemmer does not
know."""

MOST_QUERY_LETTERS = 4000
"""Characters of a query that are read."""

_ENGLISH = "the what which who how when where why does did is of and with from that this"
_FOREIGN = (
    "der die das den dem des und wie ist wann wer wo welche welcher welches wurde war von zu el la"
    " los las un una de del que en cual quien como cuando donde fue le les est qui dans pour il che"
    " di per con o os da do para ne nedir kim hangi bir ve kac cine care ce din sunt este"
)


class Terms(NamedTuple):
    """A cleaned query: `words` as typed but composed and in lower case, distinct, at most
    `MOST_QUERY_WORDS`.

    Phrases are given as typed; their words are among `words` unless the query is nothing but
    phrases. A word may be a compound (`joe@x.com`, `3.11.7`, `snake_case`, `abc-1234`), a symbol
    word (`c++`, `.net`), emoji, or a run of a script without spaces. `notes` tell the person what
    was left out. `stems` are beginnings of words to look for as well.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()


EARLIEST_DAY = "0001-01-01"
LAST_DAY = "9999-12-31"
"""Of a span without a beginning or an end."""


class SearchQuery(NamedTuple):
    """A search as asked: `mode` hybrid, keyword or vector; `fusion` default, rrf or weighted."""

    text: str
    mode: str = "hybrid"
    fusion: str = "default"
    filters: Filters = Filters()
    limit: int = 10
    explain: bool = False

    @property
    def days(self) -> tuple[str, str] | None:
        """The first and the last day that its filters leave, None where they leave all."""
        since = self.filters.since
        until = self.filters.until
        if since or until:
            return (since or EARLIEST_DAY, until or LAST_DAY)
        return None


# -- filters ---------------------------------------------------------------------------

UNASKED_FILTERS: Mapping[str, Any] = {
    "kind": (),
    "type": (),
    "tag": (),
    "folder": "",
    "where": (),
    "since": None,
    "until": None,
    "on": None,
    "status": "active",
    "as_of": None,
    "private": False,
    "tier": (),
    "archived": "",
    "linked_by": (),
    "link_to": (),
    "related": (),
    "orphan": False,
    "recursive": False,
    "max_distance": None,
}
"""The filters that a person can type, as they are where nobody asks for them."""


def read_filters(typed: Mapping[str, Any], today: str) -> Filters:
    """The filters that a person typed, by the names of the options of `search`; other names are
    left alone.  UsageError for a condition or a day that cannot be read."""
    from indexer.catalog.filters import parse_condition

    asked = {name: typed.get(name, unasked) for name, unasked in UNASKED_FILTERS.items()}
    since, until = read_span(asked, today)
    as_of = asked["as_of"] or None
    return Filters(
        kinds=asked["kind"],
        types=_types(asked["type"]),
        tags=asked["tag"],
        folder=asked["folder"] or "",
        where=tuple(map(parse_condition, asked["where"])),
        since=since,
        until=until,
        status=asked["status"],
        as_of=as_of and read_days_named("--as-of", as_of, today)[1],
        private=asked["private"],
        tiers=asked["tier"],
        archived=asked["archived"] or "",
        links=_links(asked),
    )


def _links(asked: Mapping[str, Any]) -> Linked:
    walks = bool(asked["linked_by"] or asked["link_to"])
    most = asked["max_distance"]
    endless = asked["recursive"]
    if (endless or most) and not walks:
        flag = "--recursive"
        more = ""
        if not endless:
            flag = "--max-distance"
            more = f" {most}"
        raise UsageError(
            f"{flag} needs --linked-by or --link-to", f"for example --linked-by joe {flag}{more}"
        )
    return Linked(
        asked["linked_by"],
        asked["link_to"],
        asked["related"],
        asked["orphan"],
        most or (0 if endless else 1),
    )


def _types(words: tuple[str, ...]) -> tuple[str, ...]:
    """Type words as filters have them."""
    if not words:
        return ()
    from indexer.reading.type_words import filter_name

    return tuple(dict.fromkeys(map(filter_name, words)))


def read_span(typed: Mapping[str, Any], today: str) -> tuple[str | None, str | None]:
    """The first and the last day that `on`, `since` and `until` name.  UsageError."""
    since = typed["since"] or None
    until = typed["until"] or None
    if typed["on"]:
        if since or until:
            raise UsageError(
                "--on cannot go with --since or --until", "use either --on, or --since and --until"
            )
        return read_days_named("--on", typed["on"], today)
    if since:
        since = read_days_named("--since", since, today)[0]
    if until:
        until = read_days_named("--until", until, today)[1]
    if since and until and since > until:
        raise UsageError(f"--since {since} is later than --until {until}", "swap them")
    return since, until


def read_days_named(flag: str, text: str, today: str) -> tuple[str, str]:
    """The first and the last day of words like 'last week'; UsageError that names the option
    `flag`."""
    from .dates import dates

    try:
        return dates(text, today)
    except UsageError as error:
        raise UsageError(f"{flag}: {error.message}", error.hint) from None


# -- words -----------------------------------------------------------------------------

_DAY_LIKE = (
    r"(?i)\d{4}|\d(?:st|nd|rd|th)\b|day\b|\b(?:last|past|previous) \S+ days\b|\bago\b"
    r"|\b(?:week|weekend|month|quarter|year)s?\b|night\b|\bthis \w+ing\b"
    r"|tom+or+ow|christmas|halloween|\b(?:jan|feb)\w*ary\b|\b(?:sep|oct|nov|dec)\w*ber\b|'s eve\b"
    r"|\b(?:jan|feb|mar|march|apr|april|may|june?|july?|aug|august|sept?|oct|nov|dec"
    r"|mon|tues?|wed|thu|thurs?|fri|sat|sun|wednesda?y)\b"
)


def may_name_a_day(text: str) -> bool:
    """Whether a question has a word that days are named with, so that it is worth reading for
    them."""
    return re.search(_DAY_LIKE, text[:1000]) is not None


def may_ask_for_tasks(text: str) -> bool:
    """Whether a question has a word that tasks and plans are asked for with."""
    found = (
        r"(?i)due\b|\bto[ -]?dos?\b|\btasks?\b|\bdeadlines?\b|\bplanned\b|\bscheduled\b"
        r"|\bstill\s+open\b"
    )
    return re.search(found + r"|\bcoming up\b|\bdone\b|\baction item", text[:1000]) is not None


class AskedTasks(NamedTuple):
    """The tasks that a question asks for: those that are due from a day to another ("" for those of
    no day too), and hold some words.

    `plans`: plans of these days as well.
    """

    first: str = ""
    last: str = ""
    about: tuple[str, ...] = ()
    plans: bool = False


_ABOUT = (
    r"(?i)(?:please )?(?:(?:do|did) (?:you|i|we) know |(?:can|could) you )?(?:please )?(?:"
    r"who(?:'s|’s| is| was| are| were)|what(?:'s|’s| is| was| are| were)"
    r"|(?:tell|remind) me (?:more |all |everything )?about"
    r"|(?:what|who) (?:do|did) (?:you|i|we) (?:all |already )?know about"
    r"|(?:what|anything|everything) (?:(?:you|i|we) know )?about) (?P<name>.+)"
    r"|(?:(?:do|did) (?:you|i|we) know )?(?:who|what) (?P<last>.+) (?:is|was|are|were)"
)


class AskedName(NamedTuple):
    """What a question asks about, and whether it is nothing but that name."""

    name: str
    bare: bool


def asked_name(text: str) -> AskedName:
    """The name in a question for who or what it is, else the question itself, which may be one."""
    said = single_spaced(text[:200]).strip().rstrip("?!. ")
    low = said.lower()
    has_word = "who" in low or "what" in low or "about" in low
    found = re.fullmatch(_ABOUT, said) if has_word else None
    if found:
        return AskedName((found["name"] or found["last"]).strip("\"'“” "), bare=False)
    return AskedName(said, bare=True)


_MOST_BARE = 3
"""Words of a question that may be nothing but the name of a page."""


def may_ask_about(text: str) -> bool:
    """Whether a question may be about a page as a whole, so that it is worth looking for one."""
    asked = asked_name(text)
    return not asked.bare or len(asked.name.split()) <= _MOST_BARE


class AskedFor(NamedTuple):
    """What a question asks for besides its words: the first and the last of its days, `rest`, the
    text without the words that name them, and those that are a date as notes write it.

    `all_of_it`: it asks for nothing but what was then; `one`: for what a person did then, of which
    it says no more than the verb; `verb` is that, where the days are few; `tasks` are those that it
    asks for.
    """

    days: tuple[str, str] | None
    rest: str
    written: tuple[str, ...] = ()
    all_of_it: bool = False
    one: bool = False
    verb: str = ""
    tasks: AskedTasks | None = None


_OPEN = (
    "happen happened happening happens talk talked talking discuss discussed say said speak spoke"
    " note noted notes write wrote written record recorded journal diary log entry entries daily"
    " new anything everything something nothing thing things stuff going went show tell give"
    " summarize summarise summary recap overview day days please morning afternoon evening night"
    " done accomplish accomplished achieve achieved"
)
_OF_ANYTHING = frozenset(_OPEN.split())
"""Words beside the stop words that ask for whatever there is: `what happened`, `anything new`."""
_SPENT = (
    r"(?i)\bg[eo]t(?:ting)? done\b|\bhow (?:did|do|have|had) (?:i|we) spen[dt]\b(?: (?:the|my"
    r"|our) time\b)?"
    r"|^what\b.*\b(?:i|we|been|was|were) work(?:ed|ing)?(?: on)?(?=\W*$)|\bbeen busy with\b(?=\W*$)"
)
"""What asks for whatever was done: `what did I get done`, `what did we work on`."""


def asks_for_all(text: str) -> bool:
    """Whether a question says nothing of what it looks for, so that only the days that it is about
    tell."""
    terms = clean_query(text)
    if terms.phrases or terms.excluded:
        return False
    text = re.sub(_SPENT, " ", single_spaced(text))
    return all(word.lower() in _OF_ANYTHING for word in _content(list(_words(text)), stop=True))


_VERB_ALONE = (
    r"(?i)\W*(?:(?:please )?(?:show|tell|list|give)(?: me| us)? )?(?:(?:what(?:ever)?|whom?|where"
    r"|anything|everything"
    r"|all|things)(?: all| else| things)?(?: that)?(?: did| have| had| was| were)? (?:i"
    r"|we)(?: have| had|'ve)?"
    r"(?: been)?(?: also| just)?|(?:did|have|had) (?:i|we)|what(?: else| all)? (?:was|were|got"
    r"|ha[sv]e? been)"
    r"(?= \S+(?:ed|en)\b)) (\w+)(?: (?:about|of|on|in|to|up|down|out|for|with|from|at|off|over|by"
    r"|me|us|\w+thing))*\W*"
)
"""What asks what a person did, and says nothing of it but the verb: `what did I save`, `who did we
meet with`."""


def verb_alone(text: str) -> str:
    """The verb of a question that asks what a person did, whatever that was, "" of any other;
    without its days."""
    found = re.fullmatch(_VERB_ALONE, single_spaced(text[:200]))
    if found and found[1].islower() and found[1] not in STOP | _OF_ANYTHING:
        return found[1]
    return ""


_SUBJECTS = (
    "did does do has had have would was is can could should will by with from to and than ask told"
)
QUESTION_SUBJECTS = frozenset(_SUBJECTS.split())
"""Words in a question that a person's name may follow."""
_PERSON_LIKE = rf"[A-Z]|[^\x00-\x7f]|\b(?:{'|'.join(sorted(QUESTION_SUBJECTS))})\b"


def may_name_a_person(text: str) -> bool:
    """Whether something in a question stands as a person's name may: with a capital, or after such
    a word as `by`."""
    return re.search(_PERSON_LIKE, text[:1000]) is not None


_LABELLED = 64
"""Letters of a line among which the label of a speaker ends."""


def may_be_said(
    text: str,
    words: Collection[str],
) -> bool:
    """Whether a line begins with a label, as a speaker's does, that has one of a query's words in
    it."""
    names = [word.removesuffix("s") for word in words]
    for line in text.replace("：", ":").split("\n"):
        label, _, _ = line[:_LABELLED].lower().rpartition(":")
        if not label.isascii() or (label and any(name in label for name in names)):
            return True
    return False


_CONTROL = r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_URL = r"(?<![^\W_])(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.)[!#-;=?-~]+"
_QUOTED = r'(?:(?<!\S)(-))?["“”„«「『《]([^"“”„«»「」『』《》]*)["“”»」』》]'
_QUOTES = frozenset('"“”„«「『《')
_EXCLUDED = r"(?<!\S)-(?=[^\W\d_])(\S+)"
_UNFOLDED = (
    "[\u037f\u0528-\u052e\u13a0-\u13f5\u1c90-\u1cbf\u2c2f\ua698-\ua7f5\U000104b0-\U0001e921]"
)
"""Capitals newer than unicode61's tables: it does not know their lower case."""

_PARTING = frozenset("-‐‑'’")
_JOINING = frozenset("-‐‑'’._@/\\:&~+#")
_WEB = frozenset(("http", "https", "www", "com", "org"))
_PARTS = 8

NO_WORD = "the query has no word to search for: type a word or a question"


def clean_query(
    text: str,
    *,
    stop: bool = True,
) -> Terms:
    """The words, phrases and exclusions of a query; never raises.

    `stop=False` keeps stop words, as `--mode keyword` does, which has no stop list.  Where only
    stop words or single characters are left, they are the query.
    """
    notes: list[str] = []
    text = _without_addresses(_readable(text, notes), notes)
    quoted: list[tuple[str, str]] = []
    outside = text
    if not _QUOTES.isdisjoint(text):  # few questions quote, and the pattern takes long to make
        quoted = re.findall(_QUOTED, text)
        outside = re.sub(_QUOTED, '"', text)
        text = re.sub(_QUOTED, _unquoted, text)
    rest = re.sub(_EXCLUDED, " ", text)
    phrases = [single_spaced(phrase) for minus, phrase in quoted if not minus]
    phrases = list(filter(unicode_words, phrases))
    barred = [single_spaced(phrase) for minus, phrase in quoted if minus]
    barred += [word.replace('"', " ") for word in re.findall(_EXCLUDED, text)]
    barred = list(filter(unicode_words, barred))
    found = list(_words(rest))
    if phrases and not unicode_words(re.sub(_EXCLUDED, " ", outside)):
        found = []
    elif barred and not found:
        found = list(_words(" ".join(barred)))
        barred = []
        notes.append('every word was excluded by "-", so these words were searched instead')
    kept = _first_words(_content(found, stop) or _distinct(found), notes)
    return Terms(
        words=tuple(kept),
        phrases=_first(phrases),
        excluded=_first(barred),
        notes=tuple(notes),
        stems=_stems(kept, text) if stop else (),
    )


def _readable(
    text: str,
    notes: list[str],
) -> str:
    """As much of a text as is read, without control characters."""
    if len(text) > MOST_QUERY_LETTERS:
        text = text[:MOST_QUERY_LETTERS]
        notes.append(f"only the first {MOST_QUERY_LETTERS:,} characters were searched")
    if not text.isprintable():
        text = re.sub(_CONTROL, " ", text)
    return nfc(text)


def _without_addresses(
    text: str,
    notes: list[str],
) -> str:
    """A text without the addresses of web pages in it, where it has other words."""
    if "://" in text or "www." in text:
        bare = re.sub(_URL, " ", text)
        if bare != text and unicode_words(bare):
            notes.append("web addresses were left out")
            return bare
    return text


def _unquoted(quoted: re.Match[str]) -> str:
    """The words of a quotation; a minus inside it or glued to its end (`"Model C"-Schulen`)
    excludes nothing."""
    if quoted[1]:
        return " "
    return " " + quoted[2].replace(" -", " ") + '"'


class WordMatch(NamedTuple):
    """The words of a query for FTS5: what `any` hit holds, what every one `must` and `must_not`
    hold; and the phrases of which any will do, each with a score of its own."""

    any: str
    must: str
    must_not: str
    phrases: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """Whether any of the phrases will do, each by itself."""
        return not self.must and not any(form[0] == "(" for form in self.phrases)


def word_match(terms: Terms) -> WordMatch:
    """The words of a query for FTS5, over the columns context, text, tags, grams; "" where nothing
    is left.

    Words are joined by OR, phrases among them rank what holds them higher; phrases alone must all
    be there (measured: in a question a required quotation loses the answer).
    """
    forms = phrases(terms)
    must = ""
    if not terms.words:
        must = " AND ".join(map(_phrase, terms.phrases))
    must_not = " OR ".join(map(_phrase, terms.excluded))
    wanted = must or " OR ".join(forms)
    if wanted and must_not:
        wanted = f"({wanted}) NOT ({must_not})"
    return WordMatch(wanted, must, must_not, tuple(forms))


def match_expression(terms: Terms) -> str:
    """What any hit holds, of the words of a query for FTS5."""
    return word_match(terms).any


def phrases(terms: Terms) -> list[str]:
    """MATCH expressions of which any will do, each one phrase (or, in brackets, several) with a
    score of its own."""
    whole, pairs = _forms(terms.words)
    rest = dict.fromkeys([*(f'"{stem}"*' for stem in terms.stems), *map(_phrase, terms.phrases)])
    return [*whole, *pairs, *(form for form in rest if form not in whole)]


def _words(text: str) -> Iterator[str]:
    """The words of a text as typed: compounds and symbol words whole, spaceless runs and emoji
    apart."""
    for piece in text.split():
        if piece.isalnum() and piece.isascii():
            yield piece
            continue
        for place, part in enumerate([piece] if piece.isascii() else runs(piece)):
            if place % 2:
                yield part
            else:
                yield from _between(part)


def _between(piece: str) -> Iterator[str]:
    """The symbol words of a piece without blanks, and the words and compounds between them."""
    done = 0
    for start, end in [*symbol_spans(piece), (len(piece), len(piece))]:
        yield from _joined(piece[done:start])
        if start < end:
            yield piece[start:end]
        done = end


def _first_words(
    words: list[str],
    notes: list[str],
) -> list[str]:
    """The words that are searched; `notes` get what is left out of very many."""
    if len(words) > MOST_QUERY_WORDS:
        words = words[:MOST_QUERY_WORDS]
        notes.append(f"only the first {MOST_QUERY_WORDS} words were searched")
    if sum(len(word) for word in words if len(runs(word)) > 1) > GRAMS:
        notes.append(f"only the first {GRAMS} characters of the text without spaces were searched")
    return words


def _joined(piece: str) -> Iterator[str]:
    """A compound as one word (`joe@x.com`, `3.11.7`, `abc-1234`), else the words of a piece
    (`well-known`, `Joe's`)."""
    piece = piece.rstrip(".,;:!?)]}")
    found = unicode_words(re.sub("['’][sS]$", "", piece))
    if len(found) < 2:
        yield from found
        return
    core = piece[piece.index(found[0]) : piece.rindex(found[-1]) + len(found[-1])]
    gaps = {char for char, kept in zip(core, spaced(core), strict=True) if kept == " "}
    if gaps <= _PARTING and not any(map(str.isdigit, core)):
        yield from found
    elif gaps <= _JOINING or (gaps <= {",", "."} and not core.strip("0123456789.,")):
        yield core
    elif gaps & _JOINING:
        parting = str.maketrans(dict.fromkeys(gaps - _JOINING, " "))
        for part in core.translate(parting).split():
            yield from _joined(part)
    else:
        yield from found


def _content(
    found: list[str],
    stop: bool,
) -> list[str]:
    """The distinct words that carry content: not single characters, and with `stop` not stop words.

    A capital within a sentence makes a name of a stop word (`Will`, `IT`).
    """
    titled = sum(word[0].isupper() for word in found) * 2 > len(found)
    kept = []
    for place, word in enumerate(found):
        name = not titled and word[0].isupper() and (place > 0 or word.isupper())
        is_stop = stop and word.lower() in STOP and not name
        if not (is_stop or _is_letter(word)):
            kept.append(word)
    return _distinct(kept)


def _is_letter(word: str) -> bool:
    """Whether a word is a single letter or digit of a script that has words of several."""
    return len(word) == 1 and word.isalnum() and len(runs(word)) == 1


def _stems(
    kept: list[str],
    text: str,
) -> tuple[str, ...]:
    """The beginnings of words in a language other than English, which the index does not stem.

    Measured R@5: German .966 → .981, Spanish .981 → .987, Turkish .918 → .937, Arabic .829 → .915.
    """
    if is_toned(text) or not _is_foreign(text):
        return ()
    stems: dict[str, None] = {}
    for word in kept:
        spelt = plain_spelling(word)
        base = arabic_root(spelt)
        is_arabic = "\u0620" <= word[0] <= "\u06ff"
        length = STEM - is_arabic
        if len(base) > length and base.isalpha() and len(runs(word)) == 1:
            stems[base[:length]] = None
        if base != spelt:
            stems[base] = None
    return tuple(stems)


def _is_foreign(text: str) -> bool:
    """Whether a text is in a language other than English."""
    said = set(text.lower().split())
    if not said.isdisjoint(_ENGLISH.split()):
        return False
    has_letter = any(char.isalpha() and not char.isascii() for char in text)
    return has_letter or not said.isdisjoint(_FOREIGN.split())


def _first(phrases: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrases))[:MOST_QUERY_WORDS]


def _distinct(found: list[str]) -> list[str]:
    return list(dict.fromkeys(lowered for lowered in map(_lower, found) if unicode_words(lowered)))


def _lower(word: str) -> str:
    word = composed(word)
    if not word.isascii() and re.search(_UNFOLDED, word):
        return word
    return word.lower()


def _forms(found: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """What to match for the words: each quoted, compounds as phrases with their parts; and the rest
    as grams."""
    whole: dict[str, None] = {}
    pairs: dict[str, None] = {}
    for word in found:
        if word.isascii() and word.isalnum():
            whole[f'"{word}"'] = None
        elif len(runs(word)) > 1:
            pairs.update(dict.fromkeys(_run_forms(word)))
        else:
            spelt = [word]
            if any(symbol_spans(word)):
                spelt = []
                pairs.update((f'"{form}"', None) for form in symbol_forms(word))
            whole.update((f'"{plain_spelling(form)}"', None) for form in spelt + _parts(word))
            if toned(word):
                pairs[f'"{toned(word)}"'] = None
    return list(whole), [f"grams : {pair}" for pair in list(pairs)[:GRAMS]]


def _parts(word: str) -> list[str]:
    """The words inside a compound that say something alone; the numbers of a version or a time do
    not."""
    parts = [
        part
        for part in unicode_words(word)
        if len(part) > 1 and part not in STOP and part not in _WEB
    ]
    return [part for part in parts if not part.isdigit() or "-" in word][:_PARTS]


def _run_forms(run: str) -> list[str]:
    """The grams of a run or an emoji; a lone character stands for every gram that begins with
    it."""
    if emoji(run[0]):
        return [f'"{word}"' for word in unicode_words(run)]
    pairs = bigrams(run)
    if len(pairs) == 1:
        return [f'"{pairs[0]}"*']
    return [f'"{pair}"' for pair in pairs[:-1]]


def _phrase(text: str) -> str:
    """A MATCH expression for a text word for word; across scripts its pieces have to be there, side
    by side or not."""
    pieces = []
    for start, end in symbol_spans(text):
        pieces += [f'grams : "{form}"' for form in symbol_forms(text[start:end])[:1]]
    for place, part in enumerate(runs(text)):
        if not unicode_words(part):
            continue
        if not place % 2:
            pieces.append(f'"{part.strip()}"')
        elif emoji(part):
            pieces.append(f'grams : "{unicode_words(part)[0]}"')
        else:
            pairs = bigrams(part)
            pieces.append(
                f'grams : "{pairs[0]}"*' if len(pairs) == 1 else f'grams : "{" ".join(pairs[:-1])}"'
            )
    if len(pieces) > 1:
        return f"({' AND '.join(pieces)})"
    return pieces[0]
