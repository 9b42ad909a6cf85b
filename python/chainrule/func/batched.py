"""Tensors that hide a dimension, and how calls find the rule for them: the machinery of vmap.

Each call of vmap is a level. A batched tensor of a level hides one dimension of its value, always the first; the value
may itself be a batched tensor of a lower level. While the function of vmap runs, every call of the core comes to
`dispatch`, which takes one level off and hands the values to the operation's rule. The rule's own calls come back here
one level down, until none is left. core/bindings/calls/batched.cpp is the door.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..printing import tensor_repr

_functions = _core.functions
_get_depth, _set_depth = _core.get_vmap_depth, _core.set_vmap_depth


class Level(NamedTuple):
    """One call of vmap."""

    size: int
    randomness: str
    apart: bool = False  # whether what is made inside is made for each sample, so that samples can be written into it
    any_function: bool = False  # whether an autograd.Function needs neither a vmap method nor setup_context
    directions: bool = False  # whether the samples are directions of jacfwd, at one and the same place


class Levels(threading.local):
    """The calls of vmap that this thread is inside of, the outermost first."""

    def __init__(self) -> None:
        self.now: list[Level] = []
        # All transforms around, the outermost first: of a vmap its level, of a derivative minus its number.
        self.nesting: list[int] = []


levels = Levels()


class at_depth:  # noqa: N801
    """Within it, only the levels up to `depth` exist."""

    __slots__ = ("before", "depth")

    def __init__(self, depth: int):
        self.depth = depth

    def __enter__(self) -> None:
        self.before = _get_depth()
        _set_depth(self.depth)

    def __exit__(self, *error: object) -> None:
        _set_depth(self.before)


@contextlib.contextmanager
def entered(level: int, info: Level) -> Iterator[None]:
    """Within it, a level exists whose vmap may have ended: backward comes later."""
    before = levels.now[:]
    levels.now[level - 1 :] = [info]
    try:
        with at_depth(level):
            yield
    finally:
        levels.now[:] = before


class BatchedTensor(Tensor):
    """A tensor as the function of vmap sees it: one sample, of which there are many."""

    _value: Tensor  # with the samples in its first dimension
    _level: int
    _dim: int = 0  # where they were when vmap was called

    # What a tensor says about itself comes from its value.

    @property
    def requires_grad(self) -> bool:
        return physical(self).requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        physical(self).requires_grad = value

    @property
    def grad_fn(self) -> Any:
        return physical(self).grad_fn

    @property
    def is_leaf(self) -> bool:
        return physical(self).is_leaf

    @property
    def grad(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        raise at_call(RuntimeError, "vmap: .grad of a tensor inside vmap is not supported; use func.grad")

    @property
    def data(self) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        raise at_call(RuntimeError, "accessing `data` under vmap transform is not allowed: use detach()")

    @data.setter
    def data(self, value: Any) -> None:
        raise at_call(RuntimeError, "mutating directly with `.data` under vmap transform is not allowed.")

    @property
    def T(self) -> Tensor:  # noqa: N802
        return self.permute(*range(self.ndim - 1, -1, -1))

    @property
    def mT(self) -> Tensor:  # noqa: N802
        return self.transpose(-2, -1)

    @property
    def H(self) -> Tensor:  # noqa: N802
        return self.transpose(-2, -1).conj()

    @property
    def mH(self) -> Tensor:  # noqa: N802
        return self.H

    @property
    def real(self) -> Tensor:
        return _functions["real"](self)

    @real.setter
    def real(self, value: Tensor) -> None:
        _functions["real"](self).copy_(value)

    @property
    def imag(self) -> Tensor:
        return _functions["imag"](self)

    @imag.setter
    def imag(self, value: Tensor) -> None:
        _functions["imag"](self).copy_(value)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return transformed_repr(self)

    def __getitem__(self, key: Any) -> Tensor:
        return dispatch(_subscript, (self, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        dispatch(_assign, (self, key, value), {})

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise at_call(TypeError, "iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def __bool__(self) -> bool:
        raise at_call(
            RuntimeError,
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
            "support that yet: the samples may go different ways. Use where() in place of if.",
        )

    def item(self) -> Any:
        raise at_call(
            RuntimeError,
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
            "Tensor, please try to rewrite what you're doing with other operations.",
        )

    tolist = numpy = item  # pyright: ignore[reportAssignmentType]
    __float__ = __int__ = __index__ = __complex__ = item

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec) if self.ndim or not spec else self.item()

    def __deepcopy__(self, memo: dict) -> Any:
        raise at_call(RuntimeError, "vmap: deepcopy of a tensor inside vmap is not supported")

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        if _get_depth() < self._level:
            return self
        args = tuple(physical(a) if isinstance(a, Tensor) else a for a in args)  # its dtype counts
        return wrap(self._value.to(*args, **kwargs), self._level)


def _subscript(x: Tensor, key: Any) -> Tensor:
    return x[key]


def _assign(x: Tensor, key: Any, value: Any) -> None:
    x[key] = value


def _add_operators() -> None:
    """Python's operators go to the functions of the same meaning."""
    pairs = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "mod": "remainder"}
    pairs |= {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "matmul": "matmul"}
    pairs |= {"lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}

    def forward(f: Callable) -> Callable:
        return lambda self, other: f(self, other) if _is_operand(other) else NotImplemented

    def reflected(f: Callable, name: str) -> Callable:
        def operator(self: Tensor, other: Any) -> Any:
            if not _is_operand(other):
                return NotImplemented
            if not isinstance(other, Tensor):
                if name == "truediv":
                    return self.reciprocal() * other
                if name == "sub":
                    return _functions["rsub"](self, other)
                other = _functions["full"]((), other) if name in ("mod", "lshift", "rshift") else other
            return f(other, self)

        return operator

    for name, function in pairs.items():
        f = _functions[function]
        setattr(BatchedTensor, f"__{name}__", forward(f))
        setattr(BatchedTensor, f"__r{name}__", reflected(f, name))
        if hasattr(Tensor, function + "_"):
            setattr(BatchedTensor, f"__i{name}__", forward(getattr(Tensor, function + "_")))
    for name in ("lt", "le", "eq", "ne", "gt", "ge"):
        setattr(BatchedTensor, f"__{name}__", forward(_functions[name]))
    divide = _functions["div"]
    BatchedTensor.__floordiv__ = lambda self, other: divide(self, other, rounding_mode="floor")
    BatchedTensor.__rfloordiv__ = lambda self, other: divide(
        _functions["full_like"](self, other), self, rounding_mode="floor"
    )
    BatchedTensor.__neg__ = lambda self: _functions["neg"](self)
    BatchedTensor.__pos__ = lambda self: self
    BatchedTensor.__abs__ = lambda self: _functions["abs"](self)
    BatchedTensor.__invert__ = lambda self: _functions["logical_not" if self.dtype == _core.bool else "bitwise_not"](
        self
    )
    BatchedTensor.__hash__ = Tensor.__hash__


def _is_operand(other: Any) -> bool:
    return isinstance(other, (Tensor, bool, int, float, complex))


_add_operators()


# ---- in and out


# By dtype one number, NaN where there is one, so that a door which was missed shows.
_DTYPES = [value for value in vars(_core).values() if isinstance(value, _core.dtype)]
_shells = {t: _functions["full"]((), float("nan") if t.is_floating_point else 0, dtype=t) for t in _DTYPES}


def shell(t: Tensor) -> Tensor:
    """A tensor of the sample's shape and dtype, without its values."""
    with at_depth(0):
        return _shells[t.dtype].expand(t.shape)


def wrap(value: Tensor, level: int) -> BatchedTensor:
    """The value, its first dimension hidden."""
    before = _get_depth()
    _set_depth(0)
    try:
        t = _core.make_subclass(BatchedTensor, _shells[value.dtype].expand(value.shape[1:]), False)
    finally:
        _set_depth(before)
    t._value, t._level = value, level
    return t


def in_place(t: BatchedTensor) -> Tensor:
    """The value, its samples back in the dimension from which vmap took them."""
    return t._value.movedim(0, t._dim) if t._dim else t._value


def physical(t: Tensor) -> Tensor:
    """The tensor under all levels."""
    while type(t) is BatchedTensor:
        t = t._value
    return t


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The values behind a tensor inside a transformed function, of all samples; for looking only.

    Args:
        tensor: as the function sees it.
        recurse: whether all levels of vmap are taken off, or the innermost only.

    >>> def shown(x):
    ...     print(torch.func.debug_unwrap(x))
    ...     return x
    >>> y = torch.func.vmap(shown)(torch.tensor([1., 2.]))
    tensor([1., 2.])
    """
    value = physical(tensor) if recurse or type(tensor) is not BatchedTensor else tensor._value
    with at_depth(0):
        return value if value.is_leaf else value.detach()


def transformed_repr(t: Tensor) -> str:
    """The text of a tensor inside transforms: what each of them makes of it, around the values of all samples."""
    with at_depth(0):
        return _repr_inside(t, len(levels.nesting), False)


def _repr_inside(t: Any, number: int, tracked: bool) -> str:
    if number == 0 and type(t) is BatchedTensor:  # of a vmap that is over
        return f"BatchedTensor(lvl={t._level}, bdim={t._dim}, value=\n    {t._value!r}\n)"
    if number == 0:
        return tensor_repr(t.detach() if tracked else t)
    kind = levels.nesting[number - 1]
    if kind > 0 and batched_at(t, kind):
        head, inner = f"BatchedTensor(lvl={number}, bdim={t._dim}", in_place(t)
    elif kind < 0 and _core.made_in(physical(t)) >= -kind:
        head, inner = f"GradTrackingTensor(lvl={number}", t
    else:
        return _repr_inside(t, number - 1, tracked)
    inside = _repr_inside(inner, number - 1, tracked or kind < 0).replace("\n", "\n    ")
    return f"{head}, value=\n    {inside}\n)"


def batched_at(t: Any, level: int) -> bool:
    """Whether `t` hides a dimension of this very level."""
    return type(t) is BatchedTensor and t._level == level


def materialize(t: Tensor, depth: int | None = None) -> Tensor:
    """The physical tensor with the dimensions of all levels up to `depth` in front, the outermost first."""
    depth = _get_depth() if depth is None else depth
    with at_depth(0):
        return _materialize(t, depth)


def _materialize(t: Any, depth: int) -> Tensor:
    if depth == 0:
        return t
    inner = _materialize(t._value if batched_at(t, depth) else t, depth - 1)
    if batched_at(t, depth):
        return inner
    shape = list(inner.shape)
    return inner.unsqueeze(depth - 1).expand(*shape[: depth - 1], levels.now[depth - 1].size, *shape[depth - 1 :])


def dematerialize(t: Tensor, depth: int | None = None) -> Tensor:
    """The opposite: a physical tensor as the function sees it."""
    for level in range(1, (_get_depth() if depth is None else depth) + 1):
        t = _wrap_at(t, level)
    return t


def _wrap_at(t: Tensor, level: int) -> Tensor:
    # Level 1 hides the first dimension of the physical tensor, level 2 the first that is left.
    return wrap(t, level)


# ---- dispatch


def dispatch(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Calls a function of the core, or a Function, with arguments that may be batched at the current level."""
    from . import rules

    depth = _get_depth()
    if depth == 0:
        return _call(function, args, kwargs)
    name = getattr(function, "__name__", "")
    if name in _NOT_INSIDE:
        _core.raise_in_transform(name)
    _set_depth(depth - 1)
    try:
        if any(map(_is_batched_here(depth), (*args, *kwargs.values()))):
            return rules.apply(function, args, kwargs, depth, levels.now[depth - 1])
        if name in rules.ALWAYS:
            return rules.apply(function, args, kwargs, depth, levels.now[depth - 1])
        made = _call(function, args, kwargs)
        return _for_each_sample(made, depth) if levels.now[depth - 1].apart and name in _MAKING else made
    finally:
        _set_depth(depth)


_NOT_INSIDE = {"backward", "requires_grad_"}
_FILLED = ("zeros", "ones", "full", "empty")
_MAKING = {"clone", "eye", *_FILLED, *(f"{name}_like" for name in _FILLED), *(f"new_{name}" for name in _FILLED)}


def _for_each_sample(made: Tensor, level: int) -> Tensor:
    if not made.is_floating_point():  # counters and indices
        return made
    return wrap(made.unsqueeze(0).repeat(levels.now[level - 1].size, *[1] * made.ndim), level)


def _call(function: Any, args: tuple, kwargs: dict) -> Any:
    if isinstance(function, type):  # a Function
        return function.apply(*args, **kwargs)
    return function(*args, **kwargs)


def _is_batched_here(depth: int) -> Callable[[Any], bool]:
    def look(a: Any) -> bool:
        if type(a) is BatchedTensor:
            return a._level == depth
        if isinstance(a, (list, tuple)):
            return any(map(look, a))
        return isinstance(a, dict) and any(map(look, a.values()))

    return look


_core.set_batched_type(BatchedTensor, dispatch, _subscript, _assign)
