#include "backends/range.hpp"

#include <cmath>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/range.hpp"
#include "tensor/half.hpp"

namespace chainrule::cpu {
namespace {

// See backends/cpu/range.hpp.
template <class H>
void arange_halves(H* out, int64_t n, float start, float step) {
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
void linspace_halves(H* out, int64_t n, H first, H last) {
  H step = n > 1 ? H(H(last - first) / static_cast<H>(n - 1)) : H(0);
  auto after = [step](H from, int64_t i) { return H(step * static_cast<H>(i)) + from; };
  auto before = [step](H to, int64_t i) { return to - H(step * static_cast<H>(i)); };
  for (int64_t i = 0; i < n; ++i) out[i] = H(i < n / 2 || n == 1 ? after(first, i) : before(last, n - 1 - i));
}

void arange_integers(int64_t* out, int64_t n, int64_t start, int64_t step) {
  for (int64_t i = 0; i < n; ++i) out[i] = start + step * i;
}

template <class T>
T* as(char* to) {
  return reinterpret_cast<T*>(to);
}

void arange(const Range& r) {
  const double start = r.start.real, step = r.step.real;
  auto from = static_cast<float>(start), by = static_cast<float>(step);
  if (r.dtype == DType::Int64) arange_integers(as<int64_t>(r.to), r.count, r.start.integer, r.step.integer);
  if (r.dtype == DType::Float64) CR_DISPATCH(arange_doubles)(as<double>(r.to), r.count, start, step);
  if (r.dtype == DType::Float32) CR_DISPATCH(arange_floats)(as<float>(r.to), r.count, start, step);
  if (r.dtype == DType::Float16) arange_halves(as<Half>(r.to), r.count, from, by);
  if (r.dtype == DType::BFloat16) arange_halves(as<BFloat16>(r.to), r.count, from, by);
}

void linspace(const EqualSteps& s) {
  auto first = static_cast<float>(s.first), last = static_cast<float>(s.last);
  if (s.dtype == DType::Float64) CR_DISPATCH(linspace_doubles)(as<double>(s.to), s.count, s.first, s.last);
  if (s.dtype == DType::Float32) CR_DISPATCH(linspace_floats)(as<float>(s.to), s.count, first, last);
  if (s.dtype == DType::Float16) linspace_halves(as<Half>(s.to), s.count, Half(first), Half(last));
  if (s.dtype == DType::BFloat16) linspace_halves(as<BFloat16>(s.to), s.count, BFloat16(first), BFloat16(last));
}

}  // namespace

constinit const RangeKernels range_kernels{{arange}, {linspace}};

}  // namespace chainrule::cpu
