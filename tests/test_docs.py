"""What the documents show is what happens: examples and their output, names of files and functions, include rules."""

import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule
from chainrule import _core

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
DOCUMENTS = {"README.md": README, "docs/architecture.md": ARCHITECTURE, "CONTRIBUTING.md": CONTRIBUTING}
EXAMPLES = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", README, re.DOTALL)
CORE = {path: path.read_text() for path in (ROOT / "core").rglob("*") if path.suffix in (".cpp", ".hpp", ".def")}


def run(script: Path) -> str:
    """What a script prints, with its folder taken out of the lines it names."""
    result = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.replace(f"{script.parent}/", "")


def without_spacing(text: str) -> str:
    return re.sub(r"\s+", "", text)


# ---- Examples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(3))
def test_readme_example_prints_what_it_says(number: int, tmp_path: Path) -> None:
    code, output = EXAMPLES[number]
    script = tmp_path / "train.py"
    script.write_text(code)
    assert run(script) == output


def test_readme_has_all_its_examples() -> None:
    assert len(EXAMPLES) == README.count("```python") == 4


def test_readme_example_is_the_demo() -> None:
    assert (ROOT / "examples" / "quickstart.py").read_text().endswith(EXAMPLES[0][0])


def test_readme_example_prints_the_same_in_pytorch(tmp_path: Path) -> None:
    code, output = EXAMPLES[0]
    script = tmp_path / "train.py"
    script.write_text(code.replace("import chainrule as torch", "import torch"))
    assert run(script) == output


def test_tour() -> None:
    assert run(ROOT / "docs" / "tour.py") == (ROOT / "tests" / "golden" / "tour.txt").read_text()


def test_readme_has_a_place_for_the_benchmarks() -> None:
    begin, end = "<!-- benchmarks: written by make bench -->", "<!-- /benchmarks -->"
    assert README.count(begin) == README.count(end) == 1
    assert README.index(begin) < README.index(end)


def test_readme_tells_what_every_operation_takes() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "every_op.json").read_text())
    ratios = [row["ours"] / row["theirs"] for row in rows]
    text = " ".join(README.split())
    assert f"with {len(rows)} differentiable operations" in text
    assert f"the median one takes 1/{1 / statistics.median(ratios):.0f} of PyTorch's time" in text
    assert max(ratios) < 1.05


# ---- Names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_exist(document: str) -> None:
    paths = re.findall(r"`((?:core|python|tests|docs|examples|benchmarks|tools|\.ci)/[\w./-]*)`", DOCUMENTS[document])
    assert paths
    assert [p for p in paths if not (ROOT / p).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_exist(document: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = set(re.findall(r"(?:`|^|=\S+ )make ([a-z]+)", DOCUMENTS[document], re.MULTILINE))
    assert commands <= targets


def test_functions_on_the_way_are_in_their_files() -> None:
    rows = re.findall(r"^\| `(core/[\w./]+)` \| `(\w+)` \|", ARCHITECTURE, re.MULTILINE)
    assert len(rows) > 15
    assert [(file, name) for file, name in rows if not re.search(rf"\b{name}\(", CORE[ROOT / file])] == []


def test_files_of_the_rooms_exist() -> None:
    rows = re.findall(r"^\| `((?:core|python)/[\w/]+/)` \| [^|]+ \| ([^|]+) \|", ARCHITECTURE, re.MULTILINE)
    assert len(rows) == 6
    files = [(room, file) for room, files in rows for file in re.findall(r"`([\w.]+(?:\.\w+|/))`", files)]
    assert [(room, file) for room, file in files if not (ROOT / room / file).exists()] == []


def test_notes_are_written_once_and_named() -> None:
    everywhere = [name for text in CORE.values() for name in re.findall(r"^// Note \[([^\]]+)\]$", text, re.MULTILINE)]
    for path in (ROOT / "python").rglob("*.py"):
        everywhere += re.findall(r'^ *"""Note \[([^\]]+)\]$', path.read_text(), re.MULTILINE)
    assert sorted(everywhere) == sorted(set(everywhere))
    mentioned = {name for text in CORE.values() for name in re.findall(r"see Note \[([^\]]+)\]", text)}
    assert mentioned <= set(everywhere)
    assert set(re.findall(r"Note \[([^\]]+)\]", ARCHITECTURE)) == set(everywhere)


def test_contributing_quotes_the_code() -> None:
    core = without_spacing("".join(CORE.values()))
    blocks = re.findall(r"```cpp\n(.*?)```", CONTRIBUTING, re.DOTALL)
    parts = [part for block in blocks for part in re.sub(r"^ *//.*\n", "", block, flags=re.MULTILINE).split("\n\n")]
    assert len(parts) == 4
    assert [part for part in parts if without_spacing(part) not in core] == []
    records = (ROOT / "tests" / "samples" / "elementwise.py").read_text()
    (record,) = re.findall(r"```python\n\s*(.*?)\s*```", CONTRIBUTING, re.DOTALL)
    assert record in records


# ---- Rules -----------------------------------------------------------------------------------------------------------

MAY_INCLUDE = {
    "tensor": {"tensor"},
    "autograd": {"autograd", "tensor"},
    "backends": {"backends", "tensor"},
    "ops": {"ops", "autograd", "backends", "tensor"},
    "bindings": {"bindings", "ops", "autograd", "backends", "tensor"},
}
EXCEPTIONS = {
    ("autograd", "ops/accumulate.hpp"),
    ("backends/cpu/elementwise.isa.cpp", "ops/elementwise.def"),
    ("backends/cpu/elementwise.isa.cpp", "ops/formulas.hpp"),
    ("backends/cpu/elementwise.isa.cpp", "ops/read_line.hpp"),
    ("tensor/storage.cpp", "backends/cpu/allocator.hpp"),
}


def test_includes_point_one_way() -> None:
    wrong = []
    for path, text in CORE.items():
        file = path.relative_to(ROOT / "core").as_posix()
        room = file.partition("/")[0]
        for included in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            allowed = included.partition("/")[0] in MAY_INCLUDE[room]
            if not allowed and not {(room, included), (file, included)} & EXCEPTIONS:
                wrong.append((file, included))
    assert wrong == []


MAKES_ROOM = (
    r"\b(?:empty|zeros|ones|full|empty_in|empty_strided|resize|reserve|Dims|std::vector<[^(){};]+>(?: \w+)?)(?=[({])"
)
MAKES_ROOM += r"|\bnew \w+(?=\[)|\bmake_unique_for_overwrite<T\[\]>(?=\()|\b\w*sizes?\.(?:push_back|insert)(?=\()"
NAMES_A_SIZE = r"\b(?:\w*_)?sizes?(?:\[[^;=]*\])? ([*+]?)= ([^;]*);"
MULTIPLIES = re.compile(r"[\w)\]] (?:\*|<<) [\w(]")
AT_MOST_64_DIMENSIONS = "new int64_t[2 * n]"


def bracketed(text: str, start: int) -> str:
    """From an opening bracket to the one that closes it."""
    depth = 0
    for end in range(start, len(text)):
        depth += (text[end] in "({[") - (text[end] in ")}]")
        if depth == 0:
            return text[start : end + 1]
    return text[start:]


def test_sizes_are_multiplied_with_care() -> None:
    """Note [Checked sizes]: what makes a tensor, a shape or a buffer multiplies nothing but CheckedSize."""
    wrong = []
    for path, commented in CORE.items():
        if path.parent.name not in ("ops", "tensor"):
            continue
        text = re.sub(r'//.*|"(?:[^"\\\n]|\\.)*"', "", commented)  # neither comments nor messages
        made = [match[0] + bracketed(text, match.end()) for match in re.finditer(MAKES_ROOM, text)]
        careless = [room for room in made if MULTIPLIES.search(room) and not room.startswith("std::vector<Tensor>{")]
        named = re.finditer(NAMES_A_SIZE, text)
        careless += [match[0] for match in named if match[1] or MULTIPLIES.search(match[2])]
        wrong += [(path.name, c) for c in careless if "CheckedSize" not in c and c != AT_MOST_64_DIMENSIONS]
    assert wrong == []


def test_the_rule_about_sizes_finds_what_it_should() -> None:
    for line in ["empty(Dims{a * b}, t)", "std::vector<int64_t> at(n * m)", "sizes.push_back(a * b)"]:
        match = re.search(MAKES_ROOM, line)
        assert match
        assert MULTIPLIES.search(bracketed(line, match.end()))
    for line in ["sizes[d] = a * b;", "sizes[d] += n;", "size *= n;"]:
        match = re.search(NAMES_A_SIZE, line)
        assert match
        assert match[1] or MULTIPLIES.search(match[2])


def test_no_machine_paths() -> None:
    texts = {**DOCUMENTS, **{str(path): text for path, text in CORE.items()}}
    assert [name for name, text in texts.items() if re.search(r"/(?:work|home|root|tmp)/", text)] == []


# ---- Docstrings ------------------------------------------------------------------------------------------------------


def test_docstrings_show_the_table() -> None:
    """Every public op of the table shows its signature, its dtype rule, its value and its gradients."""
    for row in _core.op_table():
        function = _core.functions.get(row["name"])
        if function is None:
            continue
        text = function.__doc__
        assert text.startswith(f"{row['name'].removeprefix('special_')}(")
        assert f"    y = {row['value']}\n" in text
        for gradient in row["gradients"]:
            assert gradient == "none" or f" = {gradient}\n" in text


def test_docstrings() -> None:
    assert chainrule.sin.__doc__ == (
        "sin(input, *, out=None) -> Tensor\n\n"
        "The sine of each element, an angle in radians.\n\n"
        "Shape and dtype: The shape of the input. Bool and integers are converted to the default float dtype first.\n\n"
        "    y = sin(x)\n"
        "    gradient of input = g * cos(x)\n"
        "    where x is input, g is the gradient of y\n\n"
        "    >>> torch.sin(torch.tensor([0., 1., 2.]))\n"
        "    tensor([0.0000, 0.8415, 0.9093])"
    )
    assert chainrule.Tensor.sin_.__doc__.startswith("sin_(input)")
    assert "The same as asin." in chainrule.arcsin.__doc__
    assert "gradient of condition" not in chainrule.where.__doc__
    assert "The result is bool." in chainrule.gt.__doc__
    assert "not differentiable" in chainrule.gcd.__doc__


INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
FLOATING = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATING, *COMPLEX]
GROUPS = {
    "bool": {"bool"},
    "integers": set(INTEGERS),
    "floating dtypes": set(FLOATING),
    "float16": {"float16"},
    "bfloat16": {"bfloat16"},
    "complex numbers": set(COMPLEX),
}


def result_dtype(row: dict, dtype: str) -> str | None:
    """The dtype of the op's result for ones of `dtype`, or None where it refuses them."""
    kinds = {name: "bool" if name == "condition" else dtype for name in row["inputs"]}
    inputs = [chainrule.ones(1, dtype=getattr(chainrule, kind)) for kind in kinds.values()]
    arguments = [1, *inputs] if row["name"] == "polygamma" else inputs
    if row["name"] == "threshold":
        arguments += [0.5, 0.0]
    try:
        return repr(_core.functions[row["name"]](*arguments).dtype).removeprefix("torch.")
    except (NotImplementedError, RuntimeError, TypeError):
        return None


@pytest.mark.parametrize("row", [r for r in _core.op_table() if r["name"] in _core.functions], ids=lambda r: r["name"])
def test_dtype_sentence_of_docstring_is_true(row: dict) -> None:
    """What the docstring says is refused is refused, and what is taken gives the dtype that it says."""
    text = " ".join(_core.functions[row["name"]].__doc__.split())
    results = {dtype: result_dtype(row, dtype) for dtype in DTYPES}
    assert any(results.values())
    refused = re.search(r"Refuses ([^.]*)\.", text)
    for group in refused[1].split(", ") if refused else ():
        assert not {d for d in GROUPS[group] if results[d]}, group
    taken = {d: r for d, r in results.items() if r}
    assert taken == {d: told_dtype(text, d) for d in taken}


def told_dtype(text: str, dtype: str) -> str:
    """The dtype of the result as the docstring tells it."""
    if "The result is bool." in text:
        return "bool"
    if "a real number" in text and dtype in COMPLEX:
        return {"complex64": "float32", "complex128": "float64"}[dtype]
    if "bool becomes int64" in text and dtype == "bool":
        return "int64"
    converted = "converted to the default float dtype" in text and dtype in ["bool", *INTEGERS]
    return "float32" if converted else dtype


def test_every_function_and_method_has_a_docstring() -> None:
    assert [name for name, function in _core.functions.items() if not function.__doc__] == []
    methods = {name for form, name, _ in _core.signatures() if form == "method"}
    assert [name for name in methods if not vars(chainrule.Tensor)[name].__doc__] == []
