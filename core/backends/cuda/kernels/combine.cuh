// What becomes of an element when another one comes to it: the order of Combine in backends/positions.hpp.
enum Combine { kReplace, kAdd, kMultiply, kMax, kMin };

// Of numbers as they are calculated with. NaN wins and stays.
template <int combine, class V>
inline V combined(V at, V other) {
  if constexpr (combine == kReplace)
    return other;
  else if constexpr (combine == kAdd)
    return at + other;
  else if constexpr (combine == kMultiply)
    return at * other;
  else if constexpr (requires { at.re; })
    return at;
  else if constexpr (combine == kMax)
    return other > at || other != other ? other : at;
  else
    return other < at || other != other ? other : at;
}
// Where other threads may come to the same element. V is what it is calculated with.
template <int combine, class V, class E>
inline void combine_with(E* at, E other) {
  if constexpr (combine == kReplace)
    *at = other;
  else if constexpr (combine == kAdd)
    atomic_add(at, load<V>(other));
  else if constexpr (sizeof(E) <= 8)
    atomic_change(at, [other](E e) { return stored<E>(combined<combine>(load<V>(e), load<V>(other))); });
}
