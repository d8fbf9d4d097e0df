"""Text on a terminal: escapes, columns, colours and links."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from urllib.parse import unquote, urlparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.show.terminal import (
    ESCAPES,
    Paint,
    columns_of,
    escape_controls,
    file_url,
    json_safe,
    one_line,
    shows_links,
    without_links,
    wrapped,
)

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u180e\u200b\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)

PAYLOADS = {
    "clear": ("\x1b[2J\x1b[1;1H", "\\x1b[2J\\x1b[1;1H"),
    "title": ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
    "link": ("\x1b]8;;http://a\x1b\\b\x1b]8;;\x1b\\", "\\x1b]8;;http://a\\x1b\\b\\x1b]8;;\\x1b\\"),
    "clipboard": ("\x1b]52;c;cm0=\x07", "\\x1b]52;c;cm0=\\x07"),
    "c1": ("\x9b31m", "\\x9b31m"),
    "next line": ("a\x85b", "a\\x85b"),
    "query": ("\x1bP$q\x1b\\", "\\x1bP$q\\x1b\\"),
    "return": ("a\rb", "a\\x0db"),
    "backspace": ("a\x08b", "a\\x08b"),
    "delete": ("\x7f", "\\x7f"),
    "nul": ("x\x00y", "x\\x00y"),
    "override": ("\u202etxt.exe", "\\u202etxt.exe"),
    "isolate": ("\u2066x\u2069", "\\u2066x\\u2069"),
    "soft hyphen": ("soft\u00adhyphen", "soft\\xadhyphen"),
    "zero width": ("zero\u200bwidth", "zero\\u200bwidth"),
    "tags": ("tag\U000e0041", "tag\\U000e0041"),
    "line separator": ("a\u2028b", "a\\u2028b"),
    "undecodable byte": (b"caf\xe9.md".decode("utf-8", "surrogateescape"), "caf\\xe9.md"),
    "lone surrogate": ("\ud83d", "\\ud83d"),
}


@pytest.mark.parametrize(("text", "shown"), PAYLOADS.values(), ids=PAYLOADS)
def test_what_steers_a_terminal_is_shown(text: str, shown: str) -> None:
    assert escape_controls(text) == shown
    assert one_line(text) == shown
    assert not STEERING.search(escape_controls(text))


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two\nlines\tand a tab",
        "naïve Ωμέγα 東京 🗼",
        "שלום\u200f, مرحبا\u061c",
        "👩\u200d💻",
        "क\u200dष",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert escape_controls(text) == text


def test_one_line_is_one_line() -> None:
    assert one_line("a\nb\tc") == "a\\nb\\tc"


def test_no_text_at_all_gets_through() -> None:
    chance = random.Random(8)
    for _ in range(500):
        text = "".join(
            chr(chance.choice((chance.randrange(256), chance.randrange(0x110000))))
            for _ in range(40)
        )
        assert not STEERING.search(escape_controls(text))
        assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in one_line(text))


@pytest.mark.parametrize(
    "text", [each for each, _ in PAYLOADS.values()] + ["a\nb", "東京", '"\\u0041']
)
def test_json_stays_exact_and_steers_nothing(text: str) -> None:
    safe = json_safe(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(safe) == {text: text}
    assert not STEERING.search(safe)
    safe.encode("utf-8")


LINK = "\x1b]8;;file:///a%20b.md\x1b\\a b.md\x1b]8;;\x1b\\"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("tea", 3),
        ("漢字", 4),
        ("ﾊﾝ", 2),
        ("e\u0301te\u0301", 3),
        ("한국", 4),
        ("🍵", 2),
        ("☀\ufe0f", 2),
        ("👍🏽", 4),  # some terminals show the tone by itself
        ("\u200fشاي", 3),
        ("\x1b[1mtea\x1b[0m", 3),
        (LINK, 6),
    ],
)
def test_a_text_takes_so_many_columns(text: str, columns: int) -> None:
    assert columns_of(text) == columns


def test_a_long_line_is_broken_between_words_and_goes_on_as_deep_as_it_began() -> None:
    assert (
        wrapped("  one two three four five six seven", 20)
        == "  one two three four\n  five six seven"
    )
    assert wrapped("path.md:1: one two three four", 20, 4) == "path.md:1: one two\n    three four"
    assert wrapped("short\n\n  lines", 20) == "short\n\n  lines"


def test_wide_characters_are_broken_where_they_reach_the_edge() -> None:
    assert wrapped("漢" * 15, 20) == "漢" * 10 + "\n" + "漢" * 5
    assert wrapped("  x " + "漢" * 10, 21) == "  x " + "漢" * 8 + "\n  " + "漢" * 2


def test_a_path_that_is_too_long_stays_whole_so_that_it_can_be_copied() -> None:
    assert (
        wrapped("see folder/" + "x" * 30 + " for it", 20) == "see\nfolder/" + "x" * 30 + "\nfor it"
    )


def test_a_command_in_backquotes_stays_in_one_piece() -> None:
    text = "do it with `aurelius move a b` today"
    assert wrapped(text, 24) == "do it with\n`aurelius move a b`\ntoday"
    assert wrapped("say `" + "long words " * 4 + "` now", 20).count("\n") == 2, (
        "but not where it is too long"
    )


def test_nothing_is_broken_where_there_is_hardly_a_column() -> None:
    assert wrapped("one two three four five six", 19) == wrapped("one two three four five six", 0)
    assert "\n" not in wrapped("one two three four five six", 19)


def test_colours_and_links_take_no_column_and_stay_whole() -> None:
    text = f"\x1b[36m{LINK}\x1b[0m  \x1b[1mone\x1b[22m two three four"
    found = wrapped(text, 20)
    assert re.findall(ESCAPES, found) == re.findall(ESCAPES, text)
    assert [columns_of(line) for line in found.split("\n")] == [15, 10]
    assert without_links(found) == found.replace(LINK, "a b.md")


@given(
    st.text(alphabet="ab `漢e\u0301🍵\u200d\ufe0f\n") | st.text(),
    st.integers(20, 40),
    st.integers(0, 4),
)
def test_a_wrapped_text_fits_and_loses_nothing_but_spaces(
    text: str, width: int, indent: int
) -> None:
    found = wrapped(text, width, indent)
    assert "".join(found.split()) == "".join(text.split())
    assert all(
        columns_of(line) <= width or " " not in line.strip() or "`" in line
        for line in found.split("\n")
    )


def test_a_place_is_a_link_where_links_are_shown() -> None:
    assert Paint().place("a/b.md", "a/b.md:3") == "a/b.md:3"
    assert Paint(True).place("a/b.md") == "\x1b[36ma/b.md\x1b[0m"
    assert (
        Paint(False, "/v v").place("a/ü.md", "x")
        == "\x1b]8;;file:///v%20v/a/%C3%BC.md\x1b\\x\x1b]8;;\x1b\\"
    )


def test_an_address_of_windows_has_its_drive() -> None:
    assert file_url("C:\\notes", "a/b.md") == "file:///C%3A/notes/a/b.md"


@given(st.text().filter(bool))
def test_nothing_in_a_name_gets_out_of_a_link(name: str) -> None:
    text = Paint(True, "/v").place(name)
    address = text.removeprefix("\x1b]8;;").partition("\x1b\\")[0]
    assert re.fullmatch(r"file://[A-Za-z0-9%/._~-]*", address)
    assert text.count("\x1b") == 6
    if not re.search("[\ud800-\udfff]", name):
        assert unquote(urlparse(address).path) == f"/v/{name}"


@pytest.mark.parametrize(
    ("env", "shown"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"VTE_VERSION": "7600"}, True),
        ({"VTE_VERSION": "4999"}, False),
        ({"VTE_VERSION": "new"}, False),
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM_PROGRAM": "vscode"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"KITTY_WINDOW_ID": "1"}, True),
        ({"WT_SESSION": "x"}, True),
        ({"DOMTERM": "x"}, True),
        ({"KITTY_WINDOW_ID": "1", "TERM": "dumb"}, False),
        ({"KITTY_WINDOW_ID": "1", "NO_COLOR": "1"}, False),
        ({"KITTY_WINDOW_ID": "1", "TMUX": "1"}, False),
        ({"KITTY_WINDOW_ID": "1", "TERM": "screen-256color"}, False),
        ({"KITTY_WINDOW_ID": "1", "AURELIUS_LINKS": "0"}, False),
        ({"TERM": "xterm", "AURELIUS_LINKS": "1"}, True),
    ],
)
def test_links_are_shown_only_where_the_terminal_is_known_to_know_them(
    env: dict[str, str], shown: bool
) -> None:
    assert shows_links(env) == shown
