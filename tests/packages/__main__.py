"""Installs packages into an environment of their own, runs a program with each on chainrule and on PyTorch, and writes
docs/packages.md: `make test-packages`.

PyTorch is not installed there. The second run borrows the PyTorch of the interpreter that runs this.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import torch

from .environment import ROOT, environment

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "packages.md"
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
HEADING = "## Architectures of transformers"
POPULAR = """
accelerate diffusers einops keras lightning peft safetensors timm torchvision transformers
"""  # what CI runs
ALLOWED = 1e-3  # the largest difference of a printed number, of its size or of 1

ON_PYTORCH = HERE / "on_pytorch.py"


class Verdict(NamedTuple):
    """What came of one program."""

    package: str
    version: str
    words: str
    difference: str

    @property
    def works(self) -> bool:
        return self.words == "works"


def package_of(program: Path) -> str:
    """The package that a program tries, as its first line says."""
    match = re.match(r'"""One step with (\S+),', program.read_text())
    assert match is not None, program
    return match[1]


def run(command: list, minutes: float = 5) -> subprocess.CompletedProcess[str] | None:
    """What a program prints; None if it takes too long."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes, check=False)
    except subprocess.TimeoutExpired:
        return None


def verdict(python: Path, program: Path) -> Verdict:
    """Runs one program twice and compares the numbers that it prints."""
    package = package_of(program)
    asked = run([python, "-c", f"import importlib.metadata as m; print(m.version({package!r}))"])
    version = asked.stdout.strip() if asked is not None and asked.returncode == 0 else ""
    if not version:
        return Verdict(package, "", "not installed", "")
    ours = run([python, "-m", "chainrule", "run", program])
    if ours is None or ours.returncode:
        last = "takes more than five minutes" if ours is None else raised_in(ours.stderr)
        return Verdict(package, version, last[:160].replace("|", "/"), "")
    theirs = run([python, ON_PYTORCH, torch_folder(), program])
    if theirs is None or theirs.returncode:
        return Verdict(package, version, "works", "PyTorch did not run here")
    largest = difference(ours.stdout, theirs.stdout)
    words = "works" if largest is not None and largest <= ALLOWED else "differs"
    return Verdict(package, version, words, "other output" if largest is None else f"{largest:.0e}")


def raised_in(text: str) -> str:
    """The line of a traceback that says what was raised."""
    return (re.findall(r"^[\w.]*(?:Error|Exception)\b.*", text, re.MULTILINE) or ["fails"])[-1]


def difference(ours: str, theirs: str) -> float | None:
    """The largest difference of two outputs' numbers; None where they print different things."""
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return None
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return max((abs(float(a) - float(b)) / max(1, abs(float(b))) for a, b in pairs), default=0.0)


def torch_folder() -> str:
    """Where this interpreter's PyTorch is."""
    return str(Path(str(importlib.metadata.distribution("torch").locate_file("torch"))).parent)


def rows_of(page: str) -> dict[str, Verdict]:
    """The verdicts of a page that was written before, by package."""
    cells = re.findall(r"^\| (\S+) \| (\S*) \| (.*) \| (.*) \|$", page, re.MULTILINE)
    return {row[0]: Verdict(*row) for row in cells if row[0] not in ("package", "---")}


def write(verdicts: list[Verdict]) -> None:
    """Puts verdicts in docs/packages.md, beside those of programs that did not run this time."""
    before, heading, architectures = PAGE.read_text().partition(HEADING)
    rows = rows_of(before) | {v.package: v for v in verdicts}
    there = {package_of(program) for program in PROGRAMS}
    page = table(sorted((v for v in rows.values() if v.package in there), key=lambda v: v.package.lower()))
    PAGE.write_text(page + ("\n" + heading + architectures if heading else ""))


def write_architectures(python: Path) -> bool:
    """Runs architectures.py twice and writes how far the results are apart; whether all are near enough."""
    files = [ROOT / "build" / f"architectures_{name}.pt" for name in ("chainrule", "pytorch")]
    commands = ([python, "-m", "chainrule", "run"], [python, ON_PYTORCH, torch_folder()])
    for command, file in zip(commands, files, strict=True):
        done = run([*command, HERE / "architectures.py", file], minutes=15)
        if done is None or done.returncode:
            print("" if done is None else done.stderr[-2000:], f"{file.stem} failed")
            return False
    ours, theirs = (torch.load(file, weights_only=True) for file in files)
    lines, near = [], True
    for name, (values, gradients) in theirs.items():
        pairs = zip(ours[name], (values, gradients), strict=True)
        of_values, of_gradients = (((a - b).abs().max() / b.abs().max()).item() for a, b in pairs)
        near &= of_values <= 1e-4 and of_gradients <= 1e-3
        lines.append(f"| {name} | {of_values:.0e} | {of_gradients:.0e} |")
    words = (
        f"{len(lines)} architectures with random weights from the same seed: the largest difference from PyTorch of\n"
        "what they give, and of their parameters' gradients, both as a part of the largest value.\n"
        "`python -m tests.packages --architectures` writes this table."
    )
    header = "| architecture | values | gradients |\n| --- | --- | --- |"
    page = PAGE.read_text().partition("\n" + HEADING)[0]
    PAGE.write_text("\n".join([page, HEADING, "", words, "", header, *lines, ""]))
    return near


def table(verdicts: list[Verdict]) -> str:
    """docs/packages.md."""
    works = sum(v.works for v in verdicts)
    rows = [f"| {v.package} | {v.version} | {v.words} | {v.difference} |" for v in verdicts]
    return "\n".join(
        [
            "# Packages",
            "",
            "Other people's packages on chainrule, without PyTorch installed: each runs the program of its name in",
            "`tests/packages/programs`, a step of training or inference on random weights.",
            "The last column is the largest difference of the printed numbers from those of PyTorch, of their size or",
            "of 1. `make test-packages` installs the packages and writes this page.",
            "",
            f"{works} of {len(verdicts)} work.",
            "",
            "| package | version | verdict | difference from PyTorch |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.packages")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "packages", help="where the environment goes")
    parser.add_argument("--python", type=Path, help="an interpreter that has the packages already")
    parser.add_argument("--only", nargs="*", default=None, help="names of programs")
    parser.add_argument("--part", default="1/1", help="2/4 is the second quarter of the programs")
    parser.add_argument("--popular", action="store_true", help="the ten of CI, if they install in five minutes")
    parser.add_argument("--architectures", action="store_true", help="compare architectures of transformers instead")
    parser.add_argument("--write", action="store_true", help="write docs/packages.md")
    options = parser.parse_args()
    programs = [p for p in PROGRAMS if options.only is None or p.stem.removeprefix("step_") in options.only]
    if options.popular:
        programs = [p for p in PROGRAMS if package_of(p) in POPULAR.split()]
    part, parts = map(int, options.part.split("/"))
    programs = programs[part - 1 :: parts]
    if options.architectures:
        return 0 if write_architectures(options.python or environment(options.folder, ["transformers"])) else 1
    limit = 300 if options.popular else None
    try:
        python = options.python or environment(options.folder, [package_of(p) for p in programs], limit)
    except TimeoutError:
        print("the packages did not install in five minutes; none was tried")
        return 0
    verdicts = []
    for program in programs:
        verdicts.append(verdict(python, program))
        print(*verdicts[-1], sep=" | ", flush=True)
    if options.write:
        write(verdicts)
    there = [v for v in verdicts if not options.popular or v.words != "not installed"]
    return 0 if all(v.works for v in there) else 1


if __name__ == "__main__":
    sys.exit(main())
