#include "backends/cuda/compiler.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "backends/cuda/errors.hpp"
#include "backends/cuda/kernel_cache.hpp"
#include "backends/cuda/libraries.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/texts.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

using Program = void*;

#define CUDA_COMPILER_FUNCTIONS(FUNCTION)                                                        \
  FUNCTION(version, nvrtcVersion, int(int*, int*))                                               \
  FUNCTION(create, nvrtcCreateProgram,                                                           \
           int(Program*, const char*, const char*, int, const char* const*, const char* const*)) \
  FUNCTION(compile, nvrtcCompileProgram, int(Program, int, const char* const*))                  \
  FUNCTION(log_size, nvrtcGetProgramLogSize, int(Program, size_t*))                              \
  FUNCTION(log, nvrtcGetProgramLog, int(Program, char*))                                         \
  FUNCTION(size, nvrtcGetCUBINSize, int(Program, size_t*))                                       \
  FUNCTION(code, nvrtcGetCUBIN, int(Program, char*))                                             \
  FUNCTION(destroy, nvrtcDestroyProgram, int(Program*))

struct Compiler {
#define CUDA_MEMBER(member, function, ...) Pointer<__VA_ARGS__> member;
  CUDA_COMPILER_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
  int major = 0, minor = 0;
};

// The compiler looks for its other half by its bare name, as if it lay where the system's libraries do.
void open_builtins(const std::string& compiler) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(compiler).parent_path(), failed)) {
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so"))
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
}

Compiler open() {
  const Library library = open_library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  if (!library.handle) {
    raise(PyExc_RuntimeError, "CUDA's run-time compiler, NVRTC, is missing: ", library.error,
          ". `pip install chainrule[cuda]` brings it.");
  }
  open_builtins(library.path);
  Compiler c;
#define CUDA_FIND(member, function, ...) \
  c.member = reinterpret_cast<Pointer<__VA_ARGS__>>(find_function(library, #function));
  CUDA_COMPILER_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
  c.version(&c.major, &c.minor);
  return c;
}

const Compiler& compiler() {
  static const Compiler once = open();
  return once;
}

CompilerCounts counts;

std::string log_of(const Compiler& c, Program program) {
  size_t size = 0;
  c.log_size(program, &size);
  std::string log(size, '\0');
  c.log(program, log.data());
  return log;
}

int architecture_of(int device) {
  const DeviceFacts& facts = facts_of(device);
  return facts.major * 10 + facts.minor;
}

// Machine code from disk, or from the compiler.
std::string code_of(const std::string& text, int architecture) {
  const CacheEntry entry(text, architecture, compiler_version());
  if (std::string code = entry.read(); !code.empty()) {
    ++counts.loaded;
    return code;
  }
  std::string code = compile(text, architecture);
  entry.write(code);
  return code;
}

// The flag of Note [Errors of kernels], where the program has one.
void connect_flag(Module module) {
  Address flag = 0;
  size_t bytes = 0;
  if (driver().find_variable(&flag, &bytes, module, "met_error") != 0) return;
  MetError* const at = met_error();
  CUDA_CALL(copy_to_device, flag, &at, sizeof at, nullptr);
  CUDA_CALL(synchronize_stream, nullptr);
}

}  // namespace

std::string compiler_version() { return std::to_string(compiler().major) + "." + std::to_string(compiler().minor); }
CompilerCounts compiler_counts() { return counts; }

std::string compile(const std::string& text, int architecture) {
  const Compiler& c = compiler();
  const auto began = std::chrono::steady_clock::now();
  Program program = nullptr;
  check(c.create(&program, text.c_str(), "chainrule.cu", 0, nullptr, nullptr) == 0, "NVRTC could not begin a program");
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  const char* options[] = {"--std=c++20", "-default-device", "--minimal", target.c_str()};
  if (c.compile(program, static_cast<int>(std::size(options)), options) != 0) {
    const std::string log = log_of(c, program);
    c.destroy(&program);
    raise(PyExc_RuntimeError, "a kernel of chainrule's does not compile for sm_", architecture, " with NVRTC ",
          compiler_version(), ":\n", log);
  }
  size_t size = 0;
  c.size(program, &size);
  std::string code(size, '\0');
  c.code(program, code.data());
  c.destroy(&program);
  ++counts.compiled;
  counts.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return code;
}

Function kernel(std::string_view key, const char* entry, const std::function<std::string()>& text) {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Known = std::unordered_map<std::string, Function, Hash, std::equal_to<>>;
  static std::vector<Known>& by_device = *new std::vector<Known>(64);
  Known& known = by_device[static_cast<size_t>(current_device())];
  if (auto found = known.find(key); found != known.end()) return found->second;
  const std::string code = code_of(program_around(text()), architecture_of(current_device()));
  Module module = nullptr;
  CUDA_CALL(load_module, &module, code.data());
  connect_flag(module);
  Function function = nullptr;
  CUDA_CALL(find_function, &function, module, entry);
  known.emplace(std::string(key), function);
  return function;
}

}  // namespace chainrule::cuda
