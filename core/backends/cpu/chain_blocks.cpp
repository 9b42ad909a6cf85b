#include "backends/cpu/chain_blocks.hpp"

#include <algorithm>
#include <optional>

#include "backends/cpu/chain_worker.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/matmul.hpp"

namespace chainrule::cpu {
namespace {

// Where a tile's elements are among all: `lines` of `length`, each `step` elements after the one before.
struct Place {
  int64_t at, length, lines, step;
  bool is_contiguous() const { return lines == 1 || step == length; }
  int64_t count() const { return length * lines; }
};

class BlockWorker : ChainWorker {
 public:
  BlockWorker(const Chain& chain, const Program& program, const Place& first)
      : ChainWorker(program, kFinishedColumns, static_cast<int>(chain.inputs.size())),
        chain_(chain),
        item_(static_cast<int64_t>(size_of(chain.dtype))),
        numel_(chain.sizes[0] * chain.sizes[1]) {
    streams_ = numel_ * item_ >= thresholds.stream_chain;
    for (size_t i = 1; i < chain.inputs.size(); ++i) fill_constant(i, first);
  }
  ~BlockWorker() {
    if (streams_) CR_DISPATCH(stream_fence)();
  }

  // `block` holds those elements of the first input.
  void run(const Place& place, const char* block) {
    values_[0] = block;
    for (size_t i = 1; i < chain_.inputs.size(); ++i) {
      if (!is_constant(chain_.inputs[i])) values_[i] = fetch(i, place);
    }
    for (size_t i = 0; i < chain_.outputs.size(); ++i) {
      const bool direct = !streams_ && place.is_contiguous();
      targets_[i] = direct ? chain_.outputs[i].data + place.at * item_ : nullptr;
    }
    run_steps(place.count());
    for (size_t i = 0; i < chain_.outputs.size(); ++i) {
      const char* value = values_[program_.output(i)];
      if (value != targets_[i])
        copy(chain_.outputs[i].data + place.at * item_, place.step, value, place.length, place, streams_);
    }
  }

 private:
  // A number, or one row for all.
  static bool is_constant(const ChainInput& in) { return !in.data || in.strides[0] == 0; }
  void copy(char* to, int64_t to_step, const char* from, int64_t from_step, const Place& place, bool streams) const {
    CR_DISPATCH(copy_lines)
    (to, to_step * item_, from, from_step * item_, place.lines, place.length * item_, streams);
  }
  // What is the same in all tiles of a block: numbers, and rows for every line.
  void fill_constant(size_t i, const Place& first) {
    const ChainInput& in = chain_.inputs[i];
    if (!is_constant(in)) return;
    char* tile = input_tile(static_cast<int>(i));
    values_[i] = tile;
    if (in.data)
      copy(tile, first.length, in.data + first.at % chain_.sizes[1] * item_, 0, first, false);
    else
      for (int64_t k = 0; k < kFinishedColumns; ++k) store(in.number, chain_.dtype, tile + k * item_);
  }
  const char* fetch(size_t i, const Place& place) {
    const char* data = chain_.inputs[i].data + place.at * item_;
    if (place.is_contiguous()) {
      const int64_t n = place.count(), rest = numel_ - place.at - n;
      fetch_ahead(data + n * item_, std::min(n, rest) * item_);
      return data;
    }
    char* tile = input_tile(static_cast<int>(i));
    copy(tile, place.length, data, place.step, place, false);
    return tile;
  }

  const Chain& chain_;
  int64_t item_, numel_;
  bool streams_;  // see stream.hpp
};

// Takes the blocks, from several threads.
class Blocks : public GemmFinish {
 public:
  Blocks(const Chain& chain, const Program& program) : chain_(chain), program_(program) {}

  void operator()(int64_t row, int64_t rows, int64_t column, int64_t columns, const char* block) const override {
    const int64_t most = kFinishedColumns / columns, width = chain_.sizes[1];
    Place place{row * width + column, columns, std::min(most, rows), width};
    BlockWorker worker(chain_, program_, place);
    for (const int64_t end = row + rows; row < end; row += most) {
      place.at = row * width + column;
      place.lines = std::min(most, end - row);
      worker.run(place, block);
      block += place.count() * static_cast<int64_t>(size_of(chain_.dtype));
    }
  }

 private:
  const Chain& chain_;
  const Program& program_;
};

}  // namespace

void run_on_blocks(const Chain& chain, const BlockSource& source) {
  std::pmr::monotonic_buffer_resource memory;
  const Program program(chain, &memory);
  source(Blocks(chain, program));
}

}  // namespace chainrule::cpu
