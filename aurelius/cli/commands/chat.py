"""`aurelius chat`: a conversation with the notes, a typed line after the other."""

from __future__ import annotations

import io
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius import api
from aurelius.chat import said
from aurelius.chat.asking import QuestionReader, asks_something
from aurelius.chat.cited import is_as_cited
from aurelius.chat.keep import keep_talk
from aurelius.chat.propose import carry_out_proposal, in_other_words, says_both
from aurelius.chat.replies import replies, sent_for_line
from aurelius.chat.reply import ask_review
from aurelius.chat.talk import REPLY_TOLD, Talk, TalkReply
from aurelius.cli.apply_plan import tell, tell_written
from aurelius.cli.open_vault import log_uses, open_vault
from aurelius.cli.programs import edit
from aurelius.cli.reply_text import (
    around_text,
    reply_text,
    reply_values,
    sentence_text,
)
from aurelius.cli.run import STOPPED, report_error
from aurelius.memory import decisions
from aurelius.model.connection import Stop, UnansweredError
from aurelius.plans.plan import SeenAnotherError, edits_digest
from aurelius.settings.places import shell_word
from aurelius.show import changes
from aurelius.show.facts import accept_told, matter_lines
from aurelius.show.json_text import dump
from aurelius.show.terminal import lined
from indexer.errors import AureliusError, UsageError
from indexer.spelling import single_spaced

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import SimpleNamespace

    from aurelius.chat.talk import Cited, OfferedChange
    from aurelius.cli.run import Context
    from aurelius.memory.review import Matter
    from aurelius.plans.plan import Written
    from aurelius.show.terminal import Paint
    from aurelius.vault import Vault

_DECISIONS = {
    "y": "accept",
    "yes": "accept",
    "n": "dismiss",
    "no": "dismiss",
}
"""What is done with what waits, by the word that says it."""
_LATER = {"l", "later"}
_OPEN = re.compile(r"(?:o|open) (\d{1,2})")
_MOST_LETTERS = 2000
"""Letters of a line that is answered."""
_AROUND = 3
"""Lines of a note that are shown before a cited one, and after it."""
_ASKS_PROPOSAL = "Write this? yes, no, or type it in other words: "
_ASKS_BOTH = "Write this? yes, both, no, or type it in other words: "
_ASKS_MATTER = "yes, no, later, or stop asking: "
_MORE_HELP = (
    "A number shows that line in its note, “o” and a number opens it in your editor. Enter alone"
    " lets you be asked what waits for you. “quit” or Ctrl-D ends."
)


class _Shown(NamedTuple):
    """A change as the person was shown it: what was said with it, the name of its edits, and
    when."""

    reply: TalkReply
    proposal: OfferedChange
    seen: str
    at: datetime.datetime


def run_chat(args: SimpleNamespace, context: Context) -> int:
    """Answer one question, or whatever is typed until the person leaves."""
    question = single_spaced(" ".join(args.question))
    with open_vault(args, context) as vault:
        talk = _Conversation(args, context, vault)
        if args.dry_run:
            return _show_sent(vault, context, question)
        if question:
            talk.say(question)
            talk.ends = True
            if not (talk.waiting and context.stdin.isatty()):
                return 0
        return _converse(talk, context)


def _show_sent(vault: Vault, context: Context, question: str) -> int:
    """Print what a question would send to the person's model; nothing is sent."""
    try:
        sent = sent_for_line(vault, Talk(), question, context.env)
    except UnansweredError as error:
        raise UsageError(str(error), "aurelius help model") from None
    if sent:
        context.put(f"{sent}\n")
    else:
        context.tell("nothing would be sent: no line answers, or llm.use does not have chat")
    return 0


def _converse(talk: _Conversation, context: Context) -> int:
    """Hear line after line, until there is none; the exit code."""
    stops = 0
    _prepare(talk, context)
    while not talk.is_over:
        try:
            line = _next_line(talk, context)
            if not line:
                break
            stops = 0
            talk.hear(line)
        except KeyboardInterrupt:
            stops += 1
            if stops > 1:
                return STOPPED
            talk.stop()
    talk.drop()
    if not (talk.typed or talk.at_terminal):
        raise UsageError(
            "missing argument: QUESTION",
            'aurelius chat "Where does Joe live?", or type aurelius chat at a terminal',
        )
    return 0


def _prepare(talk: _Conversation, context: Context) -> None:
    """Let lines be edited, where that can be, and odd bytes be read; greet who sits there."""
    if isinstance(context.stdin, io.TextIOWrapper):
        context.stdin.reconfigure(errors="replace")
    if talk.at_terminal and not talk.waiting:
        with suppress(ImportError):
            import readline  # noqa: F401  `input` uses it; it keeps no file
        context.tell("ask what your notes know; “help” tells more, Ctrl-D ends")


def _next_line(talk: _Conversation, context: Context) -> str:
    """The next line; "" where there is none."""
    if not talk.at_terminal:
        return context.stdin.readline()
    if context.tty and context.stdin is sys.stdin:
        try:
            return f"{input(talk.prompt)}\n"
        except EOFError:
            context.out.write("\n")
            return ""
    context.err.write(talk.prompt)
    context.err.flush()
    return context.stdin.readline()


class _Conversation:
    """A conversation, the lines cited last, the changes made in it, and what waits for a yes or
    no."""

    def __init__(self, args: SimpleNamespace, context: Context, vault: Vault) -> None:
        self.typed = ""
        self.waiting: _Shown | Matter | None = None
        self.ends = False
        self.at_terminal = context.stdin.isatty() and not args.json
        self._args = args
        self._context = context
        self._vault = vault
        self._talk = Talk()
        self._cited: tuple[Cited, ...] = ()
        self._changes: list[int | Matter] = []
        self._kept = ""
        self._commands: Mapping[str, Callable[[TalkReply], None]] = {
            said.SAY_HELP: self._help,
            said.SAY_UNDO: self._undo,
            said.SAY_QUIT: self._quit,
            said.SAY_CLEAR: self._clear,
            said.SAY_SILENCE: self._silence,
            said.SAY_KEEP: self._keep,
        }

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be typed."""
        return self.ends and self.waiting is None

    @property
    def prompt(self) -> str:
        """What stands before what is typed."""
        if isinstance(self.waiting, _Shown) and self.waiting.reply.both:
            return _ASKS_BOTH
        if isinstance(self.waiting, _Shown):
            return _ASKS_PROPOSAL
        if self.waiting:
            return _ASKS_MATTER
        return "> "

    def hear(self, line: str) -> None:
        """Answer a line from the files as they are now, or say why not."""
        text = single_spaced(line)
        if not (text or self.at_terminal):
            return
        if len(text) > _MOST_LETTERS:
            self._tell(f"That is too long: {len(text):,} letters, {_MOST_LETTERS:,} at most.")
            return
        vault = self._vault
        try:
            vault.now = self._context.clock()
            vault.refresh()
            if text:
                self.say(text)
            else:
                self._ask()
        except AureliusError as error:
            self._refuse(error)
        self._context.tell(*dict.fromkeys(vault.notices))
        vault.notices.clear()
        if not self._args.json:
            self._context.put("\n")
        self._context.out.flush()

    def say(self, text: str) -> None:
        """Answer a line."""
        self.typed = text
        opened = _OPEN.fullmatch(text.lower())
        if opened:
            self._open(self._chosen(opened[1]))
        elif text.isdecimal() and len(text) < 3:
            self._show(self._chosen(text))
        elif not self._is_settled(text):
            self._answer()

    def stop(self) -> None:
        """Leave what is being said, as Ctrl-C wants it."""
        if self._context.tty:
            self._context.out.write("\n")
        self.drop()
        self._context.tell("stopped; Ctrl-C again ends the conversation")

    def drop(self) -> None:
        """Forget what waits for a yes."""
        if isinstance(self.waiting, _Shown):
            self._context.tell("the change was not written")
        self.waiting = None

    def _refuse(self, error: AureliusError) -> None:
        """Tell why something was not done."""
        if not self._args.json:
            report_error(error, self._context)
            return
        told = ": ".join(filter(None, [error.message, error.hint]))
        self._put(TalkReply("refused", told, found=False))

    # -- answers

    def _answer(self) -> None:
        """Put a reply, its parts as they come; Ctrl-C ends what is still to come."""
        stop = Stop()
        told = 0
        try:
            for part in self._parts(stop):
                if part.command:
                    self._commands.get(part.command, self._put)(part)
                    return
                told = self._put_sentences(part, told)
                if part.is_whole:
                    self._put(part)
                self._cited = part.lines or self._cited
        except KeyboardInterrupt:
            stop.set()
            raise
        self._talk = self._talk.with_turn(self.typed, part)
        self._use(part.used)

    def _ask(self) -> None:
        """Ask what waits, in a pause: where nothing was typed, and nothing is asked already."""
        if self.waiting or not self._talk.may_ask:
            return
        if asked := ask_review(self._vault, self._talk):
            self._put(asked)

    def _parts(self, stop: Stop) -> Iterator[TalkReply]:
        """The parts of the reply to what was typed, until `stop` is set."""
        vault = self._vault
        yield from replies(vault, self._talk, self.typed, self._context.env, stop)

    def _put_sentences(self, part: TalkReply, told: int) -> int:
        """Show the sentences of a model that are new since `told` were there; how many are there
        now."""
        if not self._args.json:
            for each in part.sentences[told:]:
                self._context.put(sentence_text(each), indent=4)
            self._context.out.flush()
        return len(part.sentences)

    def _use(self, refs: Sequence[str]) -> None:
        """Count these as used."""
        log_uses(
            self._args,
            self._context,
            self._vault,
            refs,
            "chat",
        )

    def _put(self, reply: TalkReply, first: int = 1) -> None:
        """Show a reply, and with it what it wants a yes to."""
        if reply.proposal:
            self._propose(reply, reply.proposal)
            return
        values = reply_values(self.typed, reply, first)
        text = reply_text(reply, self._paint, first)
        if matter := reply.matter:
            self.waiting = matter
            asked = self._talk.asked | {matter.name}
            self._talk = self._talk._replace(asked=asked)
            rows = matter_lines(matter, self._paint)
            rows.append(f"yes: {accept_told(matter)}")
            values["matter"] = rows
            text += lined(rows)
        self._show_text(text, values)

    def _show_text(self, text: str, values: Mapping[str, Any]) -> None:
        """Show a text, or what it says as JSON."""
        if self._args.json:
            self._context.put(dump(every=False, **values))
        else:
            self._context.put(text, indent=4)
        self._context.out.flush()

    def _tell(self, text: str) -> None:
        """Say something that needs no line of a note."""
        self._put(TalkReply(REPLY_TOLD, text))

    @property
    def _paint(self) -> Paint:
        return self._context.paint(self._vault.root)

    # -- cited lines

    def _chosen(self, digits: str) -> Cited:
        number = int(digits)
        if not 1 <= number <= len(self._cited):
            raise UsageError(
                f"no line {number} was cited",
                "the number stands before each line",
            )
        return self._cited[number - 1]

    def _show(self, cited: Cited) -> None:
        """Show a cited line in its note."""
        first, last = cited.line.lines
        start = max(1, first - _AROUND)
        path = cited.line.path
        found = self._vault.read(f"{path}:{start}-{last + _AROUND}")
        own = found.lines[first - start :]
        if not is_as_cited(own, cited):
            self._context.tell("the note was changed since: this line is not as it was cited")
        values = reply_values(self.typed, TalkReply(REPLY_TOLD, "\n".join(found.lines)))
        values["shown"] = {
            "path": path,
            "first": start,
        }
        self._show_text(around_text(found, cited, self._paint), values)
        self._use([cited.line.key])

    def _open(self, cited: Cited) -> None:
        """Open a cited line in the person's editor."""
        path, line = cited.line.place
        if not self.at_terminal:
            raise UsageError(
                "only who sits at a terminal can open an editor here",
                f"aurelius open {shell_word(f'{path}:{line}')}",
            )
        edit(
            self._vault.root,
            path,
            line,
            self._context,
        )

    # -- changes

    def _manner(self, at: datetime.datetime) -> dict[str, Any]:
        """How a change is made that the person saw."""
        return {
            "now": at,
            "person": self._context.person,
            "me": self._vault.person,
        }

    def _propose(self, reply: TalkReply, proposal: OfferedChange) -> None:
        """Show a change, and wait for a yes."""
        at = self._context.clock()
        seen = carry_out_proposal(
            self._vault,
            proposal,
            dry_run=True,
            **self._manner(at),
        )
        if not seen.edits:
            self._tell("; ".join(seen.notices) or "This is written already.")
            return
        if not self._args.json:
            self._context.put(reply_text(reply, self._paint), indent=4)
        self._written(seen, reply)
        text = proposal.fields["text"]
        self._context.tell(
            *changes.contradicted(seen.path, seen.older, text, dry_run=True),
            *changes.like_it(seen.near),
        )
        name = edits_digest(seen.edits)
        self.waiting = _Shown(reply, proposal, name, at)

    def _is_settled(self, text: str) -> bool:
        """Take a line as the answer to what waits; False where it is something else."""
        waiting = self.waiting
        word = text.lower().rstrip(".! ")
        if waiting is None:
            return False
        if isinstance(waiting, _Shown):
            return self._is_agreed(waiting, text)
        self.waiting = None
        if word in _LATER:
            self._tell("It waits: `aurelius review` shows it again.")
            return True
        if waiting.carried and text in waiting.carried.ask:
            waiting = decisions.meant_for(waiting, text)
            word = "yes"
        action = _DECISIONS.get(word)
        if action:
            self._decide(waiting, action)
        return bool(action)

    def _is_agreed(self, shown: _Shown, text: str) -> bool:
        """The same for a change: other words for it are shown again; what is no other words for it,
        as a question, leaves it unwritten."""
        if shown.reply.both and says_both(text):
            self.waiting = None
            return False
        word = said.agreed(text)
        heard = said.read_said(text, ())
        is_other = heard.command or heard.what == said.SAID_NOTHING or asks_something(heard)
        if word is None and (is_other or self._is_of_another(shown, text)):
            self.drop()
            is_undo = heard.command == said.SAY_UNDO
            if is_undo and self._changes:
                self._context.tell("“undo” again takes back the last change")
            return is_undo
        self.waiting = None
        if word:
            self._write(shown)
        elif word is None:
            today = self._vault.clock.today.isoformat()
            self._propose(shown.reply, in_other_words(shown.proposal, text, today))
        else:
            self._tell("Nothing was written.")
        return True

    def _is_of_another(self, shown: _Shown, text: str) -> bool:
        """Whether a line names another page than the one that would change."""
        names = QuestionReader(self._vault).read(text, ()).names
        where = shown.proposal.fields.get("fact", "") + shown.proposal.fields.get("note", "")
        return bool(names) and not any(where.startswith(name) for name in names)

    def _write(self, shown: _Shown) -> None:
        """Make a change as it was shown; where it would be another by now, show that."""
        try:
            done = carry_out_proposal(
                self._vault,
                shown.proposal,
                seen=shown.seen,
                **self._manner(shown.at),
            )
        except SeenAnotherError as error:
            self._context.tell(f"{error.message}; this is the change now")
            self._propose(shown.reply, shown.proposal)
            return
        self._written(done, TalkReply(REPLY_TOLD, ""))

    def _written(self, done: Written, reply: TalkReply) -> None:
        """Tell what was written, or would be, and remember how to take it back."""
        values = reply_values(self.typed, reply)
        tell_written(self._args, self._context, done, **values)
        if done.number:
            self._changes.append(done.number)
            self._context.tell("“undo” takes it back")

    def _decide(self, matter: Matter, action: str) -> None:
        """Do what the person said to a question of the review."""
        at = self._context.clock()
        desk = api.plan_desk(self._vault, **self._manner(at))
        for _, done in decisions.decide(desk, [matter], action):
            if done is None:
                self._tell("It is no longer proposed.")
            else:
                self._written(done, TalkReply(REPLY_TOLD, ""))
        if action == "dismiss":
            back = f"to take it back: `aurelius review restore {matter.short}`"
            api.forbid_undo(
                self._vault,
                "review dismiss",
                back,
                now=at,
            )
            self._changes.append(matter)
            self._context.tell(f"“undo”, or {back}")

    # -- commands

    def _help(self, reply: TalkReply) -> None:
        self._tell(f"{reply.text}\n{_MORE_HELP}")

    def _quit(self, reply: TalkReply) -> None:
        self.ends = True
        self._put(reply)

    def _clear(self, reply: TalkReply) -> None:
        self._talk = Talk(
            may_ask=self._talk.may_ask,
            asked=self._talk.asked,
        )
        self._cited = ()
        self._put(reply)

    def _silence(self, reply: TalkReply) -> None:
        self._talk = self._talk._replace(may_ask=False)
        self._put(reply)

    def _keep(self, reply: TalkReply) -> None:
        at = self._context.clock()
        done = keep_talk(self._vault, self._talk, before=self._kept, **self._manner(at))
        self._kept = done.path
        self._written(done, reply._replace(text=""))

    def _undo(self, reply: TalkReply) -> None:
        """Take back the last change of this conversation, or what was dismissed last."""
        if not self._changes:
            self._put(reply)
            return
        context = self._context
        last = self._changes[-1]
        if not isinstance(last, int):
            self._changes.pop()
            self._decide(last, "restore")
            self._tell("It waits again.")
            return
        entry, edits, done = api.undo(
            self._vault,
            last,
            now=context.clock(),
        )
        self._changes.pop()
        line = changes.undone_text(entry, context.zone, dry_run=False)
        if not self._args.json:
            context.put(line)
        tell(
            self._args,
            context,
            edits,
            done,
            hidden=entry.hidden,
            **reply_values(self.typed, TalkReply(REPLY_TOLD, line)),
        )
