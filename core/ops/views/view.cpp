// Other looks at the same memory.
#include "ops/views/view.hpp"

#include "autograd/cut.hpp"
#include "autograd/record.hpp"
#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

OpInfo kView{"view", "ViewBackward0", "g with the input's shape"};
OpInfo kUnsafeView{"reshape", "UnsafeViewBackward0", "g with the input's shape"};
OpInfo kExpand{"expand", "ExpandBackward0", "g summed over the dimensions that were expanded"};
OpInfo kPermute{"permute", "PermuteBackward0", "g with its dimensions put back"};
OpInfo kTranspose{"transpose", "TransposeBackward0", "g with the two dimensions swapped back"};
OpInfo kT{"t", "TBackward0", "the transpose of g"};
OpInfo kSqueeze{"squeeze", "SqueezeBackward0", "g with the input's shape"};
OpInfo kSqueezeDim{"squeeze", "SqueezeBackward1", "g with the input's shape"};
OpInfo kSqueezeDims{"squeeze", "SqueezeBackward2", "g with the input's shape"};
OpInfo kUnsqueeze{"unsqueeze", "UnsqueezeBackward0", "g without the added dimension"};
OpInfo kSelect{"select", "SelectBackward0", "zeros with g at the selected index"};
OpInfo kSlice{"slice", "SliceBackward0", "zeros with g at the slice"};
OpInfo kAlias{"alias", "AliasBackward0", "g"};

Tensor show(const Tensor& t, Span sizes, Span strides, int64_t offset) {
  return tensor_over(t->storage, sizes, strides, t.offset() + offset, t.dtype());
}

Dims inverse_of(const Dims& order) {
  Dims inverse(order.size());
  for (int i = 0; i < order.size(); ++i) inverse[static_cast<int>(order[i])] = i;
  return inverse;
}

// The dimensions that are gone. Where there are none, the one that was asked for is not known any more.
void show_squeeze(Kept& kept, const Node* n, const Dims& old) {
  Dims gone;
  Span left = n->outputs[0].sizes();
  size_t at = 0;
  for (int i = 0; i < old.size(); ++i) {
    if (at < left.size() && old[i] == left[at] && old[i] != 1)
      ++at;
    else if (old[i] == 1 && gone.size() < old.size() - static_cast<int>(left.size()))
      gone.push_back(i);
    else
      ++at;
  }
  kept.add("self_sym_sizes", old);
  if (n->op == &kSqueezeDims)
    kept.add("dim", gone);
  else if (n->op == &kSqueezeDim && !gone.empty())
    kept.add("dim", gone[0]);
}

// The gradient of a part: zeros of the whole with g in that part.
template <class Part>
Tensor embed(const Tensor& g, Span whole, Part part) {
  Tensor result = zeros(whole, g.dtype());
  copy_into(part(result), g);
  return result;
}

}  // namespace

int64_t first_of(const Tensor& t, int dim, int64_t index) {
  constexpr int64_t kFar = int64_t{1} << 48;  // a tensor without elements may have strides beyond all memory
  int64_t offset;
  bool nowhere = __builtin_mul_overflow(index, t.stride(dim), &offset) || offset > kFar || offset < -kFar;
  return nowhere ? 0 : offset;
}

Dims infer_sizes(Span sizes, int64_t numel) {
  Dims result(sizes);
  int unknown = -1;
  int64_t known = 1;
  bool overflow = false;
  for (int i = 0; i < result.size(); ++i) {
    if (result[i] == -1) {
      if (unknown >= 0) raise(PyExc_RuntimeError, "only one dimension can be inferred");
      unknown = i;
    } else if (result[i] < 0) {
      raise(PyExc_RuntimeError, "invalid shape dimension ", result[i], " at index ", i, " of shape ", sizes);
    } else {
      overflow |= __builtin_mul_overflow(known, result[i], &known);
    }
  }
  if (result.contains(0)) known = overflow = 0;
  if (unknown >= 0 && !overflow) {
    if (known == 0 && numel == 0) {
      raise(PyExc_RuntimeError, "cannot reshape tensor of 0 elements into shape ", sizes,
            " because the unspecified dimension size -1 can be any value and is ambiguous");
    }
    if (known > 0 && numel % known == 0) {
      result[unknown] = numel / known;
      known = numel;
    }
  }
  if (overflow || known != numel) {
    raise(PyExc_RuntimeError, "shape '", shape_text(sizes), "' is invalid for input of size ", numel);
  }
  return result;
}

bool view_strides(Span old_sizes, Span old_strides, Span sizes, int64_t numel, Dims& strides) {
  strides = Dims(static_cast<int>(sizes.size()));
  if (numel == 0) {
    strides = contiguous_strides(sizes);
    return true;
  }
  int at = static_cast<int>(sizes.size()) - 1;
  int64_t chunk = 1, seen = 1;
  int64_t base = old_sizes.empty() ? 1 : old_strides.back();
  // From the innermost dimension outwards: each run of old dimensions that lie without gaps can be cut anew.
  for (int i = static_cast<int>(old_sizes.size()); i-- > 0;) {
    chunk *= old_sizes[i];
    bool ends = i == 0 || (old_sizes[i - 1] != 1 && old_strides[i - 1] != chunk * base);
    if (!ends) continue;
    while (at >= 0 && (seen < chunk || sizes[at] == 1)) {
      strides[at] = seen * base;
      seen *= sizes[at--];
    }
    if (seen != chunk) return false;
    if (i > 0) {
      base = old_strides[i - 1];
      chunk = seen = 1;
    }
  }
  for (; at >= 0; --at) strides[at] = base;
  return true;
}

Tensor view(const Tensor& t, Span wanted) {
  Dims sizes = infer_sizes(wanted, t.numel()), strides;
  if (!view_strides(t.sizes(), t.strides(), sizes, t.numel(), strides)) {
    raise(PyExc_RuntimeError,
          "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
          "contiguous subspaces). Use .reshape(...) instead.\n  input: shape ",
          t.sizes(), ", strides ", t.strides(), "; wanted: ", Span(sizes));
  }
  return record_view(kView, show(t, sizes, strides, 0), t, [old = Dims(t.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("self_sym_sizes", old);
    b.give(0, reshape(b.g(), old));
  });
}

Tensor reshape(const Tensor& t, Span wanted) {
  Dims sizes = infer_sizes(wanted, t.numel()), strides;
  if (view_strides(t.sizes(), t.strides(), sizes, t.numel(), strides)) return view(t, sizes);
  return unsafe_view(t, sizes);
}

Tensor unsafe_view(const Tensor& t, Span wanted) {
  Dims sizes = infer_sizes(wanted, t.numel());
  Tensor whole = contiguous(t);
  Tensor result = show(whole, sizes, contiguous_strides(sizes), 0);
  return record(kUnsafeView, result, {&whole}, {}, [old = Dims(t.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("self_sym_sizes", old);
    b.give(0, reshape(b.g(), old));
  });
}

Tensor expand(const Tensor& t, Span wanted) {
  auto n = static_cast<int>(wanted.size());
  int added = n - t.ndim();
  if (added < 0) {
    raise(PyExc_RuntimeError, "expand(torch.", facts(t.dtype()).tensor_name, "Tensor{", t.sizes(), "}, size=", wanted,
          "): the number of sizes provided (", n,
          ") must be greater or equal to the number of dimensions in the tensor (", t.ndim(), ")");
  }
  Dims sizes(wanted), strides(n);
  for (int i = n; i-- > 0;) {
    int64_t own = i < added ? 1 : t.size(i - added);
    if (sizes[i] == -1) {
      if (i < added) {
        raise(PyExc_RuntimeError, "The expanded size of the tensor (", sizes[i],
              ") isn't allowed in a leading, non-existing dimension ", i);
      }
      sizes[i] = own;
    }
    if (own != sizes[i] && own != 1) {
      raise(PyExc_RuntimeError, "The expanded size of the tensor (", sizes[i], ") must match the existing size (", own,
            ") at non-singleton dimension ", i, ".  Target sizes: ", wanted, ".  Tensor sizes: ", t.sizes());
    }
    strides[i] = i < added || own != sizes[i] ? 0 : t.stride(i - added);
  }
  for (int i = t.ndim() ? added : 0; i-- > 0;) {  // a dimension of one in front has the stride that unsqueeze gives it
    if (sizes[i] == 1) strides[i] = sizes[i + 1] * strides[i + 1];
  }
  return record_view(kExpand, show(t, sizes, strides, 0), t, [old = Dims(t.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("self_sym_sizes", old);
    b.give(0, sum_to(b.g(), old));
  });
}

Tensor permute(const Tensor& t, Span dims) {
  if (static_cast<int>(dims.size()) != t.ndim()) {
    raise(PyExc_RuntimeError,
          "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
          "the desired ordering of dimensions i.e. input.dim() = ",
          t.ndim(), " is not equal to len(dims) = ", dims.size());
  }
  Dims order(t.ndim()), inverse(t.ndim(), -1), sizes(t.ndim()), strides(t.ndim());
  for (int i = 0; i < t.ndim(); ++i) {
    order[i] = wrap_dim(dims[static_cast<size_t>(i)], t.ndim());
    if (inverse[static_cast<int>(order[i])] >= 0)
      raise(PyExc_RuntimeError, "permute(): duplicate dims are not allowed.");
    inverse[static_cast<int>(order[i])] = i;
    sizes[i] = t.size(static_cast<int>(order[i]));
    strides[i] = t.stride(static_cast<int>(order[i]));
  }
  return record_view(kPermute, show(t, sizes, strides, 0), t, [inverse](Backward& b, Kept* kept) {
    if (kept) return kept->add("dims", inverse_of(inverse));
    b.give(0, permute(b.g(), inverse));
  });
}

Tensor transpose(const Tensor& t, int64_t dim0, int64_t dim1) {
  int a = wrap_dim(dim0, t.ndim()), b = wrap_dim(dim1, t.ndim());
  Dims sizes(t.sizes()), strides(t.strides());
  if (t.ndim() > 0) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return record_view(kTranspose, show(t, sizes, strides, 0), t, [a, b](Backward& back, Kept* kept) {
    if (kept) return kept->add("dim0", a, "dim1", b);
    back.give(0, transpose(back.g(), a, b));
  });
}

Tensor t(const Tensor& x) {
  if (x.ndim() > 2) {
    raise(PyExc_RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is ", x.ndim(), "D");
  }
  Dims sizes(x.sizes()), strides(x.strides());
  std::reverse(sizes.begin(), sizes.end());
  std::reverse(strides.begin(), strides.end());
  return record_view(kT, show(x, sizes, strides, 0), x, [](Backward& b) { b.give(0, chainrule::t(b.g())); });
}

Tensor adjoint_matrix(const Tensor& x, const char* name) {
  if (x.ndim() == 0) return view_as_alias(x);
  if (x.ndim() == 1) {
    raise(PyExc_RuntimeError, "tensor.", name,
          " is only supported on matrices or batches of matrices. Got 1-D tensor.");
  }
  return transpose(x, -2, -1);
}

Tensor squeeze(const Tensor& t, const Dims* dims, bool listed) {
  Dims wrapped, sizes, strides;
  for (int64_t d : dims ? *dims : Dims()) {
    int w = wrap_dim(d, t.ndim());
    if (wrapped.contains(w)) raise(PyExc_RuntimeError, "dim ", w, " appears multiple times in the list of dims");
    wrapped.push_back(w);
  }
  for (int i = 0; i < t.ndim(); ++i) {
    if (t.size(i) == 1 && (!dims || wrapped.contains(i))) continue;
    sizes.push_back(t.size(i));
    strides.push_back(t.stride(i));
  }
  OpInfo& op = !dims ? kSqueeze : dims->size() == 1 && !listed ? kSqueezeDim : kSqueezeDims;
  return record_view(op, show(t, sizes, strides, 0), t, [old = Dims(t.sizes())](Backward& b, Kept* kept) {
    if (kept) return show_squeeze(*kept, b.node(), old);
    b.give(0, reshape(b.g(), old));
  });
}

Tensor unsqueeze(const Tensor& t, int64_t dim) {
  int d = wrap_dim(dim, t.ndim() + 1);
  Dims sizes(t.sizes()), strides(t.strides());
  int64_t stride = 1;
  if (d < t.ndim() && __builtin_mul_overflow(t.size(d), t.stride(d), &stride)) stride = 0;  // there are no elements
  strides.insert(d, stride);
  sizes.insert(d, 1);
  return record_view(kUnsqueeze, show(t, sizes, strides, 0), t, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d);
    Dims only{d};
    b.give(0, squeeze(b.g(), &only));
  });
}

Tensor flatten(const Tensor& t, int64_t start, int64_t end) {
  int a = wrap_dim(start, t.ndim()), b = wrap_dim(end, t.ndim());
  if (t.ndim() == 0) return reshape(t, Dims{1});
  if (a > b) raise(PyExc_RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (a == b) return t;
  Dims sizes(t.sizes().subspan(0, static_cast<size_t>(a)));
  sizes.push_back(count(t.sizes().subspan(static_cast<size_t>(a), static_cast<size_t>(b - a + 1))));
  for (int i = b + 1; i < t.ndim(); ++i) sizes.push_back(t.size(i));
  return reshape(t, sizes);
}

Tensor select(const Tensor& t, int64_t dim, int64_t index) {
  if (t.ndim() == 0) raise(PyExc_IndexError, "select() cannot be applied to a 0-dim tensor.");
  int d = wrap_dim(dim, t.ndim());
  int64_t size = t.size(d);
  if (index < -size || index >= size) {
    raise(PyExc_IndexError, "select(): index ", index, " out of range for tensor of size ", t.sizes(), " at dimension ",
          d);
  }
  if (index < 0) index += size;
  Dims sizes(t.sizes()), strides(t.strides());
  int64_t offset = first_of(t, d, index);
  sizes.erase(d);
  strides.erase(d);
  return record_view(kSelect, show(t, sizes, strides, offset), t,
                     [whole = Dims(t.sizes()), d, index](Backward& b, Kept* kept) {
                       if (kept) return kept->add("self_sym_sizes", whole, "dim", d, "index", index);
                       b.give(0, embed(b.g(), whole, [&](const Tensor& z) { return select(z, d, index); }));
                     });
}

Tensor slice(const Tensor& t, int64_t dim, int64_t start, int64_t stop, int64_t step) {
  auto d = static_cast<int>(dim);
  Dims sizes(t.sizes()), strides(t.strides());
  sizes[d] = stop > start ? (stop - start - 1) / step + 1 : 0;
  int64_t offset = first_of(t, d, start);
  if (__builtin_mul_overflow(strides[d], step, &strides[d])) strides[d] = 0;  // there is no second element
  return record_view(kSlice, show(t, sizes, strides, offset), t,
                     [whole = Dims(t.sizes()), d, start, stop, step](Backward& b, Kept* kept) {
                       if (kept)
                         return kept->add("self_sym_sizes", whole, "dim", d, "start", start, "end", stop, "step", step);
                       b.give(0, embed(b.g(), whole, [&](const Tensor& z) { return slice(z, d, start, stop, step); }));
                     });
}

Tensor slice_between(const Tensor& t, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop,
                     int64_t step) {
  if (t.ndim() == 0) raise(PyExc_RuntimeError, "slice() cannot be applied to a 0-dim tensor.");
  int d = wrap_dim(dim, t.ndim());
  if (step <= 0) raise(PyExc_RuntimeError, "slice step must be positive, but got ", step);
  int64_t size = t.size(d);
  auto clamped = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  int64_t first = clamped(start.value_or(0));
  return slice(t, d, first, std::max(first, clamped(stop.value_or(size))), step);
}

Tensor narrow(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  if (t.ndim() == 0) raise(PyExc_RuntimeError, "narrow() cannot be applied to a 0-dim tensor.");
  int d = wrap_dim(dim, t.ndim());
  int64_t size = t.size(d);
  if (length < 0) raise(PyExc_RuntimeError, "narrow(): length must be non-negative.");
  if (start < -size || start > size) {
    raise(PyExc_IndexError, "start out of range (expected to be in range of [", -size, ", ", size, "], but got ", start,
          ")");
  }
  if (start < 0) start += size;
  if (length > size - start) {
    raise(PyExc_RuntimeError, "start (", start, ") + length (", length, ") exceeds dimension size (", size, ").");
  }
  return slice(t, d, start, start + length, 1);
}

Tensor detach(const Tensor& t) {
  Tensor result = alias(t);
  GradModeScope off(false);  // as in mark_cut
  if (requires_grad(t))
    set_cut(result.get(), "detach()", current_line());
  else if (t->has(kCut))
    inherit_cut(result, t.get());
  return result;
}

Tensor view_as_alias(const Tensor& t) {
  return record_view(kAlias, alias(t), t, [](Backward& b) { b.give(0, b.g()); });
}

}  // namespace chainrule
