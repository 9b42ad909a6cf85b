// Taking a tensor apart into views.
#include "ops/views/split.hpp"

#include <cstring>

#include "autograd/forward_mode.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/join.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kSplit{"split", "SplitBackward0", "the gradients of the pieces, joined"};
OpInfo kSplitWithSizes{"split_with_sizes", "SplitWithSizesBackward0", "the gradients of the pieces, joined"};
OpInfo kUnbind{"unbind", "UnbindBackward0", "the gradients of the slices, stacked"};

// Pieces that lie one after another along a dimension; without `keeps`, each of length 1 and without that dimension.
struct Pieces {
  std::vector<int64_t> lengths;
  int dim;
  bool keeps;

  Tensor piece(const Tensor& t, int64_t start, int64_t length) const {
    Dims sizes(t.sizes()), strides(t.strides());
    int64_t offset = t.offset() + first_of(t, dim, start);
    sizes[dim] = length;
    if (!keeps) {
      sizes.erase(dim);
      strides.erase(dim);
    }
    return tensor_over(t->storage, sizes, strides, offset, t.dtype());
  }

  template <class F>
  void each(const Tensor& t, F f) const {
    int64_t start = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
      f(static_cast<int>(i), piece(t, start, lengths[i]));
      start += lengths[i];
    }
  }
};

// Gradients that did not arrive are zero.
struct PiecesGradient {
  Pieces pieces;
  Dims whole;
  DType dtype;

  void show(const Node* n, Kept& kept) const {
    kept.add("dim", pieces.dim);
    if (!pieces.keeps) return;  // unbind
    kept.add("self_sym_sizes", whole);
    if (std::strstr(n->op->node_name, "WithSizes"))
      kept.add("split_sizes", Span(pieces.lengths));
    else
      kept.add("split_size", pieces.lengths[0]);
  }

  void operator()(Backward& b, Kept* kept) const {
    if (kept) return show(b.node(), *kept);
    if (grad_enabled()) {
      std::vector<Tensor> all;
      for (size_t i = 0; i < pieces.lengths.size(); ++i) all.push_back(b.g(static_cast<int>(i)));
      b.give(0, pieces.keeps ? cat(all, pieces.dim) : stack(all, pieces.dim));
      return;
    }
    bool complete = true;
    for (size_t i = 0; i < pieces.lengths.size(); ++i) complete &= b.has_g(static_cast<int>(i));
    if (Tensor together = complete ? lying_together(b) : Tensor()) return b.give(0, together);
    Tensor result = complete ? empty(whole, dtype) : zeros(whole, dtype);
    pieces.each(result, [&](int i, const Tensor& part) {
      if (b.has_g(i)) copy_elements(part, b.g(i));
    });
    b.give(0, result);
  }

  // The gradients' own memory, where they lie in it as pieces of a whole already (attention's do); else null.
  Tensor lying_together(Backward& b) const {
    Tensor first = b.g(0);
    auto item = static_cast<int64_t>(size_of(dtype));
    if (!pieces.keeps || first.dtype() != dtype || first->storage->bytes < (first.offset() + count(whole)) * item) {
      return Tensor();
    }
    Tensor result = tensor_over(first->storage, whole, contiguous_strides(whole), first.offset(), dtype);
    bool together = true;
    pieces.each(result, [&](int i, const Tensor& part) {
      const Tensor& g = b.g(i);
      together &= g->data == part->data && g.dtype() == dtype && equal(g.strides(), part.strides());
    });
    return together ? result : Tensor();
  }
};

// Several outputs of one node; see kViewOfMany.
void record_pieces(OpInfo& op, const std::vector<Tensor>& outputs, const Tensor& t, const Pieces& pieces) {
  if (!grad_enabled() || !requires_grad(t) || outputs.empty()) return;
  Node* n = make_node(&op, 1, 0, static_cast<int>(outputs.size()));
  set_edge(n, 0, gradient_edge(t));
  set_function(n, PiecesGradient{pieces, Dims(t.sizes()), t.dtype()});
  for (size_t i = 0; i < outputs.size(); ++i) n->outputs[i].describe(outputs[i]);
  finish_node(n);
  for (size_t i = 0; i < outputs.size(); ++i) attach(outputs[i], n, static_cast<int>(i));
  Py_DECREF((PyObject*)n);
}

std::vector<Tensor> views_of(OpInfo& op, const Tensor& t, const Pieces& pieces) {
  std::vector<Tensor> outputs;
  outputs.reserve(pieces.lengths.size());
  pieces.each(t, [&](int, Tensor part) {
    link_view(part, t);
    part->flags |= kViewOfMany;
    outputs.push_back(std::move(part));
  });
  if (!t->storage->inference) record_pieces(op, outputs, t, pieces);
  if (forward_mode::active() && forward_mode::tangent(t)) [[unlikely]] {
    forward_mode::PauseScope pause;
    std::vector<Tensor> tangents = views_of(op, forward_mode::tangent(t), pieces);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!forward_mode::has_tangent(outputs[i].get())) forward_mode::set_tangent(outputs[i], tangents[i]);
    }
  }
  return outputs;
}

std::vector<Tensor> split_lengths(OpInfo& op, const Tensor& t, std::vector<int64_t> lengths, int dim) {
  return views_of(op, t, {std::move(lengths), dim, true});
}

// So many results would be no memory's match.
void check_count(const char* op, int64_t pieces) {
  if (pieces < (int64_t{1} << 28)) return;
  raise(PyExc_RuntimeError, op, ": ", pieces, " pieces are too many to return");
}

int split_dim(const Tensor& t, int64_t dim, const char* op) {
  if (t.ndim() == 0) raise(PyExc_RuntimeError, op, " expects at least a 1-dimensional tensor");
  return wrap_dim(dim, t.ndim());
}

}  // namespace

std::vector<Tensor> split(const Tensor& t, int64_t size, int64_t dim) {
  int d = split_dim(t, dim, "split");
  if (size < 0) raise(PyExc_RuntimeError, "split expects split_size be non-negative, but got split_size=", size);
  int64_t whole = t.size(d);
  if (size == 0 && whole != 0) {
    raise(PyExc_RuntimeError, "split_size can only be 0 if dimension size is 0, but got dimension size of ", whole);
  }
  if (size) check_count("split", whole / size);
  std::vector<int64_t> lengths;
  for (int64_t left = whole; left > 0; left -= std::min(size, left)) lengths.push_back(std::min(size, left));
  if (lengths.empty()) lengths.push_back(0);
  return split_lengths(kSplit, t, std::move(lengths), d);
}

std::vector<Tensor> split_with_sizes(const Tensor& t, Span sizes, int64_t dim) {
  int d = split_dim(t, dim, "split");
  CheckedSize sum = 0;
  for (int64_t s : sizes) {
    if (s < 0) {
      raise(PyExc_RuntimeError,
            "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=", sizes);
    }
    sum += s;
  }
  if (sum.value() != t.size(d)) {
    raise(PyExc_RuntimeError, "split_with_sizes expects split_sizes to sum exactly to ", t.size(d),
          " (input tensor's size at dimension ", d, "), but got split_sizes=", sizes, ", whose sum is ", sum.value());
  }
  return split_lengths(kSplitWithSizes, t, std::vector<int64_t>(sizes.begin(), sizes.end()), d);
}

std::vector<Tensor> chunk(const Tensor& t, int64_t chunks, int64_t dim) {
  int d = split_dim(t, dim, "chunk");
  if (chunks <= 0) raise(PyExc_RuntimeError, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  if (t.size(d) == 0) {
    check_count("chunk", chunks);
    return split_with_sizes(t, Dims(static_cast<int>(chunks)), d);
  }
  return split(t, t.size(d) / chunks + (t.size(d) % chunks != 0), d);
}

namespace {

int tensor_split_dim(const Tensor& t, int64_t dim) {
  if (t.ndim() == 0) {
    raise(PyExc_RuntimeError, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  }
  return wrap_dim(dim, t.ndim());
}

}  // namespace

std::vector<Tensor> tensor_split(const Tensor& t, int64_t sections, int64_t dim) {
  int d = tensor_split_dim(t, dim);
  if (sections <= 0) raise(PyExc_RuntimeError, "number of sections must be larger than 0, got ", sections);
  check_count("tensor_split", sections);
  std::vector<Tensor> result;
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    int64_t stop = start + t.size(d) / sections + (i < t.size(d) % sections);
    result.push_back(slice(t, d, start, stop, 1));
    start = stop;
  }
  return result;
}

std::vector<Tensor> tensor_split_at(const Tensor& t, Span indices, int64_t dim) {
  int d = tensor_split_dim(t, dim);
  int64_t n = t.size(d), start = 0;
  auto clamped = [n](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  std::vector<Tensor> result;
  for (int64_t index : indices) {
    result.push_back(slice(t, d, clamped(start), std::max(clamped(start), clamped(index)), 1));
    start = index;
  }
  result.push_back(slice(t, d, clamped(start), n, 1));
  return result;
}

namespace {

constexpr const char* kAxisSplits[] = {"", "hsplit", "vsplit", "dsplit"};

// Columns, rows or the depth; a vector has only its one dimension.
int axis_of(int least, const Tensor& t) {
  if (t.ndim() < least) {
    raise(PyExc_RuntimeError, "torch.", kAxisSplits[least], " requires a tensor with at least ", least,
          " dimension, but got a tensor with ", t.ndim(), " dimensions!");
  }
  return least == 3 ? 2 : least == 1 && t.ndim() > 1 ? 1 : 0;
}

}  // namespace

std::vector<Tensor> split_axis(int least, const Tensor& t, int64_t sections) {
  int d = axis_of(least, t);
  if (sections == 0 || t.size(d) % sections) {
    raise(PyExc_RuntimeError, "torch.", kAxisSplits[least], " attempted to split along dimension ", d,
          ", but the size of the dimension ", t.size(d), " is not divisible by the split_size ", sections, "!");
  }
  return tensor_split(t, sections, d);
}

std::vector<Tensor> split_axis_at(int least, const Tensor& t, Span indices) {
  return tensor_split_at(t, indices, axis_of(least, t));
}

std::vector<Tensor> unbind(const Tensor& t, int64_t dim) {
  if (t.ndim() == 0) raise(PyExc_IndexError, "Dimension specified as ", dim, " but tensor has no dimensions");
  int d = wrap_dim(dim, t.ndim());
  check_count("unbind", t.size(d));
  return views_of(kUnbind, t, {std::vector<int64_t>(static_cast<size_t>(t.size(d)), 1), d, false});
}

}  // namespace chainrule
