"""Channels that lie last in memory stay there: strides of results and of gradients are PyTorch's."""

import pytest
import torch as reference

import chainrule


@pytest.fixture(autouse=True)
def all_kernels(monkeypatch):
    """PyTorch's convolutions choose another layout for some gradients without oneDNN."""
    monkeypatch.setattr(reference.backends.mkldnn, "enabled", True)


def filled(torch, *shape):
    """Numbers between -1 and 1, the same in both libraries."""
    count = reference.Size(shape).numel()
    return (torch.arange(count) * 37 % 101).float().reshape(shape) / 50 - 1


def format_of(torch, x):
    return torch.channels_last if x.dim() == 4 else torch.channels_last_3d


def last(torch, x):
    """A copy with channels last, also where sizes of 1 leave the order open."""
    return torch.empty(x.shape, memory_format=format_of(torch, x)).copy_(x)


def swapped(x):
    return x.transpose(-1, -2).contiguous().transpose(-1, -2)


IMAGES = {
    "channels last": lambda torch: last(torch, filled(torch, 2, 4, 6, 8)),
    "one image": lambda torch: last(torch, filled(torch, 1, 4, 6, 8)),
    "one channel": lambda torch: last(torch, filled(torch, 2, 1, 6, 8)),
    "one pixel": lambda torch: last(torch, filled(torch, 2, 4, 1, 1)),
    "one row": lambda torch: last(torch, filled(torch, 2, 4, 1, 8)),
    "one column": lambda torch: last(torch, filled(torch, 2, 4, 6, 1)),
    "some channels": lambda torch: last(torch, filled(torch, 2, 8, 6, 8))[:, :4],
    "some rows": lambda torch: last(torch, filled(torch, 2, 4, 12, 8))[:, :, :6],
    "every other channel": lambda torch: last(torch, filled(torch, 2, 8, 6, 8))[:, ::2],
    "contiguous": lambda torch: filled(torch, 2, 4, 6, 8),
    "another order": lambda torch: swapped(filled(torch, 2, 4, 6, 8)),
    "expanded": lambda torch: last(torch, filled(torch, 1, 4, 6, 8)).expand(2, 4, 6, 8),
}
VOLUMES = {
    "channels last": lambda torch: last(torch, filled(torch, 2, 4, 4, 6, 4)),
    "one image": lambda torch: last(torch, filled(torch, 1, 4, 4, 6, 4)),
    "one channel": lambda torch: last(torch, filled(torch, 2, 1, 4, 6, 4)),
    "some channels": lambda torch: last(torch, filled(torch, 2, 8, 4, 6, 4))[:, :4],
    "contiguous": lambda torch: filled(torch, 2, 4, 4, 6, 4),
    "another order": lambda torch: swapped(filled(torch, 2, 4, 4, 6, 4)),
}


def weight(torch, x, shape, lies_last):
    w = filled(torch, *shape, *[3] * (x.dim() - 2))
    return last(torch, w) if lies_last else w


def convolution(lies_last, **options):
    def run(torch, x):
        w = weight(torch, x, (8, x.shape[1]), lies_last)
        return getattr(torch.nn.functional, f"conv{x.dim() - 2}d")(x, w, padding=1, **options)

    return run


def transposed(lies_last):
    def run(torch, x):
        w = weight(torch, x, (x.shape[1], 8), lies_last)
        return getattr(torch.nn.functional, f"conv_transpose{x.dim() - 2}d")(x, w, stride=2)

    return run


def pool(name, *args, **options):
    return lambda torch, x: getattr(torch.nn.functional, f"{name}{x.dim() - 2}d")(x, *args, **options)


def batch_norm(torch, x, training=True):
    channels = x.shape[1]
    statistics = torch.zeros(channels), torch.ones(channels)
    return torch.nn.functional.batch_norm(x, *statistics, filled(torch, channels), filled(torch, channels), training)


def interpolated(mode):
    """On the last dimensions only, by another factor each."""
    return lambda torch, x: torch.nn.functional.interpolate(x, scale_factor=(2, 1.5, 2)[: x.dim() - 2], mode=mode)


def padded(mode):
    return lambda torch, x: torch.nn.functional.pad(x, (1, 0) * (x.dim() - 2), mode=mode)


BOTH = {
    "convolution": convolution(False),
    "convolution, strided": convolution(False, stride=2),
    "convolution, weight last": convolution(True),
    "transposed convolution": transposed(False),
    "transposed convolution, weight last": transposed(True),
    "batch_norm": batch_norm,
    "batch_norm, running": lambda torch, x: batch_norm(torch, x, False),
    "instance_norm": lambda torch, x: torch.nn.functional.instance_norm(x),
    "group_norm": lambda torch, x: torch.nn.functional.group_norm(x, 1),
    "max_pool": pool("max_pool", 2, padding=1),
    "max_pool, float64": lambda torch, x: pool("max_pool", 2, padding=1)(torch, x.double()),
    "max_pool, dilated": pool("max_pool", 2, 1, dilation=2),
    "max_pool, ceil": pool("max_pool", 3, 2, ceil_mode=True),
    "positions": lambda torch, x: pool("max_pool", 2, padding=1, return_indices=True)(torch, x)[1],
    "avg_pool": pool("avg_pool", 2, padding=1),
    "avg_pool, ceil": pool("avg_pool", 3, 2, ceil_mode=True, count_include_pad=False),
    "adaptive_max_pool": pool("adaptive_max_pool", 2),
    "adaptive_avg_pool": pool("adaptive_avg_pool", 2),
    "nearest": interpolated("nearest"),
    "reflected": padded("reflect"),
    "replicated": padded("replicate"),
    "padded": padded("constant"),
    "cat, batch": lambda torch, x: torch.cat([x, x]),
    "cat, channels": lambda torch, x: torch.cat([x, x, x], 1),
    "cat, rows": lambda torch, x: torch.cat([x, x], 2),
    "cat with plain": lambda torch, x: torch.cat([x, filled(torch, *x.shape)], 1),
    "plain with cat": lambda torch, x: torch.cat([filled(torch, *x.shape), x], 1),
    "cat with last": lambda torch, x: torch.cat([x, last(torch, filled(torch, *x.shape))], 1),
    "cat with nothing": lambda torch, x: torch.cat([torch.empty(0), x], 1),
    "stack": lambda torch, x: torch.stack([x, x]),
    "stack, channels": lambda torch, x: torch.stack([x, x], 1),
    "stack, rows": lambda torch, x: torch.stack([x, x], 2),
    "roll": lambda torch, x: x.roll(1, 2),
    "roll, twice": lambda torch, x: x.roll((1, 1), (0, 1)),
    "roll by nothing": lambda torch, x: x.roll(0, 2),
    "channel_shuffle": lambda torch, x: torch.nn.functional.channel_shuffle(x, 2),
    "padded, circular": padded("circular"),
    "cut": lambda torch, x: torch.nn.functional.pad(x, (0, 0, 0, -1)),
    "padded by nothing": lambda torch, x: torch.nn.functional.pad(x, (0, 0)),
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
}
OF_IMAGES = BOTH | {
    "convolution, float64": lambda torch, x: torch.conv2d(
        x.double(), filled(torch, 8, x.shape[1], 3, 3).double(), padding=1
    ),
    "convolution, depthwise": lambda torch, x: torch.conv2d(
        x, filled(torch, x.shape[1], 1, 3, 3), padding=1, groups=x.shape[1]
    ),
    "max_pool, integers": lambda torch, x: torch.nn.functional.max_pool2d((x.detach() * 50).long(), 2, padding=1),
    "max_pool, bfloat16": lambda torch, x: torch.nn.functional.max_pool2d(x.bfloat16(), 2, padding=1),
    "group_norm, affine": lambda torch, x: torch.nn.functional.group_norm(
        x, x.shape[1] // 2 or 1, filled(torch, x.shape[1]), filled(torch, x.shape[1])
    ),
    "pixel_shuffle": lambda torch, x: torch.nn.functional.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda torch, x: torch.nn.functional.pixel_unshuffle(x, 2),
    "bilinear": interpolated("bilinear"),
    "bicubic": interpolated("bicubic"),
    "area": interpolated("area"),
    "antialiased": lambda torch, x: torch.nn.functional.interpolate(x, size=(3, 2), mode="bilinear", antialias=True),
}
OF_VOLUMES = BOTH | {"trilinear": interpolated("trilinear")}
USUAL = ["channels last", "one image", "some channels", "some rows", "contiguous", "another order"]
# Where sizes are 1 their strides have other reasons.
OTHERS = {
    "rms_norm": lambda torch, x: torch.nn.functional.rms_norm(x, x.shape[-1:]),
    "glu": lambda torch, x: torch.nn.functional.glu(x, -1),
}
# Their gradients are expanded here, or lie otherwise.
RESULTS = {
    "average of all": pool("adaptive_avg_pool", 1),
    "lp_pool": pool("lp_pool", 2, 2),
    "complex": lambda torch, x: torch.complex(x, filled(torch, *x.shape)),
    "logsigmoid": lambda torch, x: torch.nn.functional.logsigmoid(x),
    "cross": lambda torch, x: torch.linalg.cross(x[..., :3], x[..., :3] + 1),
}


def strides(torch, program, make):
    """Of the result, of the input's gradient for a gradient that lies as the result and for a contiguous one."""
    x = make(torch).requires_grad_()
    y = program(torch, x)
    found, values = [(tuple(y.shape), y.stride())], y.detach().double().flatten().tolist()
    if y.requires_grad:
        for g in (torch.empty_like(y).copy_(y.detach()), y.detach().contiguous()):
            (dx,) = torch.autograd.grad(y, x, g, retain_graph=True)
            found.append(dx.stride())
            values += dx.double().flatten().tolist()
    return found, values


def check(program, make):
    try:
        theirs, wanted = strides(reference, program, make)
    except (RuntimeError, ValueError) as e:
        with pytest.raises(type(e)):
            strides(chainrule, program, make)
        return
    ours, values = strides(chainrule, program, make)
    assert ours == theirs
    assert values == pytest.approx(wanted, rel=1e-4, abs=2e-5)


@pytest.mark.parametrize("layout", IMAGES)
@pytest.mark.parametrize("program", OF_IMAGES)
def test_images(program, layout):
    check(OF_IMAGES[program], IMAGES[layout])


@pytest.mark.parametrize("layout", VOLUMES)
@pytest.mark.parametrize("program", OF_VOLUMES)
def test_volumes(program, layout):
    check(OF_VOLUMES[program], VOLUMES[layout])


@pytest.mark.parametrize("layout", USUAL)
@pytest.mark.parametrize("program", OTHERS)
def test_others(program, layout):
    check(OTHERS[program], IMAGES[layout])


@pytest.mark.parametrize("layout", USUAL)
@pytest.mark.parametrize("program", RESULTS)
def test_results(program, layout):
    ours, theirs = (RESULTS[program](torch, IMAGES[layout](torch)) for torch in (chainrule, reference))
    assert (ours.shape, ours.stride()) == (theirs.shape, theirs.stride())


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
def test_gradients_of_weights_lie_as_pytorchs(kind, dims):
    """The raw gradient of a contiguous weight lies as the input does, .grad as the weight."""
    found = []
    for torch in (chainrule, reference):
        layer = getattr(torch.nn, f"{kind}{dims}d")(4, 6, 3)
        x = last(torch, filled(torch, 2, 4, *[5] * dims))
        y = layer(x).square().sum()
        (raw,) = torch.autograd.grad(y, layer.weight, retain_graph=True)
        y.backward()
        layer.to(memory_format=format_of(torch, x))
        layer(filled(torch, *x.shape)).sum().backward()
        found.append((raw.stride(), layer.weight.grad.stride(), layer.weight.stride()))
    assert found[0] == found[1]


def network(torch):
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.4), nn.MaxPool2d(2),
        nn.Conv2d(8, 6, 3), nn.GroupNorm(2, 6), nn.SiLU(), nn.Dropout2d(0.3), nn.Upsample(scale_factor=2),
        nn.AvgPool2d(2), nn.GELU(), nn.Dropout(0.5),
    )  # fmt: skip


def test_dropout_after_such_results_draws_pytorchs_numbers():
    outputs, gradients = [], []
    for torch in (chainrule, reference):
        torch.manual_seed(0)
        model = network(torch).to(memory_format=torch.channels_last)
        x = last(torch, filled(torch, 4, 3, 8, 8)).requires_grad_()
        y = model(x)
        assert y.is_contiguous(memory_format=torch.channels_last)
        y.square().mean().backward()
        outputs.append(y.flatten().tolist())
        gradients.append((x.grad.stride(), [p.grad.stride() for p in model.parameters()]))
    assert outputs[0] == pytest.approx(outputs[1], rel=1e-4, abs=1e-5)
    assert gradients[0] == gradients[1]


def test_gumbel_noise_is_drawn_in_the_order_of_the_indices():
    drawn = []
    for torch in (chainrule, reference):
        torch.manual_seed(0)
        drawn.append(
            torch.nn.functional.gumbel_softmax(last(torch, filled(torch, 2, 4, 3, 5)), dim=1).flatten().tolist()
        )
    assert drawn[0] == pytest.approx(drawn[1], rel=1e-5)


SIZES = [(2, 4, 6, 6), (2, 1, 6, 6), (2, 4, 1, 1), (1, 1, 1, 1), (0, 4, 6, 6)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_to_a_format(size):
    """The order that strides suggest decides, also where sizes of 1 leave it open: so weights of 1 x 1 are copied."""
    found = []
    for torch in (chainrule, reference):
        x = torch.zeros(*size)
        y = x.to(memory_format=torch.channels_last)
        back = y.to(memory_format=torch.contiguous_format)
        wide = x.to(torch.float64, memory_format=torch.channels_last)
        swapped = x.transpose(2, 3)
        copies = [
            swapped.to(memory_format=torch.contiguous_format),
            swapped.to(memory_format=torch.contiguous_format, copy=True),
            swapped.double(memory_format=torch.contiguous_format),
            x.cpu(memory_format=torch.channels_last),
            x.contiguous(memory_format=torch.channels_last),
        ]
        found.append((y is x, [t.stride() for t in (y, back, wide, *copies)]))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["gelu", "silu", "softplus", "tanh", "dropout", "mish"])
@pytest.mark.parametrize("layout", ["channels last", "another order", "contiguous"])
def test_a_gradient_that_is_expanded_takes_the_order_of_what_was_saved(layout, name):
    found = []
    for torch in (chainrule, reference):
        x = IMAGES[layout](torch).requires_grad_()
        (dx,) = torch.autograd.grad(getattr(torch.nn.functional, name)(x).sum(), x)
        found.append(dx.stride())
    assert found[0] == found[1]


@pytest.mark.parametrize("channels", [3, 17, 64])
def test_kernels_of_images_agree_with_those_of_planes(channels):
    """On sizes that take several threads."""
    nn = chainrule.nn.functional
    chainrule.manual_seed(0)
    x = chainrule.randn(3, channels, 65, 70)
    programs = [
        lambda x: nn.max_pool2d(x, 3, 2, 1),
        lambda x: nn.max_pool2d(x, 3, 2, 1, return_indices=True)[1],
        lambda x: nn.avg_pool2d(x, 3, 2, 1),
        lambda x: nn.adaptive_avg_pool2d(x, (7, 9)),
        lambda x: nn.interpolate(x, scale_factor=1.5, mode="bilinear"),
        lambda x: nn.pad(x, (3, 2, 1, 4), mode="reflect"),
        lambda x: chainrule.cat([x, x + 1], 1),
    ]
    for program in programs:
        assert chainrule.equal(program(last(chainrule, x)), program(x))
    for program in (lambda x: nn.batch_norm(x, None, None, training=True), lambda x: nn.group_norm(x, 1)):
        chainrule.testing.assert_close(program(last(chainrule, x)), program(x), check_stride=False)
