#include "backends/cuda/blas.hpp"

#include <array>
#include <cstring>
#include <string>
#include <unordered_map>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/libraries.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {

BlasPrecision blas_precision;

namespace {

using Handle = void*;
using Description = void*;
using MatrixLayout = void*;
using Preference = void*;
struct Algorithm {
  uint64_t data[8];
};
struct Answer {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

#define CUDA_BLAS_FUNCTIONS(FUNCTION)                                                                                 \
  FUNCTION(version, cublasLtGetVersion, size_t())                                                                     \
  FUNCTION(create, cublasLtCreate, int(Handle*))                                                                      \
  FUNCTION(describe, cublasLtMatmulDescCreate, int(Description*, int compute, int scale))                             \
  FUNCTION(set, cublasLtMatmulDescSetAttribute, int(Description, int which, const void*, size_t))                     \
  FUNCTION(forget, cublasLtMatmulDescDestroy, int(Description))                                                       \
  FUNCTION(lay_out, cublasLtMatrixLayoutCreate,                                                                       \
           int(MatrixLayout*, int type, uint64_t rows, uint64_t columns, int64_t))                                    \
  FUNCTION(set_layout, cublasLtMatrixLayoutSetAttribute, int(MatrixLayout, int which, const void*, size_t))           \
  FUNCTION(forget_layout, cublasLtMatrixLayoutDestroy, int(MatrixLayout))                                             \
  FUNCTION(prefer, cublasLtMatmulPreferenceCreate, int(Preference*))                                                  \
  FUNCTION(set_preference, cublasLtMatmulPreferenceSetAttribute, int(Preference, int which, const void*, size_t))     \
  FUNCTION(forget_preference, cublasLtMatmulPreferenceDestroy, int(Preference))                                       \
  FUNCTION(choose, cublasLtMatmulAlgoGetHeuristic,                                                                    \
           int(Handle, Description, MatrixLayout, MatrixLayout, MatrixLayout, MatrixLayout, Preference, int, Answer*, \
               int*))                                                                                                 \
  FUNCTION(multiply, cublasLtMatmul,                                                                                  \
           int(Handle, Description, const void* alpha, const void* a, MatrixLayout, const void* b, MatrixLayout,      \
               const void* beta, const void* c, MatrixLayout, void* out, MatrixLayout, const Algorithm*,              \
               void* workspace, size_t, Stream))

struct Blas {
#define CUDA_MEMBER(member, function, ...) Pointer<__VA_ARGS__> member;
  CUDA_BLAS_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
};

Blas open() {
  const Library library = open_library({"libcublasLt.so.13", "libcublasLt.so.12"});
  if (!library.handle) {
    raise(PyExc_RuntimeError, "NVIDIA's matrix products, cuBLASLt, are missing: ", library.error,
          ". `pip install chainrule[cuda]` brings them.");
  }
  Blas b;
#define CUDA_FIND(member, function, ...) \
  b.member = reinterpret_cast<Pointer<__VA_ARGS__>>(find_function(library, #function));
  CUDA_BLAS_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
  return b;
}

const Blas& blas() {
  library_folders();
  static const Blas once = open();
  return once;
}

void check_blas(int code, const char* what) {
  if (code != 0) raise(PyExc_RuntimeError, "CUDA error: cuBLASLt's ", what, " gave status ", code);
}

Handle handle() {
  static std::array<Handle, 64> all{};
  Handle& h = all[static_cast<size_t>(current_device())];
  if (!h) check_blas(blas().create(&h), "cublasLtCreate");
  return h;
}

// The library's numbers for types and for what is calculated in.
struct Types {
  int factors, out, compute, scale;
};
constexpr int kR32 = 0, kR64 = 1, kR16 = 2, kC32 = 4, kC64 = 5, kBf16 = 14;
constexpr int kCompute32 = 68, kCompute64 = 70, kComputeTf32 = 77;

int number_of(DType t) {
  switch (t) {
    case DType::Float16:
      return kR16;
    case DType::BFloat16:
      return kBf16;
    case DType::Float32:
      return kR32;
    case DType::Float64:
      return kR64;
    case DType::Complex64:
      return kC32;
    default:
      return kC64;
  }
}

Types types_of(const BlasProduct& p) {
  Types t{number_of(p.factors), number_of(p.out_dtype), kCompute32, kR32};
  if (p.factors == DType::Float32 && blas_precision.tf32) t.compute = kComputeTf32;
  if (p.factors == DType::Complex64) t.scale = kC32;
  if (p.factors == DType::Float64 || p.factors == DType::Complex128) {
    t.compute = kCompute64;
    t.scale = t.factors;
  }
  return t;
}

// What decides a plan.
struct Key {
  int64_t rows, columns, depth, batch, a_lead, b_lead, out_lead, a_step, b_step, out_step;
  int32_t device, factors, out, compute;
  uint8_t a_turned, b_turned, has_bias, accumulates, alignment[4];  // as powers of two
  bool operator==(const Key& k) const { return std::memcmp(this, &k, sizeof k) == 0; }
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&k), sizeof k});
  }
};

struct Plan {
  Description description = nullptr;
  MatrixLayout a = nullptr, b = nullptr, out = nullptr;
  bool exists = false;
  Answer answer;
};

constexpr size_t kWorkspace = 64 << 20;

// Of addresses that cuBLASLt may read in pieces of up to 16 bytes.
uint8_t alignment_of(const void* p) {
  const auto at = reinterpret_cast<uintptr_t>(p);
  for (uint8_t power = 4; power > 0; --power) {
    if (at % (uintptr_t{1} << power) == 0) return power;
  }
  return 0;
}

Key key_of(const BlasProduct& p, const Types& t) {
  Key k;
  std::memset(&k, 0, sizeof k);
  k.rows = p.rows, k.columns = p.columns, k.depth = p.depth, k.batch = p.batch;
  k.a_lead = p.a.lead, k.b_lead = p.b.lead, k.out_lead = p.out_lead;
  k.a_step = p.a.batch_step, k.b_step = p.b.batch_step, k.out_step = p.out_batch_step;
  k.device = current_device(), k.factors = t.factors, k.out = t.out, k.compute = t.compute;
  k.a_turned = p.a.turned, k.b_turned = p.b.turned, k.has_bias = p.bias != nullptr, k.accumulates = !(p.beta == 0.0);
  k.alignment[0] = alignment_of(p.a.data), k.alignment[1] = alignment_of(p.b.data),
  k.alignment[2] = alignment_of(p.out);
  return k;
}

MatrixLayout layout(int type, int64_t rows, int64_t columns, int64_t lead, int64_t batch, int64_t step) {
  const Blas& b = blas();
  MatrixLayout made = nullptr;
  check_blas(b.lay_out(&made, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), lead),
             "cublasLtMatrixLayoutCreate");
  if (batch > 1) {
    constexpr int kBatchCount = 5, kBatchStep = 6;
    const auto count = static_cast<int32_t>(batch);
    check_blas(b.set_layout(made, kBatchCount, &count, sizeof count), "batch count");
    check_blas(b.set_layout(made, kBatchStep, &step, sizeof step), "batch step");
  }
  return made;
}

void choose(Plan& plan, const Key& k) {
  const Blas& b = blas();
  Preference preference = nullptr;
  check_blas(b.prefer(&preference), "cublasLtMatmulPreferenceCreate");
  constexpr int kMostWorkspace = 1, kAlignmentA = 5;
  check_blas(b.set_preference(preference, kMostWorkspace, &kWorkspace, sizeof kWorkspace), "workspace");
  const int order[4] = {0, 1, 2, 2};  // a, b, what is added to, out
  for (int i = 0; i < 4; ++i) {
    const uint32_t bytes = 1u << k.alignment[order[i]];
    check_blas(b.set_preference(preference, kAlignmentA + i, &bytes, sizeof bytes), "alignment");
  }
  int found = 0;
  const int code =
      b.choose(handle(), plan.description, plan.a, plan.b, plan.out, plan.out, preference, 1, &plan.answer, &found);
  plan.exists = code == 0 && found > 0 && plan.answer.state == 0;
  b.forget_preference(preference);
}

Plan make_plan(const BlasProduct& p, const Types& t, const Key& k) {
  const Blas& b = blas();
  Plan plan;
  constexpr int kTurnA = 3, kTurnB = 4, kEpilogue = 7, kBiasType = 26;
  check_blas(b.describe(&plan.description, t.compute, t.scale), "cublasLtMatmulDescCreate");
  const int32_t turn_a = p.a.turned, turn_b = p.b.turned;
  check_blas(b.set(plan.description, kTurnA, &turn_a, sizeof turn_a), "transpose");
  check_blas(b.set(plan.description, kTurnB, &turn_b, sizeof turn_b), "transpose");
  if (p.bias) {
    const uint32_t epilogue = 4;
    const int32_t type = t.out;
    check_blas(b.set(plan.description, kEpilogue, &epilogue, sizeof epilogue), "epilogue");
    check_blas(b.set(plan.description, kBiasType, &type, sizeof type), "bias type");
  }
  plan.a = layout(t.factors, p.a.turned ? p.depth : p.rows, p.a.turned ? p.rows : p.depth, p.a.lead, p.batch,
                  p.a.batch_step);
  plan.b = layout(t.factors, p.b.turned ? p.columns : p.depth, p.b.turned ? p.depth : p.columns, p.b.lead, p.batch,
                  p.b.batch_step);
  plan.out = layout(t.out, p.rows, p.columns, p.out_lead, p.batch, p.out_batch_step);
  choose(plan, k);
  return plan;
}

// Plans are kept; a program that goes on asking for new shapes begins anew.
const Plan& plan_of(const BlasProduct& p, const Types& t) {
  static std::unordered_map<Key, Plan, KeyHash>& plans = *new std::unordered_map<Key, Plan, KeyHash>;
  constexpr size_t kMostPlans = 4096;
  const Key k = key_of(p, t);
  if (auto found = plans.find(k); found != plans.end()) return found->second;
  if (plans.size() >= kMostPlans) {
    for (auto& [key, plan] : plans) {
      blas().forget(plan.description);
      for (MatrixLayout l : {plan.a, plan.b, plan.out}) blas().forget_layout(l);
    }
    plans.clear();
  }
  return plans.emplace(k, make_plan(p, t, k)).first->second;
}

// A number as the library reads it.
struct ScaleNumber {
  alignas(16) char bytes[16] = {};
  ScaleNumber(Complex<double> value, int type) {
    const double parts[2] = {value.re, value.im};
    const float narrow[2] = {static_cast<float>(value.re), static_cast<float>(value.im)};
    const bool is_wide = type == kR64 || type == kC64;
    std::memcpy(bytes, is_wide ? static_cast<const void*>(parts) : narrow, is_wide ? sizeof parts : sizeof narrow);
  }
};

}  // namespace

bool blas_product(const BlasProduct& p) {
  const Types t = types_of(p);
  const Plan& plan = plan_of(p, t);
  if (!plan.exists) return false;
  constexpr int kBiasPointer = 8;
  if (p.bias) check_blas(blas().set(plan.description, kBiasPointer, &p.bias, sizeof p.bias), "bias");
  const ScaleNumber alpha(p.alpha, t.scale), beta(p.beta, t.scale);
  const Scratch workspace(plan.answer.workspace);
  check_blas(blas().multiply(handle(), plan.description, alpha.bytes, p.a.data, plan.a, p.b.data, plan.b, beta.bytes,
                             p.out, plan.out, p.out, plan.out, &plan.answer.algorithm, workspace.data(),
                             plan.answer.workspace, current_stream()),
             "cublasLtMatmul");
  return true;
}

}  // namespace chainrule::cuda
