"""chainrule: PyTorch's tensors and automatic differentiation, small, fast, and able to explain every gradient.

    import chainrule as torch

Every public name is listed here once; submodules load on first use.
"""

import importlib as _importlib
import os as _os
import sys as _sys
from math import e, inf, nan, pi
from time import time as _time

from . import _core
from ._core import (
    Generator,
    Size,
    Tensor,
    UntypedStorage,
    bfloat16,
    can_cast,
    channels_last,
    channels_last_3d,
    complex64,
    complex128,
    contiguous_format,
    default_generator,
    device,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    get_num_threads,
    int8,
    int16,
    int32,
    int64,
    is_grad_enabled,
    is_inference,
    is_inference_mode_enabled,
    layout,
    memory_format,
    preserve_format,
    promote_types,
    result_type,
    set_default_dtype,
    set_num_threads,
    set_thresholds,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._core import bool as bool

_core.set_library_prefix(_os.path.dirname(__file__) + _os.sep)

from . import overrides as _overrides  # noqa: E402
from . import tensor_methods as _tensor_methods  # noqa: E402
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from .type_info import finfo, iinfo  # noqa: E402

__version__ = "0.1.0"
_imported_at = _time()  # a source file that is newer may say something else than what runs

# Other names of the dtypes.
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble = complex64, complex128
legacy_contiguous_format = contiguous_format
newaxis = None

# What PyTorch says of its build: LAPACK and Fourier transforms are there, MKL and OpenMP are not.
has_lapack = has_spectral = True
has_mkl = has_openmp = False

# Every operation of the core, except those that PyTorch keeps in submodules.
globals().update({name: f for name, f in _core.functions.items() if not _tensor_methods.is_in_submodule(name)})

_SUBMODULES = {
    *("_dynamo", "_inductor"),
    *("accelerator", "amp", "ao", "autograd", "backends", "compiler", "cpu", "cuda", "distributed", "distributions"),
    *(
        "explain",
        "fft",
        "func",
        "functional",
        "futures",
        "fx",
        "hub",
        "jit",
        "library",
        "linalg",
        "masked",
        "memory",
        "mps",
        "mtia",
        "multiprocessing",
        "nn",
        "onnx",
    ),
    *(
        "ops",
        "optim",
        "overrides",
        "printing",
        "profiler",
        "random",
        "return_types",
        "serialization",
        "signal",
        "special",
        "storage",
    ),
    *(
        "testing",
        "torch_version",
        "types",
        "utils",
        "version",
        "xpu",
        "_C",
        "_tensor_str",
        "_utils",
        "__config__",
        "__future__",
    ),
    *("nested", "quantization", "quasirandom", "sparse"),
}
_FROM_SUBMODULES = {
    **dict.fromkeys(("autocast", "GradScaler"), "amp"),
    **dict.fromkeys(
        ("is_anomaly_enabled", "is_anomaly_check_nan_enabled", "set_anomaly_enabled"), "autograd.anomaly_mode"
    ),
    **dict.fromkeys(
        (
            *("binary_cross_entropy_with_logits", "cosine_embedding_loss", "ctc_loss", "hinge_embedding_loss"),
            *("kl_div", "margin_ranking_loss", "poisson_nll_loss", "triplet_margin_loss"),
        ),
        "legacy_losses",
    ),
    **dict.fromkeys(
        (
            *("is_autocast_enabled", "set_autocast_enabled", "get_autocast_dtype", "set_autocast_dtype"),
            *("is_autocast_cache_enabled", "set_autocast_cache_enabled", "clear_autocast_cache"),
            *("autocast_increment_nesting", "autocast_decrement_nesting", "is_autocast_cpu_enabled"),
            *("set_autocast_cpu_enabled", "get_autocast_cpu_dtype", "set_autocast_cpu_dtype"),
            *("get_autocast_gpu_dtype", "set_autocast_gpu_dtype"),
        ),
        "amp.state",
    ),
    "set_printoptions": "printing",
    **dict.fromkeys(("Event", "Stream"), "streams"),
    **dict.fromkeys(("explain_none", "nan_guard"), "explain"),
    "vmap": "func",
    "manual_seed": "random",
    "seed": "random",
    "initial_seed": "random",
    "get_rng_state": "random",
    "set_rng_state": "random",
    "einsum": "ops.einsum",
    "bilinear": "nn.functional",
    "cosine_similarity": "nn.functional",
    "native_channel_shuffle": "nn.functional",
    "pairwise_distance": "nn.functional",
    "pdist": "nn.functional",
    **dict.fromkeys(("asarray", "from_dlpack", "from_file", "to_dlpack"), "interop"),
    **dict.fromkeys(("solve", "eig", "symeig", "lstsq", "matrix_rank"), "removed"),
    **dict.fromkeys(("cond", "while_loop"), "control_flow"),
    "embedding_bag": "ops.bags",
    **dict.fromkeys(
        (
            *("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor"),
            *("sparse_compressed_tensor", "dsmm", "hsmm", "hspmm", "saddmm", "smm", "spmm", "sspaddmm"),
            *("quantize_per_tensor", "quantize_per_channel", "quantize_per_tensor_dynamic", "quantized_batch_norm"),
            *("quantized_max_pool1d", "quantized_max_pool2d", "dequantize", "int_repr", "q_scale", "q_zero_point"),
            *("fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine", "empty_quantized"),
        ),
        "left_out",
    ),
    **dict.fromkeys(
        (
            *("SymBool", "SymFloat", "SymInt", "sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not"),
            *("sym_sqrt", "sym_sum"),
        ),
        "symbolic_numbers",
    ),
    "thread_safe_generator": "random",
    **dict.fromkeys(("TypedStorage", "is_storage"), "storage"),
    **dict.fromkeys(
        (
            *("BFloat16Storage", "BoolStorage", "ByteStorage", "CharStorage", "ComplexDoubleStorage"),
            *("ComplexFloatStorage", "DoubleStorage", "FloatStorage", "HalfStorage", "IntStorage", "LongStorage"),
            *("ShortStorage", "Storage"),
        ),
        "legacy_storage",
    ),
    **dict.fromkeys(("load", "save"), "serialization"),
    **dict.fromkeys(("AcceleratorError", "OutOfMemoryError"), "cuda"),
    "compile": "compiler",
    "Future": "futures",
    **dict.fromkeys(
        ("_standard_gamma", "_standard_gamma_grad", "_sample_dirichlet", "_dirichlet_grad"),
        "distributions.gamma_samples",
    ),
    **dict.fromkeys(
        (
            *("float4_e2m1fn_x2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"),
            *("float8_e8m0fnu", "qint8", "quint8", "qint32", "quint2x4", "quint4x2", "complex32", "chalf"),
            *("bits8", "bits16", "bits1x8", "bits2x4", "bits4x2"),
        ),
        "absent_dtypes",
    ),
    **dict.fromkeys(("PyTorchFileReader", "PyTorchFileWriter"), "_C"),
    **dict.fromkeys(("ScriptModule", "ScriptFunction"), "jit"),
    "broadcast_shapes": "shapes",
    "typename": "type_name",
    "DisableTorchFunctionSubclass": "overrides",
    **dict.fromkeys(
        (
            *("use_deterministic_algorithms", "are_deterministic_algorithms_enabled", "get_deterministic_debug_mode"),
            *("is_deterministic_algorithms_warn_only_enabled", "set_deterministic_debug_mode", "set_flush_denormal"),
            *("get_float32_matmul_precision", "set_float32_matmul_precision", "get_default_device"),
            *("set_default_device", "get_num_interop_threads", "set_num_interop_threads", "set_warn_always"),
            *("is_warn_always_enabled", "compiled_with_cxx11_abi", "get_device_module"),
        ),
        "settings",
    ),
    **dict.fromkeys(
        (
            *("BoolTensor", "ByteTensor", "CharTensor", "ShortTensor", "IntTensor", "LongTensor", "HalfTensor"),
            *("BFloat16Tensor", "FloatTensor", "DoubleTensor", "set_default_tensor_type"),
        ),
        "legacy_constructor",
    ),
}


# Names that begin so are PyTorch's own, which packages use all the same.
_PRIVATE = {"_foreach_": "foreach", "_assert": "conditions", "_check": "conditions"}


def __getattr__(name: str):
    if name in _SUBMODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _FROM_SUBMODULES:
        value = getattr(_importlib.import_module(f"{__name__}.{_FROM_SUBMODULES[name]}"), name)
        globals()[name] = value
        return value
    for start, file in _PRIVATE.items():
        if name.startswith(start):
            return getattr(_importlib.import_module(f"{__name__}.{file}"), name)
    if name == "torch":  # PyTorch's package has itself among its names, and scripts say `from torch import torch`
        return _sys.modules[__name__]
    raise AttributeError(f"module 'chainrule' has no attribute '{name}'")


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_FROM_SUBMODULES))


def is_tensor(obj):
    """Whether `obj` is a tensor.

    >>> torch.is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)
