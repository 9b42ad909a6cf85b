// The compiled module chainrule._core: types, operations, and the switches that are not operations.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "autograd/engine.hpp"
#include "autograd/forward_mode.hpp"
#include "autograd/source_line.hpp"
#include "backends/cpu/allocator.hpp"
#include "backends/cpu/isa.hpp"
#include "backends/cpu/random/generator.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "bindings/descriptors.hpp"
#include "bindings/dlpack.hpp"
#include "bindings/errors.hpp"
#include "bindings/node_type.hpp"
#include "bindings/storage_type.hpp"
#include "bindings/subclass.hpp"
#include "bindings/tensor_type.hpp"
#include "ops/random.hpp"
#include "ops/table.hpp"
#include "ops/view.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

nb::object steal(PyObject* o) { return nb::steal(checked(o)); }

// Optional tensors come as None.
std::vector<Tensor> maybe_tensors(nb::handle sequence) {
  std::vector<Tensor> result;
  for (nb::handle item : nb::borrow<nb::sequence>(sequence)) {
    if (!item.is_none() && !is_tensor(item.ptr()))
      raise(PyExc_TypeError, "expected Tensor or None, not ", Py_TYPE(item.ptr())->tp_name);
    result.push_back(item.is_none() ? Tensor() : Tensor::borrow(item.ptr()));
  }
  return result;
}

void bind_engine(nb::module_& m) {
  m.def("run_backward", [](nb::object outputs, nb::object gradients, bool retain, bool create, nb::object inputs) {
    backward(maybe_tensors(outputs), maybe_tensors(gradients), maybe_tensors(inputs), {retain, create});
  });
  m.def("gradients_of", [](nb::object outputs, nb::object gradients, nb::object inputs, bool retain, bool create) {
    std::vector<Tensor> wanted = maybe_tensors(inputs);
    return steal(to_python(gradients_of(maybe_tensors(outputs), maybe_tensors(gradients),
                                        std::span<const Tensor>(wanted), {retain, create})));
  });
  m.def("is_grad_enabled", &grad_enabled);
  m.def("set_grad_enabled", &set_grad_enabled);
  m.def("enter_dual_level", &forward_mode::enter);
  m.def("exit_dual_level", &forward_mode::leave);
  m.def("tangent", [](nb::object t) { return steal(to_python(forward_mode::tangent(Tensor::borrow(t.ptr())))); });
  m.def("set_tangent", [](nb::object t, nb::object tangent) {
    forward_mode::set_tangent(Tensor::borrow(t.ptr()), Tensor::borrow(tangent.ptr()));
  });
}

void bind_lines(nb::module_& m) {
  m.def("set_library_prefix", &set_library_prefix);
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

void bind_machine(nb::module_& m) {
  m.def("get_num_threads", &cpu::num_threads);
  m.def("set_num_threads", [](nb::object count) {
    if (!PyLong_Check(count.ptr()))
      raise(PyExc_RuntimeError, "set_num_threads expects an int, but got ", Py_TYPE(count.ptr())->tp_name);
    int n = nb::cast<int>(count);
    if (n <= 0) raise(PyExc_RuntimeError, "set_num_threads expects a positive integer");
    cpu::set_num_threads(n);
  });
  m.def("instruction_set", [] { return cpu::isa() == cpu::Isa::v4 ? "v4" : cpu::isa() == cpu::Isa::v3 ? "v3" : "v2"; });
  m.def("memory_statistics", [] {
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
  m.def("live_tensors", &live_tensors);
  m.def("live_nodes", &live_nodes);
}

void bind_dtypes(nb::module_& m) {
  m.def("get_default_dtype", [] { return steal(to_python(default_dtype())); });
  m.def("set_default_dtype", [](nb::object d) {
    if (!is_dtype(d.ptr()))
      raise(PyExc_TypeError, "invalid dtype object: only floating-point types are supported as the default type");
    DType t = to_dtype_value(d.ptr());
    if (!is_floating(t)) raise(PyExc_TypeError, "only floating-point types are supported as the default type");
    set_default_dtype(t);
  });
  m.def("promote_types", [](nb::object a, nb::object b) {
    return steal(to_python(promote(to_dtype_value(a.ptr()), to_dtype_value(b.ptr()))));
  });
  m.def("can_cast",
        [](nb::object from, nb::object to) { return can_cast(to_dtype_value(from.ptr()), to_dtype_value(to.ptr())); });
  m.def("result_type", [](nb::object a, nb::object b) {
    Operand operands[2] = {to_operand(a.ptr()), to_operand(b.ptr())};
    return steal(to_python(result_type(operands)));
  });
}

nb::list table_rows() {
  nb::list rows;
  for (const OpRecord& op : op_table()) {
    nb::dict row;
    row["name"] = op.name;
    nb::list inputs, gradients;
    for (int i = 0; i < op.input_count; ++i) {
      inputs.append(op.input_names[i]);
      if (op.gradients[i]) gradients.append(op.gradients[i]);
    }
    row["inputs"] = inputs;
    row["gradients"] = gradients;
    row["domain"] = kDomainNames[static_cast<int>(op.domain)];
    row["parameters"] = op.parameters;
    row["value"] = op.value;
    row["is_test"] = op.is_test;
    rows.append(row);
  }
  return rows;
}

nb::list alias_rows() {
  nb::list rows;
  for (const OpAlias& a : op_aliases()) rows.append(nb::make_tuple(a.name, a.target));
  return rows;
}

// Parameter(data): the same memory as an instance of a subclass, a leaf.
nb::object make_subclass(nb::object type, nb::object data, bool require) {
  if (!PyType_Check(type.ptr()) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &TensorType)) {
    raise(PyExc_TypeError, "cls must be a type (got ", Py_TYPE(type.ptr())->tp_name, ")");
  }
  if (!is_tensor(data.ptr())) raise(PyExc_TypeError, "data must be a Tensor, not ", Py_TYPE(data.ptr())->tp_name);
  Tensor t = alias_as(reinterpret_cast<PyTypeObject*>(type.ptr()), Tensor::borrow(data.ptr()));
  if (require) {
    if (!is_differentiable(t.dtype()))
      raise(PyExc_RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    t->flags |= kRequiresGrad;
  }
  return steal(to_python(t));
}

// The same value with the same history, as an instance of a subclass.
nb::object view_as_subclass(nb::object type, nb::object data) {
  if (!PyType_Check(type.ptr()) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &TensorType)) {
    raise(PyExc_TypeError, "cls must be a type (got ", Py_TYPE(type.ptr())->tp_name, ")");
  }
  Tensor t = view_as_alias(Tensor::borrow(data.ptr()));
  if (type.ptr() == reinterpret_cast<PyObject*>(&TensorType)) return steal(to_python(t));
  return steal(as_subclass(reinterpret_cast<PyTypeObject*>(type.ptr()), to_python(t)));
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
  add_storage_type(m.ptr());
  bind_elementwise();
  bind_views();
  bind_creation();
  bind_random();
  bind_reductions();
  bind_matmul();
  bind_joining();
  bind_indexing();
  bind_tensor_methods();
  add_callables(m.ptr(), &TensorType);
  checked(PyModule_AddObjectRef(m.ptr(), "Tensor", reinterpret_cast<PyObject*>(&TensorType)));
  bind_engine(m);
  bind_lines(m);
  bind_machine(m);
  bind_dtypes(m);
  bind_generator(m.ptr());
  m.def("op_table", &table_rows);
  m.def("op_aliases", &alias_rows);
  m.attr("functional_names") = steal(functional_names());
  m.def("signatures", [] { return steal(signature_list()); });
  m.def("to_dlpack", [](nb::object t, bool versioned) {
    if (!is_tensor(t.ptr())) raise(PyExc_TypeError, "data must be a Tensor, not ", Py_TYPE(t.ptr())->tp_name);
    return steal(to_dlpack(Tensor::borrow(t.ptr()), versioned));
  });
  m.def("from_dlpack", [](nb::object capsule) { return steal(to_python(from_dlpack(capsule.ptr()))); });
  m.def("make_subclass", &make_subclass);
  m.def("view_as_subclass", &view_as_subclass);
  m.def("set_torch_functions",
        [](nb::object ordinary, nb::object disabled) { set_torch_functions(ordinary.ptr(), disabled.ptr()); });
  m.def("overriding_enabled", &overriding_enabled);
  m.def("set_overriding_enabled", &set_overriding_enabled);
  m.def("call_override", [](nb::object function, const std::string& name, nb::tuple args, nb::dict kwargs) {
    return steal(call_override(function.ptr(), name.c_str(), args.ptr(), kwargs.ptr()));
  });
  m.def("is_overridden", [](nb::tuple args) {
    return classes_of(PySequence_Fast_ITEMS(args.ptr()), PyTuple_GET_SIZE(args.ptr())).override;
  });
  m.def("set_parameter_type", [](nb::object type) { set_parameter_type(reinterpret_cast<PyTypeObject*>(type.ptr())); });
}
