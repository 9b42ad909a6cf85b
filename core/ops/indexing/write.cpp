// Operations that change some elements of their first input, in a copy of it or in place.
#include "ops/indexing/write.hpp"

#include <utility>
#include <vector>

#include "ops/elementwise/accumulate.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

OpInfo kUnderivable{"not_implemented", "NotImplemented", "none"};

// The bytes from a tensor's first element to the end of its last.
std::pair<const char*, const char*> extent(const Tensor& t) {
  int64_t last = 0;
  for (int d = 0; d < t.ndim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  return {t->data, t->data + (last + 1) * static_cast<int64_t>(size_of(t.dtype()))};
}

}  // namespace

Tensor open_write(Place place, std::initializer_list<const Tensor*> inputs) {
  const Tensor& self = **inputs.begin();
  if (place == Place::Copy) {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    return clone(self);
  }
  check_inplace(self, should_record_write(Inputs(inputs.begin(), inputs.size())));
  check_no_overlap(self);
  return self;
}

Tensor open_plain_write(Place place, std::initializer_list<const Tensor*> inputs) {
  const Tensor& self = **inputs.begin();
  if (place == Place::Itself || self.is_contiguous()) return open_write(place, inputs);
  GradModeScope off(false);
  forward_mode::PauseScope pause;
  return copy_strided(self, contiguous_strides(self.sizes()));
}

Tensor open_expanded_write(const char* op, Place place, std::initializer_list<const Tensor*> inputs) {
  const Tensor& self = **inputs.begin();
  bool recorded = should_record_write(Inputs(inputs.begin(), inputs.size()));
  if (place == Place::Copy || recorded || !overlaps_itself(self)) return open_write(place, inputs);
  if (op) {
    std::string text = std::string("Use of ") + op +
                       "_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
                       "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor";
    from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
  }
  check_inplace(self, false);
  return self;
}

Tensor record_underivable(const char* name, Place place, const Tensor& out,
                          std::initializer_list<const Tensor*> inputs) {
  return record_write(kUnderivable, place, out, inputs, {},
                      [name](Backward&) { raise(PyExc_RuntimeError, "derivative for ", name, " is not implemented"); });
}

bool show_the_same(const Tensor& a, const Tensor& b) {
  const auto layout = [](const Tensor& t) {  // without dimensions of one element, which have no stride to speak of
    std::vector<std::pair<int64_t, int64_t>> dimensions;
    for (int d = 0; d < t.ndim(); ++d) {
      if (t.size(d) != 1) dimensions.emplace_back(t.size(d), t.stride(d));
    }
    return dimensions;
  };
  return a->data == b->data && layout(a) == layout(b);
}

bool may_overlap(const Tensor& out, const Tensor& other) {
  if (!out.numel() || !other.numel() || !out.same_storage(other)) return false;
  auto [a, a_end] = extent(out);
  auto [b, b_end] = extent(other);
  if (a_end <= b || b_end <= a) return false;
  if (is_dense(out.sizes(), out.strides()) && is_dense(other.sizes(), other.strides())) {
    raise(PyExc_RuntimeError,
          "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
          "location. Please clone() the tensor before performing the operation.");
  }
  return true;
}

Tensor apart_from(const Tensor& out, const Tensor& other) {
  if (!may_overlap(out, other)) return other;
  GradModeScope off(false);
  forward_mode::PauseScope pause;
  return clone(other);
}

}  // namespace chainrule
