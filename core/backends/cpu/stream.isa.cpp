// Writing large results past the caches.
#include "backends/cpu/stream.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace chainrule::cpu::CR_ISA {

#if defined(__AVX512F__)
void stream_copy(char* to, const char* from, int64_t bytes) {
  int64_t i = 0;
  for (; i + 64 <= bytes; i += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}
#elif defined(__AVX__)
void stream_copy(char* to, const char* from, int64_t bytes) {
  int64_t i = 0;
  for (; i + 32 <= bytes; i += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
  }
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}
#elif defined(__SSE2__)
void stream_copy(char* to, const char* from, int64_t bytes) {
  int64_t i = 0;
  for (; i + 16 <= bytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}
#else
void stream_copy(char* to, const char* from, int64_t bytes) { std::memcpy(to, from, static_cast<size_t>(bytes)); }
#endif

namespace {

// Shorter than a call of memcpy is worth.
void copy_line(char* to, const char* from, int64_t bytes) {
  int64_t i = 0;
  for (; i + 32 <= bytes; i += 32) __builtin_memcpy(to + i, from + i, 32);
  for (; i < bytes; ++i) to[i] = from[i];
}

}  // namespace

void copy_lines(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t lines, int64_t bytes,
                bool streams) {
  const bool aligned = (reinterpret_cast<uintptr_t>(to) | static_cast<uintptr_t>(to_step)) % 64 == 0;
  if (streams && aligned) {
    for (int64_t i = 0; i < lines; ++i) stream_copy(to + i * to_step, from + i * from_step, bytes);
    return;
  }
  constexpr int64_t kAhead = 8;  // lines that are asked for before they are written: they may be pages apart
  for (int64_t i = 0; i < lines; ++i) {
    for (int64_t j = 0; j < bytes; j += 64) __builtin_prefetch(to + (i + kAhead) * to_step + j, 1);
    copy_line(to + i * to_step, from + i * from_step, bytes);
  }
}

#if defined(__SSE2__)
void stream_fence() { _mm_sfence(); }
#else
void stream_fence() {}
#endif

}  // namespace chainrule::cpu::CR_ISA
