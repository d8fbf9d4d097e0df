"""Every command, argument and option, declared once as data.

run.py parses a command line by these tables, and typer_app.py builds the typer app (help, error text, completion)
from the same ones.  Nothing here imports anything heavy: this is on the path of every search.
"""

from __future__ import annotations

from indexer.note import KINDS, TYPES
from indexer.usage.tier import TIERS

from .typed_words import (
    ACTIONS,
    ANSWERS,
    BEGUN,
    HOOK_OPTIONS,
    HOOKS,
    PROGRAMS,
    PROJECT,
    SETTING,
    TASKS,
    Argument,
    Command,
    Option,
    flag,
    grouped,
)  # fmt: skip

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
                value="STATUS", choices=("active", "superseded", "proposed", "all"), fallback="active")  # fmt: skip

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

READING, WRITING, TENDING, KEEPING = "Find and read", "Write", "Keep notes in shape", "Vault and index"

DRY_RUN = flag("dry_run", "Show what would change, as a diff, and write nothing.")
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

COMMANDS = (
    Command("search", "search:search", READING, "Find what the notes say about something.",
            (Argument("query", "QUERY", 'Words or a question; "a phrase"; -word leaves out.  None: list notes.',
                      many=True, default=""),),
            SEARCH_OPTIONS,
            ('aurelius search "Where does Joe live?"', "aurelius search invoices --type decision -n 3",
             'aurelius search "San Diego" --status all', "aurelius search --linked-by joe --on 2026-02-01")),
    Command("recall", "search:recall", READING, "Answer a question with a few lines, and what they are linked to.",
            (Argument("query", "QUESTION", "A question, or a few words.", many=True),),
            (Option("limit", ("--limit", "-n"), "Show at most N answers (default, and at most: 5).", kind="number",
                    value="N", least=1),
             *grouped(NOTES_ONLY, *OF_NOTES), *grouped(FACTS_ONLY, *OF_DAYS, TYPE, AS_OF, TIER),
             Option("budget", ("--budget",), "Print as many lines as fit into this many tokens (default: 1,000).",
                    kind="number", value="TOKENS", least=1),
             flag("explain", "Show how each score was computed, and which words each answer holds."),
             NO_USE, JSON),
            ('aurelius recall "Where does Joe work, and what does that company do?"',)),
    Command("context", "agents:context", READING, "Print what an agent should know, alone or about a prompt.",
            (Argument("prompt", "PROMPT", "What is asked.  None: what a session should open with.", many=True,
                      default=""),),
            (Option("budget", ("--budget",), "Print at most so many tokens (default: 2,000, or [context] budget).",
                    kind="number", value="TOKENS", least=1),
             Option("format", ("--format",), "How: lines of memories, fenced for an agent, Markdown, or JSON.",
                    value="FORM", choices=("layer", "memory", "md", "json"), fallback="md"),
             flag("hook", "Print exactly what a hook would add to a new session."),
             flag("stats", "Say on stderr whether a running daemon had it ready."), JSON),
            ('aurelius context "Where does Joe live?"', "aurelius context --budget 500 --format memory")),
    Command("get", "read:get", READING, "Print exact lines of a note.",
            (Argument("reference", "REF", "PATH, PATH:LINE, PATH:LINE:COUNT, PATH#heading, PATH#^id or ^id.",
                      offers="notes facts"),),
            (PRIVATE, NO_USE, JSON),
            ("aurelius get people/joe-bloggs.md:13:3", 'aurelius get "joe#Facts"')),
    Command("show", "read:show", READING, "Show what a note is: its summary, links and facts.",
            (NOTE,), (flag("facts", "Show its facts as well."), ALL, PRIVATE, NO_USE, JSON),
            ("aurelius show joe --facts",)),
    Command("list", "lists:list_notes", READING, "List notes, or all facts of a type.", (), LIST_OPTIONS,
            ("aurelius list --kind person", "aurelius list --type decision --sort date")),
    Command("today", "read:today", READING, "Print today's daily note.",
            (), (flag("path", "Print only its path."), ALL, PRIVATE, JSON)),
    Command("days", "lists:list_days", READING, "Show what happened, day by day: daily notes, dated facts, tasks.",
            (Argument("range", "RANGE", "Which days: 'last week', yesterday, 2026-01..2026-02 (default: last 7 days).",
                      many=True, default=""),),
            (*OF_DAYS, flag("on_this_day", "This day, or the day of RANGE, in all years up to it."), *PAGE, BUDGET,
             PRIVATE, JSON),
            ('aurelius days "last week"', "aurelius days --since 2026-02-01", "aurelius days --on-this-day")),
    Command("tasks", "lists:tasks", READING, "List the tasks (check boxes) in all notes, or check one as done.",
            (Argument("action", "ACTION", "What to do.", default="list", choices=TASKS),
             Argument("tasks", "PATH:LINE", "With done: the line of a task, as the list shows it.", many=True,
                      default="", offers="notes")),
            (flag("open", "Only tasks that are not done."),
             Option("due", ("--due",), "Only tasks due by this day: a date, or words like 'this week'.", value="DATE"),
             *PAGE, JSON, *grouped(NOTES_ONLY, *OF_NOTES), DRY_RUN, FORCE),
            ("aurelius tasks --open", 'aurelius tasks --due "this week"',
             "aurelius tasks done make-this-vault-mine:22")),
    Command("open", "read:open_note", READING, "Open a note in your editor ($VISUAL or $EDITOR).",
            (NOTE._replace(value="NOTE[:LINE]"),), (flag("obsidian", "Open it in Obsidian instead."), PRIVATE)),
    Command("pick", "read:pick", READING, "Choose a note or a fact at the terminal; print where it is, or open it.",
            (Argument("query", "QUERY", "Words to begin with.", many=True, default=""),),
            (flag("facts", "Choose a fact, not a note."), flag("open", "Open it in your editor."), KIND, TAG, PRIVATE)),
    Command("links", "read:links", READING, "List the links of a note and the links to it.",
            (NOTE,), (ALL, PRIVATE, JSON), ("aurelius links joe",)),
    Command("tags", "lists:tags", READING, "List all tags and how many notes have them.",
            (), (*PAGE, PRIVATE, JSON)),
    Command("history", "facts:history", READING, "Show earlier versions of facts and what replaced them.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note."),), (ALL, PRIVATE, JSON),
            ("aurelius history joe", "aurelius history k3v9qa")),
    Command("graph", "facts:graph", READING, "Show what a fact or note has to do with others, and why.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note."),),
            (Option("depth", ("--depth",), "Follow edges so many steps: 1 or 2.", kind="number", value="N", least=1,
                    fallback="1"),
             Option("edge", ("--type",),
                    "Only edges of this type: updates, because, related (used together), or your own label.",
                    value="TYPE", many=True),
             ALL, PRIVATE, JSON),
            ("aurelius graph k3v9qa", "aurelius graph joe --depth 2")),
    Command("tiers", "ageing:tiers", READING, "Count hot, warm and cold facts, or list those of a note.",
            (NOTE._replace(help="List the facts of this note instead.", default=""),), (ALL, PRIVATE, JSON),
            ("aurelius tiers joe",)),
    Command("maintain", "keep:maintain", READING, "Show how facts have aged and which could be archived.",
            (NOTES,),
            (flag("all", "Show every fact, not only those that could be archived."),
             flag("dry_run", "No effect: maintain never writes."), PRIVATE, JSON)),
    Command("note", "facts:note", WRITING, "Add a line to today's daily note.",
            (Argument("text", "TEXT", "The line; - reads it from stdin.", many=True),),
            (DRY_RUN, FORCE, JSON),
            ('aurelius note "Called Joe about the boat trip"', 'aurelius note "- [ ] Renew the passport"')),
    Command("add", "facts:add", WRITING, "Add a fact to a note, or to today's daily note.",
            (Argument("words", "[NOTE] TEXT", "The note, then the fact in a few words; - reads them from stdin.",
                      many=True, offers="note"),),
            (*SAID,
             Option("tag", ("--tag",), "Give the fact this tag.", value="TAG", many=True, offers="tags"),
             Option("meta", ("--meta",), "Give the fact this field.", value="KEY=VALUE", many=True),
             Option("updates", ("--updates",), "The ^id of the fact that it replaces.", value="ID", offers="facts"),
             Option("contradicts", ("--contradicts",), "The ^id of a fact that it disagrees with; both stay.",
                    value="ID", offers="facts"),
             Option("part_of", ("--part-of",), "The note of what it is a part of.", value="NOTE", offers="notes"),
             *WRITES),
            ('aurelius add joe "Plays the cello"',
             'aurelius add sarah "Prefers trains to planes" --type preference --because "she reads on them"')),
    Command("supersede", "facts:supersede", WRITING, "Replace a fact that is no longer true; the old one is kept.",
            (FACT, TEXT), (*SAID, *WRITES),
            ('aurelius supersede k3v9qa "Lives in Portland"',
             'aurelius supersede p7x2mn "Works at a bakery" --date 2026-02-09')),
    Command("update", "facts:update", WRITING, "Reword a fact; its date and id stay.", (FACT, TEXT), WRITES,
            ('aurelius update k3v9qa "Lives in Los Angeles, near the beach"',)),
    Command("new", "facts:new", WRITING, "Create a note about a person, a project or another subject.",
            (Argument("kind", "KIND", "What it is about.", choices=BEGUN),
             Argument("name", "NAME", "Its name.", many=True)),
            (DRY_RUN, FORCE._replace(help="Create it even where another note has the name, or it looks like a secret."),
             JSON),
            ('aurelius new person "Ann Lee"', 'aurelius new project "Kitchen renovation"')),
    Command("move", "keep:move", WRITING, "Move or rename a note and repair every link to it.",
            (NOTE, Argument("destination", "DEST", "A folder, or the note's new path, also if you renamed it already.",
                            offers="folders")),
            (ALL, *WRITES),
            ("aurelius move sarah people/sarah-lindqvist.md", "aurelius move make-this-vault-mine archives/")),
    Command("archive", "keep:archive", WRITING, "Move a fact or a note to the archive, where it is still found.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note.", default=""),),
            (Option("when_over", ("--when-over",), "Instead: when all notes exceed SIZE, their least important facts.",
                    value="SIZE"),
             ALL, *WRITES),
            ("aurelius archive techcorp", "aurelius archive --when-over 100MB")),
    Command("rm", "keep:rm", WRITING, "Move a note or a fact to the archive, after asking; nothing is deleted.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note."),),
            (flag("yes", "Do not ask."), ALL, *WRITES), ("aurelius rm sarah --yes",)),
    Command("undo", "facts:undo", TENDING, "Undo the last change that Aurelius made.",
            (),
            (Option("number", ("--number", "-n"), "Undo this change (a number from --list) instead of the last.",
                    kind="number", value="N", least=1),
             flag("list", "List the changes, newest first."),
             ALL, PRIVATE._replace(help="Also show what was changed in notes marked `private: true`."),
             DRY_RUN, JSON),
            ("aurelius undo --list", "aurelius undo --number 1")),
    Command("review", "review:review", TENDING, "List proposals that need your decision; accept or dismiss them.",
            (Argument("action", "ACTION", "What to do.", default="list", choices=ANSWERS),
             Argument("keys", "KEY", "A proposal: its key, or its number in the list as it was last shown.",
                      default="", many=True)),
            (Option("limit", ("--limit", "-n"), "Show at most N proposals (default: 10).", kind="number", value="N",
                    least=1),
             Option("all_of", ("--all-of",), "All proposals about a note.", value="NOTE"),
             flag("all", "All proposals, also those not shown."),
             *WRITES),
            ("aurelius review", "aurelius review -n 3", "aurelius review accept --all --dry-run")),
    Command("extract", "keep:extract", TENDING, "Propose facts of daily notes for pages, or write them.",
            (),
            (Option("since", ("--since",), "Only daily notes from this day on.", value="DATE"), ALL, *WRITES),
            ("aurelius extract", "aurelius extract --since 2026-02-01")),
    Command("summarize", "ageing:summarize", TENDING, "Rewrite the summaries of notes from the facts in use.",
            (NOTES,),
            (flag("all", "Include archived notes, and name every summary that was left alone."),
             flag("take_over", "Also replace a summary that you wrote, of NOTE or with --all."),
             flag("new", "Also make summaries and _index.md files where there are none, after saying how many."),
             flag("yes", "Make them without being asked, and rewrite a summary that would lose much."),
             PRIVATE, DRY_RUN, JSON),
            ("aurelius summarize joe", "aurelius summarize --dry-run")),
    Command("tidy", "keep:tidy", TENDING, "Repair duplicate ids and strike facts that were replaced.",
            (NOTES,),
            (flag("stamp", "Also give an ^id to every fact that has none."),
             flag("check", "Only list what would be done; exit 1 if there is anything."),
             ALL, *WRITES),
            ("aurelius tidy --check", "aurelius tidy joe --stamp")),
    Command("reinforce", "ageing:reinforce", TENDING, "Rank a fact higher because it helped.",
            (FACT,), JUDGES, ("aurelius reinforce k3v9qa",)),
    Command("demote", "ageing:demote", TENDING, "Rank a fact lower because it did not help.",
            (FACT,), JUDGES, ("aurelius demote k3v9qa",)),
    Command("init", "admin:init", KEEPING, "Create a vault, or turn a folder of notes into one.",
            (Argument("directory", "DIR", "The folder (default: this one).", default="."),),
            (flag("git", "Also make it a git repository; its first commit holds what was made."),
             flag("adopt", "For a folder that has notes: add .aurelius/ and nothing else."),
             flag("template", "For a folder that has notes: add the example notes; none is overwritten."),
             flag("empty", "Leave out the example notes."), JSON)),
    Command("status", "admin:status", KEEPING, "Show where vault and index are and whether all is well.",
            (), (flag("verbose", "Show model, versions and where settings come from, too."), JSON)),
    Command("doctor", "admin:doctor", KEEPING, "List problems in the notes, with line and remedy.",
            (), (KIND._replace(help="Only this kind of problem, a word from the counts.", value="CODE", choices=()),
                 Option("limit", ("--limit", "-n"), "Show at most N (default: a screenful, with counts).",
                        kind="number", value="N", least=1),
                 flag("all", "Show every problem."),
                 flag("verify", "Instead, prove that the index holds what the files say."),
                 flag("fix", "Remove what deleted vaults left in the cache; with --verify, rebuild the index."),
                 JSON)),
    Command("config", "admin:config", KEEPING, "Show the settings; set or unset one.",
            (Argument("action", "ACTION", "What to do.", default="show", choices=SETTING),
             Argument("key", "KEY", "The setting, like search.limit.", default="", offers="settings"),
             Argument("value", "VALUE", "The new value; for a list, several words or a TOML array.",
                      many=True, default="")),
            (JSON,),
            ("aurelius config", "aurelius config set search.limit 5")),
    Command("daemon", "daemon:daemon", KEEPING, "Watch the vault in the background, for faster searches.",
            (Argument("action", "ACTION", "What to do.", choices=ACTIONS),),
            (JSON,
             flag("quiet", "With run: write messages to the log only, not to this terminal."),
             flag("dry_run", "With install: only show; do not write or ask."),
             flag("yes", "With install: write without asking. With start: allow the vault's jobs."),
             flag("uninstall", "With install: remove what install wrote."))),
    Command("hook", "agents:hook", KEEPING, "Answer an event of an agent's client program, told as JSON on stdin.",
            (Argument("event", "EVENT", "What happened; or on, off, status.", choices=HOOKS),),
            (*HOOK_OPTIONS, JSON._replace(help="With on, off, status: print JSON."))),
    Command("install", "agents:install", KEEPING, "Give an agent's program hooks or a skill that let it use the vault.",
            (Argument("client", "CLIENT", "The program.", default="list", choices=PROGRAMS),),
            (Option("capture", ("--capture",), "What becomes of what you tell the agent (default: as set, propose).",
                    value="WHAT", choices=("propose", "apply", "off")),
             flag("skill", "Also install the skill, which tells the agent when and how to use the notes."),
             PROJECT, flag("yes", "Write without asking."), DRY_RUN, JSON),
            ("aurelius install",)),
    Command("uninstall", "agents:uninstall", KEEPING, "Put the files of an agent's program back as they were.",
            (Argument("client", "CLIENT", "The program.", choices=PROGRAMS[1:]),),
            (PROJECT, flag("yes", "Write without asking."), DRY_RUN, JSON)),
    Command("agents", "agents:agents", KEEPING, "Print the guide for agents, or put it into AGENTS.md.", (),
            (flag("write", "Write it: a new AGENTS.md, or a marked part of the one there is."),
             flag("remove", "Take that out again."), DRY_RUN, JSON), ("aurelius agents",)),
    Command("index", "admin:index", KEEPING, "Update the index now; every search does it anyway.",
            (), (flag("rebuild", "Rebuild it from nothing."),
                 flag("accept_deletions", "Accept that most of the notes are really gone."), JSON)),
    Command("bench", "admin:bench", KEEPING, "Measure how well search answers your own questions.",
            (Argument("file", "FILE", "Lines of QUESTION, a tab, and the note that answers it; # begins a comment."),),
            (Option("mode", ("--mode",), "Ask in this mode (default: hybrid, or [search] mode).", value="MODE",
                    choices=("hybrid", "keyword", "vector")), JSON),
            ("aurelius bench questions.tsv", "aurelius bench questions.tsv --mode keyword")),
    Command("forget", "admin:forget", KEEPING, "Remove a note from the index and ignore it from now on.",
            (Argument("path", "PATH", "The note's path in the vault.", offers="notes"),), (JSON,)),
    Command("export", "keep:export", KEEPING, "Export all facts as JSON, Markdown or SQLite.", (),
            (JSON._replace(help="Print JSON."), flag("md", "Print Markdown."),
             Option("sqlite", ("--sqlite",), "Write them to a new SQLite file.", value="FILE"), PRIVATE),
            ("aurelius export --md",)),
    Command("help", "admin:help_about", KEEPING, "Explain a topic or a command; alone, list them all.",
            (Argument("topic", "TOPIC", "A topic, a topic and a heading in it, or a command.", many=True, default="",
                      offers="topics"),), (flag("all", "Print every section of a long topic."),),
            ("aurelius help facts", "aurelius help json search")),
)  # fmt: skip

BY_NAME = {command.name: command for command in COMMANDS}
"""Each command by its name."""
