#include "backends/positions.hpp"

#include <array>
#include <bit>
#include <optional>

#include "backends/cuda/exclusive_sums.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/sort.hpp"
#include "backends/cuda/strided.hpp"

namespace chainrule::cuda {
namespace {

struct ElementsTask {
  const int64_t* index;
  char *whole, *beside;
  int64_t step, size;
  bool wraps;
  Strided<3> at;
};

Layout layout_of(const IndexedElements& at) {
  const std::array<Span, 3> strides{at.index_strides, at.whole_strides, at.beside_strides};
  return Layout(at.sizes, strides, true);
}

// Where there is nothing to lead to, no kernel could go on with some other element.
template <class I>
bool leads_nowhere(int64_t count, int64_t size, const I* index, Bad* bad) {
  if (count == 0 || size > 0) return false;
  I first;
  read(&first, index, sizeof first);
  *bad = first;
  return true;
}

// To be moved, only an element's size matters.
KernelText text_of(const char* file, const char* entry, Combine combine, DType dtype) {
  KernelText text(file, entry);
  text.with("atomic.cuh").with("report.cuh").with("combine.cuh");
  if (combine == Combine::Replace)
    text.type("S", raw_type(size_of(dtype))).type("T", "int64_t");
  else
    text.element(dtype);
  return text.number("kCombine", static_cast<int64_t>(combine));
}

// ---- one position for each element

void run_elements(const char* entry, Combine combine, const IndexedElements& at, const Layout& layout) {
  if (layout.numel() == 0 || leads_nowhere(layout.numel(), at.size, at.index, at.bad)) return;
  text_of("positions.cuh", entry, combine, at.dtype)
      .run({blocks_for_loop(layout.numel())}, kThreads,
           ElementsTask{at.index, at.whole, at.beside, at.step, at.size, at.wraps, Strided<3>(layout)});
}

void read_elements(const IndexedElements& at) {
  const Layout layout = layout_of(at);
  if (!layout.fits()) return fallback<&PositionsKernels::read_elements>(at);
  run_elements("read_elements", Combine::Replace, at, layout);
}

void combine_elements(Combine combine, const IndexedElements& at) {
  const Layout layout = layout_of(at);
  const bool is_too_wide = combine == Combine::Multiply && size_of(at.dtype) > 8;  // for an atomic exchange
  if (!layout.fits() || is_too_wide) return fallback<&PositionsKernels::combine_elements>(combine, at);
  run_elements("combine_elements", combine, at, layout);
}

// ---- slices

struct SlicesTask {
  char *whole, *packed;
  const int64_t *offsets, *order;
  int64_t count, by;
  Strided<1> before, after;
};

Layout layout_of(const Dims& sizes, const Dims& strides) {
  const Span of[] = {strides};
  return Layout(sizes, of, true);
}

class SlicesRun {
 public:
  explicit SlicesRun(const MovedSlices& m)
      : m_(m),
        before_(layout_of(m.at.before_sizes, m.at.before_strides)),
        after_(layout_of(m.at.after_sizes, m.at.after_strides)) {}
  bool fits() const { return before_.fits() && after_.fits(); }
  void start(const char* entry, Combine combine, const int64_t* offsets, const int64_t* order = nullptr) const {
    const int64_t elements = before_.numel() * m_.at.count * after_.numel();
    if (elements == 0) return;
    text_of("slices.cuh", entry, combine, m_.dtype)
        .run({blocks_for_loop(elements)}, kThreads,
             SlicesTask{m_.whole, m_.packed, offsets, order, m_.at.count, m_.single ? 0 : 1, Strided<1>(before_),
                        Strided<1>(after_)});
  }

 private:
  const MovedSlices& m_;
  const Layout before_, after_;
};

void read_slices(const MovedSlices& m) {
  const SlicesRun run(m);
  if (!run.fits()) return fallback<&PositionsKernels::read_slices>(m);
  run.start("read_slices", Combine::Replace, m.at.offsets);
}

// How many bits the offsets into that memory have.
int bits_of_offsets(const MovedSlices& m) {
  const std::optional<LiveBlock> block = block_around(m.whole);
  if (!block) return 64;
  const auto bytes = static_cast<size_t>(block->begin + block->bytes - m.whole);
  return std::bit_width(bytes / size_of(m.dtype));
}

// Sums and products of fractions depend on the order, so that is the slices' own, as on the CPU.
void combine_slices(Combine combine, const MovedSlices& m) {
  const SlicesRun run(m);
  if (!run.fits()) return fallback<&PositionsKernels::combine_slices>(combine, m);
  const bool adds_up = combine == Combine::Add || combine == Combine::Multiply;
  if (!adds_up || m.dtype < DType::Float16 || m.at.count == 1)
    return run.start("combine_slices", combine, m.at.offsets);
  const auto bytes = static_cast<size_t>(m.at.count) * sizeof(int64_t);
  const Scratch sorted(bytes), order(bytes);
  auto *offsets = reinterpret_cast<int64_t*>(sorted.data()), *places = reinterpret_cast<int64_t*>(order.data());
  sort_rows({{DType::Int64, m.at.offsets, 1, m.at.count}, false, Ties::Kept, offsets, places}, bits_of_offsets(m));
  run.start("combine_sorted", combine, offsets, places);
}

// ---- indices

struct OffsetsTask {
  const void* index;
  int64_t* to;
  int64_t count, step, size;
  bool wraps;
  Strided<1> at;
  const int64_t* sums;
};
const Strided<1> kNoDimensions{Layout({}, std::array<Span, 1>{Span()})};

void run_offsets(const char* entry, const char* type, int64_t work, const OffsetsTask& task) {
  if (work == 0) return;
  KernelText text("offsets.cuh", entry);
  text.with("report.cuh").type("S", type).run({blocks_for_loop(work)}, kThreads, task);
}

void add_offsets(const AddedOffsets& a) {
  const Layout layout(a.sizes, std::array{a.index_strides}, true);
  const int64_t n = layout.numel();
  const bool nowhere = a.dtype == DType::Int32
                           ? leads_nowhere(n, a.size, reinterpret_cast<const int32_t*>(a.index), a.bad)
                           : leads_nowhere(n, a.size, reinterpret_cast<const int64_t*>(a.index), a.bad);
  if (nowhere) return;
  if (!layout.fits()) return fallback<&PositionsKernels::add_offsets>(a);
  run_offsets("add_offsets", storage_type(a.dtype), n,
              {a.index, a.offsets, n, a.step, a.size, a.wraps, Strided<1>(layout), nullptr});
}

void spread_offsets(const SpreadOffsets& s) {
  const Layout layout(s.sizes, std::array{s.strides}, true);
  if (!layout.fits()) return fallback<&PositionsKernels::spread_offsets>(s);
  run_offsets("spread_offsets", "int64_t", s.count,
              {nullptr, s.offsets, s.count, 1, 0, false, Strided<1>(layout), nullptr});
}

void check_indices(const CheckedIndices& c) {
  run_offsets("check", "int64_t", c.count, {c.index, nullptr, c.count, 1, c.size, false, kNoDimensions, nullptr});
}

struct Totals {
  int64_t sum, largest, negative;
};

void total(const RepeatedTotal& r) {
  Totals found{};
  if (r.count > 0) {
    const Scratch room(sizeof found);
    CUDA_CALL(set_bytes, address(room.data()), 0, sizeof found, current_stream());
    run_offsets("total", "int64_t", r.count,
                {r.times, reinterpret_cast<int64_t*>(room.data()), r.count, 1, 0, false, kNoDimensions, nullptr});
    read(&found, room.data(), sizeof found);
  }
  if (found.negative > 0) return;
  const double most = static_cast<double>(found.largest) * static_cast<double>(r.count);
  if (most > 0x1p62) return fallback<&PositionsKernels::total>(r);  // which raises if there are too many
  *r.total = found.sum;
}

void repeat(const RepeatedIndices& r) {
  if (r.count == 0) return;
  const auto bytes = static_cast<size_t>(r.count) * sizeof(int64_t);
  const Scratch room(bytes + sizeof(int64_t));
  auto* sums = reinterpret_cast<int64_t*>(room.data());
  CUDA_CALL(copy_on_device, address(sums), address(r.times), bytes, current_stream());
  exclusive_sums(sums, r.count, sums + r.count);
  const int64_t work = facts_of(current_device()).multiprocessors * int64_t{2048};  // how many there are is not known
  run_offsets("repeat", "int64_t", work, {nullptr, r.to, r.count, 1, 0, false, kNoDimensions, sums});
}

}  // namespace

const PositionsKernels positions_kernels{
    .read_elements = {read_elements},
    .combine_elements = {combine_elements},
    .read_slices = {read_slices},
    .combine_slices = {combine_slices},
    .add_offsets = {add_offsets},
    .spread_offsets = {spread_offsets},
    .check = {check_indices},
    .total = {total},
    .repeat = {repeat},
};

}  // namespace chainrule::cuda
