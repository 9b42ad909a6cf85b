"""A real Jupyter kernel that runs cells, and what it answers."""

from __future__ import annotations

import queue
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_client.manager import start_new_kernel

from program_forms import Program, cells

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Answer:
    """What a cell gave."""

    count: int = 0  # the number in In[...]
    printed: str = ""
    error: str = ""  # the exception's own words
    traceback: str = ""
    shown: list[dict[str, Any]] = field(default_factory=list)  # by MIME type

    @property
    def text(self) -> str:
        return f"{self.printed}{self.error}"


class Notebook:
    """Cells run one after another, as a reader of a notebook runs them; those of `beginning` before all others."""

    def __init__(self, *beginning: str) -> None:
        self._beginning = beginning
        self._start()

    def _start(self) -> None:
        self._manager, self._client = start_new_kernel(startup_timeout=120)
        for answer in self._ask(self._beginning):
            assert not answer.error

    def __enter__(self) -> Notebook:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def run(self, *codes: str) -> Answer:
        """Runs cells; what the last one gave."""
        return self.run_all(codes)[-1]

    def run_all(self, codes: Sequence[str]) -> list[Answer]:
        """Runs cells, also those after one that raised, as somebody does who goes on.

        On a crowded machine a message of Jupyter's sockets can get lost, and with it all that follow: then the kernel
        has nothing to do, and what it answered never comes. Another one is asked the same, once.
        """
        try:
            return self._ask(codes)
        except queue.Empty:
            self.__exit__()
            self._start()
            return self._ask(codes)

    def _ask(self, codes: Sequence[str]) -> list[Answer]:
        requests = [self._client.execute(code, stop_on_error=False) for code in codes]
        return [self._answer(request) for request in requests]

    def _answer(self, request: str) -> Answer:
        answer = Answer()
        while True:
            message = self._client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "execute_input":
                answer.count = content["execution_count"]
            elif kind == "stream":
                answer.printed += content["text"]
            elif kind in ("execute_result", "display_data"):
                answer.shown.append(content["data"])
            elif kind == "error":
                answer.error += f"{content['ename']}: {content['evalue']}"
                answer.traceback = _COLOUR.sub("", "\n".join(content["traceback"]))
            elif kind == "status" and content["execution_state"] == "idle":
                self._client.get_shell_msg(timeout=120)
                return answer

    def restart(self) -> None:
        self._manager.restart_kernel(now=True)
        self._client.wait_for_ready(timeout=120)


START = "import chainrule.torch_alias; chainrule.torch_alias.install()"
_FORGET = """%reset -f
import sys
for _name in ("last_type", "last_value", "last_traceback", "last_exc"):
    vars(sys).pop(_name, None)"""


def in_cells(notebook: Notebook, program: Program) -> tuple[str, str]:
    """Where the line that must be named is, and what chainrule answers; a traceback does not count."""
    parts, question = cells(program), program.field("ask")
    codes = [_FORGET, *(cell.text for cell in parts), f"print({question})" if question else ""]
    if program.field("under"):
        codes[0] += "\nimport chainrule\n_guard = chainrule.nan_guard()\n_guard.__enter__();"
        codes.insert(len(codes) - 1, "_guard.__exit__(None, None, None)")
    answers = notebook.run_all(codes)
    here = [f"In[{a.count}], line {c.here}" for a, c in zip(answers[1:], parts, strict=False) if c.here]
    return here[0] if here else "", "".join(answer.text for answer in answers[1:])
