"""The debug mode: before each collective, the processes tell each other what they are about to do, and where.

TORCH_DISTRIBUTED_DEBUG=DETAIL or CHAINRULE_DISTRIBUTED_DEBUG=1 turns it on. A collective then costs one small exchange
more, and processes that come to different ones, or with other shapes, all raise and name both lines.
"""

from __future__ import annotations

import enum
import os
from typing import TYPE_CHECKING

from .errors import DistBackendError
from .mpi import library
from .source_line import caller
from .work import Work

if TYPE_CHECKING:
    from .process_group import ProcessGroup

_RECORD = 512  # bytes of what a process says about its call


class DebugLevel(enum.Enum):
    """How much is checked."""

    OFF = 0
    INFO = 1
    DETAIL = 2


class _Setting:
    level = DebugLevel.OFF


def set_debug_level(level: DebugLevel) -> None:
    """Chooses how much is checked; in all processes alike."""
    _Setting.level = level


def get_debug_level() -> DebugLevel:
    """How much is checked."""
    return _Setting.level


def set_debug_level_from_env() -> None:
    """Takes the level from TORCH_DISTRIBUTED_DEBUG, or CHAINRULE_DISTRIBUTED_DEBUG=1."""
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if os.environ.get("CHAINRULE_DISTRIBUTED_DEBUG", "") not in ("", "0"):
        name = "DETAIL"
    if name not in DebugLevel.__members__:
        raise RuntimeError("The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
    _Setting.level = DebugLevel[name]


def is_detailed() -> bool:
    """Whether collectives are compared."""
    return _Setting.level is DebugLevel.DETAIL


def compare_calls(group: ProcessGroup, name: str, facts: str) -> None:
    """Raises in all processes if they came to different collectives, or with other shapes.

    Args:
        facts: what has to be the same in all of them.
    """
    text = "\0".join((f"{name}({facts})", caller())).encode()[:_RECORD]
    everyone = bytearray(_RECORD * group.size())
    byte = library().BYTE
    request = group.records.Iallgather([text.ljust(_RECORD, b"\1"), byte], [everyone, byte])
    Work(f"{name} (the debug mode's exchange before it)", group, request).wait()
    records = [
        everyone[i : i + _RECORD].rstrip(b"\1").decode(errors="replace") for i in range(0, len(everyone), _RECORD)
    ]
    calls = [record.partition("\0") for record in records]
    for rank, (call, _, line) in enumerate(calls):
        if call != calls[0][0]:
            raise DistBackendError(
                "Detected mismatch between collectives on ranks.\n"
                f"  rank {group.ranks[0]} calls {calls[0][0]} at {calls[0][2]}\n"
                f"  rank {group.ranks[rank]} calls {call} at {line}\n"
                "  All processes have to call the same collectives in the same order, with the same shapes and dtypes."
            )


set_debug_level_from_env()
