"""How far a refresh is: a bar on a terminal, one line where nobody watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aurelius.command import Context

QUIET = 200
"""A refresh of fewer notes than this is over before anyone could read that it goes on."""


class Progress:
    """Called by refresh with (notes done, notes in all).  Says nothing where there are fewer than `quiet`."""

    def __init__(self, context: Context, *, quiet: int = QUIET, doing: str = "indexing") -> None:
        self.context = context
        self.quiet = quiet
        self.doing = doing
        self._bar: Any = None
        self._told = False

    def __call__(self, done: int, total: int) -> None:
        """Show it; the first call decides how."""
        if total < self.quiet:
            return
        if not self._told:
            self._told = True
            if self.context.err.isatty() and self.context.env.get("TERM") != "dumb":
                self._bar = _bar(self.context, total, self.doing)
            else:
                self.context.tell(f"{self.doing} {total} {'note' if total == 1 else 'notes'}")
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def _bar(context: Context, total: int, doing: str) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=context.err, no_color=bool(context.env.get("NO_COLOR")))
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn("notes"), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True)
    bar.add_task(doing, total=total)
    bar.start()
    return bar
