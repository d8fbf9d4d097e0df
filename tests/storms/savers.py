"""How programs really save a note: as recorded system calls, and by the programs themselves where installed.

A saver is `save(note, data, aside)`: afterwards the note holds these bytes.  `aside` is a folder
outside the vault, on the same file system, for what a program keeps elsewhere.  What each leaves in the
vault besides the note (swap, lock, backup and temporary files) is part of the pattern.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

Saver = Callable[[Path, bytes, Path], None]

PATIENCE = 20.0
"""Seconds that a program may take to save one note on a busy machine."""


def write_to(path: Path, flags: int, data: bytes, *, flush: bool = False) -> None:
    """Open, write, perhaps fsync, close: what most savers are made of."""
    file = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0) | flags, 0o644)
    try:
        for start in range(0, len(data) or 1, 4096):
            os.write(file, data[start : start + 4096])
        if flush:
            os.fsync(file)
    finally:
        os.close(file)


def replace_by(note: Path, temporary: Path, data: bytes) -> None:
    """A new file beside the note, moved over it."""
    write_to(temporary, os.O_CREAT | os.O_EXCL, data, flush=True)
    if note.exists():
        shutil.copymode(note, temporary)
    temporary.replace(note)


# -- in place ---------------------------------------------------------------------------------------


def truncated(note: Path, data: bytes, _: Path) -> None:
    """A shell's `>`: whoever reads in between sees nothing."""
    write_to(note, os.O_CREAT | os.O_TRUNC, data)


def vscode(note: Path, data: bytes, _: Path) -> None:
    """VS Code: truncated when opened, written, flushed."""
    write_to(note, os.O_CREAT | os.O_TRUNC, data, flush=True)


def obsidian(note: Path, data: bytes, _: Path) -> None:
    """Obsidian: written in place, then given the time that the app wrote down for it, in whole milliseconds."""
    write_to(note, os.O_CREAT | os.O_TRUNC, data)
    now = time.time_ns() // 1_000_000 * 1_000_000
    os.utime(note, ns=(now, now))


def overwritten(note: Path, data: bytes, _: Path) -> None:
    """The new bytes over the old ones, the rest cut off at the end."""
    write_to(note, os.O_CREAT, data)
    os.truncate(note, len(data))


def mapped(note: Path, data: bytes, _: Path) -> None:
    """Through memory: the kernel tells of no write, only of the file being closed."""
    file = os.open(note, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.ftruncate(file, len(data))
        with mmap.mmap(file, len(data)) as memory:
            memory[:] = data
            memory.flush()
    finally:
        os.close(file)


def appended(note: Path, data: bytes, _: Path) -> None:
    """`>>`, as far as the new text goes on where the old one ended; else all of it anew."""
    old = note.read_bytes() if note.exists() else b""
    more = data.startswith(old) and old != data
    write_to(
        note, os.O_CREAT | (os.O_APPEND if more else os.O_TRUNC), data[len(old) :] if more else data
    )


def time_put_back(note: Path, data: bytes, _: Path) -> None:
    """In place, then `touch -r`: the time is as it was before."""
    before = note.stat() if note.exists() else None
    write_to(note, os.O_CREAT | os.O_TRUNC, data)
    if before is not None:
        os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))


def linked(note: Path, data: bytes, aside: Path) -> None:
    """Through a second name in another folder: no event names the note's folder."""
    other = aside / f"linked-{note.name}"
    if not note.exists():
        write_to(note, os.O_CREAT, b"")
    if not other.exists() or not other.samefile(note):
        other.unlink(missing_ok=True)
        other.hardlink_to(note)
    write_to(other, os.O_TRUNC, data)


# -- a new file in the place of the old --------------------------------------------------------------


def vim_moved(note: Path, data: bytes, _: Path) -> None:
    """Vim by default: a swap file, a probe, the note moved aside, a new one written, the old one removed."""
    swap, probe, backup = (
        note.with_name(f".{note.name}.swp"),
        note.with_name("4913"),
        note.with_name(f"{note.name}~"),
    )
    write_to(swap, os.O_CREAT | os.O_EXCL, b"b0VIM 9.0".ljust(4096, b"\0"))
    write_to(probe, os.O_CREAT | os.O_EXCL, b"")
    probe.unlink()
    if note.exists():
        note.replace(backup)
    write_to(note, os.O_CREAT | os.O_TRUNC, data, flush=True)
    backup.unlink(missing_ok=True)
    swap.unlink()


def emacs(note: Path, data: bytes, _: Path) -> None:
    """Emacs: a lock that links to nowhere, its own copy, the note moved to `note~` and written anew."""
    lock, copy = note.with_name(f".#{note.name}"), note.with_name(f"#{note.name}#")
    lock.symlink_to("joe@example.4711:1700000000")
    write_to(copy, os.O_CREAT | os.O_TRUNC, data[: len(data) // 2])
    if note.exists():
        note.replace(note.with_name(f"{note.name}~"))
    write_to(note, os.O_CREAT | os.O_TRUNC, data, flush=True)
    copy.unlink()
    lock.unlink()


def gedit(note: Path, data: bytes, _: Path) -> None:
    """GNOME's editors: `.goutputstream-`, moved over the note."""
    replace_by(note, note.with_name(f".goutputstream-{os.urandom(3).hex().upper()}"), data)


def kate(note: Path, data: bytes, _: Path) -> None:
    """KDE's editors: a temporary name that begins with the note's own."""
    replace_by(note, note.with_name(f"{note.name}.{os.urandom(3).hex()}"), data)


def syncthing(note: Path, data: bytes, _: Path) -> None:
    """Syncthing: its temporary file, with the time that the file has on the other machine."""
    temporary = note.with_name(f".syncthing.{note.name}.tmp")
    write_to(temporary, os.O_CREAT | os.O_EXCL, data, flush=True)
    os.utime(temporary, (1_700_000_000, 1_700_000_000))
    temporary.replace(note)


def agent(note: Path, data: bytes, _: Path) -> None:
    """An agent's file tool: `note.md.tmp.PID.TIME`, moved over the note."""
    replace_by(
        note, note.with_name(f"{note.name}.tmp.{os.getpid()}.{time.time_ns() // 1_000_000}"), data
    )


def jetbrains(note: Path, data: bytes, _: Path) -> None:
    """IDEs with safe write: two temporary names, both of which end in neither `.md` nor `.tmp`."""
    new, old = (
        note.with_name(f"{note.name}___jb_tmp___"),
        note.with_name(f"{note.name}___jb_old___"),
    )
    write_to(new, os.O_CREAT | os.O_EXCL, data)
    if note.exists():
        note.replace(old)
    new.replace(note)
    old.unlink(missing_ok=True)


def removed_first(note: Path, data: bytes, _: Path) -> None:
    """As git does it: removed, then made again, often with the same inode."""
    note.unlink(missing_ok=True)
    write_to(note, os.O_CREAT | os.O_EXCL, data)


def from_outside(note: Path, data: bytes, aside: Path) -> None:
    """Written elsewhere and moved into the vault: `mv`, a download, a browser."""
    replace_by(note, aside / f"outside-{os.urandom(4).hex()}", data)


def exchanged(note: Path, data: bytes, _: Path) -> None:
    """Two files trade names in one step; where that cannot be done, one after the other."""
    other = note.with_name(f"{note.name}.swapped")
    write_to(other, os.O_CREAT | os.O_TRUNC, data)
    if not note.exists() or not _exchange(note, other):
        other.replace(note)
    other.unlink(missing_ok=True)


def _exchange(one: Path, other: Path) -> bool:
    """renameat2(RENAME_EXCHANGE); False where the system has none."""
    call = (
        getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        if sys.platform == "linux"
        else None
    )
    if call is None:
        return False
    if call(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0:
        return True
    if ctypes.get_errno() in {errno.EINVAL, errno.ENOSYS}:
        return False
    raise OSError(ctypes.get_errno(), "renameat2")


RECORDED: dict[str, Saver] = {
    "truncate and write": truncated,
    "VS Code (recorded)": vscode,
    "Obsidian (recorded)": obsidian,
    "overwrite and cut": overwritten,
    "memory map": mapped,
    "append": appended,
    "time put back": time_put_back,
    "vim (recorded)": vim_moved,
    "Emacs (recorded)": emacs,
    "gedit (recorded)": gedit,
    "Kate (recorded)": kate,
    "Syncthing (recorded)": syncthing,
    "agent's tool (recorded)": agent,
    "JetBrains (recorded)": jetbrains,
    "remove and create": removed_first,
    "moved in": from_outside,
    "exchange of names": exchanged,
}


# -- the programs themselves ---------------------------------------------------------------------------


def program(*words: str | Path, cwd: Path, stdin: bytes | None = None) -> None:
    """Run a program to its end; CalledProcessError with what it said."""
    done = subprocess.run(
        words,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
        env={**os.environ, "HOME": str(cwd)},
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, words, done.stdout, done.stderr)


def vim(note: Path, data: bytes, aside: Path, *, copy: str = "auto") -> None:
    """Vim itself, with the swap and backup files that it has outside a temporary folder."""
    new = aside / "vim.txt"
    new.write_bytes(data)
    settings = f"set nocompatible backupskip= backupcopy={copy} directory=. updatecount=1"
    change = f"silent %d _ | call setline(1, readfile('{new}')) | write | quit"
    program(
        "vim", "-u", "NONE", "-i", "NONE", "-es", "--cmd", settings, "-c", change, note, cwd=aside
    )


def vim_in_place(note: Path, data: bytes, aside: Path) -> None:
    """Vim with backupcopy=yes: a copy aside, the note itself overwritten."""
    vim(note, data, aside, copy="yes")


def nano(note: Path, data: bytes, aside: Path) -> None:
    """Nano, at a terminal: everything cut, the text typed, saved, left."""
    import pty  # Windows has none

    keyboard, screen = pty.openpty()
    process = subprocess.Popen(
        ["nano", "--ignorercfiles", str(note)],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        cwd=aside,
        start_new_session=True,
        env={**os.environ, "HOME": str(aside), "TERM": "xterm", "LC_ALL": "C.UTF-8"},
    )
    os.close(screen)
    try:
        _read_until_quiet(keyboard)
        for keys in (b"\x1bt", data.removesuffix(b"\n").replace(b"\n", b"\r"), b"\x13", b"\x18"):
            os.write(keyboard, keys)
            _read_until_quiet(keyboard)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)


def _read_until_quiet(terminal: int) -> None:
    """Take what a program draws, until it has drawn nothing for a moment or hangs up."""
    deadline = time.monotonic() + PATIENCE
    wait = 2.0
    while time.monotonic() < deadline and select.select([terminal], [], [], wait)[0]:
        wait = 0.05
        try:
            if not os.read(terminal, 65536):
                return
        except OSError:
            return


def sed(note: Path, data: bytes, aside: Path) -> None:
    """`sed -i`: every line out, the new ones in."""
    new = aside / "sed.txt"
    new.write_bytes(data)
    if not note.exists():
        note.write_text("\n")
    program("sed", "-i", "-e", f"1r {new}", "-e", "d", note, cwd=aside)


def perl(note: Path, data: bytes, aside: Path) -> None:
    """`perl -pi`: the file taken away under its name and written anew."""
    new = aside / "perl.txt"
    new.write_bytes(data)
    if not note.exists() or not note.stat().st_size:
        note.write_text("\n")
    program(
        "perl",
        "-0777",
        "-pi",
        "-e",
        f"local $/; open my $f, '<', '{new}'; $_ = <$f>",
        note,
        cwd=aside,
    )


def rsync(note: Path, data: bytes, aside: Path) -> None:
    """`rsync -a`: `.note.md.XXXXXX`, given the source's time, moved over."""
    source = aside / "source" / note.name
    source.parent.mkdir(exist_ok=True)
    source.write_bytes(data)
    program("rsync", "-a", "--ignore-times", source, note, cwd=aside)


def git(note: Path, data: bytes, aside: Path) -> None:
    """`git checkout-index`: what every checkout, stash and pull does to a file."""
    if not (aside / "git").exists():
        program("git", "init", "-q", aside / "git", cwd=aside)
    words = ["git", f"--git-dir={aside / 'git' / '.git'}", f"--work-tree={note.parent}"]
    blob = aside / "blob"
    blob.write_bytes(data)
    found = subprocess.run(
        [*words, "hash-object", "--no-filters", "-w", str(blob)],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    program(
        *words,
        "update-index",
        "--add",
        "--cacheinfo",
        f"100644,{found.stdout.decode().strip()},{note.name}",
        cwd=aside,
    )
    program(*words, "checkout-index", "-f", note.name, cwd=note.parent)


REAL: dict[str, tuple[str, Saver]] = {
    "vim": ("vim", vim),
    "vim, backupcopy=yes": ("vim", vim_in_place),
    "nano": ("nano", nano),
    "sed -i": ("sed", sed),
    "perl -pi": ("perl", perl),
    "rsync": ("rsync", rsync),
    "git": ("git", git),
}
"""Name → the program that has to be installed, and the saver."""


def installed() -> tuple[dict[str, Saver], dict[str, str]]:
    """The savers that can be used here, and why the others cannot."""
    found = dict(RECORDED)
    missing = {}
    for name, (command, save) in REAL.items():
        if shutil.which(command):
            found[name] = save
        else:
            missing[name] = f"{command} is not installed"
    return found, missing
