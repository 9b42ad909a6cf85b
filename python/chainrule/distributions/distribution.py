"""Distribution, the class that all distributions share, and how parameters become tensors of one shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, Self

from .. import _core
from .._core import Size, Tensor
from ..autograd.grad_mode import enable_grad, no_grad
from ..error_words import at_call
from ..overrides import is_tensor_like
from ..user_warning import warn_user
from . import constraints


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Parameters as tensors of one shape; numbers take the dtype of the tensors among them."""
    if not all(isinstance(value, (int, float)) or is_tensor_like(value) for value in values):
        raise at_call(
            ValueError, "Input arguments must all be instances of Number, torch.Tensor or objects implementing it."
        )
    like = next((value for value in values if isinstance(value, Tensor)), None)
    dtype = _core.get_default_dtype() if like is None else like.dtype
    device = None if like is None else like.device
    make = _core.functions["tensor"]
    return _core.functions["broadcast_tensors"](
        [value if is_tensor_like(value) else make(value, dtype=dtype, device=device) for value in values]
    )


def only_one(probs: Any, logits: Any) -> None:
    """Raises unless one of the two is given."""
    if (probs is None) == (logits is None):
        raise at_call(ValueError, "Either `probs` or `logits` must be specified, but not both.")


def clamped(probs: Tensor) -> Tensor:
    """Probabilities away from 0 and 1, so that their logarithms are finite."""
    from ..type_info import finfo

    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def standard_normal(shape: Any, like: Tensor) -> Tensor:
    """Normal random numbers of another tensor's dtype."""
    return _core.functions["empty"](shape, dtype=like.dtype, device=like.device).normal_()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from log-odds, or from logarithms of the probabilities of several events, up to a constant."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds of probabilities, or logarithms of the probabilities of several events."""
    probs = clamped(probs)
    return probs.log() - (-probs).log1p() if is_binary else probs.log()


def lazy_property(calculate: Callable[[Any], Tensor]) -> Any:
    """A property that is calculated once; with its gradient, also where it is first asked for without."""

    @wraps(calculate)
    def with_gradient(self: Any) -> Tensor:
        with enable_grad():
            return calculate(self)

    return cached_property(with_gradient)


class _Undefined:
    """An attribute that subclasses and instances define."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        raise NotImplementedError


class Distribution:
    """A distribution of events; independent ones side by side make a batch.

    Args:
        batch_shape: the shape of the batch.
        event_shape: the shape of one event.
        validate_args: whether parameters and values are checked.

    >>> isinstance(torch.distributions.Normal(0., 1.), torch.distributions.Distribution)
    True
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: dict[str, constraints.Constraint] = _Undefined()  # type: ignore[assignment]
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their parameters and values, if not told otherwise."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self._known_constraints().items():
                lazy = name not in self.__dict__ and isinstance(getattr(type(self), name, None), cached_property)
                if not (lazy or constraints.is_dependent(constraint)):
                    self._validate_parameter(name, constraint)

    def _known_constraints(self) -> dict[str, constraints.Constraint]:
        try:
            return self.arg_constraints
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation."
            )
            return {}

    def _validate_parameter(self, name: str, constraint: constraints.Constraint) -> None:
        value = getattr(self, name)
        if not constraint.check(value).all():
            raise at_call(
                ValueError,
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}",
            )

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one event."""
        return self._event_shape

    @property
    def support(self) -> constraints.Constraint:
        """Where samples lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely event."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Random events, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Random events, through which gradients reach the parameters."""
        raise NotImplementedError(
            f"{type(self).__name__}.rsample: no gradient leads from its samples to its parameters"
        )

    def sample_n(self, n: int) -> Tensor:
        """n samples."""
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability, or of its density."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of values up to this one."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The value up to which the probability is this one."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All events, if they are finite in number."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """exp(entropy)."""
        return self.entropy().exp()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """The same distribution with a larger batch."""
        new = self._get_checked_instance(Distribution, _instance)
        batch_shape = Size(batch_shape)
        filled = set(new.__dict__)  # by a subclass, with what it alone knows how to expand
        for name, value in self.__dict__.items():
            if name in filled:
                continue
            if isinstance(value, Tensor):
                if name not in self.arg_constraints:
                    raise self._needs_expand(Distribution)
                last = self.arg_constraints[name].event_dim
                value = value.expand((*batch_shape, *value.shape[value.dim() - last :]))
            new.__dict__[name] = value
        new._batch_shape = batch_shape
        return new

    def _needs_expand(self, cls: type) -> NotImplementedError:
        return NotImplementedError(
            f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
            "define a custom .expand() method."
        )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """What `expand` fills: the given instance, or a new one that no __init__ has seen."""
        if _instance is None and cls is not Distribution and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise self._needs_expand(cls)
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _become(self, new: Any, batch_shape: Any, event_shape: Any = ()) -> Any:
        """Completes what `expand` fills: shapes, and whether arguments are checked."""
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise at_call(ValueError, "The value argument to log_prob must be a Tensor")
        if value.shape[max(value.dim() - len(self._event_shape), 0) :] != self._event_shape:
            raise at_call(
                ValueError,
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}.",
            )
        expected = (*self._batch_shape, *self._event_shape)
        for given, wanted in zip(reversed(value.shape), reversed(expected), strict=False):
            if given not in (1, wanted) and wanted != 1:
                raise at_call(
                    ValueError,
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {Size(expected)}.",
                )
        try:
            support = self.support
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if not support.check(value).all():
            raise at_call(
                ValueError,
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}",
            )

    def __repr__(self) -> str:
        shown = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        texts = (f"{name}: {p.item() if p.numel() == 1 else p.size()}" for name, p in shown.items())
        return f"{type(self).__name__}({', '.join(texts)})"
