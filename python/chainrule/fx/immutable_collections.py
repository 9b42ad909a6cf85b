"""Lists and dicts that cannot be changed: what a node's arguments are made of, so that its users stay known."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["immutable_dict", "immutable_list"]


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(
        f"{type(self).__name__!r} object does not support mutation. If you are attempting to modify the kwargs or args "
        "of a torch.fx.Node object,\ninstead create a new copy of it and assign the copy to the node:\n"
        "    new_args = ...  # copy and mutate args\n    node.args = new_args"
    )


class immutable_list(list):  # noqa: N801  (PyTorch's name)
    """A list that can be read and hashed."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple:
        return type(self), (tuple(self),)


class immutable_dict(dict):  # noqa: N801  (PyTorch's name)
    """A dict that can be read and hashed."""

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple:
        return type(self), (dict(self),)
