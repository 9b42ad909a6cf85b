"""Collectives, and training by them, in 2 and 4 processes that mpirun starts."""

from __future__ import annotations

import pytest
from jobs import needs_mpi, run_cases


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4])
def test_collectives(ranks: int) -> None:
    run_cases("collectives.py", ranks)


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4])
def test_training(ranks: int) -> None:
    run_cases("training.py", ranks)
