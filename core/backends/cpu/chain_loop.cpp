#include "backends/cpu/chain_loop.hpp"

#include <algorithm>
#include <cstring>

#include "backends/cpu/chain_worker.hpp"
#include "backends/cpu/convert.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/item_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024;  // elements of work for one thread
constexpr int64_t kLongRow = 128;      // from this length on, tiles stay within a row
constexpr int64_t kTile = 512;         // elements

void convert(void* to, DType to_dtype, const void* from, DType from_dtype, int64_t n) {
  convert_kernel(from_dtype, to_dtype)(to, from, n);
}

// Writes the first of n items into all others.
void repeat_first(char* to, int64_t item, int64_t n) {
  with_item_type(item, [&]<class T>(T*) { repeat_item<T>(to, to, n); });
}

// The chain with its plan: which operands lie as the loop goes, and what is written past the caches.
struct Loop {
  Loop(const Chain& chain, const Program& program, const LoopPlan& plan)
      : program(program),
        plan(plan),
        outputs(plan.lanes.data(), chain.outputs.size()),
        inputs(plan.lanes.data() + chain.outputs.size(), chain.inputs.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool dense = inputs[i].dense && inputs[i].as_is();
      is_dense &= dense || !program.is_read(i);
      staged += !dense;
    }
    for (const Lane& out : outputs) is_dense &= out.dense && out.as_is();
    for (size_t i = 0; i < outputs.size(); ++i) any_streams |= streams[i] = pays_to_stream(chain, outputs[i]);
    asks_ahead = chain.steps.size() > 1;
  }

  // A result that lies where an input does is in the caches already.
  bool pays_to_stream(const Chain& chain, const Lane& out) const {
    const int64_t bytes = plan.numel * out.item();
    if (bytes < (chain.read_next ? thresholds.stream : thresholds.stream_chain)) return false;
    if (chain.read_next && is_dense && !program.is_cheap() && !chain.steps.empty()) return false;
    return std::none_of(inputs.begin(), inputs.end(), [&](const Lane& in) { return in.data == out.data; });
  }
  // Whether one kernel can go over all elements where they lie.
  bool is_single() const {
    if (outputs.size() != 1 || streams[0]) return false;
    if (program.steps().empty()) return inputs[0].dense && outputs[0].dense;
    return is_dense && program.steps().size() == 1 && program.steps()[0].output == 0;
  }

  const Program& program;
  const LoopPlan& plan;
  std::span<const Lane> outputs, inputs;
  int staged = 0;  // inputs that have to be laid out
  bool is_dense = true;
  bool asks_ahead, any_streams = false;
  bool streams[Chain::kMostOutputs];
};

class Worker : ChainWorker {
 public:
  explicit Worker(const Loop& loop) : ChainWorker(loop.program, kTile, loop.staged), loop_(loop) {
    asks_ahead_ = loop.asks_ahead;
    int staged = 0;
    for (size_t i = 0; i < loop.inputs.size(); ++i) {
      const Lane& lane = loop.inputs[i];
      Tile& tile = tiles_[i];
      tile = {};
      if (asks_ahead_) next_[i] = {};
      if (lane.dense && lane.as_is()) continue;
      tile.data = input_tile(staged++);
      if (lane.constant && program_.is_read(i))
        values_[i] = fill(tile, lane, lane.data, std::min(kTile, loop.plan.numel));
    }
  }
  void run(int64_t begin, int64_t end) {
    const Dims& sizes = loop_.plan.sizes;
    const int64_t row = sizes[sizes.size() - 1];
    Odometer at(sizes, begin);
    by_rows_ = row >= kLongRow;
    for (int64_t position = begin; position < end;) {
      // Short rows go several at a time; the first tile ends with a row, so that the others begin with one.
      const bool whole = !by_rows_ && at.left_in_row() == row;
      const int64_t n = std::min({end - position, kTile, whole ? kTile / row * row : at.left_in_row()});
      step(at, position, n);
      position += n;
      at.advance(n);
    }
    if (loop_.any_streams) CR_DISPATCH(stream_fence)();
  }

 private:
  // Where an input is laid out, if it has to be, and what the tile holds.
  struct Tile {
    char* data;
    const char* value;
    int64_t count;
  };

  void step(const Odometer& at, int64_t position, int64_t n) {
    for (size_t i = 0; i < loop_.inputs.size(); ++i) {
      const Lane& lane = loop_.inputs[i];
      if (program_.is_read(i) && !(lane.constant && tiles_[i].data)) values_[i] = fetch(i, at, position, n);
    }
    for (size_t i = 0; i < loop_.outputs.size(); ++i) targets_[i] = target(i, at, position);
    run_steps(n);
    for (size_t i = 0; i < loop_.outputs.size(); ++i) {
      const char* value = values_[program_.output(i)];
      if (value != targets_[i]) deliver(i, value, at, position, n);
    }
  }

  // Whether the tile's elements of the lane follow each other in memory, and where.
  bool is_run(const Lane& lane) const { return lane.dense || (by_rows_ && lane.inner() == lane.item()); }
  static char* place(const Lane& lane, const Odometer& at, int64_t position) {
    return lane.data + (lane.dense ? position * lane.item() : at.offset(lane.strides));
  }
  char* target(size_t i, const Odometer& at, int64_t position) const {
    const Lane& out = loop_.outputs[i];
    return out.as_is() && is_run(out) && !loop_.streams[i] ? place(out, at, position) : nullptr;
  }

  const char* fetch(size_t i, const Odometer& at, int64_t position, int64_t n) {
    const Lane& lane = loop_.inputs[i];
    Tile& tile = tiles_[i];
    const char* first = place(lane, at, position);
    if (lane.dense && asks_ahead_) {
      const int64_t rest = loop_.plan.numel - position - n;
      next_[i] = {first + n * lane.item(), std::min(n, rest) * lane.item()};
    }
    if (is_run(lane)) return converted(tile, lane, first, n);
    if (by_rows_ && lane.inner() == 0) return fill(tile, lane, first, n);
    if (lane.periodic && tile.value == first && n <= tile.count) return tile.data;
    char* staged = lane.as_is() ? tile.data : staging_;
    gather(lane, at, staged, n);
    tile.value = first;
    tile.count = n;
    return converted(tile, lane, staged, n);
  }

  static const char* converted(const Tile& tile, const Lane& lane, const char* from, int64_t n) {
    if (lane.as_is()) return from;
    convert(tile.data, lane.wanted, from, lane.dtype, n);
    return tile.data;
  }

  // Repeats one value over the tile, unless the tile has it from the step before.
  static const char* fill(Tile& tile, const Lane& lane, const char* value, int64_t n) {
    if (tile.value == value && n <= tile.count) return tile.data;
    convert(tile.data, lane.wanted, value, lane.dtype, 1);
    repeat_first(tile.data, static_cast<int64_t>(size_of(lane.wanted)), n);
    tile.value = value;
    tile.count = n;
    return tile.data;
  }

  static void gather(const Lane& lane, const Odometer& at, char* to, int64_t n) {
    const int64_t stride = lane.inner();
    with_item_type(lane.item(), [&]<class T>(T*) {
      at.each_run(lane.strides, n, [&](int64_t offset, int64_t run) {
        const char* from = lane.data + offset;
        if (stride == sizeof(T)) {  // told apart, so that the compiler knows the stride
          copy_items<T>(to, sizeof(T), from, sizeof(T), run);
        } else if (stride == 0) {
          repeat_item<T>(to, from, run);
        } else {
          copy_items<T>(to, sizeof(T), from, stride, run);
        }
        to += run * static_cast<int64_t>(sizeof(T));
      });
    });
  }

  void deliver(size_t i, const char* from, const Odometer& at, int64_t position, int64_t n) {
    const Lane& out = loop_.outputs[i];
    if (is_run(out)) {
      char* to = place(out, at, position);
      if (!out.as_is() && !loop_.streams[i]) return convert(to, out.dtype, from, out.wanted, n);
      if (!out.as_is()) convert(staging_, out.dtype, from, out.wanted, n), from = staging_;
      const bool streams = loop_.streams[i] && reinterpret_cast<uintptr_t>(to) % 64 == 0;
      if (streams) return CR_DISPATCH(stream_copy)(to, from, n * out.item());
      std::memmove(to, from, static_cast<size_t>(n * out.item()));
      return;
    }
    if (!out.as_is()) convert(staging_, out.dtype, from, out.wanted, n), from = staging_;
    scatter(out, at, from, n);
  }

  static void scatter(const Lane& out, const Odometer& at, const char* from, int64_t n) {
    with_item_type(out.item(), [&]<class T>(T*) {
      at.each_run(out.strides, n, [&](int64_t offset, int64_t run) {
        if (out.inner() == sizeof(T)) {
          copy_items<T>(out.data + offset, sizeof(T), from, sizeof(T), run);
        } else {
          copy_items<T>(out.data + offset, out.inner(), from, sizeof(T), run);
        }
        from += run * static_cast<int64_t>(sizeof(T));
      });
    });
  }

  const Loop& loop_;
  bool by_rows_ = false;
  Tile tiles_[Chain::kMostValues];
  alignas(64) char staging_[kTile * 16];
};

void copy_dense(const Lane& from, const Lane& to, int64_t begin, int64_t n) {
  const char* source = from.data + begin * from.item();
  char* target = to.data + begin * to.item();
  if (from.dtype != to.dtype) return convert(target, to.dtype, source, from.dtype, n);
  if (target != source) std::memmove(target, source, static_cast<size_t>(n * to.item()));
}

// Over elements that lie as the kernel takes and gives them.
void run_where_they_lie(const Loop& loop, int64_t begin, int64_t end) {
  const Lane& out = loop.outputs[0];
  if (loop.program.steps().empty()) return copy_dense(loop.inputs[0], out, begin, end - begin);
  const Program::Step& step = loop.program.steps()[0];
  const void* in[ChainStep::kMostOperands];
  for (int k = 0; k < ChainStep::kMostOperands; ++k) {
    const Lane* lane = step.in[k] < 0 ? nullptr : &loop.inputs[static_cast<size_t>(step.in[k])];
    in[k] = lane ? lane->data + begin * lane->item() : nullptr;
  }
  step.run(out.data + begin * out.item(), in, end - begin, step.parameters);
}

}  // namespace

void run_loop(const Chain& chain, const Program& program, const LoopPlan& plan) {
  const Loop loop(chain, program, plan);
  parallel_for(plan.numel, kGrain, [&](int64_t begin, int64_t end) {
    loop.is_single() ? run_where_they_lie(loop, begin, end) : Worker(loop).run(begin, end);
  });
}

}  // namespace chainrule::cpu
