"""The product tested through its commands: tests/transcripts/*.txt hold what is typed and what is answered.

    # a comment
    @ vault template             copy this vault of tests/vaults (or the template), work inside it
    @ env NAME=value             set a variable for the commands below; NAME= unsets it
    $ aurelius search tea        run in this process; other lines run in `sh`, where `aurelius` works too
      people/joe.md:16           what it prints, two spaces deep
    ! aurelius: nothing found    what it says on stderr
    [5]                          its exit code, where it is not 0

What differs from run to run is printed as <vault>, <folder>, <ms>, <score>, <number> and <name>.
`pytest tests/test_transcripts.py --update` writes what is printed now into the files.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "tests" / "transcripts").glob("*.txt"))


class Step(NamedTuple):
    """A line that is run, or a directive, and the lines that answer it."""

    head: str
    answer: tuple[str, ...]


def steps_of(text: str) -> list[Step]:
    """A transcript's parts; comments and empty lines are steps without an answer."""
    steps: list[Step] = []
    for line in text.splitlines():
        if (
            line[:2] in {"  ", "! "}
            or re.fullmatch(r"\[\d+\]|!", line)
            or (not line and steps and follows(steps[-1]))
        ):
            steps[-1] = Step(steps[-1].head, (*steps[-1].answer, line))
        else:
            steps.append(Step(line, ()))
    return [Step(step.head, tidy(step.answer)) for step in spaced(steps)]


def follows(step: Step) -> bool:
    return step.head.startswith("$ ") and not (
        step.answer and step.answer[-1].startswith(("!", "["))
    )


def spaced(steps: list[Step]) -> list[Step]:
    """Empty lines at the end of an answer part two commands; they are kept as steps of their own."""
    found: list[Step] = []
    for step in steps:
        found.append(step)
        found += [Step("", ())] * (len(step.answer) - len(tidy(step.answer)))
    return found


def tidy(answer: tuple[str, ...]) -> tuple[str, ...]:
    while answer and not answer[-1]:
        answer = answer[:-1]
    return answer


SHELL = re.compile(r"[|<>;&$`*]")
"""What only a shell understands, outside quotes."""


def unquoted(line: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"$`]*\"", "", line)


class Session:
    """Runs the steps of one transcript in a folder of its own."""

    def __init__(
        self,
        aurelius: Callable[..., object],
        vault: Callable[[str], Path],
        env: dict[str, str],
        at: Path,
    ):
        self.aurelius, self.vault, self.env, self.temporary = aurelius, vault, env, at
        self.cwd = at / "work"
        self.cwd.mkdir()
        self.root = self.cwd
        self.piped = True
        """Whether what follows a pipe is run alone."""

    def run(self, step: Step) -> Step:
        """The step with the answer it gets now."""
        if step.head.startswith("@ vault "):
            self.root = self.cwd = self.vault(step.head.removeprefix("@ vault "))
        elif step.head.startswith("@ env "):
            name, _, value = step.head.removeprefix("@ env ").partition("=")
            self.env[name] = value
            if not value:
                del self.env[name]
        elif step.head.startswith("$ "):
            return step._replace(answer=self.answer(step.head.removeprefix("$ ")))
        else:
            assert not step.head.strip() or step.head.startswith("#"), f"what is {step.head!r}?"
        return step

    def answer(self, line: str) -> tuple[str, ...]:
        code, out, err = 0, "", ""
        for part in self.parts(line):
            code, told, more = self.told(part)
            out, err = out + told, err + more
        lines = [f"  {each}".rstrip() for each in self.same(out).splitlines()]
        lines = list(tidy(tuple(lines)))
        lines += [f"! {each}".rstrip() for each in self.same(err).splitlines()]
        return (*lines, f"[{code}]") if code else tuple(lines)

    def parts(self, line: str) -> list[str]:
        """The commands of a line that are run one after another and change nothing of the shell."""
        plain = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "x" * len(found[0]), line)
        if not self.piped or re.search(r"\b(cd|for|do)\b", plain):
            return [line]
        ends = [found.start() for found in re.finditer("; ", plain)]
        return [
            line[begin:end].strip("; ")
            for begin, end in zip([0, *ends], [*ends, len(line)], strict=True)
        ]

    def told(self, line: str) -> tuple[int, str, str]:
        """The exit code of a line and what it prints; what is typed into a command of ours comes from a process."""
        typed = re.fullmatch(
            r"(printf '[^']*'|printf -- '[^']*')(?: '[^']*')* \| (aurelius .*)", line
        )
        stdin = ""
        if typed and self.piped:
            stdin = self.in_shell(line[: typed.start(2)].rstrip("| "))[1]
            line = typed[2]
        line, filters = self.parted(line)
        if re.match(r"aurelius\b", line) and not SHELL.search(unquoted(line)):
            code, out, err = self.aurelius(*shlex.split(line)[1:], cwd=self.cwd, stdin=stdin)  # type: ignore[misc]  # a Done
        else:
            code, out, err = self.in_shell(
                f'aurelius() {{ "{sys.executable}" -m aurelius "$@"; }}; {line}', stdin
            )
        if filters:
            code, out, more = self.in_shell(filters, out)
            err += more
        return code, out, err

    def parted(self, line: str) -> tuple[str, str]:
        """A command of ours and what filters its answer, which needs no process of ours; no more than one pipe's end.

        A reader that leaves early is a matter of its own, and of real processes: `shell.txt` has it.
        """
        found = re.match(r"(aurelius (?!open)(?:'[^']*'|\"[^\"]*\"|[^'\"|])*)\|(.*)", line)
        return (
            (found[1], found[2])
            if found and self.piped and not SHELL.search(unquoted(found[1]))
            else (line, "")
        )

    def in_shell(self, line: str, stdin: str = "") -> tuple[int, str, str]:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.cwd,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            env={**self.env, "AURELIUS_NOW": "2026-02-10T12:00", "PYTHONPATH": str(ROOT)},
        )
        return done.returncode, done.stdout, done.stderr

    def same(self, text: str) -> str:
        """The text with what differs from run to run made the same."""
        for path, name in (
            (self.root, "<vault>"),
            (self.temporary, "<folder>"),
            (ROOT, "<checkout>"),
        ):
            text = text.replace(os.path.realpath(path), name).replace(str(path), name)
        text = re.sub(r'"(took_ms|seconds)":[\d.e-]+', r'"\1":<ms>', text)
        text = re.sub(r"\(\d+\.\d s\)", "(<ms> s)", text)
        text = re.sub(
            r'("score"|"bm25"|"cosine"|"vector"|"maxsim"):-?[\d.e-]+', r"\1:<score>", text
        )
        text = re.sub(r"/aurelius-\d+/", "/aurelius-<number>/", text)
        text = re.sub(r"\b(index|corrupt)-[0-9a-f]+\.db", r"\1-<name>.db", text)
        text = re.sub(r"\b[1-9]\d*( chunks?\b| vectors)", r"<number>\1", text)
        text = re.sub(r"\b\d+\.\d{6}\b", "<score>", text)
        text = re.sub(r'("chunks":|"generation":|"index_bytes":)[1-9]\d*', r"\1<number>", text)
        text = re.sub(r"(generation  +)\d+", r"\1<number>", text)
        text = re.sub(r"(up to date, )\d[\d.]* k?B", r"\1<size>", text)
        text = re.sub(r"\d+\.\d ms each", "<ms> each", text)
        text = re.sub(r"(last search  +)\d+ ms", r"\1<ms>", text)
        return re.sub(r"/(template|[a-z]+)-[0-9a-f]{16}\b", r"/\1-<name>", text)


def written(steps: list[Step]) -> str:
    return "".join("\n".join((step.head, *step.answer)) + "\n" for step in steps)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_transcript(
    file: Path,
    aurelius: Callable[..., object],
    vault: Callable[[str], Path],
    env: dict[str, str],
    tmp_path: Path,
    update: bool,
) -> None:
    text = file.read_text("utf-8")
    steps = steps_of(text)
    assert written(steps) == text, "a transcript that is read and written again is the same"
    session = Session(aurelius, vault, env, tmp_path)
    session.piped = file.stem != "shell"
    now = written([session.run(step) for step in steps])
    if update and now != text:
        file.write_text(now, "utf-8")
        return
    assert now.splitlines() == text.splitlines()


def test_there_are_transcripts() -> None:
    assert len(FILES) > 3


def test_a_transcript_that_lies_fails(
    aurelius: Callable[..., object],
    vault: Callable[[str], Path],
    env: dict[str, str],
    tmp_path: Path,
) -> None:
    session = Session(aurelius, vault, env, tmp_path)
    steps = steps_of(
        "# say\n$ aurelius --version\n  aurelius 0.0.0\n\n$ echo a; echo; echo b; echo c >&2; exit 3\n"
    )
    now = [session.run(step) for step in steps]
    assert now[1].answer != ("  aurelius 0.0.0",)
    assert now[3].answer == ("  a", "", "  b", "! c", "[3]")
    assert steps_of(written(now)) == now
