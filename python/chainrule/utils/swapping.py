"""swap_tensors: two tensors change places, and whoever holds one of them sees the other's content."""

from __future__ import annotations

import copyreg
import weakref

from .._core import Tensor


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Swaps data, gradients, classes and attributes of two leaves. Their identities stay.

    >>> x, y = torch.ones(2), torch.arange(3)
    >>> torch.utils.swap_tensors(x, y)
    >>> x
    tensor([0, 1, 2])
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
        if not tensor.is_leaf:
            raise RuntimeError(
                f"Cannot swap {name} because {tensor.grad_fn} made it; detach() it first: chainrule swaps leaves only"
            )
    slots = [set(copyreg._slotnames(type(t))) for t in (t1, t2)]  # type: ignore[attr-defined]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    ((data1, grad1, needs1), (data2, grad2, needs2)) = ((t.data, t.grad, t.requires_grad) for t in (t1, t2))
    for tensor in (t1, t2):
        tensor.grad = None
        tensor.requires_grad_(False)
    for name in ("__class__", "__dict__", *slots[0]):
        first, second = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, second)
        setattr(t2, name, first)
    for tensor, data, grad, needs in ((t1, data2, grad2, needs2), (t2, data1, grad1, needs1)):
        tensor.data = data
        tensor.requires_grad_(needs)
        tensor.grad = grad
