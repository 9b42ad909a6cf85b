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
    complex32,
    complex64,
    complex128,
    contiguous_format,
    default_generator,
    device,
    dtype,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
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
    jagged,
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

from . import header_imports as _header_imports  # noqa: E402
from . import overrides as _overrides  # noqa: E402
from . import tensor_methods as _tensor_methods  # noqa: E402
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from .lazy import load as _load  # noqa: E402
from .type_info import finfo, iinfo  # noqa: E402

__version__ = "0.1.0"
_header_imports.install()
_imported_at = _time()  # a source file that is newer may say something else than what runs

# Other names of the dtypes.
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
chalf, cfloat, cdouble = complex32, complex64, complex128
legacy_contiguous_format = contiguous_format
newaxis = None

# What PyTorch says of its build: LAPACK and Fourier transforms are there, MKL and OpenMP are not.
has_lapack = has_spectral = True
has_mkl = has_openmp = False

# Every operation of the core, except those that PyTorch keeps in submodules.
globals().update({name: f for name, f in _core.functions.items() if not _tensor_methods.is_in_submodule(name)})

# The public names that each file defines; it is loaded when one of them is asked for.
_FILES = {
    "_C": "DispatchKey DispatchKeySet PyTorchFileReader PyTorchFileWriter",
    "amp": "GradScaler autocast",
    "amp.state": """
        autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype
        get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled
        is_autocast_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled
        set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype
    """,
    "autograd.anomaly_mode": "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled",
    "compat.absent_dtypes": """
        bits16 bits1x8 bits2x4 bits4x2 bits8 float4_e2m1fn_x2 qint32 qint8 quint2x4 quint4x2 quint8
        uint1 uint2 uint3 uint4 uint5 uint6 uint7
    """,
    "compat.left_out": """
        dequantize empty_quantized fake_quantize_per_channel_affine fake_quantize_per_tensor_affine
        int_repr q_scale q_zero_point quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
        quantized_batch_norm quantized_max_pool1d quantized_max_pool2d
    """,
    "compat.losses": """
        binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss hinge_embedding_loss kl_div
        margin_ranking_loss poisson_nll_loss triplet_margin_loss
    """,
    "compat.removed": "eig lstsq matrix_rank solve symeig",
    "compat.storages": """
        BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage DoubleStorage
        FloatStorage HalfStorage IntStorage LongStorage ShortStorage Storage
    """,
    "compiler": "compile",
    "control_flow": "cond while_loop",
    "cuda": "AcceleratorError OutOfMemoryError",
    "distributions.gamma_samples": "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad",
    "explain": "explain_none nan_guard",
    "func": "vmap",
    "futures": "Future",
    "interop": "asarray from_dlpack from_file to_dlpack",
    "jit": "ScriptFunction ScriptModule",
    "jit.type_names": """
        AnyType BoolType ClassType DeviceObjType DictType EnumType FloatType FutureType IntType ListType NoneType
        NumberType OptionalType PyObjectType ScriptObject StreamObjType StringType TensorType TupleType UnionType
    """,
    "legacy_constructor": """
        BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor
        ShortTensor set_default_tensor_type
    """,
    "nn.functional": "bilinear cosine_similarity native_channel_shuffle pairwise_distance pdist",
    "ops.bags": "embedding_bag",
    "ops.einsum": "einsum",
    "ops.scaled_products": "_grouped_mm _int_mm _scaled_mm",
    "ops.unlisted": """
        _cast_Long _masked_softmax _segment_reduce _shape_as_tensor _softmax_backward_data batch_norm_update_stats
    """,
    "overrides": "DisableTorchFunctionSubclass",
    "printing": "set_printoptions",
    "recording": "record",
    "random": "get_rng_state initial_seed manual_seed seed set_rng_state thread_safe_generator",
    "serialization": "load save",
    "sparse.raw_indices": """
        _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo _validate_compressed_sparse_indices
        _validate_sparse_bsc_tensor_args
        _validate_sparse_bsr_tensor_args _validate_sparse_compressed_tensor_args _validate_sparse_coo_tensor_args
        _validate_sparse_csc_tensor_args _validate_sparse_csr_tensor_args
    """,
    "settings": """
        are_deterministic_algorithms_enabled compiled_with_cxx11_abi get_default_device get_deterministic_debug_mode
        get_device_module get_float32_matmul_precision get_num_interop_threads
        is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled set_default_device
        set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_num_interop_threads
        set_warn_always use_deterministic_algorithms
    """,
    "shapes": "broadcast_shapes",
    "sparse.former_names": "dsmm hsmm hspmm saddmm spmm",
    "sparse.shapes": "_sparse_broadcast_to",
    "storage": "TypedStorage is_storage",
    "streams": "Event Stream",
    "symbolic_numbers": "SymBool SymFloat SymInt sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum",
    "type_name": "typename",
}
_MODULES = """
    _C _VF __config__ __future__ _dynamo _functorch _guards _inductor _ops _tensor _tensor_str _utils accelerator amp ao
    autograd backends classes compiler cpu cuda distributed distributions explain fft func functional futures fx hub jit
    library linalg masked memory mps mtia multiprocessing nested nn onnx ops optim overrides printing profiler
    quantization quasirandom random return_types serialization signal sparse special storage testing torch_version
    types utils version xpu
"""
_SUBMODULES = frozenset(_MODULES.split())
# Names that begin so are PyTorch's own, which packages use all the same.
_PRIVATE = {"_foreach_": "foreach", "_assert": "conditions", "_check": "conditions"}
_find, __dir__ = _load(__name__, _FILES, _SUBMODULES, reach_files=False)[:2]


def __getattr__(name: str):
    for start, file in _PRIVATE.items():
        if name.startswith(start):
            return getattr(_importlib.import_module(f"{__name__}.{file}"), name)
    if name == "torch":  # PyTorch's package has itself among its names, and scripts say `from torch import torch`
        return _sys.modules[__name__]
    return _find(name)


StorageBase = UntypedStorage  # what PyTorch's storages have in common


def is_tensor(obj):
    """Whether `obj` is a tensor.

    >>> torch.is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


def load_ipython_extension(ipython):
    """`%load_ext chainrule` in a notebook: from then on `import torch` gives chainrule in it."""
    from . import torch_alias

    torch_alias.install()


if "IPython" in _sys.modules:  # explanations know which lines of a cell that raised have run
    from .explain.cells import watch_cells as _watch_cells

    _watch_cells()
