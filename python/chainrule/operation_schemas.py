"""Signatures as PyTorch's dispatcher writes them: "scale(Tensor x, float factor=1.0) -> Tensor"."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from ._core import Tensor, device, dtype

__all__ = ["infer_schema", "parse_schema", "split_schema"]

_HEAD = re.compile(r"^\s*(?:(?P<library>\w+)::)?(?P<name>\w*)(?:\.(?P<overload>\w+))?\s*(?P<rest>\(.*)$", re.DOTALL)


def split_schema(schema: str) -> tuple[str, str]:
    """The name, without library and overload, and the rest from the bracket on."""
    match = _HEAD.match(schema)
    if match is None or "->" not in schema:
        raise RuntimeError(f"schema {schema!r} is no signature; write it as 'name(Tensor x, float a=1.0) -> Tensor'")
    return match["name"], match["rest"]


def _arguments(text: str) -> list[str]:
    """The arguments between the first bracket and its end; commas inside of brackets and strings divide nothing."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        if not quoted and letter in ")]":
            depth -= 1
            if depth == 0:
                break
        if depth == 1 and letter == "," and not quoted:
            parts.append("")
        elif depth > 0:
            parts[-1] += letter
        depth += not quoted and letter in "(["
    return [part.strip() for part in parts if part.strip()]


def parse_schema(schema: str) -> inspect.Signature:
    """The signature by which a call's arguments are bound."""
    parameters, kind = [], inspect.Parameter.POSITIONAL_OR_KEYWORD
    for text in _arguments(split_schema(schema)[1]):
        if text == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        declared, equals, default = text.partition("=")
        name = declared.split()[-1]
        value = _value(default.strip()) if equals else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=value))
    return inspect.Signature(parameters)


def _value(text: str) -> Any:
    words = {"None": None, "True": True, "False": False}
    if text in words:
        return words[text]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text  # names of enums, as Mean


_TYPES: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    complex: "Scalar",
    dtype: "ScalarType",
    device: "Device",
}


def infer_schema(prototype_function: Callable, /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The signature that a function's annotations say.

    >>> def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor: ...
    >>> torch.library.infer_schema(scale, mutates_args=())
    '(Tensor x, float factor=2.0) -> Tensor'
    """
    signature = inspect.signature(prototype_function, eval_str=True)
    changed = set(signature.parameters) if mutates_args == "unknown" else set(mutates_args)
    texts, by_name = [], False
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
            texts.append("*")
            by_name = True
        kind = _type_text(parameter.annotation, name)
        if name in changed and kind.startswith("Tensor"):
            kind = kind.replace("Tensor", f"Tensor({'a' + str(index)}!)", 1)
        default = "" if parameter.default is parameter.empty else f"={_default_text(parameter.default)}"
        texts.append(f"{kind} {name}{default}")
    returned = signature.return_annotation
    result = "()" if returned in (None, inspect.Signature.empty) else _returned_text(returned)
    return f"{op_name or ''}({', '.join(texts)}) -> {result}"


def _type_text(kind: Any, name: str) -> str:
    if kind is inspect.Parameter.empty:
        raise ValueError(f"infer_schema(func): Parameter {name} must have a type annotation.")
    if kind in _TYPES:
        return _TYPES[kind]
    import typing

    parts = typing.get_args(kind)
    if type(None) in parts and len(parts) == 2:
        return f"{_type_text(next(part for part in parts if part is not type(None)), name)}?"
    if typing.get_origin(kind) in (list, Sequence) and parts:
        return f"{_type_text(parts[0], name)}[]"
    if set(parts) <= {int, float, bool, complex} and parts:
        return "Scalar"
    raise ValueError(f"infer_schema(func): Parameter {name} has unsupported type {kind}.")


def _returned_text(kind: Any) -> str:
    import typing

    if typing.get_origin(kind) is tuple:
        return f"({', '.join(_type_text(part, 'return') for part in typing.get_args(kind))})"
    return _type_text(kind, "return")


def _default_text(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).removeprefix("torch.") if isinstance(value, dtype) else str(value)
