"""Every command with its arguments and options, declared once as data; and the topics of `aurelius
help`.

run.py parses a command line by these tables, and typer_app.py builds the typer app (help, error
text, completion) from the same ones. Nothing here imports anything heavy: this is on the path of
every search. The topics are Markdown files of the package, printed as they are.
"""

from __future__ import annotations

import os

from .shared_options import (
    ALL,
    AS_OF_OPTION,
    BEGUN,
    BUDGET,
    DAEMON_ACTIONS,
    DRY_RUN,
    FACT,
    FACT_OPTIONS,
    FACTS_ONLY,
    FORCE,
    HOOK_OPTIONS,
    HOOKS,
    INSTALLS,
    JSON,
    JUDGES,
    KIND,
    LIMIT_OPTION,
    LIST_OPTIONS,
    NO_LLM,
    NO_USE,
    NOTE_ARGUMENT,
    NOTES_ARGUMENT,
    NOTES_ONLY,
    OF_DAYS,
    OF_NOTES,
    PAGE_OPTIONS,
    PRIVATE_FLAG,
    PROGRAMS,
    REFERENCE,
    REVIEW_ANSWERS,
    SEARCH_OPTIONS,
    SETTING,
    TAG,
    TASKS,
    TEXT_ARGUMENT,
    TIER_OPTION,
    TYPE,
    WRITES,
)
from .typed_words import Argument, Command, flag, number, options_in_group, valued

_READING_GROUP = "Find and read"
WRITING_GROUP = "Write"
TENDING = "Keep notes in shape"
KEEPING = "Vault and index"
FOR_PROGRAMS = "For programs"

COMMANDS = (
    Command(
        name="search",
        run="search:run_search",
        group=_READING_GROUP,
        help="Find what the notes say about something.",
        arguments=(
            Argument(
                "query",
                "QUERY",
                'Words or a question; "a phrase"; -word leaves out.  None: list notes.',
                many=True,
                default="",
            ),
        ),
        options=SEARCH_OPTIONS,
        examples=(
            'aurelius search "Where does Joe live?"',
            "aurelius search invoices --type decision -n 3",
            'aurelius search "San Diego" --status all',
            "aurelius search --linked-by joe --on 2026-02-01",
        ),
    ),
    Command(
        name="recall",
        run="search:run_recall",
        group=_READING_GROUP,
        help="Answer a question with a few lines, and what they are linked to.",
        arguments=(Argument("query", "QUESTION", "A question, or a few words.", many=True),),
        options=(
            LIMIT_OPTION._replace(help="Show at most N answers (default, and at most: 5)."),
            *options_in_group(NOTES_ONLY, *OF_NOTES),
            *options_in_group(FACTS_ONLY, *OF_DAYS, TYPE, AS_OF_OPTION, TIER_OPTION),
            BUDGET._replace(
                help="Print as many lines as fit into this many tokens (default: 1,000)."
            ),
            flag("explain", "Show how each score was computed, and which words each answer holds."),
            NO_USE,
            JSON,
        ),
        examples=('aurelius recall "Where does Joe work, and what does that company do?"',),
    ),
    Command(
        name="context",
        run="read:run_context",
        group=FOR_PROGRAMS,
        help="Print what an agent should know, alone or about a prompt.",
        arguments=(
            Argument(
                "prompt",
                "PROMPT",
                "What is asked.  None: what a session should open with.",
                many=True,
                default="",
            ),
        ),
        options=(
            BUDGET._replace(
                help="Print at most so many tokens (default: 2,000, or [context] budget)."
            ),
            valued(
                "format",
                "How: lines of memories, fenced for an agent, Markdown, or JSON.",
                "FORM",
                choices=("layer", "memory", "md", "json"),
                fallback="md",
            ),
            flag("hook", "Print exactly what a hook would add to a new session."),
            flag("stats", "Say on stderr whether a running daemon had it ready."),
            JSON,
        ),
        examples=(
            'aurelius context "Where does Joe live?"',
            "aurelius context --budget 500 --format memory",
        ),
    ),
    Command(
        name="get",
        run="read:run_get",
        group=_READING_GROUP,
        help="Print exact lines of a note.",
        arguments=(
            Argument(
                "reference",
                "REF",
                "PATH, PATH:LINE, PATH:FIRST-LAST, PATH:LINE:COUNT, PATH#heading, PATH#^id or ^id.",
                offers="notes facts",
            ),
        ),
        options=(PRIVATE_FLAG, NO_USE, JSON),
        examples=("aurelius get people/joe-bloggs.md:13:3", 'aurelius get "joe#Facts"'),
    ),
    Command(
        name="show",
        run="read:run_show",
        group=_READING_GROUP,
        help="Show what a note is: its summary, links and facts.",
        arguments=(NOTE_ARGUMENT,),
        options=(flag("facts", "Show its facts as well."), ALL, PRIVATE_FLAG, NO_USE, JSON),
        examples=("aurelius show joe --facts",),
    ),
    Command(
        name="list",
        run="lists:run_list",
        group=_READING_GROUP,
        help="List notes, or all facts of a type.",
        arguments=(
            Argument(
                "what",
                "WHAT",
                "A kind of notes, like people or projects, or a type of facts, like decisions.",
                default="",
            ),
        ),
        options=LIST_OPTIONS,
        examples=("aurelius list people", "aurelius list decisions --sort date"),
    ),
    Command(
        name="today",
        run="read:run_today",
        group=_READING_GROUP,
        help="Print today's daily note.",
        arguments=(),
        options=(flag("path", "Print only its path."), ALL, PRIVATE_FLAG, JSON),
    ),
    Command(
        name="days",
        run="lists:run_days",
        group=_READING_GROUP,
        help="Show what happened, day by day: daily notes, dated facts, tasks.",
        arguments=(
            Argument(
                "range",
                "RANGE",
                "Which days: 'last week', yesterday, 2026-01..2026-02 (default: last 7 days).",
                many=True,
                default="",
            ),
        ),
        options=(
            *OF_DAYS,
            flag("on_this_day", "This day, or the day of RANGE, in all years up to it."),
            *PAGE_OPTIONS,
            BUDGET,
            PRIVATE_FLAG,
            JSON,
        ),
        examples=(
            'aurelius days "last week"',
            "aurelius days --since 2026-02-01",
            "aurelius days --on-this-day",
        ),
    ),
    Command(
        name="tasks",
        run="lists:run_tasks",
        group=_READING_GROUP,
        help="List the tasks (check boxes) in all notes, or check one as done.",
        arguments=(
            Argument("action", "ACTION", "What to do.", default="list", choices=TASKS),
            Argument(
                "tasks",
                "PATH:LINE",
                "With done: the line of a task, as the list shows it.",
                many=True,
                default="",
                offers="notes",
            ),
        ),
        options=(
            flag("open", "Only tasks that are not done."),
            valued("due", "Only tasks due by this day: a date, or words like 'this week'.", "DATE"),
            *PAGE_OPTIONS,
            JSON,
            *options_in_group(NOTES_ONLY, *OF_NOTES),
            DRY_RUN,
            FORCE,
        ),
        examples=(
            "aurelius tasks --open",
            'aurelius tasks --due "this week"',
            "aurelius tasks done make-this-vault-mine:22",
        ),
    ),
    Command(
        name="open",
        run="read:run_open",
        group=_READING_GROUP,
        help="Open a note in your editor ($VISUAL or $EDITOR).",
        arguments=(NOTE_ARGUMENT._replace(value="NOTE[:LINE]"),),
        options=(flag("obsidian", "Open it in Obsidian instead."), PRIVATE_FLAG),
    ),
    Command(
        name="links",
        run="read:run_links",
        group=_READING_GROUP,
        help="List the links of a note and the links to it, or the lines that name it.",
        arguments=(NOTE_ARGUMENT,),
        options=(
            flag("mentions", "List the lines of other notes that name it, the newest first."),
            LIMIT_OPTION._replace(help="With --mentions: show at most N (default: 50)."),
            PAGE_OPTIONS[1]._replace(help="With --mentions: skip the first N."),
            ALL,
            PRIVATE_FLAG,
            JSON,
        ),
        examples=("aurelius links joe", "aurelius links joe --mentions -n 10"),
    ),
    Command(
        name="tags",
        run="lists:run_tags",
        group=_READING_GROUP,
        help="List all tags and how many notes have them.",
        arguments=(),
        options=(*PAGE_OPTIONS, PRIVATE_FLAG, JSON),
    ),
    Command(
        name="history",
        run="facts:run_history",
        group=_READING_GROUP,
        help="Show earlier versions of facts and what replaced them.",
        arguments=(REFERENCE,),
        options=(ALL, PRIVATE_FLAG, JSON),
        examples=("aurelius history joe", "aurelius history k3v9qa"),
    ),
    Command(
        name="graph",
        run="facts:run_graph",
        group=_READING_GROUP,
        help="Show what a fact or note has to do with others, and why.",
        arguments=(REFERENCE,),
        options=(
            number("depth", "Follow edges so many steps: 1 or 2.", fallback="1"),
            valued(
                "edge",
                "Only edges of this type: updates, because, related (used together), or your own"
                " label.",
                "TYPE",
                flags=("--type",),
                many=True,
            ),
            ALL,
            PRIVATE_FLAG,
            JSON,
        ),
        examples=("aurelius graph k3v9qa", "aurelius graph joe --depth 2"),
    ),
    Command(
        name="tiers",
        run="keep:run_tiers",
        group=_READING_GROUP,
        help="Count hot, warm and cold facts, or list those of a note.",
        arguments=(
            NOTE_ARGUMENT._replace(help="List the facts of this note instead.", default=""),
        ),
        options=(ALL, PRIVATE_FLAG, JSON),
        examples=("aurelius tiers joe",),
    ),
    Command(
        name="maintain",
        run="keep:run_maintain",
        group=_READING_GROUP,
        help="Show how facts have aged and which could be archived.",
        arguments=(NOTES_ARGUMENT,),
        options=(
            flag("all", "Show every fact, not only those that could be archived."),
            flag("dry_run", "No effect: maintain never writes."),
            PRIVATE_FLAG,
            JSON,
        ),
    ),
    Command(
        name="note",
        run="facts:run_note",
        group=WRITING_GROUP,
        help="Add a line to today's daily note.",
        arguments=(TEXT_ARGUMENT._replace(help="The line; - reads it from stdin."),),
        options=(DRY_RUN, FORCE, JSON),
        examples=(
            'aurelius note "Called Joe about the boat trip"',
            'aurelius note "- [ ] Renew the passport"',
        ),
    ),
    Command(
        name="add",
        run="facts:run_add",
        group=WRITING_GROUP,
        help="Add a fact to a note, or to today's daily note.",
        arguments=(
            Argument(
                "words",
                "[NOTE] TEXT",
                "The note, then the fact in a few words; - reads them from stdin.",
                many=True,
                offers="note",
            ),
        ),
        options=(
            *FACT_OPTIONS,
            TAG._replace(help="Give the fact this tag."),
            valued("meta", "Give the fact this field.", "KEY=VALUE", many=True),
            valued("updates", "The ^id of the fact that it replaces.", "ID", offers="facts"),
            valued(
                "contradicts",
                "The ^id of a fact that it disagrees with; both stay.",
                "ID",
                offers="facts",
            ),
            valued("part_of", "The note of what it is a part of.", "NOTE", offers="notes"),
            *WRITES,
        ),
        examples=(
            'aurelius add "Joe Bloggs" "Plays the cello"',
            (
                'aurelius add sarah "Prefers trains to planes" --type preference --because "she'
                ' reads on them"'
            ),
        ),
    ),
    Command(
        name="supersede",
        run="facts:run_supersede",
        group=WRITING_GROUP,
        help="Replace a fact that is no longer true; the old one is kept.",
        arguments=(FACT, TEXT_ARGUMENT),
        options=(*FACT_OPTIONS, *WRITES),
        examples=(
            'aurelius supersede k3v9qa "Lives in Portland"',
            'aurelius supersede p7x2mn "Works at a bakery" --date 2026-02-09',
        ),
    ),
    Command(
        name="update",
        run="facts:run_update",
        group=WRITING_GROUP,
        help="Reword a fact; its date and id stay.",
        arguments=(FACT, TEXT_ARGUMENT),
        options=WRITES,
        examples=('aurelius update k3v9qa "Lives in Los Angeles, near the beach"',),
    ),
    Command(
        name="new",
        run="facts:run_new",
        group=WRITING_GROUP,
        help="Create a note about a person, a project or another subject.",
        arguments=(
            Argument("kind", "KIND", "What it is about.", choices=BEGUN),
            Argument("name", "NAME", "Its name.", many=True),
        ),
        options=(
            DRY_RUN,
            FORCE._replace(
                help="Create it even where another note has the name, or it looks like a secret."
            ),
            JSON,
        ),
        examples=('aurelius new person "Ann Lee"', 'aurelius new project "Kitchen renovation"'),
    ),
    Command(
        name="move",
        run="keep:run_move",
        group=WRITING_GROUP,
        help="Move or rename a note and repair every link to it.",
        arguments=(
            NOTE_ARGUMENT,
            Argument(
                "destination",
                "DEST",
                "A folder, or the note's new path, also if you renamed it already.",
                offers="folders",
            ),
        ),
        options=(ALL, *WRITES),
        examples=(
            "aurelius move sarah people/sarah-lindqvist.md",
            "aurelius move make-this-vault-mine archives/",
        ),
    ),
    Command(
        name="archive",
        run="keep:run_archive",
        group=WRITING_GROUP,
        help="Move a fact or a note to the archive, where it is still found.",
        arguments=(REFERENCE._replace(default=""),),
        options=(
            valued(
                "when_over",
                "Instead: when all notes exceed SIZE, their least important facts.",
                "SIZE",
            ),
            ALL,
            *WRITES,
        ),
        examples=("aurelius archive techcorp", "aurelius archive --when-over 100MB"),
    ),
    Command(
        name="rm",
        run="keep:run_rm",
        group=WRITING_GROUP,
        help="Move a note or a fact to the archive, after asking; nothing is deleted.",
        arguments=(REFERENCE,),
        options=(flag("yes", "Do not ask."), ALL, *WRITES),
        examples=("aurelius rm sarah --yes",),
    ),
    Command(
        name="undo",
        run="facts:run_undo",
        group=TENDING,
        help="Undo the last change that Aurelius made.",
        arguments=(),
        options=(
            number(
                "number",
                "Undo this change (a number from --list) instead of the last.",
                flags=("--number", "-n"),
            ),
            flag("list", "List the changes, newest first."),
            ALL,
            PRIVATE_FLAG._replace(
                help="Also show what was changed in notes marked `private: true`."
            ),
            DRY_RUN,
            JSON,
        ),
        examples=("aurelius undo --list", "aurelius undo --number 1"),
    ),
    Command(
        name="review",
        run="review:run_review",
        group=TENDING,
        help="List proposals that need your decision; accept or dismiss them.",
        arguments=(
            Argument("action", "ACTION", "What to do.", default="list", choices=REVIEW_ANSWERS),
            Argument(
                "keys",
                "KEY",
                "A proposal: its key, or its number in the list as it was last shown.",
                default="",
                many=True,
            ),
        ),
        options=(
            LIMIT_OPTION._replace(help="Show at most N proposals (default: 10)."),
            valued("all_of", "All proposals about a note.", "NOTE"),
            flag("all", "All proposals, also those not shown."),
            NO_LLM,
            *WRITES,
        ),
        examples=(
            "aurelius review",
            "aurelius review -n 3",
            "aurelius review accept --all --dry-run",
        ),
    ),
    Command(
        name="extract",
        run="keep:run_extract",
        group=TENDING,
        help="Propose facts of daily notes for pages, or write them.",
        arguments=(),
        options=(
            valued("since", "Only daily notes from this day on.", "DATE"),
            ALL,
            NO_LLM,
            *WRITES,
        ),
        examples=("aurelius extract", "aurelius extract --since 2026-02-01"),
    ),
    Command(
        name="summarize",
        run="keep:run_summarize",
        group=TENDING,
        help="Rewrite the summaries of notes from the facts in use.",
        arguments=(NOTES_ARGUMENT,),
        options=(
            flag("all", "Include archived notes, and name every summary that was left alone."),
            flag("take_over", "Also replace a summary that you wrote, of NOTE or with --all."),
            flag(
                "new",
                "Also make summaries and _index.md files where there are none, after saying how"
                " many.",
            ),
            flag(
                "yes", "Make them without being asked, and rewrite a summary that would lose much."
            ),
            PRIVATE_FLAG,
            NO_LLM,
            DRY_RUN,
            JSON,
        ),
        examples=('aurelius summarize "Joe Bloggs"', "aurelius summarize --dry-run"),
    ),
    Command(
        name="tidy",
        run="keep:run_tidy",
        group=TENDING,
        help="Repair duplicate ids and strike facts that were replaced.",
        arguments=(NOTES_ARGUMENT,),
        options=(
            flag("stamp", "Also give an ^id to every fact that has none."),
            flag("check", "Only list what would be done; exit 1 if there is anything."),
            ALL,
            *WRITES,
        ),
        examples=("aurelius tidy --check", "aurelius tidy people/joe-bloggs --stamp"),
    ),
    Command(
        name="reinforce",
        run="keep:run_reinforce",
        group=TENDING,
        help="Rank a fact higher because it helped.",
        arguments=(FACT,),
        options=JUDGES,
        examples=("aurelius reinforce k3v9qa",),
    ),
    Command(
        name="demote",
        run="keep:run_demote",
        group=TENDING,
        help="Rank a fact lower because it did not help.",
        arguments=(FACT,),
        options=JUDGES,
        examples=("aurelius demote k3v9qa",),
    ),
    Command(
        name="init",
        run="admin:run_init",
        group=KEEPING,
        help="Create a vault, or turn a folder of notes into one.",
        arguments=(Argument("directory", "DIR", "The folder (default: this one).", default="."),),
        options=(
            flag("git", "Also make it a git repository; its first commit holds what was made."),
            flag("adopt", "For a folder that has notes: add .aurelius/ and nothing else."),
            flag(
                "template",
                "For a folder that has notes: add the example notes; none is overwritten.",
            ),
            flag("empty", "Leave out the example notes."),
            JSON,
        ),
    ),
    Command(
        name="status",
        run="admin:run_status",
        group=KEEPING,
        help="Show where vault and index are and whether all is well.",
        arguments=(),
        options=(flag("verbose", "Show model, versions and where settings come from, too."), JSON),
    ),
    Command(
        name="doctor",
        run="admin:run_doctor",
        group=KEEPING,
        help="List problems in the notes, with line and remedy.",
        arguments=(),
        options=(
            KIND._replace(
                help="Only this kind of problem, a word from the counts.", value="CODE", choices=()
            ),
            LIMIT_OPTION._replace(help="Show at most N (default: a screenful, with counts)."),
            flag("all", "Show every problem."),
            flag("verify", "Instead, prove that the index holds what the files say."),
            flag(
                "fix",
                "Remove what deleted vaults left in the cache; with --verify, rebuild the index.",
            ),
            JSON,
        ),
    ),
    Command(
        name="config",
        run="admin:run_config",
        group=KEEPING,
        help="Show the settings or one of them; set or unset one.",
        arguments=(
            Argument("action", "ACTION", "What to do.", default="show", choices=SETTING),
            Argument(
                "key", "KEY", "The setting, like search.limit.", default="", offers="settings"
            ),
            Argument(
                "value",
                "VALUE",
                "The new value; for a list, several words or a TOML array.",
                many=True,
                default="",
            ),
        ),
        options=(JSON,),
        examples=(
            "aurelius config",
            "aurelius config get search.limit",
            "aurelius config set search.limit 5",
        ),
    ),
    Command(
        name="daemon",
        run="daemon:run_daemon",
        group=KEEPING,
        help="Watch the vault in the background, for faster searches.",
        arguments=(Argument("action", "ACTION", "What to do.", choices=DAEMON_ACTIONS),),
        options=(
            JSON,
            flag("quiet", "With run: write messages to the log only, not to this terminal."),
            flag("dry_run", "With install: only show; do not write or ask."),
            flag("yes", "With install: write without asking. With start: allow the vault's jobs."),
            flag("uninstall", "With install: remove what install wrote."),
        ),
    ),
    Command(
        name="hook",
        run="hook:run_hook",
        group=FOR_PROGRAMS,
        help="Answer an event of an agent's client program, told as JSON on stdin.",
        arguments=(
            Argument("event", "EVENT", "What happened; or on, off, status.", choices=HOOKS),
        ),
        options=(*HOOK_OPTIONS, JSON._replace(help="With on, off, status: print JSON.")),
    ),
    Command(
        name="mcp",
        run="doors:run_mcp",
        group=FOR_PROGRAMS,
        help="Answer an agent's program over MCP, on stdin and stdout.",
        arguments=(),
        options=(
            flag("http", "Answer over HTTP instead, on 127.0.0.1 alone, until Ctrl-C."),
            number("port", "With --http: the port (default: 8437; 0: any free one).", least=0),
            NO_USE,
        ),
    ),
    Command(
        name="memory-tool",
        run="doors:run_memory_tool",
        group=FOR_PROGRAMS,
        help="Answer Claude's memory tool: lines of JSON on stdin.",
        arguments=(),
        options=(NO_USE,),
    ),
    Command(
        name="lsp",
        run="doors:run_lsp",
        group=FOR_PROGRAMS,
        help="Answer an editor over LSP, on stdin and stdout.",
        arguments=(),
        options=(),
    ),
    Command(
        name="tool",
        run="doors:run_tool",
        group=FOR_PROGRAMS,
        help="Answer a call of an agent's memory tool: one JSON object.",
        arguments=(
            Argument(
                "call",
                "JSON",
                "What to do (`aurelius help tools`); - reads a call from each line of stdin.",
            ),
        ),
        options=(NO_USE,),
        examples=("""aurelius tool '{"action": "search", "query": "Where does Joe live?"}'""",),
    ),
    Command(
        name="install",
        run="agents:run_install",
        group=KEEPING,
        help="Give an agent's program hooks, MCP or a skill, to use the vault.",
        arguments=(Argument("client", "CLIENT", "The program.", default="list", choices=PROGRAMS),),
        options=(
            valued(
                "capture",
                "What becomes of what you tell the agent (default: as set, propose).",
                "WHAT",
                choices=("propose", "apply", "off"),
            ),
            flag(
                "mcp", "Also install the MCP server (the only way for a program that has no hooks)."
            ),
            flag(
                "skill",
                "Also install the skill, which tells the agent when and how to use the notes.",
            ),
            *INSTALLS,
        ),
        examples=("aurelius install",),
    ),
    Command(
        name="uninstall",
        run="agents:run_uninstall",
        group=KEEPING,
        help="Put the files of an agent's program back as they were.",
        arguments=(Argument("client", "CLIENT", "The program.", choices=PROGRAMS[1:]),),
        options=INSTALLS,
    ),
    Command(
        name="agents",
        run="agents:run_agents",
        group=FOR_PROGRAMS,
        help="Print the guide for agents, or put it into AGENTS.md.",
        arguments=(),
        options=(
            flag("write", "Write it: a new AGENTS.md, or a marked part of the one there is."),
            flag("remove", "Take that out again."),
            DRY_RUN,
            JSON,
        ),
        examples=("aurelius agents",),
    ),
    Command(
        name="index",
        run="admin:run_index",
        group=KEEPING,
        help="Update the index now; every search does it anyway.",
        arguments=(),
        options=(
            flag("rebuild", "Rebuild it from nothing."),
            flag("accept_deletions", "Accept that most of the notes are really gone."),
            JSON,
        ),
    ),
    Command(
        name="forget",
        run="admin:run_forget",
        group=KEEPING,
        help="Remove a note from the index and ignore it from now on.",
        arguments=(Argument("path", "PATH", "The note's path in the vault.", offers="notes"),),
        options=(JSON,),
    ),
    Command(
        name="export",
        run="keep:run_export",
        group=KEEPING,
        help="Export all facts as JSON, Markdown or SQLite.",
        arguments=(),
        options=(
            JSON._replace(help="Print JSON."),
            flag("md", "Print Markdown."),
            valued("sqlite", "Write them to a new SQLite file.", "FILE"),
            PRIVATE_FLAG,
        ),
        examples=("aurelius export --md",),
    ),
    Command(
        name="help",
        run="admin:run_help",
        group=KEEPING,
        help="Explain a topic or a command; with --all, list them all.",
        arguments=(
            Argument(
                "topic",
                "TOPIC",
                "A topic, a topic and a heading in it, or a command.",
                many=True,
                default="",
                offers="topics",
            ),
        ),
        options=(
            flag("all", "List every command and topic, or print every section of a long one."),
        ),
        examples=("aurelius help facts", "aurelius help json search"),
    ),
)

FIRST_COMMANDS = (
    "init",
    "note",
    "search",
    "show",
    "days",
    "tasks",
    "review",
    "undo",
    "doctor",
)
"""The commands that a newcomer is shown."""
COMMAND_BY_NAME = {command.name: command for command in COMMANDS}
"""Each command by its name."""


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
