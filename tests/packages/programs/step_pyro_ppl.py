"""One step with pyro-ppl, on random weights."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO

torch.manual_seed(0)
pyro.set_rng_seed(0)


def model(x):
    mean = pyro.sample("mean", dist.Normal(0.0, 1.0))
    with pyro.plate("data", len(x)):
        pyro.sample("x", dist.Normal(mean, 1.0), obs=x)


def guide(x):
    place = pyro.param("place", torch.tensor(0.0))
    pyro.sample("mean", dist.Normal(place, 0.1))


svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.1}), Trace_ELBO())
print([round(svi.step(torch.ones(4)), 4) for _ in range(3)])
