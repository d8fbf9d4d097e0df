"""Commands for agents and the programs that they run in: `context`, `hook`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.open_vault import answered
from indexer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.memory import context as lines
    from aurelius.vault import Vault


KEPT = 32
"""Contexts that a daemon keeps."""


def context(args: SimpleNamespace, context: Context) -> int:
    """Print what an agent should know, alone or about a prompt."""
    if args.json and args.format not in {"md", "json"}:
        raise UsageError(f"--json and --format {args.format} cannot go together", "choose one")
    form = "json" if args.json else args.format

    def answer(vault: Vault, context: Context) -> int:
        prompt = " ".join(args.prompt)
        budget = args.budget or vault.config.context_budget
        if args.hook:
            context.put(_injected(vault, prompt, args.budget))
            return 0
        found, cached = _kept(vault, prompt, layer=form == "layer")
        context.put(_printed(vault, found, form, prompt, budget))
        context.tell(*([cached] if args.stats else []))
        if not found and form != "json":
            context.tell(NOTHING)
        return 0

    return answered(args, context, answer)


NOTHING = "nothing to tell: write down who you are in ME.md, or search with `aurelius search WORDS`"


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
    before = kept.pop(name, None)
    if before is None:
        told = "cache miss (not asked before)"
    elif before[0] != generation:
        told = f"cache miss (index {before[0]} → {generation})"
    else:
        told = "cache hit" if before[1] == state else "cache miss (the day, the uses or a setting changed)"
    found = before[2] if told == "cache hit" else make(vault, prompt)
    kept[name] = generation, state, found
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)), None)
    return found, told


def _printed(vault: Vault, found: lines.Gathered, form: str, prompt: str, budget: int) -> str:
    """The context in the form that is asked for."""
    from aurelius.show import context as show

    forms: dict[str, Callable[[lines.ContextLines], str]] = {
        "layer": show.layer,
        "md": lambda each: show.markdown(each, budget),
        "memory": lambda each: show.memory(vault, each, budget),
        "json": lambda each: show.as_json(each, prompt, budget),
    }
    return show.printed(found, budget, forms[form], layer=form == "layer")


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
    """Answer one event of a client program; what goes wrong is nothing to say."""
    from aurelius.agents.hooks import Hook, respond

    stream = getattr(context.stdin, "buffer", None)
    data = context.stdin.read().encode("utf-8", "replace") if stream is None else stream.read()
    asked = Hook(
        args.event, data, args.vault, context.env, context.cwd, context.clock(), context.zone, context.live,
        args.trace, args.later,
    )  # fmt: skip
    context.out.write(respond(asked))
    return 0
