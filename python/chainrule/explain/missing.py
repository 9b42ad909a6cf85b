"""Why is it None, why zero: one cause out of a closed list, with the line."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..error_words import at_call
from .causes import Cause
from .edges import reaches
from .inquiry import Inquiry
from .names import Names
from .registration import unregistered
from .rich import Shown

__all__ = ["Cause", "Missing", "explain_none", "missing"]


def explain_none(tensor: Tensor, loss: Tensor | None = None) -> Cause:
    """Why `tensor` has no gradient, or one of zeros. With the loss the answer is surer.

    >>> import chainrule as torch
    >>> torch.explain_none(torch.ones(2, requires_grad=True)).text
    'nothing that has a graph was calculated from it'
    """
    if not isinstance(tensor, Tensor):
        raise at_call(TypeError, f"explain_none(): expected a tensor, got {type(tensor).__name__}")
    return Inquiry(Names(about=[t for t in (tensor, loss) if t is not None])).cause(tensor, loss)


def why_cut(tensor: Tensor) -> Cause:
    """Why a tensor has no graph."""
    return Inquiry(Names(about=[tensor])).of_a_constant(tensor)


class Missing(Shown, list[Cause]):
    """What missing() found, one cause per parameter; empty: every parameter has a gradient."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Every parameter has a gradient."

    __repr__ = __str__


def missing(model: Any, loss: Tensor | None = None) -> Missing:
    """The causes for all parameters of a model that have no gradient (or would get none from this loss)."""
    names = Names(about=[model, *([] if loss is None else [loss])])
    inquiry = Inquiry(names)
    runs = loss is not None and loss.requires_grad and not inquiry.flow_of(loss)[0].released
    found = Missing()
    for path, parameter in model.named_parameters():
        if loss is not None and runs and parameter.grad is None and reaches(loss, parameter):
            cause = inquiry.saturation(parameter, loss)
        else:
            cause = inquiry.cause(parameter, loss)
        if cause is not None and cause.kind != "there":
            known = names.of(parameter)
            found.append(cause if known else Cause(cause.kind, path, cause.text, cause.line))
    return Missing([*found, *unregistered(model, names)])
