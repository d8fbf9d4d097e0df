"""Meaning of a note's path and names: its kind, the date in its name, a readable title, all it is
called by.

And the path that a day's note has.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from posixpath import basename, dirname

from indexer.note import Note
from indexer.record import NamedTuple
from indexer.spelling import LETTERS_AND_DIGITS

_FOLDER_NAMES = """
person people person persons contact contacts
company companies company organization organisation organizations organisations
project projects project
area areas area
resource resources resource
archive archives archive archived
"""
"""Kinds, each with the names of folders that hold such notes."""
_MORE_WORDS = """
person human
company org business
daily daily daily-note journal diary
memory memory
me me
note note
"""
"""Kinds, each with other words that mean it."""


def _kinds(rows: str) -> dict[str, str]:
    """The kind of each word, in rows of a kind and its words."""
    found: dict[str, str] = {}
    for kind, *words in map(str.split, rows.strip().splitlines()):
        found |= dict.fromkeys(words, kind)
    return found


FOLDER_WORDS = _kinds(_FOLDER_NAMES)
"""Names of folders, each with the kind of the notes in them."""
KIND_OF_WORD = {**FOLDER_WORDS, **_kinds(_MORE_WORDS), "daily note": "daily"}

KIND_WORDS = tuple(KIND_OF_WORD)
"""Words that mean a kind of notes."""

KindRules = tuple[tuple[str, str], ...]
"""What a person's settings say of kinds: clues such as `categories: crew` or `folder: crm`, each
with the kind of notes that have it, "" where it says nothing."""


class KindClue(NamedTuple):
    """A kind of notes, and what says so: `categories: people`, `folder: people`, "" for a name, a
    day or nothing."""

    kind: str
    clue: str = ""


_NAMES = {"MEMORY": "memory", "ME": "me", "SOUL": "me", "IDENTITY": "me", "USER": "me"}

_DAILY_FOLDERS = frozenset(
    (
        "memory|memories|journal|journals|daily|dailies|diary|diaries|daily notes|daily-notes"
        "|daily_notes|dailynotes|daily journal|logs|log"
    ).split("|")
)

_LISTS = ("index", "readme")
_NUMBERED = r"\d{1,3}[\s._-]{0,3}"
_PERIOD = r"(?:\d{2}|\d{4})(?:[-_. ](?:\d{1,2}|[Qq]\d|[Ww]\d{2}|\w{3,12})){0,2}"
_WHOLE = r"(\d{4})([-_.])(\d{1,2})\2(\d{1,2})|(\d{4})(\d{2})(\d{2})"
_LEADING = r"(?s)(\d{4})([-_.])(\d{2})\2(\d{2})(?:[-_. ]|T\d).*"


MONTHS = tuple(
    (
        "january february march april may june july august september october november december"
    ).split()
)
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())


def whole_or_begun(names: Iterable[str]) -> str:
    """A pattern for each of some names of months or weekdays, whole or by its first three letters;
    other ways to shorten them (`Sept`, `Tues`) are added by who wants them."""
    return "|".join(f"{name[:3]}(?:{name[3:]})?" for name in names)


_LONG_MONTHS = [name.title() for name in MONTHS if name != "may"]
MONTH_NAME = rf"(?:{whole_or_begun(_LONG_MONTHS)}|Sept|May)"
"""A pattern: a month, whole or abbreviated, as it is written within a sentence."""
WEEKDAY_NAME = rf"(?:{'|'.join(map(str.title, WEEKDAYS))})"
_DAY_PART = (
    rf"\d{{1,4}}(?:st|nd|rd|th)?|the|of|{whole_or_begun((*MONTHS, *WEEKDAYS))}|sept|tues|thurs?"
)
"""A word of a day's or a month's name."""
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(MONTHS, 1)}


def month_of(name: str) -> int:
    """The number of a month by its name or the beginning of it, 0 for no month: `Feb` and
    `February` are 2."""
    return _MONTH_NUMBERS.get(name[:3].lower(), 0)


def is_day_or_month(text: str) -> bool:
    """Whether a text names a day or a month and nothing else: `April 17`, `Mon, 17.04.2023`, `March
    2026`."""
    parts = LETTERS_AND_DIGITS.findall(text.lower())
    is_dated = len(parts) > 1 and any(part[0].isdigit() for part in parts)
    if not is_dated or not all(re.fullmatch(_DAY_PART, part) for part in parts):
        return False
    return any(part.isalpha() for part in parts) or len(parts) == len("ymd")


def iso(year: str, month: str, day: str) -> str | None:
    """The ISO date of three numbers, or None where the calendar has no such day."""
    try:
        if 1000 <= int(year) <= 2999:
            return date(int(year), int(month), int(day)).isoformat()
        return None
    except ValueError:
        return None


def kind_of_word(word: object) -> str | None:
    """The kind a front matter `type` names, or None: `Person` → person, `book` → None."""
    if isinstance(word, str):
        return KIND_OF_WORD.get(word.strip().strip("[]").lower())
    return None


def read_clue(text: str) -> str:
    """A clue of a person's settings as it is compared: `Categories: [[People]]` → `categories:
    people`; one that takes away keeps its `!`. ValueError for what is none."""
    off = "!" * text.startswith("!")
    key, _, word = text.removeprefix("!").partition(":")
    key = property_key(key)
    if key == "tag":
        key = "tags"
    meant = meant_word(key, word)
    if not key or not meant:
        raise ValueError(f"{text!r} is not a property or `folder` with its word")
    return f"{off}{key}: {meant}"


def property_key(key: str) -> str:
    """The name of a property without case and signs: `fileClass` and `file-class` are the same."""
    return "".join(filter(str.isalnum, key)).lower()


def meant_word(key: str, word: str) -> str:
    """A value of a property as kinds are told by it: a link by the last part of its target, a tag
    with what it is under."""
    word = word.strip()
    word = word.removeprefix("[[").removesuffix("]]")
    word = word.partition("|")[0]
    if key == "tags":
        return word.strip("# /").lower()
    return bare_name(word.strip("/").rpartition("/")[2])


def file_stem(path: str) -> str:
    """The file name without its `.md`."""
    name = basename(path)
    base, dot, extension = name.rpartition(".")
    if dot and base and extension.lower() in ("md", "markdown"):
        return base
    return name


def kind_of_path(path: str, day: str | None) -> str:
    """The kind a path implies; `day` is `day_of_path(path)`. An archive stays one, whatever it
    holds."""
    return place_of(path, day).kind


def place_of(
    path: str,
    day: str | None,
    rules: KindRules = (),
) -> KindClue:
    """The same with what says so; `rules` may name more folders, or take some away.

    A page of Logseq that is called `Person/Joe` lies in a folder as it were. A note that tells of
    its folder is of no kind.
    """
    name = file_stem(path)
    place = _kind_of_folder(dirname(path), rules)
    if place.kind == "archive":
        return place
    if name in _NAMES:
        return KindClue(_NAMES[name])
    if name == "_index":
        return KindClue("note")
    if day:
        return KindClue("daily")
    above, slash, _ = _decoded(name).partition("/")
    if slash and not place.kind and _decoded(name).count("/") == 1:
        place = _kind_of_folder(above, rules)
    if not place.kind or _is_list(path, place):
        return KindClue("note")
    return place


def _is_list(path: str, place: KindClue) -> bool:
    """Whether a note tells of its folder: `People/People.md`, `People/README.md`."""
    name = bare_name(file_stem(path))
    if FOLDER_WORDS.get(name) == place.kind or place.clue == f"folder: {name}":
        return True
    return name in _LISTS and place.clue == f"folder: {bare_name(basename(dirname(path)))}"


@lru_cache(maxsize=4096)
def _kind_of_folder(folder: str, rules: KindRules = ()) -> KindClue:
    """The kind of notes in a folder: archive, else that of the innermost one which is named for a
    kind; "" for none."""
    own = dict(rules)
    found: dict[str, str] = {}
    for name in map(bare_name, reversed(folder.split("/"))):
        clue = f"folder: {name}"
        found.setdefault(own.get(clue, FOLDER_WORDS.get(name, "")), clue)
    found.pop("", None)
    if "archive" in found:
        return KindClue("archive", found["archive"])
    return next((KindClue(kind, clue) for kind, clue in found.items()), KindClue(""))


CONVERSATIONS = "conversations"
"""The folder of what was talked about, word for word: searched and listed only where it is asked
for."""


def is_conversation(path: str) -> bool:
    """Whether a note lies in the folder of conversations, whatever its case."""
    return path.lower().startswith(CONVERSATIONS + "/")


IMPORTED = "resources/import"
"""The folder of what was imported from other programs, whose facts nobody has confirmed yet."""


def is_imported(path: str) -> bool:
    """Whether a note was imported from another program."""
    return path.lower().startswith(IMPORTED + "/")


GUIDES = frozenset(("agents.md", "claude.md", "gemini.md", "skill.md"))
"""File names, in small letters, of guides for agents, which client programs read by themselves."""

DREAMS = "memory/dreaming"
"""The folder in which OpenClaw keeps what it works out by itself about its daily notes."""


def is_dream(path: str) -> bool:
    """Whether a note lies in a folder of an agent's dreams, at the top or deeper in the vault."""
    return f"/{DREAMS}/" in f"/{path.lower()}"


@lru_cache(maxsize=4096)
def apart_of(path: str) -> str:
    """The folder by which a note is left out of answers unless it is asked for: conversations, or
    what an agent dreamt; "" for others."""
    if is_conversation(path):
        return CONVERSATIONS
    if is_dream(path):
        return DREAMS
    return ""


APART = (CONVERSATIONS, DREAMS)
"""What `apart_of` may name."""


@lru_cache(maxsize=4096)
def is_background(path: str) -> bool:
    """Whether a note is for programs: a guide for agents, or what an agent dreamt.

    It is found where somebody asks for it, is no memory, and leads no answer.
    """
    return basename(path).lower() in GUIDES or is_dream(path)


_BORROWED = frozenset(
    "clipping clippings clip clips quote quotes reading readings highlight"
    " highlights readwise article articles newsletter newsletters example examples old attic"
    " trash".split()
)
"""Folders of what others said, and of what is put away."""


@lru_cache(maxsize=4096)
def is_template(path: str) -> bool:
    """Whether a note lies in a folder of templates."""
    folders = path.split("/")[:-1]
    return any(bare_name(folder) in {"template", "templates"} for folder in folders)


@lru_cache(maxsize=4096)
def is_borrowed(path: str) -> bool:
    """Whether what a note says is no word of the person's that holds, by its folders: a template,
    a clipping, a quotation, or what is archived."""
    if is_archived(path) or is_template(path):
        return True
    return any(bare_name(each) in _BORROWED for each in path.split("/")[:-1])


AGENTS = "agents"
"""The folder of what agents keep for themselves, each in a folder of its own name."""


def agent_of(path: str) -> str:
    """The agent whose folder a note lies in (`agents/NAME/…`), "" for a shared note.

    `Agents` is that folder too: many file systems do not tell the two apart.
    """
    top, _, rest = path.partition("/")
    name, slash, _ = rest.partition("/")
    if slash and top.lower() == AGENTS:
        return name
    return ""


def agent_home(path: str) -> str:
    """The folder of the agent that a note belongs to, with its last slash; "" for a shared note."""
    agent = agent_of(path)
    if agent:
        return path[: len(AGENTS) + len(agent) + 2]
    return ""


def is_agents_day(path: str) -> bool:
    """Whether a note is a daily note that an agent keeps for itself."""
    return bool(agent_of(path)) and day_of_path(path, "") is not None


def keeper_of(path: str) -> str:
    """The agent that a daily note below `agents/NAME/memory/` is kept by, "" for any other note."""
    if is_agents_day(path) and path.startswith(f"{agent_home(path)}memory/"):
        return agent_of(path)
    return ""


def is_archived(path: str) -> bool:
    """Whether a note lies in a folder of archives, whatever kind of note it says it is."""
    return "/" in path and _kind_of_folder(path.rpartition("/")[0]).kind == "archive"


def folder_of_kind(path: str, kind: str) -> str:
    """The topmost folder above a note that is named for a kind, "" for none: `01-projects/a/b.md` →
    01-projects."""
    steps = path.split("/")[:-1]
    depth = next(
        (at for at, part in enumerate(steps, 1) if FOLDER_WORDS.get(bare_name(part)) == kind), 0
    )
    return "/".join(steps[:depth])


@lru_cache(maxsize=4096)
def bare_name(part: str) -> str:
    """The name of a folder without case, PARA's number and the signs around it: `1 - Projects`,
    `_Projects` and `🚀 Projects` → projects."""
    part = _trimmed(part.lower())
    numbered = part[:1].isdecimal() and re.match(_NUMBERED, part)
    if numbered:
        return _trimmed(part[numbered.end() :])
    return part


def _trimmed(text: str) -> str:
    """A text from its first letter or digit to its last; none of them is all of it. A bracket
    stays: with one, a place that was copied out of an answer would be another folder."""
    places = [at for at, letter in enumerate(text) if letter.isalnum() or letter in "[]()"]
    if places:
        return text[places[0] : places[-1] + 1]
    return text.strip()


def day_of_path(path: str, daily_folder: str) -> str | None:
    """The ISO date of a daily note, None for every other note.

    A whole-name date counts anywhere (`2026-02-01`, `2026_02_01`, `20260201`); a date with more
    behind it only in a folder of daily notes, which a name with dots may spell too. What an agent
    dreamt about a day is no daily note.
    """
    if is_dream(path):
        return None
    name = file_stem(path)
    folder = dirname(path)
    if name[:1] not in {"1", "2"}:
        head, _, last = name.rpartition(".")
        if not head:
            return None
        name = last
        folder = head.replace(".", "/")
    else:
        whole = re.fullmatch(_WHOLE, name)
        if whole:
            year, _, month, day, *compact = whole.groups()
            if year:
                return iso(year, month, day)
            return iso(*compact)
    leading = re.fullmatch(_LEADING, name)
    if leading and _holds_days(folder, daily_folder):
        return iso(leading[1], leading[3], leading[4])
    return None


@lru_cache(maxsize=4096)
def _holds_days(folder: str, daily_folder: str) -> bool:
    """Whether a folder, or the one above its year and month folders, is one of daily notes."""
    home = daily_folder.rstrip("/")
    if home and f"{folder}/".startswith(home + "/"):
        inner = folder[len(home) :].split("/")
        if all(re.fullmatch(_PERIOD, part) for part in filter(None, inner)):
            return True
    for part in reversed(folder.split("/")):
        if bare_name(part) in _DAILY_FOLDERS:
            return True
        if not re.fullmatch(_PERIOD, part):
            return False
    return False


def title_of_path(path: str, day: str | None) -> str:
    """A readable title from the file's name: `joe-bloggs` → Joe Bloggs, a daily note → its date. A
    hyphen in a name that is not all in lower case is one of its words: `Sci-fi` stays so."""
    name = _decoded(file_stem(path))
    if day:
        rest = name[10:].strip("-_. ") if re.fullmatch(_LEADING, name) else ""
        return f"{day} {rest.replace('-', ' ').replace('_', ' ')}".strip()
    spaced = name.replace("-", " ").replace("_", " ").strip()
    if " " in name or not spaced:
        return name.strip() or path or "untitled"
    if spaced.islower():
        return " ".join([word[:1].upper() + word[1:] for word in spaced.split(" ")])
    return name.replace("_", " ").strip()


# -- what a note is called, and one spelling of all the forms of a name ----------------

LONGEST_LABEL = 100
"""Letters of a link's label that may be a name; what is longer is a sentence."""

INITIALS = range(3, 9)
"""Words of a name that people call by its initials: `Network Interface Card`."""

_WORD = re.compile(r"[^\W_]+[+#]*")
_MARKED = ("\u0300", "\u036f")


class Name(NamedTuple):
    """A name of a note (`source` is `file`, `title`, `alias` or `initials`), or the label of a link
    in it (`link`).

    `folded` is `fold_name(text)`; `target` is what such a link points to, as written, and "" for
    the note's own names.
    """

    source: str
    text: str
    folded: str
    target: str


def all_names(note: Note) -> Iterator[Name]:
    """All the names that a note has or gives to others, each spelling once: the file's comes first.

    A label that spells its target says nothing new.
    """
    known: set[tuple[str, ...]] = set()
    own = [("file", _decoded(file_stem(note.path))), ("title", note.title)]
    own += [("alias", alias) for alias in note.aliases]
    for source, text in own:
        spelt = name_words(text) or tuple(text)
        if not spelt or spelt in known:
            continue
        known.add(spelt)
        yield Name(source, text, "".join(spelt), "")
        initials = "".join(word[0] for word in spelt)
        if len(spelt) in INITIALS and initials.isalpha() and (initials,) not in known:
            known.add((initials,))
            yield Name("initials", initials, initials, "")
    yield from _labels(note)


def _labels(note: Note) -> Iterator[Name]:
    """The labels of the links of a note that are names."""
    labels = {
        (link.label, link.target): None
        for link in note.links
        if link.target and not link.embed and 0 < len(link.label) <= LONGEST_LABEL
    }
    for label, target in labels:
        folded = fold_name(label)
        if folded and not _spells(target, folded):
            yield Name("link", label, folded, target)


def _spells(target: str, folded: str) -> bool:
    """Whether a link's target, or the last part of it, is the name that folds so; with or without
    its ending."""
    bare = file_stem(target)
    whole = fold_name(dirname(target) + bare)
    if not whole.endswith(folded):
        return folded[-2:] in {"md", "wn"} and fold_name(target) == folded
    return folded in {whole, fold_name(bare)}


@lru_cache(maxsize=4096)
def folded_target(target: str) -> str:
    """The last part of a link's target as the names of notes are folded: which notes it may mean,
    folders apart."""
    name = _decoded(file_stem(target))
    return fold_name(name) or name


def _decoded(name: str) -> str:
    """A file name as Logseq means it: `a___b` and `a%2Fb` are a/b."""
    if "___" not in name and "%" not in name:
        return name
    from urllib.parse import unquote  # a search has no use for it

    return unquote(name).replace("___", "/")


def name_words(text: str) -> tuple[str, ...]:
    """The words of a name with case, accents and punctuation apart; `C++` and `C#` keep their
    signs."""
    if text.isascii():
        return tuple(_WORD.findall(text.lower().replace("'", "")))
    kept = (
        char if char in "+#" or unicodedata.category(char)[0] in "LNM" else " "
        for char in unaccented(text).replace("'", "")
    )
    return tuple(word.lstrip("+#") for word in "".join(kept).split() if word.strip("+#"))


def unaccented(text: str) -> str:
    """Text without the accents of Latin, Greek and Cyrillic letters; marks that other scripts spell
    with stay."""
    if text.isascii():
        return text.casefold()
    first, last = _MARKED
    plain = (
        char for char in unicodedata.normalize("NFKD", text.casefold()) if not first <= char <= last
    )
    return unicodedata.normalize("NFC", "".join(plain)).replace("’", "")


_BETWEEN_WORDS = bytes(number for number in range(128) if not chr(number).isalnum())


def fold_name(text: str) -> str:
    """A name as one run of letters: `J. Bloggs`, `j-bloggs` and `JBloggs` are the same."""
    if text.isascii() and not ("+" in text or "#" in text):
        letters = text.lower().encode()  # the same, sooner
        return letters.translate(None, _BETWEEN_WORDS).decode()
    return "".join(name_words(text))


# -- the path of a day's note: a format of moment's tokens, as Obsidian writes them, and a day →
# text


USUAL_FORMAT = "YYYY-MM-DD"
TOP = "."
"""The folder of daily notes that lie at the top of the vault."""

LONGEST_FORMAT = 100
"""Letters of a format."""

_FORMAT_PART = (
    r"\[([^\[\]]*)\]|(Y+|Mo|M{1,4}|Do|D{1,4}|do|d{1,4}|Qo?|wo|w{1,2}|Wo|W{1,2}|g{2,5}|G{2,5}"
    r"|H{1,2}|h{1,2}|k{1,2}|m{1,2}"
    r"|s{1,2}|S+|[aAeExXzZlLN])"
)
_TOKENS = "YY=%y MMMM=%B MMM=%b MM=%m DD=%d dddd=%A ddd=%a WW=%V HH=%H hh=%I mm=%M ss=%S A=%p"
"""Tokens that Python has a code for; nothing here asks for the names of another language."""
_TRIED = (
    datetime.datetime.fromisoformat("2026-02-01T09:05"),
    datetime.datetime.fromisoformat("1999-12-31T23:59:58"),
)


# the word that Obsidian has for it
def day_name(format: str, moment: datetime.datetime) -> str:
    """A moment in a format; ValueError for a token that is not known here."""

    def read(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[1]
        text = _texts(moment).get(found[2])
        if text is None:
            raise ValueError(f"{found[2]} is not supported")
        return text

    return re.sub(_FORMAT_PART, read, format)


def _texts(at: datetime.datetime) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in _TOKENS.split())
    texts = {token: at.strftime(code) for token, _, code in pairs}
    for token in "MDHhmsW":
        texts[token] = texts[token * 2].lstrip("0") or "0"
    nth = {1: "st", 2: "nd", 3: "rd"}.get(at.day % 10 if at.day not in {11, 12, 13} else 0, "th")
    return {
        **texts,
        "YYYY": f"{at.year:04}",
        "GGGG": f"{at.isocalendar().year:04}",
        "Q": str((at.month + 2) // 3),
        "Do": texts["D"] + nth,
        "dd": texts["ddd"][:2],
        "a": texts["A"].lower(),
    }


def day_path(
    folder: str,
    format: str,
    day: datetime.date,
) -> str:
    """The path of a day's note."""
    name = day_name(format, datetime.datetime.combine(day, datetime.time()))
    if folder == TOP:
        return f"{name}.md"
    return f"{folder}/{name}.md"


def is_day_format(
    format: str,
    folder: str = "memory",
) -> bool:
    """Whether a file of that name in that folder is read as the note of its day, whatever the time
    is."""
    if (
        not format
        or len(format) > LONGEST_FORMAT
        or set(format) & set('\\:*?"<>|#^')
        or not format.isprintable()
    ):
        return False
    return all(_is_read_again(format, folder, moment) for moment in _TRIED)


def _is_read_again(
    format: str,
    folder: str,
    moment: datetime.datetime,
) -> bool:
    """Whether the path that a format gives a moment is that of the note of its day."""
    try:
        name = day_name(format, moment)
    except ValueError:
        return False
    path = day_path(folder, format, moment.date())
    hidden = any(part[:1] in {"", ".", "~", " "} for part in name.split("/"))
    is_same = path.endswith(f"{name}.md") and not hidden
    return is_same and day_of_path(path, folder) == moment.date().isoformat()
