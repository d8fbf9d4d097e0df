"""The note that a change is for: its whole name, where for reading a part of it would do.

Where a fact goes to the wrong note, nobody may ever notice. So a change needs a whole name, and
words that could still be part of it are asked about.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers import references
from aurelius.answers.lookup import MOST_NAMED_NOTES
from aurelius.settings.places import shell_word
from indexer.catalog.names import clean_name, name_key, without_ending
from indexer.errors import AmbiguousNameError, Hint, NoteNotFoundError, UsageError
from indexer.matter.cues import read_cues
from indexer.matter.disagreement import shares_words
from indexer.matter.near import in_digits
from indexer.matter.timeline import names_of_note
from indexer.matter.verdict import CUE, compare_facts
from indexer.reading.path_meaning import MONTHS, WEEKDAYS, agent_of, fold_name, name_words
from indexer.tokens.english import STOP
from indexer.tokens.terms import english_stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from indexer.catalog.names import Called, NoteNames
    from indexer.matter.cues import Words
    from indexer.note import Fact, Found

    from .plan import Desk


_MOST_NAME_WORDS = 5
"""Words of a text that may still be part of the name before it."""
_FACT_KINDS = frozenset({"person", "company", "project", "area"})
"""What facts are about."""


class Meant(NamedTuple):
    """A note that a fact may be for, and its text; `refusal` is why nothing is written before
    somebody says yes."""

    path: str
    text: str
    refusal: AmbiguousNameError | None = None


def split_addressee(desk: Desk, name: str, rest: Sequence[str]) -> Meant:
    """The note that a name in front of a text means.  NoteNotFoundError, AmbiguousNameError."""
    text = " ".join(rest)
    if found := _longer(desk, name, rest):
        return found
    try:
        return Meant(whole_named_note(desk, name), text)
    except AmbiguousNameError as error:
        hint = _did_you_mean(error.candidates, name, rest)
        refusal = AmbiguousNameError(error.message, hint, error.candidates)
        if len(error.candidates) > 1:
            raise refusal from None
        return Meant(error.candidates[0], text, refusal)
    except NoteNotFoundError as error:
        raise type(error)(error.message, _instead(desk, error.hint, name, rest)) from None


def refuse_bare_name(desk: Desk, word: str) -> None:
    """UsageError where one word without a text is the whole name of a note, or part of one person's
    or company's."""
    if len(word.split()) != 1:
        return
    names = desk.names()
    if names.is_private(word) and desk.vault.person:
        whole_named_note(desk, word)
    beings = {each.path for each in names.called if each.kind in {"person", "company"}}
    found = names.exactly(word) or [path for path in names.having(word) if path in beings]
    title = next(
        (each.title for each in names.called if found == [each.path] and each.kind in _FACT_KINDS),
        "",
    )
    if title:
        raise UsageError(
            f"missing argument: the fact about {title} ({found[0]})",
            Hint(
                f'for example `aurelius add {shell_word(word)} "Likes tea"`; '
                f"for today's note: `aurelius note {shell_word(word)}`",
                "give the name as note, and what is said of it as text",
            ),
        )


def whole_named_note(desk: Desk, name: str) -> str:
    """The path of the note to be changed of which this is the whole name.

    NoteNotFoundError, AmbiguousNameError; UsageError for the name of a folder, which never means
    its `_index.md`.
    """
    path = desk.vault.resolve(name, private=desk.private, whole=True)
    folder, _, last = path.rpartition("/")
    if (
        last == "_index.md"
        and folder
        and name_key(name.strip("/")) in {name_key(folder), name_key(folder.rpartition("/")[2])}
    ):
        raise UsageError(
            f"nothing was changed: {name} is a folder, not a note",
            Hint(
                f"name a note in it (aurelius list --in {shell_word(folder)}), or the note"
                f" {shell_word(path)} itself",
                f"name a note in it, or the note {path} itself",
            ),
        )
    return path


def link_source(desk: Desk, said: str, path: str) -> str:
    """Where a new fact of a note comes from, as its line says it: a link where that is the whole
    name of a note, else the words; without any, the agent that writes into a shared note.
    AmbiguousNameError for the name of several notes.
    """
    if not said:
        if desk.vault.agent and not agent_of(path):
            return f"agent {desk.vault.agent}"
        return ""
    try:
        named = whole_named_note(desk, said)
    except (NoteNotFoundError, UsageError):
        return said
    except AmbiguousNameError:
        if desk.names().exactly(clean_name(said)):
            raise
        return said
    return f"[[{without_ending(named)}]]"


def fact_to_change(desk: Desk, reference: str) -> tuple[str, str]:
    """Path and key of the fact to be changed that a reference means. NoteNotFoundError,
    AmbiguousNameError."""
    return references.resolve_fact(desk.vault, reference, private=desk.private, whole=True)


def _longer(desk: Desk, name: str, rest: Sequence[str]) -> Meant | None:
    """The note whose whole name is the name and the first words of the text together; the longest
    such name.

    A text that was typed as one word of several, in quotes, is all text.
    """
    if not rest or len(rest[0].split()) != 1 or not any(map(str.isalnum, rest[0])):
        return None
    names = desk.names()
    for count in range(min(_MOST_NAME_WORDS, len(rest)), 0, -1):
        full = " ".join((name, *rest[:count]))
        if names.is_private(full):
            whole_named_note(desk, full)
        found = names.exactly(clean_name(full))
        if len(found) == 1:
            title = names.paths[found[0]].title
            if fold_name(title) == fold_name(full):
                whole = title
            else:
                whole = full
            text = " ".join(rest[count:])
            what = f"nothing was written: {name!r} may be the start of the name {whole!r}"
            hint = f"did you mean `{_command(_shell_word(whole), text)}`?"
            return Meant(found[0], text, AmbiguousNameError(what, hint, (found[0],)))
    return None


def _did_you_mean(near: Iterable[str], name: str, rest: Sequence[str]) -> str:
    """The commands to choose from: the text in those notes, and words without quotes in today's."""
    text = " ".join(rest)
    commands = [f"`{_command(shell_word(each), text)}`" for each in islice(near, MOST_NAMED_NOTES)]
    if len(rest) > 1:
        commands.insert(0, f"`aurelius add {_shell_word(f'{name} {text}')}` (today's note)")
    return f"did you mean {' or '.join(commands)}?"


def _command(name: str, text: str) -> str:
    """The command that adds a text to a note."""
    if text == "-":
        said = text
    elif text:
        said = _shell_word(text)
    else:
        said = "TEXT"
    return f"aurelius add {name} {said}"


def _shell_word(text: str) -> str:
    """A text as one word of a shell."""
    if set(text) & set('"$`\\!'):
        return shell_word(text)
    return f'"{text}"'


def _instead(desk: Desk, hint: str, name: str, rest: Sequence[str]) -> str:
    """What to do where no note has the name: what is said of it already, else a new note or
    today's."""
    if hint.startswith("did you mean ") and (near := desk.names().near(clean_name(name))):
        return _did_you_mean(near, name, rest)
    unsaid = hint.startswith("`aurelius list`")
    if len(rest) > 1:
        today = (
            "for today's note put the text in quotes: aurelius add"
            f" {_shell_word(' '.join((name, *rest)))}"
        )
        if unsaid:
            return today
        return f"{hint}  {today}"
    if unsaid:
        return f"`aurelius new person {shell_word(name)}` creates that note"
    return hint


# -- what was captured -----------------------------------------------------------------

_GUESSED = re.compile(r"\[\[[^\[\]|\n]+\|[^\[\]\n]*\]\]: ")
"""The page that a statement of a conversation is filed under, which the statement need not name."""
PRONOUN = re.compile(r"(?i)(?:he|she|his|her|hes|shes)\b")
_NOBODY = re.compile(r"(?i)(?:he|she|they|it|his|her|their|its|hes|shes)\b")
_FULL_NAME = re.compile(
    r"[^\W\d_a-z][\w'’-]+(?: (?:van|von|der|den|ter|de|di|da|la|le|el))* [^\W\d_a-z][\w-]+"
)
_NAME = re.compile(r"[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)*")


def says_plainly(names: NoteNames, home: str, line: Fact, old: Fact | None) -> bool:
    """Whether a captured line says itself which note it is about and, if it replaces a fact, which
    one."""
    page = names.paths.get(home)
    said = _GUESSED.sub("", line.text, count=1)
    is_person = page is not None and page.kind == "person"
    is_meant = said == line.text or _says_page(names, page, said)
    if old is not None:
        is_told = is_meant or not is_person
        return is_told and may_rule(line, old) and _takes_place(old, line, said, page)
    if home:
        return is_meant
    return not (_NOBODY.match(said) or stranger(names, said))


def _says_page(names: NoteNames, page: Called | None, said: str) -> bool:
    """Whether a line says that it is about a page: by its name, or with a pronoun that a person
    has."""
    if page is None:
        return False
    return bool(page.kind == "person" and PRONOUN.match(said)) or says(names, page.path, said)


def may_rule(line: Fact, old: Fact) -> bool:
    """Whether a line may replace a fact by its sort: an instruction replaces none that only states
    something."""
    return line.type != "instruction" or old.type in {"instruction", "preference", "decision"}


def _takes_place(old: Fact, line: Fact, said: str, page: Called | None) -> bool:
    """Whether a line says itself which older line is past."""
    if page:
        names = names_of_note(page.title, page.path, page.aliases)
    else:
        names = frozenset[str]()
    verdict = compare_facts(old, line._replace(text=said), names)
    if verdict.evidence != CUE:
        return verdict.is_other_value
    is_led = bool(PRONOUN.match(said)) or any(
        said.casefold().startswith(name.split()[0]) for name in names
    )
    return is_led or shares_words(old.text, said)


def says(names: NoteNames, path: str, text: str) -> bool:
    """Whether a text names a note: by all of its name, or by words with capitals that no other
    note's name has."""
    page = names.paths[path]
    if page.kind != "area" and any(
        re.search(rf"(?i)(?<!\w){re.escape(name)}(?:['’]?s)?(?!\w)", text)
        for name in (page.title, *page.aliases)
    ):
        return True
    for found in _NAME.finditer(text):
        run = found[0].replace("’", "'").removesuffix("'s")
        words = [word for word in (run, *run.split()) if len(word) > 2]
        if any(names.having(word) == [path] for word in words):
            return True
    return False


def stranger(names: NoteNames, text: str) -> bool:
    """Whether a text begins with the full name of somebody who has no note: `Piet Vos charges 95
    euros`."""
    found = _FULL_NAME.match(text)
    if not found:
        return False
    told = name_words(found[0].replace("’", "'").removesuffix("'s"))
    if not told or {*told} & {*STOP, *MONTHS, *WEEKDAYS}:
        return False
    return not names.having(" ".join(told))


# -- what is asked to be forgotten -----------------------------------------------------

FORGETS = ("Forget: ", "Forget, if this is meant: ")
"""What a captured line begins with that asks for a fact to be past, and one of a few lines of which
one is meant."""
FEW_FACTS = 4
"""Facts that a request may mean; among more, it says too little."""
_ASKED = (
    r"(?:^|[.!?,;–-] *|\b(?:please|pls|bitte|(?:can|could|will|would) you|you (?:can|may|should)"
    r"|(?:want|need|like) you"
    r" to|just|now|and|then|so|ok|okay) )(?:please |just )?"
)
_OWN = r"(?:my|our|his|her|their|(?-i:[A-Z][\w-]+(?: [A-Z][\w-]+)?)'s) (?:[\w'-]+ ?){1,5}"
_THING = r"the (?:fact|bit|part|thing|note|line|entry|info|information)"
_ABOUT = (
    r"(?:(?:i|we) (?:just |once )?(?:said|told you|wrote|mentioned|noted)(?: down)? )?(?:about|on"
    r"|that)"
)
_UNTRUE = r"(?:'s| is)(?: not|n't| no longer) true(?: any ?more)?"
_LET_GO = re.compile(
    rf"(?i){_ASKED}(?:(?:forget|unlearn|disregard)(?: about)?(?: {_THING})? that (\S+ .+)"
    rf"|forget (?:about )?({_OWN})"
    rf"|(?:forget|ignore|disregard|drop|scratch|delete|erase) (?:about )?(?:{_THING}|what|that"
    rf"|everything|all)"
    rf" {_ABOUT} (.+)|(?:stop|quit) (?:reminding|telling) me (?:that|of|about) (.+)"
    r"|vergiss(?:,? (?:bitte|mal|einfach|doch))*,? (?:dass (.+)|was ich (?:über|zu|von) (.+)"
    r"|((?:mein|unser|sein|ihr)\w* .+)))"
    rf"|^(?:it|that){_UNTRUE} that (.+)|^that (.+?){_UNTRUE}$|^(.+?)[,–-] *(?:but |and )?(?:it"
    rf"|that|this){_UNTRUE}$"
)
_ENDS = re.compile(
    r"(?i)(?:, and |,? (?:but|because|since|any ?more|for good|please|thanks?|now|ok(?:ay)?"
    r"|bitte)\b"
    r"|, (?:he|she|it|we|they|i|my|our)\b|,? (?:it|that|this)(?:'s| is)\b).*$"
)
_FOR_NOW = re.compile(
    r"(?i)\b(?:for (?:now|a|the|this)\b|this time|once|moment|today|first|if\b|unless|until"
    r"|instead|let's"
    r"|kidding|joking)"
)
_SENTENCE = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?]+\s+|[;\n]")
_VAGUE = re.compile(
    r"\b(?:ex|old|former|previous|fact|thing|everything|info\w*|details?|note|entry|line|alte\w*)\b"
)
_SMALL = re.compile(
    r"(?i)\b(?:ich|wir|mein\w*|unser\w*|sein\w*|ihr\w*|d(?:er|ie|as|en|em)|ein\w*|im|am|an|auf|mit"
    r"|zu|von|bei"
    r"|und|hat|habe"
    r"|ist|bin|war|nicht|mehr|gesagt|Sachen?)\b"
)
_CLAUSE = re.compile(
    r"(?i)(?:i|he|she|we|they|it|(?-i:[A-Z][\w-]+)(?: (?-i:[A-Z][\w-]+))?|(?:my|our"
    r"|the) \w+) (?:\w+s|\w+n't|am"
    r"|do|are|have"
    r"|(?<=i )\w+|(?<=we )\w+)\b"
)
"""A thing of which something is said, where others are only named."""
_FORMER = re.compile(r"\b(?:old|former|previous|ex|alte\w*)\b")
_KIN = {"address": "home", "job": "work", "employer": "work", "number": "phone"}
"""What else lines of a matter say that is asked for by its name."""


def asked_to_forget(text: str) -> list[str]:
    """What somebody asks to forget, or takes back, in their words: `I hate caraway` of `Forget that
    I hate caraway`.

    Not what is to be left aside for a moment, nor a question whether something was forgotten; `¤`
    stands for quotes.
    """
    found = []
    for each in _SENTENCE.split(text):
        asked = _LET_GO.search(each.strip(" .!?"))
        if asked and not _FOR_NOW.search(each):
            found.append(_ENDS.sub("", next(filter(None, asked.groups()))).strip(" ,"))
    return [each for each in found if "¤" not in each]


def asked_past(thing: str, facts: Iterable[Found], own: Collection[str]) -> list[Found]:
    """The facts that somebody means who asks to forget a thing: those that have all of its words.

    `own` are words that name the page of those facts, which they need not have. None where that is
    past already.
    """
    asked = read_cues(in_digits(_SMALL.sub(" ", _VAGUE.sub(" ", thing))))
    known = {*own, *map(english_stem, own)}
    wanted = {word for word in asked.content if len(word) > 2} - known
    if not wanted:
        return []
    found = [each for each in facts if _is_asked(each[1], thing, asked, wanted)]
    active = [each for each in found if each[1].status == "active"]
    if len(active) < len(found) and _FORMER.search(thing):
        return []
    exact = [
        each for each in active if {*read_cues(in_digits(each[1].text)).content} <= wanted | known
    ]
    if len(exact) == 1:
        return exact
    return active


def _is_asked(fact: Fact, thing: str, asked: Words, wanted: Collection[str]) -> bool:
    """Whether a fact has all words of a thing that is to be forgotten, and does not deny it."""
    said = read_cues(in_digits(fact.text))
    kin = said.senses | said.loose
    if not all(word in said.content or _KIN.get(word) in kin for word in wanted):
        return False
    is_denied = read_cues(fact.text.partition(",")[0]).negative % 2 != asked.negative % 2
    return not (is_denied and _CLAUSE.match(thing))
