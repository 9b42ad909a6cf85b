"""Recorded steps, chainrule.record, beside the same steps of PyTorch as they are written."""

from graphs import elementwise
from harness import Workload, main
from whole_steps import RESULT, gpt, perceptron, plain_lstm, tiny, training


def replayed(torch, step, *given):
    """The step as a recording, where the library has them; it runs until it is replayed."""
    if not hasattr(torch, "record"):
        return step
    recorded = torch.record(step, strict=True)
    for _ in range(5):
        recorded(*given)
    return recorded


def network(make, optimiser, classes, **options):
    def names(torch):
        found = training(make, optimiser, **options)(torch)
        net, opt, functional = found["net"], found["opt"], torch.nn.functional
        criterion = functional.cross_entropy if classes else functional.mse_loss
        start = [p.detach().clone() for p in net.parameters()]

        def step(x, y):
            opt.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            opt.step()
            return loss

        found["step"] = replayed(torch, step, found["x"], found["y"])
        opt.state.clear()
        with torch.no_grad():
            for p, value in zip(net.parameters(), start, strict=True):
                p.copy_(value)
        return found

    return names


def chain(torch):
    found = elementwise(torch)
    run, x, w, ones = (found[name] for name in ("run", "x", "w", "ones"))

    def step():
        x.grad = w.grad = None
        y = run(x, w)
        y.backward(ones)
        return y

    return found | {"step": replayed(torch, step)}


def cells(torch):
    found = plain_lstm(torch)
    start = [p.detach().clone() for p in (*found["w"], found["b"])]
    step = replayed(torch, found["step"])
    with torch.no_grad():
        for p, value in zip((*found["w"], found["b"]), start, strict=True):
            p.copy_(value)
    return found | {"step": step}


STEP = "loss = step(x, y)"
WORKLOADS = [
    Workload(
        "recorded: 4-16-16-1 network, batch 1, Adam step",
        1 / 80,
        network(tiny, "Adam", False, lr=1e-4),
        f"for _ in range(50):\n    {STEP}",
        RESULT,
        20,
    ),
    Workload(
        "recorded: 100 elementwise ops on 16 floats, forward and backward",
        1 / 100,
        chain,
        "y = step()",
        "[y, x.grad, w.grad]",
        20,
    ),
    Workload("recorded: LSTM in plain operations, 50 steps", 1 / 25, cells, "loss = step()", "[loss] + w + [b]", 10),
    Workload("recorded: MLP, SGD step", 0.65, network(perceptron, "SGD", True, lr=1e-3), STEP, RESULT, 20),
    Workload("recorded: GPT, AdamW step", 0.65, network(gpt, "AdamW", True, lr=1e-4), STEP, RESULT, 8),
]

if __name__ == "__main__":
    main("recorded", WORKLOADS)
