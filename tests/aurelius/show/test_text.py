from __future__ import annotations

import re

from aurelius.show import text as show_text
from aurelius.show.page import Page
from aurelius.show.terminal import Paint, paths
from indexer.catalog.lists import TagRow, TaskRow

EVERY = Page(-1, 0, every=True)
EVIL = "a\x1b[31m\u202eb\nc"


def test_paths_are_printed_once() -> None:
    assert paths(["b.md", "a.md", "b.md"]) == ["b.md\n", "a.md\n", ""]
    assert paths([EVIL])[0].count("\n") == 1


def test_nothing_from_a_note_steers_the_terminal_in_a_list() -> None:
    texts = [
        show_text.tasks_text(
            [TaskRow(EVIL, 1, EVIL, done=True, due=None)], EVERY, "2026-02-10", paint=Paint()
        ),
        show_text.tags_text([TagRow(EVIL, 1)], EVERY),
    ]
    for text in texts:
        assert "\\x1b[31m\\u202e" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
