"""Under the alias, types say that they are torch's, and packages find what they import."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

import pytest
import torch as reference

import chainrule
from chainrule.compat import stand_ins
from chainrule.missing_names import problem_with
from test_command_line import printed

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


def test_types_are_torchs(tmp_path):
    text = """
import copy, inspect, io, pickle, typing, torch, torch.nn as nn
x = torch.ones(2)
kinds = type(x), nn.Linear, nn.Parameter, torch.Size, torch.device, torch.Generator, torch.optim.SGD
print([kind.__module__ for kind in kinds])
print(type(x), type(x * 2), torch.float32, torch.distributions.Normal)
model = nn.Sequential(nn.Linear(2, 2), nn.LSTMCell(2, 2))
print(type(pickle.loads(pickle.dumps(model))[1]), type(copy.deepcopy(model)[0]), pickle.loads(pickle.dumps(x)).tolist())
file = io.BytesIO()
torch.save(model, file)
print(b"chainrule" in file.getvalue(), b"ctorch.nn.modules.rnn\\nLSTMCell" in file.getvalue())
print(inspect.getsource(nn.Linear)[:12], typing.get_type_hints(nn.Module)["training"])
import torch.multiprocessing as mp, sys
print(sys.modules["torch.multiprocessing"] is mp)
"""
    assert printed(tmp_path, text) == [
        "['torch', 'torch.nn.modules.linear', 'torch.nn.parameter', 'torch', 'torch', 'torch', 'torch.optim.sgd']",
        "<class 'torch.Tensor'> <class 'torch.Tensor'> torch.float32 <class 'torch.distributions.normal.Normal'>",
        "<class 'torch.nn.modules.rnn_cells.LSTMCell'> <class 'torch.nn.modules.linear.Linear'> [1.0, 1.0]",
        "False True",
        "class Linear <class 'bool'>",
        "True",
    ]


def test_types_are_chainrules_elsewhere():
    assert type(chainrule.ones(1)).__module__ == "chainrule"


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside PyTorch"])
def test_the_header_of_every_tutorial(tmp_path, beside):
    """`import torch.nn` means chainrule's where torch is chainrule, and PyTorch's elsewhere."""
    text = "import sys\n" if beside else "import sys\nsys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
    text += (
        "import chainrule as torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
        "from torch.utils.data import DataLoader\nimport torch.optim\n"
        "print(nn.Linear(2, 1)(torch.ones(1, 2)).shape, F.relu(torch.ones(1)).item(), DataLoader is not None)\n"
        "print(nn is sys.modules['chainrule.nn'], torch.__version__)\n"
    )
    script = tmp_path / "tutorial.py"
    script.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(Path(chainrule.__file__).parent.parent)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
    expected = ["torch.Size([1, 1]) 1.0 True", f"True {chainrule.torch_version.__version__}"]
    assert (done.stdout.splitlines(), done.stderr) == (expected, "")
    other_program = "import chainrule\nimport torch\nprint(hasattr(torch._C, '_jit_pass_dce'))"
    done = subprocess.run(
        [sys.executable, "-c", other_program], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout == "True\n"


# ---- what packages touch while they are imported


def _listed() -> list[str]:
    names = [(module, name) for module, (found, _) in stand_ins._names().items() for name in found]
    return [f"torch.{module}.{name}" for module, name in names]


def test_stand_ins_can_be_imported_and_raise(tmp_path):
    text = """
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
import torch.export
print(LaunchConfig.__name__, hasattr(torch.export, "nothing"))
for use in (LaunchConfig, elastic_launch, torch.export.export):
    try:
        use()
    except NotImplementedError as error:
        print(str(error).splitlines()[0])
"""
    reason = "chainrule starts several processes with `chainrule launch`, and runs them on MPI"
    assert printed(tmp_path, text) == [
        "LaunchConfig False",
        f"torch.distributed.launcher.api.LaunchConfig: {reason}",
        f"torch.distributed.launcher.api.elastic_launch: {reason}",
        "torch.export.export: chainrule does not compile, and traces no programs for a compiler",
    ]
    assert "does not compile" in problem_with("torch.export.export")
    assert "is missing" in problem_with("torch.export.nothing")


def test_every_stand_in_is_missing_here():
    """A file of that name would make the line in the table a dead one."""
    folder = Path(chainrule.__file__).parent
    places = [folder.joinpath(*module.split(".")) for module in stand_ins._names()]
    assert [place for place in places if place.with_suffix(".py").exists() or (place / "__init__.py").exists()] == []


def test_every_stand_in_can_be_imported(tmp_path):
    """With the modules above it: those must be packages."""
    modules = sorted(stand_ins._names())
    text = "import importlib\n" + "".join(f"importlib.import_module('torch.{name}')\n" for name in modules)
    assert printed(tmp_path, text + "print('all')") == ["all"]


def test_plans_of_sharded_models_are_values():
    tensor, fsdp = chainrule.distributed.tensor, chainrule.distributed.fsdp
    assert (
        repr([tensor.Shard(0), tensor.Replicate(), tensor.Partial("avg")])
        == "[Shard(dim=0), Replicate(), Partial(avg)]"
    )
    assert tensor.Shard(0) == tensor.Shard(0) != tensor.Shard(1)
    assert tensor.Shard(1).is_shard(1)
    assert fsdp.MixedPrecision(chainrule.float16).param_dtype == chainrule.float16
    assert repr(fsdp.CPUOffload(offload_params=True)) == "CPUOffload(offload_params=True)"
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        fsdp.MixedPrecisionPolicy(nothing=1)
    assert chainrule.distributed.ReduceOp.RedOpType.SUM is chainrule.distributed.ReduceOp.SUM


@BOTH
def test_the_type_of_a_modules_members(torch):
    members = torch.nn.Linear(1, 1)._parameters
    assert dict(type(members)(OrderedDict(a=1))) == {"a": 1}
    assert dict(type(members)([("a", 1)])) == {"a": 1}


@BOTH
def test_ways_through_trees(torch):
    pytree = importlib.import_module(f"{torch.__name__}.utils._pytree")
    tree = {"a": [1, (2,)], "b": 3}
    leaves, spec = pytree.tree_flatten_with_path(tree)
    assert [(pytree.keystr(path), leaf) for path, leaf in leaves] == [("['a'][0]", 1), ("['a'][1][0]", 2), ("['b']", 3)]
    assert (spec.num_nodes, spec.num_leaves, spec.type) == (6, 3, dict)
    assert pytree.key_get(tree, leaves[1][0]) == 2
    assert pytree.tree_map_with_path(lambda path, x: (len(path), x), tree) == {"a": [(2, 1), ((3, 2),)], "b": (1, 3)}


@BOTH
def test_names_that_packages_take_in_passing(torch):
    utils = importlib.import_module(f"{torch.__name__}._utils")
    tensors = [torch.ones(2), torch.ones(3), torch.ones(1, dtype=torch.float64), torch.ones(4)]
    assert [[len(t) for t in group] for group in utils._take_tensors(tensors, 20)] == [[2, 3], [4], [1]]
    transforms = importlib.import_module(f"{torch.__name__}.distributions.transforms")
    assert transforms._clipped_sigmoid(torch.tensor([200.0])).item() < 1
    worker = importlib.import_module(f"{torch.__name__}.utils.data._utils.worker")
    words = worker._generate_state(2**40 + 7, 3)
    assert (len(words), words[0], words[3]) == (4, 400740237, 477537302)
    init = importlib.import_module(f"{torch.__name__}.nn.init")
    assert init._no_grad_fill_(torch.nn.Parameter(torch.zeros(2)), 3.0).tolist() == [3.0, 3.0]
    collate = importlib.import_module(f"{torch.__name__}.utils.data._utils.collate")
    assert collate.np_str_obj_array_pattern.search("<U3")
    weights = torch._masked_softmax(torch.zeros(1, 3), torch.tensor([[True, False, False]]), 1)
    assert weights.tolist() == [[0.0, 0.5, 0.5]]
    x, mean, variance = torch.arange(6.0).reshape(3, 2), torch.zeros(2), torch.ones(2)
    found = torch.batch_norm_update_stats(x, mean, variance, 0.5)
    assert [t.tolist() for t in (*found, mean, variance)] == [
        [2.0, 3.0],
        pytest.approx([8 / 3, 8 / 3]),
        [1.0, 1.5],
        [2.5, 2.5],
    ]


@BOTH
def test_blocks_that_are_decorators(torch):
    contextlib = importlib.import_module(f"{torch.__name__}.utils._contextlib")
    seen = []

    class Block(contextlib._DecoratorContextManager):
        def __enter__(self):
            seen.append("in")

        def __exit__(self, *exception):
            seen.append("out")

    @Block()
    def numbers():
        seen.append("first")
        yield 1
        seen.append("second")

    assert list(numbers()) == [1]
    assert seen == ["in", "first", "out", "in", "second", "out"]


@BOTH
def test_selective_checkpoints(torch):
    checkpoint = torch.utils.checkpoint
    x = torch.tensor([2.0, 3.0], requires_grad=True)

    def contexts():
        return checkpoint.create_selective_checkpoint_contexts([torch.ops.aten.mul.Tensor])

    y = checkpoint.checkpoint(lambda x: (x * x).sin().sum(), x, use_reentrant=False, context_fn=contexts)
    y.backward()
    expected = 2 * x * (x * x).cos()
    assert torch.allclose(x.grad, expected)
    with pytest.raises(ValueError, match="Please update the OpOverloadPacket to a specific OpOverload"):
        checkpoint.create_selective_checkpoint_contexts([torch.ops.aten.mul])
    with pytest.raises(TypeError, match="policy_fn_or_list must be either a function or a list of ops"):
        checkpoint.create_selective_checkpoint_contexts(3)


@BOTH
def test_modules_that_calculate_again(torch):
    wrapper = importlib.import_module(f"{torch.__name__}.distributed.algorithms._checkpoint.checkpoint_wrapper")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Linear(3, 1)))
    names, x = list(model.state_dict()), torch.ones(4, 2)
    expected = torch.autograd.grad(model(x).sum(), list(model.parameters()))
    wrapper.apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, torch.nn.Linear))
    assert isinstance(model[0], wrapper.CheckpointWrapper)
    assert isinstance(model[1][1], wrapper.CheckpointWrapper)
    assert list(model.state_dict()) == names
    model.load_state_dict(model.state_dict())
    found = torch.autograd.grad(model(x).sum(), list(model.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(expected, found, strict=True))


def test_questions_about_transforms():
    functorch = importlib.import_module("chainrule._C._functorch")
    seen = []

    def look(x):
        seen.append(
            (functorch.is_batchedtensor(x), functorch.maybe_get_bdim(x), tuple(functorch.get_unwrapped(x).shape))
        )
        return x

    chainrule.func.vmap(look)(chainrule.ones(2, 3))
    assert seen == [(True, 0, (2, 3))]
    assert not functorch.is_batchedtensor(chainrule.ones(1))


def test_the_files_that_list_names_parse():
    assert _listed()
    assert all(ast.parse(name) for name in _listed())


IMPORTED = """
torch._C._distributed_rpc._is_current_rpc_agent_set
torch._inductor.cpp_builder.get_cpp_compiler
torch._jit_internal._copy_to_script_wrapper
torch._prims_common.is_contiguous_or_false
torch._subclasses.fake_tensor._is_tensor_constructor
torch._subclasses.meta_utils.MetaConverter
torch._utils._get_device_module
torch.ao.quantization.fx._decomposed
torch.backends.cuda.SDPAParams
torch.backends.cuda.can_use_flash_attention
torch.backends.xnnpack
torch.cuda.memory.MemPool
torch.distributed.checkpoint._consolidate_hf_safetensors.consolidate_safetensors_files
torch.distributed.tensor.experimental._attention.set_rotate_method
torch.distributed.utils._sync_module_states
torch.fx._pytree
torch.fx.experimental.symbolic_shapes.free_symbols
torch.multiprocessing.reductions.StorageWeakRef
torch.nested._internal.nested_tensor.NestedTensor
torch.nested._internal.ops.extract_kwargs
torch.nn.modules.module._global_parameter_registration_hooks
torch.nn.utils._per_sample_grad.call_for_per_sample_grads
torch.onnx.ONNXProgram
torch.onnx._internal.exporter
torch.onnx.operators
torch.onnx.symbolic_opset12
torch.onnx.symbolic_opset9.softmax
torch.optim.optimizer._default_to_fused_or_foreach
torch.utils._triton.has_triton
torch.utils.data._utils.signal_handling
torch.utils.data._utils.worker.ManagerWatchdog
torch.utils.data._utils.worker._ResumeIteration
torch.utils.data.dataloader._InfiniteConstantSampler
torch.utils.data.dataloader._worker_init_fn_t
torch.utils.data.dataloader.get_worker_info
torch.utils.data.datapipes.datapipe._IterDataPipeSerializationWrapper
torch.utils.data.datapipes.iter.Batcher
torch.utils.tensorboard.summary.hparams
"""


def test_names_that_popular_packages_import(tmp_path):
    text = "import importlib\n"
    for name in IMPORTED.split():
        module, _, last = name.rpartition(".")
        text += f"try:\n    importlib.import_module('{name}')\nexcept ImportError:\n    from {module} import {last}\n"
    assert printed(tmp_path, text + "print('all')") == ["all"]


@BOTH
def test_what_some_of_them_do(torch):
    def found(name):
        module, _, last = name.rpartition(".")
        return getattr(importlib.import_module(f"{torch.__name__}.{module}"), last)

    assert found("_utils._get_device_module")("cpu") is torch.cpu
    with pytest.raises(RuntimeError, match="Device 'nowhere' does not have a corresponding module registered as"):
        found("_utils._get_device_module")("nowhere")
    assert [found(f"fx.experimental.symbolic_shapes.{n}")(1 < 2) for n in ("guard_or_false", "guard_or_true")] == [
        True
    ] * 2
    assert found("fx.experimental.symbolic_shapes.free_symbols")(3) == set()
    assert found("_prims_common.is_contiguous_or_false")(torch.ones(2, 3).t()) is False
    assert found("onnx.operators.shape_as_tensor")(torch.ones(2, 3)).tolist() == [2, 3]
    assert found("onnx.operators.reshape_from_tensor_shape")(torch.ones(6), torch.tensor([2, 3])).shape == (2, 3)
    assert found("utils.data._utils.worker.ManagerWatchdog")().is_alive()
    tree = {"a": [1, 2], "b": (3,)}
    spec = found("utils._pytree.tree_structure")(tree)
    assert found("fx._pytree.tree_flatten_spec")({"b": (5,), "a": [6, 7]}, spec) == [6, 7, 5]
    groups = torch.optim.Optimizer._group_tensors_by_device_and_dtype([[torch.ones(1), torch.ones(2).double()]])
    assert [[len(t) for t in lists[0]] for lists, _ in groups.values()] in ([[1], [2]], [[2], [1]])
    hparams = found("utils.tensorboard.summary.hparams")({"lr": 0.1, "name": "x"}, {"loss": 1.0})
    assert [each.value[0].tag for each in hparams] == [
        *("_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info")
    ]
