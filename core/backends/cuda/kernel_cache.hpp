// Compiled programs on disk, shared by processes.
#pragma once
#include <cstdint>
#include <string>

namespace chainrule::cuda {

// One program's file. It is named by the text, the architecture and the compiler, and written under another name first,
// so that no process reads half a file; a damaged one counts as absent. Where the folder cannot be written or the disk
// is full, the program is compiled by the next process again.
class CacheEntry {
 public:
  CacheEntry(const std::string& text, int architecture, const std::string& compiler);
  std::string read() const;  // empty if there is none
  void write(const std::string& code) const;

 private:
  std::string folder_, path_;  // empty: nothing is kept
};

}  // namespace chainrule::cuda
