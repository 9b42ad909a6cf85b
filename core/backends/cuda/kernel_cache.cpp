#include "backends/cuda/kernel_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backends/cuda/libraries.hpp"

namespace chainrule::cuda {
namespace {

constexpr uint64_t kPrime = 0x100000001b3ull;
uint64_t hash(const std::string& bytes, uint64_t h) {
  for (unsigned char c : bytes) h = (h ^ c) * kPrime;
  return h ^ h >> 31;
}

const std::string& folder() {
  static const std::string* known = nullptr;
  if (!known) known = new std::string(cache_folder());
  return *known;
}

// What a file begins with.
struct Head {
  char magic[8] = {'c', 'h', 'a', 'i', 'n', 'r', '0', '1'};
  uint64_t bytes = 0, sum = 0;
};

}  // namespace

CacheEntry::CacheEntry(const std::string& text, int architecture, const std::string& compiler) : folder_(folder()) {
  if (folder_.empty()) return;
  const std::string all = text + "\n" + std::to_string(architecture) + " " + compiler;
  char name[64];
  std::snprintf(name, sizeof name, "%016lx%016lx.cubin", static_cast<unsigned long>(hash(all, 0xcbf29ce484222325ull)),
                static_cast<unsigned long>(hash(all, 0x9e3779b97f4a7c15ull)));
  path_ = folder_ + "/" + name;
}

std::string CacheEntry::read() const {
  if (path_.empty()) return {};
  std::ifstream file(path_, std::ios::binary);
  Head head, expected;
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head) ||
      std::memcmp(head.magic, expected.magic, sizeof head.magic) != 0)
    return {};
  std::error_code ignored;
  if (std::filesystem::file_size(path_, ignored) != sizeof head + head.bytes) return {};
  std::string code(head.bytes, '\0');
  if (!file.read(code.data(), static_cast<std::streamsize>(code.size())) || hash(code, 0) != head.sum) return {};
  return code;
}

void CacheEntry::write(const std::string& code) const {
  if (path_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  const std::string begun = path_ + "." + std::to_string(getpid());
  std::ofstream file(begun, std::ios::binary);
  Head head;
  head.bytes = code.size();
  head.sum = hash(code, 0);
  file.write(reinterpret_cast<const char*>(&head), sizeof head)
      .write(code.data(), static_cast<std::streamsize>(code.size()));
  file.close();
  if (file) std::filesystem::rename(begun, path_, failed);
  if (!file || failed) std::filesystem::remove(begun, failed);
}

}  // namespace chainrule::cuda
