"""The notes of the template: which lines of a vault are still the examples that `init` put there.

An example shows what a note may look like. It is nothing that the person said, so it is no memory
and leads no answer. A line that the person changed or added is theirs, wherever it stands.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from indexer.spelling import ISO_DAY

if TYPE_CHECKING:
    from collections.abc import Mapping

_SENTENCE_END = r"\s/\s|(?<=[.!?])\s+"
"""Between two sentences, or two lines that a context shows as one."""


def template_folder() -> str:
    """The template's folder: inside the package when installed from a wheel, beside it in a
    checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "vault_template")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(package), "vault_template")


def is_example(path: str, text: str) -> bool:
    """Whether every sentence of a text stands in the template's note of that path, whatever the
    day.

    `init` writes its own day in the place of each date, and a summary repeats sentences of the
    facts.
    """
    known = _starting_notes().get(_without_days(path))
    if known is None:
        return False
    for line in text.split("\n"):
        for sentence in re.split(_SENTENCE_END, _without_days(line).strip()):
            if sentence.rstrip(".") not in known:
                return False
    return True


@cache
def _starting_notes() -> Mapping[str, str]:
    """The text of each note of the template by its path, both without days."""
    found = {}
    root = template_folder()
    for place, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md"):
                file = os.path.join(place, name)
                path = os.path.relpath(file, root).replace(os.sep, "/")
                with open(file, encoding="utf-8") as stream:
                    found[_without_days(path)] = _without_days(stream.read())
    return found


def _without_days(text: str) -> str:
    return re.sub(ISO_DAY, "", text)
