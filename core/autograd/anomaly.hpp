// Anomaly detection: gradients are looked at for NaN, and errors tell where the forward call was.
#pragma once
#include "autograd/record.hpp"

namespace chainrule {

struct Anomaly {
  bool enabled = false;
  bool checks_nan = true;
};
inline Anomaly anomaly;

// Calls the node's gradient function, watching what comes out of it.
void invoke_watched(Node* n, Backward& backward);

}  // namespace chainrule
