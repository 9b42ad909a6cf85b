"""Sample records: what each op is tried with. An op without a record here fails the suite (test_coverage.py)."""

from .composed import COMPOSED
from .creation import CREATION
from .elementwise import ELEMENTWISE
from .fourier import FOURIER
from .linalg import LINALG
from .networks import NETWORKS
from .ordering import ORDERING
from .positions import POSITIONS
from .products import PRODUCTS
from .reductions import REDUCTIONS
from .shapes import SHAPES

RECORDS = [
    *(*ELEMENTWISE, *REDUCTIONS, *SHAPES, *PRODUCTS, *POSITIONS, *ORDERING, *COMPOSED, *FOURIER, *LINALG),
    *NETWORKS,
]

__all__ = [
    "COMPOSED",
    "CREATION",
    "ELEMENTWISE",
    "FOURIER",
    "LINALG",
    "NETWORKS",
    "ORDERING",
    "POSITIONS",
    "PRODUCTS",
    "RECORDS",
    "REDUCTIONS",
    "SHAPES",
]
