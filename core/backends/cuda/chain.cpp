// Chains on a GPU: one kernel each, made of the table's own texts.
#include "backends/chain.hpp"

#include <algorithm>

#include "backends/cuda/chain_plan.hpp"
#include "backends/cuda/chain_run.hpp"
#include "backends/cuda/element_types.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/lines.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/scalar.hpp"

namespace chainrule::cuda {
namespace {

// Where an operand is, or the number that it is.
struct Place {
  const char* data = nullptr;
  Scalar number{};
};

bool is_condition(const ChainStep& step, int operand) {
  const Line& line = line_of(step.op);
  const int first = step.gradient == ChainStep::kValue ? 0 : 1, i = operand - first;
  return i >= 0 && i < line.input_count && std::string_view(line.inputs[i]) == "condition";
}

// Everything about one run of a chain.
class ChainRun {
 public:
  explicit ChainRun(const Chain& chain) : chain_(chain), layout_(chain.sizes, strides_of(chain)) {}

  // False where a kernel cannot do it.
  bool start() {
    if (!layout_.fits()) return false;
    if (layout_.numel() == 0) return true;
    plan_.compute = compute_dtype(chain_.dtype);
    plan_.of_truth = is_bool(chain_.dtype);
    plan_inputs();
    plan_steps();
    for (const ChainOutput& o : chain_.outputs) plan_.outputs.push_back({o.value, o.dtype});
    plan_move();
    choose_walk();
    choose_vector();
    write_words();
    if (words_.size() > ChainWords::kMost) return false;
    const Function f = kernel(plan_.key(), "chain", [&] { return plan_.text(); });
    launch(f, {divide_up(layout_.numel(), int64_t{kThreads} * plan_.vector)}, kThreads, words_.data());
    return true;
  }

 private:
  static std::vector<Span> strides_of(const Chain& chain);
  void plan_inputs();
  void plan_steps();
  void plan_move();
  void choose_walk();
  bool lies_in_rows(int dimensions) const;
  void choose_vector();
  bool can_take_together(int64_t n) const;
  void write_words();
  void write_places();

  template <class F>  // f(operand, size of an element, whether it repeats, where it is)
  void each_tensor(F f) const {
    const int outputs = static_cast<int>(chain_.outputs.size());
    for (size_t i = 0; i < places_.size(); ++i) {
      const PlannedInput& in = plan_.inputs[i];
      if (in.is_read && !in.is_number) f(outputs + static_cast<int>(i), size_of(in.dtype), in.repeats, places_[i].data);
    }
    for (int i = 0; i < outputs; ++i)
      f(i, size_of(chain_.outputs[static_cast<size_t>(i)].dtype), false, chain_.outputs[static_cast<size_t>(i)].data);
  }

  const Chain& chain_;
  const Layout layout_;  // outputs first, then inputs
  ChainPlan plan_;
  std::vector<Place> places_;
  ChainWords words_;
};

std::vector<Span> ChainRun::strides_of(const Chain& chain) {
  static const std::vector<int64_t> still(64);
  std::vector<Span> all;
  for (const ChainOutput& o : chain.outputs) all.push_back(o.strides);
  for (const ChainInput& in : chain.inputs)
    all.push_back(in.data && !in.is_single ? Span(in.strides) : Span(still).first(chain.sizes.size()));
  return all;
}

// A tensor of one element may be on the CPU: it is a number then.
void ChainRun::plan_inputs() {
  for (const ChainInput& in : chain_.inputs) {
    Place place{in.data, in.number};
    if (in.data && in.is_single && !block_around(in.data)) place = {nullptr, load(in.dtype, in.data)};
    plan_.inputs.push_back({.dtype = in.dtype, .is_number = !place.data});
    places_.push_back(place);
  }
  for (const ChainStep& step : chain_.steps) {
    for (int k = 0; k < ChainStep::kMostOperands; ++k) {
      const ChainOperand o = step.operands[k];
      if (!o.is_read() || !o.is_input()) continue;
      PlannedInput& in = plan_.inputs[static_cast<size_t>(o.index())];
      in.is_read = true;
      in.is_condition |= is_condition(step, k);
    }
  }
  for (const ChainOutput& o : chain_.outputs) {
    if (o.value.is_input()) plan_.inputs[static_cast<size_t>(o.value.index())].is_read = true;
  }
}

void ChainRun::plan_steps() {
  for (const ChainStep& step : chain_.steps) {
    plan_.steps.push_back({&step, step.gradient == ChainStep::kValue && line_of(step.op).is_test});
  }
}

// A copy to the same dtype moves bytes; a conversion calculates with what the input is.
void ChainRun::plan_move() {
  if (!chain_.steps.empty() || chain_.inputs.size() != 1 || plan_.inputs[0].is_number) return;
  plan_.compute = compute_dtype(plan_.inputs[0].dtype);
  plan_.moves_only =
      std::ranges::all_of(plan_.outputs, [&](const PlannedOutput& o) { return o.dtype == plan_.inputs[0].dtype; });
}

// Within the last dimension every operand goes step by step, or stays where it is; outputs do the former.
bool ChainRun::lies_in_rows(int dimensions) const {
  if (layout_.dimensions() > dimensions) return false;
  const int last = layout_.dimensions() - 1, outputs = static_cast<int>(chain_.outputs.size());
  bool fits = true;
  each_tensor([&](int operand, size_t, bool, const char*) {
    const int64_t stride = layout_.stride(operand, last);
    fits &= stride == 1 || (stride == 0 && operand >= outputs);
  });
  return fits;
}

void ChainRun::choose_walk() {
  plan_.walk = lies_in_rows(1) ? Walk::Line : lies_in_rows(2) ? Walk::Rows : Walk::Grid;
  plan_.dimensions = layout_.dimensions();
  plan_.is_wide = layout_.numel() >= int64_t{1} << 31;
  if (plan_.walk == Walk::Grid) return;
  const int outputs = static_cast<int>(chain_.outputs.size()), last = layout_.dimensions() - 1;
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    PlannedInput& in = plan_.inputs[i];
    in.repeats = in.is_read && !in.is_number && layout_.stride(outputs + static_cast<int>(i), last) == 0;
  }
}

bool ChainRun::can_take_together(int64_t n) const {
  const int last = layout_.dimensions() - 1;
  bool can = layout_.size(last) % n == 0;
  each_tensor([&](int operand, size_t item, bool repeats, const char* data) {
    if (repeats) return;
    can &=
        item * static_cast<size_t>(n) <= 16 && reinterpret_cast<uintptr_t>(data) % (item * static_cast<size_t>(n)) == 0;
    if (last > 0) can &= layout_.stride(operand, 0) % n == 0;
  });
  return can;
}

void ChainRun::choose_vector() {
  if (plan_.walk == Walk::Grid) return;
  for (int n : {4, 2}) {
    if (!can_take_together(n)) continue;
    plan_.vector = n;
    return;
  }
}

void ChainRun::write_places() {
  if (plan_.walk == Walk::Line) return;
  if (plan_.walk == Walk::Rows) {
    words_.add(layout_.size(1) / plan_.vector);
    each_tensor([&](int operand, size_t, bool, const char*) { words_.add(layout_.stride(operand, 0)); });
    return;
  }
  for (int d = plan_.dimensions; d-- > 0;) words_.add(layout_.size(d));
  each_tensor([&](int operand, size_t, bool, const char*) {
    for (int d = plan_.dimensions; d-- > 0;) words_.add(layout_.stride(operand, d));
  });
}

// In the order in which the text reads them.
void ChainRun::write_words() {
  words_.add(layout_.numel() / plan_.vector);
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    const PlannedInput& in = plan_.inputs[i];
    if (!in.is_read) continue;
    if (!in.is_number) {
      words_.add(places_[i].data);
      continue;
    }
    int64_t bytes[2] = {};
    store(places_[i].number, in.is_condition ? DType::Bool : plan_.compute, bytes);
    words_.add(bytes[0]);
    words_.add(bytes[1]);
  }
  for (const ChainOutput& o : chain_.outputs) words_.add(static_cast<const void*>(o.data));
  for (const PlannedStep& s : plan_.steps) {
    const Line& line = line_of(s.step->op);
    for (int k = 0; k < kMaxParameters && line.parameters[k]; ++k) words_.add(s.step->parameters[k]);
  }
  write_places();
}

// Neighbours of halves are not those of floats.
bool has_no_kernel(const Chain& chain) {
  return size_of(chain.dtype) == 2 && is_floating(chain.dtype) &&
         std::ranges::any_of(chain.steps, [](const ChainStep& s) { return s.op == OpId::nextafter; });
}

}  // namespace

void run_chain(const Chain& chain) {
  if (has_no_kernel(chain) || !ChainRun(chain).start()) fallback<&ChainKernels::run>(chain);
}

const ChainKernels chain_kernels{
    .run = {run_chain},
    .run_on_blocks = {fallback<&ChainKernels::run_on_blocks>},  // nothing comes in blocks on a GPU
    .divided_by_zero = [] { return false; },                    // told later: Note [Errors of kernels]
};

}  // namespace chainrule::cuda
