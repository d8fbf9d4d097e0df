"""Long questions to a vault, answered in a process of their own, so that a server lacks neither the
memory that they need nor its turns to compute.

That process reads what to do on its standard input, writes what it found on its output, and ends as
soon as the input does: it never outlives who asked, however that one ended.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
import time
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from aurelius.vault import Vault
from indexer.errors import AureliusError

if TYPE_CHECKING:
    from collections.abc import Callable

    _T = TypeVar("_T")

FEW_NOTES = 300
"""Notes up to which a question is answered here: another process would take longer to begin."""
SECONDS_APART = 900.0
"""Seconds after which a process that did not answer is ended."""
CODE = "from aurelius.memory.apart import answer; answer()"
"""What the process runs."""
_MOST_BYTES = 256 << 20
"""Bytes of an answer."""
_DIGEST_BYTES = sha256().digest_size
_NICENESS = 10
_GOING_ON: set[subprocess.Popen[bytes]] = set()


def is_apart(vault: Vault) -> bool:
    """Whether long questions to a vault are answered in a process of their own."""
    return vault.live is None or vault.live.state().notes > FEW_NOTES


def ask_beside(vault: Vault, question: Callable[[Vault], _T]) -> _T:
    """What a public function of the product answers of a vault, asked with an index of its own, as
    another thread or process needs one.  AureliusError as it raises it, or where the process fails,
    or does not answer in time."""
    opened = (vault.config, vault.index_folder, vault.now)
    more = (dict(vault.env), vault.zone)
    if is_apart(vault):
        found: _T = _asked(pickle.dumps((question, (*opened, None, *more))))
        return found
    with Vault(*opened, vault.live, *more) as own:
        return question(own)


def end_processes() -> None:
    """End every process that answers this one."""
    for each in [*_GOING_ON]:
        each.kill()


def _asked(question: bytes) -> Any:
    """What a new process answers."""
    began = time.monotonic()
    try:
        process = _started()
    except OSError as error:
        raise AureliusError(f"no process can be started: {error.strerror or error}") from None
    _GOING_ON.add(process)
    late = threading.Timer(SECONDS_APART, process.kill)
    late.daemon = True
    late.start()
    assert process.stdin is not None and process.stdout is not None  # noqa: PT018  they are pipes
    try:
        with suppress(OSError):  # where it has ended, its code says more
            process.stdin.write(question)
            process.stdin.flush()
        said = process.stdout.read(_MOST_BYTES)
        code = process.wait()
    finally:
        late.cancel()
        process.kill()
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        process.wait()
        _GOING_ON.discard(process)
    if time.monotonic() - began >= SECONDS_APART:
        raise AureliusError(f"it was not done after {SECONDS_APART:.0f} seconds")
    return _read(said, code)


def _started() -> subprocess.Popen[bytes]:
    """A process of low priority, which keys that somebody presses do not reach."""
    manner: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        names = ("CREATE_NO_WINDOW", "CREATE_NEW_PROCESS_GROUP", "BELOW_NORMAL_PRIORITY_CLASS")
        manner = {"creationflags": sum(getattr(subprocess, each) for each in names)}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **manner,
    )


def _read(said: bytes, code: int) -> Any:
    """What a process said; AureliusError where that is an error, or nothing that can be read."""
    if code:
        raise AureliusError(f"its process ended with exit code {code}")
    data = said[_DIGEST_BYTES:]
    if sha256(data).digest() != said[:_DIGEST_BYTES]:
        raise AureliusError("its process answered what cannot be read")
    why, found = pickle.loads(data)  # noqa: S301  it is whole, and only our own process wrote it
    if why:
        raise AureliusError(why)
    return found


# -- in the process that answers -------------------------------------------------------


def answer() -> None:
    """Answer the question on the standard input, and end the process."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    gc.set_threshold(100_000)  # it is over before there is much to collect
    asks = open(0, "rb", closefd=False)  # noqa: SIM115  the process ends with it
    question, opened = pickle.load(asks)  # noqa: S301  whoever started this process wrote it
    threading.Thread(target=_end_with, args=(asks,), daemon=True).start()
    why = ""
    found = None
    try:
        with Vault(*opened) as vault:
            found = question(vault)
    except AureliusError as error:
        why = error.message
    except Exception as error:  # noqa: BLE001  whoever asked tells it to the person
        why = f"{type(error).__name__}: {error}"
    data = pickle.dumps((why, found))
    told = sha256(data).digest() + data
    while told:
        told = told[os.write(1, told) :]
    os._exit(0)


def _end_with(asks: BinaryIO) -> None:
    """End when whoever asked closes the input, or has ended."""
    asks.read(1)
    os._exit(1)
