"""`hook`: an event of a client program that an agent runs in, answered in no time."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from aurelius.agents.hook_answer import write_hook_answer
from aurelius.agents.hooks import CAPTURES, Hook, parse_event, respond, sent_of_session
from aurelius.cli.open_vault import any_agent, no_agent, open_vault
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

    data = getattr(context.stdin, "buffer", context.stdin).read()
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if args.dry_run:
        return _show_sent(args, context, data)
    agent = ""
    with suppress(UsageError):  # what is no name names no agent: it sees no agent's memory
        agent = any_agent(args, context)
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


def _show_sent(args: SimpleNamespace, context: Context, data: bytes) -> int:
    """Print what would be sent to the person's model of an event; nothing is sent or kept."""
    event = parse_event(args.event, data)
    if event is None or event.name not in CAPTURES:
        raise UsageError(
            f"--dry-run needs {', '.join(CAPTURES)}, and the event's JSON on stdin",
            "`aurelius context PROMPT --dry-run` shows what a prompt sends",
        )
    with open_vault(args, context, agent=no_agent) as vault:
        sent = sent_of_session(vault, event)
    for each in sent:
        context.put(f"{each}\n")
    if sent:
        context.tell("nothing was sent: --dry-run")
    else:
        context.tell("nothing would be sent: nothing new was said, or llm.use has no such word")
    return 0
