// elementwise.def as data: one record per op with its texts, its domain and what its gradients read.
#include "ops/elementwise/table.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

namespace chainrule {
namespace {

struct Line {
  const char* name;
  std::initializer_list<const char*> inputs;
  Domain domain;
  const char* parameters;
  std::initializer_list<const char*> parameter_names;
  const char* value;
  std::initializer_list<const char*> gradients;
  bool is_test;
  Attributes attributes;
};

// "special_i0e" is SpecialI0E.
std::string camel_case(std::string_view op) {
  std::string camel;
  bool upper = true;
  for (char c : op) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_' || std::isdigit(static_cast<unsigned char>(c));
  }
  return camel;
}

OpInfo* make_info(const OpRecord& op, const std::string& stem, int overload, int hidden_edges) {
  static std::deque<std::string> names;  // keep their addresses for ever
  static std::deque<OpInfo> infos;
  names.push_back(stem + "Backward" + std::to_string(overload));
  infos.push_back({op.name, names.back().c_str(), op.gradients[0] ? op.gradients[0] : ""});
  infos.back().hidden_edges = static_cast<uint8_t>(hidden_edges);
  return &infos.back();
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
  for (const char* name : line.parameter_names) op.parameter_names[op.parameter_count++] = name;
  op.value = line.value;
  op.is_test = line.is_test;
  op.is_cheap = !std::strchr(line.value, '(');
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
  op.attributes = line.attributes;
  const Attributes& node = line.attributes;
  std::string stem = node.stem ? node.stem : camel_case(line.name);
  // A number with an overload of its own is no edge in PyTorch, and neither is a condition.
  int last = same_text(op.name, "clamp") ? 6 : 1 << (op.input_count - 1);
  op.info = make_info(op, stem, node.tensors, op.condition < 0 ? 0 : 1 << op.condition);
  bool reads_all = std::all_of(op.reads, op.reads + op.input_count, [](uint8_t r) { return r & kReadsInputs; });
  op.info->frees_operands = node.is_kept || (op.input_count > 1 && reads_all);
  op.info_number_last = node.number_last == node.tensors ? op.info : make_info(op, stem, node.number_last, last);
  op.info_number_first = node.number_first == node.tensors ? op.info : make_info(op, stem, node.number_first, 1);
  return op;
}

const std::vector<OpRecord>& records() {
  static const std::vector<OpRecord> all = [] {
    const Line lines[] = {
#define OP(name, inputs, domain, parameters, value, gradients, ...) \
  {#name,                                                           \
   {CR_EACH(CR_TEXT, inputs)},                                      \
   Domain::domain,                                                  \
   #parameters,                                                     \
   {CR_NAMES_##parameters},                                         \
   #value,                                                          \
   {CR_GRADIENT_TEXTS(gradients)},                                  \
   false,                                                           \
   Attributes{} __VA_ARGS__},
#define TEST(name, inputs, domain, value, ...) \
  {#name, {CR_EACH(CR_TEXT, inputs)}, Domain::domain, "NONE", {}, #value, {}, true, Attributes{} __VA_ARGS__},
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
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
#define OP(...)
#define TEST(...)
#define ALIAS(name, target, ...) {#name, #target, Attributes{} __VA_ARGS__},
#include "ops/elementwise/elementwise.def"
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
