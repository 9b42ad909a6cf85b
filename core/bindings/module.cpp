// The compiled module chainrule._core: types, operations, and the switches that are not operations.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <climits>

#include "autograd/anomaly.hpp"
#include "autograd/engine.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "autograd/saved_hooks.hpp"
#include "autograd/source_line.hpp"
#include "backends/cpu/allocator.hpp"
#include "backends/cpu/isa.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "backends/guarded/memory.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/autocast.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/documents.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/former_orders.hpp"
#include "bindings/subjects/table_bindings.hpp"
#include "bindings/types/descriptors.hpp"
#include "bindings/types/dlpack.hpp"
#include "bindings/types/function_node.hpp"
#include "bindings/types/node_type.hpp"
#include "bindings/types/recording_type.hpp"
#include "bindings/types/result_types.hpp"
#include "bindings/types/sparse_type.hpp"
#include "bindings/types/storage_type.hpp"
#include "bindings/types/subclass.hpp"
#include "bindings/types/tensor_type.hpp"
#include "ops/create/create.hpp"
#include "ops/create/random.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/table.hpp"
#include "ops/views/view.hpp"
#include "tensor/deterministic.hpp"
#include "tensor/sparse.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

nb::object steal(PyObject* o) { return nb::steal(checked(o)); }

Tensor tensor_argument(nb::handle o) {
  if (is_tensor(o.ptr())) return Tensor::borrow(o.ptr());
  raise(PyExc_TypeError, "expected a Tensor, not ", Py_TYPE(o.ptr())->tp_name);
}

DType dtype_argument(const char* function, const char* name, int position, nb::handle o) {
  if (is_dtype(o.ptr())) return to_dtype_value(o.ptr());
  raise(PyExc_TypeError, function, "(): argument '", name, "' (position ", position, ") must be torch.dtype, not ",
        Py_TYPE(o.ptr())->tp_name);
}

bool bool_argument(const char* function, const char* name, int position, nb::handle o) {
  if (PyBool_Check(o.ptr())) return o.ptr() == Py_True;
  raise(PyExc_TypeError, function, "(): argument '", name, "' (position ", position, ") must be bool, not ",
        Py_TYPE(o.ptr())->tp_name);
}

// Optional tensors come as None.
std::vector<Tensor> maybe_tensors(nb::handle sequence) {
  std::vector<Tensor> result;
  for (nb::handle item : nb::borrow<nb::sequence>(sequence)) {
    if (!item.is_none() && !is_tensor(item.ptr()))
      raise(PyExc_TypeError, "expected Tensor or None, not ", Py_TYPE(item.ptr())->tp_name);
    result.push_back(item.is_none() ? Tensor() : given_tensor(item.ptr()));
  }
  return result;
}

// A tensor of that output's shape, with its history but without memory: it stands for the edge in the engine. For the
// AccumulateGrad node of a leaf it is the leaf. It is where `like` is, or else on the CPU.
nb::object tensor_at(nb::object node, uint32_t number, nb::object like = nb::none()) {
  if (!PyObject_TypeCheck(node.ptr(), &NodeType))
    raise(PyExc_TypeError, "expected a node of the graph, not ", Py_TYPE(node.ptr())->tp_name);
  auto* n = reinterpret_cast<Node*>(node.ptr());
  if (PyObject* leaf = leaf_of(n)) return nb::borrow(leaf);
  if (number >= static_cast<uint32_t>(n->output_count))
    raise(PyExc_IndexError, n->op->node_name, " has no output ", number);
  const Output& output = n->outputs[number];
  DeviceScope there(device_of_argument(like.ptr()));
  Tensor t = tensor_over(empty(Dims(), output.dtype)->storage, output.sizes(), Dims(output.ndim), 0, output.dtype);
  attach(t, n, static_cast<int>(number));
  return steal(to_python(t));
}

// The same values at the beginning of a graph: what func.grad and its kin differentiate by. It is no leaf, since it
// counts as made now and may lead further out, to what is differentiated around it (`linked`). But as a leaf it may not
// be written in place, and kRequiresGrad beside a node says so.
nb::object origin(nb::object source, bool linked) {
  static OpInfo op{"origin", "Origin", "g"};
  Tensor from = given_tensor(source.ptr()), t = alias(from);
  Node* n = make_node(&op, linked ? 1 : 0, 0, 1);
  if (linked) set_edge(n, 0, gradient_edge(from));
  set_function(n, [linked](Backward& b) {
    if (linked) b.give(0, b.g());
  });
  t->flags |= kRequiresGrad;
  n->outputs[0].describe(t);
  finish_node(n);
  attach(t, n);
  Py_DECREF((PyObject*)n);
  if (forward_mode::has_tangent(from.get())) forward_mode::set_tangent(t, forward_mode::tangent(from));
  return steal(to_python(t));
}

// Begins a transform of a function with these arguments. Gives the number of the one around it, for end_transform, and
// its own; see tensor/storage.hpp.
nb::tuple begin_transform(nb::iterable arguments) {
  uint32_t around = std::exchange(Storage::transform, ++Storage::transforms);
  for (nb::handle a : arguments) {
    if (PyObject_TypeCheck(a.ptr(), &TensorType)) Tensor::borrow(a.ptr())->storage->made_in = Storage::transform;
  }
  return nb::make_tuple(around, Storage::transform);
}

void bind_engine(nb::module_& m) {
  m.def("begin_transform", &begin_transform);
  m.def("raise_in_transform", &raise_in_transform);
  m.def("in_transform", [] { return Storage::transform != 0 || vmap_depth > 0; });
  m.def("end_transform", [](uint32_t around) { Storage::transform = around; });
  m.def("run_backward", [](nb::object outputs, nb::object gradients, bool retain, bool create, nb::object inputs) {
    refuse_in_transform("backward");
    settle();
    backward(maybe_tensors(outputs), maybe_tensors(gradients), maybe_tensors(inputs), {retain, create});
  });
  m.def("gradients_of", [](nb::object outputs, nb::object gradients, nb::object inputs, bool retain, bool create) {
    settle();
    std::vector<Tensor> wanted = maybe_tensors(inputs);
    return steal(to_python(gradients_of(maybe_tensors(outputs), maybe_tensors(gradients),
                                        std::span<const Tensor>(wanted), {retain, create})));
  });
  m.def("gradients_by_row", [](nb::object output, nb::object rows, nb::object inputs, bool create) {
    settle();
    std::vector<Tensor> wanted = maybe_tensors(inputs), gradients = maybe_tensors(rows);
    nb::list result;
    for (std::vector<Tensor>& row : gradients_by_row(given_tensor(output.ptr()), gradients, wanted, create))
      result.append(steal(to_python(std::move(row))));
    return result;
  });
  m.def("push_saved_hooks", [](nb::object pack, nb::object unpack) { push_saved_hooks(pack.ptr(), unpack.ptr()); });
  m.def("pop_saved_hooks", &pop_saved_hooks);
  m.def("saved_hooks_depth", &saved_hooks_depth);
  m.def("tensor_at", &tensor_at, nb::arg(), nb::arg(), nb::arg("like") = nb::none());
  m.def("origin", &origin, nb::arg("source"), nb::arg("linked") = false);
  m.def("set_warns_always", [](bool on) { warns_always = on; });
  m.def("current_run", &current_run);
  m.def("run_selects", &run_selects);
  m.def("run_reaches", [](nb::object node, uint32_t number) {
    return run_reaches(gradient_edge(Tensor::borrow(tensor_at(node, number).ptr())));
  });
  m.def("set_only_deterministic",
        [](bool on, bool warns) { only_deterministic = on, warns_of_nondeterministic = warns; });
  m.def("set_fills_new_memory", [](bool on) { fills_new_memory = on; });
  m.def("queue_callback", [](nb::callable function) { queue_callback(function.ptr()); });
  m.def("increment_version", [](nb::handle t) { mark_written(tensor_argument(t)); });
  // Inside inference_mode nothing is recorded, whatever enable_grad() says; is_grad_enabled() tells what it says.
  static thread_local bool said = false;
  m.def("is_grad_enabled", [] { return Storage::making.inference ? said : grad_enabled(); }, documents::kIsGradEnabled);
  m.def(
      "set_grad_enabled",
      [](nb::handle on) {
        said = bool_argument("set_grad_enabled", "enabled", 1, on);
        set_grad_enabled(said && !Storage::making.inference);
      },
      nb::arg("enabled").none());
  m.def("is_inference_mode_enabled", [] { return Storage::making.inference; }, documents::kIsInferenceModeEnabled);
  m.def("set_inference_mode", [](bool on) { Storage::making.inference = on; });
  m.def("is_inference", [](nb::handle t) { return tensor_argument(t)->storage->inference; }, documents::kIsInference);
  m.def("get_anomaly", [] { return nb::make_tuple(anomaly.enabled, anomaly.checks_nan); });
  m.def("set_anomaly", [](bool enabled, bool checks_nan) { anomaly = {enabled, checks_nan}; });
  m.def("last_node_number", &last_node_number);
  m.def("is_grad_layout_enforced", [] { return grad_layout_enforced; });
  m.def("set_grad_layout_enforced", [](bool on) { grad_layout_enforced = on; });
  m.def("reaches_beyond", [](nb::object outputs, nb::object inputs, uint64_t since, uint32_t transform,
                             nb::object arguments) {
    return reaches_beyond(maybe_tensors(outputs), maybe_tensors(inputs), since, transform, maybe_tensors(arguments));
  });
  m.def("enter_dual_level", &forward_mode::enter);
  m.def("exit_dual_level", &forward_mode::leave);
  m.def("primal", [](nb::handle dual) {
    forward_mode::PauseScope pause;
    Tensor t = view_as_alias(tensor_argument(dual));
    forward_mode::part_from_base(t);
    return steal(to_python(t));
  });
  m.def("tangent", [](nb::handle dual) { return steal(to_python(forward_mode::kept_tangent(tensor_argument(dual)))); });
  m.def("make_dual", [](nb::handle dual, nb::handle tangent) {
    forward_mode::make_dual(tensor_argument(dual), tensor_argument(tangent));
  });
  m.def("made_in", [](nb::handle t) { return tensor_argument(t)->storage->made_in; });
}

void bind_lines(nb::module_& m) {
  m.def("set_library_prefix", &set_library_prefix);
  m.def("read_frames_directly", &read_frames_directly);
  m.def("with_line", [](const std::string& text) { return with_line(text); });
  m.def("current_line", [] { return steal(to_python(current_line())); });
  m.def("time_source_line", [](int64_t count) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < count; ++i) {
      SourceLine line = current_line();
      asm volatile("" : : "r"(line.code()) : "memory");
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
}

// See Note [Thresholds].
void choose_thresholds(const std::string& name) {
  constexpr int64_t kNever = INT64_MAX;
  static constexpr Thresholds settings[] = {
      {.name = "usual"},
      {.name = "least",
       .pending = 1,
       .gradient_chain = 1,
       .sweep = 1,
       .stream = 1,
       .stream_chain = 1,
       .unlocked = 0,
       .small_chunks = true},
      {"never", kNever, kNever, kNever, kNever, kNever, HUGE_VAL, false, false},
  };
  settle();
  for (const Thresholds& t : settings) {
    if (t.name != name) continue;
    thresholds = t;
    return;
  }
  raise(PyExc_ValueError, "thresholds are \"usual\", \"least\" or \"never\", but got \"", name, "\"");
}

void bind_machine(nb::module_& m) {
  if (const char* name = std::getenv("CHAINRULE_THRESHOLDS")) choose_thresholds(name);
  m.def("get_num_threads", &cpu::num_threads, documents::kGetNumThreads);
  m.def(
      "set_num_threads",
      [](nb::object count) {
        if (!PyLong_Check(count.ptr()))
          raise(PyExc_RuntimeError, "set_num_threads expects an int, but got ", Py_TYPE(count.ptr())->tp_name);
        int64_t n = to_int(count.ptr());
        if (n <= 0) raise(PyExc_RuntimeError, "set_num_threads expects a positive integer");
        if (n > INT_MAX) raise(PyExc_ValueError, "Overflow when unpacking long");
        cpu::set_num_threads(static_cast<int>(n));
      },
      documents::kSetNumThreads);
  m.def("instruction_set", [] { return cpu::isa() == cpu::Isa::v4 ? "v4" : cpu::isa() == cpu::Isa::v3 ? "v3" : "v2"; });
  m.def("settle", &settle);
  m.def("get_thresholds", [] { return thresholds.name; });
  m.def("set_thresholds", &choose_thresholds, documents::kSetThresholds);
  m.def("memory_statistics", [] {
    settle();
    cpu::MemoryStatistics s = cpu::memory_statistics();
    nb::dict d;
    d["allocated"] = s.allocated;
    d["peak_allocated"] = s.peak_allocated;
    d["cached"] = s.cached;
    return d;
  });
  m.def("reset_peak_memory", &cpu::reset_peak_memory);
  m.def("trim_memory", &cpu::trim_memory);
  m.def("set_memory_cache_limit", &cpu::set_memory_cache_limit);
  m.def("live_tensors", [] {
    settle();
    return live_tensors();
  });
  m.def("live_nodes", [] {
    settle();
    return live_nodes();
  });
}

void bind_dtypes(nb::module_& m) {
  m.def("get_default_dtype", [] { return steal(to_python(default_dtype())); }, documents::kGetDefaultDtype);
  m.def(
      "set_default_dtype",
      [](nb::object d) {
        if (!is_dtype(d.ptr()))
          raise(PyExc_TypeError, "invalid dtype object: only floating-point types are supported as the default type");
        DType t = to_dtype_value(d.ptr());
        if (is_float8(t)) raise(PyExc_TypeError, "couldn't find storage object ", facts(t).tensor_name, "Storage");
        if (!is_floating(t)) raise(PyExc_TypeError, "only floating-point types are supported as the default type");
        set_default_dtype(t);
      },
      documents::kSetDefaultDtype);
  m.def(
      "promote_types",
      [](nb::handle a, nb::handle b) {
        DType first = dtype_argument("promote_types", "type1", 1, a);
        return steal(to_python(promote(first, dtype_argument("promote_types", "type2", 2, b))));
      },
      nb::arg("type1").none(), nb::arg("type2").none(), documents::kPromoteTypes);
  m.def(
      "can_cast",
      [](nb::handle a, nb::handle b) {
        DType from = dtype_argument("can_cast", "from_", 1, a);
        return can_cast(from, dtype_argument("can_cast", "to", 2, b));
      },
      nb::arg("from_").none(), nb::arg("to").none(), documents::kCanCast);
  m.def(
      "result_type",
      [](nb::handle a, nb::handle b) {
        for (nb::handle o : {a, b}) {
          if (is_tensor(o.ptr()) || is_number(o.ptr())) continue;
          raise(PyExc_TypeError, "result_type() received an invalid combination of arguments - got (",
                Py_TYPE(a.ptr())->tp_name, ", ", Py_TYPE(b.ptr())->tp_name,
                "), but expected a Tensor or a Number each");
        }
        Operand operands[2] = {to_operand(a.ptr()), to_operand(b.ptr())};
        return steal(to_python(result_type(operands)));
      },
      nb::arg("tensor1").none(), nb::arg("tensor2").none(), documents::kResultType);
}

AutocastDevice autocast_device(bool on_gpu) { return on_gpu ? AutocastDevice::Gpu : AutocastDevice::Cpu; }

void bind_autocast(nb::module_& m) {
  m.def("is_autocast_enabled", [] { return autocasting; });
  m.def("set_autocast_enabled", [](bool on) { autocasting = on; });
  m.def("autocasts", [](bool on_gpu) { return autocasts(autocast_device(on_gpu)); });
  m.def("set_autocasts", [](bool on_gpu, bool on) { set_autocasts(autocast_device(on_gpu), on); });
  m.def("get_autocast_dtype", [](bool on_gpu) { return steal(to_python(autocast_dtype(autocast_device(on_gpu)))); });
  m.def("set_autocast_dtype", [](bool on_gpu, nb::object dtype) {
    set_autocast_dtype(autocast_device(on_gpu), dtype_argument("set_autocast_dtype", "dtype", 2, dtype));
  });
  m.def("is_autocast_cache_enabled", &autocast_caches);
  m.def("set_autocast_cache_enabled", &set_autocast_caches);
  m.def("change_autocast_nesting", &change_autocast_nesting);
  m.def("clear_autocast_cache", &clear_autocast_cache);
}

void check_subclass(nb::handle type) {
  if (!PyType_Check(type.ptr())) raise(PyExc_TypeError, "cls must be a type (got ", Py_TYPE(type.ptr())->tp_name, ")");
  if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &TensorType)) return;
  raise(PyExc_TypeError,
        "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
        "class inherits from Tensor.");
}

// Tells the doors of classes that dispatch once there is one.
void look_for_dispatch(nb::handle type) {
  if (has_dispatch(reinterpret_cast<PyTypeObject*>(type.ptr()))) classes_dispatch = true;
}

// Parameter(data): the same memory as an instance of a subclass, a leaf.
nb::object make_subclass(nb::object type, nb::object data, nb::handle require_grad) {
  bool require = bool_argument("_make_subclass", "require_grad", 3, require_grad);
  check_subclass(type);
  look_for_dispatch(type);
  if (!is_tensor(data.ptr())) raise(PyExc_TypeError, "data must be a Tensor, not ", Py_TYPE(data.ptr())->tp_name);
  Tensor t = alias_as(reinterpret_cast<PyTypeObject*>(type.ptr()), given_tensor(data.ptr()));
  if (require) {
    if (!is_differentiable(t.dtype()))
      raise(PyExc_RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    t->flags |= kRequiresGrad;
  }
  return steal(to_python(t));
}

// The same value with the same history, as an instance of a subclass.
nb::object view_as_subclass(nb::object type, nb::object data) {
  check_subclass(type);
  look_for_dispatch(type);
  Tensor t = view_as_alias(tensor_argument(data));
  if (type.ptr() == reinterpret_cast<PyObject*>(&TensorType)) return steal(to_python(t));
  return steal(as_subclass(reinterpret_cast<PyTypeObject*>(type.ptr()), to_python(t)));
}

// What an operation has just given, at the same place in the graph, as an instance of a subclass.
nb::object result_as_subclass(nb::object type, nb::object data) {
  check_subclass(type);
  if (!is_tensor(data.ptr())) raise(PyExc_TypeError, "data must be a Tensor, not ", Py_TYPE(data.ptr())->tp_name);
  return steal(as_subclass(reinterpret_cast<PyTypeObject*>(type.ptr()), data.release().ptr()));
}

}  // namespace

}  // namespace chainrule

NB_MODULE(_core, m) {
  using namespace chainrule;
  nb::set_leak_warnings(false);
  gc::find_youngest();
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error&) {
      set_python_error();
    } catch (const PythonError&) {
      set_python_error();
    }
  });
  ready_tensor_type();
  add_descriptors(m.ptr());
  add_node_type(m.ptr());
  add_function_node(m.ptr());
  add_storage_type(m.ptr());
  add_sparse_type(m.ptr());
  add_recording_type(m.ptr());
  bind_networks();
  bind_elementwise();  // after what else lines of the table describe
  bind_views();
  bind_creation();
  bind_random();
  bind_reductions();
  bind_matmul();
  bind_fft();
  bind_joining();
  bind_indexing();
  bind_masked();
  bind_view_copies();
  bind_layout();
  bind_ordering();
  bind_convolutions();
  bind_pools();
  bind_images();
  bind_optimisers();
  bind_recurrent();
  bind_sparse();
  bind_tensor_methods();
  bind_python_operations();
  mark_former_orders();
  bind_dtype_conversions();
  add_callables(m.ptr(), &TensorType);
  checked(PyModule_AddObjectRef(m.ptr(), "Tensor", reinterpret_cast<PyObject*>(&TensorType)));
  bind_engine(m);
  bind_lines(m);
  bind_machine(m);
  bind_dtypes(m);
  bind_autocast(m);
  bind_generator(m.ptr());
  bind_lapack(m.ptr());
  bind_cuda(m.ptr());
  bind_table(m);
  m.attr("functional_names") = steal(functional_names());
  m.attr("result_types") = steal(result_types());
  m.def("signatures", [] { return steal(signature_list()); });
  m.def("to_dlpack", [](nb::object t, bool versioned) {
    if (!is_tensor(t.ptr())) raise(PyExc_TypeError, "data must be a Tensor, not ", Py_TYPE(t.ptr())->tp_name);
    refuse_nested("to_dlpack", t.ptr());
    return steal(to_dlpack(given_tensor(t.ptr()), versioned));
  });
  m.def("from_dlpack", [](nb::object capsule) { return steal(to_python(from_dlpack(capsule.ptr()))); });
  m.def("make_subclass", &make_subclass);
  m.def("view_as_subclass", &view_as_subclass);
  m.def("result_as_subclass", &result_as_subclass);
  m.def("default_device", [] { return nb::borrow(device_object(default_device())); });
  m.def(
      "set_default_device", [](nb::object device) { set_default_device(device_value(device.ptr())); },
      nb::arg("device").none());
  m.def("guarded_faults", [] { return guarded_device::take_faults(); });
  m.def("call_on_meta", [](nb::object function, nb::tuple args, nb::dict kwargs) {
    return steal(call_on(Device::Meta, function.ptr(), args.ptr(), kwargs.ptr()));
  });
  m.def("empty_meta", [](nb::object sizes, nb::object strides, nb::object dtype) {
    return steal(to_python(empty_meta(to_dims(sizes.ptr()), to_dims(strides.ptr()), to_dtype_value(dtype.ptr()))));
  });
  m.def("set_batched_type", [](nb::object type, nb::object handler, nb::object subscript, nb::object assign) {
    set_batched_type(reinterpret_cast<PyTypeObject*>(type.ptr()), handler.ptr(), subscript.ptr(), assign.ptr());
  });
  m.def("raise_batched_write", [](const std::string& function) { raise_batched_write(function.c_str()); });
  m.def("get_vmap_depth", [] { return vmap_depth; });
  m.def("set_vmap_depth", [](int depth) { vmap_depth = depth; });
  m.def("set_torch_functions",
        [](nb::object ordinary, nb::object disabled) { set_torch_functions(ordinary.ptr(), disabled.ptr()); });
  m.def("overriding_enabled", &overriding_enabled);
  m.def("set_overriding_enabled", &set_overriding_enabled);
  m.def("call_override", [](nb::object function, const std::string& name, nb::tuple args, nb::dict kwargs) {
    return steal(call_override(function.ptr(), name.c_str(), args.ptr(), kwargs.ptr()));
  });
  m.def("set_watcher", [](nb::object w) { set_watcher(w.is_none() ? nullptr : w.ptr()); }, nb::arg("watcher").none());
  m.def("let_watch", &let_watch);
  m.def("is_overridden", [](nb::tuple args) {
    return classes_of(PySequence_Fast_ITEMS(args.ptr()), PyTuple_GET_SIZE(args.ptr())).override;
  });
  m.def("set_parameter_type", [](nb::object type) { set_parameter_type(reinterpret_cast<PyTypeObject*>(type.ptr())); });
}
