"""torch._dynamo.exc: what PyTorch's compiler raises. Only InvalidBackend is raised here, by torch.compile."""

from __future__ import annotations


class TorchDynamoException(RuntimeError):  # noqa: N818  (PyTorch's name)
    """The base of all of them."""


class InvalidBackend(TorchDynamoException):
    """A name that is none of a backend."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class Unsupported(TorchDynamoException):
    """Something that PyTorch's compiler cannot do."""


class UserError(Unsupported):
    """A mistake in a program that PyTorch's compiler found."""


class InternalTorchDynamoError(TorchDynamoException):
    """A mistake of PyTorch's compiler."""


class TorchRuntimeError(TorchDynamoException):
    """A program that failed while PyTorch's compiler ran it."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend of PyTorch's compiler that failed."""


class TensorifyScalarRestartAnalysis(TorchDynamoException):
    """PyTorch's compiler begins again."""


class RecompileError(TorchDynamoException):
    """PyTorch's compiler would have to compile once more."""
