"""Gradients as functions of functions: grad, grad_and_value, vjp.

Inside vmap, what is differentiated gets a copy per sample first, so that everything is recorded on physical tensors
and the samples' gradients stay apart.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import inference_mode
from ..autograd.graph import disable_saved_tensors_hooks
from ..error_words import at_call
from ..pytree import TreeSpec, tree_flatten, tree_leaves, tree_map, tree_unflatten
from .batched import BatchedTensor, at_depth, dematerialize, levels, materialize, physical

__all__ = ["grad", "grad_and_value", "vjp"]

_functions = _core.functions


class Recording:
    """Inputs made ready for differentiation, what was calculated from them, and the gradients between the two."""

    def __init__(self, inputs: list):
        self.depth = _core.get_vmap_depth()
        self.since = _core.last_node_number()
        self.linked = False  # whether an input itself was calculated from something that is differentiated
        self.physical = [self._start(x) for x in inputs]
        self.inputs = [dematerialize(x, self.depth) for x in self.physical]
        self.outputs: list[Tensor] = []

    def _start(self, x: Any) -> Tensor:
        """The beginning of a graph, which leads further out where somebody differentiates this derivative again."""
        if not isinstance(x, Tensor):
            raise at_call(ValueError, f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x.is_nested:
            raise at_call(
                NotImplementedError, "torch.func does not differentiate by nested tensors; autograd.grad does"
            )
        if not (x.is_floating_point() or x.is_complex()):
            raise at_call(RuntimeError, "only Tensors of floating point dtype can require gradients, or complex ones")
        value = materialize(x, self.depth)
        with at_depth(0):
            if value.is_inference():  # nothing that is recorded may keep it
                value = value.clone()
            linked = value.requires_grad
            self.linked |= linked
            return _core.origin(value, linked)

    def finish(self, outputs: list[Tensor], outer: bool, transform: Transform) -> None:
        self.outputs = [materialize(y, self.depth) for y in outputs]
        recorded = [y for y in self.outputs if y.requires_grad]
        self.dual = any(_core.tangent(x) is not None for x in self.physical)  # tangents flow under no_grad as well
        self.leads_out = self.linked or transform.reaches_beyond(recorded, self.physical, self.since)
        self.attached = self.dual or (outer and self.leads_out)

    def result(self, y: Tensor) -> Tensor:
        """An output as the caller gets it: without the graph, unless it leads further out."""
        return y if self.attached else y.detach()

    def gradients(self, cotangents: list[Tensor], retain: bool, create_graph: bool) -> list[Tensor]:
        """The inputs' gradients, given those of the outputs at the same depth; recorded where that leads further out,
        if the caller asks for a graph.
        """
        given = [materialize(g, self.depth) for g in cotangents]
        with at_depth(0), inference_mode(False):
            pairs = [(y, g) for y, g in zip(self.outputs, given, strict=True) if y.requires_grad]
            create = self.dual or (create_graph and (self.leads_out or any(g.requires_grad for _, g in pairs)))
            found: tuple = (None,) * len(self.physical)
            if pairs:
                outputs, starts = zip(*pairs, strict=True)
                starts = tuple(g.to(y.dtype) for y, g in pairs)
                found = _core.gradients_of(outputs, starts, self.physical, retain or create, create)
            filled = [
                _functions["zeros_like"](x) if g is None else g for g, x in zip(found, self.physical, strict=True)
            ]
        return [dematerialize(g, self.depth) for g in filled]

    def rows(self, number: int, cotangents: list[Tensor]) -> list[list[Tensor]]:
        """The inputs' gradients for each of several gradients of one output; for each input a list of rows."""
        output = self.outputs[number]
        given = [materialize(g, self.depth) for g in cotangents] if self.depth else cotangents
        with at_depth(0), inference_mode(False):
            found: list = [(None,) * len(self.physical)] * len(given)
            if output.requires_grad:
                found = _core.gradients_by_row(output, given, self.physical, self.attached)
            zeros = [_functions["zeros_like"](x) for x in self.physical]
            columns = [[zero if row[i] is None else row[i] for row in found] for i, zero in enumerate(zeros)]
        return [[dematerialize(g, self.depth) for g in column] for column in columns] if self.depth else columns


_NO_SAVED_TENSOR_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)


class Transform:
    """Within it a function runs that is differentiated by these arguments: it may write into them and into what it
    makes, but not into what it captured. See core/tensor/storage.hpp.
    """

    def __init__(self, *arguments: Any, saves: bool = True):
        self.arguments = [physical(t) for t in tree_leaves(arguments) if isinstance(t, Tensor)]
        self.hooks = disable_saved_tensors_hooks(_NO_SAVED_TENSOR_HOOKS) if saves else nullcontext()

    def __enter__(self) -> Transform:
        self.hooks.__enter__()
        self.around, self.number = _core.begin_transform(self.arguments)
        levels.nesting.append(-self.number)
        return self

    def __exit__(self, *error: Any) -> None:
        levels.nesting.pop()
        _core.end_transform(self.around)
        self.hooks.__exit__(*error)

    def reaches_beyond(self, outputs: list[Tensor], inputs: list[Tensor], since: int) -> bool:
        """Whether the outputs depend on something that is differentiated and was there before."""
        return _core.reaches_beyond(outputs, inputs, since, self.number, self.arguments)


def pick(args: tuple, argnums: Any) -> tuple[Any, list[int]]:
    """The arguments to differentiate, as one tree, and their numbers."""
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise at_call(RuntimeError, f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if argnums == ():
        raise at_call(RuntimeError, "argnums must be non-empty")
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    for i, n in enumerate(numbers):
        if not isinstance(n, int):
            raise at_call(RuntimeError, f"argnum must be int, got: {type(n)}")
        if not -len(args) <= n < len(args):
            raise at_call(RuntimeError, f"Got argnum={n}, but only {len(args)} positional inputs")
        numbers[i] = n % len(args)
    if len(set(numbers)) != len(numbers):
        raise at_call(RuntimeError, f"argnums elements must be unique, got {argnums}")
    return (args[numbers[0]] if isinstance(argnums, int) else tuple(args[n] for n in numbers)), numbers


def shielded(tree: Any) -> Any:
    """Arguments that are not differentiated: what is written into them reaches the caller's tensors, its history does
    not.
    """
    return tree_map(_shield, tree)


def _shield(t: Any) -> Any:
    plain = type(t) is Tensor and not t.requires_grad and _core.tangent(t) is None
    return t.detach() if plain else t


def call_shielded(func: Callable, args: tuple, kwargs: dict, argnums: Any, numbers: list[int], picked: Any) -> Any:
    """func, with `picked` in the place of the arguments that are differentiated, and the others shielded."""
    others = tuple([a if n in numbers else shielded(a) for n, a in enumerate(args)])
    return func(*replaced(others, argnums, numbers, picked), **{name: shielded(a) for name, a in kwargs.items()})


def replaced(args: tuple, argnums: Any, numbers: list[int], picked: Any) -> tuple:
    changed = list(args)
    for n, value in zip(numbers, [picked] if isinstance(argnums, int) else picked, strict=True):
        changed[n] = value
    return tuple(changed)


def split_aux(output: Any, what: str) -> tuple[Any, Any]:
    if not (isinstance(output, tuple) and len(output) == 2):
        raise at_call(RuntimeError, f"{what}: output of function f should be a tuple: (output, aux) if has_aux is True")
    check_aux(output[1])
    return output


def without_graph(tree: Any, recording: Recording) -> Any:
    """Auxiliary values as the caller gets them."""
    return tree_map(recording.result, tree)


def check_aux(aux: Any) -> None:
    for leaf in tree_flatten(aux)[0]:
        if not isinstance(leaf, Tensor):
            raise at_call(RuntimeError, f"Expected tensors, got unsupported type {type(leaf)}")


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of func's one-number result, and the result: (gradient, value).

    >>> torch.func.grad_and_value(lambda x: x * x)(torch.tensor(3.))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        outer = _core.is_grad_enabled()
        picked, numbers = pick(args, argnums)
        leaves, spec = tree_flatten(picked)
        with inference_mode(False):
            with Transform(args, kwargs) as transform:
                recording = Recording(leaves)
                inputs = tree_unflatten(recording.inputs, spec)
                output, aux = call_shielded(func, args, kwargs, argnums, numbers, inputs), None
            if has_aux:
                output, aux = split_aux(output, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise at_call(
                    RuntimeError, f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output.ndim != 0:
                raise at_call(
                    RuntimeError,
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
                    f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
                )
            recording.finish([output], outer, transform)
            found = recording.gradients([_functions["ones_like"](output)], False, outer)
            gradient, value = tree_unflatten(found, spec), recording.result(output)
        return (gradient, (value, without_graph(aux, recording))) if has_aux else (gradient, value)

    return wrapper


def grad(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of func's one-number result.

    >>> import chainrule as torch
    >>> torch.func.grad(torch.sin)(torch.tensor(0.0))
    tensor(1.)
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


# ---- vjp


def check_outputs(leaves: list, what: str) -> None:
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise at_call(
            RuntimeError, f"{what}: Expected f to be a function that has non-empty output (got output = {leaves})"
        )
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise at_call(
                RuntimeError, f"{what}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}"
            )


def _check_differentiable(leaves: list) -> None:
    for leaf in leaves:
        if not (leaf.is_floating_point() or leaf.is_complex()):
            raise at_call(
                RuntimeError,
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{leaf.dtype}",
            )


def record(
    func: Callable, primals: tuple, has_aux: bool, what: str, others: tuple = ()
) -> tuple[Recording, TreeSpec, list, TreeSpec, Any]:
    """Calls func(*primals) with recording: the recording, the inputs' tree, the outputs and their tree, aux. `others`
    are arguments that func already has.
    """
    outer = _core.is_grad_enabled()
    leaves, spec = tree_flatten(primals)
    with inference_mode(False):
        with Transform(leaves, others) as transform:
            recording = Recording(leaves)
            output, aux = func(*tree_unflatten(recording.inputs, spec)), None
        if has_aux:
            output, aux = split_aux(output, what)
        outputs, output_spec = tree_flatten(output)
        check_outputs(outputs, what)
        _check_differentiable(outputs)
        recording.finish(outputs, outer, transform)
    return recording, spec, outputs, output_spec, aux


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """func(*primals), and a function that turns gradients of its outputs into gradients of the primals.

    >>> y, pullback = torch.func.vjp(torch.sin, torch.tensor(0.))
    >>> pullback(torch.tensor(1.))
    (tensor(1.),)
    """
    recording, spec, outputs, output_spec, aux = record(func, primals, has_aux, "vjp(f, *primals)")

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, given_spec = tree_flatten(cotangents)
        if given_spec != output_spec:
            raise at_call(
                RuntimeError,
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
                "the function. "
                f"cotangents: {given_spec}, primal output: {output_spec}",
            )
        for i, (g, y) in enumerate(zip(given, outputs, strict=True)):
            if not isinstance(g, Tensor):
                raise at_call(TypeError, f"gradients can be either Tensors or None, but got {type(g).__name__}")
            if g.shape != y.shape:
                raise at_call(
                    RuntimeError,
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
                    f"{y.shape}.",
                )
        create = _core.is_grad_enabled() if create_graph is None else create_graph
        found = over_samples(lambda gs: recording.gradients(gs, retain_graph, create), given, recording.depth)
        return tree_unflatten(found, spec)

    results = tree_unflatten([recording.result(y) for y in outputs], output_spec)
    return (results, vjp_fn, without_graph(aux, recording)) if has_aux else (results, vjp_fn)


def over_samples(function: Callable[[list], list], given: list, depth: int) -> list:
    """Calls a function that knows only the levels up to `depth`; for each sample of a deeper level once."""
    level = _core.get_vmap_depth()
    if level <= depth:
        return function(given)
    size = levels.now[level - 1].size
    with at_depth(level - 1):
        if not any(isinstance(t, BatchedTensor) and t._level == level for t in given):
            return over_samples(function, given, depth)
        rows = []
        for i in range(size):
            sample = [t._value[i] if isinstance(t, BatchedTensor) and t._level == level else t for t in given]
            rows.append(over_samples(function, sample, depth))
        stacked = [_functions["stack"](list(column)) for column in zip(*rows, strict=True)]
    from .batched import wrap

    return [wrap(t, level) for t in stacked]
