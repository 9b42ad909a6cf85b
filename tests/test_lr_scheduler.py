"""Schedules of learning rates and averages of models against PyTorch."""

import copy
import pickle
import warnings

import pytest

from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


class Halving:
    """A function with attributes, which a state dict keeps."""

    def __init__(self, factor=0.5):
        self.factor = factor

    def __call__(self, epoch):
        return self.factor**epoch


SCHEDULES = {
    "LambdaLR": [{"lr_lambda": Halving()}, {"lr_lambda": [lambda e: 0.9**e, lambda e: 1 / (e + 1)]}],
    "MultiplicativeLR": [{"lr_lambda": lambda e: 0.9}, {"lr_lambda": [Halving(0.99), lambda e: 1.1]}],
    "StepLR": [{"step_size": 3}, {"step_size": 1, "gamma": 0.5}],
    "MultiStepLR": [{"milestones": [3, 8, 8, 15], "gamma": 0.3}],
    "ConstantLR": [{}, {"factor": 0.5, "total_iters": 7}],
    "LinearLR": [{}, {"start_factor": 0.2, "end_factor": 0.8, "total_iters": 9}],
    "ExponentialLR": [{"gamma": 0.9}],
    "PolynomialLR": [{}, {"total_iters": 12, "power": 2.0}],
    "CosineAnnealingLR": [{"T_max": 4}, {"T_max": 7, "eta_min": 1e-3}],
    "CosineAnnealingWarmRestarts": [{"T_0": 4}, {"T_0": 3, "T_mult": 2, "eta_min": 1e-3}],
    "CyclicLR": [
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 4},
        {"base_lr": [0.01, 0.02], "max_lr": 0.1, "step_size_up": 3, "step_size_down": 2, "mode": "triangular2"},
        {"base_lr": 0.01, "max_lr": 0.1, "mode": "exp_range", "gamma": 0.97, "cycle_momentum": False},
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "scale_fn": Halving(), "scale_mode": "iterations"},
    ],
    "OneCycleLR": [
        {"max_lr": 0.1, "total_steps": 30},
        {"max_lr": [0.1, 0.2], "epochs": 5, "steps_per_epoch": 5, "anneal_strategy": "linear", "three_phase": True},
        {"max_lr": 0.1, "total_steps": 30, "cycle_momentum": False},
    ],
}
CASES = [(name, options) for name, all_options in SCHEDULES.items() for options in all_options]


def optimizer_of(torch, kind="SGD", lr=0.1, **options):
    groups = [
        {"params": [torch.ones(2, requires_grad=True)]},
        {"params": [torch.ones(1, requires_grad=True)], "lr": 0.03},
    ]
    return getattr(torch.optim, kind)(groups, lr=lr, **({"momentum": 0.9} if kind == "SGD" else {}), **options)


def options_of(optimizer):
    keys = ("lr", "momentum", "betas", "initial_lr", "max_lr", "min_lr", "max_momentum", "base_momentum")
    return [{key: group[key] for key in keys if key in group} for group in optimizer.param_groups]


def state_of(scheduler):
    """The state dict without callables and counters of a type of their own."""
    return {
        key: dict(value) if key == "milestones" else value
        for key, value in scheduler.state_dict().items()
        if not callable(value)
    }


def run(optimizer, scheduler, steps=20):
    seen = []
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        seen.append([options_of(optimizer), scheduler.get_last_lr()])
    return seen


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_twenty_epochs(name, options, kind):
    def program(torch):
        optimizer = optimizer_of(torch, kind)
        scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        first = [options_of(optimizer), scheduler.get_last_lr()]
        return [first, run(optimizer, scheduler), state_of(scheduler)]

    agree(program, tolerance=1e-15)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_state_dict_is_taken_up(name, options):
    def program(torch):
        def fresh():
            optimizer = optimizer_of(torch)
            return optimizer, getattr(torch.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))

        optimizer, scheduler = fresh()
        run(optimizer, scheduler, 7)
        other, resumed = fresh()
        other.load_state_dict(optimizer.state_dict())
        resumed.load_state_dict(scheduler.state_dict())
        return [run(other, resumed, 9), state_of(resumed)]

    agree(program, tolerance=1e-15)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_epochs_by_number(name, options):
    def program(torch):
        optimizer = optimizer_of(torch)
        scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        optimizer.step()
        seen = []
        for epoch in (1, 5, 3, 11):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scheduler.step(epoch)
            seen.append([options_of(optimizer), [str(w.message) for w in caught]])
        return seen

    agree(program, tolerance=1e-15)


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if case[0] != "OneCycleLR"])
def test_resuming_at_an_epoch(name, options):
    def program(torch):
        optimizer = optimizer_of(torch)
        for group in optimizer.param_groups:
            group["initial_lr"] = 0.2
        scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options), last_epoch=4)
        return [options_of(optimizer), run(optimizer, scheduler, 5)]

    agree(program, tolerance=1e-15)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_rates_in_tensors(name, options):
    def program(torch):
        rate = torch.tensor(0.1)
        p = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([p], lr=rate, momentum=0.5)
        single = {
            key: value[0] if isinstance(value, list) and key != "milestones" else value
            for key, value in options.items()
        }
        scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(single))
        seen = [run(optimizer, scheduler, 9)]
        return [*seen, optimizer.param_groups[0]["lr"] is rate]

    agree(program)


PLATEAUS = [
    {},
    {"factor": 0.5, "patience": 1, "threshold": 0.02, "threshold_mode": "abs", "cooldown": 1, "min_lr": [1e-3, 0.02]},
    {"mode": "max", "factor": 0.3, "patience": 2},
    {"mode": "max", "patience": 0, "threshold_mode": "abs", "eps": 0.02},
]


@pytest.mark.parametrize("options", PLATEAUS)
def test_plateau(options):
    def program(torch):
        optimizer = optimizer_of(torch)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        seen = []
        for loss in (1.0, 0.9, 0.9, 0.91, 0.89, 0.89, 0.89, 0.89, 0.5, 0.6, 0.6, 0.6, 0.6, 0.4, 0.4, 0.4):
            optimizer.step()
            scheduler.step(torch.tensor(loss, dtype=torch.float64))
            seen.append([options_of(optimizer), scheduler.get_last_lr(), scheduler.in_cooldown, scheduler.state_dict()])
            scheduler.load_state_dict(scheduler.state_dict())
        return seen

    agree(program, tolerance=1e-15)


def test_a_group_that_joins_a_plateau():
    def program(torch, **options):
        optimizer = optimizer_of(torch)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, **options)
        optimizer.add_param_group({"params": [torch.ones(1)]})
        for _ in range(3):
            scheduler.step(1.0)
        return options_of(optimizer)

    agree(program)
    agree(lambda torch: program(torch, min_lr=[0.0, 0.0]), words=12)


def sequential(torch, optimizer):
    lr = torch.optim.lr_scheduler
    parts = [
        lr.LinearLR(optimizer, 0.1, total_iters=4),
        lr.CosineAnnealingLR(optimizer, 12),
        lr.ExponentialLR(optimizer, 0.9),
    ]
    return lr.SequentialLR(optimizer, parts, [4, 10])


def chained(torch, optimizer):
    lr = torch.optim.lr_scheduler
    return lr.ChainedScheduler([lr.ConstantLR(optimizer, 0.1, 4), lr.ExponentialLR(optimizer, 0.9)])


def nested(torch, optimizer):
    lr = torch.optim.lr_scheduler
    parts = [lr.ConstantLR(optimizer, 0.1, 2), chained(torch, optimizer)]
    return lr.SequentialLR(optimizer, [*parts, lr.StepLR(optimizer, 2)], [3, 20])


@pytest.mark.parametrize("make", [sequential, chained])
def test_combined(make):
    def program(torch):
        optimizer = optimizer_of(torch)
        scheduler = make(torch, optimizer)
        seen = run(optimizer, scheduler, 6)
        other = optimizer_of(torch)
        resumed = make(torch, other)
        other.load_state_dict(optimizer.state_dict())
        resumed.load_state_dict(scheduler.state_dict())
        return [seen, run(other, resumed, 12), state_of(resumed)]

    agree(program, tolerance=1e-15)


def test_nested():
    agree(lambda torch: run(o := optimizer_of(torch), nested(torch, o), 3), tolerance=1e-15)


def test_the_order_of_calls():
    def program(torch):
        seen = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            optimizer = optimizer_of(torch)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
            scheduler.step()  # before the optimiser
            seen.append(len(caught))
            optimizer = optimizer_of(torch)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
            optimizer.step = lambda: None
            scheduler.step()  # the optimiser's step was replaced
            scheduler.get_lr()
        return [*seen, [str(w.message) for w in caught]]

    agree(program)


@pytest.mark.parametrize(
    "make",
    [
        lambda lr, o: lr.StepLR("sgd", 3),
        lambda lr, o: lr.StepLR(o, 3, last_epoch=2),
        lambda lr, o: lr.LambdaLR(o, [len]),
        lambda lr, o: lr.MultiplicativeLR(o, 3),
        lambda lr, o: lr.MultiplicativeLR(o, [len]),
        lambda lr, o: lr.ConstantLR(o, factor=2.0),
        lambda lr, o: lr.LinearLR(o, start_factor=0),
        lambda lr, o: lr.LinearLR(o, end_factor=2),
        lambda lr, o: lr.CosineAnnealingWarmRestarts(o, 0),
        lambda lr, o: lr.CosineAnnealingWarmRestarts(o, 1, 0.5),
        lambda lr, o: lr.CosineAnnealingWarmRestarts(o, 1, eta_min="a"),
        lambda lr, o: lr.CosineAnnealingWarmRestarts(o, 1).step(-1),
        lambda lr, o: lr.CyclicLR("sgd", 1, 2),
        lambda lr, o: lr.CyclicLR(o, 1, 2, mode="square"),
        lambda lr, o: lr.CyclicLR(o, [1], 2),
        lambda lr, o: lr.OneCycleLR("sgd", 1, 2),
        lambda lr, o: lr.OneCycleLR(o, 1),
        lambda lr, o: lr.OneCycleLR(o, 1, 0),
        lambda lr, o: lr.OneCycleLR(o, 1, epochs=2, steps_per_epoch=0),
        lambda lr, o: lr.OneCycleLR(o, 1, epochs=0, steps_per_epoch=1),
        lambda lr, o: lr.OneCycleLR(o, 1, 10, pct_start=2.0),
        lambda lr, o: lr.OneCycleLR(o, 1, 10, anneal_strategy="sine"),
        lambda lr, o: [s := lr.OneCycleLR(o, 1.0, 2), o.step(), s.step(), s.step(), s.step()],
        lambda lr, o: lr.ReduceLROnPlateau("sgd"),
        lambda lr, o: lr.ReduceLROnPlateau(o, factor=1.0),
        lambda lr, o: lr.ReduceLROnPlateau(o, mode="best"),
        lambda lr, o: lr.ReduceLROnPlateau(o, threshold_mode="best"),
        lambda lr, o: lr.ReduceLROnPlateau(o, min_lr=[1.0]),
        lambda lr, o: lr.SequentialLR(o, [], []),
        lambda lr, o: lr.SequentialLR(o, [1], []),
        lambda lr, o: lr.SequentialLR(o, [lr.StepLR(o, 3)], [1]),
        lambda lr, o: lr.SequentialLR(o, [lr.ReduceLROnPlateau(o)], []),
        lambda lr, o: lr.SequentialLR(type(o)([o.param_groups[0]["params"][0]]), [lr.StepLR(o, 3)], []),
        lambda lr, o: lr.ChainedScheduler([]),
        lambda lr, o: lr.ChainedScheduler([lr.ReduceLROnPlateau(o)]),
        lambda lr, o: lr.LRScheduler(o),
    ],
)
def test_what_is_refused(make):
    agree(lambda torch: make(torch.optim.lr_scheduler, optimizer_of(torch)), words=9)


def test_cycles_need_a_momentum():
    for name, options in (("CyclicLR", {"base_lr": 1, "max_lr": 2}), ("OneCycleLR", {"max_lr": 1, "total_steps": 5})):

        def program(torch, name=name, options=options):
            optimizer = torch.optim.Adagrad([torch.ones(1, requires_grad=True)])
            getattr(torch.optim.lr_scheduler, name)(optimizer, **options)

        agree(program, words=9)


def test_a_schedule_can_be_copied_with_its_optimiser():
    def program(torch, duplicate):
        optimizer = optimizer_of(torch)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
        run(optimizer, scheduler, 3)
        other = duplicate(scheduler)
        for _ in range(3):
            other.step()
        return [options_of(optimizer), options_of(other.optimizer)]

    agree(lambda torch: program(torch, copy.deepcopy))
    agree(lambda torch: program(torch, lambda s: pickle.loads(pickle.dumps(s))))


# ---- swa_utils


@pytest.mark.parametrize(
    "options", [{"swa_lr": 0.05}, {"swa_lr": [0.02, 0.3], "anneal_epochs": 5, "anneal_strategy": "linear"}]
)
@pytest.mark.parametrize("anneal_epochs", [0, 4])
def test_swalr(options, anneal_epochs):
    def program(torch):
        def fresh():
            optimizer = optimizer_of(torch)
            return optimizer, torch.optim.swa_utils.SWALR(optimizer, **{**options, "anneal_epochs": anneal_epochs})

        optimizer, scheduler = fresh()
        seen = run(optimizer, scheduler, 4)
        other, resumed = fresh()
        other.load_state_dict(optimizer.state_dict())
        resumed.load_state_dict(scheduler.state_dict())
        return [seen, run(other, resumed, 8), state_of(resumed)]

    agree(program, tolerance=1e-14)


def test_swalr_refuses():
    agree(lambda torch: torch.optim.swa_utils.SWALR(optimizer_of(torch), 0.1, anneal_strategy="sine"), words=6)
    agree(lambda torch: torch.optim.swa_utils.SWALR(optimizer_of(torch), 0.1, anneal_epochs=-1), words=6)


AVERAGES = {
    "plain": lambda swa: {},
    "with buffers": lambda swa: {"use_buffers": True},
    "swa, one by one": lambda swa: {"avg_fn": swa.get_swa_avg_fn()},
    "swa, lists": lambda swa: {"multi_avg_fn": swa.get_swa_multi_avg_fn()},
    "ema, one by one": lambda swa: {"avg_fn": swa.get_ema_avg_fn(0.7)},
    "ema, lists": lambda swa: {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.7), "use_buffers": True},
}


@pytest.mark.parametrize("kind", list(AVERAGES))
def test_averaged_models(kind):
    def program(torch):
        nn = torch.nn
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2).double())
        averaged = torch.optim.swa_utils.AveragedModel(model, **AVERAGES[kind](torch.optim.swa_utils))
        for _ in range(4):
            with torch.no_grad():
                for p in model.parameters():
                    p.add_(torch.randn(p.shape, dtype=p.dtype))
            model[1](model[0](torch.randn(6, 3)))
            averaged.update_parameters(model)
        averaged.eval()
        return [averaged.state_dict(), averaged.module[0](torch.ones(1, 3))]

    agree(program)


def test_averages_refuse():
    swa = "swa_utils"
    agree(lambda torch: getattr(torch.optim, swa).get_ema_avg_fn(2.0), words=8)
    agree(lambda torch: getattr(torch.optim, swa).get_ema_multi_avg_fn(-2.0), words=8)
    agree(
        lambda torch: torch.optim.swa_utils.AveragedModel(torch.nn.Linear(1, 1), avg_fn=max, multi_avg_fn=max), words=8
    )


def test_update_bn():
    def program(torch):
        nn = torch.nn
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=0.3), nn.Dropout())
        model.eval()
        data = [torch.randn(5, 3) for _ in range(3)]
        torch.optim.swa_utils.update_bn(data, model)
        seen = [model.state_dict(), model.training, model[1].momentum]
        torch.optim.swa_utils.update_bn([(x, 1) for x in data[:1]], model, device="cpu")
        torch.optim.swa_utils.update_bn(None, model[0])
        return [*seen, model[1].running_mean]

    agree(program)
