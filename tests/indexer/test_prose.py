"""What is embedded of a text: what means something."""

from __future__ import annotations

import pytest

from indexer.prose import embed_text, plain


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("- Lives in Oslo (2026-02-01) ^k3v9qa", "- Lives in Oslo"),
        ("- ~~Lives in Graz~~ (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^d8w4tt", "- Lives in Graz"),
        ("- ~~Lives in Graz~~ (→ 2026-02-01)", "- Lives in Graz"),
        ("- Lives in Oslo (2026-02-01, updates ^d8w4tt)", "- Lives in Oslo"),
        (
            "- Joined (2026-02-01, milestone, because of the pay)",
            "- Joined (2026-02-01, milestone, because of the pay)",
        ),
        ("- Call it f()", "- Call it f()"),
        ("- Call it ()", "- Call it ()"),
        ("see [the site](https://a.example/x)", "see [the site "),
        ("a ~~word~~ in it", "a ~~word~~ in it"),
    ],
)
def test_what_means_nothing_goes(line: str, left: str) -> None:
    assert plain(line) == left
    assert plain(f"{line}\n{line}") == f"{left}\n{left}"


def test_the_context_goes_before_it() -> None:
    assert embed_text("Joe > Facts", "- Tall ^abc123") == "Joe > Facts\n- Tall"
