"""Named tuples of our own are those of `typing`, made sooner."""

from __future__ import annotations

import pickle
import subprocess
import sys
import typing
from typing import Any

import pytest

from indexer import record
from indexer.search.candidate import Legs


class Ours(record.NamedTuple):
    """A place."""

    line: int
    text: str = "none"

    @property
    def twice(self) -> int:
        return 2 * self.line


class Theirs(typing.NamedTuple):
    """A place."""

    line: int
    text: str = "none"

    @property
    def twice(self) -> int:
        return 2 * self.line


def told(kind: type[Ours | Theirs]) -> list[object]:
    """What can be seen of a class and of what it makes."""
    one = kind(3)
    return [
        *(one, tuple(one), one.line, one.text, one.twice, kind(line=4, text="b"), len(one)),
        *(
            one._replace(text="c"),
            one._asdict(),
            kind._make([5, "d"]),
            repr(one)[len(kind.__name__) :],
        ),
        *(kind._fields, kind._field_defaults, kind.__doc__, kind.__module__, kind.__match_args__),
        *(kind.__annotations__.keys(), one == (3, "none"), hash(one), isinstance(one, tuple)),
    ]


def test_it_is_as_that_of_typing() -> None:
    assert told(Ours) == told(Theirs)
    assert Ours.__qualname__ == "Ours"


@pytest.mark.parametrize("given", [{}, {"lines": 1}, {"line": 1, "other": 2}])
def test_what_is_no_field_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Ours(**given)
    changed: dict[str, Any] = {"other": 2}
    with pytest.raises((TypeError, ValueError)):
        Ours(1)._replace(**changed)


@pytest.mark.parametrize("kind", [Ours, Theirs])
@pytest.mark.parametrize("values", [[], [1], [1, "a", 2]])
def test_it_is_made_of_as_many_values_as_it_has_fields(
    kind: type[Ours | Theirs], values: list[Any]
) -> None:
    with pytest.raises(TypeError):
        kind._make(values)


def test_it_is_kept_and_read_again() -> None:
    assert pickle.loads(pickle.dumps(Legs(bm25=2.0))) == Legs(bm25=2.0)


def test_it_needs_no_typing() -> None:
    code = "import sys, indexer.record; sys.exit('typing' in sys.modules)"
    assert subprocess.run([sys.executable, "-S", "-c", code], check=False).returncode == 0
