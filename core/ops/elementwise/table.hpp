// elementwise.def as data: one record per op with its texts, its domain and what its gradients read.
#pragma once
#include <span>
#include <string_view>

#include "autograd/node.hpp"
#include "backends/op_id.hpp"
#include "ops/elementwise/attributes.hpp"
#include "ops/elementwise/read_line.hpp"

namespace chainrule {

// What a gradient formula reads, as bits: input i is 1 << i.
enum Reads : uint8_t { kReadsInputs = 7, kReadsOutput = 8, kPassesG = 16, kIsNone = 32 };

struct OpRecord {
  const char* name;
  const char* input_names[kMaxInputs];
  int input_count;
  Domain domain;
  const char* parameters;  // as written: NONE, POSITIONAL(name, default, ...) or KEYWORD(...)
  int parameter_count;
  const char* parameter_names[kMaxParameters];
  const char* value;
  const char* gradients[kMaxInputs];  // null where there is none
  uint8_t reads[kMaxInputs];
  bool is_test;
  bool differentiable;
  bool is_cheap;  // the value calls no function: a + b
  int condition;  // the input that is always bool (where's condition), or -1
  OpId id;
  OpInfo* info;  // the node when all operands are tensors, when the last one is a number, when the first one is
  OpInfo *info_number_last, *info_number_first;
  Attributes attributes;
};

std::span<const OpRecord> op_table();
inline const OpRecord* const first_record = op_table().data();
inline const OpRecord& record_of(OpId id) { return first_record[static_cast<int>(id)]; }

struct OpAlias {
  const char* name;
  const char* target;
  Attributes attributes;
};
std::span<const OpAlias> op_aliases();
// By name or alias; null when there is none.
const OpRecord* find_op(std::string_view name);

}  // namespace chainrule
