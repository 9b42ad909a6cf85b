"""nn.Module against PyTorch's: members, hooks, state, conversion, copies, printing."""

import copy
import gc
import warnings
import weakref
from collections import OrderedDict, namedtuple

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks, outcome  # noqa: F401
from chainrule import nn

pytestmark = pytest.mark.usefixtures("no_leaks")


def both_say(program):
    """The program raises the same class with the same words on both libraries."""
    ours, theirs = outcome(program, chainrule), outcome(program, reference)
    assert repr(ours).replace("chainrule.", "torch.") == repr(theirs)


def network(torch):
    """Two layers, a buffer, and a layer that is used twice."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(3, 4)
            self.rest = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(4, 2, bias=False))
            self.again = self.first
            self.register_buffer("offset", torch.ones(2))
            self.register_buffer("scratch", torch.zeros(1), persistent=False)
            self.scale = torch.nn.Parameter(torch.full((2,), 0.5))

        def forward(self, x):
            return self.rest(self.first(x)) * self.scale + self.offset

    return Net()


# ---- members


def test_members_are_found_in_pytorchs_order():
    def program(torch):
        net = network(torch)
        return [
            [name for name, _ in net.named_parameters()],
            [name for name, _ in net.named_parameters(remove_duplicate=False)],
            [name for name, _ in net.named_parameters(prefix="net", recurse=False)],
            [name for name, _ in net.named_buffers()],
            [(name, type(m).__name__) for name, m in net.named_modules()],
            [name for name, _ in net.named_modules(prefix="p", remove_duplicate=False)],
            [name for name, _ in net.named_children()],
            [p.shape[0] for p in net.parameters()],
            len(list(net.modules())),
            sorted(k for k in dir(net) if k in ("first", "offset", "scale", "rest")),
        ]

    agree(program)


def test_lookups_by_path():
    def program(torch):
        net = network(torch)
        net.set_submodule("rest.1", torch.nn.Linear(4, 5))
        return [
            type(net.get_submodule("rest.0")).__name__,
            net.get_parameter("rest.1.weight").shape[0],
            net.get_buffer("offset").shape[0],
            net.get_submodule("") is net,
        ]

    agree(program)


@pytest.mark.parametrize(
    "step",
    [
        lambda torch, net: net.get_submodule("rest.7"),
        lambda torch, net: net.get_submodule("scale"),
        lambda torch, net: net.get_parameter("rest.0"),
        lambda torch, net: net.get_parameter("nothing"),
        lambda torch, net: net.get_buffer("scale"),
        lambda torch, net: net.set_submodule("", net),
        lambda torch, net: net.set_submodule("rest.9", torch.nn.ReLU(), strict=True),
        lambda torch, net: net.set_submodule("scale", torch.nn.ReLU()),
        lambda torch, net: net.nothing,
        lambda torch, net: setattr(net, "scale", 1),
        lambda torch, net: setattr(net, "scale", torch.ones(2)),
        lambda torch, net: setattr(net, "first", 1),
        lambda torch, net: setattr(net, "offset", "text"),
        lambda torch, net: net.register_parameter("a.b", None),
        lambda torch, net: net.register_parameter("", None),
        lambda torch, net: net.register_parameter(3, None),
        lambda torch, net: net.register_parameter("forward", None),
        lambda torch, net: net.register_parameter("p", torch.ones(1)),
        lambda torch, net: net.register_parameter("p", "text"),
        lambda torch, net: net.register_buffer("a.b", None),
        lambda torch, net: net.register_buffer("scale", torch.ones(1)),
        lambda torch, net: net.register_buffer("b", 1),
        lambda torch, net: net.add_module("m", 1),
        lambda torch, net: net.add_module("a.b", torch.nn.ReLU()),
        lambda torch, net: net.add_module("", torch.nn.ReLU()),
        lambda torch, net: net.add_module("scale", torch.nn.ReLU()),
        lambda torch, net: net.train("yes"),
        lambda torch, net: net.to(torch.int64),
        lambda torch, net: delattr(net, "nothing"),
        lambda torch, net: torch.nn.Module()(1),
        lambda torch, net: torch.nn.Module(1),
        lambda torch, net: torch.nn.Module(a=1),
        lambda torch, net: net.load_state_dict(3),
    ],
)
def test_mistakes(step):
    both_say(lambda torch: step(torch, network(torch)))


@pytest.mark.parametrize("value", ["parameter", "module"])
def test_members_before_init(value):
    def program(torch):
        class Hasty(torch.nn.Module):
            def __init__(self):
                self.x = torch.nn.Parameter(torch.ones(1)) if value == "parameter" else torch.nn.ReLU()

        return Hasty()

    both_say(program)


def test_an_attribute_changes_its_kind():
    def program(torch):
        net = network(torch)
        seen = []

        def look():
            seen.append([sorted(net._parameters), sorted(net._buffers), sorted(net._modules)])

        net.thing = 1
        net.thing = torch.nn.Parameter(torch.ones(1))
        look()
        net.thing = None
        look()
        del net.thing
        look()
        net.thing = torch.nn.ReLU()
        look()
        net.offset = torch.nn.Parameter(torch.ones(1))
        look()
        net.first = None
        look()
        net.rest = torch.nn.Parameter(torch.ones(3))
        look()
        net.note = torch.nn.Buffer(torch.ones(2), persistent=False)
        look()
        seen.append([list(net.state_dict()), hasattr(net, "thing"), net.first is None])
        return seen

    agree(program)


def test_a_register_buffer_that_knows_no_persistence():
    def program(torch):
        class Old(torch.nn.Module):
            def register_buffer(self, name, value):
                super().register_buffer(name, value)

        module = Old()
        module.a = torch.nn.Buffer(torch.ones(1))
        module.b = torch.nn.Buffer(torch.ones(1), persistent=False)

    both_say(program)


def test_duplicates_among_modules():
    def program(torch):
        layer = torch.nn.Linear(1, 1)
        net = torch.nn.Sequential(layer, layer)
        return [len(list(net.modules())), len(list(net.modules(remove_duplicate=False)))]

    agree(program)


def test_a_replica_has_no_parameters():
    def program(torch):
        net = torch.nn.BatchNorm1d(2)
        replica = net._replicate_for_data_parallel()
        replica.weight = net.weight.view_as(net.weight)
        return [list(replica._parameters), [n for n, _ in replica.named_buffers()], replica.weight, net.weight]

    agree(program)


def test_members_changed_behind_the_modules_back():
    """As scripts do it: the dicts themselves are changed, and the attributes follow."""

    def program(torch):
        net = network(torch)
        net._modules["first"] = torch.nn.Linear(3, 7)
        net._parameters["scale"] = torch.nn.Parameter(torch.zeros(2))
        net._buffers.pop("offset")
        net._parameters.setdefault("more", torch.nn.Parameter(torch.ones(1)))
        net._modules.update(last=torch.nn.ReLU())
        net._modules = OrderedDict((k, v) for k, v in net._modules.items() if k != "again")
        return [
            net.first.out_features,
            net.scale.sum(),
            hasattr(net, "offset"),
            net.more.sum(),
            type(net.last).__name__,
            hasattr(net, "again"),
        ]

    agree(program)


def test_a_getattr_of_a_subclass_is_asked_for_members():
    """As Pyro's modules do it, also when a module changes its class."""

    def program(torch):
        asked = []

        class Watched(torch.nn.Module):
            def __getattr__(self, name):
                asked.append(name)
                return super().__getattr__(name)

        class Net(Watched):
            def __init__(self):
                super().__init__()
                self.weight, self.inner = torch.nn.Parameter(torch.ones(2)), torch.nn.ReLU()
                self.register_buffer("offset", torch.ones(2))

        net = Net()
        del asked[:]
        values = [net.weight.sum(), net.inner, net.offset, net.weight.sum()]
        net.inner = torch.nn.Tanh()
        net.weight = None
        values += [net.inner, net.weight, "inner" in dir(net), "offset" in vars(net)]
        del net.offset
        linear = torch.nn.Linear(2, 1)
        linear.__class__ = type("WatchedLinear", (Watched, torch.nn.Linear), {})
        values += [linear.weight.shape, hasattr(net, "offset"), "weight" in copy.deepcopy(linear).state_dict()]
        linear.__class__ = torch.nn.Linear
        values += [linear.weight.shape, sorted({"weight", "bias"} & set(dir(linear)))]
        return [str(value) for value in values], sorted({name for name in asked if name[0] != "_"})

    agree(program)


def test_registration_hooks():
    def program(torch):
        import torch.nn.modules.module as pytorch_module

        module = pytorch_module if torch is reference else chainrule.nn.modules.module
        seen = []
        handles = [
            module.register_module_parameter_registration_hook(lambda m, name, p: seen.append(("p", name))),
            module.register_module_buffer_registration_hook(lambda m, name, b: seen.append(("b", name))),
            module.register_module_module_registration_hook(lambda m, name, c: seen.append(("m", name))),
        ]
        try:
            network(torch)
        finally:
            for handle in handles:
                handle.remove()
        network(torch)
        return [list(pair) for pair in seen]

    agree(program)


# ---- calls and hooks


def test_hooks_in_order():
    def program(torch):
        layer, log = torch.nn.Linear(2, 2), []
        note = lambda what: lambda *args: log.append((what, len(args)))  # noqa: E731
        layer.register_forward_hook(note("after"))
        layer.register_forward_hook(note("first"), prepend=True)
        layer.register_forward_hook(note("kwargs"), with_kwargs=True)
        layer.register_forward_pre_hook(note("before"))
        layer.register_forward_pre_hook(note("before kwargs"), with_kwargs=True, prepend=True)
        layer(torch.ones(1, 2))
        layer(input=torch.ones(1, 2))
        layer._forward_hooks.clear()
        layer(torch.ones(1, 2))
        return [list(entry) for entry in log]

    agree(program)


def test_hooks_change_arguments_and_result():
    def program(torch):
        layer = torch.nn.Linear(2, 2)
        one = layer.register_forward_pre_hook(lambda m, args: args[0] * 2)
        layer.register_forward_pre_hook(lambda m, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True)
        layer.register_forward_hook(lambda m, args, out: out.sum())
        x = torch.ones(1, 2)
        first = layer(x)
        with one:
            second = layer(x)
        return [first, second, layer(x)]

    agree(program)


def test_hooks_that_are_always_called():
    def program(torch):
        log = []

        class Fails(torch.nn.Module):
            def forward(self, x):
                raise RuntimeError("no")

        module = Fails()
        module.register_forward_hook(lambda m, args, out: log.append("ordinary"))
        module.register_forward_hook(lambda m, args, out: log.append(("always", out)), always_call=True)
        try:
            module(1)
        except RuntimeError as error:
            log.append(str(error))
        return [list(x) if isinstance(x, tuple) else x for x in log]

    agree(program)


def test_a_hook_that_is_always_called_and_raises_is_silenced():
    layer = nn.Linear(1, 1)

    def bad(*args):
        raise ValueError("oh")

    layer.register_forward_hook(bad, always_call=True)
    silenced = pytest.warns(UserWarning, match="was silenced as another error was raised in forward: oh")
    with silenced, pytest.raises(RuntimeError):
        layer(chainrule.ones(1, 3))


def test_pre_hook_returns_nonsense():
    def program(torch):
        layer = torch.nn.Linear(1, 1)
        layer.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
        return layer(torch.ones(1))

    both_say(program)


def test_global_hooks():
    def program(torch):
        module = __import__("torch.nn.modules.module", fromlist=["x"]) if torch is reference else nn.modules.module
        log = []
        handles = [
            module.register_module_forward_pre_hook(lambda m, args: log.append(["before", type(m).__name__])),
            module.register_module_forward_hook(lambda m, args, out: log.append(["after", type(m).__name__])),
            module.register_module_forward_hook(lambda m, a, k, out: log.append(["kwargs", len(k)]), with_kwargs=True),
        ]
        try:
            network(torch)(torch.ones(1, 3))
        finally:
            for handle in handles:
                handle.remove()
        network(torch)(torch.ones(1, 3))
        return log

    agree(program)
    assert not nn.Module._hooked


def test_full_backward_hooks():
    def program(torch):
        net, log = network(torch), []
        net.rest.register_full_backward_hook(lambda m, gi, go: log.append([gi[0].sum(), go[0].sum()]))
        net.rest.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
        net.first.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
        x = torch.ones(1, 3, requires_grad=True)
        net(x).sum().backward()
        return [log, x.grad, net.first.weight.grad]

    agree(program)


def test_full_backward_hook_without_gradients_of_inputs():
    def program(torch):
        import warnings

        layer, log = torch.nn.Linear(2, 2), []
        layer.register_full_backward_hook(lambda m, gi, go: log.append([gi[0] is None, go[0]]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            layer(torch.ones(1, 2)).sum().backward()
        return [log, str(caught[0].message)[:60]]

    agree(program)


def test_a_namedtuple_stays_one_under_backward_hooks():
    def program(torch):
        pair = namedtuple("pair", "a b")

        class Two(torch.nn.Module):
            def forward(self, x):
                return pair(x * 2, "text")

        module = Two()
        module.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
        x = torch.ones(1, requires_grad=True)
        y = module(x)
        y.a.backward()
        return [type(y).__name__, y.b, x.grad]

    agree(program)


@pytest.mark.parametrize("forward", ["x * 2", "(x * 2).exp()", "[x * 2]", "(x * 2, x * 3)", "{'a': x * 2}"])
def test_warnings_of_the_old_backward_hooks(forward):
    def program(torch):
        class Module(torch.nn.Module):
            def forward(self, x):
                return eval(forward, {"x": x})

        module = Module()
        module.register_backward_hook(lambda m, gi, go: None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module(torch.ones(1, requires_grad=True).exp())
        return [(w.category.__name__, str(w.message)) for w in caught]

    agree(program)


def test_backward_hook_of_wrong_length():
    def program(torch):
        layer = torch.nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
        layer(torch.ones(1, 2, requires_grad=True)).sum().backward()

    agree(program, words=6)


def test_backward_hooks_of_both_kinds():
    def program(torch):
        layer = torch.nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda m, gi, go: None)
        layer.register_backward_hook(lambda m, gi, go: None)

    both_say(program)


# ---- state


def test_state_dict():
    def program(torch):
        net = network(torch)
        state = net.state_dict(prefix="net.")
        kept = net.state_dict(keep_vars=True)
        return [
            type(state).__name__,
            list(state),
            {k: dict(v) for k, v in state._metadata.items()},
            [v.requires_grad for v in state.values()],
            kept["scale"] is net.scale,
            state["net.scale"].data_ptr() == net.scale.data_ptr(),
        ]

    agree(program)


def test_load_state_dict():
    def program(torch):
        one, two = network(torch), network(torch)
        answer = two.load_state_dict(one.state_dict())
        x = torch.ones(2, 3)
        return [str(answer), one(x), two(x), two.scale is not one.scale]

    agree(program)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("change", ["missing", "extra", "deep", "shape", "type", "both"])
def test_state_that_does_not_fit(strict, change):
    def program(torch):
        net = network(torch)
        state = net.state_dict()
        if change in ("missing", "both"):
            del state["scale"], state["rest.1.weight"]
        if change in ("extra", "both"):
            state["more"] = torch.ones(1)
        if change == "deep":
            state["first.more.weight"] = state["nowhere.bias"] = torch.ones(1)
        if change == "shape":
            state["first.weight"] = torch.ones(2, 2)
        if change == "type":
            state["first.weight"] = [1]
        return repr(net.load_state_dict(state, strict=strict))

    both_say(program)


def test_load_state_dict_by_assignment():
    def program(torch):
        net = network(torch)
        state = {k: v.double() for k, v in net.state_dict().items()}
        net.load_state_dict(state, assign=True)
        return [
            str(net.scale.dtype),
            net.offset is state["offset"],
            net.scale.requires_grad,
            type(net.scale).__name__,
            str(net.first.weight.dtype),
        ]

    agree(program)


def test_state_hooks_and_extra_state():
    def program(torch):
        log = []

        class Counting(torch.nn.Linear):
            count = 0

            def get_extra_state(self):
                return {"count": self.count}

            def set_extra_state(self, state):
                self.count = state["count"]

        one, two = Counting(1, 1), Counting(1, 1)
        one.count = 7
        one.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(["pre", prefix, keep]))
        one.register_state_dict_post_hook(lambda m, state, prefix, meta: state.pop("bias"))
        one._register_state_dict_hook(lambda m, state, prefix, meta: log.append(list(state)))
        two.register_load_state_dict_pre_hook(lambda m, *args: log.append([type(m).__name__, len(args)]))
        two.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
        two.load_state_dict(one.state_dict())
        return [log, two.count]

    agree(program)


def test_versions_reach_the_modules():
    def program(torch):
        seen = []

        class Versioned(torch.nn.Linear):
            _version = 3

            def _load_from_state_dict(self, state, prefix, meta, *others):
                seen.append([prefix, meta.get("version")])
                super()._load_from_state_dict(state, prefix, meta, *others)

        net = torch.nn.Sequential(Versioned(1, 1))
        net.load_state_dict(net.state_dict())
        net.load_state_dict(dict(net.state_dict()))
        return seen

    agree(program)


# ---- conversion and modes


def test_conversion():
    def program(torch):
        net = network(torch)
        net.register_buffer("count", torch.tensor(3))
        net(torch.ones(1, 3)).sum().backward()
        weight = net.first.weight
        seen = []
        for step in (
            lambda: net.double(),
            lambda: net.half(),
            lambda: net.bfloat16(),
            lambda: net.float(),
            lambda: net.to(torch.float64),
            lambda: net.to("cpu", torch.float32),
            lambda: net.to(torch.ones(1, dtype=torch.float64)),
            lambda: net.to(device="cpu"),
            lambda: net.type(torch.float32),
            lambda: net.cpu(),
        ):
            step()
            seen.append([str(net.scale.dtype), str(net.scale.grad.dtype), str(net.count.dtype), str(net.offset.dtype)])
        return [seen, net.first.weight is weight, net.scale.grad]

    agree(program)


TO = {
    "a flag": lambda t: ("cpu", True),
    "None and a flag": lambda t: (None, True),
    "a list": lambda t: ([],),
    "two dtypes": lambda t: (t.float32, t.float64),
    "an integer dtype": lambda t: (t.int64,),
    "copy": lambda t: (t.float32, False, True),
    "a number": lambda t: (t.float32, 1),
    "a tensor": lambda t: (t.ones(1, dtype=t.float64), True),
    "all": lambda t: ("cpu", t.float64, False),
    "nothing": lambda t: (),
}


@pytest.mark.parametrize("case", TO)
def test_arguments_of_to(case):
    agree(lambda torch: str(torch.nn.Linear(1, 1).to(*TO[case](torch)).weight.dtype), words=7)


def test_modes():
    def program(torch):
        net = network(torch)
        seen = []
        net.eval()
        seen.append([m.training for m in net.modules()])
        net.train().rest.train(False)
        seen.append([m.training for m in net.modules()])
        net.requires_grad_(False)
        seen.append([p.requires_grad for p in net.parameters()])
        net.apply(lambda m: seen.append(type(m).__name__))
        net.requires_grad_()
        net(torch.ones(1, 3)).sum().backward()
        net.zero_grad(set_to_none=False)
        seen.append([p.grad.sum() for p in net.parameters()])
        net.zero_grad()
        seen.append([p.grad is None for p in net.parameters()])
        return seen

    agree(program)


# ---- printing


@pytest.mark.parametrize(
    "make",
    [
        network,
        lambda torch: torch.nn.Module(),
        lambda torch: torch.nn.Sequential(),
        lambda torch: torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.ReLU(), torch.nn.Linear(1, 2)] * 2),
        lambda torch: torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(12)),
        lambda torch: torch.nn.ModuleDict({"a": torch.nn.ReLU(), "b": torch.nn.Sequential(torch.nn.Tanh())}),
        lambda torch: torch.nn.ParameterList([torch.ones(2, 3), torch.nn.Parameter(torch.ones(())), "text"]),
        lambda torch: torch.nn.ParameterDict({"b": torch.ones(2, 3), "a": torch.ones(1, dtype=torch.float64)}),
        lambda torch: torch.nn.TransformerEncoderLayer(4, 2, 8),
    ],
)
def test_repr(make):
    assert repr(make(chainrule)) == repr(make(reference))


# ---- copies


@pytest.mark.parametrize("copied", [copy.deepcopy], ids=["deepcopy"])  # pickling comes with that of tensors
def test_copies(copied):
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU())
    net[0].register_forward_hook(print)  # a function that can be pickled
    net[0]._forward_hooks.clear()
    twin = copied(net)
    assert repr(twin) == repr(net)
    assert [k for k, _ in twin.named_parameters()] == [k for k, _ in net.named_parameters()]
    assert twin[0].weight is not net[0].weight
    assert twin[0].weight.tolist() == net[0].weight.tolist()
    twin[0].weight = nn.Parameter(chainrule.zeros(3, 2))
    assert twin[0]._parameters["weight"].sum() == 0
    assert net[0].weight.sum() != 0
    twin._modules["2"] = nn.Tanh()
    assert type(twin[2]) is nn.Tanh
    assert type(net[2]) is nn.ReLU


def test_deepcopy_keeps_what_is_shared():
    net = network(chainrule)
    twin = copy.deepcopy(net)
    assert twin.again is twin.first
    assert twin.first is not net.first


def test_shallow_copy_is_independent():
    net = nn.Linear(2, 2)
    twin = copy.copy(net)
    assert twin.weight is net.weight
    twin.weight = nn.Parameter(chainrule.zeros(2, 2))
    assert twin.weight is not net.weight
    assert twin._parameters["weight"] is twin.weight


def test_a_dropped_module_is_freed_at_once():
    gc.disable()
    try:
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        net(chainrule.ones(1, 2)).sum().backward()
        seen = weakref.ref(net[0])
        del net
        assert seen() is None
    finally:
        gc.enable()


# ---- containers


def test_sequential():
    def program(torch):
        nn = torch.nn
        net = nn.Sequential(OrderedDict(a=nn.Linear(1, 2), b=nn.ReLU()))
        names = [[name for name, _ in net.named_children()]]
        net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
        net.append(nn.ReLU()).insert(1, nn.Identity()).extend([nn.Tanh()])
        names.append([type(m).__name__ for m in net])
        del net[1]
        net[0] = nn.Identity()
        names.append([[name, type(m).__name__] for name, m in net.named_children()])
        names.append([type(net.pop(-1)).__name__, len(net[1:]), type(net[-1]).__name__])
        names.append([len(net + net), len(net * 2), len(2 * net)])
        net *= 2
        net += nn.Sequential(nn.ReLU())
        names.append([name for name, _ in net.named_children()])
        del net[::2]
        names.append([[name, type(m).__name__] for name, m in net._modules.items()])
        return names

    agree(program)


@pytest.mark.parametrize(
    "step",
    [
        lambda nn: nn.Sequential(nn.ReLU())[3],
        lambda nn: nn.Sequential(nn.ReLU()) + 3,
        lambda nn: nn.Sequential(nn.ReLU()) * "a",
        lambda nn: nn.Sequential(nn.ReLU()) * 0,
        lambda nn: nn.Sequential(nn.ReLU()).insert(9, nn.ReLU()),
        lambda nn: nn.ModuleList([nn.ReLU()])[-2],
        lambda nn: nn.ModuleList().extend(3),
        lambda nn: nn.ModuleList([3]),
        lambda nn: nn.ModuleDict([("a", nn.ReLU(), 1)]),
        lambda nn: nn.ModuleDict([3]),
        lambda nn: nn.ModuleDict(3),
        lambda nn: nn.ModuleDict({"a": nn.ReLU()})["b"],
        lambda nn: nn.ModuleDict({"forward": nn.ReLU()}),
        lambda nn: nn.ParameterList(3),
        lambda nn: nn.ParameterList([1])[1],
        lambda nn: nn.ParameterList()(),
        lambda nn: nn.ParameterDict({3: 1}),
        lambda nn: nn.ParameterDict()(1),
        lambda nn: nn.ParameterDict(3),
    ],
)
def test_mistakes_with_containers(step):
    both_say(lambda torch: step(torch.nn))


def test_lists_and_dicts():
    def program(torch):
        nn = torch.nn
        modules = nn.ModuleList([nn.Linear(1, 1)])
        modules += [nn.ReLU()]
        modules.insert(0, nn.Tanh())
        modules = modules + [nn.Sigmoid()]  # noqa: RUF005
        table = nn.ModuleDict({"a": nn.ReLU()})
        table.update([("b", nn.Tanh())])
        table["c"] = nn.Sigmoid()
        popped = type(table.pop("a")).__name__
        parameters = nn.ParameterList([torch.ones(2)])
        parameters.append(torch.zeros(1)).extend([torch.ones(3)])
        parameters[0] = torch.full((2,), 5.0)
        values = nn.ParameterDict({"z": torch.ones(1)})
        values |= {"y": torch.ones(2)}
        values.setdefault("x", torch.ones(3))
        return [
            [type(m).__name__ for m in modules],
            list(modules.state_dict()),
            [popped, list(table), "b" in table, len(table), [type(m).__name__ for m in table.values()]],
            [len(parameters), list(parameters.state_dict()), parameters[0], len(parameters[1:])],
            [list(values), list(values.state_dict()), [k for k, _ in values.items()], values.get("nothing")],
            [list(values.copy()), values.popitem()[0], list(reversed(values))],
        ]

    agree(program)


# ---- lazy modules


def test_lazy_modules():
    def program(torch):
        nn = torch.nn
        net = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.LazyLinear(2, bias=False))
        before = [repr(net), net[0].has_uninitialized_params(), repr(net[0].weight)]
        torch.manual_seed(1)
        x = torch.randn(2, 5)
        out = net(x)
        twin = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.LazyLinear(2, bias=False))
        twin.load_state_dict(net.state_dict())
        return [before, out, repr(net), [list(p.shape) for p in net.parameters()], twin(x)]

    agree(program)


def test_shape_of_a_lazy_parameter():
    both_say(lambda torch: torch.nn.LazyLinear(2).weight.shape)
