"""Commands for the programs that agents run in: `install`, `uninstall`, `agents`; hooks switched on
and off, and their state."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING

from aurelius.agents import clients, session
from aurelius.agents.clients import installed
from aurelius.cli.open_vault import named_agent, open_vault
from aurelius.daemon.control import daemon_state
from aurelius.daemon.install import service_of, there, write_service
from aurelius.memory.context import MEMORY_PART, PERSON
from aurelius.settings.change_settings import plan_setting, planned_for_all
from aurelius.settings.config import explain, find_vault, load_config
from aurelius.settings.places import absolute, daemon_folder, install_line, shell_word
from aurelius.show import changes, health
from aurelius.show.changes import HOLDS
from aurelius.show.json_text import dump
from aurelius.writing import init, undo_log
from aurelius.writing.own_files import write_settings
from indexer.errors import ConfigError, UsageError, VaultNotFoundError

from .admin import run_config

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from aurelius.agents.clients import ClientPlace
    from aurelius.cli.run import Context
    from aurelius.daemon.install import InstallPlan
    from aurelius.settings.change_settings import SettingChange
    from aurelius.settings.config import Config


def switch_hooks(args: SimpleNamespace, context: Context) -> int:
    """Switch hooks on or off: of one vault, or of all, which is also meant where there is no
    vault."""
    value = "false"
    if args.event == "on":
        value = "true"
    with suppress(VaultNotFoundError):
        root = "" if args.all else find_vault(args.vault, context.env, context.cwd)
        if root:
            words = {"action": "set", "key": "hook.enabled", "value": (value,)}
            code = run_config(SimpleNamespace(**{**vars(args), **words}), context)
            context.tell(
                f"hooks are {args.event} for {root}; for all vaults: aurelius hook {args.event}"
                " --all"
            )
            return code
    plan, others = planned_for_all(context.env, "hook.enabled", (value,), context.cwd)
    _set(context, [plan] if plan.after != plan.before else [])
    if args.json:
        context.put(
            dump(key="hook.enabled", value=args.event == "on", source=plan.file, file=plan.file)
        )
    context.tell(f"hooks are {args.event} for all vaults, in {plan.file}")
    context.tell(
        *(
            f"{each} has a setting of its own: {_command(f'hook {args.event}', each)}"
            for each in others
        )
    )
    return 0


def hook_status(args: SimpleNamespace, context: Context) -> int:
    """Show the settings of hooks, what failed, whether answers come in time, and what is remembered
    of sessions."""
    config = load_config(find_vault(args.vault, context.env, context.cwd), context.env)
    rows = [row for row in explain(config) if row.key.startswith("hook.")]
    daemon = daemon_state(config.root, context.env, patience=0).holder is not None
    kept = session.kept_in(config.state)
    failed = session.failures(config.state)
    late = {event: session.late(config.state, event) for event in session.TRACE_LETTERS}
    if args.json:
        context.put(changes.hooks_json(rows, failed, late, kept, daemon=daemon))
        return 0
    context.put(health.settings_text(rows))
    context.tell(*session.hook_troubles(config.state), *changes.hooks_told(late, kept))
    context.tell("the daemon runs, so hooks are quick" if daemon else _slow(config.root))
    return 0


def _slow(root: str) -> str:
    """What becomes of hooks without the daemon."""
    return (
        "without the daemon, hooks on a busy machine may be too late to say anything; to start it"
        " at each login: " + _command("daemon install", root)
    )


# -- client programs -------------------------------------------------------------------

_EXIT_UNASKED = 2
"""Exit code where a change was shown that nobody could agree to."""

SENT = (
    "the lines of your notes that a prompt needs will go with it to the program's model; private"
    " notes never do"
)
KEPT = (
    "what you tell the program and is worth keeping will be written, sentence by sentence, into the"
    " vault's daily note, under `## Captured`; no other line of your notes changes"
)
KEPT_AND_APPLIED = (
    "what you tell the program and is worth keeping will be written, sentence by sentence, into the"
    " vault's daily note; a sentence that gives a known line another value takes its place"
)
"""What is told before anybody says yes."""
_MCP_NOTICE = (
    "what an agent asks through MCP goes to the program's model with the answer; private notes"
    " never do"
)
AS_IT_IS = "AGENTS.md is as it should be; nothing was written"

CAPTURE = {
    "propose": "keep it in the daily note, and propose what it changes on pages",
    "apply": "keep it in the daily note, and change pages at once where it is plain",
    "off": "keep nothing",
}
"""What may become of what a person says to an agent."""


def run_install(args: SimpleNamespace, context: Context) -> int:
    """Give a client program its hooks, MCP server or skill, after showing the change; alone, list
    the programs."""
    if args.client == "list":
        return _list(args, context)
    place = _place(args, context)
    clients.check_client(place)
    root = find_vault(args.vault, context.env, context.cwd)
    capture = _capture(args, context, place)
    has_skill = args.skill or "skill" in installed(place)
    own = os.path.abspath(_installed_program(sys.argv[0], context.env))
    server = _server(args, context, place)
    wanted = clients.wanted_of_client(
        place, own, root, context.env, keeps=capture != "off", skill=has_skill, server=server
    )
    plans = clients.plan_install(place, wanted, context.env)
    setting = _setting(context, root, capture)
    if plans:
        context.tell(*[SENT] * bool(place.client.hooks), *[_MCP_NOTICE] * bool(wanted.server))
    if plans or setting:
        context.tell(*_kept_notice(context, root, capture))
    service = _service(args, context, place, root) if plans else None
    code = _carry_out(args, context, [*plans, *setting])
    if code is None:
        if service and not _wants_daemon(args, context):
            service = None
        clients.write_client_plans(place, plans, context.env, keep=True)
        _set(context, setting)
        with open_vault(args, context):
            pass  # the index is up to date: a hook has no time to build one
        if service:
            write_service(service, daemon_folder(root, context.env))
            context.tell(f"wrote {service.file}", *map(SWITCH_ON.format, service.on))
    _tell(args, context, place, [*plans, *setting], done=code is None)
    context.tell(*_holds(context, place, root))
    if code is None:
        context.tell(*_advice(context, place, root))
    return code or 0


DAEMON_GIVES = (
    "a daemon, started at each login, makes hooks quick: without it a prompt on a busy machine gets"
    " the cards of what it names alone, or nothing; it takes about 50 MB of memory and by itself"
    " changes no note"
)
"""What is told of the daemon before anybody says yes."""
SWITCH_ON = "to switch it on: {}"


def _service(
    args: SimpleNamespace, context: Context, place: ClientPlace, root: str
) -> InstallPlan | None:
    """The plan that starts the daemon at each login, once told what it gives; None where it runs,
    is installed, is of no use to the client, or is not wanted."""
    if not place.client.hooks or daemon_state(root, context.env, patience=0).holder is not None:
        return None
    made = service_of(root, context.env)
    wanted = getattr(args, "daemon", None)
    if wanted is False or there(made) == "same":
        return None
    context.tell(DAEMON_GIVES, *made.notices)
    if wanted and not args.json:
        context.put(health.installation(made, there(made)))
    return made


def _wants_daemon(args: SimpleNamespace, context: Context) -> bool:
    """Whether the person wants the daemon: by --daemon, or on a terminal if they say so."""
    wanted = getattr(args, "daemon", None)
    if wanted is not None or args.yes:
        return bool(wanted)
    return context.says_yes("start the daemon at each login, too?")


def _kept_notice(context: Context, root: str, capture: str) -> Iterator[str]:
    """Which lines will be written into the vault, where what the person says is kept."""
    if capture == "off":
        return
    setting = capture or load_config(root, context.env).capture_replace
    yield KEPT_AND_APPLIED if setting == "apply" else KEPT


def _server(args: SimpleNamespace, context: Context, place: ClientPlace) -> tuple[str, ...] | None:
    """The options of the MCP server that a client is to have; None for no server.

    A client without hooks gets it anyway, where the packages that it needs are there.
    """
    named_agent(args, context)  # a name that is none is told before anything is written
    title = place.client.title
    if args.skill and not place.skill:
        raise UsageError(f"{title} reads no skills", "leave out --skill")
    if args.mcp and not place.server:
        raise UsageError(
            f"{title} keeps no MCP servers for one project", "leave out --mcp, or --project"
        )
    wanted = args.mcp or not place.client.hooks or "mcp" in installed(place)
    if not (place.server and wanted):
        return None
    if importlib.util.find_spec("mcp") is not None:
        return (f"--agent={args.agent}",) * bool(args.agent)
    _check_without_mcp(args, context, place)
    return None


def _check_without_mcp(args: SimpleNamespace, context: Context, place: ClientPlace) -> None:
    """Tell that a client gets no MCP server, because its packages are not there.  ConfigError where
    it was asked for, or there is nothing else."""
    missing = "MCP needs the extra [mcp], which is not installed"
    if args.mcp or not place.skill:
        raise ConfigError(f"{missing}; nothing was written", install_line("mcp"))
    if not place.client.hooks:
        context.tell(
            f"{missing}, so {place.client.title} gets the skill alone; {install_line('mcp')}"
        )


def _installed_program(own: str, env: Mapping[str, str]) -> str:
    """The path of the installed `aurelius`, where `own` is what this process was started as.

    UsageError where there is none that a program could run.
    """
    if os.path.basename(own).lower() not in {"aurelius", "aurelius.exe"}:
        own = ""
    beside = os.path.join(
        sysconfig.get_path("scripts"), "aurelius.exe" if os.name == "nt" else "aurelius"
    )
    for path in (own, beside, shutil.which("aurelius", path=env.get("PATH")) or ""):
        if path and os.path.isfile(path):
            return path
    raise UsageError(
        "the command `aurelius` is not installed, so no program could run it", "pipx install ."
    )


def _holds(context: Context, place: ClientPlace, root: str) -> Iterator[str]:
    """Which of CAPTURE holds now, and what changes it."""
    name = place.client.name
    if (now := captures(installed(place), root, context.env)) and any(
        hook.keeps for hook in place.client.hooks
    ):
        yield (
            f"{place.client.title} {HOLDS[now]}; to change that: aurelius install {name} --capture"
            f" {'|'.join(HOLDS)}"
        )


def _advice(context: Context, place: ClientPlace, root: str) -> Iterator[str]:
    """What the person should know of a client, and what makes its hooks quick."""
    if place.client.why:
        yield f"{place.client.title} {place.client.why}"
    if place.project:
        yield f"{place.client.title} may read none of this until you trust {place.project} in it"
    if place.client.hooks and not any(
        os.path.isfile(os.path.join(root, name)) for name in (*PERSON, MEMORY_PART)
    ):
        yield (
            "a session begins with nothing: write who you are and your rules into"
            f" {os.path.join(root, PERSON[0])}"
        )
    if place.client.hooks and daemon_state(root, context.env, patience=0).holder is None:
        yield _slow(root)


def _command(words: str, root: str) -> str:
    return f"aurelius {words} --vault {shell_word(root)}"


def run_uninstall(args: SimpleNamespace, context: Context) -> int:
    """Put a client program's files back as they were."""
    place = _place(args, context)
    plans, told = clients.plan_uninstall(place, context.env)
    context.tell(*told)
    code = _carry_out(args, context, plans)
    if code is None:
        clients.write_client_plans(place, plans, context.env, keep=False)
    _tell(args, context, place, plans, done=code is None)
    return code or 0


def run_agents(args: SimpleNamespace, context: Context) -> int:
    """Print the guide for agents, or put it into the vault's AGENTS.md."""
    root = find_vault(args.vault, context.env, context.cwd)
    config = load_config(root, context.env)
    text = init.guide_text(config)
    if not (args.write or args.remove):
        if args.dry_run:
            raise UsageError(
                "--dry-run needs --write or --remove", "aurelius agents --write --dry-run"
            )
        context.put(dump(text=text) if args.json else text)
        return 0
    if args.write and args.remove:
        raise UsageError("--write and --remove cannot go together", "choose one")
    plans = init.guide_plan(root, text, remove=args.remove)
    _write_guide(args, context, config, plans)
    return 0


def _write_guide(
    args: SimpleNamespace, context: Context, config: Config, plans: Sequence[SettingChange]
) -> None:
    """Write it, or show what would be written."""
    if args.json:
        context.put(changes.client_json("", plans, done=not args.dry_run))
    elif args.dry_run:
        context.put(changes.files_diff(plans))
    if not plans:
        context.tell(AS_IT_IS)
    if args.dry_run:
        return
    option = "--write"
    other = "--remove"
    if args.remove:
        option = "--remove"
        other = "--write"
    how = f"`aurelius agents {other}` takes that back"
    for plan in plans:
        write_settings(plan, context.env)
        undo_log.log_undo_bar(config.state, context.clock().timestamp(), f"agents {option}", how)
    context.tell(*_written(plans), *(init.guide_told(config.root) if args.write else ()))


def _written(plans: Iterable[SettingChange]) -> Iterator[str]:
    """What was done to files, a line each."""
    for plan in plans:
        yield f"{'removed' if plan.after is None else 'wrote'} {plan.file}"


def _place(args: SimpleNamespace, context: Context) -> ClientPlace:

    client = next(each for each in clients.CLIENTS if each.name == args.client)
    project = absolute(args.project, context.env, context.cwd) if args.project else ""
    return clients.client_place(client, context.env, project)


def captures(has: Collection[str], root: str, env: Mapping[str, str]) -> str:
    """What a client that has this does with what the person says: "off", or the setting of the
    vault; "" for no hooks or vault."""
    if "capture" in has:
        if root:
            return load_config(root, env).capture_replace
        return ""
    if "hooks" in has:
        return "off"
    return ""


def _list(args: SimpleNamespace, context: Context) -> int:
    """Show which client programs were used here, and what each has of ours."""
    given = [
        f"--{name}"
        for name in ("project", "capture", "mcp", "skill", "yes", "dry_run")
        if getattr(args, name)
    ]
    if given:
        raise UsageError(
            f"{given[0].replace('_', '-')} needs a client",
            f"one of: {', '.join(clients.CLIENT_NAMES)}",
        )
    every = [clients.client_place(each, context.env) for each in clients.CLIENTS]
    root = ""
    with suppress(VaultNotFoundError):
        root = find_vault(args.vault, context.env, context.cwd)
    rows = []
    for each in filter(lambda place: place.folder, every):
        has: tuple[str, ...] = ()
        try:
            has = installed(each)
            clients.check_hooks(each)
        except ConfigError as error:  # of one program: the others are shown
            context.tell(error.message)
        captured = captures(has, root, context.env)
        rows.append((each.client.name, each.folder, clients.was_client_used(each), has, captured))
    context.put(changes.clients_json(rows) if args.json else changes.client_rows(rows))
    return 0


def _capture(args: SimpleNamespace, context: Context, place: ClientPlace) -> str:
    """What may become of what the person says: as typed or answered, else as it is installed, else
    "propose"."""
    if not any(hook.keeps for hook in place.client.hooks):
        if args.capture not in (None, "off"):
            title = place.client.title
            raise UsageError(
                f"{title} cannot keep what you say to it, so --capture does nothing",
                "leave out --capture",
            )
        return "off"
    has = installed(place)
    if args.capture:
        return str(args.capture)
    if "hooks" in has:
        return "" if "capture" in has else "off"
    if args.yes or args.dry_run or not context.tty:
        return "propose"
    return _asked_capture(context)


def _asked_capture(context: Context) -> str:
    """What the person answers to what may become of what they say.  UsageError."""
    context.tell(
        "what you tell the agent can be kept:",
        *(f"  {word}: {what}" for word, what in CAPTURE.items()),
    )
    context.err.write("aurelius: which? [propose] ")
    context.err.flush()
    answer = context.stdin.readline().strip() or "propose"
    if answer not in CAPTURE:
        raise UsageError(
            f"{answer!r} is none of these; nothing was written", f"one of: {', '.join(CAPTURE)}"
        )
    return answer


def _setting(context: Context, root: str, capture: str) -> list[SettingChange]:
    """The change of the person's own settings that goes with it; none where it says so already."""
    if capture in {"", "off"} or load_config(root, context.env).capture_replace == capture:
        return []
    return [plan_setting(root, context.env, "capture.replace", [capture], context.cwd)]


def _set(context: Context, plans: Sequence[SettingChange]) -> None:

    for plan in plans:
        write_settings(plan, context.env)


def _carry_out(
    args: SimpleNamespace, context: Context, plans: Sequence[SettingChange]
) -> int | None:
    """Show a change and ask; None where it is to be made, else the exit code."""
    if args.yes and args.dry_run:
        raise UsageError("--dry-run and --yes cannot go together", "--dry-run shows, --yes writes")
    if not args.json:
        context.put(changes.files_diff(plans))
    if not plans or args.dry_run:
        return 0
    if args.yes:
        return None
    if not context.tty:
        context.tell("nothing was written; add --yes to write it")
        return _EXIT_UNASKED
    if context.says_yes("write it?"):
        return None
    context.tell("nothing was written")
    return 0


def _tell(
    args: SimpleNamespace,
    context: Context,
    place: ClientPlace,
    plans: Sequence[SettingChange],
    *,
    done: bool,
) -> None:
    """Tell what was done, and what the person should know of the client."""
    if args.json:
        context.put(changes.client_json(place.client.name, plans, done=done))
    if not plans:
        context.tell(f"nothing to change: {place.client.title} is as it should be")
    if done:
        context.tell(*_written(plans))
