"""The topics of `aurelius help`, Markdown files of the package that are printed as they are, and
the list of all commands."""

from __future__ import annotations

import os
import re

from .declarations import COMMANDS

TOPICS = (
    "commands",
    "search",
    "facts",
    "vault",
    "chat",
    "serve",
    "import",
    "devices",
    "agents",
    "programs",
    "python",
    "settings",
    "privacy",
    "model",
    "daemon",
    "json",
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
    """The sections of a topic, and the parts of sections, whose heading begins with these words,
    however they are put together; "" for none."""
    asked = re.findall(r"\w+", words.lower())
    found = []
    for mark in ("## ", "### "):
        for part in topic_text(topic).split(f"\n{mark}")[1:]:
            section = part.partition("\n## ")[0]
            heading = re.findall(r"\w+", section.partition("\n")[0].lower())
            if asked and heading[: len(asked)] == asked:
                found.append(f"{mark}{section.rstrip()}\n")
    return "\n".join(found)


def more_about(command: str) -> str:
    """What `aurelius help` is asked to tell more about a command; "" where no topic does."""
    if command in TOPICS:
        return command
    return f"programs {command}" * bool(topic_section("programs", command))


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
