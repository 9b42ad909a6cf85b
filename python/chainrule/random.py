"""The default random generators: seeding them, saving their states, restoring them."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _core, user_warning
from ._core import Generator, Tensor, default_generator


def manual_seed(seed: int) -> Generator:
    """Starts the default generators' streams anew, on all devices; the numbers that follow are PyTorch's.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    seed = int(seed)
    default_generator.manual_seed(seed)
    _core._seed_all_gpus(seed)
    return default_generator


def seed() -> int:
    """Takes a fresh non-deterministic seed and returns it.

    >>> torch.seed() == torch.initial_seed()
    True
    """
    seed = default_generator.seed()
    _core._seed_all_gpus(seed)
    return seed


def initial_seed() -> int:
    """The seed that the default generator was last given.

    >>> _ = torch.manual_seed(7)
    >>> torch.initial_seed()
    7
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state as a uint8 tensor, in PyTorch's layout.

    >>> torch.get_rng_state().shape
    torch.Size([5056])
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restores a state that get_rng_state() gave.

    >>> state = torch.get_rng_state()
    >>> first = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), first)
    True
    """
    default_generator.set_state(new_state)


_warned_of_all_devices = False


def _gpus_to_fork(given: Iterable | None, caller: str, keyword: str) -> list:
    """Those that were named, or all; PyTorch warns once where these are several."""
    global _warned_of_all_devices
    if given is not None:
        return list(given)
    count = _core._cuda.device_count()[0]
    if count > 1 and not _warned_of_all_devices:
        _warned_of_all_devices = True
        user_warning.warn_user(
            f"CUDA reports that you have {count} available devices, and you have used {caller} without explicitly "
            f"specifying which devices are being used: the state of each is saved and restored. Name those that you "
            f"use in {keyword}, or give {keyword}=[] for the CPU alone."
        )
    return list(range(count))


def _restored_later(gpu: Any) -> Callable[[], None]:
    from .cuda.random import get_rng_state, set_rng_state

    state = get_rng_state(gpu)
    return lambda: set_rng_state(state, gpu)


@contextlib.contextmanager
def fork_rng(
    devices: Iterable | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Gives the default generators, that of the CPU and those of GPUs, their states back at the end of the block.

    Args:
        devices: the GPUs whose generators are forked, beside the CPU; all of them by default.
        enabled: False makes the block an ordinary one.

    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     _ = torch.rand(2)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    if not enabled:
        yield
        return
    if devices and device_type != "cuda":
        raise RuntimeError(f"{_caller}: {_devices_kw}={devices!r} names devices, but chainrule has no {device_type!r}")
    gpus = _gpus_to_fork(devices, _caller, _devices_kw) if device_type == "cuda" else []
    state, restore = get_rng_state(), [_restored_later(gpu) for gpu in gpus]
    try:
        yield
    finally:
        set_rng_state(state)
        for of_gpu in restore:
            of_gpu()


def thread_safe_generator() -> Generator | None:
    """None, which stands for the default generator: data loaders have processes for workers here, not threads.

    >>> torch.random.thread_safe_generator()
    """
    return None


def restored_generator(state: Tensor, device: Any = None) -> Generator:
    """A new generator in this state: what a pickled generator becomes."""
    return Generator(device).set_state(state)
