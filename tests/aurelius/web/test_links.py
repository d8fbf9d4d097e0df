"""Where links of notes lead on the pages: to notes that may be seen, and to files of the vault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest

from aurelius.vault import Vault
from aurelius.web.links import PageLinks
from aurelius.web.markup import Target
from indexer.note import Link
from tests.aurelius.web.looking import looked_at
from tests.conftest import TODAY
from tests.pages import Pages

PNG = b"a picture"
MORE = {
    "resources/links.md": "# Links\n\n[[secret]] and [[people/secret.md]] and [x](../people/secret.md)\n\n"
    "![[secret]]\n\n![[boat]]\n\n![[heron.png]] ![there](../files/near.png) ![away](https://x.example/a.png)\n\n"
    "[[report.pdf]] and [[config.toml]] and [[outside.md]]\n",
    "resources/names.md": '# Names\n\n[[""]] [[%00]] [[\\\\]]\n',
    'resources/".md': "# Quote\n",
    "resources/%00.md": "# Nothing\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("links")
    for path in ("files/deep/heron.png", "files/near.png", "files/report.pdf"):
        (root / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "vault" / path).write_bytes(PNG)
    (root / "outside.md").write_text("outside")
    return root


@pytest.fixture(scope="module")
def pages(root: Path) -> Iterator[Pages]:
    with looked_at(root, MORE) as found:
        yield found


def article(pages: Pages, path: str) -> str:
    text = pages.get(f"/note/{path}").text
    return text.partition("<article")[2].partition("</article>")[0]


def test_a_private_note_is_like_one_that_is_not_written_yet(pages: Pages) -> None:
    text = article(pages, "resources/links.md")
    assert "Hidden" not in text
    assert 'href="/note/people/secret.md"' not in text
    assert text.count('class="missing"') >= 3


def test_a_note_and_a_picture_are_shown_in_place(pages: Pages) -> None:
    text = article(pages, "resources/links.md")
    assert "A boat of wood." in text
    assert 'src="/file/files/deep/heron.png"' in text
    assert 'src="/file/files/near.png"' in text
    assert pages.get("/file/files/near.png").status == 200
    assert "x.example/a.png" not in text.replace('href="https://x.example/a.png"', "")


def test_other_files_are_named_and_nothing_outside_the_vault_is(pages: Pages) -> None:
    text = article(pages, "resources/links.md")
    assert 'title="files/report.pdf"' in text
    assert "../outside" not in text


@pytest.mark.parametrize("path", ['resources/".md', "resources/%00.md", "resources/names.md"])
def test_names_of_signs_alone_have_pages(path: str, pages: Pages) -> None:
    assert pages.ask("GET", f"/note/{quote(path)}", b"", {}).status == 200


def test_a_note_that_became_private_while_it_is_asked_for_is_not_shown_inside(
    pages: Pages, root: Path
) -> None:
    host = pages.host
    link = Link("projects/raft", "", "", "", 1, "wiki", embed=True)
    path = root / "vault" / "archives/projects/raft.md"
    with Vault.find(host.root, host.env, host.root, now=TODAY) as vault:
        follow = PageLinks(vault).of("resources/links.md")
        assert any("It sank" in line for line in _lines(follow(link)))
        path.write_text("---\nprivate: true\n---\nIt sank.\n")
        assert not _lines(follow(link))


def _lines(target: Target | None) -> Sequence[str]:
    assert target
    return target.lines


def test_a_note_links_to_places_of_itself_by_its_name_and_may_show_one(tmp_path: Path) -> None:
    more = {
        "Blocks.md": "# Blocks\n\n## Boats\n\nA line ^abc1\n\n[[Blocks#^abc1]] [[Blocks#Boats]]\n\n"
        "[[#Boats]]\n\n![[Blocks#^abc1]]\n\n![[Blocks]]\n",
        "other.md": "# Other\n\nSee [[Blocks]] and [[#Other]].\n",
    }
    with looked_at(tmp_path / "own", more) as pages:
        shown = pages.get("/note/Blocks.md").text
        assert "no note of this name" not in shown
        assert 'href="/note/Blocks.md#block-abc1"' in shown
        assert 'href="#heading-boats"' in shown
        assert shown.count("A line") < 6
        assert 'href="/note/other.md#heading-other"' in shown
