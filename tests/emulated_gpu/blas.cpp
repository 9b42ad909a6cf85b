// cuBLASLt, as far as chainrule uses it: products one number at a time, in double.
#include <cstdint>
#include <cstring>

#include "memory.hpp"
#include "numbers.hpp"

namespace {

struct Description {
  int compute, scale;
  int32_t turn_a = 0, turn_b = 0;
  uint32_t epilogue = 1;
  const char* bias = nullptr;
  int32_t bias_type = -1;
};
struct MatrixLayout {
  int type;
  uint64_t rows, columns;
  int64_t lead;
  int32_t batch = 1;
  int64_t step = 0;
};
struct Answer {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

int64_t place(const MatrixLayout& m, bool turned, int64_t row, int64_t column) {
  return turned ? row * m.lead + column : column * m.lead + row;
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130000; }
int cublasLtCreate(void** handle) { return *handle = new char, 0; }
int cublasLtMatmulDescCreate(Description** d, int compute, int scale) {
  return *d = new Description{compute, scale}, 0;
}
int cublasLtMatmulDescDestroy(Description* d) { return delete d, 0; }
int cublasLtMatmulDescSetAttribute(Description* d, int which, const void* value, size_t bytes) {
  void* const to = which == 3    ? static_cast<void*>(&d->turn_a)
                   : which == 4  ? &d->turn_b
                   : which == 7  ? &d->epilogue
                   : which == 8  ? static_cast<void*>(&d->bias)
                   : which == 26 ? &d->bias_type
                                 : nullptr;
  if (!to) return 7;
  return std::memcpy(to, value, bytes), 0;
}
int cublasLtMatrixLayoutCreate(MatrixLayout** l, int type, uint64_t rows, uint64_t columns, int64_t lead) {
  if (lead < static_cast<int64_t>(rows)) return 7;
  return *l = new MatrixLayout{type, rows, columns, lead}, 0;
}
int cublasLtMatrixLayoutDestroy(MatrixLayout* l) { return delete l, 0; }
int cublasLtMatrixLayoutSetAttribute(MatrixLayout* l, int which, const void* value, size_t bytes) {
  void* const to = which == 5 ? static_cast<void*>(&l->batch) : which == 6 ? &l->step : nullptr;
  if (!to) return 7;
  return std::memcpy(to, value, bytes), 0;
}
int cublasLtMatmulPreferenceCreate(void** p) { return *p = new char, 0; }
int cublasLtMatmulPreferenceDestroy(void* p) { return delete static_cast<char*>(p), 0; }
int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, size_t) { return 0; }
int cublasLtMatmulAlgoGetHeuristic(void*, Description*, MatrixLayout*, MatrixLayout*, MatrixLayout*, MatrixLayout*,
                                   void*, int, Answer* answer, int* found) {
  std::memset(answer, 0, sizeof *answer);
  answer->workspace = 256;
  return *found = 1, 0;
}
int cublasLtMatmul(void*, const Description* d, const void* alpha, const void* a, const MatrixLayout* la, const void* b,
                   const MatrixLayout* lb, const void* beta, const void* c, const MatrixLayout*, void* out,
                   const MatrixLayout* lo, const void*, void*, size_t, void*) {
  const bool turn_a = d->turn_a, turn_b = d->turn_b;
  const auto m = static_cast<int64_t>(lo->rows), n = static_cast<int64_t>(lo->columns);
  const auto k = static_cast<int64_t>(turn_a ? la->rows : la->columns);
  if (static_cast<int64_t>(turn_a ? la->columns : la->rows) != m ||
      static_cast<int64_t>(turn_b ? lb->rows : lb->columns) != n ||
      static_cast<int64_t>(turn_b ? lb->columns : lb->rows) != k || la->type != lb->type)
    return 7;
  if (!(d->epilogue & 4) && d->bias) return 7;  // as the library does
  const Number scale = read(alpha, d->scale, 0), before = read(beta, d->scale, 0);
  const Opened open;
  for (int64_t batch = 0; batch < lo->batch; ++batch) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i) {
        Number sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += read(a, la->type, batch * la->step + place(*la, turn_a, i, l)) *
                 read(b, lb->type, batch * lb->step + place(*lb, turn_b, l, j));
        const int64_t to = batch * lo->step + place(*lo, false, i, j);
        sum *= scale;
        if (before != 0.0) sum += before * read(c, lo->type, to);
        if (d->epilogue & 4) sum += read(d->bias, d->bias_type, i);
        write(out, lo->type, to, sum);
      }
    }
  }
  return 0;
}
}
