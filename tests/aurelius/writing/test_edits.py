"""The words of writing: what a place allows unless somebody says otherwise, its clock, its parser."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from aurelius.compose.note_lines import NoteReader
from aurelius.writing.edits import Applied, Edit, Place

ROOT = Path(__file__).resolve().parents[3]


def test_a_place_allows_nothing_unless_that_is_said() -> None:
    place = Place("/vault", "/state")
    assert [place.shrink, place.me, place.commit, place.secrets] == [False] * 4
    assert place.daily == "memory"
    assert place.env is None


def test_the_time_of_a_change_is_the_one_that_was_set_else_the_real_one() -> None:
    assert Place("/vault", "/state", now=12.5).time() == 12.5
    before = time.time()
    assert before <= Place("/vault", "/state").time() <= time.time()


def test_a_place_with_a_parser_hands_out_that_one_so_that_nothing_is_parsed_twice() -> None:
    reader = NoteReader()
    assert Place("/vault", "/state", reader=reader).note_reader() is reader


def test_a_place_without_a_parser_makes_one_for_its_folder_of_daily_notes() -> None:
    place = Place("/vault", "/state", "field")
    assert place.note_reader().daily_folder == "field"
    assert place.note_reader() is not place.note_reader()


def test_an_edit_comes_from_nowhere_and_a_change_has_no_complaint_unless_that_is_said() -> None:
    assert Edit("a.md", None, b"x").source == ""
    assert Applied(3).uncommitted == ""


def test_whoever_makes_edits_need_not_import_what_carries_them_out() -> None:
    script = "import sys; import aurelius.writing.edits; print(*(name for name in sys.modules if 'writing.' in name))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["aurelius.writing.edits"]
