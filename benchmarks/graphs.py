"""Small graphs forward and backward: many nodes, little arithmetic."""

from harness import Workload, main, ramp


def elementwise(torch):
    def run(x, w):
        y = x
        for _ in range(25):
            y = ((y * w).sin() + x).tanh()
        return y

    x, w = ramp(torch, 16), ramp(torch, 16) + 0.5
    return {"run": run, "x": x.requires_grad_(), "w": w.requires_grad_(), "ones": torch.ones(16)}


def scalars(torch):
    def run(weights, inputs):
        total = inputs[0]
        for w, x in zip(weights, inputs, strict=True):
            total = total + (w * x + 0.5).tanh()
        return total

    def clear(weights):
        for w in weights:
            w.grad = None

    values = [0.01 * i - 1 for i in range(250)]
    inputs = [torch.tensor(v) for v in values]
    return {
        "run": run,
        "clear": clear,
        "weights": [torch.tensor(-v, requires_grad=True) for v in values],
        "inputs": inputs,
    }


WORKLOADS = [
    Workload(
        "100 elementwise ops on 16 floats, forward and backward",
        bar=1 / 30,
        names=elementwise,
        statement="x.grad = w.grad = None; y = run(x, w); y.backward(ones)",
        result="[y, x.grad, w.grad]",
    ),
    Workload(
        "a graph of 1,000 scalars, forward and backward",
        bar=1 / 30,
        names=scalars,
        statement="clear(weights); y = run(weights, inputs); y.backward()",
        result="[y] + [w.grad for w in weights]",
    ),
]

if __name__ == "__main__":
    main("graphs", WORKLOADS)
