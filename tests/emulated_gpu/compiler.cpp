// NVRTC, as far as chainrule uses it: the text of a kernel becomes a shared library, by g++.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "image.hpp"

namespace {

struct Program {
  std::string text, log, code;
};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

bool names(const std::string& text, const char* word) { return text.find(word) != text.npos; }

// For the real compiler, which other tests give them to.
void keep(const std::string& text) {
  if (const char* folder = std::getenv("EMULATED_TEXTS"))
    std::ofstream(std::string(folder) + "/" + std::to_string(std::hash<std::string>()(text)) + ".cu") << text;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { return *major = 0, *minor = 1, 0; }
int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
  *program = new Program{text, {}, {}};
  return 0;
}

int nvrtcCompileProgram(Program* p, int, const char* const*) {
  keep(p->text);
  std::string at = std::filesystem::temp_directory_path() / "emulated-compiler-XXXXXX";
  if (!mkdtemp(at.data())) return 1;
  const std::string source = at + "/kernel.cpp", library = at + "/kernel.so";
  std::ofstream(source) << "#include \"kernel_prelude.hpp\"\nEmulatedState emulated;\n" << p->text;
  // As on the host: no contraction, so that most results are equal to the bit.
  const std::string command =
      std::string(EMULATED_COMPILER) +
      " -std=c++20 -O1 -w -fPIC -shared -fsigned-char -fwrapv -ffp-contract=off -fno-math-errno -fno-strict-aliasing "
      "-fsanitize=bounds -fsanitize-undefined-trap-on-error"
      " -mfma -mf16c -nostdinc++ -fno-exceptions -I " EMULATED_SOURCES " -o " +
      library + " " + source + " 2> " + at + "/log";
  const int status = std::system(command.c_str());
  p->log = contents(at + "/log");
  if (status == 0) {
    const std::string code = contents(library);
    EmulatedImage head{{}, code.size(), names(p->text, "__sync") || names(p->text, "_sync(")};
    std::memcpy(head.magic, kImageMagic, sizeof head.magic);
    p->code.assign(reinterpret_cast<char*>(&head), sizeof head);
    p->code += code;
  }
  std::filesystem::remove_all(at);
  return status != 0;
}
int nvrtcGetProgramLogSize(Program* p, size_t* size) { return *size = p->log.size() + 1, 0; }
int nvrtcGetProgramLog(Program* p, char* to) { return std::memcpy(to, p->log.c_str(), p->log.size() + 1), 0; }
int nvrtcGetCUBINSize(Program* p, size_t* size) { return *size = p->code.size(), 0; }
int nvrtcGetCUBIN(Program* p, char* to) { return std::memcpy(to, p->code.data(), p->code.size()), 0; }
int nvrtcDestroyProgram(Program** p) { return delete *p, *p = nullptr, 0; }
}
