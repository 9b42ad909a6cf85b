"""Operations along dimensions inside vmap: the rule is read from the signature.

A parameter called `dim` counts from the second dimension, and a shape gets the number of samples in front.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..pytree import tree_map
from . import batched
from .batch_elementwise import elementwise
from .batch_rules import RULES, Call, loop, rule
from .batched import BatchedTensor, wrap

_functions = _core.functions


class _Parameter(NamedTuple):
    kind: str
    name: str


def _parse(text: str) -> list[_Parameter]:
    inside = text[text.index("(") + 1 : (text.index(") ->") if ") ->" in text else text.rindex(")"))]
    parts = (part.split("=")[0].rsplit(" ", 1) for part in inside.split(", ") if part and part != "*")
    return [_Parameter(kind.rstrip("?!"), name) for kind, name in parts]


_signatures: dict[str, list[list[_Parameter]]] = {}
for _form, _name, _text in _core.signatures():
    _signatures.setdefault(_name, []).append(_parse(_text))


def _bind(name: str, args: tuple, kwargs: dict) -> dict[str, Any] | None:
    """The arguments by the names of the first overload that can take them."""
    for parameters in _signatures.get(name, ()):
        bound: dict[str, Any] = {}
        i = 0
        for i, parameter in enumerate(parameters):
            if i >= len(args):
                break
            if parameter.kind.endswith("[*]") and not isinstance(args[i], (list, tuple)):
                bound[parameter.name] = tuple(args[i:])
                break
            if not _suits(parameter.kind, args[i]):
                break
            bound[parameter.name] = args[i]
        else:
            i += 1
        used = len(args) if any(isinstance(v, tuple) and v == tuple(args[i:]) for v in bound.values()) else len(bound)
        if used >= len(args) and kwargs.keys() <= {p.name for p in parameters}:
            return {**bound, **kwargs}
    return None


def _suits(kind: str, value: Any) -> bool:
    if value is None:
        return True
    if kind in ("Tensor", "Operand"):
        return isinstance(value, (Tensor, int, float, complex)) if kind == "Operand" else isinstance(value, Tensor)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind in ("int[]", "int[*]"):
        return isinstance(value, (int, list, tuple)) and not isinstance(value, bool)
    if kind in ("Tensor[]", "Tensor[*]"):
        return isinstance(value, (list, tuple, Tensor))
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "dtype":
        return isinstance(value, _core.dtype)
    return True


# ---- the rule

_DIMS = {"dim", "dims", "dim0", "dim1", "dim2", "axis0", "axis1", "source", "destination", "start_dim", "end_dim"}
_SHAPES = {"size", "shape", "split_sizes"}
_ALONG = """
sum mean prod amax amin all any argmax argmin max min median nanmedian mode var std var_mean std_mean nansum
nanmean logsumexp norm linalg_vector_norm linalg_matrix_norm softmax log_softmax cumsum cumprod cummax cummin
logcumsumexp sort
argsort topk kthvalue count_nonzero flip roll transpose swapaxes swapdims movedim moveaxis permute select
narrow squeeze unsqueeze flatten unflatten diagonal diag_embed tril triu expand broadcast_to reshape view repeat
tile chunk split split_with_sizes tensor_split unbind aminmax adjoint
softmin glu new_zeros new_ones
new_full new_empty ravel tril_ triu_ t unsqueeze_ squeeze_ transpose_ t_ repeat_interleave
fft_fft fft_ifft fft_rfft fft_irfft fft_hfft fft_ihfft fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2 fft_hfft2 fft_ihfft2
fft_fftn fft_ifftn fft_rfftn fft_irfftn fft_hfftn fft_ihfftn fft_fftshift fft_ifftshift
"""
# What an omitted `dim` means for those whose default is not "all dimensions".
_FLATTENS = """
argmax argmin cummax max min prod median nanmedian all any aminmax mode
"""


def along(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Dimensions are counted from the second, shapes begin with the samples."""
    name = call.function.__name__
    if name in ("max", "min") and args and isinstance(args[0], Tensor):
        return elementwise(call, input, *args, **kwargs)
    if not call.is_batched(input) or any(map(call.is_batched, (*args, *kwargs.values()))):
        return loop(call, (input, *args), kwargs)
    value, rank = input._value, input.ndim
    first = _signatures[name][0][0].name
    bound = _bind(name, (value, *args), {k: v for k, v in kwargs.items() if k != first})
    if bound is None:
        return call.function(value, *args, **kwargs)  # raises, in the operation's own words
    del bound[next(iter(bound))]
    squeeze = rank == 0 and name not in ("expand", "broadcast_to", "reshape", "view", "repeat", "tile", "unsqueeze")
    if squeeze:  # a number counts as a row of one, of which dim 0 and -1 are the dimension
        return _along_number(call, value, bound)
    return call.wrapped(_along(call, name, value, rank, bound))


def _along(call: Call, name: str, value: Tensor, rank: int, bound: dict[str, Any]) -> Any:
    size = value.shape[0]
    if bound.get("dim", ()) in ((), None, []) and name in _WHOLE.split():
        if name in _FLATTENS.split():
            flat = value.reshape(size, -1)
            if "median" in name and not flat.shape[1]:
                return value.new_full((size,), float("nan"))
            keep = bound.pop("keepdim", False)
            bound.pop("dim", None)
            result = call.function(flat, dim=1, **bound)
            if name in ("max", "min", "median", "nanmedian"):
                result = result[0]
            return tree_map(lambda r: r.reshape(size, *(1,) * rank), result) if keep else result
        return call.function(value, dim=tuple(range(1, rank + 1)), **{k: v for k, v in bound.items() if k != "dim"})
    special = _SPECIAL.get(name)
    if special:
        return special(call, value, rank, bound)
    shifted = {}
    for key, argument in bound.items():
        if key in _DIMS:
            argument = _shift(argument, rank + (name in ("unsqueeze", "unsqueeze_", "diag_embed")))
            if key == "dims" and isinstance(argument, int):  # the method took it for the first of several
                argument = (argument,)
        elif key in _SHAPES and name not in ("split_with_sizes",):
            argument = _with_samples(name, argument, size, value)
        shifted[key] = argument
    for key, default in _defaults(name):
        shifted.setdefault(key, default)
    return call.function(value, **shifted)


_WHOLE = """
sum mean prod amax amin all any argmax argmin max min median nanmedian var std var_mean std_mean nansum nanmean
norm linalg_vector_norm count_nonzero aminmax
"""


def _defaults(name: str) -> list[tuple[str, int]]:
    """Defaults that count from the front."""
    return {
        "chunk": [("dim", 1)],
        "split": [("dim", 1)],
        "split_with_sizes": [("dim", 1)],
        "tensor_split": [("dim", 1)],
        "unbind": [("dim", 1)],
        "flatten": [("start_dim", 1)],
        "diagonal": [("dim1", 1), ("dim2", 2)],
    }.get(name, [])


def _shift(dim: Any, rank: int) -> Any:
    if isinstance(dim, (list, tuple)):
        return tuple(_shift(d, rank) for d in dim)
    if isinstance(dim, int):
        if not -max(rank, 1) <= dim < max(rank, 1):
            low, high = -max(rank, 1), max(rank, 1) - 1
            raise at_call(
                IndexError, f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
            )
        return dim + 1 if dim >= 0 else dim
    return dim


def _with_samples(name: str, shape: Any, size: int, value: Tensor) -> tuple:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return (size, *shape)


def _along_number(call: Call, value: Tensor, bound: dict[str, Any]) -> Any:
    name = call.function.__name__
    if name in ("flatten", "ravel"):
        return wrap(value.reshape(-1, 1), call.level)
    if name in ("transpose", "swapaxes", "swapdims", "t"):
        return wrap(value, call.level)
    if name == "squeeze" and any(d not in (0, -1) for d in _as_dims(bound.get("dim"))):
        raise at_call(
            RuntimeError, f"Dimension is out of range (expected to be in range of [-1, 0], but got {bound['dim']}"
        )
    if name in ("permute", "squeeze", "movedim"):
        return wrap(value.view_as(value), call.level)
    if name in ("flip", "clone", "roll"):
        return wrap(value.clone(), call.level)
    if name.startswith("new_"):
        return call.wrapped(_along(call, name, value, 0, bound))
    row = value.reshape(-1, 1)
    dims = {key: _shift(a, 1) for key, a in bound.items() if key in _DIMS and a not in (None, (), [])}
    rest = {key: a for key, a in bound.items() if key not in dims and key not in ("keepdim",) and key not in _DIMS}
    if name in _WHOLE.split() or dims:
        dims = dims or {"dim": 1}
        result = call.function(row, **dims, **rest)
        single = name in ("max", "min", "median", "nanmedian") and "dim" not in bound
        result = result[0] if single else result
        return call.wrapped(tree_map(lambda r: r.reshape(value.shape[0]), result))
    return loop(call, (wrap(value, call.level),), bound)


def _as_dims(dim: Any) -> tuple:
    return () if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)


_SPECIAL: dict[str, Callable] = {}


def special(*names: str) -> Callable[[Callable], Callable]:
    """Registers the treatment of an operation along dimensions whose defaults or shapes need more."""

    def register(f: Callable) -> Callable:
        _SPECIAL.update(dict.fromkeys(names, f))
        return f

    return register


@special("expand", "broadcast_to")
def _expand(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    size = bound["size"]
    wanted = (size,) if isinstance(size, int) else tuple(size)
    filled = value.reshape(value.shape[0], *(1,) * (len(wanted) - rank), *value.shape[1:])
    return filled.expand(value.shape[0], *wanted)


@special("repeat", "tile")
def _repeat(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    counts = bound["repeats"] if "repeats" in bound else bound["dims"]
    counts = (counts,) if isinstance(counts, int) else tuple(counts)
    if call.function.__name__ == "tile":
        counts = (1,) * (rank - len(counts)) + counts
    filled = value.reshape(value.shape[0], *(1,) * (len(counts) - rank), *value.shape[1:])
    return filled.repeat(1, *counts)


@special("view")
def _view(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    given = bound["dtype"] if "dtype" in bound else next(iter(bound["size"]), None)
    if isinstance(given, _core.dtype):
        return value.view(given)
    return value.view(_with_samples("view", bound["size"], value.shape[0], value))


@special("squeeze")
def _squeeze(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    dim = bound.get("dim")
    if dim is not None:
        return value.squeeze(_shift(dim, rank))
    return value.squeeze(tuple(d for d in range(1, rank + 1) if value.shape[d] == 1))


@special("split")
def _split(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Any:
    # The function and the method have different names for the size.
    size = next(argument for key, argument in bound.items() if key.startswith("split_size"))
    return call.function(value, size, _shift(bound.get("dim", 0), rank))


@special("permute")
def _permute(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    dims = bound["dims"]
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    return value.permute(0, *(d % rank + 1 for d in dims))


@special("t", "adjoint")
def _t(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    if call.function.__name__ == "adjoint":
        return call.function(value)
    return value if rank < 2 else value.transpose(1, 2)


@special("ravel")
def _ravel(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    return value.reshape(value.shape[0], -1)


@special("roll")
def _roll(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    dims = bound.get("dims", ())
    if dims in ((), []):
        return value.reshape(value.shape[0], -1).roll(bound["shifts"], 1).reshape(value.shape)
    return value.roll(bound["shifts"], _shift(dims, rank))


@special("repeat_interleave")
def _repeat_interleave(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    if "repeats" not in bound:  # the tensor itself says how often each position comes
        return _functions["stack"]([_functions["repeat_interleave"](row, **bound) for row in value])
    if bound.get("dim") is None:
        return value.reshape(value.shape[0], -1).repeat_interleave(bound["repeats"], 1)
    return value.repeat_interleave(bound["repeats"], _shift(bound["dim"], rank))


@special("new_zeros", "new_ones", "new_full", "new_empty")
def _new(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    size = bound.pop("size")
    return call.function(value, _with_samples("", size, value.shape[0], value), **bound)


@special("fft_fftn", "fft_ifftn", "fft_rfftn", "fft_irfftn", "fft_hfftn", "fft_ihfftn", "fft_fftshift", "fft_ifftshift")
def _transform(call: Call, value: Tensor, rank: int, bound: dict[str, Any]) -> Tensor:
    s, dim = bound.get("s"), bound.get("dim")
    if dim is None:
        count = rank if s is None else len(s) if isinstance(s, (list, tuple)) else 1
        bound["dim"] = tuple(range(-count, 0))
    else:
        bound["dim"] = _shift(dim, rank)
    return call.function(value, **bound)


RULES.update(dict.fromkeys(_ALONG.split(), along))


@rule("view_as", "reshape_as", "expand_as")
def _as_other(call: Call, input: Tensor, other: Tensor) -> Any:
    method = {"view_as": "reshape", "reshape_as": "reshape", "expand_as": "expand"}[call.function.__name__]
    shape = tuple(other.shape)
    value = call.expanded(input)
    if method == "expand":
        return wrap(_expand(call, value, input.ndim, {"size": shape}), call.level)
    if call.function.__name__ == "view_as":
        return wrap(value.view(value.shape[0], *shape), call.level)
    return wrap(value.reshape(value.shape[0], *shape), call.level)


@rule(
    "size",
    "stride",
    "dim",
    "ndimension",
    "numel",
    "nelement",
    "is_floating_point",
    "is_complex",
    "is_signed",
    "element_size",
    "is_contiguous",
    "storage_offset",
    "is_conj",
    "is_neg",
)
def _description(call: Call, input: BatchedTensor, *args: Any, **kwargs: Any) -> Any:
    name = call.function.__name__
    if name in ("is_contiguous", "is_conj", "is_neg", "storage_offset"):
        return call.function(input._value, **kwargs)
    if name == "stride":
        strides = tuple(input._value.stride()[1:])
        return strides[args[0] if args else kwargs["dim"]] if args or kwargs else strides
    with batched.at_depth(0):
        return call.function(batched.shell(input), *args, **kwargs)


@rule("diag")
def _diag(call: Call, input: Any, diagonal: int = 0) -> Any:
    value = input._value
    made = _functions["diag_embed"](value, diagonal) if input.ndim == 1 else value.diagonal(diagonal, 1, 2)
    return wrap(made, call.level)


@rule("retain_grad")
def _retain_grad(call: Call, input: Any) -> None:
    if batched.physical(input).requires_grad:
        _core.raise_in_transform("retain_grad")
    raise at_call(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")


# What gives no tensor whose shape all samples share, in PyTorch's words.
_DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
    "aten::{name}. Its samples may give results of different shapes."
)
_REFUSED = {
    **dict.fromkeys(("nonzero", "unique", "unique_consecutive", "where"), _DYNAMIC),
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this "
    "because for each batch this would return a differently shaped Tensor.",
    "equal": "Batching rule not implemented for {name}. Its result is one truth value, not one per sample.",
    "allclose": "vmap over torch.allclose isn't supported yet. Its result is one truth value, not one per sample.",
    "data_ptr": "Cannot access data pointer of Tensor that doesn't have storage: a sample of vmap has none of its own",
}


def _refuse(call: Call, *args: Any, **kwargs: Any) -> Any:
    name = call.function.__name__
    raise at_call(RuntimeError, _REFUSED[name].format(name="_unique2" if name == "unique" else name))


def _where(call: Call, *args: Any, **kwargs: Any) -> Any:
    return elementwise(call, *args, **kwargs) if len(args) + len(kwargs) > 1 else _refuse(call)


RULES.update({**dict.fromkeys(_REFUSED, _refuse), "where": _where})


@rule("item", "tolist")
def _item(call: Call, input: Any) -> Any:
    return input.item()


@rule("is_nonzero")
def _is_nonzero(call: Call, input: Any) -> bool:
    return bool(input)
