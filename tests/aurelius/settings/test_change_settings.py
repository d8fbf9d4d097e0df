"""Setting a key and taking one out: which file, which line, and every other byte as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aurelius.settings import change_settings, config, places
from aurelius.writing import own_files
from indexer.errors import ConfigError, ConflictError, UsageError
from tests.aurelius.settings.conftest import OUTSIDE, say, say_user


def test_config_set_writes_no_days_that_every_command_would_refuse(
    vault: Path, env: dict[str, str]
) -> None:
    """The days typed are compared with those of both files; days that repair a broken file are taken."""
    say_user(env, "[tiers]\nhot_days = 8\n")
    with pytest.raises(
        ConfigError, match=r"not written: tiers\.warm_days \(2\) is less than tiers\.hot_days \(8\)"
    ):
        change_settings.plan_setting(str(vault), env, "tiers.warm_days", ["2"], str(vault))
    with pytest.raises(
        ConfigError,
        match=r"not written: tiers\.warm_days \(30\) is less than tiers\.hot_days \(31\)",
    ):
        change_settings.plan_setting(str(vault), env, "tiers.hot_days", ["31"], str(vault))
    say(vault, "[tiers]\nwarm_days = 2\n")
    plan = change_settings.plan_setting(str(vault), env, "tiers.warm_days", ["20"], str(vault))
    assert b"warm_days = 20" in (plan.after or b"")


@pytest.mark.parametrize("folder", OUTSIDE)
def test_no_such_folder_is_set(folder: str, vault: Path, env: dict[str, str]) -> None:
    with pytest.raises(UsageError) as raised:
        change_settings.plan_setting(str(vault), env, "daily.folder", [folder], str(vault))
    assert "inside the vault that is not hidden" in raised.value.hint
    assert not (vault / ".aurelius" / "config.toml").exists()


def test_jobs_are_not_set_where_they_would_not_count(vault: Path, env: dict[str, str]) -> None:
    with pytest.raises(
        UsageError,
        match=r"not set: jobs.device would have no effect in .*config.toml, since this vault's jobs are not allowed",
    ):
        change_settings.plan_setting(str(vault), env, "jobs.device", ["x"], str(vault))
    say_user(env, f"[vaults.'{vault}']\njobs.device = 'y'\n")
    changed(vault, env, "jobs.device", "x")
    assert config.load_config(str(vault), env).jobs_device == "x", "where it counts it is set"
    own_files.agree(str(vault), env)
    changed(vault, env, "jobs.summarize", "weekly")
    assert config.load_config(str(vault), env).jobs_summarize == "weekly"


# Setting a key


def changed(
    vault: Path, env: dict[str, str], name: str, *words: str
) -> change_settings.SettingChange:
    plan = change_settings.plan_setting(str(vault), env, name, words, str(vault))
    own_files.write_settings(plan, env)
    return plan


def test_a_key_of_the_vault_is_written_into_the_vault(vault: Path, env: dict[str, str]) -> None:
    say(vault, "# mine\r\n[search]\r\nlimit = 5   # a few\r\nmode = 'vector'\r\n")
    plan = changed(vault, env, "search.limit", "7")
    assert plan.file == str(vault / ".aurelius" / "config.toml")
    text = (vault / ".aurelius" / "config.toml").read_bytes()
    assert text == b"# mine\r\n[search]\r\nlimit = 7   # a few\r\nmode = 'vector'\r\n"
    changed(vault, env, "search.fusion", "rrf")
    changed(vault, env, "index.exclude", "drafts/", "*.tmp.md")
    assert config.load_config(str(vault), env).exclude == ("drafts/", "*.tmp.md")
    assert config.load_config(str(vault), env).fusion == "rrf"
    assert (vault / ".aurelius" / "config.toml").read_bytes().startswith(text)


@pytest.mark.parametrize(
    ("words", "patterns"),
    [
        (['["a", "b"]'], ("a", "b")),
        (["['drafts/', '[ab].md']"], ("drafts/", "[ab].md")),
        (["[]"], ()),
        (["[ab]*.md"], ("[ab]*.md",)),
        (["[12]"], ("[12]",)),
        (["a", "b"], ("a", "b")),
    ],
)
def test_an_array_is_an_array_and_a_pattern_a_pattern(
    words: list[str], patterns: tuple[str, ...], vault: Path, env: dict[str, str]
) -> None:
    changed(vault, env, "index.exclude", *words)
    assert config.load_config(str(vault), env).exclude == patterns


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# a\r\n[search]\r\nlimit = 7 # few\r\nmode = 'vector'\r\n",
            "# a\r\n[search]\r\nmode = 'vector'\r\n",
        ),
        ("[search]\nlimit = 7\n", ""),
        ("# a\n\n[search]\n# mine\n\nlimit = 7\n", "# a\n\n[search]\n# mine\n\n"),
        ("# a\r\n\r\n[search]\r\nlimit = 7\r\n", "# a\r\n"),
        ("# a\n\n[search]\nlimit = 7\n\n[rank]\n\n[tiers]\n", "# a\n\n[rank]\n\n[tiers]\n"),
        ("# a\n[search]\nlimit = 7\n[index]\nexclude = ['a']\n", "# a\n[index]\nexclude = ['a']\n"),
        ("search.limit = 7", ""),
        ("\ufeffsearch.limit = 7\n# é\n", "\ufeff# é\n"),
        ("[search]\n# limit = 3\nlimit = 7", "[search]\n# limit = 3\n"),
        ("search = { limit = 7, mode = 'vector' }\n", "search = {  mode = 'vector' }\n"),
        ("# nothing\n", "# nothing\n"),
    ],
)
def test_a_key_is_unset_and_every_other_line_stays(
    before: str, after: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, before)
    own_files.write_settings(change_settings.unset_key(str(vault), env, "search.limit"), env)
    assert (vault / ".aurelius" / "config.toml").read_bytes().decode() == after
    assert config.load_config(str(vault), env).sources["search.limit"] == "default"


@pytest.mark.parametrize(
    "before", ["", "# a\n", "# a\n\n[search]\nmode = 'vector'\n", "# a\r\n[tiers]\r\n"]
)
def test_what_was_set_and_is_unset_leaves_the_file_as_it_was(
    before: str, vault: Path, env: dict[str, str]
) -> None:
    """By turns, empty tables and blank lines piled up."""
    say(vault, before)
    for name in ("search.limit", "rank.demote", "search.limit", "rank.reinforce"):
        changed(vault, env, name, "3")
        own_files.write_settings(change_settings.unset_key(str(vault), env, name), env)
    assert (vault / ".aurelius" / "config.toml").read_bytes().decode() == before


def test_a_list_over_several_lines_is_unset(vault: Path, env: dict[str, str]) -> None:
    say(vault, "[index]\nexclude = [\n  'a', # one\n  'b',\n]\n# end\n[search]\nlimit = 3\n")
    own_files.write_settings(change_settings.unset_key(str(vault), env, "index.exclude"), env)
    assert (
        vault / ".aurelius" / "config.toml"
    ).read_text() == "[index]\n# end\n[search]\nlimit = 3\n"


def test_the_persons_table_is_unset_first_and_what_holds_everywhere_is_left(
    vault: Path, env: dict[str, str]
) -> None:
    file = Path(
        say_user(
            env, f"search.limit = 3\n[vaults.'{vault}']\nsearch.limit = 4\ngit.commit = true\n"
        )
    )
    own_files.write_settings(change_settings.unset_key(str(vault), env, "search.limit"), env)
    assert file.read_text() == f"search.limit = 3\n[vaults.'{vault}']\ngit.commit = true\n"
    with pytest.raises(UsageError, match=r"search.limit is set for all vaults in .*:1$"):
        change_settings.unset_key(str(vault), env, "search.limit")
    with pytest.raises(UsageError, match=r"there is no setting search\.limt"):
        change_settings.unset_key(str(vault), env, "search.limt")


def test_nothing_is_unset_in_a_file_that_changed_meanwhile(
    vault: Path, env: dict[str, str]
) -> None:
    say(vault, "search.limit = 7\n")
    plan = change_settings.unset_key(str(vault), env, "search.limit")
    say(vault, "search.limit = 8\n")
    with pytest.raises(ConflictError):
        own_files.write_settings(plan, env)


def test_a_key_of_the_person_is_written_into_the_vaults_table(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    plan = changed(vault, env, "git.commit", "true")
    file = Path(places.user_file(env))
    assert (plan.file, plan.vault) == (str(file), "")
    assert file.read_text() == f'[vaults."{os.path.realpath(vault)}"]\ngit.commit = true\n'
    changed(vault, env, "embedding.model", "models/mine")
    found = config.load_config(str(vault), env)
    assert (found.git_commit, found.model) == (True, str(vault / "models" / "mine"))
    assert not (vault / ".aurelius" / "config.toml").exists()
    (tmp_path / "other").mkdir()
    assert config.load_config(str(tmp_path / "other"), env).git_commit is False
    changed(vault, env, "git.commit", "false")
    assert file.read_text().count("git.commit") == 1


def test_what_the_persons_table_holds_already_is_changed_there(
    vault: Path, env: dict[str, str]
) -> None:
    file = say_user(env, f"[vaults.'{vault}']\nsearch.limit = 3 # here\n")
    assert changed(vault, env, "search.limit", "4").file == file
    assert Path(file).read_text() == f"[vaults.'{vault}']\nsearch.limit = 4 # here\n"
    assert config.load_config(str(vault), env).limit == 4


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[search]\nlimit = 7\n"),
        ("# only this", "# only this\n\n[search]\nlimit = 7\n"),
        ("\ufeff[git]\n", "\ufeff[git]\n\n[search]\nlimit = 7\n"),
        ("[search]\n[rank]\ndemote = 2\n", "[search]\nlimit = 7\n[rank]\ndemote = 2\n"),
        (
            "[search]\n# limit = 3\nmode = 'vector'\n",
            "[search]\n# limit = 3\nmode = 'vector'\nlimit = 7\n",
        ),
        ("search.mode = 'vector'\n", "search.mode = 'vector'\nsearch.limit = 7\n"),
        ("search.limit=5#x\n", "search.limit=7#x\n"),
        (" [ search ] # s\n 'limit' = 5", " [ search ] # s\n 'limit' = 7"),
        ("search = { limit = 5 }\n", "search = { limit = 7 }\n"),
        (
            "search = { mode = 'vector' }  # mine\n",
            "search = { mode = 'vector', limit = 7 }  # mine\n",
        ),
        (
            '[search]\nmode = "vector"\n# fusion = "rrf"\n\n# [rank]\n# demote = 2\n',
            '[search]\nmode = "vector"\nlimit = 7\n# fusion = "rrf"\n\n# [rank]\n# demote = 2\n',
        ),
        (
            "[search]\r\nmode = 'vector'\n# mixed\r\n",
            "[search]\r\nmode = 'vector'\nlimit = 7\n# mixed\r\n",
        ),
        ("[search]\nlimit = 7\n", "[search]\nlimit = 7\n"),
        (
            "[index]\nexclude = [\n'limit = 5',\n]\n",
            "[index]\nexclude = [\n'limit = 5',\n]\n\n[search]\nlimit = 7\n",
        ),
    ],
)
def test_every_other_byte_of_a_file_stays(
    before: str, after: str, vault: Path, env: dict[str, str]
) -> None:
    say(vault, before)
    changed(vault, env, "search.limit", "7")
    assert (vault / ".aurelius" / "config.toml").read_bytes() == after.encode()


def test_what_cannot_be_changed_alone_is_left_to_the_person_with_the_lines_to_write(
    vault: Path, env: dict[str, str]
) -> None:
    text = "vaults = { '/other' = { git.commit = true } }  # mine\n"
    file = say_user(env, text)
    says = r"config\.toml: not written: other lines than those of vaults\..*\.git\.commit would have to change"
    with pytest.raises(ConfigError, match=says) as raised:
        changed(vault, env, "git.commit", "true")
    table = f'[vaults."{os.path.realpath(vault)}"]'
    assert raised.value.hint == f"change it with an editor:\n{table}\ngit.commit = true"
    assert Path(file).read_text() == text


@pytest.mark.parametrize("whose", ["vault", "person"])
def test_a_damaged_file_is_never_written_over(whose: str, vault: Path, env: dict[str, str]) -> None:
    damaged = "[search\n"
    file = Path(say_user(env, "" if whose == "vault" else damaged))
    say(vault, damaged if whose == "vault" else "")
    for name in ("search.limit", "git.commit"):
        with pytest.raises(ConfigError, match="not valid TOML"):
            changed(vault, env, name, "true" if name == "git.commit" else "7")
    assert damaged in {file.read_text(), (vault / ".aurelius" / "config.toml").read_text()}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("search.limt", "5"), "there is no setting search.limt"),
        (("search.limit", "many"), "search.limit cannot be 'many'"),
        (("git.commit", "yes"), "git.commit cannot be 'yes'"),
        (("search.limit", "1e999"), "search.limit cannot be 1e999"),
        (("search.limit", "inf"), "search.limit cannot be inf"),
        (("index.exclude", f"[{'9' * 5000}]", "!"), f"index.exclude cannot be ['[{'9' * 57}…"),
        (("search.limit", "9" * 5000), f"search.limit cannot be {'9' * 60}…"),
    ],
)
def test_what_means_nothing_is_told_before_anything_is_written(
    words: tuple[str, ...], says: str, vault: Path, env: dict[str, str]
) -> None:
    with pytest.raises(UsageError) as raised:
        changed(vault, env, *words)
    assert raised.value.message == says
    assert list((vault / ".aurelius").iterdir()) == []
    assert not os.path.exists(places.user_file(env))


def test_which_vault_to_use_is_said_to_stand_in_the_persons_own_file(
    vault: Path, env: dict[str, str]
) -> None:
    with pytest.raises(UsageError) as set_there:
        changed(vault, env, "vault", "/tmp")
    with pytest.raises(UsageError) as unset_there:
        change_settings.unset_key(str(vault), env, "vault")
    for raised in (set_there, unset_there):
        assert places.user_file(env) in raised.value.message
        assert 'vault = "/path/to/notes"' in raised.value.hint


def test_a_file_that_changed_meanwhile_is_not_written(vault: Path, env: dict[str, str]) -> None:
    plan = change_settings.plan_setting(str(vault), env, "search.limit", ("7",), str(vault))
    say(vault, "# just now\n")
    with pytest.raises(ConflictError, match="has just been changed"):
        own_files.write_settings(plan, env)
    assert (vault / ".aurelius" / "config.toml").read_text() == "# just now\n"
    assert sorted(path.name for path in (vault / ".aurelius").iterdir()) == ["config.toml"]


def test_the_vaults_file_is_not_written_through_a_link(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    (tmp_path / "elsewhere.toml").write_text("# theirs\n")
    (vault / "inside.toml").write_text("# mine\n")
    for there, refusal in (("inside.toml", UsageError), (tmp_path / "elsewhere.toml", ConfigError)):
        (vault / ".aurelius" / "config.toml").symlink_to(vault / there)
        with pytest.raises(refusal, match="link"):
            changed(vault, env, "search.limit", "7")
        (vault / ".aurelius" / "config.toml").unlink()
    assert (vault / "inside.toml").read_text() == "# mine\n"
    (vault / ".aurelius").rmdir()
    (tmp_path / "folder").mkdir()
    (vault / ".aurelius").symlink_to(tmp_path / "folder", target_is_directory=True)
    with pytest.raises(UsageError, match="link"):
        changed(vault, env, "search.limit", "7")
    assert (tmp_path / "elsewhere.toml").read_text() == "# theirs\n"
    assert list((tmp_path / "folder").iterdir()) == []


def test_the_persons_file_may_be_a_link_and_stays_one(
    tmp_path: Path, vault: Path, env: dict[str, str]
) -> None:
    file = Path(say_user(env, ""))
    file.unlink()
    (tmp_path / "dotfiles.toml").write_text("# mine\n")
    (tmp_path / "dotfiles.toml").chmod(0o640)
    file.symlink_to(tmp_path / "dotfiles.toml")
    changed(vault, env, "git.commit", "true")
    assert file.is_symlink()
    assert "git.commit = true" in (tmp_path / "dotfiles.toml").read_text()
    assert (tmp_path / "dotfiles.toml").stat().st_mode & 0o777 == 0o640
