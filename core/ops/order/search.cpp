// Places of values among sorted boundaries.
#include "ops/order/search.hpp"

#include <algorithm>
#include <limits>

#include "autograd/record.hpp"
#include "backends/positions.hpp"
#include "backends/search.hpp"
#include "ops/create/create.hpp"
#include "ops/views/copy.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

constexpr const char* kName = "torch.searchsorted(): ";

bool is_right(const SearchOptions& o) {
  if (!o.side) return o.right;
  check(*o.side == "left" || *o.side == "right", kName, "side can only be 'left' or 'right' but got ", *o.side);
  check(*o.side == "right" || !o.right, kName,
        "side and right can't be set to opposites, got side of left while right was True");
  return *o.side == "right";
}

bool same_rows(Span sequence, Span values) {
  return sequence.size() == values.size() &&
         equal(sequence.first(sequence.size() - 1), values.first(values.size() - 1));
}

void check_shapes(const Tensor& sequence, const Tensor& values) {
  check(values.ndim() > 0 || sequence.ndim() == 1, kName,
        "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim(",
        sequence.ndim(), ") and input value's dim(", values.ndim(), ") numel(", values.numel(), ")");
  check(sequence.ndim() > 0, kName, "boundaries tensor should have positive dimension, but got 0 dimension");
  check(sequence.ndim() == 1 || same_rows(sequence.sizes(), values.sizes()), kName,
        "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
        "tensor must match, but we got boundaries tensor ",
        sequence.sizes(), " and input value tensor ", values.sizes());
}

void check_sorter(const Tensor& sorter, const Tensor& sequence) {
  check(equal(sorter.sizes(), sequence.sizes()), kName,
        "boundary and sorter must have the same size, but got boundary tensor ", sequence.sizes(),
        "and got sorter tensor ", sorter.sizes());
  check(sorter.dtype() == DType::Int64, kName, "sorter must be a tensor of long dtype but got dtype ",
        facts(sorter.dtype()).tensor_name);
}

// The sorter's indices, contiguous, each of them inside its row.
Tensor checked_sorter(const Tensor& sorter, int64_t length) {
  Tensor order = contiguous(sorter);
  Bad bad;
  backend().positions->check({order.data<int64_t>(), order.numel(), length, &bad});
  if (bad) check(false, kName, "sorter index out of range: ", *bad, ", where a row has ", length, " elements");
  return order;
}

Tensor as_tensor(const Operand& o) {
  return o.tensor ? Tensor::borrow(o.tensor) : scalar_tensor(o.scalar, dtype_of(o.scalar));
}

void warn_of_copy(const Tensor& t, const std::string& what) {
  if (t.is_contiguous()) return;
  std::string text = "torch.searchsorted(): " + what +
                     " tensor is non-contiguous, this will lower the performance due to extra data copy when "
                     "converting non-contiguous tensor to contiguous, please use contiguous " +
                     what + " tensor if possible. This message will only appear once per program.";
  from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
}

}  // namespace

Tensor searchsorted(const Tensor& sequence, const Operand& values, const SearchOptions& options) {
  GradModeScope off(false);
  bool right = is_right(options);
  Tensor given = as_tensor(values);
  check_shapes(sequence, given);
  if (options.sorter) check_sorter(options.sorter, sequence);
  int64_t length = sequence.size(sequence.ndim() - 1);
  check(!options.out_int32 || length < std::numeric_limits<int32_t>::max(), kName,
        "the size of boundaries' last dimension should be less than ", std::numeric_limits<int32_t>::max(),
        ", but got ", length);
  const Operand both[] = {sequence, values};
  DType common = result_type(both), kind = options.out_int32 ? DType::Int32 : DType::Int64;
  if (given.numel() && (is_complex(common) || is_bool(common))) {
    raise(PyExc_NotImplementedError, "\"searchsorted_out_cpu\" not implemented for '", facts(common).tensor_name, "'");
  }
  warn_of_copy(given, "input value");
  warn_of_copy(sequence, "boundary");
  if (options.sorter) warn_of_copy(options.sorter, "sorter");
  Tensor boundaries = contiguous(to_dtype(sequence, common)), from = contiguous(to_dtype(given, common));
  Tensor order = options.sorter ? checked_sorter(options.sorter, length) : Tensor();
  Tensor out = empty(given.sizes(), kind);
  if (out.numel() == 0) return out;
  int64_t rows = sequence.ndim() == 1 ? 1 : out.numel() / out.size(out.ndim() - 1);
  backend().search->rows({{common, boundaries->data, rows, length, order ? order.data<int64_t>() : nullptr},
                          from->data,
                          out.numel() / rows,
                          right,
                          out->data,
                          options.out_int32});
  return out;
}

Tensor bucketize(const Operand& values, const Tensor& boundaries, bool out_int32, bool right) {
  check(boundaries.ndim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.ndim(), ")");
  return searchsorted(boundaries, values, {out_int32, right, std::nullopt, Tensor()});
}

}  // namespace chainrule
