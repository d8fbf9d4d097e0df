"""Where links lead, found without the names of the whole vault: by the notes that have the names
which a link may mean."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from .around import folds_of_targets
from .graph import get_links, get_namesakes
from .link_targets import find_target, folds_of, target_of
from .lists import get_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from indexer.note import Link

    from .names import Called, NoteNames


class Leads:
    """Links, ready to be followed one after the other."""

    def __init__(self, db: apsw.Connection, *, private: bool) -> None:
        self.db = db
        self.private = private
        self._names: dict[str, NoteNames] = {}
        self._seen: dict[str, bool] = {}

    def learn(self, targets: Iterable[str]) -> None:
        """Look up at once what these targets of links may mean."""
        new = set(targets) - self._names.keys()
        if new:
            names = get_namesakes(self.db, folds_of_targets(new))
            self._names |= dict.fromkeys(new, names)

    def learn_note(self, path: str) -> None:
        """Look up what the links of a note may mean."""
        self.learn(link.target for _, link in get_links(self.db, path, private=self.private))

    def note(self, source: str, link: Link) -> Called | None:
        """The visible note that a link written in note `source` leads to, which may be that note
        itself; None for none."""
        self.learn([link.target])
        names = self._names[link.target]
        found = target_of(names, source, link)
        if found is None or not self._is_seen(found):
            return None
        return names.paths.get(found)

    def to(self, path: str) -> list[tuple[str, Link]]:
        """The links of other visible notes that lead to a note, each with its note's path, in order
        of path and line."""
        folds = folds_of(self.db, path)
        links = list(get_links(self.db, folded=folds, private=self.private))
        targets = {link.target for _, link in links}
        names = get_namesakes(self.db, {*folds, *folds_of_targets(targets)})
        end_of = cache(partial(find_target, names))
        return [
            (source, link)
            for source, link in links
            if source != path == end_of(source, link.target, link.style)
        ]

    def _is_seen(self, path: str) -> bool:
        if path not in self._seen:
            self._seen[path] = get_key(self.db, path, private=self.private) is not None
        return self._seen[path]
