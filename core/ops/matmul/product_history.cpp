// Products with history: the backend's product forward, and the gradients of both factors.
#include "autograd/forward_mode.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/product.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

// The factor as a matrix with history, for derivatives of derivatives.
Tensor as_matrix(Factor f) {
  const Tensor& x = *f.tensor;
  Tensor m = x.ndim() == 2 ? x : x.ndim() < 2 ? view(x, Dims{1, x.numel()}) : flatten(x, 0, -2);
  return f.turned ? t(m) : m;
}

Tensor with_sizes(const Tensor& x, Span sizes) { return equal(x.sizes(), sizes) ? x : reshape(x, sizes); }

// A gradient: straight from the backend, or through operations when it is itself recorded.
Tensor gradient_product(Factor a, Factor b, Span sizes) {
  if (!grad_enabled()) return product(a, b, sizes);
  return with_sizes(mm(as_matrix(a), as_matrix(b)), sizes);
}

// Records a product of a and b, saving for the gradient of each the other.
template <class F>
Tensor record_product(OpInfo& op, Tensor out, const Tensor& a, const Tensor& b, const Addend& add, F gradient) {
  if (!should_record({{&a, &b}}) && !(add.input && should_record({{add.input}}))) return out;
  Tensor none;
  const Tensor& kept_a = wants_gradient(b) ? a : none;
  const Tensor& kept_b = wants_gradient(a) ? b : none;
  if (add.input) return record(op, std::move(out), {add.input, &a, &b}, {&kept_a, &kept_b}, gradient);
  return record(op, std::move(out), {&a, &b}, {&kept_a, &kept_b}, gradient);
}

Scalar as_scalar(Complex<double> c) { return c.im != 0 ? Scalar::of_complex(c.re, c.im) : plain_number(c.re); }

// Sizes and strides of the factors of a product of matrices, as far as the one that was saved tells them.
void show_factors(Kept& kept, const Node* n, const char* const (&names)[4], bool b_is_turned) {
  const TensorObject *a = n->saved[0].tensor, *b = n->saved[1].tensor;
  Span out = n->outputs[0].sizes();
  if (out.size() != 2 || (!a && !b)) return;
  int64_t k = a ? a->sizes()[1] : b->sizes()[b_is_turned];
  kept.add(names[0], Dims{out[0], k}, names[1], Dims{k, out[1]});
  if (a) kept.add(names[2], Dims(Span(a->strides(), 2)));
  if (b) kept.add(names[3], b_is_turned ? Dims{b->strides()[1], b->strides()[0]} : Dims(Span(b->strides(), 2)));
}

struct RowsGradient {
  Complex<double> beta, alpha;
  bool adds, turned, vector;  // whether there was an input to add to; b is (n, k); b is a vector

  void show(Kept& kept, const Node* n) const {
    if (adds) kept.add("beta", as_scalar(beta), "alpha", as_scalar(alpha));
    if (turned && !vector) kept.add(adds ? "mat1" : "self", Slot{0}, "mat2", Slot{1, true});  // linear
    constexpr const char* added[] = {"mat1_sym_sizes", "mat2_sym_sizes", "mat1_sym_strides", "mat2_sym_strides"};
    constexpr const char* plain[] = {"self_sym_sizes", "mat2_sym_sizes", "self_sym_strides", "mat2_sym_strides"};
    if (!vector) show_factors(kept, n, adds ? added : plain, turned);
  }

  void operator()(Backward& b, Kept* kept) const {
    if (kept) return show(*kept, b.node());
    int first = adds;
    if (adds && b.needs(0)) b.give(0, scaled(b.g(), conj(beta)));
    // A vector b is a column, so its product's gradient is one as well.
    Tensor g = vector && b.g().ndim() != 1 ? reshape(b.g(), Dims{-1}) : b.g();
    if (b.needs(first)) b.give(first, scaled(of_rows(g, conj(b.saved(1)), b.g().sizes()), conj(alpha)));
    if (b.needs(first + 1)) b.give(first + 1, scaled(of_matrix(g, conj(b.saved(0))), conj(alpha)));
  }

  Tensor of_rows(const Tensor& g, const Tensor& other, Span output) const {
    Dims sizes(output);
    int64_t k = other.size(turned ? other.ndim() - 1 : 0);
    if (vector)
      sizes.push_back(k);
    else
      sizes.back() = k;
    return gradient_product({g, vector}, {other, !turned}, sizes);
  }

  Tensor of_matrix(const Tensor& g, const Tensor& rows) const {
    int64_t k = rows.size(rows.ndim() - 1);
    if (vector) return gradient_product(g, rows, Dims{k});
    int64_t n = g.size(g.ndim() - 1);
    return turned ? gradient_product(transposed(g), rows, Dims{n, k})
                  : gradient_product(transposed(rows), g, Dims{k, n});
  }
};

Dims leading(Span sizes) { return Dims(sizes.subspan(0, sizes.size() - std::min<size_t>(2, sizes.size()))); }

Tensor recorded_matrix(Factor f) {
  const Tensor& x = *f.tensor;
  Tensor m = x.ndim() < 2 ? unsqueeze(x, 0) : x;
  return f.turned ? transpose(m, -2, -1) : m;
}

struct BatchGradient {
  Complex<double> beta, alpha;
  bool adds;
  uint8_t a_ndim, b_ndim;

  void operator()(Backward& b, Kept* kept) const {
    if (kept) return adds ? kept->add("beta", as_scalar(beta), "alpha", as_scalar(alpha)) : void();
    int first = adds;
    Tensor g = b.g();
    if (adds && b.needs(0)) b.give(0, scaled(g, conj(beta)));
    if (b_ndim == 1) g = unsqueeze(g, -1);
    if (a_ndim == 1) g = unsqueeze(g, -2);
    if (b.needs(first)) {
      Tensor other = conj(b.saved(1));
      b.give(first, scaled(one_gradient(g, {other, b_ndim > 1}, leading(g.sizes()), a_ndim), conj(alpha)));
    }
    if (b.needs(first + 1)) {
      Tensor other = conj(b.saved(0));
      Tensor result = one_gradient(transposed(other), g, leading(g.sizes()), b_ndim);
      if (b_ndim == 1 && result.ndim() > 1) result = reshape(result, result.sizes().first(result.sizes().size() - 1));
      b.give(first + 1, scaled(result, conj(alpha)));
    }
  }

  // The engine sums over dimensions along which the factor was broadcast; a factor shared by the whole batch is summed
  // here, where no batch of gradients needs to be kept.
  static Tensor one_gradient(Factor a, Factor b, const Dims& batch, int ndim) {
    if (grad_enabled()) return matmul(recorded_matrix(a), recorded_matrix(b));
    int64_t m = a.tensor->ndim() < 2 ? 1 : a.tensor->size(a.tensor->ndim() - 2),
            k = a.tensor->size(a.tensor->ndim() - 1);
    int64_t p = b.tensor->ndim() < 2 ? 1 : b.tensor->size(b.tensor->ndim() - 2),
            n = b.tensor->size(b.tensor->ndim() - 1);
    Dims sizes{a.turned ? k : m, b.turned ? p : n};
    if (ndim <= 2) return summed_product(a, b, batch, ndim == 2 ? Span(sizes) : Span(Dims{count(sizes)}));
    Dims whole(batch);
    whole.push_back(sizes[0]);
    whole.push_back(sizes[1]);
    return batched_product(a, b, batch, whole);
  }
};

struct SumGradient {
  Complex<double> beta, alpha;

  void show(Kept& kept, const Node* n) const {
    const TensorObject* saved = n->saved[0].tensor ? n->saved[0].tensor : n->saved[1].tensor;
    Span out = n->outputs[0].sizes();
    kept.add("beta", as_scalar(beta), "alpha", as_scalar(alpha));
    if (!saved) return;
    kept.add("batch1_sym_argsize_0", saved->sizes()[0], "batch1_sym_argsize_1", out[0], "batch2_sym_argsize_2", out[1]);
  }

  void operator()(Backward& b, Kept* kept) const {
    if (kept) return show(*kept, b.node());
    const Tensor& g = b.g();
    if (b.needs(0)) b.give(0, scaled(g, conj(beta)));
    if (b.needs(1)) {
      Tensor other = conj(b.saved(1));
      b.give(1, scaled(BatchGradient::one_gradient(g, transposed(other), leading(other.sizes()), 3), conj(alpha)));
    }
    if (b.needs(2)) {
      Tensor other = conj(b.saved(0));
      b.give(2, scaled(BatchGradient::one_gradient(transposed(other), g, leading(other.sizes()), 3), conj(alpha)));
    }
  }
};

}  // namespace

bool wants_gradient(const Tensor& t) {
  return t && (requires_grad(t) || (forward_mode::active() && forward_mode::tangent(t)));
}

namespace {

Tensor record_rows(OpInfo& op, Tensor out, const Tensor& a, Factor b, const Addend& add) {
  return record_product(op, std::move(out), a, *b.tensor, add,
                        RowsGradient{add.beta, add.alpha, add.input != nullptr, b.turned, b.tensor->ndim() == 1});
}

}  // namespace

Tensor multiply_rows(OpInfo& op, const Tensor& a, Factor b, Span sizes, const Addend& add) {
  b.turned |= b.tensor->ndim() == 1;
  return record_rows(op, product(a, b, sizes, add), a, b, add);
}

Tensor multiply_rows_later(OpInfo& op, const Tensor& a, Factor b, Span sizes, const Addend& add) {
  Tensor out = forward_mode::active() ? Tensor() : waiting_product(a, b, sizes, add);
  return out ? record_rows(op, std::move(out), a, b, add) : multiply_rows(op, a, b, sizes, add);
}

Tensor multiply_batches(OpInfo& op, const Tensor& a, const Tensor& b, Span batch, Span sizes, const Addend& add) {
  Tensor out = batched_product(a, {b, b.ndim() == 1}, batch, sizes, add);
  return record_product(op, std::move(out), a, b, add,
                        BatchGradient{add.beta, add.alpha, add.input != nullptr, static_cast<uint8_t>(a.ndim()),
                                      static_cast<uint8_t>(b.ndim())});
}

Tensor multiply_summed(OpInfo& op, const Tensor& a, const Tensor& b, Span sizes, const Addend& add) {
  Tensor out = summed_product(a, b, leading(a.sizes()), sizes, add);
  return record_product(op, std::move(out), a, b, add, SumGradient{add.beta, add.alpha});
}

}  // namespace chainrule
