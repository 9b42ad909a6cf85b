#include "backends/triangle.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct TriangleTask {
  Triangle triangle;
  const char* from;
  char* to;
  int64_t elements, rows, first, last, count;
};

void run(const char* entry, const char* type, int64_t work, const TriangleTask& task) {
  if (work > 0) KernelText("triangle.cuh", entry).type("S", type).run({blocks_for_loop(work)}, kThreads, task);
}

void copy(const TriangleCopy& c) {
  const int64_t elements = c.matrices * c.rows * c.triangle.columns;
  run("copy", raw_type(static_cast<size_t>(c.item)), elements, {c.triangle, c.from, c.to, elements, c.rows, 0, 0, 0});
}
void indices(const TriangleIndices& t) {
  run("indices", t.narrow ? "int32_t" : "int64_t", t.count,
      {t.triangle, nullptr, t.to, 0, 0, t.first, t.last, t.count});
}

}  // namespace

const TriangleKernels triangle_kernels{.copy = {copy}, .indices = {indices}};

}  // namespace chainrule::cuda
