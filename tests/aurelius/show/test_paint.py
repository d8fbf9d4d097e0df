"""Colours and links on a terminal."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.show.paint import Paint, file_url, shows_links


def test_a_place_is_a_link_where_links_are_shown() -> None:
    assert Paint().place("a/b.md", "a/b.md:3") == "a/b.md:3"
    assert Paint(True).place("a/b.md") == "\x1b[36ma/b.md\x1b[0m"
    assert Paint(False, "/v v").place("a/ü.md", "x") == "\x1b]8;;file:///v%20v/a/%C3%BC.md\x1b\\x\x1b]8;;\x1b\\"


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
def test_links_are_shown_only_where_the_terminal_is_known_to_know_them(env: dict[str, str], shown: bool) -> None:
    assert shows_links(env) == shown
