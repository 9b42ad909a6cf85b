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

// In the node's capture; see bindings/types/function_node.cpp.
struct FunctionState {
  PyObject* dict = nullptr;       // the attributes of ctx
  PyObject* function = nullptr;   // the class
  PyObject* arguments = nullptr;  // bytes, one per input and then one per output: kIsTensor, kNeedsGradient
  PyObject* to_save = nullptr;    // tuples, as the user gave them
  PyObject* dirty = nullptr;
  PyObject* non_differentiable = nullptr;
  PyObject* for_forward = nullptr;
  uint32_t input_count : 24 = 0;
  bool materialize = true;
  uint32_t first : 24 = 0;  // the tensor whose edge is number 0; CopySlices wants the one written to
  uint8_t flags = 0;

  static constexpr char kIsTensor = 1, kNeedsGradient = 2, kIsNonDifferentiable = 4;
  // Of outputs, before they were finished: an input, written into, one that can have a gradient.
  static constexpr char kCameIn = 8, kDirty = 16, kDifferentiable = 32;
  static constexpr uint8_t kInJvp = 1;    // jvp is running: saved_tensors are those of save_for_forward
  static constexpr uint8_t kCleared = 2;  // saved_tensors were read, of a Function that clears them then
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
  char output_kind(size_t i) const { return kind(static_cast<int>(input_count + i)); }
  bool is_non_differentiable(int i) const { return kind(input_count + i) & kIsNonDifferentiable; }
  // An attribute of ctx that changes what the engine does; false if it is absent or not `value`.
  bool says(const char* attribute, PyObject* value) const;
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

enum class Name {
  forward,
  setup_context,
  backward,
  vjp,
  jvp,
  _backward_cls,
  _input_count,
  boxed_grads_call,
  clear_saved_tensors_on_access,
  _generated_cls,
};
Owned attribute(PyObject* function, Name name);
FunctionOp* function_op(PyObject* function, Name type = Name::_backward_cls);
// backward, or vjp, which is another name for it; null if the user wrote neither.
Owned gradient_method(PyObject* function);
// (function, *args, **kwargs)
PyObject* function_apply(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* keywords);
// (forward, *inputs) where nothing would be recorded
PyObject* function_call_plainly(PyObject*, PyObject* const* args, Py_ssize_t n);

}  // namespace chainrule
