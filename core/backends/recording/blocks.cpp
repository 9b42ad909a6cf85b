#include "backends/recording/blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "backends/recording/recording.hpp"
#include "tensor/error.hpp"
#include "tensor/storage.hpp"

namespace chainrule {
namespace {

PyTypeObject BlockType = {PyVarObject_HEAD_INIT(nullptr, 0)};
constexpr size_t kAlignment = 64;

}  // namespace

void RecordedMemory::add_type() {
  BlockType.tp_name = "chainrule._core.RecordedBlock";
  BlockType.tp_basicsize = sizeof(RecordedBlock);
  BlockType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  BlockType.tp_doc = "A piece of a recorded step's memory.";
  BlockType.tp_dealloc = dealloc;
  if (PyType_Ready(&BlockType) < 0) throw PythonError();
}

// The smallest free piece that is not much too large, or a new one.
char* RecordedMemory::find(size_t bytes) {
  if (auto found = free_.lower_bound(bytes); found != free_.end() && found->first <= bytes + bytes / 4) {
    char* data = found->second;
    free_.erase(found);
    return data;
  }
  auto* data = static_cast<char*>(std::aligned_alloc(kAlignment, bytes));
  if (!data) throw std::bad_alloc();
  pieces_.emplace(data, bytes);
  bytes_ += bytes;
  return data;
}

PyObject* RecordedMemory::take(size_t bytes, SourceLine line) {
  bytes = std::max<size_t>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  char* data = find(bytes);
  auto* block = PyObject_New(RecordedBlock, &BlockType);
  if (!block) throw PythonError();
  block->blocks = this;
  block->data = data;
  block->bytes = pieces_[data];
  new (&block->line) SourceLine(std::move(line));
  in_use_.push_back(block);
  return reinterpret_cast<PyObject*>(block);
}

bool RecordedMemory::contains(const void* address) const {
  const auto* at = static_cast<const char*>(address);
  auto next = pieces_.upper_bound(at);
  if (next == pieces_.begin()) return false;
  --next;
  return at < next->first + next->second;
}

void RecordedMemory::give_back(RecordedBlock* block) {
  std::erase(in_use_, block);
  if (open_) free_.emplace(block->bytes, block->data);
  if (released_ && in_use_.empty()) delete this;
}

void RecordedMemory::dealloc(PyObject* self) {
  auto* block = reinterpret_cast<RecordedBlock*>(self);
  block->blocks->give_back(block);
  block->line.~SourceLine();
  PyObject_Free(self);
}

void RecordedMemory::release() {
  released_ = true;
  open_ = false;
  if (in_use_.empty()) delete this;
}

RecordedMemory::~RecordedMemory() {
  for (auto& [data, bytes] : pieces_) std::free(const_cast<char*>(data));
}

void take_recorded(Storage* storage) {
  PyObject* block = recorder->blocks().take(static_cast<size_t>(storage->bytes), Recording::line_now());
  storage->owner = block;
  storage->data = reinterpret_cast<RecordedBlock*>(block)->data;
  storage->resizable = false;
}

}  // namespace chainrule
