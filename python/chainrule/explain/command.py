"""`chainrule explain script.py`: runs a script, explains its last backward(), and writes or serves the page."""

from __future__ import annotations

import functools
import http.server
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._core import Tensor
from .moment import Moment, can_be_kept
from .recording import recording
from .story import explain

__all__ = ["Witness", "explain_script"]

# Keeping moments may take this many seconds, and beyond them this share of the script's time.
_SECONDS, _SHARE = 5.0, 0.5
_ENDING = 4  # copies of the process that may be on their way out


class Witness:
    """Keeps the moment before each backward(), and explains the last one: by then its numbers are overwritten."""

    def __init__(self) -> None:
        self.count = 0  # backward passes so far
        self.explained = 0  # the one that the texts below are of
        self.text, self.page = "", ""
        self._started, self._spent = time.process_time(), 0.0
        self._colour = sys.stdout.isatty()
        self._recording = recording()
        self._moment: Moment | None = None
        self._kept = 0  # the backward pass that the moment is of
        self._dropped: list[Moment] = []

    def __enter__(self) -> Witness:
        from .. import autograd

        self._methods = Tensor.backward, autograd.backward
        Tensor.backward = self._before(Tensor.backward)
        autograd.backward = self._before(autograd.backward)
        self._recording.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        from .. import autograd

        Tensor.backward, autograd.backward = self._methods
        self._recording.__exit__()
        self._recording.clear()
        if self._moment is not None:
            self._take(self._moment.ask(), self._kept)
            self._dropped.append(self._moment)
            self._moment = None
        for moment in self._dropped:
            moment.wait()

    def _before(self, backward: Callable) -> Callable:
        @functools.wraps(backward)
        def watched(first: Any, *args: Any, **kwargs: Any) -> Any:
            root = first if isinstance(first, Tensor) else first[0]
            self.count += 1
            now = time.process_time()
            has_time = self._spent <= max(_SECONDS, _SHARE * (now - self._started))
            if has_time and root.requires_grad and root.grad_fn is not None:  # else backward() will say what is wrong
                self._keep(lambda: self._explained(root))
                self._spent += time.process_time() - now
            with self._recording.paused():
                result = backward(first, *args, **kwargs)
            self._recording.clear()
            return result

        return watched

    def _keep(self, task: Callable[[], list[str]]) -> None:
        if not can_be_kept():
            return self._take(task(), self.count)
        before, self._moment, self._kept = self._moment, Moment(task), self.count
        if before is not None:
            before.drop()
            self._dropped.append(before)
        while len(self._dropped) > _ENDING:
            self._dropped.pop(0).wait()

    def _explained(self, root: Tensor) -> list[str]:
        found = explain(root)
        return [found.text(self._colour), found.to_html()]

    def _take(self, answer: list[str] | None, number: int) -> None:
        if answer is not None:
            (self.text, self.page), self.explained = answer, number

    @property
    def head(self) -> str:
        if not self.explained:
            return "chainrule: the script called no backward() that could be explained"
        return f"backward() number {self.explained} of {self.count}"


def explain_script(
    run: Callable[[str, Sequence[str]], int],
    script: str,
    arguments: Sequence[str] = (),
    html: str | None = None,
    serve: bool = False,
) -> int:
    """Runs a script by `run(script, arguments)`, then explains; gives the exit code."""
    with Witness() as witness:
        try:
            code = run(script, arguments)
        except SystemExit as end:  # the script's own
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    print(witness.head, witness.text, sep="\n")
    if not witness.explained:
        return code or 1
    if serve:
        serve_page(witness.page)
        return code
    path = Path(html or f"{Path(script).stem}_explained.html")
    path.write_text(witness.page)
    print(f"\nThe page: {path}")
    return code


def make_server(page: str, port: int = 0) -> http.server.HTTPServer:
    """A server of one page, reachable from this machine only."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path in ("/", "/index.html")
            content = page.encode() if found else b"not found"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8" if found else "text/plain")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return http.server.HTTPServer(("127.0.0.1", port), Handler)


def serve_page(page: str) -> None:
    """Serves the page until Ctrl-C."""
    with make_server(page) as server:
        print(f"\nThe page: http://127.0.0.1:{server.server_port}/   (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
