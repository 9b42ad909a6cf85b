// The memory of a recorded step.
#pragma once
#include <Python.h>

#include <cstddef>
#include <map>
#include <vector>

#include "tensor/source_line.hpp"

namespace chainrule {

class Blocks;

// What a storage of the step owns: a piece of the step's memory, which is free again when the storage dies.
struct Block {
  PyObject_HEAD
  Blocks* blocks;
  char* data;
  size_t bytes;
  SourceLine line;  // where it was made
};

// Lives as long as the recording, and as long as one of its pieces is in use.
class Blocks {
 public:
  // A new reference.
  PyObject* take(size_t bytes, SourceLine line);
  bool contains(const void* address) const;
  // From now on what is free stays so: its addresses belong to the calls of the recording.
  void close() { open_ = false; }
  const std::vector<Block*>& in_use() const { return in_use_; }
  size_t bytes() const { return bytes_; }
  void release();  // the recording's own hold on it

  static void add_type();

 private:
  ~Blocks();
  static void dealloc(PyObject* self);
  void give_back(Block* block);
  char* find(size_t bytes);

  std::map<const char*, size_t> pieces_;  // all, by their addresses
  std::multimap<size_t, char*> free_;     // by their sizes
  std::vector<Block*> in_use_;
  size_t bytes_ = 0;
  bool open_ = true, released_ = false;
};

}  // namespace chainrule
