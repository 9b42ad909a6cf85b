// Derivatives that PyTorch refuses: the call is recorded, and a gradient that reaches it raises PyTorch's error.
#include "ops/elementwise/refused_derivatives.hpp"

#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"

namespace chainrule {
namespace {

struct Refusal {
  OpId id;
  bool inplace_only;
  OpInfo info;
  const char* slope = nullptr;  // only where the first parameter is negative, and what PyTorch calls the op then
};
Refusal refusals[] = {
    {OpId::floor_divide, false, {"floor_divide", "NotImplemented", "none"}},
    {OpId::heaviside, false, {"heaviside", "NotImplemented", "none"}},
    {OpId::acosh, true, {"acosh_", "AcoshBackward1", "none"}},
    {OpId::asinh, true, {"asinh_", "AsinhBackward1", "none"}},
    {OpId::atanh, true, {"atanh_", "AtanhBackward1", "none"}},
    {OpId::leaky_relu, true, {"leaky_relu_", "LeakyReluBackward1", "none"}, "leakyReLu"},
    {OpId::elu, true, {"elu_", "EluBackward1", "none"}, "elu"},
    {OpId::celu, true, {"celu_", "EluBackward1", "none"}, "elu"},
};

Refusal* refusal_of(const OpRecord& op, bool inplace, const double* parameters) {
  for (Refusal& r : refusals) {
    if (r.id != op.id || (r.inplace_only && !inplace)) continue;
    if (!r.slope || parameters[0] < 0) return &r;
  }
  return nullptr;
}

struct RefusedFirst {
  OpId id;
  const char *words, *name;
  OpInfo info;
};
RefusedFirst refused_first[] = {
    {OpId::igamma, "igamma: input", "igamma", {"igamma", "IgammaBackward0", "not implemented for the first input"}},
    {OpId::igammac,
     "igammac: input",
     "igammac",
     {"igammac", "IgammacBackward0", "not implemented for the first input"}},
    {OpId::special_zeta,
     "zeta",
     "special_zeta",
     {"zeta", "SpecialZetaBackward0", "not implemented for the first input"}},
};

RefusedFirst* first_refusal_of(const OpRecord& op) {
  for (RefusedFirst& r : refused_first) {
    if (r.id == op.id) return &r;
  }
  return nullptr;
}

}  // namespace

Node* make_node_refusing_first(const OpRecord& op, std::span<const Operand> in, const Tensor& out) {
  RefusedFirst* r = first_refusal_of(op);
  if (!r || !in[0].tensor || !gradient_edge(in[0].tensor)) return nullptr;
  Node* n = make_node(&r->info, 2, 0, 1);
  for (int i = 0; i < 2; ++i) {
    if (in[static_cast<size_t>(i)].tensor) set_edge(n, i, gradient_edge(in[static_cast<size_t>(i)].tensor));
  }
  set_function(n, [words = r->words](Backward&) {
    raise(PyExc_NotImplementedError, "the derivative for '", words, "' is not implemented.");
  });
  n->outputs[0].describe(out);
  finish_node(n);
  return n;
}

void refuse_first_tangents(const OpRecord& op, std::span<const Operand> in) {
  const RefusedFirst* r = first_refusal_of(op);
  if (!r || !in[0].tensor || !forward_mode::has_tangent(in[0].tensor)) return;
  raise(PyExc_NotImplementedError, "Trying to use forward AD with ", r->name,
        " that does not support it because it has not been implemented yet.");
}

bool refuses_derivative(const OpRecord& op, bool inplace, const double* parameters) {
  return refusal_of(op, inplace, parameters);
}

void refuse_negative_slope(const char* name) {
  raise(PyExc_RuntimeError, "In-place ", name,
        " backward calculation is triggered with a negative slope which is not supported. This is caused by calling "
        "in-place forward function with a negative slope, please call out-of-place version instead.");
}

Node* make_refusing_node(const OpRecord& op, bool inplace, const double* parameters, std::span<const Operand> in,
                         const Tensor& out) {
  Refusal* r = refusal_of(op, inplace, parameters);
  std::vector<Edge> edges;
  for (const Operand& o : in) {
    bool differentiable = o.tensor && is_differentiable(o.tensor->dtype);
    Edge edge = differentiable ? gradient_edge(o.tensor) : Edge();
    if (edge || (inplace && edges.empty())) edges.push_back(edge);
  }
  Node* n = make_node(&r->info, static_cast<int>(edges.size()), 0, 1);
  for (size_t i = 0; i < edges.size(); ++i) set_edge(n, static_cast<int>(i), edges[i]);
  set_function(n, [name = op.name, slope = r->slope, only = r->inplace_only, inplace](Backward&) {
    if (slope) refuse_negative_slope(slope);
    if (only) {
      raise(PyExc_NotImplementedError, "the derivative for 'inplace version of ", name,
            "' is not implemented.\n  What to do: y = x.", name, "() has one.");
    }
    raise(PyExc_RuntimeError, "derivative for aten::", name, inplace ? "_" : "",
          " is not implemented\n  What to do: it is zero almost everywhere; detach() the result to say so.");
  });
  n->outputs[0].describe(out);
  finish_node(n);
  return n;
}

void refuse_tangents(const OpRecord& op, std::span<const Operand> in) {
  for (const Operand& o : in) {
    if (!o.tensor || !forward_mode::has_tangent(o.tensor)) continue;
    raise(PyExc_NotImplementedError, "Trying to use forward AD with aten::", op.name, " that does not support it.");
  }
}

}  // namespace chainrule
