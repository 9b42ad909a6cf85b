"""The categorical distribution: one of several."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from ..type_info import finfo
from . import constraints
from .distribution import Distribution, clamped, lazy_property, only_one


class Categorical(Distribution):
    """The number of one of several categories.

    Args:
        probs: their probabilities in the last dimension; they are divided by their sum.
        logits: logarithms of them, up to a constant, instead.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Categorical(torch.tensor([0.25, 0.75])).entropy()
    tensor(0.5623)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        only_one(probs, logits)
        name, parameter = ("logits", logits) if probs is None else ("probs", probs)
        if parameter.dim() < 1:
            raise at_call(ValueError, f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.__dict__["logits"] = parameter - parameter.logsumexp(dim=-1, keepdim=True)
        else:
            self.__dict__["probs"] = parameter / parameter.sum(-1, keepdim=True)
        self._num_events = parameter.size(-1)
        super().__init__(parameter.shape[:-1], validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.logits.softmax(-1)

    @lazy_property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return clamped(self.probs).log()

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs" if "probs" in self.__dict__ else "logits"]

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:  # type: ignore[override]
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        return self._undefined()

    @property
    def variance(self) -> Tensor:
        return self._undefined()

    def _undefined(self) -> Tensor:
        return _core.functions["full"](
            self._extended_shape(), float("nan"), dtype=self.probs.dtype, device=self.probs.device
        )

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        sample_shape = Size(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self._num_events)
            drawn = rows.multinomial(sample_shape.numel(), replacement=True)
            return drawn.t().reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, logits = _core.functions["broadcast_tensors"]([value.long().unsqueeze(-1), self.logits])
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = _core.functions["arange"](self._num_events, device=self._param.device)
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
