"""Distributions: samples, densities, moments, divergences and errors as in PyTorch, for the same seeds."""

from __future__ import annotations

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = [
    pytest.mark.usefixtures("no_leaks"),
    pytest.mark.filterwarnings("ignore:Singular sample detected"),  # PyTorch says so of good ones
]

MADE = {
    "Normal": lambda torch, d: d.Normal(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 2.0])),
    "Normal of numbers": lambda torch, d: d.Normal(0.5, 2),
    "Categorical": lambda torch, d: d.Categorical(torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]])),
    "Categorical of logits": lambda torch, d: d.Categorical(logits=torch.tensor([1.0, 2.0, -3.0])),
    "Bernoulli": lambda torch, d: d.Bernoulli(torch.tensor([0.1, 0.5, 0.9])),
    "Bernoulli of logits": lambda torch, d: d.Bernoulli(logits=torch.tensor([-1.0, 0.3])),
    "Uniform": lambda torch, d: d.Uniform(torch.tensor([0.0, -1.0]), torch.tensor([1.0, 4.0])),
    "Exponential": lambda torch, d: d.Exponential(torch.tensor([0.5, 2.0])),
    "Independent": lambda torch, d: d.Independent(d.Normal(torch.zeros(2, 3), torch.ones(3)), 1),
    "Gamma": lambda torch, d: d.Gamma(torch.tensor([0.3, 1.0, 7.0]), torch.tensor([1.0, 2.0, 0.5])),
    "Beta": lambda torch, d: d.Beta(torch.tensor([0.3, 2.0]), torch.tensor([1.5, 4.0])),
    "Dirichlet": lambda torch, d: d.Dirichlet(torch.tensor([[0.3, 1.0, 7.0], [2.0, 2.0, 3.0]])),
    "Chi2": lambda torch, d: d.Chi2(torch.tensor([1.0, 4.0])),
    "StudentT": lambda torch, d: d.StudentT(torch.tensor([1.5, 4.0, 0.5]), 1.0, 2.0),
    "FisherSnedecor": lambda torch, d: d.FisherSnedecor(torch.tensor([3.0, 1.5]), torch.tensor([5.0, 1.0])),
    "InverseGamma": lambda torch, d: d.InverseGamma(torch.tensor([3.0, 1.5]), torch.tensor([2.0, 1.0])),
    "Cauchy": lambda torch, d: d.Cauchy(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0])),
    "HalfCauchy": lambda torch, d: d.HalfCauchy(torch.tensor([1.0, 2.0])),
    "HalfNormal": lambda torch, d: d.HalfNormal(torch.tensor([1.0, 2.0])),
    "Laplace": lambda torch, d: d.Laplace(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0])),
    "Gumbel": lambda torch, d: d.Gumbel(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0])),
    "LogNormal": lambda torch, d: d.LogNormal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5])),
    "LogisticNormal": lambda torch, d: d.LogisticNormal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5])),
    "Weibull": lambda torch, d: d.Weibull(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 2.5])),
    "Pareto": lambda torch, d: d.Pareto(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 3.0])),
    "GeneralizedPareto": lambda torch, d: d.GeneralizedPareto(
        torch.tensor([0.0, 1.0, 0.5]), torch.tensor([1.0, 2.0, 1.0]), torch.tensor([0.2, -0.5, 0.0])
    ),
    "Kumaraswamy": lambda torch, d: d.Kumaraswamy(torch.tensor([0.5, 3.0]), torch.tensor([2.0, 1.5])),
    "Poisson": lambda torch, d: d.Poisson(torch.tensor([0.5, 20.0])),
    "Geometric": lambda torch, d: d.Geometric(torch.tensor([0.3, 0.9])),
    "Geometric of logits": lambda torch, d: d.Geometric(logits=torch.tensor([0.3, -0.9])),
    "Binomial": lambda torch, d: d.Binomial(10, torch.tensor([0.2, 0.7])),
    "Binomial of logits": lambda torch, d: d.Binomial(torch.tensor([5, 5]), logits=torch.tensor([0.2, -0.7])),
    "NegativeBinomial": lambda torch, d: d.NegativeBinomial(5.0, torch.tensor([0.2, 0.7])),
    "Multinomial": lambda torch, d: d.Multinomial(8, torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 1.0]])),
    "OneHotCategorical": lambda torch, d: d.OneHotCategorical(torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 1.0]])),
    "OneHotCategoricalStraightThrough": lambda torch, d: d.OneHotCategoricalStraightThrough(
        logits=torch.tensor([0.2, 0.3, 0.5])
    ),
    "ContinuousBernoulli": lambda torch, d: d.ContinuousBernoulli(torch.tensor([0.1, 0.5, 0.9])),
    "ContinuousBernoulli of logits": lambda torch, d: d.ContinuousBernoulli(logits=torch.tensor([-1.0, 0.3])),
    "RelaxedBernoulli": lambda torch, d: d.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.1, 0.6])),
    "RelaxedOneHotCategorical": lambda torch, d: d.RelaxedOneHotCategorical(
        torch.tensor(0.5), torch.tensor([[0.1, 0.6, 0.3], [1.0, 1.0, 2.0]])
    ),
    "VonMises": lambda torch, d: d.VonMises(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 4.0])),
    "MultivariateNormal": lambda torch, d: d.MultivariateNormal(
        torch.tensor([1.0, -1.0]), torch.tensor([[2.0, 0.5], [0.5, 1.0]])
    ),
    "MultivariateNormal of precision": lambda torch, d: d.MultivariateNormal(
        torch.zeros(3, 2), precision_matrix=torch.tensor([[2.0, 0.5], [0.5, 1.0]])
    ),
    "MultivariateNormal of factors": lambda torch, d: d.MultivariateNormal(
        torch.zeros(2), scale_tril=torch.tensor([[[2.0, 0.0], [0.5, 1.0]], [[1.0, 0.0], [-0.5, 3.0]]])
    ),
    "LowRankMultivariateNormal": lambda torch, d: d.LowRankMultivariateNormal(
        torch.zeros(2, 3), torch.tensor([[1.0], [2.0], [0.5]]), torch.tensor([1.0, 2.0, 3.0])
    ),
    # In double precision: a diagonal near 0 has lost half its digits, and PyTorch's float root is not always exact.
    "LKJCholesky": lambda torch, d: d.LKJCholesky(3, torch.tensor([0.5, 2.0], dtype=torch.float64)),
    "Wishart": lambda torch, d: d.Wishart(torch.tensor([4.0, 9.0]), torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
    "MixtureSameFamily": lambda torch, d: d.MixtureSameFamily(
        d.Categorical(torch.tensor([1.0, 2.0])), d.Normal(torch.tensor([0.0, 5.0]), torch.tensor([1.0, 2.0]))
    ),
    "MixtureSameFamily of vectors": lambda torch, d: d.MixtureSameFamily(
        d.Categorical(torch.ones(3, 2)), d.Independent(d.Normal(torch.arange(12.0).view(3, 2, 2), 1.0), 1)
    ),
    "TransformedDistribution": lambda torch, d: d.TransformedDistribution(
        d.Uniform(torch.zeros(2), torch.ones(2)), [d.SigmoidTransform().inv, d.AffineTransform(1.0, torch.tensor(2.0))]
    ),
}
# PyTorch's gradients of gamma and Dirichlet samples are approximations, up to a hundredth off; ours are not.
made = pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())


def distributions(torch):
    import importlib

    return importlib.import_module(f"{torch.__name__}.distributions")


@made
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_samples(make, shape):
    def program(torch):
        p = make(torch, distributions(torch))
        return p.sample(shape), p.rsample(shape) if p.has_rsample else None

    agree(program)


@made
@pytest.mark.parametrize(
    "what",
    [
        "mean",
        "mode",
        "variance",
        "stddev",
        "entropy()",
        "perplexity()",
        "batch_shape",
        "event_shape",
        "support",
        "__repr__()",
    ],
)
def test_moments(make, what):
    def program(torch):
        value = eval(f"p.{what}", {"p": make(torch, distributions(torch))})
        return str(value) if what in ("support", "__repr__()") else value

    agree(program)


@made
@pytest.mark.parametrize("what", ["log_prob", "cdf"])
def test_densities(make, what):
    def program(torch):
        p = make(torch, distributions(torch))
        return getattr(p, what)(p.sample((3,)))

    agree(program)


@made
def test_gradients_of_densities(make):
    def program(torch):
        p = make(torch, distributions(torch))
        x = p.sample().requires_grad_()
        p.log_prob(x).sum().backward()
        return x.grad

    agree(program)


@made
def test_quantiles(make):
    agree(lambda torch: [make(torch, distributions(torch)).icdf(torch.tensor(part)) for part in (0.1, 0.75)])


@made
def test_expanded(make):
    def program(torch):
        p = make(torch, distributions(torch))
        q = p.expand((3, *p.batch_shape))
        return q.sample(), q.log_prob(p.sample()), q.batch_shape, repr(q), q.mean

    agree(program)


def test_gradients():
    def program(torch):
        d = distributions(torch)
        loc = torch.zeros(2, requires_grad=True)
        scale = torch.ones(2, requires_grad=True)
        logits = torch.tensor([[0.1, 0.2, 0.3], [1.0, 0.0, -1.0]], requires_grad=True)
        p, q = d.Normal(loc, scale.exp()), d.Categorical(logits=logits)
        loss = (
            (p.rsample() ** 2).sum()
            + q.log_prob(q.sample()).sum()
            + q.entropy().sum()
            + p.log_prob(torch.ones(2)).sum()
        )
        loss = loss + d.kl_divergence(p, d.Normal(1.0, 2.0)).sum()
        loss.backward()
        return loc.grad, scale.grad, logits.grad, p.sample().requires_grad

    agree(program)


def test_gradients_of_gamma_samples():
    """How samples move with concentrations, by the definition: so that their probability stays."""
    from scipy import stats

    import chainrule as cr
    from chainrule.distributions.gamma_samples import standard_gamma_grad

    for a in (0.02, 0.5, 1.0, 3.0, 40.0, 900.0):
        for probability in (0.02, 0.5, 0.97):
            x, step = stats.gamma.ppf(probability, a), a * 1e-5
            want = (stats.gamma.ppf(probability, a + step) - stats.gamma.ppf(probability, a - step)) / (2 * step)
            got = standard_gamma_grad(*(cr.tensor(v, dtype=cr.float64) for v in (a, x))).item()
            assert got == pytest.approx(want, rel=1e-5)


def test_gradients_of_beta_samples():
    from scipy import stats

    import chainrule as cr
    from chainrule.distributions.gamma_samples import dirichlet_grad

    for a in (0.05, 0.5, 1.0, 3.0, 40.0):
        for b in (0.2, 1.0, 2.0, 30.0):
            for probability in (0.05, 0.5, 0.9):
                x, step = stats.beta.ppf(probability, a, b), a * 1e-5
                if not x < 1 - 1e-6:
                    continue
                ends = (stats.beta.ppf(probability, a + sign * step, b) for sign in (1, -1))
                want = (next(ends) - next(ends)) / (2 * step) / (1 - x)
                got = dirichlet_grad(*(cr.tensor(v, dtype=cr.float64) for v in (x, a, a + b))).item()
                assert got == pytest.approx(want, rel=1e-4)


def test_gradients_through_samples():
    def program(torch):
        d = distributions(torch)
        c = torch.tensor([2.0, 3.0, 5.0], dtype=torch.float64, requires_grad=True)
        samples = [d.Gamma(c, 2.0).rsample((50,)), d.Beta(c, 2.0).rsample((50,)), d.Dirichlet(c).rsample((50,))]
        (gradient,) = torch.autograd.grad(sum((s * s).sum() for s in samples), c)
        others = [d.VonMises(c, c).sample(), d.MultivariateNormal(c, torch.eye(3).double()).rsample().sum().backward()]
        return samples, [round(g, 1) for g in gradient.tolist()], others[0], c.grad

    agree(program)


PAIRS = {
    "Normal": lambda torch, d: (d.Normal(torch.zeros(2), 1.0), d.Normal(1.0, 3.0)),
    "Bernoulli": lambda torch, d: (
        d.Bernoulli(torch.tensor([0.0, 0.5, 1.0])),
        d.Bernoulli(torch.tensor([0.2, 0.0, 1.0])),
    ),
    "Categorical": lambda torch, d: (
        d.Categorical(torch.tensor([[0.5, 0.5], [1.0, 0.0]])),
        d.Categorical(torch.tensor([0.0, 1.0])),
    ),
    "Exponential": lambda torch, d: (d.Exponential(2.0), d.Exponential(torch.tensor([1.0, 3.0]))),
    "Uniform": lambda torch, d: (d.Uniform(0.0, 1.0), d.Uniform(torch.tensor([-1.0, 0.5]), 2.0)),
    "Independent": lambda torch, d: (
        d.Independent(d.Normal(torch.zeros(2, 3), 1.0), 1),
        d.Independent(d.Normal(torch.ones(3).expand(2, 3), 2.0), 1),
    ),
    "MultivariateNormal": lambda torch, d: (
        d.MultivariateNormal(torch.zeros(2), torch.eye(2) * 3),
        d.MultivariateNormal(torch.ones(3, 2), torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
    ),
    "low rank": lambda torch, d: (
        d.MultivariateNormal(torch.zeros(2), torch.eye(2) * 3),
        d.LowRankMultivariateNormal(torch.ones(2), torch.ones(2, 1), torch.ones(2)),
    ),
    "from low rank": lambda torch, d: (
        d.LowRankMultivariateNormal(torch.ones(2), torch.ones(2, 1), torch.ones(2)),
        d.MultivariateNormal(torch.zeros(2), torch.eye(2) * 3),
    ),
    "both of low rank": lambda torch, d: (
        d.LowRankMultivariateNormal(torch.ones(2), torch.ones(2, 1), torch.ones(2)),
        d.LowRankMultivariateNormal(torch.zeros(3, 2), torch.tensor([[1.0], [0.5]]), torch.ones(2) * 2),
    ),
    "Dirichlet": lambda torch, d: (d.Dirichlet(torch.tensor([1.0, 2.0])), d.Dirichlet(torch.tensor([0.5, 4.0]))),
    "Binomial": lambda torch, d: (d.Binomial(torch.tensor(3), torch.tensor(0.3)), d.Binomial(2, torch.tensor(0.5))),
    "OneHotCategorical": lambda torch, d: (
        d.OneHotCategorical(torch.tensor([0.2, 0.8])),
        d.OneHotCategorical(torch.tensor([0.5, 0.5])),
    ),
    "Cauchy": lambda torch, d: (d.Cauchy(0.0, 1.0), d.Cauchy(torch.tensor([1.0, 2.0]), 3.0)),
    "Geometric": lambda torch, d: (d.Geometric(torch.tensor(0.3)), d.Geometric(torch.tensor(0.6))),
    "HalfNormal": lambda torch, d: (d.HalfNormal(torch.tensor(0.3)), d.HalfNormal(torch.tensor(0.6))),
    "LogNormal": lambda torch, d: (d.LogNormal(0.0, 1.0), d.LogNormal(1.0, torch.tensor([2.0, 3.0]))),
    "unlike transforms": lambda torch, d: (d.LogNormal(0.0, 1.0), d.HalfNormal(1.0)),
    "unlike": lambda torch, d: (d.Uniform(0.0, 1.0), d.Categorical(torch.ones(2))),
}


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS.keys())
def test_divergences(make):
    agree(lambda torch: distributions(torch).kl_divergence(*make(torch, distributions(torch))))


SIMPLE = {
    "Beta": lambda torch, d: d.Beta(torch.tensor(2.0), torch.tensor(3.0)),
    "Bernoulli": lambda torch, d: d.Bernoulli(torch.tensor(0.3)),
    "Binomial": lambda torch, d: d.Binomial(3, torch.tensor(0.3)),
    "ContinuousBernoulli": lambda torch, d: d.ContinuousBernoulli(torch.tensor(0.3)),
    "Exponential": lambda torch, d: d.Exponential(torch.tensor(1.5)),
    "Gamma": lambda torch, d: d.Gamma(torch.tensor(1.5), torch.tensor(2.0)),
    "Gumbel": lambda torch, d: d.Gumbel(torch.tensor(0.5), torch.tensor(2.0)),
    "Laplace": lambda torch, d: d.Laplace(torch.tensor(0.5), torch.tensor(2.0)),
    "Normal": lambda torch, d: d.Normal(torch.tensor(-0.5), torch.tensor(1.5)),
    "Pareto": lambda torch, d: d.Pareto(torch.tensor(0.2), torch.tensor(3.5)),
    "Poisson": lambda torch, d: d.Poisson(torch.tensor(2.5)),
    "Uniform": lambda torch, d: d.Uniform(torch.tensor(0.25), torch.tensor(0.75)),
}


@pytest.mark.parametrize("q", SIMPLE)
@pytest.mark.parametrize("p", SIMPLE)
def test_divergences_between_families(p, q):
    def program(torch):
        d = distributions(torch)
        return d.kl_divergence(SIMPLE[p](torch, d), SIMPLE[q](torch, d))

    agree(program)


TRANSFORMS = {
    "exp": lambda torch, d: d.ExpTransform(),
    "power": lambda torch, d: d.ComposeTransform([d.ExpTransform(), d.PowerTransform(torch.tensor(2.0))]),
    "sigmoid": lambda torch, d: d.SigmoidTransform(),
    "softplus": lambda torch, d: d.SoftplusTransform(cache_size=1),
    "tanh": lambda torch, d: d.TanhTransform(),
    "abs": lambda torch, d: d.AbsTransform(),
    "affine": lambda torch, d: d.AffineTransform(torch.tensor([1.0, 2.0, 3.0]), -2.0, event_dim=1),
    "softmax": lambda torch, d: d.SoftmaxTransform(),
    "sticks": lambda torch, d: d.StickBreakingTransform(),
    "correlations": lambda torch, d: d.CorrCholeskyTransform(),
    "factors": lambda torch, d: d.ComposeTransform(
        [d.ReshapeTransform((4, 3), (4, 3)), d.ReshapeTransform((12,), (12,))]
    ),
    "shape": lambda torch, d: d.ReshapeTransform((4, 3), (2, 6)),
    "independent": lambda torch, d: d.IndependentTransform(d.ExpTransform(), 1),
    "inverse": lambda torch, d: d.TanhTransform().inv.inv,
    "cat": lambda torch, d: d.CatTransform([d.ExpTransform(), d.AffineTransform(0.0, 2.0)], -1, [1, 2]),
    "stack": lambda torch, d: d.StackTransform([d.ExpTransform(), d.TanhTransform(), d.ExpTransform()], -1),
    "cdf": lambda torch, d: d.CumulativeDistributionTransform(d.Normal(0.0, 2.0)),
    "triangles": lambda torch, d: d.LowerCholeskyTransform(),
}


@pytest.mark.parametrize("make", TRANSFORMS.values(), ids=TRANSFORMS.keys())
def test_transforms(make):
    def program(torch):
        t = make(torch, distributions(torch))
        x = torch.randn(2, 4, 4)[..., : 4 if "Lower" in repr(t) else 3]
        y = t(x)
        values = [y, t.inv(y), repr(t), str(t.domain), str(t.codomain), t.bijective, t.forward_shape(x.shape)]
        values += [t.inverse_shape(y.shape), t.inv(y) is x, t == make(torch, distributions(torch))]
        return [*values, t.log_abs_det_jacobian(x, y) if t.bijective else None]

    agree(program)


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize(
    "name",
    [
        "real", "positive", "nonnegative", "unit_interval", "simplex", "lower_cholesky", "positive_definite",
        "corr_cholesky", "real_vector", "boolean", "greater_than(2.0)", "less_than(2.0)", "interval(1.0, 3.0)",
        "independent(constraints.positive, 1)", "half_open_interval(0.0, 1.0)",
    ],
)  # fmt: skip
def test_registry(registry, name):
    def program(torch):
        d = distributions(torch)
        constraint = eval(f"constraints.{name}", {"constraints": d.constraints})
        t = getattr(d, registry)(constraint)
        value = t(torch.randn(2, 3, 3))
        return value, str(t), constraint.check(value)

    agree(program)


@pytest.mark.parametrize(
    "name",
    [
        "positive_definite",
        "positive_semidefinite",
        "symmetric",
        "square",
        "lower_triangular",
        "lower_cholesky",
        "corr_cholesky",
        "one_hot",
        "multinomial(3)",
        "positive_integer",
        "nonnegative_integer",
        "stack([constraints.positive, constraints.real])",
        "cat([constraints.positive, constraints.real], -1)",
        "dependent",
    ],
)
def test_constraints(name):
    def program(torch):
        constraints = distributions(torch).constraints
        constraint = eval(f"constraints.{name}", {"constraints": constraints})
        values = torch.tensor([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.6, 0.8]]])
        return str(constraint), constraint.event_dim, constraint.is_discrete, constraint.check(values)

    agree(program)


def test_names():
    import torch

    import chainrule

    ours, theirs = chainrule.distributions, torch.distributions
    assert set(theirs.__all__) <= set(dir(ours))
    assert set(theirs.constraints.__all__) <= set(dir(ours.constraints))
    assert set(theirs.utils.__all__) <= set(dir(ours.utils))
    pairs = ({(p.__name__, q.__name__) for p, q in rules} for rules in (theirs.kl._KL_REGISTRY, ours.kl._rules))
    assert next(pairs) == next(pairs)


ERRORS = {
    "scale": lambda torch, d: d.Normal(0.0, -1.0),
    "nan": lambda torch, d: d.Normal(float("nan"), 1.0),
    "probs": lambda torch, d: d.Categorical(torch.tensor([-1.0, 2.0])),
    "one probability": lambda torch, d: d.Bernoulli(2.0),
    "category": lambda torch, d: d.Categorical(torch.ones(3)).log_prob(torch.tensor(5)),
    "no dimension": lambda torch, d: d.Categorical(torch.tensor(1.0)),
    "bounds": lambda torch, d: d.Uniform(1.0, 0.0),
    "neither": lambda torch, d: d.Bernoulli(),
    "both": lambda torch, d: d.Categorical(torch.ones(2), torch.ones(2)),
    "shape": lambda torch, d: d.Normal(torch.zeros(2), 1.0).log_prob(torch.ones(3)),
    "number": lambda torch, d: d.Normal(0.0, 1.0).log_prob(3),
    "outside": lambda torch, d: d.Uniform(0.0, 1.0).log_prob(torch.tensor(2.0)),
    "dimensions": lambda torch, d: d.Independent(d.Normal(torch.zeros(2), 1.0), 2),
    "text": lambda torch, d: d.Normal("a", 1.0),
    "matrix": lambda torch, d: d.MultivariateNormal(torch.zeros(2), -torch.eye(2)),
    "two matrices": lambda torch, d: d.MultivariateNormal(torch.zeros(2), torch.eye(2), torch.eye(2)),
    "no matrix": lambda torch, d: d.MultivariateNormal(torch.zeros(2), torch.ones(2)),
    "columns": lambda torch, d: d.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2)),
    "never": lambda torch, d: d.Geometric(torch.tensor(0.0)),
    "counts": lambda torch, d: d.Multinomial(torch.tensor([1, 2]), torch.ones(2)),
    "different counts": lambda torch, d: d.Binomial(torch.tensor([1, 2]), torch.tensor(0.5)).entropy(),
    "size": lambda torch, d: d.LKJCholesky(1),
    "mixture": lambda torch, d: d.MixtureSameFamily(d.Categorical(torch.ones(3)), d.Normal(torch.zeros(2), 1.0)),
    "not a transform": lambda torch, d: d.TransformedDistribution(d.Normal(0.0, 1.0), [1]),
    "cache": lambda torch, d: d.ExpTransform(cache_size=2),
    "freedom": lambda torch, d: d.Wishart(torch.tensor(0.5), torch.eye(2)),
    "outside gamma": lambda torch, d: d.Gamma(1.0, 1.0).log_prob(torch.tensor(-1.0)),
    "simplex": lambda torch, d: d.Dirichlet(torch.ones(2)).log_prob(torch.ones(2)),
    "unchecked": lambda torch, d: d.Normal(0.0, -1.0, validate_args=False).log_prob(torch.tensor(1.0)),
    "support": lambda torch, d: d.Bernoulli(torch.ones(2) / 2).enumerate_support(),
    "support of categories": lambda torch, d: d.Categorical(torch.ones(2, 3)).enumerate_support(expand=False),
    "no support": lambda torch, d: d.Normal(0.0, 1.0).enumerate_support(),
    "no gradient": lambda torch, d: d.Bernoulli(0.5).rsample(),
    "quantile": lambda torch, d: (
        d.Normal(0.0, 2.0).icdf(torch.tensor(0.3)),
        d.Uniform(0.0, 2.0).icdf(torch.tensor(0.3)),
    ),
}


@pytest.mark.parametrize("make", ERRORS.values(), ids=ERRORS.keys())
def test_errors(make):
    agree(lambda torch: make(torch, distributions(torch)), words=0 if make is ERRORS["no gradient"] else 5)


def test_supports_of_classes():
    def program(torch):
        d = torch.distributions
        kinds = (d.Uniform, d.Binomial, d.Categorical, d.Multinomial, d.Pareto)
        return [
            (k.support.is_discrete, k.support.event_dim, isinstance(k.support, d.constraints.Constraint)) for k in kinds
        ]

    agree(program)


def test_a_distribution_without_constraints_warns():
    class Point(chainrule.distributions.Distribution):
        def log_prob(self, value):
            self._validate_sample(value)
            return value

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        point = Point(validate_args=True)
    with pytest.warns(UserWarning, match="does not define `support`"):
        point.log_prob(chainrule.ones(2))


def test_the_shape_of_an_event_must_be_that_of_the_distribution():
    agree(lambda torch: torch.distributions.Dirichlet(torch.ones(3)).log_prob(torch.ones(2, 1)), words=5)
