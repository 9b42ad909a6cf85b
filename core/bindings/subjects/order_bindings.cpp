// Ordering, searching and counting, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/order/count.hpp"
#include "ops/order/rank.hpp"
#include "ops/order/search.hpp"
#include "ops/order/sort.hpp"
#include "ops/order/unique.hpp"
#include "ops/reduce/reduce.hpp"

namespace chainrule {
namespace {

Stable given(std::optional<bool> stable) { return stable.value_or(false) ? Stable::Yes : Stable::No; }

void bind_sorting() {
  define("sort(Tensor input, int dim=-1, bool descending=False, *, object!? out=None) -> (values, indices)", kBoth,
         [](const Tensor& x, int64_t dim, bool descending) { return sort(x, dim, descending, Stable::NotGiven); });
  define(
      "sort(Tensor input, *, bool? stable, int dim=-1, bool descending=False, object!? out=None) -> (values, indices)",
      kBoth, [](const Tensor& x, std::optional<bool> stable, int64_t dim, bool descending) {
        return sort(x, dim, descending, given(stable));
      });
  define("argsort(Tensor input, int dim=-1, bool descending=False)", kBoth,
         [](const Tensor& x, int64_t dim, bool descending) { return argsort(x, dim, descending, Stable::NotGiven); });
  for (auto [form, out] : {std::pair(kFunction, ", Tensor!? out=None"), std::pair(kMethod, "")}) {
    define(std::string("argsort(Tensor input, *, bool stable, int dim=-1, bool descending=False") + out + ")", form,
           [](const Tensor& x, bool stable, int64_t dim, bool descending) {
             return argsort(x, dim, descending, given(stable));
           });
  }
  define("msort(Tensor input, *, Tensor!? out=None)", kBoth, msort);
  define(
      "topk(Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True, *, object!? out=None) -> (values, "
      "indices)",
      kBoth, topk);
}

// Of all functions here only kthvalue minds an out= that is its own input.
void check_apart(const Tensor& input, const std::vector<Tensor>& outs) {
  for (const Tensor& out : outs) {
    check(!input.same_storage(out),
          "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
          "location. Please clone() the tensor before performing the operation.");
  }
}

void bind_ranks() {
  define_call(
      Signature::parse(
          "kthvalue(Tensor input, int k, int dim=-1, bool keepdim=False, *, object!? out=None) -> (values, indices)"),
      kBoth,
      [](const BoundArguments& a) {
        Tensor x = Tensor::borrow(a[0]);
        if (is_tensor_sequence(a[4])) check_apart(x, to_tensors(a[4]));
        return to_python(kthvalue(x, to_int(a[1]), to_int(a[2]), a[3] == Py_True));
      },
      true);
  define("mode(Tensor input, int dim=-1, bool keepdim=False, *, object!? out=None) -> (values, indices)", kBoth, mode);
  define("median(Tensor input)", kBoth, [](const Tensor& x) { return median(x); });
  define("median(Tensor input, int dim, bool keepdim=False, *, object!? out=None) -> (values, indices)", kBoth,
         [](const Tensor& x, int64_t dim, bool keepdim) { return median(x, dim, keepdim); });
  define("nanmedian(Tensor input)", kBoth, [](const Tensor& x) { return nanmedian(x); });
  define("nanmedian(Tensor input, int dim, bool keepdim=False, *, object!? out=None) -> (values, indices)", kBoth,
         [](const Tensor& x, int64_t dim, bool keepdim) { return nanmedian(x, dim, keepdim); });
}

// One tensor, or a tuple with what else was asked for.
PyObject* results_of(const Unique& u, bool inverse, bool counts) {
  std::vector<Tensor> results{u.values};
  if (inverse) results.push_back(u.inverse);
  if (counts) results.push_back(u.counts);
  return results.size() == 1 ? to_python(u.values) : to_python(std::move(results));
}

void bind_unique() {
  define(
      "unique(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
      "Tensor | Tensor[]",
      kBoth, [](const Tensor& x, bool, bool inverse, bool counts, MaybeDim dim) {
        return results_of(dim ? unique_slices(x, *dim, inverse) : unique(x, inverse), inverse, counts);
      });
  define(
      "unique_consecutive(Tensor input, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor "
      "| "
      "Tensor[]",
      kBoth, [](const Tensor& x, bool inverse, bool counts, MaybeDim dim) {
        return results_of(dim ? unique_consecutive_slices(x, *dim, inverse) : unique_consecutive(x, inverse), inverse,
                          counts);
      });
}

void bind_search() {
  define(
      "searchsorted(Tensor sorted_sequence, Operand input, *, bool out_int32=False, bool right=False, str? side=None, "
      "Tensor? sorter=None, Tensor!? out=None)",
      kFunction,
      [](const Tensor& sequence, const Operand& values, bool out_int32, bool right, std::optional<std::string> side,
         const Tensor& sorter) { return searchsorted(sequence, values, {out_int32, right, std::move(side), sorter}); });
  define("bucketize(Operand input, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor!? out=None)",
         kFunction, bucketize);
}

void bind_counts() {
  define("bincount(Tensor input, Tensor? weights=None, int minlength=0)", kBoth, bincount);
  define("histc(Tensor input, int bins=100, Number min=0, Number max=0, *, Tensor!? out=None)", kFunction, histc);
  define("histc(Tensor input, int bins=100, Number min=0, Number max=0)", kMethod, histc);
}

}  // namespace

void bind_ordering() {
  bind_sorting();
  bind_ranks();
  bind_unique();
  bind_search();
  bind_counts();
}

}  // namespace chainrule
