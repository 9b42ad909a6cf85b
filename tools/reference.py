"""Writes the pages of the API reference for the documentation site, from the docstrings: `make docs`.

One page for each module. A function or class is a directive of Sphinx, so that search and index know it; what its
docstring says becomes Markdown. `reference/derivatives.md` has the derivative of each operation in one table.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import chainrule
from chainrule import _core, documentation
from chainrule.explain.formulas import readable
from formula_markup import as_mathml

CORE_FUNCTIONS = (type(chainrule.sin), type(chainrule.Tensor.sin), type(chainrule.can_cast))

# Page, its title, and the modules on it; two are made otherwise.
PAGES = {
    "torch": ("torch", []),
    "tensor": ("torch.Tensor", []),
    "explain": ("torch.explain", ["explain"]),
    "autograd": (
        "torch.autograd",
        ["autograd", "autograd.functional", "autograd.forward_ad", "autograd.graph", "autograd.profiler"],
    ),
    "func": ("torch.func", ["func"]),
    "nn": ("torch.nn", ["nn", "nn.attention"]),
    "nn_functional": ("torch.nn.functional", ["nn.functional"]),
    "nn_init": ("torch.nn.init", ["nn.init"]),
    "nn_utils": (
        "torch.nn.utils",
        ["nn.utils", "nn.utils.rnn", "nn.utils.parametrize", "nn.utils.parametrizations", "nn.utils.prune"],
    ),
    "optim": ("torch.optim", ["optim", "optim.lr_scheduler", "optim.swa_utils"]),
    "linalg": ("torch.linalg", ["linalg"]),
    "fft": ("torch.fft", ["fft"]),
    "special": ("torch.special", ["special"]),
    "masked": ("torch.masked, torch.signal", ["masked", "signal.windows"]),
    "random": ("torch.random", ["random", "quasirandom"]),
    "distributions": ("torch.distributions", ["distributions"]),
    "data": ("torch.utils.data", ["utils.data"]),
    "utils": (
        "torch.utils",
        ["utils.checkpoint", "utils.benchmark", "utils.hooks", "utils.weak", "utils.dlpack", "utils.module_tracker"],
    ),
    "amp": ("torch.amp", ["amp"]),
    "profiler": ("torch.profiler", ["profiler"]),
    "serialization": ("torch.serialization", ["serialization"]),
    "testing": ("torch.testing", ["testing", "overrides", "futures"]),
}
SUBJECTS = {
    "arithmetic": "Arithmetic",
    "comparisons": "Comparisons and logic",
    "functions": "Functions of one number",
    "special": "Special functions",
    "activations": "Activations",
    "creation": "Creating tensors",
    "random": "Random numbers",
    "views": "Views and shapes",
    "joining": "Joining and splitting",
    "rearranging": "Rearranging",
    "indexing": "Reading at positions",
    "writing": "Writing at positions",
    "reductions": "Reductions",
    "scans": "Running sums and the like",
    "ordering": "Order",
    "products": "Products",
    "networks": "Networks",
    "images": "Images",
    "tensors": "About tensors",
    "linalg": "Linear algebra",
    "fft": "Fourier transforms",
    "further": "Further functions",
    "classes": "Classes",
}


class Item(NamedTuple):
    """Something public, by the name that users write."""

    name: str
    value: Any

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.value)


def module_items(where: str) -> Iterator[Item]:
    """The functions and classes of a module that are chainrule's own and work."""
    module = importlib.import_module(f"chainrule.{where}") if where else chainrule
    for name in sorted(getattr(module, "__all__", dir(module)), key=str.lower):
        value = getattr(module, name)
        if where and not hasattr(module, "__all__") and getattr(chainrule, name, None) is value:
            continue  # imported there to be used
        if value is chainrule.Tensor:
            continue  # has a page of its own
        own = isinstance(value, CORE_FUNCTIONS) or str(getattr(value, "__module__", "")).startswith("chainrule")
        shown = isinstance(value, (*CORE_FUNCTIONS, types.FunctionType)) or inspect.isclass(value)
        if own and shown and not name.startswith("_") and not hasattr(value, "refusal"):
            yield Item(".".join(part for part in ("torch", where, name) if part), value)


# ---- Docstrings as Markdown ------------------------------------------------------------------------------------------


def signatures(item: Item) -> tuple[list[str], str]:
    """How it is called, and the rest of its docstring."""
    text = inspect.getdoc(item.value) or ""
    own = item.name.rpartition(".")[2]
    if isinstance(item.value, CORE_FUNCTIONS[:2]):
        first, _, rest = text.partition("\n\n")
        return [line.split(" -> ")[0] for line in first.split("\n") if line.startswith(own)], rest
    try:
        signature = str(inspect.signature(item.value))
    except (TypeError, ValueError):
        signature = "(...)"
    signature = re.sub(r"<(?:function|class|object)[^>]*>|<[^>]*at 0x[^>]*>", "...", signature)
    return [own + signature.split(" -> ")[0].replace("'", "").replace("_core.", "")], text


def plain(text: str) -> str:
    """A sentence with Markdown's marks taken as letters, but for code between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([*_<>\[\]\\$|])", r"\\\1", part) for i, part in enumerate(parts))


def arguments(block: str) -> list[str]:
    """The lines below `Args:` as a list."""
    entries = re.split(r"\n(?=\S)", textwrap.dedent(block).strip("\n"))
    listed = []
    for entry in entries:
        names, colon, words = " ".join(entry.split()).partition(": ")
        marked = ", ".join(f"`{name}`" for name in names.split(", "))
        listed.append(f"- {marked}: {plain(words)}" if colon else f"- {plain(names)}")
    return listed


def paragraph(text: str) -> str:
    """One paragraph of a docstring."""
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{textwrap.dedent(text)}\n```"
    if re.match(r"\s+(?:y|value) = ", text):
        return formulas(textwrap.dedent(text))
    label = re.match(r"(Args|Arguments|Returns|Raises|Yields):\n", text)
    if label:
        return "\n".join([f"**{label[1]}**", "", *arguments(text[label.end() :])])
    if text.startswith("    "):
        return f"```text\n{textwrap.dedent(text)}\n```"
    words = plain(" ".join(text.split()))
    return re.sub(r"(Shape and dtype:|Derivative:)", r"**\1**", words).replace(
        " **Derivative:**", "\n\n**Derivative:**"
    )


def formulas(text: str) -> str:
    """Value and gradients of a line of the table, in mathematical type where they can be drawn."""
    rows, words = [], []
    for line in text.split("\n"):
        name, equals, formula = line.partition(" = ")
        shown = (as_mathml(readable(formula)) or f"<code>{escape(formula)}</code>") if equals else ""
        if shown:
            rows.append(f"<tr><td>{name}</td><td>{shown}</td></tr>")
        else:
            words.append(plain(line.strip()))
    return f'<div class="formulas"><table class="formulas">{"".join(rows)}</table></div>\n\n{" ".join(words)}'


def markdown(text: str) -> str:
    return "\n\n".join(paragraph(part) for part in re.split(r"\n\n+", text.strip("\n")) if part.strip())


def described_elsewhere(item: Item) -> tuple[str, str] | None:
    """For another name or the in-place form of a function: what it is, and the function that has the text."""
    owner, _, own = item.name.rpartition(".")
    rest = signatures(item)[1]
    other = re.match(r"The same as (\w+)\.", rest)
    if other and hasattr(chainrule, other[1]):
        return "The same as", f"torch.{other[1]}"
    if own.endswith("_") and rest.startswith("In place") and hasattr(chainrule, own.removesuffix("_")):
        return "In place: see", f"{owner}.{own.removesuffix('_')}"
    return None


def directive(item: Item) -> str:
    """The item as a directive; a class with its own public methods that say something."""
    called, rest = signatures(item)
    owner = item.name.rpartition(".")[0]
    kind = "py:class" if item.is_class else "py:function"
    fence = "::::::"
    elsewhere = described_elsewhere(item)
    if elsewhere:
        rest = ""
    lines = [f"{fence}{{{kind}}} {owner}.{called[0]}" if called else f"{fence}{{{kind}}} {item.name}()"]
    also = [f"Also `{owner}.{other}`." for other in called[1:]]
    body = "\n\n".join([*also, f"{elsewhere[0]} {{py:func}}`{elsewhere[1]}`." if elsewhere else markdown(rest)])
    if item.is_class:
        body += "".join(f"\n\n{directive_of_method(item, name, method)}" for name, method in methods(item.value))
    return "\n".join([*lines, "", body, fence])


def methods(kind: type) -> list[tuple[str, Any]]:
    """What a class defines itself, in public and with a docstring; modules and optimisers have enough in their text."""
    if issubclass(kind, (chainrule.nn.Module, BaseException)) and kind is not chainrule.nn.Module:
        return []
    return [
        (name, value)
        for name, value in vars(kind).items()
        if not name.startswith("_") and isinstance(value, types.FunctionType) and inspect.getdoc(value)
    ]


def directive_of_method(owner: Item, name: str, method: Any) -> str:
    called, rest = signatures(Item(f"{owner.name}.{name}", method))
    call = re.sub(r"\((?:self|cls)(?:, )?", "(", called[0])
    return "\n".join([f"::::{{py:method}} {call}", "", markdown(rest), "::::"])


# ---- Pages -----------------------------------------------------------------------------------------------------------


def by_subject() -> dict[str, list[Item]]:
    """The functions of torch by the file of their help, then the other ones, then classes."""
    subject_of = {}
    for subject in documentation.SUBJECTS:
        text = importlib.import_module(f"chainrule.documentation.{subject}").TEXT
        subject_of |= dict.fromkeys(documentation.read_text(text), subject)
    groups: dict[str, list[Item]] = {subject: [] for subject in SUBJECTS}
    for item in module_items(""):
        elsewhere = described_elsewhere(item)
        name = (elsewhere[1] if elsewhere else item.name).removeprefix("torch.")
        known = subject_of.get(name, "further")
        groups["classes" if item.is_class else known].append(item)
    return {subject: items for subject, items in groups.items() if items}


def torch_pages() -> dict[str, str]:
    """`torch` has hundreds of functions: a page for each subject, and one that leads to them."""
    written, lines = {}, []
    for subject, items in by_subject().items():
        name, title = f"torch_{subject}", SUBJECTS[subject]
        written[name] = "\n\n".join([f"# {title}", *(directive(item) for item in items)])
        lines.append(f"{title} <{name}>")
    return written | {"torch": page_of_pages("torch", "The functions and classes of the package itself.", lines)}


def page_of_pages(title: str, words: str, lines: list[str]) -> str:
    listed = "\n".join(lines)
    return f"# {title}\n\n{words}\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"


def module_page(title: str, modules: list[str]) -> str:
    parts = [f"# {title}"]
    for where in modules:
        items = sorted(module_items(where), key=lambda item: item.name.rpartition(".")[2][0].isupper())
        text = inspect.getdoc(importlib.import_module(f"chainrule.{where}"))
        parts += [f"## torch.{where}"] if f"torch.{where}" != title else []
        parts += [markdown(text)] if text else []
        parts += [directive(item) for item in items]
    return "\n\n".join(parts)


def tensor_page() -> str:
    """Methods: in short where a function of the same name has the text."""
    parts = [
        "# torch.Tensor",
        "A method that is a function too is described with the function. One whose name ends in an underscore writes "
        "its result into the tensor.",
    ]
    for name in sorted(vars(chainrule.Tensor)):
        value = inspect.getattr_static(chainrule.Tensor, name)
        if name.startswith("_") or not isinstance(value, (*CORE_FUNCTIONS, types.FunctionType)):
            continue
        plain_name = name.removesuffix("_") if not hasattr(chainrule, name) else name
        item = Item(f"torch.Tensor.{name}", value)
        if hasattr(chainrule, plain_name):
            called = re.sub(r"\((?:input|self)(?:, )?", "(", signatures(item)[0][0])
            words = "In place: see" if plain_name != name else "See"
            body = f"{words} {{py:func}}`torch.{plain_name}`."
            parts.append(f"::::{{py:method}} torch.Tensor.{called}\n\n{body}\n::::")
        else:
            parts.append(directive(item).replace("{py:function}", "{py:method}", 1))
    return "\n\n".join(parts)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def drawn(formula: str) -> str:
    """For a cell of a table: what is long is text, which can be broken into lines."""
    text = readable(formula)
    return (as_mathml(text) if len(text) <= 60 else None) or f"`{text}`"


def table_line(row: dict[str, Any]) -> str:
    """A line of the core's table: value and gradients."""
    gradients = []
    for given, gradient in zip(row["inputs"], row["gradients"], strict=False):
        text = {"none": "none", "zero(g)": "0"}.get(gradient) or drawn(gradient)
        gradients.append(f"{given}: {text}" if len(row["inputs"]) > 1 else text)
    return f"| `{row['name']}` | {cell(drawn(row['value']))} | {cell('<br>'.join(gradients) or 'none')} |"


def derivatives_page() -> str:
    """Every operation that the core differentiates, and how."""
    table = sorted((row for row in _core.op_table() if not row["is_test"]), key=lambda row: row["name"])
    names = {row["name"] for row in table}
    words = {name: text for name, text in sorted(documentation.formulas().items()) if name and name not in names}
    return "\n".join(
        [
            "# Every derivative",
            "",
            "The operations of the core, under the names that `explain` and `grad_fn.operation` call them by. `g` is",
            "the gradient that arrives, `y` the result. Operations that are composed of others have no derivative of",
            "their own.",
            "",
            "## Elementwise",
            "",
            "Each is a line of `core/ops/elementwise/elementwise.def`. The formula is compiled as it stands, and it is",
            "the one that `explain` shows.",
            "",
            "| operation | value | gradient |",
            "| --- | --- | --- |",
            *(table_line(row) for row in table),
            "",
            "## All others",
            "",
            "| operation | gradient |",
            "| --- | --- |",
            *(f"| `{name}` | {cell(plain(text))} |" for name, text in words.items()),
        ]
    )


def index_page() -> str:
    words = (
        "Made from the docstrings. Names are written as users write them, after `import chainrule as torch`; "
        "`help(torch.sin)` shows the same. Where a function has a derivative, its entry says which, and "
        "[one page](derivatives.md) has them all. Examples are run by the test suite, here and in PyTorch.\n\n"
        "What PyTorch has and chainrule has not is left out; [coverage](../coverage.md) and "
        "[the guide](../pytorch.md#what-is-missing) tell."
    )
    return page_of_pages("Reference", words, [*PAGES, "derivatives"])


def pages() -> dict[str, str]:
    """The text of each page by its name."""
    written = {name: module_page(title, modules) for name, (title, modules) in PAGES.items() if modules}
    written |= {"index": index_page(), "tensor": tensor_page(), "derivatives": derivatives_page()}
    return written | torch_pages()


def write(folder: Path) -> None:
    """Writes what differs from what is there, so that a second build is quick."""
    folder.mkdir(exist_ok=True)
    written = pages()
    for path in folder.glob("*.md"):
        if path.stem not in written:
            path.unlink()
    for name, text in written.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    write(Path(__file__).parents[1] / "docs" / "reference")
