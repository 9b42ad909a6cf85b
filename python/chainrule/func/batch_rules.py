"""What each operation does with tensors that have one dimension more, in front: the rules of vmap.

A rule gets a call and its arguments, takes the values of batched tensors, and gives the result with the samples in the
first dimension, hidden again. Most rules come from the operation's own signature: see batch_along.py. What has no rule
runs once per sample, and says so once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..pytree import tree_flatten, tree_map, tree_unflatten
from ..user_warning import warn_user
from .batched import Level, batched_at, in_place, wrap

_functions = _core.functions

RULES: dict[str, Callable] = {}
ALWAYS: set[str] = set()  # operations whose rule runs also if no argument is batched


class Call(NamedTuple):
    """A call with values in place of batched tensors."""

    function: Callable
    level: int
    info: Level

    @property
    def size(self) -> int:
        """The number of samples."""
        return self.info.size

    def value(self, t: Any) -> Any:
        """The value of a batched tensor; others as they are."""
        return t._value if batched_at(t, self.level) else t

    def as_given(self, t: Any) -> Any:
        """The value with the samples where the caller of vmap has them."""
        return in_place(t) if batched_at(t, self.level) else t

    def dim_of(self, t: Any) -> int | None:
        return t._dim if batched_at(t, self.level) else None

    def is_batched(self, t: Any) -> bool:
        return batched_at(t, self.level)

    def expanded(self, t: Any) -> Tensor:
        """The value, with the dimension of samples also where the tensor has none."""
        return t._value if self.is_batched(t) else t.unsqueeze(0).expand(self.size, *t.shape)

    def wrapped(self, result: Any) -> Any:
        """Results with samples in front, as batched tensors."""
        if isinstance(result, Tensor):
            return wrap(result, self.level)
        if isinstance(result, tuple):
            inside = [wrap(r, self.level) if isinstance(r, Tensor) else r for r in result]
            return type(result)(inside) if type(result) is not tuple else tuple(inside)
        return result


def apply(function: Any, args: tuple, kwargs: dict, level: int, info: Level) -> Any:
    """Runs the rule of a function, one level down."""
    call = Call(function, level, info)
    if isinstance(function, type):
        return RULES["Function"](call, *args, **kwargs)
    name = getattr(function, "__name__", "")
    if kwargs.get("out") is not None:
        if name in ALWAYS:
            return RULES[name](call, *args, **kwargs)  # raises, in the words for random numbers
        raise at_call(
            RuntimeError,
            f"Batching rule not implemented for aten::{name}.out; the fallback path doesn't work on out= or view ops. "
            "Use the result that the function returns.",
        )
    found = RULES.get(name)
    return loop(call, args, kwargs) if found is None else found(call, *args, **kwargs)


def rule(*names: str) -> Callable[[Callable], Callable]:
    """Registers a rule for operations of these names."""

    def register(f: Callable) -> Callable:
        RULES.update(dict.fromkeys(names, f))
        return f

    return register


# ---- the fallback

_told: set[str] = set()
MOST_SAMPLES = 2**30


def sample(call: Call, tree: Any, i: int) -> Any:
    """The arguments of one sample."""
    if not isinstance(tree, (list, tuple, dict)):
        return tree._value[i] if call.is_batched(tree) else tree
    return tree_map(lambda a: a._value[i] if call.is_batched(a) else a, tree)


def loop(call: Call, args: tuple, kwargs: dict) -> Any:
    """Once per sample, and says so once per operation."""
    name = getattr(call.function, "__name__", str(call.function))
    if name not in _told:
        _told.add(name)
        line = _core.current_line()
        where = f" ({line[0]}:{line[1]}: {line[3]})" if line else ""
        warn_user(
            f"There is a performance drop because we have not yet implemented the batching rule for {name}: it runs "
            f"once per sample.{where}"
        )
    return loop_quietly(call, call.function, args, kwargs)


def loop_quietly(call: Call, function: Callable, args: tuple, kwargs: dict | None = None) -> Any:
    """Once per sample; the results are stacked."""
    kwargs = kwargs or {}
    if call.size > MOST_SAMPLES:  # of tensors without elements
        raise at_call(
            RuntimeError,
            f"vmap: there is no batching rule for {function.__name__}, and {call.size} samples are too many to be "
            "calculated one after the other",
        )
    if function.__name__.endswith("_") and not function.__name__.startswith("_"):
        if not call.is_batched(args[0]):
            _core.raise_batched_write("inplace arithmetic")
        for i in range(call.size):
            function(*sample(call, args, i), **sample(call, kwargs, i))
        return args[0]
    results = [function(*sample(call, args, i), **sample(call, kwargs, i)) for i in range(call.size)]
    if not results:
        raise at_call(RuntimeError, f"vmap: {function.__name__} cannot run on a batch without samples")
    flat = [tree_flatten(r)[0] for r in results]
    spec = tree_flatten(results[0])[1]
    joined = [
        wrap(_functions["stack"](list(parts)), call.level) if isinstance(parts[0], Tensor) else parts[0]
        for parts in zip(*flat, strict=True)
    ]
    return tree_unflatten(joined, spec)
