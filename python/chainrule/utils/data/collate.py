"""Putting samples together into a batch, and arrays into tensors."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

from ..._core import Tensor, float64, functions
from ...error_words import at_call

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_NO_RULE = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


np_str_obj_array_pattern = re.compile(r"[SaUO]")  # in the dtypes of NumPy arrays that hold strings or objects
default_collate_err_msg_format = _NO_RULE


def _no_number(array: Any) -> bool:
    """Whether a NumPy array holds strings or objects."""
    return np_str_obj_array_pattern.search(array.dtype.str) is not None


# ---- containers like a given one


def _like_mapping(pattern: Any, values: dict) -> Any:
    try:
        if not isinstance(pattern, MutableMapping):
            return type(pattern)(values)  # pyright: ignore[reportCallIssue]
        result = copy.copy(pattern)  # it may have more to it than its items
        result.update(values)
        return result
    except TypeError:
        return values


def _like_sequence(pattern: Any, values: list) -> Any:
    if isinstance(pattern, tuple):
        return values  # PyTorch gives a list
    try:
        if not isinstance(pattern, MutableSequence):
            return type(pattern)(values)
        result = copy.copy(pattern)
        for i, value in enumerate(values):
            result[i] = value
        return result
    except TypeError:
        return values


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


# ---- one sample


def default_convert(data: Any) -> Any:
    """NumPy arrays in `data` as tensors; everything else as it is.

    >>> import numpy
    >>> torch.utils.data.default_convert([numpy.array([1, 2])])
    [tensor([1, 2])]
    """
    cls = type(data)
    if isinstance(data, Tensor):
        return data
    if cls.__module__ == "numpy" and cls.__name__ not in ("str_", "string_"):
        return data if cls.__name__ == "ndarray" and _no_number(data) else functions["as_tensor"](data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if _is_named_tuple(data):
        return cls(*[default_convert(item) for item in data])
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(item) for item in data])
    return data


# ---- a batch


def collate(batch: Sequence, *, collate_fn_map: dict[Any, Callable] | None = None) -> Any:
    """Puts a batch together by the rules of `collate_fn_map`, going into dicts, lists and tuples.

    Args:
        batch: the samples.
        collate_fn_map: rules by the samples' type; a rule is called with the batch and this dict.
    """
    first = batch[0]
    if collate_fn_map is not None:
        rule = _find_rule(first, collate_fn_map)
        if rule is not None:
            return rule(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        values = {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        return _like_mapping(first, values)
    if not isinstance(first, Sequence):
        raise at_call(TypeError, _NO_RULE.format(type(first)))
    if not _is_named_tuple(first):
        lengths = [len(sample) for sample in batch]
        if min(lengths) != max(lengths):
            raise at_call(
                RuntimeError, f"each element in list of batch should be of equal size, not of sizes {lengths}"
            )
    columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=False)]
    return type(first)(*columns) if _is_named_tuple(first) else _like_sequence(first, columns)


def _find_rule(first: Any, rules: dict[Any, Callable]) -> Callable | None:
    if type(first) in rules:
        return rules[type(first)]
    for cls, rule in rules.items():
        if isinstance(first, cls):
            return rule
    return None


def collate_tensor_fn(batch: Sequence[Tensor], *, collate_fn_map: dict | None = None) -> Tensor:
    """Tensors of one shape become one tensor."""
    return functions["stack"](batch, 0)


def collate_numpy_array_fn(batch: Sequence, *, collate_fn_map: dict | None = None) -> Any:
    """Arrays of one shape become one tensor."""
    if _no_number(batch[0]):
        raise at_call(TypeError, _NO_RULE.format(batch[0].dtype))
    return collate([functions["as_tensor"](array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence, *, collate_fn_map: dict | None = None) -> Tensor:
    """NumPy's numbers become a tensor of their type."""
    return functions["as_tensor"](batch)


def collate_float_fn(batch: Sequence, *, collate_fn_map: dict | None = None) -> Tensor:
    """Floats become a tensor of float64, as in PyTorch."""
    return functions["tensor"](batch, dtype=float64)


def collate_int_fn(batch: Sequence, *, collate_fn_map: dict | None = None) -> Tensor:
    """Ints and bools become a tensor."""
    return functions["tensor"](batch)


def collate_str_fn(batch: Sequence, *, collate_fn_map: dict | None = None) -> Sequence:
    """Strings stay what they are."""
    return batch


default_collate_fn_map: dict[Any, Callable] = {
    Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def _learn_numpy() -> None:
    """Adds the rules for NumPy's types; only a program that has imported NumPy can have a use for them."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and numpy.ndarray not in default_collate_fn_map:
        default_collate_fn_map[numpy.ndarray] = collate_numpy_array_fn
        default_collate_fn_map[(numpy.bool_, numpy.number, numpy.object_)] = collate_numpy_scalar_fn


def default_collate(batch: Sequence) -> Any:
    """A batch of samples as tensors with one more dimension in front; strings are left alone.

    >>> torch.utils.data.default_collate([(1, 2.), (3, 4.)])
    [tensor([1, 3]), tensor([2., 4.], dtype=torch.float64)]
    """
    _learn_numpy()
    return collate(batch, collate_fn_map=default_collate_fn_map)
