"""Commands for agents and the programs that they run in: `context`, `hook`, `install`, `uninstall`, `agents`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING

from aurelius.settings.places import shell_word
from indexer.errors import UsageError, VaultNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.agents.clients import ClientPlace
    from aurelius.cli.run import Context
    from aurelius.memory import context as lines
    from aurelius.settings.change_settings import Planned
    from aurelius.settings.config import Config
    from aurelius.vault import Vault

KEPT = 32
"""Contexts that a daemon keeps."""


def context(args: SimpleNamespace, context: Context) -> int:
    """Print what an agent should know, alone or about a prompt."""
    from aurelius.cli.open_vault import answered
    from aurelius.show.context import in_form

    if args.json and args.format not in {"md", "json"}:
        raise UsageError(f"--json and --format {args.format} cannot go together", "choose one")
    form = "json" if args.json else args.format
    if args.hook and form in {"json", "layer"}:
        raise UsageError(f"--hook prints what a hook adds, which is never {form}", "leave out --hook, or the form")

    def answer(vault: Vault, context: Context) -> int:
        prompt = " ".join(args.prompt)
        budget = args.budget or vault.config.context_budget
        if args.hook:
            context.put(_injected(vault, prompt, args.budget))
            return 0
        found, cached = _kept(vault, prompt, layer=form == "layer")
        text, told = in_form(vault, found, form, prompt, budget)
        context.put(text)
        context.tell(*([cached] if args.stats else []), *told)
        return 0

    return answered(args, context, answer)


def _kept(vault: Vault, prompt: str, *, layer: bool) -> tuple[lines.Gathered, str]:
    """The lines of a context, which a daemon keeps until the index, the day, the uses or a setting changes; and
    whether it had them."""
    from aurelius.memory.context import gather, top_hits
    from indexer.catalog.tiers import stamp

    prompt, index = " ".join(prompt.split()), vault.index()
    make = top_hits if layer and prompt else gather
    if vault.live is None:
        return make(vault, prompt), "cache miss (no daemon keeps answers)"
    kept, name, generation = vault.live.kept, (make.__name__, prompt), index.generation
    state = (vault.clock, repr(vault.config), stamp(index.db, vault.clock))
    before, had = kept.pop(name, (0, None))
    if not before:
        told = "cache miss (not asked before)"
    elif before != generation or had is None:
        told = f"cache miss (index {before} → {generation})"
    else:
        told = "cache hit" if had[0] == state else "cache miss (the day, the uses or a setting changed)"
    found = had[1] if told == "cache hit" else make(vault, prompt)
    kept[name] = generation, (state, found)
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)), None)
    return found, told


def _injected(vault: Vault, prompt: str, budget: int | None) -> str:
    """What a hook adds to a new session: at its start, or before a prompt."""
    from aurelius.memory.context import PROMPT, for_prompt, opening
    from aurelius.show.context import memory

    if prompt.strip():
        found = for_prompt(vault, prompt, seen=(), budget=budget or PROMPT)
    else:
        found = opening(vault, budget=budget or vault.config.hook_opening)
    return memory(vault, found)


def hook(args: SimpleNamespace, context: Context) -> int:
    """Answer one event of a client program, where what goes wrong is nothing to say; or switch that on or off."""
    if args.event in {"on", "off"}:
        return _switch(args, context)
    if args.event == "status":
        return _hook_status(args, context)
    from aurelius.agents.hooks import Hook, respond

    stream = getattr(context.stdin, "buffer", None)
    data = context.stdin.read().encode("utf-8", "replace") if stream is None else stream.read()
    asked = Hook(
        args.event, data, args.vault, context.env, context.cwd, context.clock(), context.zone, context.live,
        args.trace, args.part == "answer",
    )  # fmt: skip
    context.out.write(respond(asked))
    return 0


def _switch(args: SimpleNamespace, context: Context) -> int:
    """Switch hooks on or off: of one vault, or of all, which is also meant where there is no vault."""
    from aurelius.settings.change_settings import planned_for_all
    from aurelius.settings.config import find_vault

    value = "true" if args.event == "on" else "false"
    with suppress(VaultNotFoundError):
        root = "" if args.all else find_vault(args.vault, context.env, context.cwd)
        if root:
            from .admin import config

            words = {"action": "set", "key": "hook.enabled", "value": (value,)}
            code = config(SimpleNamespace(**{**vars(args), **words}), context)
            context.tell(f"hooks are {args.event} for {root}; for all vaults: aurelius hook {args.event} --all")
            return code
    plan, others = planned_for_all(context.env, "hook.enabled", (value,), context.cwd)
    _set(context, [plan] if plan.after != plan.before else [])
    if args.json:
        from aurelius.show import changes

        context.put(changes.switched_json(args.event == "on", plan.file))
    context.tell(f"hooks are {args.event} for all vaults, in {plan.file}")
    context.tell(*(f"{each} has a setting of its own: {_command(f'hook {args.event}', each)}" for each in others))
    return 0


def _hook_status(args: SimpleNamespace, context: Context) -> int:
    """Show the settings of hooks, what failed, whether answers come in time, and what is remembered of sessions."""
    from aurelius.agents import session
    from aurelius.daemon.control import look
    from aurelius.settings.config import explain, find_vault, load
    from aurelius.show import changes, health

    config = load(find_vault(args.vault, context.env, context.cwd), context.env)
    rows = [row for row in explain(config) if row.key.startswith("hook.")]
    daemon = look(config.root, context.env, patience=0).holder is not None
    kept, late, failed = session.kept_in(config.state), session.late(config.state), session.failures(config.state)
    if args.json:
        context.put(changes.hooks_json(rows, failed, late, kept, daemon=daemon))
        return 0
    context.put(health.settings(rows))
    context.tell(*session.troubles(config.state), *changes.hooks_told(late, kept))
    context.tell("the daemon runs, so hooks are quick" if daemon else _slow(config.root))
    return 0


def _slow(root: str) -> str:
    """What becomes of hooks without the daemon."""
    return (
        "without the daemon, hooks on a busy machine may be too late to say anything; to start it at each login: "
        + _command("daemon install", root)
    )


# -- client programs -------------------------------------------------------------------------------------

UNASKED = 2
"""Exit code where a change was shown that nobody could agree to."""

SENT = "the lines of your notes that a prompt needs will go with it to the program's model; private notes never do"
AS_IT_IS = "AGENTS.md is as it should be; nothing was written"

CAPTURE = {
    "propose": "keep it in the daily note, and propose what it changes on pages",
    "apply": "keep it in the daily note, and change pages at once where it is plain",
    "off": "keep nothing",
}
"""What may become of what a person says to an agent."""


def install(args: SimpleNamespace, context: Context) -> int:
    """Give a client program its hooks or its skill, after showing the change; alone, list the programs."""
    from aurelius.agents import clients
    from aurelius.cli.open_vault import opened
    from aurelius.settings.config import find_vault

    if args.client == "list":
        return _list(args, context)
    place = _place(args, context)
    clients.check(place)
    root = find_vault(args.vault, context.env, context.cwd)
    capture = _capture(args, context, place)
    has_skill = args.skill or "skill" in clients.installed(place)
    program = os.path.abspath(clients.program(sys.argv[0], context.env))
    wanted = clients.wanted(place, program, root, context.env, keeps=capture != "off", skill=has_skill)
    plans = clients.install(place, wanted, context.env)
    setting = _setting(context, root, capture)
    context.tell(*([SENT] if plans and place.client.hooks else []))
    code = _carry_out(args, context, [*plans, *setting], "write it?")
    if code is None:
        clients.write(plans, context.env, keep=True)
        _set(context, setting)
        with opened(args, context):
            pass  # the index is up to date: a hook has no time to build one
    _tell(args, context, place, [*plans, *setting], done=code is None)
    context.tell(*_holds(context, place, root), *(_advice(context, place, root) if code is None else ()))
    return code or 0


def _holds(context: Context, place: ClientPlace, root: str) -> Iterator[str]:
    """Which of CAPTURE holds now, and what changes it."""
    from aurelius.agents.clients import captures
    from aurelius.show.changes import HOLDS

    name = place.client.name
    if (now := captures(place, root, context.env)) and any(hook.keeps for hook in place.client.hooks):
        yield f"{place.client.title} {HOLDS[now]}; to change that: aurelius install {name} --capture {'|'.join(HOLDS)}"


def _advice(context: Context, place: ClientPlace, root: str) -> Iterator[str]:
    """What the person should know of a client, and what makes its hooks quick."""
    from aurelius.daemon.control import look
    from aurelius.memory.context import MEMORY, PERSON

    if place.client.why:
        yield f"{place.client.title} {place.client.why}"
    if place.client.hooks and not any(os.path.isfile(os.path.join(root, name)) for name in (*PERSON, MEMORY)):
        yield f"a session begins with nothing: write who you are and your rules into {os.path.join(root, PERSON[0])}"
    if place.client.hooks and look(root, context.env, patience=0).holder is None:
        yield _slow(root)


def _command(words: str, root: str) -> str:
    return f"aurelius {words} --vault {shell_word(root)}"


def uninstall(args: SimpleNamespace, context: Context) -> int:
    """Put a client program's files back as they were."""
    from aurelius.agents import clients

    place = _place(args, context)
    plans, told = clients.uninstall(place, context.env)
    context.tell(*told)
    code = _carry_out(args, context, plans, "write it?")
    if code is None:
        clients.write(plans, context.env, keep=False)
    _tell(args, context, place, plans, done=code is None)
    return code or 0


def agents(args: SimpleNamespace, context: Context) -> int:
    """Print the guide for agents, or put it into the vault's AGENTS.md."""
    from aurelius.settings.config import find_vault, load
    from aurelius.show import changes
    from aurelius.writing import init

    root = find_vault(args.vault, context.env, context.cwd)
    config = load(root, context.env)
    text = init.guide_text(config)
    if not (args.write or args.remove):
        if args.dry_run:
            raise UsageError("--dry-run needs --write or --remove", "aurelius agents --write --dry-run")
        context.put(changes.guide_json(text) if args.json else text)
        return 0
    if args.write and args.remove:
        raise UsageError("--write and --remove cannot go together", "choose one")
    plans = init.guide_plan(root, text, remove=args.remove)
    if args.dry_run:
        context.put(changes.client_json("", plans, done=False) if args.json else changes.files_diff(plans))
        context.tell(*([] if plans else [AS_IT_IS]))
        return 0
    _write_guide(args, context, config, plans)
    return 0


def _write_guide(args: SimpleNamespace, context: Context, config: Config, plans: Sequence[Planned]) -> None:
    from aurelius.show import changes
    from aurelius.writing import undo_log
    from aurelius.writing.init import guide_told

    _set(context, plans)
    if plans:
        option, other = ("--remove", "--write") if args.remove else ("--write", "--remove")
        how = f"`aurelius agents {other}` takes that back"
        undo_log.bar(config.state, context.clock().timestamp(), f"agents {option}", how)
    if args.json:
        context.put(changes.client_json("", plans, done=True))
    done = "removed" if plans and plans[0].after is None else "wrote"
    context.tell(f"{done} {plans[0].file}" if plans else AS_IT_IS)
    context.tell(*(guide_told(config.root) if args.write else ()))


def _place(args: SimpleNamespace, context: Context) -> ClientPlace:
    from aurelius.agents import clients
    from aurelius.settings.places import absolute

    client = next(each for each in clients.CLIENTS if each.name == args.client)
    project = absolute(args.project, context.env, context.cwd) if args.project else ""
    return clients.place_of(client, context.env, project)


def _list(args: SimpleNamespace, context: Context) -> int:
    """Show which client programs were used here, and what each has of ours."""
    from aurelius.agents import clients
    from aurelius.settings.config import find_vault
    from aurelius.show import changes

    given = [f"--{name}" for name in ("project", "capture", "skill", "yes", "dry_run") if getattr(args, name)]
    if given:
        raise UsageError(f"{given[0].replace('_', '-')} needs a client", f"one of: {', '.join(clients.NAMES)}")
    places = [clients.place_of(each, context.env) for each in clients.CLIENTS]
    root = ""
    with suppress(VaultNotFoundError):
        root = find_vault(args.vault, context.env, context.cwd)
    rows = [
        (
            each.client.name,
            each.folder,
            clients.is_there(each),
            clients.installed(each),
            clients.captures(each, root, context.env),
        )
        for each in places
    ]
    context.put(changes.clients_json(rows) if args.json else changes.client_rows(rows))
    return 0


def _capture(args: SimpleNamespace, context: Context, place: ClientPlace) -> str:
    """What may become of what the person says: as typed or answered, else as it is installed, else "propose"."""
    from aurelius.agents import clients

    if not any(hook.keeps for hook in place.client.hooks):
        if args.capture not in (None, "off"):
            title = place.client.title
            raise UsageError(
                f"{title} cannot keep what you say to it, so --capture does nothing", "leave out --capture"
            )
        return "off"
    has = clients.installed(place)
    if args.capture or "hooks" in has:
        return args.capture or ("" if "capture" in has else "off")
    if args.yes or args.dry_run or not context.tty:
        return "propose"
    context.tell("what you tell the agent can be kept:", *(f"  {word}: {what}" for word, what in CAPTURE.items()))
    context.err.write("aurelius: which? [propose] ")
    context.err.flush()
    answer = context.stdin.readline().strip() or "propose"
    if answer not in CAPTURE:
        raise UsageError(f"{answer!r} is none of these; nothing was written", f"one of: {', '.join(CAPTURE)}")
    return answer


def _setting(context: Context, root: str, capture: str) -> list[Planned]:
    """The change of the person's own settings that goes with it; none where it says so already."""
    from aurelius.settings.change_settings import planned
    from aurelius.settings.config import load

    if capture in {"", "off"} or load(root, context.env).capture_replace == capture:
        return []
    return [planned(root, context.env, "capture.replace", [capture], context.cwd)]


def _set(context: Context, plans: Sequence[Planned]) -> None:
    from aurelius.writing.own_files import write_settings

    for plan in plans:
        write_settings(plan, context.env)


def _carry_out(args: SimpleNamespace, context: Context, plans: Sequence[Planned], question: str) -> int | None:
    """Show a change and ask; None where it is to be made, else the exit code."""
    from aurelius.show import changes

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
        return UNASKED
    if context.says_yes(question):
        return None
    context.tell("nothing was written")
    return 0


def _tell(args: SimpleNamespace, context: Context, place: ClientPlace, plans: Sequence[Planned], *, done: bool) -> None:
    """Tell what was done, and what the person should know of the client."""
    from aurelius.show import changes

    if args.json:
        context.put(changes.client_json(place.client.name, plans, done=done))
    if not plans:
        context.tell(f"nothing to change: {place.client.title} is as it should be")
    if done:
        context.tell(*(f"{'wrote' if plan.after is not None else 'removed'} {plan.file}" for plan in plans))
