"""Random numbers inside vmap: one draw per sample, or one for all."""

from __future__ import annotations

from typing import Any

from .. import _core
from . import batched
from .batch_rules import ALWAYS, RULES, Call
from .batched import wrap

_functions = _core.functions

RANDOM = """
rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial dropout uniform_
normal_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ random_ poisson binomial alpha_dropout
feature_dropout
"""


def random(call: Call, *args: Any, **kwargs: Any) -> Any:
    """One draw per sample, or one for all, as vmap's `randomness` says."""
    function, info, level = call.function, call.info, call.level
    given = any(map(call.is_batched, (*args, *kwargs.values())))
    if info.randomness == "error":
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )
    name = function.__name__
    if info.randomness == "same":
        if not given:
            return batched._call(function, args, kwargs)
        if name.endswith("_like"):
            return function(args[0]._value[0], *args[1:], **kwargs)
        if name.endswith("_"):
            args[0]._value.copy_(function(args[0]._value[0].clone(), *args[1:], **kwargs))
            return args[0]
        raise RuntimeError(f"vmap: {name}() of a batched tensor with randomness='same' is not supported")
    if given:
        made = function(*map(call.value, args), **{k: call.value(v) for k, v in kwargs.items()})
        return args[0] if name.endswith("_") else call.wrapped(made)
    if name.endswith("_"):
        _core.raise_batched_write(name)
    if name == "randperm":
        return wrap(_functions["stack"]([function(*args, **kwargs) for _ in range(info.size)]), level)
    return wrap(function(*_with_sample_shape(name, args, kwargs, info.size), **kwargs), level)


def _with_sample_shape(name: str, args: tuple, kwargs: dict, size: int) -> tuple:
    if "size" in kwargs:
        kwargs["size"] = (size, *kwargs["size"])
        return args
    if name == "randint":
        return (*args[:-1], (size, *args[-1]))
    shape = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    return ((size, *shape),)


RULES.update(dict.fromkeys(RANDOM.split(), random))
ALWAYS.update(RANDOM.split())
