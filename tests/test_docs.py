"""What the documents show is what happens: examples and their output, names of files and functions, include rules."""

import functools
import importlib.util
import io
import json
import os
import re
import statistics
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

import chainrule
from both import unless_sanitized
from chainrule import _core

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
WITH_PROGRAMS = (
    "README.md",
    "docs/start.md",
    "docs/pytorch.md",
    "docs/performance.md",
    "docs/recording.md",
    "docs/sparse.md",
)
DOCUMENTS = {name: (ROOT / name).read_text() for name in (*WITH_PROGRAMS, "docs/benchmarks.md")}
DOCUMENTS |= {"docs/architecture.md": ARCHITECTURE, "CONTRIBUTING.md": CONTRIBUTING}
EXAMPLES = {
    name: re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", DOCUMENTS[name], re.DOTALL)
    for name in WITH_PROGRAMS
}
PROGRAMS = [(name, number) for name, found in EXAMPLES.items() for number in range(len(found))]
CORE = {path: path.read_text() for path in (ROOT / "core").rglob("*") if path.suffix in (".cpp", ".hpp", ".def")}


def run(script: Path) -> str:
    """What a script prints, with its folder taken out of the lines it names."""
    result = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.replace(f"{script.parent}/", "")


def without_spacing(text: str) -> str:
    return re.sub(r"\s+", "", text)


# ---- Examples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("document", "number"), PROGRAMS)
def test_program_prints_what_it_says(document: str, number: int, tmp_path: Path) -> None:
    code, output = EXAMPLES[document][number]
    script = tmp_path / "train.py"
    script.write_text(code)
    assert run(script) == output


def test_every_program_is_tried() -> None:
    counts = {name: DOCUMENTS[name].count("```python") for name in WITH_PROGRAMS}
    assert counts == {name: len(found) for name, found in EXAMPLES.items()}
    assert list(counts.values()) == [1, 2, 4, 3, 3, 2]


def test_first_example_of_the_guide_is_the_demo() -> None:
    assert (ROOT / "examples" / "quickstart.py").read_text().endswith(EXAMPLES["docs/start.md"][0][0])


@pytest.mark.parametrize("document", ["docs/start.md", "docs/pytorch.md"])
def test_first_example_of_a_guide_prints_the_same_in_pytorch(document: str, tmp_path: Path) -> None:
    code, output = EXAMPLES[document][0]
    script = tmp_path / "train.py"
    script.write_text(code.replace("import chainrule as torch", "import torch").replace("from chainrule", "from torch"))
    assert run(script) == output


def test_gradients_of_the_readme_are_those_of_pytorch(tmp_path: Path) -> None:
    code, output = EXAMPLES["README.md"][0]
    theirs, explaining, nothing = code.partition("print(torch.explain(loss))")
    assert explaining
    assert not nothing.strip()
    script = tmp_path / "train.py"
    script.write_text(theirs.replace("import chainrule as torch", "import torch"))
    assert run(script) == output[: output.index("\n") + 1]


def test_tour() -> None:
    assert run(ROOT / "docs" / "tour.py") == (ROOT / "tests" / "golden" / "tour.txt").read_text()


# ---- Sizes, times and counts -----------------------------------------------------------------------------------------


def test_readme_is_short() -> None:
    assert README.count("\n") <= 200
    pictures = re.findall(r"docs/images/[\w.]+", README)
    assert len(pictures) == 3
    assert sum((ROOT / name).stat().st_size for name in pictures) < 250_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_picture_shows_the_example(scheme: str) -> None:
    """Pictures carry the program that they show; `python tools/pictures.py` takes them anew."""
    picture = (ROOT / "docs" / "images" / f"explain_readme_{scheme}.png").read_bytes()
    assert f"Program\0{EXAMPLES['README.md'][0][0]}".encode() in picture


def test_chart() -> None:
    chart = ElementTree.parse(ROOT / "docs" / "images" / "benchmarks.svg").getroot()
    bars = chart.findall("{http://www.w3.org/2000/svg}rect[@class='ours']")
    assert len(bars) == 12 + 1  # and one that says what the colour means
    right = [float(bar.get("x", 0)) + float(bar.get("width", 0)) for bar in bars]
    assert max(right) < float(chart.get("width", 0)) - 100  # room for the numbers


@pytest.mark.parametrize("document", [README, BENCHMARKS], ids=["README", "benchmarks"])
def test_there_is_a_place_for_the_benchmarks(document: str) -> None:
    begin, end = "<!-- benchmarks: written by make bench -->", "<!-- /benchmarks -->"
    assert document.count(begin) == document.count(end) == 1
    assert document.index(begin) < document.index(end)


def test_tables_and_chart_are_what_the_results_say() -> None:
    line = [sys.executable, ROOT / "benchmarks" / "table.py", "--check"]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    rows = re.findall(r"^\| (.+?) \| [\d.]+ \w+ \| .* \|$", README, re.MULTILINE)
    assert len(rows) == 12
    assert [row for row in rows if f"| {row} |" not in BENCHMARKS] == []


def test_page_of_benchmarks_tells_what_every_operation_takes() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "every_op.json").read_text())
    ratios = [row["ours"] / row["theirs"] for row in rows]
    text = " ".join(BENCHMARKS.split())
    assert f"with {len(rows)} differentiable operations" in text
    assert f"the median one takes 1/{1 / statistics.median(ratios):.0f} of PyTorch's time" in text
    assert max(ratios) < 1.05


def wheel_size(package: Path, *beside: Path) -> float:
    """In MB: a wheel is the package, compressed, with what an editable install keeps elsewhere."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in {*package.rglob("*"), *beside}:
            if path.is_file() and "__pycache__" not in path.parts:
                wheel.write(path, path.as_posix())
    return len(file.getvalue()) / 1e6


@unless_sanitized
def test_size_of_the_wheel() -> None:
    said = re.search(r"from a wheel of (\d+) MB", README)
    assert said
    assert round(wheel_size(Path(chainrule.__file__).parent, Path(chainrule._core.__file__))) == int(said[1])


def test_size_of_what_it_brings() -> None:
    said = re.search(r"one package, `scipy-openblas32` \((\d+) MB\)", README)
    assert said
    found = importlib.util.find_spec("scipy_openblas32")
    assert found
    assert found.origin
    assert round(wheel_size(Path(found.origin).parent)) == int(said[1])


@unless_sanitized
def test_time_of_the_import(tmp_path: Path) -> None:
    said = re.search(r"imports in less than (\d+) ms", README)
    assert said
    rows = json.loads((ROOT / "benchmarks" / "results" / "import_and_memory.json").read_text())
    (measured,) = (row["ours"] for row in rows if row["name"] == "import time")
    assert measured < int(said[1]) / 1e3
    # As installed: with compiled files. Time of the process alone, so that a busy machine does not matter.
    installed = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    code = "import time; start = time.process_time(); import chainrule; print(time.process_time() - start)"
    times = []
    for _ in range(6):
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=installed)
        times.append(float(child.stdout))
    assert min(times) < int(said[1]) / 1e3


def test_readme_counts_what_the_other_pages_count() -> None:
    text = " ".join(README.split())
    packages = (ROOT / "docs" / "packages.md").read_text()
    works = re.search(r"^(\d+ of \d+) work\.$", packages, re.MULTILINE)
    assert works
    assert f"**Packages**: {works[1]} that were tried work" in text
    named = re.search(r"among them ([\w, -]+) and ([\w-]+) \(", text)
    assert named
    tried = re.findall(r"^\| (\S+) \| \S+ \| works \|", packages, re.MULTILINE)
    assert set(named[1].split(", ")) | {named[2]} <= set(tried)

    coverage = (ROOT / "docs" / "coverage.md").read_text()
    passed = re.search(r"^\| float64 \| (\d+)/(\d+) \| (\d+)/(\d+) \|", coverage, re.MULTILINE)
    assert passed
    values, gradients = f"{passed[1]} of {passed[2]}", f"{passed[3]} of {passed[4]}"
    assert f"{values} give its values in float64 and {gradients} its gradients" in text

    faulty = len(list((ROOT / "tests" / "faulty_programs").glob("*.py")))
    sound = len(list((ROOT / "tests" / "sound_programs").glob("*.py")))
    explain = " ".join((ROOT / "docs" / "explain.md").read_text().split())
    theirs = re.search(r"names (\d+ of \d+), PyTorch (\d+)\.", explain)
    assert theirs
    assert theirs[1] == f"{faulty} of {faulty}"
    assert f"in {theirs[1]} [faulty programs](tests/faulty_programs), PyTorch in {theirs[2]}" in text
    assert f"accuses none of {sound} sound ones" in text


# ---- Names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", sorted(DOCUMENTS.keys() - {"docs/pytorch.md", "docs/performance.md"}))  # have none
def test_paths_exist(document: str) -> None:
    paths = re.findall(r"`((?:core|python|tests|docs|examples|benchmarks|tools|\.ci)/[\w./-]*)`", DOCUMENTS[document])
    assert paths
    assert [p for p in paths if not (ROOT / p).exists()] == []


@pytest.mark.parametrize(
    "document", ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))]
)
def test_links_lead_somewhere(document: str) -> None:
    """To a file or folder, and to a heading of it."""
    text = re.sub(r"```.*?```", "", (ROOT / document).read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    broken = []
    for link in filter(None, (a or b for a, b in links)):
        name, _, heading = link.partition("#")
        if name.startswith("reference/"):  # is made with the site, and tried there: test_site.py
            continue
        path = (ROOT / document).parent / name if name else ROOT / document
        if "://" not in link and not (path.exists() and (not heading or heading in headings(path))):
            broken.append(link)
    assert broken == []


def headings(path: Path) -> set[str]:
    """The anchors that a Markdown file has."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_exist(document: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = set(re.findall(r"(?:`|^|=\S+ )make ([a-z]+)", DOCUMENTS[document], re.MULTILINE))
    assert commands <= targets


WAY = ARCHITECTURE[ARCHITECTURE.index("## The way of") : ARCHITECTURE.index("## The table")]
HALVES = [re.findall(r"^\| `(core/[\w./]+)` \| `([\w()]+)` \| (.+) \|$", half, re.M) for half in WAY.split("Then the ")]


@functools.cache
def definitions(file: str) -> dict[str, str]:
    """The functions that a file defines, by name, with their bodies."""
    text = re.sub(r"//.*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'", "", (ROOT / file).read_text())
    found: dict[str, str] = {}
    for match in re.finditer(r"\b(operator\(\)|\w+)(?=\()", text):
        end = match.end() + len(bracketed(text, match.end()))
        body = re.match(r"\s*(?:const|noexcept|override|\s)*(?:-> [^;{}()]*)?\{", text[end:])
        if body and match[1] not in ("if", "for", "while", "switch", "catch", "constexpr"):
            found[match[1]] = found.get(match[1], "") + bracketed(text, end + body.end() - 1)
    return found


@pytest.mark.parametrize("rows", HALVES, ids=["forward", "backward"])
def test_functions_on_the_way_are_defined_in_their_files(rows: list[tuple[str, str, str]]) -> None:
    assert len(rows) > 8
    assert [(file, name) for file, name, _ in rows if name not in definitions(file)] == []


@pytest.mark.parametrize("rows", HALVES, ids=["forward", "backward"])
def test_functions_on_the_way_call_each_other(rows: list[tuple[str, str, str]]) -> None:
    """Each is called by one that stands above it, or by what that one calls."""
    files = {file for half in HALVES for file, _, _ in half}

    def called(functions: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """What they call in the files of the way; a file's own function is meant where it has one of that name."""
        found = set()
        for file, name in functions:
            for word in re.findall(r"\w+(?=[(<])", definitions(file)[name]):
                places = {file} if word in definitions(file) else files
                found |= {(place, word) for place in places if word in definitions(place)}
        return found

    for i, (file, name, what) in enumerate(rows[1:], 1):
        above = called({(file, name) for file, name, _ in rows[:i]})
        assert what.startswith("called through a pointer") or (file, name) in above | called(above), name


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
    mentioned = {name for text in CORE.values() for name in re.findall(r"see Note\s+(?://\s*)?\[([^\]]+)\]", text)}
    assert mentioned <= set(everywhere)
    assert set(re.findall(r"Note \[([^\]]+)\]", ARCHITECTURE)) == set(everywhere)
    assert len(everywhere) <= 15


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
    "autograd": {"autograd", "backends", "tensor"},
    "backends": {"backends", "tensor"},
    "ops": {"ops", "autograd", "backends", "tensor"},
    "bindings": {"bindings", "ops", "autograd", "backends", "tensor"},
}
EXCEPTIONS = {
    ("autograd", "ops/elementwise/accumulate.hpp"),
    ("backends/op_id.hpp", "ops/elementwise/elementwise.def"),
    ("backends/cpu/elementwise.isa.cpp", "ops/elementwise/elementwise.def"),
    ("backends/cpu/elementwise.isa.cpp", "ops/elementwise/attributes.hpp"),
    ("backends/cpu/elementwise.isa.cpp", "ops/elementwise/formulas.hpp"),
    ("backends/cpu/elementwise.isa.cpp", "ops/elementwise/read_line.hpp"),
    ("backends/cuda/lines.cpp", "ops/elementwise/elementwise.def"),
    ("backends/cuda/lines.cpp", "ops/elementwise/attributes.hpp"),
    ("backends/cuda/lines.cpp", "ops/elementwise/read_line.hpp"),
    ("tensor/storage.cpp", "backends/cpu/allocator.hpp"),
    ("tensor/storage.cpp", "backends/cuda/memory.hpp"),
    ("tensor/storage.cpp", "backends/guarded/memory.hpp"),
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


# Elements are read and written by backends alone.
ELEMENT_WORK = re.compile(r"\bcpu::|\bparallel_for\b|\bCR_DISPATCH\b|#include \"backends/cpu/")


def test_operations_leave_elements_to_backends() -> None:
    above = [path for path in CORE if path.relative_to(ROOT / "core").parts[0] in ("ops", "autograd")]
    assert [path.name for path in above if ELEMENT_WORK.search(CORE[path])] == []


TABLE = ROOT / "core" / "ops" / "elementwise" / "elementwise.def"


def test_no_other_file_lists_lines_of_the_table() -> None:
    """What belongs to an op stands on its line. Words in a string, and labels that fall through, are such lists."""
    ops = set(re.findall(r"^(?:OP|TEST)\((\w+)", CORE[TABLE], re.MULTILINE))
    assert len(ops) > 150
    lists = []
    for path, text in CORE.items():
        code = re.sub(r"//.*", "", text)
        strings = re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", code))
        lists += [(path.name, s) for s in strings if len(ops & set(s.split())) > 2]
        rows = re.findall(r"^ *\{(?:\"|OpId::)(\w+)", code, re.MULTILINE)
        if path.name not in DECIDE_FOR_THEMSELVES and len(ops & set(rows)) > 4:
            lists.append((path.name, " ".join(rows)))
    assert lists == []


# Which Python operator is which line, and what PyTorch refuses in which words.
DECIDE_FOR_THEMSELVES = {"operators.cpp", "refused_derivatives.cpp"}


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
    """core/tensor/checked_size.hpp: what makes a tensor, a shape or a buffer multiplies nothing but CheckedSize."""
    wrong = []
    for path, commented in CORE.items():
        if path.relative_to(ROOT / "core").parts[0] not in ("ops", "tensor"):
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
