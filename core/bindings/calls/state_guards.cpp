#include "bindings/calls/state_guards.hpp"

#include <algorithm>

#include "bindings/calls/errors.hpp"

namespace chainrule {
namespace {

// Python 3.11 and 3.12 count the changes of all dicts; later versions do not.
uint64_t version_of([[maybe_unused]] PyObject* dict) {
#if PY_VERSION_HEX < 0x030D0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#pragma GCC diagnostic pop
#else
  return 0;
#endif
}

Owned new_reference(PyObject* o) { return Owned(Py_XNewRef(o)); }

}  // namespace

bool is_same_value(PyObject* found, PyObject* now) {
  if (found == now) return true;
  if (!found || !now || Py_TYPE(found) != Py_TYPE(now)) return false;
  const bool is_value =
      PyLong_CheckExact(now) || PyFloat_CheckExact(now) || PyUnicode_CheckExact(now) || PyComplex_CheckExact(now);
  if (PyTuple_CheckExact(now)) {
    if (PyTuple_GET_SIZE(found) != PyTuple_GET_SIZE(now)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(now); ++i) {
      if (!is_same_value(PyTuple_GET_ITEM(found, i), PyTuple_GET_ITEM(now, i))) return false;
    }
    return true;
  }
  return is_value && PyObject_RichCompareBool(found, now, Py_EQ) == 1;
}

void StateGuards::add_names(PyObject* dict, PyObject* names, bool whole) {
  Names found{new_reference(dict), version_of(dict), whole ? PyDict_GET_SIZE(dict) : -1, {}};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    PyObject* value = PyDict_GetItemWithError(dict, name);
    if (!value && PyErr_Occurred()) throw PythonError();
    found.entries.emplace_back(new_reference(name), new_reference(value));
  }
  names_.push_back(std::move(found));
}

void StateGuards::add_list(PyObject* list) {
  List found{new_reference(list), {}};
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) found.items.push_back(new_reference(PyList_GET_ITEM(list, i)));
  lists_.push_back(std::move(found));
}

void StateGuards::add_set(PyObject* set) {
  sets_.emplace_back(new_reference(set), Owned(checked(PyFrozenSet_New(set))));
}

void StateGuards::add_cell(PyObject* cell) {
  cells_.emplace_back(new_reference(cell), new_reference(PyCell_GET(cell)));
}

bool StateGuards::hold(Names& names) {
  const uint64_t version = version_of(names.dict.get());
  if (version && version == names.version) return true;
  for (auto& [name, value] : names.entries) {
    PyObject* now = PyDict_GetItemWithError(names.dict.get(), name.get());
    if (is_same_value(value.get(), now)) continue;
    PyErr_Clear();
    const char* text = PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : "";
    changed_ = text ? text : "";
    PyErr_Clear();
    return false;
  }
  if (names.size >= 0 && PyDict_GET_SIZE(names.dict.get()) != names.size) return false;
  names.version = version;
  return true;
}

bool StateGuards::hold() {
  changed_ = "";
  for (Names& names : names_) {
    if (!hold(names)) return false;
  }
  for (const List& list : lists_) {
    if (PyList_GET_SIZE(list.list.get()) != static_cast<Py_ssize_t>(list.items.size())) return false;
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (!is_same_value(list.items[i].get(), PyList_GET_ITEM(list.list.get(), static_cast<Py_ssize_t>(i))))
        return false;
    }
  }
  for (const auto& [set, before] : sets_) {
    if (PyObject_RichCompareBool(set.get(), before.get(), Py_EQ) == 1) continue;
    PyErr_Clear();
    return false;
  }
  return std::ranges::all_of(cells_,
                             [](const auto& c) { return is_same_value(c.second.get(), PyCell_GET(c.first.get())); });
}

int StateGuards::traverse(visitproc visit, void* arg) const {
  for (const Names& names : names_) {
    Py_VISIT(names.dict.get());
    for (const auto& [name, value] : names.entries) Py_VISIT(value.get());
  }
  for (const List& list : lists_) {
    Py_VISIT(list.list.get());
    for (const Owned& item : list.items) Py_VISIT(item.get());
  }
  for (const auto& [set, before] : sets_) {
    Py_VISIT(set.get());
    Py_VISIT(before.get());
  }
  for (const auto& [cell, value] : cells_) {
    Py_VISIT(cell.get());
    Py_VISIT(value.get());
  }
  return 0;
}

void StateGuards::clear() {
  names_.clear();
  lists_.clear();
  sets_.clear();
  cells_.clear();
}

}  // namespace chainrule
