// The driver of all elementwise operations: dtype, shape, kernel, history.
#include "ops/elementwise/elementwise.hpp"

#include <algorithm>

#include "autograd/cut.hpp"
#include "autograd/inplace.hpp"
#include "backends/recording/recording.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/chain_parts.hpp"
#include "ops/elementwise/elementwise_gradient.hpp"
#include "ops/elementwise/elementwise_layout.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/elementwise/refusals.hpp"
#include "ops/elementwise/refused_derivatives.hpp"
#include "ops/indexing/write.hpp"
#include "ops/views/copy.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

// What a call works with: the dtype of the arithmetic and of the result, and the common shape.
struct Shape {
  DType common, result;
  Dims sizes;
};

DType common_dtype(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  DType t = op.condition >= 0 ? result_type(in.subspan(1)) : result_type(in);
  refuse_operands(op, in, parameters, t);
  return promotes(op.domain) && !is_differentiable(t) ? default_dtype() : t;
}

// Raises where there is no kernel for the dtype. PyTorch looks at shapes and at what an output can hold before.
void check_kernel(const OpRecord& op, std::span<const Operand> in, const double* parameters, DType t) {
  refuse_dtype(op, in, parameters, t);
  bool too_short = op.domain == Domain::WIDEFLOAT && size_of(t) < 4;
  if (too_short || !has_arithmetic(op, t) || (is_bool(t) && !takes_bool(op.domain))) raise_unsupported(op, t);
}

Shape shape_of(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  Shape s;
  s.common = common_dtype(op, in, parameters);
  s.result = op.is_test ? DType::Bool : s.common;
  bool first = true;
  for (const Operand& o : in) {
    if (!o.tensor) continue;
    Span sizes(o.tensor->sizes(), o.tensor->ndim);
    if (first)
      s.sizes = Dims(sizes);
    else if (!equal(s.sizes, sizes))
      s.sizes = broadcast_shapes(s.sizes, sizes, op.name);
    first = false;
  }
  return s;
}

Tensor allocate(const OpRecord& op, const Shape& s, std::span<const Operand> in) {
  const TensorObject* first = in[0].tensor;
  bool leads = first && first->has(kContiguous) && has_shape(first, s.sizes);  // then nothing else matters
  if (leads && !keeps_strides(in)) return empty(s.sizes, s.result);
  return empty_strided(s.sizes, fresh_strides(op, s.sizes, in), s.result);
}

void check_division(const OpRecord& op) {
  replayed_whole([&op] {
    if (!backend().chain->divided_by_zero()) return;
    raise(PyExc_RuntimeError, "ZeroDivisionError\n  ", op.name, ": an integer was divided by zero.");
  });
}
// Kernels calculate with int64 and float, but an operand is first what the common dtype makes of it: beside an int8
// tensor, 300 is 44; beside a bfloat16 tensor, 2.57 and an int32 tensor are rounded to eight bits. A single factor,
// divisor or weight beside halves is not: it may be a count that no half holds. In all this PyTorch does the same.
bool keeps_number(const OpRecord& op, int position, const Operand& o) {
  if (op.id == OpId::mul) return position == 1 || !o.tensor;
  if (op.id == OpId::lerp) return position == 2 && !o.tensor;
  bool divides = op.id == OpId::div || op.id == OpId::div_floor || op.id == OpId::div_trunc;
  return position == 1 && (divides || op.id == OpId::floor_divide);
}

Operand narrowed(const Operand& o, DType common, bool kept, Tensor& held) {
  if (o.tensor && o.tensor->dtype == common) return o;
  if (!(o.tensor && o.tensor->ndim)) {
    if (kept && !is_integral(common)) return o;
    Scalar given = o.tensor ? item(Tensor::borrow(o.tensor)) : o.scalar;
    if (!o.tensor && is_integral(common) && given.kind > Scalar::kInt) return o;
    alignas(8) char bytes[8];
    store(given, common, bytes);
    return Operand(load(common, bytes));
  }
  if (!is_integral(common) && o.tensor->numel > 1 && is_integral(o.tensor->dtype)) {
    GradModeScope off(false);
    held = to_dtype(Tensor::borrow(o.tensor), common);
    return Operand(held);
  }
  return o;
}

// `work`: as in tensor/unlocked.hpp; only a fresh result is calculated without Python's lock.
void run_forward(const OpRecord& op, std::span<const Operand> in, const Shape& s, const double* parameters,
                 const Tensor& out, double work = kKeepsLock) {
  if (out->storage->device == Device::Meta) [[unlikely]]
    return;
  Operand narrow[kMaxInputs];
  Tensor held[kMaxInputs];
  if (s.common != DType::Int64 && (is_integral(s.common) || (is_floating(s.common) && size_of(s.common) == 2))) {
    for (int i = 0; i < op.input_count; ++i)
      narrow[i] = i == op.condition ? in[i] : narrowed(in[i], s.common, keeps_number(op, i, in[i]), held[i]);
    if (op.id == OpId::signbit && s.common == DType::UInt64) narrow[0] = Operand(Scalar::of_int(0));  // no int64's sign
    in = {narrow, in.size()};
  }
  ChainInput inputs[kMaxInputs];
  ChainStep step{.op = op.id, .parameters = parameters};
  for (int i = 0; i < op.input_count; ++i) {
    inputs[i] = chain_input(in[i], s.sizes);
    step.operands[i] = ChainOperand::input(i);
  }
  const ChainOutput output = chain_output(ChainOperand::step(0), out);
  backend().chain->run.unlocked(work, {s.sizes, s.common, {inputs, in.size()}, {&step, 1}, {&output, 1}});
  if (!is_differentiable(s.common)) check_division(op);
}

// The first tensor when all are contiguous, of one shape and of the arithmetic's own dtype, so that the kernel can run
// on them directly; null otherwise.
const TensorObject* simple_shape(const OpRecord& op, std::span<const Operand> in) {
  const TensorObject* first = nullptr;
  bool numbers = false;
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    if (!t) {
      numbers = true;
      // Complex numbers change the dtype, and some ops refuse truth values.
      if (in[i].scalar.kind == Scalar::kComplex || in[i].scalar.kind == Scalar::kBool) return nullptr;
      continue;
    }
    if (!t->has(kContiguous)) return nullptr;
    if (!first) {
      if (t->dtype != DType::Float32 && t->dtype != DType::Float64) return nullptr;
      first = t;
    } else if (t->dtype != first->dtype || t->numel != first->numel ||
               !equal({t->sizes(), t->ndim}, {first->sizes(), first->ndim})) {
      return nullptr;
    }
  }
  return first && numbers && first->numel > WrittenNumber::kMost ? nullptr : first;
}

// Of one contiguous tensor to another of the same shape.
void copy_strides(const TensorObject* from, const Tensor& to) {
  constexpr int kInline = TensorObject::kInlineDims;
  if (from->ndim <= kInline) std::copy_n(from->inline_dims + kInline, from->ndim, to->inline_dims + kInline);
}

// Over one dimension: a longer description would take longer than a kernel of a few thousand elements.
void run_contiguous(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out,
                    DType dtype) {
  const int64_t numel = out.numel(), next = 1;
  ChainInput inputs[kMaxInputs];
  ChainStep step{.op = op.id, .parameters = parameters};
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    inputs[i] = t ? ChainInput{t->data, dtype, Dims{1}} : ChainInput{.number = Scalar(in[i].scalar.real)};
    step.operands[i] = ChainOperand::input(i);
  }
  const ChainOutput output{ChainOperand::step(0), out->data, out.dtype(), {&next, 1}};
  backend().chain->run.unlocked(work_on(numel),
                                {{&numel, 1}, dtype, {inputs, size_t(op.input_count)}, {&step, 1}, {&output, 1}});
}

Tensor run_simple(const OpRecord& op, std::span<const Operand> in, const double* parameters,
                  const TensorObject* first) {
  const LineKernel kernel = line_kernels_of(op.id).value[line_kernel_index(first->dtype)];
  if (!kernel) raise_unsupported(op, first->dtype);
  Tensor out = empty_as(first, op.is_test ? DType::Bool : first->dtype);
  if (keeps_strides(in)) copy_strides(first, out);
  if (first->numel > thresholds.sweep) {
    run_contiguous(op, in, parameters, out, first->dtype);
    return out;
  }
  const void* pointers[kMaxInputs];
  WrittenNumber numbers[kMaxInputs];
  uint8_t from_numbers = 0;
  for (int i = 0; i < op.input_count; ++i) {
    pointers[i] = in[i].tensor ? in[i].tensor->data : numbers[i].write(in[i].scalar.real, first->dtype, first->numel);
    from_numbers |= static_cast<uint8_t>(!in[i].tensor << i);
  }
  run_line(kernel, {op.id, first->dtype, out->data, pointers, first->numel, parameters, op.input_count, from_numbers});
  return out;
}

bool any_requires_grad(std::span<const Operand> in) {
  if (!grad_enabled()) return false;
  return std::any_of(in.begin(), in.end(), [](const Operand& o) { return o.tensor && requires_grad(o.tensor); });
}

bool wants_grad(const OpRecord& op, std::span<const Operand> in) {
  if (!op.differentiable || !grad_enabled()) return false;
  for (int i = 0; i < op.input_count; ++i) {
    if (in[i].tensor && !(op.reads[i] & kIsNone) && requires_grad(in[i].tensor)) return true;
  }
  return false;
}

// The inputs, as bits, that the gradients of this call read.
uint8_t read_by_gradients(const OpRecord& op, std::span<const Operand> in) {
  uint8_t bits = 0;
  for (int k = 0; k < op.input_count; ++k) {
    if (in[k].tensor && requires_grad(in[k].tensor)) bits |= op.reads[k];
  }
  return bits;
}

// Whether writing `self` spoils an input before it is read: in another arrangement by the kernel, or later by a
// gradient.
bool is_overwritten(const Operand& input, const Tensor& self, bool read_later) {
  Tensor t = Tensor::borrow(input.tensor);
  if (!t.same_storage(self)) return false;
  return (!show_the_same(t, self) && may_overlap(self, t)) || read_later;
}

bool has_tangent(const Operand& o) { return forward_mode::has_tangent(o.tensor); }

// x + 1 has the tangent of x, but not the same memory for it.
Tensor apart_from_inputs(const Tensor& tangent, std::span<const Operand> in) {
  for (const Operand& o : in) {
    if (has_tangent(o) && forward_mode::tangent(Tensor::borrow(o.tensor)).same_storage(tangent)) return clone(tangent);
  }
  return tangent;
}

// Forward mode: the gradient texts with g := each input's tangent, summed.
void pass_tangents(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  if (!op.differentiable && refuses_derivative(op, false, parameters)) refuse_tangents(op, in);
  if (op.reads[0] & kIsNone) refuse_first_tangents(op, in);
  if (!op.differentiable) return;
  forward_mode::PauseScope pause;
  Tensor sum, complex_numbers[kMaxInputs];
  Operand inputs[kMaxInputs];
  for (int i = 0; i < op.input_count; ++i) {
    complex_numbers[i] = complex_number(in[i], out.dtype());
    inputs[i] = complex_numbers[i] ? Operand(complex_numbers[i]) : in[i];
  }
  for (int k = 0; k < op.input_count; ++k) {
    if (!has_tangent(in[k]) || (op.reads[k] & kIsNone)) continue;
    Tensor t = fit_tangent(forward_mode::tangent(Tensor::borrow(in[k].tensor)), out);
    Tensor term = op.reads[k] & kPassesG ? t : gradient_formula(op, k, t, {inputs, in.size()}, out, parameters);
    sum = sum ? elementwise(OpId::add, {sum, term}) : term;
  }
  if (!sum && is_differentiable(out.dtype()) && std::ranges::any_of(in, has_tangent))
    sum = zeros(out.sizes(), out.dtype());
  if (sum) forward_mode::set_tangent(out, apart_from_inputs(sum, in));
}

void note_cuts(std::span<const Operand> in, const Tensor& out) {
  for (const Operand& o : in) {
    if (!o.tensor) continue;
    if (o.tensor->has(kCut))
      inherit_cut(out, o.tensor);
    else if (!grad_enabled() && requires_grad(o.tensor) && is_differentiable(out.dtype()))
      mark_unrecorded(out);
  }
}

// The node of a call whose inputs may require gradients; null if none does.
Node* node_of(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  if (!grad_enabled() || !is_differentiable(out.dtype())) return nullptr;
  if (op.differentiable) return make_elementwise_node(op, in, parameters, out, nullptr);
  bool refused = refuses_derivative(op, false, parameters) && any_requires_grad(in);
  return refused ? make_refusing_node(op, false, parameters, in, out) : nullptr;
}

void record_elementwise(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  if (Node* n = node_of(op, in, parameters, out)) attach_new(out, n);
  if (forward_mode::active()) [[unlikely]]
    pass_tangents(op, in, parameters, out);
}

Tensor run(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  const bool simple = op.condition < 0 && Storage::making.device == Device::CPU;
  if (const TensorObject* first = simple ? simple_shape(op, in) : nullptr) {
    return run_simple(op, in, parameters, first);
  }
  settle();
  Shape s = shape_of(op, in, parameters);
  check_kernel(op, in, parameters, s.common);
  Tensor out = allocate(op, s, in);
  // Integers may be divided by zero, which is noted in one place for all threads.
  run_forward(op, in, s, parameters, out, is_differentiable(s.common) ? work_on(out.numel()) : kKeepsLock);
  return out;
}

// What is pending is large, and so can be an input of this operation only if that is large as well.
bool is_large(std::span<const Operand> in) {
  const TensorObject* t = in[0].tensor ? in[0].tensor : in[in.size() - 1].tensor;
  return t && t->numel >= thresholds.pending;
}

Tensor run_later(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  if (!forward_mode::active() && Storage::making.device == Device::CPU) {
    if (Tensor out = defer(op, in, parameters)) {
      if (keeps_strides(in)) copy_strides(in[0].tensor ? in[0].tensor : in[1].tensor, out);
      return out;
    }
  }
  settle();
  return run(op, in, parameters);
}

// The value is there, or pending: gives it its history.
inline void give_history(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  bool history = false, cut = false;
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    history |= t && may_require_grad(t);
    cut |= t && t->has(kCut);
  }
  if ((history && grad_enabled()) || forward_mode::active()) record_elementwise(op, in, parameters, out);
  if ((cut || (history && !grad_enabled())) && !out->node) note_cuts(in, out);
}

}  // namespace

Tensor elementwise(OpId id, std::span<const Operand> in, const double* parameters) {
  const OpRecord& op = record_of(id);
  if (op.parameter_count) refuse_parameters(op, in, parameters);
  settle();
  Tensor out = run(op, in, parameters);
  give_history(op, in, parameters, out);
  return out;
}

Tensor elementwise_later(OpId id, std::span<const Operand> in, const double* parameters) {
  const OpRecord& op = record_of(id);
  if (op.parameter_count) refuse_parameters(op, in, parameters);
  Tensor out = is_large(in) ? run_later(op, in, parameters) : run(op, in, parameters);
  give_history(op, in, parameters, out);
  return out;
}

namespace {

// For an op without a derivative that overwrites a tensor with history: comparisons are constant almost everywhere, so
// zeros; heaviside_ has no gradient to give.
Node* make_constant_node(const OpRecord& op, std::span<const Operand> in, const Tensor& out) {
  Node* n = make_node(node_info(op, in), op.input_count, 0, 1);
  for (int i = 0; i < op.input_count; ++i) {
    if (in[i].tensor && is_differentiable(in[i].tensor->dtype)) {
      if (Edge e = gradient_edge(in[i].tensor)) set_edge(n, i, e);
    }
  }
  set_function(n, [record = &op](Backward& b) {
    if (!record->is_test) raise(PyExc_RuntimeError, "derivative for ", record->name, "_ is not implemented");
    for (int i = 0; i < record->input_count; ++i) {
      if (b.needs(i)) b.give(i, zeros(b.g().sizes(), b.g().dtype()));
    }
  });
  n->outputs[0].describe(out);
  finish_node(n);
  return n;
}

// PyTorch's logical_and_ and kin leave the history alone, and so does this.
bool is_logical(const OpRecord& op) {
  return op.id == OpId::logical_and || op.id == OpId::logical_or || op.id == OpId::logical_xor ||
         op.id == OpId::logical_not;
}

}  // namespace

Tensor elementwise_inplace(OpId id, std::span<const Operand> in, const double* parameters) {
  settle();
  const OpRecord& op = record_of(id);
  if (!in[0].tensor) raise(PyExc_TypeError, op.name, "_(): argument 'input' (position 1) must be Tensor, not a number");
  Tensor self = Tensor::borrow(in[0].tensor);
  bool refused = refuses_derivative(op, true, parameters);
  bool recorded = wants_grad(op, in) || (refused && any_requires_grad(in) && is_differentiable(self.dtype()));
  bool cut = !op.differentiable && !is_logical(op) && grad_enabled() && requires_grad(self);
  check_inplace(self, recorded || cut);
  refuse_parameters(op, in, parameters);
  Shape s = shape_of(op, in, parameters);
  if (!equal(s.sizes, self.sizes())) {
    raise(PyExc_RuntimeError, "output with shape ", self.sizes(), " doesn't match the broadcast shape ", Span(s.sizes));
  }
  check_cast(s.result, self.dtype());
  if (op.id != OpId::threshold) check_no_overlap(self);  // written twice, an element is the same
  bool has_tangents = forward_mode::active();
  uint8_t wanted = has_tangents ? 0xff : recorded && !refused ? read_by_gradients(op, in) : 0;
  Operand copies[kMaxInputs];
  Tensor former[kMaxInputs];
  for (int i = 0; i < op.input_count; ++i) {
    copies[i] = in[i];
    if (!in[i].tensor || !is_overwritten(in[i], self, wanted >> i & 1)) continue;
    former[i] = clone(Tensor::borrow(in[i].tensor));
    copies[i].tensor = former[i].get();
  }
  check_kernel(op, in, parameters, s.common);
  run_forward(op, {copies, in.size()}, s, parameters, self);
  mark_written(self);
  if (recorded && refused)
    rebase_history(self, make_refusing_node(op, true, parameters, in, self));
  else if (recorded)
    rebase_history(self, make_elementwise_node(op, in, parameters, self, former));
  else if (cut)
    rebase_history(self, make_constant_node(op, in, self));
  if (has_tangents) [[unlikely]] {
    for (int i = 0; i < op.input_count; ++i) {
      if (former[i] && has_tangent(in[i]))
        forward_mode::set_tangent(former[i], forward_mode::tangent(Tensor::borrow(in[i].tensor)));
    }
    forward_mode::WriteScope scope(self);
    pass_tangents(op, {copies, in.size()}, parameters, self);
  }
  return self;
}

Tensor elementwise_out(OpId id, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  settle();
  const OpRecord& op = record_of(id);
  refuse_parameters(op, in, parameters);
  Shape s = shape_of(op, in, parameters);
  if (wants_grad(op, in) || (grad_enabled() && requires_grad(out))) refuse_recorded_out(op.name);
  if (forward_mode::active()) [[unlikely]] {
    forward_mode::refuse_out(op.name, out.get());
    for (const Operand& o : in) forward_mode::refuse_out(op.name, o.tensor);
  }
  check_not_inference(out);
  refuse_out(op, in, s.result, out.dtype());
  check_kernel(op, in, parameters, s.common);
  if (!equal(out.sizes(), s.sizes)) {
    prepare_out(out, s.sizes);
    set_layout(out.get(), s.sizes, fresh_strides(op, s.sizes, in));
  }
  check_no_overlap(out);
  Operand copies[kMaxInputs];
  Tensor former[kMaxInputs];
  for (int i = 0; i < op.input_count; ++i) {
    copies[i] = in[i];
    if (!in[i].tensor || !is_overwritten(in[i], out, false)) continue;
    former[i] = clone(Tensor::borrow(in[i].tensor));
    copies[i].tensor = former[i].get();
  }
  // What is calculated wider than the result is first that: uint8 wraps around before it becomes an int64, and True
  // and True are True.
  bool is_narrow = s.result < DType::Float16 ? size_of(s.result) < 8 : size_of(s.result) == 2;
  bool rounded_first = out.dtype() != s.result && is_narrow;
  Tensor into = rounded_first ? empty(s.sizes, s.result) : out;
  run_forward(op, {copies, in.size()}, s, parameters, into);
  if (rounded_first) copy_elements(out, into);
  mark_written(out);
  return out;
}

}  // namespace chainrule
