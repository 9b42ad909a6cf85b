"""x[...] with integers, slices, None and Ellipsis; masks and index tensors; and assignment, as in PyTorch."""

from __future__ import annotations

import pytest
import torch

import chainrule
from oracle import assert_same, assert_same_outcome, gradients, ours, outcome

BASIC = [
    0,
    -1,
    slice(None),
    slice(1, None),
    slice(None, -1),
    slice(None, None, 2),
    slice(5, 2),
    slice(-2, None),
    ...,
    None,
    (0, 1),
    (0, ..., 1),
    (slice(None), 1),
    (..., slice(1, 3)),
    (None, 0),
    (0, None, slice(None, None, 2)),
    (slice(1, 2), slice(0, 0)),
    (1, 2, 3),
    (..., None),
    (None, None, ..., -1),
    (slice(None), slice(None), slice(3, None, 3)),
    (),
    True,
    False,
]
ADVANCED = [
    [0, 2],
    ([0, 1], [1, 2]),
    (slice(None), [2, 0]),
    (0, [1, 1]),
    ([[0, 1], [1, 0]],),
    (..., [0, 3]),
    ([0], slice(None), [1]),
    [True, False, True],
]
BAD = [
    3,
    -4,
    (0, 4),
    (0, 0, 0, 0),
    1.5,
    "a",
    (..., ...),
    slice(None, None, -1),
    slice(None, None, 0),
    [7],
    (slice(None), [9]),
    [True],
    slice(1.5, 2),
]


def base(library):
    x = torch.arange(60, dtype=torch.float64).reshape(3, 4, 5)
    return (x if library is torch else ours(x)).requires_grad_()


def named(index) -> str:
    return str(index).replace("slice", "").replace("Ellipsis", "...").replace(" ", "")


@pytest.mark.parametrize("index", [*BASIC, *ADVANCED, *BAD], ids=named)
def test_read(index):
    """Value, gradient, strides and node name; or an exception of the same class."""
    mine, reference = base(chainrule), base(torch)
    found, expected = outcome(lambda: mine[index]), outcome(lambda: reference[index])
    assert_same_outcome(found, expected, 1, named(index))
    if expected[1] is None:
        assert_same(gradients(chainrule, [found[0]], [mine])[0], gradients(torch, [expected[0]], [reference])[0])
        assert found[0].grad_fn.name() == expected[0].grad_fn.name()
        assert found[0].stride() == expected[0].stride()


@pytest.mark.parametrize("index", [*BASIC, *ADVANCED, *BAD], ids=named)
@pytest.mark.parametrize("kind", ["number", "tensor", "0-d", "wrong shape"])
def test_write(index, kind):
    def written(library):
        x, y = (
            base(library) * 2,
            library.full((5,) if kind == "tensor" else (), 7.0, dtype=library.float64, requires_grad=True),
        )
        value = {"number": 3, "wrong shape": library.zeros(7, 9, dtype=library.float64)}.get(kind, y)
        if kind == "tensor" and x[index].shape[-1:] != (5,):
            value = y.sum()
        x[index] = value
        return [x, *(g for g in gradients(library, [x * x], [y]) if g is not None)]

    assert_same_outcome(outcome(written, chainrule), outcome(written, torch), 10, f"{named(index)} {kind}")


@pytest.mark.parametrize(
    "make",
    [
        lambda t, x: x[t.tensor([0, 2])],
        lambda t, x: x[t.tensor(1)],
        lambda t, x: x[x > 20],
        lambda t, x: x[t.tensor([True, False, True])],
        lambda t, x: x[:, t.tensor([[0, 1], [2, 3]])],
        lambda t, x: x[t.tensor([0, 1]), t.tensor([1, 2])],
        lambda t, x: x[t.tensor([-1, -3])],
        lambda t, x: x[t.tensor([], dtype=t.int64)],
        lambda t, x: x[t.tensor([5])],
        lambda t, x: x[t.tensor([0.5])],
        lambda t, x: x[t.tensor([0, 0, 0])],
        lambda t, x: x[0, x[0] > 5],
        lambda t, x: x[x[0] > 5],
        lambda t, x: x[t.tensor(0, dtype=t.uint8)],
    ],
)
@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
def test_index_tensors(make):
    mine, reference = base(chainrule), base(torch)
    found, expected = outcome(make, chainrule, mine), outcome(make, torch, reference)
    assert_same_outcome(found, expected)
    if expected[1] is None:
        assert_same(gradients(chainrule, [found[0]], [mine])[0], gradients(torch, [expected[0]], [reference])[0])


def test_iteration_length_and_membership():
    x = chainrule.arange(6).reshape(3, 2)
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert (len(x), 4 in x, 9 in x) == (3, True, False)
    _a, _b, c = x
    assert c.tolist() == [4, 5]
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(chainrule.tensor(1.0))
    with pytest.raises(TypeError, match=r"len\(\) of a 0-d tensor"):
        len(chainrule.tensor(1.0))


@pytest.mark.parametrize("value", [0, 1, 2.5, True, 1j])
def test_conversion_to_python_numbers(value):
    for f in (bool, int, float, complex, hex, lambda t: [10, 20, 30][t], repr, str, "{:.3f}".format):
        assert str(outcome(f, chainrule.tensor(value))[0]) == str(outcome(f, torch.tensor(value))[0])
        assert type(outcome(f, chainrule.tensor(value))[1]) is type(outcome(f, torch.tensor(value))[1])
    for f in (bool, int, float):
        assert type(outcome(f, chainrule.zeros(2))[1]) is type(outcome(f, torch.zeros(2))[1])


@pytest.mark.parametrize(
    "key",
    [
        slice(None),
        slice(0, 3),
        (slice(None),),
        (slice(None), 0),
        (0, slice(0, 2)),
        (),
        ...,
        (..., slice(None)),
        (slice(0, 3), 1),
    ],
    ids=str,
)
def test_a_slice_of_all_is_no_step_of_its_own(key):
    """Unless it is all of the key."""
    for name in ("read", "number", "tensor"):
        mine, reference = ([], [])
        for library, seen in ((chainrule, mine), (torch, reference)):
            x = library.ones(3, 2, requires_grad=True) * 2
            y = x[key]
            if name != "read":
                x[key] = 5.0 if name == "number" else library.zeros_like(y)
                y = x
            seen.append((type(y.grad_fn).__name__, y.tolist()))
        assert mine == reference, (key, name)


@pytest.mark.parametrize("value", [2, 2.5, -1, True, 1e10])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "bool"])
def test_one_value_for_a_mask_is_converted(dtype, value):
    def write(library, where):
        x = library.zeros(2, 3, dtype=getattr(library, dtype))
        mask = library.tensor([True, False, True])
        x[where(library, mask)] = library.tensor([value])
        return x

    for where in (
        lambda t, m: (slice(None), m),
        lambda t, m: (0, m),
        lambda t, m: (..., m),
        lambda t, m: (..., m.numpy()),
    ):
        assert_same_outcome(outcome(write, chainrule, where), outcome(write, torch, where))


def test_which_error_comes_first():
    """The indices, then the shape of the value, then its dtype."""
    for key, value in (([[0, 1], [0, 1, 2]], (7,)), ([[0, 1]], (7,)), ([[0, 9]], (2, 3)), ([[0, 1]], (2, 3))):
        for wrong in ("float64", "float32"):

            def write(t, key=key, value=value, wrong=wrong):
                t.zeros(4, 3)[tuple(t.tensor(k) for k in key)] = t.ones(value, dtype=getattr(t, wrong))

            assert_same_outcome(outcome(write, chainrule), outcome(write, torch))


def assigned(torch, key, value, size=()):
    x = torch.zeros(size, requires_grad=True) * 1
    x[key] = value
    return x, type(x.grad_fn).__name__


@pytest.mark.parametrize("size", [(), (2,)], ids=["of one element", "of two"])
@pytest.mark.parametrize("key", [(), ..., True], ids=str)
def test_assigning_to_all_of_a_tensor(key, size):
    for value in (2, 2.5):
        ours, theirs = (assigned(library, key, value, size) for library in (chainrule, torch))
        assert (ours[0].tolist(), ours[1]) == (theirs[0].tolist(), theirs[1])


def test_true_as_a_key_converts_what_is_assigned():
    for library in (chainrule, torch):
        x = library.zeros(2, dtype=library.int64)
        x[True] = library.tensor([1.5, 2.5])
        assert x.tolist() == [1, 2]
