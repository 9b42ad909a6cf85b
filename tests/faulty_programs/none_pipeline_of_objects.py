"""A pipeline class with __getitem__ and a list of stages, one stage copies."""

# cause: detach|clone
# ask: torch.explain_none(w, loss)
import torch


class Stage:
    def __init__(self, f):
        self.f = f

    def run(self, x):
        return self.f(x)


class Pipeline:
    def __init__(self, *stages):
        self.stages = list(stages)

    def __call__(self, x):
        for stage in self.stages:
            x = stage.run(x)
        return x


w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
pipe = Pipeline(Stage(torch.tanh), Stage(lambda t: t.detach() * 2))  # HERE
loss = (pipe(w) * v).sum()
loss.backward()
