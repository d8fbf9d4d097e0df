"""`hook`: an event of a client program that an agent runs in, answered in no time."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from aurelius.agents.hook_answer import write_hook_answer
from aurelius.agents.hooks import Hook, respond
from aurelius.cli.open_vault import any_agent
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context


def run_hook(args: SimpleNamespace, context: Context) -> int:
    """Answer one event of a client program, where what goes wrong is nothing to say; or switch that
    on or off."""
    if args.event in {"on", "off", "status"}:
        from .agents import hook_status, switch_hooks

        return (hook_status if args.event == "status" else switch_hooks)(args, context)

    agent = ""
    with suppress(UsageError):  # what is no name names no agent: it sees no agent's memory
        agent = any_agent(args, context)
    data = getattr(context.stdin, "buffer", context.stdin).read()
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    part, _, seconds = (args.part or "").partition(":")
    asked = Hook(
        event=args.event,
        data=data,
        vault=args.vault,
        env=context.env,
        cwd=context.cwd,
        now=context.clock(),
        zone=context.zone,
        live=context.live,
        trace=args.trace,
        later=part == "answer",
        agent=agent,
        until=time.monotonic() + float(seconds) if seconds else 0.0,
    )
    answer = respond(asked)
    if asked.later:
        context.out.write(write_hook_answer(answer))
    elif answer.text:
        context.out.write(f"{answer.text}\n")
    return 0
