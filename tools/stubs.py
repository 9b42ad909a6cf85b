"""Writes the type stubs of chainrule from what the core says about itself: `make stubs`.

Functions and methods come from their signatures (core/bindings/calls/signature.hpp), properties from the type's
descriptors, Python-written methods from `inspect`. What the core cannot say is in tools/stub_texts.py: the types of
properties and operators, and the parts of `_core` that are not operations. A name that is in neither place is an
error here.
"""

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import chainrule
import stub_texts as texts
from chainrule import _core
from chainrule.tensor_methods import is_in_submodule

PACKAGE = Path(__file__).parents[1] / "python" / "chainrule"
WIDTH = 120
LAZY = ("distributed", "nn", "nn/functional", "nn/modules", "nn/parallel")  # packages whose files load on first use
HEADER = "# Written by tools/stubs.py; `make stubs` writes it anew."


# ---- Signatures ------------------------------------------------------------------------------------------------------


class Parameter(NamedTuple):
    type: str
    name: str
    default: str | None
    keyword_only: bool


class Signature(NamedTuple):
    name: str
    parameters: list[Parameter]
    returns: str


def parse(name: str, text: str) -> Signature:
    """Reads the one line of text that also feeds the argument parser; `name` may be another name of the function."""
    head, _, returns = text.partition(") -> ")
    parameters, keyword_only = [], False
    for item in filter(None, head.partition("(")[2].removesuffix(")").split(", ")):
        if item == "*":
            keyword_only = True
            continue
        declaration, _, default = item.partition("=")
        kind, _, argument = declaration.rpartition(" ")
        parameters.append(Parameter(kind, argument, default or None, keyword_only))
    return Signature(name, parameters, returns or "Tensor")


def argument_type(kind: str) -> str:
    """The Python type of an argument: "int[]?" is _int | Sequence[_int] | None."""
    given = kind.removesuffix("?")
    python = texts.ARGUMENT_TYPES.get(given) or texts.ARGUMENT_TYPES[given.rstrip("!~")]
    return f"{python} | None" if kind.endswith("?") else python


def return_type(signature: Signature) -> str:
    if signature.returns.startswith("("):
        return result_class(signature.returns)
    return texts.RETURN_TYPES_BY_NAME.get(signature.name) or texts.RETURN_TYPES[signature.returns]


def result_class(fields: str) -> str:
    """The name for "(values, indices)" is the named tuple _ValuesIndices."""
    return "_" + "".join(word.capitalize() for word in re.findall(r"\w+", fields))


def argument(p: Parameter) -> str:
    name = p.name + "_" if p.name in texts.KEYWORDS else p.name
    default = re.sub(r",\b|,(?=-)", ", ", p.default or "").replace(
        "'", '"'
    )  # signatures have no spaces inside a default
    return f"{name}: {argument_type(p.type)}" + (f" = {default}" if default else "")


def arguments(parameters: list[Parameter]) -> Iterator[list[str]]:
    """The argument list; two of them where a list may also be spread over the positional arguments."""
    yield starred(parameters)
    for i, p in enumerate(parameters):
        if p.type.endswith("[*]"):
            item = texts.ARGUMENT_TYPES[p.type.removesuffix("[*]")]
            rest = [argument(q) for q in parameters[i + 1 :]]
            yield [*map(argument, parameters[:i]), f"*{p.name}: {item}", *rest]


def starred(parameters: list[Parameter]) -> list[str]:
    result = [argument(p) for p in parameters if not p.keyword_only]
    named = [argument(p) for p in parameters if p.keyword_only]
    return [*result, "*", *named] if named else result


# ---- Text ------------------------------------------------------------------------------------------------------------


def define(name: str, args: list[str], returns: str, indent: str = "", body: str = "...") -> list[str]:
    """A definition, broken as ruff would break it."""
    one = f"{indent}def {name}({', '.join(args)}) -> {returns}: {body}"
    if len(one) <= WIDTH:
        return [one]
    end = f"{indent}) -> {returns}: {body}"
    inner = f"{indent}    {', '.join(args)}"
    lines = [inner] if len(inner) <= WIDTH else [f"{indent}    {a}," for a in args]
    return [f"{indent}def {name}(", *lines, end]


def overloads(signatures: Iterable[Signature], method: bool) -> list[str]:
    """All definitions of one name."""
    indent, forms = "    " if method else "", []
    for s in signatures:
        returns = return_type(s) if method else re.sub(r"^(_[A-Z])", r"_core.\1", return_type(s))
        for args in arguments(s.parameters[1:] if method else s.parameters):
            forms.append(define(s.name, (["self"] if method else []) + args, returns, indent))
    if len(forms) == 1:
        return forms[0]
    return [line for form in forms for line in (f"{indent}@overload", *form)]


def operations(form: str, skip: Iterable[str] = ()) -> dict[str, list[str]]:
    """The definitions of every function or every method, by name."""
    rows = [parse(name, text) for kind, name, text in _core.signatures() if kind == form and name not in skip]
    return {name: overloads(group, form == "method") for name, group in groupby(rows, lambda s: s.name)}


# ---- Tensor ----------------------------------------------------------------------------------------------------------


def is_writable(descriptor) -> bool:
    try:
        descriptor.__set__(chainrule.ones(2), None)
    except AttributeError:
        return False
    except (RuntimeError, TypeError):
        pass
    return True


def properties() -> dict[str, list[str]]:
    found = {n: d for n, d in vars(_core.Tensor).items() if inspect.isgetsetdescriptor(d) and n != "__dict__"}
    return {name: property_lines(name, found[name]) for name in found}


def property_lines(name: str, descriptor) -> list[str]:
    kind = texts.PROPERTIES[name]
    lines = ["    @property", f"    def {name}(self) -> {kind}: ..."]
    if descriptor.__doc__:
        lines[1:] = [f"    def {name}(self) -> {kind}:", f'        """{descriptor.__doc__}"""']
    if is_writable(descriptor):
        lines += [f"    @{name}.setter", f"    def {name}(self, value: {kind}) -> None: ..."]
    return lines


def python_methods() -> dict[str, list[str]]:
    """Methods that Python attached to the type."""
    result = {}
    for name, value in vars(_core.Tensor).items():
        function = value.__func__ if isinstance(value, staticmethod) else value
        if inspect.isfunction(function):
            lines = define(name, *python_signature(function), indent="    ")
            result[name] = ["    @staticmethod", *lines] if isinstance(value, staticmethod) else lines
    return result


def python_signature(function) -> tuple[list[str], str]:
    """The arguments and the return type; inside the class int, float, bool, type ... are methods, so _int is meant."""
    signature = inspect.signature(function)
    args, starred = [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            args.append("*")
        starred |= p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        args.append("self" if p.name == "self" else python_argument(p))
    returns = signature.return_annotation
    return args, "Any" if returns is signature.empty else texts.unshadowed(returns)


def python_argument(p: inspect.Parameter) -> str:
    annotation = "Any" if p.annotation is p.empty else texts.unshadowed(p.annotation)
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    return f"{stars}{p.name}: {annotation}" + ("" if p.default is p.empty else f" = {p.default!r}")


def operators() -> dict[str, list[str]]:
    """Definitions of the dunder methods that come from the type's slots."""
    plain = {*texts.PLAIN, "__buffer__", "__release_buffer__"}  # slots that only Python 3.12 and later show
    slots = [n for n, v in vars(_core.Tensor).items() if isinstance(v, type(object.__str__)) and n not in plain]
    return {name: operator_lines(name) for name in slots}


def operator_lines(name: str) -> list[str]:
    args, returns = next(shape for names, *shape in texts.OPERATORS if name in names.split())
    lines = define(name, ["self", *filter(None, [args])], returns, "    ")
    # object compares with anything and gives a bool, tensors compare with numbers and give a tensor
    return [lines[0] + "  # type: ignore[override]"] if name in ("__eq__", "__ne__") else lines


def tensor_class() -> list[str]:
    lines = ["class Tensor:", f'    """{_core.Tensor.__doc__}"""', ""]
    members = properties() | operators() | python_methods() | operations("method") | texts.METHODS
    return [*lines, *(line for name in sorted(members) for line in members[name])]


# ---- The two files ---------------------------------------------------------------------------------------------------


def named_results() -> list[str]:
    fields = sorted({s.returns for s in (parse(n, t) for _, n, t in _core.signatures()) if s.returns.startswith("(")})
    lines = []
    for text in fields:
        members = [f"    {field}: Tensor" for field in re.findall(r"\w+", text)]
        lines += [f"class {result_class(text)}(NamedTuple):", *members, ""]
    return lines


def constants() -> list[str]:
    kinds = {"dtype": _core.dtype, "layout": _core.layout, "memory_format": _core.memory_format}
    return [f"{n}: _{k}" for k, t in kinds.items() for n, v in sorted(vars(_core).items()) if isinstance(v, t)]


def core_stub() -> str:
    parts = [HEADER, texts.CORE_HEAD.strip(), *constants(), ""]
    return "\n".join([*parts, *named_results(), *tensor_class(), "", texts.CORE_REST.strip(), ""])


def imported() -> list[str]:
    """Names of other modules that `chainrule` shows: `from ._core import Tensor as Tensor`."""
    by_module: dict[str, list[str]] = {}
    files: dict[str, str] = vars(chainrule)["_FILES"]
    by_name = {name: file for file, names in files.items() for name in names.split()}
    for name, value in vars(chainrule).items():
        if name.startswith("_") or name in _core.functions or name in by_name or inspect.ismodule(value):
            continue
        if name in vars(_core):
            by_module.setdefault("_core", []).append(name)
        elif (module := getattr(value, "__module__", "")).startswith("chainrule."):
            by_module.setdefault(module.removeprefix("chainrule."), []).append(name)
    for name, module in by_name.items():
        by_module.setdefault(module, []).append(name)
    names = sorted(["_core", *(m for m in vars(chainrule)["_SUBMODULES"] if not m.startswith("_"))])
    lines = [f"from . import {m}" + (f" as {m}" if m != "_core" else "") for m in names]
    for module in sorted(by_module):
        lines += [f"from .{module} import {n} as {n}" for n in sorted(by_module[module], key=by_number)]
    return ["", *lines]


def callable_modules() -> dict[str, str]:
    """Submodules that can be called, and their classes: to a checker they are objects, or it would refuse the call."""
    found = {name: getattr(chainrule, name) for name in sorted(vars(chainrule)["_SUBMODULES"])}
    return {name: type(module).__name__ for name, module in found.items() if callable(module)}


def with_callables(imports: list[str]) -> list[str]:
    """The imports, where a callable submodule gives its class."""
    for name, cls in callable_modules().items():
        imports.remove(f"from . import {name} as {name}")
        first = next(i for i, line in enumerate(imports) if line.startswith(f"from .{name} import"))
        imports.insert(first, f"from .{name} import {cls} as _{cls}")
    return imports


def by_number(name: str) -> list[object]:
    """Sorts int8 before int16, as ruff does."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def package_stub() -> str:
    functions = operations("function", skip=set(filter(is_in_submodule, _core.functions)))
    lines = [line for name in functions for line in functions[name]]
    called = [f"{name}: _{cls}" for name, cls in callable_modules().items()]
    head = [HEADER, texts.PACKAGE_HEAD.strip(), *with_callables(imported()), "", *called]
    return "\n".join([*head, texts.PACKAGE_REST.strip(), *lines, ""])


def prefixed_stub(prefix: str, others: set[str], head: str) -> str:
    """torch.linalg and its like: the functions that begin with `linalg_`, without it, and some others."""
    rows = [parse(name, text) for kind, name, text in _core.signatures() if kind == "function"]
    wanted = [s for s in rows if s.name.startswith(prefix) or s.name in others]
    renamed = sorted((s._replace(name=s.name.removeprefix(prefix)) for s in wanted), key=lambda s: s.name)
    lines = [line for _, group in groupby(renamed, lambda s: s.name) for line in overloads(group, False)]
    return "\n".join([HEADER, head.strip(), "", *lines, ""])


def lazy_stub(package: ModuleType) -> str:
    """The names of a package that loads its files on first use (see lazy.py), as imports."""
    files: dict[str, str] = vars(package)["_FILES"]
    defined = {name for names in files.values() for name in names.split()}
    lines = [f"from . import {m} as {m}" for m in package.__all__ if m not in defined]
    for file in sorted(files):
        lines += [f"from .{file} import {n} as {n}" for n in sorted(files[file].split(), key=by_case)]
    return "\n".join([HEADER, *lines, ""])


def by_case(name: str) -> tuple[int, list[object]]:
    """Sorts CELU before Hardtanh and relu, as ruff does."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, by_number(name.lower())


def stubs() -> dict[Path, str]:
    """The text of each stub, by its path."""
    lazy = {PACKAGE / name / "__init__.pyi": lazy_stub(package(name)) for name in LAZY}
    return {
        PACKAGE / "_core.pyi": core_stub(),
        PACKAGE / "__init__.pyi": package_stub(),
        PACKAGE / "linalg" / "__init__.pyi": prefixed_stub("linalg_", {"matmul"}, texts.LINALG_HEAD),
        PACKAGE / "fft.pyi": prefixed_stub("fft_", set(), texts.FFT_HEAD),
        PACKAGE / "special.pyi": prefixed_stub("special_", {"softmax", "log_softmax", "logsumexp"}, texts.SPECIAL_HEAD),
        **lazy,
    }


def package(name: str) -> ModuleType:
    return importlib.import_module("chainrule." + name.replace("/", "."))


def main() -> None:
    for path, text in stubs().items():
        path.write_text(text)
        print(f"{path.relative_to(PACKAGE)}: {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()
