"""One event of a client program's hooks: JSON in, answer out.

The contract is Claude Code's, which others follow: fields of one JSON object on standard input, and
what the model is to read as `hookSpecificOutput.additionalContext`. Nothing to say is the normal
answer. What cannot be read is no event, and what goes wrong is nothing to say: a hook never stands
between a person and their agent.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from aurelius.settings.places import vault_state
from indexer.spelling import compact_json, storable

from .deadline import HOOK_EVENTS, LATE_WORK_SECONDS, READING_EVENTS
from .hook_answer import HookAnswer
from .session import (
    Session,
    SessionLock,
    failed,
    keep_answer,
    may_be_secret,
    or_empty,
    state_of,
    worked,
)

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Collection, Mapping, Sequence

    from aurelius.memory.context import ContextLines
    from aurelius.memory.lines import Line
    from aurelius.model.questions import Questions
    from aurelius.settings.config import Config
    from aurelius.vault import Vault
    from indexer.disk.walk import IgnoreRules
    from indexer.live.live_index import Live

    from .transcript import Transcript, Turn

CAPTURES = ("stop", "pre-compact", "session-end")
REFRESH = "refresh"
"""Events after which is kept what the person said; and the one of our own that makes the index
equal the files."""

CAPTURING = "writes"
"""What the one hook of a vault that writes is locked by."""

_MOST_MODEL_SECONDS = 25
"""Seconds that the person's own model has while others wait for the one hook that writes."""

_READING_TOOLS = {"Read": "file_path", "NotebookRead": "notebook_path", "Grep": "path"}
"""Tools that read a file, and the field that names it."""

MOST_EVENT_BYTES = 16 << 20
"""Bytes of an event that are read."""

MOST_ANSWER_LETTERS = 9_900
"""Characters of an answer: a client puts a longer one into a file and shows the model only its
beginning."""

_WHEN_TRIED_AGAIN = (
    "it is tried again after the next answer; `aurelius daemon status` says what else writes"
)
"""What becomes of what could not be kept."""


_BUILDING = (
    "Aurelius is building the index of the notes now, in the background; what they say comes with"
    " the prompts after that.\n"
)
"""What is said once in a session whose vault has no index yet."""


class HookEvent(NamedTuple):
    """One event: its name of HOOK_EVENTS, the session's id, what else the client told, and until
    when of `monotonic` the person's model may choose lines; 0 for never."""

    name: str
    session: str
    fields: Mapping[str, Any]
    until: float = 0.0

    def text(self, field: str) -> str:
        """A field that holds text; "" where it does not."""
        return _text(self.fields, field)

    @property
    def prompt(self) -> str:
        """What the person typed of a prompt."""
        from .transcript import typed_text

        return typed_text(self.text("prompt"))


def _text(fields: Mapping[str, Any], name: str) -> str:
    return storable(or_empty(fields.get(name), ""))


class Reply(NamedTuple):
    """What a hook answers: what the model is to read, the lines' keys, and why nothing was said;
    `fix` is what the person can do where it failed, None where it did not; `steps` are what the
    person's own model was asked for it."""

    text: str = ""
    keys: tuple[str, ...] = ()
    why: str = ""
    fix: str | None = None
    steps: tuple[Mapping[str, Any], ...] = ()


class Hook(NamedTuple):
    """One hook: its event, what came on standard input, what it may know of the process that it is
    asked in, and the agent that asks; `later` says that the session is kept by whoever prints the
    answer, once it is printed; `offer` takes what a prompt gets at the least, before the rest;
    `until` is the time by which the person's own model has chosen lines, 0 where it is not to."""

    event: str
    data: bytes
    vault: str | None
    env: Mapping[str, str]
    cwd: str
    now: datetime.datetime
    zone: datetime.tzinfo | None
    live: Live | None
    trace: bool
    later: bool
    agent: str = ""
    offer: Callable[[HookAnswer], None] | None = None
    until: float = 0.0


def respond(asked: Hook) -> HookAnswer:
    """The answer to an event, with what is to be kept; that is kept here unless somebody does it
    later.

    Never an error: what goes wrong is nothing to say.
    """
    began = time.perf_counter()
    try:
        return _respond(asked, began)
    except Exception as error:  # noqa: BLE001 a hook never stands between a person and their agent
        with suppress(Exception):
            from aurelius.settings.config import find_vault

            state = state_of(find_vault(asked.vault, asked.env, asked.cwd), asked.env)
            event = parse_event(asked.event, asked.data)
            if state and event:
                _keep_failure(state, event, failure(error), asked.now)
        return HookAnswer()


def _respond(asked: Hook, began: float) -> HookAnswer:
    event = parse_event(asked.event, asked.data)
    if event is None or (event.name == "prompt" and not asked.trace and not _asks(event)):
        return HookAnswer()
    from aurelius.settings.config import find_vault, load_config

    root = find_vault(asked.vault, asked.env, asked.cwd)
    if not _concerns(root, event, asked.cwd):
        return HookAnswer()
    config = load_config(root, asked.env)
    event = event._replace(until=asked.until)
    session = Session.load(config.state, event.session)
    said, fresh = _done(asked, config, event, session, began)
    answer = _answer_of(asked, config, event, session, said, began, fresh=fresh)
    if not asked.later:
        keep_answer(config.state, answer)
    return answer


def _answer_of(
    asked: Hook,
    config: Config,
    event: HookEvent,
    session: Session,
    said: Reply,
    began: float,
    *,
    fresh: bool,
) -> HookAnswer:
    """What is said, with what is to be kept of it."""
    answer = HookAnswer()
    answer.text = output(event, said)
    answer.session_file = session.name
    if config.hook_enabled and event.name in READING_EVENTS:
        answer.outdated = asked.live is None and not fresh
        answer.session = session.text() if event.session else ""
    if asked.trace or config.hook_trace:
        answer.traced = _trace_line(asked, event, said, began, fresh=fresh)
    return answer


def _done(
    asked: Hook, config: Config, event: HookEvent, session: Session, began: float
) -> tuple[Reply, bool]:
    """What a hook does in its vault, and whether the index that it used was equal to the files."""
    if not config.hook_enabled:
        return Reply(why="hooks are switched off"), True
    if event.name == "prompt" and not _asks(event):
        return Reply(why="the prompt asks for nothing"), True
    live = asked.live
    if live is None and event.name not in (*CAPTURES, REFRESH) and not event.until:
        from .hurried_index import Hurried

        live = cast("Live", Hurried())
        if event.name == "prompt" and asked.offer:
            with suppress(Exception):  # what goes wrong here does so again, and is told then
                _offer_first(asked, config, event, asked.offer, began)
    vault = _vault(asked, config, live)
    said = _tried(vault, event, session)
    _keep_failure(config.state, event, said, asked.now)
    return said, vault.report is not None and vault.report.fresh


def _vault(asked: Hook, config: Config, live: Live | None) -> Vault:
    from aurelius.settings.config import index_folder
    from aurelius.vault import Vault

    folder = index_folder(config)
    return Vault(config, folder, asked.now, live, asked.env, asked.zone, asked.agent)


def _offer_first(
    asked: Hook,
    config: Config,
    event: HookEvent,
    offer: Callable[[HookAnswer], None],
    began: float,
) -> None:
    """Offer what the index says, as it is, of the things that a prompt names."""
    from aurelius.memory.context import named_in_prompt

    from .hurried_index import Hurried

    session = Session.load(config.state, event.session)
    with _vault(asked, config, cast("Live", Hurried(looks=False))) as vault:
        found = named_in_prompt(vault, event.prompt, session.shown, tuple(session.prompts))
        said = _reply(vault, found)
    if said.text:
        session.ask(event.prompt)
        session.show(list(said.keys))
        said = said._replace(why="the deadline came before the rest")
        offer(_answer_of(asked, config, event, session, said, began, fresh=False))


def _concerns(
    root: str,
    event: HookEvent,
    cwd: str,
) -> bool:
    """Whether an event may concern the vault: any but that a tool read what is no note of it."""
    return event.name != "post-tool" or _note_read(root, event, cwd) != ""


def _asks(event: HookEvent) -> bool:
    """Whether a prompt may need something."""
    from aurelius.memory.relevance import asks

    return asks(event.prompt)


def _tried(
    vault: Vault,
    event: HookEvent,
    session: Session,
) -> Reply:
    """What a hook does; what goes wrong there is a reason to say nothing."""
    try:
        if event.name in READING_EVENTS:
            return _answer_event(vault, event, session)
        if event.name == "post-tool":
            return _used(vault, event)
        return _captured(vault, event)
    except Exception as error:  # noqa: BLE001 as above
        return failure(error)
    finally:
        vault.close()


def failure(error: Exception) -> Reply:
    """What went wrong, and what to do: of an error that is a bug only where it is, for its words
    may be a note's."""
    from indexer.errors import AureliusError

    if isinstance(error, AureliusError):
        return Reply(why=error.message[:400], fix=error.hint or "")
    if isinstance(error, OSError) and error.strerror:
        return Reply(
            why=f"{error.filename or 'a file'}: {error.strerror}",
            fix="check the disk and its permissions",
        )
    from traceback import extract_tb

    last = extract_tb(error.__traceback__)[-1]
    why = f"{type(error).__name__} in {last.name}, line {last.lineno}"
    return Reply(why=why, fix="this is a bug in Aurelius; `aurelius doctor` may tell more")


def _keep_failure(
    state: str,
    event: HookEvent,
    said: Reply,
    now: datetime.datetime,
) -> None:
    """Remember that a hook failed, or that what it does works again; a tool that read a file does
    little."""
    if event.name == "post-tool":
        return
    way = "reads" if event.name in READING_EVENTS else "writes"
    if said.fix is not None:
        time = f"{now:%Y-%m-%dT%H:%M:%S}"
        failed(state, way, time, event.name, event.session[:64], said.why, said.fix)
    elif event.name != REFRESH:
        worked(state, way)


def _trace_line(
    asked: Hook,
    event: HookEvent,
    said: Reply,
    began: float,
    *,
    fresh: bool,
) -> str:
    """A hook as a line of the trace, without a prompt that may hold a secret."""
    return compact_json(
        {
            "time": f"{asked.now:%Y-%m-%dT%H:%M:%S}",
            "event": event.name,
            "session": event.session[:64],
            "ms": round((time.perf_counter() - began) * 1000, 1),
            "fresh": fresh,
            "asked": event.text("prompt")[: 0 if may_be_secret(event.text("prompt")) else 400],
            "found": said.keys,
            "why": said.why,
            **({"model": said.steps} if said.steps else {}),
        }
    )


def parse_event(name: str, data: bytes) -> HookEvent | None:
    """The event that standard input told of; None for what is none."""
    import json

    if len(data) > MOST_EVENT_BYTES:
        return None
    fields: Any = {}
    try:
        if name != REFRESH:
            fields = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    return HookEvent(name, _text(fields, "session_id"), fields)


def _answer_event(
    vault: Vault,
    event: HookEvent,
    session: Session,
) -> Reply:
    """What a reading hook says to an event; `session` is told of it, and not kept yet."""
    from .hurried_index import NoIndexYetError

    try:
        said = (_prompt if event.name == "prompt" else _opening)(vault, event, session)
    except NoIndexYetError:
        if _BUILDING in session.shown:
            return Reply(why="the index is still being built")
        said = Reply(_BUILDING, (_BUILDING,), "the index is being built")
    if len(said.text) > MOST_ANSWER_LETTERS:
        return Reply(why="the answer was too long")
    session.show(list(said.keys))
    return said


def output(event: HookEvent, said: Reply) -> str:
    """The answer as the client reads it, without the end of its line; "" for nothing to say."""
    if not said.text:
        return ""
    import json

    answer = {"hookEventName": HOOK_EVENTS[event.name], "additionalContext": said.text}
    return json.dumps({"hookSpecificOutput": answer}, ensure_ascii=False)


def _prompt(
    vault: Vault,
    event: HookEvent,
    session: Session,
) -> Reply:
    """The lines that a prompt needs and this session has not seen, and once what the person has to
    decide."""
    from aurelius.memory import context

    prompt = event.prompt
    before = tuple(session.prompts)
    session.ask(prompt)
    asks = _asks_for_lines(vault, event)
    needed = context.for_prompt
    if asks:
        from aurelius.model.chosen_lines import choose_lines

        choose = partial(choose_lines, asks.ask, vault, prompt, before)
        needed = partial(needed, choose=choose)
    found = needed(vault, prompt, seen=session.shown, before=before, budget=context.PROMPT_BUDGET)
    said = _reply(vault, found)
    if asks:
        from .llm import steps_of

        said = said._replace(steps=steps_of(vault, asks))
    if not said.keys and session.shown and prompt in before:
        said = said._replace(
            why="asked before in this session: what was found was shown then, and nothing is new"
        )
    if not session.action:
        return said
    from aurelius.show.context import defused

    action = defused(session.action)
    session.action = ""
    return said._replace(
        text=f"{said.text}<memory-action-needed>\n{action}\n</memory-action-needed>\n"
    )


def _asks_for_lines(vault: Vault, event: HookEvent) -> Questions | None:
    """What asks the person's model which lines a prompt needs; None where it is not to."""
    if not event.until:
        return None
    from .llm import questions_of

    return questions_of(vault, "context", event.until - time.monotonic())


def _opening(
    vault: Vault,
    event: HookEvent,
    session: Session,
) -> Reply:
    """What a session begins with: all of it once more where the client dropped what it was
    shown."""
    from aurelius.memory import context

    if event.text("source") in {"clear", "compact"}:
        session.forget()
    found = context.for_opening(vault, vault.config.hook_opening)
    return _reply(vault, found, but=session.shown)


def _reply(
    vault: Vault,
    found: ContextLines,
    but: Collection[str] = (),
) -> Reply:
    """A context as the model is to read it, without the lines of those keys, without what no longer
    holds, and without what is older than one of these."""
    every: list[Line] = []
    for part in found.parts:
        every += part.lines
    changed = _changed(vault, {line.path for line in every})
    out = {line.place for line in every if line.key in but or line.path in changed}
    out |= {line.newer_of.place for line in every if line.newer_of and line.place in out}
    parts = []
    keys = list[str]()
    for part in found.parts:
        lines = [line for line in part.lines if line.place not in out]
        if lines:
            parts.append(part._replace(lines=tuple(lines)))
            keys += [line.key for line in lines]
    if not keys:
        return Reply(why="nothing in the notes is close enough")
    from aurelius.show.context import memory

    return Reply(memory(vault, found._replace(parts=tuple(parts))), tuple(keys))


def _changed(vault: Vault, paths: set[str]) -> set[str]:
    """Those of some notes that are no longer what the index read, or are ignored by now; none where
    it is fresh."""
    report = vault.report
    if not paths or (report and report.fresh):
        return set()
    from indexer.disk.walk import IgnoreRules
    from indexer.refresh.difference import changed_paths

    out = changed_paths(vault.index(), vault.root, paths, dict(report.failed) if report else {})
    rules = IgnoreRules(vault.root, vault.config.exclude)
    return out | {path for path in paths - out if _is_ignored(rules, path)}


def _is_ignored(rules: IgnoreRules, path: str) -> bool:
    """Whether rules leave out a note, or a folder that it is in; rule files are looked for on the
    way to it, as they are now."""
    from indexer.disk.walk import RULE_FILES

    above = ""
    for step in path.split("/"):
        for name in RULE_FILES:
            if os.path.lexists(os.path.join(rules.root, above + name)):
                rules.files.add(above + name)
        here = above + step
        if rules.is_ignored(here, folder=here != path):
            return True
        above = f"{here}/"
    return False


# -- what writes -----------------------------------------------------------------------


def _captured(vault: Vault, event: HookEvent) -> Reply:
    """Keep what the person said since the last time, one hook at a time; the index is made equal to
    the files first."""
    with SessionLock(
        vault.config.state, CAPTURING, 0.0 if event.name == REFRESH else LATE_WORK_SECONDS
    ) as alone:
        if not alone.held:
            return Reply(
                why="another hook is at it",
                fix=None if event.name == REFRESH else _WHEN_TRIED_AGAIN,
            )
        vault.refresh()
        if event.name == REFRESH:
            return Reply()
        return _kept(vault, event)


def _kept(vault: Vault, event: HookEvent) -> Reply:
    """Keep what the person said behind the place up to which the session was read."""
    from aurelius.memory.conversation import after_turns
    from aurelius.model.named_sentences import name_sentences
    from aurelius.model.session_summary import session_summary
    from aurelius.plans.plan import Desk
    from aurelius.writing.edit import place_of_config

    from . import transcript
    from .llm import steps_of

    session = Session.load(vault.config.state, event.session)
    part, turns = _said_since(event, session)
    _cite(vault, event, turns)
    if vault.agent:  # what the person says is for all agents, so it goes to no agent's folder
        vault.agent = ""
        vault.refresh()
    said = Reply(why="nothing was said")
    own: list[str] = []  # who said it need not be told it
    fields: dict[str, int | str] = {"position": part.end}
    if event.name != "stop":
        fields["section"] = part.end
    if turns:
        desk = Desk(vault, place_of_config(vault.config, vault.env), vault.now)
        asks, sums = _asks_of_session(vault, event)
        judge = partial(name_sentences, asks.ask) if asks else None
        messages = [turn.text for turn in turns if turn.role == transcript.USER]
        done = after_turns(
            desk,
            turns,
            event.session,
            event.name,
            touched=part.files,
            judge=judge,
            summary=session_summary(sums.ask, messages) if sums else "",
        )
        own = [line.rpartition("^")[2].strip() for line in done.lines]
        said = Reply(keys=tuple(own), steps=steps_of(vault, asks) + steps_of(vault, sums))
        if done.action:
            fields["action"] = done.action
    if event.session:  # that change may have given the vault its name, and so another state folder
        session.amend(vault_state(vault.root, vault.env), own, **fields)
    return said


def sent_of_session(vault: Vault, event: HookEvent) -> list[str]:
    """What would be sent to the person's model if they had said what an event of CAPTURES tells of;
    nothing is sent, and nothing kept."""
    from aurelius.memory.conversation import worth_keeping
    from aurelius.model.named_sentences import name_sentences
    from aurelius.model.session_summary import session_summary
    from aurelius.plans.plan import Desk
    from aurelius.writing.edit import place_of_config

    from .transcript import USER

    _, turns = _said_since(event, Session.load(vault.config.state, event.session))
    messages = [turn.text for turn in turns if turn.role == USER]
    asks, sums = _asks_of_session(vault, event, dry=True)
    sent: list[str] = []
    if asks:
        desk = Desk(vault, place_of_config(vault.config, vault.env), vault.now)
        worth_keeping(desk, messages, partial(name_sentences, asks.ask))
        sent += asks.would
    if sums:
        session_summary(sums.ask, messages)
        sent += sums.would
    return sent


def _said_since(event: HookEvent, session: Session) -> tuple[Transcript, tuple[Turn, ...]]:
    """What was read of a session behind the place up to which it was kept, and its turns."""
    from . import transcript

    after = session.position if event.name == "stop" else session.section
    part = transcript.read_transcript(event.text("transcript_path"), after=after)
    return part, part.turns or tuple(transcript.turns_of_messages(event.fields.get("messages")))


def _asks_of_session(
    vault: Vault, event: HookEvent, *, dry: bool = False
) -> tuple[Questions | None, Questions | None]:
    """What asks the person's model what to keep, and what sums a session up; None where off."""
    from .llm import questions_of

    sums = None
    if event.name == "pre-compact":
        sums = questions_of(vault, "summary", _MOST_MODEL_SECONDS, dry=dry)
    return questions_of(vault, "capture", _MOST_MODEL_SECONDS, dry=dry), sums


def _cite(
    vault: Vault,
    event: HookEvent,
    turns: Sequence[Turn],
) -> None:
    """Count the facts that the assistant cites by their ids as used."""
    from aurelius.ageing.usage_log import record_uses
    from indexer.catalog.lists import get_fact_notes

    from .transcript import ASSISTANT, cited_ids

    texts = [event.text("last_assistant_message")]
    if event.name == "stop":
        texts = [turn.text for turn in turns if turn.role == ASSISTANT] + texts
    db = vault.db
    facts = [name for name in cited_ids(texts) if get_fact_notes(db, name, private=False)]
    record_uses(vault, facts, "cite", _log_name(event.session))


def _used(vault: Vault, event: HookEvent) -> Reply:
    """Count the note that a tool read as used."""
    from aurelius.ageing.usage_log import record_uses
    from indexer.catalog.lists import get_key
    from indexer.usage.log_reader import follow

    path = _note_read(vault.root, event, "")
    follow(vault.settings, vault.index(), 0.0)  # what was used today already counts once
    if get_key(vault.db, path, private=False) is None:
        return Reply(why="not a note")
    record_uses(vault, [path], "hook", _log_name(event.session))
    return Reply(keys=(path,))


def _note_read(
    root: str,
    event: HookEvent,
    cwd: str,
) -> str:
    """The path in the vault of the file that a tool read, where it may be a note; "" for any
    other."""
    from indexer.disk.walk import may_be_walked

    given: Mapping[str, Any] = or_empty(event.fields.get("tool_input"), {})
    name: str = or_empty(given.get(_READING_TOOLS.get(event.text("tool_name"), "")), "")
    if not name or "\0" in name:
        return ""
    above = os.path.join(os.path.realpath(root), "")
    file = os.path.realpath(os.path.join(event.text("cwd") or cwd, os.path.expanduser(name)))
    path = file.removeprefix(above).replace(os.sep, "/")
    if file.startswith(above) and may_be_walked(path):
        return path
    return ""


def _log_name(session: str) -> str:
    """The session as the usage log may name it; "" where it may not."""
    from indexer.usage.log_line import is_session

    return session if is_session(session) else ""
