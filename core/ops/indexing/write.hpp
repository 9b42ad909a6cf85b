// Operations that change some elements of their first input, in a copy of it or in place.
#pragma once
#include "autograd/inplace.hpp"

namespace chainrule {

enum class Place : uint8_t { Copy, Itself };

// What will be written: a copy of inputs[0], or itself after checks.
Tensor open_write(Place place, std::initializer_list<const Tensor*> inputs);
// The same, with a copy that is contiguous whatever the input is.
Tensor open_plain_write(Place place, std::initializer_list<const Tensor*> inputs);

// The same for one of the few operations, all of which write a value whatever stood there before, that PyTorch lets
// write into an expanded tensor; it warns where it is given a name.
Tensor open_expanded_write(const char* op, Place place, std::initializer_list<const Tensor*> inputs);

// Records what was written into `out`, which open_write gave. See record_many; saving `out` saves the result.
template <class F>
Tensor record_write(OpInfo& op, Place place, const Tensor& out, std::initializer_list<const Tensor*> inputs,
                    std::initializer_list<const Tensor*> saved, const F& gradient) {
  Inputs all(inputs.begin(), inputs.size()), kept(saved.begin(), saved.size());
  return place == Place::Copy ? record_many(op, out, all, kept, gradient) : record_written(op, all, kept, gradient);
}

// The same for an operation that PyTorch has no derivative for: its gradient raises, naming it.
Tensor record_underivable(const char* name, Place place, const Tensor& out,
                          std::initializer_list<const Tensor*> inputs);

bool show_the_same(const Tensor& a, const Tensor& b);
// Whether writing `out` may change `other`. Where both are one piece of memory this raises, as PyTorch does.
bool may_overlap(const Tensor& out, const Tensor& other);
// The elements of `other`, which are read while `out` is written: a copy where they may overlap. An index that is read
// in full before the first write is only checked.
Tensor apart_from(const Tensor& out, const Tensor& other);

}  // namespace chainrule
