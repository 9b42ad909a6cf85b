// elementwise.def as data: one record per op with its texts, its domain and what its gradients read.
#include "ops/table.hpp"

#include <deque>
#include <string>

namespace chainrule {
namespace {

struct Line {
  const char* name;
  std::initializer_list<const char*> inputs;
  Domain domain;
  const char* parameters;
  int parameter_count;
  const char* value;
  std::initializer_list<const char*> gradients;
  bool is_test;
};

// Names of PyTorch's nodes that do not follow from the op's name.
struct NodeName {
  const char* op;
  const char* node;
};
constexpr NodeName kNodeNames[] = {
    {"add_scaled", "AddBackward0"}, {"sub_scaled", "SubBackward0"},  {"pow", "PowBackward1"},
    {"gelu_tanh", "GeluBackward0"}, {"div_floor", "DivBackward1"},   {"div_trunc", "DivBackward1"},
    {"clamp", "ClampBackward0"},    {"clamp_min", "ClampMinBackward0"}, {"clamp_max", "ClampMaxBackward0"},
};

std::string node_name(std::string_view op) {
  for (const NodeName& n : kNodeNames) {
    if (op == n.op) return n.node;
  }
  std::string camel;
  bool upper = true;
  for (char c : op) {
    if (c == '_') upper = true;
    else camel += upper ? static_cast<char>(std::toupper(c)) : c, upper = false;
  }
  return camel + "Backward0";
}

uint8_t reads_of(const char* gradient, const OpRecord& op) {
  uint8_t bits = 0;
  for (int i = 0; i < op.input_count; ++i) bits |= names_in(gradient, op.input_names[i]) << i;
  if (names_in(gradient, "y")) bits |= kReadsOutput;
  if (same_text(gradient, "g")) bits |= kPassesG;
  if (same_text(gradient, "none")) bits |= kIsNone;
  return bits;
}

OpRecord make_record(const Line& line, OpId id) {
  OpRecord op{};
  op.name = line.name;
  for (const char* name : line.inputs) op.input_names[op.input_count++] = name;
  op.domain = line.domain;
  op.parameters = line.parameters;
  op.parameter_count = line.parameter_count;
  op.value = line.value;
  op.is_test = line.is_test;
  op.differentiable = line.gradients.size() > 0;
  int k = 0;
  for (const char* text : line.gradients) {
    op.reads[k] = reads_of(text, op);
    op.gradients[k++] = text;
  }
  op.condition = -1;
  for (int i = 0; i < op.input_count; ++i) {
    if (same_text(op.input_names[i], "condition")) op.condition = i;
  }
  op.id = id;
  static std::deque<std::string> names;  // keep their addresses for ever
  static std::deque<OpInfo> infos;
  names.push_back(node_name(line.name));
  infos.push_back({op.name, names.back().c_str(), op.gradients[0] ? op.gradients[0] : ""});
  op.info = &infos.back();
  return op;
}

const std::vector<OpRecord>& records() {
  static const std::vector<OpRecord> all = [] {
    const Line lines[] = {
#define OP(name, inputs, domain, parameters, value, gradients) \
  {#name, {CR_EACH(CR_TEXT, inputs)}, Domain::domain, #parameters, 0 CR_COUNT_##parameters, #value, \
   {CR_GRADIENT_TEXTS(gradients)}, false},
#define TEST(name, inputs, domain, value) {#name, {CR_EACH(CR_TEXT, inputs)}, Domain::domain, "NONE", 0, #value, {}, true},
#define ALIAS(name, target)
#include "ops/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
    };
    std::vector<OpRecord> result;
    for (const Line& line : lines) result.push_back(make_record(line, static_cast<OpId>(result.size())));
    return result;
  }();
  return all;
}

constexpr OpAlias kAliases[] = {
#define OP(name, inputs, domain, parameters, value, gradients)
#define TEST(name, inputs, domain, value)
#define ALIAS(name, target) {#name, #target},
#include "ops/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
};

}  // namespace

std::span<const OpRecord> op_table() { return records(); }
std::span<const OpAlias> op_aliases() { return kAliases; }

const OpRecord* find_op(std::string_view name) {
  for (const OpRecord& op : records()) {
    if (name == op.name) return &op;
  }
  for (const OpAlias& alias : kAliases) {
    if (name == alias.name) return find_op(alias.target);
  }
  return nullptr;
}

}  // namespace chainrule
