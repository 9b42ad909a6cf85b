"""One step with gpytorch, on random weights."""

import gpytorch
import torch

torch.manual_seed(0)


class Model(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean, self.kernel = (
            gpytorch.means.ConstantMean(),
            gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel()),
        )

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


x = torch.linspace(0, 1, 8)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Model(x, x.sin(), likelihood)
loss = -gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)(model(x), x.sin())
loss.backward()
print(loss.item())
