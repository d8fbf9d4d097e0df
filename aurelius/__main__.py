"""`aurelius` and `python -m aurelius`: gathers what the process knows, and hands it to the daemon
or runs it here."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # as type checkers know it; what `typing` costs is a third of the whole run
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn, TextIO

    from aurelius.cli.run import Context
    from aurelius.daemon.client import Answer


def main() -> NoReturn:
    """Run the command line of this process and end the process with its exit code."""
    out = _stream(sys.stdout)
    err = _stream(sys.stderr)
    argv = sys.argv[1:]
    taken = _Stdin()
    event = _event(argv)
    if event and not taken.isatty():
        from aurelius.agents.hook_process import answer_hook

        answer_hook(argv, event, taken.read, lambda line: _do(line, taken), os.environ, _cwd())
    try:
        if _words(argv)[:2] == ["daemon", "run"]:
            _heed_signals()
        from aurelius.daemon.client import ask_daemon

        terminals = (out.isatty(), err.isatty(), taken.isatty())
        answer = ask_daemon(argv, _told(out), _cwd(), terminals=terminals, stdin=taken.read)
        code = _write(answer, argv, out, err) if answer else _here(argv, taken, out, err)
    except KeyboardInterrupt as error:  # before the command began, or while the daemon runs it
        from aurelius.cli.run import report_failure

        code = report_failure(error, _context(taken, out, err))
    if os.environ.get("AURELIUS_DEBUG"):
        sys.exit(code)  # a profiler has something to do at exit
    _leave(code, out, err)


def _words(argv: Sequence[str]) -> list[str]:
    """The words of a command line that are neither options nor the values of those that may stand
    in front of a command; without an import, at whose end a signal would be lost."""
    valued = ("--vault", "--now", "--session", "--agent")
    pairs = zip(["", *argv], argv, strict=False)
    return [word for before, word in pairs if word[:1] != "-" and before not in valued]


def _heed_signals() -> None:
    """Have signals leave word for the daemon from here on: what they raise as an import ends,
    Python swallows."""
    early: list[int] = []
    signals = sys.modules.get("_signal") or __import__("signal")  # `signal` itself imports others
    for number in (signals.SIGTERM, signals.SIGINT):
        signals.signal(number, lambda number, _: early.append(number))
    from aurelius.daemon.jobs import heed_signals

    wake = heed_signals()
    if early:
        wake.stop(early[0])


def _event(argv: Sequence[str]) -> str:
    """The event of a client program that a command line is a hook for; "" for any other line, and
    for one that a person only looks at."""
    if "hook" not in argv or "--dry-run" in argv:
        return ""
    from aurelius.agents.deadline import HOOK_EVENTS

    command, event, *_ = [*_words(argv), "", ""]
    return event if command == "hook" and event in HOOK_EVENTS else ""


def _do(argv: Sequence[str], stdin: _Stdin) -> str:
    """What this process says to an event."""
    from aurelius.cli.run import Context

    out = io.StringIO()
    run_line(
        argv,
        Context(
            cwd=_cwd(), env=os.environ, tty=False, stdin=stdin.stream(), out=out, err=io.StringIO()
        ),
    )
    return out.getvalue()


class _Stdin:
    """Standard input, which the daemon may have asked for before it went away."""

    def __init__(self) -> None:
        self._data: bytes | None = None

    def isatty(self) -> bool:
        """Whether a person types it."""
        return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()

    def read(self) -> bytes:
        """All of it, kept for a second look."""
        if self._data is None:
            self._data = b"" if sys.stdin is None else sys.stdin.buffer.read()
        return self._data

    def stream(self) -> TextIO:
        """What a command in this process reads."""
        if sys.stdin is None:
            return io.StringIO()
        if self._data is None:
            return sys.stdin
        return io.TextIOWrapper(
            io.BytesIO(self._data), encoding=sys.stdin.encoding, errors=sys.stdin.errors
        )


def _here(
    argv: list[str],
    stdin: _Stdin,
    out: TextIO,
    err: TextIO,
) -> int:
    """Run the command in this process."""
    import gc

    gc.set_threshold(
        100_000
    )  # a command is over before there is anything to collect; indexing still collects
    if out.isatty():
        from aurelius.cli import programs

        if programs.is_wanted(argv, os.environ):
            return _paged(argv, stdin, out, err)
    return run_line(argv, _context(stdin, out, err))


def _paged(
    argv: list[str],
    stdin: _Stdin,
    out: TextIO,
    err: TextIO,
) -> int:
    """Run the command in this process, and show what it wrote in a pager."""
    from aurelius.cli import programs

    held = programs.Held(out)
    context = _context(stdin, held, err)
    code = run_line(argv, context)
    try:
        programs.show_paged(held.getvalue(), out, os.environ)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 as below
        from aurelius.cli.run import report_failure

        return report_failure(error, context)
    return code


def run_line(argv: Sequence[str], context: Context) -> int:
    """Run a command line in this process; its exit code."""
    from aurelius.cli.line import run_command_line
    from aurelius.cli.run import COMPLETE

    code = None
    if COMPLETE in context.env:
        from aurelius.cli.complete import answer_shell

        code = answer_shell(context)
    if code is None:
        code = run_command_line(argv, context)
    return code or 0


def _write(
    answer: Answer,
    argv: Sequence[str],
    out: TextIO,
    err: TextIO,
) -> int:
    """Write what the daemon's command wrote, through the streams it would have been written to
    here."""
    try:
        _put(answer.out.decode(), argv, out)
        err.write(answer.err.decode())
        out.flush()
    # A person must never meet a bare traceback.
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001
        from aurelius.cli.run import report_failure

        return report_failure(error, _context(_Stdin(), out, err))
    return answer.code


def _put(text: str, argv: Sequence[str], out: TextIO) -> None:
    """Write a whole answer: through a pager where a person looks at it, and it is longer than the
    screen."""
    if out.isatty():
        from aurelius.cli import programs

        if not programs.fits(text, out) and programs.is_wanted(argv, os.environ):
            programs.show_paged(text, out, os.environ)
            return
    out.write(text)


def _columns(out: TextIO) -> int:
    """How wide the terminal is that `out` goes to; 0 where it is none, or does not say."""
    try:
        return os.get_terminal_size(out.fileno()).columns if out.isatty() else 0
    except (OSError, ValueError):
        return 0


def _told(out: TextIO) -> Mapping[str, str]:
    """The environment as a daemon is told it: with the width of the terminal, which only this
    process knows."""
    columns = _columns(out)
    if columns and not os.environ.get("COLUMNS"):
        return {**os.environ, "COLUMNS": str(columns)}
    return os.environ


def _context(stdin: _Stdin, out: TextIO, err: TextIO) -> Context:
    from aurelius.cli.run import Context

    return Context(
        cwd=_cwd(),
        env=os.environ,
        tty=out.isatty(),
        stdin=stdin.stream(),
        out=out,
        err=err,
        columns=_columns(out),
    )


def _leave(code: int, *streams: TextIO) -> NoReturn:
    """End at once: everything is closed, and taking the interpreter apart costs half as much as
    starting it."""
    for stream in streams:
        try:  # noqa: SIM105 contextlib would have to be imported
            stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(code)


def _stream(stream: TextIO | None) -> TextIO:
    """The stream set to write whatever a note or a file name may hold; a closed one (`>&-`)
    swallows."""
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
