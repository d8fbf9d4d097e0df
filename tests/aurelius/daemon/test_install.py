"""What starts the daemon at login: each format is read back by a reader of it, whatever the paths hold."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from aurelius.daemon import control, install
from indexer.errors import AureliusError, UsageError

FOLDER = "/state/daemon/0123abcd"
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
ODD = [
    "/srv/notes",
    "/srv/two words  and three",
    "/srv/\"quoted\" 'so'",
    "/srv/100%",
    "/srv/%h and %%",
    "/srv/$HOME ${HOME} $$",
    "/srv/back\\slash\\n \\",
    "/srv/Zürich/日本語/🗒️",
    "/srv/<a> & b; # = [x]",
    "/srv/-dash",
]


def plan(root: str, platform: str = "linux", **env: str) -> install.InstallPlan:
    env.setdefault("HOME", "/home/joe")
    words = ["/usr/lib/py thon/python3", "-P", "-m", "aurelius", "daemon", "run", "--vault", root]
    return install.plan_service(root, env, words, FOLDER, platform=platform)


# systemd


def unit(text: str) -> dict[str, list[str]]:
    """Every setting of a unit by its name."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def words_of(line: str, *, variables: bool) -> list[str]:
    """A line of words as systemd.syntax(7) reads it: quotes, C escapes, specifiers, then variables."""
    words: list[str] = []
    for quoted in re.findall(r'"((?:[^"\\]|\\.)*)"(?: |$)', line):
        word = re.sub(r"\\(.)", lambda at: {"n": "\n", "t": "\t"}.get(at[1], at[1]), quoted)
        assert not re.search(r"%[^%]", word.replace("%%", "")), f"a specifier in {word}"
        word = word.replace("%%", "%")
        if variables and words:  # not in the program itself
            assert not re.search(r"\$[^$]", word.replace("$$", "")), f"a variable in {word}"
            word = word.replace("$$", "$")
        words.append(word)
    assert " ".join(re.findall(r'"(?:[^"\\]|\\.)*"', line)) == line, (
        "nothing stands outside of the quotes"
    )
    return words


@pytest.mark.parametrize("root", ODD)
def test_systemd_reads_the_words_that_were_meant(root: str) -> None:
    made = plan(root, AURELIUS_INDEX=root + "/index")
    settings = unit(made.text)
    (line,) = settings["ExecStart"]
    assert words_of(line, variables=True)[-2:] == ["--vault", root]
    assert words_of(line, variables=True)[0] == "/usr/lib/py thon/python3"
    (variable,) = settings["Environment"]
    assert words_of(variable, variables=False) == [f"AURELIUS_INDEX={root}/index"]
    assert all("\\" not in line[-1:] for line in made.text.splitlines()), (
        "no line goes on in the next"
    )
    assert made.data.decode("utf-8") == made.text


@pytest.mark.parametrize("root", ODD)
def test_names_of_files_and_tasks_are_plain(root: str) -> None:
    for platform in ("linux", "darwin"):
        name = os.path.basename(plan(root, platform).file)
        assert re.fullmatch(r"aurelius[-.]([A-Za-z0-9]+-)*0123abcd\.(service|plist)", name)


def test_a_unit_is_switched_on_by_what_is_told() -> None:
    made = plan("/srv/notes")
    assert made.file == "/home/joe/.config/systemd/user/aurelius-notes-0123abcd.service"
    assert made.on[-1] == "systemctl --user enable --now aurelius-notes-0123abcd.service"
    assert made.off == ("systemctl --user disable --now aurelius-notes-0123abcd.service",)
    assert plan("/srv/notes", XDG_CONFIG_HOME="/conf").file.startswith("/conf/systemd/user/")
    assert plan("/srv/notes", XDG_CONFIG_HOME="conf").file.startswith(
        "/home/joe/.config/systemd/user/"
    )
    settings = unit(made.text)
    assert settings["Restart"] == ["on-failure"]
    assert settings["WantedBy"] == ["default.target"]
    assert "6" in settings["RestartPreventExitStatus"][0].split(), (
        "not while another daemon has the vault"
    )


def test_where_index_and_settings_are_is_carried_over() -> None:
    env = {
        "AURELIUS_INDEX": "/i",
        "XDG_STATE_HOME": "/s",
        "XDG_CACHE_HOME": "",
        "EDITOR": "vi",
        "HOME": "/home/joe",
    }
    made = install.plan_service(
        "/srv/notes", env, ["python"], FOLDER, platform="linux", path="/checkout"
    )
    variables = [words_of(line, variables=False)[0] for line in unit(made.text)["Environment"]]
    assert variables == ["AURELIUS_INDEX=/i", "XDG_STATE_HOME=/s", "PYTHONPATH=/checkout"]


# launchd


@pytest.mark.parametrize("root", ODD)
def test_launchd_reads_the_words_that_were_meant(root: str) -> None:
    made = plan(root, "darwin", AURELIUS_INDEX=root)
    tree = plistlib.loads(made.data)
    assert tree["ProgramArguments"][-2:] == ["--vault", root]
    assert tree["EnvironmentVariables"] == {"AURELIUS_INDEX": root}
    assert tree["RunAtLoad"] is True
    assert tree["KeepAlive"] == {"SuccessfulExit": False}
    assert tree["StandardErrorPath"] == os.path.join(FOLDER, control.START_LOG)
    assert os.path.basename(made.file) == f"{tree['Label']}.plist"


def test_an_agent_is_switched_on_by_what_is_told() -> None:
    made = plan("/srv/notes", "darwin", HOME="/Users/joe b")
    assert made.file == "/Users/joe b/Library/LaunchAgents/aurelius.notes-0123abcd.plist"
    assert made.on == (f"launchctl bootstrap gui/$(id -u) '{made.file}'",)
    assert made.off == ("launchctl bootout gui/$(id -u)/aurelius.notes-0123abcd",)
    assert "EnvironmentVariables" not in plistlib.loads(made.data)


# Windows

WINDOWS = [
    r"C:\Notes",
    r"C:\My Notes\and more",
    r"C:\100%",
    r"C:\Zürich\日本語",
    r"C:\a & <b>",
    "C:\\ends\\",
    "C:\\a b\\",
]


def arguments_of(line: str) -> list[str]:
    """A command line as CommandLineToArgvW reads it."""
    words = []
    for part in re.findall(r'(?:"(?:\\.|[^"\\])*"|[^\s"])+', line):
        halved = re.sub(r"(\\\\)+(?=\")", lambda at: at[0][::2], part)
        words.append(halved.replace('"', ""))
    return words


@pytest.mark.parametrize("root", WINDOWS)
def test_a_task_holds_the_words_that_were_meant(root: str) -> None:
    env = {"USERDOMAIN": "HOME & CO", "USERNAME": "jörg"}
    words = [r"C:\Program Files\Python\python.exe", "-P", "-m", "aurelius", "--vault", root]
    made = install.plan_service(root, env, words, FOLDER, platform="win32")
    assert made.data[:2] in {b"\xff\xfe", b"\xfe\xff"}, "UTF-16, as it says"
    tree = ElementTree.fromstring(made.data)
    (action,) = tree.iter(f"{TASK}Exec")
    assert action.findtext(f"{TASK}Command") == words[0]
    line = action.findtext(f"{TASK}Arguments")
    assert line is not None
    assert line == subprocess.list2cmdline(words[1:])
    assert arguments_of(line) == words[1:]
    assert {each.text for each in tree.iter(f"{TASK}UserId")} == {"HOME & CO\\jörg"}
    assert tree.findtext(f".//{TASK}ExecutionTimeLimit") == "PT0S", (
        "without it a task is ended after three days"
    )
    assert tree.findtext(f".//{TASK}DisallowStartIfOnBatteries") == "false"


@pytest.mark.parametrize("root", [r"C:\%TEMP%\notes", r"C:\$(Arg0)"])
def test_what_a_task_would_change_is_refused(root: str) -> None:
    with pytest.raises(UsageError, match="a scheduled task would change"):
        plan(root, "win32")


def test_a_task_is_switched_on_by_what_is_told() -> None:
    made = plan(r"C:\Notes", "win32", USERNAME="joe", AURELIUS_INDEX=r"D:\in dex")
    assert made.file == os.path.join(FOLDER, "task.xml")
    assert made.on[0].startswith("schtasks /Create /TN ")
    assert made.off[0].startswith("schtasks /Delete /TN ")
    assert made.notices == (
        (
            "AURELIUS_INDEX must be set for your account, or the scheduled task does not see it: "
            'setx AURELIUS_INDEX "D:\\in dex"'
        ),
    )


def test_no_console_window_where_there_is_a_python_without() -> None:
    assert install._windowless(r"C:\nowhere\python.exe") == r"C:\nowhere\python.exe"
    assert install._windowless("/usr/bin/python3") == "/usr/bin/python3"


# All of them


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize(
    "root", ["/new\nline", "/\x1b[31m", "/\x85", os.fsdecode(b"/caf\xe9"), "/\uffff"]
)
def test_what_no_format_can_hold_is_refused(root: str, platform: str) -> None:
    with pytest.raises(UsageError, match="cannot install: this text has") as caught:
        plan(root, platform)
    assert "aurelius daemon start" in caught.value.hint


def test_two_vaults_of_one_name_have_files_of_their_own() -> None:
    words, env = ["python"], {"HOME": "/home/joe"}
    files = {
        install.plan_service("/a/notes", env, words, f"/s/{key}", platform="linux").file
        for key in ("1", "2")
    }
    assert len(files) == 2


# The file


@pytest.fixture
def made(tmp_path: Path) -> install.InstallPlan:
    return install.plan_service(
        "/srv/notes", {"HOME": str(tmp_path)}, ["python"], FOLDER, platform="linux"
    )


def test_what_is_written_is_the_text_and_nothing_else(
    made: install.InstallPlan, tmp_path: Path
) -> None:
    assert install.there(made) == ""
    install.write_service(made, str(tmp_path / "state" / "daemon" / "1"))
    assert install.there(made) == "same"
    assert Path(made.file).read_bytes() == made.data
    assert [path.name for path in Path(made.file).parent.iterdir()] == [Path(made.file).name]
    assert (tmp_path / "state" / "daemon" / "1").stat().st_mode & 0o777 == 0o700
    install.remove_service(made)
    install.remove_service(made)
    assert install.there(made) == ""


def test_a_text_that_was_changed_is_noticed(made: install.InstallPlan, tmp_path: Path) -> None:
    install.write_service(made, str(tmp_path / "d"))
    Path(made.file).write_text("mine", "utf-8")
    assert install.there(made) == "other"
    install.write_service(made, str(tmp_path / "d"))
    assert install.there(made) == "same"


def test_a_file_that_cannot_be_written_is_named(made: install.InstallPlan, tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("", "utf-8")
    with pytest.raises(AureliusError, match=r"\.config"):
        install.write_service(made, str(tmp_path / "d"))
    with pytest.raises(AureliusError):
        install.there(made)


def test_a_folder_in_its_place_is_named(made: install.InstallPlan, tmp_path: Path) -> None:
    Path(made.file).mkdir(parents=True)
    for act in (
        install.there,
        install.remove_service,
        lambda plan: install.write_service(plan, str(tmp_path / "d")),
    ):
        with pytest.raises(AureliusError, match="aurelius-notes"):
            act(made)
    assert os.listdir(os.path.dirname(made.file)) == [os.path.basename(made.file)], (
        "nothing is left half done"
    )


def test_this_system_has_a_plan(env: dict[str, str], tmp_path: Path) -> None:
    words: list[Any] = control.daemon_command(str(tmp_path))
    assert install.plan_service(str(tmp_path), env, words, FOLDER, platform=sys.platform).text
