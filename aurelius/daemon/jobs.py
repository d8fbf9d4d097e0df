"""What wakes and stops the daemon's loop: signals, and jobs that it does by itself, on schedule.

A signal is noted here and interrupts nothing. An exception that a signal handler raises comes out
wherever the process happens to be: inside an import or a finaliser Python swallows it, and the
daemon would run on.

Only jobs that are switched on and agreed to are done, and on one device only. `[jobs] summarize`,
`archive`, `extract` and `maintain` switch jobs on. `[jobs] device` names the one device that does
them; where none is named it is the only one that has written the usage log in the last 30 days,
else the last that wrote it; in a vault without a log, this one. When a job was done last is kept in
the user's state folder, so that one which fell due while no daemon ran is done when the next one
starts. Until a job is due nothing is written, and only once an hour anything read.
"""

from __future__ import annotations

import datetime
import os
import signal
from collections import Counter
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing.usage_log import LOG_FOLDER
from aurelius.settings.places import VAULT_FOLDER, shell_word
from aurelius.settings.schedule import following
from indexer.errors import AureliusError
from indexer.usage.log_line import log_file_home, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurelius.plans.plan import Desk, Plan
    from aurelius.settings.config import Config
    from aurelius.vault import Vault
    from indexer.live.live_index import Live

WEEKLY = "0 4 * * 1"
"""Time of the weekly job, as cron writes it: Mondays at four, by the clock of the machine."""
_EXTRACT_TIME = "0 3 * * *"
_MAINTAIN_TIME = "30 3 * * *"
"""Times of the daily jobs: at three and half past, by the clock of the machine."""
SECONDS_UNTIL_RETRY = 3600.0
"""Seconds until a job that failed is tried again."""
NEVER = float("inf")
LATELY = datetime.timedelta(days=30)
"""A device that has written the usage log within this time uses the vault."""
JOBS = ("jobs.summarize", "jobs.archive", "jobs.extract", "jobs.maintain")
"""Settings that switch a job on."""
_LOG_TAIL_BYTES = 1 << 16
"""Bytes at the end of a log file in which its last event is looked for."""


class Job(NamedTuple):
    """A job that is switched on: its name, when it runs as cron writes it, what it writes, and what
    does it."""

    name: str
    when: str
    what: str
    run: Callable[[Vault], str]


class Jobs:
    """The jobs of one vault's daemon.  `tell` takes a line for its log."""

    def __init__(self, root: str, env: Mapping[str, str], tell: Callable[[str], None]) -> None:
        self._root = root
        self._env = env
        self._tell = tell
        self._due: dict[str, float] | None = None
        self._look_at = 0.0

    def settings_changed(self) -> None:
        """Note that the settings changed, so that they are read when next needed."""
        self._due = None

    def duties(self) -> list[str]:
        """Lines that say what will be written here; none where nothing will."""
        from aurelius.settings.config import load_config

        config = load_config(self._root, self._env)
        now = datetime.datetime.now()
        if switched_on(config) and is_here(config, self._env, now):
            return describe_jobs(config, self._env, now)
        return []

    def due(self, now: float, live: Live | None = None) -> None:
        """Do the jobs that are due at this unix time; one that fails is told, and tried again.
        ConfigError."""
        if self._due is not None and now < min([self._look_at, *self._due.values()]):
            return
        from aurelius.settings.config import load_config

        config = load_config(self._root, self._env)
        # the clock of the machine is the person's here
        here = is_here(config, self._env, datetime.datetime.fromtimestamp(now))
        jobs = switched_on(config) if here else []
        known = self._due or {}
        due = {job.name: known.get(job.name) or self._first(job, now) for job in jobs}
        self._due = due
        self._look_at = now + SECONDS_UNTIL_RETRY
        for job in jobs:
            if due[job.name] <= now:
                due[job.name] = now + SECONDS_UNTIL_RETRY  # whatever comes of it
                if self._do(job, live):
                    self._keep(job.name, now)
                    due[job.name] = _next(job, now)

    def _do(self, job: Job, live: Live | None) -> bool:
        import apsw

        from aurelius.ageing import usage_log
        from aurelius.vault import Vault

        try:
            # the clock of the machine is the person's here
            moment = datetime.datetime.now()
            vault = Vault.find(self._root, self._env, self._root, now=moment, live=live, agent="")
            try:
                self._tell(f"{job.name}: {job.run(vault)}")
                usage_log.move_waiting_uses(vault)
            finally:
                vault.close()
        except (AureliusError, OSError, apsw.Error) as error:
            why = getattr(error, "message", str(error))
            self._tell(f"{job.name} failed and will be tried again in an hour: {why}")
            return False
        return True

    def _first(self, job: Job, now: float) -> float:
        """Time at which a job runs next, counted from when it was done last, or from now where that
        is not known."""
        last = self._last().get(job.name, NEVER)
        if last > now:
            self._keep(job.name, now)
        return _next(job, min(last, now))

    def _file(self) -> str:
        from aurelius.settings.places import vault_state

        return os.path.join(vault_state(self._root, self._env), "jobs")

    def _last(self) -> dict[str, float]:
        found: dict[str, float] = {}
        with suppress(OSError, ValueError), open(self._file(), encoding="ascii") as file:
            for line in file:
                name, _, at = line.partition(" ")
                found[name] = float(at)
        return found

    def _keep(self, name: str, now: float) -> None:
        from aurelius.writing.own_files import keep_in_state

        last = self._last() | {name: now}
        path = self._file()
        lines = "".join(f"{each} {at:.0f}\n" for each, at in last.items())
        try:
            keep_in_state(*os.path.split(path), lines.encode())
        except OSError as error:
            self._tell(
                f"cannot remember that {name} was done ({path}: {error.strerror or error}); it may"
                " run again"
            )


def switched_on(config: Config) -> list[Job]:
    """The jobs that the settings ask for, on whichever device."""
    jobs = []
    if config.jobs_summarize == "weekly":
        what = "summaries, _index.md files and the Now section, except those that you wrote"
        jobs.append(Job("summarize", WEEKLY, what, _summarize))
    if config.jobs_archive != "off" and config.archive_max:
        what = (
            "the least important facts to the archive, while the notes are larger than"
            f" {config.archive_max}"
        )
        jobs.append(Job("archive", config.jobs_archive, what, _archive))
    if config.jobs_extract == "daily":
        if config.capture_replace == "apply":
            what = "facts from daily notes to the pages they belong to"
        else:
            what = (
                "nothing for `extract`, which only counts what `review` proposes from daily notes"
            )
        jobs.append(Job("extract", _EXTRACT_TIME, what, carry_daily_lines))
    if config.jobs_maintain == "daily":
        what = "nothing for `maintain`, which only counts what `review` proposes after some time"
        jobs.append(Job("maintain", _MAINTAIN_TIME, what, _maintain))
    return jobs


def is_here(config: Config, env: Mapping[str, str], now: datetime.datetime) -> bool:
    """Whether this device is the one that does the jobs."""
    here = _device(env)
    if config.jobs_device:
        return config.jobs_device == here
    return bool(here) and users(config.root, now)[0] in ([], [here])


def users(root: str, now: datetime.datetime) -> tuple[list[str], bool]:
    """The devices that have written the usage log of the vault at `root` in the last 30 days, in
    order, and True; where there is none the last one that wrote it, if any did, and False."""
    since = (now - LATELY).timestamp()
    try:
        with os.scandir(os.path.join(root, VAULT_FOLDER, LOG_FOLDER)) as devices:
            last = {
                each.name: _last_event(each)
                for each in devices
                if each.is_dir(follow_symlinks=False)
            }
    except OSError:
        last = {}
    lately = sorted(name for name, at in last.items() if at >= since)
    if lately:
        return lately, True
    return sorted(filter(last.get, last), key=last.__getitem__)[-1:], False


def _last_event(device: os.DirEntry[str]) -> float:
    """Unix time at which a device last wrote its log; 0 where it has none."""
    months = [name for name in os.listdir(device.path) if log_file_home(f"{device.name}/{name}")]
    for name in sorted(months)[-1:]:
        with suppress(OSError), open(os.path.join(device.path, name), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_TAIL_BYTES))
            events = read_lines(f"{device.name}/{name}", file.read(_LOG_TAIL_BYTES)).events
            return max((event.at for event in events), default=0)
    return 0


def describe_jobs(
    config: Config,
    env: Mapping[str, str],
    now: datetime.datetime,
) -> list[str]:
    """Lines that say what a daemon of this vault will write on this device, and when; none with no
    job switched on."""
    unheard = [each for each in config.in_vain if each.key in JOBS]
    if unheard:
        names = " and ".join(each.key for each in unheard)
        why = f"{names}: turned on in the vault's settings, but not allowed on this device"
        return [f"{why}; to allow it: {unheard[0].command}"]
    jobs = switched_on(config)
    names = " and ".join(job.name for job in jobs)
    if jobs and not is_here(config, env, now):
        return [f"{names}: {_why_elsewhere(config, _device(env), now)}"]
    lines = []
    for job in jobs:
        at = following(job.when, now)
        if at is not None:
            lines.append(f"the daemon will write {job.what}; next on {at:%Y-%m-%d at %H:%M}")
    return lines


def _why_elsewhere(config: Config, here: str, now: datetime.datetime) -> str:
    """Why the jobs do not run on this device, and what to do about it."""
    if config.jobs_device:
        return f"runs on the device {config.jobs_device}, not on this one ({here})"
    devices, lately = users(config.root, now)
    who = " and ".join(devices)
    if lately:
        why = f"{who} {'have' if devices[1:] else 'has'} used the vault in the last 30 days"
    else:
        why = f"{who} was the last device to use the vault"
    command = f"aurelius config set jobs.device {here} --vault {shell_word(config.root)}"
    return f"does not run here, because {why}; to run it on this device: {command}"


def _next(job: Job, after: float) -> float:
    # the clock of the machine
    at = following(job.when, datetime.datetime.fromtimestamp(after))
    if at is None:
        return NEVER
    return at.timestamp()


def _device(env: Mapping[str, str]) -> str:
    from aurelius.ageing import usage_log

    try:
        return usage_log.device_name(env)
    except OSError:
        return ""


def _summarize(vault: Vault) -> str:
    from aurelius.ageing import summarize
    from aurelius.writing import edit

    place = edit.place_of_config(vault.config, vault.env)
    plan, done = summarize.write_summaries(vault, place, summarize.plan_summaries(vault, place))
    counts = Counter(row.done for row in plan.rows)
    said = [
        f"{counts[summarize.SUMMARY_WRITTEN]} written",
        f"{counts[summarize.SUMMARY_KEPT]} left unchanged (you wrote them)",
    ]
    if proposed := counts[summarize.SUMMARY_PROPOSED]:
        said.append(
            f"{proposed} left unchanged, as more than half would go (`aurelius summarize --yes`"
            " writes them)"
        )
    said += summarize.refusals(plan.rows, 3)
    return "; ".join([*said, *_uncommitted(done.uncommitted)])


def _uncommitted(why: str) -> list[str]:
    """What is told of changes that could not be committed; nothing where they were."""
    if why:
        return [f"written, but not committed: {why}"]
    return []


def _desk(vault: Vault) -> Desk:
    from aurelius.plans.plan import Desk
    from aurelius.writing import edit

    return Desk(vault, edit.place_of_config(vault.config, vault.env), vault.now)


def _archive(vault: Vault) -> str:
    from aurelius.plans import move_archive

    desk = _desk(vault)
    plan = move_archive.when_over(desk, vault.config.archive_max, vault.config.archive_percent)
    return "; ".join([*plan.rows, *_carried_out(desk, plan)])


def _carried_out(desk: Desk, plan: Plan) -> list[str]:
    """Carry out a plan; what is to be told."""
    from aurelius.plans.plan import carry_out

    done = carry_out(desk, plan)
    return [*done.notices, *_uncommitted(done.applied.uncommitted if done.applied else "")]


def carry_daily_lines(vault: Vault) -> str:
    """Write what daily notes plainly say to its pages where `capture.replace` is `apply`, else
    count what waits in `review`.  Returns the line that the daemon logs."""
    from aurelius.memory import extract

    desk = _desk(vault)
    found = extract.find_carried(desk)
    if vault.config.capture_replace != "apply":
        count = len(extract.undismissed(desk, found))
        if count == 1:
            facts = "fact from daily notes waits"
        else:
            facts = "facts from daily notes wait"
        return f"{count} {facts} in `aurelius review`"
    plan = extract.plan_extract(desk, extract.plainly_said(desk, found))
    if not plan.edits:
        return "; ".join(["no new facts", *plan.notices])
    return "; ".join([plan.why.partition(": ")[2], *_carried_out(desk, plan)])


def _maintain(vault: Vault) -> str:
    """Count what upkeep proposes.  Looking for it takes a thread of its own, so that searches are
    answered meanwhile."""
    from aurelius.memory.upkeep import maintained

    return maintained(_desk(vault)).told


SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Wake:
    """Wakes the loop, from any thread and from a signal handler, and remembers who told it to
    stop."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[None] = (
            SimpleQueue()
        )  # the one thing to wait for that a signal handler may call
        self._asked = self._closing = False
        self.number = 0
        """The signal that it was stopped by; 0 where it was asked by other means, or not at all."""

    def set(self) -> None:
        """Wake the loop, now or when it next waits."""
        if self._calls.empty():
            self._calls.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait until somebody wakes it, but not longer; whether somebody did since it waited
        last."""
        try:
            self._calls.get(timeout=seconds)
        except Empty:
            return False
        return True

    def stop(self, number: int = 0) -> None:
        """Tell the loop to stop."""
        if not self._asked:
            self._asked = True
            self.number = number
        self.set()

    def check(self) -> None:
        """KeyboardInterrupt where it was told to stop."""
        if self._asked:
            raise KeyboardInterrupt

    def close(self) -> None:
        """Let no signal cut short what ends the daemon."""
        self._closing = True

    def on_signal(self, number: int, _: object) -> None:
        """Tell the loop to stop; only a second signal, from somebody who does not want to wait,
        interrupts."""
        again = self._asked
        self.stop(number)
        if again and not self._closing:
            raise KeyboardInterrupt


def heed_signals() -> Wake:
    """The `Wake` that SIGTERM and SIGINT set from now on; the same one where they do already."""
    known = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    if isinstance(known, Wake):
        wake = known
    else:
        wake = Wake()
    for number in SIGNALS:
        signal.signal(number, wake.on_signal)
    return wake


@contextmanager
def stopped_by_signals() -> Iterator[Wake]:
    """Context in which signals are handled as by `heed_signals`."""
    before = [signal.getsignal(number) for number in SIGNALS]
    try:
        yield heed_signals()
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)
