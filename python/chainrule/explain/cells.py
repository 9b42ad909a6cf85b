"""Cells of a notebook and lines of a prompt: what a reader calls them, which have run, and how far."""

from __future__ import annotations

import ast
import linecache
import re
import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any

__all__ = ["Cell", "cells_of", "is_module_code", "named", "place_text", "watch_cells"]


@dataclass(frozen=True)
class Cell:
    """A cell that was run."""

    file: str  # what IPython compiled it as
    until: int | None  # the line that raised; None: it ran to its end


_TIMED = "<timed exec>"  # what IPython compiles the text of %%time as
_log: list[Cell] = []  # the cells that ran since chainrule was imported; those before have no tensors


def shell() -> Any:
    """The running IPython, or None."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None


def named(file: str) -> str | None:
    """`In[3]`, if the file is a cell."""
    running = shell()
    known = running.compile.format_code_name(file) if running is not None else None
    return known[1] if known else None


def place_text(file: str, number: int) -> str:
    """`In[3], line 2` of a cell, `train.py:2` of a file."""
    cell = named(file)
    return f"{cell}, line {number}" if cell else f"{file}:{number}"


def renamed(text: str) -> str:
    """A text of the core, in which cells have the names of their files, with the names that readers know."""
    running = shell()
    if running is not None and _TIMED in text and running.history_manager.input_hist_raw[-1].startswith("%%time"):
        place = f"{_running_cell()}, line "
        text = re.sub(rf"{_TIMED}:(\d+)", lambda found: f"{place}{int(found[1]) + 1}", text)  # below the %%time
    for file in getattr(running.compile, "_filename_map", ()) if running is not None else ():
        if file in text:
            text = re.sub(re.escape(file) + r":(\d+)(, in <cell line: \d+>)?", rf"{named(file)}, line \1", text)
    return text


def _running_cell() -> str | None:
    """`In[3]`, if that is what runs: the innermost frame of a cell, on which the magics stand."""
    frame = sys._getframe()
    while frame is not None and named(frame.f_code.co_filename) is None:
        frame = frame.f_back
    return named(frame.f_code.co_filename) if frame is not None else None


def is_module_code(code: CodeType) -> bool:
    """Whether it is no function, but statements of a file, a cell or a prompt."""
    return code.co_name == "<module>" or code.co_name.startswith("<cell line")


def is_module_name(function: str) -> bool:
    return function == "<module>" or function.startswith("<cell line")


def cells_of(scope: dict[str, Any]) -> list[Cell]:
    """The cells that ran in a namespace, in their order, without the one that is running."""
    running = shell()
    if running is None or running.user_ns is not scope:
        return []
    kept = len(running.history_manager.input_hist_raw) - 2  # without an empty one and the running one
    known = _log[-kept:] if kept > 0 else []  # %reset forgets cells with their variables
    return [cell for cell in known if linecache.getlines(cell.file)]


def watch_cells() -> None:
    """From now on it is remembered which cells ran, and of those that raise how far they came."""
    running = shell()
    if running is not None and _ran not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", _ran)


def _ran(result: Any) -> None:
    running, raw, error = shell(), result.info.raw_cell, result.error_in_exec
    if not result.info.store_history or result.error_before_exec is not None:
        return
    code = running.transform_cell(raw)
    file = running.compile.get_code_name(raw, code, result.execution_count)
    trace, line = None if error is None else error.__traceback__, 0
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file and not line else line
        trace = trace.tb_next
    if named(file):
        _log.append(Cell(file, line or None))
        _tell_linecache(file, code, _as_it_ran(raw, code))


def _as_it_ran(raw: str, code: str) -> str:
    """The statements of a cell, of which IPython makes strings where %time or %%time stands before them."""
    magic, _, below = raw.partition("\n")
    if re.match(r"%%(time|capture|prun)\b", magic):
        return f"# {magic}\n{below}"
    timed = r"get_ipython\(\)\.run_line_magic\('time', (.*)\)$"
    return re.sub(timed, lambda found: str(ast.literal_eval(found[1])), code, flags=re.MULTILINE)


def _tell_linecache(file: str, code: str, text: str) -> None:
    if text == code:
        return
    for cache in (linecache.cache, getattr(linecache, "_ipython_cache", {})):  # IPython keeps its cells beside it
        if file in cache:
            cache[file] = (len(text), None, text.splitlines(True), file)
