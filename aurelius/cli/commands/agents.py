"""`aurelius hook`: what a client program of an agent asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context


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
