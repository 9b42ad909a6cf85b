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
from .recording import recording
from .story import Explanation, explain

__all__ = ["Witness", "explain_script"]

# Explaining may take this many seconds, and beyond them this share of the script's time.
_SECONDS, _SHARE = 5.0, 0.5


class Witness:
    """Explains each backward() as it happens, as often as time allows: afterwards the numbers are overwritten."""

    def __init__(self) -> None:
        self.count = 0  # backward passes so far
        self.explained = 0  # the one that the texts below are of
        self.text, self.page = "", ""
        self._started, self._spent = time.perf_counter(), 0.0
        self._colour = sys.stdout.isatty()
        self._recording: recording | None = None

    def __enter__(self) -> Witness:
        from .. import autograd

        self._methods = Tensor.backward, autograd.backward
        Tensor.backward = self._before(Tensor.backward)
        autograd.backward = self._before(autograd.backward)
        self._record(True)
        return self

    def __exit__(self, *exception: Any) -> None:
        from .. import autograd

        Tensor.backward, autograd.backward = self._methods
        self._record(False)

    def _record(self, on: bool) -> None:
        """Values and times are kept up to the next backward() if there is time to explain that."""
        if self._recording is not None:
            self._recording.__exit__()
        self._recording = recording().__enter__() if on and recording.running is None else None

    def _has_time(self) -> bool:
        return self._spent <= max(_SECONDS, _SHARE * (time.perf_counter() - self._started))

    def _before(self, backward: Callable) -> Callable:
        @functools.wraps(backward)
        def watched(first: Any, *args: Any, **kwargs: Any) -> Any:
            root = first if isinstance(first, Tensor) else first[0]
            self.count += 1
            if self._recording is not None:
                now = time.perf_counter()
                self._look(root)
                self._spent += time.perf_counter() - now
            self._record(False)
            try:
                return backward(first, *args, **kwargs)
            finally:
                self._record(self._has_time())

        return watched

    def _look(self, root: Tensor) -> None:
        if not root.requires_grad or root.grad_fn is None:
            return  # backward() will say what is wrong
        found: Explanation = explain(root)
        if not found.graph.released:
            self.text, self.page, self.explained = found.text(self._colour), found.to_html(), self.count

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
        code = run(script, arguments)
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
