"""What several commands have in common is used by several commands."""

from __future__ import annotations

import pytest

from aurelius.cli import shared_options
from aurelius.cli.options import COMMANDS
from aurelius.cli.shared_options import FACT_OPTIONS, HOOKS, OF_DAYS, OF_NOTES, PROGRAMS, WRITES
from aurelius.cli.typed_words import Option


def _name(option: Option) -> str:
    return option.name


@pytest.mark.parametrize("option", [*OF_NOTES, *OF_DAYS, *FACT_OPTIONS, *WRITES], ids=_name)
def test_a_shared_option_belongs_to_two_commands_at_least(option: Option) -> None:
    """One that a single command has stands with that command."""
    assert (
        sum(any(each.flags == option.flags for each in command.options) for command in COMMANDS) > 1
    )


@pytest.mark.parametrize(
    "words", [PROGRAMS, HOOKS, shared_options.DAEMON_ACTIONS, shared_options.SETTING]
)
def test_each_word_is_explained_and_stands_once(words: tuple[tuple[str, str], ...]) -> None:
    """What an argument may be is printed by `--help` and offered by the shell."""
    assert len({word for word, _ in words}) == len(words)
    assert all(text.endswith(".") and text[0].isupper() for _, text in words)
