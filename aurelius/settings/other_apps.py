"""What Obsidian and Logseq keep of a vault in their own settings, as settings of Aurelius; pure,
and believes nothing.

Whatever is not plainly a folder, a file or a name of a day inside the vault is told and not taken.
"""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
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

MOST_PATTERNS = 100
"""Patterns that are taken over."""

_MOST_NAME_LETTERS = 300
"""Letters of a name that is taken over."""

FORMATS = tuple(
    above + name
    for above in ("", "YYYY/", "YYYY/MM/", "YYYY/YYYY-MM/", "YYYY-MM/", "YYYY/MM-MMMM/")
    for name in (USUAL_FORMAT, "YYYY_MM_DD", "YYYY.MM.DD", "YYYYMMDD")
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
        filled = [
            place for place in templates if any(note.startswith(f"{place}/") for note in notes)
        ]
        place = next(iter([*filled, *templates]))
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
        where = None
    else:
        where = _folder(source, said.get("folder") or TOP, told)
    name = said.get("format") or USUAL_FORMAT
    if isinstance(name, str):
        name = of_moment(name)
    if where and not (isinstance(name, str) and is_day_format(name, where)):
        shown = "these names"
        if _is_text(name):
            shown = f"names like {name!r}"
        told.append(
            f"{source}: Aurelius cannot read {shown} as days, so new daily notes are named"
            f" {USUAL_FORMAT}"
        )
        name = USUAL_FORMAT
    if where and (why := refuse(day_path(where, name, _DAY))):
        told.append(f"{source}: daily notes are not written to {where}: {why}")
        where = None
    if not where:
        return _seen(notes, refuse, told) or ([] if source else _usual_of_obsidian(read, refuse))
    taken = [Adopted("daily.folder", where, source)]
    if name != USUAL_FORMAT:
        taken += [Adopted("daily.format", name, source)]
    taken.append(Adopted("daily.heading", value=False, source=source))
    template = _template(read, source, said, notes, told)
    if source == LOGSEQ and any(_list(read[LOGSEQ].get("default-templates"))):
        told.append(
            f"{source}: the journal template is a block, which Aurelius cannot use; new daily notes"
            " begin empty"
        )
    return taken + ([Adopted("daily.template", template, source)] if template else [])


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
    parts = re.split(r"(\[[^\]]*\]|(?:\\.)+)", format)
    told = [
        part.replace("y", "Y") if not at % 2 else part if part[0] == "[" else f"[{part[1::2]}]"
        for at, part in enumerate(parts)
    ]
    return "".join(told)


def _seen(notes: Sequence[str], refuse: Refuse, told: list[str]) -> list[Adopted]:
    """Where the daily notes lie that are there, and how they are named; other folders that may be
    meant are told.

    Rather in a folder that is called after them than in one of more days, and rather near the top:
    programs keep notes of their own by day. Never among reports, drafts and copies. OpenClaw writes
    to `memory`, whatever is there.
    """
    ways: Counter[_DailyForm] = Counter()
    for path in notes:
        if (day := day_of_path(path, "")) and not agent_of(path):
            for name in FORMATS:
                end = day_path(TOP, name, datetime.date.fromisoformat(day))
                if path == end or path.endswith(f"/{end}"):
                    ways[path[: -len(end)].rstrip("/") or TOP, name] += 1
    is_openclaws = sum(name in notes for name in OPENCLAW) > 1
    sure = {way for way in ways if ways[way] >= _LEAST_DAILY_NOTES} | (
        {("memory", USUAL_FORMAT)} if is_openclaws else set()
    )
    likely = [
        way
        for way in {*ways, *sure}
        if (way in sure or ("/" not in way[0] and _named(way[0])))
        and not _REPORT.search(way[0])
        and not refuse(day_path(*way, _DAY))
    ]
    if not likely:
        return []
    places = {
        way: (_named(way[0]), -way[0].count("/")) if way in sure and _named(way[0]) else (0, 0)
        for way in likely
    }
    best, *rest = sorted(
        likely, key=lambda way: (places[way], ways[way], len(way[1]), way), reverse=True
    )
    folder, name = best
    least = {way: ways[best] / 2 if places[way] == places[best] else ways[best] + 1 for way in rest}
    others = {way[0]: ways[way] for way in rest if way[0] != folder and ways[way] >= least[way]}
    if others:
        shown = ", ".join(
            f"{other} has {count}"
            for other, count in Counter(others).most_common(_MOST_TOLD_FOLDERS)
        )
        more = ""
        if len(others) > _MOST_TOLD_FOLDERS:
            more = f" ({len(others)} folders in all)"
        told.append(
            f"daily notes are taken to be in {folder} ({ways[best]}), but {shown}{more}; "
            "to choose another folder: aurelius config set daily.folder FOLDER"
        )
    source = f"the daily notes that are there ({ways[best]})"
    taken = []
    if folder != "memory":
        taken = [Adopted("daily.folder", folder, source)]
    return taken + ([Adopted("daily.format", name, source)] if name != USUAL_FORMAT else [])


def _named(folder: str) -> int:
    """Whether a folder is called after daily notes: 2 where it plainly is, 1 for a log, which may
    be a program's."""
    if not holds_days(folder):
        return 0
    if folder.lower().endswith(("log", "logs")):
        return 1
    return 2


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
    said = [(APP, each) for each in _list(read.get(APP, {}).get("userIgnoreFilters"))]
    said += [(LOGSEQ, each) for each in _list(read.get(LOGSEQ, {}).get("hidden"))]
    for source, each in said:
        if isinstance(each, str) and source == LOGSEQ:
            path = each.lstrip("/")
        else:
            path = each
        why = _why_searched(path, daily) or "there are too many entries" * (
            len(found) >= MOST_PATTERNS
        )
        if why:
            told.append(
                f"{source}: {repr(each) if _is_text(each) else 'an entry'} is still searched: {why}"
            )
        else:
            found[
                f"/{pattern_of(path)}" + ("*" if source == APP and not path.endswith("/") else "")
            ] = source
    return tuple(found), dict.fromkeys(found.values())


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
        if isinstance(
            found, (list, dict) if name == OBSIDIAN_CORE else list if name == PLUGINS else dict
        ):
            return found
        why = "it does not have the expected form"
    except (ValueError, RecursionError):
        why = "it is damaged"
    told.append(f"{name}: not read, because {why}")
    return None


def _edn(text: str) -> dict[str, Any]:
    """The texts, keywords and lists of texts at the top of Logseq's map, by keyword; ValueError
    where it is no map."""
    found: dict[str, Any] = {}
    depth = 0
    key = ""
    for match in _EDN.finditer(text):
        string, closed, comment, bracket, word = match.groups()
        if closed == "":
            raise ValueError("a quote is not closed")
        if comment is not None:
            continue
        if bracket and bracket in "[({":
            depth += 1
            if depth == 2 and key:
                found[key] = []
        elif bracket:
            depth -= 1
            if depth == 1:
                key = ""
        elif depth == 1:
            if string is not None and key:
                found[key] = _ESCAPED.sub(r"\1", string)
            if word and word[0] == ":" and key:
                found[key] = word
            if word and word[0] == ":" and not key:
                key = word[1:]
            else:
                key = ""
        elif depth == 2 and string is not None and key:
            found[key].append(_ESCAPED.sub(r"\1", string))
        if depth < 0 or not (depth or bracket):
            raise ValueError("not a map")
    if depth:
        raise ValueError("not closed")
    return found


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
        f"{source}: {repr(value) if _is_text(value) else 'a value'} is ignored: it is not a path"
        " inside the vault"
    )
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_NAME_LETTERS and value.isprintable()


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value[: MOST_PATTERNS + 1]
    return []
