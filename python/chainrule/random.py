"""The default random generator: seeding it, saving its state, restoring it."""

from ._core import Generator, Tensor, default_generator


def manual_seed(seed: int) -> Generator:
    """Starts the default generator's stream anew; the numbers that follow are PyTorch's for the same seed."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Takes a fresh non-deterministic seed and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was last given."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state as a uint8 tensor, in PyTorch's layout."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restores a state that get_rng_state() gave."""
    default_generator.set_state(new_state)
