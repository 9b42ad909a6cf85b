// Triangles of matrices.
#pragma once
#include <algorithm>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"

namespace chainrule {

// Of a matrix with `columns` columns, the part of row i that is in a triangle.
struct Triangle {
  bool lower;
  int64_t columns, offset;
  int64_t begin(int64_t i) const { return lower ? 0 : std::clamp<int64_t>(i + offset, 0, columns); }
  int64_t end(int64_t i) const { return lower ? std::clamp<int64_t>(i + offset + 1, 0, columns) : columns; }
};

// Matrices one after another, `item` bytes an element.
struct TriangleCopy {
  Triangle triangle;
  int64_t matrices, rows, item;
  const char* from;
  char* to;
};

// The positions of the triangle's elements in rows first to last, the rows and then the columns.
struct TriangleIndices {
  Triangle triangle;
  int64_t first, last, count;
  bool narrow;  // int32, else int64
  char* to;
};

struct TriangleKernels {
  Kernel<void(const TriangleCopy&)> copy;  // zeros outside of the triangle
  Kernel<void(const TriangleIndices&)> indices;
};

}  // namespace chainrule
