// Calling an autograd.Function: what its node keeps, and Function.apply.
#pragma once
#include <string>

#include "autograd/record.hpp"
#include "tensor/owned.hpp"

namespace chainrule {

// One per name of a Function's nodes.
struct FunctionOp : OpInfo {
  std::string text;
  bool own_lines;  // nodes made in backward have backward's lines, not the forward call's
};

// In the node's capture; see Note [Functions written in Python].
struct FunctionState {
  PyObject* dict = nullptr;       // the attributes of ctx
  PyObject* function = nullptr;   // the class
  PyObject* arguments = nullptr;  // bytes, one per input and then one per output: kIsTensor, kNeedsGradient
  PyObject* to_save = nullptr;    // tuples, as the user gave them
  PyObject* dirty = nullptr;
  PyObject* non_differentiable = nullptr;
  PyObject* for_forward = nullptr;
  uint16_t input_count = 0;
  uint16_t first = 0;  // the tensor whose edge is number 0; CopySlices wants the one written to
  bool materialize = true;

  static constexpr char kIsTensor = 1, kNeedsGradient = 2;
  static constexpr PyObject* FunctionState::* kReferences[] = {
      &FunctionState::dict,  &FunctionState::function,           &FunctionState::arguments,  &FunctionState::to_save,
      &FunctionState::dirty, &FunctionState::non_differentiable, &FunctionState::for_forward};

  FunctionState() = default;
  FunctionState(FunctionState&&) noexcept {}  // moved into its node while empty
  ~FunctionState() { clear(); }
  void clear();
  void operator()(Backward& b) const;

  char kind(int i) const { return PyBytes_AS_STRING(arguments)[i]; }
  bool is_tensor_input(int i) const { return kind(i) & kIsTensor; }
  bool needs(int i) const { return kind(i) & kNeedsGradient; }
  bool is_tensor_output(int i) const { return kind(input_count + i) & kIsTensor; }
  int edge_of(int tensor) const { return tensor == first ? 0 : tensor == 0 ? first : tensor; }
};
static_assert(sizeof(FunctionState) <= Node::kCapture);

inline FunctionState& function_state(Node* n) { return *reinterpret_cast<FunctionState*>(n->capture); }

// The methods of the class Function itself: finding one of them means that the user did not write it.
struct FunctionDefaults {
  PyObject *setup_context, *backward, *vjp, *jvp;
  PyObject* bind;  // fills in keywords and defaults
};
extern FunctionDefaults function_defaults;

enum class Name { forward, setup_context, backward, vjp, jvp, _backward_cls, _input_count };
Owned attribute(PyObject* function, Name name);
FunctionOp* function_op(PyObject* function);
// (function, *args, **kwargs)
PyObject* function_apply(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* keywords);
// (forward, *inputs) where nothing would be recorded
PyObject* function_call_plainly(PyObject*, PyObject* const* args, Py_ssize_t n);

}  // namespace chainrule
