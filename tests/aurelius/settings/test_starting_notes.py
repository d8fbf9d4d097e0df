"""Which lines of a vault are still the template's."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from aurelius.settings.starting_notes import is_example
from aurelius.writing import init


def test_every_line_of_a_new_vault_is_an_example_whatever_the_day(tmp_path: Path) -> None:
    init.make_vault(str(tmp_path), now=datetime.date(2027, 5, 6))
    notes = [path for path in tmp_path.rglob("*.md") if ".aurelius" not in path.parts]
    assert len(notes) > 10
    for note in notes:
        path = note.relative_to(tmp_path).as_posix()
        assert [
            line for line in note.read_text("utf-8").splitlines() if not is_example(path, line)
        ] == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("people/joe-bloggs.md", "Lives in Los Angeles and in Rome"),
        ("people/joe-bloggs.md", "Lives in Los Angeles. Plays the cello."),
        ("people/joe.md", "Lives in Los Angeles"),
        ("people/sarah.md", "Lives in Los Angeles"),
    ],
)
def test_a_line_that_a_person_changed_or_wrote_elsewhere_is_theirs(path: str, text: str) -> None:
    assert is_example("people/joe-bloggs.md", "Lives in Los Angeles")
    assert not is_example(path, text)
