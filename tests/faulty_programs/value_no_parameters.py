"""An optimiser without parameters."""

# cause: empty parameter list
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # HERE
