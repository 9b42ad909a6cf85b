"""Derivatives in one direction as functions of functions: jvp, linearize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.forward_ad import check_tangent
from ..autograd.grad_mode import inference_mode
from ..error_words import at_call
from ..pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten
from .batched import at_depth, dematerialize, levels, materialize
from .gradients import Transform, check_outputs, over_samples, record, split_aux, without_graph

__all__ = ["jvp", "linearize"]

_functions = _core.functions


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
        raise at_call(
            RuntimeError,
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).",
        )
    xs, spec = tree_flatten(primals)
    ts, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise at_call(
            RuntimeError,
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            "structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} "
            "and tangents with "
            f"structure {tangent_spec}",
        )
    if not xs:
        raise at_call(RuntimeError, "jvp(f, primals, tangents): Expected primals to contain at least one Tensor.")
    for name, values in (("primals", xs), ("tangents", ts)):
        for t in values:
            if not isinstance(t, Tensor):
                raise at_call(
                    RuntimeError, f"jvp(f, primals, tangents): Expected {name} to only contain Tensors, got {type(t)}"
                )
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
    with Transform(values, directions, saves=False) as transform:
        output, aux = func(*tree_unflatten([dematerialize(x, depth) for x in duals], spec)), None
    if has_aux:
        output, aux = split_aux(output, "jvp(f, primals, tangents)")
    outputs, output_spec = tree_flatten(output)
    check_outputs(outputs, "jvp(f, primals, tangents)")
    found = []
    for y in outputs:
        value = materialize(y, depth)
        tangent = _core.tangent(value)
        if tangent is None and strict:
            raise at_call(
                RuntimeError,
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                "allowed with strict=True.",
            )
        with at_depth(0):
            found.append(dematerialize(_functions["zeros_like"](value) if tangent is None else tangent, depth))
    physical = [materialize(t, depth) for t in (*outputs, *found)]
    if not (outer and transform.reaches_beyond([t for t in physical if t.requires_grad], [], since)):
        outputs, found = [y.detach() for y in outputs], [t.detach() for t in found]
        aux = tree_map(lambda a: a.detach(), aux) if has_aux else None
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
    recording_rows = recording.gradients([dematerialize(p, recording.depth) for p in probes], True, True)
    rows = [materialize(r, recording.depth) for r in recording_rows]

    def transpose(tangents: list) -> list:
        given = [materialize(t, recording.depth) for t in tangents]
        with at_depth(0), inference_mode(False):
            create = recording.attached or any(t.requires_grad for t in given)
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
            raise at_call(
                RuntimeError, f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}"
            )
        for i, (x, t) in enumerate(zip(recording.inputs, given, strict=True)):
            for what in ("shape", "dtype"):
                if getattr(x, what) != getattr(t, what):
                    raise at_call(
                        RuntimeError,
                        f"tangent:{i} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} "
                        f"{getattr(x, what)} of the corresponding primal.",
                    )
        return tree_unflatten(over_samples(transpose, given, recording.depth), output_spec)

    results = tree_unflatten([recording.result(y) for y in outputs], output_spec)
    return (results, jvp_fn, without_graph(aux, recording)) if has_aux else (results, jvp_fn)
