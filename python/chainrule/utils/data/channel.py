"""Objects between two processes: small ones in a message, the others through memory that both can see."""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import socket
import struct
import tempfile
import weakref
from io import BytesIO
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ..._core import Tensor, strided
from ...error_words import at_call

_LARGEST_PACKET = 96 * 1024
_ALIGNMENT = 64
_HEAD = struct.Struct("<QQQ")  # bytes of the whole, of the pickle, and the number of buffers


class _Pickler(ForkingPickler):
    """Sends no more of a storage than the tensor shows, and no history."""

    def __init__(self, stream: BytesIO, buffers: list[pickle.PickleBuffer]):
        super().__init__(stream, 5, True, buffers.append)

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, Tensor):
            return NotImplemented
        if obj.requires_grad and not obj.is_leaf:
            raise at_call(
                RuntimeError,
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor "
                "before serializing (e.g., putting it on the queue).",
            )
        if obj.layout is strided and obj.untyped_storage().nbytes() > 2 * obj.numel() * obj.element_size() + 1024:
            obj = obj.detach().clone().requires_grad_(obj.requires_grad)
        return obj.__reduce_ex__(5)


def _padded(size: int) -> int:
    return -size % _ALIGNMENT


def _laid_out(obj: Any) -> tuple[bytes, list[Any]]:
    """The head and what follows it: the lengths of the buffers, the pickle, the buffers, each at a round place."""
    stream, buffers = BytesIO(), []
    _Pickler(stream, buffers).dump(obj)
    views = [buffer.raw() for buffer in buffers]
    text = stream.getbuffer()
    parts: list[Any] = [struct.pack(f"<{len(views)}Q", *[view.nbytes for view in views]), text]
    at = 8 * len(views) + text.nbytes
    for view in views:
        parts += [bytes(_padded(at)), view]
        at += _padded(at) + view.nbytes
    return _HEAD.pack(at, text.nbytes, len(views)), parts


def _unpacked(memory: Any, pickled: int, count: int) -> Any:
    view = memoryview(memory)
    at = 8 * count + pickled
    buffers = []
    for length in struct.unpack_from(f"<{count}Q", view):
        at += _padded(at)
        buffers.append(view[at : at + length])
        at += length
    return pickle.loads(view[8 * count : 8 * count + pickled], buffers=buffers)


def _memory_file(parts: list[Any]) -> int:
    """A file in memory without a name; the descriptor belongs to the caller."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("chainrule")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.writelines(parts)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Channel:
    """This is one end of a connection. A message is one packet of a socket, so it arrives whole or not at all, also
    when its sender is killed. Tensors' elements are pickled apart from the rest and laid out behind it. What is too
    large for a packet is written to a file in memory without a name; its descriptor goes with the packet and the
    receiver's tensors lie over the file. So the elements are copied once, a killed process leaves nothing behind, and
    no limit of /dev/shm applies. Below some 100 kB copies cost less than pages that are mapped, hence packets up to
    that size.
    """

    def __init__(self, end: socket.socket):
        self._socket = end

    def fileno(self) -> int:
        """The descriptor, for poll."""
        return self._socket.fileno()

    def send(self, obj: Any, wait: bool = True) -> bool:
        """Sends an object; False if there is no room and `wait` is False. Raises OSError if the other end is gone."""
        head, parts = _laid_out(obj)
        flags = 0 if wait else socket.MSG_DONTWAIT
        try:
            if _HEAD.unpack(head)[0] <= _LARGEST_PACKET and self._send_packet([head, *parts], flags):
                return True
            descriptor = _memory_file(parts)
            try:
                socket.send_fds(self._socket, [head], [descriptor], flags)
            finally:
                os.close(descriptor)
        except BlockingIOError:
            return False
        return True

    def _send_packet(self, parts: list[Any], flags: int) -> bool:
        try:
            self._socket.sendmsg([b"".join(parts)], [], flags)
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise
            return False  # this machine's packets are smaller
        return True

    def receive(self, wait: bool = True) -> Any:
        """The next object. Raises EOFError once the other end is gone, BlockingIOError instead of waiting."""
        flags = 0 if wait else socket.MSG_DONTWAIT
        packet, descriptors, _, _ = socket.recv_fds(self._socket, _HEAD.size + _LARGEST_PACKET, 1, flags)
        if not packet:
            raise EOFError
        size, pickled, count = _HEAD.unpack_from(packet)
        if not descriptors:
            return _unpacked(memoryview(bytearray(packet))[_HEAD.size :], pickled, count)
        try:
            memory = mmap.mmap(descriptors[0], size)
        finally:
            os.close(descriptors[0])
        return _unpacked(memory, pickled, count)

    def close(self) -> None:
        """Lets the other end know that nothing will come."""
        self._socket.close()


_own_ends: weakref.WeakSet[Channel] = weakref.WeakSet()


def open_channel() -> tuple[Channel, Channel]:
    """Two connected ends: one for this process, one for a child."""
    ours, theirs = (Channel(end) for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    _own_ends.add(ours)
    return ours, theirs


def _forget_the_parents_ends() -> None:
    # A process that is forked later would keep them open, and a worker would never see that its parent is gone.
    for channel in list(_own_ends):
        channel.close()


os.register_at_fork(after_in_child=_forget_the_parents_ends)
