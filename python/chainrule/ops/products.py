"""Products of tensors over chosen dimensions."""

from __future__ import annotations

from math import prod

from .._core import Tensor


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Each element of `input` times the whole of `other`, laid out as blocks."""
    n = max(input.ndim, other.ndim)
    a, b = ([1] * (n - x.ndim) + list(x.shape) for x in (input, other))
    spread = input.reshape([size for pair in zip(a, [1] * n, strict=True) for size in pair])
    blocks = spread * other.reshape([size for pair in zip([1] * n, b, strict=True) for size in pair])
    return blocks.reshape([p * q for p, q in zip(a, b, strict=True)])


def tensordot(a: Tensor, b: Tensor, dims: int | tuple | list | Tensor) -> Tensor:
    """The sum of products over the last dimensions of `a` and the first of `b`, or over two lists of dimensions."""
    over_a, over_b = _contracted(a, b, dims)
    for i, j in zip(over_a, over_b, strict=True):
        if a.shape[i] != b.shape[j] and 1 not in (a.shape[i], b.shape[j]):
            raise RuntimeError(
                "contracted dimensions need to match, but first has size "
                f"{a.shape[i]} in dim {i} and second has size {b.shape[j]} in dim {j}"
            )
        # A dimension of size one is broadcast, and so summed before the product.
        if a.shape[i] != b.shape[j]:
            a, b = (a.sum(i, keepdim=True), b) if b.shape[j] == 1 else (a, b.sum(j, keepdim=True))
    kept_a = [i for i in range(a.ndim) if i not in over_a]
    kept_b = [i for i in range(b.ndim) if i not in over_b]
    shape = [a.shape[i] for i in kept_a] + [b.shape[i] for i in kept_b]
    size = prod(a.shape[i] for i in over_a)
    left = a.permute(kept_a + over_a).reshape(prod(a.shape[i] for i in kept_a), size)
    right = b.permute(over_b + kept_b).reshape(size, prod(b.shape[i] for i in kept_b))
    return left.mm(right).reshape(shape)


def _contracted(a: Tensor, b: Tensor, dims: int | tuple | list | Tensor) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        dims = int(dims.item()) if dims.numel() == 1 else dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(a.ndim - dims, a.ndim)), list(range(dims))
    over_a, over_b = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(over_a) != len(over_b):
        raise RuntimeError("both dimension lists should have same length")
    return [d % a.ndim for d in over_a], [d % b.ndim for d in over_b]
