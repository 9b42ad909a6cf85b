// What a node keeps beside its edges, by PyTorch's names: grad_fn._saved_dim, grad_fn._saved_indices.
//
// The captures of a gradient function have no names at run time, and a recorded operation shall not pay for any. So a
// function that shows what it keeps takes a second argument and begins with
//   [d, keepdim](Backward& b, Kept* kept) {
//     if (kept) return kept->add("dim", d, "keepdim", keepdim, "indices", Slot{0});
// The engine passes a null pointer, which the compiler sees; only who asks for `_saved_*` passes another one.
// Dimensions count from the front. PyTorch shows a dim of -1 as 18446744073709551615.
//
#pragma once
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "tensor/dims.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

// A number of which only the value is known: an integer if it has no fraction.
inline Scalar plain_number(double v) {
  bool whole = v == static_cast<double>(static_cast<int64_t>(v)) && v > -1e15 && v < 1e15;
  return whole ? Scalar::of_int(static_cast<int64_t>(v)) : Scalar(v);
}

struct Slot {
  int number;           // the saved tensor with this number; None where nothing was saved
  bool turned = false;  // as a matrix with its two dimensions exchanged
};
struct SlotsFrom {
  int number;  // the saved tensors from this number on, as a tuple
};

struct WrappedNumber {
  Scalar number;  // a number that PyTorch makes a tensor of
};

using KeptValue =
    std::variant<std::monostate, bool, int64_t, double, Dims, const char*, Scalar, Slot, SlotsFrom, WrappedNumber>;

struct Kept {
  struct Named {
    const char* name;
    KeptValue value;
  };
  std::vector<Named> values;

  void add() {}
  template <class V, class... More>
  void add(const char* name, const V& value, const More&... more) {
    values.push_back({name, as_value(value)});
    add(more...);
  }

 private:
  template <class V>
  static KeptValue as_value(const V& v) {
    if constexpr (std::is_same_v<V, std::nullopt_t>)
      return std::monostate();
    else if constexpr (requires { v.has_value(); })
      return v ? as_value(*v) : KeptValue();
    else if constexpr (std::is_integral_v<V> && !std::is_same_v<V, bool>)
      return static_cast<int64_t>(v);
    else if constexpr (std::is_same_v<V, Span>)
      return Dims(v);
    else if constexpr (std::is_array_v<V>)
      return static_cast<const char*>(v);
    else
      return v;
  }
};

}  // namespace chainrule
