"""Random numbers that PyTorch gave on an NVIDIA H200, for seed 42."""

from __future__ import annotations

from collections.abc import Callable

import chainrule as torch

# The call, what it gives (in bits, where it is a string), and the generator's offset afterwards.
STORED: dict[str, tuple[Callable, list | str, int]] = {
    "rand": (lambda g: torch.rand(4, device="cuda", generator=g), "3f1ceaf0 3c24cdda 3ecbfce1 3d251a6b", 4),
    "rand, doubles": (
        lambda g: torch.rand(4, dtype=torch.float64, device="cuda", generator=g),
        "3fddfd537715e0a7 3fc028f483ccdda6 3fe0a5cb693e70a6 3fdc8522b0e34d65",
        4,
    ),
    "rand, halves": (
        lambda g: torch.rand(4, dtype=torch.float16, device="cuda", generator=g),
        "38e7 2126 3660 2929",
        4,
    ),
    "uniform_": (
        lambda g: torch.empty(4, device="cuda").uniform_(-0.3, 0.9, generator=g),
        "3edf00a7 be936b7b 3e365ee9 be80d5a3",
        4,
    ),
    "uniform_, doubles": (
        lambda g: torch.empty(4, dtype=torch.float64, device="cuda").uniform_(-0.3, 0.9, generator=g),
        "3fd0c9975bb3da62 bfc3020dc83d5c6c 3fd4c11b62fc418e 3fce0c534221868c",
        4,
    ),
    "randint": (
        lambda g: torch.randint(0, 10, (8,), device="cuda", generator=g),
        [3, 9, 8, 0, 3, 7, 2, 6],
        4,
    ),
    "randint, of two words": (
        lambda g: torch.randint(0, 2**28, (4,), device="cuda", generator=g),
        [133515579, 5368083, 86923366, 34900625],
        4,
    ),
    "random_": (
        lambda g: torch.empty(2, dtype=torch.int64, device="cuda").random_(generator=g),
        [2083742018897791291, 185552934305655059],
        4,
    ),
    "random_, of 32 bits": (
        lambda g: torch.empty(4, dtype=torch.int32, device="cuda").random_(generator=g),
        [485158995, 43202409, 1711173798, 173123250],
        4,
    ),
    "randperm": (lambda g: torch.randperm(10, device="cuda", generator=g), [8, 1, 2, 6, 3, 4, 9, 0, 5, 7], 16),
    "bernoulli_": (
        lambda g: torch.empty(8, device="cuda").bernoulli_(0.5, generator=g),
        [0, 1, 1, 1, 1, 1, 0, 1],
        4,
    ),
    "bernoulli": (
        lambda g: torch.bernoulli(torch.full((8,), 0.5, device="cuda"), generator=g),
        [0, 1, 1, 1, 1, 1, 1, 0],
        12,
    ),
    "multinomial": (
        lambda g: torch.multinomial(torch.tensor([0.1, 0.2, 0.3, 0.4]).cuda(), 6, True, generator=g),
        [3, 0, 2, 0, 1, 2],
        4,
    ),
    "multinomial without replacement": (
        lambda g: torch.multinomial(torch.tensor([0.1, 0.2, 0.3, 0.4]).cuda(), 3, generator=g),
        [2, 0, 3],
        4,
    ),
    "poisson": (
        lambda g: torch.poisson(torch.full((8,), 5.0, device="cuda"), generator=g),
        [5, 1, 9, 4, 3, 7, 9, 7],
        20,
    ),
    "geometric_": (
        lambda g: torch.empty(8, dtype=torch.int32, device="cuda").geometric_(0.3, generator=g),
        [2, 13, 3, 10, 6, 3, 1, 3],
        4,
    ),
}
# Their last bits are the GPU's.
STORED_NEAR: dict[str, tuple[Callable, str, int]] = {
    "randn": (lambda g: torch.randn(4, device="cuda", generator=g), "3e46acdd 400a53f2 be302def 3f595c01", 4),
    "randn, doubles": (
        lambda g: torch.randn(4, dtype=torch.float64, device="cuda", generator=g),
        "3ff0938d6e3710a3 bfff9be3fcfaa933 bff115a5ec5dbc3b bfe787c9f75e898e",
        4,
    ),
    "exponential_": (
        lambda g: torch.empty(4, device="cuda").exponential_(generator=g),
        "3efa99f2 40932d7d 3f6b9672 404d8439",
        4,
    ),
    "exponential_, doubles": (
        lambda g: torch.empty(4, dtype=torch.float64, device="cuda").exponential_(generator=g),
        "3fe841d061dec9bb 40008e52063c2d8d 3fe4e9352ae376b8 3fe9dd644b6c71ca",
        4,
    ),
    "cauchy_": (
        lambda g: torch.empty(4, device="cuda").cauchy_(generator=g),
        "3ebdba42 c1fd12df bea92f34 c0fb58f9",
        4,
    ),
    "log_normal_": (
        lambda g: torch.empty(4, device="cuda").log_normal_(generator=g),
        "4080392c 434cf237 3ff6a3d7 416da0eb",
        4,
    ),
    "gamma": (
        lambda g: torch._standard_gamma(torch.full((4,), 0.5, device="cuda"), generator=g),
        "3e8ed97a 409ca97c 3f2bb4ea 3e7dc0ce",
        12,
    ),
}
