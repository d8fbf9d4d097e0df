"""Every setting: its name, its default, what it means, and who may set it.

A vault may come from somebody else. Its own file decides only what cannot reach outside it
(BY_VAULT); its jobs count where the person agreed to them (BY_CONSENT); where an index goes, what
is loaded and what is committed, the person's own file alone decides (BY_PERSON).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.usage.log_line import LETTERS

if TYPE_CHECKING:
    import datetime

BY_VAULT = "vault"
BY_CONSENT = "consent"
BY_PERSON = "person"
MODES = ("hybrid", "keyword", "vector")
FUSIONS = ("default", "rrf", "weighted")
USES = ("summaries", "extract", "capture")
MOST_HITS = 100
MOST_DAYS = 36500
TOKENS = (20, 20_000)
"""The least and the most that a budget may be."""
TIER_DAYS = ("tiers.hot_days", "tiers.warm_days")
"""What is warm was hot before, so the second is not less than the first."""
DAY_NAMES = ("daily.folder", "daily.format")
"""A name with words behind the date is a day's in a folder of daily notes alone."""
SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}

FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
"""Each field with its least and greatest number; weekday 0 and 7 are both Sunday."""

LAST_DAYS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
"""The last day that each month has in some year, where it is not the 31st."""


class Unfit(ValueError):
    """A value that is told wherever it stands and used nowhere; the settings beside it count."""


class Key(NamedTuple):
    """One setting: its dotted name, default, what it means, and whose word counts.

    `read` makes a value of what TOML holds and raises ValueError on a bad one, Unfit on one that
    shall not stop everything else.
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
        return (
            len(item) - len(item.rstrip("\\"))
        ) % 2 == 0  # a last backslash would escape nothing

    if isinstance(value, list) and all(map(means_something, value)):
        return tuple(value)
    raise ValueError('a list of patterns, as in ["drafts/", "*.tmp.md"]')


def _folder(value: Any) -> str:
    if isinstance(value, str) and "\0" not in value:
        return value
    raise ValueError('a folder, as in "~/notes"')


def _daily(value: Any) -> str:
    if value == ".":
        return "."
    if isinstance(value, str):
        parts = value.removesuffix("/").split("/")
    else:
        parts = []
    if (
        value and any(part[:1] in {".", "~"} for part in [*parts, *"/".join(parts).split("\\")])
    ) or _is_whole(value):
        raise Unfit(
            'a folder inside the vault that is not hidden, as in "memory" or "journal/daily"'
        )
    if parts and not any(not part or set(part) & set('\\:\0"') for part in parts):
        return "/".join(parts)
    raise ValueError('a folder inside the vault, as in "memory" or "journal/daily"')


def _day_format(value: Any) -> str:
    if value == "YYYY-MM-DD":  # every search reads this
        return "YYYY-MM-DD"
    from indexer.reading.path_meaning import is_day_format

    if isinstance(value, str) and is_day_format(value):
        return value
    raise ValueError(
        'a date format with year, month and day that can be read back, as in "YYYY_MM_DD" or'
        ' "YYYY/MM/YYYY-MM-DD"'
    )


def _inside(value: Any) -> str:
    if value == "":
        return ""
    if (
        isinstance(value, str)
        and value.isprintable()
        and not (set(value) & set('\\:"') or _is_whole(value))
    ):
        parts = value.removesuffix("/").split("/")
        if all(part and part[0] not in {".", "~"} for part in parts):
            return "/".join(parts)
    raise ValueError(
        'a path inside the vault that is not hidden, as in "templates" or "templates/day.md"'
    )


def _is_whole(value: Any) -> bool:
    """Whether a path begins at the root of this system or of another."""
    return isinstance(value, str) and (value[:1] in {"/", "\\"} or value[1:2] == ":")


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is int and least <= value <= most:
            return value
        raise ValueError(f"a whole number from {least} to {most}")

    return read


def _percent(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100:
        return value
    raise ValueError("a number above 0, at most 100")


def _share(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return value
    raise ValueError("a number from 0 to 1")


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _size(value: Any) -> str:
    if isinstance(value, str) and (not value or size_of(value)):
        return value
    raise ValueError('a size, as in "100MB", or "" for none')


def _device(value: Any) -> str:
    if isinstance(value, str) and len(value) <= 40 and not set(value) - LETTERS:
        return value
    raise ValueError(
        'the name of a device, a folder in .aurelius/log, as in "lap7-3f2c", or "" for none'
    )


def _when(value: Any) -> str:
    if value == "off":
        return "off"
    if isinstance(value, str):
        try:
            parse_schedule(value)
        except ValueError as error:
            raise ValueError(f'"off", or a time as cron writes it: {error}') from None
        return value
    raise ValueError('"off", or a time as cron writes it: "0 4 * * *"')


def _endpoint(value: Any) -> str:
    import re  # here, as a search reads this module

    found = re.fullmatch(r"(https?)://(\[::1\]|[\w.-]+)(?::\d{1,5})?(?:/[\w.~/-]*)?", str(value))
    if value == "" or (
        found
        and (found[1] == "https" or re.fullmatch(r"localhost|127(\.\d+){3}|\[::1\]", found[2]))
    ):
        return str(value).rstrip("/")
    raise ValueError(
        'an address without a key in it: "https://…", or on this machine'
        ' "http://127.0.0.1:11434/v1"'
    )


def _words(value: Any) -> str:
    """A text on one line; what begins as the keys of services do is none."""
    sound = isinstance(value, str) and value.isprintable()
    if sound and not any(
        each.startswith(("sk-", "sk_", "gsk_", "hf_")) for each in value.replace("=", " ").split()
    ):
        return str(value)
    raise ValueError('a text without a key in it, as in "llm -m small", or "" for none')


def _variable(value: Any) -> str:
    if isinstance(value, str) and value.isidentifier() and value.isupper() and "_" in value:
        return str(value)
    raise ValueError(
        'the name of an environment variable, as in "AURELIUS_LLM_KEY", never the key itself'
    )


def _uses(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and set(map(str, value)) <= {*USES}:
        return tuple(use for use in USES if use in value)
    raise ValueError("a list of any of " + ", ".join(f'"{use}"' for use in USES))


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
        "what to leave out, as gitignore patterns, in addition to .gitignore and .aureliusignore",
    ),
    Key(
        "index.location",
        "",
        _folder,
        "the folder for the index; empty: the user cache folder",
        BY_PERSON,
    ),
    Key(
        "search.limit", 10, _whole(1, MOST_HITS), f"how many hits a search shows, 1 to {MOST_HITS}"
    ),
    Key(
        "search.mode",
        "hybrid",
        _one_of(MODES),
        "what a search compares: words and meaning (hybrid), only words, or only meaning",
    ),
    Key("search.fusion", "default", _one_of(FUSIONS), "how to join the two lists of hits"),
    Key(
        "embedding.model",
        "",
        _folder,
        "the folder of another model2vec model; empty: the shipped one",
        BY_PERSON,
    ),
    Key("daily.folder", "memory", _daily, 'the folder of daily notes; "." is the top of the vault'),
    Key(
        "daily.format",
        "YYYY-MM-DD",
        _day_format,
        "how daily notes are named, as Obsidian writes it",
    ),
    Key(
        "daily.heading",
        True,
        _yes_or_no,
        "whether a new daily note begins with its date as a heading",
    ),
    Key(
        "daily.template",
        "",
        _inside,
        "the template of a new daily note; empty: `daily.md` in the folder of templates",
    ),
    Key(
        "templates.folder",
        "templates",
        _inside,
        "the folder of templates; `aurelius new project` begins with `project.md` there",
    ),
    Key(
        "tiers.hot_days",
        7,
        _whole(0, MOST_DAYS),
        "a fact is hot for so many days after its last use",
    ),
    Key(
        "tiers.warm_days",
        30,
        _whole(0, MOST_DAYS),
        "and warm until so many days after it, then cold",
    ),
    Key("tiers.resist_uses", 10, _whole(1, 10**6), "a fact used so often is one tier warmer"),
    Key("rank.reinforce", 3, _whole(1, 10), "what `reinforce` adds to the score of a fact"),
    Key("rank.demote", 1, _whole(1, 10), "what `demote` takes from it"),
    Key("summary.words", 120, _whole(10, 2000), "the most words a summary may have"),
    Key(
        "summary.cold_fill",
        0.33,
        _share,
        "cold facts fill a summary while less than this share of its words is used; 0: never",
    ),
    Key(
        "summary.new",
        True,
        _yes_or_no,
        "whether notes without a summary and folders without an _index.md get one; false: only with"
        " --new",
    ),
    Key("context.budget", 2000, _whole(*TOKENS), "the most tokens that `aurelius context` prints"),
    Key(
        "archive.max_size", "", _size, "archive only when all notes exceed this size; empty: never"
    ),
    Key("archive.percent", 1, _percent, "how much is archived then, in percent"),
    Key(
        "jobs.device",
        "",
        _device,
        "the device whose daemon runs the jobs; empty: the only one that used the vault lately",
        BY_CONSENT,
    ),
    Key(
        "jobs.summarize",
        "off",
        _one_of(("off", "weekly")),
        "when the daemon rewrites summaries",
        BY_CONSENT,
    ),
    Key(
        "jobs.archive",
        "off",
        _when,
        "when the daemon archives: off, or a time as cron writes it",
        BY_CONSENT,
    ),
    Key(
        "jobs.extract",
        "off",
        _one_of(("off", "daily")),
        "when the daemon looks through daily notes for facts that belong on pages",
        BY_CONSENT,
    ),
    Key(
        "capture.replace",
        "propose",
        _one_of(("propose", "apply")),
        "whether facts in daily notes and in what you tell an agent are proposed in `review` or"
        " applied at once",
        BY_PERSON,
    ),
    Key(
        "hook.enabled",
        True,
        _yes_or_no,
        "whether `aurelius hook` answers agents' client programs at all",
        BY_PERSON,
    ),
    Key(
        "hook.deadline",
        300,
        _whole(10, 60_000),
        "the milliseconds after which a hook ends, answered or not",
        BY_PERSON,
    ),
    Key(
        "hook.trace",
        False,
        _yes_or_no,
        "whether hooks keep a trace of what they were asked and said",
        BY_PERSON,
    ),
    Key("hook.opening", 800, _whole(*TOKENS), "the most tokens that a session opens with"),
    Key(
        "llm.endpoint", "", _endpoint, "the address of your language model; empty: none", BY_PERSON
    ),
    Key("llm.model", "", _words, "the model that is asked there", BY_PERSON),
    Key("llm.command", "", _words, "or a program: question on stdin, answer on stdout", BY_PERSON),
    Key(
        "llm.key_name",
        "AURELIUS_LLM_KEY",
        _variable,
        "the environment variable with its key",
        BY_PERSON,
    ),
    Key(
        "llm.timeout",
        60,
        _whole(1, 600),
        "the seconds after which a question is given up",
        BY_PERSON,
    ),
    Key("llm.use", (), _uses, "what the model may word; with [] nothing is sent", BY_PERSON),
    Key(
        "git.commit",
        False,
        _yes_or_no,
        "commit what Aurelius writes into notes, if the vault is a git repository",
        BY_PERSON,
    ),
)
VAULT = Key(
    "vault",
    "",
    _folder,
    "the vault to use when no other is named (in the user's own file only)",
    BY_PERSON,
)


def size_of(text: str) -> int:
    """The bytes that a size like "100MB" means, a thousand to the step; 0 where it means none."""
    number = text.strip().upper().rstrip("BKMG")
    unit = text.strip().upper()[len(number) :]
    number = number.strip()
    if not (number.isascii() and number.isdigit() and len(number) < 16 and unit in SIZES):
        return 0
    return int(number) * SIZES[unit]


def tokens(text: str) -> int:
    """A language model's tokens in a text, about: a quarter of its ASCII characters and two thirds
    of the others."""
    return -(-twelfths(text) // 12)


def twelfths(text: str) -> int:
    """The same in twelfths of a token, which add up without being rounded."""
    if text.isascii():
        return 3 * len(text)
    ascii_ = len(text.encode("ascii", "ignore"))
    return 3 * ascii_ + 8 * (len(text) - ascii_)


# -- schedules: five fields as cron writes them, `0 4 * * *` for every day at four -----


def parse_schedule(text: str) -> tuple[frozenset[int], ...]:
    """The numbers that each field allows, in the order of FIELDS; ValueError for no such line, and
    for none ever.

    A field is `*`, a number, `from-to`, any of them with `/step`, or several with commas between.
    """
    words = text.split()
    if len(words) != len(FIELDS):
        raise ValueError('five fields, as in "0 4 * * *"')
    found = [_field(word, *field) for word, field in zip(words, FIELDS, strict=True)]
    found[4] = frozenset(number % 7 for number in found[4])
    _, _, days, months, _ = found
    if not _either(words) and all(LAST_DAYS.get(month, 31) < min(days) for month in months):
        raise ValueError(
            f"a day that its month has: day {words[2]} of month {words[3]} never comes"
        )
    return tuple(found)


def _either(words: list[str]) -> bool:
    """Whether the day or the weekday is enough: where both are narrowed, as cron has it."""
    return words[2][0] != "*" and words[4][0] != "*"


def following(text: str, after: datetime.datetime) -> datetime.datetime | None:
    """The first minute after a moment that such a line names, None where there is none in the next
    nine years."""
    import datetime

    minutes, hours, days, months, weekdays = parse_schedule(text)
    either = _either(text.split())
    moment = after.replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)
    for ahead in range(9 * 366):
        day = moment.date() + datetime.timedelta(ahead)
        named = (day.day in days, day.isoweekday() % 7 in weekdays)
        if day.month in months and (any(named) if either else all(named)):
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    found = datetime.datetime.combine(day, datetime.time(hour, minute))
                    if found >= moment:
                        return found
    return None


def _field(word: str, name: str, least: int, most: int) -> frozenset[int]:
    allowed: set[int] = set()
    for part in word.split(","):
        span, stepped, step = part.partition("/")
        first, ranged, last = span.partition("-")
        if span == "*":
            low = str(least)
            high = str(most)
        else:
            low = first
            if ranged:
                high = last
            else:
                high = first
        if stepped and not ranged and span != "*":
            high = str(most)
        numbers = (low, high, step if stepped else "1")
        if not all(number.isascii() and number.isdigit() and len(number) < 4 for number in numbers):
            raise ValueError(f"a {name} from {least} to {most}, not {part!r}")
        start, end, every = map(int, numbers)
        if not least <= start <= end <= most or not every:
            raise ValueError(f"a {name} from {least} to {most}, not {part!r}")
        allowed.update(range(start, end + 1, every))
    return frozenset(allowed)
