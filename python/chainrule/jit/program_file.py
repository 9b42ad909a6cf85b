"""torch.jit.save and torch.jit.load: recorded programs in files of chainrule's own.

A file is one that torch.save writes, of a dict that torch.load reads with weights_only=True:

- "format": "chainrule program"; "version": 1; "kind": "module" or "function"; "name": of what was recorded;
- "arguments": the names of its arguments; "inputs": the numbers of the tensors among them, from left to right;
- "names": the numbers of parameters and buffers by their dotted names;
- "calls": a list of [operation, arguments, keyword arguments, numbers of the results, whether it gives several]; an
  operation is aten.add.Tensor, as torch.ops has it, or attribute.T, which is x.T;
- "outputs": what it returns;
- "parameters": name to tensor; "buffers": name to [tensor, whether it belongs to the state dict]; "constants": number
  to tensor; "training": the module's flag; "extra": the extra files.

In arguments and outputs a dict with one entry stands for what is no number, text or None: {"value": 3} is the tensor of
number 3, {"list": [...]}, {"tuple": [...]}, {"dict": {...}}, {"slice": [start, stop, step]}, {"dtype": "float32"},
{"device": "cpu"}, {"memory_format": "channels_last"}, {"layout": "strided"}, {"complex": [re, im]}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chainrule

from .._core import device, dtype, layout, memory_format
from ..nn.parameter import Parameter
from .program import Call, Program, Value
from .traced import ScriptFunction, TopLevelTracedModule, _members, traced_module

__all__ = ["load", "save"]

_FORMAT, _VERSION = "chainrule program", 1


def save(m: Any, f: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
    """Writes a recorded function or module to a file; `_extra_files` are texts that go with it."""
    if not isinstance(m, (ScriptFunction, TopLevelTracedModule)):
        raise RuntimeError(
            f"torch.jit.save: {type(m).__name__} is no recorded program; torch.jit.trace(model, inputs) makes one"
        )
    program = m.program
    members = _members(m) if isinstance(m, TopLevelTracedModule) else {}
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": "module" if isinstance(m, TopLevelTracedModule) else "function",
        "name": m.original_name if isinstance(m, TopLevelTracedModule) else m.name,
        "arguments": m.arguments.names,
        "inputs": program.inputs,
        "names": program.names,
        "calls": [[c.op, _plain(c.args), _plain(c.kwargs), list(c.results), c.is_tuple] for c in program.calls],
        "outputs": _plain(program.outputs),
        "parameters": {name: tensor for name, (tensor, _) in members.items() if isinstance(tensor, Parameter)},
        "buffers": {name: [t, kept] for name, (t, kept) in members.items() if not isinstance(t, Parameter)},
        "constants": program.constants,
        "training": bool(getattr(m, "training", False)),
        "extra": dict(_extra_files or {}),
    }
    chainrule.save(content, f)


def load(
    f: Any, map_location: Any = None, _extra_files: dict[str, Any] | None = None, _restore_shapes: bool = False
) -> Any:
    """Reads what torch.jit.save wrote; files of PyTorch's own programs are refused."""
    content = _content(f, map_location)
    calls = [
        Call(op, _read(args), _read(kwargs), tuple(results), is_tuple)
        for op, args, kwargs, results, is_tuple in content["calls"]
    ]
    program = Program(content["inputs"], content["names"], content["constants"], calls, _read(content["outputs"]))
    for name in _extra_files or {}:
        assert _extra_files is not None
        _extra_files[name] = content["extra"].get(name, _extra_files[name])
    if content["kind"] == "function":
        return ScriptFunction(program, content["arguments"], content["name"])
    members = {name: (tensor, True) for name, tensor in content["parameters"].items()}
    members |= {name: (tensor, kept) for name, (tensor, kept) in content["buffers"].items()}
    module = traced_module(program, content["arguments"], content["name"], members)
    module.training = content["training"]
    return module


def _content(f: Any, map_location: Any) -> dict[str, Any]:
    words = "torch.jit.load: no program that chainrule's torch.jit.save wrote; PyTorch's TorchScript is compiled code"
    try:
        content = chainrule.load(f, map_location=map_location, weights_only=True)
    except OSError:
        raise
    except Exception as error:
        raise RuntimeError(words) from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise RuntimeError(words)
    if content["version"] > _VERSION:
        raise RuntimeError(
            f"torch.jit.load: the file has version {content['version']}, this chainrule reads {_VERSION}"
        )
    return content


_NAMED = {"dtype": dtype, "memory_format": memory_format, "layout": layout}


def _plain(tree: Any) -> Any:
    """Arguments as the file has them."""
    if tree is None or type(tree) in (bool, int, float, str):
        return tree
    if isinstance(tree, Value):
        return {"value": tree.number}
    if isinstance(tree, dict):
        return {"dict": {key: _plain(each) for key, each in tree.items()}}
    if isinstance(tree, (list, tuple)):
        return {"list" if isinstance(tree, list) else "tuple": [_plain(each) for each in tree]}
    if isinstance(tree, slice):
        return {"slice": [_plain(each) for each in (tree.start, tree.stop, tree.step)]}
    if isinstance(tree, complex):
        return {"complex": [tree.real, tree.imag]}
    if isinstance(tree, device):
        return {"device": str(tree)}
    for name, kind in _NAMED.items():
        if isinstance(tree, kind):
            return {name: str(tree).removeprefix("torch.")}
    if hasattr(tree, "__index__"):
        return int(tree)
    raise RuntimeError(f"torch.jit.save: an argument of the recorded program cannot be written, {type(tree).__name__}")


def _read(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "value":
        return Value(content)
    if kind == "dict":
        return {key: _read(each) for key, each in content.items()}
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(_read(each) for each in content)
    if kind == "slice":
        return slice(*(_read(each) for each in content))
    if kind == "complex":
        return complex(*content)
    return device(content) if kind == "device" else getattr(chainrule, content)
