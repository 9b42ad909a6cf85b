"""What PyTorch's rendezvous needs and MPI does not: names that can be imported and raise when they are used."""

from __future__ import annotations

from ..compat.refusal import refused, refused_class

_REASON = "MPI knows its processes without a store; start them with `chainrule launch`, mpirun or srun"

FileStore = refused_class("distributed.FileStore", _REASON)
HashStore = refused_class("distributed.HashStore", _REASON)
PrefixStore = refused_class("distributed.PrefixStore", _REASON)
Store = refused_class("distributed.Store", _REASON)
TCPStore = refused_class("distributed.TCPStore", _REASON)
init_device_mesh = refused(
    "distributed.init_device_mesh", "chainrule trains data-parallel only; make groups with new_group()"
)
