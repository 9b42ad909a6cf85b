// Numbers of all types as NVIDIA's libraries name them, read and written as complex ones.
#pragma once
#include <complex>
#include <cstdint>
#include <cstring>

using Number = std::complex<double>;
inline constexpr int kR32 = 0, kR64 = 1, kR16 = 2, kC32 = 4, kC64 = 5, kBf16 = 14;

template <class T>
inline T at(const void* p, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(p) + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <class T>
inline void put(void* p, int64_t i, T value) {
  std::memcpy(static_cast<char*>(p) + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

inline Number read(const void* p, int type, int64_t i) {
  switch (type) {
    case kR32:
      return at<float>(p, i);
    case kR64:
      return at<double>(p, i);
    case kR16:
      return static_cast<double>(at<_Float16>(p, i));
    case kC32:
      return at<std::complex<float>>(p, i);
    case kC64:
      return at<std::complex<double>>(p, i);
    default: {
      const uint32_t bits = static_cast<uint32_t>(at<uint16_t>(p, i)) << 16;
      return at<float>(&bits, 0);
    }
  }
}
inline void write(void* p, int type, int64_t i, Number v) {
  switch (type) {
    case kR32:
      return put(p, i, static_cast<float>(v.real()));
    case kR64:
      return put(p, i, v.real());
    case kR16:
      return put(p, i, static_cast<_Float16>(v.real()));
    case kC32:
      return put(p, i, std::complex<float>(v));
    case kC64:
      return put(p, i, v);
    default: {
      const auto single = static_cast<float>(v.real());
      const uint32_t bits = at<uint32_t>(&single, 0);
      put(p, i, static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
    }
  }
}
