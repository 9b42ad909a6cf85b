// What a recorded step found in Python's variables, and whether it is still there.
#pragma once
#include <Python.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tensor/owned.hpp"

namespace chainrule {

// The value that was found, or another number or text that is equal.
bool is_same_value(PyObject* found, PyObject* now);

class StateGuards {
 public:
  // Entries of a dict: attributes, globals; `whole`: there may be no others. A name that is missing has to stay
  // missing.
  void add_names(PyObject* dict, PyObject* names, bool whole);
  void add_list(PyObject* list);  // all of it
  void add_set(PyObject* set);
  void add_cell(PyObject* cell);  // of a closure

  // What differs is told by its name, "" for an element of a list.
  bool hold();
  const char* changed_name() const { return changed_; }
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  struct Names {
    Owned dict;
    uint64_t version;
    Py_ssize_t size;                               // -1: others may come and go
    std::vector<std::pair<Owned, Owned>> entries;  // name and value, null where it is missing
  };
  struct List {
    Owned list;
    std::vector<Owned> items;
  };
  bool hold(Names& names);

  std::vector<Names> names_;
  std::vector<List> lists_;
  std::vector<std::pair<Owned, Owned>> sets_;  // as it is, and as it was
  std::vector<std::pair<Owned, Owned>> cells_;
  const char* changed_ = "";
};

}  // namespace chainrule
