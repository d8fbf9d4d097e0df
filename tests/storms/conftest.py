"""How a test lets a storm loose, and tells at the end of the run which ones could not be."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storms import harness

Storm = Callable[[str, harness.Case], harness.Row]


def reason(row: harness.Row) -> str:
    """Everything that was wrong, whole: an assertion would cut it short."""
    told = [
        ("different", row.differences),
        ("not indexed as saved", row.lost),
        ("searches that failed", row.failed),
    ]
    lines = [f"{what}: {line}" for what, each in told for line in each]
    return "\n".join([f"{row.case}, after {row.seconds:.1f} s", *lines])


@pytest.fixture
def storm(request: pytest.FixtureRequest, untold: list[str]) -> Storm:
    """Runs a case at its small size and expects that nothing was wrong; its folder has a short name, for sockets."""

    def run(name: str, case: harness.Case) -> harness.Row:
        with tempfile.TemporaryDirectory(prefix="storm-") as top:
            row = harness.storm(request.module.__name__, name, case, Path(top))
        if "could not run" in row.said:
            untold.append(f"storms: {name}: {row.said}")
        if not row.right:
            pytest.fail(reason(row), pytrace=False)
        return row

    return run
