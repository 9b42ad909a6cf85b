#include "backends/resample.hpp"

#include <bit>

#include "backends/cpu/resample_bytes.hpp"
#include "backends/cpu/resample_taps.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/tables.hpp"

namespace chainrule::cuda {
namespace {

// As in kernels/resample.cuh.
struct Head {
  int64_t count = 0, precision = 0, index_at = 0, weight_at = 0;
};
struct ResampleTask {
  const Head* head;
  const void* from;
  void* to;
  int64_t outer, in, out, inner;
};

// Bytes are weighed by what is calculated in double.
cpu::Taps taps_of(const Resampling& r) {
  return r.dtype == DType::Float32 ? cpu::make_taps<float>(r) : cpu::make_taps<double>(r);
}

template <class Weight>
std::vector<char> assembled(Head head, const std::vector<int64_t>& begins, const std::vector<int64_t>& index,
                            const std::vector<Weight>& weights) {
  head.index_at = static_cast<int64_t>(sizeof(Head) + begins.size() * sizeof(int64_t));
  head.weight_at = head.index_at + static_cast<int64_t>(index.size() * sizeof(int64_t));
  TableBytes bytes;
  bytes.add(&head, 1);
  bytes.add(begins);
  bytes.add(index);
  bytes.add(weights);
  return bytes.take();
}
std::vector<char> assembled(DType dtype, const Head& head, const std::vector<int64_t>& begins,
                            const std::vector<int64_t>& index, const std::vector<double>& weights) {
  if (dtype == DType::Float64) return assembled(head, begins, index, weights);
  return assembled(head, begins, index, std::vector<float>(weights.begin(), weights.end()));
}

std::vector<char> table_of(const Resampling& r) {
  const cpu::Taps taps = taps_of(r);
  if (r.dtype != DType::UInt8) return assembled(r.dtype, {.count = taps.count}, {}, taps.index, taps.weight);
  const cpu::ByteTaps bytes(taps);
  return assembled({.count = taps.count, .precision = bytes.precision}, {}, bytes.index, bytes.weight);
}

// For each input the outputs that read it, in order.
std::vector<char> transposed_table(const Resampling& r) {
  const cpu::Taps taps = taps_of(r);
  std::vector<int64_t> begins(static_cast<size_t>(r.in) + 1);
  for (size_t k = 0; k < taps.index.size(); ++k) {
    if (taps.weight[k] != 0) ++begins[static_cast<size_t>(taps.index[k]) + 1];
  }
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<int64_t> next(begins.begin(), begins.end() - 1), outputs(static_cast<size_t>(begins.back()));
  std::vector<double> weights(outputs.size());
  for (size_t k = 0; k < taps.index.size(); ++k) {
    if (taps.weight[k] == 0) continue;
    const auto at = static_cast<size_t>(next[static_cast<size_t>(taps.index[k])]++);
    outputs[at] = static_cast<int64_t>(k) / taps.count;
    weights[at] = taps.weight[k];
  }
  return assembled(r.dtype, {}, begins, outputs, weights);
}

// What decides a table.
std::string key_of_table(const char* kind, const Resampling& r) {
  struct {
    int64_t in, out;
    uint64_t scale;
    int32_t filter, align_corners, dtype, unused;
  } const numbers{r.in,
                  r.out,
                  std::bit_cast<uint64_t>(r.scale),
                  static_cast<int32_t>(r.filter),
                  r.align_corners,
                  static_cast<int32_t>(r.dtype),
                  0};
  return kind + key_of(numbers);
}

void run(const char* entry, const Resampling& r, const ResampleTask& task) {
  const int64_t work = task.outer * task.out * task.inner;
  if (work == 0) return;
  const bool in_pairs = r.filter <= Filter::Linear || (r.filter == Filter::Cubic && r.inner == 1);
  KernelText("resample.cuh", entry)
      .type("S", storage_type(r.dtype))
      .type("T", r.dtype == DType::UInt8 ? "int32_t" : storage_type(r.dtype))
      .number("kSkips", !in_pairs)
      .index(work)
      .run({blocks_for_loop(work)}, kThreads, task);
}

void along(const Resampling& r) {
  const Table table(key_of_table("resample", r), [&] { return table_of(r); });
  run(r.dtype == DType::UInt8 ? "weighted_bytes" : "weighted", r,
      {table.at<Head>(0), r.from, r.to, r.outer, r.in, r.out, r.inner});
}

void along_transposed(const Resampling& r) {
  const Table table(key_of_table("resample back", r), [&] { return transposed_table(r); });
  run("weighted_transposed", r, {table.at<Head>(0), r.from, r.to, r.outer, r.out, r.in, r.inner});
}

}  // namespace

const ResampleKernels resample_kernels{.along = {along}, .along_transposed = {along_transposed}};

}  // namespace chainrule::cuda
