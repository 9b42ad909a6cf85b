"""The standard deviation of one sample."""

# cause: nan.*(std|var)
# under: nan_guard
import warnings

import torch

warnings.simplefilter("ignore")
x = torch.ones(1, requires_grad=True)
y = x.std()  # HERE
y.backward()
