"""A command line → one call → an exit code: read by plain.py, or by typer (app.py), then run.

Both ways end in the same run functions with the same args, which a test compares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.errors import AureliusError, UsageError

from . import run as runs
from .plain import plain_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from .declarations import Command
    from .run import Context


def run_command_line(
    argv: Sequence[str],
    context: Context,
    *,
    only: Callable[[Command, SimpleNamespace], bool] | None = None,
) -> int | None:
    """Run a command line, where `only` has nothing against it; its exit code, or None where it did
    not run."""

    def run(command: Command, args: SimpleNamespace, context: Context) -> int | None:
        if only is not None and not only(command, args):
            return None
        return runs.execute(runs.load_command(command.run), args, context)

    try:
        _check_characters(argv)
    except AureliusError as error:
        return runs.report_error(error, context)
    plain = plain_line(argv)
    if plain:
        return run(*plain, context)
    from .app import run_typer

    return run_typer(argv, context, run)


def _check_characters(argv: Sequence[str]) -> None:
    """UsageError for half of a character, which no file and no terminal can hold; an odd byte is
    let through."""
    for word in argv:
        try:
            word.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            half = f"U+{ord(word[error.start]):04X}"
            raise UsageError(
                f"{word!r} contains a broken character ({half})", "type that word again"
            ) from None
