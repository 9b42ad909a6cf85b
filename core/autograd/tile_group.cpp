// A run of elementwise nodes differentiated tile by tile, so that gradients between them never leave the cache.
#include "autograd/tile_group.hpp"

#include <algorithm>
#include <cstring>

#include "ops/accumulate.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {
namespace {

constexpr int64_t kBytes = TileGroup::kTile * 8;  // of a tile's buffer

bool is_constant(const Tensor& t) {
  for (int64_t s : t.strides()) {
    if (s != 0) return false;
  }
  return true;
}

}  // namespace

// Sums of one range of elements: a tile per slot and what it holds now.
struct TileGroup::Tiles {
  explicit Tiles(size_t slots) : memory(new (std::align_val_t(64)) char[(slots + 1) * kBytes]), holds(slots) {}
  ~Tiles() { operator delete[](memory, std::align_val_t(64)); }
  Tiles(const Tiles&) = delete;
  char* of(int slot) { return memory + slot * kBytes; }
  char* scratch() { return memory + static_cast<int64_t>(holds.size()) * kBytes; }

  char* memory;
  std::vector<const char*> holds;  // by slot: where its sum is, or null while there is none
};

const char* TileGroup::constant(double value) {
  constants_.push_back(std::make_unique<char[]>(kBytes));
  char* tile = constants_.back().get();
  for (int64_t i = 0; i < kTile; ++i) {
    if (item() == 4)
      reinterpret_cast<float*>(tile)[i] = static_cast<float>(value);
    else
      reinterpret_cast<double*>(tile)[i] = value;
  }
  return tile;
}

int TileGroup::find(Node* n) const {
  for (int i = 0; i < size(); ++i) {
    if (node(i) == n) return i;
  }
  return -1;
}

void TileGroup::add(Node* n, std::vector<TileTerm> terms, Tensor gradient) {
  members_.push_back({n, std::move(terms), {}, std::move(gradient)});
}

bool TileGroup::has_its_shape(const Tensor& t) const {
  return t.is_contiguous() && t.dtype() == shape_.dtype && equal(t.sizes(), shape_.sizes());
}

// Whether what flows to `e` has to be added by the engine, one gradient after the other: to a sum that has another
// layout or that others see, or where each is summed to the input's shape first. Added here it would be rounded
// otherwise.
bool TileGroup::is_added_outside(Edge e, const GradientSums::Sum& sum) const {
  const DType dtype = e.is_leaf() ? e.leaf()->dtype : e.node()->outputs[e.output_number()].dtype;
  const Span sizes =
      e.is_leaf() ? Span(e.leaf()->sizes(), e.leaf()->ndim) : Span(e.node()->outputs[e.output_number()].sizes());
  if (dtype != shape_.dtype || !equal(sizes, shape_.sizes())) return true;
  return sum.tensor && (!sum.writable || !has_its_shape(sum.tensor));
}

int TileGroup::slot_of(Edge e, const GradientSums& sums) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].edge == e && !slots_[i].is_alone) return static_cast<int>(i);
  }
  GradientSums::Sum sum = sums.gathered(e);
  const bool alone = is_added_outside(e, sum);
  Tensor start = alone ? Tensor() : sum.tensor;
  slots_.push_back({e, start, start ? start : empty(shape_.sizes(), shape_.dtype), nullptr, alone});
  return static_cast<int>(slots_.size()) - 1;
}

void TileGroup::connect(const GradientSums& sums) {
  for (Member& m : members_) {
    bool repeats = m.gradient && !m.gradient.is_contiguous() && is_constant(m.gradient);
    const char* repeated = repeats ? constant(load(shape_.dtype, m.gradient->data).real) : nullptr;
    slots_.push_back({Edge::to(m.node, 0), m.gradient, Tensor(), repeated});
  }
  for (Member& m : members_) {
    for (const TileTerm& t : m.terms) m.targets.push_back(slot_of(m.node->edges[t.input], sums));
  }
}

// Where the tile's elements are; those of the next one are asked for.
const char* TileGroup::input(const char* data, int64_t at, int64_t n) const {
  const int64_t next = at + n, rest = numel() - next;
  fetch_ahead(data + next * item(), std::min(rest, n) * item());
  return data + at * item();
}

// Adds one term of a member's gradient to the slot it flows to.
void TileGroup::run_term(const TileTerm& term, int target, const char* g, int64_t at, int64_t n, Tiles& tiles) const {
  const char* value = g;
  if (term.kernel) {
    const void* in[5] = {g};
    for (int i = 1; i < 5; ++i) in[i] = term.in[i] && !term.constant[i] ? input(term.in[i], at, n) : term.in[i];
    char* out = tiles.holds[target] ? tiles.scratch() : tiles.of(target);
    term.kernel(out, in, n, term.parameters);
    value = out;
  }
  if (!tiles.holds[target]) {
    tiles.holds[target] = value;  // a passed-on gradient is shared until somebody adds to it
    return;
  }
  const void* both[2] = {tiles.holds[target], value};
  add_kernel(shape_.dtype)(tiles.of(target), both, n, nullptr);
  tiles.holds[target] = tiles.of(target);
}

void TileGroup::run_tile(int64_t at, int64_t n, Tiles& tiles) const {
  int64_t offset = at * item();
  for (size_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    tiles.holds[s] = slot.repeated ? slot.repeated : slot.start ? slot.start->data + offset : nullptr;
  }
  for (size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    for (size_t k = 0; k < member.terms.size(); ++k) {
      run_term(member.terms[k], member.targets[k], tiles.holds[m], at, n, tiles);
    }
  }
  const bool streams = pays_to_stream(numel() * item());
  for (size_t s = members_.size(); s < slots_.size(); ++s) {
    char* to = slots_[s].result->data + offset;
    if (slots_[s].start || !streams || reinterpret_cast<uintptr_t>(to) % 64 != 0)
      std::memcpy(to, tiles.holds[s], static_cast<size_t>(n * item()));
    else
      store_streaming(to, tiles.holds[s], n * item());
  }
}

void TileGroup::run_range(int64_t begin, int64_t end) const {
  Tiles tiles(slots_.size());
  for (int64_t at = begin; at < end; at += kTile) run_tile(at, std::min(kTile, end - at), tiles);
  finish_streaming();
}

void TileGroup::run(const GradientSums& sums, const std::function<void(Edge, Tensor)>& give) {
  const Member& first = members_[0];
  if (members_.size() == 1 && std::none_of(first.terms.begin(), first.terms.end(), [](auto& t) { return t.kernel; })) {
    for (const TileTerm& t : first.terms) give(first.node->edges[t.input], first.gradient);  // a sum, on its own
    return;
  }
  connect(sums);
  in_parallel(numel(), [this](int64_t begin, int64_t end) { run_range(begin, end); });
  for (size_t s = members_.size(); s < slots_.size(); ++s) {
    if (slots_[s].start)
      ++slots_[s].start->storage->version;
    else
      give(slots_[s].edge, std::move(slots_[s].result));
  }
}

}  // namespace chainrule
