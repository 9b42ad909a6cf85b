// The different elements of a tensor, or its different slices along one dimension.
#include "ops/unique.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "autograd/record.hpp"
#include "backends/cpu/sort.hpp"
#include "ops/copy.hpp"
#include "ops/rearrange.hpp"
#include "ops/unsigned_order.hpp"
#include "tensor/element_type.hpp"

namespace chainrule {
namespace {

OpInfo kUnique{"unique", "Unique2Backward0", "none: PyTorch defines no derivative"};
OpInfo kUniqueDim{"unique", "UniqueDimBackward0", "none: PyTorch defines no derivative"};
OpInfo kConsecutive{"unique_consecutive", "UniqueConsecutiveBackward0", "none: PyTorch defines no derivative"};

void refuse_complex(const Tensor& x, const char* kernel) {
  if (is_complex(x.dtype()))
    raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(x.dtype()).tensor_name, "'");
}

Tensor plain(const Tensor& x) {
  GradModeScope off(false);
  return contiguous(x);
}

// Gives the values a history that says, when asked for a gradient, that there is none.
Unique recorded(OpInfo& op, const char* pytorch_name, const Tensor& x, Unique u) {
  u.values = record(op, u.values, {&x}, {}, [pytorch_name](Backward&) {
    raise(PyExc_NotImplementedError, "the derivative for '", pytorch_name, "' is not implemented.");
  });
  return u;
}

// Where in an order the groups of equal neighbours begin, then the number of things in it.
struct Groups {
  std::unique_ptr<int64_t[]> firsts;
  int64_t count = 0;
};

// Of n things: thing order[i] is the i-th (i itself without `order`), and begins(i) tells whether a new group begins
// there, for i > 0. No jump depends on that: it is hard to foresee.
template <class Begins>
Groups group(int64_t n, Begins begins, const int64_t* order, int64_t* inverse) {
  Groups g{std::make_unique_for_overwrite<int64_t[]>(static_cast<size_t>(n) + 1)};
  int64_t* firsts = g.firsts.get();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    firsts[count] = i;
    count += i == 0 || begins(i);
    if (inverse) inverse[order ? order[i] : i] = count - 1;
  }
  firsts[count] = n;
  g.count = count;
  return g;
}

Tensor counts_of(const Groups& g) {
  Tensor counts = empty(Dims{g.count}, DType::Int64);
  for (int64_t i = 0; i < g.count; ++i) counts.data<int64_t>()[i] = g.firsts[i + 1] - g.firsts[i];
  return counts;
}

// Room for the inverse, and its address; null if it is not wanted.
int64_t* make_inverse(Unique& u, Span sizes, bool wanted) {
  if (wanted) u.inverse = empty(sizes, DType::Int64);
  return wanted ? u.inverse.data<int64_t>() : nullptr;
}

// The groups of equal neighbours in `x`, contiguous; element i of it was at order[i].
Unique group_elements(const Tensor& x, const int64_t* order, Span sizes, bool inverse) {
  Unique u;
  int64_t* which = make_inverse(u, sizes, inverse);
  with_real_type(x.dtype(), [&]<class T>(T*) {
    const T* from = x.data<T>();
    Groups groups = group(x.numel(), [from](int64_t i) { return from[i] != from[i - 1]; }, order, which);
    u.counts = counts_of(groups);
    u.values = empty(u.counts.sizes(), x.dtype());
    const int64_t* firsts = groups.firsts.get();
    std::transform(firsts, firsts + groups.count, u.values.data<T>(), [from](int64_t first) { return from[first]; });
  });
  return u;
}

// The slices of a tensor along a dimension, as contiguous rows.
struct Slices {
  Tensor rows;  // of the shape that the tensor has with the dimension in front
  int64_t count, length;
};

Slices slices_of(const Tensor& x, int dim) {
  GradModeScope off(false);
  Tensor rows = contiguous(movedim(x, Dims{dim}, Dims{0}));
  int64_t count = rows.size(0);
  return {rows, count, count ? rows.numel() / count : 0};
}

// NaN is neither less nor greater than anything, and what stands behind it decides: PyTorch's order of rows.
template <class T>
bool is_less(const T* a, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (a[i] < b[i]) return true;
    if (a[i] > b[i]) return false;
  }
  return false;
}

// With NaN that is no order, and std::sort may leave the array where it is no insertion sort. Up to there the result is
// PyTorch's to the last row.
template <class Less>
void sort_rows(std::vector<int64_t>& rows, Less less) {
  constexpr size_t kInsertionSort = 16;
  if (rows.size() <= kInsertionSort)
    std::sort(rows.begin(), rows.end(), less);
  else
    std::stable_sort(rows.begin(), rows.end(), less);
}

Tensor take_slices(const Slices& s, const Groups& groups, const int64_t* order, int dim) {
  GradModeScope off(false);
  Dims sizes(s.rows.sizes());
  sizes[0] = groups.count;
  Tensor out = empty(sizes, s.rows.dtype());
  size_t bytes = static_cast<size_t>(s.length) * size_of(s.rows.dtype());
  char* to = out->data;
  for (int64_t i = 0; i < sizes[0]; ++i, to += bytes) {
    int64_t first = groups.firsts[i];
    std::memcpy(to, s.rows->data + static_cast<size_t>(order ? order[first] : first) * bytes, bytes);
  }
  return alias(contiguous(movedim(out, Dims{0}, Dims{dim})));
}

Unique nothing_like(const Tensor& x) {
  return {empty(x.sizes(), x.dtype()), empty(Dims{0}, DType::Int64), empty(Dims{0}, DType::Int64)};
}

Unique group_slices(const Tensor& x, int dim, bool sorted, bool inverse) {
  int64_t zeros = std::count(x.sizes().begin(), x.sizes().end(), 0);
  if (x.size(dim) == 0) {
    check(zeros == 1, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
    return nothing_like(x);
  }
  check(zeros == 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  Slices s = slices_of(x, dim);
  std::vector<int64_t> order(sorted ? static_cast<size_t>(s.count) : 0);
  std::iota(order.begin(), order.end(), 0);
  const int64_t* at = sorted ? order.data() : nullptr;
  Unique u;
  int64_t* which = make_inverse(u, Dims{s.count}, inverse);
  with_real_type(x.dtype(), [&]<class T>(T*) {
    auto row = [from = s.rows.data<T>(), &s](int64_t i) { return from + i * s.length; };
    sort_rows(order, [&](int64_t a, int64_t b) { return is_less(row(a), row(b), s.length); });
    auto begins = [&](int64_t i) {
      const T *now = row(at ? at[i] : i), *before = row(at ? at[i - 1] : i - 1);
      return !std::equal(now, now + s.length, before);
    };
    Groups groups = group(s.count, begins, at, which);
    u.counts = counts_of(groups);
    u.values = take_slices(s, groups, at, dim);
  });
  return u;
}

// The same question about signed numbers of the same order.
template <class Question>
Unique of_signed(const Tensor& x, Question question) {
  Unique u = question(as_signed(x));
  u.values = as_unsigned(u.values, x.dtype());
  return u;
}

int checked_dim(const Tensor& x, int64_t dim) {
  if (x.ndim() == 0) raise(PyExc_IndexError, "Dimension specified as ", dim, " but tensor has no dimensions");
  return wrap_dim(dim, x.ndim());
}

}  // namespace

Unique unique(const Tensor& x, bool inverse) {
  if (is_limited(x.dtype())) return of_signed(x, [&](const Tensor& t) { return unique(t, inverse); });
  refuse_complex(x, "unique");
  Tensor from = plain(x), values = empty(Dims{x.numel()}, x.dtype()), indices = empty(Dims{x.numel()}, DType::Int64);
  cpu::sort_rows({x.dtype(), from->data, x.numel() ? 1 : 0, x.numel()}, false, cpu::Ties::Kept, values->data,
                 indices.data<int64_t>());
  return recorded(kUnique, "_unique2", x, group_elements(values, indices.data<int64_t>(), x.sizes(), inverse));
}

Unique unique_consecutive(const Tensor& x, bool inverse) {
  if (is_limited(x.dtype())) return of_signed(x, [&](const Tensor& t) { return unique_consecutive(t, inverse); });
  refuse_complex(x, "unique");
  return recorded(kConsecutive, "unique_consecutive", x, group_elements(plain(x), nullptr, x.sizes(), inverse));
}

Unique unique_slices(const Tensor& x, int64_t dim, bool inverse) {
  if (is_limited(x.dtype())) return of_signed(x, [&](const Tensor& t) { return unique_slices(t, dim, inverse); });
  int d = checked_dim(x, dim);
  refuse_complex(x, "unique_dim");
  return recorded(kUniqueDim, "unique_dim", x, group_slices(x, d, true, inverse));
}

Unique unique_consecutive_slices(const Tensor& x, int64_t dim, bool inverse) {
  if (is_limited(x.dtype()))
    return of_signed(x, [&](const Tensor& t) { return unique_consecutive_slices(t, dim, inverse); });
  int d = checked_dim(x, dim);
  refuse_complex(x, "unique");
  return recorded(kConsecutive, "unique_consecutive", x, group_slices(x, d, false, inverse));
}

}  // namespace chainrule
