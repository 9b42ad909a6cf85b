// cuSOLVER, and of cuBLAS what solves triangles, as far as chainrule uses them: by the LAPACK of the host.
#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "memory.hpp"

namespace {

// A routine of Fortran's, which takes addresses only.
template <class... Arguments>
void lapack(const std::string& routine, Arguments... arguments) {
  static void* const library = dlopen(std::getenv("EMULATED_LAPACK"), RTLD_NOW | RTLD_LOCAL);
  auto* function = reinterpret_cast<void (*)(Arguments...)>(dlsym(library, ("scipy_" + routine + "_").c_str()));
  Opened open;
  function(arguments...);
}

template <class T>
T* room(size_t elements) {
  static std::vector<char> held[3];
  static int next = 0;
  std::vector<char>& mine = held[next++ % 3];
  mine.resize((elements + 1) * sizeof(T));
  return reinterpret_cast<T*>(mine.data());
}
// More than any routine asks for.
int most(int m, int n) { return 64 * (m + n) + 8; }

constexpr char kHalves[] = "LU", kTurns[] = "NTC", kSides[] = "LR", kJobs[] = "NV";

}  // namespace

extern "C" {
int cusolverDnCreate(void** handle) { return *handle = handle, 0; }
int cusolverDnSetStream(void*, void*) { return 0; }
int cublasCreate_v2(void** handle) { return *handle = handle, 0; }
int cublasSetStream_v2(void*, void*) { return 0; }
int cublasSetPointerMode_v2(void*, int) { return 0; }
}

// L, l: the letter of a type T, whose real numbers are R. O: "or" or "un", S: "sy" or "he".
#define SOLVERS(L, l, T, R, O, S)                                                                                      \
  extern "C" {                                                                                                         \
  int cusolverDn##L##potrf_bufferSize(void*, int, int, T*, int, int* length) { return *length = 1, 0; }                \
  int cusolverDn##L##potrf(void*, int half, int n, T* a, int lda, T*, int, int* info) {                                \
    return lapack(#l "potrf", &kHalves[half], &n, a, &lda, info, size_t{1}), 0;                                        \
  }                                                                                                                    \
  int cusolverDn##L##potri_bufferSize(void*, int, int, T*, int, int* length) { return *length = 1, 0; }                \
  int cusolverDn##L##potri(void*, int half, int n, T* a, int lda, T*, int, int* info) {                                \
    return lapack(#l "potri", &kHalves[half], &n, a, &lda, info, size_t{1}), 0;                                        \
  }                                                                                                                    \
  int cusolverDn##L##getrf_bufferSize(void*, int, int, T*, int, int* length) { return *length = 1, 0; }                \
  int cusolverDn##L##getrf(void*, int m, int n, T* a, int lda, T*, int* pivots, int* info) {                           \
    return lapack(#l "getrf", &m, &n, a, &lda, pivots, info), 0;                                                       \
  }                                                                                                                    \
  int cusolverDn##L##getrs(void*, int turn, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb, \
                           int* info) {                                                                                \
    return lapack(#l "getrs", &kTurns[turn], &n, &columns, a, &lda, pivots, b, &ldb, info, size_t{1}), 0;              \
  }                                                                                                                    \
  int cusolverDn##L##laswp(void*, int n, T* a, int lda, int first, int last, const int* pivots, int step) {            \
    return lapack(#l "laswp", &n, a, &lda, &first, &last, pivots, &step), 0;                                           \
  }                                                                                                                    \
  int cusolverDn##L##geqrf_bufferSize(void*, int m, int n, T*, int, int* length) { return *length = most(m, n), 0; }   \
  int cusolverDn##L##geqrf(void*, int m, int n, T* a, int lda, T* tau, T* work, int length, int* info) {               \
    return lapack(#l "geqrf", &m, &n, a, &lda, tau, work, &length, info), 0;                                           \
  }                                                                                                                    \
  int cusolverDn##L##O##gqr_bufferSize(void*, int m, int n, int, const T*, int, const T*, int* length) {               \
    return *length = most(m, n), 0;                                                                                    \
  }                                                                                                                    \
  int cusolverDn##L##O##gqr(void*, int m, int n, int k, T* a, int lda, const T* tau, T* work, int length, int* info) { \
    return lapack(#l #O "gqr", &m, &n, &k, a, &lda, tau, work, &length, info), 0;                                      \
  }                                                                                                                    \
  int cusolverDn##L##O##mqr_bufferSize(void*, int, int, int m, int n, int, const T*, int, const T*, const T*, int,     \
                                       int* length) {                                                                  \
    return *length = most(m, n), 0;                                                                                    \
  }                                                                                                                    \
  int cusolverDn##L##O##mqr(void*, int side, int turn, int m, int n, int k, const T* a, int lda, const T* tau, T* c,   \
                            int ldc, T* work, int length, int* info) {                                                 \
    return lapack(#l #O "mqr", &kSides[side], &kTurns[turn], &m, &n, &k, a, &lda, tau, c, &ldc, work, &length, info,   \
                  size_t{1}, size_t{1}),                                                                               \
           0;                                                                                                          \
  }                                                                                                                    \
  int cusolverDn##L##gesvd_bufferSize(void*, int m, int n, int* length) { return *length = most(m, n), 0; }            \
  int cusolverDn##L##gesvd(void*, signed char u_job, signed char v_job, int m, int n, T* a, int lda, R* s, T* u,       \
                           int ldu, T* v, int ldv, T* work, int length, R*, int* info) {                               \
    if (m < n) return 1;                                                                                               \
    if constexpr (sizeof(T) == sizeof(R))                                                                              \
      lapack(#l "gesvd", &u_job, &v_job, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &length, info, size_t{1},         \
             size_t{1});                                                                                               \
    else                                                                                                               \
      lapack(#l "gesvd", &u_job, &v_job, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &length,                          \
             room<R>(5 * static_cast<size_t>(n)), info, size_t{1}, size_t{1});                                         \
    return 0;                                                                                                          \
  }                                                                                                                    \
  int cusolverDn##L##S##evd_bufferSize(void*, int, int, int n, const T*, int, const R*, int* length) {                 \
    return *length = 1 + 6 * n + 2 * n * n, 0;                                                                         \
  }                                                                                                                    \
  int cusolverDn##L##S##evd(void*, int job, int half, int n, T* a, int lda, R* values, T* work, int length,            \
                            int* info) {                                                                               \
    int integers = 3 + 5 * n, reals = 1 + 5 * n + 2 * n * n;                                                           \
    int* const of_integers = room<int>(static_cast<size_t>(integers));                                                 \
    if constexpr (sizeof(T) == sizeof(R))                                                                              \
      lapack(#l #S "evd", &kJobs[job], &kHalves[half], &n, a, &lda, values, work, &length, of_integers, &integers,     \
             info, size_t{1}, size_t{1});                                                                              \
    else                                                                                                               \
      lapack(#l #S "evd", &kJobs[job], &kHalves[half], &n, a, &lda, values, work, &length,                             \
             room<R>(static_cast<size_t>(reals)), &reals, of_integers, &integers, info, size_t{1}, size_t{1});         \
    return 0;                                                                                                          \
  }                                                                                                                    \
  int cublas##L##trsm_v2(void*, int side, int half, int turn, int diagonal, int m, int n, const T* factor, const T* a, \
                         int lda, T* b, int ldb) {                                                                     \
    return lapack(                                                                                                     \
               #l "trsm", &kSides[side], &kHalves[half], &kTurns[turn], &"NU" [diagonal], &m, &n, factor, a, &lda, b,  \
               &ldb, size_t { 1 }, size_t{1}, size_t{1}, size_t{1}),                                                   \
           0;                                                                                                          \
  }                                                                                                                    \
  }

SOLVERS(S, s, float, float, or, sy)
SOLVERS(D, d, double, double, or, sy)
SOLVERS(C, c, std::complex<float>, float, un, he)
SOLVERS(Z, z, std::complex<double>, double, un, he)
