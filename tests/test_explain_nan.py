"""nan_guard(): who made the NaN, and that it stays out of the way otherwise."""

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import _core, nn
from chainrule.explain import NonFiniteError, nan_guard

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(values):
    return chainrule.tensor(values, requires_grad=True)


def origin_of(program):
    with pytest.raises(NonFiniteError) as caught, nan_guard():
        program()
    return caught.value.origin


def test_forward():
    x = leaf([[1.0, 2.0], [3.0, 0.0]])
    o = origin_of(lambda: chainrule.log(x))
    assert (o.what, o.state, o.phase, o.operation, o.index) == ("-inf", "made here", "forward", "log", (1, 1))
    assert o.inputs == {"x[1, 1]": "0"}


def test_operators_methods_and_writes():
    x, zero = leaf([1.0, 0.0]), chainrule.zeros(2)
    assert origin_of(lambda: x / zero).operation == "div"
    assert origin_of(lambda: x.reciprocal()).operation == "reciprocal"
    assert origin_of(lambda: chainrule.zeros(2).log_()).operation == "log_"
    assert origin_of(lambda: (zero - 1) ** 0.5).what == "NaN"
    assert origin_of(lambda: chainrule.full((2, 2), 1e30) @ chainrule.full((2, 2), 1e30)).operation == "matmul"


def test_backward():
    x = leaf([4.0, 0.0])
    o = origin_of(lambda: (chainrule.sqrt(x) * 2).sum().backward())
    assert (o.what, o.phase, o.operation, o.index) == ("inf", "backward", "sqrt", (1,))
    assert o.inputs["the gradient that arrived"] == "2"
    assert [step.partition(" (")[0] for step in o.chain][:2] == ["chainrule.sqrt(x)", "chainrule.sqrt(x) * 2"]


def test_zero_times_infinity_through_where():
    x = leaf([4.0, 0.0])
    o = origin_of(lambda: chainrule.where(x > 0, chainrule.sqrt(x), 0.0).sum().backward())
    assert (o.what, o.operation) == ("NaN", "sqrt")
    assert "0 * inf" in o.hint
    assert "torch.where(condition, x, torch.ones_like(x))" in o.hint
    safe = chainrule.where(x > 0, x, chainrule.ones_like(x))
    with nan_guard():
        chainrule.where(x > 0, chainrule.sqrt(safe), 0.0).sum().backward()
    assert x.grad.tolist() == [0.25, 0.0]


def test_masks_of_infinity_are_no_mistake():
    scores = leaf([[1.0, 2.0, 3.0]])
    mask = chainrule.tensor([[False, True, False]])
    with nan_guard() as guard:
        weights = chainrule.softmax(scores.masked_fill(mask, float("-inf")), 1)
        weights.square().sum().backward()
    assert guard.seen == []


def test_nan_in_the_data_is_passed_on():
    x, w = chainrule.tensor([1.0, float("nan")]), leaf([1.0, 1.0])
    o = origin_of(lambda: (x * w).sum().backward())
    assert (o.state, o.what) == ("passed on", "NaN")
    with nan_guard():
        (chainrule.nan_to_num(x) * w).sum().backward()


def test_masked_later():
    x = leaf([1.0, -1.0])
    with nan_guard(stop_at_forward=False) as guard:
        loss = chainrule.where(x > 0, chainrule.sqrt(x.detach()), x).sum()
        loss.backward()
    assert [(o.operation, o.state) for o in guard.seen] == [("sqrt", "masked later")]
    with pytest.raises(NonFiniteError, match="made by sqrt"), nan_guard(stop_at_forward=False):
        chainrule.sqrt(x).sum().backward()


def test_a_network_trains_within_it_and_all_is_as_before():
    chainrule.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    x = chainrule.randn(5, 4)
    net(x).square().mean().backward()
    before = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    with nan_guard():
        net(x).square().mean().backward()
    assert all(chainrule.equal(a, p.grad) for a, p in zip(before, net.parameters(), strict=True))
    y = leaf([0.0]).log()
    assert y.tolist() == [float("-inf")]


def test_it_ends_with_an_exception():
    with pytest.raises(KeyError), nan_guard():
        raise KeyError
    assert chainrule.zeros(1).log().item() == float("-inf")


def test_one_at_a_time():
    with nan_guard(), pytest.raises(RuntimeError, match="already on"), nan_guard():
        pass


# ---- the watcher that it stands on


@pytest.fixture
def calls():
    seen = []

    def watch(function, args, kwargs):
        seen.append(function.__name__)
        return function(*args, **kwargs)

    _core.set_watcher(watch)
    yield seen
    _core.set_watcher(None)


def test_every_spelling_is_watched(calls):
    x = chainrule.ones(2, 2)
    for call in (
        lambda: x + 1,
        lambda: 1 - x,
        lambda: -x,
        lambda: x @ x,
        lambda: x > 0,
        lambda: x[0],
        lambda: x.sum(),
        lambda: x.t(),
        lambda: chainrule.exp(x),
        lambda: chainrule.cat([x, x]),
        lambda: x.add_(1),
        lambda: x.__setitem__(0, 1.0),
    ):
        calls.clear()
        call()
        assert calls, call.__code__.co_firstlineno


def test_what_a_watcher_calls_is_not_watched():
    seen = []

    def watch(function, args, kwargs):
        seen.append(function.__name__)
        return chainrule.exp(args[0]) + function(*args, **kwargs)

    x = chainrule.zeros(1)
    _core.set_watcher(watch)
    try:
        y = x.sin()
    finally:
        _core.set_watcher(None)
    assert (y.tolist(), seen) == ([1.0], ["sin"])


def test_a_watcher_may_raise_and_take_itself_off():
    def watch(function, args, kwargs):
        _core.set_watcher(None)
        raise ValueError("seen")

    x = chainrule.ones(1)
    _core.set_watcher(watch)
    with pytest.raises(ValueError, match="seen"):
        x + 1
    assert (x + 1).tolist() == [2.0]


def test_subclasses_keep_their_say_under_a_watcher(calls):
    class Marked(chainrule.Tensor):
        pass

    y = chainrule.ones(2).as_subclass(Marked) * 2
    assert type(y) is Marked
    assert "mul" in calls


def test_the_variable_the_module_and_the_step():
    class Net(chainrule.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = chainrule.nn.Linear(2, 2)

        def forward(self, x):
            logs = chainrule.log(self.scale(x) * 0 + x)
            return logs

    net = Net()
    with nan_guard() as guard:
        for _ in range(2):
            net(chainrule.ones(1, 2)).sum().backward()
        with pytest.raises(NonFiniteError) as caught:
            net(chainrule.tensor([[1.0, -1.0]]))
    origin = caught.value.origin
    assert (origin.variable, origin.module, origin.step, guard.steps) == ("logs", "net", 3, 2)
    assert str(origin).startswith("NaN made by log in the forward pass at index [0, 1], in net, in step 3.\n")
    assert "\n  The variable: logs\n" in str(origin)


def test_the_first_bad_batch_is_kept(tmp_path):
    net = chainrule.nn.Sequential(chainrule.nn.Linear(2, 2), chainrule.nn.Tanh())
    bad = chainrule.tensor([[float("nan"), 1.0]])
    path = tmp_path / "bad.pt"
    with nan_guard(keep=path):
        net(chainrule.ones(1, 2)).sum().backward()
        loss = net(bad).sum()
        with pytest.raises(RuntimeError, match="The batch is kept"):
            loss.backward()
    kept = chainrule.load(path)
    assert kept["step"] == 2
    assert kept["batch"][0].isnan().tolist() == [[True, False]]
    with pytest.raises(RuntimeError), chainrule.nan_guard(keep=path):
        chainrule.log(chainrule.tensor([-1.0, 2.0]))
    assert chainrule.load(path)["batch"][0].tolist() == [-1.0, 2.0]
