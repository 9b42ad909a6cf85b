// The driver of all elementwise operations: dtype, shape, kernel, history.
#include "ops/elementwise.hpp"

#include <algorithm>

#include "autograd/cut.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "autograd/tile_group.hpp"
#include "backends/cpu/elementwise.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "backends/cpu/tile_loop.hpp"
#include "ops/accumulate.hpp"
#include "ops/complex.hpp"
#include "ops/refusals.hpp"

namespace chainrule {
namespace {

using cpu::Compute;
using cpu::ElementwiseKernel;
constexpr int64_t kGrain = 32 * 1024;

Compute compute_of(DType t) {
  switch (t) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32: return Compute::F32;
    case DType::Float64: return Compute::F64;
    case DType::Complex64: return Compute::C64;
    case DType::Complex128: return Compute::C128;
    default: return Compute::I64;
  }
}
constexpr DType kComputeDType[] = {DType::Float32, DType::Float64, DType::Int64, DType::Complex64, DType::Complex128};

const cpu::OpKernels* const all_kernels = CR_DISPATCH(elementwise_kernels);
inline const cpu::OpKernels& kernels_of(const OpRecord& op) { return all_kernels[static_cast<int>(op.id)]; }

// What a call works with: the dtype of the arithmetic and of the result, and the common shape.
struct Shape {
  DType common, result;
  Dims sizes;
};

[[noreturn]] void raise_unsupported(const OpRecord& op, DType t) {
  raise(PyExc_NotImplementedError, "\"", op.name, "_cpu\" not implemented for '", facts(t).tensor_name, "'");
}

DType common_dtype(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  DType t = op.condition >= 0 ? result_type(in.subspan(1)) : result_type(in);
  refuse_operands(op, in, parameters, t);
  if (is_bool(t) && !takes_bool(op.domain)) raise_unsupported(op, t);
  if (promotes(op.domain) && !is_differentiable(t)) t = default_dtype();
  bool too_short = op.domain == Domain::WIDEFLOAT && size_of(t) < 4;
  if (too_short || !kernels_of(op).forward[static_cast<int>(compute_of(t))]) raise_unsupported(op, t);
  return t;
}

Shape shape_of(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  Shape s;
  s.common = common_dtype(op, in, parameters);
  s.result = op.is_test ? DType::Bool : s.common;
  bool first = true;
  for (const Operand& o : in) {
    if (!o.tensor) continue;
    Span sizes(o.tensor->sizes(), o.tensor->ndim);
    if (first) s.sizes = Dims(sizes);
    else if (!equal(s.sizes, sizes)) s.sizes = broadcast_shapes(s.sizes, sizes, op.name);
    first = false;
  }
  return s;
}

// A fresh output that keeps the layout of the first operand that has the result's shape.
Tensor allocate(const Shape& s, std::span<const Operand> in) {
  for (const Operand& o : in) {
    if (!o.tensor || o.tensor->has(kContiguous) || !equal(Span(o.tensor->sizes(), o.tensor->ndim), s.sizes)) continue;
    return empty_strided(s.sizes, dense_strides_like(Tensor::borrow(o.tensor)), s.result);
  }
  return empty(s.sizes, s.result);
}

void check_division(const OpRecord& op) {
  if (!cpu::integer_division_by_zero.load(std::memory_order_relaxed)) return;
  cpu::integer_division_by_zero.store(false, std::memory_order_relaxed);
  raise(PyExc_RuntimeError, "ZeroDivisionError\n  ", op.name, ": an integer was divided by zero.");
}

// An operand as a lane of the tile loop; a number becomes one value that is repeated.
struct Numbers {
  alignas(16) char bytes[kMaxInputs + 2][16];
};
cpu::TileOperand lane(const Operand& o, DType wanted, Span sizes, char* number) {
  if (o.tensor) return {o.tensor->data, o.tensor->dtype, wanted, broadcast_strides(o.tensor, sizes)};
  store(o.scalar, wanted, number);
  return {number, wanted, wanted, Dims(static_cast<int>(sizes.size()))};
}

cpu::TileOperand output_lane(const Tensor& out, DType wanted) {
  return {out->data, out.dtype(), wanted, Dims(out.strides())};
}

void run_forward(const OpRecord& op, std::span<const Operand> in, const Shape& s, const double* parameters,
                 const Tensor& out) {
  Compute compute = compute_of(s.common);
  DType arithmetic = kComputeDType[static_cast<int>(compute)];
  ElementwiseKernel kernel = kernels_of(op).forward[static_cast<int>(compute)];
  cpu::TileOperand lanes[cpu::kMaxTileOperands];
  Numbers numbers;
  lanes[0] = output_lane(out, op.is_test ? DType::Bool : arithmetic);
  for (int i = 0; i < op.input_count; ++i) {
    lanes[i + 1] = lane(in[i], i == op.condition ? DType::Bool : arithmetic, s.sizes, numbers.bytes[i]);
  }
  cpu::run_tiles(s.sizes, lanes, op.input_count + 1,
                 [&](void* o, const void* const* x, int64_t n) { kernel(o, x, n, parameters); });
  if (compute == Compute::I64) check_division(op);
}

constexpr int64_t kSmall = 64;  // up to here a number is written out in full instead of running tiles

// The first tensor when all are contiguous, of one shape and of the arithmetic's own dtype, so that the kernel can run on
// them directly; null otherwise.
const TensorObject* simple_shape(const OpRecord& op, std::span<const Operand> in) {
  const TensorObject* first = nullptr;
  bool numbers = false;
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    if (!t) {
      numbers = true;
      if (in[i].scalar.kind == Scalar::kComplex) return nullptr;
      continue;
    }
    if (!t->has(kContiguous)) return nullptr;
    if (!first) {
      if (t->dtype != DType::Float32 && t->dtype != DType::Float64) return nullptr;
      first = t;
    } else if (t->dtype != first->dtype || t->numel != first->numel || t->ndim != first->ndim ||
               !std::equal(t->sizes(), t->sizes() + t->ndim, first->sizes())) {
      return nullptr;
    }
  }
  return first && numbers && first->numel > kSmall ? nullptr : first;
}

template <class T>
const void* repeated(double value, char* buffer, int64_t n) {
  auto* values = reinterpret_cast<T*>(buffer);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(value);
  return values;
}

// A kernel over contiguous arrays, cut into chunks.
struct Sweep {
  ElementwiseKernel kernel;
  const void* const* in;
  int count;              // of pointers in `in`; null ones are not read
  int64_t item;           // bytes of an input's element
  const double* parameters;
  bool may_stream = false;  // pays when arithmetic is so cheap that memory decides

  void at(void* out, int64_t begin, int64_t n) const {
    const void* shifted[kMaxInputs + 2];
    for (int i = 0; i < count; ++i) shifted[i] = in[i] ? static_cast<const char*>(in[i]) + begin * item : nullptr;
    kernel(out, shifted, n, parameters);
  }
  // Calls use(tile, begin, n) for results made in the first-level cache.
  template <class F>
  void tiles(int64_t begin, int64_t end, int64_t out_item, F use) const {
    alignas(64) char tile[cpu::kStreamTile];
    for (int64_t step = cpu::kStreamTile / out_item; begin < end; begin += step) {
      int64_t n = std::min(step, end - begin);
      at(tile, begin, n);
      use(tile, begin, n);
    }
  }
};

bool reads(const Sweep& s, const void* data) {
  return std::find(s.in, s.in + s.count, data) != s.in + s.count;
}

void run_parallel(const Sweep& s, const Tensor& out) {
  auto item = static_cast<int64_t>(size_of(out.dtype()));
  bool stream = s.may_stream && out.numel() * item >= cpu::kStreamBytes && reinterpret_cast<uintptr_t>(out->data) % 64 == 0 && !reads(s, out->data);
  cpu::parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
    if (!stream) return s.at(out->data + begin * item, begin, end - begin);
    s.tiles(begin, end, item, [&](const char* tile, int64_t at, int64_t n) {
      CR_DISPATCH(stream_copy)(out->data + at * item, tile, n * item);
    });
    CR_DISPATCH(stream_fence)();
  });
}

// sum += result, without the result ever being in memory.
void accumulate_parallel(const Sweep& s, const Tensor& sum, Compute compute) {
  ElementwiseKernel add = all_kernels[static_cast<int>(OpId::add)].forward[static_cast<int>(compute)];
  auto item = static_cast<int64_t>(size_of(sum.dtype()));
  cpu::parallel_for(sum.numel(), kGrain, [&](int64_t begin, int64_t end) {
    s.tiles(begin, end, item, [&](const char* tile, int64_t at, int64_t n) {
      char* target = sum->data + at * item;
      const void* both[2] = {target, tile};
      add(target, both, n, nullptr);
    });
  });
}

Tensor run_simple(const OpRecord& op, std::span<const Operand> in, const double* parameters, const TensorObject* first) {
  bool single = first->dtype == DType::Float32;
  ElementwiseKernel kernel = kernels_of(op).forward[static_cast<int>(single ? Compute::F32 : Compute::F64)];
  if (!kernel) raise_unsupported(op, first->dtype);
  Tensor out = empty_as(first, op.is_test ? DType::Bool : first->dtype);
  const void* pointers[kMaxInputs];
  alignas(64) char numbers[kMaxInputs][kSmall * 8];
  for (int i = 0; i < op.input_count; ++i) {
    if (in[i].tensor) pointers[i] = in[i].tensor->data;
    else pointers[i] = single ? repeated<float>(in[i].scalar.real, numbers[i], first->numel) : repeated<double>(in[i].scalar.real, numbers[i], first->numel);
  }
  if (first->numel <= kGrain) kernel(out->data, pointers, first->numel, parameters);
  else run_parallel({kernel, pointers, op.input_count, single ? 4 : 8, parameters, op.is_cheap}, out);
  return out;
}

// ---- history

// How to differentiate a recorded call: which inputs were numbers, and where the saved tensors are.
struct ElementwiseGradient {
  const OpRecord* op;
  double numbers[5];  // parameters, then the values of inputs that were numbers
  uint8_t slot[kMaxInputs + 1];  // of each input and the output among the saved tensors; kNumber; kUnread
  static constexpr uint8_t kNumber = 254, kUnread = 255;

  void operator()(Backward& b) const;
  static bool tile_rule(Node* n, TileGroup& group, std::vector<TileTerm>& terms);
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

bool matches(const TensorObject* t, const TensorObject* g) {
  return t->has(kContiguous) && t->dtype == g->dtype && t->numel == g->numel && t->ndim == g->ndim &&
         std::equal(t->sizes(), t->sizes() + t->ndim, g->sizes());
}

// The gradient kernel run directly, when everything it reads is contiguous and of g's shape and dtype; else a null handle.
// With `sum`, the gradient is added to it and sum itself returned.
Tensor simple_gradient(const ElementwiseGradient& e, int k, const Tensor& g, std::span<const Tensor> saved, const Tensor& into,
                       const Tensor& sum) {
  const OpRecord& op = *e.op;
  bool single = g.dtype() == DType::Float32;
  if ((!single && g.dtype() != DType::Float64) || !g.is_contiguous() || op.condition >= 0) return Tensor();
  const void* pointers[kMaxInputs + 2] = {g->data};
  alignas(64) char numbers[kMaxInputs][kSmall * 8];
  for (int i = 0; i < op.input_count; ++i) {
    if (!(op.reads[k] >> i & 1)) continue;
    if (e.slot[i] == ElementwiseGradient::kNumber) {
      if (g.numel() > kSmall) return Tensor();
      pointers[i + 1] = single ? repeated<float>(e.number(i), numbers[i], g.numel()) : repeated<double>(e.number(i), numbers[i], g.numel());
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
  ElementwiseKernel kernel = kernels_of(op).gradient[k][static_cast<int>(single ? Compute::F32 : Compute::F64)];
  if (!kernel) raise_unsupported(op, g.dtype());
  Sweep sweep{kernel, pointers, op.input_count + 2, single ? 4 : 8, e.parameters()};
  if (sum) {
    if (!matches(sum.get(), g.get())) return Tensor();
    accumulate_parallel(sweep, sum, single ? Compute::F32 : Compute::F64);
    return sum;
  }
  Tensor out = into ? into : empty_as(g.get(), g.dtype());
  if (g.numel() <= kGrain) kernel(out->data, pointers, g.numel(), e.parameters());
  else run_parallel(sweep, out);
  return out;
}

// One pass over memory: the line's gradient text as a kernel.
Tensor fused_gradient(const ElementwiseGradient& e, int k, const Tensor& g, std::span<const Tensor> saved, Tensor out) {
  if (Tensor simple = simple_gradient(e, k, g, saved, out, Tensor())) return simple;
  const OpRecord& op = *e.op;
  Compute compute = compute_of(g.dtype());
  DType arithmetic = kComputeDType[static_cast<int>(compute)];
  ElementwiseKernel kernel = kernels_of(op).gradient[k][static_cast<int>(compute)];
  if (!kernel) raise_unsupported(op, g.dtype());
  if (!out) out = empty_strided(g.sizes(), dense_strides_like(g), g.dtype());
  cpu::TileOperand lanes[cpu::kMaxTileOperands];
  Numbers numbers;
  lanes[0] = output_lane(out, arithmetic);
  lanes[1] = lane(Operand(g), arithmetic, g.sizes(), numbers.bytes[0]);
  auto reads = op.reads[k];
  for (int i = 0; i < op.input_count; ++i) {
    if (!(reads >> i & 1)) continue;
    DType wanted = i == op.condition ? DType::Bool : arithmetic;
    lanes[i + 2] = lane(saved_operand(e, i, saved), wanted, g.sizes(), numbers.bytes[i + 1]);
  }
  int y = op.input_count + 2;
  if (reads & kReadsOutput) lanes[y] = lane(Operand(saved[e.slot[kMaxInputs]]), arithmetic, g.sizes(), numbers.bytes[4]);
  for (int i = 2; i <= y; ++i) {
    if (!lanes[i].data) lanes[i].strides = Dims(g.ndim());
  }
  cpu::run_tiles(g.sizes(), lanes, y + 1,
                 [&](void* o, const void* const* x, int64_t n) { kernel(o, x, n, e.parameters()); });
  return out;
}

bool exclusively_owned(const Tensor& t) {
  return Py_REFCNT(t.py()) == 1 && t->storage->references == 1 && t.is_contiguous() && !t->storage->owner;
}

void ElementwiseGradient::operator()(Backward& b) const {
  Tensor saved[kMaxInputs + 1];
  int count = b.node()->saved_count;
  for (int i = 0; i < count; ++i) saved[i] = b.saved(i);
  std::span<const Tensor> kept(saved, static_cast<size_t>(count));
  Tensor g = b.take_g();
  bool conjugate = is_complex(g.dtype());
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
    } else if (grad_enabled()) {
      Operand inputs[kMaxInputs];
      for (int i = 0; i < op->input_count; ++i) inputs[i] = saved_operand(*this, i, kept);
      Tensor y = slot[kMaxInputs] < kNumber ? kept[slot[kMaxInputs]] : Tensor();
      result = gradient_formula(*op, k, g, {inputs, size_t(op->input_count)}, y, parameters());
    } else {
      if (Tensor sum = g.numel() > kGrain ? b.gathered(k) : Tensor()) {
        if (simple_gradient(*this, k, g, kept, Tensor(), sum)) continue;
      }
      // The last formula may overwrite the incoming gradient if nobody else can see it.
      Tensor into = k == last && exclusively_owned(g) ? g : Tensor();
      result = fused_gradient(*this, k, g, kept, into);
    }
    b.give(k, conjugate ? conj(result) : result);
  }
}

// PyTorch's node has another name where operands are numbers.
OpInfo* node_info(const OpRecord& op, std::span<const Operand> in) {
  if (!in[0].tensor) return op.info_number_first;
  if (op.id == OpId::clamp && in[1].tensor) return op.info;  // a missing upper bound is an infinite number
  return in[static_cast<size_t>(op.input_count - 1)].tensor ? op.info : op.info_number_last;
}

// The kernels of a node's gradients on arrays; see Note [Tile groups].
bool ElementwiseGradient::tile_rule(Node* n, TileGroup& group, std::vector<TileTerm>& terms) {
  const auto& e = *reinterpret_cast<const ElementwiseGradient*>(n->capture);
  const OpRecord& op = *e.op;
  if (op.condition >= 0) return false;
  auto array = [&](int slot) -> const char* {
    const SavedTensor& s = n->saved[slot];
    bool usable = s.tensor && s.version == s.tensor->storage->version && s.tensor->has(kContiguous) &&
                  s.tensor->dtype == group.shape().dtype && equal(Span(s.tensor->sizes(), s.tensor->ndim), group.shape().sizes());
    return usable ? s.tensor->data : nullptr;
  };
  Compute compute = compute_of(group.shape().dtype);
  for (int k = 0; k < op.input_count; ++k) {
    if (!n->edges[k] || (op.reads[k] & kIsNone)) continue;
    TileTerm term{k, op.reads[k] & kPassesG ? nullptr : kernels_of(op).gradient[k][static_cast<int>(compute)], {}, {}, e.parameters()};
    if (!term.kernel && !(op.reads[k] & kPassesG)) return false;
    for (int i = 0; i < op.input_count; ++i) {
      if (!(op.reads[k] >> i & 1)) continue;
      term.constant[i + 1] = e.slot[i] == kNumber;
      term.in[i + 1] = term.constant[i + 1] ? group.constant(e.number(i)) : array(e.slot[i]);
      if (!term.in[i + 1]) return false;
    }
    if (op.reads[k] & kReadsOutput) {
      term.in[op.input_count + 1] = array(e.slot[kMaxInputs]);
      if (!term.in[op.input_count + 1]) return false;
    }
    terms.push_back(term);
  }
  return true;
}

// Makes the node of a call. `former`: per input, a copy from before an in-place write, or a null handle.
Node* make_elementwise_node(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out,
                            const Tensor* former) {
  Edge edges[kMaxInputs];
  uint8_t reads = 0;
  for (int i = 0; i < op.input_count; ++i) {
    if (!in[i].tensor || (op.reads[i] & kIsNone) || !is_differentiable(in[i].tensor->dtype)) continue;
    edges[i] = gradient_edge(in[i].tensor);
    if (!edges[i] && forward_mode::active()) edges[i] = Edge::to_leaf(in[i].tensor);
    if (edges[i]) reads |= op.reads[i];
  }
  ElementwiseGradient e;
  e.op = &op;
  int numbers = 0, saved = 0;
  for (int i = 0; i < op.parameter_count; ++i) e.numbers[numbers++] = parameters[i];
  for (int i = 0; i < op.input_count; ++i) {
    bool read = reads >> i & 1;
    if (!in[i].tensor) {
      e.slot[i] = ElementwiseGradient::kNumber;
      e.numbers[numbers++] = in[i].scalar.real;
    } else {
      e.slot[i] = read ? static_cast<uint8_t>(saved++) : ElementwiseGradient::kUnread;
    }
  }
  e.slot[kMaxInputs] = reads & kReadsOutput ? static_cast<uint8_t>(saved++) : ElementwiseGradient::kUnread;

  Node* n = make_node(node_info(op, in), op.input_count, saved, 1);
  for (int i = 0; i < op.input_count; ++i) {
    if (edges[i]) set_edge(n, i, edges[i]);
    if (e.slot[i] < ElementwiseGradient::kNumber) {
      save_input(n, e.slot[i], former && former[i] ? former[i] : Tensor::borrow(in[i].tensor));
    }
  }
  if (e.slot[kMaxInputs] < ElementwiseGradient::kNumber) save_output(n, e.slot[kMaxInputs], out);
  set_function(n, e);
  n->outputs[0].describe(out);
  finish_node(n);
  return n;
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

// Whether writing `self` spoils an input before it is read: in another arrangement by the kernel, or later by a gradient.
bool is_overwritten(const Operand& input, const Tensor& self, bool read_later) {
  Tensor t = Tensor::borrow(input.tensor);
  if (!t.same_storage(self)) return false;
  return read_later || t->data != self->data || !equal(t.strides(), self.strides());
}

bool has_tangent(const Operand& o) { return forward_mode::has_tangent(o.tensor); }

// Forward mode: the gradient texts with g := each input's tangent, summed.
void pass_tangents(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  if (!op.differentiable) return;
  forward_mode::PauseScope pause;
  Tensor sum;
  for (int k = 0; k < op.input_count; ++k) {
    if (!has_tangent(in[k]) || (op.reads[k] & kIsNone)) continue;
    Tensor t = fit_tangent(Tensor::borrow(in[k].tensor->rare->tangent), out);
    Tensor term = op.reads[k] & kPassesG ? t : gradient_formula(op, k, t, in, out, parameters);
    sum = sum ? elementwise(OpId::add, {sum, term}) : term;
  }
  if (sum) forward_mode::set_tangent(out, sum);
}

void note_cuts(std::span<const Operand> in, const Tensor& out) {
  for (const Operand& o : in) {
    if (!o.tensor) continue;
    if (o.tensor->has(kCut)) inherit_cut(out, o.tensor);
    else if (!grad_enabled() && requires_grad(o.tensor) && is_differentiable(out.dtype())) mark_unrecorded(out);
  }
}

void record_elementwise(const OpRecord& op, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  if (wants_grad(op, in) && is_differentiable(out.dtype())) {
    Node* n = make_elementwise_node(op, in, parameters, out, nullptr);
    attach(out, n);
    Py_DECREF((PyObject*)n);
  }
  if (forward_mode::active()) [[unlikely]] pass_tangents(op, in, parameters, out);
}

}  // namespace

Tensor elementwise(OpId id, std::span<const Operand> in, const double* parameters) {
  const OpRecord& op = record_of(id);
  Tensor out;
  if (const TensorObject* first = op.condition < 0 ? simple_shape(op, in) : nullptr) {
    out = run_simple(op, in, parameters, first);
  } else {
    Shape s = shape_of(op, in, parameters);
    out = allocate(s, in);
    run_forward(op, in, s, parameters, out);
  }
  bool history = false, cut = false;
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    history |= t && may_require_grad(t);
    cut |= t && t->has(kCut);
  }
  if ((history && grad_enabled()) || forward_mode::active()) record_elementwise(op, in, parameters, out);
  if ((cut || (history && !grad_enabled())) && !out->node) note_cuts(in, out);
  return out;
}

void (*add_kernel(DType dtype))(void*, const void* const*, int64_t, const double*) {
  if (dtype != DType::Float32 && dtype != DType::Float64) return nullptr;
  return all_kernels[static_cast<int>(OpId::add)].forward[static_cast<int>(compute_of(dtype))];
}

bool add_in_memory(const Tensor& target, const Tensor& source) {
  bool single = target.dtype() == DType::Float32;
  if ((!single && target.dtype() != DType::Float64) || !target.is_contiguous() || !matches(source.get(), target.get())) return false;
  ElementwiseKernel kernel = all_kernels[static_cast<int>(OpId::add)].forward[static_cast<int>(single ? Compute::F32 : Compute::F64)];
  const void* pointers[2] = {target->data, source->data};
  if (target.numel() <= kGrain) kernel(target->data, pointers, target.numel(), nullptr);
  else run_parallel({kernel, pointers, 2, single ? 4 : 8, nullptr}, target);
  return true;
}

namespace {

// For an op without a derivative that overwrites a tensor with history: comparisons are constant almost everywhere, so
// zeros; heaviside_ and nextafter_ have no gradient to give.
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
  return op.id == OpId::logical_and || op.id == OpId::logical_or || op.id == OpId::logical_xor || op.id == OpId::logical_not;
}

}  // namespace

Tensor elementwise_inplace(OpId id, std::span<const Operand> in, const double* parameters) {
  const OpRecord& op = record_of(id);
  if (!in[0].tensor) raise(PyExc_TypeError, op.name, "_(): argument 'input' (position 1) must be Tensor, not a number");
  Tensor self = Tensor::borrow(in[0].tensor);
  Shape s = shape_of(op, in, parameters);
  if (!can_cast(s.result, self.dtype())) {
    raise(PyExc_RuntimeError, "result type ", facts(s.result).tensor_name, " can't be cast to the desired output type ",
          facts(self.dtype()).tensor_name);
  }
  if (!equal(s.sizes, self.sizes())) {
    raise(PyExc_RuntimeError, "output with shape ", self.sizes(), " doesn't match the broadcast shape ", Span(s.sizes));
  }
  bool recorded = wants_grad(op, in);
  bool cut = !op.differentiable && !is_logical(op) && grad_enabled() && requires_grad(self);
  check_inplace(self, recorded || cut);
  check_no_overlap(self);
  bool has_tangents = forward_mode::active() && op.differentiable;
  uint8_t wanted = has_tangents ? 0xff : recorded ? read_by_gradients(op, in) : 0;
  Operand copies[kMaxInputs];
  Tensor former[kMaxInputs];
  for (int i = 0; i < op.input_count; ++i) {
    copies[i] = in[i];
    if (!in[i].tensor || !is_overwritten(in[i], self, wanted >> i & 1)) continue;
    former[i] = clone(Tensor::borrow(in[i].tensor));
    copies[i].tensor = former[i].get();
  }
  run_forward(op, {copies, in.size()}, s, parameters, self);
  mark_written(self);
  if (recorded) rebase_history(self, make_elementwise_node(op, in, parameters, self, former));
  else if (cut) rebase_history(self, make_constant_node(op, in, self));
  if (has_tangents) [[unlikely]] {
    for (int i = 0; i < op.input_count; ++i) {
      if (former[i] && has_tangent(in[i])) forward_mode::set_tangent(former[i], forward_mode::tangent(Tensor::borrow(in[i].tensor)));
    }
    pass_tangents(op, {copies, in.size()}, parameters, self);
  }
  return self;
}

Tensor elementwise_out(OpId id, std::span<const Operand> in, const double* parameters, const Tensor& out) {
  const OpRecord& op = record_of(id);
  Shape s = shape_of(op, in, parameters);
  if (wants_grad(op, in) || (grad_enabled() && requires_grad(out))) {
    raise(PyExc_RuntimeError, op.name,
          "(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
          "grad.");
  }
  refuse_out(op, in, s.result, out.dtype());
  prepare_out(out, s.sizes);
  check_no_overlap(out);
  Operand copies[kMaxInputs];
  Tensor former[kMaxInputs];
  for (int i = 0; i < op.input_count; ++i) {
    copies[i] = in[i];
    if (!in[i].tensor || !is_overwritten(in[i], out, false)) continue;
    former[i] = clone(Tensor::borrow(in[i].tensor));
    copies[i].tensor = former[i].get();
  }
  run_forward(op, {copies, in.size()}, s, parameters, out);
  mark_written(out);
  return out;
}

}  // namespace chainrule
