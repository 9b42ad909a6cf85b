// Adding elements one after another into a strided target, where positions may coincide.
#include "backends/cpu/reduce.hpp"
#include "backends/cpu/rows.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {

void accumulate(const StridedSum& s) {
  Rows<2> rows(s.sizes, {s.to_strides, s.from_strides});
  int64_t n = rows.length(), by_to = rows.step(0), by_from = rows.step(1);
  with_element_type(s.dtype, [&]<class T>(T*) {
    rows.each([&](const std::array<int64_t, 2>& start) {
      auto* target = reinterpret_cast<T*>(s.to) + start[0];
      const auto* source = reinterpret_cast<const T*>(s.from) + start[1];
      for (int64_t i = 0; i < n; ++i) target[i * by_to] = static_cast<T>(target[i * by_to] + source[i * by_from]);
      return true;
    });
  });
}

}  // namespace chainrule::cpu
