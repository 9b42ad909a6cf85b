"""Where calls with sparse tensors go: a rule for each operation, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from . import construct, copies, elementwise, likes, methods, products, reductions, shapes, solve
from .convert import dense
from .elementwise import cast, unsupported, written
from .parts import COO, LAYOUT_WORDS, is_sparse, make, pattern_of, raw_values

_functions = _core.functions
Rule = Callable[..., Any]


# ---- what a tensor is


def _detached(input: Tensor) -> Tensor:
    return make(pattern_of(input), raw_values(input))


def _type(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    if dtype is not None:
        wanted = dtype if isinstance(dtype, _core.dtype) else _functions["empty"](0).type(dtype).dtype
        return cast(input, wanted)
    if pattern_of(input).layout is not COO:
        raise at_call(RuntimeError, "Unimplemented backend SparseCsrCPU")
    return "torch." + copies.type_name(input)


def _stride(input: Tensor, dim: int | None = None) -> Any:
    if pattern_of(input).layout is not COO:
        raise at_call(RuntimeError, f"Sparse {str(pattern_of(input).layout)[-3:].upper()} tensors do not have strides")
    return (0,) * input.ndim if dim is None else 0


def _refused(words: str) -> Rule:
    def rule(input: Tensor, *args: Any, **options: Any) -> Any:
        raise at_call(RuntimeError, words)

    return rule


def _no_expansion(input: Tensor, *args: Any, **options: Any) -> Any:
    raise at_call(RuntimeError, f"expand is unsupported for {LAYOUT_WORDS[pattern_of(input).layout]} tensors")


def _no_pointer(input: Tensor) -> Any:
    raise at_call(RuntimeError, "Cannot access data pointer of Tensor that doesn't have storage")


def _no_storage(input: Tensor) -> Any:
    kind = "Sparse" if pattern_of(input).layout is COO else "SparseCsr"
    raise at_call(NotImplementedError, f"Cannot access storage of {kind}TensorImpl")


def _is_contiguous(input: Tensor, **options: Any) -> bool:
    if pattern_of(input).layout is not COO:
        raise at_call(
            RuntimeError, f"Sparse {str(pattern_of(input).layout)[-3:].upper()} tensors do not have is_contiguous"
        )
    return False


def _item(input: Tensor) -> Any:
    if input.numel() != 1:
        raise at_call(RuntimeError, f"a Tensor with {input.numel()} elements cannot be converted to Scalar")
    return dense(input).item()


def _is_nonzero(input: Tensor) -> bool:
    if input.numel() != 1:
        kind = "more than one value" if input.numel() else "no values"
        raise at_call(RuntimeError, f"Boolean value of Tensor with {kind} is ambiguous")
    return bool(_item(input))


def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    y = _functions["matmul"](input, weight.t())
    return y if bias is None else y + bias


def _assign(input: Tensor, index: Any, value: Any) -> None:
    raise at_call(TypeError, "Cannot assign to a sparse tensor")


def _tensor_like(input: Tensor, data: Any, **options: Any) -> Tensor:
    return _functions["tensor"](data, **{"dtype": input.dtype, **options})


def _is_same_set(input: Tensor, tensor: Tensor) -> bool:
    return _core.sparse_parts(input) is _core.sparse_parts(tensor) is not None


def _as_dense(name: str) -> Rule:
    """What PyTorch calculates for all layouts, and what nobody asks of a large tensor."""
    function = _functions.get(name) or getattr(Tensor, name)
    return lambda *args, **options: function(*(dense(a) if is_sparse(a) else a for a in args), **options)


_CASTS = {
    "bfloat16": _core.bfloat16,
    "double": _core.float64,
    "float": _core.float32,
    "half": _core.float16,
    "int": _core.int32,
    "long": _core.int64,
    "short": _core.int16,
    "char": _core.int8,
    "byte": _core.uint8,
    "bool": _core.bool,
    "cfloat": _core.complex64,
    "cdouble": _core.complex128,
}


def _cast_to(dtype: Any) -> Rule:
    return lambda input, memory_format=None: cast(input, dtype)


RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **products.RULES,
    **reductions.RULES,
    **shapes.RULES,
    **solve.RULES,
    **{name: _cast_to(dtype) for name, dtype in _CASTS.items()},
    **copies.RULES,
    **likes.RULES,
    "new_tensor": _tensor_like,
    "linear": _linear,
    "__setitem__": _assign,
    "to": methods.moved,
    "cpu": lambda input, **options: input,
    "clone": methods.duplicate,
    "detach": _detached,
    "alias": _detached,
    "reshape": _refused("reshape is not implemented for sparse tensors"),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _no_expansion),
    "flatten": _refused("reshape is not implemented for sparse tensors"),
    "view_as_real": shapes.as_real,
    "view_as_complex": shapes.as_complex,
    "detach_": lambda input: _core.become(input, _detached(input)),
    "type": _type,
    "stride": _stride,
    "storage_offset": lambda input: 0,
    "is_contiguous": _is_contiguous,
    "is_set_to": _is_same_set,
    "_is_view": lambda input: _core.sparse_parts(input).base is not None,
    **dict.fromkeys(("data_ptr", "const_data_ptr", "tolist"), _no_pointer),
    "untyped_storage": _no_storage,
    "item": _item,
    "is_nonzero": _is_nonzero,
    "allclose": _as_dense("allclose"),
    "_mark_numpy": lambda input: None,
}


def called(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """What a function gives that has a sparse tensor among its arguments. The core calls it."""
    name = function.__name__
    out = options.pop("out", None) if options else None
    if name in ("zeros", "empty") and out is not None:
        grad = bool(options.pop("requires_grad", False))
        made = _functions[name](*args, **{"dtype": out.dtype, **options}, layout=out.layout)
        return written(out, made).requires_grad_(grad)
    rule = RULES.get(name)
    if rule is None:
        return _in_place(name, args, options)
    if out is None:
        return rule(*args, **options)
    result = rule(*args, **options)
    if isinstance(out, (tuple, list)):
        for into, part in zip(out, result, strict=True):
            _deliver(into, part)
        return type(result)(out)
    return _deliver(out, result)


def _deliver(out: Tensor, result: Tensor) -> Tensor:
    if is_sparse(out):
        return written(out, result)
    if out.shape != result.shape:
        out.resize_(tuple(result.shape))
    return out.copy_(result)


def _in_place(name: str, args: tuple, options: dict[str, Any]) -> Any:
    rule = None
    if name.endswith("_") and not name.endswith("__"):
        rule = RULES.get(name.removesuffix("_"))
    if rule is None:
        raise unsupported(name, next(_sparse_among((*args, *options.values())), None))
    return written(args[0], rule(*args, **options))


def _sparse_among(values: Any) -> Any:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _sparse_among(value)
        elif is_sparse(value):
            yield value


# ---- properties


def _adjoint(x: Tensor) -> Tensor:
    turned = shapes.transpose(x, -2, -1)
    return turned.conj() if x.is_complex() else turned


def _bytes(x: Tensor) -> Any:
    if pattern_of(x).layout is not COO:
        return x.numel() * x.element_size()  # PyTorch's number
    raise at_call(
        RuntimeError,
        "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of "
        "the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by "
        "element_size()",
    )


_ATTRIBUTES: dict[str, Callable[[Tensor], Any]] = {
    "layout": lambda x: pattern_of(x).layout,
    "is_sparse": lambda x: pattern_of(x).layout is COO,
    "is_sparse_csr": lambda x: pattern_of(x).layout is _core.sparse_csr,
    "device": lambda x: raw_values(x).device,
    "is_cpu": lambda x: raw_values(x).is_cpu,
    "is_cuda": lambda x: raw_values(x).is_cuda,
    "is_meta": lambda x: raw_values(x).is_meta,
    "data": _detached,
    "_base": lambda x: _core.sparse_parts(x).base,
    "T": lambda x: shapes.permute(x, list(reversed(range(x.ndim)))),
    "mT": lambda x: shapes.transpose(x, -2, -1),
    "H": _adjoint,
    "mH": _adjoint,
    "real": lambda x: elementwise.on_parts(lambda v: v.real, x),
    "imag": lambda x: elementwise.on_parts(lambda v: v.imag, x),
    "nbytes": _bytes,
}


def attribute(name: str, x: Tensor) -> Any:
    """A property of a sparse tensor. The core calls it."""
    return _ATTRIBUTES[name](x)


def made(name: str, given: dict[str, Any]) -> Tensor:
    """What a function gives that is to make a sparse tensor: zeros(3, layout=torch.sparse_coo). The core calls it."""
    layout, dtype, grad = given["layout"], given.get("dtype"), bool(given.get("requires_grad"))
    like = given.get("input")
    if like is not None and name in ("zeros_like", "empty_like"):
        return likes.like(name, like, **{k: v for k, v in given.items() if k not in ("input", "device", "pin_memory")})
    if name not in ("zeros", "empty", "new_zeros", "new_empty"):
        name = "full" if name == "ones" else name
        raise at_call(RuntimeError, f"{name}(...) is not implemented for sparse layout")
    dtype = dtype or (like.dtype if like is not None else None)
    return construct.made(layout, name.removeprefix("new_"), given["size"], dtype, grad)
