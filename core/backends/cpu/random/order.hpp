// The order in which a random fill visits the elements of a strided destination.
//
// Streams are drawn serially: a contiguous tensor in logical order, any other in memory order, smallest stride
// innermost.
#pragma once
#include <cstdint>
#include <vector>

namespace chainrule::cpu::random {

// Writes the dimensions from innermost to outermost into order[0 .. ndim).
void visiting_order(int ndim, const int64_t* sizes, const int64_t* strides, int* order);

// Strides of what empty_like, rand_like or a dropout mask allocates: the input's own when it is dense, else dense ones
// in its visiting order.
void like_strides(int ndim, const int64_t* sizes, const int64_t* strides, int64_t* out);

bool is_contiguous(int ndim, const int64_t* sizes, const int64_t* strides);

// Walks a destination (and one operand laid over it) in visiting order, in runs of constant stride.
class RunWalk {
 public:
  RunWalk(int ndim, const int64_t* sizes, const int64_t* strides, const int64_t* operand_strides = nullptr);

  int64_t run_length() const { return length_; }  // elements in each run
  int64_t run_stride() const { return stride_; }  // between them, in the destination
  int64_t operand_stride() const { return operand_stride_; }
  int64_t offset() const { return offset_; }  // of the current run's first element, in elements
  int64_t operand_offset() const { return operand_offset_; }
  bool done() const { return left_ == 0; }
  void next();

 private:
  struct Dimension {
    int64_t size, stride, operand_stride, index;
  };
  std::vector<Dimension> outer_;  // from the second innermost outwards
  int64_t length_ = 1, stride_ = 1, operand_stride_ = 1;
  int64_t offset_ = 0, operand_offset_ = 0, left_ = 1;
};

// Fills a strided destination: fill(T* out, int64_t n) makes the next n values of the stream, contiguously.
template <class T, class Fill>
void fill_strided(T* out, int ndim, const int64_t* sizes, const int64_t* strides, Fill&& fill) {
  constexpr int64_t kTile = 256;
  T tile[kTile];
  for (RunWalk walk(ndim, sizes, strides); !walk.done(); walk.next()) {
    T* run = out + walk.offset();
    int64_t n = walk.run_length(), stride = walk.run_stride();
    if (stride == 1) {
      fill(run, n);
      continue;
    }
    for (int64_t begin = 0; begin < n; begin += kTile) {
      int64_t count = n - begin < kTile ? n - begin : kTile;
      fill(tile, count);
      for (int64_t i = 0; i < count; ++i) run[(begin + i) * stride] = tile[i];
    }
  }
}

// The same for a stream that reads one parameter per element: fill(T* out, const P* parameters, int64_t n).
template <class T, class P, class Fill>
void fill_strided(T* out, const P* parameters, int ndim, const int64_t* sizes, const int64_t* strides,
                  const int64_t* parameter_strides, Fill&& fill) {
  constexpr int64_t kTile = 256;
  T tile[kTile];
  P read[kTile];
  for (RunWalk walk(ndim, sizes, strides, parameter_strides); !walk.done(); walk.next()) {
    T* run = out + walk.offset();
    const P* source = parameters + walk.operand_offset();
    for (int64_t begin = 0; begin < walk.run_length(); begin += kTile) {
      int64_t count = walk.run_length() - begin < kTile ? walk.run_length() - begin : kTile;
      for (int64_t i = 0; i < count; ++i) read[i] = source[(begin + i) * walk.operand_stride()];
      fill(tile, static_cast<const P*>(read), count);
      for (int64_t i = 0; i < count; ++i) run[(begin + i) * walk.run_stride()] = tile[i];
    }
  }
}

}  // namespace chainrule::cpu::random
