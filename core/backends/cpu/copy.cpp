#include "backends/copy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/reverse.hpp"
#include "backends/cpu/strided_copy.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

// ---- Signs

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
  const bool floating = holds_floating(dtype);
  switch (size_of(dtype)) {
    case 1:
      return floating ? negate_row<uint8_t, true> : negate_row<uint8_t, false>;
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

void negate(const SignChange& s) {
  DType dtype = s.dtype;
  if (dtype == DType::Bool) return;
  Dims sizes(s.sizes), strides(s.strides);
  if (holds_complex(dtype)) {
    for (int64_t& stride : strides) stride *= 2;
    sizes.push_back(2);
    strides.push_back(1);
    dtype = real_of(dtype);
  }
  if (sizes.contains(0)) return;
  merge_dims(sizes, strides);
  negate_rows(row_kernel(dtype), sizes, s.data, strides, static_cast<int64_t>(size_of(dtype)));
}

void conjugate(const SignChange& s) {
  const DType part = real_of(s.dtype);
  Dims strides(s.strides);
  for (int64_t& stride : strides) stride *= 2;
  negate({s.sizes, s.data + size_of(part), strides, part});
}

// ---- The others

void fill(const Fill& f) {
  constexpr int64_t kPiece = 64 * 1024;  // elements for one thread
  if (f.count * static_cast<int64_t>(size_of(f.dtype)) >= thresholds.stream) {
    const int64_t along = 1, still = 0;
    return copy_strided({{&f.count, 1}, f.to, f.dtype, {&along, 1}, f.value, f.dtype, {&still, 1}});
  }
  with_element_size(f.dtype, [&]<class T>(T*) {
    T one;
    std::memcpy(&one, f.value, sizeof one);
    T* to = reinterpret_cast<T*>(f.to);
    parallel_for(f.count, kPiece, [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, one); });
  });
}

void zero(const ZeroBytes& z) { std::memset(z.to, 0, static_cast<size_t>(z.bytes)); }

void copy_blocks(const JoinedBlocks& b) {
  for (int64_t r = 0; r < b.rows; ++r)
    std::memcpy(b.to + r * b.row_bytes, b.from + r * b.bytes, static_cast<size_t>(b.bytes));
}

// The row of the source that the given row of the result shows.
int64_t source_row(const FlippedRows& f, int64_t index) {
  int64_t result = 0, step = 1;
  for (int d = f.outer.size(); d-- > 0; step *= f.outer[d]) {
    const int64_t at = index % f.outer[d];
    index /= f.outer[d];
    result += step * (f.flips[d] ? f.outer[d] - 1 - at : at);
  }
  return result;
}

void flip(const FlippedRows& f) {
  constexpr int64_t kPiece = 64 * 1024;  // elements that one task moves
  const int64_t item = f.item, row = f.length, pieces = (row + kPiece - 1) / kPiece;
  const auto reverse = CR_DISPATCH(reverse_kernels)[std::countr_zero(static_cast<uint64_t>(item))];
  parallel_for(f.rows * pieces, std::max<int64_t>(1, kPiece / row), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i % pieces * kPiece, n = std::min(kPiece, row - start);
      char* to = f.to + (i / pieces * row + start) * item;
      const char* from = f.from + source_row(f, i / pieces) * row * item;
      if (f.reversed)
        reverse(to, from + (row - start - n) * item, n);
      else
        std::memcpy(to, from + start * item, static_cast<size_t>(n * item));
    }
  });
}

}  // namespace

constinit const CopyKernels copy_kernels{{copy_strided}, {negate}, {conjugate}, {fill}, {zero}, {copy_blocks}, {flip}};

}  // namespace chainrule::cpu
