"""The operations that are written in Python: one line each, by the module that holds the body.

A line is a form and a signature: `function`, `method`, `both`, or `functional` (nn.functional only); `+inplace` adds
the method name_, which copies the result into its first argument. The signature is that of
core/bindings/calls/signature.hpp in the core; the body has the operation's name, or for an overload `median.dim(...)`
the name median_dim, and is given the arguments by position in that order, `int[]` as a tuple, without `out`, which is
filled from the result. A name that begins with linalg_, fft_ or special_ is a function of that submodule.

The core reads this table when it is loaded; a body's module is imported by its first call. It is one of chainrule.ops,
or, with a dot in its name, of another room: "linalg.norms".
"""

from .table_linalg import LINALG
from .table_sparse import SPARSE

_OPTIONS = (
    "dtype? dtype=None, layout? layout=None, device? device=None, bool pin_memory=False, bool requires_grad=False"
)
_WINDOW = _OPTIONS.replace("layout? layout", "object layout")  # which has words of its own for other layouts
_AT = "int? dim=None, bool keepdim=False, *, str interpolation='linear', Tensor!? out=None"
_WEIGHTS = "Tensor? weight=None, bool density=False"
_ISIN = "*, bool assume_unique=False, bool invert=False, Tensor!? out=None"
_PIECES = "int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True"
_STFT = "bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None"
_ISTFT = "bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False"
_CUTS = "Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None"
_SEGMENTS = f"{_CUTS}, int axis=0, bool unsafe=False, Number? initial=None"
_HISTOGRAM = "object!? out=None) -> (hist, bin_edges)"

OPERATIONS = {
    "products": """
        both     kron(Tensor input, Tensor other, *, Tensor? out=None)
        function tensordot(Tensor a, Tensor b, object dims=2, Tensor!? out=None)
        function chain_matmul(Tensor[*] matrices=(), *, Tensor!? out=None)
        both     cross(Tensor input, Tensor other, int? dim=None, *, Tensor!? out=None)
    """,
    "distances": """
        both     dist(Tensor input, Tensor other, Number p=2)
        function cdist(Tensor x1, Tensor x2, float p=2.0, str compute_mode='use_mm_for_euclid_dist_if_necessary')
        function norm_except_dim(Tensor v, int pow=2, int dim=0)
    """,
    "statistics": """
        both     cov(Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None)
        both     corrcoef(Tensor input)
    """,
    "quantiles": f"""
        both     quantile(Tensor input, Tensor q, {_AT})
        both     quantile.number(Tensor input, float q, {_AT})
        both     nanquantile(Tensor input, Tensor q, {_AT})
        both     nanquantile.number(Tensor input, float q, {_AT})
    """,
    "histograms": f"""
        both     histogram.edges(Tensor input, Tensor bins, *, {_WEIGHTS}, {_HISTOGRAM}
        both     histogram.bins(Tensor input, int bins=100, *, object range=None, {_WEIGHTS}, {_HISTOGRAM}
        function histogramdd(Tensor input, object bins, object range=None, {_WEIGHTS}) -> (hist, bin_edges)
    """,
    "calculus": """
        both     diff(Tensor input, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *, Tensor? out=None)
        function gradient(Tensor input, *, object spacing=None, object dim=None, int edge_order=1) -> Tensor[]
        function trapezoid.x(Tensor y, Tensor x, *, int dim=-1)
        function trapezoid.dx(Tensor y, *, Number dx=1, int dim=-1)
        function trapz.x(Tensor y, Tensor x, *, int dim=-1)
        function trapz.dx(Tensor y, *, float dx=1.0, int dim=-1)
        function cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1)
        function cumulative_trapezoid.dx(Tensor y, *, Number dx=1, int dim=-1)
    """,
    "grids": """
        function meshgrid(Tensor[*] tensors=(), *, str? indexing=None) -> Tensor[]
        function cartesian_prod(Tensor[*] tensors=())
        function combinations(Tensor input, int r=2, bool with_replacement=False)
        function vander(Tensor x, int? N=None, bool increasing=False)
        function unravel_index(Tensor indices, object shape) -> Tensor[]
    """,
    "comparisons": f"""
        both     isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)
        both     allclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool
        both     equal(Tensor input, Tensor other) -> bool
        both     isreal(Tensor input)
        function isin.tensors(Tensor elements, Tensor test_elements, {_ISIN})
        function isin.number(Tensor elements, Number test_element, {_ISIN})
        function isin.of_number(Number element, Tensor test_elements, {_ISIN})
    """,
    "segments": f"""
        function segment_reduce(Tensor data, str reduce, *, {_SEGMENTS})
    """,
    "rotations": """
        both     rot90(Tensor input, int k=1, int[]!? dims=None)
        both     fliplr(Tensor input)
        both     flipud(Tensor input)
    """,
    "memory": """
        method   set_.storage(Tensor input, object source, int storage_offset=0, int[]? size=None, int[] stride=())
    """,
    "scales": f"""
        function logspace(Operand start, Operand end, int steps, float base=10.0, *, Tensor? out=None, {_OPTIONS})
        function range.inclusive(Number start, Number end, Number step=1, *, Tensor!? out=None, {_OPTIONS})
        both+inplace renorm(Tensor input, Number p, int dim, Number maxnorm, *, Tensor!? out=None)
        both     frexp(Tensor input, *, object!? out=None) -> (mantissa, exponent)
        both+inplace mvlgamma(Tensor input, int p, *, Tensor? out=None)
        function special_multigammaln(Tensor input, int p, *, Tensor? out=None)
    """,
    "fourier": f"""
        function fft_fftfreq(int n, float d=1.0, *, Tensor!? out=None, {_OPTIONS})
        function fft_rfftfreq(int n, float d=1.0, *, Tensor!? out=None, {_OPTIONS})
        function fft_fftshift(Tensor input, int[]? dim=None)
        function fft_ifftshift(Tensor input, int[]? dim=None)
    """,
    "spectra": f"""
        both     stft(Tensor input, int n_fft, {_PIECES}, str pad_mode='reflect', {_STFT})
        both     istft(Tensor input, int n_fft, {_PIECES}, {_ISTFT})
    """,
    "windows": f"""
        function bartlett_window(int window_length, bool periodic=True, *, {_WINDOW})
        function blackman_window(int window_length, bool periodic=True, *, {_WINDOW})
        function hann_window(int window_length, bool periodic=True, *, {_WINDOW})
        function hamming_window(int window_length, bool periodic=True, float alpha=0.54, float beta=0.46, *, {_WINDOW})
        function kaiser_window(int window_length, bool periodic=True, float beta=12.0, *, {_WINDOW})
    """,
    "diagonals": """
        method   fill_diagonal_(Tensor input, Number fill_value, bool wrap=False)
    """,
    "hashes": """
        both     hash_tensor(Tensor input, int[]? dim=None, *, bool keepdim=False, int mode=0, Tensor!? out=None)
    """,
    **LINALG,
    **SPARSE,
}
