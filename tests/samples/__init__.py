"""Sample records: what each op is tried with. An op without a record here fails the suite (test_coverage.py)."""

from .composed import COMPOSED
from .creation import CREATION
from .elementwise import ELEMENTWISE
from .networks import NETWORKS
from .products import PRODUCTS
from .reductions import REDUCTIONS
from .shapes import SHAPES

RECORDS = [*ELEMENTWISE, *REDUCTIONS, *SHAPES, *PRODUCTS, *COMPOSED, *NETWORKS]

__all__ = ["COMPOSED", "CREATION", "ELEMENTWISE", "NETWORKS", "PRODUCTS", "RECORDS", "REDUCTIONS", "SHAPES"]
