"""Whole training steps: zero_grad, forward, loss, backward, and the optimiser."""

from harness import Workload, main
from modules import network


def with_optimiser(name, **options):
    """The small network, and an optimiser of that name for it."""

    def names(torch):
        made = network(torch)
        optimiser = getattr(torch.optim, name)(made["net"].parameters(), **options)
        made["net"](made["x"]).sum().backward()  # gradients to step on
        return {**made, "opt": optimiser}

    return names


def step(torch):
    """A step that the schedule watches too."""
    made = with_optimiser("SGD", lr=1e-3)(torch)
    return {**made, "schedule": torch.optim.lr_scheduler.StepLR(made["opt"], 10)}


def large(torch):
    """Four million parameters in eight tensors, all with a gradient."""
    torch.manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(512, 1024)) for _ in range(8)]
    for p in params:
        p.grad = torch.randn(512, 1024)
    return {"params": params, "opt": torch.optim.Adam(params)}


TRAINING = "opt.zero_grad()\n    mse(net(x), y).backward()\n    opt.step()"
PARAMETERS = "[p for p in net.parameters()]"

WORKLOADS = [
    Workload(
        "4-16-16-1 network, batch 1: zero_grad, forward, loss, backward, Adam",
        bar=1 / 6,
        names=with_optimiser("Adam"),
        statement=f"for _ in range(50):\n    {TRAINING}",
        result=PARAMETERS,
    ),
    *(
        Workload(
            f"4-16-16-1 network: {name}'s step",
            bar=1 / 6,
            names=with_optimiser(name, **options),
            statement="for _ in range(50):\n    opt.step()",
            result=PARAMETERS,
            rounds=10,
        )
        for name, options in (
            ("SGD", {"momentum": 0.9}),
            ("Adam", {}),
            ("AdamW", {}),
            ("RMSprop", {}),
            ("Adagrad", {}),
            ("Rprop", {}),
            ("ASGD", {}),
        )
    ),
    Workload(
        "a schedule's step (StepLR)",
        bar=1.0,
        names=step,
        statement="opt.step()\nfor _ in range(50):\n    schedule.step()",
        result="schedule.get_last_lr()",
        rounds=10,
    ),
    Workload(
        "4M parameters in 8 tensors: Adam's step",
        bar=1 / 2,
        names=large,
        statement="opt.step()",
        result="params[0][0, :8]",
        rounds=10,
    ),
]

if __name__ == "__main__":
    main("training_step", WORKLOADS)
