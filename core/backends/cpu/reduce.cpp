// The loop around the kernels of reductions: brings any layout and dtype into blocks of rows or columns.
//
// A block has one kept and one reduced dimension, those with the smallest strides; outer loops run over the others.
// Work is cut by size alone and partial results are joined in order, so the number of threads does not change a bit.
#include "backends/cpu/reduce.hpp"

#include <bit>
#include <cstring>
#include <memory>

#include "backends/cpu/comparison_steps.hpp"
#include "backends/cpu/convert.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

const FoldKernels& fold_kernels(ReduceOp fold, FoldType type) {
  return CR_DISPATCH(fold_table)[static_cast<int>(fold)][static_cast<int>(type)];
}

constexpr int64_t kPiece = 256 * 1024;  // elements that one task folds
constexpr int64_t kGrain = 32 * 1024;   // below this, threads do not pay
constexpr int64_t kAccumulatorBytes = 32 * 1024, kBufferBytes = 16 * 1024;
constexpr int64_t kFetchedColumns = 256;  // so few that many rows of what was converted are folded at one time
constexpr int64_t kFewUnits = 16;

struct Dimension {
  int64_t size, stride, out_stride;
};

// Dimensions that follow one another without a gap become one.
struct Nest {
  Dimension dims[64];
  int count = 0;

  void add(Dimension d) {
    if (count > 0 && dims[count - 1].stride == d.size * d.stride) {
      dims[count - 1] = {dims[count - 1].size * d.size, d.stride, d.out_stride};
    } else {
      dims[count++] = d;
    }
  }
  void sort_by_stride() {
    steps::sort(dims, dims + count, [](const Dimension& a, const Dimension& b) { return a.stride > b.stride; });
    int old = count;
    count = 0;
    for (int i = 0; i < old; ++i) add(Dimension(dims[i]));
  }
  // Repeated elements (stride 0) count as the farthest apart.
  static int64_t distance(const Dimension& d) { return d.stride == 0 ? INT64_MAX : d.stride; }
  // Takes out the dimension with the smallest stride.
  Dimension take_innermost(Dimension none) {
    if (count == 0) return none;
    int best = 0;
    for (int i = 1; i < count; ++i) {
      if (distance(dims[i]) <= distance(dims[best])) best = i;
    }
    Dimension result = dims[best];
    std::copy(dims + best + 1, dims + count, dims + best);
    --count;
    return result;
  }
  int64_t positions() const {
    int64_t n = 1;
    for (int i = 0; i < count; ++i) n *= dims[i].size;
    return n;
  }
  // Offsets in the input and the output of a position counted in row-major order.
  void locate(int64_t position, int64_t& offset, int64_t& out_offset) const {
    for (int i = count; i-- > 0;) {
      int64_t at = position % dims[i].size;
      position /= dims[i].size;
      offset += at * dims[i].stride;
      out_offset += at * dims[i].out_stride;
    }
  }
};

template <class T>
void gather(char* to, const char* from, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(to)[i] = reinterpret_cast<const T*>(from)[i * stride];
}

struct Pair {
  int64_t low, high;
};

void gather_elements(char* to, const char* from, int64_t stride, int64_t n, size_t size) {
  switch (size) {
    case 1:
      return gather<uint8_t>(to, from, stride, n);
    case 2:
      return gather<uint16_t>(to, from, stride, n);
    case 4:
      return gather<uint32_t>(to, from, stride, n);
    case 8:
      return gather<uint64_t>(to, from, stride, n);
    default:
      return gather<Pair>(to, from, stride, n);
  }
}

ConvertKernel converter(DType from, DType to) { return convert_kernel(from, to); }

class Loop {
 public:
  explicit Loop(const Reduction& r);
  void run();

 private:
  // A task: a tile of kept elements (unit) and a stretch of the reduced ones.
  struct Unit {
    int64_t offset = 0, out_offset = 0, m = 0;
  };
  Unit unit(int64_t index) const;
  void fold_piece(const Unit& u, int64_t piece, char* accumulators) const;
  void fold_block(const char* x, int64_t m, int64_t n, char* accumulators, int64_t first) const;
  void fold_fetched(const char* x, int64_t m, int64_t n, char* accumulators, int64_t first) const;
  bool fold_narrow(const char* x, int64_t m, int64_t n, char* accumulators) const;
  void fetch(char* to, const char* from, int64_t stride, int64_t n) const;
  void finish(const Unit& u, const char* accumulators) const;
  void put(char* to, DType to_dtype, const char* from, DType from_dtype, int64_t m) const;
  int64_t accumulator_bytes(int64_t m) const { return m * kernels_.accumulator_size; }

  const Reduction& r_;
  DType type_;  // of the fold
  const FoldKernels& kernels_;
  int64_t item_;
  Nest outer_kept_, outer_reduced_;
  Dimension kept_, reduced_;  // of the block
  bool by_rows_, direct_;
  int64_t kept_tile_, reduced_tile_;    // the block's extents
  int64_t kept_tiles_, reduced_tiles_;  // how many make up the two dimensions
  int64_t units_, lines_, lines_per_piece_, pieces_;
};

Loop::Loop(const Reduction& r)
    : r_(r),
      type_(dtype_of(fold_type(r.fold, r.as))),
      kernels_(fold_kernels(r.fold, fold_type(r.fold, r.as))),
      item_(static_cast<int64_t>(size_of(r.dtype))) {
  int64_t out_stride = 1;
  auto n = static_cast<int>(r.sizes.size());
  int64_t out_strides[64];
  for (int i = n; i-- > 0;) {
    out_strides[i] = out_stride;
    if (!(r.reduced >> i & 1)) out_stride *= r.sizes[static_cast<size_t>(i)];
  }
  for (int i = 0; i < n; ++i) {
    Dimension d{r.sizes[static_cast<size_t>(i)], r.strides[static_cast<size_t>(i)], out_strides[i]};
    if (d.size != 1) (r.reduced >> i & 1 ? outer_reduced_ : outer_kept_).add(d);
  }
  // Index folds have one reduced dimension; for the others the order does not matter.
  if (outer_reduced_.count > 1) outer_reduced_.sort_by_stride();
  kept_ = outer_kept_.take_innermost({1, 0, 1});
  reduced_ = outer_reduced_.take_innermost({1, 0, 0});
  by_rows_ = kept_.size == 1 || (reduced_.size > 1 && Nest::distance(reduced_) < Nest::distance(kept_));
  const Dimension& inner = by_rows_ ? reduced_ : kept_;
  const bool truth = r.dtype == DType::Bool && type_ == DType::UInt8;  // of bytes, any but 0 is true
  direct_ = r.dtype == r.as && (r.dtype == type_ || truth) && (inner.stride == 1 || inner.size == 1);

  int64_t most_kept = kAccumulatorBytes / kernels_.accumulator_size;
  if (by_rows_) {
    reduced_tile_ = std::min(reduced_.size, kPiece / 4);
    kept_tile_ = std::clamp(kGrain / std::max<int64_t>(reduced_tile_, 1), int64_t{1}, std::min(kept_.size, most_kept));
  } else {
    kept_tile_ = std::min({kept_.size, most_kept, direct_ ? int64_t{2048} : kFetchedColumns});
    reduced_tile_ = std::clamp(kPiece / kept_tile_, int64_t{1}, reduced_.size);
  }
  kept_tiles_ = (kept_.size + kept_tile_ - 1) / kept_tile_;
  reduced_tiles_ = (reduced_.size + reduced_tile_ - 1) / reduced_tile_;
  units_ = outer_kept_.positions() * kept_tiles_;
  lines_ = outer_reduced_.positions() * reduced_tiles_;
  int64_t per_line = kept_tile_ * reduced_tile_;
  bool cut = units_ < kFewUnits && lines_ * per_line > 2 * kPiece;
  lines_per_piece_ = cut ? std::max<int64_t>(1, kPiece / per_line) : lines_;
  pieces_ = (lines_ + lines_per_piece_ - 1) / lines_per_piece_;
}

Loop::Unit Loop::unit(int64_t index) const {
  Unit u;
  int64_t start = index % kept_tiles_ * kept_tile_;
  outer_kept_.locate(index / kept_tiles_, u.offset, u.out_offset);
  u.offset += start * kept_.stride;
  u.out_offset += start * kept_.out_stride;
  u.m = std::min(kept_tile_, kept_.size - start);
  return u;
}

void Loop::fold_piece(const Unit& u, int64_t piece, char* accumulators) const {
  kernels_.start(accumulators, u.m);
  int64_t end = std::min(lines_, (piece + 1) * lines_per_piece_);
  for (int64_t line = piece * lines_per_piece_; line < end; ++line) {
    int64_t offset = u.offset, unused = 0, start = line % reduced_tiles_ * reduced_tile_;
    outer_reduced_.locate(line / reduced_tiles_, offset, unused);
    const char* x = r_.x + (offset + start * reduced_.stride) * item_;
    fold_block(x, u.m, std::min(reduced_tile_, reduced_.size - start), accumulators, start);
  }
}

void Loop::fold_block(const char* x, int64_t m, int64_t n, char* accumulators, int64_t first) const {
  if (!direct_) return fold_fetched(x, m, n, accumulators, first);
  if (by_rows_) return kernels_.rows(x, kept_.stride, m, n, accumulators, first);
  if (fold_narrow(x, m, n, accumulators)) return;
  kernels_.columns(x, reduced_.stride, m, n, accumulators, first);
}

// A few columns side by side: several rows are taken as one wide row, then folded together.
bool Loop::fold_narrow(const char* x, int64_t m, int64_t n, char* accumulators) const {
  constexpr int64_t kWide = 128;
  if (m * 2 > kWide || reduced_.stride != m || r_.fold >= ReduceOp::ArgMax) return false;
  int64_t together = kWide / m, wide_rows = n / together;
  if (wide_rows < 4) return false;
  alignas(64) char wide[kWide * 16];
  int64_t width = together * m;
  kernels_.start(wide, width);
  kernels_.columns(x, width, width, wide_rows, wide, 0);
  for (int64_t k = 0; k < together; ++k) kernels_.join(accumulators, wide + accumulator_bytes(k * m), m);
  int64_t done = wide_rows * together;
  if (done < n) kernels_.columns(x + done * m * item_, m, m, n - done, accumulators, 0);
  return true;
}

// Converts `n` elements to the fold's type, through the dtype asked for.
void Loop::fetch(char* to, const char* from, int64_t stride, int64_t n) const {
  constexpr int64_t kChunk = 256;
  alignas(64) char raw[kChunk * 16], converted[kChunk * 16];
  auto type_size = static_cast<int64_t>(size_of(type_));
  bool through = r_.as != r_.dtype && r_.as != type_;
  for (int64_t i = 0; i < n; i += kChunk) {
    int64_t count = std::min(kChunk, n - i);
    const char* source = from + i * stride * item_;
    if (stride != 1) {
      gather_elements(raw, source, stride, count, static_cast<size_t>(item_));
      source = raw;
    }
    if (through) {
      converter(r_.dtype, r_.as)(converted, source, count);
      source = converted;
    }
    converter(through ? r_.as : r_.dtype, type_)(to + i * type_size, source, count);
  }
}

void Loop::fold_fetched(const char* x, int64_t m, int64_t n, char* accumulators, int64_t first) const {
  alignas(64) char buffer[kBufferBytes];
  auto size = static_cast<int64_t>(size_of(type_));
  int64_t capacity = kBufferBytes / size;
  // The inner dimension is cut to what fits; then as many steps of the outer one as fit.
  const Dimension& inner_dim = by_rows_ ? reduced_ : kept_;
  const Dimension& outer_dim = by_rows_ ? kept_ : reduced_;
  int64_t inner = by_rows_ ? n : m, outer = by_rows_ ? m : n;
  for (int64_t i = 0; i < inner; i += capacity) {
    int64_t width = std::min(capacity, inner - i), together = capacity / width;
    for (int64_t j = 0; j < outer; j += together) {
      int64_t count = std::min(together, outer - j);
      for (int64_t k = 0; k < count; ++k) {
        const char* source = x + (i * inner_dim.stride + (j + k) * outer_dim.stride) * item_;
        fetch(buffer + k * width * size, source, inner_dim.stride, width);
      }
      if (by_rows_)
        kernels_.rows(buffer, width, count, width, accumulators + accumulator_bytes(j), first + i);
      else
        kernels_.columns(buffer, width, width, count, accumulators + accumulator_bytes(i), first + j);
    }
  }
}

void Loop::put(char* to, DType to_dtype, const char* from, DType from_dtype, int64_t m) const {
  auto size = static_cast<int64_t>(size_of(to_dtype));
  if (kept_.out_stride == 1 || m == 1) return converter(from_dtype, to_dtype)(to, from, m);
  auto from_size = static_cast<int64_t>(size_of(from_dtype));
  for (int64_t i = 0; i < m; ++i) {
    converter(from_dtype, to_dtype)(to + i * kept_.out_stride * size, from + i * from_size, 1);
  }
}

void Loop::finish(const Unit& u, const char* accumulators) const {
  alignas(64) char out[kAccumulatorBytes], second[kAccumulatorBytes];
  kernels_.finish(accumulators, u.m, r_.divisor, out, second);
  auto out_size = static_cast<int64_t>(size_of(r_.out_dtype));
  if (r_.out) put(r_.out + u.out_offset * out_size, r_.out_dtype, out, type_, u.m);
  if (!r_.second) return;
  bool indices = r_.fold != ReduceOp::Variance;
  DType second_dtype = indices ? DType::Int64 : r_.out_dtype;
  put(r_.second + u.out_offset * static_cast<int64_t>(size_of(second_dtype)), second_dtype, second,
      indices ? DType::Int64 : type_, u.m);
}

void Loop::run() {
  int64_t work = kept_tile_ * reduced_tile_ * lines_per_piece_;
  int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(work, 1));
  if (pieces_ == 1) {
    parallel_for(units_, grain, [&](int64_t begin, int64_t end) {
      alignas(64) char accumulators[kAccumulatorBytes];
      for (int64_t i = begin; i < end; ++i) {
        Unit u = unit(i);
        fold_piece(u, 0, accumulators);
        finish(u, accumulators);
      }
    });
    return;
  }
  int64_t slot = (accumulator_bytes(kept_tile_) + 63) / 64 * 64;
  std::unique_ptr<char[]> partial(new char[static_cast<size_t>(slot * units_ * pieces_)]);
  parallel_for(units_ * pieces_, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) fold_piece(unit(i / pieces_), i % pieces_, partial.get() + i * slot);
  });
  for (int64_t i = 0; i < units_; ++i) {
    Unit u = unit(i);
    char* total = partial.get() + i * pieces_ * slot;
    for (int64_t p = 1; p < pieces_; ++p) kernels_.join(total, total + p * slot, u.m);
    finish(u, total);
  }
}

// Nothing to fold: every result is the fold's beginning.
void fill_empty(const Reduction& r, int64_t outputs) {
  DType type = dtype_of(fold_type(r.fold, r.as));
  const FoldKernels& kernels = fold_kernels(r.fold, fold_type(r.fold, r.as));
  alignas(16) char accumulator[32], value[16], second[16], as_asked[16];
  kernels.start(accumulator, 1);
  kernels.finish(accumulator, 1, r.divisor, value, second);
  converter(type, r.as)(as_asked, value, 1);  // of bytes the largest is the beginning, of truth values it is 1
  auto size = static_cast<int64_t>(size_of(r.out_dtype));
  for (int64_t i = 0; i < outputs; ++i) {
    converter(r.as, r.out_dtype)(r.out + i * size, as_asked, 1);
    if (r.second) converter(type, r.out_dtype)(r.second + i * size, second, 1);
  }
}

constexpr int64_t kSmall = 16 * 1024;  // up to here one call of the kernel does it
constexpr int64_t kSmallKept = 256;

uint64_t lowest_bits(int n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// Contiguous, and the reduced dimensions are the last or the first: no loop needed. False: not such a case.
bool fold_small(const Reduction& r, int64_t numel) {
  const FoldType type = fold_type(r.fold, r.as);
  const bool as_is = dtype_of(type) == r.as || (type == FoldType::U8 && r.as == DType::Bool);
  if (!as_is || r.dtype != r.as || r.out_dtype != r.as || r.fold >= ReduceOp::ArgMax) return false;
  const auto ndim = static_cast<int>(r.sizes.size());
  const uint64_t reduced = r.reduced;
  int edge;
  bool by_rows = true;
  if (reduced == lowest_bits(ndim)) {
    edge = 0;
  } else if (reduced == 0) {
    edge = 0;
    by_rows = false;
  } else if (edge = std::countr_zero(reduced); reduced >> edge == lowest_bits(ndim - edge)) {
  } else if (edge = std::countr_one(reduced); reduced == lowest_bits(edge)) {
    by_rows = false;
  } else {
    return false;
  }
  int64_t before = 1;
  for (int i = 0; i < edge; ++i) before *= r.sizes[static_cast<size_t>(i)];
  int64_t after = numel / before, kept = by_rows ? before : after, folded = by_rows ? after : before;
  if (kept > kSmallKept) return false;
  const FoldKernels& kernels = fold_kernels(r.fold, type);
  alignas(64) char accumulators[kSmallKept * 16];
  kernels.start(accumulators, kept);
  (by_rows ? kernels.rows : kernels.columns)(r.x, after, kept, folded, accumulators, 0);
  kernels.finish(accumulators, kept, r.divisor, r.out, nullptr);
  return true;
}

void reduce(const Reduction& r) {
  int64_t outputs = 1, folded = 1;
  for (size_t i = 0; i < r.sizes.size(); ++i) (r.reduced >> i & 1 ? folded : outputs) *= r.sizes[i];
  if (outputs == 0) return;
  if (folded == 0) return fill_empty(r, outputs);
  const int64_t numel = outputs * folded;
  if (r.contiguous && numel <= kSmall && fold_small(r, numel)) return;
  Loop(r).run();
}

}  // namespace

FoldType fold_type(ReduceOp fold, DType t) {
  switch (t) {
    case DType::Bool:
    case DType::UInt8:
      return fold == ReduceOp::Max || fold == ReduceOp::Min ? FoldType::U8 : FoldType::I64;
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
      return fold == ReduceOp::Max || fold == ReduceOp::Min ? FoldType::I32 : FoldType::I64;
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float8E5M2:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E8M0FNU:
      return FoldType::F32;
    case DType::Float64:
      return FoldType::F64;
    case DType::Complex32:
    case DType::Complex64:
      return FoldType::C64;
    case DType::Complex128:
      return FoldType::C128;
    default:
      return FoldType::I64;
  }
}

DType dtype_of(FoldType t) {
  constexpr DType types[] = {DType::Float32,    DType::Float64, DType::Int64, DType::Complex64,
                             DType::Complex128, DType::UInt8,   DType::Int32};
  return types[static_cast<int>(t)];
}

constinit const ReduceKernels reduce_kernels{{reduce}, {accumulate}};

}  // namespace chainrule::cpu
