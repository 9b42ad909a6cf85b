"""What is done with a call's result: a wrong one may end the interpreter only when it is read or differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MOST = 100_000  # elements that are looked at


def read(torch: Any, call: Callable[[], Any], v: Any) -> Any:
    result = call()
    _read(torch, result, 0)
    return result


def _read(torch: Any, value: Any, depth: int) -> None:
    if isinstance(value, torch.Tensor):
        if value.numel() < _MOST and not value.is_meta:
            value.tolist() if value.numel() < 200 else value.sum()
    elif isinstance(value, list | tuple) and depth < 3:
        for item in value[:10]:
            _read(torch, item, depth + 1)


def _tensors(torch: Any, value: Any) -> list:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value[:10] for t in _tensors(torch, item)] if type(value) in (list, tuple) else []


def _loss(torch: Any, result: Any) -> Any:
    found = [t for t in _tensors(torch, result) if t.requires_grad and t.numel() < _MOST]
    return sum((t * t).real.sum() if t.is_complex() else (t * t).sum() for t in found) if found else None


def backward(torch: Any, call: Callable[[], Any], v: Any) -> None:
    loss = _loss(torch, call())
    if loss is not None:
        loss.backward()


def backward_twice(torch: Any, call: Callable[[], Any], v: Any) -> None:
    loss = _loss(torch, call())
    if loss is not None:
        loss.backward(retain_graph=True)
        loss.backward()


def second_order(torch: Any, call: Callable[[], Any], v: Any) -> None:
    leaf = v.a.detach().clone().requires_grad_()
    v.a = leaf.clone()
    loss = _loss(torch, call())
    if loss is not None:
        (g,) = torch.autograd.grad(loss, leaf, create_graph=True, allow_unused=True)
        if g is not None and g.requires_grad:
            g.sum().backward()
        else:
            loss.backward()


def write_and_backward(torch: Any, call: Callable[[], Any], v: Any) -> None:
    result = call()
    for t in _tensors(torch, result):
        t.mul_(2)
    loss = _loss(torch, result)
    if loss is not None:
        loss.backward()


def overwritten_before_backward(torch: Any, call: Callable[[], Any], v: Any) -> None:
    """What the gradient needs is changed behind its back, as .data and NumPy can."""
    result = call()
    for t in (v.a, v.b):
        t.data.fill_(-7)
        t.data.resize_(1)
    loss = _loss(torch, result)
    if loss is not None:
        loss.backward()


def _with_hook(torch: Any, call: Callable[[], Any], v: Any, hook: Callable[[Any], Any]) -> None:
    v.a = v.a.clone() if v.a.requires_grad else v.a
    result = call()
    for t in (v.a, *_tensors(torch, result)):
        if t.requires_grad:
            t.register_hook(hook)
    loss = _loss(torch, result)
    if loss is not None:
        loss.backward()


def hook_resizes(torch: Any, call: Callable[[], Any], v: Any) -> None:
    def hook(g: Any) -> None:
        g.resize_(0)

    _with_hook(torch, call, v, hook)


def hook_writes(torch: Any, call: Callable[[], Any], v: Any) -> None:
    def hook(g: Any) -> None:
        g.data = g.new_ones(1)
        g.t_() if g.dim() == 2 else g.unsqueeze_(0)

    _with_hook(torch, call, v, hook)


def hook_answers(torch: Any, call: Callable[[], Any], v: Any) -> None:
    _with_hook(torch, call, v, lambda g: torch.ones(3, dtype=torch.int64))


def forward_mode(torch: Any, call: Callable[[], Any], v: Any) -> None:
    a = v.a

    def function(x: Any) -> Any:
        v.a = x
        result = call()
        return _tensors(torch, result)[:1] or x

    torch.func.jvp(function, (a.detach(),), (torch.ones_like(a),))


def batched(torch: Any, call: Callable[[], Any], v: Any) -> None:
    a = v.a

    def function(x: Any) -> Any:
        v.a = x
        return _tensors(torch, call())[:1] or x

    torch.func.vmap(function, randomness="different")(a)


def without_grad(torch: Any, call: Callable[[], Any], v: Any) -> None:
    with torch.no_grad():
        read(torch, call, v)


def inference(torch: Any, call: Callable[[], Any], v: Any) -> None:
    with torch.inference_mode():
        read(torch, call, v)


def printed(torch: Any, call: Callable[[], Any], v: Any) -> None:
    str(call())


def methods(torch: Any, call: Callable[[], Any], v: Any) -> None:
    """An object is asked everything that needs no argument, and called with a tensor."""
    result = call()
    if isinstance(result, torch.nn.Module):
        backward(torch, lambda: result(v.a), v)
        backward(torch, lambda: result(v.a, v.b), v)
        return
    if type(result).__module__.startswith(("chainrule", "torch")) and not isinstance(result, torch.Tensor):
        for name in dir(type(result)):
            if not name.startswith("_") and name not in ("share_memory_", "share_memory", "wait", "synchronize"):
                _asked(torch, getattr(result, name, None), v)


def _asked(torch: Any, method: Any, v: Any) -> None:
    for args in ((), (v.a,)):
        try:
            _read(torch, method(*args), 0)
        except Exception:
            continue
