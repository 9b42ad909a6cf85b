// Diagonals and triangles of matrices.
#include "ops/triangular.hpp"

#include <algorithm>
#include <cstring>

#include "autograd/record.hpp"
#include "ops/copy.hpp"
#include "ops/reduce.hpp"
#include "ops/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kDiagonal{"diagonal", "DiagonalBackward0", "zeros with g on the diagonal"};
OpInfo kDiagonalCopy{"diag", "DiagonalBackward0_copy", "zeros with g on the diagonal"};
OpInfo kDiagEmbed{"diag_embed", "DiagEmbedBackward0", "the diagonal of g"};
OpInfo kTrace{"trace", "TraceBackward0", "zeros with g on the diagonal"};
OpInfo kTril{"tril", "TrilBackward0", "the lower triangle of g"};
OpInfo kTriu{"triu", "TriuBackward0", "the upper triangle of g"};

struct Diagonal {
  int64_t offset;
  int dim1, dim2;
};

void show_diagonal(Kept& kept, const Dims& whole, const Diagonal& d) {
  kept.add("self_sym_sizes", whole, "offset", d.offset, "dim1", d.dim1, "dim2", d.dim2);
}

Diagonal wrapped(int64_t offset, int64_t dim1, int64_t dim2, int ndim) {
  Diagonal d{offset, wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)};
  if (d.dim1 == d.dim2) raise(PyExc_RuntimeError, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  return d;
}

Tensor diagonal_view(const Tensor& t, const Diagonal& d) {
  int64_t rows = t.size(d.dim1), columns = t.size(d.dim2);
  int64_t offset = std::clamp(d.offset, -rows, columns);  // beyond there is nothing
  int64_t length = offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
  int64_t start = 0;
  if (length > 0) start = offset >= 0 ? offset * t.stride(d.dim2) : -offset * t.stride(d.dim1);
  Dims sizes(t.sizes()), strides(t.strides());
  int64_t step = strides[d.dim1] + strides[d.dim2];
  for (int dim : {std::max(d.dim1, d.dim2), std::min(d.dim1, d.dim2)}) {
    sizes.erase(dim);
    strides.erase(dim);
  }
  sizes.push_back(std::max<int64_t>(length, 0));
  strides.push_back(step);
  return tensor_over(t->storage, sizes, strides, t.offset() + start, t.dtype());
}

// Zeros of the whole with g on the diagonal.
Tensor embed_diagonal(const Tensor& g, Span whole, const Diagonal& d) {
  Tensor result = zeros(whole, g.dtype());
  copy_into(diagonal(result, d.offset, d.dim1, d.dim2), g);
  return result;
}

Tensor triangle(OpInfo& op, const Tensor& x, int64_t diagonal, bool lower) {
  if (x.ndim() < 2) raise(PyExc_RuntimeError, op.name, ": input tensor must have at least 2 dimensions");
  Tensor from;
  {
    GradModeScope off(false);
    from = contiguous(x);
  }
  Tensor out = empty(x.sizes(), x.dtype());
  int64_t rows = x.size(x.ndim() - 2), columns = x.size(x.ndim() - 1), item = static_cast<int64_t>(size_of(x.dtype()));
  int64_t all = columns ? x.numel() / columns : 0, shift = std::clamp(diagonal, -rows - 1, columns);
  for (int64_t r = 0; r < all; ++r) {
    // Row i keeps columns up to i + diagonal in the lower triangle, and from there on in the upper one.
    int64_t cut = std::clamp<int64_t>(r % rows + shift + (lower ? 1 : 0), 0, columns);
    char* to = out->data + r * columns * item;
    const char* source = from->data + r * columns * item;
    int64_t begin = lower ? 0 : cut, end = lower ? cut : columns;
    std::memset(to, 0, static_cast<size_t>(begin * item));
    std::memcpy(to + begin * item, source + begin * item, static_cast<size_t>((end - begin) * item));
    std::memset(to + end * item, 0, static_cast<size_t>((columns - end) * item));
  }
  return record(op, out, {&x}, {}, [diagonal, lower](Backward& b, Kept* kept) {
    if (kept) return kept->add("diagonal", diagonal);
    b.give(0, lower ? tril(b.g(), diagonal) : triu(b.g(), diagonal));
  });
}

// Of a matrix with `columns` columns, the part of row i that is in a triangle.
struct Triangle {
  bool lower;
  int64_t columns, offset;
  int64_t begin(int64_t i) const { return lower ? 0 : std::clamp<int64_t>(i + offset, 0, columns); }
  int64_t end(int64_t i) const { return lower ? std::clamp<int64_t>(i + offset + 1, 0, columns) : columns; }
  // How many rows first to last have: those that grow (or shrink) by one each, and whole ones.
  int64_t elements(int64_t first, int64_t last) const {
    if (last <= first) return 0;
    int64_t sloped =
        lower ? std::clamp((CheckedSize(columns) - offset - 1).value(), first, last)  // from here on all are whole
              : std::clamp<int64_t>(-offset, first, last);                            // up to here
    CheckedSize whole = CheckedSize(lower ? last - sloped : sloped - first) * columns;
    int64_t from = lower ? first : sloped, to = lower ? sloped : last;
    if (to == from) return whole.value();
    int64_t a = end(from) - begin(from), b = end(to - 1) - begin(to - 1);
    CheckedSize rows = to - from, both = CheckedSize(a) + b;
    return (whole + (rows.value() % 2 ? rows * (both.value() / 2) : CheckedSize(rows.value() / 2) * both)).value();
  }
};

template <class T>
Tensor list_indices(const Triangle& t, int64_t first, int64_t last, DType dtype) {
  int64_t n = t.elements(first, last);
  Tensor result = empty(Dims{2, n}, dtype);
  T *row = result.data<T>(), *column = row + n;
  for (int64_t i = first; i < last; ++i) {
    for (int64_t j = t.begin(i); j < t.end(i); ++j) *row++ = static_cast<T>(i), *column++ = static_cast<T>(j);
  }
  return result;
}

}  // namespace

Tensor triangle_indices(bool lower, int64_t rows, int64_t columns, int64_t offset, DType dtype) {
  check(rows >= 0, "row must be non-negative, got", rows);
  check(columns >= 0, "col must be non-negative, got", columns);
  if (dtype != DType::Int32 && dtype != DType::Int64) {
    raise(PyExc_NotImplementedError, "\"", lower ? "tril" : "triu", "_indices\" not implemented for '",
          facts(dtype).tensor_name, "'");
  }
  Triangle t{lower, columns, std::clamp(offset, -rows, columns)};
  // Rows without elements are passed over, so that a matrix of any height will do.
  int64_t first = lower ? std::max<int64_t>(0, -t.offset) : 0;
  int64_t last = lower ? rows : std::min(rows, (CheckedSize(columns) - t.offset).value());
  if (columns == 0) last = first;
  return (dtype == DType::Int32 ? list_indices<int32_t> : list_indices<int64_t>)(t, first, last, dtype);
}

Tensor diagonal(const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2) {
  Diagonal d = wrapped(offset, dim1, dim2, t.ndim());
  return record_view(kDiagonal, diagonal_view(t, d), t, [whole = Dims(t.sizes()), d](Backward& b, Kept* kept) {
    if (kept) return show_diagonal(*kept, whole, d);
    b.give(0, embed_diagonal(b.g(), whole, d));
  });
}

Tensor diag(const Tensor& t, int64_t offset) {
  if (t.ndim() != 1 && t.ndim() != 2)
    raise(PyExc_RuntimeError, "diag(): Supports 1D or 2D tensors. Got ", t.ndim(), "D");
  if (t.ndim() == 1) return diag_embed(t, offset, -2, -1);
  Diagonal d{offset, 0, 1};
  Tensor line = diagonal_view(t, d), out = empty(line.sizes(), t.dtype());
  copy_elements(out, line);
  return record(kDiagonalCopy, out, {&t}, {}, [whole = Dims(t.sizes()), d](Backward& b, Kept* kept) {
    if (kept) return show_diagonal(*kept, whole, d);
    b.give(0, embed_diagonal(b.g(), whole, d));
  });
}

Tensor diag_embed(const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2) {
  Diagonal d = wrapped(offset, dim1, dim2, t.ndim() + 1);
  if (t.ndim() == 0) wrap_dim(-2, 0);  // raises
  CheckedSize length = t.size(t.ndim() - 1);
  int64_t side = (offset < 0 ? length - offset : length + offset).value();
  Dims sizes(t.sizes().first(t.sizes().size() - 1));
  sizes.insert(std::min(d.dim1, d.dim2), side);
  sizes.insert(std::max(d.dim1, d.dim2), side);
  Tensor out = zeros(sizes, t.dtype());
  copy_elements(diagonal_view(out, d), t);
  return record(kDiagEmbed, out, {&t}, {}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("offset", d.offset, "dim1", d.dim1, "dim2", d.dim2);
    b.give(0, diagonal(b.g(), d.offset, d.dim1, d.dim2));
  });
}

Tensor diagflat(const Tensor& t, int64_t offset) { return diag_embed(reshape(t, Dims{-1}), offset, -2, -1); }

Tensor trace(const Tensor& t) {
  if (is_bool(t.dtype())) raise(PyExc_NotImplementedError, "\"trace\" not implemented for 'Bool'");
  if (t.ndim() != 2) raise(PyExc_RuntimeError, "trace: expected a matrix, but got tensor with dim ", t.ndim());
  Diagonal d{0, 0, 1};
  Tensor out;
  {
    GradModeScope off(false);
    out = sum(diagonal_view(t, d), Dims(), false, {});
  }
  return record(kTrace, out, {&t}, {}, [whole = Dims(t.sizes()), d](Backward& b, Kept* kept) {
    if (kept) return kept->add("self_sym_sizes", whole);
    b.give(0, embed_diagonal(expand(b.g(), Dims{std::min(whole[0], whole[1])}), whole, d));
  });
}

Tensor tril(const Tensor& t, int64_t diagonal) { return triangle(kTril, t, diagonal, true); }
Tensor triu(const Tensor& t, int64_t diagonal) { return triangle(kTriu, t, diagonal, false); }

}  // namespace chainrule
