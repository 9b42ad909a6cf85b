// Conjugates and negatives that share memory with their base; see Note [Unresolved tensors].
#include "ops/elementwise/resolve.hpp"

#include "autograd/cut.hpp"
#include "autograd/forward_mode.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

OpInfo kConjView{"conj", "ConjBackward0", "conj(g)"};
OpInfo kNegView{"_neg_view", "NegViewBackward0", "-g"};

// The same memory, shown the other way.
Tensor flipped(const Tensor& t, uint16_t bit) {
  Tensor result = alias(t);
  link_view(result, t);
  set_bits(result.get(), t->bits() ^ bit);
  return result;
}

}  // namespace

Tensor conj_view(const Tensor& t) {
  if (!holds_complex(t.dtype())) return t;
  return record(kConjView, flipped(t, kConj), {&t}, {}, [](Backward& b) { b.give(0, conj(b.g())); });
}

Tensor neg_view(const Tensor& t) {
  return record(kNegView, flipped(t, kNeg), {&t}, {}, [](Backward& b) { b.give(0, elementwise(OpId::neg, {b.g()})); });
}

Tensor resolve_conj(const Tensor& t) { return t->has(kConj) ? clone(t) : t; }
Tensor resolve_neg(const Tensor& t) { return t->has(kNeg) ? clone(t) : t; }

Tensor shown_with_bits(const Tensor& t, uint16_t bits) {
  const auto change = static_cast<uint16_t>(t->bits() ^ bits);
  Tensor result = change & kConj ? conj_view(t) : t;
  return change & kNeg ? neg_view(result) : result;
}

Tensor with_bits(const Tensor& t, uint16_t bits) {
  Tensor result = bits & kConj ? conj(t) : t;
  return bits & kNeg ? elementwise(OpId::neg, {result}) : result;
}

Tensor resolved_copy(const Tensor& t) {
  const bool wanted = requires_grad(t);
  if (wanted && !t->node) return clone(t);  // a leaf: gradients find it through an edge
  Tensor result;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    result = clone(t);
  }
  result->flags &= static_cast<uint16_t>(~kCut);
  if (wanted) attach(result, t->node, static_cast<int>(t->output_number));
  if (t->has(kCut)) inherit_cut(result, t.get());
  if (forward_mode::active() && forward_mode::has_tangent(t.get()))
    forward_mode::set_tangent(result, forward_mode::tangent(t));
  return result;
}

}  // namespace chainrule
