"""Every op against PyTorch and against finite differences, from the sample records: each test takes each record."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import chainrule
from chainrule.autograd import forward_ad
from oracle import (
    COMPLEX,
    DTYPES,
    HALVES,
    Collected,
    assert_all_same,
    assert_same_gradients,
    assert_same_in_half,
    assert_same_outcome,
    call,
    differentiable,
    find,
    flat,
    gradients,
    is_float,
    name_of,
    ours,
    outcome,
    pair,
    second,
    theirs,
    weights,
)
from samples import ELEMENTWISE, RECORDS
from samples.record import Record


def takes_floats(record: Record, dtype: str = "float64") -> bool:
    return outcome(call, torch, record, pair(record, dtype)[1])[1] is None


def has_gradient(record: Record) -> bool:
    _, reference = pair(record, grad=True)
    results, error = outcome(call, torch, record, reference)
    return error is None and bool(differentiable(results))


def having(aspect: str, records: list[Record] = RECORDS, only=lambda record: True) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("record", [r for r in records if aspect not in r.skip and only(r)], ids=str)


every = having("value")
elementwise = [r for r in ELEMENTWISE if r.elementwise]
smooth = [r for r in RECORDS if "gradient" not in r.skip and has_gradient(r)]
smooth_with_elements = [r for r in smooth if all(0 not in draw.shape for draw in r.draws)]


# ---- values


@every
def test_value_in_every_dtype(record):
    """The same value and dtype as PyTorch, or an exception of the same class."""
    with Collected() as c:
        for dtype in DTYPES if "dtypes" not in record.skip else ("float32", "float64"):
            if dtype not in record.skip:
                c.check(compare_values, record, dtype)


def compare_values(record: Record, dtype: str) -> None:
    mine, reference = pair(record, dtype)
    results, expected = outcome(call, chainrule, record, mine), outcome(call, torch, record, reference)
    if dtype not in HALVES or results[1] or expected[1]:
        return assert_same_outcome(results, expected, record.tolerance, f"{record} {dtype}")
    exact = call(torch, record, [t.double() if is_float(t) else t for t in reference])
    compare_halves(results[0], expected[0], exact, record.tolerance, f"{record} {dtype}")


def compare_halves(mine: list, reference: list, exact: list, scale: float, what: str) -> None:
    for m, r, e in zip(mine, reference, exact, strict=True):
        if isinstance(r, torch.Tensor) and r.is_floating_point() and name_of(m.dtype) in HALVES:
            assert_same_in_half(m, r, e, scale, what)
        else:
            assert_all_same([m], [r], scale, what)


@having("value", elementwise, lambda record: "odd" not in record.skip)
def test_odd_values(record):
    """Infinities, NaN, signed zeros, the largest and the smallest numbers: value and gradient."""
    with Collected() as c:
        for dtype in ("float32", "float64"):
            c.check(compare_odd, record, dtype)


def compare_odd(record: Record, dtype: str) -> None:
    limits = torch.finfo(getattr(torch, dtype))
    column = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        3.0,
        float("inf"),
        -float("inf"),
        float("nan"),
        limits.max,
        limits.min,
        limits.tiny,
    ]
    if chainrule._core.instruction_set() == "v2" and "alpha" in record.kwargs:
        # Without a fused multiply-add alpha * other overflows before it is added, as PyTorch's does on such a machine.
        column = [x for x in column if abs(x) not in (limits.max, -limits.min)]
    count = sum(draw.fixed is None for draw in record.draws)
    grid = iter(np.stack(np.meshgrid(*[column[: 12 if count < 3 else 9]] * count, indexing="ij")).reshape(count, -1))
    reference = []
    for draw in record.draws:
        if draw.fixed is None:
            reference.append(torch.from_numpy(next(grid).copy()).to(getattr(torch, dtype)))
        else:
            reference.append(torch.arange(len(column[: 9 if count >= 3 else 12]) ** count) % 2 == 0)
    mine = [ours(t) for t in reference]
    if record.name in ("fmod", "remainder"):
        # Where the quotient overflows PyTorch's vectorised loop gives NaN; its plain one, taken for strides, is right.
        reference = [t.repeat_interleave(2)[::2] for t in reference]
    for t, draw in zip([*mine, *reference], record.draws * 2, strict=True):
        t.requires_grad_(draw.grad and is_float(t))
    results, expected = outcome(call, chainrule, record, mine), outcome(call, torch, record, reference)
    assert_same_outcome(results, expected, record.tolerance, f"{record} {dtype}")
    if expected[1] is None and not {"odd_gradient", "gradient"} & record.skip:
        assert_same_gradients(
            gradients(chainrule, results[0], mine),
            gradients(torch, expected[0], reference),
            10 * record.tolerance,
            f"{record} {dtype} gradient",
        )


INF, NAN = float("inf"), float("nan")
LARGEST = float(np.finfo(np.float64).max)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("i0", (LARGEST,), INF),
        ("special_i1", (LARGEST,), INF),
        ("special_zeta", (INF, 1.0), 1.0),
        ("special_zeta", (NAN, 0.0), NAN),
        ("igamma", (NAN, 0.0), NAN),
        ("igamma", (1.0, INF), 1.0),
        ("igammac", (1.0, INF), 0.0),
        ("fmod", (INF, 0.5), NAN),
        ("fmod", (LARGEST, 0.5), 0.0),
        ("remainder", (LARGEST, 0.5), 0.0),
        ("remainder", (INF, 0.5), NAN),
        ("pow", (-INF, 0.5), INF),
        ("digamma", (INF,), INF),
        ("elu", (NAN,), NAN),
    ],
)
def test_odd_values_where_pytorch_is_wrong(name, args, expected):
    """As scipy.special and the C standard have it."""
    found = find(chainrule, name)(*(chainrule.tensor(a, dtype=chainrule.float64) for a in args)).item()
    np.testing.assert_equal(found, expected)


def is_method(record: Record) -> bool:
    """Called on its first input; polygamma and where take theirs at another place."""
    first = record.draws and record.args[0] is record.draws[0]
    return bool(first) and record.name not in ("polygamma", "where") and callable(getattr(torch.Tensor, record.name, 0))


@having("value", only=is_method)
def test_method(record):
    mine, reference = pair(record, "float64" if takes_floats(record) else "int64")
    args, kwargs = record.fill(mine)
    expected = call(torch, record, reference)
    assert_all_same(flat(getattr(args[0], record.name)(*args[1:], **kwargs)), expected, record.tolerance, f"{record}")


def has_inplace(record: Record) -> bool:
    return hasattr(torch.Tensor, f"{record.name}_") and "polygamma" not in record.name


@having("inplace", only=has_inplace)
def test_inplace(record):
    """x.op_() gives op(x), in x, with the same gradient, and the same errors as PyTorch's."""
    name = record.name + "_"
    with Collected() as c:
        for dtype in ("float64", "float32", "int64", "bool"):
            mine, reference = pair(record, dtype, grad=True)
            c.check(
                assert_same_outcome,
                outcome(write, name, record, mine),
                outcome(write, name, record, reference),
                record.tolerance,
                f"{record} {dtype}",
            )


def write(name: str, record: Record, tensors: list) -> list:
    """The result of the in-place form on a copy, and the gradients."""
    library = torch if isinstance(tensors[0], torch.Tensor) else chainrule
    args, kwargs = record.fill([tensors[0].clone(), *tensors[1:]])
    result = getattr(args[0], name)(*args[1:], **kwargs)
    assert result is args[0]
    if "gradient" in record.skip:
        return [result]
    return [result, *(g for g in gradients(library, [result], tensors) if g is not None)]


def is_documented(record: Record) -> bool:
    """nn.functional documents no out=."""
    return hasattr(torch, record.name) or record.name.startswith(("special_", "linalg_"))


def fills_out(record: Record) -> bool:
    """PyTorch writes one result into out=."""
    if not is_documented(record):
        return False
    _, reference = pair(record, "float64" if takes_floats(record) else "int64")
    expected = call(torch, record, reference)
    if len(expected) > 1 or not isinstance(expected[0], torch.Tensor):
        return False
    args, kwargs = record.fill(reference)
    given = torch.empty(0, dtype=expected[0].dtype)
    return outcome(find(torch, record.name), *args, out=given, **kwargs)[1] is None


@having("value", only=fills_out)
def test_out(record):
    """out= is filled and returned, resized when empty, whatever its strides."""
    texts = [text for form, name, text in chainrule._core.signatures() if form == "function" and name == record.name]
    mine, reference = pair(record, "float64" if takes_floats(record) else "int64")
    expected = call(torch, record, reference)
    assert any("out=" in text for text in texts), f"{record}: PyTorch has out="
    args, kwargs = record.fill(mine)
    kind, shape = getattr(chainrule, name_of(expected[0].dtype)), tuple(expected[0].shape)
    backwards = chainrule.empty(shape[::-1], dtype=kind).permute(tuple(reversed(range(len(shape)))))
    for out in (chainrule.empty(0, dtype=kind), chainrule.empty(shape, dtype=kind), backwards):
        result = find(chainrule, record.name)(*args, out=out, **kwargs)
        assert result is out
        assert_all_same([out], expected, record.tolerance, f"{record} out=")


@having("value", elementwise, is_documented)
def test_out_of_another_dtype(record):
    """A wider out= is filled, a narrower kind of number is refused."""
    mine, reference = pair(record, "float64" if takes_floats(record) else "int64")
    shape = tuple(call(torch, record, reference)[0].shape)

    def run(library, tensors, dtype):
        args, kwargs = record.fill(tensors)
        return find(library, record.name)(*args, out=library.empty(shape, dtype=getattr(library, dtype)), **kwargs)

    with Collected() as c:
        for dtype in ("float32", "int32", "bool", "complex128"):
            expected = outcome(run, torch, reference, dtype)
            c.check(
                assert_same_outcome,
                outcome(run, chainrule, mine, dtype),
                expected,
                record.tolerance,
                f"{record} {dtype}",
            )


# ---- shapes and strides


@having("broadcast", elementwise)
def test_broadcast(record):
    """Shapes that differ, value and gradient; 0-d with n-d; empty."""
    count = len(record.draws)
    table = [
        [(2, 1, 3), (4, 1), (1,)],
        [(), (2, 3), (3,)],
        [(3,), (), ()],
        [(2, 3), (1, 1), (2, 1)],
        [(0, 3), (1, 3), (3,)],
    ]
    with Collected() as c:
        for shapes in [row[:count] for row in table] if count > 1 else [[()], [(0,)], [(2, 0, 3)], [(1, 1)]]:
            c.check(compare_gradients, record.reshaped(*shapes), "float64")
            c.check(compare_gradients, record.reshaped(*shapes), "float32")


def compare_gradients(record: Record, dtype: str) -> None:
    mine, reference = pair(record, dtype, grad=True)
    results, expected = outcome(call, chainrule, record, mine), outcome(call, torch, record, reference)
    refused = "does not support automatic differentiation for outputs with complex dtype" in str(expected[1])
    if refused and results[1] is None:  # ours has that derivative; PyTorch's value is to be had without
        expected = outcome(call, torch, record, [t.detach() for t in reference])
    assert_same_outcome(results, expected, record.tolerance, f"{record} {dtype}")
    if expected[1] is None and not refused and "gradient" not in record.skip:
        assert_same_gradients(
            gradients(chainrule, results[0], mine),
            gradients(torch, expected[0], reference),
            10 * record.tolerance,
            f"{record} {dtype} gradient",
        )


def transposed(t):
    return t.permute(tuple(reversed(range(t.ndim)))).clone().permute(tuple(reversed(range(t.ndim))))


def sliced(t):
    """Every second element of a longer tensor, beginning at the second."""
    if t.ndim == 0:
        return t
    library = torch if isinstance(t, torch.Tensor) else chainrule
    return library.stack([t, t, t], -1).flatten(-2)[..., 1::3]


def expanded(t):
    """One number, repeated with stride 0 along the first dimension."""
    return t[:1].expand(t.shape) if t.ndim and t.shape[0] else t


@pytest.mark.filterwarnings("ignore:torch.searchsorted")
@pytest.mark.parametrize(
    ("record", "layout"),
    [(r, f) for r in RECORDS for f in (transposed, sliced, expanded) if not {"strides", f.__name__} & r.skip],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_strides(record, layout):
    """Value and gradient do not depend on how the input lies in memory."""
    mine, reference = pair(record, "float64" if takes_floats(record) else "int64")
    mine, reference = [layout(t) for t in mine], [layout(t) for t in reference]
    for m, r, draw in zip(mine, reference, record.draws, strict=True):
        assert 0 in m.shape or tuple(m.stride()) == tuple(r.stride())
        m.requires_grad_(draw.grad and is_float(m)), r.requires_grad_(draw.grad and is_float(r))
    results, expected = outcome(call, chainrule, record, mine), outcome(call, torch, record, reference)
    assert_same_outcome(results, expected, record.tolerance, f"{record}")
    if expected[1] is None and "gradient" not in record.skip:
        assert_same_gradients(
            gradients(chainrule, results[0], mine),
            gradients(torch, expected[0], reference),
            10 * record.tolerance,
            f"{record}",
        )


@having("lengths", elementwise)
def test_lengths(record):
    """An element's value and gradient are the same, bit for bit, in vectors of any length: kernels' tails."""
    for dtype in ("float32", "float64") if takes_floats(record) else ("int32", "int64", "uint8"):
        long, reference = pair(record.reshaped(*[(33,)] * len(record.draws)), dtype, grad=True)
        results = call(chainrule, record, long)
        assert_all_same(results, call(torch, record, reference), record.tolerance, f"{record} {dtype}")
        gradient = gradient_of_sum if "gradient" not in record.skip else no_gradient
        expected = [results[0], *gradient(results, long)]
        for length in range(1, 33):
            short = [t.detach()[:length].clone().requires_grad_(t.requires_grad) for t in long]
            results = call(chainrule, record, short)
            for whole, part in zip(expected, [results[0], *gradient(results, short)], strict=True):
                np.testing.assert_array_equal(
                    part.detach().numpy(), whole.detach().numpy()[:length], f"{dtype} {length}"
                )


ALONG = {
    "sum": lambda t, x: x.sum(),
    "mean": lambda t, x: x.mean(),
    "prod": lambda t, x: x.prod(),
    "norm": lambda t, x: x.norm(),
    "logsumexp": lambda t, x: x.logsumexp(0),
    "var": lambda t, x: x.var(correction=0),
    "max": lambda t, x: x.max(),
    "amin": lambda t, x: x.amin(0),
    "softmax": lambda t, x: x.softmax(0),
    "log_softmax": lambda t, x: x.log_softmax(0),
    "cumsum": lambda t, x: x.cumsum(0),
    "cumprod": lambda t, x: x.cumprod(0),
    "logcumsumexp": lambda t, x: x.logcumsumexp(0),
    "sort": lambda t, x: x.sort()[0],
    "dot": lambda t, x: x @ x.flip(0),
    "outer product": lambda t, x: x[:, None] @ x[None, :],
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (len(x),)),
    "rms_norm": lambda t, x: t.nn.functional.rms_norm(x, (len(x),)),
    "avg_pool1d": lambda t, x: t.nn.functional.avg_pool1d(x[None], 1),
    "cross_entropy": lambda t, x: t.nn.functional.cross_entropy(x[None], t.tensor([len(x) - 1])),
}


@pytest.mark.parametrize("name", ALONG)
def test_lengths_along_a_dimension(name):
    """Values and gradients of operations over rows of 1 to 33 elements are PyTorch's."""
    for dtype in ("float32", "float64"):
        for length in range(1, 34):
            found = []
            for library in (chainrule, torch):
                x = library.linspace(-1.5, 2.0, 33, dtype=getattr(library, dtype))[:length].clone().requires_grad_()
                y = ALONG[name](library, x)
                y.backward(library.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).reshape(y.shape))
                found.append([y.detach().numpy(), x.grad.numpy()])
            for mine, wanted in zip(*found, strict=True):
                tolerance = 2e-5 if dtype == "float32" else 1e-10
                np.testing.assert_allclose(mine, wanted, tolerance, tolerance, err_msg=f"{dtype} {length}")


def no_gradient(results: list, inputs: list) -> list:
    return []


def gradient_of_sum(results: list, inputs: list) -> list:
    results = differentiable(results)
    if not results:
        return []
    given = chainrule.autograd.grad(
        results[0], [t for t in inputs if t.requires_grad], chainrule.ones_like(results[0]), allow_unused=True
    )
    return [g for g in given if g is not None]


# ---- derivatives


@having("gradient", smooth)
def test_gradient(record):
    with Collected() as c:
        for dtype in ("float64", "float32"):
            c.check(compare_gradients, record, dtype)


@having("gradient", smooth)
def test_gradient_in_other_dtypes(record):
    with Collected() as c:
        for dtype in COMPLEX:
            if takes_floats(record, dtype):
                c.check(compare_gradients, record, dtype)
        for dtype in HALVES:
            if dtype not in record.skip and takes_floats(record, dtype):
                c.check(compare_gradients_in_half, record, dtype)


def compare_gradients_in_half(record: Record, dtype: str) -> None:
    """Near PyTorch's or near the gradient in float64, whichever; PyTorch has a few of these not at all."""
    mine, reference = pair(record, dtype, grad=True)
    found = gradients(chainrule, call(chainrule, record, mine), mine)
    wide = [t.detach().double().requires_grad_(t.requires_grad) if is_float(t) else t for t in reference]
    exact = gradients(torch, call(torch, record, wide), wide)
    expected, error = outcome(gradients, torch, call(torch, record, reference), reference)
    if error:
        expected = [e if e is None else e.to(getattr(torch, dtype)) for e in exact]
    for m, r, e in zip(found, expected, exact, strict=True):
        if m is not None and r is not None:
            assert_same_in_half(m, r, e, 10 * record.tolerance, f"{record} {dtype} gradient")


@having("second", smooth)
def test_second_gradient(record):
    mine, reference = pair(record, grad=True)
    first = gradients(chainrule, call(chainrule, record, mine), mine, create_graph=True)
    expected = gradients(torch, call(torch, record, reference), reference, create_graph=True)
    keep = [i for i, (m, r) in enumerate(zip(first, expected, strict=True)) if m is not None and r is not None]
    first, expected = [first[i] for i in keep], [expected[i] for i in keep]
    # A constant gradient: one library may record it and the other not; None compares equal to zeros.
    mine_second = second(chainrule, first, mine)
    assert_same_gradients(mine_second, second(torch, expected, reference), 100 * record.tolerance, f"{record}")


def inner(a: list, b: list) -> float:
    """The real inner product of two lists of tensors; None counts as zero."""
    pairs = [(theirs(x), theirs(y)) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return sum((x.conj() * y).sum().real.item() for x, y in pairs)


def moved(tensors: list, directions: list, step: float) -> list:
    return [t if d is None else t.detach() + step * d for t, d in zip(tensors, directions, strict=True)]


def slope(f, inputs: list, directions: list, step: float = 1e-6) -> float:
    """Central difference of a number along the directions."""
    return (f(moved(inputs, directions, step)) - f(moved(inputs, directions, -step))) / (2 * step)


def directions_for(inputs: list) -> list:
    given = weights(inputs, chainrule, seed=7)
    return [w if t.requires_grad else None for t, w in zip(inputs, given, strict=True)]


def smooth_results(record: Record, inputs: list) -> list:
    return [r for r in call(chainrule, record, inputs) if isinstance(r, chainrule.Tensor) and is_float(r)]


@having("differences", smooth_with_elements)
def test_finite_differences(record):
    """The gradient and the second gradient against central differences of our own values and gradients."""
    mine, _ = pair(record, grad=True)
    directions = directions_for(mine)
    along = [d for d in directions if d is not None]
    results = smooth_results(record, mine)
    incoming = weights(results, chainrule)
    first = gradients(chainrule, results, mine, create_graph=True)
    expected = slope(lambda at: inner(incoming, smooth_results(record, at)), mine, directions)
    np.testing.assert_allclose(inner(first, along), expected, rtol=1e-5, atol=1e-5)

    def weighted_gradient(at: list) -> float:
        leaves = [t if d is None else t.requires_grad_() for t, d in zip(at, directions, strict=True)]
        return inner(outer, [g for g in gradients(chainrule, smooth_results(record, leaves), leaves) if g is not None])

    first = [g for g in first if g is not None]
    outer = weights(first, chainrule, seed=100)
    twice = second(chainrule, first, mine)
    np.testing.assert_allclose(inner(twice, along), slope(weighted_gradient, mine, directions), rtol=1e-4, atol=1e-4)


def third(record: Record, inputs: list, create_graph: bool) -> tuple[list, list]:
    """Twice weighted and differentiated, and what the next differentiation is weighted with."""
    given = [t for t in inputs if t.requires_grad]
    found = smooth_results(record, inputs)
    for order in range(2):
        found = [f for f in found if f.requires_grad]
        if not found:
            return [], []
        incoming = weights(found, chainrule, seed=100 * order)
        graph = create_graph or order == 0
        found = chainrule.autograd.grad(found, given, incoming, create_graph=graph, allow_unused=True)
        found = [f for f in found if f is not None]
    return found, weights(found, chainrule, seed=200)


@having("differences", smooth_with_elements)
def test_third_derivatives(record):
    """Against central differences of the second derivatives."""
    mine, _ = pair(record, grad=True)
    directions = directions_for(mine)
    twice, incoming = third(record, mine, create_graph=True)
    recorded = [(t, w) for t, w in zip(twice, incoming, strict=True) if t.requires_grad]
    given = [t for t in mine if t.requires_grad]
    thrice: list = [None] * len(given)
    if recorded:
        results, starts = zip(*recorded, strict=True)
        thrice = list(chainrule.autograd.grad(results, given, starts, allow_unused=True))

    def weighted(at: list) -> float:
        leaves = [t if d is None else t.requires_grad_() for t, d in zip(at, directions, strict=True)]
        return inner(incoming, third(record, leaves, create_graph=False)[0])

    found = inner(thrice, [d for d in directions if d is not None])
    np.testing.assert_allclose(found, slope(weighted, mine, directions), rtol=1e-3, atol=1e-3)


@having("forward", smooth_with_elements)
def test_forward_mode(record):
    """u . (J v) from forward mode equals (u J) . v from reverse mode."""
    mine, _ = pair(record, grad=True)
    directions = directions_for(mine)
    with forward_ad.dual_level():
        duals = [t if d is None else forward_ad.make_dual(t.detach(), d) for t, d in zip(mine, directions, strict=True)]
        tangents = [forward_ad.unpack_dual(r).tangent for r in smooth_results(record, duals)]
    results = smooth_results(record, mine)
    incoming = weights(results, chainrule)
    pulled = gradients(chainrule, results, mine)
    reverse = inner(pulled, [d for d in directions if d is not None])
    np.testing.assert_allclose(inner(incoming, tangents), reverse, rtol=1e-9, atol=1e-9)


@having("forward", smooth_with_elements)
def test_forward_over_reverse(record):
    """u . (H v), the gradient's tangent, equals (u H) . v from two passes backward."""
    mine, _ = pair(record, grad=True)
    directions = directions_for(mine)
    with forward_ad.dual_level():
        duals = [t if d is None else forward_ad.make_dual(t, d) for t, d in zip(mine, directions, strict=True)]
        pulled = gradients(chainrule, smooth_results(record, duals), duals, create_graph=True)
        tangents = [forward_ad.unpack_dual(g).tangent for g in pulled if g is not None]
    first = [g for g in gradients(chainrule, smooth_results(record, mine), mine, create_graph=True) if g is not None]
    reverse = inner(second(chainrule, first, mine), [d for d in directions if d is not None])
    np.testing.assert_allclose(inner(weights(first, chainrule, seed=100), tangents), reverse, rtol=1e-8, atol=1e-8)


@having("name", smooth)
def test_node_name(record):
    mine, reference = pair(record, grad=True)
    results, expected = differentiable(call(chainrule, record, mine)), differentiable(call(torch, record, reference))
    assert [r.grad_fn and r.grad_fn.name() for r in results] == [r.grad_fn and r.grad_fn.name() for r in expected]


@having("twice", smooth)
def test_a_second_backward(record):
    """It raises where PyTorch's does: where what was saved, or would be in PyTorch, is freed."""

    def second_pass(results: list) -> str | None:
        """The sums are made anew, so that it is the op that decides."""
        outcomes = []
        for _ in range(2):
            total = sum((r.real if r.is_complex() else r).sum() for r in differentiable(results))
            outcomes.append(outcome(total.backward)[1])
        assert outcomes[0] is None
        return None if outcomes[1] is None else " ".join(str(outcomes[1]).split()[:10])

    mine, reference = pair(record, grad=True)
    assert second_pass(call(chainrule, record, mine)) == second_pass(call(torch, record, reference))
