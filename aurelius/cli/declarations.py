"""Every command of `aurelius`: its arguments and options as the signature of a function, its help
as the docstring.

typer reads the signatures (app.py), and the annotations, which stay text until it does, name what
stands in options.py. So this module imports nothing heavy, and plain.py can take the defaults of a
plain `search` from here. What a command does is the function of `cli/commands` that it names,
`run(args, context)`; args hold what was typed by the names used here.
"""

# A command has a parameter for each option.

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Annotated, Any

    from typer import Argument, Option

    from indexer.usage.tier import TIERS

    from .options import (
        BEGUN,
        DAEMON_ACTIONS,
        HOOKS,
        KNOWN_PROGRAMS,
        PROGRAMS,
        REVIEW_ACTIONS,
        SETTING_ACTIONS,
        AddTypeOption,
        AgentOption,
        AllOption,
        ArchivedOption,
        AsOfOption,
        BecauseOption,
        BudgetOption,
        DateOption,
        DryRunOption,
        FactArgument,
        FolderOption,
        ForceOption,
        FormatOption,
        HelpOption,
        IdsOption,
        ImportanceOption,
        JsonOption,
        JudgeDryRunOption,
        KindOption,
        LimitOption,
        LinkedByOption,
        LinkToOption,
        MaxDistanceOption,
        MdOption,
        NoLlmOption,
        NoPagerOption,
        NoteArgument,
        NotesArgument,
        NoUseOption,
        NowOption,
        OffsetOption,
        OnOption,
        OrphanOption,
        PathsOption,
        PinOption,
        PrivateOption,
        ProjectOption,
        RecursiveOption,
        ReferenceArgument,
        RelatedOption,
        SessionOption,
        SinceOption,
        SourceOption,
        StatusOption,
        TagOption,
        TextArgument,
        TierOption,
        TypeOption,
        UntilOption,
        VaultOption,
        VersionOption,
        WhereOption,
        YesOption,
        offer_types,
        offered,
        one_of,
        type_word,
        whole_number,
    )

    Signatures = tuple[Callable[..., None], ...]

READING = "Find and read"
WRITING = "Write"
TENDING = "Keep notes in shape"
KEEPING = "Vault and index"
FOR_PROGRAMS = "For programs"


class Command(NamedTuple):
    """A command: `run` is `module:function` in cli/commands, `group` its place in the help,
    `examples` are lines that work, `declared` have its parameters, `help` is what it
    does, in a line."""

    name: str
    run: str
    group: str
    examples: tuple[str, ...]
    declared: Signatures
    help: str

    @property
    def defaults(self) -> dict[str, Any]:
        """Its options, and those of every command, as they are where nothing is typed."""
        found = {**GLOBAL_DEFAULTS}
        for each in self.declared:
            found |= each.__kwdefaults__ or {}
        return found


NO_WORDS: Any = ()
"""What args hold of an option that may be repeated, where it is not given."""

COMMANDS: dict[str, Command] = {}
"""Each command by its name, in the order of the help."""

FIRST_COMMANDS = (
    "init",
    "note",
    "serve",
    "search",
    "show",
    "days",
    "tasks",
    "review",
    "undo",
    "doctor",
)
"""The commands that a newcomer is shown."""


def command(
    run: str, group: str, *examples: str, of: Signatures = (), then: Signatures = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enter the decorated signature in COMMANDS, between those of `of` and of `then`, under the
    name of the function without its underscore."""

    def enter(declared: Callable[..., None]) -> Callable[..., None]:
        name = declared.__name__.strip("_").replace("_", "-")
        COMMANDS[name] = Command(
            name=name,
            run=run,
            group=group,
            examples=examples,
            declared=(*of, declared, *then),
            help=declared.__doc__ or "",
        )
        return declared

    return enter


def _every_command(
    *,
    vault: VaultOption = None,
    now: NowOption = None,
    session: SessionOption = None,
    agent: AgentOption = None,
    ids: IdsOption = False,
    no_pager: NoPagerOption = False,
) -> None:
    """What may stand before a command and after it."""


def _which_notes(
    *,
    folder: FolderOption = None,
    kind: KindOption = NO_WORDS,
    tag: TagOption = NO_WORDS,
    where: WhereOption = NO_WORDS,
    linked_by: LinkedByOption = NO_WORDS,
    link_to: LinkToOption = NO_WORDS,
    related: RelatedOption = NO_WORDS,
    orphan: OrphanOption = False,
    recursive: RecursiveOption = False,
    max_distance: MaxDistanceOption = None,
    archived: ArchivedOption = None,
    private: PrivateOption = False,
) -> None:
    """Which notes are asked about."""


def _which_days(
    *,
    since: SinceOption = None,
    until: UntilOption = None,
    on: OnOption = None,
) -> None:
    """Which days are asked about."""


def _as_changed(
    *,
    private: PrivateOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """How a change is made and told."""


def _helped(*, help: HelpOption = False) -> None:
    """What every line may ask for."""


def _root(*, version: VersionOption = False) -> None:
    """What a line without a command may ask for."""


EVERY_COMMAND = _every_command
GLOBAL_DEFAULTS: dict[str, Any] = _every_command.__kwdefaults__ or {}
"""The options of every command as they are where nothing is typed."""
ASKS_HELP = _helped
NO_COMMAND = _root


@command(
    "search:run_search",
    READING,
    'aurelius search "Where does Joe live?"',
    "aurelius search invoices --type decision -n 3",
    'aurelius search "San Diego" --status all',
    "aurelius search --linked-by joe --on 2026-02-01",
    of=(
        _which_notes,
        _which_days,
    ),
)
def _search(
    query: Annotated[
        list[str],
        Argument(
            metavar="QUERY",
            help='Words or a question; "a phrase"; -word leaves out.  None: list notes.',
        ),
    ] = NO_WORDS,
    *,
    type: TypeOption = NO_WORDS,
    status: StatusOption = "active",
    as_of: AsOfOption = None,
    tier: TierOption = NO_WORDS,
    mode: Annotated[
        str | None,
        Option(
            metavar="MODE",
            **one_of(
                "Compare words and meaning, only words, or only meaning.",
                ("hybrid", "keyword", "vector"),
            ),
        ),
    ] = None,
    fusion: Annotated[
        str | None,
        Option(
            metavar="WAY",
            **one_of(
                "How to join the word hits and the meaning hits.", ("default", "rrf", "weighted")
            ),
        ),
    ] = None,
    explain: Annotated[bool, Option("--explain", help="Show how each score was computed.")] = False,
    limit: Annotated[
        int | None,
        Option(
            "--limit",
            "-n",
            metavar="N",
            parser=whole_number(),
            help="Show at most N hits, up to 100 (default: 10, or [search] limit).",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        Option(
            metavar="TOKENS",
            parser=whole_number(),
            help="Print as many whole hits as fit into this many tokens.",
        ),
    ] = None,
    json: JsonOption = False,
    jsonl: Annotated[
        bool, Option("--jsonl", help="Print one JSON object for each hit, each on its own line.")
    ] = False,
    paths: PathsOption = False,
    md: MdOption = False,
    format: FormatOption = None,
    sort: Annotated[
        str | None,
        Option(
            metavar="ORDER",
            **one_of(
                "Sort by this.",
                ("path", "title", "kind", "date", "updated", "changed", "lines", "recent"),
            ),
        ),
    ] = None,
    offset: OffsetOption = 0,
    all: AllOption = False,
    no_use: NoUseOption = False,
) -> None:
    """Find what the notes say about something."""


@command(
    "search:run_recall",
    READING,
    'aurelius recall "Where does Joe work, and what does that company do?"',
    of=(
        _which_notes,
        _which_days,
    ),
)
def _recall(
    query: Annotated[list[str], Argument(metavar="QUESTION", help="A question, or a few words.")],
    *,
    limit: Annotated[
        int | None,
        Option(
            "--limit",
            "-n",
            metavar="N",
            parser=whole_number(),
            help="Show at most N answers (default, and at most: 5).",
        ),
    ] = None,
    type: TypeOption = NO_WORDS,
    as_of: AsOfOption = None,
    tier: TierOption = NO_WORDS,
    budget: Annotated[
        int | None,
        Option(
            metavar="TOKENS",
            parser=whole_number(),
            help="Print as many lines as fit into this many tokens (default: 1,000).",
        ),
    ] = None,
    explain: Annotated[
        bool,
        Option(
            "--explain", help="Show how each score was computed, and which words each answer holds."
        ),
    ] = False,
    no_use: NoUseOption = False,
    json: JsonOption = False,
) -> None:
    """Answer a question with a few lines, and what they are linked to."""


@command("chat:run_chat", READING, 'aurelius chat "Where does Joe live?"')
def _chat(
    question: Annotated[
        list[str],
        Argument(
            metavar="QUESTION",
            help="What is asked once.  None: talk, or answer each line of stdin.",
        ),
    ] = NO_WORDS,
    *,
    no_use: NoUseOption = False,
    dry_run: Annotated[
        bool,
        Option("--dry-run", help="Print what QUESTION would send to your model; send nothing."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Talk to your notes: ask, go on, correct what is wrong."""


@command(
    "read:run_context",
    FOR_PROGRAMS,
    'aurelius context "Where does Joe live?"',
    "aurelius context --budget 500 --format memory",
)
def _context(
    prompt: Annotated[
        list[str],
        Argument(metavar="PROMPT", help="What is asked.  None: what a session should open with."),
    ] = NO_WORDS,
    *,
    budget: Annotated[
        int | None,
        Option(
            metavar="TOKENS",
            parser=whole_number(),
            help="Print at most so many tokens (default: 2,000, or [context] budget).",
        ),
    ] = None,
    format: Annotated[
        str,
        Option(
            metavar="FORM",
            **one_of(
                "How: lines of memories, fenced for an agent, Markdown, or JSON.",
                ("layer", "memory", "md", "json"),
            ),
        ),
    ] = "md",
    hook: Annotated[
        bool, Option("--hook", help="Print exactly what a hook would add to a new session.")
    ] = False,
    stats: Annotated[
        bool, Option("--stats", help="Say on stderr whether a running daemon had it ready.")
    ] = False,
    no_llm: NoLlmOption = False,
    dry_run: Annotated[
        bool,
        Option(
            "--dry-run", help="Print what your language model would be sent first; send nothing."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Print what an agent should know, alone or about a prompt."""


@command(
    "read:run_get", READING, "aurelius get people/joe-bloggs.md:13:3", 'aurelius get "joe#Facts"'
)
def _get(
    reference: Annotated[
        str,
        Argument(
            metavar="REF",
            autocompletion=offered("notes", "facts"),
            help=(
                "PATH, PATH:LINE, PATH:FIRST-LAST, PATH:LINE:COUNT, PATH#heading, PATH#^id or ^id."
            ),
        ),
    ],
    *,
    private: PrivateOption = False,
    no_use: NoUseOption = False,
    json: JsonOption = False,
) -> None:
    """Print exact lines of a note."""


@command("read:run_show", READING, "aurelius show joe --facts")
def _show(
    note: NoteArgument,
    *,
    facts: Annotated[bool, Option("--facts", help="Show its facts as well.")] = False,
    all: AllOption = False,
    private: PrivateOption = False,
    no_use: NoUseOption = False,
    json: JsonOption = False,
) -> None:
    """Show what a note is: its summary, links and facts."""


@command(
    "lists:run_list",
    READING,
    "aurelius list people",
    "aurelius list decisions --sort date",
    of=(
        _which_notes,
        _which_days,
    ),
)
def _list(
    what: Annotated[
        str,
        Argument(
            metavar="WHAT",
            help=("A kind of notes, like people or projects, or a type of facts, like decisions."),
        ),
    ] = "",
    *,
    type: Annotated[
        list[str],
        Option(
            "--type",
            "--category",
            metavar="TYPE",
            parser=type_word,
            autocompletion=offer_types,
            help=(
                "List facts of this type instead of notes; or another word for one: "
                "milestone, rule."
            ),
        ),
    ] = NO_WORDS,
    status: StatusOption = "active",
    tier: Annotated[
        list[str],
        Option(
            metavar="TIER",
            **one_of("Only notes of this tier; with --type, only such facts.", TIERS),
        ),
    ] = NO_WORDS,
    sort: Annotated[
        str,
        Option(
            metavar="ORDER",
            **one_of(
                "Sort by this.",
                ("path", "title", "kind", "date", "updated", "changed", "lines", "recent"),
            ),
        ),
    ] = "path",
    limit: LimitOption = None,
    offset: OffsetOption = 0,
    all: AllOption = False,
    budget: BudgetOption = None,
    json: JsonOption = False,
    paths: PathsOption = False,
    format: FormatOption = None,
) -> None:
    """List notes, or all facts of a type."""


@command("read:run_today", READING)
def _today(
    *,
    path: Annotated[bool, Option("--path", help="Print only its path.")] = False,
    all: AllOption = False,
    private: PrivateOption = False,
    json: JsonOption = False,
) -> None:
    """Print today's daily note."""


@command(
    "lists:run_days",
    READING,
    'aurelius days "last week"',
    "aurelius days --since 2026-02-01",
    "aurelius days --on-this-day",
    of=(_which_days,),
)
def _days(
    range: Annotated[
        list[str],
        Argument(
            metavar="RANGE",
            help=("Which days: 'last week', yesterday, 2026-01..2026-02 (default: last 7 days)."),
        ),
    ] = NO_WORDS,
    *,
    on_this_day: Annotated[
        bool, Option("--on-this-day", help="This day, or the day of RANGE, in all years up to it.")
    ] = False,
    limit: LimitOption = None,
    offset: OffsetOption = 0,
    all: AllOption = False,
    budget: BudgetOption = None,
    private: PrivateOption = False,
    json: JsonOption = False,
) -> None:
    """Show what happened, day by day: daily notes, dated facts, tasks."""


@command(
    "lists:run_tasks",
    READING,
    "aurelius tasks --open",
    'aurelius tasks --due "this week"',
    "aurelius tasks done make-this-vault-mine:22",
    of=(_which_notes,),
)
def _tasks(
    action: Annotated[
        str,
        Argument(
            metavar="ACTION",
            **one_of(
                "What to do.", {"list": "List them.", "done": "Check the boxes of these tasks."}
            ),
        ),
    ] = "list",
    tasks: Annotated[
        list[str],
        Argument(
            metavar="PATH:LINE",
            autocompletion=offered("notes"),
            help="With done: the line of a task, as the list shows it.",
        ),
    ] = NO_WORDS,
    *,
    open: Annotated[bool, Option("--open", help="Only tasks that are not done.")] = False,
    due: Annotated[
        str | None,
        Option(
            metavar="DATE", help="Only tasks due by this day: a date, or words like 'this week'."
        ),
    ] = None,
    limit: LimitOption = None,
    offset: OffsetOption = 0,
    all: AllOption = False,
    json: JsonOption = False,
    dry_run: DryRunOption = False,
    force: ForceOption = False,
) -> None:
    """List the tasks (check boxes) in all notes, or check one as done."""


@command("read:run_open", READING)
def _open(
    note: Annotated[
        str,
        Argument(
            metavar="NOTE[:LINE]",
            autocompletion=offered("notes", "facts"),
            help=(
                "A note: its path, title, alias or part of its name; or the ^id of a fact in it."
            ),
        ),
    ],
    *,
    obsidian: Annotated[bool, Option("--obsidian", help="Open it in Obsidian instead.")] = False,
    private: PrivateOption = False,
) -> None:
    """Open a note in your editor ($VISUAL or $EDITOR)."""


@command("read:run_links", READING, "aurelius links joe", "aurelius links joe --mentions -n 10")
def _links(
    note: NoteArgument,
    *,
    mentions: Annotated[
        bool,
        Option("--mentions", help="List the lines of other notes that name it, the newest first."),
    ] = False,
    limit: Annotated[
        int | None,
        Option(
            "--limit",
            "-n",
            metavar="N",
            parser=whole_number(),
            help="With --mentions: show at most N (default: 50).",
        ),
    ] = None,
    offset: Annotated[
        int, Option(metavar="N", parser=whole_number(0), help="With --mentions: skip the first N.")
    ] = 0,
    all: AllOption = False,
    private: PrivateOption = False,
    json: JsonOption = False,
) -> None:
    """List the links of a note and the links to it, or the lines that name it."""


@command("lists:run_tags", READING)
def _tags(
    *,
    limit: LimitOption = None,
    offset: OffsetOption = 0,
    all: AllOption = False,
    private: PrivateOption = False,
    json: JsonOption = False,
) -> None:
    """List all tags and how many notes have them."""


@command("facts:run_history", READING, "aurelius history joe", "aurelius history k3v9qa")
def _history(
    reference: ReferenceArgument,
    *,
    all: AllOption = False,
    private: PrivateOption = False,
    json: JsonOption = False,
) -> None:
    """Show earlier versions of facts and what replaced them."""


@command("facts:run_graph", READING, "aurelius graph k3v9qa", "aurelius graph joe --depth 2")
def _graph(
    reference: ReferenceArgument,
    *,
    depth: Annotated[
        int, Option(metavar="N", parser=whole_number(), help="Follow edges so many steps: 1 or 2.")
    ] = 1,
    edge: Annotated[
        list[str],
        Option(
            "--type",
            metavar="TYPE",
            help=(
                "Only edges of this type: updates, because, related (used together), or "
                "your own label."
            ),
        ),
    ] = NO_WORDS,
    all: AllOption = False,
    private: PrivateOption = False,
    json: JsonOption = False,
) -> None:
    """Show what a fact or note has to do with others, and why."""


@command(
    "facts:run_note",
    WRITING,
    'aurelius note "Called Joe about the boat trip"',
    'aurelius note "- [ ] Renew the passport"',
)
def _note(
    text: Annotated[list[str], Argument(metavar="TEXT", help="The line; - reads it from stdin.")],
    *,
    dry_run: DryRunOption = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Add a line to today's daily note."""


@command(
    "facts:run_add",
    WRITING,
    'aurelius add "Joe Bloggs" "Plays the cello"',
    (
        'aurelius add sarah "Prefers trains to planes" --type preference '
        '--because "she reads on them"'
    ),
    then=(_as_changed,),
)
def _add(
    words: Annotated[
        list[str],
        Argument(
            metavar="[NOTE] TEXT",
            autocompletion=offered("note"),
            help="The note, then the fact in a few words; - reads them from stdin.",
        ),
    ],
    *,
    date: DateOption = None,
    type: AddTypeOption = None,
    importance: ImportanceOption = None,
    pin: PinOption = False,
    because: BecauseOption = None,
    source: SourceOption = None,
    tag: Annotated[
        list[str],
        Option(
            metavar="TAG",
            autocompletion=offered("tags"),
            help="Give the fact this tag.",
        ),
    ] = NO_WORDS,
    meta: Annotated[
        list[str], Option(metavar="KEY=VALUE", help="Give the fact this field.")
    ] = NO_WORDS,
    updates: Annotated[
        str | None,
        Option(
            metavar="ID",
            autocompletion=offered("facts"),
            help="The ^id of the fact that it replaces.",
        ),
    ] = None,
    contradicts: Annotated[
        str | None,
        Option(
            metavar="ID",
            autocompletion=offered("facts"),
            help="The ^id of a fact that it disagrees with; both stay.",
        ),
    ] = None,
    part_of: Annotated[
        str | None,
        Option(
            metavar="NOTE",
            autocompletion=offered("notes"),
            help="The note of what it is a part of.",
        ),
    ] = None,
) -> None:
    """Add a fact to a note, or to today's daily note."""


@command(
    "facts:run_supersede",
    WRITING,
    'aurelius supersede k3v9qa "Lives in Portland"',
    'aurelius supersede p7x2mn "Works at a bakery" --date 2026-02-09',
    then=(_as_changed,),
)
def _supersede(
    fact: FactArgument,
    text: TextArgument,
    *,
    date: DateOption = None,
    type: AddTypeOption = None,
    importance: ImportanceOption = None,
    pin: PinOption = False,
    because: BecauseOption = None,
    source: SourceOption = None,
) -> None:
    """Replace a fact that is no longer true; the old one is kept."""


@command(
    "facts:run_update",
    WRITING,
    'aurelius update k3v9qa "Lives in Los Angeles, near the beach"',
    then=(_as_changed,),
)
def _update(
    fact: FactArgument,
    text: TextArgument,
) -> None:
    """Reword a fact; its date and id stay."""


@command(
    "facts:run_new",
    WRITING,
    'aurelius new person "Ann Lee"',
    'aurelius new project "Kitchen renovation"',
)
def _new(
    kind: Annotated[
        str,
        Argument(
            metavar="KIND",
            **one_of(
                "What it is about.",
                BEGUN,
            ),
        ),
    ],
    name: Annotated[list[str], Argument(metavar="NAME", help="Its name.")],
    *,
    dry_run: DryRunOption = False,
    force: Annotated[
        bool,
        Option(
            "--force",
            help=("Create it even where another note has the name, or it looks like a secret."),
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Create a note about a person, a project or another subject."""


@command(
    "keep:run_move",
    WRITING,
    "aurelius move sarah people/sarah-lindqvist.md",
    "aurelius move make-this-vault-mine archives/",
    then=(_as_changed,),
)
def _move(
    note: NoteArgument,
    destination: Annotated[
        str,
        Argument(
            metavar="DEST",
            autocompletion=offered("folders"),
            help="A folder, or the note's new path, also if you renamed it already.",
        ),
    ],
    *,
    all: AllOption = False,
) -> None:
    """Move or rename a note and repair every link to it."""


@command(
    "keep:run_archive",
    WRITING,
    "aurelius archive techcorp",
    "aurelius archive --when-over 100MB",
    then=(_as_changed,),
)
def _archive(
    reference: ReferenceArgument = "",
    *,
    when_over: Annotated[
        str | None,
        Option(
            metavar="SIZE", help="Instead: when all notes exceed SIZE, their least important facts."
        ),
    ] = None,
    all: AllOption = False,
) -> None:
    """Move a fact or a note to the archive, where it is still found."""


@command("keep:run_rm", WRITING, "aurelius rm sarah --yes", then=(_as_changed,))
def _rm(
    reference: ReferenceArgument,
    *,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    all: AllOption = False,
) -> None:
    """Move a note or a fact to the archive, after asking; nothing is deleted."""


@command("facts:run_undo", TENDING, "aurelius undo --list", "aurelius undo --number 1")
def _undo(
    *,
    number: Annotated[
        int | None,
        Option(
            "--number",
            "-n",
            metavar="N",
            parser=whole_number(),
            help="Undo this change (a number from --list) instead of the last.",
        ),
    ] = None,
    list: Annotated[bool, Option("--list", help="List the changes, newest first.")] = False,
    all: AllOption = False,
    private: PrivateOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Undo the last change that Aurelius made."""


@command(
    "review:run_review",
    TENDING,
    "aurelius review",
    "aurelius review --since monday",
    "aurelius review accept --all --dry-run",
    then=(_as_changed,),
)
def _review(
    action: Annotated[
        str,
        Argument(
            metavar="ACTION",
            **one_of(
                "What to do.",
                REVIEW_ACTIONS,
            ),
        ),
    ] = "list",
    keys: Annotated[
        list[str],
        Argument(
            metavar="KEY",
            help="A proposal: its key, or its number in the list as it was last shown.",
        ),
    ] = NO_WORDS,
    *,
    limit: Annotated[
        int | None,
        Option(
            "--limit",
            "-n",
            metavar="N",
            parser=whole_number(),
            help="Show at most N proposals (default: 10).",
        ),
    ] = None,
    all_of: Annotated[
        str | None, Option(metavar="NOTE", help="All proposals about a note.")
    ] = None,
    all: Annotated[bool, Option("--all", help="All proposals, also those not shown.")] = False,
    since: SinceOption = None,
    no_llm: NoLlmOption = False,
) -> None:
    """List proposals that need your decision; accept or dismiss them."""


@command(
    "keep:run_summarize", TENDING, 'aurelius summarize "Joe Bloggs"', "aurelius summarize --dry-run"
)
def _summarize(
    notes: NotesArgument = NO_WORDS,
    *,
    all: Annotated[
        bool,
        Option("--all", help="Include archived notes, and name every summary that was left alone."),
    ] = False,
    take_over: Annotated[
        bool,
        Option("--take-over", help="Also replace a summary that you wrote, of NOTE or with --all."),
    ] = False,
    new: Annotated[
        bool,
        Option(
            "--new",
            help=(
                "Also make summaries and _index.md files where there are none, after "
                "saying how many."
            ),
        ),
    ] = False,
    yes: Annotated[
        bool,
        Option(
            "--yes",
            help=("Make them without being asked, and rewrite a summary that would lose much."),
        ),
    ] = False,
    private: PrivateOption = False,
    no_llm: NoLlmOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Rewrite the summaries of notes from the facts in use."""


@command("keep:run_reinforce", TENDING, "aurelius reinforce k3v9qa")
def _reinforce(
    fact: FactArgument,
    *,
    private: PrivateOption = False,
    dry_run: JudgeDryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Rank a fact higher because it helped."""


@command("keep:run_demote", TENDING, "aurelius demote k3v9qa")
def _demote(
    fact: FactArgument,
    *,
    private: PrivateOption = False,
    dry_run: JudgeDryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Rank a fact lower because it did not help."""


@command("admin:run_init", KEEPING)
def _init(
    directory: Annotated[
        str, Argument(metavar="DIR", help="The folder (default: this one).")
    ] = ".",
    *,
    git: Annotated[
        bool,
        Option(
            "--git", help="Also make it a git repository; its first commit holds what was made."
        ),
    ] = False,
    adopt: Annotated[
        bool,
        Option("--adopt", help="For a folder that has notes: add .aurelius/ and nothing else."),
    ] = False,
    template: Annotated[
        bool,
        Option(
            "--template",
            help="For a folder that has notes: add the example notes; none is overwritten.",
        ),
    ] = False,
    empty: Annotated[bool, Option("--empty", help="Leave out the example notes.")] = False,
    json: JsonOption = False,
) -> None:
    """Create a vault, or turn a folder of notes into one."""


@command("admin:run_status", KEEPING, "aurelius status", "aurelius status --tiers joe")
def _status(
    notes: NotesArgument = NO_WORDS,
    *,
    tiers: Annotated[
        bool, Option("--tiers", help="Count hot, warm and cold facts, or list those of a note.")
    ] = False,
    ageing: Annotated[
        bool, Option("--ageing", help="Show how facts have aged and which could be archived.")
    ] = False,
    all: AllOption = False,
    private: PrivateOption = False,
    verbose: Annotated[
        bool, Option("--verbose", help="Show model, versions and where settings come from, too.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show where vault and index are and whether all is well."""


@command(
    "admin:run_doctor",
    KEEPING,
    "aurelius doctor",
    "aurelius doctor --tidy --check",
    "aurelius doctor --tidy people/joe-bloggs --stamp",
    then=(_as_changed,),
)
def _doctor(
    notes: NotesArgument = NO_WORDS,
    *,
    kind: Annotated[
        list[str],
        Option(
            metavar="CODE",
            help="Only this kind of problem, a word from the counts.",
        ),
    ] = NO_WORDS,
    limit: Annotated[
        int | None,
        Option(
            "--limit",
            "-n",
            metavar="N",
            parser=whole_number(),
            help="Show at most N (default: a screenful, with counts).",
        ),
    ] = None,
    all: Annotated[bool, Option("--all", help="Show every problem.")] = False,
    verify: Annotated[
        bool, Option("--verify", help="Instead, prove that the index holds what the files say.")
    ] = False,
    fix: Annotated[
        bool,
        Option(
            "--fix",
            help=(
                "Remove what deleted vaults left in the cache; with --verify, rebuild the index."
            ),
        ),
    ] = False,
    tidy: Annotated[
        bool,
        Option("--tidy", help="Repair duplicate ids and strike facts that others replace."),
    ] = False,
    stamp: Annotated[
        bool, Option("--stamp", help="With --tidy: also give an ^id to every fact that has none.")
    ] = False,
    check: Annotated[
        bool,
        Option(
            "--check",
            help="With --tidy: only list what would be done; exit 1 if there is anything.",
        ),
    ] = False,
) -> None:
    """List problems in the notes, with line and remedy."""


@command(
    "admin:run_config",
    KEEPING,
    "aurelius config",
    "aurelius config get search.limit",
    "aurelius config set search.limit 5",
)
def _config(
    action: Annotated[
        str,
        Argument(
            metavar="ACTION",
            **one_of(
                "What to do.",
                SETTING_ACTIONS,
            ),
        ),
    ] = "show",
    key: Annotated[
        str,
        Argument(
            metavar="KEY",
            autocompletion=offered("settings"),
            help="The setting, like search.limit.",
        ),
    ] = "",
    value: Annotated[
        list[str],
        Argument(metavar="VALUE", help="The new value; for a list, several words or a TOML array."),
    ] = NO_WORDS,
    *,
    json: JsonOption = False,
) -> None:
    """Show the settings or one of them; set or unset one."""


@command("daemon:run_daemon", KEEPING)
def _daemon(
    action: Annotated[
        str,
        Argument(
            metavar="ACTION",
            **one_of(
                "What to do.",
                DAEMON_ACTIONS,
            ),
        ),
    ],
    *,
    json: JsonOption = False,
    quiet: Annotated[
        bool,
        Option("--quiet", help="With run: write messages to the log only, not to this terminal."),
    ] = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="With install: only show; do not write or ask.")
    ] = False,
    yes: Annotated[
        bool,
        Option(
            "--yes", help="With install: write without asking. With start: allow the vault's jobs."
        ),
    ] = False,
    uninstall: Annotated[
        bool, Option("--uninstall", help="With install: remove what install wrote.")
    ] = False,
) -> None:
    """Watch the vault in the background, for faster searches."""


@command("serve:run_serve", READING)
def _serve(
    *,
    json: JsonOption = False,
    port: Annotated[
        int | None,
        Option(
            metavar="N",
            parser=whole_number(0),
            help="The port (default: 8438, or a free one where that is taken; 0: any free one).",
        ),
    ] = None,
    open: Annotated[bool, Option("--open", help="Open the pages in the browser.")] = False,
) -> None:
    """Show the vault on pages in the browser, on this computer alone."""


@command("hook:run_hook", FOR_PROGRAMS)
def _hook(
    event: Annotated[
        str,
        Argument(
            metavar="EVENT",
            **one_of(
                "What happened; or on, off, status.",
                HOOKS,
            ),
        ),
    ],
    *,
    deadline: Annotated[
        int | None, Option(metavar="MS", parser=whole_number(10), help="End after MS milliseconds.")
    ] = None,
    trace: Annotated[
        bool,
        Option("--trace", help="Keep what was asked, found and not said, as [hook] trace does."),
    ] = False,
    dry_run: Annotated[
        bool,
        Option("--dry-run", help="Print what your model would get to keep of it; send nothing."),
    ] = False,
    all: Annotated[
        bool, Option("--all", help="With on and off: for all vaults, not for this one alone.")
    ] = False,
    part: Annotated[
        str | None, Option(metavar="PART", help="What one process does for another.", hidden=True)
    ] = None,
    json: Annotated[bool, Option("--json", help="With on, off, status: print JSON.")] = False,
) -> None:
    """Answer an event of an agent's client program, told as JSON on stdin."""


@command("merge:run_merge_file", FOR_PROGRAMS)
def _merge_file(
    base: Annotated[str, Argument(metavar="BASE", help="What both came from, git's %O.")],
    ours: Annotated[str, Argument(metavar="OURS", help="Ours, git's %A; the result goes there.")],
    theirs: Annotated[str, Argument(metavar="THEIRS", help="The other one, git's %B.")],
    path: Annotated[str, Argument(metavar="PATH", help="The path of the note, git's %P.")],
) -> None:
    """Merge two versions of a note for git, fact by fact."""


@command("doors:run_mcp", FOR_PROGRAMS)
def _mcp(
    *,
    http: Annotated[
        bool, Option("--http", help="Answer over HTTP instead, on 127.0.0.1 alone, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int | None,
        Option(
            metavar="N",
            parser=whole_number(0),
            help="With --http: the port (default: 8437; 0: any free one).",
        ),
    ] = None,
    no_use: NoUseOption = False,
) -> None:
    """Answer an agent's program over MCP, on stdin and stdout."""


@command("doors:run_memory_tool", FOR_PROGRAMS)
def _memory_tool(
    *,
    no_use: NoUseOption = False,
) -> None:
    """Answer Claude's memory tool: lines of JSON on stdin."""


@command("doors:run_lsp", FOR_PROGRAMS)
def _lsp() -> None:
    """Answer an editor over LSP, on stdin and stdout."""


@command(
    "doors:run_tool",
    FOR_PROGRAMS,
    'aurelius tool \'{"action": "search", "query": "Where does Joe live?"}\'',
)
def _tool(
    call: Annotated[
        str,
        Argument(
            metavar="JSON",
            help="What to do; - reads a call from each line of stdin.",
        ),
    ],
    *,
    no_use: NoUseOption = False,
) -> None:
    """Answer a call of an agent's memory tool: one JSON object."""


@command("agents:run_install", KEEPING, "aurelius install")
def _install(
    client: Annotated[
        str,
        Argument(
            metavar="CLIENT",
            **one_of(
                "The program.",
                PROGRAMS,
            ),
        ),
    ] = "list",
    *,
    capture: Annotated[
        str | None,
        Option(
            metavar="WHAT",
            **one_of(
                "What becomes of what you tell the agent (default: as set, propose).",
                ("propose", "apply", "off"),
            ),
        ),
    ] = None,
    mcp: Annotated[
        bool,
        Option(
            "--mcp",
            help=("Also install the MCP server (the only way for a program that has no hooks)."),
        ),
    ] = False,
    skill: Annotated[
        bool,
        Option(
            "--skill",
            help=("Also install the skill, which tells the agent when and how to use the notes."),
        ),
    ] = False,
    daemon: Annotated[
        bool | None,
        Option("--daemon/--no-daemon", help="Also start the daemon at each login, or do not ask."),
    ] = None,
    project: ProjectOption = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Give an agent's program hooks, MCP or a skill, to use the vault."""


@command("agents:run_uninstall", KEEPING)
def _uninstall(
    client: Annotated[
        str,
        Argument(
            metavar="CLIENT",
            **one_of(
                "The program.",
                KNOWN_PROGRAMS,
            ),
        ),
    ],
    *,
    project: ProjectOption = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Put the files of an agent's program back as they were."""


@command("agents:run_agents", FOR_PROGRAMS, "aurelius agents")
def _agents(
    *,
    write: Annotated[
        bool,
        Option("--write", help="Write it: a new AGENTS.md, or a marked part of the one there is."),
    ] = False,
    remove: Annotated[bool, Option("--remove", help="Take that out again.")] = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Print the guide for agents, or put it into AGENTS.md."""


@command("admin:run_index", KEEPING)
def _index(
    *,
    rebuild: Annotated[bool, Option("--rebuild", help="Rebuild it from nothing.")] = False,
    accept_deletions: Annotated[
        bool, Option("--accept-deletions", help="Accept that most of the notes are really gone.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Update the index now; every search does it anyway."""


@command("admin:run_forget", KEEPING)
def _forget(
    path: Annotated[
        str,
        Argument(
            metavar="PATH", autocompletion=offered("notes"), help="The note's path in the vault."
        ),
    ],
    *,
    json: JsonOption = False,
) -> None:
    """Remove a note from the index and ignore it from now on."""


@command("review:run_maintain", KEEPING, "aurelius maintain")
def _maintain(
    *, all: AllOption = False, private: PrivateOption = False, json: JsonOption = False
) -> None:
    """Show what time brought: contradictions, duplicates, what is rarely used or came up often."""


@command(
    "imports:run_import",
    KEEPING,
    "aurelius import export.json --dry-run",
    "aurelius import export.json --yes",
)
def _import(
    path: Annotated[
        str,
        Argument(
            metavar="FILE|DIR",
            help="The export: a file, a zip or a folder.",
            show_default=False,
        ),
    ],
    *,
    yes: YesOption = False,
    force: ForceOption = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would come, and write nothing.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring in what another program keeps: chats, notes, memories."""


@command("sync:run_sync", KEEPING)
def _sync(
    *,
    setup: Annotated[
        bool, Option("--setup", help="Show what this clone has and lacks, set it up, then sync.")
    ] = False,
    yes: Annotated[
        bool, Option("--yes", help="Go on without asking, however many notes would go.")
    ] = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would come and go; no note is touched.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring the notes of all devices together, by git."""


@command("keep:run_export", KEEPING, "aurelius export --md")
def _export(
    *,
    json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
    md: MdOption = False,
    sqlite: Annotated[
        str | None, Option(metavar="FILE", help="Write them to a new SQLite file.")
    ] = None,
    private: PrivateOption = False,
) -> None:
    """Export all facts as JSON, Markdown or SQLite."""


@command("admin:run_help", KEEPING, "aurelius help facts", "aurelius help json search")
def _help(
    topic: Annotated[
        list[str],
        Argument(
            metavar="TOPIC",
            autocompletion=offered("topics"),
            help="A topic, a topic and a heading in it, or a command.",
        ),
    ] = NO_WORDS,
    *,
    all: Annotated[
        bool,
        Option("--all", help="List every command and topic, or print every section of a long one."),
    ] = False,
) -> None:
    """Explain a topic or a command; with --all, list them all."""
