// What a line of elementwise.def says of its op beside the mathematics, one after the other at the line's end.
#pragma once
#include <cstdint>

namespace chainrule {

// Where Python finds a name, as bits: sin, sin_, Tensor.sin, Tensor.sin_; the last: functions are nn.functional's only.
enum Places : uint8_t { FUNCTION = 1, FUNCTION_ = 2, METHOD = 4, METHOD_ = 8, FUNCTIONAL = 16, USUAL = 32 };
// Which operand of several may be a Python number.
enum class Numbers : uint8_t { None, Last, First_or_last };

// What an op on integers does to two truth values, or to one.
enum Truth : uint8_t { NO_TRUTH, BOTH, EITHER, DIFFER, AGREE, LESS, AT_MOST, GREATER, AT_LEAST, NOT };

// What a node shows although it keeps nothing: a constant that our line has in its text.
struct ShownConstant {
  const char* name = nullptr;
  const char* text = nullptr;
  double number = 0;
  bool is_whole = false;
};

struct Attributes {
  static constexpr int kMostShown = 3;
  const char* stem = nullptr;
  uint8_t tensors = 0, number_last = 0, number_first = 0;
  bool is_kept = false, is_internal = false, has_out = true, is_narrow = false, is_rare = false, is_limited = false;
  bool is_stored = false, is_halves = false;
  uint8_t places = USUAL;
  Numbers numbers = Numbers::None;
  Truth of_truth = NO_TRUTH;
  const char *kernel_name = nullptr, *dtypes_text = nullptr;
  ShownConstant shown[kMostShown] = {};

  // PyTorch's node, where its name is not the op's.
  constexpr Attributes node(const char* name) const {
    return with([&](Attributes& a) { a.stem = name; });
  }
  // The number after "Backward" when all operands are tensors, when the last one is a number and when the first one is:
  // PyTorch counts an op's overloads.
  constexpr Attributes overloads(int all, int last, int first) const {
    return with([&](Attributes& a) {
      a.tensors = static_cast<uint8_t>(all);
      a.number_last = static_cast<uint8_t>(last);
      a.number_first = static_cast<uint8_t>(first);
    });
  }
  // PyTorch keeps the operands, although the gradient reads none.
  constexpr Attributes keeps_operands() const {
    return with([](Attributes& a) { a.is_kept = true; });
  }
  // Where PyTorch has other forms than the usual sin, Tensor.sin and Tensor.sin_, and sin_ where there is one input.
  constexpr Attributes forms(int bits) const {
    return with([&](Attributes& a) { a.places = static_cast<uint8_t>(bits); });
  }
  constexpr Attributes number_last_too() const {
    return with([](Attributes& a) { a.numbers = Numbers::Last; });
  }
  constexpr Attributes numbers_too() const {
    return with([](Attributes& a) { a.numbers = Numbers::First_or_last; });
  }
  constexpr Attributes without_out() const {
    return with([](Attributes& a) { a.has_out = false; });
  }
  // The line serves other names; see define_choices.
  constexpr Attributes internal() const {
    return with([](Attributes& a) { a.is_internal = true; });
  }
  // Programs apply it to narrow integers (pixels, labels, masks, indices), so it has kernels that take them as they
  // lie.
  constexpr Attributes narrow() const {
    return with([](Attributes& a) { a.is_narrow = true; });
  }
  // Where all operands are bool, it can go byte by byte.
  constexpr Attributes truth(Truth t) const {
    return with([&](Attributes& a) { a.of_truth = t; });
  }
  // Its scalar code does not vectorise, so one build of it is enough.
  constexpr Attributes rare() const {
    return with([](Attributes& a) { a.is_rare = true; });
  }
  // Right for uint16, uint32 and uint64, as far as PyTorch has it; see Note [Limited dtypes].
  constexpr Attributes limited() const {
    return with([](Attributes& a) { a.is_limited = true; });
  }
  // Also for the types of eight bits, and also for complex32: Note [Limited dtypes].
  constexpr Attributes stored() const {
    return with([](Attributes& a) { a.is_stored = a.is_halves = true; });
  }
  constexpr Attributes halves() const {
    return with([](Attributes& a) { a.is_halves = true; });
  }
  // What PyTorch calls the kernel where it lacks one.
  constexpr Attributes kernel(const char* name) const {
    return with([&](Attributes& a) { a.kernel_name = name; });
  }
  // What help() says of dtypes, where the function takes more than the line does.
  constexpr Attributes dtypes(const char* text) const {
    return with([&](Attributes& a) { a.dtypes_text = text; });
  }
  constexpr Attributes shows(const char* name, double value) const { return showing({name, nullptr, value, false}); }
  constexpr Attributes shows(const char* name, int value) const {
    return showing({name, nullptr, static_cast<double>(value), true});
  }
  constexpr Attributes shows(const char* name, const char* value) const { return showing({name, value, 0, false}); }

 private:
  template <class F>
  constexpr Attributes with(F change) const {
    Attributes changed = *this;
    change(changed);
    return changed;
  }
  constexpr Attributes showing(ShownConstant constant) const {
    return with([&](Attributes& a) {
      int i = 0;
      while (a.shown[i].name) ++i;
      a.shown[i] = constant;
    });
  }
};

}  // namespace chainrule
