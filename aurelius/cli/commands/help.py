"""`aurelius help`: the list of topics and commands, a topic, or the help of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli import help_topics
from aurelius.cli.options import BY_NAME
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context


def help_about(args: SimpleNamespace, context: Context) -> int:
    """Print a topic or the help of a command, both where they share a name; alone, the list of them all."""
    from aurelius.cli import typer_app

    words = [word.lower() for word in args.topic if word]
    topic = "-".join(words)
    command = words[0] if words and words[0] in BY_NAME else ""
    if command or not words:
        typer_app.main([command, "--help"] if command else ["--help"], context)
        context.put("\n" if topic in help_topics.TOPICS else "")
    elif topic not in help_topics.TOPICS:
        raise UsageError(f"no topic or command {topic!r}", _near(topic))
    if topic in help_topics.TOPICS:
        context.put(help_topics.text(topic))
    return 0


def _near(topic: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(topic, [*BY_NAME, *help_topics.TOPICS], 1)
    return f"did you mean {near[0]}?  aurelius help lists them all" if near else "aurelius help lists them all"
