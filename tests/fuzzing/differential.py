"""The same call in chainrule and in PyTorch: what both accept gives the same values and the same gradients.

Arguments are friendly, since PyTorch may not live through others: plain numbers and tensors of the suite's samples,
with other dtypes, shapes, strides and values, NaN and infinity among them.
"""

from __future__ import annotations

import math
import re
import time
import warnings
from random import Random
from typing import Any

import numpy as np
import torch as reference

import chainrule
import oracle
from samples.record import Draw

from . import tensors
from .arguments import Argument, Call, Variables, compiled, made, text_of
from .calls import drawn, samples

# Their results are random, or memory as it was found.
NO_VALUES = re.compile(
    r"empty|rand|dropout|bernoulli|multinomial|normal|poisson|resize_|rrelu|fractional|gamma_samples"
)
OF_ITS_OWN = re.compile(r"data_ptr|hash|_core\.|seed|rng|version|storage")  # not the same in any two libraries
# Where a matrix is nearly singular, or its values are equal, any answer is as good as another.
DEGENERATES = re.compile(
    r"linalg|inverse|det$|solve|qr$|svd|eig|lu$|lu_|pinv|cholesky|lowrank|lobpcg|matrix_|cond|norm$"
)

"""Note [Known differences]
Left out. A gradient of amax or amin with include_self=False: where the value that is not included equals the result,
PyTorch counts it among those that share the gradient, and a part of it is lost. Degrees of polynomials near the end of
int64. native_batch_norm with a weight that has gaps: PyTorch's gradient reads it as if it had none; without statistics
in evaluation mode PyTorch dies. block_diag with an empty vector: PyTorch's gradient forgets its row. Halves: PyTorch
rounds between steps that are one here, and positions of grid_sample fall elsewhere; its matrix_exp of halves overflows.
median of an expanded tensor: PyTorch's sorts the one row that all share. stft of an expanded leaf: PyTorch spreads the
gradient over what shares memory. mode of NaN: PyTorch sorts with a comparison that NaN confuses. lstm with an empty
weight: PyTorch dies.

Compared where both are finite, if NaN or infinity is among the arguments (ONLY_FINITE): sums of products, where it
depends on the order and on zeros of the padding which of them become NaN; prod and cumprod, where PyTorch divides or
leaves NaN out; polynomials, where PyTorch's recurrences stop at the first NaN and return what they had before, and
float32 overflows on the way; positions of grid_sample; gradients at NaN of activations with corners, where PyTorch's
own vectors and the elements left over differ.
"""
ONLY_FINITE = re.compile(
    r"conv|attention|prod$|polynomial|grid_sampl|stft|fft|bessel|polar$"
    r"|relu6|hardtanh|hardshrink|softshrink|hardswish|[cs]?elu$"
)


def compare(seed: int, seconds: float, first: int, calls: int) -> int:
    """Compares calls for so long; returns 1 if a difference was found."""
    start, found, compared = time.monotonic(), {}, 0
    print(f"comparing with seed {seed}", flush=True)
    number = first
    while number < first + calls and time.monotonic() < start + seconds:
        call = call_of(seed, number)
        words = None if call is None else difference(call)
        compared += words is not None
        if words and call is not None:
            found.setdefault(call.target, []).append(number)
            if len(found[call.target]) <= 2:
                print(f"\n==== call {number} (seed {seed})\n{call_text(call)}\n{words}", flush=True)
        number += 1
    print(f"{number - first:,} calls, {compared:,} compared, {len(found)} functions differ (seed {seed})")
    for target, numbers in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers):6} {target}")
    return int(bool(found))


def call_of(seed: int, number: int) -> Call | None:
    """A sample, changed in a way that it may survive."""
    r = Random((seed << 40) + number)
    path, record = r.choice(samples())
    if NO_VALUES.search(path) or OF_ITS_OWN.search(path) or _find(reference, path) is None:
        return None
    dtype = r.choice(tensors.FLOATS[:2]) if r.random() < 0.7 else r.choice(tensors.DTYPES[: -len(tensors.RARE)])
    as_is = bool(DEGENERATES.search(path)) or dtype in tensors.COMPLEX
    args = [_friendly(r, a, dtype, as_is) for a in record.args]
    kwargs = {k: _friendly(r, a, dtype, as_is) for k, a in record.kwargs.items()}
    call = Call(path, args, kwargs, {}, "read")
    return None if _is_known(call) else call


def _is_known(call: Call) -> bool:
    """See Note [Known differences]."""
    text = call_text(call)
    return bool(
        ("_reduce" in text and ("'amax'" in text or "'amin'" in text) and "include_self=False" in text)
        or ("polynomial" in text and "iinfo" in text)
        or ("native_batch_norm" in text and ("::2]" in text or "None, None, False" in text))
        or ("block_diag" in text and "[:0]" in text)
        or (any(word in text for word in ("median", "stft")) and ".expand(" in text)
        or (any(word in text for word in ("matrix_exp", "_norm")) and "float16" in text)
        or ("grid_sample" in text and "float16" in text)
        or ("mode" in call.target and "nan" in text)
        or ("lstm" in call.target and ":0]" in text)
    )


def _friendly(r: Random, value: Any, dtype: str, as_is: bool) -> Argument:
    if isinstance(value, Draw):
        return _tensor(r, value, dtype, as_is)
    if isinstance(value, list | tuple):
        return type(value)(_friendly(r, item, dtype, as_is) for item in value)
    if isinstance(value, bool) and r.random() < 0.2:
        return repr(not value)
    if type(value) is int and r.random() < 0.25:
        return repr(value + r.choice((-1, 1)))
    if type(value) is float and r.random() < 0.2:
        return repr(value * r.choice((-1, 0.5, 2, 0)))
    return repr(value)


def _tensor(r: Random, draw: Draw, dtype: str, as_is: bool) -> str:
    """The sample's tensor, with other strides, other values or another shape; if as_is, with its own values."""
    text = drawn(draw, dtype, r.randrange(3, 50))
    if draw.fixed:
        return text
    plain = text.removesuffix(".requires_grad_()")
    grad = ".requires_grad_()" if plain != text else ""
    way = r.random()
    if way < 0.35 and draw.shape:
        layouts = ("turned", "spread", "offset") if as_is else ("turned", "spread", "expanded", "offset")
        return tensors.laid_out(plain, draw.shape, r.choice(layouts)) + grad
    if as_is:
        return text
    if way < 0.45:
        return tensors.valued(draw.shape, dtype, r.choice(("odd", "zeros", "wave", "counted"))) + grad
    if way < 0.5:
        return plain + r.choice(("[..., :0]", "[:0]", "[..., :1]", ".sum()", "[None]", ".double()")) + grad
    return text


# ---- both


def difference(call: Call) -> str | None:
    """None if either raises; else what differs, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = _outcome(reference, call)
        mine = _outcome(chainrule, call) if theirs is not None else None
    if theirs is None or mine is None:
        return None
    if ONLY_FINITE.search(call.target) and "nan" in call_text(call):
        mine, theirs = _both_finite(mine, theirs)
    try:
        _same(mine, theirs, 20.0)
    except AssertionError as error:
        return str(error)[:1500]
    return ""


def _both_finite(mine: tuple[list, list], theirs: tuple[list, list]) -> tuple:
    """With zeros where either is not finite."""
    pairs = [
        [_finite_pair(m, t) if _is_tensor(t) and _is_tensor(m) and m.shape == t.shape else (m, t) for m, t in lists]
        for lists in (list(zip(*results, strict=False)) for results in zip(mine, theirs, strict=True))
    ]
    return tuple(tuple([pair[side] for pair in part] for part in pairs) for side in (0, 1))


def _finite_pair(m: chainrule.Tensor, t: reference.Tensor) -> tuple[chainrule.Tensor, reference.Tensor]:
    ours, t = m.detach().resolve_conj(), t.detach().resolve_conj()
    seen = oracle.theirs(ours.isfinite()) & t.isfinite()
    return ours.where(chainrule.from_numpy(seen.numpy()), 0), t.where(seen, 0)


def _outcome(library: Any, call: Call) -> tuple[list, list] | None:
    """Results and gradients; None if it raises."""
    library.manual_seed(0)
    v = Variables(library, {})
    try:
        args = [made(a, library, v) for a in call.args]
        kwargs = {name: made(a, library, v) for name, a in call.kwargs.items()}
        leaves = [t for t in oracle.flat([*args, *kwargs.values()]) if _is_tensor(t) and t.requires_grad]
        function = compiled(call.target)(library, v)
        results = oracle.flat(function(*args, **kwargs))
        return results, _gradients(library, results, leaves)
    except Exception:
        return None


def _gradients(library: Any, results: list, leaves: list) -> list:
    results = [t for t in results if _is_tensor(t) and t.requires_grad]
    if not results or not leaves:
        return []
    return list(library.autograd.grad(results, leaves, oracle.weights(results, library), allow_unused=True))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, chainrule.Tensor | reference.Tensor)


def _same(mine: tuple[list, list], theirs: tuple[list, list], scale: float) -> None:
    results, expected = mine[0], theirs[0]
    assert len(results) == len(expected), f"{len(results)} results instead of {len(expected)}"
    for i, (m, t) in enumerate(zip(results, expected, strict=True)):
        _same_value(m, t, scale, f"result {i}")
    if len(mine[1]) == len(theirs[1]):
        for m, t in zip(mine[1], theirs[1], strict=True):
            if t is not None and oracle.name_of(t.dtype) in oracle.HALVES and m is not None:
                _same_in_half(m, t, scale, "gradient")
            else:
                oracle.assert_same_gradients([m], [t], scale, "gradient")


def _same_value(m: Any, t: Any, scale: float, what: str) -> None:
    if isinstance(t, float) and isinstance(m, float):
        assert m == t or (math.isnan(m) and math.isnan(t)) or math.isclose(m, t, rel_tol=1e-5), f"{what}: {m}, not {t}"
    elif isinstance(t, reference.Tensor) and oracle.name_of(t.dtype) in oracle.HALVES:
        _same_in_half(m, t, scale, what)
    elif isinstance(t, reference.Tensor):
        oracle.assert_same(m, t, scale, what)
    elif isinstance(t, int | bool | str | tuple) or t is None:
        assert m == t, f"{what}: {m!r}, not {t!r}"
    elif isinstance(t, np.ndarray):
        assert np.allclose(m, t, equal_nan=True), f"{what}: {m}, not {t}"


def _same_in_half(m: Any, t: reference.Tensor, scale: float, what: str) -> None:
    """What was rounded on the way is as far off as the largest element."""
    finite = t.detach()[t.detach().isfinite()].double().abs()
    relative, absolute = oracle.TOLERANCES[oracle.name_of(t.dtype)]
    absolute = max(absolute, relative * finite.max().item()) if finite.numel() else absolute
    assert isinstance(m, chainrule.Tensor), f"{what}: {m!r} instead of a tensor"
    assert tuple(m.shape) == tuple(t.shape), f"{what}: {tuple(m.shape)} instead of {tuple(t.shape)}"
    near = reference.isclose(
        oracle.theirs(m).double(), t.detach().double(), relative * scale, absolute * scale, equal_nan=True
    )
    assert near.all(), f"{what}: {m}, not {t}"


def _find(library: Any, path: str) -> Any:
    try:
        return compiled(path)(library, None)
    except (AttributeError, KeyError):
        return None


def call_text(call: Call) -> str:
    given = [*map(text_of, call.args), *(f"{k}={text_of(a)}" for k, a in call.kwargs.items())]
    return f"{call.target}({', '.join(given)})"
