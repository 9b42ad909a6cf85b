"""An error inside of a module: which module it was, what it was given, and what would fit."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from .._core import Tensor
from .culprit import misfit
from .frames import is_own_file, user_frames, variables
from .names import is_module
from .running import place_of

__all__ = ["in_module"]

_LONGEST = 110


def in_module(error: Exception, module: Any, args: tuple, kwargs: dict[str, Any]) -> str:
    """The error's text with the module's path, its arguments and the likely change; its own text if it is not ours."""
    text = error.args[0]
    if not isinstance(text, str) or not _is_ours(error, text):
        return text
    path = _path(module)
    given = _given(args, kwargs)
    words = [f"  In {path} ({_description(module)}){f', called with {given}' if given else ''}."]
    fix = _likely_fix(module, args, path)
    lines = text.split("\n")
    if fix:
        words.append(f"  What to do: {fix}.")
        lines = [line for line in lines if not line.startswith("  What to do:")]
    at = len(lines) - 1 if lines[-1].startswith("  at ") else len(lines)
    told = "\n".join([*lines[:at], *words, *lines[at:]])
    place = place_of(error.__traceback__)
    return told if place is None or _has_no_children(module) else misfit(told, place)


def _is_ours(error: Exception, text: str) -> bool:
    """Whether the core or a function of chainrule raised it, not the user's own forward() or the rules of hooks."""
    if "\n  at " in text:
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename if trace else ""
    return is_own_file(file) and os.path.basename(file) not in ("module.py", "hooks.py")


def _has_no_children(module: Any) -> bool:
    return not module._modules


def _path(module: Any) -> str:
    """`net.layer1.0`, from the outermost function that has a module with this one in it."""
    for frame in reversed(list(user_frames())):
        for name, value in [*variables(frame).items(), *frame.f_globals.items()]:
            if name == "self" or not is_module(value):
                continue
            for path, part in value.named_modules(prefix=name):
                if part is module:
                    return path
    return f"a {type(module).__name__}"


def _description(module: Any) -> str:
    text = repr(module) if _has_no_children(module) else type(module).__name__
    return text if "\n" not in text and len(text) <= _LONGEST else type(module).__name__


def _given(args: tuple, kwargs: dict[str, Any]) -> str:
    shown = [_argument(a) for a in args] + [f"{name}={_argument(a)}" for name, a in kwargs.items()]
    return ", ".join(shown[:6])


def _argument(a: Any) -> str:
    if isinstance(a, Tensor):
        return f"{list(a.shape)} {str(a.dtype).rpartition('.')[2]}"
    text = repr(a)
    return text if len(text) <= 30 else type(a).__name__


# ---- what would fit, by the kind of module


def _likely_fix(module: Any, args: tuple, path: str) -> str | None:
    x = args[0] if args and isinstance(args[0], Tensor) else None
    if x is None:
        return None
    weight = next(iter(module._parameters.values()), None) if _has_no_children(module) else None
    if isinstance(weight, Tensor) and weight.is_floating_point() and weight.dtype != x.dtype:
        wanted, given = (str(t.dtype).rpartition(".")[2] for t in (weight, x))
        if x.is_floating_point():
            return f"convert the input, x.to(torch.{wanted}), or the module, {path}.to(torch.{given})"
        if not hasattr(module, "num_embeddings"):
            return f"convert the input, which is {given}: x.to(torch.{wanted}); pixels are often divided by 255 as well"
    for kind, fix in _FIXES.items():
        if any(cls.__name__ == kind for cls in type(module).__mro__):
            return fix(module, x)
    return None


def _linear(module: Any, x: Tensor) -> str | None:
    wanted, shape = module.in_features, list(x.shape)
    out = module.out_features
    if not shape or shape[-1] == wanted:
        return None
    for first in range(len(shape) - 1):
        if math.prod(shape[first:]) == wanted:
            return f"flatten the input, x.flatten({first}), which gives {[*shape[:first], wanted]}"
    if wanted in shape:
        d = shape.index(wanted)
        return f"dimension {d} of the input has the {wanted} features; bring it to the end: x.transpose({d}, -1)"
    if len(shape) > 2:
        size = math.prod(shape[1:])
        return (
            f"if all of a sample are its features, x.flatten(1) and nn.Linear({size}, {out}); if only the last "
            f"dimension is, nn.Linear({shape[-1]}, {out})"
        )
    return f"nn.Linear({shape[-1]}, {out}) fits this input; or the layer before it must give {wanted} features"


def _convolution(module: Any, x: Tensor) -> str | None:
    wanted, n = module.in_channels, len(module.kernel_size)
    shape = list(x.shape)
    if len(shape) == n + 2 and shape[-1] == wanted != shape[1]:
        order = [0, n + 1, *range(1, n + 1)]
        return f"channels come second here, not last: x.permute({', '.join(map(str, order))})"
    if len(shape) == n + 1 and wanted == 1:
        return f"give the input a dimension for its one channel: x.unsqueeze(1) makes {[shape[0], 1, *shape[1:]]} of it"
    if len(shape) in (n + 1, n + 2) and shape[-n - 1] != wanted:
        return f"in_channels={shape[-n - 1]} fits this input; or the layer before it must give {wanted} channels"
    if len(shape) not in (n + 1, n + 2):
        return f"the input needs {n + 2} dimensions: batch, channels and {n} of space"
    return None


_BATCH_NORMS = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"}


def _batch_norm(module: Any, x: Tensor) -> str | None:
    dimensions = next((int(c.__name__[-2]) for c in type(module).__mro__ if c.__name__ in _BATCH_NORMS), 0)
    if x.ndim == dimensions + 1 and dimensions > 1:
        return f"a dimension is missing, most likely that of the batch: x.unsqueeze(0) makes {[1, *x.shape]} of it"
    channels = x.shape[1] if x.ndim > 1 else None
    if channels is None or channels == module.num_features:
        return None
    return f"num_features={channels} fits this input: it counts dimension 1"


def _layer_norm(module: Any, x: Tensor) -> str | None:
    n = len(module.normalized_shape)
    last = list(x.shape[-n:])
    return None if last == list(module.normalized_shape) else f"normalized_shape={last} fits this input"


def _embedding(module: Any, x: Tensor) -> str | None:
    if x.is_floating_point():
        return "indices are integers: x.long()"
    low, high = int(x.min().item()), int(x.max().item())
    if low >= 0 and high < module.num_embeddings:
        return None
    return (
        f"the indices go from {low} to {high}, and this table has rows 0 to {module.num_embeddings - 1}: "
        f"num_embeddings={high + 1}, or smaller indices"
    )


def _recurrent(module: Any, x: Tensor) -> str | None:
    if x.ndim and x.shape[-1] != module.input_size:
        return f"input_size={x.shape[-1]} fits this input: it counts the last dimension"
    if x.ndim == 3 and hasattr(module, "num_layers"):
        layers = module.num_layers * (2 if module.bidirectional else 1)
        batch = x.shape[0] if module.batch_first else x.shape[1]
        order = "batch, time, features" if module.batch_first else "time, batch, features"
        return f"the input is ({order}) here, so that a state is (layers, batch, features): ({layers}, {batch}, ...)"
    return None


_FIXES: dict[str, Callable[[Any, Tensor], str | None]] = {
    "Linear": _linear,
    "_ConvNd": _convolution,
    "_BatchNorm": _batch_norm,
    "LayerNorm": _layer_norm,
    "Embedding": _embedding,
    "RNNBase": _recurrent,
    "RNNCellBase": _recurrent,
}
