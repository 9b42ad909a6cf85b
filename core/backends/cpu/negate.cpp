// Changing signs where the elements lie.
#include "backends/cpu/negate.hpp"

#include <cstring>

#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024;

// A floating number's sign is its highest bit; an integer's negative is its two's complement.
template <class Bits, bool floating>
void negate_row(char* data, int64_t n, int64_t stride) {
  constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1);
  for (int64_t i = 0; i < n; ++i) {
    char* at = data + i * stride * static_cast<int64_t>(sizeof(Bits));
    Bits bits;
    std::memcpy(&bits, at, sizeof bits);
    bits = static_cast<Bits>(floating ? bits ^ kSign : Bits(0) - bits);
    std::memcpy(at, &bits, sizeof bits);
  }
}

using NegateRow = void (*)(char* data, int64_t n, int64_t stride);

NegateRow row_kernel(DType dtype) {
  const bool floating = is_floating(dtype);
  switch (size_of(dtype)) {
    case 1:
      return negate_row<uint8_t, false>;
    case 2:
      return floating ? negate_row<uint16_t, true> : negate_row<uint16_t, false>;
    case 4:
      return floating ? negate_row<uint32_t, true> : negate_row<uint32_t, false>;
    default:
      return floating ? negate_row<uint64_t, true> : negate_row<uint64_t, false>;
  }
}

void negate_rows(NegateRow kernel, Span sizes, char* data, Span strides, int64_t item) {
  if (sizes.size() <= 1) {
    const int64_t n = sizes.empty() ? 1 : sizes[0], stride = sizes.empty() ? 1 : strides[0];
    parallel_for(n, kGrain,
                 [&](int64_t begin, int64_t end) { kernel(data + begin * stride * item, end - begin, stride); });
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    negate_rows(kernel, sizes.subspan(1), data + i * strides[0] * item, strides.subspan(1), item);
}

// Dimensions that follow each other in memory are one; the others keep their order.
void merge_dims(Dims& sizes, Dims& strides) {
  for (int i = sizes.size() - 1; i > 0; --i) {
    if (sizes[i] != 1 && sizes[i - 1] != 1 && strides[i - 1] != sizes[i] * strides[i]) continue;
    if (sizes[i] == 1) strides[i] = strides[i - 1];
    sizes[i - 1] *= sizes[i];
    strides[i - 1] = strides[i];
    sizes.erase(i);
    strides.erase(i);
  }
}

}  // namespace

void negate_strided(Span given_sizes, char* data, Span given_strides, DType dtype) {
  if (dtype == DType::Bool) return;
  Dims sizes(given_sizes), strides(given_strides);
  if (is_complex(dtype)) {
    for (int64_t& s : strides) s *= 2;
    sizes.push_back(2);
    strides.push_back(1);
    dtype = real_of(dtype);
  }
  for (int64_t s : sizes) {
    if (s == 0) return;
  }
  merge_dims(sizes, strides);
  negate_rows(row_kernel(dtype), sizes, data, strides, static_cast<int64_t>(size_of(dtype)));
}

void conjugate_strided(Span sizes, char* data, Span given_strides, DType dtype) {
  const DType part = real_of(dtype);
  Dims strides(given_strides);
  for (int64_t& s : strides) s *= 2;
  negate_strided(sizes, data + size_of(part), strides, part);
}

}  // namespace chainrule::cpu
