"""torch.fx: programs are recorded, printed, changed and run as PyTorch does it."""

import copy
import importlib
import io
import math
import pickle
from contextlib import redirect_stdout

import pytest
import torch as reference

import chainrule

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


def network(torch):
    nn, functional = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.bn = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.scale = nn.Parameter(torch.full((4, 1, 1), 1.5))
            self.register_buffer("shift", torch.ones(1))
            self.after = nn.Sequential(nn.ReLU(), nn.Conv2d(4, 4, 1))
            self.constant = torch.ones(1)

        def forward(self, x, factor: float = 2.0):
            y = functional.relu(self.bn(self.conv(x)))
            y = self.after(y) * self.scale + self.shift + self.constant
            a, b = y.chunk(2, dim=1)
            y = torch.cat([b, a], 1) * factor
            y = y.view(y.size(0), -1) / math.sqrt(x.shape[1])
            y = functional.dropout(functional.softmax(y, dim=-1), 0.1, self.training)
            y = functional.interpolate(y[:, None], scale_factor=2.0)
            return {"y": y, "mean": (y - 1).mean(), "negative": -y}

    torch.manual_seed(0)
    return Net().eval()


def traced(torch, program=None):
    return torch.fx.symbolic_trace(network(torch) if program is None else program(torch))


def test_graph_and_code_are_pytorchs():
    ours, theirs = traced(chainrule), traced(reference)
    assert str(ours.graph) == str(theirs.graph)
    assert ours.code == theirs.code
    assert str(ours) == str(theirs)
    assert sorted(ours.state_dict()) == sorted(theirs.state_dict())


@BOTH
def test_what_was_traced_runs(torch):
    net, x = network(torch), torch.arange(96.0).reshape(2, 3, 4, 4) / 50
    module = torch.fx.symbolic_trace(net)
    expected = net(x, 3.0)
    for found in (
        module(x, 3.0),
        torch.fx.Interpreter(module).run(x, 3.0),
        torch.fx.Transformer(module).transform()(x, 3.0),
        copy.deepcopy(module)(x, 3.0),
    ):
        assert [torch.equal(found[name], expected[name]) for name in expected] == [True] * 3
    module(x)["y"].square().sum().backward()
    assert net.scale.grad is not None


def _programs(torch):
    functional = torch.nn.functional

    def variable_arguments(x, *args, k=3, **options):
        return x + args[0] * k

    def inplace_and_items(x):
        y = x.clone()
        y += 1
        return (~(y > 0), abs(-y), 2**y, y.T, 1 - y, y @ y)

    def annotated(x: torch.Tensor, n: int = 2) -> torch.Tensor:  # type: ignore
        return functional.pad(x, (1, n)).to(torch.float64)

    def functions(x):
        y = functional.layer_norm(x, (2,))
        return (
            torch.where(y > 0, y, functional.cross_entropy(x, x)),
            torch.sum(y),
            torch.zeros((2, 3)),
        )

    return [variable_arguments, inplace_and_items, annotated, functions]


@pytest.mark.parametrize("which", range(4))
def test_code_of_small_programs(which):
    ours, theirs = (traced(torch, lambda t: _programs(t)[which]) for torch in (chainrule, reference))
    assert ours.code == theirs.code
    assert str(ours.graph) == str(theirs.graph)


def test_the_table_is_that_of_tabulate():
    """What the package tabulate printed for PyTorch's graph."""
    graph = chainrule.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_method("add", (x, 1), {"alpha": 2}))
    with redirect_stdout(io.StringIO()) as printed:
        graph.print_tabular()
    assert printed.getvalue() == (
        "opcode       name    target    args    kwargs\n"
        "-----------  ------  --------  ------  ------------\n"
        "placeholder  x       x         ()      {}\n"
        "call_method  add     add       (x, 1)  {'alpha': 2}\n"
        "output       output  output    (add,)  {}\n"
    )


@BOTH
def test_nodes_are_changed(torch):
    module = torch.fx.symbolic_trace(lambda x: torch.relu(x) + torch.relu(x * 2))
    graph = module.graph
    for node in graph.nodes:
        if node.target is torch.relu:
            with graph.inserting_after(node):
                new = graph.call_function(torch.tanh, (node.args[0],))
            node.replace_all_uses_with(new)
            graph.erase_node(node)
    module.recompile()
    x = torch.tensor([-1.0, 2.0])
    assert torch.equal(module(x), torch.tanh(x) + torch.tanh(x * 2))
    assert [len(n.users) for n in graph.nodes] == [2, 1, 1, 1, 1, 0]
    first = next(iter(graph.nodes))
    with pytest.raises(RuntimeError, match="Tried to erase Node x but it still had 2 users in the graph"):
        graph.erase_node(first)
    with pytest.raises(TypeError, match="does not support mutation"):
        graph.call_function(torch.cat, ([first],)).args[0].append(1)
    assert graph.eliminate_dead_code()
    graph.lint()
    last = graph.output_node()
    first.prepend(last)
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        graph.lint()


@BOTH
def test_patterns_are_replaced(torch):
    def program(x, y):
        return torch.relu(x) + torch.relu(y).add(x)

    module = torch.fx.symbolic_trace(program)
    matches = torch.fx.replace_pattern(module, lambda a: torch.relu(a), lambda a: torch.sigmoid(a) * 2)
    assert [match.anchor.name for match in matches] == ["relu", "relu"]
    words = (
        "def forward(self, x, y): sigmoid_1 = torch.sigmoid(y); y = None mul_1 = sigmoid_1 * 2; sigmoid_1 = None "
        "add = mul_1.add(x); mul_1 = None sigmoid = torch.sigmoid(x); x = None mul = sigmoid * 2; sigmoid = None "
        "add_1 = mul + add; mul = add = None return add_1"
    )
    assert " ".join(module.code.split()) == words


@BOTH
def test_what_cannot_be_traced(torch):
    errors = torch.fx.proxy.TraceError
    with pytest.raises(errors, match="symbolically traced variables cannot be used as inputs to control flow"):
        torch.fx.symbolic_trace(lambda x: x if x.sum() > 0 else -x)
    with pytest.raises(errors, match="Proxy object cannot be iterated"):
        torch.fx.symbolic_trace(lambda x: [part + 1 for part in x])
    with pytest.raises(RuntimeError, match="'len' is not supported in symbolic tracing by default"):
        torch.fx.symbolic_trace(lambda x: len(x))
    with pytest.raises(NotImplementedError, match="wrap must be called at the top level of a module"):
        torch.fx.wrap("len")
    branch = torch.fx.symbolic_trace(lambda x, up: x + 1 if up else x, concrete_args={"up": True})
    assert branch(torch.ones(1), True).item() == 2
    with pytest.raises(AssertionError, match="up has been specialized to have value True"):
        branch(torch.ones(1), False)


@BOTH
def test_a_tracer_of_ones_own(torch):
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x + 1

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return self.inner(x) if self.weight.shape[0] == 3 else x

    class Whole(torch.fx.Tracer):
        def is_leaf_module(self, m, qualname):
            return True

    tracer = Whole(param_shapes_constant=True)
    graph = tracer.trace(Outer())
    assert [(node.op, str(node.target)) for node in graph.nodes][1:2] == [("get_attr", "weight")]
    assert graph.find_nodes(op="call_module", target="inner") != []
    names = [node.target for node in torch.fx.Tracer(param_shapes_constant=True).trace(Outer()).nodes]
    assert "inner" not in names
    scopes = [node.meta["nn_module_stack"] for node in graph.nodes if node.op == "call_module"]
    assert list(scopes[0]) == ["inner"]


class Pickled(chainrule.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = chainrule.nn.Linear(2, 2)

    def forward(self, x):
        return chainrule.nn.functional.gelu(self.linear(x)).sum()


def test_pickles():
    module = chainrule.fx.symbolic_trace(Pickled())
    again = pickle.loads(pickle.dumps(module))
    x = chainrule.ones(1, 2)
    assert again.code == module.code
    assert again(x).item() == module(x).item()


@BOTH
def test_shapes_of_all_values(torch):
    shape_prop = importlib.import_module(f"{torch.__name__}.fx.passes.shape_prop")
    module = torch.fx.symbolic_trace(lambda x: torch.relu(x).sum(0))
    shape_prop.ShapeProp(module).propagate(torch.ones(2, 3))
    assert [tuple(node.meta["tensor_meta"].shape) for node in module.graph.nodes] == [(2, 3), (2, 3), (3,), (3,)]
    assert next(iter(module.graph.nodes)).meta["tensor_meta"].stride == (3, 1)


def test_functions_are_as_they_were_after_a_trace():
    functional = chainrule.nn.functional
    before = functional.relu.__code__
    traced(chainrule)
    with pytest.raises(ZeroDivisionError):
        chainrule.fx.symbolic_trace(lambda x: functional.relu(x) / (1 // 0))
    assert functional.relu.__code__ is before
    assert "__getattribute__" not in vars(chainrule.nn.Module)
    assert functional.relu(chainrule.tensor([-1.0])).item() == 0
