"""Random numbers of GPUs: seeds and states of their default generators. Seeds are kept until a GPU is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _core
from .._core import Generator, Tensor
from .._core import device as _device

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]
_NONE = "Torch not compiled with CUDA enabled: chainrule runs on the CPU"
_cuda = _core._cuda


def generator_of(device: Any = "cuda") -> Generator:
    """The default generator of a GPU, by its number or its name; raises where there is no GPU."""
    if not _cuda.device_count()[0]:
        raise AssertionError(_NONE)
    index = _device("cuda", device).index if isinstance(device, int) else _device(device).index
    return _core._gpu_generator(_cuda.current_device() if index is None else index)


def all_generators() -> tuple[Generator, ...]:
    """The default generators of all GPUs."""
    return tuple(_core._gpu_generator(index) for index in range(_cuda.device_count()[0]))


def get_rng_state(device: Any = "cuda") -> Tensor:
    """The state of a GPU's default generator as a uint8 tensor on the CPU: its seed, and how far it has come."""
    return generator_of(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """The states of all GPUs."""
    return [generator.get_state() for generator in all_generators()]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Restores a state that get_rng_state() gave."""
    generator_of(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Restores states, one for each GPU."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seeds the default generator of the current GPU; does nothing where there is none."""
    seed = int(seed)
    if _cuda.device_count()[0]:
        generator_of().manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the default generators of all GPUs, now or when they are first used."""
    _core._seed_all_gpus(int(seed))


def seed() -> None:
    """Takes a fresh non-deterministic seed for the current GPU."""
    if _cuda.device_count()[0]:
        generator_of().seed()


def seed_all() -> None:
    """Takes a fresh non-deterministic seed, the same one for all GPUs."""
    manual_seed_all(Generator().seed())


def initial_seed() -> int:
    """The seed that the default generator of the current GPU was last given."""
    return generator_of().initial_seed()
