"""What the person's own language model is asked for, and what it has worded before.

Off until the person's own settings name a model, and what it may do. Nothing here decides what is
sent or what is believed: `wording` and the room `model` do.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, Any

from aurelius.agents import wording
from aurelius.model.connection import UnansweredError
from aurelius.model.endpoint import ask_model, endpoint_of, model_of, question_target
from aurelius.model.questions import Questions
from aurelius.model.request import Source, canonical, withheld
from aurelius.settings.places import LLM_FAILED, WORDINGS, vault_state
from indexer.spelling import compact_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from aurelius.agents.wording import Sentence
    from aurelius.memory.extract import Carried
    from aurelius.model.request import ModelRequest
    from aurelius.settings.config import Config
    from aurelius.vault import Vault
    from indexer.note import Fact

_MINUTE = "%Y-%m-%d %H:%M"
MOST_QUESTIONS = 50
MOST_KEPT = 5000
"""Questions in one run, what is left keeps its own words until the next; wordings that are kept for
a vault."""


class Worder:
    """One run of a command that may have lines worded: what it asks, what it believes, and what
    there is to tell; `hidden` are private notes, `titles` the names of all by path; `dry` collects
    questions in `would`, and asks none.
    """

    def __init__(
        self,
        config: Config,
        env: Mapping[str, str],
        hidden: Collection[str],
        titles: Mapping[str, str],
        now: str,
        *,
        dry: bool = False,
    ) -> None:
        self.use = config.llm_use
        self.where = question_target(config)
        self.hidden = hidden
        self.titles = titles
        self.would: list[str] = []
        self._config = config
        self._env = env
        self._now = now
        self._dry = dry
        self._known: dict[str, Any] = _read(config.state)
        self._fresh: dict[str, Any] = {}
        self._why = ""
        self._asked = 0
        self._failed = 0
        self._left = 0

    def summary(
        self,
        path: str,
        title: str,
        facts: Sequence[Fact],
    ) -> list[str] | None:
        """The facts of one note as sentences, in the order in which they came; None without an
        answer."""
        sources = [Source(title, fact.text, fact.date or "", path) for fact in facts]
        open_ = self._open(sources)[: wording.MOST_FACTS]
        worded: list[Sentence] | None = []
        if open_:
            worded = self._worded(
                wording.SUMMARY_WORDING,
                [sources[at] for at in open_],
            )
        if worded is None:
            return None
        kept = [each._replace(uses=tuple(open_[at] for at in each.uses)) for each in worded]
        return [text for text, _ in wording.join_wordings(sources, kept)]

    def _open(self, sources: Sequence[Source]) -> list[int]:
        """The numbers of the lines that may be sent."""
        return [number for number, each in enumerate(sources) if not withheld(each, self.hidden)]

    def carried(self, found: Sequence[Carried]) -> list[Carried]:
        """Lines of daily notes, each with the words for its page."""
        from aurelius.memory.capture import overlap
        from aurelius.memory.extract import SAME_LINE_SHARE

        sources = []
        for each in found:
            path = each.page if each.page in self.hidden else each.path
            about = self.titles.get(each.page) or each.new_page
            sources.append(Source(about, each.text, each.day, path))
        carried = []
        for each, text in zip(found, self.lines(wording.EXTRACTED, sources), strict=True):
            near = text != each.text and overlap(text, each.text) >= SAME_LINE_SHARE
            carried.append(each._replace(worded=text if near else ""))
        return carried

    def captured(
        self,
        found: Sequence[tuple[str, Fact, str]],
    ) -> list[str]:
        """The words for captured lines, given with their notes and the page of each; "" where they
        stay."""
        from aurelius.plans.tidy import unlabelled

        sources = [
            Source(
                self.titles.get(home, ""),
                unlabelled(fact.text),
                fact.date or "",
                home if home in self.hidden else path,
            )
            for path, fact, home in found
        ]
        told = self.lines(wording.CAPTURED, sources)
        return [text if text != each.text else "" for text, each in zip(told, sources, strict=True)]

    def lines(
        self,
        kind: str,
        sources: Sequence[Source],
    ) -> list[str]:
        """Lines about different notes, each worded by itself, or as it was."""
        open_ = self._open(sources)
        unknown = [at for at in open_ if self._key(kind, [sources[at]]) not in self._known]
        for start in range(0, len(unknown), wording.MOST_FACTS):
            self._ask_about(
                kind, [sources[at] for at in unknown[start : start + wording.MOST_FACTS]]
            )
        texts = [each.text for each in sources]
        for at in open_:
            for sentence in self._passing(kind, [sources[at]]):
                texts[at] = sentence.text
        return texts

    def _ask_about(
        self,
        kind: str,
        sources: Sequence[Source],
    ) -> None:
        """Ask for the words of lines, and keep those of each by themselves."""
        answer = self._answer(wording.asked(kind, sources), len(sources))
        if answer is None:
            return
        for number, source in enumerate(sources):
            own = [each._replace(uses=(0,)) for each in answer if each.uses == (number,)]
            self._keep(kind, [source], own[:1])

    def _worded(
        self,
        kind: str,
        sources: Sequence[Source],
    ) -> list[Sentence] | None:
        if self._key(kind, sources) not in self._known:
            answer = self._answer(wording.asked(kind, sources), len(sources))
            if answer is None:
                return None
            self._keep(kind, sources, answer)
        return self._passing(kind, sources)

    def _key(
        self,
        kind: str,
        sources: Sequence[Source],
    ) -> str:
        """What a wording is kept by: the model, the prompt and the lines that it words."""
        config = self._config
        about = [wording.PROMPT_VERSION, config.llm_endpoint, config.llm_model, config.llm_command]
        said = [*about, canonical(wording.asked(kind, sources))]
        return sha256(json.dumps(said).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _answer(
        self,
        request: ModelRequest,
        count: int,
    ) -> list[Sentence] | None:
        if (
            self._why or self._asked >= MOST_QUESTIONS
        ):  # one that failed is not asked again in this run
            self._left += 1
            return None
        self._asked += 1
        try:
            model = model_of(self._config, self._env)
            if self._dry:
                self.would.append(endpoint_of(model, self._env).sent(request))
                return None
            return wording.read_answer(ask_model(model, request, self._env), count)
        except (UnansweredError, ValueError) as error:
            self._why = str(error)
            return None

    def _keep(
        self,
        kind: str,
        sources: Sequence[Source],
        answer: Sequence[Sentence],
    ) -> None:
        key = self._key(kind, sources)
        kept, failed = wording.passing_sentences(kind, sources, answer)
        self._failed += failed
        if kind != wording.SUMMARY_WORDING and not answer:
            self._failed += 1
        self._known[key] = self._fresh[key] = [[list(each.uses), each.text] for each in kept]

    def _passing(
        self,
        kind: str,
        sources: Sequence[Source],
    ) -> list[Sentence]:
        """What is kept of these lines, judged again: a file that somebody changed is believed no
        more than a model."""
        known = self._known.get(self._key(kind, sources), ())
        with suppress(ValueError):
            rows = [{"uses": uses, "text": text} for uses, text in known]
            answer = wording.read_answer(json.dumps({"sentences": rows}), len(sources))
            return wording.passing_sentences(kind, sources, answer)[0]
        return []

    def told(self) -> list[str]:
        """Keep what is new, and say once what came of it."""
        from aurelius.writing.own_files import keep_in_state

        state = vault_state(self._config.root, self._env)
        found = []  # the first change gave it a name
        with suppress(OSError):
            if self._fresh:
                rows = [*_read(state).items(), *self._fresh.items()][-MOST_KEPT:]
                keep_in_state(state, WORDINGS, json.dumps(dict(rows)).encode())
        keep_failed(self._config, self._env, self._now, self._why)
        if self._why:
            found.append(f"the model did not answer, so nothing new is worded: {self._why}")
        elif self._left:
            found.append(f"{self._left:,} more would be worded; run the command again")
        if self._failed:
            count = f"{self._failed:,} sentence{'s' * (self._failed > 1)}"
            found.append(
                f"{count} of the model said something else than the notes, whose own words are used"
                " instead"
            )
        return found


def _read(state: str) -> dict[str, Any]:
    with (
        suppress(OSError, ValueError, RecursionError),
        open(os.path.join(state, WORDINGS), "rb") as file,
    ):
        known = json.loads(file.read(64 << 20))
        if isinstance(known, dict):
            return known
    return {}


def keep_failed(config: Config, env: Mapping[str, str], now: str, why: str) -> None:
    """Remember when the model failed, and why; nothing for ""."""
    from aurelius.writing.own_files import keep_in_state

    with suppress(OSError):
        if why:
            state = vault_state(config.root, env)
            keep_in_state(state, LLM_FAILED, f"{now} {why}\n".encode())


def questions_of(
    vault: Vault, use: str, seconds: float = inf, *, dry: bool = False
) -> Questions | None:
    """What asks the person's model for a use, in so many seconds and those of the settings at most;
    None where it is off, or there is no such model."""
    if use not in vault.config.llm_use:
        return None
    try:
        model = model_of(vault.config, vault.env)
    except UnansweredError as error:
        keep_failed(vault.config, vault.env, f"{vault.now:{_MINUTE}}", str(error))
        return None
    seconds = min(seconds, model.timeout)
    return Questions(endpoint_of(model, vault.env), seconds, dry=dry)


def steps_of(vault: Vault, asks: Questions | None) -> tuple[Mapping[str, Any], ...]:
    """What was asked, for a trace; what failed is remembered."""
    if asks is None:
        return ()
    keep_failed(vault.config, vault.env, f"{vault.now:{_MINUTE}}", asks.why)
    return tuple(asks.steps)


def trace_of_model(vault: Vault, event: str, asks: Questions | None, found: Sequence[str]) -> None:
    """Add to the trace, where the person keeps one, what a command asked their model, and what it
    `found`; what failed is remembered."""
    from .session import trace

    steps = steps_of(vault, asks)
    if steps and vault.config.hook_trace:
        told = {
            "time": f"{vault.now:%Y-%m-%dT%H:%M:%S}",
            "event": event,
            "found": found,
            "model": steps,
        }
        line = compact_json(told)
        trace(vault.config.state, line)


def described(config: Config) -> str:
    """The model that is set, what it may do, and when it last failed; "" for none."""
    if not (config.llm_endpoint or config.llm_command):
        return ""
    failed = ""
    with (
        suppress(OSError),
        open(
            os.path.join(config.state, LLM_FAILED),
            encoding="utf-8",
            errors="replace",
        ) as file,
    ):
        failed = f"; last failed {' '.join(file.read(500).split())}"
    if config.llm_use:
        use = f"asked for {', '.join(config.llm_use)}"
    else:
        use = "asked nothing, because llm.use is empty"
    return f"{question_target(config)}, {use}{failed}"
