"""Help: every public function and method explains itself, and its example gives what it shows, in PyTorch too."""

import doctest
import importlib
import inspect
import pydoc
import re
import rlcompleter
import subprocess
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch as reference

import chainrule
from chainrule import _core, documentation

MODULES = ("nn.functional", "special", "linalg", "fft", "masked", "nested")
# Their functions work on functions, graphs, modules and generators; shape, dtype and derivative mean nothing there.
OTHER_MODULES = (
    *("autograd", "autograd.functional", "autograd.forward_ad", "autograd.graph", "func", "random"),
    *("signal.windows", "nn.init", "nn.utils", "utils.checkpoint", "nn.utils.rnn", "nn.utils.parametrize"),
    *("nn.utils.parametrizations", "nn.utils.prune", "testing", "utils.data", "optim.swa_utils", "distributions"),
    *("serialization", "futures", "overrides", "__future__", "utils.swapping", "utils.collect_env"),
)
# Whose classes have an example too.
CLASS_MODULES = (
    *("", "nn", "nn.attention", "nn.utils.rnn", "nn.utils.parametrize", "nn.utils.prune", "optim", "optim.swa_utils"),
    *(
        "optim.lr_scheduler",
        "distributions",
        "utils.data",
        "utils.hooks",
        "utils.benchmark",
        "utils.weak",
        "utils.dlpack",
    ),
    *("utils.module_tracker", "autograd", "autograd.graph", "autograd.forward_ad", "amp", "futures", "quasirandom"),
    *("overrides", "cpu", "autograd.profiler", "profiler"),
)
FUNCTIONS = (type(chainrule.sin), type(chainrule.Tensor.sin), type(chainrule.can_cast), types.FunctionType)
# What has no help yet, by its whole name; a name leaves the list with its text.
WITHOUT_HELP = set(Path(__file__).with_name("golden").joinpath("without_help.txt").read_text().split())

# PyTorch has the one switch, and lets the other be set only once; one is for pickle, the last prints the machine.
WITHOUT_EXAMPLE = {
    "load_ipython_extension",
    "set_flush_denormal",
    "set_num_interop_threads",
    "random.restored_generator",
    "utils.collect_env.main",
}


def find_module(name: str) -> types.ModuleType | None:
    return importlib.import_module(f"chainrule.{name}") if name else chainrule


def public_names() -> Iterator[tuple[str, object]]:
    """Every public function and method by its whole name."""
    owners = {name: find_module(name) for name in (*MODULES, *OTHER_MODULES)}
    for where, owner in {"": chainrule, "Tensor": chainrule.Tensor, **owners}.items():
        for name in getattr(owner, "__all__", dir(owner)) if owner else ():
            value = inspect.getattr_static(owner, name) if where == "Tensor" else getattr(owner, name)
            if not name.startswith("_") and isinstance(value, FUNCTIONS) and is_own(value):
                yield f"{where}.{name}".lstrip("."), value


def is_own(value: object) -> bool:
    """Whether it is not something of Python's that a module imports."""
    return not isinstance(value, types.FunctionType) or value.__module__.startswith("chainrule")


PUBLIC = dict(public_names())


def is_operation(name: str, value: object) -> bool:
    """Whether it calculates with tensors: settings have neither shapes nor a derivative."""
    if isinstance(value, FUNCTIONS[:2]):
        return True
    if not isinstance(value, types.FunctionType) or name.startswith(OTHER_MODULES):
        return False
    is_setting = value.__module__.startswith(("chainrule.random", "chainrule.explain", "chainrule.amp"))
    return "Tensor" in str(inspect.signature(value)) and not is_setting


def missing_parts(name: str, value: object) -> list[str]:
    text = inspect.getdoc(value) or ""
    if text.startswith("Raises"):
        return []
    missing = [] if ">>> " in text or name in WITHOUT_EXAMPLE else ["example"]
    if is_operation(name, value):
        missing += [] if documentation.SHAPE in text else [documentation.SHAPE]
        missing += [] if documentation.DERIVATIVE in text or "\n    y = " in text else [documentation.DERIVATIVE]
        paragraphs = text.split("\n\n")[isinstance(value, FUNCTIONS[:2]) :]  # after the signatures
        missing += ["sentence"] if paragraphs[0].startswith(documentation.SHAPE) else []
    return missing


def test_every_public_function_and_method_explains_itself() -> None:
    lacking = {name: parts for name, value in PUBLIC.items() if (parts := missing_parts(name, value))}
    assert {name: parts for name, parts in lacking.items() if name not in WITHOUT_HELP} == {}, (
        "write an entry in python/chainrule/documentation, or the parts into the docstring of a Python function"
    )
    assert WITHOUT_HELP - set(lacking) & set(PUBLIC) == set(), "these have their help: take them off the list"


def test_every_public_type_explains_itself() -> None:
    kinds = {name: value for name in dir(chainrule) if inspect.isclass(value := getattr(chainrule, name))}
    assert [name for name, kind in kinds.items() if not kind.__doc__] == []
    for kind in (chainrule.Size, chainrule.device, chainrule.Generator):
        assert [name for name in vars(kind) if not name.startswith("_") and not getattr(kind, name).__doc__] == []


def public_classes() -> Iterator[tuple[str, type]]:
    """The classes that PyTorch has too and that can be used here, by their whole names."""
    for where in CLASS_MODULES:
        module, theirs = find_module(where), importlib.import_module(f"torch.{where}".rstrip("."))
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            usable = inspect.isclass(value) and not name.startswith("_") and not hasattr(value, "refusal")
            if usable and value.__module__.startswith("chainrule") and hasattr(theirs, name):
                yield f"{where}.{name}".lstrip("."), value


CLASSES = dict(public_classes())


def test_every_public_class_explains_itself() -> None:
    lacking = [name for name, value in CLASSES.items() if ">>> " not in (vars(value)["__doc__"] or "")]
    assert [name for name in lacking if not issubclass(CLASSES[name], Exception)] == []


def test_signatures() -> None:
    for name, value in PUBLIC.items():
        if isinstance(value, FUNCTIONS[:2]):
            assert inspect.signature(value), name
            first = value.__doc__.partition("\n")[0]
            own = re.sub(r"^(special|linalg|fft)_", "", value.__name__)
            assert re.match(rf"{own}\(.*\) -> \S", first), first
    assert str(inspect.signature(chainrule.softmax)).startswith("(input, dim")
    assert "from_" in inspect.signature(chainrule.Tensor.uniform_).parameters
    assert "self" not in inspect.signature(chainrule.ones(2).sin).parameters


# ---- Examples --------------------------------------------------------------------------------------------------------


def example_of(value: object) -> str:
    """The example alone: methods, aliases and in-place forms show that of their function."""
    text = inspect.getdoc(value) or ""
    start = text.find(">>> ")
    return textwrap.dedent(text[text.rfind("\n", 0, start) + 1 :]) if start >= 0 else ""


EXAMPLES = {text: name for name, value in reversed([*PUBLIC.items(), *CLASSES.items()]) if (text := example_of(value))}


@pytest.fixture
def same_random_state() -> Iterator[None]:
    """Examples seed the default generators."""
    states = chainrule.get_rng_state(), reference.get_rng_state()
    yield
    chainrule.set_rng_state(states[0])
    reference.set_rng_state(states[1])


# PyTorch has nothing of the kind, starts a compiler or other programs, or is made of other operations.
OWN = {"autograd.differentiable", "autograd.keep", "compile", "explain_none", "profiler.profile", "record"}
OWN |= {"utils.collect_env.get_env_info", "utils.collect_env.get_pretty_env_info"}
CASES = [(library, text) for text in EXAMPLES for library in (chainrule, reference)]
CASES = [(library, text) for library, text in CASES if library is chainrule or EXAMPLES[text] not in OWN]


@pytest.mark.parametrize(("library", "text"), CASES, ids=[f"{EXAMPLES[text]}-{lib.__name__}" for lib, text in CASES])
def test_examples_show_what_happens(library: types.ModuleType, text: str, same_random_state: None) -> None:
    name = EXAMPLES[text]
    code = text.replace("import chainrule as torch", f"import {library.__name__} as torch")
    code = re.sub(r"(from|import) torch\.", rf"\1 {library.__name__}.", code)
    test = doctest.DocTestParser().get_doctest(code, {"torch": library, "__name__": name}, name, None, None)
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


# ---- The texts -------------------------------------------------------------------------------------------------------


def test_every_entry_belongs_to_an_operation() -> None:
    known = set(_core.functions) | set(vars(chainrule.Tensor)) | set(dir(reference))
    for module in (reference.special, reference.linalg, reference.fft):
        known |= {f"{module.__name__.rpartition('.')[2]}_{name}" for name in dir(module)}
    named = documentation.entries()
    assert set(named) - known == set()
    assert {target for target in named.values() if isinstance(target, str)} - set(named) == set()


def test_what_the_core_knows_is_not_written_again() -> None:
    table = {row["name"] for row in _core.op_table()}
    for name, entry in documentation.entries().items():
        if isinstance(entry, documentation.Entry):
            assert name not in table or not (entry.shape or entry.derivative), name
            assert not entry.derivative or entry.derivative != documentation.formulas().get(name), name


def test_aliases_and_inplace_forms_share_the_text() -> None:
    sentence = "The sine of each element"
    assert sentence in chainrule.Tensor.sin.__doc__
    assert "In place" not in chainrule.Tensor.sin.__doc__
    assert re.search(f"In place.*{sentence}", chainrule.Tensor.sin_.__doc__, re.DOTALL)
    assert chainrule.arcsin.__doc__.startswith("arcsin(input, *, out=None) -> Tensor\n\nThe same as asin.")
    assert chainrule.swapaxes.__doc__.count("g with the two dimensions swapped back") == 1
    assert chainrule.special.expit.__doc__.startswith("expit(input")


# ---- Python's own tools ----------------------------------------------------------------------------------------------


def test_help_and_completion() -> None:
    for value in (chainrule.sort, chainrule.Tensor.sort):
        page = pydoc.render_doc(value, renderer=pydoc.plaintext)
        assert re.search(r"sort\(input, dim=-1.*zeros with g at the indices.*>>> torch.sort", page, re.DOTALL)
    assert "sort(" in pydoc.render_doc(chainrule.Tensor, renderer=pydoc.plaintext)
    completer = rlcompleter.Completer({"torch": chainrule, "x": chainrule.ones(2)})
    assert "torch.logsumexp(" in (completer.complete("torch.logsum", 0) or "")
    assert "x.logsumexp(" in (completer.complete("x.logsum", 0) or "")


def test_import_does_not_load_the_texts() -> None:
    program = "import sys, chainrule.nn, chainrule.func; print('chainrule.documentation' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
