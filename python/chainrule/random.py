"""The default random generator: seeding it, saving its state, restoring it."""

import contextlib
from collections.abc import Iterable, Iterator

from ._core import Generator, Tensor, default_generator
from .error_words import at_call


def manual_seed(seed: int) -> Generator:
    """Starts the default generator's stream anew; the numbers that follow are PyTorch's for the same seed.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Takes a fresh non-deterministic seed and returns it.

    >>> torch.seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


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


@contextlib.contextmanager
def fork_rng(
    devices: Iterable | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Gives the default generator its state back at the end of the block.

    Args:
        devices: in PyTorch, other devices whose generators are forked too; chainrule has only the CPU's.
        enabled: False makes the block an ordinary one.

    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     _ = torch.rand(2)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    if devices:
        raise at_call(
            RuntimeError, f"{_caller}: {_devices_kw}={devices!r} names devices, but chainrule runs on the CPU"
        )
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator() -> Generator | None:
    """None, which stands for the default generator: data loaders have processes for workers here, not threads.

    >>> torch.random.thread_safe_generator()
    """
    return None


def restored_generator(state: Tensor) -> Generator:
    """A new generator in this state: what a pickled generator becomes."""
    return Generator().set_state(state)
