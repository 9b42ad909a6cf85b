"""Modules as functions, ensembles and per-sample gradients, against PyTorch."""

from __future__ import annotations

import warnings

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def filled(torch, module):
    """The module with numbers that are the same in both libraries."""
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.linspace(-0.5, 0.7, p.numel()).reshape(p.shape))
    return module


def rows(torch, *shape):
    count = 1
    for n in shape:
        count *= n
    return torch.linspace(-1.0, 1.0, count).reshape(shape)


def tied(torch):
    module = filled(torch, torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False)))
    module[1].weight = module[0].weight
    return module


def linear(torch):
    return filled(torch, torch.nn.Linear(2, 1))


CALLS = {
    "one dict": lambda t, call: call(linear(t), {"weight": t.ones(1, 2)}, rows(t, 3, 2)),
    "tuple of arguments": lambda t, call: call(linear(t), {"bias": t.ones(1)}, (rows(t, 3, 2),)),
    "keywords": lambda t, call: call(linear(t), {"bias": t.ones(1)}, kwargs={"input": rows(t, 3, 2)}),
    "several dicts": lambda t, call: call(linear(t), ({"weight": t.ones(1, 2)}, {"bias": t.ones(1)}), rows(t, 3, 2)),
    "twice": lambda t, call: call(linear(t), ({"bias": t.ones(1)}, {"bias": t.ones(1)}), rows(t, 3, 2)),
    "no dict": lambda t, call: call(linear(t), 3, rows(t, 3, 2)),
    "no dicts": lambda t, call: call(linear(t), [3], rows(t, 3, 2)),
    "strict and missing": lambda t, call: call(linear(t), {"bias": t.ones(1)}, rows(t, 3, 2), strict=True),
    "tied": lambda t, call: call(tied(t), {"0.weight": t.eye(2)}, rows(t, 3, 2)),
    "tied by its other name": lambda t, call: call(tied(t), {"1.weight": t.eye(2)}, rows(t, 3, 2)),
    "untied": lambda t, call: call(tied(t), {"0.weight": t.eye(2)}, rows(t, 3, 2), tie_weights=False),
    "tied and different": lambda t, call: call(
        tied(t), {"0.weight": t.eye(2), "1.weight": t.ones(2, 2)}, rows(t, 3, 2)
    ),
}


CALLS["one dict"](chainrule, chainrule.func.functional_call)  # what is loaded at the first use is no leak


@pytest.mark.parametrize("case", CALLS)
def test_functional_call(case):
    agree(lambda torch: CALLS[case](torch, torch.func.functional_call), words=1, tolerance=1e-6)


def counting(torch):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))
            self.factor = torch.full((1,), 2.0)

        def forward(self, x):
            self.count = self.count + 1
            return x * self.factor * getattr(self, "extra", 1) + self.count

    return Counting()


@pytest.mark.parametrize("name", ["factor", "extra", "count"])
def test_attributes_and_buffers_of_a_functional_call(name):
    def program(torch):
        module, given = counting(torch), {name: torch.full((1,), 5.0)}
        y = torch.func.functional_call(module, given, torch.ones(1))
        return [y, given, hasattr(module, "extra"), module.count, module.factor]

    agree(program)


@pytest.mark.parametrize(
    "given", [{"0.nothing.x": 1}, {"0.weight": 3}, {"0.in_features": None}, {"": None}, {"9.w": 1}]
)
def test_names_that_lead_nowhere(given):
    def program(torch):
        module = torch.nn.Sequential(torch.nn.Linear(1, 1))
        tensors = {name: value if value == 3 else torch.ones(1, 1) for name, value in given.items()}
        torch.func.functional_call(module, tensors, torch.ones(1, 1))

    agree(program, words=4)


def test_a_module_inside_itself():
    def program(torch):
        module = torch.nn.Sequential(torch.nn.Linear(1, 1))
        module[0].outer = module
        given = {"0.outer.0.weight": torch.full((1, 1), 3.0), "0.bias": torch.zeros(1)}
        y = torch.func.functional_call(module, given, torch.ones(1, 1), tie_weights=False)
        del module[0].outer
        return y

    agree(program)


def test_the_module_is_as_before():
    def program(torch):
        module = linear(torch)
        before = module.weight
        with pytest.raises(RuntimeError):
            torch.func.functional_call(module, {"weight": torch.ones(5, 5)}, rows(torch, 3, 2))
        return module.weight is before, module.weight

    agree(program)


def test_gradients_through_functional_call():
    def program(torch):
        module, given = linear(torch), torch.ones(1, 2, requires_grad=True)
        torch.func.functional_call(module, {"weight": given}, rows(torch, 3, 2)).square().sum().backward()
        return given.grad, module.weight.grad, module.bias.grad

    agree(program, tolerance=1e-6)


def test_buffers_of_a_functional_call():
    def program(torch):
        module = filled(torch, torch.nn.BatchNorm1d(2))
        state = {"running_mean": torch.zeros(2), "running_var": torch.ones(2)}
        y = torch.func.functional_call(module, state, rows(torch, 4, 2))
        return y, state, module.running_mean, module.num_batches_tracked

    agree(program, tolerance=1e-5)


def test_stack_module_state():
    def program(torch):
        models = [filled(torch, torch.nn.Linear(2, 1)) for _ in range(3)]
        with torch.no_grad():
            for i, model in enumerate(models):
                model.weight.mul_(i)
        parameters, buffers = torch.func.stack_module_state(models)

        def call(p, b, x):
            return torch.func.functional_call(models[0], (p, b), (x,))

        y = torch.func.vmap(call, in_dims=(0, 0, None))(parameters, buffers, rows(torch, 4, 2))
        y.sum().backward()
        leaves = {name: (p.is_leaf, p.requires_grad) for name, p in parameters.items()}
        return y, leaves, buffers, parameters["weight"].grad

    agree(program, tolerance=1e-6)


@pytest.mark.parametrize("case", ["none", "modes", "classes", "buffers"])
def test_stacks_that_are_refused_or_have_buffers(case):
    def program(torch):
        nn = torch.nn
        models = {
            "none": list,
            "modes": lambda: [nn.Linear(2, 1), nn.Linear(2, 1).eval()],
            "classes": lambda: [nn.Linear(2, 1), nn.ReLU()],
            "buffers": lambda: [nn.BatchNorm1d(2), nn.BatchNorm1d(2)],
        }[case]()
        return torch.func.stack_module_state(models)

    agree(program, words=2)


# ---- per-sample gradients of ordinary models, in one call and without a loop


def convolutional(nn):
    return nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.GroupNorm(1, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)
    )


def strided(nn):
    return nn.Sequential(nn.ConvTranspose2d(1, 2, 2, stride=2), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32, 3))


def dense(nn):
    return nn.Sequential(nn.Flatten(), nn.Linear(16, 4), nn.LayerNorm(4), nn.Tanh(), nn.Linear(4, 3))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("architecture", [convolutional, strided, dense])
def test_per_sample_gradients(architecture, smoothing):
    def program(torch):
        model = filled(torch, architecture(torch.nn))
        state = {name: p.detach() for name, p in model.named_parameters()}

        def loss(state, image, label):
            scores = torch.func.functional_call(model, state, (image.unsqueeze(0),))
            return torch.nn.functional.cross_entropy(scores, label.unsqueeze(0), label_smoothing=smoothing)

        images, labels = rows(torch, 4, 1, 4, 4).sin(), torch.tensor([0, 1, 2, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("error" if torch is chainrule else "ignore")  # a loop would warn
            return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(state, images, labels)

    agree(program, tolerance=1e-4)


def test_per_sample_gradients_of_an_embedding():
    def program(torch):
        table = rows(torch, 5, 3)

        def loss(table, words):
            found = torch.nn.functional.embedding(words, table)
            return torch.nn.functional.scaled_dot_product_attention(found, found, found).square().sum()

        words = torch.tensor([[0, 1, 1], [4, 3, 0]])
        return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(table, words)

    agree(program, tolerance=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_samples(reduction, weighted):
    def program(torch):
        f = torch.nn.functional
        weight = torch.tensor([1.0, 2.0, 0.5]) if weighted else None
        scores, labels = rows(torch, 2, 4, 3), torch.tensor([[0, 1, -100, 2], [2, 2, 1, -100]])

        def losses(x, y):
            options = {"weight": weight, "reduction": reduction}
            return f.cross_entropy(x, y, **options), f.nll_loss(x.log_softmax(-1), y, **options)

        one = torch.func.vmap(lambda x, y: f.cross_entropy(x, y, reduction=reduction))(rows(torch, 3, 3), labels[0, :3])
        soft = torch.func.vmap(lambda x, y: f.cross_entropy(x, y, reduction=reduction))(scores, scores.softmax(-1))
        return torch.func.vmap(losses)(scores, labels), one, soft

    agree(program, tolerance=1e-5)


def test_batch_norms_without_running_statistics():
    def program(torch):
        net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sequential(torch.nn.BatchNorm1d(2)))
        same = torch.func.replace_all_batch_norm_modules_(net) is net
        parameters = {name: rows(torch, *p.shape) for name, p in net.named_parameters()}
        outputs = torch.func.vmap(lambda x: torch.func.functional_call(net, parameters, (x,)))(rows(torch, 2, 4, 3))
        norm = net[1][0]
        return same, outputs, norm.running_mean, norm.track_running_stats, sorted(net.state_dict())

    agree(program, tolerance=1e-4)
