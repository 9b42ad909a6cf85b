"""torch.onnx.export: records what a model does with example inputs, and writes it as an ONNX file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from .._core import Tensor, functions
from ..jit.program import Call, function_of, replaced, values_in
from ..jit.recorder import record
from ..nn.modules.module import Module
from ..pytree import tree_leaves
from . import layers, shapes  # noqa: F401  (they add their conversions)
from .elementwise import CONVERSIONS
from .graph import Array, GraphWriter, array_of

__all__ = ["OperatorExportTypes", "TrainingMode", "export"]

_WITHOUT = "torch.onnx.export: the package onnx writes the file, and is not installed; pip install onnx"
_NEWEST, _OLDEST = 23, 18
_VIEWS = """
select slice view reshape permute transpose t squeeze unsqueeze expand narrow unbind split chunk
"""
_DRAWN = ("rand", "normal", "uniform", "bernoulli", "multinomial", "dropout", "empty")


class TrainingMode(Enum):
    """In which mode a model is recorded."""

    EVAL, PRESERVE, TRAINING = range(3)


class OperatorExportTypes(Enum):
    """What becomes of operations that ONNX lacks; here they raise."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


def export(
    model: Any,
    args: Any = (),
    f: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: Any = None,
    custom_translation_table: Any = None,
    optimize: bool = True,
    verify: bool = False,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    training: TrainingMode = TrainingMode.EVAL,
    operator_export_type: OperatorExportTypes = OperatorExportTypes.ONNX,
    do_constant_folding: bool = True,
) -> None:
    """Writes an ONNX file of what the model does with the example inputs; sizes and branches are as they were.

    Args:
        args: the example inputs, a tuple or one tensor; the sizes of the file's inputs are theirs.
        f: the file's name, or a file that is open for writing.
        input_names: of the tensors among the inputs, then of the parameters.
        dynamic_axes: the dimensions of inputs and outputs that may have other sizes: {"x": {0: "batch"}}.
        training: in which mode the model is recorded; TRAINING raises, as dropout and batch statistics do.
    """
    _refuse(
        dynamic_shapes=dynamic_shapes,
        custom_translation_table=custom_translation_table,
        verify=verify or None,
        export_params=None if export_params else False,
        keep_initializers_as_inputs=keep_initializers_as_inputs or None,
        training=None if training is not TrainingMode.TRAINING else training,
        operator_export_type=None if operator_export_type is OperatorExportTypes.ONNX else operator_export_type,
    )
    opset = _OLDEST if opset_version is None else opset_version
    if not _OLDEST <= opset <= _NEWEST:
        raise NotImplementedError(f"torch.onnx.export: opset_version={opset}; chainrule writes {_OLDEST} to {_NEWEST}")
    if f is None:
        raise NotImplementedError("torch.onnx.export: f=None; chainrule gives no ONNXProgram, it writes a file")
    try:
        import onnx
    except ImportError as error:
        raise RuntimeError(_WITHOUT) from error
    given, named = args if isinstance(args, tuple) else (args,), dict(kwargs or {})
    if given and isinstance(given[-1], dict) and not kwargs and not dynamo:
        given, named = given[:-1], given[-1]
    modes = {module: module.training for module in model.modules()} if isinstance(model, Module) else {}
    if training is TrainingMode.EVAL and isinstance(model, Module):
        model.eval()
    try:
        content = _Exporter(model, given, named, opset, input_names, output_names, dynamic_axes or {}).model()
    finally:
        for module, mode in modes.items():
            module.training = mode
    onnx.checker.check_model(content)
    if verbose:
        print(onnx.printer.to_text(content))
    onnx.save(content, f)


def _refuse(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise NotImplementedError(f"torch.onnx.export: {name}={value!r} is not supported by chainrule")


class _Exporter:
    """Turns one recorded program into a graph."""

    def __init__(
        self,
        model: Any,
        args: tuple,
        kwargs: dict[str, Any],
        opset: int,
        input_names: Sequence[str] | None,
        output_names: Sequence[str] | None,
        dynamic_axes: Mapping[str, Any],
    ) -> None:
        self.model_name = type(model).__name__
        self.graph = GraphWriter(opset)
        self.inputs = [leaf for leaf in tree_leaves([*args, *kwargs.values()]) if isinstance(leaf, Tensor)]
        self.members = dict([*model.named_parameters(), *model.named_buffers()]) if isinstance(model, Module) else {}
        self.program = record(model, args, kwargs, self.inputs, self.members)
        self.input_names = _names(input_names, "input", len(self.inputs), _arguments(model))
        self.dynamic_axes = {name: _axes(axes, name) for name, axes in dynamic_axes.items()}
        self.output_names = output_names
        if self.dynamic_axes:
            self._leave_open(model, args, kwargs)
        # What each tensor of the program is: its value where that is known, its name in the graph otherwise.
        self.values: dict[int, Tensor] = {n: x.clone() for n, x in self.program.constants.items()}
        self.arrays: dict[int, Array] = {}
        self.views: set[int] = set()

    def _leave_open(self, model: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        """Records the model once more with other sizes; sizes in the program that differ become -1."""
        changed = {id(x): self._larger(x, name) for x, name in zip(self.inputs, self.input_names, strict=True)}

        def put(tree: Any) -> Any:
            if isinstance(tree, Tensor):
                return changed[id(tree)]
            if isinstance(tree, dict):
                return {key: put(each) for key, each in tree.items()}
            return type(tree)([put(each) for each in tree]) if type(tree) in (list, tuple) else tree

        other = record(model, put(args), put(kwargs), [changed[id(x)] for x in self.inputs], self.members)
        if [c.op for c in other.calls] != [c.op for c in self.program.calls]:
            raise NotImplementedError("torch.onnx.export: what the model calls depends on a size in dynamic_axes")
        self.program.calls = [_open(a, b) for a, b in zip(self.program.calls, other.calls, strict=True)]
        self.program.kinds = {
            number: (tuple(n if n == m else -1 for n, m in zip(shape, other.kinds[number][0], strict=True)), kind)
            for number, (shape, kind) in self.program.kinds.items()
            if number in other.kinds
        }

    def _larger(self, x: Tensor, name: str) -> Tensor:
        for dim in self.dynamic_axes.get(name, {}):
            x = functions["cat"]([x, x.narrow(dim, 0, 1)], dim)
        return x

    def model(self) -> Any:
        """The content of the file."""
        g, helper = self.graph, self.graph.helper
        for number, name in zip(self.program.inputs, self.input_names, strict=True):
            self.arrays[number] = self._array(number, name)
        for name, number in self.program.names.items():
            tensor = self.members[name]
            self.arrays[number] = Array(g.initializer(name, array_of(tensor)), tuple(tensor.shape), tensor.dtype)
        for call in self.program.calls:
            self._convert(call)
        found = list(values_in(self.program.outputs))
        names = _names(self.output_names, "output", len(found), [])
        for value, name in zip(found, names, strict=True):
            g.nodes.append(helper.make_node("Identity", [self._known(value.number).name], [name]))
        inputs = [self._declared(n, name) for n, name in zip(self.program.inputs, self.input_names, strict=True)]
        outputs = [self._declared(value.number, name) for value, name in zip(found, names, strict=True)]
        graph = helper.make_graph(g.nodes, self.model_name, inputs, outputs, [*g.initializers.values()])
        opsets = [helper.make_opsetid("", g.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="chainrule")

    def _array(self, number: int, name: str) -> Array:
        shape, kind = self.program.kinds[number]
        return Array(name, shape, kind)

    def _declared(self, number: int, name: str) -> Any:
        shape, kind = self.program.kinds[number]
        axes = self.dynamic_axes.get(name, {})
        sizes = [axes.get(dim, f"{name}_{dim}" if n == -1 else n) for dim, n in enumerate(shape)]
        return self.graph.helper.make_tensor_value_info(name, self.graph.kind(kind), sizes)

    def _known(self, number: int) -> Array:
        """A tensor as part of the graph; a known value becomes a constant."""
        if number not in self.arrays:
            value = self.values[number]
            self.arrays[number] = Array(self.graph.constant(array_of(value)), tuple(value.shape), value.dtype)
        return self.arrays[number]

    def _convert(self, call: Call) -> None:
        op = call.op if call.op.startswith("attribute.") else call.op.split(".")[1]
        used = [value.number for value in values_in((call.args, call.kwargs))]
        if all(number in self.values for number in used) and not any(word in op for word in _DRAWN):
            self._calculate(call)
            return
        if op in ("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "new_tensor"):
            self._fold_like(call)
            return
        in_place = op.endswith("_") and not op.endswith("__")
        plain = op.rstrip("_") if in_place else op
        if plain not in CONVERSIONS:
            raise NotImplementedError(f"torch.onnx.export: chainrule cannot export torch.ops.{call.op}")
        if in_place and (used[0] in self.views or plain not in CONVERSIONS):
            raise NotImplementedError(f"torch.onnx.export: {call.op} writes through a view")
        args, kwargs = replaced((call.args, call.kwargs), lambda value: self._known(value.number))
        results = [self._array(n, "") for n in call.results if n is not None]
        names = _call(CONVERSIONS[plain], self.graph, args, kwargs, plain, results)
        if plain in _VIEWS.split():
            self.views.update(used[:1], [n for n in call.results if n is not None])
        names = [names] if isinstance(names, str) else list(names)
        for number, name in zip(call.results, names, strict=False):
            if number is not None:
                self.arrays[number] = self._array(number, name)

    def _calculate(self, call: Call) -> None:
        """An operation on values that are known is done here."""
        args, kwargs = replaced((call.args, call.kwargs), lambda value: self.values[value.number])
        found = function_of(call.op)(*args, **kwargs)
        for number, result in zip(call.results, found if call.is_tuple else (found,), strict=True):
            if number is not None:
                self.values[number] = result.detach()

    def _fold_like(self, call: Call) -> None:
        """A tensor of the size of another has a known value as well, if the size is known."""
        (number,) = (n for n in call.results if n is not None)
        shape, _ = self.program.kinds[number]
        if -1 in shape:
            raise NotImplementedError(f"torch.onnx.export: {call.op} of a size in dynamic_axes")
        put = replaced((call.args, call.kwargs), lambda value: self._meta(value.number))
        found = function_of(call.op)(*put[0], **put[1])
        self.values[number] = found

    def _meta(self, number: int) -> Tensor:
        """A tensor of the size and dtype of one whose value is not known."""
        shape, kind = self.program.kinds[number]
        return self.values[number] if number in self.values else functions["zeros"](list(shape), dtype=kind)


def _call(convert: Callable, g: GraphWriter, args: tuple, kwargs: dict, op: str, results: list[Array]) -> Any:
    """Gives a conversion what it asks for besides the arguments: the operation's name, the results' sizes."""
    options = dict(kwargs)
    asked = inspect.signature(convert).parameters
    extra = {"op": op, "result": results[0] if results else None, "results": results}
    options |= {name: value for name, value in extra.items() if name in asked}
    try:
        inspect.signature(convert).bind(g, *args, **options)
    except TypeError as error:
        raise NotImplementedError(f"torch.onnx.export: {op} with these arguments, {error}") from None
    return convert(g, *args, **options)


def _names(given: Sequence[str] | None, word: str, count: int, arguments: Sequence[str]) -> list[str]:
    names = list(given or [])[:count]
    known = [*arguments] if len(arguments) >= count and not given else []
    rest = [known[i] if known else f"{word}.{i}" if count > 1 else word for i in range(len(names), count)]
    return names + rest


def _arguments(model: Any) -> list[str]:
    function = model.forward if isinstance(model, Module) else model
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [name for name, each in inspect.signature(function).parameters.items() if each.kind in kinds]


def _axes(axes: Any, name: str) -> dict[int, str]:
    return dict(axes) if isinstance(axes, Mapping) else {dim: f"{name}_dynamic_axes_{dim + 1}" for dim in axes}


def _open(a: Call, b: Call) -> Call:
    """A call whose sizes that differ from those of a second recording are left open."""
    if (a.args, a.kwargs) == (b.args, b.kwargs):
        return a
    name = a.op.split(".")[1]
    if name not in ("reshape", "view", "_unsafe_view", "expand", "new_zeros", "new_ones"):
        raise NotImplementedError(f"torch.onnx.export: {a.op} is given a size in dynamic_axes")
    return a
