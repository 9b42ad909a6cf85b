// Random tensors, with PyTorch's numbers for the same seed.
#include "ops/random.hpp"

#include "autograd/inplace.hpp"
#include "backends/cpu/random/random.hpp"
#include "ops/accumulate.hpp"
#include "tensor/half.hpp"

namespace chainrule {
namespace {

namespace stream = cpu::random;

// Checks, calls `fill` with a typed pointer over contiguous memory, counts the write.
template <class F>
Tensor filled(const Tensor& self, F fill) {
  bool recorded = grad_enabled() && requires_grad(self);
  check_inplace(self, recorded);
  check_no_overlap(self);
  fill();
  mark_written(self);
  return self;
}

template <class F>
void by_float_type(const char* name, DType t, F f) {
  switch (t) {
    case DType::Float16:
      return f(Half());
    case DType::BFloat16:
      return f(BFloat16());
    case DType::Float32:
      return f(float());
    case DType::Float64:
      return f(double());
    default:
      raise(PyExc_NotImplementedError, "\"", name, "\" not implemented for '", facts(t).tensor_name, "'");
  }
}

template <class F>
void by_type(const char* name, DType t, F f) {
  switch (t) {
    case DType::Bool:
      return f(bool());
    case DType::UInt8:
      return f(uint8_t());
    case DType::Int8:
      return f(int8_t());
    case DType::Int16:
      return f(int16_t());
    case DType::Int32:
      return f(int32_t());
    case DType::Int64:
      return f(int64_t());
    default:
      return by_float_type(name, t, f);
  }
}

// A complex tensor is filled as twice as many reals.
struct Flat {
  DType dtype;
  Dims sizes, strides;
};
Flat flat_reals(const Tensor& t) {
  Flat f{real_of(t.dtype()), Dims(t.sizes()), Dims(t.strides())};
  if (!is_complex(t.dtype())) return f;
  for (int64_t& s : f.strides) s *= 2;
  f.sizes.push_back(2);
  f.strides.push_back(1);
  return f;
}

// Fills contiguous memory at once, anything else in the stream's own order of elements.
template <class T, class F>
void fill_elements(const Tensor& t, F fill) {
  Flat f = flat_reals(t);
  auto* data = reinterpret_cast<T*>(t->data);
  if (t.is_contiguous()) return fill(data, count(f.sizes));
  stream::fill_strided(data, f.sizes.size(), f.sizes.data(), f.strides.data(), fill);
}

Generator& chosen(Generator* g) { return g ? *g : default_generator(); }

}  // namespace

Generator& default_generator() {
  static Generator generator = [] {
    Generator g;
    g.seed();
    return g;
  }();
  return generator;
}

Tensor uniform_(const Tensor& self, double from, double to, Generator* generator) {
  if (from > to)
    raise(PyExc_RuntimeError, "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
  return filled(self, [&] {
    by_float_type("check_uniform_bounds", real_of(self.dtype()), [&](auto zero) {
      using T = decltype(zero);
      fill_elements<T>(self, [&](T* out, int64_t n) { stream::uniform(chosen(generator), out, n, from, to); });
    });
  });
}

Tensor normal_(const Tensor& self, double mean, double std, Generator* generator) {
  if (std < 0) raise(PyExc_RuntimeError, "normal expects std >= 0.0, but found std ", std);
  if (is_complex(self.dtype())) std /= 1.4142135623730951;
  return filled(self, [&] {
    by_float_type("normal_kernel_cpu", real_of(self.dtype()), [&](auto zero) {
      using T = decltype(zero);
      bool whole = self.is_contiguous();
      fill_elements<T>(self, [&](T* out, int64_t n) {
        if (whole)
          stream::normal(chosen(generator), out, n, mean, std);
        else
          stream::normal_serial(chosen(generator), out, n, mean, std);
      });
    });
  });
}

Tensor random_range_(const Tensor& self, int64_t from, int64_t to, Generator* generator) {
  if (from >= to)
    raise(PyExc_RuntimeError, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
  return filled(self, [&] {
    by_type("random_from_to", self.dtype(), [&](auto zero) {
      using T = decltype(zero);
      fill_elements<T>(self, [&](T* out, int64_t n) { stream::random_range(chosen(generator), out, n, from, to); });
    });
  });
}

Tensor randperm(int64_t n, DType dtype, Generator* generator) {
  if (n < 0) raise(PyExc_RuntimeError, "n must be non-negative, got", n);
  Tensor result = empty(Dims{n}, dtype);
  by_type("randperm", dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>) stream::randperm(chosen(generator), reinterpret_cast<T*>(result->data), n);
  });
  return result;
}

}  // namespace chainrule
