// The memory of a recorded step.
#pragma once
#include <Python.h>

#include <cstddef>
#include <map>
#include <vector>

#include "tensor/source_line.hpp"

namespace chainrule {

class RecordedMemory;

// What a storage of the step owns: a piece of the step's memory, which is free again when the storage dies.
struct RecordedBlock {
  PyObject_HEAD
  RecordedMemory* blocks;
  char* data;
  size_t bytes;
  SourceLine line;  // where it was made
};

// Lives as long as the recording, and as long as one of its pieces is in use.
class RecordedMemory {
 public:
  // A new reference.
  PyObject* take(size_t bytes, SourceLine line);
  bool contains(const void* address) const;
  // From now on what is free stays so: its addresses belong to the calls of the recording.
  void close() { open_ = false; }
  const std::vector<RecordedBlock*>& in_use() const { return in_use_; }
  size_t bytes() const { return bytes_; }
  void release();  // the recording's own hold on it

  static void add_type();

 private:
  ~RecordedMemory();
  static void dealloc(PyObject* self);
  void give_back(RecordedBlock* block);
  char* find(size_t bytes);

  std::map<const char*, size_t> pieces_;  // all, by their addresses
  std::multimap<size_t, char*> free_;     // by their sizes
  std::vector<RecordedBlock*> in_use_;
  size_t bytes_ = 0;
  bool open_ = true, released_ = false;
};

}  // namespace chainrule
