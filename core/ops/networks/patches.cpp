// Sliding blocks as columns and back, and images whose channels become pixels.
#include "ops/networks/patches.hpp"

#include "backends/patches.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/views/join.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kColumns{"im2col", "Im2ColBackward0", "the columns of g added to where they were taken from"};
OpInfo kChannelShuffle{"channel_shuffle", "ChannelShuffleBackward0", "g with its channels in their old order"};
OpInfo kShuffle{"pixel_shuffle", "PixelShuffleBackward0", "g with its pixels as channels again"};
OpInfo kUnshuffle{"pixel_unshuffle", "PixelUnshuffleBackward0", "g with its channels as pixels again"};
OpInfo kImage{"col2im", "Col2ImBackward0", "the columns of g"};

void check_pair(const Dims& values, const char* name, int64_t least) {
  check(values.size() == 2, "It is expected ", name, " equals to 2, but got size ", values.size());
  for (int64_t v : values) {
    check(v >= least, name, " should be greater than zero, but got ", name, ": ", Span(values));
  }
}

Patches make_patches(int64_t height, int64_t width, const PatchOptions& o) {
  check_pair(o.kernel, "kernel_size", 1);
  check_pair(o.dilation, "dilation", 1);
  check_pair(o.padding, "padding", 0);
  check_pair(o.stride, "stride", 1);
  int64_t taps;
  check(!__builtin_mul_overflow(o.kernel[0], o.kernel[1], &taps), "Given kernel_width = ", o.kernel[1],
        " and kernel_height = ", o.kernel[0], " the product of kernel_width and kernel_height overflowed.");
  Patches p{height, width, 0, 0, {}, {}, {}, {}};
  int64_t size[2] = {height, width}, blocks[2];
  for (int d = 0; d < 2; ++d) {
    p.kernel[d] = o.kernel[d];
    p.dilation[d] = o.dilation[d];
    p.padding[d] = o.padding[d];
    p.stride[d] = o.stride[d];
    CheckedSize room = size[d] + 2 * CheckedSize(p.padding[d]) - p.dilation[d] * CheckedSize(p.kernel[d] - 1) - 1;
    blocks[d] = room.value() < 0 ? 0 : room.value() / p.stride[d] + 1;
  }
  count(Dims{blocks[0], blocks[1]});  // their number must be one
  check(blocks[0] > 0 && blocks[1] > 0, "Given an image of spatial size (", height, ", ", width,
        "), kernel_size=", Span(o.kernel), ", dilation=", Span(o.dilation), ", padding=", Span(o.padding),
        ", stride=", Span(o.stride), ", calculated shape of the array of sliding blocks as (", blocks[0], ", ",
        blocks[1], "), but its components must be at least one.");
  p.rows = blocks[0];
  p.columns = blocks[1];
  return p;
}

Tensor columns_of(const Tensor& x, const Patches& p);

Tensor by_kernel(const Kernel<void(const PatchCopy&)>& kernel, const Tensor& t, Span sizes, const Patches& p,
                 int64_t planes) {
  GradModeScope off(false);
  Tensor from = prepared(t), out = empty(sizes, from.dtype());
  kernel({p, planes, out.dtype(), from->data, out->data});
  return to_dtype(out, t.dtype());
}

// Both with or without a batch dimension.
Tensor image_of(const Tensor& columns, const Patches& p) {
  int d = columns.ndim() - 2;
  Dims sizes{columns.size(d) / p.taps(), p.height, p.width};
  if (d) sizes.insert(0, columns.size(0));
  int64_t planes = count(Span(sizes).first(sizes.size() - 2));
  Tensor out = by_kernel(backend().patches->add, columns, sizes, p, planes);
  return record(kImage, out, {&columns}, {}, [p](Backward& b, Kept* kept) {
    if (kept)
      return kept->add("kernel_size", Span(p.kernel), "dilation", Span(p.dilation), "padding", Span(p.padding),
                       "stride", Span(p.stride), "output_size", Dims{p.height, p.width});
    b.give(0, columns_of(b.g(), p));
  });
}

Tensor columns_of(const Tensor& x, const Patches& p) {
  int d = x.ndim() - 3;
  Dims sizes{(CheckedSize(x.size(d)) * p.taps()).value(), p.blocks()};
  if (d) sizes.insert(0, x.size(0));
  int64_t planes = x.numel() / (p.height * p.width);
  Tensor out = by_kernel(backend().patches->take, x, sizes, p, planes);
  return record(kColumns, out, {&x}, {}, [p](Backward& b, Kept* kept) {
    if (kept)
      return kept->add("kernel_size", Span(p.kernel), "dilation", Span(p.dilation), "padding", Span(p.padding),
                       "stride", Span(p.stride), "self_sym_argsize_minus_1", p.width, "self_sym_argsize_minus_2",
                       p.height);
    b.give(0, image_of(b.g(), p));
  });
}

constexpr int64_t kLargestFactor = 3037000499;  // its square is an int64

// x (..., channels, height, width) with the trailing three dimensions replaced.
Dims with_image(const Tensor& x, std::initializer_list<int64_t> image) {
  Dims sizes(x.sizes().first(x.sizes().size() - 3));
  for (int64_t s : image) sizes.push_back(s);
  return sizes;
}

// The leading dimensions in place, the others in the order given, counted from the first of them.
Tensor permute_trailing(const Tensor& x, const Dims& order) {
  Dims dims;
  int lead = x.ndim() - order.size();
  for (int i = 0; i < lead; ++i) dims.push_back(i);
  for (int64_t d : order) dims.push_back(lead + d);
  return permute(x, dims);
}

// x cut into `split` dimensions, the trailing ones in the given order, and these joined to `sizes`: one copy, that lies
// as x does. See Note [Layouts of results].
Tensor rearranged(const Tensor& x, const Dims& split, const Dims& order, const Dims& sizes) {
  GradModeScope off(false);
  Tensor from = permute_trailing(reshape(x, split), order), y = empty_in(suggested_format(x), sizes, x.dtype());
  copy_elements(view(y, from.sizes()), from);
  return alias(y);  // without the view that wrote it
}

// Real and imaginary parts on their own, for what rearranges or adds.
template <class F>
Tensor by_parts(const Tensor& x, F f) {
  Tensor re = f(real(x)), im = f(imag(x));
  return view_as_complex(stack(std::vector<Tensor>{re, im}, re.ndim()));
}

}  // namespace

Tensor im2col(const Tensor& x, const PatchOptions& o) {
  int d = x.ndim() - 3;
  check((d == 0 || d == 1) && x.size(d) > 0 && x.size(d + 1) > 0 && x.size(d + 2) > 0,
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
        "got: ",
        x.sizes());
  if (is_complex(x.dtype())) return by_parts(x, [&](const Tensor& part) { return im2col(part, o); });
  if (!is_bool(x.dtype())) require_floating(x, "im2col_out_cpu");
  return columns_of(x, make_patches(x.size(d + 1), x.size(d + 2), o));
}

Tensor col2im(const Tensor& columns, const Dims& out, const PatchOptions& o) {
  int d = columns.ndim() - 2;
  check(d == 0 || d == 1,
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, "
        "but got: ",
        columns.sizes());
  if (is_complex(columns.dtype())) return by_parts(columns, [&](const Tensor& t) { return col2im(t, out, o); });
  check(out.size() == 2, "It is expected output_size equals to 2, but got size ", out.size());
  if (!is_bool(columns.dtype())) require_floating(columns, "col2im_out_cpu");
  check(out[0] > 0 && out[1] > 0, "Given output_size=", Span(out), ", but its components must be at least one.");
  Patches p = make_patches(out[0], out[1], o);
  check(columns.size(d) % p.taps() == 0 && columns.size(d) > 0,
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=",
        columns.size(d), " and kernel_size=", Span(o.kernel));
  check(columns.size(d + 1) == p.blocks(), "Given output_size=", Span(out), ", kernel_size=", Span(o.kernel),
        ", dilation=", Span(o.dilation), ", padding=", Span(o.padding), ", stride=", Span(o.stride),
        ", expected size of input's dimension 2 to match the calculated number of sliding blocks ", p.rows, " * ",
        p.columns, " = ", p.blocks(), ", but got input.size(2)=", columns.size(d + 1), ".");
  return image_of(columns, p);
}

Tensor pixel_shuffle(const Tensor& x, int64_t r) {
  check(x.ndim() >= 3, "pixel_shuffle expects input to have at least 3 dimensions, but got input with ", x.ndim(),
        " dimension(s)");
  check(r > 0, "pixel_shuffle expects a positive upscale_factor, but got ", r);
  int64_t c = x.size(x.ndim() - 3), h = x.size(x.ndim() - 2), w = x.size(x.ndim() - 1);
  if (r > kLargestFactor)
    raise(PyExc_ValueError, "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor=", r);
  check(c % (r * r) == 0,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        "upscale_factor, but input.size(-3)=",
        c, " is not divisible by ", r * r);
  Tensor y = rearranged(x, with_image(x, {c / (r * r), r, r, h, w}), {0, 3, 1, 4, 2},
                        with_image(x, {c / (r * r), (CheckedSize(h) * r).value(), (CheckedSize(w) * r).value()}));
  return record(kShuffle, y, {&x}, {}, [r](Backward& b, Kept* kept) {
    if (kept) return kept->add("upscale_factor", r);
    b.give(0, pixel_unshuffle(b.g(), r));
  });
}

Tensor pixel_unshuffle(const Tensor& x, int64_t r) {
  check(x.ndim() >= 3, "pixel_unshuffle expects input to have at least 3 dimensions, but got input with ", x.ndim(),
        " dimension(s)");
  check(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got ", r);
  int64_t c = x.size(x.ndim() - 3), h = x.size(x.ndim() - 2), w = x.size(x.ndim() - 1);
  check(h % r == 0, "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=", h,
        " is not divisible by ", r);
  check(w % r == 0, "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=", w,
        " is not divisible by ", r);
  if (x.numel() == 0) return clone(x);  // as in PyTorch, of the shape that it has
  Tensor y = rearranged(x, with_image(x, {c, h / r, r, w / r, r}), {0, 2, 4, 1, 3},
                        with_image(x, {(CheckedSize(c) * r * r).value(), h / r, w / r}));
  return record(kUnshuffle, y, {&x}, {}, [r](Backward& b, Kept* kept) {
    if (kept) return kept->add("downscale_factor", r);
    b.give(0, pixel_shuffle(b.g(), r));
  });
}

Tensor channel_shuffle(const Tensor& x, int64_t groups) {
  check(x.ndim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ", x.sizes());
  check(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:", groups);
  check(x.size(1) % groups == 0, "Number of channels must be divisible by groups. Got ", x.size(1), " channels and ",
        groups, " groups.");
  if (x.numel() == 0) return view_as_alias(x);
  Dims split(x.sizes());
  split[1] = x.size(1) / groups;
  split.insert(1, groups);
  Dims order{1, 0};
  for (int d = 2; d < x.ndim(); ++d) order.push_back(d);
  Tensor y = rearranged(x, split, order, Dims(x.sizes()));
  return record(kChannelShuffle, y, {&x}, {}, [groups](Backward& b, Kept* kept) {
    if (kept) return kept->add("groups", groups);
    b.give(0, channel_shuffle(b.g(), b.g().size(1) / groups));
  });
}

}  // namespace chainrule
