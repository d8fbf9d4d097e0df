"""What a person decides about proposals: which of them are meant, and each carried out as it stands
then.

A proposal is named by its key, or by the number that it had in the list that was shown last.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from aurelius.plans.plan import carry_out
from aurelius.settings.places import LAST_REVIEW
from aurelius.writing.own_files import keep_in_state
from indexer.errors import AureliusError, UsageError

from . import review

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.plans.plan import Desk, Written
    from aurelius.vault import Vault

    from .review import Matter


def choose_matters(
    desk: Desk,
    keys: Sequence[str],
    *,
    of: str = "",
    every: bool = False,
    since: str = "",
    dismissed: bool = False,
) -> list[Matter]:
    """The proposals of these keys or numbers, those of a note, or `every` one; of what lines of the
    day `since` or later ones say, and of the dismissed ones with `dismissed`. UsageError where a
    key means none of those that are there now, or several."""
    found = review.open_matters(desk, since=since, dismissed=dismissed)
    if of:
        return review.all_of(desk, found, of)
    if every:
        return found
    if not keys:
        raise UsageError("missing argument: the key of a proposal", review.LISTED)
    shown = _last_shown(desk.vault)
    chosen = [_one(found, each.strip().lower(), shown) for each in keys]
    return list({each.name: each for each in chosen}.values())


def decide(
    desk: Desk, chosen: Sequence[Matter], action: str, *, dry_run: bool = False
) -> Iterator[tuple[Matter, Written | None]]:
    """Carry out an `action` for each of these, "accept", "dismiss" or "restore": what was written,
    None for one that is no longer proposed after what was written for those before it."""
    for number, each in enumerate(chosen):
        if action == "accept":
            if number and not dry_run:
                desk.vault.refresh()
            now = review.still(desk, each)
            if now is None:
                yield each, None
                continue
            plan = review.accept(desk, _worded(now, each))
        elif action == "dismiss":
            plan = review.dismiss(desk, each)
        else:
            plan = review.restore(each)
        yield each, carry_out(desk, plan, dry_run=dry_run)


def accept_plain(
    desk: Desk, chosen: Sequence[Matter], *, of_note: bool, dry_run: bool = False
) -> tuple[Written, Sequence[Matter]]:
    """Carry out those of the proposals that a yes to all of them is a yes to, as one change; and
    the others."""
    taken, left = review.plain_proposals(chosen, of_note=of_note)
    done = carry_out(desk, review.accept_all(desk, taken), dry_run=dry_run)
    about = {**done.about, "left": done.about["left"] + len(left)}
    return done._replace(about=about), left


def meant_for(matter: Matter, page: str) -> Matter:
    """A proposal that asks which page a line is about, about the one that a person chose of those.
    UsageError for another."""
    if matter.carried is None or page not in matter.carried.ask:
        raise UsageError(f"nobody asked whether this is about {page}", review.LISTED)
    return matter._replace(why=page, carried=matter.carried._replace(page=page, ask=()))


def _one(found: Sequence[Matter], given: str, shown: Sequence[str]) -> Matter:
    if given.isdecimal():
        return _numbered(found, int(given), shown)
    fitting = [each for each in found if each.key.lower() == given][
        :1
    ]  # a copy of a note has the same ones
    fitting = fitting or [
        each
        for each in found
        if len(given) >= review.LEAST_NAME_LETTERS and each.name.startswith(given)
    ]
    if len(fitting) > 1:
        raise UsageError(
            f"several proposals have keys that begin with {given}:"
            f" {', '.join(each.short for each in fitting)}",
            review.LISTED,
        )
    if not fitting:
        raise UsageError(f"there is no proposal {given}", review.LISTED)
    return fitting[0]


def _numbered(found: Sequence[Matter], number: int, shown: Sequence[str]) -> Matter:
    """The proposal that has a number in the list as it was shown last.  UsageError."""
    if not shown:
        what = f"no list was shown yet in which a proposal could have the number {number}"
        raise UsageError(
            what,
            f"{review.LISTED}; --json does not number them for you, but its keys (`short`) work as"
            " well",
        )
    if not 1 <= number <= len(shown):
        raise UsageError(f"the list as it was last shown has no proposal {number}", review.LISTED)
    for each in found:
        if each.name == shown[number - 1]:
            return each
    raise UsageError(
        f"proposal {number} of the list as it was last shown is no longer there",
        "run `aurelius review` again",
    )


def _worded(now: Matter, before: Matter) -> Matter:
    """A proposal as it stands now, with the words that it had and the page that was chosen, where
    it still says the same."""
    if now.fact.text != before.fact.text:
        return now
    if now.is_open and not before.is_open:
        now = meant_for(now, before.why)
    line = None
    if now.carried:
        line = now.carried._replace(worded=before.worded)
    return now._replace(carried=line, worded=before.worded)


def keep_shown(vault: Vault, found: Sequence[Matter]) -> None:
    """Keep which proposal has which number, from an empty list none; where that cannot be kept,
    numbers are refused and keys still work."""
    if not found:
        return
    with suppress(OSError, AureliusError):
        keep_in_state(
            vault.config.state, LAST_REVIEW, "".join(f"{each.name}\n" for each in found).encode()
        )


def _last_shown(vault: Vault) -> list[str]:
    """The names of the proposals in the list as it was last shown, in its order."""
    try:
        with open(
            os.path.join(vault.config.state, LAST_REVIEW), encoding="ascii", errors="replace"
        ) as file:
            return file.read().split()
    except OSError:
        return []
