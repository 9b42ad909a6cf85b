// Moving elements as they are: to another layout or dtype, in another order, or several times.
#pragma once
#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Strides count elements; 0 repeats one.
struct StridedCopy {
  Span sizes;
  char* to;
  DType to_dtype;
  Span to_strides;
  const char* from;
  DType from_dtype;
  Span from_strides;
};

// Elements whose signs change where they lie.
struct SignChange {
  Span sizes;
  char* data;
  Span strides;
  DType dtype;
};

// One value, which is on the host, `count` times.
struct Fill {
  DType dtype;
  int64_t count;
  const char* value;
  char* to;
};

struct ZeroBytes {
  char* to;
  int64_t bytes;
};

// Blocks that follow each other, each to its place in a row of the result.
struct JoinedBlocks {
  int64_t rows, bytes, row_bytes;
  const char* from;
  char* to;
};

// A contiguous tensor's dimensions for a flip: those at the end that are all flipped, or all kept, are one row, which
// is reversed or copied whole.
struct FlippedRows {
  Dims outer;  // sizes of the dimensions before
  Dims flips;  // whether each of those is flipped
  int64_t rows, length;
  bool reversed;
  int64_t item;  // bytes of an element
  const char* from;
  char* to;
};

struct CopyKernels {
  Kernel<void(const StridedCopy&)> strided;
  Kernel<void(const SignChange&)> negate;     // a complex element whole; bools stay as they are
  Kernel<void(const SignChange&)> conjugate;  // complex elements only
  Kernel<void(const Fill&)> fill;
  Kernel<void(const ZeroBytes&)> zero;
  Kernel<void(const JoinedBlocks&)> blocks;
  Kernel<void(const FlippedRows&)> flip;
};

}  // namespace chainrule
