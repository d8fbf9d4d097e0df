"""The topics of `aurelius help`: Markdown files of the package, printed as they are."""

from __future__ import annotations

import os

TOPICS = (
    "commands",
    "search",
    "filters",
    "facts",
    "tiers",
    "vault",
    "adopting",
    "agents",
    "settings",
    "privacy",
    "daemon",
    "git",
    "json",
    "exit-codes",
    "architecture",
    "contributing",
)
"""Each is a file of aurelius/help; the first are those a newcomer asks for first."""


def text(topic: str) -> str:
    """What a topic says, in Markdown."""
    package = os.path.dirname(os.path.dirname(__file__))
    with open(os.path.join(package, "help", f"{topic}.md"), encoding="utf-8") as file:
        return file.read()


def heading(topic: str) -> str:
    """The heading of a topic: what it is about in a few words."""
    return text(topic).partition("\n")[0].removeprefix("# ")


def section(topic: str, words: str) -> str:
    """The sections of a topic whose heading is these words, or begins with them; "" for none."""
    _, *parts = text(topic).split("\n## ")
    found = [part for part in parts if f"{part.partition(chr(10))[0].lower()} ".startswith(f"{words} ")]
    return "\n".join(f"## {part.rstrip()}\n" for part in found)


def sections(topic: str) -> str:
    """What a topic says before its first section, then the headings of its sections and how to read one."""
    first, *parts = text(topic).split("\n## ")
    names = ", ".join(part.partition("\n")[0] for part in parts)
    how = f"`aurelius help {topic} SECTION` prints one of them, `aurelius help {topic} --all` everything."
    return f"{first.rstrip()}\n\nSections: {names}. {how}\n"
