"""One step with deepxde, on random weights."""

import os

os.environ["DDE_BACKEND"] = "pytorch"
import deepxde

deepxde.config.set_random_seed(0)
geometry = deepxde.geometry.Interval(-1, 1)
condition = deepxde.icbc.DirichletBC(geometry, lambda x: 0, lambda _, on_boundary: on_boundary)
data = deepxde.data.PDE(
    geometry,
    lambda x, y: deepxde.grad.hessian(y, x) + 1,
    condition,
    num_domain=16,
    num_boundary=2,
    train_distribution="uniform",
)
model = deepxde.Model(data, deepxde.nn.FNN([1, 8, 8, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-2, verbose=0)
history, _ = model.train(iterations=20, display_every=20, verbose=0)
print([float(v) for v in history.loss_train[-1]])
