"""`aurelius` and `python -m aurelius`: gathers what the process knows and hands it on."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from aurelius.command import Context
from aurelius.fast import main as run

if TYPE_CHECKING:
    from typing import TextIO


def main() -> int:
    """Run the command line of this process; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A file name that is not UTF-8, or a terminal that cannot show a character, must not end a command.
        _speak_utf8(stream)
    context = Context(_cwd(), os.environ, sys.stdout.isatty(), sys.stdin, sys.stdout, sys.stderr)
    return run(sys.argv[1:], context)


def _speak_utf8(stream: TextIO) -> None:
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # the working directory was removed
        return os.sep


if __name__ == "__main__":
    sys.exit(main())
