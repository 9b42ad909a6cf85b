// Compiles Kernel::record once for every kernel that there is.
#include "backends/recording/descriptions.hpp"

#include "backends/attention.hpp"
#include "backends/convolution.hpp"
#include "backends/count.hpp"
#include "backends/embedding.hpp"
#include "backends/fft.hpp"
#include "backends/glu.hpp"
#include "backends/grid.hpp"
#include "backends/line_kernels.hpp"
#include "backends/loss.hpp"
#include "backends/mask.hpp"
#include "backends/normalize.hpp"
#include "backends/optimise.hpp"
#include "backends/patches.hpp"
#include "backends/random.hpp"
#include "backends/range.hpp"
#include "backends/recurrent.hpp"
#include "backends/reduce.hpp"
#include "backends/resample.hpp"
#include "backends/scan.hpp"
#include "backends/search.hpp"
#include "backends/select.hpp"
#include "backends/softmax.hpp"
#include "backends/sort.hpp"
#include "backends/sparse.hpp"
#include "backends/transfer.hpp"
#include "backends/triangle.hpp"
#include "backends/unique.hpp"

namespace chainrule {
namespace {

template <class T>
void need(const T&) {}
template <class... Arguments>
void need(const Kernel<void(Arguments...)>&) {
  [[maybe_unused]] static volatile auto record = &Kernel<void(Arguments...)>::record;
}

}  // namespace

void compile_recording(const Backend& backend) {
#define SUBJECT(name, Kernels) with_fields(*backend.name, [](const auto&... kernels) { (need(kernels), ...); });
#include "backends/subjects.def"
#undef SUBJECT
}

void record_line(LineKernel kernel, const LineCall& call) {
  Recording& to = *recorder;
  if (to.is_refused()) return;
  struct Kept {
    LineKernel run;
    void* out;
    int64_t n;
    const double* parameters;
    const void* in[kMaxInputs + 2];
  };
  auto* kept = to.keep<Kept>(kernel, call.out, call.n);
  to.note_address(call.out);
  for (int i = 0; i < call.operands; ++i) {
    const bool is_number = call.numbers >> i & 1;
    const auto* in = static_cast<const char*>(call.in[i]);
    if (!is_number) to.note_address(in);
    kept->in[i] = is_number ? to.keep_array(in, static_cast<size_t>(call.n) * size_of(call.dtype)) : in;
  }
  const auto count = static_cast<size_t>(parameter_count(call.op));
  if (count) kept->parameters = to.keep_array(call.parameters, count);
  to.add(
      [](const void* p) {
        const auto* k = static_cast<const Kept*>(p);
        k->run(k->out, k->in, k->n, k->parameters);
      },
      kept, kKeepsLock);
}

}  // namespace chainrule
