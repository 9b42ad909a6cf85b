// Adding elements one after another into a strided target, where positions may coincide.
#include "backends/cpu/reduce.hpp"
#include "backends/cpu/rows.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {

void accumulate_strided(Span sizes, char* to, Span to_strides, const char* from, Span from_strides, DType dtype) {
  Rows<2> rows(sizes, {to_strides, from_strides});
  int64_t n = rows.length(), by_to = rows.step(0), by_from = rows.step(1);
  with_element_type(dtype, [&]<class T>(T*) {
    rows.each([&](const std::array<int64_t, 2>& start) {
      auto* target = reinterpret_cast<T*>(to) + start[0];
      const auto* source = reinterpret_cast<const T*>(from) + start[1];
      for (int64_t i = 0; i < n; ++i) target[i * by_to] = static_cast<T>(target[i * by_to] + source[i * by_from]);
      return true;
    });
  });
}

}  // namespace chainrule::cpu
