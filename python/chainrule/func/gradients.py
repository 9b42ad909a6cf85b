"""Derivatives as functions of functions: grad, grad_and_value, vjp, jvp, linearize.

Inside vmap, what is differentiated gets a copy per sample first, so that everything is recorded on physical tensors
and the samples' gradients stay apart.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.forward_ad import check_tangent
from ..autograd.grad_mode import inference_mode
from ..pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten
from .batched import BatchedTensor, at_depth, dematerialize, levels, materialize, physical

__all__ = ["grad", "grad_and_value", "jvp", "linearize", "vjp"]

_functions = _core.functions


class Recording:
    """Inputs made ready for differentiation, what was calculated from them, and the gradients between the two."""

    def __init__(self, inputs: list, outer: bool):
        self.depth = _core.get_vmap_depth()
        self.since = _core.last_node_number()
        self.linked = False  # whether an input itself was calculated from something that is differentiated
        self.physical = [self._start(x, outer) for x in inputs]
        self.inputs = [dematerialize(x, self.depth) for x in self.physical]
        self.outputs: list[Tensor] = []

    def _start(self, x: Any, outer: bool) -> Tensor:
        """The beginning of a graph, which leads further out where somebody differentiates this derivative again."""
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if not (x.is_floating_point() or x.is_complex()):
            raise RuntimeError("only Tensors of floating point dtype can require gradients, or complex ones")
        value = materialize(x, self.depth)
        with at_depth(0):
            if value.is_inference():  # nothing that is recorded may keep it
                value = value.clone()
            linked = outer and value.requires_grad
            self.linked |= linked
            return _core.origin(value, linked)

    def finish(self, outputs: list[Tensor], outer: bool, transform: Transform) -> None:
        self.outputs = [materialize(y, self.depth) for y in outputs]
        recorded = [y for y in self.outputs if y.requires_grad]
        dual = any(_core.tangent(x) is not None for x in self.physical)  # tangents flow under no_grad as well
        self.create_graph = dual or (
            outer and (self.linked or transform.reaches_beyond(recorded, self.physical, self.since))
        )

    def result(self, y: Tensor) -> Tensor:
        """An output as the caller gets it: without the graph, unless it leads further out."""
        return y if self.create_graph else y.detach()

    def gradients(self, cotangents: list[Tensor], retain: bool) -> list[Tensor]:
        """The inputs' gradients, given those of the outputs at the same depth."""
        given = [materialize(g, self.depth) for g in cotangents]
        with at_depth(0), inference_mode(False):
            pairs = [(y, g) for y, g in zip(self.outputs, given, strict=True) if y.requires_grad]
            create = self.create_graph or any(g.requires_grad for _, g in pairs)
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
                found = _core.gradients_by_row(output, given, self.physical, self.create_graph)
            zeros = [_functions["zeros_like"](x) for x in self.physical]
            columns = [[zero if row[i] is None else row[i] for row in found] for i, zero in enumerate(zeros)]
        return [[dematerialize(g, self.depth) for g in column] for column in columns] if self.depth else columns


class Transform:
    """Within it a function runs that is differentiated by these arguments: it may write into them and into what it
    makes, but not into what it captured. See Note [Captured tensors].
    """

    def __init__(self, *arguments: Any):
        self.arguments = [physical(t) for t in tree_flatten(arguments)[0] if isinstance(t, Tensor)]

    def __enter__(self) -> Transform:
        self.around, self.number = _core.begin_transform(self.arguments)
        return self

    def __exit__(self, *error: object) -> None:
        _core.end_transform(self.around)

    def reaches_beyond(self, outputs: list[Tensor], inputs: list[Tensor], since: int) -> bool:
        """Whether the outputs depend on something that is differentiated and was there before."""
        return _core.reaches_beyond(outputs, inputs, since, self.number, self.arguments)


def _pick(args: tuple, argnums: Any) -> tuple[Any, list[int]]:
    """The arguments to differentiate, as one tree, and their numbers."""
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise RuntimeError(f"argnums must be int or tuple of ints, got: {type(argnums)}")
    if argnums == ():
        raise RuntimeError("argnums must be non-empty")
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    for i, n in enumerate(numbers):
        if not isinstance(n, int):
            raise RuntimeError(f"argnums must be a tuple of int, but got {type(n)}")
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
        numbers[i] = n % len(args)
    if len(set(numbers)) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return (args[numbers[0]] if isinstance(argnums, int) else tuple(args[n] for n in numbers)), numbers


def _replaced(args: tuple, argnums: Any, numbers: list[int], picked: Any) -> tuple:
    changed = list(args)
    for n, value in zip(numbers, [picked] if isinstance(argnums, int) else picked, strict=True):
        changed[n] = value
    return tuple(changed)


def _split_aux(output: Any, what: str) -> tuple[Any, Any]:
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{what}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def without_graph(tree: Any, recording: Recording) -> Any:
    """Auxiliary values as the caller gets them."""
    return tree_map(lambda a: recording.result(a) if isinstance(a, Tensor) else a, tree)


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of func's one-number result, and the result: (gradient, value).

    >>> torch.func.grad_and_value(lambda x: x * x)(torch.tensor(3.))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        outer = _core.is_grad_enabled()
        picked, numbers = _pick(args, argnums)
        leaves, spec = tree_flatten(picked)
        with inference_mode(False):
            with Transform(args, kwargs) as transform:
                recording = Recording(leaves, outer)
                inputs = _replaced(args, argnums, numbers, tree_unflatten(recording.inputs, spec))
                output, aux = func(*inputs, **kwargs), None
            if has_aux:
                output, aux = _split_aux(output, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output.ndim != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
                    f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            recording.finish([output], outer, transform)
            found = recording.gradients([_functions["ones_like"](output)], False)
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


def _check_outputs(leaves: list, what: str) -> None:
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"{what}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}"
            )


def _check_differentiable(leaves: list) -> None:
    for leaf in leaves:
        if not (leaf.is_floating_point() or leaf.is_complex()):
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{leaf.dtype}"
            )


def record(func: Callable, primals: tuple, has_aux: bool, what: str) -> tuple[Recording, TreeSpec, list, TreeSpec, Any]:
    """Calls func(*primals) with recording: the recording, the inputs' tree, the outputs and their tree, aux."""
    outer = _core.is_grad_enabled()
    leaves, spec = tree_flatten(primals)
    with inference_mode(False):
        with Transform(leaves) as transform:
            recording = Recording(leaves, outer)
            output, aux = func(*tree_unflatten(recording.inputs, spec)), None
        if has_aux:
            output, aux = _split_aux(output, what)
        outputs, output_spec = tree_flatten(output)
        _check_outputs(outputs, what)
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
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
                "the function. "
                f"cotangents: {given_spec}, primal output: {output_spec}"
            )
        for i, (g, y) in enumerate(zip(given, outputs, strict=True)):
            if not isinstance(g, Tensor):
                raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
            if g.shape != y.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
                    f"{y.shape}."
                )
        found = over_samples(lambda gs: recording.gradients(gs, True), given, recording.depth)
        inputs = tree_unflatten(found, spec)
        return inputs

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


# ---- jvp


def _writable(value: Tensor, depth: int) -> Tensor:
    """The value, copied if samples that share it may be written into."""
    if not (depth and levels.now[depth - 1].apart):
        return value
    with at_depth(0):
        return value.clone(memory_format=_core.contiguous_format)


def jvp(func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """func(*primals), and its derivative in the direction of the tangents.

    >>> torch.func.jvp(torch.sin, (torch.tensor(0.),), (torch.tensor(1.),))
    (tensor(0.), tensor(1.))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    xs, spec = tree_flatten(primals)
    ts, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            "structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} "
            "and tangents with "
            f"structure {tangent_spec}"
        )
    if not xs:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to contain at least one Tensor.")
    for name, values in (("primals", xs), ("tangents", ts)):
        for t in values:
            if not isinstance(t, Tensor):
                raise RuntimeError(f"jvp(f, primals, tangents): Expected {name} to only contain Tensors, got {type(t)}")
    for x, t in zip(xs, ts, strict=True):
        check_tangent(x, t)
    from ..autograd import forward_ad

    if not forward_ad._claim_level():  # there is one level of forward mode; others come from two passes backward
        output, jvp_fn, *aux = linearize_with_aux(func, *primals, has_aux=has_aux)
        return (output, jvp_fn(*tangents), *aux)
    try:
        return _jvp_by_duals(func, xs, ts, spec, strict, has_aux)
    finally:
        forward_ad.exit_dual_level()


def _jvp_by_duals(func: Callable, xs: list, ts: list, spec: TreeSpec, strict: bool, has_aux: bool) -> tuple:
    from ..autograd.forward_ad import make_dual

    depth, since, outer = _core.get_vmap_depth(), _core.last_node_number(), _core.is_grad_enabled()
    values = [_writable(materialize(x, depth), depth) for x in xs]
    directions = [materialize(t, depth) for t in ts]
    with at_depth(0):
        duals = [make_dual(x, t) for x, t in zip(values, directions, strict=True)]
    with Transform(values) as transform:
        output, aux = func(*tree_unflatten([dematerialize(x, depth) for x in duals], spec)), None
    if has_aux:
        output, aux = _split_aux(output, "jvp(f, primals, tangents)")
    outputs, output_spec = tree_flatten(output)
    _check_outputs(outputs, "jvp(f, primals, tangents)")
    found = []
    for y in outputs:
        value = materialize(y, depth)
        tangent = _core.tangent(value)
        if tangent is None and strict:
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs.")
        with at_depth(0):
            found.append(dematerialize(_functions["zeros_like"](value) if tangent is None else tangent, depth))
    physical = [materialize(t, depth) for t in (*outputs, *found)]
    if not (outer and transform.reaches_beyond([t for t in physical if t.requires_grad], [], since)):
        outputs, found = [y.detach() for y in outputs], [t.detach() for t in found]
    result = tree_unflatten(outputs, output_spec), tree_unflatten(found, output_spec)
    return (*result, aux) if has_aux else result


def linearize(func: Callable, *primals: Any) -> tuple[Any, Callable]:
    """func(*primals), and its derivative there as a function of tangents; func is called once.

    >>> y, derivative = torch.func.linearize(lambda x: x * x, torch.tensor(3.))
    >>> derivative(torch.tensor(1.))
    tensor(6.)
    """
    output, jvp_fn = linearize_with_aux(func, *primals)
    return output, jvp_fn


def linearize_with_aux(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """The vector-Jacobian product is linear in the vector; differentiating it by the vector transposes it back."""
    recording, spec, outputs, output_spec, aux = record(func, primals, has_aux, "linearize(f, *primals)")
    with at_depth(0), inference_mode(False):
        probes = [_core.origin(_functions["zeros_like"](y)) for y in recording.outputs]
    recording_rows = recording.gradients([dematerialize(p, recording.depth) for p in probes], True)
    rows = [materialize(r, recording.depth) for r in recording_rows]

    def transpose(tangents: list) -> list:
        given = [materialize(t, recording.depth) for t in tangents]
        with at_depth(0), inference_mode(False):
            create = recording.create_graph or any(t.requires_grad for t in given)
            pairs = [(row, t.to(row.dtype)) for row, t in zip(rows, given, strict=True) if row.requires_grad]
            found: tuple = (None,) * len(probes)
            if pairs:
                ys, ts = zip(*pairs, strict=True)
                found = _core.gradients_of(ys, ts, probes, True, create)
            filled = [_functions["zeros_like"](p) if t is None else t for t, p in zip(found, probes, strict=True)]
            filled = filled if create else [t.detach() for t in filled]
        return [dematerialize(t, recording.depth) for t in filled]

    def jvp_fn(*tangents: Any) -> Any:
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}")
        for i, (x, t) in enumerate(zip(recording.inputs, given, strict=True)):
            for what in ("shape", "dtype"):
                if getattr(x, what) != getattr(t, what):
                    raise RuntimeError(
                        f"tangent:{i} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} "
                        f"{getattr(x, what)} of the corresponding primal."
                    )
        return tree_unflatten(over_samples(transpose, given, recording.depth), output_spec)

    results = tree_unflatten([recording.result(y) for y in outputs], output_spec)
    return (results, jvp_fn, without_graph(aux, recording)) if has_aux else (results, jvp_fn)
