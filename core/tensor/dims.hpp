// A short list of integers (a shape, strides, a set of dimensions) that lives on the stack up to six entries.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

namespace chainrule {

class Dims {
 public:
  Dims() = default;
  explicit Dims(int n, int64_t value = 0) { resize(n, value); }
  Dims(std::initializer_list<int64_t> values) : Dims(std::span<const int64_t>(values.begin(), values.size())) {}
  Dims(std::span<const int64_t> values) {  // NOLINT: a shape is a list of dimensions
    resize(static_cast<int>(values.size()));
    std::copy(values.begin(), values.end(), data_);
  }
  Dims(const Dims& other) {
    if (other.data_ == other.inline_) {  // all of it: a copy whose length is known needs no call
      std::memcpy(inline_, other.inline_, sizeof inline_);
      size_ = other.size_;
    } else {
      *this = Dims(std::span<const int64_t>(other.data_, static_cast<size_t>(other.size_)));
    }
  }
  Dims(Dims&& other) noexcept { take(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) *this = Dims(other);
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~Dims() { release(); }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return data_; }
  const int64_t* data() const { return data_; }
  int64_t* begin() { return data_; }
  int64_t* end() { return data_ + size_; }
  const int64_t* begin() const { return data_; }
  const int64_t* end() const { return data_ + size_; }
  int64_t& operator[](int i) { return data_[i]; }
  int64_t operator[](int i) const { return data_[i]; }
  int64_t& back() { return data_[size_ - 1]; }
  operator std::span<const int64_t>() const { return {data_, static_cast<size_t>(size_)}; }  // NOLINT

  void resize(int n, int64_t value = 0) {
    reserve(n);
    for (int i = size_; i < n; ++i) data_[i] = value;
    size_ = n;
  }
  void push_back(int64_t value) {
    reserve(size_ + 1);
    data_[size_++] = value;
  }
  void insert(int at, int64_t value) {
    push_back(value);
    std::rotate(data_ + at, data_ + size_ - 1, data_ + size_);
  }
  void erase(int at) {
    std::copy(data_ + at + 1, data_ + size_, data_ + at);
    --size_;
  }
  bool contains(int64_t value) const { return std::find(begin(), end(), value) != end(); }

 private:
  static constexpr int kInline = 6;
  void reserve(int n) {
    if (n <= capacity_) return;
    int grown = std::max(n, 2 * capacity_);
    auto* fresh = new int64_t[grown];
    std::copy(data_, data_ + size_, fresh);
    release();
    data_ = fresh;
    capacity_ = grown;
  }
  void release() {
    if (data_ != inline_) delete[] data_;
  }
  void take(Dims& other) {
    size_ = other.size_;
    if (other.data_ == other.inline_) {
      std::memcpy(inline_, other.inline_, sizeof inline_);
      data_ = inline_;
      capacity_ = kInline;
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_;
      other.capacity_ = kInline;
    }
    other.size_ = 0;
  }

  int size_ = 0, capacity_ = kInline;
  int64_t inline_[kInline];
  int64_t* data_ = inline_;
};

using Span = std::span<const int64_t>;
// A loop, since a call to compare a few numbers takes longer than to compare them.
inline bool equal(Span a, Span b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace chainrule
