// What a Fourier transform of one length needs to know, and the kernel that carries it out.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/isa.hpp"
#include "backends/fft.hpp"

namespace chainrule::cpu {

template <class T>
struct ComplexTable {
  std::vector<T> re, im;
  void push_back(T real, T imaginary) {
    re.push_back(real);
    im.push_back(imaginary);
  }
};

template <class T>
struct FftPlan {
  // A step of Stockham's method: `sections` transforms of length `radix` for each of `stride` positions. What comes out
  // number k of section p is multiplied by roots[first + (k - 1) * sections + p].
  struct Pass {
    int radix;
    int64_t sections, stride, first;
  };
  int64_t length;  // of the complex transform: half of an even number of real ones
  int64_t rows;    // that the workspace must have room for
  bool packed;     // an even number of real ones: pairs of them are taken for complex numbers
  std::vector<Pass> passes;
  ComplexTable<T> roots;
  ComplexTable<T> unpacking;  // exp(-i pi k / length), for packed numbers
  // A length with a large prime factor becomes a convolution (Bluestein): j * k = (j^2 + k^2 - (k - j)^2) / 2.
  std::shared_ptr<const FftPlan> convolution;
  ComplexTable<T> chirp, chirp_spectrum;
};

// Where elements lie, counted in T: the steps from row to row, from one transform to the one beside it, and from a real
// part to the imaginary part; 0 where there are none.
struct FftPlaces {
  int64_t row, lane, imaginary;
};

// `lanes` transforms side by side, from x to out through a workspace of fft_workspace elements.
template <class T>
struct FftTile {
  const FftPlan<T>* plan;
  Fft kind;
  int64_t n, lanes;
  const T* x;
  T* out;
  FftPlaces from, to;
  T scale;
  T* workspace;
};

// The four arrays of the workspace do not begin at equal places in the cache.
constexpr int64_t kFftSpacing = 48;
template <class T>
int64_t fft_workspace(const FftPlan<T>& plan, int64_t lanes) {
  return 4 * (plan.rows * lanes + kFftSpacing);
}

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(void fft_tile_float(const FftTile<float>& tile))
CR_DECLARE_PER_ISA(void fft_tile_double(const FftTile<double>& tile))

namespace chainrule::cpu {

inline void fft_tile(const FftTile<float>& tile) { CR_DISPATCH(fft_tile_float)(tile); }
inline void fft_tile(const FftTile<double>& tile) { CR_DISPATCH(fft_tile_double)(tile); }

}  // namespace chainrule::cpu
