"""The tools that make a release: what they say and refuse. `make wheel` takes minutes, and tries what it has built."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- Trying a wheel --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", ["FIRST_GRADIENT", "GRADIENTS"])
def test_the_programs_that_try_a_wheel_pass_here(program: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(getattr(tool("try_wheel"), program).lstrip())
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- Interpreters ----------------------------------------------------------------------------------------------------


def test_an_interpreter_is_asked_for_its_version_and_headers() -> None:
    found = tool("wheels").described(sys.executable)
    assert found.version == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert found.tag == f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert (Path(found.headers) / "Python.h").exists()


def test_an_interpreter_without_headers_is_refused() -> None:
    with pytest.raises(SystemExit, match="no CPython with its headers: /bin/false"):
        tool("wheels").interpreters(["/bin/false"])


def test_debians_headers_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels = tool("wheels")
    headers = tmp_path / "include" / "python3.12"
    machine = tmp_path / "include" / f"{wheels.os.uname().machine}-linux-gnu" / "python3.12"
    for folder in (headers, machine):
        folder.mkdir(parents=True)
    (headers / "Python.h").write_text("of every machine")
    (headers / "pyconfig.h").write_text("only names the other one")
    (machine / "pyconfig.h").write_text("of this machine")
    monkeypatch.setattr(wheels, "WORK", tmp_path / "work")
    copied = wheels.copied_headers(wheels.Interpreter("python3.12", "3.12", str(headers)))
    assert {path.name: path.read_text() for path in copied.iterdir()} == {
        "Python.h": "of every machine",
        "pyconfig.h": "of this machine",
    }


# ---- A release -------------------------------------------------------------------------------------------------------


def repository(folder: Path, version: str, heading: str) -> Path:
    (folder / "python" / "chainrule").mkdir(parents=True)
    (folder / "python" / "chainrule" / "__init__.py").write_text(f'__version__ = "{version}"\n')
    (folder / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    subprocess.run(["git", "-C", folder, "add", "."], check=True)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", folder, *author, "commit", "--quiet", "-m", "All"], check=True)
    return folder


def test_a_release_that_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = tool("release")
    monkeypatch.setattr(release, "ROOT", repository(tmp_path, "0.2.0", "0.2.0 (2026-11-19)"))
    assert release.complaints() == []


def test_what_a_release_lacks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = tool("release")
    monkeypatch.setattr(release, "ROOT", repository(tmp_path, "0.1.0", "0.2.0 (unreleased)"))
    (tmp_path / "new.py").write_text("")
    assert release.complaints() == [
        "python/chainrule/__init__.py does not say version 0.2.0, as pyproject.toml does",
        "CHANGELOG.md does not open with 0.2.0 and its date, but with: 0.2.0 (unreleased)",
        "not everything is committed",
    ]


# ---- Progress --------------------------------------------------------------------------------------------------------


def test_progress_is_told_by_tenths(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    install = tool("install")
    monkeypatch.setattr(install.time, "monotonic", lambda: 0.0)
    progress = install.Progress()
    for line in (
        "[0/2] Re-checking",
        *(f"[{i}/40] Building CXX object x{i}.o" for i in range(1, 40)),
        "[40/40] Linking",
    ):
        if step := install.STEP.search(line):
            progress.show(int(step[1]), int(step[2]))
    progress.end("the core is compiled")
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "compiling the core, 40 steps; this takes minutes, once"
    assert told[-1] == "the core is compiled after 0 s"
    assert told[1:-1] == [f"compiling the core: {max(1, 4 * i)} of 40, 0 s" for i in range(11)]


def test_what_pip_said_is_shown_when_it_fails() -> None:
    command = [sys.executable, ROOT / "tools" / "install.py", "--no-index", "a-package-that-nobody-has"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "No matching distribution found for a-package-that-nobody-has" in done.stdout
