"""PyTorch's own samples for sparse tensors, on both libraries: what differs.

    python tools/sparse_samples.py            # a line for each kind of difference, and counts
    python tools/sparse_samples.py float64    # in one dtype

Where PyTorch raises, chainrule may calculate: PyTorch refuses many layouts that are no harder than others.
"""

from __future__ import annotations

import collections
import sys
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

import chainrule

LAYOUTS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
DTYPES = ("float64", "float32", "complex128", "int64", "bool", "bfloat16")
LARGEST = 10_000  # elements
RANDOM = ("randn_like", "rand_like", "empty_like")


def translated(x: Any) -> Any:
    """PyTorch's tensors and constants as chainrule's."""
    if isinstance(x, torch.Tensor):
        return tensor_of(x)
    if isinstance(x, (torch.dtype, torch.layout, torch.memory_format)):
        return getattr(chainrule, str(x).rpartition(".")[2])
    if isinstance(x, torch.device):
        return chainrule.device(str(x))
    if isinstance(x, dict):
        return {key: translated(value) for key, value in x.items()}
    if type(x) in (list, tuple):
        return type(x)(translated(value) for value in x)
    return x


def tensor_of(x: torch.Tensor) -> Any:
    detached = x.detach()
    if x.layout is torch.strided:
        flat = detached.contiguous()
        made = chainrule.tensor(flat.tolist(), dtype=translated(x.dtype)).reshape(tuple(x.shape))
    elif x.layout is torch.sparse_coo:
        indices, values = tensor_of(detached._indices()), tensor_of(detached._values())
        sure = detached.is_coalesced()
        made = chainrule.sparse_coo_tensor(indices, values, tuple(x.shape), is_coalesced=sure)
    else:
        by_row = x.layout in (torch.sparse_csr, torch.sparse_bsr)
        names = ("crow_indices", "col_indices") if by_row else ("ccol_indices", "row_indices")
        starts, plain = (tensor_of(getattr(detached, name)()) for name in names)
        values, options = tensor_of(detached.values()), {"layout": translated(x.layout)}
        made = chainrule.sparse_compressed_tensor(starts, plain, values, tuple(x.shape), **options)
    return made.requires_grad_(x.requires_grad)


def described(x: Any, library: Any) -> Any:
    """A result without its library: layout, dtype and elements."""
    if isinstance(x, library.Tensor):
        detached = x.detach()
        dense = detached.to_dense() if detached.layout is not library.strided else detached
        elements = dense.to(library.complex128 if dense.is_complex() else library.float64).reshape(-1).tolist()
        return str(x.layout), str(x.dtype), tuple(x.shape), elements
    if isinstance(x, (list, tuple)):
        return [described(value, library) for value in x]
    return x


def close(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, (float, complex)) and isinstance(b, (float, complex)):
        return a == b or (a != a and b != b) or abs(a - b) <= tolerance * max(1.0, abs(b))
    return a == b


def outcome(library: Any, function: Any, arguments: tuple, options: dict, gradients: bool) -> Any:
    """The result, and the gradients of its sum where they are asked for; or the class of what was raised."""
    for given in (*arguments, *options.values()):  # samples share inputs
        if isinstance(given, library.Tensor) and given.is_leaf:
            given.grad = None
    try:
        result = function(*arguments, **options)
        found = [described(result, library)]
    except Exception as error:
        return type(error).__name__, str(error)
    if gradients and isinstance(result, library.Tensor) and result.requires_grad:
        try:
            dense = result if result.layout is library.strided else result.to_dense()
            (dense.abs() if dense.is_complex() else dense).sum().backward()
            inputs = [a for a in (*arguments, *options.values()) if isinstance(a, library.Tensor)]
            found.append([None if a.grad is None else described(a.grad, library) for a in inputs])
        except Exception as error:
            found.append(type(error).__name__)
    return found


def samples_of(op: Any, layout: Any, dtype: Any, gradients: bool) -> Iterator[Any]:
    try:
        yield from op.sample_inputs_sparse(layout, "cpu", dtype, requires_grad=gradients)
    except (NotImplementedError, unittest.SkipTest):
        return


def function_of(op: Any) -> Any:
    value = chainrule
    for name in op.name.split("."):
        value = getattr(value, name, None) or getattr(chainrule.Tensor, name)
    return value


def agrees(mine: Any, theirs: Any, tolerance: float) -> bool:
    """PyTorch may refuse what chainrule calculates, its gradient too."""
    if isinstance(theirs, tuple):
        return True if isinstance(mine, list) else mine[0] == theirs[0] or theirs[0] == "RuntimeError"
    if isinstance(mine, tuple) or not close(mine[0], theirs[0], tolerance):
        return False
    return len(theirs) < 2 or isinstance(theirs[1], str) or (len(mine) == 2 and close(mine[1], theirs[1], tolerance))


def compare(op: Any, layout: str, dtype: str, tally: collections.Counter) -> Iterator[str]:
    gradients = dtype in ("float64", "complex128") and getattr(torch, dtype) in op.backward_dtypes
    tolerance = {"float64": 1e-9, "complex128": 1e-9, "float32": 1e-5}.get(dtype, 2e-2)
    for sample in samples_of(op, getattr(torch, layout), getattr(torch, dtype), gradients):
        arguments = (sample.input, *sample.args)
        if sample.input.numel() > LARGEST:
            tally["too large"] += 1
            continue
        mine = translated(arguments), translated(sample.kwargs)
        theirs = outcome(torch, op.op, arguments, sample.kwargs, gradients)
        found = outcome(chainrule, function_of(op), *mine, gradients)
        tally["samples"] += 1
        tally["PyTorch refuses"] += isinstance(theirs, tuple)
        if op.name in RANDOM or agrees(found, theirs, tolerance):
            continue
        tally["differ"] += 1
        yield f"{op.full_name} {layout} {dtype}: {str(found)[:300]} | PyTorch: {str(theirs)[:300]}"


def is_left_out(op: Any) -> bool:
    """Reductions of torch.masked take dense tensors only."""
    return op.full_name.startswith("masked.")


def main() -> int:
    warnings.simplefilter("ignore")
    tally: collections.Counter = collections.Counter()
    for op in op_db:
        for layout in LAYOUTS:
            if not op.supports_sparse_layout(getattr(torch, layout)) or is_left_out(op):
                continue
            for dtype in sys.argv[1:] or DTYPES:
                if op.supports_dtype(getattr(torch, dtype), "cpu"):
                    lines = list(compare(op, layout, dtype, tally))
                    for line in lines[:1]:
                        print(f"{len(lines)} x {line}")
    print(dict(tally))
    return int(tally["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
