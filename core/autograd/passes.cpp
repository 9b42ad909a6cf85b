// How a backward pass begins: what may be differentiated, the gradients it starts from, and the ways to ask for one.
#include <utility>

#include "autograd/cut.hpp"
#include "autograd/engine.hpp"
#include "autograd/leaf.hpp"
#include "autograd/run.hpp"
#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "tensor/python_call.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

[[noreturn]] void raise_not_scalar(const Tensor& output) {
  Edge e = gradient_edge(output);
  std::string made = e && !e.is_leaf() ? describe(e.node()->line) : "";
  raise(PyExc_RuntimeError, "grad can be implicitly created only for scalar outputs, but this output has shape ",
        output.sizes(), " (", output.numel(), " elements).\n",
        made.empty() ? std::string() : "  It was made here: " + made + "\n",
        "  backward() needs one number to differentiate. Choose what you mean:\n"
        "    y.sum().backward()              the gradient of the sum of all elements\n"
        "    y.mean().backward()             the same divided by the number of elements; the usual choice for a loss\n"
        "    y.backward(gradient=v)          the vector-Jacobian product v^T J, with v of y's shape\n"
        "    autograd.functional.jacobian    all derivatives, one row for each element of y");
}

Tensor starting_gradient(const Tensor& output, const Tensor& given, size_t i) {
  if (!given) {
    if (output.numel() != 1) raise_not_scalar(output);
    if (holds_complex(output.dtype())) {
      raise(PyExc_RuntimeError, "grad can be implicitly created only for real scalar outputs but got torch.",
            facts(output.dtype()).name);
    }
    return dispatches(output) ? call_sparse("ones", output) : ones(output.sizes(), output.dtype());
  }
  if (!equal(given.sizes(), output.sizes())) {
    raise(PyExc_RuntimeError, "Mismatch in shape: grad_output[", i, "] has a shape of torch.Size(", given.sizes(),
          ") and output[", i, "] has a shape of torch.Size(", output.sizes(), ").");
  }
  const Device wanted = output->storage->device, found = given->storage->device;
  if (found != wanted && wanted.kind == DeviceKind::Cuda) {  // what stands for an edge is on the CPU, wherever that is
    raise(PyExc_RuntimeError, "invalid gradient at index ", i, " - expected device ", wanted.name(), " but got ",
          found.name());
  }
  if (holds_complex(given.dtype()) != holds_complex(output.dtype())) {
    raise(PyExc_RuntimeError,
          "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
          "grad_output[",
          i, "] has a dtype of torch.", facts(given.dtype()).name, " and output[", i, "] has a dtype of torch.",
          facts(output.dtype()).name, ".");
  }
  return resolved(given);
}

[[noreturn]] void raise_no_graph(const Tensor& output, size_t i) {
  std::string why;
  if (Cut cut = find_cut(output.get()); cut.how) {
    why = std::string("\n  It left the graph through ") + cut.how + " here: " + describe(cut.line);
  } else {
    why =
        "\n  It was not calculated from a tensor with requires_grad=True, or it left the graph on the way "
        "(detach(), item(), numpy(), no_grad()).";
  }
  raise(PyExc_RuntimeError, "element ", i, " of tensors does not require grad and does not have a grad_fn", why);
}

void add_roots(Run& run, std::span<const Tensor> outputs, std::span<const Tensor> gradients) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!gradient_edge(outputs[i])) raise_no_graph(outputs[i], i);
    run.add_root(outputs[i], starting_gradient(outputs[i], i < gradients.size() ? gradients[i] : Tensor(), i));
  }
}

// Where the gradients of these outputs are; see Note [Meta tensors].
Device place_of(std::span<const Tensor> outputs) {
  return outputs.empty() || !outputs[0] ? Device::CPU : outputs[0]->storage->device;
}

// The garbage collector finds the cycle, later than the last reference would.
void warn_of_cycles() {
  static bool warned = false;
  if (std::exchange(warned, true) && !warns_always) return;
  from_python(PyErr_WarnEx(
      PyExc_UserWarning,
      "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
      "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
      "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
      "the cycle and avoid the leak.",
      1));
}

}  // namespace

void backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients, std::span<const Tensor> inputs,
              BackwardOptions options) {
  if (options.create_graph) warn_of_cycles();
  for (const Tensor& t : inputs) retain_grad(t);  // those that are not leaves get their .grad this way
  DeviceScope there(place_of(outputs));
  Run run(options, true);
  if (!inputs.empty()) run.select(inputs);
  add_roots(run, outputs, gradients);
  run.execute();
}

std::vector<Tensor> gradients_of(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                                 std::span<const Tensor> inputs, BackwardOptions options) {
  DeviceScope there(place_of(outputs));
  Run run(options, false);
  run.select(inputs);
  add_roots(run, outputs, gradients);
  run.execute();
  return run.take_captured();
}

std::vector<std::vector<Tensor>> gradients_by_row(const Tensor& output, std::span<const Tensor> rows,
                                                  std::span<const Tensor> inputs, bool create_graph) {
  std::vector<std::vector<Tensor>> result;
  std::unordered_set<Node*> needed;
  DeviceScope there(place_of({&output, 1}));
  for (const Tensor& row : rows) {
    Run run({.retain_graph = true, .create_graph = create_graph}, false);
    run.select(inputs);
    add_roots(run, {&output, 1}, {&row, 1});
    if (!result.empty()) run.give_needed(std::move(needed));
    run.execute();
    result.push_back(run.take_captured());
    needed = run.take_needed();
  }
  return result;
}

}  // namespace chainrule
