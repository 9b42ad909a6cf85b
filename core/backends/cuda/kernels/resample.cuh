// (outer, in, inner) at another size along the middle dimension: a thread has an output, the sum of some weighted
// elements. Which they are, a table says.
struct Head {
  int64_t count;      // elements of each output; the last ones have the weight 0 where there are fewer
  int64_t precision;  // weights of bytes are in multiples of 1 / 2^precision
  int64_t index_at, weight_at;  // bytes from here on
};
struct Arguments {
  const Head* head;
  const S* from;
  S* to;
  int64_t outer, in, out, inner;
};
struct Taps {
  const int64_t* index;
  const T* weight;
  Taps(const Head* head)
      : index((const int64_t*)((const char*)head + head->index_at)), weight((const T*)((const char*)head + head->weight_at)) {}
};
// Calls f(output along the dimension, where its outer index begins in the input).
template <class F>
inline void each_output(const Arguments& a, F f) {
  const int64_t work = a.outer * a.out * a.inner;
  for (int64_t i = thread_number(); i < work; i += thread_count()) {
    const int64_t rest = I(i) / I(a.inner), inner = i - rest * a.inner, outer = I(rest) / I(a.out);
    a.to[i] = f(rest - outer * a.out, a.from + outer * a.in * a.inner + inner);
  }
}

KERNEL_BOUNDED(weighted, Arguments, 256) {
  const Taps taps(a.head);
  const int64_t count = a.head->count;
  each_output(a, [&](int64_t output, const S* from) {
    const int64_t first = output * count;
    if (count == 1) return from[taps.index[first] * a.inner];
    S sum = S(taps.weight[first] * from[taps.index[first] * a.inner]);
    for (int64_t k = first + 1; k < first + count; ++k) {
      if (!kSkips || taps.weight[k] != T(0)) sum += taps.weight[k] * from[taps.index[k] * a.inner];
    }
    return sum;
  });
}

// The outputs that read an element follow each other; before them the table says where those of each begin.
KERNEL_BOUNDED(weighted_transposed, Arguments, 256) {
  const Taps taps(a.head);
  const int64_t* const begins = (const int64_t*)(a.head + 1);
  each_output(a, [&](int64_t element, const S* from) {
    S sum = S(0);
    for (int64_t k = begins[element]; k < begins[element + 1]; ++k) sum += taps.weight[k] * from[taps.index[k] * a.inner];
    return sum;
  });
}

KERNEL_BOUNDED(weighted_bytes, Arguments, 256) {
  const Taps taps(a.head);
  const int64_t count = a.head->count;
  const int precision = int(a.head->precision);
  each_output(a, [&](int64_t output, const S* from) {
    int32_t sum = precision > 0 ? 1 << (precision - 1) : 0;
    for (int64_t k = output * count; k < (output + 1) * count; ++k) {
      if (taps.weight[k] != T(0)) sum += int32_t(taps.weight[k]) * int32_t(from[taps.index[k] * a.inner]);
    }
    sum >>= precision;
    return S(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  });
}
