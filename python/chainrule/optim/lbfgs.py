"""L-BFGS: Newton's method with the Hessian estimated from the last gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import enable_grad, no_grad
from ..error_words import at_call
from .line_search import Point, strong_wolfe
from .optimizer import Optimizer, ParamsT
from .update_rule import as_scalar, check_options

__all__ = ["LBFGS"]

_cat = _core.functions["cat"]
_view_as_real = _core.functions["view_as_real"]
# What a step takes up where the last one left it.
_MEMORY = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Newton's method with an estimate of the Hessian; each step evaluates the loss several times, by a closure.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        max_iter, max_eval: at most so many iterations and calls of the closure in a step.
        tolerance_grad: ends a step where all gradients are smaller.
        tolerance_change: ends a step where loss or parameters change less.
        history_size: how many updates are remembered.
        line_search_fn: None, or "strong_wolfe".

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([x])
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (x * x).sum()
    ...     loss.backward()
    ...     return loss
    >>> first = optimizer.step(closure)
    >>> x
    tensor([0.], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_options(lr=lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise at_call(ValueError, "LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Tensor]:
        return self.param_groups[0]["params"]

    def _gather_flat_grad(self) -> Tensor:
        """All gradients as one vector; real and imaginary parts follow each other."""
        parts = []
        for p in self._params:
            part = p.new_zeros(p.numel()) if p.grad is None else p.grad.to_dense().reshape(-1)
            parts.append(_view_as_real(part).reshape(-1) if part.is_complex() else part)
        return _cat(parts, 0)

    def _add_direction(self, t: Any, direction: Tensor) -> None:
        begin = 0
        for p in self._params:
            real = _view_as_real(p) if p.is_complex() else p
            end = begin + real.numel()
            real.add_(direction[begin:end].view(real.shape), alpha=t)
            begin = end

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Up to `max_iter` iterations. `closure` calculates the loss and its gradients; the first loss is returned."""
        if len(self.param_groups) != 1:
            raise at_call(AssertionError, f"Expected exactly one param_group, but got {len(self.param_groups)}")
        closure = enable_grad()(closure)
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        state["func_evals"] += 1
        gradient = self._gather_flat_grad()
        if not gradient.abs().max() <= group["tolerance_grad"]:
            self._iterate(closure, group, state, float(first_loss), gradient)
        return first_loss

    def _iterate(
        self, closure: Callable[[], Any], group: dict[str, Any], state: dict[str, Any], loss: float, gradient: Tensor
    ) -> None:
        memory: dict[str, Any] = {name: state.get(name) for name in _MEMORY}
        lr, least_change = as_scalar(group["lr"]), group["tolerance_change"]
        evaluations = 1
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self._find_direction(gradient, group["history_size"], state, memory)
            direction = memory["d"]
            if memory["prev_flat_grad"] is None:
                memory["prev_flat_grad"] = gradient.clone()
            else:
                memory["prev_flat_grad"].copy_(gradient)
            before = memory["prev_loss"] = loss
            memory["t"] = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -least_change:
                break
            last = iteration == group["max_iter"]
            here = Point(memory["t"], loss, gradient, slope)
            left = group["max_eval"] - evaluations
            here, calls = self._move(closure, direction, here, group["line_search_fn"], left, last)
            memory["t"], loss, gradient = here.t, here.f, here.g
            evaluations += calls
            state["func_evals"] += calls
            if last or evaluations >= group["max_eval"] or gradient.abs().max() <= group["tolerance_grad"]:
                break
            if direction.mul(here.t).abs().max() <= least_change or abs(loss - before) < least_change:
                break
        state.update(memory)

    @staticmethod
    def _find_direction(gradient: Tensor, history: int, state: dict[str, Any], memory: dict[str, Any]) -> None:
        """Sets the direction of the next move: minus the gradient, through the estimated inverse of the Hessian."""
        if state["n_iter"] == 1:
            memory.update(d=gradient.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        changes, moves, ro = memory["old_dirs"], memory["old_stps"], memory["ro"]
        change = gradient.sub(memory["prev_flat_grad"])
        move = memory["d"].mul(memory["t"])
        product = change.dot(move)
        if product > 1e-10:
            if len(changes) == history:
                for each in (changes, moves, ro):
                    each.pop(0)
            changes.append(change)
            moves.append(move)
            ro.append(1.0 / product)
            memory["H_diag"] = product / change.dot(change)
        al = state.setdefault("al", [None] * history)
        q = gradient.neg()
        for i in reversed(range(len(changes))):
            al[i] = moves[i].dot(q) * ro[i]
            q.add_(changes[i], alpha=-al[i])
        memory["d"] = r = q.mul(memory["H_diag"])
        for i in range(len(changes)):
            r.add_(moves[i], alpha=al[i] - changes[i].dot(r) * ro[i])

    def _move(
        self, closure: Callable[[], Any], direction: Tensor, start: Point, search: str | None, left: int, last: bool
    ) -> tuple[Point, int]:
        """Moves the parameters along the direction; the point there, and how often the loss was evaluated."""
        if search is None:
            self._add_direction(start.t, direction)
            if last:  # nobody will ask for the loss there
                return start, 0
            return Point(start.t, float(closure()), self._gather_flat_grad(), None), 1
        if search != "strong_wolfe":
            raise at_call(RuntimeError, "only 'strong_wolfe' is supported")
        origin = [p.clone() for p in self._params]

        def evaluate(t: Any) -> tuple[float, Tensor]:
            self._add_direction(t, direction)
            loss = float(closure())
            for p, value in zip(self._params, origin, strict=True):
                p.copy_(value)
            return loss, self._gather_flat_grad()

        begin = Point(0, start.f, start.g.clone(), start.slope)
        found, calls = strong_wolfe(evaluate, start.t, direction, begin, max_steps=left)
        self._add_direction(found.t, direction)
        return found, calls
