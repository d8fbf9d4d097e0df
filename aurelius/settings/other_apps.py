"""What Obsidian and Logseq keep of a vault in their own settings, as settings of Aurelius; pure,
and believes nothing.

Whatever is not plainly a folder, a file or a name of a day inside the vault is told and not taken.
"""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import unquote

from indexer.reading.path_meaning import (
    TOP,
    USUAL_FORMAT,
    agent_of,
    day_of_path,
    day_path,
    is_day_format,
)

from .keys import KEYS

PERIODIC = ".obsidian/plugins/periodic-notes/data.json"
PLUGINS = ".obsidian/community-plugins.json"
OBSIDIAN_DAILY = ".obsidian/daily-notes.json"
TEMPLATES = ".obsidian/templates.json"
TEMPLATER = ".obsidian/plugins/templater-obsidian/data.json"
OBSIDIAN_CORE = ".obsidian/core-plugins.json"
APP = ".obsidian/app.json"
LOGSEQ = "logseq/config.edn"
APP_FILES = (PERIODIC, PLUGINS, OBSIDIAN_DAILY, TEMPLATES, TEMPLATER, OBSIDIAN_CORE, APP, LOGSEQ)
"""The files that are looked at."""
_EXPECTED: dict[str, Any] = {OBSIDIAN_CORE: (list, dict), PLUGINS: list}
"""What such a file may hold, where that is not an object alone."""

MOST_PATTERNS = 100
"""Patterns that are taken over."""

_MOST_NAME_LETTERS = 300
"""Letters of a name that is taken over."""

FORMATS = tuple(
    map(
        "".join,
        product(
            ("", "YYYY/", "YYYY/MM/", "YYYY/YYYY-MM/", "YYYY-MM/", "YYYY/MM-MMMM/"),
            (USUAL_FORMAT, "YYYY_MM_DD", "YYYY.MM.DD", "YYYYMMDD"),
        ),
    )
)
"""How daily notes are named where no settings say it."""

_LEAST_DAILY_NOTES = 3
"""Daily notes that make a folder one of daily notes, whatever it is called."""

OPENCLAW = ("SOUL.md", "AGENTS.md", "MEMORY.md")
"""Notes at the top of a workspace of OpenClaw; two of them make a folder one."""

_MOST_TOLD_FOLDERS = 3
"""Folders beside the chosen one that are told."""

_DailyForm = tuple[str, str]
"""A folder of daily notes and the format of their names."""

_REPORT = re.compile(
    r"(?i)(?:^|[\W_])(?:reports?|audits?|alerts?|drafts?|runs?|outputs?|exports?|templates?"
    r"|backups?|bak|old|archived?"
    r"|archives|snapshots?)(?:[\W_]|$)"
)
"""In the path of a folder of what was made day by day, or of copies."""
_DAY = datetime.date(2026, 2, 1)
_READERS = {key.name: key.read for key in KEYS}
_EDN = re.compile(r'"((?:[^"\\]|\\.)*+)("?)|(;[^\n]*)|([\[\](){}])|([^\s,\[\](){}";]+)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NOT_IN_FILES = re.compile(r"[<>:\"|?*\\#%\x00-\x1f]")
_SPECIAL = re.compile(r"([\\*?\[\]!#])")


class Adopted(NamedTuple):
    """A setting that was found: its key, its value, the file or the folder that it comes from."""

    key: str
    value: Any
    source: str


class Adoption(NamedTuple):
    """What was found: settings to write down, and what a person should know of the others, a line
    each."""

    taken: tuple[Adopted, ...]
    told: tuple[str, ...]


class LogseqGraph(NamedTuple):
    """A Logseq graph: its folder of pages, and whether `___` stands for the / of a page's name in
    its file's name."""

    pages: str
    lowbar: bool

    def page(self, stem: str) -> str:
        """The name of the page that a file without `title::` holds."""
        return unquote(stem.replace("___", "/") if self.lowbar else stem)

    def stem(self, page: str) -> str:
        """The name of a page's file, without its ending."""
        plain = _NOT_IN_FILES.sub(lambda found: f"%{ord(found[0]):02X}", page)
        if self.lowbar:
            return plain.replace("___", "%5F%5F%5F").replace("/", "___")
        return plain.replace("/", "%2F")


def graph_of(data: bytes) -> LogseqGraph:
    """The graph that a file LOGSEQ is about; one that is damaged counts as empty."""
    said = _tree(LOGSEQ, data, []) or {}
    pages = _folder(LOGSEQ, said.get("pages-directory"), []) or "pages"
    return LogseqGraph(pages, said.get("file/name-format") == ":triple-lowbar")


Refuse = Callable[[str], str]
"""Why no note of a path may be written or would be found, "" for one that may and would."""


def find_app_settings(files: Mapping[str, bytes], notes: Iterable[str], refuse: Refuse) -> Adoption:
    """The settings in those of APP_FILES that are there, else in where the daily notes lie."""
    told: list[str] = []
    read = {
        name: tree for name, data in files.items() if (tree := _tree(name, data, told)) is not None
    }
    notes = tuple(notes)
    taken = _daily(read, notes, refuse, told)
    folder = next(
        (row.value for row in taken if row.key == "daily.folder"),
        _READERS["daily.folder"]("memory"),
    )
    templates = _templates(read, told)
    if templates:
        place = max(
            templates, key=lambda folder: any(note.startswith(f"{folder}/") for note in notes)
        )
        taken.append(Adopted("templates.folder", place, templates[place]))
    patterns, sources = _excluded(read, templates, folder, told)
    if patterns:
        taken.append(Adopted("index.exclude", patterns, ", ".join(sources)))
    return Adoption(tuple(taken), tuple(told))


def _templates(read: Mapping[str, Any], told: list[str]) -> dict[str, str]:
    """The folders of templates, each with the file that names it: Obsidian's own first, then the
    Templater plugin's.

    Whoever moved on to the plugin may have left a folder named in the other that is there no more.
    """
    said = [(TEMPLATES, read.get(TEMPLATES, {}).get("folder"))]
    if _is_on("templater-obsidian", read):
        said.append((TEMPLATER, read.get(TEMPLATER, {}).get("templates_folder")))
    found: dict[str, str] = {}
    for source, value in said:
        place = _folder(source, value, told)
        if place and place != TOP:
            found.setdefault(place, source)
    return found


def _is_on(plugin: str, read: Mapping[str, Any]) -> bool:
    """Whether a community plugin is switched on, as far as the list of those that are says so."""
    enabled = read.get(PLUGINS)
    return not isinstance(enabled, list) or plugin in enabled


# -- the day ---------------------------------------------------------------------------


def _daily(
    read: Mapping[str, Any], notes: Sequence[str], refuse: Refuse, told: list[str]
) -> list[Adopted]:
    """Folder, name, heading and template of daily notes."""
    source, said = _said(read)
    if not source:
        return _seen(notes, refuse, told) or _usual_of_obsidian(read, refuse)
    folder, name = _daily_form(source, said, refuse, told)
    if not folder:
        return _seen(notes, refuse, told)
    taken = [Adopted("daily.folder", folder, source)]
    if name != USUAL_FORMAT:
        taken.append(Adopted("daily.format", name, source))
    taken.append(Adopted("daily.heading", value=False, source=source))
    template = _template(read, source, said, notes, told)
    if source == LOGSEQ and any(_list(read[LOGSEQ].get("default-templates"))):
        told.append(
            f"{source}: the journal template is a block, which Aurelius cannot use; new daily notes"
            " begin empty"
        )
    if template:
        taken.append(Adopted("daily.template", template, source))
    return taken


def _daily_form(
    source: str, said: Mapping[str, Any], refuse: Refuse, told: list[str]
) -> _DailyForm:
    """The folder of daily notes and the format of their names that a file says; two "" where it
    says none that can be used."""
    folder = _folder(source, said.get("folder") or TOP, told)
    if not folder:
        return "", ""
    name = said.get("format") or USUAL_FORMAT
    if isinstance(name, str):
        name = of_moment(name)
    if not (isinstance(name, str) and is_day_format(name, folder)):
        shown = "these names"
        if _is_text(name):
            shown = f"names like {name!r}"
        told.append(
            f"{source}: Aurelius cannot read {shown} as days, so new daily notes are named"
            f" {USUAL_FORMAT}"
        )
        name = USUAL_FORMAT
    why = refuse(day_path(folder, name, _DAY))
    if why:
        told.append(f"{source}: daily notes are not written to {folder}: {why}")
        return "", ""
    return folder, name


def _said(read: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The file that says where daily notes go, and what it says; the plugin's goes before
    Obsidian's own."""
    plugin = read.get(PERIODIC, {}).get("daily")
    if (
        isinstance(plugin, dict)
        and plugin.get("enabled") is True
        and _is_on("periodic-notes", read)
    ):
        return PERIODIC, plugin
    if OBSIDIAN_DAILY in read:
        return OBSIDIAN_DAILY, read[OBSIDIAN_DAILY]
    if LOGSEQ not in read:
        return "", {}
    said = read[LOGSEQ]
    name = said.get("journal/file-name-format") or "yyyy_MM_dd"
    folder = said.get("journals-directory") or "journals"
    return LOGSEQ, {"folder": folder, "format": of_logseq(name) if isinstance(name, str) else name}


def _template(
    read: Mapping[str, Any],
    source: str,
    said: Mapping[str, Any],
    notes: Sequence[str],
    told: list[str],
) -> str:
    """The template of a day; Obsidian's own where the plugin's is not there."""
    template = _file(source, said.get("template"), told)
    if source == PERIODIC and template not in notes:
        other = _file(OBSIDIAN_DAILY, read.get(OBSIDIAN_DAILY, {}).get("template"), told)
        if other in notes:
            return other
    return template


def _usual_of_obsidian(read: Mapping[str, Any], refuse: Refuse) -> list[Adopted]:
    """The top of the vault, where Obsidian puts daily notes that no settings speak of, if that
    plugin is on."""
    plugins = read.get(OBSIDIAN_CORE)
    if isinstance(plugins, list):
        is_on = "daily-notes" in plugins
    else:
        is_on = (plugins or {}).get("daily-notes") is True
    if not is_on or refuse(day_path(TOP, USUAL_FORMAT, _DAY)):
        return []
    return [
        Adopted("daily.folder", TOP, OBSIDIAN_CORE),
        Adopted("daily.heading", value=False, source=OBSIDIAN_CORE),
    ]


def of_moment(format: str) -> str:
    """A format of moment's in the tokens known here: `yyyy` means YYYY, and a letter behind a
    backslash is text."""
    return re.sub(r"\[[^\]]*\]|(?:\\.)+|y", _of_moments_part, format)


def _of_moments_part(found: re.Match[str]) -> str:
    part = found[0]
    if part == "y":
        return "Y"
    if part[0] == "[":
        return part
    return f"[{part[1::2]}]"


def _seen(notes: Sequence[str], refuse: Refuse, told: list[str]) -> list[Adopted]:
    """Where the daily notes lie that are there, and how they are named; other folders that may be
    meant are told.

    Rather in a folder that is called after them than in one of more days, and rather near the top:
    programs keep notes of their own by day. Never among reports, drafts and copies. OpenClaw writes
    to `memory`, whatever is there.
    """
    counts = _counted_forms(notes)
    ranks = _ranked_forms(counts, notes, refuse)
    if not ranks:
        return []
    best, *rest = sorted(
        ranks, key=lambda form: (ranks[form], counts[form], len(form[1]), form), reverse=True
    )
    folder, name = best
    days = counts[best]
    others: dict[str, int] = {}
    for form in rest:
        least = days / 2 if ranks[form] == ranks[best] else days + 1
        if form[0] != folder and counts[form] >= least:
            others[form[0]] = counts[form]
    if others:
        told.append(_other_folders(folder, days, others))
    source = f"the daily notes that are there ({days})"
    taken = []
    if folder != "memory":
        taken.append(Adopted("daily.folder", folder, source))
    if name != USUAL_FORMAT:
        taken.append(Adopted("daily.format", name, source))
    return taken


def _counted_forms(notes: Iterable[str]) -> Counter[_DailyForm]:
    """How many notes of days there are of each form; those in a folder of an agent are left out."""
    counts: Counter[_DailyForm] = Counter()
    for path in notes:
        date = day_of_path(path, "")
        if not date or agent_of(path):
            continue
        for name in FORMATS:
            end = day_path(TOP, name, datetime.date.fromisoformat(date))
            if f"/{path}".endswith(f"/{end}"):
                counts[path[: -len(end)].rstrip("/") or TOP, name] += 1
    return counts


def _ranked_forms(
    counts: Mapping[_DailyForm, int], notes: Sequence[str], refuse: Refuse
) -> dict[_DailyForm, tuple[int, int]]:
    """The forms that may be that of the daily notes, each with how likely its folder is by name:
    how plainly it is called after them (a log may be a program's), then how near the top it is."""
    sure = _sure_forms(counts, notes)
    ranks: dict[_DailyForm, tuple[int, int]] = {}
    for form in {*counts, *sure}:
        folder = form[0]
        named = holds_days(folder)
        rank = (0, 0)
        if form in sure and named:
            rank = (2 - folder.lower().endswith(("log", "logs")), -folder.count("/"))
        elif form not in sure and (not named or "/" in folder):
            continue
        if not (_REPORT.search(folder) or refuse(day_path(*form, _DAY))):
            ranks[form] = rank
    return ranks


def _sure_forms(counts: Mapping[_DailyForm, int], notes: Sequence[str]) -> set[_DailyForm]:
    """The forms that are one of daily notes whatever their folder is called."""
    sure = {form for form, count in counts.items() if count >= _LEAST_DAILY_NOTES}
    if sum(name in notes for name in OPENCLAW) > 1:
        sure.add(("memory", USUAL_FORMAT))
    return sure


def _other_folders(folder: str, days: int, others: Mapping[str, int]) -> str:
    """That other folders have daily notes too, and how to choose one of them."""
    most = Counter(others).most_common(_MOST_TOLD_FOLDERS)
    shown = ", ".join(f"{other} has {count}" for other, count in most)
    more = ""
    if len(others) > _MOST_TOLD_FOLDERS:
        more = f" ({len(others)} folders in all)"
    return (
        f"daily notes are taken to be in {folder} ({days}), but {shown}{more}; "
        "to choose another folder: aurelius config set daily.folder FOLDER"
    )


def holds_days(folder: str) -> bool:
    """Whether a folder, or the one above its years and months, is called after daily notes."""
    return day_of_path(f"{folder}/2026-02-01 x.md", "") is not None


def of_logseq(format: str) -> str:
    """A format of Java's tokens, as Logseq has it, in moment's: `yyyy_MM_dd` → YYYY_MM_DD."""
    found = re.sub(r"'([^']*)'", r"[\1]", format)
    return re.sub(r"\[[^\]]*\]|[yd]+|E+", _of_java, found)


def _of_java(found: re.Match[str]) -> str:
    text = found[0]
    if text[0] == "E":
        if len(text) > 3:
            return "dddd"
        return "ddd"
    if text[0] == "[":
        return text
    return text.upper()


# -- what is left out ------------------------------------------------------------------


def _excluded(
    read: Mapping[str, Any], templates: Mapping[str, str], daily: str, told: list[str]
) -> tuple[tuple[str, ...], dict[str, None]]:
    """The patterns that leave out templates and what the other program ignores, and the files that
    they come from."""
    found = {
        f"/{pattern_of(place)}/": source
        for place, source in templates.items()
        if not _holds(f"{place}/", daily)
    }
    entries = [(APP, entry) for entry in _list(read.get(APP, {}).get("userIgnoreFilters"))]
    entries += [(LOGSEQ, entry) for entry in _list(read.get(LOGSEQ, {}).get("hidden"))]
    for source, entry in entries:
        path = entry
        if isinstance(entry, str) and source == LOGSEQ:
            path = entry.lstrip("/")
        why = _why_searched(path, daily)
        if not why and len(found) >= MOST_PATTERNS:
            why = "there are too many entries"
        if why:
            told.append(f"{source}: {_shown(entry, 'an entry')} is still searched: {why}")
            continue
        found[_entry_pattern(source, path)] = source
    return tuple(found), dict.fromkeys(found.values())


def _entry_pattern(source: str, path: str) -> str:
    """A path of an entry as a pattern; Obsidian leaves out whatever begins as one of its own."""
    pattern = f"/{pattern_of(path)}"
    if source == APP and not path.endswith("/"):
        return f"{pattern}*"
    return pattern


def _why_searched(path: Any, daily: str) -> str:
    """Why what another program ignores is not left out here, "" where it is."""
    if _is_text(path) and len(path) > 1 and path[0] == path[-1] == "/":  # so Obsidian writes one
        return "it is a regular expression, which Aurelius does not read"
    if _is_text(path):
        steps = path.split("/")
    else:
        steps = [".."]
    if ".." in steps or path[:1] in {"/", "~"} or not "".join(steps).strip(". "):
        return "it is not a path inside the vault"
    if _holds(path, daily):
        return "it would leave out daily notes"
    return ""


def _holds(path: str, folder: str) -> bool:
    return f"{folder}/".startswith(
        path if path.endswith("/") else f"{path}/"
    ) or f"{folder}/".startswith(path)


def pattern_of(path: str) -> str:
    """A path as a pattern that means it alone."""
    found = _SPECIAL.sub(r"\\\1", path)
    if found.endswith(" "):
        return found[:-1] + "\\ "
    return found


# -- reading what is not to be believed ------------------------------------------------


def _tree(name: str, data: bytes, told: list[str]) -> Any:
    """What a file of settings holds: an object, or a list of plugins; nothing where it is
    damaged."""
    try:
        text = data.decode("utf-8-sig")
        found: Any = _edn(text) if name == LOGSEQ else json.loads(text)
    except (ValueError, RecursionError):
        why = "it is damaged"
    else:
        if isinstance(found, _EXPECTED.get(name, dict)):
            return found
        why = "it does not have the expected form"
    told.append(f"{name}: not read, because {why}")
    return None


def _edn(text: str) -> dict[str, Any]:
    """The texts, keywords and lists of texts at the top of Logseq's map, by keyword; ValueError
    where it is no map."""
    found: dict[str, Any] = {}
    key = ""
    for name, value in _edn_forms(text):
        if key and value is not None:
            found[key] = value
        key = "" if key else name
    return found


def _edn_forms(text: str) -> Iterator[tuple[str, Any]]:
    """What stands at the top of a map of EDN, one after the other: the name that a keyword is, ""
    for anything else, and the value: a keyword, a text, the texts of a list, None for others."""
    texts: list[str] = []
    for depth, token in _edn_tokens(text):
        string, _, _, bracket, word = token.groups()
        if bracket:
            if depth == 1 and bracket in "])}":
                yield "", texts
                texts = []
        elif string is not None:
            plain = _ESCAPED.sub(r"\1", string)
            if depth == 1:
                yield "", plain
            elif depth == 2:
                texts.append(plain)
        elif depth == 1:
            yield (word[1:], word) if word[0] == ":" else ("", None)


def _edn_tokens(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The tokens of EDN but comments, each with how deep in brackets the text behind it is;
    ValueError where it is no map."""
    depth = 0
    for token in _EDN.finditer(text):
        _, closed, comment, bracket, _ = token.groups()
        if closed == "":
            raise ValueError("a quote is not closed")
        if comment is not None:
            continue
        if bracket:
            depth += 1 if bracket in "[({" else -1
        if depth < 0 or not (depth or bracket):
            raise ValueError("not a map")
        yield depth, token
    if depth:
        raise ValueError("not closed")


def _folder(source: str, value: Any, told: list[str]) -> str:
    """A folder of the vault that a file names, "" for none."""
    if value in (None, ""):
        return ""
    if value in ("/", TOP):
        return TOP
    return _checked("daily.folder", source, value, told)


def _file(source: str, value: Any, told: list[str]) -> str:
    """A note of the vault that a file names, "" for none."""
    if value in (None, ""):
        return ""
    named = _checked("daily.template", source, value, told)
    if not named or named.lower().endswith(".md"):
        return named
    return f"{named}.md"


def _checked(
    key: str,
    source: str,
    value: Any,
    told: list[str],
) -> str:
    with suppress(ValueError):
        if _is_text(value):
            return str(_READERS[key](value.strip()))
    told.append(
        f"{source}: {_shown(value, 'a value')} is ignored: it is not a path inside the vault"
    )
    return ""


def _shown(value: Any, other: str) -> str:
    """A value as a message shows it: in quotes, or the `other` words for one that is no text."""
    if _is_text(value):
        return repr(value)
    return other


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_NAME_LETTERS and value.isprintable()


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value[: MOST_PATTERNS + 1]
    return []
