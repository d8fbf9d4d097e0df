"""`aurelius` and `python -m aurelius`: gathers what the process knows and hands it on."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from aurelius.command import STOPPED, Context
from aurelius.fast import main as run

if TYPE_CHECKING:
    from typing import TextIO


def main() -> int:
    """Run the command line of this process; its exit code."""
    out, err = _stream(sys.stdout), _stream(sys.stderr)
    try:
        return run(sys.argv[1:], Context(_cwd(), os.environ, out.isatty(), sys.stdin, out, err))
    except KeyboardInterrupt:  # before the command began
        return STOPPED


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
    sys.exit(main())
