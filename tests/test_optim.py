"""Optimisers against PyTorch: the same numbers over 20 steps for each option, state dicts, groups, hooks, errors."""

import copy
import importlib
import inspect
import pickle
import warnings

import pytest
import torch as reference

import chainrule
from both import agree, close, no_leaks, outcome  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

DECAY = {"weight_decay": 0.1}
COMMON = [{}, {"foreach": True}, {"maximize": True}, DECAY]
DECOUPLED = {**DECAY, "decoupled_weight_decay": True}
OPTIONS = {
    "SGD": [
        *COMMON,
        {"fused": True, "momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.3, **DECAY, "maximize": True},
        {"momentum": 0.9, "nesterov": True, **DECAY},
    ],
    "Adam": [*COMMON, {"fused": True}, {"amsgrad": True, **DECAY, "maximize": True}, {"eps": 0.1, "betas": (0.5, 0.7)}],
    "AdamW": [*COMMON, {"fused": True, "amsgrad": True}, {"amsgrad": True, "maximize": True}],
    "Adamax": [*COMMON, {"eps": 0.1, "betas": (0.5, 0.7), "maximize": True}],
    "NAdam": [*COMMON, DECOUPLED, {"momentum_decay": 0.1, "maximize": True}],
    "RAdam": [*COMMON, DECOUPLED, {"eps": 0.1, "betas": (0.5, 0.7)}],
    "Adagrad": [*COMMON, {"fused": True}, {"lr_decay": 0.1, "initial_accumulator_value": 0.5, **DECAY}],
    "Adadelta": [*COMMON, {"rho": 0.5, "eps": 0.01, **DECAY, "maximize": True}],
    "RMSprop": [
        *COMMON,
        {"momentum": 0.9},
        {"centered": True},
        {"centered": True, "momentum": 0.5, **DECAY, "maximize": True},
    ],
    "Rprop": [{}, {"foreach": True}, {"maximize": True, "etas": (0.3, 1.5), "step_sizes": (1e-3, 0.05)}],
    "ASGD": [*COMMON, {"t0": 5, "lambd": 0.1, "alpha": 0.5}],
    "Adafactor": [*COMMON, {"d": 2.0, "eps": (1e-3, 0.1), "beta2_decay": -0.5}],
}
CASES = [(name, options) for name, all_options in OPTIONS.items() for options in all_options]
FUSED = ["SGD", "Adam", "AdamW", "Adagrad"]


def of_module(torch, name):
    """A module of optim, which PyTorch hides behind functions of the same name."""
    return importlib.import_module(f"{torch.__name__}.optim.{name}")


def parameters(torch, dtype):
    return [torch.randn(shape, dtype=dtype).requires_grad_() for shape in ((3, 4), (4,), (), (2, 1, 3))]


def give_gradients(torch, params):
    for p in params:
        p.grad = torch.randn(p.shape, dtype=p.dtype)


def tolerance_in_double(name, options):
    """A few units in the last place; but PyTorch's foreach way of ASGD calculates its rates in float."""
    return 1e-7 if name == "ASGD" and "foreach" in options else 1e-14


def train(torch, name, options, dtype="float32", steps=20):
    params = parameters(torch, getattr(torch, dtype))
    optimizer = getattr(torch.optim, name)(params, **{"lr": 0.05, **options})
    for _ in range(steps):
        give_gradients(torch, params)
        optimizer.step()
    return [params, optimizer.state_dict()]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_twenty_steps(name, options):
    agree(lambda torch: train(torch, name, options), tolerance=2e-6)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_twenty_steps_in_double(name, options):
    agree(lambda torch: train(torch, name, options, "float64"), tolerance_in_double(name, options))


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "Adafactor"])
def test_complex_parameters(name):
    agree(lambda torch: train(torch, name, {}, "complex128"), tolerance=1e-13)
    momentum = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
    decay = {} if name == "Rprop" else DECAY
    agree(lambda torch: train(torch, name, {**momentum, **decay}, "complex64"), tolerance=5e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", list(OPTIONS))
def test_half_types_round_where_pytorch_rounds(name, dtype):
    agree(lambda torch: train(torch, name, {}, dtype, steps=3), tolerance=0.02)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in ("Adam", "AdamW")])
def test_a_learning_rate_in_a_tensor(name):
    agree(lambda torch: train(torch, name, {"lr": torch.tensor([0.05])}, "float64"), tolerance=1e-13)


def test_numbers_of_adam_in_tensors():
    def program(torch):
        betas = torch.tensor(0.9), torch.tensor([0.99])
        return [
            train(torch, name, {"lr": torch.tensor(0.05), "betas": betas, "weight_decay": 0.1})
            for name in ("Adam", "AdamW")
        ]

    agree(program)


def test_a_step_in_layouts_that_are_not_contiguous():
    def program(torch):
        base = torch.randn(6, 5)
        params = [torch.randn(4, 3).t().requires_grad_(), base[::2].detach().requires_grad_()]
        optimizer = torch.optim.Adam(params, amsgrad=True)
        for _ in range(3):
            give_gradients(torch, params)
            params[0].grad = torch.randn(4, 3).t()
            optimizer.step()
        return [params, base, [optimizer.state[p]["exp_avg"].stride() for p in params]]

    agree(program)


def test_parameters_that_get_gradients_later():
    def program(torch, name, **options):
        params = parameters(torch, torch.float32)
        optimizer = getattr(torch.optim, name)(params, lr=0.1, **options)
        for i in range(4):
            optimizer.zero_grad()
            give_gradients(torch, params[: i + 1])
            optimizer.step()
        return [params, optimizer.state_dict()]

    agree(lambda torch: program(torch, "SGD", momentum=0.9, dampening=0.5))
    agree(lambda torch: program(torch, "Adam"))
    # PyTorch's fused step wants all or none of the buffers.
    by_kernel, plain = (
        outcome(lambda torch, f=f: program(torch, "SGD", momentum=0.9, fused=f), chainrule)[0] for f in (True, False)
    )
    assert close(by_kernel, plain, 1e-6)


def test_a_step_is_a_write():
    p = chainrule.ones(2, requires_grad=True)
    optimizer = chainrule.optim.SGD([p], lr=0.1)
    loss = (p * p).sum()
    p.grad = chainrule.ones(2)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


# ---- Muon and L-BFGS


def test_muon():
    def program(torch, **options):
        params = [torch.randn(shape).requires_grad_() for shape in ((3, 5), (6, 2), (4, 4))]
        optimizer = torch.optim.Muon(params, lr=0.05, **options)
        for _ in range(5):
            give_gradients(torch, params)
            optimizer.step()
        return [params, optimizer.state_dict()]

    for options in ({}, {"nesterov": False, "ns_steps": 3}, {"adjust_lr_fn": "match_rms_adamw", "weight_decay": 0}):
        agree(lambda torch, options=options: program(torch, **options), tolerance=1e-2)


def rosenbrock(torch, params):
    x, y = params
    return (1 - x).square().sum() + 100 * (y - x * x).square().sum()


@pytest.mark.parametrize(
    "options",
    [
        {"max_iter": 5},
        {"lr": 0.5, "history_size": 2, "max_iter": 6},
        {"line_search_fn": "strong_wolfe", "max_iter": 6},
        {"line_search_fn": "strong_wolfe", "max_iter": 5, "max_eval": 3},
    ],
)
def test_lbfgs(options):
    def program(torch):
        params = [torch.full((2,), start, dtype=torch.float64, requires_grad=True) for start in (-0.5, 0.8)]
        optimizer = torch.optim.LBFGS(params, **options)

        def closure():
            optimizer.zero_grad()
            loss = rosenbrock(torch, params)
            loss.backward()
            return loss

        losses = [optimizer.step(closure).item() for _ in range(4)]
        return [losses, params, optimizer.state_dict()]

    agree(program, tolerance=1e-7)


def test_lbfgs_finds_the_minimum_and_stops():
    def program(torch):
        z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
        idle = torch.ones(2, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([z, idle], line_search_fn="strong_wolfe")

        def closure():
            optimizer.zero_grad()
            loss = (z - (2 + 1j)).abs().square().sum()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
        return [z, idle, optimizer.state_dict()["state"][0]["func_evals"]]

    agree(program, tolerance=1e-7)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lr": 0.1, "max_iter": 7},
        {"line_search_fn": "strong_wolfe"},
        {"line_search_fn": "strong_wolfe", "history_size": 2, "lr": 0.5, "max_eval": 9},
    ],
)
def test_lbfgs_bit_for_bit(options):
    """Every evaluation is at PyTorch's point, to the last bit; of three numbers, since sums of more differ."""

    def program(torch):
        x = torch.tensor([-1.2, 1.0, 0.3], dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([x], **options)
        seen = []

        def closure():
            optimizer.zero_grad()
            a, b, c = x
            loss = 100 * (b - a * a) ** 2 + (1 - a) ** 2 + 50 * (c - b * b) ** 2
            loss.backward()
            seen.append([v.hex() for v in (loss.item(), *x.tolist(), *x.grad.tolist())])
            return loss

        for _ in range(5):
            optimizer.step(closure)
        return seen

    agree(program)


def test_lbfgs_refuses():
    def unknown_search(torch):
        p = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.LBFGS([p], line_search_fn="golden")
        p.grad = torch.ones(2)
        optimizer.step(lambda: torch.tensor(1.0))

    agree(unknown_search, words=5)
    groups = [{"params": [reference.ones(1)]}, {"params": [reference.ones(1)]}]
    agree(lambda torch: torch.optim.LBFGS([{"params": [torch.ones(1)]} for _ in groups]), words=5)


# ---- differentiable steps


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "Adafactor"])
def test_gradients_through_steps(name):
    def program(torch, **options):
        start = torch.randn(5, dtype=torch.float64, requires_grad=True)
        gradient = torch.randn(5, dtype=torch.float64, requires_grad=True)
        p = start.clone()
        p.grad = gradient
        optimizer = getattr(torch.optim, name)([p], lr=0.3, differentiable=True, **options)
        optimizer.step()
        p.square().sum().backward()
        return [p.detach(), start.grad, gradient.grad]

    agree(program, tolerance=1e-6)
    if name != "Rprop":
        agree(lambda torch: program(torch, weight_decay=0.1), tolerance=1e-6)
    if name in ("SGD", "RMSprop"):
        agree(lambda torch: program(torch, momentum=0.9), tolerance=1e-6)
    if name in ("Adam", "AdamW"):
        agree(lambda torch: program(torch, amsgrad=True), tolerance=1e-6)


def test_gradients_of_the_state():
    def program(torch, **options):
        p = torch.ones(5, dtype=torch.float64, requires_grad=True).clone()
        p.grad = torch.linspace(1, 2, 5, dtype=torch.float64)
        optimizer = torch.optim.NAdam([p], differentiable=True, **options)
        numbers = {"exp_avg": [0.1, 0.2, 0.3, 0.4, 0.5], "exp_avg_sq": [0.5, 0.6, 0.7, 0.8, 0.9], "mu_product": 0.8}
        state = {key: torch.tensor(n, dtype=torch.float64, requires_grad=True) for key, n in numbers.items()}
        optimizer.state[p].update({key: value.clone() for key, value in state.items()}, step=torch.tensor(3.0))
        optimizer.step()
        optimizer.step()
        p.square().sum().backward()
        return [p.detach()] + [value.grad for value in state.values()]

    agree(program, tolerance=1e-6)
    agree(lambda torch: program(torch, weight_decay=0.1, decoupled_weight_decay=True), tolerance=1e-6)


def test_gradients_of_hyperparameters():
    def program(torch, name, **numbers):
        numbers = {key: torch.tensor(value, dtype=torch.float64, requires_grad=True) for key, value in numbers.items()}
        betas = {}
        if "beta1" in numbers:
            betas = {"betas": (numbers["beta1"], numbers["beta2"])}
        others = {key: value for key, value in numbers.items() if "beta" not in key}
        p = torch.randn(5, dtype=torch.float64, requires_grad=True).clone()
        p.grad = torch.randn(5, dtype=torch.float64)
        optimizer = getattr(torch.optim, name)([p], differentiable=True, **others, **betas)
        optimizer.step()
        p.square().sum().backward()
        return [value.grad for value in numbers.values()]

    agree(lambda torch: program(torch, "SGD", lr=0.3), tolerance=1e-9)
    agree(lambda torch: program(torch, "SGD", lr=0.3, weight_decay=0.1), tolerance=1e-9)
    agree(lambda torch: program(torch, "Adam", lr=0.3, weight_decay=0.1, beta1=0.9, beta2=0.99), tolerance=1e-6)


# ---- groups


def test_groups_have_options_of_their_own():
    def program(torch):
        params = parameters(torch, torch.float32)
        optimizer = torch.optim.AdamW([{"params": params[:1]}, {"params": params[1:2], "lr": 0.5}], lr=0.1)
        optimizer.add_param_group({"params": iter(params[2:]), "betas": (0.1, 0.2), "weight_decay": 0.0})
        for _ in range(3):
            give_gradients(torch, params)
            optimizer.step()
        return [params, optimizer.state_dict(), repr(optimizer)]

    agree(program)


def test_named_parameters():
    def program(torch):
        layer = torch.nn.Linear(2, 3)
        optimizer = torch.optim.SGD(layer.named_parameters(), lr=0.1)
        other = torch.optim.SGD(layer.parameters(), lr=0.2)
        state = optimizer.state_dict()
        other.load_state_dict(state)
        optimizer.load_state_dict(torch.optim.SGD(layer.parameters(), lr=0.3).state_dict())
        return [state, other.state_dict(), optimizer.state_dict()]

    agree(program)


@pytest.mark.parametrize(
    "make",
    [
        lambda torch, p: torch.optim.SGD(p, lr=0.1),
        lambda torch, p: torch.optim.SGD([], lr=0.1),
        lambda torch, p: torch.optim.SGD([1.0], lr=0.1),
        lambda torch, p: torch.optim.SGD([p * 2], lr=0.1),
        lambda torch, p: torch.optim.SGD([{"params": {p}}], lr=0.1),
        lambda torch, p: torch.optim.SGD([{"params": p}, {"params": [p]}], lr=0.1),
        lambda torch, p: torch.optim.SGD([("a", p), torch.ones(1)], lr=0.1),
        lambda torch, p: torch.optim.SGD([p], lr=0.1).add_param_group([p]),
        lambda torch, p: torch.optim.SGD([p], lr=0.1).add_param_group({"params": [("b", torch.ones(1))]}),
        lambda torch, p: torch.optim.SGD([p], lr=0.1).load_state_dict({"state": {}, "param_groups": []}),
        lambda torch, p: torch.optim.SGD([p], lr=0.1).load_state_dict({"state": {}, "param_groups": [{"params": []}]}),
        lambda torch, p: torch.optim.Optimizer([p], {}).step(),
        lambda torch, p: torch.optim.Optimizer([p], {"rate": of_module(torch, "optimizer").required}),
        lambda torch, p: torch.optim.SGD([p], lr=-1.0),
        lambda torch, p: torch.optim.SGD([p], momentum=-1.0),
        lambda torch, p: torch.optim.SGD([p], weight_decay=-1.0),
        lambda torch, p: torch.optim.SGD([p], nesterov=True),
        lambda torch, p: torch.optim.SGD([p], lr=torch.ones(2)),
        lambda torch, p: torch.optim.SGD([p], fused=True, foreach=True),
        lambda torch, p: torch.optim.SGD([p], fused=True, differentiable=True),
        lambda torch, p: torch.optim.Adam([p], lr=float("nan")),
        lambda torch, p: torch.optim.Adam([p], eps=-1.0),
        lambda torch, p: torch.optim.Adam([p], betas=(1.0, 0.5)),
        lambda torch, p: torch.optim.Adam([p], betas=(0.5, -1.0)),
        lambda torch, p: torch.optim.Adam([p], betas=(0, 0.5)),
        lambda torch, p: torch.optim.Adam([p], betas=(0.5, torch.tensor(0.5))),
        lambda torch, p: torch.optim.Adam([p], lr=torch.tensor(0.1), foreach=True),
        lambda torch, p: torch.optim.Adam([p], betas=(torch.tensor(0.1), torch.tensor(0.1)), foreach=True),
        lambda torch, p: torch.optim.Adam([p], betas=(torch.ones(2) / 2, torch.tensor(0.1))),
        lambda torch, p: torch.optim.Adam([p], weight_decay=-1),
        lambda torch, p: torch.optim.Adadelta([p], rho=1.1),
        lambda torch, p: torch.optim.Adagrad([p], lr_decay=-0.5),
        lambda torch, p: torch.optim.Adagrad([p], initial_accumulator_value=-0.5),
        lambda torch, p: torch.optim.NAdam([p], momentum_decay=-0.2),
        lambda torch, p: torch.optim.RMSprop([p], momentum=-1.0),
        lambda torch, p: torch.optim.RMSprop([p], alpha=-1.0),
        lambda torch, p: torch.optim.Rprop([p], etas=(1.0, 0.5)),
        lambda torch, p: torch.optim.Adafactor([p], lr=-1),
        lambda torch, p: torch.optim.Adafactor([p], beta2_decay=1),
        lambda torch, p: torch.optim.Adafactor([p], eps=(-1, 1)),
        lambda torch, p: torch.optim.Adafactor([p], eps=(None, -1)),
        lambda torch, p: torch.optim.Adafactor([p], d=0.5),
        lambda torch, p: torch.optim.Adafactor([p], weight_decay=-1),
        lambda torch, p: torch.optim.Muon([p]),
        lambda torch, p: torch.optim.Muon([p.reshape(1, 1).detach()], adjust_lr_fn="other"),
        lambda torch, p: torch.optim.SparseAdam([p], lr=0),
        lambda torch, p: torch.optim.SparseAdam([p], eps=0),
        lambda torch, p: torch.optim.SparseAdam([torch.ones(1, dtype=torch.complex64)]),
    ],
)
def test_what_is_refused(make):
    agree(lambda torch: make(torch, torch.ones(1, requires_grad=True)), words=9)


@pytest.mark.parametrize(
    ("name", "options", "dtype"),
    [
        *((name, {"capturable": True}, "float32") for name in ("Adam", "Adadelta", "Adamax", "NAdam", "RAdam")),
        *((name, {"capturable": True}, "float32") for name in ("RMSprop", "Rprop", "ASGD")),
        *((name, {"fused": True}, "complex64") for name in FUSED),
        ("Adafactor", {}, "complex64"),
        ("SparseAdam", {}, "float32"),
    ],
)
def test_steps_that_are_refused(name, options, dtype):
    def program(torch):
        p = torch.ones(2, dtype=getattr(torch, dtype), requires_grad=True)
        p.grad = torch.ones_like(p)
        getattr(torch.optim, name)([p], **options).step()

    agree(program, words=9)


def test_the_same_parameter_twice():
    def program(torch):
        p = torch.ones(2, requires_grad=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.optim.SGD([p, p], lr=0.1)
        return [str(w.message) for w in caught]

    agree(program)


def test_zero_grad():
    def program(torch):
        p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([p, q], lr=0.1)
        (p * p).sum().backward(create_graph=True)
        recorded = p.grad
        optimizer.zero_grad(set_to_none=False)
        seen = [recorded is p.grad, p.grad.clone(), p.grad.requires_grad, q.grad]
        optimizer.zero_grad()
        return [*seen, p.grad]

    agree(program)


# ---- closures and hooks


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adafactor", "SparseAdam"])
def test_a_closure_is_recorded(name):
    def program(torch):
        p = torch.ones(2, requires_grad=True)
        optimizer = getattr(torch.optim, name)([p], lr=0.1)

        def closure():
            if name != "SparseAdam":
                p.grad = None
                (p * p).sum().backward()
            return [torch.is_grad_enabled(), (p * 3).requires_grad]

        with torch.no_grad():
            result = optimizer.step(closure)
            return [result, torch.is_grad_enabled(), p]

    agree(program)


def test_grad_mode_is_restored_after_an_error():
    p = chainrule.ones(2, requires_grad=True)

    def closure():
        raise KeyError

    optimizer = chainrule.optim.SGD([p])
    for recording in (True, False):
        with chainrule.set_grad_enabled(recording):
            with pytest.raises(KeyError):
                optimizer.step(closure)
            assert chainrule.is_grad_enabled() == recording


def test_hooks_of_steps():
    def program(torch):
        seen = []
        p = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([p], lr=0.1)
        everywhere = of_module(torch, "optimizer")

        def note(name):
            return lambda o, args, kwargs: seen.append([name, o is optimizer, len(args), sorted(kwargs)])

        handles = [
            optimizer.register_step_pre_hook(note("before")),
            optimizer.register_step_post_hook(note("after")),
            everywhere.register_optimizer_step_pre_hook(note("before, everywhere")),
            everywhere.register_optimizer_step_post_hook(note("after, everywhere")),
        ]
        optimizer.step()
        optimizer.step(closure=lambda: 3)
        changed = optimizer.register_step_pre_hook(lambda o, args, kwargs: (args[:1], {"closure": lambda: 5}))
        seen.append(optimizer.step(lambda: 4))
        for handle in (*handles, changed):
            handle.remove()
        optimizer.step()
        optimizer.register_step_pre_hook(lambda o, args, kwargs: 1)
        try:
            optimizer.step()
        except RuntimeError as error:
            seen.append("must return None or a tuple of (new_args, new_kwargs), but got 1." in str(error))
        return seen

    agree(program)


def test_hooks_of_state_dicts():
    def program(torch):
        seen = []
        optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("b"))
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("a"), prepend=True)
        optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1})
        optimizer.register_state_dict_post_hook(lambda o, s: seen.append(sorted(s)))
        state = optimizer.state_dict()

        def other_rate(o, s):
            seen.append(s is not state)
            return {**s, "param_groups": [{**s["param_groups"][0], "lr": 7.0}]}

        optimizer.register_load_state_dict_pre_hook(other_rate)
        optimizer.register_load_state_dict_pre_hook(lambda o, s: seen.append(sorted(s)))
        optimizer.register_load_state_dict_post_hook(lambda o: seen.append(o.param_groups[0]["lr"]))
        optimizer.load_state_dict(state)
        return [seen, state["param_groups"][0]["lr"]]

    agree(program)


def test_an_optimiser_of_ones_own():
    def program(torch):
        seen = []

        required = of_module(torch, "optimizer").required

        class Sign(torch.optim.Optimizer):
            def __init__(self, params, lr=required):
                super().__init__(params, {"lr": lr})

            @torch.no_grad()
            def step(self, closure=None):
                for group in self.param_groups:
                    for p in group["params"]:
                        state = self.state[p]
                        state["count"] = state.get("count", 0) + 1
                        p.add_(p.grad.sign(), alpha=-group["lr"])

        class Louder(torch.optim.SGD):
            def step(self, closure=None):
                seen.append("louder")
                return super().step(closure)

        p = torch.ones(2, requires_grad=True)
        p.grad = torch.tensor([1.0, -2.0])
        mine = Sign([{"params": [p], "lr": 0.5}])
        mine.register_step_post_hook(lambda *_: seen.append("stepped"))
        louder = Louder([p], lr=1.0)
        for optimizer in (mine, louder):
            optimizer.step()
        schedule = torch.optim.lr_scheduler.ExponentialLR(mine, 0.5)
        mine.step()
        schedule.step()
        return [seen, p, mine.state_dict()]

    agree(program)


# ---- state dicts, pickles and copies


def of_chainrule(value):
    """PyTorch's tensors as chainrule's."""
    if isinstance(value, reference.Tensor):
        return chainrule.tensor(value.tolist(), dtype=getattr(chainrule, str(value.dtype).split(".")[1]))
    if isinstance(value, dict):
        return {key: of_chainrule(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(of_chainrule(item) for item in value)
    return value


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_state_dict_of_pytorch_is_continued(name, options):
    """Ten steps in PyTorch, ten more in chainrule, are twenty steps."""
    gradients = [[reference.randn(p.shape, dtype=p.dtype) for p in parameters(reference, reference.float64)]]
    gradients += [[g * (0.9 + 0.1 * i) for g in gradients[0]] for i in range(1, 20)]
    starts = parameters(reference, reference.float64)

    def run(torch, params, state, some):
        optimizer = getattr(torch.optim, name)(params, **{"lr": 0.05, **options})
        if state is not None:
            for group in optimizer.param_groups:
                group["lr"] = 123.0
            optimizer.load_state_dict(state)
        for step in some:
            for p, g in zip(params, step, strict=True):
                p.grad = g
            optimizer.step()
        return optimizer.state_dict()

    theirs = [p.detach().clone().requires_grad_() for p in starts]
    state = run(reference, theirs, None, gradients[:10])
    ours = [p.requires_grad_() for p in of_chainrule([p.detach() for p in theirs])]
    ended = run(chainrule, ours, of_chainrule(state), of_chainrule(gradients[10:]))
    expected = run(reference, theirs, copy.deepcopy(state), gradients[10:])
    tolerance = 10 * tolerance_in_double(name, options)
    agree(lambda torch: [ours, ended] if torch is chainrule else [theirs, expected], tolerance)


def test_old_state_dicts_have_numbers_for_steps():
    def program(torch, name, **state):
        p = torch.ones(2, requires_grad=True)
        p.grad = torch.ones(2)
        optimizer = getattr(torch.optim, name)([p])
        optimizer.step()
        saved = optimizer.state_dict()
        saved["state"][0].update(state)
        group = saved["param_groups"][0]
        for key in ("maximize", "foreach", "differentiable", "capturable", "decoupled_weight_decay"):
            group.pop(key, None)
        optimizer.load_state_dict(saved)
        optimizer.step()
        return [p, optimizer.state_dict()]

    for name in ("Adam", "AdamW", "RMSprop", "Adagrad", "Rprop", "Adadelta", "Adamax", "RAdam"):
        agree(lambda torch, name=name: program(torch, name, step=3))
    agree(lambda torch: program(torch, "NAdam", step=3, mu_product=0.5))
    agree(lambda torch: program(torch, "ASGD", step=3, mu=1, eta=0.1))


def test_pickles_and_copies():
    def program(torch, duplicate):
        p = torch.ones(2, requires_grad=True)
        p.grad = torch.full((2,), 0.5)
        optimizer = torch.optim.Adam([p], lr=0.1)
        optimizer.register_step_pre_hook(print)
        del optimizer._optimizer_step_pre_hooks[next(iter(optimizer._optimizer_step_pre_hooks))]
        optimizer.step()
        other = duplicate(optimizer)
        q = other.param_groups[0]["params"][0]
        q.grad = torch.ones(2)
        other.step()
        return [p, q, q is p, other.state_dict(), repr(other)]

    agree(lambda torch: program(torch, copy.deepcopy))
    agree(lambda torch: program(torch, lambda o: pickle.loads(pickle.dumps(o))))


def test_another_state_for_a_while():
    def program(torch):
        p = torch.ones(2, requires_grad=True)
        p.grad = torch.ones(2)
        optimizer = torch.optim.Adam([p], lr=0.1)
        optimizer.step()
        state = copy.deepcopy(optimizer.state_dict())
        state["param_groups"][0]["lr"] = 0.5
        q = torch.zeros(2, requires_grad=True)
        q.grad = torch.ones(2)
        with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"q": q}, state):
            optimizer.step()
        return [p, q, optimizer.state_dict(), state]

    agree(program)
    for wrong in (
        None,
        {"state": []},
        {"state": {0: 1}},
        {"state": {}, "param_groups": {}},
        {"state": {}, "param_groups": []},
        {"state": {}, "param_groups": [1]},
        {"state": {}, "param_groups": [{"params": ["a"]}]},
        {"state": {}, "param_groups": [{"params": []}]},
        {"state": {}, "param_groups": [{"params": [0], "x": 1}]},
    ):

        def refused(torch, wrong=wrong):
            p = torch.ones(2, requires_grad=True)
            p.grad = torch.ones(2)
            optimizer = torch.optim.Adam([p], lr=0.1)
            optimizer.step()
            with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"p": p}, wrong):
                pass

        agree(refused, words=8)


# ---- with a scaler of gradients, and the rest


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("found", [0.0, 1.0])
def test_a_fused_step_divides_by_the_scale(name, found):
    def program(torch):
        p = torch.ones(2, requires_grad=True)
        p.grad = torch.full((2,), 8.0)
        optimizer = getattr(torch.optim, name)([p], lr=0.1, fused=True)
        optimizer.grad_scale, optimizer.found_inf = torch.tensor(4.0), torch.tensor(found)
        optimizer.step()
        return [p, p.grad if not found else None, optimizer.state_dict(), optimizer._step_supports_amp_scaling]

    agree(program)


def test_signatures_are_pytorchs():
    def signature(function):
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

    for name in reference.optim.__all__:
        theirs = getattr(reference.optim, name)
        if inspect.isclass(theirs):
            assert signature(getattr(chainrule.optim, name)) == signature(theirs), name
    for module in ("lr_scheduler", "swa_utils"):
        ours, theirs = getattr(chainrule.optim, module), getattr(reference.optim, module)
        assert set(ours.__all__) == set(theirs.__all__)
        for name in theirs.__all__:
            assert signature(getattr(ours, name)) == signature(getattr(theirs, name)), name


def test_the_functions_beneath_take_what_pytorchs_take():
    def program(torch):
        p, g = torch.ones(3), torch.full((3,), 0.5)
        zeros = [torch.zeros(3) for _ in range(2)]
        step = torch.tensor(0.0)
        lists = [p], [g], [zeros[0]], [zeros[1]], [], [step]
        numbers = {"amsgrad": False, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-8}
        of_module(torch, "adam").adam(*lists, maximize=False, **numbers)
        buffers = [None]
        numbers = {"weight_decay": 0, "momentum": 0.9, "lr": 0.1, "dampening": 0, "nesterov": True}
        of_module(torch, "sgd").sgd([p], [g], buffers, maximize=False, **numbers)
        return [p, zeros, step, buffers]

    agree(program)


def test_chainrule_loads_optim_when_it_is_used():
    import subprocess
    import sys

    code = "import sys, chainrule; assert 'chainrule.optim' not in sys.modules; chainrule.optim.Adam"
    subprocess.run([sys.executable, "-c", code], check=True)
