// Diagonals and triangles of matrices.
#include "ops/views/triangular.hpp"

#include <algorithm>

#include "autograd/record.hpp"
#include "backends/triangle.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
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
  if (length > 0 && t.numel() > 0) start = offset >= 0 ? offset * t.stride(d.dim2) : -offset * t.stride(d.dim1);
  Dims sizes(t.sizes()), strides(t.strides());
  // Unsigned: where there are no elements strides may be anything.
  auto step = static_cast<int64_t>(static_cast<uint64_t>(strides[d.dim1]) + static_cast<uint64_t>(strides[d.dim2]));
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
  int64_t rows = x.size(x.ndim() - 2), columns = x.size(x.ndim() - 1);
  if (out.numel()) {
    Triangle kept{lower, columns, std::clamp(diagonal, -rows - 1, columns)};
    backend().triangle->copy(
        {kept, out.numel() / (rows * columns), rows, static_cast<int64_t>(size_of(x.dtype())), from->data, out->data});
  }
  return record(op, out, {&x}, {}, [diagonal, lower](Backward& b, Kept* kept) {
    if (kept) return kept->add("diagonal", diagonal);
    b.give(0, lower ? tril(b.g(), diagonal) : triu(b.g(), diagonal));
  });
}

// How many elements rows first to last have: those that grow (or shrink) by one each, and whole ones.
int64_t elements(const Triangle& t, int64_t first, int64_t last) {
  if (last <= first) return 0;
  int64_t sloped =
      t.lower ? std::clamp((CheckedSize(t.columns) - t.offset - 1).value(), first, last)  // from here on all are whole
              : std::clamp<int64_t>(-t.offset, first, last);                              // up to here
  CheckedSize whole = CheckedSize(t.lower ? last - sloped : sloped - first) * t.columns;
  int64_t from = t.lower ? first : sloped, to = t.lower ? sloped : last;
  if (to == from) return whole.value();
  int64_t a = t.end(from) - t.begin(from), b = t.end(to - 1) - t.begin(to - 1);
  CheckedSize rows = to - from, both = CheckedSize(a) + b;
  return (whole + (rows.value() % 2 ? rows * (both.value() / 2) : CheckedSize(rows.value() / 2) * both)).value();
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
  Tensor result = empty(Dims{2, elements(t, first, last)}, dtype);
  backend().triangle->indices({t, first, last, result.size(1), dtype == DType::Int32, result->data});
  return result;
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
