"""Random numbers of a GPU beside PyTorch's: stored ones, and those of philox_streams.py.

A program for tests/test_cuda_random.py, in a process that has a GPU or an emulated one. Its arguments are names of
checks; without any all are made. It prints what is wrong, and ends with 1 if anything is.
"""

from __future__ import annotations

import math
import pickle
import sys
from collections.abc import Callable

import numpy as np
import pytest

import on_cuda_device
from philox_streams import Stream, order_of_memory, philox, rounded, unit32

on_cuda_device.choose()
import chainrule as torch  # noqa: E402  the GPU has been chosen
import chainrule.utils.checkpoint  # noqa: E402
from philox_stored import STORED, STORED_NEAR  # noqa: E402

REAL = on_cuda_device.is_real()
FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
NEAR = {"float32": 6e-6 if REAL else 1e-6, "float64": 1e-13, "float16": 2e-3, "bfloat16": 1.6e-2}
FACTS = torch._core._cuda.facts(0)
MULTIPROCESSORS = FACTS["multi_processor_count"] * FACTS["max_threads_per_multi_processor"] // 2048
TURN = MULTIPROCESSORS * 2048  # how many elements the grid takes at once


def dtype_of(name: str) -> torch.dtype:
    return getattr(torch, name)


def on_gpu(x: np.ndarray, dtype: str) -> torch.Tensor:
    return torch.tensor(x.astype(np.float64)).to(dtype_of(dtype)).to("cuda")


def numbers(x: torch.Tensor) -> np.ndarray:
    x = x.detach().cpu()
    return (x.float() if x.dtype is torch.bfloat16 else x).numpy()


class Pair:
    """A generator of the GPU and what it should give, in step; each comparison looks at the state as well."""

    def __init__(self, seed: int = 42, offset: int = 0):
        self.expected = Stream(seed, MULTIPROCESSORS, offset)
        self.generator = torch.Generator("cuda").manual_seed(seed)
        self.generator.set_offset(offset)

    def same(self, got: torch.Tensor, expected: np.ndarray, what: str, near: float = 0.0) -> None:
        values, expected = numbers(got).astype(np.float64), np.asarray(expected).astype(np.float64)
        assert values.shape == expected.shape, (what, values.shape, expected.shape)
        wrong = ~(np.isclose(values, expected, near, near) if near else values == expected)
        assert not wrong.any(), (what, int(wrong.sum()), values[wrong][:4], expected[wrong][:4])
        state = self.generator.get_state().numpy().tobytes()
        assert state == self.expected.state(), (what, state, self.expected.state())


def default_pair(seed: int = 42) -> Pair:
    """With the default generator of the GPU: for functions that take none."""
    pair = Pair(seed)
    torch.manual_seed(seed)
    pair.generator = torch.cuda.default_generators[0]
    return pair


# ---- what PyTorch gave on a GPU, for seed 42


def stored() -> None:
    """Numbers of PyTorch itself."""
    for name, (draw, expected, offset) in {**STORED, **STORED_NEAR}.items():
        generator = torch.Generator("cuda").manual_seed(42)
        got = numbers(draw(generator))
        if isinstance(expected, str):
            bits = np.array([int(word, 16) for word in expected.split()], f"u{got.itemsize}")
            expected = bits.view(got.dtype)
        exact = REAL or name in STORED
        same = (got == expected).all() if exact else np.allclose(got, expected, 1e-4 if got.itemsize == 4 else 1e-13)
        assert same, (name, got, expected)
        assert generator.get_offset() == offset, (name, generator.get_offset())


def stored_masks() -> None:
    """What is dropped depends on how many neighbours a thread takes."""
    for n, expected in ((8, [0, 1, 1, 1, 1, 1, 1, 0]), (7, [0, 1, 1, 1, 1, 1, 0])):
        torch.manual_seed(42)
        _, mask = torch.native_dropout(torch.ones(n, device="cuda"), 0.5, True)
        assert mask.int().tolist() == expected
        assert torch.cuda.default_generators[0].get_offset() == 4


# ---- against philox_streams.py


def sizes(pair: Pair) -> list[int]:
    """About the ends of the turns that threads take."""
    return [1, 7, 257, TURN - 1, TURN + 1, 4 * TURN + 3] if pair.expected.offset == 0 else [1000]


def fills() -> None:
    """Every distribution that takes one draw for an element."""
    for dtype in FLOATS:
        for seed, offset in ((42, 0), (2**32 + 7, 12), (2**64 - 3, 2**34 - 4)):
            pair = Pair(seed, offset)
            generator, e, near = pair.generator, pair.expected, NEAR[dtype]
            for n in sizes(pair):
                x = torch.empty(n, dtype=dtype_of(dtype), device="cuda")
                rand = torch.rand(n, dtype=x.dtype, device="cuda", generator=generator)
                pair.same(rand, e.uniform(n, 0, 1, dtype), "rand")
                pair.same(x.uniform_(-0.5, 1.5, generator=generator), e.uniform(n, -0.5, 1.5, dtype), "uniform_")
                pair.same(x.bernoulli_(0.3, generator=generator), e.bernoulli(n, 0.3, dtype), "bernoulli_")
                pair.same(x.normal_(0.5, 2, generator=generator), e.normal(n, 0.5, 2, dtype), "normal_", near)
                logs = x.log_normal_(0, 0.5, generator=generator)
                pair.same(logs, e.log_normal(n, 0, 0.5, dtype), "log_normal_", 10 * near)
                pair.same(x.exponential_(1.5, generator=generator), e.exponential(n, 1.5, dtype), "exponential_", near)
                angles = x.cauchy_(0.1, 2, generator=generator).double().sub(0.1).div(2).atan()
                expected = np.arctan((e.cauchy(n, 0.1, 2, dtype).astype(np.float64) - 0.1) / 2)
                pair.same(angles, expected, "cauchy_", 4 * near)
                steps = numbers(x.geometric_(0.3, generator=generator)).astype(np.float64)
                off = np.abs(steps - e.geometric(n, 0.3, dtype).astype(np.float64))
                assert off.max() <= 1, off.max()  # where a logarithm is next to a whole number
                assert off.sum() <= 1 + n / 1000, off.sum()


def integers() -> None:
    """Of one word and of two, in every dtype."""
    most = {**{d: torch.iinfo(dtype_of(d)).max for d in INTEGERS}, "bool": 1}
    most |= {"float32": 2**24, "float64": 2**53, "float16": 2**11, "bfloat16": 2**8}
    for dtype, largest in most.items():
        pair = Pair()
        generator, e, twice = pair.generator, pair.expected, dtype in ("int64", "float64")
        for n in (1, 1000, TURN + 1):
            x = torch.empty(n, dtype=dtype_of(dtype), device="cuda")
            whole = e.integers(n, 0, largest + 1, twice)
            pair.same(x.random_(generator=generator), rounded(whole, dtype), f"random_ of {dtype}")
            if dtype == "bool":
                continue
            pair.same(x.random_(2, 77, generator=generator), e.integers(n, 2, 75, False), "random_ between")
            pair.same(
                x.random_(2, None, generator=generator),
                rounded(e.integers(n, 2, largest - 1, largest - 1 >= 2**28), dtype),
                "random_ from",
            )
            if dtype in ("int32", "int64", "float64"):
                pair.same(
                    x.random_(-(2**29), 2**30, generator=generator),
                    rounded(e.integers(n, -(2**29), 3 * 2**29, True), dtype),
                    "random_ of two words",
                )
    pair = Pair()
    x = torch.empty(100, dtype=torch.int64, device="cuda").random_(-(2**63), None, generator=pair.generator)
    assert (x.cpu().numpy() == pair.expected.integers(100, 0, 0, True)).all()


def layouts() -> None:
    """The order of memory decides."""
    views: list[Callable] = [
        lambda x: x.t(),
        lambda x: x[:, ::2],
        lambda x: x.reshape(5, 8, 25, 6).permute(2, 0, 3, 1),
        lambda x: x.reshape(10, 10, 10, 6)[:, 3],
    ]
    for dtype in FLOATS:
        for view in views:
            x, pair = view(torch.zeros(100, 60, dtype=dtype_of(dtype), device="cuda")), Pair()
            drawn = pair.expected.uniform(x.numel(), 0, 1, dtype)
            expected = np.empty_like(drawn)
            expected[order_of_memory(tuple(x.shape), x.stride())] = drawn
            pair.same(x.uniform_(generator=pair.generator), expected.reshape(x.shape), f"{x.stride()} of {dtype}")
    pair = Pair()
    z = torch.rand(500, dtype=torch.complex64, device="cuda", generator=pair.generator)
    pair.same(torch.view_as_real(z).flatten(), pair.expected.uniform(1000, 0, 1, "float32"), "complex numbers")


def coins() -> None:
    """With probabilities of their own."""
    for dtype in (*FLOATS, *INTEGERS, "bool"):
        for kind in FLOATS:
            for n in (1, 5, 4 * TURN + 2) if kind == "float32" else (1000,):
                p, pair = rounded(np.arange(n) % 97 / 97, kind), Pair()
                x = torch.empty(n, dtype=dtype_of(dtype), device="cuda")
                x.bernoulli_(on_gpu(p, kind), generator=pair.generator)
                pair.same(x, pair.expected.bernoulli_each(p, dtype), f"{dtype} by {kind}")
    p, pair = np.arange(60, dtype=np.float32) / 60, Pair()
    x, there = torch.empty(10, 6, device="cuda").t(), on_gpu(p, "float32")
    x.bernoulli_(there.reshape(10, 6).t(), generator=pair.generator)
    pair.same(x.t(), pair.expected.bernoulli_each(p, "float32").reshape(10, 6), "both transposed")
    x.bernoulli_(there.reshape(6, 10), generator=pair.generator)
    pair.same(x, pair.expected.bernoulli_each(p, "float32").reshape(6, 10), "one transposed")


def dropouts() -> None:
    """In one pass, in place, by channels; and the slopes of rrelu."""
    functional = torch.nn.functional
    for dtype in FLOATS:
        pair, kind = default_pair(), np.float64 if dtype == "float64" else np.float32
        e = pair.expected
        for n in (1, 7, 12, 30, 1000, 4 * TURN + 5, 8 * TURN + 8):
            x = rounded(np.linspace(-3, 3, n), dtype)
            there = on_gpu(x, dtype)
            result, mask = torch.native_dropout(there, 0.3, True)
            value, kept = e.dropout(x, 0.3, dtype)
            pair.same(result, value, f"native_dropout of {dtype}")
            assert (numbers(mask) == kept).all()
            pair.same(functional.dropout(there, 0.3), e.dropout(x, 0.3, dtype)[0], "dropout")
            noise = rounded(e.bernoulli(n, 0.7, dtype) * kind(1 / 0.7), dtype)
            expected = rounded(x.astype(kind) * noise.astype(kind), dtype)
            pair.same(functional.dropout(there.clone(), 0.3, inplace=True), expected, "dropout_")
            slopes = functional.rrelu(there, 0.125, 0.375, training=True)
            pair.same(slopes, e.rrelu(x, 0.125, 0.375, dtype), "rrelu")
        x = rounded(np.linspace(-3, 3, 241), dtype)
        shifted = on_gpu(x, dtype)[1:]  # no longer where several can be read at once
        pair.same(functional.dropout(shifted, 0.3), e.dropout(x[1:], 0.3, dtype, aligned=False)[0], "unaligned")
        cut = on_gpu(x[1:], dtype).reshape(4, 6, 10)[:, :, ::2]
        value, _ = e.dropout(x[1:].reshape(4, 6, 10)[:, :, ::2].ravel(), 0.3, dtype, aligned=False)
        pair.same(functional.dropout(cut, 0.3), value.reshape(4, 6, 5), "strided")
        channels = torch.ones(3, 4, 5, dtype=dtype_of(dtype), device="cuda")
        noise = rounded(e.bernoulli(12, 0.7, dtype) * kind(1 / 0.7), dtype)
        expected = np.broadcast_to(noise.reshape(3, 4, 1), (3, 4, 5))
        pair.same(torch.feature_dropout(channels, 0.3, True), expected, "feature_dropout")


def dropout_gradient() -> None:
    """The mask times the factor, and PyTorch's node."""
    torch.manual_seed(0)
    x = torch.ones(64, device="cuda", requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    assert y.grad_fn.name() == "NativeDropoutBackward0"
    (3 * y).sum().backward()
    assert (numbers(x.grad) == 3 * numbers(y)).all()
    before = torch.cuda.get_rng_state()
    assert torch.nn.functional.dropout(x, 1.0).sum().item() == 0
    assert (torch.cuda.get_rng_state() == before).all()


def permutations() -> None:
    """Short keys are often equal; from 30084 elements on they have more than 32 bits."""
    for n in (1, 2, 10, 1000, 30083, 30084):
        pair = Pair()
        pair.same(torch.randperm(n, device="cuda", generator=pair.generator), pair.expected.permutation(n), str(n))
    for seed in range(60):
        pair = Pair(seed)
        got = torch.randperm(300, device="cuda", generator=pair.generator, dtype=torch.float32)
        pair.same(got, pair.expected.permutation(300), f"seed {seed}")


def samples() -> None:
    """By rejection: exactly where words are multiplied, by mean and spread elsewhere."""
    for dtype in FLOATS:
        rates, pair = rounded(np.linspace(0, 63, 300), dtype), Pair()
        got = torch.poisson(on_gpu(rates, dtype), generator=pair.generator)
        pair.same(got, rounded(pair.expected.poisson(rates), dtype), f"poisson of {dtype}")
    generator, n = torch.Generator("cuda").manual_seed(0), 4000
    full = lambda x: torch.full((n,), float(x), dtype=torch.float64, device="cuda")  # noqa: E731
    for got, mean, variance in (
        (torch.poisson(full(100), generator), 100, 100),
        (torch.poisson(full(5000), generator), 5000, 5000),
        (torch._standard_gamma(full(0.3), generator), 0.3, 0.3),
        (torch._standard_gamma(full(7), generator), 7, 7),
        (torch.binomial(full(10), full(0.3), generator), 3, 2.1),
        (torch.binomial(full(100), full(0.7), generator), 70, 21),
        (torch._sample_dirichlet(torch.full((n, 4), 2.0, device="cuda"), generator)[:, 0], 0.25, 0.1875 / 9),
    ):
        x = numbers(got).astype(np.float64)
        assert abs(x.mean() - mean) < 5 * math.sqrt(variance / n), (mean, x.mean())
        assert abs(x.var() / variance - 1) < 0.25, (mean, variance, x.var())
    point = torch._sample_dirichlet(torch.full((5, 3), 0.2, device="cuda"))
    assert np.allclose(numbers(point).sum(1), 1, atol=1e-6)
    nothing = torch.binomial(full(math.nan), full(0.3), generator)
    assert np.isnan(numbers(nothing)).all()


def choices() -> None:
    """By weights, with replacement and without."""
    weights = np.random.default_rng(0).random((3, 1000)).astype(np.float32)
    weights[:, 100:900] = 0
    there = on_gpu(weights, "float32")
    for replacement in (True, False):
        got = numbers(torch.multinomial(there, 150, replacement))
        assert (weights[np.arange(3)[:, None], got] > 0).all()
        assert replacement or all(len(set(row)) == 150 for row in got.tolist())
    counts = np.bincount(numbers(torch.multinomial(on_gpu(np.array([1.0, 2, 3, 4]), "float64"), 4000, True)))
    assert np.abs(counts / 400 - [1, 2, 3, 4]).max() < 0.5
    pair = Pair()  # one sample for each of many rows: the largest of weight / exponential
    got = torch.multinomial(there, 1, generator=pair.generator)
    clocks = pair.expected.exponential(3000, 1, "float32").reshape(3, 1000)
    pair.same(got, (weights / clocks).argmax(1)[:, None], "one sample")
    for wrong in ([1.0, -1.0], [math.nan, 1.0], [math.inf, 1.0], [0.0, 0.0]):
        with pytest.raises(RuntimeError, match=r"probability tensor contains|invalid multinomial"):
            torch.multinomial(torch.tensor(wrong).cuda(), 1)


def many_rows() -> None:
    """More than a grid has: the rows that follow take the next words of the same threads."""
    pair = Pair()
    even = torch.ones(65600, 2, device="cuda")
    got = numbers(torch.multinomial(even, 2, True, generator=pair.generator))
    row, sample = np.arange(65600)[:, None], np.arange(2)[None]
    words = philox(42, row % 65535 * 128 + sample, row // 65535)
    assert (got == (unit32(words[0]) > 0.5)).all()
    assert pair.generator.get_offset() == 8


# ---- generators


def generators() -> None:
    """Seeds, states and offsets, and which generator a call takes."""
    g = torch.Generator("cuda")
    assert (g.device, g.initial_seed(), g.get_offset()) == (torch.device("cuda:0"), 67280421310721, 0)
    assert g.manual_seed(-1).initial_seed() == 2**64 - 1
    assert g.get_state().tolist() == [255] * 8 + [0] * 8
    assert g.get_state().device == torch.device("cpu")
    g.set_offset(8)
    copy, again = g.clone_state(), pickle.loads(pickle.dumps(g))
    assert [x.get_offset() for x in (g, copy, again)] == [8, 8, 8]
    assert again.device == g.device
    g.set_state(g.get_state()[:8])  # a seed alone
    assert g.get_offset() == 0
    for wrong, words in (
        (lambda: g.set_offset(2), "offset must be a multiple of 4"),
        (lambda: g.set_state(torch.zeros(5, dtype=torch.uint8)), "RNG state is wrong size"),
        (lambda: torch.Generator().get_offset(), "CPU Generator does not use offset"),
        (
            lambda: torch.rand(2, device="cuda", generator=torch.Generator()),
            "Expected a 'cuda' device type for generator but found 'cpu'",
        ),
        (lambda: torch.rand(2, generator=g), "Expected a 'cpu' device type for generator but found 'cuda'"),
    ):
        with pytest.raises(RuntimeError, match=words):
            wrong()
    assert torch.rand(0, device="cuda", generator=g).numel() == 0
    assert g.get_offset() == 0


def default_generators() -> None:
    """torch.manual_seed seeds all devices, fork_rng gives all of them their states back."""
    torch.manual_seed(7)
    assert torch.cuda.initial_seed() == 7
    first = torch.rand(3, device="cuda").tolist()
    state = torch.cuda.get_rng_state("cuda:0")
    with torch.random.fork_rng():
        torch.rand(5, device="cuda")
        torch.rand(5)
    assert (torch.cuda.get_rng_state() == state).all()
    torch.cuda.manual_seed(7)
    assert torch.rand(3, device="cuda").tolist() == first
    torch.cuda.set_rng_state_all([state])
    second = torch.rand(3, device="cuda").tolist()
    torch.cuda.set_rng_state(state, 0)
    assert torch.rand(3, device="cuda").tolist() == second
    torch.cuda.seed_all()
    assert torch.cuda.initial_seed() == torch.cuda.default_generators[0].initial_seed() != 7
    torch.cuda.manual_seed_all(9)
    assert [g.initial_seed() for g in torch.cuda.default_generators] == [9]


def checkpoints() -> None:
    """What is calculated again drops the same elements, and draws nothing anew."""
    for reentrant in (True, False):
        torch.manual_seed(1)
        x = torch.ones(64, device="cuda", requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(
            lambda x: torch.nn.functional.dropout(x, 0.5) * x, x, use_reentrant=reentrant
        )
        state = torch.cuda.get_rng_state()
        y.sum().backward()
        assert (numbers(x.grad) == 2 * numbers(y)).all()
        assert (torch.cuda.get_rng_state() == state).all()


def bad_parameters() -> None:
    """What a kernel met is told where the host waits; the GPU goes on."""
    with pytest.raises(RuntimeError, match=r"outside of \[0, 1\]"):
        torch.bernoulli(torch.tensor([0.5, 1.5]).cuda()).tolist()
    with pytest.raises(RuntimeError, match="negative rate"):
        torch.poisson(torch.tensor([-1.0]).cuda()).tolist()
    assert torch.rand(2, device="cuda").shape == (2,)


def pieces() -> None:
    """Destinations of 2 GiB and more are filled piece by piece."""
    cut, half = torch._core._cuda.random_pieces, 2**28
    assert cut([2 * half], [1], 4) == [(0, [2 * half], [1])]
    assert cut([2 * half + 1], [1], 4) == [(0, [half], [1]), (half, [half + 1], [1])]
    assert len(cut([2**31 - 1], [1], 1)) == 1
    assert len(cut([2**31], [1], 1)) == 2
    assert [size for _, (size,), _ in cut([2**30 + 4], [1], 8)] == [2**27, 2**27 + 1] * 4
    assert cut([4, half], [1, 4], 4) == [(0, [2 * half], [1]), (2 * half, [2 * half], [1])]
    rows = cut([4, 2**20], [2**29, 1], 4)
    assert rows == [(i * 2**29, [1, 2**20], [2**29, 1]) for i in range(4)]


def without_fallbacks() -> None:
    """Nothing is drawn on the host."""
    assert not [name for name in torch._core._cuda.fallbacks() if name.startswith("Random")]


def geometry() -> None:
    """With as many multiprocessors as an H200 has, element 270336 is the second of thread 0."""
    generator = torch.Generator("cuda").manual_seed(42)
    x = torch.rand(300000, device="cuda", generator=generator)[270334:270338]
    bits = [f"{word:08x}" for word in numbers(x).view(np.uint32)]
    assert bits == ["3f0f1801", "3f4a99d8", "3eefea92", "3e0147a4"]


CHECKS = {
    f.__name__: f
    for f in (
        *(stored, stored_masks, fills, integers, layouts, coins, dropouts, dropout_gradient, permutations, samples),
        *(choices, many_rows, generators, default_generators, checkpoints, bad_parameters, pieces),
        *([geometry] if MULTIPROCESSORS == 132 else []),
        without_fallbacks,
    )
}

if __name__ == "__main__":
    failed = False
    for name in sys.argv[1:] or CHECKS:
        try:
            CHECKS[name]()
        except Exception as error:
            failed = True
            print(f"{name}: {type(error).__name__}: {error}")
    sys.exit(failed)
