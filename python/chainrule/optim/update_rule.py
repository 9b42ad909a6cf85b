"""Optimisers that treat each parameter by itself: their common step, their options, and when the core's step fits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .optimizer import Optimizer

_tensor = _core.functions["tensor"]
_zeros = _core.functions["zeros"]
_view_as_real = _core.functions["view_as_real"]
zeros_like = _core.functions["zeros_like"]
count = _core.functions["_count_steps_"]  # one step more, in each of a list

_CAPTURABLE_DEVICES = ["cuda", "xpu", "hpu", "privateuseone", "xla"]
_FUSED_DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]
_OPTION_NAMES = {"lr": "learning rate", "eps": "epsilon value"}


class UpdateRule(Optimizer):
    """An optimiser whose step goes over the groups and calls `_update` with the parameters that have a gradient."""

    # Options that groups in old checkpoints may lack, and entries of the state that were numbers in them.
    _later_options: ClassVar[dict[str, Any]] = {}
    _counters: ClassVar[tuple[str, ...]] = ("step",)
    _takes_sparse: ClassVar[bool] = False  # gradients

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in self._later_options.items():
                group.setdefault(name, default)
            for p in group["params"]:
                own = self.state.get(p, {})
                for name in self._counters:
                    if name in own and not isinstance(own[name], Tensor):
                        own[name] = _tensor(float(own[name]), dtype=scalar_dtype(group.get("fused")))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters once. `closure` calculates the loss and its gradients anew; its result is returned."""
        recording = _core.is_grad_enabled()
        differentiable = self.defaults.get("differentiable", False)
        loss = None
        try:
            if closure is not None:
                _core.set_grad_enabled(True)
                loss = closure()
            _core.set_grad_enabled(differentiable)
            for group in self.param_groups:
                params = [p for p in group["params"] if p.grad is not None]
                if params:
                    if not self._takes_sparse and _core.any_sparse():
                        self._refuse_sparse(params)
                    if _core.is_recording():
                        self._recorded_step(group, params)
                    else:
                        self._step_group(group, params)
        finally:
            _core.set_grad_enabled(recording)
        return loss

    def _recorded_step(self, group: dict[str, Any], params: list[Tensor]) -> None:
        _core.begin_options(group)
        self._step_group(group, params)
        _core.end_options()

    def _step_group(self, group: dict[str, Any], params: list[Tensor]) -> None:
        state = self.state
        states = [state[p] for p in params]
        if not all(states):
            for p, own in zip(params, states, strict=True):
                if not own:
                    own.update(self._new_state(p, group))
        self._update(group, params, [p.grad for p in params], states)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """The state of a parameter before its first step."""
        return {}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        """Changes the parameters of one group."""
        raise NotImplementedError

    def _refuse_sparse(self, params: list[Any]) -> None:
        if any(p.grad.is_sparse for p in params):
            raise at_call(RuntimeError, f"{type(self).__name__} does not support sparse gradients")

    def _refuse_fused_with(self, *, differentiable: bool, foreach: bool | None) -> None:
        """What `fused=True` excludes; otherwise a mixed-precision scaler may leave its work to the step."""
        if differentiable:
            raise at_call(RuntimeError, "`fused` does not support `differentiable`")
        if foreach:
            raise at_call(RuntimeError, "`fused` and `foreach` cannot be `True` together.")
        self._step_supports_amp_scaling = True

    def _scaling(self, group: dict[str, Any]) -> dict[str, Any]:
        """What a mixed-precision scaler left for the step."""
        scale, found_inf = getattr(self, "grad_scale", None), getattr(self, "found_inf", None)
        if scale is None and found_inf is None:
            return {}
        if not group["fused"]:
            raise at_call(AssertionError, "Expected grad_scale and found_inf to be None")
        return {"grad_scale": scale, "found_inf": found_inf}


def check_options(**options: Any) -> None:
    """Raises for options below zero, and for betas outside [0, 1)."""
    lr = options.get("lr")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise at_call(ValueError, "Tensor lr must be 1-element")
    for name, value in options.items():
        if name == "betas":
            for i in range(2):
                if not 0.0 <= value[i] < 1.0:
                    raise at_call(ValueError, f"Invalid beta parameter at index {i}: {value[i]}")
        elif not value >= 0.0:
            raise at_call(ValueError, f"Invalid {_OPTION_NAMES.get(name, name + ' value')}: {value}")


def check_fused_dtype(p: Tensor) -> None:
    """Raises for a parameter that `fused=True` cannot treat."""
    if not p.is_floating_point():
        raise at_call(
            RuntimeError,
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            f"{_FUSED_DEVICES} but {p.dtype} and {p.device.type}",
        )


def check_steps(steps: list[Tensor], capturable: bool = False, together_with: str = "params and state_steps") -> None:
    """Raises for step counts that are no tensors, and for `capturable`, which no processor has."""
    if capturable:
        raise at_call(
            AssertionError, f"If capturable=True, {together_with} must be on supported devices: {_CAPTURABLE_DEVICES}."
        )
    for step in steps:
        if not isinstance(step, Tensor):
            raise at_call(
                RuntimeError, "API has changed, `state_steps` argument must contain a list of singleton tensors"
            )


def scalar_dtype(fused: bool | None = None) -> _core.dtype:
    """The dtype of step counts."""
    wide = not fused and _core.get_default_dtype() is _core.float64
    return _core.float64 if wide else _core.float32


def counter(value: float = 0.0, fused: bool | None = None) -> Tensor:
    """A new step count, or another number that is kept as a tensor."""
    return _tensor(value, dtype=scalar_dtype(fused))


def as_scalar(x: Any) -> Any:
    """A tensor of one element as one without dimensions; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def decayed(grad: Tensor, param: Tensor, weight_decay: Any) -> Tensor:
    """The gradient of the loss with a penalty on large parameters."""
    if getattr(weight_decay, "requires_grad", False):
        return grad.addcmul(param.clone(), weight_decay)
    return grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad


def kernel_fits(fused: bool | None, lists: Sequence[list[Any]], *numbers: Any) -> bool:
    """Whether the core's step gives PyTorch's numbers here. Complex tensors in the lists become real views.

    The core's steps are not recorded. They calculate in float or double and round once, so half types take them only
    where PyTorch would do the same (`fused`). A learning rate in a tensor is rounded to the tensor's dtype by PyTorch.
    """
    fits = not _core.is_grad_enabled()
    if _core.any_sparse() and any(_core.sparse_parts(x) is not None for x in (*lists[0], *lists[1])):
        fits = False
    if "chainrule.nested.kinds" in sys.modules:  # only then can there be nested tensors
        fits = fits and not any(p.is_nested for p in lists[0])
    for i, p in enumerate(lists[0]):
        dtype = p.dtype
        if dtype is _core.float32 or dtype is _core.float64:
            continue
        if dtype.is_complex:
            for each in lists:
                if each:
                    each[i] = _view_as_real(each[i])
        elif not fused:
            fits = False
    if not fused:
        for number in numbers:
            if isinstance(number, Tensor):
                fits = False
    return fits
