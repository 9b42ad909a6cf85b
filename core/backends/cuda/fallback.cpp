#include "backends/cuda/fallback.hpp"

#include <algorithm>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

std::map<std::string, int64_t>& counts() {
  static std::map<std::string, int64_t> all;
  return all;
}

}  // namespace

std::map<std::string, int64_t> fallback_counts() { return counts(); }

std::string name_of_kernel(const char* pretty) {
  std::string_view text(pretty);
  const size_t begin = text.rfind("::", text.find("Kernels::", text.find("member = "))) + 2;
  return std::string(text.substr(begin, text.find_first_of("];,", begin) - begin));
}

HostCopies::HostCopies(const char* kernel) {
  ++counts()[name_of_kernel(kernel)];
  synchronize_stream();
}

HostCopies::~HostCopies() {
  for (const Changed& c : changed_) *c.word = c.address;
}

char* HostCopies::copy_of(char* address) {
  const std::optional<LiveBlock> block = block_around(address);
  if (!block) return nullptr;
  auto [found, is_new] = copies_.try_emplace(block->begin);
  Copy& copy = found->second;
  if (is_new) {
    constexpr size_t kInCommon = 1 << 16;
    copy.bytes = block->bytes;
    copy.memory = std::make_unique_for_overwrite<char[]>(copy.bytes + kInCommon);
    const uintptr_t any = cuda::address(copy.memory.get()), wanted = cuda::address(block->begin);
    copy.data = copy.memory.get() + (wanted - any) % kInCommon;
    CUDA_CALL(copy_to_host, copy.data, wanted, copy.bytes, current_stream());
    CUDA_CALL(synchronize_stream, current_stream());
    copy.before.assign(copy.data, copy.data + copy.bytes);
  }
  return copy.data + (address - block->begin);
}

void HostCopies::redirect(void* object, size_t bytes) {
  for (char **word = static_cast<char**>(object), **end = word + bytes / sizeof(char*); word < end; ++word) {
    char* const on_host = copy_of(*word);
    if (!on_host) continue;
    changed_.push_back({word, *word});
    *word = on_host;
  }
}

void HostCopies::write_back() {
  for (auto& [begin, copy] : copies_) {
    if (std::memcmp(copy.data, copy.before.data(), copy.bytes) == 0) continue;
    CUDA_CALL(copy_to_device, address(begin), copy.data, copy.bytes, current_stream());
  }
  CUDA_CALL(synchronize_stream, current_stream());
}

}  // namespace chainrule::cuda
