"""Random numbers inside vmap: one draw per sample, or one for all."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..random import get_rng_state, set_rng_state
from . import batched
from .batch_elementwise import elementwise
from .batch_rules import ALWAYS, RULES, Call
from .batched import wrap

_functions = _core.functions

RANDOM = """
rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial dropout uniform_
normal_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ random_ poisson binomial alpha_dropout
feature_dropout rrelu
"""


def random(call: Call, *args: Any, **kwargs: Any) -> Any:
    """One draw per sample, or one for all, as vmap's `randomness` says."""
    function, info, level = call.function, call.info, call.level
    given = any(map(call.is_batched, (*args, *kwargs.values())))
    if _draws_nothing(function.__name__, args, kwargs):
        return elementwise(call, *args, **kwargs)
    if info.any_function:  # gradcheck's vmap, which has no such option
        raise RuntimeError(
            "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations "
            "outside of vmap as a workaround"
        )
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
        if name in _MASKS:
            return _with_one_mask(call, *args, **kwargs)
        raise RuntimeError(
            f"Vmap does not currently support same randomness with a batched tensor input: {name}() draws from "
            "distributions that differ between the samples."
        )
    if given:
        made = function(*map(call.value, args), **{k: call.value(v) for k, v in kwargs.items()})
        return args[0] if name.endswith("_") else call.wrapped(made)
    if name.endswith("_"):
        _core.raise_batched_write(name)
    if name == "randperm":
        return wrap(_functions["stack"]([function(*args, **kwargs) for _ in range(info.size)]), level)
    return wrap(function(*_with_sample_shape(name, args, kwargs, info.size), **kwargs), level)


_MASKS = {"dropout", "alpha_dropout", "feature_dropout"}


def _draws_nothing(name: str, args: tuple, kwargs: dict) -> bool:
    """Whether the call is one of rrelu or dropout outside of training."""
    at = 3 if name == "rrelu" else 2
    if name != "rrelu" and name not in _MASKS:
        return False
    return not (args[at] if len(args) > at else kwargs.get("training", kwargs.get("train", name != "rrelu")))


def _with_one_mask(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Dropout is linear in what it drops from: of ones it shows the mask, of zeros what it adds."""
    like = input._value[0]
    state = get_rng_state()
    ones = call.function(_functions["ones_like"](like), *args, **kwargs)
    set_rng_state(state)
    added = call.function(_functions["zeros_like"](like), *args, **kwargs)
    return wrap(input._value * (ones - added) + added, call.level)


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
