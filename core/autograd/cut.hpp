// Where values leave the graph, so that a missing gradient can be explained.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {
// A value leaves the graph through detach(), item(), numpy() and kin, or because recording was off. The tensor that
// results remembers how and where (kCut), and what is calculated from it inherits that. Two places hold the line: for
// results made while recording was off the storage's last-write line, which costs no allocation; for all else the
// tensor's extras.
struct Cut {
  const char* how = nullptr;  // "detach()"; null: this tensor was not cut off
  SourceLine line;
};

Cut find_cut(const TensorObject* t);
void set_cut(TensorObject* t, const char* how, const SourceLine& line);
// Remembers on `t`, if it requires a gradient, that its value was read out here.
void mark_cut(const Tensor& t, const char* how);
// Remembers on a fresh `output` that it was calculated while recording was off.
void mark_unrecorded(const Tensor& output);
// Passes the first input's cut on.
void inherit_cut(const Tensor& output, const TensorObject* input);

}  // namespace chainrule
