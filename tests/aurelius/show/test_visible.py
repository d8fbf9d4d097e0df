from __future__ import annotations

import json
import random
import re
import unicodedata

import pytest

from aurelius.show.visible import json_safe, one_line, visible

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
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
    "zero width": ("zero\u200bwidth", "zero\\u200bwidth"),
    "tags": ("tag\U000e0041", "tag\\U000e0041"),
    "line separator": ("a\u2028b", "a\\u2028b"),
    "undecodable byte": (b"caf\xe9.md".decode("utf-8", "surrogateescape"), "caf\\xe9.md"),
    "lone surrogate": ("\ud83d", "\\ud83d"),
}


@pytest.mark.parametrize(("text", "shown"), PAYLOADS.values(), ids=PAYLOADS)
def test_what_steers_a_terminal_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert one_line(text) == shown
    assert not STEERING.search(visible(text))


@pytest.mark.parametrize(
    "text",
    ["plain", "two\nlines\tand a tab", "naïve Ωμέγα 東京 🗼", "שלום\u200f, مرحبا\u061c", "👩\u200d💻", "क\u200dष"],
)
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text


def test_one_line_is_one_line() -> None:
    assert one_line("a\nb\tc") == "a\\nb\\tc"


def test_no_text_at_all_gets_through() -> None:
    chance = random.Random(8)
    for _ in range(500):
        text = "".join(chr(chance.choice((chance.randrange(256), chance.randrange(0x110000)))) for _ in range(40))
        assert not STEERING.search(visible(text))
        assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in one_line(text))


@pytest.mark.parametrize("text", [each for each, _ in PAYLOADS.values()] + ["a\nb", "東京", '"\\u0041'])
def test_json_stays_exact_and_steers_nothing(text: str) -> None:
    safe = json_safe(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(safe) == {text: text}
    assert not STEERING.search(safe)
    safe.encode("utf-8")
