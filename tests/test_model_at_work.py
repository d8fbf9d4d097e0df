"""What a language model of the person's does beside wording: over whole commands and hooks, with a scripted server."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.aurelius.model.test_endpoint import Script, Server, raw, said

Aurelius = Callable[..., Any]
DAY = "memory/2026-02-10.md"
MILA = "---\ntype: person\naliases: [Mila]\n---\n# Mila Kovac\n\n## Facts\n\n- Lives in Berlin (2026-01-01) ^mb0001\n"
SECRET = "---\nprivate: true\n---\n# Quetzal\n\n## Facts\n\n- Mila keeps quetzals in Berlin (2026-02-01)\n"
MOVED = "Mila lives in Hamburg now"
PAINT = "We painted the barn door green"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.done.set()
    made.http.shutdown()
    made.http.server_close()


@pytest.fixture
def root(tmp_path: Path, server: Server, env: dict[str, str]) -> Path:
    there = tmp_path / "vault"
    for path, text in {
        ".aurelius/config.toml": "",
        "people/mila-kovac.md": MILA,
        "people/hidden.md": SECRET,
    }.items():
        file = there / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return there


@pytest.fixture
def use(root: Path, server: Server, env: dict[str, str]) -> Callable[..., None]:
    """Switches words of `llm.use` on."""

    def switch(*words: str, timeout: int = 40) -> None:
        own = Path(env["HOME"]) / ".config" / "aurelius" / "config.toml"
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(
            f'[llm]\nendpoint = "{server.url}"\nmodel = "tiny"\nuse = {json.dumps(words)}\n'
            f"timeout = {timeout}\n[hook]\ntrace = true\n"
        )

    return switch


def names(server: Server, answer: str) -> Script:
    """An answer in which `{words}` stands for the id of the line that begins with them."""

    def reply(to: BaseHTTPRequestHandler) -> None:
        content = json.loads(server.body)["messages"][-1]["content"]
        lines = json.loads(content.partition("<notes>\n")[2].partition("\n</notes>")[0])

        def name(found: re.Match[str]) -> str:
            return next((each["id"] for each in lines if each["text"].startswith(found[1])), "L999")

        said(re.sub(r"\{(.*?)\}", name, answer))(to)

    return reply


def never(server: Server) -> Script:
    """No answer before the test is over."""

    def wait(_: BaseHTTPRequestHandler) -> None:
        server.done.wait(20)

    return wait


def hook(
    root: Path,
    aurelius: Aurelius,
    event: str,
    *messages: str,
    options: Sequence[str] = (),
    **fields: str,
) -> Any:
    talk = root.parent / "talk.jsonl"
    rows = [{"type": "user", "message": {"role": "user", "content": each}} for each in messages]
    talk.write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    told = {"session_id": "s", "cwd": str(root), "transcript_path": str(talk), **fields}
    return aurelius("hook", event, *options, cwd=root, stdin=json.dumps(told))


def day(root: Path) -> str:
    return (root / DAY).read_text() if (root / DAY).exists() else ""


def traced(root: Path, env: dict[str, str]) -> list[dict[str, Any]]:
    (file,) = Path(env["HOME"]).rglob("hooks.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


# -- capture ---------------------------------------------------------------------------


def test_a_conversation_is_asked_about_only_where_the_person_switched_it_on(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("summaries", "extract", "context")
    hook(root, aurelius, "stop", MOVED)
    assert server.asked == 0
    assert MOVED in day(root)


def test_what_a_model_names_is_kept_and_traced(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius, env: dict[str, str]
) -> None:
    use("capture")
    server.script = names(server, "KEEP {We painted} event")
    hook(root, aurelius, "stop", f"{PAINT}. {MOVED}. The wifi password is Quetzal9xTr0ub4dor.")
    assert PAINT in day(root)
    assert "Hamburg" not in day(root)
    assert "quetzal" not in server.got.decode().casefold()
    told = traced(root, env)[-1]
    (step,) = told["model"]
    assert [f"^{each}" in day(root) for each in told["found"]] == [True]
    assert step["sent"] == server.body.decode()
    assert step["said"].startswith("KEEP L")


@pytest.mark.parametrize(
    "script", [raw(b"no"), raw(b"", 401), raw(b"", 429), raw(b"", 500), said("Sure!"), said("")]
)
def test_a_model_that_fails_leaves_what_the_rules_keep(
    script: Script, root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("capture")
    server.script = script
    assert hook(root, aurelius, "stop", MOVED).code == 0
    assert server.asked
    assert MOVED in day(root)


def test_a_model_that_is_late_leaves_what_the_rules_keep(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("capture", timeout=1)
    server.script = never(server)
    began = time.monotonic()
    hook(root, aurelius, "stop", MOVED)
    assert time.monotonic() - began < 10
    assert MOVED in day(root)
    assert "last failed" in aurelius("status", cwd=root).out


@pytest.mark.parametrize(
    ("event", "questions"), [("stop", 1), ("session-end", 1), ("pre-compact", 2)]
)
def test_a_dry_run_of_a_hook_prints_what_would_be_sent_and_keeps_nothing(
    event: str,
    questions: int,
    root: Path,
    server: Server,
    use: Callable[..., None],
    aurelius: Aurelius,
) -> None:
    use("capture", "summary")
    shown = hook(root, aurelius, event, f"{PAINT}. {MOVED}.", options=["--dry-run"])
    assert server.asked == 0
    assert day(root) == ""
    assert "nothing was sent: --dry-run" in shown.err
    server.script = said("NOTHING")
    hook(root, aurelius, event, f"{PAINT}. {MOVED}.")
    sent = shown.out.splitlines()
    assert len(sent) == server.asked == questions
    assert all(each in server.got.decode() for each in sent)
    again = hook(root, aurelius, event, f"{PAINT}. {MOVED}.", options=["--dry-run"])
    assert (again.out, "nothing would be sent" in again.err) == ("", True)  # it was read before


@pytest.mark.parametrize("event", ["prompt", "post-tool", "refresh"])
def test_a_dry_run_of_a_hook_that_keeps_nothing_says_so(
    event: str, root: Path, aurelius: Aurelius
) -> None:
    done = hook(root, aurelius, event, MOVED, options=["--dry-run"])
    assert done.code == 2
    assert "stop, pre-compact, session-end" in done.err


def test_a_dry_run_of_the_process_of_a_hook_prints_too(
    root: Path, server: Server, use: Callable[..., None], env: dict[str, str]
) -> None:
    use("capture")
    talk = root.parent / "talk.jsonl"
    talk.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": MOVED}}))
    done = subprocess.run(
        [sys.executable, "-m", "aurelius", "hook", "stop", "--dry-run"],
        input=json.dumps({"transcript_path": str(talk)}),
        capture_output=True,
        text=True,
        cwd=root,
        env=env,
        check=True,
        timeout=120,
    )
    assert MOVED in done.stdout
    assert server.asked == 0


# -- context ---------------------------------------------------------------------------

LIVES = "Lives in Berlin"
ASKED = "Where does Mila live?"


def test_a_context_is_chosen_only_where_the_person_switched_it_on(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("capture")
    assert LIVES in aurelius("context", ASKED, cwd=root).out
    use("context")
    assert LIVES in aurelius("context", ASKED, "--no-llm", cwd=root).out
    assert aurelius("search", "Mila", cwd=root).code == 0
    assert server.asked == 0


def test_a_context_has_what_a_model_chooses(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius, env: dict[str, str]
) -> None:
    use("context")
    server.script = said("PLAN none")
    assert LIVES not in aurelius("context", ASKED, cwd=root).out
    assert LIVES not in aurelius("context", ASKED, "--hook", cwd=root).out
    server.script = names(server, "PLAN fact\nKEEP {Lives in}")
    assert LIVES in aurelius("context", ASKED, cwd=root).out
    told = traced(root, env)[-1]
    assert (told["event"], told["model"][0]["said"][:9]) == ("context", "PLAN fact")
    assert any(LIVES in each for each in told["found"])
    assert "quetzal" not in server.got.decode().casefold()


def test_a_context_whose_model_fails_is_that_of_the_rules(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("context")
    own = aurelius("context", ASKED, "--no-llm", cwd=root).out
    server.script = raw(b"", 401)
    done = aurelius("context", ASKED, cwd=root)
    assert done.out == own
    assert "the model did not answer, so the rules chose: " in done.err


def test_a_dry_run_prints_what_would_be_sent_first_and_sends_nothing(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("context")
    done = aurelius("context", ASKED, "--dry-run", cwd=root)
    assert server.asked == 0
    assert "nothing was sent: --dry-run" in done.err
    aurelius("context", ASKED, cwd=root)
    assert f"{server.body.decode()}\n" == done.out


def prompt_hook(root: Path, env: dict[str, str], deadline: int = 60_000, asked: str = ASKED) -> str:
    told = {"session_id": "s", "cwd": str(root), "prompt": asked}
    done = subprocess.run(
        [sys.executable, "-m", "aurelius", "hook", "prompt", "--deadline", str(deadline)],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        cwd=root,
        env=env,
        check=True,
        timeout=120,
    )
    return done.stdout


def test_a_prompt_gets_what_a_model_chooses(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius, env: dict[str, str]
) -> None:
    aurelius("index", cwd=root)
    use("context")
    server.script = said("PLAN none")
    assert LIVES not in prompt_hook(root, env)
    assert server.asked == 1
    assert traced(root, env)[-1]["model"][0]["said"] == "PLAN none"
    server.script = names(server, "PLAN fact\nKEEP {Lives in}")
    assert LIVES in prompt_hook(root, env)


def test_a_prompt_whose_model_is_late_gets_what_the_rules_choose_by_the_deadline(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius, env: dict[str, str]
) -> None:
    kept = "The spare blanket is in the hall cupboard"
    house = "# House\n\n## Facts\n\n- The spare blanket is in the hall cupboard (2026-01-01)\n"
    (root / "house.md").write_text(house)
    aurelius("index", cwd=root)
    use("context")
    server.script = never(server)
    began = time.monotonic()
    asked = "Where did I put my spare blanket?"
    assert kept in prompt_hook(root, env, 4_000, asked)
    assert time.monotonic() - began < 25  # the model alone would be waited for longer
    assert kept not in prompt_hook(root, env, 4_000, asked)  # the session has seen it


def test_a_hook_with_little_time_asks_no_model(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius, env: dict[str, str]
) -> None:
    aurelius("index", cwd=root)
    use("context")
    prompt_hook(root, env, 300)
    assert server.asked == 0


# -- summary ---------------------------------------------------------------------------


@pytest.mark.parametrize(("event", "told"), [("pre-compact", True), ("stop", False)])
def test_a_session_is_summed_up_before_it_is_shortened(
    event: str,
    told: bool,
    root: Path,
    server: Server,
    use: Callable[..., None],
    aurelius: Aurelius,
    env: dict[str, str],
) -> None:
    use("summary")
    server.script = names(server, "You painted the barn door green. [{We painted}]")
    hook(root, aurelius, event, f"{PAINT}. {MOVED}.")
    assert ("In short: You painted the barn door green." in day(root)) == told
    assert MOVED in day(root)
    assert server.asked == told
    assert ("model" in traced(root, env)[-1]) == told
    aurelius("index", cwd=root)
    assert "barn" not in aurelius("facts", cwd=root).out


@pytest.mark.parametrize("script", [raw(b"", 401), said("Sure!"), said("NOTHING")])
def test_a_session_without_a_summary_is_kept_as_without_a_model(
    script: Script, root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("summary")
    server.script = script
    hook(root, aurelius, "pre-compact", f"{PAINT}. {MOVED}.")
    assert "In short" not in day(root)
    assert MOVED in day(root)


def test_a_page_is_worded_by_either_word(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius
) -> None:
    use("summary")
    aurelius("summarize", "Mila", "--new", "--yes", cwd=root)
    assert "Lives in Berlin" in server.body.decode()


# -- observe ---------------------------------------------------------------------------


def test_what_comes_back_over_days_is_proposed_in_review(
    root: Path, server: Server, use: Callable[..., None], aurelius: Aurelius, env: dict[str, str]
) -> None:
    for number in (6, 8):
        note = root / f"memory/2026-02-0{number}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"# 2026-02-0{number}\n\n- Slept badly, call {number} was late\n")
    use("capture")
    done = aurelius("review", "observe", cwd=root)
    assert done.code == 2
    assert "aurelius help model" in done.err
    use("observe")
    server.script = names(
        server, "Sleeps badly after late calls. [{Slept badly, call 6}, {Slept badly, call 8}]"
    )
    shown = aurelius("review", "observe", "--dry-run", cwd=root).out
    assert server.asked == 0
    assert "Sleeps badly" in aurelius("review", "observe", cwd=root).out
    assert f"{server.body.decode()}\n" == shown
    told = traced(root, env)[-1]
    assert (told["event"], told["model"][0]["sent"]) == ("observe", server.body.decode())
    assert told["found"] == ["Sleeps badly after late calls."]
    assert "Sleeps badly after late calls" in aurelius("review", cwd=root).out
    assert "inferred" in day(root)
    aurelius("undo", cwd=root)
    assert "Sleeps badly" not in day(root)
    server.script = raw(b"", 401)
    done = aurelius("review", "observe", cwd=root)
    assert "the model did not answer" in done.err
    assert "Sleeps badly" not in day(root)
