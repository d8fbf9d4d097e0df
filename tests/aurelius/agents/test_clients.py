"""What a client program is given can be taken back, byte for byte, and what is the person's own stays."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from aurelius.agents import clients
from aurelius.agents.clients import ClientPlace, Wanted
from aurelius.settings import hook_file
from aurelius.settings.change_settings import SettingChange
from aurelius.writing.own_files import keep_file
from aurelius.writing.replace_file import bytes_digest
from indexer.errors import ConfigError, ConflictError, UsageError
from tests.aurelius.settings.test_hook_file import files

PROGRAM = "/new/Jo's tools/bin/aurelius"
CLAUDE = clients.CLIENTS[0]
HOOK = b'{"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}'
MINE = b'\xef\xbb\xbf{\r\n\t"model":   "opus",\r\n\r\n\t"hooks": ' + HOOK + b"\r\n}\r\n"


@pytest.fixture
def place(env: dict[str, str]) -> ClientPlace:
    os.mkdir(os.path.join(env["HOME"], ".claude"))
    return clients.client_place(CLAUDE, env)


def want(place: ClientPlace, env: dict[str, str], **other: bool) -> Wanted:
    given = {"keeps": True, "skill": False, "mcp": not place.client.hooks, **other}
    server = ("--agent=Kim",) if given["mcp"] else None
    return clients.wanted_of_client(
        place,
        PROGRAM,
        "/notes/mine",
        env,
        keeps=given["keeps"],
        skill=given["skill"],
        server=server,
    )


def install(place: ClientPlace, env: dict[str, str], **other: bool) -> int:
    plans = clients.plan_install(place, want(place, env, **other), env)
    clients.write_client_plans(place, plans, env, keep=True)
    return len(plans)


def uninstall(place: ClientPlace, env: dict[str, str]) -> list[str]:
    plans, told = clients.plan_uninstall(place, env)
    clients.write_client_plans(place, plans, env, keep=False)
    return told


def everything(env: dict[str, str]) -> dict[str, bytes | None]:
    """Each folder and file below the home, but for the state."""
    found = (path for path in Path(env["HOME"]).rglob("*") if ".local" not in path.parts)
    return {str(path): path.read_bytes() if path.is_file() else None for path in found}


def test_the_person_has_their_file_back_byte_for_byte(
    place: ClientPlace, env: dict[str, str]
) -> None:
    file = Path(place.settings)
    file.write_bytes(MINE)
    file.chmod(0o640)
    before = everything(env)
    assert install(place, env, skill=True) == 2
    assert file.read_bytes() != MINE
    assert file.stat().st_mode & 0o777 == 0o640
    assert install(place, env, skill=True) == 0, "a second time changes nothing"
    assert uninstall(place, env) == []
    assert everything(env) == before
    assert not list(Path(env["HOME"], ".local/state/aurelius/clients").iterdir()), (
        "no copy of their settings stays"
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=files())
def test_whatever_the_file_was_it_is_again(
    text: str, place: ClientPlace, env: dict[str, str]
) -> None:
    file = Path(place.settings)
    file.write_bytes(text.encode())
    install(place, env, keeps=False)
    install(place, env)
    uninstall(place, env)
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("before", [None, b"", b"\n", b"{}"])
def test_a_file_without_settings_is_as_it_was_again(
    before: bytes | None, place: ClientPlace, env: dict[str, str]
) -> None:
    file = Path(place.settings)
    if before is not None:
        file.write_bytes(before)
    install(place, env)
    assert set(json.loads(file.read_bytes())["hooks"]) >= {
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
    }
    uninstall(place, env)
    assert (file.read_bytes() if file.exists() else None) == before


def test_what_the_person_changed_meanwhile_stays_and_only_ours_goes(
    place: ClientPlace, env: dict[str, str]
) -> None:
    file = Path(place.settings)
    file.write_bytes(MINE)
    install(place, env)
    file.write_bytes(file.read_bytes().replace(b"opus", b"haiku"))
    uninstall(place, env)
    assert file.read_bytes() == MINE.replace(b"opus", b"haiku")


def test_a_change_between_two_installs_is_what_comes_back(
    place: ClientPlace, env: dict[str, str]
) -> None:
    file = Path(place.settings)
    file.write_bytes(MINE)
    install(place, env, keeps=False)
    file.write_bytes(file.read_bytes().replace(b"opus", b"haiku"))
    install(place, env)
    uninstall(place, env)
    assert file.read_bytes() == MINE.replace(b"opus", b"haiku")


def test_an_installation_that_moved_renews_its_own_hooks_and_no_others(
    place: ClientPlace, env: dict[str, str]
) -> None:
    file = Path(place.settings)
    file.write_bytes(MINE)
    install(place, env)
    file.write_bytes(file.read_bytes().replace(b"/new/", b"/old/"))
    assert install(place, env) == 1
    found = json.loads(file.read_bytes().decode("utf-8-sig"))["hooks"]
    lines = [
        each["command"] for groups in found.values() for group in groups for each in group["hooks"]
    ]
    assert [line for line in lines if "/old/" in line] == []
    assert lines.count("say done") == 1
    assert len(lines) == len(set(lines)) == 7


def test_with_capture_off_no_hook_keeps_what_is_said(
    place: ClientPlace, env: dict[str, str]
) -> None:
    install(place, env)
    assert clients.installed(place) == ("hooks", "capture")
    install(place, env, keeps=False)
    assert clients.installed(place) == ("hooks",)
    assert set(json.loads(Path(place.settings).read_bytes())["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
    }


def test_no_hook_asks_for_more_time_than_its_client_gives(env: dict[str, str]) -> None:
    place = clients.client_place(clients.CLIENTS[1], env)
    os.makedirs(place.folder)
    install(place, env)
    found = json.loads(Path(place.settings).read_bytes())["hooks"]
    times = {event: groups[0]["hooks"][0]["timeout"] for event, groups in found.items()}
    assert times.pop("SessionEnd") == 3, "Codex 0.169.0 says so in each session where it is more"
    assert set(times) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact"}
    assert set(times.values()) == {10}


@pytest.mark.parametrize(
    "program", ["/usr/bin/aurelius", "/new/Jo's tools/bin/aurelius", "/ö $x/`y`/aurelius"]
)
def test_a_shell_reads_the_command_as_it_is_meant(program: str) -> None:
    line = clients.hook_command(program, "prompt", "/my notes/$x")
    assert shlex.split(line) == [program, "hook", "prompt", "--vault", "/my notes/$x"]
    assert hook_file.is_own(line)


@pytest.mark.parametrize(
    "line",
    [
        "aurelius search x",
        "say aurelius hook prompt",
        "aurelius hook prompt | tee log",
        "it's",
        "",
        None,
        7,
        "aurelius hook prompt; date",
        "aurelius hook prompt > log",
        "aurelius hook",
        "aurelius hook --help",
    ],
)
def test_a_hook_of_the_persons_own_is_not_taken_for_ours(line: Any) -> None:
    assert not hook_file.is_own(line)


def test_an_option_that_the_person_added_makes_it_nobody_elses(
    place: ClientPlace, env: dict[str, str]
) -> None:
    install(place, env)
    file = Path(place.settings)
    new = file.read_text("utf-8")
    for more in ("--deadline 900", "--trace --deadline=900", "--vault '/my notes; & more' --trace"):
        changed = new.replace("hook prompt", f"hook prompt {more}")
        assert changed != new
        file.write_text(changed, "utf-8")
        assert "hooks" in clients.installed(place)
        install(place, env)
        assert file.read_text("utf-8") == new, "it is renewed, and no second one stands beside it"
        file.write_text(changed, "utf-8")
        plans, told = clients.plan_uninstall(place, env)
        clients.write_client_plans(place, plans, env, keep=False)
        assert told == []
        assert "aurelius" not in (file.read_text("utf-8") if file.exists() else "")
        install(place, env)


def test_a_link_stays_a_link_and_its_target_is_written(
    place: ClientPlace, env: dict[str, str]
) -> None:
    target = Path(env["HOME"], "dotfiles.json")
    target.write_bytes(MINE)
    os.symlink(target, place.settings)
    install(place, env)
    assert os.path.islink(place.settings)
    assert b"aurelius" in target.read_bytes()
    uninstall(place, env)
    assert (os.path.islink(place.settings), target.read_bytes()) == (True, MINE)


def test_a_skill_that_the_person_wrote_or_changed_stays(
    place: ClientPlace, env: dict[str, str]
) -> None:
    install(place, env, skill=True)
    skill = Path(place.skill)
    skill.write_text("mine", "utf-8")
    assert "stays" in uninstall(place, env)[0]
    assert skill.read_text("utf-8") == "mine"
    with pytest.raises(ConfigError, match="not as `aurelius install` wrote it"):
        install(place, env, skill=True)


def test_the_skill_names_the_vault_only_where_another_would_be_used(
    env: dict[str, str], vault: Callable[[str], Path]
) -> None:
    text = clients.skill_text("/my notes").decode()
    assert text.count("--vault '/my notes'") == text.count("`aurelius ") > 5
    assert text.startswith("---\nname: aurelius\ndescription: ")
    assert "--vault" not in clients.skill_text("").decode()
    os.symlink(vault("template"), os.path.join(env["HOME"], "aurelius"))
    place = clients.client_place(CLAUDE, env)
    usual = clients.wanted_of_client(
        place, PROGRAM, os.path.join(env["HOME"], "aurelius"), env, keeps=True, skill=True
    )
    assert not any("--vault" in line for line in usual.hooks.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', ":3: not plain JSON (expecting ',' delimiter)"),
        ('{"a": tru}', ":1: not plain JSON (expecting value)"),
        ('{"a": 1} x', ":1: not plain JSON (extra data)"),
        ('{"a": 1', ":1: not plain JSON"),
        ("[" * 5000, ":1: not plain JSON"),
        (f'{{"a": {"9" * 5000}}}', ":1: not plain JSON"),
        ("[1]", "the program cannot read the hooks in it as they are written"),
        ('{"hooks": []}', "the program cannot read the hooks in it as they are written"),
        (
            '{"hooks": {"Stop": [{"command": "x"}]}}',
            "the program cannot read the hooks in it as they are written",
        ),
        ("{\0}", "not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_settings_is_named_with_its_line_and_left_alone(
    text: str, told: str, place: ClientPlace, env: dict[str, str]
) -> None:
    Path(place.settings).write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        install(place, env)
    assert told in raised.value.message
    assert raised.value.message.startswith(place.settings)
    assert Path(place.settings).read_text("utf-8") == text


def odd_folder(place: ClientPlace) -> None:
    os.mkdir(place.settings)


def odd_link(place: ClientPlace) -> None:
    os.symlink("/nowhere/at/all", place.settings)


def odd_pipe(place: ClientPlace) -> None:
    os.mkfifo(place.settings)


def odd_home(place: ClientPlace) -> None:
    os.rmdir(place.folder)


def odd_file(place: ClientPlace) -> None:
    os.rmdir(place.folder)
    Path(place.folder).write_text("x")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (odd_folder, "is a folder, and a file is needed"),
        (odd_link, "is a link to a file that does not exist"),
        (odd_pipe, "not a regular file"),
        (odd_home, "does not exist: Claude Code was never used here"),
        (odd_file, "is not a folder"),
    ],
)
def test_what_stands_in_the_way_is_named(
    make: Callable[[ClientPlace], None], told: str, place: ClientPlace, env: dict[str, str]
) -> None:
    make(place)
    with pytest.raises((ConfigError, UsageError), match=told) as raised:
        install(place, env)
    assert raised.value.hint


@pytest.mark.skipif(not hasattr(os, "fork"), reason="another user is a forked child")
def test_a_folder_that_may_not_be_written_is_named_and_nothing_is_lost(
    request: pytest.FixtureRequest, env: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        os.chmod(home, 0o755)
        env["HOME"] = home
        os.mkdir(os.path.join(home, ".local"))
        os.chmod(os.path.join(home, ".local"), 0o777)
        os.mkdir(os.path.join(home, ".claude"))
        place = clients.client_place(CLAUDE, env)
        Path(place.settings).write_bytes(MINE)

        def refused() -> None:
            with pytest.raises(
                ConflictError, match=r"settings\.json cannot be written: Permission denied"
            ):
                install(place, env)

        request.getfixturevalue("as_nobody")(refused)
        assert Path(place.settings).read_bytes() == MINE
        assert os.listdir(place.folder) == ["settings.json"]


def test_a_read_only_file_is_named_and_stays(place: ClientPlace, env: dict[str, str]) -> None:
    file = Path(place.settings)
    file.write_bytes(MINE)
    file.chmod(0o444)
    with pytest.raises(ConflictError, match="is read-only"):
        install(place, env)
    assert file.read_bytes() == MINE


def test_a_file_that_changes_while_the_person_is_asked_is_not_written(
    place: ClientPlace, env: dict[str, str]
) -> None:
    plans = clients.plan_install(place, want(place, env), env)
    Path(place.settings).write_bytes(MINE)
    with pytest.raises(ConflictError, match="it has just been changed"):
        clients.write_client_plans(place, plans, env, keep=True)
    assert Path(place.settings).read_bytes() == MINE


def test_the_folder_that_a_variable_names_is_used(env: dict[str, str], tmp_path: Path) -> None:
    place = clients.client_place(CLAUDE, {**env, "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    assert place.settings == str(tmp_path / "elsewhere" / "settings.json")
    project = clients.client_place(
        CLAUDE, {**env, "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}, str(tmp_path)
    )
    assert project.settings == str(tmp_path / ".claude" / "settings.json")


WORDS = ["mcp", "--vault", "/notes/mine", "--agent=Kim"]
COMMAND = {"command": PROGRAM, "args": WORDS}


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda each: each.name)
def test_each_client_gets_what_it_reads_and_has_its_folder_back(
    client: clients.Client, env: dict[str, str]
) -> None:
    place = clients.client_place(client, env)
    os.makedirs(place.folder)
    before = everything(env)
    install(place, env)
    found = (
        ("hooks", "capture") if client.hooks else ("mcp", "skill") if client.folder else ("mcp",)
    )
    assert clients.installed(place) == found
    uninstall(place, env)
    assert everything(env) == before


ENTRIES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "claude-code": (".claude.json", ("mcpServers",), {"type": "stdio", **COMMAND}),
    "codex": (".codex/config.toml", ("mcp_servers",), COMMAND),
    "cursor": (".cursor/mcp.json", ("mcpServers",), {"type": "stdio", **COMMAND}),
    "openclaw": (".openclaw/openclaw.json", ("mcp", "servers"), COMMAND),
    "claude-desktop": ("Claude/claude_desktop_config.json", ("mcpServers",), COMMAND),
    "vscode": ("Code/User/mcp.json", ("servers",), {"type": "stdio", **COMMAND}),
    "gemini-cli": (".gemini/settings.json", ("mcpServers",), COMMAND),
    "windsurf": (".codeium/windsurf/mcp_config.json", ("mcpServers",), COMMAND),
    "zed": ("settings.json", ("context_servers",), {"source": "custom", **COMMAND}),
    "opencode": (
        "opencode/opencode.json",
        ("mcp",),
        {"type": "local", "enabled": True, "command": [PROGRAM, *WORDS]},
    ),
}


def value_of(file: str) -> Any:
    text = Path(file).read_bytes().decode("utf-8-sig")
    return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda each: each.name)
def test_the_server_stands_where_and_how_the_client_reads_it(
    client: clients.Client, env: dict[str, str]
) -> None:
    place = clients.client_place(client, env)
    os.makedirs(place.folder)
    install(place, env, mcp=True)
    ending, keys, entry = ENTRIES[client.name]
    assert place.server.replace(os.sep, "/").endswith("/" + ending)
    found = value_of(place.server)
    for key in keys:
        found = found[key]
    assert found == {"aurelius": entry}
    assert "mcp" in clients.installed(place)


def persons(place: ClientPlace) -> bytes:
    """A file of servers as somebody has it: another server, odd indentation, in TOML comments."""
    if place.server.endswith(".toml"):
        return b'# mine\nmodel = "big"  # the best\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y",\n]\n'
    keys = place.client.servers.keys
    inner = '{"docs": {"command": "npx", "args": ["aurelius"]}}'
    for key in reversed(keys[1:]):
        inner = f'{{"{key}": {inner}}}'
    return f'\ufeff{{\r\n\t"theme":   "big",\r\n\r\n\t"{keys[0]}": {inner} \r\n}}\r\n'.encode()


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda each: each.name)
def test_the_servers_of_a_client_are_as_they_were_again(
    client: clients.Client, env: dict[str, str]
) -> None:
    place = clients.client_place(client, env)
    os.makedirs(place.folder)
    file, mine = Path(place.server), persons(place)
    file.write_bytes(mine)
    install(place, env, mcp=True)
    assert b"docs" in file.read_bytes() != mine
    assert install(place, env, mcp=True) == 0, "a second time changes nothing"
    new = file.read_bytes()
    uninstall(place, env)
    assert file.read_bytes() == mine

    install(place, env, mcp=True)
    file.write_bytes(new.replace(b"big", b"small"))
    uninstall(place, env)
    assert file.read_bytes() == mine.replace(b"big", b"small"), (
        "what was changed meanwhile stays, and only ours goes"
    )

    old = new.replace(b"/new/", b"/old/").replace(b"Kim", b"Ann")
    file.write_bytes(old)
    assert install(place, env, mcp=True) > 0
    assert value_of(place.server) == value_of_bytes(new, place.server), (
        "one that moved is renewed in its place"
    )


def value_of_bytes(data: bytes, file: str) -> Any:
    text = data.decode("utf-8-sig")
    return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize("name", ["cursor", "codex"])
def test_what_the_person_added_to_the_server_stays_until_it_goes(
    name: str, env: dict[str, str]
) -> None:
    place = clients.client_place(next(each for each in clients.CLIENTS if each.name == name), env)
    os.makedirs(place.folder)
    file = Path(place.server)
    install(place, env, mcp=True)
    added = '"env": {"A": "b"}, "args"' if name == "cursor" else 'env = {A = "b"}\nargs'
    text = file.read_text("utf-8").replace('"args"' if name == "cursor" else "args", added)
    file.write_text(text.replace("/new/", "/old/"), "utf-8")
    install(place, env, mcp=True)
    assert value_of(place.server) == value_of_bytes(text.encode(), place.server)
    uninstall(place, env)
    assert not file.exists() or "aurelius" not in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("zed", '{\n  // mine\n  "a": 1\n  "b": 2\n}', ":2: not plain JSON"),
        ("openclaw", "{\n  'gateway': {port: 1},\n}", ":2: not plain JSON"),
        ("vscode", '{"servers": []}', "servers in it has to hold an object"),
        ("vscode", "[1]", "it has to hold an object"),
        ("openclaw", '{"mcp": {"servers": 1}}', "servers in it has to hold an object"),
        (
            "cursor",
            '{"mcpServers": {"aurelius": {"command": "uvx"}}}',
            "the server aurelius in it is not ours",
        ),
        (
            "gemini-cli",
            '{"mcpServers": {"aurelius": {"url": "x"}}}',
            "the server aurelius in it is not ours",
        ),
        ("codex", "a = 1\nb = \n", ":2: not valid TOML"),
        (
            "codex",
            '[mcp_servers.aurelius]\ncommand = "uvx"\n',
            "the server aurelius in it is not ours",
        ),
        (
            "codex",
            "mcp_servers = {}\n",
            "not written: other lines than those of mcp_servers.aurelius.command",
        ),
        (
            "cursor",
            '{"mcpServers": {"aurelius": {"command": "aurelius", "args": 5}}}',
            "aurelius in it is not ours",
        ),
        ("opencode", '{"mcp": {"aurelius": {"command": []}}}', "aurelius in it is not ours"),
        (
            "codex",
            '[mcp_servers.aurelius]\ncommand = "aurelius"\nargs = 5\n',
            "aurelius in it is not ours",
        ),
    ],
)
def test_a_file_of_servers_that_cannot_be_changed_is_named_and_left_alone(
    name: str, text: str, told: str, env: dict[str, str]
) -> None:
    place = clients.client_place(next(each for each in clients.CLIENTS if each.name == name), env)
    os.makedirs(place.folder)
    Path(place.server).write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        install(place, env, mcp=True)
    assert raised.value.message.startswith(place.server)
    assert told in raised.value.message
    assert raised.value.hint
    assert Path(place.server).read_text("utf-8") == text
    assert "mcp" not in clients.installed(place)


COMMENTED = """// by hand
{
  gateway: {mode: 'local', port: 0x4966,},  // it's mine
  agents: {defaults: {workspace: '~/aurelius'}},
}
"""
"""A file of OpenClaw as its documentation writes them."""


def place_like(name: str, env: dict[str, str]) -> ClientPlace:
    place = clients.client_place(next(each for each in clients.CLIENTS if each.name == name), env)
    os.makedirs(place.folder)
    return place


JSON_SERVERS = [each.name for each in clients.CLIENTS if each.name != "codex"]


@pytest.mark.parametrize(
    "text", [COMMENTED, '{\n  "theme": "big",  // mine\n}\n', '{\n  "theme": "big",\n}\n']
)
@pytest.mark.parametrize("name", JSON_SERVERS)
def test_a_file_with_comments_is_never_written_and_the_lines_are_told(
    name: str, text: str, env: dict[str, str]
) -> None:
    place = place_like(name, env)
    file = Path(place.server)
    file.write_text(text, "utf-8")
    before = everything(env)
    with pytest.raises(
        ConfigError, match=r":\d+: not plain JSON .* the file was left as it is"
    ) as raised:
        install(place, env, mcp=True)
    assert raised.value.message.startswith(f"{place.server}:")
    assert everything(env) == before
    assert "mcp" not in clients.installed(place)
    assert uninstall(place, env) == []
    assert everything(env) == before

    _, keys, entry = ENTRIES[name]
    lines = raised.value.hint.partition("\n")[2]
    found = json.loads(lines)
    for key in keys:
        found = found[key]
    assert found == {"aurelius": entry}

    by_hand = f"// mine\n{lines}"
    file.write_text(by_hand, "utf-8")
    install(place, env, mcp=True)
    assert file.read_text("utf-8") == by_hand, "what was put in by hand is found"
    assert "mcp" in clients.installed(place)
    number = by_hand[: by_hand.index('"aurelius"')].count("\n") + 1
    with pytest.raises(ConfigError, match="not plain JSON") as raised:
        uninstall(place, env)
    assert f"take out what runs aurelius (line {number}, " in raised.value.hint
    assert file.read_text("utf-8") == by_hand

    file.write_text(text, "utf-8")
    assert uninstall(place, env) == []
    assert everything(env) == before, "the rest goes when it was taken out"


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_hooks_with_comments_are_never_written_and_the_lines_are_told(
    name: str, env: dict[str, str]
) -> None:
    place = place_like(name, env)
    file = Path(place.settings)
    text = '{\n  "model": "opus",  // my choice\n  "hooks": {}\n}\n'
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=":2: not plain JSON ") as raised:
        install(place, env)
    assert file.read_text("utf-8") == text
    assert clients.installed(place) == ()
    assert uninstall(place, env) == []
    lines = raised.value.hint.partition("\n")[2]

    by_hand = f"// mine\n{lines}"
    file.write_text(by_hand, "utf-8")
    assert install(place, env) == 0
    assert clients.installed(place) == ("hooks", "capture")
    with pytest.raises(ConfigError, match="not plain JSON "):
        install(place, env, keeps=False)
    with pytest.raises(ConfigError, match="not plain JSON ") as raised:
        uninstall(place, env)
    assert "take out what runs aurelius (line " in raised.value.hint
    assert file.read_text("utf-8") == by_hand


def test_what_an_older_version_put_between_comments_is_taken_back(
    place: ClientPlace, env: dict[str, str]
) -> None:
    install(place, env)
    file = Path(place.settings)
    plan = SettingChange(place.settings, "", b"{} // mine\n", file.read_bytes())
    keep_file(plan, bytes_digest(plan.after), plan.before, env)
    uninstall(place, env)
    assert file.read_bytes() == plan.before


def test_the_lines_to_put_in_by_hand_are_told_where_a_file_cannot_be_changed(
    env: dict[str, str],
) -> None:
    place = clients.client_place(clients.CLIENTS[1], env)
    os.makedirs(place.folder)
    Path(place.server).write_text("mcp_servers = {}\n", "utf-8")
    with pytest.raises(ConfigError) as raised:
        install(place, env, mcp=True)
    lines = raised.value.hint.partition("\n")[2]
    assert tomllib.loads(lines) == {"mcp_servers": {"aurelius": COMMAND}}


def test_a_project_has_files_of_its_own_and_other_folders_are_found(
    env: dict[str, str], tmp_path: Path
) -> None:
    project = str(tmp_path)
    files = [
        clients.client_place(each, env, project).server.removeprefix(project)
        for each in clients.CLIENTS
    ]
    assert [each.replace(os.sep, "/") for each in files] == [
        "/.mcp.json",
        "/.codex/config.toml",
        "/.cursor/mcp.json",
        "",
        "",
        "/.vscode/mcp.json",
        "/.gemini/settings.json",
        "",
        "/.zed/settings.json",
        "/opencode.json",
    ]
    (tmp_path / "opencode.jsonc").write_text("{}")
    assert clients.client_place(clients.CLIENTS[-1], env, project).server == str(
        tmp_path / "opencode.jsonc"
    )
    (tmp_path / "opencode.json").write_text("{}")
    assert clients.client_place(clients.CLIENTS[-1], env, project).server == str(
        tmp_path / "opencode.json"
    )
    (tmp_path / "opencode.jsonc").write_text('{"mcp": {"aurelius": {}}}')
    assert clients.client_place(clients.CLIENTS[-1], env, project).server == str(
        tmp_path / "opencode.jsonc"
    )
    named = {**env, "CLAUDE_CONFIG_DIR": str(tmp_path / "a"), "CODEX_HOME": str(tmp_path / "b")}
    assert clients.client_place(CLAUDE, named).server == str(tmp_path / "a" / ".claude.json")
    assert clients.client_place(clients.CLIENTS[1], named).server == str(
        tmp_path / "b" / "config.toml"
    )
    named = {
        **env,
        "OPENCLAW_STATE_DIR": str(tmp_path / "c"),
        "OPENCLAW_CONFIG_PATH": str(tmp_path / "d.json"),
    }
    place = clients.client_place(clients.CLIENTS[3], named)
    assert (place.server, place.skills) == (str(tmp_path / "d.json"), str(tmp_path / "c"))
    assert clients.client_place(
        clients.CLIENTS[3], {**named, "OPENCLAW_CONFIG_PATH": ""}
    ).server.endswith("/c/openclaw.json")
