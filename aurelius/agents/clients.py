"""Client programs of agents: the hooks and the skill that let one use a vault, planned, written and taken back.

Where and how each program keeps them, as read in its own documentation:

- Claude Code: https://docs.claude.com/en/docs/claude-code/hooks, https://docs.claude.com/en/docs/claude-code/skills
- Codex: https://developers.openai.com/codex/hooks, https://developers.openai.com/codex/skills
- Cursor: https://cursor.com/docs/agent/hooks, https://cursor.com/docs/context/skills
- OpenClaw: https://docs.openclaw.ai/automation/hooks, https://docs.openclaw.ai/tools/skills
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.settings.change_settings import Planned
from aurelius.settings.config import BOM, bytes_of, decoded, find_vault, load
from aurelius.settings.hook_file import checked, own_words, with_groups, without_groups
from aurelius.settings.places import home, key_of, shell_word, user_folder
from aurelius.writing.replace_file import digest
from indexer.errors import ConfigError, ConflictError, UsageError, VaultNotFoundError

from .deadline import EVENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = dict[str, Any]

SKILL = os.path.join("skills", "aurelius", "SKILL.md")
SECONDS = 10
"""Seconds that a client gives a hook; the hook ends much sooner by itself."""


class ClientHook(NamedTuple):
    """One event of a client program: our word for it, what it is limited to, and whether it keeps what is said."""

    word: str
    matcher: str = ""
    keeps: bool = False

    @property
    def event(self) -> str:
        """The client's own name for it."""
        return EVENTS[self.word]


START = ClientHook("session-start", "startup|resume|clear|compact")
PROMPT = ClientHook("prompt")
READ = ClientHook("post-tool", "Read")
KEEPS = tuple(ClientHook(word, keeps=True) for word in ("stop", "pre-compact", "session-end"))


class Client(NamedTuple):
    """A client program: the folder of its settings below a person's own, and the variable that names another.

    `settings` is its file of hooks, "" for none; `skills` is where its skills lie, where that is not the same folder;
    `why` is what a person should know of it.
    """

    name: str
    folder: str
    variable: str
    settings: str = ""
    hooks: tuple[ClientHook, ...] = ()
    skills: str = ""
    why: str = ""

    @property
    def title(self) -> str:
        """What people call it."""
        return "OpenClaw" if self.name == "openclaw" else self.name.replace("-", " ").title()


CLIENTS = (
    Client("claude-code", ".claude", "CLAUDE_CONFIG_DIR", "settings.json",
           (START, PROMPT, READ, *KEEPS)),
    Client("codex", ".codex", "CODEX_HOME", "hooks.json", (START, PROMPT), ".agents",
           why="asks you to trust new hooks: type /hooks in it; what you say there is not captured"),
    Client("cursor", ".cursor", "",
           why="gets a skill: its hooks can add nothing to a prompt"),
    Client("openclaw", ".openclaw", "OPENCLAW_STATE_DIR",
           why="gets a skill: its hooks are TypeScript that runs inside it"),
)  # fmt: skip
NAMES = tuple(each.name for each in CLIENTS)


class ClientPlace(NamedTuple):
    """Where a client keeps its things: for the person, or in the folder of one project."""

    client: Client
    folder: str
    skills: str
    project: str = ""

    @property
    def settings(self) -> str:
        """Its file of hooks; "" for none."""
        return os.path.join(self.folder, self.client.settings) if self.client.settings else ""

    @property
    def skill(self) -> str:
        """The file of our skill."""
        return os.path.join(self.skills, SKILL)


def place_of(client: Client, env: Mapping[str, str], project: str = "") -> ClientPlace:
    """The place of a client, for the person or in the folder of a project."""
    base = project or home(env)
    named = "" if project or not client.variable else env.get(client.variable, "")
    folder = named if os.path.isabs(named) else os.path.join(base, client.folder)
    return ClientPlace(client, folder, os.path.join(base, client.skills) if client.skills else folder, project)


class Wanted(NamedTuple):
    """What a client is to have: the commands of its hooks, and the text of the skill; None for no skill."""

    hooks: Mapping[ClientHook, str]
    skill: bytes | None


def wanted(place: ClientPlace, program: str, root: str, env: Mapping[str, str], *, keeps: bool, skill: bool) -> Wanted:
    """What a client is to have for the vault at `root`: with `keeps` also the hooks that keep what the person says.

    A client that has no hooks for us gets the skill in any case.
    """
    vault = "" if _is_usual(root, env, place.project) else root
    hooks = {hook: command(program, hook.word, vault) for hook in place.client.hooks if keeps or not hook.keeps}
    return Wanted(hooks, skill_text(vault) if skill or not place.client.hooks else None)


def _is_usual(root: str, env: Mapping[str, str], project: str) -> bool:
    """Whether a program that is started in a project, or outside every vault, uses the vault at `root` anyway."""
    try:
        return find_vault(None, {**env, "AURELIUS_VAULT": ""}, project or home(env)) == root
    except VaultNotFoundError:
        return False


def skill_text(vault: str) -> bytes:
    """The skill, which names the vault to use where it is not "", the usual one."""
    with open(os.path.join(os.path.dirname(__file__), "SKILL.md"), "rb") as file:
        text = file.read()
    option = f" --vault {shell_word(vault)}"
    return text.replace(b" --vault VAULT", option.encode() if vault else b"")


def command(program: str, word: str, vault: str) -> str:
    """The command line of a hook as a client's shell runs it; `vault` is "" for the one that is used anyway."""
    words = [program, "hook", word, *(("--vault", vault) if vault else ())]
    if os.name == "nt":  # bash and cmd both read it so
        return " ".join(f'"{each}"' if " " in each else each for each in (word.replace("\\", "/") for word in words))
    return " ".join(map(shell_word, words))


# -- what is planned ------------------------------------------------------------------------------------


def install(place: ClientPlace, wanted: Wanted, env: Mapping[str, str]) -> list[Planned]:
    """The files that are to change; none where all is as wanted.  ConfigError, UsageError where that cannot be."""
    check(place)
    plans = []
    if place.settings and wanted.hooks:
        before = _read(place.settings)
        text = _text(place.settings, before)
        groups = {hook.event: _group(hook, line) for hook, line in wanted.hooks.items()}
        if text.strip():
            after = _encoded(checked(place.settings, text, lambda text: with_groups(text, groups)), before)
        else:
            after = with_groups("{}", groups).encode() + b"\n"
        plans.append(Planned(place.settings, "", before, after))
    if wanted.skill is not None:
        before, record = _read(place.skill), _record(place.skill, env)
        if before not in (None, wanted.skill) and not (record and record.after == digest(before)):
            raise ConfigError(
                f"{place.skill}: not written: it is not as `aurelius install` wrote it",
                "rename it, then run the command again",
            )
        plans.append(Planned(place.skill, "", before, wanted.skill))
    return [plan for plan in plans if plan.before != plan.after]


def uninstall(place: ClientPlace, env: Mapping[str, str]) -> tuple[list[Planned], list[str]]:
    """The files that are to be as they were, and a line for each that stays.

    Of a file of hooks that changed since, only what `install` put in is taken out; a skill that changed stays.
    """
    plans, told = [], []
    for file in filter(None, (place.settings, place.skill)):
        before, record = _read(file), _record(file, env)
        if before is None:
            continue
        after: bytes | None = before
        if record and record.after == digest(before):
            after = record.before
        elif file == place.settings and _text(file, before).strip():
            after = _without(file, before, record)
        elif file == place.skill and record:
            told.append(f"{file} was changed since it was installed, so it stays; delete it if you do not need it")
        plans.append(Planned(file, "", before, after))
    return [plan for plan in plans if plan.before != plan.after], told


def installed(place: ClientPlace) -> tuple[str, ...]:
    """What a client has of ours: "hooks", "capture" where they keep what the person says, "skill"."""
    text = _text(place.settings, _read(place.settings)) if place.settings else ""
    words = own_words(place.settings, text) if text.strip() else frozenset[str]()
    found = ["hooks"] if words else []
    if any(hook.word in words for hook in KEEPS):
        found.append("capture")
    if os.path.isfile(place.skill):
        found.append("skill")
    return tuple(found)


def captures(place: ClientPlace, root: str, env: Mapping[str, str]) -> str:
    """What a client does with what the person says: "off", or the setting of the vault; "" for no hooks or vault."""
    has = installed(place)
    if "capture" in has:
        return load(root, env).capture_replace if root else ""
    return "off" if "hooks" in has else ""


def program(own: str, env: Mapping[str, str]) -> str:
    """The path of the installed `aurelius`, where `own` is what this process was started as.

    UsageError where there is none that a program could run.
    """
    import shutil
    import sysconfig

    own = own if os.path.basename(own).lower() in {"aurelius", "aurelius.exe"} else ""
    beside = os.path.join(sysconfig.get_path("scripts"), "aurelius.exe" if os.name == "nt" else "aurelius")
    for path in (own, beside, shutil.which("aurelius", path=env.get("PATH")) or ""):
        if path and os.path.isfile(path):
            return path
    raise UsageError("the command `aurelius` is not installed, so no program could run it", "pipx install .")


def is_there(place: ClientPlace) -> bool:
    """Whether the client was ever used here: its folder exists."""
    return os.path.isdir(place.folder)


def check(place: ClientPlace) -> None:
    """UsageError where a client's folder is no folder, or its program was never used here."""
    if place.project:
        if not os.path.isdir(place.project):
            raise UsageError(f"{place.project} is not a folder", "name the folder of a project after --project")
    elif not is_there(place):
        title = place.client.title
        if os.path.lexists(place.folder):
            raise UsageError(f"{place.folder} is not a folder, so {title} cannot keep its settings there", "remove it")
        raise UsageError(
            f"{place.folder} does not exist: {title} was never used here",
            f"start {title} once, or make the folder: mkdir {shell_word(place.folder)}",
        )


def _group(hook: ClientHook, line: str) -> Value:
    matcher = {"matcher": hook.matcher} if hook.matcher else {}
    return {**matcher, "hooks": [{"type": "command", "command": line, "timeout": SECONDS}]}


# -- what is written ------------------------------------------------------------------------------------


def write(plans: Sequence[Planned], env: Mapping[str, str], *, keep: bool) -> None:
    """Carry out plans, one file at a time; with `keep`, what each file was is kept first, so that it can be put back.

    ConflictError where a file is no longer what the plan was made from, or cannot be written.
    """
    from aurelius.writing.own_files import keep_in_state, remove_empty, write_settings

    for plan in plans:
        state, name = _kept(plan.file, env)
        record = _record(plan.file, env)
        if keep:
            made = _missing(os.path.dirname(plan.file)) or (record.folders if record else [])
            before = _original(plan, record)
            head = {"file": plan.file, "after": digest(plan.after), "had": before is not None, "folders": made}
            try:
                keep_in_state(state, name, json.dumps(head).encode() + b"\n" + (before or b""))
            except OSError as error:
                raise ConflictError(f"{state} cannot be written: {error.strerror}", "nothing was changed") from error
        write_settings(plan, env)
        if not keep:
            remove_empty(os.path.join(state, name), record.folders if record else [])


class KeptFile(NamedTuple):
    """What was kept of a file: the hash that `install` left it with, what it was before, the folders made for it."""

    after: str
    before: bytes | None
    folders: list[str]


def _original(plan: Planned, record: KeptFile | None) -> bytes | None:
    """The bytes that `uninstall` is to bring back: the file's without what is ours in it."""
    if record and record.after == digest(plan.before):
        return record.before
    if plan.before is None or not plan.file.endswith(".json") or not _text(plan.file, plan.before).strip():
        return plan.before
    return _without(plan.file, plan.before, record)


def _without(file: str, data: bytes, record: KeptFile | None) -> bytes:
    """A file of hooks without ours; what was in it when they were put in stays, be it empty."""
    old = _text(file, record.before if record else None).strip() or "{}"
    return _encoded(checked(file, _text(file, data), lambda text: without_groups(text, old)), data)


def _kept(file: str, env: Mapping[str, str]) -> tuple[str, str]:
    return os.path.join(user_folder("state", env), "clients"), key_of(os.path.realpath(file))


def _record(file: str, env: Mapping[str, str]) -> KeptFile | None:
    try:
        with open(os.path.join(*_kept(file, env)), "rb") as stream:
            head, _, before = stream.read().partition(b"\n")
        found = json.loads(head)
        return KeptFile(found["after"], before if found["had"] else None, found["folders"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _missing(folder: str) -> list[str]:
    """The folders that have to be made for a file, the deepest first."""
    found = []
    while not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def _read(file: str) -> bytes | None:
    """The bytes of a client's file, None for none.  ConfigError for what is no file that can be read or written."""
    if os.path.isdir(file):
        raise ConfigError(f"{file} is a folder, and a file is needed there", "rename it, then run the command again")
    if os.path.islink(file) and not os.path.exists(file):
        raise ConfigError(f"{file} is a link to a file that does not exist", "remove the link, or make that file")
    return bytes_of(file)


def _text(file: str, data: bytes | None) -> str:
    return decoded(file, data or b"")


def _encoded(text: str, before: bytes | None) -> bytes:
    return (BOM if (before or b"").startswith(BOM) else b"") + text.encode()
