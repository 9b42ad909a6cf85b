#include "backends/cuda/libraries.hpp"

#include <dlfcn.h>

#include "tensor/error.hpp"
#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"

namespace chainrule::cuda {
namespace {

// What chainrule.cuda.setup says.
Owned ask_setup(const char* question) {
  const Owned module(from_python(PyImport_ImportModule("chainrule.cuda.setup")));
  return Owned(from_python(PyObject_CallMethod(module.get(), question, nullptr)));
}

}  // namespace

// Not in the initialisation of a static: another thread may wait for that while Python runs.
const std::vector<std::string>& library_folders() {
  static const std::vector<std::string>* known = nullptr;
  if (known) return *known;
  std::vector<std::string> found;
  const Owned list = ask_setup("library_folders");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
    found.emplace_back(checked(PyUnicode_AsUTF8(PyList_GET_ITEM(list.get(), i))));
  if (!known) known = new std::vector<std::string>(std::move(found));
  return *known;
}

std::string cache_folder() { return checked(PyUnicode_AsUTF8(ask_setup("cache_folder").get())); }

Library open_library(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    for (const std::string& folder : library_folders()) {
      const std::string path = folder + "/" + file;
      if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return {handle, path, {}};
    }
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return {handle, file, {}};
  }
  const char* why = dlerror();
  return {nullptr, {}, files.front() + " was not found (" + (why ? why : "no reason given") + ")"};
}

void* find_function(const Library& library, const char* name) {
  if (void* function = dlsym(library.handle, name)) return function;
  raise(PyExc_RuntimeError, library.path, " has no function ", name,
        ": it is too old for chainrule; install a newer one");
}

}  // namespace chainrule::cuda
