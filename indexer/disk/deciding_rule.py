"""Which ignore rule leaves a path out: asked about one path that a person names, with no walk and no index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .gitignore import opinion, pattern
from .walk import RULE_FILES, IgnoreRules, text_of_rules

if TYPE_CHECKING:
    from collections.abc import Sequence


EXCLUDE = "[index] exclude"
"""What stands for a pattern of the settings, whose file and line only they know."""


def deciding_rule(root: str, exclude: Sequence[str], path: str) -> str:
    """Where the rule stands that leaves out what is on disk at a path, or a folder above it: `.gitignore:3`.

    "" where nothing is there, or no rule leaves it out.  In a folder that is left out every path is, there or
    not, so that nobody learns which; and a rule's own words, which may be names, are not given.
    """
    steps = path.split("/")
    rules = IgnoreRules(root, exclude, {})
    for depth in range(1, len(steps) + 1):
        above = "/".join(steps[: depth - 1])
        found = ("/".join(filter(None, (above, name))) for name in RULE_FILES)
        rules.files.update(each for each in found if os.path.lexists(os.path.join(root, each)))
        here = steps[:depth]
        folder = os.path.isdir(os.path.join(root, *here))
        if not os.path.lexists(os.path.join(root, *here)):
            return ""
        try:
            if rules.is_ignored("/".join(here), folder=folder):
                return _decided(root, exclude, rules, here, folder=folder)
        except OSError as error:
            return error.strerror or str(error)
    return ""


def _decided(root: str, exclude: Sequence[str], rules: IgnoreRules, steps: Sequence[str], *, folder: bool) -> str:
    """The last line that speaks of a path, of the configuration or of the deepest file that has one: it decides."""
    kinds = [([("", 0)], list(exclude))] if exclude else []
    for family in RULE_FILES:
        places = [("/".join((*steps[:depth], family)), depth) for depth in reversed(range(len(steps)))]
        kinds.append(([each for each in places if each[0] in rules.files], []))
    for places, patterns in kinds:
        for file, depth in places:
            lines = text_of_rules(root, file).split("\n") if file else patterns
            number = _speaks(lines, steps[depth:], folder=folder)
            if number and not lines[number - 1].startswith("!"):
                return f"{file}:{number}" if file else EXCLUDE
            if number:
                break  # the rules of this family let it in; another one leaves it out
    return "a rule"


def _speaks(lines: Sequence[str], steps: Sequence[str], *, folder: bool) -> int:
    """The number of the last line that has an opinion of a path, 0 where none has."""
    for number in range(len(lines), 0, -1):
        one = pattern(lines[number - 1].removesuffix("\r"))
        if one is not None and opinion([one], steps, folder=folder) is not None:
            return number
    return 0
