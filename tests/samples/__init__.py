"""Sample records: what each op is tried with. An op without a record here fails the suite (test_coverage.py)."""

from .creation import CREATION
from .elementwise import ELEMENTWISE
from .positions import POSITIONS
from .products import PRODUCTS
from .reductions import REDUCTIONS
from .shapes import SHAPES

RECORDS = [*ELEMENTWISE, *REDUCTIONS, *SHAPES, *PRODUCTS, *POSITIONS]

__all__ = ["CREATION", "ELEMENTWISE", "POSITIONS", "PRODUCTS", "RECORDS", "REDUCTIONS", "SHAPES"]
