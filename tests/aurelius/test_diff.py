"""A dry run shows exactly what would change; `patch` would make the same of it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurelius.diff import diff
from aurelius.edit import Edit

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c", "é\r\n", "- x\n", "-- y\n", "+z\n"]), max_size=8).map(
    "".join
)


def test_lines_ends_and_names_are_shown() -> None:
    assert diff([Edit("a.md", b"x\ny", b"x\nz\n"), Edit("same.md", b"s", b"s")]) == (
        "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+z\n"
    )
    assert diff([Edit("new.md", None, b"x\n")]) == "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+x\n"
    assert diff([Edit("old.md", b"x\n", None)]) == "--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert diff([Edit("a.md", b"x\n", b"x\r\n")]) == "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-x\n+x\r\n"
    assert diff([Edit("a.md", b"\xff\n", b"\xffx\n")]).endswith("-\ufffd\n+\ufffdx\n")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=TEXTS, after=TEXTS)
def test_git_applies_it(tmp_path: Path, before: str, after: str) -> None:
    git = shutil.which("git")
    assert git, "the suite needs git"
    if before == after or not before or not after:
        return
    note = tmp_path / "a.md"
    note.write_bytes(before.encode())
    shown = diff([Edit("a.md", before.encode(), after.encode())])
    subprocess.run(
        [git, "apply", "--unsafe-paths", "--whitespace=nowarn", "-"], cwd=tmp_path, input=shown.encode(), check=True
    )
    assert note.read_bytes() == after.encode()


@pytest.mark.parametrize("edits", [[], [Edit("a.md", b"x", b"x")], [Edit("a.md", None, None)]])
def test_nothing_is_nothing(edits: list[Edit]) -> None:
    assert diff(edits) == ""
