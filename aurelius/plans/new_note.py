"""The plan of a new note: its first text, and the folder it goes to.

A template is a note of the vault's folder of templates that is called as the kind is, `project.md`;
a day's is the one that the settings name, or `daily.md` there. `{{title}}`, `{{date}}`, `{{time}}`
and `{{date:FORMAT}}` are filled in, as Obsidian's own plugin does it; no code in a template is run.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from contextlib import suppress
from posixpath import dirname
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers.lookup import deciding_rule
from aurelius.compose.rewrite_links import unlinkable
from aurelius.writing import safe_folder
from indexer.catalog.graph import get_called, get_folders, get_links, get_secret
from indexer.catalog.names import NoteNames, name_key
from indexer.disk.walk import may_be_note, may_be_walked
from indexer.errors import PrivateNoteError, UsageError
from indexer.reading.path_meaning import (
    AGENTS,
    APART,
    agent_home,
    day_name,
    file_stem,
    folder_of_kind,
    is_archived,
)
from indexer.spelling import caseless, nfc, single_spaced

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Sequence

    from aurelius.settings.other_apps import LogseqGraph
    from aurelius.vault import Vault
    from indexer.catalog.names import Called
    from indexer.note import Settings

KIND_FOLDERS = {
    "person": "people",
    "company": "companies",
    "project": "projects",
    "area": "areas",
    "resource": "resources",
}
"""Kinds of notes that `new` creates, and the folder of each unless the vault has another."""

_KIND_SECTIONS = {"resource": ("Summary", "Facts", "Notes")}
_USUAL_SECTIONS = ("Summary", "Facts", "Relationships", "Notes")

_ARCHIVE_FOLDER = "archives"
"""The folder of what is put away, unless the vault has another."""

_MOST_FILE_LETTERS = 120
"""Letters of a name that its file has."""

_MOST_FILE_BYTES = 200
"""Bytes of a name that its file has; 255 is what most systems take."""

RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]|_?index|agents|claude|skill|me|memory")
"""Names that Windows or Aurelius has taken."""

MOST_OF_TEMPLATE = 256 << 10
"""Bytes that a template may have."""

OBSIDIAN = ".obsidian"
"""The folder that a vault has which Obsidian opens."""

_DAY_TEMPLATE = "daily"
"""The name of the template of a day."""

_FIELD = re.compile(r"(?i)\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\n]{1,100}))?\}\}")
_FORMATS = {"date": "YYYY-MM-DD", "time": "HH:mm"}


_PLAIN = re.compile(r"[^\W\d_][\w .'&+-]*")
_WORDS_OF_YAML = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_HEAD = re.compile(r"\A(---[ \t]*\n)(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_ALIASES = re.compile(r"^aliases:(.*)\n", re.MULTILINE)


def new_note_text(kind: str, name: str, today: str) -> str:
    """The text of a new note, in the shape of the template's."""
    category = {"project": "Project", "resource": "Resource"}.get(kind, "Area")
    head = (
        f"# {name}\n\n**Type:** {kind.capitalize()}\n**Category:** {category}\n**Last Updated:**"
        f" {today}\n"
    )
    return head + "".join(
        f"\n## {section}\n" for section in _KIND_SECTIONS.get(kind, _USUAL_SECTIONS)
    )


def page_start(kind: str, title: str) -> str:
    """The text of a new page of a Logseq graph: properties and bullets; with a title where one is
    given."""
    head = f"title:: {title}\n" if title else ""
    return f"{head}type:: {kind.capitalize()}\n\n- ## Facts\n"


def title(words: Iterable[str]) -> str:
    """The name that was typed, as one line of text; UsageError for none."""
    name = "".join(
        char for char in " ".join(words) if unicodedata.category(char)[0] != "C" or char.isspace()
    )
    name = single_spaced(name).strip("# ")
    if not slug(name):
        raise UsageError("a note needs a name", "for example: aurelius new person Joe Bloggs")
    if {".", ".."} & set(re.split(r"[\\/]", name)) or name[0] in "/\\~":
        hint = "give the name alone: the folder of a new note follows from its kind"
        raise UsageError(f"{name!r} is a path, not the name of a note", hint)
    return name


def slug(name: str) -> str:
    """A name as a file has it: `Joe Bloggs` → joe-bloggs; letters of every script stay."""
    text = nfc(name.replace("'", "").replace("’", "")).casefold()
    kept = "".join(
        char if unicodedata.category(char)[0] in "LNM" or char in "+#" else " " for char in text
    )
    return "-".join(kept.replace("#", " sharp").replace("+", " plus").split())[
        :_MOST_FILE_LETTERS
    ].strip("-")


def folder_for(kind: str, beside: Iterable[str], folders: Iterable[str] = ()) -> str:
    """The folder of a new note: the topmost one named for its kind that most notes of the kind
    (`beside`) are in.

    Where none is, the one that most of them are in, else one of `folders` that is named for the
    kind, else the usual.
    """
    paths = [each for each in beside if "/" in each]
    for found in (
        (folder_of_kind(each, kind) for each in paths),
        (dirname(each) for each in paths),
    ):
        counts = Counter(filter(None, found))
        if counts:
            return min(counts, key=lambda each: (-counts[each], each.count("/"), each))
    return next(
        (each for each in sorted(folders) if folder_of_kind(f"{each}/x.md", kind)),
        KIND_FOLDERS[kind],
    )


def stem_for(
    kind: str,
    name: str,
    neighbours: Iterable[str],
    *,
    titled: bool = False,
) -> str:
    """The file name of a new note, without `.md`: its title where it is to be `titled` or most of
    the neighbours are named so, else a slug.
    """
    named = [each for each in map(file_stem, neighbours) if not RESERVED.fullmatch(each.casefold())]
    titled |= sum(nfc(each) != slug(each) for each in named) * 2 > len(named)
    if titled and _is_file_name(name):
        found = nfc(name)
    else:
        found = slug(name)
    if RESERVED.fullmatch(found.casefold()):
        return f"{slug(name)}-{kind}"
    return found


def _is_file_name(name: str) -> bool:
    """True if every system takes a title as the name of a file, and a link can lead to it."""
    is_odd = set(name) & set('\\/:*?"<>|') or name[:1] in {".", "_", "~"} or name[-1:] in {".", " "}
    return (
        not (is_odd or unlinkable(name))
        and len(name) <= _MOST_FILE_LETTERS
        and len(name.encode()) <= _MOST_FILE_BYTES
    )


def with_alias(text: str, name: str) -> str:
    """The text of a new note with a name among its aliases, unless it has aliases."""
    if _PLAIN.fullmatch(name) and name.lower() not in _WORDS_OF_YAML:
        item = name
    else:
        item = json.dumps(name, ensure_ascii=False)
    line = f"aliases: [{item}]\n"
    head = _HEAD.match(text)
    if not head:
        return f"---\n{line}---\n{text}"
    if found := _ALIASES.search(text, 0, head.end()):
        has_some = found[1].strip(" []") or text[found.end() :].lstrip(" \t").startswith("- ")
        if has_some:
            return text
        return text[: found.start()] + line + text[found.end() :]
    return text[: head.end(1)] + line + text[head.end(1) :]


class Begun(NamedTuple):
    """A note to create: its title, its path, its text, and notices for the person."""

    name: str
    path: str
    text: str
    notices: tuple[str, ...]


def begin_note(
    vault: Vault, kind: str, words: Iterable[str], moment: datetime.datetime, *, force: bool = False
) -> Begun:
    """A new note of a kind, from the person's template for it where there is one.

    `force` makes it where another note is called so. An alias makes links by its name reach it in
    programs that go by the file's name.
    """
    name, there = choose_name(vault, kind, words, force=force)
    text, notices = first_text(vault, kind, name, moment)
    is_reached = name_key(file_stem(there)) == name_key(name)
    if graph_at(vault.root):
        if text is None:
            text = page_start(kind, "" if file_stem(there) == name else name)
    else:
        if text is None:
            text = new_note_text(kind, name, moment.date().isoformat())
        if not is_reached:
            text = with_alias(text, name)
    return Begun(name, there, text, notices)


def choose_name(
    vault: Vault, kind: str, words: Iterable[str], *, force: bool = False
) -> tuple[str, str]:
    """The name and the path of a note to create.

    UsageError where a note has the name, unless `force` is given, or anything the path, for no
    name, and where rules leave the path out, so that nobody would find it again.
    """
    name = title(words)
    called = [
        each for each in get_called(vault.db, private=False) if file_stem(each.path) != "_index"
    ]
    there = _path_for(vault, kind, name, called)
    names = NoteNames(
        called, get_secret(vault.db, private=not vault.person)
    )  # an agent learns nothing of them
    if not force and names.is_private(name):
        raise PrivateNoteError(
            f"there is already a private note called {name!r}",
            "nothing was written; --private shows it; choose another name, or create this one as"
            " well with --force",
        )
    if os.path.lexists(safe_folder.disk_path(vault.root, there)):
        raise UsageError(
            f"{there} already exists",
            "nothing was written; add to that note, or choose another name",
        )
    if not force:
        _check_name(name, there, names)
    refuse_left_out(vault.settings, there)
    return name, there


def _path_for(vault: Vault, kind: str, name: str, called: Sequence[Called]) -> str:
    """The path of a new note, beside others of its kind and named as they are; in a Logseq graph
    its page."""
    home = f"{AGENTS}/{vault.agent}/" if vault.agent else ""
    graph = graph_at(vault.root)
    if graph and not home:
        return f"{graph.pages}/{graph.stem(name)}.md"
    folder = _folder_at(vault, kind, home)
    current = [each.path for each in called if each.kind != "daily" and not is_archived(each.path)]
    beside = [each for each in current if dirname(each) == folder]
    is_titled = _is_linked(vault, name) or (
        not beside and os.path.isdir(os.path.join(vault.root, OBSIDIAN))
    )
    return f"{folder}/{stem_for(kind, name, beside or current, titled=is_titled)}.md"


def _folder_at(vault: Vault, kind: str, home: str) -> str:
    """The folder for a new note of a kind, in an agent's `home` where it has one."""
    from indexer.catalog.filters import Filters

    rows = vault.notes(Filters(kinds=(kind,), apart=APART)).notes
    of_kind = [
        row.path
        for row in rows
        if not is_archived(row.path) and agent_home(row.path).lower() == home.lower()
    ]
    folder = folder_for(kind, of_kind, () if home else top_folders(vault.root))
    if folder.lower().startswith(home.lower()):
        return folder
    return home + folder


def _is_linked(vault: Vault, name: str) -> bool:
    """Whether wikilinks wait for a note of that name: Obsidian goes by file names alone."""
    links = get_links(vault.db, private=False)
    return any(
        link.style == "wiki" and name_key(link.target) == name_key(name) for _, link in links
    )


def graph_at(root: str) -> LogseqGraph | None:
    """The Logseq graph that a folder is, None where it is none."""
    from aurelius.settings.other_apps import LOGSEQ, graph_of

    try:
        return graph_of(safe_folder.read_inside(root, LOGSEQ).data)
    except (OSError, UsageError):
        return None


def _check_name(name: str, there: str, names: NoteNames) -> None:
    """UsageError if another note already has the name of the note to create."""
    taken = names.exactly(name)
    if taken:
        kind = names.paths[taken[0]].kind
        raise UsageError(
            f"there is already a note called {name!r}: {taken[0]} ({kind})",
            f"nothing was written; add to that note, choose another name, or create {there} as well"
            " with --force",
        )


def top_folders(root: str) -> list[str]:
    """The folders at the top of a vault."""
    with os.scandir(root) as entries:
        return [each.name for each in entries if each.is_dir(follow_symlinks=False)]


def archive_folder(vault: Vault) -> str:
    """The folder at the top of the vault that is named as one of archives, one with notes before an
    empty one."""
    for folder in dict.fromkeys((*get_folders(vault.db), *sorted(top_folders(vault.root)))):
        if is_archived(f"{folder}/x.md") and not why_left_out(vault.settings, f"{folder}/x.md"):
            return folder
    return _ARCHIVE_FOLDER


def why_left_out(settings: Settings, *notes: str) -> str:
    """Why no search would find one of these notes, which are not there yet; "" where each would be
    found."""
    if not all(map(may_be_walked, notes)):
        return "is hidden, or in a folder that is never indexed"
    if any(deciding_rule(settings.root, settings.exclude, each, there=False) for each in notes):
        return "would be ignored (.gitignore, .aureliusignore or [index] exclude)"
    return ""


def refuse_left_out(settings: Settings, *notes: str) -> None:
    """UsageError where no search would find one of these notes, which are not there yet."""
    if why := why_left_out(settings, *notes):
        raise UsageError(
            f"{', '.join(notes)} {why}", "choose another folder or name, or change that rule"
        )


# -- templates -------------------------------------------------------------------------


class FirstText(NamedTuple):
    """The first text of a note, None for the usual one; what a person should know of it, a line
    each."""

    text: str | None
    notices: tuple[str, ...] = ()


def first_text(vault: Vault, kind: str, title: str, moment: datetime.datetime) -> FirstText:
    """The first text of a note of a kind."""
    path = _template(vault, kind)
    return _filled_in(vault, path, title, moment) if path else FirstText(None)


def first_text_of_day(vault: Vault, path: str, moment: datetime.datetime) -> FirstText:
    """The first text of the daily note of a path, of the template of days where there is one; ""
    where the settings want no heading, None for the usual one."""
    found = FirstText(None)
    if template := vault.config.daily_template or _template(vault, _DAY_TEMPLATE):
        found = _filled_in(vault, template, file_stem(path), moment)
    if found.text is None and not vault.config.daily_heading:
        found = found._replace(text="")
    return found


def _template(vault: Vault, name: str) -> str:
    """The path of the template of that name, "" for none."""
    folder = vault.config.templates
    with suppress(OSError):
        for each in sorted(os.listdir(safe_folder.disk_path(vault.root, folder)) if folder else ()):
            if may_be_note(each) and caseless(file_stem(each)) == caseless(name):
                return f"{folder}/{each}"
    return ""


def _filled_in(
    vault: Vault,
    path: str,
    title: str,
    moment: datetime.datetime,
) -> FirstText:
    """A template filled in; where it cannot be read, the usual text and why."""
    try:
        data = safe_folder.read_inside(vault.root, path).data
        if len(data) > MOST_OF_TEMPLATE:
            raise UsageError(
                f"{path}: not used as a template, because it is larger than"
                f" {MOST_OF_TEMPLATE >> 10} KiB"
            )
        text, left = _fill_template(data.decode("utf-8-sig"), title, moment)
    except UsageError as error:
        return FirstText(None, (f"{error.message}; the template is not used",))
    except OSError as error:
        why = error.strerror
    except UnicodeDecodeError:
        why = "it is not UTF-8 text"
    else:
        return FirstText(text, tuple(f"{path}: {each}" for each in dict.fromkeys(left)))
    return FirstText(None, (f"{path}: not used as a template: {why}",))


def _fill_template(text: str, title: str, moment: datetime.datetime) -> tuple[str, list[str]]:
    """A template with its fields filled in, and what of it is not understood and stays as it is, a
    line each."""
    left: list[str] = []

    def fill(found: re.Match[str]) -> str:
        field = found[1].lower()
        wanted = found[2]
        if field == "title":
            return title
        try:
            return day_name((wanted or _FORMATS[field]).strip(), moment)
        except ValueError as error:
            left.append(f"{found[0]} was not filled in: {error}")
            return found[0]

    made = _FIELD.sub(fill, text.replace("\r\n", "\n"))
    if "<%" in made:
        left.append("code in <% %> was copied as it is: Aurelius does not run code")
    return made if made.endswith("\n") or not made else made + "\n", left


# -- what a name seems to be -----------------------------------------------------------


_FAMILY = (
    "wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|sister|brother|mother"
    "|father|mum|mom|dad|cousin"
    "|uncle|aunt|niece|nephew|grand(?:mother|father|ma|pa|son|daughter)|(?:mother|father|sister"
    "|brother)-in-law"
)
_CLOSE_BEFORE = re.compile(rf"(?i)\b(?:my|our) (?:\w+ )?(?:{_FAMILY}),? $")
_CLOSE_BEHIND = re.compile(rf"(?i),? (?:is |\()?(?:my|our) (?:\w+ )?(?:{_FAMILY})\b")
_PROJECT_BEFORE = re.compile(r"(?i)\bproject[:!,]? (?:called |named )?[\"“]?$")
_SOMEBODY = re.compile(
    r"[^.;:A-Z]{0,60}?\b(?:he|she|his|her|birthday|works (?:at|for|as)|retire[sd]?|married|born"
    r"|lives)\b|'s \w+ is\b"
)
_TRADE = re.compile(
    r"\b(?:GmbH|Inc|Ltd|LLC|AG|Corp|company|firm|startup|supplier|vendor|agency|orders?|invoices?"
    r"|offers?|delivers?"
    r"|upfront|customers?|discount|crew|shop|contractor)\b|gives us\b|charges us\b"
)


def signs_of(before: str, behind: str) -> Counter[str]:
    """What speaks for a name being that of a person, a company or a project, by what stands around
    it in a line."""
    return Counter(
        {
            "close": bool(_CLOSE_BEFORE.search(before) or _CLOSE_BEHIND.match(behind)),
            "project": bool(_PROJECT_BEFORE.search(before)),
            "work": bool(re.match(r" project\b(?! [A-Z])", behind)),
            "person": bool(_SOMEBODY.match(behind)),
            "company": bool(_TRADE.search(behind)),
            "amid": bool(re.search(r"[\w,]\s+$", before)),
        }
    )
