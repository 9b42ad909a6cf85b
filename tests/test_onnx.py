"""torch.onnx.export: onnxruntime calculates what the model does."""

import numpy
import onnx
import onnxruntime
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.missing_names import problem_with

F = nn.functional


def ran(path, *inputs):
    """What onnxruntime gives for the inputs in their order."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    return session.run(None, {name: x.numpy() for name, x in zip(names, inputs, strict=True)})


def compared(tmp_path, model, *inputs, **options):
    path = str(tmp_path / "model.onnx")
    torch.onnx.export(model, inputs, path, **options)
    expected = model(*inputs)
    expected = [x for x in torch.utils._pytree.tree_leaves(expected) if isinstance(x, torch.Tensor)]
    found = ran(path, *inputs)
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == tuple(b.shape)
        assert str(a.dtype) == str(b.dtype).removeprefix("torch.")
        numpy.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-4, atol=1e-4)
    return path


class BasicBlock(nn.Module):
    def __init__(self, width, out, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(width, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(True))
        self.second = nn.Sequential(nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.short = nn.Conv2d(width, out, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = self.second(self.first(x))
        y += self.short(x)
        return F.relu(y)


def resnet():
    stem = [nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    blocks = [BasicBlock(8, 8, 1), BasicBlock(8, 16, 2)]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(20, 16), nn.Embedding(12, 16)
        self.norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(3))
        self.attend, self.project = nn.Linear(16, 48), nn.Linear(16, 16)
        self.feed = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16), nn.Dropout(0.1))

    def forward(self, ids):
        batch, length = ids.shape
        x = self.words(ids) + self.places(torch.arange(length, device=ids.device))
        q, k, v = self.attend(self.norms[0](x)).view(batch, length, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / 8**0.5
        mask = torch.tril(torch.ones(length, length)) == 0
        y = torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ v
        y = y + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(y.transpose(1, 2).contiguous().view(batch, length, 16))
        x = x + self.feed(self.norms[1](x))
        return self.norms[2](x) @ self.words.weight.T


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, 16, 4, 4), nn.Parameter(torch.randn(1, 1, 16))
        self.places = nn.Parameter(torch.randn(1, 17, 16))
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True), 2
        )
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.encoder(x)[:, 0])


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU())
        self.inner = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(8, 8, 3, padding="same", dilation=2), nn.LeakyReLU(0.1))
        self.up, self.out = nn.ConvTranspose2d(8, 8, 2, 2), nn.Conv2d(24, 3, 1)

    def forward(self, x):
        y = self.down(x)
        z = self.inner(y)
        smooth = F.interpolate(z, scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(torch.cat([y, self.up(z), smooth + F.interpolate(z, size=(16, 16))], 1)).tanh()


def mobilenet():
    convolution = [nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.BatchNorm2d(8), nn.Hardswish()]
    layers = [nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), *convolution, nn.ReLU6(), nn.Hardsigmoid(), nn.ZeroPad2d(1)]
    return nn.Sequential(*layers, nn.ReflectionPad2d(1), nn.AdaptiveAvgPool2d(2), nn.Flatten(1), nn.Linear(32, 4))


class Llama(nn.Module):
    """Rotated halves, root mean squares, gates."""

    def __init__(self):
        super().__init__()
        self.norm, self.qkv = nn.RMSNorm(16), nn.Linear(16, 48, bias=False)
        self.gate, self.up, self.down = (nn.Linear(*sizes, bias=False) for sizes in ((16, 24), (16, 24), (24, 16)))

    def forward(self, x):
        angles = torch.arange(x.shape[1])[:, None] / 10 ** (torch.arange(0, 16, 2) / 16)
        cos, sin = torch.cat([angles, angles], -1).cos(), torch.cat([angles, angles], -1).sin()
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k = (t * cos + torch.cat((-t[..., 8:], t[..., :8]), -1) * sin for t in (q, k))
        x = x + F.scaled_dot_product_attention(q, k, v)
        y = x.to(torch.float32)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.inner = kind(4, 6, **options)

    def forward(self, x):
        return self.inner(x)


NETWORKS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2), nn.LogSoftmax(-1)), [(3, 4)]),
    "resnet": (resnet, [(2, 3, 32, 32)]),
    "gpt": (Gpt, [torch.arange(20).reshape(2, 10)]),
    "vit": (Vit, [(2, 3, 16, 16)]),
    "unet": (Unet, [(1, 3, 16, 16)]),
    "mobilenet": (mobilenet, [(1, 3, 16, 16)]),
    "llama": (Llama, [(2, 5, 16)]),
    "lstm": (lambda: Recurrent(nn.LSTM, num_layers=2, bidirectional=True, batch_first=True), [(2, 5, 4)]),
    "gru": (lambda: Recurrent(nn.GRU, num_layers=2), [(5, 2, 4)]),
    "rnn": (lambda: Recurrent(nn.RNN, nonlinearity="relu", bias=False), [(5, 2, 4)]),
    "attention": (lambda: nn.TransformerEncoderLayer(8, 2, 16), [(4, 3, 8)]),
    "convolution in one dimension": (
        lambda: nn.Sequential(nn.Conv1d(2, 4, 3), nn.InstanceNorm1d(4, affine=True), nn.ELU(), nn.MaxPool1d(2)),
        [(1, 2, 16)],
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(tmp_path, name):
    torch.manual_seed(0)
    make, inputs = NETWORKS[name]
    model = make().eval()
    for module in model.modules():  # statistics that matter
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
    compared(tmp_path, model, *[torch.randn(x) if isinstance(x, tuple) else x for x in inputs])


X, N = torch.linspace(-2, 3, 24).reshape(2, 3, 4), torch.arange(24).reshape(2, 3, 4)
FUNCTIONS = [
    lambda x: (2 - x, 1 / (x + 9), 2**x, x.abs() ** 0.5, x // 2, x * 3 - 1, -x),
    lambda x: (x > 0, (x > 0) & (x < 1) | ~(x == 0), torch.where(x > 0, x, 0.5), x.masked_fill(x < 0, -1e9)),
    lambda x: (
        x.sum(),
        x.mean(1),
        x.mean((1, 2), keepdim=True),
        x.amax(-1),
        x.max(1),
        x.min(),
        x.argmax(1),
        x.argmin(),
    ),
    lambda x: (x.var(-1), x.std((1, 2), unbiased=False), x.norm(dim=1), F.normalize(x, dim=2), x.logsumexp(1)),
    lambda x: (
        x[0],
        x[:, 1:],
        x[..., -1],
        x[:, None, ::2],
        x[:, torch.tensor([2, 0])],
        x.flip(1, 2),
        x.roll((1, 2), (0, 1)),
    ),
    lambda x: (x.permute(2, 0, 1), x.movedim(0, 2), x.mT, x.reshape(6, 4).T, x.unflatten(2, (2, 2)), x.repeat(2, 1, 3)),
    lambda x: (x.split([1, 2], 1), x.chunk(2, -1), x.unbind(1), torch.stack([x, x], 1), torch.cat([x, x], -1)),
    lambda x: (x.long(), x.double() * 2, x.int() + 1.5, (x > 0).float(), x.to(torch.int32), x.bool()),
    lambda x: (x.clamp(0, 1), x.clamp(min=0.5), F.hardtanh(x), F.softplus(x), F.mish(x), F.celu(x), F.selu(x)),
    lambda x: (F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.hardswish(x), F.softsign(x), F.relu6(x)),
    lambda x: (
        torch.maximum(x, 0 * x),
        torch.minimum(x, x * 2),
        x.sign(),
        x.floor(),
        x.ceil(),
        x.erf(),
        x.exp().log1p(),
    ),
    lambda x: (x.cumsum(1), x.topk(2), x.tril(), x.triu(1), x.gather(2, torch.zeros(2, 3, 1, dtype=torch.int64))),
    lambda x: (x @ x.mT, torch.einsum("bij,bkj->bik", x, x), torch.bmm(x, x.mT), torch.addmm(x[0], x[0, :, :3], x[1])),
    lambda x: (
        F.softmax(x, 1),
        F.log_softmax(x, -1),
        F.pad(x, (1, 2), value=3.0),
        x.zero_() if x is None else x.clone(),
    ),
    lambda x: {"a": x + torch.ones_like(x), "b": [x.new_full((2,), 3.0), x.expand(3, 2, 3, 4), x.squeeze(0)]},
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_functions(tmp_path, number):
    compared(tmp_path, FUNCTIONS[number], X)


def test_names_and_open_sizes(tmp_path):
    torch.manual_seed(0)
    model = Gpt().eval()
    ids = torch.arange(20).reshape(2, 10)
    options = {"input_names": ["ids"], "output_names": ["scores"], "dynamic_axes": {"ids": {0: "batch"}, "scores": [0]}}
    path = compared(tmp_path, model, ids, **options)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert [(each.name, each.shape) for each in session.get_inputs()] == [("ids", ["batch", 10])]
    other = torch.arange(50).reshape(5, 10) % 20
    (found,) = session.run(["scores"], {"ids": other.numpy()})
    numpy.testing.assert_allclose(found, model(other).detach().numpy(), rtol=1e-4, atol=1e-4)
    with pytest.raises(NotImplementedError, match="dynamic_axes"):
        torch.onnx.export(model, ids, path, input_names=["ids"], dynamic_axes={"ids": {1: "length"}})


def test_the_file_has_the_parameters_by_their_names(tmp_path):
    path = compared(tmp_path, nn.Linear(2, 1), torch.ones(1, 2))
    assert sorted(each.name for each in onnx.load(path).graph.initializer) == ["bias", "weight"]


def test_the_model_keeps_its_mode(tmp_path):
    model = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(2))
    torch.onnx.export(model, torch.ones(3, 2), str(tmp_path / "x.onnx"))
    assert [module.training for module in model.modules()] == [True, True, True]
    options = {"training": torch.onnx.TrainingMode.PRESERVE}
    with pytest.raises(NotImplementedError, match=r"call model\.eval\(\) before"):
        torch.onnx.export(model, torch.ones(3, 2), str(tmp_path / "x.onnx"), **options)


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (lambda x: x.cummax(0)[0], {}, r"cannot export torch\.ops\.aten\.cummax"),
        (lambda x: x[0].mul_(2), {}, "writes through a view"),
        (lambda x: x + torch.rand(2), {}, r"cannot export torch\.ops\.aten\.rand"),
        (lambda x: x, {"opset_version": 9}, "opset_version=9"),
        (lambda x: x, {"dynamic_shapes": {}}, "dynamic_shapes"),
        (lambda x: x, {"verify": True}, "verify=True"),
    ],
)
def test_what_cannot_be_exported_names_itself(tmp_path, model, options, words):
    with pytest.raises(NotImplementedError, match=words):
        torch.onnx.export(model, torch.ones(2, 2), str(tmp_path / "x.onnx"), **options)
    assert problem_with("torch.onnx.export") is None
    assert "writes a file" in problem_with("torch.onnx.dynamo_export")
