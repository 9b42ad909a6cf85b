"""record(step): replayed steps against the same steps as usual, to the bit."""

import array
import copy
import gc
import random
import threading
import warnings
import weakref

import pytest

import chainrule as torch
from chainrule import nn

F = nn.functional


def same(a, b):
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


class Pair:
    """Two equal programs, one of them recorded."""

    def __init__(self, make, *args, **options):
        states = []
        for _ in range(2):
            torch.manual_seed(3)
            states.append(make(*args))
        (self.step, self.state), (step, self.recorded_state) = states
        self.recorded = torch.record(step, **options)

    def run(self, *given, seed=5):
        """One call of each, from the same random numbers; results, state and gradients have to be equal."""
        torch.manual_seed(seed)
        expected = self.step(*given)
        after = torch.get_rng_state()
        torch.manual_seed(seed)
        found = self.recorded(*[x.clone() if isinstance(x, torch.Tensor) else x for x in given])
        assert torch.equal(after, torch.get_rng_state())
        self.compare(found, expected)
        return found

    def compare(self, found, expected):
        leaves = torch.utils._pytree.tree_leaves
        for a, b in zip(leaves(found), leaves(expected), strict=True):
            assert same(a, b) if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(self.recorded_state(), self.state(), strict=True):
            assert same(a, b)
            assert (a.grad is None) == (b.grad is None)
            assert a.grad is None or same(a.grad, b.grad)


def state_of(model, optimizer=None):
    def state():
        found = [*model.parameters(), *model.buffers()]
        if optimizer is not None:
            for own in optimizer.state.values():
                found += [v for v in own.values() if isinstance(v, torch.Tensor)]
        return found

    return state


def training(model, make_optimizer, loss_of, zero=True, clip=None):
    optimizer = make_optimizer(model.parameters())

    def step(x, y):
        if zero:
            optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        return loss

    return step, state_of(model, optimizer)


def perceptron():
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))


OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1),
    "SGD with momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "AdamW, amsgrad": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.01, lr_decay=0.1),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "Adadelta": torch.optim.Adadelta,
    "Adamax": torch.optim.Adamax,
    "NAdam": torch.optim.NAdam,
    "RAdam": torch.optim.RAdam,
    "Rprop": torch.optim.Rprop,
    "ASGD": torch.optim.ASGD,
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name):
    pair = Pair(lambda: training(perceptron(), OPTIMIZERS[name], F.cross_entropy))
    for i in range(8):
        pair.run(torch.randn(5, 4), torch.arange(5) % 3, seed=i)
    assert pair.recorded.replays >= 5, pair.recorded.reason


class Attention(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.norm, self.heads = nn.LayerNorm(width), heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(b, n, c))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.block, self.head = nn.Embedding(11, 16), Attention(), nn.Linear(16, 11)

    def forward(self, x):
        return self.head(F.gelu(self.block(self.table(x)))).transpose(1, 2)


MODELS = {
    "perceptron": (perceptron, lambda: (torch.randn(5, 4), torch.arange(5) % 3)),
    "dropout": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3)),
                lambda: (torch.randn(6, 4), torch.arange(6) % 3)),
    "batch norm": (lambda: nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)),
                   lambda: (torch.randn(6, 4), torch.arange(6) % 3)),
    "convolutions": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(),
                                           nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)),
                     lambda: (torch.randn(3, 2, 8, 8), torch.arange(3))),
    "attention": (Words, lambda: (torch.randint(11, (2, 7)), torch.randint(11, (2, 7)))),
    "lstm": (lambda: Last(nn.LSTM(4, 6, batch_first=True)),
             lambda: (torch.randn(2, 5, 4), torch.arange(2))),
    "gru": (lambda: Last(nn.GRU(4, 6, batch_first=True)),
            lambda: (torch.randn(2, 5, 4), torch.arange(2))),
    "group norm": (lambda: nn.Sequential(nn.Conv1d(2, 4, 3), nn.GroupNorm(2, 4), nn.SiLU(), nn.Flatten(),
                                         nn.Linear(24, 3)),
                   lambda: (torch.randn(3, 2, 8), torch.arange(3))),
}  # fmt: skip


class Last(nn.Module):
    """Scores from the last state of a recurrent layer."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(6, 3)

    def forward(self, x):
        return self.head(self.layer(x)[0][:, -1])


@pytest.mark.parametrize("clip", [None, 0.1])
@pytest.mark.parametrize("name", MODELS)
def test_models(name, clip):
    model, data = MODELS[name]
    pair = Pair(lambda: training(model(), OPTIMIZERS["Adam"], F.cross_entropy, clip=clip))
    for i in range(7):
        torch.manual_seed(100 + i)
        pair.run(*data(), seed=i)
    assert pair.recorded.replays >= 4, pair.recorded.reason


def test_large_tensors_are_replayed_too():
    def make():
        w = torch.randn(600, 600, requires_grad=True)

        def step(x):
            w.grad = None
            loss = ((x @ w).tanh() * x + (x * 2).exp()).sum()
            loss.backward()
            return loss

        return step, lambda: [w]

    pair = Pair(make)
    for i in range(4):
        pair.run(torch.randn(600, 600) / 30, seed=i)
    assert pair.recorded.replays == 2


def test_gradients_accumulate():
    pair = Pair(lambda: training(perceptron(), lambda p: torch.optim.SGD(p, lr=0.0), F.cross_entropy, zero=False))
    for i in range(8):
        pair.run(torch.randn(5, 4), torch.arange(5) % 3, seed=i)
    assert pair.recorded.replays >= 4, pair.recorded.reason


def test_a_schedule_outside_of_the_step():
    pair = Pair(lambda: training(perceptron(), OPTIMIZERS["Adam"], F.cross_entropy))
    optimizers = [step.__closure__ for step in (pair.step, pair.recorded.__wrapped__)]
    optimizers = [c.cell_contents for closure in optimizers for c in closure
                  if isinstance(c.cell_contents, torch.optim.Optimizer)]  # fmt: skip
    schedules = [torch.optim.lr_scheduler.ExponentialLR(o, 0.9) for o in optimizers]
    for i in range(8):
        pair.run(torch.randn(5, 4), torch.arange(5) % 3, seed=i)
        for s in schedules:
            s.step()
    assert pair.recorded.replays >= 5, pair.recorded.reason


def test_weight_decay_that_changes_is_recorded_anew():
    pair = Pair(lambda: training(perceptron(), OPTIMIZERS["Adam"], F.cross_entropy))
    optimizers = [c.cell_contents for step in (pair.step, pair.recorded.__wrapped__) for c in step.__closure__
                  if isinstance(c.cell_contents, torch.optim.Optimizer)]  # fmt: skip
    for i in range(8):
        pair.run(torch.randn(5, 4), torch.arange(5) % 3, seed=i)
        if i == 4:
            for o in optimizers:
                o.param_groups[0]["weight_decay"] = 0.5
    assert pair.recorded.replays >= 4


def test_modes_shapes_and_flags_are_recorded_anew():
    def make():
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3))

        def step(x):
            y = model(x).sum()
            if y.requires_grad:
                y.backward()
            return y.detach()

        step.model = model
        return step, state_of(model)

    pair = Pair(make)
    models = pair.step.model, pair.recorded.__wrapped__.model
    for i in range(24):
        for m in models:
            m.train(i % 8 < 4)
        with torch.set_grad_enabled(i % 12 < 8):
            pair.run(torch.randn(3 + i // 12, 4), seed=i)
    assert pair.recorded.replays >= 4


def test_autocast_inside():
    def make():
        model = perceptron()

        def step(x):
            model.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model(x).float().square().mean()
            loss.backward()
            return loss

        return step, state_of(model)

    pair = Pair(make)
    for i in range(5):
        pair.run(torch.randn(5, 4), seed=i)
    assert pair.recorded.replays >= 2, pair.recorded.reason


def test_gradients_of_arguments_and_second_derivatives():
    def make():
        model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

        def step(x):
            model.zero_grad()
            u = model(x)
            du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
            d2u = torch.autograd.grad(du[:, 0].sum(), x, create_graph=True)[0]
            loss = (d2u[:, 0] + u[:, 0]).square().mean()
            loss.backward()
            return loss, du.detach()

        return step, state_of(model)

    pair = Pair(make)
    for i in range(6):
        torch.manual_seed(i)
        x = torch.randn(5, 2)
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        for _ in range(2):
            pair.compare(pair.recorded(b), pair.step(a))
            assert same(a.grad, b.grad)
    assert pair.recorded.replays >= 6, pair.recorded.reason


def test_results_are_tensors_of_their_own():
    recorded = torch.record(lambda x: {"y": x * 2, "z": (x + 1, None, 3), "x": x})
    kept = []
    for i in range(5):
        x = torch.full((3,), float(i))
        kept.append((x, recorded(x)))
    for i, (x, found) in enumerate(kept):
        assert found["y"].tolist() == [2.0 * i] * 3
        assert found["z"][0].tolist() == [i + 1.0] * 3
        assert found["z"][1:] == (None, 3)
        assert found["x"] is x
    assert recorded.replays == 3


def test_a_gradient_that_somebody_keeps_stays_as_it_is():
    w = torch.ones(3, requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()

    recorded, kept = torch.record(step), []
    for i in range(6):
        recorded(torch.full((3,), float(i)))
        kept.append(w.grad)
    assert [g[0].item() for g in kept] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_parameter_that_is_replaced_is_found():
    model = nn.Linear(2, 1, bias=False)
    recorded = torch.record(lambda x: model(x).detach())
    x = torch.ones(1, 2)
    for _ in range(4):
        recorded(x)
    for change in (
        lambda: setattr(model, "weight", nn.Parameter(torch.full((1, 2), 2.0))),
        lambda: setattr(model.weight, "data", torch.full((1, 2), 3.0)),
        lambda: model.weight.requires_grad_(False).fill_(4.0),
    ):
        change()
        for _ in range(4):
            assert same(recorded(x), model(x))


scale = 2.0


def test_variables_that_change_are_found():
    global scale
    inner, options = 3.0, {"k": 1.0}

    class Trainer:
        factor = 5.0

        def step(self, x):
            return x * scale * inner * options["k"] * self.factor * self.own

    trainer = Trainer()
    trainer.own = 1.0
    recorded, x = torch.record(trainer.step), torch.ones(2)
    expected = []
    for i in range(20):
        if i == 4:
            scale = 7.0
        if i == 7:
            inner = 4.0
        if i == 10:
            options["k"] = 6.0
        if i == 13:
            Trainer.factor = 8.0
        if i == 16:
            trainer.own = 9.0
        expected.append(trainer.step(x))
        assert same(recorded(x), expected[-1]), i
    scale = 2.0
    assert recorded.replays >= 6


def test_numbers_as_arguments():
    recorded = torch.record(lambda x, a, *, b: x * a + b)
    for _ in range(4):
        for a in (2, 2.0, 3.5):
            assert recorded(torch.ones(2), a, b=1).tolist() == [a + 1.0] * 2
    assert recorded.replays >= 5


def refused(step, *given, calls=4):
    """The reason why a step cannot be replayed; all its calls work as usual."""
    recorded = torch.record(step)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(calls):
            recorded(*given)
    assert recorded.replays == 0
    assert len(caught) == 1
    assert str(caught[0].message).endswith(recorded.reason)
    assert caught[0].filename == __file__
    return recorded.reason


def test_what_cannot_be_replayed_is_named_with_its_line(capsys):
    x = torch.ones(3)

    def reads(x):
        return x * x.sum().item()  # reads here

    assert "reads or writes an element" in refused(reads, x)
    assert "# reads here" in refused(reads, x)

    def branches(x):
        if x.sum() > 2:  # branches here
            return x
        return -x

    assert "# branches here" in refused(branches, x)

    def draws(x):
        return x * random.random()

    assert "random numbers of Python's" in refused(draws, x)

    def prints(x):
        print("a step")
        return x * 2

    assert "prints" in refused(prints, x)
    assert capsys.readouterr().out == "a step\n" * 4

    count = 0

    def counts(x):
        nonlocal count
        count += 1
        return x * count

    assert "variable" in refused(counts, x)
    assert count == 4

    kept = []

    def keeps(x):
        kept.append(x * 2)

    assert "variable" in refused(keeps, x)
    assert len(kept) == 4

    def writes(x):
        x.add_(1)

    y = torch.zeros(2)
    assert "writes into its argument" in refused(writes, y)
    assert y.tolist() == [4.0, 4.0]

    def to_numpy(x):
        return torch.from_numpy(x.numpy() + 1)

    assert "memory" in refused(to_numpy, x)

    batches = iter([torch.ones(1), torch.ones(1), torch.ones(1), torch.ones(1), torch.ones(1)])

    def loads(x):
        return x + next(batches)

    assert "iterator" in refused(loads, x)

    numbers = array.array("d", [1.0, 2.0])

    def sums(x):
        return x * numbers[0]

    assert "container, array" in refused(sums, x)

    def evaluates(x):
        return x * eval("scale")

    assert "eval()" in refused(evaluates, x)

    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)

    def decays(x):
        optimizer.param_groups[0]["lr"] *= 0.5
        optimizer.step()
        return x * 2

    assert "option of an optimizer" in refused(decays, x)

    def seeds(x):
        torch.manual_seed(0)
        return x + torch.rand(3)

    assert "random numbers" in refused(seeds, x)

    def switches(x):
        torch.set_grad_enabled(not torch.is_grad_enabled())
        return x * 2

    assert "mode" in refused(switches, x)
    torch.set_grad_enabled(True)

    def graph(x):
        return x * w * w

    w = torch.ones(3, requires_grad=True)
    assert "graph is still there" in refused(graph, x)


def test_recorded_steps_inside_each_other():
    w = torch.ones(2)

    @torch.record
    def grow():
        with torch.no_grad():
            w.mul_(2)

    @torch.record
    def step(x):
        grow()
        return x * w

    for _ in range(5):
        grow()
    for i in range(6):
        assert step(torch.ones(2)).tolist() == [2.0 ** (6 + i)] * 2
    assert step.replays >= 2


def test_a_module_as_a_step():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)).eval()
    with torch.no_grad():
        recorded = torch.record(model)
        for i in range(4):
            x = torch.full((2, 4), float(i))
            assert same(recorded(x), model(x))
    assert recorded.replays == 2
    assert "class Parameter" in refused(lambda p: p * 2, nn.Parameter(torch.ones(2)))
    assert "graph" in refused(lambda x: x * 2, torch.ones(2, requires_grad=True) * 1)


def test_strict_raises():
    recorded = torch.record(lambda x: x * x.sum().item(), strict=True)
    recorded(torch.ones(2))
    with pytest.raises(RuntimeError, match="cannot be replayed: it reads or writes an element"):
        recorded(torch.ones(2))


def test_an_error_in_the_middle():
    model = nn.Linear(2, 3)

    def step(x, y):
        model.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    recorded = torch.record(step)
    x = torch.ones(2, 2)
    for _ in range(4):
        recorded(x, torch.tensor([0, 2]))
    with pytest.raises(IndexError, match="Target 5 is out of bounds"):
        recorded(x, torch.tensor([0, 5]))
    assert same(recorded(x, torch.tensor([1, 2])), step(x, torch.tensor([1, 2])))
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        recorded(torch.ones(2, 7), torch.tensor([0, 2]))
    assert same(recorded(x, torch.tensor([1, 2])), step(x, torch.tensor([1, 2])))


def test_checking():
    pair = Pair(lambda: training(perceptron(), OPTIMIZERS["Adam"], F.cross_entropy), check_every=2)
    for i in range(8):
        pair.run(torch.randn(5, 4), torch.arange(5) % 3, seed=i)
    assert pair.recorded.replays >= 5


def test_versions_count_on():
    w = torch.ones(3, requires_grad=True)

    def step(x):
        with torch.no_grad():
            w.mul_(x)

    recorded = torch.record(step)
    for i in range(1, 6):
        recorded(torch.full((3,), 2.0))
        assert w._version == i
    y = (w * w).sum()
    recorded(torch.ones(3))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_method_as_a_step():
    class Trainer:
        def __init__(self):
            self.model = perceptron()
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

        @torch.record
        def step(self, x, y):
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            return loss

    one, other = Trainer(), Trainer()
    before = copy.deepcopy(other.model.state_dict())
    for _ in range(5):
        one.step(torch.randn(5, 4), torch.arange(5) % 3)
    assert one.step.replays == 3
    assert all(same(a, b) for a, b in zip(before.values(), other.model.state_dict().values(), strict=True))


def recorded_model():
    model = perceptron()
    optimizer = torch.optim.Adam(model.parameters())

    def step(x):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    step.recorded = torch.record(step)  # a cycle, as a method has one
    for _ in range(4):
        step.recorded(torch.ones(2, 4))
    assert step.recorded.replays == 2
    return weakref.ref(model)


def test_recordings_die_with_their_models():
    gone = recorded_model()
    gc.collect()
    assert gone() is None


def test_calls_from_two_threads():
    model = perceptron()
    recorded = torch.record(lambda x: model(x).detach())
    given = [torch.randn(3, 4) for _ in range(200)]
    expected = [model(x).detach() for x in given]
    for x in given[:4]:
        recorded(x)
    wrong = []

    def work(order):
        wrong.extend(i for i in order if not same(recorded(given[i]), expected[i]))

    threads = [threading.Thread(target=work, args=(order,)) for order in (range(200), range(199, -1, -1))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_generators_of_the_step_are_replayed_and_others_are_not():
    x = torch.ones(3)
    recorded = torch.record(lambda x: sum(x * k for k in (1.0, 2.0)))
    for _ in range(4):
        assert recorded(x).tolist() == [3.0] * 3
    assert recorded.replays == 2

    def endless():
        k = 0.0
        while True:
            k += 1
            yield x * k

    values = endless()

    def step(x):
        for value in values:
            return x + value

    assert "generator" in refused(step, x)


def test_lists_and_sets_are_read_anew():
    values, factors = [1.0, 2.0], {1.0}
    recorded = torch.record(lambda x: x * torch.tensor(values) * max(factors))
    for i in range(12):
        values[1] = float(i // 4)
        if i == 8:
            factors.add(2.0)
        factor = 1.0 + (i >= 8)
        assert recorded(torch.ones(2)).tolist() == [factor, i // 4 * factor]
    assert recorded.replays >= 4


def test_inference_mode_and_no_grad():
    model = perceptron()
    recorded = torch.record(lambda x: model(x))
    for mode in (torch.no_grad, torch.inference_mode):
        for _ in range(4):
            with mode():
                x = torch.randn(2, 4)
                assert same(recorded(x), model(x))
                assert recorded(x).is_inference() == (mode is torch.inference_mode)
    assert recorded.replays >= 4


def test_nothing_that_is_no_function():
    with pytest.raises(TypeError, match="takes a function, not int"):
        torch.record(3)
