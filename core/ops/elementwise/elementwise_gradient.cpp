// The history of an elementwise call: what it saves and how its gradients are calculated.
#include "ops/elementwise/elementwise_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "autograd/forward_mode.hpp"
#include "autograd/private_buffer.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/chain_parts.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/refusals.hpp"
#include "ops/elementwise/refused_derivatives.hpp"
#include "tensor/item.hpp"
#include "tensor/memory_order.hpp"

namespace chainrule {
namespace {

// How to differentiate a recorded call: which inputs were numbers, and where the saved tensors are.
struct ElementwiseGradient {
  const OpRecord* op;
  double numbers[5];             // parameters, then the values of inputs that were real numbers
  uint8_t slot[kMaxInputs + 1];  // of each input and the output among the saved tensors; kNumber; kUnread
  static constexpr uint8_t kNumber = 254, kUnread = 255;

  void operator()(Backward& b, Kept* kept) const;
  void show(const Node* n, Kept& kept) const;
  static bool offer_terms(Node* n, GradientChain& chain, std::vector<GradientTerm>& terms);
  const double* parameters() const { return numbers; }
  double number(int i) const {
    int at = op->parameter_count;
    for (int j = 0; j < i; ++j) at += slot[j] == kNumber;
    return numbers[at];
  }
};

Operand saved_operand(const ElementwiseGradient& e, int i, std::span<const Tensor> saved) {
  if (e.slot[i] == ElementwiseGradient::kNumber) return Operand(e.number(i));
  return e.slot[i] == ElementwiseGradient::kUnread ? Operand() : Operand(saved[e.slot[i]]);
}

const char* shown_name(const OpRecord& op, int i) {
  std::string_view name = op.input_names[i];
  return name == "x" || name == "a" ? "self" : name == "b" ? "other" : op.input_names[i];
}

bool gradients_name(const OpRecord& op, const char* parameter) {
  return std::any_of(std::begin(op.gradients), std::end(op.gradients),
                     [&](const char* text) { return text && names_in(text, parameter); });
}

// The gradient of a few contiguous elements, all of g's shape and dtype, without describing a chain; else a null
// handle.
Tensor small_gradient(const ElementwiseGradient& e, int k, const Tensor& g, std::span<const Tensor> saved,
                      const Tensor& into) {
  const OpRecord& op = *e.op;
  if (!has_line_kernels(g.dtype()) || !g.is_contiguous() || g.numel() > thresholds.sweep || op.condition >= 0 ||
      g->storage->device != Device::CPU)
    return Tensor();
  const void* pointers[kMaxInputs + 2] = {g->data};
  WrittenNumber numbers[kMaxInputs];
  uint8_t from_numbers = 0;
  for (int i = 0; i < op.input_count; ++i) {
    if (!(op.reads[k] >> i & 1)) continue;
    if (e.slot[i] == ElementwiseGradient::kNumber) {
      if (g.numel() > WrittenNumber::kMost) return Tensor();
      pointers[i + 1] = numbers[i].write(e.number(i), g.dtype(), g.numel());
      from_numbers |= static_cast<uint8_t>(2 << i);
    } else {
      const Tensor& t = saved[e.slot[i]];
      if (!matches(t.get(), g.get())) return Tensor();
      pointers[i + 1] = t->data;
    }
  }
  if (op.reads[k] & kReadsOutput) {
    const Tensor& y = saved[e.slot[kMaxInputs]];
    if (!matches(y.get(), g.get())) return Tensor();
    pointers[op.input_count + 1] = y->data;
  }
  const LineKernel kernel = line_kernels_of(op.id).gradient[k][line_kernel_index(g.dtype())];
  if (!kernel) raise_unsupported(op, g.dtype());
  Tensor out = into ? into : empty_as(g.get(), g.dtype());
  run_line(kernel,
           {op.id, g.dtype(), out->data, pointers, g.numel(), e.parameters(), op.input_count + 2, from_numbers});
  return out;
}

// The order of g; where that is expanded and has none, the order of what was saved.
Dims gradient_strides(const ElementwiseGradient& e, int k, const Tensor& g, std::span<const Tensor> saved) {
  if (std::find(g.strides().begin(), g.strides().end(), 0) == g.strides().end()) return dense_strides_like(g);
  std::vector<Dims> operands{Dims(g.strides())};
  auto add = [&](int slot) {
    operands.push_back(broadcast_strides(saved[static_cast<size_t>(slot)].get(), g.sizes()));
  };
  for (int i = 0; i < e.op->input_count; ++i) {
    if (e.op->reads[k] >> i & 1 && e.slot[i] < ElementwiseGradient::kNumber) add(e.slot[i]);
  }
  if (e.op->reads[k] & kReadsOutput) add(e.slot[kMaxInputs]);
  return dense_strides(g.sizes(), operands);
}

// The line's gradient text, one pass over memory. `adds`: to what `out` holds.
void run_gradient(const ElementwiseGradient& e, int k, const Tensor& g, std::span<const Tensor> saved,
                  const Tensor& out, bool adds) {
  const OpRecord& op = *e.op;
  ChainInput inputs[kMaxInputs + 3];
  int count = 0;
  auto read = [&](const Operand& o) {
    inputs[count] = chain_input(o, g.sizes());
    return ChainOperand::input(count++);
  };
  ChainStep steps[2] = {{op.id, k, {read(Operand(g))}, e.parameters()}};
  for (int i = 0; i < op.input_count; ++i) {
    if (op.reads[k] >> i & 1) steps[0].operands[i + 1] = read(saved_operand(e, i, saved));
  }
  if (op.reads[k] & kReadsOutput) steps[0].operands[op.input_count + 1] = read(Operand(saved[e.slot[kMaxInputs]]));
  if (adds) steps[1] = {.op = OpId::add, .operands = {read(Operand(out)), ChainOperand::step(0)}};
  const ChainOutput output = chain_output(ChainOperand::step(adds), out);
  backend().chain->run.unlocked(  // what is added to may be a leaf's .grad
      adds ? kKeepsLock : work_on(g.numel()),
      {g.sizes(), g.dtype(), {inputs, size_t(count)}, {steps, adds ? size_t(2) : size_t(1)}, {&output, 1}});
}

// Into `out`, or a new tensor.
Tensor fused_gradient(const ElementwiseGradient& e, int k, const Tensor& g, std::span<const Tensor> saved, Tensor out) {
  if (Tensor small = small_gradient(e, k, g, saved, out)) return small;
  if (!has_arithmetic(*e.op, g.dtype())) raise_unsupported(*e.op, g.dtype());
  if (!out) out = empty_strided(g.sizes(), gradient_strides(e, k, g, saved), g.dtype());
  run_gradient(e, k, g, saved, out, false);
  return out;
}

// Whether the gradient may be added to `sum` on its way: it would be rounded no otherwise than in a tensor of its own.
bool may_be_added(const Tensor& g, const Tensor& sum) {
  return has_line_kernels(g.dtype()) && sum && matches(sum.get(), g.get());
}

KeptValue value_of(const ShownConstant& c) {
  if (c.text) return c.text;
  return c.is_whole ? KeptValue(static_cast<int64_t>(c.number)) : KeptValue(c.number);
}

// An infinite bound of clamp is one that was not given.
KeptValue shown_number(const OpRecord& op, double number, bool wrapped) {
  if (op.id == OpId::clamp && std::isinf(number)) return std::monostate();
  if (wrapped) return WrappedNumber{plain_number(number)};
  return plain_number(number);
}

// Inputs and the output by the texts of the gradients that could be asked for: PyTorch shows None for those that this
// call does not need.
void ElementwiseGradient::show(const Node* n, Kept& kept) const {
  bool wraps = n->op == op->info;  // in an overload for tensors a number is one as well
  uint8_t reads = 0, wanted = 0;
  for (int k = 0; k < op->input_count; ++k) {
    if (op->reads[k] & kIsNone || (slot[k] == kNumber && !wraps)) continue;
    reads |= op->reads[k];
    if (n->edges[k]) wanted |= op->reads[k];
  }
  for (int i = 0; i < op->input_count; ++i) {
    if (!(reads >> i & 1)) continue;
    const char* name = shown_name(*op, i);
    if (slot[i] != kNumber)
      kept.add(name, Slot{slot[i] < kNumber ? slot[i] : -1});
    else if (wanted >> i & 1)
      kept.values.push_back({name, shown_number(*op, number(i), wraps)});
    else
      kept.add(name, std::nullopt);
  }
  if (reads & kReadsOutput) kept.add("result", Slot{slot[kMaxInputs] < kNumber ? slot[kMaxInputs] : -1});
  for (int i = 0; i < op->parameter_count; ++i) {
    if (!gradients_name(*op, op->parameter_names[i])) continue;
    bool given = op->id != OpId::logit || numbers[i] >= 0;
    kept.add(op->parameter_names[i], given ? std::optional(numbers[i]) : std::nullopt);
  }
  for (const ShownConstant& c : op->attributes.shown) {
    if (c.name) kept.values.push_back({c.name, value_of(c)});
  }
}

void ElementwiseGradient::operator()(Backward& b, Kept* kept) const {
  if (kept) return show(b.node(), *kept);
  Tensor saved[kMaxInputs + 1];
  int count = b.node()->saved_count;
  for (int i = 0; i < count; ++i) saved[i] = b.saved(i);
  std::span<const Tensor> tensors(saved, static_cast<size_t>(count));
  Tensor g = b.take_g();
  bool conjugate = holds_complex(g.dtype());
  if (conjugate) g = conj(g);
  int last = -1;
  for (int k = 0; k < op->input_count; ++k) {
    if (b.needs(k) && !(op->reads[k] & kIsNone)) last = k;
  }
  for (int k = 0; k <= last; ++k) {
    if (!b.needs(k) || (op->reads[k] & kIsNone)) continue;
    Tensor result;
    if (op->reads[k] & kPassesG) {
      result = g;
    } else if (grad_enabled() || Storage::making.device == Device::Meta) {
      Operand inputs[kMaxInputs];
      for (int i = 0; i < op->input_count; ++i) inputs[i] = saved_operand(*this, i, tensors);
      Tensor y = slot[kMaxInputs] < kNumber ? tensors[slot[kMaxInputs]] : Tensor();
      result = gradient_formula(*op, k, g, {inputs, size_t(op->input_count)}, y, parameters());
    } else {
      Tensor sum = g.numel() > thresholds.sweep ? b.gathered(k) : Tensor();
      if (may_be_added(g, sum)) {
        run_gradient(*this, k, g, tensors, sum, true);
        ++sum->storage->version;
        continue;
      }
      // The last formula may overwrite the incoming gradient if nobody else can see it.
      Tensor into = k == last && is_private(g.get()) ? g : Tensor();
      result = fused_gradient(*this, k, g, tensors, into);
    }
    b.give(k, conjugate ? conj(result) : result);
  }
}

// A node's gradients as steps of a chain; see Note [Gradient chains].
bool ElementwiseGradient::offer_terms(Node* n, GradientChain& chain, std::vector<GradientTerm>& terms) {
  const auto& e = *reinterpret_cast<const ElementwiseGradient*>(n->capture);
  const OpRecord& op = *e.op;
  if (op.condition >= 0) return false;
  auto saved = [&](int slot) {
    const SavedTensor& s = n->saved[slot];
    bool usable = s.tensor && is_as_saved(n, s) && chain.fits(s.tensor);
    return usable ? chain.operand(s.tensor) : ChainOperand();
  };
  for (int k = 0; k < op.input_count; ++k) {
    if (!n->edges[k] || (op.reads[k] & kIsNone)) continue;
    GradientTerm term{k, bool(op.reads[k] & kPassesG), {op.id, k, {}, e.parameters()}};
    for (int i = 0; i < op.input_count; ++i) {
      if (!(op.reads[k] >> i & 1)) continue;
      ChainOperand& o = term.step.operands[i + 1];
      o = e.slot[i] == kNumber ? chain.operand(e.number(i)) : saved(e.slot[i]);
      if (!o.is_read()) return false;
    }
    if (op.reads[k] & kReadsOutput) {
      ChainOperand& y = term.step.operands[op.input_count + 1];
      y = saved(e.slot[kMaxInputs]);
      if (!y.is_read()) return false;
    }
    terms.push_back(term);
  }
  return true;
}

}  // namespace

OpInfo* node_info(const OpRecord& op, std::span<const Operand> in) {
  if (!in[0].tensor) return op.info_number_first;
  if (op.id == OpId::clamp && in[1].tensor) return op.info;  // a missing upper bound is an infinite number
  return in[static_cast<size_t>(op.input_count - 1)].tensor ? op.info : op.info_number_last;
}

Tensor complex_number(const Operand& number, DType dtype) {
  if (number.tensor || number.scalar.imaginary == 0) return Tensor();
  Tensor t = empty_strided(Span(), Span(), dtype);
  set_item(t, number.scalar);
  return t;
}

namespace {

struct Edges {
  Edge to[kMaxInputs];
  uint8_t reads = 0;  // what the gradients along them read
  bool any = false;
};
Edges edges_of(const OpRecord& op, std::span<const Operand> in) {
  Edges edges;
  for (int i = 0; i < op.input_count; ++i) {
    if (!in[i].tensor || (op.reads[i] & kIsNone) || !is_differentiable(in[i].tensor->dtype)) continue;
    Edge& edge = edges.to[i];
    edge = gradient_edge(in[i].tensor);
    if (edge || (in[i].tensor->base && requires_grad(in[i].tensor)))
      edges.any = true;
    else if (forward_mode::active()) [[unlikely]]
      edge = Edge::to_leaf(in[i].tensor);
    if (edge) edges.reads |= op.reads[i];
  }
  return edges;
}

constexpr int kRoom = std::extent_v<decltype(Node::inline_saved)>;

// What the gradients read, as bits: tensors and complex numbers into the node's saved tensors, other numbers into `e`.
// Saved tensors are counted as they come, so that the node is whole whenever one of them is refused.
[[gnu::always_inline]] inline void save_operands(Node* n, ElementwiseGradient& e, uint8_t reads,
                                                 std::span<const Operand> in, const Tensor& out, const Tensor* former) {
  if ((reads & 15) == 15) {  // three inputs and the output: more than there is room for
    reserve_saved(n, kRoom + 1);
    n->saved_count = 0;
  }
  auto next_slot = [n] {
    n->saved[n->saved_count] = {nullptr, 0, false};
    return static_cast<uint8_t>(n->saved_count++);
  };
  int numbers = e.op->parameter_count;
  for (int i = 0; i < e.op->input_count; ++i) {
    bool read = reads >> i & 1;
    Tensor complex = read && !in[i].tensor ? complex_number(in[i], out.dtype()) : Tensor();
    if (!in[i].tensor && !complex) {
      e.slot[i] = ElementwiseGradient::kNumber;
      e.numbers[numbers++] = in[i].scalar.real;
    } else if (!read) {
      e.slot[i] = ElementwiseGradient::kUnread;
    } else {
      e.slot[i] = next_slot();
      save_input(n, e.slot[i], complex ? complex : former && former[i] ? former[i] : Tensor::borrow(in[i].tensor));
    }
  }
  e.slot[kMaxInputs] = ElementwiseGradient::kUnread;
  if (!(reads & kReadsOutput)) return;
  e.slot[kMaxInputs] = next_slot();
  save_output(n, e.slot[kMaxInputs], out);
}

}  // namespace

Node* make_elementwise_node(const OpRecord& op, std::span<const Operand> in, const double* parameters,
                            const Tensor& out, const Tensor* former) {
  if (op.reads[0] & kIsNone) [[unlikely]] {
    if (Node* n = make_node_refusing_first(op, in, out)) return n;
  }
  Edges edges = edges_of(op, in);
  if (!edges.any) return nullptr;
  static_assert(kMaxInputs <= std::extent_v<decltype(Node::inline_edges)> && kMaxInputs <= kRoom);
  Node* n = make_inline_node(node_info(op, in), op.input_count, 0);
  set_function(n, ElementwiseGradient());
  auto& e = *reinterpret_cast<ElementwiseGradient*>(n->capture);
  e.op = &op;
  for (int i = 0; i < op.input_count; ++i) set_edge(n, i, edges.to[i]);
  for (int i = 0; i < op.parameter_count; ++i) e.numbers[i] = parameters[i];
  save_operands(n, e, edges.reads, in, out, former);
  n->outputs[0].describe(out);
  finish_node(n);
  return n;
}

Tensor line_gradient(const OpRecord& op, int k, const Tensor& g, std::span<const Operand> in,
                     const double* parameters) {
  if (grad_enabled()) return gradient_formula(op, k, g, in, Tensor(), parameters);
  ElementwiseGradient e{.op = &op, .numbers = {}, .slot = {}};
  std::copy_n(parameters, op.parameter_count, e.numbers);
  Tensor tensors[kMaxInputs];
  int at = op.parameter_count;
  for (int i = 0; i < op.input_count; ++i) {
    e.slot[i] = in[i].tensor ? static_cast<uint8_t>(i) : ElementwiseGradient::kNumber;
    if (in[i].tensor)
      tensors[i] = Tensor::borrow(in[i].tensor);
    else
      e.numbers[at++] = in[i].scalar.real;
  }
  return fused_gradient(e, k, g, tensors, Tensor());
}

std::optional<RecordedOperands> recorded_operands(const Node* n) {
  if (!n->function || n->function->offer_terms != &ElementwiseGradient::offer_terms) return {};
  const auto& e = *reinterpret_cast<const ElementwiseGradient*>(n->capture);
  auto place = [](uint8_t slot) { return slot < ElementwiseGradient::kNumber ? int{slot} : -1; };
  RecordedOperands r{.op = e.op, .output_slot = place(e.slot[kMaxInputs])};
  for (int i = 0; i < e.op->parameter_count; ++i) r.parameters[i] = e.numbers[i];
  for (int i = 0; i < e.op->input_count; ++i) {
    r.is_number[i] = e.slot[i] == ElementwiseGradient::kNumber;
    if (r.is_number[i]) r.numbers[i] = e.number(i);
    r.slots[i] = place(e.slot[i]);
  }
  return r;
}

}  // namespace chainrule
