"""Where storages are: their tags in files, and how a tag becomes a place again."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import UntypedStorage
from ..storage import TypedStorage
from ..type_name import typename

MapLocation = Callable | _core.device | str | dict[str, str] | None

_packages: list[tuple[int, Callable, Callable]] = []


def register_package(
    priority: int, tagger: Callable[[Any], str | None], deserializer: Callable[[Any, str], Any]
) -> None:
    """Adds a kind of place for storages: they are asked in the order of their priority until one does not give None.

    Args:
        priority: lower ones are asked first; the CPU has 10.
        tagger: of a storage that is saved gives the name of its place, or None.
        deserializer: of a storage that was read and a name gives the storage at that place, or None.

    >>> torch.serialization.register_package(50, lambda storage: None, lambda storage, location: None)
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage: Any) -> str:
    """The name of a storage's place, as files have it.

    >>> torch.serialization.location_tag(torch.ones(2).untyped_storage())
    'cpu'
    """
    for _, tagger, _ in _packages:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {typename(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage at the place that the name stands for.

    >>> len(torch.serialization.default_restore_location(torch.ones(2).untyped_storage(), "cpu"))
    8
    """
    for _, _, deserializer in _packages:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {str(location)[:50]}); "
        "chainrule runs on the CPU: map_location='cpu' puts everything there"
    )


def validate_cuda_device(location: str) -> int:
    """The number of the GPU that "cuda:1" names; raises where it is not there.

    >>> torch.serialization.validate_cuda_device("cuda:0") if torch.cuda.is_available() else 0
    0
    """
    number = location.removeprefix("cuda").removeprefix(":")
    count = _core._cuda.device_count()[0]
    if not count:
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    index = int(number) if number else _core._cuda.current_device()
    if index >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is {count}. Please "
            "use torch.load with map_location to map your storages to an existing device."
        )
    return index


def _at_cpu(storage: Any, location: str) -> Any:
    return storage.cpu() if location.partition(":")[0] == "cpu" else None


def _at_cuda(storage: Any, location: str) -> Any:
    if location.partition(":")[0] != "cuda":
        return None
    return storage.cuda(validate_cuda_device(location))


def _at_meta(storage: Any, location: str) -> Any:
    if location != "meta":
        return None
    return UntypedStorage(len(storage), device="meta")


register_package(10, lambda storage: "cpu" if storage.device.type == "cpu" else None, _at_cpu)
register_package(20, lambda storage: str(storage.device) if storage.device.type == "cuda" else None, _at_cuda)
register_package(22, lambda storage: "meta" if storage.device.type == "meta" else None, _at_meta)


def restorer(map_location: MapLocation) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """What puts a storage where map_location says."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        place = os.fsdecode(map_location)
        return lambda storage, location: default_restore_location(storage, place)
    if isinstance(map_location, _core.device):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore(storage: UntypedStorage, location: str) -> UntypedStorage:
        result = map_location(storage, location)
        if isinstance(result, TypedStorage):
            return result.untyped()
        return default_restore_location(storage, location) if result is None else result

    return restore
