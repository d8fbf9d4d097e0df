"""Every setting: one name, a default that is allowed, and who decides it."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from aurelius.settings.keys import (
    BY_CONSENT,
    BY_PERSON,
    BY_VAULT,
    KEYS,
    VAULT_KEY,
    SettingKey,
)
from aurelius.settings.schedule import following, parse_schedule
from aurelius.settings.sizes import size_of

BY_NAME = {key.name: key for key in (*KEYS, VAULT_KEY)}


def test_no_two_settings_have_one_name_and_each_stands_in_a_table() -> None:
    assert len(BY_NAME) == len(KEYS) + 1
    assert all(key.name.count(".") == 1 for key in KEYS)


@pytest.mark.parametrize("key", BY_NAME.values(), ids=lambda key: key.name)
def test_a_default_is_a_value_that_the_setting_takes(key: SettingKey) -> None:
    written = list(key.default) if isinstance(key.default, tuple) else key.default
    assert key.read(written) == key.default
    assert type(key.read(written)) is type(key.default)
    assert key.help
    assert key.whose in {BY_VAULT, BY_CONSENT, BY_PERSON}


def test_a_vault_from_somebody_else_decides_nothing_that_reaches_outside_it() -> None:
    """Where an index goes, what is loaded and what is committed is the person's; jobs are agreed to."""
    assert {key.name for key in (*KEYS, VAULT_KEY) if key.whose == BY_PERSON} == {
        "index.location",
        "embedding.model",
        "capture.replace",
        "hook.enabled",
        "hook.deadline",
        "hook.trace",
        "llm.endpoint",
        "llm.api",
        "llm.model",
        "llm.command",
        "llm.key_name",
        "llm.timeout",
        "llm.use",
        "git.commit",
        "vault",
    }
    assert {key.name for key in KEYS if key.whose == BY_CONSENT} == {
        "jobs.device",
        "jobs.summarize",
        "jobs.archive",
        "jobs.extract",
        "jobs.maintain",
    }


def test_a_setting_that_names_a_folder_says_so() -> None:
    assert {name for name, key in BY_NAME.items() if key.is_folder} == {
        "index.location",
        "embedding.model",
        "vault",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("index.exclude", ["drafts/", "*.tmp.md", "!keep.md", "odd\\\\"]),
        ("index.location", "~/notes"),
        ("search.limit", 1),
        ("search.limit", 100),
        ("search.mode", "vector"),
        ("search.fusion", "weighted"),
        ("tiers.hot_days", 0),
        ("tiers.warm_days", 36500),
        ("rank.reinforce", 10),
        ("summary.words", 2000),
        ("archive.max_size", "100MB"),
        ("archive.max_size", ""),
        ("archive.percent", 100),
        ("decay.event", 1),
        ("decay.floor", 0),
        ("archive.percent", 0.5),
        ("jobs.device", "lap7-3f2c"),
        ("jobs.summarize", "weekly"),
        ("jobs.archive", "0 4 * * *"),
        ("jobs.archive", "off"),
        ("git.commit", True),
    ],
)
def test_a_value_that_fits_comes_back_as_it_was_said(name: str, value: Any) -> None:
    expected = tuple(value) if isinstance(value, list) else value
    assert BY_NAME[name].read(value) == expected


@pytest.mark.parametrize(
    ("typed", "folder"), [("journal", "journal"), ("a/b/", "a/b"), ("a b/ç", "a b/ç")]
)
def test_the_folder_of_daily_notes_is_kept_without_outer_slashes(typed: str, folder: str) -> None:
    assert BY_NAME["daily.folder"].read(typed) == folder


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("index.exclude", "drafts/"),
        ("index.exclude", ["a\nb"]),
        ("index.exclude", ["!"]),
        ("index.exclude", ["a\\"]),
        ("index.exclude", ["a\\\\\\"]),
        ("index.location", "a\0"),
        ("index.location", 5),
        ("search.limit", 0),
        ("search.limit", 101),
        ("search.limit", True),
        ("search.limit", 5.0),
        ("search.limit", "5"),
        ("search.mode", "fast"),
        ("search.mode", ["hybrid"]),
        ("daily.folder", ""),
        ("daily.folder", "/"),
        ("daily.folder", "a//b"),
        ("daily.folder", "/a/b"),
        ("daily.folder", "~/notes"),
        ("daily.folder", ".git/hooks"),
        ("daily.folder", "journal/.aurelius"),
        ("daily.folder", "./journal"),
        ("daily.folder", "a/../b"),
        ("daily.folder", "a\\..\\b"),
        ("daily.folder", "C:\\a"),
        ("daily.folder", None),
        ("archive.max_size", 100),
        ("archive.max_size", "0MB"),
        ("archive.percent", 0),
        ("decay.event", 0),
        ("decay.floor", 1.1),
        ("archive.percent", 100.1),
        ("archive.percent", True),
        ("archive.percent", "1"),
        ("jobs.device", "my laptop"),
        ("jobs.device", "a" * 41),
        ("jobs.device", 7),
        ("jobs.archive", "weekly"),
        ("jobs.archive", 4),
        ("git.commit", 1),
        ("git.commit", "true"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_in_words(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"^[a-zA-Z\"]") as raised:
        BY_NAME[name].read(value)
    assert raised.value.args[0]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("100MB", 10**8),
        ("5 kB", 5000),
        ("7b", 7),
        ("2GB", 2 * 10**9),
        (" 1 mb ", 10**6),
        ("000KB", 0),
        ("999999999999999B", 999_999_999_999_999),
        ("1000000000000000B", 0),
        ("", 0),
        ("MB", 0),
        ("-1MB", 0),
        ("1 M", 0),
        ("1.5MB", 0),
        ("1 MiB", 0),
        ("٣MB", 0),
        ("5", 0),
    ],
)
def test_a_size_is_what_people_write(text: str, size: int) -> None:
    """What `archive --when-over` takes is what the setting takes."""
    assert size_of(text) == size


# When a job runs, as cron writes it


def test_every_day_at_four() -> None:
    minute, hour, day, month, weekday = parse_schedule("0 4 * * *")
    assert minute == {0}
    assert hour == {4}
    assert (len(day), len(month), len(weekday)) == (31, 12, 7)


@pytest.mark.parametrize(
    ("field", "minutes"),
    [
        ("*/20", {0, 20, 40}),
        ("5", {5}),
        ("1,3-5", {1, 3, 4, 5}),
        ("10-20/5", {10, 15, 20}),
        ("50/4", {50, 54, 58}),
    ],
)
def test_a_field_is_numbers_spans_and_steps(field: str, minutes: set[int]) -> None:
    assert parse_schedule(f"{field} * * * *")[0] == minutes


def test_sunday_has_two_numbers() -> None:
    assert parse_schedule("0 4 * * 7")[4] == parse_schedule("0 4 * * 0")[4] == {0}


BAD = """
4
* * * *
60 * * * *
* 24 * * *
* * 0 * *
* * * 13 *
* * * * 8
a * * * *
5-1 * * * *
*/0 * * * *
1,, * * * *
² * * * *
"""


@pytest.mark.parametrize("text", BAD.split("\n"))
def test_what_is_no_such_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"five fields|from \d+ to \d+"):
        parse_schedule(text)


@pytest.mark.parametrize("text", ["0 0 30 2 *", "0 0 31 2,4,6 */2", "0 0 30,31 2 *"])
def test_a_day_that_never_comes_is_refused(text: str) -> None:
    _, _, day, month, _ = text.split()
    with pytest.raises(
        ValueError, match=f"^a day that its month has: day {day} of month {month} never comes$"
    ):
        parse_schedule(text)


@pytest.mark.parametrize(
    "text", ["0 0 29 2 *", "0 0 30 2,3 *", "0 0 30 2 1", "0 0 */30 2 *", "0 0 31 * *"]
)
def test_a_day_that_comes_at_times_is_no_mistake(text: str) -> None:
    """Also where the weekday is enough."""
    assert following(text, datetime.datetime(2026, 2, 10)) is not None


@pytest.mark.parametrize(
    ("line", "after", "at"),
    [
        ("0 4 * * 1", "2026-02-10T12:00", "2026-02-16T04:00"),
        ("0 4 * * 1", "2026-02-16T03:59", "2026-02-16T04:00"),
        ("0 4 * * 1", "2026-02-16T04:00", "2026-02-23T04:00"),
        ("*/15 * * * *", "2026-02-10T12:01:30", "2026-02-10T12:15"),
        ("0 0 1 * *", "2026-12-31T23:59", "2027-01-01T00:00"),
        ("0 0 29 2 *", "2026-03-01T00:00", "2028-02-29T00:00"),
        ("0 0 13 * 5", "2026-02-10T00:00", "2026-02-13T00:00"),
        ("0 0 12 * 5", "2026-02-10T00:00", "2026-02-12T00:00"),
        ("0 0 * * 7", "2026-02-10T00:00", "2026-02-15T00:00"),
        ("0 0 */2 * 1", "2026-02-10T00:00", "2026-02-23T00:00"),
        ("0 0 31 2 1", "2026-02-10T00:00", "2026-02-16T00:00"),
        ("0 0 29 2 */7", "2033-01-01T00:00", None),
    ],
)
def test_the_next_time(line: str, after: str, at: str | None) -> None:
    found = following(line, datetime.datetime.fromisoformat(after))
    assert found == (None if at is None else datetime.datetime.fromisoformat(at))
