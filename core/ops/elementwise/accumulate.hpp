// The few operations that the engine itself calls: adding gradients and undoing broadcasting.
// This is the one place where autograd/ reaches up into ops/.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

Tensor zeros(Span sizes, DType dtype);
Tensor ones(Span sizes, DType dtype);

// a + b, differentiable when recording is on; writes into a buffer that nobody else can see when it is off.
Tensor add_gradients(Tensor a, Tensor b);
// Sums a gradient over the dimensions along which its input was broadcast.
Tensor sum_to(const Tensor& gradient, Span sizes);
// A gradient of the dtype that its input has (a complex one loses its imaginary part for a real input).
Tensor cast_gradient(const Tensor& gradient, DType dtype);
// What becomes a leaf's .grad: the gradient itself if nobody else holds it and it is laid out as the leaf, else a copy
// that is. A leaf that is not dense gets a contiguous one.
Tensor own_gradient(Tensor gradient, const Tensor& leaf);
// Whether it has to be laid out so: autograd.enforce_grad_layout_policy.
inline bool grad_layout_enforced = true;
// The same with create_graph: a copy, recorded.
Tensor recorded_copy(const Tensor& gradient, const Tensor& leaf);
// target += gradient, in place, without recording.
void add_into(const Tensor& target, const Tensor& gradient);
// A tangent broadcast and converted to fit `like`.
Tensor fit_tangent(const Tensor& tangent, const Tensor& like);
Tensor clone(const Tensor& t);
// What stands for an unresolved tensor in the graph: a copy that shows its memory as it is, with the same history.
Tensor resolved_copy(const Tensor& t);
inline Tensor resolved(const Tensor& t) { return t && t->bits() ? resolved_copy(t) : t; }
// A view of the same memory that has these bits; the tensor itself if it does.
Tensor shown_with_bits(const Tensor& t, uint16_t bits);
// Conjugated, negated, calculated at once; differentiable.
Tensor with_bits(const Tensor& t, uint16_t bits);
bool has_nan(const Tensor& t);

// Makes an out= argument ready to receive a result of this shape: resizes it, warning if it held elements of another
// shape.
void prepare_out(const Tensor& out, Span sizes);

// What in-place writes through views need; all differentiable when recording is on.
Tensor as_strided(const Tensor& t, Span sizes, Span strides, int64_t offset);  // offset counted from t's first element
Tensor copy_strided(const Tensor& t, Span strides);                            // a copy laid out with these strides
Tensor view_as_real(const Tensor& t);
Tensor view_as_complex(const Tensor& t);
void copy_into(const Tensor& target, const Tensor& source);
void fill_zero(const Tensor& target);
// Zeros of the base's shape with g added at the region's elements.
Tensor scatter_strided(const Tensor& g, Span base_sizes, Span base_strides, Span sizes, Span strides, int64_t offset);

}  // namespace chainrule
