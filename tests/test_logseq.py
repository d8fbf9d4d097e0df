"""Moving a page of a Logseq graph: its title follows, `#Name` leads to it as `[[Name]]` does, undo restores all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]


def graph(
    tmp_path: Path, notes: dict[str, str], config: str = "{:file/name-format :triple-lowbar}"
) -> Path:
    root = tmp_path / "graph"
    files = {"logseq/config.edn": config, **notes} if config else notes
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / ".aurelius").mkdir()
    return root


def texts(root: Path) -> dict[str, bytes]:
    return {
        each.relative_to(root).as_posix(): each.read_bytes() for each in root.glob("[pj]*/*.md")
    }


NOTES = {
    "pages/NetVLAD.md": "---\ntitle: NetVLAD\n---\n- see #NetVLAD\n",
    "pages/a.md": "---\ntags: [[NetVLAD]], #netvlad, #NetVLAD2\n---\n- [[NetVLAD]] #NetVLAD, #[[NetVLAD]] `#NetVLAD`\n",
    "pages/b.md": "---\ntags: #NetVLAD, [[NetVLAD]]\n---\n- none\n",
    "journals/2026_02_01.md": "- #other",
}


def test_a_page_that_is_renamed_is_reached_by_every_link_and_tag_and_has_the_new_title(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(tmp_path, NOTES)
    before = texts(root)
    done = aurelius("move", "NetVLAD", "pages/Net VLAD.md", cwd=root)
    assert done.code == 0, done.err
    assert "title: NetVLAD → Net VLAD\n" in done.out
    new = "[[Net VLAD]]"
    assert texts(root) == {
        "pages/Net VLAD.md": f"---\ntitle: Net VLAD\n---\n- see #{new}\n".encode(),
        "pages/a.md": f"---\ntags: {new}, #{new}, #NetVLAD2\n---\n- {new} #{new}, #{new} `#NetVLAD`\n".encode(),
        "pages/b.md": f"---\ntags: #{new}, {new}\n---\n- none\n".encode(),
        "journals/2026_02_01.md": b"- #other",
    }
    assert aurelius("undo", cwd=root).code == 0
    assert texts(root) == before


def test_a_tag_stays_a_tag_and_a_title_a_title_where_there_is_no_graph(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(tmp_path, NOTES, "")
    assert aurelius("move", "NetVLAD", "pages/Net VLAD.md", cwd=root).code == 0
    assert (root / "pages" / "Net VLAD.md").read_text() == NOTES["pages/NetVLAD.md"]
    assert "#NetVLAD, #[[Net VLAD]]" in (root / "pages" / "a.md").read_text()


@pytest.mark.parametrize(
    ("title", "new", "written"),
    [
        ("title: old", "Fine", "title: Fine"),
        ('title: "Old"  ', "Fine", 'title: "Fine"  '),
        ("title: old", "a: b", 'title: "a: b"'),
        ("title: Another", "Fine", "title: Another"),
    ],
)
def test_only_a_title_that_is_the_old_name_follows(
    aurelius: Aurelius, tmp_path: Path, title: str, new: str, written: str
) -> None:
    root = graph(
        tmp_path,
        {"pages/old.md": f"---\r\n{title}\r\n---\r\n- x\r\n", "pages/a.md": "- #old [[Another]]\n"},
    )
    stem = new.replace(":", "%3A")
    done = aurelius("move", "pages/old.md", f"pages/{stem}.md", cwd=root)
    assert done.code == 0, done.err
    assert (
        root / "pages" / f"{stem}.md"
    ).read_bytes() == f"---\r\n{written}\r\n---\r\n- x\r\n".encode()
    tag = "old" if title == written else new if new == "Fine" else f"[[{new}]]"
    assert (root / "pages" / "a.md").read_text() == f"- #{tag} [[Another]]\n"


def test_a_page_property_follows_and_a_page_in_a_namespace_is_linked_by_its_name(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(
        tmp_path,
        {
            "pages/old.md": "title:: Old\ntags:: x\n\n- y\n",
            "pages/a.md": "tags:: old, b\n\n- [[old]]\n",
        },
    )
    done = aurelius("move", "pages/old.md", "pages/Thesis___Chapter 1.md", cwd=root)
    assert "title: Old → Thesis/Chapter 1\n" in done.out
    assert (
        root / "pages" / "Thesis___Chapter 1.md"
    ).read_text() == "title:: Thesis/Chapter 1\ntags:: x\n\n- y\n"
    assert (root / "pages" / "a.md").read_text() == "tags:: old, b\n\n- [[Thesis/Chapter 1]]\n"
    assert "not repaired in pages/a.md: 1 in its properties (old)" in done.err


LOGSEQ_FACTS = (
    "title:: Grill\n\n- Text\n- ## Facts\n\t- Burns gas (2026-01-01) ^grill1\n\t- Is green\n"
    "\t\t- dark (2026-01-02)\n- After (2026-01-03)\n"
)


def shown(aurelius: Aurelius, root: Path) -> list[tuple[str, str]]:
    return [
        (each["text"], each["status"])
        for each in json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
        if each["path"] == "pages/grill.md"
    ]


def test_facts_under_a_heading_that_is_a_bullet_are_read_superseded_and_added_to(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(tmp_path, {"pages/grill.md": LOGSEQ_FACTS})
    active = [("Burns gas", "active"), ("Is green", "active"), ("dark", "active")]
    assert shown(aurelius, root) == active
    assert aurelius("add", "grill", "Has wheels", "--date", "2026-02-01", cwd=root).code == 0
    text = (root / "pages" / "grill.md").read_text()
    assert "\t\t- dark (2026-01-02)\n\t- Has wheels (2026-02-01)" in text
    done = aurelius("supersede", "grill1", "Burns coal", cwd=root)
    assert done.code == 0, done.err
    text = (root / "pages" / "grill.md").read_text()
    assert "- ## Facts\n\t- Burns coal (" in text
    assert "- After (2026-01-03)\n- ## History\n\t- ~~Burns gas~~" in text
    assert sorted(shown(aurelius, root)) == [
        ("Burns coal", "active"),
        ("Burns gas", "superseded"),
        ("Has wheels", "active"),
        ("Is green", "active"),
        ("dark", "active"),
    ]
    assert aurelius("doctor", cwd=root).code == 0


def test_a_first_fact_of_a_page_of_bullets_goes_under_a_heading_that_is_a_bullet(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(tmp_path, {"pages/grill.md": "title:: Grill\n\n- Text\n"})
    assert aurelius("add", "grill", "Has wheels", "--date", "2026-02-01", cwd=root).code == 0
    text = (root / "pages" / "grill.md").read_text()
    assert text.startswith("title:: Grill\n\n- Text\n- ## Facts\n\t- Has wheels (2026-02-01)")
    assert shown(aurelius, root) == [("Has wheels", "active")]


def test_a_new_note_of_a_graph_is_a_page_of_it_that_takes_facts(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(tmp_path, {"pages/a.md": "- [[Jane Roe]]\n"})
    assert aurelius("new", "person", "Jane Roe", cwd=root).code == 0
    assert aurelius("new", "project", "Thesis/Chapter 1", cwd=root).code == 0
    chapter = root / "pages" / "Thesis___Chapter 1.md"
    assert chapter.read_text() == "title:: Thesis/Chapter 1\ntype:: Project\n\n- ## Facts\n"
    assert (root / "pages" / "Jane Roe.md").read_text() == "type:: Person\n\n- ## Facts\n"
    assert aurelius("add", "Jane Roe", "Likes tea", "--date", "2026-02-01", cwd=root).code == 0
    assert (
        (root / "pages" / "Jane Roe.md")
        .read_text()
        .startswith("type:: Person\n\n- ## Facts\n\t- Likes tea (2026-02-01)")
    )
    assert {each.name for each in root.iterdir()} == {"pages", "logseq", ".aurelius"}
    listed = json.loads(aurelius("list", "--kind", "person", "--json", cwd=root).out)
    assert "pages/Jane Roe.md" in json.dumps(listed)


def test_a_new_note_of_a_graph_with_the_old_names_of_files_has_one(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(tmp_path, {"pages/a.md": "- x\n"}, "{:meta/version 1}")
    assert aurelius("new", "project", "Thesis/Chapter 1", cwd=root).code == 0
    assert (root / "pages" / "Thesis%2FChapter 1.md").exists()


RELEASES = (
    "## 0.3\n- now\n- ## 0.2 [[May 1st]]\n  id:: 1\n\t- Fixed\n\t\t- the kestrel crash\n"
    "\t- ### Thanks\n\t\t- to Ann\n\t- last\n- [[Nov 16th]]\n  **0.1**\n\t- the osprey crash\n"
)


def test_a_bullet_that_is_a_heading_is_one_for_get_links_and_search(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(
        tmp_path, {"pages/Log.md": RELEASES, "pages/a.md": "- [[Log#Thanks]] [[Log#0.2 May 1st]]\n"}
    )
    lines = RELEASES.splitlines(keepends=True)
    assert aurelius("get", "pages/Log.md#0.2 May 1st", cwd=root).out == "".join(lines[2:9])
    assert aurelius("get", "pages/Log.md#Thanks", cwd=root).out == "".join(lines[6:8])
    assert aurelius("get", "pages/Log.md#0.3", cwd=root).out == "".join(lines[:2]), (
        "0.2 stands beside it"
    )
    assert "no heading" not in aurelius("doctor", cwd=root).out
    found = {
        word: json.loads(aurelius("search", word, "--json", "-n", "1", cwd=root).out)["hits"][0]
        for word in ("kestrel", "Ann", "osprey")
    }
    assert found["kestrel"]["heading"][:1] == ["0.2 May 1st"]
    assert found["Ann"]["heading"][:2] == ["0.2 May 1st", "Thanks"]
    assert not any("0." in part for part in found["osprey"].get("heading", ())), (
        "it stands beside the releases"
    )


def test_a_fact_under_any_bullet_that_is_a_heading_is_past_under_a_history_beside_it(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    text = "type:: Person\n\n- ## Preferences\n\t- Likes tea (2026-01-01) ^tea111\n\t- ### Food\n\t\t- Likes rice\n"
    root = graph(tmp_path, {"pages/grill.md": text})
    assert aurelius("supersede", "tea111", "Likes coffee", cwd=root).code == 0
    assert (
        aurelius(
            "add", "grill", "Likes plums", "--type", "preference", "--date", "2026-02-01", cwd=root
        ).code
        == 0
    )
    text = (root / "pages" / "grill.md").read_text()
    assert "\t- Likes coffee (" in text
    assert "\t\t- Likes rice\n\t- Likes plums (2026-02-01" in text
    assert "\n- ## History\n\t- ~~Likes tea~~" in text


def test_a_label_that_leads_to_a_page_in_double_brackets_is_a_link_to_that_page(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = graph(
        tmp_path,
        {
            "pages/Feature.md": "- what it does\n",
            "pages/a.md": "- all the [gadgets]([[Feature]]), [more]([[Feature]])\n",
        },
    )
    assert "Feature" not in aurelius("doctor", cwd=root).out
    assert "pages/a.md" in aurelius("links", "Feature", cwd=root).out
    assert "pages/Feature.md" in aurelius("search", "gadgets", "--paths", cwd=root).out
    assert aurelius("move", "Feature", "pages/Big Feature.md", cwd=root).code == 0
    assert (
        root / "pages/a.md"
    ).read_text() == "- all the [gadgets]([[Big Feature]]), [more]([[Big Feature]])\n"


def test_a_property_that_keeps_a_block_in_order_is_no_entry_of_its_day_and_no_mention(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    """What somebody rated is an entry, and a link in a sentence a mention."""
    day = (
        "## Log\n\n- type:: [[Shed]]\n  created:: 2026-02-09\n\n## Evening\n\n"
        "- Painted the door of [[Shed]]\n  tags:: home\n- rating:: nine for [[Shed]]\n"
    )
    root = graph(tmp_path, {"journals/2026_02_09.md": day, "pages/Shed.md": "type:: Project\n"})
    told = aurelius("days", "2026-02-09", cwd=root).out
    assert "Painted the door of [[Shed]]\n" in told
    assert "rating:: nine" in told
    assert "created::" not in told
    assert "type::" not in told
    named = aurelius("links", "Shed", "--mentions", cwd=root).out
    assert "Painted the door" in named
    assert "rating:: nine" in named
    assert "type::" not in named
    facts = aurelius("list", "--type", "fact", cwd=root).out
    assert "2 facts" in facts
    assert "created::" not in facts
