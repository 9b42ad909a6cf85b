// Files that are part of the library as text. CMake writes their contents.
#pragma once
#include <span>
#include <string_view>

namespace chainrule::cuda {

struct EmbeddedFile {
  std::string_view name, text;
};
extern const std::span<const EmbeddedFile> embedded_files;

}  // namespace chainrule::cuda
