// autocast: which operations run in another dtype than their arguments have; see bindings/calls/autocast.cpp.
#pragma once
#include <Python.h>

#include <string_view>

#include "tensor/dtype.hpp"

namespace chainrule {

struct Callable;
class Tensor;

// What autocast does to an operation's floating-point arguments.
enum class Precision : uint8_t {
  AsGiven,        // nothing
  Lower,          // casts them to autocast's dtype
  LowerMatrices,  // the same where one has two dimensions or more
  Float32,        // casts them to float32
  Widest,         // casts them to the widest among them
  Composed,       // calls the function of that name in chainrule.amp.composed, whose own operations are cast
};
// By the name of a function or method, as PyTorch's lists for the CPU and for GPUs have it.
Precision precision_of(std::string_view name);
Precision precision_on_gpu(std::string_view name);

enum class AutocastDevice { Cpu, Gpu };

// Whether autocast is on for some device, per thread. Operations look at it once.
extern thread_local bool autocasting __attribute__((tls_model("initial-exec")));

// For the time of an operation that has been cast: what it consists of is not cast again.
class AutocastPause {
 public:
  AutocastPause() : before_(autocasting) { autocasting = false; }
  ~AutocastPause() { autocasting = before_; }
  AutocastPause(const AutocastPause&) = delete;

 private:
  bool before_;
};

// A function or method called while autocast is on. A new reference; may throw.
PyObject* call_autocast(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords);
// What a tensor becomes as an argument of an operation that runs in autocast's dtype.
Tensor cast_lower(const Tensor& t);
// The same of a base or an exponent: on a GPU powers run in float32.
Tensor cast_of_power(const Tensor& t);

bool autocasts(AutocastDevice device);
void set_autocasts(AutocastDevice device, bool on);
DType autocast_dtype(AutocastDevice device);
void set_autocast_dtype(AutocastDevice device, DType dtype);
bool autocast_caches();
void set_autocast_caches(bool on);
// Regions inside each other; returns how many there are now.
int change_autocast_nesting(int by);
// Lets go of the weights that were cast.
void clear_autocast_cache();

}  // namespace chainrule
