// The table's lines as texts.
#pragma once
#include "backends/op_id.hpp"

namespace chainrule::cuda {

struct Line {
  const char* name;
  const char* inputs[kMaxInputs];  // their names; null beyond the last
  int input_count;
  const char* parameters[kMaxParameters];
  const char* value;
  const char* gradients[kMaxInputs];
  bool is_test;
  const char* of_truth;  // the value where all operands are truth values, if it is another text
};
const Line& line_of(OpId op);

}  // namespace chainrule::cuda
