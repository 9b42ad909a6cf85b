"""Divergences between distributions of different families.

All of them are -entropy(p) - E[log q], the mean taken under p; one function for each q says what it needs of p. Where p
has values that are impossible under q, the divergence is infinite.
"""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .distribution import Distribution
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import EULER, Gumbel
from .kl import register_kl
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform

_INFINITE = [  # p has values that q never has; the name of p's parameter that has the result's shape
    (Beta, Pareto, "concentration1"),
    (ContinuousBernoulli, Pareto, "probs"),
    *((Exponential, q, "rate") for q in (Beta, ContinuousBernoulli, Pareto, Uniform)),
    *((Gamma, q, "concentration") for q in (Beta, ContinuousBernoulli, Pareto, Uniform)),
    *(
        (p, q, "loc")
        for p in (Gumbel, Laplace, Normal)
        for q in (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
    ),
    *((Pareto, q, "scale") for q in (Beta, ContinuousBernoulli, Uniform)),
    *((Poisson, q, "rate") for q in (Bernoulli, Binomial)),
]


def _register_infinite(p_type: type, q_type: type, name: str) -> None:
    @register_kl(p_type, q_type)
    def infinite(p: Any, q: Any) -> Tensor:
        return _core.functions["full_like"](getattr(p, name), math.inf)


for _entry in _INFINITE:
    _register_infinite(*_entry)


def _mean_log(p: Any) -> Tensor:
    """The mean of log x under p."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Exponential):
        return -EULER - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return _uniform_mean_log(p.low, p.high)


def _uniform_mean_log(low: Tensor, high: Tensor) -> Tensor:
    return (high.xlogy(high) - low.xlogy(low)) / (high - low) - 1


@register_kl(Bernoulli, Poisson)
def _to_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
@register_kl(Uniform, ContinuousBernoulli)
def _to_continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Tensor:
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    if isinstance(p, Uniform):
        return result.masked_fill((p.high >= 1) | (p.low <= 0), math.inf)
    return result


def _impossible(p: Any, result: Tensor) -> Tensor:
    """Infinite where p has values below 0."""
    return result.masked_fill(p.low < 0, math.inf) if isinstance(p, Uniform) else result


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
@register_kl(Pareto, Exponential)
@register_kl(Uniform, Exponential)
def _to_exponential(p: Any, q: Exponential) -> Tensor:
    return _impossible(p, -p.entropy() - q.rate.log() + q.rate * p.mean)


@register_kl(Beta, Gamma)
@register_kl(Exponential, Gamma)
@register_kl(Pareto, Gamma)
@register_kl(Uniform, Gamma)
def _to_gamma(p: Any, q: Gamma) -> Tensor:
    norm = q.concentration.lgamma() - q.concentration * q.rate.log()
    return _impossible(p, -p.entropy() + norm - (q.concentration - 1) * _mean_log(p) + q.rate * p.mean)


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Pareto, Normal)
@register_kl(Uniform, Normal)
def _to_normal(p: Any, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    distance = (p.variance + (p.mean - q.loc).pow(2)) / (2 * variance)
    return -p.entropy() + 0.5 * (2 * math.pi * variance).log() + distance


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _to_uniform(p: Distribution, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    outside = (q.low > 0) | (q.high < 1) if isinstance(p, Beta) else (q.low >= 0) | (q.high <= 1)
    return result.masked_fill(outside, math.inf)


@register_kl(Uniform, Pareto)
def _to_pareto(p: Uniform, q: Pareto) -> Tensor:
    result = -p.entropy() - q.alpha.log() - q.alpha * q.scale.log() + (q.alpha + 1) * _mean_log(p)
    return result.masked_fill(p.low < q.scale, math.inf)


@register_kl(Uniform, Beta)
def _to_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    norm = a.lgamma() + b.lgamma() - (a + b).lgamma()
    logs = (a - 1) * _mean_log(p) + (b - 1) * _uniform_mean_log(1 - p.high, 1 - p.low)
    return (norm - p.entropy() - logs).masked_fill((p.high > 1) | (p.low < 0), math.inf)


@register_kl(Exponential, Gumbel)
@register_kl(Gamma, Gumbel)
@register_kl(Normal, Gumbel)
@register_kl(Uniform, Gumbel)
def _to_gumbel(p: Any, q: Gumbel) -> Tensor:
    return -p.entropy() + q.scale.log() + (p.mean - q.loc) / q.scale + _mean_exp(p, q)


def _mean_exp(p: Any, q: Gumbel) -> Tensor:
    """The mean of exp(-(x - loc) / scale) under p."""
    start, inverse = q.loc / q.scale, q.scale.reciprocal()
    if isinstance(p, Exponential):
        return start.exp() * p.rate / (p.rate + inverse)
    if isinstance(p, Gamma):
        return (start - p.concentration * (inverse / p.rate).log1p()).exp()
    if isinstance(p, Normal):
        return (start - p.loc * inverse + 0.5 * (p.scale * inverse).pow(2)).exp()
    return ((start - p.low * inverse).exp() - (start - p.high * inverse).exp()) / ((p.high - p.low) * inverse)


@register_kl(Normal, Laplace)
def _to_laplace(p: Normal, q: Laplace) -> Tensor:
    distance = (p.loc - q.loc) / p.scale
    near = math.sqrt(2 / math.pi) * p.scale * (-0.5 * distance.pow(2)).exp()
    far = p.scale * distance * (math.sqrt(0.5) * distance).erf()
    return -p.entropy() + (2 * q.scale).log() + (near + far) / q.scale
