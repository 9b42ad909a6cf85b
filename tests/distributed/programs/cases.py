"""Runs the cases of a program one after the other, in all processes."""

import contextlib
import warnings

import numpy as np

import chainrule as torch
import chainrule.distributed as dist

DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128),
    *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool),
)
SHAPES = ((3, 4), (), (2, 0, 3), (7, 301))
# Every dtype with some elements, one and none; many in a type of MPI's own and in one that is not.
KINDS = [(dtype, shape) for dtype in DTYPES for shape in SHAPES[:3]]
KINDS += [(dtype, SHAPES[3]) for dtype in (torch.float32, torch.bfloat16)]


def run(cases):
    """Calls everything named case_*; an error in one process ends all."""
    warnings.simplefilter("error")
    dist.init_process_group("mpi")
    for name, case in list(cases.items()):
        if name.startswith("case_"):
            case()
            dist.barrier()
            if dist.get_rank() == 0:
                print(f"done {name}")
    dist.destroy_process_group()


def value(rank, shape, dtype, seed=0):
    """A tensor that all processes know: small whole numbers, so that sums and products are exact in every dtype."""
    generator = np.random.default_rng([seed, rank, *shape])
    numbers = generator.integers(-2 if dtype.is_signed else 0, 3, shape)
    if dtype is torch.bool:
        return torch.tensor(numbers > 1)
    if dtype.is_complex:
        numbers = numbers + 1j * generator.integers(-2, 3, shape)
    return torch.tensor(numbers).to(dtype)


def array(tensor):
    """As NumPy has it; bfloat16 as float32."""
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).detach().resolve_conj().numpy()


def same(tensor, expected, **note):
    """Fails unless the tensor has these elements."""
    found = array(tensor)
    assert found.shape == np.shape(expected), (found.shape, np.shape(expected), note)
    assert np.array_equal(found, np.asarray(expected).astype(found.dtype)), (found, expected, note)


def strided(tensor):
    """The same elements with gaps between them."""
    room = torch.zeros(*tensor.shape, 2, dtype=tensor.dtype)
    result = room[..., 1]
    result.copy_(tensor)
    return result


@contextlib.contextmanager
def raises(error, text):
    """Fails unless the block raises, with this text in the message."""
    message = None
    try:
        yield
    except error as found:
        message = str(found)
    assert message is not None, f"no {error.__name__}"
    assert text in message, message
