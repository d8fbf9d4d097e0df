"""What several commands have in common: options, arguments, and the words that an argument may be;
as data.

Nothing here imports anything heavy: this is on the path of every search.
"""

from __future__ import annotations

from indexer.note import NOTE_KINDS, STATUSES, TYPES
from indexer.usage.tier import TIERS

from .typed_words import Argument, flag, number, options_in_group, valued

JSON = flag("json", "Print JSON; `aurelius help json` describes it.")
NO_USE = flag("no_use", "Do not count this as a use of what is shown (as AURELIUS_NO_USE=1 does).")
PATHS = flag("paths", "Print only the paths, each once.")
PRIVATE_FLAG = flag("private", "Include notes marked `private: true`.")
KIND = valued("kind", "Only notes of this kind.", "KIND", choices=NOTE_KINDS, many=True)
TYPE = valued(
    "type",
    "Only facts of this type, or another word for one: milestone, rule, event/action.",
    "TYPE",
    flags=("--type", "--category"),
    choices=TYPES,
    many=True,
)
TAG = valued("tag", "Only notes with this tag.", "TAG", many=True, offers="tags")
NOTE_ARGUMENT = Argument(
    "note",
    "NOTE",
    "A note: its path, title, alias or part of its name; or the ^id of a fact in it.",
    offers="notes facts",
)

REFERENCE = NOTE_ARGUMENT._replace(
    name="reference", value="ID|NOTE", help="A fact's ^id, or a note."
)
NOTES_ARGUMENT = NOTE_ARGUMENT._replace(
    name="notes",
    help="Only this note: its path, title, alias or part of its name.",
    many=True,
    default="",
)

TIER_OPTION = valued(
    "tier",
    "Only facts of this tier: how lately they were used.",
    "TIER",
    choices=TIERS,
    many=True,
)
ARCHIVED = valued(
    "archived",
    "Only notes in the archive, whatever their kind, or all but those.",
    "WHICH",
    choices=(
        "only",
        "no",
    ),
)

OF_NOTES = (
    valued(
        "folder",
        "Only notes in this folder, or only this note.",
        "PATH",
        flags=("--in",),
        offers="folders notes",
    ),
    KIND,
    TAG,
    valued(
        "where",
        "Only notes with such front matter: 'status = done', 'rating >= 4', 'author'.",
        "'KEY OP VALUE'",
        many=True,
    ),
    valued("linked_by", "Only notes that NOTE links to.", "NOTE", many=True, offers="notes"),
    valued("link_to", "Only notes that link to NOTE.", "NOTE", many=True, offers="notes"),
    valued(
        "related",
        "Only notes not linked with NOTE, but one note stands between them.",
        "NOTE",
        many=True,
        offers="notes",
    ),
    flag("orphan", "Only notes that no other note links to."),
    flag("recursive", "With --linked-by or --link-to: follow links from note to note."),
    number("max_distance", "The same, over at most N links."),
    ARCHIVED,
    PRIVATE_FLAG,
)
"""Filters of notes, for every command that searches or lists."""

OF_DAYS = (
    valued("since", "From this day on: a date, or words like 'last week'.", "DATE"),
    valued("until", "Up to this day.", "DATE"),
    valued("on", "On this day, or in this week, month or year.", "DATE"),
)

STATUS = valued(
    "status",
    "Which facts: those that hold (active), were replaced, or wait for review.",
    "STATUS",
    choices=STATUSES,
    fallback="active",
)

_FORMAT_OPTION = valued(
    "format",
    "Print a line for each: '{path}:{line} {title}' (`aurelius help filters`).",
    "TEMPLATE",
)
BUDGET = number("budget", "Print as many whole entries as fit into this many tokens.", "TOKENS")

AS_OF_OPTION = valued("as_of", "Facts as they were on that day.", "DATE")

ALL = flag("all", "Show everything, however long.")
LIMIT_OPTION = number(
    "limit",
    "Show at most N (default: 50, or fewer where they are long).",
    flags=("--limit", "-n"),
)
PAGE_OPTIONS = (LIMIT_OPTION, number("offset", "Skip the first N.", least=0, fallback="0"), ALL)

SORT = valued(
    "sort",
    "Sort by this.",
    "ORDER",
    choices=("path", "title", "kind", "date", "updated", "changed", "lines"),
    fallback="path",
)

NOTES_ONLY = "Which notes"
FACTS_ONLY = "Which facts and days"
_ORDER_GROUP = "How hits are ranked"
PRINTED = "What is printed"
_UNASKED_GROUP = "Without QUERY, which lists notes as `aurelius list` does"

SEARCH_OPTIONS = (
    *options_in_group(NOTES_ONLY, *OF_NOTES),
    *options_in_group(FACTS_ONLY, *OF_DAYS, TYPE, STATUS, AS_OF_OPTION, TIER_OPTION),
    *options_in_group(
        _ORDER_GROUP,
        valued(
            "mode",
            "Compare words and meaning, only words, or only meaning.",
            "MODE",
            choices=("hybrid", "keyword", "vector"),
        ),
        valued(
            "fusion",
            "How to join the word hits and the meaning hits.",
            "WAY",
            choices=(
                "default",
                "rrf",
                "weighted",
            ),
        ),
        flag("explain", "Show how each score was computed."),
    ),
    *options_in_group(
        PRINTED,
        LIMIT_OPTION._replace(
            help="Show at most N hits, up to 100 (default: 10, or [search] limit)."
        ),
        BUDGET._replace(help="Print as many whole hits as fit into this many tokens."),
        JSON,
        flag("jsonl", "Print one JSON object for each hit, each on its own line."),
        PATHS,
        flag("md", "Print Markdown."),
        _FORMAT_OPTION,
    ),
    *options_in_group(_UNASKED_GROUP, SORT._replace(fallback=None), *PAGE_OPTIONS[1:]),
    NO_USE,
)

LIST_OPTIONS = (
    *options_in_group(NOTES_ONLY, *OF_NOTES),
    *options_in_group(
        FACTS_ONLY,
        *OF_DAYS,
        TYPE._replace(
            help=(
                "List facts of this type instead of notes; or another word for one: milestone,"
                " rule."
            )
        ),
        STATUS,
        TIER_OPTION._replace(help="Only notes of this tier; with --type, only such facts."),
    ),
    *options_in_group(PRINTED, SORT, *PAGE_OPTIONS, BUDGET, JSON, PATHS, _FORMAT_OPTION),
)

DRY_RUN = flag("dry_run", "Show what would change, as a diff, and write nothing.")
NO_LLM = flag("no_llm", "Do not ask your language model this time: use the notes' own words.")
FORCE = flag(
    "force", "Allow what is normally refused: changing ME.md, removing a lot, writing a secret."
)
FACT = Argument(
    "fact", "ID", "The fact: where it stands, as NOTE:LINE, its ^id, or NOTE#^id.", offers="facts"
)
TEXT_ARGUMENT = Argument(
    "text", "TEXT", "The fact in a few words; - reads them from stdin.", many=True
)

FACT_OPTIONS = (
    valued("date", "The day it became true (default: today).", "DATE"),
    TYPE._replace(
        help="What type of fact it is, or another word for it: milestone, rule, event/action.",
        many=False,
    ),
    valued("importance", "How important it is, from 0 to 1.", "NUMBER"),
    flag("pin", "Never let this fact become cold."),
    valued(
        "because",
        "The reason, or the ^id of the fact that is the reason.",
        "WHY",
        offers="facts",
    ),
    valued(
        "source",
        "Where it comes from: a note, or a few words.",
        "SOURCE",
        flags=("--from",),
        offers="notes",
    ),
)
"""What can be said of a new fact besides its words."""

JUDGES = (
    PRIVATE_FLAG._replace(help="Include facts of notes marked `private: true`."),
    flag("dry_run", "Show the new score and write nothing."),
    JSON,
)
WRITES = (
    PRIVATE_FLAG._replace(help="Also change notes marked `private: true`."),
    FORCE,
    DRY_RUN,
    JSON,
)

DAEMON_ACTIONS = (
    ("run", "Watch the vault in this terminal until Ctrl-C."),
    ("start", "Update the index, then watch in the background."),
    ("stop", "Stop the daemon of this vault."),
    ("status", "Show whether it runs, what it watches and what is waiting."),
    ("install", "Show the login service that would start it; write it with --yes."),
)
"""What `aurelius daemon` can do."""

SETTING = (
    ("show", "Show every setting, its value and where it was set."),
    ("get", "Show the value of KEY."),
    ("set", "Set KEY to VALUE."),
    ("unset", "Remove KEY from the file, so that its default applies."),
)
"""What `aurelius config` can do."""

REVIEW_ANSWERS = (
    ("list", "Show the proposals."),
    ("accept", "Carry out these proposals."),
    ("dismiss", "Never propose them again."),
    ("dismissed", "Show what was dismissed."),
    ("restore", "Propose what was dismissed again."),
)
"""What `aurelius review` can do."""

TASKS = (("list", "List them."), ("done", "Check the boxes of these tasks."))
"""What `aurelius tasks` can do."""

BEGUN = (
    ("person", "Somebody you know."),
    ("company", "A company or another organisation."),
    ("project", "Something that will be finished."),
    ("area", "Something you keep up for good, like health or finances."),
    ("resource", "A subject worth knowing about."),
)
"""Kinds of notes that `aurelius new` creates."""

PROGRAMS = (
    ("list", "Show which are used here and what each has (the default)."),
    ("claude-code", "Claude Code: hooks; MCP with --mcp, a skill with --skill."),
    (
        "codex",
        "Codex: hooks that tell it what your notes say; MCP with --mcp, a skill with --skill.",
    ),
    ("cursor", "Cursor: MCP and a skill."),
    ("openclaw", "OpenClaw: MCP and a skill."),
    ("claude-desktop", "Claude Desktop: MCP."),
    ("vscode", "VS Code: MCP."),
    ("gemini-cli", "Gemini CLI: MCP."),
    ("windsurf", "Windsurf: MCP."),
    ("zed", "Zed: MCP."),
    ("opencode", "OpenCode: MCP."),
)
"""What `aurelius install` knows."""

INSTALLS = (
    valued("project", "Only for the project in this folder, not for all that you do.", "DIR"),
    flag("yes", "Write without asking."),
    DRY_RUN,
    JSON,
)

HOOKS = (
    ("session-start", "A session begins, or goes on after its history was cut."),
    ("prompt", "The person sent a prompt: the lines it needs are added to it."),
    ("stop", "The agent has answered."),
    ("pre-compact", "The history is about to be cut."),
    ("session-end", "The session is over."),
    ("post-tool", "The agent used a tool."),
    (
        "refresh",
        "No event: update the index in the background, as a new session does where it is behind.",
    ),
    ("on", "No event: answer events from now on."),
    ("off", "No event: answer none from now on."),
    ("status", "No event: show whether events are answered, and what is kept of them."),
)
"""What `aurelius hook` can answer."""

HOOK_OPTIONS = (
    number("deadline", "End after MS milliseconds.", "MS", least=10),
    flag("trace", "Keep what was asked, found and not said, as [hook] trace does."),
    flag("all", "With on and off: for all vaults, not for this one alone."),
    valued("part", "What one process does for another.", "PART", hidden=True),
)
