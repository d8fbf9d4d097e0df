"""What is said to a line with the person's model, where they let it answer: for every door."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.model.connection import UnansweredError
from aurelius.model.endpoint import endpoint_of, model_of
from aurelius.settings.keys import CHAT_USE
from aurelius.vault import healed

from .reply import reply_to
from .talk import REPLY_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurelius.model.connection import Stop
    from aurelius.vault import Vault

    from .talk import Talk, TalkReply


_plain_reply = healed(reply_to)


def replies(
    vault: Vault,
    talk: Talk,
    text: str,
    env: Mapping[str, str],
    stop: Stop,
) -> Iterator[TalkReply]:
    """What is said to a line, as it grows: each reply takes the place of the one before, and the
    last is whole. Without a model it is the only one.

    `env` holds the key; `stop` ends the model's answer, and what is said without it stands.
    """
    plain = _plain_reply(vault, talk, text)
    if not _asks_model(vault, plain):
        yield plain
        return
    from .model_answer import answer_with_model

    try:
        endpoint = endpoint_of(model_of(vault.config, env), env)
    except UnansweredError as error:
        yield plain._replace(told=(f"your model was not asked: {error}",))
        return
    yield from answer_with_model(vault, talk, plain, endpoint, stop)


def sent_for_line(vault: Vault, talk: Talk, text: str, env: Mapping[str, str]) -> str:
    """Exactly what a line would send to the model, "" for nothing; UnansweredError where no model
    can be asked."""
    plain = _plain_reply(vault, talk, text)
    if not _asks_model(vault, plain):
        return ""
    from .model_answer import first_request

    endpoint = endpoint_of(model_of(vault.config, env), env)
    return endpoint.sent(first_request(vault, talk, plain))


def _asks_model(vault: Vault, plain: TalkReply) -> bool:
    """Whether a reply goes to the model: it answers with lines, and the person lets it."""
    return CHAT_USE in vault.config.llm_use and plain.kind == REPLY_ANSWER and bool(plain.lines)
