"""Every error raised on purpose: its exit code, what it carries, and that the tree in the docstring is the classes."""

from __future__ import annotations

import errno
import os
import re

import pytest

from indexer import errors
from indexer.errors import AmbiguousNameError, AureliusError, error_reason

KINDS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, AureliusError)
]
TREE = re.findall(r"[├└]─ (\w+) +(\d+)", errors.__doc__ or "")


def test_the_tree_of_the_docstring_is_every_class_with_its_exit_code() -> None:
    assert dict(TREE) == {
        each.__name__: str(each.exit_code) for each in KINDS if each is not AureliusError
    }
    assert len(TREE) == len(dict(TREE)) > 5


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_says_what_is_wrong_and_what_to_do(kind: type[AureliusError]) -> None:
    error = kind("a.md:3: no such thing", "name another")
    assert (str(error), error.message, error.hint) == (
        "a.md:3: no such thing",
        "a.md:3: no such thing",
        "name another",
    )
    assert kind("only what").hint == ""
    assert isinstance(error, AureliusError)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_error_ends_a_command_as_success_nothing_found_or_a_bug_would(
    kind: type[AureliusError],
) -> None:
    from aurelius.cli.run import BUG

    assert kind.exit_code not in {0, BUG}
    assert (kind.exit_code == 1) == (kind is AureliusError), (
        "1 means that nothing was found, or no exit code of its own"
    )


def test_an_ambiguous_name_carries_the_paths_that_were_meant() -> None:
    assert AmbiguousNameError("several", "name one", ("a.md", "b.md")).candidates == (
        "a.md",
        "b.md",
    )
    assert AmbiguousNameError("several").candidates == ()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EACCES, os.strerror(errno.EACCES), "/secret/path.md"), "permission denied"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "no such file or directory"),
        (OSError("Too odd to have a number"), "too odd to have a number"),
        (OSError(errno.EIO, "I/O error"), "i/O error"),
        (OSError(), ""),
    ],
)
def test_a_reason_is_the_systems_words_without_path_and_number(error: OSError, words: str) -> None:
    assert error_reason(error) == words
