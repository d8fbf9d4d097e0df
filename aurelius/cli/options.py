"""The options and arguments that several commands have, as typer declares them, and how their
values are read.

declarations.py names what stands here in its annotations. This module imports typer: whatever reads
a plain line must do without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from indexer.note import NOTE_KINDS, STATUSES, TYPES
from indexer.usage.tier import TIERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

NOTES_ONLY = "Which notes"
FACTS_ONLY = "Which facts and days"


def one_of(text: str, words: Collection[str] | Mapping[str, str]) -> dict[str, Any]:
    """What typer is told of an argument or option that is one of a few words, each perhaps with
    what it means: its help, how it is read, and what a shell may offer."""
    meanings = words if isinstance(words, dict) else dict.fromkeys(words, "")
    told = f"{text}  One of: {', '.join(words)}."
    if any(meanings.values()):
        told = "\n".join([text, *(f"{word}\t{meaning}" for word, meaning in meanings.items())])

    def read(typed: str) -> str:
        if typed not in meanings:
            raise typer.BadParameter(f"{typed!r}; {nearest(typed, meanings)}")
        return typed

    def offer(ctx: Any, incomplete: str) -> list[tuple[str, str]]:  # noqa: ARG001 as typer wants it
        return [each for each in meanings.items() if each[0].startswith(incomplete)]

    return {"help": told, "parser": read, "autocompletion": offer}


def nearest(typed: str, words: Collection[str]) -> str:
    """Which of the words may be meant by another one, and what there is."""
    from difflib import get_close_matches

    near = get_close_matches(typed, words, 1)
    meant = f"did you mean {near[0]}?  " if near else ""
    return f"{meant}one of: {', '.join(words)}"


def whole_number(least: int = 1) -> Callable[[str | int], int]:
    """How a number is read that is at least so much; a default is one already."""

    def read(typed: str | int) -> int:
        try:
            number = int(typed)
        except ValueError:
            raise typer.BadParameter(f"{typed!r} is not a whole number") from None
        if number < least:
            raise typer.BadParameter(f"{number} is less than {least}")
        return number

    return read


def type_word(typed: str) -> str:
    """A type of facts, or another word for one, as it is read."""
    from indexer.reading.type_words import nearest_type_word, type_meaning

    if type_meaning(typed):
        return typed.strip().lower()
    wish = nearest_type_word(typed)
    meant = f"did you mean {wish}?  " if wish else ""
    raise typer.BadParameter(
        f"{typed!r}; {meant}one of: {', '.join(TYPES)}; or another word for one, such as"
        " milestone, context, opinion, rule, goal; or one with a subtype, such as instruction/rule"
    )


def offer_types(
    ctx: Any,  # noqa: ARG001 as typer wants it
    incomplete: str,
) -> list[tuple[str, str]]:
    """The types of facts that a shell may offer."""
    return [(each, "") for each in TYPES if each.startswith(incomplete)]


def session_name(typed: str) -> str:
    """The name of a session, as it is read."""
    from indexer.usage.log_line import SESSION_RULE, is_session

    if not is_session(typed):
        raise typer.BadParameter(f"{typed!r}; {SESSION_RULE}")
    return typed


def agent_name(typed: str) -> str:
    """The name of an agent, as it is read.  UsageError."""
    from indexer.catalog.visibility import check_agent

    check_agent("--agent", typed)
    return typed


def show_help(ctx: typer.Context, asked: bool) -> None:
    """Print the help of a line that asks for it, in place of running it."""
    if asked:
        ctx.find_root().obj.context.put(ctx.get_help())
        raise typer.Exit


def offered(*kinds: str) -> Callable[[Any, str], list[tuple[str, str]]]:
    """What a shell may offer of these kinds: the path of a `note` as the first word, or of `notes`
    as any, `facts`, `tags`, `folders`, `settings`, `topics`; complete.py looks them up."""

    def offer(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
        known: list[tuple[str, str]] = ctx(kinds, incomplete)
        return known

    return offer


DAEMON_ACTIONS = {
    "run": "Watch the vault in this terminal until Ctrl-C.",
    "start": "Update the index, then watch in the background.",
    "stop": "Stop the daemon of this vault.",
    "status": "Show whether it runs, what it watches and what is waiting.",
    "install": "Show the login service that would start it; write it with --yes.",
}
"""What `aurelius daemon` can do."""
SETTING_ACTIONS = {
    "show": "Show every setting, its value and where it was set.",
    "get": "Show the value of KEY.",
    "set": "Set KEY to VALUE.",
    "unset": "Remove KEY from the file, so that its default applies.",
}
"""What `aurelius config` can do."""
REVIEW_ACTIONS = {
    "list": "Show the proposals.",
    "accept": "Carry out these proposals.",
    "dismiss": "Never propose them again.",
    "dismissed": "Show what was dismissed.",
    "restore": "Propose what was dismissed again.",
    "observe": "Let your language model propose what it observes over days.",
}
"""What `aurelius review` can do."""
BEGUN = {
    "person": "Somebody you know.",
    "company": "A company or another organisation.",
    "project": "Something that will be finished.",
    "area": "Something you keep up for good, like health or finances.",
    "resource": "A subject worth knowing about.",
}
"""Kinds of notes that `aurelius new` creates."""
HOOKS = {
    "session-start": "A session begins, or goes on after its history was cut.",
    "prompt": "The person sent a prompt: the lines it needs are added to it.",
    "stop": "The agent has answered.",
    "pre-compact": "The history is about to be cut.",
    "session-end": "The session is over.",
    "post-tool": "The agent used a tool.",
    "refresh": (
        "No event: update the index in the background, as a new session does where it is behind."
    ),
    "on": "No event: answer events from now on.",
    "off": "No event: answer none from now on.",
    "status": "No event: show whether events are answered, and what is kept of them.",
}
"""What `aurelius hook` can answer."""
PROGRAMS = {
    "list": "Show which are used here and what each has (the default).",
    "claude-code": "Claude Code: hooks; MCP with --mcp, a skill with --skill.",
    "codex": (
        "Codex: hooks that tell it what your notes say; MCP with --mcp, a skill with --skill."
    ),
    "cursor": "Cursor: MCP and a skill.",
    "openclaw": "OpenClaw: MCP and a skill.",
    "claude-desktop": "Claude Desktop: MCP.",
    "vscode": "VS Code: MCP.",
    "gemini-cli": "Gemini CLI: MCP.",
    "windsurf": "Windsurf: MCP.",
    "zed": "Zed: MCP.",
    "opencode": "OpenCode: MCP.",
}
"""What `aurelius install` knows."""
KNOWN_PROGRAMS = {name: told for name, told in PROGRAMS.items() if name != "list"}
"""The programs among them."""

FolderOption = Annotated[
    str | None,
    Option(
        "--in",
        metavar="PATH",
        autocompletion=offered("folders", "notes"),
        help="Only notes in this folder, or only this note.",
        rich_help_panel=NOTES_ONLY,
    ),
]
KindOption = Annotated[
    list[str],
    Option(
        metavar="KIND", **one_of("Only notes of this kind.", NOTE_KINDS), rich_help_panel=NOTES_ONLY
    ),
]
TagOption = Annotated[
    list[str],
    Option(
        metavar="TAG",
        autocompletion=offered("tags"),
        help="Only notes with this tag.",
        rich_help_panel=NOTES_ONLY,
    ),
]
WhereOption = Annotated[
    list[str],
    Option(
        metavar="'KEY OP VALUE'",
        help=("Only notes with such front matter: 'status = done', 'rating >= 4', 'author'."),
        rich_help_panel=NOTES_ONLY,
    ),
]
LinkedByOption = Annotated[
    list[str],
    Option(
        metavar="NOTE",
        autocompletion=offered("notes"),
        help="Only notes that NOTE links to.",
        rich_help_panel=NOTES_ONLY,
    ),
]
LinkToOption = Annotated[
    list[str],
    Option(
        metavar="NOTE",
        autocompletion=offered("notes"),
        help="Only notes that link to NOTE.",
        rich_help_panel=NOTES_ONLY,
    ),
]
RelatedOption = Annotated[
    list[str],
    Option(
        metavar="NOTE",
        autocompletion=offered("notes"),
        help="Only notes not linked with NOTE, but one note stands between them.",
        rich_help_panel=NOTES_ONLY,
    ),
]
OrphanOption = Annotated[
    bool,
    Option("--orphan", help="Only notes that no other note links to.", rich_help_panel=NOTES_ONLY),
]
RecursiveOption = Annotated[
    bool,
    Option(
        "--recursive",
        help="With --linked-by or --link-to: follow links from note to note.",
        rich_help_panel=NOTES_ONLY,
    ),
]
MaxDistanceOption = Annotated[
    int | None,
    Option(
        metavar="N",
        parser=whole_number(),
        help="The same, over at most N links.",
        rich_help_panel=NOTES_ONLY,
    ),
]
ArchivedOption = Annotated[
    str | None,
    Option(
        metavar="WHICH",
        **one_of(
            "Only notes in the archive, whatever their kind, or all but those.", ("only", "no")
        ),
        rich_help_panel=NOTES_ONLY,
    ),
]
PrivateOption = Annotated[
    bool,
    Option("--private", help="Include notes marked `private: true`.", rich_help_panel=NOTES_ONLY),
]
SinceOption = Annotated[
    str | None,
    Option(
        metavar="DATE",
        help="From this day on: a date, or words like 'last week'.",
        rich_help_panel=FACTS_ONLY,
    ),
]
UntilOption = Annotated[
    str | None, Option(metavar="DATE", help="Up to this day.", rich_help_panel=FACTS_ONLY)
]
OnOption = Annotated[
    str | None,
    Option(
        metavar="DATE",
        help="On this day, or in this week, month or year.",
        rich_help_panel=FACTS_ONLY,
    ),
]
TypeOption = Annotated[
    list[str],
    Option(
        "--type",
        "--category",
        metavar="TYPE",
        parser=type_word,
        autocompletion=offer_types,
        help=(
            f"Only facts of this type: {', '.join(TYPES)}; or another word for one: milestone,"
            " rule, event/action."
        ),
        rich_help_panel=FACTS_ONLY,
    ),
]
StatusOption = Annotated[
    str,
    Option(
        metavar="STATUS",
        **one_of(
            ("Which facts: those that hold (active), were replaced, or wait for review."), STATUSES
        ),
        rich_help_panel=FACTS_ONLY,
    ),
]
AsOfOption = Annotated[
    str | None,
    Option(metavar="DATE", help="Facts as they were on that day.", rich_help_panel=FACTS_ONLY),
]
TierOption = Annotated[
    list[str],
    Option(
        metavar="TIER",
        **one_of("Only facts of this tier: how lately they were used.", TIERS),
        rich_help_panel=FACTS_ONLY,
    ),
]
JsonOption = Annotated[
    bool, Option("--json", help="Print JSON; `aurelius help json` describes it.")
]
PathsOption = Annotated[bool, Option("--paths", help="Print only the paths, each once.")]
MdOption = Annotated[bool, Option("--md", help="Print Markdown.")]
FormatOption = Annotated[
    str | None,
    Option(
        metavar="TEMPLATE",
        help=("Print a line for each: '{path}:{line} {title}' (`aurelius help search`)."),
    ),
]
OffsetOption = Annotated[int, Option(metavar="N", parser=whole_number(0), help="Skip the first N.")]
AllOption = Annotated[bool, Option("--all", help="Show everything, however long.")]
NoUseOption = Annotated[
    bool,
    Option(
        "--no-use", help="Do not count this as a use of what is shown (as AURELIUS_NO_USE=1 does)."
    ),
]
NoteArgument = Annotated[
    str,
    Argument(
        metavar="NOTE",
        autocompletion=offered("notes", "facts"),
        help=("A note: its path, title, alias or part of its name; or the ^id of a fact in it."),
    ),
]
LimitOption = Annotated[
    int | None,
    Option(
        "--limit",
        "-n",
        metavar="N",
        parser=whole_number(),
        help="Show at most N (default: 50, or fewer where they are long).",
    ),
]
BudgetOption = Annotated[
    int | None,
    Option(
        metavar="TOKENS",
        parser=whole_number(),
        help="Print as many whole entries as fit into this many tokens.",
    ),
]
DryRunOption = Annotated[
    bool, Option("--dry-run", help="Show what would change, as a diff, and write nothing.")
]
ForceOption = Annotated[
    bool,
    Option(
        "--force",
        help=("Allow what is normally refused: changing ME.md, removing a lot, writing a secret."),
    ),
]
ReferenceArgument = Annotated[
    str,
    Argument(
        metavar="ID|NOTE", autocompletion=offered("notes", "facts"), help="A fact's ^id, or a note."
    ),
]
NotesArgument = Annotated[
    list[str],
    Argument(
        metavar="NOTE",
        autocompletion=offered("notes", "facts"),
        help="Only this note: its path, title, alias or part of its name.",
    ),
]
DateOption = Annotated[
    str | None, Option(metavar="DATE", help="The day it became true (default: today).")
]
AddTypeOption = Annotated[
    str | None,
    Option(
        "--type",
        "--category",
        metavar="TYPE",
        parser=type_word,
        autocompletion=offer_types,
        help=("What type of fact it is, or another word for it: milestone, rule, event/action."),
        rich_help_panel=FACTS_ONLY,
    ),
]
ImportanceOption = Annotated[
    str | None, Option(metavar="NUMBER", help="How important it is, from 0 to 1.")
]
PinOption = Annotated[bool, Option("--pin", help="Never let this fact become cold.")]
BecauseOption = Annotated[
    str | None,
    Option(
        metavar="WHY",
        autocompletion=offered("facts"),
        help="The reason, or the ^id of the fact that is the reason.",
    ),
]
SourceOption = Annotated[
    str | None,
    Option(
        "--from",
        metavar="SOURCE",
        autocompletion=offered("notes"),
        help="Where it comes from: a note, or a few words.",
    ),
]
FactArgument = Annotated[
    str,
    Argument(
        metavar="ID",
        autocompletion=offered("facts"),
        help="The fact: where it stands, as NOTE:LINE, its ^id, or NOTE#^id.",
    ),
]
TextArgument = Annotated[
    list[str], Argument(metavar="TEXT", help="The fact in a few words; - reads them from stdin.")
]
NoLlmOption = Annotated[
    bool,
    Option("--no-llm", help="Do not ask your language model this time: use the notes' own words."),
]
JudgeDryRunOption = Annotated[
    bool, Option("--dry-run", help="Show the new score and write nothing.")
]
ProjectOption = Annotated[
    str | None,
    Option(metavar="DIR", help="Only for the project in this folder, not for all that you do."),
]
YesOption = Annotated[bool, Option("--yes", help="Write without asking.")]

VaultOption = Annotated[str | None, Option(metavar="DIR", help="The folder of the vault to use.")]
NowOption = Annotated[
    str | None,
    Option(metavar="DATE", help="Work as if it were this ISO date or time.", hidden=True),
]
SessionOption = Annotated[
    str | None,
    Option(
        metavar="ID",
        parser=session_name,
        help="The conversation that this belongs to: what is used in one is related.",
    ),
]
AgentOption = Annotated[
    str | None,
    Option(
        metavar="NAME",
        parser=agent_name,
        help="Work as this agent: with the shared notes and its own in agents/NAME.",
    ),
]
IdsOption = Annotated[
    bool, Option("--ids", help="Show ids and tiers at a terminal too, as programs are shown them.")
]
NoPagerOption = Annotated[bool, Option("--no-pager", help="Never show the answer in a pager.")]
VersionOption = Annotated[bool, Option("--version", help="Print the version.")]
HelpOption = Annotated[
    bool, Option("--help", "-h", is_eager=True, callback=show_help, help="Show this text.")
]
