"""Modules of PyTorch that packages import names from and that chainrule leaves out.

Each line is a module and the names that can be imported from it. A name raises when it is used, not before; other names
are not there, so that who asks whether PyTorch has something gets the right answer.
"""

from __future__ import annotations

import sys
from types import ModuleType

from .refusal import ON_THE_CPU, UNQUANTISED, refused, refused_class

_LEFT_OUT = {
    "chainrule does not compile, and traces no programs for a compiler": """
        _dynamo.backends: common debugging registry
        _dynamo.backends.registry: list_backends lookup_backend register_backend
        _dynamo.testing: CompileCounter CompileCounterWithBackend
        _export: converter utils
        _functorch.aot_autograd: aot_export_joint_simple aot_function aot_module aot_module_simplified
        _functorch.compile_utils: fx_graph_cse get_aten_target strip_overloads
        _functorch.eager_transforms: _unwrap_for_grad _wrap_for_grad _wrap_tensor_for_grad grad_impl
        _functorch.partitioners: default_partition min_cut_rematerialization_partition
        _inductor.compile_fx: compile_fx
        _inductor.cpp_builder: get_cpp_compiler
        _inductor.cpu_vec_isa: pick_vec_isa
        _inductor.runtime: cache_dir_utils
        _inductor.runtime.cache_dir_utils: cache_dir
        _inductor.utils: fresh_inductor_cache
        _subclasses.meta_utils: MetaConverter
        _subclasses.functional_tensor: FunctionalTensor FunctionalTensorMode mb_unwrap_functional_tensor
        export: Dim ExportedProgram export load save unflatten
        export._trace: _export
        export.decomp_utils: CustomDecompTable
        export.dynamic_shapes: Dim
        export.graph_signature: ExportGraphSignature
        fx.experimental.optimization: fuse optimize_for_inference
        fx.passes.graph_drawer: FxGraphDrawer
        fx.passes.infra: pass_base pass_manager
        fx.passes.infra.pass_base: PassBase PassResult
        fx.passes.infra.pass_manager: PassManager
        fx.passes.split_module: split_module
        utils._sympy.numbers: IntInfinity int_oo
        utils._sympy.value_ranges: ValueRanges
    """,
    "chainrule starts several processes with `chainrule launch`, and runs them on MPI": """
        _C._distributed_c10d: HashStore Reducer Work _register_process_group
        distributed.algorithms.ddp_comm_hooks.post_localSGD_hook: PostLocalSGDState post_localSGD_hook
        distributed.algorithms.model_averaging.averagers: ModelAverager PeriodicModelAverager
        distributed.elastic.agent.server.api: RunResult
        distributed.launcher: LaunchConfig elastic_launch
        distributed.launcher.api: LaunchConfig elastic_launch
        distributed.checkpoint._consolidate_hf_safetensors: consolidate_safetensors_files
        distributed.tensor.experimental._attention: set_rotate_method
        distributed.rpc.api: _all_gather _require_initialized
        distributed.utils: _sync_module_states
        distributed.rendezvous: rendezvous register_rendezvous_handler
        distributed.run: config_from_args determine_local_world_size get_args_parser main run
        numa.binding: AffinityMode NumaOptions
    """,
    "chainrule has no dispatcher": """
        _higher_order_ops.flex_attention: flex_attention flex_attention_backward
        _higher_order_ops.triton_kernel_wrap: triton_kernel_wrapper_functional triton_kernel_wrapper_mutation
        _library.custom_ops: CustomOpDef
        _library.fake_class_registry: FakeScriptObject
        _library.fake_impl: FakeImplCtx
        _library.opaque_object: OpaqueType is_opaque_type register_opaque_type
        _library.utils: lookup_op
        _prims: RETURN_TYPE
        _prims.context: TorchRefsMode
        _prims_common.wrappers: out_wrapper
        _refs: _make_alias
    """,
    "torch.func.vmap(torch.func.grad(loss)) gives the gradients of each sample": """
        nn.utils._per_sample_grad: call_for_per_sample_grads
    """,
    "torch.onnx.export writes a file by conversions of chainrule's own": """
        onnx._internal.exporter: ExportableModule ONNXProgram
        jit._recursive: concrete_type_store
        onnx.symbolic_opset9: masked_fill softmax
        onnx.symbolic_opset12: dropout einsum
        onnx.utils: export
    """,
    UNQUANTISED: """
        ao.quantization.fx._decomposed: dequantize_per_tensor quantize_per_tensor
        ao.nn.intrinsic: BNReLU2d BNReLU3d ConvAdd2d ConvAddReLU2d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d
            ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d LinearLeakyReLU LinearReLU
            LinearTanh
        ao.nn.qat: Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear
        ao.nn.quantized: BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
            ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional
            GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear
            MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax
        ao.nn.quantized.dynamic: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d GRU
            GRUCell LSTM LSTMCell Linear RNNCell
        ao.ns: _numeric_suite _numeric_suite_fx
        ao.pruning: BaseSparsifier WeightNormSparsifier
        ao.quantization.fake_quantize: FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize
            FusedMovingAvgObsFakeQuantize default_affine_fixed_qparams_fake_quant default_dynamic_fake_quant
            default_embedding_fake_quant default_embedding_fake_quant_4bit default_fake_quant
            default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_neg1to1_fake_quant
            default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant
            default_histogram_fake_quant default_per_channel_weight_fake_quant
            default_symmetric_fixed_qparams_fake_quant default_weight_fake_quant disable_fake_quant disable_observer
            enable_fake_quant enable_observer fused_per_channel_wt_fake_quant_range_neg_127_to_127
            fused_wt_fake_quant_range_neg_127_to_127
        ao.quantization.fx: convert prepare
        ao.quantization.observer: AffineQuantizedObserverBase FixedQParamsObserver Granularity HistogramObserver
            MappingType MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver
            NoopObserver ObserverBase PerAxis PerBlock PerChannelMinMaxObserver PerGroup PerRow PerTensor PerToken
            PlaceholderObserver RecordingObserver ReuseInputObserver TorchAODType UniformQuantizationObserverBase
            ZeroPointDomain default_affine_fixed_qparams_observer default_debug_observer
            default_dynamic_quant_observer default_fixed_qparams_range_0to1_observer
            default_fixed_qparams_range_neg1to1_observer default_float_qparams_observer
            default_float_qparams_observer_4bit default_histogram_observer default_observer
            default_per_channel_weight_observer default_placeholder_observer default_reuse_input_observer
            default_symmetric_fixed_qparams_observer default_weight_observer get_block_size get_observer_state_dict
            load_observer_state_dict per_channel_weight_observer_range_neg_127_to_127
            weight_observer_range_neg_127_to_127
        ao.quantization.qconfig: QConfig QConfigAny QConfigDynamic default_activation_only_qconfig
            default_debug_qconfig default_dynamic_qat_qconfig default_dynamic_qconfig default_embedding_qat_qconfig
            default_embedding_qat_qconfig_4bit default_per_channel_qconfig
            default_per_channel_symmetric_qnnpack_qat_qconfig default_per_channel_symmetric_qnnpack_qconfig
            default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_quint8_weight_qconfig
            default_reuse_input_qconfig default_symmetric_qnnpack_qat_qconfig default_symmetric_qnnpack_qconfig
            default_weight_only_qconfig float16_dynamic_qconfig float16_static_qconfig
            float_qparams_weight_only_qconfig float_qparams_weight_only_qconfig_4bit get_default_qat_qconfig
            get_default_qat_qconfig_dict get_default_qconfig get_default_qconfig_dict per_channel_dynamic_qconfig
            qconfig_equals
        ao.quantization.quantize_fx: convert_fx fuse_fx prepare_fx prepare_qat_fx
        nn.intrinsic: BNReLU2d BNReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d
            ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d LinearReLU
        nn.qat: Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear
        nn.quantized: BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
            ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional
            GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear
            MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax
        nn.quantized.functional: conv1d conv2d conv3d linear
        nn.quantized.dynamic: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d GRU GRUCell
            LSTM LSTMCell Linear RNNCell
        quantization.fake_quantize: FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize
            FusedMovingAvgObsFakeQuantize default_fake_quant default_fixed_qparams_range_0to1_fake_quant
            default_fixed_qparams_range_neg1to1_fake_quant default_fused_act_fake_quant
            default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant default_histogram_fake_quant
            default_per_channel_weight_fake_quant default_weight_fake_quant disable_fake_quant disable_observer
            enable_fake_quant enable_observer
        quantization.observer: HistogramObserver MinMaxObserver MovingAverageMinMaxObserver
            MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase PerChannelMinMaxObserver
            PlaceholderObserver RecordingObserver default_debug_observer default_dynamic_quant_observer
            default_float_qparams_observer default_histogram_observer default_observer
            default_per_channel_weight_observer default_placeholder_observer default_weight_observer
            get_observer_state_dict load_observer_state_dict
        quantization.qconfig: QConfig QConfigAny QConfigDynamic default_activation_only_qconfig
            default_debug_qconfig default_dynamic_qconfig default_per_channel_qconfig default_qat_qconfig
            default_qat_qconfig_v2 default_qconfig default_weight_only_qconfig float16_dynamic_qconfig
            float16_static_qconfig float_qparams_weight_only_qconfig get_default_qat_qconfig get_default_qconfig
            per_channel_dynamic_qconfig qconfig_equals
        quantization.quantize_fx: convert_fx prepare_fx
    """,
    "chainrule's map and iterable datasets are what there is; data pipes have left PyTorch's plans": """
        utils.data._utils.signal_handling: _error_if_any_worker_fails _remove_worker_pids _set_worker_pids
            _set_worker_signal_handlers _set_SIGCHLD_handler
        utils.data.datapipes.datapipe: DFIterDataPipe IterDataPipe MapDataPipe _IterDataPipeSerializationWrapper
            _MapDataPipeSerializationWrapper
        utils.data.datapipes.iter: Batcher FileLister FileOpener IterableWrapper ShardingFilter Shuffler
        utils.data.datapipes.iter.combinatorics: SamplerIterDataPipe ShufflerIterDataPipe
        utils.data.datapipes.iter.grouping: ShardingFilterIterDataPipe
        utils.data.datapipes.map: SequenceWrapper
        utils.data.datapipes.utils.common: StreamWrapper
        utils.data.graph_settings: apply_random_seed apply_sharding apply_shuffle_seed apply_shuffle_settings
    """,
    "tensors are sent to other processes by Python's own pickles, through chainrule.pickling": """
        multiprocessing.reductions: StorageWeakRef reduce_tensor rebuild_tensor
    """,
    ON_THE_CPU: """
        cuda._memory_viz: profile_plot
        cuda.graphs: CUDAGraph graph graph_pool_handle make_graphed_callables
        cuda.nccl: all_reduce is_available
        cuda.profiler: profile start stop
        cuda.sparse: FloatTensor
        cuda.tunable: enable is_enabled
    """,
    "chainrule builds no compiled extensions": """
        utils._cpp_extension_versioner: ExtensionVersioner
        utils.file_baton: FileBaton
        utils.hipify: hipify_python
        utils.hipify.hipify_python: hipify
        utils.mobile_optimizer: optimize_for_mobile
        utils.throughput_benchmark: ThroughputBenchmark
    """,
}


def _names() -> dict[str, tuple[list[str], str]]:
    """The names of each module, and why they raise. A longer line goes on in the next."""
    found: dict[str, tuple[list[str], str]] = {}
    for reason, text in _LEFT_OUT.items():
        module = ""
        for line in text.strip().splitlines():
            head, colon, names = line.partition(":")
            module = head.strip() if colon else module
            found.setdefault(module, ([], reason))[0].extend((names if colon else line).split())
    return found


def stand_in(name: str) -> ModuleType | None:
    """The module chainrule.<name>, made; also one that only leads to others. None for an unknown one."""
    table = _names()
    inner = {other[len(name) + 1 :].partition(".")[0] for other in table if other.startswith(f"{name}.")}
    if name not in table and not inner:
        return None
    names, reason = table.get(name, ([], ""))
    module = ModuleType(f"chainrule.{name}", f"torch.{name}: {reason}." if reason else f"torch.{name}.")
    module.__file__, module.__path__ = __file__, []
    for each in names:
        if each not in inner and f"{name}.{each}" not in table:
            make = refused_class if each.lstrip("_")[:1].isupper() else refused
            setattr(module, each, make(f"{name}.{each}", reason, NotImplementedError))
    sys.modules[module.__name__] = module
    parent = sys.modules.get(module.__name__.rpartition(".")[0])
    if parent is not None:
        setattr(parent, name.rpartition(".")[2], module)
    return module
