// The loops over the entries of sparse matrices, for each instruction set.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "backends/sparse.hpp"

// Rows begin to end of the result.
CR_DECLARE_PER_ISA(void multiply_sparse_rows(const SparseProduct& p, int64_t begin, int64_t end))
// Columns begin to end of the result, which are set to zero first.
CR_DECLARE_PER_ISA(void multiply_transposed_columns(const SparseProduct& p, int64_t begin, int64_t end))
// The entries of rows begin to end.
CR_DECLARE_PER_ISA(void sample_sparse_rows(const SparseSample& s, int64_t begin, int64_t end))
// Those values whose rows are in the range from begin to end.
CR_DECLARE_PER_ISA(void add_sparse_rows(const SparseAddition& a, int64_t begin, int64_t end))
CR_DECLARE_PER_ISA(void sum_sparse_runs(const SparseRunSums& s, int64_t begin, int64_t end))
CR_DECLARE_PER_ISA(void adam_sparse_rows(const SparseAdam& s, int64_t begin, int64_t end))
