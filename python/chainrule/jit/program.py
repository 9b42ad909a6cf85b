"""A recorded program: the operations of torch.ops.aten that a function called, in their order, with their arguments.

It has no branches and no loops; sizes are numbers. torch.jit.trace makes it, torch.onnx.export reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._core import Tensor, dtype
from ..ops.overloads import aten

__all__ = ["Call", "Program", "Value", "function_of", "replaced", "values_in"]


class Value(NamedTuple):
    """A tensor of a program, by its number."""

    number: int


class Call(NamedTuple):
    """One operation: its name, its arguments with a Value for each tensor, and the numbers of the tensors it gives."""

    op: str
    args: tuple
    kwargs: dict[str, Any]
    results: tuple[int | None, ...]
    is_tuple: bool


@dataclass
class Program:
    """What a function did.

    Args:
        inputs: the numbers of its tensor arguments.
        names: the numbers of parameters and buffers, by their names in the module.
        constants: other tensors that it used.
        outputs: what it returned, with a Value for each tensor.
        kinds: the sizes and dtypes that its tensors had when it was recorded; a file has none.
    """

    inputs: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    constants: dict[int, Tensor] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    outputs: Any = None
    kinds: dict[int, tuple[tuple[int, ...], dtype]] = field(default_factory=dict)

    def run(self, inputs: Sequence[Tensor], member: Callable[[str], Tensor]) -> Any:
        """Calls the operations again; `member` gives a parameter or buffer by its name."""
        tensors = dict(self.constants)
        tensors |= {number: member(name) for name, number in self.names.items()}
        tensors |= dict(zip(self.inputs, inputs, strict=True))
        last = self._last_uses()
        for at, call in enumerate(self.calls):
            args, kwargs = replaced((call.args, call.kwargs), lambda value: tensors[value.number])
            found = function_of(call.op)(*args, **kwargs)
            for number, result in zip(call.results, found if call.is_tuple else (found,), strict=True):
                if number is not None:
                    tensors[number] = result
            for number in last.get(at, ()):
                del tensors[number]
        return replaced(self.outputs, lambda value: tensors[value.number])

    def _last_uses(self) -> dict[int, list[int]]:
        """Which tensors each call uses or gives as the last one: they need not be kept after it."""
        last: dict[int, int] = {}
        for at, call in enumerate(self.calls):
            for value in (*values_in((call.args, call.kwargs)), *(Value(n) for n in call.results if n is not None)):
                last[value.number] = at
        for value in values_in(self.outputs):
            last.pop(value.number, None)
        after: dict[int, list[int]] = {}
        for number, at in last.items():
            after.setdefault(at, []).append(number)
        return after

    def __str__(self) -> str:
        shown = {number: f"%{name}" for name, number in self.names.items()}

        def name(value: Value) -> str:
            return shown.get(value.number, f"%{value.number}")

        lines = [f"program({', '.join(name(Value(n)) for n in self.inputs)})"]
        for call in self.calls:
            arguments = [_written(a, name) for a in call.args] + [
                f"{k}={_written(v, name)}" for k, v in call.kwargs.items()
            ]
            given = ", ".join("_" if n is None else name(Value(n)) for n in call.results)
            lines.append(f"  {given} = {call.op}({', '.join(arguments)})")
        return "\n".join([*lines, f"  return {_written(self.outputs, name)}"])


class _Shown(str):
    """A text without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _written(tree: Any, name: Callable[[Value], str]) -> str:
    return repr(replaced(tree, lambda value: _Shown(name(value))))


def function_of(op: str) -> Callable:
    """The function with the name that a program has for it: aten.add.Tensor, or attribute.T for x.T."""
    library, _, rest = op.partition(".")
    if library == "attribute":
        return lambda tensor: getattr(tensor, rest)
    packet, _, overload = rest.partition(".")
    return getattr(getattr(aten, packet), overload)


def replaced(tree: Any, put: Callable[[Value], Any]) -> Any:
    """A tree of lists, tuples and dicts with something in the place of each Value."""
    if isinstance(tree, Value):
        return put(tree)
    if isinstance(tree, dict):
        changed = {key: replaced(each, put) for key, each in tree.items()}
        return changed if type(tree) is dict else type(tree)(changed)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[replaced(each, put) for each in tree])
    if isinstance(tree, (list, tuple)):
        return type(tree)([replaced(each, put) for each in tree])
    if isinstance(tree, slice):
        return slice(*replaced([tree.start, tree.stop, tree.step], put))
    return tree


def values_in(tree: Any) -> Iterator[Value]:
    """Each Value of a tree."""
    found: list[Value] = []
    replaced(tree, found.append)
    return iter(found)
