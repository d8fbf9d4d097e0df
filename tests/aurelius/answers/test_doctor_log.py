"""doctor tells of what stands in the place of the usage log."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aurelius.answers.doctor_log import of_log_folder


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_what_stands_in_for_a_part_of_the_usage_log_is_told(tmp_path: Path) -> None:
    """Nothing is read from it or written to it, and nothing else would say so."""
    root = tmp_path / "vault"
    log = root / ".aurelius/log"
    (log / "good-1").mkdir(parents=True)
    (log / "good-1/2026-01.jsonl").touch()
    (log / "good-1/notes.txt").symlink_to(tmp_path)  # no file of the log
    (log / "read.me").touch()
    (log / "good-1/2026-02.jsonl").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(log / "good-1/2026-03.jsonl")
    (log / "good-1/2026-04.jsonl").mkdir()
    (log / "linked-1").symlink_to(tmp_path)
    os.mkfifo(log / "piped-1")
    found = {each.path.removeprefix(".aurelius/log/"): (each.code, each.fix) for each in of_log_folder(str(root))}
    assert found == {
        "good-1/2026-02.jsonl": ("log-link", "replace the link by a real file"),
        "good-1/2026-03.jsonl": ("log-file", "remove it"),
        "good-1/2026-04.jsonl": ("log-file", "remove it"),
        "linked-1": ("log-link", "replace the link by a real folder"),
        "piped-1": ("log-file", "remove it"),
    }
