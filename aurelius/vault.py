"""`Vault`, the one object that joins things: settings, index, search, notes, links, checks.

On the way of a search nothing heavy is imported; what only others need is imported inside their
methods."""

from __future__ import annotations

import datetime
import os
import time
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

import apsw

from aurelius.settings.keys import MOST_SEARCH_HITS
from aurelius.settings.places import WAITING_USES_FILE
from indexer.catalog.visibility import AskedIndex, Who, is_hidden_from, look_as
from indexer.errors import ConfigError, IndexUnavailableError, UsageError
from indexer.note import Settings
from indexer.refresh.difference import changed_paths
from indexer.refresh.refresh import RefreshReport, rebuild, refresh
from indexer.rows.schema import LOCKED, UNSOUND, UNUSABLE, current_file
from indexer.usage.tier import Clock, TierRules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from aurelius.answers.excerpts import Excerpt
    from aurelius.answers.findings import Finding
    from aurelius.answers.note_view import LinkView, MentionView, NoteView, Status
    from aurelius.settings.config import Config
    from aurelius.writing.forget import ForgetReport
    from indexer.catalog.filters import Filters
    from indexer.catalog.lists import FactList, NoteList, TagRow, TaskRow
    from indexer.live.live_index import Live
    from indexer.note import Progress
    from indexer.rows.rows import Index
    from indexer.search.hit import SearchResult
    from indexer.search.query import SearchQuery
    from indexer.search.recalled import Recall
    from indexer.tokens.embed import Encoder

    Pass = Callable[..., tuple[Index, RefreshReport]]

SEARCH_ROUNDS = 3  # looks of a search, before hits whose file still differs are dropped
_P = ParamSpec("_P")
_R = TypeVar("_R")


def looks(call: Callable[Concatenate[Vault, _P], _R]) -> Callable[Concatenate[Vault, _P], _R]:
    """A call in which a Vault that stays open looks at the files once, at its beginning."""

    @wraps(call)
    def asked(vault: Vault, /, *args: _P.args, **named: _P.kwargs) -> _R:
        if vault.checks_calls:
            from aurelius.answers.check_call import check_record

            for each in (*args, *named.values()):
                check_record(each)
        with vault.looking():
            return call(vault, *args, **named)

    return asked


def healed(method: Callable[Concatenate[Vault, _P], _R]) -> Callable[Concatenate[Vault, _P], _R]:
    """A question to a Vault that survives a damaged index, which is built anew once, and asked
    again."""

    @looks
    @wraps(method)
    def asked(vault: Vault, /, *args: _P.args, **named: _P.kwargs) -> _R:
        try:
            return method(vault, *args, **named)
        except UNSOUND as error:
            if not vault.heals(error):
                raise
            return method(vault, *args, **named)

    return asked


class Vault:
    """A vault, opened, for one thread at a time. `notices` is what a person should be told,
    `report` the last refresh; `agent` is who looks: a name, "" for one without, None for the
    person; `person` is False where an agent asks, who has no private notes. Paths are relative to
    `root` and use `/`, lines count from 1, days are ISO dates."""

    checks_calls = False
    """Whether the filters and queries of each call are checked: those of a program may make no
    sense."""

    def __init__(
        self,
        config: Config,
        index_folder: str,
        now: datetime.datetime,
        live: Live | None = None,
        env: Mapping[str, str] | None = None,
        zone: datetime.tzinfo | None = None,
        agent: str | None = None,
    ) -> None:
        self.env = env or {}
        self.zone = zone
        self.now = now
        self.live = live
        self.agent = agent
        self.who: Who = agent
        self.root = config.root
        self.config = config
        self.index_folder = index_folder
        self.person = agent is None
        self._pass: Pass = refresh if live is None else live.refresh
        self.notices: list[str] = []
        self.report: RefreshReport | None = None
        self._asked = AskedIndex()
        self._distrusted = False
        self._encoder: Encoder | None = None

    @classmethod
    def find(
        cls,
        explicit: str | None,
        env: Mapping[str, str],
        cwd: str,
        *,
        now: datetime.datetime,
        live: Live | None = None,
        zone: datetime.tzinfo | None = None,
        agent: str | None = None,
    ) -> Self:
        """The vault to use; `now` is the clock of answers, `live` a daemon's. VaultNotFoundError,
        ConfigError."""
        from aurelius.settings.config import find_vault, index_folder, load_config

        root = find_vault(explicit, env, cwd)
        config = load_config(root, env)
        return cls(config, index_folder(config), now, live, env, zone, agent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """What the index is made from."""
        return Settings(
            self.root,
            self.index_folder,
            self.config.exclude,
            self.config.daily,
            self.config.model or None,
            uses=os.path.join(self.config.state, WAITING_USES_FILE) if self.env else "",
            kinds=self.config.kinds,
        )

    @property
    def clock(self) -> Clock:
        """The day of `now`, and by which rules facts age."""
        config = self.config
        rules = TierRules(
            config.hot_days,
            config.warm_days,
            config.resist_uses,
            config.half_lives,
            config.least_importance,
        )
        return Clock(self.now.date(), rules, self.zone)

    def close(self) -> None:
        """Close the index; a second close does nothing."""
        self._asked.close()

    def index(self) -> Index:
        """The index, refreshed once for each Vault. IndexUnavailableError where the vault cannot be
        read."""
        if self._asked.index is None:
            self.refresh()
        assert self._asked.index  # a refresh opens one
        return self._asked.index

    @property
    def db(self) -> apsw.Connection:
        """The connection of the index, which is another one after each refresh.
        IndexUnavailableError."""
        return self.index().db

    def refresh(
        self, *, progress: Progress | None = None, accept_deletions: bool = False
    ) -> RefreshReport:
        """Make the index equal the files. IndexUnavailableError where the vault itself cannot be
        read. Where no index can be used, one is made in memory, by words alone, and `notices` says
        why."""
        self.close()
        return self._refreshed(progress=progress, accept_deletions=accept_deletions)

    def _refreshed(self, **asked: Any) -> RefreshReport:
        # settings may have changed since, and a first change gives the vault its name
        if self.report is not None:
            from aurelius.settings.config import index_folder, load_config

            config = load_config(self.root, self.env)
            if config.location != self.config.location:
                self.index_folder = index_folder(config)
            self.config = config
        try:
            made = self._made(self._pass, **asked)
        except (OSError, *UNUSABLE) as error:
            why = f"cannot create the index: {error}"
            if isinstance(error, apsw.BusyError | apsw.ProtocolError):
                why = LOCKED
            return self._in_memory(why)
        self._distrusted = False
        return self._keep(*made)

    def _in_memory(self, why: str) -> RefreshReport:
        """Read the files into an index of words in memory, because no other can be used."""
        self.close()
        index, report = refresh(self._words_alone, now=time.time())
        told = (why, "no index can be used: the files were read into memory, by words only")
        return self._keep(index, report._replace(notices=(*told, *report.notices)))

    @property
    def _words_alone(self) -> Settings:
        """What an index is made from that is kept in memory and needs no embedding model."""
        return self.settings._replace(folder="", vectors=False, model=None)

    def looking(self) -> AbstractContextManager[None]:
        """Context of one question: what one command opens was looked at, a `SharedVault` looks as
        it begins."""
        return self._asked.question()

    @looks
    def rebuild(self, *, progress: Progress | None = None) -> RefreshReport:
        """Make the index from nothing, in a new file."""
        self.close()
        try:
            made = self._made(rebuild, progress=progress)
        except (OSError, *UNUSABLE) as error:
            hint = "choose another folder: aurelius config set index.location DIR"
            raise IndexUnavailableError(
                f"cannot create the index in {self.index_folder}: {error}", hint
            ) from error
        return self._keep(*made)

    def heals(self, error: Exception) -> bool:
        """Build the index anew where it is damaged and behind this error; False for a bug, or where
        that was done."""
        from indexer.refresh.damage import is_damaged

        path = self._open_path or current_file(self.index_folder)
        return not self._distrusted and is_damaged(path, error) and self.distrust()

    def distrust(self) -> bool:
        """Build the index anew, because what it said made no sense; False where that was done here
        before."""
        if self._distrusted:
            return False
        self._distrusted = True
        path = self._open_path
        self.close()
        self._keep(*self._made(self._pass, distrust=path))
        return True

    @property
    def _open_path(self) -> str | None:
        """The file of the index that is open, None where none is."""
        if self._asked.index is None:
            return None
        return self._asked.index.path

    def _made(self, make: Pass, **asked: Any) -> tuple[Index, RefreshReport]:
        """An index, by words alone and in memory where the embedding model cannot be loaded."""
        try:
            return make(self.settings, now=time.time(), **asked)
        except ConfigError as error:
            from indexer.tokens.embed import words_alone

            index, report = make(self._words_alone, now=time.time(), **asked)
            return index, report._replace(notices=(words_alone(error), *report.notices))

    def _keep(self, index: Index, report: RefreshReport) -> RefreshReport:
        self.who = look_as(index.db, self.agent)
        report = report._replace(
            failed=tuple(each for each in report.failed if not is_hidden_from(each[0], self.who))
        )
        self._asked.ask(index)
        self.report = report
        self.notices += report.notices
        if report.renamed:
            from aurelius.answers.doctor_links import remember_renames

            remember_renames(self.config.state, report.renamed)
        return report

    @looks
    def search(
        self, query: SearchQuery | str, *, limit: int = 0, filters: Filters | None = None
    ) -> SearchResult:
        """Search the files as they are now; where no index can be used, for the words alone.

        Words are asked for as the settings say: mode, fusion, and how many hits where there is no
        `limit`. Where the file of a hit differs, the index is asked again, at most twice; then it
        is dropped and not fresh.
        """
        if isinstance(query, str):
            query = self.query(query, limit, filters)
        try:
            result = self._search(query)
        except UNUSABLE as error:
            self._in_memory(f"the index could not be used ({error})")
            result = self._search(query)
        if result.hits or not query.filters.folder:
            return result
        from aurelius.answers.lookup import why_ignored

        return result._replace(hint=why_ignored(self.config, query.filters.folder) or result.hint)

    @healed
    def _search(self, query: SearchQuery) -> SearchResult:
        for again in range(SEARCH_ROUNDS):
            result = self._asked_of_index(query)
            changed = self._changed({hit.path for hit in result.hits})
            if not changed:
                break
            if again + 1 == SEARCH_ROUNDS or not (self.report and self.report.fresh):
                return self._without_changed(query, result, changed)
            self.again(changed)
        return result

    def _asked_of_index(self, query: SearchQuery) -> SearchResult:
        from aurelius.settings.starting_notes import is_example
        from indexer.search.search import search

        index = self.index()
        ask = search if self.live is None else self.live.search
        return ask(index, query, self.model(query), self.now, self.clock, is_example=is_example)

    def _changed(self, paths: set[str]) -> set[str]:
        """The notes among these that are no longer what the index read."""
        failed = dict(self.report.failed) if self.report else {}
        return changed_paths(self.index(), self.root, paths, failed)

    def _without_changed(
        self, query: SearchQuery, result: SearchResult, changed: set[str]
    ) -> SearchResult:
        """A result whose files keep changing: without them, and with the next hits in their
        places."""
        from indexer.search.query import SEARCH_POOL

        assert self.report  # the index has been looked at
        self.report = self.report._replace(fresh=False)
        wider = self._asked_of_index(query._replace(limit=SEARCH_POOL)).hits
        changed_too = self._changed({hit.path for hit in wider})
        steady = tuple(hit for hit in wider if hit.path not in changed | changed_too)
        notice = (
            f"hits left out because their files kept changing during the search: {len(changed)}"
        )
        return result._replace(hits=steady[: query.limit], notices=(*result.notices, notice))

    @healed
    def recall(self, query: SearchQuery | str, *, most: int = 5) -> Recall:
        """A few answers to a question, each with the lines that its links bring, from the files as
        they are now."""
        from indexer.search.recall import CANDIDATES, recall

        if isinstance(query, str):
            query = self.query(query, CANDIDATES)
        for _ in range(SEARCH_ROUNDS):
            found = self.search(query)  # which may open another index
            answer = recall(self.index(), found, self.model(query), most=most)
            changed = self._changed(answer.paths)
            if not changed:
                break
            self.again(changed)
        return answer.without(changed)

    def query(
        self,
        words: str,
        limit: int = 0,
        filters: Filters | None = None,
        *,
        mode: str = "",
        fusion: str = "",
        explain: bool = False,
    ) -> SearchQuery:
        """Words as a query, asked as the settings say where nothing else is given; a `limit` of 0
        is theirs, and MOST_SEARCH_HITS is the most.  UsageError for a limit below 0."""
        from indexer.catalog.filters import Filters
        from indexer.search.query import SearchQuery

        if limit < 0:
            raise UsageError(f"limit must be at least 0, not {limit}", "see: aurelius help python")
        return SearchQuery(
            text=words,
            mode=mode or self.config.mode,
            fusion=fusion or self.config.fusion,
            filters=filters or Filters(),
            limit=min(limit or self.config.limit, MOST_SEARCH_HITS),
            explain=explain,
        )

    def again(self, paths: set[str]) -> None:
        """Refresh once more, because these notes are not what the index read."""
        if self.live is not None:
            self.live.suspect(paths)
        self._asked.leave()
        self._refreshed()

    def model(self, query: SearchQuery) -> Encoder | None:
        """The embedding model that a query is asked with, None for words alone."""
        if query.mode == "keyword":
            return None
        if self._encoder is not None:
            return self._encoder
        from indexer.tokens.embed import load_model, words_alone

        try:
            self._encoder = (load_model if self.live is None else self.live.encoder)(
                self.config.model or None
            )
        except ConfigError as error:
            self.notices.append(words_alone(error))  # what the refresh told already is told once
        return self._encoder

    @healed
    def notes(
        self,
        filters: Filters,
        *,
        sort: str = "path",
        limit: int = -1,
        offset: int = 0,
    ) -> NoteList:
        """The notes that match; a limit below 0 is none.  UsageError for an order there is not."""
        from indexer.catalog.lists import get_notes

        return get_notes(self.db, filters, sort=sort, limit=limit, offset=offset, clock=self.clock)

    @healed
    def facts(
        self,
        filters: Filters,
        *,
        sort: str = "path",
        limit: int = -1,
        offset: int = 0,
    ) -> FactList:
        """The facts that match, in the order of their notes."""
        from indexer.catalog.lists import list_facts

        return list_facts(self.db, filters, sort=sort, limit=limit, offset=offset, clock=self.clock)

    @healed
    def tasks(
        self, *, open_only: bool = False, due: tuple[str, str] | None = None, filters: Filters
    ) -> tuple[TaskRow, ...]:
        """The tasks that match, in order of path and line; `due` is a first and a last day."""
        from indexer.catalog.lists import get_tasks

        return get_tasks(self.db, filters, open_only=open_only, due=due)

    @healed
    def tags(self, *, private: bool = False) -> tuple[TagRow, ...]:
        """Every tag with the number of notes that carry it, most used first."""
        from indexer.catalog.lists import get_tags

        return get_tags(self.db, private=private)

    @healed
    def resolve(
        self,
        name: str,
        *,
        private: bool = False,
        whole: bool = False,
    ) -> str:
        """The path of the note a name means, with `whole` not by part of its name.
        NoteNotFoundError, AmbiguousNameError."""
        from indexer.catalog.lists import get_key, get_path

        db = self.db
        if get_key(db, name, private=private) is not None:
            return name
        path = get_path(db, name, private=True) if "/" in name else ""
        if path and get_key(db, path, private=private) is not None:
            return path
        from aurelius.answers.lookup import resolve

        today = self.now.date()
        return resolve(
            db, self.config, name, private=private, today=today, person=self.person, whole=whole
        )

    @healed
    def today(self, day: str) -> str:
        """The path of that day's daily note: the existing one, else the one it would have."""
        from aurelius.answers.lookup import daily_note

        return daily_note(self.db, self.config, day)

    @healed
    def read(self, reference: str, *, private: bool = False) -> Excerpt:
        """Exact text, from the file on disk, of a reference; none of a daily note that nobody has
        written yet. NoteNotFoundError, AmbiguousNameError, UsageError."""
        from aurelius.answers import references

        return references.read_reference(self, reference, private=private)

    @healed
    def note(self, name: str, *, private: bool = False) -> NoteView:
        """All there is to say of one note, or of the facts at a place in it. NoteNotFoundError,
        AmbiguousNameError."""
        from aurelius.answers import lookup, note_view, references
        from indexer.reading.parse import parse

        path, place = references.resolve_note_lines(self, name, private=private)
        note = parse(
            path,
            lookup.note_bytes(self, path, private=private),
            daily_folder=self.config.daily,
            kinds=self.config.kinds,
        )
        graph = note_view.open_graph(self.db, self.root, self.config.daily)
        return note_view.view(note, graph, private=private, place=place)

    @healed
    def links(self, name: str, *, private: bool = False) -> LinkView:
        """What a note links to and what links to it; `name` may be a reference, as `read` takes
        it."""
        from aurelius.answers.note_view import link_view, open_graph
        from aurelius.answers.references import resolve_note_lines

        graph = open_graph(self.db, self.root, self.config.daily)
        return link_view(
            lambda: resolve_note_lines(self, name, private=private)[0], name, graph, private=private
        )

    @healed
    def mentions(self, name: str, *, private: bool = False) -> MentionView:
        """The lines of other notes that name a note's subject, the newest first.
        NoteNotFoundError, AmbiguousNameError, UsageError for a note about no one thing."""
        from aurelius.answers.note_view import mention_view, open_graph
        from aurelius.answers.references import resolve_note_lines

        graph = open_graph(self.db, self.root, self.config.daily)
        path, _ = resolve_note_lines(self, name, private=private)
        return mention_view(path, graph, private=private)

    @healed
    def status(self) -> Status:
        """The state of vault and index."""
        from aurelius.answers.note_view import vault_status

        return vault_status(self.config, self.index(), self.report or RefreshReport(fresh=True))

    @healed
    def check(self, *, private: bool = False) -> tuple[Finding, ...]:
        """Everything that is wrong in the vault; what is wrong in private notes only where they may
        be seen."""
        from aurelius.answers.doctor import find_faults

        today = self.today(self.clock.today.isoformat())
        return find_faults(self.index(), self.settings, self.clock, today, private=private)

    @looks
    def forget(self, path: str) -> ForgetReport:
        """Take a note out of the index and keep it out. NoteNotFoundError, AmbiguousNameError,
        ConflictError."""
        from aurelius.answers.doctor_links import forget_renames
        from aurelius.writing.forget import forget_note, known

        path = known(self.settings, path, self.who) or self.resolve(path, whole=True)
        self.close()
        forget_renames(self.config.state, path)
        return forget_note(self.settings, path, self.config.state)
