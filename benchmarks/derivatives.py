"""Functions of functions: Hessians, Jacobians, per-sample gradients, and gradients that a program writes itself."""

from harness import Workload, libraries, main, ramp  # noqa: F401


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def vector(size):
    def make(torch):
        def mixed(x):
            return (weight @ x).tanh() * x.sum()

        weight = ramp(torch, size, size) / size
        return {"torch": torch, "x": ramp(torch, size) / 3, "rosenbrock": rosenbrock, "mixed": mixed}

    return make


def network(torch):
    """The 784-512-512-10 network and a batch of 32 for it."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(ramp(torch, *p.shape) / 100)
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(parameters, image, label):
        scores = torch.func.functional_call(model, parameters, (image.unsqueeze(0),))
        return nn.functional.cross_entropy(scores, label.unsqueeze(0))

    images, labels = ramp(torch, 32, 784), torch.arange(32) % 10
    per_sample = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return {"per_sample": per_sample, "parameters": parameters, "images": images, "labels": labels}


def custom(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx, g):
            ctx.saved_tensors  # noqa: B018
            return g

    x = torch.tensor([2.0], requires_grad=True)
    return {"torch": torch, "cube": Cube.apply, "x": x, "one": torch.ones(1)}


WORKLOADS = [
    Workload("func.hessian, 100 numbers", 1.0, vector(100), "r = torch.func.hessian(rosenbrock)(x)", "[r / 1000]", 15),
    Workload(
        "hessian of a layer, 100 numbers",
        1.0,
        vector(100),
        "r = torch.func.hessian(lambda x: mixed(x).sum())(x)",
        "[r / r.abs().max()]",
        15,
    ),
    Workload("func.jacrev, 100 x 100", 1.0, vector(100), "r = torch.func.jacrev(mixed)(x)", "[r]", 15),
    Workload("func.jacfwd, 100 x 100", 1.0, vector(100), "r = torch.func.jacfwd(mixed)(x)", "[r]", 15),
    Workload("func.jacrev, 5 x 5", 1.0, vector(5), "r = torch.func.jacrev(mixed)(x)", "[r]", 15),
    Workload("func.jacfwd, 5 x 5", 1.0, vector(5), "r = torch.func.jacfwd(mixed)(x)", "[r]", 15),
    Workload(
        "per-sample gradients, 32 through 784-512-512-10",
        1.0,
        network,
        "r = per_sample(parameters, images, labels)",
        "[r['4.weight'] / 100, r['0.bias'] / 100]",
        5,
    ),
    Workload("custom Function, forward", 0.33, custom, "y = cube(x)", "[y.detach()]", 25),
    Workload(
        "custom Function, forward and backward",
        0.33,
        custom,
        "torch.autograd.grad(cube(x), x, one)",
        "list(torch.autograd.grad(cube(x), x, one))",
        25,
    ),
]

if __name__ == "__main__":
    main("derivatives", WORKLOADS)
