// Adding elements one after another into a strided target, where positions may coincide.
#include "backends/cpu/reduce.hpp"
#include "tensor/complex.hpp"
#include "tensor/half.hpp"

namespace chainrule::cpu {
namespace {

template <class T>
void add_row(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  auto* target = reinterpret_cast<T*>(to);
  const auto* source = reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i)
    target[i * to_stride] = static_cast<T>(target[i * to_stride] + source[i * from_stride]);
}

using AddRow = void (*)(char*, int64_t, const char*, int64_t, int64_t);

AddRow row_of(DType t) {
  switch (t) {
    case DType::Bool:
      return add_row<bool>;
    case DType::UInt8:
      return add_row<uint8_t>;
    case DType::Int8:
      return add_row<int8_t>;
    case DType::Int16:
      return add_row<int16_t>;
    case DType::Int32:
      return add_row<int32_t>;
    case DType::Int64:
      return add_row<int64_t>;
    case DType::Float16:
      return add_row<Half>;
    case DType::BFloat16:
      return add_row<BFloat16>;
    case DType::Float32:
      return add_row<float>;
    case DType::Float64:
      return add_row<double>;
    case DType::Complex64:
      return add_row<Complex<float>>;
    default:
      return add_row<Complex<double>>;
  }
}

}  // namespace

void accumulate_strided(Span sizes, char* to, Span to_strides, const char* from, Span from_strides, DType dtype) {
  AddRow add = row_of(dtype);
  auto item = static_cast<int64_t>(size_of(dtype));
  auto outer = sizes.empty() ? 0 : static_cast<int>(sizes.size()) - 1;
  int64_t rows = 1, inner = sizes.empty() ? 1 : sizes.back();
  for (int i = 0; i < outer; ++i) rows *= sizes[static_cast<size_t>(i)];
  int64_t to_inner = sizes.empty() ? 0 : to_strides.back(), from_inner = sizes.empty() ? 0 : from_strides.back();
  Dims at(outer);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t to_offset = 0, from_offset = 0;
    for (int i = 0; i < outer; ++i) {
      to_offset += at[i] * to_strides[static_cast<size_t>(i)];
      from_offset += at[i] * from_strides[static_cast<size_t>(i)];
    }
    add(to + to_offset * item, to_inner, from + from_offset * item, from_inner, inner);
    for (int i = outer; i-- > 0 && ++at[i] == sizes[static_cast<size_t>(i)];) at[i] = 0;
  }
}

}  // namespace chainrule::cpu
