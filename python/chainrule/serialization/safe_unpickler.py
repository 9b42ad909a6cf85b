"""A reader of pickles that cannot run code: it knows the opcodes that data needs, and a fixed list of names.

Python's own unpickler imports whatever a file names and calls it. This one imports nothing. A name is looked up in
allowed.py; what is called are the functions there, which check their arguments. Every length is compared with what is
left of the file before anything is made of it.
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from . import allowed

_OPCODES: dict[int, Callable[[SafeUnpickler], None]] = {}
_PYTHON_2 = {"__builtin__": "builtins", "copy_reg": "copyreg"}


def _opcode(*codes: bytes) -> Callable:
    def register(method: Callable[[SafeUnpickler], None]) -> Callable:
        for code in codes:
            _OPCODES[code[0]] = method
        return method

    return register


class UnsupportedGlobal(pickle.UnpicklingError):
    """A file names something that is not on the list."""


class SafeUnpickler:
    """Reads one pickle after another from a string of bytes.

    Args:
        data: the bytes.
        persistent_load: makes of a storage's description the storage.
        start: where to begin.
    """

    def __init__(self, data: bytes, persistent_load: Callable[[Any], Any], start: int = 0):
        self._data, self.position = data, start
        self._persistent_load = persistent_load
        self._stack: list[Any] = []
        self._marked: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._from_outside: Exception | None = None

    def load(self) -> Any:
        """The next object; anything that is wrong with it is an UnpicklingError."""
        self._stack, self._marked, self._memo = [], [], {}
        try:
            while True:
                code = self._read(1)[0]
                if code == pickle.STOP[0]:
                    return self._stack.pop()
                operation = _OPCODES.get(code)
                if operation is None:
                    raise pickle.UnpicklingError(f"Unsupported operand {code}: no file with tensors needs it")
                operation(self)
        except (pickle.UnpicklingError, MemoryError):
            raise
        except Exception as error:  # the damage may show anywhere
            if error is self._from_outside:
                raise
            text = str(error)[:500]
            raise pickle.UnpicklingError(f"at byte {self.position}: {text} ({type(error).__name__})") from error

    # ---- bytes

    def _read(self, count: int) -> bytes:
        end = self.position + count
        if count < 0 or end > len(self._data):
            raise pickle.UnpicklingError(
                f"pickle data was truncated: {count} bytes at {self.position} of {len(self._data)}"
            )
        part = self._data[self.position : end]
        self.position = end
        return part

    def _number(self, size: int) -> int:
        return int.from_bytes(self._read(size), "little")

    def _line(self) -> str:
        end = self._data.find(b"\n", self.position)
        if end < 0:
            raise pickle.UnpicklingError("pickle data was truncated in a name")
        text = self._read(end - self.position).decode()
        self.position += 1
        return text

    def _to_mark(self) -> list[Any]:
        items, self._stack = self._stack, self._marked.pop()
        return items

    # ---- constants

    @_opcode(pickle.PROTO)
    def _protocol(self) -> None:
        version = self._number(1)
        if version > pickle.HIGHEST_PROTOCOL:
            raise pickle.UnpicklingError(f"unsupported pickle protocol: {version}")

    @_opcode(pickle.FRAME)
    def _frame(self) -> None:
        self._number(8)

    @_opcode(pickle.NONE)
    def _none(self) -> None:
        self._stack.append(None)

    @_opcode(pickle.NEWTRUE)
    def _true(self) -> None:
        self._stack.append(True)

    @_opcode(pickle.NEWFALSE)
    def _false(self) -> None:
        self._stack.append(False)

    @_opcode(pickle.BININT)
    def _int4(self) -> None:
        self._stack.append(int.from_bytes(self._read(4), "little", signed=True))

    @_opcode(pickle.BININT1)
    def _int1(self) -> None:
        self._stack.append(self._number(1))

    @_opcode(pickle.BININT2)
    def _int2(self) -> None:
        self._stack.append(self._number(2))

    @_opcode(pickle.LONG1)
    def _long1(self) -> None:
        self._stack.append(int.from_bytes(self._read(self._number(1)), "little", signed=True))

    @_opcode(pickle.LONG4)
    def _long4(self) -> None:
        self._stack.append(int.from_bytes(self._read(self._number(4)), "little", signed=True))

    @_opcode(pickle.BINFLOAT)
    def _float(self) -> None:
        self._stack.append(struct.unpack(">d", self._read(8))[0])

    @_opcode(pickle.SHORT_BINUNICODE)
    def _text1(self) -> None:
        self._stack.append(self._read(self._number(1)).decode("utf-8", "surrogatepass"))

    @_opcode(pickle.BINUNICODE)
    def _text4(self) -> None:
        self._stack.append(self._read(self._number(4)).decode("utf-8", "surrogatepass"))

    @_opcode(pickle.BINUNICODE8)
    def _text8(self) -> None:
        self._stack.append(self._read(self._number(8)).decode("utf-8", "surrogatepass"))

    @_opcode(pickle.SHORT_BINSTRING)
    def _python_2_text1(self) -> None:
        self._stack.append(self._read(self._number(1)).decode())

    @_opcode(pickle.BINSTRING)
    def _python_2_text4(self) -> None:
        self._stack.append(self._read(self._number(4)).decode())

    @_opcode(pickle.SHORT_BINBYTES)
    def _bytes1(self) -> None:
        self._stack.append(self._read(self._number(1)))

    @_opcode(pickle.BINBYTES)
    def _bytes4(self) -> None:
        self._stack.append(self._read(self._number(4)))

    @_opcode(pickle.BINBYTES8)
    def _bytes8(self) -> None:
        self._stack.append(self._read(self._number(8)))

    @_opcode(pickle.BYTEARRAY8)
    def _bytearray8(self) -> None:
        self._stack.append(bytearray(self._read(self._number(8))))

    # ---- containers

    @_opcode(pickle.MARK)
    def _mark(self) -> None:
        self._marked.append(self._stack)
        self._stack = []

    @_opcode(pickle.POP)
    def _pop(self) -> None:
        if self._stack:
            self._stack.pop()
        else:
            self._to_mark()

    @_opcode(pickle.POP_MARK)
    def _pop_to_mark(self) -> None:
        self._to_mark()

    @_opcode(pickle.EMPTY_TUPLE)
    def _empty_tuple(self) -> None:
        self._stack.append(())

    @_opcode(pickle.EMPTY_LIST)
    def _empty_list(self) -> None:
        self._stack.append([])

    @_opcode(pickle.EMPTY_DICT)
    def _empty_dict(self) -> None:
        self._stack.append({})

    @_opcode(pickle.EMPTY_SET)
    def _empty_set(self) -> None:
        self._stack.append(set())

    @_opcode(pickle.TUPLE)
    def _tuple(self) -> None:
        items = tuple(self._to_mark())
        self._stack.append(items)

    @_opcode(pickle.TUPLE1)
    def _tuple1(self) -> None:
        self._stack[-1:] = [(self._stack[-1],)]

    @_opcode(pickle.TUPLE2)
    def _tuple2(self) -> None:
        self._stack[-2:] = [(self._stack[-2], self._stack[-1])]

    @_opcode(pickle.TUPLE3)
    def _tuple3(self) -> None:
        self._stack[-3:] = [(self._stack[-3], self._stack[-2], self._stack[-1])]

    @_opcode(pickle.APPEND)
    def _append(self) -> None:
        self._extend([self._stack.pop()])

    @_opcode(pickle.APPENDS)
    def _appends(self) -> None:
        self._extend(self._to_mark())

    def _extend(self, items: list[Any]) -> None:
        if type(self._stack[-1]) is not list:
            raise pickle.UnpicklingError(f"Can only append to lists, but got {_shown(type(self._stack[-1]))}")
        self._stack[-1].extend(items)

    @_opcode(pickle.SETITEM)
    def _set_item(self) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._set([key, value], "SETITEM")

    @_opcode(pickle.SETITEMS)
    def _set_items(self) -> None:
        self._set(self._to_mark(), "SETITEMS")

    def _set(self, items: list[Any], opcode: str) -> None:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise pickle.UnpicklingError(
                f"Can only {opcode} for dict, collections.OrderedDict, collections.Counter, but got "
                f"{_shown(type(target))}"
            )
        if len(items) % 2:
            raise ValueError("a key has no value")
        for i in range(0, len(items), 2):
            target[allowed.checked_key(items[i])] = items[i + 1]

    @_opcode(pickle.ADDITEMS)
    def _add_items(self) -> None:
        items = self._to_mark()
        if type(self._stack[-1]) is not set:
            raise TypeError(f"Can only add to sets, but got {type(self._stack[-1]).__name__}")
        self._stack[-1].update(allowed.checked_key(item) for item in items)

    # ---- the memo

    @_opcode(pickle.BINPUT)
    def _put1(self) -> None:
        self._memo[self._number(1)] = self._stack[-1]

    @_opcode(pickle.LONG_BINPUT)
    def _put4(self) -> None:
        self._memo[self._number(4)] = self._stack[-1]

    @_opcode(pickle.MEMOIZE)
    def _memoize(self) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    @_opcode(pickle.BINGET)
    def _get1(self) -> None:
        self._stack.append(self._memo[self._number(1)])

    @_opcode(pickle.LONG_BINGET)
    def _get4(self) -> None:
        self._stack.append(self._memo[self._number(4)])

    # ---- objects

    @_opcode(pickle.GLOBAL)
    def _global(self) -> None:
        module, name = self._line(), self._line()
        self._stack.append(found(module, name))

    @_opcode(pickle.STACK_GLOBAL)
    def _stack_global(self) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        if type(name) is not str or type(module) is not str:
            raise TypeError("a name is not a text")
        self._stack.append(found(module, name))

    @_opcode(pickle.REDUCE)
    def _reduce(self) -> None:
        arguments, function = self._stack.pop(), self._stack.pop()
        if type(arguments) is not tuple:
            raise TypeError("arguments are not a tuple")
        constructor = allowed.CONSTRUCTOR.get(id(function))
        if constructor is None and allowed.is_allowed_by_user(function):
            constructor = function
        if constructor is None:
            owner = getattr(function, "__self__", None) if callable(function) else None
            belongs = "" if owner is None else f" which belongs to {_shown(owner)}"
            raise pickle.UnpicklingError(f"Trying to call reduce for unrecognized function {_shown(function)}{belongs}")
        self._stack.append(constructor(*arguments))

    @_opcode(pickle.NEWOBJ)
    def _new_object(self) -> None:
        arguments, kind = self._stack.pop(), self._stack.pop()
        self._new(kind, arguments, {})

    @_opcode(pickle.NEWOBJ_EX)
    def _new_object_ex(self) -> None:
        named, arguments, kind = self._stack.pop(), self._stack.pop(), self._stack.pop()
        self._new(kind, arguments, named)

    def _new(self, kind: Any, arguments: Any, named: Any) -> None:
        if type(arguments) is not tuple or type(named) is not dict:
            raise TypeError("arguments are not a tuple and a dict")
        if kind is OrderedDict or kind is Counter:
            self._stack.append(allowed.CONSTRUCTOR[id(kind)](*arguments, **named))
        elif isinstance(kind, type) and allowed.is_allowed_by_user(kind):
            self._stack.append(kind.__new__(kind, *arguments, **named))
        else:
            raise pickle.UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got "
                f"{_shown(kind)}"
            )

    @_opcode(pickle.BUILD)
    def _build(self) -> None:
        state, target = self._stack.pop(), self._stack[-1]
        if type(target) is OrderedDict:  # a state dict keeps its versions in an attribute
            target.__dict__.update(allowed.attributes(state))
        elif not allowed.is_allowed_by_user(type(target)):
            raise pickle.UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{_shown(type(target))}"
            )
        elif hasattr(target, "__setstate__"):
            target.__setstate__(state)
        else:
            state, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
            target.__dict__.update(allowed.attributes(state)) if state else None
            for name, value in allowed.attributes(slots).items():
                setattr(target, name, value)

    @_opcode(pickle.BINPERSID)
    def _persistent_id(self) -> None:
        description = self._stack.pop()
        try:
            storage = self._persistent_load(description)
        except Exception as error:  # about the archive or the device, with its own words
            self._from_outside = error
            raise
        self._stack.append(storage)


_BLOCKED = ("sys", "os", "posix", "nt")  # whatever the user allows


def found(module: str, name: str) -> Any:
    """What is on the list under this name."""
    full = _full_name(module, name)
    if module in _BLOCKED:
        raise pickle.UnpicklingError(
            f"Trying to load unsupported GLOBAL {_shown(full)} whose module {module} is blocked."
        )
    if full in allowed.NAMES:
        return allowed.NAMES[full]
    try:
        return allowed.user_allowed(full)
    except KeyError:
        shown = _shown(full.removeprefix("builtins."))
        raise UnsupportedGlobal(
            f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{shown}])` or the `torch.serialization.safe_globals([{shown}])` "
            "context manager to allowlist this global if you trust this class/function."
        ) from None


def _shown(value: Any) -> str:
    """A name for messages; a file may hold any text and any nesting."""
    if isinstance(value, type):
        value = f"<class '{value.__qualname__ if value.__module__ == 'builtins' else _path(value)}'>"
    text = value if isinstance(value, str) else getattr(value, "__name__", type(value).__name__)
    return text if len(text) <= 200 and text.isprintable() else ascii(text[:200])


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def names_in(data: bytes) -> set[str]:
    """The names that a pickle uses, whether they are on the list or not; nothing is called."""
    import pickletools

    names: set[str] = set()
    texts: list[str] = [""]  # as they come on the stack
    memo: dict[int, str] = {}
    for operation, argument, _ in pickletools.genops(data):
        if operation.name == "GLOBAL":
            names.add(_full_name(*str(argument).split(" ", 1)))
        elif operation.name == "STACK_GLOBAL":
            names.add(_full_name(*texts[-2:]))
        elif operation.name in ("MEMOIZE", "BINPUT", "LONG_BINPUT"):
            memo[len(memo) if argument is None else int(argument)] = texts[-1]
        elif operation.name in ("BINGET", "LONG_BINGET") and isinstance(argument, int):
            texts.append(memo[argument])
        elif operation.stack_after and operation.name != "MARK":
            texts.append(argument if isinstance(argument, str) else "")
    return names


def _full_name(module: str, name: str) -> str:
    return f"{_PYTHON_2.get(module, module)}.{name}"
