// Putting tensors together.
#include "ops/views/join.hpp"

#include "autograd/forward_mode.hpp"
#include "backends/copy.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kCat{"cat", "CatBackward0", "each input: its part of g"};
OpInfo kStack{"stack", "StackBackward0", "each input: its slice of g"};
OpInfo kBlockDiag{"block_diag", "BlockDiagBackward0", "each input: its block of g"};

bool might_record(Tensors tensors) {
  if (forward_mode::active()) return true;
  if (!grad_enabled()) return false;
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return requires_grad(t); });
}

// As record, for any number of inputs and nothing saved; `make_gradient` is called only when something is recorded.
template <class F>
Tensor record_many(OpInfo& op, Tensor output, Tensors tensors, F make_gradient) {
  if (!might_record(tensors)) return output;
  std::vector<const Tensor*> inputs;
  for (const Tensor& t : tensors) inputs.push_back(&t);
  if (!should_record(inputs)) return output;
  Node* n = make_node(&op, static_cast<int>(inputs.size()), 0, 1);
  set_edges(n, inputs);
  set_function(n, make_gradient());
  n->outputs[0].describe(output);
  finish_node(n);
  attach_recorded(output, n, inputs);
  return output;
}

DType common_type(Tensors tensors) {
  bool same = true;
  for (const Tensor& t : tensors) same &= t.dtype() == tensors[0].dtype();
  if (same) return tensors[0].dtype();
  std::vector<Operand> operands(tensors.begin(), tensors.end());
  return result_type(operands);
}

// Copies `from` to where it belongs in `out`, `offset` elements in. `strides` are out's, one per dimension of `from`.
void place(const Tensor& out, int64_t offset, Span strides, const Tensor& from) {
  if (from.numel() == 0) return;
  char* to = out->data + offset * static_cast<int64_t>(size_of(out.dtype()));
  backend().copy->strided({from.sizes(), to, out.dtype(), strides, from->data, from.dtype(), from.strides()});
}

// How many blocks a tensor has whose elements follow each other along `dim` and all that lies closer in memory.
int64_t rows_outside(const Tensor& t, int dim) {
  int64_t rows = 1;
  for (int i = 0; i < dim; ++i) rows *= t.size(i);
  return rows;
}
[[gnu::noinline]] int64_t rows_outside_last(const Tensor& t, int dim) {
  int64_t rows = 1;
  for (int i = 0; i < t.ndim(); ++i) rows *= i != 1 && (i < dim || dim == 1) ? t.size(i) : 1;
  return rows;
}

// Tensors of equal shape but for one dimension, each without gaps: rows are copied as blocks of bytes.
void place_rows(const Tensor& out, Tensors tensors, int64_t rows, bool (*skipped)(const Tensor&)) {
  auto item = static_cast<int64_t>(size_of(out.dtype()));
  int64_t row_bytes = rows ? out.numel() / rows * item : 0;
  char* to = out->data;
  for (const Tensor& t : tensors) {
    if (skipped(t) || t.numel() == 0) continue;
    int64_t bytes = t.numel() / rows * item;
    backend().copy->blocks({rows, bytes, row_bytes, t->data, to});
    to += bytes;
  }
}

// PyTorch lets an empty vector join tensors of any shape.
bool is_skipped(const Tensor& t) { return t.ndim() == 1 && t.size(0) == 0; }

void check_joinable(const Tensor& first, const Tensor& t, size_t position, int dim) {
  if (t.ndim() != first.ndim()) {
    raise(PyExc_RuntimeError, "Tensors must have same number of dimensions: got ", first.ndim(), " and ", t.ndim(),
          "\n  cat: tensor number ", position, " has the shape ", t.sizes(), ", the first has ", first.sizes(),
          ". stack joins along a new dimension.");
  }
  for (int i = 0; i < t.ndim(); ++i) {
    if (i == dim || t.size(i) == first.size(i)) continue;
    raise(PyExc_RuntimeError, "Sizes of tensors must match except in dimension ", dim, ". Expected size ",
          first.size(i), " but got size ", t.size(i), " for tensor number ", position,
          " in the list.\n  cat: the shapes ", first.sizes(), " and ", t.sizes(), " differ at dimension ", i, ".");
  }
}

constexpr int64_t kSkipped = -1;
int64_t joined_length(const Tensor& t, int dim) { return is_skipped(t) ? kSkipped : t.size(dim); }

// Each input's part of g, one after another.
struct CatGradient {
  std::vector<int64_t> lengths;
  int dim;

  CatGradient(Tensors tensors, int d) : dim(d) {
    for (const Tensor& t : tensors) lengths.push_back(joined_length(t, d));
  }
  void operator()(Backward& b, Kept* kept) const {
    if (kept) return kept->add("dim", dim);
    int64_t start = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
      auto k = static_cast<int>(i);
      bool skipped = lengths[i] == kSkipped;
      if (b.needs(k)) b.give(k, skipped ? zeros(Dims{0}, b.g().dtype()) : narrow(b.g(), dim, start, lengths[i]));
      if (!skipped) start += lengths[i];
    }
  }
};

// The first tensor that has a say in the shape.
const Tensor& first_joined(Tensors tensors) {
  if (tensors.empty()) raise(PyExc_ValueError, "torch.cat(): expected a non-empty list of Tensors");
  const Tensor* first = nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].ndim() == 0) {
      raise(PyExc_RuntimeError, "zero-dimensional tensor (at position ", i,
            ") cannot be concatenated\n  What to do: stack() joins tensors without dimensions into a vector.");
    }
    if (!first && !is_skipped(tensors[i])) first = &tensors[i];
  }
  return first ? *first : tensors[0];
}

[[gnu::noinline]] MemoryFormat format_of_all(Tensors tensors, MemoryFormat first) {
  for (const Tensor& t : tensors) {
    if (suggested_format(t) != first) return MemoryFormat::Contiguous;
  }
  return first;
}

// The one that all tensors have; see Note [Layouts of results].
inline MemoryFormat common_format(Tensors tensors) {
  const MemoryFormat first = suggested_format(tensors[0]);
  return first == MemoryFormat::Contiguous ? first : format_of_all(tensors, first);
}

}  // namespace

Tensor cat(Tensors tensors, int64_t dim) {
  const Tensor& first = first_joined(tensors);
  int d = is_skipped(first) ? 0 : wrap_dim(dim, first.ndim());  // tensors of nothing join in any dimension
  DType dtype = common_type(tensors);
  const MemoryFormat format = common_format(tensors);
  const bool plain = format == MemoryFormat::Contiguous;
  bool rows = true;
  Dims sizes(first.sizes());
  sizes[d] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (is_skipped(t)) continue;
    check_joinable(first, t, i, d);
    sizes[d] = (CheckedSize(sizes[d]) + t.size(d)).value();
    rows &= (plain ? t.is_contiguous() : is_contiguous_in(format, t)) && t.dtype() == dtype;
  }
  Tensor out = plain ? empty(sizes, dtype) : empty_in(format, sizes, dtype);
  if (rows) {
    place_rows(out, tensors, plain ? rows_outside(out, d) : rows_outside_last(out, d), is_skipped);
  } else {
    int64_t start = 0;
    for (const Tensor& t : tensors) {
      if (is_skipped(t)) continue;
      place(out, wrapped(start, out.stride(d)), out.strides(), t);
      start += t.size(d);
    }
  }
  return record_many(kCat, std::move(out), tensors, [&] { return CatGradient(tensors, d); });
}

namespace {

// As PyTorch, which joins along an existing dimension and cuts that in two.
[[gnu::noinline]] Tensor empty_stack(Tensors tensors, int dim, const Dims& sizes, DType dtype, MemoryFormat format) {
  if (dim == tensors[0].ndim()) return empty(sizes, dtype);
  Dims joined(tensors[0].sizes()), strides;
  joined[dim] *= static_cast<int64_t>(tensors.size());
  view_strides(joined, strides_in(format, joined), sizes, count(sizes), strides);
  return empty_strided(sizes, strides, dtype);
}

}  // namespace

Tensor stack(Tensors tensors, int64_t dim) {
  if (tensors.empty()) raise(PyExc_RuntimeError, "stack expects a non-empty TensorList");
  const Tensor& first = tensors[0];
  int d = wrap_dim(dim, first.ndim() + 1);
  DType dtype = common_type(tensors);
  bool rows = true;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!equal(tensors[i].sizes(), first.sizes())) {
      raise(PyExc_RuntimeError, "stack expects each tensor to be equal size, but got ", first.sizes(),
            " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
    }
    rows &= tensors[i].is_contiguous() && tensors[i].dtype() == dtype;
  }
  Dims sizes(first.sizes());
  sizes.insert(d, static_cast<int64_t>(tensors.size()));
  const MemoryFormat format = common_format(tensors);
  const bool plain = format == MemoryFormat::Contiguous;
  Tensor out = plain ? empty(sizes, dtype) : empty_stack(tensors, d, sizes, dtype, format);
  if (rows && out.is_contiguous()) {
    place_rows(out, tensors, rows_outside(out, d), [](const Tensor&) { return false; });
  } else {
    Dims strides(out.strides());
    strides.erase(d);
    for (size_t i = 0; i < tensors.size(); ++i)
      place(out, wrapped(static_cast<int64_t>(i), out.stride(d)), strides, tensors[i]);
  }
  return record_many(kStack, std::move(out), tensors, [d] {
    return [d](Backward& b, Kept* kept) {
      if (kept) return kept->add("dim", d);
      for (int i = 0; i < b.node()->edge_count; ++i) {
        if (b.needs(i)) b.give(i, select(b.g(), d, i));
      }
    };
  });
}

namespace {

std::vector<Tensor> each(Tensors tensors, Tensor (*f)(const Tensor&)) {
  std::vector<Tensor> result;
  for (const Tensor& t : tensors) result.push_back(f(t));
  return result;
}

void check_some(Tensors tensors, const char* op) {
  if (tensors.empty()) raise(PyExc_RuntimeError, op, " expects a non-empty TensorList");
}

}  // namespace

Tensor hstack(Tensors tensors) {
  check_some(tensors, "hstack");
  std::vector<Tensor> all = each(tensors, atleast_1d);
  return cat(all, all[0].ndim() == 1 ? 0 : 1);
}

Tensor vstack(Tensors tensors) {
  check_some(tensors, "vstack");
  return cat(each(tensors, atleast_2d), 0);
}

Tensor dstack(Tensors tensors) {
  check_some(tensors, "dstack");
  return cat(each(tensors, atleast_3d), 2);
}

Tensor column_stack(Tensors tensors) {
  check_some(tensors, "column_stack");
  return hstack(each(tensors, [](const Tensor& t) { return t.ndim() < 2 ? reshape(t, Dims{t.numel(), 1}) : t; }));
}

namespace {

// Where an input of block_diag lies in the result.
struct Block {
  Dims sizes;
  int64_t row, column, rows, columns;
};

std::vector<Block> place_blocks(Tensors tensors) {
  std::vector<Block> blocks;
  int64_t row = 0, column = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (t.ndim() > 2) {
      raise(PyExc_RuntimeError, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ", i, " has ",
            t.ndim(), " dimensions");
    }
    int64_t rows = t.ndim() == 2 ? t.size(0) : 1, columns = t.ndim() == 0 ? 1 : t.size(t.ndim() - 1);
    blocks.push_back({Dims(t.sizes()), row, column, rows, columns});
    row += rows;
    column += columns;
  }
  return blocks;
}

struct BlockDiagGradient {
  std::vector<Block> blocks;

  void operator()(Backward& b) const {
    for (size_t i = 0; i < blocks.size(); ++i) {
      auto k = static_cast<int>(i);
      if (!b.needs(k)) continue;
      const Block& block = blocks[i];
      Tensor part = narrow(narrow(b.g(), 0, block.row, block.rows), 1, block.column, block.columns);
      b.give(k, reshape(part, block.sizes));
    }
  }
};

}  // namespace

Tensor block_diag(Tensors tensors) {
  if (tensors.empty()) return empty(Dims{1, 0}, default_dtype());
  std::vector<Block> blocks = place_blocks(tensors);
  int64_t rows = blocks.back().row + blocks.back().rows, columns = blocks.back().column + blocks.back().columns;
  Tensor out = zeros(Dims{rows, columns}, common_type(tensors));
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    Dims strides(t.ndim(), 1);
    if (t.ndim() == 2) strides[0] = columns;
    place(out, blocks[i].row * columns + blocks[i].column, strides, t);
  }
  return record_many(kBlockDiag, std::move(out), tensors, [&] { return BlockDiagGradient{std::move(blocks)}; });
}

Tensor atleast_1d(const Tensor& t) { return t.ndim() == 0 ? view(t, Dims{1}) : t; }

Tensor atleast_2d(const Tensor& t) {
  if (t.ndim() == 0) return view(t, Dims{1, 1});
  return t.ndim() == 1 ? unsqueeze(t, 0) : t;
}

Tensor atleast_3d(const Tensor& t) {
  if (t.ndim() == 0) return view(t, Dims{1, 1, 1});
  if (t.ndim() == 1) return unsqueeze(unsqueeze(t, 0), -1);
  return t.ndim() == 2 ? unsqueeze(t, -1) : t;
}

std::vector<Tensor> broadcast_tensors(Tensors tensors) {
  Dims shape;
  for (const Tensor& t : tensors) shape = broadcast_shapes(shape, t.sizes(), "broadcast_tensors");
  std::vector<Tensor> result;
  for (const Tensor& t : tensors) result.push_back(equal(t.sizes(), shape) ? t : expand(t, shape));
  return result;
}

}  // namespace chainrule
