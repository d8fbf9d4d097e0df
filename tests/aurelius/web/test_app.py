"""The pages over HTTP: who gets them, what a form needs, and what an action does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import TODAY
from tests.pages import Pages, served

JOE = """# Joe Bloggs

## Facts

- Lives in Lisbon (status, 2026-01-05) ^joe001
- Plays chess ^joe002

- [ ] Call Joe
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_text(JOE)
    (root / "people" / "secret.md").write_text("---\nprivate: true\n---\n# Sam\n\nHidden words\n")
    return root


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(tmp_path)} | {
        f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in names
    }


@pytest.fixture
def pages(vault: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(vault, env, now=TODAY) as found:
        yield found


def test_nobody_without_a_session_sees_a_page(pages: Pages) -> None:
    pages.cookie = ""
    for path in ("/", "/memory", "/note/people/joe.md", "/fact/joe001", "/nothing"):
        answer = pages.get(path)
        assert answer.status == 401
        assert "Lisbon" not in answer.text
        assert 'action="/sign-in"' in answer.text


def test_a_code_is_good_once_and_makes_a_cookie_that_scripts_cannot_read(pages: Pages) -> None:
    code = pages.code()
    answer = pages.post("/sign-in", {"code": code.upper().replace("-", " "), "back": "/review"})
    assert (answer.status, answer.headers["location"]) == (303, "/review")
    told = answer.headers["set-cookie"].lower()
    assert f"aurelius-{pages.port}=" in told
    assert {"httponly", "samesite=strict", "path=/"} <= {each.strip() for each in told.split(";")}
    assert pages.post("/sign-in", {"code": code}).status == 403


def test_after_signing_in_nobody_is_led_elsewhere(pages: Pages) -> None:
    for back in ("//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:1"):
        answer = pages.post("/sign-in", {"code": pages.code(), "back": back})
        assert answer.headers["location"] == "/"


def test_a_change_is_shown_first_then_made_then_undone(pages: Pages, vault: Path) -> None:
    before = (vault / "people" / "joe.md").read_bytes()
    shown = pages.act("/fact/joe001", "supersede", text="Lives in Porto")
    assert shown.status == 200
    assert "Lives in Porto" in shown.words
    assert (vault / "people" / "joe.md").read_bytes() == before

    made = pages.post("/do/supersede", shown.form("supersede"))
    assert made.status == 303
    assert b"Lives in Porto" in (vault / "people" / "joe.md").read_bytes()

    told = pages.get(made.headers["location"])
    assert 'with "Lives in Porto" in people/joe.md.' in told.words
    undone = pages.post("/do/undo", told.form("undo"))
    assert undone.status == 303
    assert (vault / "people" / "joe.md").read_bytes() == before


def test_a_change_is_refused_where_the_note_is_another_one_by_then(
    pages: Pages, vault: Path
) -> None:
    shown = pages.act("/fact/joe001", "supersede", text="Lives in Porto")
    edited = JOE.replace("Plays chess", "Plays go")
    (vault / "people" / "joe.md").write_text(edited)
    answer = pages.post("/do/supersede", shown.form("supersede"))
    assert answer.status == 409
    assert "the note changed elsewhere meanwhile" in answer.words
    assert (vault / "people" / "joe.md").read_text() == edited


@pytest.mark.parametrize(
    "how", ["no token", "another form's token", "no origin", "another origin", "as JSON"]
)
def test_a_form_that_is_not_of_this_page_changes_nothing(
    how: str, pages: Pages, vault: Path
) -> None:
    form = pages.get("/fact/joe001").form("supersede") | {"text": "Lives in Rome"}
    shown = pages.post("/do/supersede", form)
    form = shown.form("supersede")
    own = {"origin": pages.url, "content-type": "application/x-www-form-urlencoded"}
    headers = dict(own)
    if how == "no token":
        form["token"] = ""
    elif how == "another form's token":
        form["token"] = pages.host.sessions.cookie
    elif how == "no origin":
        del headers["origin"]
    elif how == "another origin":
        headers["origin"] = "http://evil.example"
    else:
        headers["content-type"] = "application/json"
    from urllib.parse import urlencode

    answer = pages.ask("POST", "/do/supersede", urlencode(form).encode(), headers)
    assert answer.status in {400, 403}
    assert (vault / "people" / "joe.md").read_text() == JOE


def test_a_private_note_is_like_one_that_is_not_there(pages: Pages) -> None:
    answer = pages.get("/note/people/secret.md")
    assert answer.status == 404
    assert "Hidden words" not in answer.text


def test_every_answer_says_what_a_page_may_load(pages: Pages) -> None:
    for path in ("/memory", "/static/style.css", "/nothing", "/file/x.png"):
        policy = pages.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy


def test_an_image_is_shown_and_one_that_would_fill_the_memory_is_not(
    pages: Pages, vault: Path
) -> None:
    from aurelius.web.app import MOST_IMAGE_BYTES

    (vault / "small.png").write_bytes(b"\x89PNG")
    with open(vault / "large.png", "wb") as file:
        file.truncate(MOST_IMAGE_BYTES + 1)
    assert pages.get("/file/small.png").status == 200
    assert pages.get("/file/large.png").status == 404
    assert pages.get("/file/none.png").status == 404
    assert pages.get("/file/%00.png").status == 404
