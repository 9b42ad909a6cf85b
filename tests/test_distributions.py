"""Distributions: samples, densities, moments, divergences and errors as in PyTorch, for the same seeds."""

from __future__ import annotations

import pytest

from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

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
}
made = pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())


def distributions(torch):
    import importlib

    return importlib.import_module(f"{torch.__name__}.distributions")


@made
@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
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
    "unlike": lambda torch, d: (d.Uniform(0.0, 1.0), d.Categorical(torch.ones(2))),
}


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS.keys())
def test_divergences(make):
    agree(lambda torch: distributions(torch).kl_divergence(*make(torch, distributions(torch))))


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
