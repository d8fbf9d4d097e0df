"""What the pages cost: each page's time and size, the start, memory beside the daemon, first paint,
and how soon a saved file shows.

All from outside: the installed command, HTTP on the loopback interface, Chromium where there is
one.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import subprocess
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from benches.daemon import Bench
from benches.personal import make_personal_vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Table = tuple[str, list[tuple[str, ...]]]

FIXED = (
    "/",
    "/memory",
    "/memory/people",
    "/memory/projects",
    "/memory/companies",
    "/memory/notes",
    "/memory/facts",
    "/memory/timeline",
    "/review",
    "/tasks",
    "/health",
    "/settings",
)
QUESTIONS = (
    "how do I sort",
    "meeting",
    "what is a move constructor?",
    "joe",
    "where was the photo",
)
MARK = "A line that shows"


class Site(NamedTuple):
    """Pages that are served, and the cookie that opens them."""

    port: int
    cookie: str
    url: str

    def get(self, path: str) -> tuple[float, int, int]:
        """The milliseconds of a page, its bytes, its status."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=60)
        began = time.perf_counter()
        link.request("GET", path, headers={"cookie": self.cookie})
        answer = link.getresponse()
        size = len(answer.read())
        took = (time.perf_counter() - began) * 1000
        link.close()
        return took, size, answer.status

    def say(self, text: str) -> tuple[float, int, int]:
        """The milliseconds until the chat shows something of an answer, its bytes, its status."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=60)
        own = {"cookie": self.cookie, "origin": self.url}
        link.request("GET", "/", headers=own)
        page = link.getresponse().read().decode()
        token = re.findall(r'action="/chat"[^<]*<input[^<]*name="token" value="(\w+)"', page)[0]
        own |= {"content-type": "application/x-www-form-urlencoded", "x-aurelius-parts": "1"}
        began = time.perf_counter()
        link.request("POST", "/chat", urlencode({"token": token, "text": text}), own)
        answer = link.getresponse()
        first = answer.readline()
        took = (time.perf_counter() - began) * 1000
        size = len(first) + len(answer.read())
        link.close()
        return took, size, answer.status


def bench(vault: Path | None, runs: int) -> Iterator[Table]:
    """The tables of one vault, a personal one of 3,400 notes where none is given."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        source = vault
        if source is None:
            source = place / "made"
            make_personal_vault(source)
        made = Bench(source, place)
        made.run("index")
        start = _own_start(made)
        made.run("daemon", "start")
        try:
            yield _tables(made, start, runs)
        finally:
            made.run("daemon", "stop")


def _own_start(made: Bench) -> float:
    """Seconds until `serve` in a process of its own has told where the pages are, which answer."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        process = subprocess.Popen(
            [made.script, "serve", "--json", "--port", "0"],
            env=made.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout
        process.stdout.readline()
        took.append(time.perf_counter() - began)
        process.terminate()
        process.wait()
    return statistics.median(took)


def _signed_in(made: Bench) -> tuple[float, Site]:
    """Seconds until the daemon serves the pages, and the pages with a session."""
    took, out = made.run("serve", "--json", "--port", "0")
    told = json.loads(out)
    url = f"http://127.0.0.1:{told['port']}"
    link = HTTPConnection("127.0.0.1", told["port"], timeout=60)
    own = {"origin": url, "content-type": "application/x-www-form-urlencoded"}
    link.request("POST", "/sign-in", urlencode({"code": told["code"]}), own)
    answer = link.getresponse()
    answer.read()
    return took, Site(told["port"], (answer.getheader("set-cookie") or "").partition(";")[0], url)


def _memory(made: Bench) -> float:
    """Megabytes of the daemon, as it says."""
    return float(json.loads(made.run("daemon", "status", "--json")[1])["memory"]) / 1e6


def _tables(made: Bench, own_start: float, runs: int) -> Table:
    for each in QUESTIONS:  # so that what only a search needs is in memory before
        made.run("search", each, "--no-use")
    before = _memory(made)
    start, site = _signed_in(made)
    rows: list[tuple[str, ...]] = [("", "p50", "p95", "most kB")]
    for title, paths in _asked(made).items():
        rows.append(_row(title, site.get, paths, runs))
    rows.append(_row("the chat, first word", site.say, QUESTIONS, runs))
    after = _memory(made)
    rows += [
        ("start of a process of its own, s", f"{own_start:.2f}", "", ""),
        ("start in a running daemon, s", f"{start:.2f}", "", ""),
        ("memory beside the daemon, MB", f"{after - before:.0f}", "", ""),
        *_in_browser(made, site, runs),
    ]
    return f"pages, {len(made.notes):,} notes (ms over HTTP)", rows


def _asked(made: Bench) -> dict[str, list[str]]:
    """The paths that are asked for, by the title of their row."""
    chosen = random.Random(7).sample(made.notes, min(60, len(made.notes)))
    chosen.append(max(made.notes, key=lambda each: each.stat().st_size))
    facts = json.loads(made.run("list", "--type", "fact", "--json", "-n", "40")[1]).get("facts", [])
    notes = [f"/note/{quote(each.relative_to(made.vault).as_posix())}" for each in chosen]
    found = {path: [path] for path in FIXED}
    found["/memory/search"] = [f"/memory/search?{urlencode({'q': each})}" for each in QUESTIONS]
    found["/note/…"] = notes
    found["/note/… most linked to"] = [f"/note/{quote(each)}" for each in _hubs(made)]
    found["/note/… not there"] = ["/note/does-not-exist.md", "/note/nowhere"]
    found["/fact/…"] = [f"/fact/{each['id']}" for each in facts]
    return {title: paths for title, paths in found.items() if paths}


def _hubs(made: Bench) -> list[str]:
    """The paths of notes that most links lead to, by their names alone."""
    rows = made.connection().execute(
        "SELECT path FROM link JOIN name ON name.folded = link.folded AND source = 'file' JOIN note"
        " ON note.id = name.note WHERE NOT private GROUP BY path ORDER BY count(*) DESC LIMIT 10"
    )
    return [path for (path,) in rows]


def _row(
    title: str, ask: Callable[[str], tuple[float, int, int]], paths: Sequence[str], runs: int
) -> tuple[str, ...]:
    times = []
    most = 0
    for at in range(max(runs, len(paths))):
        took, size, status = ask(paths[at % len(paths)])
        if status not in {200, 404}:
            title = f"{title} ({status})"
        times.append(took)
        most = max(most, size)
    times.sort()
    late = times[int(len(times) * 0.95)] if len(times) > 19 else times[-1]
    return title, f"{statistics.median(times):.1f}", f"{late:.1f}", f"{most / 1000:.0f}"


def _in_browser(made: Bench, site: Site, runs: int) -> Iterator[tuple[str, ...]]:
    """First paint of the overview, and how soon a saved file shows."""
    from tests.chromium import chromium, why_no_browser

    if why_no_browser():
        yield (f"in a browser: {why_no_browser()}", "", "", "")
        return
    name, _, value = site.cookie.partition("=")
    with chromium() as browser:
        context = browser.new_context()
        context.add_cookies([{"name": name, "value": value, "url": site.url}])
        page = context.new_page()
        paints = []
        for _ in range(5):
            page.goto(f"{site.url}/memory")
            paints.append(page.evaluate(_FIRST_PAINT))
        yield ("first paint of the overview, ms", f"{statistics.median(paints):.0f}", "", "")
        note = made.vault / "resources" / "shown.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text("# Shown\n\nA note\n", "utf-8")
        made.run("search", "shown")
        page.goto(f"{site.url}/note/resources/shown.md")
        page.wait_for_timeout(2500)
        times = sorted(_shown(page, note, at) for at in range(min(runs, 30)))
    late = times[int(len(times) * 0.95)]
    yield ("saved → shown, ms", f"{statistics.median(times):.0f}", f"{late:.0f}", "")


_FIRST_PAINT = """() => new Promise(done => {
  const found = () => performance.getEntriesByName("first-contentful-paint")[0];
  const look = () => found() ? done(found().startTime) : setTimeout(look, 10);
  look();
})"""


def _shown(page: Any, note: Path, at: int) -> float:
    """Milliseconds from a save until the open page shows it."""
    page.wait_for_timeout(300 + 70 * (at % 7))
    note.write_text(f"# Shown\n\n{MARK} {at}.\n", "utf-8")
    began = time.perf_counter()
    page.get_by_text(f"{MARK} {at}.").wait_for(timeout=20_000)
    return (time.perf_counter() - began) * 1000
