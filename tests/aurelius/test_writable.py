"""Notes in a person's folders may be written, and nothing else (reliability F1, F2)."""

from __future__ import annotations

import pytest

from aurelius.writable import parts
from indexer.errors import UsageError

OUTSIDE = [
    "../x.md", "people/../../x.md", "/etc/x.md", "//x.md", "~/x.md", "~root/x.md", "a\0b.md", "", ".", "./..", "..",
    "people/..", "\\\\server\\x.md",
]  # fmt: skip
NO_NOTE = ["a.txt", "people", "a.md.txt", "run.sh", ".md", "a.md ", "a.mdx"]
HIDDEN = [
    ".git/x.md", ".git/hooks/pre-commit.md", ".obsidian/x.md", ".aurelius/x.md", ".aurelius/log/d/x.md", ".x.md",
    "people/.hidden/x.md", ".GIT/x.md", "\u200c.git/x.md", ".g\u200cit/x.md", "people/\u2060.x.md",
]  # fmt: skip
STEERING = [
    "AGENTS.md",
    "agents.md",
    "projects/x/CLAUDE.md",
    "GEMINI.md",
    "skills/SKILL.md",
    "Agents\u200b.md",
    "AGENTS.MD",
]


@pytest.mark.parametrize("path", [*OUTSIDE, *NO_NOTE, *HIDDEN, *STEERING])
def test_is_refused(path: str) -> None:
    with pytest.raises(UsageError) as caught:
        parts(path, me=True)
    assert "not written" in caught.value.message
    assert "\0" not in caught.value.message


@pytest.mark.parametrize(
    "path", ["people/joe.md", "a.md", "Über uns/Ж.MD", "x.markdown", "a..b.md", "memory/2026-02-10.md"]
)
def test_is_written(path: str) -> None:
    assert "/".join(parts(path)) == path


@pytest.mark.parametrize("path", ["ME.md", "me.md", "SOUL.md", "x/USER.md", "IDENTITY.md"])
def test_who_the_person_is_wants_their_word(path: str) -> None:
    with pytest.raises(UsageError, match="your word"):
        parts(path)
    assert parts(path, me=True)


def test_a_name_leaves_room_for_a_temporary_one() -> None:
    assert parts("x" * 237 + ".md")
    with pytest.raises(UsageError, match="240 bytes"):
        parts("x" * 238 + ".md")
