"""The JSON forms follow docs/explain.schema.json, and the document names its fields."""

import json
from pathlib import Path

import pytest

import chainrule
from chainrule import nn

DOCS = Path(__file__).parents[1] / "docs"
SCHEMA = json.loads((DOCS / "explain.schema.json").read_text())
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_of(kind: str, value) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def problems(value, schema: dict, where: str = "$") -> list[str]:
    """What is wrong with a value, for the part of JSON Schema that ours uses."""
    if "$ref" in schema:
        return problems(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], where)
    if "anyOf" in schema:
        found = [problems(value, one, where) for one in schema["anyOf"]]
        return [] if [] in found else found[0]
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return [f"{where}: {value!r}"]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(kind, value) for kind in kinds):
        return [f"{where}: {value!r} is no {kinds}"]
    found = []
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        found += [f"{where}.{key} is missing" for key in schema["required"] if key not in value]
        found += [f"{where}.{key} is not in the schema" for key in value if key not in known]
        for key in known.keys() & value.keys():
            found += problems(value[key], known[key], f"{where}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += problems(item, schema["items"], f"{where}[{i}]")
    return found


def scalars():
    x = chainrule.tensor(2.0, requires_grad=True)
    return x**2 + x


def network():
    chainrule.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))
    return nn.functional.cross_entropy(net(chainrule.randn(2, 1, 8, 8)), chainrule.tensor([0, 2]))


def odd_ones():
    z = chainrule.tensor([1 + 2j, float("nan")], requires_grad=True)
    a, b = z.abs().split(1)
    return (a * 2).sum() + b.sum()


def freed():
    loss = network()
    loss.backward()
    return loss


@pytest.mark.parametrize("program", [scalars, network, odd_ones, freed])
def test_documents_follow_the_schema(program):
    loss = program()
    e = chainrule.explain(loss)
    assert problems(json.loads(chainrule.explain.graph(loss).to_json()), SCHEMA) == []
    document = json.loads(e.to_json())
    assert problems(document, SCHEMA) == []
    assert document.keys() == SCHEMA["properties"].keys()
    with chainrule.explain.recording():
        loss = program()
        assert problems(json.loads(chainrule.explain(loss).to_json()), SCHEMA) == []


def test_a_wrong_document_is_found():
    document = json.loads(chainrule.explain(scalars()).to_json())
    document["nodes"][0]["index"] = "0"
    document["edges"][0]["extra"] = 1
    del document["forward"][0]["value"]
    assert len(problems(document, SCHEMA)) == 3


def test_the_page_about_it_names_every_field():
    text = (DOCS / "explain.md").read_text()
    table = text[text.index("follow this schema") :]
    fields = {key for part in (SCHEMA, *SCHEMA["$defs"].values()) for key in part["properties"]}
    assert [key for key in sorted(fields) if key not in table] == []
