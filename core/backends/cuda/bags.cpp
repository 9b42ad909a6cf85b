#include "backends/cuda/bags.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct BagsTask {
  const int64_t* indices;
  int64_t rows, width, padding;
  const int64_t* starts;
  int64_t bags, n;
  const void *table, *factors;
  void* to;
  double* shares;
  int64_t* numbers;
  bool mean;
  void* shrunk;
  unsigned* claims;
  double most, power;
};

BagsTask task_of(const Lookup& l) {
  return {.indices = l.indices, .rows = l.rows, .width = l.width, .padding = l.padding};
}
BagsTask task_of(const Lookup& l, const Bags& bags) {
  BagsTask task = task_of(l);
  task.starts = bags.starts;
  task.bags = bags.count;
  task.n = bags.n;
  return task;
}

void run(const char* entry, DType dtype, int64_t blocks, const BagsTask& task) {
  KernelText("bags.cuh", entry).with("report.cuh").element(dtype).run({blocks}, kThreads, task);
}

}  // namespace

void shrink_rows(const LookupShrink& s) {
  if (s.lookup.count == 0) return;
  const auto bytes = static_cast<size_t>(s.lookup.rows) * sizeof(unsigned);
  const Scratch claims(bytes);
  CUDA_CALL(set_bytes, address(claims.data()), 0, bytes, current_stream());
  BagsTask task = task_of(s.lookup);
  task.shrunk = s.table;
  task.claims = reinterpret_cast<unsigned*>(claims.data());
  task.most = s.max_norm;
  task.power = s.p;
  run("shrink", s.dtype, s.lookup.count, task);
}

void bag_sums(const BagSums& s) {
  BagsTask task = task_of(s.lookup, s.bags);
  task.table = s.table;
  task.factors = s.factors;
  task.to = s.to;
  task.mean = s.mean;
  if (task.bags * task.width > 0) run("bag_sums", s.dtype, blocks_for_loop(task.bags * task.width), task);
}

void bag_shares(const BagShares& s) {
  BagsTask task = task_of(s.lookup, s.bags);
  task.shares = s.to;
  if (task.bags > 0) run("bag_shares", DType::Float32, blocks_for(task.bags), task);
}

void bag_numbers(const BagNumbers& n) {
  BagsTask task = task_of({}, n.bags);
  task.numbers = n.to;
  if (task.bags > 0) run("bag_numbers", DType::Float32, task.bags, task);
}

}  // namespace chainrule::cuda
