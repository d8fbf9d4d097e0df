"""The topics of `aurelius help`, Markdown files of the package that are printed as they are, and
the list of all commands."""

from __future__ import annotations

import os

from .declarations import COMMANDS

TOPICS = (
    "commands",
    "search",
    "filters",
    "facts",
    "tiers",
    "vault",
    "adopting",
    "agents",
    "mcp",
    "memory-tool",
    "lsp",
    "tools",
    "python",
    "settings",
    "llm",
    "privacy",
    "daemon",
    "git",
    "json",
    "exit-codes",
    "architecture",
    "contributing",
)
"""Each is a file of aurelius/help; the first are those a newcomer asks for first."""


def topic_text(topic: str) -> str:
    """What a topic says, in Markdown."""
    package = os.path.dirname(os.path.dirname(__file__))
    with open(os.path.join(package, "help", f"{topic}.md"), encoding="utf-8") as file:
        return file.read()


def topic_heading(topic: str) -> str:
    """The heading of a topic: what it is about in a few words."""
    return topic_text(topic).partition("\n")[0].removeprefix("# ")


def topic_section(topic: str, words: str) -> str:
    """The sections of a topic whose heading is these words, or begins with them; "" for none."""
    _, *parts = topic_text(topic).split("\n## ")
    found = [
        part for part in parts if f"{part.partition(chr(10))[0].lower()} ".startswith(f"{words} ")
    ]
    return "\n".join(f"## {part.rstrip()}\n" for part in found)


def topic_sections(topic: str) -> str:
    """What a topic says before its first section, then the headings of its sections and how to read
    one."""
    first, *parts = topic_text(topic).split("\n## ")
    names = ", ".join(part.partition("\n")[0] for part in parts)
    how = (
        f"`aurelius help {topic} SECTION` prints one of them, `aurelius help {topic} --all`"
        " everything."
    )
    return f"{first.rstrip()}\n\nSections: {names}. {how}\n"


def everything() -> str:
    """All commands by what they are for, and all topics, a line each."""
    width = max(map(len, (*COMMANDS, *TOPICS)))
    lines = []
    for group in dict.fromkeys(command.group for command in COMMANDS.values()):
        lines += ["", f"{group}:"]
        lines += [
            f"  {name.ljust(width)}  {command.help}"
            for name, command in COMMANDS.items()
            if command.group == group
        ]
    lines += ["", "Topics (aurelius help TOPIC):"]
    lines += [f"  {name.ljust(width)}  {topic_heading(name)}" for name in TOPICS]
    return "\n".join(lines[1:])
