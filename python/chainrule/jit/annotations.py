"""Types for TorchScript's eyes; Python does not look at them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401, UP035  (packages import them from here)


class _BroadcastingList:
    """A list of a fixed length, or one value for all its places."""

    def __getitem__(self, types: Any) -> Any:
        return types


BroadcastingList1, BroadcastingList2, BroadcastingList3 = (_BroadcastingList() for _ in range(3))
