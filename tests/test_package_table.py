"""docs/packages.md is what tests/packages writes: a row for each program, and the rows survive a run of a part."""

from pathlib import Path

import pytest

from packages import __main__ as packages

PAGE = packages.PAGE.read_text()


def test_every_program_has_a_row() -> None:
    programs = {packages.package_of(program) for program in packages.PROGRAMS}
    assert programs == set(packages.rows_of(PAGE.partition(packages.HEADING)[0]))
    assert set(packages.POPULAR.split()) <= programs


def test_enough_packages_work() -> None:
    verdicts = packages.rows_of(PAGE.partition(packages.HEADING)[0]).values()
    works = sum(verdict.works for verdict in verdicts)
    assert works >= 110
    assert works / len(verdicts) >= 0.97


def test_a_part_keeps_the_other_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "packages.md"
    page.write_text(PAGE)
    monkeypatch.setattr(packages, "PAGE", page)
    packages.write([packages.Verdict("einops", "9.9", "differs", "1e+00")])
    before, after = PAGE.splitlines(), page.read_text().splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed[-1] == "| einops | 9.9 | differs | 1e+00 |"
    assert len(changed) == 2  # that row, and how many work


def test_what_counts_as_a_difference() -> None:
    assert packages.difference("a 1.0 -2.5e-3", "a 1.0 -2.5e-3") == 0
    assert packages.difference("a 1.5", "a 1.0") == pytest.approx(0.5)
    assert packages.difference("a 30.0", "a 20.0") == pytest.approx(0.5)
    assert packages.difference("a 1.0", "b 1.0") is None
    assert packages.difference("1.0", "1.0 2.0") is None
