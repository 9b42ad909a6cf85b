"""Values that come later, as torch.futures."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from .error_words import at_call

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A value that somebody sets later, from any thread.

    Args:
        devices: where it lives; there is only the CPU.

    >>> future = torch.futures.Future()
    >>> future.set_result(3)
    >>> future.wait()
    3
    """

    def __init__(self, *, devices: Any = None) -> None:
        if devices:
            raise at_call(ValueError, f"Future: chainrule has no devices but the CPU, and got {devices}")
        self._future: concurrent.futures.Future = concurrent.futures.Future()
        self._sources: Iterable[Future] = ()  # those that this one waits for

    def _advance(self, until_done: bool) -> None:
        """Moves what the value comes from: what is under way between processes moves only while somebody asks."""
        for source in self._sources:
            source._advance(until_done)

    def done(self) -> bool:
        """Whether the value, or an exception, has been set."""
        self._advance(False)
        return self._future.done()

    def wait(self) -> T:
        """Waits for the value and gives it, or raises the exception."""
        self._advance(True)
        return self._future.result()

    def value(self) -> T:
        """The value, if it is there."""
        if not self.done():
            raise at_call(RuntimeError, "value() called on a future that is not done; wait() waits for it")
        return self._future.result()

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """A future of what the callback makes of this one."""
        result: Future[Any] = Future()
        result._sources = (self,)

        def call(_: Any) -> None:
            try:
                result.set_result(callback(self))
            except Exception as error:
                result.set_exception(error)

        self._future.add_done_callback(call)
        return result

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Calls the function with this future when it is done."""
        self._future.add_done_callback(lambda _: callback(self))

    def set_result(self, result: T) -> None:
        """Sets the value; once."""
        self._set(lambda: self._future.set_result(result))

    def set_exception(self, result: T) -> None:
        """Sets an exception, which those who wait will see."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._set(lambda: self._future.set_exception(result))

    @staticmethod
    def _set(call: Callable[[], None]) -> None:
        try:
            call()
        except concurrent.futures.InvalidStateError:
            raise at_call(RuntimeError, "Future can only be set once.") from None


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """A future that is done when all of these are; its value is their list.

    >>> future = torch.futures.Future()
    >>> future.set_result(3)
    >>> [done.value() for done in torch.futures.collect_all([future]).wait()]
    [3]
    """
    result: Future[list[Future]] = Future()
    if not futures:
        result.set_result([])
        return result
    result._sources = tuple(futures)
    left, lock = [len(futures)], threading.Lock()

    def one_more(_: Future) -> None:
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            result.set_result(futures)

    for future in futures:
        future.add_done_callback(one_more)
    return result


def wait_all(futures: Iterable[Future]) -> list:
    """Waits for all of them and gives their values; raises the first exception.

    >>> future = torch.futures.Future()
    >>> future.set_result(3)
    >>> torch.futures.wait_all([future])
    [3]
    """
    return [future.wait() for future in futures]
