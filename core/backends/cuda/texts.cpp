#include "backends/cuda/texts.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "backends/cuda/embedded.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {
namespace {

// A definition at the outermost level of a header.
struct Definition {
  std::string text, name;
  std::vector<std::string> words;
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<std::string> words_of(std::string_view text) {
  std::set<std::string> found;
  for (size_t i = 0; i < text.size();) {
    if (!in_word(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && in_word(text[end])) ++end;
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) found.emplace(text.substr(i, end - i));
    i = end;
  }
  return {found.begin(), found.end()};
}

std::string_view word_before(std::string_view text, size_t end) {
  while (end > 0 && !in_word(text[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}
std::string_view word_after(std::string_view text, size_t begin) {
  while (begin < text.size() && !in_word(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && in_word(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// `template <...>` is passed over: what it introduces has the name.
std::string_view without_template(std::string_view text) {
  if (!text.starts_with("template")) return text;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return text.substr(i + 1);
  }
  return text;
}

// The macros that begin a function; others define one for the name in their parentheses.
bool is_defining_macro(std::string_view text) {
  const std::string_view word = word_after(text, 0);
  return text.starts_with("CR_") && word != "CR_SCALAR" && word != "CR_FORMULA";
}

std::string_view name_of(std::string_view text) {
  if (text.starts_with("#define")) return word_after(text, 7);
  if (is_defining_macro(text)) return word_after(text, text.find('('));
  text = without_template(text);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  for (std::string_view kind : {"struct ", "enum class ", "using "}) {
    if (text.starts_with(kind)) return word_after(text, kind.size());
  }
  return word_before(text, text.find_first_of("(={;["));
}

std::string_view trimmed(std::string_view line) {
  if (const size_t comment = line.find("//"); comment != line.npos) line = line.substr(0, comment);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  return line;
}

// What attributes and directives say, the compiler at run time does not know or need not.
bool is_passed_over(std::string_view line) {
  return line.starts_with("#undef") || line.starts_with("#if") || line.starts_with("#endif");
}

std::vector<Definition> definitions_in(std::string_view header) {
  std::vector<Definition> all;
  std::string text;
  int depth = 0;
  while (!header.empty()) {
    const size_t end = std::min(header.find('\n'), header.size() - 1);
    const std::string_view line = trimmed(header.substr(0, end));
    header.remove_prefix(end + 1);
    if (text.empty() && (line.empty() || is_passed_over(line))) continue;
    text.append(line).push_back('\n');
    for (char c : line) depth += (c == '{' || c == '(') - (c == '}' || c == ')');
    const bool continues = line.ends_with('\\') || depth > 0 || line.empty();
    const bool is_whole =
        text.starts_with("#define") || line.ends_with(';') || line.ends_with('}') || is_defining_macro(text);
    if (continues || !is_whole) continue;
    all.push_back({text, std::string(name_of(text)), words_of(text)});
    text.clear();
    depth = 0;
  }
  return all;
}

// In an order in which each stands on those before it.
constexpr std::string_view kReal[] = {"cuda_math.cuh",  "rounding.hpp",   "gamma.hpp",   "bessel.hpp",
                                      "airy.hpp",       "polynomial.hpp", "integer.hpp", "arithmetic.hpp",
                                      "activation.hpp", "formulas.hpp"};
constexpr std::string_view kComplex[] = {"cuda_math.cuh",  "rounding.hpp",   "cuda_complex.cuh", "integer.hpp",
                                         "arithmetic.hpp", "activation.hpp", "formulas.hpp"};

std::vector<Definition> read_all(std::span<const std::string_view> files) {
  std::vector<Definition> all;
  for (std::string_view file : files) std::ranges::move(definitions_in(kernel_file(file)), std::back_inserter(all));
  return all;
}

const std::vector<Definition>& definitions(bool complex) {
  static const std::vector<Definition> of_real = read_all(kReal), of_complex = read_all(kComplex);
  return complex ? of_complex : of_real;
}

// The definitions that the words name, and those that these name.
std::string needed_by(const std::string& text, const std::vector<Definition>& all) {
  std::unordered_set<std::string> wanted;
  for (std::string& word : words_of(text)) wanted.insert(std::move(word));
  std::vector<bool> taken(all.size());
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < all.size(); ++i) {
      if (taken[i] || !wanted.contains(all[i].name)) continue;
      taken[i] = grown = true;
      wanted.insert(all[i].words.begin(), all[i].words.end());
    }
  }
  std::string out;
  for (size_t i = 0; i < all.size(); ++i) {
    if (taken[i]) out += all[i].text;
  }
  return out;
}

std::string without_attributes(std::string text) {
  constexpr std::string_view attribute = "[[gnu::always_inline]] ";
  for (size_t at; (at = text.find(attribute)) != text.npos;) text.erase(at, attribute.size());
  return text;
}

// Complex numbers, of which the file has a namespace and a guard around it that are not wanted here.
std::string complex_numbers() {
  const std::string text(kernel_file("complex.hpp"));
  const size_t begin = text.find("#define CR_COMPLEX"), end = text.find("static_assert");
  return text.substr(begin, end - begin);
}

}  // namespace

std::string_view kernel_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files) {
    if (file.name == name) return file.text;
  }
  raise(PyExc_RuntimeError, "no text of kernels is called ", std::string(name));
}

std::string program_around(const std::string& kernel) {
  const bool complex = kernel.find("Complex<") != kernel.npos;
  std::string out(kernel_file("shim.cuh"));
  out += "namespace cr {\n";
  out += kernel_file("number.hpp");
  if (complex) out += complex_numbers();
  out += kernel_file("memory.cuh");
  if (complex) out += kernel_file("complex_memory.cuh");
  out += needed_by(kernel, definitions(complex));
  return without_attributes(out) + kernel + "}\n";
}

}  // namespace chainrule::cuda
