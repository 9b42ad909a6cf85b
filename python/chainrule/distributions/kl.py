"""Kullback-Leibler divergences, one function for each pair of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .._core import Tensor
from ..autograd import grad
from ..error_words import at_call
from ..linalg import solve_triangular
from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import EULER, Gumbel
from .half_normal import HalfNormal
from .independent import Independent, sum_rightmost
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal, lowrank_log_det, lowrank_mahalanobis
from .multivariate_normal import MultivariateNormal, batch_mahalanobis, half_log_det
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

F = TypeVar("F", bound=Callable)
_rules: dict[tuple[type, type], Callable] = {}


_KL_REGISTRY = _rules  # PyTorch's name


def register_kl(type_p: type, type_q: type) -> Callable[[F], F]:
    """Makes a function of (p, q) the divergence for two classes of distributions; a decorator.

    >>> class Shifted(torch.distributions.Normal):
    ...     pass
    >>> @torch.distributions.register_kl(Shifted, Shifted)
    ... def kl(p, q):
    ...     return torch.tensor(7.)
    >>> torch.distributions.kl_divergence(Shifted(0., 1.), Shifted(0., 1.))
    tensor(7.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # of any base: Pyro registers classes of its own
            raise at_call(TypeError, f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(function: F) -> F:
        _rules[type_p, type_q] = function
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The divergence of q from p: the expectation, under p, of log p - log q.

    >>> one, other = torch.distributions.Normal(0., 1.), torch.distributions.Normal(1., 1.)
    >>> torch.distributions.kl_divergence(one, other)
    tensor(0.5000)
    """
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


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return kl_divergence(p._categorical, q._categorical)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * one).masked_fill(p.total_count > q.total_count, float("inf"))


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    norms = p._cont_bern_log_norm() + (-p.probs).log1p() - q._cont_bern_log_norm() - (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + norms


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    norms = a.sum(-1).lgamma() - b.sum(-1).lgamma() + (b.lgamma() - a.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - a.sum(-1, True).digamma())).sum(-1)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman "
            "divergences"
        )
    mine = [parameter.detach()._as_leaf() for parameter in p._natural_params]
    norm = p._log_normalizer(*mine)
    result = q._log_normalizer(*q._natural_params) - norm
    for a, b, g in zip(mine, q._natural_params, grad(norm.sum(), mine, create_graph=True), strict=True):
        result = result - sum_rightmost((b - a) * g, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    norms = b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma()
    return norms + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return -ratio.log() + distance + ratio * EULER + ((1 + ratio).lgamma() - distance).exp() - (1 + EULER)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.scale < q.scale, float("inf"))


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


def _of_normals(p: Distribution, q: Distribution, log_dets: Tensor, trace: Tensor, distance: Tensor) -> Tensor:
    """From the difference of q's and p's log-determinants, the trace of q's inverse times p, and q's distance."""
    if p.event_shape != q.event_shape:
        raise at_call(
            ValueError, "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


def _log_det(p: MultivariateNormal | LowRankMultivariateNormal) -> Tensor:
    if isinstance(p, MultivariateNormal):
        return 2 * half_log_det(p._unbroadcasted_scale_tril)
    return lowrank_log_det(p._unbroadcasted_cov_diag, p._capacitance_tril)


def _root(p: MultivariateNormal | LowRankMultivariateNormal) -> list[Tensor]:
    """Matrices whose products with their transposes sum up to the covariance."""
    if isinstance(p, MultivariateNormal):
        return [p._unbroadcasted_scale_tril]
    return [p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed()]


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _to_normal_vectors(p: MultivariateNormal | LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    factor = q._unbroadcasted_scale_tril
    trace = sum(solve_triangular(factor, root, upper=False).pow(2).sum((-2, -1)) for root in _root(p))
    return _of_normals(p, q, _log_det(q) - _log_det(p), trace, batch_mahalanobis(factor, q.loc - p.loc))  # type: ignore[arg-type]


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _to_lowrank(p: MultivariateNormal | LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    columns, diagonal = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    inner = solve_triangular(q._capacitance_tril, columns.mT / diagonal.unsqueeze(-2), upper=False)
    trace = sum(
        (root.pow(2) / diagonal.unsqueeze(-1)).sum((-2, -1)) - (inner @ root).pow(2).sum((-2, -1)) for root in _root(p)
    )
    distance = lowrank_mahalanobis(columns, diagonal, q.loc - p.loc, q._capacitance_tril)
    return _of_normals(p, q, _log_det(q) - _log_det(p), trace, distance)  # type: ignore[arg-type]
