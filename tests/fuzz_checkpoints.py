"""Loads mutated checkpoint files: fuzz_checkpoints.py SEED COUNT. A crash is seen by the process's signal.

Each file must give an error of a documented class, or the right tensors. Half of the mutations hit the file as a whole;
the others hit the pickle inside and mend the checksums, so that the reader of pickles gets to see them: there the
tensors may differ, but only what belongs to tensors may come out, and nothing may be imported, run or opened.
"""

from __future__ import annotations

import collections
import io
import os
import pickle
import random
import resource
import sys
import warnings
import zipfile

import torch

import chainrule

DOCUMENTED = (pickle.UnpicklingError, RuntimeError, EOFError)
PLAIN = (
    *(str, bytes, bytearray, int, float, complex, bool, type(None), list, tuple, dict, set),
    *(collections.OrderedDict, collections.Counter, chainrule.Tensor, chainrule.nn.Parameter, chainrule.Size),
    *(chainrule.dtype, chainrule.device, chainrule.layout, chainrule.TypedStorage),
)
HOSTILE = [
    b"cos\nsystem\n",
    b"cbuiltins\neval\n",
    b"ctorch.hub\nload\n",
    b"R",
    b"b",
    b"\x81",
    b"Q",
    b"\x8e" + b"\xff" * 8,
]


def contents(library) -> dict:
    """Something of everything that a checkpoint holds."""
    base = library.arange(12.0).reshape(3, 4)
    noted = library.ones(2)
    noted.note = "kept"
    return {
        "state": library.nn.Linear(3, 2).state_dict(),
        "views": [base, base[1:], base.t()],
        "parameter": library.nn.Parameter(library.ones(2, dtype=library.float64)),
        "noted": noted,
        "odd": [library.zeros(0, 3), library.ones(1).expand(4), library.tensor([1 + 2j]).conj()],
        "kinds": [library.float16, library.Size([1, 2]), library.device("cpu"), library.strided],
        "plain": [1, -(2**70), 2.5, None, True, "text", b"bytes", bytearray(b"x"), {1, 2}, 3j, (1,) * 5],
        "counted": collections.Counter("aab"),
        "layout": library.empty(2, 3, device="meta"),
    }


def saved(library, **options) -> bytes:
    library.manual_seed(0)
    file = io.BytesIO()
    library.save(contents(library), file, **options)
    return file.getvalue()


def originals() -> list[bytes]:
    return [
        saved(torch),
        saved(chainrule),
        saved(chainrule, pickle_protocol=5),
        saved(torch, _use_new_zipfile_serialization=False),
    ]


def shown(value) -> str:
    """The value as text, to be compared."""
    if isinstance(value, chainrule.Tensor):
        elements = "without elements" if value.is_meta else value.tolist()
        return f"{type(value).__name__}{tuple(value.shape)}{value.dtype}{value.stride()}{elements}{value.__dict__}"
    if isinstance(value, dict):
        return f"{type(value).__name__}{{{', '.join(f'{key!r}: {shown(item)}' for key, item in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}[{', '.join(map(shown, value))}]"
    return repr(value)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with one to four changes: flipped, overwritten, cut, doubled, moved, or with hostile codes in them."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at = chance.randrange(len(changed) or 1)
        length = chance.choice([1, 1, 2, 4, 8, 64, 500])
        kind = chance.randrange(8)
        if kind == 0 and changed:
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and changed:
            changed[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif kind == 2:
            changed[at : at + length] = bytes(chance.choices([0, 0xFF, 0x7F, chance.randrange(256)], k=length))
        elif kind == 3:
            del changed[at : at + length]
        elif kind == 4:
            changed[at:at] = changed[at : at + length]
        elif kind == 5:
            to = chance.randrange(len(changed) or 1)
            changed[at : at + length] = changed[to : to + length]
        elif kind == 6 and chance.random() < 0.3:
            del changed[at:]
        else:
            changed[at:at] = chance.choice(HOSTILE)
    return bytes(changed)


def rewritten(data: bytes, change) -> bytes:
    """The archive with change(name, bytes) for each record, and right checksums."""
    old, file = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return file.getvalue()


def with_mutated_pickle(data: bytes, chance: random.Random) -> bytes:
    return rewritten(data, lambda name, text: mutated(text, chance) if name.endswith("data.pkl") else text)


def looked_through(value) -> None:
    """Every part is of a class that files may contain, and every tensor can be read to its last element."""
    left, seen = [value], set()
    while left:
        part = left.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, chainrule.Tensor):
            if part.numel() < 1_000_000:
                part.detach().clone()
            left += part.__dict__.values()
        elif isinstance(part, dict):
            left += [*part.keys(), *part.values(), *getattr(part, "__dict__", {}).values()]
        elif isinstance(part, (list, tuple, set)):
            left += part
        elif not isinstance(part, PLAIN) and part not in (chainrule.serialization.allowed.NAMES.values()):
            raise AssertionError(f"{type(part)} came out of a checkpoint")


class Watch:
    """Fails the run if anything is imported, opened, compiled or started while it is on."""

    on = False
    events = ("import", "open", "exec", "compile", "os.", "subprocess.", "socket.", "ctypes.", "marshal.")

    def __call__(self, event: str, arguments: tuple) -> None:
        if self.on and event.startswith(self.events):
            self.on = False
            raise AssertionError(f"loading a checkpoint led to {event} {arguments!r:.200}")


def main(seed: int, count: int) -> None:
    chance, watch, files = random.Random(seed), Watch(), originals()
    right = [shown(chainrule.load(io.BytesIO(data))) for data in files]  # also imports what loading needs
    sys.addaudithook(watch)
    outcomes = collections.Counter()
    for number in range(count):
        which = chance.randrange(len(files))
        inside = chance.random() < 0.5 and which < 3
        data = with_mutated_pickle(files[which], chance) if inside else mutated(files[which], chance)
        watch.on = True
        try:
            result = chainrule.load(io.BytesIO(data))
        except DOCUMENTED as error:
            outcomes[type(error).__name__] += 1
            continue
        finally:
            watch.on = False
        looked_through(result)
        if not inside and which < 3 and shown(result) != right[which]:  # the old format has no checksums
            raise AssertionError(f"seed {seed}, file {number}: other tensors came out of a damaged archive")
        outcomes["loaded"] += 1
    print(dict(outcomes))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # the sanitizer needs all addresses, and has its own limit
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # an absurd length shows as MemoryError
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main(int(sys.argv[1]), int(sys.argv[2]))
