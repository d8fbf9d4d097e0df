"""Evaluation sets: a vault and questions with the notes that answer them.

A folder with `vault/` and `queries*.jsonl` is a set, and so is a file `NAME.jsonl` in a folder
beside others where a folder `NAME` is a vault. From any vault a set of short questions can be made:
names, link texts, properties.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Question = dict[str, Any]
SHORT = ("file name", "alias", "link text", "property")
"""The categories of short questions."""
WORD = re.compile(r"[^\W_]+")
FRONT = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE
)
FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
WIKI = re.compile(r"(?<!!)\[\[([^\[\]|\n]+)\|([^\[\]\n]+)\]\]")
LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(<?([^()\s<>:]+?)(?:\.md)(?:#[^()\s<>]*)?>?\)")
LINES = re.compile(r"^[ \t-]*(?:alias|aliases)::[ \t]*(.+)$", re.MULTILINE)


class Set(NamedTuple):
    """A vault and its questions."""

    name: str
    vault: Path
    questions: tuple[Question, ...]

    @property
    def index(self) -> str:
        """The name of the folder for its index: that of the vault, which several sets may share."""
        return hashlib.sha256(str(self.vault).encode()).hexdigest()[:16]

    @property
    def short(self) -> bool:
        """Whether its questions are short ones, of the categories in SHORT."""
        return all(question.get("category") in SHORT for question in self.questions)


def sets(folder: Path, place: Path, *, only: str = "", sample: int = 0) -> Iterator[Set]:
    """The sets below a folder whose names hold one of the words of `only`, at most `sample`
    questions of each.

    Zips are unpacked to `place` first.
    """
    for archive in sorted(folder.glob("*.zip")):
        if not (folder / archive.stem).is_dir():
            unpack(archive, place / "sets")
    wanted = only.split(",")
    roots = (folder, place / "sets")
    for root in roots:
        for path in sorted(root.glob("**/*.jsonl")):
            inner = path.parent.relative_to(root).as_posix()
            name = root.name if inner == "." else inner
            if path.stem.startswith("queries"):
                name, vault = (
                    name + path.stem.removeprefix("queries").replace("-", " "),
                    path.parent / "vault",
                )
            else:
                others = (other / path.stem for each in roots for other in each.glob("*"))
                name, vault = (
                    f"{name}/{path.stem}",
                    next((other for other in others if other.is_dir()), path),
                )
            if vault.is_dir() and any(word in name for word in wanted):
                questions = [
                    json.loads(line)
                    for line in path.read_text("utf-8").splitlines()
                    if line.strip()
                ]
                yield Set(name, vault, spread(questions, sample or len(questions)))


def unpack(archive: Path, place: Path) -> None:
    """Unpack a set to a folder of its name, whether the archive begins with that folder or not."""
    with zipfile.ZipFile(archive) as opened:
        named = all(name.startswith(archive.stem + "/") for name in opened.namelist())
        opened.extractall(place if named else place / archive.stem)


def spread(questions: Sequence[Question], most: int) -> tuple[Question, ...]:
    """At most so many of the questions, from the whole range."""
    count = min(most, len(questions))
    return tuple(questions[at * len(questions) // count] for at in range(count))


def notes(vault: Path) -> dict[str, str]:
    """The text of every note by its path; hidden folders left out."""
    found = {}
    for path in sorted(vault.rglob("*.md")):
        inner = path.relative_to(vault)
        if not any(part.startswith(".") for part in inner.parts) and path.is_file():
            found[inner.as_posix()] = path.read_text("utf-8", "replace")
    return found


# -- questions that are made -----------------------------------------------------------


def known_items(vault: Path, *, most: int = 150) -> Set:
    """Short questions with one right note, out of a vault as it stands; at most so many of each
    kind.

    A name or an alias that one note alone bears, a link's text that leads to one note (the notes
    that hold it are struck from the answers), and a word that stands in one property of one note
    and nowhere else.
    """
    texts = notes(vault)
    fronts = {path: _fields(text) for path, text in texts.items()}
    bearers: dict[str, set[str]] = defaultdict(set)
    kinds: dict[str, dict[str, Question]] = {kind: {} for kind in SHORT}
    for path, fields in fronts.items():
        for name in (
            _name(path),
            *_aliases(fields),
            *(_plain(title) for title in fields.get("title", ())),
        ):
            bearers[name].add(path)
    for path, fields in fronts.items():
        kinds["file name"][_name(path)] = {"relevant": [path]}
        kinds["alias"].update(
            {alias: {"relevant": [path]} for alias in _aliases(fields) if alias != _name(path)}
        )
    for kind in ("file name", "alias"):
        kinds[kind] = {
            text: one
            for text, one in kinds[kind].items()
            if len(text) > 1 and len(bearers[text]) == 1
        }
    kinds["link text"] = _link_texts(texts, bearers)
    kinds["property"] = _lone_words(texts, fronts)
    questions: list[Question] = []
    for kind, found in kinds.items():
        chosen = sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())[:most]
        questions += [
            {"id": f"{kind}:{text}", "query": text, "category": kind, **found[text]}
            for text in chosen
        ]
    return Set(f"known items of {vault.name}", vault, tuple(questions))


def _fields(text: str) -> dict[str, list[str]]:
    """The front matter of a note, read line by line: the scalars under each key of the first
    level."""
    match = FRONT.match(text)
    fields: dict[str, list[str]] = defaultdict(list)
    fields["alias"] += [part for line in LINES.findall(text) for part in line.split(",")]
    key = ""
    for line in match[1].splitlines() if match else ():
        named = re.match(r"([\w][\w .-]*?)[ \t]*:(?:[ \t]+(.*)|$)", line)
        key, value = (
            (named[1].lower(), named[2] or "") if named else (key, line.strip().removeprefix("-"))
        )
        value = (
            value.strip().removeprefix("[").removesuffix("]")
            if not value.strip().startswith("[[")
            else value
        )
        parts = value.split(",") if key in {"alias", "aliases"} else [value]
        fields[key] += [
            part.strip().strip("\"'").strip() for part in parts if part.strip(" \"'>|-")
        ]
    return fields


def _aliases(fields: dict[str, list[str]]) -> list[str]:
    return [
        _plain(alias)
        for key in ("alias", "aliases")
        for alias in fields.get(key, ())
        if _plain(alias)
    ]


def _plain(text: str) -> str:
    """A name as somebody would type it: its words in small letters."""
    return " ".join(WORD.findall(unicodedata.normalize("NFC", text).lower()))


def _name(path: str) -> str:
    return _plain(path.rsplit("/", 1)[-1].removesuffix(".md"))


def _link_texts(texts: dict[str, str], bearers: dict[str, set[str]]) -> dict[str, Question]:
    """Texts that only links to one note have, and that are no note's name."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in texts:
        by_name[_name(path)].append(path)
    targets: dict[str, set[str]] = defaultdict(set)
    askers: dict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        body = FENCE.sub("", FRONT.sub("", text))
        pairs = [(text, target) for target, text in WIKI.findall(body)] + LINK.findall(body)
        for said, target in (pair for pair in pairs if "://" not in pair[0]):
            leads = by_name.get(
                _plain(target.partition("#")[0].replace("%20", " ").rsplit("/", 1)[-1]), ()
            )
            key = _plain(said)
            askers[key].add(path)
            targets[key].update(leads if len(leads) == 1 else ("", ""))
    return {
        key: {"relevant": sorted(found), "ignore": sorted(askers[key] - found)}
        for key, found in targets.items()
        if len(found) == 1
        and "" not in found
        and key not in bearers
        and len(key) > 2
        and not key.isdigit()
    }


def _lone_words(
    texts: dict[str, str], fronts: dict[str, dict[str, list[str]]]
) -> dict[str, Question]:
    """Words that stand once in all notes and their names: in a property of one note."""
    counts: Counter[str] = Counter()
    for path, text in texts.items():
        counts.update(WORD.findall(path.lower()))
        counts.update(WORD.findall(unicodedata.normalize("NFC", text).lower()))
    found: dict[str, Question] = {}
    for path, fields in fronts.items():
        for key, values in fields.items():
            if key not in {"alias", "aliases", "title", "tags", "tag"}:
                words = WORD.findall(" ".join(values).lower())
                lone = [
                    word for word in words if counts[word] == 1 and len(word) > 3 and word.isalpha()
                ]
                found.update({word: {"relevant": [path], "key": key} for word in lone[:1]})
    return found


def nonsense(vault: Path, count: int) -> list[str]:
    """Questions of two words that no note of the vault holds, nor any word that begins as they
    do."""
    text = "\n".join(f"{path}\n{text}" for path, text in notes(vault).items()).lower()
    held = {word[:5] for word in WORD.findall(text)}
    made: list[str] = []
    number = 0
    while len(made) < count * 2:
        digest = hashlib.sha256(f"nonsense {number}".encode()).digest()
        pairs = zip(digest[:3], digest[8:11], strict=True)
        word = (
            "".join("bdfgklmnprstvxz"[one % 15] + "aeiouy"[two % 6] for one, two in pairs)
            + "bdgkmprtvxz"[digest[20] % 11]
        )
        number += 1
        if word[:5] not in held and word not in made:
            made.append(word)
    return [" ".join(pair) for pair in zip(made[::2], made[1::2], strict=True)]


def keywords(text: str, stop: Iterable[str]) -> str:
    """A question without its stop words and signs; itself where nothing would be left."""
    dropped = set(stop)
    kept = [
        word
        for word in re.findall(r"[^\s?!,;:]+", text)
        if word.lower().strip("\"'.’") not in dropped
    ]
    return " ".join(kept) or text
