// Conversions from and to the dtypes that are stored only: through tiles of float, or of complex64.
#include <algorithm>
#include <array>
#include <utility>

#include "backends/cpu/convert.hpp"
#include "backends/cpu/kernels.hpp"
#include "tensor/complex.hpp"
#include "tensor/float8.hpp"
#include "tensor/half.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kTile = 256;

const ConvertKernel& with_kernels(DType from, DType to) {
  return CR_DISPATCH(convert_kernels)[static_cast<int>(from)][static_cast<int>(to)];
}

// What the elements of a stored dtype are in a tile.
constexpr DType wide(DType t) { return t == DType::Complex32 ? DType::Complex64 : DType::Float32; }

// NaN of the types with one zero, and of exponents, is 0 among integers.
bool has_plain_nan(DType from) { return from == DType::Float8E8M0FNU || format_of(from).one_zero; }

void widen(DType from, float* to, const void* in, int64_t n, bool whole) {
  if (from == DType::Complex32) return with_kernels(DType::Float16, DType::Float32)(to, in, 2 * n);
  const auto* codes = static_cast<const uint8_t*>(in);
  for (int64_t i = 0; i < n; ++i) to[i] = from_float8(from, codes[i]);
  if (!whole || !has_plain_nan(from)) return;
  for (int64_t i = 0; i < n; ++i) to[i] = to[i] != to[i] ? 0 : to[i];
}

void narrow(DType to, void* out, const float* from, int64_t n) {
  if (to == DType::Complex32) return with_kernels(DType::Float32, DType::Float16)(out, from, 2 * n);
  auto* codes = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < n; ++i) codes[i] = to_float8(to, from[i]);
}

void convert_tile(DType from, DType to, char* out, const char* in, int64_t n) {
  alignas(64) float first[2 * kTile], second[2 * kTile];
  const DType read = is_stored_only(from) ? wide(from) : from, written = is_stored_only(to) ? wide(to) : to;
  const void* source = in;
  if (is_stored_only(from)) {
    widen(from, first, in, n, is_integral(to));
    source = first;
  }
  void* target = is_stored_only(to) ? static_cast<void*>(second) : out;
  with_kernels(read, written)(target, source, n);
  if (is_stored_only(to)) narrow(to, out, second, n);
}

void convert_rows(DType from, DType to, void* out, const void* in, int64_t n) {
  const auto item_in = static_cast<int64_t>(size_of(from)), item_out = static_cast<int64_t>(size_of(to));
  for (int64_t i = 0; i < n; i += kTile) {
    convert_tile(from, to, static_cast<char*>(out) + i * item_out, static_cast<const char*>(in) + i * item_in,
                 std::min(kTile, n - i));
  }
}

template <int pair>
void convert_pair(void* out, const void* in, int64_t n) {
  constexpr auto from = static_cast<DType>(pair / kDTypeCount), to = static_cast<DType>(pair % kDTypeCount);
  if constexpr (from == to)
    __builtin_memmove(out, in, static_cast<size_t>(n) * size_of(to));
  else
    convert_rows(from, to, out, in, n);
}

template <int... pairs>
constexpr auto all_pairs(std::integer_sequence<int, pairs...>) {
  return std::array<ConvertKernel, sizeof...(pairs)>{(is_stored_only(static_cast<DType>(pairs / kDTypeCount)) ||
                                                              is_stored_only(static_cast<DType>(pairs % kDTypeCount))
                                                          ? &convert_pair<pairs>
                                                          : nullptr)...};
}
constexpr auto kKernels = all_pairs(std::make_integer_sequence<int, kDTypeCount * kDTypeCount>());

}  // namespace

ConvertKernel stored_kernel(DType from, DType to) {
  return kKernels[static_cast<size_t>(from) * kDTypeCount + static_cast<size_t>(to)];
}

}  // namespace chainrule::cpu
