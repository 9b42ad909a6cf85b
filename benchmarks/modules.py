"""Small modules: what a step costs when the arithmetic costs nothing."""

from harness import Workload, main


def network(torch):
    """A network as reinforcement learning uses it: 4-16-16-1, one example at a time."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    )
    return {"net": net, "x": torch.randn(1, 4), "y": torch.randn(1, 1), "mse": torch.nn.functional.mse_loss}


FORWARD = Workload(
    "4-16-16-1 network, batch 1: forward",
    bar=1 / 8,
    names=network,
    statement="for _ in range(100):\n    out = net(x)",
    result="out",
)
STEP = Workload(
    "4-16-16-1 network, batch 1: zero_grad, forward, loss, backward",
    bar=1 / 12,
    names=network,
    statement="for _ in range(100):\n    net.zero_grad()\n    mse(net(x), y).backward()",
    result="[p.grad for p in net.parameters()]",
)
FRESH = Workload(
    "nn.Linear(16, 16), made and initialised",
    bar=1 / 2,
    names=lambda torch: {"nn": torch.nn, "seed": torch.manual_seed},
    statement="for _ in range(100):\n    seed(0)\n    layer = nn.Linear(16, 16)",
    result="layer.weight",
)

if __name__ == "__main__":
    main("modules", [FORWARD, STEP, FRESH])
