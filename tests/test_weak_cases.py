"""Questions that a vault answers by a shared word, by meaning alone, or not at all, and which answers are weak."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.vault import Vault
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery

CASES = tomllib.loads((Path(__file__).parent / "cases" / "weak.toml").read_text("utf-8"))
NOW = datetime.datetime(2026, 2, 11, 12)

Ask = Callable[[dict[str, Any]], SearchResult]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    vaults: dict[str, Vault] = {}
    for each in CASES["vault"]:
        home = tmp_path_factory.mktemp(each["name"])
        for path, text in each["notes"].items():
            (home / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
            (home / "vault" / path).write_text(text, "utf-8")
        (home / "vault" / ".aurelius").mkdir()
        env = {"HOME": str(home), "AURELIUS_INDEX": str(home / "index")}
        vaults[each["name"]] = Vault.find(str(home / "vault"), env, "/", now=NOW)
    return lambda case: vaults[case["vault"]].search(SearchQuery(case["question"]))


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES["case"] if case["kind"] == kind]


def answers(case: dict[str, Any], found: SearchResult) -> bool:
    path, _, text = case["answer"].partition(":")
    return any(hit.path == path and text in hit.text for hit in found.hits)


def test_an_answer_that_holds_a_word_of_the_question_is_not_weak(ask: Ask) -> None:
    wrong = [
        case["question"]
        for case in of_kind("words")
        if (found := ask(case)).weak or not answers(case, found)
    ]
    assert wrong == []


def test_what_the_vault_does_not_know_gets_a_weak_answer_or_none(ask: Ask) -> None:
    found = [ask(case) for case in of_kind("absent")]
    assert all(each.weak and "no note holds" in str(each.hint) for each in found)
    assert sum(not each.hits for each in found) >= 8
    assert all(len(each.hits) <= 5 for each in found)
    assert not any("did you mean" in str(each.hint) for each in found)


def test_what_shares_no_word_with_its_question_is_found_by_meaning_and_called_weak(
    ask: Ask,
) -> None:
    cases = of_kind("meaning")
    found = [ask(case) for case in cases]
    assert all(each.weak for each in found)
    assert sum(answers(case, each) for case, each in zip(cases, found, strict=True)) >= 17
