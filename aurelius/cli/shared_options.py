"""What several commands have in common: options, arguments, and the words that an argument may be; as data.

Nothing here imports anything heavy: this is on the path of every search.
"""

from __future__ import annotations

from indexer.note import KINDS, STATUSES, TYPES
from indexer.usage.tier import TIERS

from .typed_words import Argument, Option, flag, grouped

JSON = flag("json", "Print JSON; `aurelius help json` describes it.")
NO_USE = flag("no_use", "Do not count this as a use of what is shown (as AURELIUS_NO_USE=1 does).")
PATHS = flag("paths", "Print only the paths, each once.")
PRIVATE = flag("private", "Include notes marked `private: true`.")
KIND = Option("kind", ("--kind",), "Only notes of this kind.", value="KIND", choices=KINDS, many=True)
TYPE = Option(
    "type",
    ("--type", "--category"),
    "Only facts of this type, or another word for one: milestone, rule, event/action.",
    value="TYPE",
    choices=TYPES,
    many=True,
)
TAG = Option("tag", ("--tag",), "Only notes with this tag.", value="TAG", many=True, offers="tags")
NOTE = Argument("note", "NOTE", "A note: its path, title, alias or part of its name; or the ^id of a fact in it.",
                offers="notes facts")  # fmt: skip

NOTES = NOTE._replace(name="notes", help="Only this note: its path, title, alias or part of its name.", many=True,
                      default="")  # fmt: skip

TIER = Option("tier", ("--tier",), "Only facts of this tier: how lately they were used.", value="TIER", choices=TIERS,
              many=True)  # fmt: skip
ARCHIVED = Option("archived", ("--archived",), "Only notes in the archive, whatever their kind, or all but those.",
                  value="WHICH", choices=("only", "no"))  # fmt: skip

OF_NOTES = (
    Option("folder", ("--in",), "Only notes in this folder, or only this note.", value="PATH", offers="folders notes"),
    KIND,
    TAG,
    Option("where", ("--where",), "Only notes with such front matter: 'status = done', 'rating >= 4', 'author'.",
           value="'KEY OP VALUE'", many=True),
    Option("linked_by", ("--linked-by",), "Only notes that NOTE links to.", value="NOTE", many=True, offers="notes"),
    Option("link_to", ("--link-to",), "Only notes that link to NOTE.", value="NOTE", many=True, offers="notes"),
    Option("related", ("--related",), "Only notes not linked with NOTE, but one note stands between them.",
           value="NOTE", many=True, offers="notes"),
    flag("orphan", "Only notes that no other note links to."),
    flag("recursive", "With --linked-by or --link-to: follow links from note to note."),
    Option("max_distance", ("--max-distance",), "The same, over at most N links.", kind="number", value="N", least=1),
    ARCHIVED,
    PRIVATE,
)  # fmt: skip
"""Filters of notes, for every command that searches or lists."""

OF_DAYS = (
    Option("since", ("--since",), "From this day on: a date, or words like 'last week'.", value="DATE"),
    Option("until", ("--until",), "Up to this day.", value="DATE"),
    Option("on", ("--on",), "On this day, or in this week, month or year.", value="DATE"),
)

STATUS = Option("status", ("--status",), "Which facts: those that hold (active), were replaced, or wait for review.",
                value="STATUS", choices=STATUSES, fallback="active")  # fmt: skip

FORMAT = Option("format", ("--format",), "Print a line for each: '{path}:{line} {title}' (`aurelius help filters`).",
                value="TEMPLATE")  # fmt: skip
BUDGET = Option("budget", ("--budget",), "Print as many whole entries as fit into this many tokens.", kind="number",
                value="TOKENS", least=1)  # fmt: skip

AS_OF = Option("as_of", ("--as-of",), "Facts as they were on that day.", value="DATE")

ALL = flag("all", "Show everything, however long.")
PAGE = (
    Option("limit", ("--limit", "-n"), "Show at most N (default: 50, or fewer where they are long).", kind="number",
           value="N", least=1),
    Option("offset", ("--offset",), "Skip the first N.", kind="number", value="N", least=0, fallback="0"),
    ALL,
)  # fmt: skip

SORT = Option("sort", ("--sort",), "Sort by this.", value="ORDER",
              choices=("path", "title", "kind", "date", "updated", "changed", "lines"), fallback="path")  # fmt: skip

NOTES_ONLY, FACTS_ONLY = "Which notes", "Which facts and days"
ORDERED, PRINTED = "How hits are ranked", "What is printed"
UNASKED = "Without QUERY, which lists notes as `aurelius list` does"

SEARCH_OPTIONS = (
    *grouped(NOTES_ONLY, *OF_NOTES),
    *grouped(
        FACTS_ONLY, *OF_DAYS, TYPE, STATUS,
        AS_OF, TIER,
    ),
    *grouped(
        ORDERED,
        Option("mode", ("--mode",), "Compare words and meaning, only words, or only meaning.", value="MODE",
               choices=("hybrid", "keyword", "vector")),
        Option("fusion", ("--fusion",), "How to join the word hits and the meaning hits.", value="WAY",
               choices=("default", "rrf", "weighted")),
        flag("explain", "Show how each score was computed."),
    ),
    *grouped(
        PRINTED,
        Option("limit", ("--limit", "-n"), "Show at most N hits, up to 100 (default: 10, or [search] limit).",
               kind="number", value="N", least=1),
        BUDGET._replace(help="Print as many whole hits as fit into this many tokens."),
        JSON,
        flag("jsonl", "Print one JSON object for each hit, each on its own line."),
        PATHS,
        flag("md", "Print Markdown."),
        FORMAT,
    ),
    *grouped(UNASKED, SORT._replace(fallback=None), *PAGE[1:]),
    NO_USE,
)  # fmt: skip

LIST_OPTIONS = (
    *grouped(NOTES_ONLY, *OF_NOTES),
    *grouped(
        FACTS_ONLY,
        *OF_DAYS,
        TYPE._replace(help="List facts of this type instead of notes; or another word for one: milestone, rule."),
        STATUS,
        TIER._replace(help="Only notes of this tier; with --type, only such facts."),
    ),
    *grouped(PRINTED, SORT, *PAGE, BUDGET, JSON, PATHS, FORMAT),
)  # fmt: skip

DRY_RUN = flag("dry_run", "Show what would change, as a diff, and write nothing.")
NO_LLM = flag("no_llm", "Do not ask your language model this time: use the notes' own words.")
FORCE = flag("force", "Allow what is normally refused: changing ME.md, removing a lot, writing a secret.")
FACT = Argument("fact", "ID", "The fact: its ^id, the key that search shows, or NOTE#^id.", offers="facts")
TEXT = Argument("text", "TEXT", "The fact in a few words; - reads them from stdin.", many=True)

SAID = (
    Option("date", ("--date",), "The day it became true (default: today).", value="DATE"),
    TYPE._replace(help="What type of fact it is, or another word for it: milestone, rule, event/action.", many=False),
    Option("importance", ("--importance",), "How important it is, from 0 to 1.", value="NUMBER"),
    flag("pin", "Never let this fact become cold."),
    Option(
        "because", ("--because",), "The reason, or the ^id of the fact that is the reason.", value="WHY", offers="facts"
    ),
    Option("source", ("--from",), "Where it comes from: a note, or a few words.", value="SOURCE", offers="notes"),
)
"""What can be said of a new fact besides its words."""

JUDGES = (PRIVATE._replace(help="Include facts of notes marked `private: true`."),
          flag("dry_run", "Show the new score and write nothing."), JSON)  # fmt: skip
WRITES = (PRIVATE._replace(help="Also change notes marked `private: true`."), FORCE, DRY_RUN, JSON)

ACTIONS = (
    ("run", "Watch the vault in this terminal until Ctrl-C."),
    ("start", "Update the index, then watch in the background."),
    ("stop", "Stop the daemon of this vault."),
    ("status", "Show whether it runs, what it watches and what is waiting."),
    ("install", "Show the login service that would start it; write it with --yes."),
)
"""What `aurelius daemon` can do."""

SETTING = (
    ("show", "Show every setting, its value and where it was set."),
    ("set", "Set KEY to VALUE."),
    ("unset", "Remove KEY from the file, so that its default applies."),
)
"""What `aurelius config` can do."""

ANSWERS = (
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
    ("codex", "Codex: hooks that tell it what your notes say; MCP with --mcp, a skill with --skill."),
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

PROJECT = Option("project", ("--project",), "Only for the project in this folder, not for all that you do.",
                 value="DIR")  # fmt: skip

HOOKS = (
    ("session-start", "A session begins, or goes on after its history was cut."),
    ("prompt", "The person sent a prompt: the lines it needs are added to it."),
    ("stop", "The agent has answered."),
    ("pre-compact", "The history is about to be cut."),
    ("session-end", "The session is over."),
    ("post-tool", "The agent used a tool."),
    ("refresh", "No event: update the index in the background, as a new session does where it is behind."),
    ("on", "No event: answer events from now on."),
    ("off", "No event: answer none from now on."),
    ("status", "No event: show whether events are answered, and what is kept of them."),
)
"""What `aurelius hook` can answer."""

HOOK_OPTIONS = (
    Option("deadline", ("--deadline",), "End after MS milliseconds.", kind="number", value="MS", least=10),
    flag("trace", "Keep what was asked, found and not said, as [hook] trace does."),
    flag("all", "With on and off: for all vaults, not for this one alone."),
    Option("part", ("--part",), "What one process does for another.", value="PART", hidden=True),
)
