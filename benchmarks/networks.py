"""The operations that neural networks stand on, forward and backward: one thread, beside PyTorch."""

from harness import Workload, main, ramp


def function(torch, name):
    """PyTorch keeps some of these in torch._C._nn, and chainrule in its core."""
    if hasattr(torch, "_core"):
        return torch._core.functions[name]
    return getattr(torch, name, None) or getattr(torch._C._nn, name)


def leaves(torch, **shapes):
    return {name: ramp(torch, *shape).requires_grad_() for name, shape in shapes.items()}


def scores(torch):
    x = ramp(torch, 4096, 8192).requires_grad_()
    return {"x": x, "target": torch.arange(4096) * 37 % 8192, "loss": function(torch, "cross_entropy_loss")}


def table(torch):
    weight = ramp(torch, 100_000, 64).requires_grad_()
    rows = torch.arange(16_384) * 7919 % 100_000
    return {"weight": weight, "rows": rows, "torch": torch, "g": ramp(torch, 16_384, 64), "lists": ([weight], [])}


def rows(torch):
    return {**leaves(torch, x=(8192, 1024), w=(1024,), b=(1024,)), "g": ramp(torch, 8192, 1024), "torch": torch}


def layer(torch):
    names = leaves(torch, x=(8192, 64), w=(512, 64), b=(512,))
    return {**names, "g": ramp(torch, 8192, 512), "torch": torch, "linear": function(torch, "linear")}


def images(torch):
    return {**leaves(torch, x=(64, 64, 32, 32), w=(64,), b=(64,)), "g": ramp(torch, 64, 64, 32, 32), "torch": torch}


def convolution(batch, channels, out, size, **options):
    def names(torch):
        x = ramp(torch, batch, channels, size, size).requires_grad_()
        w = (ramp(torch, out, channels // options.get("groups", 1), 3, 3) * 0.05).requires_grad_()
        return {"x": x, "w": w, "b": ramp(torch, out).requires_grad_(), "torch": torch, "options": options}

    return names


def pooled(torch):
    x = ramp(torch, 64, 32, 32, 32).requires_grad_()
    return {"x": x, "g": ramp(torch, 64, 32, 16, 16), "torch": torch}


def attention(torch):
    q, k, v = (ramp(torch, 16, 4, 64, 32).flip(i).requires_grad_() for i in range(3))
    f = function(torch, "scaled_dot_product_attention")
    later = torch.ones(64, 64).tril() == 0
    return {"q": q, "k": k, "v": v, "g": ramp(torch, 16, 4, 64, 32), "attention": f, "later": later}


def recurrent(torch):
    weights = [(ramp(torch, *s) * 0.1).requires_grad_() for s in ((512, 64), (512, 128), (512,), (512,))]
    return {
        "x": ramp(torch, 50, 16, 64).requires_grad_(),
        "h": [torch.zeros(1, 16, 128), torch.zeros(1, 16, 128)],
        "w": weights,
        "torch": torch,
    }


def parameters(torch):
    shapes = [(784, 512), (512,), (512, 512), (512,), (512, 10), (10,)]
    lists = [[ramp(torch, *s).abs() for s in shapes] for _ in range(4)]
    return {"lists": lists, "steps": [torch.tensor(3.0) for _ in shapes], "torch": torch}


STEP = "lr=1e-6, beta1=0.9, beta2=0.999, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False"
CONVOLVE = "x.grad = w.grad = b.grad = None; y = torch.conv2d(x, w, b, **options); y.backward(y.detach())"
CONVOLVED = "[y[::7, ::5, ::3, ::3], x.grad[::7, ::5, ::3, ::3]]"

WORKLOADS = [
    Workload(
        "cross-entropy on (4096, 8192), forward and backward",
        bar=0.35,
        names=scores,
        statement="x.grad = None; y = loss(x, target, None, 1); y.backward()",
        result="[y, x.grad[::997, ::991]]",
        rounds=7,
    ),
    Workload(
        "embedding 100k x 64, 16k look-ups, SGD step",
        bar=0.6,
        names=table,
        statement="weight.grad = None; torch.embedding(weight, rows).backward(g)\n"
        "with torch.no_grad():\n"
        "    torch._fused_sgd_([weight], [weight.grad], [], weight_decay=0.0, momentum=0.0, lr=1e-9, dampening=0.0,"
        " nesterov=False, maximize=False, is_first_step=True)",
        result="[weight[::991], weight.grad[::991]]",
        rounds=15,
    ),
    Workload(
        "layer_norm on (8192, 1024), forward and backward",
        bar=0.7,
        names=rows,
        statement="x.grad = w.grad = b.grad = None; y = torch.layer_norm(x, (1024,), w, b); y.backward(g)",
        result="[y[::997], x.grad[::997, ::991]]",
        rounds=9,
    ),
    Workload(
        "linear, bias and relu from (8192, 64) to 512",
        bar=0.7,
        names=layer,
        statement="with torch.no_grad(): y = torch.relu(linear(x, w, b)); y.data_ptr()",
        result="[y[::997]]",
        rounds=15,
    ),
    Workload(
        "linear, bias and relu from (8192, 64) to 512, forward and backward",
        bar=0.85,
        names=layer,
        statement="x.grad = w.grad = b.grad = None; y = torch.relu(linear(x, w, b)); y.backward(g)",
        result="[y[::997], x.grad[::997], w.grad[::31], b.grad]",
        rounds=15,
    ),
    Workload(
        "batch_norm on (64, 64, 32, 32), forward and backward",
        bar=0.9,
        names=images,
        statement="x.grad = w.grad = b.grad = None\n"
        "y = torch.batch_norm(x, w, b, None, None, True, 0.1, 1e-5, True); y.backward(g)",
        result="[y[::9, ::9, ::9], x.grad[::9, ::9, ::9]]",
        rounds=9,
    ),
    Workload("conv2d 64 -> 64 on 32x32, batch 64", 0.9, convolution(64, 64, 64, 32, padding=1), CONVOLVE, CONVOLVED, 5),
    Workload("conv2d 3 -> 32 on 32x32, batch 64", 0.9, convolution(64, 3, 32, 32, padding=1), CONVOLVE, CONVOLVED, 9),
    Workload(
        "conv2d 64 -> 128, stride 2", 1.1, convolution(32, 64, 128, 32, padding=1, stride=2), CONVOLVE, CONVOLVED, 7
    ),
    Workload("conv2d depthwise 64", 0.9, convolution(16, 64, 64, 32, padding=1, groups=64), CONVOLVE, CONVOLVED, 9),
    Workload(
        "max_pool2d on (64, 32, 32, 32), forward and backward",
        bar=0.9,
        names=pooled,
        statement="x.grad = None; y = torch.max_pool2d(x, 2); y.backward(g)",
        result="[y[::9, ::9], x.grad[::9, ::9]]",
        rounds=15,
    ),
    Workload(
        "causal attention, 16 x 4 heads of 32, length 64, forward and backward",
        bar=0.75,
        names=attention,
        statement="q.grad = k.grad = v.grad = None; y = attention(q, k, v, is_causal=True); y.backward(g)",
        result="[y[::5], q.grad[::5], k.grad[::5], v.grad[::5]]",
        rounds=15,
    ),
    Workload(
        "causal attention in plain operations, 16 x 4 heads of 32, length 64, forward and backward",
        bar=0.9,
        names=attention,
        statement="q.grad = k.grad = v.grad = None\n"
        "y = (q @ k.mT * 32**-0.5).masked_fill(later, float('-inf')).softmax(-1) @ v; y.backward(g)",
        result="[y[::5], q.grad[::5], k.grad[::5], v.grad[::5]]",
        rounds=15,
    ),
    Workload(
        "LSTM 64 -> 128, 50 steps, batch 16, forward and backward",
        bar=0.6,
        names=recurrent,
        statement="x.grad = None\nfor p in w: p.grad = None\n"
        "y = torch.lstm(x, h, w, True, 1, 0.0, True, False, False)[0]; y.sum().backward()",
        result="[y[::7], x.grad[::7]]",
        rounds=7,
    ),
    Workload(
        "AdamW step over the MLP's 670k parameters",
        bar=0.9,
        names=parameters,
        statement=f"torch._fused_adamw_(*lists, [], steps, {STEP})",
        result="[lists[0][0][::97], lists[2][2][::97]]",
        rounds=15,
    ),
]

if __name__ == "__main__":
    main("networks", WORKLOADS)
