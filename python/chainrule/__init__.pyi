# Written by tools/stubs.py; `make stubs` writes it anew.
import builtins
from collections.abc import Sequence
from typing import Any, TypeGuard, overload

from . import _core
from . import accelerator as accelerator
from . import amp as amp
from . import ao as ao
from . import autograd as autograd
from . import backends as backends
from . import classes as classes
from . import compiler as compiler
from . import cpu as cpu
from . import cuda as cuda
from . import distributed as distributed
from . import distributions as distributions
from . import fft as fft
from . import func as func
from . import functional as functional
from . import futures as futures
from . import fx as fx
from . import hub as hub
from . import jit as jit
from . import library as library
from . import linalg as linalg
from . import masked as masked
from . import memory as memory
from . import mps as mps
from . import mtia as mtia
from . import multiprocessing as multiprocessing
from . import nested as nested
from . import nn as nn
from . import onnx as onnx
from . import ops as ops
from . import optim as optim
from . import overrides as overrides
from . import printing as printing
from . import profiler as profiler
from . import quantization as quantization
from . import quasirandom as quasirandom
from . import random as random
from . import return_types as return_types
from . import serialization as serialization
from . import signal as signal
from . import sparse as sparse
from . import special as special
from . import storage as storage
from . import testing as testing
from . import torch_version as torch_version
from . import types as types
from . import utils as utils
from . import version as version
from . import xpu as xpu
from ._C import DispatchKey as DispatchKey
from ._C import DispatchKeySet as DispatchKeySet
from ._C import PyTorchFileReader as PyTorchFileReader
from ._C import PyTorchFileWriter as PyTorchFileWriter
from ._core import Generator as Generator
from ._core import Size as Size
from ._core import Tensor as Tensor
from ._core import UntypedStorage as UntypedStorage
from ._core import bfloat16 as bfloat16
from ._core import bool as bool
from ._core import can_cast as can_cast
from ._core import channels_last as channels_last
from ._core import channels_last_3d as channels_last_3d
from ._core import complex32 as complex32
from ._core import complex64 as complex64
from ._core import complex128 as complex128
from ._core import contiguous_format as contiguous_format
from ._core import default_generator as default_generator
from ._core import device as device
from ._core import dtype as dtype
from ._core import float8_e4m3fn as float8_e4m3fn
from ._core import float8_e4m3fnuz as float8_e4m3fnuz
from ._core import float8_e5m2 as float8_e5m2
from ._core import float8_e5m2fnuz as float8_e5m2fnuz
from ._core import float8_e8m0fnu as float8_e8m0fnu
from ._core import float16 as float16
from ._core import float32 as float32
from ._core import float64 as float64
from ._core import get_default_dtype as get_default_dtype
from ._core import get_num_threads as get_num_threads
from ._core import int8 as int8
from ._core import int16 as int16
from ._core import int32 as int32
from ._core import int64 as int64
from ._core import is_grad_enabled as is_grad_enabled
from ._core import is_inference as is_inference
from ._core import is_inference_mode_enabled as is_inference_mode_enabled
from ._core import jagged as jagged
from ._core import layout as layout
from ._core import memory_format as memory_format
from ._core import preserve_format as preserve_format
from ._core import promote_types as promote_types
from ._core import result_type as result_type
from ._core import set_default_dtype as set_default_dtype
from ._core import set_grad_enabled as set_grad_enabled
from ._core import set_num_threads as set_num_threads
from ._core import set_thresholds as set_thresholds
from ._core import sparse_bsc as sparse_bsc
from ._core import sparse_bsr as sparse_bsr
from ._core import sparse_coo as sparse_coo
from ._core import sparse_csc as sparse_csc
from ._core import sparse_csr as sparse_csr
from ._core import strided as strided
from ._core import uint8 as uint8
from ._core import uint16 as uint16
from ._core import uint32 as uint32
from ._core import uint64 as uint64
from .amp import GradScaler as GradScaler
from .amp import autocast as autocast
from .amp.state import autocast_decrement_nesting as autocast_decrement_nesting
from .amp.state import autocast_increment_nesting as autocast_increment_nesting
from .amp.state import clear_autocast_cache as clear_autocast_cache
from .amp.state import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from .amp.state import get_autocast_dtype as get_autocast_dtype
from .amp.state import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from .amp.state import is_autocast_cache_enabled as is_autocast_cache_enabled
from .amp.state import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from .amp.state import is_autocast_enabled as is_autocast_enabled
from .amp.state import set_autocast_cache_enabled as set_autocast_cache_enabled
from .amp.state import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from .amp.state import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from .amp.state import set_autocast_dtype as set_autocast_dtype
from .amp.state import set_autocast_enabled as set_autocast_enabled
from .amp.state import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from .autograd.anomaly_mode import set_anomaly_enabled as set_anomaly_enabled
from .autograd.grad_mode import enable_grad as enable_grad
from .autograd.grad_mode import inference_mode as inference_mode
from .autograd.grad_mode import no_grad as no_grad
from .compat.absent_dtypes import bits1x8 as bits1x8
from .compat.absent_dtypes import bits2x4 as bits2x4
from .compat.absent_dtypes import bits4x2 as bits4x2
from .compat.absent_dtypes import bits8 as bits8
from .compat.absent_dtypes import bits16 as bits16
from .compat.absent_dtypes import float4_e2m1fn_x2 as float4_e2m1fn_x2
from .compat.absent_dtypes import qint8 as qint8
from .compat.absent_dtypes import qint32 as qint32
from .compat.absent_dtypes import quint2x4 as quint2x4
from .compat.absent_dtypes import quint4x2 as quint4x2
from .compat.absent_dtypes import quint8 as quint8
from .compat.absent_dtypes import uint1 as uint1
from .compat.absent_dtypes import uint2 as uint2
from .compat.absent_dtypes import uint3 as uint3
from .compat.absent_dtypes import uint4 as uint4
from .compat.absent_dtypes import uint5 as uint5
from .compat.absent_dtypes import uint6 as uint6
from .compat.absent_dtypes import uint7 as uint7
from .compat.left_out import dequantize as dequantize
from .compat.left_out import empty_quantized as empty_quantized
from .compat.left_out import fake_quantize_per_channel_affine as fake_quantize_per_channel_affine
from .compat.left_out import fake_quantize_per_tensor_affine as fake_quantize_per_tensor_affine
from .compat.left_out import int_repr as int_repr
from .compat.left_out import q_scale as q_scale
from .compat.left_out import q_zero_point as q_zero_point
from .compat.left_out import quantize_per_channel as quantize_per_channel
from .compat.left_out import quantize_per_tensor as quantize_per_tensor
from .compat.left_out import quantize_per_tensor_dynamic as quantize_per_tensor_dynamic
from .compat.left_out import quantized_batch_norm as quantized_batch_norm
from .compat.left_out import quantized_max_pool1d as quantized_max_pool1d
from .compat.left_out import quantized_max_pool2d as quantized_max_pool2d
from .compat.losses import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from .compat.losses import cosine_embedding_loss as cosine_embedding_loss
from .compat.losses import ctc_loss as ctc_loss
from .compat.losses import hinge_embedding_loss as hinge_embedding_loss
from .compat.losses import kl_div as kl_div
from .compat.losses import margin_ranking_loss as margin_ranking_loss
from .compat.losses import poisson_nll_loss as poisson_nll_loss
from .compat.losses import triplet_margin_loss as triplet_margin_loss
from .compat.removed import eig as eig
from .compat.removed import lstsq as lstsq
from .compat.removed import matrix_rank as matrix_rank
from .compat.removed import solve as solve
from .compat.removed import symeig as symeig
from .compat.storages import BFloat16Storage as BFloat16Storage
from .compat.storages import BoolStorage as BoolStorage
from .compat.storages import ByteStorage as ByteStorage
from .compat.storages import CharStorage as CharStorage
from .compat.storages import ComplexDoubleStorage as ComplexDoubleStorage
from .compat.storages import ComplexFloatStorage as ComplexFloatStorage
from .compat.storages import DoubleStorage as DoubleStorage
from .compat.storages import FloatStorage as FloatStorage
from .compat.storages import HalfStorage as HalfStorage
from .compat.storages import IntStorage as IntStorage
from .compat.storages import LongStorage as LongStorage
from .compat.storages import ShortStorage as ShortStorage
from .compat.storages import Storage as Storage
from .compiler import compile as compile
from .control_flow import cond as cond
from .control_flow import while_loop as while_loop
from .cuda import AcceleratorError as AcceleratorError
from .cuda import OutOfMemoryError as OutOfMemoryError
from .distributions.gamma_samples import _dirichlet_grad as _dirichlet_grad
from .distributions.gamma_samples import _sample_dirichlet as _sample_dirichlet
from .distributions.gamma_samples import _standard_gamma as _standard_gamma
from .distributions.gamma_samples import _standard_gamma_grad as _standard_gamma_grad
from .explain import ExplainModule as _ExplainModule
from .explain import explain_none as explain_none
from .explain import nan_guard as nan_guard
from .func import vmap as vmap
from .futures import Future as Future
from .interop import asarray as asarray
from .interop import from_dlpack as from_dlpack
from .interop import from_file as from_file
from .interop import to_dlpack as to_dlpack
from .jit import ScriptFunction as ScriptFunction
from .jit import ScriptModule as ScriptModule
from .jit.type_names import AnyType as AnyType
from .jit.type_names import BoolType as BoolType
from .jit.type_names import ClassType as ClassType
from .jit.type_names import DeviceObjType as DeviceObjType
from .jit.type_names import DictType as DictType
from .jit.type_names import EnumType as EnumType
from .jit.type_names import FloatType as FloatType
from .jit.type_names import FutureType as FutureType
from .jit.type_names import IntType as IntType
from .jit.type_names import ListType as ListType
from .jit.type_names import NoneType as NoneType
from .jit.type_names import NumberType as NumberType
from .jit.type_names import OptionalType as OptionalType
from .jit.type_names import PyObjectType as PyObjectType
from .jit.type_names import ScriptObject as ScriptObject
from .jit.type_names import StreamObjType as StreamObjType
from .jit.type_names import StringType as StringType
from .jit.type_names import TensorType as TensorType
from .jit.type_names import TupleType as TupleType
from .jit.type_names import UnionType as UnionType
from .legacy_constructor import BFloat16Tensor as BFloat16Tensor
from .legacy_constructor import BoolTensor as BoolTensor
from .legacy_constructor import ByteTensor as ByteTensor
from .legacy_constructor import CharTensor as CharTensor
from .legacy_constructor import DoubleTensor as DoubleTensor
from .legacy_constructor import FloatTensor as FloatTensor
from .legacy_constructor import HalfTensor as HalfTensor
from .legacy_constructor import IntTensor as IntTensor
from .legacy_constructor import LongTensor as LongTensor
from .legacy_constructor import ShortTensor as ShortTensor
from .legacy_constructor import set_default_tensor_type as set_default_tensor_type
from .nn.functional import bilinear as bilinear
from .nn.functional import cosine_similarity as cosine_similarity
from .nn.functional import native_channel_shuffle as native_channel_shuffle
from .nn.functional import pairwise_distance as pairwise_distance
from .nn.functional import pdist as pdist
from .ops.bags import embedding_bag as embedding_bag
from .ops.einsum import einsum as einsum
from .ops.scaled_products import _grouped_mm as _grouped_mm
from .ops.scaled_products import _int_mm as _int_mm
from .ops.scaled_products import _scaled_mm as _scaled_mm
from .ops.unlisted import _cast_Long as _cast_Long
from .ops.unlisted import _masked_softmax as _masked_softmax
from .ops.unlisted import _segment_reduce as _segment_reduce
from .ops.unlisted import _shape_as_tensor as _shape_as_tensor
from .ops.unlisted import _softmax_backward_data as _softmax_backward_data
from .ops.unlisted import batch_norm_update_stats as batch_norm_update_stats
from .overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from .printing import set_printoptions as set_printoptions
from .random import get_rng_state as get_rng_state
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
from .random import thread_safe_generator as thread_safe_generator
from .recording import record as record
from .serialization import load as load
from .serialization import save as save
from .settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from .settings import compiled_with_cxx11_abi as compiled_with_cxx11_abi
from .settings import get_default_device as get_default_device
from .settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from .settings import get_device_module as get_device_module
from .settings import get_float32_matmul_precision as get_float32_matmul_precision
from .settings import get_num_interop_threads as get_num_interop_threads
from .settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from .settings import is_warn_always_enabled as is_warn_always_enabled
from .settings import set_default_device as set_default_device
from .settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from .settings import set_float32_matmul_precision as set_float32_matmul_precision
from .settings import set_flush_denormal as set_flush_denormal
from .settings import set_num_interop_threads as set_num_interop_threads
from .settings import set_warn_always as set_warn_always
from .settings import use_deterministic_algorithms as use_deterministic_algorithms
from .shapes import broadcast_shapes as broadcast_shapes
from .sparse.former_names import dsmm as dsmm
from .sparse.former_names import hsmm as hsmm
from .sparse.former_names import hspmm as hspmm
from .sparse.former_names import saddmm as saddmm
from .sparse.former_names import spmm as spmm
from .sparse.raw_indices import _convert_indices_from_coo_to_csr as _convert_indices_from_coo_to_csr
from .sparse.raw_indices import _convert_indices_from_csr_to_coo as _convert_indices_from_csr_to_coo
from .sparse.raw_indices import _validate_compressed_sparse_indices as _validate_compressed_sparse_indices
from .sparse.raw_indices import _validate_sparse_bsc_tensor_args as _validate_sparse_bsc_tensor_args
from .sparse.raw_indices import _validate_sparse_bsr_tensor_args as _validate_sparse_bsr_tensor_args
from .sparse.raw_indices import _validate_sparse_compressed_tensor_args as _validate_sparse_compressed_tensor_args
from .sparse.raw_indices import _validate_sparse_coo_tensor_args as _validate_sparse_coo_tensor_args
from .sparse.raw_indices import _validate_sparse_csc_tensor_args as _validate_sparse_csc_tensor_args
from .sparse.raw_indices import _validate_sparse_csr_tensor_args as _validate_sparse_csr_tensor_args
from .sparse.shapes import _sparse_broadcast_to as _sparse_broadcast_to
from .storage import TypedStorage as TypedStorage
from .storage import is_storage as is_storage
from .streams import Event as Event
from .streams import Stream as Stream
from .symbolic_numbers import SymBool as SymBool
from .symbolic_numbers import SymFloat as SymFloat
from .symbolic_numbers import SymInt as SymInt
from .symbolic_numbers import sym_float as sym_float
from .symbolic_numbers import sym_int as sym_int
from .symbolic_numbers import sym_ite as sym_ite
from .symbolic_numbers import sym_max as sym_max
from .symbolic_numbers import sym_min as sym_min
from .symbolic_numbers import sym_not as sym_not
from .symbolic_numbers import sym_sqrt as sym_sqrt
from .symbolic_numbers import sym_sum as sym_sum
from .type_info import finfo as finfo
from .type_info import iinfo as iinfo
from .type_name import typename as typename

explain: _ExplainModule
_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_str = builtins.str
_type = builtins.type
_complex = builtins.complex
_Number = builtins.int | builtins.float | builtins.complex
_dtype = _core.dtype
_layout = _core.layout
_memory_format = _core.memory_format
_DTypeLike = _dtype | _type[_float] | _type[_int] | _type[_bool] | _type[_complex]
_DeviceLike = _core.device | _str | _int

__version__: _str
e: _float
inf: _float
nan: _float
pi: _float
newaxis: None
legacy_contiguous_format: memory_format
has_lapack: _bool
has_spectral: _bool
has_mkl: _bool
has_openmp: _bool
half: _dtype
float: _dtype
double: _dtype
short: _dtype
int: _dtype
long: _dtype
chalf: _dtype
cfloat: _dtype
cdouble: _dtype
StorageBase: type[UntypedStorage]

def is_tensor(obj: Any) -> TypeGuard[Tensor]: ...
def load_ipython_extension(ipython: Any) -> None: ...
def _clip_to_norm_(tensors: Sequence[Tensor], max_norm: _float, norm_type: _float = 2.0) -> Tensor: ...
def _conj(input: Tensor) -> Tensor: ...
def _count_steps_(steps: Sequence[Tensor]) -> None: ...
def _csr_product(starts: Tensor, columns: Tensor, values: Tensor, dense: Tensor) -> Tensor: ...
def _csr_sampled_product(starts: Tensor, columns: Tensor, left: Tensor, right: Tensor) -> Tensor: ...
def _csr_transposed_product(starts: Tensor, columns: Tensor, values: Tensor, dense: Tensor, width: _int) -> Tensor: ...
def _div_scalar(input: Tensor, other: _Number) -> Tensor: ...
def _draw_dirichlet(alpha: Tensor, generator: Generator | None = None) -> Tensor: ...
def _draw_gamma(alpha: Tensor, generator: Generator | None = None) -> Tensor: ...
def _embedding_bag_sum(
    weight: Tensor,
    indices: Tensor,
    starts: Tensor,
    factors: Tensor | None,
    padding_idx: _int,
    scale_grad_by_freq: _bool,
    mean: _bool,
    sparse: _bool,
) -> Tensor: ...
def _fused_adadelta_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    square_avgs: Sequence[Tensor],
    acc_deltas: Sequence[Tensor],
    *,
    lr: _Number,
    rho: _float,
    eps: _float,
    weight_decay: _float,
    maximize: _bool,
) -> None: ...
def _fused_adagrad_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    state_sums: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    lr_decay: _float,
    weight_decay: _float,
    eps: _float,
    maximize: _bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> None: ...
def _fused_adam_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    max_exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    beta1: _float,
    beta2: _float,
    weight_decay: _float,
    eps: _float,
    amsgrad: _bool,
    maximize: _bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> None: ...
def _fused_adamax_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_infs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    beta1: _float,
    beta2: _float,
    eps: _float,
    weight_decay: _float,
    maximize: _bool,
) -> None: ...
def _fused_adamw_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    max_exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    beta1: _float,
    beta2: _float,
    weight_decay: _float,
    eps: _float,
    amsgrad: _bool,
    maximize: _bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> None: ...
def _fused_asgd_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    axs: Sequence[Tensor],
    mus: Sequence[Tensor],
    etas: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    lambd: _float,
    alpha: _float,
    t0: _float,
    weight_decay: _float,
    maximize: _bool,
) -> None: ...
def _fused_nadam_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    mu_products: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    beta1: _float,
    beta2: _float,
    momentum_decay: _float,
    eps: _float,
    weight_decay: _float,
    decoupled_weight_decay: _bool,
    maximize: _bool,
) -> None: ...
def _fused_radam_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *,
    lr: _Number,
    beta1: _float,
    beta2: _float,
    eps: _float,
    weight_decay: _float,
    decoupled_weight_decay: _bool,
    maximize: _bool,
) -> None: ...
def _fused_rmsprop_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    square_avgs: Sequence[Tensor],
    momentum_buffers: Sequence[Tensor],
    grad_avgs: Sequence[Tensor],
    *,
    lr: _Number,
    alpha: _float,
    eps: _float,
    weight_decay: _float,
    momentum: _float,
    maximize: _bool,
) -> None: ...
def _fused_rprop_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    prevs: Sequence[Tensor],
    step_sizes: Sequence[Tensor],
    *,
    step_size_min: _float,
    step_size_max: _float,
    etaminus: _float,
    etaplus: _float,
    maximize: _bool,
) -> None: ...
def _fused_sgd_(
    input: Sequence[Tensor],
    grads: Sequence[Tensor],
    momentum_buffer_list: Sequence[Tensor],
    *,
    weight_decay: _float,
    momentum: _float,
    lr: _Number,
    dampening: _float,
    nesterov: _bool,
    maximize: _bool,
    is_first_step: _bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> None: ...
def _mul_scalar(input: Tensor, other: _Number) -> Tensor: ...
def _neg_view(input: Tensor) -> Tensor: ...
def _repeated_pad(input: Tensor, pad: _int | Sequence[_int], reflects: _bool) -> Tensor: ...
def _sparse_adam_(
    input: Tensor,
    exp_avg: Tensor,
    exp_avg_sq: Tensor,
    rows: Tensor,
    values: Tensor,
    *,
    beta1: _float,
    beta2: _float,
    eps: _float,
    step: _float,
    maximize: _bool,
) -> None: ...
def _sparse_add_rows_(input: Tensor, rows: Tensor, values: Tensor, factor: _float) -> Tensor: ...
def _sparse_order(keys: Tensor, bound: _int) -> _core._OrderStarts: ...
def _sparse_run_sums(values: Tensor, order: Tensor, starts: Tensor) -> Tensor: ...
def _total_norm(tensors: Sequence[Tensor], norm_type: _float = 2.0) -> Tensor: ...
def _unsafe_view(input: Tensor, size: _int | Sequence[_int]) -> Tensor: ...
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def abs_(input: Tensor) -> Tensor: ...
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos_(input: Tensor) -> Tensor: ...
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acosh_(input: Tensor) -> Tensor: ...
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor: ...
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> tuple[Tensor, ...]: ...
def add(
    input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor: ...
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def adjoint(input: Tensor) -> Tensor: ...
def affine_grid_generator(theta: Tensor, size: _int | Sequence[_int], align_corners: _bool) -> Tensor: ...
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def all(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def all(
    input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> _bool: ...
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def amax(
    input: Tensor, dim: _int | Sequence[_int] = (), keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def amin(
    input: Tensor, dim: _int | Sequence[_int] = (), keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def aminmax(
    input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: Sequence[Tensor] | None = None
) -> _core._MinMax: ...
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def any(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def any(
    input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def arange(
    end: _Number,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def arange(
    start: _Number,
    end: _Number,
    step: _Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccos_(input: Tensor) -> Tensor: ...
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccosh_(input: Tensor) -> Tensor: ...
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsin_(input: Tensor) -> Tensor: ...
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsinh_(input: Tensor) -> Tensor: ...
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan_(input: Tensor) -> Tensor: ...
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctanh_(input: Tensor) -> Tensor: ...
def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
@overload
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False) -> Tensor: ...
@overload
def argsort(
    input: Tensor, *, stable: _bool, dim: _int = -1, descending: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor: ...
def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_strided_(
    input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_strided_copy(
    input: Tensor,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int],
    storage_offset: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int],
    storage_offset: _int | None = None,
) -> Tensor: ...
def as_tensor(data: Any, dtype: _DTypeLike | None = None, device: _DeviceLike | None = None) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asin_(input: Tensor) -> Tensor: ...
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asinh_(input: Tensor) -> Tensor: ...
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan_(input: Tensor) -> Tensor: ...
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atanh_(input: Tensor) -> Tensor: ...
@overload
def atleast_1d(input: Tensor) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(*tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(input: Tensor) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(*tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(input: Tensor) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(*tensors: Tensor) -> tuple[Tensor, ...]: ...
def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] = (),
    padding: _int | Sequence[_int] = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor: ...
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def bartlett_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _DTypeLike | None = None,
    layout: Any = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor: ...
@overload
def bernoulli(input: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def bernoulli(input: Tensor, p: _float, *, generator: Generator | None = None) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor: ...
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor: ...
def bitwise_and(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_left_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_or(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_right_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_xor(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def blackman_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _DTypeLike | None = None,
    layout: Any = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def block_diag(tensors: Sequence[Tensor] = ()) -> Tensor: ...
@overload
def block_diag(*tensors: Tensor) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]: ...
def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor: ...
def bucketize(
    input: Tensor | _Number,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def cartesian_prod(tensors: Sequence[Tensor] = ()) -> Tensor: ...
@overload
def cartesian_prod(*tensors: Tensor) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def cdist(
    x1: Tensor, x2: Tensor, p: _float = 2.0, compute_mode: _str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor: ...
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ceil_(input: Tensor) -> Tensor: ...
def celu(input: Tensor, alpha: _float = 1) -> Tensor: ...
def celu_(input: Tensor, alpha: _float = 1) -> Tensor: ...
@overload
def chain_matmul(matrices: Sequence[Tensor] = (), *, out: Tensor | None = None) -> Tensor: ...
@overload
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor: ...
def channel_shuffle(input: Tensor, groups: _int) -> Tensor: ...
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def clamp(
    input: Tensor,
    min: Tensor | _Number | None = None,
    max: Tensor | _Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clamp_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor: ...
def clamp_max(input: Tensor, max: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def clamp_max_(input: Tensor, max: Tensor | _Number) -> Tensor: ...
def clamp_min(input: Tensor, min: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def clamp_min_(input: Tensor, min: Tensor | _Number) -> Tensor: ...
def clip(
    input: Tensor,
    min: Tensor | _Number | None = None,
    max: Tensor | _Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clip_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor: ...
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def conj(input: Tensor) -> Tensor: ...
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def conj_physical_(input: Tensor) -> Tensor: ...
def constant_pad_nd(input: Tensor, pad: _int | Sequence[_int], value: _Number = 0) -> Tensor: ...
@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _str = "valid",
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _str = "valid",
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _str = "valid",
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor: ...
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: _int | Sequence[_int],
    padding: _int | Sequence[_int],
    dilation: _int | Sequence[_int],
    transposed: _bool,
    output_padding: _int | Sequence[_int],
    groups: _int,
) -> Tensor: ...
def copysign(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def corrcoef(input: Tensor) -> Tensor: ...
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cos_(input: Tensor) -> Tensor: ...
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosh_(input: Tensor) -> Tensor: ...
def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor: ...
def cov(
    input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor: ...
def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor: ...
def cummax(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> _core._ValuesIndices: ...
def cummin(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> _core._ValuesIndices: ...
def cumprod(input: Tensor, dim: _int, *, dtype: _DTypeLike | None = None, out: Tensor | None = None) -> Tensor: ...
def cumsum(input: Tensor, dim: _int, *, dtype: _DTypeLike | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def cumulative_trapezoid(y: Tensor, x: Tensor, *, dim: _int = -1) -> Tensor: ...
@overload
def cumulative_trapezoid(y: Tensor, *, dx: _Number = 1, dim: _int = -1) -> Tensor: ...
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def deg2rad_(input: Tensor) -> Tensor: ...
def det(input: Tensor) -> Tensor: ...
def detach(input: Tensor) -> Tensor: ...
def detach_(input: Tensor) -> Tensor: ...
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def diagflat(input: Tensor, offset: _int = 0) -> Tensor: ...
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diagonal_copy(
    input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None
) -> Tensor: ...
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diff(
    input: Tensor,
    n: _int = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def dist(input: Tensor, other: Tensor, p: _Number = 2) -> Tensor: ...
def div(
    input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None
) -> Tensor: ...
def divide(
    input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None
) -> Tensor: ...
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
@overload
def dsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]: ...
@overload
def dsplit(input: Tensor, indices: _int | Sequence[_int]) -> tuple[Tensor, ...]: ...
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False
) -> Tensor: ...
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float) -> Tensor: ...
@overload
def empty(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def empty(
    *size: _int,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_permuted(
    size: _int | Sequence[_int],
    physical_layout: _int | Sequence[_int],
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def empty_strided(
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int],
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def eq(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> _bool: ...
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erf_(input: Tensor) -> Tensor: ...
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfc_(input: Tensor) -> Tensor: ...
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2_(input: Tensor) -> Tensor: ...
def exp_(input: Tensor) -> Tensor: ...
def expand_copy(
    input: Tensor, size: _int | Sequence[_int], *, implicit: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def expm1_(input: Tensor) -> Tensor: ...
def eye(
    n: _int,
    m: _int | None = None,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
@overload
def fill(input: Tensor, value: Tensor) -> Tensor: ...
@overload
def fill(input: Tensor, value: _Number) -> Tensor: ...
@overload
def fill_(input: Tensor, value: Tensor) -> Tensor: ...
@overload
def fill_(input: Tensor, value: _Number) -> Tensor: ...
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fix_(input: Tensor) -> Tensor: ...
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor: ...
def flip(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: ...
def flipud(input: Tensor) -> Tensor: ...
def float_power(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor_(input: Tensor) -> Tensor: ...
def floor_divide(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmod(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def frac_(input: Tensor) -> Tensor: ...
def frexp(input: Tensor, *, out: Any | None = None) -> _core._MantissaExponent: ...
def frobenius_norm(
    input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def from_numpy(ndarray: Any) -> Tensor: ...
def frombuffer(
    buffer: Any, *, dtype: _DTypeLike, count: _int = -1, offset: _int = 0, requires_grad: _bool = False
) -> Tensor: ...
def full(
    size: _int | Sequence[_int],
    fill_value: _Number,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def full_like(
    input: Tensor,
    fill_value: _Number,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def gather(
    input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def gcd_(input: Tensor, other: Tensor) -> Tensor: ...
def ge(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def geqrf(input: Tensor, *, out: Any | None = None) -> _core._ATau: ...
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def get_device(input: Tensor) -> _int: ...
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: _int = 1) -> tuple[Tensor, ...]: ...
def greater(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def greater_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor: ...
def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor: ...
@overload
def gru(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, ...]: ...
@overload
def gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, ...]: ...
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor: ...
def gt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def hamming_window(
    window_length: _int,
    periodic: _bool = True,
    alpha: _float = 0.54,
    beta: _float = 0.46,
    *,
    dtype: _DTypeLike | None = None,
    layout: Any = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hann_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _DTypeLike | None = None,
    layout: Any = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor: ...
def hash_tensor(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    mode: _int = 0,
    out: Tensor | None = None,
) -> Tensor: ...
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def histc(
    input: Tensor, bins: _int = 100, min: _Number = 0, max: _Number = 0, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def histogram(
    input: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: _bool = False, out: Any | None = None
) -> _core._HistBin_edges: ...
@overload
def histogram(
    input: Tensor,
    bins: _int = 100,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Any | None = None,
) -> _core._HistBin_edges: ...
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False
) -> _core._HistBin_edges: ...
@overload
def hsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]: ...
@overload
def hsplit(input: Tensor, indices: _int | Sequence[_int]) -> tuple[Tensor, ...]: ...
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def i0_(input: Tensor) -> Tensor: ...
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def imag(input: Tensor) -> Tensor: ...
def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor) -> Tensor: ...
@overload
def index_fill(input: Tensor, dim: _int, index: Tensor, value: _Number) -> Tensor: ...
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor: ...
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor: ...
def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: _str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor: ...
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def is_complex(input: Tensor) -> _bool: ...
def is_conj(input: Tensor) -> _bool: ...
def is_distributed(input: Tensor) -> _bool: ...
def is_floating_point(input: Tensor) -> _bool: ...
def is_neg(input: Tensor) -> _bool: ...
def is_nonzero(input: Tensor) -> _bool: ...
def is_same_size(input: Tensor, other: Tensor) -> _bool: ...
def is_signed(input: Tensor) -> _bool: ...
def isclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> Tensor: ...
def isfinite(input: Tensor) -> Tensor: ...
@overload
def isin(
    elements: Tensor,
    test_elements: Tensor,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def isin(
    elements: Tensor,
    test_element: _Number,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def isin(
    element: _Number,
    test_elements: Tensor,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def isinf(input: Tensor) -> Tensor: ...
def isnan(input: Tensor) -> Tensor: ...
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isreal(input: Tensor) -> Tensor: ...
def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor: ...
def kaiser_window(
    window_length: _int,
    periodic: _bool = True,
    beta: _float = 12.0,
    *,
    dtype: _DTypeLike | None = None,
    layout: Any = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def kthvalue(
    input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, out: Any | None = None
) -> _core._ValuesIndices: ...
def layer_norm(
    input: Tensor,
    normalized_shape: _int | Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor: ...
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lcm_(input: Tensor, other: Tensor) -> Tensor: ...
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ldexp_(input: Tensor, other: Tensor) -> Tensor: ...
def le(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def lerp(input: Tensor, end: Tensor, weight: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def less(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def less_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def linspace(
    start: Tensor | _Number,
    end: Tensor | _Number,
    steps: _int,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: _int | None = None,
    iK: Tensor | None = None,
    niter: _int | None = None,
    tol: _float | None = None,
    largest: _bool | None = None,
    method: _str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> tuple[Tensor, ...]: ...
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10_(input: Tensor) -> Tensor: ...
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log1p_(input: Tensor) -> Tensor: ...
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log2_(input: Tensor) -> Tensor: ...
def log_(input: Tensor) -> Tensor: ...
def log_softmax(input: Tensor, dim: _int, dtype: _DTypeLike | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor: ...
def logdet(input: Tensor) -> Tensor: ...
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logit_(input: Tensor, eps: _float | None = None) -> Tensor: ...
def logspace(
    start: Tensor | _Number,
    end: Tensor | _Number,
    steps: _int,
    base: _float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def logsumexp(
    input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, ...]: ...
@overload
def lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, ...]: ...
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, ...]: ...
def lt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Any | None = None) -> tuple[Tensor, ...]: ...
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Any | None = None,
) -> _core._PLU: ...
@overload
def masked_fill(input: Tensor, mask: Tensor, value: Tensor) -> Tensor: ...
@overload
def masked_fill(input: Tensor, mask: Tensor, value: _Number) -> Tensor: ...
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor: ...
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> _core._ValuesIndices: ...
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] = (),
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] = (),
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> tuple[Tensor, ...]: ...
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] = (),
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] = (),
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def mean(input: Tensor, *, dtype: _DTypeLike | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    keepdim: _bool = False,
    *,
    dtype: _DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Any | None = None) -> _core._ValuesIndices: ...
@overload
def meshgrid(tensors: Sequence[Tensor] = (), *, indexing: _str | None = None) -> tuple[Tensor, ...]: ...
@overload
def meshgrid(*tensors: Tensor, indexing: _str | None = None) -> tuple[Tensor, ...]: ...
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> _core._ValuesIndices: ...
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: Any | None = None) -> _core._ValuesIndices: ...
def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor: ...
def movedim(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor: ...
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mul(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def multiply(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor: ...
def nan_to_num(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def nan_to_num_(
    input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None
) -> Tensor: ...
def nanmean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Any | None = None) -> _core._ValuesIndices: ...
@overload
def nanquantile(
    input: Tensor,
    q: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def nanquantile(
    input: Tensor,
    q: _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
def nansum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def narrow(input: Tensor, dim: _int, start: Tensor, length: _int) -> Tensor: ...
@overload
def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor: ...
def narrow_copy(input: Tensor, dim: _int, start: _int, length: _int, *, out: Tensor | None = None) -> Tensor: ...
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]: ...
def native_dropout(input: Tensor, p: _float, train: _bool | None) -> tuple[Tensor, ...]: ...
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: _int, C: _int, HxW: _int, group: _int, eps: _float
) -> tuple[Tensor, ...]: ...
def native_layer_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None, bias: Tensor | None, eps: _float
) -> tuple[Tensor, ...]: ...
def ne(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def neg_(input: Tensor) -> Tensor: ...
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def negative_(input: Tensor) -> Tensor: ...
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: _bool, out: Tensor | None = None) -> Any: ...
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1, out: Tensor | None = None) -> Tensor: ...
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
) -> Tensor: ...
def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor: ...
@overload
def normal(mean: Tensor, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(
    mean: Tensor, std: _float = 1, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor: ...
@overload
def normal(mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(
    mean: _float,
    std: _float,
    size: _int | Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def not_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def nuclear_norm(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def numel(input: Tensor) -> _int: ...
@overload
def ones(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def ones(
    *size: _int,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def pca_lowrank(A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2) -> tuple[Tensor, ...]: ...
def permute(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def permute_copy(input: Tensor, dims: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor: ...
def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor: ...
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor: ...
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor: ...
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor: ...
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def positive(input: Tensor) -> Tensor: ...
def pow(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
@overload
def prod(input: Tensor, *, dtype: _DTypeLike | None = None) -> Tensor: ...
@overload
def prod(
    input: Tensor, dim: _int, keepdim: _bool = False, *, dtype: _DTypeLike | None = None, out: Tensor | None = None
) -> Tensor: ...
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...
def qr(input: Tensor, some: _bool = True, *, out: Any | None = None) -> _core._QR: ...
@overload
def quantile(
    input: Tensor,
    q: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def quantile(
    input: Tensor,
    q: _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rad2deg_(input: Tensor) -> Tensor: ...
@overload
def rand(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def rand(
    *size: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint(
    high: _int,
    size: _int | Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def randint(
    low: _int,
    high: _int,
    size: _int | Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    high: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    high: _int,
    *,
    generator: Generator | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    low: _int,
    high: _int,
    *,
    generator: Generator | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def randn(
    *size: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def range(
    start: _Number,
    end: _Number,
    step: _Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def ravel(input: Tensor) -> Tensor: ...
def real(input: Tensor) -> Tensor: ...
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def reciprocal_(input: Tensor) -> Tensor: ...
def relu(input: Tensor) -> Tensor: ...
def relu_(input: Tensor) -> Tensor: ...
def remainder(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def renorm(input: Tensor, p: _Number, dim: _int, maxnorm: _Number, *, out: Tensor | None = None) -> Tensor: ...
@overload
def repeat_interleave(
    input: Tensor, repeats: Tensor, dim: _int | None = None, *, output_size: _int | None = None
) -> Tensor: ...
@overload
def repeat_interleave(
    input: Tensor, repeats: _int, dim: _int | None = None, *, output_size: _int | None = None
) -> Tensor: ...
@overload
def repeat_interleave(repeats: Tensor, *, output_size: _int | None = None) -> Tensor: ...
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor: ...
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor: ...
def resolve_neg(input: Tensor) -> Tensor: ...
def rms_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: _float | None = None
) -> Tensor: ...
@overload
def rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, ...]: ...
@overload
def rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, ...]: ...
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor: ...
@overload
def rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, ...]: ...
@overload
def rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, ...]: ...
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor: ...
def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = ()) -> Tensor: ...
def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] | None = None) -> Tensor: ...
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor: ...
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor: ...
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def rrelu(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor: ...
def rrelu_(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor: ...
def rsub(input: Tensor, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor: ...
def scalar_tensor(
    s: _Number,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, *, reduce: _str, out: Tensor | None = None
) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: _int, index: Tensor, value: _Number, *, out: Tensor | None = None) -> Tensor: ...
@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, value: _Number, *, reduce: _str, out: Tensor | None = None
) -> Tensor: ...
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: _str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | _Number,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: _str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def segment_reduce(
    data: Tensor,
    reduce: _str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: _int = 0,
    unsafe: _bool = False,
    initial: _Number | None = None,
) -> Tensor: ...
def select(input: Tensor, dim: _int, index: _int) -> Tensor: ...
def select_copy(input: Tensor, dim: _int, index: _int, *, out: Tensor | None = None) -> Tensor: ...
def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor: ...
def selu(input: Tensor) -> Tensor: ...
def selu_(input: Tensor) -> Tensor: ...
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid_(input: Tensor) -> Tensor: ...
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin_(input: Tensor) -> Tensor: ...
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinc_(input: Tensor) -> Tensor: ...
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinh_(input: Tensor) -> Tensor: ...
def slice_copy(
    input: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def slogdet(input: Tensor, *, out: Any | None = None) -> _core._SignLogabsdet: ...
def smm(input: Tensor, mat2: Tensor) -> Tensor: ...
def softmax(input: Tensor, dim: _int, dtype: _DTypeLike | None = None, *, out: Tensor | None = None) -> Tensor: ...
@overload
def sort(
    input: Tensor, dim: _int = -1, descending: _bool = False, *, out: Any | None = None
) -> _core._ValuesIndices: ...
@overload
def sort(
    input: Tensor, *, stable: _bool | None, dim: _int = -1, descending: _bool = False, out: Any | None = None
) -> _core._ValuesIndices: ...
def sparse_bsc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor: ...
def sparse_bsr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor: ...
def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: _DTypeLike | None = None,
    layout: Any = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor: ...
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
    is_coalesced: _bool | None = None,
) -> Tensor: ...
def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor: ...
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor: ...
@overload
def split(tensor: Tensor, split_size_or_sections: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
@overload
def split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def split_copy(
    input: Tensor, split_size: _int, dim: _int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]: ...
def split_with_sizes(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def split_with_sizes_copy(
    input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]: ...
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sqrt_(input: Tensor) -> Tensor: ...
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def square_(input: Tensor) -> Tensor: ...
def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor: ...
def squeeze_copy(input: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor: ...
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
@overload
def std(input: Tensor, unbiased: _bool = True) -> Tensor: ...
@overload
def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    unbiased: _bool = True,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    correction: _Number | None = 1,
    keepdim: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def std_mean(input: Tensor, unbiased: _bool = True) -> tuple[Tensor, ...]: ...
@overload
def std_mean(
    input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool = True, keepdim: _bool = False
) -> tuple[Tensor, ...]: ...
@overload
def std_mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, correction: _Number | None = 1, keepdim: _bool = False
) -> tuple[Tensor, ...]: ...
def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: _str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
def sub(
    input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def subtract(
    input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
@overload
def sum(input: Tensor, *, dtype: _DTypeLike | None = None) -> Tensor: ...
@overload
def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    keepdim: _bool = False,
    *,
    dtype: _DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Any | None = None) -> _core._USV: ...
def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, ...]: ...
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor: ...
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def t(input: Tensor) -> Tensor: ...
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tan_(input: Tensor) -> Tensor: ...
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor: ...
def tensor(
    data: Any,
    *,
    dtype: _DTypeLike | None = None,
    device: _DeviceLike | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
@overload
def tensor_split(input: Tensor, tensor_indices_or_sections: Tensor, dim: _int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, sections: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, indices: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor: ...
def threshold(input: Tensor, threshold: _float, value: _float, *, out: Tensor | None = None) -> Tensor: ...
def threshold_(input: Tensor, threshold: _float, value: _float) -> Tensor: ...
def tile(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def topk(
    input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, out: Any | None = None
) -> _core._ValuesIndices: ...
def trace(input: Tensor) -> Tensor: ...
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor: ...
@overload
def trapezoid(y: Tensor, x: Tensor, *, dim: _int = -1) -> Tensor: ...
@overload
def trapezoid(y: Tensor, *, dx: _Number = 1, dim: _int = -1) -> Tensor: ...
@overload
def trapz(y: Tensor, x: Tensor, *, dim: _int = -1) -> Tensor: ...
@overload
def trapz(y: Tensor, *, dx: _float = 1.0, dim: _int = -1) -> Tensor: ...
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Any | None = None,
) -> _core._SolutionCloned_coefficient: ...
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def true_divide(
    input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None
) -> Tensor: ...
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def trunc_(input: Tensor) -> Tensor: ...
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unbind_copy(input: Tensor, dim: _int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]: ...
def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor: ...
def unfold_copy(input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = None) -> Tensor: ...
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Any: ...
def unique_consecutive(
    input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None
) -> Any: ...
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]: ...
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split_with_sizes(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsqueeze(input: Tensor, dim: _int) -> Tensor: ...
def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor: ...
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor: ...
@overload
def var(input: Tensor, unbiased: _bool = True) -> Tensor: ...
@overload
def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    unbiased: _bool = True,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    correction: _Number | None = 1,
    keepdim: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def var_mean(input: Tensor, unbiased: _bool = True) -> tuple[Tensor, ...]: ...
@overload
def var_mean(
    input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool = True, keepdim: _bool = False
) -> tuple[Tensor, ...]: ...
@overload
def var_mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, correction: _Number | None = 1, keepdim: _bool = False
) -> tuple[Tensor, ...]: ...
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def view_as_complex(input: Tensor) -> Tensor: ...
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor: ...
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def view_copy(input: Tensor, size: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor: ...
@overload
def view_copy(input: Tensor, dtype: _DTypeLike, *, out: Tensor | None = None) -> Tensor: ...
@overload
def vsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]: ...
@overload
def vsplit(input: Tensor, indices: _int | Sequence[_int]) -> tuple[Tensor, ...]: ...
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
@overload
def where(
    condition: Tensor, input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor: ...
def xlogy_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor: ...
def zero_(input: Tensor) -> Tensor: ...
@overload
def zeros(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def zeros(
    *size: _int,
    out: Tensor | None = None,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: _DTypeLike | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
