"""Start of the daemon at every login: a systemd user unit, a launchd agent or a Windows scheduled
task.

It is shown before it is written, and switching it on is left to the person: the commands are told.
Paths are escaped as each format wants it; what a format cannot hold is a UsageError.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import daemon_folder, home
from indexer.errors import AureliusError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CARRIED = ("AURELIUS_INDEX", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Variables that say where index, settings and socket are: the daemon must go by the same ones as
the commands."""

RESTART_SECONDS = 30

_UNFIT = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that cannot stand in all three formats: controls, and bytes that are no text (PEP
383)."""


class InstallPlan(NamedTuple):
    """Plan of what is written: `text` into `file`, `data` being its bytes.

    `on` and `off` are the commands that switch it on and off; `notices` is what a person should
    know first.
    """

    kind: str
    file: str
    text: str
    encoding: str
    on: tuple[str, ...]
    off: tuple[str, ...]
    notices: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode(self.encoding)


def service_of(root: str, env: Mapping[str, str]) -> InstallPlan:
    """The plan by which the daemon of a vault runs at every login on this system."""
    from .control import daemon_command, search_path

    return plan_service(
        root,
        env,
        daemon_command(root),
        daemon_folder(root, env),
        platform=sys.platform,
        path=search_path(env),
    )


def plan_service(
    root: str,
    env: Mapping[str, str],
    words: Sequence[str],
    folder: str,
    *,
    platform: str,
    path: str = "",
) -> InstallPlan:
    """The plan for this `platform` (as sys.platform names it) by which `words` run at every login.

    `folder` is the daemon's folder, `path` what PYTHONPATH must be or "". UsageError for a path
    that cannot be written in that format.
    """
    values = {name: env.get(name, "") for name in CARRIED} | {"PYTHONPATH": path}
    carried = {name: value for name, value in values.items() if value}
    for text in (root, *words, *carried.values()):
        if _UNFIT.search(text):
            raise UsageError(
                "cannot install: this text has control characters or invalid bytes in it:"
                f" {text!r}",
                "rename the folder, or run `aurelius daemon start` yourself",
            )
    name = _name(root, folder)
    if platform == "win32":
        return _task(name, words, carried, folder, env)
    if platform == "darwin":
        return _agent(name, words, carried, folder, home(env))
    config = env.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        config = os.path.join(home(env), ".config")
    return _unit(name, words, carried, config)


def _name(root: str, folder: str) -> str:
    """A name of the vault's own in letters that every system takes: its folder's and its daemon
    folder's."""
    own = re.findall("[A-Za-z0-9]+", os.path.basename(root))
    return "-".join([*own, os.path.basename(folder)])[-60:].strip("-")


# -- systemd ---------------------------------------------------------------------------


def _unit(name: str, words: Sequence[str], carried: Mapping[str, str], config: str) -> InstallPlan:
    unit = f"aurelius-{name}.service"
    lines = [
        "[Unit]",
        f"Description=Aurelius keeps the index of {name} fresh",
        "",
        "[Service]",
        (
            f"ExecStart={_quoted(words[0])}"
            f" {' '.join(_quoted(word, dollar='$$') for word in words[1:])}"
        ),
        *(f"Environment={_quoted(f'{key}={value}')}" for key, value in carried.items()),
        "Restart=on-failure",
        f"RestartSec={RESTART_SECONDS}",
        "# Not after a mistake in the settings (3), nor while another daemon has the vault (6).",
        "RestartPreventExitStatus=2 3 6",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return InstallPlan(
        kind="systemd user unit",
        file=os.path.join(config, "systemd", "user", unit),
        text="\n".join(lines) + "\n",
        encoding="utf-8",
        on=("systemctl --user daemon-reload", f"systemctl --user enable --now {unit}"),
        off=(f"systemctl --user disable --now {unit}",),
    )


def _quoted(word: str, dollar: str = "$") -> str:
    """A word as systemd reads it in quotes: C escapes, %% for its specifiers, and $$ where it puts
    in variables."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{escaped}"'


# -- launchd ---------------------------------------------------------------------------


def _agent(
    name: str, words: Sequence[str], carried: Mapping[str, str], folder: str, home: str
) -> InstallPlan:
    import plistlib

    from .control import START_LOG

    label = f"aurelius.{name}"
    file = os.path.join(home, "Library", "LaunchAgents", f"{label}.plist")
    tree = {
        "Label": label,
        "ProgramArguments": list(words),
        "EnvironmentVariables": dict(carried),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": RESTART_SECONDS,
        "StandardErrorPath": os.path.join(folder, START_LOG),
    }
    from aurelius.settings.places import shell_word

    return InstallPlan(
        kind="launchd agent",
        file=file,
        text=plistlib.dumps(
            {key: value for key, value in tree.items() if value}, sort_keys=False
        ).decode("utf-8"),
        encoding="utf-8",
        on=(f"launchctl bootstrap gui/$(id -u) {shell_word(file)}",),
        off=(f"launchctl bootout gui/$(id -u)/{label}",),
    )


# -- Windows ---------------------------------------------------------------------------

TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Aurelius keeps the index of {name} fresh</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>{user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{command}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
"""Without a time limit and on batteries too; for this person alone, who therefore needs no rights
for it."""


def _task(
    name: str, words: Sequence[str], carried: Mapping[str, str], folder: str, env: Mapping[str, str]
) -> InstallPlan:
    import subprocess
    from xml.sax.saxutils import escape

    for word in words:
        if word.count("%") > 1 or "$(" in word:
            raise UsageError(
                f"a scheduled task would change {word!r}, because of the % or $( in it",
                "rename the folder, or run `aurelius daemon start` yourself",
            )
    file = os.path.join(folder, "task.xml")
    task = f"Aurelius\\{name}"
    user = "\\".join(env[part] for part in ("USERDOMAIN", "USERNAME") if env.get(part))
    quoted = subprocess.list2cmdline(["/XML", file])
    return InstallPlan(
        kind="scheduled task",
        file=file,
        text=TASK.format(
            name=escape(name),
            user=escape(user),
            command=escape(_windowless(words[0])),
            arguments=escape(subprocess.list2cmdline(words[1:])),
        ),
        encoding="utf-16",
        on=(f'schtasks /Create /TN "{task}" {quoted}', f'schtasks /Run /TN "{task}"'),
        off=(f'schtasks /Delete /TN "{task}" /F',),
        notices=tuple(
            f"{key} must be set for your account, or the scheduled task does not see it: "
            f"{subprocess.list2cmdline(['setx', key, value])}"
            for key, value in carried.items()
        ),
    )


def _windowless(program: str) -> str:
    """The Python that opens no console window, where it stands beside the other."""
    folder, _, name = program.rpartition("\\")
    without = f"{folder}\\pythonw.exe"
    if name.casefold() == "python.exe" and os.path.exists(without):
        return without
    return program


# -- the file --------------------------------------------------------------------------


def there(made: InstallPlan) -> str:
    """State of the file now: "same" as planned, "other", or "" where it does not exist."""
    try:
        with open(made.file, "rb") as stream:
            if stream.read() == made.data:
                return "same"
            return "other"
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise AureliusError(
            f"{made.file}: {error.strerror}", "remove what is at that path first"
        ) from error


def write_service(made: InstallPlan, folder: str) -> None:
    """Write the file, whole or not at all, and make the daemon's folder, where a launchd agent's
    output goes."""
    from aurelius.writing.own_files import replace_file
    from indexer.rows.lock import make_private

    try:
        make_private(folder)
        os.makedirs(os.path.dirname(made.file), exist_ok=True)
        replace_file(made.file, made.data, 0o644)
    except OSError as error:
        place = error.filename or made.file
        raise AureliusError(
            f"{place}: {error.strerror}", "make that folder writable, or write the file by hand"
        ) from error


def remove_service(made: InstallPlan) -> None:
    """Take the file away."""
    try:
        os.unlink(made.file)
    except FileNotFoundError:
        return
    except OSError as error:
        raise AureliusError(f"{made.file}: {error.strerror}", "delete it by hand") from error
