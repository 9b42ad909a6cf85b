"""Kullback-Leibler divergences, one function for each pair of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .._core import Tensor
from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .exponential import Exponential
from .independent import Independent, sum_rightmost
from .normal import Normal
from .uniform import Uniform

F = TypeVar("F", bound=Callable)
_rules: dict[tuple[type, type], Callable] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[F], F]:
    """Makes a function of (p, q) the divergence for two classes of distributions; a decorator."""
    if not (isinstance(type_p, type) and issubclass(type_p, Distribution)):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not (isinstance(type_q, type) and issubclass(type_q, Distribution)):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def register(function: F) -> F:
        _rules[type_p, type_q] = function
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The divergence of q from p: the expectation, under p, of log p - log q."""
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            if (kind_p, kind_q) in _rules:
                return _rules[kind_p, kind_q](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one = one.masked_fill(q.probs == 0, float("inf")).masked_fill(p.probs == 0, 0)
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return one + zero.masked_fill(q.probs == 1, float("inf")).masked_fill(p.probs == 1, 0)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    parts = p.probs * (p.logits - q.logits)
    parts = parts.masked_fill((q.probs == 0).expand_as(parts), float("inf"))
    return parts.masked_fill((p.probs == 0).expand_as(parts), 0).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), float("inf"))


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the two have events of different dimensions")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
