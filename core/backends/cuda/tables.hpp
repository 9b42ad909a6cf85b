// Tables of numbers that the host works out and kernels read, such as the windows of a pooling.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {

// What a description needs is worked out and brought to the GPU once; the same key finds it there again. Large tables
// are not kept.
class Table {
 public:
  Table(std::string key, const std::function<std::vector<char>()>& make);
  template <class T>
  const T* at(size_t byte) const {
    return reinterpret_cast<const T*>(data_ + byte);
  }

 private:
  const char* data_;
  std::optional<Scratch> own_;  // of a large one
};

// A table as bytes, array after array.
class TableBytes {
 public:
  template <class T>
  void add(const T* values, size_t count) {
    const char* from = reinterpret_cast<const char*>(values);
    bytes_.insert(bytes_.end(), from, from + count * sizeof(T));
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.data(), values.size());
  }
  std::vector<char> take() { return std::move(bytes_); }

 private:
  std::vector<char> bytes_;
};

// The bytes of a plain value, for keys.
template <class T>
std::string key_of(const T& value) {
  static_assert(std::has_unique_object_representations_v<T>, "bytes between the fields would differ");
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace chainrule::cuda
