"""Where links of notes lead on the pages: to notes that may be seen, and to files of the vault."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurelius.answers.note_view import list_files
from aurelius.writing.safe_folder import read_inside
from indexer.catalog.leads import Leads
from indexer.catalog.link_targets import Files, possible_paths
from indexer.disk.walk import ENDINGS
from indexer.reading.parse import parse

from .markup import IMAGES, Target
from .render import embedded_lines, render_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.vault import Vault
    from indexer.note import Link

    from .markup import FollowLink

_MOST_EMBEDDED = 262_144
"""Bytes of a note that is shown inside another; of a larger one there is a link."""


class PageLinks:
    """The links of a vault, ready to be followed from any note."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.leads = Leads(vault.db, private=False)
        self._files = Files(lambda: list_files(vault.root))

    def of(self, source: str) -> FollowLink:
        """What the links of a note lead to, on its own page."""
        return lambda link: self._follow(source, link)

    def line(self, source: str, text: str) -> str:
        """A line of a note as HTML, on any page: a link to a place of the note leads to its
        page."""
        return render_line(text, lambda link: self._from_elsewhere(source, link))

    def _from_elsewhere(self, source: str, link: Link) -> Target | None:
        return self._follow(source, link) if link.target else Target(source)

    def _follow(self, source: str, link: Link) -> Target | None:
        if not link.target:
            return None
        called = self.leads.note(source, link)
        if called is None:
            path = self._file(source, link)
            return Target(path) if path else None
        place = link.heading or link.block
        if not link.embed or (called.path == source and not place):
            return Target(called.path, called.title)
        return Target(called.path, called.title, self._embedded(called.path, link))

    def _file(self, source: str, link: Link) -> str:
        """The file that a link leads to, "" for none; notes are no files here, because private ones
        are not told of."""
        ending = os.path.splitext(link.target)[1]
        if not ending or " " in ending or ending.lower() in ENDINGS:
            return ""
        for path in possible_paths(source, link.target):
            if os.path.isfile(os.path.join(self.vault.root, path)):
                return path
        if link.style == "markdown" and ending.lower() not in IMAGES:
            return ""  # to look through the whole vault takes time
        return self._files.find(source, link.target, link.style) or ""

    def _embedded(self, path: str, link: Link) -> Sequence[str]:
        """The lines of a note that an embed shows."""
        try:
            data = read_inside(self.vault.root, path).data
        except OSError:
            return ()
        if len(data) > _MOST_EMBEDDED:
            return ()
        note = parse(path, data, daily_folder=self.vault.config.daily)
        return () if note.private else embedded_lines(note, link)
