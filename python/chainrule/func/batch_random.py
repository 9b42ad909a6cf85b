"""Random numbers inside vmap: one draw per sample, or one for all."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..random import get_rng_state, set_rng_state
from . import batched
from .batch_elementwise import elementwise
from .batch_rules import ALWAYS, RULES, Call, rule
from .batched import wrap

_functions = _core.functions

RANDOM = """
rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial dropout uniform_
normal_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ random_ poisson binomial alpha_dropout
feature_dropout feature_alpha_dropout _standard_gamma _sample_dirichlet
"""
_MASKS = {"dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"}
_OF_FEATURES = {"feature_dropout", "feature_alpha_dropout"}


def random(call: Call, *args: Any, **kwargs: Any) -> Any:
    """One draw per sample, or one for all, as vmap's `randomness` says."""
    name = call.function.__name__
    if _draws_nothing(name, args, kwargs):
        batched_input = call.is_batched(args[0])
        return elementwise(call, *args, **kwargs) if batched_input else call.function(*args, **kwargs)
    if kwargs.get("out") is not None:
        raise at_call(
            RuntimeError,
            "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out "
            "variants as a workaround",
        )
    if call.info.any_function:  # gradcheck's vmap, which has no such option
        raise at_call(
            RuntimeError,
            "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations "
            "outside of vmap as a workaround",
        )
    if call.info.randomness == "error":
        raise at_call(
            RuntimeError,
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap",
        )
    given = any(map(call.is_batched, (*args, *kwargs.values())))
    draw = _draw_once if call.info.randomness == "same" else _draw_for_each
    return draw(call, name, given, args, kwargs)


def _draw_once(call: Call, name: str, given: bool, args: tuple, kwargs: dict) -> Any:
    function = call.function
    if not given:
        return batched._call(function, args, kwargs)
    if name.endswith("_like"):
        return function(args[0]._value[0], *args[1:], **kwargs)
    if name.endswith("_") and not any(map(call.is_batched, (*args[1:], *kwargs.values()))):
        args[0]._value.copy_(function(args[0]._value[0].clone(), *args[1:], **kwargs))
        return args[0]
    if name in _MASKS:
        return _with_one_mask(call, *args, **kwargs)
    if call.info.directions:  # the samples are the same but for their tangents
        return function(*(a._value[0] if call.is_batched(a) else a for a in args), **kwargs)
    raise at_call(
        RuntimeError,
        "Vmap does not currently support same randomness with a batched tensor input. "
        f"{name}() draws from distributions that differ between the samples.",
    )


def _draw_for_each(call: Call, name: str, given: bool, args: tuple, kwargs: dict) -> Any:
    if name.endswith("_"):
        return _draw_in_place(call, name, given, args, kwargs)
    if name == "randperm":
        drawn = [call.function(*args, **kwargs) for _ in range(call.size)]
        return wrap(_functions["stack"](drawn), call.level)
    if not any(isinstance(a, Tensor) for a in args):
        return wrap(call.function(*_with_sample_shape(name, args, kwargs, call.size), **kwargs), call.level)
    if name in _OF_FEATURES:
        return _drop_features(call, *args, **kwargs)
    if name == "multinomial":
        return _multinomial(call, *args, **kwargs)
    return wrap(call.function(*_with_samples(call, args), **kwargs), call.level)


def _draw_in_place(call: Call, name: str, given: bool, args: tuple, kwargs: dict) -> Any:
    if not call.is_batched(args[0]):
        if given:
            _core.raise_batched_write(f"inplace {name[:-1]}")
        raise at_call(
            RuntimeError,
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
            "randomness. Draw into a tensor that is made from one that is vmapped over.",
        )
    self = args[0]._value
    others = (_aligned(call, a, self.ndim - 1) for a in args[1:])
    call.function(self, *others, **{k: call.value(v) for k, v in kwargs.items()})
    return args[0]


def _with_samples(call: Call, args: tuple) -> list:
    """Tensors that broadcast against each other, at least one with the samples in front."""
    ndim = max(a.ndim for a in args if isinstance(a, Tensor))
    found = [_aligned(call, a, ndim) for a in args]
    if not any(map(call.is_batched, args)):
        first = next(i for i, a in enumerate(args) if isinstance(a, Tensor))
        found[first] = found[first].expand(call.size, *found[first].shape)
    return found


def _aligned(call: Call, a: Any, ndim: int) -> Any:
    """A batched value with dimensions of size 1 after the first, so that it broadcasts as a sample does."""
    if not call.is_batched(a):
        return a
    value = a._value
    return value.reshape(value.shape[0], *[1] * (ndim + 1 - value.ndim), *value.shape[1:])


def _draws_nothing(name: str, args: tuple, kwargs: dict) -> bool:
    """Whether the call is one of dropout outside of training."""
    if name not in _MASKS:
        return False
    return not (args[2] if len(args) > 2 else kwargs.get("training", kwargs.get("train", True)))


def _with_one_mask(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Dropout is linear in what it drops from: of ones it shows the mask, of zeros what it adds."""
    like = input._value[0]
    state = get_rng_state()
    ones = call.function(_functions["ones_like"](like), *args, **kwargs)
    set_rng_state(state)
    added = call.function(_functions["zeros_like"](like), *args, **kwargs)
    return wrap(input._value * (ones - added) + added, call.level)


def _drop_features(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Whole channels of each row: the samples' rows one after another."""
    x = call.expanded(input)
    if x.ndim < 3:
        raise at_call(RuntimeError, "Feature dropout requires at least 2 dimensions in the input")
    return wrap(call.function(x.flatten(0, 1), *args, **kwargs).unflatten(0, x.shape[:2]), call.level)


def _multinomial(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    """The rows of all samples one after another: the function takes two dimensions at most."""
    x = call.expanded(input)
    if x.ndim < 3:
        return wrap(call.function(x, *args, **kwargs), call.level)
    return wrap(call.function(x.flatten(0, 1), *args, **kwargs).unflatten(0, x.shape[:2]), call.level)


def _with_sample_shape(name: str, args: tuple, kwargs: dict, size: int) -> tuple:
    if "size" in kwargs:
        kwargs["size"] = (size, *kwargs["size"])
        return args
    if name in ("randint", "normal"):
        return (*args[:-1], (size, *args[-1]))
    shape = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    return ((size, *shape),)


@rule("rrelu", "rrelu_")
def rrelu(call: Call, *args: Any, **kwargs: Any) -> Any:
    """Refused, as in PyTorch."""
    raise at_call(
        RuntimeError, "vmap: we do not yet support aten::rrelu. Draw its slopes yourself: where(x >= 0, x, x * slope)"
    )


RULES.update(dict.fromkeys(RANDOM.split(), random))
ALWAYS.update((*RANDOM.split(), "rrelu", "rrelu_"))
