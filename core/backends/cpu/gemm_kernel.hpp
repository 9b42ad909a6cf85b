// What the driver of matrix products (gemm.cpp) asks of each instruction set's kernels (gemm.isa.cpp).
#pragma once
#include <cstddef>

#include "backends/cpu/gemm.hpp"
#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// c = alpha * a @ b + beta * c, with the rows of c contiguous: element (i, j) at c[i * c_row_stride + j]. Where `row`
// is given, it stands for every row of the c that is added; then neither m nor n is 1.
template <class T>
struct GemmProblem {
  int64_t m, n, k;
  Sum<T> alpha, beta;
  MatrixView<const T> a, b;
  Sum<T>* c;
  int64_t c_row_stride;
  const Sum<T>* row = nullptr;
  const GemmFinish* finish = nullptr;       // takes the blocks in place of c; k is one block deep
  int64_t first_row = 0, first_column = 0;  // where this part of a product begins, for `finish`
};

// This thread's scratch memory for a purpose, 64-byte aligned, valid until it is asked for again.
enum class GemmScratch { packed, product, parts };
void* gemm_scratch(size_t bytes, GemmScratch purpose = GemmScratch::packed);

}  // namespace chainrule::cpu

// Each runs on the calling thread. An element of c is computed in the same order whatever m and n are, so a problem
// may be cut along them without changing its result.
CR_DECLARE_PER_ISA(void gemm_float(const GemmProblem<float>&))
CR_DECLARE_PER_ISA(void gemm_double(const GemmProblem<double>&))
CR_DECLARE_PER_ISA(void gemm_int64(const GemmProblem<int64_t>&))
CR_DECLARE_PER_ISA(void gemm_bfloat16(const GemmProblem<BFloat16Bits>&))
CR_DECLARE_PER_ISA(bool has_bfloat16_kernel())

namespace chainrule::cpu {

// For callers that are small products within work of their own; the others go through gemm.hpp.
inline void multiply_here(const GemmProblem<float>& g) { CR_DISPATCH(gemm_float)(g); }
inline void multiply_here(const GemmProblem<double>& g) { CR_DISPATCH(gemm_double)(g); }
inline void multiply_here(const GemmProblem<int64_t>& g) { CR_DISPATCH(gemm_int64)(g); }
inline void multiply_here(const GemmProblem<BFloat16Bits>& g) { CR_DISPATCH(gemm_bfloat16)(g); }

}  // namespace chainrule::cpu
