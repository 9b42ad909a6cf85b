"""Names that packages take from torch: what is there works, what is left out says so when it is used."""

import importlib
import subprocess
import sys

import pytest
import torch as reference

import chainrule
from both import agree

pytestmark = pytest.mark.filterwarnings("ignore:torch.sparse.SparseTensor")
BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


def part(torch, name):
    return importlib.import_module(f"{torch.__name__}.{name}")


@pytest.mark.parametrize(
    "program",
    [
        lambda t: t._int_mm(t.arange(8).view(2, 4).to(t.int8), t.full((4, 3), 100, dtype=t.int8)),
        lambda t: t._int_mm(t.ones(2, 3), t.ones(3, 2)),
        lambda t: t._int_mm(t.ones(2, 3, dtype=t.int8), t.ones(2, 2, dtype=t.int8)),
        lambda t: t._cast_Long(t.tensor([1.7, -2.2])),
        lambda t: issubclass(t.UntypedStorage, t.StorageBase),
        lambda t: isinstance(t.eye(2).to_sparse(), t.sparse.FloatTensor),
        lambda t: isinstance(t.eye(2).double().to_sparse(), t.sparse.FloatTensor),
        lambda t: t.sparse.FloatTensor(t.tensor([[0, 1]]), t.tensor([1.0, 2.0]), (3,)).to_dense(),
        lambda t: part(t, "profiler.profiler")._default_schedule_fn(3).name,
        lambda t: part(t, "_guards").TracingContext.try_get(),
        lambda t: part(t, "_guards").active_fake_mode(),
        lambda t: part(t, "_inductor").list_mode_options(),
        lambda t: part(t, "_inductor").list_mode_options("reduce-overhead"),
        lambda t: {*part(t, "_inductor").list_options()},
        lambda t: issubclass(part(t, "_inductor.exc").InductorError, Exception),
        lambda t: t.classes.none.Such,
        lambda t: (t.onnx.TensorProtoDataType.INT64.value, part(t, "jit.annotations").List is list),
    ],
)
def test_what_works(program):
    agree(program, words=5)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("out", [None, "float32", "bfloat16"])
def test_products_of_float8(out, bias):
    def program(t):
        values = t.arange(-64.0, 64.0).div(16)
        a, b = values.view(8, 16).to(t.float8_e4m3fn), values.flip(0).view(8, 16).to(t.float8_e5m2).t()
        options = {} if out is None else {"out_dtype": getattr(t, out)}
        if bias:
            options["bias"] = t.arange(8.0).to(t.float32 if out is None else getattr(t, out))
        whole = t._scaled_mm(a, b, t.tensor(0.5), t.tensor(0.25), **options)
        return whole.float(), str(whole.dtype)

    agree(program, tolerance=1e-2)


def test_a_scale_for_each_row():
    def program(t):
        a, b = t.eye(16).to(t.float8_e4m3fn), t.eye(16).to(t.float8_e4m3fn).t()
        rows, columns = t.arange(16.0)[:, None], t.full((1, 16), 2.0)
        return t._scaled_mm(a, b, rows, columns, out_dtype=t.float32)

    agree(program)
    with pytest.raises(ValueError, match="Invalid scaling configuration"):
        chainrule._scaled_mm(chainrule.eye(16), chainrule.eye(16), chainrule.ones(1), chainrule.ones(1))


@BOTH
def test_masks_of_transformers(torch):
    functional = torch.nn.functional
    mask = functional._canonical_mask(torch.tensor([True, False]), "mask", None, "other", torch.float64)
    assert (mask.tolist(), mask.dtype) == ([float("-inf"), 0.0], torch.float64)
    assert functional._none_or_dtype(None) is None
    with pytest.raises(AssertionError, match="only bool and floating types of mask are supported"):
        functional._canonical_mask(torch.tensor([1]), "mask", None, "other", torch.float32)


@BOTH
def test_a_compilers_settings_in_a_block(torch):
    config = part(torch, "_dynamo.config")
    before = config.cache_size_limit
    with config.patch(cache_size_limit=before + 3):
        assert config.cache_size_limit == before + 3
    assert config.cache_size_limit == before


def test_what_is_left_out_says_so_when_it_is_used():
    """Members of a class that is left out are there; calling one raises, and a program's own class has none of them."""
    fsdp = chainrule.distributed.fsdp.FullyShardedDataParallel
    for use in (
        lambda: fsdp.state_dict_type(None),
        lambda: chainrule.distributed.tensor.DTensor.from_local(chainrule.ones(1)),
        lambda: chainrule.xpu.current_device(),
        lambda: chainrule.xpu.memory_allocated(),
        lambda: chainrule.mps.current_allocated_memory(),
        lambda: chainrule.cuda.cudart(),
    ):
        with pytest.raises((RuntimeError, AssertionError), match=r"torch\.\S+: |CUDA"):
            use()
    assert not hasattr(fsdp, "_private")
    assert not hasattr(type("Own", (fsdp,), {}), "state_dict_type")
    assert chainrule.xpu.is_bf16_supported() is False


def test_files_that_are_not_there_can_be_imported_under_the_alias():
    """`from package import file`, where the file only stands in for PyTorch's."""
    program = """
from torch.utils.data._utils import signal_handling
from torch.utils.data.dataloader import _sharding_worker_init_fn, _DatasetKind
import torch._guards, torch.cuda.amp.grad_scaler, torch.distributed.rpc.api, torch.nn.quantized.functional
try:
    signal_handling._set_worker_signal_handlers()
except NotImplementedError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-m", "chainrule", "run", "-c", program], capture_output=True, text=True, check=True
    )
    assert "torch.utils.data._utils.signal_handling._set_worker_signal_handlers: " in done.stdout


@BOTH
def test_a_function_that_was_put_into_nn_functional_is_called(torch):
    """What profilers do: layers look their functions up when they run."""
    functional, seen = torch.nn.functional, []
    layers = {"linear": torch.nn.Linear(2, 2), "conv1d": torch.nn.Conv1d(1, 1, 1), "relu": torch.nn.ReLU()}
    layers |= {"layer_norm": torch.nn.LayerNorm(2), "conv_transpose1d": torch.nn.ConvTranspose1d(1, 1, 1)}
    for name, layer in layers.items():
        before = getattr(functional, name)
        setattr(functional, name, lambda *args, n=name, f=before, **options: seen.append(n) or f(*args, **options))
        try:
            layer(torch.ones(1, 2))
        finally:
            setattr(functional, name, before)
    assert seen == [*layers]


@BOTH
def test_an_operation_for_autograd_records_what_it_calls(torch):
    library = part(torch, "library")
    name = f"tests_of_names_{torch.__name__}"

    @library.custom_op(f"{name}::cube", mutates_args=())
    def cube(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    kept = library.Library(name, "FRAGMENT")
    kept.impl("cube", lambda x: x * x * x, "AutogradCPU")
    x = torch.tensor(2.0, requires_grad=True)
    getattr(torch.ops, name).cube(x).backward()
    assert x.grad.item() == 12.0
