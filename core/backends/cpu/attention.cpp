// Attention by blocks, forward and backward; see backends/cpu/attention.hpp.
#include "backends/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "backends/cpu/attention.hpp"
#include "backends/cpu/gemm_kernel.hpp"
#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kQueries = 64, kKeys = 128;                      // of a block
static_assert(kKeys % kQueries == 0 && kKeys % kScoreGroup == 0);  // a block of queries begins where one of keys does
constexpr int64_t kStrip = 16;                                     // rows or keys that are multiplied together where
                                                                   // rows see different keys
constexpr int64_t kWork = 1 << 18;                                 // multiplications for one thread

const AttentionLoops<float>& loops(float) { return CR_DISPATCH(attention_float); }
const AttentionLoops<double>& loops(double) { return CR_DISPATCH(attention_double); }

template <class T>
struct HeadRows {
  T* data;
  int64_t batch_stride, head_stride, row_stride;

  explicit HeadRows(const HeadView& v)
      : data(static_cast<T*>(v.data)),
        batch_stride(v.batch_stride),
        head_stride(v.head_stride),
        row_stride(v.row_stride) {}
  T* at(int64_t batch, int64_t head, int64_t row) const {
    return data + batch * batch_stride + head * head_stride + row * row_stride;
  }
};

template <class T>
struct AttentionInputs {
  HeadRows<const T> q, k, v, mask;

  explicit AttentionInputs(const AttentionOperands& in) : q(in.q), k(in.k), v(in.v), mask(in.mask) {}
};

template <class T>
MatrixView<const T> rows(const T* data, int64_t stride) {
  return {data, stride, 1};
}

// c = a @ b, or added to what is there. Always inlined: views that are passed on the stack are read in larger pieces
// than they were written in, and such a read waits until all stores before it are done.
template <class T>
inline __attribute__((always_inline)) void multiply(int64_t m, int64_t n, int64_t k, MatrixView<const T> a,
                                                    MatrixView<const T> b, bool adds, T* c, int64_t c_row_stride) {
  multiply_here(GemmProblem<T>{m, n, k, T(1), T(adds), a, b, c, c_row_stride});
}

template <class T>
void clear_rows(const HeadRows<T>& t, int64_t batch, int64_t head, int64_t begin, int64_t end, int64_t width) {
  for (int64_t i = begin; i < end; ++i) std::fill_n(t.at(batch, head, i), width, T(0));
}

// A thread's working memory; initialised, because what pads the rows is calculated with, and garbage may be subnormal.
template <class T>
struct alignas(64) BlockScores {
  T scores[kQueries * kKeys] = {}, products[kQueries * kKeys];
  std::vector<T> turned;

  static BlockScores& of_this_thread() {
    thread_local const auto memory = std::make_unique<BlockScores>();
    return *memory;
  }
};

// One block of queries of one head against all keys.
template <class T>
class QueryBlock {
 public:
  QueryBlock(const AttentionShape& s, const AttentionInputs<T>& in, BlockScores<T>& memory, int64_t batch, int64_t head,
             int64_t first)
      : s_(s),
        in_(in),
        batch_(batch),
        head_(head),
        key_head_(head / (s.heads / s.key_heads)),
        first_(first),
        count_(std::min(kQueries, s.queries - first)),
        scores_(memory.scores),
        products_(memory.products) {
    if (s.causal) memory.turned.resize(kKeys * std::max(s.width, s.value_width));
    turned_ = memory.turned.data();
  }

  void forward(HeadRows<T> out, T* log_sums) {
    T largest[kQueries], sums[kQueries] = {};
    std::fill_n(largest, count_, -std::numeric_limits<T>::infinity());
    T* target = out.at(batch_, head_, first_);
    each_key_block([&](int64_t key, int64_t keys) {
      multiply_scores(key, keys);
      for (int64_t i = 0; i < count_; ++i) {
        const int64_t seen = visible(i, key, keys);
        const T before = largest[i];
        const T sum =
            loops(T{}).exponentials(row(scores_, i, keys), seen, padded(keys), T(s_.scale), mask(i, key), &largest[i]);
        // What was gathered under a smaller maximum counts less.
        const T share = key == 0 || before == largest[i] ? T(1) : std::exp(before - largest[i]);
        sums[i] = sums[i] * share + sum;
        if (key > 0 && share != 1) scale_row(target + i * out.row_stride, share);
      }
      each_strip(key, keys, [&](int64_t i, int64_t count, int64_t seen) {
        multiply(count, s_.value_width, seen, rows<T>(row(scores_, i, keys), padded(keys)),
                 rows(in_.v.at(batch_, key_head_, key), in_.v.row_stride), key > 0, target + i * out.row_stride,
                 out.row_stride);
      });
    });
    for (int64_t i = 0; i < count_; ++i) {
      const bool any = sums[i] != 0;
      scale_row(target + i * out.row_stride, any ? 1 / sums[i] : T(0));
      log_sums[i] = any ? largest[i] + std::log(sums[i]) : std::numeric_limits<T>::infinity();
    }
  }

  // Adds to the gradients, or begins them where no block was before. `offsets` are the sums of g * out over each row.
  void backward(HeadRows<const T> g, const T* log_sums, const T* offsets, HeadRows<T> dq, HeadRows<T> dk,
                HeadRows<T> dv) {
    const T* incoming = g.at(batch_, head_, first_);
    each_key_block([&](int64_t key, int64_t keys) {
      multiply_scores(key, keys);
      multiply_keys(incoming, g.row_stride, in_.v, s_.value_width, key, keys, products_);
      for (int64_t i = 0; i < count_; ++i) {
        loops(T{}).weights(row(scores_, i, keys), visible(i, key, keys), padded(keys), T(s_.scale), mask(i, key),
                           log_sums[i]);
      }
      add_to_keys(key, keys, incoming, g.row_stride, dv, s_.value_width);
      for (int64_t i = 0; i < count_; ++i) {
        loops(T{}).score_gradient(row(scores_, i, keys), row(products_, i, keys), visible(i, key, keys), offsets[i],
                                  T(s_.scale));
      }
      each_strip(key, keys, [&](int64_t i, int64_t count, int64_t seen) {
        multiply(count, s_.width, seen, rows<T>(row(scores_, i, keys), padded(keys)),
                 rows(in_.k.at(batch_, key_head_, key), in_.k.row_stride), key > 0, dq.at(batch_, head_, first_ + i),
                 dq.row_stride);
      });
      add_to_keys(key, keys, in_.q.at(batch_, head_, first_), in_.q.row_stride, dk, s_.width);
    });
  }

 private:
  template <class F>
  void each_key_block(F f) {
    const int64_t end = s_.causal ? std::min(s_.keys, first_ + count_) : s_.keys;
    for (int64_t key = 0; key < end; key += kKeys) f(key, std::min(kKeys, end - key));
  }
  // Whether every row sees all of the keys.
  bool is_whole(int64_t key, int64_t keys) const { return visible(0, key, keys) == keys; }
  // f(row, count, seen) for strips of rows, whose last one sees `seen` keys, the others no more.
  template <class F>
  void each_strip(int64_t key, int64_t keys, F f) {
    const int64_t step = is_whole(key, keys) ? count_ : kStrip;
    for (int64_t i = 0; i < count_; i += step) {
      const int64_t count = std::min(step, count_ - i);
      f(i, count, visible(i + count - 1, key, keys));
    }
  }
  // target += transposed(scores) @ from for the keys' rows of the target, which begin here where no block of queries,
  // of all heads that share the keys, came before. Rows that do not see a strip of keys are left out.
  void add_to_keys(int64_t key, int64_t keys, const T* from, int64_t from_stride, HeadRows<T> target, int64_t width) {
    const bool whole = is_whole(key, keys), first_head = head_ % (s_.heads / s_.key_heads) == 0;
    const int64_t step = whole ? keys : kStrip;
    for (int64_t j = 0; j < keys; j += step) {
      const int64_t skipped = whole ? 0 : std::max<int64_t>(0, key + j - first_);
      const bool begins = first_head && (s_.causal ? first_ <= key + j : first_ == 0);
      multiply(std::min(step, keys - j), width, count_ - skipped,
               transposed(rows<T>(row(scores_, skipped, keys) + j, padded(keys))),
               rows(from + skipped * from_stride, from_stride), !begins, target.at(batch_, key_head_, key + j),
               target.row_stride);
    }
  }
  // How many of the block's keys row i sees.
  int64_t visible(int64_t i, int64_t key, int64_t keys) const {
    return s_.causal ? std::clamp<int64_t>(first_ + i - key + 1, 0, keys) : keys;
  }
  const T* mask(int64_t i, int64_t key) const {
    return in_.mask.data ? in_.mask.at(batch_, head_, first_ + i) + key : nullptr;
  }
  static int64_t padded(int64_t keys) { return (keys + kScoreGroup - 1) / kScoreGroup * kScoreGroup; }
  static T* row(T* block, int64_t i, int64_t keys) { return block + i * padded(keys); }
  void multiply_scores(int64_t key, int64_t keys) {
    multiply_keys(in_.q.at(batch_, head_, first_), in_.q.row_stride, in_.k, s_.width, key, keys, scores_);
  }
  // out = left @ transposed(right), as far as rows see keys. The strips share one copy of the transposed keys.
  void multiply_keys(const T* left, int64_t left_stride, HeadRows<const T> right, int64_t width, int64_t key,
                     int64_t keys, T* out) {
    MatrixView<const T> columns = transposed(rows(right.at(batch_, key_head_, key), right.row_stride));
    if (!is_whole(key, keys)) {
      loops(T{}).turn(keys, width, columns.data, right.row_stride, turned_, padded(keys));
      columns = rows<T>(turned_, padded(keys));
    }
    each_strip(key, keys, [&](int64_t i, int64_t count, int64_t seen) {
      multiply(count, seen, width, rows(left + i * left_stride, left_stride), columns, false, row(out, i, keys),
               padded(keys));
    });
  }
  void scale_row(T* row, T share) const {
    for (int64_t j = 0; j < s_.value_width; ++j) row[j] *= share;
  }

  const AttentionShape& s_;
  const AttentionInputs<T>& in_;
  int64_t batch_, head_, key_head_, first_, count_;
  T *scores_, *products_, *turned_;  // rows of padded(keys) elements
};

template <class T>
void attend(const Attention& a) {
  const AttentionShape& s = a.shape;
  const AttentionInputs<T> in(a.in);
  const HeadRows<T> out(a.out);
  T* log_sums = static_cast<T*>(a.log_sums);
  const int64_t blocks = (s.queries + kQueries - 1) / kQueries;
  const int64_t work = std::max<int64_t>(1, std::min(kQueries, s.queries) * s.keys * (s.width + s.value_width));
  parallel_for(s.batch * s.heads * blocks, std::max<int64_t>(1, kWork / work), [&](int64_t begin, int64_t end) {
    BlockScores<T>& memory = BlockScores<T>::of_this_thread();
    for (int64_t i = begin; i < end; ++i) {
      const int64_t item = i / blocks, first = i % blocks * kQueries;
      QueryBlock<T>(s, in, memory, item / s.heads, item % s.heads, first)
          .forward(out, log_sums + item * s.queries + first);
    }
  });
}

template <class T>
void attend_back(const AttentionGradient& a) {
  const AttentionShape& s = a.shape;
  const AttentionInputs<T> in(a.in);
  const HeadRows<const T> out(a.out), g(a.g);
  const HeadRows<T> dq(a.dq), dk(a.dk), dv(a.dv);
  const T* log_sums = static_cast<const T*>(a.log_sums);
  const int64_t shared = s.heads / s.key_heads;  // heads that add to the same keys go one after another
  parallel_for(s.batch * s.key_heads, 1, [&](int64_t begin, int64_t end) {
    BlockScores<T>& memory = BlockScores<T>::of_this_thread();
    for (int64_t item = begin; item < end; ++item) {
      const int64_t batch = item / s.key_heads, key_head = item % s.key_heads;
      if (s.causal && s.queries < s.keys) {  // keys that nobody sees
        clear_rows(dk, batch, key_head, s.queries, s.keys, s.width);
        clear_rows(dv, batch, key_head, s.queries, s.keys, s.value_width);
      }
      for (int64_t head = key_head * shared; head < (key_head + 1) * shared; ++head) {
        for (int64_t first = 0; first < s.queries; first += kQueries) {
          T offsets[kQueries];
          for (int64_t i = 0; i < std::min(kQueries, s.queries - first); ++i) {
            offsets[i] = loops(T{}).dot(g.at(batch, head, first + i), out.at(batch, head, first + i), s.value_width);
          }
          QueryBlock<T>(s, in, memory, batch, head, first)
              .backward(g, log_sums + (batch * s.heads + head) * s.queries + first, offsets, dq, dk, dv);
        }
      }
    }
  });
}

void value(const Attention& a) {
  with_kernel_type(a.in.dtype, [&]<class T>(T) { attend<T>(a); });
}
void gradient(const AttentionGradient& a) {
  with_kernel_type(a.in.dtype, [&]<class T>(T) { attend_back<T>(a); });
}

}  // namespace

constinit const AttentionKernels attention_kernels{{value}, {gradient}};

}  // namespace chainrule::cpu
