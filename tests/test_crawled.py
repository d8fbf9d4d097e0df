"""Every link of the pages, followed from the overview on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT, TODAY
from tests.crawled import crawl
from tests.daily import daily
from tests.everything_vault import make_everything_vault
from tests.pages import Pages, served

MOST = 3000
"""Pages that a small vault has at most: an endless chain of links has more."""


def asked(pages: Pages, most: int = MOST) -> None:
    found = crawl(pages, most=most)
    assert found.dead == []
    assert len(found.answers) < MOST
    broken = [path for path, answer in found.answers.items() if answer.status >= 400]
    assert broken == []
    unreached = [page for page, ways in found.by_page(1).items() if not ways]
    assert unreached == []


def test_no_link_of_a_small_vault_is_dead(tmp_path: Path, env: dict[str, str]) -> None:
    make_everything_vault(tmp_path / "vault")
    with served(tmp_path / "vault", env, now=TODAY) as pages:
        asked(pages)
        answers = crawl(pages).answers
    assert [path for path, each in answers.items() if "quillwort" in each.text] == []


@pytest.mark.parametrize("name", ["sample", "unicode", "broken"])
def test_no_link_of_another_vault_is_dead(name: str, tmp_path: Path, env: dict[str, str]) -> None:
    shutil.copytree(ROOT / "tests" / "vaults" / name, tmp_path / "vault")
    (tmp_path / "vault" / ".aurelius").mkdir(exist_ok=True)
    with served(tmp_path / "vault", env, now=TODAY) as pages:
        found = crawl(pages, most=daily(250, MOST))
    # a link to a heading that is not there is as its writer left it
    assert [each for each in found.dead if name != "broken" or "#" not in each] == []
