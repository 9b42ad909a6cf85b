"""Every layer and loss of nn against PyTorch: the same seed gives the same parameters bit for bit, and then the same
outputs, gradients, states and texts."""

# ruff: noqa: E501  (a table)

import importlib
import inspect

import pytest
import torch as reference

import chainrule
from both import agree, close, no_leaks, plain  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def rand(torch, *shape):
    """Numbers between 0 and 1 that are the same in both libraries."""
    return torch.rand(*shape)


def normal(*shapes):
    return lambda torch: [torch.randn(*shape).requires_grad_() for shape in shapes]


def indices(high, *shape):
    return lambda torch: [torch.randint(high, shape)]


def with_target(shape, make_target):
    return lambda torch: [torch.randn(*shape).requires_grad_(), make_target(torch)]


VECTORS, LINES, IMAGES, VOLUMES = (3, 4), (2, 4, 6), (2, 4, 6, 6), (2, 4, 4, 4, 4)
SIGNS = lambda *shape: lambda torch: torch.randint(0, 2, shape).float() * 2 - 1  # noqa: E731
CLASSES = lambda high, *shape: lambda torch: torch.randint(high, shape)  # noqa: E731

LAYERS = [
    # linear
    ("Identity()", normal(VECTORS)),
    ("Linear(4, 5)", normal(VECTORS)),
    ("Linear(4, 5, bias=False)", normal((4,))),
    ("Linear(6, 5, dtype=torch.float32)", normal((2, 3, 6))),
    ("Bilinear(4, 3, 5)", normal((2, 4), (2, 3))),
    ("Bilinear(4, 3, 5, bias=False)", normal((2, 2, 4), (2, 2, 3))),
    ("LazyLinear(5)", normal(VECTORS)),
    ("Flatten()", normal(LINES)),
    ("Unflatten(1, (2, 2))", normal(VECTORS)),
    # activations
    *[
        (f"{name}()", normal((2, 4)))
        for name in (
            *("ReLU", "ReLU6", "SELU", "CELU", "ELU", "GELU", "SiLU", "Mish", "Sigmoid", "Tanh", "LogSigmoid"),
            *("Softplus", "Softsign", "Tanhshrink", "Hardshrink", "Softshrink", "Hardtanh", "Hardsigmoid", "Hardswish"),
            *("LeakyReLU", "PReLU", "GLU", "RReLU"),
        )
    ],
    ("GELU('tanh')", normal(VECTORS)),
    ("PReLU(4)", normal(VECTORS)),
    ("Threshold(0.1, 20)", normal(VECTORS)),
    ("Hardtanh(-2, 0.5)", normal(VECTORS)),
    ("Softmax(dim=1)", normal(VECTORS)),
    ("Softmin(dim=0)", normal(VECTORS)),
    ("LogSoftmax(dim=-1)", normal(VECTORS)),
    ("Softmax2d()", normal(IMAGES)),
    # dropout: the same seed drops the same elements
    ("Dropout(0.3)", normal(VECTORS)),
    ("Dropout1d(0.5)", normal(LINES)),
    ("Dropout2d(0.5)", normal(IMAGES)),
    ("Dropout3d(0.5)", normal(VOLUMES)),
    ("AlphaDropout(0.4)", normal(VECTORS)),
    ("FeatureAlphaDropout(0.4)", normal(IMAGES)),
    # padding
    ("ConstantPad1d(2, 3.5)", normal(LINES)),
    ("ConstantPad3d((1, 0, 2, 1, 0, 1), -1)", normal(VOLUMES)),
    ("ZeroPad2d((1, -1, 2, 0))", normal(IMAGES)),
    ("ReflectionPad1d((2, 1))", normal(LINES)),
    ("ReflectionPad2d(2)", normal(IMAGES)),
    ("ReplicationPad2d((1, 2, 0, 3))", normal(IMAGES)),
    ("ReplicationPad3d(1)", normal(VOLUMES)),
    ("CircularPad1d((3, 1))", normal(LINES)),
    ("CircularPad2d((1, -1, 2, 0))", normal(IMAGES)),
    # tables
    ("Embedding(7, 3)", indices(7, 2, 5)),
    ("Embedding(7, 3, padding_idx=-2, scale_grad_by_freq=True)", indices(7, 4, 3)),
    ("Embedding(7, 3, max_norm=1.0)", indices(7, 4)),
    ("EmbeddingBag(7, 3)", indices(7, 2, 5)),
    ("EmbeddingBag(7, 3, mode='max', padding_idx=1)", indices(7, 3, 4)),
    ("EmbeddingBag(7, 3, mode='sum')", lambda t: [t.tensor([1, 2, 6, 0, 2]), t.tensor([0, 2, 2, 4])]),
    # distances and shuffles
    ("PairwiseDistance(p=1.5, keepdim=True)", normal(VECTORS, VECTORS)),
    ("CosineSimilarity(dim=0)", normal(VECTORS, VECTORS)),
    ("PixelShuffle(2)", normal(IMAGES)),
    ("PixelUnshuffle(3)", normal(IMAGES)),
    ("ChannelShuffle(2)", normal(IMAGES)),
    # normalisation
    ("BatchNorm1d(4)", normal(VECTORS)),
    ("BatchNorm1d(4, momentum=None, affine=False)", normal(LINES)),
    ("BatchNorm2d(4, track_running_stats=False)", normal(IMAGES)),
    ("BatchNorm3d(4, bias=False)", normal(VOLUMES)),
    ("LazyBatchNorm2d()", normal(IMAGES)),
    ("InstanceNorm1d(4)", normal(LINES)),
    ("InstanceNorm2d(4, affine=True, track_running_stats=True)", normal(IMAGES)),
    ("InstanceNorm3d(4)", normal(VOLUMES)),
    ("LayerNorm(6)", normal(LINES)),
    ("LayerNorm((4, 6), bias=False)", normal(LINES)),
    ("LayerNorm([6], elementwise_affine=False)", normal(LINES)),
    ("RMSNorm(6)", normal(LINES)),
    ("GroupNorm(2, 4)", normal(IMAGES)),
    ("GroupNorm(4, 4, affine=False)", normal(LINES)),
    ("LocalResponseNorm(3)", normal(IMAGES)),
    # recurrent
    ("RNN(4, 3)", normal((5, 2, 4))),
    ("RNN(4, 3, 2, 'relu', batch_first=True, bias=False)", normal((2, 5, 4))),
    ("GRU(4, 3, 2, bidirectional=True)", normal((5, 2, 4), (4, 2, 3))),
    ("LSTM(4, 3, 2, dropout=0.5)", normal((5, 2, 4))),
    ("LSTM(4, 5, 2, proj_size=3, bidirectional=True, batch_first=True)", normal((2, 5, 4))),
    ("LSTM(4, 3)", normal((5, 4))),
    ("RNNCell(4, 3)", normal((2, 4), (2, 3))),
    ("RNNCell(4, 3, nonlinearity='relu', bias=False)", normal((4,))),
    ("GRUCell(4, 3)", normal((2, 4))),
    ("LSTMCell(4, 3)", normal((2, 4))),
    # transformers
    ("MultiheadAttention(8, 2)", normal((5, 2, 8), (4, 2, 8), (4, 2, 8))),
    ("MultiheadAttention(8, 2, kdim=3, vdim=5, batch_first=True, add_bias_kv=True)", normal((2, 5, 8), (2, 4, 3), (2, 4, 5))),
    ("MultiheadAttention(8, 4, bias=False, add_zero_attn=True, dropout=0.2)", normal((5, 2, 8), (4, 2, 8), (4, 2, 8))),
    ("TransformerEncoderLayer(8, 2, 16)", normal((5, 2, 8))),
    ("TransformerDecoderLayer(8, 2, 16, norm_first=True, activation='gelu', batch_first=True)", normal((2, 5, 8), (2, 3, 8))),
    ("Transformer(8, 2, 2, 2, 16)", normal((5, 2, 8), (4, 2, 8))),
    # convolution and pooling
    ("Conv1d(4, 6, 3, padding=1)", normal(LINES)),
    ("Conv2d(4, 6, (3, 2), stride=2, groups=2)", normal(IMAGES)),
    ("Conv2d(4, 4, 3, padding='same', dilation=2, bias=False)", normal(IMAGES)),
    ("Conv2d(4, 4, 3, padding=1, padding_mode='circular')", normal(IMAGES)),
    ("Conv3d(4, 2, 2)", normal(VOLUMES)),
    ("ConvTranspose1d(4, 2, 3, stride=2, output_padding=1)", normal(LINES)),
    ("ConvTranspose2d(4, 2, 3, stride=2, padding=1, groups=2)", normal(IMAGES)),
    ("ConvTranspose3d(4, 2, 2, dilation=2)", normal(VOLUMES)),
    ("LazyConv2d(3, 3)", normal(IMAGES)),
    ("LazyConvTranspose1d(3, 2, bias=False)", normal(LINES)),
    ("MaxPool1d(2)", normal(LINES)),
    ("MaxPool2d(3, 2, padding=1, return_indices=True)", normal(IMAGES)),
    ("MaxPool3d(2, ceil_mode=True)", normal(VOLUMES)),
    ("AvgPool1d(2)", normal(LINES)),
    ("AvgPool2d(3, 2, 1, count_include_pad=False)", normal(IMAGES)),
    ("AvgPool3d(2, divisor_override=3)", normal(VOLUMES)),
    ("LPPool2d(2, 2)", normal(IMAGES)),
    ("AdaptiveAvgPool2d((None, 3))", normal(IMAGES)),
    ("AdaptiveMaxPool1d(4)", normal(LINES)),
    ("FractionalMaxPool2d(2, output_ratio=0.5)", normal(IMAGES)),
    ("Upsample(scale_factor=2)", normal(IMAGES)),
    ("Upsample(size=(5, 9), mode='bilinear', align_corners=True)", normal(IMAGES)),
    ("UpsamplingBilinear2d(scale_factor=1.5)", normal(IMAGES)),
    ("Unfold(2, padding=1)", normal(IMAGES)),
    ("Fold((4, 4), 2)", normal((2, 8, 9))),
    # losses
    ("L1Loss()", normal(VECTORS, VECTORS)),
    ("MSELoss(reduction='sum')", normal(VECTORS, VECTORS)),
    ("SmoothL1Loss(beta=0.5)", normal(VECTORS, VECTORS)),
    ("HuberLoss(delta=0.7)", normal(VECTORS, VECTORS)),
    ("CrossEntropyLoss()", with_target(VECTORS, CLASSES(4, 3))),
    ("CrossEntropyLoss(torch.tensor([1., 2., 3., 4.]), ignore_index=1, label_smoothing=0.1)", with_target(LINES, CLASSES(4, 2, 6))),
    ("NLLLoss(reduction='none')", with_target(VECTORS, CLASSES(4, 3))),
    ("LinearCrossEntropyLoss(4, 5, bias=True)", with_target(VECTORS, CLASSES(5, 3))),
    ("BCELoss(torch.tensor([1., 2., 3., 4.]))", lambda t: [rand(t, 3, 4).requires_grad_(), rand(t, 3, 4)]),
    ("BCEWithLogitsLoss(pos_weight=torch.tensor([1., 2., 3., 4.]))", lambda t: [t.randn(3, 4).requires_grad_(), rand(t, 3, 4)]),
    ("KLDivLoss(reduction='batchmean')", lambda t: [t.randn(3, 4).requires_grad_(), rand(t, 3, 4)]),
    ("PoissonNLLLoss(full=True)", lambda t: [t.randn(3, 4).requires_grad_(), rand(t, 3, 4) * 5]),
    ("GaussianNLLLoss(full=True)", lambda t: [t.randn(3, 4).requires_grad_(), t.randn(3, 4), rand(t, 3, 4)]),
    ("SoftMarginLoss()", with_target(VECTORS, SIGNS(3, 4))),
    ("HingeEmbeddingLoss(0.5)", with_target(VECTORS, SIGNS(3, 4))),
    ("MultiLabelMarginLoss()", with_target(VECTORS, lambda t: t.tensor([[0, 2, -1, 1], [3, -1, 0, 0], [-1, 1, 1, 1]]))),
    ("MultiLabelSoftMarginLoss()", lambda t: [t.randn(3, 4).requires_grad_(), rand(t, 3, 4).round()]),
    ("MultiMarginLoss(p=2, weight=torch.tensor([1., 2., 3., 4.]))", with_target(VECTORS, CLASSES(4, 3))),
    ("CosineEmbeddingLoss(0.1)", lambda t: [*normal(VECTORS, VECTORS)(t), t.tensor([1.0, -1.0, 1.0])]),
    ("MarginRankingLoss(0.1)", lambda t: [*normal((3,), (3,))(t), t.tensor([1.0, -1.0, 1.0])]),
    ("TripletMarginLoss(swap=True)", normal(VECTORS, VECTORS, VECTORS)),
    ("TripletMarginWithDistanceLoss()", normal(VECTORS, VECTORS, VECTORS)),
    ("CTCLoss()", lambda t: [t.randn(6, 2, 4).log_softmax(2).detach().requires_grad_(), t.tensor([[1, 2, 2], [3, 1, 0]]), (6, 5), (3, 2)]),
    ("AdaptiveLogSoftmaxWithLoss(8, 12, [4, 8], div_value=2.0)", lambda t: [t.randn(6, 8).requires_grad_(), t.tensor([0, 3, 4, 7, 8, 11])]),
]  # fmt: skip


def tensors_in(value):
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in tensors_in(item)]
    return [value] if hasattr(value, "requires_grad") else []


def life(torch, text, inputs):
    """All that can be seen of a layer: what it is at first, what it gives, its gradients, and its state afterwards."""
    torch.manual_seed(3)
    layer = eval(text, {"torch": torch, **dict(inspect.getmembers(torch.nn))})
    arguments = inputs(torch)
    seen = [repr(layer), list(layer.state_dict()), [name for name, _ in layer.named_parameters()]]
    first = [t.tolist() for t in layer.state_dict().values() if not torch.nn.parameter.is_lazy(t)]
    torch.manual_seed(4)
    outputs = tensors_in(layer(*arguments))
    loss = sum(
        (out * torch.arange(1.0, out.numel() + 1).reshape(out.shape)).sum() for out in outputs if out.requires_grad
    )
    if hasattr(loss, "backward"):
        loss.backward()
    seen += [plain(outputs), [plain(a.grad) for a in tensors_in(arguments)]]
    seen += [[plain(p.grad) for p in layer.parameters()], plain(dict(layer.state_dict())), repr(layer)]
    layer.eval()
    seen.append(plain(tensors_in(layer(*arguments))))
    return first, seen


@pytest.mark.parametrize(("text", "inputs"), LAYERS, ids=[text for text, _ in LAYERS])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor:UserWarning")
def test_layer(text, inputs):
    (first, ours), (expected_first, theirs) = (life(library, text, inputs) for library in (chainrule, reference))
    assert first == expected_first
    for mine, his in zip(ours, theirs, strict=True):
        assert close(mine, his, 2e-4), f"chainrule {mine!r}\nPyTorch {his!r}"


@pytest.mark.parametrize("size", [2, 3, 5])
def test_old_response_norm(size):
    """Its values are PyTorch's. Its gradient is theirs, by finite differences, which PyTorch's own is not."""

    def values(torch):
        torch.manual_seed(0)
        return plain(torch.nn.CrossMapLRN2d(size, alpha=1.0)(torch.randn(2, 7, 3, 3)))

    assert close(values(chainrule), values(reference), 1e-6)
    x = chainrule.randn(1, 4, 1, 1, dtype=chainrule.float64).requires_grad_()
    norm = chainrule.nn.CrossMapLRN2d(size, alpha=1.0)
    norm(x).sum().backward()
    step = chainrule.zeros_like(x)
    step[0, 0] = 1e-6
    difference = (norm(x + step).sum() - norm(x - step).sum()).item() / 2e-6
    assert abs(difference - x.grad[0, 0].item()) < 1e-8


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("size", [None, 1, 3, 100])
def test_cross_entropy_by_chunks(reduction, size):
    """Whatever the chunks, the loss and the gradients are PyTorch's; the second gradient takes the first for constant."""

    def program(torch):
        torch.manual_seed(0)
        options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=size)
        weight = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64)
        loss = torch.nn.LinearCrossEntropyLoss(
            6, 5, bias=True, reduction=reduction, weight=weight, ignore_index=2, options=options, dtype=torch.float64
        )
        x = torch.randn(8, 6, dtype=torch.float64, requires_grad=True)
        value = loss(x, torch.arange(8) % 5)
        value.sum().backward()
        results = [value, x.grad, *(p.grad for p in loss.parameters())]
        if reduction != "none":
            factor = torch.ones((), dtype=torch.float64, requires_grad=True)
            (g,) = torch.autograd.grad(loss(x, torch.arange(8) % 5), x, factor, create_graph=True)
            second = torch.autograd.grad(g.sum(), [x, factor], allow_unused=True)
            assert second[0] is None
            results.append(second[1])
        return results

    for ours, theirs in zip(program(chainrule), program(reference), strict=True):
        assert close(plain(ours), plain(theirs), 1e-10)


def test_chunked_cross_entropy_is_differentiated_once():
    loss = chainrule.nn.LinearCrossEntropyLoss(4, 5, options=chainrule.nn.LinearCrossEntropyOptions())
    value = loss(chainrule.ones(3, 4), chainrule.arange(3))
    value.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="chunked backward called twice"):
        value.backward()


def test_every_public_class_is_tried_or_explained():
    """Those that are missing in the table are tried in the file beside them."""
    elsewhere = {
        "test_nn_module.py": "Module ModuleDict ModuleList ParameterDict ParameterList Sequential Container Parameter "
        "Buffer UninitializedBuffer UninitializedParameter",
        "bases": "RNNBase RNNCellBase",
        "other sizes of what is tried": "AdaptiveAvgPool1d AdaptiveAvgPool3d AdaptiveMaxPool2d AdaptiveMaxPool3d "
        "CircularPad3d ConstantPad2d FractionalMaxPool3d LPPool1d LPPool3d LazyBatchNorm1d LazyBatchNorm3d LazyConv1d "
        "LazyConv3d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d "
        "ReflectionPad3d ReplicationPad1d ZeroPad1d ZeroPad3d UpsamplingNearest2d MaxUnpool1d MaxUnpool2d MaxUnpool3d",
        "one process, one device": "DataParallel SyncBatchNorm",
        "containers of what is tried": "TransformerEncoder TransformerDecoder",
        "old names": "NLLLoss2d CrossMapLRN2d",
        "options": "LinearCrossEntropyOptions",
    }
    known = {text.partition("(")[0] for text, _ in LAYERS} | set(" ".join(elsewhere.values()).split())
    public = {name for name, value in vars(reference.nn).items() if isinstance(value, type)}
    assert not public - known
    assert not [name for name in public if not hasattr(chainrule.nn, name)]


def test_every_layer_is_in_pytorchs_file():
    """Programs import layers from torch.nn.modules.activation as well."""
    for name in reference.nn.modules.__all__:
        file = getattr(reference.nn, name).__module__.removeprefix("torch.")
        module = importlib.import_module(f"chainrule.{file}")
        assert getattr(module, name) is getattr(chainrule.nn, name)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("shape", [(1, 3, 2, 1), (2, 3, 2, 1), (1, 3, 2, 4)])
def test_layouts_that_sizes_of_one_leave_open(shape, training):
    def program(torch):
        x = torch.arange(float(torch.ones(shape).numel())).reshape(shape).permute(0, 2, 1, 3)
        return torch.nn.functional.batch_norm(x, torch.zeros(2), torch.ones(2), training=training).stride()

    agree(program)


@pytest.mark.parametrize("duals", [(0,), (1,), (0, 1), (0, 2)])
def test_running_numbers_have_no_tangents(duals):
    def program(torch):
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            values = [torch.ones(3, 2, 5), torch.zeros(2), torch.ones(2)]
            given = [forward.make_dual(v, v) if i in duals else v for i, v in enumerate(values)]
            return torch.nn.functional.batch_norm(*given).shape

    agree(program, words=6)


def test_a_threshold_may_be_written_twice():
    def program(torch):
        x = torch.tensor([[0.2, 0.8]]).expand(3, 2)
        torch.nn.functional.threshold_(x, 0.5, 0.25)
        return x

    agree(program)


@pytest.mark.parametrize("cell", ["lstm_cell", "gru_cell", "rnn_relu_cell"])
@pytest.mark.parametrize("wrong", [0, 1])
def test_rows_of_a_cells_weights(cell, wrong):
    def program(torch):
        gates = {"l": 4, "g": 3, "r": 1}[cell[0]]
        rows = [gates * 2 + (wrong == i) for i in range(2)]
        h = torch.ones(1, 2)
        state = (h, h) if cell == "lstm_cell" else h
        getattr(torch, cell)(torch.ones(1, 3), state, torch.ones(rows[0], 3), torch.ones(rows[1], 2))

    agree(program, words=10)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_convolutions_of_no_channels(dims, dtype):
    def program(torch):
        layer = getattr(torch.nn, f"Conv{dims}d")(0, 3, 2, dtype=getattr(torch, dtype))
        x = torch.ones(2, 0, *[5] * dims, dtype=getattr(torch, dtype), requires_grad=True)
        y = layer(x)
        y.abs().sum().backward()
        return [y.shape, x.grad.shape, layer.weight.grad.shape, layer.bias.grad.abs()]

    agree(program)


@pytest.mark.parametrize("laid", ["contiguous", "transposed"])
@pytest.mark.parametrize("dtypes", [("float64", "float16"), ("float32", "float64")])
def test_a_bias_of_another_dtype(laid, dtypes):
    def program(torch):
        own, other = (getattr(torch, name) for name in dtypes)
        x = torch.ones(2, 3, 4, dtype=own)
        x = x.transpose(0, 1) if laid == "transposed" else x
        return torch.nn.functional.linear(x, torch.ones(5, 4, dtype=own), torch.ones(5, dtype=other))

    agree(program, words=6)
