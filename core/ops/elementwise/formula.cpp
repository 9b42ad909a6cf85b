// The table's gradient texts, read as tensor code: what derivatives of derivatives and forward mode run.
#include "autograd/record.hpp"
#include "backends/numbers.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace chainrule {
namespace formula {

// A tensor or a number; numbers fold with each other in double precision and never become tensors.
class Value {
 public:
  Value() = default;
  Value(int v) : number_(v) {}                // NOLINT: literals of the table
  Value(double v) : number_(v) {}             // NOLINT
  Value(Tensor t) : tensor_(std::move(t)) {}  // NOLINT
  explicit Value(const Operand& o) : tensor_(o.tensor ? Tensor::borrow(o.tensor) : Tensor()), number_(o.scalar.real) {}
  const Tensor& tensor() const { return tensor_; }
  bool is_number() const { return !tensor_; }
  double number() const { return number_; }
  Operand operand() const { return tensor_ ? Operand(tensor_) : Operand(number_); }

 private:
  Tensor tensor_;
  double number_ = 0;
};

// All inputs are numbers: run the op's own kernel on doubles.
Value fold(const OpRecord& op, const Value* values) {
  double in[kMaxInputs], parameters[8], out = 0;
  uint8_t condition = 0, verdict = 0;
  const void* pointers[kMaxInputs];
  for (int i = 0; i < op.input_count; ++i) {
    in[i] = values[i].number();
    condition = in[i] != 0;
    pointers[i] = i == op.condition ? static_cast<const void*>(&condition) : &in[i];
  }
  if (op.condition >= 0) condition = values[op.condition].number() != 0;
  for (int i = 0; i < op.parameter_count; ++i) parameters[i] = values[op.input_count + i].number();
  void* target = op.is_test ? static_cast<void*>(&verdict) : &out;
  backend().numbers->run({static_cast<int>(op.id), pointers, parameters, target});
  return op.is_test ? Value(static_cast<int>(verdict)) : Value(out);
}

Value apply(OpId id, std::initializer_list<Value> arguments) {
  const OpRecord& op = record_of(id);
  const Value* values = arguments.begin();
  Operand operands[kMaxInputs];
  bool all_numbers = true;
  for (int i = 0; i < op.input_count; ++i) {
    operands[i] = values[i].operand();
    all_numbers &= values[i].is_number();
  }
  if (all_numbers) return fold(op, values);
  double parameters[8];
  for (int i = 0; i < op.parameter_count; ++i) parameters[i] = values[op.input_count + i].number();
  return elementwise(id, {operands, static_cast<size_t>(op.input_count)}, parameters);
}

Value operator+(const Value& a, const Value& b) { return apply(OpId::add, {a, b}); }
Value operator-(const Value& a, const Value& b) { return apply(OpId::sub, {a, b}); }
Value operator*(const Value& a, const Value& b) { return apply(OpId::mul, {a, b}); }
Value operator/(const Value& a, const Value& b) { return apply(OpId::div, {a, b}); }
Value operator-(const Value& a) { return apply(OpId::neg, {a}); }
Value operator<(const Value& a, const Value& b) { return apply(OpId::lt, {a, b}); }
Value operator>(const Value& a, const Value& b) { return apply(OpId::gt, {a, b}); }
Value operator<=(const Value& a, const Value& b) { return apply(OpId::le, {a, b}); }
Value operator>=(const Value& a, const Value& b) { return apply(OpId::ge, {a, b}); }
Value operator==(const Value& a, const Value& b) { return apply(OpId::eq, {a, b}); }
Value operator!=(const Value& a, const Value& b) { return apply(OpId::ne, {a, b}); }
Value operator&(const Value& a, const Value& b) { return apply(OpId::logical_and, {a, b}); }
Value operator|(const Value& a, const Value& b) { return apply(OpId::logical_or, {a, b}); }
Value select(const Value& c, const Value& a, const Value& b) {
  if (c.is_number()) return c.number() != 0 ? a : b;
  return apply(OpId::where, {c, a, b});
}
// The first for complex numbers, the second for real ones.
Value if_complex(const Value& complex, const Value& real) {
  return real.tensor() && is_complex(real.tensor().dtype()) ? complex : real;
}
Value zero(const Value& g) { return g.is_number() ? Value(0) : Value(zeros(g.tensor().sizes(), g.tensor().dtype())); }

// Every op of the table by its name: inputs first, then parameters.
#define OP(name, inputs, domain, parameters, value, gradients, ...) \
  template <class... A>                                             \
  Value name(const A&... a) {                                       \
    return apply(OpId::name, {Value(a)...});                        \
  }
#define TEST(name, inputs, domain, value, ...) \
  template <class... A>                        \
  Value name(const A&... a) {                  \
    return apply(OpId::name, {Value(a)...});   \
  }
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS

using T = Value;
const Value none;

#include "ops/elementwise/formulas.hpp"

// One struct per line; gradient<k> is the k-th text.
#define CR_FORMULA_INPUT(name) [[maybe_unused]] const T& name
#define OP(name, inputs, domain, parameters, value, gradients, ...)             \
  struct name##_line {                                                          \
    template <int k>                                                            \
    static T of([[maybe_unused]] const T& g, CR_EACH(CR_FORMULA_INPUT, inputs), \
                [[maybe_unused]] const T& y CR_DECLARE_##parameters) {          \
      CR_RETURN_GRADIENT(gradients)                                             \
      return none;                                                              \
    }                                                                           \
  };
#define TEST(name, inputs, domain, value, ...) \
  struct name##_line {                         \
    template <int k, class... A>               \
    static T of(const A&...) {                 \
      return none;                             \
    }                                          \
  };
#define ALIAS(...)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "ops/elementwise/elementwise.def"
#pragma GCC diagnostic pop
#undef OP
#undef TEST
#undef ALIAS

// Calls Gradient::of<k> with arrays spread into arguments.
template <class Gradient, int k, size_t... I, size_t... P>
T spread(const T& g, const T* in, const T& y, const T* parameters, std::index_sequence<I...>,
         std::index_sequence<P...>) {
  return Gradient::template of<k>(g, in[I]..., y, parameters[P]...);
}
using Function = T (*)(const T& g, const T* in, const T& y, const T* parameters);
template <class Gradient, int inputs, int parameters, int k>
T call(const T& g, const T* in, const T& y, const T* p) {
  return spread<Gradient, k>(g, in, y, p, std::make_index_sequence<inputs>(), std::make_index_sequence<parameters>());
}

struct Functions {
  Function gradient[kMaxInputs];
};
template <class Gradient, int inputs, int parameters>
constexpr Functions functions_of() {
  Functions f{};
  f.gradient[0] = &call<Gradient, inputs, parameters, 0>;
  if constexpr (inputs > 1) f.gradient[1] = &call<Gradient, inputs, parameters, 1>;
  if constexpr (inputs > 2) f.gradient[2] = &call<Gradient, inputs, parameters, 2>;
  return f;
}

#define CR_ONE(name) 1
#define CR_INPUT_COUNT(inputs) static_cast<int>(std::initializer_list<int>{CR_EACH(CR_ONE, inputs)}.size())
constexpr Functions kFunctions[] = {
#define OP(name, inputs, domain, parameters, value, gradients, ...) \
  functions_of<name##_line, CR_INPUT_COUNT(inputs), 0 CR_COUNT_##parameters>(),
#define TEST(name, inputs, domain, value, ...) functions_of<name##_line, CR_INPUT_COUNT(inputs), 0>(),
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
};

}  // namespace formula

Tensor gradient_formula(const OpRecord& op, int k, const Tensor& g, std::span<const Operand> inputs, const Tensor& y,
                        const double* parameters) {
  formula::Value in[kMaxInputs], numbers[8];
  for (int i = 0; i < op.input_count; ++i) in[i] = formula::Value(inputs[static_cast<size_t>(i)]);
  for (int i = 0; i < op.parameter_count; ++i) numbers[i] = formula::Value(parameters[i]);
  formula::Value result = formula::kFunctions[static_cast<int>(op.id)].gradient[k](g, in, y, numbers);
  // A gradient that folded to a number (zero of a number) still has g's shape.
  if (result.is_number()) return elementwise(OpId::mul, {Operand(g), Operand(result.number())});
  return result.tensor();
}

}  // namespace chainrule
