"""Long questions that a process of its own answers: what it finds, how it fails, and that it ends."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aurelius.api import plan_desk
from aurelius.memory import apart, known, review
from aurelius.vault import Vault
from indexer.errors import AureliusError
from indexer.live.live_index import Live

NOW = datetime.datetime(2026, 2, 10, 12)
NEVER_ENDS = "import time; time.sleep(600)"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """A vault of a server, for which every vault is a large one."""
    monkeypatch.setattr(apart, "FEW_NOTES", 0)
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    facts = "- Lives in Rome (2025-01-05)\n- Lives in Porto now (2026-01-05)\n"
    (root / "people" / "ann.md").write_text(f"# Ann\n\n## Facts\n\n{facts}")
    secret = f"---\nprivate: true\n---\n# Sam\n\n## Facts\n\n{facts}"
    (root / "people" / "sam.md").write_text(secret)
    env = {f"XDG_{each}_HOME": str(tmp_path / each) for each in ("CONFIG", "CACHE", "STATE")}
    live = Live(Vault.find(str(root), env, str(root), now=NOW).settings, lambda: None)
    with Vault.find(str(root), env, str(root), now=NOW, live=live) as found:
        found.index()
        yield found
    live.close()


def _settled(vault: Vault) -> known.Known:
    """What is known when nobody looks any more."""
    desk = plan_desk(vault)
    known.known_matters(desk)
    assert vault.live
    looking = known._KEEPERS[vault.live]._looking
    if looking:
        looking.join(60)
    return known.known_matters(desk, wait=0.0)


def test_it_finds_what_is_found_here_and_nothing_private(vault: Vault) -> None:
    found = _settled(vault)
    assert found.matters == review.open_matters(plan_desk(vault))
    assert found.is_all
    assert [each.page for each in found.matters] == ["people/ann.md"]


def test_it_is_asked_in_another_process(vault: Vault) -> None:
    assert apart.ask_beside(vault, _id_of_process) != os.getpid()


def _id_of_process(vault: Vault) -> int:
    del vault
    return os.getpid()


def _fails(vault: Vault) -> None:
    raise ValueError(f"no such thing in {len(vault.notices)} notices")


def _refuses(vault: Vault) -> None:
    raise AureliusError(f"{Path(vault.root).name} is closed today")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process finds the functions of this file."""
    monkeypatch.setattr(apart, "CODE", f"import sys; sys.path = {sys.path!r}\n{apart.CODE}")


@pytest.mark.parametrize(
    ("question", "why"),
    [(_fails, "ValueError: no such thing in 0 notices"), (_refuses, "vault is closed today")],
)
def test_what_it_raises_is_told(vault: Vault, question: Callable[[Vault], None], why: str) -> None:
    with pytest.raises(AureliusError) as raised:
        apart.ask_beside(vault, question)
    assert raised.value.message == why


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os._exit(3)", "ended with exit code 3"),
        ("raise SystemExit(0)", "answered what cannot be read"),
        ("print('nonsense' * 1000)", "answered what cannot be read"),
        (NEVER_ENDS, "was not done after 1 seconds"),
    ],
)
def test_a_process_that_fails_is_told_and_tried_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(apart, "CODE", code)
        broken.setattr(apart, "SECONDS_APART", 1.0)
        found = _settled(vault)
        assert (found.matters, found.is_all) == ((), False)
        assert why in found.why
    assert vault.live
    keeper = known._KEEPERS[vault.live]
    assert keeper.rests_until > time.monotonic() + 5, "not tried again at once"
    keeper.rests_until = 0.0
    assert _settled(vault).is_all


def test_what_was_found_stays_when_a_later_search_fails(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _settled(vault).matters
    monkeypatch.setattr(apart, "CODE", "import os; os._exit(3)")
    (Path(vault.root) / "new.md").write_text("# New\n")
    vault.refresh()
    found = _settled(vault)
    assert found.matters == before
    assert found.why


def test_no_process_is_left_when_the_server_ends(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "CODE", NEVER_ENDS)
    asking = threading.Thread(target=lambda: _settled(vault))
    asking.start()
    while not apart._GOING_ON:
        time.sleep(0.01)
    (process,) = apart._GOING_ON
    apart.end_processes()
    asking.join(30)
    assert process.poll() is not None
    assert not apart._GOING_ON


@pytest.mark.skipif(os.name == "nt", reason="asks for processes as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_ends_with_who_asked(tmp_path: Path, number: int) -> None:
    """However that one ends, Ctrl-C included."""
    told = tmp_path / "pid"
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import os, time\n"
        "def look(vault):\n"
        f"    open({str(told)!r} + '~', 'w').write(str(os.getpid()))\n"
        f"    os.rename({str(told)!r} + '~', {str(told)!r})\n"
        "    time.sleep(600)\n"
    )
    (tmp_path / "vault" / ".aurelius").mkdir(parents=True)
    asks = (
        f"import sys; sys.path = {[str(tmp_path), *sys.path]!r}\n"
        "import datetime, slow\n"
        "from aurelius.memory import apart\n"
        "from aurelius.vault import Vault\n"
        "apart.CODE = f'import sys; sys.path = {sys.path!r}\\n' + apart.CODE\n"
        f"root = {str(tmp_path / 'vault')!r}\n"
        f"env = {{'XDG_CACHE_HOME': {str(tmp_path)!r}, 'XDG_STATE_HOME': {str(tmp_path)!r}}}\n"
        "vault = Vault.find(root, env, root, now=datetime.datetime.now())\n"
        "apart.ask_beside(vault, slow.look)\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", asks], stderr=subprocess.DEVNULL)
    while not told.exists():
        assert asking.poll() is None
        time.sleep(0.02)
    asking.send_signal(number)
    assert asking.wait(30)
    until = time.monotonic() + 30
    while _is_there(int(told.read_text())):
        assert time.monotonic() < until
        time.sleep(0.02)


def _is_there(process: int) -> bool:
    """Whether a process is still at work; one that only waits to be taken note of is not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
