"""`aurelius help`: the list of topics and commands, a topic, or the help of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli import help_topics
from aurelius.cli.options import BY_NAME
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context


LONG = frozenset({"json"})
"""Topics of which nobody needs all sections at once: their names are printed, and with `--all` the sections."""


def help_about(args: SimpleNamespace, context: Context) -> int:
    """Print a topic or one section of it, or the help of a command; alone, the list of them all.

    Where a topic and a command share a name, both are printed.
    """
    from aurelius.cli import typer_app

    words = [word.lower() for word in args.topic if word]
    topic = "-".join(words)
    if words[1:] and words[0] in help_topics.TOPICS:
        if found := help_topics.section(words[0], " ".join(words[1:])):
            context.put(found)
            return 0
        if words[0] not in BY_NAME:
            raise UsageError(f"{words[0]} has no section {' '.join(words[1:])!r}", f"aurelius help {words[0]}")
    command = words[0] if words and words[0] in BY_NAME else ""
    if not command and words and topic not in help_topics.TOPICS:
        raise UsageError(f"no topic or command {topic!r}", _near(topic))
    if command or not words:
        typer_app.main([command, "--help"] if command else ["--help"], context)
        context.put("\n" if topic in help_topics.TOPICS else "")
    if topic in help_topics.TOPICS:
        whole = args.all or topic not in LONG
        context.put(help_topics.text(topic) if whole else help_topics.sections(topic))
    return 0


def _near(topic: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(topic, [*BY_NAME, *help_topics.TOPICS], 1)
    return f"did you mean {near[0]}?  aurelius help lists them all" if near else "aurelius help lists them all"
