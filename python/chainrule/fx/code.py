"""Recorded programs as Python code: the text of `forward` and the globals that it needs."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .._core import Tensor, device
from ..ops.dispatcher_names import OpOverload
from .names import CUSTOM_BUILTINS, Namespace, is_from_torch, qualified_name, type_text
from .node import Node

__all__ = ["CodeGen", "PythonCode", "inplace_methods", "magic_methods", "reflectable_magic_methods"]

reflectable_magic_methods = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floordiv": "{} // {}",
    "truediv": "{} / {}",
    "mod": "{} % {}",
    "pow": "{} ** {}",
    "lshift": "{} << {}",
    "rshift": "{} >> {}",
    "and_": "{} & {}",
    "or_": "{} | {}",
    "xor": "{} ^ {}",
    "getitem": "{}[{}]",
    "matmul": "{} @ {}",
}
magic_methods = {
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "gt": "{} > {}",
    "le": "{} <= {}",
    "ge": "{} >= {}",
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    **reflectable_magic_methods,
}
_CHANGING = ("add", "floordiv", "lshift", "mod", "mul", "matmul", "pow", "rshift", "sub", "truediv", "xor")
inplace_methods = {f"i{name}": magic_methods[name].replace(" {}", "= {}") for name in _CHANGING}
inplace_methods |= {"iand": "{} &= {}", "ior": "{} |= {}", "setitem": "{}[{}] = {}"}


@dataclass
class PythonCode:
    """The text of a function, and the globals that it needs."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None


class CodeGen:
    """Writes the function; a subclass may write its head and its return statement in another way."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The head of the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """The return statement."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The arguments of the graph, from those of the function."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """What the function returns, from what the graph does."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Names and values that the code needs beside its own."""
        return []

    def _gen_python_code(self, nodes: Any, root_module: str, namespace: Namespace) -> PythonCode:
        return _Writer(self, root_module, namespace).write(nodes)


def _reached(base: str, target: str) -> str:
    """A dotted path from an expression on."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


class _Writer:
    """One text that is being written."""

    def __init__(self, codegen: CodeGen, root_module: str, namespace: Namespace) -> None:
        self._codegen, self._root, self._namespace = codegen, root_module, namespace
        self._globals: dict[str, Any] = {}
        self._parameters: list[str] = []
        self._body: list[str] = []
        self._returned = ""
        self._wrapped: dict[str, None] = {}
        for name, (value, _) in CUSTOM_BUILTINS.items():
            self._global(name, value)

    def write(self, nodes: Iterable[Node]) -> PythonCode:
        """The whole function."""
        nodes = list(nodes)
        ends = _last_uses(nodes)
        for node in nodes:
            self._step(node)
            self._release(node, ends)
        codegen = self._codegen
        body = self._body or ["pass\n"]
        if codegen._body_transformer:
            body = codegen._body_transformer(body)
        for name, value in codegen.additional_globals():
            self._global(name, value)
        marks = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in self._wrapped)
        head = codegen.gen_fn_def(self._parameters, self._returned)
        lines = "".join(body).lstrip("\n").split("\n")
        indented = "\n".join("    " + line for line in lines)
        return PythonCode(f"\n{marks}\n\n{head}\n{indented}", self._globals)

    # ---- names and values

    def _global(self, hint: str, value: Any) -> str:
        if is_from_torch(value) and value is not device:
            return type_text(value) if isinstance(value, type) else qualified_name(value)
        name = self._namespace.create_name(hint, value)
        self._globals[name] = value
        return name

    def _type(self, kind: Any) -> str:
        if kind == ():
            return "()"
        if isinstance(kind, types.UnionType):
            return "|".join(self._type(part) for part in typing.get_args(kind))
        origin = typing.get_origin(kind)
        if origin is None:
            return self._global(type_text(kind), kind)
        named = (
            getattr(typing, getattr(kind, "_name", None) or "", origin)
            if not isinstance(kind, types.GenericAlias)
            else origin
        )
        name = self._global(type_text(named).rpartition("[")[0] or type_text(named), named)
        parts = typing.get_args(kind)
        return f"{name}[{','.join(self._type(part) for part in parts)}]" if parts else name

    def _value(self, value: Any) -> str:
        if isinstance(value, Node):
            return repr(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._global(qualified_name(type(value)), type(value)) + repr(tuple(value))
        if isinstance(value, OpOverload):
            return self._global(qualified_name(value), value)
        if isinstance(value, enum.Enum):
            return f"{self._global(type(value).__name__, type(value))}.{value.name}"
        if isinstance(value, Tensor):
            return f"torch.Tensor(size={list(value.size())}, dtype={str(value.dtype).rpartition('.')[2]})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self._value, value))}{',' * (len(value) == 1)})"
        if isinstance(value, list):
            return f"[{', '.join(map(self._value, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self._value(part)}" for key, part in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self._value(value.start)}, {self._value(value.stop)}, {self._value(value.step)})"
        return repr(value)

    def _arguments(self, args: Iterable, kwargs: dict) -> str:
        return ", ".join([*map(self._value, args), *(f"{key} = {self._value(v)}" for key, v in kwargs.items())])

    # ---- steps

    def _step(self, node: Node) -> None:
        annotation = "" if node.type is None else f" : {self._type(node.type)}"
        if node.op == "placeholder":
            self._parameter(node, annotation)
        elif node.op == "output":
            if node.type is not None:
                self._returned = f" -> {self._type(node.type)}"
            self._body.append(self._codegen.generate_output(node.args[0], repr_fn=self._value))
        elif node.op == "get_attr":
            self._body.append(f"{node!r}{annotation} = {_reached(self._root, node.target)}")
        elif node.op == "call_module":
            call = f"{_reached(self._root, node.target)}({self._arguments(node.args, node.kwargs)})"
            self._body.append(f"{node!r}{annotation} = {call}")
        elif node.op == "call_method":
            method = _reached(self._value(node.args[0]), node.target)
            self._body.append(f"{node!r}{annotation} = {method}({self._arguments(node.args[1:], node.kwargs)})")
        elif node.op == "call_function":
            self._body.append(self._call(node, annotation))
        else:
            raise NotImplementedError(f"node: {node.op} {node.target}")

    def _parameter(self, node: Node, annotation: str) -> None:
        default = f" = {self._value(node.args[0])}" if node.args else ""
        self._parameters.append(f"{node.target}{annotation}{default}")
        plain = node.target.replace("*", "")
        if plain != repr(node):
            self._body.append(f"{node!r} = {plain}\n")

    def _call(self, node: Node, annotation: str) -> str:
        target = node.target
        if getattr(target, "__module__", "") == "_operator" and not node.kwargs:
            values = [self._value(a) for a in node.args]
            if target.__name__ in magic_methods:
                return f"{node!r}{annotation} = {magic_methods[target.__name__].format(*values)}"
            if target.__name__ in inplace_methods:
                return f"{inplace_methods[target.__name__].format(*values)};  {node!r}{annotation} = {values[0]}"
        if target is getattr and len(node.args) == 2 and str(node.args[1]).isidentifier():
            return f"{node!r}{annotation} = {self._value(node.args[0])}.{node.args[1]}"
        name = self._global(qualified_name(target), target)
        if node.meta.get("is_wrapped", False):
            self._wrapped.setdefault(name)
        return f"{node!r}{annotation} = {name}({self._arguments(node.args, node.kwargs)})"

    def _release(self, node: Node, ends: dict[Node, list[Node]]) -> None:
        """Lets go of values behind their last use."""
        if node.op == "placeholder":
            return
        if node.op == "output":
            self._body.append("\n")
            return
        free = [*ends.get(node, []), *([] if node.users else [node])]
        self._body.append(f";  {' = '.join([*map(repr, free), 'None'])}\n" if free else "\n")


def _last_uses(nodes: list[Node]) -> dict[Node, list[Node]]:
    """For each node, the values that nobody needs behind it."""
    seen: set[Node] = set()
    ends: dict[Node, list[Node]] = {}
    for user in reversed(nodes):
        for used in user._input_nodes:
            if used not in seen:
                seen.add(used)
                ends.setdefault(user, []).append(used)
    return ends
