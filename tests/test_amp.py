"""amp: autocast by PyTorch's lists, and GradScaler."""

import contextlib
import copy
import pickle
import threading
import warnings

import pytest
import torch

import chainrule
from both import agree, no_leaks  # noqa: F401

chainrule.vmap(lambda x: x)(chainrule.ones(1))  # its rules, once loaded, keep some tensors
pytestmark = pytest.mark.usefixtures("no_leaks")
LOWER = pytest.mark.parametrize("lower", ["bfloat16", "float16"])


def region(library, lower="bfloat16", **options):
    return library.autocast("cpu", dtype=getattr(library, lower), **options)


def numbers(library, *shape, dtype="float32", requires_grad=False):
    """Numbers that bfloat16 holds exactly and whose short sums it holds too."""
    count = 1
    for size in shape:
        count *= size
    values = (library.arange(count) % 5 - 2).reshape(shape).to(getattr(library, dtype))
    return values.requires_grad_(requires_grad)


# ---- which operations are cast

# Each takes a library and a function that makes numbers of a shape.
CASES = {
    "mm": lambda lib, x: lib.mm(x(2, 3), x(3, 2)),
    "mm method": lambda lib, x: x(2, 3).mm(x(3, 2)),
    "@": lambda lib, x: x(2, 3) @ x(3, 2),
    "__rmatmul__": lambda lib, x: x(3, 2).__rmatmul__(x(2, 3)),
    "matmul": lambda lib, x: lib.matmul(x(2, 3), x(3)),
    "bmm": lambda lib, x: lib.bmm(x(2, 2, 3), x(2, 3, 2)),
    "addmm": lambda lib, x: lib.addmm(x(2), x(2, 3), mat2=x(3, 2)),
    "baddbmm": lambda lib, x: lib.baddbmm(x(2, 2, 2), x(2, 2, 3), x(2, 3, 2)),
    "addbmm": lambda lib, x: lib.addbmm(x(2, 2), x(2, 2, 3), x(2, 3, 2)),
    "mv": lambda lib, x: lib.mv(x(2, 3), x(3)),
    "dot": lambda lib, x: lib.dot(x(3), x(3)),
    "inner": lambda lib, x: lib.inner(x(2, 3), x(2, 3)),
    "inner of vectors": lambda lib, x: lib.inner(x(3), x(3)),
    "inner with a number": lambda lib, x: lib.inner(x(2, 3), x(1).sum()),
    "affine_grid": lambda lib, x: lib.nn.functional.affine_grid(x(1, 2, 3), (1, 1, 2, 2), align_corners=True),
    "outer": lambda lib, x: lib.outer(x(2), x(3)),
    "einsum": lambda lib, x: lib.einsum("ij,jk->ik", x(2, 3), x(3, 2)),
    "tensordot": lambda lib, x: lib.tensordot(x(2, 3), x(3, 2), 1),
    "tensordot to one number": lambda lib, x: lib.tensordot(x(2, 3), x(2, 3), 2),
    "linear": lambda lib, x: lib.nn.functional.linear(x(2, 3), x(4, 3), x(4)),
    "bilinear": lambda lib, x: lib.nn.functional.bilinear(x(2, 3), x(2, 3), x(4, 3, 3)),
    "conv1d": lambda lib, x: lib.conv1d(x(1, 2, 5), x(3, 2, 2)),
    "conv2d": lambda lib, x: lib.conv2d(x(1, 2, 5, 5), x(3, 2, 2, 2), x(3)),
    "conv3d": lambda lib, x: lib.conv3d(x(1, 1, 3, 3, 3), x(2, 1, 2, 2, 2)),
    "conv_transpose2d": lambda lib, x: lib.conv_transpose2d(x(1, 2, 3, 3), x(2, 1, 2, 2)),
    "prelu": lambda lib, x: lib.nn.functional.prelu(x(4), x(1)),
    "attention": lambda lib, x: lib.nn.functional.scaled_dot_product_attention(x(1, 2, 4), x(1, 2, 4), x(1, 2, 4)),
    "add": lambda lib, x: x(3) + x(3),
    "exp": lambda lib, x: x(3).exp(),
    "sum": lambda lib, x: x(3).sum(),
    "softmax": lambda lib, x: x(3).softmax(0),
    "layer_norm": lambda lib, x: lib.nn.functional.layer_norm(x(2, 3), (3,)),
    "prod": lambda lib, x: x(3).prod(),
    "prod by dtype": lambda lib, x: x(3).prod(0, dtype=lib.bfloat16),
    "trace": lambda lib, x: x(2, 2).trace(),
    "cdist": lambda lib, x: lib.cdist(x(2, 3), x(2, 3)),
    "quantile": lambda lib, x: lib.quantile(x(4), 0.5),
    "mse_loss": lambda lib, x: lib.nn.functional.mse_loss(x(3), x(3)),
    "l1_loss": lambda lib, x: lib.nn.functional.l1_loss(x(3), target=x(3)),
    "huber_loss": lambda lib, x: lib.nn.functional.huber_loss(x(3), x(3)),
    "nll_loss": lambda lib, x: lib.nn.functional.nll_loss(x(2, 3), lib.tensor([0, 2])),
    "cross_entropy": lambda lib, x: lib.nn.functional.cross_entropy(x(2, 3), lib.tensor([0, 2])),
    "bce_with_logits": lambda lib, x: lib.nn.functional.binary_cross_entropy_with_logits(x(3), x(3)),
    "kl_div": lambda lib, x: lib.nn.functional.kl_div(x(3), x(3).abs(), reduction="sum"),
    "gaussian_nll_loss": lambda lib, x: lib.nn.functional.gaussian_nll_loss(x(3), x(3), x(3).abs() + 1),
    "reflect": lambda lib, x: lib.nn.functional.pad(x(1, 2, 3), (1, 1), "reflect"),
    "circular": lambda lib, x: lib.nn.functional.pad(x(1, 2, 3), (1, 1), "circular"),
    "avg_pool2d": lambda lib, x: lib.nn.functional.avg_pool2d(x(1, 1, 4, 4), 2),
    "avg_pool3d": lambda lib, x: lib.nn.functional.avg_pool3d(x(1, 1, 2, 2, 2), 2),
    "max_pool3d": lambda lib, x: lib.nn.functional.max_pool3d(x(1, 1, 2, 2, 2), 2),
    "cat": lambda lib, x: lib.cat([x(2), x(2)]),
    "stack": lambda lib, x: lib.stack((x(2), x(2))),
    "index_copy": lambda lib, x: x(3, 2).index_copy(0, lib.tensor([1]), x(1, 2)),
    "in place": lambda lib, x: x(2, 2).addmm_(x(2, 2), x(2, 2)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("given", ["float32", "bfloat16", "float64"])
def test_dtypes_and_values(name, given):
    def program(library):
        with region(library):
            return CASES[name](library, lambda *shape: numbers(library, *shape, dtype=given))

    agree(program, tolerance=2**-7)


@LOWER
def test_mixed_arguments(lower):
    def program(library):
        low = getattr(library, lower)
        wide, narrow, double = library.ones(2, 2), library.ones(2, 2, dtype=low), library.ones(2, 2).double()
        with region(library, lower):
            return [
                *(wide @ narrow, narrow @ narrow, double @ double, library.cat([wide, narrow])),
                *(library.stack([narrow, narrow]), library.cat([narrow, double]), library.vstack([wide, narrow])),
                *(library.nn.functional.mse_loss(wide, narrow), library.cat([narrow, library.arange(4).view(2, 2)])),
            ]

    agree(program)


@pytest.mark.parametrize("first", ["float16", "float32"])
def test_a_third_dtype_in_cat(first):
    def program(library):
        with region(library):
            dtype = getattr(library, first)
            return library.cat([library.ones(1, dtype=dtype), library.ones(1, dtype=library.float16)])

    agree(program, words=4)


def test_out_and_errors():
    def program(library):
        with region(library):
            out = library.empty(2, 2)
            library.mm(library.ones(2, 2), library.ones(2, 2), out=out)
            wrong = []
            for call in (lambda: library.mm(1, 2), lambda: library.mm(library.ones(2, 3), library.ones(2, 3))):
                try:
                    call()
                except (RuntimeError, TypeError) as error:
                    wrong.append(type(error).__name__)
            return out, wrong

    agree(program)


# ---- regions


def test_older_names_for_the_cpu():
    def program(library):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with library.cpu.amp.autocast():
                product = library.ones(2, 2) @ library.ones(2, 2)
            scaler = library.cpu.amp.GradScaler(init_scale=8.0)
        told = [(w.category.__name__, str(w.message)) for w in caught]
        return product, scaler.scale(library.ones(1)), told, library.amp.is_autocast_available("meta")

    agree(program)


def test_streams_of_the_cpu():
    def program(library):
        own = library.cpu.Stream()
        with library.cpu.stream(own):
            inside = library.cpu.current_stream() is own
        return inside, library.cpu.current_stream() is own, library.cpu.Event().query()

    agree(program)


def test_regions_in_regions():
    def program(library):
        x, seen = library.ones(2, 2), []

        def look():
            seen.append((library.is_autocast_enabled("cpu"), str(library.get_autocast_dtype("cpu")), x @ x))

        look()
        with region(library):
            look()
            with region(library, enabled=False):
                look()
            with region(library, "float16"):
                look()
            look()
        look()
        return seen

    agree(program)


def test_one_region_inside_itself():
    again = region(chainrule, "float16")
    with region(chainrule), again:
        with again:
            pass
        assert chainrule.get_autocast_dtype("cpu") is chainrule.float16
    assert not chainrule.is_autocast_enabled("cpu")
    assert chainrule.get_autocast_dtype("cpu") is chainrule.bfloat16


def test_decorators_and_exceptions():
    def program(library):
        @region(library)
        def double(x, fail=False):
            """Doubles."""
            if fail:
                raise ValueError("no")
            return x @ x, library.is_autocast_enabled("cpu")

        x = library.ones(2, 2)
        with contextlib.suppress(ValueError):
            double(x, fail=True)
        return double(x), double.__doc__, double.__name__, library.is_autocast_enabled("cpu"), x @ x

    agree(program)


@pytest.mark.parametrize(
    "make",
    [
        lambda lib: lib.autocast("nonsense"),
        lambda lib: lib.autocast(3),
        lambda lib: lib.autocast("cpu")(3),
        lambda lib: lib.amp.is_autocast_available("nonsense"),
        lambda lib: lib.get_autocast_dtype("nonsense"),
        lambda lib: lib.amp.custom_fwd(device_type=3),
        lambda lib: lib.amp.custom_bwd(device_type=3),
        lambda lib: lib.amp.GradScaler("cpu", growth_factor=1.0),
        lambda lib: lib.amp.GradScaler("cpu", backoff_factor=1.0),
        lambda lib: lib.amp.GradScaler("cpu").update(),
        lambda lib: lib.amp.GradScaler("cpu").scale(3),
        lambda lib: lib.amp.GradScaler("cpu").load_state_dict({}),
    ],
)
def test_errors(make):
    agree(lambda library: make(library) and None, words=4)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda lib: lib.autocast("cuda"), UserWarning, "CUDA is not available"),
        (lambda lib: lib.autocast("cpu", dtype=lib.float32), UserWarning, "In CPU autocast, but the target dtype"),
        (lambda lib: lib.amp.GradScaler(), UserWarning, "torch.cuda.amp.GradScaler is enabled, but CUDA"),
        (lambda lib: lib.is_autocast_cpu_enabled(), DeprecationWarning, "torch.is_autocast_cpu_enabled"),
        (lambda lib: lib.get_autocast_cpu_dtype(), DeprecationWarning, "torch.get_autocast_cpu_dtype"),
        (lambda lib: lib.get_autocast_gpu_dtype(), DeprecationWarning, "torch.get_autocast_gpu_dtype"),
    ],
)
def test_warnings(make, kind, text):
    for library in (chainrule, torch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make(library)
        assert any(w.category is kind and str(w.message).startswith(text) for w in caught), library


def test_state_functions():
    def program(library):
        seen = []

        def look():
            seen.append([library.is_autocast_enabled(kind) for kind in ("cpu", "cuda")])
            seen.append([str(library.get_autocast_dtype(kind)) for kind in ("cpu", "cuda", "xpu", "mps")])
            seen.append((library.is_autocast_enabled(), library.is_autocast_cache_enabled()))

        look()
        library.set_autocast_enabled("cpu", True)
        library.set_autocast_dtype("cpu", library.float16)
        library.set_autocast_dtype("cuda", library.bfloat16)
        library.set_autocast_cache_enabled(False)
        look()
        seen.append(library.ones(2, 2) @ library.ones(2, 2))
        library.set_autocast_enabled("cpu", False)
        library.set_autocast_dtype("cpu", library.bfloat16)
        library.set_autocast_dtype("cuda", library.float16)
        library.set_autocast_cache_enabled(True)
        seen.append([library.autocast_increment_nesting(), library.autocast_increment_nesting()])
        seen.append([library.autocast_decrement_nesting(), library.autocast_decrement_nesting()])
        library.clear_autocast_cache()
        seen.append([library.amp.is_autocast_available(kind) for kind in ("cpu", "cuda", "mps")])
        look()
        return seen

    agree(program)


def test_a_thread_has_its_own_state():
    seen = []
    with region(chainrule):
        thread = threading.Thread(target=lambda: seen.append(chainrule.is_autocast_enabled("cpu")))
        thread.start()
        thread.join()
        assert chainrule.is_autocast_enabled("cpu")
    assert seen == [False]


# ---- gradients


def model(library):
    layers = library.nn.Sequential(library.nn.Linear(3, 4), library.nn.ReLU(), library.nn.Linear(4, 2))
    for number, parameter in enumerate(layers.parameters()):
        parameter.data.copy_(numbers(library, *parameter.shape) / 2 + number % 2)
    return layers


@LOWER
def test_training_step(lower):
    def program(library):
        layers, x = model(library), numbers(library, 5, 3)
        with region(library, lower):
            y = layers(x)
            loss = library.nn.functional.mse_loss(y, library.ones(5, 2))
        loss.backward()
        return y, loss, [parameter.grad for parameter in layers.parameters()]

    agree(program, tolerance=2**-6)


def casts_of(y):
    """The nodes in y's graph that cast."""
    found, nodes = set(), [y.grad_fn]
    while nodes:
        node = nodes.pop()
        if node is not None and node not in found:
            found.add(node)
            nodes += [after for after, _ in node.next_functions]
    return sum("ToCopy" in node.name() for node in found)


@pytest.mark.parametrize("caches", [True, False])
def test_weights_are_cast_once(caches):
    def program(library):
        w = library.ones(2, 2, requires_grad=True)
        with region(library, cache_enabled=caches):
            once = casts_of(w @ library.ones(2, 2) + library.mm(w, library.ones(2, 2)))
            with library.no_grad():
                w @ w
            again = casts_of((w @ library.ones(2, 2)) + w)
        with region(library):
            after = w @ w
        after.sum().backward()
        return once, again, after, w.grad

    agree(program)


def test_a_weight_cast_without_recording_does_not_lose_its_gradient():
    w = chainrule.ones(2, 2, requires_grad=True)
    with region(chainrule):
        with chainrule.no_grad():
            w @ w
        (w @ chainrule.ones(2, 2)).sum().backward()
    assert w.grad.tolist() == [[2, 2], [2, 2]]


def test_a_weight_that_was_written_is_cast_again():
    w = chainrule.ones(2, 2, requires_grad=True)
    with region(chainrule):
        w @ w
        with chainrule.no_grad():
            w.mul_(2)
        assert (w @ w).tolist() == [[8, 8], [8, 8]]


def test_nothing_is_kept_after_the_region():
    w = chainrule.nn.Parameter(chainrule.ones(4, 4))
    before = chainrule._core.live_tensors()
    with region(chainrule):
        chainrule.mm(w, w)
        assert chainrule._core.live_tensors() == before + 1
    assert chainrule._core.live_tensors() == before


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize(
    "options", [{}, {"num_layers": 2, "bidirectional": True}, {"batch_first": True, "bias": False}], ids=str
)
def test_recurrent_networks(kind, options):
    def program(library):
        library.manual_seed(1)
        network = getattr(library.nn, kind)(3, 4, **options)
        x = (numbers(library, 5, 2, 3) / 2).requires_grad_()
        with region(library):
            y, h = network(x)
        (y.float() ** 2).sum().backward()
        return y, h, x.grad, [parameter.grad for parameter in network.parameters()]

    agree(program, tolerance=0.05)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_networks_take_what_a_cast_layer_gave(kind):
    """A Linear inside the region gives bfloat16; the weights of the network after it are float32."""

    def program(library):
        library.manual_seed(1)
        layer, network = library.nn.Linear(3, 3), getattr(library.nn, kind)(3, 4)
        with region(library):
            y, h = network(layer(numbers(library, 5, 2, 3)))
        y.float().sum().backward()
        return y, h, layer.weight.grad

    agree(program, tolerance=0.05)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_packed_sequences(kind):
    def program(library):
        library.manual_seed(1)
        network = getattr(library.nn, kind)(3, 4, bidirectional=True)
        packed = library.nn.utils.rnn.pack_padded_sequence(numbers(library, 5, 3, 3) / 2, [5, 3, 2])
        with region(library):
            y, h = network(packed)
        return y.data, h

    agree(program, tolerance=0.02)


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell", "RNNCell"])
def test_recurrent_cells(kind):
    def program(library):
        library.manual_seed(1)
        with region(library):
            return getattr(library.nn, kind)(3, 4)(numbers(library, 2, 3))

    agree(program, tolerance=0.02)


def test_attention_and_transformers():
    def program(library):
        library.manual_seed(1)
        x = numbers(library, 3, 2, 4) / 2
        with region(library):
            attended, weights = library.nn.MultiheadAttention(4, 2)(x, x, x)
            layer = library.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)(x)
        return attended, weights, layer

    agree(program, tolerance=0.05)


# ---- functions with their own gradient, recomputation, subclasses


@pytest.mark.parametrize("cast", [None, "float32", "float16"])
@pytest.mark.parametrize("inside", [True, False])
def test_custom_functions(cast, inside):
    def program(library):
        states = []

        class Product(library.autograd.Function):
            @staticmethod
            @library.amp.custom_fwd(device_type="cpu", cast_inputs=cast and getattr(library, cast))
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                states.append((library.is_autocast_enabled("cpu"), str(a.dtype)))
                return a @ b

            @staticmethod
            @library.amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                states.append((library.is_autocast_enabled("cpu"), str((g @ b.t()).dtype)))
                return g @ b.t(), a.t() @ g

        a = library.ones(2, 2, requires_grad=True)
        with region(library, enabled=inside):
            y = Product.apply(a, library.ones(2, 2))
        y.sum().backward()
        return y, a.grad, states

    agree(program)


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoint_does_it_again_in_the_same_precision(reentrant):
    def program(library):
        from torch.utils import checkpoint  # noqa: F401  (for the reference)

        layers, x = model(library), numbers(library, 5, 3).requires_grad_()
        with region(library):
            y = library.utils.checkpoint.checkpoint(layers, x, use_reentrant=reentrant)
        y.sum().backward()
        return y, x.grad, [parameter.grad for parameter in layers.parameters()]

    agree(program, tolerance=2**-6)


def test_subclasses_and_overrides():
    def program(library):
        calls = []

        class Named(library.Tensor):
            pass

        class Watching(library.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                calls.append(func.__name__)
                return super().__torch_function__(func, types, args, kwargs or {})

        named, watching = library.ones(2, 2).as_subclass(Named), library.ones(2, 2).as_subclass(Watching)
        with region(library):
            results = [library.mm(named, named), named @ named, library.mm(watching, watching)]
            results.append(library.nn.Parameter(library.ones(2, 2)).mm(library.ones(2, 2)))
        return [(type(r).__name__, str(r.dtype)) for r in results], calls.count("mm")

    agree(program)


def test_vmap():
    def program(library):
        with region(library):
            return library.vmap(lambda x: x @ x)(library.ones(3, 2, 2))

    agree(program)


# ---- GradScaler


class Descent:
    """Gradient descent, the least that a scaler needs of an optimiser."""

    def __init__(self, *parameters):
        self.param_groups = [{"params": list(parameters)}]
        self.steps = 0

    def step(self):
        self.steps += 1
        for parameter in self.param_groups[0]["params"]:
            parameter.data -= 0.1 * parameter.grad
        return self.steps


def test_scaler_over_good_and_bad_steps():
    def program(library):
        scaler = library.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        w, seen = library.ones(2, requires_grad=True), []
        descent = Descent(w)
        for factor in (1.0, 2.0, float("inf"), 1.0, float("nan"), 1.0, 1.0, 1.0):
            w.grad = None
            scaler.scale((w * factor).sum()).backward()
            result = scaler.step(descent)
            scaler.update()
            seen.append((result, scaler.get_scale(), scaler._get_growth_tracker(), w.detach().clone()))
        return seen, scaler.state_dict()

    agree(program)


def test_scaler_unscales_for_clipping():
    def program(library):
        scaler = library.amp.GradScaler("cpu", init_scale=4.0)
        w, v = library.ones(2, requires_grad=True), library.ones(2, requires_grad=True)
        first, second = Descent(w), Descent(v)
        scaled = scaler.scale([(w * 3).sum(), ((v * 2).sum(),)])
        (scaled[0] + scaled[1][0]).backward()
        scaler.unscale_(first)
        inside = w.grad.clone(), v.grad.clone()
        library.nn.utils.clip_grad_norm_([w], 1.0)
        scaler.step(first)
        scaler.step(second)
        scaler.update(2.0)
        return scaled, inside, w, v, scaler.get_scale()

    agree(program)


@pytest.mark.parametrize("misuse", ["unscale twice", "unscale after step", "step twice", "closure", "no gradient"])
def test_scaler_misused(misuse):
    def program(library):
        scaler = library.amp.GradScaler("cpu")
        w = library.ones(2, requires_grad=True)
        descent = Descent(w)
        if misuse == "no gradient":
            scaler.scale(library.ones(1))
            scaler.step(descent)
        scaler.scale(w.sum()).backward()
        if misuse == "closure":
            scaler.step(descent, closure=lambda: None)
        (scaler.step if misuse.startswith("step") or "after" in misuse else scaler.unscale_)(descent)
        (scaler.step if misuse.startswith("step") else scaler.unscale_)(descent)

    agree(program, words=5)


def test_scaler_refuses_float16_gradients():
    def program(library):
        scaler = library.amp.GradScaler("cpu", init_scale=2.0)
        w = library.ones(2, requires_grad=True, dtype=library.float16)
        scaler.scale(w.sum()).backward()
        scaler.step(Descent(w))

    agree(program, words=3)


def test_scaler_state_and_pickling():
    def program(library):
        scaler = library.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3)
        w = library.ones(2, requires_grad=True)
        for _ in range(2):
            w.grad = None
            scaler.scale(w.sum()).backward()
            scaler.step(Descent(w))
            scaler.update()
        copies = [pickle.loads(pickle.dumps(scaler)), copy.deepcopy(scaler), library.amp.GradScaler("cpu")]
        copies[2].load_state_dict(scaler.state_dict())
        off = library.amp.GradScaler("cpu", enabled=False)
        copies[2].set_growth_factor(3.0)
        copies[2].set_backoff_factor(0.25)
        copies[2].set_growth_interval(7)
        settings = copies[2].get_growth_factor(), copies[2].get_backoff_factor(), copies[2].get_growth_interval()
        return [c.state_dict() for c in copies], settings, off.state_dict(), off.get_scale(), off.is_enabled()

    agree(program)


def test_a_scaler_that_is_off():
    def program(library):
        scaler = library.amp.GradScaler("cpu", enabled=False)
        w = library.ones(2, requires_grad=True)
        loss = w.sum()
        same = scaler.scale(loss) is loss
        loss.backward()
        scaler.unscale_(None)
        result = scaler.step(Descent(w))
        scaler.update()
        return same, result, w

    agree(program)


@pytest.mark.parametrize("name", ["not a real device", "foo", "1", "cpu 0", "foo:1"])
def test_words_for_devices_that_are_none(name):
    agree(lambda torch: torch.device(name), words=3)
    agree(lambda torch: torch.autocast(name), words=3)
