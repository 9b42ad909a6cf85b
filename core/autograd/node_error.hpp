// An error about one node of the graph, which Python is shown so that it can name what the node calculated.
#pragma once
#include <string>
#include <utility>

#include "autograd/node.hpp"
#include "tensor/error.hpp"

namespace chainrule {

// See python/chainrule/error_words.py. It lives and dies while the interpreter's lock is held, as what throws and
// catches it does.
class NodeError : public Error {
 public:
  NodeError(Node* node, std::string message) : Error(PyExc_RuntimeError, std::move(message)), node_(node) {
    Py_INCREF((PyObject*)node_);
  }
  NodeError(const NodeError& other) : NodeError(other.node_, other.what()) {}
  NodeError& operator=(const NodeError&) = delete;
  ~NodeError() override { Py_DECREF((PyObject*)node_); }
  Node* node() const { return node_; }

 private:
  Node* node_;  // strong
};

// As raise(), about a node.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise_about(Node* node, const Parts&... parts) {
  std::ostringstream out;
  (append(out, parts), ...);
  throw NodeError(node, out.str());
}

}  // namespace chainrule
