"""Read your writes: a search right after a save, through the daemon, is never stale."""

from __future__ import annotations

from tests.storms.conftest import Storm
from tests.storms.harness import Case
from tests.storms.place import Place
from tests.storms.savers import agent, appended, truncated


def read_your_writes(place: Place) -> None:
    """Saved in place, by renaming and by appending, and searched for at once."""
    for number in range(place.size(50, 1000)):
        place.write(
            f"shelf/{number % 10}/{number}.md", f"# Book {number}\n\nIt is about {number} things.\n"
        )
    place.start()
    place.settle(60.0)
    served, asked = place.served(), 0
    stale = []
    diary = "# Diary\n"
    before = ""
    for turn in range(place.size(18, 1000)):
        word = f"marmalade{turn}x"
        path = ("desk/in-place.md", "desk/renamed.md", "desk/diary.md")[turn % 3]
        diary += f"- {word}\n" if turn % 3 == 2 else ""
        place.write(
            path,
            diary if turn % 3 == 2 else f"# Desk\n\n- {word}\n",
            (truncated, agent, appended)[turn % 3],
        )
        asked += 1
        if place.finds(word) != [path]:
            stale.append(f"turn {turn}: {word} is not found")
        if turn % 9 == 3 and place.finds(before):
            stale.append(f"turn {turn}: {before} is still found")
        if turn % 3 == 0:
            before = word
    by_daemon = place.served() - served
    place.said.append(f"{by_daemon} answers by the daemon")
    if by_daemon < asked:
        stale.append(f"the daemon gave {by_daemon} answers of {asked}")
    place.wrong += stale


CASES = {"read your writes": Case(read_your_writes)}


def test_read_your_writes(storm: Storm) -> None:
    storm("read your writes", CASES["read your writes"])
