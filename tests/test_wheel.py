"""The wheel, built and installed into an empty environment, works far from the checkout.

The environment holds the wheel alone; the packages it depends on are those of the environment the
tests run in, whose folder is added to the path, so that nothing is downloaded.  That a fresh
environment gets them from the index is what scripts/setup shows on every new clone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import aurelius

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    run(*build, cwd=ROOT, env=dict(os.environ))
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in {"PATH", "SYSTEMROOT", "TEMP", "TMP"}
    }
    return {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "LOCALAPPDATA": str(home / "cache"),
    }


@pytest.fixture(scope="module")
def installed(wheel: Path, env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", place, cwd=place.parent, env=env)
    commands = place / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(commands / "python"),
        "--disable-pip-version-check",
    ]
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=place.parent, env=env)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(commands / "python", "-c", ask, cwd=place.parent, env=env).strip())
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "dependencies.pth").write_text("\n".join(sorted(here)) + "\n", encoding="utf-8")
    return commands


def test_the_wheel_holds_the_packages_the_weights_and_the_template(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    tops = {name.partition("/")[0] for name in held}
    assert tops == {"aurelius", "indexer", f"aurelius_vault-{aurelius.__version__}.dist-info"}
    template = [path for path in (ROOT / "vault_template").rglob("*") if path.is_file()]
    assert len(template) > 10
    for path in template:
        assert held["aurelius/" + path.relative_to(ROOT).as_posix()] == path.read_bytes()
    assert held["aurelius/agents/SKILL.md"] == (ROOT / "aurelius/agents/SKILL.md").read_bytes()
    for topic in (ROOT / "aurelius" / "help").glob("*.md"):
        assert held[f"aurelius/help/{topic.name}"] == topic.read_bytes()
    model = [path for path in (ROOT / "indexer" / "model").iterdir() if path.is_file()]
    assert len(model) > 5
    for path in model:
        assert held[path.relative_to(ROOT).as_posix()] == path.read_bytes()
    assert not [name for name in held if "__pycache__" in name or "/test" in name]
    assert {"aurelius/py.typed", "indexer/py.typed"} <= set(held)
    assert any(name.endswith("licenses/LICENSE") for name in held)


def test_the_installed_command_makes_a_vault_and_answers(
    installed: Path, env: dict[str, str], tmp_path: Path
) -> None:
    where = "import aurelius, indexer; print(aurelius.__file__, indexer.__file__)"
    found = run(installed / "python", "-c", where, cwd=tmp_path, env=env)
    assert found.count(str(installed.parent)) == 2
    command = installed / "aurelius"
    assert run(command, "--version", cwd=tmp_path, env=env) == f"aurelius {aurelius.__version__}\n"
    assert run(command, "help", "facts", cwd=tmp_path, env=env).startswith("# Facts: ")
    run(command, "init", "vault", cwd=tmp_path, env=env)
    answer = run(
        command, "search", "Where does Joe live?", "--json", cwd=tmp_path / "vault", env=env
    )
    hit = json.loads(answer)["hits"][0]
    assert hit["path"] == "people/joe-bloggs.md"
    assert "Los Angeles" in hit["text"]
    assert json.loads(answer)["index"]["notes"] >= 13
    assert json.loads(answer)["mode"] == "hybrid", "its weights came along"
