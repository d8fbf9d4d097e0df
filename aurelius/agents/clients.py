"""Client programs of agents: the hooks, the skill and the MCP server that let one use a vault, put
in and taken out.

Where and how each program keeps them, as read in its own documentation:

- Claude Code: https://code.claude.com/docs/en/hooks, …/skills, …/mcp (`~/.claude.json`,
  `.mcp.json`)
- Codex: https://developers.openai.com/codex/hooks, …/skills, …/mcp (`[mcp_servers.NAME]` in
  config.toml)
- Cursor: https://cursor.com/docs/agent/hooks, https://cursor.com/docs/context/skills, …/mcp
- OpenClaw: https://docs.openclaw.ai/automation/hooks, …/tools/skills, …/cli/mcp (`mcp.servers`)
- Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers; Zed:
  https://zed.dev/docs/ai/mcp
- VS Code: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
- Gemini CLI: https://geminicli.com/docs/tools/mcp-server; OpenCode:
  https://opencode.ai/docs/mcp-servers
- Windsurf: https://docs.windsurf.com/windsurf/cascade/mcp
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.settings.change_settings import SettingChange
from aurelius.settings.config import decoded, encode_settings, find_vault, settings_bytes
from aurelius.settings.hook_file import (
    EMPTY_HOOK_FILE,
    OWN_KEY,
    OWN_SERVER,
    change_hook_file,
    is_own_server,
    own_hook_words,
    with_groups,
    with_server,
    without_groups,
    without_value,
)
from aurelius.settings.places import client_folder, home, shell_word
from aurelius.settings.plain_toml import edit_toml, parse_toml
from aurelius.writing.own_files import KeptFile, drop_kept, keep_file, kept_of, write_settings
from aurelius.writing.replace_file import bytes_digest
from indexer.errors import ConfigError, UsageError, VaultNotFoundError

from .deadline import HOOK_EVENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = dict[str, Any]

SKILL = os.path.join("skills", "aurelius", "SKILL.md")
_HOOK_SECONDS = 10
_SESSION_END_SECONDS = 3
"""Seconds that a client gives a hook, which ends much sooner by itself; at a session's end Codex
allows no more."""


class ClientHook(NamedTuple):
    """One event of a client program: our word for it, what it is limited to, and whether it keeps
    what is said."""

    word: str
    matcher: str = ""
    keeps: bool = False

    @property
    def event(self) -> str:
        """The client's own name for it."""
        return HOOK_EVENTS[self.word]


START = ClientHook("session-start", "startup|resume|clear|compact")
_PROMPT_HOOK = ClientHook("prompt")
_READ_HOOK = ClientHook("post-tool", "Read")
KEEPS = tuple(ClientHook(word, keeps=True) for word in ("stop", "pre-compact", "session-end"))


class Servers(NamedTuple):
    """Where a client keeps its MCP servers: its file for the person, that of a project, and the
    keys they are below.

    On macOS and Windows the file may be another, and where a variable names one. `more` is the rest
    of an entry.
    """

    file: str
    project: str = ""
    keys: tuple[str, ...] = ("mcpServers",)
    macos: str = "="
    windows: str = "="
    more: tuple[tuple[str, Any], ...] = ()
    variable: str = ""

    @property
    def here(self) -> str:
        """The file for the person on this system."""
        return {"darwin": self.macos, "win32": self.windows}.get(sys.platform, "=").replace(
            "=", self.file
        )


class Client(NamedTuple):
    """A client program: the folder of its settings below a person's own, and the variable that
    names another.

    `folder` is "" for one that has neither hooks nor skills for us; `settings` is its file of
    hooks, "" for none; `skills` is where its skills lie, where that is not the same folder; `why`
    is what a person should know of it.
    """

    name: str
    servers: Servers
    folder: str = ""
    variable: str = ""
    settings: str = ""
    hooks: tuple[ClientHook, ...] = ()
    skills: str = ""
    why: str = ""

    @property
    def title(self) -> str:
        """What people call it."""
        return _CLIENT_TITLES.get(self.name, self.name.replace("-", " ").title())


_CLIENT_TITLES = {
    "openclaw": "OpenClaw",
    "vscode": "VS Code",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
}
STDIO = (("type", "stdio"),)
CLIENTS = (
    Client(
        name="claude-code",
        servers=Servers("~/.claude.json", ".mcp.json", more=STDIO),
        folder=".claude",
        variable="CLAUDE_CONFIG_DIR",
        settings="settings.json",
        hooks=(START, _PROMPT_HOOK, _READ_HOOK, *KEEPS),
    ),
    Client(
        name="codex",
        servers=Servers("~/.codex/config.toml", ".codex/config.toml", ("mcp_servers",)),
        folder=".codex",
        variable="CODEX_HOME",
        settings="hooks.json",
        hooks=(START, _PROMPT_HOOK, *KEEPS),
        skills=".agents",
        why=(
            "runs no new or changed hook until you trust it, and does not tell you so: type /hooks"
            " in it"
        ),
    ),
    Client(
        "cursor",
        Servers("~/.cursor/mcp.json", ".cursor/mcp.json", more=STDIO),
        ".cursor",
        why="gets no hooks: what they say would not reach the model",
    ),
    Client(
        "openclaw",
        Servers(
            "~/.openclaw/openclaw.json", "", ("mcp", "servers"), variable="OPENCLAW_CONFIG_PATH"
        ),
        ".openclaw",
        "OPENCLAW_STATE_DIR",
        why="gets no hooks: its own are TypeScript that runs inside it",
    ),
    Client(
        "claude-desktop",
        Servers(
            "CONFIG/Claude/claude_desktop_config.json",
            macos="SUPPORT/Claude/claude_desktop_config.json",
            windows="APPDATA/Claude/claude_desktop_config.json",
        ),
        why="reads the file when it starts: quit it and start it again",
    ),
    Client(
        "vscode",
        Servers(
            file="CONFIG/Code/User/mcp.json",
            project=".vscode/mcp.json",
            keys=("servers",),
            macos="SUPPORT/Code/User/mcp.json",
            windows="APPDATA/Code/User/mcp.json",
            more=STDIO,
        ),
    ),
    Client(
        "gemini-cli",
        Servers("~/.gemini/settings.json", ".gemini/settings.json"),
        why="starts no server, not even your own, in a folder that you do not trust",
    ),
    Client("windsurf", Servers("~/.codeium/windsurf/mcp_config.json")),
    Client(
        "zed",
        Servers(
            "CONFIG/zed/settings.json",
            ".zed/settings.json",
            ("context_servers",),
            windows="APPDATA/Zed/settings.json",
            more=(("source", "custom"),),
        ),
    ),
    Client(
        "opencode",
        Servers(
            "CONFIG/opencode/opencode.json",
            "opencode.json",
            ("mcp",),
            more=(("type", "local"), ("enabled", True)),
        ),
    ),
)
CLIENT_NAMES = tuple(each.name for each in CLIENTS)


class ClientPlace(NamedTuple):
    """Where a client keeps its things: for the person, or in the folder of one project."""

    client: Client
    folder: str
    skills: str
    server: str = ""
    project: str = ""

    @property
    def settings(self) -> str:
        """Its file of hooks; "" for none."""
        if self.client.settings:
            return os.path.join(self.folder, self.client.settings)
        return ""

    @property
    def skill(self) -> str:
        """The file of our skill; "" for none."""
        if self.skills:
            return os.path.join(self.skills, SKILL)
        return ""


def client_place(client: Client, env: Mapping[str, str], project: str = "") -> ClientPlace:
    """The place of a client, for the person or in the folder of a project."""
    named = ""
    if client.variable and not project:
        named = env.get(client.variable, "")
    server = _server_file(client, env, project, named)
    if not client.folder:
        return ClientPlace(client, project or os.path.dirname(server), "", server, project)
    base = project or home(env)
    folder = named if os.path.isabs(named) else os.path.join(base, client.folder)
    skills = os.path.join(base, client.skills) if client.skills else folder
    return ClientPlace(client, folder, skills, server, project)


def _server_file(client: Client, env: Mapping[str, str], project: str, named: str) -> str:
    """The file of a client's MCP servers, "" for none; `named` is the folder that its variable
    names."""
    servers = client.servers
    if project:
        file = os.path.join(project, servers.project) if servers.project else ""
    else:
        file = client_folder(servers.here, env)
        if os.path.isabs(named):
            file = os.path.join(named, os.path.basename(file))
        if os.path.isabs(other := env.get(servers.variable, "")):
            file = other
    # OpenCode reads the same with comments as well, and writes into the one without if there are
    # two
    commented = f"{file}c"
    if client.name != "opencode" or not os.path.isfile(commented):
        return file
    if os.path.isfile(file) and OWN_SERVER.encode() not in (settings_bytes(commented) or b""):
        return file
    return commented


class Wanted(NamedTuple):
    """What a client is to have: commands of hooks, the text of the skill, the words that start the
    MCP server."""

    hooks: Mapping[ClientHook, str]
    skill: bytes | None
    server: tuple[str, ...] = ()


def wanted_of_client(
    place: ClientPlace,
    program: str,
    root: str,
    env: Mapping[str, str],
    *,
    keeps: bool,
    skill: bool,
    server: Sequence[str] | None = None,
) -> Wanted:
    """What a client is to have for the vault at `root`: with `keeps` also the hooks that keep what
    the person says, and the MCP server with these options where they are not None.

    A client that has no hooks for us gets the skill in any case, where it reads skills.
    """
    vault = "" if _is_usual(root, env, place.project) else root
    hooks = {
        hook: hook_command(program, hook.word, vault)
        for hook in place.client.hooks
        if keeps or not hook.keeps
    }
    text = None
    if place.skill and (skill or not place.client.hooks):
        text = skill_text(vault)
    words: tuple[str, ...] = ()
    if server is not None:
        words = (program, "mcp", "--vault", root, *server)
    return Wanted(hooks, text, words)


def _is_usual(root: str, env: Mapping[str, str], project: str) -> bool:
    """Whether a program that is started in a project, or outside every vault, uses the vault at
    `root` anyway."""
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


def hook_command(program: str, word: str, vault: str) -> str:
    """The command line of a hook as a client's shell runs it; `vault` is "" for the one that is
    used anyway."""
    words = [program, "hook", word]
    if vault:
        words += ["--vault", vault]
    return " ".join(map(_slashed if os.name == "nt" else shell_word, words))


def _slashed(word: str) -> str:
    """A word of a command line on Windows, as both bash and cmd read it."""
    word = word.replace("\\", "/")
    return f'"{word}"' if " " in word else word


# -- what is planned -------------------------------------------------------------------


def plan_install(place: ClientPlace, wanted: Wanted, env: Mapping[str, str]) -> list[SettingChange]:
    """The files that are to change; none where all is as wanted. ConfigError, UsageError where that
    cannot be."""
    check_client(place)
    plans = []
    if place.settings and wanted.hooks:
        before = _read(place.settings)
        groups = {hook.event: _group(hook, line) for hook, line in wanted.hooks.items()}
        plans.append(
            SettingChange(place.settings, "", before, _with_groups(place.settings, before, groups))
        )
    if wanted.server:
        before = _read(place.server)
        plans.append(
            SettingChange(place.server, "", before, _with_server(place, before, wanted.server))
        )
    if wanted.skill is not None:
        before = _read(place.skill)
        record = kept_of(place.skill, env)
        if before not in (None, wanted.skill) and not (
            record and record.after == bytes_digest(before)
        ):
            raise ConfigError(
                f"{place.skill}: not written: it is not as `aurelius install` wrote it",
                "rename it, then run the command again",
            )
        plans.append(SettingChange(place.skill, "", before, wanted.skill))
    return [plan for plan in plans if plan.before != plan.after]


def plan_uninstall(
    place: ClientPlace, env: Mapping[str, str]
) -> tuple[list[SettingChange], list[str]]:
    """The files that are to be as they were, and a line for each that stays.

    Of settings that changed since, only what `install` put in is taken out; a skill that changed
    stays.
    """
    plans = []
    told = []
    for file in filter(None, (place.settings, place.server, place.skill)):
        before = _read(file)
        record = kept_of(file, env)
        if before is None:
            continue
        after: bytes | None = before
        if record and record.after == bytes_digest(before):
            after = record.before
        elif file != place.skill:
            after = _without(place, file, before, record)
        elif record:
            told.append(
                f"{file} was changed since it was installed, so it stays; delete it if you do not"
                " need it"
            )
        plans.append(SettingChange(file, "", before, after))
    return [plan for plan in plans if plan.before != plan.after], told


def installed(place: ClientPlace) -> tuple[str, ...]:
    """What a client has of ours: "hooks", "capture" where they keep what the person says, "mcp",
    "skill"."""
    words = frozenset[str]()
    if place.settings:
        words = own_hook_words(_text(place.settings, _read(place.settings)))
    found = ["hooks"] if words else []
    if any(hook.word in words for hook in KEEPS):
        found.append("capture")
    with suppress(ConfigError):  # a file that no program could read has nothing of ours
        if place.server and _has_server(place, _text(place.server, _read(place.server))):
            found.append("mcp")
    if os.path.isfile(place.skill):
        found.append("skill")
    return tuple(found)


def check_hooks(place: ClientPlace) -> None:
    """ConfigError where a client has a file of hooks that cannot be changed."""
    if place.settings:
        _with_groups(place.settings, _read(place.settings), {})


def was_client_used(place: ClientPlace) -> bool:
    """Whether the client was ever used here: its folder exists."""
    return bool(place.folder) and os.path.isdir(place.folder)


def check_client(place: ClientPlace) -> None:
    """UsageError where a client's folder is no folder, or its program was never used here or cannot
    be."""
    if not (place.server or place.skill):
        raise UsageError(
            f"{place.client.title} has no settings for one project", "leave out --project"
        )
    if place.project and not os.path.isdir(place.project):
        raise UsageError(
            f"{place.project} is not a folder", "name the folder of a project after --project"
        )
    if not place.project and not was_client_used(place):
        title = place.client.title
        if os.path.lexists(place.folder):
            raise UsageError(
                f"{place.folder} is not a folder, so {title} cannot keep its settings there",
                "remove it",
            )
        hint = f"start {title} once, or make the folder: mkdir {shell_word(place.folder)}"
        raise UsageError(f"{place.folder} does not exist: {title} was never used here", hint)


def _group(hook: ClientHook, line: str) -> Value:
    seconds = _SESSION_END_SECONDS if hook.word == "session-end" else _HOOK_SECONDS
    group: Value = {"hooks": [{"type": "command", "command": line, "timeout": seconds}]}
    if hook.matcher:
        return {"matcher": hook.matcher, **group}
    return group


# -- what is written -------------------------------------------------------------------


def write_client_plans(
    place: ClientPlace, plans: Sequence[SettingChange], env: Mapping[str, str], *, keep: bool
) -> None:
    """Carry out plans, one file at a time; with `keep`, what each file was is kept first, so that
    it can be put back.

    ConflictError where a file is no longer what the plan was made from, or cannot be written.
    """
    for plan in plans:
        if keep:
            keep_file(
                plan, bytes_digest(plan.after), _original(place, plan, kept_of(plan.file, env)), env
            )
        write_settings(plan, env)
        if not keep:
            drop_kept(plan.file, env)


def _original(place: ClientPlace, plan: SettingChange, record: KeptFile | None) -> bytes | None:
    """The bytes that `uninstall` is to bring back: the file's without what is ours in it."""
    if record and record.after == bytes_digest(plan.before):
        return record.before
    if plan.before is None or plan.file == place.skill:
        return plan.before
    return _without(place, plan.file, plan.before, record)


def _without(place: ClientPlace, file: str, data: bytes, record: KeptFile | None) -> bytes:
    """A file of settings without ours; what was in it when that was put in stays, be it empty."""
    text = _text(file, data)
    old = _text(file, record.before if record else None).strip() or EMPTY_HOOK_FILE
    own = (*place.client.servers.keys, OWN_SERVER)
    if not (own_hook_words(text) if file == place.settings else _has_server(place, text)):
        return data
    if file == place.settings:
        left = change_hook_file(file, text, lambda text: without_groups(file, text, old))
    elif file.endswith(".toml"):
        left = edit_toml(file, text, {own: None})
    else:
        left = change_hook_file(file, text, lambda text: without_value(text, own, old))
    return encode_settings(left, data)


def _with_groups(file: str, before: bytes | None, groups: Mapping[str, Value]) -> bytes:
    """A client's file of hooks with ours.  ConfigError as below."""
    return encode_settings(
        change_hook_file(file, _text(file, before), lambda text: with_groups(file, text, groups)),
        before,
    )


def _with_server(place: ClientPlace, before: bytes | None, words: Sequence[str]) -> bytes:
    """A client's file with our MCP server. ConfigError where that cannot be, with the lines to put
    in by hand."""
    file = place.server
    text = _text(file, before)
    keys = place.client.servers.keys
    entry: Value = {"command": words[0], "args": list(words[1:])}
    if place.client.name == "opencode":
        entry = {"command": list(words)}
    if not file.endswith(".toml"):
        entry = {**dict(place.client.servers.more), **entry}
        return encode_settings(
            change_hook_file(file, text, lambda text: with_server(file, text, keys, entry)), before
        )
    here = parse_toml(file, text).get(keys[0], {})
    if isinstance(here, dict) and OWN_SERVER in here and not is_own_server(here[OWN_SERVER]):
        raise ConfigError(
            f"{file}: the server {OWN_SERVER} in it is not ours",
            "rename it there, then run the command again",
        )
    values = {(*keys, OWN_SERVER, key): value for key, value in entry.items()}
    return encode_settings(edit_toml(file, text, values), before)


def _has_server(place: ClientPlace, text: str) -> bool:
    """Whether a client's file of servers has ours; one that is no plain JSON, whether a key in it
    has that name."""
    try:
        found = (
            parse_toml(place.server, text) if place.server.endswith(".toml") else json.loads(text)
        )
    except (ValueError, RecursionError):
        return bool(OWN_KEY.search(text))
    for key in (*place.client.servers.keys, OWN_SERVER):
        found = found.get(key) if isinstance(found, dict) else None
    return is_own_server(found)


def _read(file: str) -> bytes | None:
    """The bytes of a client's file, None for none. ConfigError for what is no file that can be read
    or written."""
    if os.path.isdir(file):
        raise ConfigError(
            f"{file} is a folder, and a file is needed there",
            "rename it, then run the command again",
        )
    if os.path.islink(file) and not os.path.exists(file):
        raise ConfigError(
            f"{file} is a link to a file that does not exist", "remove the link, or make that file"
        )
    return settings_bytes(file)


def _text(file: str, data: bytes | None) -> str:
    return decoded(file, data or b"")
