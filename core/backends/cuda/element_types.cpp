#include "backends/cuda/element_types.hpp"

namespace chainrule::cuda {

const char* storage_type(DType t) {
  constexpr const char* names[kDTypesWithKernels] = {
      "Bool",    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t",         "int16_t",        "int32_t",
      "int64_t", "Half",    "BFloat16", "float",    "double",   "Complex<float>", "Complex<double>"};
  if (is_stored_only(t)) refuse_limited("cuda", t);
  return names[static_cast<int>(t)];
}

DType compute_dtype(DType t) {
  if (is_stored_only(t)) refuse_limited("cuda", t);
  if (t < DType::Float16) return DType::Int64;
  return t < DType::Float32 ? DType::Float32 : t;
}

const char* raw_type(size_t bytes) {
  return bytes == 1   ? "uint8_t"
         : bytes == 2 ? "uint16_t"
         : bytes == 4 ? "uint32_t"
         : bytes == 8 ? "uint64_t"
                      : "Complex<double>";
}

}  // namespace chainrule::cuda
