#include "bindings/types/recording_type.hpp"

#include <structmember.h>

#include "autograd/source_line.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/replay.hpp"

namespace chainrule {
namespace {

PyTypeObject RecordingType = {PyVarObject_HEAD_INIT(nullptr, 0)};

struct RecordingObject {
  PyObject_HEAD
  vectorcallfunc call;
  Replay* replay;
};

Replay& replay_of(PyObject* self) { return *reinterpret_cast<RecordingObject*>(self)->replay; }

std::span<PyObject* const> arguments_of(PyObject* const* args, size_t count) {
  return {args, static_cast<size_t>(PyVectorcall_NARGS(count))};
}

// The results; None where the step has to run as usual.
PyObject* call(PyObject* self, PyObject* const* args, size_t count, PyObject*) {
  return guarded([&]() -> PyObject* {
    const auto arguments = arguments_of(args, count);
    return replay_of(self).fits(arguments) ? replay_of(self).run(arguments) : Py_NewRef(Py_None);
  });
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyObject *inputs, *watched;
    if (!PyArg_ParseTuple(args, "OO", &inputs, &watched)) throw PythonError();
    auto begun = std::make_unique<Replay>(to_tensors(inputs), to_tensors(watched));
    auto* self = reinterpret_cast<RecordingObject*>(checked(type->tp_alloc(type, 0)));
    self->call = call;
    self->replay = begun.release();
    return reinterpret_cast<PyObject*>(self);
  });
}

PyObject* fits(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] { return PyBool_FromLong(replay_of(self).fits({args, static_cast<size_t>(count)})); });
}
PyObject* stop(PyObject* self, PyObject*) {
  return guarded([&] {
    replay_of(self).stop();
    return Py_NewRef(Py_None);
  });
}
PyObject* finish(PyObject* self, PyObject* outputs) {
  return guarded([&] { return PyBool_FromLong(replay_of(self).finish(to_tensors(outputs))); });
}
PyObject* results(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] { return replay_of(self).results({args, static_cast<size_t>(count)}); });
}
PyObject* refuse(PyObject* self, PyObject* why) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(why);
    if (!text) throw PythonError();
    replay_of(self).recording().refuse(text);
    return Py_NewRef(Py_None);
  });
}
PyObject* watch_names(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *dict, *names;
    int whole;
    if (!PyArg_ParseTuple(args, "OO!p", &dict, &PyTuple_Type, &names, &whole)) throw PythonError();
    if (PyType_Check(dict)) dict = reinterpret_cast<PyTypeObject*>(dict)->tp_dict;
    if (!dict || !PyDict_Check(dict)) raise(PyExc_TypeError, "expected a dict or a class");
    replay_of(self).guards().add_names(dict, names, whole);
    return Py_NewRef(Py_None);
  });
}
PyObject* watch_list(PyObject* self, PyObject* list) {
  return guarded([&] {
    if (!PyList_Check(list)) raise(PyExc_TypeError, "expected a list, not ", Py_TYPE(list)->tp_name);
    replay_of(self).guards().add_list(list);
    return Py_NewRef(Py_None);
  });
}
PyObject* watch_set(PyObject* self, PyObject* set) {
  return guarded([&] {
    if (!PySet_Check(set)) raise(PyExc_TypeError, "expected a set, not ", Py_TYPE(set)->tp_name);
    replay_of(self).guards().add_set(set);
    return Py_NewRef(Py_None);
  });
}
PyObject* watch_cell(PyObject* self, PyObject* cell) {
  return guarded([&] {
    if (!PyCell_Check(cell)) raise(PyExc_TypeError, "expected a cell, not ", Py_TYPE(cell)->tp_name);
    replay_of(self).guards().add_cell(cell);
    return Py_NewRef(Py_None);
  });
}
PyObject* variables_hold(PyObject* self, PyObject*) {
  return guarded([&] { return PyBool_FromLong(replay_of(self).guards().hold()); });
}

PyObject* get_reason(PyObject* self, void*) {
  return PyUnicode_FromString(replay_of(self).recording().reason().c_str());
}
PyObject* get_line(PyObject* self, void*) {
  return guarded([&] { return to_python(replay_of(self).recording().reason_line()); });
}
PyObject* get_changed(PyObject* self, void*) { return PyUnicode_FromString(replay_of(self).changed().c_str()); }
PyObject* get_changed_name(PyObject* self, void*) {
  return PyUnicode_FromString(replay_of(self).guards().changed_name());
}
PyObject* get_written(PyObject* self, void*) {
  return guarded([&] {
    const std::vector<bool> written = replay_of(self).written_inputs();
    Owned list(checked(PyList_New(static_cast<Py_ssize_t>(written.size()))));
    for (size_t i = 0; i < written.size(); ++i)
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), PyBool_FromLong(written[i]));
    return list.release();
  });
}
PyObject* get_running(PyObject* self, void*) { return PyBool_FromLong(replay_of(self).is_running()); }
PyObject* get_calls(PyObject* self, void*) { return PyLong_FromSize_t(replay_of(self).recording().calls()); }
PyObject* get_bytes(PyObject* self, void*) { return PyLong_FromSize_t(replay_of(self).recording().blocks().bytes()); }

int traverse(PyObject* self, visitproc visit, void* arg) { return replay_of(self).traverse(visit, arg); }
int clear(PyObject* self) {
  replay_of(self).clear();
  return 0;
}
void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  delete &replay_of(self);
  Py_TYPE(self)->tp_free(self);
}

PyMethodDef methods[] = {
    {"stop", stop, METH_NOARGS, "Ends the recording."},
    {"finish", finish, METH_O, "Takes what the recorded call returned; whether it can be replayed."},
    {"fits", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fits)), METH_FASTCALL,
     "Whether a call with these arguments would be replayed; else `changed` says why not."},
    {"results", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(results)), METH_FASTCALL,
     "Of the recorded call, for the caller's arguments."},
    {"refuse", refuse, METH_O, "Says why it cannot be replayed."},
    {"watch_names", watch_names, METH_VARARGS, "Entries of a dict, or of a class, that have to stay as they are."},
    {"watch_list", watch_list, METH_O, "A list that has to stay as it is."},
    {"watch_set", watch_set, METH_O, "A set that has to stay as it is."},
    {"watch_cell", watch_cell, METH_O, "A variable of a closure that has to stay as it is."},
    {"variables_hold", variables_hold, METH_NOARGS, "Whether all that is watched is as it was."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {
    {"reason", get_reason, nullptr, "Why it cannot be replayed, or ''.", nullptr},
    {"line", get_line, nullptr, "Where that was found: file, line, function and text.", nullptr},
    {"changed", get_changed, nullptr, "What did not fit at the last call.", nullptr},
    {"changed_name", get_changed_name, nullptr, "The variable that did not hold.", nullptr},
    {"written", get_written, nullptr, "For each argument, whether the step wrote into it.", nullptr},
    {"running", get_running, nullptr, "Whether a call is being replayed.", nullptr},
    {"calls", get_calls, nullptr, "How many kernels are called.", nullptr},
    {"bytes", get_bytes, nullptr, "The memory that the step has for itself.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* is_recording(PyObject*, PyObject*) { return PyBool_FromLong(Replay::active() != nullptr); }
PyObject* begin_options(PyObject*, PyObject* options) {
  return guarded([&] {
    if (!PyDict_Check(options)) raise(PyExc_TypeError, "expected a dict, not ", Py_TYPE(options)->tp_name);
    if (Replay* r = Replay::active()) r->begin_options(options);
    return Py_NewRef(Py_None);
  });
}
PyObject* end_options(PyObject*, PyObject*) {
  return guarded([&] {
    if (Replay* r = Replay::active()) r->end_options();
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"is_recording", is_recording, METH_NOARGS, "Whether this thread records a step."},
    {"begin_options", begin_options, METH_O, "An optimizer's options, which its step depends on from here"},
    {"end_options", end_options, METH_NOARGS, "to here."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_recording_type(PyObject* module) {
  Recording::line_now = current_line;
  RecordedMemory::add_type();
  PyTypeObject& t = RecordingType;
  t.tp_name = "chainrule._core.Recording";
  t.tp_basicsize = sizeof(RecordingObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_doc = "Recording(inputs, watched): a step as a list of kernel calls.";
  t.tp_new = make;
  t.tp_call = PyVectorcall_Call;
  t.tp_vectorcall_offset = offsetof(RecordingObject, call);
  t.tp_dealloc = dealloc;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_methods = methods;
  t.tp_getset = getset;
  checked(PyType_Ready(&t));
  checked(PyModule_AddFunctions(module, functions));
  checked(PyModule_AddObjectRef(module, "Recording", reinterpret_cast<PyObject*>(&t)));
}

}  // namespace chainrule
