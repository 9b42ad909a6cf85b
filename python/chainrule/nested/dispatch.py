"""Where calls with nested tensors go: a rule for each operation, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..error_words import at_call
from ..overrides import DisableTorchFunctionSubclass
from . import attention, conversions, elementwise, joining, layers, products, reductions, shapes, strided
from .jagged import NestedTensor
from .kinds import Nested

# Of each layout: rule(function, *args, **options), by the name of the function.
JAGGED: dict[str, Callable[..., Any]] = {
    **conversions.RULES,
    **elementwise.RULES,
    **shapes.RULES,
    **joining.RULES,
    **reductions.RULES,
    **products.RULES,
    **layers.RULES,
    **attention.RULES,
}
STRIDED: dict[str, Callable[..., Any]] = {**conversions.RULES, **strided.RULES}


def called(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """What a function gives that has a nested tensor among its arguments."""
    name = getattr(function, "__name__", str(function))
    nested = list(_nested_among((*args, *options.values())))
    kinds = {isinstance(x, NestedTensor) for x in nested}
    if not kinds:  # a nested class, asked by super()
        with DisableTorchFunctionSubclass():
            return function(*args, **options)
    if len(kinds) > 1:
        raise at_call(RuntimeError, f"{name}(): nested tensors of the layouts jagged and strided do not go together")
    rules, layout = (JAGGED, "jagged") if kinds == {True} else (STRIDED, "strided")
    rule = rules.get(name)
    if rule is None and name.endswith("_") and not name.endswith("__") and name[:-1] in elementwise.IN_PLACE:
        rule = elementwise.in_place
    if rule is None or options.get("out") is not None:
        raise unsupported(name, layout, options.pop("out", None) is not None)
    options.pop("out", None)
    return rule(function, *args, **options)


def unsupported(name: str, layout: str, out: bool = False) -> Exception:
    """What is raised for an operation that has no rule."""
    what = f"{name}(out=...)" if out else name
    first = f"aten.{name}.default" if layout == "jagged" else f"Could not run 'aten::{name}' with nested tensors"
    return at_call(
        NotImplementedError,
        f"{first}: nested tensors with the {layout} layout have no {what}; to_padded_tensor(padding) and unbind() give "
        "ordinary tensors",
    )


def _nested_among(values: Any) -> Any:
    for value in values:
        if isinstance(value, Nested):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _nested_among(value)
        elif isinstance(value, dict):
            yield from _nested_among(value.values())
