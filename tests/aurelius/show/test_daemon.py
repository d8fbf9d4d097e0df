from __future__ import annotations

from typing import Any

import pytest

from aurelius import __version__
from aurelius.daemon.control import DaemonProcess
from aurelius.daemon.install import InstallPlan
from aurelius.daemon.loop import DaemonState
from aurelius.show import daemon

STATE = DaemonState(
    pid=4711, version=__version__, vault="notes", since=1000.0, beat=4600.0, watching="native", why="", folders=12,
    unwatched=0, backlog=0, last_scan=4590.0, scan_seconds=0.25, next_scan=4650.0, notes=1, generation=3, fresh=True,
    failed=0, held=0, passes=7, served=5, memory=64_000_000, log="log", socket="socket", paused="",
)  # fmt: skip
PLAN = InstallPlan("unit", "/there/a.service", "[Unit]\n\x1b[31m\n", "utf-8", ("on now",), ("off now",))


def shown(wrong: tuple[str, ...] = (), **change: Any) -> dict[str, str]:
    state = STATE._replace(**change)
    text = daemon.daemon(DaemonProcess("/notes", "", 4711, state), wrong, 4600.5)
    return {line[:16].strip(): line[16:] for line in text.splitlines()}


def test_everything_a_person_asks_for_is_there() -> None:
    """Issue: heartbeat, backlog, last full scan, watcher kind, memory, the log's place."""
    assert shown() == {
        "daemon": f"running, pid 4711, version {__version__}",
        "vault": "/notes",
        "running for": "60 min",
        "heartbeat": "0.5 s ago",
        "watching": "12 folders",
        "backlog": "0 folders waiting",
        "last full scan": "10 s ago (0.25 s)",
        "next full scan": "in 50 s",
        "index": "1 note, generation 3, up to date",
        "passes": "7, 5 requests answered",
        "memory": "64.0 MB",
        "log": "log",
        "socket": "socket",
    }


def test_what_is_out_of_the_ordinary_is_told() -> None:
    assert shown(watching="scanning", unwatched=3)["watching"] == "by scanning all folders, 3 not watched"
    assert shown(unwatched=3)["watching"] == "12 folders, 3 more by scanning"
    assert shown(fresh=False, notes=2)["index"] == "2 notes, generation 3, not up to date"
    assert shown(last_scan=0.0, next_scan=0.0, memory=0)["last full scan"] == "none yet"
    assert shown(next_scan=0.0)["next full scan"] == "now"
    assert shown(memory=0)["memory"] == "unknown"
    assert shown(failed=2)["failed"] == "2; `aurelius status` says more"
    assert shown(held=9)["held"] == "9; `aurelius status` says more"
    assert shown(("no watches are left",))["problem"] == "no watches are left"


def test_what_a_daemon_tells_steers_no_terminal() -> None:
    text = daemon.daemon(
        DaemonProcess("/no\x1btes\n", "", 1, STATE._replace(version="\x1b[2J", log="\x1b", socket="\n")),
        ("\x07",),
        5000,
    )
    assert text.isprintable() or not set(text) - {"\n"} & {chr(code) for code in range(32)} - {"\n"}
    assert "\x1b" not in text
    assert "\x1b" not in daemon.installation(PLAN, "")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "0.0 s"), (0.31, "0.3 s"), (9.94, "9.9 s"), (10, "10 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"),
     (7200, "2 h"), (172799, "48 h"), (172800, "2 days"), (8640000, "100 days")],
)  # fmt: skip
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert daemon.span(seconds) == said


def test_an_installation_is_shown_whole() -> None:
    assert daemon.installation(PLAN, "").splitlines() == [
        "unit, to be written to /there/a.service:", "", "  [Unit]", "  \\x1b[31m", "",
        "to switch it on:", "  on now", "to switch it off:", "  off now",
    ]  # fmt: skip
    assert "would replace the text in /there/a.service" in daemon.installation(PLAN, "other")
    assert "already in /there/a.service" in daemon.installation(PLAN, "same")


def test_what_is_taken_away_is_shown() -> None:
    assert daemon.uninstallation(PLAN, "same").splitlines() == [
        "unit to be removed: /there/a.service", "to switch it off first:", "  off now",
    ]  # fmt: skip
    assert "changed after it was written" in daemon.uninstallation(PLAN, "other")
    assert daemon.uninstallation(PLAN, "") == "nothing is installed: /there/a.service does not exist"
