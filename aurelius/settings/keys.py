"""Every setting: its name, its default, what it means, and who may set it.

A vault may come from somebody else. Its own file decides only what cannot reach outside it
(BY_VAULT); its jobs count where the person agreed to them (BY_CONSENT); where an index goes, what
is loaded and what is committed, the person's own file alone decides (BY_PERSON).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from indexer.record import NamedTuple
from indexer.usage.log_line import DEVICE_LETTERS
from indexer.usage.tier import HALF_LIVES, LEAST_IMPORTANCE

BY_VAULT = "vault"
BY_CONSENT = "consent"
BY_PERSON = "person"
MODES = ("hybrid", "keyword", "vector")
FUSIONS = ("default", "rrf", "weighted")
CHAT_USE = "chat"
"""What `llm.use` calls answers in the chat."""
_LLM_USES = ("summaries", "extract", "capture", "context", "summary", "observe", CHAT_USE)
MOST_SEARCH_HITS = 100
MOST_DAYS = 36500
_BUDGET_BOUNDS = (20, 20_000)
"""The least and the most that a budget may be."""
TIER_DAYS = ("tiers.hot_days", "tiers.warm_days")
"""What is warm was hot before, so the second is not less than the first."""
DECAYING = {
    "event": "events",
    "observation": "observations",
    "status": "states",
    "fact": "facts",
    "decision": "decisions",
}
"""Types of facts that lose importance with time, each in the plural; the others do not."""
RULED_KINDS = ("person", "company", "project")
"""Kinds that a person may have clues of their own for."""
DAY_NAMES = ("daily.folder", "daily.format")
"""A name with words behind the date is a day's in a folder of daily notes alone."""


class SettingKey(NamedTuple):
    """One setting: its dotted name, its field of Config, default, what it means, whose word counts.

    `read` makes a value of what TOML holds and raises ValueError on a bad one.
    """

    name: str
    field: str
    default: Any
    read: Callable[[Any], Any]
    help: str
    whose: str = BY_VAULT

    @property
    def is_folder(self) -> bool:
        """Whether its value is the path of a folder."""
        return self.read is _folder


def _patterns(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(map(_means_something, value)):
        return tuple(value)
    raise ValueError('a list of patterns, as in ["drafts/", "*.tmp.md"]')


def _means_something(pattern: Any) -> bool:
    if not isinstance(pattern, str) or "\n" in pattern or pattern == "!":
        return False
    backslashes = len(pattern) - len(pattern.rstrip("\\"))
    return backslashes % 2 == 0  # a last backslash would escape nothing


def _clues(value: Any) -> tuple[str, ...]:
    if value == []:  # every search reads this
        return ()
    if isinstance(value, list):
        from indexer.reading.path_meaning import read_clue

        with suppress(ValueError):
            return tuple(read_clue(str(each)) for each in value)
    raise ValueError(
        'a list of properties or folders with their words, as in ["categories: Crew", "folder: CRM"'
        ', "!tags: people"]'
    )


def _folder(value: Any) -> str:
    if isinstance(value, str) and "\0" not in value:
        return value
    raise ValueError('a folder, as in "~/notes"')


def _daily(value: Any) -> str:
    if value == ".":
        return "."
    if isinstance(value, str) and not set(value) & set('\\:\0"'):
        path = value.removesuffix("/")
        if all(path.split("/")) and not _has_hidden(path):
            return path
    raise ValueError(
        'a folder inside the vault that is not hidden, as in "memory" or "journal/daily"'
    )


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
    if isinstance(value, str) and value.isprintable() and not set(value) & set('\\:"'):
        path = value.removesuffix("/")
        if all(path.split("/")) and not _has_hidden(path):
            return path
    raise ValueError(
        'a path inside the vault that is not hidden, as in "templates" or "templates/day.md"'
    )


def _has_hidden(path: str) -> bool:
    """Whether a step of a path is hidden, leads up or names a home folder."""
    return any(step[:1] in {".", "~"} for step in path.split("/"))


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
    from .sizes import size_of

    if isinstance(value, str) and (not value or size_of(value)):
        return value
    raise ValueError('a size, as in "100MB", or "" for none')


def _device(value: Any) -> str:
    if isinstance(value, str) and len(value) <= 40 and not set(value) - DEVICE_LETTERS:
        return value
    raise ValueError(
        'the name of a device, a folder in .aurelius/log, as in "lap7-3f2c", or "" for none'
    )


def _when(value: Any) -> str:
    if value == "off":
        return "off"
    if isinstance(value, str):
        from .schedule import parse_schedule

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
    if isinstance(value, list) and set(map(str, value)) <= {*_LLM_USES}:
        return tuple(use for use in _LLM_USES if use in value)
    raise ValueError("a list of any of " + ", ".join(f'"{use}"' for use in _LLM_USES))


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if isinstance(value, str) and value in words:
            return value
        raise ValueError("one of " + ", ".join(f'"{word}"' for word in words))

    return read


def _keys(
    whose: str, *rows: tuple[str, str, Any, Callable[[Any], Any], str]
) -> Iterator[SettingKey]:
    """Settings in which the same one's word counts: name, field, default, reader and meaning."""
    for row in rows:
        yield SettingKey(*row, whose)


KEYS = (
    *_keys(
        BY_VAULT,
        (
            "index.exclude",
            "exclude",
            (),
            _patterns,
            "what to leave out, as gitignore patterns, besides .gitignore and .aureliusignore",
        ),
    ),
    *_keys(
        BY_PERSON,
        (
            "index.location",
            "location",
            "",
            _folder,
            "the folder for the index; empty: the user cache folder",
        ),
    ),
    *_keys(
        BY_VAULT,
        (
            "search.limit",
            "limit",
            10,
            _whole(1, MOST_SEARCH_HITS),
            f"how many hits a search shows, 1 to {MOST_SEARCH_HITS}",
        ),
        (
            "search.mode",
            "mode",
            "hybrid",
            _one_of(MODES),
            "what a search compares: words and meaning (hybrid), only words, or only meaning",
        ),
        (
            "search.fusion",
            "fusion",
            "default",
            _one_of(FUSIONS),
            "how to join the two lists of hits",
        ),
    ),
    *_keys(
        BY_PERSON,
        (
            "embedding.model",
            "model",
            "",
            _folder,
            "the folder of another model2vec model; empty: the shipped one",
        ),
    ),
    *_keys(
        BY_VAULT,
        (
            "daily.folder",
            "daily",
            "memory",
            _daily,
            'the folder of daily notes; "." is the top of the vault',
        ),
        (
            "daily.format",
            "daily_format",
            "YYYY-MM-DD",
            _day_format,
            "how daily notes are named, as Obsidian writes it",
        ),
        (
            "daily.heading",
            "daily_heading",
            True,
            _yes_or_no,
            "whether a new daily note begins with its date as a heading",
        ),
        (
            "daily.template",
            "daily_template",
            "",
            _inside,
            "the template of a new daily note; empty: `daily.md` in the folder of templates",
        ),
        (
            "templates.folder",
            "templates",
            "templates",
            _inside,
            "the folder of templates; `aurelius new project` begins with `project.md` there",
        ),
        *(
            (
                f"kinds.{kind}",
                f"kinds_{kind}",
                (),
                _clues,
                f"what else makes a note a {kind}, and after `!` what does not:"
                ' "tags: friend", "folder: CRM"',
            )
            for kind in RULED_KINDS
        ),
        (
            "tiers.hot_days",
            "hot_days",
            7,
            _whole(0, MOST_DAYS),
            "a fact is hot for so many days after its last use",
        ),
        (
            "tiers.warm_days",
            "warm_days",
            30,
            _whole(0, MOST_DAYS),
            "and warm until so many days after it, then cold",
        ),
        (
            "tiers.resist_uses",
            "resist_uses",
            10,
            _whole(1, 10**6),
            "a fact used so often is one tier warmer",
        ),
        (
            "rank.reinforce",
            "reinforce",
            3,
            _whole(1, 10),
            "what `reinforce` adds to the score of a fact",
        ),
        (
            "rank.demote",
            "demote",
            1,
            _whole(1, 10),
            "what `demote` takes from it",
        ),
        (
            "summary.words",
            "summary_words",
            120,
            _whole(10, 2000),
            "the most words a summary may have",
        ),
        (
            "summary.cold_fill",
            "summary_fill",
            0.33,
            _share,
            "cold facts fill a summary while less than this share of its words is used; 0: never",
        ),
        (
            "summary.new",
            "summary_new",
            True,
            _yes_or_no,
            "whether notes without a summary and folders without an _index.md get one; false: only"
            " with --new",
        ),
        (
            "context.budget",
            "context_budget",
            2000,
            _whole(*_BUDGET_BOUNDS),
            "the most tokens that `aurelius context` prints",
        ),
        (
            "archive.max_size",
            "archive_max",
            "",
            _size,
            "archive only when all notes exceed this size; empty: never",
        ),
        (
            "archive.percent",
            "archive_percent",
            1,
            _percent,
            "how much is archived then, in percent",
        ),
        *(
            (
                f"decay.{kind}",
                f"decay_{kind}",
                HALF_LIVES[kind],
                _whole(1, MOST_DAYS),
                f"the days after which half of the importance of {kinds} is left",
            )
            for kind, kinds in DECAYING.items()
        ),
        (
            "decay.floor",
            "least_importance",
            LEAST_IMPORTANCE,
            _share,
            "`review` proposes the archive for what happened or passed and is less important; 0:"
            " never",
        ),
    ),
    *_keys(
        BY_CONSENT,
        (
            "jobs.device",
            "jobs_device",
            "",
            _device,
            "the device whose daemon runs the jobs; empty: the only one that used the vault lately",
        ),
        (
            "jobs.summarize",
            "jobs_summarize",
            "off",
            _one_of(("off", "weekly")),
            "when the daemon rewrites summaries",
        ),
        (
            "jobs.archive",
            "jobs_archive",
            "off",
            _when,
            "when the daemon archives: off, or a time as cron writes it",
        ),
        (
            "jobs.extract",
            "jobs_extract",
            "off",
            _one_of(("off", "daily")),
            "when the daemon looks through daily notes for facts that belong on pages",
        ),
        (
            "jobs.maintain",
            "jobs_maintain",
            "off",
            _one_of(("off", "daily")),
            "whether the daemon looks daily for what time brought, and `review` also proposes"
            " what came up on several days",
        ),
    ),
    *_keys(
        BY_PERSON,
        (
            "capture.replace",
            "capture_replace",
            "propose",
            _one_of(("propose", "apply")),
            "whether facts in daily notes and in what you tell an agent are proposed in `review`"
            " or applied at once",
        ),
        (
            "hook.enabled",
            "hook_enabled",
            True,
            _yes_or_no,
            "whether `aurelius hook` answers agents' client programs at all",
        ),
        (
            "hook.deadline",
            "hook_deadline",
            300,
            _whole(10, 60_000),
            "the milliseconds after which a hook ends, answered or not",
        ),
        (
            "hook.trace",
            "hook_trace",
            False,
            _yes_or_no,
            "whether hooks keep a trace of what they were asked and said",
        ),
    ),
    *_keys(
        BY_VAULT,
        (
            "hook.opening",
            "hook_opening",
            800,
            _whole(*_BUDGET_BOUNDS),
            "the most tokens that a session opens with",
        ),
    ),
    *_keys(
        BY_PERSON,
        (
            "llm.endpoint",
            "llm_endpoint",
            "",
            _endpoint,
            "the address of your language model; empty: none",
        ),
        (
            "llm.api",
            "llm_api",
            "openai",
            _one_of(("openai", "anthropic")),
            "whose API it speaks: openai, or anthropic",
        ),
        (
            "llm.model",
            "llm_model",
            "",
            _words,
            "the model that is asked there",
        ),
        (
            "llm.command",
            "llm_command",
            "",
            _words,
            "or a program: question on stdin, answer on stdout",
        ),
        (
            "llm.key_name",
            "llm_key_name",
            "AURELIUS_LLM_KEY",
            _variable,
            "the environment variable with its key",
        ),
        (
            "llm.timeout",
            "llm_timeout",
            60,
            _whole(1, 600),
            "the seconds after which a question is given up",
        ),
        (
            "llm.use",
            "llm_use",
            (),
            _uses,
            "what the model may do; with [] nothing is sent",
        ),
        (
            "git.commit",
            "git_commit",
            False,
            _yes_or_no,
            "commit what Aurelius writes into notes, if the vault is a git repository",
        ),
    ),
)
VAULT_KEY = SettingKey(
    name="vault",
    field="",
    default="",
    read=_folder,
    help="the vault to use when no other is named (in the user's own file only)",
    whose=BY_PERSON,
)
