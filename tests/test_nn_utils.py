"""nn.utils against PyTorch: clipping, vectors, norms, parametrizations, fusion, sequences, stateless calls."""

import copy
import importlib
import pickle

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks, outcome  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def both_say(program):
    assert repr(outcome(program, chainrule)) == repr(outcome(program, reference))


# ---- clipping and vectors


@pytest.mark.parametrize("norm_type", [2.0, 1.0, float("inf"), 0.5])
@pytest.mark.parametrize("max_norm", [0.5, 1e6])
def test_clip_grad_norm(max_norm, norm_type):
    def program(torch):
        layer = torch.nn.Linear(3, 4)
        layer(torch.randn(2, 3)).square().sum().backward()
        total = torch.nn.utils.clip_grad_norm_(layer.parameters(), max_norm, norm_type)
        again = torch.nn.utils.get_total_norm([p.grad for p in layer.parameters()], norm_type)
        return [total, again, layer.weight.grad, layer.bias.grad]

    agree(program)


@pytest.mark.parametrize("dtypes", [("float64", "float64"), ("float32", "float64"), ("bfloat16", "bfloat16")])
@pytest.mark.parametrize("worst", [2.0, float("inf"), float("nan")])
def test_clip_grad_norm_of_several_dtypes(dtypes, worst):
    def program(torch):
        parameters = [torch.nn.Parameter(torch.ones(3, 2, dtype=getattr(torch, name))) for name in dtypes]
        for p in parameters:
            p.grad = torch.tensor([[1, 2, -3], [4, 5, worst]], dtype=p.dtype).t()
        total = torch.nn.utils.clip_grad_norm_(parameters, 1.5)
        return [total, *(p.grad for p in parameters)]

    agree(program)


def test_gradients_within_the_norm_are_left_alone():
    p = chainrule.nn.Parameter(chainrule.ones(3))
    p.grad = chainrule.tensor([0.5, -0.25, -0.0])
    version = p.grad._version
    assert chainrule.nn.utils.clip_grad_norm_([p], 1.0) < 1
    assert p.grad._version == version


def test_clipping_in_other_ways():
    def program(torch):
        utils = torch.nn.utils
        layer = torch.nn.Linear(3, 4)
        layer(torch.randn(2, 3)).square().sum().backward()
        utils.clip_grad_value_(layer.parameters(), 0.3)
        seen = [layer.weight.grad.clone()]
        utils.clip_grads_with_norm_(layer.weight, 0.1, torch.tensor(3.0))
        empty = utils.clip_grad_norm_([torch.nn.Parameter(torch.ones(1))], 1.0)
        return [*seen, layer.weight.grad, empty]

    agree(program)


def test_a_norm_that_is_not_finite():
    def program(torch):
        p = torch.nn.Parameter(torch.ones(2))
        p.grad = torch.tensor([1.0, float("nan")])
        return torch.nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)

    both_say(program)


def test_parameters_and_vectors():
    def program(torch):
        layer = torch.nn.Linear(2, 3)
        vector = torch.nn.utils.parameters_to_vector(layer.parameters())
        torch.nn.utils.vector_to_parameters(torch.arange(9.0), layer.parameters())
        return [vector, layer.weight, layer.bias]

    agree(program)


# ---- weight norm and spectral norm


@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated:FutureWarning")
def test_weight_norm(dim):
    def program(torch):
        layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 4), dim=dim)
        names = [name for name, _ in layer.named_parameters()]
        layer(torch.randn(2, 3)).sum().backward()
        grads = [layer.weight_g.grad, layer.weight_v.grad]
        torch.nn.utils.remove_weight_norm(layer)
        return [names, grads, layer.weight, [name for name, _ in layer.named_parameters()]]

    agree(program)


def test_spectral_norm():
    def program(torch):
        layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 4), n_power_iterations=2)
        names = list(layer.state_dict())
        out = [layer(torch.randn(2, 3)) for _ in range(3)]
        out[-1].sum().backward()
        layer.eval()
        out.append(layer(torch.ones(1, 3)))
        grad = layer.weight_orig.grad
        torch.nn.utils.remove_spectral_norm(layer)
        return [names, out, grad, layer.weight]

    agree(program)


@pytest.mark.parametrize(
    "step",
    [
        lambda utils, layer: utils.remove_weight_norm(layer),
        lambda utils, layer: utils.remove_spectral_norm(layer),
        lambda utils, layer: utils.spectral_norm(layer, n_power_iterations=0),
        lambda utils, layer: utils.spectral_norm(utils.spectral_norm(layer)),
    ],
)
def test_mistakes_with_norms(step):
    agree(lambda torch: step(torch.nn.utils, torch.nn.Linear(2, 2)), words=4)


# ---- parametrizations


def symmetric(torch):
    class Symmetric(torch.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, a):
            return a.triu()

    return Symmetric()


def test_parametrization():
    def program(torch):
        parametrize = torch.nn.utils.parametrize
        layer = torch.nn.Linear(3, 3)
        parametrize.register_parametrization(layer, "weight", symmetric(torch))
        seen = [repr(layer), list(layer.state_dict()), layer.weight, parametrize.is_parametrized(layer, "weight")]
        layer(torch.ones(1, 3)).sum().backward()
        seen.append(layer.parametrizations.weight.original.grad)
        layer.weight = torch.arange(9.0).reshape(3, 3)
        seen += [layer.weight, parametrize.type_before_parametrizations(layer).__name__]
        with parametrize.cached():
            seen.append(layer.weight is layer.weight)
        twin = copy.deepcopy(layer)
        seen.append(twin.weight)
        parametrize.remove_parametrizations(layer, "weight")
        seen += [repr(layer), layer.weight, list(layer.state_dict()), parametrize.is_parametrized(layer)]
        return seen

    agree(program)


def test_several_parametrizations():
    def program(torch):
        parametrize = torch.nn.utils.parametrize

        class Double(torch.nn.Module):
            def forward(self, x):
                return x * 2

        layer, other = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        parametrize.register_parametrization(layer, "weight", symmetric(torch))
        parametrize.register_parametrization(layer, "weight", Double())
        parametrize.register_parametrization(layer, "bias", Double())
        parametrize.transfer_parametrizations_and_params(layer, other)
        first = [layer.weight, layer.bias, other.weight, [name for name, _ in layer.named_parameters()]]
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
        return [*first, layer.weight, repr(layer)]

    agree(program)


@pytest.mark.parametrize(
    "step",
    [
        lambda torch, p, layer: p.register_parametrization(layer, "nothing", torch.nn.ReLU()),
        lambda torch, p, layer: p.register_parametrization(layer, "weight", torch.nn.Flatten(0)),
        lambda torch, p, layer: p.remove_parametrizations(layer, "weight"),
        lambda torch, p, layer: setattr(p.register_parametrization(layer, "weight", torch.nn.ReLU()), "weight", 1),
        lambda torch, p, layer: pickle.dumps(p.register_parametrization(layer, "weight", torch.nn.ReLU())),
        lambda torch, p, layer: p.ParametrizationList([], layer.weight),
    ],
)
def test_mistakes_with_parametrizations(step):
    both_say(lambda torch: step(torch, torch.nn.utils.parametrize, torch.nn.Linear(2, 2)))


def test_ready_made_parametrizations():
    def program(torch):
        made = torch.nn.utils.parametrizations
        one = made.weight_norm(torch.nn.Linear(3, 4))
        two = made.spectral_norm(torch.nn.Linear(3, 4))
        x = torch.randn(2, 3)
        (one(x).sum() + two(x).sum()).backward()
        seen = [list(one.state_dict()), list(two.state_dict()), one(x), two(x), two.eval()(x)]
        seen += [p.grad for layer in (one, two) for p in layer.parameters()]
        old = {"weight_g": torch.ones(4, 1), "weight_v": torch.ones(4, 3), "bias": torch.ones(4)}
        seen.append(str(one.load_state_dict(old)))
        return seen

    agree(program, tolerance=1e-5)


# ---- fusion, skip_init, stateless


def test_fusion():
    def program(torch):
        linear, norm = torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)
        with torch.no_grad():
            norm.running_mean.copy_(torch.randn(4))
            norm.running_var.copy_(torch.rand(4) + 0.5)
            norm.weight.copy_(torch.randn(4))
        fused = torch.nn.utils.fuse_linear_bn_eval(linear.eval(), norm.eval())
        weights = torch.nn.utils.fuse_conv_bn_weights(
            torch.randn(4, 2, 3), None, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
        )
        return [fused.weight, fused.bias, *weights]

    agree(program)


def test_fusion_in_training():
    agree(lambda torch: torch.nn.utils.fuse_linear_bn_eval(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1)), words=3)


def test_skip_init_draws_nothing():
    chainrule.manual_seed(0)
    layer = chainrule.nn.utils.skip_init(chainrule.nn.Linear, 3, 4)
    after = chainrule.rand(2)
    chainrule.manual_seed(0)
    assert after.tolist() == chainrule.rand(2).tolist()
    assert layer.weight.shape == (4, 3)


@pytest.mark.filterwarnings("ignore:.*functional_call.*:FutureWarning")
def test_stateless_call():
    def program(torch):
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        net.tied = net[0]
        before = net[0].weight
        given = {"0.weight": torch.ones(2, 2, requires_grad=True)}
        call = torch.nn.utils.stateless.functional_call
        out = call(torch.nn.Linear(2, 2, bias=False), {"weight": given["0.weight"]}, torch.ones(1, 2))
        out.sum().backward()
        return [out, given["0.weight"].grad, net[0].weight is before]

    agree(program)


@pytest.mark.filterwarnings("ignore:.*functional_call.*:FutureWarning")
@pytest.mark.parametrize("given", [{"nothing": 1}, {"weight": 1, "more": 1}])
def test_stateless_call_with_wrong_names(given):
    def program(torch):
        tensors = {name: torch.ones(2, 2) for name in given}
        call = torch.nn.utils.stateless.functional_call
        return call(torch.nn.Linear(2, 2), tensors, torch.ones(1, 2), strict=True)

    both_say(program)


# ---- sequences


def sequences(torch):
    return [torch.arange(1.0, 5.0), torch.arange(5.0, 7.0), torch.arange(7.0, 10.0)]


def test_padding_and_packing():
    def program(torch):
        rnn = torch.nn.utils.rnn
        padded = rnn.pad_sequence(sequences(torch), batch_first=True, padding_value=-1)
        left = rnn.pad_sequence(sequences(torch), padding_side="left")
        packed = rnn.pack_padded_sequence(padded, [4, 2, 3], batch_first=True, enforce_sorted=False)
        back, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=9, total_length=5)
        alone = rnn.unpack_sequence(rnn.pack_sequence(sequences(torch), enforce_sorted=False))
        return [
            [padded, left, list(packed), back, lengths],
            alone,
            rnn.unpad_sequence(padded, torch.tensor([4, 2, 3]), batch_first=True),
            [padded.stride(), left.stride(), back.stride(), packed.data.stride()],
            str(packed.double().data.dtype),
            rnn.invert_permutation(torch.tensor([2, 0, 1])),
        ]

    agree(program)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}])
def test_packed_sequences_through_a_network(kind, options):
    def program(torch):
        rnn = torch.nn.utils.rnn
        net = getattr(torch.nn, kind)(2, 3, **options)
        x = torch.randn(4, 3, 2, requires_grad=True)
        packed = rnn.pack_padded_sequence(x, [2, 4, 3], enforce_sorted=False)
        out, state = net(packed)
        padded, lengths = rnn.pad_packed_sequence(out)
        padded.square().sum().backward()
        return [padded, lengths, list(state) if kind == "LSTM" else state, x.grad, [p.grad for p in net.parameters()]]

    agree(program, tolerance=1e-5)


@pytest.mark.parametrize(
    "step",
    [
        lambda torch, rnn: rnn.pack_padded_sequence(torch.ones(3, 2), [1, 2]),
        lambda torch, rnn: rnn.pack_padded_sequence(torch.ones(3, 2), [2, 0]),
        lambda torch, rnn: rnn.pack_padded_sequence(torch.ones(3, 2), [2]),
        lambda torch, rnn: rnn.pad_sequence(3),
        lambda torch, rnn: rnn.pad_sequence([torch.ones(1)], padding_side="top"),
        lambda torch, rnn: rnn.pad_packed_sequence(rnn.pack_sequence([torch.ones(3)]), total_length=2),
        lambda torch, rnn: torch.nn.LSTM(3, 4)(torch.ones(2, 2, 5)),
        lambda torch, rnn: torch.nn.LSTM(3, 4)(torch.ones(1, 2, 2, 3)),
        lambda torch, rnn: torch.nn.LSTM(3, 4)(torch.ones(2, 2, 3).double()),
        lambda torch, rnn: torch.nn.GRU(3, 4)(torch.ones(2, 2, 3), torch.ones(1, 2, 3)),
        lambda torch, rnn: torch.nn.GRU(3, 4)(torch.ones(2, 2, 3), torch.ones(2, 3)),
        lambda torch, rnn: torch.nn.RNN(3, 4, nonlinearity="sin"),
        lambda torch, rnn: torch.nn.GRU(3, 4, proj_size=2),
        lambda torch, rnn: torch.nn.LSTM(3, 4, proj_size=4),
        lambda torch, rnn: torch.nn.LSTM(3, 0),
        lambda torch, rnn: torch.nn.LSTM(3.5, 1),
        lambda torch, rnn: torch.nn.LSTM(3, 1, dropout=2),
        lambda torch, rnn: torch.nn.LSTMCell(3, 4)(torch.ones(1, 2, 3)),
        lambda torch, rnn: torch.nn.RNNCell(3, 4)(torch.ones(2, 5)),
        lambda torch, rnn: torch.nn.RNNCell(3, 4)(torch.ones(2, 3), torch.ones(1, 4)),
        lambda torch, rnn: torch.nn.RNNCell(3, 4)(torch.ones(2, 3), torch.ones(2, 5)),
    ],
)
def test_mistakes_with_sequences(step):
    agree(lambda torch: step(torch, torch.nn.utils.rnn), words=4)


def _pruned(torch, prune):
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Conv2d(2, 3, 3), torch.nn.Linear(4, 4))
    prune(importlib.import_module(f"{torch.__name__}.nn.utils.prune"), model)
    inputs = torch.randn(2, 6)
    out = model[2](model[0](inputs))
    out.sum().backward()
    gradients = [p.grad for p in model.parameters()]
    names = [type(hook).__name__ for layer in model for hook in layer._forward_pre_hooks.values()]
    return out, gradients, list(model.state_dict()), [b.clone() for b in model.buffers()], names


PRUNINGS = {
    "l1": lambda p, m: p.l1_unstructured(m[0], "weight", 0.3),
    "number": lambda p, m: p.l1_unstructured(m[0], "weight", 5),
    "scores": lambda p, m: p.l1_unstructured(m[0], "bias", 2, importance_scores=-m[0].bias),
    "random": lambda p, m: p.random_unstructured(m[2], "bias", amount=0.5),
    "slices": lambda p, m: p.random_structured(m[0], "weight", 2, dim=1),
    "norms": lambda p, m: p.ln_structured(m[1], "weight", amount=0.34, n=2, dim=0),
    "twice": lambda p, m: p.l1_unstructured(p.ln_structured(m[0], "weight", 1, n=1, dim=0), "weight", 4),
    "thrice": lambda p, m: p.ln_structured(
        p.random_unstructured(p.identity(m[0], "weight"), "weight", 3), "weight", 1, 2, 0
    ),
    "mask": lambda p, m: p.custom_from_mask(m[2], "bias", m[2].bias > 0),
    "all": lambda p, m: p.global_unstructured([(m[0], "weight"), (m[2], "bias")], p.L1Unstructured, amount=0.4),
    "removed": lambda p, m: p.remove(p.l1_unstructured(m[0], "weight", 0.3), "weight"),
    "too many": lambda p, m: p.l1_unstructured(m[0], "bias", 9),
    "share": lambda p, m: p.l1_unstructured(m[0], "bias", 1.5),
    "text": lambda p, m: p.l1_unstructured(m[0], "bias", "x"),
    "vector": lambda p, m: p.ln_structured(m[0], "bias", 1, 2, 0),
    "not pruned": lambda p, m: p.remove(m[0], "bias"),
}


@pytest.mark.parametrize("prune", PRUNINGS.values(), ids=PRUNINGS.keys())
def test_pruning(prune):
    agree(lambda torch: _pruned(torch, prune), words=3)


# ---- states


def test_spectral_norm_of_the_first_version():
    def program(torch):
        torch.manual_seed(0)
        layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 4))
        layer(torch.ones(1, 3))
        state = layer.state_dict()
        state["weight"] = layer.weight.detach().clone()
        v = state.pop("weight_v")
        del state._metadata[""]["spectral_norm"]
        layer.load_state_dict(state)
        return [bool((layer.weight_v - v).abs().max() < 1e-5), layer.state_dict()["weight_u"]]

    agree(program, tolerance=1e-5)


def test_prefixes_in_the_metadata():
    def program(torch):
        state = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1)).state_dict()
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
        return [list(state), list(state._metadata)]

    agree(program)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
@pytest.mark.parametrize("kind", ["matrix_exp", "cayley"])
def test_complex_orthogonal_matrices(shape, kind):
    layer = chainrule.nn.Linear(*shape, dtype=chainrule.complex64)
    chainrule.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=kind)
    w = layer.weight if shape[1] < shape[0] else layer.weight.mH  # of as many rows as the smaller size
    assert (w @ w.mH - chainrule.eye(min(shape))).abs().max() < 1e-5


@pytest.mark.parametrize(
    "make",
    [
        lambda rnn, torch: rnn.pack_padded_sequence(torch.ones(0, 0), []),
        lambda rnn, torch: rnn.pack_padded_sequence(torch.ones(3, 2), torch.ones(1, 2, dtype=torch.int64)),
        lambda rnn, torch: rnn.pad_packed_sequence(
            rnn.PackedSequence(torch.ones(0, 5), torch.ones(0, dtype=torch.int64), None, None)
        ),
    ],
)
def test_nothing_to_pack(make):
    agree(lambda torch: make(torch.nn.utils.rnn, torch), words=4)
