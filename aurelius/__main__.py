"""`aurelius` and `python -m aurelius`: gathers what the process knows and hands it on."""

from __future__ import annotations

import gc
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from aurelius.command import STOPPED, Context
from aurelius.fast import main as run

if TYPE_CHECKING:
    from typing import NoReturn, TextIO


def main() -> NoReturn:
    """Run the command line of this process and end the process with its exit code."""
    gc.set_threshold(100_000)  # a command is over before there is anything to collect; indexing still collects
    out, err = _stream(sys.stdout), _stream(sys.stderr)
    try:
        code = run(sys.argv[1:], Context(_cwd(), os.environ, out.isatty(), sys.stdin, out, err))
    except KeyboardInterrupt:  # before the command began
        code = STOPPED
    if os.environ.get("AURELIUS_DEBUG"):
        sys.exit(code)  # a profiler has something to do at exit
    _leave(code, out, err)


def _leave(code: int, *streams: TextIO) -> NoReturn:
    """End at once: everything is closed, and taking the interpreter apart costs half as much as starting it."""
    for stream in streams:
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _stream(stream: TextIO | None) -> TextIO:
    """The stream set to write whatever a note or a file name may hold; a closed one (`>&-`) swallows."""
    if stream is None:
        return io.StringIO()
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return stream


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # the working directory was removed
        return os.sep


if __name__ == "__main__":
    main()
