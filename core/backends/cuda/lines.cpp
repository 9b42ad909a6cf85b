#include "backends/cuda/lines.hpp"

#include <initializer_list>
#include <string>

#include "ops/elementwise/attributes.hpp"
#include "ops/elementwise/read_line.hpp"

namespace chainrule::cuda {
namespace {

constexpr Line made(const char* name, std::initializer_list<const char*> inputs,
                    std::initializer_list<const char*> parameters, const char* value,
                    std::initializer_list<const char*> gradients, bool is_test, Attributes attributes) {
  Line line{.name = name, .value = value, .is_test = is_test};
  for (const char* input : inputs) line.inputs[line.input_count++] = input;
  int i = 0;
  for (const char* parameter : parameters) line.parameters[i++] = parameter;
  i = 0;
  for (const char* gradient : gradients) line.gradients[i++] = gradient;
  if (attributes.of_truth == NOT) line.of_truth = "x == 0";
  return line;
}

constexpr Line kLines[] = {
#define OP(name, inputs, domain, parameters, value, gradients, ...)                                              \
  made(                                                                                                          \
      #name, {CR_EACH(CR_TEXT, inputs)}, {CR_NAMES_##parameters}, #value, {CR_GRADIENT_TEXTS(gradients)}, false, \
      Attributes {} __VA_ARGS__),
#define TEST(name, inputs, domain, value, ...) \
  made(#name, {CR_EACH(CR_TEXT, inputs)}, {}, #value, {}, true, Attributes {} __VA_ARGS__),
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
};

}  // namespace

const Line& line_of(OpId op) { return kLines[static_cast<int>(op)]; }

}  // namespace chainrule::cuda
