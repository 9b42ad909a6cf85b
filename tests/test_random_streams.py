"""Random numbers equal PyTorch's for the same seed, bit for bit, and leave the generator in the same state."""

from __future__ import annotations

import copy
import math
import warnings

import numpy as np
import pytest
import torch as reference

import chainrule
from both import agree
from oracle import DTYPES, FLOATS, name_of

NUMBERS = DTYPES[: -len(("complex64", "complex128"))]
LENGTHS = [*range(1, 41), 100, 511, 512, 513, 1000]
SHORT = [1, 15, 16, 17, 40, 1000]


def bits(t) -> tuple:
    """What a tensor is to the last bit: dtype, shape, strides, bytes."""
    t = t.detach()
    wide = t.float() if name_of(t.dtype) == "bfloat16" else t
    return name_of(t.dtype), tuple(t.shape), t.stride(), np.array(wide.numpy()).tobytes()


def state(torch) -> bytes:
    return torch.get_rng_state().numpy().tobytes()


def outcome(program, torch, seed: int):
    """The results' bits and the state that is left, or the class of what was raised."""
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            result = program(torch)
        except (RuntimeError, NotImplementedError, ValueError, TypeError) as error:
            return type(error)
    results = result if isinstance(result, (tuple, list)) else [result]
    return [bits(t) for t in results], state(torch)


def assert_same_stream(program, seed: int = 0) -> None:
    mine, theirs = outcome(program, chainrule, seed), outcome(program, reference, seed)
    if isinstance(mine, type) or isinstance(theirs, type):
        assert mine is theirs
        return
    for a, b in zip(mine[0], theirs[0], strict=True):
        assert a[:3] == b[:3]
        assert a[3] == b[3], "other bits"
    assert mine[1] == theirs[1], "the generator is in another state"


def ramp(torch, low: float, high: float, shape: tuple, dtype: str):
    """The same parameters in both libraries."""
    values = np.linspace(low, high, math.prod(shape), dtype=np.float32).reshape(shape)
    return torch.tensor(values).to(getattr(torch, dtype))


# ---- fresh tensors: f(torch, length, dtype)

FRESH = {
    "rand": lambda torch, n, d: torch.rand(n, dtype=d),
    "randn": lambda torch, n, d: torch.randn(n, dtype=d),
    "randn, again": lambda torch, n, d: [torch.randn(3, dtype=d), torch.rand(2), torch.randn(n, dtype=d)],
    "randint": lambda torch, n, d: torch.randint(-5, 100, (n,), dtype=d),
    "randint, one bound": lambda torch, n, d: torch.randint(7, (n,), dtype=d),
    "randint, 64 bits": lambda torch, n, d: torch.randint(1 << 28, (n,), dtype=d),
    "randperm": lambda torch, n, d: torch.randperm(n, dtype=d),
    "normal": lambda torch, n, d: torch.normal(1.5, 2.5, (n,), dtype=d),
    "uniform_": lambda torch, n, d: torch.empty(n, dtype=d).uniform_(-0.3, 0.9),
    "normal_": lambda torch, n, d: torch.empty(n, dtype=d).normal_(2, 3),
    "log_normal_": lambda torch, n, d: torch.empty(n, dtype=d).log_normal_(0.5, 0.7),
    "cauchy_": lambda torch, n, d: torch.empty(n, dtype=d).cauchy_(1, 2),
    "exponential_": lambda torch, n, d: torch.empty(n, dtype=d).exponential_(1.5),
    "geometric_": lambda torch, n, d: torch.empty(n, dtype=d).geometric_(0.3),
    "random_": lambda torch, n, d: torch.empty(n, dtype=d).random_(),
    "random_ to": lambda torch, n, d: torch.empty(n, dtype=d).random_(100),
    "random_ between": lambda torch, n, d: torch.empty(n, dtype=d).random_(-20, 100),
    "random_ from": lambda torch, n, d: torch.empty(n, dtype=d).random_(20, None),
    "random_ all bits": lambda torch, n, d: torch.empty(n, dtype=d).random_(-(2**63), None),
    "bernoulli_": lambda torch, n, d: torch.empty(n, dtype=d).bernoulli_(0.3),
    "bernoulli, number": lambda torch, n, d: torch.empty(n, dtype=d).bernoulli(0.3),
    "out=": lambda torch, n, d: torch.randn(n, out=torch.empty(0, dtype=d)),
    "strided out=": lambda torch, n, d: torch.rand(n, 2, out=torch.empty(2, n, dtype=d).t()),
}


@pytest.mark.parametrize("name", FRESH)
@pytest.mark.parametrize("dtype", DTYPES)
def test_fresh(name, dtype):
    for n in LENGTHS if dtype in ("float32", "float64") else SHORT:
        assert_same_stream(lambda torch, n=n: FRESH[name](torch, n, getattr(torch, dtype)), seed=n)


@pytest.mark.parametrize("name", ["rand", "randn", "randint", "randperm", "exponential_", "bernoulli_"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_large(name, dtype):
    assert_same_stream(lambda torch: FRESH[name](torch, 100_000, getattr(torch, dtype)))


def test_sizes_in_all_spellings():
    for program in (
        lambda torch: torch.rand(2, 3),
        lambda torch: torch.rand((2, 3)),
        lambda torch: torch.rand(size=[2, 3]),
        lambda torch: torch.rand(()),
        lambda torch: torch.randn(0, 3),
        lambda torch: torch.randint(low=2, high=9, size=(3,)),
        lambda torch: torch.randint(high=9, size=(3,)),
    ):
        assert_same_stream(program)


# ---- parameters that are tensors

SAMPLES = {
    "bernoulli": lambda torch, n, d: torch.bernoulli(ramp(torch, 0, 1, (n,), d)),
    "bernoulli, out=": lambda torch, n, d: torch.bernoulli(
        ramp(torch, 0, 1, (n,), d), out=torch.empty(0, dtype=torch.int32)
    ),
    "bernoulli_": lambda torch, n, d: torch.empty(n, dtype=torch.int64).bernoulli_(ramp(torch, 0, 1, (n,), d)),
    "bernoulli_, broadcast": lambda torch, n, d: torch.empty(n, 3).bernoulli_(ramp(torch, 0, 1, (3,), d)),
    "bernoulli_, strided": lambda torch, n, d: torch.empty(2, n).t().bernoulli_(ramp(torch, 0, 1, (n, 2), d)),
    "normal, mean": lambda torch, n, d: torch.normal(ramp(torch, -1, 1, (n,), d), 2.0),
    "normal, mean only": lambda torch, n, d: torch.normal(ramp(torch, -1, 1, (n,), d)),
    "normal, std": lambda torch, n, d: torch.normal(1.5, ramp(torch, 0, 1, (n,), d)),
    "normal, both": lambda torch, n, d: torch.normal(ramp(torch, -1, 1, (n,), d), ramp(torch, 0, 1, (2, 1), d)),
    "normal, out=": lambda torch, n, d: torch.normal(
        ramp(torch, -1, 1, (n,), d), 2.0, out=torch.empty(0, dtype=torch.float64)
    ),
    "poisson": lambda torch, n, d: torch.poisson(ramp(torch, 0, 40, (n,), d)),
    "poisson, strided": lambda torch, n, d: torch.poisson(ramp(torch, 0, 40, (n, 2), d).t()),
    "binomial": lambda torch, n, d: torch.binomial(ramp(torch, 0, 40, (n,), d), ramp(torch, 0, 1, (n,), d)),
    "binomial, broadcast": lambda torch, n, d: torch.binomial(ramp(torch, 1, 40, (n,), d), ramp(torch, 0, 1, (1,), d)),
    "multinomial": lambda torch, n, d: torch.multinomial(ramp(torch, 0.1, 1, (n,), d), n, False),
    "multinomial, one": lambda torch, n, d: torch.multinomial(ramp(torch, 0.1, 1, (n,), d), 1),
    "multinomial, rows": lambda torch, n, d: torch.multinomial(ramp(torch, 0.1, 1, (2, n), d), 2 * n, True),
    "multinomial, strided": lambda torch, n, d: torch.multinomial(ramp(torch, 0.1, 1, (n, 2), d).t(), 1),
    "multinomial, out=": lambda torch, n, d: torch.multinomial(
        ramp(torch, 0.1, 1, (n,), d), n, True, out=torch.empty(0, dtype=torch.int64)
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "complex64"])
def test_samples(name, dtype):
    for n in LENGTHS if dtype == "float32" else SHORT:
        if name == "multinomial" and dtype in ("float16", "bfloat16") and n > 17:
            continue  # equal quotients are common in 16 bits, and their order is PyTorch's secret
        assert_same_stream(lambda torch, n=n: SAMPLES[name](torch, n, dtype), seed=n)


# ---- dropout


def drops(torch, name: str, x, **kwargs):
    return getattr(torch.nn.functional, name)(x, **kwargs)


DROPOUT = {
    "dropout": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (n,), d), p=0.3),
    "strided": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (3, n), d).t(), p=0.3),
    "with gaps": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (n, 4), d)[:, ::2], p=0.3),
    "in place": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (n,), d), p=0.3, inplace=True),
    "p=1": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (n,), d), p=1.0),
    "p=0": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (n,), d), p=0.0),
    "not training": lambda torch, n, d: drops(torch, "dropout", ramp(torch, -1, 1, (n,), d), training=False),
    "dropout1d": lambda torch, n, d: drops(torch, "dropout1d", ramp(torch, -1, 1, (n, 3, 2), d), p=0.3),
    "dropout1d, no batch": lambda torch, n, d: drops(torch, "dropout1d", ramp(torch, -1, 1, (n, 3), d), p=0.3),
    "dropout2d": lambda torch, n, d: drops(torch, "dropout2d", ramp(torch, -1, 1, (n, 3, 2, 1), d), p=0.3),
    "dropout3d": lambda torch, n, d: drops(torch, "dropout3d", ramp(torch, -1, 1, (n, 3, 2, 1, 1), d), p=0.3),
    "dropout3d, no batch, in place": lambda torch, n, d: drops(
        torch, "dropout3d", ramp(torch, -1, 1, (n, 3, 2, 1), d), inplace=True
    ),
    "alpha": lambda torch, n, d: drops(torch, "alpha_dropout", ramp(torch, -1, 1, (n,), d), p=0.3, training=True),
    "feature_alpha": lambda torch, n, d: drops(
        torch, "feature_alpha_dropout", ramp(torch, -1, 1, (n, 3, 2), d), p=0.3, training=True
    ),
    "torch.dropout": lambda torch, n, d: torch.dropout(ramp(torch, -1, 1, (n,), d), 0.3, True),
    "feature_dropout": lambda torch, n, d: torch.feature_dropout(ramp(torch, -1, 1, (n, 3), d), 0.3, True),
    "alpha_dropout_": lambda torch, n, d: torch.alpha_dropout_(ramp(torch, -1, 1, (n,), d), 0.3, True),
    "native_dropout": lambda torch, n, d: torch.native_dropout(ramp(torch, -1, 1, (n,), d), 0.3, True),
    "native_dropout, not training": lambda torch, n, d: torch.native_dropout(ramp(torch, -1, 1, (n,), d), 0.3, False),
    "rrelu": lambda torch, n, d: drops(torch, "rrelu", ramp(torch, -1, 1, (n,), d), training=True),
    "rrelu, in place": lambda torch, n, d: drops(torch, "rrelu", ramp(torch, -1, 1, (n,), d), inplace=True),
}


@pytest.mark.parametrize("name", DROPOUT)
@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "complex64"])
def test_dropout(name, dtype):
    for n in (1, 2, 5, 16, 17, 300):
        assert_same_stream(lambda torch, n=n: DROPOUT[name](torch, n, dtype), seed=n)


# ---- layouts

LAYOUTS = {
    "transposed": lambda torch, n, d: torch.empty(3, n, dtype=d).t(),
    "with gaps": lambda torch, n, d: torch.empty(n, 6, dtype=d)[:, ::2],
    "permuted": lambda torch, n, d: torch.empty(2, n, 4, dtype=d).permute(2, 0, 1),
    "channels last": lambda torch, n, d: torch.empty(2, 3, n, 2, dtype=d, memory_format=torch.channels_last),
    "part of a row": lambda torch, n, d: torch.empty(3, n + 5, dtype=d)[1, 2 : n + 2],
    "0-d": lambda torch, n, d: torch.empty((), dtype=d),
    "empty": lambda torch, n, d: torch.empty(0, n, dtype=d),
}
FILLS = {
    "uniform_": (),
    "normal_": (1, 2),
    "exponential_": (),
    "geometric_": (0.3,),
    "log_normal_": (),
    "cauchy_": (),
    "random_": (),
    "bernoulli_": (0.3,),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fill", FILLS)
def test_layouts(layout, fill):
    for dtype in ("float32", "float64", "float16", "complex64", "int32"):
        for n in (1, 5, 17):
            assert_same_stream(
                lambda torch, n=n, d=dtype: getattr(LAYOUTS[layout](torch, n, getattr(torch, d)), fill)(*FILLS[fill])
            )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["rand_like", "randn_like", "randint_like"])
def test_like(layout, name):
    rest = (9,) if name == "randint_like" else ()
    for dtype in ("float32", "float64", "bfloat16"):
        for n in (1, 5, 17):

            def program(torch, n=n, d=dtype):
                x = LAYOUTS[layout](torch, n, getattr(torch, d))
                return [getattr(torch, name)(x, *rest), getattr(torch, name)(x, *rest, dtype=torch.float32)]

            assert_same_stream(program)


def test_randint_like_in_all_spellings():
    assert_same_stream(lambda torch: torch.randint_like(torch.zeros(5), 2, 9))
    assert_same_stream(lambda torch: torch.randint_like(torch.zeros(5), torch.tensor(9)))
    assert_same_stream(lambda torch: torch.randint_like(torch.zeros(5), torch.tensor([9])))


# ---- generators and their states


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 + 7, -3, 2**64 - 1, -(2**63)])
def test_seeds(seed):
    def program(torch):
        g = torch.Generator().manual_seed(seed)
        assert g.initial_seed() == seed % 2**64
        return [torch.randn(17, generator=g), g.get_state()]

    assert_same_stream(program)


def test_states_go_both_ways():
    """A state taken in the middle of a program, a cached normal included, goes on in the other library."""
    for here, there in ((chainrule, reference), (reference, chainrule)):
        here.manual_seed(5)
        here.randn(3)
        saved = here.get_rng_state()
        there.set_rng_state(there.from_numpy(saved.numpy().copy()))
        assert bits(here.randn(40)) == bits(there.randn(40))
        assert state(here) == state(there)


def test_generators_are_independent():
    def program(torch):
        a, b = torch.Generator(), torch.Generator()
        assert a.initial_seed() == b.initial_seed() == 67280421310721
        first = torch.rand(3, generator=a)
        torch.rand(2)
        c = a.clone_state()
        return [first, torch.rand(3, generator=b), torch.rand(3, generator=a), torch.rand(3, generator=c)]

    assert_same_stream(program)


def test_a_generator_can_be_copied():
    g = chainrule.Generator().manual_seed(7)
    chainrule.randn(3, generator=g)
    h = copy.deepcopy(g)
    assert h.initial_seed() == 7
    assert bits(chainrule.randn(20, generator=g)) == bits(chainrule.randn(20, generator=h))


@pytest.mark.parametrize(
    "name", ["rand", "randn", "randperm", "normal", "bernoulli", "poisson", "multinomial", "binomial", "uniform_"]
)
def test_every_function_takes_a_generator(name):
    arguments = {
        "normal": lambda torch: (0.0, 1.0, (5,)),
        "bernoulli": lambda torch: (torch.full((5,), 0.5),),
        "poisson": lambda torch: (torch.full((5,), 3.0),),
        "multinomial": lambda torch: (torch.ones(5), 3),
        "binomial": lambda torch: (torch.full((5,), 9.0), torch.full((5,), 0.5)),
    }

    def program(torch):
        g = torch.Generator().manual_seed(1)
        given = arguments.get(name, lambda torch: (5,))(torch)
        if name.endswith("_"):
            return getattr(torch.empty(5), name)(generator=g)
        return getattr(torch, name)(*given, generator=g)

    assert_same_stream(program)


def test_fork_rng():
    def program(torch):
        torch.rand(2)
        with torch.random.fork_rng():
            inside = torch.rand(2)
        with torch.random.fork_rng(enabled=False):
            off = torch.rand(2)
        return [inside, off, torch.rand(2)]

    assert_same_stream(program)


def test_seed_is_new_each_time():
    seeds = {chainrule.seed() for _ in range(4)} | {chainrule.random.initial_seed()}
    assert len(seeds) == 4
    assert chainrule.initial_seed() == chainrule.default_generator.initial_seed()


BAD_STATES = {
    "floats": lambda torch: torch.zeros(5056),
    "too short": lambda torch: torch.zeros(3, dtype=torch.uint8),
    "nonsense": lambda torch: torch.zeros(5056, dtype=torch.uint8),
    "a number": lambda torch: 5,
}


@pytest.mark.parametrize("make", BAD_STATES.values(), ids=BAD_STATES.keys())
def test_bad_states(make):
    agree(lambda torch: torch.Generator().set_state(make(torch)), words=4)


@pytest.mark.parametrize("seed", [1.5, True, "a", None, 2**64, -(2**63) - 1])
def test_bad_seeds(seed):
    agree(lambda torch: torch.Generator().manual_seed(seed), words=4)


# ---- gradients

RECORDED = {
    "uniform_": lambda torch, x: (x * 1).uniform_(),
    "normal_": lambda torch, x: (x * 1).normal_(),
    "log_normal_": lambda torch, x: (x * 1).log_normal_(),
    "cauchy_": lambda torch, x: (x * 1).cauchy_(),
    "exponential_": lambda torch, x: (x * 1).exponential_(),
    "geometric_": lambda torch, x: (x * 1).geometric_(0.5),
    "random_": lambda torch, x: (x * 1).random_(),
    "random_ to": lambda torch, x: (x * 1).random_(5),
    "random_ between": lambda torch, x: (x * 1).random_(2, 5),
    "bernoulli_": lambda torch, x: (x * 1).bernoulli_(0.5),
    "bernoulli_, tensor": lambda torch, x: (x * 1).bernoulli_(x),
    "bernoulli_, only p": lambda torch, x: torch.zeros(2, 3).bernoulli_(x),
    "bernoulli": lambda torch, x: torch.bernoulli(x),
    "bernoulli, number": lambda torch, x: torch.bernoulli(x, 0.5),
    "normal, mean": lambda torch, x: torch.normal(x, 1.0),
    "normal, std": lambda torch, x: torch.normal(0.0, x),
    "normal, both": lambda torch, x: torch.normal(x, x),
    "poisson": lambda torch, x: torch.poisson(x),
    "binomial": lambda torch, x: torch.binomial(x, x),
    "dropout": lambda torch, x: torch.nn.functional.dropout(x),
    "dropout_": lambda torch, x: torch.dropout_(x * 1, 0.5, True),
    "alpha_dropout": lambda torch, x: torch.alpha_dropout(x, 0.5, True),
    "native_dropout": lambda torch, x: torch.native_dropout(x, 0.5, True)[0],
    "rrelu": lambda torch, x: torch.rrelu(-x, training=True),
    "rrelu_": lambda torch, x: torch.rrelu_(-x, training=True),
    "rrelu, not training": lambda torch, x: torch.rrelu(-x),
}


@pytest.mark.parametrize("f", RECORDED.values(), ids=RECORDED.keys())
def test_gradients_and_their_names(f):
    def program(torch):
        x = torch.full((3,), 0.5, requires_grad=True)
        y = f(torch, x)
        name = y.grad_fn.name()
        (gradient,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        return y, name, gradient

    agree(program, words=5)


REFUSED = {
    "a leaf": lambda torch: torch.ones(2, requires_grad=True).normal_(),
    "expanded": lambda torch: torch.ones(2).expand(3, 2).normal_(),
    "out= with gradient": lambda torch: torch.rand(2, out=torch.ones(2, requires_grad=True)),
    "out= of another dtype": lambda torch: torch.rand(2, out=torch.ones(2), dtype=torch.float64),
    "uniform, order": lambda torch: torch.ones(2).uniform_(3, 1),
    "uniform, NaN": lambda torch: torch.ones(2).uniform_(float("nan"), 1),
    "uniform, infinite": lambda torch: torch.ones(2).uniform_(1, float("inf")),
    "uniform, too wide": lambda torch: torch.ones(2).half().uniform_(-65504, 65504),
    "normal, std": lambda torch: torch.ones(2).normal_(0, -1),
    "normal, std tensor": lambda torch: torch.normal(0.0, -torch.ones(2)),
    "normal, complex std": lambda torch: torch.normal(0.0, torch.ones(2) + 0j),
    "normal, shapes": lambda torch: torch.normal(torch.ones(3), torch.ones(2)),
    "exponential": lambda torch: torch.ones(2).exponential_(0),
    "exponential, integers": lambda torch: torch.ones(2, dtype=torch.int64).exponential_(),
    "geometric": lambda torch: torch.ones(2).geometric_(1),
    "geometric, bool": lambda torch: torch.ones(2, dtype=torch.bool).geometric_(0.5),
    "cauchy": lambda torch: torch.ones(2).cauchy_(0, 0),
    "log_normal": lambda torch: torch.ones(2).log_normal_(0, 0),
    "bernoulli": lambda torch: torch.ones(0).bernoulli_(7.0),
    "bernoulli, NaN": lambda torch: torch.ones(2).bernoulli_(float("nan")),
    "bernoulli, tensor": lambda torch: torch.bernoulli(torch.ones(2) * 2),
    "bernoulli, shapes": lambda torch: torch.ones(3).bernoulli_(torch.ones(2)),
    "random_, order": lambda torch: torch.ones(2).random_(5, 2),
    "random_, too large": lambda torch: torch.ones(2, dtype=torch.uint8).random_(-2, None),
    "randint, too large": lambda torch: torch.randint(0, 300, (2,), dtype=torch.uint8),
    "randint, overflow": lambda torch: torch.randint(2**63, (2,)),
    "randperm, too large": lambda torch: torch.randperm(300, dtype=torch.uint8),
    "poisson": lambda torch: torch.poisson(torch.tensor([-1.0])),
    "binomial, dtypes": lambda torch: torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.float64)),
    "multinomial, dims": lambda torch: torch.multinomial(torch.ones(2, 2, 2), 1),
    "multinomial, too many": lambda torch: torch.multinomial(torch.ones(3), 5),
    "multinomial, none": lambda torch: torch.multinomial(torch.ones(3), 0),
    "multinomial, zeros": lambda torch: torch.multinomial(torch.zeros(3), 1),
    "multinomial, negative": lambda torch: torch.multinomial(torch.tensor([1.0, -1.0]), 1),
    "multinomial, NaN": lambda torch: torch.multinomial(torch.tensor([1.0, float("nan")]), 2, True),
    "multinomial, out=": lambda torch: torch.multinomial(torch.ones(3), 2, out=torch.ones(2)),
    "dropout": lambda torch: torch.dropout(torch.ones(3), 1.5, True),
    "functional dropout": lambda torch: torch.nn.functional.dropout(torch.ones(3), 1.5),
    "feature dropout": lambda torch: torch.feature_dropout(torch.ones(3), 0.5, True),
    "dropout1d": lambda torch: torch.nn.functional.dropout1d(torch.ones(3)),
    "rrelu": lambda torch: torch.rrelu(torch.ones(3), 0.5, 0.3),
    "fork_rng": lambda torch: torch.rand(2, generator=3),
}


@pytest.mark.parametrize("f", REFUSED.values(), ids=REFUSED.keys())
def test_bad_input(f):
    agree(f, words=0 if f is REFUSED["fork_rng"] else 4)
