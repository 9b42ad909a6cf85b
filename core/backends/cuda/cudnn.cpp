#include "backends/cuda/cudnn.hpp"

#include <array>
#include <string>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/libraries.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {

CudnnFlags cudnn_flags;

namespace {

using Descriptor = void*;
using Handle = void*;

#define CUDNN_FUNCTIONS(FUNCTION)                                                                                  \
  FUNCTION(version, cudnnGetVersion, size_t())                                                                     \
  FUNCTION(create_handle, cudnnCreate, int(Handle*))                                                               \
  FUNCTION(set_stream, cudnnSetStream, int(Handle, Stream))                                                        \
  FUNCTION(create, cudnnBackendCreateDescriptor, int(int kind, Descriptor*))                                       \
  FUNCTION(destroy, cudnnBackendDestroyDescriptor, int(Descriptor))                                                \
  FUNCTION(set, cudnnBackendSetAttribute, int(Descriptor, int attribute, int type, int64_t count, const void*))    \
  FUNCTION(get, cudnnBackendGetAttribute, int(Descriptor, int attribute, int type, int64_t room, int64_t*, void*)) \
  FUNCTION(finalize, cudnnBackendFinalize, int(Descriptor))                                                        \
  FUNCTION(execute, cudnnBackendExecute, int(Handle, Descriptor plan, Descriptor pack))

struct Cudnn {
#define CUDA_MEMBER(member, function, ...) Pointer<__VA_ARGS__> member;
  CUDNN_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
  bool exists = false;
};

// Numbers of cudnn_graph.h, the same from 9.0 on.
enum Kind {
  kConvolution = 1,
  kEngine = 2,
  kConfig = 3,
  kHeuristics = 4,
  kPlan = 5,
  kConvolveValue = 10,
  kConvolveWeight = 11,
  kConvolveInput = 12,
  kGraph = 15,
  kPack = 16,
  kTensor = 17
};
enum ValueType {
  kHandleType = 0,
  kDtypeType = 1,
  kBoolType = 2,
  kIntType = 3,
  kFloatType = 4,
  kDoubleType = 5,
  kPointerType = 6,
  kModeType = 7,
  kHeuristicType = 8,
  kNoteType = 11,
  kDescriptorType = 15
};
enum Attribute {
  kConvolutionPrecision = 100,
  kConvolutionMode = 101,
  kDilations = 102,
  kStrides = 103,
  kPadsAfter = 104,
  kPadsBefore = 105,
  kSpatialDimensions = 106,
  kHeuristicsMode = 200,
  kHeuristicsGraph = 201,
  kHeuristicsResults = 202,
  kConfigEngine = 300,
  kPlanHandle = 400,
  kPlanConfig = 401,
  kPlanWorkspace = 402,
  kValueFirst = 700,
  kInputFirst = 706,
  kWeightFirst = 712,  // six each: alpha, beta, window, filter, image, output
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorSizes = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kPackIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kEngineNotes = 1303
};
constexpr int kCrossCorrelation = 1, kHeuristicFallback = 2, kHeuristicFirst = 3, kNotSupported = 3000;
constexpr size_t kOldest = 90100;

// cuDNN ends the process where it does not find these by their names.
bool open_companions() {
  return open_library({"libnvrtc.so.13", "libnvrtc.so.12"}).handle &&
         open_library({"libcublasLt.so.13", "libcublasLt.so.12"}).handle;
}

Cudnn open() {
  Cudnn c;
  if (!open_companions()) return c;
  const Library library = open_library({"libcudnn.so.9"});
  if (!library.handle) return c;
#define CUDA_FIND(member, function, ...) \
  c.member = reinterpret_cast<Pointer<__VA_ARGS__>>(find_function(library, #function));
  CUDNN_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
  c.exists = c.version() >= kOldest;
  return c;
}

const Cudnn& cudnn() {
  library_folders();
  static const Cudnn once = open();
  return once;
}

void need(int status) {
  if (status != 0) throw CudnnRefusal{status};
}

// Of the current device, working on the current stream.
Handle handle() {
  struct Entry {
    Handle handle = nullptr;
    Stream stream = nullptr;
  };
  static std::array<Entry, 64> all{};
  Entry& e = all[static_cast<size_t>(current_device())];
  const bool is_new = !e.handle;
  if (is_new) need(cudnn().create_handle(&e.handle));
  if (const Stream stream = current_stream(); is_new || stream != e.stream) {
    need(cudnn().set_stream(e.handle, stream));
    e.stream = stream;
  }
  return e.handle;
}

int number_of(DType t) {
  switch (t) {
    case DType::Float16:
      return 2;
    case DType::BFloat16:
      return 9;
    case DType::Float64:
      return 1;
    default:
      return 0;
  }
}

template <class T>
void set(Descriptor d, int attribute, ValueType type, const T& value) {
  need(cudnn().set(d, attribute, type, 1, &value));
}
void set(Descriptor d, int attribute, const std::vector<int64_t>& values) {
  need(cudnn().set(d, attribute, kIntType, static_cast<int64_t>(values.size()), values.data()));
}

}  // namespace

int64_t cudnn_version() { return cudnn().exists ? static_cast<int64_t>(cudnn().version()) : 0; }

CudnnGraph::~CudnnGraph() {
  for (Descriptor d : made_) cudnn().destroy(d);
}

void* CudnnGraph::create(int kind) {
  Descriptor d = nullptr;
  need(cudnn().create(kind, &d));
  made_.push_back(d);
  return d;
}

void* CudnnGraph::finished(void* descriptor) {
  need(cudnn().finalize(descriptor));
  return descriptor;
}

void* CudnnGraph::tensor(DType dtype, const Sizes& sizes, bool channels_last) {
  Sizes strides(sizes.size(), 1);
  int64_t step = channels_last ? sizes[1] : 1;
  for (size_t d = sizes.size() - 1; d > 1; step *= sizes[d--]) strides[d] = step;
  if (!channels_last) strides[1] = step;
  strides[0] = channels_last ? step : step * sizes[1];
  const auto id = static_cast<int64_t>(ids_.size()) + 1;
  ids_.push_back(id);
  Descriptor t = create(kTensor);
  set(t, kTensorId, kIntType, id);
  set(t, kTensorType, kDtypeType, number_of(dtype));
  set(t, kTensorSizes, sizes);
  set(t, kTensorStrides, strides);
  set(t, kTensorAlignment, kIntType, alignment_);
  return finished(t);
}

void CudnnGraph::convolve(Product product, DType dtype, const Window& window, void* filter, void* image, void* out) {
  const bool is_double = dtype == DType::Float64;
  Descriptor d = create(kConvolution);
  set(d, kConvolutionPrecision, kDtypeType, number_of(is_double ? dtype : DType::Float32));
  set(d, kConvolutionMode, kModeType, kCrossCorrelation);
  set(d, kSpatialDimensions, kIntType, static_cast<int64_t>(window.stride.size()));
  set(d, kPadsBefore, window.before);
  set(d, kPadsAfter, window.after);
  set(d, kStrides, window.stride);
  set(d, kDilations, window.dilation);
  finished(d);
  const auto [kind, first] = product == Product::Value           ? std::pair(kConvolveValue, kValueFirst)
                             : product == Product::InputGradient ? std::pair(kConvolveInput, kInputFirst)
                                                                 : std::pair(kConvolveWeight, kWeightFirst);
  Descriptor operation = create(kind);
  // The factors of the product and of what is there. In double for floats they are taken, and the result is zero.
  if (is_double) {
    set(operation, first, kDoubleType, 1.0);
    set(operation, first + 1, kDoubleType, 0.0);
  } else {
    set(operation, first, kFloatType, 1.0f);
    set(operation, first + 1, kFloatType, 0.0f);
  }
  int attribute = first + 2;
  for (Descriptor part : {d, filter, image, out}) set(operation, attribute++, kDescriptorType, part);
  operations_.push_back(finished(operation));
}

// All of them: of the 35 for a float convolution, the first without TF32 is the 27th.
std::vector<void*> CudnnGraph::proposals(void* graph, int mode) {
  Descriptor heuristics = create(kHeuristics);
  set(heuristics, kHeuristicsGraph, kDescriptorType, graph);
  set(heuristics, kHeuristicsMode, kHeuristicType, mode);
  if (cudnn().finalize(heuristics) != 0) return {};
  int64_t count = 0;
  need(cudnn().get(heuristics, kHeuristicsResults, kDescriptorType, 0, &count, nullptr));
  std::vector<void*> all(static_cast<size_t>(count));
  for (void*& config : all) config = create(kConfig);
  if (count > 0) need(cudnn().get(heuristics, kHeuristicsResults, kDescriptorType, count, &count, all.data()));
  all.resize(static_cast<size_t>(count));  // it may give fewer than it said
  return all;
}

std::unique_ptr<CudnnPlan> CudnnGraph::plan_of(void* proposal, unsigned unwanted) {
  constexpr int64_t kLargestWorkspace = int64_t{1} << 30;
  Descriptor engine = create(kEngine);
  int64_t count = 0, workspace = 0;
  need(cudnn().get(proposal, kConfigEngine, kDescriptorType, 1, &count, &engine));
  std::array<int, 32> notes;
  need(cudnn().get(engine, kEngineNotes, kNoteType, static_cast<int64_t>(notes.size()), &count, notes.data()));
  for (int64_t i = 0; i < count; ++i) {
    if (unwanted >> notes[static_cast<size_t>(i)] & 1) return nullptr;
  }
  const Handle with = handle();
  Descriptor plan = nullptr;
  need(cudnn().create(kPlan, &plan));
  int status = cudnn().set(plan, kPlanHandle, kHandleType, 1, &with);
  if (!status) status = cudnn().set(plan, kPlanConfig, kDescriptorType, 1, &proposal);
  if (!status) status = cudnn().finalize(plan);  // compiles, where the engine compiles
  if (!status) status = cudnn().get(plan, kPlanWorkspace, kIntType, 1, &count, &workspace);
  if (status == 0 && workspace <= kLargestWorkspace)
    return std::make_unique<CudnnPlan>(plan, static_cast<size_t>(workspace), ids_);
  cudnn().destroy(plan);
  return nullptr;
}

std::unique_ptr<CudnnPlan> CudnnGraph::finish(unsigned unwanted) {
  Descriptor graph = create(kGraph);
  need(cudnn().set(graph, kGraphOperations, kDescriptorType, static_cast<int64_t>(operations_.size()),
                   operations_.data()));
  set(graph, kGraphHandle, kHandleType, handle());
  finished(graph);
  for (int mode : {kHeuristicFirst, kHeuristicFallback}) {
    for (void* proposal : proposals(graph, mode)) {
      if (auto plan = plan_of(proposal, unwanted)) return plan;
    }
  }
  throw CudnnRefusal{kNotSupported};
}

CudnnPlan::~CudnnPlan() { cudnn().destroy(descriptor_); }

// A pack of addresses cannot be changed, so each call makes one.
void CudnnPlan::run(std::span<void* const> tensors) const {
  const Handle with = handle();
  const Scratch scratch(workspace_);
  const auto count = static_cast<int64_t>(ids_.size());
  void* const room = scratch.data();
  Descriptor pack = nullptr;
  int status = cudnn().create(kPack, &pack);
  if (!status) status = cudnn().set(pack, kPackIds, kIntType, count, ids_.data());
  if (!status) status = cudnn().set(pack, kPackPointers, kPointerType, count, tensors.data());
  if (!status) status = cudnn().set(pack, kPackWorkspace, kPointerType, 1, &room);
  if (!status) status = cudnn().finalize(pack);
  if (!status) status = cudnn().execute(with, descriptor_, pack);
  if (pack) cudnn().destroy(pack);
  if (status) raise(PyExc_RuntimeError, "CUDA error: cuDNN gave status ", status);
}

}  // namespace chainrule::cuda
