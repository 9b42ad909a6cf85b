// The text of a chain's kernel: the table's own lines, put together.
#include <map>
#include <set>

#include "backends/cuda/chain_plan.hpp"
#include "backends/cuda/element_types.hpp"
#include "backends/cuda/lines.hpp"

namespace chainrule::cuda {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

// Takes the words one after the other and says how the kernel reads each.
class WordReader {
 public:
  std::string next() { return "a.w[" + number(count_++) + "]"; }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

class ChainText {
 public:
  explicit ChainText(const ChainPlan& plan)
      : plan_(plan), compute_(storage_type(plan.compute)), index_(plan.is_wide ? "int64_t" : "uint32_t") {}

  std::string write() {
    write_lines();
    read_arguments();
    const std::string walked = walk();  // which reads words, too
    std::string out = lines_ + "struct Arguments {\n  int64_t w[" + number(words_.count()) + "];\n};\n";
    out += "KERNEL_BOUNDED(chain, Arguments, 256) {\n  using T = " + compute_ + ";\n" + arguments_;
    return out + walked + "}\n";
  }

 private:
  void write_lines();
  void write_line(const PlannedStep& s, const std::string& name);
  void read_arguments();
  void read_number(size_t i, const std::string& name);
  std::string walk();
  std::string find_places();
  std::string loads();
  std::string calculations();
  std::string stores();
  std::string storage(DType t) const { return plan_.moves_only ? raw_type(size_of(t)) : storage_type(t); }
  std::string value(ChainOperand o) const {
    if (!o.is_read()) return "T(0)";
    return (o.is_input() ? "x" : "v") + number(o.index());
  }

  const ChainPlan& plan_;
  const std::string compute_, index_;
  WordReader words_;
  std::string lines_, arguments_;
  std::map<std::pair<int, int>, std::string> functions_;  // of an op and a gradient
};

// One line of the table as a function; equal lines share it.
void ChainText::write_line(const PlannedStep& s, const std::string& name) {
  const Line& line = line_of(s.step->op);
  const bool is_value = s.step->gradient == ChainStep::kValue;
  std::string list;
  auto argument = [&](const std::string& type, const char* what) {
    list += (list.empty() ? "const " : ", const ") + type + " " + what;
  };
  if (!is_value) argument("T", "g");
  for (const char* input : line.inputs) {
    if (input) argument(std::string_view(input) == "condition" ? "bool" : "T", input);
  }
  if (!is_value) argument("T", "y");
  for (const char* parameter : line.parameters) {
    if (parameter) argument("T", parameter);
  }
  const char* text = is_value ? line.value : line.gradients[s.step->gradient];
  if (is_value && plan_.of_truth && line.of_truth) text = line.of_truth;
  lines_ += std::string("inline ") + (s.is_test ? "bool" : "T") + " " + name + "(" + list + ") {\n  return " + text +
            ";\n}\n";
}

void ChainText::write_lines() {
  if (plan_.steps.empty()) return;
  lines_ = "using T = " + compute_ + ";\n";
  for (const PlannedStep& s : plan_.steps) {
    const auto [at, is_new] = functions_.try_emplace({static_cast<int>(s.step->op), s.step->gradient});
    if (!is_new) continue;
    at->second = "line" + number(static_cast<int64_t>(functions_.size()) - 1);
    write_line(s, at->second);
  }
}

// A number lies in its words as it lies in memory.
void ChainText::read_number(size_t i, const std::string& name) {
  const PlannedInput& in = plan_.inputs[i];
  const std::string first = words_.next(), second = words_.next();
  const DType t = in.is_condition ? DType::Bool : plan_.compute;
  const std::string type = t == DType::Bool ? "bool" : compute_;
  std::string text = "uint8_t(" + first + ") != 0";
  auto bits = [](const std::string& part, const std::string& word, const char* of) {
    return "__builtin_bit_cast(" + part + ", " + of + "(" + word + "))";
  };
  if (t == DType::Int64) text = first;
  if (t == DType::Float32) text = bits("float", first, "uint32_t");
  if (t == DType::Float64) text = bits("double", first, "int64_t");
  if (t == DType::Complex64)
    text = "T(" + bits("float", first, "uint32_t") + ", " + bits("float", "uint64_t(" + first + ") >> 32", "uint32_t") +
           ")";
  if (t == DType::Complex128)
    text = "T(" + bits("double", first, "int64_t") + ", " + bits("double", second, "int64_t") + ")";
  arguments_ += "  const " + type + " " + name + " = " + text + ";\n";
}

void ChainText::read_arguments() {
  arguments_ += "  const " + index_ + " count = " + index_ + "(" + words_.next() + ");\n";
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    const PlannedInput& in = plan_.inputs[i];
    const std::string n = number(static_cast<int64_t>(i));
    if (!in.is_read) continue;
    if (in.is_number)
      read_number(i, "x" + n);
    else
      arguments_ +=
          "  const " + storage(in.dtype) + "* in" + n + " = (const " + storage(in.dtype) + "*)" + words_.next() + ";\n";
  }
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const std::string type = storage(plan_.outputs[i].dtype);
    arguments_ +=
        "  " + type + "* out" + number(static_cast<int64_t>(i)) + " = (" + type + "*)" + words_.next() + ";\n";
  }
  for (size_t j = 0; j < plan_.steps.size(); ++j) {
    int k = 0;
    for (const char* parameter : line_of(plan_.steps[j].step->op).parameters) {
      if (!parameter) continue;
      const std::string name = "p" + number(static_cast<int64_t>(j)) + "_" + number(k++);
      const std::string real = plan_.compute == DType::Complex64    ? "float"
                               : plan_.compute == DType::Complex128 ? "double"
                                                                    : "T";
      arguments_ +=
          "  const T " + name + " = T(" + real + "(__builtin_bit_cast(double, int64_t(" + words_.next() + "))));\n";
    }
  }
}

// Where each operand's elements are: `at0` for the first tensor among the inputs, `to0` for the first output.
std::string ChainText::find_places() {
  std::string out;
  const std::string v = number(plan_.vector);
  auto each_tensor = [&](auto f) {
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const PlannedInput& in = plan_.inputs[i];
      if (in.is_read && !in.is_number) f("at" + number(static_cast<int64_t>(i)), in.repeats);
    }
    for (size_t i = 0; i < plan_.outputs.size(); ++i) f("to" + number(static_cast<int64_t>(i)), false);
  };
  if (plan_.walk == Walk::Line) {
    each_tensor([&](const std::string& name, bool repeats) {
      out += "  const " + index_ + " " + name + " = " + (repeats ? "0" : "cell * " + v) + ";\n";
    });
  } else if (plan_.walk == Walk::Rows) {
    out += "  const " + index_ + " row_cells = " + index_ + "(" + words_.next() +
           "), row = cell / row_cells, column = cell - row * row_cells;\n";
    each_tensor([&](const std::string& name, bool repeats) {
      out += "  const int64_t " + name + " = row * " + words_.next() + (repeats ? "" : " + column * " + v) + ";\n";
    });
  } else {
    out += "  " + index_ + " rest = cell;\n";
    for (int d = plan_.dimensions; d-- > 0;) {
      const std::string n = number(d), size = index_ + "(" + words_.next() + ")";
      out += "  const " + index_ + " i" + n + " = " + (d ? "rest % " + size : "rest") + ";\n";
      if (d) out += "  rest /= " + size + ";\n";
    }
    each_tensor([&](const std::string& name, bool) {
      out += "  const int64_t " + name + " = ";
      for (int d = plan_.dimensions; d-- > 0;) out += "i" + number(d) + " * " + words_.next() + (d ? " + " : ";\n");
    });
  }
  return out;
}

// A thread reads all that it takes of an operand at once.
std::string ChainText::loads() {
  std::string out;
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    const PlannedInput& in = plan_.inputs[i];
    if (!in.is_read || in.is_number) continue;
    const std::string n = number(static_cast<int64_t>(i)), type = storage(in.dtype);
    if (in.repeats || plan_.vector == 1)
      out += "  const " + type + " cell" + n + " = in" + n + "[at" + n + "];\n";
    else
      out += "  const auto cell" + n + " = *(const Cell<" + type + ", " + number(plan_.vector) + ">*)(in" + n +
             " + at" + n + ");\n";
  }
  for (size_t i = 0; i < plan_.outputs.size(); ++i)
    out += "  Cell<" + storage(plan_.outputs[i].dtype) + ", " + number(plan_.vector) + "> result" +
           number(static_cast<int64_t>(i)) + ";\n";
  return out;
}

std::string ChainText::calculations() {
  std::string out;
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    const PlannedInput& in = plan_.inputs[i];
    if (!in.is_read || in.is_number) continue;
    const std::string n = number(static_cast<int64_t>(i));
    const std::string element = "cell" + n + (in.repeats || plan_.vector == 1 ? "" : ".at[k]");
    if (plan_.moves_only)
      out += "    const auto x" + n + " = " + element + ";\n";
    else if (in.is_condition)
      out += "    const bool x" + n + " = " +
             (in.dtype == DType::Bool ? element + ".bits" : "load<int64_t>(" + element + ")") + " != 0;\n";
    else
      out += "    const T x" + n + " = load<T>(" + element + ");\n";
  }
  for (size_t j = 0; j < plan_.steps.size(); ++j) {
    const ChainStep& s = *plan_.steps[j].step;
    const Line& line = line_of(s.op);
    const bool is_value = s.gradient == ChainStep::kValue;
    std::string list;
    auto give = [&](const std::string& what) { list += (list.empty() ? "" : ", ") + what; };
    if (!is_value) give(value(s.operands[0]));
    for (int k = 0; k < kMaxInputs; ++k) {
      if (line.inputs[k]) give(value(s.operands[is_value ? k : k + 1]));
    }
    if (!is_value) give(value(s.operands[1 + line.input_count]));
    for (int k = 0; k < kMaxParameters && line.parameters[k]; ++k)
      give("p" + number(static_cast<int64_t>(j)) + "_" + number(k));
    out += std::string("    const ") + (plan_.steps[j].is_test ? "bool" : "T") + " v" +
           number(static_cast<int64_t>(j)) + " = " + functions_.at({static_cast<int>(s.op), s.gradient}) + "(" + list +
           ");\n";
  }
  return out;
}

std::string ChainText::stores() {
  std::string out;
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const PlannedOutput& o = plan_.outputs[i];
    const std::string n = number(static_cast<int64_t>(i)), type = storage(o.dtype), v = value(o.value);
    const bool is_test = !o.value.is_input() && plan_.steps[static_cast<size_t>(o.value.index())].is_test;
    std::string stored =
        "stored<" + type + ">(" + (is_test ? (o.dtype == DType::Bool ? "int64_t(" : "T(") + v + ")" : v) + ")";
    if (plan_.moves_only) stored = v;
    out += "    result" + n + ".at[k] = " + stored + ";\n";
  }
  return out;
}

std::string ChainText::walk() {
  std::string out =
      "  const " + index_ + " cell = " + index_ + "(blockIdx.x) * 256 + threadIdx.x;\n  if (cell >= count) return;\n";
  out += find_places() + loads();
  out += "#pragma unroll\n  for (int k = 0; k < " + number(plan_.vector) + "; ++k) {\n" + calculations() + stores() +
         "  }\n";
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const std::string n = number(static_cast<int64_t>(i)), type = storage(plan_.outputs[i].dtype);
    out += "  *(Cell<" + type + ", " + number(plan_.vector) + ">*)(out" + n + " + to" + n + ") = result" + n + ";\n";
  }
  return out;
}

}  // namespace

std::string ChainPlan::key() const {
  std::string key = "chain";
  auto add = [&](auto... values) { (key.push_back(static_cast<char>(values)), ...); };
  auto add_operand = [&](ChainOperand o) {
    if (!o.is_read()) return add(0, 0);
    add((o.is_input() ? 1 : 2) | (o.index() >> 8) << 2, o.index());
  };
  add(compute, of_truth | moves_only << 1, walk, dimensions, vector, is_wide, inputs.size() >> 8, inputs.size(),
      steps.size() >> 8, steps.size());
  for (const PlannedInput& in : inputs)
    add(in.dtype, in.is_number | in.is_read << 1 | in.is_condition << 2 | in.repeats << 3);
  for (const PlannedStep& s : steps) {
    add(static_cast<int>(s.step->op) >> 8, static_cast<int>(s.step->op), s.step->gradient);
    for (ChainOperand o : s.step->operands) add_operand(o);
  }
  for (const PlannedOutput& o : outputs) {
    add(o.dtype);
    add_operand(o.value);
  }
  return key;
}

std::string ChainPlan::text() const { return ChainText(*this).write(); }

}  // namespace chainrule::cuda
