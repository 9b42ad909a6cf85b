#include "ops/indexing/sparse.hpp"

#include "autograd/inplace.hpp"
#include "backends/bounds.hpp"
#include "backends/sparse.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

void check_range(const Tensor& indices, int64_t bound, const char* what) {
  StrayIndex stray;
  Tensor wide = contiguous(to_dtype(indices, DType::Int64));
  backend().bounds->check({wide.data<int64_t>(), wide.numel(), bound, {}, &stray});
  if (stray.position < 0) return;
  raise(PyExc_IndexError, "sparse: ", what, " ", stray.value, " at position ", stray.position,
        " is out of range, there are ", bound);
}

void check_dtype(const Tensor& t) {
  check(t.dtype() == DType::Float32 || t.dtype() == DType::Float64, "sparse: no kernel for ", facts(t.dtype()).name);
}

// Starts and columns as kernels take them, looked at once.
struct Rows {
  Rows(const Tensor& row_starts, const Tensor& row_columns, int64_t width)
      : starts(contiguous(row_starts)), columns(contiguous(to_dtype(row_columns, row_starts.dtype()))) {
    check(starts.dtype() == DType::Int64 || starts.dtype() == DType::Int32, "sparse: indices are int64 or int32");
    check(starts.ndim() == 1 && columns.ndim() == 1 && starts.numel() > 0, "sparse: indices of a matrix are vectors");
    check_range(columns, width, "column");
    check_range(starts, columns.numel() + 1, "start of a row");
    GradModeScope off(false);
    const int64_t n = starts.numel() - 1;
    bool rising = starts.dtype() == DType::Int64 ? rises<int64_t>(n) : rises<int32_t>(n);
    check(rising, "sparse: rows start in their order, the first at 0, and the last ends where the columns do");
    described = {starts->data, columns->data, starts.dtype() == DType::Int32, n, width};
  }

  // Read as indices are by `bounds`: they say what memory is touched.
  template <class I>
  bool rises(int64_t n) const {
    ElementScope open;
    const I* s = starts.data<I>();
    return s[0] == 0 && s[n] == columns.numel() && std::is_sorted(s, s + n + 1);
  }

  Tensor starts, columns;
  SparseRows described;
};

}  // namespace

Tensor sparse_product(const Tensor& starts, const Tensor& columns, const Tensor& values, const Tensor& dense) {
  GradModeScope off(false);
  check_dtype(values);
  check(dense.ndim() == 2 && dense.dtype() == values.dtype(), "sparse: a product with a matrix of the same dtype");
  const Rows rows(starts, columns, dense.size(0));
  check(values.ndim() == 1 && values.numel() == rows.columns.numel(), "sparse: one value for each column");
  Tensor from = contiguous(dense), numbers = contiguous(values);
  Tensor to = empty(Dims{rows.described.count, dense.size(1)}, dense.dtype());
  backend().sparse->product({rows.described, to.dtype(), numbers->data, from->data, to->data, to.size(1)});
  return to;
}

Tensor sparse_transposed_product(const Tensor& starts, const Tensor& columns, const Tensor& values, const Tensor& dense,
                                 int64_t width) {
  GradModeScope off(false);
  check_dtype(values);
  check(dense.ndim() == 2 && dense.dtype() == values.dtype(), "sparse: a product with a matrix of the same dtype");
  const Rows rows(starts, columns, width);
  check(dense.size(0) == rows.described.count, "sparse: a row of the dense matrix for each of the sparse one's");
  check(values.ndim() == 1 && values.numel() == rows.columns.numel(), "sparse: one value for each column");
  Tensor from = contiguous(dense), numbers = contiguous(values), to = empty(Dims{width, dense.size(1)}, dense.dtype());
  backend().sparse->transposed_product({rows.described, to.dtype(), numbers->data, from->data, to->data, to.size(1)});
  return to;
}

Tensor sparse_sampled_product(const Tensor& starts, const Tensor& columns, const Tensor& left, const Tensor& right) {
  GradModeScope off(false);
  check_dtype(left);
  check(left.ndim() == 2 && right.ndim() == 2 && left.dtype() == right.dtype() && left.size(1) == right.size(1),
        "sparse: two matrices of one dtype, with rows of one length");
  const Rows rows(starts, columns, right.size(0));
  check(left.size(0) == rows.described.count, "sparse: a row of the left matrix for each of the sparse one's");
  Tensor a = contiguous(left), b = contiguous(right), values = empty(Dims{rows.columns.numel()}, left.dtype());
  backend().sparse->sample({rows.described, a.dtype(), a->data, b->data, values->data, a.size(1)});
  return values;
}

std::pair<Tensor, Tensor> sparse_order(const Tensor& keys, int64_t bound) {
  GradModeScope off(false);
  check_range(keys, bound, "key");
  Tensor sorted = contiguous(to_dtype(keys, DType::Int64));
  const int64_t n = sorted.numel();
  Tensor order = empty(Dims{n}, DType::Int64), starts = empty(Dims{n}, DType::Int64);
  int64_t runs = 0;
  backend().sparse->order({sorted.data<int64_t>(), n, bound, order.data<int64_t>(), starts.data<int64_t>(), &runs});
  return {order, narrow(starts, 0, 0, runs)};
}

Tensor sparse_run_sums(const Tensor& values, const Tensor& order, const Tensor& starts) {
  GradModeScope off(false);
  check_dtype(values);
  check_range(order, values.size(0), "place");
  check_range(starts, order.numel(), "start of a run");
  Tensor from = contiguous(values), places = contiguous(order), begins = contiguous(starts);
  Dims sizes(values.sizes());
  sizes[0] = starts.numel();
  Tensor to = empty(sizes, values.dtype());
  const int64_t width = sizes[0] ? to.numel() / sizes[0] : 0;
  backend().sparse->run_sums({places.data<int64_t>(), begins.data<int64_t>(), sizes[0], places.numel(), width,
                              to.dtype(), from->data, to->data});
  return to;
}

namespace {

// What an update reads, held while it runs.
struct Update {
  Update(const Tensor& table, const Tensor& at, const Tensor& given)
      : rows(contiguous(to_dtype(at, DType::Int64))), values(contiguous(given)) {
    check_dtype(table);
    check(table.is_contiguous() && table.ndim() > 0 && values.dtype() == table.dtype(),
          "sparse: rows of a contiguous table are changed by values of its dtype");
    const int64_t width = table.size(0) ? table.numel() / table.size(0) : 0;
    check(rows.ndim() == 1 && values.numel() == rows.numel() * width, "sparse: a row of values for each index");
    check_range(rows, table.size(0), "row");
    described = {rows.data<int64_t>(), rows.numel(), table.size(0), width, table.dtype(), values->data, table->data};
  }

  Tensor rows, values;
  SparseUpdate described;
};

}  // namespace

Tensor sparse_add_rows_(const Tensor& table, const Tensor& rows, const Tensor& values, double factor) {
  check_inplace(table, grad_enabled() && requires_grad(table));
  {
    GradModeScope off(false);
    const Update update(table, rows, values);
    backend().sparse->add_rows({update.described, factor});
  }
  mark_written(table);
  return table;
}

void sparse_adam(const Tensor& table, const Tensor& averages, const Tensor& squares, const Tensor& rows,
                 const Tensor& values, const SparseAdamNumbers& n) {
  GradModeScope off(false);
  for (const Tensor* state : {&averages, &squares}) {
    check(state->dtype() == table.dtype() && state->is_contiguous() && equal(state->sizes(), table.sizes()),
          "sparse: averages are laid out as the table");
  }
  const Update update(table, rows, values);
  backend().sparse->adam(
      {update.described, averages->data, squares->data, n.beta1, n.beta2, n.eps, n.step, n.maximize});
  for (const Tensor* written : {&table, &averages, &squares}) mark_written(*written);
}

}  // namespace chainrule
