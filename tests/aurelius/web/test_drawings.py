"""Pictures: exact small ones, the same each time, well formed whatever a title says, and a twin in words of each."""

from __future__ import annotations

import datetime
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import quote

import pytest

from aurelius.web import drawings
from aurelius.web.drawings import MonthRow, Neighbour
from indexer.catalog.around import MapNode, NoteMap

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; style='x",
    "]]>&amp;&#0;</title></svg>",
    "javascript:alert(1)",
    "\u202egnp.exe \x07",
    "x" * 5000,
    "",
]
FEBRUARY = (datetime.date(2026, 2, 2), datetime.date(2026, 2, 22))
CSS = (Path(drawings.__file__).parent / "static/drawings.css").read_text("utf-8")


def day_address(day: str) -> str:
    return f"/memory/timeline?day={day}"


def note_address(path: str) -> str:
    return f"/note/{quote(path)}"


def small_map() -> NoteMap:
    nodes = (
        MapNode("people/joe.md", "Joe", "person", 0),
        MapNode("people/ann.md", "Ann", "person", 1),
        MapNode("tech.md", "Tech", "company", 1),
        MapNode("boat.md", "Boat", "project", 2),
    )
    return NoteMap(nodes, ((0, 1), (1, 0), (2, 0), (3, 1), (2, 3)), 0)


def hostile_map() -> NoteMap:
    nodes = [MapNode("a.md", HOSTILE[0], "x' onload='1", 0)]
    nodes += [MapNode(f"{text}.md", text, text[:9], 1) for text in HOSTILE]
    edges = tuple((0, at) for at in range(1, len(nodes)))
    return NoteMap(tuple(nodes), edges, 0)


def every_picture() -> list[str]:
    counts = {"2026-02-02": 1, "2026-02-09": 4, "2026-02-20": 4}
    return [
        drawings.draw_tiers({"hot": 3, "warm": 1, "cold": 6}, "Facts <by> tier"),
        drawings.draw_uses([0, 1, 4], 'Uses "of" Joe'),
        drawings.draw_days(counts, FEBRUARY, "Days & nights", day_address),
        drawings.draw_map(small_map(), "Around Joe", note_address),
        drawings.draw_map(hostile_map(), HOSTILE[3], note_address),
    ]


def test_a_bar_shows_each_tier_in_its_share() -> None:
    assert drawings.draw_tiers({"hot": 3, "cold": 1}, "Facts") == (
        '<svg class="drawing tiers" viewBox="0 0 320 14" role="img" preserveAspectRatio="none"'
        ' aria-labelledby="tiers-title"><title id="tiers-title">Facts</title><g aria-hidden="true">'
        '<rect class="tier-hot" x="0.0" width="237.5" height="14"><title>hot: 3</title></rect>'
        '<rect class="tier-cold" x="238.5" width="80.5" height="14"><title>cold: 1</title></rect></g></svg>'
    )
    assert drawings.draw_tiers({"hot": 0}, "Facts") == ""
    tiny = drawings.draw_tiers({"hot": 1, "cold": 99_999}, "Facts")
    assert 'width="2.0"' in tiny, "what is there can be seen"


def test_bars_are_as_high_as_the_uses_of_their_week() -> None:
    today = datetime.date(2026, 2, 10)
    days = [today - datetime.timedelta(ago) for ago in (0, 1, 6, 7, 40)]
    assert drawings.uses_by_week(days, today, 3) == [0, 1, 3]
    drawn = drawings.draw_uses([0, 1, 3], "Uses")
    assert 'd="M0,24v-1h4v1zM6,24v-8h4v8zM12,24v-24h4v24z"' in drawn
    assert (drawings.draw_uses([0, 0], "Uses"), drawings.draw_uses([], "Uses")) == ("", "")


def test_a_day_that_has_something_leads_to_its_page_and_is_larger_the_more_it_has() -> None:
    counts = {"2026-02-02": 1, "2026-02-09": 4, "2026-02-20": 4, "2026-02-03": 0}
    drawn = ET.fromstring(drawings.draw_days(counts, FEBRUARY, "Days", day_address))
    links = drawn.findall(".//a")
    assert [(each.get("href"), each.findtext("title")) for each in links] == [
        ("/memory/timeline?day=2026-02-02", "2026-02-02: 1"),
        ("/memory/timeline?day=2026-02-09", "2026-02-09: 4"),
        ("/memory/timeline?day=2026-02-20", "2026-02-20: 4"),
    ]
    sides = [re.findall(r"h(\d+)v", path.get("d", "")) for path in drawn.findall(".//a/path")]
    assert sides == [["5"], ["7"], ["7"]]
    (empty,) = drawn.findall(".//g[@class='level-0']/path")
    assert (empty.get("d") or "").count("M") == 21 - 3
    assert {each.get("class") for each in drawn.findall("./g/g")} == {
        f"level-{level}" for level in range(5)
    }


def test_weeks_stand_side_by_side_in_two_halves_and_months_are_named() -> None:
    year = (datetime.date(2025, 2, 11), datetime.date(2026, 2, 10))
    drawn = ET.fromstring(drawings.draw_days({}, year, "Days", day_address))
    assert drawn.get("viewBox") == "0 0 379 224"
    names = [each.text for each in drawn.findall(".//text")]
    months = [name for name in names if name not in {"Mon", "Wed", "Fri"}]
    assert months == "Mar Apr May Jun Jul Aug Sep Oct Nov Dec 2026 Feb".split()
    assert names.count("Wed") == 2
    assert drawn.findall(".//a") == []


def test_levels_go_by_how_many_days_have_less() -> None:
    counts = {f"2026-01-{at:02}": at for at in range(1, 9)} | {"2026-02-01": 0}
    levels = drawings.day_levels(counts)
    assert [*levels.values()] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert drawings.day_levels({"2026-01-01": 7, "2026-01-02": 7}) == dict.fromkeys(
        ["2026-01-01", "2026-01-02"], 1
    )
    assert drawings.day_levels({}) == {}


def test_the_twin_of_a_year_is_its_months_with_their_days() -> None:
    counts = {"2026-02-01": 2, "2025-12-31": 1, "2026-02-09": 5}
    assert drawings.month_rows(counts) == [
        MonthRow("2026-02", [("1 February", 2), ("9 February", 5)], 7),
        MonthRow("2025-12", [("31 December", 1)], 1),
    ]


def test_a_map_has_each_note_as_a_link_the_middle_one_above_all() -> None:
    drawn = ET.fromstring(drawings.draw_map(small_map(), "Around Joe", note_address))
    links = drawn.findall(".//a")
    assert [(each.get("href"), each.get("class")) for each in links] == [
        ("/note/boat.md", "node step-2 kind-project"),
        ("/note/tech.md", "node step-1 kind-company"),
        ("/note/people/ann.md", "node step-1 kind-person"),
        ("/note/people/joe.md", "node step-0 kind-person"),
    ]
    assert [each.findtext("text") for each in links] == ["Boat", "Tech", "Ann", "Joe"]
    far, near = drawn.findall(".//path")[:2]
    assert ((far.get("d") or "").count("M"), (near.get("d") or "").count("M")) == (2, 3)
    outlines = [path.get("d") or "" for path in drawn.findall(".//a/path")]
    shapes = [each.partition("m")[2] for each in outlines]
    assert (len(set(shapes)), shapes[2]) == (3, shapes[3])


def test_the_twin_of_a_map_says_how_each_note_is_linked() -> None:
    assert drawings.neighbour_rows(small_map()) == [
        Neighbour("people/ann.md", "Ann", "person", "linked from here and links here"),
        Neighbour("tech.md", "Tech", "company", "links here"),
        Neighbour("boat.md", "Boat", "project", "by way of Ann, Tech"),
    ]


def test_a_note_without_links_has_no_map() -> None:
    alone = NoteMap((MapNode("a.md", "A", "note", 0),), (), 0)
    assert drawings.draw_map(alone, "x", note_address) == ""
    assert drawings.draw_map(NoteMap((), (), 0), "x", note_address) == ""
    assert drawings.neighbour_rows(alone) == []


def test_notes_stand_in_the_same_places_each_time_and_within_the_picture() -> None:
    edges = [(0, at) for at in range(1, 60)] + [(at, at // 2) for at in range(2, 60)]
    places = drawings.place_nodes(60, edges)
    assert places == drawings.place_nodes(60, edges)
    assert places[0] == (200, 165)
    assert all(24 <= x <= 376 and 24 <= y <= 306 for x, y in places)
    assert len({*places}) == 60


def test_labels_lie_on_no_other_label() -> None:
    nodes = tuple(MapNode(f"{at}.md", f"A note called {at}", "note", at > 0) for at in range(60))
    found = NoteMap(nodes, tuple((0, at) for at in range(1, 60)), 0)
    drawn = ET.fromstring(drawings.draw_map(found, "x", note_address))
    boxes = []
    for text in drawn.findall(".//a/text"):
        wide = len(text.text or "") * 6
        shift = {"start": 0.0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "")]
        left = float(text.get("x", "")) - shift
        boxes.append((left, float(text.get("y", "")), left + wide))
    assert 10 < len(boxes) <= 60
    assert len(drawn.findall(".//a")) == len(boxes), "no note is drawn without its name"
    for at, (left, base, right) in enumerate(boxes):
        for other in boxes[:at]:
            assert abs(base - other[1]) >= 11 or right <= other[0] or other[2] <= left


@pytest.mark.parametrize("picture", every_picture())
def test_a_picture_is_well_formed_and_runs_and_styles_nothing(picture: str) -> None:
    drawn = ET.fromstring(picture)
    for each in drawn.iter():
        assert each.tag in {"svg", "title", "g", "a", "path", "rect", "text"}
        names = [name.lower() for name in each.attrib]
        assert not [name for name in names if name.startswith("on") or name == "style"]
        assert (each.get("href") or "/note/").startswith(("/note/", "/memory/timeline?day="))
        for word in (each.get("class") or "").split():
            assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)?", word)


@pytest.mark.parametrize("picture", every_picture())
def test_a_picture_scales_has_a_name_and_keeps_the_keyboard_out(picture: str) -> None:
    drawn = ET.fromstring(picture)
    assert re.fullmatch(r"0 0 \d+ \d+", drawn.get("viewBox") or "")
    assert {"width", "height"} & set(drawn.keys()) == set()
    links = drawn.findall(".//a")
    assert drawn.get("role") == (None if links else "img")
    assert drawn.get("aria-hidden") == ("true" if links else None), "its twin is heard"
    title, parts = drawn
    assert (title.tag, title.get("id")) == ("title", drawn.get("aria-labelledby"))
    assert (title.text or "").strip()
    assert parts.get("aria-hidden") == "true"
    assert {each.get("tabindex") for each in links} <= {"-1"}


def test_every_class_has_a_rule_and_a_word_of_every_title_is_kept() -> None:
    found = set(re.findall(r'class="([^"]*)"', "".join(every_picture())))
    words = {word for each in found for word in each.split()}
    bare = {word for word in words if not word.startswith(("kind-", "step-1"))}
    assert {word for word in bare if f".{word}" not in CSS} == set()
    drawn = ET.fromstring(drawings.draw_map(hostile_map(), "x", note_address))
    titles = {each.text or "" for each in drawn.findall(".//a/title")}
    assert any(text.startswith(HOSTILE[1]) for text in titles)
