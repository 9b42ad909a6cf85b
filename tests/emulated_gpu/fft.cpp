// cuFFT, as far as chainrule uses it: transforms by their definition, in double.
#include <cmath>
#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "numbers.hpp"

namespace {

struct Plan {
  int64_t n, stride, distance, to_stride, to_distance, batch;
  int type;
  void* workspace = nullptr;
};
std::vector<Plan>& plans() {
  static std::vector<Plan>& all = *new std::vector<Plan>;
  return all;
}

constexpr int kInvalidPlan = 1, kInvalidValue = 4, kNoWorkspace = 14;

int run(int handle, int type, const void* x, void* out, int sign) {
  const Plan& p = plans().at(static_cast<size_t>(handle));
  if (p.type != type) return kInvalidPlan;
  if (!p.workspace) return kNoWorkspace;
  const bool is_double = type >= 0x60, from_real = type % 16 == 0xa, to_real = type % 16 == 0xc;
  for (const void* data : {x, static_cast<const void*>(out)}) {
    if (reinterpret_cast<uintptr_t>(data) % (is_double ? 16 : 8) != 0) return kInvalidValue;  // as pairs are read
  }
  const int real = is_double ? kR64 : kR32, complex = is_double ? kC64 : kC32;
  const int64_t half = p.n / 2 + 1, rows = to_real ? half : p.n;
  const Opened open;
  for (int64_t b = 0; b < p.batch; ++b) {
    std::vector<Number> in(static_cast<size_t>(p.n));
    for (int64_t i = 0; i < rows; ++i)
      in[static_cast<size_t>(i)] = read(x, from_real ? real : complex, b * p.distance + i * p.stride);
    for (int64_t i = half; to_real && i < p.n; ++i)
      in[static_cast<size_t>(i)] = std::conj(in[static_cast<size_t>(p.n - i)]);
    for (int64_t k = 0; k < (from_real ? half : p.n); ++k) {
      Number sum = 0;
      for (int64_t i = 0; i < p.n; ++i)
        sum += in[static_cast<size_t>(i)] *
               std::polar(1.0, sign * 2 * M_PI * static_cast<double>(i * k % p.n) / static_cast<double>(p.n));
      write(out, to_real ? real : complex, b * p.to_distance + k * p.to_stride, sum);
    }
  }
  return 0;
}

}  // namespace

extern "C" {

int cufftCreate(int* handle) {
  plans().push_back({});
  return *handle = static_cast<int>(plans().size()) - 1, 0;
}
int cufftDestroy(int) { return 0; }
int cufftSetAutoAllocation(int, int) { return 0; }
int cufftMakePlanMany64(int handle, int rank, long long* n, long long* from, long long stride, long long distance,
                        long long* to, long long to_stride, long long to_distance, int type, long long batch,
                        size_t* workspace) {
  if (rank != 1 || !from || !to) return kInvalidPlan;  // without these the strides count for nothing
  plans().at(static_cast<size_t>(handle)) = {*n, stride, distance, to_stride, to_distance, batch, type};
  return *workspace = 1000, 0;
}
int cufftSetWorkArea(int handle, void* workspace) {
  return plans().at(static_cast<size_t>(handle)).workspace = workspace, 0;
}
int cufftSetStream(int, void*) { return 0; }
int cufftExecC2C(int plan, void* x, void* out, int sign) { return run(plan, 0x29, x, out, sign); }
int cufftExecZ2Z(int plan, void* x, void* out, int sign) { return run(plan, 0x69, x, out, sign); }
int cufftExecR2C(int plan, void* x, void* out) { return run(plan, 0x2a, x, out, -1); }
int cufftExecD2Z(int plan, void* x, void* out) { return run(plan, 0x6a, x, out, -1); }
int cufftExecC2R(int plan, void* x, void* out) { return run(plan, 0x2c, x, out, 1); }
int cufftExecZ2D(int plan, void* x, void* out) { return run(plan, 0x6c, x, out, 1); }
}
