"""The page of a note: its text, its facts, what others say of it, and where none is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.vault import Vault
from indexer.usage.log_reader import get_uses
from tests.aurelius.web.looking import looked_at, part_of
from tests.conftest import TODAY
from tests.pages import Pages

LONG = "# Long\n\n" + "".join(
    f"## Part {number}\n\nParagraph {number} of many words, so that it is long.\n\n"
    for number in range(1500)
)
MORE = {
    "resources/long.md": LONG,
    "resources/C# notes?.md": "# Odd\n\n- A line (2026-02-01) ^odd001\n",
    "resources/past.md": "# Past\n\n## History\n\n- ~~Was so~~ (2020-01-01)\n\n## Facts\n\n- Is so (2026-02-01)\n",
    "resources/many.md": "# Many\n\n## Facts\n\n"
    + "".join(f"- Number {number} (2026-02-01)\n" for number in range(40)),
    **{
        f"memory/2025-{month:02}-{day:02}.md": f"- Walked with [[Joe Bloggs]] on {month}/{day}\n"
        for month in (1, 2)
        for day in range(1, 15)
    },
}
JOE = "/note/people/joe-bloggs.md"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    with looked_at(tmp_path_factory.mktemp("notes"), MORE) as found:
        yield found


def test_the_text_is_an_article_and_its_properties_a_list(pages: Pages) -> None:
    text = pages.get(JOE).text
    article = text.partition("<article")[2].partition("</article>")[0]
    assert "<strong>chess</strong>" in article
    assert 'href="/note/projects/boat.md"' in article
    assert text.count("<h1>") == 1
    assert "<dt>email</dt><dd>" in text
    assert "also Joseph" in pages.get(JOE).words
    assert 'href="/memory/search?tag=friend"' in text


def test_links_in_properties_are_links(tmp_path: Path) -> None:
    note = (
        '---\ndirector: "[[people/joe-bloggs|Joe]]"\nboats:\n  - "[[Boat]]"\n  - [[Techcorp]]\n'
        "cover: https://example.org/a_b_c.jpg\nseen: [[nobody]]\nrating: 7\nisbn13: 9780201483406\nphone: 4915112345678\nunixday: 1700000000000\n---\nA film.\n"
    )
    with looked_at(tmp_path, {"films/one.md": note}) as pages:
        text = pages.get("/note/films/one.md").text
    told = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", text))
    assert told["director"] == '<a href="/note/people/joe-bloggs.md">Joe</a>'
    assert 'href="/note/projects/boat.md"' in told["boats"]
    assert 'href="/note/companies/techcorp.md"' in told["boats"]
    assert 'href="https://example.org/a_b_c.jpg"' in told["cover"]
    assert 'class="missing"' in told["seen"]
    assert told["rating"] == "7"
    numbers = ("9780201483406", "4915112345678", "1700000000000")
    assert tuple(told[key] for key in ("isbn13", "phone", "unixday")) == numbers


def test_a_fact_is_shown_with_all_that_is_known_of_it(pages: Pages) -> None:
    part = part_of(pages.get(JOE).text, "facts")
    words = " ".join(re.sub(r"<[^>]*>", " ", part).split())
    assert "Lives in Lisbon status · 2026-01-05" in words
    assert "from 2026-02-09" in words
    assert "because ^joe003" in words
    assert "pinned · importance 0.9" in words
    assert "superseded by ^joe001" in words
    assert "Has &lt;b&gt;two&lt;/b&gt; cats" in words
    assert part.count('action="/do/supersede"') == 4, "only what holds is replaced"


def test_the_facts_of_a_day_are_folded_because_its_text_is_the_same(pages: Pages) -> None:
    assert '<details class="folded" open>' in pages.get(JOE).text
    assert '<details class="folded">' in pages.get("/note/memory/2026-02-09.md").text


def test_what_holds_stands_before_what_is_past(pages: Pages) -> None:
    part = part_of(pages.get("/note/resources/past.md").text, "facts")
    assert part.index("Is so") < part.index("Was so")


def test_lines_that_link_here_are_told_from_those_that_name_it(pages: Pages) -> None:
    text = pages.get(JOE).text
    links = part_of(text, "links")
    assert "Met" in links
    assert "<em>harbour</em>" in links
    assert 'href="/note/memory/2026-02-09.md#line-1"' in links
    assert "laughed" not in links
    mentions = part_of(text, "mentions")
    assert "laughed about it" in mentions
    assert "Met" not in mentions


LINKING = {
    "a.md": '---\nwith:\n  - "[[Other]]"\n  - "[[Joe Bloggs]]"\n---\n[[Joe Bloggs]]\n',
    "b.md": '---\nfriend: "[[Joe Bloggs]]"\n---\n# B\n\n## With [[Joe Bloggs]]\n\nMet **him**, [[Joe Bloggs]].\n',
    "c.md": "X\n\n| Who | Where |\n|---|---|\n| [[joe-bloggs\\|Joe]] | Bonn |\n",
    "d.md": "---\nall: ['[[Joe Bloggs]]', \"[[Boat]]\"]\n---\nText.\n",
    "e.md": "- [[Joe Bloggs]]\n",
}


def test_a_note_that_links_here_comes_once_with_its_best_line(tmp_path: Path) -> None:
    with looked_at(tmp_path, LINKING) as pages:
        part = part_of(pages.get(JOE).text, "links")
    rows = {
        row[1]: " ".join(re.sub(r"<[^>]*>", "", row[2].replace("<p", " <p")).split())
        for row in re.finditer(
            r'<li><a href="/note/(\w\.md)[^"]*">\w+<span[^>]*> line \d+</span></a>(.*?)</li>',
            part,
            re.DOTALL,
        )
    }
    assert rows["a.md"] == "with: Joe Bloggs also on line 6 of A"
    assert rows["b.md"] == "Met him, Joe Bloggs. also on lines 2 of B, 6 of B"
    assert rows["c.md"] == "Joe · Bonn"
    assert rows["d.md"] == "all: Joe Bloggs, Boat"
    assert rows["e.md"] == ""
    assert part.count('<li><a href="/note/b.md') == 1
    assert 'also on lines <a href="/note/b.md#line-2">' in part


def test_many_links_come_in_parts(pages: Pages) -> None:
    first = part_of(pages.get(JOE).text, "links")
    second = part_of(pages.get(f"{JOE}?links=2").text, "links")
    assert "1 to 20 of 30 links" in first
    assert "21 to 30 of 30 links" in second
    assert '<span class="quiet">30 notes</span></h2>' in first
    lines = [re.findall(r'href="(/note/[^"]+#[^"]+)"', each) for each in (first, second)]
    assert len({*lines[0], *lines[1]}) == 30


def test_the_notes_around_it_are_drawn_and_listed(pages: Pages) -> None:
    part = part_of(pages.get(JOE).text, "around")
    assert re.search(r'<svg class="drawing map"[^>]* aria-hidden="true"', part)
    assert '<ul class="neighbours aside" aria-labelledby="around">' in part
    assert re.search(r'<li><a href="/note/projects/boat.md">Boat</a>', part)


def test_a_long_note_comes_in_parts_and_opens_at_a_line(pages: Pages) -> None:
    first = pages.get("/note/resources/long.md")
    assert len(first.text) < 100_000
    assert "Paragraph 1 of" in first.words
    assert "Paragraph 1400 of" not in first.words
    assert 'href="?part=2"' in first.text
    assert "Contents" in first.words
    line = LONG[: LONG.index("Paragraph 1400")].count("\n") + 1
    at = pages.get(f"/note/resources/long.md?line={line}")
    assert f'id="line-{line}"' in at.text


def test_many_facts_come_in_parts(pages: Pages) -> None:
    answer = pages.get("/note/resources/many.md?facts=2")
    assert "13 to 24 of 40" in answer.words
    assert len(answer.text) < 100_000


def test_an_odd_name_is_a_note_like_any_other(pages: Pages) -> None:
    answer = pages.get("/note/resources/C%23 notes%3F.md")
    assert answer.status == 200
    back = answer.form("rename")["back"]
    assert back == "/note/resources/C%23%20notes%3F.md"
    assert pages.get("/fact/resources/C%23 notes%3F.md%23^odd001").status == 200


def test_a_name_that_is_no_note_leads_to_those_like_it(pages: Pages) -> None:
    for path in ("/note/people/joe-blogs.md", "/note/friends/joe-bloggs.md"):
        answer = pages.get(path)
        assert answer.status in {200, 404}
        assert "/note/people/joe-bloggs.md" in answer.text
    answer = pages.get("/note/nothing like it at all.md")
    assert answer.status == 404
    assert "Search for it" in answer.words


def test_a_private_note_is_not_told_from_one_that_is_not_there(pages: Pages) -> None:
    there = pages.get("/note/people/secret.md")
    gone = pages.get("/note/people/zecrez.md")
    assert there.status == gone.status == 404
    assert there.text.replace("secret", "zecrez") == gone.text
    assert "Hidden" not in pages.get(JOE).text


def test_a_day_leads_to_the_days_beside_it_and_to_the_timeline(pages: Pages) -> None:
    def steps(day: str) -> list[tuple[str, str]]:
        text = pages.get(f"/note/memory/{day}.md").text
        part = text.partition('aria-label="Days"')[2].partition("</nav>")[0]
        return re.findall(r'href="([^"]*)">([^<]*)</a>', part)

    timeline = "/memory/timeline?day="
    assert steps("2026-02-07") == [
        ("/note/memory/2025-02-14.md", "Earlier: 2025-02-14"),
        ("/note/memory/2026-02-09.md", "Later: 2026-02-09"),
        (f"{timeline}2026-02-07", "2026-02-07 on the timeline"),
    ]
    assert steps("2026-02-09")[1:] == [(f"{timeline}2026-02-09", "2026-02-09 on the timeline")]
    assert 'aria-label="Days"' not in pages.get(JOE).text


def test_looking_at_a_note_is_a_use_of_it(pages: Pages) -> None:
    pages.get("/note/companies/techcorp.md", x_aurelius_again="1")
    assert count(pages, "companies/techcorp.md") == 0
    pages.get("/note/companies/techcorp.md")
    assert count(pages, "companies/techcorp.md") == 1


def test_what_a_person_says_of_kinds_holds_on_pages_too(tmp_path: Path) -> None:
    """The setting counts on a note's own page, and in the list of people."""
    more = {
        ".aurelius/config.toml": "[kinds]\nperson = ['role: npc', '!folder: people']\n",
        "Notes/bran.md": "---\nrole: npc\n---\n# Bran\n",
        "people/lin.md": "# Lin\n",
    }
    with looked_at(tmp_path, more) as pages:
        assert 'href="/memory/people">person</a>' in pages.get("/note/Notes/bran.md").text
        assert 'href="/memory/people">person</a>' not in pages.get("/note/people/lin.md").text
        people = pages.get("/memory/people").text
        assert "/note/Notes/bran.md" in people
        assert "/note/people/lin.md" not in people


def count(pages: Pages, ref: str) -> int:
    host = pages.host
    with Vault.find(host.root, host.env, host.root, now=TODAY) as vault:
        found = get_uses(vault.db, [ref])
    return found[ref].count if ref in found else 0


def test_the_path_that_a_note_had_before_leads_to_it(tmp_path: Path) -> None:
    with looked_at(
        tmp_path, {"resources/kite.md": f"It flies {' '.join(map(str, range(60)))}.\n"}
    ) as pages:
        assert pages.get("/note/resources/kite.md").status == 200
        vault = tmp_path / "vault"
        (vault / "resources/kite.md").rename(vault / "resources/quite-another.md")
        answer = pages.get("/note/resources/kite.md")
    assert answer.status == 404
    assert 'href="/note/resources/quite-another.md"' in answer.text
