"""GradScaler: scaled losses, so that small gradients survive in float16."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from inspect import signature
from typing import Any

from .. import _core
from .._core import Tensor, functions
from ..autograd.grad_mode import no_grad
from ..cuda.devices import is_available
from ..error_words import at_call
from ..user_warning import warn_user

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far an optimiser's gradients have come in this iteration."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf": None}


class GradScaler:
    """Multiplies losses by a factor, divides gradients by it, and leaves out steps whose gradients have overflowed.

    Args:
        device: "cpu" or "cuda"; where there is no GPU, "cuda" gives a scaler that does nothing, with PyTorch's warning.
        init_scale: the factor to begin with.
        growth_factor: what the factor is multiplied by after `growth_interval` good steps.
        backoff_factor: what the factor is multiplied by after a bad one.
        growth_interval: how many good steps in a row let the factor grow.
        enabled: False makes a scaler that does nothing.

    >>> scaler = torch.amp.GradScaler("cpu")
    >>> scaler.get_scale()
    65536.0
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        self._device = device
        if enabled and device == "cuda" and not is_available():
            warn_user("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            enabled = False
        self._enabled = enabled
        if not enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError(f"The growth factor must be > 1.0. It is {growth_factor}")
        if backoff_factor >= 1.0:
            raise AssertionError(f"The backoff factor must be < 1.0. It is {backoff_factor}")
        self._init_scale = init_scale
        self._init_growth_tracker = 0
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._scale: Tensor | None = None
        self._growth_tracker: Tensor | None = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_fresh_state)

    # ---- scaling

    def _factor(self) -> Tensor:
        if self._scale is not None:
            return self._scale
        place = "cuda" if self._device == "cuda" else "cpu"
        scale = self._scale = functions["full"]((), self._init_scale, dtype=_core.float32, device=place)
        self._growth_tracker = functions["full"]((), self._init_growth_tracker, dtype=_core.int32, device=place)
        return scale

    def scale(self, outputs: Any) -> Any:
        """A tensor times the factor, or each tensor of a list, a tuple or another iterable."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            factor = self._factor()
            return outputs * (factor.to(outputs.device) if outputs.is_cuda else factor)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled  # pyright: ignore[reportCallIssue]
        raise at_call(ValueError, f"outputs must be a Tensor or an iterable of Tensors, not {type(outputs).__name__}")

    def _used(self, function: str) -> tuple[Tensor, Tensor]:
        if self._scale is None or self._growth_tracker is None:
            raise AssertionError(
                f"Attempted {function} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._scale, self._growth_tracker

    # ---- gradients

    @staticmethod
    def _gradients(optimizer: Any) -> list[Tensor]:
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        if any(gradient.dtype is _core.float16 for gradient in gradients):
            raise at_call(
                ValueError, "Attempting to unscale FP16 gradients. Keep parameters in float32 and use autocast"
            )
        return gradients

    def _overflowed(self, gradients: list[Tensor]) -> Any:
        """Whether one of them is infinite or NaN: a bool, or a tensor on the GPU, which is not waited for."""
        if self._device != "cuda":
            return any(not gradient.isfinite().all().item() for gradient in gradients)
        scale, _ = self._used("unscale_")
        found = functions["zeros"]((), dtype=_core.bool, device=scale.device)
        for gradient in gradients:
            found = found | gradient.isfinite().all().logical_not().to(scale.device)
        return found

    @no_grad()
    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimiser by the factor and looks for infinities; step() does it otherwise."""
        if not self._enabled:
            return
        scale, _ = self._used("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise at_call(RuntimeError, "unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise at_call(RuntimeError, "unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        gradients = self._gradients(optimizer)
        found = self._overflowed(gradients)
        for gradient in gradients:
            gradient.mul_(inverse.to(gradient.device) if gradient.is_cuda else inverse)
        state["found_inf"] = found if gradients else None
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step(*args, **kwargs) with unscaled gradients, unless they have overflowed."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise at_call(RuntimeError, "Closure use is not currently supported if GradScaler is enabled.")
        self._used("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise at_call(RuntimeError, "step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_scaled(optimizer, state, args, kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if state["found_inf"] is None:
            raise AssertionError("No inf checks were recorded for this optimizer: none of its parameters has a .grad")
        result = None if state["found_inf"] else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _step_scaled(self, optimizer: Any, state: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """The step of an optimiser that divides by the factor itself: it is given that, or the scaler, as it asks."""
        takes_scaler = "grad_scaler" in signature(optimizer.step).parameters
        if takes_scaler:
            warn_user(
                "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near "
                "future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and "
                "let the optimizer use them directly.",
                FutureWarning,
            )
            kwargs = {**kwargs, "grad_scaler": self}
        else:
            scale, _ = self._used("step")
            if state["stage"] is OptState.READY:
                state["found_inf"] = self._overflowed(self._gradients(optimizer))
            before = getattr(optimizer, "grad_scale", None)
            unscaled = state["stage"] is OptState.UNSCALED
            optimizer.grad_scale = before if unscaled else scale * (1 if before is None else before)
            optimizer.found_inf = functions["as_tensor"](state["found_inf"]).to(scale.device, _core.float32)
        result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        if not takes_scaler:
            del optimizer.grad_scale, optimizer.found_inf
        return result

    # ---- the factor

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Lets the factor grow or shrink after the steps of an iteration, or sets it."""
        if not self._enabled:
            return
        scale, tracker = self._used("update")
        if new_scale is not None:
            self._set(scale, new_scale)
        else:
            found = [state["found_inf"] for state in self._per_optimizer_states.values()]
            found = [value for value in found if value is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if self._device == "cuda":
                self._adapt_there(scale, tracker, found)
            else:
                self._adapt(scale, tracker, any(found))
        self._per_optimizer_states = defaultdict(_fresh_state)

    @staticmethod
    def _set(scale: Tensor, new_scale: float | Tensor) -> None:
        if isinstance(new_scale, float):
            scale.fill_(new_scale)
        elif isinstance(new_scale, Tensor) and new_scale.numel() == 1 and not new_scale.requires_grad:
            scale.copy_(new_scale.reshape(()))
        else:
            raise AssertionError(
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                "requires_grad=False."
            )

    def _adapt(self, scale: Tensor, tracker: Tensor, overflowed: bool) -> None:
        if overflowed:
            scale.mul_(self._backoff_factor)
            tracker.zero_()
        elif tracker.item() + 1 == self._growth_interval:
            grown = scale * self._growth_factor
            if grown.isfinite().item():
                scale.copy_(grown)
            tracker.zero_()
        else:
            tracker.add_(1)

    @no_grad()
    def _adapt_there(self, scale: Tensor, tracker: Tensor, found: list[Tensor]) -> None:
        """The same, all of it on the GPU, which is not waited for."""
        overflowed, where = functions["stack"](found).any(), functions["where"]
        grows = ~overflowed & (tracker + 1 == self._growth_interval)
        grown = scale * self._growth_factor
        grown = where(grows & grown.isfinite(), grown, scale)
        scale.copy_(where(overflowed, scale * self._backoff_factor, grown))
        tracker.copy_(where(overflowed | grows, 0, tracker + 1))

    def get_scale(self) -> float:
        """The factor; 1 if the scaler does nothing."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def get_growth_factor(self) -> float:
        """What the factor is multiplied by when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Chooses what the factor is multiplied by when it grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied by when it shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Chooses what the factor is multiplied by when it shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many good steps in a row let the factor grow."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Chooses how many good steps in a row let the factor grow."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether the scaler does anything."""
        return self._enabled

    # ---- state

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict() needs to go on; empty if the scaler does nothing."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from what state_dict() gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise at_call(
                RuntimeError,
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.",
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
