"""PyTorch beside chainrule: the same tensors in both, the same call in both, and a comparison of what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

import chainrule
from samples.record import Record

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
HALVES = FLOATS[2:]
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS, *COMPLEX)

# Relative and absolute tolerance, those of torch.testing.assert_close.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


# ---- tensors in both libraries


def name_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def ours(reference: torch.Tensor) -> chainrule.Tensor:
    """The same values in chainrule, contiguous."""
    reference = reference.detach().resolve_conj().contiguous()
    if reference.dtype is torch.bfloat16:  # NumPy has none
        return chainrule.from_numpy(reference.float().numpy().copy()).to(chainrule.bfloat16)
    if reference.dtype is torch.complex32:
        return chainrule.from_numpy(reference.to(torch.complex64).numpy()).to(chainrule.complex32)
    return chainrule.from_numpy(reference.numpy().copy())


def theirs(tensor: chainrule.Tensor) -> torch.Tensor:
    """The same values in PyTorch."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype is chainrule.bfloat16:
        return torch.from_numpy(np.array(tensor.to(chainrule.float32).numpy())).to(torch.bfloat16)
    if tensor.dtype is chainrule.complex32:
        return torch.from_numpy(np.array(tensor.to(chainrule.complex64).numpy())).to(torch.complex32)
    return torch.from_numpy(np.array(tensor.numpy()))


def cast(values: np.ndarray, dtype: str) -> torch.Tensor:
    """Values of a record as a tensor of `dtype`; what the dtype cannot hold is brought into its range first."""
    if values.dtype != np.float64:  # an index or a condition
        return torch.from_numpy(np.array(values))
    if dtype == "bool":
        return torch.from_numpy(np.array(values > 0))
    if dtype in INTEGERS:
        values = np.round(values)
        return torch.from_numpy(np.array(np.abs(values) if dtype == "uint8" else values)).to(getattr(torch, dtype))
    tensor = torch.from_numpy(np.array(values))
    if dtype in COMPLEX:
        tensor = torch.complex(tensor, tensor.flip(-1) if tensor.ndim else tensor * 0.5)
    return tensor.to(getattr(torch, dtype))


def pair(record: Record, dtype: str = "float64", grad: bool = False) -> tuple[list, list]:
    """The tensors of a record in both libraries."""
    reference = [cast(values, dtype) for values in record.values()]
    mine = [ours(t) for t in reference]
    if grad:
        for t, draw in zip([*reference, *mine], record.draws * 2, strict=True):
            t.requires_grad_(draw.grad and is_float(t))
    return mine, reference


def is_float(t: Any) -> bool:
    return t.is_floating_point() or t.is_complex()


# ---- the same call in both


METHODS = {"unfold"}  # the records are the method's; nn.functional has another function of that name


def find(library: Any, name: str) -> Callable:
    """The function of that name; PyTorch keeps some in submodules, and some are methods only."""
    if name in METHODS:
        return getattr(library.Tensor, name)
    if library is chainrule:
        places = (
            chainrule._core.functions.get(name),
            *(getattr(m, name, None) for m in (chainrule.nn.functional, chainrule)),
        )
        return next(filter(None, places), None) or getattr(chainrule.Tensor, name)
    if name.startswith("special_"):
        return getattr(torch.special, name.removeprefix("special_"))
    if name.startswith("linalg_"):
        return getattr(torch.linalg, name.removeprefix("linalg_"))
    if name.startswith("fft_"):
        return getattr(torch.fft, name.removeprefix("fft_"))
    places = (torch, torch._C._nn, torch.nn.functional, torch.Tensor)  # losses take the reduction's number as ours do
    return next(getattr(place, name) for place in places if hasattr(place, name))


def call(library: Any, record: Record, tensors: list) -> list:
    args, kwargs = record.fill(tensors)
    return flat(find(library, record.name)(*args, **kwargs))


def flat(result: Any) -> list:
    """One list of tensors and numbers, however they were nested."""
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in flat(item)]
    return [result]


def outcome(f: Callable, *args: Any, **kwargs: Any) -> tuple[Any, Exception | None]:
    """What a call gave, or what it raised."""
    try:
        return f(*args, **kwargs), None
    except Exception as error:
        return None, error


# ---- comparison


def assert_same(mine: Any, reference: Any, scale: float = 1.0, what: str = "") -> None:
    """Equal type, dtype, shape and, within the dtype's tolerance times `scale`, values."""
    if not isinstance(reference, torch.Tensor):
        assert mine == reference, f"{what}: {mine} instead of {reference}"
        return
    assert isinstance(mine, chainrule.Tensor), f"{what}: {mine!r} instead of a tensor"
    assert name_of(mine.dtype) == name_of(reference.dtype), f"{what}: dtype {mine.dtype} instead of {reference.dtype}"
    assert tuple(mine.shape) == tuple(reference.shape), (
        f"{what}: {tuple(mine.shape)} instead of {tuple(reference.shape)}"
    )
    relative, absolute = TOLERANCES.get(name_of(reference.dtype), (0.0, 0.0))
    torch.testing.assert_close(
        theirs(mine), reference.detach().resolve_conj(), rtol=relative * scale, atol=absolute * scale, equal_nan=True,
        msg=lambda text: f"{what}\n{text}\nchainrule: {mine.tolist()}\nPyTorch: {reference.tolist()}",
    )  # fmt: skip


def assert_same_in_half(
    mine: Any, reference: torch.Tensor, exact: torch.Tensor, scale: float = 1.0, what: str = ""
) -> None:
    """For float16 and bfloat16: near PyTorch's, which rounds between its kernels' steps, or near float64's."""
    rounded = exact.detach().to(reference.dtype)
    relative, absolute = TOLERANCES[name_of(reference.dtype)]
    finite = rounded[rounded.isfinite()].abs()
    if finite.numel():  # what was rounded on the way is as far off as the largest element
        absolute = max(absolute, relative * finite.max().item())
    near = torch.isclose(theirs(mine), rounded, relative * scale, absolute * scale, equal_nan=True)
    assert_same(mine, torch.where(near, theirs(mine), reference.detach()), scale, what)


def assert_all_same(mine: Iterable, reference: Iterable, scale: float = 1.0, what: str = "") -> None:
    mine, reference = list(mine), list(reference)
    assert len(mine) == len(reference), f"{what}: {len(mine)} results instead of {len(reference)}"
    for i, (m, r) in enumerate(zip(mine, reference, strict=True)):
        assert_same(m, r, scale, f"{what}[{i}]" if len(mine) > 1 else what)


def assert_same_outcome(mine: tuple, reference: tuple, scale: float = 1.0, what: str = "") -> None:
    """Both gave the same, or both raised: ours an instance of PyTorch's class, so that the same `except` catches it."""
    (value, error), (expected, expected_error) = mine, reference
    if expected_error is not None:
        assert error is not None, f"{what}: {value} instead of {type(expected_error).__name__}: {expected_error}"
        assert isinstance(error, type(expected_error)), (
            f"{what}: {type(error).__name__}: {error} instead of {type(expected_error).__name__}: {expected_error}"
        )
        return
    assert error is None, f"{what}: raised {type(error).__name__}: {error}"
    assert_all_same(flat(value), flat(expected), scale, what)


class Collected:
    """Goes on after a failure and reports all of them at the end: `with Collected() as c: c.check(f, ...)`."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def check(self, f: Callable, *args: Any, **kwargs: Any) -> None:
        try:
            f(*args, **kwargs)
        except AssertionError as error:
            self.failures.append(str(error).split("\nassert")[0])

    def __enter__(self) -> Collected:
        return self

    def __exit__(self, kind: type | None, *exception: Any) -> None:
        if kind is None and self.failures:
            raise AssertionError(f"{len(self.failures)} failures\n" + "\n".join(self.failures[:40]))


# ---- derivatives


def weights(outputs: list, library: Any, seed: int = 0) -> list:
    """A fixed incoming gradient for each output."""
    made = [np.random.default_rng(seed + i).uniform(0.5, 1.5, tuple(o.shape)) for i, o in enumerate(outputs)]
    if library is torch:
        return [cast(m, name_of(o.dtype)) for m, o in zip(made, outputs, strict=True)]
    return [ours(cast(m, name_of(o.dtype))) for m, o in zip(made, outputs, strict=True)]


def differentiable(results: list) -> list:
    return [r for r in results if isinstance(r, (torch.Tensor, chainrule.Tensor)) and r.requires_grad]


def gradients(library: Any, results: list, inputs: list, create_graph: bool = False, seed: int = 0) -> list:
    """Gradients of the weighted results by each input, None where there is none."""
    results = differentiable(results)
    inputs = [t for t in inputs if t.requires_grad]
    if not results:
        return [None] * len(inputs)
    return list(
        library.autograd.grad(
            results, inputs, weights(results, library, seed), create_graph=create_graph, allow_unused=True
        )
    )


def second(library, first: list, inputs: list) -> list:
    """Gradients of the weighted first gradients; both libraries get the same weights."""
    given = weights(first, library, seed=100)
    chosen = [(f, w) for f, w in zip(first, given, strict=True) if f.requires_grad]
    inputs = [t for t in inputs if t.requires_grad]
    if not chosen:
        return [None] * len(inputs)
    return list(library.autograd.grad([f for f, _ in chosen], inputs, [w for _, w in chosen], allow_unused=True))


def assert_same_gradients(mine: list, reference: list, scale: float, what: str) -> None:
    """None counts as zero: whether an input that cannot matter gets None is not compared here."""
    for i, (m, r) in enumerate(zip(mine, reference, strict=True)):
        if m is None and r is None:
            continue
        if m is None:
            assert not r.any(), f"{what}[{i}]: no gradient instead of {r}"
        elif r is None:
            assert theirs(m).abs().le(1e-12).all(), f"{what}[{i}]: {m} instead of no gradient"
        else:
            assert_same(m, r, scale, f"{what}[{i}]")
