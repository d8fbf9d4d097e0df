"""Every setting: its name, its default, what it means, and who may set it.

A vault may come from somebody else.  Its own file decides only what cannot reach outside it (BY_VAULT); its
jobs count where the person agreed to them (BY_CONSENT); where an index goes, what is loaded and what is
committed, the person's own file alone decides (BY_PERSON).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from indexer.usage.log_line import LETTERS

BY_VAULT, BY_CONSENT, BY_PERSON = "vault", "consent", "person"
MODES = ("hybrid", "keyword", "vector")
FUSIONS = ("default", "rrf", "weighted")
MOST_HITS = 100
MOST_DAYS = 36500
SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


class Unfit(ValueError):
    """A value that is told wherever it stands and used nowhere; the settings beside it count."""


class Key(NamedTuple):
    """One setting: its dotted name, default, what it means, and whose word counts.

    `read` makes a value of what TOML holds and raises ValueError on a bad one, Unfit on one that shall not stop
    everything else.
    """

    name: str
    default: Any
    read: Callable[[Any], Any]
    help: str
    whose: str = BY_VAULT

    @property
    def is_folder(self) -> bool:
        """Whether its value is the path of a folder."""
        return self.read is _folder


def _patterns(value: Any) -> tuple[str, ...]:
    def means_something(item: Any) -> bool:
        if not isinstance(item, str) or "\n" in item or item == "!":
            return False
        return (len(item) - len(item.rstrip("\\"))) % 2 == 0  # a last backslash would escape nothing

    if isinstance(value, list) and all(map(means_something, value)):
        return tuple(value)
    raise ValueError('a list of patterns, as in ["drafts/", "*.tmp.md"]')


def _folder(value: Any) -> str:
    if isinstance(value, str) and "\0" not in value:
        return value
    raise ValueError('a folder, as in "~/notes"')


def _daily(value: Any) -> str:
    parts = value.removesuffix("/").split("/") if isinstance(value, str) else []
    if (value and any(part[:1] in {".", "~"} for part in [*parts, *"/".join(parts).split("\\")])) or _is_whole(value):
        raise Unfit('a folder inside the vault that is not hidden, as in "memory" or "journal/daily"')
    if parts and not any(not part or set(part) & set('\\:\0"') for part in parts):
        return "/".join(parts)
    raise ValueError('a folder inside the vault, as in "memory" or "journal/daily"')


def _is_whole(value: Any) -> bool:
    """Whether a path begins at the root of this system or of another."""
    return isinstance(value, str) and (value[:1] in {"/", "\\"} or value[1:2] == ":")


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        raise ValueError(f"a whole number from {least} to {most}")

    return read


def _percent(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100:
        return value
    raise ValueError("a number above 0, at most 100")


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _size(value: Any) -> str:
    if isinstance(value, str) and (not value or size_of(value)):
        return value
    raise ValueError('a size, as in "100MB"; "" is none')


def _device(value: Any) -> str:
    if isinstance(value, str) and len(value) <= 40 and not set(value) - LETTERS:
        return value
    raise ValueError('the name of a device, a folder in .aurelius/log, as in "lap7-3f2c"; "" is none')


def _when(value: Any) -> str:
    if value == "off":
        return "off"
    if isinstance(value, str):
        from .cron import parse

        try:
            parse(value)
        except ValueError as error:
            raise ValueError(f'"off", or a time as cron writes it: {error}') from None
        return value
    raise ValueError('"off", or a time as cron writes it: "0 4 * * *"')


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if isinstance(value, str) and value in words:
            return value
        raise ValueError("one of " + ", ".join(f'"{word}"' for word in words))

    return read


KEYS = (
    Key(
        "index.exclude",
        (),
        _patterns,
        "what to leave out, as gitignore patterns, beside .gitignore and .aureliusignore",
    ),
    Key(
        "index.location",
        "",
        _folder,
        "the folder the index is kept under; the user cache folder unless named",
        BY_PERSON,
    ),
    Key("search.limit", 10, _whole(1, MOST_HITS), f"how many hits a search shows, 1 to {MOST_HITS}"),
    Key("search.mode", "hybrid", _one_of(MODES), "what a search compares: words and meaning, words, or meaning"),
    Key("search.fusion", "default", _one_of(FUSIONS), "how the two lists become one"),
    Key(
        "embedding.model", "", _folder, "the folder of another model2vec model; the shipped one unless named", BY_PERSON
    ),
    Key("daily.folder", "memory", _daily, "the folder of daily notes"),
    Key("tiers.hot_days", 7, _whole(0, MOST_DAYS), "a fact is hot for so many days after its last use"),
    Key("tiers.warm_days", 30, _whole(0, MOST_DAYS), "and warm until so many days after it, then cold"),
    Key("tiers.resist_uses", 10, _whole(1, 10**6), "a fact used so often is one tier warmer"),
    Key("rank.reinforce", 3, _whole(1, 10), "what `reinforce` adds to the score of a fact"),
    Key("rank.demote", 1, _whole(1, 10), "what `demote` takes from it"),
    Key("summary.words", 120, _whole(10, 2000), "how many words a summary may have"),
    Key("archive.max_size", "", _size, "above how much text in all notes `archive` moves something; never unless said"),
    Key("archive.percent", 1, _percent, "how much of it is moved then, in percent"),
    Key(
        "jobs.device",
        "",
        _device,
        "the device whose daemon runs the jobs; unless named, the only one that used the vault lately",
        BY_CONSENT,
    ),
    Key("jobs.summarize", "off", _one_of(("off", "weekly")), "when that daemon rewrites summaries", BY_CONSENT),
    Key("jobs.archive", "off", _when, "when it archives: off, or a time as cron writes it", BY_CONSENT),
    Key(
        "capture.replace",
        "propose",
        _one_of(("propose", "apply")),
        "does nothing yet",
        BY_PERSON,
    ),
    Key(
        "git.commit",
        False,
        _yes_or_no,
        "commit what Aurelius writes into notes, in a vault that is a git repository",
        BY_PERSON,
    ),
)
VAULT = Key("vault", "", _folder, "the vault to use when no other is named (in the user's own file only)", BY_PERSON)


def size_of(text: str) -> int:
    """The bytes that a size like "100MB" means, a thousand to the step; 0 where it means none."""
    number = text.strip().upper().rstrip("BKMG")
    unit = text.strip().upper()[len(number) :]
    number = number.strip()
    if not (number.isascii() and number.isdigit() and len(number) < 16 and unit in SIZES):
        return 0
    return int(number) * SIZES[unit]
