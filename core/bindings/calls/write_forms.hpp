// Registering an operation that changes part of its first input: name(...) gives a changed copy, Tensor.name_(...)
// changes the tensor.
#pragma once
#include "bindings/calls/callable.hpp"
#include "ops/indexing/write.hpp"

namespace chainrule {

template <class F>
struct WriteForms;
template <class... A>
struct WriteForms<Tensor (*)(Place, A...)> {
  template <class F>
  static Tensor copy(A... arguments) {
    return F()(Place::Copy, arguments...);
  }
  template <class F>
  static Tensor itself(A... arguments) {
    return F()(Place::Itself, arguments...);
  }
};

// `f` is a lambda without captures that takes a Place and then the arguments. `out` is what the function has after
// them: "", or an out parameter, after ", *, " if it is the first that has to be named.
template <class F>
void define_write(const std::string& name, const std::string& arguments, F f, const std::string& out = "") {
  using Forms = WriteForms<decltype(+f)>;
  define(name + "(" + arguments + out + ")", kFunction, &Forms::template copy<F>);
  define(name + "(" + arguments + ")", kMethod, &Forms::template copy<F>);
  define(name + "_(" + arguments + ")", kMethod, &Forms::template itself<F>);
}

}  // namespace chainrule
