// Fresh tensors.
#include "ops/create.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backends/cpu/range.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "ops/complex.hpp"
#include "ops/copy.hpp"
#include "tensor/element_type.hpp"
#include "tensor/half.hpp"

namespace chainrule {
namespace {

OpInfo kFill{"fill", "FillBackward0", "self: 0"}, kFillInplace{"fill_", "FillBackward2", "self: 0"};
OpInfo kFillTensor{"fill", "FillBackward1", "self: 0, value: the sum of g"},
    kFillTensorInplace{"fill_", "FillBackward3", "self: 0, value: the sum of g"};
OpInfo kZero{"zero_", "ZeroBackward0", "self: 0"};

[[noreturn]] void refuse(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

// The number that is left of it in an integer dtype.
double as_element(const Scalar& value, DType dtype) {
  check_fits(value, dtype);
  alignas(8) char bytes[8];
  store(value, dtype, bytes);
  return load(dtype, bytes).real;
}

void fill_contiguous(const Tensor& t, const char* value) {
  constexpr int64_t kGrain = 64 * 1024;  // elements for one thread
  with_element_size(t.dtype(), [&]<class T>(T*) {
    T one;
    std::memcpy(&one, value, sizeof one);
    T* to = reinterpret_cast<T*>(t->data);
    cpu::parallel_for(t.numel(), kGrain, [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, one); });
  });
}

void fill_elements(const Tensor& t, const Scalar& value) {
  if (t->storage->device == Device::Meta) return;
  bool zero_bits = value.real == 0 && value.imaginary == 0 && !std::signbit(value.real);
  if (zero_bits && t.is_contiguous()) {
    std::memset(t->data, 0, static_cast<size_t>(t.numel()) * size_of(t.dtype()));
    return;
  }
  Tensor one = empty({}, t.dtype());
  store(value, t.dtype(), one->data);
  const bool streams = t.numel() * static_cast<int64_t>(size_of(t.dtype())) >= thresholds.stream;
  if (t.is_contiguous() && !streams)
    fill_contiguous(t, one->data);
  else
    copy_elements(t, one);
}

void give_zeros(Backward& b) {
  if (b.needs(0)) b.give(0, zeros(b.g().sizes(), b.g().dtype()));
}

// See Note [Ranges bit for bit].
template <class H>
void fill_half_arange(H* out, int64_t n, float start, float step) {
  constexpr int64_t lanes = 32 / sizeof(H);
  auto after = [=](int64_t i) { return H(std::fma(step, static_cast<float>(i), start)); };
  int64_t paired = n / (2 * lanes) * (2 * lanes);
  for (int64_t i = 0; i < paired; i += lanes) {
    float first = after(i);
    for (int64_t k = 0; k < lanes; ++k) out[i + k] = H(first + step * static_cast<float>(k));
  }
  for (int64_t i = paired; i < n; ++i) out[i] = after(i);
}

template <class H>
void fill_half_linspace(H* out, int64_t n, H first, H last) {
  H step = n > 1 ? H(H(last - first) / static_cast<H>(n - 1)) : H(0);
  auto after = [step](H from, int64_t i) { return H(step * static_cast<H>(i)) + from; };
  auto before = [step](H to, int64_t i) { return to - H(step * static_cast<H>(i)); };
  for (int64_t i = 0; i < n; ++i) out[i] = H(i < n / 2 || n == 1 ? after(first, i) : before(last, n - 1 - i));
}

Tensor real_range(int64_t n, double start, double step, DType dtype) {
  Tensor t = empty(Dims{n}, dtype);
  auto from = static_cast<float>(start), by = static_cast<float>(step);
  if (dtype == DType::Float64) CR_DISPATCH(arange_doubles)(t.data<double>(), n, start, step);
  if (dtype == DType::Float32) CR_DISPATCH(arange_floats)(t.data<float>(), n, start, step);
  if (dtype == DType::Float16) fill_half_arange(t.data<Half>(), n, from, by);
  if (dtype == DType::BFloat16) fill_half_arange(t.data<BFloat16>(), n, from, by);
  return t;
}

constexpr int64_t kTooLong = int64_t{1} << 58;

int64_t range_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (step.real == 0) raise(PyExc_RuntimeError, "step must be nonzero");
  if (!std::isfinite(start.real) || !std::isfinite(end.real)) {
    raise(PyExc_RuntimeError, "unsupported range: ", start.real, " -> ", end.real);
  }
  if ((step.real > 0) != (end.real >= start.real) && end.real != start.real) {
    raise(PyExc_RuntimeError, "upper bound and lower bound inconsistent with step sign");
  }
  if (start.kind <= Scalar::kInt && end.kind <= Scalar::kInt && step.kind <= Scalar::kInt) {
    __int128 span = static_cast<__int128>(end.integer) - start.integer;
    __int128 length = span == 0 ? 0 : (span + step.integer - (step.integer > 0 ? 1 : -1)) / step.integer;
    check(length < kTooLong, "invalid size, possible overflow?");
    return static_cast<int64_t>(length);
  }
  double length = std::ceil((end.real - start.real) / step.real);
  check(length < static_cast<double>(kTooLong), "invalid size, possible overflow?");
  return static_cast<int64_t>(length);
}

Tensor equal_steps(double start, double end, int64_t n, DType dtype) {
  Tensor t = empty(Dims{n}, is_floating(dtype) ? dtype : DType::Float64);
  auto first = static_cast<float>(start), last = static_cast<float>(end);
  if (t.dtype() == DType::Float64) CR_DISPATCH(linspace_doubles)(t.data<double>(), n, start, end);
  if (dtype == DType::Float32) CR_DISPATCH(linspace_floats)(t.data<float>(), n, first, last);
  if (dtype == DType::Float16) fill_half_linspace(t.data<Half>(), n, Half(first), Half(last));
  if (dtype == DType::BFloat16) fill_half_linspace(t.data<BFloat16>(), n, BFloat16(first), BFloat16(last));
  return t;
}

}  // namespace

void check_fits(const Scalar& value, DType dtype) {
  if (fits(value, dtype)) return;
  constexpr const char* names[kDTypeCount] = {"bool",          "uint8_t", "uint16_t", "uint32_t", "uint64_t",
                                              "int8_t",        "int16_t", "int",      "int64_t",  "c10::Half",
                                              "c10::BFloat16", "float",   "double"};
  raise(PyExc_RuntimeError, "value cannot be converted to type ", names[static_cast<int>(dtype)], " without overflow");
}

Tensor zeros(Span sizes, DType dtype) {
  Tensor t = empty(sizes, dtype);
  if (t->storage->device == Device::CPU) std::memset(t->data, 0, static_cast<size_t>(t.numel()) * size_of(dtype));
  return t;
}

Tensor full(Span sizes, const Scalar& value, DType dtype) {
  check_fits(value, dtype);
  Tensor t = empty(sizes, dtype);
  if (t.numel() == 1)
    store(value, dtype, t->data);
  else
    fill_elements(t, value);
  return t;
}

Tensor ones(Span sizes, DType dtype) { return full(sizes, Scalar::of_int(1), dtype); }
Tensor scalar_tensor(const Scalar& value, DType dtype) { return full({}, value, dtype); }

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, DType dtype) {
  if (is_bool(dtype) || is_complex(dtype) || is_limited(dtype)) refuse("arange_cpu", dtype);
  bool has_fractions = start.kind > Scalar::kInt || end.kind > Scalar::kInt || step.kind > Scalar::kInt;
  if (dtype == DType::Int64 &&
      has_fractions) {  // narrower integers count the steps before they are rounded, as in PyTorch
    if (step.real != 0 && std::fabs(step.real) < 1) raise(PyExc_ValueError, "step must be nonzero");
    auto whole = [](const Scalar& s) {
      return Scalar::of_int(s.kind > Scalar::kInt ? static_cast<int64_t>(s.real) : s.integer);
    };
    return arange(whole(start), whole(end), whole(step), dtype);
  }
  if (is_floating(dtype)) return real_range(range_length(start, end, step), start.real, step.real, dtype);
  Tensor t = empty(Dims{range_length(start, end, step)}, DType::Int64);
  int64_t first = start.kind <= Scalar::kInt ? start.integer : static_cast<int64_t>(start.real);
  int64_t by = step.kind <= Scalar::kInt ? step.integer : static_cast<int64_t>(step.real);
  auto* out = t.data<int64_t>();
  for (int64_t i = 0; i < t.numel(); ++i)
    out[i] = static_cast<int64_t>(static_cast<uint64_t>(first) + static_cast<uint64_t>(by) * static_cast<uint64_t>(i));
  return to_dtype(t, dtype);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, DType dtype) {
  if (steps < 0) raise(PyExc_RuntimeError, "number of steps must be non-negative");
  if ((is_bool(dtype) || is_limited(dtype)) && steps > 1) refuse("linspace_cpu", dtype);
  double first = start.real, last = end.real;
  if (is_integral(dtype)) {
    first = as_element(start, dtype);
    last = as_element(end, dtype);
  }
  Tensor t = equal_steps(first, last, steps, real_of(dtype));
  if (is_complex(dtype)) t = complex_of_parts(t, equal_steps(start.imaginary, end.imaginary, steps, real_of(dtype)));
  return to_dtype(t, dtype);
}

Tensor eye(int64_t n, int64_t m, DType dtype) {
  if (is_limited(dtype)) refuse("eye", dtype);
  check(n >= 0, "n must be greater or equal to 0, got ", n);
  check(m >= 0, "m must be greater or equal to 0, got ", m);
  Tensor t = zeros(Dims{n, m}, dtype);
  auto item = static_cast<int64_t>(size_of(dtype));
  for (int64_t i = 0; i < std::min(n, m); ++i) store(Scalar::of_int(1), dtype, t->data + i * (m + 1) * item);
  return t;
}

Tensor record_fill(OpInfo& op, const Tensor& self, const Tensor& other) {
  Node* n = make_node(&op, other ? 2 : 1, 0, 1);
  set_edge(n, 0, gradient_edge(self));
  if (other) set_edge(n, 1, gradient_edge(other));
  set_function(n, [two = static_cast<bool>(other)](Backward& b) {
    for (int i = 0; i <= two; ++i) {
      if (b.needs(i)) b.give(i, zeros(b.g().sizes(), b.g().dtype()));
    }
  });
  n->outputs[0].describe(self);
  finish_node(n);
  rebase_history(self, n);
  return self;
}

Tensor fill(const Tensor& x, const Scalar& value, Place place) {
  check_fits(value, x.dtype());
  Tensor out = open_expanded_write(nullptr, place, {&x});
  fill_elements(out, value);
  return record_write(place == Place::Copy ? kFill : kFillInplace, place, out, {&x}, {}, give_zeros);
}

Tensor fill(const Tensor& x, const Tensor& value, Place place) {
  if (value.ndim() != 0) {
    raise(PyExc_RuntimeError, "fill_ only supports 0-dimension value tensor but got tensor with ", value.ndim(),
          " dimensions.");
  }
  Tensor out = open_write(place, {&x, &value});
  copy_elements(out, value);
  OpInfo& op = place == Place::Copy ? kFillTensor : kFillTensorInplace;
  return record_write(op, place, out, {&x, &value}, {}, [](Backward& b) {
    give_zeros(b);
    if (b.needs(1)) b.give(1, sum_to(b.g(), {}));
  });
}

Tensor zero_(const Tensor& self) {
  open_expanded_write(nullptr, Place::Itself, {&self});
  fill_elements(self, Scalar(0.0));
  return record_write(kZero, Place::Itself, self, {&self}, {}, give_zeros);
}

void fill_zero(const Tensor& target) { zero_(target); }

}  // namespace chainrule
