// Places of values among sorted boundaries.
#pragma once
#include <optional>
#include <string>

#include "ops/elementwise/promotion.hpp"

namespace chainrule {

struct SearchOptions {
  bool out_int32 = false, right = false;
  std::optional<std::string> side;
  Tensor sorter;  // null: the sequence is sorted as it is
};

// Row by row along the last dimension; a sequence of one dimension serves all rows.
Tensor searchsorted(const Tensor& sequence, const Operand& values, const SearchOptions& options);
Tensor bucketize(const Operand& values, const Tensor& boundaries, bool out_int32, bool right);

}  // namespace chainrule
