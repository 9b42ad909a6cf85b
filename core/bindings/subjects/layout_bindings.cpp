// Giving a tensor another shape or other memory in place, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/create/create.hpp"
#include "ops/create/standing_out.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/indexing/write.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/memory_format.hpp"

namespace chainrule {
namespace {

using T = const Tensor&;
using MaybeFormat = std::optional<MemoryFormat>;

// The memory that came anew behind the first elements.
void fill_from(T t, int64_t held) {
  int64_t fresh = t->storage->bytes / static_cast<int64_t>(size_of(t.dtype())) - held;
  if (fresh > 0) fill_standing_out(tensor_over(t->storage, Dims{fresh}, Dims{1}, held, t.dtype()));
}

Tensor resize_to(T t, Span size, Span strides) {
  if (requires_grad(t) && !Storage::making.inference)
    raise(PyExc_RuntimeError, "cannot resize variables that require grad");
  bool same = equal(size, t.sizes()) && equal(strides, t.strides());
  int64_t held = t->storage->bytes / static_cast<int64_t>(size_of(t.dtype()));
  resize(t, size);
  set_layout(t.get(), size, strides);
  if (fills_new_memory) fill_from(t, held);
  if (!same) mark_written(t);
  return t;
}

// Where a size is 0, the strides of the others may be too large all the same.
void check_strides(Span size) {
  int64_t step = 1;
  bool overflow = false;
  count(size);
  for (size_t i = size.size(); i-- > 1;) overflow |= __builtin_mul_overflow(step, std::max<int64_t>(size[i], 1), &step);
  if (overflow) raise(PyExc_RuntimeError, "Stride calculation overflowed: sizes ", size);
}

Tensor resize_(T t, const Dims& size, MaybeFormat format) {
  check_strides(size);
  if (format == MemoryFormat::Preserve) raise(PyExc_RuntimeError, "Unsupported memory formatPreserve");
  bool same = !format && equal(size, t.sizes());  // keeps its strides
  return resize_to(t, size, same ? Dims(t.strides()) : strides_in(format.value_or(MemoryFormat::Contiguous), size));
}

Tensor resize_as_(T t, T like, MaybeFormat format) {
  const Dims sizes(like.sizes());  // a copy: `like` may be the tensor itself
  if (!format && equal(sizes, t.sizes())) return resize_to(t, sizes, Dims(t.strides()));
  MemoryFormat wanted = format.value_or(MemoryFormat::Contiguous);
  if (wanted == MemoryFormat::Preserve) wanted = suggested_format(like);
  return resize_to(t, sizes, strides_in(wanted, sizes));
}

// The tensor becomes what `other` is: the same memory, shape and strides.
Tensor become(T self, const Tensor& other) {
  if (self.dtype() != other.dtype()) {
    raise(PyExc_RuntimeError, "Could not set tensor of type ", facts(other.dtype()).cpp_name, " to a tensor of type ",
          facts(self.dtype()).cpp_name);
  }
  check_inplace(self, should_record_write(std::array{&self, &other}));
  replace_data(self.get(), other);
  return record_underivable("aten::set_", Place::Itself, self, {&self, &other});
}

Tensor set_layout_of(T self, T source, int64_t offset, const Dims& size, const Dims& stride) {
  Dims strides = stride.empty() ? contiguous_strides(size) : stride;
  Tensor shown;
  {
    GradModeScope off(false);
    shown = as_strided(source, size, strides, offset - source.offset());
  }
  return become(self, shown);
}

// The sizes to which sum_to_size may sum: equal to, or 1 in place of, the last ones of `t`.
bool is_expandable(Span sizes, T t) {
  if (sizes.size() > t.sizes().size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t own = t.sizes()[t.sizes().size() - sizes.size() + i];
    if (sizes[i] != own && sizes[i] != 1) return false;
  }
  return true;
}

Tensor sum_to_size(T t, const Dims& size) {
  if (!is_expandable(size, t)) {
    raise(PyExc_RuntimeError, "size {", Span(size), "} is not expandable to size {", t.sizes(), "}.");
  }
  return size.empty() ? sum(t, Dims(), false, {}) : sum_to(t, size);
}

}  // namespace

void bind_layout() {
  define("resize_(Tensor input, int[*] size, *, memory_format? memory_format=None)", kMethod, resize_);
  define("resize_as_(Tensor input, Tensor the_template, *, memory_format? memory_format=None)", kBoth, resize_as_);
  define("set_(Tensor input)", kMethod, [](T self) { return become(self, empty(Dims{0}, self.dtype())); });
  define("set_(Tensor input, Tensor source)", kMethod, [](T self, T source) { return become(self, source); });
  define("set_(Tensor input, Tensor source, int storage_offset, int[] size, int[] stride=())", kMethod, set_layout_of);
  define("sum_to_size(Tensor input, int[*] size)", kMethod, sum_to_size);
}

}  // namespace chainrule
