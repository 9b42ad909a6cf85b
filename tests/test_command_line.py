"""`chainrule run` and `chainrule check`, the import of torch below them, and the names scripts touch in passing."""

from __future__ import annotations

import importlib.util
import operator
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch as reference

import chainrule
from both import agree
from chainrule import missing_names
from chainrule.torch_version import TorchVersion

TEXTS = """
cuda.is_available() cuda.device_count() cuda.is_initialized() cuda.current_device() cuda.synchronize()
cuda.manual_seed(1) cuda.manual_seed_all(1) cuda.seed() cuda.empty_cache() cuda.memory_allocated()
cuda.max_memory_allocated() cuda.memory_reserved() cuda.get_device_name() cuda.get_device_properties(0)
cuda.get_device_capability() cuda.is_bf16_supported() cuda.set_device(-1) cuda.current_stream() cuda.Stream()
cuda.Event() cuda.get_rng_state() cuda.get_rng_state_all() cuda.initial_seed() cuda.get_arch_list() cuda.memory_stats()
cuda.mem_get_info() isinstance(torch.ones(1),torch.cuda.FloatTensor) cuda.nvtx.range_push('a') ones(1).cuda()
ones(1,device='cuda') ones(1).to('cuda') nn.Linear(1,1).cuda()
backends.cudnn.is_available() backends.cudnn.version() backends.cudnn.enabled backends.cudnn.benchmark
backends.cudnn.deterministic backends.cudnn.allow_tf32 backends.cuda.matmul.allow_tf32 backends.cuda.is_built()
backends.mps.is_available() backends.mps.is_built() backends.opt_einsum.is_available() backends.fp32_precision
backends.cuda.flash_sdp_enabled() backends.cuda.enable_flash_sdp(True)
accelerator.is_available() accelerator.current_accelerator() accelerator.device_count()
accelerator.current_device_index() accelerator.synchronize()
mps.is_available() mps.device_count() mps.manual_seed(1) mps.synchronize() xpu.is_available() xpu.device_count()
xpu.manual_seed(1) mtia.is_available() cpu.is_available() cpu.device_count() cpu.synchronize() cpu.current_device()
distributed.is_initialized() distributed.is_nccl_available() distributed.is_torchelastic_launched()
compiler.is_compiling() compiler.reset() jit.is_scripting() jit.is_tracing() onnx.is_in_onnx_export()
version.cuda version.hip version.debug get_float32_matmul_precision() set_float32_matmul_precision('high')
set_float32_matmul_precision('highest')
are_deterministic_algorithms_enabled() issubclass(torch.cuda.OutOfMemoryError,RuntimeError)
torch.cuda.OutOfMemoryError.__name__ torch.autograd.Variable(torch.ones(2),requires_grad=True)
isinstance(torch.ones(1),torch.autograd.Variable) torch.autograd.Variable(3) torch.autograd.Variable()
"""
PASSING = TEXTS.split()


@pytest.mark.parametrize("text", PASSING)
def test_names_in_passing(text):
    """As PyTorch answers on a machine without other devices: the same values, the same classes of errors."""
    text = text if "torch." in text else f"torch.{text}"
    agree(lambda torch: eval(text))


def test_answers_that_differ_from_pytorch():
    assert chainrule.distributed.is_available() == (importlib.util.find_spec("mpi4py") is not None)
    with pytest.raises(RuntimeError, match="MPI knows its processes"):
        chainrule.distributed.TCPStore("localhost", 1)
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        chainrule.nn.parallel.DistributedDataParallel(chainrule.nn.Linear(1, 1))
    for call in ("load('a', 'b')", "load_state_dict_from_url('http://localhost/x.pt')", "list('a')"):
        with pytest.raises(RuntimeError, match=r"^torch\.hub\."):
            eval(f"chainrule.hub.{call}")
    with pytest.raises(RuntimeError, match=r"^torch\.onnx\.dynamo_export"):
        chainrule.onnx.dynamo_export(chainrule.nn.Linear(1, 1), chainrule.ones(1))


def test_modules_in_passing():
    from chainrule.nn.parallel.distributed import DistributedDataParallel

    assert DistributedDataParallel is chainrule.nn.parallel.DistributedDataParallel
    assert chainrule.utils.tensorboard.__name__ == "chainrule.utils.tensorboard"
    assert isinstance(chainrule.ones(1, requires_grad=True).register_hook(print), chainrule.utils.hooks.RemovableHandle)
    assert "USE_CUDA=OFF" in chainrule.__config__.show()
    assert chainrule._C._log_api_usage_once("name") is None
    assert not isinstance(chainrule.nn.Linear(1, 1), chainrule.fx.GraphModule)


def test_futures():
    def program(torch):
        futures = importlib.import_module(f"{torch.__name__}.futures")
        first, second = futures.Future(), futures.Future()
        seen = []
        both = futures.collect_all([first, second]).then(lambda f: [one.value() for one in f.value()])
        first.add_done_callback(lambda f: seen.append(f.value()))
        first.set_result(1)
        before = both.done()
        second.set_result(2)
        failed = first.then(lambda f: 1 / 0)
        return before, both.wait(), seen, futures.wait_all([first, second]), failed.done()

    agree(program)
    future = chainrule.futures.Future()
    future.set_result(1)
    with pytest.raises(RuntimeError, match="once"):
        future.set_result(2)
    with pytest.raises(ZeroDivisionError):
        future.then(lambda f: 1 / 0).wait()


def test_timer():
    from chainrule.utils.benchmark import Timer

    timer = Timer("x + 1", globals={"x": chainrule.ones(3)}, label="sum", sub_label="small")
    result = timer.timeit(100)
    assert (len(result.times), result.number_per_run) == (1, 100)
    assert 0 < result.median == result.mean < 1e-2
    assert repr(result).startswith("sum: small\n")
    assert sum(timer.blocked_autorange(min_run_time=0.01).raw_times) >= 0.01
    assert timer.adaptive_autorange(max_run_time=0.05).median > 0
    with pytest.raises(ValueError, match="C\\+\\+"):
        Timer("x", language="c++")


def test_compile_returns_the_function():
    def f(x):
        return x

    model = chainrule.nn.Linear(1, 1)
    assert chainrule.compile(f) is f
    assert chainrule.compile(f, mode="max-autotune", fullgraph=True) is f
    assert chainrule.compile(dynamic=True)(f) is f
    assert chainrule.compile(model)._orig_mod is model
    assert chainrule.compiler.disable(f) is f
    with pytest.raises(TypeError, match="no_such_option"):
        chainrule.compile(f, no_such_option=1)


def test_scripting_returns_the_function():
    jit = chainrule.jit

    def f(x):
        return x + 1

    assert jit.script(f) is jit.ignore(f) is jit.ignore(drop=True)(f) is jit.unused(f)
    assert jit.annotate(list[int], [1]) == [1]
    assert not isinstance(chainrule.nn.Linear(1, 1), jit.ScriptModule)
    assert jit.wait(jit.fork(f, 1)) == 2


def test_switches_for_a_block():
    cudnn = chainrule.backends.cudnn
    with cudnn.flags(enabled=False, benchmark=True):
        assert (cudnn.enabled, cudnn.benchmark) == (False, True)
    assert (cudnn.enabled, cudnn.benchmark) == (True, False)
    with chainrule.backends.cuda.sdp_kernel(enable_flash=False):
        assert not chainrule.backends.cuda.flash_sdp_enabled()
    assert chainrule.backends.cuda.flash_sdp_enabled()


@pytest.mark.parametrize(
    "other", ["1.13", "2.13.0", "2.13.0+cpu", "2.13", "2.9.1", "2.14", "2.13.0a0", "3", "x", (2, 13), (1, 8)]
)
def test_versions_compare_as_pytorchs(other):
    ours, theirs = TorchVersion("2.13.0+cpu"), reference.torch_version.TorchVersion("2.13.0+cpu")
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert outcome(compare, ours, other) == outcome(compare, theirs, other), compare


def outcome(compare, a, b):
    try:
        return compare(a, b)
    except Exception as error:
        return type(error)


# ---- run


def environment(*folders: Path) -> dict:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, folders), *filter(None, sys.path)])}


def command(*arguments, folders: tuple = (), text: str | None = None) -> subprocess.CompletedProcess:
    """`chainrule` with these arguments."""
    line = [sys.executable, "-m", "chainrule", *map(str, arguments)]
    return subprocess.run(
        line, env=environment(*folders), capture_output=True, text=True, check=False, input=text, timeout=120
    )


def script(folder: Path, text: str) -> Path:
    path = folder / "train.py"
    path.write_text(text)
    return path


def printed(folder: Path, text: str, *arguments: str, folders: tuple = ()) -> list[str]:
    """What a script prints under `chainrule run`."""
    result = command("run", script(folder, text), *arguments, folders=folders)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_a_script_sees_what_it_would_see_under_python(tmp_path):
    (tmp_path / "beside.py").write_text("import torch\nvalue = torch.ones(2).sum().item()\n")
    text = "import sys, beside\nimport torch, torch.nn as nn, torch.nn.functional as F\nfrom torch import Tensor\n"
    text += "print(__name__, __file__, sys.argv, beside.value, sys.path[0])\n"
    text += "print(sys.modules['__main__'].__dict__ is globals(), nn is torch.nn, F is nn.functional)\n"
    text += "print(torch.__version__, torch.__name__, isinstance(F.relu(torch.ones(1)), Tensor))\n"
    path = tmp_path / "train.py"
    assert printed(tmp_path, text, "--lr", "0.1", "-v") == [
        f"__main__ {path} {[str(path), '--lr', '0.1', '-v']} 2.0 {tmp_path}",
        "True True True",
        "2.13.0+chainrule torch True",
    ]


def test_everything_at_once(tmp_path):
    text = "from torch import *\nfrom torch.nn import *\nprint(ones(2).sum(), float(1), Linear(1, 1))"
    assert printed(tmp_path, text) == ["tensor(2.) 1.0 Linear(in_features=1, out_features=1, bias=True)"]


def test_packages_that_import_torch(tmp_path):
    package = tmp_path / "site" / "theirs"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import importlib.metadata, importlib.util\nimport torch\nfrom torch.nn.modules.linear import Linear\n"
        "found = importlib.util.find_spec('torch') is not None\nversion = importlib.metadata.version('torch')\n"
        "try:\n    import torch.package\nexcept ImportError:\n    package = None\n"
    )
    text = "import theirs, torch\nprint(theirs.torch is torch, theirs.found, theirs.version)"
    text += "\nprint(theirs.package, theirs.Linear)"
    out = printed(tmp_path, text, folders=(tmp_path / "site",))
    assert out == ["True True 2.13.0+chainrule", "None <class 'torch.nn.modules.linear.Linear'>"]


def test_pytorch_is_hidden_nowhere_else(tmp_path):
    """Neither in a process that the script starts, nor in one that imports chainrule."""
    text = """
import subprocess, sys, torch
print(torch.__version__, flush=True)
subprocess.run([sys.executable, "-c", "import chainrule, torch; print(torch.__version__)"])
"""
    assert printed(tmp_path, text)[:2] == ["2.13.0+chainrule", str(reference.__version__)]


def test_processes_started_anew_see_chainrule(tmp_path):
    text = """
import multiprocessing, torch
import torch.multiprocessing as mp

class Mine:
    pass

def worker(index, tensor, mine):
    print(index, tensor.tolist(), torch.__version__, type(mine) is Mine, __name__, flush=True)

def fails(index):
    raise ValueError(f"from {index}")

if __name__ == "__main__":
    mp.spawn(worker, args=(torch.ones(2), Mine()), nprocs=1)
    process = multiprocessing.get_context("spawn").Process(target=worker, args=(1, torch.zeros(1), Mine()))
    process.start()
    process.join()
    try:
        mp.spawn(fails, nprocs=2)
    except mp.ProcessRaisedException as error:
        print("ValueError: from" in str(error))
"""
    assert printed(tmp_path, text) == [
        "0 [1.0, 1.0] 2.13.0+chainrule True __mp_main__",
        "1 [0.0] 2.13.0+chainrule True __mp_main__",
        "True",
    ]


def test_a_failure_is_seen_before_its_exit_code():
    """A dying process lets its files go, which wakes who waits, before the system knows its exit code."""

    class Dying:
        pid, exitcode = 1, None

        def __init__(self):
            self.sentinel, end = os.pipe()
            os.close(end)

        def is_alive(self):
            return self.exitcode is None

        def join(self):
            self.exitcode = 1

    class Errors:
        def empty(self):
            return False

        def get(self):
            return "ValueError: from 0"

    process = Dying()
    with pytest.raises(chainrule.multiprocessing.ProcessRaisedException, match="ValueError: from 0"):
        chainrule.multiprocessing.ProcessContext([process], [Errors()]).join()
    os.close(process.sentinel)


def test_a_module_is_run_by_its_name(tmp_path):
    package = tmp_path / "theirs"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "beside.py").write_text("import torch\nvalue = torch.ones(2).sum().item()\n")
    (package / "train.py").write_text(
        "import multiprocessing, sys, torch\nfrom .beside import value\nfrom . import beside\n"
        "def worker(x):\n    print(x.tolist(), torch.__version__, __name__, value, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    print(__name__, __package__, sys.argv[1:], sys.argv[0] == __file__, value, flush=True)\n"
        "    process = multiprocessing.get_context('spawn').Process(target=worker, args=(torch.ones(1),))\n"
        "    process.start()\n    process.join()\n"
    )
    (package / "__main__.py").write_text("from .beside import value\nprint('main', value)\n")
    result = command("run", "-m", "theirs.train", "-m", "--lr", "1", folders=(tmp_path,))
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "__main__ theirs ['-m', '--lr', '1'] True 2.0",
        "[1.0] 2.13.0+chainrule __mp_main__ 2.0",
    ]
    assert command("run", "-m", "theirs", folders=(tmp_path,)).stdout == "main 2.0\n"
    result = command("run", "-m", "no_such_package")
    assert (result.returncode, result.stderr) == (1, "chainrule: No module named no_such_package\n")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import torch\ntorch.no_such_name(1)", "AttributeError: chainrule has no torch.no_such_name;"),
        (
            "import torch\ntorch.nn.NoSuchLayer()",
            "AttributeError: module 'chainrule.nn' has no attribute 'NoSuchLayer'",
        ),
        ("import torch.no_such_module", "ModuleNotFoundError: chainrule has no torch.no_such_module;"),
        ("from torch import no_such_name", "ImportError: cannot import name 'no_such_name' from 'torch'"),
        ("from torch.nn import NoSuchLayer", "ImportError: cannot import name 'NoSuchLayer' from 'chainrule.nn'"),
    ],
)
def test_a_missing_name_is_named(tmp_path, text, error):
    result = command("run", script(tmp_path, f"{text}\nprint('reached')"))
    assert (result.returncode, result.stdout) == (1, "")
    assert error in result.stderr
    assert "command_line.py" not in result.stderr


def test_a_missing_name_is_no_obstacle_until_it_is_used(tmp_path):
    text = "import torch\nprint(hasattr(torch, 'no_such_name'))\ndef f():\n    return torch.no_such_name\nprint('ran')"
    assert printed(tmp_path, text) == ["False", "ran"]


def test_errors_and_exit_codes(tmp_path):
    result = command("run", script(tmp_path, "import sys\nsys.exit(7)"))
    assert (result.returncode, result.stderr) == (7, "")
    result = command("run", script(tmp_path, "def f():\n    1 / 0\nf()"))
    assert result.returncode == 1
    assert result.stderr.splitlines()[:2] == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path}/train.py", line 3, in <module>',
    ]
    result = command("run", script(tmp_path, "def f(:\n"))
    assert (result.returncode, "SyntaxError" in result.stderr) == (1, True)
    result = command("run", tmp_path / "none.py")
    assert (result.returncode, "can't open file" in result.stderr) == (2, True)
    result = command("run", "-", text="import torch; print(torch.ones(1).item())")
    assert (result.returncode, result.stdout) == (0, "1.0\n")
    assert command().returncode == 2
    assert command("--version").stdout == f"chainrule {chainrule.__version__}\n"


def test_pytorch_first_is_refused():
    """The name cannot be taken from a module that is in use."""
    from chainrule import torch_alias

    with pytest.raises(RuntimeError, match="already imported"):
        torch_alias.install()
    assert not any(isinstance(finder, torch_alias.TorchFinder) for finder in sys.meta_path)


# ---- check

CHECKED = """
import torch as t, torch.nn as nn
import torch.nn.functional as F
from torch import optim, no_such_name, ones as one
from torch.utils import data
from torch.no_such_module import thing
from torch.nn import Linear as L, NoSuchLayer
try:
    import torch.no_such_extra
except ImportError:
    pass

class Net(nn.Module):
    def forward(self, x: t.Tensor) -> "t.Tensor":
        y = F.relu(x) + F.no_such_function(x)
        print(t.__version__, t.backends.cudnn.benchmark, t.float32.itemsize, t.no_such_name, nn.Linear.no_such_member)
        t.onnx.dynamo_export(self, x)
        return nn.functional.no_such_function(y) + t.nn.init.zeros_(x) + x.t().int_repr(0).relu().sum()
"""


def test_check(tmp_path):
    path = script(tmp_path, CHECKED)
    found = {(finding.line, finding.name, finding.problem[:10]) for finding in missing_names.findings(str(path))}
    expected = {
        (4, "torch.no_such_name", "is missing"),
        (6, "torch.no_such_module.thing", "is missing"),
        (7, "torch.nn.NoSuchLayer", "is missing"),
        (15, "torch.nn.functional.no_such_function", "is missing"),
        (16, "torch.nn.Linear.no_such_member", "is missing"),
        (17, "torch.onnx.dynamo_export", "raises: ch"),
        (18, "Tensor.int_repr", "is missing"),
    }
    assert found - {(4, "torch.optim", "is missing"), (5, "torch.utils.data", "is missing")} == expected
    result = command("check", path)
    assert (result.returncode, len(result.stdout.splitlines())) == (1, len(found))
    assert f"{path}:17: torch.onnx.dynamo_export raises: chainrule gives no ONNXProgram" in result.stdout


def test_check_knows_every_missing_method():
    """Methods that PyTorch's tensors have and ours have not, except names that say little about their object."""
    shared = {
        "index",
        "indices",
        "lu",
        "qr",
        "resize",
        "resize_as",
        "solve",
        "storage_type",
        "svd",
        "values",
        "volatile",
    }
    names = {name for name in dir(reference.Tensor) if not name.startswith("_")}
    assert {name for name in names if not hasattr(chainrule.Tensor, name)} - shared <= missing_names._METHODS <= names


def test_check_of_a_folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").write_text("import torch\ntorch.ones(1)")
    (tmp_path / "a" / "y.txt").write_text("import torch\ntorch.no_such_name")
    result = command("check", tmp_path)
    assert (result.returncode, result.stdout) == (0, "every name of torch that is used is there\n")
    assert command("check", script(tmp_path, "def f(:")).returncode == 2


def test_every_module_that_is_named_can_be_imported():
    for name in chainrule._SUBMODULES:
        assert isinstance(getattr(chainrule, name), types.ModuleType)


def asked_of_chainrule(*arguments, **options):
    started = [sys.executable, "-m", "chainrule", *arguments]
    return subprocess.run(started, capture_output=True, text=True, check=False, **options)


def test_a_program_given_as_text():
    program = (
        "import torch, sys\nx = torch.ones(2, requires_grad=True)\nprint(sys.argv, torch.explain_none(x.detach()))"
    )
    done = asked_of_chainrule("run", "-c", program, "a", "--b")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['-c', 'a', '--b']")
    assert "here: <string>:3: print(sys.argv" in done.stdout
    assert asked_of_chainrule("run", "-c", "1 +").returncode == 1
    assert asked_of_chainrule("run", "-c", "import torch; torch.ones(2) + torch.ones(3)").returncode == 1
    assert asked_of_chainrule("run", "-c", "-m", "x").returncode == 2


def test_lines_of_the_standard_input_are_shown():
    text = "import torch\nw = torch.ones(2, requires_grad=True)\nprint(torch.explain_none(w.detach()))\n"
    assert "here: <stdin>:3: print(torch" in asked_of_chainrule("run", "-", input=text).stdout


def test_help_has_examples_of_every_asked_of_chainrule():
    text = asked_of_chainrule("--help").stdout
    for name in ("run", "check", "explain", "launch", "completion"):
        assert f"\n  chainrule {name} " in text or f"<(chainrule {name} " in text


def test_completion():
    script = asked_of_chainrule("completion", "bash").stdout
    asked = f'{script}\nCOMP_WORDS=(chainrule ex); COMP_CWORD=1; _chainrule; echo "${{COMPREPLY[@]}}"'
    assert subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout == "explain\n"
    assert "compdef _chainrule chainrule" in asked_of_chainrule("completion", "zsh").stdout
    assert asked_of_chainrule("completion", "fish").returncode == 2


_MISSPELT = """
import torch
from torch import nn

x = torch.ones(3)
x.nonexisting()
y = torch.relu(x).sofmax(0)
(2 * x[0]).nonexisting2
model = nn.Linear(2, 2)
model.forwad(x)
nn.Lienar(2, 2)
torch.sofmax(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor):
        self.layer(x)
        self.parametres()
        return self.step(x).unknown(x.nonexisting3)

    def step(self, x):
        return x.anything()


def train(model, batch):
    model.whatever()
    batch = torch.ones(1)
    batch = 3
    batch.anything()
    later = torch.ones(1)
    if hasattr(later, "guarded"):
        later.guarded()
    later.note = 1
    later.note
    nn.Sequential().member()
"""


def test_check_finds_missing_methods_and_says_what_was_meant(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(_MISSPELT)
    assert [(f.line, f.name, f.problem) for f in missing_names.findings(str(path))] == [
        (6, "Tensor.nonexisting", "is missing"),
        (7, "Tensor.sofmax", "is missing; did you mean softmax?"),
        (8, "Tensor.nonexisting2", "is missing"),
        (10, "Linear.forwad", "is missing; did you mean forward?"),
        (11, "torch.nn.Lienar", "is missing; did you mean Linear?"),
        (12, "torch.sofmax", "is missing; did you mean softmax?"),
        (22, "Module.parametres", "is missing; did you mean parameters?"),
        (23, "Tensor.nonexisting3", "is missing"),
    ]


def test_a_misspelt_name_of_torch_names_the_right_one(tmp_path):
    text = "import torch\nprint(hasattr(torch, 'sofmax'))\ntry:\n    torch.sofmax\nexcept AttributeError as error:\n"
    assert printed(tmp_path, text + "    print(str(error).rpartition('.')[2])") == [
        "False",
        " Did you mean: 'softmax'?",
    ]
