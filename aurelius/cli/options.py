"""Every command, argument and option, declared once as data.

run.py parses a command line by these tables, typer_app.py builds the typer app (help, error
text, completion) from the same ones, and `convert` is the one place that judges a value.  Nothing
here imports anything heavy: this is on the path of every search.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.errors import UsageError
from indexer.note import KINDS, TYPES
from indexer.usage.tier import TIERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Argument(NamedTuple):
    """A word after the command's name.

    `many` takes all that are left, at least one unless there is a `default`; one without is required; `completes`
    says that a shell may offer the paths of notes; `choices` are the words it can be, each with its help.
    """

    name: str
    value: str
    help: str
    many: bool = False
    default: str | None = None
    completes: bool = False
    choices: tuple[tuple[str, str], ...] = ()


class Option(NamedTuple):
    """A named choice.  `name` is where the value is found in args, `kind` is flag, text or number.

    `many` may be given several times; `default` is what args hold without it.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = "text"
    value: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    least: int | None = None
    hidden: bool = False
    fallback: str | None = None

    @property
    def default(self) -> Any:
        """What args hold when the option is not given."""
        if self.kind == "flag":
            return False
        return () if self.many else self.fallback


class Command(NamedTuple):
    """A command: `run` is `module:function`, `group` its place in the help."""

    name: str
    run: str
    group: str
    help: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()


def flag(name: str, text: str, *, hidden: bool = False) -> Option:
    """An option that is there or not, `--name`."""
    return Option(name, ("--" + name.replace("_", "-"),), text, kind="flag", hidden=hidden)


VAULT = Option("vault", ("--vault",), "The vault to use: its folder.", value="DIR")
NOW = Option("now", ("--now",), "The time to work at, an ISO date or time.", value="DATE", hidden=True)
FOLDERS = {"vault", "directory"}
"""What names a folder of the system, whose bytes may be no text."""

GLOBAL = (VAULT, NOW)
"""May stand before the command and after it."""

JSON = flag("json", "Print JSON, as aurelius/help/json.md describes it.")
NO_USE = flag("no_use", "Leave no trace that it was used (AURELIUS_NO_USE=1 does the same).")
PATHS = flag("paths", "Print only paths, each once.")
PRIVATE = flag("private", "Also show notes marked `private: true`.")
KIND = Option("kind", ("--kind",), "Only notes of this kind.", value="KIND", choices=KINDS, many=True)
TYPE = Option("type", ("--type",), "Only facts of this type.", value="TYPE", choices=TYPES, many=True)
TAG = Option("tag", ("--tag",), "Only notes with this tag.", value="TAG", many=True)
NOTE = Argument("note", "NOTE", "A path, title, alias or name, near enough is enough; or a fact's ^id.", completes=True)

NOTES = NOTE._replace(name="notes", help="Only this note, as a path, title, alias or name.", many=True, default="")

TIER = Option("tier", ("--tier",), "Only facts that are hot, warm or cold.", value="TIER", choices=TIERS, many=True)
ARCHIVED = Option("archived", ("--archived",), "Only what lies in the archive, or nothing of it.", value="WHICH",
                  choices=("only", "no"))  # fmt: skip

SEARCH_OPTIONS = (
    Option("mode", ("--mode",), "Words and meaning, words alone, or meaning alone.", value="MODE",
           choices=("hybrid", "keyword", "vector")),
    Option("fusion", ("--fusion",), "How hybrid mode joins the two lists.", value="WAY",
           choices=("default", "rrf", "weighted")),
    KIND,
    TYPE,
    TAG,
    Option("folder", ("--in",), "Only notes in this folder, or this note.", value="PATH"),
    Option("where", ("--where",), "Only notes whose front matter says so: 'status = done', 'rating >= 4', 'author'.",
           value="'KEY OP VALUE'", many=True),
    Option("since", ("--since",), "Not before: a date, or words like 'last week'.", value="DATE"),
    Option("until", ("--until",), "Not after.", value="DATE"),
    Option("on", ("--on",), "On this day, in this week, month or year.", value="DATE"),
    Option("status", ("--status",), "What became of a fact (default: active).", value="STATUS",
           choices=("active", "superseded", "proposed", "all"), fallback="active"),
    Option("as_of", ("--as-of",), "What held on that day, whatever became of it since.", value="DATE"),
    TIER,
    ARCHIVED,
    PRIVATE,
    Option("limit", ("--limit", "-n"), "How many hits, at most 100 (default: 10, or [search] limit).",
           kind="number", value="N", least=1),
    JSON,
    flag("jsonl", "Print one JSON object a hit."),
    PATHS,
    flag("md", "Print Markdown."),
    flag("explain", "Print how every score came about."),
    Option("budget", ("--budget",), "Only whole hits that fit into so many tokens.", kind="number",
           value="TOKENS", least=1),
    NO_USE,
)  # fmt: skip

LIST_OPTIONS = (
    KIND,
    TYPE._replace(help="List facts of this type, not notes."),
    TIER._replace(help="Only notes that are hot, warm or cold; with --type, such facts."),
    ARCHIVED,
    TAG,
    Option("sort", ("--sort",), "In which order.", value="ORDER",
           choices=("path", "title", "kind", "date", "updated", "changed", "lines"), fallback="path"),
    Option("limit", ("--limit", "-n"), "How many at most (default: all).", kind="number", value="N", least=1),
    Option("offset", ("--offset",), "How many to leave out first.", kind="number", value="N", least=0, fallback="0"),
    PRIVATE,
    JSON,
    PATHS,
)  # fmt: skip

ACTIONS = (
    ("run", "Watch the vault from this terminal, until Ctrl-C."),
    ("start", "Bring the index up to date, then watch in the background."),
    ("stop", "Stop the one in the background, or wherever it runs."),
    ("status", "Show whether it runs and how it does."),
    ("install", "Show what starts it at every login, and write that with --yes."),
)
"""What `aurelius daemon` can do."""

SETTING = (
    ("show", "Every setting, its value and where that comes from."),
    ("set", "Set KEY to VALUE, in the vault's file or in your own."),
    ("unset", "Set KEY no longer there, so that its default counts."),
)
"""What `aurelius config` can do."""

ANSWERS = (
    ("list", "Show what waits."),
    ("accept", "Let it be so."),
    ("dismiss", "Do not propose it again."),
)
"""What `aurelius review` can do."""

READING, WRITING, KEEPING = "Reading", "Writing", "Keeping"

BEGUN = (
    ("person", "Somebody."),
    ("company", "A company or another organisation."),
    ("project", "What has an end."),
    ("area", "What has none, only a standard to keep."),
    ("resource", "What is worth knowing."),
)
"""Kinds of notes that `aurelius new` begins."""

DRY_RUN = flag("dry_run", "Show what would change, as a diff, and write nothing.")
FORCE = flag("force", "Also what else is refused: to change ME.md, to take much away, to write a secret.")
FACT = Argument("fact", "ID", "The fact's ^id, or the key that search shows, or NOTE#^id.")
TEXT = Argument("text", "TEXT", "The fact in a few words; - reads them from stdin.", many=True)

SAID = (
    Option("date", ("--date",), "Since when it is so (default: today).", value="DATE"),
    TYPE._replace(help="What kind of fact it is.", many=False),
    Option("importance", ("--importance",), "How important it is, from 0 to 1.", value="NUMBER"),
    flag("pin", "Let it never grow cold."),
    Option("because", ("--because",), "The reason, or the ^id of the fact that is one.", value="WHY"),
    Option("source", ("--from",), "Where it is from: a note, or a few words.", value="SOURCE"),
)
"""What can be said of a new fact besides its words."""

JUDGES = (PRIVATE._replace(help="Also facts of notes marked `private: true`."),
          flag("dry_run", "Show what it would come to, and write nothing."), JSON)  # fmt: skip
WRITES = (PRIVATE._replace(help="Also notes marked `private: true`."), FORCE, DRY_RUN, JSON)

COMMANDS = (
    Command("search", "search:search", READING, "Find what the notes say about something.",
            (Argument("query", "QUERY", 'Words or a question; "a phrase"; -word leaves out.', many=True),),
            SEARCH_OPTIONS),
    Command("get", "read:get", READING, "Print exact lines of a note.",
            (Argument("reference", "REF", "PATH, PATH:LINE, PATH:LINE:COUNT, PATH#heading, PATH#^id or ^id.",
                      completes=True),),
            (PRIVATE, NO_USE, JSON)),
    Command("show", "read:show", READING, "Show a note: its summary, and what it is linked to.",
            (NOTE,), (flag("facts", "Show its facts as well."), PRIVATE, NO_USE, JSON)),
    Command("list", "lists:list_notes", READING, "List notes, or the facts of a type.", (), LIST_OPTIONS),
    Command("today", "read:today", READING, "Print today's daily note.",
            (), (flag("path", "Print only its path."), PRIVATE, JSON)),
    Command("tasks", "lists:tasks", READING, "List the tasks in all notes.", (),
            (flag("open", "Only those not done."),
             Option("due", ("--due",), "Only those due by then: a date, or words like 'this week'.", value="DATE"),
             PRIVATE, JSON)),
    Command("tags", "lists:tags", READING, "List every tag and how many notes have it.",
            (), (PRIVATE, JSON)),
    Command("links", "read:links", READING, "List what a note links to and what links to it.",
            (NOTE,), (PRIVATE, JSON)),
    Command("history", "facts:history", READING, "Show what facts were before, and what replaced them.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note."),), (PRIVATE, JSON)),
    Command("tiers", "tiers:tiers", READING, "Show what is hot, warm and cold, in all or in one note.",
            (NOTE._replace(help="Only this note, fact by fact.", default=""),), (PRIVATE, JSON)),
    Command("open", "read:open_note", READING, "Open a note in your editor ($VISUAL or $EDITOR).",
            (NOTE._replace(value="NOTE[:LINE]"),), (PRIVATE,)),
    Command("new", "write:new", WRITING, "Begin a note about a person, a project or another thing.",
            (Argument("kind", "KIND", "What it is about.", choices=BEGUN),
             Argument("name", "NAME", "What it is called.", many=True)),
            (DRY_RUN, FORCE, JSON)),
    Command("note", "write:note", WRITING, "Add a line to today's daily note.",
            (Argument("text", "TEXT", "What to note; - reads it from stdin.", many=True),),
            (DRY_RUN, FORCE, JSON)),
    Command("add", "facts:add", WRITING, "State a fact in a note, or in today's.",
            (Argument("words", "[NOTE] TEXT", "The note, and the fact in a few words; - reads them from stdin.",
                      many=True),),
            (*SAID,
             Option("tag", ("--tag",), "A tag that it carries.", value="TAG", many=True),
             Option("meta", ("--meta",), "A field that it carries.", value="KEY=VALUE", many=True),
             Option("updates", ("--updates",), "The fact that it replaces, which is kept under History.", value="ID"),
             *WRITES)),
    Command("update", "facts:update", WRITING, "Say a fact in other words.", (FACT, TEXT), WRITES),
    Command("supersede", "facts:supersede", WRITING, "Replace a fact that is no longer so; both stay.",
            (FACT, TEXT), (*SAID, *WRITES)),
    Command("archive", "keep:archive", WRITING, "Put a fact or a note away, where it is still found.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note.", default=""),),
            (Option("when_over", ("--when-over",), "Instead, where the notes are larger: what matters least in them.",
                    value="SIZE"),
             *WRITES)),
    Command("rm", "keep:rm", WRITING, "Move a note or a fact to the archive, after asking; nothing is deleted.",
            (NOTE._replace(name="reference", value="ID|NOTE", help="A fact's ^id, or a note."),),
            (flag("yes", "Do it without asking."), *WRITES)),
    Command("move", "keep:move", WRITING, "Move or rename a note and repair every link to it.",
            (NOTE, Argument("destination", "DEST", "A folder, or the note's new path.")), WRITES),
    Command("tidy", "keep:tidy", WRITING, "Give copied lines ids of their own; strike what was updated.",
            (NOTES,),
            (flag("stamp", "Also give an id to every fact that has none."),
             flag("check", "Only list what there is to do; exit 1 if anything."),
             *WRITES)),
    Command("maintain", "keep:maintain", KEEPING, "Show what time did to facts; nothing is written.",
            (NOTES,),
            (flag("all", "Every fact, not only what would be put away."), flag("dry_run", "As it is without."), PRIVATE,
             JSON)),
    Command("review", "review:review", WRITING, "Show proposals that need your decision; accept or dismiss them.",
            (Argument("action", "ACTION", "What to do.", default="list", choices=ANSWERS),
             Argument("number", "N", "Which one, by its number in the list.", default="")),
            (*WRITES, Option("limit", ("--limit", "-n"), "How many to list (default: 20).", kind="number", value="N",
                             least=1, fallback="20"))),
    Command("export", "keep:export", KEEPING, "Take all facts along in another form.", (),
            (JSON._replace(help="Print JSON."), flag("md", "Print Markdown."),
             Option("sqlite", ("--sqlite",), "Write a new SQLite file.", value="FILE"), PRIVATE)),
    Command("reinforce", "tiers:reinforce", WRITING, "Say that a fact helped: it ranks higher.",
            (FACT,), JUDGES),
    Command("demote", "tiers:demote", WRITING, "Say that a fact was of no use: it ranks lower.",
            (FACT,), JUDGES),
    Command("summarize", "summarize:summarize", WRITING,
            "Write the summary of notes anew, from the facts that are used.",
            (NOTES,),
            (flag("all", "Also those of archived notes, and name every one that was kept."),
             flag("take_over", "Replace a summary that a person typed, of a NOTE or of --all."),
             PRIVATE._replace(help="Also notes marked `private: true`."),
             DRY_RUN, JSON)),
    Command("undo", "write:undo", WRITING, "Bring back what was there before Aurelius's last change.",
            (),
            (Option("number", ("--number", "-n"), "The change of this number, as --list tells it, not the last.",
                    kind="number", value="N", least=1),
             flag("list", "List the changes, newest first."),
             DRY_RUN, JSON)),
    Command("init", "admin:init", KEEPING, "Make a vault, or make a folder of notes one.",
            (Argument("directory", "DIR", "Where; this folder unless named.", default="."),),
            (flag("git", "Also make it a git repository, with a first commit of what was made."),
             flag("adopt", "Add .aurelius/ alone to a folder that already has notes."),
             flag("template", "Add the example notes to a folder that already has notes; none is overwritten."),
             flag("empty", "Without the example notes."), JSON)),
    Command("index", "admin:index", KEEPING, "Bring the index up to date; searching does so by itself.",
            (), (flag("rebuild", "Build it anew from nothing."),
                 flag("accept_deletions", "Believe that most of the notes are really gone."), JSON)),
    Command("status", "admin:status", KEEPING, "Show where vault and index are and how they do.",
            (), (JSON,)),
    Command("doctor", "admin:doctor", KEEPING, "List what is wrong in the notes, where, and the remedy.",
            (), (KIND._replace(help="Only findings of this kind, as the counts name it.", value="CODE", choices=()),
                 Option("limit", ("--limit", "-n"), "How many at most (default: as many as can be read at once).",
                        kind="number", value="N", least=1),
                 flag("all", "Every finding."),
                 flag("verify", "Prove instead that the index is what the files say."),
                 flag("fix", "With --verify: build the index anew where it is not."), JSON)),
    Command("config", "admin:config", KEEPING, "Show every setting and where it comes from; set or unset one.",
            (Argument("action", "ACTION", "What to do.", default="show", choices=SETTING),
             Argument("key", "KEY", "Which setting, as search.limit.", default=""),
             Argument("value", "VALUE", "What it is to be; for a list several words or a TOML array.",
                      many=True, default="")),
            (JSON,)),
    Command("forget", "admin:forget", KEEPING, "Remove a note from the index, every byte of it.",
            (Argument("path", "PATH", "The note's path in the vault.", completes=True),), (JSON,)),
    Command("daemon", "daemon:daemon", KEEPING, "Watch the notes, so that searches answer sooner.",
            (Argument("action", "ACTION", "What to do.", choices=ACTIONS),),
            (JSON,
             flag("quiet", "With run: tell the log alone, not this terminal."),
             flag("dry_run", "With install: show, and neither write nor ask."),
             flag("yes", "With install: write without asking; with start: the vault's own jobs may run here."),
             flag("uninstall", "With install: take away what it wrote."))),
)  # fmt: skip


def find_command(name: str) -> Command | None:
    """The command of that name."""
    return next((command for command in COMMANDS if command.name == name), None)


def convert(option: Option, text: str) -> Any:
    """The value of an option from what was typed; UsageError that says what would be one."""
    shown = option.flags[0]
    choose(shown, text, option.choices)
    if option.kind == "text" and option.name not in FOLDERS and not text.strip():  # never as if it had not been given
        raise UsageError(f"{shown} is empty", f"name {option.value}, or leave {shown} out")
    if option.kind != "number":
        return text
    example = 1000 if option.value == "TOKENS" else 10
    try:
        number = int(text)
    except ValueError:
        raise UsageError(f"{shown} wants a whole number, not {text!r}", f"for example {shown} {example}") from None
    if option.least is not None and number < option.least:
        raise UsageError(f"{shown} must be at least {option.least}, not {number}", f"for example {shown} {example}")
    return number


def choose(shown: str, text: str, choices: Sequence[str]) -> None:
    """UsageError with the nearest choice where the text is none of them; without choices everything is one."""
    if choices and text not in choices:
        from difflib import get_close_matches

        near = get_close_matches(text, choices, 1)
        meant = f"did you mean {near[0]}?  " if near else ""
        raise UsageError(f"{shown} cannot be {text!r}", f"{meant}one of: {', '.join(choices)}")


def arguments(command: Command, raw: Mapping[str, Sequence[str]], words: Sequence[str]) -> SimpleNamespace:
    """The args of a run function: defaults, then what was typed; UsageError for a value that means nothing."""
    values: dict[str, Any] = {}
    for option in command.options + GLOBAL:
        typed = [_readable(option.name, text) for text in raw.get(option.name, ())]
        if option.kind == "flag":
            values[option.name] = bool(typed)
        elif option.many:
            values[option.name] = tuple(convert(option, text) for text in typed)
        else:
            text = typed[-1] if typed else option.fallback
            values[option.name] = None if text is None else convert(option, text)
    for place, argument in enumerate(command.arguments):
        if argument.many:
            values[argument.name] = tuple(_readable(argument.name, word) for word in words[place:])
        else:
            word = words[place] if place < len(words) else argument.default
            values[argument.name] = None if word is None else _readable(argument.name, word)
            if word is not None:
                choose(argument.value, values[argument.name], [each for each, _ in argument.choices])
    return SimpleNamespace(**values)


def _readable(name: str, text: str) -> str:
    """What was typed as text: bytes that are no UTF-8, which no note's name or text holds, become U+FFFD."""
    if name in FOLDERS or text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
