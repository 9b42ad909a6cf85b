// Work that has no kernel on the GPU yet: copied to the host, done there, and copied back.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/chain.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/lapack.hpp"
#include "backends/positions.hpp"

namespace chainrule::cuda {

// A description is a plain struct of sizes, strides, numbers and addresses, so its addresses on the GPU can be found
// without knowing what they mean: each word of it that lies in a live block of the allocator is one. All such blocks
// are copied to the host, the words are changed to their copies, the CPU's kernel runs, and what it changed is copied
// back. A word that holds something short, a dtype say, may look like an address for what somebody left in the rest of
// it: copies have the last two bytes of their addresses in common with the original, so the short thing stays what it
// is. That is slow and always right, so everything works before it is fast. cuda.fallbacks() lists what came this
// way.
class HostCopies {
 public:
  explicit HostCopies(const char* kernel);
  ~HostCopies();  // words get their addresses back
  HostCopies(const HostCopies&) = delete;

  // Changes the addresses among the words of an object.
  void redirect(void* object, size_t bytes);
  void write_back();

 private:
  struct Copy {
    std::unique_ptr<char[]> memory;
    char* data;
    size_t bytes;
    std::vector<char> before;
  };
  struct Changed {
    char** word;
    char* address;
  };
  char* copy_of(char* address);

  std::map<char*, Copy> copies_;
  std::vector<Changed> changed_;
};

// Which kernels came this way, and how often.
std::map<std::string, int64_t> fallback_counts();

// What else of an object has addresses; most descriptions are all in one piece.
template <class T>
void redirect_parts(HostCopies&, T&) {}
inline void redirect_parts(HostCopies& copies, const MovedSlices& m) {
  copies.redirect(const_cast<Slices*>(&m.at), sizeof m.at);
}
inline void redirect_parts(HostCopies& copies, const Chain& chain) {
  for (const ChainInput& in : chain.inputs)
    copies.redirect(const_cast<char**>(const_cast<char* const*>(&in.data)), sizeof in.data);
  for (const ChainOutput& o : chain.outputs) copies.redirect(const_cast<char**>(&o.data), sizeof o.data);
}
inline void redirect_parts(HostCopies& copies, lapack::Call& call) {
  for (lapack::Argument& a : call.arguments) copies.redirect(&a.at, sizeof a.at);
}

template <class Kernels>
const Kernels& cpu_kernels();
#define SUBJECT(name, Kernels)                   \
  template <>                                    \
  inline const Kernels& cpu_kernels<Kernels>() { \
    return cpu::name##_kernels;                  \
  }
#include "backends/subjects.def"
#undef SUBJECT

// "AttentionKernels::value" out of what the compiler says of a function.
std::string name_of_kernel(const char* pretty);

template <auto member>
struct Fallback;
template <class Kernels, class... Arguments, Kernel<void(Arguments...)> Kernels::* member>
struct Fallback<member> {
  static void run(Arguments... arguments) {
    HostCopies copies(__PRETTY_FUNCTION__);
    (redirect(copies, arguments), ...);
    (cpu_kernels<Kernels>().*member).run(arguments...);
    copies.write_back();
  }

 private:
  template <class T>
  static void redirect(HostCopies& copies, T& argument) {
    using Plain = std::remove_const_t<T>;
    if constexpr (!std::is_polymorphic_v<Plain> && !std::is_same_v<Plain, std::string> &&
                  sizeof(Plain) >= sizeof(char*)) {
      copies.redirect(const_cast<Plain*>(&argument), sizeof(Plain));
      redirect_parts(copies, argument);
    }
  }
};
template <auto member>
inline constexpr auto fallback = &Fallback<member>::run;

}  // namespace chainrule::cuda
