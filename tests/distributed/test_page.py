"""docs/distributed.md: its scripts print what it says, its names and options exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jobs import launch, needs_mpi

import chainrule
from chainrule import distributed
from chainrule.distributed import launch as launching

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "distributed.md").read_text()
SCRIPTS = re.findall(r"```python\n(.*?)```\n\n[^\n]*prints\n\n```text\n(.*?)```", PAGE, re.DOTALL)


@needs_mpi
@pytest.mark.parametrize("number", range(2))
def test_scripts_print_what_the_page_says(number: int, tmp_path: Path) -> None:
    code, output = SCRIPTS[number]
    script = tmp_path / "train.py"
    script.write_text(code)
    result = launch(script, 2)
    assert (sorted(result.stdout.splitlines()), result.stderr) == (sorted(output.splitlines()), "")


def test_every_script_of_the_page_is_run() -> None:
    assert len(SCRIPTS) == PAGE.count("```python") == 2


def test_names_exist() -> None:
    begin, end = PAGE.index("There are `all_reduce`"), PAGE.index("## Where processes run")
    words = re.findall(r"`([a-z_]+)`", PAGE[begin:end])
    assert len(words) > 15
    assert [word for word in words if not hasattr(distributed, word)] == []
    for name in re.findall(r"`((?:nn|optim)\.[\w.]+)\(", PAGE):
        owner = chainrule
        for part in name.split("."):
            owner = getattr(owner, part)
    assert set(re.findall(r"\]\(\.\./([\w/.]+)\)", PAGE)) == {"examples/data_parallel.py"}


def options(text: str):
    parser = launching.argparse.ArgumentParser()
    launching.add_arguments(parser)
    return parser.parse_args(text.split())


def test_command_lines_exist() -> None:
    for line in re.findall(r"`?chainrule launch (-n [^`\n#]*train\.py)", PAGE):
        options(line.replace("$SLURM_NTASKS", "8"))
    for option in re.findall(r"`(--[\w-]+)`\)", PAGE):
        assert option in launching.argparse.ArgumentParser.format_help(_parser()), option


def _parser() -> launching.argparse.ArgumentParser:
    parser = launching.argparse.ArgumentParser()
    launching.add_arguments(parser)
    return parser


# ---- What launch makes of its options


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "CHAINRULE_NUM_THREADS", "SLURM_JOB_NUM_NODES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 1000)


def test_cores_are_shared_out() -> None:
    line, variables = launching.command("mpirun", "mpich", options("-n 4 x.py --lr 1"), cores=16)
    assert line[:5] == ["mpirun", "-n", "4", "-bind-to", "core:4"]
    assert line[-5:] == ["-m", "chainrule.distributed.rank_program", "x.py", "--lr", "1"]
    assert variables["OMP_NUM_THREADS"] == "4"
    line, variables = launching.command("mpirun", "mpich", options("-n 4 x.py"), cores=2)
    assert line[3:5] == ["-bind-to", "none"]
    assert variables["OMP_NUM_THREADS"] == "1"
    line, variables = launching.command("mpirun", "openmpi", options("-n 4 x.py"), cores=2)
    assert line[3:7] == ["--bind-to", "none", "--map-by", ":OVERSUBSCRIBE"]
    line, variables = launching.command("mpirun", "openmpi", options("-n 2 --threads 3 x.py"), cores=8)
    assert line[3:7] == ["--bind-to", "core", "--map-by", "slot:PE=3"]
    assert "--allow-run-as-root" not in line


def test_root_and_the_users_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    line, variables = launching.command("mpirun", "openmpi", options("-n 2 --mpi-arg=-v --no-prefix x.py"), cores=8)
    assert "--allow-run-as-root" in line
    assert "-v" in line
    assert "--no-prefix" in line[line.index("-m") :]
    assert variables["OMP_NUM_THREADS"] == "7"


def test_several_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("alpha slots=4\nbeta slots=4  # the other one\n\n")
    line, variables = launching.command("mpirun", "openmpi", options(f"-n 8 --hostfile {hosts} x.py"), cores=8)
    assert line[3:7] == ["--hostfile", str(hosts), "--bind-to", "none"]
    assert variables["OMP_NUM_THREADS"] == "2"
    assert line[line.index("OMP_NUM_THREADS") - 1] == "-x"
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "4")
    line, variables = launching.command("mpirun", "mpich", options("-n 8 x.py"), cores=8)
    assert variables["OMP_NUM_THREADS"] == "4"


def test_bad_launches(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert launching.launch(options("-n 2 no_such_file.py")) == 2
    assert "can't open file 'no_such_file.py'" in capsys.readouterr().err
    assert launching.launch(options(f"-n 0 {__file__}")) == 2
    assert "at least one process" in capsys.readouterr().err
    assert launching.launch(options(f"--hostfile {tmp_path}/none {__file__}")) == 2
    assert "can't open file" in capsys.readouterr().err
