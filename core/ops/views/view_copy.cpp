// Copies of views. Their derivative is the view's own, so they take over its node and only rename it.
#include "ops/views/view_copy.hpp"

#include <map>
#include <string>

#include "autograd/forward_mode.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

struct Renamed {
  std::string node_name;
  OpInfo op;
};
using Names = std::map<const OpInfo*, Renamed>;

void rename(Node* n, Names& names, const std::string& name) {
  Renamed& r = names[n->op];
  if (!r.op.type) {
    r.node_name = name;
    r.op = *n->op;
    r.op.node_name = r.node_name.c_str();
    r.op.type = make_node_type(r.op.node_name);
  }
  n->op = &r.op;
  Py_SET_TYPE((PyObject*)n, r.op.type);
}

Tensor take_over(const Tensor& view, Tensor out) {
  if (view->node) attach(out, view->node, static_cast<int>(view->output_number));
  if (forward_mode::active() && forward_mode::tangent(view)) [[unlikely]] {
    forward_mode::PauseScope pause;
    forward_mode::set_tangent(out, clone(forward_mode::tangent(view)));
  }
  return out;
}

Tensor bare_copy(const Tensor& view) {
  Tensor out = empty(view.sizes(), view.dtype());
  copy_elements(out, view);
  return out;
}

Names copies, unsafe, narrowed;

void rename_copy(Node* n) { rename(n, copies, n->op->node_name + std::string("_copy")); }

}  // namespace

Tensor view_copy(const Tensor& view) {
  if (view->node) rename_copy(view->node);
  return take_over(view, bare_copy(view));
}

Tensor narrow_copy(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  // PyTorch's own words for these two; narrow() has others.
  if (t.ndim() > 0 && dim >= t.ndim()) {
    raise(PyExc_RuntimeError,
          "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false. dim is ", dim,
          ", the tensor has ", t.ndim(), " dimensions");
  }
  if (t.ndim() > 0 && length < 0) {
    raise(PyExc_RuntimeError, "start (", start, ") + length (", length, ") exceeds dimension size (",
          t.size(wrap_dim(dim, t.ndim())), ").");
  }
  Tensor view = narrow(t, dim, start, length);
  if (view->node) rename(view->node, narrowed, "NarrowCopyBackward0");
  return take_over(view, bare_copy(view));
}

std::vector<Tensor> view_copies(const std::vector<Tensor>& views) {
  std::vector<Tensor> result;
  if (!views.empty() && views[0]->node) rename_copy(views[0]->node);
  for (const Tensor& view : views) result.push_back(take_over(view, bare_copy(view)));
  return result;
}

std::vector<Tensor> unsafe_pieces(const std::vector<Tensor>& views) {
  std::vector<Tensor> result;
  Node* n = views.empty() ? nullptr : views[0]->node;
  if (n) rename(n, unsafe, std::string("Unsafe") + n->op->node_name);
  for (const Tensor& view : views) result.push_back(take_over(view, alias(view)));
  return result;
}

}  // namespace chainrule
