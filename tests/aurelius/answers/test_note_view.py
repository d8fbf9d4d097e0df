"""What a note's view is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.answers.note_view import listing, open_graph, summary, view
from indexer.reading.parse import parse
from indexer.refresh.refresh import refresh
from indexer.settings import Settings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\n## Summary\n\none\ntwo\n\n## Facts\n- x\n", "one\ntwo"),
        ("# A\n## summary\none\n### More\ntwo\n# B\nthree\n", "one\n### More\ntwo"),
        ("# A\n## Summary\n## Facts\n", ""),
        ("no heading\n", ""),
        ("```\n## Summary\nx\n```\n", ""),
    ],
)
def test_summary(text: str, found: str) -> None:
    assert summary(parse("a.md", text.encode())) == found


def test_every_file_and_folder_is_listed_but_gits(tmp_path: Path) -> None:
    for path in ("a.md", "pics/x.png", ".hidden/y.png", ".git/config"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    assert sorted(listing(str(tmp_path))) == [".hidden", ".hidden/y.png", "a.md", "pics", "pics/x.png"]


def test_anchors_outside_the_index_are_read_safely(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[[b#bare]] [[b#Gone]]\n")
    (tmp_path / "b.md").write_text('<a name="bare"></a>\n')
    index, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=1_900_000_000.0)
    graph = open_graph(index.db, str(tmp_path), "memory")
    assert [row.exists for row in graph.outgoing("a.md", private=False)] == [True, False]
    (tmp_path / "b.md").unlink()
    later = open_graph(index.db, str(tmp_path), "memory")
    assert [row.exists for row in later.outgoing("a.md", private=False)] == [False, False]
    note = view(parse("a.md", b"# A\n## B\n#t #t\n"), later, private=False)
    assert ([(h.level, h.text, h.line) for h in note.headings], note.tags) == ([(1, "A", 1), (2, "B", 2)], ("t",))
    facts = parse("a.md", b"# A\n## Facts\n- one\n- two\n  more\n- three\n")
    for place, there in {(3, 3): ["one"], (5, 6): ["two more", "three"], (4, 4): ["two more"]}.items():
        assert [fact.text for fact in view(facts, later, private=False, place=place).facts] == there
    index.close()
