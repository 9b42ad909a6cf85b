#include "backends/cuda/cufft.hpp"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/libraries.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

using Handle = int;
using Number = long long;

#define CUFFT_FUNCTIONS(FUNCTION)                                                                     \
  FUNCTION(create, cufftCreate, int(Handle*))                                                         \
  FUNCTION(destroy, cufftDestroy, int(Handle))                                                        \
  FUNCTION(allocate_itself, cufftSetAutoAllocation, int(Handle, int))                                 \
  FUNCTION(plan, cufftMakePlanMany64,                                                                 \
           int(Handle, int rank, Number* n, Number* from, Number stride, Number distance, Number* to, \
               Number to_stride, Number to_distance, int type, Number batch, size_t* workspace))      \
  FUNCTION(set_workspace, cufftSetWorkArea, int(Handle, void*))                                       \
  FUNCTION(set_stream, cufftSetStream, int(Handle, Stream))                                           \
  FUNCTION(complex_float, cufftExecC2C, int(Handle, void* x, void* out, int direction))               \
  FUNCTION(complex_double, cufftExecZ2Z, int(Handle, void* x, void* out, int direction))              \
  FUNCTION(from_float, cufftExecR2C, int(Handle, void* x, void* out))                                 \
  FUNCTION(from_double, cufftExecD2Z, int(Handle, void* x, void* out))                                \
  FUNCTION(to_float, cufftExecC2R, int(Handle, void* x, void* out))                                   \
  FUNCTION(to_double, cufftExecZ2D, int(Handle, void* x, void* out))

struct Cufft {
#define CUDA_MEMBER(member, function, ...) Pointer<__VA_ARGS__> member;
  CUFFT_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
  bool exists = false;
};

Cufft open() {
  Cufft c;
  const Library library = open_library({"libcufft.so.12", "libcufft.so.11"});
  if (!library.handle) return c;
#define CUDA_FIND(member, function, ...) \
  c.member = reinterpret_cast<Pointer<__VA_ARGS__>>(find_function(library, #function));
  CUFFT_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
  c.exists = true;
  return c;
}

const Cufft& cufft() {
  library_folders();
  static const Cufft once = open();
  return once;
}

void check_cufft(int code) {
  if (code != 0) raise(PyExc_RuntimeError, "cuFFT error: status ", code);
}

// What decides a plan; no bytes lie between the fields.
struct Key {
  int64_t device, direction, is_double, n, batch;
  FftLines from, to;
  bool operator==(const Key& k) const { return std::memcmp(this, &k, sizeof k) == 0; }
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    static_assert(std::has_unique_object_representations_v<Key>);
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&k), sizeof k});
  }
};

struct Plan {
  Handle handle = 0;
  size_t workspace = 0;
  bool exists = false;
};

int type_of(const Key& k) {
  const int width = k.is_double ? 0x60 : 0x20;
  switch (static_cast<FftDirection>(k.direction)) {
    case FftDirection::FromReal:
      return width + 0xa;
    case FftDirection::ToReal:
      return width + 0xc;
    default:
      return width + 0x9;
  }
}

Plan make_plan(const Key& k) {
  Plan p;
  if (cufft().create(&p.handle) != 0) return p;
  Number n = k.n, whole = k.n, batch = k.batch;
  p.exists = cufft().allocate_itself(p.handle, 0) == 0 &&
             cufft().plan(p.handle, 1, &n, &whole, k.from.stride, k.from.distance, &whole, k.to.stride, k.to.distance,
                          type_of(k), batch, &p.workspace) == 0;
  if (!p.exists) cufft().destroy(p.handle);
  return p;
}

// Plans are kept; a program that goes on asking for new shapes begins anew.
const Plan& plan_of(const Key& key) {
  static std::unordered_map<Key, Plan, KeyHash>& plans = *new std::unordered_map<Key, Plan, KeyHash>;
  constexpr size_t kMostPlans = 512;
  if (const auto found = plans.find(key); found != plans.end()) return found->second;
  if (plans.size() >= kMostPlans) {
    CUDA_CALL(synchronize);  // transforms may still run
    for (auto& [k, p] : plans) {
      if (p.exists) cufft().destroy(p.handle);
    }
    plans.clear();
  }
  return plans.emplace(key, make_plan(key)).first->second;
}

int execute(const CufftTransform& t, Handle plan) {
  const bool is_double = t.dtype == DType::Float64;
  switch (t.direction) {
    case FftDirection::FromReal:
      return (is_double ? cufft().from_double : cufft().from_float)(plan, t.x, t.out);
    case FftDirection::ToReal:
      return (is_double ? cufft().to_double : cufft().to_float)(plan, t.x, t.out);
    default: {
      const int sign = t.direction == FftDirection::Forward ? -1 : 1;
      return (is_double ? cufft().complex_double : cufft().complex_float)(plan, t.x, t.out, sign);
    }
  }
}

}  // namespace

bool cufft_transform(const CufftTransform& t) {
  if (!cufft().exists) return false;
  // The two directions of a complex transform have the same plan.
  const FftDirection kind = t.direction == FftDirection::Backward ? FftDirection::Forward : t.direction;
  const Plan& plan =
      plan_of({current_device(), static_cast<int64_t>(kind), t.dtype == DType::Float64, t.n, t.batch, t.from, t.to});
  if (!plan.exists) return false;
  const Scratch workspace(plan.workspace);
  check_cufft(cufft().set_stream(plan.handle, current_stream()));
  check_cufft(cufft().set_workspace(plan.handle, workspace.data()));
  check_cufft(execute(t, plan.handle));
  return true;
}

}  // namespace chainrule::cuda
