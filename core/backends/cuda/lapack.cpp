// LAPACK's routines by cuSOLVER and cuBLAS, which have most of them under their names and take their arguments in
// LAPACK's order. What they have not, and small matrices, are the host's.
#include "backends/lapack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/libraries.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

// A waiting host and a launch for each matrix are dearer than matrices below this.
constexpr int64_t kFewElements = 128 * 128;

// What the GPU's routine takes after its handle: LAPACK's arguments by number; w room to work in, l its length, i
// LAPACK's last argument, j a letter as it is, - nothing. Then what the function that tells the length takes before the
// address of the answer.
struct Routine {
  const char *name, *arguments, *length_arguments;
};
constexpr Routine kRoutines[] = {
    {"potrf", "0123wli", "0123"},
    {"potri", "0123wli", "0123"},
    {"getrf", "0123w4i", "0123"},
    {"getrs", "01234567i", nullptr},
    {"laswp", "0123456", nullptr},
    {"geqrf", "01234wli", "0123"},
    {"orgqr", "012345wli", "012345"},
    {"ungqr", "012345wli", "012345"},
    {"ormqr", "0123456789wli", "0123456789"},
    {"unmqr", "0123456789wli", "0123456789"},
    {"syevd", "012345wli", "012345"},
    {"heevd", "012345wli", "012345"},
    {"gesdd", "jj123456789wl-i", "12"},  // by gesvd, which has two letters and room that may be missing
    {"trsm", "0123456789i", nullptr},    // of cuBLAS
};

const Routine* routine_of(std::string_view name) {
  const auto* found = std::ranges::find_if(kRoutines, [&](const Routine& r) { return name == r.name; });
  return found == std::end(kRoutines) ? nullptr : found;
}

// ---- functions that are called by their names

using Word = uintptr_t;  // integers and addresses are passed alike
using Words = std::vector<Word>;

template <size_t... I>
int call_with(void* function, const Words& w, std::index_sequence<I...>) {
  return reinterpret_cast<int (*)(decltype(static_cast<Word>(w[I]))...)>(function)(w[I]...);
}
template <size_t N>
int call_with_count(void* function, const Words& words) {
  return call_with(function, words, std::make_index_sequence<N>());
}
constexpr size_t kMostWords = 17;
template <size_t... N>
constexpr std::array<int (*)(void*, const Words&), sizeof...(N)> callers(std::index_sequence<N...>) {
  return {call_with_count<N>...};
}
constexpr auto kCallers = callers(std::make_index_sequence<kMostWords>());

// cuSOLVER or cuBLAS, with a handle for each device.
class Solvers {
 public:
  Solvers(std::vector<std::string> files, const char* prefix) : library_(open_library(files)), prefix_(prefix) {}
  bool is_there() const { return library_.handle; }
  void call(const std::string& name, const Words& words) {
    void*& function = functions_[name];
    if (!function) function = find_function(library_, (prefix_ + name).c_str());
    if (const int status = kCallers[words.size()](function, words))
      raise(PyExc_RuntimeError, "CUDA error: ", prefix_, name, " gave status ", status);
  }
  // That works on the current stream.
  Word handle(const char* create, const char* set_stream) {
    Word& handle = handles_[static_cast<size_t>(current_device())];
    if (!handle) call(create, {reinterpret_cast<Word>(&handle)});
    call(set_stream, {handle, reinterpret_cast<Word>(current_stream())});
    return handle;
  }

 private:
  const Library library_;
  const std::string prefix_;
  std::unordered_map<std::string, void*> functions_;
  std::array<Word, 64> handles_{};
};

Solvers& solver() {
  static Solvers once({"libcusolver.so.12", "libcusolver.so.11"}, "cusolverDn");
  return once;
}
Solvers& blas() {
  static Solvers once({"libcublas.so.13", "libcublas.so.12"}, "cublas");
  return once;
}

// ---- one call

// LAPACK's letters as the libraries' numbers: sides, halves, transpositions, diagonals, jobs.
Word number_of(char letter) {
  if (letter == 'C') return 2;
  return std::string_view("TURV").find(letter) == std::string_view::npos ? 0 : 1;
}

class SolverCall {
 public:
  SolverCall(const lapack::Call& call, const Routine& routine) : call_(call), routine_(routine) {}

  void run() {
    const std::string_view name = routine_.name;
    const bool of_blas = name == "trsm";
    std::string function(1, static_cast<char>(std::toupper(call_.routine[0])));
    function += name == "gesdd" ? "gesvd" : name;
    Solvers& library = of_blas ? blas() : solver();
    handle_ = of_blas ? library.handle("Create_v2", "SetStream_v2") : library.handle("Create", "SetStream");
    if (of_blas) {
      constexpr Word kOnDevice = 1;  // where the factor of the right side is
      library.call("SetPointerMode_v2", {handle_, kOnDevice});
      function += "_v2";
    }
    if (routine_.length_arguments) {
      Words words = words_of(routine_.length_arguments, 0);
      words.push_back(reinterpret_cast<Word>(&length_));
      library.call(function + "_bufferSize", words);
      room_.emplace(static_cast<size_t>(std::max(length_, 1)) * element_bytes());
    }
    for (int64_t b = 0; b < call_.batch; ++b) library.call(function, words_of(routine_.arguments, b));
  }

 private:
  size_t element_bytes() const {
    const char letter = call_.routine[0];
    return letter == 's' ? 4 : letter == 'z' ? 16 : 8;
  }
  Words words_of(const char* arguments, int64_t matrix) const {
    Words words{handle_};
    for (const char* a = arguments; *a; ++a) words.push_back(word_of(*a, matrix));
    return words;
  }
  Word word_of(char which, int64_t matrix) const {
    if (which == 'w') return reinterpret_cast<Word>(room_->data());
    if (which == 'l') return static_cast<Word>(length_);
    if (which == '-') return 0;
    if (which == 'j') return static_cast<Word>(*call_.arguments[0].at);
    const size_t place = which == 'i' ? call_.arguments.size() - 1 : static_cast<size_t>(which - '0');
    const lapack::Argument& a = call_.arguments[place];
    if (place < static_cast<size_t>(call_.strings)) return number_of(*a.at);
    if (!a.at || block_around(a.at)) return a.at ? reinterpret_cast<Word>(a.at + matrix * a.step) : 0;
    return static_cast<Word>(*reinterpret_cast<const int*>(a.at));
  }

  const lapack::Call& call_;
  const Routine& routine_;
  Word handle_ = 0;
  int length_ = 0;
  std::optional<Scratch> room_;
};

int integer_at(const lapack::Call& call, size_t place) {
  return *reinterpret_cast<const int*>(call.arguments[place].at);
}

// The GPU's routine for that call, if there is one.
const Routine* routine_for(const lapack::Call& call) {
  const Routine* found = routine_of(std::string_view(call.routine).substr(1));
  if (!found || call.elements < kFewElements) return nullptr;
  const bool is_wide = std::string_view(found->name) == "gesdd" && integer_at(call, 1) < integer_at(call, 2);
  if (is_wide) return nullptr;
  return (std::string_view(found->name) == "trsm" ? blas() : solver()).is_there() ? found : nullptr;
}

void run(lapack::Call& call) {
  if (const Routine* routine = routine_for(call)) return SolverCall(call, *routine).run();
  fallback<&LapackKernels::run>(call);
}

// Of the host's LAPACK, which all else is for.
void is_open(bool* result) { cpu::lapack_kernels.is_open.run(result); }
void open(const std::string& path, const std::string& prefix) { cpu::lapack_kernels.open.run(path, prefix); }

}  // namespace

const LapackKernels lapack_kernels{.is_open = {is_open}, .open = {open}, .run = {run}};

}  // namespace chainrule::cuda
